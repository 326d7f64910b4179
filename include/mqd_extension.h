/*
 * mqd_extension.h - what the debug DLL of ompi-mqd offers beyond MQD 1.0.
 *
 * A debugger that has loaded the DLL looks up the function `ompi_mqd_extension` and asks it for a version of the table.
 * New releases may add functions at the end of a version's table: a function exists if the table's size includes it.
 * The structures that the functions fill never change. Strings that are pointers are valid as long as the DLL is
 * loaded.
 */
#ifndef MQD_EXTENSION_H
#define MQD_EXTENSION_H

#include "mpi_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MQD_EXTENSION_VERSION = 1 };

/*
 * What the listing of a process rests on, as it was at the last mqs_process_has_queues or mqs_update_communicator_list.
 * Strings are NUL-terminated; one that is not known is "".
 */
struct mqd_layout_summary {
    char openmpi[64];        /* the version that the process states, "4.1.4" */
    char family[32];         /* releases that the chosen table is for, "4.1.0-4.1.8"; "" if no table was chosen */
    char variant[64];        /* the table's variant, words joined by a space, "release" */
    char source[16];         /* "table+live", "live", "table" or "mixed"; "" while nothing is resolved */
    char rejected[64];       /* the type by which the debugger's types were found to be another build's, and were not
                                used; "" if they were, or if there are none */
    char arch[16];           /* that the table was made for, "x86_64" */
    char abi[32];            /* of the process, "64-bit little-endian"; "" while it was not looked at */
    int n_fitting;           /* tables that fit equally, the chosen one included */
    char decided[32];        /* what made the choice: "class sizes", "debugger's types"; where several fit equally the
                                last that had to be asked: "matching queues" (of builds with a way of matching of
                                their own), "preference for site tables", "version string", "architecture", "first"
                                (nothing tells them apart) */
    char next_best[128];     /* where several tables fit equally another of them; where none fits the nearest one, which
                                the fewest class sizes contradict: family, variant, architecture; else "" */
    int version_in_family;   /* 1: the stated version is of the table's family, 0: it is not, -1: not known */
    int n_classes;           /* class descriptors that Open MPI has for the types that are read */
    int n_classes_read;      /* of these, found in the process */
    int n_classes_agreeing;  /* of these, with a size that the table (chosen or nearest) has too */
    int n_types;             /* types that are read */
    int n_types_known;       /* of these, known to the debugger */
    int n_types_agreeing;    /* of these, used and in every member like the table */
};

/* One type that is read. A size that is not known is -1. */
struct mqd_type_description {
    const char *name;        /* "ompi_communicator_t" */
    const char *source;      /* of what is in force: "table+live", "live", "table" or "absent" */
    long size;               /* bytes in force */
    long class_size;         /* that its class descriptor in the process states */
    long live_size;          /* that the debugger says */
    long table_size;         /* in the chosen table or, where none fits, in the nearest */
};

/* One member of such a type. Offsets from the start of the type and sizes are in bytes; -1: not known. */
struct mqd_field_description {
    const char *type;        /* "ompi_communicator_t" */
    const char *member;      /* "c_my_rank" */
    const char *kind;        /* "i32", "ptr", "chars", ...; "none" if it is absent */
    const char *source;      /* as above */
    long offset, size;       /* in force; a size is -1 too where only the start is known */
    long live_offset;        /* that the debugger says */
    long table_offset;       /* in the chosen table */
};

/* An object whose content is known, by which a layout is tested. */
struct mqd_probe_description {
    const char *name;        /* "MPI_COMM_NULL" */
    const char *result;      /* "passed", "failed", "not possible" (it cannot be found) or "not reached" */
};

/* What can be shown, or why it cannot. */
struct mqd_capability_description {
    const char *name;        /* "receives" */
    const char *text;        /* "receive operations" */
    int on;
    const char *reason;      /* why it is off, or what is missing while it is on; NULL: nothing is missing */
};

/* What MQD 1.0 has no field for of a communicator. */
struct mqd_communicator_summary {
    int internal;            /* not 0: Open MPI's own, listed on request only */
    long remote_size;        /* processes in the remote group of an intercommunicator; 0: it is none */
    /*
     * How many receives (probes included) and sends the process has started on it, modulo 2^32. If two looks find the
     * same numbers they see the same operations. Addresses of requests do not show that: they are used again.
     */
    int has_activity;        /* not 0: they are known */
    unsigned long n_receives, n_sends;
};

/*
 * How many messages the process and one other have exchanged on a communicator, modulo 65536. If the number that one
 * has sent is the number that has arrived at the other, no message is on its way.
 */
