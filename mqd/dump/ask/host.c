/*
 * host.c - has one host of a job looked at, by an mqdump that is started on it.
 */
#include "mqd/dump/ask/host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/record/read.h"

/* What a shell says of a command that is not there, or cannot be executed. */
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

/* Shells greet by what is in their files. A record that does not begin after so many bytes does not come. */
enum { MAX_GREETING = 64 * 1024 };

static const char own_name[] = "mqdump: ";

/* What hosts say. */

/* More different texts nobody reads, and hosts may make no end of them. */
enum { MAX_MESSAGES = 256 };

/* Longer lists of hosts are cut, since a line of a message is to be read. */
enum { MAX_HOSTS = 1000 };

void host_messages_add(struct host_messages *messages, const struct job_host *host, const char *text)
{
    struct text_groups *said = &messages->said;
    size_t number = (size_t)(host - messages->hosts->hosts);
    bool is_known;
    uint32_t at;

    text = without_beginning(text, own_name);
    is_known = name_index_find(&said->texts.index, text, &at);
    if (!is_known && said->n == MAX_MESSAGES)
        messages->n_left_out++;
    else if (!is_known || said->groups[at].members[said->groups[at].n - 1] != number)
        text_groups_add(said, copy_string(text), number);
}

void host_messages_give(const struct host_messages *messages)
{
    for (size_t i = 0; i < messages->said.n; i++) {
        const struct text_group *message = &messages->said.groups[i];
        size_t n = message->n < MAX_HOSTS ? message->n : MAX_HOSTS;
        OWNED const char **names = allocate_array(n, sizeof *names);
        OWNED char *hosts = NULL;

        for (size_t k = 0; k < n; k++)
            names[k] = messages->hosts->hosts[message->members[k]].name;
        hosts = host_list_fold(names, n);
        notice_give("%s%s: %s", hosts, message->n > MAX_HOSTS ? ",..." : "", message->text);
    }
    if (messages->n_left_out > 0)
        notice_give("%zu more messages of hosts are not shown", messages->n_left_out);
}

/* What a host writes. */

static bool is_end(const struct host *host, const char *line)
{
    return !host->job_host->is_here && launch_line_is_end(&host->question->launch, line);
}

static void say(void *context, const char *line)
{
    struct host *host = context;

    if (host->last != NULL && is_end(host, line))
        return;
    if (host->last != NULL && !is_end(host, host->last))
        host_messages_add(&host->question->messages, host->job_host, host->last);
    free(host->last);
    host->last = copy_string(line);
}

static void end_greeting_line(struct host *host)
{
    OWNED char *line = format_text("before its answer: %.*s", (int)host->greeting_length, host->greeting);

    if (host->greeting_length > 0)
        host_messages_add(&host->question->messages, host->job_host, line);
    host->greeting_length = 0;
}

/* Returns how many bytes are no part of the record. Each line of a record is an object. */
static size_t skip_greeting(struct host *host, const char *bytes, size_t n)
{
    size_t i = 0;

    for (; i < n && !(host->greeting_length == 0 && bytes[i] == '{'); i++) {
        if (bytes[i] == '\n')
            end_greeting_line(host);
        else if (host->greeting_length < sizeof host->greeting)
            host->greeting[host->greeting_length++] = bytes[i];
    }
    host->begun = i < n;
    host->n_greeting += i;
    return i;
}

/* What the reader needs in memory is released at the end: there may be many hosts. */
static void take_record(struct host *host, const char *bytes, size_t n)
{
    const char *end;

    while (n > 0 && !host->ended) {
        size_t length = (end = memchr(bytes, '\n', n)) != NULL ? (size_t)(end - bytes) + 1 : n;

        if (!answer_take(&host->answer, bytes, length))
            return;
        host->ended = host->answer.reader.ended;
        bytes += length;
        n -= length;
    }
    if (host->ended)
        record_reader_finish(&host->answer.reader);
}

static bool take(void *context, const char *bytes, size_t n)
{
    struct host *host = context;

    if (!host->begun) {
        size_t n_skipped = skip_greeting(host, bytes, n);

        bytes += n_skipped;
        n -= n_skipped;
        host->answer.unreadable = host->n_greeting > MAX_GREETING;
    }
    /* What a shell says at its end is no part of the record either. */
    if (!host->answer.unreadable && n > 0 && !host->ended)
        take_record(host, bytes, n);
    return !host->answer.unreadable;
}

/* Asking. */

COMPARATOR(compare_jobs, struct expected_rank, ORDER(x->job, y->job) ?: ORDER(x->rank, y->rank))

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

/* Does the command that starts mqdump there take the request as a word? */
static bool takes_word(const struct host *host)
{
    return !host->job_host->is_here && !host->question->launch.hands_on_input;
}

static bool is_too_long(const char *request)
{
    OWNED char *word = argument_write(request);

    return strlen(word) >= MAX_ARGUMENT;
}

