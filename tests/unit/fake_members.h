/*
 * fake_members.h - the types and members of fake_mirror.h that tests write, or that a debugger is asked for.
 *
 *   FAKE_TYPE(TYPE, CLASS)       CLASS is class if Open MPI keeps a descriptor TYPE_class of it, else plain
 *   FAKE_MEMBER(TYPE, MEMBER)    follows its FAKE_TYPE
 *   FAKE_NESTED(TYPE, MEMBER, WAY)   the same, of a member that lies in WAY
 *   FAKE_NO_TYPE, FAKE_NO_MEMBER what the family FAKE_FAMILY does not have
 */

FAKE_TYPE(opal_class_t, plain)
FAKE_MEMBER(opal_class_t, cls_name)
FAKE_MEMBER(opal_class_t, cls_parent)
FAKE_MEMBER(opal_class_t, cls_initialized)
FAKE_MEMBER(opal_class_t, cls_depth)
FAKE_MEMBER(opal_class_t, cls_sizeof)

FAKE_TYPE(opal_object_t, class)
FAKE_MEMBER(opal_object_t, obj_class)
FAKE_MEMBER(opal_object_t, obj_reference_count)

FAKE_TYPE(opal_list_item_t, class)
FAKE_MEMBER(opal_list_item_t, super)
FAKE_MEMBER(opal_list_item_t, opal_list_next)
FAKE_MEMBER(opal_list_item_t, opal_list_prev)
FAKE_MEMBER(opal_list_item_t, item_free)

FAKE_TYPE(opal_list_t, class)
FAKE_MEMBER(opal_list_t, super)
FAKE_MEMBER(opal_list_t, opal_list_sentinel)
FAKE_MEMBER(opal_list_t, opal_list_length)

FAKE_TYPE(opal_lifo_t, class)
FAKE_MEMBER(opal_lifo_t, super)
FAKE_MEMBER(opal_lifo_t, opal_lifo_head_counter)
FAKE_MEMBER(opal_lifo_t, opal_lifo_head_item)
FAKE_MEMBER(opal_lifo_t, opal_lifo_ghost)

FAKE_TYPE(opal_free_list_item_t, class)
FAKE_MEMBER(opal_free_list_item_t, super)
FAKE_MEMBER(opal_free_list_item_t, registration)
FAKE_MEMBER(opal_free_list_item_t, ptr)

FAKE_TYPE(opal_free_list_t, class)
FAKE_MEMBER(opal_free_list_t, super)
FAKE_MEMBER(opal_free_list_t, fl_max_to_alloc)
FAKE_MEMBER(opal_free_list_t, fl_num_allocated)
FAKE_MEMBER(opal_free_list_t, fl_num_per_alloc)
FAKE_MEMBER(opal_free_list_t, fl_num_waiting)
FAKE_MEMBER(opal_free_list_t, fl_frag_size)
FAKE_MEMBER(opal_free_list_t, fl_frag_alignment)
FAKE_MEMBER(opal_free_list_t, fl_payload_buffer_size)
FAKE_MEMBER(opal_free_list_t, fl_payload_buffer_alignment)
FAKE_MEMBER(opal_free_list_t, fl_frag_class)
FAKE_MEMBER(opal_free_list_t, fl_mpool)
FAKE_MEMBER(opal_free_list_t, fl_rcache)
FAKE_MEMBER(opal_free_list_t, fl_allocations)
FAKE_MEMBER(opal_free_list_t, ctx)

FAKE_TYPE(opal_pointer_array_t, class)
FAKE_MEMBER(opal_pointer_array_t, super)
FAKE_MEMBER(opal_pointer_array_t, lowest_free)
FAKE_MEMBER(opal_pointer_array_t, number_free)
FAKE_MEMBER(opal_pointer_array_t, size)
FAKE_MEMBER(opal_pointer_array_t, max_size)
FAKE_MEMBER(opal_pointer_array_t, block_size)
FAKE_MEMBER(opal_pointer_array_t, free_bits)
FAKE_MEMBER(opal_pointer_array_t, addr)

FAKE_TYPE(opal_process_name_t, plain)
FAKE_MEMBER(opal_process_name_t, jobid)
FAKE_MEMBER(opal_process_name_t, vpid)

