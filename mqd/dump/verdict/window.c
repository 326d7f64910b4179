/*
 * window.c - who holds a lock that another wants, who has not called MPI_Win_post or MPI_Win_complete.
 *
 * Each rank says only of itself what it has done: which locks it holds, whom it has named in MPI_Win_start and
 * MPI_Win_post. So a rank is waited for because of its own state. Where that is not known, and in calls that wait for
 * the end of accesses, only ranks outside of MPI may be what is waited for.
 */
#include "mqd/dump/verdict/window.h"

#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/verdict/finding.h"

/* A rank's side of a window. */
struct side {
    const struct model *model;
    size_t rank;
    const struct window *window;
};

static long id_of(const struct side *side, int member)
{
    int world = side->window->group[member];

    return world >= 0 ? side->model->jobs[side->model->ranks[side->rank].job].base + world : PEER_UNKNOWN;
}

static bool is_same_window(const struct window *a, const struct window *b)
{
    return a->unique_id == b->unique_id && a->size == b->size &&
           memcmp(a->group, b->group, (size_t)a->size * sizeof *a->group) == 0;
}

/* The side of another member of the window. False if that rank's state is not known. */
static bool find_side(const struct side *own, int member, struct side *other)
{
    size_t rank = model_find_rank(own->model, id_of(own, member));
    const struct listing *listing = rank != SIZE_MAX ? own->model->ranks[rank].witness->listing : NULL;

    for (size_t i = 0; listing != NULL && i < listing->n_windows; i++) {
        if (listing->windows[i].error != NULL || !is_same_window(own->window, &listing->windows[i]))
            continue;
        *other = (struct side){own->model, rank, &listing->windows[i]};
        return true;
    }
    return false;
}

static const struct mqd_window_peer *find_peer(const struct window *window, long member, enum mqd_window_role role)
{
    for (size_t i = 0; i < window->n_peers; i++)
        if (window->peers[i].rank == member && window->peers[i].role == (int)role)
            return &window->peers[i];
    return NULL;
}

/* Is a thread of the rank in a function whose name begins so? All that is not known may be. */
static bool may_be_in(const struct model_rank *rank, const char *function)
{
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; calls != NULL && i < calls->n; i++)
        if (calls->calls[i].function != NULL && name_begins_with(calls->calls[i].function, function))
            return true;
    return calls == NULL || !calls->complete;
}

static void add_wait(struct waiting_call *waiting, struct window_wait wait)
{
    APPEND(waiting->in_windows, waiting->n_in_windows, waiting->window_room, wait);
}

/* Waits for a call of each member that has this role, and is waited for. */
static void add_calls(const struct side *own, enum mqd_window_role role, bool (*is_awaited)(const struct side *, int),
                      const char *function, struct waiting_call *waiting)
{
    for (size_t i = 0; i < own->window->n_peers; i++) {
        const struct mqd_window_peer *peer = &own->window->peers[i];

        if (peer->role == (int)role && id_of(own, peer->rank) >= 0 &&
            (is_awaited == NULL || is_awaited(own, peer->rank)))
            add_wait(waiting, (struct window_wait){.peer = id_of(own, peer->rank), .need = NEEDS_CALL,
                                                   .window = own->window, .function = function});
    }
}

static bool has_finalized(const struct model *model, long id)
{
    size_t rank = model_find_rank(model, id);

    return rank != SIZE_MAX && model->ranks[rank].phase == PHASE_FINALIZED;
}

/*
 * Has the member not called MPI_Win_post for this side yet? One that has cannot be in MPI_Finalize before the epoch ends,
 * and its own state is not known then.
 */
static bool has_not_posted(const struct side *own, int member)
{
    struct side other;

    if (!find_side(own, member, &other))
        return has_finalized(own->model, id_of(own, member));
    return other.window->description.exposed >= 0 &&
           find_peer(other.window, own->window->local_rank, MQD_ROLE_posted) == NULL;
}

