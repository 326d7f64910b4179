/*
 * proc.c - reads the files under /proc that describe a process.
 */
#include "mqd/dump/collect/target/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"

char *proc_read_start(const char *path, size_t limit, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t room = 0, used = 0;
    OWNED char *text = NULL;
    ssize_t got;
    int error;

    if (file < 0)
        return NULL;
    do {
        text = grow_array(text, used + 1, &room, 1);
        got = read(file, text + used, room - used - 1);
        if (got > 0)
            used += (size_t)got;
    } while ((got > 0 && used < limit) || (got < 0 && errno == EINTR));
    error = errno;
    close(file);
    errno = error;
    if (got < 0)
        return NULL;
    if (used > limit)
        used = limit;
    text[used] = '\0';
    *size = used;
    return TAKEN(text);
}

char *proc_read_file(const char *path, size_t *size)
{
    return proc_read_start(path, SIZE_MAX, size);
}

char *proc_read(pid_t pid, const char *name, size_t *size)
{
    OWNED char *path = format_text("/proc/%d/%s", (int)pid, name);

    return proc_read_file(path, size);
}

/* The value of one "Key:\tvalue" line, NULL if the text has no such line. */
static const char *status_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    const char *line = text;

    while (line != NULL && *line != '\0') {
        if (strncmp(line, key, length) == 0 && line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, "\t ");
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return NULL;
}

static pid_t status_pid(const char *text, const char *key)
{
    const char *value = status_value(text, key);

    return value != NULL ? (pid_t)strtol(value, NULL, 10) : 0;
}

static uint64_t status_count(const char *text, const char *key)
{
    const char *value = status_value(text, key);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

bool proc_parse_status(const char *text, struct proc_status *status)
{
    const char *name = status_value(text, "Name");
    const char *state = status_value(text, "State");
    const char *users = status_value(text, "Uid");
    unsigned long real, effective;

    if (name == NULL || state == NULL || users == NULL || sscanf(users, "%lu %lu", &real, &effective) != 2)
        return false;
    snprintf(status->name, sizeof status->name, "%.*s", (int)strcspn(name, "\n"), name);
    status->state = *state;
    status->process = status_pid(text, "Tgid");
    status->parent = status_pid(text, "PPid");
    status->tracer = status_pid(text, "TracerPid");
    status->user = (uid_t)effective;
    status->threads = status_count(text, "Threads");
    status->switches =
        status_count(text, "voluntary_ctxt_switches") + status_count(text, "nonvoluntary_ctxt_switches");
    return true;
}

bool proc_read_status(pid_t thread, struct proc_status *status)
{
    size_t size;
    OWNED char *text = proc_read(thread, "status", &size);
    bool good;

    if (text == NULL)
        return false;
    good = proc_parse_status(text, status);
    if (!good)
        errno = EINVAL;
    return good;
}

/* The kernel is asked in a way that needs no descriptor, no memory and no /proc. */
bool proc_exists(pid_t thread)
{
    int error = errno;
    bool exists = thread > 0 && (kill(thread, 0) == 0 || errno != ESRCH);

    errno = error;
    return exists;
}

bool proc_has_ended(pid_t thread)
{
    struct proc_status status;

    if (!proc_read_status(thread, &status))
        return !proc_exists(thread);
    return status.state == 'Z' || status.state == 'X';
}

/* The kernel writes a newline in a path as \012, and escapes no other character. */
static void restore_newlines(char *path)
{
    char *to = path;

    for (const char *from = path; *from != '\0'; to++) {
        bool newline = strncmp(from, "\\012", 4) == 0;

        *to = newline ? '\n' : *from;
        from += newline ? 4 : 1;
    }
    *to = '\0';
}

bool proc_strip_deleted(char *path)
{
    static const char suffix[] = " (deleted)";
    size_t length = strlen(path), suffix_length = sizeof suffix - 1;

    if (length < suffix_length || strcmp(path + length - suffix_length, suffix) != 0)
        return false;
    path[length - suffix_length] = '\0';
    return true;
}

bool proc_parse_map_line(char *line, struct map_line *map)
{
    unsigned major_number, minor_number;
    char permissions[5];
    int at = -1;
    char *path;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &map->start, &map->end, permissions,
               &map->offset, &major_number, &minor_number, &map->inode, &at) != 7 || at < 0 || map->end <= map->start)
        return false;
    map->executable = permissions[0] != '\0' && strchr(permissions, 'x') != NULL;
    map->device = makedev(major_number, minor_number);
    path = line + at + strspn(line + at, " ");
    restore_newlines(path);
    map->deleted = proc_strip_deleted(path);
    map->path = path;
    return true;
}

