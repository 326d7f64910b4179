#include "fake_listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any test's job has: a walk that goes beyond never ends. */
enum { MAX_OPERATIONS = 100000 };

static void breach(struct fake_listing *listing, const char *what)
{
    if (listing->broken[0] == '\0')
        snprintf(listing->broken, sizeof listing->broken, "%s", what);
}

void fake_listing_init(struct fake_listing *listing)
{
    memset(listing, 0, sizeof *listing);
}

static void drop_comms(struct fake_listing *listing)
{
    for (size_t i = 0; i < listing->n_comms; i++)
        for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
            free(listing->comms[i].queues[queue].operations);
    free(listing->comms);
    listing->comms = NULL;
    listing->n_comms = 0;
}

void fake_listing_deinit(struct fake_listing *listing)
{
    drop_comms(listing);
    memset(listing, 0, sizeof *listing);
}

/* A message is for printf with one string: no other conversion may be in it. */
static bool printable(const char *message)
{
    const char *percent = strchr(message, '%');

    return percent == NULL || (percent[1] == 's' && strchr(percent + 1, '%') == NULL);
}

static char untouched[] = "not written";

/* Does the DLL say of anything that it cannot be shown, or that table and debugger disagree where it is? */
static bool anything_is_off(mqs_process *process)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    struct mqd_capability_description capability;
    struct mqd_type_description type;

    for (int i = 0; extension->describe_capability(process, i, &capability) == mqs_ok; i++)
        if (!capability.on)
            return true;
    for (int i = 0; extension->describe_type(process, i, &type) == mqs_ok; i++)
        if (type.table_size >= 0 && strcmp(type.source, "live") == 0)
            return true;
    return false;
}

/* Judges what a has_queues function did with its message; `well`: there is nothing to tell. */
static void take_message(struct fake_listing *listing, bool well, const char *message)
{
    if (message == untouched)
        breach(listing, "a message that was not written");
    if (message == untouched || message == NULL)
        return;
    if (!printable(message) || strlen(message) >= sizeof listing->message)
        breach(listing, "a message that printf cannot be trusted with");
    else
        snprintf(listing->message, sizeof listing->message, "%s", message);
    if (well)
        breach(listing, "a message though all is well");
}

int fake_open(struct fake_host *host, mqs_process *process, struct fake_listing *listing)
{
    char *message = untouched;
    long n_early_gets = host->n_early_gets;

    drop_comms(listing);
    listing->message[0] = '\0';
    listing->setup_process = listing->process_has_queues = mqs_no_information;
    listing->setup_image = mqs_setup_image(&host->image, &host->image_callbacks);
    if (listing->setup_image != mqs_ok)
        return listing->setup_image;
    fake_host_expire_types(host);
    listing->image_has_queues = mqs_image_has_queues(&host->image, &message);
    fake_host_expire_types(host);
    take_message(listing, listing->image_has_queues == mqs_ok, message);
    if (listing->image_has_queues != mqs_ok)
        return listing->image_has_queues;
    listing->setup_process = mqs_setup_process(process, &host->process_callbacks);
    if (listing->setup_process != mqs_ok)
        return listing->setup_process;
    if (host->n_early_gets != n_early_gets)
        breach(listing, "information was asked for before any was put");
    if (process->info == NULL)
        breach(listing, "mqs_setup_process hung nothing on the process");
    message = untouched;
    listing->process_has_queues = mqs_process_has_queues(process, &message);
    fake_host_expire_types(host);
    take_message(listing, listing->process_has_queues == mqs_ok && !anything_is_off(process), message);
    return listing->process_has_queues;
}

