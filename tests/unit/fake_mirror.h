/*
 * fake_mirror.h - the structures of Open MPI 3.1 to 6.0 as this project's tests know them, member by member.
 *
 * A template: fake_define.h includes it once for each build of Open MPI that a test needs, with
 *   FAKE_NAME(type)    the name that the mirror of a type gets
 *   FAKE_FAMILY        the first release of this layout: 310 is 3.1.0, 507 is 5.0.7
 *   FAKE_DEBUG         1 for a build configured with --enable-debug, else 0
 *   FAKE_CUSTOM        how --with-pml-ob1-matching was given: 1 default, 2 arrays, 3 fuzzy-byte, 4 vector; 0: not at
 *                      all. Open MPI compiles with it only --without-ft
 *   FAKE_CAS128        1 if 16 bytes can be swapped with one instruction, which must then be aligned
 *   FAKE_POINTER       bytes of the target's pointers and size_t: 4 or 8
 *   FAKE_PTR, FAKE_U64 unsigned integers of that width, and of 8 bytes, aligned as the target aligns them
 *   FAKE_ENDPOINTS     components that keep something at each process: depends on what was at hand for configure
 * FAKE_STRUCT(TYPE, MEMBERS) is a structure, unless a directive of the preprocessor stands among its members.
 * FAKE_IF(CONDITION, TYPE) is TYPE if the condition is true, else a type without bytes: such a member is absent.
 * FAKE_EITHER(CONDITION, TYPE, OTHER) is one of two types. Members have the names of openmpi.def, also those that it
 * calls otherwise than Open MPI (MQD_NESTED): these lie in structs without a name. Members that no test writes and no
 * reader reads are kept together as words of the right number.
 */

FAKE_STRUCT(opal_class_t,
    FAKE_PTR cls_name, cls_parent, cls_construct, cls_destruct;
    int32_t cls_initialized, cls_depth;
    FAKE_PTR cls_construct_array, cls_destruct_array, cls_sizeof;)
FAKE_STRUCT(opal_object_t,
    FAKE_IF(FAKE_DEBUG, FAKE_U64) obj_magic_id;
    FAKE_PTR obj_class;
    int32_t obj_reference_count;
    FAKE_IF(FAKE_DEBUG, FAKE_PTR) cls_init_file_name;
    FAKE_IF(FAKE_DEBUG, int32_t) cls_init_lineno;)
FAKE_STRUCT(opal_list_item_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR opal_list_next, opal_list_prev;
    int32_t item_free;
    FAKE_IF(FAKE_DEBUG, int32_t) opal_list_item_refcount;
    FAKE_IF(FAKE_DEBUG, FAKE_PTR) opal_list_item_belong_to;)
FAKE_STRUCT(opal_list_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_NAME(opal_list_item_t) opal_list_sentinel;
    FAKE_PTR opal_list_length;)

/* A pthread_mutex_t, a lock of OPAL's own and, in debug builds, who holds it. */
FAKE_STRUCT(opal_mutex_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR pthread_mutex[FAKE_POINTER == 8 ? 5 : 6];
    int32_t atomic_lock;
    FAKE_IF(FAKE_DEBUG, int32_t) debug;
    FAKE_IF(FAKE_DEBUG, FAKE_PTR) file;
    FAKE_IF(FAKE_DEBUG, int32_t) line;)
FAKE_STRUCT(opal_hash_table_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR ht_table, ht_capacity, ht_size, growth_trigger;
    int32_t growth[4];
    FAKE_PTR methods;)

typedef struct {
    FAKE_NAME(opal_object_t) super;
#if FAKE_CAS128
    _Alignas(16)
#endif
    FAKE_U64 opal_lifo_head_counter;
    FAKE_PTR opal_lifo_head_item;
    FAKE_NAME(opal_list_item_t) opal_lifo_ghost;
} FAKE_NAME(opal_lifo_t);

FAKE_STRUCT(opal_free_list_item_t,
    FAKE_NAME(opal_list_item_t) super;
    FAKE_PTR registration, ptr;)
FAKE_STRUCT(opal_free_list_t,
    FAKE_NAME(opal_lifo_t) super;
    FAKE_PTR fl_max_to_alloc, fl_num_allocated, fl_num_per_alloc, fl_num_waiting, fl_frag_size, fl_frag_alignment;
    FAKE_PTR fl_payload_buffer_size, fl_payload_buffer_alignment, fl_frag_class, fl_mpool, fl_rcache;
    FAKE_NAME(opal_mutex_t) fl_lock;
    struct {
        FAKE_NAME(opal_object_t) super;
        int32_t waiting, signaled;
    } fl_condition;
    FAKE_NAME(opal_list_t) fl_allocations;
    int32_t fl_rcache_reg_flags;
    FAKE_PTR item_init, ctx;)
FAKE_STRUCT(opal_pointer_array_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_NAME(opal_mutex_t) lock;
    int32_t lowest_free, number_free, size, max_size, block_size;
    FAKE_PTR free_bits, addr;)
FAKE_STRUCT(opal_process_name_t, uint32_t jobid, vpid;)
FAKE_STRUCT(opal_proc_t,
    FAKE_NAME(opal_list_item_t) super;
    FAKE_NAME(opal_process_name_t) proc_name;
    uint32_t proc_arch;
    uint16_t proc_flags;
    FAKE_PTR proc_convertor;
    FAKE_IF(FAKE_FAMILY < 500, FAKE_PTR) proc_hostname;)
FAKE_STRUCT(ompi_proc_t,
    FAKE_NAME(opal_proc_t) super;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) proc_active;
    struct {
        FAKE_PTR endpoints, more_endpoints[FAKE_ENDPOINTS - 1];
    };
    char padding[16];)
FAKE_STRUCT(ompi_group_sporadic_list_t, int32_t rank_first, length;)
FAKE_STRUCT(ompi_group_sporadic_data_t,
    FAKE_PTR grp_sporadic_list;
    int32_t grp_sporadic_list_len;)