static int parse_number(const char *text)
{
    char *end;
    long value;

    if (text == NULL || !isdigit((unsigned char)*text))
        return -1;
    errno = 0;
    value = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' && value <= INT_MAX ? (int)value : -1;
}

const char *proc_environment_value(const char *block, size_t n, const char *name)
{
    size_t length = strlen(name);
    const char *end = block + n;

    for (const char *entry = block; entry < end; entry += strnlen(entry, (size_t)(end - entry)) + 1)
        if ((size_t)(end - entry) > length && strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    return NULL;
}

struct proc_launch proc_no_launch(void)
{
    return proc_parse_launch("", 0);
}

struct proc_launch proc_parse_launch(const char *block, size_t n)
{
    const char *job = proc_environment_value(block, n, "PMIX_NAMESPACE");
    struct proc_launch launch = {.rank = parse_number(proc_environment_value(block, n, "PMIX_RANK"))};

    if (launch.rank < 0)
        launch.rank = parse_number(proc_environment_value(block, n, "OMPI_COMM_WORLD_RANK"));
    launch.size = parse_number(proc_environment_value(block, n, "OMPI_COMM_WORLD_SIZE"));
    launch.local_size = parse_number(proc_environment_value(block, n, "OMPI_COMM_WORLD_LOCAL_SIZE"));
    /* What srun tells; in the step of mpirun's daemons this is the number of daemons. */
    if (launch.size < 0 && job != NULL && strncmp(job, "slurm.", 6) == 0)
        launch.size = parse_number(proc_environment_value(block, n, "SLURM_STEP_NUM_TASKS"));
    if (job != NULL && strnlen(job, sizeof launch.job) < sizeof launch.job)
        snprintf(launch.job, sizeof launch.job, "%s", job);
    return launch;
}

bool proc_read_launch(const char *directory, struct proc_launch *launch)
{
    /* The kernel limits arguments and environment together to 6 MiB; a process can move the bounds to more. */
    static const size_t limit = 8 * 1024 * 1024;
    OWNED char *path = format_text("%s/environ", directory);
    size_t size;
    OWNED char *block = proc_read_start(path, limit, &size);

    if (block == NULL)
        return false;
    *launch = proc_parse_launch(block, size);
    return true;
}

/* The n-th number of /proc/PID/stat after the command's name, which may have any characters; NULL if there is none. */
static const char *find_stat_field(const char *text, int n)
{
    const char *field = strrchr(text, ')');

    for (int i = 0; field != NULL && i < n; i++)
        field = strchr(field + 1, ' ');
    return field;
}

char proc_parse_state(const char *text)
{
    const char *field = find_stat_field(text, 1);

    return field != NULL ? field[1] : '\0';
}

uint64_t proc_parse_start_time(const char *text)
{
    const char *field = find_stat_field(text, 20);

    return field != NULL ? strtoull(field, NULL, 10) : 0;
}

uint64_t proc_read_start_time(pid_t pid)
{
    size_t size;
    OWNED char *text = proc_read(pid, "stat", &size);

    return text != NULL ? proc_parse_start_time(text) : 0;
}

int proc_parse_exit_status(const char *text)
{
    const char *field = find_stat_field(text, 50);

    return field != NULL ? (int)strtol(field, NULL, 10) : -1;
}

char *proc_executable_of(const char *directory)
{
    OWNED char *link = format_text("%s/exe", directory);
    char path[PATH_MAX];
    ssize_t length = readlink(link, path, sizeof path);

    if (length <= 0 || (size_t)length >= sizeof path)
        return NULL;
    path[length] = '\0';
    proc_strip_deleted(path);
    return copy_string(path);
}

char *proc_executable(pid_t pid)
{
    char directory[64];

    snprintf(directory, sizeof directory, "/proc/%d", (int)pid);
    return proc_executable_of(directory);
}