FAKE_TYPE(opal_proc_t, class)
FAKE_MEMBER(opal_proc_t, super)
FAKE_MEMBER(opal_proc_t, proc_name)

FAKE_TYPE(ompi_proc_t, class)
FAKE_MEMBER(ompi_proc_t, super)
FAKE_NESTED(ompi_proc_t, endpoints, proc_endpoints[0])

FAKE_TYPE(ompi_group_sporadic_list_t, plain)
FAKE_MEMBER(ompi_group_sporadic_list_t, rank_first)
FAKE_MEMBER(ompi_group_sporadic_list_t, length)

FAKE_TYPE(ompi_group_sporadic_data_t, plain)
FAKE_MEMBER(ompi_group_sporadic_data_t, grp_sporadic_list)
FAKE_MEMBER(ompi_group_sporadic_data_t, grp_sporadic_list_len)

FAKE_TYPE(ompi_group_strided_data_t, plain)
FAKE_MEMBER(ompi_group_strided_data_t, grp_strided_offset)
FAKE_MEMBER(ompi_group_strided_data_t, grp_strided_stride)

FAKE_TYPE(ompi_group_bitmap_data_t, plain)
FAKE_MEMBER(ompi_group_bitmap_data_t, grp_bitmap_array)
FAKE_MEMBER(ompi_group_bitmap_data_t, grp_bitmap_array_len)

FAKE_TYPE(ompi_group_t, class)
FAKE_MEMBER(ompi_group_t, super)
FAKE_MEMBER(ompi_group_t, grp_proc_count)
FAKE_MEMBER(ompi_group_t, grp_my_rank)
FAKE_MEMBER(ompi_group_t, grp_f_to_c_index)
FAKE_MEMBER(ompi_group_t, grp_proc_pointers)
FAKE_MEMBER(ompi_group_t, grp_flags)
FAKE_MEMBER(ompi_group_t, grp_parent_group_ptr)
FAKE_MEMBER(ompi_group_t, sparse_data)

#if FAKE_FAMILY >= 500
FAKE_TYPE(ompi_comm_extended_cid_t, plain)
FAKE_MEMBER(ompi_comm_extended_cid_t, cid_base)
FAKE_MEMBER(ompi_comm_extended_cid_t, cid_sub)
#else
FAKE_NO_TYPE(ompi_comm_extended_cid_t, plain)
FAKE_NO_MEMBER(ompi_comm_extended_cid_t, cid_base)
FAKE_NO_MEMBER(ompi_comm_extended_cid_t, cid_sub)
#endif

FAKE_TYPE(ompi_communicator_t, class)
FAKE_MEMBER(ompi_communicator_t, super)
FAKE_MEMBER(ompi_communicator_t, c_name)
FAKE_MEMBER(ompi_communicator_t, c_contextid)
#if FAKE_FAMILY >= 500
FAKE_MEMBER(ompi_communicator_t, c_index)
#else
FAKE_NO_MEMBER(ompi_communicator_t, c_index)
#endif
#if FAKE_FAMILY >= 507
FAKE_MEMBER(ompi_communicator_t, c_index_vec)
#else
FAKE_NO_MEMBER(ompi_communicator_t, c_index_vec)
#endif
FAKE_MEMBER(ompi_communicator_t, c_my_rank)
FAKE_MEMBER(ompi_communicator_t, c_flags)
FAKE_MEMBER(ompi_communicator_t, c_assertions)
FAKE_MEMBER(ompi_communicator_t, c_local_group)
FAKE_MEMBER(ompi_communicator_t, c_remote_group)
FAKE_MEMBER(ompi_communicator_t, c_local_comm)
FAKE_MEMBER(ompi_communicator_t, c_f_to_c_index)
FAKE_MEMBER(ompi_communicator_t, c_pml_comm)
FAKE_MEMBER(ompi_communicator_t, c_coll)
#if FAKE_FAMILY >= 410
FAKE_MEMBER(ompi_communicator_t, c_nbc_tag)
#else
FAKE_NO_MEMBER(ompi_communicator_t, c_nbc_tag)
#endif

FAKE_TYPE(mca_base_component_t, plain)
FAKE_MEMBER(mca_base_component_t, mca_component_name)

