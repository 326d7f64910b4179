/*
 * test_dump_listing.c - mqdump as a client of the debugging interface: what it asks, in which order, and how it uses
 * the answers. The library is a table of functions that follow a script.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mqd/dump/collect/client/listing.h"

enum { CODE_A = mqs_first_user_code, CODE_B };

/* What the library does. If all is zero, the process has no errors, two communicators and one receive in each. */
static struct script {
    int image_code, process_code, update_code, iterator_code, get_code, group_code, setup_operation_code;
    int next_communicator_code;    /* after the last one, in place of mqs_end_of_list */
    bool endless_operations;
    int bad_operations;            /* so many times CODE_B after the first operation */
    bool no_process_info;
    mqs_tword_t size;
    char *message;
    int show_code, layout_code, traffic_code, name_code, member_code;
    unsigned n_sent_elsewhere;     /* to a process of another job */
    int n_fields;                  /* -1: without end */
    int hindrance;                 /* of sends, in place of MQD_REASON_no_symbol */
    int library_code;
    bool endless_libraries;
    const char *capability_reason;
} script;

static int shown_internal;         /* how often it was asked for before the update */
static bool updated;
static int n_got, n_operations, n_errors, class_now;
static char calls[1024];
static int destroyed;

struct _mqs_process_info {
    int unused;
};
static struct _mqs_process_info process_info;

static void called(const char *name)
{
    size_t length = strlen(calls);

    snprintf(calls + length, sizeof calls - length, "%s ", name);
}

static char *error_string(int code)
{
    static char a[] = "reason A", b[] = "reason B", none[] = "";

    return code == CODE_A ? a : code == CODE_B ? b : none;
}

static int setup_image(mqs_image *image, const mqs_image_callbacks *callbacks)
{
    assert_ptr_equal(callbacks, &host_image_callbacks);
    assert_non_null(image);
    called("setup_image");
    return mqs_ok;
}

static int image_has_queues(mqs_image *image, char **message)
{
    (void)image;
    called("image_has_queues");
    *message = script.message;
    return script.image_code;
}

static int setup_process(mqs_process *process, const mqs_process_callbacks *callbacks)
{
    assert_ptr_equal(callbacks, &host_process_callbacks);
    called("setup_process");
    process->info = script.no_process_info ? NULL : &process_info;
    return mqs_ok;
}

static int process_has_queues(mqs_process *process, char **message)
{
    (void)process;
    called("process_has_queues");
    *message = script.message;
    return script.process_code;
}

static void destroy_process_info(mqs_process_info *info)
{
    assert_ptr_equal(info, &process_info);
    destroyed++;
}

static int update(mqs_process *process)
{
    (void)process;
    called("update");
    updated = true;
    n_got = 0;
    return script.update_code;
}

static int setup_communicators(mqs_process *process)
{
    (void)process;
    called("communicators");
    return script.iterator_code;
}

static int get_communicator(mqs_process *process, mqs_communicator *communicator)
{
    (void)process;
    if (script.get_code != mqs_ok)
        return script.get_code;
    *communicator = (mqs_communicator){.unique_id = (mqs_taddr_t)n_got, .local_rank = 1, .size = script.size};
    memset(communicator->name, 'n', sizeof communicator->name);
    return mqs_ok;
}

static int get_group(mqs_process *process, int *group)
{
    (void)process;
    for (int i = 0; i < script.size; i++)
        group[i] = 10 + i;
    return script.group_code;
}

static int next_communicator(mqs_process *process)
{
    (void)process;
    if (++n_got < 2)
        return mqs_ok;
    return script.next_communicator_code != 0 ? script.next_communicator_code : mqs_end_of_list;
}

static int setup_operations(mqs_process *process, int class)
{
    (void)process;
    class_now = class;
    n_operations = n_errors = 0;
    return class == mqs_unexpected_messages ? script.setup_operation_code : mqs_ok;
}

static int next_operation(mqs_process *process, mqs_pending_operation *operation)
{
    (void)process;
    if (class_now != mqs_pending_receives)
        return mqs_end_of_list;
    if (n_operations == 1 && n_errors < script.bad_operations) {
        n_errors++;
        return CODE_B;
    }
    if (n_operations == 2 && !script.endless_operations)
        return mqs_end_of_list;
    *operation = (mqs_pending_operation){.desired_tag = ++n_operations};
    return mqs_ok;
}

static int describe(mqs_process *process, struct mqd_layout_summary *summary)
{
    (void)process;
    snprintf(summary->openmpi, sizeof summary->openmpi, "4.1.4");
    return script.layout_code;
}

/* Two types; so many fields as the script says; one probe, one capability. */
static int describe_type(mqs_process *process, int index, struct mqd_type_description *type)
{
    (void)process;
    if (index == 2)
        return mqs_end_of_list;
    *type = (struct mqd_type_description){.name = "a_t", .source = "table", .size = 8 + index};
    return mqs_ok;
}

