/*
 * process_owner.c - whose rights suffice to look at a process or a core file.
 */
#include "mqd/dump/collect/child/process_owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/proc.h"

/* As id of a user or group -1 means "unchanged" in system calls: it is nobody's. */
static const uint64_t no_id = UINT32_MAX;

/* The group of nobody: the kernel uses its number for ids that it cannot express, and no files belong to it. */
static const gid_t nobody = 65534;

/* Groups. */

static int compare_groups(const void *a, const void *b)
{
    return ORDER(*(const gid_t *)a, *(const gid_t *)b);
}

static void sort_groups(struct owner *owner)
{
    size_t n = 0;

    SORT(owner->groups, owner->n_groups, compare_groups);
    for (size_t i = 0; i < owner->n_groups; i++)
        if (n == 0 || owner->groups[n - 1] != owner->groups[i])
            owner->groups[n++] = owner->groups[i];
    owner->n_groups = n < MAX_OWNER_GROUPS ? n : MAX_OWNER_GROUPS;
}

void owner_clear(struct owner *owner)
{
    free(owner->groups);
    owner->groups = NULL;
    owner->n_groups = 0;
}

bool owner_owns(const struct owner *owner, pid_t pid, char **why)
{
    RELEASED_BY(owner_clear) struct owner now = {0};
    OWNED char *problem = NULL;

    if (owner_of_process(&now, pid, &problem) && !owners_equal(&now, owner))
        set_reason(&problem, "it belongs to another user since mqdump was started: look again");
    return problem == NULL || proc_has_ended(pid) || set_reason(why, "%s", problem);
}

bool owners_equal(const struct owner *a, const struct owner *b)
{
    return a->user == b->user && a->group == b->group;
}

void owner_join(struct owner *owner, const struct owner *other)
{
    size_t n = 0, j = 0;

    for (size_t i = 0; i < owner->n_groups; i++) {
        while (j < other->n_groups && other->groups[j] < owner->groups[i])
            j++;
        if (j < other->n_groups && other->groups[j] == owner->groups[i])
            owner->groups[n++] = owner->groups[i];
    }
    owner->n_groups = n;
    if (n == 0)
        owner_clear(owner);
}

/* Numbers. */

/* Reads the decimal digits at *text, and moves it behind them. */
static bool take_id(const char **text, uint32_t *id)
{
    uint64_t value = 0;

    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); (*text)++) {
        value = value * 10 + (uint64_t)(**text - '0');
        if (value >= no_id)
            return false;
    }
    *id = (uint32_t)value;
    return true;
}

static bool take(const char **text, char character)
{
    if (**text != character)
        return false;
    (*text)++;
    return true;
}

