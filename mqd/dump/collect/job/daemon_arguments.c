/*
 * daemon_arguments.c - what the arguments of a command say that starts daemons of Open MPI's launcher, or of a daemon.
 */
#include "mqd/dump/collect/job/daemon_arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/job/launcher_table.h"

/* A word of a command line for a shell ends at one of these. */
static const char separators[] = " \t;\"'";

static const char *next_argument(const char *argument, const char *end)
{
    argument += strlen(argument) + 1;
    return argument < end ? argument : NULL;
}

/* Is the daemon's program one of the words? */
static bool names_daemon(const char *argument)
{
    static const char *const programs[] = {"orted", "prted"};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        size_t length = strlen(programs[i]);

        for (const char *at = strstr(argument, programs[i]); at != NULL; at = strstr(at + length, programs[i]))
            if ((at == argument || at[-1] == '/' || strchr(separators, at[-1]) != NULL) &&
                (at[length] == '\0' || strchr(separators, at[length]) != NULL))
                return true;
    }
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The value of srun's option for hosts. */
static char *node_list(const char *block, const char *end)
{
    static const char option[] = "--nodelist=";

    for (const char *argument = block; argument != NULL && argument < end; argument = next_argument(argument, end))
        if (strncmp(argument, option, sizeof option - 1) == 0)
            return copy_string(argument + sizeof option - 1);
    return NULL;
}

/* "HOST" or "USER@HOST". */
static char *host_of(const char *argument)
{
    const char *at = strrchr(argument, '@'), *name = at != NULL ? at + 1 : argument;

    return host_name_is_valid(name) ? copy_string(name) : NULL;
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
    size_t length = strlen(name);

    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + length, name)) {
        const char *value = at + length;

        if (at == text || strchr(separators, at[-1]) == NULL || *value == '\0' || strchr(separators, *value) == NULL)
            continue;
        value += strspn(value, separators);
        return format_text("%.*s", (int)strcspn(value, separators), value);
    }
    return NULL;
}

static char *namespace_of(const char *text)
{
    static const char *const names[] = {"ess_base_nspace", "ess_base_jobid"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED char *value = parameter(text, names[i]);

        if (value != NULL && job_name_is_valid(value))
            return TAKEN(value);
    }
    return NULL;
}

static long count_daemons(const char *text)
{
    OWNED char *value = parameter(text, "ess_base_num_procs");
    char *end;
    long n;

    if (value == NULL || !isdigit((unsigned char)*value))
        return 0;
    errno = 0;
    n = strtol(value, &end, 10);
    return errno == 0 && *end == '\0' && n <= MAX_JOB_HOSTS ? n : 0;
}

bool daemon_arguments_read(struct daemon_arguments *arguments, const char *block, size_t n)
{
    const char *end = block + n, *daemon = n > 0 ? block : NULL, *before = NULL;
    OWNED char *text = NULL;

    *arguments = (struct daemon_arguments){0};
    while (daemon != NULL && !names_daemon(daemon)) {
        before = daemon;
        daemon = next_argument(daemon, end);
    }
    if (daemon == NULL)
        return false;
    if (strcmp(base_name(block), "srun") == 0)
        arguments->hosts = node_list(block, daemon);
    else if (before != NULL && before != block)
        arguments->hosts = host_of(before);
    text = join(daemon, end);
    arguments->name = namespace_of(text);
    arguments->n_daemons = count_daemons(text);
    return true;
}

void daemon_arguments_clear(struct daemon_arguments *arguments)
{
    FREE_ALL(arguments->hosts, arguments->name);
    *arguments = (struct daemon_arguments){0};
}