FAKE_TYPE(opal_datatype_t, class)
FAKE_MEMBER(opal_datatype_t, super)
FAKE_MEMBER(opal_datatype_t, bdt_used)
FAKE_MEMBER(opal_datatype_t, size)
FAKE_MEMBER(opal_datatype_t, true_lb)
FAKE_MEMBER(opal_datatype_t, true_ub)
FAKE_MEMBER(opal_datatype_t, lb)
FAKE_MEMBER(opal_datatype_t, ub)
FAKE_MEMBER(opal_datatype_t, nbElems)
FAKE_MEMBER(opal_datatype_t, name)

FAKE_TYPE(ompi_datatype_t, class)
FAKE_MEMBER(ompi_datatype_t, super)
FAKE_MEMBER(ompi_datatype_t, d_f_to_c_index)
FAKE_MEMBER(ompi_datatype_t, pml_data)
FAKE_MEMBER(ompi_datatype_t, name)

FAKE_TYPE(opal_convertor_t, plain)
FAKE_MEMBER(opal_convertor_t, flags)
FAKE_MEMBER(opal_convertor_t, local_size)
FAKE_MEMBER(opal_convertor_t, count)
FAKE_MEMBER(opal_convertor_t, pBaseBuf)

FAKE_TYPE(ompi_status_public_t, plain)
FAKE_MEMBER(ompi_status_public_t, MPI_SOURCE)
FAKE_MEMBER(ompi_status_public_t, MPI_TAG)
FAKE_MEMBER(ompi_status_public_t, MPI_ERROR)
FAKE_MEMBER(ompi_status_public_t, _cancelled)
FAKE_MEMBER(ompi_status_public_t, _ucount)

FAKE_TYPE(ompi_mpi_object_t, plain)
FAKE_MEMBER(ompi_mpi_object_t, comm)

FAKE_TYPE(ompi_request_t, class)
FAKE_MEMBER(ompi_request_t, super)
FAKE_MEMBER(ompi_request_t, req_type)
FAKE_MEMBER(ompi_request_t, req_status)
FAKE_MEMBER(ompi_request_t, req_complete)
FAKE_MEMBER(ompi_request_t, req_state)
FAKE_MEMBER(ompi_request_t, req_persistent)
FAKE_MEMBER(ompi_request_t, req_f_to_c_index)
FAKE_MEMBER(ompi_request_t, req_free)
FAKE_MEMBER(ompi_request_t, req_complete_cb)
FAKE_MEMBER(ompi_request_t, req_complete_cb_data)
FAKE_MEMBER(ompi_request_t, req_mpi_object)

FAKE_TYPE(ompi_message_t, plain)
FAKE_MEMBER(ompi_message_t, super)
FAKE_MEMBER(ompi_message_t, m_f_to_c_index)
FAKE_MEMBER(ompi_message_t, comm)
FAKE_MEMBER(ompi_message_t, req_ptr)
FAKE_MEMBER(ompi_message_t, peer)
FAKE_MEMBER(ompi_message_t, count)

FAKE_TYPE(mca_pml_base_request_t, class)
FAKE_MEMBER(mca_pml_base_request_t, req_ompi)
FAKE_MEMBER(mca_pml_base_request_t, req_pml_complete)
FAKE_MEMBER(mca_pml_base_request_t, req_free_called)
FAKE_MEMBER(mca_pml_base_request_t, req_type)
FAKE_MEMBER(mca_pml_base_request_t, req_comm)
FAKE_MEMBER(mca_pml_base_request_t, req_datatype)
FAKE_MEMBER(mca_pml_base_request_t, req_convertor)
FAKE_MEMBER(mca_pml_base_request_t, req_addr)
FAKE_MEMBER(mca_pml_base_request_t, req_count)
FAKE_MEMBER(mca_pml_base_request_t, req_peer)
FAKE_MEMBER(mca_pml_base_request_t, req_tag)
FAKE_MEMBER(mca_pml_base_request_t, req_proc)
FAKE_MEMBER(mca_pml_base_request_t, req_sequence)

