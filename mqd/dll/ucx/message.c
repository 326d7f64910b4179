/* message.c - reads unexpected messages of UCX. */
#include "mqd/dll/ucx/message.h"

#include "mqd/dll/ucx/ahead.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* All messages of a process together are fewer; more is a damaged list. */
#define MAX_MESSAGES ((size_t)1 << 26)

/* Bytes of the largest header behind a descriptor, with room to spare. */
enum { MAX_HEADER_BYTES = 64, MAX_DESCRIPTOR_BYTES = 256 };

static mqd_taddr link_of(const struct mqd_process *process, mqd_taddr message_ta, enum mqd_constant_id which)
{
    const struct mqd_layout *layout = &process->layout;

    return message_ta + layout->paths[MQD_PATH_ucx_message_lists].offset +
           (mqd_taddr)layout->constants[which].value * layout->type_size[MQD_TYPE_ucs_list_link_t];
}

mqd_taddr mqd_ucx_link_to_all(const struct mqd_process *process, mqd_taddr message_ta)
{
    return link_of(process, message_ta, MQD_CONSTANT_ucx_list_all);
}

mqd_taddr mqd_ucx_link_to_bucket(const struct mqd_process *process, mqd_taddr message_ta)
{
    return link_of(process, message_ta, MQD_CONSTANT_ucx_list_hash);
}

/* A view of what follows in another: `offset` bytes behind its start. It is empty if there is nothing. */
static struct mqd_view behind(const struct mqd_view *view, uint64_t offset)
{
    struct mqd_view rest = *view;

    if (offset > rest.n_bytes)
        offset = rest.n_bytes;
    rest.bytes += offset;
    rest.n_bytes -= (size_t)offset;
    rest.ta += offset;
    return rest;
}

static bool has(const struct mqd_process *process, enum mqd_constant_id flag, uint64_t flags)
{
    return mqd_has_flag(process, flag, flags);
}

/* The announcement of a message whose data the receiver has to ask for. In some releases a tag lies before it. */
static void take_rendezvous(struct mqd_view *header, struct mqd_ucx_message *message)
{
    const struct mqd_layout *layout = &header->process->layout;
    struct mqd_view rts = *header;

    message->is_rendezvous = true;
    message->tag = mqd_uint(header, MQD_PATH_ucx_header_tag);
    if (layout->paths[MQD_PATH_ucx_rndv_tag].source == MQD_SOURCE_absent)
        rts = behind(header, layout->type_size[MQD_TYPE_ucp_tag_hdr_t]);
    message->request_ta = mqd_uint(&rts, MQD_PATH_ucx_rndv_request);
    message->length = mqd_uint(&rts, MQD_PATH_ucx_rndv_size);
    if (header->rc == MQD_OK)
        header->rc = rts.rc;
}

/* A message that comes with its data. `n_here` bytes of it are in this part. */
static void take_eager(struct mqd_view *header, uint64_t flags, uint64_t n_here, struct mqd_ucx_message *message)
{
    const struct mqd_process *process = header->process;
    bool is_only = has(process, MQD_CONSTANT_ucx_desc_eager_only, flags);
    bool is_synchronous = has(process, MQD_CONSTANT_ucx_desc_eager_sync, flags);

    message->tag = mqd_uint(header, MQD_PATH_ucx_header_tag);
    message->length = n_here;
    if (is_synchronous)
        message->request_ta =
            mqd_uint(header, is_only ? MQD_PATH_ucx_sync_request : MQD_PATH_ucx_sync_first_request);
    if (!is_only && has(process, MQD_CONSTANT_ucx_desc_eager_offload, flags))
        message->no_length = true;
    else if (!is_only)
        message->length =
            mqd_uint(header, is_synchronous ? MQD_PATH_ucx_sync_first_total : MQD_PATH_ucx_first_total);
    message->is_whole = message->length == n_here && !message->no_length;
}

/* Takes out of a view what a message holds. */
static enum mqd_rc take(struct mqd_view *view, struct mqd_ucx_message *message)
{
    const struct mqd_process *process = view->process;
    uint64_t size = process->layout.type_size[MQD_TYPE_ucp_recv_desc_t];
    struct mqd_view header = behind(view, size), all, bucket;
    uint64_t length = mqd_uint(view, MQD_PATH_ucx_message_length);
    uint64_t payload = mqd_uint(view, MQD_PATH_ucx_message_payload);
    uint64_t flags = mqd_uint(view, MQD_PATH_ucx_message_flags);