struct mqd_traffic_description {
    long global_rank;        /* of the other in MPI_COMM_WORLD; -1: of another job, or not known */
    unsigned n_sent;         /* to it; a large message counts once */
    unsigned n_arrived;      /* from it, without those that have overtaken one which has not arrived */
};

/*
 * The name of a process among those of all jobs. After MPI_Comm_spawn or MPI_Comm_connect a communicator has members of
 * several jobs.
 */
struct mqd_process_name {
    unsigned long job;       /* Open MPI's number of its job, the same in all processes that know the job */
    long rank;               /* in that job's MPI_COMM_WORLD */
};

/*
 * The numbers of the following enumerators never change, and new ones are added at the end. Structures hold them as
 * int. A client treats a number that it does not know like the first enumerator.
 */

/* What an operation is. The blocking, non-blocking and persistent forms of a call have the same kind. */
enum mqd_operation_kind {
    MQD_OPERATION_unknown,
    MQD_OPERATION_recv,
    MQD_OPERATION_probe,             /* waits in MPI_Probe: ob1 keeps it among the posted receives */
    MQD_OPERATION_mprobe,
    MQD_OPERATION_send,
    MQD_OPERATION_ssend,
    MQD_OPERATION_bsend,
    MQD_OPERATION_rsend,
    MQD_OPERATION_message            /* an unexpected message: it has arrived, and no receive matches it yet */
};

/* The send mode of MPI. */
enum mqd_send_mode { MQD_MODE_none, MQD_MODE_standard, MQD_MODE_synchronous, MQD_MODE_buffered, MQD_MODE_ready };

/* How a message is transferred. It is unknown until Open MPI has decided. */
enum mqd_protocol {
    MQD_PROTOCOL_unknown,
    MQD_PROTOCOL_eager,              /* the sender sends all of it at once */
    MQD_PROTOCOL_rendezvous,         /* the sender announces it, and sends the rest when the receiver has answered. An
                                        unexpected message with this protocol may also be one by single copy */
    MQD_PROTOCOL_single_copy         /* the sender announces it, and the receiver copies it from the sender's memory */
};

/* The progress of an operation, in more detail than its status. */
enum mqd_progress {
    MQD_PROGRESS_unknown,
    MQD_PROGRESS_posted,             /* a receive or probe that waits for a message */
    MQD_PROGRESS_waited_for,         /* the same, and a thread waits until it is complete */
    MQD_PROGRESS_receiving,          /* a receive that a message has matched; `arrived` tells how much is there */
    MQD_PROGRESS_complete,
    MQD_PROGRESS_cancelled,
    MQD_PROGRESS_truncated,          /* complete, and the message was longer than the buffer */
    MQD_PROGRESS_failed,             /* complete with an error; `error_class` tells which */
    MQD_PROGRESS_queued,             /* a send that Open MPI has queued, because the transport had no room */
    MQD_PROGRESS_transport,          /* an eager send; the transport has not sent all of it yet */
    MQD_PROGRESS_rendezvous,         /* a rendezvous send that waits for the receiver's answer */
    MQD_PROGRESS_single_copy,        /* a single-copy send that waits for the receiver to copy */
    MQD_PROGRESS_transfer,           /* a rendezvous send that the receiver has answered */
    MQD_PROGRESS_in_transit,         /* a send that is complete for MPI, but the transport still holds its data */
    MQD_PROGRESS_eager,              /* an unexpected message that has arrived completely */
    MQD_PROGRESS_arrived_rendezvous, /* an unexpected message whose sender waits for a receive */
    MQD_PROGRESS_out_of_sequence,    /* an unexpected message that has overtaken an earlier one of its sender */
    MQD_PROGRESS_pending_communicator, /* a message for a communicator that this process has not created yet */
    MQD_PROGRESS_unmatched,          /* a send that has left, and waits for a receive to match it */
    MQD_PROGRESS_unfinished,         /* a send that waits for its receiver, or for the network: which one is not known */
    MQD_PROGRESS_arriving,           /* an unexpected message of which a first part has arrived, perhaps all of it */
    MQD_PROGRESS_handed_over         /* a send that a network's library has, which alone knows how far it is */
};

