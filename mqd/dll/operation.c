/* operation.c - makes a pending operation of MQD 1.0 from a record. */
#include "mqd/dll/operation.h"

#include <string.h>

#include "mqd/dll/tag.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* padb reads lines of extra_text until an empty one. So at most four are used, and the fifth stays empty. */
enum { N_LINES = 4, LINE_BYTES = 64 };

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

int32_t mqd_tag_of(const struct mqd_operation *operation)
{
    return operation->unknown.tag ? operation->actual_tag : operation->tag;
}

bool mqd_is_internal(const struct mqd_operation *operation)
{
    /* A receive that was cancelled has no message. */
    if (operation->unknown.tag && (operation->status == mqs_st_pending || operation->actual_tag == MQD_ANY))
        return false;
    return mqd_tag_of(operation) < 0 && !operation->tag_wild;
}

void mqd_note(struct mqd_queue *queue, enum mqd_rc rc)
{
    if (queue->rc == MQD_OK)
        queue->rc = rc;
}

const struct mqd_datatype *mqd_read_datatype(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_datatype *datatype = &process->snapshot.datatype;
    struct mqd_object object;

    if (datatype->ta == ta)
        return ta != 0 ? datatype : NULL;
    datatype->ta = 0;
    /* Predefined datatypes are initialised statically, with opal_datatype_t. Others have a class derived from it. */
    if (!process->layout.can[MQD_CAN_datatypes] ||
        mqd_read_object(process, MQD_TYPE_ompi_datatype_t, ta, &object) != MQD_OK ||
        !mqd_object_is(process, ta, "opal_datatype_t"))
        return NULL;
    datatype->size = mqd_uint(&object.view, MQD_PATH_datatype_size);
    mqd_text(process, &object.view, MQD_PATH_datatype_name, datatype->name, sizeof datatype->name);
    if (object.view.rc != MQD_OK)
        return NULL;
    datatype->ta = ta;
    return datatype;
}

static bool is_send(const struct mqd_operation *operation)
{
    return operation->kind != MQD_OPERATION_message && !mqd_is_receive(operation);
}

/*
 * Is the datatype a predefined one, which is never freed? A predefined datatype has a name and the class of its first
 * member, opal_datatype_t. A user's datatype has the class ompi_datatype_t. All other objects of class opal_datatype_t
 * have no name. So the memory of a freed datatype never looks like a predefined one.
 */
static bool is_predefined(struct mqd_process *process, const struct mqd_datatype *datatype)
{
    struct mqd_class descriptor;

    return memcmp(datatype->name, "MPI_", 4) == 0 && mqd_read_class_of(process, datatype->ta, &descriptor) &&
           strcmp(descriptor.name, "opal_datatype_t") == 0;
}

/* Returns the datatype of the operation's elements; NULL if it has none, or if it is not known. */
static const struct mqd_datatype *datatype_of(struct mqd_process *process, const struct mqd_operation *operation)
{
    const struct mqd_datatype *datatype;

    if ((operation->kind != MQD_OPERATION_recv && !is_send(operation)) || operation->in_bytes)
        return NULL;
    datatype = mqd_read_datatype(process, operation->datatype_ta);
    /* A send of zero elements holds no reference to its datatype. So the program may have freed the datatype. */
    if (datatype != NULL && is_send(operation) && operation->count == 0 && !is_predefined(process, datatype))
        return NULL;
    return datatype;
}

static const char *kind_text(enum mqd_operation_kind kind)
{
    switch (kind) {
    case MQD_OPERATION_recv:
        return "Recv";
    case MQD_OPERATION_probe:
        return "Probe";
    case MQD_OPERATION_mprobe:
        return "Mprobe";
    case MQD_OPERATION_send:
        return "Send";
    case MQD_OPERATION_ssend:
        return "Ssend";
    case MQD_OPERATION_bsend:
        return "Bsend";
    case MQD_OPERATION_rsend:
        return "Rsend";
    case MQD_OPERATION_message:
    case MQD_OPERATION_unknown:
        break;
    }
    return "Message";
}