static int describe_field(mqs_process *process, int index, struct mqd_field_description *field)
{
    (void)process;
    if (index == script.n_fields)
        return mqs_end_of_list;
    *field = (struct mqd_field_description){.type = "a_t", .member = "m", .offset = index};
    return mqs_ok;
}

static int describe_probe(mqs_process *process, int index, struct mqd_probe_description *probe)
{
    (void)process;
    if (index == 1)
        return CODE_B;
    *probe = (struct mqd_probe_description){.name = "MPI_COMM_NULL", .result = "passed"};
    return mqs_ok;
}

static int describe_capability(mqs_process *process, int index, struct mqd_capability_description *capability)
{
    (void)process;
    if (index == 1)
        return mqs_end_of_list;
    *capability = (struct mqd_capability_description){.name = "names", .text = "names", .on = 1,
                                                      .reason = script.capability_reason};
    return mqs_ok;
}

static int show_internal(mqs_process *process, int show)
{
    (void)process;
    assert_false(updated);
    shown_internal += show;
    return script.show_code;
}

static int describe_communicator(mqs_process *process, struct mqd_communicator_summary *summary)
{
    (void)process;
    *summary = (struct mqd_communicator_summary){.remote_size = 3};
    return mqs_ok;
}

/* A peer of another job, ones that were never in contact, and one whose number is before that of the first. */
static int describe_traffic(mqs_process *process, int index, struct mqd_traffic_description *traffic)
{
    static const struct mqd_traffic_description peers[] = {{7, 1, 0}, {-1, 0, 0}, {5, 0, 0}, {2, 65535, 3}};

    (void)process;
    if (index == (int)(sizeof peers / sizeof *peers))
        return script.traffic_code != 0 ? script.traffic_code : mqs_end_of_list;
    *traffic = peers[index];
    traffic->n_sent += traffic->global_rank < 0 ? script.n_sent_elsewhere : 0;
    return mqs_ok;
}

static int describe_self(mqs_process *process, struct mqd_process_name *name)
{
    (void)process;
    assert_true(updated);
    *name = (struct mqd_process_name){.job = 77, .rank = 1};
    return script.name_code;
}

static int describe_member(mqs_process *process, int rank, struct mqd_process_name *name)
{
    (void)process;
    if (rank == 2 && script.member_code != mqs_ok)
        return script.member_code;
    *name = (struct mqd_process_name){.job = 78, .rank = 100 + rank};
    return mqs_ok;
}

/* Describes the operation that was returned last. The second one of a queue cannot be described. */
static int describe_operation(mqs_process *process, struct mqd_operation_description *operation)
{
    (void)process;
    if (n_operations == 2)
        return CODE_A;
    *operation = (struct mqd_operation_description){.kind = MQD_OPERATION_recv, .progress = MQD_PROGRESS_posted,
                                                    .request = 0x1000, .datatype = "MPI_INT"};
    return mqs_ok;
}

static int reason_of(int code)
{
    return code == CODE_A ? MQD_REASON_finalized : MQD_REASON_damaged;
}

static int describe_limit(mqs_process *process, int index, struct mqd_limit_description *limit)
{
    (void)process;
    if (index > 0)
        return mqs_end_of_list;
    *limit = (struct mqd_limit_description){MQD_SHOWN_sends, MQD_REASON_none, MQD_REASON_no_symbol};
    if (script.hindrance != 0)
        limit->hindrance = script.hindrance;
    return mqs_ok;
}

/* The second operation of a queue cannot be described. */
static int describe_unknown(mqs_process *process, struct mqd_unknown_description *unknown)
{
    (void)process;
    if (n_operations == 2)
        return CODE_A;
    *unknown = (struct mqd_unknown_description){.peer = 1, .buffer = 1};
    return mqs_ok;
}

static mqs_taddr_t send_request_of(mqs_process *process)
{
    (void)process;
    return n_operations == 2 ? 0 : 0x7000;
}

static int describe_library(mqs_process *process, int index, struct mqd_library_summary *summary)
{
    (void)process;
    if (index > 0 && !script.endless_libraries)
        return mqs_end_of_list;
    *summary = (struct mqd_library_summary){.name = "UCX", .version = "1.13.1", .n_fitting = 2};
    return script.library_code;
}

/* The functions that the first table did not have. */
static const struct mqd_extension_v1 longer_extension = {
    .size = sizeof longer_extension, .version = "2", .describe_layout = describe, .show_internal = show_internal,
    .describe_type = describe_type, .describe_field = describe_field, .describe_probe = describe_probe,
    .describe_capability = describe_capability, .describe_communicator = describe_communicator,
    .describe_traffic = describe_traffic, .describe_self = describe_self, .describe_member = describe_member,
    .describe_operation = describe_operation, .reason_of = reason_of, .describe_limit = describe_limit,
    .describe_unknown = describe_unknown, .describe_library = describe_library, .send_request_of = send_request_of,
};