/* An operation in what MQD 1.0 has no fields for. extra_text says most of it in words. */
struct mqd_operation_description {
    int kind;                /* enum mqd_operation_kind */
    int mode;                /* enum mqd_send_mode; MQD_MODE_none if it is not a send */
    int protocol;            /* enum mqd_protocol */
    int progress;            /* enum mqd_progress */
    int persistent;          /* not 0: the request was created by MPI_Send_init or a similar call */
    int freed;               /* not 0: the program has freed the request with MPI_Request_free. Of a buffered send also:
                                it was waited for, or is of MPI_Bsend, which leaves no handle */
    int collective;          /* not 0: its tag shows that it belongs to a collective operation or to the creation of a
                                communicator */
    int internal;            /* not 0: Open MPI started it for itself; its tag or its communicator shows this */
    int needs_receiver;      /* not 0: a send that continues only after an answer of the receiver */
    int out_of_sequence;     /* not 0: a message that waits for the message with the number before `sequence` */
    int pending_communicator; /* not 0: a message that waits for its communicator */
    int error_class;         /* MPI's error class of a receive that has failed or was truncated; 0: no error */
    long sequence;           /* number of a message that is out of sequence, among those of its sender; of a receive that
                                waits for a message, among those that the process has posted: two looks that find the
                                same number see the same receive. -1: not known */
    mqs_taddr_t request;     /* address of the request; 0 for an unexpected message, which has none */
    unsigned long arrived;   /* of a matched receive: bytes that are in the user's buffer */
    int has_count;           /* not 0: `count` is valid; probes and unexpected messages have no count */
    unsigned long count;     /* number of elements */
    char datatype[64];       /* name of the elements' datatype; "" if there is none, or if it is not known */
    char purpose[64];        /* of an internal operation what it is for, "MPI_Bcast"; else "" */
    int has_peer;            /* not 0: `peer` is valid */
    struct mqd_process_name peer; /* the source or the destination */
};

/*
 * What is not known of an operation, although its MPI call stated it: Open MPI has not kept it, or not where it can be
 * found. Such a member of mqs_pending_operation is -1 if it is a rank or a tag, and else 0. Each is 0 or 1.
 */
struct mqd_unknown_description {
    int peer;                /* the desired source or destination; desired_local_rank -1 does not mean any source then */
    int tag;                 /* the desired tag; tag_wild is 0 */
    int length;              /* the desired length */
    int buffer;
};

/* A library other than Open MPI that a listing rests on: it keeps the requests of the process's PML. */
struct mqd_library_summary {
    char name[32];           /* "UCX" */
    char version[64];        /* that it states, "1.13.1"; "" if it is not known */
    char family[32];         /* as in struct mqd_layout_summary; "" if no table fits the process */
    char variant[64];
    char arch[16];
    char source[16];
    int n_fitting;           /* tables that the process does not contradict; what they disagree about is not used */
    char next_best[128];     /* another one of them; "" if there is none */
    int version_in_family;   /* 1: the stated version is of the table's family, 0: it is not, -1: not known */
    int n_types;             /* types of the library that are read */
    int n_types_known;       /* of these, known to the debugger */
    char found[192];         /* if no table fits: what could be found of the library all the same; else "" */
};

/* What the process is to MPI as a whole. */
struct mqd_process_description {
    int thread_level;        /* the level of thread support that MPI_Init_thread has provided: 0 MPI_THREAD_SINGLE,
                                1 FUNNELED, 2 SERIALIZED, 3 MULTIPLE; -1: not known. Up to 2 no thread may call MPI
                                while another one is in an MPI call */
};

/* For whom a communicator is. */
enum mqd_owner {
    MQD_OWNER_unknown,
    MQD_OWNER_program,               /* nothing shows that it is for anybody else */
    MQD_OWNER_window,                /* Open MPI has made it for a window: the window's collective calls use it */
    MQD_OWNER_file,                  /* the same for a file */
    MQD_OWNER_library                /* Open MPI has made it for something else */
};

/* How a communicator is used, in what struct mqd_communicator_summary does not say. */
struct mqd_communicator_use {
    int owner;               /* enum mqd_owner */
    mqs_taddr_t object;      /* the window or the file, an address in the process; 0: none, or not known */
    char name[128];          /* of the window as the program has named it, or of the file; "" if it is not known */
    int allow_overtaking;    /* not 0: the program has set mpi_assert_allow_overtaking: messages may match out of order,
                                and Open MPI does not number them. Traffic is not known then. -1: not known */
    int has_nonblocking;     /* not 0: `n_nonblocking` is known */
    unsigned long n_nonblocking; /* nonblocking collective operations that the process has started on it, or persistent
                                    ones that it has created, or Open MPI for it to make other communicators: the
                                    highest number of collective_number_of. After about 2^30 it starts again */
};

/*
 * How a process has access to the memory of others in a window, as far as Open MPI keeps it: its access epoch. Some
 * components do not tell an epoch of MPI_Win_fence from none: both are unknown.
 */
enum mqd_access {
    MQD_ACCESS_unknown,
    MQD_ACCESS_none,
    MQD_ACCESS_fence,                /* since MPI_Win_fence */
    MQD_ACCESS_start,                /* since MPI_Win_start, or waiting in it */
    MQD_ACCESS_lock,                 /* since MPI_Win_lock, of some processes */
    MQD_ACCESS_lock_all              /* since MPI_Win_lock_all, or waiting in it */
};

