/*
 * test_dump_simulation.c - compares verdicts with the truth. Random programs run on a small simulated MPI, in random
 * order.
 *
 * The ranks are on one or several machines. Each machine is looked at twice, at a moment of its own, with messages on
 * their way, and much may happen until the next: so what is put together is no state in which the job has ever been. A
 * certain finding must be true all the same: its ranks have done nothing since they were looked at, and never will. In
 * a good program none may be certain, and none may accuse. When nothing happens any more the looks show what one look
 * would show. So must the verdicts, and there must be a finding if ranks are stuck.
 *
 * With the PML ucx nothing is counted, and neither blocking standard sends nor blocking receives that have a message
 * are listed. There requests get addresses again, and all calls are at one place of the program, so that much looks the
 * same that is not.
 */
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/show/say/explanation.h"
#include "mqd/dump/verdict/movement.h"

enum {
    MAX_RANKS = 6, MAX_HOSTS = 3, MAX_STEPS = 160, MAX_REQUESTS = 160, MAX_PACKETS = 128, FULL = 40, N_TAGS = 2,
    INTERNAL = -16, N_COMMUNICATORS = 2, DUPLICATE = 9, MAX_PAUSE = 40
};

/* What a rank does next. The last ones take no time in MPI. */
enum what {
    SEND, LARGE_SEND, SSEND, RECEIVE, START_SEND, START_RECEIVE, WAIT_ALL, WAIT_ANY, PROBE, COMPUTE, COUNT, CREATE,
    FREE, EXIT
};
struct step {
    enum what what;
    int peer, tag, communicator;
    const char *function;          /* in which it waits */
    bool goes_on;                  /* it is part of the same call as the step before */
};

struct request {
    bool is_send, open, waited, listed;
    bool blocking;                 /* of a blocking call */
    bool matched;                  /* a receive that has its message, and has not told the sender yet */
    struct request *answers;       /* to this send, NULL: nobody waits for an answer */
    int source;                    /* of the message of a matched receive */
    int peer, tag, communicator;
    const char *kind;
    unsigned long address;
    long sequence;
};

/* A message, or the answer to one. */
struct packet {
    int tag, communicator, generation;
    struct request *send;          /* that waits for an answer; NULL: the message is eager */
    struct request *answer;        /* to this send; NULL: it is a message */
    unsigned long named;           /* the address of the send; 0: the message does not name it */
    int source;
    bool old;                      /* it was on its way at the first look */
};
struct packets {
    struct packet packets[MAX_PACKETS];
    int n;
};

struct counts {
    uint16_t sent[MAX_RANKS], arrived[MAX_RANKS];
    unsigned long n_sends, n_receives, n_nonblocking;
};

struct rank {
    struct step steps[MAX_STEPS];
    int n_steps, at, host;
    bool begun;                    /* the step has started its operation, and waits */
    bool ended;                    /* there is no process any more */
    struct request requests[MAX_REQUESTS];
    int n_requests;
    long n_posted;                 /* receives that found no message */
    struct request *own;           /* what a blocking step waits for */
    struct packets unexpected, way[MAX_RANKS];
    struct counts counts[N_COMMUNICATORS];
    bool has[N_COMMUNICATORS];
    int generation[N_COMMUNICATORS];
    unsigned n_moves, moves_seen;  /* now, and when it was looked at */
    bool stays;                    /* it has not left MPI since the first look */
    bool claimed;                  /* it was said to be stuck: */
    char claim[256];
};

/* How programs run and are looked at. */
struct mode {
    bool good, counted, ucx;
    int n_programs, max_hosts, looks; /* one of so many things that happen is a look */
};

static const struct mode *mode;
static struct rank ranks[MAX_RANKS];
static int n_ranks, n_hosts;
static struct dump_job looks[MAX_HOSTS];
static struct missing_rank missing[MAX_RANKS];
static struct explanation explanation;
static const struct verdict *const verdict = &explanation.verdict;
static unsigned program;

/* The same numbers on every machine. */
static uint64_t seed;

static int random_below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

static bool one_in(int n)
{
    return random_below(n) == 0;
}

/* Programs. */

static void add_step(int me, enum what what, int peer, int tag, int communicator, const char *function)
{
    struct rank *rank = &ranks[me];

    assert_true(rank->n_steps < MAX_STEPS);
    rank->steps[rank->n_steps++] = (struct step){what, peer, tag, communicator, function, false};
}

/* All steps from the first on are one call. */
static void make_call(int me, int first)
{
    for (int i = first + 1; i < ranks[me].n_steps; i++)
        ranks[me].steps[i].goes_on = true;
}

