/*
 * node_regex.c - the nodes of a job as the launcher and the daemons of Open MPI up to 4.1 write them.
 */
#include "mqd/dump/collect/job/node_regex.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"

enum { MAX_NUMBER = INT_MAX - 1 };

/* Which nodes have daemons: `left` more of this kind, and then what `at` says. */
struct daemons {
    const char *at;
    long left;
    bool have;
};

struct reading {
    const char *at;
    struct daemons daemons;
    struct host_list found;
    size_t n;                      /* nodes, also those without a daemon */
};

static bool take(const char **at, char character)
{
    if (**at != character)
        return false;
    (*at)++;
    return true;
}

static bool take_number(const char **at, long *number)
{
    char *end;

    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *number = strtol(*at, &end, 10);
    *at = end;
    return errno == 0 && *number <= MAX_NUMBER;
}

/* A range of daemons is "FIRST" or "FIRST(N)"; the first one of those that are not there is written as -1. */
static bool next_range(struct daemons *daemons)
{
    long first;

    daemons->have = !take(&daemons->at, '-');
    if (!take_number(&daemons->at, &first))
        return false;
    daemons->left = 1;
    if (take(&daemons->at, '(') && (!take_number(&daemons->at, &daemons->left) || !take(&daemons->at, ')')))
        return false;
    take(&daemons->at, ',');
    return daemons->left > 0;
}

static bool add(struct reading *reading, const char *name)
{
    if (++reading->n > MAX_LISTED_HOSTS || !host_name_is_valid(name) ||
        (reading->daemons.left == 0 && !next_range(&reading->daemons)))
        return false;
    reading->daemons.left--;
    if (reading->daemons.have)
        host_list_add(&reading->found, name);
    return true;
}

/* Adds what "[DIGITS:FIRST-LAST,...]" stands for. `at` is behind the bracket, the suffix behind the other one. */
static bool add_numbers(struct reading *reading, const char *prefix, int prefix_length, const char *suffix)
{
    int suffix_length = (int)strcspn(suffix, ",@");
    long digits, first, last;

    if (!take_number(&reading->at, &digits) || digits > MAX_HOST_NAME || !take(&reading->at, ':'))
        return false;
    do {
        if (!take_number(&reading->at, &first))
            return false;
        last = first;
        if (take(&reading->at, '-') && (!take_number(&reading->at, &last) || last < first))
            return false;
        for (long i = first; i <= last; i++) {
            OWNED char *name =
                format_text("%.*s%0*ld%.*s", prefix_length, prefix, (int)digits, i, suffix_length, suffix);

            if (!add(reading, name))
                return false;
        }
    } while (take(&reading->at, ','));
    if (!take(&reading->at, ']'))
        return false;
    reading->at += suffix_length;
    return true;
}

static bool add_item(struct reading *reading)
{
    const char *prefix = reading->at, *end;
    int length = (int)strcspn(prefix, "[,@");
    OWNED char *name = NULL;

    reading->at += length;
    if (take(&reading->at, '[')) {
        end = strchr(reading->at, ']');
        return end != NULL && add_numbers(reading, prefix, length, end + 1);
    }
    name = format_text("%.*s", length, prefix);
    return add(reading, name);
}

bool node_regex_read(struct host_list *list, const char *text)
{
    const char *daemons = strchr(text, '@');
    struct reading reading = {.at = text};
    bool good = daemons != NULL;

    reading.daemons.at = good ? daemons + 1 : "";
    while (good) {
        good = add_item(&reading);
        if (!take(&reading.at, ','))
            break;
    }
    good = good && reading.at == daemons && reading.daemons.left == 0 && *reading.daemons.at == '\0';
    for (size_t i = 0; good && i < reading.found.n; i++)
        host_list_add(list, reading.found.names[i]);
    host_list_clear(&reading.found);
    return good;
}