static bool terminated(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static void check_operation(struct fake_listing *listing, const mqs_pending_operation *operation)
{
    if (operation->status < mqs_st_pending || operation->status > mqs_st_complete)
        breach(listing, "an operation with a status that there is not");
    if (operation->desired_length < 0 || operation->actual_length < 0)
        breach(listing, "an operation with a negative length");
    for (int line = 0; line < 5; line++)
        if (!terminated(operation->extra_text[line], sizeof operation->extra_text[line]))
            breach(listing, "a line of text without an end");
    if (operation->extra_text[4][0] != '\0')
        breach(listing, "the last line of text is used");
}

/* What extra_text says of a kind, and of how far an operation is. */
static const char *kind_text(int kind)
{
    static const char *const texts[] = {
        [MQD_OPERATION_recv] = "Recv",   [MQD_OPERATION_probe] = "Probe", [MQD_OPERATION_mprobe] = "Mprobe",
        [MQD_OPERATION_send] = "Send",   [MQD_OPERATION_ssend] = "Ssend", [MQD_OPERATION_bsend] = "Bsend",
        [MQD_OPERATION_rsend] = "Rsend",
    };

    return kind > 0 && (size_t)kind < sizeof texts / sizeof texts[0] ? texts[kind] : "?";
}

static void write_progress(char *text, size_t size, const struct mqd_operation_description *facts,
                           const mqs_pending_operation *operation)
{
    static const char *const texts[] = {
        [MQD_PROGRESS_posted] = "posted, waiting for a message",
        [MQD_PROGRESS_waited_for] = "posted, a thread waits for it",
        [MQD_PROGRESS_complete] = "complete, not waited for yet",
        [MQD_PROGRESS_cancelled] = "cancelled, not waited for yet",
        [MQD_PROGRESS_truncated] = "complete, message was longer than the buffer",
        [MQD_PROGRESS_queued] = "not sent yet, the transport has no room",
        [MQD_PROGRESS_transport] = "eager, the transport has not sent all of it yet",
        [MQD_PROGRESS_rendezvous] = "rendezvous, waiting for the receiver",
        [MQD_PROGRESS_single_copy] = "rendezvous (single copy), waiting for the receiver",
        [MQD_PROGRESS_transfer] = "rendezvous, the receiver has answered",
        [MQD_PROGRESS_in_transit] = "complete for MPI, data still in transit",
        [MQD_PROGRESS_eager] = "eager, waiting for a receive",
        [MQD_PROGRESS_arrived_rendezvous] = "rendezvous, waiting for a receive",
        [MQD_PROGRESS_pending_communicator] = NULL,
        [MQD_PROGRESS_unmatched] = "sent, waiting for a receive",
        [MQD_PROGRESS_unfinished] = "waiting for the receiver or for the network",
        [MQD_PROGRESS_arriving] = "eager, in parts, waiting for a receive",
        [MQD_PROGRESS_handed_over] = "given to the network's library, not complete yet",
    };
    const char *protocol = facts->protocol == MQD_PROTOCOL_eager ? "eager" : "rendezvous";

    if (facts->progress == MQD_PROGRESS_receiving)
        snprintf(text, size, "matched, %lu of %ld bytes arrived", facts->arrived, operation->actual_length);
    else if (facts->progress == MQD_PROGRESS_failed)
        snprintf(text, size, "complete with MPI error class %u", (unsigned)facts->error_class);
    else if (facts->progress == MQD_PROGRESS_out_of_sequence)
        snprintf(text, size, "out of sequence, waits for messages before number %ld", facts->sequence);
    else if (facts->progress == MQD_PROGRESS_pending_communicator)
        snprintf(text, size, "%s, its communicator is not made here yet%s", protocol,
                 strstr(operation->extra_text[0], ", or freed") != NULL ? ", or freed" : "");
    else
        snprintf(text, size, "%s", facts->progress > 0 && facts->progress <= MQD_PROGRESS_handed_over
                                       ? texts[facts->progress] : "?");
}

/* The name of a datatype that has none, and of one that cannot be told. */
static bool is_data(const char *line, const struct mqd_operation_description *facts)
{
    static const char *const without[] = {"elements", "unnamed datatype"};
    char text[128];

    snprintf(text, sizeof text, "%lu x %s", facts->count, facts->datatype);
    if (facts->datatype[0] != '\0')
        return strncmp(text, line, 64) == 0;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%lu x %s", facts->count, without[i]);
        if (strcmp(text, line) == 0)
            return true;
    }
    return false;
}

static bool is_any_unknown(const struct mqd_unknown_description *unknown)
{
    return unknown->peer || unknown->tag || unknown->length || unknown->buffer;
}

