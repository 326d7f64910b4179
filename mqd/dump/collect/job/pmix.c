/*
 * pmix.c - the PMIx servers of launchers: where they listen for tools, and what they say of their jobs.
 */
#include "mqd/dump/collect/job/pmix.h"

#include "config.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_PMIX
#include <pmix_tool.h>
#endif

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/collect/job/launchers.h"
#include "mqd/dump/collect/target/proc.h"

/* Where a server listens. */

enum {
    MAX_LINE = 1024                /* a namespace of 255 bytes and an address */
};

struct search {
    char *root;                    /* of the process's file system, as seen from here */
    char pid[16];                  /* as the process itself knows it */
    uid_t user;
    struct timespec newest;        /* of the files that were found */
    char *line;
};

bool pmix_address_is_valid(const char *line)
{
    static const char characters[] = ALPHANUMERIC "@._:;/%+=,~[]-";
    const char *address = strchr(line, ';');

    return address != NULL && line[strspn(line, characters)] == '\0' && strlen(line) < MAX_LINE && *line != '-' &&
           memchr(line, '.', (size_t)(address - line)) != NULL &&
           (strncmp(address, ";tcp4://", 8) == 0 || strncmp(address, ";tcp6://", 8) == 0);
}

char *pmix_namespace(const char *line)
{
    size_t n = strcspn(line, ";");

    while (n > 0 && line[n - 1] != '.')
        n--;
    return format_text("%.*s", n > 0 ? (int)n - 1 : 0, line);
}

/* The last number of a line of numbers: what a process in a container calls itself. */
static bool find_own_pid(struct search *search, const char *status)
{
    const char *line = proc_status_value(status, "NSpid");
    size_t n = line != NULL ? strcspn(line, "\n") : 0, digits = 0;

    while (digits < n && strchr("0123456789", line[n - digits - 1]) != NULL)
        digits++;
    if (digits == 0 || digits >= sizeof search->pid)
        return false;
    snprintf(search->pid, sizeof search->pid, "%.*s", (int)digits, line + n - digits);
    return true;
}

static bool is_newer(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec != than->tv_sec ? time->tv_sec > than->tv_sec : time->tv_nsec > than->tv_nsec;
}

static bool is_of_user(const char *path, uid_t user)
{
    struct stat info;

    return stat(path, &info) == 0 && info.st_uid == user;
}

/* Another process may have had the pid before, and left its file. */
static void take_file(struct search *search, const char *path)
{
    OWNED char *why = NULL, *session = format_text("%.*s", (int)(strrchr(path, '/') - path), path);
    char text[MAX_LINE + 1] = "";
    int file = is_of_user(session, search->user) ? plain_file_open(search->root, path + strlen(search->root), &why) : -1;
    struct stat info;

    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && info.st_uid == search->user &&
        (search->line == NULL || is_newer(&info.st_mtim, &search->newest)) && read(file, text, sizeof text - 1) > 0) {
        text[strcspn(text, "\n")] = '\0';
        if (pmix_address_is_valid(text)) {
            free(search->line);
            search->line = copy_string(text);
            search->newest = info.st_mtim;
        }
    }
    close(file);
}

/* Each character means itself. */
static char *without_meaning(const char *path)
{
    char *text = allocate_array(2 * strlen(path) + 1, 1), *to = text;

    for (; *path != '\0'; path++) {
        if (strchr("*?[\\", *path) != NULL)
            *to++ = '\\';
        *to++ = *path;
    }
    return text;
}

/* Names of sessions have several parts, which are divided by ".": one of them is the pid. */
static void search_sessions(struct search *search, const char *temporary)
{
    static const char *const after_pid[] = {"", ".*"};
    OWNED char *path = format_text("%s%s", search->root, temporary), *directory = without_meaning(path);

    for (size_t i = 0; i < sizeof after_pid / sizeof *after_pid; i++) {
        OWNED char *pattern =
            format_text("%s/*.%s%s/pmix.*.tool.%s", directory, search->pid, after_pid[i], search->pid);
        RELEASED_BY(globfree) glob_t found = {0};

        if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            take_file(search, found.gl_pathv[k]);
    }
}

/* Where PMIx makes temporary files. */
static char *temporary_directory(const char *directory)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    size_t size;
    OWNED char *block = proc_read_strings(directory, "environ", &size);

    for (size_t i = 0; block != NULL && i < sizeof names / sizeof *names; i++) {
        const char *value = proc_environment_value(block, size, names[i]);

        if (value != NULL && *value == '/')
            return copy_string(value);
    }
    return copy_string("/tmp");
}

static bool know_process(struct search *search, const char *directory)
{
    OWNED char *text = proc_read("%s/status", directory);
    struct proc_status status;
    bool good = text != NULL && proc_parse_status(text, &status) && find_own_pid(search, text);

    if (good)
        search->user = status.user;
    return good;
}

char *pmix_find(const char *directory, char **why)
{
    OWNED char *root = format_text("%s/root", directory), *temporary = temporary_directory(directory);
    struct search search = {.root = root};

    if (!know_process(&search, directory))
        set_reason(why, "its status cannot be read");
    else
        search_sessions(&search, temporary);
    if (search.line == NULL)
        set_reason(why, "it has left no file for tools below %s", temporary);
    return search.line;
}

/* What it says. */

#ifdef HAVE_PMIX

/* The name of the library in all releases from 2 to 6 of PMIx; the functions and structures used here are the same. */
static const char library[] = "libpmix.so.2";

struct tool {
    pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t);
    pmix_status_t (*finalize)(void);
    pmix_status_t (*query)(pmix_query_t *, size_t, pmix_info_t **, size_t *);
    const char *(*text)(pmix_status_t);
    pmix_proc_t self;
    char *server;                  /* its namespace */
};

