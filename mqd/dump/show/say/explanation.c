/*
 * explanation.c - a verdict in sentences.
 */
#include "mqd/dump/show/say/explanation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/say/activity_phrase.h"
#include "mqd/dump/show/say/sentence.h"
#include "mqd/dump/show/say/thread_detail.h"
#include "mqd/dump/verdict/window.h"

/* A finding that is being told. */
struct telling {
    const struct finding *finding;
    const struct facts *facts;
    const struct rank_set *ranks;      /* of the facts: those that the detail is about */
    const struct model *model;
    struct sentences sentences;        /* the details */
};

static const struct model_rank *rank_of(const struct telling *telling, long id)
{
    return &telling->model->ranks[model_find_rank(telling->model, id)];
}

/* Details. */

/* How many ranks' ends and stops, busy ranks, and testing ranks outside of MPI are described. */
enum { MAX_DESCRIBED = 3, MAX_ACTIVITIES = 3, MAX_ASIDE = 2 };

static void tell_places_of(struct telling *telling)
{
    struct fold fold = {.part = telling->facts->part};

    fold_places(&fold, telling->ranks);
    fold_say(&fold, &telling->sentences);
}

static void tell_ends(struct telling *telling)
{
    const struct rank_set *ranks = telling->ranks;

    for (size_t i = 0; i < ranks->n && i < MAX_DESCRIBED; i++) {
        const struct missing_rank *missing = rank_of(telling, ranks->ranks[i])->witness->missing;
        OWNED char *who = say_capital(say_rank(telling->model, ranks->ranks[i]));

        if (missing != NULL && missing->pid != 0)
            sentences_add(&telling->sentences,
                          format_text("%s (process %d) %s.", who, (int)missing->pid, missing->fate));
        else if (missing != NULL)
            sentences_add(&telling->sentences, format_text("%s %s.", who, missing->fate));
    }
}

/* What keeps the ranks from running. */
static void tell_stops(struct telling *telling)
{
    const struct rank_set *ranks = telling->ranks;

    for (size_t i = 0; i < ranks->n && i < MAX_DESCRIBED; i++) {
        const struct model_rank *rank = rank_of(telling, ranks->ranks[i]);
        OWNED char *who = say_capital(say_rank(telling->model, rank->id)), *text = NULL;

        text = say_predicate(who, telling->finding->kind == FINDING_STOPPED ? say_where(rank) : say_stuck(rank));
        sentences_add(&telling->sentences, format_text("%s.", text));
    }
}

static void tell_finalize(struct telling *telling)
{
    sentences_add(&telling->sentences, copy_string("A rank in MPI_Finalize neither sends nor receives any more."));
}

/* All waits together. Those of ranks in MPI_Finalize are none for a message, and said by their place. */
static void tell_waits(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    struct fold fold = {.part = facts->part};

    for (size_t i = 0; i < facts->n_list; i++)
        fold_wait(&fold, &telling->model->waits[facts->list[i].at]);
    for (size_t i = 0; i < facts->who.n; i++)
        if (rank_of(telling, facts->who.ranks[i])->phase == PHASE_FINALIZED)
            fold_add(&fold, facts->who.ranks[i], say_where(rank_of(telling, facts->who.ranks[i])));
    fold_say(&fold, &telling->sentences);
}

static void tell_once(struct telling *telling, char *text)
{
    if (is_one_of(text, (const char *const *)telling->sentences.texts, telling->sentences.n))
        free(text);
    else
        sentences_add(&telling->sentences, text);
}

/* Each wait for itself. */
static void tell_each_wait(struct telling *telling)
{
    const struct facts *facts = telling->facts;

    for (size_t i = 0; i < facts->n_list && !sentences_are_full(&telling->sentences); i++) {
        const struct wait *wait;
        size_t collective;

        if (facts->list[i].kind != FACT_WAIT)
            continue;
        wait = &telling->model->waits[facts->list[i].at];
        collective = collective_of_wait(facts->part, wait);
        if (collective == SIZE_MAX)
            sentences_add(&telling->sentences, say_rank_wait(telling->model, wait));
        else
            tell_once(telling, say_collective(facts->part, collective));
    }
}

