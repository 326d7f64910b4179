/*
 * inquire.h - has collectors answer questions about processes that need their files or memory.
 */
#ifndef MQD_DUMP_INQUIRE_H
#define MQD_DUMP_INQUIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/collect/job/launcher_table.h"
#include "mqd/dump/collect/target/process.h"

/* What is known of a process after it was asked whether it has Open MPI. */
enum inquired { INQUIRED_NO, INQUIRED_YES, INQUIRED_SILENT };

/* Answers for each of n processes whether it has Open MPI in its memory. */
void inquire_mpi(const struct process_id *processes, size_t n, const struct limit_choice *limits,
                 enum inquired *answers);

/*
 * Adds what a launcher says of its ranks: what launcher_look finds, and what its PMIx server says, if `server` or if it
 * has daemons on other machines. If that is nothing, table->problem has the reason. Release the result with
 * launcher_table_clear.
 */
void inquire_table(struct launcher_table *table, struct process_id launcher, bool server,
                   const struct limit_choice *limits);

#endif
