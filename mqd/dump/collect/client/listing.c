/*
 * listing.c - asks a debug DLL everything about one process, as a debugger does (MQD 1.0, chapter 5.5).
 */
#include "mqd/dump/collect/client/listing.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/base/sort.h"

/* Bounds, since a DLL that follows a broken list may never end. Real jobs are far below them. */
enum {
    MAX_COMMUNICATORS = 1000 * 1000,
    MAX_OPERATIONS = 1000 * 1000,
    MAX_ERRORS = 16,               /* of one queue: a DLL returns each once, then the end */
    MAX_GROUP = 16 * 1000 * 1000,
    MAX_LIBRARIES = 8,
    MAX_ITEMS = 100 * 1000,        /* of a list of details; ours has some hundred fields */
    MAX_CAPABILITIES = 1000
};

const char died_meanwhile[] = "it died while it was read: what is missing cannot be had any more";

static void fail_listing(struct listing *listing, const struct dll *dll, int code)
{
    dll_fail(dll, code, &listing->error, &listing->reason);
}

static const char *program_of(const struct listing *listing)
{
    return listing->executable != NULL ? listing->executable : "the program";
}

/* The image. */

/* Sets the error to the DLL's message or, if it has none, to a text for its code. */
static void refuse_image(struct listing *listing, const struct dll *dll, int code, const char *message)
{
    const char *name = program_of(listing);
    OWNED char *text = message != NULL ? dll_expand_message(message, name) : dll_explain(dll, code);

    dll_note(dll, code, listing->error, &listing->reason);
    if (message != NULL)
        set_reason(&listing->error, "the debugging library refuses %s: %s", name, text);
    else
        set_reason(&listing->error,
                   "the debugging library finds no message queues in %s: %s (give the pids of ranks, not of "
                   "mpirun or a shell; if this is a rank that has only just started, try again)",
                   name, text);
}

bool listing_examine_image(struct listing *listing, const struct dll *dll, mqs_image *image)
{
    char *message = NULL;
    double start = seconds_now();
    int code = dll->setup_image(image, &host_image_callbacks);

    if (code == mqs_ok)
        code = dll->image_has_queues(image, &message);
    listing->dll_seconds += seconds_now() - start;
    if (code != mqs_ok)
        refuse_image(listing, dll, code, message);
    return code == mqs_ok;
}

/* Operations. */

/* What is called the same in struct queued. */
#define OF_MQD(COPY)                                                                                                   \
    COPY(status) COPY(desired_local_rank) COPY(desired_global_rank) COPY(tag_wild) COPY(desired_tag)                   \
    COPY(desired_length) COPY(system_buffer) COPY(buffer) COPY(actual_local_rank) COPY(actual_global_rank)             \
    COPY(actual_tag) COPY(actual_length)
#define OF_EXTENSION(COPY)                                                                                             \
    COPY(kind) COPY(mode) COPY(protocol) COPY(progress) COPY(persistent) COPY(freed) COPY(collective) COPY(internal)   \
    COPY(needs_receiver) COPY(out_of_sequence) COPY(pending_communicator) COPY(error_class) COPY(sequence)             \
    COPY(request) COPY(arrived) COPY(has_count) COPY(count) COPY(datatype) COPY(purpose) COPY(has_peer) COPY(peer)
#define COPY_SAID(member) operation.member = said->member;
#define COPY_FACT(member) operation.member = facts->member;

struct queued listing_describe_operation(const struct dll *dll, mqs_process *process,
                                         const mqs_pending_operation *said, struct mqd_operation_description *facts)
{
    struct queued operation;
    struct mqd_unknown_description unknown = {0};

    /* What the compiler leaves between members is compared too. */
    memset(&operation, 0, sizeof operation);
    OF_MQD(COPY_SAID)
    for (size_t i = 0; i < N_EXTRA_TEXTS; i++)
        operation.extra_text[i] = said->extra_text[i];
    *facts = (struct mqd_operation_description){.sequence = -1};
    if (dll->extension != NULL && dll->extension->describe_operation(process, facts) != mqs_ok)
        *facts = (struct mqd_operation_description){.sequence = -1};
    OF_EXTENSION(COPY_FACT)
    operation.base = "";
    if (DLL_OFFERS(dll, describe_unknown))
        (void)dll->extension->describe_unknown(process, &unknown);
    operation.unknown =
        (struct queued_unknown){unknown.peer != 0, unknown.tag != 0, unknown.length != 0, unknown.buffer != 0};
    if (DLL_OFFERS(dll, send_request_of))
        operation.send_request = dll->extension->send_request_of(process);
    if (DLL_OFFERS(dll, collective_number_of))
        operation.collective_number = dll->extension->collective_number_of(process);
    if (DLL_OFFERS(dll, waiter_of))
        operation.waiter = dll->extension->waiter_of(process);
    return operation;
}

