/*
 * test_dump_reach.c - commands for other machines: how they are divided into words, what is put into them, and that no
 * shell changes it.
 */
#include <jansson.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit_test.h"

#include "config.h"
#include "mqd/dump/ask/host.h"
#include "mqd/dump/ask/launch.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/words.h"
#include "mqd/dump/record/read.h"

enum { N_ROUNDS = 40 };

/* Words of arguments. */

static void expect_word(const char *text, const char *expected)
{
    char *word = of_test(argument_write(text)), *again = of_test(argument_read(word));

    assert_string_equal(word, expected);
    assert_string_equal(again, text);
}

TEST(bytes_that_shells_know_are_written_otherwise)
{
    expect_word("", "");
    expect_word("prterun-n01-4711@1", "prterun-n01-4711@1");
    expect_word("a b", "a%20b");
    expect_word("100%", "100%25");
    expect_word("memory=1G", "memory%3D1G");
    expect_word("$(x)`y`'\"\\\n~*?[]{}<>|&;#!^", "%24%28x%29%60y%60%27%22%5C%0A%7E%2A%3F%5B%5D%7B%7D%3C%3E%7C%26%3B%23%21%5E");
    expect_word("\303\244", "%C3%A4");
}

TEST(what_is_no_word_is_refused)
{
    static const char *const words[] = {"a b", "%", "%4", "%4g", "%g4", "%00", "a%", "$x", "a=b", "\303\244", "%2a", "\n"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_null(argument_read(words[i]));
}

TEST(each_byte_survives)
{
    for (int byte = 1; byte < 256; byte++) {
        const char text[] = {(char)byte, 'x', (char)byte, '\0'};
        char *word = of_test(argument_write(text)), *again = of_test(argument_read(word));

        assert_string_equal(again, text);
    }
}

TEST(names_of_programs)
{
    static const char *const good[] = {"mqdump", "/usr/bin/mqdump", "./mqdump", "/opt/x-1.2_3+4/mqdump@5", "_x"};
    static const char *const bad[] = {"", "-x", "@x", "A=b", "/a b/mqdump", "/a/$HOME", "~/mqdump", "/a;b", "/a\n", "+x",
                                      "%x", "/a%20b", "\303\244"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(argument_is_program(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(argument_is_program(bad[i]));
}

/* Words of commands. */

static char *join(const struct words *words)
{
    return test_join((const char *const *)words->words, words->n, "|");
}

static void expect_split(const char *text, const char *expected)
{
    struct words words = {0};

    assert_true(words_split(&words, text, WHY));
    assert_null(why());
    assert_string_equal(join(&words), expected);
    words_clear(&words);
}

static void expect_no_split(const char *text)
{
    struct words words = {0};

    assert_false(words_split(&words, text, WHY));
    assert_non_null(why());
    words_clear(&words);
}

TEST(texts_are_divided_as_shells_do)
{
    expect_split("", "");
    expect_split(" \t\n", "");
    expect_split("ssh  -F x\t%h\n", "ssh|-F|x|%h");
    expect_split("a 'b c' d", "a|b c|d");
    expect_split("a \"b c\" d", "a|b c|d");
    expect_split("a b\\ c d", "a|b c|d");
    expect_split("a'b'\"c\"d", "abcd");
    expect_split("'' \"\" x", "||x");
    expect_split("'a\\b\"c'", "a\\b\"c");
    expect_split("\"a\\b\\\"c\\$d\\`e\\\\f'g\"", "a\\b\"c$d`e\\f'g");
    expect_split("\\'a\\\"", "'a\"");
}

TEST(nothing_is_expanded)
{
    expect_split("$HOME ~ * a|b >x `id` $(id) ; & # c", "$HOME|~|*|a|b|>x|`id`|$(id)|;|&|#|c");
}

TEST(quotes_without_end_are_refused)
{
    expect_no_split("a 'b");
    expect_no_split("a \"b");
    expect_no_split("a \"b\\\"");
    expect_no_split("a\\");
    expect_no_split("'");
    expect_no_split("\"\\");
}

/* Commands for other machines. */

static const char *command_of(const struct launch_wish *wish, const char *host)
{
    struct launch launch;
    struct words command = {0};
    const char *text;

    if (launch_choose(&launch, wish, WHY))
        launch_command(&launch, host, &command);
    text = why() != NULL ? why() : join(&command);
    words_clear(&command);
    launch_clear(&launch);
    return text;
}

static void expect_command(const char *launch, const char *expected)
{
    const struct reach reach = {.command = launch, .origin = "--launch"};

    assert_string_equal(command_of(&(struct launch_wish){.reach = &reach}, "n03"), expected);
}

TEST(own_command_gets_the_host)
{
    expect_command("env %h", "env|n03");
    expect_command("env -i pod-%h.%h 100%% '%h x' %%h", "env|-i|pod-n03.n03|100%|n03 x|%h");
    expect_command("/bin/sh -c 'exec \"$@\"' %h", "/bin/sh|-c|exec \"$@\"|n03");
}

TEST(own_command_that_cannot_be_is_refused)
{
    expect_command("env", "--launch 'env': it has no %h, which stands for the host");
    expect_command("env %%h", "--launch 'env %%h': it has no %h, which stands for the host");
    expect_command(" ", "--launch ' ': it is empty");
    expect_command("env %x %h", "--launch 'env %x %h': a % is followed by h, for the host, or by another %");
    expect_command("env %h %", "--launch 'env %h %': a % is followed by h, for the host, or by another %");
    expect_command("%h", "--launch '%h': the first word is the name of a program, which cannot have a %");
    expect_command("env 'x %h", "--launch 'env 'x %h': a quote or backslash has no end");
    expect_command("no-such-program %h", "--launch 'no-such-program %h': there is no such program");
    expect_command("/etc/passwd %h", "--launch '/etc/passwd %h': there is no such program");
    expect_command("/tmp %h", "--launch '/tmp %h': there is no such program");
}

static void expect_program(long slurm_job, double seconds, const char *expected)
{
    const struct reach reach = {0};

    assert_has(command_of(&(struct launch_wish){.reach = &reach, .slurm_job = slurm_job, .seconds = seconds}, "n03"),
               expected);
}

/* Programs are added to a folder, which nobody starts. */
TEST(programs_that_are_there_are_used)
{
    char *before = test_text("%s", getenv("PATH"));

    setenv("PATH", test_directory(), 1);
    expect_program(17, 60, "there is no ssh: --launch says");
    assert_int_equal(symlink("/bin/sh", test_path("/ssh")), 0);
    expect_program(17, 60, "ssh|-T|");
    assert_int_equal(symlink("/bin/sh", test_path("/srun")), 0);
    expect_program(17, 60, "srun|--jobid=17|--overlap|");
    expect_program(17, 60, "|--nodelist=n03|");
    expect_program(17, 60, "|--ntasks=1|--ntasks-per-node=1|");
    expect_program(17, 60, "|--chdir=/|");
    expect_program(0, 60, "ssh|-T|-a|-k|-x|-o|BatchMode=yes|-o|ClearAllForwardings=yes|-o|ControlMaster=no|"
                         "-o|LogLevel=ERROR|-o|ConnectTimeout=10|n03");
    expect_program(0, 0, "ConnectTimeout=10|");
    expect_program(0, 8, "ConnectTimeout=4|");
    expect_program(0, 1, "ConnectTimeout=1|");
    setenv("PATH", before, 1);
}

/* Requests. */

static char *random_name(unsigned *seed)
{
    size_t length = 1 + (size_t)rand_r(seed) % 40;
    char *name = allocate_array(length + 1, 1);

    for (size_t i = 0; i < length; i++) {
        int byte = rand_r(seed) % 256;

        /* Names of jobs have no control characters. */
        name[i] = (char)(byte < 32 || byte == 127 ? 'a' + byte % 26 : byte);
    }
    return name;
}

static void add_names(struct words *names, size_t n, unsigned *seed)
{
    for (size_t i = 0; i < n; i++)
        words_add(names, random_name(seed));
}

static struct limit random_limit(unsigned *seed)
{
    return rand_r(seed) % 2 ? (struct limit){true, rand_r(seed) % 3 == 0 ? 0 : (uint64_t)INT64_MAX >> rand_r(seed) % 63}
                            : (struct limit){0};
}

static bool toss(unsigned *seed)
{
    return rand_r(seed) % 2 == 0;
}

static struct request random_request(unsigned *seed)
{
    struct request request = {
        .task = (enum request_task)(rand_r(seed) % 4), .thorough = toss(seed), .user = rand_r(seed) % 3 - 1,
        .seconds = rand_r(seed) % 100, .n_ranks = (size_t)rand_r(seed) % 600, .n_processes = (size_t)rand_r(seed) % 9,
        .wish = {.queues = toss(seed), .internal = toss(seed), .layout = toss(seed), .why = toss(seed),
                 .needs_why = toss(seed), .stacks = toss(seed), .no_stop = toss(seed),
                 .dll = toss(seed) ? random_name(seed) : NULL, .sysroot = toss(seed) ? random_name(seed) : NULL,
                 .limits = {random_limit(seed), random_limit(seed), random_limit(seed), random_limit(seed)}},
        .has_owner = toss(seed), .server = toss(seed) ? random_name(seed) : NULL};

    if (request.has_owner) {
        request.owner = (struct owner){.user = (uid_t)rand_r(seed), .group = UINT32_MAX - 1, .n_groups = 2,
                                       .groups = allocate_array(2, sizeof *request.owner.groups)};
        request.owner.groups[1] = (gid_t)rand_r(seed);
    }

    add_names(&request.jobs, 1 + (size_t)rand_r(seed) % 3, seed);
    add_names(&request.families, (size_t)rand_r(seed) % 2, seed);
    add_names(&request.cores, (size_t)rand_r(seed) % 3, seed);
    add_names(&request.wish.executables, (size_t)rand_r(seed) % 3, seed);
    for (int i = rand_r(seed) % 3; i > 0; i--)
        words_add(&request.wish.questions, format_text("--requests %#x,%d", rand_r(seed), 1 + rand_r(seed) % 4096));
    request.ranks = allocate_array(request.n_ranks, sizeof *request.ranks);
    for (size_t i = 0; i < request.n_ranks; i++)
        request.ranks[i] = (struct expected_rank){.rank = rand_r(seed), .pid = rand_r(seed),
                                                  .job = (uint32_t)rand_r(seed) % (uint32_t)request.jobs.n};
    request.processes = allocate_array(request.n_processes, sizeof *request.processes);
    for (size_t i = 0; i < request.n_processes; i++)
        request.processes[i] =
            (struct process_id){.pid = 1 + rand_r(seed) % 1000, .start = (uint64_t)rand_r(seed) << 30};
    return request;
}

TEST(requests_are_read_as_they_were_written)
{
    unsigned seed = 1;

    for (int i = 0; i < N_ROUNDS; i++) {
        struct request request = random_request(&seed), again;
        char *line = of_test(request_write(&request));

        if (!request_read(&again, line, WHY))
            fail_msg("%s", why());
        assert_string_equal(of_test(request_write(&again)), line);
        assert_int_equal(again.wish.limits.cpu.is_set, request.wish.limits.cpu.is_set);
        assert_int_equal(again.wish.limits.cpu.value, request.wish.limits.cpu.value);
        for (size_t k = 0; k < request.n_ranks; k++)
            assert_true(again.ranks[k].job == request.ranks[k].job && again.ranks[k].rank == request.ranks[k].rank &&
                        again.ranks[k].pid == request.ranks[k].pid);
        for (size_t k = 0; k < request.n_processes; k++)
            assert_true(again.processes[k].pid == request.processes[k].pid &&
                        again.processes[k].start == request.processes[k].start);
        request_clear(&request);
        request_clear(&again);
    }
}

/* The list has each member at its own place. */
TEST(each_part_of_a_request_is_in_its_line)
{
    struct request request = {.wish.dll = (char[]){"d"}, .has_owner = true, .user = -1,
                              .owner = {.user = 7, .group = 8, .groups = (gid_t[]){9}, .n_groups = 1}};
    const char *line = of_test(request_write(&request));

    assert_has(line, "{\"protocol\":3,\"mqdump\":\"");
    assert_has(line, "\"task\":\"look\",\"queues\":false,\"internal\":false,\"layout\":false,\"questions\":[],"
                     "\"why\":false,\"needs_why\":false,\"stacks\":false,\"no_stop\":false,\"dll\":\"d\","
                     "\"sysroot\":null,\"executables\":[],\"memory\":null,\"cpu\":null,\"time\":null,\"host\":null,"
                     "\"thorough\":false,"
                     "\"owner\":[7,8,9],\"processes\":[],\"cores\":[],\"server\":null,\"jobs\":[],\"families\":[],"
                     "\"ranks\":[],\"user\":-1,\"seconds\":0}");
    request.wish.no_stop = request.wish.internal = true;
    request.wish.limits.cpu = (struct limit){true, 0};
    line = of_test(request_write(&request));
    assert_has(line, "\"internal\":true,\"layout\":false");
    assert_has(line, "\"no_stop\":true");
    assert_has(line, "\"cpu\":0");
}

/* What a command in this shell gets as its arguments, one in a line. */
static char *through_shell(const char *shell, const struct words *command)
{
    char *text = allocate_array(1 << 20, 1);
    size_t n;
    FILE *from;

    setenv("MQD_TEST_LINE", test_text("printf %%s\\\\n %s", test_join((const char *const *)command->words + 1,
                                                                  command->n - 1, " ")), 1);
    from = popen(test_text("%s -c \"$MQD_TEST_LINE\"", shell), "r");
    assert_non_null(from);
    n = fread(text, 1, (1 << 20) - 1, from);
    text[n] = '\0';
    assert_int_equal(pclose(from), 0);
    return text;
}

TEST(no_shell_changes_a_request)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "csh", "tcsh", "fish", "ksh", "mksh"};
    unsigned seed = 7;

    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (access(test_text("/bin/%s", shells[i]), X_OK) != 0)
            continue;
        for (int round = 0; round < N_ROUNDS / 4; round++) {
            struct request request = random_request(&seed);
            char *line = of_test(request_write(&request)), *word = argument_write(line);
            struct words command = {0};

            words_add(&command, copy_string("mqdump"));
            words_add(&command, copy_string(NODE_OPTION));
            words_add(&command, word);
            assert_string_equal(of_test(through_shell(shells[i], &command)), test_text(NODE_OPTION "\n%s\n", word));
            assert_string_equal(of_test(argument_read(word)), line);
            request_clear(&request);
            words_clear(&command);
        }
    }
}

static void expect_refusal(const char *line, const char *reason)
{
    struct request request;

    assert_false(request_read(&request, line, WHY));
    assert_has(why(), reason);
    request_clear(&request);
}

TEST(other_protocols_are_refused)
{
    expect_refusal("", "speaks protocol 3, and was asked in none");
    expect_refusal("[]", "asked in none");
    expect_refusal("{\"mqdump\":\"9.9\"}", "asked in none");
    expect_refusal("{\"protocol\":\"2\",\"mqdump\":\"9.9\"}", "asked in none");
    expect_refusal("{\"protocol\":4}", "asked in none");
    expect_refusal("{\"protocol\":4,\"mqdump\":\"9.9\",\"nobody\":\"knows\"}",
                   "speaks protocol 3, not 4 of version 9.9");
}

static char *repeated(const char *part, size_t n)
{
    char *text = of_test(allocate_array(n * strlen(part) + 1, 1)), *to = text;

    for (size_t i = 0; i < n; i++)
        to = stpcpy(to, part);
    return text;
}

/* The member of a whole request gets this value; NULL: it is taken away. */
static void expect_no(const char *key, const char *value, const char *reason)
{
    struct request request = {.jobs.n = 0};
    json_t *object;

    words_add(&request.jobs, copy_string("a"));
    object = json_loads(of_test(request_write(&request)), 0, NULL);
    if (value != NULL)
        json_object_set_new(object, key, json_loads(value, JSON_DECODE_ANY, NULL));
    else
        json_object_del(object, key);
    expect_refusal(of_test(json_dumps(object, 0)), test_text(reason, key));
    json_decref(object);
    words_clear(&request.jobs);
}

TEST(what_a_request_must_have_and_does_not_is_named)
{
    struct request request = {.user = -1};
    json_t *object = json_loads(of_test(request_write(&request)), 0, NULL);
    void *at = json_object_iter_at(object, "task");

    assert_int_equal(json_object_size(object), 28);
    for (; at != NULL; at = json_object_iter_next(object, at)) {
        expect_no(json_object_iter_key(at), NULL, "was asked for what cannot be: \"%s\" of request is missing");
        expect_no(json_object_iter_key(at), "{\"no\":1}", "was asked for what cannot be: ");
    }
    json_decref(object);
}

TEST(what_cannot_be_in_a_request_is_named)
{
    expect_no("nobody_knows", "1", "version " PACKAGE_VERSION ", does not understand '%s'");
    expect_no("task", "\"node\"", "\"%s\" of request is no task");
    expect_no("why", "1", "\"%s\" of request is neither true nor false");
    expect_no("questions", "[\"--handle 17\"]", "\"%s\" of request has what is no question about handles");
    expect_no("dll", "false", "\"%s\" of request");
    expect_no("cpu", "-1", "\"%s\" of request");
    expect_no("memory", "\"none\"", "\"%s\" of request");
    expect_no("user", "-2", "\"%s\" of request");
    expect_no("user", "4294967295", "\"%s\" of request");
    expect_no("seconds", "1000001", "\"%s\" of request");
    expect_no("jobs", "[\"\"]", "\"%s\" of request has what is no name of a job");
    expect_no("families", "[\"a\\n\"]", "\"%s\" of request has what is no name of a job");
    expect_no("jobs", "[1]", "\"%s\" of request");
    expect_no("cores", "[null]", "\"%s\" of request");
    expect_no("ranks", "[[0,1]]", "\"pid\" of rank is missing");
    expect_no("ranks", "[[1,1,1]]", "a rank is of no job");
    expect_no("ranks", "[[0,-1,1]]", "\"rank\" of rank");
    expect_no("ranks", "[[0,1,-1]]", "\"pid\" of rank");
    expect_no("owner", "[1]", "\"%s\" of request has no user and group");
    expect_no("owner", "[4294967295,1]", "\"%s\" of request");
    expect_no("owner", "[1,2,-1]", "\"%s\" of request");
    expect_no("owner", "[1,2,\"3\"]", "\"%s\" of request");
    expect_no("owner", test_text("[1%s]", repeated(",1", 2 + MAX_OWNER_GROUPS)), "\"%s\" of request is no array");
    expect_no("processes", "[[0,1]]", "\"pid\" of process is not between 1 and 2147483647");
    expect_no("processes", "[[1,-1]]", "\"start\" of process");
    expect_no("processes", "[7]", "an element of a list of process is no array");
    expect_refusal("{\"protocol\":3,\"mqdump\":\"1\",\"protocol\":2}", "asked in none");
}

TEST(jobs_that_were_asked_for)
{
    struct request request = {.user = -1};

    words_add(&request.jobs, copy_string("prterun-a-1@1"));
    assert_true(request_has_job(&request, "prterun-a-1@1"));
    assert_false(request_has_job(&request, "prterun-a-1@2"));
    words_add(&request.families, copy_string("prterun-a-1@1"));
    assert_true(request_has_job(&request, "prterun-a-1@2"));
    assert_false(request_has_job(&request, "prterun-a-2@1"));
    assert_false(request_has_job(&request, ""));
    request_clear(&request);
}

/* What has no room in an argument: all ranks of a large machine. */
TEST(request_fits_into_an_argument)
{
    static struct expected_rank ranks[MAX_REQUEST_RANKS];
    struct hosts_question question = {.program = (char[]){"mqdump"}};
    struct record record = {0};
    struct record_pool pool = {0};
    struct job_host job_host = {.name = (char[]){"n01"}, .ranks = ranks};

    words_add(&question.launch.words, copy_string("launch"));
    for (size_t i = 0; i < MAX_REQUEST_JOBS; i++)
        words_add(&question.request.jobs, format_text("prterun-machine-%zu@1", 4700 + i));
    for (size_t i = 0; i < N_OF(ranks); i++)
        ranks[i] = (struct expected_rank){.job = (uint32_t)(i % MAX_REQUEST_JOBS), .rank = 1000000 + (long)i,
                                          .pid = 4000000 + (pid_t)i};
    for (size_t n = 8; n <= N_OF(ranks); n *= N_OF(ranks) / 8) {
        struct host host = {.job_host = &job_host, .question = &question, .answer.record = &record};
        const char *word;

        job_host.n = n;
        host_prepare(&host, &pool);
        word = host.command.words[host.command.n - 1];
        assert_true(strlen(word) < MAX_ARGUMENT);
        assert_int_equal(count_of(word, ",4000"), n == 8 ? n : 0);
        assert_int_equal(count_of(word, "prterun-machine-"), n == 8 ? n : MAX_REQUEST_JOBS);
        record_reader_finish(&host.answer.reader);
        answer_clear(&host.answer);
        words_clear(&host.command);
    }
    record_clear(&record);
    record_pool_clear(&pool);
    words_clear(&question.request.jobs);
    words_clear(&question.launch.words);
}

/* Messages. */

static char *given(const struct host_messages *messages)
{
    char *text = allocate_array(1 << 16, 1);
    int pipes[2], before = dup(STDERR_FILENO);
    ssize_t n;

    assert_int_equal(pipe(pipes), 0);
    fflush(stderr);
    dup2(pipes[1], STDERR_FILENO);
    host_messages_give(messages);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    close(pipes[1]);
    n = read(pipes[0], text, (1 << 16) - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipes[0]);
    return text;
}

TEST(equal_messages_of_hosts_are_one)
{
    static char names[][8] = {"n01", "n02", "n03", "login"};
    struct job_host hosts[] = {{.name = names[0]}, {.name = names[1]}, {.name = names[2]}, {.name = names[3]}};
    struct host_messages messages = {.hosts = &(struct job_hosts){.hosts = hosts}};

    for (size_t i = 0; i < 4; i++)
        host_messages_add(&messages, &hosts[i], "mqdump: warning: it \033[1mrains");
    host_messages_add(&messages, &hosts[1], "twice");
    host_messages_add(&messages, &hosts[1], "twice");
    assert_string_equal(of_test(given(&messages)),
                        "mqdump: login,n[01-03]: warning: it \\x1b[1mrains\nmqdump: n02: twice\n");
    text_groups_clear(&messages.said);
}

TEST(messages_have_an_end)
{
    struct job_host host = {.name = (char[]){"n01"}};
    struct host_messages messages = {.hosts = &(struct job_hosts){.hosts = &host}};

    for (int i = 0; i < 1000; i++)
        host_messages_add(&messages, &host, test_text("%d", i));
    assert_has(of_test(given(&messages)), "mqdump: n01: 255\nmqdump: 744 more messages of hosts are not shown\n");
    text_groups_clear(&messages.said);
}
