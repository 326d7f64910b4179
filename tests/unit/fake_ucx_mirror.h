/*
 * fake_ucx_mirror.h - UCX's structures and constants as a family of releases and a variant have them, for 64-bit
 * machines.
 *
 * A template, as fake_mirror.h is for Open MPI: fake_define.h includes it once for each build, with
 *   FAKE_FAMILY       1.13: 113
 *   FAKE_ASSERT       1: assertions are compiled in
 *   FAKE_DEBUG_DATA   1: so are data for debugging
 * Members have the names of ucx.def. What no test needs are arrays of the right size.
 */

FAKE_STRUCT(ucs_list_link_t, uint64_t prev, next;)
FAKE_STRUCT(ucs_queue_elem_t, uint64_t next;)
FAKE_STRUCT(ucs_queue_head_t, uint64_t head, ptail;)

typedef union {
    uint64_t next, mpool;
} FAKE_NAME(ucs_mpool_elem_t);

FAKE_STRUCT(ucs_mpool_chunk_t,
    uint64_t next, elems;
    uint32_t num_elems;)
FAKE_STRUCT(ucs_mpool_data_t,
    FAKE_EITHER(FAKE_FAMILY >= 112, uint64_t, uint32_t) elem_size, alignment, align_offset;
    FAKE_IF(FAKE_FAMILY >= 114, double) grow_factor;
    FAKE_IF(FAKE_FAMILY >= 114, uint64_t) max_chunk_size;
    uint32_t elems_per_chunk, quota;
    FAKE_IF(FAKE_FAMILY >= 114, int32_t) malloc_safe;
    uint64_t tail, chunks, ops, name;)
FAKE_STRUCT(ucs_mpool_t, uint64_t freelist, data;)
FAKE_STRUCT(ucp_request_queue_t,
    FAKE_NAME(ucs_queue_head_t) queue;
    uint32_t sw_count, block_count;)

typedef union {
    FAKE_NAME(ucs_queue_head_t) unexp_q;
    uint64_t exp_req;
} FAKE_NAME(ucp_tag_frag_match_t);

/* It has two hash tables (khash): of fragments, and of interfaces that match tags themselves. */
FAKE_STRUCT(ucp_tag_match_t,
    FAKE_NAME(ucp_request_queue_t) wildcard;
    uint64_t expected_hash, expected_sn;
    uint32_t sw_all_count;
    FAKE_NAME(ucs_list_link_t) unexpected_all;
    uint64_t unexpected_hash;
    struct {
        uint32_t frag_buckets, frag_size, frag_occupied, frag_bound;
        uint64_t frag_flags, frag_keys, frag_values;
    };
    FAKE_NAME(ucs_queue_head_t) offload_sync_reqs;
    struct {
        uint32_t offload_buckets, offload_ifaces, offload_occupied, offload_bound;
        uint64_t offload_arrays[3];
    };
    uint64_t offload_iface, thresholds[FAKE_FAMILY >= 107 ? 2 : 3];)
FAKE_STRUCT(ucp_context_t,
    unsigned char resources[FAKE_FAMILY >= 122   ? 536
                            : FAKE_FAMILY >= 118 ? 496
                            : FAKE_FAMILY >= 113 ? 144
                            : FAKE_FAMILY >= 110 ? 112
                                                 : 104];
    uint64_t features, tag_sender_mask;
    /* How many endpoints are expected, and how many on a node; since 1.22 something more. */
    int32_t expected[FAKE_FAMILY >= 122 ? 4 : 2];
    uint64_t request_size, request_init, request_cleanup;
    unsigned char more[FAKE_FAMILY >= 122 ? 592 : FAKE_FAMILY >= 118 ? 552 : FAKE_FAMILY >= 113 ? 456 : 376];
    FAKE_IF(FAKE_FAMILY >= 109, int32_t) proto_enable;)

/* The lock for asynchronous progress has an owner and a count where assertions test it. */
FAKE_STRUCT(ucp_worker_t,
    uint64_t flags;
    unsigned char async[!FAKE_ASSERT || FAKE_FAMILY < 111 ? 80 : FAKE_FAMILY < 118 ? 96 : 104];
    uint64_t context, uuid;
    FAKE_IF(FAKE_FAMILY >= 112, uint64_t) client_id;
    uint64_t uct;
    FAKE_NAME(ucs_mpool_t) req_mp;
    unsigned char pools[FAKE_FAMILY >= 119 ? 216 : FAKE_FAMILY >= 112 ? 208 : FAKE_FAMILY >= 110 ? 168 : 144];
    FAKE_IF(FAKE_FAMILY >= 111, uint32_t) num_all_eps;
    FAKE_NAME(ucs_list_link_t) all_eps;
    unsigned char more[FAKE_FAMILY >= 112 ? 496 : FAKE_FAMILY >= 110 ? 184 : 104];
    FAKE_NAME(ucp_tag_match_t) tm;
    unsigned char rest[7000];)
