/*
 * test_dump_listing.c - mqdump as a client of the debugging interface: what it asks, in which order, and how it uses
 * the answers. The library is a table of functions that follow a script.
 */
#include <limits.h>

#define TEST_SETUP setup(fixture)
#define TEST_TEARDOWN listing_free(&fixture->listing)
#define TEST_FIXTURE struct fixture
#include "unit_test.h"

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
    const struct mqd_handle_item *arrangements[2]; /* of communicators; fact 0 ends the items; NULL: none is told */
    bool endless_items;            /* the first item of a communicator again and again */
    int n_unnamed;                 /* receives of too long a message, and sends, with a datatype without a name */
    const struct mqd_handle_item *request_items, *datatype_items;
} script;

static int n_communicators_asked, n_requests_asked, n_datatypes_asked;
static const struct mqd_handle_item *items;

static int shown_internal;         /* how often it was asked for before the update */
static bool updated;
static int n_got, n_operations, n_errors, class_now;
static char calls[1024];
static int destroyed;

struct _mqs_process_info {
    int unused;
};
static struct _mqs_process_info process_info;

/* Functions of the interface get what they do not need here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

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
    called("process_has_queues");
    *message = script.message;
    return script.process_code;
}

static int destroy_process_info(mqs_process_info *info)
{
    assert_ptr_equal(info, &process_info);
    destroyed++;
    return mqs_ok;
}

static int update(mqs_process *process)
{
    called("update");
    updated = true;
    n_got = 0;
    return script.update_code;
}

static int setup_communicators(mqs_process *process)
{
    called("communicators");
    return script.iterator_code;
}

static int get_communicator(mqs_process *process, mqs_communicator *communicator)
{
    if (script.get_code != mqs_ok)
        return script.get_code;
    *communicator = (mqs_communicator){.unique_id = (mqs_taddr_t)n_got, .local_rank = 1, .size = script.size};
    memset(communicator->name, 'n', sizeof communicator->name);
    return mqs_ok;
}

static int get_group(mqs_process *process, int *group)
{
    for (int i = 0; i < script.size; i++)
        group[i] = 10 + i;
    return script.group_code;
}

static int next_communicator(mqs_process *process)
{
    if (++n_got < 2)
        return mqs_ok;
    return script.next_communicator_code != 0 ? script.next_communicator_code : mqs_end_of_list;
}

static int setup_operations(mqs_process *process, int class)
{
    class_now = class;
    n_operations = n_errors = 0;
    return class == mqs_unexpected_messages ? script.setup_operation_code : mqs_ok;
}

static int next_operation(mqs_process *process, mqs_pending_operation *operation)
{
    if (script.n_unnamed > 0) {
        if (class_now == mqs_unexpected_messages || n_operations == script.n_unnamed)
            return mqs_end_of_list;
        *operation = (mqs_pending_operation){.status = mqs_st_complete, .desired_tag = ++n_operations,
                                             .actual_length = 1};
        return mqs_ok;
    }
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
    snprintf(summary->openmpi, sizeof summary->openmpi, "4.1.4");
    return script.layout_code;
}

/* Two types; so many fields as the script says; one probe, one capability. */
static int describe_type(mqs_process *process, int index, struct mqd_type_description *type)
{
    if (index == 2)
        return mqs_end_of_list;
    *type = (struct mqd_type_description){.name = "a_t", .source = "table", .size = 8 + index};
    return mqs_ok;
}

static int describe_field(mqs_process *process, int index, struct mqd_field_description *field)
{
    if (index == script.n_fields)
        return mqs_end_of_list;
    *field = (struct mqd_field_description){.type = "a_t", .member = "m", .offset = index};
    return mqs_ok;
}

static int describe_probe(mqs_process *process, int index, struct mqd_probe_description *probe)
{
    if (index == 1)
        return CODE_B;
    *probe = (struct mqd_probe_description){.name = "MPI_COMM_NULL", .result = "passed"};
    return mqs_ok;
}

static int describe_capability(mqs_process *process, int index, struct mqd_capability_description *capability)
{
    if (index == 1)
        return mqs_end_of_list;
    *capability = (struct mqd_capability_description){.name = "names", .text = "names", .on = 1,
                                                      .reason = script.capability_reason};
    return mqs_ok;
}

static int show_internal(mqs_process *process, int show)
{
    assert_false(updated);
    shown_internal += show;
    return script.show_code;
}

static int describe_communicator(mqs_process *process, struct mqd_communicator_summary *summary)
{
    *summary = (struct mqd_communicator_summary){.remote_size = 3};
    return mqs_ok;
}