/*
 * Is the member's access epoch towards this side open since the last MPI_Win_post? A rank in MPI_Win_start may have
 * called MPI_Win_complete, and start again.
 */
static bool has_started(const struct side *own, int member)
{
    struct side other;

    return find_side(own, member, &other) && other.window->description.access == MQD_ACCESS_start &&
           find_peer(other.window, own->window->local_rank, MQD_ROLE_started) != NULL &&
           !may_be_in(&own->model->ranks[other.rank], "MPI_Win_start");
}

/*
 * Waits for MPI_Win_complete of one of those that MPI_Win_post has named. None if one of them is not known. Those in
 * MPI_Finalize are likely to have completed: if there are others it is one of these.
 */
static void add_one_of(const struct side *own, struct waiting_call *waiting)
{
    RELEASED_BY(rank_set_clear) struct rank_set ids = {0};
    size_t n_active = 0;

    for (size_t i = 0; i < own->window->n_peers; i++)
        if (own->window->peers[i].role == MQD_ROLE_posted)
            rank_set_add(&ids, id_of(own, own->window->peers[i].rank));
    rank_set_sort(&ids);
    for (size_t i = 0; i < ids.n; i++)
        n_active += !has_finalized(own->model, ids.ranks[i]);
    for (size_t i = 0; i < ids.n && ids.ranks[0] >= 0; i++)
        if (n_active == 0 || !has_finalized(own->model, ids.ranks[i]))
            add_wait(waiting,
                     (struct window_wait){.peer = ids.ranks[i], .need = NEEDS_ONE_CALL, .window = own->window});
    waiting->all = false;
    waiting->guessed = true;
}

/*
 * MPI_Win_wait returns when all that MPI_Win_post has named have called MPI_Win_complete. How many have is counted, not
 * who. If nobody has, all are waited for; else those whose access epoch is open. If there is none, one that has left
 * out its epoch or has yet to start it cannot be told from those that have completed. A core may lack the count.
 */
static void add_completions(const struct side *own, struct waiting_call *waiting)
{
    const struct mqd_window_description *description = &own->window->description;
    long n_posted = 0, n_started = 0, n_left;

    for (size_t i = 0; i < own->window->n_peers; i++)
        if (own->window->peers[i].role == MQD_ROLE_posted) {
            n_posted++;
            n_started += has_started(own, own->window->peers[i].rank);
        }
    n_left = description->n_completed >= 0 ? n_posted - description->n_completed : n_started;
    if (description->exposed != 1 || n_left <= 0)
        return;
    if (description->n_completed == 0)
        add_calls(own, MQD_ROLE_posted, NULL, "MPI_Win_complete", waiting);
    else if (n_started > 0 && n_started <= n_left)
        add_calls(own, MQD_ROLE_posted, has_started, "MPI_Win_complete", waiting);
    else
        add_one_of(own, waiting);
}

/* Locks. */

/* What a rank has of the lock of a member's memory. */
struct hold {
    bool any, exclusive;
    int held;                      /* as in struct mqd_window_peer */
};

/* Who has asked for a lock and is in no call for one has it. MPI_Win_lock_all asks for a shared one of each member. */
static struct hold hold_of(const struct side *side, int member)
{
    const struct mqd_window_peer *exclusive = find_peer(side->window, member, MQD_ROLE_exclusive);
    const struct mqd_window_peer *peer =
        exclusive != NULL ? exclusive : find_peer(side->window, member, MQD_ROLE_shared);
    bool all = side->window->description.access == MQD_ACCESS_lock_all;
    struct hold hold = {
        .any = peer != NULL || all, .exclusive = exclusive != NULL, .held = peer != NULL ? peer->held : -1};

    if (hold.held == -1 && !may_be_in(&side->model->ranks[side->rank], "MPI_Win_lock"))
        hold.held = 1;
    return hold;
}

/* A lock that a rank may wait for. */
struct wanted {
    struct side side;
    int member;
    bool known;                    /* it is known to want this one, and how: */
    bool exclusive;
};

