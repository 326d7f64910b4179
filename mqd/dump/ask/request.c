/*
 * request.c - what a process of mqdump's own is asked for, and what it answers.
 */
#include "mqd/dump/ask/request.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/client/handle.h"
#include "mqd/dump/collect/job/launchers.h"
#include "mqd/dump/collect/job/pmix.h"
#include "mqd/dump/record/field.h"
#include "mqd/dump/record/format.h"
#include "mqd/dump/record/text.h"

/* A million processes or core files are more than any machine has. */
enum { MAX_ENTRIES = 1000 * 1000, MAX_REQUEST = 64 * 1024 * 1024 };

/* Ranks in one line of an answer, and bytes of a line: then it needs little memory to be read. */
enum { MAX_RANKS_IN_LINE = 4096, MAX_ANSWER_LINE = 256 * 1024 };

/* Who asks has the request ready when it starts a process. It may be sent through a network. */
static const double seconds_for_request = 60;

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
    char **text = place;

    free(TAKEN(*text));
    return json_is_null(value) || text_read(value, MAX_ARGUMENT, text, why);
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

static bool read_questions(void *place, const json_t *value, char **why)
{
    const struct words *questions = place;
    OWNED char *problem = NULL;

    if (!is_array(value, MAX_QUESTIONS, why) || !read_words(place, value, why))
        return false;
    for (size_t i = 0; i < questions->n; i++)
        if (!handle_question_is_valid(questions->words[i], &problem))
            return set_reason(why, "has what is no question about handles");
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

static json_t *ranks_of(const struct expected_rank *ranks, size_t n)
{
    json_t *array = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_pack("[iIi]", (int)ranks[i].job, (json_int_t)ranks[i].rank,
                                               (int)ranks[i].pid));
    return array;
}

/* Their jobs are positions below n_jobs. */
static bool read_rank(struct expected_rank *rank, const json_t *value, size_t n_jobs, int64_t most_rank, char **why)
{
    const int64_t most[] = {(int64_t)n_jobs - 1, most_rank, INT_MAX};
    int64_t numbers[3];

    if (!read_tuple(value, 3, most, numbers, why))
        return false;
    *rank = (struct expected_rank){.job = (uint32_t)numbers[0], .rank = (long)numbers[1], .pid = (pid_t)numbers[2]};
    return true;
}

static json_t *write_ranks(const void *place)
{
    const struct request *request = place;

    return ranks_of(request->ranks, request->n_ranks);
}

/* Their jobs come before them. */
static bool read_ranks(void *place, const json_t *value, char **why)
{
    struct request *request = place;
    size_t n = json_array_size(value);

    if (!is_array(value, MAX_REQUEST_RANKS, why))
        return false;
    request->ranks = allocate_array(n, sizeof *request->ranks);
    for (; request->n_ranks < n; request->n_ranks++)
        if (!read_rank(&request->ranks[request->n_ranks], json_array_get(value, request->n_ranks), request->jobs.n,
                       INT_MAX, why))
            return false;
    return true;
}

/* Ids of a user and a group, and those of supplementary groups; or null. */
static json_t *write_owner(const void *place)
{
    const struct request *request = place;
    const struct owner *owner = &request->owner;
    json_t *array;

    if (!request->has_owner)
        return json_null();
    array = json_array();
    json_array_append_new(array, json_integer(owner->user));
    json_array_append_new(array, json_integer(owner->group));
    for (size_t i = 0; i < owner->n_groups; i++)
        json_array_append_new(array, json_integer(owner->groups[i]));
    return array;
}

