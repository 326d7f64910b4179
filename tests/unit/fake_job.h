/*
 * fake_job.h - one process of a fake Open MPI job: Open MPI's objects in a fake image.
 *
 * fake_job_map makes the process as it is before MPI_Init; fake_job_init does what MPI_Init does. Both follow the
 * release of the job's build. The default job has 4 processes; this one is rank 1. Rank 0 runs on the same node, so its
 * process object exists; the others are sentinels in the groups. The functions below change memory as the calls of MPI
 * and the PML ob1 do. Tests change everything else with FAKE_PUT.
 */
#ifndef FAKE_JOB_H
#define FAKE_JOB_H

#include "fake_image.h"

enum {
    FAKE_ANY = -1,            /* any source, any tag */
    FAKE_UNDEFINED = -32766,
    FAKE_MAX_PROCS = 64
};

/* Values of Open MPI that tests name. */
enum fake_comm_flags {
    FAKE_COMM_INTER = 0x1,
    FAKE_COMM_NAMEISSET = 0x2,
    FAKE_COMM_INTRINSIC = 0x4,
    FAKE_COMM_PML_ADDED = 0x1000,
    FAKE_COMM_GLOBAL_INDEX = 0x10000 /* since 5.0 */
};
enum fake_group_flags {
    FAKE_GROUP_INTRINSIC = 0x2,
    FAKE_GROUP_DENSE = 0x4,
    FAKE_GROUP_SPORADIC = 0x8,
    FAKE_GROUP_STRIDED = 0x10,
    FAKE_GROUP_BITMAP = 0x20
};
enum fake_request_state { FAKE_INVALID, FAKE_INACTIVE, FAKE_ACTIVE };
enum fake_request_kind {
    FAKE_REQUEST_SEND = 1,
    FAKE_REQUEST_RECV = 2,
    FAKE_REQUEST_PROBE = 4,
    FAKE_REQUEST_MPROBE = 6
};
enum fake_send_mode {
    FAKE_SYNCHRONOUS = 0,
    FAKE_COMPLETE = 1,
    FAKE_BUFFERED = 2,
    FAKE_READY = 3,
    FAKE_STANDARD = 4
};
enum fake_header { FAKE_HDR_MATCH = 65, FAKE_HDR_RNDV = 66, FAKE_HDR_RGET = 67, FAKE_HDR_CID = 74 };
enum { FAKE_MATCH_HEADER = 14, FAKE_RNDV_HEADER = 32, FAKE_RGET_HEADER = 48, FAKE_UNEXPECTED_LIMIT = 128 };
enum fake_mpi_state { FAKE_NOT_INITIALISED, FAKE_IN_INIT, FAKE_INITIALISED, FAKE_FINALIZED = 5 };

struct fake_options {
    const struct fake_build *build;
    uint64_t slide;           /* added to every address: another run of the same program */
    int n_procs, rank;
    uint32_t jobid;
    /* ob1's free lists: elements at first, elements per further chunk, at most (0: no limit), alignment. */
    size_t initial, increment, maximum, alignment;
    const char *version;
    int n_more_tags;          /* of collectives, which a release has that no table is of */
    uint64_t (*renumber)(enum fake_member member, uint64_t value, bool back); /* see struct fake_image */
};

struct fake_comm {
    fake_ta ta;
    fake_ta local_group, remote_group;
    fake_ta pml;              /* ob1's part of it */
    uint32_t id;
};

struct fake_job {
    struct fake_image image;
    struct fake_options options;
    int pal, mpi, ob1_so, exe, heap; /* segments: data of three libraries, of the program, and what was allocated */
    fake_ta classes[FAKE_N_TYPES];
    fake_ta communicators, send_requests, recv_requests, ob1, state, version, local_proc;
    fake_ta request_null, request_null_addr, selected;
    fake_ta comm_world_addr, comm_self_addr, comm_null_addr;
    fake_ta procs[FAKE_MAX_PROCS];   /* by rank in MPI_COMM_WORLD; 0: only a sentinel stands for it */
    struct fake_comm world, self, null;
    fake_ta mpi_int, mpi_byte, mpi_double;
    fake_ta dead_byte;               /* libmpi's own MPI_BYTE, of which the program has a copy */
};