FAKE_TYPE(mca_pml_base_send_request_t, class)
FAKE_MEMBER(mca_pml_base_send_request_t, req_base)
FAKE_MEMBER(mca_pml_base_send_request_t, req_addr)
FAKE_MEMBER(mca_pml_base_send_request_t, req_bytes_packed)
FAKE_MEMBER(mca_pml_base_send_request_t, req_send_mode)

FAKE_TYPE(mca_pml_base_recv_request_t, class)
FAKE_MEMBER(mca_pml_base_recv_request_t, req_base)
FAKE_MEMBER(mca_pml_base_recv_request_t, req_bytes_packed)

FAKE_TYPE(opal_ptr_t, plain)
FAKE_MEMBER(opal_ptr_t, pval)

FAKE_TYPE(mca_pml_ob1_send_request_t, class)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_send)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_recv)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_state)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_lock)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_bytes_delivered)
FAKE_MEMBER(mca_pml_ob1_send_request_t, rdma_frag)
FAKE_MEMBER(mca_pml_ob1_send_request_t, req_pending)

FAKE_TYPE(mca_pml_ob1_recv_request_t, class)
FAKE_MEMBER(mca_pml_ob1_recv_request_t, req_recv)
FAKE_MEMBER(mca_pml_ob1_recv_request_t, req_bytes_received)
FAKE_MEMBER(mca_pml_ob1_recv_request_t, req_bytes_expected)
FAKE_MEMBER(mca_pml_ob1_recv_request_t, req_ack_sent)
FAKE_MEMBER(mca_pml_ob1_recv_request_t, req_match_received)

#if FAKE_CUSTOM
FAKE_TYPE(custom_match_prq_node, plain)
FAKE_MEMBER(custom_match_prq_node, next)
FAKE_MEMBER(custom_match_prq_node, value)
#else
FAKE_NO_TYPE(custom_match_prq_node, plain)
FAKE_NO_MEMBER(custom_match_prq_node, next)
FAKE_NO_MEMBER(custom_match_prq_node, value)
#endif
#if FAKE_CUSTOM > 1
FAKE_MEMBER(custom_match_prq_node, start)
FAKE_MEMBER(custom_match_prq_node, end)
#else
FAKE_NO_MEMBER(custom_match_prq_node, start)
FAKE_NO_MEMBER(custom_match_prq_node, end)
#endif

#if FAKE_CUSTOM
FAKE_TYPE(custom_match_prq, plain)
FAKE_MEMBER(custom_match_prq, head)
FAKE_MEMBER(custom_match_prq, size)
#else
FAKE_NO_TYPE(custom_match_prq, plain)
FAKE_NO_MEMBER(custom_match_prq, head)
FAKE_NO_MEMBER(custom_match_prq, size)
#endif

#if FAKE_CUSTOM
FAKE_TYPE(custom_match_umq_node, plain)
FAKE_MEMBER(custom_match_umq_node, next)
FAKE_MEMBER(custom_match_umq_node, value)
#else
FAKE_NO_TYPE(custom_match_umq_node, plain)
FAKE_NO_MEMBER(custom_match_umq_node, next)
FAKE_NO_MEMBER(custom_match_umq_node, value)
#endif
#if FAKE_CUSTOM > 1
FAKE_MEMBER(custom_match_umq_node, start)
FAKE_MEMBER(custom_match_umq_node, end)
#else
FAKE_NO_MEMBER(custom_match_umq_node, start)
FAKE_NO_MEMBER(custom_match_umq_node, end)
#endif

#if FAKE_CUSTOM
FAKE_TYPE(custom_match_umq, plain)
FAKE_MEMBER(custom_match_umq, head)
FAKE_MEMBER(custom_match_umq, size)
#else
FAKE_NO_TYPE(custom_match_umq, plain)
FAKE_NO_MEMBER(custom_match_umq, head)
FAKE_NO_MEMBER(custom_match_umq, size)
#endif

