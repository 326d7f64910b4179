/*
 * listing.h - everything that a debug DLL reports about one process.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_LISTING_H
#define MQD_DUMP_COLLECT_CLIENT_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/mpi_interface.h"
#include "include/mqd_extension.h"
#include "mqd/dump/base/words.h"
#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/handle.h"
#include "mqd/dump/collect/client/host.h"
#include "mqd/dump/collect/client/made.h"
#include "mqd/dump/collect/client/queue.h"
#include "mqd/dump/collect/client/window.h"

struct activity;
struct calls;
struct openmp;

/* The messages between a process and another of its job on one communicator, modulo 65536. */
struct traffic {
    long peer;                     /* in MPI_COMM_WORLD */
    uint16_t n_sent, n_arrived;
};

struct communicator {
    mqs_taddr_t unique_id;
    mqs_tword_t local_rank, size;
    char name[sizeof((mqs_communicator *)0)->name + 1];
    int *group;                    /* `size` ranks in MPI_COMM_WORLD, of shared.h; NULL: not available */
    char *group_error;
    int group_reason;              /* as a queue's */
    struct queue queues[N_QUEUES];
    bool has_summary;              /* the DLL tells more than MQD 1.0 of it: */
    struct mqd_communicator_summary summary;
    bool has_use;                  /* the DLL tells how it is used: */
    struct mqd_communicator_use use;  /* else zero */
    struct arrangement arrangement;
    bool has_traffic;              /* it was asked for, and could be told with all of the own job: */
    struct traffic *traffic;       /* by peer; those that are not here have exchanged nothing */
    size_t n_traffic, traffic_room;
    struct mqd_process_name *peers;   /* of an intercommunicator `remote_size`, of a communicator with members of other
                                         jobs `size`; NULL: it is neither, or they cannot be told. Of shared.h */
};

/* A library other than Open MPI that keeps the operations. */
struct library {
    struct mqd_library_summary summary;
    char *error;                   /* why no layout of it is in force; NULL: one is */
    int reason;                    /* as a queue's */
};

/* What a queue that is shown may lack, because it is kept where it cannot be read. */
struct gap {
    const char *text;              /* the DLL's; NULL: nothing is known to be missing */
    int reason;                    /* enum mqd_reason */
};

/* All that a DLL with the extension tells of the layout. The DLL owns the strings. */
struct details {
    struct mqd_type_description *types;
    struct mqd_field_description *fields;
    struct mqd_probe_description *probes;
    struct mqd_capability_description *capabilities;
    size_t n_types, n_fields, n_probes, n_capabilities;
    struct mqd_limit_description *limits; /* of the capabilities, in their order */
    size_t n_limits;
};

/* The levels of thread support, as in struct mqd_process_description. */
enum thread_level { LEVEL_SINGLE, LEVEL_FUNNELED, LEVEL_SERIALIZED, LEVEL_MULTIPLE };

struct listing {
    pid_t pid;                     /* 0: unknown, of a core that does not tell */
    const char *core;              /* the core file that it was read from, the caller's; NULL: a live process */
    int signal;                    /* that ended it; 0: none did, or unknown */
    long rank;                     /* in MPI_COMM_WORLD; -1: unknown */
    char *job;                     /* its launcher's name for it; processes of other jobs have the same ranks; NULL:
                                      unknown */
    long user;                     /* whose process, or core file, it is, from ask/local.h, which it cannot choose as it
                                      can `job`; -1: unknown */
    const char *host;              /* its machine, in a report about several; NULL: it is about one, or that is not
                                      known. The caller's */
    pid_t copy_of;                 /* the process whose queues these are: it was made of that by fork; 0: its own */
    char *executable;              /* path; NULL: unknown */
    bool was_running;              /* while it was read: what is here may contradict itself */
    bool has_layout;               /* `layout` is filled as far as known */
    struct mqd_layout_summary *layout;  /* of shared.h: all ranks of a record have few; NULL: see listing_layout */
    char *layout_error;            /* why no layout is in force; NULL: one is, if has_layout */
    int layout_reason;             /* as a queue's */
    struct library *libraries;
    size_t n_libraries;
    struct gap gaps[N_QUEUES];
    bool has_details;              /* they were asked for, and has_layout */
    struct details details;
    bool layout_only;              /* neither communicators nor operations were asked for */
    bool has_name;                 /* the DLL tells who the process is: */
    struct mqd_process_name name;
    bool has_thread_level;         /* it is known: */
    int thread_level;              /* enum thread_level */
    bool one_caller;               /* MPI forbids a thread of it to call MPI while another one is in an MPI call */
    bool has_communicators;        /* they could be listed, though perhaps not all */
    struct communicator *communicators;
    size_t n, room;
    struct window *windows;        /* whose state can be told */
    size_t n_windows, window_room;
    struct handle_answer *answers; /* to the questions about handles, in their order */
    size_t n_answers, answer_room;
    const struct calls *calls;     /* where its threads are; NULL: not looked. The caller's */
    const struct openmp *openmp;   /* what OpenMP's runtimes know of its threads; NULL: it has none. The caller's */
    const struct activity *activity;   /* what it does in the kernel; NULL: not looked, or not known. The caller's */
    double dll_seconds;            /* that the DLL took, the callbacks included */
    char *error;                   /* why the process is not listed or not completely; NULL: all is well */
    int reason;                    /* as a queue's */
};

