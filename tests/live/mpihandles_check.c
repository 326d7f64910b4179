/*
 * mpihandles_check.c - compiles only if what mqd/dll/mpihandles declares is what Open MPI's own header does: functions
 * and variables are declared by both, and structures and numbers are compared.
 */
#include <stddef.h>

#include <ompi_config.h>

#include <mpi.h>

#include "ompi/debuggers/mpihandles_interface.h"

/* Functions and variables: ours with the types of theirs. */
#define MPI_INTERFACE_H
#define MQS_ENTRY extern
#define MQD_DLL_MPIHANDLES_TYPES_H
#include "mqd/dll/mpihandles/mpihandles.h"
#undef MQD_DLL_MPIHANDLES_TYPES_H

/* Types: ours under other names. */
#define mpidbg_handle_info_t our_handle_info
#define mpidbg_return_codes_t our_return_codes
#define mpidbg_process_t our_process
#define mpidbg_name_map_t our_name_map
#define mpidbg_attribute_pair_t our_attribute_pair
#define mpidbg_comm_capabilities_t our_comm_capabilities
#define mpidbg_comm_info_bitmap_t our_comm_flags
#define mpidbg_comm_info_t our_comm
#define mpidbg_request_info_bitmap_t our_request_flags
#define mpidbg_request_info_t our_request
#define mpidbg_status_info_bitmap_t our_status_flags
#define mpidbg_status_info_t our_status
#define mpidbg_errhandler_capabilities_t our_errhandler_capabilities
#define mpidbg_errhandler_info_bitmap_t our_errhandler_flags
#define mpidbg_errhandler_info_t our_errhandler
#include "mqd/dll/mpihandles/types.h"
#undef mpidbg_handle_info_t
#undef mpidbg_process_t
#undef mpidbg_name_map_t
#undef mpidbg_attribute_pair_t
#undef mpidbg_comm_info_t
#undef mpidbg_request_info_t
#undef mpidbg_status_info_t
#undef mpidbg_errhandler_info_t

#define EQUAL(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #theirs)
#define SIZES(ours, theirs) EQUAL(sizeof(struct ours), sizeof(struct theirs))
#define PLACES(ours, member, theirs, their_member) \
    EQUAL(offsetof(struct ours, member), offsetof(struct theirs, their_member)); \
    EQUAL(sizeof ((struct ours *)0)->member, sizeof ((struct theirs *)0)->their_member)

EQUAL(MQD_MPIDBG_VERSION, MPIDBG_INTERFACE_VERSION);
EQUAL(MQD_MPIDBG_NAME_BYTES, MPIDBG_MAX_OBJECT_NAME);
EQUAL(MQD_MPIDBG_success, MPIDBG_SUCCESS);
EQUAL(MQD_MPIDBG_not_found, MPIDBG_ERR_NOT_FOUND);
EQUAL(MQD_MPIDBG_not_supported, MPIDBG_ERR_NOT_SUPPORTED);
EQUAL(MQD_MPIDBG_out_of_range, MPIDBG_ERR_OUT_OF_RANGE);
EQUAL(MQD_MPIDBG_unavailable, MPIDBG_ERR_UNAVAILABLE);
EQUAL(MQD_MPIDBG_no_memory, MPIDBG_ERR_NO_MEM);

#define TYPE(index, member) \
    EQUAL((index) * sizeof(mqs_type *), offsetof(struct mpidbg_handle_info_t, member))
SIZES(our_handle_info, mpidbg_handle_info_t);
TYPE(0, hi_c_aint);
TYPE(1, hi_c_comm);
TYPE(2, hi_c_datatype);
TYPE(3, hi_c_errhandler);
TYPE(4, hi_c_file);
TYPE(5, hi_c_group);
TYPE(6, hi_c_info);
TYPE(7, hi_c_offset);
TYPE(8, hi_c_op);
TYPE(9, hi_c_request);
TYPE(10, hi_c_status);
TYPE(11, hi_c_win);
TYPE(12, hi_cxx_aint);
TYPE(13, hi_cxx_comm);
TYPE(14, hi_cxx_intracomm);
TYPE(15, hi_cxx_intercomm);
TYPE(16, hi_cxx_graphcomm);
TYPE(17, hi_cxx_cartcomm);
TYPE(18, hi_cxx_datatype);
TYPE(19, hi_cxx_errhandler);
TYPE(20, hi_cxx_file);
TYPE(21, hi_cxx_group);
TYPE(22, hi_cxx_info);
TYPE(23, hi_cxx_offset);
TYPE(24, hi_cxx_op);
TYPE(25, hi_cxx_request);
TYPE(26, hi_cxx_prequest);
TYPE(27, hi_cxx_grequest);
TYPE(28, hi_cxx_status);
TYPE(29, hi_cxx_win);

