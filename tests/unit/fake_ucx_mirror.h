/*
 * fake_ucx_mirror.h - UCX's structures as a family of releases and a variant have them, for 64-bit machines.
 *
 * A template, as fake_mirror.h is for Open MPI: fake_ucx_define.h includes it once for each build, with
 *   FAKE_UCX_FAMILY       1.13: 113
 *   FAKE_UCX_ASSERT       1: assertions are compiled in
 *   FAKE_UCX_DEBUG_DATA   1: so are data for debugging
 * Members that no test needs are arrays of the right size.
 */

typedef struct {
    uint64_t prev, next;
} FAKE_UCX_NAME(ucs_list_link_t);

typedef struct {
    uint64_t next;
} FAKE_UCX_NAME(ucs_queue_elem_t);

typedef struct {
    uint64_t head, ptail;
} FAKE_UCX_NAME(ucs_queue_head_t);

typedef union {
    uint64_t next, mpool;
} FAKE_UCX_NAME(ucs_mpool_elem_t);

typedef struct {
    uint64_t next, elems;
    uint32_t num_elems;
} FAKE_UCX_NAME(ucs_mpool_chunk_t);

typedef struct {
#if FAKE_UCX_FAMILY >= 112
    uint64_t elem_size, alignment, align_offset;
#else
    uint32_t elem_size, alignment, align_offset;
#endif
#if FAKE_UCX_FAMILY >= 114
    double grow_factor;
    uint64_t max_chunk_size;
#endif
    uint32_t elems_per_chunk, quota;
#if FAKE_UCX_FAMILY >= 114
    int32_t malloc_safe;
#endif
    uint64_t tail, chunks, ops, name;
} FAKE_UCX_NAME(ucs_mpool_data_t);

typedef struct {
    uint64_t freelist, data;
} FAKE_UCX_NAME(ucs_mpool_t);

typedef struct {
    FAKE_UCX_NAME(ucs_queue_head_t) queue;
    uint32_t sw_count, block_count;
} FAKE_UCX_NAME(ucp_request_queue_t);

/* khash: sizes, then pointers to flags, keys and values. */
typedef struct {
    uint32_t n_buckets, n, n_occupied, upper_bound;
    uint64_t flags, keys, values;
} FAKE_UCX_NAME(khash);

typedef struct {
    FAKE_UCX_NAME(ucp_request_queue_t) wildcard;
    uint64_t expected_hash, expected_sn;
    uint32_t sw_all_count;
    FAKE_UCX_NAME(ucs_list_link_t) unexpected_all;
    uint64_t unexpected_hash;
    FAKE_UCX_NAME(khash) fragments;
    FAKE_UCX_NAME(ucs_queue_head_t) sync_reqs;
    FAKE_UCX_NAME(khash) tag_hash;
    uint64_t iface, thresholds[FAKE_UCX_FAMILY >= 107 ? 2 : 3];
} FAKE_UCX_NAME(ucp_tag_match_t);

typedef struct {
#if FAKE_UCX_FAMILY >= 122
    unsigned char resources[536];
#elif FAKE_UCX_FAMILY >= 118
    unsigned char resources[496];
#elif FAKE_UCX_FAMILY >= 113
    unsigned char resources[144];
#elif FAKE_UCX_FAMILY >= 110
    unsigned char resources[112];
#else
    unsigned char resources[104];
#endif
    uint64_t features, tag_sender_mask;
    /* How many endpoints are expected, and how many on a node; since 1.22 something more. */
    int32_t expected[FAKE_UCX_FAMILY >= 122 ? 4 : 2];
    struct {
        uint64_t size, init, cleanup;
    } request;
    unsigned char rest[128];
} FAKE_UCX_NAME(ucp_context_t);

/* The lock for asynchronous progress has an owner and a count where assertions test it. */
typedef struct {
    uint64_t flags;
    unsigned char async[80 + (FAKE_UCX_ASSERT && FAKE_UCX_FAMILY >= 111 ? 16 : 0)
                        + (FAKE_UCX_ASSERT && FAKE_UCX_FAMILY >= 118 ? 8 : 0)];
    uint64_t context, uuid;
#if FAKE_UCX_FAMILY >= 112
    uint64_t client_id;
#endif
    uint64_t uct;
    FAKE_UCX_NAME(ucs_mpool_t) req_mp;
#if FAKE_UCX_FAMILY >= 119
    unsigned char between[736];
#elif FAKE_UCX_FAMILY >= 112
    unsigned char between[728];
#elif FAKE_UCX_FAMILY >= 110
    unsigned char between[368];
#else
    unsigned char between[264];
#endif
    FAKE_UCX_NAME(ucp_tag_match_t) tm;
    unsigned char rest[7000];
} FAKE_UCX_NAME(ucp_worker_t);

typedef struct {
    uint64_t worker;
    unsigned char rest[72];
} FAKE_UCX_NAME(ucp_ep_t);

typedef struct {
    uint64_t context, operations[6];
} FAKE_UCX_NAME(ucp_dt_generic_t);

typedef struct {
    uint64_t proto, priv;
#if FAKE_UCX_FAMILY >= 122
    uint16_t endpoint_config, key_config;
#elif FAKE_UCX_FAMILY >= 113
    uint8_t endpoint_config, key_config;
#endif
    uint8_t operation, rest[15];
} FAKE_UCX_NAME(ucp_proto_config_t);

