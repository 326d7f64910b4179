/*
 * watch_text.c - what several looks show together, for people.
 */
#include "mqd/dump/show/watch/watch_text.h"

#include <stdarg.h>
#include <string.h>

#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of findings that have gone, no more than these and no older ones are on the page. */
enum { MAX_GONE_SHOWN = 3 };
static const double longest_ago = 600;

/* Where the ranks are gets so many lines in any case. */
enum { LEAST_PLACES = 4 };

/* Longer lists of ranks are cut, and say how many they are. */
enum { MAX_RANKS_TEXT = 32 };

char *duration_text(double seconds)
{
    unsigned long whole = seconds > 0 ? (unsigned long)seconds : 0;

    if (whole < 60)
        return format_text("%lu s", whole);
    if (whole < 3600)
        return format_text("%lu:%02lu", whole / 60, whole % 60);
    return format_text("%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

/* "1:20", "0:40 to 1:20". */
static char *span_text(double shortest, double longest)
{
    OWNED char *from = duration_text(shortest), *to = duration_text(longest);

    return strcmp(from, to) == 0 ? TAKEN(to) : format_text("%s to %s", from, to);
}

/* Ranks of which the same is to be said. */

struct group {
    const struct watched_rank **ranks;     /* in the order of their ranks */
    size_t n;
    double shortest, longest;      /* for how long it has been so */
};

/* A list of groups, and the ranks of all of them. */
struct groups {
    const struct watched_rank **ranks;
    struct group *groups;
    size_t n, n_ranks;
};

static int compare_kinds(const struct watched_rank *a, const struct watched_rank *b)
{
    return ORDER(a->state, b->state) ?: a->in_mpi - b->in_mpi ?: a->place_changed - b->place_changed ?:
           strcmp(a->job, b->job) ?: (a->rank < 0) - (b->rank < 0) ?: strcmp(a->place, b->place);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct watched_rank *x = *(const struct watched_rank *const *)a, *y = *(const struct watched_rank *const *)b;

    return compare_kinds(x, y) ?: ORDER(x->rank, y->rank) ?: ORDER(x->pid, y->pid);
}

/* The longest come first among those of a state. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    const struct watched_rank *first = x->ranks[0], *second = y->ranks[0];

    return ORDER(first->state, second->state) ?: ORDER(y->longest, x->longest) ?: compare_ranks(x->ranks, y->ranks);
}

typedef bool chooser(const struct watched_rank *rank);
typedef double measure(const struct history *history, const struct watched_rank *rank);

static void add_to_group(struct group *group, double seconds)
{
    if (group->n == 0 || seconds < group->shortest)
        group->shortest = seconds;
    if (group->n == 0 || seconds > group->longest)
        group->longest = seconds;
    group->n++;
}

static struct groups make_groups(const struct history *history, chooser *choose, measure *seconds)
{
    struct groups made = {.ranks = allocate_array(history->n, sizeof *made.ranks),
                          .groups = allocate_array(history->n, sizeof *made.groups)};

    for (size_t i = 0; i < history->n; i++)
        if (choose(&history->ranks[i]))
            made.ranks[made.n_ranks++] = &history->ranks[i];
    SORT(made.ranks, made.n_ranks, compare_ranks);
    for (size_t i = 0; i < made.n_ranks; i++) {
        if (i == 0 || compare_kinds(made.ranks[i - 1], made.ranks[i]) != 0)
            made.groups[made.n++].ranks = &made.ranks[i];
        add_to_group(&made.groups[made.n - 1], seconds(history, made.ranks[i]));
    }
    SORT(made.groups, made.n, compare_groups);
    return made;
}

static void free_groups(struct groups *groups)
{
    FREE_ALL(groups->ranks, groups->groups);
}

/* "ranks 1-3", "ranks 3,17,29 and 409 others", "processes 4711,4712", on which machines, and of which job. */
static char *who_text(const struct group *group)
{
    const struct watched_rank *first = group->ranks[0];
    OWNED long *numbers = allocate_array(group->n, sizeof *numbers);
    const char *noun = first->rank >= 0 ? "rank" : "process";
    OWNED const char **hosts = allocate_array(group->n, sizeof *hosts);
    OWNED char *where = NULL, *shown = NULL, *list = NULL;
    size_t n;

    for (size_t i = 0; i < group->n; i++) {
        numbers[i] = first->rank >= 0 ? group->ranks[i]->rank : (long)group->ranks[i]->pid;
        hosts[i] = group->ranks[i]->host;
    }
    n = ranks_sort(numbers, group->n);
    list = ranks_list(numbers, n, ",");
    shown = ranks_shorten(list, MAX_RANKS_TEXT);
    where = host_phrase(hosts, group->n);
    return format_text("%s%s %s%s%s%s", noun, n == 1 ? "" : first->rank >= 0 ? "s" : "es", shown,
                       *first->job != '\0' ? " of job " : "", first->job, where);
}

/* The page. */

static bool is_any(const struct watched_rank *rank)
{
    (void)rank;
    return true;
}

static double seconds_so(const struct history *history, const struct watched_rank *rank)
{
    return history->began - rank->since;
}

/* What is said of ranks in this state for so long. */
static char *state_text(const struct watched_rank *rank, const char *span)
{
    switch (rank->state) {
    case RANK_STANDS:
        return format_text(rank->in_mpi ? "not moved for %s" : "nothing started in MPI for %s", span);
    case RANK_SAME:
        if (rank->place_changed)
            return format_text("not seen to move for %s", span);
        return format_text(rank->in_mpi ? "same place for %s" : "nothing seen of it in MPI for %s", span);
    case RANK_UNKNOWN:
        return format_text("not seen for %s", span);
    case RANK_MOVES:
        return copy_string("moves");
    case RANK_NEW:
        return copy_string("seen once");
    case RANK_ENDED:
    case RANK_GONE:
    case N_RANK_STATES:
        break;
    }
    return format_text("%s ago", span);
}

static void print_group(FILE *to, const struct group *group)
{
    const struct watched_rank *first = group->ranks[0];
    OWNED char *who = who_text(group), *span = span_text(group->shortest, group->longest);
    OWNED char *state = state_text(first, span);

    print_format(to, 2, 4, "%s: %s, %s", who, first->state == RANK_GONE ? "not there any more" : first->place, state);
}

/* What there is no room for is counted. */
static void print_other_groups(FILE *to, const struct group *groups, size_t n)
{
    double longest = 0;
    size_t n_stand = 0, n_ranks = 0, n_unseen = 0;
    OWNED char *span = NULL, *who = NULL;

    for (size_t i = 0; i < n; i++) {
        enum rank_state state = groups[i].ranks[0]->state;
        bool stands = state == RANK_STANDS || state == RANK_SAME;
        bool unseen = state == RANK_UNKNOWN || state == RANK_NEW;

        n_ranks += groups[i].n;
        n_stand += stands ? groups[i].n : 0;
        n_unseen += unseen ? groups[i].n : 0;
        if (stands && groups[i].longest > longest)
            longest = groups[i].longest;
    }
    span = duration_text(longest);
    who = format_text("%s more rank%s at %s place%s", NUMBER(n_ranks), n_ranks == 1 ? "" : "s", NUMBER(n),
                      n == 1 ? "" : "s");
    if (n_stand > 0)
        print_format(to, 2, 4, "%s: %s of them not seen to move for up to %s", who, NUMBER(n_stand), span);
    else if (n_unseen > 0)
        print_format(to, 2, 4, "%s: of %s it is not known whether they move", who, NUMBER(n_unseen));
    else
        print_format(to, 2, 4, "%s: none of them stands still", who);
}

static void print_where(FILE *to, const struct history *history, size_t n_lines)
{
    RELEASED_BY(free_groups) struct groups groups = make_groups(history, is_any, seconds_so);
    size_t i, used = 0, room = n_lines > LEAST_PLACES ? n_lines : LEAST_PLACES;

    for (i = 0; i < groups.n; i++) {
        struct text_stream stream;
        OWNED char *text = NULL;

        text_stream_open(&stream);
        print_group(stream.to, &groups.groups[i]);
        text = text_stream_close(&stream);
        used += count_lines(text);
        /* Two lines are kept for what is said of the others. */
        if (used + (i + 1 < groups.n ? 2 : 0) > room)
            break;
        fputs(text, to);
    }
    if (i < groups.n)
        print_other_groups(to, &groups.groups[i], groups.n - i);
}

static void put_count(struct paragraph *paragraph, size_t n, const char *one, const char *many, bool *first)
{
    if (n == 0)
        return;
    put_format(paragraph, "%s %s %s", *first ? ":" : ",", NUMBER(n), n == 1 ? one : many);
    *first = false;
}

static size_t count_in_mpi(const struct history *history, enum rank_state state, bool place_changed)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++)
        n += history->ranks[i].state == state && history->ranks[i].in_mpi &&
             (state == RANK_STANDS || history->ranks[i].place_changed == place_changed);
    return n;
}

