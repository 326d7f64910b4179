/*
 * told.c - steps of prog_script that say what they do, as truth.h has it: a test compares that with a listing.
 *
 * All messages have the content that truth_fill makes of their sender's rank and their tag, and are checked when they are
 * received. An operation is in the truth as soon as it is begun; words after its arguments say what it will be there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"
#include "truth.h"

enum { MAX_ROOM = 32 << 20, MARKER = 1000 };

/* Predefined datatypes have the last slots. script.py knows them. */
enum { BYTE = N_SLOTS - 8, CHAR, INT, SHORT, FLOAT, DOUBLE, LONG };

enum flag { COMPLETE = 1, MATCHED = 2, FOUND = 4, FREED = 8, CANCELLED = 16, OPTIONAL = 32, RENDEZVOUS = 64, SILENT = 128 };

static const struct {
    const char *word;
    enum flag flag;
} flags[] = {{"complete", COMPLETE},   {"matched", MATCHED},       {"found", FOUND},     {"freed", FREED}, {"cancelled", CANCELLED},
             {"optional", OPTIONAL}, {"rendezvous", RENDEZVOUS}, {"silent", SILENT}};

/* An operation by its request. A persistent one is there before it is active. */
static struct told {
    struct truth_op op;
    enum truth_queue queue;
    bool active, cancelled;
} told[N_SLOTS];

static MPI_Datatype types[N_SLOTS], absolute;

bool told_flag(struct line *l, const char *word)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].word) == 0) {
            l->flags |= flags[i].flag;
            return true;
        }
    return false;
}

void told_begin(void)
{
    types[BYTE] = MPI_BYTE;
    types[CHAR] = MPI_CHAR;
    types[INT] = MPI_INT;
    types[SHORT] = MPI_SHORT;
    types[FLOAT] = MPI_FLOAT;
    types[DOUBLE] = MPI_DOUBLE;
    types[LONG] = MPI_LONG;
    absolute = MPI_DATATYPE_NULL;
}

/* Datatypes. */
#define TYPE types[l->a[0]]

static void commit(struct line *l)
{
    if (l->name != NULL)
        MPI_Type_set_name(TYPE, l->name);
    MPI_Type_commit(&TYPE);
}

/* New type, count, block length, stride, type. */
STEP(type_vector)
{
    MPI_Type_vector(l->a[1], l->a[2], l->a[3], types[l->a[4]], &TYPE);
    commit(l);
}

/* New type, count, type. */
STEP(type_contiguous)
{
    MPI_Type_contiguous(l->a[1], types[l->a[2]], &TYPE);
    commit(l);
}

/* New type, how many ints, at which offset. */
STEP(type_at)
{
    MPI_Aint offset = l->a[2];

    MPI_Type_create_hindexed(1, &l->a[1], &offset, MPI_INT, &TYPE);
    commit(l);
}

/* New type, how many ints: an address is part of it. */
STEP(type_absolute)
{
    MPI_Aint where;

    MPI_Get_address(truth_alloc((size_t)l->a[1] * sizeof(int)), &where);
    MPI_Type_create_hindexed(1, &l->a[1], &where, MPI_INT, &TYPE);
    commit(l);
    absolute = TYPE;
}

/* An int, and a place before it: the lower bound is where nothing lies. */
STEP(type_negative)
{
    MPI_Datatype one;

    MPI_Type_create_resized(MPI_INT, -4096, 4096 + 4, &one);
    MPI_Type_create_resized(one, -4096, 4, &TYPE);
    commit(l);
    MPI_Type_free(&one);
}

STEP(type_free) { MPI_Type_free(&TYPE); }

static size_t bytes_of(int count, MPI_Datatype type)
{
    MPI_Count size;

    MPI_Type_size_x(type, &size);
    return (size_t)size * (size_t)count;
}

/* What more bytes are for is not received. */
static void *room_for(int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;
    size_t room;

    if (type == absolute)
        return MPI_BOTTOM;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    room = (size_t)extent * (size_t)count + (size_t)(true_low + true_extent) + 1;
    return truth_alloc(room < MAX_ROOM ? room : MAX_ROOM);
}

