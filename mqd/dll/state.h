/*
 * state.h - what the DLL keeps for an image and for a process.
 */
#ifndef MQD_DLL_STATE_H
#define MQD_DLL_STATE_H

#include "mqd/dll/info.h"
#include "mqd/dll/vector.h"

/* Hung on an image. Only numbers: no address and no type handle outlives a call. */
struct mqd_image {
    struct mqd_info info;            /* first */
    const mqs_image_callbacks *callbacks;
    struct mqd_live_type live[MQD_N_TYPES];
    int32_t live_offset[MQD_N_STEPS];
};

/* A page of target memory; see target.c. */
struct mqd_page {
    bool valid;
    mqd_taddr ta;
    unsigned char *bytes;
};

#define MQD_N_PAGES 256

enum { MQD_N_QUEUES = 3 }; /* mqs_op_class */

/* One queue of all communicators together, in the order of the listing; made on first use. See request.c. */
struct mqd_queue {
    bool indexed;
    enum mqd_rc failed;              /* why there is no queue at all */
    enum mqd_rc rc;                  /* what could not be read, told once per communicator after the rest */
    struct mqd_vector operations;    /* struct mqd_operation, by communicator, then in matching order */
};

/* A datatype as far as a listing tells it. */
struct mqd_datatype {
    mqd_taddr ta;
    uint64_t size;                   /* bytes of data in one element */
    char name[64];
};

/* The state of the communicators at the last update, dropped whole by the next. */
struct mqd_snapshot {
    bool taken;
    enum mqd_rc rc;                  /* why there are no communicators at all */
    enum mqd_rc communicators_rc;    /* told once after the readable ones */
    struct mqd_vector communicators; /* struct mqd_communicator, by slot */
    struct mqd_vector addresses;     /* struct mqd_address of each, sorted */
    struct mqd_queue queues[MQD_N_QUEUES];
    uint32_t own_jobid, own_vpid;
    bool own_name_known;
    bool show_internal;              /* as asked for when the snapshot was taken */
    struct mqd_datatype datatype;    /* the last one that was read; ta 0: none */

    /* Cursors. `current` is n_items or more when no communicator is current. */
    size_t current;
    bool iterating;                  /* the communicator iterator has been set up */
    bool communicators_error_told;
    bool operations_ready;           /* the operation iterator is set up for `current` */
    int operation_queue;
    size_t next_operation, end_operation;
    enum mqd_rc operation_rc;        /* still to be told before the end */
};

/* Objects whose content is known, in the order in which they are looked at, and what came of it. */
enum mqd_probe {
    MQD_PROBE_comm_null,
    MQD_PROBE_comm_world,
    MQD_PROBE_own_entry,
    MQD_PROBE_request_null,
    MQD_N_PROBES
};
enum mqd_finding { MQD_FINDING_not_reached, MQD_FINDING_passed, MQD_FINDING_failed, MQD_FINDING_not_possible };

/* What the last snapshot showed of the layout's worth; see mqd_snapshot_take. */
struct mqd_findings {
    enum mqd_finding probes[MQD_N_PROBES];
    enum mqd_rc limits[MQD_N_CAPABILITIES]; /* why each is off; MQD_OK: it is on */
    enum mqd_rc fragments;                  /* why unexpected messages are read one at a time; MQD_OK: all at once */
};

/* Hung on a process. Holds nothing of the image's: the debugger destroys them in any order. */
struct mqd_process {
    struct mqd_info info;            /* first */
    struct dbgr_process debugger;
    struct mqd_layout layout;
    uint32_t extents[MQD_N_TYPES];   /* bytes to read of an object, 0: it cannot be read; see mqd_measure */
    struct mqd_evidence evidence;
    bool show_internal;
    struct mqd_snapshot snapshot;
    struct mqd_findings findings;
    struct mqd_page pages[MQD_N_PAGES];
    char message[1536];              /* of mqs_process_has_queues */
};

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

#endif