/* A job of 4 processes of which this is rank 1: of any build, NULL being 4.1 for x86_64. */
struct fake_options fake_options_of(const struct fake_build *build);

/* Sets the name of an object, which is an array in it or a string; of a component; of the PML in use. */
void fake_name_put(struct fake_job *job, fake_ta place, bool is_string, const char *name);
void fake_component_set_name(struct fake_job *job, fake_ta component, const char *name);
void fake_select_pml(struct fake_job *job, const char *name);

/* Makes the process before MPI_Init: no plugin is loaded, static data is zero. */
void fake_job_map(struct fake_job *job, const struct fake_options *options);
void fake_job_init(struct fake_job *job);

/* Instead of fake_job_init, since 5.0: MPI_Session_init, without MPI_COMM_WORLD and MPI_COMM_SELF. */
void fake_job_session_init(struct fake_job *job);
void fake_job_finalize(struct fake_job *job);
void fake_job_unmap(struct fake_job *job);

/* Allocates memory like malloc, which is not zero; memory that is; data of a library's segment, which have a symbol. */
fake_ta fake_malloc(struct fake_job *job, size_t size);
fake_ta fake_zeros(struct fake_job *job, size_t size);
fake_ta fake_symbol(struct fake_job *job, const char *name, int library, size_t size);

/* A class that libraries of the job do not have from the start. */
void fake_class_new(struct fake_job *job, enum fake_type type, enum fake_type parent);

/* Makes the first bytes at ta an object of a class. */
void fake_construct(struct fake_job *job, fake_ta ta, enum fake_type type);

void fake_list_init(struct fake_job *job, fake_ta list);
void fake_list_append(struct fake_job *job, fake_ta list, fake_ta item);
void fake_list_remove(struct fake_job *job, fake_ta list, fake_ta item);

/* Free lists. `element_size` is fl_frag_size: the class's size and what its users add. */
void fake_free_list_init(struct fake_job *job, fake_ta list, enum fake_type type, size_t element_size);
void fake_free_list_grow(struct fake_job *job, fake_ta list, size_t n_elements);
fake_ta fake_free_list_take(struct fake_job *job, fake_ta list);
void fake_free_list_return(struct fake_job *job, fake_ta list, fake_ta element);
fake_ta fake_recv_frags(const struct fake_job *job);

/* Processes and groups. An entry is an element of a group's table. */
fake_ta fake_proc_new(struct fake_job *job, uint32_t jobid, uint32_t vpid);
fake_ta fake_sentinel(const struct fake_job *job, uint32_t jobid, uint32_t vpid);
fake_ta fake_entry(const struct fake_job *job, int world_rank);
fake_ta fake_group_new(struct fake_job *job, int count, int my_rank);
void fake_group_set(struct fake_job *job, fake_ta group, int rank, fake_ta entry);

/* The first tag of nonblocking collective operations. */
int32_t fake_nonblocking_base(const struct fake_job *job);

/* A group in sparse storage. The test puts into its sparse_data which of its parent's members it has. */
fake_ta fake_group_sparse(struct fake_job *job, fake_ta parent, int count, int my_rank, enum fake_group_flags storage);

/* A group of these ranks of MPI_COMM_WORLD, in this order. */
fake_ta fake_group_of(struct fake_job *job, const int *world_ranks, int count);

/* A communicator in its slot, which is `id`, ready for messages. `name` NULL: it was never named. */
struct fake_comm fake_comm_new(struct fake_job *job, uint32_t id, const char *name, fake_ta local_group,
                               fake_ta remote_group);
void fake_comm_set_name(struct fake_job *job, const struct fake_comm *comm, const char *name);

/* An intercommunicator and the hidden one that it keeps over its local group, at id + 1. */
struct fake_comm fake_intercomm_new(struct fake_job *job, uint32_t id, const char *name, fake_ta local_group,
                                    fake_ta remote_group);

/* What stands in a slot of the table of communicators: 0 frees it. */
void fake_slot_set(struct fake_job *job, uint32_t slot, fake_ta value);