static void fill(void *buffer, int count, MPI_Datatype type, int tag, MPI_Comm comm)
{
    int rank, bytes = (int)bytes_of(count, type), position = 0;
    void *row = malloc((size_t)bytes + 1);

    MPI_Comm_rank(comm, &rank);
    truth_fill(row, (size_t)bytes, rank, tag);
    MPI_Unpack(row, bytes, &position, buffer, count, type, comm);
    free(row);
}

static void check(const void *buffer, int count, MPI_Datatype type, size_t bytes, int source, int tag, MPI_Comm comm)
{
    int room = (int)bytes_of(count, type), position = 0;
    void *row = malloc((size_t)room + 1);

    MPI_Pack(buffer, count, type, row, room, &position, comm);
    truth_check(row, bytes, source, tag);
    free(row);
}

/* Of a message that was received. */
static void check_status(const struct truth_op *op, const MPI_Status *status)
{
    int bytes;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    if (op->status != TRUTH_PENDING && (status->MPI_SOURCE != op->actual_peer || status->MPI_TAG != op->actual_tag ||
                                        (size_t)bytes != op->actual_bytes))
        truth_fail("another message was received than should have been");
    check(op->buffer, op->count, op->type, (size_t)bytes, status->MPI_SOURCE, status->MPI_TAG, op->comm);
}

/* Operations: communicator, peer, tag, count, type, request. Of what has a message also its source, tag and bytes. */
static struct truth_op op_of(const struct line *l, const char *kind)
{
    MPI_Datatype type = types[l->a[4]];

    return (struct truth_op){.comm = COMM, .peer = l->a[1], .tag = l->a[2], .count = l->a[3], .type = type, .kind = kind,
                             .buffer = room_for(l->a[3], type)};
}

/* From the argument on there are source, tag and bytes of the message. */
static void state(struct told *t, const struct line *l, int first)
{
    t->op.status = l->flags & COMPLETE ? TRUTH_COMPLETE : l->flags & MATCHED ? TRUTH_MATCHED : TRUTH_PENDING;
    t->op.freed = l->flags & FREED;
    t->op.optional = l->flags & OPTIONAL;
    t->op.found = l->flags & FOUND;
    t->op.cancelled = l->flags & CANCELLED;
    if (l->n > first) {
        t->op.actual_peer = l->a[first];
        t->op.actual_tag = l->a[first + 1];
        t->op.actual_bytes = (size_t)l->a[first + 2];
    }
    if (strcmp(t->op.kind, "Bsend") == 0) {
        t->op.pool = attached;
        t->op.pool_bytes = sizeof attached;
    }
    if (!(l->flags & SILENT))
        truth_state(t->queue, t->op);
    t->active = true;
}

typedef int start_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int irecv(const void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Irecv((void *)to, n, type, from, tag, comm, request);
}

static int recv_init(const void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    return MPI_Recv_init((void *)to, n, type, from, tag, comm, request);
}

static void begin(struct line *l, enum truth_queue queue, const char *kind, bool persistent, start_function *start)
{
    MPI_Request *request = &requests[l->a[5]];
    struct told *t = &told[l->a[5]];

    *t = (struct told){.op = op_of(l, kind), .queue = queue};
    if (queue == TRUTH_SENDS)
        fill((void *)t->op.buffer, t->op.count, t->op.type, t->op.tag, t->op.comm);
    start(t->op.buffer, t->op.count, t->op.type, t->op.peer, t->op.tag, t->op.comm, request);
    t->op.persistent = persistent;
    /* With UCX the program's request for a buffered send is not what sends. */
    if (start != MPI_Ibsend)
        t->op.request = *request;
    /* Its type may be freed, and is not compared. */
    if (t->op.count == 0)
        t->op.type = MPI_BYTE;
    if (persistent)
        return;
    if (l->flags & CANCELLED)
        MPI_Cancel(request);
    if (queue == TRUTH_SENDS && l->flags & COMPLETE)
        truth_await_request(*request);
    state(t, l, 6);
    if (l->flags & FREED)
        MPI_Request_free(request);
}

