/*
 * listing_text.c - listings for people: the communicators and queues of each process.
 */
#include "mqd/dump/show/text/listing_text.h"

#include <stdbool.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/show/text/handle_text.h"
#include "mqd/dump/show/text/layout_text.h"
#include "mqd/dump/show/text/paragraph.h"
#include "mqd/dump/show/text/queue_text.h"
#include "mqd/dump/verdict/call.h"

/*
 * Texts that are compared lack what tells one process from another: rank, process id, core file, addresses; and
 * relative ones also those of peers, which are distances then.
 */
enum comparison { NOT_COMPARED, COMPARED, COMPARED_RELATIVE };

struct process_view {
    bool jobs, users;              /* jobs are named, and their users */
    bool each;                     /* see struct queue_view */
    const struct words *questions; /* about handles */
    enum comparison comparison;
};

enum { COMMUNICATOR_INDENT = 2, QUEUE_INDENT = 4 };

/* Communicators. */

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
    OWNED char *title = say_capital(copy_string(queue_nouns[class]));
    OWNED char *subject = format_text("%s:%s", title, queue->available ? " not complete," : "");

    if (queue->n > 0) {
        fprintf(to, "%*s%s\n", QUEUE_INDENT, "", title);
        queue_text_print(to, class, queue, view);
    }
    if (queue->error != NULL)
        print_error_line(to, QUEUE_INDENT, subject, queue->error);
}

static void print_empty_queues(FILE *to, const struct communicator *communicator)
{
    OWNED char *line = copy_string("");

    for (int class = 0; class < N_QUEUES; class++)
        if (is_known_empty(&communicator->queues[class]))
            append_text(&line, "%sno %s", *line != '\0' ? ", " : "", queue_nouns[class]);
    if (*line != '\0')
        print_paragraph(to, QUEUE_INDENT, QUEUE_INDENT, line);
}

/* "(id 0), rank 3 of 64". A communicator that is not made yet may have messages, but it has no members. */
static char *say_communicator_place(const struct communicator *communicator, enum comparison comparison)
{
    const char *revoked = communicator->arrangement.revoked ? ", revoked" : "";
    const char *freed = communicator->arrangement.freed ? ", handle freed" : "";
    const char *end = is_idle(communicator) ? ": nothing pending" : "";
    OWNED char *arranged = say_topology(&communicator->arrangement, communicator->size, communicator->local_rank,
                                        comparison == NOT_COMPARED),
               *topology = format_text("%s%s", *arranged != '\0' ? ", " : "", arranged);

    if (communicator->size <= 0)
        return format_text(" (id %lu)", communicator->unique_id);
    if (comparison != NOT_COMPARED)
        return format_text(" (id %lu) of %s%s%s%s%s", communicator->unique_id, NUMBER(communicator->size), topology,
                           revoked, freed, end);
    return format_text(" (id %lu), rank %ld of %s%s%s%s%s", communicator->unique_id, communicator->local_rank,
                       NUMBER(communicator->size), topology, revoked, freed, end);
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
    struct paragraph paragraph = start_paragraph(to, COMMUNICATOR_INDENT, QUEUE_INDENT);
    struct queue_view queues = queue_view_of(listing, communicator, view);
    OWNED char *place = say_communicator_place(communicator, view->comparison);

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
    struct paragraph paragraph = start_paragraph(to, 0, 0);

    put_text(&paragraph, "Core file ");
    put_name(&paragraph, view->comparison == NOT_COMPARED ? listing->core : "");
    if (listing->signal != 0)
        put_format(&paragraph, ", ended by signal %d (%s)", listing->signal, strsignal(listing->signal));
    end_paragraph(&paragraph);
}