FAKE_STRUCT(ompi_group_strided_data_t, int32_t grp_strided_offset, grp_strided_stride, grp_strided_last_element;)
FAKE_STRUCT(ompi_group_bitmap_data_t,
    FAKE_PTR grp_bitmap_array;
    int32_t grp_bitmap_array_len;)
FAKE_STRUCT(ompi_group_t,
    FAKE_NAME(opal_object_t) super;
    int32_t grp_proc_count, grp_my_rank, grp_f_to_c_index;
    FAKE_PTR grp_proc_pointers;
    uint32_t grp_flags;
    FAKE_PTR grp_parent_group_ptr;
    union {
        FAKE_NAME(ompi_group_sporadic_data_t) grp_sporadic;
        FAKE_NAME(ompi_group_strided_data_t) grp_strided;
        FAKE_NAME(ompi_group_bitmap_data_t) grp_bitmap;
    } sparse_data;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) grp_instance;)
FAKE_STRUCT(ompi_comm_extended_cid_t, FAKE_IF(FAKE_FAMILY >= 500, FAKE_U64) cid_base, cid_sub;)

/* What has attributes and information of its own begins with this. */
FAKE_STRUCT(opal_infosubscriber_t,
    FAKE_NAME(opal_object_t) s_base;
    FAKE_NAME(opal_hash_table_t) s_subscriber_table;
    FAKE_PTR s_info;)

#if FAKE_FAMILY >= 500
FAKE_STRUCT(ompi_communicator_t,
    FAKE_NAME(opal_infosubscriber_t) super;
    FAKE_NAME(opal_mutex_t) c_lock;
    FAKE_PTR c_name;
    FAKE_NAME(ompi_comm_extended_cid_t) c_contextid;
    FAKE_U64 c_contextidb[4];
    uint32_t c_index;
    int32_t c_my_rank;
    uint32_t c_flags, c_assertions;
    FAKE_IF(!FAKE_CUSTOM, uint32_t) c_epoch;
    FAKE_IF(FAKE_FAMILY >= 507, FAKE_PTR) c_index_vec;
    int32_t c_nbc_tag, c_cube_dim, c_f_to_c_index;
    FAKE_PTR c_local_group, c_remote_group, c_local_comm, c_keyhash, c_topo, c_peruse_handles, error_handler;
    int32_t errhandler_type;
    FAKE_PTR c_pml_comm, c_mtl_comm, c_coll, instance;
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) bsend_buffer;
    FAKE_IF(!FAKE_CUSTOM, FAKE_PTR) agreement_specific;
    FAKE_IF(!FAKE_CUSTOM, int32_t) num_acked, any_source_offset;
    FAKE_IF(!FAKE_CUSTOM, uint8_t) any_source_enabled, comm_revoked, coll_revoked;)
#else
FAKE_STRUCT(ompi_communicator_t,
    FAKE_NAME(opal_infosubscriber_t) super;
    FAKE_NAME(opal_mutex_t) c_lock;
    char c_name[64];
    uint32_t c_contextid;
    int32_t c_my_rank;
    uint32_t c_flags, c_assertions;
    int32_t c_id_available, c_id_start_index;
    FAKE_PTR c_local_group, c_remote_group, c_local_comm, c_keyhash;
    int32_t c_cube_dim;
    FAKE_PTR c_topo;
    int32_t c_f_to_c_index;
    FAKE_PTR c_peruse_handles, error_handler;
    int32_t errhandler_type;
    FAKE_PTR c_pml_comm, c_coll;
    FAKE_IF(FAKE_FAMILY >= 410, int32_t) c_nbc_tag;
    struct fake_absent c_index, c_index_vec, instance, comm_revoked, coll_revoked;)
#endif

FAKE_STRUCT(mca_base_component_t,
    int32_t version[3];
    char project_name[16];
    int32_t project_version[3];
    char type_name[32];
    int32_t type_version[3];
    char mca_component_name[64];
    int32_t component_version[3];
    FAKE_PTR functions[4];
    uint32_t flags;
    char reserved[28];)

/* How many steps a datatype has and what they are. */
FAKE_STRUCT(dt_type_desc_t,
    FAKE_EITHER(FAKE_FAMILY >= 401, FAKE_PTR, uint32_t) length, used;
    FAKE_PTR desc;)

typedef struct {
    FAKE_NAME(opal_object_t) super;
#if FAKE_FAMILY >= 600
    uint32_t flags;
#else
    uint16_t flags, id;
#endif
    uint32_t bdt_used;
    FAKE_PTR size, true_lb, true_ub, lb, ub, nbElems;
#if FAKE_FAMILY >= 600
    uint16_t id, align;
    uint32_t stack_depth;
#else
    uint32_t align, loops;
#endif
    char name[64];
    FAKE_NAME(dt_type_desc_t) desc, opt_desc;
    FAKE_PTR ptypes;
} FAKE_NAME(opal_datatype_t);

FAKE_STRUCT(ompi_datatype_t,
    FAKE_NAME(opal_datatype_t) super;
    int32_t id, d_f_to_c_index;
    FAKE_PTR d_keyhash, args, packed_description;
    FAKE_U64 pml_data;
    FAKE_EITHER(FAKE_FAMILY >= 600, FAKE_PTR, fake_text) name;)
FAKE_STRUCT(ompi_status_public_t,
    int32_t MPI_SOURCE, MPI_TAG, MPI_ERROR, _cancelled;
    FAKE_PTR _ucount;)

typedef union {
    FAKE_PTR comm, file, win;
} FAKE_NAME(ompi_mpi_object_t);

FAKE_STRUCT(ompi_request_t,
    FAKE_NAME(opal_free_list_item_t) super;
    int32_t req_type;
    FAKE_NAME(ompi_status_public_t) req_status;
    FAKE_PTR req_complete;
    int32_t req_state;
    uint8_t req_persistent;
    int32_t req_f_to_c_index;
    FAKE_PTR req_start, req_free, req_cancel, req_complete_cb, req_complete_cb_data;
    FAKE_NAME(ompi_mpi_object_t) req_mpi_object;)
