/* truth.c - writes what a test program says about itself. */
#define _GNU_SOURCE
#include "truth.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMUNICATORS = 256, MAX_MADE = 4, MAX_PATH = 4096, NO_SUCH_TAG = 32766, COMPARED_BYTES = 64 };

struct queue {
    struct truth_op *ops;
    size_t n, room;
    bool unknown;
};

struct communicator {
    MPI_Comm comm;
    char key[32];
    const char *internal;
    int n_nonblocking;         /* -1: not compared */
    bool order_known;
    struct queue queues[TRUTH_N_QUEUES];
};

struct made {
    const char *purpose;
    int n;
    bool operations;
};

struct block {
    struct block *next;
    max_align_t bytes[];
};

int truth_rank, truth_size;
static int thread_level = -1;
static struct communicator communicators[MAX_COMMUNICATORS];
static size_t n_communicators;
static struct made made[MAX_MADE];
static size_t n_made;
static struct block *blocks;

void truth_fail(const char *what)
{
    fprintf(stderr, "rank %d: %s\n", truth_rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *truth_alloc(size_t bytes)
{
    struct block *block = calloc(1, sizeof *block + bytes);

    if (!block)
        truth_fail("out of memory");
    block->next = blocks;
    blocks = block;
    return block->bytes;
}

void truth_finalize(void)
{
    for (size_t i = 0; i < n_communicators; i++)
        for (int queue = 0; queue < TRUTH_N_QUEUES; queue++)
            free(communicators[i].queues[queue].ops);
    MPI_Finalize();
    while (blocks) {
        struct block *next = blocks->next;

        free(blocks);
        blocks = next;
    }
}

static const char *truth_directory(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");

    if (!directory || !*directory) {
        fputs("MQD_TRUTH_DIR must name the directory for the truth files\n", stderr);
        exit(2);
    }
    return directory;
}

void truth_init(int *argc, char ***argv)
{
    truth_directory();
    /* Where only a process's ancestors may trace it, the listing's command must be allowed to. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    MPI_Init_thread(argc, argv, getenv("MQD_TRUTH_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &thread_level);
    MPI_Comm_rank(MPI_COMM_WORLD, &truth_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &truth_size);
    truth_communicator(MPI_COMM_WORLD, "world");
    truth_communicator(MPI_COMM_SELF, "self");
}

static struct communicator *find_communicator(MPI_Comm comm)
{
    for (size_t i = 0; i < n_communicators; i++)
        if (communicators[i].comm == comm)
            return &communicators[i];
    truth_fail("an operation on a communicator that was not stated");
    abort();
}

void truth_communicator(MPI_Comm comm, const char *key)
{
    struct communicator *known = &communicators[n_communicators];

    if (comm == MPI_COMM_NULL)
        return;
    if (n_communicators == MAX_COMMUNICATORS)
        truth_fail("too many communicators");
    known->comm = comm;
    known->n_nonblocking = -1;
    snprintf(known->key, sizeof known->key, "%s", key);
    n_communicators++;
}

bool truth_by_arrival(void)
{
    const char *pml = getenv("MQD_TRUTH_PML");

    return pml && !strcmp(pml, "ucx");
}

void truth_order_known(MPI_Comm comm)
{
    find_communicator(comm)->order_known = true;
}

void truth_unknown(enum truth_queue queue, MPI_Comm comm)
{
    find_communicator(comm)->queues[queue].unknown = true;
}

void truth_internal(MPI_Comm comm, const char *what)
{
    find_communicator(comm)->internal = what;
}

void truth_nonblocking(MPI_Comm comm, int n)
{
    find_communicator(comm)->n_nonblocking = n;
}

void truth_made(const char *purpose, int n, bool operations)
{
    if (n_made == MAX_MADE)
        truth_fail("too many kinds of communicators of Open MPI's own");
    made[n_made++] = (struct made){.purpose = purpose, .n = n, .operations = operations};
}

/* Sends go behind the last one with the same destination or a lower one. */
static size_t place_of(const struct queue *queue, enum truth_queue which, const struct truth_op *op)
{
    size_t place = queue->n;

    if (which == TRUTH_SENDS)
        while (place && queue->ops[place - 1].peer > op->peer)
            place--;
    return place;
}

void truth_state(enum truth_queue which, struct truth_op op)
{
    struct queue *queue = &find_communicator(op.comm)->queues[which];
    size_t place = place_of(queue, which, &op);

    if (queue->n == queue->room) {
        queue->room = queue->room ? 2 * queue->room : 16;
        queue->ops = realloc(queue->ops, queue->room * sizeof *queue->ops);
        if (!queue->ops)
            truth_fail("out of memory");
    }
    memmove(&queue->ops[place + 1], &queue->ops[place], (queue->n - place) * sizeof *queue->ops);
    queue->ops[place] = op;
    queue->n++;
}

void truth_await_message(MPI_Comm comm, int source, int tag)
{
    int arrived = 0;

    while (!arrived)
        MPI_Iprobe(source, tag, comm, &arrived, MPI_STATUS_IGNORE);
}

void truth_await_request(MPI_Request request)
{
    int complete = 0;

    while (!complete)
        MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
}

static unsigned char content(size_t i, int source, int tag)
{
    return (unsigned char)(i * 7 + (size_t)source * 31 + (size_t)tag * 101 + 1);
}

void truth_fill(void *buffer, size_t bytes, int source, int tag)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)buffer)[i] = content(i, source, tag);
}