static size_t count_standing_outside(const struct history *history)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++)
        n += (history->ranks[i].state == RANK_STANDS || history->ranks[i].state == RANK_SAME) &&
             !history->ranks[i].in_mpi;
    return n;
}

static void print_head(FILE *to, const struct history *history, const struct watch_page *page)
{
    size_t n_ended = history_count(history, RANK_ENDED) + history_count(history, RANK_GONE);
    struct paragraph paragraph = start_paragraph(to, 0);
    bool first = true;

    paragraph.indent = 2;
    terminal_style(to, STYLE_HEADING);
    put_format(&paragraph, "%s, every %g s: %s, %s rank%s", page->time, page->interval, page->job, NUMBER(history->n),
               history->n == 1 ? "" : "s");
    put_count(&paragraph, history_count(history, RANK_MOVES), "moves", "move", &first);
    put_count(&paragraph, count_in_mpi(history, RANK_STANDS, false), "has not moved", "have not moved", &first);
    put_count(&paragraph, count_in_mpi(history, RANK_SAME, false), "in the same place", "in the same place", &first);
    put_count(&paragraph, count_in_mpi(history, RANK_SAME, true), "not seen to move", "not seen to move", &first);
    put_count(&paragraph, count_standing_outside(history), "outside of MPI", "outside of MPI", &first);
    put_count(&paragraph, history_count(history, RANK_NEW), "seen once", "seen once", &first);
    put_count(&paragraph, history_count(history, RANK_UNKNOWN), "cannot be seen", "cannot be seen", &first);
    put_count(&paragraph, n_ended, "has ended", "have ended", &first);
    terminal_style(to, STYLE_PLAIN);
    end_paragraph(&paragraph);
}

