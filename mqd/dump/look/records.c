/*
 * records.c - several records as one report.
 */
#include "mqd/dump/look/records.h"

#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/text/hosts.h"

/* What nothing is known of has nothing. */
static bool is_known(const struct record_look *look)
{
    return look->taken[0] != '\0';
}

struct record_content records_content(const struct records *records)
{
    enum { N = sizeof(struct record_content) / sizeof(bool) };
    struct record_content content;
    bool *has = (bool *)&content;

    for (size_t k = 0; k < N; k++)
        has[k] = !records->now;
    for (size_t i = 0; i < records->n_looks; i++) {
        const bool *of_look = (const bool *)&records->looks[i]->has;

        for (size_t k = 0; k < N && is_known(records->looks[i]); k++)
            has[k] = records->now ? has[k] || of_look[k] : has[k] && of_look[k];
    }
    return content;
}

struct record_statistics records_statistics(const struct records *records)
{
    struct record_statistics all = {0};

    for (size_t i = 0; i < records->n; i++) {
        all.n_reads += records->records[i].statistics.n_reads;
        all.n_bytes += records->records[i].statistics.n_bytes;
    }
    return all;
}

static void doubt_look(const struct source *source, struct verdict *verdict)
{
    const char *host = source->host;

    verdict->unclear = true;
    verdict_add_note(verdict, format_text("The record %s is not complete: %s. Ranks%s%s may be missing.", source->file,
                                          source->problem, host != NULL ? " of " : "", host != NULL ? host : ""));
}

/*
 * What was cut may have been what refutes that nothing is wrong. Of a look that was taken just now on this machine it
 * is known which processes are missing: they are there with a reason.
 */
void records_doubt(const struct records *records, struct verdict *verdict)
{
    if (records->sources == NULL)
        return;
    if (hosts_are_told(records->sources, records->n_looks)) {
        hosts_doubt(records->sources, records->n_looks, records->witnesses, records->n_witnesses, verdict);
        return;
    }
    for (size_t i = 0; i < records->n_looks; i++)
        if (records->sources[i].problem != NULL)
            doubt_look(&records->sources[i], verdict);
}

/* Hosts. */

/* Is it another one than the first that was seen? */
static bool differs(const char **first, const char *host)
{
    if (host == NULL || *first == host)
        return false;
    if (*first == NULL)
        *first = host;
    return strcmp(*first, host) != 0;
}

static bool has_several_hosts(const struct records *records)
{
    const char *first = NULL;

    for (size_t i = 0; i < records->n_witnesses; i++)
        if (differs(&first, records->witnesses[i].host))
            return true;
    for (size_t i = 0; records->sources != NULL && i < records->n_looks; i++)
        if (differs(&first, records->sources[i].host))
            return true;
    return false;
}

void records_name_hosts(struct records *records)
{
    bool several = has_several_hosts(records);

    for (size_t i = 0; i < records->n_witnesses; i++)
        records->listings[i]->host = several ? records->witnesses[i].host : NULL;
}

void records_clear(struct records *records)
{
    for (size_t i = 0; i < records->n_looks && records->sources != NULL; i++)
        source_clear_changes(&records->sources[i]);
    for (size_t i = 0; i < records->n; i++)
        record_clear(&records->records[i]);
    record_pool_clear(&records->pool);
    FREE_ALL(records->records, records->looks, records->sources, records->witnesses, records->listings);
    *records = (struct records){0};
}
