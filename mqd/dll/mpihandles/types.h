/*
 * types.h - the structures and numbers of the interface by which Open MPI's sources would tell debuggers of handles.
 * Tags and layout are those of its header ompi/debuggers/mpihandles_interface.h, members and enumerators have names of
 * ours: tests/live/mpihandles_check.c compares the two.
 *
 * Everything that a query returns is in memory of mqs_malloc_fp: the structure, and as blocks of their own all to which
 * its pointers lead. The debugger releases them; a pointer may be NULL.
 */
#ifndef MQD_DLL_MPIHANDLES_TYPES_H
#define MQD_DLL_MPIHANDLES_TYPES_H

#include <stdint.h>

#include "include/mpi_interface.h"

enum { MQD_MPIDBG_VERSION = 1, MQD_MPIDBG_NAME_BYTES = 64 };

enum mpidbg_return_codes_t {
    MQD_MPIDBG_success,
    MQD_MPIDBG_not_found,            /* the handle is none of MPI's, or of another kind */
    MQD_MPIDBG_not_supported,        /* never told of this process, or by this DLL */
    MQD_MPIDBG_out_of_range,         /* the debugger has left out an argument */
    MQD_MPIDBG_unavailable,          /* not now: MPI is not initialised, memory cannot be read, an object is changing */
    MQD_MPIDBG_no_memory
};

/* The debugger's types: those of C in alphabetical order of handles, MPI_Aint to MPI_Win, then those of C++. */
enum { MQD_MPIDBG_N_TYPES = 30 };
struct mpidbg_handle_info_t {
    mqs_type *types[MQD_MPIDBG_N_TYPES];
};

struct mpidbg_process_t {
    int world_rank;                  /* -1: of another job, or not known */
};

/* A predefined handle. The last entry of a list has no name. */
struct mpidbg_name_map_t {
    char *name;
    mqs_taddr_t handle;
};

struct mpidbg_attribute_pair_t {
    int key;                         /* Open MPI's number */
    char *key_name;                  /* NULL: a key of the program's */
    char *value;                     /* a decimal number, or an address that begins with 0x */
};

enum mpidbg_comm_capabilities_t {
    MQD_COMM_CAN_basic = 0x01,
    MQD_COMM_CAN_names = 0x02,
    MQD_COMM_CAN_files = 0x40
};

enum mpidbg_comm_info_bitmap_t {
    MQD_COMM_IS_predefined = 0x01,
    MQD_COMM_IS_cartesian = 0x02,
    MQD_COMM_IS_graph = 0x04,
    MQD_COMM_IS_reordered = 0x08,
    MQD_COMM_IS_inter = 0x10,
    MQD_COMM_IS_freed = 0x20,        /* for certain; without it nothing is certain */
    MQD_COMM_IS_null = 0x80,
    MQD_COMM_IS_distributed_graph = 0x400
};

/* Lists that are not known completely are NULL; those of topologies and attributes then have the length 0. */
struct mpidbg_comm_info_t {
    char name[MQD_MPIDBG_NAME_BYTES];
    enum mpidbg_comm_info_bitmap_t flags;
    int rank, size;
    int n_local;
    struct mpidbg_process_t *local;
    int n_remote;
    struct mpidbg_process_t *remote;
    int n_dimensions;
    int *dimensions;
    int8_t *periods;
    int n_nodes;
    int *graph_index, *graph_edges;
    mqs_taddr_t c_handle;
    int fortran_handle;              /* or MQD_MPIDBG_unavailable */
    int n_attributes;
    struct mpidbg_attribute_pair_t *attributes;
    int n_requests;                  /* these two: MQD_MPIDBG_not_supported */
    mqs_taddr_t *requests;
    int n_windows;
    mqs_taddr_t *windows;
    int n_files;                     /* or MQD_MPIDBG_not_supported, with NULL */
    mqs_taddr_t *files;
};

enum mpidbg_request_info_bitmap_t { MQD_REQUEST_IS_predefined = 0x01 };

struct mpidbg_request_info_t {
    enum mpidbg_request_info_bitmap_t flags;
    mqs_taddr_t c_handle;
    int fortran_handle;
};

enum mpidbg_status_info_bitmap_t { MQD_STATUS_IS_predefined = 0x01 };

struct mpidbg_status_info_t {
    enum mpidbg_status_info_bitmap_t flags;
};

enum mpidbg_errhandler_capabilities_t { MQD_ERRHANDLER_CAN_basic = 0x01, MQD_ERRHANDLER_CAN_names = 0x02 };

enum mpidbg_errhandler_info_bitmap_t {
    MQD_ERRHANDLER_IS_predefined = 0x01,
    MQD_ERRHANDLER_IS_of_communicators = 0x02,
    MQD_ERRHANDLER_IS_of_files = 0x04,
    MQD_ERRHANDLER_IS_of_windows = 0x08,
    MQD_ERRHANDLER_IS_in_c = 0x10
};

struct mpidbg_errhandler_info_t {
    char name[MQD_MPIDBG_NAME_BYTES]; /* of a predefined one */
    enum mpidbg_errhandler_info_bitmap_t flags;
    mqs_taddr_t c_handle;
    int fortran_handle;
    int16_t n_users;                 /* MQD_MPIDBG_not_supported */
    mqs_taddr_t *users;
    mqs_taddr_t function;            /* the program's; 0 of a predefined one */
};

#endif
