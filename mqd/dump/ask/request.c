/*
 * request.c - what a collector is asked for: the arguments of "mqdump --collect".
 */
#include "mqd/dump/ask/request.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

static const char *const tasks[] = {
    [REQUEST_LOOK] = "look", [REQUEST_PROBE] = "probe", [REQUEST_TABLE] = "table", [REQUEST_PMIX] = "pmix"};

/* Members that are true or false, and their options. */
static const struct {
    const char *option;
    size_t offset;
} flags[] = {
    {"why", offsetof(struct request, wish.why)},
    {"internal", offsetof(struct request, wish.internal)},
    {"layout", offsetof(struct request, wish.layout)},
    {"queues", offsetof(struct request, wish.queues)},
    {"no-stop", offsetof(struct request, wish.no_stop)},
    {"needs-why", offsetof(struct request, wish.needs_why)},
    {"thorough", offsetof(struct request, thorough)},
    {"stacks", offsetof(struct request, wish.stacks)},
};
enum { N_FLAGS = sizeof flags / sizeof *flags };

/* Writing. */

struct list {
    char **texts;
    size_t n, room;
};

/* NULL is left out. */
static void add(struct list *list, char *text)
{
    list->texts = grow_array(list->texts, list->n, &list->room, sizeof *list->texts);
    list->texts[list->n++] = text;
}

static void add_option(struct list *list, const char *option, const char *value)
{
    if (value != NULL)
        add(list, format_text("--%s=%s", option, value));
}

static void add_limits(struct list *list, const struct limits *limits)
{
    add(list, format_text("--limits=%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64, limits->memory, limits->cpu_seconds,
                          limits->n_files, limits->file_bytes));
}

char **request_arguments(const struct request *request)
{
    struct list list = {0};

    add(&list, format_text(COLLECT_OPTION "=%s", tasks[request->task]));
    add_option(&list, "owner", request->owner);
    add_limits(&list, &request->limits);
    add_option(&list, "dll", request->wish.dll);
    add_option(&list, "sysroot", request->wish.sysroot);
    add_option(&list, "server", request->server);
    for (size_t i = 0; i < request->wish.n_executables; i++)
        add_option(&list, "exe", request->wish.executables[i]);
    for (size_t i = 0; i < N_FLAGS; i++)
        if (*(const bool *)((const char *)request + flags[i].offset))
            add(&list, format_text("--%s", flags[i].option));
    if (request->n_cores > 0)
        add(&list, copy_string("--cores"));
    add(&list, copy_string("--"));
    for (size_t i = 0; i < request->n_processes; i++)
        add(&list, format_text("%d:%" PRIu64, (int)request->processes[i].pid, request->processes[i].start));
    for (size_t i = 0; i < request->n_cores; i++)
        add(&list, copy_string(request->cores[i]));
    add(&list, NULL);
    return list.texts;
}

void request_arguments_free(char **arguments)
{
    for (size_t i = 0; arguments != NULL && arguments[i] != NULL; i++)
        free(arguments[i]);
    free(arguments);
}

/* Reading. */

static bool read_task(struct request *request, const char *name)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (strcmp(name, tasks[i]) != 0)
            continue;
        request->task = (enum request_task)i;
        return true;
    }
    return false;
}

static bool read_limits(struct limits *limits, const char *text)
{
    int length = 0;

    return sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu64 "%n", &limits->memory, &limits->cpu_seconds,
                  &limits->n_files, &limits->file_bytes, &length) == 4 && text[length] == '\0';
}

static bool add_process(struct request *request, const char *text)
{
    struct process_id id = {0};
    int length = 0;

    if (sscanf(text, "%d:%" SCNu64 "%n", &id.pid, &id.start, &length) != 2 || text[length] != '\0' || id.pid <= 0)
        return false;
    request->processes[request->n_processes++] = id;
    return true;
}

static bool read_operands(struct request *request, int n, char **operands, bool are_cores, char **why)
{
    for (int i = 0; i < n; i++) {
        if (are_cores)
            request->cores[request->n_cores++] = operands[i];
        else if (!add_process(request, operands[i]))
            return set_reason(why, "'%s' is no process with its start time", operands[i]);
    }
    return true;
}

static bool read_option(struct request *request, int option, char *value, bool *are_cores)
{
    switch (option) {
    case 'c':
        return read_task(request, value);
    case 'o':
        request->owner = value;
        return true;
    case 'l':
        return read_limits(&request->limits, value);
    case 'd':
        request->wish.dll = value;
        return true;
    case 's':
        request->wish.sysroot = value;
        return true;
    case 'p':
        request->server = value;
        return true;
    case 'e':
        request->wish.executables[request->wish.n_executables++] = value;
        return true;
    case 'k':
        *are_cores = true;
        return true;
    default:
        if (option < UCHAR_MAX + 1 || option >= UCHAR_MAX + 1 + N_FLAGS)
            return false;
        *(bool *)((char *)request + flags[option - UCHAR_MAX - 1].offset) = true;
        return true;
    }
}

bool request_read(struct request *request, int argc, char **argv, char **why)
{
    struct option options[N_FLAGS + 9] = {
        {"collect", required_argument, NULL, 'c'}, {"owner", required_argument, NULL, 'o'},
        {"limits", required_argument, NULL, 'l'},  {"dll", required_argument, NULL, 'd'},
        {"sysroot", required_argument, NULL, 's'}, {"exe", required_argument, NULL, 'e'},
        {"cores", no_argument, NULL, 'k'},         {"server", required_argument, NULL, 'p'},
    };
    bool are_cores = false;
    int option;

    for (size_t i = 0; i < N_FLAGS; i++)
        options[8 + i] = (struct option){flags[i].option, no_argument, NULL, UCHAR_MAX + 1 + (int)i};
    *request = (struct request){.processes = allocate_array((size_t)argc, sizeof *request->processes),
                                .cores = allocate_array((size_t)argc, sizeof *request->cores),
                                .wish.executables = allocate_array((size_t)argc, sizeof *request->wish.executables)};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!read_option(request, option, optarg, &are_cores))
            return set_reason(why, "these are no arguments for a collector");
    return read_operands(request, argc - optind, argv + optind, are_cores, why);
}

void request_clear(struct request *request)
{
    free(request->processes);
    free(request->cores);
    free(request->wish.executables);
    *request = (struct request){0};
}