SIZES(our_process, mpidbg_process_t);
PLACES(our_process, world_rank, mpidbg_process_t, mpi_comm_world_rank);
SIZES(our_name_map, mpidbg_name_map_t);
PLACES(our_name_map, name, mpidbg_name_map_t, map_name);
PLACES(our_name_map, handle, mpidbg_name_map_t, map_handle);
SIZES(our_attribute_pair, mpidbg_attribute_pair_t);
PLACES(our_attribute_pair, key, mpidbg_attribute_pair_t, keyval);
PLACES(our_attribute_pair, key_name, mpidbg_attribute_pair_t, keyval_name);
PLACES(our_attribute_pair, value, mpidbg_attribute_pair_t, value);

EQUAL(MQD_COMM_CAN_basic, MPIDBG_COMM_CAP_BASIC);
EQUAL(MQD_COMM_CAN_names, MPIDBG_COMM_CAP_STRING_NAMES);
EQUAL(MQD_COMM_CAN_files, MPIDBG_COMM_CAP_FILE_LIST);
EQUAL(MQD_COMM_IS_predefined, MPIDBG_COMM_INFO_PREDEFINED);
EQUAL(MQD_COMM_IS_cartesian, MPIDBG_COMM_INFO_CARTESIAN);
EQUAL(MQD_COMM_IS_graph, MPIDBG_COMM_INFO_GRAPH);
EQUAL(MQD_COMM_IS_reordered, MPIDBG_COMM_INFO_TOPO_REORDERED);
EQUAL(MQD_COMM_IS_inter, MPIDBG_COMM_INFO_INTERCOMM);
EQUAL(MQD_COMM_IS_freed, MPIDBG_COMM_INFO_FREED_HANDLE);
EQUAL(MQD_COMM_IS_null, MPIDBG_COMM_INFO_COMM_NULL);
EQUAL(MQD_COMM_IS_distributed_graph, MPIDBG_COMM_INFO_DIST_GRAPH);
EQUAL(sizeof(enum our_comm_flags), sizeof(enum mpidbg_comm_capabilities_t));

#define COMM(member, their_member) PLACES(our_comm, member, mpidbg_comm_info_t, their_member)
SIZES(our_comm, mpidbg_comm_info_t);
COMM(name, comm_name);
COMM(flags, comm_bitflags);
COMM(rank, comm_rank);
COMM(size, comm_size);
COMM(n_local, comm_num_local_procs);
COMM(local, comm_local_procs);
COMM(n_remote, comm_num_remote_procs);
COMM(remote, comm_remote_procs);
COMM(n_dimensions, comm_cart_num_dims);
COMM(dimensions, comm_cart_dims);
COMM(periods, comm_cart_periods);
COMM(n_nodes, comm_graph_num_nodes);
COMM(graph_index, comm_graph_index);
COMM(graph_edges, comm_graph_edges);
COMM(c_handle, comm_c_handle);
COMM(fortran_handle, comm_fortran_handle);
COMM(n_attributes, comm_num_attrs);
COMM(attributes, comm_attrs);
COMM(n_requests, comm_num_pending_requests);
COMM(requests, comm_pending_requests);
COMM(n_windows, comm_num_derived_windows);
COMM(windows, comm_derived_windows);
COMM(n_files, comm_num_derived_files);
COMM(files, comm_derived_files);

EQUAL(MQD_REQUEST_IS_predefined, MPIDBG_REQUEST_INFO_PREDEFINED);
SIZES(our_request, mpidbg_request_info_t);
PLACES(our_request, flags, mpidbg_request_info_t, req_bitflags);
PLACES(our_request, c_handle, mpidbg_request_info_t, req_c_handle);
PLACES(our_request, fortran_handle, mpidbg_request_info_t, req_fortran_handle);
EQUAL(MQD_STATUS_IS_predefined, MPIDBG_STATUS_INFO_PREDEFINED);
SIZES(our_status, mpidbg_status_info_t);

EQUAL(MQD_ERRHANDLER_CAN_basic, MPIDBG_ERRH_CAP_BASIC);
EQUAL(MQD_ERRHANDLER_CAN_names, MPIDBG_ERRH_CAP_STRING_NAMES);
EQUAL(MQD_ERRHANDLER_IS_predefined, MPIDBG_ERRH_INFO_PREDEFINED);
EQUAL(MQD_ERRHANDLER_IS_of_communicators, MPIDBG_ERRH_INFO_COMMUNICATOR);
EQUAL(MQD_ERRHANDLER_IS_of_files, MPIDBG_ERRH_INFO_FILE);
EQUAL(MQD_ERRHANDLER_IS_of_windows, MPIDBG_ERRH_INFO_WINDOW);
EQUAL(MQD_ERRHANDLER_IS_in_c, MPIDBG_ERRH_INFO_C_CALLBACK);
#define ERRHANDLER(member, their_member) PLACES(our_errhandler, member, mpidbg_errhandler_info_t, their_member)
SIZES(our_errhandler, mpidbg_errhandler_info_t);
ERRHANDLER(name, eh_name);
ERRHANDLER(flags, eh_bitflags);
ERRHANDLER(c_handle, eh_c_handle);
ERRHANDLER(fortran_handle, eh_fortran_handle);
ERRHANDLER(n_users, eh_refcount);
ERRHANDLER(users, eh_handles);
ERRHANDLER(function, eh_callback_func);