/* A peer of another job, ones that were never in contact, and one whose number is before that of the first. */
static int describe_traffic(mqs_process *process, int index, struct mqd_traffic_description *traffic)
{
    static const struct mqd_traffic_description peers[] = {{7, 1, 0}, {-1, 0, 0}, {5, 0, 0}, {2, 65535, 3}};

    if (index == (int)(sizeof peers / sizeof *peers))
        return script.traffic_code != 0 ? script.traffic_code : mqs_end_of_list;
    *traffic = peers[index];
    traffic->n_sent += traffic->global_rank < 0 ? script.n_sent_elsewhere : 0;
    return mqs_ok;
}

static int describe_self(mqs_process *process, struct mqd_process_name *name)
{
    assert_true(updated);
    *name = (struct mqd_process_name){.job = 77, .rank = 1};
    return script.name_code;
}

static int describe_member(mqs_process *process, int rank, struct mqd_process_name *name)
{
    if (rank == 2 && script.member_code != mqs_ok)
        return script.member_code;
    *name = (struct mqd_process_name){.job = 78, .rank = 100 + rank};
    return mqs_ok;
}

/* Describes the operation that was returned last. The second one of a queue cannot be described. */
static int describe_operation(mqs_process *process, struct mqd_operation_description *operation)
{
    if (script.n_unnamed > 0) {
        *operation = (struct mqd_operation_description){.kind = MQD_OPERATION_recv, .request = 0x1000, .has_count = 1};
        return mqs_ok;
    }
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
    if (n_operations == 2)
        return CODE_A;
    *unknown = (struct mqd_unknown_description){.peer = 1, .buffer = 1};
    return mqs_ok;
}

static mqs_taddr_t send_request_of(mqs_process *process)
{
    return n_operations == 2 ? 0 : 0x7000;
}

static int describe_library(mqs_process *process, int index, struct mqd_library_summary *summary)
{
    if (index > 0 && !script.endless_libraries)
        return mqs_end_of_list;
    *summary = (struct mqd_library_summary){.name = "UCX", .version = "1.13.1", .n_fitting = 2};
    return script.library_code;
}

static int describe_handle(mqs_process *process, int kind, mqs_taddr_t value, int language,
                           struct mqd_handle_summary *summary)
{
    assert_true(updated);
    assert_int_equal(language, MQD_LANGUAGE_c);
    if (kind == MQD_HANDLE_request) {
        assert_int_equal(value, 0x1000);
        n_requests_asked++;
        items = script.request_items;
    } else {
        assert_int_equal(kind, MQD_HANDLE_datatype);
        assert_int_equal(value, 0x9000);
        n_datatypes_asked++;
        items = script.datatype_items;
    }
    return items != NULL ? mqs_ok : mqs_no_information;
}

static int describe_arrangement(mqs_process *process)
{
    assert_true(updated);
    n_communicators_asked++;
    items = script.arrangements[n_got];
    return items != NULL ? mqs_ok : CODE_A;
}

static int describe_handle_item(mqs_process *process, int index, struct mqd_handle_item *item)
{
    for (int i = 0; i < index && !script.endless_items; i++)
        assert_int_not_equal(items[i].fact, MQD_FACT_unknown);
    *item = items[script.endless_items ? 0 : index];
    return item->fact != MQD_FACT_unknown ? mqs_ok : mqs_end_of_list;
}

static const struct mqd_extension_v1 whole_extension = {
    .size = sizeof whole_extension, .version = "2", .describe_layout = describe, .show_internal = show_internal,
    .describe_type = describe_type, .describe_field = describe_field, .describe_probe = describe_probe,
    .describe_capability = describe_capability, .describe_communicator = describe_communicator,
    .describe_traffic = describe_traffic, .describe_self = describe_self, .describe_member = describe_member,
    .describe_operation = describe_operation, .reason_of = reason_of, .describe_limit = describe_limit,
    .describe_unknown = describe_unknown, .describe_library = describe_library, .send_request_of = send_request_of,
    .describe_handle = describe_handle, .describe_handle_item = describe_handle_item,
    .describe_arrangement = describe_arrangement,
};

static const struct dll library = {
    .dll_error_string = error_string, .setup_image = setup_image, .image_has_queues = image_has_queues,
    .setup_process = setup_process, .process_has_queues = process_has_queues,
    .destroy_process_info = destroy_process_info, .update_communicator_list = update,
    .setup_communicator_iterator = setup_communicators, .get_communicator = get_communicator,
    .get_comm_group = get_group, .next_communicator = next_communicator, .setup_operation_iterator = setup_operations,
    .next_operation = next_operation,
};

/* The library has the first table of functions, which ends with describe_limit. */
struct fixture {
    struct process process;
    mqs_image image;
    mqs_process host;
    struct mqd_extension_v1 extension;
    struct dll library;
    struct listing listing;
};