/* Describes the message that comes nearest, as the waiting rank sees it. */
static char *say_nearest(const struct telling *telling, const struct operation *nearest)
{
    enum finding_kind kind = telling->finding->kind;
    const char *difference = kind == FINDING_TAG           ? "the tags differ"
                             : kind == FINDING_COMMUNICATOR ? "the communicators differ"
                             : kind == FINDING_SOURCE       ? "it comes from another rank"
                                                            : "it goes to another rank";
    OWNED char *what = say_operation(telling->model, nearest);
    OWNED char *who = say_rank(telling->model, telling->model->ranks[nearest->rank].id);

    if (nearest->class == mqs_unexpected_messages)
        return format_text("%s has arrived at %s and nobody has asked for it: %s.", say_capital(what), who,
                           difference);
    return format_text(nearest->class == mqs_pending_sends ? "%s sends %s: %s." : "%s has a receive for %s: %s.",
                       say_capital(who), what, difference);
}

/* Of those whose message does not come: who has left MPI. */
static void tell_finalized(struct telling *telling)
{
    RELEASED_BY(rank_set_clear) struct rank_set gone = {0};
    const struct rank_set *whom = &telling->facts->whom;
    OWNED char *who = NULL;

    for (size_t i = 0; i < whom->n; i++) {
        size_t rank = model_find_rank(telling->model, whom->ranks[i]);

        if (rank != SIZE_MAX && telling->model->ranks[rank].phase == PHASE_FINALIZED)
            rank_set_add(&gone, whom->ranks[i]);
    }
    if (gone.n == 0)
        return;
    who = say_capital(say_rank_set(telling->model, &gone, "is in MPI_Finalize or past it, and sends nothing more",
                       "are in MPI_Finalize or past it, and send nothing more"));
    sentences_add(&telling->sentences, format_text("%s.", who));
}

static void tell_nearest(struct telling *telling)
{
    const struct operation *nearest = telling->facts->operation;

    if (nearest != NULL)
        sentences_add(&telling->sentences, say_nearest(telling, nearest));
    if (telling->facts->who.n > 1) {
        OWNED char *all = say_capital(say_rank_set(telling->model, &telling->facts->who, "waits", "wait"));

        sentences_add(&telling->sentences, format_text("%s at the same place in the same way.", all));
    }
    tell_finalized(telling);
    if (nearest != NULL && !telling->finding->certain)
        sentences_add(&telling->sentences,
                      copy_string("This comes nearest; whether it was meant is not known."));
}

/*
 * The elements on both sides of a message that did not fit, where they are known. Which send the message was of is not
 * known: what is said of the send holds of all that are listed.
 */
static void tell_elements(struct telling *telling)
{
    const struct operation *sent = telling->facts->sent, *receive = telling->facts->operation;
    OWNED char *room = say_elements(receive), *elements = NULL, *who = NULL;

    if (sent != NULL && (has_elements(sent) || has_elements(receive))) {
        elements = say_elements(sent);
        who = say_capital(say_rank(telling->model, receive->peer));
        sentences_add(&telling->sentences, format_text("%s lists a send with this tag and length: sent %s, room for %s.",
                                                       who, elements, room));
    } else if (has_elements(receive)) {
        sentences_add(&telling->sentences, format_text("The receive has room for %s.", room));
    }
}

/* Adds how many nonblocking operations a rank has started on the communicator. */
static void fold_started(struct fold *fold, long id, const struct communicator *named)
{
    const struct model *model = &fold->part->model;
    const struct communicator *own = model_find_communicator(model, model_find_rank(model, id), named->unique_id);

    if (own != NULL && own->use.has_nonblocking)
        fold_add(fold, id, say_started(named, own->use.n_nonblocking));
}

static void tell_order(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    const struct participant *participant = facts->participant;
    const struct communicator *communicator = participant->communicator;
    struct fold fold = {.part = facts->part};

    sentences_add(&telling->sentences, say_collective(facts->part, participant->collective));
    fold_started(&fold, facts->who.ranks[0], communicator);
    for (size_t i = 0; i < facts->whom.n; i++)
        fold_started(&fold, facts->whom.ranks[i], communicator);
    fold_say(&fold, &telling->sentences);
}

