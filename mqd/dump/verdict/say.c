/*
 * say.c - findings as sentences.
 */
#include "mqd/dump/verdict/say.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"

char *say_job(const struct model_job *job)
{
    const char *before = *job->name != '\0' ? "job " : "a job without a name";

    return job->user >= 0 ? format_text("%s%s of user %ld", before, job->name, job->user)
                          : format_text("%s%s", before, job->name);
}

/* " on n[01-16]"; "" in a report about one machine, and for ranks of which one's is not known. */
static char *say_hosts(const struct model *model, const long *ids, size_t n)
{
    OWNED const char **hosts = NULL;

    if (!model->has_hosts)
        return copy_string("");
    hosts = allocate_array(n, sizeof *hosts);
    for (size_t i = 0; i < n; i++) {
        size_t rank = model_find_rank(model, ids[i]);

        hosts[i] = rank != SIZE_MAX ? model->ranks[rank].witness->listing->host : NULL;
    }
    return host_phrase(hosts, n);
}

char *say_rank(const struct model *model, long id)
{
    const struct model_job *job = model_job_of(model, id);
    OWNED char *host = say_hosts(model, &id, 1), *name = NULL;

    if (model->n_jobs == 1)
        return format_text("rank %ld%s", id, host);
    name = say_job(job);
    return format_text("rank %ld of %s%s", id - job->base, name, host);
}

/* Returns how many ranks of the sorted set are of the same job as the first, and puts a phrase for them into *text. */
static size_t say_share(const struct model *model, const long *ids, size_t n, char **phrase)
{
    const struct model_job *job = model_job_of(model, ids[0]);
    OWNED long *ranks = allocate_array(n, sizeof *ranks);
    size_t n_ranks = 0;
    OWNED char *text = NULL, *name = NULL, *hosts = NULL;

    while (n_ranks < n && model_job_of(model, ids[n_ranks]) == job) {
        ranks[n_ranks] = ids[n_ranks] - job->base;
        n_ranks++;
    }
    text = ranks_phrase(ranks, n_ranks, "", "");
    name = say_job(job);
    hosts = say_hosts(model, ids, n_ranks);
    *phrase = format_text("%s of %s%s", text, name, hosts);
    return n_ranks;
}

/* The ranks of one job, which has no name. */
static char *say_ranks_of_one(const struct model *model, const long *ids, size_t n)
{
    OWNED char *ranks = ranks_phrase(ids, n, "", ""), *hosts = say_hosts(model, ids, n);

    return format_text("%s%s", ranks, hosts);
}

char *say_rank_set(const struct model *model, const long *ids, size_t n, const char *one, const char *many)
{
    bool is_one_job = model->n_jobs == 1 || n == 0;
    const char *verb = n == 1 ? one : many;
    char *all = is_one_job ? say_ranks_of_one(model, ids, n) : copy_string("");

    for (size_t done = 0, taken; done < n && !is_one_job; done += taken) {
        OWNED char *share = NULL;

        taken = say_share(model, ids + done, n - done, &share);
        append_text(&all, "%s%s", done == 0 ? "" : done + taken < n ? ", " : " and ", share);
    }
    if (*verb != '\0')
        append_text(&all, " %s", verb);
    return all;
}

char *say_capital(char *text)
{
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    return text;
}

/* The program does not know the communicator of a window or a file, but the window and the file. */
static char *say_object(const char *what, const char *name)
{
    return *name != '\0' ? format_text("%s %s", what, name) : format_text("a %s without a name", what);
}

char *say_communicator(const struct communicator *communicator)
{
    if (communicator->use.owner == MQD_OWNER_window)
        return say_object("window", communicator->use.name);
    if (communicator->use.owner == MQD_OWNER_file)
        return say_object("file", communicator->use.name);
    if (communicator->name[0] != '\0')
        return copy_string(communicator->name);
    return format_text("a communicator without a name (id %lu)", communicator->unique_id);
}

static char *say_place(const struct call *call)
{
    bool is_caller = call->state == CALL_MPI || call->wrapper != NULL;

    if (call->place == NULL)
        return copy_string("");
    return format_text(is_caller && !call->has_source ? " (called from %s)" : " (%s)", call->place);
}

char *say_fault(const struct call *call)
{
    const char *fault = call != NULL ? call->fault : NULL;
    OWNED char *place = NULL;

    if (call == NULL || (fault == NULL && call->function == NULL))
        return copy_string("");
    place = say_place(call);
    if (fault == NULL || call->function == NULL || strcmp(fault, call->function) == 0)
        return format_text(" in %s%s", fault != NULL ? fault : call_shown(call), place);
    return format_text(" in %s, called from %s%s", fault, call_shown(call), place);
}