char *owner_text(const struct owner *owner)
{
    /* 10 digits and a comma for each id. */
    size_t size = (owner->n_groups + 2) * 11 + 1, at;
    char *text = allocate_array(size, 1);

    at = (size_t)snprintf(text, size, "%lu:%lu:", (unsigned long)owner->user, (unsigned long)owner->group);
    for (size_t i = 0; i < owner->n_groups; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lu", i > 0 ? "," : "", (unsigned long)owner->groups[i]);
    return text;
}

static bool parse_groups(struct owner *owner, const char *text)
{
    size_t room = 0;
    uint32_t group;

    if (*text == '\0')
        return true;
    do {
        if (owner->n_groups == MAX_OWNER_GROUPS || !take_id(&text, &group))
            return false;
        APPEND(owner->groups, owner->n_groups, room, (gid_t)group);
    } while (take(&text, ','));
    sort_groups(owner);
    return *text == '\0';
}

bool owner_parse(struct owner *owner, const char *text)
{
    struct owner found = {0};
    uint32_t user, group;

    if (!take_id(&text, &user) || !take(&text, ':') || !take_id(&text, &group) || !take(&text, ':'))
        return false;
    found.user = (uid_t)user;
    found.group = (gid_t)group;
    if (!parse_groups(&found, text)) {
        owner_clear(&found);
        return false;
    }
    *owner = found;
    return true;
}

/* Of a process. */

/* The ids of one line of /proc/PID/status, in the order of the line. */
enum { REAL, EFFECTIVE, SAVED, FILE_SYSTEM, N_IDS };

/* The text behind "KEY:" at the beginning of a line. The kernel escapes newlines in names. */
static const char *find_line(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (; text != NULL; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (strncmp(text, key, length) == 0 && text[length] == ':')
            return text + length + 1;
    }
    return NULL;
}

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

static bool read_ids(const char *line, uint32_t ids[N_IDS])
{
    for (int i = 0; line != NULL && i < N_IDS; i++) {
        skip_blanks(&line);
        if (!take_id(&line, &ids[i]))
            return false;
    }
    return line != NULL && *line == '\n';
}

static bool are_equal(const uint32_t ids[N_IDS])
{
    return ids[REAL] == ids[EFFECTIVE] && ids[REAL] == ids[SAVED] && ids[REAL] == ids[FILE_SYSTEM];
}

/* Not root, if any id is another user's. */
static uint32_t choose_user(const uint32_t ids[N_IDS])
{
    for (int i = REAL; i < N_IDS; i++)
        if (ids[i] != 0)
            return ids[i];
    return 0;
}

/*
 * The id by which the caller's user namespace shows users, or groups, that it does not map; no_id if it maps all.
 * Of a map that cannot be read, as from a kernel without such namespaces, nothing is known to be left out.
 */
static uint64_t unmapped_id(const char *map_file, const char *id_file)
{
    size_t size;
    OWNED char *map = proc_read_file(map_file, &size), *text = NULL;
    unsigned long inner, outer, n;
    uint64_t id = no_id;

    if (map != NULL && !(sscanf(map, "%lu %lu %lu", &inner, &outer, &n) == 3 && n == UINT32_MAX)) {
        text = proc_read_file(id_file, &size);
        id = text != NULL ? strtoull(text, NULL, 10) : nobody;
    }
    return id;
}

static bool read_groups(struct owner *owner, const char *line)
{
    uint64_t unmapped = unmapped_id("/proc/self/gid_map", "/proc/sys/kernel/overflowgid");
    size_t room = 0;
    uint32_t group;

    if (line == NULL)
        return false;
    for (skip_blanks(&line); *line != '\n'; skip_blanks(&line)) {
        if (!take_id(&line, &group))
            return false;
        if (group != unmapped)
            APPEND(owner->groups, owner->n_groups, room, (gid_t)group);
    }
    sort_groups(owner);
    return true;
}

static bool parse_status(struct owner *owner, const char *text)
{
    uint32_t users[N_IDS], groups[N_IDS];

    if (!read_ids(find_line(text, "Uid"), users) || !read_ids(find_line(text, "Gid"), groups))
        return false;
    owner->user = (uid_t)choose_user(users);
    owner->group = nobody;
    if (!are_equal(users) || !are_equal(groups))
        return true;
    owner->group = (gid_t)groups[REAL];
    return read_groups(owner, find_line(text, "Groups"));
}

bool owner_of_process(struct owner *owner, pid_t pid, char **why)
{
    struct owner found = {0};
    size_t size;
    OWNED char *text = proc_read(pid, "status", &size);
    bool good;

    if (text == NULL)
        return errno == ENOENT || errno == ESRCH ? set_reason(why, "it has ended")
                                                 : set_reason(why, "/proc/%d/status: %s", (int)pid, strerror(errno));
    good = parse_status(&found, text);
    if (!good)
        set_reason(why, "/proc/%d/status does not tell whose it is", (int)pid);
    else if (found.user == unmapped_id("/proc/self/uid_map", "/proc/sys/kernel/overflowuid"))
        good = set_reason(why, "it belongs to a user outside of the user namespace in which mqdump runs");
    if (good)
        *owner = found;
    else
        owner_clear(&found);
    return good;
}

void owner_of_caller(struct owner *owner)
{
    int n = getgroups(0, NULL);

    *owner = (struct owner){.user = getuid(), .group = getgid()};
    if (n <= 0)
        return;
    owner->groups = allocate_array((size_t)n, sizeof *owner->groups);
    n = getgroups(n, owner->groups);
    owner->n_groups = n > 0 ? (size_t)n : 0;
    sort_groups(owner);
    if (owner->n_groups == 0)
        owner_clear(owner);
}

/* Of a file. */

/* The status of what a path leads to, without opening it. */
static bool look_at(const char *path, int flags, struct stat *info)
{
    int place = open(path, O_PATH | O_CLOEXEC | flags), error;
    bool good;

    if (place < 0)
        return false;
    good = fstat(place, info) == 0;
    error = errno;
    close(place);
    errno = error;
    return good;
}

static bool fail_to_find(char **why)
{
    int error = errno;

    set_reason(why, "%s", strerror(error));
    errno = error;
    return false;
}

static bool refuse_file(char **why, const char *reason)
{
    set_reason(why, "%s", reason);
    errno = EPERM;
    return false;
}

bool owner_of_file(struct owner *owner, const char *path, char **why)
{
    struct stat link, info;

    if (!look_at(path, O_NOFOLLOW, &link) || !look_at(path, 0, &info))
        return fail_to_find(why);
    if (!S_ISREG(info.st_mode))
        return refuse_file(why, "it is no regular file");
    if (S_ISLNK(link.st_mode) && link.st_uid != info.st_uid && link.st_uid != getuid())
        return refuse_file(why, "it is a link of one user to a file of another one");
    if (info.st_uid == getuid())
        owner_of_caller(owner);
    else
        *owner = (struct owner){.user = info.st_uid, .group = nobody};
    return true;
}
