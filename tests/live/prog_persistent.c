/*
 * Persistent requests in all their states, and requests whose handles were freed. Rank 0 has them; rank 1 is the
 * other side of each.
 */
#include "truth.h"

enum { SMALL = 24, LARGE = 200000 };

enum tag {
    NEVER_STARTED = 1, WAITING, ARRIVED, WAITED_FOR, RESTARTED, FREED, /* receives */
    SEND_NEVER_STARTED, SEND_LARGE, SEND_SYNCHRONOUS, SEND_DONE, SEND_AGAIN, SEND_FREED, /* sends */
    READY, LAST, N_TAGS
};

static char buffers[N_TAGS][LARGE];
static MPI_Request requests[N_TAGS];

static void receive_init(enum tag tag)
{
    MPI_Recv_init(buffers[tag], SMALL, MPI_CHAR, 1, (int)tag, MPI_COMM_WORLD, &requests[tag]);
}

static struct truth_op describe(enum tag tag, int bytes, const char *kind)
{
    return (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 1, .tag = (int)tag, .buffer = buffers[tag],
                             .count = bytes, .type = MPI_CHAR, .kind = kind, .persistent = true,
                             .request = requests[tag]};
}

/* Of a request that is not persistent. */
static void free_request(enum truth_queue queue, enum tag tag, int bytes, const char *kind)
{
    struct truth_op freed = describe(tag, bytes, kind);

    freed.persistent = false;
    freed.freed = true;
    truth_state(queue, freed);
    MPI_Request_free(&requests[tag]);
}

static void start_receive(enum tag tag, enum truth_status status)
{
    struct truth_op op = describe(tag, SMALL, "Recv");

    op.status = status;
    op.actual_peer = 1;
    op.actual_tag = (int)tag;
    op.actual_bytes = SMALL;
    MPI_Start(&requests[tag]);
    truth_state(TRUTH_RECEIVES, op);
}

/* Started, complete and waited for: inactive again, and no operation. */
static void run_once(enum tag tag)
{
    MPI_Start(&requests[tag]);
    MPI_Wait(&requests[tag], MPI_STATUS_IGNORE);
}

static void prepare_receives(void)
{
    char ready = 0;

    for (int tag = NEVER_STARTED; tag <= RESTARTED; tag++)
        receive_init((enum tag)tag);
    MPI_Send(&ready, 1, MPI_CHAR, 1, READY, MPI_COMM_WORLD);
    run_once(WAITED_FOR);
    run_once(RESTARTED);
    start_receive(RESTARTED, TRUTH_PENDING);
    start_receive(WAITING, TRUTH_PENDING);
    start_receive(ARRIVED, TRUTH_COMPLETE);
    truth_await_request(requests[ARRIVED]);
    MPI_Irecv(buffers[FREED], SMALL, MPI_CHAR, 1, FREED, MPI_COMM_WORLD, &requests[FREED]);
    free_request(TRUTH_RECEIVES, FREED, SMALL, "Recv");
}

static void start_send(enum tag tag, int bytes, const char *kind)
{
    truth_state(TRUTH_SENDS, describe(tag, bytes, kind));
    MPI_Start(&requests[tag]);
}

static void prepare_sends(void)
{
    for (int tag = SEND_NEVER_STARTED; tag <= SEND_FREED; tag++)
        truth_fill(buffers[tag], LARGE, 0, tag);
    MPI_Send_init(buffers[SEND_NEVER_STARTED], LARGE, MPI_CHAR, 1, SEND_NEVER_STARTED, MPI_COMM_WORLD,
                  &requests[SEND_NEVER_STARTED]);
    MPI_Send_init(buffers[SEND_LARGE], LARGE, MPI_CHAR, 1, SEND_LARGE, MPI_COMM_WORLD, &requests[SEND_LARGE]);
    MPI_Ssend_init(buffers[SEND_SYNCHRONOUS], SMALL, MPI_CHAR, 1, SEND_SYNCHRONOUS, MPI_COMM_WORLD,
                   &requests[SEND_SYNCHRONOUS]);
    MPI_Send_init(buffers[SEND_DONE], SMALL, MPI_CHAR, 1, SEND_DONE, MPI_COMM_WORLD, &requests[SEND_DONE]);
    MPI_Send_init(buffers[SEND_AGAIN], LARGE, MPI_CHAR, 1, SEND_AGAIN, MPI_COMM_WORLD, &requests[SEND_AGAIN]);
    run_once(SEND_DONE);
    run_once(SEND_AGAIN);
    start_send(SEND_SYNCHRONOUS, SMALL, "Ssend");
    start_send(SEND_AGAIN, LARGE, "Send");
    start_send(SEND_LARGE, LARGE, "Send");
    MPI_Isend(buffers[SEND_FREED], LARGE, MPI_CHAR, 1, SEND_FREED, MPI_COMM_WORLD, &requests[SEND_FREED]);
    free_request(TRUTH_SENDS, SEND_FREED, LARGE, "Send");
    MPI_Send(buffers[SEND_DONE], SMALL, MPI_CHAR, 1, LAST, MPI_COMM_WORLD);
}

