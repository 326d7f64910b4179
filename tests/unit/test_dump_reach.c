/*
 * test_dump_reach.c - commands for other machines: how they are divided into words, what is put into them, and that no
 * shell changes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/reach/argument.h"
#include "mqd/dump/reach/engine.h"
#include "mqd/dump/reach/host_messages.h"
#include "mqd/dump/reach/node_request.h"
#include "mqd/dump/reach/words.h"

enum { N_ROUNDS = 40 };

/* Words of arguments. */

static void expect_word(const char *text, const char *expected)
{
    char *word = argument_write(text), *again = argument_read(word);

    assert_string_equal(word, expected);
    assert_string_equal(again, text);
    free(word);
    free(again);
}

static void bytes_that_shells_know_are_written_otherwise(void **state)
{
    (void)state;
    expect_word("", "");
    expect_word("prterun-n01-4711@1", "prterun-n01-4711@1");
    expect_word("a b", "a%20b");
    expect_word("100%", "100%25");
    expect_word("memory=1G", "memory%3D1G");
    expect_word("$(x)`y`'\"\\\n~*?[]{}<>|&;#!^", "%24%28x%29%60y%60%27%22%5C%0A%7E%2A%3F%5B%5D%7B%7D%3C%3E%7C%26%3B%23%21%5E");
    expect_word("\303\244", "%C3%A4");
}

static void what_is_no_word_is_refused(void **state)
{
    static const char *const words[] = {"a b", "%", "%4", "%4g", "%g4", "%00", "a%", "$x", "a=b", "\303\244", "%2a", "\n"};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_null(argument_read(words[i]));
}

static void each_byte_survives(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++) {
        const char text[] = {(char)byte, 'x', (char)byte, '\0'};
        char *word = argument_write(text), *again = argument_read(word);

        assert_string_equal(again, text);
        free(word);
        free(again);
    }
}

