/*
 * test_dump_simulation.c - compares verdicts with the truth. Random programs run on a small simulated MPI, in random
 * order.
 *
 * Whenever no message is on its way, the test lists the ranks as the debug DLL would list them, and asks for a verdict.
 * If a certain finding says that a rank is stuck, this rank must never go on. If no rank can go on, there must be a
 * finding, and no finished rank may be its cause.
 *
 * The other simulation is of a PML that counts nothing, and lists neither blocking standard sends nor blocking receives
 * that have a message. There the ranks are looked at twice, at any moment, with messages on their way, as mqdump does:
 * between the looks arrives what was on its way to ranks in MPI. Requests get addresses again, and all calls are at one
 * place of the program, so that much looks the same that is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before CMocka, which has a macro of the name of a function there. */
#include <cmocka.h>

#include "dump_job.h"
#include "mqd/dump/verdict/movement.h"

enum { MAX_RANKS = 4, MAX_STEPS = 64, MAX_REQUESTS = 128, FULL = 16, N_PROGRAMS = 4000, N_TAGS = 2, INTERNAL = -16 };

/* What a rank does next; a barrier is a few of them with internal tags. */
enum what { SEND, LARGE_SEND, SSEND, RECEIVE, START_SEND, START_RECEIVE, WAIT_ALL, WAIT_ANY, PROBE };
struct step {
    enum what what;
    int peer, tag;
    const char *function;          /* in which it waits */
};

struct request {
    bool is_send, open, waited;
    int peer, tag;
    const char *kind;
    bool blocking;                 /* of a blocking call */
    bool matched;                  /* a receive that gets its message */
    struct request *answers;       /* to this send, when it has it */
    bool answered;                 /* a send whose answer is on its way */
    unsigned long address;
    long sequence;
};

/* A message that has left its sender. */
struct parcel {
    int source, tag;
    struct request *send;          /* the request that is complete when it is received; NULL: eager */
    unsigned long named;           /* the address of this request; 0: the message does not name it */
    bool old;                      /* it was on its way at the first look */
};
struct parcels {
    struct parcel parcels[MAX_REQUESTS];
    int n;
};

struct rank {
    struct step steps[MAX_STEPS];
    int n_steps, at;
    bool begun;                    /* the step has started its operation, and waits */
    struct request requests[MAX_REQUESTS];
    int n_requests;
    struct request *own;           /* what a blocking step waits for */
    struct parcels unexpected;
    struct parcels arriving[MAX_RANKS];
    long n_posted;                 /* receives that found no message */
    bool stays;                    /* it has not left MPI since the first look */
    bool claimed;                  /* it was said to be stuck, at this step */
    int claimed_at;
};
static struct rank ranks[MAX_RANKS];
static int n_ranks;
static struct verdict verdict;
static bool on_ucx;

/* The same numbers on every machine. */
static uint64_t seed;

static int random_below(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)n);
}

/* Programs. */

static void add_step(struct rank *rank, enum what what, int peer, int tag, const char *function)
{
    rank->steps[rank->n_steps++] = (struct step){what, peer, tag, function};
}

/* A barrier as Open MPI does it for few ranks: all send to rank 0, then rank 0 sends to all. */
static void add_barrier(int me)
{
    struct rank *rank = &ranks[me];

    for (int other = 1; other < n_ranks && me == 0; other++)
        add_step(rank, RECEIVE, ANY, INTERNAL, "MPI_Barrier");
    for (int other = 1; other < n_ranks && me == 0; other++)
        add_step(rank, SEND, other, INTERNAL, "MPI_Barrier");
    if (me != 0) {
        add_step(rank, SEND, 0, INTERNAL, "MPI_Barrier");
        add_step(rank, RECEIVE, 0, INTERNAL, "MPI_Barrier");
    }
}

