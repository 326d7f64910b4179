/*
 * process_text.c - the communicators and queues of one process, for people.
 */
#include "mqd/dump/show/text/process_text.h"

#include <stdbool.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/queue_text.h"
#include "mqd/dump/show/text/window_text.h"
#include "mqd/dump/verdict/call.h"

enum { COMMUNICATOR_INDENT = 2, QUEUE_INDENT = 4 };

/* Communicators. */

static const char *const queue_titles[N_QUEUES] = {
    [mqs_pending_sends] = "Sends",
    [mqs_pending_receives] = "Receives",
    [mqs_unexpected_messages] = "Unexpected messages",
};

static bool is_known_empty(const struct queue *queue)
{
    return queue->available && queue->n == 0 && queue->error == NULL;
}

static bool is_idle(const struct communicator *communicator)
{
    for (int class = 0; class < N_QUEUES; class++)
        if (!is_known_empty(&communicator->queues[class]))
            return false;
    return communicator->group_error == NULL;
}

static void print_queue(FILE *to, int class, const struct queue *queue, const struct queue_view *view)
{
    OWNED char *title = format_text("%s:%s", queue_titles[class], queue->available ? " not complete," : "");

    if (queue->n > 0) {
        fprintf(to, "%*s%s\n", QUEUE_INDENT, "", queue_titles[class]);
        queue_text_print(to, class, queue, view);
    }
    if (queue->error != NULL)
        print_error_line(to, QUEUE_INDENT, title, queue->error);
}

static void print_empty_queues(FILE *to, const struct communicator *communicator)
{
    static const char *const texts[N_QUEUES] = {
        [mqs_pending_sends] = "no sends",
        [mqs_pending_receives] = "no receives",
        [mqs_unexpected_messages] = "no unexpected messages",
    };
    char line[80] = "";

    for (int class = 0; class < N_QUEUES; class++) {
        if (!is_known_empty(&communicator->queues[class]))
            continue;
        strcat(line, *line != '\0' ? ", " : "");
        strcat(line, texts[class]);
    }
    if (*line != '\0')
        print_paragraph(to, QUEUE_INDENT, QUEUE_INDENT, line);
}

/* "(id 0), rank 3 of 64". A communicator that is not made yet may have messages, but it has no members. */
static char *say_communicator_place(const struct communicator *communicator, enum comparison comparison)
{
    const char *end = is_idle(communicator) ? ": nothing pending" : "";

    if (communicator->size <= 0)
        return format_text(" (id %lu)", communicator->unique_id);
    if (comparison != NOT_COMPARED)
        return format_text(" (id %lu) of %s%s", communicator->unique_id, NUMBER(communicator->size), end);
    return format_text(" (id %lu), rank %ld of %s%s", communicator->unique_id, communicator->local_rank,
                       NUMBER(communicator->size), end);
}

static struct queue_view queue_view_of(const struct listing *listing, const struct communicator *communicator,
                                       const struct process_view *view)
{
    bool relative = view->comparison == COMPARED_RELATIVE && !communicator_is_inter(communicator) &&
                  communicator->local_rank >= 0 && communicator->local_rank < communicator->size;

    return (struct queue_view){
        .row = {.compared = view->comparison != NOT_COMPARED, .own = relative ? communicator->local_rank : 0,
                .size = relative ? communicator->size : 0},
        .each = view->each, .here = &listing->name};
}

static void print_communicator(FILE *to, const struct listing *listing, const struct communicator *communicator,
                               const struct process_view *view)
{
    struct paragraph paragraph = start_paragraph(to, COMMUNICATOR_INDENT);
    struct queue_view queues = queue_view_of(listing, communicator, view);
    OWNED char *place = say_communicator_place(communicator, view->comparison);

    paragraph.indent = QUEUE_INDENT;
    put_name(&paragraph, communicator->name[0] != '\0' ? communicator->name : "Communicator without a name");
    put_text(&paragraph, place);
    end_paragraph(&paragraph);
    if (communicator->group_error != NULL)
        print_error_line(to, QUEUE_INDENT, "Ranks in MPI_COMM_WORLD:", communicator->group_error);
    if (is_idle(communicator))
        return;
    for (int class = 0; class < N_QUEUES; class++)
        print_queue(to, class, &communicator->queues[class], &queues);
    print_empty_queues(to, communicator);
}

/* Processes. */

static void print_core(FILE *to, const struct listing *listing, const struct process_view *view)
{
    struct paragraph paragraph = start_paragraph(to, 0);

    put_text(&paragraph, "Core file ");
    put_name(&paragraph, view->comparison == NOT_COMPARED ? listing->core : "");
    if (listing->signal != 0)
        put_format(&paragraph, ", ended by signal %d (%s)", listing->signal, strsignal(listing->signal));
    end_paragraph(&paragraph);
}