FAKE_STRUCT(ompi_message_t,
    FAKE_NAME(opal_free_list_item_t) super;
    int32_t m_f_to_c_index;
    FAKE_PTR comm, req_ptr;
    int32_t peer;
    FAKE_PTR count;)

/* One level of a datatype that is being taken apart. */
FAKE_STRUCT(dt_stack_t,
    int32_t index;
    int16_t type, padding;
    FAKE_PTR count, disp;)

typedef struct {
    FAKE_NAME(opal_object_t) super;
#if FAKE_FAMILY >= 600
    FAKE_PTR descriptions[2], count, remote_size, functions[2], converted[2], local_size, pBaseBuf, stack_top;
    FAKE_PTR memory_copy;
    uint32_t flags, numbers[3];
    FAKE_PTR sizes, position;
#else
    uint32_t remote_arch, flags;
    FAKE_PTR local_size, remote_size, descriptions[2];
    FAKE_EITHER(FAKE_FAMILY >= 401, FAKE_PTR, uint32_t) count;
    uint32_t stack_size;
    FAKE_PTR pBaseBuf, stack_top, functions[2];
    uint32_t stack_pos;
    FAKE_EITHER(FAKE_FAMILY >= 401, FAKE_PTR, uint32_t) partial_length;
    FAKE_PTR converted;
    uint32_t checksum[2];
    FAKE_PTR checksum_2;
#endif
    FAKE_NAME(dt_stack_t) stack[5];
    FAKE_IF(FAKE_FAMILY >= 500 && FAKE_FAMILY < 600, FAKE_PTR) copy;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) stream;
} FAKE_NAME(opal_convertor_t);

FAKE_STRUCT(mca_pml_base_request_t,
    FAKE_NAME(ompi_request_t) req_ompi;
    int32_t req_pml_complete, req_free_called, req_type;
    FAKE_PTR req_comm, req_datatype;
    FAKE_NAME(opal_convertor_t) req_convertor;
    FAKE_PTR req_addr, req_count;
    int32_t req_peer, req_tag;
    FAKE_PTR req_proc;
    FAKE_U64 req_sequence;)
FAKE_STRUCT(mca_pml_base_send_request_t,
    FAKE_NAME(mca_pml_base_request_t) req_base;
    FAKE_PTR req_addr, req_bytes_packed;
    int32_t req_send_mode;)
FAKE_STRUCT(mca_pml_base_recv_request_t,
    FAKE_NAME(mca_pml_base_request_t) req_base;
    FAKE_PTR req_bytes_packed;)

typedef union {
    FAKE_U64 lval;
    FAKE_PTR pval;
} FAKE_NAME(opal_ptr_t);

FAKE_STRUCT(mca_pml_ob1_send_request_t,
    FAKE_NAME(mca_pml_base_send_request_t) req_send;
    FAKE_PTR req_endpoint;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) ob1_proc;
    FAKE_NAME(opal_ptr_t) req_recv;
    int32_t req_state, req_lock;
    uint8_t req_throttle_sends;
    int32_t req_pipeline_depth;
    FAKE_PTR req_bytes_delivered;
    uint32_t req_rdma_cnt;
    int32_t req_pending;
    FAKE_NAME(opal_mutex_t) req_send_range_lock;
    FAKE_NAME(opal_list_t) req_send_ranges;
    FAKE_PTR rdma_frag;)
FAKE_STRUCT(mca_pml_ob1_recv_request_t,
    FAKE_NAME(mca_pml_base_recv_request_t) req_recv;
    FAKE_NAME(opal_ptr_t) remote_req_send;
    int32_t req_lock, req_pipeline_depth;
    FAKE_PTR req_bytes_received, req_bytes_expected, req_rdma_offset, req_send_offset;
    uint32_t req_rdma_cnt, req_rdma_idx;
    uint8_t req_pending, req_ack_sent, req_match_received;
    FAKE_NAME(opal_mutex_t) lock;
    FAKE_PTR rdma_bml, local_handle;)

/* Nodes of custom matching. Each way keeps tags and sources in its own manner, then how many values are in use. */
typedef struct {
#if FAKE_CUSTOM == 1
    int32_t tag, tmask, src, smask;
#elif FAKE_CUSTOM == 2
    int32_t tags[2], tmask[2], srcs[2], smask[2];
#elif FAKE_CUSTOM == 3
    _Alignas(64) int8_t keys[64];
    int8_t mask[64];
#elif FAKE_CUSTOM == 4
    _Alignas(64) int32_t tags[16];
    int32_t tmask[16], srcs[16], smask[16];
#endif
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) next;
    FAKE_IF(FAKE_CUSTOM > 1, FAKE_EITHER(FAKE_CUSTOM == 2, int8_t, int32_t)) start, end;
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) value[FAKE_CUSTOM == 1 ? 1 : FAKE_CUSTOM == 2 ? 2 : FAKE_CUSTOM == 3 ? 64 : 16];
} FAKE_NAME(custom_match_prq_node);

typedef struct {
#if FAKE_CUSTOM == 1
    int32_t tag, src;
#elif FAKE_CUSTOM == 2
    int32_t tags[3], srcs[3];
#elif FAKE_CUSTOM == 3
    _Alignas(64) int8_t keys[64];
#elif FAKE_CUSTOM == 4
    _Alignas(64) int32_t tags[16];
    int32_t srcs[16];
#endif
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) next;
    FAKE_IF(FAKE_CUSTOM > 1, FAKE_EITHER(FAKE_CUSTOM == 2, int8_t, int32_t)) start, end;
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) value[FAKE_CUSTOM == 1 ? 1 : FAKE_CUSTOM == 2 ? 3 : FAKE_CUSTOM == 3 ? 64 : 16];
} FAKE_NAME(custom_match_umq_node);

typedef struct {
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) head, tail, pool;
    FAKE_IF(FAKE_CUSTOM, int32_t) size;
} FAKE_NAME(custom_match_prq), FAKE_NAME(custom_match_umq);

