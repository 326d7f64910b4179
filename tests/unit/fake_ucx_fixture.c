#include "fake_ucx_fixture.h"

struct fake_ucx fake_ucx;

#define UCX (&fake_ucx)
#define JOB (&fake.job)

void fake_ucx_begin(const struct fake_build *openmpi, const struct fake_build *build)
{
    fake_setup(openmpi);
    fake_ucx_init(UCX, JOB, build);
}

void fake_ucx_decide(void)
{
    (void)fake_ucx_irecv(UCX, &JOB->self, &(struct fake_recv){ 0, 1, 1, JOB->mpi_int, 0x8000 });
    (void)fake_ucx_arrive(UCX, JOB->self.id, &(struct fake_ucx_message){ 0, 2, 8, 0, FAKE_UCX_ONLY, 0 });
}

void fake_ucx_setup_undecided(const struct fake_build *build)
{
    fake_ucx_begin(&fake_release, build);
}

void fake_ucx_setup(const struct fake_build *build)
{
    fake_ucx_setup_undecided(build);
    fake_ucx_decide();
}

void fake_ucx_setup_populated(const struct fake_build *build)
{
    fake_ucx_begin(&fake_release, build);
    fake_ucx_populate(&fake.names);
    fake_know_truth(&fake);
}

static fake_ta name_request(struct fake_names *names, const char *kind, unsigned n, fake_ta request)
{
    (void)fake_name(names, kind, n, fake_ucx_ompi(UCX, request));
    return request;
}

static void populate_receives(struct fake_names *names, const struct fake_comm *dup, fake_ta vector)
{
    const struct fake_comm *world = &JOB->world;
    struct fake_recv persistent = { 0, 0x123456, 9, vector, 0xb000 };
    fake_ta recv;

    name_request(names, "recv", 1,
                 fake_ucx_irecv(UCX, world, &(struct fake_recv){ FAKE_ANY, FAKE_ANY, 7, JOB->mpi_double, 0x1000 }));
    name_request(names, "recv", 2, fake_ucx_irecv(UCX, world, &(struct fake_recv){ 3, 14, 2, JOB->mpi_byte, 0x6000 }));
    name_request(names, "recv", 3, fake_ucx_irecv(UCX, world, &(struct fake_recv){ 2, FAKE_ANY, 5, vector, 0xa000 }));
    (void)fake_name(names, "recv", 4,
                    fake_ucx_recv(UCX, world, &(struct fake_recv){ FAKE_ANY, 19, 3, JOB->mpi_int, 0x7000 }));
    recv = fake_ucx_irecv(UCX, dup, &(struct fake_recv){ 1, 5, 6, JOB->mpi_int, 0x2000 });
    fake_ucx_match(UCX, name_request(names, "recv", 5, recv), dup, 1, 5, 20);
    recv = fake_ucx_irecv(UCX, dup, &(struct fake_recv){ 1, 6, 6, JOB->mpi_int, 0x2100 });
    fake_ucx_match(UCX, name_request(names, "recv", 6, recv), dup, 1, 6, 24);
    fake_ucx_complete(UCX, recv, FAKE_UCX_OK, 0);
    recv = fake_ucx_irecv(UCX, dup, &(struct fake_recv){ 1, 7, 8, JOB->mpi_int, 0x2200 });
    fake_ucx_cancel(UCX, name_request(names, "recv", 7, recv));
    name_request(names, "recv", 8, fake_ucx_irecv_at_once(UCX, dup, 0, 44, 123));
    recv = fake_ucx_recv_init(UCX, world, &persistent);
    (void)fake_name(names, "recv", 9, recv);
    (void)fake_ucx_start_recv(UCX, recv, world, &persistent);
}

