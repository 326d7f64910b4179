/*
 * nodes.c - has the hosts of a job looked at by an mqdump that is started on each of them.
 */
#include "mqd/dump/ask/nodes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "mqd/dump/ask/argument.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/progress.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/record/read.h"

/* What a shell says of a command that is not there, or cannot be executed. */
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* Shells greet by what is in their files. A record that does not begin after so many bytes does not come. */
enum { MAX_GREETING = 64 * 1024, MAX_GREETING_LINE = 256 };

/* Descriptors that each child takes here, and those that the rest needs. */
enum { DESCRIPTORS_EACH = 4, DESCRIPTORS_OF_OWN = 64 };

/* What came before the record, and before the last line of what was said: these may be the reason of a failure. */
struct node {
    const struct nodes_wish *wish;
    const struct job_host *host;
    struct host_messages *messages;
    struct words command;
    char *input;
    struct record_reader reader;
    struct record *record;
    bool begun, ended, unreadable;
    char greeting[MAX_GREETING_LINE];
    size_t greeting_length, n_greeting;
    char *last;                    /* that it has said on standard error; NULL: nothing */
};

/* What a host writes. */

static bool is_end(const struct node *node, const char *line)
{
    return !node->host->is_here && engine_line_is_end(node->wish->engine, line);
}

static void say(void *context, const char *line)
{
    struct node *node = context;

    if (node->last != NULL && is_end(node, line))
        return;
    if (node->last != NULL && !is_end(node, node->last))
        host_messages_add(node->messages, node->host->name, node->last);
    free(node->last);
    node->last = copy_string(line);
}

static void end_greeting_line(struct node *node)
{
    char *line = format_text("before its answer: %.*s", (int)node->greeting_length, node->greeting);

    if (node->greeting_length > 0)
        host_messages_add(node->messages, node->host->name, line);
    free(line);
    node->greeting_length = 0;
}

/* Returns how many bytes are no part of the record. Each line of a record is an object. */
static size_t skip_greeting(struct node *node, const char *bytes, size_t n)
{
    size_t i = 0;

    for (; i < n && !(node->greeting_length == 0 && bytes[i] == '{'); i++) {
        if (bytes[i] == '\n')
            end_greeting_line(node);
        else if (node->greeting_length < sizeof node->greeting)
            node->greeting[node->greeting_length++] = bytes[i];
    }
    node->begun = i < n;
    node->n_greeting += i;
    return i;
}

/* What the reader needs in memory is released at the end: there may be many hosts. */
static bool take_record(struct node *node, const char *bytes, size_t n)
{
    const char *end;

    while (n > 0 && !node->ended) {
        size_t length = (end = memchr(bytes, '\n', n)) != NULL ? (size_t)(end - bytes) + 1 : n;

        if (!record_reader_take(&node->reader, bytes, length))
            return false;
        node->ended = node->reader.ended;
        bytes += length;
        n -= length;
    }
    if (node->ended)
        record_reader_finish(&node->reader);
    return true;
}

static bool take(void *context, const char *bytes, size_t n)
{
    struct node *node = context;

    if (!node->begun) {
        size_t n_skipped = skip_greeting(node, bytes, n);

        bytes += n_skipped;
        n -= n_skipped;
        node->unreadable = node->n_greeting > MAX_GREETING;
    }
    /* What a shell says at its end is no part of the record either. */
    if (!node->unreadable && n > 0 && !node->ended)
        node->unreadable = !take_record(node, bytes, n);
    return !node->unreadable;
}

/* Asking. */

static int compare_jobs(const void *a, const void *b)
{
    const struct expected_rank *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Takes the ranks in the order of their jobs, and these jobs, which get numbers of their own. */
static void choose_jobs(struct request *request, const struct words *jobs, size_t n)
{
    const char *last = NULL;

    request->jobs = (struct words){0};
    for (size_t i = 0; i < n && request->n_ranks < MAX_REQUEST_RANKS; i++) {
        struct expected_rank *rank = &request->ranks[i];

        if (rank->job >= jobs->n || (jobs->words[rank->job] != last && request->jobs.n == MAX_REQUEST_JOBS))
            break;
        if (jobs->words[rank->job] != last)
            words_add(&request->jobs, copy_string(last = jobs->words[rank->job]));
        rank->job = (uint32_t)request->jobs.n - 1;
        request->n_ranks++;
    }
}

/* A machine is asked only for the jobs that have ranks there, if that is known of any. */
static char *make_request(const struct node *node)
{
    const struct job_host *host = node->host;
    struct request request = *node->wish->request;
    char *text;

    if (host->n == 0)
        return request_write(&request);
    request.ranks = allocate_array(host->n, sizeof *request.ranks);
    memcpy(request.ranks, host->ranks, host->n * sizeof *request.ranks);
    qsort(request.ranks, host->n, sizeof *request.ranks, compare_jobs);
    choose_jobs(&request, &node->wish->request->jobs, host->n);
    text = request_write(&request);
    words_clear(&request.jobs);
    free(request.ranks);
    return text;
}

static void make_command(struct node *node)
{
    const struct engine *engine = node->wish->engine;

    if (!node->host->is_here) {
        engine_command(engine, node->host->name, &node->command);
        words_add(&node->command, copy_string(node->wish->program));
    }
    words_add(&node->command, copy_string(NODE_OPTION));
    node->input = make_request(node);
    if (!node->host->is_here && !engine->hands_on_input) {
        words_add(&node->command, argument_write(node->input));
        free(node->input);
        node->input = NULL;
    }
    words_add(&node->command, NULL);
}

static void prepare(struct node *node, struct child *child)
{
    bool is_here = node->host->is_here;

    make_command(node);
    record_reader_start(&node->reader, node->record, "");
    record_reader_share(&node->reader, node->wish->pool);
    record_reader_limit(&node->reader, node->wish->max_memory);
    *child = (struct child){.program = is_here ? NULL : node->command.words[0],
                            .arguments = node->command.words + !is_here,
                            .input = node->input,
                            .keeps = is_here ? NULL : engine_keeps(node->wish->engine),
                            .owner = is_here ? NULL : node->wish->engine->owner,
                            .seconds = node->wish->seconds,
                            .limit = "host",
                            .max_bytes = node->wish->max_memory,
                            .take = take,
                            .say = say,
                            .context = node};
}

/* Descriptors that lack would be told as a failure of hosts. */
static size_t bounded_fanout(size_t fanout)
{
    struct rlimit files;
    size_t most;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
        files.rlim_cur / DESCRIPTORS_EACH > fanout + DESCRIPTORS_OF_OWN)
        return fanout;
    most = files.rlim_cur > DESCRIPTORS_OF_OWN ? (size_t)(files.rlim_cur - DESCRIPTORS_OF_OWN) / DESCRIPTORS_EACH : 1;
    return fanout < most ? fanout : most > 0 ? most : 1;
}

