/*
 * watch_text.c - what several looks show together, for people.
 */
#include "mqd/dump/show/watch/watch_text.h"

#include <string.h>

#include "mqd/dump/base/hash.h"
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

/* What is counted at the top of the page, of one rank and of several, in this order. */
static const char *const counted[][2] = {
    {"moves", "move"}, {"has not moved", "have not moved"}, {"in the same place", "in the same place"},
    {"not seen to move", "not seen to move"}, {"outside of MPI", "outside of MPI"}, {"seen once", "seen once"},
    {"cannot be seen", "cannot be seen"}, {"has ended", "have ended"}};
enum { N_COUNTED = sizeof counted / sizeof *counted };

/* How ranks are, where it matters in MPI or outside of it, and where they were found in several places or in one. */
static const struct manner {
    enum rank_state state;
    enum { ANYWHERE, IN_MPI, OUTSIDE } where;
    enum { ANY_PLACES, SEVERAL, ONE } places;
    size_t counted;                /* the position in `counted` */
    const char *before, *after;    /* what is said of them, "not moved for " and "" around the time; NULL: without it */
    const char *one, *many;        /* what is said when they have become so */
} manners[] = {
    {RANK_MOVES, ANYWHERE, ANY_PLACES, 0, "moves", NULL, " moves", " move"},
    {RANK_STANDS, IN_MPI, ANY_PLACES, 1, "not moved for ", "", " does not move", " do not move"},
    {RANK_STANDS, OUTSIDE, ANY_PLACES, 4, "nothing started in MPI for ", "", " starts nothing in MPI",
     " start nothing in MPI"},
    {RANK_SAME, IN_MPI, SEVERAL, 3, "not seen to move for ", "", " is not seen to move", " are not seen to move"},
    {RANK_SAME, OUTSIDE, SEVERAL, 4, "not seen to move for ", "", " is not seen to move", " are not seen to move"},
    {RANK_SAME, IN_MPI, ONE, 2, "same place for ", "", " is in the same place", " are in the same place"},
    {RANK_SAME, OUTSIDE, ONE, 4, "nothing seen of it in MPI for ", "", " is in the same place",
     " are in the same place"},
    {RANK_NEW, ANYWHERE, ANY_PLACES, 5, "seen once", NULL, " is there", " are there"},
    {RANK_UNKNOWN, ANYWHERE, ANY_PLACES, 6, "not seen for ", "", " cannot be seen", " cannot be seen"},
    {RANK_ENDED, ANYWHERE, ANY_PLACES, 7, "", " ago", "", ""},
    {RANK_GONE, ANYWHERE, ANY_PLACES, 7, "", " ago", " is not there any more", " are not there any more"},
};

static const struct manner *manner_of(const struct watched_rank *rank)
{
    const struct manner *manner = manners;

    while (manner->state != rank->state || manner->where == (rank->in_mpi ? OUTSIDE : IN_MPI) ||
           manner->places == (rank->place_changed ? ONE : SEVERAL))
        manner++;
    return manner;
}

/* Ranks of which the same is to be said; members are their positions in the history. */
struct group {
    const struct text_group *same;
    const struct watched_rank *first;
    double shortest, longest;      /* for how long it has been so */
};

struct groups {
    const struct history *history;
    struct text_groups same;
    struct group *groups;
    size_t n;
};

static bool stands(const struct watched_rank *rank)
{
    return rank->state == RANK_STANDS || rank->state == RANK_SAME;
}

/* Threads of a rank that computes wait for each other now and then. */
static bool tells_of_threads(const struct watched_rank *rank)
{
    return rank->in_mpi && stands(rank) && rank->threads_changed != rank->threads_before;
}

/* The first character is the state. Of what has `changed` it counts whether threads have just now. */
static char *kind_of(const struct watched_rank *rank, bool changed)
{
    int threads = changed ? tells_of_threads(rank) * (1 + rank->threads_changed) : stands(rank) && rank->threads_moved;

    return format_text("%d%d%d%d%s\001%d%s", (int)rank->state, rank->in_mpi, rank->place_changed, threads, rank->job,
                       rank->rank < 0, rank->where.key);
}

/* The longest come first among those of a state. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    return ORDER(x->first->state, y->first->state) ?: ORDER(y->longest, x->longest) ?:
           strcmp(x->same->text, y->same->text);
}

/* It is no change that a rank which stands is no longer proved to. */
static bool has_changed(const struct watched_rank *rank)
{
    return tells_of_threads(rank) ||
           (rank->state != rank->before && !(rank->state == RANK_SAME && rank->before == RANK_STANDS));
}

/* `changed`: those ranks that have, by how long they had stood; else all, by how long they are as they are. */
static struct groups make_groups(const struct history *history, bool changed)
{
    struct groups made = {.history = history};