/* ISO C does not convert object pointers to function pointers; POSIX demands that both have the same bytes. */
static bool find(void *handle, const char *name, void *function_pointer)
{
    void *address = dlsym(handle, name);

    memcpy(function_pointer, &address, sizeof address);
    return address != NULL;
}

static bool load(struct tool *tool, char **why)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL)
        return set_reason(why, "PMIx's library cannot be loaded: %s", dlerror());
    return (find(handle, "PMIx_tool_init", &tool->init) && find(handle, "PMIx_tool_finalize", &tool->finalize) &&
            find(handle, "PMIx_Query_info", &tool->query) && find(handle, "PMIx_Error_string", &tool->text)) ||
           set_reason(why, "PMIx's library %s lacks functions for tools", library);
}

static pmix_info_t text_info(const char *key, char *value)
{
    pmix_info_t info;

    memset(&info, 0, sizeof info);
    memcpy(info.key, key, strlen(key));
    info.value.type = PMIX_STRING;
    info.value.data.string = value;
    return info;
}

static bool start(struct tool *tool, const char *line, char **why)
{
    OWNED char *copy = copy_string(line);
    pmix_info_t server = text_info(PMIX_SERVER_URI, copy);
    pmix_status_t status = tool->init(&tool->self, &server, 1);

    tool->self.nspace[PMIX_MAX_NSLEN] = '\0';
    return status == PMIX_SUCCESS || set_reason(why, "it cannot be connected to by PMIx: %s", tool->text(status));
}

/* Asks for one key, with a namespace or without (NULL). The value is the library's. NULL: it has none of that type. */
static const pmix_value_t *ask(struct tool *tool, const char *key, const char *name, pmix_data_type_t type, char **why)
{
    OWNED char *wanted = copy_string(key), *copy = copy_string(name != NULL ? name : "");
    char *keys[] = {wanted, NULL};
    pmix_info_t qualifier = text_info(PMIX_NSPACE, copy);
    pmix_query_t query = {.keys = keys, .qualifiers = name != NULL ? &qualifier : NULL, .nqual = name != NULL};
    pmix_info_t *infos = NULL;
    size_t n = 0;
    pmix_status_t status = tool->query(&query, 1, &infos, &n);

    for (size_t i = 0; status == PMIX_SUCCESS && infos != NULL && i < n; i++)
        if (infos[i].value.type == type && strncmp(infos[i].key, key, PMIX_MAX_KEYLEN) == 0)
            return &infos[i].value;
    set_reason(why, "it does not tell by PMIx what it was asked for (%s): %s", key, tool->text(status));
    return NULL;
}

static void add_process(struct launcher_table *table, uint32_t job, const pmix_proc_info_t *process)
{
    struct job_host *host = process->hostname != NULL ? job_hosts_add(&table->hosts, process->hostname) : NULL;

    if (host != NULL && process->proc.rank < MAX_EXPECTED_RANKS)
        job_host_expect(host, (struct expected_rank){.rank = (long)process->proc.rank,
                                                     .pid = process->pid > 0 ? process->pid : 0, .job = job});
}

static bool add_job(struct launcher_table *table, struct tool *tool, const char *name, char **why)
{
    const pmix_value_t *value = ask(tool, PMIX_QUERY_PROC_TABLE, name, PMIX_DATA_ARRAY, why);
    const pmix_data_array_t *array = value != NULL ? value->data.darray : NULL;
    uint32_t job;

    if (array == NULL || array->type != PMIX_PROC_INFO || array->array == NULL)
        return false;
    words_add(&table->jobs, copy_string(name));
    job = (uint32_t)table->jobs.n - 1;
    for (size_t i = 0; i < array->size && i < MAX_EXPECTED_RANKS; i++)
        add_process(table, job, (const pmix_proc_info_t *)array->array + i);
    return true;
}

/* The server itself, its daemons and its tools have namespaces too, and it may know jobs of others. */
static bool is_job_of_server(const struct tool *tool, const char *name)
{
    size_t length = strlen(name);

    return job_name_is_valid(name) && job_family_is_one(name, tool->server) && strcmp(name, tool->server) != 0 &&
           strcmp(name, tool->self.nspace) != 0 && (length < 2 || strcmp(name + length - 2, "@0") != 0);
}

static bool add_jobs(struct launcher_table *table, struct tool *tool, char **why)
{
    const pmix_value_t *value = ask(tool, PMIX_QUERY_NAMESPACES, NULL, PMIX_STRING, why);
    OWNED char *names = value != NULL && value->data.string != NULL ? copy_string(value->data.string) : NULL;
    char *rest = names, *name;
    bool found = false;

    while (table->jobs.n < MAX_TABLE_JOBS && (name = strsep(&rest, ",")) != NULL)
        if (is_job_of_server(tool, name))
            found |= add_job(table, tool, name, why);
    return found || set_reason(why, "it tells by PMIx of no job");
}

bool pmix_ask(struct launcher_table *table, const char *line, char **why)
{
    OWNED char *server = pmix_namespace(line);
    struct tool tool = {.server = server};
    bool good;

    /* The library tells people of everything that fails. The caller's message says enough. */
    dup2(STDIN_FILENO, STDERR_FILENO);
    if (!load(&tool, why) || !start(&tool, line, why))
        return false;
    good = add_jobs(table, &tool, why);
    tool.finalize();
    return good;
}

#else

bool pmix_ask(struct launcher_table *table, const char *line, char **why)
{
    (void)table;
    (void)line;
    return set_reason(why, "mqdump was built without PMIx");
}

#endif
