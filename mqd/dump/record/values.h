/*
 * values.h - values for programs that are made of several members, or are lists: `of` is the structure.
 */
#ifndef MQD_DUMP_RECORD_VALUES_H
#define MQD_DUMP_RECORD_VALUES_H

#include <stdio.h>

/* Of struct queued. */
void print_status(FILE *to, const void *of);
void print_peer(FILE *to, const void *of);
void print_found_at(FILE *to, const void *of);
void print_extra_text(FILE *to, const void *of);

/* Of struct mqd_layout_summary, and of struct mqd_library_summary. */
void print_classes(FILE *to, const void *of);
void print_types(FILE *to, const void *of);
void print_library_types(FILE *to, const void *of);

/* Of struct call. */
void print_function(FILE *to, const void *of);
void print_chain(FILE *to, const void *of);

/* Of struct named_stack. */
void print_frames(FILE *to, const void *of);

/* Of struct activity. */
void print_state(FILE *to, const void *of);
void print_system_call(FILE *to, const void *of);
void print_stuck(FILE *to, const void *of);
void print_share(FILE *to, const void *of);

#endif
