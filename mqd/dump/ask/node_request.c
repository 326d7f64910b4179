/*
 * node_request.c - what the mqdump of another machine is asked for: the arguments of "mqdump --collect=node".
 */
#include "mqd/dump/ask/node_request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "mqd/dump/ask/argument.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/collect/job/job_family.h"
#include "mqd/dump/collect/job/launcher_table.h"

/* A look takes seconds. Who waits for one longer than this has forgotten it. */
static const double most_seconds = 1000000;

/* A machine has fewer; who asks for more makes the command longer than an argument may be. */
enum { MAX_EXPECTED = 4096, RANKS_IN_WORD = 256, MAX_JOBS = 1024 };

static const struct {
    const char *option;
    size_t offset;
} flags[] = {
    {"why", offsetof(struct node_request, wish.why)},
    {"internal", offsetof(struct node_request, wish.internal)},
    {"layout", offsetof(struct node_request, wish.layout)},
    {"queues", offsetof(struct node_request, wish.queues)},
    {"no-stop", offsetof(struct node_request, wish.no_stop)},
    {"needs-why", offsetof(struct node_request, wish.needs_why)},
    {"stacks", offsetof(struct node_request, wish.stacks)},
};
enum { N_FLAGS = sizeof flags / sizeof *flags };

/* Writing. */

static void add_text(struct words *command, const char *option, const char *text)
{
    char *value = argument_write(text);

    words_add(command, format_text("--%s=%s", option, value));
    free(value);
}

static char *rank_text(const struct expected_rank *ranks, size_t n)
{
    struct text_stream stream;

    text_stream_open(&stream);
    for (size_t i = 0; i < n; i++)
        fprintf(stream.to, "%s%ld:%d", i > 0 ? "," : "", ranks[i].rank, (int)ranks[i].pid);
    return text_stream_close(&stream);
}

static int compare_jobs(const void *a, const void *b)
{
    const struct expected_rank *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void add_ranks(struct words *command, const struct expected_rank *ranks, size_t n)
{
    for (size_t i = 0; i < n; i += RANKS_IN_WORD) {
        char *text = rank_text(ranks + i, n - i < RANKS_IN_WORD ? n - i : RANKS_IN_WORD);

        words_add(command, format_text("--ranks=%s", text));
        free(text);
    }
}

/* The ranks of a job follow its name. A machine is asked only for the jobs that have ranks there. */
static void add_known_jobs(struct words *command, const struct node_request *request)
{
    struct expected_rank *ranks = allocate_array(request->n_ranks, sizeof *ranks);
    size_t n = request->n_ranks < MAX_EXPECTED ? request->n_ranks : MAX_EXPECTED;

    memcpy(ranks, request->ranks, request->n_ranks * sizeof *ranks);
    qsort(ranks, request->n_ranks, sizeof *ranks, compare_jobs);
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && ranks[next].job == ranks[i].job; next++)
            continue;
        if (ranks[i].job >= request->jobs.n)
            break;
        add_text(command, "job", request->jobs.words[ranks[i].job]);
        add_ranks(command, ranks + i, next - i);
    }
    free(ranks);
}

static void add_jobs(struct words *command, const struct node_request *request)
{
    if (request->n_ranks > 0)
        add_known_jobs(command, request);
    for (size_t i = 0; request->n_ranks == 0 && i < request->jobs.n && i < MAX_JOBS; i++)
        add_text(command, "job", request->jobs.words[i]);
    for (size_t i = 0; i < request->families.n; i++)
        add_text(command, "family", request->families.words[i]);
}

void node_request_write(const struct node_request *request, struct words *command)
{
    double seconds = request->seconds < most_seconds ? request->seconds : most_seconds;

    words_add(command, copy_string(NODE_OPTION));
    words_add(command, format_text("--protocol=%d", NODE_PROTOCOL));
    add_jobs(command, request);
    if (request->user >= 0)
        words_add(command, format_text("--user=%ld", request->user));
    if (seconds > 0)
        words_add(command, format_text("--deadline=%.0f", seconds));
    for (size_t i = 0; i < request->limits.n; i++)
        add_text(command, "limit", request->limits.words[i]);
    if (request->wish.dll != NULL)
        add_text(command, "dll", request->wish.dll);
    for (size_t i = 0; i < N_FLAGS; i++)
        if (*(const bool *)((const char *)request + flags[i].offset))
            words_add(command, format_text("--%s", flags[i].option));
}

/* Reading. */

static bool read_number(const char *text, long most, long *number)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > most)
        return false;
    *number = value;
    return true;
}

