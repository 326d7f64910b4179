/*
 * A program that is read: prog_script DIRECTORY takes it from the file "script" there, prog_script -c SCRIPT from the
 * argument, and prog_script -t SCRIPT does and says what it does, by the steps of told.c. Each line, or each part
 * between semicolons, is "RANK STEP ARGUMENT...", and a rank executes its own lines in order. All arguments are numbers,
 * but for names. A line "repeat N" says how often. Each kind of step is a function of its own, so that stacks tell them
 * apart. script.py writes the scripts, and knows the steps.
 *
 * What may stand before a step: "N times", "counting" (each time the next tag), "thread" (a thread of its own executes it), "late" (MPI_Finalize calls it).
 * "child" is only for a job that was started by another, "parent" for one that was not, "by_arrival" and "by_source" for
 * PMLs that find messages from any source so.
 *
 * The file "state" in the directory has N_RANKS records. Each rank writes into its own one where it is; whoever watches
 * reads it. MQD_THREADS is the level of support for threads: "funneled" or "multiple".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "script.h"
#include "truth.h"

enum {
    N_LINES = 4096, N_RANKS = 64, WINDOW_INTS = N_RANKS, N_THREADS = 16,
    N_CELLS = 2000, N_EDGE = 25000, N_TASKS = 1 << 20, SELF = N_SLOTS - 1
};

struct state {
    int pid;
    int step;       /* how many steps are done */
    int round;
    int ended;      /* MPI_Finalize has returned */
};

static int rank, size;
static char *program, *how, *script;
static struct state unwatched;
static volatile struct state *state = &unwatched;
static struct line lines[N_LINES];
static int n_lines, n_rounds = 1;
char attached[ATTACHED_BYTES];

MPI_Comm communicators[N_SLOTS];
MPI_Request requests[N_SLOTS];
static MPI_Win windows[N_SLOTS];
static void *window_memory[N_SLOTS];
static MPI_File files[N_SLOTS];
static pthread_t threads[N_THREADS];
static int n_threads, n_turns;
static bool asks_at_once, is_child;
static int mark, callback_ms;
static MPI_Comm callback_communicator;

