/*
 * request.c - what a process of mqdump's own is asked for.
 */
#include "mqd/dump/ask/request.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/collect/job/job_family.h"
#include "mqd/dump/collect/job/launcher_table.h"
#include "mqd/dump/record/field.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* A million processes or core files are more than any machine has. */
enum { MAX_ENTRIES = 1000 * 1000, MAX_REQUEST = 64 * 1024 * 1024 };

/* Linux has no longer argument of a command. */
enum { MAX_ARGUMENT = 128 * 1024 };

char *const collector_arguments[] = {COLLECT_OPTION, NULL};

/* Values of kinds that records do not have. */

static const char *const tasks[] = {
    [REQUEST_LOOK] = "look", [REQUEST_PROBE] = "probe", [REQUEST_TABLE] = "table", [REQUEST_PMIX] = "pmix"};

static json_t *write_task(const void *place)
{
    return json_string(tasks[*(const enum request_task *)place]);
}

static bool read_task(void *place, const json_t *value, char **why)
{
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (!json_is_string(value) || strcmp(json_string_value(value), tasks[i]) != 0)
            continue;
        *(enum request_task *)place = (enum request_task)i;
        return true;
    }
    return set_reason(why, "is no task");
}

/* A text, or null where there is none. */
static json_t *write_text(const void *place)
{
    const char *text = *(char *const *)place;

    return text != NULL ? text_write(text, strlen(text)) : json_null();
}

static bool read_text(void *place, const json_t *value, char **why)
{
    return json_is_null(value) || text_read(value, MAX_ARGUMENT, place, why);
}

static json_t *write_words(const void *place)
{
    const struct words *words = place;
    json_t *array = json_array();

    for (size_t i = 0; i < words->n; i++)
        json_array_append_new(array, write_text(&words->words[i]));
    return array;
}

static bool is_array(const json_t *value, size_t most, char **why)
{
    return (json_is_array(value) && json_array_size(value) <= most) ||
           set_reason(why, "is no array of at most %zu values", most);
}

static bool read_words(void *place, const json_t *value, char **why)
{
    if (!is_array(value, MAX_ENTRIES, why))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        char *text;

        if (!text_read(json_array_get(value, i), MAX_ARGUMENT, &text, why))
            return false;
        words_add(place, text);
    }
    return true;
}

static bool read_names(void *place, const json_t *value, char **why)
{
    const struct words *names = place;

    if (!is_array(value, MAX_REQUEST_JOBS, why) || !read_words(place, value, why))
        return false;
    for (size_t i = 0; i < names->n; i++)
        if (!job_name_is_valid(names->words[i]))
            return set_reason(why, "has what is no name of a job");
    return true;
}

/* A number, or null where it is not set. */
static json_t *write_limit(const void *place)
{
    const struct limit *limit = place;

    return limit->is_set ? unsigned_write(limit->value) : json_null();
}

static bool read_limit(void *place, const json_t *value, char **why)
{
    struct limit *limit = place;

    limit->is_set = !json_is_null(value);
    return !limit->is_set || unsigned_read(value, INT64_MAX, &limit->value, why);
}

/* Numbers that belong together are an array. */
static bool read_tuple(const json_t *value, size_t n, const int64_t *most, int64_t *numbers, char **why)
{
    if (!json_is_array(value) || json_array_size(value) != n)
        return set_reason(why, "has what are no %zu numbers", n);
    for (size_t i = 0; i < n; i++)
        if (!signed_read(json_array_get(value, i), 0, most[i], &numbers[i], why))
            return false;
    return true;
}

static json_t *write_processes(const void *place)
{
    const struct request *request = place;
    json_t *array = json_array();

    for (size_t i = 0; i < request->n_processes; i++)
        json_array_append_new(array, json_pack("[iI]", (int)request->processes[i].pid,
                                               (json_int_t)request->processes[i].start));
    return array;
}