    all = behind(view, mqd_ucx_link_to_all(process, 0));
    bucket = behind(view, mqd_ucx_link_to_bucket(process, 0));
    message->next_ta = mqd_uint(&all, MQD_PATH_ucx_link_next);
    message->prev_ta = mqd_uint(&all, MQD_PATH_ucx_link_prev);
    message->bucket_next_ta = mqd_uint(&bucket, MQD_PATH_ucx_link_next);
    message->bucket_prev_ta = mqd_uint(&bucket, MQD_PATH_ucx_link_prev);
    if (view->rc != MQD_OK || all.rc != MQD_OK || bucket.rc != MQD_OK)
        return view->rc != MQD_OK ? view->rc : all.rc != MQD_OK ? all.rc : bucket.rc;
    if (payload > length)
        return MQD_RC_ucx_bad_message;
    if (has(process, MQD_CONSTANT_ucx_desc_rndv, flags)) {
        take_rendezvous(&header, message);
    } else if (has(process, MQD_CONSTANT_ucx_desc_eager, flags)) {
        take_eager(&header, flags, length - payload, message);
        message->data_ta = header.ta + payload;
    } else {
        return MQD_RC_ucx_bad_message;
    }
    return header.rc;
}

/* The memory of a small message may end before the largest header would. */
static enum mqd_rc read_message(struct mqd_process *process, struct mqd_ahead *ahead, mqd_taddr ta,
                                struct mqd_ucx_message *message)
{
    unsigned char bytes[MAX_DESCRIPTOR_BYTES + MAX_HEADER_BYTES];
    size_t size = process->layout.type_size[MQD_TYPE_ucp_recv_desc_t], n = size + MAX_HEADER_BYTES;
    struct mqd_view view = {.process = process, .bytes = bytes, .ta = ta};
    enum mqd_rc rc;

    if (size == 0 || size > MAX_DESCRIPTOR_BYTES)
        return MQD_RC_ucx_no_table;
    rc = mqd_ahead_read(process, ahead, ta, n, bytes);
    if (rc == MQD_RC_unreadable) {
        n = size + process->layout.type_size[MQD_TYPE_ucp_tag_hdr_t];
        rc = mqd_read(process, ta, n, bytes);
    }
    if (rc != MQD_OK)
        return rc == MQD_RC_unreadable ? MQD_RC_ucx_bad_message : rc;
    view.n_bytes = n;
    message->ta = ta;
    return take(&view, message);
}

enum mqd_rc mqd_ucx_read_messages(struct mqd_process *process, const struct mqd_ucx_matching *matching, size_t n_most,
                                  struct mqd_vector *messages)
{
    mqd_taddr to_link = mqd_ucx_link_to_all(process, 0), previous_ta = matching->all_ta, link_ta;
    struct mqd_ahead ahead = {.window = 0};
    struct mqd_object head;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_ucs_list_link_t, matching->all_ta, &head);

    link_ta = mqd_uint(&head.view, MQD_PATH_ucx_link_next);
    if (rc == MQD_OK)
        rc = head.view.rc;
    /* Each message must lead back to the one before it: this also ends the walk. */
    while (rc == MQD_OK && link_ta != matching->all_ta && messages->n_items < n_most) {
        struct mqd_ucx_message message = {.order = messages->n_items}, *item;

        rc = link_ta > to_link && messages->n_items < MAX_MESSAGES
                 ? read_message(process, &ahead, link_ta - to_link, &message)
                 : MQD_RC_ucx_bad_message;
        if (rc == MQD_OK && message.prev_ta != previous_ta)
            rc = MQD_RC_ucx_bad_message;
        item = rc == MQD_OK ? mqd_vector_append(messages) : NULL;
        if (rc == MQD_OK && item == NULL)
            rc = MQD_RC_no_memory;
        if (rc != MQD_OK)
            break;
        *item = message;
        previous_ta = link_ta;
        link_ta = message.next_ta;
    }
    mqd_ahead_release(&ahead);
    return rc;
}