static void names_of_programs(void **state)
{
    static const char *const good[] = {"mqdump", "/usr/bin/mqdump", "./mqdump", "/opt/x-1.2_3+4/mqdump@5", "_x"};
    static const char *const bad[] = {"", "-x", "@x", "A=b", "/a b/mqdump", "/a/$HOME", "~/mqdump", "/a;b", "/a\n", "+x",
                                      "%x", "/a%20b", "\303\244"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(argument_is_program(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(argument_is_program(bad[i]));
}

/* Words of commands. */

static char *join(const struct words *words)
{
    char *text = copy_string("");

    for (size_t i = 0; i < words->n; i++) {
        char *longer = format_text("%s%s%s", text, i > 0 ? "|" : "", words->words[i]);

        free(text);
        text = longer;
    }
    return text;
}

static void expect_split(const char *text, const char *expected)
{
    struct words words = {0};
    char *why = NULL, *joined;

    assert_true(words_split(&words, text, &why));
    assert_null(why);
    joined = join(&words);
    assert_string_equal(joined, expected);
    free(joined);
    words_clear(&words);
}

static void expect_no_split(const char *text)
{
    struct words words = {0};
    char *why = NULL;

    assert_false(words_split(&words, text, &why));
    assert_non_null(why);
    free(why);
    words_clear(&words);
}

static void texts_are_divided_as_shells_do(void **state)
{
    (void)state;
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

static void nothing_is_expanded(void **state)
{
    (void)state;
    expect_split("$HOME ~ * a|b >x `id` $(id) ; & # c", "$HOME|~|*|a|b|>x|`id`|$(id)|;|&|#|c");
}

static void quotes_without_end_are_refused(void **state)
{
    (void)state;
    expect_no_split("a 'b");
    expect_no_split("a \"b");
    expect_no_split("a \"b\\\"");
    expect_no_split("a\\");
    expect_no_split("'");
    expect_no_split("\"\\");
}

/* Engines. */

static char *command_of(const struct engine_wish *wish, const char *host)
{
    struct engine engine;
    struct words command = {0};
    char *why = NULL, *text;

    if (!engine_choose(&engine, wish, &why)) {
        engine_clear(&engine);
        return why;
    }
    engine_command(&engine, host, &command);
    text = join(&command);
    words_clear(&command);
    engine_clear(&engine);
    return text;
}

static void expect_command(const char *launch, const char *expected)
{
    char *text = command_of(&(struct engine_wish){.launch = launch, .origin = "--launch"}, "n03");

    assert_string_equal(text, expected);
    free(text);
}

static void own_command_gets_the_host(void **state)
{
    (void)state;
    expect_command("env %h", "env|n03");
    expect_command("env -i pod-%h.%h 100%% '%h x' %%h", "env|-i|pod-n03.n03|100%|n03 x|%h");
    expect_command("/bin/sh -c 'exec \"$@\"' %h", "/bin/sh|-c|exec \"$@\"|n03");
}

static void own_command_that_cannot_be_is_refused(void **state)
{
    (void)state;
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

static void with_path(const char *path, void (*check)(void))
{
    char *before = copy_string(getenv("PATH"));

    setenv("PATH", path, 1);
    check();
    setenv("PATH", before, 1);
    free(before);
}

/* A folder with programs of these names, which nobody starts. */
static char *make_programs(const char *const *names, size_t n)
{
    char *folder = copy_string("/tmp/mqd_reach.XXXXXX");

    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < n; i++) {
        char *path = format_text("%s/%s", folder, names[i]);

        assert_int_equal(symlink("/bin/sh", path), 0);
        free(path);
    }
    return folder;
}

static void remove_programs(char *folder, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *path = format_text("%s/%s", folder, names[i]);

        unlink(path);
        free(path);
    }
    rmdir(folder);
    free(folder);
}

static void expect_engine(long slurm_job, double seconds, const char *expected)
{
    char *text = command_of(&(struct engine_wish){.slurm_job = slurm_job, .seconds = seconds}, "n03");

    if (strstr(text, expected) == NULL)
        fail_msg("the command is \"%s\", not \"%s\"", text, expected);
    free(text);
}

static void check_both(void)
{
    expect_engine(17, 60, "srun|--jobid=17|--overlap|");
    expect_engine(17, 60, "|--nodelist=n03|");
    expect_engine(17, 60, "|--ntasks=1|--ntasks-per-node=1|");
    expect_engine(17, 60, "|--chdir=/|");
    expect_engine(0, 60, "ssh|-T|-a|-k|-n|-x|-o|BatchMode=yes|-o|ClearAllForwardings=yes|-o|ControlMaster=no|"
                         "-o|LogLevel=ERROR|-o|ConnectTimeout=10|n03");
    expect_engine(0, 0, "ConnectTimeout=10|");
    expect_engine(0, 8, "ConnectTimeout=4|");
    expect_engine(0, 1, "ConnectTimeout=1|");
}

static void check_ssh(void)
{
    expect_engine(17, 60, "ssh|-T|");
}

static void check_none(void)
{
    expect_engine(17, 60, "there is no ssh: --launch says");
}

static void engines_that_are_there_are_used(void **state)
{
    static const char *const names[] = {"ssh", "srun"};
    char *both = make_programs(names, 2), *ssh = make_programs(names, 1), *none = make_programs(names, 0);

    (void)state;
    with_path(both, check_both);
    with_path(ssh, check_ssh);
    with_path(none, check_none);
    remove_programs(both, names, 2);
    remove_programs(ssh, names, 1);
    remove_programs(none, names, 0);
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
                                   .why = rand_r(seed) % 2, .internal = rand_r(seed) % 2, .layout = rand_r(seed) % 2,
                                   .queues = rand_r(seed) % 2, .no_stop = rand_r(seed) % 2,
                                   .needs_why = rand_r(seed) % 2,
                                   .stacks = rand_r(seed) % 2};
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
        request.dll = random_name(seed);
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
    assert_true(a->why == b->why && a->internal == b->internal && a->layout == b->layout && a->queues == b->queues &&
                a->no_stop == b->no_stop && a->needs_why == b->needs_why && a->stacks == b->stacks);
}

static void words_of(const struct node_request *request, struct words *command)
{
    words_add(command, copy_string("mqdump"));
    node_request_write(request, command);
    words_add(command, NULL);
}

static void requests_are_read_as_they_were_written(void **state)
{
    unsigned seed = 1;

    (void)state;
    for (int i = 0; i < N_ROUNDS; i++) {
        struct node_request request = random_request(&seed), again;
        struct words command = {0};
        char *why = NULL;

        words_of(&request, &command);
        if (!node_request_read(&again, (int)command.n, command.words, &why))
            fail_msg("%s", why);
        expect_equal(&request, &again);
        node_request_clear(&request);
        node_request_clear(&again);
        words_clear(&command);
    }
}

/* What a command in this shell gets as its arguments, one in a line. */
static char *through_shell(const char *shell, const struct words *command)
{
    char *line = copy_string("printf %s\\\\n"), *text = allocate_array(1 << 20, 1);
    size_t n;
    FILE *from;

    for (size_t i = 1; i < command->n; i++) {
        char *longer = format_text("%s %s", line, command->words[i]);

        free(line);
        line = longer;
    }
    setenv("MQD_TEST_LINE", line, 1);
    free(line);
    line = format_text("%s -c \"$MQD_TEST_LINE\"", shell);
    from = popen(line, "r");
    assert_non_null(from);
    n = fread(text, 1, (1 << 20) - 1, from);
    text[n] = '\0';
    assert_int_equal(pclose(from), 0);
    free(line);
    return text;
}

static bool is_installed(const char *shell)
{
    char *path = format_text("/bin/%s", shell);
    bool found = access(path, X_OK) == 0;

    free(path);
    return found;
}

static void no_shell_changes_a_request(void **state)
{
    static const char *const shells[] = {"sh", "bash", "dash", "zsh", "csh", "tcsh", "fish", "ksh", "mksh"};
    unsigned seed = 7;

    (void)state;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!is_installed(shells[i]))
            continue;
        for (int round = 0; round < N_ROUNDS / 4; round++) {
            struct node_request request = random_request(&seed);
            struct words command = {0};
            char *text, *expected = copy_string("");

            request.n_ranks = request.n_ranks < 50 ? request.n_ranks : 50;
            words_of(&request, &command);
            for (size_t k = 1; k < command.n; k++) {
                char *longer = format_text("%s%s\n", expected, command.words[k]);

                free(expected);
                expected = longer;
            }
            text = through_shell(shells[i], &command);
            assert_string_equal(text, expected);
            free(text);
            free(expected);
            node_request_clear(&request);
            words_clear(&command);
        }
    }
}

