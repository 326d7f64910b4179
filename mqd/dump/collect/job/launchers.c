/*
 * launchers.c - the launchers of MPI jobs: their names, the arguments of their daemons, and the namespaces of their jobs.
 */
#include "mqd/dump/collect/job/launchers.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/job/job_hosts.h"

/* Names. */

static const struct launcher {
    const char *name;
    bool is_daemon;
    const char *hosts;             /* its option for the hosts of what it starts; NULL: the last word before that is one */
    const char *name_parameter;    /* of a daemon: which of its parameters is the launcher's namespace; NULL: none */
} launchers[] = {
    {.name = "mpirun"}, {.name = "mpiexec"}, {.name = "orterun"}, {.name = "oshrun"}, {.name = "prun"},
    {.name = "prterun"}, {.name = "prte"}, {.name = "srun", .hosts = "--nodelist="},
    {.name = "orted", .is_daemon = true, .name_parameter = "ess_base_jobid"},
    {.name = "prted", .is_daemon = true, .name_parameter = "ess_base_nspace"},
    {.name = "slurmstepd", .is_daemon = true},
};
enum { N_LAUNCHERS = sizeof launchers / sizeof *launchers };

static const struct launcher *find(const char *name)
{
    for (size_t i = 0; i < N_LAUNCHERS; i++)
        if (strcmp(name, launchers[i].name) == 0)
            return &launchers[i];
    return NULL;
}

bool launcher_is_command(const char *name)
{
    const struct launcher *launcher = find(name);

    return launcher != NULL && !launcher->is_daemon;
}

bool launcher_is_daemon(const char *name)
{
    const struct launcher *launcher = find(name);

    return launcher != NULL && launcher->is_daemon;
}

/* Arguments. */

/* A word of a command line for a shell ends at one of these. */
static const char separators[] = " \t;\"'";

static bool ends_word(char character)
{
    return character == '\0' || strchr(separators, character) != NULL;
}

/* Where that word is in a text; a path may be before it, if `in_path`. NULL: nowhere. */
static const char *find_word(const char *text, const char *word, bool in_path)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + length, word))
        if ((at == text || ends_word(at[-1]) || (in_path && at[-1] == '/')) && ends_word(at[length]))
            return at;
    return NULL;
}

/* Is the program of a daemon with parameters one of the words? */
static bool names_daemon(const char *argument)
{
    return ANY(i, N_LAUNCHERS, launchers[i].name_parameter != NULL &&
               find_word(argument, launchers[i].name, true) != NULL);
}

/* The hosts in the arguments before the daemon, the last of which is `last`: "HOST" or "USER@HOST", or an option. */
static char *hosts_before(const char *block, const char *daemon, const char *last)
{
    const char *at = strrchr(last, '@'), *name = at != NULL ? at + 1 : last;
    const struct launcher *launcher = find(name_of_path(block));

    if (launcher == NULL || launcher->hosts == NULL)
        return last != block && host_name_is_valid(name) ? copy_string(name) : NULL;
    for (const char *word = block; word < daemon; word += strlen(word) + 1)
        if (name_begins_with(word, launcher->hosts))
            return copy_string(word + strlen(launcher->hosts));
    return NULL;
}

/* All arguments from the daemon's program on, as one text. */
static char *join(const char *from, const char *end)
{
    size_t n = (size_t)(end - from);
    char *text = allocate_array(n + 1, 1);

    memcpy(text, from, n);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    return text;
}

/* The value of a parameter, "NAME VALUE" or "NAME "VALUE"", for free(). */
static char *parameter(const char *text, const char *name)
{
    const char *value = find_word(text, name, false);

    if (value == NULL || value[strlen(name)] == '\0')
        return NULL;
    value += strlen(name);
    value += strspn(value, separators);
    return format_text("%.*s", (int)strcspn(value, separators), value);
}

static char *namespace_of(const char *text)
{
    for (size_t i = 0; i < N_LAUNCHERS; i++) {
        OWNED char *value = launchers[i].name_parameter != NULL ? parameter(text, launchers[i].name_parameter) : NULL;

        if (value != NULL && job_name_is_valid(value))
            return TAKEN(value);
    }
    return NULL;
}

bool daemon_arguments_read(struct daemon_arguments *arguments, const char *block, size_t n)
{
    const char *end = block + n, *daemon = block, *last = block;
    OWNED char *text = NULL, *number = NULL;
    int64_t n_daemons;

    *arguments = (struct daemon_arguments){0};
    for (; daemon < end && !names_daemon(daemon); daemon += strlen(daemon) + 1)
        last = daemon;
    if (daemon >= end)
        return false;
    text = join(daemon, end);
    number = parameter(text, "ess_base_num_procs");
    n_daemons = number != NULL ? number_of(number, MAX_JOB_HOSTS) : 0;
    *arguments = (struct daemon_arguments){.hosts = hosts_before(block, daemon, last), .name = namespace_of(text),
                                           .n_daemons = n_daemons > 0 ? (long)n_daemons : 0};
    return true;
}

void daemon_arguments_clear(struct daemon_arguments *arguments)
{
    FREE_ALL(arguments->hosts, arguments->name);
    *arguments = (struct daemon_arguments){0};
}

/* Namespaces. */

enum { LOCAL_BITS = 16 };

bool job_name_is_valid(const char *name)
{
    enum { MAX_JOB_NAME = 255 };
    size_t n = 0;

    for (; name[n] != '\0' && n <= MAX_JOB_NAME; n++)
        if ((unsigned char)name[n] < ' ' || name[n] == '\x7f')
            return false;
    return n > 0 && n <= MAX_JOB_NAME;
}

/* The bytes before the last "@"; 0: there is none, or nothing before it. */
static size_t launcher_length(const char *name)
{
    const char *at = strrchr(name, '@');

    return at != NULL ? (size_t)(at - name) : 0;
}

bool job_family_is_one(const char *name, const char *other)
{
    int64_t number = number_of(name, UINT32_MAX), other_number = number_of(other, UINT32_MAX);
    size_t n = launcher_length(name);

    if (number >= 0 && other_number >= 0)
        return number >> LOCAL_BITS == other_number >> LOCAL_BITS;
    return n > 0 && launcher_length(other) == n && strncmp(name, other, n) == 0;
}

char *job_family_first(const char *name)
{
    int64_t number = number_of(name, UINT32_MAX);
    size_t n = launcher_length(name);

    if (number >= 0)
        return format_text("%" PRId64, (number >> LOCAL_BITS << LOCAL_BITS) + 1);
    return n > 0 ? format_text("%.*s@1", (int)n, name) : NULL;
}