static void take_operations(struct queue *queue, const struct dll *dll, mqs_process *process, int class,
                            const struct queue *before, struct made_datatypes *datatypes)
{
    struct mqd_operation_description facts;

    for (int n_errors = 0; n_errors < MAX_ERRORS;) {
        mqs_pending_operation said = {0};
        int code = dll->next_operation(process, &said);
        struct queued operation;

        if (code == mqs_end_of_list)
            return;
        if (code != mqs_ok) {
            dll_fail(dll, code, &queue->error, &queue->reason);
            n_errors++;
            continue;
        }
        if (queue->n == MAX_OPERATIONS) {
            set_reason(&queue->error, "the debugging library lists more than %d operations: the rest is not shown",
                       MAX_OPERATIONS);
            return;
        }
        operation = listing_describe_operation(dll, process, &said, &facts);
        made_datatype_take(datatypes, class, &operation, dll, process);
        queue_add_or_share(queue, before, &operation);
    }
}

static void take_queue(struct queue *queue, const struct dll *dll, mqs_process *process, int class,
                       const struct queue *before, struct made_datatypes *datatypes)
{
    int code = dll->setup_operation_iterator(process, class);

    queue->available = code == mqs_ok || code == mqs_end_of_list;
    queue->described = dll->extension != NULL;
    if (code == mqs_no_information)
        set_reason(&queue->error, "the debugging library does not know this queue");
    else if (!queue->available)
        dll_fail(dll, code, &queue->error, &queue->reason);
    else if (code == mqs_ok)
        take_operations(queue, dll, process, class, before, datatypes);
}

/* Communicators. */

static void take_group(struct communicator *communicator, const struct dll *dll, mqs_process *process)
{
    int code;

    if (communicator->size < 0 || communicator->size > MAX_GROUP) {
        set_reason(&communicator->group_error, "a communicator of %ld processes cannot be", communicator->size);
        return;
    }
    communicator->group = shared_allocate((size_t)communicator->size, sizeof *communicator->group);
    code = dll->get_comm_group(process, communicator->group);
    if (code == mqs_ok)
        return;
    shared_release(communicator->group);
    communicator->group = NULL;
    dll_fail(dll, code, &communicator->group_error, &communicator->group_reason);
}

COMPARATOR(compare_traffic, struct traffic, ORDER(x->peer, y->peer))

/* Keeps only peers with messages: in a large communicator most peers have never been in contact. */
static void take_traffic(struct communicator *communicator, const struct dll *dll, mqs_process *process)
{
    struct mqd_traffic_description given;
    bool known = true;
    int code = mqs_ok;

    for (int i = 0; i < MAX_GROUP && code == mqs_ok; i++) {
        code = dll->extension->describe_traffic(process, i, &given);
        if (code != mqs_ok || (given.n_sent == 0 && given.n_arrived == 0))
            continue;
        known &= given.global_rank >= 0;
        if (given.global_rank < 0)
            continue;
        APPEND(communicator->traffic, communicator->n_traffic, communicator->traffic_room,
               (struct traffic){given.global_rank, (uint16_t)given.n_sent, (uint16_t)given.n_arrived});
    }
    communicator->has_traffic = code == mqs_end_of_list && known;
    SORT(communicator->traffic, communicator->n_traffic, compare_traffic);
}

/* How many peers need a name, because they may be of other jobs; 0: none. */
static long count_peers(const struct communicator *communicator)
{
    if (communicator_is_inter(communicator))
        return communicator->summary.remote_size <= MAX_GROUP ? communicator->summary.remote_size : 0;
    for (mqs_tword_t i = 0; communicator->group != NULL && i < communicator->size; i++)
        if (communicator->group[i] < 0)
            return communicator->size;
    return 0;
}

