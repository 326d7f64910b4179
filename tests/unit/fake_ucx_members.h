/*
 * fake_ucx_members.h - the types, members and constants of UCX that tests write, by the names of ucx.def.
 *
 *   FAKE_UCX_TYPE(TYPE)
 *   FAKE_UCX_MEMBER(TYPE, MEMBER, WAY)     follows its type; WAY is the member in fake_ucx_mirror.h
 *   FAKE_UCX_NO_MEMBER(TYPE, MEMBER)       the family FAKE_UCX_FAMILY does not have it
 *   FAKE_UCX_CONSTANT(NAME, VALUE)
 *   FAKE_UCX_NO_CONSTANT(NAME)
 */

FAKE_UCX_TYPE(ucs_list_link_t)
FAKE_UCX_MEMBER(ucs_list_link_t, prev, prev)
FAKE_UCX_MEMBER(ucs_list_link_t, next, next)

FAKE_UCX_TYPE(ucs_queue_elem_t)
FAKE_UCX_MEMBER(ucs_queue_elem_t, next, next)

FAKE_UCX_TYPE(ucs_queue_head_t)
FAKE_UCX_MEMBER(ucs_queue_head_t, head, head)
FAKE_UCX_MEMBER(ucs_queue_head_t, ptail, ptail)

FAKE_UCX_TYPE(ucs_mpool_elem_t)
FAKE_UCX_MEMBER(ucs_mpool_elem_t, next, next)
FAKE_UCX_MEMBER(ucs_mpool_elem_t, mpool, mpool)

FAKE_UCX_TYPE(ucs_mpool_chunk_t)
FAKE_UCX_MEMBER(ucs_mpool_chunk_t, next, next)
FAKE_UCX_MEMBER(ucs_mpool_chunk_t, elems, elems)
FAKE_UCX_MEMBER(ucs_mpool_chunk_t, num_elems, num_elems)

FAKE_UCX_TYPE(ucs_mpool_data_t)
FAKE_UCX_MEMBER(ucs_mpool_data_t, elem_size, elem_size)
FAKE_UCX_MEMBER(ucs_mpool_data_t, alignment, alignment)
FAKE_UCX_MEMBER(ucs_mpool_data_t, align_offset, align_offset)
FAKE_UCX_MEMBER(ucs_mpool_data_t, elems_per_chunk, elems_per_chunk)
FAKE_UCX_MEMBER(ucs_mpool_data_t, quota, quota)
FAKE_UCX_MEMBER(ucs_mpool_data_t, chunks, chunks)
FAKE_UCX_MEMBER(ucs_mpool_data_t, ops, ops)
FAKE_UCX_MEMBER(ucs_mpool_data_t, name, name)

FAKE_UCX_TYPE(ucs_mpool_t)
FAKE_UCX_MEMBER(ucs_mpool_t, freelist, freelist)
FAKE_UCX_MEMBER(ucs_mpool_t, data, data)

FAKE_UCX_TYPE(ucp_request_queue_t)
FAKE_UCX_MEMBER(ucp_request_queue_t, queue, queue)
FAKE_UCX_MEMBER(ucp_request_queue_t, sw_count, sw_count)
FAKE_UCX_MEMBER(ucp_request_queue_t, block_count, block_count)

FAKE_UCX_TYPE(ucp_tag_match_t)
FAKE_UCX_MEMBER(ucp_tag_match_t, wildcard, wildcard)
FAKE_UCX_MEMBER(ucp_tag_match_t, expected_hash, expected_hash)
FAKE_UCX_MEMBER(ucp_tag_match_t, expected_sn, expected_sn)
FAKE_UCX_MEMBER(ucp_tag_match_t, sw_all_count, sw_all_count)
FAKE_UCX_MEMBER(ucp_tag_match_t, unexpected_all, unexpected_all)
FAKE_UCX_MEMBER(ucp_tag_match_t, unexpected_hash, unexpected_hash)
FAKE_UCX_MEMBER(ucp_tag_match_t, offload_ifaces, tag_hash.n)
FAKE_UCX_MEMBER(ucp_tag_match_t, offload_iface, iface)

FAKE_UCX_TYPE(ucp_context_t)
FAKE_UCX_MEMBER(ucp_context_t, features, features)
FAKE_UCX_MEMBER(ucp_context_t, tag_sender_mask, tag_sender_mask)
FAKE_UCX_MEMBER(ucp_context_t, request_size, request.size)
FAKE_UCX_MEMBER(ucp_context_t, request_init, request.init)

FAKE_UCX_TYPE(ucp_worker_t)
FAKE_UCX_MEMBER(ucp_worker_t, context, context)
FAKE_UCX_MEMBER(ucp_worker_t, uuid, uuid)
FAKE_UCX_MEMBER(ucp_worker_t, req_mp, req_mp)
FAKE_UCX_MEMBER(ucp_worker_t, tm, tm)

FAKE_UCX_TYPE(ucp_ep_t)
FAKE_UCX_MEMBER(ucp_ep_t, worker, worker)