static void populate_sends(struct fake_names *names, const struct fake_comm *dup, fake_ta vector)
{
    const struct fake_comm *world = &JOB->world;
    struct fake_ucx_send persistent = { .destination = 1, .tag = 20, .count = 0x1234567, .datatype = JOB->mpi_double,
                                        .buffer = 0xc000, .callback = FAKE_UCX_PSEND };
    struct fake_ucx_send synchronous = { .destination = 2, .tag = 8, .count = 500, .datatype = JOB->mpi_int,
                                         .buffer = 0x3000, .synchronous = true, .callback = FAKE_UCX_SEND };
    struct fake_ucx_send buffered = { .destination = 0, .tag = 9, .count = 20, .buffer = 0x4000,
                                      .callback = FAKE_UCX_BSEND };
    struct fake_ucx_send standard = { .destination = 3, .tag = 13, .count = 300, .datatype = vector, .buffer = 0x7100,
                                      .callback = FAKE_UCX_SEND_NBX };
    fake_ta send;

    send = fake_ucx_isend(UCX, world, &synchronous);
    fake_ucx_set_flags(UCX, name_request(names, "send", 1, send), FAKE_UCX_FLAG(UCX, ucx_local_completed), true);
    name_request(names, "send", 2, fake_ucx_isend(UCX, world, &buffered));
    name_request(names, "send", 3, fake_ucx_isend(UCX, world, &standard));
    send = fake_ucx_send_init(UCX, dup, &persistent, FAKE_STANDARD);
    (void)fake_name(names, "send", 4, send);
    (void)fake_ucx_start_send(UCX, send, dup, &persistent);
}

/* By the newer protocols where the release has them: with members of their own for the same. */
static void populate_newer_sends(struct fake_names *names, fake_ta vector)
{
    bool newer = FAKE_UCX_FLAG(UCX, ucx_proto_send) != 0;
    bool has_start = newer && FAKE_HAS(&JOB->image, ucp_request_t, send_iter_start);
    struct fake_ucx_send standard = { .destination = 3, .tag = 21, .count = 77, .datatype = JOB->mpi_byte,
                                      .buffer = 0xd000, .newer = newer, .callback = FAKE_UCX_SEND };
    struct fake_ucx_send synchronous = { .destination = 2, .tag = 22, .count = 88, .datatype = JOB->mpi_byte,
                                         .buffer = 0xe000, .newer = newer, .synchronous = true,
                                         .callback = FAKE_UCX_SEND };
    struct fake_ucx_send elements = { .destination = 3, .tag = 23, .count = 11, .datatype = vector, .buffer = 0xf000,
                                      .newer = has_start, .callback = FAKE_UCX_SEND };

    name_request(names, "send", 5, fake_ucx_isend(UCX, &JOB->world, &standard));
    name_request(names, "send", 6, fake_ucx_isend(UCX, &JOB->world, &synchronous));
    name_request(names, "send", 7, fake_ucx_isend(UCX, &JOB->world, &elements));
}

static void name_data(struct fake_names *names, unsigned n, uint32_t context, const struct fake_ucx_message *message)
{
    (void)fake_name(names, "data", n, fake_ucx_data(UCX, fake_ucx_arrive(UCX, context, message)));
}

static void populate_unexpected(struct fake_names *names, const struct fake_comm *dup)
{
    name_data(names, 1, 0, &(struct fake_ucx_message){ 3, 10, 40, 0, FAKE_UCX_ONLY, 0 });
    name_data(names, 2, 0, &(struct fake_ucx_message){ 3, 24, 4000, 1000, FAKE_UCX_FIRST, 0 });
    name_data(names, 3, 0, &(struct fake_ucx_message){ 0, 17, 30, 0, FAKE_UCX_SYNC_ONLY, 0x7ffc00001100 });
    name_data(names, 4, dup->id, &(struct fake_ucx_message){ 0, 18, 5000, 900, FAKE_UCX_SYNC_FIRST, 0x7ffc00002200 });
    fake_ucx_arrive(UCX, dup->id, &(struct fake_ucx_message){ 1, 11, 100000, 0, FAKE_UCX_RENDEZVOUS, 0x7ffc00003300 });
}

void fake_ucx_populate(struct fake_names *names)
{
    fake_ta group = fake_group_of(JOB, (const int[]){ 1, 0, 2 }, 3);
    struct fake_comm dup = fake_comm_new(JOB, 3, "dup", group, group);
    fake_ta vector = fake_datatype_new(JOB, "four of eight doubles", 32);

    fake_ucx_make_generic(UCX, vector);
    populate_receives(names, &dup, vector);
    populate_sends(names, &dup, vector);
    populate_newer_sends(names, vector);
    populate_unexpected(names, &dup);
}