FAKE_STRUCT(ucp_ep_t,
    uint64_t worker;
    unsigned char rest[72];)
FAKE_STRUCT(ucp_dt_generic_t, uint64_t context, operations[6];)
FAKE_STRUCT(ucp_proto_config_t,
    FAKE_IF(FAKE_FAMILY >= 110, uint64_t) proto, priv;
    FAKE_IF(FAKE_FAMILY >= 113, FAKE_EITHER(FAKE_FAMILY >= 122, uint16_t, uint8_t)) endpoint_config, key_config;
    FAKE_IF(FAKE_FAMILY >= 110, uint8_t) operation, rest[15];)
FAKE_STRUCT(ucp_recv_desc_t,
    FAKE_NAME(ucs_list_link_t) tag_list[2];
    uint32_t length, payload_offset;
    uint16_t flags;
    int16_t private_length;
    FAKE_IF(FAKE_DEBUG_DATA && FAKE_FAMILY >= 112, uint64_t) name;
    uint64_t end[0];)

/* Headers. They are packed, which changes nothing: all members have 8 bytes. */
typedef struct {
    uint64_t tag;
} FAKE_NAME(ucp_tag_hdr_t), FAKE_NAME(ucp_eager_hdr_t);

FAKE_STRUCT(ucp_eager_first_hdr_t, uint64_t tag, total_len, msg_id;)
FAKE_STRUCT(ucp_eager_sync_hdr_t, uint64_t tag, ep, request;)
FAKE_STRUCT(ucp_eager_sync_first_hdr_t, uint64_t tag, total_len, msg_id, ep, request;)
FAKE_STRUCT(ucp_rndv_rts_hdr_t,
    FAKE_IF(FAKE_FAMILY != 110, uint64_t) tag;
    uint64_t ep, request, address, size;)

/*
 * The place in the data of a send or a receive: since 1.10 in sends, since 1.16 in receives. It is contiguous, generic,
 * or a vector, which takes the most room.
 */
#define FAKE_ITERATOR(present, kind, length, offset, buffer, start, count, datatype) \
    struct { \
        FAKE_IF(present, int32_t) kind; \
        FAKE_IF(present, uint64_t) length, offset; \
        union { \
            FAKE_IF(present, uint64_t) buffer; \
            struct { \
                FAKE_IF((present) && FAKE_FAMILY >= 114, uint64_t) start, count; \
                FAKE_IF(present, uint64_t) datatype; \
            }; \
            FAKE_IF(present, uint64_t) \
            offset##_vector[FAKE_FAMILY < 113 ? 6 : FAKE_ASSERT || FAKE_FAMILY >= 122 ? 5 : 4]; \
        }; \
    };

FAKE_STRUCT(ucp_datatype_iter_t,
    FAKE_ITERATOR(FAKE_FAMILY >= 110, dt_class, length, offset, buffer, generic_buffer, generic_count, generic_datatype))