/*
 * The first half of a listing, which does not need the process to be stopped: gives the image to the DLL, and asks
 * whether its processes have queues. Returns false, with the reason in listing->error, if they have none.
 */
bool listing_examine_image(struct listing *listing, const struct dll *dll, mqs_image *image);

/* What is asked for. All but the queues need a DLL with the extension. */
struct wishes {
    bool queues;                   /* all communicators and operations */
    bool internal;                 /* those of the MPI library too */
    bool layout;                   /* what the listing rests on, in detail */
    long traffic;                  /* how many messages were exchanged, if the DLL can tell, on communicators of at
                                      most so many members; 0: on none */
    struct words questions;        /* about handles: valid ones of handle.h */
    const struct listing *before;  /* operations that are as they were there are in memory once; NULL: there is none */
};

/* The second half, with the process stopped. Each part of the listing has an error of its own. */
void listing_take(struct listing *listing, const struct dll *dll, mqs_process *process, const struct wishes *wishes);

/* Removes the MPI library's own operations and communicators from a complete listing. */
void listing_hide_internal(struct listing *listing);

/*
 * May blocking calls have operations that are not listed? Then nothing can be concluded from what a blocking call has
 * in the queues, unless it is known to be that call's.
 */
bool listing_hides_blocking(const struct listing *listing);

/*
 * Returns an operation that the DLL has just returned, with all that it tells of it. *facts is for its texts: both they
 * and those of *said are the operation's until it is in a queue.
 */
struct queued listing_describe_operation(const struct dll *dll, mqs_process *process,
                                         const mqs_pending_operation *said, struct mqd_operation_description *facts);

/* Is it an intercommunicator; and how many ranks can its process send to and receive from there? */
bool communicator_is_inter(const struct communicator *communicator);
long communicator_n_peers(const struct communicator *communicator);

/* Is it a Cartesian communicator whose dimensions are known, so that functions of made.h tell of its ranks? */
bool communicator_is_cartesian(const struct communicator *communicator);

/* Are there processes of more than one job? Jobs of two users are two, whatever their names. */
bool listings_have_several_jobs(const struct listing *const *listings, size_t n);

/* Have jobs of different users the same name? */
bool listings_share_job_names(const struct listing *const *listings, size_t n);

/* Takes the process and the image away from the DLL. */
void listing_release(const struct dll *dll, mqs_image *image, mqs_process *process);

/* What is known of the layout; zero if that is nothing. */
const struct mqd_layout_summary *listing_layout(const struct listing *listing);

/* Is everything there that was asked for? */
bool listing_is_complete(const struct listing *listing);

/* The answer to a question about handles; NULL: it was not asked, or could not be. */
const struct handle_answer *listing_answer(const struct listing *listing, const char *question);

/* The name of an operation's status, "unknown" for one that the interface does not know. */
const char *operation_status_name(int status);

void listing_free(struct listing *listing);

/* A listing of the same process in which nothing is listed yet. */
struct listing listing_again(const struct listing *before);

/* The error of a process that ended meanwhile. */
extern const char died_meanwhile[];

#endif
