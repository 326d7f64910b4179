/*
 * whole_file.c - output files that are replaced only when the new content is complete.
 */
#include "mqd/dump/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "mqd/dump/base/fork.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"

/*
 * Gives the file the mode of the one that it replaces, if that is the user's own; else the mode that open() gives by
 * his umask, or less.
 */
static void set_mode(int descriptor, const struct stat *before, mode_t most)
{
    bool own = before != NULL && before->st_uid == geteuid();
    mode_t mask = umask(0);

    umask(mask);
    /* If this fails only the owner can use the file. */
    if (fchmod(descriptor, own ? before->st_mode & 0777 : most & ~mask) != 0)
        return;
}

/* What a name leads to, as it was found once: what is decided on is what is acted on, whatever others rename. */
struct target {
    int directory;                 /* opened with O_PATH */
    char *name;                    /* in it */
    int found;                     /* what has this name, opened with O_PATH; -1: nothing */
    struct stat status;            /* of it */
    bool nameless;                 /* a link of the kernel's leads there (/proc/self/fd/1), and no name does */
};

/* As many as the kernel follows. */
enum { MAX_LINKS = 40 };

static void target_close(struct target *target)
{
    close_one(&target->found);
    close_one(&target->directory);
    free_owned(&target->name);
}

static bool look_at(struct target *target)
{
    if (target->name[0] == '\0') {
        errno = EISDIR;
        return false;
    }
    target->found = openat(target->directory, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    return target->found >= 0 ? fstat(target->found, &target->status) == 0 : errno == ENOENT;
}

/* A path that is not absolute is one below the directory `from`. False with errno set; nothing is open then. */
static bool target_open(struct target *target, int from, const char *path)
{
    const char *slash = strrchr(path, '/');
    OWNED char *directory = slash == NULL ? copy_string(path[0] == '\0' ? "" : ".")
                                          : format_text("%.*s/", (int)(slash - path), path);

    *target = (struct target){.found = -1, .name = copy_string(slash == NULL ? path : slash + 1)};
    target->directory = openat(from, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (target->directory >= 0 && look_at(target))
        return true;
    target_close(target);
    return false;
}

/*
 * Others may put what they like under any name into a folder that all may write to: a link to a file of the user's, or
 * a pipe that nobody reads. The kernel can be told to mind that (fs.protected_symlinks), and is not everywhere.
 */
static bool is_planted(const struct target *target)
{
    const struct stat *file = &target->status;
    struct stat folder;

    return target->found >= 0 && !S_ISREG(file->st_mode) && fstat(target->directory, &folder) == 0 &&
           (folder.st_mode & S_IWOTH) != 0 && file->st_uid != geteuid() && file->st_uid != folder.st_uid;
}

/* Where a link of another user leads is for him to say: the user's file would be written where that one wants it. */
static bool is_to_follow(const struct target *target)
{
    return target->found >= 0 && S_ISLNK(target->status.st_mode) && !is_planted(target) &&
           (target->status.st_uid == geteuid() || target->status.st_uid == 0);
}

/* A link of the kernel's may lead to what has no name (any more): a pipe, or a file that was removed. */
static bool follow_to_nameless(struct target *target)
{
    struct statfs info;
    struct stat status;
    int end;

    if (fstatfs(target->found, &info) != 0 || info.f_type != PROC_SUPER_MAGIC)
        return false;
    end = openat(target->directory, target->name, O_PATH | O_CLOEXEC);
    if (end < 0)
        return false;
    if (fstat(end, &status) != 0 || (S_ISREG(status.st_mode) && status.st_nlink > 0)) {
        close(end);
        return false;
    }
    close(target->found);
    target->found = end;
    target->status = status;
    target->nameless = true;
    return true;
}

/* Follows a link, and those that it leads to. One that leads to nothing stays: it is replaced. */
static void follow(struct target *target, int n_links)
{
    char text[PATH_MAX];
    struct target next;
    ssize_t length;

    if (!is_to_follow(target) || n_links == MAX_LINKS || follow_to_nameless(target))
        return;
    length = readlinkat(target->found, "", text, sizeof text - 1);
    if (length < 0)
        return;
    text[length] = '\0';
    if (!target_open(&next, target->directory, text))
        return;
    follow(&next, n_links + 1);
    if (next.found < 0 || is_to_follow(&next)) {
        target_close(&next);
        return;
    }
    target_close(target);
    *target = next;
}

/* Opens a file without a name: it vanishes if mqdump ends early. -1 if the file system does not support such files. */
static int open_nameless(const struct whole_file *file)
{
    return openat(file->directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/* Fills in the end of file->temporary. */
static int open_named(struct whole_file *file)
{
    OWNED char *path = format_text("/proc/self/fd/%d/%s", file->directory, file->temporary);
    int descriptor = mkstemp(path), error = errno;

    strcpy(file->temporary, strrchr(path, '/') + 1);
    errno = error;
    return descriptor;
}

static int open_temporary(struct whole_file *file)
{
    int descriptor = open_nameless(file);

    file->temporary = format_text("%s.XXXXXX", file->name);
    file->nameless = descriptor >= 0;
    return file->nameless ? descriptor : open_named(file);
}

/* Blocks the signals that would end the program, until the file is in place or removed. */
static void hold_signals(struct whole_file *file)
{
    sigset_t ending;

    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, &file->signals);
}

static void open_beside(struct whole_file *file, const struct stat *before, mode_t most)
{
    int descriptor;

    hold_signals(file);
    descriptor = open_temporary(file);
    if (descriptor >= 0) {
        set_mode(descriptor, before, most);
        file->to = fdopen(descriptor, "w");
    }
}

/* Opens just what was found: the name may lead to something else now. */
static void open_itself(struct whole_file *file, int found)
{
    char link[64];
    int descriptor;

    snprintf(link, sizeof link, "/proc/self/fd/%d", found);
    descriptor = open(link, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0)
        file->to = fdopen(descriptor, "w");
}

static void release(struct whole_file *file)
{
    if (file->temporary != NULL)
        sigprocmask(SIG_SETMASK, &file->signals, NULL);
    close(file->directory);
    FREE_ALL(file->path, file->name, file->temporary);
}

/* Takes over the directory and the name. */
static void open_target(struct whole_file *file, struct target *target, mode_t most)
{
    bool there = target->found >= 0, regular = there && S_ISREG(target->status.st_mode);

    file->directory = target->directory;
    file->name = target->name;
    if (target->nameless || (there && !regular && !S_ISLNK(target->status.st_mode)))
        open_itself(file, target->found);
    else
        open_beside(file, regular ? &target->status : NULL, most);
    close_one(&target->found);
}

bool whole_file_open(struct whole_file *file, const char *path, mode_t most, char **why)
{
    struct target target;

    if (!target_open(&target, AT_FDCWD, path))
        return set_reason(why, "cannot write '%s': %s", path, strerror(errno));
    follow(&target, 0);
    if (is_planted(&target)) {
        target_close(&target);
        return set_reason(why, "cannot write '%s': another user has put it there, and it is no file", path);
    }
    *file = (struct whole_file){.path = copy_string(path)};
    open_target(file, &target, most);
    if (file->to != NULL)
        return true;
    set_reason(why, "cannot write '%s': %s", path, strerror(errno));
    release(file);
    return false;
}

/*
 * Gives the file a new name in the same folder, in file->temporary. link, unlike rename, never replaces another file.
 */
static bool give_temporary_name(struct whole_file *file, const char *link)
{
    size_t length = strlen(file->temporary);

    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(file->temporary + length - 6, 7, "%06lx",
                 ((unsigned long)getpid() * 100 + (unsigned long)attempt) & 0xffffff);
        if (linkat(AT_FDCWD, link, file->directory, file->temporary, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Gives the file its final name if that is free, else a temporary one from which it is moved. */
static bool give_name(struct whole_file *file, int descriptor, bool *in_place)
{
    char link[64];

    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    *in_place = linkat(AT_FDCWD, link, file->directory, file->name, AT_SYMLINK_FOLLOW) == 0;
    return *in_place || (errno == EEXIST && give_temporary_name(file, link));
}

/* Moves the file to its final name. False with errno set; there is then no temporary name any more. */
static bool put_in_place(struct whole_file *file, int descriptor, bool complete)
{
    bool named = !file->nameless, in_place = false, good = complete;
    int reason = errno;

    if (good && file->nameless) {
        good = named = give_name(file, descriptor, &in_place);
        reason = errno;
    }
    /* A link of that name is replaced, whoever has put it there meanwhile. */
    if (good && !in_place && renameat(file->directory, file->temporary, file->directory, file->name) != 0) {
        reason = errno;
        good = false;
    }
    if (!good && named)
        unlinkat(file->directory, file->temporary, 0);
    errno = reason;
    return good;
}

bool whole_file_close(struct whole_file *file, char **why)
{
    int descriptor = fcntl(fileno(file->to), F_DUPFD_CLOEXEC, 0), reason = errno;
    bool good = !ferror(file->to) && descriptor >= 0;

    /* Some file systems report only now that there was no room. */
    if (fclose(file->to) != 0 && good) {
        reason = errno;
        good = false;
    }
    errno = reason;
    if (file->temporary != NULL)
        good = put_in_place(file, descriptor, good);
    if (!good)
        set_reason(why, "cannot write '%s': %s", file->path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    release(file);
    return good;
}

/* Documents. */

mode_t mode_of_what_was_seen(void)
{
    return geteuid() == 0 ? PRIVATE_FILE : PUBLIC_FILE;
}

bool is_standard_output(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

bool flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    notice_give("cannot write: %s", strerror(errno));
    return false;
}

bool document_write(const char *path, mode_t most, document_writer *write, const void *context)
{
    struct whole_file file;
    OWNED char *why = NULL;
    bool good;

    if (is_standard_output(path)) {
        good = write(stdout, context);
        return flush_output() && good;
    }
    if (whole_file_open(&file, path, most, &why)) {
        good = write(file.to, context);
        if (whole_file_close(&file, &why))
            return good;
    }
    notice_give("%s", why);
    return false;
}