    for (size_t i = 0; i < history->n; i++)
        if (!changed || has_changed(&history->ranks[i]))
            text_groups_add(&made.same, kind_of(&history->ranks[i], changed), i);
    made.n = made.same.n;
    made.groups = allocate_array(made.n, sizeof *made.groups);
    for (size_t i = 0; i < made.n; i++) {
        const struct text_group *same = &made.same.groups[i];
        struct group group = {.same = same, .first = &history->ranks[same->members[0]]};

        for (size_t k = 0; k < same->n; k++) {
            const struct watched_rank *rank = &history->ranks[same->members[k]];
            double its = changed ? rank->stood : history->began - rank->since;

            group.shortest = k == 0 || its < group.shortest ? its : group.shortest;
            group.longest = k == 0 || its > group.longest ? its : group.longest;
        }
        made.groups[i] = group;
    }
    SORT(made.groups, made.n, compare_groups);
    return made;
}

static void free_groups(struct groups *groups)
{
    text_groups_clear(&groups->same);
    free(groups->groups);
}

/* "ranks 1-3", "ranks 3,17,29 and 409 others", "processes 4711,4712", on which machines, and of which job. */
static char *who_text(const struct groups *groups, const struct group *group)
{
    const struct watched_rank *first = group->first;
    OWNED long *numbers = allocate_array(group->same->n, sizeof *numbers);
    const char *noun = first->rank >= 0 ? "rank" : "process";
    OWNED const char **hosts = allocate_array(group->same->n, sizeof *hosts);
    OWNED char *where = NULL, *shown = NULL, *list = NULL;
    size_t n;

    for (size_t i = 0; i < group->same->n; i++) {
        const struct watched_rank *rank = &groups->history->ranks[group->same->members[i]];

        numbers[i] = rank->rank >= 0 ? rank->rank : (long)rank->pid;
        hosts[i] = rank->host;
    }
    n = ranks_sort(numbers, group->same->n);
    list = ranks_list(numbers, n, ",");
    shown = ranks_shorten(list, MAX_RANKS_TEXT);
    where = host_phrase(hosts, group->same->n);
    return format_text("%s%s %s%s%s%s", noun, n == 1 ? "" : first->rank >= 0 ? "s" : "es", shown,
                       *first->job != '\0' ? " of job " : "", first->job, where);
}

/* Where they are. */
static char *place_text(const struct groups *groups, const struct group *group)
{
    OWNED const struct rank_place **places = allocate_array(group->same->n, sizeof *places);

    for (size_t i = 0; i < group->same->n; i++)
        places[i] = &groups->history->ranks[group->same->members[i]].where;
    return place_say(places, group->same->n);
}

/* ", what its threads wait for changed 1:20 ago", of ranks that stand; else "". */
static char *threads_text(const struct groups *groups, const struct group *group)
{
    const struct watched_rank *first = group->first;
    double shortest = groups->history->began - first->threads_since, longest = shortest;
    OWNED char *span = NULL;

    if (!stands(first) || !first->threads_moved)
        return copy_string("");
    for (size_t i = 1; i < group->same->n; i++) {
        double its = groups->history->began - groups->history->ranks[group->same->members[i]].threads_since;

        shortest = its < shortest ? its : shortest;
        longest = its > longest ? its : longest;
    }
    span = span_text(shortest, longest);
    return format_text(", what %s threads wait for changed %s ago", group->same->n == 1 ? "its" : "their", span);
}

/* The page. */

static void print_group(FILE *to, const struct groups *groups, const struct group *group)
{
    OWNED char *who = who_text(groups, group), *span = span_text(group->shortest, group->longest);
    OWNED char *place = place_text(groups, group), *threads = threads_text(groups, group);
    const struct manner *manner = manner_of(group->first);

    print_format(to, 2, 4, "%s: %s, %s%s%s%s", who, group->first->state == RANK_GONE ? "not there any more" : place,
                 manner->before, manner->after != NULL ? span : "", manner->after != NULL ? manner->after : "",
                 threads);
}