/* Have ranks in the operation, of which some are in nonblocking ones, started different numbers of these? */
static bool are_counts_different(const struct telling *telling)
{
    const struct collective *found = &telling->facts->part->collectives.operations[telling->facts->collective];
    mqs_taddr_t id = found->participants->communicator->unique_id;
    const struct communicator *first = NULL;
    bool nonblocking = false, differ = false;

    for (size_t i = 0; i < found->n; i++)
        nonblocking |= found->participants[i].function == NULL;
    for (size_t i = 0; i < telling->facts->who.n && nonblocking; i++) {
        size_t rank = model_find_rank(telling->model, telling->facts->who.ranks[i]);
        const struct communicator *same = model_find_communicator(telling->model, rank, id);

        if (same == NULL || !same->use.has_nonblocking)
            continue;
        differ |= first != NULL && same->use.n_nonblocking != first->use.n_nonblocking;
        first = first != NULL ? first : same;
    }
    return differ;
}

/* Communicators that are made count too, since the ranks agree on a number for them in such an operation. */
static void tell_counts(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    mqs_taddr_t id = facts->participant->communicator->unique_id;
    struct fold fold = {.part = facts->part};

    if (!are_counts_different(telling))
        return;
    for (size_t i = 0; i < facts->who.n; i++) {
        size_t rank = model_find_rank(telling->model, facts->who.ranks[i]);
        const struct communicator *own = model_find_communicator(telling->model, rank, id);

        if (own != NULL)
            fold_started(&fold, facts->who.ranks[i], own);
    }
    fold_say(&fold, &telling->sentences);
}

static void tell_untaken(struct telling *telling, const struct operation *message)
{
    OWNED char *from = say_rank(telling->model, message->peer);
    OWNED char *to = say_rank(telling->model, telling->model->ranks[message->rank].id);

    sentences_add(&telling->sentences, format_text("A message of %s from %s has arrived at %s, which has not taken it: "
                                                   "it has left this call out, or has made it with another root.",
                                                   message->said->purpose, from, to));
}

static void tell_collectives(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    OWNED char *hops = NULL;

    for (size_t i = 0; i < facts->n_list; i++)
        if (facts->list[i].kind == FACT_COLLECTIVE &&
            (facts->claim != CLAIM_INCOMPLETE || facts->list[i].at != facts->collective))
            sentences_add(&telling->sentences, say_collective(facts->part, facts->list[i].at));
    for (size_t i = 0; i < facts->n_list; i++)
        if (facts->list[i].kind == FACT_UNTAKEN)
            tell_untaken(telling, &telling->model->operations[facts->list[i].at]);
    tell_counts(telling);
    hops = say_hops(facts);
    if (*hops != '\0')
        sentences_add(&telling->sentences, format_text("Who waits for whom: %s.", hops));
}

/*
 * Where the ranks are: those that wait, and then those that are missing or wait for something else. Of a rank that does
 * both the wait is said.
 */
static void tell_places(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    const struct collectives *collectives = &facts->part->collectives;
    struct fold present = {.part = facts->part}, missing = {.part = facts->part};

    for (size_t i = 0; i < facts->n_list; i++) {
        const struct collective *found = &collectives->operations[facts->list[i].at];

        if (facts->list[i].kind == FACT_WAIT)
            fold_wait(&missing, &telling->model->waits[facts->list[i].at]);
        for (size_t k = 0; facts->list[i].kind == FACT_COLLECTIVE && k < found->n; k++) {
            const struct model_rank *rank = &telling->model->ranks[found->participants[k].rank];

            fold_add(&present, rank->id, say_where(rank));
        }
    }
    fold_places(&missing, &facts->whom);
    fold_say(&present, &telling->sentences);
    fold_say(&missing, &telling->sentences);
}

static void tell_activities(struct telling *telling)
{
    const struct rank_set *busy = &telling->facts->whom;

    for (size_t i = 0; i < busy->n && i < MAX_ACTIVITIES; i++) {
        size_t rank = model_find_rank(telling->model, busy->ranks[i]);

        if (rank != SIZE_MAX)
            say_activity(telling->model, &telling->model->ranks[rank], &telling->sentences);
    }
}

/* What ranks test for, or what others wait for. */
static void tell_tests(struct telling *telling, bool polls)
{
    const struct facts *facts = telling->facts;
    struct fold fold = {.part = facts->part};

    for (size_t i = 0; i < facts->n_list; i++) {
        const struct wait *wait = &telling->model->waits[facts->list[i].at];

        if (telling->model->ranks[model_owner(telling->model, wait)].polls == polls)
            fold_wait(&fold, wait);
    }
    fold_say(&fold, &telling->sentences);
}