/* Each sends to one farther away in each round, and waits for the one as far before. */
static void add_barrier(int me, int communicator, int tag, const char *function)
{
    int start = ranks[me].n_steps;

    for (int distance = 1; distance < n_ranks; distance *= 2) {
        add_step(me, SEND, (me + distance) % n_ranks, tag, communicator, function);
        add_step(me, RECEIVE, (me + n_ranks - distance) % n_ranks, tag, communicator, function);
    }
    make_call(me, start);
}

/* As Open MPI does it for few ranks: all send to rank 0, then rank 0 sends to all. */
static void add_linear_barrier(int me, int communicator)
{
    int start = ranks[me].n_steps;

    for (int other = 1; other < n_ranks && me == 0; other++)
        add_step(me, RECEIVE, ANY, INTERNAL, communicator, "MPI_Barrier");
    for (int other = 1; other < n_ranks && me == 0; other++)
        add_step(me, SEND, other, INTERNAL, communicator, "MPI_Barrier");
    if (me != 0) {
        add_step(me, SEND, 0, INTERNAL, communicator, "MPI_Barrier");
        add_step(me, RECEIVE, 0, INTERNAL, communicator, "MPI_Barrier");
    }
    make_call(me, start);
}

static void add_barriers(int communicator)
{
    for (int i = 0; i < n_ranks; i++)
        if (mode->max_hosts == 1)
            add_linear_barrier(i, communicator);
        else
            add_barrier(i, communicator, INTERNAL, "MPI_Barrier");
}

/* The root has it first, and nobody waits for those below: ranks run ahead of others. */
static void add_broadcast(int communicator)
{
    int root = random_below(n_ranks);

    for (int place = 0; place < n_ranks; place++) {
        int me = (root + place) % n_ranks, start = ranks[me].n_steps;

        if (place > 0)
            add_step(me, RECEIVE, (root + (place - 1) / 2) % n_ranks, INTERNAL - 1, communicator, "MPI_Bcast");
        for (int child = 2 * place + 1; child <= 2 * place + 2 && child < n_ranks; child++)
            add_step(me, SEND, (root + child) % n_ranks, INTERNAL - 1, communicator, "MPI_Bcast");
        make_call(me, start);
    }
}

static void add_user(int me, enum what what, int peer, int tag, int communicator)
{
    static const char *const functions[] = {
        [SEND] = "MPI_Send", [LARGE_SEND] = "MPI_Send", [SSEND] = "MPI_Ssend", [RECEIVE] = "MPI_Recv",
        [START_SEND] = "MPI_Isend", [START_RECEIVE] = "MPI_Irecv", [WAIT_ALL] = "MPI_Waitall",
        [WAIT_ANY] = "MPI_Waitany", [PROBE] = "MPI_Probe"};

    add_step(me, what, peer, tag, communicator, functions[what]);
}

static enum what random_send(void)
{
    static const enum what sends[] = {SEND, SSEND, LARGE_SEND};

    return sends[random_below(mode->ucx ? 3 : 2)];
}

/* A message, sent and received in one of several ways. */
static void add_exchange(int communicator)
{
    int from = random_below(n_ranks), to = random_below(n_ranks), tag = random_below(N_TAGS);

    if (from == to)
        return;
    if (one_in(4)) {
        add_user(from, START_SEND, to, tag, communicator);
        add_user(from, WAIT_ALL, 0, 0, communicator);
    } else {
        add_user(from, one_in(2) ? SEND : random_send(), to, tag, communicator);
    }
    if (one_in(4)) {
        add_user(to, START_RECEIVE, from, tag, communicator);
        add_user(to, WAIT_ALL, 0, 0, communicator);
        return;
    }
    if (one_in(6))
        add_user(to, PROBE, from, tag, communicator);
    add_user(to, RECEIVE, !mode->good && one_in(4) ? ANY : from, tag, communicator);
}

/* Messages to and fro, or around, all alike: a rank that has gone on looks as it did before. */
static void add_rally(int communicator)
{
    int n_players = 2 + random_below(n_ranks - 1), first = random_below(n_ranks), tag = random_below(N_TAGS);
    enum what what = random_send();
    bool probes = one_in(4);

    for (int round = 2 + random_below(4); round > 0; round--) {
        for (int i = 0; i < n_players; i++) {
            int me = (first + i) % n_ranks, next = (first + (i + 1) % n_players) % n_ranks;
            int before = (first + (i + n_players - 1) % n_players) % n_ranks;

            if (i == 0)
                add_user(me, what, next, tag, communicator);
            if (probes)
                add_user(me, PROBE, before, tag, communicator);
            add_user(me, RECEIVE, before, tag, communicator);
            if (i > 0)
                add_user(me, what, next, tag, communicator);
        }
    }
}