static void take_peers(struct communicator *communicator, const struct dll *dll, mqs_process *process)
{
    long n = count_peers(communicator);

    if (n == 0 || dll->extension == NULL)
        return;
    communicator->peers = shared_allocate((size_t)n, sizeof *communicator->peers);
    for (long i = 0; i < n; i++) {
        if (dll->extension->describe_member(process, (int)i, &communicator->peers[i]) == mqs_ok)
            continue;
        shared_release(communicator->peers);
        communicator->peers = NULL;
        return;
    }
}

/* The window that the communicator was made for, if there is one. */
static void take_window(struct listing *listing, const struct communicator *communicator, const struct dll *dll,
                        mqs_process *process)
{
    struct window window = {.unique_id = communicator->unique_id, .local_rank = communicator->local_rank,
                            .size = communicator->size, .description.object = communicator->use.object};

    if (communicator->use.owner != MQD_OWNER_window || communicator->group == NULL)
        return;
    memcpy(window.name, communicator->use.name, sizeof window.name);
    window.name[sizeof window.name - 1] = '\0';
    window.group = shared_use(communicator->group);
    if (window_take(&window, dll, process))
        APPEND(listing->windows, listing->n_windows, listing->window_room, window);
}

/* The communicator that is at that place, if it was there at the look before too. */
static const struct communicator *find_before(const struct listing *before, size_t i, mqs_taddr_t unique_id)
{
    return before != NULL && i < before->n && before->communicators[i].unique_id == unique_id
               ? &before->communicators[i]
               : NULL;
}

static void take_communicator(struct listing *listing, const struct dll *dll, mqs_process *process,
                              const struct wishes *wishes, struct made_datatypes *datatypes)
{
    mqs_communicator given = {0};
    struct communicator *communicator;
    const struct communicator *before;
    int code = dll->get_communicator(process, &given);

    if (code != mqs_ok) {
        fail_listing(listing, dll, code);
        return;
    }
    APPEND(listing->communicators, listing->n, listing->room,
           (struct communicator){.unique_id = given.unique_id, .local_rank = given.local_rank, .size = given.size});
    communicator = &listing->communicators[listing->n - 1];
    memcpy(communicator->name, given.name, sizeof given.name);
    communicator->has_summary = dll->extension != NULL &&
                                dll->extension->describe_communicator(process, &communicator->summary) == mqs_ok;
    communicator->has_use =
        DLL_OFFERS(dll, describe_use) && dll->extension->describe_use(process, &communicator->use) == mqs_ok;
    take_group(communicator, dll, process);
    take_peers(communicator, dll, process);
    take_window(listing, communicator, dll, process);
    arrangement_take(&communicator->arrangement, dll, process);
    if (wishes->traffic > 0 && communicator_n_peers(communicator) <= wishes->traffic && dll->extension != NULL)
        take_traffic(communicator, dll, process);
    before = find_before(wishes->before, listing->n - 1, communicator->unique_id);
    for (int class = 0; class < N_QUEUES; class++)
        take_queue(&communicator->queues[class], dll, process, class, before != NULL ? &before->queues[class] : NULL,
                   datatypes);
}

/* Only with MPI_THREAD_MULTIPLE may several threads be in MPI calls (MPI 4.1, 11.6.2). */
static void take_thread_level(struct listing *listing, const struct dll *dll, mqs_process *process)
{
    struct mqd_process_description description;

    if (!DLL_OFFERS(dll, describe_process) || dll->extension->describe_process(process, &description) != mqs_ok)
        return;
    listing->thread_level = description.thread_level;
    listing->has_thread_level = description.thread_level >= LEVEL_SINGLE && description.thread_level <= LEVEL_MULTIPLE;
    listing->one_caller = listing->has_thread_level && description.thread_level <= LEVEL_SERIALIZED;
}

static void take_communicators(struct listing *listing, const struct dll *dll, mqs_process *process,
                               const struct wishes *wishes)
{
    struct made_datatypes datatypes = {0};
    int code = dll->update_communicator_list(process);

    if (code != mqs_ok) {
        fail_listing(listing, dll, code);
        return;
    }
    listing->has_name = dll->extension != NULL && dll->extension->describe_self(process, &listing->name) == mqs_ok;
    take_thread_level(listing, dll, process);
    code = dll->setup_communicator_iterator(process);
    listing->has_communicators = code == mqs_ok || code == mqs_end_of_list;
    for (int n = 0; code == mqs_ok && n < MAX_COMMUNICATORS; n++) {
        take_communicator(listing, dll, process, wishes, &datatypes);
        code = dll->next_communicator(process);
    }
    if (code == mqs_ok)
        set_reason(&listing->error, "the debugging library lists more than %d communicators: the rest is not shown",
                   MAX_COMMUNICATORS);
    else if (code != mqs_end_of_list)
        fail_listing(listing, dll, code);
}