/* Does what the DLL says in fields agree with what it says in texts? *reason: the first place where it does not. */
static bool facts_agree(const struct mqd_operation_description *facts, const struct mqd_unknown_description *unknown,
                        const mqs_pending_operation *operation, const struct mqd_process_name *self,
                        const char **reason)
{
    const char (*lines)[64] = (const char (*)[64])operation->extra_text;
    char text[160], matched[64];
    int n = 0;

    *reason = "request";
    snprintf(text, sizeof text, "%s%s%s, request 0x%lx", kind_text(facts->kind),
             facts->persistent ? ", persistent" : "",
             facts->freed && facts->kind != MQD_OPERATION_bsend ? ", handle freed" : "", facts->request);
    if (facts->kind != MQD_OPERATION_message && strcmp(lines[n++], text) != 0)
        return false;
    *reason = "count and datatype";
    snprintf(text, sizeof text, "%lu x", facts->count);
    if (facts->has_count && strcmp(lines[n], text) == 0)
        n++;
    if (facts->has_count && strcmp(lines[n - 1], text) == 0 ? strncmp(lines[n++], facts->datatype, 63) != 0
                                                            : facts->has_count && !is_data(lines[n++], facts))
        return false;
    snprintf(text, sizeof text, "%ld bytes", operation->desired_length);
    if (!facts->has_count && facts->kind != MQD_OPERATION_message && strcmp(lines[n], text) == 0)
        n++;
    *reason = "progress";
    write_progress(text, sizeof text, facts, operation);
    snprintf(matched, sizeof matched, "matched, %ld bytes", operation->actual_length);
    if (strcmp(lines[n], text) != 0 &&
        (facts->progress != MQD_PROGRESS_receiving || facts->arrived != 0 || strcmp(lines[n], matched) != 0))
        return false;
    n++;
    *reason = "what is not known";
    if (n < 4 && is_any_unknown(unknown) && strncmp(lines[n++], "not known: ", 11) != 0)
        return false;
    *reason = "purpose";
    snprintf(text, sizeof text, facts->collective ? "%s, tag %ld" : "for %s", facts->purpose, operation->desired_tag);
    if (n < 4 && facts->purpose[0] != '\0' && strncmp(lines[n++], text, 63) != 0)
        return false;
    *reason = "peer";
    snprintf(text, sizeof text, "peer is rank %ld of another job, 0x%lx", facts->peer.rank, facts->peer.job);
    if (n < 4 && facts->has_peer && facts->peer.job != self->job && strncmp(lines[n++], text, 63) != 0)
        return false;
    *reason = "number of lines";
    return n == 5 || lines[n][0] == '\0' || n == 4;
}

/* What follows from other facts, and from what MQD 1.0 has fields for. */
static bool facts_are_possible(const struct mqd_operation_description *facts,
                               const struct mqd_unknown_description *unknown, const mqs_pending_operation *operation,
                               int op_class)
{
    bool is_message = facts->kind == MQD_OPERATION_message, is_send = facts->mode != MQD_MODE_none;
    bool waits = facts->progress == MQD_PROGRESS_rendezvous || facts->progress == MQD_PROGRESS_single_copy ||
                 facts->progress == MQD_PROGRESS_unmatched;
    bool may_be_numbered = facts->progress == MQD_PROGRESS_posted || facts->progress == MQD_PROGRESS_waited_for;

    return is_message == (op_class == mqs_unexpected_messages) && is_send == (op_class == mqs_pending_sends) &&
           (facts->needs_receiver != 0) == waits && (!waits || operation->status == mqs_st_pending) &&
           (facts->out_of_sequence != 0) == (facts->progress == MQD_PROGRESS_out_of_sequence) &&
           (facts->pending_communicator != 0) == (facts->progress == MQD_PROGRESS_pending_communicator) &&
           (facts->collective != 0) == (operation->desired_tag < 0 && !unknown->tag &&
                                        !(op_class == mqs_pending_receives && operation->tag_wild)) &&
           (facts->internal != 0 || facts->collective == 0) && (facts->request == 0) == is_message &&
           (may_be_numbered || (facts->sequence >= 0) == is_message);
}

