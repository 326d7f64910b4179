/* dump_job.c - a job made by hand, as mqdump finds it. */
#include "dump_job.h"

#include "mqd/dump/base/shared.h"
#include "unit_test.h"

struct dump_job job;
static unsigned long next_request;
static long next_sequence;

struct communicator *job_communicator_of(size_t rank, mqs_taddr_t id)
{
    for (size_t i = 0; i < job.listings[rank].n; i++)
        if (job.listings[rank].communicators[i].unique_id == id)
            return &job.listings[rank].communicators[i];
    fail_msg("rank %zu has no communicator %lu", rank, id);
    return NULL;
}

struct communicator *job_add_communicator(size_t rank, mqs_taddr_t id, const char *name, const int *group, int n)
{
    struct listing *listing = &job.listings[rank];
    struct communicator *communicator;

    listing->communicators =
        grow_array(listing->communicators, listing->n, &listing->room, sizeof *listing->communicators);
    communicator = &listing->communicators[listing->n++];
    *communicator = (struct communicator){.unique_id = id, .size = n, .local_rank = -1, .has_summary = true,
                                          .summary = {.has_activity = 1}, .use = {.has_nonblocking = 1}};
    snprintf(communicator->name, sizeof communicator->name, "%s", name);
    communicator->group = shared_allocate((size_t)n, sizeof *communicator->group);
    for (int i = 0; i < n; i++) {
        communicator->group[i] = group != NULL ? group[i] : i;
        if (communicator->group[i] == (int)rank)
            communicator->local_rank = i;
    }
    for (int class = 0; class < N_QUEUES; class++)
        communicator->queues[class].available = true;
    return communicator;
}

void job_start(size_t n)
{
    job.n_ranks = n;
    next_request = 0x1000;
    job.listings = allocate_array(n, sizeof *job.listings);
    job.calls = allocate_array(n, sizeof *job.calls);
    job.witnesses = allocate_array(n, sizeof *job.witnesses);
    for (size_t i = 0; i < n; i++) {
        job.listings[i] = (struct listing){.pid = (pid_t)(100 + i), .rank = (long)i, .has_communicators = true,
                                           .has_name = true, .name = {.job = 7, .rank = (long)i}};
        job_add_communicator(i, WORLD, "MPI_COMM_WORLD", NULL, (int)n);
        job.calls[i].complete = true;
        job.calls[i].calls = allocate_array(4, sizeof *job.calls[i].calls);
        job.calls[i].n = 1;
        job.calls[i].calls[0] = (struct call){.thread = job.listings[i].pid, .is_main = true, .state = CALL_OUTSIDE,
                                          .function = copy_string("work"), .place = copy_string("work+0x10"),
                                          .runs = true};
        job.witnesses[i] = (struct witness){.listing = &job.listings[i], .calls = &job.calls[i]};
    }
}

void job_split(size_t first)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        struct communicator *world = job_communicator_of(i, WORLD);

        job.listings[i].job = copy_string(i < first ? "a" : "b");
        world->size = (long)(i < first ? first : job.n_ranks - first);
        if (i < first)
            continue;
        job.listings[i].rank = world->local_rank = (long)(i - first);
        job.listings[i].name = (struct mqd_process_name){.job = 8, .rank = (long)(i - first)};
    }
}

void job_set_peers(size_t rank, mqs_taddr_t id, bool inter, const size_t *processes, size_t n)
{
    struct communicator *communicator = job_communicator_of(rank, id);

    communicator->summary.remote_size = inter ? (long)n : 0;
    communicator->peers = shared_allocate(n, sizeof *communicator->peers);
    for (size_t i = 0; i < n; i++)
        communicator->peers[i] = job.listings[processes[i]].name;
}

void job_forget(size_t rank)
{
    struct listing *listing = &job.listings[rank];

    for (size_t i = 0; i < listing->n; i++)
        listing->communicators[i].summary.internal = 1;
    listing_hide_internal(listing);
    listing->has_communicators = false;
}

void job_end(void)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        calls_clear(&job.calls[i]);
        listing_free(&job.listings[i]);
    }
    texts_release(job.texts);
    job.texts = NULL;
    free(job.listings);
    free(job.calls);
    free(job.witnesses);
    job.listings = NULL;
    job.calls = NULL;
    job.witnesses = NULL;
    job.n_ranks = 0;
}

/* A thread's call; the main thread is the first. */
void job_set_call(size_t rank, size_t thread, const char *function, const char *place)
{
    struct call *call = &job.calls[rank].calls[thread];

    free(call->function);
    free(call->place);
    *call = (struct call){.thread = job.listings[rank].pid + (pid_t)(1000 * thread), .is_main = thread == 0,
                          .state = CALL_MPI, .function = copy_string(function), .place = copy_string(place),
                          .mark = thread + 1};
    if (thread >= job.calls[rank].n)
        job.calls[rank].n = thread + 1;
}

