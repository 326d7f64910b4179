/*
 * test_dump_reach.c - commands for other machines: how they are divided into words, what is put into them, and that no
 * shell changes it.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "unit_test.h"

#include "mqd/dump/ask/argument.h"
#include "mqd/dump/ask/engine.h"
#include "mqd/dump/ask/host_messages.h"
#include "mqd/dump/ask/node_request.h"
#include "mqd/dump/ask/words.h"

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

/* Engines. */

static const char *command_of(const struct engine_wish *wish, const char *host)
{
    struct engine engine;
    struct words command = {0};
    const char *text;

    if (engine_choose(&engine, wish, WHY))
        engine_command(&engine, host, &command);
    text = why() != NULL ? why() : join(&command);
    words_clear(&command);
    engine_clear(&engine);
    return text;
}

static void expect_command(const char *launch, const char *expected)
{
    assert_string_equal(command_of(&(struct engine_wish){.launch = launch, .origin = "--launch"}, "n03"), expected);
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

static void expect_engine(long slurm_job, double seconds, const char *expected)
{
    assert_has(command_of(&(struct engine_wish){.slurm_job = slurm_job, .seconds = seconds}, "n03"), expected);
}

/* Programs are added to a folder, which nobody starts. */
TEST(engines_that_are_there_are_used)
{
    char *before = test_text("%s", getenv("PATH"));

    setenv("PATH", test_directory(), 1);
    expect_engine(17, 60, "there is no ssh: --launch says");
    assert_int_equal(symlink("/bin/sh", test_path("/ssh")), 0);
    expect_engine(17, 60, "ssh|-T|");
    assert_int_equal(symlink("/bin/sh", test_path("/srun")), 0);
    expect_engine(17, 60, "srun|--jobid=17|--overlap|");
    expect_engine(17, 60, "|--nodelist=n03|");
    expect_engine(17, 60, "|--ntasks=1|--ntasks-per-node=1|");
    expect_engine(17, 60, "|--chdir=/|");
    expect_engine(0, 60, "ssh|-T|-a|-k|-n|-x|-o|BatchMode=yes|-o|ClearAllForwardings=yes|-o|ControlMaster=no|"
                         "-o|LogLevel=ERROR|-o|ConnectTimeout=10|n03");
    expect_engine(0, 0, "ConnectTimeout=10|");
    expect_engine(0, 8, "ConnectTimeout=4|");
    expect_engine(0, 1, "ConnectTimeout=1|");
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

static struct node_request random_request(unsigned *seed)
{
    struct node_request request = {.user = rand_r(seed) % 3 - 1, .seconds = rand_r(seed) % 100,
                                   .wish = {.why = rand_r(seed) % 2, .internal = rand_r(seed) % 2,
                                            .layout = rand_r(seed) % 2, .queues = rand_r(seed) % 2,
                                            .no_stop = rand_r(seed) % 2, .needs_why = rand_r(seed) % 2,
                                            .stacks = rand_r(seed) % 2}};
    int n_jobs = 1 + rand_r(seed) % 3;
    bool has_ranks = rand_r(seed) % 4 > 0;

    /* Jobs without ranks are asked for where no rank is known; ranks come in their order. */
    for (int i = 0; i < n_jobs; i++) {
        int n = has_ranks ? 1 + rand_r(seed) % 600 : 0;

        words_add(&request.jobs, random_name(seed));
        for (int k = 0; k < n; k++) {
            request.ranks = grow_array(request.ranks, request.n_ranks, &request.rank_room, sizeof *request.ranks);
            request.ranks[request.n_ranks++] =
                (struct expected_rank){.rank = 3000L * k + rand_r(seed) % 3000, .pid = rand_r(seed),
                                       .job = (uint32_t)i};
        }
    }
    if (rand_r(seed) % 2)
        words_add(&request.families, random_name(seed));
    if (rand_r(seed) % 2)
        words_add(&request.limits, copy_string("memory=4711"));
    if (rand_r(seed) % 2)
        request.wish.dll = request.dll = random_name(seed);
    return request;
}

static void expect_equal_words(const struct words *a, const struct words *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        assert_string_equal(a->words[i], b->words[i]);
}

static void expect_equal(const struct node_request *a, const struct node_request *b)
{
    expect_equal_words(&a->jobs, &b->jobs);
    expect_equal_words(&a->families, &b->families);
    expect_equal_words(&a->limits, &b->limits);
    assert_int_equal(a->user, b->user);
    assert_true(a->seconds >= b->seconds && a->seconds <= b->seconds);
    assert_int_equal(a->n_ranks, b->n_ranks);
    for (size_t i = 0; i < a->n_ranks; i++) {
        assert_int_equal(a->ranks[i].rank, b->ranks[i].rank);
        assert_int_equal(a->ranks[i].pid, b->ranks[i].pid);
        assert_int_equal(a->ranks[i].job, b->ranks[i].job);
    }
    assert_string_equal(a->dll != NULL ? a->dll : "none", b->dll != NULL ? b->dll : "none");
    assert_true(a->wish.why == b->wish.why && a->wish.internal == b->wish.internal &&
                a->wish.layout == b->wish.layout && a->wish.queues == b->wish.queues &&
                a->wish.no_stop == b->wish.no_stop && a->wish.needs_why == b->wish.needs_why &&
                a->wish.stacks == b->wish.stacks);
}

static void words_of(const struct node_request *request, struct words *command)
{
    words_add(command, copy_string("mqdump"));
    node_request_write(request, command);
    words_add(command, NULL);
}

TEST(requests_are_read_as_they_were_written)
{
    unsigned seed = 1;

    for (int i = 0; i < N_ROUNDS; i++) {
        struct node_request request = random_request(&seed), again;
        struct words command = {0};

        words_of(&request, &command);
        if (!node_request_read(&again, (int)command.n, command.words, WHY))
            fail_msg("%s", why());
        expect_equal(&request, &again);
        node_request_clear(&request);
        node_request_clear(&again);
        words_clear(&command);
    }
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
            struct node_request request = random_request(&seed);
            struct words command = {0};

            request.n_ranks = request.n_ranks < 50 ? request.n_ranks : 50;
            words_of(&request, &command);
            assert_string_equal(of_test(through_shell(shells[i], &command)),
                                test_text("%s\n", test_join((const char *const *)command.words + 1, command.n - 1,
                                                            "\n")));
            node_request_clear(&request);
            words_clear(&command);
        }
    }
}

