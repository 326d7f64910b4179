#include "fake_content.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sequence number of a message that is far ahead. */
enum { FIRST_AHEAD = 0x1209 };

/* What populates: the job, and the names of what it gets. */
struct content {
    struct fake_job *job;
    struct fake_names *names;
    struct fake_comm dup;
};

fake_ta fake_name(struct fake_names *names, const char *kind, unsigned n, fake_ta ta)
{
    if (names->n == FAKE_MAX_NAMES)
        fake_die("no room for the name %s%u", kind, n);
    names->items[names->n].ta = ta;
    snprintf(names->items[names->n++].name, sizeof names->items[0].name, "%s%u", kind, n);
    return ta;
}

static fake_ta name(const struct content *content, const char *kind, unsigned n, fake_ta ta)
{
    return fake_name(content->names, kind, n, ta);
}

static fake_ta irecv(const struct content *content, unsigned n, const struct fake_comm *comm,
                     const struct fake_recv *recv)
{
    return name(content, "recv", n, fake_irecv(content->job, comm, recv));
}

static void populate_receives(const struct content *content)
{
    struct fake_job *job = content->job;
    const struct fake_comm *world = &job->world, *dup = &content->dup;
    fake_ta vector = fake_datatype_new(job, "four of eight doubles", 32), recv;

    irecv(content, 1, world, &(struct fake_recv){ FAKE_ANY, FAKE_ANY, 7, job->mpi_double, 0x1000 });
    recv = irecv(content, 2, dup, &(struct fake_recv){ 1, 5, 6, job->mpi_int, 0x2000 });
    fake_recv_match(job, recv, 1, 5, 20);
    recv = irecv(content, 3, dup, &(struct fake_recv){ 1, 6, 6, job->mpi_int, 0x2000 });
    fake_recv_match(job, recv, 1, 6, 24);
    fake_recv_complete(job, recv);
    fake_recv_init(job, dup, &(struct fake_recv){ 0, 12, 3, job->mpi_double, 0x5000 });
    irecv(content, 4, world, &(struct fake_recv){ 3, 14, 2, job->mpi_byte, 0x6000 });
    recv = irecv(content, 5, world, &(struct fake_recv){ 2, 19, 5, vector, 0xa000 });
    fake_recv_cancel(job, recv);
    recv = fake_recv_init(job, world, &(struct fake_recv){ 0, 0x12345678, 9, vector, 0xb000 });
    fake_recv_start(job, name(content, "recv", 6, recv));
    name(content, "probe", 1, fake_probe(job, world, 2, 27));
    name(content, "probe", 2, fake_mprobe(job, dup, FAKE_ANY, FAKE_ANY));
}

static fake_ta isend(const struct content *content, unsigned n, const struct fake_comm *comm,
                     const struct fake_send *send)
{
    return name(content, "send", n, fake_isend(content->job, comm, send));
}

static void populate_sends(const struct content *content)
{
    struct fake_job *job = content->job;
    const struct fake_comm *world = &job->world, *dup = &content->dup;
    fake_ta send;

    isend(content, 1, world, &(struct fake_send){ 2, 8, 500, job->mpi_int, 0x3000, FAKE_SYNCHRONOUS });
    send = isend(content, 2, world, &(struct fake_send){ 0, 9, 5, job->mpi_int, 0x3000, FAKE_BUFFERED });
    fake_send_buffer(job, send, 0x4000);
    send = isend(content, 3, dup, &(struct fake_send){ 1, 13, 300, job->mpi_double, 0x7000, FAKE_STANDARD });
    fake_send_match(job, send);
    send = isend(content, 4, dup, &(struct fake_send){ 1, 15, 200, job->mpi_int, 0x8000, FAKE_STANDARD });
    fake_send_match(job, send);
    fake_send_complete(job, send);
    fake_send_init(job, dup, &(struct fake_send){ 1, 16, 4, job->mpi_int, 0x9000, FAKE_READY });
    send = fake_send_init(job, dup, &(struct fake_send){ 1, 20, 0x1234567, job->mpi_double, 0xc000, FAKE_READY });
    fake_send_start(job, name(content, "send", 5, send));
}