static void setup(struct fixture *fixture)
{
    script = (struct script){.size = 3};
    shown_internal = destroyed = 0;
    n_communicators_asked = n_requests_asked = n_datatypes_asked = 0;
    updated = false;
    calls[0] = '\0';
    fixture->process.pid = 17;
    fixture->host = (mqs_process){.process = &fixture->process, .image = &fixture->image, .rank = -1};
    fixture->extension = whole_extension;
    fixture->extension.size = offsetof(struct mqd_extension_v1, describe_unknown);
    fixture->library = library;
    fixture->library.extension = &fixture->extension;
}

static struct listing *take_for(struct fixture *fixture, struct wishes wishes)
{
    listing_free(&fixture->listing);
    fixture->listing = (struct listing){.pid = 17, .rank = -1};
    updated = false;
    listing_take(&fixture->listing, &fixture->library, &fixture->host, &wishes);
    return &fixture->listing;
}

static struct listing *take(struct fixture *fixture)
{
    return take_for(fixture, (struct wishes){.queues = true});
}

static struct listing *take_with(struct fixture *fixture, size_t size)
{
    fixture->extension.size = size;
    return take(fixture);
}

static struct queue *receives_of(struct listing *listing, size_t i)
{
    return &listing->communicators[i].queues[mqs_pending_receives];
}

TEST(listing_of_a_process_without_trouble)
{
    struct listing *listing = take(fixture);

    assert_null(listing->error);
    assert_true(listing_is_complete(listing));
    assert_int_equal(listing->n, 2);
    assert_int_equal(listing->communicators[1].unique_id, 1);
    assert_int_equal(listing->communicators[1].group[2], 12);
    assert_int_equal(strlen(listing->communicators[0].name), 64);
    assert_int_equal(receives_of(listing, 1)->n, 2);
    assert_int_equal(listing->communicators[1].queues[mqs_pending_sends].n, 0);
    assert_true(listing->communicators[1].queues[mqs_unexpected_messages].available);
    assert_true(listing->communicators[1].has_summary);
    assert_int_equal(listing->communicators[1].summary.remote_size, 3);
    assert_string_equal(listing->layout->openmpi, "4.1.4");
    assert_true(listing->has_layout && !listing->has_details && listing->details.n_types == 0);
    assert_string_equal(calls, "setup_process process_has_queues update communicators ");
    listing_release(&library, &fixture->image, &fixture->host);
    assert_int_equal(destroyed, 1);
}

static const struct communicator *take_traffic(struct fixture *fixture, long processes)
{
    return &take_for(fixture, (struct wishes){.queues = true, .traffic = processes})->communicators[1];
}

TEST(traffic_is_there_on_request)
{
    const struct communicator *communicator;

    assert_false(take(fixture)->communicators[0].has_traffic);
    communicator = take_traffic(fixture, LONG_MAX);
    assert_true(communicator->has_traffic);
    assert_int_equal(communicator->n_traffic, 2);
    assert_int_equal(communicator->traffic[0].peer, 2);
    assert_int_equal(communicator->traffic[0].n_sent, 65535);
    assert_int_equal(communicator->traffic[0].n_arrived, 3);
    assert_int_equal(communicator->traffic[1].peer, 7);
    script.n_sent_elsewhere = 1;
    assert_false(take_traffic(fixture, LONG_MAX)->has_traffic);
    script.traffic_code = mqs_first_user_code;
    assert_false(take_traffic(fixture, LONG_MAX)->has_traffic);
    assert_null(fixture->listing.error);
}

/* Communicators with more processes than are asked for have their queues all the same. */
TEST(traffic_is_counted_up_to_a_number_of_processes)
{
    for (long processes = 2; processes <= 4; processes++) {
        const struct communicator *communicator = take_traffic(fixture, processes);

        assert_int_equal(communicator_n_peers(communicator), 3);
        assert_true(communicator->has_traffic == (processes >= 3));
        assert_int_equal(communicator->queues[mqs_pending_receives].n, 2);
    }
}

/* The members of an intercommunicator's remote group have names: either all of them or none. */
TEST(processes_are_told_by_name)
{
    const struct listing *listing = take(fixture);

    assert_true(listing->has_name);
    assert_int_equal(listing->name.job, 77);
    assert_int_equal(listing->name.rank, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(listing->communicators[1].peers[i].job, 78);
        assert_int_equal(listing->communicators[1].peers[i].rank, 100 + i);
    }
    script.name_code = script.member_code = CODE_A;
    listing = take(fixture);
    assert_null(listing->error);
    assert_false(listing->has_name);
    assert_null(listing->communicators[1].peers);
}

TEST(rank_comes_from_the_environment_else_from_the_world)
{
    assert_int_equal(take(fixture)->rank, 1);
    fixture->host.rank = 5;
    assert_int_equal(take(fixture)->rank, 5);
}

