/*
 * A program that is read from a file: prog_script DIRECTORY. Each line of the file "script" there is
 * "RANK STEP ARGUMENT...", all arguments are numbers, and a rank executes its own lines in order. The first line is
 * "repeat N": how often. Each kind of step is a function of its own, so that stacks tell them apart. script.py writes
 * the scripts, and knows the steps.
 *
 * The file "state" has N_RANKS records. Each rank writes into its own one where it is; whoever watches reads it.
 */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { N_ARGUMENTS = 16, N_SLOTS = 64, N_LINES = 4096, N_RANKS = 64, ATTACHED_BYTES = 1 << 20 };

struct state {
    int pid;
    int step;       /* how many steps are done */
    int round;
    int ended;      /* MPI_Finalize has returned */
};

struct line {
    void (*step)(struct line *);
    int n;
    int a[N_ARGUMENTS];
    int *out, *in;  /* memory that stays until the end, since a request may use it */
};

static int rank, size;
static volatile struct state *state;
static struct line lines[N_LINES];
static int n_lines, n_rounds = 1;
static char attached[ATTACHED_BYTES];

static MPI_Comm communicators[N_SLOTS];
static MPI_Request requests[N_SLOTS];
static MPI_Win windows[N_SLOTS];
static int *window_memory[N_SLOTS];
static MPI_File files[N_SLOTS];
static int callback_ms;
static MPI_Comm callback_communicator;

