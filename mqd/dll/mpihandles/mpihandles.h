/*
 * mpihandles.h - the functions and variables of that interface, as types.h has its structures. The arguments image,
 * image_info and process_info of queries are not used: the process leads to them.
 *
 * Each query looks at the process anew, because the interface does not say when it has run. *info and *c_handle are
 * untouched unless MQD_MPIDBG_success is returned.
 */
#ifndef MQD_DLL_MPIHANDLES_H
#define MQD_DLL_MPIHANDLES_H

#include "mqd/dll/mpihandles/types.h"

MQS_ENTRY char mpidbg_dll_is_big_endian, mpidbg_dll_bitness;
MQS_ENTRY enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
MQS_ENTRY enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;

/* Of the process that was set up or asked about last: other processes may have other addresses. NULL: not known yet. */
MQS_ENTRY struct mpidbg_name_map_t *mpidbg_comm_name_map, *mpidbg_errhandler_name_map;

MQS_ENTRY int mpidbg_init_once(const mqs_basic_callbacks *callbacks);
MQS_ENTRY int mpidbg_interface_version_compatibility(void);
MQS_ENTRY char *mpidbg_version_string(void);
MQS_ENTRY int mpidbg_dll_taddr_width(void);

/* After another code than MQD_MPIDBG_success nothing is kept of the image or process: there is nothing to finalize. */
MQS_ENTRY int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
                                    struct mpidbg_handle_info_t *types);
MQS_ENTRY void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info);
MQS_ENTRY int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
                                      struct mpidbg_handle_info_t *types);
MQS_ENTRY void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info);

#define MQD_MPIDBG_OF mqs_image *image, mqs_image_info *image_info, mqs_process *process, mqs_process_info *process_info

MQS_ENTRY int mpidbg_comm_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_comm_info_t **info);
MQS_ENTRY int mpidbg_comm_f2c(MQD_MPIDBG_OF, mqs_taddr_t fortran, mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_errhandler_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_errhandler_info_t **info);
MQS_ENTRY int mpidbg_errhandler_f2c(MQD_MPIDBG_OF, mqs_taddr_t fortran, mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_request_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_request_info_t **info);
MQS_ENTRY int mpidbg_request_f2c(MQD_MPIDBG_OF, mqs_taddr_t fortran, mqs_taddr_t *c_handle);

/* Not supported: a status has no mark by which it is known, and objects of C++ have none of Open MPI's classes. */
MQS_ENTRY int mpidbg_status_query(MQD_MPIDBG_OF, mqs_taddr_t handle, struct mpidbg_status_info_t **info);
MQS_ENTRY int mpidbg_status_f2c(MQD_MPIDBG_OF, mqs_taddr_t fortran, mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_status_cxx2c(MQD_MPIDBG_OF, mqs_taddr_t object, mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_comm_cxx2c(MQD_MPIDBG_OF, mqs_taddr_t object, enum mpidbg_comm_info_bitmap_t type,
                                mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_errhandler_cxx2c(MQD_MPIDBG_OF, mqs_taddr_t object, mqs_taddr_t *c_handle);
MQS_ENTRY int mpidbg_request_cxx2c(MQD_MPIDBG_OF, mqs_taddr_t object, enum mpidbg_request_info_bitmap_t type,
                                   mqs_taddr_t *c_handle);

#endif