#define TOLD(name, queue, kind, persistent, function)                                              \
    STEP(told_##name) { begin(l, TRUTH_##queue, kind, persistent, function); }
TOLD(irecv, RECEIVES, "Recv", false, irecv)
TOLD(recv_init, RECEIVES, "Recv", true, recv_init)
TOLD(isend, SENDS, "Send", false, MPI_Isend)
TOLD(issend, SENDS, "Ssend", false, MPI_Issend)
TOLD(ibsend, SENDS, "Bsend", false, MPI_Ibsend)
TOLD(irsend, SENDS, "Rsend", false, MPI_Irsend)
TOLD(send_init, SENDS, "Send", true, MPI_Send_init)
TOLD(ssend_init, SENDS, "Ssend", true, MPI_Ssend_init)
TOLD(bsend_init, SENDS, "Bsend", true, MPI_Bsend_init)
TOLD(rsend_init, SENDS, "Rsend", true, MPI_Rsend_init)

STEP(told_bsend)
{
    struct told t = {.op = op_of(l, "Bsend"), .queue = TRUTH_SENDS};

    fill((void *)t.op.buffer, t.op.count, t.op.type, t.op.tag, t.op.comm);
    MPI_Bsend(t.op.buffer, t.op.count, t.op.type, t.op.peer, t.op.tag, t.op.comm);
    state(&t, l, 6);
}

/* Request. */
STEP(told_start)
{
    MPI_Start(&requests[l->a[0]]);
    if (l->flags & CANCELLED)
        MPI_Cancel(&requests[l->a[0]]);
    state(&told[l->a[0]], l, 1);
}

static void complete(int i)
{
    struct told *t = &told[i];
    bool is_too_long = t->op.actual_bytes > bytes_of(t->op.count, t->op.type);
    MPI_Status status;
    int error = MPI_Wait(&requests[i], &status), cancelled = 0;

    if ((error != MPI_SUCCESS) != is_too_long)
        truth_fail("an operation ended otherwise than it should");
    /* What is received of a message that was too long is up to the PML. */
    if (t->queue == TRUTH_RECEIVES && t->active && !is_too_long) {
        MPI_Test_cancelled(&status, &cancelled);
        if (cancelled != (t->cancelled || t->op.cancelled))
            truth_fail("a receive was cancelled, or could not be");
        if (!cancelled)
            check_status(&t->op, &status);
    }
    t->active = false;
}

/* Requests: waits for them, and looks at what has come. */
STEP(told_wait)
{
    for (int i = 0; i < l->n; i++)
        complete(l->a[i]);
}

/* Started, complete and waited for: inactive again, and no operation. */
STEP(told_once)
{
    MPI_Start(&requests[l->a[0]]);
    told[l->a[0]].active = true;
    complete(l->a[0]);
}

STEP(told_await)
{
    for (int i = 0; i < l->n; i++)
        truth_await_request(requests[l->a[i]]);
}

STEP(told_cancel)
{
    for (int i = 0; i < l->n; i++) {
        MPI_Cancel(&requests[l->a[i]]);
        told[l->a[i]].cancelled = true;
    }
}

/* What a request had whose handle was freed. */
STEP(told_check)
{
    const struct truth_op *op = &told[l->a[0]].op;

    check(op->buffer, op->count, op->type, bytes_of(op->count, op->type), op->peer, op->tag, op->comm);
}

/* All that is left. */
STEP(told_finish)
{
    for (int i = 0; i < N_SLOTS; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        complete(i);
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    }
}

/* Messages that are not in the truth: communicator, peer, tag, bytes. */
STEP(give)
{
    void *buffer = room_for(l->a[3], MPI_BYTE);

    fill(buffer, l->a[3], MPI_BYTE, l->a[2], COMM);
    MPI_Send(buffer, l->a[3], MPI_BYTE, l->a[1], l->a[2], COMM);
}

static struct truth_op message_of(const struct line *l, int source, int tag)
{
    return (struct truth_op){.comm = COMM, .count = l->a[3], .type = MPI_BYTE, .status = TRUTH_COMPLETE,
                             .actual_peer = source, .actual_tag = tag, .actual_bytes = (size_t)l->a[3],
                             .buffer = room_for(l->a[3], MPI_BYTE)};
}

/* And the message's own source and tag, if others are asked for. */
STEP(take)
{
    struct truth_op op = message_of(l, l->n > 4 ? l->a[4] : l->a[1], l->n > 5 ? l->a[5] : l->a[2]);
    MPI_Status status;

    MPI_Recv((void *)op.buffer, l->a[3], MPI_BYTE, l->a[1], l->a[2], COMM, &status);
    check_status(&op, &status);
}

static MPI_Message matched[N_SLOTS];

/* Communicator, source, tag, and where the message is kept that a probe matches as soon as it is there. */
STEP(match)
{
    for (int found = 0; !found;)
        MPI_Improbe(l->a[1], l->a[2], COMM, &found, &matched[l->a[3]], MPI_STATUS_IGNORE);
}

/* Communicator, the message's own source and tag, bytes, and where it is kept. */
STEP(take_matched)
{
    struct truth_op op = message_of(l, l->a[1], l->a[2]);
    MPI_Request request;
    MPI_Status status;

    MPI_Imrecv((void *)op.buffer, l->a[3], MPI_BYTE, &matched[l->a[4]], &request);
    MPI_Wait(&request, &status);
    check_status(&op, &status);
}

/* What was sent on the communicator before has arrived when all have received the message that follows. */
STEP(settle)
{
    MPI_Request sent[64];
    int n, inter;

    MPI_Comm_test_inter(COMM, &inter);
    (inter ? MPI_Comm_remote_size : MPI_Comm_size)(COMM, &n);
    for (int i = 0; i < n; i++)
        MPI_Isend(NULL, 0, MPI_BYTE, i, MARKER, COMM, &sent[i]);
    for (int i = 0; i < n; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, i, MARKER, COMM, MPI_STATUS_IGNORE);
    MPI_Waitall(n, sent, MPI_STATUSES_IGNORE);
}

/* Communicator, source, tag. */
STEP(await_message) { truth_await_message(COMM, l->a[1], l->a[2]); }

/* Communicator, source, tag, bytes: it has arrived, since a later one has, and nobody has asked for it. */
STEP(arrived_before)
{
    void *content = truth_alloc((size_t)l->a[3] + 1);

    truth_fill(content, (size_t)l->a[3], l->a[1], l->a[2]);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){
        .comm = COMM, .peer = l->a[1], .tag = l->a[2], .buffer = content, .count = l->a[3], .type = MPI_BYTE,
        .rendezvous = l->flags & RENDEZVOUS, .status = l->flags & RENDEZVOUS ? TRUTH_PENDING : TRUTH_COMPLETE});
}