void truth_check(const void *buffer, size_t bytes, int source, int tag)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)buffer)[i] != content(i, source, tag))
            truth_fail("a message was not received as it was sent");
}

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

/* The ranks in MPI_COMM_WORLD of n members of a group; -1 for a process of another job. */
static void translate(MPI_Group group, int n, const int *members, int *world_ranks)
{
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, n, members, world, world_ranks);
    MPI_Group_free(&world);
    for (int i = 0; i < n; i++)
        if (world_ranks[i] == MPI_UNDEFINED)
            world_ranks[i] = -1;
}

static int world_rank(MPI_Comm comm, int peer)
{
    MPI_Group group;
    int inter, rank;

    if (peer == MPI_ANY_SOURCE)
        return -1;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_group(comm, &group);
    else
        MPI_Comm_group(comm, &group);
    translate(group, 1, &peer, &rank);
    MPI_Group_free(&group);
    return rank;
}

static void write_ranks(FILE *file, const char *which, const struct truth_op *op, int peer)
{
    fprintf(file, ",\"%s_local_rank\":%d,\"%s_global_rank\":%d", which, peer == MPI_ANY_SOURCE ? -1 : peer, which,
            world_rank(op->comm, peer));
}

static void write_actual(FILE *file, const struct truth_op *op, int peer, int tag, size_t bytes)
{
    write_ranks(file, "actual", op, peer);
    fprintf(file, ",\"actual_tag\":%d,\"actual_length\":%zu", tag, bytes);
}

static void write_data(FILE *file, const struct truth_op *op, size_t bytes)
{
    fprintf(file, ",\"%s\":\"", op->rendezvous ? "data_if_any" : "data");
    for (size_t i = 0; i < bytes && i < COMPARED_BYTES; i++)
        fprintf(file, "%02x", ((const unsigned char *)op->buffer)[i]);
    fputc('"', file);
}

static void write_where(FILE *file, enum truth_queue queue, const struct truth_op *op, size_t bytes)
{
    fprintf(file, ",\"system_buffer\":%d", queue == TRUTH_UNEXPECTED || op->pool);
    if (queue == TRUTH_UNEXPECTED && bytes)
        write_data(file, op, bytes);
    else if (op->pool)
        fprintf(file, ",\"buffer\":[\"0x%jx\",\"0x%jx\"]", (uintmax_t)(uintptr_t)op->pool,
                (uintmax_t)((uintptr_t)op->pool + op->pool_bytes - bytes));
    else if (queue != TRUTH_UNEXPECTED)
        fprintf(file, ",\"buffer\":\"0x%jx\"", (uintmax_t)(uintptr_t)op->buffer);
}

/* Is it known whether the handle was freed? MPI_Bsend, of which the program has no handle, frees that itself. */
static bool knows_freed(enum truth_queue queue, const struct truth_op *op)
{
    return queue != TRUTH_UNEXPECTED && (op->request || strcmp(op->kind, "Bsend") != 0);
}

