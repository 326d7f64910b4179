/*
 * name_hosts.c - says of ranks on which machine they are, where that tells anything.
 */
#include "mqd/dump/choose/name_hosts.h"

#include <string.h>

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

void name_hosts(struct records *records)
{
    bool several = has_several_hosts(records);

    for (size_t i = 0; i < records->n_witnesses; i++)
        records->listings[i]->host = several ? records->witnesses[i].host : NULL;
}
