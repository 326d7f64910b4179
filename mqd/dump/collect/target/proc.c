/*
 * proc.c - reads the files under /proc that describe a process.
 */
#include "mqd/dump/collect/target/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"

static char *read_path(const char *path, size_t limit, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t room = 0, used = 0;
    OWNED char *text = NULL;
    ssize_t got;

    if (file < 0)
        return NULL;
    do {
        text = grow_array(text, used + 1, &room, 1);
        got = read(file, text + used, room - used - 1);
        if (got > 0)
            used += (size_t)got;
    } while ((got > 0 && used < limit) || (got < 0 && errno == EINTR));
    close_one(&file);
    if (got < 0)
        return NULL;
    if (used > limit)
        used = limit;
    text[used] = '\0';
    *size = used;
    return TAKEN(text);
}

char *proc_read_block(size_t limit, size_t *size, const char *fmt, ...)
{
    OWNED char *path = NULL;
    va_list list;

    va_start(list, fmt);
    path = format_list(fmt, list);
    va_end(list);
    return read_path(path, limit, size);
}

const char *proc_status_value(const char *text, const char *key)
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

static uint64_t status_number(const char *text, const char *key)
{
    const char *value = proc_status_value(text, key);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

bool proc_parse_status(const char *text, struct proc_status *status)
{
    const char *name = proc_status_value(text, "Name");
    const char *state = proc_status_value(text, "State");
    const char *users = proc_status_value(text, "Uid");
    unsigned long real, effective;

    errno = EINVAL;
    if (name == NULL || state == NULL || users == NULL || sscanf(users, "%lu %lu", &real, &effective) != 2)
        return false;
    snprintf(status->name, sizeof status->name, "%.*s", (int)strcspn(name, "\n"), name);
    status->state = *state;
    status->process = (pid_t)status_number(text, "Tgid");
    status->parent = (pid_t)status_number(text, "PPid");
    status->tracer = (pid_t)status_number(text, "TracerPid");
    status->user = (uid_t)effective;
    status->threads = status_number(text, "Threads");
    status->switches =
        status_number(text, "voluntary_ctxt_switches") + status_number(text, "nonvoluntary_ctxt_switches");
    return true;
}

bool proc_read_status(pid_t thread, struct proc_status *status)
{
    OWNED char *text = proc_read("/proc/%d/status", (int)thread);

    return text != NULL && proc_parse_status(text, status);
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

pid_t *proc_list_threads(pid_t pid, size_t *n)
{
    const struct dirent *entry;
    pid_t *threads = NULL;
    size_t room = 0;
    DIR *directory;
    char path[64];

    *n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    directory = opendir(path);
    if (directory == NULL)
        return NULL;
    while ((entry = readdir(directory)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            APPEND(threads, *n, room, atoi(entry->d_name));
    closedir(directory);
    errno = ESRCH;
    return threads;
}

pid_t proc_find_thread(pid_t pid, bool (*is_it)(pid_t pid, pid_t thread), size_t most)
{
    size_t n;
    OWNED pid_t *threads = proc_list_threads(pid, &n);

    if (threads == NULL)
        return -1;
    for (size_t i = 0; i < n && i < most; i++)
        if (is_it(pid, threads[i]))
            return threads[i];
    return 0;
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

uint64_t proc_auxiliary_value(const void *vector, size_t n, size_t word, uint64_t type)
{
    for (size_t at = 0; at + 2 * word <= n; at += 2 * word)
        if (word_of((const char *)vector + at, word) == type)
            return word_of((const char *)vector + at + word, word);
    return 0;
}

uint64_t proc_read_auxiliary(pid_t pid, size_t word, uint64_t type)
{
    size_t n = 0;
    OWNED char *vector = proc_read_block(SIZE_MAX, &n, "/proc/%d/auxv", (int)pid);

    return proc_auxiliary_value(vector, n, word, type);
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

static int number_in(const char *block, size_t n, const char *name)
{
    const char *value = proc_environment_value(block, n, name);

    return value != NULL ? (int)number_of(value, INT_MAX) : -1;
}

struct proc_launch proc_no_launch(void)
{
    return proc_parse_launch("", 0);
}

struct proc_launch proc_parse_launch(const char *block, size_t n)
{
    const char *job = proc_environment_value(block, n, "PMIX_NAMESPACE");
    struct proc_launch launch = {.rank = number_in(block, n, "PMIX_RANK")};

    if (launch.rank < 0)
        launch.rank = number_in(block, n, "OMPI_COMM_WORLD_RANK");
    launch.size = number_in(block, n, "OMPI_COMM_WORLD_SIZE");
    launch.local_size = number_in(block, n, "OMPI_COMM_WORLD_LOCAL_SIZE");
    /* What srun tells; in the step of mpirun's daemons this is the number of daemons. */
    if (launch.size < 0 && job != NULL && strncmp(job, "slurm.", 6) == 0)
        launch.size = number_in(block, n, "SLURM_STEP_NUM_TASKS");
    if (job != NULL && strnlen(job, sizeof launch.job) < sizeof launch.job)
        snprintf(launch.job, sizeof launch.job, "%s", job);
    return launch;
}

char *proc_read_strings(const char *directory, const char *name, size_t *size)
{
    /* The kernel limits arguments and environment together to 6 MiB; a process can move the bounds to more. */
    return proc_read_block(8 * 1024 * 1024, size, "%s/%s", directory, name);
}

bool proc_read_launch(const char *directory, struct proc_launch *launch)
{
    size_t size;
    OWNED char *block = proc_read_strings(directory, "environ", &size);

    if (block == NULL)
        return false;
    *launch = proc_parse_launch(block, size);
    return true;
}

/* The n-th field of /proc/PID/stat after the command's name, which may have any characters; `otherwise` if it is cut. */
static const char *find_stat_field(const char *text, int n, const char *otherwise)
{
    const char *field = strrchr(text, ')');

    for (int i = 0; field != NULL && i < n; i++)
        field = strchr(field + 1, ' ');
    return field != NULL ? field + 1 : otherwise;
}

bool proc_read_stat(const char *directory, struct proc_stat *stat)
{
    OWNED char *text = proc_read("%s/stat", directory);

    *stat = (struct proc_stat){.exit_status = -1};
    if (text == NULL)
        return false;
    stat->state = *find_stat_field(text, 1, "");
    stat->start = strtoull(find_stat_field(text, 20, "0"), NULL, 10);
    stat->exit_status = (int)strtol(find_stat_field(text, 50, "-1"), NULL, 10);
    return true;
}

uint64_t proc_read_start_time(pid_t pid)
{
    OWNED char *directory = format_text("/proc/%d", (int)pid);
    struct proc_stat stat;

    return proc_read_stat(directory, &stat) ? stat.start : 0;
}

char *proc_executable(const char *directory)
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