static const struct mqd_extension_v1 extension = {
    .size = offsetof(struct mqd_extension_v1, describe_unknown), .version = "1", .describe_layout = describe, .show_internal = show_internal,
    .describe_type = describe_type, .describe_field = describe_field, .describe_probe = describe_probe,
    .describe_capability = describe_capability, .describe_communicator = describe_communicator,
    .describe_traffic = describe_traffic,
    .describe_self = describe_self, .describe_member = describe_member,
    .describe_operation = describe_operation, .reason_of = reason_of, .describe_limit = describe_limit,
};

static const struct dll library = {
    .error_string = error_string, .setup_image = setup_image, .image_has_queues = image_has_queues,
    .setup_process = setup_process, .process_has_queues = process_has_queues,
    .destroy_process_info = destroy_process_info, .update_communicator_list = update,
    .setup_communicator_iterator = setup_communicators, .get_communicator = get_communicator,
    .get_comm_group = get_group, .next_communicator = next_communicator, .setup_operation_iterator = setup_operations,
    .next_operation = next_operation, .extension = &extension,
};

struct fixture {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct listing listing;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    script = (struct script){.size = 3};
    shown_internal = destroyed = 0;
    updated = false;
    calls[0] = '\0';
    fixture->process.pid = 17;
    fixture->host = (mqs_process){.process = &fixture->process, .image = &fixture->image, .rank = -1};
    fixture->listing = (struct listing){.pid = 17, .rank = -1};
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    listing_free(&fixture->listing);
    free(fixture);
    return 0;
}

static struct listing *take(void **state)
{
    struct fixture *fixture = *state;

    listing_take(&fixture->listing, &library, &fixture->host, &(struct wishes){.queues = true});
    return &fixture->listing;
}

static void listing_of_a_process_without_trouble(void **state)
{
    struct fixture *fixture = *state;
    struct listing *listing = take(state);

    assert_null(listing->error);
    assert_true(listing_is_complete(listing));
    assert_int_equal(listing->n, 2);
    assert_int_equal(listing->communicators[1].unique_id, 1);
    assert_int_equal(listing->communicators[1].group[2], 12);
    assert_int_equal(strlen(listing->communicators[0].name), 64);
    assert_int_equal(listing->communicators[1].queues[mqs_pending_receives].n, 2);
    assert_int_equal(listing->communicators[1].queues[mqs_pending_sends].n, 0);
    assert_true(listing->communicators[1].queues[mqs_unexpected_messages].available);
    assert_true(listing->communicators[1].has_summary);
    assert_int_equal(listing->communicators[1].summary.remote_size, 3);
    assert_string_equal(listing->layout->openmpi, "4.1.4");
    assert_string_equal(calls, "setup_process process_has_queues update communicators ");
    listing_release(&library, &fixture->image, &fixture->host);
    assert_int_equal(destroyed, 1);
}

static void traffic_is_there_on_request(void **state)
{
    struct fixture *fixture = *state;
    const struct communicator *communicator;

    assert_false(take(state)->communicators[0].has_traffic);
    listing_free(&fixture->listing);
    listing_take(&fixture->listing, &library, &fixture->host, &(struct wishes){.queues = true, .traffic = LONG_MAX});
    communicator = &fixture->listing.communicators[1];
    assert_true(communicator->has_traffic);
    assert_int_equal(communicator->n_traffic, 2);
    assert_int_equal(communicator->traffic[0].peer, 2);
    assert_int_equal(communicator->traffic[0].n_sent, 65535);
    assert_int_equal(communicator->traffic[0].n_arrived, 3);
    assert_int_equal(communicator->traffic[1].peer, 7);
    listing_free(&fixture->listing);
    script.n_sent_elsewhere = 1;
    listing_take(&fixture->listing, &library, &fixture->host, &(struct wishes){.queues = true, .traffic = LONG_MAX});
    assert_false(fixture->listing.communicators[1].has_traffic);
    listing_free(&fixture->listing);
    script.traffic_code = mqs_first_user_code;
    listing_take(&fixture->listing, &library, &fixture->host, &(struct wishes){.queues = true, .traffic = LONG_MAX});
    assert_false(fixture->listing.communicators[1].has_traffic);
    assert_null(fixture->listing.error);
}

