/*
 * hosts.c - the machines that a report rests on.
 *
 * Of thousands of machines the same is said together. What a machine's problem is has its name in it mostly: it is left
 * out while problems are compared.
 */
#include "mqd/dump/show/text/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/json_string.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of longer lists nobody reads the end; and more paragraphs than these fill a screen. */
enum { MAX_LIST = 200, MAX_RANKS = 120, MAX_GROUPS = 8 };

/* If the clocks are farther apart, in seconds, that is more likely than a look that took so long. */
static const double clocks_differ = 60;

/* Machines of which the same is said. */
struct group {
    char *what;
    const char **hosts;
    size_t n, room;
    long *ranks;                   /* that were not read, and are known to be there */
    size_t n_ranks, rank_room;
    size_t n_read;
    const char *example;           /* the same of the first machine, with its name */
};

struct groups {
    struct group *groups;
    size_t n, room;
    struct name_index index;       /* by what is said */
    size_t *of_source;             /* a source's, and one; 0: nothing is wrong with it */
};

/* What is wrong. */

static const char *name_of(const struct source *source)
{
    return source->host != NULL ? source->host : "a host without a name";
}

/* Takes the text over. Returns the position of the group, and one. */
static size_t add_host(struct groups *groups, char *what, const struct source *source)
{
    struct group *group;
    uint32_t at = 0;

    if (!name_index_find(&groups->index, what, &at)) {
        at = (uint32_t)groups->n;
        groups->groups = grow_array(groups->groups, groups->n, &groups->room, sizeof *groups->groups);
        groups->groups[groups->n++] = (struct group){.what = what, .example = source->problem};
        name_index_add(&groups->index, what, at);
    } else {
        free(what);
    }
    group = &groups->groups[at];
    group->hosts = grow_array(group->hosts, group->n, &group->room, sizeof *group->hosts);
    group->hosts[group->n++] = name_of(source);
    return at + 1;
}

/* It is not there, and its machine is why. */
static bool is_unread(const struct witness *witness)
{
    return witness->listing->error != NULL && !witness->listing->has_communicators && witness->missing == NULL;
}

static void add_ranks(struct groups *groups, const struct witness *witnesses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = groups->of_source[witnesses[i].look];
        struct group *group = at > 0 ? &groups->groups[at - 1] : NULL;

        if (group == NULL)
            continue;
        group->n_read += !is_unread(&witnesses[i]);
        if (!is_unread(&witnesses[i]) || witnesses[i].listing->rank < 0)
            continue;
        group->ranks = grow_array(group->ranks, group->n_ranks, &group->rank_room, sizeof *group->ranks);
        group->ranks[group->n_ranks++] = witnesses[i].listing->rank;
    }
}

static struct groups find_problems(const struct source *sources, size_t n, const struct witness *witnesses,
                                   size_t n_witnesses)
{
    struct groups groups = {.of_source = allocate_array(n + 1, sizeof *groups.of_source), .index.any_length = true};

    for (size_t i = 0; i < n; i++)
        if (sources[i].problem != NULL)
            groups.of_source[i] =
                add_host(&groups, host_reason(sources[i].problem, name_of(&sources[i]), false), &sources[i]);
    add_ranks(&groups, witnesses, n_witnesses);
    return groups;
}

/* Those that were looked at, and have none of the ranks. */
static struct groups find_empty(const struct source *sources, size_t n)
{
    struct groups groups = {.of_source = allocate_array(n + 1, sizeof *groups.of_source), .index.any_length = true};

    for (size_t i = 0; i < n; i++)
        if (sources[i].problem == NULL && sources[i].n_ranks == 0)
            groups.of_source[i] = add_host(&groups, copy_string("no rank of the job was found there"), &sources[i]);
    return groups;
}

static bool is_version_told(const struct source *source, const char *usual)
{
    return source->mqdump != NULL && strcmp(source->mqdump, usual) != 0;
}

/* Records of one earlier version are nothing special. Looks of now are to be of this one. */
static const char *usual_version(const struct source *sources, size_t n)
{
    const char *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (sources[i].file == NULL)
            return PACKAGE_VERSION;
        if (first == NULL)
            first = sources[i].mqdump;
        else if (is_version_told(&sources[i], first))
            return PACKAGE_VERSION;
    }
    return first != NULL ? first : PACKAGE_VERSION;
}

static struct groups find_versions(const struct source *sources, size_t n)
{
    struct groups groups = {.of_source = allocate_array(n + 1, sizeof *groups.of_source), .index.any_length = true};
    const char *usual = usual_version(sources, n);