static bool read_owner(void *place, const json_t *value, char **why)
{
    struct request *request = place;
    struct owner *owner = &request->owner;
    size_t n = json_array_size(value);
    OWNED int64_t *ids = NULL, *most = NULL;

    request->has_owner = !json_is_null(value);
    if (!request->has_owner)
        return true;
    if (!is_array(value, 2 + MAX_OWNER_GROUPS, why) || n < 2)
        return set_reason(why, "has no user and group");
    ids = allocate_array(n, sizeof *ids);
    most = allocate_array(n, sizeof *most);
    for (size_t i = 0; i < n; i++)
        most[i] = (int64_t)UINT32_MAX - 1;
    if (!read_tuple(value, n, most, ids, why))
        return false;
    *owner = (struct owner){.user = (uid_t)ids[0], .group = (gid_t)ids[1], .n_groups = n - 2,
                            .groups = n > 2 ? allocate_array(n - 2, sizeof *owner->groups) : NULL};
    for (size_t i = 2; i < n; i++)
        owner->groups[i - 2] = (gid_t)ids[i];
    return true;
}

/* Of a table. */

static bool read_checked(char **text, const json_t *value, bool (*is_valid)(const char *), char **why)
{
    return read_text(text, value, why) && (*text == NULL || is_valid(*text) || set_reason(why, "cannot be"));
}

static bool read_server(void *place, const json_t *value, char **why)
{
    return read_checked(place, value, pmix_address_is_valid, why);
}

static bool read_name(void *place, const json_t *value, char **why)
{
    return read_checked(place, value, job_name_is_valid, why);
}

/* Jobs come before hosts. */
static bool read_job(void *place, const json_t *value, char **why)
{
    struct launcher_table *table = place;
    OWNED char *name = NULL;

    if (table->hosts.n > 0 || table->jobs.n == MAX_TABLE_JOBS || !read_name(&name, value, why) || name == NULL)
        return set_reason(why, "is no other one");
    words_add(&table->jobs, TAKEN(name));
    return true;
}

/* [NAME, RANK, ...]: a launcher that does not say what its jobs are called has one. */
static bool read_host(void *place, const json_t *value, char **why)
{
    struct launcher_table *table = place;
    const char *name = json_string_value(json_array_get(value, 0));
    struct job_host *host = name != NULL ? job_hosts_add(&table->hosts, name) : NULL;

    if (host == NULL)
        return set_reason(why, "has no name");
    for (size_t i = 1; i < json_array_size(value); i++) {
        struct expected_rank rank;

        if (!read_rank(&rank, json_array_get(value, i), table->jobs.n > 0 ? table->jobs.n : 1, MAX_EXPECTED_RANKS - 1,
                       why))
            return false;
        job_host_expect(host, rank);
    }
    return true;
}

/* The lists. A row is a member that records could have too, or one of another kind. */

struct kind {
    json_t *(*write)(const void *place);
    bool (*read)(void *place, const json_t *value, char **why);
};
static const struct kind task = {write_task, read_task}, text = {write_text, read_text},
                         texts = {write_words, read_words}, questions = {write_words, read_questions},
                         names = {write_words, read_names}, limit = {write_limit, read_limit},
                         processes = {write_processes, read_processes}, ranks = {write_ranks, read_ranks},
                         owner = {write_owner, read_owner}, server = {write_text, read_server},
                         name = {write_text, read_name}, job = {NULL, read_job}, host = {NULL, read_host};

struct member {
    struct field field;
    const struct kind *kind;       /* NULL: one of a record's */
};
#define PLAIN(type, key, member) {{FIELD(struct type, key, member)}, NULL}
#define RANGE(type, key, ... /* member, least, most */) {{NUMBER(struct type, key, __VA_ARGS__, 0)}, NULL}
#define KIND(type, row, key, member) {{ROW(struct type, key, FIELD_ELSEWHERE, member)}, &(row)}
#define WHOLE(type, row, name) {{.key = name, .kind = FIELD_ELSEWHERE, .size = sizeof(struct type)}, &(row)}

struct member_list {
    const struct member *members;
    size_t n;
};