FAKE_STRUCT(mca_pml_ob1_comm_t,
    FAKE_NAME(opal_object_t) super;
    uint32_t recv_sequence;
    FAKE_NAME(opal_mutex_t) matching_lock;
    FAKE_IF(!FAKE_CUSTOM, FAKE_NAME(opal_list_t)) wild_receives;
    FAKE_NAME(opal_mutex_t) proc_lock;
    FAKE_PTR procs, num_procs, last_probed;
    FAKE_IF(FAKE_CUSTOM, FAKE_PTR) prq, umq;)
FAKE_STRUCT(mca_pml_ob1_comm_proc_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR ompi_proc;
    uint16_t expected_sequence;
    FAKE_IF(FAKE_FAMILY >= 500, int16_t) comm_index;
    int32_t send_sequence;
    FAKE_PTR frags_cant_match;
    FAKE_IF(!FAKE_CUSTOM, FAKE_NAME(opal_list_t)) specific_receives, unexpected_frags;)
FAKE_STRUCT(mca_pml_ob1_common_hdr_t, uint8_t hdr_type, hdr_flags;)
FAKE_STRUCT(mca_pml_ob1_match_hdr_t,
    FAKE_NAME(mca_pml_ob1_common_hdr_t) hdr_common;
    uint16_t hdr_ctx;
    int32_t hdr_src, hdr_tag;
    uint16_t hdr_seq;
    FAKE_IF(FAKE_DEBUG && FAKE_FAMILY >= 500, uint8_t) hdr_padding[2];)
FAKE_STRUCT(mca_pml_ob1_rendezvous_hdr_t,
    FAKE_NAME(mca_pml_ob1_match_hdr_t) hdr_match;
    FAKE_U64 hdr_msg_length;
    FAKE_NAME(opal_ptr_t) hdr_src_req;)
FAKE_STRUCT(mca_pml_ob1_cid_hdr_t,
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(mca_pml_ob1_common_hdr_t)) hdr_common;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(ompi_comm_extended_cid_t)) hdr_cid;
    FAKE_IF(FAKE_FAMILY >= 500, int16_t) hdr_src_comm_index;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) hdr_src;)

/* The longest header is never in a queue. */
typedef union {
    FAKE_NAME(mca_pml_ob1_common_hdr_t) hdr_common;
    FAKE_NAME(mca_pml_ob1_match_hdr_t) hdr_match;
    FAKE_NAME(mca_pml_ob1_rendezvous_hdr_t) hdr_rndv;
    FAKE_NAME(mca_pml_ob1_cid_hdr_t) hdr_cid;
    uint32_t words[FAKE_FAMILY < 500 ? 13 : FAKE_DEBUG ? 22 : 20];
} FAKE_NAME(mca_pml_ob1_hdr_t);

FAKE_STRUCT(mca_btl_base_segment_t,
    FAKE_NAME(opal_ptr_t) seg_addr;
    FAKE_U64 seg_len;)
FAKE_STRUCT(mca_pml_ob1_buffer_t, FAKE_PTR len, addr;)
FAKE_STRUCT(mca_pml_ob1_recv_frag_t,
    FAKE_NAME(opal_free_list_item_t) super;
    FAKE_NAME(mca_pml_ob1_hdr_t) hdr;
    FAKE_PTR num_segments, range, btl;
    FAKE_NAME(mca_btl_base_segment_t) segments[16];
    FAKE_NAME(mca_pml_ob1_buffer_t) buffers[16];
    unsigned char addr[1];)

/* What every PML begins its module with. */
FAKE_STRUCT(mca_pml_base_module_t,
    FAKE_PTR functions[FAKE_FAMILY >= 500 ? 8 : 7], pml_irecv, more_functions[FAKE_FAMILY >= 500 ? 12 : 13];
    uint32_t pml_max_contextid;
    int32_t pml_max_tag, pml_flags;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) pml_get_transports;)
FAKE_STRUCT(mca_pml_ob1_t,
    FAKE_NAME(mca_pml_base_module_t) super;
    int32_t priority, free_list_num, free_list_max, free_list_inc, send_pipeline_depth, recv_pipeline_depth;
    FAKE_PTR rdma_retries_limit;
    int32_t max_rdma_per_request, max_send_per_range;
    uint8_t use_all_rdma;
    FAKE_NAME(opal_mutex_t) lock;
    FAKE_NAME(opal_free_list_t) rdma_frags, recv_frags, pending_pckts, buffers, send_ranges;
    FAKE_NAME(opal_list_t) pckt_pending, send_pending, recv_pending, rdma_pending, non_existing_communicator_pending;
    uint8_t enabled;
    FAKE_PTR allocator_name, allocator;
    uint32_t unexpected_limit;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) accelerator_enabled;)

/* As in the last release of the family. Earlier ones have fewer predefined types. */
FAKE_STRUCT(mca_pml_ucx_module_t,
    FAKE_NAME(mca_pml_base_module_t) super;
    FAKE_PTR ucp_context, ucp_worker;
    int32_t datatype_attr_keyval;
    FAKE_U64 predefined_types[FAKE_FAMILY >= 600 ? 54 : FAKE_FAMILY >= 500 ? 53 : FAKE_FAMILY >= 401 ? 50 : 48];
    FAKE_NAME(opal_free_list_t) persistent_reqs;
    FAKE_NAME(ompi_request_t) completed_send_req;
    FAKE_PTR request_size;
    int32_t num_disconnect;
    FAKE_IF(FAKE_FAMILY < 401, uint8_t) opal_mem_hooks;
    FAKE_NAME(opal_free_list_t) convs;
    int32_t priority;
    FAKE_IF(FAKE_FAMILY < 401, int32_t) verbose, output;
    FAKE_IF(FAKE_FAMILY >= 401 && FAKE_FAMILY < 500, uint8_t) cuda_initialized;
    FAKE_IF(FAKE_FAMILY >= 401, uint8_t) request_leak_check;
    FAKE_IF(FAKE_FAMILY >= 410, uint32_t) op_attr_nonblocking;)

