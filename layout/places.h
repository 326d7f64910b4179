/*
 * places.h - what the choice of a table and the use of one share: from facts about types to places in a layout. It
 * knows no library.
 */
#ifndef MQD_LAYOUT_PLACES_H
#define MQD_LAYOUT_PLACES_H

#include "layout/layout.h"

void mqd_clear(void *object, size_t size);

/* Up to three numbers of a dotted version. False if the text states none. */
bool mqd_parse_version(const char *text, unsigned version[3]);

/* What a table has of a step; NULL if it has no such step, or if there is no table. */
const struct mqd_field *mqd_table_field(const struct mqd_table *table, enum mqd_step_id step);

bool mqd_same_abi(const struct mqd_abi *a, const struct mqd_abi *b);

/* Does the debugger state the size of this type, which is the same in all builds of a family? */
bool mqd_has_live_size(const struct mqd_evidence *evidence, unsigned type);

/* Does the debugger's knowledge of a type agree with the table in its size and all offsets? */
bool mqd_live_agrees(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type);

/* Does the table agree with all of the debugger's types of its library? *n_confirmed is how many it knows. */
bool mqd_fits_live(const struct mqd_table *table, const struct mqd_evidence *evidence, unsigned *n_confirmed);

/* The steps in the way to a layout: begin, each type, constants, paths, and what all that suffices for. */
void mqd_begin_layout(const struct mqd_evidence *evidence, enum mqd_type_id live_rejected_by,
                      struct mqd_layout *layout);
void mqd_resolve_type(const struct mqd_table *kinds, const struct mqd_evidence *evidence, const bool *confirmed,
                      bool use_live, enum mqd_type_id type, struct mqd_layout *layout);
void mqd_settle_constants(const struct mqd_table *const *tables, size_t n_tables,
                          const struct mqd_evidence *evidence, struct mqd_layout *layout);
void mqd_add_up_paths(struct mqd_layout *layout);
void mqd_decide_capabilities(struct mqd_layout *layout);

#endif