/* Two messages of one tag: one whose sender waits in the end, and one that is gone at once. */
static void add_overtaken(int communicator)
{
    int from = random_below(n_ranks), to = (from + 1) % n_ranks;

    add_user(from, START_SEND, to, 0, communicator);
    add_user(from, SEND, to, 0, communicator);
    add_user(from, WAIT_ALL, 0, 0, communicator);
    add_user(from, SEND, to, 1, communicator);
    add_user(to, RECEIVE, from, 0, communicator);
    add_user(to, RECEIVE, from, 1, communicator);
    add_user(to, RECEIVE, from, 0, communicator);
}

static void add_nonblocking(int communicator)
{
    for (int i = 0; i < n_ranks; i++)
        add_step(i, COUNT, 0, 0, communicator, "MPI_Ibarrier");
}

/* A communicator that is made, used and freed: the next one has its number. */
static void add_duplicate(int communicator)
{
    for (int i = 0; i < n_ranks; i++) {
        int start = ranks[i].n_steps;

        add_step(i, COUNT, 0, 0, communicator, "MPI_Comm_dup");
        add_barrier(i, communicator, INTERNAL - 2, "MPI_Comm_dup");
        add_step(i, CREATE, 0, 0, 1, "MPI_Comm_dup");
        make_call(i, start);
    }
    for (int i = 1 + random_below(2); i > 0; i--) {
        if (one_in(3))
            add_nonblocking(1);
        if (one_in(3))
            add_barriers(1);
        add_exchange(1);
    }
    for (int i = 0; i < n_ranks; i++)
        add_step(i, FREE, 0, 0, 1, "MPI_Comm_free");
}

static void add_computing(int communicator)
{
    add_step(random_below(n_ranks), COMPUTE, 0, 0, communicator, NULL);
}

/* What a wrong program does. */
static void add_mistake(int communicator)
{
    int me = random_below(n_ranks), peer = random_below(n_ranks), tag = random_below(N_TAGS);

    switch (random_below(mode->max_hosts == 1 ? 7 : 6)) {
    case 0:
        add_user(me, SSEND, peer, tag, communicator);
        break;
    case 1:
        add_user(me, RECEIVE, one_in(4) ? ANY : peer, one_in(4) ? ANY : tag, communicator);
        break;
    case 2:
        add_user(me, START_RECEIVE, one_in(4) ? ANY : peer, tag, communicator);
        break;
    case 3:
        add_user(me, one_in(2) ? WAIT_ANY : WAIT_ALL, 0, 0, communicator);
        break;
    case 4:
        add_barrier(me, communicator, INTERNAL, "MPI_Barrier");
        break;
    case 5:
        if (mode->max_hosts > 1)
            add_step(me, EXIT, 0, 0, communicator, NULL);
        else
            add_user(me, PROBE, peer, tag, communicator);
        break;
    default:
        add_user(me, one_in(2) ? START_SEND : random_send(), peer, tag, communicator);
    }
}

static bool is_full(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (ranks[i].n_steps > (mode->max_hosts == 1 ? FULL / 2 : FULL))
            return true;
    return false;
}

/* On one machine all that is left over is a mistake: it is not certain that a rank has ended, or computes. */
static void make_program(void)
{
    static void (*const parts[])(int communicator) = {
        add_exchange, add_barriers, add_rally, add_overtaken, add_broadcast, add_nonblocking, add_duplicate,
        add_computing};
    int n_parts = 4 + random_below(8), n_kinds = mode->ucx ? 3 : (int)N_OF(parts);

    memset(ranks, 0, sizeof ranks);
    n_ranks = 2 + random_below((mode->ucx ? 4 : MAX_RANKS) - 1);
    n_hosts = mode->max_hosts == 1 ? 1 : 2 + random_below(mode->max_hosts - 1);
    for (int i = 0; i < n_ranks; i++) {
        ranks[i].has[0] = true;
        ranks[i].host = i < n_hosts ? i : random_below(n_hosts);
    }
    for (int part = 0; part < n_parts && !is_full(); part++)
        if (!mode->good && one_in(6))
            add_mistake(0);
        else
            parts[mode->ucx && one_in(2) ? 2 : random_below(n_kinds)](0);
}

/* Messages. */

static void put(struct packets *packets, const struct packet *packet)
{
    assert_true(packets->n < MAX_PACKETS);
    packets->packets[packets->n++] = *packet;
}

static void drop(struct packets *packets, int i)
{
    memmove(&packets->packets[i], &packets->packets[i + 1], (size_t)(--packets->n - i) * sizeof packets->packets[0]);
}