/* Communicators with more processes than are asked for have their queues all the same. */
static void traffic_is_counted_up_to_a_number_of_processes(void **state)
{
    struct fixture *fixture = *state;
    const struct communicator *communicator;

    for (long processes = 2; processes <= 4; processes++) {
        listing_take(&fixture->listing, &library, &fixture->host,
                     &(struct wishes){.queues = true, .traffic = processes});
        communicator = &fixture->listing.communicators[1];
        assert_int_equal(communicator_n_peers(communicator), 3);
        assert_true(communicator->has_traffic == (processes >= 3));
        assert_int_equal(communicator->queues[mqs_pending_receives].n, 2);
        listing_free(&fixture->listing);
    }
}

/* The members of an intercommunicator's remote group have names: either all of them or none. */
static void processes_are_told_by_name(void **state)
{
    struct fixture *fixture = *state;
    const struct listing *listing = take(state);

    assert_true(listing->has_name);
    assert_int_equal(listing->name.job, 77);
    assert_int_equal(listing->name.rank, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(listing->communicators[1].peers[i].job, 78);
        assert_int_equal(listing->communicators[1].peers[i].rank, 100 + i);
    }
    listing_free(&fixture->listing);
    script.name_code = script.member_code = CODE_A;
    listing = take(state);
    assert_null(listing->error);
    assert_false(listing->has_name);
    assert_null(listing->communicators[1].peers);
}

static void rank_comes_from_the_environment_else_from_the_world(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(take(state)->rank, 1);
    listing_free(&fixture->listing);
    fixture->host.rank = 5;
    assert_int_equal(take(state)->rank, 5);
}

static void image_is_asked_before_the_process(void **state)
{
    struct fixture *fixture = *state;

    assert_true(listing_examine_image(&fixture->listing, &library, &fixture->image));
    assert_null(fixture->listing.error);
    assert_string_equal(calls, "setup_image image_has_queues ");
}

static void image_that_is_refused_in_silence(void **state)
{
    struct fixture *fixture = *state;

    script.image_code = CODE_A;
    assert_false(listing_examine_image(&fixture->listing, &library, &fixture->image));
    assert_non_null(strstr(fixture->listing.error, "reason A"));
    assert_non_null(strstr(fixture->listing.error, "pids of ranks"));
    assert_int_equal(fixture->listing.reason, MQD_REASON_finalized);
}

static void image_that_is_refused_with_a_message(void **state)
{
    static char message[] = "none in %s, %d%%n %s";
    struct fixture *fixture = *state;

    script.image_code = CODE_A;
    script.message = message;
    fixture->listing.executable = strdup("a%n.out");
    assert_false(listing_examine_image(&fixture->listing, &library, &fixture->image));
    assert_non_null(strstr(fixture->listing.error, ": none in a%n.out, %d%n %s"));
    assert_int_equal(fixture->listing.reason, MQD_REASON_finalized);
}

static void process_that_is_refused(void **state)
{
    struct listing *listing;

    script.process_code = CODE_B;
    listing = take(state);
    assert_string_equal(listing->error, "reason B");
    assert_int_equal(listing->reason, MQD_REASON_damaged);
    assert_false(listing->has_communicators);
    assert_false(listing_is_complete(listing));
    assert_string_equal(calls, "setup_process process_has_queues ");
}

static void process_on_which_nothing_is_hung(void **state)
{
    struct fixture *fixture = *state;

    script.no_process_info = true;
    assert_non_null(take(state)->error);
    assert_string_equal(calls, "setup_process ");
    listing_release(&library, &fixture->image, &fixture->host);
    assert_int_equal(destroyed, 0);
}

static void names_of_statuses(void **state)
{
    (void)state;
    assert_string_equal(operation_status_name(mqs_st_pending), "pending");
    assert_string_equal(operation_status_name(mqs_st_matched), "matched");
    assert_string_equal(operation_status_name(mqs_st_complete), "complete");
    assert_string_equal(operation_status_name(77), "unknown");
}

/* Each operation has its own facts. One that cannot be described has none. */
static void facts_are_kept_with_their_operations(void **state)
{
    const struct queue *queue = &take(state)->communicators[1].queues[mqs_pending_receives];

    assert_int_equal(queue->n, 2);
    assert_int_equal(queue_facts(queue, 0)->kind, MQD_OPERATION_recv);
    assert_int_equal(queue_facts(queue, 0)->progress, MQD_PROGRESS_posted);
    assert_int_equal(queue_facts(queue, 0)->request, 0x1000);
    assert_string_equal(queue_facts(queue, 0)->datatype, "MPI_INT");
    assert_int_equal(queue_facts(queue, 1)->kind, MQD_OPERATION_unknown);
    assert_int_equal(queue_facts(queue, 1)->sequence, -1);
}

static void hiding_keeps_facts_with_their_operations(void **state)
{
    struct listing *listing = take(state);
    struct queue *queue = &listing->communicators[0].queues[mqs_pending_receives];

    queue->operations[0].desired_tag = -16;
    queue->facts[1].request = 0x2000;
    listing_hide_internal(listing);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_tag, 2);
    assert_int_equal(queue_facts(queue, 0)->request, 0x2000);
}