/* The process. */

static char *expand(const struct listing *listing, const char *message)
{
    return dll_expand_message(message, program_of(listing));
}

/* False if the DLL refuses the process. Else *limits, for free(), is the DLL's message about the process. */
static bool set_up_process(struct listing *listing, const struct dll *dll, mqs_process *process, char **limits)
{
    char *message = NULL;
    int code = dll->setup_process(process, &host_process_callbacks);

    /* Without an object of the DLL for this process other calls would fail. */
    if (code == mqs_ok && process->info == NULL)
        return set_reason(&listing->error, "the debugging library knows nothing of this process");
    if (code == mqs_ok)
        code = dll->process_has_queues(process, &message);
    if (code != mqs_ok)
        dll_note(dll, code, listing->error, &listing->reason);
    if (message != NULL && code == mqs_ok)
        *limits = expand(listing, message);
    else if (message != NULL && listing->error == NULL)
        listing->error = expand(listing, message);
    if (code != mqs_ok)
        fail_listing(listing, dll, code);
    return code == mqs_ok;
}

/* Did a read fail when the DLL looked at the process last? */
static bool is_unread(const struct dll *dll, mqs_process *process)
{
    struct mqd_process_description description;

    return DLL_OFFERS(dll, describe_process) && DLL_OFFERS(dll, reason_of) &&
           dll->extension->reason_of(dll->extension->describe_process(process, &description)) ==
               MQD_REASON_unreadable;
}

/*
 * The DLL looks at the process when it is asked whether there are queues, and again for the list of communicators. What
 * it has said of a read that failed at the first time is over if the second time gives a list.
 */
static void take_queues(struct listing *listing, const struct dll *dll, mqs_process *process,
                        const struct wishes *wishes, char **limits)
{
    bool was_unread = *limits != NULL && is_unread(dll, process);
    int code = wishes->internal ? dll->extension->show_internal(process, 1) : mqs_ok;

    if (code != mqs_ok)
        fail_listing(listing, dll, code);
    take_communicators(listing, dll, process, wishes);
    if (was_unread && listing->n > 0)
        free(TAKEN(*limits));
}

/* What handles stand for. It is asked of the list that the DLL has made for the queues, or of one for this. */
static void take_answers(struct listing *listing, const struct dll *dll, mqs_process *process,
                         const struct wishes *wishes)
{
    int code = wishes->queues || wishes->questions.n == 0 ? mqs_ok : dll->update_communicator_list(process);

    if (code != mqs_ok) {
        fail_listing(listing, dll, code);
        return;
    }
    for (size_t i = 0; i < wishes->questions.n; i++)
        APPEND(listing->answers, listing->n_answers, listing->answer_room,
               handle_answer_take(wishes->questions.words[i], dll, process));
}

static void take_libraries(struct listing *listing, const struct dll *dll, mqs_process *process)
{
    size_t room = 0;

    for (int i = 0; i < MAX_LIBRARIES && DLL_OFFERS(dll, describe_library); i++) {
        struct library library = {.summary = {.version_in_family = -1}};
        int code = dll->extension->describe_library(process, i, &library.summary);

        if (code == mqs_end_of_list)
            return;
        if (code != mqs_ok)
            dll_fail(dll, code, &library.error, &library.reason);
        APPEND(listing->libraries, listing->n_libraries, room, library);
    }
}

/* Notes what is missing of the queues that are shown. What hinders in another way is only slower. */
static void take_gaps(struct listing *listing, const struct dll *dll, mqs_process *process)
{
    static const int shown[N_QUEUES] = {[mqs_pending_receives] = MQD_SHOWN_receives,
                                        [mqs_pending_sends] = MQD_SHOWN_sends,
                                        [mqs_unexpected_messages] = MQD_SHOWN_unexpected};
    struct mqd_limit_description limit;
    struct mqd_capability_description capability;

    for (int i = 0; i < MAX_CAPABILITIES; i++) {
        if (dll->extension->describe_limit(process, i, &limit) != mqs_ok ||
            dll->extension->describe_capability(process, i, &capability) != mqs_ok)
            return;
        for (int queue = 0; queue < N_QUEUES; queue++)
            if (limit.shown == shown[queue] && limit.reason == MQD_REASON_none &&
                limit.hindrance == MQD_REASON_elsewhere)
                listing->gaps[queue] = (struct gap){capability.reason, limit.hindrance};
    }
}

