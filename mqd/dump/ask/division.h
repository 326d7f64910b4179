/*
 * division.h - which collectors are needed: one for each owner of what is to be read.
 */
#ifndef MQD_DUMP_DIVISION_H
#define MQD_DUMP_DIVISION_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/child/confine.h"
#include "mqd/dump/collect/target/process.h"

/* What is read by one collector. */
struct owned {
    struct owner owner;            /* that the collector becomes */
    bool is_other;                 /* it is another user than the caller */
    size_t *members;               /* positions in what was to be divided */
    size_t n, room;
};
struct division {
    struct owned *owned;
    size_t n, room;
};

/*
 * Divides processes by their owners, if the caller is root. Else all are the caller's, so that there is one part. A
 * process that does not exist is in no part. Its entry in *problems is set then, for free(); NULL: nobody wants to
 * know. Start times that are not known are filled in. Release with division_clear.
 */
void divide_processes(struct division *division, struct process_id *processes, size_t n, char **problems);

/*
 * The same for core files: it counts whose files they are. One that cannot be looked at is the caller's; one that is
 * not to be read by anybody, as a link of one user to a file of another one, is in no part.
 */
void divide_cores(struct division *division, char *const *cores, size_t n, char **problems);

void division_clear(struct division *division);

#endif