static void check_receive(enum tag tag)
{
    truth_check(buffers[tag], SMALL, 1, (int)tag);
}

/* The freed receive is complete when a later message from the same rank is: they were sent in this order. */
static void complete(void)
{
    MPI_Wait(&requests[RESTARTED], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[WAITING], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[ARRIVED], MPI_STATUS_IGNORE);
    for (int tag = SEND_LARGE; tag <= SEND_AGAIN; tag++)
        MPI_Wait(&requests[tag], MPI_STATUS_IGNORE);
    MPI_Recv(buffers[LAST], SMALL, MPI_CHAR, 1, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int tag = WAITING; tag <= FREED; tag++)
        check_receive((enum tag)tag);
    for (int tag = NEVER_STARTED; tag <= RESTARTED; tag++)
        MPI_Request_free(&requests[tag]);
    for (int tag = SEND_NEVER_STARTED; tag <= SEND_AGAIN; tag++)
        MPI_Request_free(&requests[tag]);
}

static void send_to_0(enum tag tag)
{
    truth_fill(buffers[tag], SMALL, 1, (int)tag);
    MPI_Send(buffers[tag], SMALL, MPI_CHAR, 0, (int)tag, MPI_COMM_WORLD);
}

static void receive_from_0(enum tag tag, int bytes)
{
    MPI_Recv(buffers[tag], bytes, MPI_CHAR, 0, (int)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    truth_check(buffers[tag], (size_t)bytes, 0, tag == LAST ? SEND_DONE : (int)tag);
}

static void expect_unexpected(enum tag tag, int bytes)
{
    char *content = truth_alloc((size_t)bytes);

    truth_fill(content, (size_t)bytes, 0, tag == LAST ? SEND_DONE : (int)tag);
    truth_state(TRUTH_UNEXPECTED, (struct truth_op){.comm = MPI_COMM_WORLD, .peer = 0, .tag = (int)tag,
                                                    .buffer = content, .count = bytes, .type = MPI_CHAR,
                                                    .rendezvous = tag != LAST,
                                                    .status = tag == LAST ? TRUTH_COMPLETE : TRUTH_PENDING});
}

static void be_the_other_side(void)
{
    static const enum tag held[] = {SEND_SYNCHRONOUS, SEND_AGAIN, SEND_LARGE, SEND_FREED, LAST};
    char ready;

    MPI_Recv(&ready, 1, MPI_CHAR, 0, READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send_to_0(WAITED_FOR);
    send_to_0(RESTARTED);
    send_to_0(ARRIVED);
    receive_from_0(SEND_DONE, SMALL);
    receive_from_0(SEND_AGAIN, LARGE);
    truth_await_message(MPI_COMM_WORLD, 0, LAST);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        expect_unexpected(held[i], held[i] == SEND_SYNCHRONOUS || held[i] == LAST ? SMALL : LARGE);
    truth_park(TRUTH_SLEEPS);
    truth_wait(TRUTH_SLEEPS);
    send_to_0(RESTARTED);
    send_to_0(WAITING);
    send_to_0(FREED);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        receive_from_0(held[i], held[i] == SEND_SYNCHRONOUS || held[i] == LAST ? SMALL : LARGE);
    send_to_0(LAST);
}

int main(int argc, char **argv)
{
    truth_init(&argc, &argv);
    if (truth_size != 2)
        truth_fail("needs 2 ranks");
    if (truth_rank == 0) {
        prepare_receives();
        prepare_sends();
        truth_park(TRUTH_SLEEPS);
        truth_wait(TRUTH_SLEEPS);
        complete();
    } else {
        be_the_other_side();
    }
    truth_finalize();
    return 0;
}