static void tell_polling(struct telling *telling)
{
    const struct rank_set *polling = telling->ranks;
    size_t n = 0;

    tell_tests(telling, true);
    for (size_t i = 0; i < polling->n && n < MAX_ASIDE; i++) {
        const struct model_rank *rank = rank_of(telling, polling->ranks[i]);

        if (!rank->aside)
            continue;
        say_activity(telling->model, rank, &telling->sentences);
        n++;
    }
    tell_tests(telling, false);
}

static void tell_threads(struct telling *telling)
{
    say_stuck_threads(telling->facts, &telling->sentences);
}

static void tell_callers(struct telling *telling)
{
    say_callers(telling->facts, &telling->sentences);
    if (telling->facts->rank->witness->calls->initialiser == 0 && telling->facts->claim == CLAIM_CALLED_BY_OTHER)
        sentences_add(&telling->sentences,
                      copy_string("Which thread has initialised MPI is not known: the main one mostly does."));
}

/* Who waits for their rank. */
static void tell_waits_for_rank(struct telling *telling)
{
    const struct facts *facts = telling->facts;
    struct fold fold = {.part = facts->part};

    for (size_t i = 0; i < facts->n_list; i++)
        if (facts->list[i].kind == FACT_WAIT)
            fold_wait(&fold, &telling->model->waits[facts->list[i].at]);
    fold_say(&fold, &telling->sentences);
}

/* The details of each claim, one after the other. */
static const struct detail {
    void (*tell)(struct telling *telling);
    enum { NO_RANKS, OF_WHO, OF_WHOM } of; /* which ranks of the facts it is about */
} details[N_CLAIMS][3] = {
    [CLAIM_WAIT_FOR_ENDED ... CLAIM_WAIT_FOR_SEEMINGLY_ENDED] = {{tell_ends, OF_WHOM}, {tell_waits, NO_RANKS}},
    [CLAIM_WAIT_FOR_FINALIZED ... CLAIM_WAIT_FOR_GONE] = {{tell_waits, NO_RANKS}, {tell_finalize, NO_RANKS}},
    [CLAIM_ENDED_EARLY ... CLAIM_SEEMINGLY_ENDED_EARLY] = {{tell_ends, OF_WHO}},
    [CLAIM_WAIT_FOR_STOPPED] = {{tell_stops, OF_WHOM}, {tell_each_wait, NO_RANKS}},
    [CLAIM_STOPPED] = {{tell_stops, OF_WHO}},
    [CLAIM_WAIT_FOR_STUCK] = {{tell_stops, OF_WHOM}, {tell_each_wait, NO_RANKS}},
    [CLAIM_STUCK] = {{tell_stops, OF_WHO}},
    [CLAIM_THREADS_LOCKED ... CLAIM_THREAD_ENDED] = {{tell_threads, NO_RANKS}, {tell_waits_for_rank, NO_RANKS}},
    [CLAIM_CALLED_AT_ONCE ... CLAIM_CALLED_BY_OTHER] = {{tell_callers, NO_RANKS}},
    [CLAIM_UNANSWERED] = {{tell_nearest, NO_RANKS}},
    [CLAIM_TRUNCATED] = {{tell_elements, NO_RANKS}},
    [CLAIM_FLOOD] = {{tell_places_of, OF_WHO}},
    [CLAIM_ORDER] = {{tell_order, NO_RANKS}, {tell_places_of, OF_WHOM}},
    [CLAIM_PARTS_LOCKED] = {{tell_places_of, OF_WHO}, {tell_places_of, OF_WHOM}},
    [CLAIM_PARTS_LOCKED_OR_ENDED] = {{tell_places_of, OF_WHO}, {tell_places_of, OF_WHOM}},
    [CLAIM_INCOMPLETE ... CLAIM_FUNCTIONS_OR_ROOTS_DIFFER] = {{tell_collectives, NO_RANKS}, {tell_places, NO_RANKS}},
    [CLAIM_CIRCLE] = {{tell_each_wait, NO_RANKS}},
    [CLAIM_WAIT_FOR_BUSY] = {{tell_places_of, OF_WHOM}, {tell_activities, NO_RANKS}, {tell_waits, NO_RANKS}},
    [CLAIM_WAIT_FOR_TESTING] = {{tell_polling, OF_WHOM}},
    [CLAIM_WAIT_FOR_POLLING] = {{tell_polling, OF_WHOM}},
    [CLAIM_TESTING] = {{tell_polling, OF_WHO}},
    [CLAIM_POLLING] = {{tell_polling, OF_WHO}},
    [CLAIM_WAIT_FOR_UNKNOWN ... CLAIM_WAIT_FOR_NOT_READ] = {{tell_waits, NO_RANKS}},
};