/* The lists of details have different items, but are asked for in the same way. What is not answered is left out. */
#define TAKE(items, n_items, describe)                                                              \
    do {                                                                                            \
        size_t room = 0;                                                                            \
                                                                                                    \
        for (int i = 0; i < MAX_ITEMS; i++) {                                                       \
            (items) = grow_array((items), (n_items), &room, sizeof *(items));                       \
            if (describe(process, i, &(items)[i]) != mqs_ok)                                        \
                break;                                                                              \
            (n_items)++;                                                                            \
        }                                                                                           \
    } while (false)

static void take_details(struct details *details, const struct dll *dll, mqs_process *process)
{
    const struct mqd_extension_v1 *extension = dll->extension;

    TAKE(details->types, details->n_types, extension->describe_type);
    TAKE(details->fields, details->n_fields, extension->describe_field);
    TAKE(details->probes, details->n_probes, extension->describe_probe);
    TAKE(details->capabilities, details->n_capabilities, extension->describe_capability);
    TAKE(details->limits, details->n_limits, extension->describe_limit);
}

/* Takes the layout also of a process that was refused: it shows why. */
static void take_layout(struct listing *listing, const struct dll *dll, mqs_process *process, bool in_detail)
{
    int code;

    if (dll->extension == NULL || process->info == NULL)
        return;
    listing->layout = shared_allocate(1, sizeof *listing->layout);
    code = dll->extension->describe_layout(process, listing->layout);
    if (code != mqs_ok)
        dll_fail(dll, code, &listing->layout_error, &listing->layout_reason);
    listing->has_layout = true;
    take_libraries(listing, dll, process);
    take_gaps(listing, dll, process);
    if (!in_detail)
        return;
    take_details(&listing->details, dll, process);
    listing->has_details = true;
    if (listing->layout_error != NULL && listing->error == NULL) {
        listing->error = copy_string(listing->layout_error);
        listing->reason = listing->layout_reason;
    }
}

/* The rank from the environment comes first: it is known before MPI_Init. */
static void find_rank(struct listing *listing, const mqs_process *process)
{
    listing->rank = process->rank;
    for (size_t i = 0; i < listing->n && listing->rank < 0; i++)
        if (listing->communicators[i].unique_id == 0)
            listing->rank = listing->communicators[i].local_rank;
}

/* If the process ended while it was read, that is the reason, not the DLL's error. */
static void note_death(struct listing *listing, const struct process *process)
{
    if (!process->dead)
        return;
    free(listing->error);
    listing->reason = MQD_REASON_unknown;
    listing->error = copy_string(died_meanwhile);
}

void listing_take(struct listing *listing, const struct dll *dll, mqs_process *process, const struct wishes *wishes)
{
    double start = seconds_now();
    OWNED char *limits = NULL;

    listing->layout_only = !wishes->queues;
    if (set_up_process(listing, dll, process, &limits)) {
        if (wishes->queues)
            take_queues(listing, dll, process, wishes, &limits);
        take_answers(listing, dll, process, wishes);
    }
    take_layout(listing, dll, process, wishes->layout);
    if (limits != NULL && wishes->queues)
        set_reason(&listing->error, "%s", limits);
    listing->dll_seconds += seconds_now() - start;
    find_rank(listing, process);
    note_death(listing, process->process);
}

void listing_release(const struct dll *dll, mqs_image *image, mqs_process *process)
{
    if (process->info != NULL)
        dll->destroy_process_info(process->info);
    if (image->info != NULL)
        dll->destroy_image_info(image->info);
    process->info = NULL;
    image->info = NULL;
}

/* The result. */