static bool fits(const struct request *receive, const struct packet *packet)
{
    return (receive->peer == ANY || receive->peer == packet->source) && receive->communicator == packet->communicator &&
           (receive->tag == packet->tag || (receive->tag == ANY && packet->tag >= 0));
}

/* The first address that no request has. Requests of blocking standard sends and of receives are on the stack. */
static unsigned long new_address(const struct rank *rank, bool blocking, const char *kind)
{
    unsigned long address = blocking && strcmp(kind, "Ssend") != 0 ? 0x7000 : 0x1000;
    bool is_used = address == 0x1000;

    while (is_used) {
        is_used = false;
        for (int i = 0; i < rank->n_requests; i++)
            is_used |= rank->requests[i].open && rank->requests[i].address == address;
        address += is_used ? 0x100 : 0;
    }
    return address;
}

static struct request *start(struct rank *rank, bool is_send, const struct step *step, const char *kind, bool blocking)
{
    struct request *request = &rank->requests[rank->n_requests];

    assert_true(rank->n_requests < MAX_REQUESTS);
    *request = (struct request){.is_send = is_send, .open = true, .listed = true, .blocking = blocking,
                                .peer = step->peer, .tag = step->tag, .communicator = step->communicator, .kind = kind,
                                .address = new_address(rank, blocking, kind), .sequence = -1};
    rank->n_requests++;
    return request;
}

/* Large messages name their send, those of synchronous sends may. Without a kind the message is eager. */
static struct request *start_send(int me, const struct step *step, const char *kind, bool blocking)
{
    struct rank *rank = &ranks[me];
    struct request *request = kind != NULL ? start(rank, true, step, kind, blocking) : NULL;
    bool named = mode->ucx && request != NULL && (strcmp(kind, "Send") == 0 || one_in(2));
    struct packet packet = {.tag = step->tag, .communicator = step->communicator,
                            .generation = rank->generation[step->communicator], .send = request, .source = me,
                            .named = named ? request->address : 0};

    rank->counts[step->communicator].sent[step->peer]++;
    rank->counts[step->communicator].n_sends++;
    put(&ranks[step->peer].way[me], &packet);
    return request;
}

/* Who waits for an answer gets it when the receive ends. */
static void match(struct request *receive, const struct packet *packet)
{
    receive->matched = true;
    receive->answers = packet->send;
    receive->source = packet->source;
    if (packet->send == NULL)
        receive->open = false;
}

static struct request *start_receive(struct rank *rank, const struct step *step, bool blocking)
{
    struct request *request = start(rank, false, step, "Recv", blocking);

    rank->counts[step->communicator].n_receives++;
    for (int i = 0; i < rank->unexpected.n; i++) {
        if (fits(request, &rank->unexpected.packets[i])) {
            match(request, &rank->unexpected.packets[i]);
            drop(&rank->unexpected, i);
            return request;
        }
    }
    request->sequence = rank->n_posted++;
    return request;
}

/* A message for a communicator that is not there yet waits on its way. */
static bool can_arrive(const struct rank *rank, int from)
{
    const struct packet *packet = &rank->way[from].packets[0];

    return rank->way[from].n > 0 &&
           (packet->answer != NULL || (rank->has[packet->communicator] &&
                                       rank->generation[packet->communicator] == packet->generation));
}

static void deliver(struct rank *rank, int from)
{
    struct packet packet = rank->way[from].packets[0];

    drop(&rank->way[from], 0);
    if (packet.answer != NULL) {
        packet.answer->open = false;
        return;
    }
    rank->counts[packet.communicator].arrived[from]++;
    for (int i = 0; i < rank->n_requests; i++) {
        struct request *request = &rank->requests[i];

        if (!request->is_send && request->open && !request->matched && fits(request, &packet)) {
            match(request, &packet);
            return;
        }
    }
    put(&rank->unexpected, &packet);
}

static bool can_end_transfer(const struct request *request)
{
    return request->open && !request->is_send && request->matched;
}

static void end_transfer(int me, struct request *request)
{
    struct packet packet = {.answer = request->answers, .source = me};

    request->open = false;
    put(&ranks[request->source].way[me], &packet);
}

/* Running. */

static bool is_finished(const struct rank *rank)
{
    return rank->at == rank->n_steps;
}

static bool is_in_mpi(const struct rank *rank)
{
    const struct step *step = &rank->steps[rank->at];

    return !rank->ended && (is_finished(rank) || step->goes_on || (rank->begun && step->what != COMPUTE));
}

static bool are_all_finished(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (!is_finished(&ranks[i]) && !ranks[i].ended)
            return false;
    return true;
}