/* A window of one-sided communication in one process. Numbers that are not known are -1. */
struct mqd_window_description {
    mqs_taddr_t object;      /* its address in the process */
    char component[16];      /* of Open MPI's that implements it: "sm", "rdma" */
    int access;              /* enum mqd_access */
    int exposed;             /* 1: since MPI_Win_post others may access its memory, 0: not by that call; -1 */
    long n_posted_to_it;     /* processes of those that it has named in MPI_Win_start that have called MPI_Win_post */
    long n_completed;        /* processes of those that it has named in MPI_Win_post that have called MPI_Win_complete */
    /* The lock of its own memory: */
    int locked_exclusively;  /* 1: somebody holds an exclusive lock; 0: nobody does; -1 */
    long n_shared;           /* how many hold a shared lock */
    long n_waiting;          /* how many wait for a lock */
    /* Accesses that are not complete, of an epoch or a lock of all. Where the network counts them, 0 says nothing. */
    long n_pending;
};

/* What a process of a window is to the one that is described. */
enum mqd_window_role {
    MQD_ROLE_unknown,
    MQD_ROLE_started,                /* named in MPI_Win_start */
    MQD_ROLE_posted,                 /* named in MPI_Win_post */
    MQD_ROLE_exclusive,              /* the process has asked for an exclusive lock of its memory */
    MQD_ROLE_shared,                 /* ... for a shared lock */
    MQD_ROLE_unchecked               /* ... for a lock with MPI_MODE_NOCHECK: it waits for nobody and nobody for it */
};

struct mqd_window_peer {
    int rank;                /* in the window's group */
    int role;                /* enum mqd_window_role */
    int held;                /* of a lock: 1: the process holds it, 0: it waits for it; -1: one of both, or no lock */
    long n_pending;          /* of a lock: accesses under it that are not complete, as above; -1: not known */
};

/* What kind of object a handle of MPI stands for. */
enum mqd_handle_kind {
    MQD_HANDLE_unknown,
    MQD_HANDLE_communicator,
    MQD_HANDLE_datatype,
    MQD_HANDLE_group,
    MQD_HANDLE_request,
    MQD_HANDLE_window,
    MQD_HANDLE_file,
    MQD_HANDLE_op,
    MQD_HANDLE_errhandler,
    MQD_HANDLE_info,
    MQD_HANDLE_message,
    MQD_HANDLE_session
};

/* How a program writes a handle down. */
enum mqd_handle_language {
    MQD_LANGUAGE_c,                  /* the value of an MPI_Comm, MPI_Request, ... in C or C++: an address; in a process
                                        with libmpi_abi also the number that MPI 5.0's ABI gives a predefined one */
    MQD_LANGUAGE_fortran,            /* an INTEGER of Fortran, also the MPI_VAL of a type(MPI_Comm) */
    MQD_LANGUAGE_abi                 /* what MPI_Comm_toint and the like return in a process with libmpi_abi, or the
                                        value in C; in other processes these are of no object */
};

/* What a handle stands for. */
struct mqd_handle_summary {
    int kind;                /* enum mqd_handle_kind */
    mqs_taddr_t object;      /* its address in the process */
    char class_name[64];     /* Open MPI's class of it, "ompi_communicator_t" */
    int predefined;          /* not 0: one of MPI's own, which no program creates */
    long fortran;            /* its INTEGER in Fortran; -1: it has none yet, or it is not known */
    char name[128];          /* as the program or MPI has named it, "MPI_COMM_WORLD"; "" if it has none */
};

/* How a communicator's processes are arranged. */
enum mqd_topology { MQD_TOPOLOGY_none, MQD_TOPOLOGY_cartesian, MQD_TOPOLOGY_graph, MQD_TOPOLOGY_distributed_graph };

/* With which call a datatype was made. */
enum mqd_combiner {
    MQD_COMBINER_unknown,
    MQD_COMBINER_named,              /* predefined */
    MQD_COMBINER_dup,
    MQD_COMBINER_contiguous,
    MQD_COMBINER_vector,
    MQD_COMBINER_hvector,
    MQD_COMBINER_indexed,
    MQD_COMBINER_hindexed,
    MQD_COMBINER_indexed_block,
    MQD_COMBINER_hindexed_block,
    MQD_COMBINER_struct,
    MQD_COMBINER_subarray,
    MQD_COMBINER_darray,
    MQD_COMBINER_f90_real,
    MQD_COMBINER_f90_complex,
    MQD_COMBINER_f90_integer,
    MQD_COMBINER_resized
};

