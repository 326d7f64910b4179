/*
 * inert.c - concludes that others wait for ranks which may be inert: each of these conclusions is about the ranks that
 * die at one level of doubt.
 */
#include "mqd/dump/verdict/inert.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/verdict/conclusion.h"
#include "mqd/dump/verdict/graph.h"
#include "mqd/dump/verdict/near_miss.h"
#include "mqd/dump/verdict/proof.h"
#include "mqd/dump/verdict/say.h"

/* What a rank does that does not wait in MPI, as sentences. */

/*
 * " on /data/out.h5 (wait channel nfs_wait_bit_killable)", as far as it is known. The channel tells more than the call
 * only of those that wait uninterruptibly.
 */
static char *say_object(const struct activity *activity)
{
    const char *channel = activity->state == 'D' ? activity->channel : "";
    const char *file = activity->file[0] != '\0' ? " on " : "";

    return *channel != '\0' ? format_text("%s%s (wait channel %s)", file, activity->file, channel)
                            : format_text("%s%s", file, activity->file);
}

/* "has been in vfork (wait channel ...) for at least 3.1 s: ..." */
static struct predicate say_stuck(const struct model_rank *rank)
{
    const struct activity *activity = rank->witness->activity;
    OWNED char *object = NULL, *thread = NULL;
    char buffer[CALL_NAME_SIZE];
    const char *name;

    if (activity == NULL)
        return (struct predicate){VERB_WAITS, copy_string(" uninterruptibly in the kernel")};
    name = activity_call_name(activity, buffer);
    object = say_object(activity);
    thread = activity->thread != rank->witness->listing->pid ? format_text(", in thread %d", (int)activity->thread)
                                                             : copy_string("");
    return (struct predicate){
        VERB_HAS, format_text(" been in %s%s%s for at least %.1f s: it waits uninterruptibly, and has not run since",
                              name != NULL ? name : "the kernel", object, thread, activity_stuck_seconds(activity))};
}

/* What a rank does that can run: "runs", "sleeps in clock_nanosleep", "waits in read on pipe:[4711]". */
static char *say_state(const struct activity *activity)
{
    char buffer[CALL_NAME_SIZE];
    const char *name = activity_call_name(activity, buffer);
    OWNED char *object = NULL;

    if (activity->state == 'R')
        return copy_string("runs");
    if (activity->state != 'S' && activity->state != 'D')
        return NULL;
    object = say_object(activity);
    return format_text("%s in %s%s", system_call_sleeps(activity->call) ? "sleeps" : "waits",
                       name != NULL ? name : "the kernel", object);
}

/* "used 98 % of a processor between the looks" */
static char *say_share(const struct activity *activity)
{
    double percent = activity->share * 100;

    return percent < 0.5 ? copy_string("did not use the processor between the looks")
                         : format_text("used %.0f %% of a processor between the looks", percent);
}

static void add_state(const struct conclusion *conclusion, struct finding *finding, const struct model_rank *rank)
{
    const struct activity *activity = rank->witness->activity;
    OWNED char *state = activity != NULL ? say_state(activity) : NULL, *share = NULL, *who = NULL;

    if (state == NULL)
        return;
    who = say_subject(conclusion, rank->id);
    share = activity->has_share ? say_share(activity) : NULL;
    finding_add_detail(finding, share != NULL ? format_text("%s %s, and %s.", who, state, share)
                                              : format_text("%s %s.", who, state));
}

/* A wrapper around MPI is named with the place already. */
static void add_library(const struct conclusion *conclusion, struct finding *finding, const struct model_rank *rank)
{
    const struct library_calls *libraries = &rank->witness->calls->libraries;
    const struct call *call = rank->call;
    OWNED char *who = NULL;

    if (call == NULL || call->state != CALL_OUTSIDE || call->wrapper != NULL || !call->is_main ||
        *libraries->library == '\0')
        return;
    who = say_subject(conclusion, rank->id);
    finding_add_detail(finding, *libraries->function != '\0'
                                    ? format_text("%s is in %s of %s.", who, libraries->function, libraries->library)
                                    : format_text("%s is in %s.", who, libraries->library));
}