const char *operation_status_name(int status)
{
    static const char *const names[] = {
        [mqs_st_pending] = "pending", [mqs_st_matched] = "matched", [mqs_st_complete] = "complete"};

    return status >= 0 && (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

bool listing_hides_blocking(const struct listing *listing)
{
    return listing->gaps[mqs_pending_sends].text != NULL || listing->gaps[mqs_pending_receives].text != NULL;
}

static bool communicator_is_complete(const struct communicator *communicator)
{
    for (int class = 0; class < N_QUEUES; class++)
        if (!communicator->queues[class].available || communicator->queues[class].error != NULL)
            return false;
    return communicator->group != NULL;
}

bool communicator_is_inter(const struct communicator *communicator)
{
    return communicator->has_summary && communicator->summary.remote_size > 0;
}

long communicator_n_peers(const struct communicator *communicator)
{
    return communicator_is_inter(communicator) ? communicator->summary.remote_size : communicator->size;
}

bool communicator_is_cartesian(const struct communicator *communicator)
{
    return arrangement_is_cartesian(&communicator->arrangement, communicator->size, communicator->local_rank);
}

bool listings_have_several_jobs(const struct listing *const *listings, size_t n)
{
    const struct listing *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (listings[i]->job == NULL)
            continue;
        if (first != NULL && strcmp(listings[i]->job, first->job) != 0)
            return true;
        if (first == NULL || first->user < 0)
            first = listings[i];
        else if (listings[i]->user >= 0 && listings[i]->user != first->user)
            return true;
    }
    return false;
}

COMPARATOR(compare_jobs, const struct listing *, strcmp((*x)->job, (*y)->job) ?: ORDER((*x)->user, (*y)->user))

bool listings_share_job_names(const struct listing *const *listings, size_t n)
{
    OWNED const struct listing **named = allocate_array(n + 1, sizeof *named);
    size_t n_named = 0;

    for (size_t i = 0; i < n; i++)
        if (listings[i]->job != NULL && listings[i]->user >= 0)
            named[n_named++] = listings[i];
    SORT(named, n_named, compare_jobs);
    for (size_t i = 1; i < n_named; i++)
        if (strcmp(named[i]->job, named[i - 1]->job) == 0 && named[i]->user != named[i - 1]->user)
            return true;
    return false;
}

const struct mqd_layout_summary *listing_layout(const struct listing *listing)
{
    static const struct mqd_layout_summary nothing;

    return listing->layout != NULL ? listing->layout : &nothing;
}

bool listing_is_complete(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        if (!communicator_is_complete(&listing->communicators[i]))
            return false;
    for (size_t i = 0; i < listing->n_answers; i++)
        if (!handle_answer_is_complete(&listing->answers[i]))
            return false;
    return (listing->layout_only ? listing->has_layout : listing->has_communicators) && listing->error == NULL;
}

const struct handle_answer *listing_answer(const struct listing *listing, const char *question)
{
    for (size_t i = 0; i < listing->n_answers; i++)
        if (strcmp(listing->answers[i].question, question) == 0)
            return &listing->answers[i];
    return NULL;
}

static void free_communicator(struct communicator *communicator)
{
    for (int class = 0; class < N_QUEUES; class++)
        queue_clear(&communicator->queues[class]);
    shared_release(communicator->group);
    shared_release(communicator->peers);
    FREE_ALL(communicator->group_error, communicator->traffic, communicator->arrangement.dimensions);
}

void listing_hide_internal(struct listing *listing)
{
    size_t n = 0;

    for (size_t i = 0; i < listing->n; i++) {
        struct communicator *communicator = &listing->communicators[i];

        if (communicator->has_summary && communicator->summary.internal) {
            free_communicator(communicator);
            continue;
        }
        for (int class = 0; class < N_QUEUES; class++)
            queue_hide_internal(&communicator->queues[class], class);
        listing->communicators[n++] = *communicator;
    }
    listing->n = n;
    for (size_t i = 0; i < listing->n_answers; i++)
        handle_answer_hide_internal(&listing->answers[i]);
}

struct listing listing_again(const struct listing *before)
{
    struct listing listing = {.pid = before->pid, .rank = before->rank, .dll_seconds = before->dll_seconds};

    if (before->executable != NULL)
        listing.executable = copy_string(before->executable);
    if (before->job != NULL)
        listing.job = copy_string(before->job);
    return listing;
}

void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        free_communicator(&listing->communicators[i]);
    for (size_t i = 0; i < listing->n_windows; i++)
        window_free(&listing->windows[i]);
    for (size_t i = 0; i < listing->n_answers; i++)
        handle_answer_clear(&listing->answers[i]);
    shared_release(listing->layout);
    for (size_t i = 0; i < listing->n_libraries; i++)
        free(listing->libraries[i].error);
    FREE_ALL(listing->communicators, listing->windows, listing->answers, listing->job, listing->executable,
             listing->error, listing->layout_error, listing->libraries, listing->details.types, listing->details.fields,
             listing->details.probes, listing->details.capabilities, listing->details.limits);
    *listing = (struct listing){0};
}