/* Are threads in MPI not what it is about anyway? */
static bool is_about_ranks(enum claim claim)
{
    return claim != CLAIM_CRASHED && (claim < CLAIM_THREADS_LOCKED || claim > CLAIM_CALLED_BY_OTHER);
}

static struct explained explain(const struct finding *finding, struct told_ranks *told)
{
    enum { N = sizeof *details / sizeof **details };
    struct telling telling = {.finding = finding, .facts = &finding->facts, .model = &finding->facts.part->model};

    if (finding->n_joined > 0) {
        OWNED char *who = ranks_phrase(finding->ranks, finding->n_ranks, "", "");

        return (struct explained){
            .sentence = format_text("The same %s times more, with %s.", NUMBER(finding->n_joined), who)};
    }
    for (size_t i = 0; i < N && details[finding->facts.claim][i].tell != NULL; i++) {
        const struct detail *detail = &details[finding->facts.claim][i];

        telling.ranks = detail->of == OF_WHOM ? &finding->facts.whom : &finding->facts.who;
        detail->tell(&telling);
    }
    if (is_about_ranks(finding->facts.claim))
        say_threads_in_mpi(&finding->facts, told, &telling.sentences);
    return (struct explained){say_claim(&finding->facts), telling.sentences.texts, telling.sentences.n};
}

/* Notes. */

static struct predicate say_not_looked_at(const struct model_rank *rank)
{
    OWNED char *why = host_reason(rank->witness->listing->error, rank->witness->listing->host, false);

    return (struct predicate){VERB_NOT_LOOKED_AT, format_text(", and may wait for anything: %s", why)};
}

/* The ranks at which it has locks of the window; of accesses that are not complete, if `pending`. "": none. */
static char *say_locked(const struct window *window, bool pending)
{
    OWNED long *ranks = allocate_array(window->n_peers + 1, sizeof *ranks);
    size_t n = 0;

    for (size_t i = 0; i < window->n_peers; i++) {
        const struct mqd_window_peer *peer = &window->peers[i];

        if ((peer->role == MQD_ROLE_exclusive || peer->role == MQD_ROLE_shared || peer->role == MQD_ROLE_unchecked) &&
            window->group[peer->rank] >= 0 && (!pending || peer->n_pending > 0))
            ranks[n++] = window->group[peer->rank];
    }
    n = ranks_sort(ranks, n);
    return n > 0 ? ranks_phrase(ranks, n, "", "") : copy_string("");
}

/*
 * The only window of which it has locks, and at which ranks; of accesses that are not complete, if `pending`. NULL: of
 * none, or of several, or that is not known.
 */
static const struct window *find_locked(const struct listing *listing, bool pending, char **locked)
{
    const struct window *found = NULL;
    OWNED char *ranks = NULL;

    for (size_t i = 0; i < listing->n_windows; i++) {
        const struct window *window = &listing->windows[i];
        OWNED char *text = window->error == NULL ? say_locked(window, pending) : copy_string("");

        if (*text == '\0' && window->error == NULL && (pending || window->description.access != MQD_ACCESS_lock_all))
            continue;
        if (*text == '\0' || found != NULL)
            return NULL;
        ranks = TAKEN(text);
        found = window;
    }
    *locked = TAKEN(ranks);
    return found;
}

/*
 * A call that waits for the end of accesses is about ranks of which the caller has a lock: those to which accesses are
 * known not to be complete, or else perhaps all of them. NULL if it is in no such call, or these ranks are not known.
 */
static char *say_accessed(const struct model_rank *rank)
{
    const struct listing *listing = rank->witness->listing;
    const struct window *window = NULL;
    OWNED char *locked = NULL;
    bool pending = true;

    if (!name_begins_with(rank->call->function, "MPI_Win_flush"))
        return NULL;
    window = find_locked(listing, true, &locked);
    if (window == NULL) {
        pending = false;
        window = find_locked(listing, false, &locked);
    }
    return window == NULL ? NULL
                          : format_text("%sfor accesses to %s%s, under a lock of %s%s", pending ? "" : "perhaps ", locked,
                                        pending ? " that are not complete" : "",
                                        window->name[0] != '\0' ? "the window " : "a window", window->name);
}