static bool read_text(struct words *texts, const char *value)
{
    char *text = argument_read(value);

    if (text == NULL)
        return false;
    words_add(texts, text);
    return true;
}

static bool read_name(struct words *names, const char *value)
{
    return read_text(names, value) && job_name_is_valid(names->words[names->n - 1]);
}

static bool read_ranks(struct node_request *request, const char *text)
{
    if (request->jobs.n == 0)
        return false;
    while (*text != '\0') {
        struct expected_rank rank = {0};
        int pid, length = 0;

        if (sscanf(text, "%ld:%d%n", &rank.rank, &pid, &length) != 2 || rank.rank < 0 || rank.rank > INT_MAX ||
            pid < 0 || request->n_ranks == MAX_EXPECTED || (text[length] != ',' && text[length] != '\0'))
            return false;
        rank.pid = pid;
        rank.job = (uint32_t)request->jobs.n - 1;
        request->ranks =
            grow_array(request->ranks, request->n_ranks, &request->rank_room, sizeof *request->ranks);
        request->ranks[request->n_ranks++] = rank;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool read_seconds(struct node_request *request, const char *text)
{
    long seconds = 0;

    if (!read_number(text, (long)most_seconds, &seconds))
        return false;
    request->seconds = (double)seconds;
    return true;
}

static bool read_flag(struct node_request *request, const char *option)
{
    for (size_t i = 0; i < N_FLAGS; i++) {
        if (strcmp(option, flags[i].option) != 0)
            continue;
        *(bool *)((char *)request + flags[i].offset) = true;
        return true;
    }
    return false;
}

/* Does the argument have this option? Then its value is in *value. */
static bool is_option(const char *argument, const char *option, const char **value)
{
    size_t length = strlen(option);

    *value = argument + length + 1;
    return strncmp(argument, option, length) == 0 && argument[length] == '=';
}

static bool read_option(struct node_request *request, const char *argument)
{
    const char *value;

    if (strncmp(argument, "--", 2) != 0)
        return false;
    argument += 2;
    if (is_option(argument, "job", &value))
        return read_name(&request->jobs, value);
    if (is_option(argument, "family", &value))
        return read_name(&request->families, value);
    if (is_option(argument, "user", &value))
        return read_number(value, UINT_MAX - 1, &request->user);
    if (is_option(argument, "ranks", &value))
        return read_ranks(request, value);
    if (is_option(argument, "deadline", &value))
        return read_seconds(request, value);
    if (is_option(argument, "limit", &value))
        return read_text(&request->limits, value);
    if (is_option(argument, "dll", &value))
        return request->dll == NULL && (request->wish.dll = request->dll = argument_read(value)) != NULL;
    return read_flag(request, argument);
}

/* The number comes first, since all that follows may have another meaning. */
static bool read_protocol(int argc, char *const *argv, char **why)
{
    const char *value = NULL;
    long protocol = 0;

    if (argc < 3 || strncmp(argv[2], "--", 2) != 0 || !is_option(argv[2] + 2, "protocol", &value) ||
        !read_number(value, INT_MAX, &protocol))
        return set_reason(why, "this mqdump, version " PACKAGE_VERSION ", speaks protocol %d, and was asked in none",
                          NODE_PROTOCOL);
    return protocol == NODE_PROTOCOL ||
           set_reason(why, "this mqdump, version " PACKAGE_VERSION ", speaks protocol %d, not %ld", NODE_PROTOCOL,
                      protocol);
}

bool node_request_read(struct node_request *request, int argc, char *const *argv, char **why)
{
    *request = (struct node_request){.user = -1};
    if (!read_protocol(argc, argv, why))
        return false;
    for (int i = 3; i < argc; i++)
        if (!read_option(request, argv[i]))
            return set_reason(why, "this mqdump, version " PACKAGE_VERSION ", does not understand '%s'", argv[i]);
    return request->jobs.n + request->families.n > 0 || set_reason(why, "it was asked for no job");
}

void node_request_clear(struct node_request *request)
{
    words_clear(&request->jobs);
    words_clear(&request->families);
    words_clear(&request->limits);
    free(request->ranks);
    free(request->dll);
    *request = (struct node_request){.user = -1};
}

bool node_request_has_job(const struct node_request *request, const char *name)
{
    for (size_t i = 0; i < request->jobs.n; i++)
        if (strcmp(request->jobs.words[i], name) == 0)
            return true;
    for (size_t i = 0; i < request->families.n; i++)
        if (job_family_is_one(request->families.words[i], name))
            return true;
    return false;
}