static void library_without_the_extension_tells_no_facts_and_no_reasons(void **state)
{
    struct fixture *fixture = *state;
    struct dll plain = library;

    plain.extension = NULL;
    script.next_communicator_code = CODE_A;
    listing_take(&fixture->listing, &plain, &fixture->host, &(struct wishes){.queues = true});
    assert_string_equal(fixture->listing.error, "reason A");
    assert_int_equal(fixture->listing.reason, MQD_REASON_unknown);
    assert_null(fixture->listing.communicators[0].queues[mqs_pending_receives].facts);
    assert_int_equal(queue_facts(&fixture->listing.communicators[0].queues[mqs_pending_receives], 1)->kind,
                     MQD_OPERATION_unknown);
}

static struct listing *take_with(void **state, const struct mqd_extension_v1 *table)
{
    struct fixture *fixture = *state;
    struct dll other = library;

    other.extension = table;
    listing_free(&fixture->listing);
    updated = false;
    listing_take(&fixture->listing, &other, &fixture->host, &(struct wishes){.queues = true});
    return &fixture->listing;
}

static void what_is_not_known_is_kept_with_its_operation(void **state)
{
    struct queue *queue = &take_with(state, &longer_extension)->communicators[1].queues[mqs_pending_receives];

    assert_int_equal(queue->n, 2);
    assert_true(queue_extra(queue, 0)->unknown.peer);
    assert_false(queue_extra(queue, 0)->unknown.tag);
    assert_true(queue_extra(queue, 0)->unknown.buffer);
    assert_int_equal(queue_extra(queue, 0)->send_request, 0x7000);
    assert_false(queue_extra(queue, 0)->found);
    assert_false(queue_extra(queue, 1)->unknown.peer);
    assert_int_equal(queue_extra(queue, 1)->send_request, 0);
    queue->operations[0].desired_tag = queue->operations[1].desired_tag = -1;
    queue->extras[1] = (struct extra){.unknown = {.tag = 1}, .send_request = 0x8000};
    listing_hide_internal(&((struct fixture *)*state)->listing);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue_extra(queue, 0)->send_request, 0x8000);
    queue->facts[0].internal = 1;
    listing_hide_internal(&((struct fixture *)*state)->listing);
    assert_int_equal(queue->n, 0);
}

/* A table that ends before a function does not have it, whatever is in memory there. */
static void functions_behind_the_end_of_the_table_are_not_called(void **state)
{
    struct mqd_extension_v1 older = longer_extension;
    struct listing *listing;

    older.size = offsetof(struct mqd_extension_v1, describe_unknown);
    listing = take_with(state, &older);
    assert_true(listing_is_complete(listing));
    assert_int_equal(listing->n_libraries, 0);
    assert_false(queue_extra(&listing->communicators[1].queues[mqs_pending_receives], 0)->unknown.peer);
    assert_int_equal(queue_extra(&listing->communicators[1].queues[mqs_pending_receives], 0)->send_request, 0);
    older.size = offsetof(struct mqd_extension_v1, send_request_of);
    listing = take_with(state, &older);
    assert_int_equal(listing->n_libraries, 1);
    assert_true(queue_extra(&listing->communicators[1].queues[mqs_pending_receives], 0)->unknown.peer);
    assert_int_equal(queue_extra(&listing->communicators[1].queues[mqs_pending_receives], 0)->send_request, 0);
}

static void libraries_are_named_even_if_no_layout_is_in_force(void **state)
{
    struct listing *listing = take_with(state, &longer_extension);

    assert_int_equal(listing->n_libraries, 1);
    assert_string_equal(listing->libraries[0].summary.version, "1.13.1");
    assert_null(listing->libraries[0].error);
    script.library_code = CODE_A;
    listing = take_with(state, &longer_extension);
    assert_int_equal(listing->n_libraries, 1);
    assert_string_equal(listing->libraries[0].summary.name, "UCX");
    assert_string_equal(listing->libraries[0].error, "reason A");
    assert_int_equal(listing->libraries[0].reason, MQD_REASON_finalized);
    assert_true(listing_is_complete(listing));
    script.endless_libraries = true;
    assert_in_range(take_with(state, &longer_extension)->n_libraries, 2, 100);
}

/* What makes a queue slow to read does not make it incomplete. */
static void what_is_kept_elsewhere_is_a_gap(void **state)
{
    struct listing *listing = take_with(state, &extension);

    assert_null(listing->gaps[mqs_pending_sends].text);
    assert_false(listing_hides_blocking(listing));
    script.hindrance = MQD_REASON_elsewhere;
    script.capability_reason = "on a stack";
    listing = take_with(state, &extension);
    assert_string_equal(listing->gaps[mqs_pending_sends].text, "on a stack");
    assert_int_equal(listing->gaps[mqs_pending_sends].reason, MQD_REASON_elsewhere);
    assert_null(listing->gaps[mqs_pending_receives].text);
    assert_true(listing_hides_blocking(listing));
    assert_true(listing_is_complete(listing));
}