static void fail(const char *what)
{
    fprintf(stderr, "prog_script: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void sleep_ms(int ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};

    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Between two questions: some programs do something else for a while, others ask again at once. */
static void do_something_else(const struct line *l)
{
    if (l->a[0] % 2 == 0)
        sleep_ms(1);
    else
        sched_yield();
}

static int *buffer(int **where, int n)
{
    if (*where == NULL)
        *where = calloc((size_t)n + 1, sizeof(int));
    if (*where == NULL)
        fail("no memory");
    return *where;
}

#define COMM communicators[l->a[0]]
#define STEP(name) static __attribute__((noinline)) void step_##name(struct line *l)

/* Point to point: communicator, peer, tag, count, request. */
#define SEND(name, function)                                                                       \
    STEP(name)                                                                                     \
    {                                                                                              \
        function(buffer(&l->out, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM);              \
    }
#define START(name, function)                                                                      \
    STEP(name)                                                                                     \
    {                                                                                              \
        function(buffer(&l->out, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM,               \
                 &requests[l->a[4]]);                                                              \
    }
SEND(send, MPI_Send)
SEND(ssend, MPI_Ssend)
SEND(rsend, MPI_Rsend)
SEND(bsend, MPI_Bsend)
START(isend, MPI_Isend)
START(issend, MPI_Issend)
START(irsend, MPI_Irsend)
START(ibsend, MPI_Ibsend)
START(irecv, MPI_Irecv)

STEP(send_init)
{
    MPI_Send_init(buffer(&l->out, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, &requests[l->a[4]]);
    MPI_Start(&requests[l->a[4]]);
}

STEP(ssend_init)
{
    MPI_Ssend_init(buffer(&l->out, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, &requests[l->a[4]]);
    MPI_Startall(1, &requests[l->a[4]]);
}

STEP(recv_init)
{
    MPI_Recv_init(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, &requests[l->a[4]]);
    MPI_Start(&requests[l->a[4]]);
}

STEP(free)
{
    if (requests[l->a[0]] != MPI_REQUEST_NULL)
        MPI_Request_free(&requests[l->a[0]]);
}

STEP(recv)
{
    MPI_Recv(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, MPI_STATUS_IGNORE);
}

/* Communicator, destination, tag, count, source, tag, count. */
STEP(sendrecv)
{
    MPI_Sendrecv(buffer(&l->out, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], buffer(&l->in, l->a[6]), l->a[6],
                 MPI_INT, l->a[4], l->a[5], COMM, MPI_STATUS_IGNORE);
}

static void receive_probed(struct line *l, const MPI_Status *status)
{
    MPI_Recv(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, status->MPI_SOURCE, status->MPI_TAG, COMM, MPI_STATUS_IGNORE);
}

STEP(probe)
{
    MPI_Status status;

    MPI_Probe(l->a[1], l->a[2], COMM, &status);
    receive_probed(l, &status);
}

STEP(iprobe)
{
    MPI_Status status;

    for (int found = 0; !found; do_something_else(l))
        MPI_Iprobe(l->a[1], l->a[2], COMM, &found, &status);
    receive_probed(l, &status);
}

STEP(mprobe)
{
    MPI_Message message;

    MPI_Mprobe(l->a[1], l->a[2], COMM, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* Completion: requests. */
static void take_requests(const struct line *l, MPI_Request *taken)
{
    for (int i = 0; i < l->n; i++)
        taken[i] = requests[l->a[i]];
}

/* Those of persistent operations stay. */
static void give_requests_back(const struct line *l, const MPI_Request *taken)
{
    for (int i = 0; i < l->n; i++)
        requests[l->a[i]] = taken[i];
}

STEP(wait)
{
    MPI_Wait(&requests[l->a[0]], MPI_STATUS_IGNORE);
}

STEP(waitall)
{
    MPI_Request taken[N_ARGUMENTS];

    take_requests(l, taken);
    MPI_Waitall(l->n, taken, MPI_STATUSES_IGNORE);
    give_requests_back(l, taken);
}

STEP(waitany)
{
    MPI_Request taken[N_ARGUMENTS];

    take_requests(l, taken);
    for (int i = 0, which; i < l->n; i++)
        MPI_Waitany(l->n, taken, &which, MPI_STATUS_IGNORE);
    give_requests_back(l, taken);
}

STEP(waitsome)
{
    MPI_Request taken[N_ARGUMENTS];
    int which[N_ARGUMENTS];

    take_requests(l, taken);
    for (int i = 0, n; i < l->n; i += n)
        MPI_Waitsome(l->n, taken, &n, which, MPI_STATUSES_IGNORE);
    give_requests_back(l, taken);
}

STEP(test)
{
    for (int done = 0; !done; do_something_else(l))
        MPI_Test(&requests[l->a[0]], &done, MPI_STATUS_IGNORE);
}

STEP(testall)
{
    MPI_Request taken[N_ARGUMENTS];

    take_requests(l, taken);
    for (int done = 0; !done; do_something_else(l))
        MPI_Testall(l->n, taken, &done, MPI_STATUSES_IGNORE);
    give_requests_back(l, taken);
}

STEP(testsome)
{
    MPI_Request taken[N_ARGUMENTS];
    int which[N_ARGUMENTS];

    take_requests(l, taken);
    for (int i = 0, n; i < l->n; i += n) {
        MPI_Testsome(l->n, taken, &n, which, MPI_STATUSES_IGNORE);
        do_something_else(l);
    }
    give_requests_back(l, taken);
}

/* Collectives: communicator, count, root, request. */
#define OUT(parts) buffer(&l->out, l->a[1] * (parts)), l->a[1], MPI_INT
#define IN(parts) buffer(&l->in, l->a[1] * (parts)), l->a[1], MPI_INT
#define BOTH buffer(&l->out, l->a[1]), buffer(&l->in, l->a[1]), l->a[1], MPI_INT, MPI_SUM
#define REQUEST &requests[l->a[3]]

STEP(barrier) { MPI_Barrier(COMM); }
STEP(bcast) { MPI_Bcast(OUT(1), l->a[2], COMM); }
STEP(reduce) { MPI_Reduce(BOTH, l->a[2], COMM); }
STEP(allreduce) { MPI_Allreduce(BOTH, COMM); }
STEP(gather) { MPI_Gather(OUT(1), IN(size), l->a[2], COMM); }
STEP(scatter) { MPI_Scatter(OUT(size), IN(1), l->a[2], COMM); }
STEP(allgather) { MPI_Allgather(OUT(1), IN(size), COMM); }
STEP(alltoall) { MPI_Alltoall(OUT(size), IN(size), COMM); }
STEP(scan) { MPI_Scan(BOTH, COMM); }
STEP(ibarrier) { MPI_Ibarrier(COMM, REQUEST); }
STEP(ibcast) { MPI_Ibcast(OUT(1), l->a[2], COMM, REQUEST); }
STEP(ireduce) { MPI_Ireduce(BOTH, l->a[2], COMM, REQUEST); }
STEP(iallreduce) { MPI_Iallreduce(BOTH, COMM, REQUEST); }
STEP(igather) { MPI_Igather(OUT(1), IN(size), l->a[2], COMM, REQUEST); }
STEP(iscatter) { MPI_Iscatter(OUT(size), IN(1), l->a[2], COMM, REQUEST); }
STEP(iallgather) { MPI_Iallgather(OUT(1), IN(size), COMM, REQUEST); }
STEP(ialltoall) { MPI_Ialltoall(OUT(size), IN(size), COMM, REQUEST); }
STEP(neighbor_allgather) { MPI_Neighbor_allgather(OUT(1), IN(2), COMM); }
STEP(neighbor_alltoall) { MPI_Neighbor_alltoall(OUT(2), IN(2), COMM); }
STEP(ineighbor_alltoall) { MPI_Ineighbor_alltoall(OUT(2), IN(2), COMM, REQUEST); }

/* A reduction whose operation takes the time that is the third argument. */
static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    sleep_ms(callback_ms);
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

STEP(slow_allreduce)
{
    MPI_Op operation;

    callback_ms = l->a[2];
    MPI_Op_create(slow_sum, 1, &operation);
    MPI_Allreduce(buffer(&l->out, l->a[1]), buffer(&l->in, l->a[1]), l->a[1], MPI_INT, operation, COMM);
    MPI_Op_free(&operation);
}

/* Communicators. */
STEP(dup) { MPI_Comm_dup(communicators[l->a[1]], &COMM); }
STEP(split) { MPI_Comm_split(communicators[l->a[1]], l->a[2], rank, &COMM); }

STEP(create)
{
    MPI_Group all, some;

    MPI_Comm_group(communicators[l->a[1]], &all);
    MPI_Group_incl(all, l->n - 2, l->a + 2, &some);
    MPI_Comm_create(communicators[l->a[1]], some, &COMM);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

STEP(cart)
{
    int periodic = 1;

    MPI_Cart_create(communicators[l->a[1]], 1, &l->a[2], &periodic, 0, &COMM);
}

STEP(comm_free) { MPI_Comm_free(&COMM); }

static int delete_slowly(MPI_Comm communicator, int key, void *value, void *extra)
{
    (void)communicator, (void)key, (void)extra;
    sleep_ms(*(int *)value);
    return MPI_SUCCESS;
}

/* New communicator, communicator, milliseconds that it takes to free it. */
STEP(dup_slow)
{
    int key;

    MPI_Comm_dup(communicators[l->a[1]], &COMM);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_slowly, &key, NULL);
    MPI_Comm_set_attr(COMM, key, &l->a[2]);
    MPI_Comm_free_keyval(&key);
}

static int delete_in_finalize(MPI_Comm communicator, int key, void *value, void *extra)
{
    (void)communicator, (void)key, (void)extra;
    sleep_ms(*(int *)value);
    MPI_Barrier(callback_communicator);
    return MPI_SUCCESS;
}

/* Communicator, milliseconds: MPI_Finalize calls back, which takes the time and comes to a barrier. */
STEP(at_finalize)
{
    int key;

    callback_communicator = COMM;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_in_finalize, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &l->a[1]);
}

STEP(errors_return) { MPI_Comm_set_errhandler(COMM, MPI_ERRORS_RETURN); }

/* Windows: window, communicator or rank or ranks. */
#define WINDOW windows[l->a[0]]

STEP(win_create)
{
    MPI_Win_create(buffer(&window_memory[l->a[0]], size), (MPI_Aint)sizeof(int) * size, sizeof(int), MPI_INFO_NULL,
                   communicators[l->a[1]], &WINDOW);
}

STEP(win_allocate)
{
    void *memory;

    MPI_Win_allocate((MPI_Aint)sizeof(int) * size, sizeof(int), MPI_INFO_NULL, communicators[l->a[1]], &memory,
                     &WINDOW);
}

STEP(win_fence) { MPI_Win_fence(0, WINDOW); }
STEP(win_put) { MPI_Put(buffer(&l->out, 1), 1, MPI_INT, l->a[1], 0, 1, MPI_INT, WINDOW); }
STEP(win_lock) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, l->a[1], 0, WINDOW); }
STEP(win_unlock) { MPI_Win_unlock(l->a[1], WINDOW); }
STEP(win_complete) { MPI_Win_complete(WINDOW); }
STEP(win_wait) { MPI_Win_wait(WINDOW); }
STEP(win_free) { MPI_Win_free(&WINDOW); }

static MPI_Group group_of(const struct line *l)
{
    MPI_Group all, some;

    MPI_Win_get_group(WINDOW, &all);
    MPI_Group_incl(all, l->n - 1, l->a + 1, &some);
    MPI_Group_free(&all);
    return some;
}

STEP(win_post)
{
    MPI_Group group = group_of(l);

    MPI_Win_post(group, 0, WINDOW);
    MPI_Group_free(&group);
}

STEP(win_start)
{
    MPI_Group group = group_of(l);

    MPI_Win_start(group, 0, WINDOW);
    MPI_Group_free(&group);
}

/* Files: file, communicator. */
#define FILE_ files[l->a[0]]

STEP(file_open)
{
    char name[32];

    snprintf(name, sizeof name, "file%d", l->a[0]);
    MPI_File_open(communicators[l->a[1]], name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &FILE_);
}

STEP(file_view) { MPI_File_set_view(FILE_, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); }
STEP(file_write)
{
    MPI_File_write_at_all(FILE_, rank, buffer(&l->out, 1), 1, MPI_INT, MPI_STATUS_IGNORE);
}
STEP(file_close) { MPI_File_close(&FILE_); }

/* Outside of MPI. */
STEP(sleep) { sleep_ms(l->a[0]); }

STEP(compute)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (volatile int i = 0; i < 100000; i++)
            continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < l->a[0]);
}

STEP(endless)
{
    (void)l;
    for (volatile unsigned i = 0;; i++)
        continue;
}

STEP(asleep)
{
    (void)l;
    for (;;)
        sleep_ms(60000);
}

STEP(finalize)
{
    (void)l;
    n_lines = (int)(l - lines);
    n_rounds = 0;
}

#define NAMED(name) {#name, step_##name}
static const struct {
    const char *name;
    void (*step)(struct line *);
} steps[] = {
    NAMED(send), NAMED(ssend), NAMED(rsend), NAMED(bsend), NAMED(isend), NAMED(issend), NAMED(irsend), NAMED(ibsend),
    NAMED(send_init), NAMED(ssend_init), NAMED(recv_init), NAMED(free), NAMED(recv), NAMED(irecv), NAMED(sendrecv),
    NAMED(probe), NAMED(iprobe), NAMED(mprobe), NAMED(wait), NAMED(waitall), NAMED(waitany), NAMED(waitsome),
    NAMED(test), NAMED(testall), NAMED(testsome), NAMED(barrier), NAMED(bcast), NAMED(reduce), NAMED(allreduce),
    NAMED(gather), NAMED(scatter), NAMED(allgather), NAMED(alltoall), NAMED(scan), NAMED(ibarrier), NAMED(ibcast),
    NAMED(ireduce), NAMED(iallreduce), NAMED(igather), NAMED(iscatter), NAMED(iallgather), NAMED(ialltoall),
    NAMED(neighbor_allgather), NAMED(neighbor_alltoall), NAMED(ineighbor_alltoall), NAMED(slow_allreduce), NAMED(dup),
    NAMED(split), NAMED(create), NAMED(cart), NAMED(comm_free), NAMED(dup_slow), NAMED(at_finalize),
    NAMED(errors_return), NAMED(win_create), NAMED(win_allocate), NAMED(win_fence), NAMED(win_put), NAMED(win_lock),
    NAMED(win_unlock), NAMED(win_complete), NAMED(win_wait), NAMED(win_free), NAMED(win_post), NAMED(win_start),
    NAMED(file_open), NAMED(file_view), NAMED(file_write), NAMED(file_close), NAMED(sleep), NAMED(compute),
    NAMED(endless), NAMED(asleep), NAMED(finalize),
};

static void (*step_named(const char *name))(struct line *)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(steps[i].name, name) == 0)
            return steps[i].step;
    fail(name);
    return NULL;
}

static void read_line(char *text)
{
    struct line *l = &lines[n_lines];
    char *word = strtok(text, " \n");

    if (word == NULL)
        return;
    if (strcmp(word, "repeat") == 0) {
        n_rounds = atoi(strtok(NULL, " \n"));
        return;
    }
    if (atoi(word) != rank)
        return;
    if (n_lines == N_LINES)
        fail("the script is too long");
    l->step = step_named(strtok(NULL, " \n"));
    while ((word = strtok(NULL, " \n")) != NULL && l->n < N_ARGUMENTS)
        l->a[l->n++] = atoi(word);
    n_lines++;
}

static void read_script(void)
{
    char text[256];
    FILE *script = fopen("script", "r");

    if (script == NULL)
        fail("no script");
    while (fgets(text, sizeof text, script) != NULL)
        read_line(text);
    fclose(script);
}

static void open_state(void)
{
    int descriptor = open("state", O_RDWR);
    struct state *all = mmap(NULL, N_RANKS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);

    if (descriptor < 0 || all == MAP_FAILED)
        fail("no state");
    close(descriptor);
    state = &all[rank];
    state->pid = getpid();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 2 || size > N_RANKS || chdir(argv[1]) != 0)
        fail("usage: prog_script DIRECTORY");
    communicators[0] = MPI_COMM_WORLD;
    for (int i = 0; i < N_SLOTS; i++)
        requests[i] = MPI_REQUEST_NULL;
    read_script();
    open_state();
    MPI_Buffer_attach(attached, sizeof attached);
    for (; state->round < n_rounds; state->round++)
        for (state->step = 0; state->step < n_lines; state->step++)
            lines[state->step].step(&lines[state->step]);
    MPI_Finalize();
    state->ended = 1;
    return 0;
}