/* "3 threads of rank 2 wait in an OpenMP barrier (libgomp)." */
static void add_openmp(const struct conclusion *conclusion, struct finding *finding, const struct model_rank *rank,
                       size_t n, const char *what)
{
    const char *library = rank->witness->calls->libraries.openmp;
    OWNED char *who = n > 0 ? say_rank(conclusion->model, rank->id) : NULL;

    if (n > 0)
        finding_add_detail(finding, format_text("%s thread%s of %s wait%s %s (%s).", NUMBER(n), n == 1 ? "" : "s", who,
                                                n == 1 ? "s" : "", what, library));
}

/*
 * Adds to a finding what the kernel and the stacks tell of a rank beyond the place where it is: whether it runs, what it
 * waits for, and how much of a processor it uses.
 */
static void finding_add_activity(const struct conclusion *conclusion, struct finding *finding, uint32_t rank)
{
    const struct model_rank *busy = &conclusion->model->ranks[rank];

    if (busy->witness->stopped)
        return;
    if (busy->witness->calls != NULL)
        add_library(conclusion, finding, busy);
    add_state(conclusion, finding, busy);
    if (busy->witness->calls == NULL)
        return;
    add_openmp(conclusion, finding, busy, busy->witness->calls->libraries.n_in_barrier, "in an OpenMP barrier");
    add_openmp(conclusion, finding, busy, busy->witness->calls->libraries.n_at_lock, "for an OpenMP lock");
    add_openmp(conclusion, finding, busy, busy->witness->calls->libraries.n_in_openmp,
               "in a barrier or for a lock of OpenMP");
}

/*
 * Ranks that are kept from running: by a stop, or by a system call that does not return.
 *
 * Such a rank does nothing, whatever it could do. Who stopped a rank has to let it go on, so what follows for others is
 * certain if they are proved to wait for it. A system call may return by itself, as from a slow file server, so what
 * follows is only possible. A rank that nobody waits for does no harm yet.
 */

/* How many ranks a finding describes, and how many waits for them: the rest is like them. */
enum { MAX_DESCRIBED = 3, MAX_WAITS = 4 };

/* A kind of ranks that do not run. */
struct inert_kind {
    enum finding_kind kind;
    bool (*has)(const struct model_rank *rank);
    struct predicate (*describe)(const struct model_rank *rank); /* "is stopped by a signal" */
    enum doubt doubt;                                  /* the level at which such ranks are presumed inert */
    const char *one, *many;                            /* of ranks that others wait for */
    const char *alone_one, *alone_many;                /* of ranks that nobody waits for */
    bool lasts;                                        /* it does not end by itself */
};

/* The rank that a wait is for, if it is of this kind; else SIZE_MAX. */
static size_t cause_of(const struct model *model, const struct inert_kind *inert, const struct wait *wait)
{
    size_t rank = SIZE_MAX;

    if (wait->target >= 0 && wait->target < (int64_t)model->n_ranks)
        rank = (size_t)wait->target;
    else if (wait->target == NODE_ABSENT && wait->peer >= 0)
        rank = model_find_rank(model, wait->peer);
    return rank != SIZE_MAX && inert->has(&model->ranks[rank]) ? rank : SIZE_MAX;
}

/* Does the node get on only if ranks of the kind do? */
static bool rests_on(const struct conclusion *conclusion, const struct inert_kind *inert, uint32_t node)
{
    return conclusion->dies_at[node] == inert->doubt;
}

/* The ranks that get on only if those of the kind do. Returns whether it is proved that they wait. */
static bool find_ranks(const struct conclusion *conclusion, const struct inert_kind *inert, struct rank_set *ranks)
{
    const struct model *model = conclusion->model;
    bool proved = true;

    for (uint32_t i = 0; i < model->n_ranks; i++) {
        const struct model_rank *rank = &model->ranks[i];

        if (rank->phase != PHASE_BLOCKED || !rests_on(conclusion, inert, i))
            continue;
        rank_set_add(ranks, rank->id);
        proved &= rank->proved_idle && !rank->guessed;
    }
    for (size_t i = 0; i < model->n_waits && proved; i++)
        proved = !rests_on(conclusion, inert, model_owner(model, &model->waits[i])) ||
                 wait_is_known(model, &model->waits[i]);
    return proved;
}