/* The state of a request. */
enum mqd_request_state {
    MQD_REQUEST_unknown,
    MQD_REQUEST_null,                /* MPI_REQUEST_NULL */
    MQD_REQUEST_inactive,            /* persistent, and not started */
    MQD_REQUEST_active,
    MQD_REQUEST_complete,            /* the operation has ended, and the program has not asked for it yet */
    MQD_REQUEST_invalid              /* the request has ended: the handle is stale. Open MPI uses the memory again: a
                                        stale handle may also stand for a later operation, and look like its handle */
};

/* Which operation of a file a request is of. */
enum mqd_file_operation {
    MQD_FILE_unknown,
    MQD_FILE_write,
    MQD_FILE_read,
    MQD_FILE_write_all,
    MQD_FILE_read_all
};

/* What a request is of. */
enum mqd_request_kind {
    MQD_REQUEST_OF_unknown,
    MQD_REQUEST_OF_message,          /* a send or a receive */
    MQD_REQUEST_OF_file,
    MQD_REQUEST_OF_program,          /* made by MPI_Grequest_start: only the program ends it */
    MQD_REQUEST_OF_window,
    MQD_REQUEST_OF_collective,
    MQD_REQUEST_OF_communicator,     /* MPI_Comm_idup and the like */
    MQD_REQUEST_OF_partitions        /* partitioned communication */
};

/* What an item tells. Those with several values tell one in each item; `index` counts them from 0. */
enum mqd_handle_fact {
    MQD_FACT_unknown,
    /* Communicators and groups */
    MQD_FACT_size,                   /* number of members */
    MQD_FACT_rank,                   /* of the process itself; -1: it is no member */
    MQD_FACT_remote_size,            /* of an intercommunicator */
    MQD_FACT_unique_id,              /* by which mqs_get_communicator names it: address; only if a listing has it */
    MQD_FACT_internal,               /* Open MPI's own: truth */
    MQD_FACT_revoked,                /* truth */
    MQD_FACT_collectives_revoked,    /* truth: at least for collective operations */
    MQD_FACT_freed,                  /* truth: the program has freed it. Of a communicator only if that is certain,
                                        while operations still use it; also of an info object */
    MQD_FACT_member,                 /* rank in MPI_COMM_WORLD, -1: of another job, or not known; `index`: rank */
    MQD_FACT_topology,               /* enum mqd_topology */
    MQD_FACT_reorder,                /* truth: ranks could be changed when the topology was made */
    MQD_FACT_dimension,              /* number of processes in each dimension */
    MQD_FACT_periodic,               /* truth, of each dimension */
    MQD_FACT_coordinate,             /* of the process itself in each dimension */
    MQD_FACT_graph_index,            /* as MPI_Graph_get tells them */
    MQD_FACT_graph_edge,
    MQD_FACT_source,                 /* of a distributed graph: ranks of neighbours, and weights if it has any */
    MQD_FACT_source_weight,
    MQD_FACT_destination,
    MQD_FACT_destination_weight,
    /* Datatypes. Sizes and bounds in bytes */
    MQD_FACT_type_size,
    MQD_FACT_lower_bound,
    MQD_FACT_extent,
    MQD_FACT_true_lower_bound,
    MQD_FACT_true_extent,
    MQD_FACT_committed,              /* truth: Open MPI takes it as committed; some uncommitted ones it takes as such */
    MQD_FACT_combiner,               /* enum mqd_combiner */
    MQD_FACT_integer,                /* as MPI_Type_get_contents tells them */
    MQD_FACT_address,
    MQD_FACT_datatype,               /* handle */
    MQD_FACT_count,                  /* as MPI_Type_get_contents_c tells large counts */
    /* Requests and matched messages */
    MQD_FACT_request_kind,           /* enum mqd_request_kind */
    MQD_FACT_request_state,          /* enum mqd_request_state */
    MQD_FACT_persistent,             /* truth */
    MQD_FACT_object,                 /* handle of the communicator, file or window that it is on */
    MQD_FACT_operation,              /* enum mqd_operation_kind */
    MQD_FACT_progress,               /* enum mqd_progress */
    MQD_FACT_peer,                   /* rank in the communicator's remote group; MPI_ANY_SOURCE: -1 */
    MQD_FACT_tag,                    /* no item: MPI_ANY_TAG */
    MQD_FACT_bytes,
    MQD_FACT_elements,               /* of MQD_FACT_datatype */
    MQD_FACT_collective_number,      /* as collective_number_of tells it */
    MQD_FACT_file_operation,         /* enum mqd_file_operation */
    MQD_FACT_context,                /* text: Open MPI's class of what a request of a communicator works with; its name
                                        has that of the call in it, "ompi_comm_idup_with_info_context_t" */
    MQD_FACT_request,                /* handle: the receive that a message has been matched with */
    MQD_FACT_function,               /* address: of an op or an error handler; or which a request calls */
    /* Windows */
    MQD_FACT_base,                   /* address */
    MQD_FACT_window_size,            /* bytes */
    MQD_FACT_displacement_unit,      /* bytes */
    MQD_FACT_flavor,                 /* MPI_WIN_FLAVOR_CREATE 1, _ALLOCATE 2, _DYNAMIC 3, _SHARED 4 */
    MQD_FACT_memory_model,           /* MPI_WIN_UNIFIED 0, MPI_WIN_SEPARATE 1 */
    MQD_FACT_group,                  /* handle */
    MQD_FACT_access,                 /* enum mqd_access; this and the next ones as describe_window tells them */
    MQD_FACT_exposed,                /* truth */
    MQD_FACT_locked_exclusively,     /* truth */
    MQD_FACT_shared_locks,
    MQD_FACT_waiting_locks,
    MQD_FACT_component,              /* text, of windows and files: Open MPI's component that implements it */
    /* Files */
    MQD_FACT_communicator,           /* handle */
    MQD_FACT_access_mode,            /* MPI_MODE_CREATE 1, _RDONLY 2, _WRONLY 4, _RDWR 8, _DELETE_ON_CLOSE 16,
                                        _UNIQUE_OPEN 32, _EXCL 64, _APPEND 128, _SEQUENTIAL 256, or several */
    MQD_FACT_closed,                 /* truth */
    MQD_FACT_view_displacement,      /* bytes; this and the next ones only of files of ompio, not of ROMIO */
    MQD_FACT_view_etype,             /* handle of a datatype: Open MPI's duplicate of the program's */
    MQD_FACT_view_filetype,          /* the same */
    MQD_FACT_atomic,                 /* truth: MPI_File_set_atomicity */
    MQD_FACT_split_collective,       /* truth: MPI_File_..._begin was called, and its _end not yet */
    /* Others */
    MQD_FACT_commutative,            /* truth, of an op */
    MQD_FACT_language_fortran,       /* truth: the function is called as Fortran's are */
    MQD_FACT_handled_kind,           /* enum mqd_handle_kind: what an error handler is for */
    MQD_FACT_key,                    /* text, of an info object */
    MQD_FACT_value,                  /* text; `index` as that of its key */
    MQD_FACT_session,                /* handle: from which a communicator or group comes */
    MQD_FACT_thread_level,           /* of a session */
    MQD_FACT_error_handler,          /* handle */
    MQD_FACT_attribute               /* `index` is the key's number, `text` its name if MPI has one. Truth, number or
                                        address, by the call that has set it */
};