static void fail(const char *what)
{
    fprintf(stderr, "prog_script: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* Ranks and a test wait for each other by files in the directory of the job: this rank has come to its case. */
static void say_ready(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    FILE *file;

    if (directory == NULL || rank == NULL)
        return;
    snprintf(path, sizeof path, "%s/mqd-ready.%s", directory, rank);
    file = fopen(path, "w");
    if (file != NULL)
        fclose(file);
}

/* Has the test seen enough? So it has if it is no longer there. */
static bool is_released(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    char path[4096];

    if (directory == NULL)
        return true;
    snprintf(path, sizeof path, "%s/go", directory);
    return access(path, F_OK) == 0 || access(directory, F_OK) != 0;
}

static void sleep_ms(int ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};

    while (nanosleep(&left, &left) != 0)
        continue;
}

/* Between two questions: some programs do something else for a while, others ask again, or at once. */
static void do_something_else(const struct line *l)
{
    if (asks_at_once)
        return;
    if (l->a[0] % 2 == 0)
        sleep_ms(1);
    else
        sched_yield();
}

static void *buffer(void **where, int n)
{
    if (*where == NULL)
        *where = calloc((size_t)n + 1, sizeof(int));
    if (*where == NULL)
        fail("no memory");
    return *where;
}

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

/*
 * The functions of MPI 4 for large counts, as they stand between a program and a library. Where the library has none,
 * up to Open MPI 5.0, its other ones do.
 */
int PMPI_Recv_c(void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) __attribute__((weak));
int PMPI_Bcast_c(void *, MPI_Count, MPI_Datatype, int, MPI_Comm) __attribute__((weak));

int MPI_Recv_c(void *to, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status *status);
int MPI_Recv_c(void *to, MPI_Count n, MPI_Datatype type, int from, int tag, MPI_Comm communicator, MPI_Status *status)
{
    int rc = PMPI_Recv_c != NULL ? PMPI_Recv_c(to, n, type, from, tag, communicator, status)
                                 : MPI_Recv(to, (int)n, type, from, tag, communicator, status);

    return rc;
}

int MPI_Bcast_c(void *buffer, MPI_Count n, MPI_Datatype type, int root, MPI_Comm communicator);
int MPI_Bcast_c(void *buffer, MPI_Count n, MPI_Datatype type, int root, MPI_Comm communicator)
{
    int rc = PMPI_Bcast_c != NULL ? PMPI_Bcast_c(buffer, n, type, root, communicator)
                                  : MPI_Bcast(buffer, (int)n, type, root, communicator);

    return rc;
}

STEP(recv_c) { MPI_Recv_c(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, MPI_STATUS_IGNORE); }

STEP(recv) { MPI_Recv(buffer(&l->in, l->a[3]), l->a[3], MPI_INT, l->a[1], l->a[2], COMM, MPI_STATUS_IGNORE); }

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

STEP(ask_at_once) { asks_at_once = true; }

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

STEP(wait) { MPI_Wait(&requests[l->a[0]], MPI_STATUS_IGNORE); }

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
STEP(bcast_c) { MPI_Bcast_c(OUT(1), l->a[2], COMM); }
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
STEP(ineighbor_allgather) { MPI_Ineighbor_allgather(OUT(1), IN(2), COMM, REQUEST); }
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
STEP(split) { MPI_Comm_split(communicators[l->a[1]], l->a[2], l->n > 3 ? l->a[3] : rank, &COMM); }

STEP(create)
{
    MPI_Group all, some;

    MPI_Comm_group(communicators[l->a[1]], &all);
    MPI_Group_incl(all, l->n - 2, l->a + 2, &some);
    MPI_Comm_create(communicators[l->a[1]], some, &COMM);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

/* New communicator, communicator; of each dimension its size, and is it a line and no ring. */
STEP(cart)
{
    enum { MOST = 8 };
    int sizes[MOST], periodic[MOST], n = 0;

    for (int i = 2; i < l->n && n < MOST; i += 2, n++) {
        sizes[n] = l->a[i];
        periodic[n] = i + 1 == l->n || !l->a[i + 1];
    }
    MPI_Cart_create(communicators[l->a[1]], n, sizes, periodic, 0, &COMM);
}

STEP(comm_name) { MPI_Comm_set_name(COMM, l->name); }
STEP(comm_free) { MPI_Comm_free(&COMM); }
STEP(comm_disconnect) { MPI_Comm_disconnect(&COMM); }

STEP(overtaking)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_set_info(COMM, info);
    MPI_Info_free(&info);
}

/* New communicator, that of the own part, another one, the rank there which leads the other part. */
STEP(intercomm) { MPI_Intercomm_create(communicators[l->a[1]], 0, communicators[l->a[2]], l->a[3], 11, &COMM); }

/* New communicator, how many ranks. A job that was started so has the same script, and it is to whom it was started by. */
STEP(spawn)
{
    if (is_child)
        MPI_Comm_get_parent(&COMM);
    else
        MPI_Comm_spawn(program, (char *[]){how, script, NULL}, l->n > 1 ? l->a[1] : size, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &COMM, MPI_ERRCODES_IGNORE);
}

/* New communicator, the one between both groups, does this one have the upper ranks: another job does by default. */
STEP(merge) { MPI_Intercomm_merge(communicators[l->a[1]], l->n > 2 ? l->a[2] : is_child, &COMM); }

/* Another program, which is found by a port: its name is in a file, or it is not there. */
static char *port_in(const char *path)
{
    static char port[MPI_MAX_PORT_NAME] = "none";
    FILE *file = NULL;

    while (path != NULL && (file = fopen(path, "r")) == NULL)
        sleep_ms(10);
    if (file != NULL && (fgets(port, sizeof port, file) == NULL || fclose(file) != 0))
        fail("no port");
    return port;
}

/* Communicator, and a new one, to the program whose port is in this file. */
STEP(connect)
{
    MPI_Comm none, *other = l->n > 1 ? &communicators[l->a[1]] : &none;

    MPI_Comm_connect(port_in(l->name), MPI_INFO_NULL, 0, COMM, other);
}

STEP(accept)
{
    MPI_Comm none, *other = l->n > 1 ? &communicators[l->a[1]] : &none;
    char port[MPI_MAX_PORT_NAME], path[4096];
    FILE *file;

    MPI_Open_port(MPI_INFO_NULL, port);
    if (l->name != NULL) {
        snprintf(path, sizeof path, "%s.new", l->name);
        file = fopen(path, "w");
        if (file == NULL || fputs(port, file) < 0 || fclose(file) != 0 || rename(path, l->name) != 0)
            fail("no port");
    }
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, COMM, other);
}

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
    MPI_Win_create(buffer(&window_memory[l->a[0]], WINDOW_INTS), (MPI_Aint)sizeof(int) * WINDOW_INTS, sizeof(int),
                   MPI_INFO_NULL, communicators[l->a[1]], &WINDOW);
}

