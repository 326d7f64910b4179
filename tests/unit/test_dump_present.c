/*
 * test_dump_present.c - listings as JSON, which must be exact, and as tables, which must fit 80 columns.
 */
#include <limits.h>
#include <locale.h>

#include "unit_test.h"

#include "mqd/dump/base/printable.h"
#include "mqd/dump/show/json.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/listing_text.h"

/* What was printed last. */
static char *output;

static void check_json_string(const char *text, const char *expected)
{
    assert_string_equal(PRINTED(json_print_string(test_to, text)), expected);
}

TEST(json_string_escapes)
{
    check_json_string("", "\"\"");
    check_json_string("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"");
    check_json_string("\x01\t\n\x1f\x7f", "\"\\u0001\\u0009\\u000a\\u001f\\u007f\"");
    check_json_string("\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"");
    check_json_string("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", "\"\\u202e\\u2066\\u061c\"");
}

TEST(json_string_is_valid_utf8)
{
    check_json_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_json_string("a\xff" "b", "\"a\\ufffdb\"");
    check_json_string("\xc3", "\"\\ufffd\"");
    check_json_string("\xe2\x82", "\"\\ufffd\\ufffd\"");
    check_json_string("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    check_json_string("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"");
    check_json_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    check_json_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    check_json_string("\xf8\x88\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void check_printable(const char *text, size_t n_columns, const char *expected)
{
    assert_string_equal(of_test(printable(text, n_columns)), expected);
}

TEST(printable_text_holds_no_control_characters)
{
    check_printable("plain text", 0, "plain text");
    check_printable("\x1b[31mred\n", 0, "\\x1b[31mred\\x0a");
    check_printable("broken \xff", 0, "broken \\xff");
    check_printable("\xc2\x9b", 0, "\\xc2\\x9b");
}

/* What turns the direction of text around is text to a locale that knows it. */
TEST(printable_text_holds_no_direction_controls)
{
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip_because("no locale C.UTF-8");
    check_printable("\xe2\x80\xae" "evil", 0, "\\xe2\\x80\\xaeevil");
    check_printable("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", 0, "\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xd8\\x9c");
    check_printable("\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9", 0, "\\xe2\\x80\\xaa\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
    check_printable("\xd7\xa9\xe2\x80\x90", 0, "\xd7\xa9\xe2\x80\x90");
    assert_int_equal(columns_of("\xe2\x80\xae"), 12);
    setlocale(LC_ALL, "C");
}

TEST(printable_text_is_cut)
{
    check_printable("1234567890", 10, "1234567890");
    check_printable("12345678901", 10, "1234567...");
    check_printable("12345\x01\x02", 10, "12345...");
    check_printable("1234", 3, "...");
    assert_int_equal(columns_of("12345"), 5);
    assert_int_equal(bytes_that_fit("12345", 3), 3);
    assert_int_equal(bytes_that_fit("12345", 9), 5);
}

/* Listings. */

static struct queued operations[] = {
    {.status = mqs_st_pending, .desired_local_rank = -1, .desired_global_rank = -1, .tag_wild = 1, .desired_tag = -1,
     .desired_length = 400, .buffer = 0x1000, .extra_text = {"Recv", "100 x MPI_INT"}},
    {.status = mqs_st_matched, .desired_local_rank = -1, .desired_global_rank = -1, .desired_tag = 7,
     .desired_length = 400, .buffer = 0x2000, .actual_local_rank = 1, .actual_global_rank = 3, .actual_tag = 7,
     .actual_length = 40},
};
static int group[] = {2, 3};
static char no_queue[] = "not \"known\"", failed[] = "it failed";

static struct communicator communicators[] = {
    {.unique_id = 4, .local_rank = 0, .size = 2, .name = "ro\xffw", .group = group,
     .queues = {{.available = true}, {.available = true, .operations = operations, .n = 2}, {.error = no_queue}}},
    {.unique_id = 5, .local_rank = 0, .size = 1, .name = "idle", .group = group,
     .queues = {{.available = true}, {.available = true}, {.available = true}}},
};

/* That of all listings. */
static struct mqd_layout_summary layout;

static struct listing listing_of(struct communicator *of, size_t n)
{
    static char job[] = "prterun-a-1@1", executable[] = "/home/user/solver";

    layout = (struct mqd_layout_summary){.openmpi = "4.1.4", .family = "4.1.0-4.1.8", .variant = "release  ft",
                                         .source = "table"};
    return (struct listing){.pid = 17, .rank = 2, .job = job, .user = 1000, .executable = executable, .has_layout = true,
                            .layout = &layout, .has_communicators = true,
                            .communicators = of, .n = n};
}

static const char *print(void (*printer)(FILE *, const struct listing *const *, size_t), const struct listing *listing)
{
    return output = PRINTED(printer(test_to, &listing, 1));
}

static void print_json(FILE *to, const struct listing *const *listings, size_t n)
{
    json_print(to, listings, n, NULL, NULL, 0);
}

static void print_tables(FILE *to, const struct listing *const *listings, size_t n)
{
    text_print(to, listings, n, &(struct words){0}, false);
}

/* In the part ' stands for ". */
static void json_has(const struct listing *listing, const char *part)
{
    char *quoted = test_text("%s", part);

    for (char *at = quoted; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    assert_has(print(print_json, listing), quoted);
}

TEST(json_document)
{
    struct listing listing = listing_of(communicators, 2);
    const char *text = print(print_json, &listing);
    const char *body = strstr(text, "\"processes\"");

    assert_true(strncmp(text, "{\"format\":1,\"mqdump\":\"", 22) == 0);
    assert_non_null(body);
    assert_string_equal(body,
        "\"processes\":[{\"pid\":17,\"rank\":2,\"job\":\"prterun-a-1@1\",\"user\":1000,\"stopped\":true,\"core\":null,"
        "\"signal\":null,\"copy_of\":null,\"executable\":\"/home/user/solver\",\"thread_level\":null,"
        "\"openmpi\":\"4.1.4\","
        "\"layout\":{\"family\":\"4.1.0-4.1.8\",\"variant\":[\"release\",\"ft\"],\"source\":\"table\"},"
        "\"communicators\":[{\"name\":\"ro\\ufffdw\",\"unique_id\":4,\"local_rank\":0,\"size\":2,\"group\":[2,3],"
        "\"use\":null,\"pending_sends\":[],\"pending_receives\":["
        "{\"status\":\"pending\",\"desired_local_rank\":-1,\"desired_global_rank\":-1,\"tag_wild\":true,"
        "\"desired_tag\":-1,\"desired_length\":400,\"system_buffer\":false,\"buffer\":\"0x1000\","
        "\"actual_local_rank\":0,\"actual_global_rank\":0,\"actual_tag\":0,\"actual_length\":0,"
        "\"extra_text\":[\"Recv\",\"100 x MPI_INT\"]},"
        "{\"status\":\"matched\",\"desired_local_rank\":-1,\"desired_global_rank\":-1,\"tag_wild\":false,"
        "\"desired_tag\":7,\"desired_length\":400,\"system_buffer\":false,\"buffer\":\"0x2000\","
        "\"actual_local_rank\":1,\"actual_global_rank\":3,\"actual_tag\":7,\"actual_length\":40,\"extra_text\":[]}],"
        "\"unexpected_messages\":null,\"errors\":{\"unexpected_messages\":\"not \\\"known\\\"\"}},"
        "{\"name\":\"idle\",\"unique_id\":5,\"local_rank\":0,\"size\":1,\"group\":[2],"
        "\"use\":null,\"pending_sends\":[],\"pending_receives\":[],\"unexpected_messages\":[]}]}]}\n");
}

TEST(json_of_a_process_of_which_nothing_is_known)
{
    const struct listing listing = {.pid = 17, .rank = -1, .user = -1, .was_running = true, .error = failed};

    json_has(&listing, "'processes':[{'pid':17,'rank':null,'job':null,'user':null,'stopped':false,'core':null,"
             "'signal':null,'copy_of':null,'executable':null,'thread_level':null,'openmpi':null,'layout':null,"
             "'communicators':null,'error':'it failed'}]}\n");
}

TEST(json_tells_programs_why_by_a_word)
{
    struct communicator communicator = communicators[0];
    struct listing listing = listing_of(&communicator, 1);

    listing.error = failed;
    listing.reason = MQD_REASON_wrong_layout;
    communicator.group_error = failed;
    communicator.group_reason = MQD_REASON_unreadable;
    for (int class = 0; class < N_QUEUES; class++)
        communicator.queues[class] = (struct queue){.error = failed, .reason = MQD_REASON_unknown};
    communicator.queues[mqs_pending_receives].reason = MQD_REASON_pml_ucx;
    json_has(&listing, "},'causes':{'group':'unreadable','pending_receives':'pml_ucx'}}],");
    json_has(&listing, "'error':'it failed','cause':'wrong_layout'}]}");
    /* A DLL that is newer than mqdump may have other reasons; one without an error has none. */
    listing.reason = 1000;
    communicator.group_error = NULL;
    communicator.queues[mqs_pending_receives].error = NULL;
    assert_lacks(print(print_json, &listing), "causes");
    json_has(&listing, "'error':'it failed','cause':null}]}");
}

TEST(every_reason_has_a_word)
{
    struct listing listing = {.pid = 17, .rank = -1, .error = failed};

    for (listing.reason = MQD_REASON_unknown + 1; listing.reason <= MQD_REASON_elsewhere; listing.reason++)
        assert_lacks(print(print_json, &listing), "\"cause\":null");
}

TEST(json_before_a_layout_is_in_force)
{
    struct listing listing = listing_of(NULL, 0);

    layout.source[0] = '\0';
    json_has(&listing, "'openmpi':'4.1.4','layout':null,'communicators':[]");
}

TEST(json_of_types_that_were_rejected)
{
    struct listing listing = listing_of(NULL, 0);

    strcpy(layout.rejected, "opal_object_t");
    json_has(&listing, "'source':'table','rejected':'opal_object_t'},");
}

/* An operation with all facts, and one with none. A number that this program does not know becomes null. */
TEST(json_of_facts)
{
    struct queued known[3] = {
        {.kind = MQD_OPERATION_ssend, .mode = MQD_MODE_synchronous, .protocol = MQD_PROTOCOL_single_copy,
         .progress = MQD_PROGRESS_single_copy, .persistent = 1, .freed = 1, .collective = 1, .internal = 1,
         .needs_receiver = 1, .error_class = 15, .sequence = 3, .request = 0x1f, .arrived = 7, .has_count = 1,
         .count = 10, .datatype = "a \"row\"", .purpose = "MPI_Bcast", .has_peer = 1, .peer = {77, 5}},
        {.sequence = -1, .count = 4, .peer = {77, 5}},
        {.kind = 99, .mode = 99, .protocol = -1, .progress = 99, .sequence = -1},
    };
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);
    const char *text;

    communicator.queues[mqs_pending_sends] =
        (struct queue){.available = true, .described = true, .operations = known, .n = 3};
    text = print(print_json, &listing);
    assert_has(text,
        "\"actual_length\":0,\"call\":\"ssend\",\"mode\":\"synchronous\",\"protocol\":\"single_copy\","
        "\"progress\":\"single_copy\",\"persistent\":true,\"freed\":true,\"internal\":true,\"collective\":true,"
        "\"waits_for_receiver\":true,\"purpose\":\"MPI_Bcast\",\"request\":\"0x1f\",\"count\":10,"
        "\"datatype\":\"a \\\"row\\\"\",\"arrived\":7,\"error_class\":15,\"sequence\":3,"
        "\"collective_number\":null,\"send_request\":null,\"found_at\":null,\"peer\":{\"job\":77,\"rank\":5},"
        "\"extra_text\":[]},");
    text = strstr(text, "\"call\":null");
    assert_non_null(text);
    assert_has(text,
               "\"call\":null,\"mode\":null,\"protocol\":null,\"progress\":null,\"persistent\":false,\"freed\":false,"
        "\"internal\":false,\"collective\":false,\"waits_for_receiver\":false,\"purpose\":null,\"request\":null,"
        "\"count\":null,\"datatype\":null,\"arrived\":0,\"error_class\":null,\"sequence\":null,"
        "\"collective_number\":null,\"send_request\":null,\"found_at\":null,\"peer\":null,");
    assert_has(text + 1, "\"call\":null,\"mode\":null,\"protocol\":null,\"progress\":null,");
}

TEST(json_of_a_thread_level)
{
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple"};
    struct listing listing = listing_of(NULL, 0);
    char expected[40];

    listing.has_thread_level = true;
    for (listing.thread_level = 0; listing.thread_level < 4; listing.thread_level++) {
        snprintf(expected, sizeof expected, "\"thread_level\":\"%s\",", levels[listing.thread_level]);
        assert_has(print(print_json, &listing), expected);
    }
    json_has(&listing, "'thread_level':null,");
}

TEST(json_of_the_use_of_a_communicator)
{
    struct queued operation = {.status = mqs_st_pending, .sequence = -1, .collective_number = 3};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    communicator.has_use = true;
    communicator.use = (struct mqd_communicator_use){.owner = MQD_OWNER_window, .object = 0x1f, .name = "ha\"lo",
                                                     .has_nonblocking = 1, .n_nonblocking = 3};
    communicator.queues[mqs_pending_sends] =
        (struct queue){.available = true, .described = true, .operations = &operation, .n = 1};
    json_has(&listing, "'use':{'owner':'window','object':'0x1f','name':'ha\\'lo','allow_overtaking':false,"
             "'nonblocking_collectives':3},");
    json_has(&listing, "'collective_number':3,");
    communicator.use = (struct mqd_communicator_use){.allow_overtaking = -1};
    json_has(&listing, "'use':{'owner':null,'object':null,'name':null,'allow_overtaking':null,"
             "'nonblocking_collectives':null},");
}

/* Its locks as a core has them that lacks shared memory; and why a state is not known. */
TEST(window_whose_state_is_not_known)
{
    static char name[] = "osc/ucx keeps it";
    struct mqd_window_peer peer = {.rank = 1, .role = MQD_ROLE_exclusive, .held = -1, .n_pending = 3};
    struct window windows[] = {
        {.unique_id = 4, .size = 2, .name = "heights", .peers = &peer, .n_peers = 1,
         .description = {.object = 0x1f, .component = "sm", .access = MQD_ACCESS_lock, .n_posted_to_it = -1,
                         .n_completed = -1, .locked_exclusively = -1, .n_shared = -1, .n_waiting = -1,
                         .n_pending = -1}},
        {.unique_id = 5, .size = 2, .error = name,
         .description = {.object = 0x2f, .exposed = -1, .n_posted_to_it = -1, .n_completed = -1,
                         .locked_exclusively = -1, .n_shared = -1, .n_waiting = -1, .n_pending = -1}}};
    struct listing listing = listing_of(communicators, 2);

    listing.windows = windows;
    listing.n_windows = 2;
    json_has(&listing, "'component':'sm','access':'lock','exposed':false,'posted':null,'completed':null,"
             "'locked_exclusively':null,'shared_locks':null,'waiting_locks':null,'pending':null,'peers':[{'rank':1,"
             "'role':'exclusive','held':null,'pending':3}]},{'name':'','unique_id':5,'address':'0x2f','local_rank':0,'size':2,'component':null,"
             "'access':null,'exposed':null,'posted':null,'completed':null,'locked_exclusively':null,"
             "'shared_locks':null,'waiting_locks':null,'pending':null,'peers':[],'error':'osc/ucx keeps it'}]");
    assert_has(print(print_tables, &listing), "  heights (window of osc/sm, id 4), rank 0 of 2\n"
               "    has asked for an exclusive lock at rank 1\n"
               "    3 accesses to rank 1 are not complete\n"
        "    who holds its own memory locked is not known: the memory that the processes\n"
        "      share cannot be read (a core may lack it)\n" "  Window without a name (window, id 5), rank 0 of 2\n"
        "    its epochs and locks are not known: osc/ucx keeps it\n");
}

/* What is not known is not -1, which is any, and not 0. */
TEST(what_is_not_known_is_null_or_a_question_mark)
{
    struct queued operations[2] = {
        {.status = mqs_st_pending, .desired_local_rank = -1, .desired_global_rank = -1, .desired_tag = -1,
         .sequence = -1, .unknown = {1, 1, 1, 1}},
        {.status = mqs_st_complete, .desired_local_rank = -1, .desired_global_rank = -1, .desired_tag = -1,
         .actual_local_rank = 1, .actual_global_rank = 3, .actual_tag = 9, .actual_length = 40, .buffer = 0x10,
         .desired_length = 40, .sequence = 5, .unknown = {.peer = 1, .tag = 1}}};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    communicator.queues[mqs_pending_receives] =
        (struct queue){.available = true, .described = true, .operations = operations, .n = 2};
    json_has(&listing, "{'status':'pending','desired_local_rank':null,'desired_global_rank':null,'tag_wild':false,"
             "'desired_tag':null,'desired_length':null,'system_buffer':false,'buffer':null,");
    json_has(&listing, "{'status':'complete','desired_local_rank':null,'desired_global_rank':null,'tag_wild':false,"
             "'desired_tag':null,'desired_length':40,'system_buffer':false,'buffer':'0x10',");
    assert_has(print(print_tables, &listing), "      status    from  world  tag  bytes  arrived  buffer\n"
               "      pending      ?      ?    ?      ?        -  ?\n"
        "      complete     1      3    9     40       40  0x10\n");
    communicator.queues[mqs_pending_receives].n = 1;
    assert_has(print(print_tables, &listing), "      status   from  tag  bytes  buffer\n"
               "      pending     ?    ?      ?  ?\n");
}

TEST(send_that_was_found_through_a_message)
{
    struct queued operation = {.desired_local_rank = 1, .desired_global_rank = 1, .desired_tag = 7,
                                       .desired_length = 80, .extra_text = {"Send"}, .kind = MQD_OPERATION_send,
                               .sequence = -1, .request = 0x70, .found = true, .found_at = {77, 1}};
    struct queued message = {.send_request = 0x70};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    listing.has_name = true;
    listing.name = (struct mqd_process_name){77, 2};
    communicator.queues[mqs_pending_sends] =
        (struct queue){.available = true, .described = true, .operations = &operation, .n = 1};
    json_has(&listing, "'send_request':null,'found_at':{'job':77,'rank':1},'peer':null,");
    assert_has(print(print_tables, &listing), "          Send; found through the message at rank 1\n");
    operation.found_at.job = 78;
    operation.extra_text[0] = "";
    assert_has(print(print_tables, &listing), "          found through the message at rank 1 of another job\n");
    communicator.queues[mqs_unexpected_messages] = communicator.queues[mqs_pending_sends];
    communicator.queues[mqs_unexpected_messages].operations = &message;
    json_has(&listing, "'send_request':'0x70','found_at':null,");
}

static struct library ucx_of(const char *family)
{
    struct library library = {.summary = {.name = "UCX", .version = "1.18.1", .variant = "assert", .arch = "x86_64",
                                          .source = "table", .n_fitting = 1, .version_in_family = 1, .n_types = 9}};

    strcpy(library.summary.family, family);
    return library;
}

TEST(both_layouts_are_named)
{
    struct listing listing = listing_of(communicators + 1, 1);
    struct library library = ucx_of("1.18.0-1.18.1");

    listing.libraries = &library;
    listing.n_libraries = 1;
    assert_string_equal(print(print_tables, &listing),
                        "Rank 2, process 17: /home/user/solver\n"
                        "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table); UCX 1.18.1, layout\n"
                        "1.18.0-1.18.1 assert (table)\n"
                        "  idle (id 5), rank 0 of 1: nothing pending\n");
    json_has(&listing, "'libraries':[{'name':'UCX','version':'1.18.1','family':'1.18.0-1.18.1','variant':['assert'],"
             "'source':'table','error':null,'found':null,'arch':'x86_64','fitting':1,'next_best':null,"
             "'version_in_family':true,'debugger_types':{'all':9,'known':0}}],");
}

TEST(json_of_full_lines_of_text)
{
    mqs_pending_operation said = {0};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);
    struct queue *queue = &communicator.queues[mqs_pending_sends];
    struct queued operation = {.sequence = -1, .datatype = "", .purpose = ""};
    char expected[6 * 68] = "\"extra_text\":[";

    memset(said.extra_text, 'x', sizeof said.extra_text);
    for (int i = 0; i < N_EXTRA_TEXTS; i++)
        operation.extra_text[i] = said.extra_text[i];
    *queue = (struct queue){.available = true};
    queue_add(queue, &operation);
    for (int i = 0; i < 5; i++)
        sprintf(expected + strlen(expected), "%s\"%.64s\"", i > 0 ? "," : "", said.extra_text[i]);
    strcat(expected, "]}]");
    assert_has(print(print_json, &listing), expected);
    queue_clear(queue);
}

TEST(tables)
{
    struct listing listing = listing_of(communicators, 2);

    assert_string_equal(print(print_tables, &listing),
                        "Rank 2, process 17: /home/user/solver\n"
                        "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table)\n"
                        "  ro\\xffw (id 4), rank 0 of 2\n"
                        "    Receives\n"
                        "      status      from  world  tag  bytes  arrived  buffer\n"
                        "      pending      any      -  any    400        -  0x1000\n"
                        "          Recv; 100 x MPI_INT\n"
                        "      matched  1 (any)      3    7    400       40  0x2000\n"
                        "    Unexpected messages: error: not \"known\"\n"
                        "    no sends\n"
                        "  idle (id 5), rank 0 of 1: nothing pending\n");
}

TEST(topologies_are_told)
{
    static int six[] = {0, 1, 2, 3, 4, 5};
    struct dimension dimensions[] = {{.size = 3, .periodic = true, .coordinate = 1}, {.size = 2, .coordinate = 1}};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    communicator.size = 6;
    communicator.local_rank = 3;
    communicator.group = six;
    communicator.arrangement = (struct arrangement){.topology = MQD_TOPOLOGY_cartesian, .dimensions = dimensions,
                                                    .n_dimensions = 2};
    assert_has(print(print_tables, &listing),
               "  idle (id 5), rank 3 of 6, Cartesian 3 x 2, periodic in x, this rank at (1,1):\n"
               "    nothing pending\n");
    json_has(&listing, "'size':6,'topology':'cartesian','dimensions':[{'size':3,'periodic':true,'coordinate':1},"
             "{'size':2,'periodic':false,'coordinate':1}],'group'");
    dimensions[0].coordinate = 2;
    assert_has(print(print_tables, &listing), "rank 3 of 6, Cartesian: nothing pending\n");
    communicator.arrangement = (struct arrangement){.topology = MQD_TOPOLOGY_graph};
    assert_has(print(print_tables, &listing), "rank 3 of 6, a graph: nothing pending\n");
    communicator.arrangement = (struct arrangement){.topology = MQD_TOPOLOGY_distributed_graph, .revoked = true,
                                                    .freed = true};
    assert_has(print(print_tables, &listing), "rank 3 of 6, a distributed graph, revoked, handle freed: nothing");
    json_has(&listing, "'size':6,'topology':'distributed_graph','revoked':true,'freed':true,'group'");
    communicator.arrangement = (struct arrangement){.topology = 1000};
    json_has(&listing, "'size':6,'topology':null,'group'");
    assert_has(print(print_tables, &listing), "rank 3 of 6: nothing pending\n");
}

/* A name that does not fit into the line leaves no space behind it. */
TEST(no_line_ends_with_a_space)
{
    char path[120] = "/";
    struct listing listing = listing_of(communicators + 1, 1);

    memset(path + 1, 'x', 69);
    listing.executable = path;
    assert_string_equal(print(print_tables, &listing),
                        "Rank 2, process 17:\n"
                        "  /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
                        "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table)\n"
                        "  idle (id 5), rank 0 of 1: nothing pending\n");
    path[60] = '\0';
    assert_has(print(print_tables, &listing), "Rank 2, process 17: /xxxxx");
    assert_lacks(output, " \n");
    memset(path + 1, 'x', 118);
    assert_lacks(print(print_tables, &listing), " \n");
}

TEST(tables_name_types_that_were_rejected)
{
    struct listing listing = listing_of(communicators + 1, 1);

    strcpy(layout.rejected, "opal_object_t");
    assert_string_equal(print(print_tables, &listing),
                        "Rank 2, process 17: /home/user/solver\n"
                        "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table)\n"
                        "Debug information of another build is not used, as opal_object_t shows\n"
                        "  idle (id 5), rank 0 of 1: nothing pending\n");
}

TEST(tables_leave_out_what_is_not_known_at_all)
{
    const struct listing listing = {.pid = 17, .rank = -1, .error = failed};

    assert_string_equal(print(print_tables, &listing), "");
}

TEST(tables_show_errors_where_they_happened)
{
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    communicator.group = NULL;
    communicator.group_error = failed;
    communicator.queues[mqs_pending_receives].error = failed;
    listing.error = no_queue;
    listing.has_layout = false;
    assert_string_equal(print(print_tables, &listing),
                        "Rank 2, process 17: /home/user/solver\n"
                        "  error: not \"known\"\n"
                        "  idle (id 5), rank 0 of 1\n"
                        "    Ranks in MPI_COMM_WORLD: error: it failed\n"
                        "    Receives: not complete, error: it failed\n"
                        "    no sends, no unexpected messages\n");
}

/* Layouts. */

static struct mqd_type_description types[] = {
    {"opal_class_t", "table", 64, -1, -1, 64},
    {"ompi_comm_extended_cid_t", "absent", -1, -1, -1, -1},
    {"ompi_communicator_t", "live", 352, 352, 352, 352},
};
static struct mqd_field_description fields[] = {
    {"opal_class_t", "cls_name", "ptr", "table", 0, 8, -1, 0},
    {"ompi_communicator_t", "c_name", "chars", "table+live", 160, 64, 160, 160},
    {"ompi_communicator_t", "c_my_rank", "i32", "live", 236, 4, 236, 228},
    {"ompi_communicator_t", "c_index", "none", "absent", -1, -1, -1, -1},
};
static struct mqd_probe_description probes[] = {
    {"MPI_COMM_NULL", "passed"}, {"MPI_COMM_WORLD", "passed"}, {"own entry in group", "not possible"},
    {"MPI_REQUEST_NULL", "passed"}};
static struct mqd_capability_description capabilities[] = {
    {"names", "communicator names", 1, NULL},
    {"receives", "receive operations", 0, "this process does not use the ob1 PML"},
    {"sends", "send operations", 0, "this process does not use the ob1 PML"},
    {"datatypes", "datatypes", 0, "its place is not known"},
    {"unexpected", "unexpected messages", 1, "the symbol mca_pml_ob1 was not found"},
};

static struct listing layout_of(long rank, pid_t pid)
{
    struct listing listing = listing_of(NULL, 0);

    listing.rank = rank;
    listing.pid = pid;
    listing.has_communicators = false;
    listing.layout_only = true;
    listing.has_details = true;
    listing.details = (struct details){.types = types, .fields = fields, .probes = probes, .capabilities = capabilities,
                                       .n_types = 3, .n_fields = 4, .n_probes = 4, .n_capabilities = 5};
    strcpy(layout.arch, "x86_64");
    strcpy(layout.abi, "64-bit little-endian");
    strcpy(layout.decided, "class sizes");
    layout.n_fitting = 1;
    layout.version_in_family = 1;
    layout.n_classes = layout.n_classes_read = layout.n_classes_agreeing = 22;
    layout.n_types = 34;
    layout.n_types_known = 2;
    layout.n_types_agreeing = 1;
    return listing;
}

TEST(layout_for_people)
{
    struct listing listing = layout_of(2, 17);

    assert_string_equal(print(layout_print, &listing),
        "Rank 2, process 17: /home/user/solver\n"
        "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table)\n"
        "  Process     64-bit little-endian\n"
        "  Table       4.1.0-4.1.8 release ft, x86_64: the only one that fits (by the\n"
        "              class sizes)\n"
        "  Classes     22 of 22 class descriptors read; 22 have the table's size\n"
        "  Debugger    knows 2 of 34 types; 1 is like the table's\n"
        "  Version     4.1.4, as the process states, is of the table's family\n"
        "  Probes      MPI_COMM_NULL passed; MPI_COMM_WORLD passed;\n"
        "              own entry in group not possible; MPI_REQUEST_NULL passed\n"
        "  Off         receive operations, send operations: this process does not use the\n"
        "              ob1 PML\n"
        "              datatypes: its place is not known\n"
        "  Slower      unexpected messages: the symbol mca_pml_ob1 was not found\n"
        "  Sizes in bytes: in force; by the class descriptor, the debugger, the table\n"
        "    type                       size  source      class  debugger  table\n"
        "    opal_class_t                 64  table           -         -     64\n"
        "    ompi_comm_extended_cid_t      -  absent          -         -      -\n"
        "    ompi_communicator_t         352  live          352       352    352\n"
        "  Offsets in bytes: in force; by the debugger, the table (!: they differ)\n"
        "      field                 offset   size  kind    source      debugger  table\n"
        "    opal_class_t\n"
        "      cls_name                   0      8  ptr     table              -      0\n"
        "    ompi_communicator_t\n"
        "      c_name                   160     64  chars   table+live       160    160\n"
        "      c_my_rank                236      4  i32     live             236    228 !\n"
        "      c_index                    -      -  none    absent             -      -\n");
}

/* In a record from elsewhere names may be anything. */
TEST(layout_with_names_that_terminals_obey)
{
    struct mqd_type_description type = {"\x1b[2Jtype", "\x1b]0;\a", 64, -1, -1, 64};
    struct mqd_field_description field = {"\x1b[3Jtype", "a member of a long\nname", "\x1b[m", "\xff", 0, 8, -1, 0};
    struct listing listing = layout_of(2, 17);

    listing.details.types = &type;
    listing.details.fields = &field;
    listing.details.n_types = listing.details.n_fields = 1;
    print(layout_print, &listing);
    assert_null(strpbrk(output, "\x1b\a\xff"));
    assert_has(output, "    \\x1b[2Jtype");
    assert_has(output, "    \\x1b[3Jtype\n      a member of a long\\x0aname\n");
}

TEST(library_that_no_table_fits)
{
    struct listing listing = layout_of(2, 17);
    struct library library = {.summary = {.name = "UCX", .version = "1.23.0", .version_in_family = -1, .n_types = 9,
                                          .found = "a worker of a newer UCX"},
                              .error = failed, .reason = MQD_REASON_no_library_layout};

    listing.libraries = &library;
    listing.n_libraries = 1;
    assert_has(print(layout_print, &listing),
               "Open MPI 4.1.4, layout 4.1.0-4.1.8 release ft (table); UCX 1.23.0, layout (not\n" "known)\n");
    assert_has(output, "  UCX         none fits; a worker of a newer UCX\n" "    Refused   it failed\n"
               "    Debugger  knows none of 9 types\n" "    Version   1.23.0, as it states\n" "  Probes");
    json_has(&listing, "'source':null,'error':'it failed','cause':'no_library_layout',"
             "'found':'a worker of a newer UCX',");
    library.summary.version[0] = '\0';
    assert_has(print(layout_print, &listing), "    Version   it states none\n");
}

TEST(library_of_which_several_tables_fit)
{
    struct listing listings[] = {layout_of(0, 17), layout_of(1, 18)};
    const struct listing *pointers[] = {&listings[0], &listings[1]};
    struct library one = ucx_of("1.18.0-1.18.1"), other = ucx_of("1.18.0-1.18.1");

    one.summary.n_fitting = 2;
    one.summary.n_types_known = 3;
    one.summary.version_in_family = 0;
    strcpy(one.summary.next_best, "1.18.0-1.18.1 debug x86_64");
    listings[0].libraries = &one;
    listings[1].libraries = &other;
    listings[0].n_libraries = listings[1].n_libraries = 1;
    assert_has(print(layout_print, &listings[0]),
               "  UCX         1.18.0-1.18.1 assert, x86_64: one of 2 that the process does not\n"
        "              contradict, as 1.18.0-1.18.1 debug x86_64; what they disagree\n"
        "              about is not used\n" "    Debugger  knows 3 of 9 types\n"
        "    Version   1.18.1, as it states, is not of the table's family\n");
    assert_has(PRINTED(layout_print(test_to, pointers, 2)), "Rank 1, process 18");
    other = one;
    assert_has(PRINTED(layout_print(test_to, pointers, 2)), "Ranks 0, 1, processes 17, 18");
}

/* What is above the tables. */
static const char *print_head(const struct listing *listing)
{
    const char *text = print(layout_print, listing);
    char *end = strstr(output, "  Probes");

    assert_non_null(end);
    *end = '\0';
    return text;
}

TEST(layout_that_was_refused)
{
    struct listing listing = layout_of(2, 17);

    layout.family[0] = layout.variant[0] = layout.source[0] = layout.decided[0] = '\0';
    strcpy(layout.next_best, "4.1.0-4.1.8 release x86_64");
    strcpy(layout.rejected, "opal_object_t");
    layout.n_fitting = 0;
    layout.n_classes_agreeing = 21;
    layout.version_in_family = -1;
    listing.error = failed;
    assert_string_equal(print_head(&listing),
        "Rank 2, process 17: /home/user/solver\n"
        "Open MPI 4.1.4, layout (not known)\n"
        "Debug information of another build is not used, as opal_object_t shows\n"
        "  error: it failed\n"
        "  Process     64-bit little-endian\n"
        "  Table       none fits; the nearest one, 4.1.0-4.1.8 release x86_64, has other\n"
        "              sizes\n"
        "  Classes     22 of 22 class descriptors read; 21 have the nearest table's size\n"
        "  Debugger    knows 2 of 34 types, of another build as opal_object_t shows: none\n"
        "              is used\n"
        "  Version     4.1.4, as the process states\n");
    assert_has(print(layout_print, &listing), "by the class descriptor, the debugger, the nearest table\n");
}

TEST(layout_of_which_nothing_is_known)
{
    struct listing listing = layout_of(-1, 17);

    layout = (struct mqd_layout_summary){0};
    layout.version_in_family = -1;
    listing.executable = NULL;
    assert_string_equal(print_head(&listing),
        "Process 17: executable unknown\n"
        "Open MPI of unknown version, layout (not known)\n"
        "  Process     not looked at\n"
        "  Table       none fits\n"
        "  Classes     0 of 0 class descriptors read; 0 have the table's size\n"
        "  Debugger    knows none of 0 types\n"
        "  Version     the process states none\n");
}

TEST(choice_between_tables)
{
    struct listing listing = layout_of(2, 17);

    layout.n_fitting = 3;
    layout.version_in_family = 0;
    strcpy(layout.decided, "version string");
    strcpy(layout.next_best, "4.0.1-4.0.7 release x86_64");
    assert_has(print(layout_print, &listing),
               "  Table       4.1.0-4.1.8 release ft, x86_64: one of 3 that fit equally, chosen\n"
        "              by the version string; the next best is 4.0.1-4.0.7 release x86_64\n");
    assert_has(output, "  Version     4.1.4, as the process states, is not of the table's family\n");
    strcpy(layout.decided, "first");
    assert_has(print(layout_print, &listing),
               "  Table       4.1.0-4.1.8 release ft, x86_64: the first of 3 that fit equally;\n"
        "              nothing tells it from 4.0.1-4.0.7 release x86_64\n");
}

TEST(nothing_is_off)
{
    struct listing listing = layout_of(2, 17);

    listing.details.n_capabilities = 1;
    assert_has(print(layout_print, &listing), "  Off         nothing\n  Sizes");
    assert_lacks(output, "Slower");
}

static const char *print_layouts(const struct listing *listings, size_t n)
{
    const struct listing *pointers[8];

    for (size_t i = 0; i < n; i++)
        pointers[i] = &listings[i];
    return output = PRINTED(layout_print(test_to, pointers, n));
}

TEST(processes_with_the_same_layout_come_together)
{
    static struct mqd_field_description others[] = {{"opal_class_t", "cls_name", "ptr", "live", 8, 8, 8, 0}};
    struct listing listings[] = {layout_of(-1, 9), layout_of(0, 20), layout_of(1, 21), layout_of(2, 22),
                                 layout_of(3, 23), layout_of(5, 25), layout_of(6, 26)};

    listings[3].details.fields = others;
    listings[3].details.n_fields = 1;
    listings[6].has_details = false;
    print_layouts(listings, 7);
    assert_int_equal(count_of(output, "Open MPI 4.1.4"), 3);
    assert_true(strncmp(output, "Process 9: /home/user/solver\nOpen MPI", 37) == 0);
    assert_has(output, "\n\nRanks 0, 1, 3, 5, processes 20, 21, 23, 25: /home/user/solver\nOpen MPI");
    assert_has(output, "\n\nRank 2, process 22: /home/user/solver\nOpen MPI");
}

/* A gap of the sends matters to a rank that is in a call whose send it may be, or that is nobody knows where. */
TEST(gaps_are_told_where_they_matter)
{
    static char send[] = "MPI_Send", ssend[] = "MPI_Ssend";
    struct queued operation = {.desired_local_rank = 1, .sequence = -1, .found = true};
    struct call call = {.state = CALL_MPI, .function = send};
    const struct calls calls = {.calls = &call, .n = 1, .complete = true};
    struct communicator communicator = communicators[1];
    struct listing listing = listing_of(&communicator, 1);

    listing.gaps[mqs_pending_sends] = (struct gap){"on the stack", MQD_REASON_elsewhere};
    assert_has(print(print_tables, &listing), "(table)\n  on the stack\n  idle");
    json_has(&listing, "'missing':{'pending_sends':{'text':'on the stack','cause':'elsewhere'}},'communicators'");
    listing.calls = &calls;
    assert_has(print(print_tables, &listing), "  on the stack\n");
    communicator.queues[mqs_pending_sends] =
        (struct queue){.available = true, .described = true, .operations = &operation, .n = 1};
    assert_lacks(print(print_tables, &listing), "  on the stack\n");
    communicator.queues[mqs_pending_sends].n = 0;
    call.function = ssend;
    assert_lacks(print(print_tables, &listing), "  on the stack\n");
    listing.gaps[mqs_pending_receives] = listing.gaps[mqs_pending_sends];
    assert_int_equal(count_of(print(print_tables, &listing), "  on the stack\n"), 1);
    call.function = send;
    assert_int_equal(count_of(print(print_tables, &listing), "  on the stack\n"), 1);
    listing.gaps[mqs_pending_receives] = (struct gap){NULL, MQD_REASON_unknown};
    call.function = ssend;
    listing.gaps[mqs_unexpected_messages] = (struct gap){"in the adapter", MQD_REASON_elsewhere};
    assert_has(print(print_tables, &listing), "  in the adapter\n");
    json_has(&listing, "'},'unexpected_messages':{'text':'in the adapter','cause':'elsewhere'}},'threads'");
}

/* Other programs, errors and evidence are told apart too. */
TEST(processes_with_another_story_do_not)
{
    static char other_program[] = "/home/user/coupler";
    struct listing listings[] = {layout_of(0, 20), layout_of(1, 21), layout_of(2, 22), layout_of(3, 23)};
    struct mqd_layout_summary other_layout = layout;

    listings[1].executable = other_program;
    listings[2].error = failed;
    other_layout.n_classes_read--;
    listings[3].layout = &other_layout;
    assert_int_equal(count_of(print_layouts(listings, 4), "Open MPI 4.1.4"), 4);
}

TEST(json_of_a_layout_in_detail)
{
    static struct mqd_limit_description limits[] = {
        {MQD_SHOWN_names, MQD_REASON_none, MQD_REASON_none},
        {MQD_SHOWN_receives, MQD_REASON_pml_cm, MQD_REASON_none},
        {MQD_SHOWN_unexpected, MQD_REASON_none, MQD_REASON_no_symbol}};
    struct listing listing = layout_of(2, 17);

    layout.n_classes_read = 21;
    layout.n_classes_agreeing = 20;
    listing.details.limits = limits;
    listing.details.n_limits = 2;
    listing.details.n_types = 1;
    listing.details.n_fields = 1;
    listing.details.n_probes = 1;
    listing.details.n_capabilities = 2;
    json_has(&listing, "'layout':{'family':'4.1.0-4.1.8','variant':['release','ft'],'source':'table','error':null,"
             "'arch':'x86_64','abi':'64-bit little-endian','fitting':1,'decided_by':'class sizes','next_best':null,"
             "'version_in_family':true,'classes':{'all':22,'read':21,'agreeing':20},'debugger_types':{'all':34,"
             "'known':2,'agreeing':1},'probes':[{'name':'MPI_COMM_NULL','result':'passed'}],"
             "'capabilities':[{'name':'names','on':true,'reason':null,'cause':null},{'name':'receives','on':false,"
             "'reason':'this process does not use the ob1 PML','cause':'pml_cm'}],'types':[{'name':'opal_class_t',"
             "'source':'table','size':64,'class_size':null,'debugger_size':null,'table_size':64,"
             "'fields':[{'member':'cls_name','kind':'ptr','source':'table','offset':0,'size':8,'debugger_offset':null,"
             "'table_offset':0}]}]},");
    listing.details.limits = &limits[2];
    listing.details.n_limits = 1;
    json_has(&listing, "'on':true,'reason':null,'cause':'no_symbol'},");
}

/* A layout that is not in force is shown only with its details, which say what was found and why. */
TEST(json_of_a_layout_that_is_not_in_force)
{
    struct listing listing = layout_of(2, 17);

    listing.layout_error = failed;
    listing.layout_reason = MQD_REASON_no_layout;
    json_has(&listing, "'source':'table','error':'it failed','cause':'no_layout',");
    listing.has_details = false;
    json_has(&listing, "'openmpi':'4.1.4','layout':null,");
}

/* Every line fits, and no control character reaches the terminal. */
static void check_lines(const char *text)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strcspn(line, "\n") > 80)
            fail_msg("too long: %.*s", (int)strcspn(line, "\n"), line);
        for (const char *at = line; *at != '\n'; at++)
            assert_true((unsigned char)*at >= ' ' && (unsigned char)*at < 0x7f);
    }
}

static void fill(char *text, size_t size, const char *pattern)
{
    for (size_t i = 0; i + 1 < size; i++)
        text[i] = pattern[i % strlen(pattern)];
    text[size - 1] = '\0';
}

static void check_hostile(mqs_tword_t number, const char *pattern)
{
    struct queued operation = {.status = mqs_st_matched, .desired_local_rank = number,
                                       .desired_global_rank = number, .tag_wild = 1, .desired_tag = number,
                                       .desired_length = number, .system_buffer = 1, .buffer = (mqs_taddr_t)-1,
                                       .actual_local_rank = number, .actual_global_rank = LONG_MAX,
                                       .actual_tag = number, .actual_length = number};
    struct queue queue = {.available = true, .operations = &operation, .n = 1};
    struct communicator communicator = {.unique_id = (mqs_taddr_t)number, .local_rank = number, .size = number};
    struct listing listing = listing_of(&communicator, 1);
    char executable[3000], error[500], line[MAX_QUEUED_TEXT + 1];

    fill(executable, sizeof executable, pattern);
    fill(error, sizeof error, pattern);
    fill(communicator.name, sizeof communicator.name, pattern);
    fill(line, sizeof line, pattern);
    for (int i = 0; i < N_EXTRA_TEXTS; i++)
        operation.extra_text[i] = line;
    fill(layout.openmpi, sizeof layout.openmpi, pattern);
    fill(layout.variant, sizeof layout.variant, pattern);
    fill(layout.rejected, sizeof layout.rejected, pattern);
    fill(layout.next_best, sizeof layout.next_best, pattern);
    fill(layout.arch, sizeof layout.arch, pattern);
    fill(layout.decided, sizeof layout.decided, pattern);
    fill(layout.abi, sizeof layout.abi, pattern);
    listing.executable = executable;
    listing.error = error;
    queue.error = error;
    communicator.group_error = error;
    for (int class = 0; class < N_QUEUES; class++)
        communicator.queues[class] = queue;
    check_lines(print(print_tables, &listing));
    listing.has_details = true;
    listing.details = (struct details){.types = types, .fields = fields, .probes = probes, .capabilities = capabilities,
                                       .n_types = 3, .n_fields = 4, .n_probes = 4, .n_capabilities = 5};
    check_lines(print(layout_print, &listing));
}

TEST(tables_fit_whatever_comes)
{
    static const mqs_tword_t numbers[] = {0, 1, -1, 65535, INT_MAX, 4294967295, 1000000000000, LONG_MAX, LONG_MIN};
    static const char *const patterns[] = {"x", "a b", "abc def;", "\x1b[2J", "\xff", "/directory", " ", "; \n",
                                           "a-word-that-is-as-long-as-what-is-left-of-a-line-is-a-word-that-fits "};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
            check_hostile(numbers[i], patterns[k]);
}

/* Text that was wrapped is all there. */
TEST(long_paths_are_shown_in_full)
{
    struct listing listing = listing_of(NULL, 0);
    char executable[300], joined[400] = "";

    fill(executable, sizeof executable, "/abcdefghi");
    listing.executable = executable;
    for (const char *at = print(print_tables, &listing); *at != '\0'; at++)
        if (*at != '\n' && *at != ' ' && strlen(joined) < sizeof joined - 1)
            joined[strlen(joined)] = *at;
    assert_has(joined, executable);
}

int main(void)
{
    setlocale(LC_ALL, "C");
    return unit_tests_run(NULL, NULL);
}
