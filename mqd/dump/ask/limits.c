/*
 * limits.c - what a collector may spend, as users say it.
 */
#include "mqd/dump/ask/limits.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"

/*
 * A look at 64 ranks takes two seconds and 100 MiB, and some more if programs have much debug information. One rank
 * with a million messages takes a gigabyte. Slow machines and large programs take a multiple.
 */
static const uint64_t memory_at_least = 2ULL << 30, memory_each = 64ULL << 20;
static const uint64_t cpu_at_least = 60, cpu_each = 2, time_at_least = 120, time_each = 4;

/*
 * However many processes say that they are of a job: whoever wants to see it must not wait for those of others longer
 * than this.
 */
static const uint64_t cpu_of_question = 30;

/* A look takes a few seconds; connections, and file servers from which programs come, take some more. */
static const uint64_t host_seconds = 60;

/* A healthy rank needs some kilobytes. A machine that needs more than this has millions of messages. */
static const uint64_t host_memory = 2ULL << 30;

/* Files of its own, of the processes where their memory is a file, and one at a time of those that are read. */
static const uint64_t files_at_least = 64, files_each = 2;

static const char *const units = "KMGT";

static bool fail(char **why, const char *text)
{
    OWNED char *safe = printable(text, 0);

    set_reason(why, "--limit is memory=SIZE, cpu=SECONDS, time=SECONDS or host=SECONDS, with a positive number (and K, "
                    "M, G or T for a size) or none, not '%s'", safe);
    return false;
}

static bool read_number(const char *text, bool is_size, uint64_t *number)
{
    const char *unit;
    char *end;

    *number = 0;
    if (strcmp(text, "none") == 0)
        return true;
    errno = 0;
    *number = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (*number == 0 || *number > INT64_MAX / 1024 || errno != 0)
        return false;
    unit = is_size && *end != '\0' ? strchr(units, toupper((unsigned char)*end++)) : NULL;
    for (const char *at = units; unit != NULL && at <= unit; at++) {
        if (*number > INT64_MAX / 1024)
            return false;
        *number *= 1024;
    }
    return *end == '\0' && (unit != NULL || isdigit((unsigned char)end[-1]));
}

bool limit_read(struct limit_choice *choice, const char *text, char **why)
{
    const struct {
        const char *name;
        bool is_size;
        struct limit *limit;
    } rows[] = {
        {"memory=", true, &choice->memory},
        {"cpu=", false, &choice->cpu},
        {"time=", false, &choice->time},
        {"host=", false, &choice->host},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].name);

        if (strncmp(text, rows[i].name, length) != 0)
            continue;
        rows[i].limit->is_set = true;
        return read_number(text + length, rows[i].is_size, &rows[i].limit->value) || fail(why, text);
    }
    return fail(why, text);
}

static uint64_t chosen(const struct limit *limit, uint64_t otherwise)
{
    return limit->is_set ? limit->value : otherwise;
}

struct limits limits_of(const struct limit_choice *choice, size_t n, bool is_other)
{
    return (struct limits){.memory = chosen(&choice->memory, memory_at_least + n * memory_each),
                           .cpu_seconds = chosen(&choice->cpu, cpu_at_least + n * cpu_each),
                           .n_files = files_at_least + n * files_each,
                           .file_bytes = is_other ? 1 : 0};
}

struct limits limits_of_question(const struct limit_choice *choice, size_t n, bool is_other)
{
    struct limits limits = limits_of(choice, n, is_other);

    if (limits.cpu_seconds == 0 || limits.cpu_seconds > cpu_of_question)
        limits.cpu_seconds = cpu_of_question;
    return limits;
}

double limit_seconds(const struct limit_choice *choice, size_t n)
{
    return (double)chosen(&choice->time, time_at_least + n * time_each);
}

double limit_host_seconds(const struct limit_choice *choice)
{
    return (double)chosen(&choice->host, host_seconds);
}

uint64_t limit_host_memory(const struct limit_choice *choice)
{
    return chosen(&choice->memory, host_memory);
}

uint64_t limit_all_memory(const struct limit_choice *choice)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    bool is_limited = chosen(&choice->memory, 1) > 0;

    return is_limited && pages > 0 && size > 0 ? (uint64_t)pages / 2 * (uint64_t)size : 0;
}