static bool any_ended(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (ranks[i].ended)
            return true;
    return false;
}

static bool can_end_wait(const struct rank *rank, enum what what)
{
    bool all = true, any = false, none = true;

    for (int i = 0; i < rank->n_requests; i++) {
        if (!rank->requests[i].waited)
            continue;
        none = false;
        all &= !rank->requests[i].open;
        any |= !rank->requests[i].open;
    }
    return what == WAIT_ALL ? all : any || none;
}

/* Nobody leaves MPI_Finalize before all are in it. */
static bool can_go_on(const struct rank *rank)
{
    const struct step *step = &rank->steps[rank->at];

    if (rank->ended)
        return false;
    if (is_finished(rank))
        return are_all_finished();
    if (!rank->begun)
        return true;
    if (step->what == PROBE) {
        const struct request probe = {.peer = step->peer, .tag = step->tag, .communicator = step->communicator};

        for (int i = 0; i < rank->unexpected.n; i++)
            if (fits(&probe, &rank->unexpected.packets[i]))
                return true;
        return false;
    }
    if (step->what == WAIT_ALL || step->what == WAIT_ANY)
        return can_end_wait(rank, step->what);
    return rank->own == NULL || !rank->own->open;
}

/* A wait is for all that was started and not waited for. */
static void begin(int me)
{
    struct rank *rank = &ranks[me];
    const struct step *step = &rank->steps[rank->at];

    rank->own = NULL;
    switch (step->what) {
    case SEND:
        start_send(me, step, NULL, true);
        break;
    case LARGE_SEND:
    case SSEND:
        rank->own = start_send(me, step, step->what == SSEND ? "Ssend" : "Send", true);
        break;
    case RECEIVE:
        rank->own = start_receive(rank, step, true);
        break;
    case START_SEND:
        start_send(me, step, mode->ucx ? "Send" : "Ssend", false);
        break;
    case START_RECEIVE:
        start_receive(rank, step, false);
        break;
    case WAIT_ALL:
    case WAIT_ANY:
        for (int i = 0; i < rank->n_requests; i++)
            rank->requests[i].waited = rank->requests[i].listed;
        break;
    case COUNT:
        rank->counts[step->communicator].n_nonblocking++;
        break;
    case CREATE:
        rank->generation[step->communicator]++;
        rank->counts[step->communicator] = (struct counts){.n_sends = 0};
        rank->has[step->communicator] = true;
        break;
    case FREE:
        rank->has[step->communicator] = false;
        break;
    case EXIT:
        rank->ended = true;
        break;
    case PROBE:
    case COMPUTE:
        break;
    }
    rank->begun = true;
}

static void end_step(struct rank *rank)
{
    for (int i = 0; i < rank->n_requests; i++) {
        rank->requests[i].waited = false;
        rank->requests[i].listed &= rank->requests[i].open;
    }
    rank->begun = false;
    rank->at++;
    rank->stays &= is_in_mpi(rank);
}

static void go_on(int me)
{
    struct rank *rank = &ranks[me];

    if (rank->claimed)
        fail_msg("program %u: rank %d goes on: %s", program, me, rank->claim);
    rank->n_moves++;
    if (is_finished(rank))
        rank->ended = true;
    else if (rank->begun)
        end_step(rank);
    else
        begin(me);
}

/* What can happen: a rank goes on, something arrives there from another, or one of its receives ends. */
struct event {
    enum { GO_ON, ARRIVE, END_TRANSFER } kind;
    int rank, which;
};
enum { MAX_EVENTS = MAX_RANKS * (1 + MAX_RANKS + MAX_REQUESTS) };

/* With a host only what happens there in the pause between two looks in any case; -1: all that can happen. */
static int find_events(struct event *events, int host)
{
    int n = 0;

    for (int i = 0; i < n_ranks; i++) {
        const struct rank *rank = &ranks[i];

        if (host >= 0 && (!rank->stays || rank->host != host))
            continue;
        if (can_go_on(rank))
            events[n++] = (struct event){GO_ON, i, 0};
        if (!is_in_mpi(rank))
            continue;
        for (int from = 0; from < n_ranks; from++)
            if (can_arrive(rank, from) && (host < 0 || rank->way[from].packets[0].old))
                events[n++] = (struct event){ARRIVE, i, from};
        for (int k = 0; k < rank->n_requests; k++)
            if (can_end_transfer(&rank->requests[k]))
                events[n++] = (struct event){END_TRANSFER, i, k};
    }
    return n;
}