const char *verb_form(enum verb verb, size_t n)
{
    static const char *const forms[][2] = {[VERB_IS] = {"is", "are"},
                                           [VERB_HAS] = {"has", "have"},
                                           [VERB_WAITS] = {"waits", "wait"},
                                           [VERB_TESTS] = {"tests", "test"},
                                           [VERB_NOT_LOOKED_AT] = {"has not been looked at", "have not been looked at"}};

    return forms[verb][n != 1];
}

char *say_predicate(const char *who, struct predicate predicate)
{
    OWNED char *rest = predicate.rest;

    return format_text("%s %s%s", who, verb_form(predicate.verb, 1), rest);
}

/*
 * What has happened to a rank that has ended or left MPI: "has ended: killed by signal 9 (Killed)". A fate is a phrase of
 * the record, which begins with its verb.
 */
static struct predicate say_end(const struct model_rank *rank)
{
    const char *fate = rank->witness->missing != NULL ? rank->witness->missing->fate : "has ended";

    if (name_begins_with(fate, "is "))
        return (struct predicate){VERB_IS, copy_string(without_beginning(fate, "is"))};
    if (name_begins_with(fate, "has "))
        return (struct predicate){VERB_HAS, copy_string(without_beginning(fate, "has"))};
    return (struct predicate){VERB_HAS, format_text(" ended: %s", fate)};
}

static char *say_call(const struct call *call)
{
    OWNED char *place = say_place(call), *phrase = call->state == CALL_MPI ? call_phrase(call) : NULL;

    if (call->state == CALL_MPI)
        return format_text(" in %s%s", phrase, place);
    if (call->wrapper != NULL)
        return format_text(" in %s, in its %s%s", call->wrapper, call->function, place);
    if (call->has_source && call->function != NULL)
        return format_text(" outside of MPI, in %s%s", call->function, place);
    return format_text(" outside of MPI%s", place);
}

struct predicate say_stop(const struct model_rank *rank)
{
    const struct activity *activity = rank->witness->activity;

    return (struct predicate){
        VERB_IS, activity != NULL && activity->state == 't'
                     ? format_text(" held by process %d (%s), which traces it", (int)activity->tracer,
                                   activity->tracer_name)
                     : copy_string(" stopped by a signal, and goes on with SIGCONT")};
}

struct predicate say_where(const struct model_rank *rank)
{
    if (rank->phase == PHASE_ENDED)
        return say_end(rank);
    if (rank->past_finalize)
        return (struct predicate){VERB_HAS, copy_string(" left MPI (MPI_Finalize)")};
    if (rank->witness->stopped)
        return say_stop(rank);
    if (rank->call == NULL || rank->call->state == CALL_UNKNOWN)
        return (struct predicate){VERB_IS, copy_string(" at a place that cannot be told")};
    return (struct predicate){VERB_IS, say_call(rank->call)};
}

/* A rank in MPI_COMM_WORLD, and the rank in the communicator if it differs. */
static char *say_peer(const struct model *model, const struct operation *operation)
{
    const struct queued *said = operation->said;
    bool arrived = operation->class == mqs_pending_receives && said->status != mqs_st_pending;
    mqs_tword_t local = arrived ? said->actual_local_rank : said->desired_local_rank;
    OWNED char *name = NULL, *peer = NULL;

    if (operation->peer == PEER_ANY)
        return copy_string("any rank");
    if (operation->peer == PEER_UNKNOWN && local < 0)
        return copy_string("a rank that is not known");
    if (operation->peer == PEER_UNKNOWN)
        return format_text("rank %ld of another job", local);
    peer = say_rank(model, operation->peer);
    if (local == model_world_rank(model, operation->peer))
        return TAKEN(peer);
    name = say_communicator(operation->communicator);
    return format_text("%s (%ld in %s)", peer, local, name);
}

/* "1,000 bytes". */
static char *say_bytes(const struct operation *operation)
{
    long bytes = operation->said->desired_length;

    return format_text("%s byte%s", NUMBER(bytes), bytes == 1 ? "" : "s");
}

/* The tags of internal operations are not shown: the library chooses them. */
static char *say_tag(const struct operation *operation)
{
    if (operation->internal || operation->said->unknown.tag)
        return copy_string("");
    return operation->tag == TAG_ANY ? copy_string(" with any tag")
                                     : format_text(" with tag %s", NUMBER(operation->tag));
}

static char *say_room(const struct operation *operation)
{
    OWNED char *bytes = say_bytes(operation);

    return operation->said->unknown.length ? copy_string("") : format_text(" (room for %s)", bytes);
}