static void find_causes(const struct conclusion *conclusion, const struct inert_kind *inert, struct finding *finding,
                        struct rank_set *causes)
{
    const struct model *model = conclusion->model;
    size_t n_waits = 0;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);
        size_t cause = cause_of(model, inert, wait);

        if (cause == SIZE_MAX || !rests_on(conclusion, inert, owner))
            continue;
        rank_set_add(causes, model->ranks[cause].id);
        if (owner < model->n_ranks && n_waits++ < MAX_WAITS)
            finding_add_wait(conclusion, finding, wait);
    }
}

static void describe_ranks(const struct conclusion *conclusion, const struct inert_kind *inert, struct finding *finding,
                           const long *ids, size_t n)
{
    n = n < MAX_DESCRIBED ? n : MAX_DESCRIBED;
    while (n-- > 0) {
        const struct model_rank *rank = &conclusion->model->ranks[model_find_rank(conclusion->model, ids[n])];
        OWNED char *who = say_subject(conclusion, rank->id);
        OWNED char *text = say_predicate(who, inert->describe(rank));

        finding_put_first(finding, format_text("%s.", text));
    }
}

/* Others wait for such ranks. Returns false if nobody does. */
static bool conclude_waited_for(struct conclusion *conclusion, const struct inert_kind *inert)
{
    struct rank_set ranks = {0}, causes = {0};
    bool proved = find_ranks(conclusion, inert, &ranks);
    struct finding *finding;
    OWNED char *who = NULL, *whom = NULL;

    if (ranks.n == 0)
        return false;
    finding = finding_add(conclusion, inert->kind, proved && inert->lasts);
    find_causes(conclusion, inert, finding, &causes);
    finding_set_ranks(finding, ranks);
    finding_set_causes(finding, causes);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");
    finding->sentence = format_text("%s for %s, %s.", who, whom, finding->n_causes == 1 ? inert->one : inert->many);
    describe_ranks(conclusion, inert, finding, finding->causes, finding->n_causes);
    return true;
}

static void conclude_alone(struct conclusion *conclusion, const struct inert_kind *inert)
{
    const struct model *model = conclusion->model;
    struct rank_set ranks = {0};
    struct finding *finding;
    OWNED char *who = NULL;

    for (size_t i = 0; i < model->n_ranks; i++)
        if (inert->has(&model->ranks[i]))
            rank_set_add(&ranks, model->ranks[i].id);
    if (ranks.n == 0)
        return;
    finding = finding_add(conclusion, inert->kind, false);
    finding_set_ranks(finding, ranks);
    who = say_ranks(conclusion, finding->ranks, finding->n_ranks, inert->alone_one, inert->alone_many);
    finding->sentence = format_text("%s; nobody is known to wait for %s.", who, finding->n_ranks == 1 ? "it" : "them");
    describe_ranks(conclusion, inert, finding, finding->ranks, finding->n_ranks);
}

static void conclude_inert(struct conclusion *conclusion, const struct inert_kind *inert)
{
    if (!conclude_waited_for(conclusion, inert))
        conclude_alone(conclusion, inert);
}

void conclude_stopped(struct conclusion *conclusion)
{
    conclude_inert(conclusion, &(struct inert_kind){.kind = FINDING_STOPPED, .has = rank_is_stopped, .describe = say_stop,
                                             .doubt = DOUBT_STOPPED,
                                             .one = "which is stopped", .many = "which are stopped",
                                             .alone_one = "is stopped", .alone_many = "are stopped", .lasts = true});
}

