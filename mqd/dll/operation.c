/* operation.c - from a record to what MQD 1.0 calls a pending operation. */
#include "mqd/dll/operation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* padb takes all five lines of extra_text to be terminated by an empty one: the last stays empty. */
enum { N_LINES = 4, LINE_BYTES = 64 };

/* A datatype as far as a listing tells it. */
struct datatype {
    uint64_t size; /* bytes of data in one element */
    char name[64];
};

bool mqd_operation_before(const void *a, const void *b)
{
    const struct mqd_operation *x = a, *y = b;

    if (x->communicator != y->communicator)
        return x->communicator < y->communicator;
    if (x->destination != y->destination)
        return x->destination < y->destination;
    if (x->order != y->order)
        return x->order < y->order;
    return x->ta < y->ta;
}

static enum mqd_rc read_datatype(struct mqd_process *process, mqd_taddr ta, struct datatype *datatype)
{
    struct mqd_object object;

    if (!process->layout.can[MQD_CAN_datatypes])
        return mqd_rc_unknown(process->layout.lacks[MQD_CAN_datatypes]);
    /* The predefined ones are initialised statically, and with the class of their first member. */
    if (mqd_read_object(process, MQD_TYPE_ompi_datatype_t, ta, &object) != MQD_OK ||
        !mqd_object_is(process, ta, "opal_datatype_t"))
        return MQD_RC_bad_datatype;
    datatype->size = mqd_uint(&object.view, MQD_PATH_datatype_size);
    mqd_chars(&object.view, MQD_PATH_datatype_name, datatype->name, sizeof datatype->name);
    return object.view.rc == MQD_OK ? MQD_OK : MQD_RC_bad_datatype;
}

static const char *kind_text(enum mqd_operation_kind kind)
{
    switch (kind) {
    case MQD_OPERATION_recv:
        return "Recv";
    case MQD_OPERATION_send:
        return "Send";
    case MQD_OPERATION_ssend:
        return "Ssend";
    case MQD_OPERATION_bsend:
        return "Bsend";
    case MQD_OPERATION_rsend:
        return "Rsend";
    case MQD_OPERATION_message:
        break;
    }
    return "Message";
}

static void progress_text(const struct mqd_operation *operation, char *line)
{
    switch ((enum mqd_progress)operation->progress) {
    case MQD_PROGRESS_posted:
        mqd_format(line, LINE_BYTES, "posted, waiting for a message");
        break;
    case MQD_PROGRESS_waited_for:
        mqd_format(line, LINE_BYTES, "posted, a thread waits for it");
        break;
    case MQD_PROGRESS_receiving:
        mqd_format(line, LINE_BYTES, "matched, %" PRIu64 " of %" PRIu64 " bytes arrived", operation->arrived,
                   operation->actual_length);
        break;
    case MQD_PROGRESS_complete:
        mqd_format(line, LINE_BYTES, "complete, not waited for yet");
        break;
    case MQD_PROGRESS_cancelled:
        mqd_format(line, LINE_BYTES, "cancelled, not waited for yet");
        break;
    case MQD_PROGRESS_truncated:
        mqd_format(line, LINE_BYTES, "complete, message was longer than the buffer");
        break;
    case MQD_PROGRESS_failed:
        mqd_format(line, LINE_BYTES, "complete with MPI error class %d", (int)operation->error);
        break;
    case MQD_PROGRESS_queued:
        mqd_format(line, LINE_BYTES, "not sent yet, the transport has no room");
        break;
    case MQD_PROGRESS_rendezvous:
        mqd_format(line, LINE_BYTES, "rendezvous, waiting for the receiver");
        break;
    case MQD_PROGRESS_single_copy:
        mqd_format(line, LINE_BYTES, "rendezvous (single copy), waiting for the receiver");
        break;
    case MQD_PROGRESS_transfer:
        mqd_format(line, LINE_BYTES, "rendezvous, the receiver has answered");
        break;
    case MQD_PROGRESS_in_transit:
        mqd_format(line, LINE_BYTES, "complete for MPI, data still in transit");
        break;
    case MQD_PROGRESS_eager:
        mqd_format(line, LINE_BYTES, "eager, waiting for a receive");
        break;
    case MQD_PROGRESS_arrived_rendezvous:
        mqd_format(line, LINE_BYTES, "rendezvous, waiting for a receive");
        break;
    case MQD_PROGRESS_out_of_sequence:
        mqd_format(line, LINE_BYTES, "out of sequence (%u), waits for earlier messages", (unsigned)operation->sequence);
        break;
    }
}