static const char *progress_text(enum mqd_progress progress)
{
    switch (progress) {
    case MQD_PROGRESS_unknown:
        break;
    case MQD_PROGRESS_posted:
        return "posted, waiting for a message";
    case MQD_PROGRESS_waited_for:
        return "posted, a thread waits for it";
    case MQD_PROGRESS_receiving:
        return "matched";
    case MQD_PROGRESS_complete:
        return "complete, not waited for yet";
    case MQD_PROGRESS_cancelled:
        return "cancelled, not waited for yet";
    case MQD_PROGRESS_truncated:
        return "complete, message was longer than the buffer";
    case MQD_PROGRESS_failed:
        return "complete with MPI error class ";
    case MQD_PROGRESS_queued:
        return "not sent yet, the transport has no room";
    case MQD_PROGRESS_transport:
        return "eager, the transport has not sent all of it yet";
    case MQD_PROGRESS_rendezvous:
        return "rendezvous, waiting for the receiver";
    case MQD_PROGRESS_single_copy:
        return "rendezvous (single copy), waiting for the receiver";
    case MQD_PROGRESS_transfer:
        return "rendezvous, the receiver has answered";
    case MQD_PROGRESS_in_transit:
        return "complete for MPI, data still in transit";
    case MQD_PROGRESS_handed_over:
        return "given to the network's library, not complete yet";
    case MQD_PROGRESS_eager:
        return "eager, waiting for a receive";
    case MQD_PROGRESS_arrived_rendezvous:
        return "rendezvous, waiting for a receive";
    case MQD_PROGRESS_out_of_sequence:
        return "out of sequence, waits for messages before number ";
    case MQD_PROGRESS_pending_communicator:
        return ", its communicator is not made here yet";
    case MQD_PROGRESS_unmatched:
        return "sent, waiting for a receive";
    case MQD_PROGRESS_unfinished:
        return "waiting for the receiver or for the network";
    case MQD_PROGRESS_arriving:
        return "eager, in parts, waiting for a receive";
    }
    return "";
}

/*
 * A message may wait for an earlier message or for its communicator. Its progress then does not tell the protocol. Its
 * status does: it is complete if the whole message has arrived. Only of UCX's eager messages a part may have.
 */
static bool is_eager_by_status(const struct mqd_operation *operation)
{
    return operation->status == mqs_st_complete || operation->is_part;
}

static void write_progress(const struct mqd_operation *operation, char *text)
{
    struct mqd_line line = mqd_line_in(text, LINE_BYTES);

    if (operation->progress == MQD_PROGRESS_pending_communicator)
        mqd_add(&line, is_eager_by_status(operation) ? "eager" : "rendezvous");
    mqd_add(&line, progress_text((enum mqd_progress)operation->progress));
    switch ((enum mqd_progress)operation->progress) {
    case MQD_PROGRESS_receiving:
        mqd_add(&line, ", ");
        if (operation->no_arrived) {
            mqd_add_number(&line, operation->actual_length);
            mqd_add(&line, " bytes");
            break;
        }
        mqd_add_number(&line, operation->arrived);
        mqd_add(&line, " of ");
        mqd_add_number(&line, operation->actual_length);
        mqd_add(&line, " bytes arrived");
        break;
    case MQD_PROGRESS_failed:
        mqd_add_number(&line, (uint32_t)operation->error);
        break;
    case MQD_PROGRESS_out_of_sequence:
        mqd_add_number(&line, operation->sequence);
        break;
    case MQD_PROGRESS_pending_communicator:
        mqd_add(&line, operation->is_freed_possible ? ", or freed" : "");
        break;
    default:
        break;
    }
}

/* Writes what of the call's arguments is not known. Returns the number of lines. */
static unsigned write_unknown(const struct mqd_operation *operation, char *text)
{
    const struct mqd_unknown *unknown = &operation->unknown;
    const char *peer = operation->peer_or_any      ? "source (0 or any)"
                       : mqd_is_receive(operation) ? "source"
                                                   : "destination";
    const char *tag = operation->tag_or_any ? "tag (0 or any)" : "tag";
    const char *names[] = {unknown->peer ? peer : NULL, unknown->tag ? tag : NULL,
                           unknown->length ? "length" : NULL, unknown->buffer ? "buffer" : NULL};
    struct mqd_line line = mqd_line_in(text, LINE_BYTES);
    unsigned n = 0;

    mqd_add(&line, "not known: ");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i] != NULL) {
            mqd_add(&line, n++ > 0 ? ", " : "");
            mqd_add(&line, names[i]);
        }
    if (n == 0)
        text[0] = '\0';
    return n > 0;
}