FAKE_TYPE(mca_pml_ob1_comm_t, class)
FAKE_MEMBER(mca_pml_ob1_comm_t, super)
FAKE_MEMBER(mca_pml_ob1_comm_t, recv_sequence)
#if !FAKE_CUSTOM
FAKE_MEMBER(mca_pml_ob1_comm_t, wild_receives)
#else
FAKE_NO_MEMBER(mca_pml_ob1_comm_t, wild_receives)
#endif
FAKE_MEMBER(mca_pml_ob1_comm_t, procs)
FAKE_MEMBER(mca_pml_ob1_comm_t, num_procs)
FAKE_MEMBER(mca_pml_ob1_comm_t, last_probed)
#if FAKE_CUSTOM
FAKE_MEMBER(mca_pml_ob1_comm_t, prq)
FAKE_MEMBER(mca_pml_ob1_comm_t, umq)
#else
FAKE_NO_MEMBER(mca_pml_ob1_comm_t, prq)
FAKE_NO_MEMBER(mca_pml_ob1_comm_t, umq)
#endif

FAKE_TYPE(mca_pml_ob1_comm_proc_t, class)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, super)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, ompi_proc)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, expected_sequence)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, send_sequence)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, frags_cant_match)
#if !FAKE_CUSTOM
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, specific_receives)
FAKE_MEMBER(mca_pml_ob1_comm_proc_t, unexpected_frags)
#else
FAKE_NO_MEMBER(mca_pml_ob1_comm_proc_t, specific_receives)
FAKE_NO_MEMBER(mca_pml_ob1_comm_proc_t, unexpected_frags)
#endif

FAKE_TYPE(mca_pml_ob1_common_hdr_t, plain)
FAKE_MEMBER(mca_pml_ob1_common_hdr_t, hdr_type)
FAKE_MEMBER(mca_pml_ob1_common_hdr_t, hdr_flags)

FAKE_TYPE(mca_pml_ob1_match_hdr_t, plain)
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_common)
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_ctx)
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_src)
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_tag)
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_seq)
#if FAKE_DEBUG && FAKE_FAMILY >= 500
FAKE_MEMBER(mca_pml_ob1_match_hdr_t, hdr_padding)
#else
FAKE_NO_MEMBER(mca_pml_ob1_match_hdr_t, hdr_padding)
#endif

FAKE_TYPE(mca_pml_ob1_rendezvous_hdr_t, plain)
FAKE_MEMBER(mca_pml_ob1_rendezvous_hdr_t, hdr_match)
FAKE_MEMBER(mca_pml_ob1_rendezvous_hdr_t, hdr_msg_length)
FAKE_MEMBER(mca_pml_ob1_rendezvous_hdr_t, hdr_src_req)

#if FAKE_FAMILY >= 500
FAKE_TYPE(mca_pml_ob1_cid_hdr_t, plain)
FAKE_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_common)
FAKE_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_cid)
FAKE_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_src_comm_index)
FAKE_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_src)
#else
FAKE_NO_TYPE(mca_pml_ob1_cid_hdr_t, plain)
FAKE_NO_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_common)
FAKE_NO_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_cid)
FAKE_NO_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_src_comm_index)
FAKE_NO_MEMBER(mca_pml_ob1_cid_hdr_t, hdr_src)
#endif

FAKE_TYPE(mca_pml_ob1_hdr_t, plain)
FAKE_MEMBER(mca_pml_ob1_hdr_t, hdr_common)
FAKE_MEMBER(mca_pml_ob1_hdr_t, hdr_match)
FAKE_MEMBER(mca_pml_ob1_hdr_t, hdr_rndv)
#if FAKE_FAMILY >= 500
FAKE_MEMBER(mca_pml_ob1_hdr_t, hdr_cid)
#else
FAKE_NO_MEMBER(mca_pml_ob1_hdr_t, hdr_cid)
#endif

FAKE_TYPE(mca_btl_base_segment_t, plain)
FAKE_MEMBER(mca_btl_base_segment_t, seg_addr)
FAKE_MEMBER(mca_btl_base_segment_t, seg_len)

FAKE_TYPE(mca_pml_ob1_buffer_t, plain)
FAKE_MEMBER(mca_pml_ob1_buffer_t, len)
FAKE_MEMBER(mca_pml_ob1_buffer_t, addr)

FAKE_TYPE(mca_pml_ob1_recv_frag_t, class)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, super)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, hdr)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, num_segments)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, range)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, btl)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, segments)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, buffers)
FAKE_MEMBER(mca_pml_ob1_recv_frag_t, addr)