/* What is not known has no value that would mean something. */
static bool unknown_is_unsaid(const struct mqd_unknown_description *unknown, const mqs_pending_operation *operation)
{
    return (!unknown->peer || (operation->desired_local_rank == -1 && operation->desired_global_rank == -1)) &&
           (!unknown->tag || (operation->desired_tag == -1 && !operation->tag_wild)) &&
           (!unknown->length || operation->desired_length == 0) && (!unknown->buffer || operation->buffer == 0);
}

static void check_description(mqs_process *process, struct fake_listing *listing, int op_class,
                              const mqs_pending_operation *operation)
{
    const struct mqd_extension_v1 *extension = ompi_mqd_extension(MQD_EXTENSION_VERSION);
    struct mqd_process_name self = {.job = 0};
    struct mqd_unknown_description unknown = {.peer = 0};
    struct fake_out out;
    const char *reason;
    char text[sizeof listing->broken];

    fake_out_init(&out);
    if (extension->describe_operation(process, &out.out.described) != mqs_ok ||
        !fake_out_within(&out, sizeof out.out.described)) {
        breach(listing, "an operation that was given is not described");
        return;
    }
    (void)extension->describe_self(process, &self);
    if (extension->describe_unknown(process, &unknown) != mqs_ok || !unknown_is_unsaid(&unknown, operation))
        breach(listing, "what is not known of an operation is said all the same");
    if (!facts_are_possible(&out.out.described, &unknown, operation, op_class))
        breach(listing, "the facts of an operation contradict each other");
    if (extension->collective_number_of(process) != 0 && !out.out.described.collective)
        breach(listing, "an operation of no collective has the number of one");
    if (out.out.described.progress == MQD_PROGRESS_posted && extension->waiter_of(process) != 0)
        breach(listing, "a thread waits for a receive that none waits for");
    if (facts_agree(&out.out.described, &unknown, operation, &self, &reason))
        return;
    snprintf(text, sizeof text, "the facts of an operation are not what its text says: %s", reason);
    breach(listing, text);
}

static void add_operation(struct fake_queue *queue, const mqs_pending_operation *operation)
{
    if ((queue->n & (queue->n - 1)) == 0) {
        size_t room = queue->n == 0 ? 1 : queue->n * 2;

        queue->operations = realloc(queue->operations, room * sizeof queue->operations[0]);
        if (queue->operations == NULL)
            fake_die("out of memory");
    }
    queue->operations[queue->n++] = *operation;
}

static int next_operation(mqs_process *process, struct fake_listing *listing, struct fake_out *out)
{
    int rc;

    fake_out_init(out);
    rc = mqs_next_operation(process, &out->out.operation);
    if (!fake_out_within(out, rc == mqs_ok ? sizeof out->out.operation : 0))
        breach(listing, "mqs_next_operation wrote what it must not");
    return rc;
}

static void walk_queue(mqs_process *process, struct fake_listing *listing, int op_class, struct fake_queue *queue)
{
    struct fake_out out;
    int rc;

    queue->setup = mqs_setup_operation_iterator(process, op_class);
    while ((rc = next_operation(process, listing, &out)) == mqs_ok && queue->n < MAX_OPERATIONS) {
        check_operation(listing, &out.out.operation);
        check_description(process, listing, op_class, &out.out.operation);
        add_operation(queue, &out.out.operation);
    }
    if (queue->setup != mqs_ok && (queue->n > 0 || rc != mqs_end_of_list))
        breach(listing, "operations after a set-up that failed");
    if (rc != mqs_end_of_list) {
        queue->error = rc;
        rc = next_operation(process, listing, &out);
    }
    if (rc != mqs_end_of_list || next_operation(process, listing, &out) != mqs_end_of_list)
        breach(listing, "mqs_next_operation does not stay at the end");
}

static void walk_group(mqs_process *process, struct fake_listing *listing, struct fake_listed_comm *comm)
{
    struct fake_out out;
    mqs_tword_t size = comm->communicator.size;

    if (size < 0 || size > FAKE_MAX_PROCS)
        return;
    fake_out_init(&out);
    comm->group_rc = mqs_get_comm_group(process, out.out.ints);
    if (!fake_out_within(&out, comm->group_rc == mqs_ok ? (size_t)size * sizeof(int) : 0))
        breach(listing, "mqs_get_comm_group wrote what it must not");
    memcpy(comm->group, out.out.ints, (size_t)size * sizeof(int));
}