/* Writes "10 x MPI_INT". A name that leaves no room for the count has its own line. Returns the number of lines. */
static unsigned write_data(const struct mqd_operation *operation, const struct mqd_datatype *datatype,
                           char texts[][LINE_BYTES])
{
    struct mqd_line line = mqd_line_in(texts[0], LINE_BYTES);
    const char *name = datatype == NULL ? "elements" : datatype->name[0] != '\0' ? datatype->name : "unnamed datatype";

    if (operation->in_bytes) {
        mqd_add_number(&line, operation->length);
        mqd_add(&line, " bytes");
        return 1;
    }
    mqd_add_number(&line, operation->count);
    if (line.n + sizeof " x " + strlen(name) <= LINE_BYTES) {
        mqd_add(&line, " x ");
        mqd_add(&line, name);
        return 1;
    }
    mqd_add(&line, " x");
    line = mqd_line_in(texts[1], LINE_BYTES);
    mqd_add(&line, name);
    return 2;
}

/* Writes the job of a peer that is a process of another job. Returns the number of lines. */
static unsigned write_job(struct mqd_process *process, const struct mqd_operation *operation, char *text)
{
    struct mqd_communicator *communicator = mqd_communicator_at(process, operation->communicator);
    bool actual = operation->actual_peer >= 0;
    struct mqd_line line = mqd_line_in(text, LINE_BYTES);
    struct mqd_name name;

    if (!mqd_peer_name(process, communicator, actual ? operation->actual_peer : operation->peer, &name) ||
        name.jobid == process->snapshot.own_jobid)
        return 0;
    mqd_add(&line, "peer is rank ");
    mqd_add_number(&line, name.vpid);
    mqd_add(&line, " of another job, ");
    mqd_add_address(&line, name.jobid);
    return 1;
}

/* Writes the purpose of an operation that Open MPI started for itself. Returns the number of lines. */
static unsigned write_purpose(struct mqd_process *process, const struct mqd_operation *operation, char *text)
{
    const char *purpose = mqd_communicator_at(process, operation->communicator)->purpose;
    struct mqd_line line = mqd_line_in(text, LINE_BYTES);

    if (!mqd_is_internal(operation)) {
        if (purpose == NULL)
            return 0;
        mqd_add(&line, "for ");
        mqd_add(&line, purpose);
        return 1;
    }
    mqd_add(&line, mqd_tag_text(process, mqd_tag_of(operation)));
    mqd_add(&line, ", tag -");
    mqd_add_number(&line, (uint64_t)-(int64_t)mqd_tag_of(operation));
    return 1;
}

/* The job of a peer is written only if a line is left. Only a very long datatype name uses up all lines. */
static void write_lines(struct mqd_process *process, const struct mqd_operation *operation,
                        const struct mqd_datatype *datatype, mqs_pending_operation *out)
{
    char(*texts)[LINE_BYTES] = out->extra_text;
    struct mqd_line line;
    unsigned n = 0;

    if (operation->kind != MQD_OPERATION_message) {
        line = mqd_line_in(texts[n++], LINE_BYTES);
        mqd_add(&line, kind_text((enum mqd_operation_kind)operation->kind));
        if (operation->persistent)
            mqd_add(&line, ", persistent");
        /* Of buffered sends it may be Open MPI that has freed it: in MPI_Bsend, or when it was started again. */
        if (operation->freed && operation->kind != MQD_OPERATION_bsend)
            mqd_add(&line, ", handle freed");
        mqd_add(&line, ", request ");
        mqd_add_address(&line, operation->ta);
        if (operation->kind != MQD_OPERATION_probe && operation->kind != MQD_OPERATION_mprobe &&
            !operation->unknown.length)
            n += write_data(operation, datatype, texts + n);
    }
    write_progress(operation, texts[n++]);
    if (n < N_LINES)
        n += write_unknown(operation, texts[n]);
    if (n < N_LINES)
        n += write_purpose(process, operation, texts[n]);
    if (n < N_LINES)
        n += write_job(process, operation, texts[n]);
}

enum mqd_rc mqd_describe(struct mqd_process *process, const struct mqd_operation *operation,
                         mqs_pending_operation *out)
{
    struct mqd_communicator *communicator = mqd_communicator_at(process, operation->communicator);
    const struct mqd_datatype *datatype = datatype_of(process, operation);
    uint64_t length = operation->length;

    if (operation->kind == MQD_OPERATION_recv && operation->count > 0 && !operation->in_bytes) {
        if (datatype == NULL || (datatype->size > 0 && operation->count > INT64_MAX / datatype->size))
            return MQD_RC_bad_datatype;
        length = operation->count * datatype->size;
    }
    if (length > INT64_MAX || operation->actual_length > INT64_MAX)
        return operation->kind == MQD_OPERATION_message ? MQD_RC_bad_fragment : MQD_RC_bad_request;
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
    write_lines(process, operation, datatype, out);
    return MQD_OK;
}
_Static_assert(N_LINES < 5 && sizeof ((mqs_pending_operation *)0)->extra_text[0] == LINE_BYTES,
               "the last of MQD 1.0's five lines of 64 stays empty");