/* While a lock that is wanted is held, it is of no account who else has asked for it. */
static void keep_held(struct waiting_call *waiting)
{
    size_t n = 0;

    for (size_t i = 0; i < waiting->n_in_windows; i++)
        if (waiting->in_windows[i].need == NEEDS_LOCK)
            waiting->in_windows[n++] = waiting->in_windows[i];
    if (n > 0)
        waiting->n_in_windows = n;
    waiting->all |= n > 0;
}

/*
 * Adds all that may stand in the way. A shared lock may also have to wait for an exclusive one that waits. False if the
 * state of some member is not known.
 */
static bool add_holders(const struct wanted *wanted, struct waiting_call *waiting)
{
    const struct window *window = wanted->side.window;
    enum window_need known = wanted->known ? NEEDS_LOCK : NEEDS_SOME_LOCK;

    for (int i = 0; i < window->size; i++) {
        struct side other;
        struct hold hold;

        if (i == window->local_rank)
            continue;
        if (!find_side(&wanted->side, i, &other))
            return false;
        hold = hold_of(&other, wanted->member);
        if (!hold.any || (!hold.exclusive && wanted->known && !wanted->exclusive))
            continue;
        add_wait(waiting, (struct window_wait){.peer = other.model->ranks[other.rank].id,
                                               .need = hold.held == 1 ? known : NEEDS_ASKED_LOCK,
                                               .window = window,
                                               .owner = id_of(&wanted->side, wanted->member),
                                               .exclusive = wanted->exclusive,
                                               .peer_is_exclusive = hold.exclusive});
        waiting->all &= hold.held == 1;
    }
    keep_held(waiting);
    return true;
}

/* Does another rank hold a lock with which this one cannot be held? */
static bool is_taken(const struct side *own, const struct mqd_window_peer *peer)
{
    for (int i = 0; i < own->window->size; i++) {
        struct side other;
        struct hold hold;

        if (i == own->window->local_rank || !find_side(own, i, &other))
            continue;
        hold = hold_of(&other, peer->rank);
        if (hold.any && hold.held == 1 && (hold.exclusive || peer->role == MQD_ROLE_exclusive))
            return true;
    }
    return false;
}

/* The lock that the rank is known to wait for in this window; false: there is none, or which one it is is not known. */
static bool find_wanted(const struct side *own, struct wanted *wanted)
{
    for (size_t i = 0; i < own->window->n_peers; i++) {
        const struct mqd_window_peer *peer = &own->window->peers[i];

        if ((peer->role != MQD_ROLE_exclusive && peer->role != MQD_ROLE_shared) || peer->held == 1 ||
            (peer->held == -1 && !is_taken(own, peer)))
            continue;
        *wanted = (struct wanted){*own, peer->rank, true, peer->role == MQD_ROLE_exclusive};
        return true;
    }
    return false;
}

/* Every lock of the window that somebody else has, for a rank that may wait for any. */
static bool add_all_holders(const struct side *own, struct waiting_call *waiting)
{
    bool known = own->window->error == NULL;

    waiting->guessed = true;
    for (int member = 0; member < own->window->size && known; member++)
        known = add_holders(&(struct wanted){.side = *own, .member = member}, waiting);
    waiting->all = false;
    return known;
}

static bool add_locks(const struct model *model, size_t rank, struct waiting_call *waiting)
{
    const struct listing *listing = model->ranks[rank].witness->listing;
    struct wanted wanted;
    bool known = true;

    for (size_t i = 0; i < listing->n_windows; i++)
        if (find_wanted(&(struct side){model, rank, &listing->windows[i]}, &wanted))
            return add_holders(&wanted, waiting);
    for (size_t i = 0; i < listing->n_windows && known; i++)
        known = add_all_holders(&(struct side){model, rank, &listing->windows[i]}, waiting);
    return known;
}