    for (size_t i = 0; i < n; i++)
        if (is_version_told(&sources[i], usual))
            groups.of_source[i] = add_host(
                &groups, format_text("mqdump %s was there; this is %s", sources[i].mqdump, PACKAGE_VERSION), &sources[i]);
    return groups;
}

static void groups_clear(struct groups *groups)
{
    name_index_clear(&groups->index);
    for (size_t i = 0; i < groups->n; i++) {
        free(groups->groups[i].what);
        free(groups->groups[i].hosts);
        free(groups->groups[i].ranks);
    }
    free(groups->groups);
    free(groups->of_source);
}

/* Texts. */

static void put(struct paragraph *paragraph, char *text)
{
    put_text(paragraph, text);
    free(text);
}

static struct paragraph start_hosts(FILE *to, enum style style, const char *const *hosts, size_t n)
{
    struct paragraph paragraph = start_paragraph(to, 0);
    char *list = host_phrase_list(hosts, n, MAX_LIST);

    paragraph.indent = 2;
    terminal_style(to, style);
    put_text(&paragraph, n == 1 ? "Host " : "Hosts ");
    put_text(&paragraph, list);
    terminal_style(to, STYLE_PLAIN);
    free(list);
    return paragraph;
}

/* " (ranks 4-7)": those that were not read; " (2 ranks were read)" if any were. */
static void put_known(struct paragraph *paragraph, struct group *group)
{
    char *ranks;

    group->n_ranks = ranks_sort(group->ranks, group->n_ranks);
    if (group->n_read > 0)
        put(paragraph, format_text(" (%s rank%s read)", NUMBER(group->n_read), group->n_read == 1 ? " was" : "s were"));
    if (group->n_ranks == 0)
        return;
    ranks = ranks_phrase(group->ranks, group->n_ranks, "", "");
    put(paragraph, strlen(ranks) > MAX_RANKS ? format_text(" (%s ranks)", NUMBER(group->n_ranks))
                                             : format_text(" (%s)", ranks));
    free(ranks);
}

/* Those with the most machines first. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return strcmp(x->what, y->what);
}

static void print_group(FILE *to, struct group *group)
{
    struct paragraph paragraph = start_hosts(to, STYLE_DOUBT, group->hosts, group->n);
    bool only = group->n == 1 && group->example != NULL;
    char *what = only ? host_reason(group->example, group->hosts[0], true) : copy_string(group->what);

    put_known(&paragraph, group);
    put(&paragraph, format_text(": %s.", what));
    end_paragraph(&paragraph);
    free(what);
}

static void print_groups(FILE *to, struct groups *groups)
{
    size_t n_hosts = 0;

    if (groups->n > 1)
        qsort(groups->groups, groups->n, sizeof *groups->groups, compare_groups);
    for (size_t i = 0; i < groups->n; i++) {
        if (i < MAX_GROUPS)
            print_group(to, &groups->groups[i]);
        else
            n_hosts += groups->groups[i].n;
    }
    if (n_hosts > 0) {
        char *text = format_text("%zu more hosts have %zu other problems: --json has all.", n_hosts,
                                 groups->n - MAX_GROUPS);

        print_paragraph(to, 0, 2, text);
        free(text);
    }
    groups_clear(groups);
}

/* Times. */

/* "2024-05-31T17:08:59.123456Z" in seconds; false: it is no time. */
static bool read_time(const char *taken, double *seconds)
{
    struct tm time = {0};

    if (sscanf(taken, "%d-%d-%dT%d:%d:%d", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour, &time.tm_min,
               &time.tm_sec) != 6)
        return false;
    time.tm_year -= 1900;
    time.tm_mon--;
    *seconds = (double)timegm(&time);
    return true;
}

/* " on 2024-05-31 between 12:00:01 and 12:00:09 UTC", from the earliest and the latest time, which are strings. */
static char *say_times(const char *first, const char *last)
{
    bool is_one_day = strncmp(first, last, strlen("2024-05-31")) == 0;
    double from = 0, to = 0;
    const char *clocks;

    if (strncmp(first, last, strlen("2024-05-31T17:08:59")) == 0)
        return format_text(" on %.10s at %.8s UTC", first, first + 11);
    clocks = read_time(first, &from) && read_time(last, &to) && to - from > clocks_differ
                 ? ", as the clock of each says"
                 : "";
    if (is_one_day)
        return format_text(" on %.10s between %.8s and %.8s UTC%s", first, first + 11, last + 11, clocks);
    return format_text(" between %.10s %.8s and %.10s %.8s UTC%s", first, first + 11, last, last + 11, clocks);
}