static struct predicate say_unclear(const struct model_rank *rank)
{
    const char *what = rank->in_hidden                             ? "which waits for what is not listed"
                       : call_awaits_program(rank->call->function) ? "which waits for another program"
                                                                   : "which waits for what is not known";
    const char *unknown = window_unknown(rank->witness->listing, rank->call->function);
    struct predicate where = say_where(rank);
    OWNED char *place = where.rest, *accessed = say_accessed(rank);
    const char *why = unknown != NULL ? unknown : accessed;

    return (struct predicate){where.verb, format_text("%s, %s%s%s", place, what, why != NULL ? ": " : "",
                                                      why != NULL ? why : "")};
}

static struct predicate say_of_note(enum note_kind kind, const struct model_rank *rank)
{
    switch (kind) {
    case NOTE_HELD:
        return say_stop(rank);
    case NOTE_UNCLEAR:
        return say_unclear(rank);
    default:
        return say_not_looked_at(rank);
    }
}

static void note_each(struct explanation *explanation, const struct note *note)
{
    OWNED char **texts = NULL;
    struct sentences sentences = {0};
    struct fold fold = {.part = note->facts.part};

    for (size_t i = 0; i < note->facts.who.n; i++) {
        const struct model_rank *rank =
            &note->facts.part->model.ranks[model_find_rank(&note->facts.part->model, note->facts.who.ranks[i])];

        fold_add(&fold, rank->id, say_of_note(note->kind, rank));
    }
    fold_say(&fold, &sentences);
    texts = sentences.texts;
    for (size_t i = 0; i < sentences.n; i++)
        explanation_add_note(explanation, texts[i]);
}

/* What is not of ranks is said once. */
static void add_note(struct explanation *explanation, const struct note *note)
{
    OWNED char *text = say_note(note);

    if (text == NULL)
        note_each(explanation, note);
    else if (note->facts.who.n > 0 || note->facts.job != NULL ||
             !is_one_of(text, (const char *const *)explanation->notes, explanation->n_notes))
        explanation_add_note(explanation, TAKEN(text));
}

/* The whole. */

void explanation_add_note(struct explanation *explanation, char *text)
{
    APPEND(explanation->notes, explanation->n_notes, explanation->note_room, text);
}

void explanation_conclude(struct explanation *explanation, const struct analysis *analysis)
{
    struct verdict *verdict = &explanation->verdict;
    struct told_ranks told = {0};

    explanation_clear(explanation);
    verdict_conclude(verdict, analysis);
    explanation->findings = allocate_array(verdict->n + 1, sizeof *explanation->findings);
    for (size_t i = 0; i < verdict->n; i++)
        explanation->findings[i] = explain(&verdict->findings[i], &told);
    free(told.ranks);
    for (size_t i = 0; i < verdict->n_notes; i++)
        add_note(explanation, &verdict->notes[i]);
}

void explanation_reach(struct explanation *explanation, const struct witness *witnesses, size_t n)
{
    RELEASED_BY(analysis_clear) struct analysis analysis = {0};

    analysis_make(&analysis, witnesses, n);
    explanation_conclude(explanation, &analysis);
}

void explanation_clear(struct explanation *explanation)
{
    for (size_t i = 0; i < explanation->verdict.n; i++) {
        for (size_t k = 0; k < explanation->findings[i].n_details; k++)
            free(explanation->findings[i].details[k]);
        FREE_ALL(explanation->findings[i].details, explanation->findings[i].sentence);
    }
    for (size_t i = 0; i < explanation->n_notes; i++)
        free(explanation->notes[i]);
    FREE_ALL(explanation->findings, explanation->notes);
    verdict_clear(&explanation->verdict);
    *explanation = (struct explanation){0};
}

/* Titles. */

const char *finding_heading(enum finding_kind kind)
{
    static const char *const headings[N_FINDING_KINDS] = {
#define FINDING(enumerator, heading, name, basis) [FINDING_##enumerator] = heading,
#include "mqd/dump/verdict/findings.def"
#undef FINDING
    };

    return headings[kind];
}

char *finding_title(const struct finding *finding, bool name_job)
{
    bool has_user = name_job && finding->user >= 0;
    const char *job = name_job ? finding->job : "";
    OWNED char *user = say_of_job("", has_user ? finding->user : -1);

    return format_text("%s%s%s%s%s.", finding_heading(finding->kind),
                       *job != '\0' ? ", job " : has_user ? ", job" : "", job, user,
                       finding->certain ? "" : " (possible)");
}
