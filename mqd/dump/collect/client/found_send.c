/*
 * found_send.c - sends that are found through the message that waits at their receiver.
 *
 * What a message names may be another address than that of the send's request in the listing, so the DLL is asked for
 * each send that is named: once, however many messages name it.
 */
#include "mqd/dump/collect/client/found_send.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

/* A process by its name. */
struct named {
    struct mqd_process_name name;
    size_t index;
};

/* A send that a message names. */
struct mention {
    size_t sender;                 /* index of its process */
    mqs_taddr_t request;
    size_t receiver;               /* index of the process that has the message, and the message: */
    mqs_taddr_t communicator;
    long tag;                      /* of the message */
};

/* Where a send is in the listing of its process. */
struct listed_send {
    mqs_taddr_t request;
    size_t communicator, position;
};

/* The sends of one process, by their requests. */
struct listed_sends {
    size_t process;                /* index */
    struct listed_send *sends;
    size_t n, room;
};

struct mentions {
    struct mention *all;
    size_t n, room;
};

/* Senders. */

static int compare_name(const void *a, const void *b)
{
    const struct mqd_process_name *x = &((const struct named *)a)->name, *y = &((const struct named *)b)->name;

    return ORDER(x->job, y->job) ?: ORDER(x->rank, y->rank);
}

/* A name that two processes have tells neither. Returns how many are left. */
static size_t drop_doubles(struct named *named, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_name(&named[i], &named[end]) == 0;)
            end++;
        if (end == i + 1)
            named[n_left++] = named[i];
    }
    return n_left;
}

static size_t find_names(struct named *named, const struct listed_process *processes, size_t n)
{
    size_t n_named = 0;

    for (size_t i = 0; i < n; i++)
        if (processes[i].listing->has_communicators && processes[i].listing->has_name)
            named[n_named++] = (struct named){processes[i].listing->name, i};
    SORT(named, n_named, compare_name);
    return drop_doubles(named, n_named);
}

/* The process that has sent a message; NULL if it is none of those that are listed. */
static const struct named *sender_of(const struct named *named, size_t n_named, const struct queued *message)
{
    return message->has_peer
               ? search_array(&(struct named){.name = message->peer}, named, n_named, sizeof *named, compare_name)
               : NULL;
}

/* Mentions. */

static void add_named_by_messages(struct mentions *mentions, const struct listed_process *processes, size_t receiver,
                                  const struct named *named, size_t n_named)
{
    const struct listing *listing = processes[receiver].listing;

    for (size_t i = 0; i < listing->n; i++) {
        const struct queue *queue = &listing->communicators[i].queues[mqs_unexpected_messages];

        for (size_t k = 0; k < queue->n; k++) {
            const struct queued *message = &queue->operations[k];
            const struct named *sender = message->send_request != 0 ? sender_of(named, n_named, message) : NULL;

            if (sender != NULL)
                APPEND(mentions->all, mentions->n, mentions->room,
                       (struct mention){.sender = sender->index, .request = message->send_request,
                                        .receiver = receiver, .tag = message->desired_tag,
                                        .communicator = listing->communicators[i].unique_id});
        }
    }
}

COMPARATOR(compare_mentions, struct mention, ORDER(x->sender, y->sender) ?: ORDER(x->request, y->request))

/* Sends that are listed. */

COMPARATOR(compare_sends, struct listed_send, ORDER(x->request, y->request))

static void find_listed(struct listed_sends *listed, const struct listed_process *processes, size_t process)
{
    const struct listing *listing = processes[process].listing;

    listed->process = process;
    listed->n = 0;
    for (size_t i = 0; i < listing->n; i++) {
        const struct queue *queue = &listing->communicators[i].queues[mqs_pending_sends];

        for (size_t k = 0; k < queue->n; k++)
            APPEND(listed->sends, listed->n, listed->room, (struct listed_send){queue->operations[k].request, i, k});
    }
    SORT(listed->sends, listed->n, compare_sends);
}

/* The send with that request; NULL if it is not listed. */
static const struct listed_send *listed_at(const struct listed_sends *listed, mqs_taddr_t request)
{
    return request != 0 ? search_array(&(struct listed_send){.request = request}, listed->sends, listed->n,
                                       sizeof *listed->sends, compare_sends) : NULL;
}