FAKE_UCX_TYPE(ucp_dt_generic_t)
FAKE_UCX_MEMBER(ucp_dt_generic_t, context, context)

FAKE_UCX_TYPE(ucp_proto_config_t)
#if FAKE_UCX_FAMILY >= 110
FAKE_UCX_MEMBER(ucp_proto_config_t, operation, operation)
#else
FAKE_UCX_NO_MEMBER(ucp_proto_config_t, operation)
#endif

FAKE_UCX_TYPE(ucp_recv_desc_t)
FAKE_UCX_MEMBER(ucp_recv_desc_t, tag_list, tag_list)
FAKE_UCX_MEMBER(ucp_recv_desc_t, length, length)
FAKE_UCX_MEMBER(ucp_recv_desc_t, payload_offset, payload_offset)
FAKE_UCX_MEMBER(ucp_recv_desc_t, flags, flags)

FAKE_UCX_TYPE(ucp_tag_hdr_t)
FAKE_UCX_MEMBER(ucp_tag_hdr_t, tag, tag)

FAKE_UCX_TYPE(ucp_eager_hdr_t)
FAKE_UCX_MEMBER(ucp_eager_hdr_t, tag, tag)

FAKE_UCX_TYPE(ucp_eager_first_hdr_t)
FAKE_UCX_MEMBER(ucp_eager_first_hdr_t, tag, tag)
FAKE_UCX_MEMBER(ucp_eager_first_hdr_t, total_len, total_len)
FAKE_UCX_MEMBER(ucp_eager_first_hdr_t, msg_id, msg_id)

FAKE_UCX_TYPE(ucp_eager_sync_hdr_t)
FAKE_UCX_MEMBER(ucp_eager_sync_hdr_t, tag, tag)
FAKE_UCX_MEMBER(ucp_eager_sync_hdr_t, ep, req.ep)
FAKE_UCX_MEMBER(ucp_eager_sync_hdr_t, request, req.id)

FAKE_UCX_TYPE(ucp_eager_sync_first_hdr_t)
FAKE_UCX_MEMBER(ucp_eager_sync_first_hdr_t, tag, super.tag)
FAKE_UCX_MEMBER(ucp_eager_sync_first_hdr_t, total_len, super.total_len)
FAKE_UCX_MEMBER(ucp_eager_sync_first_hdr_t, msg_id, super.msg_id)
FAKE_UCX_MEMBER(ucp_eager_sync_first_hdr_t, ep, req.ep)
FAKE_UCX_MEMBER(ucp_eager_sync_first_hdr_t, request, req.id)

FAKE_UCX_TYPE(ucp_rndv_rts_hdr_t)
#if FAKE_UCX_FAMILY == 110
FAKE_UCX_NO_MEMBER(ucp_rndv_rts_hdr_t, tag)
#else
FAKE_UCX_MEMBER(ucp_rndv_rts_hdr_t, tag, tag)
#endif
FAKE_UCX_MEMBER(ucp_rndv_rts_hdr_t, ep, req.ep)
FAKE_UCX_MEMBER(ucp_rndv_rts_hdr_t, request, req.id)
FAKE_UCX_MEMBER(ucp_rndv_rts_hdr_t, address, address)
FAKE_UCX_MEMBER(ucp_rndv_rts_hdr_t, size, size)

