/*
 * window.c - asks a debug DLL about a window.
 */
#include "mqd/dump/collect/client/window.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/base/sort.h"

/* A process has at most four roles in a window: named in MPI_Win_start, in MPI_Win_post, locked. */
static const long MAX_ROLES = 4;

/* Returns why not all can be told, for free(); NULL if all is. */
static char *take_peers(struct window *window, const struct dll *dll, mqs_process *process)
{
    struct mqd_window_peer peer;
    int code = dll->extension->describe_window_peer(process, 0, &peer);

    for (int i = 1; code == mqs_ok && i <= MAX_ROLES * window->size; i++) {
        if (peer.rank < 0 || peer.rank >= window->size)
            return copy_string("the debugging library names ranks that the window does not have");
        APPEND(window->peers, window->n_peers, window->peer_room, peer);
        code = dll->extension->describe_window_peer(process, i, &peer);
    }
    return code == mqs_end_of_list ? NULL : dll_explain(dll, code);
}

bool window_take(struct window *window, const struct dll *dll, mqs_process *process)
{
    mqs_taddr_t object = window->description.object;
    int code;

    if (!DLL_OFFERS(dll, describe_window_peer)) {
        window_free(window);
        return false;
    }
    code = dll->extension->describe_window(process, &window->description);
    window->error = code == mqs_ok ? take_peers(window, dll, process) : dll_explain(dll, code);
    window->description.component[sizeof window->description.component - 1] = '\0';
    if (window->error != NULL) {
        window->n_peers = 0;
        window->description = (struct mqd_window_description){
            .object = object, .exposed = -1, .n_posted_to_it = -1, .n_completed = -1, .locked_exclusively = -1,
            .n_shared = -1, .n_waiting = -1, .n_pending = -1};
    }
    return true;
}

bool windows_are_same(const struct window *a, const struct window *b)
{
    if (a->unique_id != b->unique_id || (a->error == NULL) != (b->error == NULL) || a->n_peers != b->n_peers ||
        a->description.access != b->description.access || a->description.exposed != b->description.exposed ||
        a->description.n_completed != b->description.n_completed ||
        a->description.n_posted_to_it != b->description.n_posted_to_it)
        return false;
    return !ANY(i, a->n_peers, a->peers[i].rank != b->peers[i].rank || a->peers[i].role != b->peers[i].role ||
                a->peers[i].held != b->peers[i].held);
}

void window_free(struct window *window)
{
    shared_release(window->group);
    FREE_ALL(window->error, window->peers);
    *window = (struct window){0};
}
