/*
 * activity_phrase.c - what processes do that do not wait in MPI.
 */
#include "mqd/dump/show/say/activity_phrase.h"

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/collect/target/system_call.h"

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

struct predicate say_stuck(const struct model_rank *rank)
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
    return format_text("%s in %s%s", system_call_kind(activity->call) == CALL_SLEEPS ? "sleeps" : "waits",
                       name != NULL ? name : "the kernel", object);
}

/* "used 98 % of a processor between the looks" */
static char *say_share(const struct activity *activity)
{
    double percent = activity->share * 100;

    return percent < 0.5 ? copy_string("did not use the processor between the looks")
                         : format_text("used %.0f %% of a processor between the looks", percent);
}

static void add_state(const struct model *model, struct sentences *to, const struct model_rank *rank)
{
    const struct activity *activity = rank->witness->activity;
    OWNED char *state = activity != NULL ? say_state(activity) : NULL, *share = NULL, *who = NULL;

    if (state == NULL)
        return;
    who = say_capital(say_rank(model, rank->id));
    share = activity->has_share ? say_share(activity) : NULL;
    sentences_add(to, share != NULL ? format_text("%s %s, and %s.", who, state, share)
                                    : format_text("%s %s.", who, state));
}

/* A wrapper around MPI is named with the place already. */
static void add_library(const struct model *model, struct sentences *to, const struct model_rank *rank)
{
    const struct library_calls *libraries = &rank->witness->calls->libraries;
    const struct call *call = rank->call;
    OWNED char *who = NULL;

    if (call == NULL || call->state != CALL_OUTSIDE || call->wrapper != NULL || !call->is_main ||
        *libraries->library == '\0')
        return;
    who = say_capital(say_rank(model, rank->id));
    sentences_add(to, *libraries->function != '\0'
                          ? format_text("%s is in %s of %s.", who, libraries->function, libraries->library)
                          : format_text("%s is in %s.", who, libraries->library));
}

/* "3 threads of rank 2 wait in an OpenMP barrier (libgomp)." */
static void add_openmp(const struct model *model, struct sentences *to, const struct model_rank *rank,
                       size_t n, const char *what)
{
    const char *library = rank->witness->calls->libraries.openmp;
    OWNED char *who = n > 0 ? say_rank(model, rank->id) : NULL;

    if (n > 0)
        sentences_add(to, format_text("%s thread%s of %s wait%s %s (%s).", NUMBER(n), n == 1 ? "" : "s", who,
                                      n == 1 ? "s" : "", what, library));
}

void say_activity(const struct model *model, const struct model_rank *rank, struct sentences *sentences)
{
    const struct calls *calls = rank->witness->calls;

    if (rank->halted)
        return;
    if (calls != NULL)
        add_library(model, sentences, rank);
    add_state(model, sentences, rank);
    if (calls == NULL)
        return;
    add_openmp(model, sentences, rank, calls->libraries.n_in_barrier, "in an OpenMP barrier");
    add_openmp(model, sentences, rank, calls->libraries.n_at_lock, "for an OpenMP lock");
    add_openmp(model, sentences, rank, calls->libraries.n_in_openmp, "in a barrier or for a lock of OpenMP");
}