typedef struct {
    int8_t status;
    FAKE_EITHER(FAKE_FAMILY >= 107, uint32_t, uint16_t) flags;
    FAKE_IF(FAKE_FAMILY >= 111, uint64_t) id;
    FAKE_IF(FAKE_FAMILY >= 109, uint64_t) super_req;
    union {
        struct {
            uint64_t send_ep, send_buffer, send_datatype, send_length;
            FAKE_IF(FAKE_FAMILY < 110, uint64_t) send_memory_type;
            uint64_t send_cb;
            FAKE_IF(FAKE_FAMILY >= 111, uint64_t) send_list[2];
            FAKE_IF(FAKE_FAMILY >= 110, uint64_t) send_proto;
            FAKE_ITERATOR(FAKE_FAMILY >= 110, send_iter_class, send_iter_length, send_iter_offset, send_iter_buffer,
                          send_iter_start, send_iter_count, send_iter_generic)
            FAKE_IF(FAKE_FAMILY >= 110, uint64_t) send_completion[2];
            union {
                struct {
                    FAKE_IF(FAKE_FAMILY >= 110, uint64_t) send_message_id;
                    FAKE_IF(FAKE_FAMILY == 110, uint64_t) send_request_id;
                    uint64_t send_tag;
                };
                uint64_t send_other[FAKE_FAMILY >= 122 ? 8 : FAKE_FAMILY == 110 ? 6 : 7];
            };
            FAKE_IF(FAKE_FAMILY < 110, uint64_t) send_state[8];
            uint8_t send_lanes[5];
            uint64_t send_transport[FAKE_FAMILY == 110 ? 6 : 5];
        };
        struct {
            FAKE_IF(FAKE_FAMILY >= 116, uint32_t) recv_op_attr;
#if FAKE_FAMILY >= 116
            FAKE_ITERATOR(1, recv_iter_class, recv_length, recv_iter_offset, recv_buffer, recv_iter_start,
                          recv_iter_count, recv_iter_generic)
            struct fake_absent recv_datatype;
#else
            FAKE_NAME(ucs_queue_elem_t) recv_queue;
            uint64_t recv_buffer, recv_datatype, recv_length;
            uint32_t recv_memory_type;
            uint64_t recv_state[6];
            struct fake_absent recv_iter_class, recv_iter_offset, recv_iter_start, recv_iter_count, recv_iter_generic;
#endif
            uint64_t recv_worker, recv_transport[7];
#if FAKE_FAMILY >= 116
            FAKE_NAME(ucs_queue_elem_t) recv_queue;
#endif
            FAKE_IF(FAKE_FAMILY >= 110 && FAKE_FAMILY < 116, uint64_t) recv_remaining;
            FAKE_IF(FAKE_FAMILY >= 110, uint64_t) recv_remote_id;
            FAKE_IF(FAKE_DEBUG_DATA && FAKE_FAMILY >= 112, uint64_t) recv_protocol[FAKE_FAMILY >= 117 ? 2 : 1];
            uint64_t recv_tag, recv_tag_mask, recv_sn, recv_cb, recv_sender_tag, recv_info_length, recv_rdesc;
            FAKE_IF(FAKE_FAMILY < 110, uint64_t) recv_left;
            uint64_t recv_iface;
        };
    };
} FAKE_NAME(ucp_request_t);

#define FAKE_CONSTANT(name, present, value) [MQD_CONSTANT_##name] = { present, (present) ? value : 0 },
static const struct mqd_constant FAKE_NAME(constants)[MQD_N_CONSTANTS] = {
    FAKE_CONSTANT(ucx_hash_size, 1, 1021)
    FAKE_CONSTANT(ucx_ok, 1, 0)
    FAKE_CONSTANT(ucx_truncated, 1, -9)
    FAKE_CONSTANT(ucx_cancelled, 1, -16)
    FAKE_CONSTANT(ucx_completed, 1, 1 << 0)
    FAKE_CONSTANT(ucx_released, 1, 1 << 1)
    FAKE_CONSTANT(ucx_proto_send, FAKE_FAMILY >= 112, 1 << 2)
    FAKE_CONSTANT(ucx_expected, FAKE_FAMILY < 112, 1 << 3)
    FAKE_CONSTANT(ucx_local_completed, 1, 1 << 4)
    FAKE_CONSTANT(ucx_remote_completed, 1, 1 << 5)
    FAKE_CONSTANT(ucx_callback, 1, 1 << 6)
    FAKE_CONSTANT(ucx_recv, FAKE_FAMILY < 110, 1 << 7)
    FAKE_CONSTANT(ucx_sync, 1, 1 << 8)
    FAKE_CONSTANT(ucx_send_tag, FAKE_FAMILY >= 107, 1 << 14)
    FAKE_CONSTANT(ucx_recv_tag, FAKE_FAMILY >= 110, 1 << 17)
    FAKE_CONSTANT(ucx_desc_eager, 1, 1 << 1)
    FAKE_CONSTANT(ucx_desc_eager_only, 1, 1 << 2)
    FAKE_CONSTANT(ucx_desc_eager_sync, 1, 1 << 3)
    FAKE_CONSTANT(ucx_desc_eager_offload, 1, 1 << 4)
    FAKE_CONSTANT(ucx_desc_rndv, 1, FAKE_FAMILY >= 109 ? 1 << 6 : 1 << 5)
    FAKE_CONSTANT(ucx_list_hash, 1, 0)
    FAKE_CONSTANT(ucx_list_all, 1, 1)
    FAKE_CONSTANT(ucx_generic, 1, 7)
    FAKE_CONSTANT(ucx_class_mask, 1, 7)
    FAKE_CONSTANT(ucx_operation_sync, FAKE_FAMILY >= 110, 1)
    FAKE_CONSTANT(ucx_operation_flags, FAKE_FAMILY >= 112, FAKE_FAMILY >= 115 ? 1 << 4 : 1 << 5)
};