/* The same where it has to be waited for. */
STEP(arrived)
{
    truth_await_message(COMM, l->a[1], l->a[2]);
    step_arrived_before(l);
}

/* Calls that block: communicator, peer, tag, count, type. They are announced before. */
STEP(told_recv)
{
    MPI_Status status;

    MPI_Recv(l->in, l->a[3], types[l->a[4]], l->a[1], l->a[2], COMM, &status);
    check(l->in, l->a[3], types[l->a[4]], (size_t)l->a[3], status.MPI_SOURCE, status.MPI_TAG, COMM);
}

STEP(told_irecv_wait)
{
    MPI_Request request;

    MPI_Irecv(l->in, l->a[3], types[l->a[4]], l->a[1], l->a[2], COMM, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(l->in, l->a[3], types[l->a[4]], (size_t)l->a[3], l->a[1], l->a[2], COMM);
}

STEP(told_probe)
{
    MPI_Status status;

    MPI_Probe(l->a[1], l->a[2], COMM, &status);
    MPI_Recv(l->in, l->a[3], MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, COMM, MPI_STATUS_IGNORE);
    check(l->in, l->a[3], MPI_BYTE, (size_t)l->a[3], status.MPI_SOURCE, status.MPI_TAG, COMM);
}

STEP(told_mprobe)
{
    MPI_Message message;
    MPI_Status status;

    MPI_Mprobe(l->a[1], l->a[2], COMM, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(l->in, l->a[3], MPI_BYTE, &message, &status);
    check(l->in, l->a[3], MPI_BYTE, (size_t)l->a[3], status.MPI_SOURCE, status.MPI_TAG, COMM);
}

STEP(told_send) { MPI_Send(l->out, l->a[3], types[l->a[4]], l->a[1], l->a[2], COMM); }
STEP(told_ssend) { MPI_Ssend(l->out, l->a[3], types[l->a[4]], l->a[1], l->a[2], COMM); }

/* And how many bytes are received. */
STEP(told_sendrecv)
{
    MPI_Sendrecv(l->out, l->a[3], types[l->a[4]], l->a[1], l->a[2], l->in, l->a[5], MPI_BYTE, l->a[1], l->a[2], COMM,
                 MPI_STATUS_IGNORE);
    truth_check(l->in, (size_t)l->a[5], l->a[1], l->a[2]);
}

static void announce_receive(struct line *l, const char *kind, int count, MPI_Datatype type)
{
    bool receives = strcmp(kind, "Recv") == 0;

    l->in = room_for(count, type);
    truth_state(TRUTH_RECEIVES, (struct truth_op){.comm = COMM, .peer = l->a[1], .tag = l->a[2], .type = type, .kind = kind,
                                                  .buffer = receives ? l->in : NULL, .count = receives ? count : 0});
}

static void announce_send(struct line *l, const char *kind)
{
    struct truth_op op = op_of(l, kind);

    l->out = (void *)op.buffer;
    fill(l->out, op.count, op.type, op.tag, op.comm);
    truth_state(TRUTH_SENDS, op);
}

/* How many of the steps that come next are in the truth. Then the rank blocks. */
STEP(announce)
{
    for (struct line *next = l + 1; next <= l + l->a[0]; next++)
        if (next->step == step_told_recv || next->step == step_told_irecv_wait)
            announce_receive(next, "Recv", next->a[3], types[next->a[4]]);
        else if (next->step == step_told_probe || next->step == step_told_mprobe)
            announce_receive(next, next->step == step_told_probe ? "Probe" : "Mprobe", next->a[3], MPI_BYTE);
        else
            announce_send(next, next->step == step_told_ssend ? "Ssend" : "Send");
    if (l[1].step == step_told_sendrecv)
        announce_receive(l + 1, "Recv", l[1].a[5], MPI_BYTE);
    truth_park(TRUTH_BLOCKS);
}

/* While the queues are read. */
STEP(rest)
{
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
}

STEP(rest_progressing)
{
    truth_park(TRUTH_PROGRESSES);
    truth_wait(TRUTH_PROGRESSES);
}

STEP(park_only) { truth_park(TRUTH_SLEEPS); }

STEP(wait_only) { truth_wait(TRUTH_SLEEPS); }

STEP(await_parked) { truth_await_parked(l->a[0]); }

static pid_t copy;

/*
 * A copy of the rank, which keeps the memory that there was then. It says what the rank knew, as a rank that is higher by
 * the size of the job; or it becomes the program of this name.
 */
STEP(fork)
{
    copy = fork();
    if (copy < 0)
        truth_fail("cannot fork");
    if (copy > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (l->name != NULL) {
        execlp(l->name, l->name, "1000", (char *)NULL);
        _exit(2);
    }
    truth_rank += truth_size;
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    _exit(0);
}

/* The end of the copy; that of another program is now. */
STEP(await_copy)
{
    kill(copy, SIGTERM);
    waitpid(copy, NULL, 0);
}

/* Communicators, and what is said of them. */
STEP(comm_free_copy)
{
    MPI_Comm copy = COMM;

    MPI_Comm_free(&copy);
}

STEP(checked_allreduce)
{
    int value = 1, size;

    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, COMM);
    MPI_Comm_size(COMM, &size);
    if (value != size)
        truth_fail("the sum is wrong");
}

STEP(told_comm) { truth_communicator(COMM, l->name); }
STEP(told_unknown) { truth_unknown(TRUTH_UNEXPECTED, COMM); }
STEP(told_order_known) { truth_order_known(COMM); }
STEP(told_internal) { truth_internal(COMM, l->name); }
STEP(told_nonblocking) { truth_nonblocking(COMM, l->a[1]); }

/* What for Open MPI has made communicators, how many, are there operations on them. */
STEP(told_made) { truth_made(l->name, l->a[0], l->a[1]); }

static void *function(const char *name, const char *other)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (!found)
        found = dlsym(RTLD_DEFAULT, other);
    if (!found)
        truth_fail("this MPI lacks a function");
    return found;
}

/* Part of MPI since 5.0, and before that an extension of Open MPI's under another name. */
STEP(persistent_barrier)
{
    int (*init)(MPI_Comm, MPI_Info, MPI_Request *);
    MPI_Request request;

    *(void **)&init = function("MPI_Barrier_init", "MPIX_Barrier_init");
    init(COMM, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Topologies: new communicator, communicator. */
STEP(grid)
{
    const int rows[2] = {2, truth_size / 2}, periods[2] = {0, 1};

    MPI_Cart_create(communicators[l->a[1]], 2, rows, periods, 1, &COMM);
}

STEP(row) { MPI_Cart_sub(communicators[l->a[1]], (const int[]){0, 1}, &COMM); }

/* Each rank has one edge, to the rank that is as far from the end as it is from the beginning. */
STEP(graph)
{
    int *index = truth_alloc((size_t)truth_size * sizeof *index);
    int *edges = truth_alloc((size_t)truth_size * sizeof *edges);

    for (int i = 0; i < truth_size; i++) {
        index[i] = i + 1;
        edges[i] = truth_size - 1 - i;
    }
    MPI_Graph_create(communicators[l->a[1]], truth_size, index, edges, 0, &COMM);
}

/* And the ranks that are the source and the destination of its edges. */
STEP(neighbours)
{
    const int weight = 1;

    MPI_Dist_graph_create_adjacent(communicators[l->a[1]], 1, &l->a[2], &weight, 1, &l->a[3], &weight, MPI_INFO_NULL, 0,
                                   &COMM);
}

STEP(idup)
{
    MPI_Request request;

    MPI_Comm_idup(communicators[l->a[1]], &COMM, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* New communicator, one half, is it the one that connects: halves of MPI_COMM_WORLD find each other by a port. */
STEP(connect_halves)
{
    char port[MPI_MAX_PORT_NAME];

    if (truth_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, truth_size / 2, 3, MPI_COMM_WORLD);
    } else if (truth_rank == truth_size / 2) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (l->a[2])
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, communicators[l->a[1]], &COMM);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, communicators[l->a[1]], &COMM);
}

/* Part of MPI since 4.0: request, peer, tag, partitions, and how many ints in each. */
STEP(partitioned)
{
    int (*init)(void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *);

    *(void **)&init = function(truth_rank == 0 ? "MPI_Psend_init" : "MPI_Precv_init", "");
    init(truth_alloc((size_t)l->a[3] * (size_t)l->a[4] * sizeof(int)), l->a[3], l->a[4], MPI_INT, l->a[1], l->a[2],
         MPI_COMM_WORLD, MPI_INFO_NULL, &requests[l->a[0]]);
    MPI_Start(&requests[l->a[0]]);
}

/* Request, partitions. */
STEP(partitions_ready)
{
    int (*ready)(int partition, MPI_Request request);

    *(void **)&ready = function("MPI_Pready", "");
    for (int i = 1; i < l->n; i++)
        ready(l->a[i], requests[l->a[0]]);
}

/* Sessions are looked up when the program runs: it is compiled with the headers of an older release, too. */
typedef struct ompi_instance_t *session;

static session of_job;

/* New communicator, made from a group of a session (5.0 and later), which has no parent. */
STEP(from_group)
{
    int (*init)(MPI_Info, MPI_Errhandler, session *);
    int (*group_of)(session, const char *, MPI_Group *);
    int (*create_from)(MPI_Group, const char *, MPI_Info, MPI_Errhandler, MPI_Comm *);
    MPI_Group group;

    *(void **)&init = function("MPI_Session_init", "");
    *(void **)&group_of = function("MPI_Group_from_session_pset", "");
    *(void **)&create_from = function("MPI_Comm_create_from_group", "");
    init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &of_job);
    group_of(of_job, "mpi://WORLD", &group);
    if (create_from(group, "ompi-mqd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &COMM) != MPI_SUCCESS)
        truth_fail("no communicator from a group");
    MPI_Group_free(&group);
}

STEP(session_finalize)
{
    int (*finalize)(session *);

    *(void **)&finalize = function("MPI_Session_finalize", "");
    finalize(&of_job);
}
