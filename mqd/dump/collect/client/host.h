/*
 * host.h - the debugger's side of MQD: images and processes as a debug DLL sees them, and the callbacks that serve it.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_HOST_H
#define MQD_DUMP_COLLECT_CLIENT_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "include/mpi_interface.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"

/* Each process has an image of its own: libraries are loaded at addresses of its own. */
struct mqs_image_ {
    struct modules modules;
    mqs_image_info *info;      /* the DLL's */
};

struct mqs_process_ {
    struct process *process;
    mqs_image *image;
    mqs_process_info *info;    /* the DLL's */
    int rank;                  /* that the launcher gave it; -1: unknown */
    bool is_64_bit, is_swapped; /* compared with the host's byte order */
    uint64_t n_reads, n_bytes; /* that the DLL asked for */
};

/* What the callbacks return if it is not mqs_ok. */
enum { HOST_NO_SYMBOL = mqs_first_user_code, HOST_BAD_ADDRESS, HOST_PROCESS_GONE, HOST_BAD_SIZE };

extern const mqs_basic_callbacks host_basic_callbacks;
extern const mqs_image_callbacks host_image_callbacks;
extern const mqs_process_callbacks host_process_callbacks;

#endif
