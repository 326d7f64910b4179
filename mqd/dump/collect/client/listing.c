/*
 * listing.c - asks a debug DLL everything about one process, as a debugger does (MQD 1.0, chapter 5.5).
 */
#include "mqd/dump/collect/client/listing.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/base/sort.h"

/* Bounds, since a DLL that follows a broken list may never end. Real jobs are far below them. */
enum {
    MAX_COMMUNICATORS = 1000 * 1000,
    MAX_OPERATIONS = 1000 * 1000,
    MAX_ERRORS = 16,               /* of one queue: a DLL returns each once, then the end */
    MAX_GROUP = 16 * 1000 * 1000,
    MAX_LIBRARIES = 8,
    MAX_CAPABILITIES = 1000
};

/* Called before a text is set: *reason is that of the first code, as the text is. */
static void note_code(const char *error, int *reason, const struct dll *dll, int code)
{
    if (error == NULL && dll->extension != NULL)
        *reason = dll->extension->reason_of(code);
}

/* Only the first failure is kept: *error is its text, *reason its reason. */
static void fail_with_code(char **error, int *reason, const struct dll *dll, int code)
{
    OWNED char *text = dll_explain(dll, code);

    note_code(*error, reason, dll, code);
    set_reason(error, "%s", text);
}

static void fail_listing(struct listing *listing, const struct dll *dll, int code)
{
    fail_with_code(&listing->error, &listing->reason, dll, code);
}

/* The image. */

/* Sets the error to the DLL's message or, if it has none, to a text for its code. */
static void refuse_image(struct listing *listing, const struct dll *dll, int code, const char *message)
{
    const char *name = listing->executable != NULL ? listing->executable : "the program";
    OWNED char *text = message != NULL ? dll_expand_message(message, name) : dll_explain(dll, code);

    note_code(listing->error, &listing->reason, dll, code);
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

struct queued listing_describe_operation(const struct dll *dll, mqs_process *process,
                                         const mqs_pending_operation *said, struct mqd_operation_description *facts)
{
    struct queued operation = queued_of(said);

    if (dll->extension == NULL)
        return operation;
    if (dll->extension->describe_operation(process, facts) == mqs_ok)
        queued_describe(&operation, facts);
    if (DLL_OFFERS(dll, describe_unknown))
        (void)dll->extension->describe_unknown(process, &operation.unknown);
    if (DLL_OFFERS(dll, send_request_of))
        operation.send_request = dll->extension->send_request_of(process);
    if (DLL_OFFERS(dll, collective_number_of))
        operation.collective_number = dll->extension->collective_number_of(process);
    if (DLL_OFFERS(dll, waiter_of))
        operation.waiter = dll->extension->waiter_of(process);
    return operation;
}

static void take_operations(struct queue *queue, const struct dll *dll, mqs_process *process,
                            const struct queue *before)
{
    struct mqd_operation_description facts;

    for (int n_errors = 0; n_errors < MAX_ERRORS;) {
        mqs_pending_operation said = {0};
        int code = dll->next_operation(process, &said);
        struct queued operation;

        if (code == mqs_end_of_list)
            return;
        if (code != mqs_ok) {
            fail_with_code(&queue->error, &queue->reason, dll, code);
            n_errors++;
            continue;
        }
        if (queue->n == MAX_OPERATIONS) {
            set_reason(&queue->error, "the debugging library lists more than %d operations: the rest is not shown",
                       MAX_OPERATIONS);
            return;
        }
        operation = listing_describe_operation(dll, process, &said, &facts);
        queue_add_or_share(queue, before, &operation);
    }
}

static void take_queue(struct queue *queue, const struct dll *dll, mqs_process *process, int class,
                       const struct queue *before)
{
    int code = dll->setup_operation_iterator(process, class);

    queue->available = code == mqs_ok || code == mqs_end_of_list;
    queue->described = dll->extension != NULL;
    if (code == mqs_no_information)
        set_reason(&queue->error, "the debugging library does not know this queue");
    else if (!queue->available)
        fail_with_code(&queue->error, &queue->reason, dll, code);
    else if (code == mqs_ok)
        take_operations(queue, dll, process, before);
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
    fail_with_code(&communicator->group_error, &communicator->group_reason, dll, code);
}

static int compare_traffic(const void *a, const void *b)
{
    const struct traffic *x = a, *y = b;

    return ORDER(x->peer, y->peer);
}

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
    if (communicator->has_summary && communicator->summary.remote_size > 0)
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
                              const struct wishes *wishes)
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
    if (wishes->traffic > 0 && communicator_n_peers(communicator) <= wishes->traffic && dll->extension != NULL)
        take_traffic(communicator, dll, process);
    before = find_before(wishes->before, listing->n - 1, communicator->unique_id);
    for (int class = 0; class < N_QUEUES; class++)
        take_queue(&communicator->queues[class], dll, process, class, before != NULL ? &before->queues[class] : NULL);
}

