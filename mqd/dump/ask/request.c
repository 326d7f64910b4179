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
#include "mqd/dump/record/text.h"

/* A million processes or core files are more than any machine has. */
enum { MAX_ENTRIES = 1000 * 1000, MAX_REQUEST = 64 * 1024 * 1024 };

/* Ranks in one line of an answer, and bytes of a line: then it needs little memory to be read. */
enum { MAX_RANKS_IN_LINE = 4096, MAX_ANSWER_LINE = 256 * 1024 };

/* Who asks has the request ready when it starts a process. It may be sent through a network. */
static const double seconds_for_request = 60;

char *const collector_arguments[] = {COLLECT_OPTION, NULL};

#define TABLE(name_, type, ...)                                                                                        \
    static const struct field_table name_##_fields = {.name = #name_, .fields = name_##_rows, .lack = "",              \
                                                      .n = sizeof name_##_rows / sizeof *name_##_rows,                 \
                                                      .size = sizeof(type), __VA_ARGS__}

static const struct field process_rows[] = {
    {NUMBER(struct process_id, "pid", pid, 1, INT_MAX, 0)}, {FIELD(struct process_id, "start", start)}};
TABLE(process, struct process_id, .is_tuple = true);

/* The job is a position. */
static const struct field rank_rows[] = {
    {FIELD(struct expected_rank, "job", job)},
    {NUMBER(struct expected_rank, "rank", rank, 0, INT_MAX, 0)},
    {NUMBER(struct expected_rank, "pid", pid, 0, INT_MAX, 0)}};
TABLE(rank, struct expected_rank, .is_tuple = true);

/* Values of kinds that records do not have. */

static const char *const tasks[] = {
    [REQUEST_LOOK] = "look", [REQUEST_PROBE] = "probe", [REQUEST_TABLE] = "table", [REQUEST_PMIX] = "pmix"};

static json_t *write_task(const void *place)
{
    return json_string(tasks[*(const enum request_task *)place]);
}

