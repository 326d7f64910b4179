/*
 * select_far.h - finds jobs that have no rank on this machine, but perhaps their launcher.
 */
#ifndef MQD_DUMP_SELECT_FAR_H
#define MQD_DUMP_SELECT_FAR_H

#include <stdbool.h>

#include "mqd/dump/ask/selection.h"
#include "mqd/dump/collect/job/job.h"

/*
 * Selects the job of a launcher here that has ranks on other machines only: the one that is asked for, or the only one.
 * If there is none, a namespace is assumed to exist if it is said where its ranks are, by --hosts or by the Slurm job
 * that mqdump runs in. Returns false if there is no such job; selection->problem may have the reason then, and *said is
 * true if a message has said it.
 */
bool select_far(struct selection *selection, const struct jobs *jobs, const struct job_choice *choice, bool *said);

/* Says on stderr which launchers may have such jobs. */
void select_far_hint(const struct jobs *jobs);

#endif