static void name_data(const struct content *content, unsigned n, fake_ta frag)
{
    name(content, "data", n, fake_frag_data(content->job, frag));
}

/* Two messages that wait for one before them; the second directly follows the first. */
static void populate_ahead(const struct content *content)
{
    struct fake_job *job = content->job;
    fake_ta ahead = fake_frag_new(job, 0, &(struct fake_message){ 2, 21, 8, FAKE_HDR_MATCH }, FIRST_AHEAD);
    fake_ta behind = fake_frag_new(job, 0, &(struct fake_message){ 2, 22, 9, FAKE_HDR_MATCH }, FIRST_AHEAD + 1);

    fake_ring_init(job, ahead);
    fake_ring_init(job, behind);
    FAKE_PUT(&job->image, ahead, mca_pml_ob1_recv_frag_t, range, behind);
    FAKE_PUT(&job->image, fake_peer(job, &job->world, 2), mca_pml_ob1_comm_proc_t, frags_cant_match, ahead);
    name_data(content, 1, ahead);
    name_data(content, 2, behind);
}

static void populate_unexpected(const struct content *content)
{
    struct fake_job *job = content->job;
    const struct fake_comm *world = &job->world, *dup = &content->dup;
    const struct fake_message early = { 1, 23, 60, FAKE_HDR_MATCH };

    /* As a receive from any source takes them in all builds: custom matching takes them as they came. */
    name_data(content, 3, fake_arrive(job, world, &(struct fake_message){ 3, 10, 40, FAKE_HDR_MATCH }));
    fake_arrive(job, world, &(struct fake_message){ 3, 24, 0, FAKE_HDR_MATCH });
    name_data(content, 4, fake_arrive(job, world, &(struct fake_message){ 0, 17, 30, FAKE_HDR_MATCH }));
    name_data(content, 5, fake_arrive(job, world, &(struct fake_message){ 0, 18, 500, FAKE_HDR_MATCH }));
    fake_arrive(job, dup, &(struct fake_message){ 1, 11, 100000, FAKE_HDR_RNDV });
    /* Only 5.0 and later have such; to the user it is a message like any other. */
    if (job->options.build->family >= 500)
        name_data(content, 6, fake_arrive_early(job, dup, &early));
    else
        name_data(content, 6, fake_arrive(job, dup, &early));
    fake_arrive(job, dup, &(struct fake_message){ 0, 25, 0x12345678, FAKE_HDR_RGET });
    populate_ahead(content);
}

/* A communicator with a process of another job, as MPI_Comm_spawn and MPI_Intercomm_merge leave it. */
static void populate_spawned(const struct content *content, fake_ta group)
{
    struct fake_job *job = content->job;
    struct fake_comm spawned;

    fake_group_set(job, group, 1, fake_proc_new(job, job->options.jobid + 1, 5));
    spawned = fake_comm_new(job, 6, "spawned", group, group);
    irecv(content, 7, &spawned, &(struct fake_recv){ 1, 26, 1, job->mpi_double, 0xd000 });
}

/* Ranks 3 and 1, in steps of -2 from 3 among everybody. */
static void populate_sparse(struct fake_job *job)
{
    fake_ta group = fake_group_sparse(job, job->world.local_group, 2, 1, FAKE_GROUP_STRIDED);
    fake_ta data = FAKE_AT(&job->image, group, ompi_group_t, sparse_data);

    FAKE_PUT(&job->image, data, ompi_group_strided_data_t, grp_strided_offset, 3);
    FAKE_PUT(&job->image, data, ompi_group_strided_data_t, grp_strided_stride, -2);
    fake_comm_new(job, 7, "sparse", group, group);
}

