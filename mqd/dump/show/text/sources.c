/*
 * sources.c - the looks that a report rests on.
 *
 * Of thousands of machines the same is said together. What a machine's problem is has its name in it mostly: it is left
 * out while problems are compared.
 */
#include "mqd/dump/show/text/sources.h"

#include <string.h>
#include <time.h>

#include "config.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/show/text/paragraph.h"

/* Of longer lists nobody reads the end; and more paragraphs than these fill a screen. */
enum { MAX_LIST = 200, MAX_RANKS = 120, MAX_GROUPS = 8 };

/* If the clocks are farther apart, in seconds, that is more likely than a look that took so long. */
static const double clocks_differ = 60;

static const char *name_of(const struct source *source)
{
    return source->host != NULL ? source->host : "a host without a name";
}

/* What a report is about. */
struct looks {
    FILE *to;
    const struct source *sources;
    size_t n;
    const struct witness *witnesses;
    size_t n_witnesses;
};

/* What is wrong. Members of groups are positions of sources. */

/* It is not there, and its machine is why. */
static bool is_unread(const struct witness *witness)
{
    return witness->listing->error != NULL && !witness->listing->has_communicators && witness->missing == NULL;
}

/* What is to be said of a source, for free(); NULL: nothing. `usual`: see usual_version. */
typedef char *teller(const struct source *source, const char *usual);

static char *say_problem(const struct source *source, const char *usual)
{
    (void)usual;
    return source->problem != NULL ? host_reason(source->problem, name_of(source), false) : NULL;
}

/* Those that were looked at, and have none of the ranks. */
static char *say_empty(const struct source *source, const char *usual)
{
    (void)usual;
    return source->problem == NULL && source->n_ranks == 0 ? copy_string("no rank of the job was found there") : NULL;
}

static char *say_version(const struct source *source, const char *usual)
{
    return source->mqdump == NULL || strcmp(source->mqdump, usual) == 0
               ? NULL
               : format_text("mqdump %s was there; this is %s", source->mqdump, PACKAGE_VERSION);
}

/* Records of one earlier version are nothing special. Looks of now are to be of this one. */
static const char *usual_version(const struct source *sources, size_t n)
{
    const char *first = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *version = sources[i].mqdump;

        if (sources[i].file == NULL || (first != NULL && version != NULL && strcmp(version, first) != 0))
            return PACKAGE_VERSION;
        first = first != NULL ? first : version;
    }
    return first != NULL ? first : PACKAGE_VERSION;
}

/* Texts. */

static struct paragraph start_hosts(FILE *to, enum style style, const char *const *hosts, size_t n)
{
    struct paragraph paragraph = start_paragraph(to, 0, 2);
    OWNED char *list = host_phrase_list(hosts, n, MAX_LIST);

    terminal_style(to, style);
    put_text(&paragraph, n == 1 ? "Host " : "Hosts ");
    put_text(&paragraph, list);
    terminal_style(to, STYLE_PLAIN);
    return paragraph;
}

/* " (2 ranks were read)" if any were; " (ranks 4-7)": those that were not, and are known to be there. */
static void put_known(struct paragraph *paragraph, const struct looks *looks, const struct text_group *group)
{
    OWNED bool *is_member = allocate_array(looks->n + 1, sizeof *is_member);
    OWNED long *ranks = allocate_array(looks->n_witnesses + 1, sizeof *ranks);
    OWNED char *phrase = NULL;
    size_t n = 0, n_read = 0;

    for (size_t i = 0; i < group->n; i++)
        is_member[group->members[i]] = true;
    for (size_t i = 0; i < looks->n_witnesses; i++) {
        const struct witness *witness = &looks->witnesses[i];

        if (!is_member[witness->look])
            continue;
        n_read += !is_unread(witness);
        if (is_unread(witness) && witness->listing->rank >= 0)
            ranks[n++] = witness->listing->rank;
    }
    n = ranks_sort(ranks, n);
    phrase = ranks_phrase(ranks, n, "", "");
    if (n_read > 0)
        put_format(paragraph, " (%s rank%s read)", NUMBER(n_read), n_read == 1 ? " was" : "s were");
    if (n > 0 && strlen(phrase) > MAX_RANKS)
        put_format(paragraph, " (%s ranks)", NUMBER(n));
    else if (n > 0)
        put_format(paragraph, " (%s)", phrase);
}

/* Those with the most machines first. */
static int compare_groups(const void *a, const void *b)
{
    const struct text_group *x = a, *y = b;

    return ORDER(y->n, x->n) ?: strcmp(x->text, y->text);
}