STEP(win_allocate)
{
    void *memory;

    MPI_Win_allocate((MPI_Aint)sizeof(int) * WINDOW_INTS, sizeof(int), MPI_INFO_NULL, communicators[l->a[1]], &memory,
                     &WINDOW);
}

STEP(win_shared)
{
    void *memory;

    if (MPI_Win_allocate_shared((MPI_Aint)sizeof(int) * WINDOW_INTS, sizeof(int), MPI_INFO_NULL, communicators[l->a[1]],
                                &memory, &WINDOW) != MPI_SUCCESS)
        fail("no window in shared memory");
}

STEP(win_dynamic) { MPI_Win_create_dynamic(MPI_INFO_NULL, communicators[l->a[1]], &WINDOW); }

/* Without a network not every release has a component for each kind: there is no window then. */
STEP(told_windows)
{
    int n = 0;

    for (int i = 0; i < N_SLOTS; i++)
        n += windows[i] != NULL && windows[i] != MPI_WIN_NULL;
    truth_made("a window", n, false);
}

/* Window, rank, count. */
STEP(win_put)
{
    int n = l->n > 2 ? l->a[2] : 1;

    MPI_Put(buffer(&l->out, n), n, MPI_INT, l->a[1], 0, n, MPI_INT, WINDOW);
}

STEP(win_name) { MPI_Win_set_name(WINDOW, l->name); }
STEP(win_fence) { MPI_Win_fence(0, WINDOW); }
STEP(win_flush) { MPI_Win_flush(l->a[1], WINDOW); }
STEP(win_lock) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, l->a[1], 0, WINDOW); }
STEP(win_lock_shared) { MPI_Win_lock(MPI_LOCK_SHARED, l->a[1], 0, WINDOW); }
STEP(win_unlock) { MPI_Win_unlock(l->a[1], WINDOW); }
STEP(win_complete) { MPI_Win_complete(WINDOW); }
STEP(win_wait) { MPI_Win_wait(WINDOW); }

STEP(win_free)
{
    if (WINDOW != MPI_WIN_NULL)
        MPI_Win_free(&WINDOW);
}

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
STEP(file_write) { MPI_File_write_at_all(FILE_, rank, buffer(&l->out, 1), 1, MPI_INT, MPI_STATUS_IGNORE); }
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
    for (volatile unsigned i = 0;; i++)
        continue;
}

STEP(asleep)
{
    for (;;)
        sleep_ms(60000);
}

/* What a rank that beats knows of itself. The first record has the counter of whoever watches (heartbeat.py). */
struct beats {
    uint64_t round;                /* since which the rest is: that counter */
    uint64_t n;
    uint64_t longest, all;         /* ns: between two beats, and of all times that were longer than four sleeps */
    uint64_t pid, reserved[3];
};

static volatile struct beats *map_beats(void)
{
    const char *directory = getenv("MQD_TRUTH_DIR");
    size_t bytes = ((size_t)size + 1) * sizeof(struct beats);
    void *beats = MAP_FAILED;
    char path[4096];
    int descriptor;

    snprintf(path, sizeof path, "%s/beats", directory != NULL ? directory : ".");
    descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (ftruncate(descriptor, (off_t)bytes) == 0)
        beats = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (beats == MAP_FAILED)
        fail("no file for the beats");
    return beats;
}

static uint64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Microseconds: looks at the clock, sleeps for so long, and looks again, until it is ended. A rank that is held looks late:
 * the longest time between two looks is how long it was held, and how long the scheduler, or the sleep, has taken.
 */
STEP(beat)
{
    volatile struct beats *beats = map_beats(), *own = &beats[rank + 1];
    const struct timespec sleep = {.tv_nsec = l->a[0] * 1000L};
    uint64_t before = nanoseconds_now(), after, round;

    own->pid = (uint64_t)getpid();
    for (;; before = after) {
        nanosleep(&sleep, NULL);
        after = nanoseconds_now();
        round = beats->round;
        if (own->round != round) {
            own->longest = own->all = own->n = 0;
            own->round = round;
            continue;
        }
        if (after - before > own->longest)
            own->longest = after - before;
        if (after - before > 4 * (uint64_t)sleep.tv_nsec)
            own->all += after - before;
        own->n++;
    }
}

STEP(exit) { _exit(3); }

static volatile sig_atomic_t may_stumble;

static void let_stumble(int signal)
{
    (void)signal;
    may_stumble = 1;
}

/* Runs into an error of its own, when it is told to. */
STEP(stumble)
{
    signal(SIGUSR1, let_stumble);
    while (!may_stumble)
        continue;
    *(volatile int *)8 = 1;
}

