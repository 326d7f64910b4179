/*
 * whole_file.c - output files that are replaced only when the new content is complete.
 */
#include "mqd/dump/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* Gives the file the mode of the one that it replaces; without one, the mode that open() gives by the user's umask. */
static void set_mode(int descriptor, const struct stat *before)
{
    mode_t mask = umask(0);

    umask(mask);
    /* If this fails only the owner can use the file. */
    if (fchmod(descriptor, before != NULL ? before->st_mode & 0777 : 0666 & ~mask) != 0)
        return;
}

/* Opens a file without a name: it vanishes if mqdump ends early. -1 if the file system does not support such files. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash == NULL ? copy_string(".") : format_text("%.*s/", (int)(slash - path), path);
    int descriptor = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    free(directory);
    return descriptor;
}

static int open_temporary(struct whole_file *file)
{
    int descriptor = open_nameless(file->path);

    file->temporary = format_text("%s.XXXXXX", file->path);
    file->nameless = descriptor >= 0;
    return file->nameless ? descriptor : mkstemp(file->temporary);
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

static void open_beside(struct whole_file *file, const struct stat *before)
{
    int descriptor;

    hold_signals(file);
    descriptor = open_temporary(file);
    if (descriptor >= 0) {
        set_mode(descriptor, before);
        file->to = fdopen(descriptor, "w");
    }
}

static void release(struct whole_file *file)
{
    if (file->temporary != NULL)
        sigprocmask(SIG_SETMASK, &file->signals, NULL);
    free(file->path);
    free(file->temporary);
}

bool whole_file_open(struct whole_file *file, const char *path, char **why)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    char *real = there && S_ISREG(status.st_mode) ? realpath(path, NULL) : NULL;

    *file = (struct whole_file){.path = real != NULL ? real : copy_string(path)};
    if (real != NULL || !there)
        open_beside(file, there ? &status : NULL);
    else
        file->to = fopen(path, "w");
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
        if (linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0)
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
    *in_place = linkat(AT_FDCWD, link, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW) == 0;
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
    if (good && !in_place && rename(file->temporary, file->path) != 0) {
        reason = errno;
        good = false;
    }
    if (!good && named)
        unlink(file->temporary);
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