FAKE_TYPE(mca_pml_ob1_t, plain)
FAKE_MEMBER(mca_pml_ob1_t, recv_frags)
FAKE_MEMBER(mca_pml_ob1_t, send_pending)
FAKE_MEMBER(mca_pml_ob1_t, non_existing_communicator_pending)
FAKE_MEMBER(mca_pml_ob1_t, enabled)
FAKE_MEMBER(mca_pml_ob1_t, unexpected_limit)

FAKE_TYPE(mca_pml_base_module_t, plain)
FAKE_MEMBER(mca_pml_base_module_t, pml_irecv)
FAKE_MEMBER(mca_pml_base_module_t, pml_max_contextid)
FAKE_MEMBER(mca_pml_base_module_t, pml_max_tag)
FAKE_MEMBER(mca_pml_base_module_t, pml_flags)

FAKE_TYPE(mca_pml_ucx_module_t, plain)
FAKE_MEMBER(mca_pml_ucx_module_t, super)
FAKE_MEMBER(mca_pml_ucx_module_t, ucp_context)
FAKE_MEMBER(mca_pml_ucx_module_t, ucp_worker)
FAKE_MEMBER(mca_pml_ucx_module_t, persistent_reqs)
FAKE_MEMBER(mca_pml_ucx_module_t, completed_send_req)
FAKE_MEMBER(mca_pml_ucx_module_t, request_size)

FAKE_TYPE(mca_pml_ucx_persistent_request_t, plain)
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, ompi)
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, tmp_req)
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, flags)
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, buffer)
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, count)
#if FAKE_FAMILY >= 401 && FAKE_FAMILY < 410
FAKE_NESTED(mca_pml_ucx_persistent_request_t, ompi_datatype, datatype.ompi_datatype)
#else
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, ompi_datatype)
#endif
FAKE_MEMBER(mca_pml_ucx_persistent_request_t, tag)
FAKE_NESTED(mca_pml_ucx_persistent_request_t, send_mode, send.mode)
FAKE_NESTED(mca_pml_ucx_persistent_request_t, send_ep, send.ep)
FAKE_NESTED(mca_pml_ucx_persistent_request_t, recv_tag_mask, recv.tag_mask)

FAKE_TYPE(mca_mtl_request_t, plain)
FAKE_MEMBER(mca_mtl_request_t, ompi_req)

FAKE_TYPE(mca_pml_cm_request_t, plain)
FAKE_MEMBER(mca_pml_cm_request_t, req_ompi)
FAKE_MEMBER(mca_pml_cm_request_t, req_pml_complete)
FAKE_MEMBER(mca_pml_cm_request_t, req_free_called)
FAKE_MEMBER(mca_pml_cm_request_t, req_pml_type)
FAKE_MEMBER(mca_pml_cm_request_t, req_comm)
FAKE_MEMBER(mca_pml_cm_request_t, req_datatype)
FAKE_MEMBER(mca_pml_cm_request_t, req_convertor)

FAKE_TYPE(mca_pml_cm_send_request_t, plain)
FAKE_MEMBER(mca_pml_cm_send_request_t, req_base)
FAKE_MEMBER(mca_pml_cm_send_request_t, req_send_mode)

FAKE_TYPE(mca_pml_cm_thin_send_request_t, plain)
FAKE_MEMBER(mca_pml_cm_thin_send_request_t, req_send)
FAKE_MEMBER(mca_pml_cm_thin_send_request_t, req_mtl)

FAKE_TYPE(mca_pml_cm_hvy_send_request_t, plain)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_send)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_addr)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_count)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_peer)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_tag)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_buff)
FAKE_MEMBER(mca_pml_cm_hvy_send_request_t, req_mtl)

FAKE_TYPE(mca_pml_cm_thin_recv_request_t, plain)
FAKE_MEMBER(mca_pml_cm_thin_recv_request_t, req_base)
FAKE_MEMBER(mca_pml_cm_thin_recv_request_t, req_mtl)

FAKE_TYPE(mca_pml_cm_hvy_recv_request_t, plain)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_base)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_addr)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_count)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_peer)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_tag)
FAKE_MEMBER(mca_pml_cm_hvy_recv_request_t, req_mtl)

FAKE_TYPE(mca_mtl_base_module_t, plain)
FAKE_MEMBER(mca_mtl_base_module_t, mtl_request_size)

