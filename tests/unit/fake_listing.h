/*
 * fake_listing.h - everything that a debugger sees of a process if it follows the protocol: all communicators, groups
 * and queues, with the code that ended each walk, and whether the DLL kept the protocol.
 */
#ifndef FAKE_LISTING_H
#define FAKE_LISTING_H

#include "fake_host.h"

enum { FAKE_MAX_COMMS = 80, FAKE_N_QUEUES = 3 };

struct fake_queue {
    int setup;                      /* of mqs_setup_operation_iterator */
    int error;                      /* the code between the last operation and mqs_end_of_list; mqs_ok: none */
    size_t n;
    mqs_pending_operation *operations;
};

struct fake_listed_comm {
    mqs_communicator communicator;
    int group_rc;
    int group[FAKE_MAX_PROCS];
    struct fake_queue queues[FAKE_N_QUEUES]; /* indexed by mqs_op_class */
};

struct fake_listing {
    int setup_image, image_has_queues, setup_process, process_has_queues;
    char message[1536];             /* of the last has_queues that gave one; "" if none did */
    int update, setup;              /* of the communicators */
    int error;                      /* the code between the last communicator and mqs_end_of_list; mqs_ok: none */
    size_t n_comms;
    struct fake_listed_comm *comms;
    char broken[160];               /* the first breach of the protocol; "" if there was none */
};

/* Calls mqs_setup_image to mqs_process_has_queues, until one fails. Returns mqs_ok, or the code of that one. */
int fake_open(struct fake_host *host, mqs_process *process, struct fake_listing *listing);

/* Updates the list of communicators and walks over everything. Returns what the update returned. */
int fake_list(mqs_process *process, struct fake_listing *listing);

/* Walks over everything without an update. */
void fake_walk(mqs_process *process, struct fake_listing *listing);
void fake_listing_init(struct fake_listing *listing);
void fake_listing_deinit(struct fake_listing *listing);

/* The communicator of that unique_id, NULL if it is not listed. */
const struct fake_listed_comm *fake_listed(const struct fake_listing *listing, mqs_taddr_t unique_id);

/* Does one of an operation's lines of text contain these words? */
bool fake_says(const mqs_pending_operation *operation, const char *words);

/* The result of a comparison of a listing with the truth. */
enum fake_outcome {
    FAKE_RIGHT,       /* all is listed as it is */
    FAKE_TOLD,        /* what is not listed as it is has an error of its own, or all is refused */
    FAKE_SILENT,      /* something else than the truth, and no error with it */
    FAKE_N_OUTCOMES
};
enum fake_outcome fake_judge(const struct fake_listing *seen, const struct fake_listing *truth);

#endif
