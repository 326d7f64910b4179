/*
 * history_findings.c - which findings came and went.
 */
#include "mqd/dump/show/watch/history_findings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/text/verdict_text.h"

/* Jobs may be watched for weeks. Of findings that are not there any more, or not seen, no more are kept. */
enum { MAX_GONE = 16, MAX_UNSEEN = 16 };

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
        return rank != NULL && (rank->state == RANK_STANDS || rank->state == RANK_SAME) && rank->since <= finding->went;
    return rank == NULL || finding_kind_is_of_one_rank(finding->kind) ||
           (rank->state != RANK_MOVES && rank->state != RANK_NEW);
}

enum likeness { OTHER, ANOTHER, SAME };

/*
 * The same ones have a rank in common that is as it was. Others only have ranks in common. Ranks that wait for the same
 * again after they have moved are not stuck all that time; nor is it told that the one finding went and the other one
 * came if people cannot tell them apart.
 */
static enum likeness compare(const struct watched_finding *a, const struct finding *b,
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

static struct watched_finding make_finding(const struct finding *finding, bool jobs, double now)
{
    return (struct watched_finding){.kind = finding->kind,
                                    .title = finding_title(finding, jobs && finding->n_others == 0),
                                    .sentence = copy_string(finding->sentence),
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
static size_t find_old(const struct old *old, const struct finding *finding, const struct watched_rank *const *ranks,
                       enum likeness likeness)
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
                        struct old *old, bool jobs, double now)
{
    struct watched_finding made = make_finding(finding, jobs, now);
    OWNED const struct watched_rank **ranks = ranks_of(seen, finding);
    enum likeness likeness = SAME;
    size_t before = find_old(old, finding, ranks, SAME);

    if (before == SIZE_MAX) {
        likeness = ANOTHER;
        before = find_old(old, finding, ranks, ANOTHER);
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

static void keep_gone(struct history *history, struct watched_finding *finding, double now)
{
    if (history->n_gone == MAX_GONE) {
        free_finding(&history->gone[0]);
        history->n_gone--;
        memmove(history->gone, history->gone + 1, history->n_gone * sizeof *history->gone);
    }
    history->gone = grow_array(history->gone, history->n_gone, &history->gone_room, sizeof *history->gone);
    note_last(history, finding, now);
    finding->went = now;
    finding->unseen = finding->vanished = false;
    history->gone[history->n_gone++] = *finding;
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

void history_add_findings(struct history *history, const struct verdict *verdict, bool whole, double now)
{
    struct old old = {.findings = history->findings, .n = history->n_findings};
    bool jobs = verdict_has_several_jobs(verdict);
    size_t n_unseen = 0;
    struct seen seen;

    look_at_ranks(&seen, history, verdict, whole);
    old.found = allocate_array(old.n, sizeof *old.found);
    history->findings = NULL;
    history->n_findings = history->finding_room = history->n_went = 0;
    for (size_t i = 0; i < verdict->n; i++)
        add_finding(history, &seen, &verdict->findings[i], &old, jobs, now);
    for (size_t i = 0; i < old.n; i++) {
        if (old.found[i])
            free_finding(&old.findings[i]);
        else if (is_refuted(&seen, &old.findings[i]))
            keep_gone(history, &old.findings[i], now);
        else if (n_unseen++ < MAX_UNSEEN)
            keep_unseen(history, &old.findings[i], now);
        else
            free_finding(&old.findings[i]);
    }
    FREE_ALL(old.findings, old.found);
    stop_looking(&seen);
    history->unclear = verdict->unclear;
}

void history_clear_findings(struct history *history)
{
    for (size_t i = 0; i < history->n_findings; i++)
        free_finding(&history->findings[i]);
    for (size_t i = 0; i < history->n_gone; i++)
        free_finding(&history->gone[i]);
    FREE_ALL(history->findings, history->gone);
}
