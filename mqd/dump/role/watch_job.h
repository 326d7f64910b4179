/*
 * watch_job.h - looks at running ranks again and again, and shows what has changed (--watch).
 */
#ifndef MQD_DUMP_WATCH_JOB_H
#define MQD_DUMP_WATCH_JOB_H

#include <stdbool.h>

#include "mqd/dump/role/front.h"

/*
 * Watches what the options name until the job has ended or the user ends it. A signal that ends the program
 * does so as ever, after the terminal is as it was. Returns false, with what one look says of it, if there is nothing
 * to watch, and if it cannot be written.
 */
bool watch_job(const struct options *options);

#endif
