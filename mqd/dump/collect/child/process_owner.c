/*
 * process_owner.c - whose rights suffice to look at a process or a core file.
 */
#include "mqd/dump/collect/child/process_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/proc.h"

/* As id of a user or group -1 means "unchanged" in system calls: it is nobody's. */
static const int64_t no_id = UINT32_MAX;

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

/* Of a process. */

/* The ids of one line of /proc/PID/status, in the order of the line. */
enum { REAL, EFFECTIVE, SAVED, FILE_SYSTEM, N_IDS };

static void skip_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

static bool read_ids(const char *line, int64_t ids[N_IDS])
{
    for (int i = 0; line != NULL && i < N_IDS; i++) {
        skip_blanks(&line);
        if (!number_take(&line, no_id - 1, &ids[i]))
            return false;
    }
    return line != NULL && *line == '\n';
}

static bool are_equal(const int64_t ids[N_IDS])
{
    return ids[REAL] == ids[EFFECTIVE] && ids[REAL] == ids[SAVED] && ids[REAL] == ids[FILE_SYSTEM];
}

/* Not root, if any id is another user's. */
static int64_t choose_user(const int64_t ids[N_IDS])
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
static int64_t unmapped_id(const char *map_file, const char *id_file)
{
    OWNED char *map = proc_read("%s", map_file), *text = NULL;
    unsigned long inner, outer, n;
    int64_t id = no_id;

    if (map != NULL && !(sscanf(map, "%lu %lu %lu", &inner, &outer, &n) == 3 && n == UINT32_MAX)) {
        text = proc_read("%s", id_file);
        id = text != NULL ? strtoll(text, NULL, 10) : (int64_t)nobody;
    }
    return id;
}

static bool read_groups(struct owner *owner, const char *line)
{
    int64_t unmapped = unmapped_id("/proc/self/gid_map", "/proc/sys/kernel/overflowgid");
    size_t room = 0;
    int64_t group;

    if (line == NULL)
        return false;
    for (skip_blanks(&line); *line != '\n'; skip_blanks(&line)) {
        if (!number_take(&line, no_id - 1, &group))
            return false;
        if (group != unmapped)
            APPEND(owner->groups, owner->n_groups, room, (gid_t)group);
    }
    sort_groups(owner);
    return true;
}

static bool parse_status(struct owner *owner, const char *text)
{
    int64_t users[N_IDS], groups[N_IDS];

    if (!read_ids(proc_status_value(text, "Uid"), users) || !read_ids(proc_status_value(text, "Gid"), groups))
        return false;
    owner->user = (uid_t)choose_user(users);
    owner->group = nobody;
    if (!are_equal(users) || !are_equal(groups))
        return true;
    owner->group = (gid_t)groups[REAL];
    return read_groups(owner, proc_status_value(text, "Groups"));
}

bool owner_of_process(struct owner *owner, pid_t pid, char **why)
{
    struct owner found = {0};
    OWNED char *text = proc_read("/proc/%d/status", (int)pid);
    bool good;

    if (text == NULL)
        return is_of_end(errno) ? set_reason(why, "it has ended")
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
    int place = open(path, O_PATH | O_CLOEXEC | flags);
    bool good;

    if (place < 0)
        return false;
    good = fstat(place, info) == 0;
    close_one(&place);
    return good;
}

static bool refuse_file(char **why, int error, const char *reason)
{
    set_reason(why, "%s", reason);
    errno = error;
    return false;
}

bool owner_of_file(struct owner *owner, const char *path, char **why)
{
    struct stat link, info;

    if (!look_at(path, O_NOFOLLOW, &link) || !look_at(path, 0, &info))
        return refuse_file(why, errno, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return refuse_file(why, EPERM, "it is no regular file");
    if (S_ISLNK(link.st_mode) && link.st_uid != info.st_uid && link.st_uid != getuid())
        return refuse_file(why, EPERM, "it is a link of one user to a file of another one");
    if (info.st_uid == getuid())
        owner_of_caller(owner);
    else
        *owner = (struct owner){.user = info.st_uid, .group = nobody};
    return true;
}
