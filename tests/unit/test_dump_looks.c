/*
 * test_dump_looks.c - compares verdicts with the truth, where the machines of a job are looked at one after the other.
 *
 * Random programs run on a small simulated MPI that counts messages, in random order. Its ranks are on several machines.
 * Each machine is looked at at a moment of its own, and much may happen until the next: so what is put together is no
 * state in which the job has ever been. A certain finding must be true all the same: its ranks have done nothing since
 * they were looked at, and never will. In a good program none may be certain, and none may accuse.
 *
 * When nothing happens any more the looks show what one look would show. So must the verdicts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include "mqd/dump/base/memory.h"
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/verdict/movement.h"

enum {
    MAX_RANKS = 6, MAX_HOSTS = 3, MAX_STEPS = 160, MAX_REQUESTS = 160, MAX_PACKETS = 128, FULL = 40, N_PROGRAMS = 3000,
    N_TAGS = 2, INTERNAL = -16, N_COMMUNICATORS = 2, DUPLICATE = 9, MAX_PAUSE = 40
};

/* What a rank does next. The last ones take no time in MPI. */
enum what { SEND, SSEND, RECEIVE, START_SEND, START_RECEIVE, WAIT_ALL, WAIT_ANY, PROBE, COMPUTE, COUNT, CREATE, FREE, EXIT };
struct step {
    enum what what;
    int peer, tag, communicator;
    const char *function;          /* in which it waits */
    bool goes_on;                  /* it is part of the same call as the step before */
};

struct request {
    bool is_send, open, waited, listed;
    bool matched;                  /* a receive that has its message, and has not told the sender yet */
    bool answered;                 /* a send whose answer is there */
    struct request *answers;       /* to this send, NULL: nobody waits for an answer */
    int source;                    /* of the message of a matched receive */
    int peer, tag, communicator;
    const char *kind;
};