TEST(image_is_asked_before_the_process)
{
    static char message[] = "none in %s, %d%%n %s";

    assert_true(listing_examine_image(&fixture->listing, &library, &fixture->image));
    assert_null(fixture->listing.error);
    assert_string_equal(calls, "setup_image image_has_queues ");
    /* One that is refused in silence, and one with a message. */
    script.image_code = CODE_A;
    assert_false(listing_examine_image(&fixture->listing, &fixture->library, &fixture->image));
    assert_has(fixture->listing.error, "reason A");
    assert_has(fixture->listing.error, "pids of ranks");
    assert_int_equal(fixture->listing.reason, MQD_REASON_finalized);
    listing_free(&fixture->listing);
    fixture->listing = (struct listing){.executable = strdup("a%n.out")};
    script.message = message;
    assert_false(listing_examine_image(&fixture->listing, &fixture->library, &fixture->image));
    assert_has(fixture->listing.error, ": none in a%n.out, %d%n %s");
    assert_int_equal(fixture->listing.reason, MQD_REASON_finalized);
}

TEST(process_on_which_nothing_is_hung)
{
    script.no_process_info = true;
    assert_non_null(take(fixture)->error);
    assert_string_equal(calls, "setup_process ");
    listing_release(&library, &fixture->image, &fixture->host);
    assert_int_equal(destroyed, 0);
}

PLAIN_TEST(names_of_statuses)
{
    assert_string_equal(operation_status_name(mqs_st_pending), "pending");
    assert_string_equal(operation_status_name(mqs_st_matched), "matched");
    assert_string_equal(operation_status_name(mqs_st_complete), "complete");
    assert_string_equal(operation_status_name(77), "unknown");
}

/* What goes wrong, and what is listed all the same: the first error with its reason, and the first communicator. */

static const struct {
    struct script script;
    const char *expected;
} troubles[] = {
    {{.process_code = CODE_B}, "reason B (damaged); not listed"},
    {{.update_code = CODE_A}, "reason A (finalized); not listed"},
    {{.iterator_code = mqs_end_of_list}, "0 communicators; complete"},
    {{.get_code = CODE_B, .next_communicator_code = CODE_A}, "reason B (damaged); 0 communicators"},
    {{.next_communicator_code = CODE_A}, "reason A (finalized); 2 communicators; 0 2 0"},
    {{.setup_operation_code = mqs_no_information},
     "2 communicators; 0 2 unavailable (the debugging library does not know this queue)"},
    {{.setup_operation_code = mqs_end_of_list}, "2 communicators; 0 2 0; complete"},
    {{.bad_operations = 1}, "2 communicators; 0 2 (reason B) 0"},
    {{.bad_operations = 1000000}, "2 communicators; 0 1 (reason B) 0"},
    {{.endless_operations = true},
     "2 communicators; 0 1000000 (the debugging library lists more than 1000000 operations: the rest is not shown) 0"},
    {{.group_code = CODE_A}, "2 communicators; group: reason A; 0 2 0"},
    {{.size = -1}, "2 communicators; group: a communicator of -1 processes cannot be; 0 2 0"},
    /* A layout that is not in force is an error if it is asked for. */
    {{.layout_code = CODE_B}, "2 communicators; 0 2 0; complete"},
};

static const char *describe_listing(const struct listing *listing)
{
    char *text = test_text("%s", "");

    if (listing->error != NULL)
        text = test_text("%s (%s); ", listing->error, listing->reason == MQD_REASON_finalized ? "finalized"
                                                      : listing->reason == MQD_REASON_damaged ? "damaged" : "not listed; complete; in force: 2 3 1 1 1");
    if (!listing->has_communicators)
        return test_text("%snot listed%s", text, listing_is_complete(listing) ? "; complete" : "");
    text = test_text("%s%zu communicators%s", text, listing->n, listing->n > 0 ? ";" : "");
    if (listing->n > 0 && listing->communicators[0].group == NULL)
        text = test_text("%s group: %s;", text, listing->communicators[0].group_error);
    for (int class = 0; class < N_QUEUES && listing->n > 0; class++) {
        const struct queue *queue = &listing->communicators[0].queues[class];

        text = queue->available ? test_text("%s %zu", text, queue->n) : test_text("%s unavailable", text);
        text = queue->error != NULL ? test_text("%s (%s)", text, queue->error) : text;
    }
    return test_text("%s%s", text, listing_is_complete(listing) ? "; complete" : "");
}

TEST(trouble_is_told_where_it_is)
{
    for (size_t i = 0; i < N_OF(troubles); i++) {
        script = troubles[i].script;
        script.size = script.size != 0 ? script.size : 3;
        assert_string_equal(describe_listing(take(fixture)), troubles[i].expected);
        assert_true(fixture->listing.has_layout);
        assert_true(n_errors < 1000);
    }
}