typedef struct {
    FAKE_NAME(ompi_request_t) ompi;
    FAKE_PTR tmp_req;
    uint32_t flags;
    FAKE_PTR buffer, count;
#if FAKE_FAMILY >= 410
    FAKE_U64 datatype;
    FAKE_PTR ompi_datatype;
#else
    union {
        FAKE_U64 datatype;
        FAKE_PTR ompi_datatype;
    };
#endif
    FAKE_U64 tag;
    struct {
        int32_t send_mode;
        FAKE_PTR send_ep;
    };
    FAKE_U64 recv_tag_mask;
} FAKE_NAME(mca_pml_ucx_persistent_request_t);

FAKE_STRUCT(mca_mtl_request_t, FAKE_PTR ompi_req, completion_callback;)
FAKE_STRUCT(mca_pml_cm_request_t,
    FAKE_NAME(ompi_request_t) req_ompi;
    int32_t req_pml_complete, req_free_called, req_pml_type;
    FAKE_PTR req_comm, req_datatype;
    FAKE_NAME(opal_convertor_t) req_convertor;)
FAKE_STRUCT(mca_pml_cm_send_request_t,
    FAKE_NAME(mca_pml_cm_request_t) req_base;
    int32_t req_send_mode;)
FAKE_STRUCT(mca_pml_cm_thin_send_request_t,
    FAKE_NAME(mca_pml_cm_send_request_t) req_send;
    FAKE_NAME(mca_mtl_request_t) req_mtl;)
FAKE_STRUCT(mca_pml_cm_hvy_send_request_t,
    FAKE_NAME(mca_pml_cm_send_request_t) req_send;
    FAKE_PTR req_addr, req_count;
    int32_t req_peer, req_tag;
    FAKE_PTR req_buff;
    uint8_t req_blocking;
    FAKE_NAME(mca_mtl_request_t) req_mtl;)
FAKE_STRUCT(mca_pml_cm_thin_recv_request_t,
    FAKE_NAME(mca_pml_cm_request_t) req_base;
    FAKE_NAME(mca_mtl_request_t) req_mtl;)
FAKE_STRUCT(mca_pml_cm_hvy_recv_request_t,
    FAKE_NAME(mca_pml_cm_request_t) req_base;
    FAKE_PTR req_addr, req_count;
    int32_t req_peer, req_tag;
    FAKE_PTR req_buff, req_bytes_packed;
    uint8_t req_blocking;
    FAKE_NAME(mca_mtl_request_t) req_mtl;)
FAKE_STRUCT(mca_mtl_base_module_t,
    int32_t mtl_max_contextid, mtl_max_tag;
    FAKE_PTR mtl_request_size;
    uint32_t mtl_flags;
    FAKE_PTR functions[12];)

/* As in the last release of the family. */
FAKE_STRUCT(ompi_mtl_ofi_request_t,
    FAKE_NAME(mca_mtl_request_t) super;
    int32_t type;
    FAKE_PTR context[FAKE_FAMILY >= 401 ? 8 : 4];
    int32_t completion_count;
    FAKE_PTR callbacks[2];
    FAKE_NAME(ompi_status_public_t) status;
    int32_t match_state;
    FAKE_PTR comm, mtl, buffer, length, convertor;
    uint8_t req_started;
    FAKE_U64 match_bits;
    FAKE_IF(FAKE_FAMILY >= 401, FAKE_U64) mask_bits;
    FAKE_U64 remote_addr;
    FAKE_PTR parent, mrecv_req;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) mr;)

/* As in the last release of the family. */
FAKE_STRUCT(mca_mtl_ofi_module_t,
    FAKE_NAME(mca_mtl_base_module_t) base;
    FAKE_PTR fabric, domain, av;
    FAKE_IF(FAKE_FAMILY < 410, FAKE_PTR) completions;
    FAKE_IF(FAKE_FAMILY >= 410, uint8_t) mpi_thread_multiple;
    FAKE_PTR endpoint;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) contexts;
    FAKE_IF(FAKE_FAMILY >= 410, int32_t) threshold_comm_context_id;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) comm_to_context;
    FAKE_IF(FAKE_FAMILY >= 410, int32_t)
    rx_ctx_bits, total_ctxts_used, enable_sep, thread_grouping, num_ofi_contexts;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) disable_hmem;
    FAKE_PTR epnamelen;
    FAKE_U64 any_addr;
    FAKE_PTR provider_name, max_inject_size, max_msg_size;
    int32_t ofi_progress_event_count;
    FAKE_IF(FAKE_FAMILY >= 401, uint8_t) fi_cq_data;
    FAKE_IF(FAKE_FAMILY >= 401, FAKE_U64) source_rank_tag_mask;
    FAKE_IF(FAKE_FAMILY >= 401, int32_t) num_bits_source_rank;
    FAKE_IF(FAKE_FAMILY >= 401, FAKE_U64) source_rank_mask, mpi_tag_mask;
    FAKE_IF(FAKE_FAMILY >= 401, int32_t) num_bits_mpi_tag, num_peers;
    FAKE_IF(FAKE_FAMILY >= 401, FAKE_U64) sync_masks[3];
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) functions[10];
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) is_initialized, has_posted_initial_buffer, hmem_needs_reg;
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) rcache;)
FAKE_STRUCT(mca_mtl_ofi_endpoint_t,
    FAKE_NAME(opal_list_item_t) super;
    FAKE_PTR mtl_ofi_module;
    FAKE_U64 peer_fiaddr;)

/* What a component for one-sided communication begins each of its modules with; functions. */
FAKE_STRUCT(ompi_osc_base_module_t, FAKE_PTR functions[3], osc_free, more_functions[25];)

/* A segment of memory that processes share. */
FAKE_STRUCT(opal_shmem_ds_t,
    int32_t seg_cpid;
    uint8_t flags;
    int32_t seg_id;
    FAKE_PTR seg_size, seg_base_addr;
    char seg_name[4097];)