/* Only with MPI_THREAD_MULTIPLE may several threads be in MPI calls (MPI 4.1, 11.6.2). */
static void take_thread_level(struct listing *listing, const struct dll *dll, mqs_process *process)
{
    enum { SINGLE, FUNNELED, SERIALIZED, MULTIPLE };
    struct mqd_process_description description;

    if (!DLL_OFFERS(dll, describe_process) || dll->extension->describe_process(process, &description) != mqs_ok)
        return;
    listing->thread_level = description.thread_level;
    listing->has_thread_level = description.thread_level >= SINGLE && description.thread_level <= MULTIPLE;
    listing->one_caller = listing->has_thread_level && description.thread_level <= SERIALIZED;
}

static void take_communicators(struct listing *listing, const struct dll *dll, mqs_process *process,
                               const struct wishes *wishes)
{
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
        take_communicator(listing, dll, process, wishes);
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
    return dll_expand_message(message, listing->executable != NULL ? listing->executable : "the program");
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
        note_code(listing->error, &listing->reason, dll, code);
    if (message != NULL && code == mqs_ok)
        *limits = expand(listing, message);
    else if (message != NULL && listing->error == NULL)
        listing->error = expand(listing, message);
    if (code != mqs_ok)
        fail_listing(listing, dll, code);
    return code == mqs_ok;
}

static void take_queues(struct listing *listing, const struct dll *dll, mqs_process *process,
                        const struct wishes *wishes)
{
    int code = wishes->internal ? dll->extension->show_internal(process, 1) : mqs_ok;

    if (code != mqs_ok)
        fail_listing(listing, dll, code);
    take_communicators(listing, dll, process, wishes);
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
            fail_with_code(&library.error, &library.reason, dll, code);
        APPEND(listing->libraries, listing->n_libraries, room, library);
    }
}

static int queue_of(int shown)
{
    switch (shown) {
    case MQD_SHOWN_receives:
        return mqs_pending_receives;
    case MQD_SHOWN_sends:
        return mqs_pending_sends;
    case MQD_SHOWN_unexpected:
        return mqs_unexpected_messages;
    default:
        return -1;
    }
}

/* Notes what is missing of the queues that are shown. What hinders in another way is only slower. */
static void take_gaps(struct listing *listing, const struct dll *dll, mqs_process *process)
{
    struct mqd_limit_description limit;
    struct mqd_capability_description capability;

    for (int i = 0; i < MAX_CAPABILITIES; i++) {
        int queue;

        if (dll->extension->describe_limit(process, i, &limit) != mqs_ok ||
            dll->extension->describe_capability(process, i, &capability) != mqs_ok)
            return;
        queue = queue_of(limit.shown);
        if (queue >= 0 && limit.reason == MQD_REASON_none && limit.hindrance == MQD_REASON_elsewhere)
            listing->gaps[queue] = (struct gap){capability.reason, limit.hindrance};
    }
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
        fail_with_code(&listing->layout_error, &listing->layout_reason, dll, code);
    listing->has_layout = true;
    take_libraries(listing, dll, process);
    take_gaps(listing, dll, process);
    if (!in_detail)
        return;
    details_take(&listing->details, dll, process);
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
    listing->error = copy_string("it died while it was read: what is missing cannot be had any more");
}

void listing_take(struct listing *listing, const struct dll *dll, mqs_process *process, const struct wishes *wishes)
{
    double start = seconds_now();
    OWNED char *limits = NULL;

    listing->layout_only = !wishes->queues;
    if (set_up_process(listing, dll, process, &limits) && wishes->queues)
        take_queues(listing, dll, process, wishes);
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
    switch (status) {
    case mqs_st_pending:
        return "pending";
    case mqs_st_matched:
        return "matched";
    case mqs_st_complete:
        return "complete";
    default:
        return "unknown";
    }
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

static int compare_jobs(const void *a, const void *b)
{
    const struct listing *x = *(const struct listing *const *)a, *y = *(const struct listing *const *)b;

    return strcmp(x->job, y->job) ?: ORDER(x->user, y->user);
}

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
    return (listing->layout_only ? listing->has_layout : listing->has_communicators) && listing->error == NULL;
}

static void free_communicator(struct communicator *communicator)
{
    for (int class = 0; class < N_QUEUES; class++)
        queue_clear(&communicator->queues[class]);
    shared_release(communicator->group);
    shared_release(communicator->peers);
    FREE_ALL(communicator->group_error, communicator->traffic);
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
}

void listing_free(struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++)
        free_communicator(&listing->communicators[i]);
    for (size_t i = 0; i < listing->n_windows; i++)
        window_free(&listing->windows[i]);
    shared_release(listing->layout);
    for (size_t i = 0; i < listing->n_libraries; i++)
        free(listing->libraries[i].error);
    FREE_ALL(listing->communicators, listing->windows, listing->job, listing->executable, listing->error,
             listing->layout_error, listing->libraries);
    details_free(&listing->details);
    *listing = (struct listing){0};
}