/* " of job 4711"; the job only where there are several, its user only if names do not tell. */
static char *say_job_of(const struct listing *listing, const struct process_view *view)
{
    if (!view->jobs || listing->job == NULL)
        return copy_string("");
    if (view->users && listing->user >= 0)
        return format_text(" of job %s of user %ld", listing->job, listing->user);
    return format_text(" of job %s", listing->job);
}

/* "Rank 3 on n02, process 9688: "; the machine only where there are several. */
static char *say_process(const struct listing *listing, const struct process_view *view)
{
    OWNED char *host = host_phrase(&listing->host, 1), *job = say_job_of(listing, view);

    return listing->rank >= 0 ? format_text("Rank %ld%s%s, process %d: ", listing->rank, job, host, (int)listing->pid)
                              : format_text("Process %d%s: ", (int)listing->pid, host);
}

static void print_header(FILE *to, const struct listing *listing, const struct process_view *view)
{
    struct paragraph paragraph = start_paragraph(to, 0);
    OWNED char *text = view->comparison == NOT_COMPARED ? say_process(listing, view) : say_job_of(listing, view);

    put_text(&paragraph, text);
    paragraph.indent = COMMUNICATOR_INDENT;
    put_name(&paragraph, listing->executable != NULL ? listing->executable : "executable unknown");
    end_paragraph(&paragraph);
    if (listing->core != NULL)
        print_core(to, listing, view);
    if (listing->was_running)
        print_paragraph(to, 0, 0, "It was not stopped: what is shown may contradict itself");
    if (listing->has_layout)
        layout_print_summary(to, listing);
}

/* Is a thread in a call whose send may be on its stack, and not found? Where threads are may not be known. */
static bool may_hide_send(const struct listing *listing)
{
    for (size_t i = 0; i < listing->n; i++) {
        const struct queue *queue = &listing->communicators[i].queues[mqs_pending_sends];

        for (size_t k = 0; k < queue->n; k++)
            if (queue->operations[k].found)
                return false;
    }
    for (size_t i = 0; listing->calls != NULL && i < listing->calls->n; i++) {
        const struct call *call = &listing->calls->calls[i];

        if (call->state == CALL_MPI && call_may_hide_send(call->function))
            return true;
    }
    return listing->calls == NULL;
}

/* What the queues lack, where it matters, and once. */
static void print_gaps(FILE *to, const struct listing *listing)
{
    const char *told = "";

    for (int class = 0; class < N_QUEUES; class++) {
        const char *text = listing->gaps[class].text;

        if (text == NULL || (class == mqs_pending_sends && !may_hide_send(listing)) || strcmp(text, told) == 0)
            continue;
        print_paragraph(to, COMMUNICATOR_INDENT, COMMUNICATOR_INDENT, text);
        told = text;
    }
}

void process_text_print(FILE *to, const struct listing *listing, const struct process_view *view)
{
    print_header(to, listing, view);
    if (listing->error != NULL)
        print_error_line(to, COMMUNICATOR_INDENT, "", listing->error);
    print_gaps(to, listing);
    for (size_t i = 0; i < listing->n; i++)
        print_communicator(to, listing, &listing->communicators[i], view);
    for (size_t i = 0; i < listing->n_windows; i++)
        window_text_print(to, &listing->windows[i], COMMUNICATOR_INDENT, QUEUE_INDENT);
    if (listing->n == 0 && listing->error == NULL)
        fprintf(to, "%*sno communicators\n", COMMUNICATOR_INDENT, "");
}

/* More ranges of process ids are not read. */
enum { MAX_PIDS_TEXT = 100 };

char *process_text_others(const struct listing *const *listings, size_t n, const struct process_view *view)
{
    OWNED long *pids = allocate_array(n, sizeof *pids);
    OWNED const char **names = allocate_array(n, sizeof *names);
    OWNED char *folded = NULL, *hosts = NULL, *job = say_job_of(listings[0], view);

    for (size_t i = 0; i < n; i++) {
        pids[i] = listings[i]->pid;
        names[i] = listings[i]->host;
    }
    hosts = host_phrase(names, n);
    folded = ranks_list(pids, ranks_sort(pids, n), ",");
    return *hosts != '\0' || strlen(folded) > MAX_PIDS_TEXT
               ? format_text("%s%s", job, hosts)
               : format_text("%s, process%s %s", job, n == 1 ? "" : "es", folded);
}