/* What is not known here is left out. */
static void write_facts(FILE *file, enum truth_queue queue, const struct truth_op *op)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;

    if (queue == TRUTH_UNEXPECTED) {
        fprintf(file, ",\"facts\":{\"call\":\"message\",\"protocol\":\"%s\",\"request\":null,\"persistent\":false}",
                op->rendezvous ? "rendezvous" : "eager");
        return;
    }
    fprintf(file, ",\"facts\":{\"persistent\":%s,\"internal\":false", op->persistent ? "true" : "false");
    if (knows_freed(queue, op))
        fprintf(file, ",\"freed\":%s", op->freed ? "true" : "false");
    fputs(",\"call\":\"", file);
    for (const char *c = op->kind; *c; c++)
        fputc(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c, file);
    fputc('"', file);
    if (op->count) {
        fprintf(file, ",\"count\":%d", op->count);
        MPI_Type_get_name(op->type, name, &length);
    }
    if (length) {
        fputs(",\"datatype\":", file);
        write_string(file, name);
    }
    if (op->request)
        fprintf(file, ",\"request\":\"0x%jx\"", (uintmax_t)(uintptr_t)op->request);
    fputc('}', file);
}

/* Do its elements lie one after the other from the buffer's address on? */
static bool is_contiguous(MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;
    MPI_Count size;

    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    return low == 0 && true_low == 0 && extent == true_extent && true_extent == size;
}

static void write_op(FILE *file, enum truth_queue queue, const struct truth_op *op)
{
    static const char *const statuses[] = {"pending", "matched", "complete"};
    MPI_Count size;
    size_t bytes;

    MPI_Type_size_x(op->type, &size);
    bytes = (size_t)size * (size_t)op->count;
    fprintf(file, "{\"status\":\"%s\"", statuses[op->status]);
    write_ranks(file, "desired", op, op->peer);
    if (op->tag == MPI_ANY_TAG)
        fputs(",\"tag_wild\":1", file);
    else
        fprintf(file, ",\"tag_wild\":0,\"desired_tag\":%d", op->tag);
    fprintf(file, ",\"desired_length\":%zu", bytes);
    write_where(file, queue, op, bytes);
    if (queue != TRUTH_RECEIVES)
        write_actual(file, op, op->peer, op->tag, bytes);
    else if (op->status != TRUTH_PENDING && !op->cancelled)
        write_actual(file, op, op->actual_peer, op->actual_tag, op->actual_bytes);
    write_facts(file, queue, op);
    fprintf(file, ",\"optional\":%s,\"found\":%s,\"contiguous\":%s}", op->optional ? "true" : "false",
            op->found ? "true" : "false", is_contiguous(op->type) ? "true" : "false");
}

static void write_queue(FILE *file, const struct communicator *known, enum truth_queue which)
{
    static const char *const names[] = {"pending_sends", "pending_receives", "unexpected_messages"};
    const struct queue *queue = &known->queues[which];

    fprintf(file, ",\n  \"%s\":", names[which]);
    if (queue->unknown) {
        fputs("null", file);
        return;
    }
    for (size_t i = 0; i < queue->n; i++) {
        fputs(i ? ",\n    " : "[\n    ", file);
        write_op(file, which, &queue->ops[i]);
    }
    fputs(queue->n ? "]" : "[]", file);
}

static void write_group(FILE *file, MPI_Comm comm, int size)
{
    int *members = truth_alloc((size_t)size * sizeof *members);
    int *world_ranks = truth_alloc((size_t)size * sizeof *world_ranks);
    MPI_Group group;

    for (int i = 0; i < size; i++)
        members[i] = i;
    MPI_Comm_group(comm, &group);
    translate(group, size, members, world_ranks);
    MPI_Group_free(&group);
    for (int i = 0; i < size; i++)
        fprintf(file, "%s%d", i ? "," : "", world_ranks[i]);
}