static void add_random_step(int me)
{
    struct rank *rank = &ranks[me];
    int peer = random_below(n_ranks), tag = random_below(N_TAGS);

    switch (random_below(9)) {
    case 0:
        add_step(rank, on_ucx && random_below(2) == 0 ? LARGE_SEND : SEND, peer, tag, "MPI_Send");
        break;
    case 1:
        add_step(rank, SSEND, peer, tag, "MPI_Ssend");
        break;
    case 2:
    case 3:
        add_step(rank, RECEIVE, random_below(4) == 0 ? ANY : peer, random_below(4) == 0 ? ANY : tag, "MPI_Recv");
        break;
    case 4:
        add_step(rank, START_SEND, peer, tag, "MPI_Isend");
        break;
    case 5:
        add_step(rank, START_RECEIVE, random_below(4) == 0 ? ANY : peer, tag, "MPI_Irecv");
        break;
    case 6:
        add_step(rank, WAIT_ALL, 0, 0, "MPI_Waitall");
        break;
    case 7:
        add_step(rank, random_below(2) == 0 ? WAIT_ANY : PROBE, peer, tag, NULL);
        rank->steps[rank->n_steps - 1].function =
            rank->steps[rank->n_steps - 1].what == PROBE ? "MPI_Probe" : "MPI_Waitany";
        break;
    default:
        add_barrier(me);
        break;
    }
}

/* Pairs of matching sends and receives, so that programs run for a while before they get stuck. */
static void add_exchange(void)
{
    int from = random_below(n_ranks), to = random_below(n_ranks), tag = random_below(N_TAGS);

    if (from == to)
        return;
    add_step(&ranks[from], random_below(2) == 0 ? SSEND : SEND, to, tag, NULL);
    if (on_ucx && random_below(3) == 0)
        ranks[from].steps[ranks[from].n_steps - 1].what = LARGE_SEND;
    ranks[from].steps[ranks[from].n_steps - 1].function =
        ranks[from].steps[ranks[from].n_steps - 1].what == SSEND ? "MPI_Ssend" : "MPI_Send";
    add_step(&ranks[to], RECEIVE, random_below(4) == 0 ? ANY : from, tag, "MPI_Recv");
}

static enum what random_send(void)
{
    static const enum what sends[] = {SEND, LARGE_SEND, SSEND};

    return sends[random_below(3)];
}

static void add_send(int me, enum what what, int to, int tag)
{
    add_step(&ranks[me], what, to, tag, what == SSEND ? "MPI_Ssend" : "MPI_Send");
}

/* Messages to and fro, or around, all alike: a rank that has gone on looks as it did before. */
static void add_rally(void)
{
    int n_players = 2 + random_below(n_ranks - 1), first = random_below(n_ranks), tag = random_below(N_TAGS);
    enum what what = random_send();
    bool probes = random_below(4) == 0;

    for (int round = 2 + random_below(5); round > 0; round--) {
        for (int i = 0; i < n_players; i++) {
            int me = (first + i) % n_ranks, next = (first + (i + 1) % n_players) % n_ranks;
            int before = (first + (i + n_players - 1) % n_players) % n_ranks;

            if (i == 0)
                add_send(me, what, next, tag);
            if (probes)
                add_step(&ranks[me], PROBE, before, tag, "MPI_Probe");
            add_step(&ranks[me], RECEIVE, before, tag, "MPI_Recv");
            if (i > 0)
                add_send(me, what, next, tag);
        }
    }
}

static bool is_full(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (ranks[i].n_steps > FULL)
            return true;
    return false;
}

static void make_programs(void)
{
    int n_parts = 3 + random_below(6);

    memset(ranks, 0, sizeof ranks);
    n_ranks = 2 + random_below(MAX_RANKS - 1);
    for (int part = 0; part < n_parts && !is_full(); part++) {
        int choice = random_below(5);

        if (on_ucx && random_below(2) == 0)
            add_rally();
        else if (choice == 0)
            for (int i = 0; i < n_ranks; i++)
                add_barrier(i);
        else if (choice == 1)
            add_random_step(random_below(n_ranks));
        else
            add_exchange();
    }
}

/* Messages. */

static bool fits(int wanted_source, int wanted_tag, const struct parcel *parcel)
{
    return (wanted_source == ANY || wanted_source == parcel->source) &&
           (wanted_tag == parcel->tag || (wanted_tag == ANY && parcel->tag >= 0));
}

static void drop(struct parcels *parcels, int i)
{
    memmove(&parcels->parcels[i], &parcels->parcels[i + 1], (size_t)(--parcels->n - i) * sizeof parcels->parcels[0]);
}