static void update_that_fails(void **state)
{
    struct listing *listing;

    script.update_code = CODE_A;
    listing = take(state);
    assert_string_equal(listing->error, "reason A");
    assert_int_equal(listing->reason, MQD_REASON_finalized);
    assert_false(listing->has_communicators);
    assert_true(listing->has_layout);
}

static void process_without_communicators(void **state)
{
    struct listing *listing;

    script.iterator_code = mqs_end_of_list;
    listing = take(state);
    assert_true(listing->has_communicators);
    assert_int_equal(listing->n, 0);
    assert_true(listing_is_complete(listing));
}

static void communicator_that_cannot_be_had(void **state)
{
    struct listing *listing;

    script.get_code = CODE_B;
    script.next_communicator_code = CODE_A;
    listing = take(state);
    assert_int_equal(listing->n, 0);
    assert_true(listing->has_communicators);
    /* The first error is the one that is told, and its reason. */
    assert_string_equal(listing->error, "reason B");
    assert_int_equal(listing->reason, MQD_REASON_damaged);
}

static void communicators_that_end_with_an_error(void **state)
{
    struct listing *listing;

    script.next_communicator_code = CODE_A;
    listing = take(state);
    assert_int_equal(listing->n, 2);
    assert_string_equal(listing->error, "reason A");
}

static void queue_without_information(void **state)
{
    const struct queue *queue;
    struct listing *listing;

    script.setup_operation_code = mqs_no_information;
    listing = take(state);
    queue = &listing->communicators[0].queues[mqs_unexpected_messages];
    assert_false(queue->available);
    assert_non_null(queue->error);
    assert_null(listing->error);
    assert_false(listing_is_complete(listing));
}

static void queue_that_is_empty_from_the_start(void **state)
{
    script.setup_operation_code = mqs_end_of_list;
    assert_true(listing_is_complete(take(state)));
}

static void queue_with_an_error_in_the_middle(void **state)
{
    const struct queue *queue;
    struct listing *listing;

    script.bad_operations = 1;
    listing = take(state);
    queue = &listing->communicators[0].queues[mqs_pending_receives];
    assert_true(queue->available);
    assert_int_equal(queue->n, 2);
    assert_string_equal(queue->error, "reason B");
    assert_false(listing_is_complete(listing));
}

static void queue_that_only_gives_errors(void **state)
{
    struct listing *listing;

    script.bad_operations = 1000000;
    listing = take(state);
    assert_int_equal(listing->communicators[0].queues[mqs_pending_receives].n, 1);
    assert_true(n_errors < 1000);
    assert_int_equal(listing->n, 2);
}

static void queue_without_end(void **state)
{
    const struct queue *queue;
    struct listing *listing;

    script.endless_operations = true;
    listing = take(state);
    queue = &listing->communicators[0].queues[mqs_pending_receives];
    assert_in_range(queue->n, 1000, 1000000);
    assert_non_null(strstr(queue->error, "the rest is not shown"));
    assert_false(listing_is_complete(listing));
    assert_int_equal(listing->n, 2);
}

static void group_that_cannot_be_had(void **state)
{
    struct listing *listing;

    script.group_code = CODE_A;
    listing = take(state);
    assert_null(listing->communicators[0].group);
    assert_string_equal(listing->communicators[0].group_error, "reason A");
    assert_int_equal(listing->communicators[0].queues[mqs_pending_receives].n, 2);
    assert_false(listing_is_complete(listing));
}

static void group_of_impossible_size(void **state)
{
    struct listing *listing;

    script.size = -1;
    listing = take(state);
    assert_null(listing->communicators[0].group);
    assert_non_null(listing->communicators[0].group_error);
}

static void internal_operations_are_asked_for_in_time(void **state)
{
    static const struct wishes internal = {.queues = true, .internal = true};
    struct fixture *fixture = *state;

    listing_take(&fixture->listing, &library, &fixture->host, &internal);
    assert_int_equal(shown_internal, 1);
    assert_true(listing_is_complete(&fixture->listing));
    script.show_code = CODE_B;
    updated = false;
    listing_free(&fixture->listing);
    listing_take(&fixture->listing, &library, &fixture->host, &internal);
    assert_false(listing_is_complete(&fixture->listing));
}