static bool read_task(const struct codec *codec, void *place, const json_t *value, char **why)
{
    (void)codec;
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

static bool check_text(const struct codec *codec, const char *text, char **why)
{
    return codec->is_valid == NULL || codec->is_valid(text) || set_reason(why, "has what is no %s", codec->what);
}

static bool read_text(const struct codec *codec, void *place, const json_t *value, char **why)
{
    char **text = place;

    free(TAKEN(*text));
    return json_is_null(value) || (text_read(value, MAX_ARGUMENT, text, why) && check_text(codec, *text, why));
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

static bool read_words(const struct codec *codec, void *place, const json_t *value, char **why)
{
    if (!is_array(value, codec->most, why))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        char *text;

        if (!text_read(json_array_get(value, i), MAX_ARGUMENT, &text, why))
            return false;
        words_add(place, text);
        if (!check_text(codec, text, why))
            return false;
    }
    return true;
}

static bool is_question(const char *text)
{
    OWNED char *problem = NULL;

    return handle_question_is_valid(text, &problem);
}

/* A number, or null where it is not set. */
static json_t *write_limit(const void *place)
{
    const struct limit *limit = place;

    return limit->is_set ? unsigned_write(limit->value) : json_null();
}

static bool read_limit(const struct codec *codec, void *place, const json_t *value, char **why)
{
    struct limit *limit = place;

    (void)codec;
    limit->is_set = !json_is_null(value);
    return !limit->is_set || unsigned_read(value, INT64_MAX, &limit->value, why);
}

/* Ids of a user and a group, and those of supplementary groups; or null. */
static json_t *write_owner(const void *place)
{
    const struct request *request = place;
    const struct owner *owner = &request->owner;
    json_t *array;

    if (!request->has_owner)
        return json_null();
    array = json_pack("[II]", (json_int_t)owner->user, (json_int_t)owner->group);
    for (size_t i = 0; i < owner->n_groups; i++)
        json_array_append_new(array, json_integer(owner->groups[i]));
    return array;
}

static bool read_id(const json_t *value, uint32_t *id, char **why)
{
    int64_t number;

    if (!signed_read(value, 0, (int64_t)UINT32_MAX - 1, &number, why))
        return false;
    *id = (uint32_t)number;
    return true;
}

static bool read_owner(const struct codec *codec, void *place, const json_t *value, char **why)
{
    struct request *request = place;
    struct owner *owner = &request->owner;
    size_t n = json_array_size(value);
    bool good;

    request->has_owner = !json_is_null(value);
    if (!request->has_owner)
        return true;
    if (!is_array(value, codec->most, why) || n < 2)
        return set_reason(why, "has no user and group");
    owner->groups = n > 2 ? allocate_array(n - 2, sizeof *owner->groups) : NULL;
    good = read_id(json_array_get(value, 0), &owner->user, why) && read_id(json_array_get(value, 1), &owner->group, why);
    for (; good && owner->n_groups + 2 < n; owner->n_groups++)
        good = read_id(json_array_get(value, owner->n_groups + 2), &owner->groups[owner->n_groups], why);
    return good;
}

/* Of a table. */

/* Jobs come before hosts. */
static bool read_job(const struct codec *codec, void *place, const json_t *value, char **why)
{
    struct launcher_table *table = place;
    OWNED char *name = NULL;

    if (table->hosts.n > 0 || table->jobs.n == MAX_TABLE_JOBS || !read_text(codec, &name, value, why) || name == NULL)
        return set_reason(why, "is no other one");
    words_add(&table->jobs, TAKEN(name));
    return true;
}

/* [NAME, RANK, ...]: a launcher that does not say what its jobs are called has one. */
static bool read_host(const struct codec *codec, void *place, const json_t *value, char **why)
{
    struct launcher_table *table = place;
    const char *name = json_string_value(json_array_get(value, 0));
    struct job_host *host = name != NULL ? job_hosts_add(&table->hosts, name) : NULL;

    (void)codec;
    if (host == NULL)
        return set_reason(why, "has no name");
    for (size_t i = 1; i < json_array_size(value); i++) {
        struct expected_rank rank;

        if (!fields_read(json_array_get(value, i), &rank_fields, &rank, NULL, why) || rank.rank >= MAX_EXPECTED_RANKS ||
            rank.job >= (table->jobs.n > 0 ? table->jobs.n : 1))
            return set_reason(why, "has a rank that cannot be");
        job_host_expect(host, rank);
    }
    return true;
}

/* The lists. */

static const struct codec
    task = {.write = write_task, .read = read_task}, text = {.write = write_text, .read = read_text},
    texts = {.write = write_words, .read = read_words, .most = MAX_ENTRIES},
    questions = {write_words, read_words, is_question, "question about handles", MAX_QUESTIONS},
    names = {write_words, read_words, job_name_is_valid, "name of a job", MAX_REQUEST_JOBS},
    limit = {.write = write_limit, .read = read_limit},
    owner = {.write = write_owner, .read = read_owner, .most = 2 + MAX_OWNER_GROUPS},
    server = {write_text, read_text, pmix_address_is_valid, "address of PMIx", 0},
    name = {write_text, read_text, job_name_is_valid, "name of a job", 0},
    job = {NULL, read_job, job_name_is_valid, "name of a job", 0}, host = {.read = read_host};

/* The value is of several members. */
#define WHOLE(type, key_, codec_) .key = key_, .kind = FIELD_CODED, .size = sizeof(type), .codec = &(codec_)

static const struct field request_rows[] = {
    {CODED(struct request, "task", task, task)},
    {FIELD(struct request, "queues", wish.queues)},
    {FIELD(struct request, "internal", wish.internal)},
    {FIELD(struct request, "layout", wish.layout)},
    {CODED(struct request, "questions", wish.questions, questions)},
    {FIELD(struct request, "why", wish.why)},
    {FIELD(struct request, "needs_why", wish.needs_why)},
    {FIELD(struct request, "stacks", wish.stacks)},
    {FIELD(struct request, "no_stop", wish.no_stop)},
    {CODED(struct request, "dll", wish.dll, text)},
    {CODED(struct request, "sysroot", wish.sysroot, text)},
    {CODED(struct request, "executables", wish.executables, texts)},
    {CODED(struct request, "memory", wish.limits.memory, limit)},
    {CODED(struct request, "cpu", wish.limits.cpu, limit)},
    {CODED(struct request, "time", wish.limits.time, limit)},
    {CODED(struct request, "host", wish.limits.host, limit)},
    {FIELD(struct request, "thorough", thorough)},
    {WHOLE(struct request, "owner", owner)},
    {LIST(struct request, "processes", processes, n_processes, process)},
    {CODED(struct request, "cores", cores, texts)},
    {CODED(struct request, "server", server, text)},
    {CODED(struct request, "jobs", jobs, names)},
    {CODED(struct request, "families", families, names)},
    {LIST(struct request, "ranks", ranks, n_ranks, rank)},
    {NUMBER(struct request, "user", user, -1, UINT_MAX - 1, 0)},
    {NUMBER(struct request, "seconds", seconds, 0, MOST_REQUEST_SECONDS, 0)},
};
TABLE(request, struct request, .is_whole = true);

static const struct field probed_rows[] = {{FIELD(struct probed, "pid", pid)}, {FIELD(struct probed, "mpi", has_mpi)}};
TABLE(probed, struct probed, .is_whole = true);

static const struct field table_rows[] = {
    {CODED(struct launcher_table, "server", server, server)},
    {CODED(struct launcher_table, "problem", problem, text)},
    {CODED(struct launcher_table, "means", hosts.source, text)},
    {CODED(struct launcher_table, "daemons", daemons, name)},
    {FIELD(struct launcher_table, "complete", hosts.complete)},
    {NUMBER(struct launcher_table, "slurm_job", hosts.slurm_job, 0, INT64_MAX, 0)},
    {WHOLE(struct launcher_table, "job", job)},
    {WHOLE(struct launcher_table, "host", host)},
};
TABLE(table, struct launcher_table, .is_whole = true);

/* Writing. */

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
    fields_write(object, &request_fields, request);
    return line_of(object);
}

