/*
 * state.h - what the DLL keeps for an image and for a process.
 */
#ifndef MQD_DLL_STATE_H
#define MQD_DLL_STATE_H

#include "mqd/dll/info.h"
#include "mqd/dll/vector.h"

/* The DLL's object for an image. It has numbers only: addresses and type handles are not valid after a call. */
struct mqd_image {
    struct mqd_info info;            /* first */
    const mqs_image_callbacks *callbacks;
    struct mqd_live_type live[MQD_N_TYPES];
    int32_t live_offset[MQD_N_STEPS];
};

struct mqd_pml;

/* A page of target memory; see target.c. */
struct mqd_page {
    bool valid;
    mqd_taddr ta;
    unsigned char *bytes;
};

/*
 * A listing comes to each communicator several times, and should read it once. A thousand of them, with objects in three
 * pages each, need three thousand; a page has memory from its first use on.
 */
#define MQD_N_PAGES 4096

enum { MQD_N_QUEUES = 3 }; /* mqs_op_class */

/* One queue of all communicators together, in the order of the listing. It is made on first use. */
struct mqd_queue {
    bool indexed;
    enum mqd_rc failed;              /* why there is no queue at all */
    enum mqd_rc rc;                  /* what could not be read; reported once per communicator after the rest */
    struct mqd_vector operations;    /* struct mqd_operation, by communicator, then in matching order */
};

/* A datatype as far as a listing tells it. */
struct mqd_datatype {
    mqd_taddr ta;
    uint64_t size;                   /* bytes of data in one element */
    char name[64];
};

/* The window of one communicator, the last one that was asked for; see osc/window.h. */
struct mqd_window {
    mqd_taddr communicator_ta;       /* 0: none was asked for */
    enum mqd_rc rc;                  /* of reading it */
    struct mqd_window_description description;
    struct mqd_vector peers;         /* struct mqd_window_peer */
};

/* The handle that was described last; see handle/handle.h. */
struct mqd_handle {
    struct mqd_vector items;         /* struct mqd_handle_item */
    enum mqd_rc missing;             /* why something is not among them; reported once after them */
};

/* The state of the communicators at the last update, dropped whole by the next. */
struct mqd_snapshot {
    bool taken;
    enum mqd_rc rc;                  /* why there are no communicators at all */
    enum mqd_rc communicators_rc;    /* what could not be read; reported once after the readable ones */
    struct mqd_vector communicators; /* struct mqd_communicator, by slot */
    bool owners_known;               /* no communicator can be Open MPI's own that is not found to be */
    bool complete;                   /* it has the communicators too that only messages refer to */
    struct mqd_vector addresses;     /* struct mqd_address of each, sorted */
    const struct mqd_pml *pml;       /* whose the messages are; set once the communicators are there */
    enum mqd_rc pml_unread;          /* a read that failed when it was chosen; MQD_OK: none */
    void *pml_state;                 /* the PML's own, from its `begin` to its `end`; NULL if it has none */
    struct mqd_queue queues[MQD_N_QUEUES];
    uint32_t own_jobid, own_vpid;
    bool own_name_known;
    bool show_internal;              /* as asked for when the snapshot was taken */
    struct mqd_datatype datatype;    /* the last one that was read; ta 0: none */
    struct mqd_window window;
    struct mqd_handle handle;
    struct mqd_vector requested;     /* sends and receives by their requests, once one is asked for */
    bool requests_indexed;

    /* Cursors. `current` is n_items or more when no communicator is current. */
    size_t current;
    bool iterating;                  /* the communicator iterator has been set up */
    bool communicators_error_told;
    bool operations_ready;           /* the operation iterator is set up for `current` */
    int operation_queue;
    size_t next_operation, end_operation;
    bool has_operation;              /* the one before next_operation was returned to the debugger */
    enum mqd_rc operation_rc;        /* still to be reported before the end */
    struct mqd_vector found;         /* one struct mqd_operation, the last one that was looked for by its address */
};