FAKE_STRUCT(ompi_osc_sm_lock_t, uint32_t counter, write, read;)
FAKE_STRUCT(ompi_osc_sm_node_state_t,
    int32_t complete_count;
    FAKE_NAME(ompi_osc_sm_lock_t) lock;
    int32_t accumulate_lock;)
FAKE_STRUCT(ompi_osc_sm_module_t,
    FAKE_NAME(ompi_osc_base_module_t) super;
    FAKE_PTR comm;
    int32_t flavor;
    FAKE_NAME(opal_shmem_ds_t) seg_ds;
    FAKE_PTR segment_base;
    uint8_t noncontig;
    FAKE_PTR sizes, bases, disp_units, start_group, post_group;
    int32_t my_sense;
    FAKE_PTR outstanding_locks, global_state, my_node_state, node_states, posts;
    FAKE_NAME(opal_mutex_t) lock;)
FAKE_STRUCT(ompi_osc_rdma_peer_t,
    FAKE_NAME(opal_list_item_t) super;
    FAKE_PTR data_endpoint, state_endpoint;
    FAKE_U64 state;
    FAKE_PTR state_handle;
    FAKE_NAME(opal_mutex_t) lock;
    int32_t rank, flags;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) data_btl_index, state_btl_index;
    FAKE_IF(FAKE_FAMILY < 400, FAKE_PTR) aggregate;)
FAKE_STRUCT(ompi_osc_rdma_state_t,
    FAKE_U64 global_lock, local_lock, accumulate_lock, post_index, post_peers[32], num_post_msgs, num_complete_msgs;
    FAKE_U64 regions_lock, disp_unit, region_count;)
FAKE_STRUCT(ompi_osc_rdma_sync_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR module;
    int32_t type;
    union {
        struct {
            int32_t lock_target;
            int16_t lock_type, lock_assert;
        };
        FAKE_PTR start_group;
    };
    FAKE_PTR peer_list;
    FAKE_NAME(opal_list_t) demand_locked_peers;
    int32_t num_peers;
    uint8_t epoch_active;
    _Alignas(64) FAKE_U64 outstanding;
    FAKE_U64 outstanding_padding[7];
    FAKE_IF(FAKE_FAMILY < 400, FAKE_NAME(opal_list_t)) aggregations;
    FAKE_NAME(opal_mutex_t) lock;)
FAKE_STRUCT(ompi_osc_rdma_module_t,
    FAKE_NAME(ompi_osc_base_module_t) super;
    FAKE_PTR win;
    FAKE_NAME(opal_mutex_t) lock;
    int32_t locking_mode;
    uint8_t same_disp_unit, same_size, flags[FAKE_FAMILY >= 500 || FAKE_FAMILY < 400 ? 4 : 5];
    int32_t flavor;
    FAKE_PTR size;
    FAKE_EITHER(FAKE_FAMILY >= 600, FAKE_PTR, int32_t) disp_unit;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) network_amo_max_count;
    FAKE_PTR leader, my_peer, free_after, state, node_comm_info, rank_array, comm, local_leaders, shared_comm;
    int32_t node_id, node_count;
    FAKE_PTR state_handle, base_handle, region_size, state_size, state_offset;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) memory_alignment;
    FAKE_NAME(ompi_osc_rdma_sync_t) all_sync;
    FAKE_PTR pw_group;
    FAKE_NAME(opal_list_t) pending_posts;
    FAKE_U64 passive_target_access_epoch;
    FAKE_NAME(opal_hash_table_t) outstanding_locks;
    FAKE_PTR outstanding_lock_array;
    FAKE_NAME(opal_hash_table_t) peer_hash;
    FAKE_PTR peer_array;
    FAKE_NAME(opal_mutex_t) peer_lock;
    FAKE_IF(FAKE_FAMILY < 500, FAKE_PTR) selected_btl;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) use_accelerated_btl;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) alternate_am_rdmas;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) alternate_btl_count, use_memory_registration;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) alignments_and_limits[4];
    FAKE_IF(FAKE_FAMILY >= 500, uint32_t) atomic_flags;
    FAKE_PTR rdma_frag, dynamic_handles, segment_base;
    FAKE_NAME(opal_shmem_ds_t) seg_ds;
    FAKE_PTR retry_counts[2];
    FAKE_IF(FAKE_FAMILY >= 400, int32_t) pending_ops;)

/* What a component for collective operations begins its modules with; functions. */
FAKE_STRUCT(mca_coll_base_module_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR functions[FAKE_FAMILY >= 600 ? 73 : FAKE_FAMILY >= 500 ? 72 : FAKE_FAMILY >= 401 ? 71 : 49];)

/* Functions, each before its module. */
FAKE_STRUCT(mca_coll_base_comm_coll_t,
    FAKE_PTR allgather, coll_allgather_module, allgatherv[2], allreduce, coll_allreduce_module, alltoall[6];
    FAKE_PTR barrier, coll_barrier_module, bcast, coll_bcast_module, exscan_to_gatherv[6], reduce, coll_reduce_module;
    FAKE_PTR reduce_scatter_to_scatterv[10], nonblocking[34];
    FAKE_PTR others[FAKE_FAMILY >= 600   ? 72
                    : FAKE_FAMILY >= 500 ? 71
                    : FAKE_FAMILY >= 410 ? 67
                    : FAKE_FAMILY >= 401 ? 66
                                         : 22];)

/* The members behind the arrays differ between releases; three communicators are the last, at least until 5.0. */
FAKE_STRUCT(mca_coll_han_module_t,
    FAKE_NAME(mca_coll_base_module_t) super;
    uint8_t enabled;
    int32_t recursive_free_depth;
    FAKE_PTR cached_comm, cached_low_comms, cached_up_comms, others[29], sub_comm[3];)