/* Each operation has its own facts. One that cannot be described has none. */
TEST(facts_are_kept_with_their_operations)
{
    struct listing *listing = take(fixture);
    struct queue *queue = receives_of(listing, 0);

    assert_int_equal(queue->n, 2);
    assert_int_equal(queue->operations[0].kind, MQD_OPERATION_recv);
    assert_int_equal(queue->operations[0].progress, MQD_PROGRESS_posted);
    assert_int_equal(queue->operations[0].request, 0x1000);
    assert_string_equal(queue->operations[0].datatype, "MPI_INT");
    assert_int_equal(queue->operations[1].kind, MQD_OPERATION_unknown);
    assert_int_equal(queue->operations[1].sequence, -1);
    /* Also if others are hidden. */
    queue->operations[0].desired_tag = -16;
    queue->operations[1].request = 0x2000;
    listing_hide_internal(listing);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].desired_tag, 2);
    assert_int_equal(queue->operations[0].request, 0x2000);
}

/* What a look finds as the one before did is in memory once, until one of them changes. */
TEST(operations_that_two_looks_find_are_there_once)
{
    struct listing before;
    struct listing *after;
    struct queue *queue, *earlier;

    take(fixture);
    before = fixture->listing;
    before.communicators[1].unique_id = 7;
    earlier = receives_of(&before, 0);
    fixture->listing = (struct listing){0};
    after = take_for(fixture, (struct wishes){.queues = true, .before = &before});
    queue = receives_of(after, 0);
    assert_int_equal(queue->n, 2);
    assert_ptr_equal(queue->operations, earlier->operations);
    assert_ptr_not_equal(receives_of(after, 1)->operations, receives_of(&before, 1)->operations);
    queue_replace(queue, 1, &(struct queued){.desired_tag = 9, .datatype = "MPI_CHAR"});
    assert_int_equal(earlier->operations[1].desired_tag, 2);
    after = take_for(fixture, (struct wishes){.queues = true, .before = &before});
    queue = receives_of(after, 0);
    queue->operations[0].desired_tag = -16;
    listing_hide_internal(after);
    assert_int_equal(queue->n, 1);
    assert_int_equal(earlier->n, 2);
    earlier->operations[0].desired_tag = 1;
    earlier->operations[1].desired_tag = 3;
    queue = receives_of(take_for(fixture, (struct wishes){.queues = true, .before = &before}), 0);
    assert_int_equal(queue->n, 2);
    assert_int_equal(queue->operations[1].desired_tag, 2);
    assert_ptr_not_equal(queue->operations, earlier->operations);
    listing_free(&before);
}

/* Open MPI's own library: no layout, no facts and no reasons, and everything else. */
TEST(library_without_extension)
{
    struct listing *listing;

    fixture->library.extension = NULL;
    listing = take(fixture);
    assert_false(listing->has_layout);
    assert_true(listing_is_complete(listing));
    script.next_communicator_code = CODE_A;
    listing = take(fixture);
    assert_string_equal(listing->error, "reason A");
    assert_int_equal(listing->reason, MQD_REASON_unknown);
    assert_false(receives_of(listing, 0)->described);
    assert_int_equal(receives_of(listing, 0)->operations[1].kind, MQD_OPERATION_unknown);
}

TEST(what_is_not_known_is_kept_with_its_operation)
{
    struct listing *listing = take_with(fixture, sizeof fixture->extension);
    struct queue *queue = receives_of(listing, 1);

    assert_int_equal(queue->n, 2);
    assert_true(queue->operations[0].unknown.peer);
    assert_false(queue->operations[0].unknown.tag);
    assert_true(queue->operations[0].unknown.buffer);
    assert_int_equal(queue->operations[0].send_request, 0x7000);
    assert_false(queue->operations[0].found);
    assert_false(queue->operations[1].unknown.peer);
    assert_int_equal(queue->operations[1].send_request, 0);
    queue->operations[0].desired_tag = queue->operations[1].desired_tag = -1;
    queue->operations[1].unknown = (struct queued_unknown){.tag = true};
    queue->operations[1].send_request = 0x8000;
    listing_hide_internal(listing);
    assert_int_equal(queue->n, 1);
    assert_int_equal(queue->operations[0].send_request, 0x8000);
    queue->operations[0].internal = 1;
    listing_hide_internal(listing);
    assert_int_equal(queue->n, 0);
}

/* A table that ends before a function does not have it, whatever is in memory there. */
TEST(functions_behind_the_end_of_the_table_are_not_called)
{
    struct listing *listing = take(fixture);

    assert_true(listing_is_complete(listing));
    assert_int_equal(listing->n_libraries, 0);
    assert_false(receives_of(listing, 1)->operations[0].unknown.peer);
    assert_int_equal(receives_of(listing, 1)->operations[0].send_request, 0);
    listing = take_with(fixture, offsetof(struct mqd_extension_v1, send_request_of));
    assert_int_equal(listing->n_libraries, 1);
    assert_true(receives_of(listing, 1)->operations[0].unknown.peer);
    assert_int_equal(receives_of(listing, 1)->operations[0].send_request, 0);
}