char *say_operation(const struct model *model, const struct operation *operation)
{
    OWNED char *peer = say_peer(model, operation), *tag = say_tag(operation);
    OWNED char *name = say_communicator(operation->communicator);
    OWNED char *room = say_room(operation), *bytes = say_bytes(operation);
    const char *whose = operation->collective ? "the part of " : "";

    if (operation->collective)
        return format_text("%s%s in a collective operation on %s", whose, peer, name);
    if (operation->class == mqs_pending_sends)
        return operation->said->unknown.length
                   ? format_text("its message to %s%s on %s", peer, tag, name)
                   : format_text("its message of %s to %s%s on %s", bytes, peer, tag, name);
    if (operation->class == mqs_pending_receives)
        return format_text("a message from %s%s on %s%s", peer, tag, name, room);
    return format_text("a message of %s from %s%s on %s", bytes, peer, tag, name);
}

/* The ranks that MPI_Win_post has named, all of which are known. */
static char *say_posted(const struct model *model, uint32_t rank, const struct window *window)
{
    OWNED long *ids = allocate_array(window->n_peers + 1, sizeof *ids);
    size_t n = 0;

    for (size_t i = 0; i < window->n_peers; i++)
        if (window->peers[i].role == MQD_ROLE_posted)
            ids[n++] = model->jobs[model->ranks[rank].job].base + window->group[window->peers[i].rank];
    return say_rank_set(model, ids, ranks_sort(ids, n), "", "");
}

/* What a rank waits for in a call on a window. */
static char *say_in_window(const struct model *model, uint32_t rank, const struct window_wait *wait)
{
    static const char *const locks[] = {"a shared", "an exclusive"};
    const char *theirs = locks[wait->peer_is_exclusive];
    bool is_named = wait->window->name[0] != '\0', is_lock = wait->need != NEEDS_CALL && wait->need != NEEDS_ONE_CALL &&
                                                            wait->need != NEEDS_PRESENCE;
    OWNED char *name = is_named ? format_text("the window %s", wait->window->name) : copy_string("a window");
    OWNED char *who = wait->need == NEEDS_ONE_CALL ? say_posted(model, rank, wait->window) : say_rank(model, wait->peer);
    OWNED char *where = is_lock ? say_rank(model, wait->owner) : NULL;

    switch (wait->need) {
    case NEEDS_CALL:
        return format_text("%s to call %s on %s", who, wait->function, name);
    case NEEDS_ONE_CALL:
        return format_text("one of %s to call MPI_Win_complete on %s", who, name);
    case NEEDS_LOCK:
        return format_text("%s lock of %s at %s, where %s has %s one", locks[wait->exclusive], name, where, who, theirs);
    case NEEDS_SOME_LOCK:
        return format_text("a lock of %s; %s has %s one at %s", name, who, theirs, where);
    case NEEDS_ASKED_LOCK:
        return format_text("a lock of %s at %s, which %s has asked for too", name, where, who);
    case NEEDS_PRESENCE:
        break;
    }
    return format_text("%s to be in MPI, which calls on %s may need", who, name);
}

static char *say_what(const struct model *model, const struct wait *wait, const struct operation *operation)
{
    if (wait->in_window != NULL)
        return say_in_window(model, model_owner(model, wait), wait->in_window);
    return operation != NULL ? say_operation(model, operation) : copy_string("a message");
}

/* Where a rank waits or tests, and if it is outside of MPI that it has asked or goes on testing. */
static struct predicate say_waiting(const struct model *model, const struct wait *wait)
{
    const struct call *call = model->conditions[wait->condition].call;
    OWNED char *place = NULL, *phrase = NULL;

    if (call->state == CALL_OUTSIDE) {
        struct predicate where = say_where(&model->ranks[model_owner(model, wait)]);

        place = where.rest;
        return (struct predicate){where.verb, format_text("%s, %s", place, wait->operation != UINT32_MAX
                                                                               ? "with a request"
                                                                               : "and tests now and then")};
    }
    place = say_place(call);
    phrase = call_phrase(call);
    return (struct predicate){call_polls(call->function) ? VERB_TESTS : VERB_WAITS,
                              format_text(" in %s%s", phrase, place)};
}

struct predicate say_wait(const struct model *model, const struct wait *wait)
{
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
    bool is_send = operation != NULL && operation->class == mqs_pending_sends && !operation->collective;
    struct predicate waiting = say_waiting(model, wait);
    OWNED char *how = waiting.rest, *what = say_what(model, wait, operation);

    return (struct predicate){waiting.verb,
                              format_text("%s for %s%s", how, is_send ? "somebody to receive " : "", what)};
}

struct predicate say_started(const struct communicator *communicator, unsigned long n)
{
    OWNED char *name = say_communicator(communicator);

    return (struct predicate){VERB_HAS, format_text(" started %s nonblocking operation%s on %s", NUMBER(n),
                                                    n == 1 ? "" : "s", name)};
}