static void print_line(json_t *object, FILE *to)
{
    OWNED char *line = line_of(object);

    fprintf(to, "%s\n", line);
}

void probed_write(const struct probed *probed, FILE *to)
{
    print_line(fields_object(&probed_fields, probed), to);
    fflush(to);
}

/* [NAME, RANK, ...] */
static void print_host(const struct job_host *host, FILE *to)
{
    size_t first = 0;

    do {
        size_t n = host->n - first < MAX_RANKS_IN_LINE ? host->n - first : MAX_RANKS_IN_LINE;
        json_t *ranks = fields_list(&rank_fields, host->ranks + first, n);

        json_array_insert_new(ranks, 0, json_string(host->name));
        print_line(json_pack("{so}", "host", ranks), to);
        first += n;
    } while (first < host->n);
}

void table_write(const struct launcher_table *table, FILE *to)
{
    json_memory_set();
    print_line(fields_object(&table_fields, table), to);
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

static const struct field *find_field(const struct field_table *table, const char *key)
{
    for (size_t i = 0; i < table->n; i++)
        if (strcmp(key, table->fields[i].key) == 0)
            return &table->fields[i];
    return NULL;
}

static bool read_members(struct request *request, json_t *object, char **why)
{
    OWNED char *problem = NULL;
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
        if (strcmp(key, "protocol") != 0 && strcmp(key, "mqdump") != 0 && find_field(&request_fields, key) == NULL)
            return set_reason(why, "%s does not understand '%s'", own_name, key);
    if (fields_read(object, &request_fields, request, NULL, &problem) &&
        ANY(i, request->n_ranks, request->ranks[i].job >= request->jobs.n))
        set_reason(&problem, "a rank is of no job");
    return problem == NULL || set_reason(why, "%s was asked for what cannot be: %s", own_name, problem);
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

static bool read_line(const struct field_table *table, void *to, char **text)
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
        const struct field *field = find_field(table, key);

        good = good && field != NULL && field_read(field, value, (char *)to + field->offset, NULL, &why);
    }
    json_decref(object);
    return good;
}

bool probed_read(struct probed *probed, char **text)
{
    return read_line(&probed_fields, probed, text);
}

void table_read(struct launcher_table *table, char *text)
{
    while (read_line(&table_fields, table, &text))
        continue;
}