/* Nobody writes. */
STEP(read)
{
    int ends[2];
    char byte;

    if (pipe(ends) != 0 || read(ends[0], &byte, 1) < 0)
        fail("no pipe");
}

/* The parent waits in the kernel, uninterruptibly, for its child to end. */
STEP(vfork)
{
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
}

/* A library, and a function of it that is called. */
STEP(call)
{
    void (*function)(void) = NULL;
    void *library = dlopen(l->name, RTLD_NOW);

    if (library != NULL)
        *(void **)&function = dlsym(library, "use_library");
    if (function == NULL)
        fail("no library");
    function();
}

#ifdef _OPENMP
/* All threads but one wait in a barrier. */
STEP(omp_barrier)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0)
            step_asleep(l);
#pragma omp barrier
    }
}

/* All threads but one wait for a lock. */
STEP(omp_lock)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp critical
        step_asleep(l);
    }
}
#endif

/* In the directory of the job. */
/* A look finds it asleep: on a busy machine access() takes long. */
STEP(await_file)
{
    while (access(l->name, F_OK) != 0)
        sleep_ms(50);
}

STEP(join)
{
    while (n_threads > 0)
        pthread_join(threads[--n_threads], NULL);
}

/* Order of steps. */
STEP(mark) { mark = state->step; }

/* From the mark on, until the test has seen enough: all of the communicator. */
STEP(again)
{
    int go_on = !is_released();

    MPI_Bcast(&go_on, 1, MPI_INT, 0, COMM);
    if (go_on)
        state->step = mark;
}

/* From the mark on, so often. */
STEP(loop)
{
    if (++n_turns < l->a[0])
        state->step = mark;
}

