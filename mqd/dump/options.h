/*
 * options.h - the command line of mqdump.
 */
#ifndef MQD_DUMP_OPTIONS_H
#define MQD_DUMP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/show/report.h"

enum { EXIT_ALL_SHOWN = 0, EXIT_NOT_ALL_SHOWN = 1, EXIT_USAGE = 2 };

/* Texts are those of the command line. */
struct options {
    bool json, internal, layout, statistics, list, no_stop, why, stacks, merge, local;
    enum queue_wish queues;
    const char *dll;
    bool has_dll;                  /* it was chosen */
    const char *job;               /* NULL: not asked for */
    struct process_id *processes;  /* each once */
    size_t n_processes;
    struct limit_choice limits;    /* of collectors */
    struct host_list hosts;        /* where the ranks of the job are; none: that is to be found out */
    const char *launch;            /* the command that starts mqdump on them; NULL: not given */
    const char *launch_origin;     /* where that is from: an option or a variable */
    const char *remote_mqdump;     /* its name there; NULL: the same as here */
    size_t fanout;                 /* hosts that are asked at the same time */
    const char **cores;            /* core files, in place of processes */
    size_t n_cores;
    const char **executables;      /* of the cores */
    size_t n_executables;
    const char *sysroot;           /* NULL: files are where the cores say */
    const char **records;          /* in place of processes and cores */
    size_t n_records;
    enum colour_wish colour;
    const char *dot, *svg, *html;  /* files for pictures and a page, "-": standard output; NULL: not asked for */
    const char *save;              /* file for a record; the same */
    double watch;                  /* seconds from one look to the next; 0: there is one look */
    const char *after_watch;       /* a number that follows --watch as a word of its own, perhaps seconds; or NULL */
};

/*
 * Reads the command line. Ends the program, with a message, if it is wrong, and after --help and --version. Release
 * the options with options_clear.
 */
void options_read(struct options *options, int argc, char **argv);
void options_clear(struct options *options);

/* Is a picture asked for? */
bool options_want_picture(const struct options *options);

#endif
