/* fragment.c - decodes the fragments of messages that have arrived. */
#include "mqd/dll/ob1/fragment.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/*
 * A fragment that came before its communicator was made keeps this header when Open MPI moves it to the communicator.
 * The address of its data is then behind the header, but the length still includes the header.
 */
static void skip_cid_header(struct mqd_view *view, struct mqd_fragment *fragment)
{
    size_t n = view->process->layout.type_size[MQD_TYPE_mca_pml_ob1_cid_hdr_t];

    if (n == 0 || n > view->n_bytes || n > fragment->n_data) {
        view->rc = mqd_rc_unknown(MQD_PATH_frag_cid);
        return;
    }
    fragment->has_cid = true;
    fragment->extended_id = mqd_unique_id(view, MQD_PATH_frag_cid_base, MQD_PATH_frag_cid_sub, 0);
    /* What follows is read of the header only. */
    view->bytes += n;
    view->n_bytes -= n;
    fragment->n_data -= n;
}

static enum mqd_rc decode(const struct mqd_view *element, struct mqd_fragment *fragment)
{
    struct mqd_view view = *element;

    *fragment = (struct mqd_fragment){.ta = view.ta};
    fragment->next_ta = mqd_uint(&view, MQD_PATH_item_next);
    fragment->prev_ta = mqd_uint(&view, MQD_PATH_item_prev);
    fragment->range_ta = mqd_uint(&view, MQD_PATH_frag_range);
    fragment->data_ta = mqd_uint(&view, MQD_PATH_frag_segment_addr);
    fragment->n_data = mqd_uint(&view, MQD_PATH_frag_segment_bytes);
    if (mqd_is(view.process, MQD_CONSTANT_hdr_cid, (int64_t)mqd_uint(&view, MQD_PATH_frag_type)))
        skip_cid_header(&view, fragment);
    fragment->message_bytes = mqd_uint(&view, MQD_PATH_frag_message_bytes);
    fragment->source = (int32_t)mqd_int(&view, MQD_PATH_frag_source);
    fragment->tag = (int32_t)mqd_int(&view, MQD_PATH_frag_tag);
    fragment->context = (uint16_t)mqd_uint(&view, MQD_PATH_frag_context);
    fragment->sequence = (uint16_t)mqd_uint(&view, MQD_PATH_frag_sequence);
    fragment->type = (uint8_t)mqd_uint(&view, MQD_PATH_frag_type);
    return view.rc;
}

static enum mqd_rc visit_fragment(struct mqd_view *element, void *context)
{
    struct mqd_fragment decoded, *fragment;
    enum mqd_rc rc = decode(element, &decoded);

    if (rc != MQD_OK)
        return rc;
    fragment = mqd_vector_append(context);
    if (fragment == NULL)
        return MQD_RC_no_memory;
    *fragment = decoded;
    return MQD_OK;
}

/* The free list of all of ob1's fragments. */
static enum mqd_rc find_fragments(struct mqd_process *process, struct mqd_free_list *list)
{
    const struct mqd_place *place = &process->layout.paths[MQD_PATH_ob1_fragments];
    mqd_taddr ob1_ta;
    enum mqd_rc rc;

    if (place->source == MQD_SOURCE_absent)
        return mqd_rc_unknown(MQD_PATH_ob1_fragments);
    if (!mqd_symbol(process, "mca_pml_ob1", &ob1_ta))
        return MQD_RC_no_fragment_list;
    rc = mqd_free_list_read(process, ob1_ta + place->offset, list);
    if (rc != MQD_OK)
        return rc;
    return mqd_class_is(process, list->class_ta, "mca_pml_ob1_recv_frag_t") ? MQD_OK : MQD_RC_bad_free_list;
}

enum mqd_rc mqd_can_sweep_fragments(struct mqd_process *process)
{
    struct mqd_free_list list;

    return find_fragments(process, &list);
}

enum mqd_rc mqd_fragments_sweep(struct mqd_process *process, struct mqd_vector *fragments)
{
    struct mqd_free_list list;

    if (find_fragments(process, &list) != MQD_OK)
        return MQD_OK;
    if (mqd_free_list_sweep(process, &list, visit_fragment, fragments) == MQD_RC_no_memory)
        return MQD_RC_no_memory;
    return mqd_vector_sort_by_key(fragments);
}

enum mqd_rc mqd_fragment_get(struct mqd_process *process, const struct mqd_vector *fragments, mqd_taddr ta,
                             struct mqd_fragment *fragment)
{
    const struct mqd_fragment *known = mqd_vector_find(fragments, ta);
    struct mqd_object object;

    if (known != NULL) {
        *fragment = *known;
        return MQD_OK;
    }
    if (mqd_read_object(process, MQD_TYPE_mca_pml_ob1_recv_frag_t, ta, &object) != MQD_OK ||
        !mqd_object_is(process, ta, "mca_pml_ob1_recv_frag_t"))
        return MQD_RC_bad_fragment;
    return decode(&object.view, fragment);
}

/*
 * The bytes of header before the data of an eager message: up to the end of its last member. Builds for heterogeneous
 * systems, and since 5.0 debug builds, have one more member there, which no size tells; see ompi-mqd(7).
 */
static uint64_t match_header_bytes(const struct mqd_process *process)
{
    const struct mqd_place *padding = &process->layout.steps[MQD_STEP_mca_pml_ob1_match_hdr_t__hdr_padding];
    const struct mqd_place *sequence = &process->layout.steps[MQD_STEP_mca_pml_ob1_match_hdr_t__hdr_seq];

    if (padding->source != MQD_SOURCE_absent)
        return process->layout.type_size[MQD_TYPE_mca_pml_ob1_match_hdr_t];
    return sequence->offset + sizeof(uint16_t);
}

/* The same of a rendezvous message; its last member is a union of 8 bytes in every ABI. */
static uint64_t rendezvous_header_bytes(const struct mqd_process *process)
{
    return process->layout.steps[MQD_STEP_mca_pml_ob1_rendezvous_hdr_t__hdr_src_req].offset + sizeof(uint64_t);
}

bool mqd_fragment_fill(const struct mqd_process *process, const struct mqd_fragment *fragment,
                       struct mqd_operation *operation)
{
    uint64_t header = match_header_bytes(process);
    bool is_rendezvous = mqd_is(process, MQD_CONSTANT_hdr_rendezvous, fragment->type);

    if (mqd_is(process, MQD_CONSTANT_hdr_match, fragment->type)) {
        if (fragment->n_data < header)
            return false;
        operation->status = mqs_st_complete;
        operation->progress = MQD_PROGRESS_eager;
        operation->length = fragment->n_data - header;
        operation->buffer_ta = operation->length > 0 ? fragment->data_ta + header : 0;
        return true;
    }
    if (!is_rendezvous && !mqd_is(process, MQD_CONSTANT_hdr_rget, fragment->type))
        return false;
    header = rendezvous_header_bytes(process);
    operation->status = mqs_st_pending;
    operation->progress = MQD_PROGRESS_arrived_rendezvous;
    operation->length = fragment->message_bytes;
    /* The first part of the data may have come with the header; with RGET none does. */
    if (is_rendezvous && fragment->n_data > header)
        operation->buffer_ta = fragment->data_ta + header;
    return true;
}