static bool read_processes(void *place, const json_t *value, char **why)
{
    struct request *request = place;
    static const int64_t most[] = {INT_MAX, INT64_MAX};
    size_t n = json_array_size(value);

    if (!is_array(value, MAX_ENTRIES, why))
        return false;
    request->processes = allocate_array(n, sizeof *request->processes);
    for (; request->n_processes < n; request->n_processes++) {
        int64_t numbers[2];

        if (!read_tuple(json_array_get(value, request->n_processes), 2, most, numbers, why))
            return false;
        if (numbers[0] == 0)
            return set_reason(why, "has a process without a number");
        request->processes[request->n_processes] =
            (struct process_id){.pid = (pid_t)numbers[0], .start = (uint64_t)numbers[1]};
    }
    return true;
}

static json_t *write_ranks(const void *place)
{
    const struct request *request = place;
    json_t *array = json_array();

    for (size_t i = 0; i < request->n_ranks; i++)
        json_array_append_new(array, json_pack("[iIi]", (int)request->ranks[i].job, (json_int_t)request->ranks[i].rank,
                                               (int)request->ranks[i].pid));
    return array;
}

/* Their jobs come before them. */
static bool read_ranks(void *place, const json_t *value, char **why)
{
    struct request *request = place;
    const int64_t most[] = {(int64_t)request->jobs.n - 1, INT_MAX, INT_MAX};
    size_t n = json_array_size(value);

    if (!is_array(value, MAX_REQUEST_RANKS, why))
        return false;
    request->ranks = allocate_array(n, sizeof *request->ranks);
    for (; request->n_ranks < n; request->n_ranks++) {
        int64_t numbers[3];

        if (!read_tuple(json_array_get(value, request->n_ranks), 3, most, numbers, why))
            return false;
        request->ranks[request->n_ranks] =
            (struct expected_rank){.job = (uint32_t)numbers[0], .rank = numbers[1], .pid = (pid_t)numbers[2]};
    }
    return true;
}

/* The list. A row is a member that records could have too, or one of another kind. */

struct kind {
    json_t *(*write)(const void *place);
    bool (*read)(void *place, const json_t *value, char **why);
};
static const struct kind task = {write_task, read_task}, text = {write_text, read_text},
                         texts = {write_words, read_words}, names = {write_words, read_names},
                         limit = {write_limit, read_limit}, processes = {write_processes, read_processes},
                         ranks = {write_ranks, read_ranks};

struct member {
    struct field field;
    const struct kind *kind;       /* NULL: one of a record's */
};
#define PLAIN(key, member) {{FIELD(struct request, key, member)}, NULL}
#define RANGE(key, ... /* member, least, most */) {{NUMBER(struct request, key, __VA_ARGS__, 0)}, NULL}
#define KIND(row, key, member) {{ROW(struct request, key, FIELD_ELSEWHERE, member)}, &(row)}
#define WHOLE(row, name) {{.key = name, .kind = FIELD_ELSEWHERE, .size = sizeof(struct request)}, &(row)}

static const struct member members[] = {
    KIND(task, "task", task),
    PLAIN("queues", wish.queues),
    PLAIN("internal", wish.internal),
    PLAIN("layout", wish.layout),
    PLAIN("why", wish.why),
    PLAIN("needs_why", wish.needs_why),
    PLAIN("stacks", wish.stacks),
    PLAIN("no_stop", wish.no_stop),
    KIND(text, "dll", wish.dll),
    KIND(text, "sysroot", wish.sysroot),
    KIND(texts, "executables", wish.executables),
    KIND(limit, "memory", wish.limits.memory),
    KIND(limit, "cpu", wish.limits.cpu),
    KIND(limit, "time", wish.limits.time),
    KIND(limit, "host", wish.limits.host),
    PLAIN("thorough", thorough),
    KIND(text, "owner", owner),
    WHOLE(processes, "processes"),
    KIND(texts, "cores", cores),
    KIND(text, "server", server),
    KIND(names, "jobs", jobs),
    KIND(names, "families", families),
    WHOLE(ranks, "ranks"),
    RANGE("user", user, -1, UINT_MAX - 1),
    RANGE("seconds", seconds, 0, MOST_REQUEST_SECONDS),
};
enum { N_MEMBERS = sizeof members / sizeof *members };