/* A name as a listing has it: no character of UTF-8 is cut in two, as Open MPI does with one that is too long. */
static void end_at_character(char *name, int length)
{
    int start = length;

    while (start > 0 && ((unsigned char)name[start - 1] & 0xc0) == 0x80)
        start--;
    /* What begins one has as many bits set as it has bytes. */
    if (start > 0 && (unsigned char)name[start - 1] >= 0xc0 &&
        ((unsigned char)name[start - 1] << (length - start + 1) & 0x80))
        name[start - 1] = '\0';
}

static void write_communicator(FILE *file, const struct communicator *known)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, rank, size;

    MPI_Comm_get_name(known->comm, name, &length);
    end_at_character(name, length);
    MPI_Comm_rank(known->comm, &rank);
    MPI_Comm_size(known->comm, &size);
    fprintf(file, " {\"key\":\"%s\",\"name\":", known->key);
    if (length)
        write_string(file, name);
    else
        fputs("null", file);
    fprintf(file, ",\"local_rank\":%d,\"size\":%d,\"internal\":", rank, size);
    if (known->internal)
        write_string(file, known->internal);
    else
        fputs("false", file);
    if (known->n_nonblocking >= 0)
        fprintf(file, ",\"nonblocking\":%d", known->n_nonblocking);
    fprintf(file, ",\"order_known\":%s", known->order_known ? "true" : "false");
    fputs(",\"group\":[", file);
    write_group(file, known->comm, size);
    fputc(']', file);
    for (int queue = 0; queue < TRUTH_N_QUEUES; queue++)
        write_queue(file, known, (enum truth_queue)queue);
    fputc('}', file);
}

/* A session has a level of its own. */
static void write_thread_level(FILE *file)
{
    const char *name = thread_level == MPI_THREAD_SINGLE       ? "\"single\""
                       : thread_level == MPI_THREAD_FUNNELED   ? "\"funneled\""
                       : thread_level == MPI_THREAD_SERIALIZED ? "\"serialized\""
                       : thread_level == MPI_THREAD_MULTIPLE   ? "\"multiple\""
                                                               : "null";

    fprintf(file, ",\"thread_level\":%s", name);
}

static void write_truth(FILE *file, enum truth_park park)
{
    static const char *const parks[] = {"sleeps", "progresses", "blocks"};

    fprintf(file, "{\"pid\":%ld,\"rank\":%d,\"park\":\"%s\"", (long)getpid(), truth_rank, parks[park]);
    write_thread_level(file);
    fputs(",\"communicators\":[\n", file);
    for (size_t i = 0; i < n_communicators; i++) {
        write_communicator(file, &communicators[i]);
        fputs(i + 1 < n_communicators ? ",\n" : "", file);
    }
    fputs("],\n \"made\":[", file);
    for (size_t i = 0; i < n_made; i++) {
        fputs(i ? ",{\"purpose\":" : "{\"purpose\":", file);
        write_string(file, made[i].purpose);
        fprintf(file, ",\"count\":%d,\"operations\":%s}", made[i].n, made[i].operations ? "true" : "false");
    }
    fputs("]}\n", file);
}

void truth_park(enum truth_park park)
{
    char path[MAX_PATH], unfinished[MAX_PATH];
    FILE *file;

    snprintf(path, sizeof path, "%s/%d.json", truth_directory(), truth_rank);
    snprintf(unfinished, sizeof unfinished, "%s/%d.unfinished", truth_directory(), truth_rank);
    file = fopen(unfinished, "w");
    if (!file)
        truth_fail("cannot create the truth file");
    write_truth(file, park);
    if (ferror(file) || fclose(file) || rename(unfinished, path))
        truth_fail("cannot write the truth file");
}

void truth_await_parked(int rank)
{
    char path[MAX_PATH];

    snprintf(path, sizeof path, "%s/%d.json", truth_directory(), rank);
    while (access(path, F_OK))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

void truth_wait(enum truth_park park)
{
    char go[MAX_PATH];
    int arrived;

    snprintf(go, sizeof go, "%s/go", truth_directory());
    while (access(go, F_OK)) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        if (park == TRUTH_PROGRESSES)
            MPI_Iprobe(0, NO_SUCH_TAG, MPI_COMM_SELF, &arrived, MPI_STATUS_IGNORE);
        if (access(truth_directory(), F_OK))
            truth_fail("the directory for the truth files is gone, and so is who runs this test");
    }
}