/* How an item tells it. */
enum mqd_fact_form {
    MQD_FORM_unknown,
    MQD_FORM_number,                 /* in `number`, also enumerators */
    MQD_FORM_truth,                  /* 0 or 1 in `number` */
    MQD_FORM_address,                /* in `address` */
    MQD_FORM_text,                   /* in `text`, perhaps cut */
    MQD_FORM_handle                  /* of an object: its address in `address`, its name, or "", in `text` */
};

struct mqd_handle_item {
    int fact;                /* enum mqd_handle_fact */
    int form;                /* enum mqd_fact_form */
    long index;
    long long number;
    mqs_taddr_t address;
    char text[256];
};

/* What a listing can show, if it is able to. describe_limit uses the same index as describe_capability. */
enum mqd_shown {
    MQD_SHOWN_unknown,
    MQD_SHOWN_communicators,
    MQD_SHOWN_names,
    MQD_SHOWN_groups,
    MQD_SHOWN_requests,              /* what sends and receives have in common: both need it */
    MQD_SHOWN_receives,
    MQD_SHOWN_sends,
    MQD_SHOWN_datatypes,
    MQD_SHOWN_unexpected
};

/* Why something cannot be shown, or is shown incompletely. */
enum mqd_reason {
    MQD_REASON_unknown,
    MQD_REASON_none,                 /* nothing hinders it */
    MQD_REASON_end,                  /* the list has ended */
    MQD_REASON_caller,               /* the debugger has violated the interface */
    MQD_REASON_no_memory,            /* the debugger has no memory left */
    MQD_REASON_no_openmpi,           /* the image has no Open MPI (yet) */
    MQD_REASON_ignored,              /* the program asks debuggers to ignore its message queues */
    MQD_REASON_not_initialised,      /* MPI is not initialised yet */
    MQD_REASON_finalized,            /* MPI is finalized */
    MQD_REASON_unreadable,           /* memory of the process cannot be read */
    MQD_REASON_no_layout,            /* no table fits this build, and the debugger does not know enough of its types */
    MQD_REASON_wrong_layout,         /* the process contradicts the layout that was found */
    MQD_REASON_no_member,            /* the place of a member is not known */
    MQD_REASON_no_symbol,            /* a symbol was not found */
    MQD_REASON_other_pml,            /* the process uses a PML that this DLL does not know */
    MQD_REASON_pml_cm,               /* the process uses the PML cm */
    MQD_REASON_pml_ucx,              /* ... ucx */
    MQD_REASON_pml_yalla,            /* ... yalla */
    MQD_REASON_pml_ubcl,             /* ... ubcl */
    MQD_REASON_damaged,              /* the data contradict themselves, or the process was just changing them */
    MQD_REASON_no_constant,          /* the value of a constant in this release is not known */
    MQD_REASON_no_library_layout,    /* no table fits the library that keeps the requests, UCX for example */
    MQD_REASON_undecided,            /* several tables fit it, and disagree about what is needed */
    MQD_REASON_elsewhere,            /* what is missing is kept where it cannot be read: on a stack, in a device */
    MQD_REASON_overtaking            /* messages of this communicator may overtake each other, and have no numbers */
};