void conclude_stuck(struct conclusion *conclusion)
{
    conclude_inert(conclusion,
                  &(struct inert_kind){.kind = FINDING_STUCK, .has = rank_is_stuck, .describe = say_stuck,
                                 .doubt = DOUBT_STUCK,
                                 .one = "which does not come back from a system call",
                                 .many = "which do not come back from system calls",
                                 .alone_one = "does not come back from a system call",
                                 .alone_many = "do not come back from system calls"});
}

/* Concludes that ranks wait for busy ranks, or for ranks of which nothing is known. */

/* Of so many busy ranks it is told what they do. */
enum { MAX_ACTIVITIES = 3 };

/* The ranks that wait, and the ranks that they wait for (causes). */
struct dependants {
    struct rank_set ranks, causes;
};

/* Finds the ranks that can go on as long as the causes do, and only then. The causes are absent ranks, or busy ones. */
static struct dependants find_dependants(const struct conclusion *conclusion, bool absent, struct finding *finding,
                                         struct fold *waits)
{
    const struct model *model = conclusion->model;
    enum doubt doubt = absent ? DOUBT_ABSENT : DOUBT_BUSY;
    struct dependants found = {.ranks = {0}};

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_BLOCKED && conclusion->dies_at[i] == doubt && !conclusion->explained[i])
            rank_set_add(&found.ranks, model->ranks[i].id);
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);
        bool is_cause = absent ? wait->target == NODE_ABSENT
                               : wait->target >= 0 && wait->target < (int64_t)model->n_ranks &&
                                     model->ranks[wait->target].phase == PHASE_BUSY;

        if (!is_cause || conclusion->dies_at[owner] != doubt || (owner < model->n_ranks && conclusion->explained[owner]))
            continue;
        if (wait->peer >= 0)
            rank_set_add(&found.causes, wait->peer);
        if (owner >= model->n_ranks)
            continue;
        if (wait->operation != UINT32_MAX)
            finding_add_evidence(conclusion, finding, wait->operation);
        fold_wait(waits, conclusion, wait);
    }
    return found;
}

static void drop_finding(struct conclusion *conclusion, struct finding *finding, struct dependants *found,
                         struct fold *waits)
{
    fold_say(waits, conclusion, finding);
    finding_free(finding);
    FREE_ALL(found->ranks.ranks, found->causes.ranks);
    conclusion->verdict->n--;
}

