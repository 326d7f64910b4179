/*
 * history.c - what several looks at the same jobs show together.
 */
#include "mqd/dump/show/watch/history.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/text/verdict_text.h"
#include "mqd/dump/show/watch/history_findings.h"
#include "mqd/dump/verdict/movement.h"

/* Jobs may be watched for weeks. Of what is not there any more no more is kept. */
enum { MAX_GONE_RANKS = 4096 };

/* Who is who. */

static bool tells_rank(const struct witness *witness)
{
    return witness->listing->job != NULL && witness->listing->rank >= 0;
}

static char *process_of(const struct witness *witness)
{
    return format_text("p%d %s", (int)witness->listing->pid, witness->host != NULL ? witness->host : "");
}

/* A process whose rank is not known is known by its pid and its machine. Keys of ranks and of processes differ. */
static char *key_of(const struct witness *witness)
{
    const struct listing *listing = witness->listing;

    return tells_rank(witness) ? format_text("r%ld %ld %s", listing->rank, listing->user, listing->job)
                               : process_of(witness);
}

static bool is_in_mpi(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++)
        if (witness->calls->calls[i].state == CALL_MPI)
            return true;
    return false;
}

static bool has_ended(const struct witness *witness)
{
    return witness->ended || (witness->missing != NULL && witness->missing->certain);
}

/* Was it found where it was, whether that is proved for the time between or not? */
static bool stands(enum rank_state state)
{
    return state == RANK_STANDS || state == RANK_SAME;
}

static void free_rank(struct watched_rank *rank)
{
    FREE_ALL(rank->key, rank->process, rank->job, rank->host, rank->place);
}

/* Ranks. */

/*
 * Since when a rank stands where it is: it was seen there at the look before, if not earlier. Once it could have been
 * elsewhere in between, that stays so until it moves.
 */
static void set_stand(struct watched_rank *rank, const struct watched_rank *before, enum movement movement,
                      double latest)
{
    rank->state = movement == MOVEMENT_NONE && before->state != RANK_SAME ? RANK_STANDS : RANK_SAME;
    rank->since = stands(before->state) ? before->since : latest;
    rank->place_changed = (stands(before->state) && before->place_changed) || strcmp(rank->place, before->place) != 0;
}

static void set_state(struct watched_rank *rank, const struct watched_rank *before, const struct history *history,
                      double now)
{
    enum movement movement = before->witness != NULL ? witness_movement(before->witness, rank->witness)
                                                     : MOVEMENT_UNKNOWN;

    rank->before = before->state;
    if (has_ended(rank->witness))
        rank->state = RANK_ENDED;
    else if (movement == MOVEMENT_FOUND)
        rank->state = RANK_MOVES;
    else if (movement == MOVEMENT_UNKNOWN)
        rank->state = witness_is_shown(rank->witness) ? RANK_NEW : RANK_UNKNOWN;
    else
        set_stand(rank, before, movement, history->latest);
    if (!stands(rank->state))
        rank->since = rank->state == before->state ? before->since : now;
    if (stands(before->state))
        rank->stood = history->began - before->since;
}

/*
 * Collective operations may run over something else than messages. Ranks that are in one show it, and that they do so
 * stays known: others may have been in many between looks.
 */
static void note_uncounted(struct history *history, const struct watched_rank *rank, const struct watched_rank *before)
{
    history->uncounted |= stands(rank->state) && before->witness != NULL && witness_waits_uncounted(before->witness) &&
                          witness_waits_uncounted(rank->witness);
}

static void doubt_stands(struct history *history, size_t n)
{
    for (size_t i = 0; i < n && history->uncounted; i++)
        if (history->ranks[i].state == RANK_STANDS && !witness_waits_counted(history->ranks[i].witness))
            history->ranks[i].state = RANK_SAME;
}

static char *place_of(const struct witness *witness)
{
    if (witness->missing != NULL)
        return copy_string(witness->missing->fate);
    return witness->ended ? copy_string("ended") : say_calls(witness->listing);
}

static struct watched_rank make_rank(const struct witness *witness, bool jobs)
{
    const struct listing *listing = witness->listing;

    return (struct watched_rank){
        .key = key_of(witness), .process = process_of(witness),
        .job = copy_string(jobs && listing->job != NULL ? listing->job : ""),
        .host = listing->host != NULL ? copy_string(listing->host) : NULL, .rank = listing->rank, .pid = listing->pid,
        .place = place_of(witness), .in_mpi = is_in_mpi(witness), .before = N_RANK_STATES, .witness = witness};
}

/*
 * What was in the list, and is not any more, stays there as what it was. Where a look is not whole, what it does not
 * have may be where it was.
 */
static void keep_gone(struct history *history, struct watched_rank *old, bool whole, double now)
{
    bool was_gone = old->state == RANK_GONE || old->state == RANK_ENDED || (!whole && old->state == RANK_UNKNOWN);

    history->ranks = grow_array(history->ranks, history->n, &history->room, sizeof *history->ranks);
    old->before = old->state;
    if (!was_gone) {
        old->state = whole ? RANK_GONE : RANK_UNKNOWN;
        old->since = now;
    }
    old->witness = NULL;
    history->ranks[history->n++] = *old;
}

static bool have_several_jobs(const struct witness *witnesses, size_t n)
{
    OWNED const struct listing **listings = allocate_array(n, sizeof *listings);

    for (size_t i = 0; i < n; i++)
        listings[i] = witnesses[i].listing;
    return listings_have_several_jobs(listings, n);
}