/* Why something cannot be shown, as numbers. */
struct mqd_limit_description {
    int shown;               /* enum mqd_shown */
    int reason;              /* enum mqd_reason: why it is off; MQD_REASON_none if it is on */
    int hindrance;           /* enum mqd_reason: what is missing while it is on */
};

struct mqd_extension_v1 {
    size_t size;             /* of this table in bytes */
    const char *version;     /* of the DLL, "0.1.0" */

    /*
     * Fills *summary for a process that mqs_setup_process has set up. Returns mqs_ok, or the reason why no layout is in
     * force or why the layout that was found is refused. *summary is filled in any case, as far as it is known.
     */
    int (*describe_layout)(mqs_process *process, struct mqd_layout_summary *summary);

    /*
     * Whether operations of Open MPI's own (collectives, communicator creation: negative tags) and its hidden
     * communicators are listed: with `show` not 0 they are. Takes effect at the next mqs_update_communicator_list.
     */
    int (*show_internal)(mqs_process *process, int show);

    /*
     * The layout in detail, item by item: `index` counts from 0 until mqs_end_of_list. Fields come in the order of
     * their types. The structure is untouched unless mqs_ok is returned. These functions do not read the process.
     */
    int (*describe_type)(mqs_process *process, int index, struct mqd_type_description *type);
    int (*describe_field)(mqs_process *process, int index, struct mqd_field_description *field);
    int (*describe_probe)(mqs_process *process, int index, struct mqd_probe_description *probe);
    int (*describe_capability)(mqs_process *process, int index, struct mqd_capability_description *capability);

    /*
     * Describes the communicator that mqs_get_communicator returns. After another code than mqs_ok, *summary is
     * untouched.
     */
    int (*describe_communicator)(mqs_process *process, struct mqd_communicator_summary *summary);

    /*
     * Describes the messages exchanged on that communicator with each peer, a member of the remote group: `index`
     * counts from 0 until mqs_end_of_list. Another code says why this is not known; *traffic is then untouched.
     */
    int (*describe_traffic)(mqs_process *process, int index, struct mqd_traffic_description *traffic);

    /*
     * _self returns the name of the process itself, after mqs_update_communicator_list. _member returns the name of the
     * member with that rank in the communicator that mqs_get_communicator returns; in its remote group if it is an
     * intercommunicator. After another code than mqs_ok, *name is untouched.
     */
    int (*describe_self)(mqs_process *process, struct mqd_process_name *name);
    int (*describe_member)(mqs_process *process, int rank, struct mqd_process_name *name);

    /*
     * Describes the operation that the last mqs_next_operation returned. There is none if that call returned no
     * operation, or if another iterator was set up since. After another code than mqs_ok, *operation is untouched.
     */
    int (*describe_operation)(mqs_process *process, struct mqd_operation_description *operation);

    /* Returns the reason (enum mqd_reason) for a code that any function of the DLL has returned. */
    int (*reason_of)(int code);

    /*
     * Returns as numbers what describe_capability says in words about the same index. After another code than mqs_ok,
     * *limit is untouched.
     */
    int (*describe_limit)(mqs_process *process, int index, struct mqd_limit_description *limit);

    /*
     * Tells what is not known of the operation that describe_operation describes. After another code than mqs_ok,
     * *unknown is untouched.
     */
    int (*describe_unknown)(mqs_process *process, struct mqd_unknown_description *unknown);

    /*
     * Describes the libraries other than Open MPI that the listing rests on: `index` counts from 0 until
     * mqs_end_of_list. With any other code *summary is filled as far as it is known; mqs_ok says that a layout of the
     * library is in force, else the code says why not. The types, fields and probes of these libraries follow those of
     * Open MPI in describe_type, describe_field and describe_probe.
     */
    int (*describe_library)(mqs_process *process, int index, struct mqd_library_summary *summary);