/* What there is no room for is counted. */
static void print_other_groups(FILE *to, const struct group *groups, size_t n)
{
    double longest = 0;
    size_t n_stand = 0, n_ranks = 0, n_unseen = 0;
    OWNED char *span = NULL, *who = NULL;

    for (size_t i = 0; i < n; i++) {
        enum rank_state state = groups[i].first->state;
        bool unseen = state == RANK_UNKNOWN || state == RANK_NEW;

        n_ranks += groups[i].same->n;
        n_stand += stands(groups[i].first) ? groups[i].same->n : 0;
        n_unseen += unseen ? groups[i].same->n : 0;
        if (stands(groups[i].first) && groups[i].longest > longest)
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
    RELEASED_BY(free_groups) struct groups groups = make_groups(history, false);
    size_t i, used = 0, room = n_lines > LEAST_PLACES ? n_lines : LEAST_PLACES;

    for (i = 0; i < groups.n; i++) {
        OWNED char *text = TEXT_OF(print_group(text_to, &groups, &groups.groups[i]));

        used += count_lines(text);
        /* Two lines are kept for what is said of the others. */
        if (used + (i + 1 < groups.n ? 2 : 0) > room)
            break;
        fputs(text, to);
    }
    if (i < groups.n)
        print_other_groups(to, &groups.groups[i], groups.n - i);
}

static void print_head(FILE *to, const struct history *history, const struct watch_page *page)
{
    struct paragraph paragraph = start_paragraph(to, 0, 2);
    size_t n[N_COUNTED] = {0};
    const char *separator = ":";

    for (size_t i = 0; i < history->n; i++)
        n[manner_of(&history->ranks[i])->counted]++;
    terminal_style(to, STYLE_HEADING);
    put_format(&paragraph, "%s, every %g s: %s, %s rank%s", page->time, page->interval, page->job, NUMBER(history->n),
               history->n == 1 ? "" : "s");
    for (size_t i = 0; i < N_COUNTED; i++) {
        if (n[i] == 0)
            continue;
        put_format(&paragraph, "%s %s %s", separator, NUMBER(n[i]), counted[i][n[i] > 1]);
        separator = ",";
    }
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
    OWNED char *heading = format_text("%.*s, %s:", (int)strlen(finding->title) - 1, finding->title, how_long);

    print_headed(to, finding->certain && !finding->unseen ? STYLE_BAD : STYLE_DOUBT, heading, finding->sentence);
}

/* The first one is shown in any case, the others as long as half of the lines are left for the ranks. */
static void print_findings(FILE *to, const struct history *history, size_t n_lines)
{
    size_t used = 0;

    for (size_t i = 0; i < history->n_findings; i++) {
        OWNED char *text = TEXT_OF(print_finding(text_to, &history->findings[i], history->began));

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
    OWNED char *text = TEXT_OF(print_head(text_to, history, page), print_why(text_to, history, page->n_lines),
                               print_heading(text_to, "Where"));
    size_t used = count_lines(text);

    fputs(text, to);
    print_where(to, history, page->n_lines > used ? page->n_lines - used : 0);
}

/* Lines about what has changed. */

/* What is said of the threads of ranks that stand. */
static const char *say_threads_change(const struct group *group)
{
    bool one = group->same->n == 1;

    if (!tells_of_threads(group->first))
        return "";
    if (group->first->threads_changed)
        return one ? ", but what its threads wait for changes" : ", but what their threads wait for changes";
    return one ? ", and its threads wait as before" : ", and their threads wait as before";
}

static void print_group_change(FILE *to, const struct groups *groups, const struct group *group, const char *time)
{
    const struct watched_rank *first = group->first;
    OWNED char *who = who_text(groups, group), *span = span_text(group->shortest, group->longest);
    OWNED char *where = place_text(groups, group);
    bool stood = first->state == RANK_MOVES && group->longest >= 1, place = first->state != RANK_GONE;
    const struct manner *manner = manner_of(first);

    print_line(to, "%s %s%s%s%s%s%s%s", time, who, group->same->n == 1 ? manner->one : manner->many,
               say_threads_change(group), stood ? " again, after " : "", stood ? span : "", place ? ": " : "",
               place ? where : "");
}

static void print_gone_finding(FILE *to, const struct watched_finding *finding, const char *time)
{
    OWNED char *lasted = lasted_text(finding);

    print_line(to, "%s went%s: %s %s", time, lasted, finding->title, finding->sentence);
}

/* Ranks that wait for each other for a moment again and again are one line. */
static void print_finding_change(FILE *to, const struct watched_finding *finding, const char *time)
{
    const char *what = finding->again && (finding->stood || !finding->came) ? "again"
                       : finding->came && !finding->again                   ? "came"
                       : finding->vanished                                  ? "not seen any more"
                                                                            : NULL;

    if (what != NULL)
        print_line(to, "%s %s: %s %s", time, what, finding->title, finding->sentence);
}

void watch_print_changes(FILE *to, const struct history *history, const char *time)
{
    RELEASED_BY(free_groups) struct groups groups = make_groups(history, true);

    for (size_t i = history->n_gone - history->n_went; i < history->n_gone; i++)
        print_gone_finding(to, &history->gone[i], time);
    for (size_t i = 0; i < groups.n; i++)
        print_group_change(to, &groups, &groups.groups[i], time);
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