/* One thing that can happen, chosen at random; false if nothing can. */
static bool happens(int host)
{
    struct event events[MAX_EVENTS];
    int n = find_events(events, host);
    const struct event *event;

    if (n == 0)
        return false;
    event = &events[random_below(n)];
    if (event->kind == GO_ON)
        go_on(event->rank);
    else if (event->kind == ARRIVE)
        deliver(&ranks[event->rank], event->which);
    else
        end_transfer(event->rank, &ranks[event->rank].requests[event->which]);
    return true;
}

/* Listing. */

static mqs_taddr_t id_of(int communicator)
{
    return communicator == 0 ? WORLD : DUPLICATE;
}

static bool is_named_at_receiver(int me, const struct request *request)
{
    const struct packets *there = &ranks[request->peer].unexpected;

    for (int i = 0; i < there->n; i++)
        if (there->packets[i].source == me && there->packets[i].named == request->address)
            return true;
    return false;
}

/* One that ucx hides is listed if a message names it. */
static void list_send(int me, const struct request *request)
{
    bool hidden = mode->ucx && request->blocking && strcmp(request->kind, "Send") == 0;
    bool named = mode->ucx && is_named_at_receiver(me, request);
    struct queued *operation;

    if (hidden && !named)
        return;
    operation = job_send((size_t)me, id_of(request->communicator), request->kind, request->peer, request->tag);
    if (!mode->ucx)
        return;
    operation->request = request->address;
    operation->found = hidden;
    operation->named = named;
}

static void list_receive(int me, const struct request *request, bool marks)
{
    struct queued *operation;

    if (mode->ucx && request->blocking && request->matched)
        return;
    operation = job_receive((size_t)me, id_of(request->communicator), request->peer, request->tag);
    if (request->tag < 0 && request->tag != ANY)
        operation->purpose = request->tag == INTERNAL ? "MPI_Barrier" : "MPI_Bcast";
    if (request->matched) {
        operation->status = mqs_st_matched;
        operation->actual_local_rank = operation->actual_global_rank = request->source;
        operation->actual_tag = request->tag != ANY ? request->tag : 0;
    }
    if (mode->ucx) {
        operation->sequence = request->sequence;
        operation->request = request->address;
    }
    if (marks && (request->waited || (mode->ucx && request->blocking)))
        job_mark_waited(operation);
}

static void list_requests(int me)
{
    const struct rank *rank = &ranks[me];
    enum what what = rank->steps[rank->at].what;
    bool marks = rank->begun && (what == WAIT_ALL || what == WAIT_ANY || (mode->ucx && what != PROBE));

    for (int i = 0; i < rank->n_requests; i++)
        if (rank->requests[i].open && !rank->requests[i].is_send)
            list_receive(me, &rank->requests[i], marks);
    for (int to = 0; to < n_ranks; to++)
        for (int i = 0; i < rank->n_requests; i++)
            if (rank->requests[i].open && rank->requests[i].is_send && rank->requests[i].peer == to)
                list_send(me, &rank->requests[i]);
}

static void list_unexpected(int me)
{
    for (int i = 0; i < ranks[me].unexpected.n; i++) {
        const struct packet *packet = &ranks[me].unexpected.packets[i];
        struct queued *message =
            job_message((size_t)me, id_of(packet->communicator), packet->source, packet->tag);

        message->send_request = packet->named;
        if (packet->send == NULL || mode->ucx)
            continue;
        message->status = mqs_st_pending;
        message->progress = MQD_PROGRESS_arrived_rendezvous;
    }
}

static void list_counts(int me, int which)
{
    const struct counts *counts = &ranks[me].counts[which];
    struct communicator *communicator = job_communicator_of((size_t)me, id_of(which));

    if (mode->ucx)
        return;
    communicator->summary.n_sends = counts->n_sends;
    communicator->summary.n_receives = counts->n_receives;
    communicator->use.n_nonblocking = counts->n_nonblocking;
    communicator->has_traffic = mode->counted;
    for (int i = 0; i < n_ranks && mode->counted; i++) {
        if (counts->sent[i] == 0 && counts->arrived[i] == 0)
            continue;
        communicator->traffic = grow_array(communicator->traffic, communicator->n_traffic, &communicator->traffic_room,
                                           sizeof *communicator->traffic);
        communicator->traffic[communicator->n_traffic++] =
            (struct traffic){.peer = i, .n_sent = counts->sent[i], .n_arrived = counts->arrived[i]};
    }
}

static void list_ended(int me)
{
    struct listing *listing = &job.listings[me];

    listing_free(listing);
    *listing = (struct listing){.pid = 100 + me, .rank = me, .error = copy_string("it has ended")};
    missing[me] = (struct missing_rank){.rank = me, .job = "", .pid = 100 + me, .certain = true, .fate = "has ended"};
    job.witnesses[me].missing = &missing[me];
    calls_clear(&job.calls[me]);
    job.witnesses[me].calls = NULL;
}