/* Milliseconds: gets on, in and out of MPI, until the test has seen enough. */
STEP(await_release)
{
    int out = 0, in;

    while (!is_released()) {
        sleep_ms(l->a[0]);
        MPI_Sendrecv(&out, 1, MPI_INT, rank, 7, &in, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* The message leaves when the test has seen enough. */
STEP(send_slowly)
{
    while (!is_released())
        sleep_ms(20);
    step_send(l);
}

STEP(finalize)
{
    n_lines = (int)(l - lines);
    n_rounds = 0;
}

/* Whole programs that get on. */

/* Jacobi steps on a ring of ranks, with every tenth residual, for as long as one lets it. */
STEP(stencil)
{
    static double data[2 * N_CELLS + 4], edges[2][N_EDGE];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *old = data + 1, *new = data + N_CELLS + 3, sum, total;

    for (int step = 0;; step++) {
        MPI_Request exchange[4];

        MPI_Irecv(&old[-1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &exchange[0]);
        MPI_Irecv(&old[N_CELLS], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &exchange[1]);
        MPI_Isend(&old[N_CELLS - 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &exchange[2]);
        MPI_Isend(&old[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &exchange[3]);
        MPI_Waitall(4, exchange, MPI_STATUSES_IGNORE);
        sum = 0;
        for (int i = 0; i < N_CELLS; i++) {
            new[i] = (old[i - 1] + old[i + 1]) / 2;
            sum += new[i] - old[i];
        }
        memcpy(old, new, N_CELLS * sizeof *old);
        if (step % 10 == 0)
            MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 1000 == 0)
            MPI_Sendrecv(edges[0], N_EDGE, MPI_DOUBLE, right, 3, edges[1], N_EDGE, MPI_DOUBLE, left, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
}

/* Rank 0 hands out tasks of different lengths to whoever asks. */
STEP(workers)
{
    int task = 0;

    for (int i = 0; i < N_TASKS; i++) {
        if (rank == 0) {
            MPI_Status status;

            MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            task = i;
            MPI_Ssend(&task, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
        } else {
            MPI_Send(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (volatile int k = 0; k < task % 97 * 3000; k = k + 1)
                continue;
        }
    }
}

static void (*step_named(const char *name))(struct line *)
{
    for (const struct step *step = __start_steps; step != __stop_steps; step++)
        if (strcmp(step->name, name) == 0)
            return step->run;
    fail(name);
    return NULL;
}

/* What may stand before a step that is not for all: 1 if it is for this rank, 0 if it is not, -1: it is no such word. */
static int condition(const char *word)
{
    const struct {
        const char *word;
        bool holds;
    } all[] = {{"child", is_child}, {"parent", !is_child}, {"by_arrival", truth_by_arrival()},
               {"by_source", !truth_by_arrival()}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i].word) == 0)
            return all[i].holds;
    return -1;
}

/* A script has the numbers of Open MPI's mpi.h, with which those of the ABI of MPI 5.0 differ. Tags are third and sixth. */
static int number_in_mpi_h(long number, int i)
{
    bool is_tag = i == 2 || i == 5;

    if (number == -1)
        return is_tag ? MPI_ANY_TAG : MPI_ANY_SOURCE;
    return number == -2 && !is_tag ? MPI_PROC_NULL : (int)number;
}

/* A name has tildes in place of spaces. */
static void read_argument(struct line *l, char *word)
{
    char *end;
    long number = strtol(word, &end, 10);

    if (*end == '\0' && l->n < N_ARGUMENTS) {
        l->a[l->n] = number_in_mpi_h(number, l->n);
        l->n++;
    } else if (!told_flag(l, word)) {
        for (char *c = word; *c != '\0'; c++)
            *c = *c == '~' ? ' ' : *c;
        l->name = word;
    }
}

static void read_line(char *text)
{
    struct line *l = &lines[n_lines];
    char *rest, *word = strtok_r(text, " ", &rest);

    if (word == NULL)
        return;
    if (strcmp(word, "repeat") == 0) {
        n_rounds = atoi(strtok_r(NULL, " ", &rest));
        return;
    }
    if (atoi(word) != rank)
        return;
    if (n_lines == N_LINES)
        fail("the script is too long");
    l->times = 1;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL && l->step == NULL)
        if (strcmp(word, "thread") == 0)
            l->in_thread = true;
        else if (strcmp(word, "counting") == 0)
            l->is_counting = true;
        else if (strcmp(word, "late") == 0)
            l->in_finalize = true;
        else if (condition(word) == 0)
            return;
        else if (atoi(word) > 0)
            l->times = atoi(word);
        else if (strcmp(word, "times") != 0 && condition(word) < 0)
            l->step = step_named(word);
    for (; word != NULL; word = strtok_r(NULL, " ", &rest))
        read_argument(l, word);
    n_lines++;
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t room = 0;

    if (file == NULL || getdelim(&text, &room, '\0', file) < 0)
        fail("no script");
    fclose(file);
    return text;
}

static void read_script(const char *text)
{
    char *rest, *copy = strdup(text);

    for (char *line = strtok_r(copy, ";\n", &rest); line != NULL; line = strtok_r(NULL, ";\n", &rest))
        read_line(line);
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

static void *run_line(void *line)
{
    struct line *l = line;

    for (int i = 0; i < l->times; i++) {
        l->step(l);
        l->a[2] += l->is_counting;
    }
    return NULL;
}

static int run_in_finalize(MPI_Comm communicator, int key, void *line, void *extra)
{
    (void)communicator, (void)key, (void)extra;
    run_line(line);
    return MPI_SUCCESS;
}

static void run(struct line *l)
{
    int key;

    if (l->in_finalize) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run_in_finalize, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, l);
    } else if (!l->in_thread) {
        run_line(l);
    } else if (n_threads == N_THREADS || pthread_create(&threads[n_threads++], NULL, run_line, l) != 0) {
        fail("no thread");
    }
}

static void initialise(int *argc, char ***argv)
{
    const char *level = getenv("MQD_THREADS");
    int given;

    MPI_Init_thread(argc, argv, level == NULL                    ? MPI_THREAD_SINGLE
                                : strcmp(level, "funneled") == 0 ? MPI_THREAD_FUNNELED
                                                                 : MPI_THREAD_MULTIPLE, &given);
}

static void prepare(void)
{
    MPI_Comm parent;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    is_child = parent != MPI_COMM_NULL;
    communicators[0] = MPI_COMM_WORLD;
    communicators[SELF] = MPI_COMM_SELF;
    for (int i = 0; i < N_SLOTS; i++)
        requests[i] = MPI_REQUEST_NULL;
    told_begin();
    MPI_Buffer_attach(attached, sizeof attached);
}

int main(int argc, char **argv)
{
    bool tells = argc == 3 && strcmp(argv[1], "-t") == 0;

    (tells ? truth_init : initialise)(&argc, &argv);
    prepare();
    program = argv[0];
    if (argc == 3) {
        how = argv[1];
        script = argv[2];
        read_script(script);
        if (!tells)
            say_ready();
    } else if (argc == 2 && size <= N_RANKS && chdir(argv[1]) == 0) {
        read_script(read_file("script"));
        open_state();
    } else {
        fail("usage: prog_script DIRECTORY|-c SCRIPT|-t SCRIPT");
    }
    for (; state->round < n_rounds; state->round++)
        for (state->step = 0; state->step < n_lines; state->step++)
            run(&lines[state->step]);
    if (tells)
        truth_finalize();
    else
        MPI_Finalize();
    state->ended = 1;
    return 0;
}