FAKE_UCX_TYPE(ucp_request_t)
FAKE_UCX_MEMBER(ucp_request_t, status, status)
FAKE_UCX_MEMBER(ucp_request_t, flags, flags)
FAKE_UCX_MEMBER(ucp_request_t, send_ep, send.ep)
FAKE_UCX_MEMBER(ucp_request_t, send_buffer, send.buffer)
FAKE_UCX_MEMBER(ucp_request_t, send_datatype, send.datatype)
FAKE_UCX_MEMBER(ucp_request_t, send_length, send.length)
FAKE_UCX_MEMBER(ucp_request_t, send_cb, send.cb)
FAKE_UCX_MEMBER(ucp_request_t, send_tag, send.as.message.tag)
#if FAKE_UCX_FAMILY >= 110
FAKE_UCX_MEMBER(ucp_request_t, send_proto, send.proto)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_class, send.iter.kind)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_length, send.iter.length)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_offset, send.iter.offset)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_buffer, send.iter.as.contiguous.buffer)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_generic, send.iter.as.generic.datatype)
#else
FAKE_UCX_NO_MEMBER(ucp_request_t, send_proto)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_class)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_length)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_offset)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_buffer)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_generic)
#endif
#if FAKE_UCX_FAMILY >= 114
FAKE_UCX_MEMBER(ucp_request_t, send_iter_start, send.iter.as.generic.buffer)
FAKE_UCX_MEMBER(ucp_request_t, send_iter_count, send.iter.as.generic.count)
#else
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_start)
FAKE_UCX_NO_MEMBER(ucp_request_t, send_iter_count)
#endif
FAKE_UCX_MEMBER(ucp_request_t, recv_queue, recv.queue)
#if FAKE_UCX_FAMILY >= 116
FAKE_UCX_MEMBER(ucp_request_t, recv_buffer, recv.iter.as.contiguous.buffer)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_datatype)
FAKE_UCX_MEMBER(ucp_request_t, recv_length, recv.iter.length)
FAKE_UCX_MEMBER(ucp_request_t, recv_iter_class, recv.iter.kind)
FAKE_UCX_MEMBER(ucp_request_t, recv_iter_offset, recv.iter.offset)
FAKE_UCX_MEMBER(ucp_request_t, recv_iter_generic, recv.iter.as.generic.datatype)
FAKE_UCX_MEMBER(ucp_request_t, recv_iter_start, recv.iter.as.generic.buffer)
FAKE_UCX_MEMBER(ucp_request_t, recv_iter_count, recv.iter.as.generic.count)
#else
FAKE_UCX_MEMBER(ucp_request_t, recv_buffer, recv.buffer)
FAKE_UCX_MEMBER(ucp_request_t, recv_datatype, recv.datatype)
FAKE_UCX_MEMBER(ucp_request_t, recv_length, recv.length)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_iter_class)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_iter_offset)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_iter_generic)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_iter_start)
FAKE_UCX_NO_MEMBER(ucp_request_t, recv_iter_count)
#endif
FAKE_UCX_MEMBER(ucp_request_t, recv_worker, recv.worker)
FAKE_UCX_MEMBER(ucp_request_t, recv_tag, recv.tag.tag)
FAKE_UCX_MEMBER(ucp_request_t, recv_tag_mask, recv.tag.mask)
FAKE_UCX_MEMBER(ucp_request_t, recv_sn, recv.tag.sn)
FAKE_UCX_MEMBER(ucp_request_t, recv_cb, recv.tag.cb)
FAKE_UCX_MEMBER(ucp_request_t, recv_sender_tag, recv.tag.sender_tag)
FAKE_UCX_MEMBER(ucp_request_t, recv_info_length, recv.tag.length)

FAKE_UCX_CONSTANT(ucx_completed, 1 << 0)
FAKE_UCX_CONSTANT(ucx_released, 1 << 1)
#if FAKE_UCX_FAMILY < 112
FAKE_UCX_CONSTANT(ucx_expected, 1 << 3)
#else
FAKE_UCX_NO_CONSTANT(ucx_expected)
#endif
FAKE_UCX_CONSTANT(ucx_local_completed, 1 << 4)
FAKE_UCX_CONSTANT(ucx_remote_completed, 1 << 5)
FAKE_UCX_CONSTANT(ucx_callback, 1 << 6)
FAKE_UCX_CONSTANT(ucx_sync, 1 << 8)
FAKE_UCX_CONSTANT(ucx_offloaded, 1 << 10)
#if FAKE_UCX_FAMILY >= 107
FAKE_UCX_CONSTANT(ucx_send_tag, 1 << 14)
#else
FAKE_UCX_NO_CONSTANT(ucx_send_tag)
#endif
#if FAKE_UCX_FAMILY >= 110
FAKE_UCX_NO_CONSTANT(ucx_recv)
FAKE_UCX_CONSTANT(ucx_recv_tag, 1 << 17)
#else
FAKE_UCX_CONSTANT(ucx_recv, 1 << 7)
FAKE_UCX_NO_CONSTANT(ucx_recv_tag)
#endif
#if FAKE_UCX_FAMILY >= 112
FAKE_UCX_CONSTANT(ucx_proto_send, 1 << 2)
#else
FAKE_UCX_NO_CONSTANT(ucx_proto_send)
#endif
#if FAKE_UCX_FAMILY >= 110
FAKE_UCX_CONSTANT(ucx_proto_initialised, 1 << 7)
FAKE_UCX_CONSTANT(ucx_operation_sync, 1)
#else
FAKE_UCX_NO_CONSTANT(ucx_proto_initialised)
FAKE_UCX_NO_CONSTANT(ucx_operation_sync)
#endif
#if FAKE_UCX_FAMILY >= 114
FAKE_UCX_CONSTANT(ucx_operation_flags, 1 << 4)
#elif FAKE_UCX_FAMILY >= 113
FAKE_UCX_CONSTANT(ucx_operation_flags, 1 << 5)
#else
FAKE_UCX_NO_CONSTANT(ucx_operation_flags)
#endif
FAKE_UCX_CONSTANT(ucx_desc_eager, 1 << 1)
FAKE_UCX_CONSTANT(ucx_desc_eager_only, 1 << 2)
FAKE_UCX_CONSTANT(ucx_desc_eager_sync, 1 << 3)
FAKE_UCX_CONSTANT(ucx_desc_eager_offload, 1 << 4)
#if FAKE_UCX_FAMILY >= 108
FAKE_UCX_CONSTANT(ucx_desc_rndv, 1 << 6)
#else
FAKE_UCX_CONSTANT(ucx_desc_rndv, 1 << 5)
#endif