/* How communicators and datatypes were made. */

#define A_TOPOLOGY(kind) {.fact = MQD_FACT_topology, .number = MQD_TOPOLOGY_##kind}
#define SIZE(i, size) {.fact = MQD_FACT_dimension, .index = i, .number = size}
#define PERIOD(i, periodic) {.fact = MQD_FACT_periodic, .index = i, .number = periodic}
#define OWN(i, own) {.fact = MQD_FACT_coordinate, .index = i, .number = own}
#define ITEMS(...) (const struct mqd_handle_item[]){__VA_ARGS__, {0}}

static const struct arrangement *take_arrangement(struct fixture *fixture, size_t i)
{
    return &take_with(fixture, sizeof fixture->extension)->communicators[i].arrangement;
}

/* The process is rank 1 of 3. */
TEST(arrangements_are_those_of_their_communicators)
{
    const struct arrangement *arrangement;

    script.arrangements[1] = ITEMS(A_TOPOLOGY(graph), {.fact = MQD_FACT_freed, .number = 1});
    script.arrangements[0] = ITEMS({.fact = MQD_FACT_revoked, .number = 1}, A_TOPOLOGY(cartesian), SIZE(0, 1),
                                   SIZE(1, 3), PERIOD(0, 1), PERIOD(1, 0), OWN(0, 0), OWN(1, 1));
    arrangement = take_arrangement(fixture, 0);
    assert_int_equal(arrangement->topology, MQD_TOPOLOGY_cartesian);
    assert_true(arrangement->revoked && !arrangement->freed);
    assert_int_equal(arrangement->n_dimensions, 2);
    assert_true(arrangement->dimensions[0].size == 1 && arrangement->dimensions[0].periodic &&
                arrangement->dimensions[0].coordinate == 0);
    assert_true(arrangement->dimensions[1].size == 3 && !arrangement->dimensions[1].periodic &&
                arrangement->dimensions[1].coordinate == 1);
    assert_true(communicator_is_cartesian(&fixture->listing.communicators[0]));
    assert_int_equal(fixture->listing.communicators[1].arrangement.topology, MQD_TOPOLOGY_graph);
    assert_true(fixture->listing.communicators[1].arrangement.freed);
    assert_false(fixture->listing.communicators[1].arrangement.revoked);
}

/* Each communicator is asked for once, also if the DLL cannot tell, and an older DLL is not asked. */
TEST(arrangements_are_not_sought_for_ever)
{
    assert_int_equal(take_arrangement(fixture, 0)->topology, MQD_TOPOLOGY_none);
    assert_int_equal(n_communicators_asked, 2);
    n_communicators_asked = 0;
    take_with(fixture, offsetof(struct mqd_extension_v1, describe_arrangement));
    assert_int_equal(n_communicators_asked, 0);
}

TEST(dimensions_that_cannot_be_are_not_taken)
{
    struct mqd_handle_item again[1 + 3 * 33] = {0};

    script.arrangements[0] = ITEMS(A_TOPOLOGY(cartesian), SIZE(0, 3), PERIOD(0, 0));
    assert_int_equal(take_arrangement(fixture, 0)->n_dimensions, 0);
    script.arrangements[0] = ITEMS(A_TOPOLOGY(cartesian), SIZE(-1, 3), PERIOD(1000000, 0), OWN(32, 1));
    assert_int_equal(take_arrangement(fixture, 0)->n_dimensions, 0);
    script.arrangements[0] = ITEMS(A_TOPOLOGY(cartesian), SIZE(31, 3), PERIOD(31, 0), OWN(31, 1));
    assert_false(communicator_is_cartesian(&fixture->listing.communicators[0]));
    take_arrangement(fixture, 0);
    assert_false(communicator_is_cartesian(&fixture->listing.communicators[0]));
    /* A dimension is told again and again. */
    for (size_t i = 0; i < 3 * 33; i++)
        again[i] = (struct mqd_handle_item){.fact = MQD_FACT_dimension + (int)(i / 33), .number = 1};
    script.arrangements[0] = again;
    assert_int_equal(take_arrangement(fixture, 0)->n_dimensions, 0);
    script.endless_items = true;
    script.arrangements[0] = ITEMS(SIZE(0, 3));
    assert_int_equal(take_arrangement(fixture, 0)->n_dimensions, 0);
    script.arrangements[0] = ITEMS(A_TOPOLOGY(graph));
    assert_int_equal(take_arrangement(fixture, 0)->n_dimensions, 0);
}

static const struct queued *take_unnamed(struct fixture *fixture, int class, size_t i)
{
    return &take_with(fixture, sizeof fixture->extension)->communicators[0].queues[class].operations[i];
}

#define A_DATATYPE(i, name) {.fact = MQD_FACT_datatype, .index = i, .address = 0x9000, .text = name}
#define COMBINER(how) {.fact = MQD_FACT_combiner, .number = MQD_COMBINER_##how}

