/*
 * carrier.c - carries Open MPI's type information into a process.
 *
 * Compiled with -g and preloaded, this object gives a debugger what the libraries of a stripped Open MPI lack: the
 * types that layout/openmpi.def lists, and those that Open MPI's own debugging library wants to find before it shows
 * anything. It has no code and exports nothing.
 *
 * With MQD_CARRIER_OB1 the headers of the PML ob1 must be found too; they are in Open MPI's source, not among its
 * installed headers. Without it ob1's types, and those of send and receive requests, are only declared: a debugger
 * knows their names, and no member of them.
 *
 * With MQD_CARRIER_DEBUG it has the types of an Open MPI that was configured with --enable-debug.
 */
#include "opal_config.h"
#ifdef MQD_CARRIER_DEBUG
#undef OPAL_ENABLE_DEBUG
#define OPAL_ENABLE_DEBUG 1
#endif
#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/file/file.h"
#include "ompi/group/group.h"
#include "ompi/mca/mtl/mtl.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/message/message.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/win/win.h"
#include "opal/class/opal_hash_table.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/mca/btl/btl.h"

#ifdef MQD_CARRIER_OB1
#include "ompi/mca/pml/base/pml_base_recvreq.h"
#include "ompi/mca/pml/base/pml_base_sendreq.h"
#include "ompi/mca/pml/ob1/pml_ob1.h"
#include "ompi/mca/pml/ob1/pml_ob1_comm.h"
#include "ompi/mca/pml/ob1/pml_ob1_recvfrag.h"
#include "ompi/mca/pml/ob1/pml_ob1_recvreq.h"
#include "ompi/mca/pml/ob1/pml_ob1_sendreq.h"
#if OMPI_MAJOR_VERSION < 5
typedef struct mca_pml_ob1_cid_hdr_t mca_pml_ob1_cid_hdr_t;
typedef struct ompi_part_persist_t ompi_part_persist_t;
#else
#include "ompi/mca/part/persist/part_persist.h"
#endif
#else
typedef struct mca_pml_ob1_cid_hdr_t mca_pml_ob1_cid_hdr_t;
typedef struct ompi_part_persist_t ompi_part_persist_t;
typedef struct mca_pml_base_send_request_t mca_pml_base_send_request_t;
typedef struct mca_pml_base_recv_request_t mca_pml_base_recv_request_t;
typedef struct mca_pml_ob1_send_request_t mca_pml_ob1_send_request_t;
typedef struct mca_pml_ob1_recv_request_t mca_pml_ob1_recv_request_t;
typedef struct mca_pml_comm_t mca_pml_ob1_comm_t;
typedef struct mca_pml_ob1_comm_proc_t mca_pml_ob1_comm_proc_t;
typedef struct mca_pml_ob1_common_hdr_t mca_pml_ob1_common_hdr_t;
typedef struct mca_pml_ob1_match_hdr_t mca_pml_ob1_match_hdr_t;
typedef struct mca_pml_ob1_rendezvous_hdr_t mca_pml_ob1_rendezvous_hdr_t;
typedef union mca_pml_ob1_hdr_t mca_pml_ob1_hdr_t;
typedef struct mca_pml_ob1_recv_frag_t mca_pml_ob1_recv_frag_t;
typedef struct mca_pml_ob1_t mca_pml_ob1_t;
#endif

/* Types of the PMLs ucx and cm and of the MTL ofi, whose headers need those of other projects. */
typedef struct mca_pml_ucx_module mca_pml_ucx_module_t;
typedef struct pml_ucx_persistent_request mca_pml_ucx_persistent_request_t;
typedef struct mca_pml_cm_request_t mca_pml_cm_request_t;
typedef struct mca_pml_cm_send_request_t mca_pml_cm_send_request_t;
typedef struct mca_pml_cm_thin_send_request_t mca_pml_cm_thin_send_request_t;
typedef struct mca_pml_cm_hvy_send_request_t mca_pml_cm_hvy_send_request_t;
typedef struct mca_pml_cm_thin_recv_request_t mca_pml_cm_thin_recv_request_t;
typedef struct mca_pml_cm_hvy_recv_request_t mca_pml_cm_hvy_recv_request_t;
typedef struct ompi_mtl_ofi_request_t ompi_mtl_ofi_request_t;
typedef struct mca_mtl_ofi_module_t mca_mtl_ofi_module_t;
typedef struct mca_mtl_ofi_endpoint_t mca_mtl_ofi_endpoint_t;