/* Says where the busy ranks are, and what they do. */
static void say_places(const struct conclusion *conclusion, struct finding *finding)
{
    struct fold places = {0};

    for (size_t i = 0; i < finding->n_causes; i++) {
        size_t rank = model_find_rank(conclusion->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            fold_add(&places, finding->causes[i], say_where(&conclusion->model->ranks[rank]));
    }
    fold_say(&places, conclusion, finding);
    for (size_t i = 0; i < finding->n_causes && i < MAX_ACTIVITIES; i++) {
        size_t rank = model_find_rank(conclusion->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            finding_add_activity(conclusion, finding, (uint32_t)rank);
    }
}

/* Is it a machine's problem that these ranks were not looked at? */
static bool are_on_hosts(const struct model *model, const struct finding *finding)
{
    for (size_t i = 0; i < finding->n_causes; i++) {
        size_t rank = model_find_rank(model, finding->causes[i]);

        if (rank == SIZE_MAX || model->ranks[rank].witness->listing->host == NULL ||
            model->ranks[rank].witness->listing->error == NULL)
            return false;
    }
    return true;
}

static char *say_dependants(const struct conclusion *conclusion, const struct finding *finding, bool absent)
{
    OWNED char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    OWNED char *whom = say_rank_set(conclusion->model, finding->causes, finding->n_causes, "", "");

    if (absent && finding->n_causes == 0)
        return format_text("%s for processes that are not known, as those of jobs that were not given.", who);
    if (absent && are_on_hosts(conclusion->model, finding))
        return format_text("%s for %s, which %s not been looked at: whether %s can get on is not known.", who, whom,
                           finding->n_causes == 1 ? "has" : "have", finding->n_ranks == 1 ? "it" : "they");
    if (absent)
        return format_text("%s for %s, of which nothing is known.", who, whom);
    return format_text("%s for %s, which may be stuck or just take %s time.", who, whom,
                       finding->n_causes == 1 ? "its" : "their");
}

/* Adds a finding about ranks that wait for busy or absent ranks, if there are some. */
static void conclude_dependants(struct conclusion *conclusion, bool absent)
{
    struct finding *finding = finding_add(conclusion, absent ? FINDING_NOT_READ : FINDING_BUSY, false);
    struct fold waits = {0};
    struct dependants found = find_dependants(conclusion, absent, finding, &waits);

    if (found.ranks.n == 0 || (found.causes.n == 0 && !absent)) {
        drop_finding(conclusion, finding, &found, &waits);
        return;
    }
    finding_set_ranks(finding, found.ranks);
    finding_set_causes(finding, found.causes);
    finding->sentence = say_dependants(conclusion, finding, absent);
    if (!absent)
        say_places(conclusion, finding);
    fold_say(&waits, conclusion, finding);
}

void conclude_busy(struct conclusion *conclusion)
{
    conclude_dependants(conclusion, false);
}

void conclude_not_read(struct conclusion *conclusion)
{
    conclude_dependants(conclusion, true);
}

/*
 * Concludes that ranks which only test for messages test for what does not come.
 *
 * A rank that is outside of MPI may be between two tests, or compute before it tests. So nothing is said of such ranks
 * unless others wait for them, or all that could complete their requests have left MPI.
 */

/* Of how many ranks it is said what they do. */
enum { MAX_ASIDE = 2 };

/* Would the rank get on if a test were followed by anything, and only then? */
static bool rests_on_tests(const struct conclusion *conclusion, size_t rank)
{
    return conclusion->dies_at[rank] == DOUBT_POLLING;
}

/* The same, and no other finding is about the rank. */
static bool is_stuck(const struct conclusion *conclusion, size_t rank)
{
    return rests_on_tests(conclusion, rank) && !conclusion->explained[rank];
}

/* The ranks that are stuck then and test, or wait. */
static struct rank_set find_stuck(const struct conclusion *conclusion, bool polls)
{
    struct rank_set found = {0};

    for (size_t i = 0; i < conclusion->model->n_ranks; i++)
        if (is_stuck(conclusion, i) && conclusion->model->ranks[i].polls == polls)
            rank_set_add(&found, conclusion->model->ranks[i].id);
    found.n = ranks_sort(found.ranks, found.n);
    return found;
}

/* The ranks for which the ranks that test wait, if all of these have ended or left MPI; else none. */
static struct rank_set find_gone(const struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    struct rank_set gone = {0};

    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (owner >= model->n_ranks || !model->ranks[owner].polls || !is_stuck(conclusion, owner))
            continue;
        if (model->waits[i].target != NODE_NEVER) {
            gone.n = 0;
            return gone;
        }
        rank_set_add(&gone, model->waits[i].peer);
    }
    gone.n = ranks_sort(gone.ranks, gone.n);
    return gone;
}

/* How many of the ranks are outside of MPI? */
static size_t count_aside(const struct conclusion *conclusion, const struct rank_set *polling)
{
    size_t n = 0;

    for (size_t i = 0; i < polling->n; i++)
        n += conclusion->model->ranks[model_find_rank(conclusion->model, polling->ranks[i])].aside;
    return n;
}

static const char *say_what_polling_does(const struct conclusion *conclusion, const struct rank_set *polling)
{
    if (count_aside(conclusion, polling) > 0)
        return polling->n == 1 ? "may be stuck or just take its time" : "may be stuck or just take their time";
    return polling->n == 1 ? "tests again and again for what does not come"
                           : "test again and again for what does not come";
}

/* Have all of them left MPI in order? */
static bool have_finalized(const struct model *model, const struct rank_set *gone)
{
    for (size_t i = 0; i < gone->n; i++)
        if (model->ranks[model_find_rank(model, gone->ranks[i])].phase != PHASE_FINALIZED)
            return false;
    return true;
}

/* ": only rank 1 could complete its requests, which is in MPI_Finalize or past it"; "" if nobody is gone. */
static char *say_gone(const struct conclusion *conclusion, const struct rank_set *polling, const struct rank_set *gone)
{
    bool finalized = have_finalized(conclusion->model, gone);
    OWNED char *whom = NULL;

    if (gone->n == 0)
        return copy_string("");
    whom = say_rank_set(conclusion->model, gone->ranks, gone->n, "", "");
    return format_text(": only %s could complete %s requests, which %s %s", whom, polling->n == 1 ? "its" : "their",
                       finalized ? (gone->n == 1 ? "is" : "are") : gone->n == 1 ? "has" : "have",
                       finalized ? "in MPI_Finalize or past it" : "ended or left MPI");
}

static char *say_polling(const struct conclusion *conclusion, const struct rank_set *waiting,
                         const struct rank_set *polling, const struct rank_set *gone)
{
    OWNED char *who = NULL, *whom = NULL;

    if (waiting->n == 0) {
        who = say_ranks(conclusion, polling->ranks, polling->n, "", "");
        whom = say_gone(conclusion, polling, gone);
        return format_text("%s %s%s.", who, say_what_polling_does(conclusion, polling), whom);
    }
    who = say_ranks(conclusion, waiting->ranks, waiting->n, "waits", "wait");
    whom = say_rank_set(conclusion->model, polling->ranks, polling->n, "", "");
    return format_text("%s for %s, which %s.", who, whom, say_what_polling_does(conclusion, polling));
}

/* First what is tested for, then what is waited for. */
static void say_waits(const struct conclusion *conclusion, struct finding *finding, bool polls)
{
    const struct model *model = conclusion->model;
    struct fold fold = {0};

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (owner >= model->n_ranks || !is_stuck(conclusion, owner) || model->ranks[owner].polls != polls)
            continue;
        if (wait->operation != UINT32_MAX)
            finding_add_evidence(conclusion, finding, wait->operation);
        fold_wait(&fold, conclusion, wait);
    }
    fold_say(&fold, conclusion, finding);
}

