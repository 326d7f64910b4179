/*
 * request.h - what a collector is asked for: the arguments of "mqdump --collect".
 *
 * A collector reads the processes of one owner, or core files, and writes what it has seen to standard output. People
 * do not call it: its arguments may differ from one version of mqdump to the next.
 */
#ifndef MQD_DUMP_ASK_REQUEST_H
#define MQD_DUMP_ASK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/child/confine.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/look/wish.h"

enum request_task {
    REQUEST_LOOK,              /* a record */
    REQUEST_PROBE,             /* "PID 1" of each process that has Open MPI, "PID 0" of others, one in a line */
    REQUEST_TABLE,             /* what a launcher's memory and files say of its ranks, as in launcher_table.h */
    REQUEST_PMIX               /* what its PMIx server says of them, in the same form */
};

struct request {
    enum request_task task;
    char *owner;               /* as owner_text() writes it; NULL: it stays who it is */
    struct limits limits;
    struct wish wish;
    const char *server;        /* of REQUEST_PMIX, as in rendezvous.h */
    bool thorough;             /* as in struct view */
    struct process_id *processes;
    size_t n_processes;
    const char **cores;        /* in place of processes */
    size_t n_cores;
};

/* The argument by which mqdump knows that it is to be a collector. */
#define COLLECT_OPTION "--collect"

/* The arguments after the name of the program, with NULL at the end. Release them with request_arguments_free. */
char **request_arguments(const struct request *request);
void request_arguments_free(char **arguments);

/*
 * Reads the arguments of a program. Strings are theirs. Returns false, with the reason in *why, if they are no such
 * request. Release with request_clear.
 */
bool request_read(struct request *request, int argc, char **argv, char **why);

/* Releases what request_read has made. */
void request_clear(struct request *request);

#endif
