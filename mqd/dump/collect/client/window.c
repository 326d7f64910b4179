/*
 * window.c - asks a debug DLL about a window.
 */
#include "mqd/dump/collect/client/window.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"

/* A process has at most four roles in a window: named in MPI_Win_start, in MPI_Win_post, locked. */
static const long MAX_ROLES = 4;

/* Returns false if the DLL fails on the way, or tells of ranks that the window does not have. */
static bool take_peers(struct window *window, const struct dll *dll, mqs_process *process)
{
    struct mqd_window_peer peer;
    int code = dll->extension->describe_window_peer(process, 0, &peer);

    for (int i = 1; code == mqs_ok && i <= MAX_ROLES * window->size; i++) {
        if (peer.rank < 0 || peer.rank >= window->size)
            return false;
        window->peers = grow_array(window->peers, window->n_peers, &window->peer_room, sizeof *window->peers);
        window->peers[window->n_peers++] = peer;
        code = dll->extension->describe_window_peer(process, i, &peer);
    }
    return code == mqs_end_of_list;
}

bool window_take(struct window *window, const struct dll *dll, mqs_process *process)
{
    if (DLL_OFFERS(dll, describe_window_peer) &&
        dll->extension->describe_window(process, &window->description) == mqs_ok && take_peers(window, dll, process)) {
        window->description.component[sizeof window->description.component - 1] = '\0';
        return true;
    }
    window_free(window);
    return false;
}

bool windows_are_same(const struct window *a, const struct window *b)
{
    if (a->unique_id != b->unique_id || a->n_peers != b->n_peers ||
        a->description.access != b->description.access || a->description.exposed != b->description.exposed ||
        a->description.n_completed != b->description.n_completed ||
        a->description.n_posted_to_it != b->description.n_posted_to_it)
        return false;
    for (size_t i = 0; i < a->n_peers; i++)
        if (a->peers[i].rank != b->peers[i].rank || a->peers[i].role != b->peers[i].role ||
            a->peers[i].held != b->peers[i].held)
            return false;
    return true;
}

void window_free(struct window *window)
{
    shared_release(window->group);
    free(window->peers);
    *window = (struct window){0};
}