static void check_use(mqs_process *process, struct fake_listing *listing)
{
    struct fake_out out;
    const struct mqd_communicator_use *use = &out.out.use;

    fake_out_init(&out);
    if (ompi_mqd_extension(MQD_EXTENSION_VERSION)->describe_use(process, &out.out.use) != mqs_ok ||
        !fake_out_within(&out, sizeof out.out.use)) {
        breach(listing, "the use of a communicator is not described");
        return;
    }
    if (use->owner < MQD_OWNER_unknown || use->owner > MQD_OWNER_library || !terminated(use->name, sizeof use->name) ||
        use->allow_overtaking < -1 || use->allow_overtaking > 1)
        breach(listing, "the use of a communicator is none that there is");
    if ((use->object != 0) != (use->owner == MQD_OWNER_window || use->owner == MQD_OWNER_file) ||
        (use->object == 0 && use->name[0] != '\0') || (!use->has_nonblocking && use->n_nonblocking != 0))
        breach(listing, "what is said of the use of a communicator contradicts itself");
}

static bool walk_comm(mqs_process *process, struct fake_listing *listing)
{
    struct fake_listed_comm *comm = &listing->comms[listing->n_comms];
    struct fake_out out;
    int rc;

    fake_out_init(&out);
    rc = mqs_get_communicator(process, &out.out.communicator);
    if (!fake_out_within(&out, rc == mqs_ok ? sizeof out.out.communicator : 0))
        breach(listing, "mqs_get_communicator wrote what it must not");
    if (rc != mqs_ok)
        return false;
    comm->communicator = out.out.communicator;
    if (!terminated(comm->communicator.name, sizeof comm->communicator.name))
        breach(listing, "a communicator's name without an end");
    walk_group(process, listing, comm);
    check_use(process, listing);
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
        walk_queue(process, listing, queue, &comm->queues[queue]);
    listing->n_comms++;
    return true;
}

void fake_walk(mqs_process *process, struct fake_listing *listing)
{
    int rc = mqs_ok;

    drop_comms(listing);
    listing->error = mqs_ok;
    listing->setup = mqs_setup_communicator_iterator(process);
    if (listing->setup != mqs_ok)
        return;
    listing->comms = calloc(FAKE_MAX_COMMS, sizeof listing->comms[0]);
    if (listing->comms == NULL)
        fake_die("out of memory");
    while (rc == mqs_ok && listing->n_comms < FAKE_MAX_COMMS) {
        if (!walk_comm(process, listing)) {
            breach(listing, "a communicator that mqs_next_communicator promised cannot be had");
            return;
        }
        rc = mqs_next_communicator(process);
    }
    if (rc != mqs_end_of_list) {
        listing->error = rc;
        rc = mqs_next_communicator(process);
    }
    if (rc != mqs_end_of_list || mqs_next_communicator(process) != mqs_end_of_list)
        breach(listing, "mqs_next_communicator does not stay at the end");
}

int fake_list(mqs_process *process, struct fake_listing *listing)
{
    listing->update = mqs_update_communicator_list(process);
    if (listing->update == mqs_ok)
        fake_walk(process, listing);
    else
        drop_comms(listing);
    return listing->update;
}

const struct fake_listed_comm *fake_listed(const struct fake_listing *listing, mqs_taddr_t unique_id)
{
    for (size_t i = 0; i < listing->n_comms; i++)
        if (listing->comms[i].communicator.unique_id == unique_id)
            return &listing->comms[i];
    return NULL;
}

bool fake_says(const mqs_pending_operation *operation, const char *words)
{
    for (int line = 0; line < 5 && operation->extra_text[line][0] != '\0'; line++)
        if (strstr(operation->extra_text[line], words) != NULL)
            return true;
    return false;
}

static bool same_numbers(const mqs_pending_operation *one, const mqs_pending_operation *other)
{
    return one->status == other->status && one->desired_local_rank == other->desired_local_rank
           && one->desired_global_rank == other->desired_global_rank && one->tag_wild == other->tag_wild
           && one->desired_tag == other->desired_tag && one->desired_length == other->desired_length
           && one->system_buffer == other->system_buffer && one->buffer == other->buffer
           && one->actual_local_rank == other->actual_local_rank
           && one->actual_global_rank == other->actual_global_rank && one->actual_tag == other->actual_tag
           && one->actual_length == other->actual_length;
}

