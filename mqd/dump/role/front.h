/*
 * front.h - what the user sees as mqdump.
 *
 * The front end finds out which processes are meant, has collectors read them, and concludes and prints. It reads no
 * memory of a process, and opens no file that a process names.
 */
#ifndef MQD_DUMP_ROLE_FRONT_H
#define MQD_DUMP_ROLE_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/local.h"
#include "mqd/dump/ask/hosts.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/ask/selection.h"
#include "mqd/dump/look/wish.h"
#include "mqd/dump/show/report.h"

enum { EXIT_ALL_SHOWN = 0, EXIT_NOT_ALL_SHOWN = 1, EXIT_USAGE = 2 };

/* What the front end is asked for, as options.h reads it. Texts are those of the command line. */
struct options {
    struct wish wish;              /* how processes and cores are read */
    struct selection targets;      /* which; none: the ranks of a job, or records */
    struct job_choice choice;      /* of a job */
    struct reach reach;            /* of other machines */
    bool local;                    /* of the job only what is on this machine */
    const char **records;          /* in place of processes and cores */
    size_t n_records;
    bool merge, list;              /* make one record of them; list jobs */
    struct show_wish show;         /* how they are shown */
    bool statistics;
    enum colour_wish colour;
    double watch;                  /* seconds from one look to the next; 0: there is one look */
    const char *after_watch;       /* a number that follows --watch as a word of its own, perhaps seconds; or NULL */
};

/* Is a picture asked for? */
bool options_want_picture(const struct options *options);

/*
 * Makes the report of one look, which began at `start` (clock.h), or writes what else is asked for. Returns whether all
 * of it could be had; messages have said why not.
 */
bool front_report(const struct options *options, double start);

#endif
