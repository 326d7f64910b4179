/*
 * locate.h - finds out on which machines the ranks of selected jobs are.
 */
#ifndef MQD_DUMP_LOCATE_H
#define MQD_DUMP_LOCATE_H

#include <stddef.h>

#include "mqd/dump/ask/selection.h"
#include "mqd/dump/collect/job/job.h"
#include "mqd/dump/collect/job/job_hosts.h"

/*
 * Asks the launcher of n jobs, which are those of the selection that have ranks here, where the others are, and fills
 * the selection's hosts, its jobs if it is a family, and what is known of absent ranks.
 */
void locate_ranks(struct selection *selection, const struct jobs *jobs, const struct job *const *selected, size_t n,
                  const struct limit_choice *limits);

/* The same of what a launcher has told, which has no ranks here. The selection has its first job. */
void locate_from_table(struct selection *selection, const struct jobs *jobs, const struct job_process *launcher,
                    const struct launcher_table *table);

#endif