/* Probes: objects whose content is known, in the order in which they are tested, and the results. */
enum mqd_probe {
    MQD_PROBE_comm_null,
    MQD_PROBE_comm_world,
    MQD_PROBE_own_entry,
    MQD_PROBE_request_null,
    MQD_PROBE_tags,
    MQD_N_PROBES
};
enum mqd_finding { MQD_FINDING_not_reached, MQD_FINDING_passed, MQD_FINDING_failed, MQD_FINDING_not_possible };

/*
 * The layout of the library that keeps the requests of the PML in use, if that is not Open MPI itself. The PML fills it.
 * Its places are those of the process's layout too, by mqd_add_library.
 */
enum { MQD_MAX_LIBRARY_PROBES = 32 };
struct mqd_second {
    bool in_use;
    enum mqd_library library;
    enum mqd_rc rc;                  /* why no layout of it is in force; MQD_OK: one is */
    char version[64];                /* that the library states; "" if it is not known */
    char found[192];                 /* if no table fits: what could be found of it all the same */
    struct mqd_layout layout;        /* what all tables agree on that the process does not contradict */
    const char *const *probe_names;
    size_t n_probes;
    enum mqd_finding probes[MQD_MAX_LIBRARY_PROBES];
};

/* What the last snapshot found out about the layout; see mqd_snapshot_take. */
struct mqd_findings {
    enum mqd_finding probes[MQD_N_PROBES];
    enum mqd_rc limits[MQD_N_CAPABILITIES]; /* why each is off; MQD_OK: it is on */
    enum mqd_rc hindrances[MQD_N_CAPABILITIES]; /* what is missing of those that are on; MQD_OK: nothing */
};

/* The DLL's object for a process. It has no pointer to an image's: the debugger destroys them in any order. */
struct mqd_process {
    struct mqd_info info;            /* first */
    struct dbgr_process debugger;
    enum mqd_rc unread;              /* the first read that failed since a stage began; MQD_OK: none. See mqd_because */
    struct mqd_layout layout;
    uint32_t extents[MQD_N_TYPES];   /* bytes to read of an object, 0: it cannot be read; see mqd_measure */
    struct mqd_evidence evidence;
    struct mqd_second second;
    bool show_internal;
    struct mqd_snapshot snapshot;
    struct mqd_findings findings;
    struct mqd_page pages[MQD_N_PAGES];
    char message[1536];              /* of mqs_process_has_queues */
};

/* Does the layout in force have the member that the path leads to? */
static inline bool mqd_has_path(const struct mqd_process *process, enum mqd_path_id path)
{
    return process->layout.paths[path].source != MQD_SOURCE_absent;
}

/*
 * What numbers of the process mean, by the layout in force: is this the constant, is the flag set? False if the release
 * has no such constant.
 */
static inline bool mqd_is(const struct mqd_process *process, enum mqd_constant_id constant, int64_t value)
{
    return mqd_constant_is(&process->layout, constant, value);
}

static inline bool mqd_has_flag(const struct mqd_process *process, enum mqd_constant_id flag, uint64_t flags)
{
    return mqd_flag_is_set(&process->layout, flag, flags);
}

/*
 * What was concluded where a read failed does not count: the process may have all that was not found. A stage is
 * reading communicators, choosing the PML, indexing a queue and the like. It begins with mqd_begin_stage. mqd_because
 * then gives the reason for its failure: the first read that failed, or else what was concluded. An address that
 * contradicts the layout, such as a null pointer, is no failed read.
 */
static inline void mqd_begin_stage(struct mqd_process *process)
{
    process->unread = MQD_OK;
}

static inline enum mqd_rc mqd_because(const struct mqd_process *process, enum mqd_rc rc)
{
    return rc == MQD_OK || rc == MQD_RC_no_memory || process->unread == MQD_OK ? rc : process->unread;
}

#endif