/* " of job 4711"; the job only where there are several, its user only if names do not tell. */
static char *say_job_of(const struct listing *listing, const struct process_view *view)
{
    bool is_named = view->jobs && listing->job != NULL;

    return say_of_job(is_named ? listing->job : "", is_named && view->users ? listing->user : -1);
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
    struct paragraph paragraph = start_paragraph(to, 0, 0);
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

static void print_process(FILE *to, const struct listing *listing, const struct process_view *view)
{
    print_header(to, listing, view);
    if (listing->error != NULL)
        print_error_line(to, COMMUNICATOR_INDENT, "", listing->error);
    for (size_t i = 0; i < view->questions->n; i++)
        answer_text_print(to, view->questions->words[i], listing_answer(listing, view->questions->words[i]),
                          view->comparison != NOT_COMPARED, COMMUNICATOR_INDENT);
    if (view->questions->n > 0)
        return;
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

/*
 * Processes that are shown together, " of job 4711 on n[01-02], processes 3911-3973", for free(). Process ids are left
 * out where there are several machines or too many ranges.
 */
static char *say_processes(const struct listing *const *listings, size_t n, const struct process_view *view)
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

/* Ranks that have equal queues, as those of a regular program do. */

/* Of what has more rows the texts of many ranks are not kept. No person compares them either. */
enum { MAX_ROWS = 200 };

static bool is_comparable(const struct listing *listing, const struct process_view *view)
{
    size_t n_rows = 0;

    if (listing->rank < 0)
        return false;
    if (view->questions->n > 0)
        return true;
    for (size_t i = 0; i < listing->n; i++) {
        for (int class = 0; class < N_QUEUES && n_rows <= MAX_ROWS; class++)
            n_rows += queue_text_count(class, &listing->communicators[i].queues[class]);
    }
    return n_rows <= MAX_ROWS;
}

static char *text_of(const struct listing *listing, const struct process_view *view, enum comparison comparison)
{
    struct process_view compared = *view;

    compared.comparison = comparison;
    return TEXT_OF(print_process(text_to, listing, &compared));
}

/* Neighbours. */

/* Farther ones are not listed. */
enum { MAX_WAYS = 4 };

/* "to its right neighbour", of a peer at a distance. */
static char *say_way(bool out, long distance)
{
    const char *word = out ? "to" : "from";

    if (distance == 0)
        return format_text("%s itself", word);
    if (distance == 1 || distance == -1)
        return format_text("%s its %s neighbour", word, distance > 0 ? "right" : "left");
    return format_text("%s its own rank %c %ld", word, distance > 0 ? '+' : '-', distance > 0 ? distance : -distance);
}

/* Adds the ways of a queue, each once. */
static void add_ways(struct text_groups *ways, int class, const struct communicator *communicator)
{
    const struct queue *queue = &communicator->queues[class];
    long size = communicator->size, own = communicator->local_rank;

    /* Ranks of the remote group are no neighbours: they are the same for all of the ranks. */
    if (communicator_is_inter(communicator))
        return;
    for (size_t i = 0; i < queue->n && ways->n <= MAX_WAYS; i++) {
        const struct row row = queue_row(class, queue, i);
        long peer = row_peer(&row), distance;

        if (!row_has_peer(&row) || peer < 0 || peer >= size || own < 0 || own >= size)
            continue;
        distance = (peer - own + size) % size;
        text_groups_add(ways, say_way(class == mqs_pending_sends, distance > size / 2 ? distance - size : distance), i);
    }
}

/* "to its right neighbour", as the first of a group with relative peers shows. */
static char *say_neighbours(const struct listing *first)
{
    RELEASED_BY(text_groups_clear) struct text_groups ways = {0};
    char *all = copy_string("");

    for (size_t i = 0; i < first->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            add_ways(&ways, class, &first->communicators[i]);
    if (ways.n > MAX_WAYS)
        append_text(&all, "with other ranks counted from its own");
    for (size_t i = 0; i < ways.n && ways.n <= MAX_WAYS; i++)
        append_text(&all, "%s%s", i > 0 ? " and " : "", ways.groups[i].text);
    return all;
}

/* Listings. */

/* "Ranks 1-63, processes 3911-3973: the same as rank 0, each from its right neighbour". */
static void print_others(FILE *to, const struct text_group *same, bool relative_peers,
                         const struct listing *const *listings, const struct process_view *view)
{
    const struct listing *first = listings[same->members[0]];
    OWNED const struct listing **others = allocate_array(same->n, sizeof *others);
    OWNED long *ranks = allocate_array(same->n, sizeof *ranks);
    size_t n = same->n - 1;
    OWNED char *folded = NULL, *who = NULL, *relation = NULL;

    for (size_t i = 0; i < n; i++) {
        others[i] = listings[same->members[i + 1]];
        ranks[i] = others[i]->rank;
    }
    folded = ranks_list(ranks, ranks_sort(ranks, n), ",");
    who = say_processes(others, n, view);
    relation = view->questions->n > 0 ? copy_string("with its own rank, coordinates and addresses")
               : relative_peers       ? say_neighbours(first)
                                      : copy_string("");
    print_format(to, 0, 2, "Rank%s %s%s: the same as rank %ld%s%s", n == 1 ? "" : "s", folded, who, first->rank,
                 *relation == '\0' ? "" : n == 1 ? ", " : ", each ", relation);
}

/* Adds the text of a listing, or one that no other has. */
static void add_text(struct text_groups *texts, const struct listing *const *listings, size_t i, bool is_compared,
                     const struct process_view *view, enum comparison comparison)
{
    text_groups_add(texts, is_compared ? text_of(listings[i], view, comparison) : format_text("%zu", i), i);
}

/*
 * Of ranks with equal texts one is shown. Of others the peers may be as far from each of them. Nothing that is shown is
 * forgotten in the comparison.
 */
static void print_each(FILE *to, const struct listing *const *listings, size_t n, const struct process_view *view)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = {0}, relative = {0};
    OWNED bool *is_compared = allocate_array(n + 1, sizeof *is_compared);

    for (size_t i = 0; i < n; i++) {
        is_compared[i] = n > 1 && !view->each && is_comparable(listings[i], view);
        add_text(&same, listings, i, is_compared[i], view, COMPARED);
    }
    for (size_t i = 0; i < same.n; i++) {
        size_t first = same.groups[i].members[0];

        if (same.groups[i].n == 1)
            add_text(&relative, listings, first, is_compared[first], view, COMPARED_RELATIVE);
    }
    for (size_t i = 0, k = 0; i < same.n; i++) {
        const struct text_group *group = &same.groups[i];
        bool alone = group->n == 1;

        /* One that is alone may be in the group of an earlier one. */
        if (alone && (k == relative.n || relative.groups[k].members[0] != group->members[0]))
            continue;
        group = alone ? &relative.groups[k++] : group;
        fputs(i == 0 ? "" : "\n", to);
        print_process(to, listings[group->members[0]], view);
        if (group->n > 1)
            print_others(to, group, alone, listings, view);
    }
}

void text_print(FILE *to, const struct listing *const *listings, size_t n, const struct words *questions, bool each)
{
    const struct process_view view = {.jobs = listings_have_several_jobs(listings, n),
                                      .users = listings_share_job_names(listings, n), .each = each,
                                      .questions = questions};
    OWNED const struct listing **shown = allocate_array(n + 1, sizeof *shown);
    size_t n_shown = 0;

    for (size_t i = 0; i < n; i++)
        if (questions->n > 0 ? listings[i]->n_answers > 0 : listings[i]->has_communicators)
            shown[n_shown++] = listings[i];
    print_each(to, shown, n_shown, &view);
}