/* Types of components for one-sided communication, whose headers are none of those that are installed. */
typedef struct ompi_osc_sm_lock_t ompi_osc_sm_lock_t;
typedef struct ompi_osc_sm_node_state_t ompi_osc_sm_node_state_t;
typedef struct ompi_osc_sm_module_t ompi_osc_sm_module_t;
typedef struct ompi_osc_rdma_peer_t ompi_osc_rdma_peer_t;
typedef struct ompi_osc_rdma_state_t ompi_osc_rdma_state_t;
typedef struct ompi_osc_rdma_sync_t ompi_osc_rdma_sync_t;
typedef struct ompi_osc_rdma_module_t ompi_osc_rdma_module_t;
typedef struct ompi_osc_rdma_request_t ompi_osc_rdma_request_t;

/* Types of handles, some of which only .c files define. */
typedef struct opal_hash_element_t opal_hash_element_t;
typedef struct attribute_key_value_t attribute_key_value_t;
typedef struct ompi_datatype_args_t ompi_datatype_args_t;
typedef struct ompi_op_t ompi_op_t;
typedef struct opal_cstring_t opal_cstring_t;
typedef struct ompi_instance_t ompi_instance_t;
typedef struct ompi_grequest_t ompi_grequest_t;
typedef struct ompi_coll_libnbc_request_t ompi_coll_libnbc_request_t;
typedef struct mca_ompio_request_t mca_ompio_request_t;
typedef struct mca_part_persist_request_t mca_part_persist_request_t;
typedef struct ompio_file_t ompio_file_t;

/* Types that came with 5.0. */
#if OMPI_MAJOR_VERSION < 5
typedef struct ompi_comm_extended_cid_t ompi_comm_extended_cid_t;
#endif

/* Types of builds with custom matching. */
#if !defined MCA_PML_OB1_CUSTOM_MATCH || !MCA_PML_OB1_CUSTOM_MATCH
typedef struct custom_match_prq_node custom_match_prq_node;
typedef struct custom_match_prq custom_match_prq;
typedef struct custom_match_umq_node custom_match_umq_node;
typedef struct custom_match_umq custom_match_umq;
#endif

#define ANCHOR(type) static type *anchor_##type __attribute__((used));
#define ANCHOR_struct(type) ANCHOR(type)
#define ANCHOR_union(type) ANCHOR(type)
#define ANCHOR_tag(type) static struct type *anchor_##type __attribute__((used));

#define MQD_LIBRARY(library, title)
#define MQD_HEADER(path, rule)
#define MQD_NESTED(type, member, ways, kind, rule)
#define MQD_TYPE(type, form, size, descriptor) ANCHOR_##form(type)
#define MQD_STEP(type, member, kind, rule)
#define MQD_FIELD(type, member, kind, rule, path, need)
#define MQD_EMBED(type, member, inner, rule)
#define MQD_PATH(path, parent, type, member, need)
#define MQD_CONSTANT(name, expression, kind, rule, need)
#define MQD_CAPABILITY(name, text)
#include "layout/openmpi.def"

ANCHOR(opal_hash_table_t)
ANCHOR(mca_topo_base_module_t)
ANCHOR(mca_topo_base_comm_cart_2_2_0_t)
ANCHOR(mca_topo_base_comm_graph_2_2_0_t)
ANCHOR(mca_topo_base_comm_dist_graph_2_2_0_t)
