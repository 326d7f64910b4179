/*
 * outside.c - what a rank does that does not wait in MPI, as sentences.
 */
#include "mqd/dump/verdict/outside.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/verdict/say.h"

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

char *say_stuck(const struct model_rank *rank)
{
    const struct activity *activity = rank->witness->activity;
    char buffer[CALL_NAME_SIZE], *object, *text, *thread;
    const char *name;

    if (activity == NULL)
        return copy_string("waits uninterruptibly in the kernel");
    name = activity_call_name(activity, buffer);
    object = say_object(activity);
    thread = activity->thread != rank->witness->listing->pid ? format_text(", in thread %d", (int)activity->thread)
                                                             : copy_string("");
    text = format_text("has been in %s%s%s for at least %.1f s: it waits uninterruptibly, and has not run since",
                       name != NULL ? name : "the kernel", object, thread, activity_stuck_seconds(activity));
    free(object);
    free(thread);
    return text;
}

/* What a rank does that can run: "runs", "sleeps in clock_nanosleep", "waits in read on pipe:[4711]". */
static char *say_state(const struct activity *activity)
{
    char buffer[CALL_NAME_SIZE], *object, *text;
    const char *name = activity_call_name(activity, buffer);

    if (activity->state == 'R')
        return copy_string("runs");
    if (activity->state != 'S' && activity->state != 'D')
        return NULL;
    object = say_object(activity);
    text = format_text("%s in %s%s", system_call_sleeps(activity->call) ? "sleeps" : "waits",
                       name != NULL ? name : "the kernel", object);
    free(object);
    return text;
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
    char *state = activity != NULL ? say_state(activity) : NULL, *share, *who;

    if (state == NULL)
        return;
    who = say_subject(conclusion, rank->id);
    share = activity->has_share ? say_share(activity) : NULL;
    finding_add_detail(finding, share != NULL ? format_text("%s %s, and %s.", who, state, share)
                                              : format_text("%s %s.", who, state));
    free(share);
    free(state);
    free(who);
}

/* A wrapper around MPI is named with the place already. */
static void add_library(const struct conclusion *conclusion, struct finding *finding, const struct model_rank *rank)
{
    const struct library_calls *libraries = &rank->witness->calls->libraries;
    const struct call *call = rank->call;
    char *who;

    if (call == NULL || call->state != CALL_OUTSIDE || call->through != NULL || !call->is_main ||
        *libraries->library == '\0')
        return;
    who = say_subject(conclusion, rank->id);
    finding_add_detail(finding, *libraries->function != '\0'
                                    ? format_text("%s is in %s of %s.", who, libraries->function, libraries->library)
                                    : format_text("%s is in %s.", who, libraries->library));
    free(who);
}

/* "3 threads of rank 2 wait in an OpenMP barrier (libgomp)." */
static void add_openmp(const struct conclusion *conclusion, struct finding *finding, const struct model_rank *rank,
                       size_t n, const char *what)
{
    const char *library = rank->witness->calls->libraries.openmp;
    char *who = n > 0 ? say_rank(conclusion->model, rank->id) : NULL;

    if (n > 0)
        finding_add_detail(finding, format_text("%s thread%s of %s wait%s %s (%s).", NUMBER(n), n == 1 ? "" : "s", who,
                                                n == 1 ? "s" : "", what, library));
    free(who);
}

void finding_add_activity(const struct conclusion *conclusion, struct finding *finding, uint32_t rank)
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