FAKE_TYPE(ompi_mtl_ofi_request_t, plain)
FAKE_MEMBER(ompi_mtl_ofi_request_t, super)
FAKE_MEMBER(ompi_mtl_ofi_request_t, type)
FAKE_MEMBER(ompi_mtl_ofi_request_t, comm)
FAKE_MEMBER(ompi_mtl_ofi_request_t, mtl)
FAKE_MEMBER(ompi_mtl_ofi_request_t, length)
FAKE_MEMBER(ompi_mtl_ofi_request_t, convertor)
FAKE_MEMBER(ompi_mtl_ofi_request_t, req_started)
FAKE_MEMBER(ompi_mtl_ofi_request_t, match_bits)
FAKE_MEMBER(ompi_mtl_ofi_request_t, remote_addr)

FAKE_TYPE(mca_mtl_ofi_module_t, plain)
FAKE_MEMBER(mca_mtl_ofi_module_t, base)
#if FAKE_FAMILY >= 410
FAKE_MEMBER(mca_mtl_ofi_module_t, rx_ctx_bits)
#else
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, rx_ctx_bits)
#endif
FAKE_MEMBER(mca_mtl_ofi_module_t, any_addr)
#if FAKE_FAMILY >= 401
FAKE_MEMBER(mca_mtl_ofi_module_t, fi_cq_data)
FAKE_MEMBER(mca_mtl_ofi_module_t, source_rank_tag_mask)
FAKE_MEMBER(mca_mtl_ofi_module_t, num_bits_source_rank)
FAKE_MEMBER(mca_mtl_ofi_module_t, source_rank_mask)
FAKE_MEMBER(mca_mtl_ofi_module_t, mpi_tag_mask)
FAKE_MEMBER(mca_mtl_ofi_module_t, num_bits_mpi_tag)
#else
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, fi_cq_data)
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, source_rank_tag_mask)
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, num_bits_source_rank)
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, source_rank_mask)
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, mpi_tag_mask)
FAKE_NO_MEMBER(mca_mtl_ofi_module_t, num_bits_mpi_tag)
#endif

FAKE_TYPE(mca_mtl_ofi_endpoint_t, plain)
FAKE_MEMBER(mca_mtl_ofi_endpoint_t, super)
FAKE_MEMBER(mca_mtl_ofi_endpoint_t, peer_fiaddr)

FAKE_TYPE(ompi_osc_base_module_t, plain)
FAKE_MEMBER(ompi_osc_base_module_t, osc_free)

FAKE_TYPE(ompi_osc_sm_lock_t, plain)
FAKE_MEMBER(ompi_osc_sm_lock_t, counter)
FAKE_MEMBER(ompi_osc_sm_lock_t, write)
FAKE_MEMBER(ompi_osc_sm_lock_t, read)

FAKE_TYPE(ompi_osc_sm_node_state_t, plain)
FAKE_MEMBER(ompi_osc_sm_node_state_t, complete_count)
FAKE_MEMBER(ompi_osc_sm_node_state_t, lock)

FAKE_TYPE(ompi_osc_sm_module_t, plain)
FAKE_MEMBER(ompi_osc_sm_module_t, super)
FAKE_MEMBER(ompi_osc_sm_module_t, comm)
FAKE_MEMBER(ompi_osc_sm_module_t, start_group)
FAKE_MEMBER(ompi_osc_sm_module_t, post_group)
FAKE_MEMBER(ompi_osc_sm_module_t, outstanding_locks)
FAKE_MEMBER(ompi_osc_sm_module_t, my_node_state)
FAKE_MEMBER(ompi_osc_sm_module_t, node_states)

FAKE_TYPE(ompi_osc_rdma_peer_t, plain)
FAKE_MEMBER(ompi_osc_rdma_peer_t, super)
FAKE_MEMBER(ompi_osc_rdma_peer_t, rank)
FAKE_MEMBER(ompi_osc_rdma_peer_t, flags)

FAKE_TYPE(ompi_osc_rdma_state_t, plain)
FAKE_MEMBER(ompi_osc_rdma_state_t, local_lock)
FAKE_MEMBER(ompi_osc_rdma_state_t, num_post_msgs)
FAKE_MEMBER(ompi_osc_rdma_state_t, num_complete_msgs)