void job_in(size_t rank, const char *function)
{
    job_set_call(rank, 0, function, "main+0x20");
}

/* Without texts: verdicts need none. */
static struct queued *add_operation(size_t rank, mqs_taddr_t id, int class, long tag, enum mqd_operation_kind kind,
                                    enum mqd_progress progress)
{
    struct communicator *communicator = job_communicator_of(rank, id);
    struct queue *queue = &communicator->queues[class];
    bool collective = tag < 0 && !(class == mqs_pending_receives && tag == ANY);
    struct queued operation = {.status = mqs_st_pending, .kind = (int)kind, .progress = (int)progress,
                               .collective = collective, .internal = collective || communicator->summary.internal,
                               .needs_receiver = progress == MQD_PROGRESS_rendezvous, .sequence = -1};

    if (kind != MQD_OPERATION_message)
        operation.request = next_request += 0x80;
    if (class == mqs_pending_receives && listing_hides_blocking(&job.listings[rank]))
        operation.sequence = next_sequence++;
    queue->described = true;
    queue_add(queue, &operation);
    return &queue->operations[queue->n - 1];
}

void job_use_ucx(void)
{
    for (size_t i = 0; i < job.n_ranks; i++) {
        job.listings[i].gaps[mqs_pending_sends] = (struct gap){"on the stack", MQD_REASON_elsewhere};
        for (size_t k = 0; k < job.listings[i].n; k++)
            job.listings[i].communicators[k].summary.has_activity = 0;
    }
}

struct queued *job_message_of(struct queued *send, size_t sender)
{
    size_t receiver = (size_t)send->desired_local_rank;
    mqs_taddr_t request = send->request;
    struct queued *message = job_message(receiver, WORLD, (long)sender, send->desired_tag);

    message->status = mqs_st_pending;
    message->send_request = request;
    send->named = true;
    send->found_at = job.listings[receiver].name;
    return message;
}

static long world_of(size_t rank, mqs_taddr_t id, long peer)
{
    const struct communicator *communicator = job_communicator_of(rank, id);

    if (communicator->peers != NULL && peer >= 0)
        return communicator->peers[peer].job == job.listings[rank].name.job ? communicator->peers[peer].rank : -1;
    return peer >= 0 && peer < communicator->size ? communicator->group[peer] : -1;
}

/* Peers are ranks in the communicator. */
struct queued *job_receive(size_t rank, mqs_taddr_t id, long from, long tag)
{
    struct queued *operation =
        add_operation(rank, id, mqs_pending_receives, tag, MQD_OPERATION_recv, MQD_PROGRESS_posted);

    operation->desired_local_rank = from;
    operation->desired_global_rank = world_of(rank, id, from);
    operation->tag_wild = tag == ANY;
    operation->desired_tag = tag;
    operation->desired_length = 80;
    operation->actual_local_rank = operation->actual_global_rank = -1;
    return operation;
}

const char *job_text(const char *text)
{
    return texts_add(&job.texts, text, strlen(text));
}

void job_mark_waited(struct queued *operation)
{
    operation->progress = MQD_PROGRESS_waited_for;
}

static enum mqd_operation_kind kind_of_send(const char *name)
{
    static const struct {
        const char *name;
        enum mqd_operation_kind kind;
    } kinds[] = {{"Send", MQD_OPERATION_send}, {"Ssend", MQD_OPERATION_ssend}, {"Bsend", MQD_OPERATION_bsend},
                 {"Rsend", MQD_OPERATION_rsend}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    fail_msg("there is no %s", name);
    return MQD_OPERATION_unknown;
}

struct queued *job_send(size_t rank, mqs_taddr_t id, const char *kind, long to, long tag)
{
    struct queued *operation =
        add_operation(rank, id, mqs_pending_sends, tag, kind_of_send(kind), MQD_PROGRESS_rendezvous);

    operation->desired_local_rank = operation->actual_local_rank = to;
    operation->desired_global_rank = operation->actual_global_rank = world_of(rank, id, to);
    operation->desired_tag = operation->actual_tag = tag;
    operation->desired_length = operation->actual_length = 80;
    return operation;
}

struct queued *job_message(size_t rank, mqs_taddr_t id, long from, long tag)
{
    struct queued *operation =
        add_operation(rank, id, mqs_unexpected_messages, tag, MQD_OPERATION_message, MQD_PROGRESS_eager);

    operation->status = mqs_st_complete;
    operation->desired_local_rank = operation->actual_local_rank = from;
    operation->desired_global_rank = operation->actual_global_rank = world_of(rank, id, from);
    operation->desired_tag = operation->actual_tag = tag;
    operation->desired_length = operation->actual_length = 80;
    return operation;
}

void job_start_ring(size_t n)
{
    job_start(n);
    for (size_t i = 0; i < n; i++) {
        job_in(i, "MPI_Recv");
        job_receive(i, WORLD, (long)((i + n - 1) % n), 7);
    }
}
