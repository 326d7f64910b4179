/*
 * fake_members.h - the types and members of all builds: those of the lists, in their order, and then those that only
 * tests write or look at.
 *
 *   FAKE_TYPE(LIBRARY, TYPE, CLASS)              LIBRARY is openmpi or ucx; CLASS is class if Open MPI keeps a
 *                                                descriptor TYPE_class of it, else plain
 *   FAKE_MEMBER(LIBRARY, TYPE, MEMBER, NESTED)   NESTED is true if its name is the list's: no debugger knows it
 *
 * A template: it is included with definitions of one or both of these macros, and takes them back.
 */
#ifndef FAKE_TYPE
#define FAKE_TYPE(library, type, descriptor)
#endif
#ifndef FAKE_MEMBER
#define FAKE_MEMBER(library, type, member, nested)
#endif

#undef MQD_TYPE
#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_TYPE(type, form, size, descriptor) FAKE_TYPE(openmpi, type, descriptor)
#define MQD_STEP(type, member, kind, rule) FAKE_MEMBER(openmpi, type, member, false)
#define MQD_EMBED(type, member, inner, rule) FAKE_MEMBER(openmpi, type, member, false)
#define MQD_NESTED(type, member, ways, kind, rule) FAKE_MEMBER(openmpi, type, member, true)
#include "layout/openmpi.def"
#undef MQD_TYPE
#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_TYPE(type, form, size, descriptor) FAKE_TYPE(ucx, type, descriptor)
#define MQD_STEP(type, member, kind, rule) FAKE_MEMBER(ucx, type, member, false)
#define MQD_EMBED(type, member, inner, rule) FAKE_MEMBER(ucx, type, member, false)
#define MQD_NESTED(type, member, ways, kind, rule) FAKE_MEMBER(ucx, type, member, true)
#include "layout/ucx.def"
#undef MQD_TYPE
#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_TYPE(type, form, size, descriptor)
#define MQD_STEP(type, member, kind, rule)
#define MQD_EMBED(type, member, inner, rule)
#define MQD_NESTED(type, member, ways, kind, rule)

#define FAKE_ALSO(type, member) FAKE_MEMBER(openmpi, type, member, false)
FAKE_TYPE(openmpi, mca_coll_han_module_t, plain)
FAKE_ALSO(mca_coll_han_module_t, cached_low_comms)
FAKE_ALSO(mca_coll_han_module_t, cached_up_comms)
FAKE_ALSO(mca_coll_han_module_t, others)
FAKE_ALSO(mca_coll_han_module_t, sub_comm)
FAKE_TYPE(openmpi, mca_pml_ob1_buffer_t, plain)
FAKE_ALSO(mca_pml_ob1_buffer_t, addr)
FAKE_ALSO(mca_pml_ob1_buffer_t, len)
FAKE_TYPE(openmpi, mca_part_persist_psend_request_t, plain)
FAKE_ALSO(mca_part_persist_psend_request_t, req_base)
FAKE_TYPE(openmpi, mca_part_persist_precv_request_t, plain)
FAKE_ALSO(mca_part_persist_precv_request_t, req_base)
FAKE_TYPE(openmpi, ompi_coll_libnbc_module_t, plain)
FAKE_ALSO(ompi_coll_libnbc_module_t, mutex)
FAKE_ALSO(opal_lifo_t, opal_lifo_head_item)
FAKE_ALSO(opal_lifo_t, opal_lifo_ghost)
FAKE_ALSO(opal_free_list_item_t, registration)
FAKE_ALSO(opal_free_list_item_t, ptr)
FAKE_ALSO(opal_free_list_t, fl_num_waiting)
FAKE_ALSO(opal_pointer_array_t, max_size)
FAKE_ALSO(opal_pointer_array_t, block_size)
FAKE_ALSO(opal_datatype_t, bdt_used)
FAKE_ALSO(opal_datatype_t, nbElems)
FAKE_ALSO(mca_pml_ob1_recv_request_t, req_match_received)
FAKE_ALSO(mca_pml_ob1_common_hdr_t, hdr_flags)
FAKE_ALSO(mca_pml_ob1_cid_hdr_t, hdr_src)
FAKE_ALSO(mca_pml_ob1_recv_frag_t, num_segments)
FAKE_ALSO(mca_pml_ob1_recv_frag_t, buffers)
FAKE_ALSO(mca_pml_ob1_recv_frag_t, addr)
FAKE_ALSO(mca_pml_ob1_t, send_pending)
FAKE_ALSO(mca_pml_ob1_t, enabled)
FAKE_ALSO(mca_pml_ob1_t, unexpected_limit)
FAKE_ALSO(mca_coll_base_comm_coll_t, nonblocking)

#undef FAKE_ALSO
#undef FAKE_TYPE
#undef FAKE_MEMBER
