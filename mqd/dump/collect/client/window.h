/*
 * window.h - what a debug DLL with the extension tells of a window of one-sided communication.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_WINDOW_H
#define MQD_DUMP_COLLECT_CLIENT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/dll.h"

/* A window of one process. The communicator that Open MPI has made for it has the same group, and names its object. */
struct window {
    mqs_taddr_t unique_id;         /* of that communicator: it tells a job's windows apart */
    mqs_tword_t local_rank, size;
    char name[sizeof((struct mqd_communicator_use *)0)->name];
    int *group;                    /* `size` ranks in MPI_COMM_WORLD, of shared.h */
    char *error;                   /* why its state is not known; NULL: it is, and the rest tells of it */
    struct mqd_window_description description;
    struct mqd_window_peer *peers; /* with valid ranks */
    size_t n_peers, peer_room;
};

/*
 * Takes the state of the window whose communicator the DLL's iterator is at. What the communicator says of it is there
 * already. Returns false, with nothing in *window, if the DLL tells of no windows.
 */
bool window_take(struct window *window, const struct dll *dll, mqs_process *process);

bool windows_are_same(const struct window *a, const struct window *b);

void window_free(struct window *window);

#endif