/*
 * A machine is asked only for the jobs that have ranks there, if that is known of any. If all these ranks are too many
 * for a word, it is not told of them: what it does not find is missed here all the same.
 */
static void prepare_answer(struct host *host, struct record_pool *pool)
{
    struct request request = host->question->request;
    size_t n = host->job_host->n;

    if (n == 0) {
        answer_prepare(&host->answer, &request, pool);
        return;
    }
    request.ranks = allocate_array(n, sizeof *request.ranks);
    memcpy(request.ranks, host->job_host->ranks, n * sizeof *request.ranks);
    SORT(request.ranks, n, compare_jobs);
    choose_jobs(&request, &host->question->request.jobs, n);
    answer_prepare(&host->answer, &request, pool);
    if (takes_word(host) && is_too_long(host->answer.input)) {
        answer_clear(&host->answer);
        request.n_ranks = 0;
        answer_prepare(&host->answer, &request, pool);
    }
    words_clear(&request.jobs);
    free(request.ranks);
}

static void make_command(struct host *host)
{
    if (!host->job_host->is_here) {
        launch_command(&host->question->launch, host->job_host->name, &host->command);
        words_add(&host->command, copy_string(host->question->program));
    }
    words_add(&host->command, copy_string(NODE_OPTION));
    if (takes_word(host))
        words_add(&host->command, argument_write(host->answer.input));
    words_add(&host->command, NULL);
}

void host_prepare(struct host *host, struct record_pool *pool)
{
    const struct limit_choice *limits = &host->question->request.wish.limits;
    const struct launch *launch = &host->question->launch;
    bool is_here = host->job_host->is_here;

    prepare_answer(host, pool);
    make_command(host);
    host->answer.reader.max_memory = limit_host_memory(limits);
    host->answer.child = (struct child){.program = is_here ? NULL : host->command.words[0],
                                        .arguments = host->command.words + !is_here,
                                        .input = takes_word(host) ? NULL : host->answer.input,
                                        .keeps = is_here ? NULL : launch_keeps(launch),
                                        .owner = is_here ? NULL : launch->owner,
                                        .seconds = limit_host_seconds(limits),
                                        .limit = "host",
                                        .max_bytes = limit_host_memory(limits),
                                        .take = take,
                                        .say = say,
                                        .context = host};
}

/* Problems. */

/* Who has failed: the command that should have started mqdump there, or that mqdump, which nobody can tell apart. */
static const char *command_name(const struct host *host)
{
    return host->job_host->is_here ? "mqdump" : launch_name(&host->question->launch);
}

/* Adds what was said last to a text, which is taken over. */
static char *with_last(struct host *host, char *text)
{
    if (host->last == NULL)
        return text;
    append_text(&text, ": %s", without_beginning(host->last, own_name));
    free(TAKEN(host->last));
    return text;
}

static char *status_problem(struct host *host, const struct child *child)
{
    if (child->status == STATUS_NOT_FOUND || child->status == STATUS_NOT_EXECUTABLE)
        return with_last(host, format_text("has no mqdump that can be started as %s (--remote-mqdump FILE says where "
                                           "it is there)", host->question->program));
    if (child->refused && host->last != NULL)
        return with_last(host, copy_string("has refused"));
    if (child->status > 0)
        return with_last(host, format_text("did not answer: %s has ended with status %d", command_name(host),
                                           child->status));
    if (child->status == 0)
        return with_last(host, format_text("did not answer: %s has ended without having written anything",
                                           command_name(host)));
    return with_last(host, format_text("did not answer: %s %s", command_name(host),
                                       child->problem != NULL ? child->problem : "has ended"));
}

static char *problem_of(struct host *host, const struct child *child)
{
    const struct record *record = host->answer.record;
    bool is_known = record_first_look(record)->taken[0] != '\0';

    if (record->complete)
        return is_known ? NULL : copy_string("has answered what nobody can read: it has no time");
    if (host->answer.unreadable && host->begun)
        return format_text("has answered what nobody can read: %s", record->problem);
    if (host->answer.unreadable)
        return copy_string("has written something else than an answer, without end");
    if (!is_known && child->status >= 0)
        return status_problem(host, child);
    if (child->status < 0 && child->problem != NULL)
        return with_last(host, format_text("did not answer%s: %s %s", host->begun ? " to the end" : "",
                                           command_name(host), child->problem));
    return with_last(host, format_text("did not answer to the end: %s", record->problem));
}

void host_finish(struct host *host)
{
    if (host->greeting_length > 0)
        end_greeting_line(host);
    if (!host->ended)
        record_reader_finish(&host->answer.reader);
    host->problem = problem_of(host, &host->answer.child);
    if (host->last != NULL)
        host_messages_add(&host->question->messages, host->job_host, host->last);
    free(host->last);
    words_clear(&host->command);
    answer_clear(&host->answer);
}