static void expect_refusal(const char *const *arguments, const char *reason)
{
    struct node_request request;
    int n = 0;

    while (arguments[n] != NULL)
        n++;
    assert_false(node_request_read(&request, n, (char *const *)(uintptr_t)arguments, WHY));
    assert_has(why(), reason);
    node_request_clear(&request);
}

#define ARGUMENTS(...) ((const char *const[]){"mqdump", "--collect=node", __VA_ARGS__, NULL})

TEST(other_requests_are_refused)
{
    expect_refusal((const char *const[]){"mqdump", "--collect=node", NULL}, "speaks protocol 1, and was asked in none");
    expect_refusal(ARGUMENTS("--job=a", "--protocol=1"), "was asked in none");
    expect_refusal(ARGUMENTS("--protocol=2", "--job=a", "--nobody-knows"), "speaks protocol 1, not 2");
    expect_refusal(ARGUMENTS("--protocol=1x", "--job=a"), "was asked in none");
    expect_refusal(ARGUMENTS("--protocol=1"), "was asked for no job");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--new-thing"), "does not understand '--new-thing'");
    expect_refusal(ARGUMENTS("--protocol=1", "--job="), "does not understand '--job='");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=%0A"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a b"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--user=-2"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--user=99999999999"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--ranks=1"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--ranks=-1:2"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--ranks=1:2x"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--ranks=1:2", "--job=a"), "does not understand '--ranks=1:2'");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--deadline=x"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--deadline=1000001"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "--dll=a", "--dll=b"), "does not understand");
    expect_refusal(ARGUMENTS("--protocol=1", "--job=a", "b"), "does not understand 'b'");
}

TEST(jobs_that_were_asked_for)
{
    struct node_request request = {.user = -1};

    words_add(&request.jobs, copy_string("prterun-a-1@1"));
    assert_true(node_request_has_job(&request, "prterun-a-1@1"));
    assert_false(node_request_has_job(&request, "prterun-a-1@2"));
    words_add(&request.families, copy_string("prterun-a-1@1"));
    assert_true(node_request_has_job(&request, "prterun-a-1@2"));
    assert_false(node_request_has_job(&request, "prterun-a-2@1"));
    assert_false(node_request_has_job(&request, ""));
    node_request_clear(&request);
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
    static const char *const hosts[] = {"n01", "n02", "n03", "login"};
    struct host_messages messages = {0};

    for (size_t i = 0; i < 4; i++)
        host_messages_add(&messages, hosts[i], "mqdump: warning: it \033[1mrains");
    host_messages_add(&messages, hosts[1], "twice");
    host_messages_add(&messages, hosts[1], "twice");
    assert_string_equal(of_test(given(&messages)),
                        "mqdump: login,n[01-03]: warning: it \\x1b[1mrains\nmqdump: n02: twice\n");
    host_messages_clear(&messages);
}

TEST(messages_have_an_end)
{
    struct host_messages messages = {0};

    for (int i = 0; i < 1000; i++)
        host_messages_add(&messages, "n01", test_text("%d", i));
    assert_has(of_test(given(&messages)), "mqdump: n01: 255\nmqdump: 744 more messages of hosts are not shown\n");
    host_messages_clear(&messages);
}
