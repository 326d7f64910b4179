/*
 * history.c - what several looks at the same jobs show together.
 */
#include "mqd/dump/show/watch/history.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/verdict/movement.h"

/* Jobs may be watched for weeks. Of what is not there any more, or not seen, no more is kept. */
enum { MAX_GONE_RANKS = 4096, MAX_GONE = 16, MAX_UNSEEN = 16 };

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
    place_clear(&rank->where);
    FREE_ALL(rank->key, rank->process, rank->job, rank->host, rank->place, rank->waits);
}

/* Ranks. */

/*
 * Since when a rank stands where it is: it was seen there at the look before, if not earlier. Once it could have been
 * elsewhere in between, that stays so until it moves.
 */
static void set_stand(struct watched_rank *rank, const struct watched_rank *before, enum movement movement,
                      double latest, double now)
{
    rank->state = movement == MOVEMENT_NONE && before->state != RANK_SAME ? RANK_STANDS : RANK_SAME;
    rank->since = stands(before->state) ? before->since : latest;
    rank->place_changed = (stands(before->state) && before->place_changed) || strcmp(rank->place, before->place) != 0;
    rank->threads_changed = strcmp(rank->waits, before->waits) != 0;
    rank->threads_moved = before->threads_moved || rank->threads_changed;
    rank->threads_before = before->threads_changed;
    rank->threads_since = rank->threads_changed ? now : before->threads_since;
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
        set_stand(rank, before, movement, history->latest, now);
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

static struct rank_place place_of(const struct witness *witness)
{
    struct rank_place place;

    if (witness->missing != NULL)
        place_take_text(&place, copy_string(witness->missing->fate));
    else if (witness->ended)
        place_take_text(&place, copy_string("ended"));
    else
        place_find(&place, witness->listing);
    return place;
}

static struct watched_rank make_rank(const struct witness *witness, bool jobs)
{
    const struct listing *listing = witness->listing;
    const struct rank_place where = place_of(witness), *places = &where;

    return (struct watched_rank){
        .key = key_of(witness), .process = process_of(witness),
        .job = copy_string(jobs && listing->job != NULL ? listing->job : ""),
        .host = listing->host != NULL ? copy_string(listing->host) : NULL, .rank = listing->rank, .pid = listing->pid,
        .where = where, .place = place_say(&places, 1), .waits = place_say_waits(&where),
        .in_mpi = is_in_mpi(witness), .before = N_RANK_STATES, .witness = witness};
}

/*
 * What was in the list, and is not any more, stays there as what it was. Where a look is not whole, what it does not
 * have may be where it was.
 */
static void keep_gone(struct history *history, struct watched_rank *old, bool whole, double now)
{
    bool was_gone = old->state == RANK_GONE || old->state == RANK_ENDED || (!whole && old->state == RANK_UNKNOWN);

    old->before = old->state;
    if (!was_gone) {
        old->state = whole ? RANK_GONE : RANK_UNKNOWN;
        old->since = now;
    }
    old->witness = NULL;
    APPEND(history->ranks, history->n, history->room, *old);
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

/* Findings. */

static void free_finding(struct watched_finding *finding)
{
    FREE_ALL(finding->title, finding->sentence, finding->job, finding->ranks, finding->causes);
}

/* What the latest look shows of the ranks that findings name. */

struct seen {
    const struct history *history;
    bool jobs, users;              /* ranks alone do not tell who is meant */
    bool whole;                    /* all ranks could be seen, and had the time to show what they do */
    char **names;                  /* of the ranks of the look, which are the first ones of the history */
    size_t n;
    struct name_index index;
};

static char *name_of(const struct seen *seen, long rank, const char *job, long user)
{
    return format_text("%ld %ld %s", rank, seen->users ? user : -1, seen->jobs && job != NULL ? job : "");
}

static bool have_users(const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        if (verdict->findings[i].user >= 0)
            return true;
    return false;
}

static void look_at_ranks(struct seen *seen, const struct history *history, const struct verdict *verdict, bool whole)
{
    *seen = (struct seen){.history = history, .users = have_users(verdict), .whole = whole, .index.any_length = true};
    while (seen->n < history->n && history->ranks[seen->n].witness != NULL)
        seen->n++;
    for (size_t i = 0; i < history->n; i++) {
        seen->jobs |= *history->ranks[i].job != '\0';
        seen->whole &= history->ranks[i].state != RANK_UNKNOWN;
    }
    seen->names = allocate_array(seen->n, sizeof *seen->names);
    for (size_t i = 0; i < seen->n; i++) {
        const struct watched_rank *rank = &history->ranks[i];

        seen->names[i] = name_of(seen, rank->rank, rank->job, rank->witness->listing->user);
        name_index_add(&seen->index, seen->names[i], (uint32_t)i);
        seen->whole &= !rank->witness->starved;
    }
}

static void stop_looking(struct seen *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        free(seen->names[i]);
    free(seen->names);
    name_index_clear(&seen->index);
}

/* NULL: the look does not have the rank. */
static const struct watched_rank *find_rank(const struct seen *seen, long rank, const char *job, long user)
{
    OWNED char *name = name_of(seen, rank, job, user);
    uint32_t position;
    bool found = name_index_find(&seen->index, name, &position);

    return found ? &seen->history->ranks[position] : NULL;
}

static bool has_moved(const struct watched_rank *rank)
{
    return rank != NULL && (rank->state == RANK_MOVES || (rank->state == RANK_ENDED && rank->before != RANK_ENDED));
}

/* Is it the same finding? */

/* Returns what is known of each rank of a finding, for free(). */
static const struct watched_rank **ranks_of(const struct seen *seen, const struct finding *finding)
{
    const struct watched_rank **ranks = allocate_array(finding->n_ranks, sizeof *ranks);

    for (size_t i = 0; i < finding->n_ranks; i++)
        ranks[i] = find_rank(seen, finding->ranks[i], finding->job, finding->user);
    return ranks;
}

/* Has the rank been as it is ever since a look had the finding? Who holds what is found may move, and hold it. */
static bool is_as_before(const struct watched_rank *rank, const struct watched_finding *finding)
{
    if (finding->unseen)
        return rank != NULL && stands(rank->state) && rank->since <= finding->went;
    return rank == NULL || finding_kind_is_of_one_rank(finding->kind) ||
           (rank->state != RANK_MOVES && rank->state != RANK_NEW);
}

enum likeness { OTHER, ANOTHER, SAME };

/*
 * The same ones have a rank in common that is as it was. Others only have ranks in common. Ranks that wait for the same
 * again after they have moved are not stuck all that time; nor is it told that the one finding went and the other one
 * came if people cannot tell them apart.
 */
static enum likeness compare(const struct watched_finding *a, const struct watched_finding *b,
                             const struct watched_rank *const *ranks)
{
    enum likeness likeness = OTHER;

    if (a->kind != b->kind || a->user != b->user || strcmp(a->job, b->job) != 0)
        return OTHER;
    if (a->n_ranks == 0 && b->n_ranks == 0)
        return SAME;
    for (size_t i = 0, k = 0; i < a->n_ranks && k < b->n_ranks && likeness != SAME;) {
        if (a->ranks[i] == b->ranks[k])
            likeness = is_as_before(ranks[k], a) ? SAME : ANOTHER;
        if (a->ranks[i] <= b->ranks[k])
            i++;
        else
            k++;
    }
    return likeness == ANOTHER && !a->unseen && strcmp(a->sentence, b->sentence) != 0 ? OTHER : likeness;
}

static long *copy_ranks(const long *ranks, size_t n)
{
    long *copy = allocate_array(n, sizeof *copy);

    for (size_t i = 0; i < n; i++)
        copy[i] = ranks[i];
    return copy;
}

static struct watched_finding make_finding(const struct finding *finding, const char *sentence, bool jobs, double now)
{
    return (struct watched_finding){.kind = finding->kind,
                                    .title = finding_title(finding, jobs && finding->n_others == 0),
                                    .sentence = copy_string(sentence),
                                    .job = copy_string(finding->job),
                                    .user = finding->user,
                                    .ranks = copy_ranks(finding->ranks, finding->n_ranks),
                                    .n_ranks = finding->n_ranks,
                                    .causes = copy_ranks(finding->causes, finding->n_causes),
                                    .n_causes = finding->n_causes,
                                    .certain = finding->certain,
                                    .since = now,
                                    .came = true};
}

/* What the look before had. Each of them is one of the new ones, or it is kept as what it has become. */
struct old {
    struct watched_finding *findings;
    size_t n;
    bool *found;
};

/* The first one of those that were not found yet that is so much like it; SIZE_MAX: there is none. */
static size_t find_old(const struct old *old, const struct watched_finding *finding,
                       const struct watched_rank *const *ranks, enum likeness likeness)
{
    for (size_t i = 0; i < old->n; i++)
        if (!old->found[i] && compare(&old->findings[i], finding, ranks) == likeness)
            return i;
    return SIZE_MAX;
}

static void take_over(struct watched_finding *finding, const struct watched_finding *before, enum likeness likeness)
{
    if (likeness == SAME) {
        finding->since = before->since;
        finding->came = false;
        finding->again = before->unseen;
        return;
    }
    finding->again = true;
    finding->stood = before->unseen || !before->came;
}

static void add_finding(struct history *history, const struct seen *seen, const struct finding *finding,
                        struct watched_finding made, struct old *old)
{
    OWNED const struct watched_rank **ranks = ranks_of(seen, finding);
    enum likeness likeness = SAME;
    size_t before = find_old(old, &made, ranks, SAME);

    if (before == SIZE_MAX) {
        likeness = ANOTHER;
        before = find_old(old, &made, ranks, ANOTHER);
    }
    if (before != SIZE_MAX) {
        old->found[before] = true;
        take_over(&made, &old->findings[before], likeness);
    }
    APPEND(history->findings, history->n_findings, history->finding_room, made);
}

/* What has become of the others? */

static bool any_has_moved(const struct seen *seen, const struct watched_finding *finding, const long *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_moved(find_rank(seen, ranks[i], finding->job, finding->user)))
            return true;
    return false;
}

/* Who holds what is found may move, and hold it. */
static bool is_refuted(const struct seen *seen, const struct watched_finding *finding)
{
    if (seen->whole)
        return true;
    if (finding_kind_is_of_one_rank(finding->kind))
        return false;
    return any_has_moved(seen, finding, finding->ranks, finding->n_ranks) ||
           any_has_moved(seen, finding, finding->causes, finding->n_causes);
}

/* history->began is still that of the look before. */
static void note_last(const struct history *history, struct watched_finding *finding, double now)
{
    finding->came = finding->again = false;
    if (finding->unseen)
        return;
    finding->lasted = history->began - finding->since;
    finding->went = now;
}

static void keep_gone_finding(struct history *history, struct watched_finding *finding, double now)
{
    if (history->n_gone == MAX_GONE) {
        free_finding(&history->gone[0]);
        history->n_gone--;
        memmove(history->gone, history->gone + 1, history->n_gone * sizeof *history->gone);
    }
    note_last(history, finding, now);
    finding->went = now;
    finding->unseen = finding->vanished = false;
    APPEND(history->gone, history->n_gone, history->gone_room, *finding);
    if (history->n_went < MAX_GONE)
        history->n_went++;
}

static void keep_unseen(struct history *history, struct watched_finding *finding, double now)
{
    note_last(history, finding, now);
    finding->vanished = !finding->unseen;
    finding->unseen = true;
    APPEND(history->findings, history->n_findings, history->finding_room, *finding);
}

static void add_findings(struct history *history, const struct explanation *explanation, bool whole, double now)
{
    const struct verdict *verdict = &explanation->verdict;
    struct old old = {.findings = history->findings, .n = history->n_findings};
    bool jobs = verdict_has_several_jobs(verdict);
    size_t n_unseen = 0;
    struct seen seen;

    look_at_ranks(&seen, history, verdict, whole);
    old.found = allocate_array(old.n, sizeof *old.found);
    history->findings = NULL;
    history->n_findings = history->finding_room = history->n_went = 0;
    for (size_t i = 0; i < verdict->n; i++)
        add_finding(history, &seen, &verdict->findings[i],
                    make_finding(&verdict->findings[i], explanation->findings[i].sentence, jobs, now), &old);
    for (size_t i = 0; i < old.n; i++) {
        if (old.found[i])
            free_finding(&old.findings[i]);
        else if (is_refuted(&seen, &old.findings[i]))
            keep_gone_finding(history, &old.findings[i], now);
        else if (n_unseen++ < MAX_UNSEEN)
            keep_unseen(history, &old.findings[i], now);
        else
            free_finding(&old.findings[i]);
    }
    FREE_ALL(old.findings, old.found);
    stop_looking(&seen);
    history->unclear = verdict->unclear;
}

void history_add(struct history *history, const struct witness *witnesses, size_t n, bool whole,
                 const struct explanation *explanation, double began, double now)
{
    add_ranks(history, witnesses, n, whole, now);
    add_findings(history, explanation, whole, now);
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
    for (size_t i = 0; i < history->n_findings; i++)
        free_finding(&history->findings[i]);
    for (size_t i = 0; i < history->n_gone; i++)
        free_finding(&history->gone[i]);
    FREE_ALL(history->ranks, history->findings, history->gone);
    *history = (struct history){0};
}