FAKE_TYPE(ompi_osc_rdma_sync_t, plain)
FAKE_MEMBER(ompi_osc_rdma_sync_t, super)
FAKE_MEMBER(ompi_osc_rdma_sync_t, module)
FAKE_MEMBER(ompi_osc_rdma_sync_t, type)
FAKE_NESTED(ompi_osc_rdma_sync_t, lock_target, sync.lock.target)
FAKE_NESTED(ompi_osc_rdma_sync_t, lock_type, sync.lock.type)
FAKE_NESTED(ompi_osc_rdma_sync_t, lock_assert, sync.lock.assert)
FAKE_NESTED(ompi_osc_rdma_sync_t, start_group, sync.group)
FAKE_MEMBER(ompi_osc_rdma_sync_t, num_peers)

FAKE_TYPE(ompi_osc_rdma_module_t, plain)
FAKE_MEMBER(ompi_osc_rdma_module_t, super)
FAKE_MEMBER(ompi_osc_rdma_module_t, win)
FAKE_MEMBER(ompi_osc_rdma_module_t, locking_mode)
FAKE_MEMBER(ompi_osc_rdma_module_t, my_peer)
FAKE_MEMBER(ompi_osc_rdma_module_t, state)
FAKE_MEMBER(ompi_osc_rdma_module_t, comm)
FAKE_MEMBER(ompi_osc_rdma_module_t, all_sync)
FAKE_MEMBER(ompi_osc_rdma_module_t, pw_group)
FAKE_MEMBER(ompi_osc_rdma_module_t, outstanding_lock_array)
FAKE_MEMBER(ompi_osc_rdma_module_t, peer_array)

FAKE_TYPE(mca_coll_base_module_t, plain)
FAKE_MEMBER(mca_coll_base_module_t, super)

FAKE_TYPE(mca_coll_base_comm_coll_t, plain)
FAKE_MEMBER(mca_coll_base_comm_coll_t, coll_allgather_module)
FAKE_MEMBER(mca_coll_base_comm_coll_t, coll_allreduce_module)
FAKE_MEMBER(mca_coll_base_comm_coll_t, coll_barrier_module)
FAKE_MEMBER(mca_coll_base_comm_coll_t, coll_bcast_module)
FAKE_MEMBER(mca_coll_base_comm_coll_t, coll_reduce_module)
FAKE_MEMBER(mca_coll_base_comm_coll_t, nonblocking)

FAKE_TYPE(mca_coll_han_module_t, plain)
FAKE_MEMBER(mca_coll_han_module_t, cached_low_comms)
FAKE_MEMBER(mca_coll_han_module_t, cached_up_comms)
FAKE_MEMBER(mca_coll_han_module_t, others)
FAKE_MEMBER(mca_coll_han_module_t, sub_comm)

FAKE_TYPE(ompi_coll_libnbc_module_t, plain)
FAKE_MEMBER(ompi_coll_libnbc_module_t, mutex)

FAKE_TYPE(ompi_win_t, plain)
FAKE_MEMBER(ompi_win_t, w_name)
FAKE_MEMBER(ompi_win_t, w_group)
FAKE_MEMBER(ompi_win_t, w_osc_module)

FAKE_TYPE(ompi_file_t, plain)
FAKE_MEMBER(ompi_file_t, f_comm)
FAKE_MEMBER(ompi_file_t, f_filename)
FAKE_MEMBER(ompi_file_t, f_io_selected_component)
FAKE_MEMBER(ompi_file_t, f_io_selected_data)

#if FAKE_FAMILY >= 500
FAKE_TYPE(ompi_part_persist_t, plain)
FAKE_MEMBER(ompi_part_persist_t, part_comm)
FAKE_MEMBER(ompi_part_persist_t, part_comm_setup)
FAKE_MEMBER(ompi_part_persist_t, init_world)
#else
FAKE_NO_TYPE(ompi_part_persist_t, plain)
FAKE_NO_MEMBER(ompi_part_persist_t, part_comm)
FAKE_NO_MEMBER(ompi_part_persist_t, part_comm_setup)
FAKE_NO_MEMBER(ompi_part_persist_t, init_world)
#endif
