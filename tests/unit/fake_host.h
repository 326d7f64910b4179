/*
 * fake_host.h - a fake debugger: every callback of the MQD interface, over fake images. Tests can give it the limits
 * and errors of real debuggers. Without them it is one by the letter of MQD 1.0: a process's image has another key than
 * the one that was set up, and a read that fails has a code and a text. It checks how the DLL uses the interface.
 *
 * Errors of the DLL (a read that is too large, a memory overrun, a type handle kept beyond a call) are counted in
 * `violations` and described in `violation`. fake_host_deinit returns their number, leaks included.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include "fake_job.h"
#include "include/mpi_interface.h"
#include "include/mqd_extension.h"

enum { FAKE_MAX_READ = 256 * 1024, FAKE_NEVER = -1 };

/* What the debugger knows of a type. */
enum fake_knowledge {
    FAKE_UNKNOWN_TYPE,
    FAKE_KNOWN_TYPE,
    FAKE_FORWARD_TYPE    /* a declaration only: there is a handle, but no member and no size */
};

struct fake_host;

struct mqs_type_ {
    struct fake_host *host;
    enum fake_type type;
    unsigned generation;     /* of the host when the handle was given out */
};

struct mqs_image_ {
    struct fake_host *host;
    struct fake_image *focus;  /* the process whose symbols are asked for; NULL: no process yet */
    mqs_image_info *info;
    bool is_set_up;            /* the DLL has hung its information on it */
};

struct mqs_process_ {
    struct fake_host *host;
    struct fake_image *memory;
    mqs_image *image;
    mqs_process_info *info;
    bool is_set_up;
    int global_rank;
};

/* Type information: a build's, as far as it is known, with errors that tests put in. */
struct fake_types {
    const struct fake_build *build;
    enum fake_knowledge known[FAKE_N_TYPES];
    int size[FAKE_N_TYPES];        /* what mqs_sizeof answers */
    int offset[FAKE_N_MEMBERS];    /* what mqs_field_offset answers */
    bool lazy;                     /* nothing is known of a library until a function of it is looked up */
};

struct fake_host {
    mqs_basic_callbacks basic;
    mqs_image_callbacks image_callbacks;
    mqs_process_callbacks process_callbacks;
    struct mqs_image_ image;
    struct mqs_image_ other_key;   /* for the same image: what mqs_get_image_fp returns */
    bool has_one_key;              /* a debugger that returns the image itself */
    struct mqs_process_ process;
    struct fake_types types;
    bool read_mpi, read_ob1;       /* a lazy reader has read these libraries */
    int n_type_sizes;              /* ints that mqs_get_type_sizes writes: 5 or 7 */
    const char *ignore_queues;     /* a symbol that the program itself has; NULL: none */

    /* Handles: all of one generation die together. */
    struct mqs_type_ handles[FAKE_N_TYPES];
    unsigned generation;

    /* Reads. */
    long n_reads, fail_read;       /* fail_read: which of them fails, counted from 0; FAKE_NEVER */
    long fail_reads_from;          /* from this one on, all fail; FAKE_NEVER */
    size_t bytes_read;
    void (*before_read)(struct fake_host *host, fake_ta ta, size_t size); /* may be NULL, may change the memory */
    void *context;                 /* for before_read */

    /* Allocations, of the one host that is in use: their callbacks carry no context. */
    long n_allocations, fail_allocation, live_blocks;

    long n_symbol_lookups, n_type_lookups, n_printed;
    long n_early_gets;             /* information that the DLL asked for before it put any */
    long violations;
    char violation[160];
};

/* Makes a debugger of one process, with all callbacks and no type information. It becomes the DLL's host. */
void fake_host_init(struct fake_host *host, struct fake_image *memory);

/* Makes this one of several hosts the DLL's host again. */
void fake_host_use(struct fake_host *host);

/* Frees the DLL's infos that are still there, if the DLL is still set up, and returns the number of violations. */
long fake_host_deinit(struct fake_host *host);

/* Frees the DLL's infos: the next look sets everything up anew. */
void fake_host_forget(struct fake_host *host);

/* Sets the callbacks to NULL that real clients leave NULL: mqs_sizeof_fp, mqs_dprints_fp, mqs_errorstring_fp. */
void fake_host_lack_callbacks(struct fake_host *host);

/* Set the type information: all of a build, none, or one type of it. Handles returned before become invalid. */
void fake_types_all(struct fake_host *host, const struct fake_build *build);
void fake_types_none(struct fake_host *host);
void fake_types_set(struct fake_host *host, enum fake_type type, enum fake_knowledge known);

/* Makes all type handles returned so far invalid: using one is a violation. */
void fake_host_expire_types(struct fake_host *host);

/* What mqs_errorstring_fp says of a read that fails. */
extern char fake_read_error[];

/* A second process of the same image; `process` is the caller's. */
void fake_process_init(struct fake_host *host, mqs_process *process, struct fake_image *memory);

/* Selects a process: symbols are now looked up in it. */
void fake_host_focus(struct fake_host *host, mqs_process *process);

/* An output argument between guards. fake_out_intact: nothing was written, neither to it nor around it. */
struct fake_out {
    unsigned char before[64];
    union {
        mqs_communicator communicator;
        mqs_pending_operation operation;
        int ints[512];
        struct mqd_layout_summary summary;
        struct mqd_operation_description described;
        struct mqd_communicator_use use;
        unsigned char bytes[2048];
    } out;
    unsigned char after[64];
};
void fake_out_init(struct fake_out *out);
bool fake_out_intact(const struct fake_out *out);

/* The first `written` bytes may have been written, what follows and what is around may not. */
bool fake_out_within(const struct fake_out *out, size_t written);

#endif