/* A datatype that the user has made. */
fake_ta fake_datatype_new(struct fake_job *job, const char *name, size_t size);
void fake_datatype_set_name(struct fake_job *job, fake_ta datatype, const char *name);

/* ob1's object for a peer of a communicator, made at first contact. */
fake_ta fake_peer(struct fake_job *job, const struct fake_comm *comm, int rank);

/* The status of a request: the message that it has. */
struct fake_status {
    int source, tag, error;
    bool cancelled;
    size_t bytes;
};
void fake_status_put(struct fake_job *job, fake_ta request, const struct fake_status *status);

struct fake_recv {
    int source, tag;
    size_t count;
    fake_ta datatype, buffer;
};

/* MPI_Irecv; MPI_Recv_init; MPI_Start. */
fake_ta fake_irecv(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv);
fake_ta fake_recv_init(struct fake_job *job, const struct fake_comm *comm, const struct fake_recv *recv);
void fake_recv_start(struct fake_job *job, fake_ta request);

/*
 * MPI_Probe that waits, with its request on a stack; MPI_Mprobe that waits; MPI_Mprobe that has found its message.
 */
fake_ta fake_probe(struct fake_job *job, const struct fake_comm *comm, int source, int tag);
fake_ta fake_mprobe(struct fake_job *job, const struct fake_comm *comm, int source, int tag);
void fake_mprobe_match(struct fake_job *job, fake_ta request, fake_ta frag, int source, int tag, size_t bytes);

/* A message of that many bytes matches; all of it arrives; MPI_Cancel of a receive that has no message. */
void fake_recv_match(struct fake_job *job, fake_ta request, int source, int tag, size_t bytes);
void fake_recv_complete(struct fake_job *job, fake_ta request);
void fake_recv_cancel(struct fake_job *job, fake_ta request);

struct fake_send {
    int destination, tag;
    size_t count;
    fake_ta datatype, buffer;
    enum fake_send_mode mode;
};

/* A rendezvous that waits for its receiver; a persistent send that was not started. */
fake_ta fake_isend(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send);
fake_ta fake_send_init(struct fake_job *job, const struct fake_comm *comm, const struct fake_send *send);
void fake_send_start(struct fake_job *job, fake_ta request);

/* The receiver has answered; all of it is sent; the data waits in the buffer that MPI_Buffer_attach gave. */
void fake_send_match(struct fake_job *job, fake_ta request);
void fake_send_complete(struct fake_job *job, fake_ta request);
void fake_send_buffer(struct fake_job *job, fake_ta request, fake_ta attached);

struct fake_message {
    int source, tag;
    size_t bytes;
    enum fake_header type; /* 0: FAKE_HDR_MATCH */
};

/* An unexpected message; a fragment that is in no queue yet. */
fake_ta fake_arrive(struct fake_job *job, const struct fake_comm *comm, const struct fake_message *message);
fake_ta fake_frag_new(struct fake_job *job, uint32_t context, const struct fake_message *message, unsigned sequence);

/*
 * Since 5.0: a message that came before its communicator was made. It has the header that names the communicator. Open
 * MPI moves it to the communicator with this header: the address of its data is then behind the header, but the length
 * still includes it.
 */
fake_ta fake_arrive_early(struct fake_job *job, const struct fake_comm *comm, const struct fake_message *message);

/* The address of an eager message's data, behind its header, which has 16 bytes in debug builds of 5.0. */
fake_ta fake_frag_data(const struct fake_job *job, fake_ta frag);

/* A message for a communicator that this process has not made yet; since 5.0 one whose id has these halves. */
fake_ta fake_arrive_pending_communicator(struct fake_job *job, uint32_t context, const struct fake_message *message);
fake_ta fake_arrive_pending_communicator_by_cid(struct fake_job *job, uint64_t base, uint64_t sub,
                                                const struct fake_message *message);

/* Rings without a head: alone, or behind the last of the ring that `ring` begins. */
void fake_ring_init(struct fake_job *job, fake_ta item);
void fake_ring_append(struct fake_job *job, fake_ta ring, fake_ta item);

#endif