/* The machines that answered, and when. */
struct answered {
    const char **hosts;
    size_t n, n_ranks;
    const char *first, *last;      /* times; NULL: nobody has */
};

static bool has_answered(const struct source *source)
{
    return strlen(source->taken) > strlen("2024-05-31T17:08:59") && (source->problem == NULL || source->n_ranks > 0);
}

static struct answered find_answered(const struct source *sources, size_t n, const struct witness *witnesses,
                                     size_t n_witnesses)
{
    struct answered found = {.hosts = allocate_array(n + 1, sizeof *found.hosts)};

    for (size_t i = 0; i < n; i++) {
        if (!has_answered(&sources[i]))
            continue;
        found.hosts[found.n++] = name_of(&sources[i]);
        if (found.first == NULL || strcmp(sources[i].taken, found.first) < 0)
            found.first = sources[i].taken;
        if (found.last == NULL || strcmp(sources[i].taken, found.last) > 0)
            found.last = sources[i].taken;
    }
    for (size_t i = 0; i < n_witnesses; i++)
        found.n_ranks += has_answered(&sources[witnesses[i].look]) && !is_unread(&witnesses[i]);
    return found;
}

static void print_answered(FILE *to, const struct answered *answered)
{
    struct paragraph paragraph;

    if (answered->n == 0) {
        print_paragraph(to, 0, 2, "No host could be looked at.");
        return;
    }
    paragraph = start_hosts(to, STYLE_PLAIN, answered->hosts, answered->n);
    put(&paragraph, format_text(": %s rank%s, looked at", NUMBER(answered->n_ranks),
                                answered->n_ranks == 1 ? "" : "s"));
    put(&paragraph, say_times(answered->first, answered->last));
    put_text(&paragraph, ".");
    end_paragraph(&paragraph);
}

void hosts_print(FILE *to, const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses)
{
    struct answered answered = find_answered(sources, n, witnesses, n_witnesses);
    struct groups problems = find_problems(sources, n, witnesses, n_witnesses);
    struct groups empty = find_empty(sources, n), versions = find_versions(sources, n);

    print_answered(to, &answered);
    print_groups(to, &problems);
    print_groups(to, &empty);
    print_groups(to, &versions);
    sources_print_changes(to, sources, n);
    putc('\n', to);
    free(answered.hosts);
}

/* Others. */

bool hosts_are_told(const struct source *sources, size_t n)
{
    const char *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (sources[i].file == NULL || (first != NULL && sources[i].host != NULL && strcmp(first, sources[i].host) != 0))
            return true;
        if (first == NULL)
            first = sources[i].host;
    }
    return false;
}

void hosts_json(FILE *to, const struct source *sources, size_t n)
{
    if (!hosts_are_told(sources, n))
        return;
    for (size_t i = 0; i < n; i++) {
        fputs(i == 0 ? ",\"hosts\":[{\"host\":" : ",{\"host\":", to);
        json_print_string_or_null(to, sources[i].host);
        json_print_text(to, "taken", sources[i].taken);
        json_print_text(to, "mqdump", sources[i].mqdump);
        fprintf(to, ",\"ranks\":%zu", sources[i].n_ranks);
        json_print_text(to, "problem", sources[i].problem);
        putc('}', to);
    }
    putc(']', to);
}

void hosts_doubt(const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses,
                 struct verdict *verdict)
{
    bool *are_known = allocate_array(n + 1, sizeof *are_known);
    const char **hosts = allocate_array(n + 1, sizeof *hosts);
    size_t n_hosts = 0;
    char *list;

    for (size_t i = 0; i < n_witnesses; i++)
        are_known[witnesses[i].look] |= is_unread(&witnesses[i]) && witnesses[i].listing->rank >= 0;
    for (size_t i = 0; i < n; i++) {
        verdict->unclear |= sources[i].problem != NULL;
        if (sources[i].problem != NULL && !are_known[i])
            hosts[n_hosts++] = name_of(&sources[i]);
    }
    if (n_hosts > 0) {
        list = host_phrase_list(hosts, n_hosts, MAX_LIST);
        verdict_add_note(verdict, format_text("Of %s not all is known: ranks may be missing.", list));
        free(list);
    }
    free(are_known);
    free(hosts);
}