static void list_rank(int me)
{
    const struct rank *rank = &ranks[me];

    if (rank->ended) {
        list_ended(me);
        return;
    }
    if (rank->has[1])
        job_add_communicator((size_t)me, DUPLICATE, "dup", NULL, n_ranks);
    for (int which = 0; which < N_COMMUNICATORS; which++)
        if (rank->has[which])
            list_counts(me, which);
    list_requests(me);
    list_unexpected(me);
    if (is_finished(rank))
        job_in((size_t)me, "MPI_Finalize");
    else if (is_in_mpi(rank))
        job_in((size_t)me, rank->steps[rank->at].function);
}

static void list(void)
{
    job_start((size_t)n_ranks);
    if (mode->ucx)
        job_use_ucx();
    for (int i = 0; i < n_ranks; i++)
        list_rank(i);
}

/* Looks. */

/* Notes what is on its way at the first look, and who looks for messages from now on. */
static void begin_pause(int host)
{
    for (int i = 0; i < n_ranks; i++) {
        ranks[i].stays = is_in_mpi(&ranks[i]);
        for (int from = 0; from < n_ranks; from++)
            for (int k = 0; k < ranks[i].way[from].n; k++)
                ranks[i].way[from].packets[k].old = ranks[from].host == host;
    }
}

static void some_happen(int most)
{
    for (int i = random_below(most); i > 0; i--)
        happens(-1);
}

/* A machine is looked at twice. What was on its way there to ranks in MPI has arrived at the second look. */
static void look_at(int host, bool pause)
{
    struct dump_job first;

    list();
    first = job;
    begin_pause(host);
    if (pause)
        some_happen(8);
    while (happens(host))
        continue;
    if (pause)
        some_happen(4);
    list();
    for (int i = 0; i < n_ranks; i++) {
        job.witnesses[i].look = host;
        job.witnesses[i].moved = job.witnesses[i].moved_last =
            job.witnesses[i].missing == NULL && first.witnesses[i].missing == NULL &&
            witness_has_moved(&first.witnesses[i], &job.witnesses[i]);
        if (ranks[i].host == host)
            ranks[i].moves_seen = ranks[i].n_moves;
    }
    looks[host] = job;
    job = first;
    job_end();
}

static void conclude(bool as_one_look)
{
    struct witness witnesses[MAX_RANKS];

    for (int i = 0; i < n_ranks; i++) {
        witnesses[i] = looks[ranks[i].host].witnesses[i];
        witnesses[i].look = as_one_look ? 0 : ranks[i].host;
    }
    explanation_reach(&explanation, witnesses, (size_t)n_ranks);
}

static void end_looks(void)
{
    for (int host = 0; host < n_hosts; host++) {
        job = looks[host];
        job_end();
    }
}

/* The truth. */

static bool says_stuck(const struct finding *finding)
{
    return !finding_rests_on_time(finding) && finding->kind != FINDING_FLOOD && finding->kind != FINDING_TRUNCATED;
}

static void blame(const char *what, const struct finding *finding)
{
    const struct explained *said = &explanation.findings[finding - verdict->findings];

    print_error("program %u: %s: %s\n", program, finding_kind_name(finding->kind), said->sentence);
    for (size_t i = 0; i < said->n_details; i++)
        print_error("    %s\n", said->details[i]);
    for (int me = 0; me < n_ranks; me++) {
        const struct rank *rank = &ranks[me];
        const struct witness *witness = &looks[rank->host].witnesses[me];

        print_error("  rank %d on host %d was in %s%s; now in step %d of %d, moved %u times since\n", me, rank->host,
                    witness->calls != NULL ? witness->calls->calls[0].function : "no call",
                    witness->moved ? ", moved" : "", rank->at, rank->n_steps, rank->n_moves - rank->moves_seen);
    }
    fail_msg("%s", what);
}

/* A rank that has ended may be what is found. */
static bool is_stuck(const struct rank *rank)
{
    return rank->ended || (rank->n_moves == rank->moves_seen && !can_go_on(rank) && !is_finished(rank));
}

/* That ranks call functions in different orders is wrong, even if their messages match others' meanwhile. */
static bool is_about_order(const struct finding *finding)
{
    return finding->facts.claim == CLAIM_ORDER;
}