/* A message whose sender waits is taken in steps where that can be seen: the receiver has it, then the sender knows. */
static void receive_parcel(struct request *request, const struct parcel *parcel)
{
    if (on_ucx && parcel->send != NULL) {
        request->matched = true;
        request->answers = parcel->send;
        return;
    }
    request->open = false;
    if (parcel->send != NULL)
        parcel->send->open = false;
}

static bool is_address_used(const struct rank *rank, unsigned long address)
{
    for (int i = 0; i < rank->n_requests; i++)
        if (rank->requests[i].open && rank->requests[i].address == address)
            return true;
    return false;
}

/* Requests of blocking standard sends and of receives are on the stack. */
static struct request *start(struct rank *rank, bool is_send, int peer, int tag, const char *kind, bool blocking)
{
    struct request *request = &rank->requests[rank->n_requests++];
    unsigned long address = 0x1000;

    while (is_address_used(rank, address))
        address += 0x100;
    if (blocking && strcmp(kind, "Ssend") != 0)
        address = 0x7000;
    *request = (struct request){.is_send = is_send, .open = true, .peer = peer, .tag = tag, .kind = kind,
                                .blocking = blocking, .address = address, .sequence = -1};
    return request;
}

/* Large messages name their send, those of synchronous sends may. */
static struct request *start_send(int me, int peer, int tag, const char *kind, bool blocking)
{
    struct parcels *way = &ranks[peer].arriving[me];
    struct request *request = strcmp(kind, "eager") != 0 ? start(&ranks[me], true, peer, tag, kind, blocking) : NULL;
    bool named = on_ucx && request != NULL && (strcmp(kind, "Send") == 0 || random_below(2) == 0);

    way->parcels[way->n++] = (struct parcel){.source = me, .tag = tag, .send = request,
                                             .named = named ? request->address : 0};
    return request;
}

static struct request *start_receive(struct rank *rank, int peer, int tag, bool blocking)
{
    struct request *request = start(rank, false, peer, tag, "Recv", blocking);

    for (int i = 0; i < rank->unexpected.n; i++) {
        if (fits(peer, tag, &rank->unexpected.parcels[i])) {
            receive_parcel(request, &rank->unexpected.parcels[i]);
            drop(&rank->unexpected, i);
            return request;
        }
    }
    request->sequence = rank->n_posted++;
    return request;
}

static void deliver(struct rank *rank, int from)
{
    struct parcel parcel = rank->arriving[from].parcels[0];

    drop(&rank->arriving[from], 0);
    for (int i = 0; i < rank->n_requests; i++) {
        struct request *request = &rank->requests[i];

        if (!request->is_send && request->open && !request->matched && fits(request->peer, request->tag, &parcel)) {
            receive_parcel(request, &parcel);
            return;
        }
    }
    rank->unexpected.parcels[rank->unexpected.n++] = parcel;
}

/* Running. */