    /*
     * An unexpected message of some PMLs names the request of the send that it comes from: an address in the sender's
     * memory. _of returns this address for the operation that describe_operation describes, and 0 if there is none.
     * find_send looks for a send request at such an address, in the process that sent the message. The send of a
     * blocking call is found only in this way: its request is on a stack. *operation is then as mqs_next_operation
     * returns it, describe_operation and describe_unknown describe it, and *communicator is the unique_id of its
     * communicator. It may be one that the listing has too: its request tells. mqs_end_of_list says that there is no
     * send, another code why it is not known.
     */
    mqs_taddr_t (*send_request_of)(mqs_process *process);
    int (*find_send)(mqs_process *process, mqs_taddr_t request, mqs_taddr_t *communicator,
                     mqs_pending_operation *operation);

    /*
     * Describes the process, after mqs_update_communicator_list. After another code than mqs_ok, *description is
     * untouched.
     */
    int (*describe_process)(mqs_process *process, struct mqd_process_description *description);

    /*
     * Tells how the communicator that mqs_get_communicator returns is used. After another code than mqs_ok, *use is
     * untouched.
     */
    int (*describe_use)(mqs_process *process, struct mqd_communicator_use *use);

    /*
     * Returns the address of the object with which a thread waits for the operation that describe_operation describes.
     * This object lies on the stack of that thread. 0: no thread waits in this way, or it is not known.
     */
    mqs_taddr_t (*waiter_of)(mqs_process *process);

    /*
     * Returns the number of the nonblocking collective operation that the operation of describe_operation belongs to:
     * the first one on a communicator has 1. All members of a communicator number them in the same way, also persistent
     * ones, which get their number when they are created, and those by which Open MPI makes other communicators. 0: it
     * belongs to none, or its number is not known.
     */
    unsigned long (*collective_number_of)(mqs_process *process);

    /*
     * Describes the window that Open MPI has made the communicator for that mqs_get_communicator returns: the rank of a
     * process in the window's group is that in the communicator. _peer tells of processes with a role, some perhaps
     * several times: `index` counts from 0 until mqs_end_of_list. Another code says that there is no window, or why it
     * is not known; *window and *peer are then untouched. A core may lack the memory that the processes share: what
     * lies there is then not known of a window, and the rest is.
     */
    int (*describe_window)(mqs_process *process, struct mqd_window_description *window);
    int (*describe_window_peer)(mqs_process *process, int index, struct mqd_window_peer *peer);

    /*
     * Describes what a handle stands for, after mqs_update_communicator_list at the same stop. `kind` is what the
     * program calls it (enum mqd_handle_kind), or MQD_HANDLE_unknown: the object itself tells in C, and INTEGERs of
     * Fortran, or of MPI_Comm_toint, need the kind. _item then tells all that is known of it: `index` counts from 0
     * until mqs_end_of_list; another code comes once, before the end, if something of the object cannot be read or has
     * more items than are told. Items with the same fact follow each other. After another code than mqs_ok, the
     * structures are untouched. mqs_no_information says that the value is none of MPI's: no object lies there, because
     * it was freed or never was one. Requests and messages keep their memory: a stale handle of one may tell of another.
     */
    int (*describe_handle)(mqs_process *process, int kind, mqs_taddr_t value, int language,
                           struct mqd_handle_summary *summary);
    int (*describe_handle_item)(mqs_process *process, int index, struct mqd_handle_item *item);

    /*
     * Finds the object of that kind with that name, which the program or MPI has given it: *value is its handle in C.
     * mqs_end_of_list says that there is none. Groups, requests, infos and messages have no names, but for predefined
     * ones.
     */
    int (*find_handle)(mqs_process *process, int kind, const char *name, mqs_taddr_t *value);

    /*
     * Finds the first object of that kind whose INTEGER in Fortran is *fortran or larger: *fortran is then this one,
     * and *value the handle in C. Communicators, groups, windows, files, ops, error handlers and infos have one from
     * birth; requests, messages and datatypes that the program has made, once it has asked for it. mqs_end_of_list says
     * that there is no further one.
     */
    int (*next_handle)(mqs_process *process, int kind, long *fortran, mqs_taddr_t *value);

    /*
     * Describes how the processes of the communicator that mqs_get_communicator returns are arranged:
     * describe_handle_item then tells, of what it tells of the communicator's handle, the topology and whether it was
     * revoked or freed. After another code than mqs_ok, describe_handle_item tells what it told before.
     */
    int (*describe_arrangement)(mqs_process *process);
};

/* Returns the table of that version, NULL if this DLL does not have it. It is valid as long as the DLL is loaded. */
MQS_ENTRY const struct mqd_extension_v1 *ompi_mqd_extension(int version);

#ifdef __cplusplus
}
#endif

#endif