static bool same_operation(const mqs_pending_operation *one, const mqs_pending_operation *other)
{
    for (int line = 0; line < 5; line++)
        if (strcmp(one->extra_text[line], other->extra_text[line]) != 0)
            return false;
    return same_numbers(one, other);
}

static enum fake_outcome worse(enum fake_outcome one, enum fake_outcome other)
{
    return one > other ? one : other;
}

/* Where a group cannot be read, which is told with the group, nobody's rank in any job is known. */
static bool same_but_for_world_ranks(const mqs_pending_operation *seen, const mqs_pending_operation *right)
{
    mqs_pending_operation known = *right;

    if (seen->desired_global_rank == MQS_INVALID_PROCESS)
        known.desired_global_rank = MQS_INVALID_PROCESS;
    if (seen->actual_global_rank == MQS_INVALID_PROCESS)
        known.actual_global_rank = MQS_INVALID_PROCESS;
    for (int line = 0; line < 5; line++)
        if (seen->extra_text[line][0] == '\0' && strncmp(known.extra_text[line], "peer is", 7) == 0)
            known.extra_text[line][0] = '\0';
    return same_operation(seen, &known);
}

static enum fake_outcome judge_queue(const struct fake_queue *seen, const struct fake_queue *right, bool group_known)
{
    if (seen->setup != right->setup || seen->error != right->error)
        return seen->setup != mqs_ok || seen->error != mqs_ok ? FAKE_TOLD : FAKE_SILENT;
    if (seen->n != right->n)
        return FAKE_SILENT;
    for (size_t i = 0; i < seen->n; i++)
        if (group_known ? !same_operation(&seen->operations[i], &right->operations[i])
                        : !same_but_for_world_ranks(&seen->operations[i], &right->operations[i]))
            return FAKE_SILENT;
    return FAKE_RIGHT;
}

static enum fake_outcome judge_comm(const struct fake_listed_comm *seen, const struct fake_listed_comm *right)
{
    enum fake_outcome outcome = FAKE_RIGHT;

    if (seen->communicator.local_rank != right->communicator.local_rank
        || seen->communicator.size != right->communicator.size
        || strcmp(seen->communicator.name, right->communicator.name) != 0)
        return FAKE_SILENT;
    if (seen->group_rc != right->group_rc)
        outcome = seen->group_rc != mqs_ok ? FAKE_TOLD : FAKE_SILENT;
    else if (memcmp(seen->group, right->group, sizeof seen->group) != 0)
        return FAKE_SILENT;
    for (int queue = 0; queue < FAKE_N_QUEUES; queue++)
        outcome = worse(outcome, judge_queue(&seen->queues[queue], &right->queues[queue], seen->group_rc == mqs_ok));
    return outcome;
}

/* An error excuses only what it stands with: the queue that it ends, the communicators that are missing. */
enum fake_outcome fake_judge(const struct fake_listing *seen, const struct fake_listing *truth)
{
    enum fake_outcome outcome = FAKE_RIGHT;

    if (seen->setup_image != mqs_ok || seen->image_has_queues != mqs_ok || seen->setup_process != mqs_ok
        || seen->process_has_queues != mqs_ok || seen->update != mqs_ok)
        return FAKE_TOLD;
    if (seen->setup != mqs_ok || seen->error != truth->error)
        outcome = FAKE_TOLD;
    else if (seen->n_comms < truth->n_comms)
        return FAKE_SILENT;
    for (size_t i = 0; i < seen->n_comms; i++) {
        const struct fake_listed_comm *right = fake_listed(truth, seen->comms[i].communicator.unique_id);

        /* What is hidden belongs to another communicator: if that is the one that cannot be read, it is not known. */
        if (right == NULL && seen->error == mqs_ok)
            return FAKE_SILENT;
        if (right != NULL)
            outcome = worse(outcome, judge_comm(&seen->comms[i], right));
    }
    return outcome;
}