/* "10 x MPI_INT"; a name that leaves no room for the count has a line of its own. */
static unsigned data_lines(const struct mqd_operation *operation, const struct datatype *datatype, bool known,
                           char lines[][LINE_BYTES])
{
    if (!known) {
        mqd_format(lines[0], LINE_BYTES, "count %" PRIu64, operation->count);
        return 1;
    }
    if (snprintf(NULL, 0, "%" PRIu64 " x %s", operation->count, datatype->name) < LINE_BYTES) {
        mqd_format(lines[0], LINE_BYTES, "%" PRIu64 " x %s", operation->count,
                   datatype->name[0] != '\0' ? datatype->name : "(unnamed datatype)");
        return 1;
    }
    mqd_format(lines[0], LINE_BYTES, "%" PRIu64 " x", operation->count);
    mqd_format(lines[1], LINE_BYTES, "%s", datatype->name);
    return 2;
}

static void write_lines(const struct mqd_operation *operation, const struct datatype *datatype, bool datatype_known,
                        char lines[][LINE_BYTES])
{
    unsigned n = 0;

    if (operation->kind == MQD_OPERATION_message) {
        progress_text(operation, lines[n++]);
        return;
    }
    mqd_format(lines[n++], LINE_BYTES, "%s%s%s, request 0x%" PRIx64, kind_text((enum mqd_operation_kind)operation->kind),
               operation->persistent ? ", persistent" : "", operation->freed ? ", handle freed" : "", operation->ta);
    n += data_lines(operation, datatype, datatype_known, lines + n);
    progress_text(operation, lines[n]);
}

enum mqd_rc mqd_describe(struct mqd_process *process, const struct mqd_operation *operation,
                         mqs_pending_operation *out)
{
    struct mqd_communicator *communicator = mqd_communicator_at(process, operation->communicator);
    struct datatype datatype = {.size = 0};
    uint64_t length = operation->length;
    bool datatype_known = false;

    /* A send of nothing holds no reference to its datatype, which may be gone. */
    if (operation->kind == MQD_OPERATION_recv || (operation->kind != MQD_OPERATION_message && operation->count > 0))
        datatype_known = read_datatype(process, operation->datatype_ta, &datatype) == MQD_OK;
    if (operation->kind == MQD_OPERATION_recv) {
        if (operation->count > 0 && (!datatype_known || (datatype.size > 0 && operation->count > INT64_MAX / datatype.size)))
            return MQD_RC_bad_datatype;
        length = operation->count * datatype.size;
    }
    if (mqd_read_group(process, communicator, true) == MQD_RC_no_memory)
        return MQD_RC_no_memory;
    memset(out, 0, sizeof *out);
    out->status = operation->status;
    out->desired_local_rank = operation->peer;
    out->desired_global_rank = mqd_world_rank(process, communicator, operation->peer);
    out->tag_wild = operation->tag_wild;
    out->desired_tag = operation->tag;
    out->desired_length = (mqs_tword_t)length;
    out->system_buffer = operation->system_buffer;
    out->buffer = (mqs_taddr_t)operation->buffer_ta;
    out->actual_local_rank = operation->actual_peer;
    out->actual_global_rank = mqd_world_rank(process, communicator, operation->actual_peer);
    out->actual_tag = operation->actual_tag;
    out->actual_length = (mqs_tword_t)operation->actual_length;
    write_lines(operation, &datatype, datatype_known, out->extra_text);
    return MQD_OK;
}
_Static_assert(N_LINES < 5 && sizeof ((mqs_pending_operation *)0)->extra_text[0] == LINE_BYTES,
               "the last of MQD 1.0's five lines of 64 stays empty");