/* If the DLL leaves something out, the process has an error. Other errors come before this one. */
static void limits_of_a_process_that_is_listed(void **state)
{
    static char message[] = "sends of %s are not shown";
    struct fixture *fixture = *state;
    struct listing *listing;

    fixture->listing.executable = strdup("a.out");
    script.message = message;
    listing = take(state);
    assert_string_equal(listing->error, "sends of a.out are not shown");
    assert_int_equal(listing->n, 2);
    assert_false(listing_is_complete(listing));
    listing_free(listing);
    script.update_code = CODE_A;
    assert_string_equal(take(state)->error, "reason A");
}

static struct listing *take_layout(void **state, bool queues)
{
    struct fixture *fixture = *state;
    const struct wishes wishes = {.queues = queues, .layout = true};

    listing_take(&fixture->listing, &library, &fixture->host, &wishes);
    return &fixture->listing;
}

static void layout_alone_costs_no_listing(void **state)
{
    static char message[] = "names are not shown";
    struct listing *listing;

    script.n_fields = 3;
    script.message = message;
    listing = take_layout(state, false);
    assert_string_equal(calls, "setup_process process_has_queues ");
    assert_null(listing->error);
    assert_true(listing_is_complete(listing));
    assert_false(listing->has_communicators);
    assert_true(listing->has_details);
    assert_int_equal(listing->details.n_types, 2);
    assert_int_equal(listing->details.types[1].size, 9);
    assert_int_equal(listing->details.n_fields, 3);
    assert_int_equal(listing->details.fields[2].offset, 2);
    assert_int_equal(listing->details.n_probes, 1);
    assert_int_equal(listing->details.n_capabilities, 1);
}

static void layout_besides_the_queues(void **state)
{
    struct listing *listing = take_layout(state, true);

    assert_true(listing->has_details);
    assert_int_equal(listing->n, 2);
    assert_true(listing_is_complete(listing));
}

static void layout_in_detail_is_not_asked_for_unasked(void **state)
{
    struct listing *listing = take(state);

    assert_true(listing->has_layout);
    assert_false(listing->has_details);
    assert_int_equal(listing->details.n_types, 0);
}

/* A layout that is not in force: there is something to show all the same, and the exit status tells. */
static void layout_that_is_not_in_force(void **state)
{
    struct listing *listing;

    script.layout_code = CODE_B;
    listing = take_layout(state, false);
    assert_string_equal(listing->layout_error, "reason B");
    assert_string_equal(listing->error, "reason B");
    assert_int_equal(listing->details.n_types, 2);
    assert_false(listing_is_complete(listing));
}

/* Without --layout it is only a fact about the layout. */
static void layout_that_is_not_in_force_is_no_error_of_the_listing(void **state)
{
    script.layout_code = CODE_B;
    assert_null(take(state)->error);
}

static void layout_of_a_process_that_is_refused(void **state)
{
    static char message[] = "no table fits";
    struct listing *listing;

    script.process_code = CODE_A;
    script.layout_code = CODE_A;
    script.message = message;
    listing = take_layout(state, true);
    assert_string_equal(listing->error, "no table fits");
    assert_int_equal(listing->reason, MQD_REASON_finalized);
    assert_int_equal(listing->layout_reason, MQD_REASON_finalized);
    assert_int_equal(listing->details.n_limits, 1);
    assert_int_equal(listing->details.limits[0].hindrance, MQD_REASON_no_symbol);
    assert_true(listing->has_details);
    assert_string_equal(listing->layout->openmpi, "4.1.4");
}

static void layout_without_end(void **state)
{
    struct listing *listing;

    script.n_fields = -1;
    listing = take_layout(state, false);
    assert_in_range(listing->details.n_fields, 1000, 1000000);
}

static void layouts_are_the_same_or_not(void **state)
{
    struct details a = {0}, b = {0};
    struct fixture *fixture = *state;

    script.n_fields = 3;
    details_take(&a, &library, &fixture->host);
    details_take(&b, &library, &fixture->host);
    assert_true(details_are_same(&a, &b));
    b.fields[2].table_offset++;
    assert_false(details_are_same(&a, &b));
    b.fields[2].table_offset--;
    b.types[0].source = "live";
    assert_false(details_are_same(&a, &b));
    b.types[0].source = a.types[0].source;
    b.probes[0].result = "failed";
    assert_false(details_are_same(&a, &b));
    b.probes[0].result = a.probes[0].result;
    b.capabilities[0].reason = "no symbol";
    assert_false(details_are_same(&a, &b));
    b.capabilities[0].reason = NULL;
    assert_true(details_are_same(&a, &b));
    b.n_fields--;
    assert_false(details_are_same(&a, &b));
    details_free(&a);
    details_free(&b);
}

/* Open MPI's own library: no layout, and everything else. */
static void library_without_extension(void **state)
{
    struct fixture *fixture = *state;
    struct dll plain = library;

    plain.extension = NULL;
    listing_take(&fixture->listing, &plain, &fixture->host, &(struct wishes){.queues = true});
    assert_false(fixture->listing.has_layout);
    assert_true(listing_is_complete(&fixture->listing));
}