/* A message, or the answer to one. */
struct packet {
    int tag, communicator, generation;
    struct request *send;          /* that waits for an answer; NULL: the message is eager */
    struct request *answer;        /* to this send; NULL: it is a message */
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

/* What a machine showed. */
struct look {
    struct dump_job job;
    bool done;
};

static struct rank ranks[MAX_RANKS];
static int n_ranks, n_hosts;
static struct look looks[MAX_HOSTS];
static struct missing_rank missing[MAX_RANKS];
static struct verdict verdict;
static unsigned program;
static bool is_good, counts_are_known;

/* The same numbers on every machine. */
static uint64_t seed;

static int random_below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
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

static void add_barriers(int communicator)
{
    for (int i = 0; i < n_ranks; i++)
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

static const char *function_of(enum what what)
{
    switch (what) {
    case SSEND:
        return "MPI_Ssend";
    case SEND:
        return "MPI_Send";
    case PROBE:
        return "MPI_Probe";
    case RECEIVE:
        return "MPI_Recv";
    default:
        return "MPI_Waitall";
    }
}

static void add_user(int me, enum what what, int peer, int tag, int communicator)
{
    add_step(me, what, peer, tag, communicator, function_of(what));
}

/* A message, sent and received in one of several ways. */
static void add_exchange(int communicator)
{
    int from = random_below(n_ranks), to = random_below(n_ranks), tag = random_below(N_TAGS);

    if (from == to)
        return;
    switch (random_below(4)) {
    case 0:
        add_user(from, START_SEND, to, tag, communicator);
        add_user(from, WAIT_ALL, 0, 0, communicator);
        break;
    case 1:
        add_user(from, SSEND, to, tag, communicator);
        break;
    default:
        add_user(from, SEND, to, tag, communicator);
    }
    if (random_below(4) == 0) {
        add_user(to, START_RECEIVE, from, tag, communicator);
        add_user(to, WAIT_ALL, 0, 0, communicator);
        return;
    }
    if (random_below(6) == 0)
        add_user(to, PROBE, from, tag, communicator);
    add_user(to, RECEIVE, from, tag, communicator);
}

/* Messages to and fro, or around, all alike: a rank that has gone on looks as it did before. */
static void add_rally(int communicator)
{
    int n_players = 2 + random_below(n_ranks - 1), first = random_below(n_ranks), tag = random_below(N_TAGS);
    enum what what = random_below(2) == 0 ? SEND : SSEND;

    for (int round = 2 + random_below(4); round > 0; round--) {
        for (int i = 0; i < n_players; i++) {
            int me = (first + i) % n_ranks, next = (first + (i + 1) % n_players) % n_ranks;
            int before = (first + (i + n_players - 1) % n_players) % n_ranks;

            if (i == 0)
                add_user(me, what, next, tag, communicator);
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
static void add_duplicate(void)
{
    for (int i = 0; i < n_ranks; i++) {
        int start = ranks[i].n_steps;

        add_step(i, COUNT, 0, 0, 0, "MPI_Comm_dup");
        add_barrier(i, 0, INTERNAL - 2, "MPI_Comm_dup");
        add_step(i, CREATE, 0, 0, 1, "MPI_Comm_dup");
        make_call(i, start);
    }
    for (int i = 1 + random_below(2); i > 0; i--) {
        if (random_below(3) == 0)
            add_nonblocking(1);
        if (random_below(3) == 0)
            add_barriers(1);
        add_exchange(1);
    }
    for (int i = 0; i < n_ranks; i++)
        add_step(i, FREE, 0, 0, 1, "MPI_Comm_free");
}

static void add_computing(void)
{
    add_step(random_below(n_ranks), COMPUTE, 0, 0, 0, NULL);
}

/* What a wrong program does. */
static void add_mistake(void)
{
    int me = random_below(n_ranks), peer = random_below(n_ranks), tag = random_below(N_TAGS);

    switch (random_below(6)) {
    case 0:
        add_user(me, SSEND, peer, tag, 0);
        break;
    case 1:
        add_user(me, RECEIVE, random_below(4) == 0 ? ANY : peer, random_below(4) == 0 ? ANY : tag, 0);
        break;
    case 2:
        add_user(me, START_RECEIVE, random_below(4) == 0 ? ANY : peer, tag, 0);
        break;
    case 3:
        add_user(me, WAIT_ANY, 0, 0, 0);
        ranks[me].steps[ranks[me].n_steps - 1].function = "MPI_Waitany";
        break;
    case 4:
        add_barrier(me, 0, INTERNAL, "MPI_Barrier");
        break;
    default:
        add_step(me, EXIT, 0, 0, 0, NULL);
    }
}

static bool is_full(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (ranks[i].n_steps > FULL)
            return true;
    return false;
}

static void add_part(void)
{
    switch (random_below(8)) {
    case 0:
        add_barriers(0);
        break;
    case 1:
        add_rally(0);
        break;
    case 2:
        add_duplicate();
        break;
    case 3:
        add_nonblocking(0);
        break;
    case 4:
        add_computing();
        break;
    case 5:
        add_overtaken(0);
        break;
    case 6:
        add_broadcast(0);
        break;
    default:
        add_exchange(0);
    }
}

static void make_program(void)
{
    int n_parts = 4 + random_below(8);

    memset(ranks, 0, sizeof ranks);
    n_ranks = 2 + random_below(MAX_RANKS - 1);
    n_hosts = 2 + random_below(MAX_HOSTS - 1);
    for (int i = 0; i < n_ranks; i++) {
        ranks[i].has[0] = true;
        ranks[i].host = i < n_hosts ? i : random_below(n_hosts);
    }
    for (int part = 0; part < n_parts && !is_full(); part++) {
        if (!is_good && random_below(6) == 0)
            add_mistake();
        else
            add_part();
    }
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

static struct request *start(struct rank *rank, bool is_send, const struct step *step, const char *kind)
{
    struct request *request = &rank->requests[rank->n_requests++];

    assert_true(rank->n_requests <= MAX_REQUESTS);
    *request = (struct request){.is_send = is_send, .open = true, .listed = true, .peer = step->peer, .tag = step->tag,
                                .communicator = step->communicator, .kind = kind};
    return request;
}

static struct request *start_send(int me, const struct step *step, const char *kind)
{
    struct rank *rank = &ranks[me];
    struct request *request = kind != NULL ? start(rank, true, step, kind) : NULL;
    struct packet packet = {.tag = step->tag, .communicator = step->communicator,
                            .generation = rank->generation[step->communicator], .send = request, .source = me};

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

static struct request *start_receive(struct rank *rank, const struct step *step)
{
    struct request *request = start(rank, false, step, "Recv");

    rank->counts[step->communicator].n_receives++;
    for (int i = 0; i < rank->unexpected.n; i++) {
        if (fits(request, &rank->unexpected.packets[i])) {
            match(request, &rank->unexpected.packets[i]);
            drop(&rank->unexpected, i);
            break;
        }
    }
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
        packet.answer->answered = true;
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

static void change_communicator(struct rank *rank, const struct step *step)
{
    int communicator = step->communicator;

    switch (step->what) {
    case COUNT:
        rank->counts[communicator].n_nonblocking++;
        break;
    case CREATE:
        rank->has[communicator] = true;
        rank->generation[communicator]++;
        rank->counts[communicator] = (struct counts){.n_sends = 0};
        break;
    default:
        rank->has[communicator] = false;
    }
}

/* A wait is for all that was started and not waited for. */
static void begin(int me)
{
    struct rank *rank = &ranks[me];
    const struct step *step = &rank->steps[rank->at];

    rank->own = NULL;
    switch (step->what) {
    case SEND:
        start_send(me, step, NULL);
        break;
    case SSEND:
        rank->own = start_send(me, step, "Ssend");
        break;
    case RECEIVE:
        rank->own = start_receive(rank, step);
        break;
    case START_SEND:
        start_send(me, step, "Ssend");
        break;
    case START_RECEIVE:
        start_receive(rank, step);
        break;
    case WAIT_ALL:
    case WAIT_ANY:
        for (int i = 0; i < rank->n_requests; i++)
            rank->requests[i].waited = rank->requests[i].listed;
        break;
    case COUNT:
    case CREATE:
    case FREE:
        change_communicator(rank, step);
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
enum event_kind { GO_ON, ARRIVE, END_TRANSFER };
struct event {
    enum event_kind kind;
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

static void list_request(int me, const struct request *request, bool marks)
{
    mqs_pending_operation *operation;

    if (request->is_send) {
        job_send((size_t)me, id_of(request->communicator), request->kind, request->peer, request->tag);
        return;
    }
    operation = job_receive((size_t)me, id_of(request->communicator), request->peer, request->tag);
    if (request->tag < 0 && request->tag != ANY)
        strcpy(job_facts(operation)->purpose, request->tag == INTERNAL ? "MPI_Barrier" : "MPI_Bcast");
    if (request->matched) {
        operation->status = mqs_st_matched;
        operation->actual_local_rank = operation->actual_global_rank = request->source;
        operation->actual_tag = request->tag != ANY ? request->tag : 0;
    }
    if (marks && request->waited)
        job_mark_waited(operation);
}

static void list_requests(int me)
{
    const struct rank *rank = &ranks[me];
    bool marks = rank->begun && (rank->steps[rank->at].what == WAIT_ALL || rank->steps[rank->at].what == WAIT_ANY);

    for (int i = 0; i < rank->n_requests; i++)
        if (rank->requests[i].open && !rank->requests[i].is_send)
            list_request(me, &rank->requests[i], marks);
    for (int to = 0; to < n_ranks; to++)
        for (int i = 0; i < rank->n_requests; i++)
            if (rank->requests[i].open && rank->requests[i].is_send && rank->requests[i].peer == to)
                list_request(me, &rank->requests[i], marks);
}

static void list_unexpected(int me)
{
    for (int i = 0; i < ranks[me].unexpected.n; i++) {
        const struct packet *packet = &ranks[me].unexpected.packets[i];
        mqs_pending_operation *message =
            job_message((size_t)me, id_of(packet->communicator), packet->source, packet->tag);

        if (packet->send == NULL)
            continue;
        message->status = mqs_st_pending;
        job_facts(message)->progress = MQD_PROGRESS_arrived_rendezvous;
    }
}

static void list_counts(int me, int which)
{
    const struct counts *counts = &ranks[me].counts[which];
    struct communicator *communicator = job_communicator_of((size_t)me, id_of(which));

    communicator->summary.n_sends = counts->n_sends;
    communicator->summary.n_receives = counts->n_receives;
    communicator->use.n_nonblocking = counts->n_nonblocking;
    communicator->has_traffic = counts_are_known;
    for (int i = 0; i < n_ranks && counts_are_known; i++) {
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

static void end_look(struct look *look)
{
    job = look->job;
    job_end();
    *look = (struct look){.done = false};
}

/* A machine is looked at twice. What was on its way there to ranks in MPI has arrived at the second look. */
static void look_at(int host, bool pause)
{
    struct dump_job first;

    list();
    first = job;
    begin_pause(host);
    for (int i = random_below(8); i > 0 && pause; i--)
        happens(-1);
    while (happens(host))
        continue;
    for (int i = random_below(4); i > 0 && pause; i--)
        happens(-1);
    list();
    for (int i = 0; i < n_ranks; i++) {
        job.witnesses[i].look = host;
        job.witnesses[i].moved = job.witnesses[i].moved_last =
            job.witnesses[i].missing == NULL && first.witnesses[i].missing == NULL &&
            witness_has_moved(&first.witnesses[i], &job.witnesses[i]);
        if (ranks[i].host == host)
            ranks[i].moves_seen = ranks[i].n_moves;
    }
    looks[host] = (struct look){.job = job, .done = true};
    job = first;
    job_end();
}

static void conclude(bool as_one_look)
{
    struct witness witnesses[MAX_RANKS];

    for (int i = 0; i < n_ranks; i++) {
        witnesses[i] = looks[ranks[i].host].job.witnesses[i];
        witnesses[i].look = as_one_look ? 0 : ranks[i].host;
    }
    verdict_reach(&verdict, witnesses, (size_t)n_ranks);
}

static void end_looks(void)
{
    for (int host = 0; host < n_hosts; host++)
        end_look(&looks[host]);
}

/* The truth. */

static bool says_stuck(const struct finding *finding)
{
    return !finding_rests_on_time(finding) && finding->kind != FINDING_FLOOD && finding->kind != FINDING_TRUNCATED;
}

static void print_rank(int me)
{
    const struct rank *rank = &ranks[me];

    print_error("  rank %d on host %d, step %d of %d, moved %u times since: %s\n", me, rank->host, rank->at, rank->n_steps,
                rank->n_moves - rank->moves_seen,
                rank->ended ? "ended" : is_finished(rank) ? "MPI_Finalize"
                : rank->begun && rank->steps[rank->at].function != NULL ? rank->steps[rank->at].function : "outside");
}

/* What the looks have shown of a rank. */
static void print_shown(int me)
{
    const struct witness *witness = &looks[ranks[me].host].job.witnesses[me];
    const struct listing *listing = witness->listing;

    print_error("  rank %d was in %s%s\n", me, witness->calls != NULL ? witness->calls->calls[0].function : "no call",
                witness->moved ? ", moved" : "");
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        print_error("    communicator %lu, nonblocking %lu:", communicator->unique_id, communicator->use.n_nonblocking);
        for (size_t k = 0; k < communicator->n_traffic; k++)
            print_error(" %ld:%u/%u", communicator->traffic[k].peer, communicator->traffic[k].n_sent,
                        communicator->traffic[k].n_arrived);
        for (int class = 0; class < N_QUEUES; class++)
            for (size_t k = 0; k < communicator->queues[class].n; k++)
                print_error("; class %d peer %ld tag %ld status %d", class,
                            communicator->queues[class].operations[k].desired_local_rank,
                            communicator->queues[class].operations[k].desired_tag,
                            communicator->queues[class].operations[k].status);
        print_error("\n");
    }
}

static void blame(const char *what, const struct finding *finding)
{
    print_error("program %u: %s: %s\n", program, finding_kind_name(finding->kind), finding->sentence);
    for (size_t i = 0; i < finding->n_details; i++)
        print_error("    %s\n", finding->details[i]);
    for (int i = 0; i < n_ranks; i++) {
        print_rank(i);
        print_shown(i);
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
    return finding->kind == FINDING_COLLECTIVES_DIFFER && strstr(finding->sentence, "before which") != NULL;
}

static void take_claims(int *n_possible)
{
    for (size_t i = 0; i < verdict.n; i++) {
        const struct finding *finding = &verdict.findings[i];

        if (!says_stuck(finding))
            continue;
        if (is_good && finding->certain)
            blame("a good program is certain to be stuck", finding);
        *n_possible += !finding->certain;
        for (size_t k = 0; k < finding->n_ranks && finding->certain && !is_about_order(finding); k++) {
            if (!is_stuck(&ranks[finding->ranks[k]]))
                blame("a rank is not stuck", finding);
            ranks[finding->ranks[k]].claimed = true;
            snprintf(ranks[finding->ranks[k]].claim, sizeof ranks[0].claim, "%s: %s", finding_kind_name(finding->kind),
                     finding->sentence);
        }
    }
}

/* One round: each machine is looked at, in any order, and something happens meanwhile. */
static void look_around(int *n_possible)
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
        for (int k = random_below(MAX_PAUSE) * (i + 1 < n_hosts); k > 0; k--)
            happens(-1);
    }
    conclude(false);
    take_claims(n_possible);
    end_looks();
}

struct summary {
    size_t n, n_certain, n_ranks, n_causes;
    bool any_ended;
    char kinds[256];
};

static struct summary summarise(void)
{
    struct summary summary = {.n = verdict.n};

    for (size_t i = 0; i < verdict.n; i++) {
        size_t used = strlen(summary.kinds);

        summary.n_certain += verdict.findings[i].certain;
        summary.n_ranks += verdict.findings[i].n_ranks;
        summary.n_causes += verdict.findings[i].n_causes;
        snprintf(summary.kinds + used, sizeof summary.kinds - used, "%s%s ",
                 finding_kind_name(verdict.findings[i].kind), verdict.findings[i].certain ? "" : "?");
    }
    return summary;
}

static bool any_ended(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (ranks[i].ended)
            return true;
    return false;
}

/* Nothing happens any more. Where messages are counted it makes no difference how many looks there are. */
static void check_end(int *n_stuck, int *n_certain)
{
    struct summary one, several;
    size_t n_unfinished = 0, n_said = 0;
    int ignored = 0;

    for (int host = 0; host < n_hosts; host++)
        look_at(host, false);
    conclude(true);
    one = summarise();
    conclude(false);
    take_claims(&ignored);
    several = summarise();
    for (int i = 0; i < n_ranks; i++)
        n_unfinished += !is_finished(&ranks[i]) && !ranks[i].ended;
    for (size_t i = 0; i < verdict.n; i++)
        n_said += says_stuck(&verdict.findings[i]);
    if (n_unfinished > 0 && n_said == 0)
        fail_msg("program %u: ranks are stuck, and nothing says so", program);
    if (counts_are_known && !any_ended() && strcmp(one.kinds, several.kinds) != 0)
        fail_msg("program %u: one look says %s, several say %s", program, one.kinds, several.kinds);
    assert_true(any_ended() || (one.n_ranks == several.n_ranks && one.n_causes == several.n_causes));
    *n_stuck += n_unfinished > 0;
    *n_certain += several.n_certain > 0;
    end_looks();
}

static void run(int *n_stuck, int *n_certain, int *n_possible)
{
    make_program();
    do {
        if (random_below(12) == 0)
            look_around(n_possible);
    } while (happens(-1));
    check_end(n_stuck, n_certain);
}

static void run_all(bool good, bool counted, int *n_stuck, int *n_certain, int *n_possible)
{
    is_good = good;
    counts_are_known = counted;
    for (program = 0; program < N_PROGRAMS; program++) {
        seed = program;
        run(n_stuck, n_certain, n_possible);
    }
    verdict_clear(&verdict);
}

static void good_programs_are_never_accused(void **state)
{
    int n_stuck = 0, n_certain = 0, n_possible = 0;

    (void)state;
    run_all(true, true, &n_stuck, &n_certain, &n_possible);
    print_message("possible: %d\n", n_possible);
    assert_int_equal(n_stuck, 0);
    assert_int_equal(n_certain, 0);
}

static void verdicts_across_looks_are_true(void **state)
{
    int n_stuck = 0, n_certain = 0, n_possible = 0;

    (void)state;
    run_all(false, true, &n_stuck, &n_certain, &n_possible);
    print_message("stuck %d certain %d\n", n_stuck, n_certain);
    assert_in_range(n_stuck, N_PROGRAMS / 10, N_PROGRAMS * 9 / 10);
    assert_in_range(n_certain, n_stuck / 3, n_stuck);
}

/* A PML that does not count: nothing across looks is certain. */
static void without_counts_good_programs_are_not_certain_to_be_stuck(void **state)
{
    int n_stuck = 0, n_certain = 0, n_possible = 0;

    (void)state;
    run_all(true, false, &n_stuck, &n_certain, &n_possible);
    assert_int_equal(n_stuck, 0);
    assert_int_equal(n_certain, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_programs_are_never_accused),
        cmocka_unit_test(verdicts_across_looks_are_true),
        cmocka_unit_test(without_counts_good_programs_are_not_certain_to_be_stuck),
    };

    return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