static void take_claims(void)
{
    for (size_t i = 0; i < verdict->n; i++) {
        const struct finding *finding = &verdict->findings[i];

        if (!says_stuck(finding) || !finding->certain)
            continue;
        if (mode->good)
            blame("a good program is certain to be stuck", finding);
        for (size_t k = 0; k < finding->n_ranks && !is_about_order(finding); k++) {
            if (!is_stuck(&ranks[finding->ranks[k]]))
                blame("a rank is not stuck", finding);
            ranks[finding->ranks[k]].claimed = true;
            snprintf(ranks[finding->ranks[k]].claim, sizeof ranks[0].claim, "%s: %s", finding_kind_name(finding->kind),
                     explanation.findings[i].sentence);
        }
    }
}

/* One round: each machine is looked at, in any order, and something happens meanwhile. */
static void look_around(void)
{
    int order[MAX_HOSTS];

    for (int host = 0; host < n_hosts; host++)
        order[host] = host;
    for (int i = n_hosts - 1; i > 0; i--) {
        int k = random_below(i + 1), host = order[i];

        order[i] = order[k];
        order[k] = host;
    }
    for (int i = 0; i < n_hosts; i++) {
        look_at(order[i], true);
        if (i + 1 < n_hosts)
            some_happen(MAX_PAUSE);
    }
    conclude(false);
    take_claims();
    end_looks();
}

/* The kinds and sizes of all findings. */
static const char *summary_of_verdict(void)
{
    char *text = test_text("%s", "");

    for (size_t i = 0; i < verdict->n; i++)
        text = test_text("%s%s%s of %zu for %zu, ", text, finding_kind_name(verdict->findings[i].kind),
                         verdict->findings[i].certain ? "" : "?", verdict->findings[i].n_ranks,
                         verdict->findings[i].n_causes);
    return text;
}

/* Nothing happens any more. Where messages are counted it makes no difference how many looks there are. */
static void check_end(int *n_stuck, int *n_certain)
{
    int n_unfinished = 0, n_said = 0;
    bool any_certain = false;
    const char *one;

    for (int host = 0; host < n_hosts; host++)
        look_at(host, false);
    conclude(true);
    one = summary_of_verdict();
    conclude(false);
    take_claims();
    if (mode->counted && !any_ended())
        assert_string_equal(one, summary_of_verdict());
    for (int i = 0; i < n_ranks; i++)
        n_unfinished += !is_finished(&ranks[i]) && !ranks[i].ended;
    for (size_t i = 0; i < verdict->n; i++) {
        n_said += says_stuck(&verdict->findings[i]);
        any_certain |= verdict->findings[i].certain;
    }
    if (n_unfinished > 0 ? n_said == 0 : n_said > 0 && are_all_finished() && mode->max_hosts == 1)
        fail_msg("program %u: %d ranks are stuck, %d findings say so", program, n_unfinished, n_said);
    *n_stuck += n_unfinished > 0;
    *n_certain += any_certain;
    end_looks();
}

/* So many programs must get stuck, and of these so many for certain, in percent; or little is tested. */
static void run(struct mode of, int least_stuck, int least_certain)
{
    int n_stuck = 0, n_certain = 0;

    mode = &of;
    for (program = 0; program < (unsigned)mode->n_programs; program++) {
        seed = program;
        make_program();
        do {
            if (one_in(mode->looks))
                look_around();
        } while (happens(-1));
        check_end(&n_stuck, &n_certain);
    }
    explanation_clear(&explanation);
    print_message("stuck %d certain %d\n", n_stuck, n_certain);
    assert_in_range(n_stuck, mode->n_programs * least_stuck / 100, mode->n_programs * (mode->good ? 0 : 90) / 100);
    assert_in_range(n_certain, n_stuck * least_certain / 100, n_stuck);
}

TEST(good_programs_are_never_accused)
{
    run((struct mode){.good = true, .counted = true, .n_programs = 3000, .max_hosts = MAX_HOSTS, .looks = 12}, 0, 0);
}

TEST(verdicts_across_looks_are_true)
{
    run((struct mode){.counted = true, .n_programs = 3000, .max_hosts = MAX_HOSTS, .looks = 12}, 10, 33);
}

/* A PML that does not count: nothing across looks is certain. */
TEST(without_counts_good_programs_are_not_certain_to_be_stuck)
{
    run((struct mode){.good = true, .n_programs = 3000, .max_hosts = MAX_HOSTS, .looks = 12}, 0, 0);
}

TEST(verdicts_of_one_machine_are_true)
{
    run((struct mode){.n_programs = 4000, .max_hosts = 1, .looks = 3}, 10, 50);
}

/* Most of what is stuck must be certain. */
TEST(verdicts_on_ucx_are_true)
{
    run((struct mode){.ucx = true, .n_programs = 4000, .max_hosts = 1, .looks = 2}, 10, 50);
}