/* Has the rank a window whose state is not known? */
static bool has_other_windows(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];
        bool known = communicator->use.owner != MQD_OWNER_window;

        for (size_t k = 0; k < listing->n_windows && !known; k++)
            known = listing->windows[k].unique_id == communicator->unique_id && listing->windows[k].error == NULL;
        if (!known)
            return true;
    }
    return false;
}

/* MPI_Win_start returns when all that it names have called MPI_Win_post and named the caller. */
static void find_calls(const struct model *model, size_t rank, bool starts, struct waiting_call *waiting)
{
    const struct listing *listing = model->ranks[rank].witness->listing;
    size_t n_windows = 0;

    for (size_t i = 0; i < listing->n_windows; i++) {
        struct side own = {model, rank, &listing->windows[i]};
        size_t before = waiting->n_in_windows;

        if (!starts)
            add_completions(&own, waiting);
        else if (own.window->description.access == MQD_ACCESS_start)
            add_calls(&own, MQD_ROLE_started, has_not_posted, "MPI_Win_post", waiting);
        n_windows += waiting->n_in_windows > before;
    }
    /* Another window's epoch may be open too, and not be what the call is about. */
    if (n_windows > 1)
        waiting->all = false;
    waiting->guessed |= n_windows > 1 || (n_windows > 0 && has_other_windows(listing));
}

/* Others' part in accesses. */

/* Is no thread of the rank in MPI, as far as that is known? */
static bool is_outside(const struct model_rank *rank)
{
    const struct calls *calls = rank->witness->calls;

    return rank->phase == PHASE_BUSY && calls != NULL && calls->complete && rank->n_outside == calls->n;
}

/*
 * Accesses to the memory of another rank may end only while that rank is in MPI, if the network cannot do them alone;
 * and where locks are kept by messages, so may calls for locks. A rank in MPI does its part: the others are waited for.
 */
static void find_absent(const struct model *model, size_t rank, bool all_windows, struct waiting_call *waiting)
{
    const struct listing *listing = model->ranks[rank].witness->listing;

    waiting->all = false;
    waiting->guessed = true;
    for (size_t i = 0; i < listing->n_windows && waiting->n_in_windows == 0; i++) {
        const struct side own = {model, rank, &listing->windows[i]};

        for (int member = 0; member < own.window->size && (all_windows || own.window->error != NULL); member++) {
            long id = id_of(&own, member);
            size_t other = model_find_rank(model, id);

            if (member != own.window->local_rank && other != SIZE_MAX && is_outside(&model->ranks[other]))
                add_wait(waiting, (struct window_wait){.peer = id, .need = NEEDS_PRESENCE, .window = own.window});
        }
    }
}

void window_waits_find(const struct model *model, size_t rank, struct waiting_call *waiting)
{
    bool locks = name_begins_with(waiting->call->function, "MPI_Win_lock");
    bool starts = strcmp(waiting->call->function, "MPI_Win_start") == 0;
    bool calls = starts || strcmp(waiting->call->function, "MPI_Win_wait") == 0;

    waiting->all = true;
    if (calls)
        find_calls(model, rank, starts, waiting);
    else if (locks && !add_locks(model, rank, waiting))
        waiting->n_in_windows = 0;
    if (waiting->n_in_windows == 0)
        find_absent(model, rank, !calls && !locks, waiting);
}

/* Does the function wait in a window for others, or may it? Those that make and free windows are collective. */
static bool is_in_window(const char *function)
{
    static const char *const beginnings[] = {
        "MPI_Accumulate", "MPI_Compare_and_swap", "MPI_Fetch_and_op", "MPI_Get_accumulate", "MPI_Put", "MPI_Win_"};

    return strcmp(function, "MPI_Get") == 0 || BEGINS_WITH_ANY(function, beginnings);
}

const char *window_unknown(const struct listing *listing, const char *function)
{
    for (size_t i = 0; listing != NULL && is_in_window(function) && i < listing->n_windows; i++)
        if (listing->windows[i].error != NULL)
            return listing->windows[i].error;
    return NULL;
}
