/*
 * pmix_tool.c - asks the launcher of Open MPI 5.0 and later, or one of its daemons, for its jobs, through PMIx.
 */
#include "mqd/dump/collect/job/pmix_tool.h"

#include "config.h"

#include "mqd/dump/base/reason.h"

#ifdef HAVE_PMIX

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmix_tool.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/job/job_family.h"
#include "mqd/dump/collect/job/rendezvous.h"

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

/* It tells people of everything that fails. The caller's message says enough. */
static void silence(void)
{
    dup2(STDIN_FILENO, STDERR_FILENO);
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
    job = launcher_table_add_job(table, name);
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

    while (table->n_jobs < MAX_TABLE_JOBS && (name = strsep(&rest, ",")) != NULL)
        if (is_job_of_server(tool, name))
            found |= add_job(table, tool, name, why);
    return found || set_reason(why, "it tells by PMIx of no job");
}

bool pmix_tool_ask(struct launcher_table *table, const char *line, char **why)
{
    OWNED char *server = rendezvous_namespace(line);
    struct tool tool = {.server = server};
    bool good;

    silence();
    if (!load(&tool, why) || !start(&tool, line, why))
        return false;
    good = add_jobs(table, &tool, why);
    tool.finalize();
    return good;
}

#else

bool pmix_tool_ask(struct launcher_table *table, const char *line, char **why)
{
    (void)table;
    (void)line;
    return set_reason(why, "mqdump was built without PMIx");
}

#endif