static bool is_finished(const struct rank *rank)
{
    return rank->at == rank->n_steps;
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

static bool can_go_on(const struct rank *rank)
{
    const struct step *step = &rank->steps[rank->at];

    if (is_finished(rank))
        return false;
    if (!rank->begun)
        return true;
    if (step->what == PROBE) {
        for (int i = 0; i < rank->unexpected.n; i++)
            if (fits(step->peer, step->tag, &rank->unexpected.parcels[i]))
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
        start_send(me, step->peer, step->tag, "eager", true);
        break;
    case LARGE_SEND:
        rank->own = start_send(me, step->peer, step->tag, "Send", true);
        break;
    case SSEND:
        rank->own = start_send(me, step->peer, step->tag, "Ssend", true);
        break;
    case RECEIVE:
        rank->own = start_receive(rank, step->peer, step->tag, true);
        break;
    case START_SEND:
        start_send(me, step->peer, step->tag, "Send", false);
        break;
    case START_RECEIVE:
        start_receive(rank, step->peer, step->tag, false);
        break;
    case WAIT_ALL:
    case WAIT_ANY:
        for (int i = 0; i < rank->n_requests; i++)
            rank->requests[i].waited = rank->requests[i].kind != NULL;
        break;
    case PROBE:
        break;
    }
    rank->begun = true;
}

static void end_step(struct rank *rank)
{
    for (int i = 0; i < rank->n_requests; i++) {
        rank->requests[i].waited = false;
        if (!rank->requests[i].open)
            rank->requests[i].kind = NULL;
    }
    rank->begun = false;
    rank->stays = false;
    rank->at++;
}

static void go_on(int me)
{
    if (ranks[me].claimed)
        fail_msg("rank %d was said to be stuck in step %d, and goes on", me, ranks[me].claimed_at);
    if (ranks[me].begun)
        end_step(&ranks[me]);
    else
        begin(me);
}

/* With UCX messages arrive, and transfers go on, only while a rank is in MPI. A finished rank is in MPI_Finalize. */
static bool looks_for_messages(const struct rank *rank)
{
    return !on_ucx || rank->begun || is_finished(rank);
}

/* Can a receive that has its message end, or a send whose answer is there? */
static bool can_end_transfer(const struct request *request)
{
    return request->open && (request->matched || request->answered);
}

static void end_transfer(struct request *request)
{
    request->open = false;
    if (request->matched)
        request->answers->answered = true;
}

/* What can happen: a rank goes on, a message arrives there from another, or one of its transfers ends. */
enum event_kind { GO_ON, ARRIVE, END_TRANSFER };
struct event {
    enum event_kind kind;
    int rank, which;
};
enum { MAX_EVENTS = MAX_RANKS * (1 + MAX_RANKS + MAX_REQUESTS) };

/* With `must` only what happens in the pause between two looks in any case. */
static int find_events(struct event *events, bool must)
{
    int n = 0;

    for (int i = 0; i < n_ranks; i++) {
        const struct rank *rank = &ranks[i];

        if (must && !rank->stays)
            continue;
        if (can_go_on(rank))
            events[n++] = (struct event){GO_ON, i, 0};
        if (!looks_for_messages(rank))
            continue;
        for (int from = 0; from < n_ranks; from++)
            if (rank->arriving[from].n > 0 && (!must || rank->arriving[from].parcels[0].old))
                events[n++] = (struct event){ARRIVE, i, from};
        for (int k = 0; k < rank->n_requests; k++)
            if (can_end_transfer(&rank->requests[k]))
                events[n++] = (struct event){END_TRANSFER, i, k};
    }
    return n;
}

/* One thing that can happen, chosen at random; false if nothing can. */
static bool happens(bool must)
{
    struct event events[MAX_EVENTS];
    int n = find_events(events, must);
    const struct event *event;

    if (n == 0)
        return false;
    event = &events[random_below(n)];
    if (event->kind == GO_ON)
        go_on(event->rank);
    else if (event->kind == ARRIVE)
        deliver(&ranks[event->rank], event->which);
    else
        end_transfer(&ranks[event->rank].requests[event->which]);
    return true;
}

static bool something_happens(void)
{
    return happens(false);
}

static bool is_quiet(void)
{
    for (int i = 0; i < n_ranks; i++)
        for (int from = 0; from < n_ranks; from++)
            if (ranks[i].arriving[from].n > 0)
                return false;
    return true;
}

/* Listing. */

static bool is_named_at_receiver(int me, const struct request *request)
{
    const struct parcels *there = &ranks[request->peer].unexpected;

    for (int i = 0; i < there->n; i++)
        if (there->parcels[i].source == me && there->parcels[i].named == request->address)
            return true;
    return false;
}

static void list_receive_of_ucx(int me, const struct request *request, bool waited)
{
    mqs_pending_operation *operation = job_receive((size_t)me, WORLD, request->peer, request->tag);

    job_facts(operation)->sequence = request->sequence;
    job_facts(operation)->request = request->address;
    strcpy(job_facts(operation)->purpose, request->tag < 0 && request->tag != ANY ? "MPI_Barrier" : "");
    if (request->matched) {
        operation->status = mqs_st_matched;
        operation->actual_local_rank = operation->actual_global_rank = request->peer != ANY ? request->peer : 0;
        operation->actual_tag = request->tag != ANY ? request->tag : 0;
    }
    if (waited)
        job_mark_waited(operation);
}

static void list_send_of_ucx(int me, const struct request *request)
{
    bool hidden = request->blocking && strcmp(request->kind, "Send") == 0, named = is_named_at_receiver(me, request);
    mqs_pending_operation *operation;

    if (hidden && !named)
        return;
    operation = job_send((size_t)me, WORLD, request->kind, request->peer, request->tag);
    job_facts(operation)->request = request->address;
    job_extra(operation)->found = hidden;
    job_extra(operation)->named = named;
}

static void list_requests_of_ucx(int me)
{
    const struct rank *rank = &ranks[me];
    bool marks = rank->begun && rank->steps[rank->at].what != PROBE;

    for (int i = 0; i < rank->n_requests; i++) {
        const struct request *request = &rank->requests[i];

        if (request->kind == NULL || !request->open || (!request->is_send && request->blocking && request->matched))
            continue;
        if (request->is_send)
            list_send_of_ucx(me, request);
        else
            list_receive_of_ucx(me, request, marks && (request->waited || request->blocking));
    }
}

static void list_requests(int me)
{
    const struct rank *rank = &ranks[me];
    bool marks = rank->begun && (rank->steps[rank->at].what == WAIT_ALL || rank->steps[rank->at].what == WAIT_ANY);

    for (int i = 0; i < rank->n_requests; i++) {
        const struct request *request = &rank->requests[i];

        if (request->kind == NULL || !request->open || request->is_send)
            continue;
        if (marks && request->waited)
            job_mark_waited(job_receive((size_t)me, WORLD, request->peer, request->tag));
        else
            job_receive((size_t)me, WORLD, request->peer, request->tag);
    }
    for (int to = 0; to < n_ranks; to++)
        for (int i = 0; i < rank->n_requests; i++)
            if (rank->requests[i].kind != NULL && rank->requests[i].open && rank->requests[i].is_send &&
                rank->requests[i].peer == to)
                job_send((size_t)me, WORLD, rank->requests[i].kind, to, rank->requests[i].tag);
}

static void list_unexpected(int me)
{
    for (int from = 0; from < n_ranks; from++)
        for (int i = 0; i < ranks[me].unexpected.n; i++)
            if (ranks[me].unexpected.parcels[i].source == from) {
                const struct parcel *parcel = &ranks[me].unexpected.parcels[i];

                job_extra(job_message((size_t)me, WORLD, from, parcel->tag))->send_request = parcel->named;
            }
}

static void list(void)
{
    job_start((size_t)n_ranks);
    if (on_ucx)
        job_use_ucx();
    for (int i = 0; i < n_ranks; i++) {
        if (on_ucx)
            list_requests_of_ucx(i);
        else
            list_requests(i);
        list_unexpected(i);
        if (is_finished(&ranks[i]))
            job_in((size_t)i, "MPI_Finalize");
        else if (ranks[i].begun)
            job_in((size_t)i, ranks[i].steps[ranks[i].at].function);
    }
}

static void list_all(void)
{
    list();
    for (int i = 0; i < n_ranks; i++) {
        /* One that is just about to return from its call is found elsewhere by the next look. */
        job.witnesses[i].moved = ranks[i].begun && can_go_on(&ranks[i]);
    }
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
}

/* The truth. */

static bool says_stuck(const struct finding *finding)
{
    return !finding_rests_on_time(finding) && finding->kind != FINDING_FLOOD && finding->kind != FINDING_TRUNCATED;
}

static void take_claims(void)
{
    for (size_t i = 0; i < verdict.n; i++) {
        const struct finding *finding = &verdict.findings[i];

        for (size_t k = 0; k < finding->n_ranks && says_stuck(finding) && finding->certain; k++) {
            struct rank *rank = &ranks[finding->ranks[k]];

            if (can_go_on(rank) || is_finished(rank))
                fail_msg("rank %ld is said to be stuck: %s", finding->ranks[k], finding->sentence);
            rank->claimed = true;
            rank->claimed_at = rank->at;
        }
    }
}

static void print_rank(int me)
{
    const struct rank *rank = &ranks[me];

    print_error("rank %d in %s:", me, is_finished(rank) ? "MPI_Finalize" : rank->steps[rank->at].function);
    for (int i = 0; i < rank->n_requests; i++)
        if (rank->requests[i].kind != NULL && rank->requests[i].open)
            print_error(" %s %d tag %d%s", rank->requests[i].kind, rank->requests[i].peer, rank->requests[i].tag,
                        rank->requests[i].waited ? " waited" : "");
    for (int i = 0; i < rank->unexpected.n; i++)
        print_error("; message from %d tag %d", rank->unexpected.parcels[i].source, rank->unexpected.parcels[i].tag);
    print_error("\n");
}

static void check_end(unsigned program)
{
    size_t n_stuck = 0, n_unfinished = 0;

    for (int i = 0; i < n_ranks; i++)
        n_unfinished += !is_finished(&ranks[i]);
    for (size_t i = 0; i < verdict.n; i++)
        n_stuck += says_stuck(&verdict.findings[i]);
    if ((n_unfinished > 0) == (n_stuck > 0))
        return;
    for (int i = 0; i < n_ranks; i++)
        print_rank(i);
    fail_msg("program %u: %zu ranks are stuck, %zu findings say so", program, n_unfinished, n_stuck);
}

static void run(unsigned program, int *n_stuck)
{
    make_programs();
    do {
        if (!is_quiet())
            continue;
        list_all();
        take_claims();
        job_end();
    } while (something_happens());
    list_all();
    take_claims();
    check_end(program);
    for (int i = 0; i < n_ranks; i++) {
        if (!is_finished(&ranks[i])) {
            ++*n_stuck;
            break;
        }
    }
    job_end();
}

/* Two looks, whatever is on its way. */

/* Notes what is on its way at the first look, and who looks for messages from now on. */
static void begin_pause(void)
{
    for (int i = 0; i < n_ranks; i++) {
        ranks[i].stays = looks_for_messages(&ranks[i]);
        for (int from = 0; from < n_ranks; from++)
            for (int k = 0; k < ranks[i].arriving[from].n; k++)
                ranks[i].arriving[from].parcels[k].old = true;
    }
}

static void look_twice(bool pause)
{
    struct dump_job first, second;

    list();
    first = job;
    begin_pause();
    for (int i = random_below(8); i > 0 && pause; i--)
        something_happens();
    while (happens(true))
        continue;
    for (int i = random_below(4); i > 0 && pause; i--)
        something_happens();
    list();
    second = job;
    for (int i = 0; i < n_ranks; i++)
        second.witnesses[i].moved = second.witnesses[i].moved_last =
            witness_has_moved(&first.witnesses[i], &second.witnesses[i]);
    job = first;
    job_end();
    job = second;
    verdict_reach(&verdict, job.witnesses, job.n_ranks);
}

static bool any_unfinished(void)
{
    for (int i = 0; i < n_ranks; i++)
        if (!is_finished(&ranks[i]))
            return true;
    return false;
}

/* A program that is stuck is looked at without a pause: nothing happens any more. */
static void run_on_ucx(unsigned program, int *n_stuck, int *n_certain)
{
    make_programs();
    do {
        if (random_below(2) != 0)
            continue;
        look_twice(true);
        take_claims();
        job_end();
    } while (something_happens());
    look_twice(false);
    take_claims();
    check_end(program);
    *n_stuck += any_unfinished();
    for (int i = 0; i < n_ranks; i++) {
        if (ranks[i].claimed) {
            ++*n_certain;
            break;
        }
    }
    job_end();
}

/* Most of what is stuck must be certain, or little is tested. */
static void verdicts_without_counts_are_true(void **state)
{
    int n_stuck = 0, n_certain = 0;

    (void)state;
    on_ucx = true;
    for (unsigned program = 0; program < N_PROGRAMS; program++) {
        seed = program;
        run_on_ucx(program, &n_stuck, &n_certain);
    }
    on_ucx = false;
    assert_in_range(n_stuck, N_PROGRAMS / 10, N_PROGRAMS * 9 / 10);
    assert_in_range(n_certain, n_stuck / 2, n_stuck);
    verdict_clear(&verdict);
}

/* About half of the programs must get stuck, so that both outcomes are tested. */
static void verdicts_are_true(void **state)
{
    int n_stuck = 0;

    (void)state;
    for (unsigned program = 0; program < N_PROGRAMS; program++) {
        seed = program;
        run(program, &n_stuck);
    }
    assert_in_range(n_stuck, N_PROGRAMS / 10, N_PROGRAMS * 9 / 10);
    verdict_clear(&verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_true),
        cmocka_unit_test(verdicts_without_counts_are_true),
    };

    return cmocka_run_group_tests_name("simulation", tests, NULL, NULL);
}