/* What the ranks do that are outside of MPI. */
static void say_activities(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *polling)
{
    size_t n = 0;

    for (size_t i = 0; i < polling->n && n < MAX_ASIDE; i++) {
        size_t rank = model_find_rank(conclusion->model, polling->ranks[i]);

        if (!conclusion->model->ranks[rank].aside)
            continue;
        finding_add_activity(conclusion, finding, (uint32_t)rank);
        n++;
    }
}

/* Of all ranks that are stuck, or only of those that another finding is about. */
static void find_near_misses(struct conclusion *conclusion, bool of_all)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model_owner(model, wait);

        if (owner < model->n_ranks && rests_on_tests(conclusion, owner) &&
            (of_all || conclusion->explained[owner]) && wait->operation != UINT32_MAX &&
            !model->operations[wait->operation].internal)
            near_misses_find(conclusion, wait, false, false);
    }
}

void conclude_polling(struct conclusion *conclusion)
{
    struct rank_set polling = find_stuck(conclusion, true), waiting = find_stuck(conclusion, false);
    struct rank_set gone = waiting.n == 0 ? find_gone(conclusion) : (struct rank_set){0};
    bool any = polling.n > 0 && (waiting.n > 0 || gone.n > 0 || count_aside(conclusion, &polling) == 0);
    struct finding *finding;

    find_near_misses(conclusion, any);
    if (!any) {
        FREE_ALL(polling.ranks, waiting.ranks, gone.ranks);
        return;
    }
    finding = finding_add(conclusion, FINDING_BUSY, false);
    finding->sentence = say_polling(conclusion, &waiting, &polling, &gone);
    say_waits(conclusion, finding, true);
    say_activities(conclusion, finding, &polling);
    say_waits(conclusion, finding, false);
    finding_set_ranks(finding, waiting.n > 0 ? waiting : polling);
    finding_set_causes(finding, waiting.n > 0 ? polling : gone);
    free(waiting.n > 0 ? gone.ranks : waiting.ranks);
}