static const struct member of_request[] = {
    KIND(request, task, "task", task),
    PLAIN(request, "queues", wish.queues),
    PLAIN(request, "internal", wish.internal),
    PLAIN(request, "layout", wish.layout),
    KIND(request, questions, "questions", wish.questions),
    PLAIN(request, "why", wish.why),
    PLAIN(request, "needs_why", wish.needs_why),
    PLAIN(request, "stacks", wish.stacks),
    PLAIN(request, "no_stop", wish.no_stop),
    KIND(request, text, "dll", wish.dll),
    KIND(request, text, "sysroot", wish.sysroot),
    KIND(request, texts, "executables", wish.executables),
    KIND(request, limit, "memory", wish.limits.memory),
    KIND(request, limit, "cpu", wish.limits.cpu),
    KIND(request, limit, "time", wish.limits.time),
    KIND(request, limit, "host", wish.limits.host),
    PLAIN(request, "thorough", thorough),
    WHOLE(request, owner, "owner"),
    WHOLE(request, processes, "processes"),
    KIND(request, texts, "cores", cores),
    KIND(request, text, "server", server),
    KIND(request, names, "jobs", jobs),
    KIND(request, names, "families", families),
    WHOLE(request, ranks, "ranks"),
    RANGE(request, "user", user, -1, UINT_MAX - 1),
    RANGE(request, "seconds", seconds, 0, MOST_REQUEST_SECONDS),
};
static const struct member of_probed[] = {PLAIN(probed, "pid", pid), PLAIN(probed, "mpi", has_mpi)};
static const struct member of_table[] = {
    KIND(launcher_table, server, "server", server),
    KIND(launcher_table, text, "problem", problem),
    KIND(launcher_table, text, "means", hosts.source),
    KIND(launcher_table, name, "daemons", daemons),
    PLAIN(launcher_table, "complete", hosts.complete),
    RANGE(launcher_table, "slurm_job", hosts.slurm_job, 0, INT64_MAX),
    WHOLE(launcher_table, job, "job"),
    WHOLE(launcher_table, host, "host"),
};
#define MEMBERS(rows) {rows, sizeof(rows) / sizeof *(rows)}
static const struct member_list request_members = MEMBERS(of_request), probed_members = MEMBERS(of_probed),
                            table_members = MEMBERS(of_table);

/* Writing. */

static void write_members(json_t *object, const struct member_list *list, const void *from)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct member *member = &list->members[i];
        const char *place = (const char *)from + member->field.offset;

        if (member->kind == NULL)
            json_object_set_new(object, member->field.key, field_write(&member->field, place));
        else if (member->kind->write != NULL)
            json_object_set_new(object, member->field.key, member->kind->write(place));
    }
}

/* Takes the object over. */
static char *line_of(json_t *object)
{
    char *line = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);

    json_decref(object);
    if (line == NULL)
        out_of_memory();
    return line;
}

char *request_write(const struct request *request)
{
    json_t *object;

    json_memory_set();
    object = json_pack("{siss}", "protocol", REQUEST_PROTOCOL, "mqdump", PACKAGE_VERSION);
    write_members(object, &request_members, request);
    return line_of(object);
}

static void print_line(json_t *object, FILE *to)
{
    OWNED char *line = line_of(object);

    fprintf(to, "%s\n", line);
}

void probed_write(const struct probed *probed, FILE *to)
{
    json_t *object = json_object();

    write_members(object, &probed_members, probed);
    print_line(object, to);
    fflush(to);
}

/* [NAME, RANK, ...] */
static void print_host(const struct job_host *host, FILE *to)
{
    size_t first = 0;

    do {
        size_t n = host->n - first < MAX_RANKS_IN_LINE ? host->n - first : MAX_RANKS_IN_LINE;
        json_t *ranks = ranks_of(host->ranks + first, n);

        json_array_insert_new(ranks, 0, json_string(host->name));
        print_line(json_pack("{so}", "host", ranks), to);
        first += n;
    } while (first < host->n);
}

