/*
 * where.c - where processes are, and what those do that do not wait in MPI.
 */
#include "mqd/dump/show/say/where.h"

#include <stdlib.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/collect/target/system_call.h"

/* Where they are. */

/* "MPI_File_write_at_all, from H5Dwrite in libhdf5_openmpi, from save_state main.c:214". */
static char *say_chain(const struct call *call)
{
    char *text = call_phrase(call);

    for (size_t i = 0; i < call->n_chain; i++)
        append_text(&text, ", from %s", call->chain[i]);
    return text;
}

static char *say_mpi(const struct call *call, const char *place)
{
    OWNED char *phrase = call_phrase(call);

    if (call->n_chain > 0)
        return say_chain(call);
    return format_text(call->has_source ? "%s from %s" : "%s called from %s", phrase, place);
}

/* Ranks that compute are rarely at the same instruction, but often in the same function: only the function is named. */
static char *say_call(const struct call *call)
{
    const char *place = call->place != NULL ? call->place : "unknown";

    switch (call->state) {
    case CALL_MPI:
        return say_mpi(call, place);
    case CALL_OUTSIDE:
        if (call->wrapper != NULL)
            return format_text("in %s, in its %s", call->wrapper, call->function);
        return format_text("outside of MPI, in %s", call->function != NULL ? call->function : place);
    case CALL_UNKNOWN:
        break;
    }
    return copy_string("unknown: its stack cannot be told");
}

/* "; another thread: MPI_Recv from main.c:3; 3 threads: ..." */
static char *say_others(struct text_groups *others)
{
    char *all = copy_string("");

    text_groups_sort_by_text(others);
    for (size_t i = 0; i < others->n; i++) {
        const struct text_group *same = &others->groups[i];

        if (same->n == 1)
            append_text(&all, "; another thread: %s", same->text);
        else
            append_text(&all, "; %s threads: %s", NUMBER(same->n), same->text);
    }
    return all;
}

/* What is wrong with many machines is said once. */
static char *say_unknown(const struct listing *listing)
{
    if (listing->error == NULL)
        return copy_string("unknown: its stack cannot be told");
    return listing->host != NULL ? host_reason(listing->error, listing->host, false) : copy_string(listing->error);
}

char *say_calls(const struct listing *listing)
{
    const struct calls *calls = listing->calls;
    RELEASED_BY(text_groups_clear) struct text_groups others = {0};
    OWNED char *main_thread = NULL, *rest = NULL;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        if (calls->calls[i].is_main && main_thread == NULL)
            main_thread = say_call(&calls->calls[i]);
        else
            text_groups_add(&others, say_call(&calls->calls[i]), i);
    }
    if (main_thread == NULL)
        main_thread = say_unknown(listing);
    rest = say_others(&others);
    return format_text("%s%s", main_thread, rest);
}

/* What they do. */

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