TEST(datatypes_without_a_name_are_asked_for_once)
{
    const struct queued *operation;

    script.n_unnamed = 100;
    script.request_items = ITEMS({.fact = MQD_FACT_elements, .number = 5}, A_DATATYPE(0, ""));
    script.datatype_items = ITEMS(COMBINER(vector), A_DATATYPE(0, "MPI_DOUBLE"));
    operation = take_unnamed(fixture, mqs_pending_receives, 63);
    assert_int_equal(operation->combiner, MQD_COMBINER_vector);
    assert_string_equal(operation->base, "MPI_DOUBLE");
    assert_int_equal(operation[1].combiner, 0);
    assert_string_equal(operation[1].base, "");
    operation = &fixture->listing.communicators[0].queues[mqs_pending_sends].operations[63];
    assert_int_equal(operation->combiner, MQD_COMBINER_vector);
    assert_int_equal(n_requests_asked, 2 * 64);
    assert_int_equal(n_datatypes_asked, 1);
}

TEST(datatypes_of_several_others_have_none_in_common)
{
    const struct queued *operation;

    script.n_unnamed = 1;
    script.request_items = ITEMS(A_DATATYPE(0, ""));
    script.datatype_items = ITEMS(COMBINER(struct), A_DATATYPE(0, "MPI_INT"), A_DATATYPE(1, "MPI_INT"));
    assert_string_equal(take_unnamed(fixture, mqs_pending_sends, 0)->base, "MPI_INT");
    script.datatype_items = ITEMS(COMBINER(struct), A_DATATYPE(0, "MPI_INT"), A_DATATYPE(1, "MPI_IN"),
                                  A_DATATYPE(2, "MPI_INT"));
    operation = take_unnamed(fixture, mqs_pending_sends, 0);
    assert_string_equal(operation->base, "");
    assert_int_equal(operation->combiner, MQD_COMBINER_struct);
    /* It has a name, which the operation does not tell; it is nothing of MPI's; the request is nothing of MPI's. */
    script.request_items = ITEMS(A_DATATYPE(0, "halo"));
    assert_int_equal(take_unnamed(fixture, mqs_pending_sends, 0)->combiner, 0);
    script.request_items = ITEMS(A_DATATYPE(0, ""));
    script.datatype_items = NULL;
    assert_int_equal(take_unnamed(fixture, mqs_pending_sends, 0)->combiner, 0);
    script.request_items = NULL;
    assert_int_equal(take_unnamed(fixture, mqs_pending_sends, 0)->combiner, 0);
}

TEST(libraries_are_named_even_if_no_layout_is_in_force)
{
    struct listing *listing = take_with(fixture, sizeof fixture->extension);

    assert_int_equal(listing->n_libraries, 1);
    assert_string_equal(listing->libraries[0].summary.version, "1.13.1");
    assert_null(listing->libraries[0].error);
    script.library_code = CODE_A;
    listing = take(fixture);
    assert_int_equal(listing->n_libraries, 1);
    assert_string_equal(listing->libraries[0].summary.name, "UCX");
    assert_string_equal(listing->libraries[0].error, "reason A");
    assert_int_equal(listing->libraries[0].reason, MQD_REASON_finalized);
    assert_true(listing_is_complete(listing));
    script.endless_libraries = true;
    assert_in_range(take(fixture)->n_libraries, 2, 100);
}

/* What makes a queue slow to read does not make it incomplete. */
TEST(what_is_kept_elsewhere_is_a_gap)
{
    struct listing *listing = take(fixture);

    assert_null(listing->gaps[mqs_pending_sends].text);
    assert_false(listing_hides_blocking(listing));
    script.hindrance = MQD_REASON_elsewhere;
    script.capability_reason = "on a stack";
    listing = take(fixture);
    assert_string_equal(listing->gaps[mqs_pending_sends].text, "on a stack");
    assert_int_equal(listing->gaps[mqs_pending_sends].reason, MQD_REASON_elsewhere);
    assert_null(listing->gaps[mqs_pending_receives].text);
    assert_true(listing_hides_blocking(listing));
    assert_true(listing_is_complete(listing));
}

TEST(internal_operations_are_asked_for_in_time)
{
    static const struct wishes internal = {.queues = true, .internal = true};

    assert_true(listing_is_complete(take_for(fixture, internal)));
    assert_int_equal(shown_internal, 1);
    script.show_code = CODE_B;
    assert_false(listing_is_complete(take_for(fixture, internal)));
}