typedef struct {
    FAKE_UCX_NAME(ucs_list_link_t) tag_list[2];
    uint32_t length, payload_offset;
    uint16_t flags;
    int16_t private_length;
#if FAKE_UCX_DEBUG_DATA && FAKE_UCX_FAMILY >= 112
    uint64_t name;
#endif
    uint64_t end[0];
} FAKE_UCX_NAME(ucp_recv_desc_t);

/* Headers. They are packed, which changes nothing: all members have 8 bytes. */
typedef struct {
    uint64_t tag;
} FAKE_UCX_NAME(ucp_tag_hdr_t);

typedef struct {
    uint64_t tag;
} FAKE_UCX_NAME(ucp_eager_hdr_t);

typedef struct {
    uint64_t tag, total_len, msg_id;
} FAKE_UCX_NAME(ucp_eager_first_hdr_t);

typedef struct {
    uint64_t ep, id;
} FAKE_UCX_NAME(ucp_request_hdr_t);

typedef struct {
    uint64_t tag;
    FAKE_UCX_NAME(ucp_request_hdr_t) req;
} FAKE_UCX_NAME(ucp_eager_sync_hdr_t);

typedef struct {
    FAKE_UCX_NAME(ucp_eager_first_hdr_t) super;
    FAKE_UCX_NAME(ucp_request_hdr_t) req;
} FAKE_UCX_NAME(ucp_eager_sync_first_hdr_t);

typedef struct {
#if FAKE_UCX_FAMILY != 110
    uint64_t tag;
#endif
    FAKE_UCX_NAME(ucp_request_hdr_t) req;
    uint64_t address, size;
} FAKE_UCX_NAME(ucp_rndv_rts_hdr_t);

/* The place in the data of a send or a receive: since 1.10 in sends, since 1.16 in receives. */
typedef struct {
    int32_t kind;
    uint8_t memory[4];
    uint64_t length, offset;
    union {
        struct {
            uint64_t buffer, memory;
        } contiguous;
        struct {
#if FAKE_UCX_FAMILY >= 114
            uint64_t buffer, count;
#endif
            uint64_t datatype, state;
        } generic;
        uint64_t vector[4 + ((FAKE_UCX_ASSERT && FAKE_UCX_FAMILY >= 113) || FAKE_UCX_FAMILY >= 122
                             || FAKE_UCX_FAMILY == 110)];
    } as;
} FAKE_UCX_NAME(ucp_datatype_iter_t);

typedef struct {
    int8_t status;
#if FAKE_UCX_FAMILY >= 107
    uint32_t flags;
#else
    uint16_t flags;
#endif
#if FAKE_UCX_FAMILY >= 111
    uint64_t id;
#endif
#if FAKE_UCX_FAMILY >= 109
    uint64_t super_req;
#endif
    union {
        struct {
            uint64_t ep, buffer, datatype, length;
#if FAKE_UCX_FAMILY < 110
            uint64_t memory_type;
#endif
            uint64_t cb;
#if FAKE_UCX_FAMILY >= 111
            uint64_t list[2];
#endif
#if FAKE_UCX_FAMILY >= 110
            uint64_t proto;
            FAKE_UCX_NAME(ucp_datatype_iter_t) iter;
            uint64_t completion[FAKE_UCX_FAMILY >= 111 ? 2 : 3];
#endif
            union {
                struct {
#if FAKE_UCX_FAMILY >= 110
                    uint64_t message_id;
#endif
#if FAKE_UCX_FAMILY == 110
                    uint64_t request_id;
#endif
                    uint64_t tag;
                } message;
                uint64_t other[FAKE_UCX_FAMILY >= 122 ? 8 : FAKE_UCX_FAMILY == 110 ? 6 : 7];
            } as;
#if FAKE_UCX_FAMILY < 110
            uint64_t state[8];
#endif
            uint8_t lanes[5];
            uint64_t transport[FAKE_UCX_FAMILY == 110 ? 6 : 5];
        } send;
        struct {
#if FAKE_UCX_FAMILY >= 116
            uint32_t op_attr;
            FAKE_UCX_NAME(ucp_datatype_iter_t) iter;
#else
            FAKE_UCX_NAME(ucs_queue_elem_t) queue;
            uint64_t buffer, datatype, length;
            uint32_t memory_type;
            uint64_t state[6];
#endif
            uint64_t worker, transport[7];
#if FAKE_UCX_FAMILY >= 116
            FAKE_UCX_NAME(ucs_queue_elem_t) queue;
            uint64_t remote_id;
#elif FAKE_UCX_FAMILY >= 110
            uint64_t remaining, remote_id;
#endif
#if FAKE_UCX_DEBUG_DATA && FAKE_UCX_FAMILY >= 112
            uint64_t protocol[FAKE_UCX_FAMILY >= 117 ? 2 : 1];
#endif
            struct {
                uint64_t tag, mask, sn, cb, sender_tag, length, rdesc;
#if FAKE_UCX_FAMILY < 110
                uint64_t remaining;
#endif
                uint64_t iface;
            } tag;
        } recv;
    };
} FAKE_UCX_NAME(ucp_request_t);