void fake_populate(struct fake_job *job, struct fake_names *names)
{
    const int two[2] = { 1, 3 }, rest[2] = { 0, 2 };
    fake_ta group = fake_group_of(job, two, 2);
    struct content content = { job, names, fake_comm_new(job, 3, "dup", group, group) };

    fake_intercomm_new(job, 4, "inter", group, fake_group_of(job, rest, 2));
    fake_comm_new(job, 0x107, NULL, group, group);
    populate_spawned(&content, fake_group_of(job, two, 2));
    populate_sparse(job);
    populate_receives(&content);
    populate_sends(&content);
    populate_unexpected(&content);
}

void fake_print_address(FILE *text, const struct fake_names *names, uint64_t ta)
{
    for (size_t i = 0; i < names->n; i++)
        if (names->items[i].ta == ta) {
            fputs(names->items[i].name, text);
            return;
        }
    fprintf(text, "%#" PRIx64, ta);
}

void fake_print_line(FILE *text, const struct fake_names *names, const char *line)
{
    while (*line != '\0') {
        if (line[0] == '0' && line[1] == 'x') {
            char *end;

            fake_print_address(text, names, strtoull(line, &end, 16));
            line = end;
        } else {
            fputc(*line++, text);
        }
    }
}

static void print_operation(FILE *text, const struct fake_names *names, const mqs_pending_operation *operation)
{
    fprintf(text, "    status %d: peer %lld (%lld), tag %lld wild %d, %lld bytes; ", (int)operation->status,
            (long long)operation->desired_local_rank, (long long)operation->desired_global_rank,
            (long long)operation->desired_tag, (int)operation->tag_wild, (long long)operation->desired_length);
    fprintf(text, "actual %lld (%lld), tag %lld, %lld bytes; at ", (long long)operation->actual_local_rank,
            (long long)operation->actual_global_rank, (long long)operation->actual_tag,
            (long long)operation->actual_length);
    fake_print_address(text, names, operation->buffer);
    fprintf(text, "%s; ", operation->system_buffer ? " (system)" : "");
    for (int line = 0; line < 5 && operation->extra_text[line][0] != '\0'; line++) {
        fake_print_line(text, names, operation->extra_text[line]);
        fputs("; ", text);
    }
    fputc('\n', text);
}

static void print_queue(FILE *text, const struct fake_names *names, const struct fake_queue *queue, const char *what)
{
    fprintf(text, "  %s: set-up %d, %zu operations, error %d\n", what, queue->setup, queue->n, queue->error);
    for (size_t i = 0; i < queue->n; i++)
        print_operation(text, names, &queue->operations[i]);
}

static void print_comm(FILE *text, const struct fake_names *names, const struct fake_listed_comm *comm)
{
    fprintf(text, "communicator %llu \"%s\", rank %lld of %lld, group %d:",
            (unsigned long long)comm->communicator.unique_id, comm->communicator.name,
            (long long)comm->communicator.local_rank, (long long)comm->communicator.size, comm->group_rc);
    for (mqs_tword_t rank = 0; rank < comm->communicator.size; rank++)
        fprintf(text, " %d", comm->group[rank]);
    fputc('\n', text);
    print_queue(text, names, &comm->queues[mqs_pending_sends], "sends");
    print_queue(text, names, &comm->queues[mqs_pending_receives], "receives");
    print_queue(text, names, &comm->queues[mqs_unexpected_messages], "unexpected");
}

char *fake_text(const struct fake_listing *listing, const struct fake_names *names)
{
    char *bytes = NULL;
    size_t n_bytes = 0;
    FILE *text = open_memstream(&bytes, &n_bytes);

    if (text == NULL)
        fake_die("out of memory");
    fprintf(text, "has_queues %d, update %d, error %d\n", listing->process_has_queues, listing->update, listing->error);
    for (size_t i = 0; i < listing->n_comms; i++)
        print_comm(text, names, &listing->comms[i]);
    if (fclose(text) != 0)
        fake_die("out of memory");
    return bytes;
}