/* If the DLL leaves something out, the process has an error. Other errors come before this one. */
TEST(limits_of_a_process_that_is_listed)
{
    static char message[] = "sends of %s are not shown";

    fixture->listing.executable = strdup("a.out");
    script.message = message;
    listing_take(&fixture->listing, &fixture->library, &fixture->host, &(struct wishes){.queues = true});
    assert_string_equal(fixture->listing.error, "sends of a.out are not shown");
    assert_int_equal(fixture->listing.n, 2);
    assert_false(listing_is_complete(&fixture->listing));
    script.update_code = CODE_A;
    assert_string_equal(take(fixture)->error, "reason A");
}

/* With layouts: what is listed, the layout's error, and numbers of types, fields, probes, capabilities and limits. */
#define ALONE "setup_process process_has_queues "
static char names_only[] = "names are not shown", refused[] = "no table fits";
static const struct {
    struct script script;
    bool queues;
    const char *expected, *calls;
} layouts[] = {
    {{.n_fields = 3, .message = names_only}, false, "not listed; complete; in force: 2 3 1 1 1", ALONE},
    /* Besides the queues. */
    {{.n_fields = 3}, true, "2 communicators; 0 2 0; complete; in force: 2 3 1 1 1", ALONE "update communicators "},
    {{.n_fields = -1}, false, "not listed; complete; in force: 2 100000 1 1 1", ALONE},
    /* One that is not in force: there is something to show all the same, and the exit status tells. */
    {{.layout_code = CODE_B}, false, "reason B (damaged); not listed; reason B: 2 0 1 1 1", ALONE},
    {{.process_code = CODE_A, .layout_code = CODE_A, .message = refused}, true,
     "no table fits (finalized); not listed; reason A: 2 0 1 1 1", ALONE},
};

TEST(layout_in_detail)
{
    for (size_t i = 0; i < N_OF(layouts); i++) {
        const struct listing *listing;
        const struct details *details = &fixture->listing.details;

        script = layouts[i].script;
        script.size = 3;
        *calls = '\0';
        listing = take_for(fixture, (struct wishes){.queues = layouts[i].queues, .layout = true});
        assert_string_equal(test_text("%s; %s: %zu %zu %zu %zu %zu", describe_listing(listing),
                                      listing->layout_error != NULL ? listing->layout_error : "in force",
                                      details->n_types, details->n_fields, details->n_probes, details->n_capabilities,
                                      details->n_limits), layouts[i].expected);
        assert_string_equal(calls, layouts[i].calls);
        assert_true(listing->has_details);
        assert_true(listing->layout_error == NULL || listing->layout_reason == reason_of(script.layout_code));
        assert_string_equal(listing->layout->openmpi, "4.1.4");
        assert_int_equal(details->types[1].size, 9);
        for (size_t k = 0; k < details->n_fields; k++)
            assert_int_equal(details->fields[k].offset, k);
        assert_int_equal(details->limits[0].hindrance, MQD_REASON_no_symbol);
    }
}

/* Handles are asked for at the same list as queues or, without queues, at one of their own. */
TEST(questions_about_handles)
{
    char *questions[] = {(char *)"--windows", (char *)"--handle 0x10"};
    struct wishes wishes = {.questions = {.words = questions, .n = 2}};
    const struct listing *listing = take_for(fixture, wishes);

    assert_string_equal(calls, "setup_process process_has_queues update ");
    assert_int_equal(listing->n_answers, 2);
    assert_true(listing->layout_only && !listing->has_communicators && listing->error == NULL);
    assert_ptr_equal(listing_answer(listing, "--handle 0x10"), &listing->answers[1]);
    assert_null(listing_answer(listing, "--files"));
    assert_has(listing->answers[0].error, "tells nothing of handles");
    assert_false(listing_is_complete(listing));
    wishes.queues = true;
    *calls = '\0';
    listing = take_for(fixture, wishes);
    assert_string_equal(calls, "setup_process process_has_queues update communicators ");
    assert_int_equal(listing->n_answers, 2);
    assert_true(listing->has_communicators);
    wishes.queues = false;
    script.update_code = CODE_A;
    listing = take_for(fixture, wishes);
    assert_string_equal(listing->error, "reason A");
    assert_int_equal(listing->n_answers, 0);
    wishes.questions.n = 0;
    *calls = '\0';
    listing = take_for(fixture, wishes);
    assert_string_equal(calls, "setup_process process_has_queues ");
    assert_null(listing->error);
}

TEST(death_is_the_reason_that_counts)
{
    fixture->process.dead = true;
    script.update_code = CODE_A;
    assert_has(take(fixture)->error, "died");
    assert_int_equal(fixture->listing.reason, MQD_REASON_unknown);
}

TEST(library_that_cannot_be_loaded)
{
    struct dll dll;

    assert_false(dll_open(&dll, "/nonexistent.so", WHY));
    assert_has(why(), "/nonexistent.so");
    dll_close(&dll);
    assert_has(of_test(dll_explain(&library, 4711)), "4711");
}

TEST(numbers_are_turned_for_another_byte_order)
{
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

TEST(sizes_are_five_numbers)
{
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
