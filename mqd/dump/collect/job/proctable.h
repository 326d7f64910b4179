/*
 * proctable.h - which processes a launcher says it has started: MPIR_proctable, which mpirun of Open MPI up to 4.1 has.
 */
#ifndef MQD_DUMP_COLLECT_JOB_PROCTABLE_H
#define MQD_DUMP_COLLECT_JOB_PROCTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/* One rank; its position in the table is its number. */
struct proctable_entry {
    char host[256];        /* the name of the machine it runs on; "": cannot be read */
    pid_t pid;             /* there */
};
struct proctable {
    struct proctable_entry *entries;
    size_t n;              /* 0: the launcher has no table, or nothing in it */
};

/*
 * Reads the launcher's table while the launcher runs. Returns false, with the reason in *why, if there is a table that
 * cannot be read. Release the result with free(table->entries).
 */
bool proctable_read(struct proctable *table, struct process *launcher, const struct modules *modules, char **why);

/* Is that the name of the machine that mqdump runs on? Domains do not count. */
bool proctable_is_this_host(const char *name);

#endif