static void print_heading(FILE *to, const char *text)
{
    putc('\n', to);
    print_styled(to, STYLE_HEADING, text);
}

/* "new", "again", "for 1:20", "not seen for 0:10, there for 1:20". */
static char *how_long_text(const struct watched_finding *finding, double began)
{
    OWNED char *unseen = duration_text(began - finding->went);
    OWNED char *lasted = duration_text(finding->unseen ? finding->lasted : began - finding->since);

    if (finding->came)
        return copy_string(finding->again ? "again" : "new");
    if (finding->unseen)
        return format_text("not seen for %s, there for %s", unseen, lasted);
    return format_text("for %s", lasted);
}

/* "Deadlock, for 1:20: ..." of the title "Deadlock.". */
static void print_finding(FILE *to, const struct watched_finding *finding, double began)
{
    OWNED char *how_long = how_long_text(finding, began);
    struct paragraph paragraph = start_paragraph(to, 2);
    size_t length = strlen(finding->title);

    paragraph.indent = 4;
    terminal_style(to, finding->certain && !finding->unseen ? STYLE_BAD : STYLE_DOUBT);
    put_format(&paragraph, "%.*s, %s:", (int)(length > 0 ? length - 1 : 0), finding->title, how_long);
    terminal_style(to, STYLE_PLAIN);
    put_format(&paragraph, " %s", finding->sentence);
    end_paragraph(&paragraph);
}