/* Of one machine a problem is told with its name. */
static void print_group(const struct looks *looks, const struct text_group *group, bool problems)
{
    OWNED const char **hosts = allocate_array(group->n, sizeof *hosts);
    OWNED char *only = NULL;
    struct paragraph paragraph;

    for (size_t i = 0; i < group->n; i++)
        hosts[i] = name_of(&looks->sources[group->members[i]]);
    if (problems && group->n == 1)
        only = host_reason(looks->sources[group->members[0]].problem, hosts[0], true);
    paragraph = start_hosts(looks->to, STYLE_DOUBT, hosts, group->n);
    if (problems)
        put_known(&paragraph, looks, group);
    put_format(&paragraph, ": %s.", only != NULL ? only : group->text);
    end_paragraph(&paragraph);
}

/* Of problems with the ranks of these machines. */
static void print_groups(const struct looks *looks, teller *tell)
{
    RELEASED_BY(text_groups_clear) struct text_groups groups = {0};
    const char *usual = usual_version(looks->sources, looks->n);
    size_t n_hosts = 0;

    for (size_t i = 0; i < looks->n; i++) {
        char *text = tell(&looks->sources[i], usual);

        if (text != NULL)
            text_groups_add(&groups, text, i);
    }
    SORT(groups.groups, groups.n, compare_groups);
    for (size_t i = 0; i < groups.n; i++) {
        if (i < MAX_GROUPS)
            print_group(looks, &groups.groups[i], tell == say_problem);
        else
            n_hosts += groups.groups[i].n;
    }
    if (n_hosts > 0)
        print_format(looks->to, 0, 2, "%zu more hosts have %zu other problems: --json has all.", n_hosts,
                     groups.n - MAX_GROUPS);
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

static struct answered find_answered(const struct looks *looks)
{
    struct answered found = {.hosts = allocate_array(looks->n + 1, sizeof *found.hosts)};

    for (size_t i = 0; i < looks->n; i++) {
        const struct source *source = &looks->sources[i];

        if (!has_answered(source))
            continue;
        found.hosts[found.n++] = name_of(source);
        if (found.first == NULL || strcmp(source->taken, found.first) < 0)
            found.first = source->taken;
        if (found.last == NULL || strcmp(source->taken, found.last) > 0)
            found.last = source->taken;
    }
    for (size_t i = 0; i < looks->n_witnesses; i++)
        found.n_ranks += has_answered(&looks->sources[looks->witnesses[i].look]) && !is_unread(&looks->witnesses[i]);
    return found;
}

static void print_answered(const struct looks *looks)
{
    struct answered answered = find_answered(looks);
    OWNED const char **hosts = answered.hosts;
    OWNED char *times = answered.n > 0 ? say_times(answered.first, answered.last) : NULL;
    struct paragraph paragraph;

    if (answered.n == 0) {
        print_paragraph(looks->to, 0, 2, "No host could be looked at.");
        return;
    }
    paragraph = start_hosts(looks->to, STYLE_PLAIN, hosts, answered.n);
    put_format(&paragraph, ": %s rank%s, looked at%s.", NUMBER(answered.n_ranks), answered.n_ranks == 1 ? "" : "s",
               times);
    end_paragraph(&paragraph);
}

/* Who has moved. */

static void put_moved(struct paragraph *paragraph, const struct source *source, const struct source_job *job,
                      bool moved)
{
    OWNED long *ranks = allocate_array(job->end - job->first, sizeof *ranks);
    const struct source_change *first = &source->changes[job->first];
    bool is_only = job->first == 0 && job->end == source->n_changes;
    OWNED char *phrase = NULL, *name = say_of_job(is_only ? "" : first->job, job->shares_name ? first->user : -1);
    size_t n = 0;

    for (size_t i = job->first; i < job->end; i++)
        if (source->changes[i].moved == moved)
            ranks[n++] = source->changes[i].rank;
    n = ranks_sort(ranks, n);
    phrase = ranks_phrase(ranks, n, "", "");
    if (n > 0)
        put_format(paragraph, " Since then %s%s %s%s moved.", phrase, name, n == 1 ? "has" : "have",
                   moved ? "" : " not");
}

static void put_changes(struct paragraph *paragraph, const struct source *source)
{
    for (size_t first = 0; first < source->n_changes;) {
        struct source_job job = source_job_at(source, first);

        put_moved(paragraph, source, &job, true);
        put_moved(paragraph, source, &job, false);
        first = job.end;
    }
}

/* One paragraph about all sources together; nothing if no rank is in several. */
static void print_all_changes(const struct looks *looks)
{
    RELEASED_BY(source_clear_changes) struct source all = {0};
    struct paragraph paragraph;

    for (size_t i = 0; i < looks->n; i++)
        for (size_t k = 0; k < looks->sources[i].n_changes; k++)
            source_add_change(&all, looks->sources[i].changes[k]);
    if (all.n_changes == 0)
        return;
    source_sort_changes(&all);
    paragraph = start_paragraph(looks->to, 0, 2);
    put_text(&paragraph, "Some ranks were looked at before.");
    put_changes(&paragraph, &all);
    end_paragraph(&paragraph);
}

static void print_hosts(const struct looks *looks)
{
    print_answered(looks);
    print_groups(looks, say_problem);
    print_groups(looks, say_empty);
    print_groups(looks, say_version);
    print_all_changes(looks);
}

/* Records. */

/* "2024-05-31T17:08:59.123456Z" as "2024-05-31 17:08:59 UTC" */
static char *say_time(const char *taken)
{
    const char *clock = strchr(taken, 'T');

    return clock != NULL ? format_text("%.*s %.8s UTC", (int)(clock - taken), taken, clock + 1) : copy_string("?");
}

static void print_record(FILE *to, const struct source *source)
{
    struct paragraph paragraph = start_paragraph(to, 0, 2);

    put_text(&paragraph, "Record ");
    put_name(&paragraph, source->file);
    put_text(&paragraph, ":");
    if (*source->taken != '\0') {
        OWNED char *time = say_time(source->taken);

        put_format(&paragraph, " taken%s%s, %s.", source->host != NULL ? " on " : "",
                   source->host != NULL ? source->host : "", time);
    }
    if (source->problem != NULL)
        put_format(&paragraph, " It is not complete: %s.", source->problem);
    put_changes(&paragraph, source);
    end_paragraph(&paragraph);
}

void sources_print(FILE *to, const struct source *sources, size_t n, const struct witness *witnesses,
                   size_t n_witnesses)
{
    const struct looks looks = {to, sources, n, witnesses, n_witnesses};

    if (sources_are_hosts(sources, n)) {
        print_hosts(&looks);
    } else {
        for (size_t i = 0; i < n; i++)
            print_record(to, &sources[i]);
    }
    if (n > 0)
        putc('\n', to);
}

/* Doubts. */

static void doubt_record(const struct source *source, struct explanation *explanation)
{
    const char *host = source->host;

    explanation->verdict.unclear = true;
    explanation_add_note(explanation, format_text("The record %s is not complete: %s. Ranks%s%s may be missing.", source->file,
                                          source->problem, host != NULL ? " of " : "", host != NULL ? host : ""));
}

/* Ranks of some machines may be missing: of those that have a problem and no rank with one. */
static void doubt_hosts(const struct looks *looks, struct explanation *explanation)
{
    OWNED bool *are_known = allocate_array(looks->n + 1, sizeof *are_known);
    OWNED const char **hosts = allocate_array(looks->n + 1, sizeof *hosts);
    size_t n_hosts = 0;

    for (size_t i = 0; i < looks->n_witnesses; i++)
        are_known[looks->witnesses[i].look] |= is_unread(&looks->witnesses[i]) &&
                                               looks->witnesses[i].listing->rank >= 0;
    for (size_t i = 0; i < looks->n; i++) {
        explanation->verdict.unclear |= looks->sources[i].problem != NULL;
        if (looks->sources[i].problem != NULL && !are_known[i])
            hosts[n_hosts++] = name_of(&looks->sources[i]);
    }
    if (n_hosts > 0) {
        OWNED char *list = host_phrase_list(hosts, n_hosts, MAX_LIST);

        explanation_add_note(explanation, format_text("Of %s not all is known: ranks may be missing.", list));
    }
}

/* What was cut may have been what refutes that nothing is wrong. */
void sources_doubt(const struct source *sources, size_t n, const struct witness *witnesses, size_t n_witnesses,
                   struct explanation *explanation)
{
    if (sources != NULL && sources_are_hosts(sources, n)) {
        doubt_hosts(&(struct looks){NULL, sources, n, witnesses, n_witnesses}, explanation);
    } else {
        for (size_t i = 0; i < n && sources != NULL; i++)
            if (sources[i].problem != NULL)
                doubt_record(&sources[i], explanation);
    }
}