FAKE_STRUCT(ompi_coll_libnbc_module_t,
    FAKE_NAME(mca_coll_base_module_t) super;
    FAKE_NAME(opal_mutex_t) mutex;
    uint8_t comm_registered;
    FAKE_IF(FAKE_FAMILY < 410, int32_t) tag;)
FAKE_STRUCT(ompi_win_t,
    FAKE_NAME(opal_infosubscriber_t) super;
    FAKE_NAME(opal_mutex_t) w_lock;
    FAKE_EITHER(FAKE_FAMILY >= 600, FAKE_PTR, fake_text) w_name;
    FAKE_PTR w_group;
    uint16_t w_flags, w_flavor;
    int32_t w_acc_ops;
    FAKE_PTR w_keyhash;
    int32_t w_f_to_c_index;
    FAKE_PTR error_handler;
    int32_t errhandler_type;
    FAKE_PTR w_osc_module;
    int32_t w_acc_order;)
FAKE_STRUCT(ompi_file_t,
    FAKE_NAME(opal_infosubscriber_t) super;
    FAKE_PTR f_comm, f_filename;
    int32_t f_amode, f_flags, f_f_to_c_index;
    FAKE_PTR error_handler;
    int32_t errhandler_type, f_io_version;
    FAKE_NAME(opal_mutex_t) f_lock;
    struct {
        FAKE_NAME(mca_base_component_t) io_version;
        uint32_t data[9];
        FAKE_PTR functions[7];
    } f_io_selected_component;
    FAKE_PTR f_io_selected_module[FAKE_FAMILY >= 500 ? 53 : 51], f_io_selected_data;)
FAKE_STRUCT(ompi_part_persist_t,
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) functions[6];
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) free_list[3];
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) progress_list;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) next_tags[2];
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) part_comm, part_comm_req;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) part_comm_ready;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) part_comm_setup, part_comm_sreq;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) part_comm_sready, init_comms, init_world, my_world_rank, block_entry;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(opal_mutex_t)) lock;)

/* A topology's functions, then the data of one of these kinds. */
FAKE_STRUCT(mca_topo_base_module_t,
    FAKE_NAME(opal_object_t) super;
    uint32_t type;
    uint8_t reorder;
    FAKE_PTR component, functions[8], mtc;)
FAKE_STRUCT(mca_topo_base_comm_cart_2_2_0_t,
    FAKE_NAME(opal_object_t) super;
    int32_t ndims;
    FAKE_PTR dims, periods, coords;)
FAKE_STRUCT(mca_topo_base_comm_graph_2_2_0_t,
    FAKE_NAME(opal_object_t) super;
    int32_t nnodes;
    FAKE_PTR index, edges;)
FAKE_STRUCT(mca_topo_base_comm_dist_graph_2_2_0_t,
    FAKE_NAME(opal_object_t) super;
    FAKE_PTR in, inw, out, outw;
    int32_t indegree, outdegree;
    uint8_t weighted;)
FAKE_STRUCT(opal_hash_element_t,
    int32_t valid;
    union {
        FAKE_U64 number;
        FAKE_PTR key_and_size[2];
    };
    FAKE_PTR value;)
FAKE_STRUCT(attribute_key_value_t,
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_NAME(opal_object_t)) super;
    FAKE_IF(FAKE_FAMILY >= 410, int32_t) av_key;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) av_value;
    FAKE_IF(FAKE_FAMILY >= 410, int32_t) av_set_from, av_sequence;)
typedef struct {
    int32_t ref_count, create_type;
    FAKE_PTR total_pack_size;
#if FAKE_FAMILY >= 600
    FAKE_PTR ci, ca, cd, cl, a, d, l, i;
#else
    int32_t ci, ca, cd;
    FAKE_PTR i, a, d;
    struct fake_absent cl, l;
#endif
} FAKE_NAME(ompi_datatype_args_t);

/* The functions of two and of three buffers for each predefined type. */
FAKE_STRUCT(ompi_op_t,
    FAKE_NAME(opal_object_t) super;
    char o_name[64];
    int32_t op_type;
    uint32_t o_flags;
    int32_t o_f_to_c_index;
    FAKE_PTR o_func[FAKE_FAMILY >= 500 ? 86 : FAKE_FAMILY >= 400 ? 82 : 78];
    FAKE_PTR functions_of_three[FAKE_FAMILY >= 500 ? 86 : FAKE_FAMILY >= 400 ? 82 : 78];
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) datatype_converter;)
FAKE_STRUCT(ompi_errhandler_t,
    FAKE_NAME(opal_object_t) super;
    char eh_name[64];
    int32_t eh_mpi_object_type, eh_lang;
    FAKE_PTR eh_comm_fn, eh_file_fn, eh_win_fn;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) eh_instance_fn;
    FAKE_PTR eh_fort_fn;
    FAKE_IF(FAKE_FAMILY < 500 || FAKE_FAMILY >= 600, FAKE_PTR) dispatcher;
    int32_t eh_f_to_c_index;)
FAKE_STRUCT(opal_cstring_t,
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(opal_object_t)) super;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) length;
    FAKE_IF(FAKE_FAMILY >= 500, char) _ignored;)
FAKE_STRUCT(opal_info_entry_t,
    FAKE_NAME(opal_list_item_t) super;
    FAKE_PTR ie_value;
    FAKE_EITHER(FAKE_FAMILY >= 500, FAKE_PTR, fake_key) ie_key;
    FAKE_IF(FAKE_FAMILY >= 500, uint32_t) ie_referenced;
    FAKE_IF(FAKE_FAMILY >= 500, uint8_t) ie_internal;)
FAKE_STRUCT(ompi_info_t,
    FAKE_NAME(opal_list_t) super;
    FAKE_PTR lock;
    int32_t i_f_to_c_index;
    uint8_t i_freed;)
FAKE_STRUCT(ompi_instance_t,
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(opal_infosubscriber_t)) super;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(opal_mutex_t)) s_lock;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) i_thread_level;
    FAKE_IF(FAKE_FAMILY >= 500, fake_text) i_name;
    FAKE_IF(FAKE_FAMILY >= 500, uint32_t) i_flags;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) i_keyhash;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) i_f_to_c_index;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) error_handler;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) errhandler_type;
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) bsend_buffer;)