/* The first one is shown in any case, the others as long as half of the lines are left for the ranks. */
static void print_findings(FILE *to, const struct history *history, size_t n_lines)
{
    size_t used = 0;

    for (size_t i = 0; i < history->n_findings; i++) {
        struct text_stream stream;
        OWNED char *text = NULL;

        text_stream_open(&stream);
        print_finding(stream.to, &history->findings[i], history->began);
        text = text_stream_close(&stream);
        used += count_lines(text);
        if (i > 0 && used > n_lines / 2) {
            fprintf(to, "  %s more finding%s\n", NUMBER(history->n_findings - i),
                    history->n_findings - i == 1 ? "" : "s");
            return;
        }
        fputs(text, to);
    }
}

/* ", after 1:20", or "" of what only one look has shown. */
static char *lasted_text(const struct watched_finding *finding)
{
    OWNED char *lasted = duration_text(finding->lasted);

    return finding->lasted >= 1 ? format_text(", after %s", lasted) : copy_string("");
}

/* One line each: what it was is over. */
static void print_gone(FILE *to, const struct history *history)
{
    for (size_t i = history->n_gone; i-- > 0 && history->n_gone - i <= MAX_GONE_SHOWN;) {
        const struct watched_finding *finding = &history->gone[i];
        OWNED char *ago = duration_text(history->began - finding->went), *lasted = lasted_text(finding);
        OWNED char *text = format_text("gone %s ago%s: %s %s", ago, lasted, finding->title, finding->sentence);
        OWNED char *line = printable(text, terminal_columns() - 2);

        if (history->began - finding->went > longest_ago)
            return;
        fprintf(to, "  %s\n", line);
    }
}

static void print_why(FILE *to, const struct history *history, size_t n_lines)
{
    print_heading(to, "Why");
    print_findings(to, history, n_lines);
    if (history->n_findings == 0)
        print_styled(to, history->unclear ? STYLE_DOUBT : STYLE_GOOD,
                     history->unclear ? "  Cannot tell why." : "  Nothing suspicious.");
    else if (history->unclear)
        print_paragraph(to, 2, 4, "Not all ranks are known well enough: there may be more.");
    print_gone(to, history);
}

void watch_print_page(FILE *to, const struct history *history, const struct watch_page *page)
{
    struct text_stream stream;
    OWNED char *text = NULL;
    size_t used;

    text_stream_open(&stream);
    print_head(stream.to, history, page);
    print_why(stream.to, history, page->n_lines);
    print_heading(stream.to, "Where");
    text = text_stream_close(&stream);
    used = count_lines(text);
    fputs(text, to);
    print_where(to, history, page->n_lines > used ? page->n_lines - used : 0);
}

/* Lines about what has changed. */

/* It is no change that a rank which stands is no longer proved to. */
static bool has_changed(const struct watched_rank *rank)
{
    return rank->state != rank->before && !(rank->state == RANK_SAME && rank->before == RANK_STANDS);
}

static double seconds_stood(const struct history *history, const struct watched_rank *rank)
{
    (void)history;
    return rank->stood;
}

/* Texts of a line are of any origin. */
static void __attribute__((format(printf, 3, 4))) print_line(FILE *to, const char *time, const char *fmt, ...)
{
    OWNED char *text = NULL, *line = NULL;
    va_list list;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    line = printable(text, 0);
    fprintf(to, "%s %s\n", time, line);
}