void table_write(const struct launcher_table *table, FILE *to)
{
    json_t *object;

    json_memory_set();
    object = json_object();
    write_members(object, &table_members, table);
    print_line(object, to);
    for (size_t i = 0; i < table->jobs.n; i++)
        print_line(json_pack("{so}", "job", write_text(&table->jobs.words[i])), to);
    for (size_t i = 0; i < table->hosts.n; i++)
        print_host(&table->hosts.hosts[i], to);
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

static bool read_member(void *to, const struct member *member, const json_t *value, char **why)
{
    char *place = (char *)to + member->field.offset;

    if (value == NULL)
        return set_reason(why, "is missing");
    return member->kind != NULL ? member->kind->read(place, value, why)
                                : field_read(&member->field, value, place, NULL, why);
}

static const struct member *find_member(const struct member_list *list, const char *key)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(key, list->members[i].field.key) == 0)
            return &list->members[i];
    return NULL;
}

static bool read_members(struct request *request, json_t *object, char **why)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
        if (strcmp(key, "protocol") != 0 && strcmp(key, "mqdump") != 0 && find_member(&request_members, key) == NULL)
            return set_reason(why, "%s does not understand '%s'", own_name, key);
    for (size_t i = 0; i < request_members.n; i++) {
        const struct member *member = &request_members.members[i];
        OWNED char *problem = NULL;

        if (!read_member(request, member, json_object_get(object, member->field.key), &problem))
            return set_reason(why, "%s was asked for what cannot be: '%s' %s", own_name, member->field.key, problem);
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
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    double end = seconds_now() + seconds_for_request;
    char *line = NULL;
    size_t n = 0, n_before, room = 0;
    ssize_t length;

    do {
        if (n + 1 >= room)
            line = grow_array(line, room, &room, 1);
        errno = EINTR;
        length = seconds_poll(&input, 1, end - seconds_now()) > 0 ? read(STDIN_FILENO, line + n, room - n - 1) : -1;
        n_before = n;
        n += length > 0 ? (size_t)length : 0;
    } while ((length > 0 || (length < 0 && errno == EINTR)) && n < MAX_REQUEST &&
             memchr(line + n_before, '\n', n - n_before) == NULL && seconds_now() < end);
    return line;
}

bool request_receive(struct request *request, char **why)
{
    OWNED char *line = receive_line();

    return request_read(request, line, why);
}

void request_clear(struct request *request)
{
    FREE_ALL(request->wish.dll, request->wish.sysroot, request->processes, request->server, request->ranks);
    owner_clear(&request->owner);
    words_clear(&request->wish.executables);
    words_clear(&request->wish.questions);
    words_clear(&request->cores);
    words_clear(&request->jobs);
    words_clear(&request->families);
    *request = (struct request){.user = -1};
}

bool request_has_job(const struct request *request, const char *name)
{
    if (is_one_of(name, (const char *const *)request->jobs.words, request->jobs.n))
        return true;
    return ANY(i, request->families.n, job_family_is_one(request->families.words[i], name));
}

/* Answers. */

static bool read_line(const struct member_list *list, void *to, char **text)
{
    char *line = strsep(text, "\n");
    OWNED char *why = NULL;
    json_error_t error;
    const char *key;
    json_t *object, *value;
    bool good = line != NULL && strnlen(line, MAX_ANSWER_LINE) < MAX_ANSWER_LINE;

    json_memory_set();
    object = good ? json_loads(line, JSON_REJECT_DUPLICATES, &error) : NULL;
    good = json_is_object(object);
    json_object_foreach(object, key, value) {
        const struct member *member = find_member(list, key);

        good = good && member != NULL && read_member(to, member, value, &why);
    }
    json_decref(object);
    return good;
}

bool probed_read(struct probed *probed, char **text)
{
    return read_line(&probed_members, probed, text);
}

void table_read(struct launcher_table *table, char *text)
{
    while (read_line(&table_members, table, &text))
        continue;
}