/* Requests that no PML makes. */
FAKE_STRUCT(ompi_grequest_t,
    FAKE_NAME(ompi_request_t) super;
    FAKE_PTR greq_query, greq_free, greq_cancel, greq_state;
    uint8_t greq_funcs_are_c;)
FAKE_STRUCT(ompi_comm_request_t,
    FAKE_NAME(ompi_request_t) super;
    FAKE_PTR context;
    FAKE_NAME(opal_list_t) schedule;)
FAKE_STRUCT(ompi_coll_libnbc_request_t,
    FAKE_NAME(ompi_request_t) super;
    FAKE_IF(FAKE_FAMILY >= 401, FAKE_PTR) callback[2], retained[FAKE_FAMILY >= 500 ? 10 : 2];
    FAKE_PTR comm, row_offset;
    FAKE_IF(FAKE_FAMILY >= 401, uint8_t) nbc_complete;
    int32_t tag, req_count;
    FAKE_PTR req_array, comminfo, schedule, tmpbuf;)
FAKE_STRUCT(mca_ompio_request_t,
    FAKE_NAME(ompi_request_t) super;
    int32_t req_type;
    FAKE_PTR req_data;
    FAKE_NAME(opal_list_item_t) req_item;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) req_tbuf, req_size;
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) req_max_data;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_NAME(opal_convertor_t)) req_convertor;
    FAKE_PTR functions[2];
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) post_next, parent;
    FAKE_IF(FAKE_FAMILY >= 600, int32_t) subrequests[2];
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) req_fh, req_fview;
    FAKE_IF(FAKE_FAMILY >= 600, uint8_t) req_post_followup;)
FAKE_STRUCT(ompi_osc_rdma_request_t,
    FAKE_NAME(ompi_request_t) super;
    FAKE_PTR peer, cleanup;
    int32_t type;
    FAKE_PTR to_free, origin_addr, module;
    int32_t outstanding_requests;
    uint8_t internal;
    FAKE_PTR offset, len, ctx, frag;
    FAKE_U64 target_address;
    FAKE_PTR parent_request;
    FAKE_IF(FAKE_FAMILY < 401, FAKE_NAME(opal_convertor_t)) convertor;
    FAKE_PTR sync, buffer;)
FAKE_STRUCT(mca_part_persist_request_t,
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(ompi_request_t)) req_ompi;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) req_part_complete, req_free_called, req_type;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) req_comm, req_datatype;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_NAME(opal_convertor_t)) req_convertor;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) req_addr, req_parts, req_count;
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) req_peer, req_tag;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) req_proc, req_bytes, real_parts, real_count;
    FAKE_IF(FAKE_FAMILY >= 600, FAKE_PTR) real_dt_size;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) part_size, persist_reqs, setup_req[2];
    FAKE_IF(FAKE_FAMILY >= 500, int32_t) counters[8];
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) done_count, flags;
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) setup_info[FAKE_FAMILY >= 600 ? 10 : 8];
    FAKE_IF(FAKE_FAMILY >= 500, FAKE_PTR) progress_elem;)
FAKE_STRUCT(mca_part_persist_psend_request_t, FAKE_NAME(mca_part_persist_request_t) req_base;)
FAKE_STRUCT(mca_part_persist_precv_request_t, FAKE_NAME(mca_part_persist_request_t) req_base;)

/* A file of ompio. From 6.0 on its view is a structure of its own. */
typedef struct {
#if FAKE_FAMILY < 401
    struct fake_absent f_fh, f_atomicity, f_split_coll_in_use, f_etype, f_orig_filetype, view_displacement;
#else
    int32_t fd;
    FAKE_PTR f_fh;
#if FAKE_FAMILY >= 600
    uint32_t f_flags;
#else
    FAKE_PTR f_offset, view_displacement;
#endif
    int32_t f_rank, f_size, f_amode, f_perm;
    FAKE_PTR f_comm, f_filename;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) f_fullfilename;
    FAKE_PTR f_datarep, f_convertor;
    FAKE_IF(FAKE_FAMILY >= 410, FAKE_PTR) f_file_convertor;
    FAKE_PTR f_info;
    int32_t f_flags_or_phase;
    FAKE_PTR f_fs_ptr;
    int32_t f_fs_block_size, f_atomicity;
    FAKE_PTR f_stripe_size;
    int32_t f_stripe_count;
    FAKE_PTR f_cc_size, f_avg_view_size;
    int32_t f_bytes_per_agg, f_fstype;
    FAKE_PTR f_split_coll_req;
    uint8_t f_split_coll_in_use;
    FAKE_PTR f_sharedfp_data;
#if FAKE_FAMILY >= 600
    struct {
        uint32_t view_flags;
        FAKE_PTR view_offset, view_displacement, view_iov;
        uint32_t view_count;
        FAKE_PTR view_position, view_total;
        int32_t view_index;
        FAKE_PTR view_sizes[3];
    };
    FAKE_PTR f_iov_type, f_etype, f_filetype, f_orig_filetype;
#else
    FAKE_PTR f_decoded_iov;
    uint32_t f_iov_count;
    FAKE_PTR f_iov_type, f_position_in_file_view, f_total_bytes;
    int32_t f_index_in_file_view;
    FAKE_PTR f_view_extent, f_view_size, f_etype, f_filetype, f_orig_filetype, f_etype_size;
#endif
    FAKE_PTR f_io_array;
    int32_t f_num_of_io_entries;
    FAKE_PTR modules[8], f_coll_times[2], f_init_aggr_list;
    int32_t f_init_numbers[2];
    FAKE_PTR f_init_procs_in_group, f_aggr_list;
    int32_t f_num_aggrs;
    FAKE_PTR f_procs_in_group;
    int32_t f_procs_per_group;
    FAKE_PTR functions[2];
#endif
} FAKE_NAME(ompio_file_t);