static const char *changed_to(const struct watched_rank *rank, size_t n)
{
    switch (rank->state) {
    case RANK_STANDS:
        if (!rank->in_mpi)
            return n == 1 ? " starts nothing in MPI" : " start nothing in MPI";
        return n == 1 ? " does not move" : " do not move";
    case RANK_SAME:
        if (rank->place_changed)
            return n == 1 ? " is not seen to move" : " are not seen to move";
        return n == 1 ? " is in the same place" : " are in the same place";
    case RANK_UNKNOWN:
        return " cannot be seen";
    case RANK_MOVES:
        return n == 1 ? " moves" : " move";
    case RANK_NEW:
        return n == 1 ? " is there" : " are there";
    case RANK_ENDED:
        return "";
    case RANK_GONE:
    case N_RANK_STATES:
        break;
    }
    return n == 1 ? " is not there any more" : " are not there any more";
}

static void print_group_change(FILE *to, const struct group *group, const char *time)
{
    const struct watched_rank *first = group->ranks[0];
    OWNED char *who = who_text(group), *span = span_text(group->shortest, group->longest);
    bool stood = first->state == RANK_MOVES && group->longest >= 1, place = first->state != RANK_GONE;

    print_line(to, time, "%s%s%s%s%s%s", who, changed_to(first, group->n), stood ? " again, after " : "",
               stood ? span : "", place ? ": " : "", place ? first->place : "");
}

static void print_gone_finding(FILE *to, const struct watched_finding *finding, const char *time)
{
    OWNED char *lasted = lasted_text(finding);

    print_line(to, time, "went%s: %s %s", lasted, finding->title, finding->sentence);
}

/* Ranks that wait for each other for a moment again and again are one line. */
static void print_finding_change(FILE *to, const struct watched_finding *finding, const char *time)
{
    const char *what = finding->again && (finding->stood || !finding->came) ? "again"
                       : finding->came && !finding->again                   ? "came"
                       : finding->vanished                                  ? "not seen any more"
                                                                            : NULL;

    if (what != NULL)
        print_line(to, time, "%s: %s %s", what, finding->title, finding->sentence);
}

void watch_print_changes(FILE *to, const struct history *history, const char *time)
{
    RELEASED_BY(free_groups) struct groups groups = make_groups(history, has_changed, seconds_stood);

    for (size_t i = history->n_gone - history->n_went; i < history->n_gone; i++)
        print_gone_finding(to, &history->gone[i], time);
    for (size_t i = 0; i < groups.n; i++)
        print_group_change(to, &groups.groups[i], time);
    for (size_t i = 0; i < history->n_findings; i++)
        print_finding_change(to, &history->findings[i], time);
}

/* Findings that have gone may be what it was watched for. */
static void print_last_gone(FILE *to, const struct history *history)
{
    const struct watched_finding *last = &history->gone[history->n_gone - 1];
    OWNED char *lasted = duration_text(last->lasted);

    print_format(to, 2, 4, "%s%s there was: %s %s", last->lasted >= 1 ? "For " : "In one look",
                 last->lasted >= 1 ? lasted : "", last->title, last->sentence);
}

void watch_print_end(FILE *to, const struct history *history)
{
    OWNED char *duration = duration_text(history->latest - history->first);

    print_format(to, 0, 2, "The job has ended. It was watched for %s%s", duration,
                 history->n_findings > 0 ? "; the last findings were:"
                 : history->unclear      ? "; why ranks waited last could not be told."
                                         : "; nothing was suspicious last.");
    for (size_t i = 0; i < history->n_findings; i++)
        print_format(to, 2, 4, "%s %s", history->findings[i].title, history->findings[i].sentence);
    if (history->n_findings == 0 && history->n_gone > 0)
        print_last_gone(to, history);
}