/* Writing. */

char *request_write(const struct request *request)
{
    json_t *object;
    char *line;

    json_memory_set();
    object = json_pack("{siss}", "protocol", REQUEST_PROTOCOL, "mqdump", PACKAGE_VERSION);
    for (size_t i = 0; i < N_MEMBERS; i++) {
        const struct field *field = &members[i].field;
        const char *place = (const char *)request + field->offset;

        json_object_set_new(object, field->key,
                            members[i].kind != NULL ? members[i].kind->write(place) : field_write(field, place));
    }
    line = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
    if (line == NULL)
        out_of_memory();
    return line;
}

/* Reading. */

static const char own_name[] = "this mqdump, version " PACKAGE_VERSION ",";

/* All the rest may have another meaning. */
static bool read_protocol(const json_t *object, char **why)
{
    const json_t *protocol = json_object_get(object, "protocol");
    const char *version = json_string_value(json_object_get(object, "mqdump"));

    if (!json_is_integer(protocol) || version == NULL)
        return set_reason(why, "%s speaks protocol %d, and was asked in none", own_name, REQUEST_PROTOCOL);
    return json_integer_value(protocol) == REQUEST_PROTOCOL ||
           set_reason(why, "%s speaks protocol %d, not %lld of version %s", own_name, REQUEST_PROTOCOL,
                      (long long)json_integer_value(protocol), version);
}

static bool read_member(struct request *request, const struct member *member, const json_t *value, char **why)
{
    char *place = (char *)request + member->field.offset;

    if (value == NULL)
        return set_reason(why, "is missing");
    return member->kind != NULL ? member->kind->read(place, value, why)
                                : field_read(&member->field, value, place, NULL, why);
}

static bool is_known(const char *key)
{
    bool known = strcmp(key, "protocol") == 0 || strcmp(key, "mqdump") == 0;

    for (size_t i = 0; i < N_MEMBERS && !known; i++)
        known = strcmp(key, members[i].field.key) == 0;
    return known;
}

static bool read_members(struct request *request, json_t *object, char **why)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
        if (!is_known(key))
            return set_reason(why, "%s does not understand '%s'", own_name, key);
    for (size_t i = 0; i < N_MEMBERS; i++) {
        OWNED char *problem = NULL;

        value = json_object_get(object, members[i].field.key);
        if (!read_member(request, &members[i], value, &problem))
            return set_reason(why, "%s was asked for what cannot be: '%s' %s", own_name, members[i].field.key, problem);
    }
    return true;
}

bool request_read(struct request *request, const char *line, char **why)
{
    json_error_t error;
    json_t *object;
    bool good;

    json_memory_set();
    *request = (struct request){.user = -1};
    object = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    good = read_protocol(object, why) && read_members(request, object, why);
    json_decref(object);
    return good;
}

/* It ends with its line. What hands it on may keep standard input open. */
static char *receive_line(void)
{
    char *line = NULL;
    size_t n = 0, room = 0;
    ssize_t length;

    do {
        if (n + 1 >= room)
            line = grow_array(line, room, &room, 1);
        length = read(STDIN_FILENO, line + n, room - n - 1);
        n += length > 0 ? (size_t)length : 0;
    } while ((length > 0 || (length < 0 && errno == EINTR)) && n < MAX_REQUEST && memchr(line, '\n', n) == NULL);
    return line;
}

bool request_receive(struct request *request, char **why)
{
    OWNED char *line = receive_line();

    return request_read(request, line, why);
}

void request_clear(struct request *request)
{
    FREE_ALL(request->wish.dll, request->wish.sysroot, request->owner, request->processes, request->server,
             request->ranks);
    words_clear(&request->wish.executables);
    words_clear(&request->cores);
    words_clear(&request->jobs);
    words_clear(&request->families);
    *request = (struct request){.user = -1};
}

bool request_has_job(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->jobs.n; i++)
        if (strcmp(request->jobs.words[i], name) == 0)
            return true;
    for (size_t i = 0; i < request->families.n; i++)
        if (job_family_is_one(request->families.words[i], name))
            return true;
    return false;
}
