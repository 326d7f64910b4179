/*
 * phrase.c - ranks, where they are, and what they wait for, as parts of sentences.
 */
#include "mqd/dump/show/say/phrase.h"

#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/record/names.h"
#include "mqd/dump/verdict/call.h"

char *say_name(const char *name)
{
    char *text = copy_string(name);

    for (char *at = text; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    return text;
}

char *say_job(const struct model_job *job)
{
    const char *before = *job->name != '\0' ? "job " : "a job without a name";

    return job->user >= 0 ? format_text("%s%s of user %ld", before, job->name, job->user)
                          : format_text("%s%s", before, job->name);
}

char *say_of_job(const char *job, long user)
{
    bool has_job = job != NULL && *job != '\0';
    OWNED char *of_user = user >= 0 ? format_text(" of user %ld", user) : copy_string("");

    return format_text("%s%s%s", has_job ? " of job " : "", has_job ? job : "", of_user);
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

char *say_rank_set(const struct model *model, const struct rank_set *ids, const char *one, const char *many)
{
    size_t n = ids->n;
    bool is_one_job = model->n_jobs == 1 || n == 0;
    const char *verb = n == 1 ? one : many;
    char *all = is_one_job ? say_ranks_of_one(model, ids->ranks, n) : copy_string("");

    for (size_t done = 0, taken; done < n && !is_one_job; done += taken) {
        OWNED char *share = NULL;

        taken = say_share(model, ids->ranks + done, n - done, &share);
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

char *say_place(const struct call *call)
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
                     ? format_text(" held by %s (process %d)", activity->tracer_name, (int)activity->tracer)
                     : copy_string(" stopped by a signal, and goes on with SIGCONT")};
}

struct predicate say_where(const struct model_rank *rank)
{
    if (rank->phase == PHASE_ENDED)
        return say_end(rank);
    if (rank->past_finalize)
        return (struct predicate){VERB_HAS, copy_string(" left MPI (MPI_Finalize)")};
    if (rank->halted)
        return say_stop(rank);
    if (rank->call == NULL || rank->call->state == CALL_UNKNOWN)
        return (struct predicate){VERB_IS, copy_string(" at a place that cannot be told")};
    return (struct predicate){VERB_IS, say_call(rank->call)};
}

/* The rank in the communicator that an operation is about; -1 if it is any, or not known. */
static mqs_tword_t local_peer(const struct operation *operation)
{
    const struct queued *said = operation->said;
    bool arrived = operation->class == mqs_pending_receives && said->status != mqs_st_pending;

    return arrived ? said->actual_local_rank : said->desired_local_rank;
}

/* Cartesian communicators. */

/* The direction from a rank to the one that it exchanges a message with, if they are neighbours. */
static bool find_direction(const struct operation *operation, struct direction *direction)
{
    const struct communicator *communicator = operation->communicator;
    mqs_tword_t peer = local_peer(operation);

    /* Where a message has arrived its receiver is not the subject: "its" would be somebody else's. */
    return operation->class != mqs_unexpected_messages && peer >= 0 && peer < communicator->size &&
           communicator_is_cartesian(communicator) &&
           arrangement_direction(&communicator->arrangement, peer, direction);
}

static char *say_dimension(size_t dimension)
{
    enum { X = 'x', N_LETTERS = 3 };

    return dimension < N_LETTERS ? format_text("%c", (char)(X + dimension)) : format_text("dimension %zu", dimension);
}

/* "2,1" */
static char *say_coordinates(const struct arrangement *arrangement, long rank)
{
    char *text = copy_string("");

    for (size_t i = 0; i < arrangement->n_dimensions; i++)
        append_text(&text, "%s%ld", i > 0 ? "," : "", arrangement_coordinate(arrangement, i, rank));
    return text;
}

/* ", periodic in x, z"; "" if it is in no dimension. */
static char *say_periods(const struct arrangement *arrangement)
{
    char *text = copy_string("");

    for (size_t i = 0; i < arrangement->n_dimensions; i++) {
        OWNED char *name = say_dimension(i);

        if (arrangement->dimensions[i].periodic)
            append_text(&text, "%s%s", *text == '\0' ? ", periodic in " : ", ", name);
    }
    return text;
}

static char *say_cartesian(const struct arrangement *arrangement, long rank, bool with_place)
{
    OWNED char *periods = say_periods(arrangement), *coordinates = say_coordinates(arrangement, rank),
               *sizes = copy_string("");

    for (size_t i = 0; i < arrangement->n_dimensions; i++)
        append_text(&sizes, "%s%ld", i > 0 ? " x " : "", arrangement->dimensions[i].size);
    return with_place ? format_text("Cartesian %s%s, this rank at (%s)", sizes, periods, coordinates)
                      : format_text("Cartesian %s%s", sizes, periods);
}

char *say_topology(const struct arrangement *arrangement, long size, long rank, bool with_place)
{
    switch (arrangement->topology) {
    case MQD_TOPOLOGY_cartesian:
        return arrangement_is_cartesian(arrangement, size, rank) ? say_cartesian(arrangement, rank, with_place)
                                                                 : copy_string("Cartesian");
    case MQD_TOPOLOGY_graph:
        return copy_string("a graph");
    case MQD_TOPOLOGY_distributed_graph:
        return copy_string("a distributed graph");
    default:
        return copy_string("");
    }
}

/* "its neighbour +x, "; in a dimension of two that is periodic it is in both directions. */
static char *say_neighbour(const struct direction *direction)
{
    OWNED char *dimension = say_dimension(direction->dimension);

    if (direction->step == 0 || strlen(dimension) > 1)
        return format_text("its neighbour %sin %s, ", direction->step > 0 ? "+1 " : direction->step < 0 ? "-1 " : "",
                           dimension);
    return format_text("its neighbour %c%s, ", direction->step > 0 ? '+' : '-', dimension);
}

char *say_waiting_rank(const struct model *model, const struct wait *wait)
{
    long id = model->ranks[model_owner(model, wait)].id;
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
    struct direction direction;
    OWNED char *rank = say_rank(model, id), *coordinates = NULL;

    if (operation == NULL || !find_direction(operation, &direction))
        return TAKEN(rank);
    coordinates = say_coordinates(&operation->communicator->arrangement, operation->communicator->local_rank);
    return format_text("%s (%s)", rank, coordinates);
}

/* "rank 3", and in parentheses the rank in the communicator if it differs, and the coordinates of a neighbour. */
static char *say_peer_rank(const struct model *model, const struct operation *operation, bool is_neighbour)
{
    mqs_tword_t local = local_peer(operation);
    OWNED char *peer = say_rank(model, operation->peer), *name = say_communicator(operation->communicator);
    OWNED char *coordinates = is_neighbour ? say_coordinates(&operation->communicator->arrangement, local) : NULL;

    if (local == model_world_rank(model, operation->peer))
        return is_neighbour ? format_text("%s (%s)", peer, coordinates) : TAKEN(peer);
    return format_text("%s (%ld in %s%s%s)", peer, local, name, is_neighbour ? ": " : "",
                       is_neighbour ? coordinates : "");
}

static char *say_peer(const struct model *model, const struct operation *operation)
{
    struct direction direction;
    bool is_neighbour = operation->peer >= 0 && find_direction(operation, &direction);
    OWNED char *neighbour = is_neighbour ? say_neighbour(&direction) : copy_string(""), *rank = NULL;

    if (operation->peer == PEER_ANY)
        return copy_string("any rank");
    if (operation->peer == PEER_UNKNOWN && local_peer(operation) < 0)
        return copy_string("a rank that is not known");
    if (operation->peer == PEER_UNKNOWN)
        return format_text("rank %ld of another job", local_peer(operation));
    rank = say_peer_rank(model, operation, is_neighbour);
    return format_text("%s%s%s", neighbour, rank, is_neighbour ? "," : "");
}

/* "1,000 bytes". */
static char *say_bytes(const struct operation *operation)
{
    long bytes = operation->said->desired_length;

    return format_text("%s byte%s", NUMBER(bytes), bytes == 1 ? "" : "s");
}

/* "MPI_DOUBLE", "vector of MPI_DOUBLE"; "" if it is not known. */
static char *say_datatype(const struct queued *said)
{
    const char *name = said->combiner != MQD_COMBINER_named ? name_of(&combiner_names, said->combiner) : NULL;
    OWNED char *combiner = NULL;

    if (*said->datatype != '\0' || name == NULL)
        return copy_string(said->datatype);
    combiner = say_name(said->combiner == MQD_COMBINER_dup ? "duplicate" : without_beginning(name, "f90_"));
    return format_text("%s%s%s", combiner, *said->base != '\0' ? " of " : "", said->base);
}

char *say_elements(const struct operation *operation)
{
    const struct queued *said = operation->said;
    OWNED char *bytes = say_bytes(operation), *datatype = say_datatype(said);

    if (!said->has_count || *datatype == '\0')
        return TAKEN(bytes);
    return format_text("%s x %s (%s)", NUMBER(said->count), datatype, bytes);
}

bool has_elements(const struct operation *operation)
{
    OWNED char *datatype = say_datatype(operation->said);

    return operation->said->has_count && *datatype != '\0';
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
    RELEASED_BY(rank_set_clear) struct rank_set posted = {0};

    for (size_t i = 0; i < window->n_peers; i++)
        if (window->peers[i].role == MQD_ROLE_posted)
            rank_set_add(&posted, model->jobs[model->ranks[rank].job].base + window->group[window->peers[i].rank]);
    rank_set_sort(&posted);
    return say_rank_set(model, &posted, "", "");
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

char *say_rank_wait(const struct model *model, const struct wait *wait)
{
    OWNED char *who = say_capital(say_waiting_rank(model, wait));
    OWNED char *text = say_predicate(who, say_wait(model, wait));

    return format_text("%s.", text);
}

struct predicate say_started(const struct communicator *communicator, unsigned long n)
{
    OWNED char *name = say_communicator(communicator);

    return (struct predicate){VERB_HAS, format_text(" started %s nonblocking operation%s on %s", NUMBER(n),
                                                    n == 1 ? "" : "s", name)};
}

char *say_nonblocking(unsigned long number)
{
    return number > 0 ? format_text("nonblocking collective operation number %s", NUMBER(number))
                      : copy_string("a nonblocking collective operation");
}