static void death_is_the_reason_that_counts(void **state)
{
    struct fixture *fixture = *state;

    fixture->process.dead = true;
    script.update_code = CODE_A;
    assert_non_null(strstr(take(state)->error, "died"));
    assert_int_equal(fixture->listing.reason, MQD_REASON_unknown);
}

static void code_without_a_text(void **state)
{
    char *text = dll_explain(&library, 4711);

    (void)state;
    assert_non_null(strstr(text, "4711"));
    free(text);
}

static void library_that_cannot_be_loaded(void **state)
{
    struct dll dll;
    char *why = NULL;

    (void)state;
    assert_false(dll_open(&dll, "/nonexistent.so", &why));
    assert_non_null(strstr(why, "/nonexistent.so"));
    free(why);
    dll_close(&dll);
}

static void numbers_are_turned_for_another_byte_order(void **state)
{
    struct fixture *fixture = *state;
    unsigned char word[8] = {1, 2, 3, 4, 5, 6, 7, 8}, turned[8] = {8, 7, 6, 5, 4, 3, 2, 1}, result[8];

    host_process_callbacks.mqs_target_to_host_fp(&fixture->host, word, result, 8);
    assert_memory_equal(result, word, 8);
    fixture->host.is_swapped = true;
    host_process_callbacks.mqs_target_to_host_fp(&fixture->host, word, result, 8);
    assert_memory_equal(result, turned, 8);
    host_process_callbacks.mqs_target_to_host_fp(&fixture->host, word, result, 2);
    assert_int_equal(result[0], 2);
    assert_int_equal(result[1], 1);
    assert_int_equal(result[2], 6);
}

static void sizes_are_five_numbers(void **state)
{
    struct fixture *fixture = *state;
    struct {
        mqs_target_type_sizes sizes;
        int beyond[2];
    } room;

    memset(&room, 0x55, sizeof room);
    host_image_callbacks.mqs_get_type_sizes_fp(&fixture->host, &room.sizes);
    assert_int_equal(room.sizes.pointer_size, 4);
    assert_int_equal(room.sizes.long_long_size, 8);
    assert_int_equal(room.beyond[0], 0x55555555);
    fixture->host.is_64_bit = true;
    host_image_callbacks.mqs_get_type_sizes_fp(&fixture->host, &room.sizes);
    assert_int_equal(room.sizes.pointer_size, 8);
    assert_int_equal(room.sizes.long_size, 8);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(listing_of_a_process_without_trouble),
        TEST(traffic_is_there_on_request),
        TEST(traffic_is_counted_up_to_a_number_of_processes),
        TEST(processes_are_told_by_name),
        TEST(rank_comes_from_the_environment_else_from_the_world),
        TEST(image_is_asked_before_the_process),
        TEST(image_that_is_refused_in_silence),
        TEST(image_that_is_refused_with_a_message),
        TEST(process_that_is_refused),
        TEST(process_on_which_nothing_is_hung),
        cmocka_unit_test(names_of_statuses),
        TEST(update_that_fails),
        TEST(process_without_communicators),
        TEST(communicator_that_cannot_be_had),
        TEST(facts_are_kept_with_their_operations),
        TEST(hiding_keeps_facts_with_their_operations),
        TEST(library_without_the_extension_tells_no_facts_and_no_reasons),
        TEST(what_is_not_known_is_kept_with_its_operation),
        TEST(functions_behind_the_end_of_the_table_are_not_called),
        TEST(libraries_are_named_even_if_no_layout_is_in_force),
        TEST(what_is_kept_elsewhere_is_a_gap),
        TEST(communicators_that_end_with_an_error),
        TEST(queue_without_information),
        TEST(queue_that_is_empty_from_the_start),
        TEST(queue_with_an_error_in_the_middle),
        TEST(queue_that_only_gives_errors),
        TEST(queue_without_end),
        TEST(group_that_cannot_be_had),
        TEST(group_of_impossible_size),
        TEST(internal_operations_are_asked_for_in_time),
        TEST(limits_of_a_process_that_is_listed),
        TEST(layout_alone_costs_no_listing),
        TEST(layout_besides_the_queues),
        TEST(layout_in_detail_is_not_asked_for_unasked),
        TEST(layout_that_is_not_in_force),
        TEST(layout_that_is_not_in_force_is_no_error_of_the_listing),
        TEST(layout_of_a_process_that_is_refused),
        TEST(layout_without_end),
        TEST(layouts_are_the_same_or_not),
        TEST(library_without_extension),
        TEST(death_is_the_reason_that_counts),
        TEST(code_without_a_text),
        TEST(library_that_cannot_be_loaded),
        TEST(numbers_are_turned_for_another_byte_order),
        TEST(sizes_are_five_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