/* What is known of the looks before: positions of ranks by their keys. */
struct past {
    struct watched_rank *ranks;
    size_t n;
    bool *found;
    struct name_index ranks_index, processes_index;
};

/*
 * The same rank at the look before; NULL: there was none. A process that could not be read tells no rank: it is the one
 * that it was. Of two processes that claim one rank neither is known: the first one takes what was known.
 */
static struct watched_rank *find_before(struct past *past, struct watched_rank *rank)
{
    uint32_t position;

    if (!name_index_find(&past->ranks_index, rank->key, &position) &&
        (tells_rank(rank->witness) || !name_index_find(&past->processes_index, rank->process, &position)))
        return NULL;
    if (past->found[position])
        return NULL;
    past->found[position] = true;
    return &past->ranks[position];
}

static void take_identity(struct watched_rank *rank, const struct watched_rank *before)
{
    FREE_ALL(rank->key, rank->job);
    rank->key = copy_string(before->key);
    rank->job = copy_string(before->job);
    rank->rank = before->rank;
}

/*
 * Of several processes that claim one rank all but the first one are known by their pids: each is one, look by look.
 * The keys keep the pointer.
 */
static void tell_apart(struct name_index *keys, struct watched_rank *rank)
{
    if (name_index_add(keys, rank->key, 0))
        return;
    free(rank->key);
    rank->key = format_text("%s of rank %ld", rank->process, rank->rank);
    name_index_add(keys, rank->key, 0);
}

/* Those that were there last come first. A machine that did not answer may have as many ranks as there are. */
static bool is_to_be_kept(const struct history *history, const struct watched_rank *old, bool whole, size_t *n_gone,
                          size_t *n_unknown)
{
    bool gone = whole || old->state == RANK_GONE || old->state == RANK_ENDED;

    return gone ? (*n_gone)++ < MAX_GONE_RANKS : (*n_unknown)++ < history->most;
}

static struct past look_back(const struct history *history)
{
    struct past past = {.ranks = history->ranks, .n = history->n,
                        .found = allocate_array(history->n, sizeof *past.found), .ranks_index.any_length = true,
                        .processes_index.any_length = true};

    for (size_t i = 0; i < past.n; i++) {
        name_index_add(&past.ranks_index, past.ranks[i].key, (uint32_t)i);
        if (past.ranks[i].witness != NULL)
            name_index_add(&past.processes_index, past.ranks[i].process, (uint32_t)i);
    }
    return past;
}

static void forget_past(struct past *past)
{
    name_index_clear(&past->ranks_index);
    name_index_clear(&past->processes_index);
    FREE_ALL(past->found, past->ranks);
}

static void add_rank(struct history *history, struct past *past, struct name_index *keys, const struct witness *witness,
                     bool jobs, double now)
{
    const struct watched_rank none = {.state = N_RANK_STATES}, *before;
    struct watched_rank rank = make_rank(witness, jobs);

    if (tells_rank(witness))
        tell_apart(keys, &rank);
    before = find_before(past, &rank);
    if (before != NULL && !tells_rank(witness))
        take_identity(&rank, before);
    if (!tells_rank(witness))
        tell_apart(keys, &rank);
    set_state(&rank, before != NULL ? before : &none, history, now);
    if (before != NULL)
        note_uncounted(history, &rank, before);
    APPEND(history->ranks, history->n, history->room, rank);
}

static void keep_others(struct history *history, struct past *past, bool whole, double now)
{
    size_t n_gone = 0, n_unknown = 0;

    for (size_t i = 0; i < past->n; i++) {
        if (!past->found[i] && is_to_be_kept(history, &past->ranks[i], whole, &n_gone, &n_unknown))
            keep_gone(history, &past->ranks[i], whole, now);
        else
            free_rank(&past->ranks[i]);
    }
}

static void add_ranks(struct history *history, const struct witness *witnesses, size_t n, bool whole, double now)
{
    RELEASED_BY(name_index_clear) struct name_index keys = {.any_length = true};
    RELEASED_BY(forget_past) struct past past = look_back(history);
    bool jobs = have_several_jobs(witnesses, n);

    history->ranks = NULL;
    history->n = history->room = 0;
    history->most = n > history->most ? n : history->most;
    for (size_t i = 0; i < n; i++)
        add_rank(history, &past, &keys, &witnesses[i], jobs, now);
    doubt_stands(history, n);
    keep_others(history, &past, whole, now);
}

void history_add(struct history *history, const struct witness *witnesses, size_t n, bool whole,
                 const struct verdict *verdict, double began, double now)
{
    add_ranks(history, witnesses, n, whole, now);
    history_add_findings(history, verdict, whole, now);
    if (history->n_looks++ == 0)
        history->first = began;
    history->began = began;
    history->latest = now;
}

size_t history_count(const struct history *history, enum rank_state state)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++)
        n += history->ranks[i].state == state;
    return n;
}

bool history_is_over(const struct history *history)
{
    return history->n > 0 && history_count(history, RANK_ENDED) + history_count(history, RANK_GONE) == history->n;
}

/* The findings stay: they are the last ones. */
void history_end(struct history *history, double now)
{
    add_ranks(history, NULL, 0, true, now);
    history->began = history->latest = now;
}

void history_clear(struct history *history)
{
    for (size_t i = 0; i < history->n; i++)
        free_rank(&history->ranks[i]);
    history_clear_findings(history);
    free(history->ranks);
    *history = (struct history){0};
}