static void expect_refusal(const char *const *arguments, const char *reason)
{
    struct node_request request;
    char *why = NULL;
    int n = 0;

    while (arguments[n] != NULL)
        n++;
    assert_false(node_request_read(&request, n, (char *const *)(uintptr_t)arguments, &why));
    assert_non_null(why);
    if (strstr(why, reason) == NULL)
        fail_msg("it is refused because \"%s\", not \"%s\"", why, reason);
    free(why);
    node_request_clear(&request);
}

#define ARGUMENTS(...) ((const char *const[]){"mqdump", "--collect=node", __VA_ARGS__, NULL})

static void other_requests_are_refused(void **state)
{
    static const char *const none[] = {"mqdump", "--collect=node", NULL};

    (void)state;
    expect_refusal(none, "speaks protocol 1, and was asked in none");
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

static void jobs_that_were_asked_for(void **state)
{
    struct node_request request = {.user = -1};

    (void)state;
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

static void equal_messages_of_hosts_are_one(void **state)
{
    static const char *const hosts[] = {"n01", "n02", "n03", "login"};
    struct host_messages messages = {0};
    char *text;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        host_messages_add(&messages, hosts[i], "mqdump: warning: it \033[1mrains");
    host_messages_add(&messages, hosts[1], "twice");
    host_messages_add(&messages, hosts[1], "twice");
    text = given(&messages);
    assert_string_equal(text, "mqdump: login,n[01-03]: warning: it \\x1b[1mrains\nmqdump: n02: twice\n");
    free(text);
    host_messages_clear(&messages);
}

static void messages_have_an_end(void **state)
{
    struct host_messages messages = {0};
    char *text;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        text = format_text("%d", i);
        host_messages_add(&messages, "n01", text);
        free(text);
    }
    text = given(&messages);
    assert_non_null(strstr(text, "mqdump: n01: 255\nmqdump: 744 more messages of hosts are not shown\n"));
    free(text);
    host_messages_clear(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_shells_know_are_written_otherwise),
        cmocka_unit_test(what_is_no_word_is_refused),
        cmocka_unit_test(each_byte_survives),
        cmocka_unit_test(names_of_programs),
        cmocka_unit_test(texts_are_divided_as_shells_do),
        cmocka_unit_test(nothing_is_expanded),
        cmocka_unit_test(quotes_without_end_are_refused),
        cmocka_unit_test(own_command_gets_the_host),
        cmocka_unit_test(own_command_that_cannot_be_is_refused),
        cmocka_unit_test(engines_that_are_there_are_used),
        cmocka_unit_test(requests_are_read_as_they_were_written),
        cmocka_unit_test(no_shell_changes_a_request),
        cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(jobs_that_were_asked_for),
        cmocka_unit_test(equal_messages_of_hosts_are_one),
        cmocka_unit_test(messages_have_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