static enum mqd_send_mode mode_of(const struct mqd_operation *operation)
{
    switch ((enum mqd_operation_kind)operation->kind) {
    case MQD_OPERATION_send:
        return MQD_MODE_standard;
    case MQD_OPERATION_ssend:
        return MQD_MODE_synchronous;
    case MQD_OPERATION_bsend:
        return MQD_MODE_buffered;
    case MQD_OPERATION_rsend:
        return MQD_MODE_ready;
    default:
        return MQD_MODE_none;
    }
}

static enum mqd_protocol protocol_of(const struct mqd_operation *operation)
{
    switch ((enum mqd_progress)operation->progress) {
    case MQD_PROGRESS_transport:
    case MQD_PROGRESS_eager:
    case MQD_PROGRESS_arriving:
        return MQD_PROTOCOL_eager;
    case MQD_PROGRESS_rendezvous:
    case MQD_PROGRESS_transfer:
    case MQD_PROGRESS_arrived_rendezvous:
        return MQD_PROTOCOL_rendezvous;
    case MQD_PROGRESS_single_copy:
        return MQD_PROTOCOL_single_copy;
    case MQD_PROGRESS_out_of_sequence:
    case MQD_PROGRESS_pending_communicator:
        return is_eager_by_status(operation) ? MQD_PROTOCOL_eager : MQD_PROTOCOL_rendezvous;
    default:
        return MQD_PROTOCOL_unknown;
    }
}

/* Returns the purpose of an operation that Open MPI started for itself; NULL if it is not such a one, or not known. */
static const char *purpose_of(struct mqd_process *process, const struct mqd_operation *operation)
{
    return mqd_is_internal(operation) ? mqd_tag_text(process, mqd_tag_of(operation))
                                      : mqd_communicator_at(process, operation->communicator)->purpose;
}

static void describe_names(struct mqd_process *process, const struct mqd_operation *operation,
                           struct mqd_operation_description *out)
{
    struct mqd_communicator *communicator = mqd_communicator_at(process, operation->communicator);
    const struct mqd_datatype *datatype = datatype_of(process, operation);
    const char *purpose = purpose_of(process, operation);
    struct mqd_name name;

    if (datatype != NULL)
        mqd_copy_text(out->datatype, sizeof out->datatype, datatype->name, sizeof datatype->name);
    if (purpose != NULL)
        mqd_copy_text(out->purpose, sizeof out->purpose, purpose, strlen(purpose));
    if (mqd_peer_name(process, communicator,
                      operation->actual_peer >= 0 ? operation->actual_peer : operation->peer, &name)) {
        out->has_peer = 1;
        out->peer = (struct mqd_process_name){.job = name.jobid, .rank = (long)name.vpid};
    }
}

void mqd_describe_operation(struct mqd_process *process, const struct mqd_operation *operation,
                            struct mqd_operation_description *out)
{
    bool is_message = operation->kind == MQD_OPERATION_message;

    memset(out, 0, sizeof *out);
    out->kind = operation->kind;
    out->mode = (int)mode_of(operation);
    out->protocol = (int)protocol_of(operation);
    out->progress = operation->progress;
    out->persistent = operation->persistent;
    out->freed = operation->freed;
    out->collective = mqd_is_internal(operation);
    out->internal = out->collective || mqd_communicator_at(process, operation->communicator)->hidden;
    out->needs_receiver =
        operation->progress == MQD_PROGRESS_rendezvous || operation->progress == MQD_PROGRESS_single_copy ||
        operation->progress == MQD_PROGRESS_unmatched;
    out->out_of_sequence = operation->progress == MQD_PROGRESS_out_of_sequence;
    out->pending_communicator = operation->progress == MQD_PROGRESS_pending_communicator;
    if (operation->progress == MQD_PROGRESS_failed || operation->progress == MQD_PROGRESS_truncated)
        out->error_class = operation->error;
    out->sequence = is_message ? operation->sequence : operation->is_numbered ? (long)operation->order - 1 : -1;
    out->request = is_message ? 0 : (mqs_taddr_t)operation->ta;
    out->arrived = (unsigned long)operation->arrived;
    out->has_count = (operation->kind == MQD_OPERATION_recv || is_send(operation)) && !operation->in_bytes;
    out->count = out->has_count ? (unsigned long)operation->count : 0;
    describe_names(process, operation, out);
}