/* Sends. */

static struct communicator *communicator_of(const struct listing *listing, mqs_taddr_t unique_id)
{
    for (size_t i = 0; i < listing->n; i++)
        if (listing->communicators[i].unique_id == unique_id)
            return &listing->communicators[i];
    return NULL;
}

/* What is at that address may have become another send. Is it the one that the message comes from? */
static bool is_its_message(const struct queued *send, const struct mention *mention,
                           const struct mqd_process_name *receiver)
{
    if (!send->unknown.tag && send->desired_tag != mention->tag)
        return false;
    return !send->has_peer || (send->peer.job == receiver->job && send->peer.rank == receiver->rank);
}

/* Says in the sender's queue that a send is missing there. */
static void note_failure(struct listing *listing, const struct mention *mention, const struct dll *dll, int code)
{
    struct communicator *communicator = communicator_of(listing, mention->communicator);
    struct queue *queue = communicator != NULL ? &communicator->queues[mqs_pending_sends] : NULL;
    OWNED char *text = NULL;

    if (queue == NULL || queue->error != NULL)
        return;
    text = dll_explain(dll, code);
    queue->reason = dll->extension->reason_of(code);
    set_reason(&queue->error, "a send that waits at its receiver cannot be read: %s", text);
}

/* Adds the send or, if it is listed already, what only the message shows of it. */
static void note_send(struct listing *listing, struct communicator *communicator, const struct listed_send *known,
                      const struct queued *send)
{
    if (known == NULL)
        queue_add(&communicator->queues[mqs_pending_sends], send);
    else
        queue_replace(&listing->communicators[known->communicator].queues[mqs_pending_sends], known->position, send);
}

static void take_send(const struct dll *dll, const struct listed_process *processes, const struct mention *mention,
                      const struct listed_sends *listed, bool internal)
{
    const struct listed_process *sender = &processes[mention->sender];
    const struct listing *receiver = processes[mention->receiver].listing;
    struct mqd_operation_description facts;
    struct communicator *communicator;
    const struct listed_send *known;
    mqs_pending_operation said = {0};
    mqs_taddr_t unique_id = 0;
    struct queued send;
    int code = dll->extension->find_send(sender->process, mention->request, &unique_id, &said);

    if (code != mqs_ok) {
        if (code != mqs_end_of_list)
            note_failure(sender->listing, mention, dll, code);
        return;
    }
    send = listing_describe_operation(dll, sender->process, &said, &facts);
    communicator = communicator_of(sender->listing, unique_id);
    if (communicator == NULL || !communicator->queues[mqs_pending_sends].available || (!internal && send.internal) ||
        !is_its_message(&send, mention, &receiver->name))
        return;
    known = listed_at(listed, send.request);
    send.named = true;
    send.found = known == NULL;
    send.found_at = receiver->name;
    note_send(sender->listing, communicator, known, &send);
}

static void take_sends(const struct dll *dll, const struct listed_process *processes, const struct mentions *mentions,
                       bool internal)
{
    struct listed_sends listed = {.process = SIZE_MAX};

    for (size_t i = 0; i < mentions->n; i++) {
        const struct mention *mention = &mentions->all[i];
        double start = seconds_now();

        if (i > 0 && compare_mentions(mention - 1, mention) == 0)
            continue;
        if (listed.process != mention->sender)
            find_listed(&listed, processes, mention->sender);
        take_send(dll, processes, mention, &listed, internal);
        processes[mention->sender].listing->dll_seconds += seconds_now() - start;
    }
    free(listed.sends);
}

void found_sends_take(const struct dll *dll, const struct listed_process *processes, size_t n, bool internal)
{
    struct mentions mentions = {0};
    OWNED struct named *named = NULL;
    size_t n_named;

    if (!DLL_OFFERS(dll, send_request_of) || !DLL_OFFERS(dll, find_send))
        return;
    named = allocate_array(n + 1, sizeof *named);
    n_named = find_names(named, processes, n);
    for (size_t i = 0; i < n; i++)
        if (processes[i].listing->has_communicators && processes[i].listing->has_name)
            add_named_by_messages(&mentions, processes, i, named, n_named);
    SORT(mentions.all, mentions.n, compare_mentions);
    take_sends(dll, processes, &mentions, internal);
    free(mentions.all);
}