/* Problems. */

/* Who has failed: the command that should have started mqdump there, or that mqdump, which nobody can tell apart. */
static const char *command_name(const struct node *node)
{
    return node->host->is_here ? "mqdump" : engine_name(node->wish->engine);
}

/* Adds what was said last to a text, which is taken over. */
static char *with_last(struct node *node, char *text)
{
    static const char own_name[] = "mqdump: ";
    const char *last = node->last;
    char *whole;

    if (last == NULL)
        return text;
    if (strncmp(last, own_name, strlen(own_name)) == 0)
        last += strlen(own_name);
    whole = format_text("%s: %s", text, last);
    free(text);
    free(node->last);
    node->last = NULL;
    return whole;
}

static char *status_problem(struct node *node, const struct child *child)
{
    if (child->status == STATUS_NOT_FOUND || child->status == STATUS_NOT_EXECUTABLE)
        return with_last(node, format_text("has no mqdump that can be started as %s (--remote-mqdump FILE says where "
                                           "it is there)", node->wish->program));
    if (child->refused && node->last != NULL)
        return with_last(node, copy_string("has refused"));
    if (child->status > 0)
        return with_last(node, format_text("did not answer: %s has ended with status %d", command_name(node),
                                           child->status));
    if (child->status == 0)
        return with_last(node, format_text("did not answer: %s has ended without having written anything",
                                           command_name(node)));
    return with_last(node, format_text("did not answer: %s %s", command_name(node),
                                       child->problem != NULL ? child->problem : "has ended"));
}

static char *problem_of(struct node *node, const struct child *child)
{
    const struct record *record = node->record;

    if (record->complete)
        return record->header.taken[0] != '\0' ? NULL
                                               : copy_string("has answered what nobody can read: it has no time");
    if (node->unreadable && node->begun)
        return format_text("has answered what nobody can read: %s", record->problem);
    if (node->unreadable)
        return copy_string("has written something else than an answer, without end");
    if (record->header.taken[0] == '\0' && child->status >= 0)
        return status_problem(node, child);
    if (child->status < 0 && child->problem != NULL)
        return with_last(node, format_text("did not answer%s: %s %s", node->begun ? " to the end" : "",
                                           command_name(node), child->problem));
    return with_last(node, format_text("did not answer to the end: %s", record->problem));
}

static void finish(struct node *node, struct child *child, struct node_answer *answer)
{
    if (node->greeting_length > 0)
        end_greeting_line(node);
    if (!node->ended)
        record_reader_finish(&node->reader);
    answer->host = node->host->name;
    answer->record = node->record;
    answer->problem = problem_of(node, child);
    if (node->last != NULL)
        host_messages_add(node->messages, node->host->name, node->last);
    free(node->last);
    words_clear(&node->command);
    free(node->input);
    child_clear(child);
}

void nodes_ask(const struct nodes_wish *wish, struct record *records, struct node_answer *answers,
               struct host_messages *messages)
{
    const struct patience patience = {.after_expiry = 1, .at_once = bounded_fanout(wish->fanout), .counted = "hosts"};
    size_t n = wish->hosts->n;
    struct node *nodes = allocate_array(n, sizeof *nodes);
    struct child *children = allocate_array(n, sizeof *children);

    for (size_t i = 0; i < n; i++) {
        nodes[i] = (struct node){.wish = wish, .host = &wish->hosts->hosts[i], .messages = messages,
                                 .record = &records[i]};
        prepare(&nodes[i], &children[i]);
    }
    progress_start();
    children_run(children, n, &patience);
    progress_end();
    for (size_t i = 0; i < n; i++)
        finish(&nodes[i], &children[i], &answers[i]);
    free(children);
    free(nodes);
}
