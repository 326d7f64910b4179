/*
 * whole_file.c - output files that are there whole or not at all.
 */
#include "mqd/dump/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/common.h"

/* As if it had been made by open(): what the user's umask leaves. */
static void set_mode(int descriptor, const struct stat *before)
{
    mode_t mask = umask(0);

    umask(mask);
    /* If it cannot be, the file is for its owner alone. */
    if (fchmod(descriptor, before != NULL ? before->st_mode & 0777 : 0666 & ~mask) != 0)
        return;
}

static FILE *open_temporary(char *name, const struct stat *before)
{
    int descriptor = mkstemp(name);

    if (descriptor < 0)
        return NULL;
    set_mode(descriptor, before);
    return fdopen(descriptor, "w");
}

bool whole_file_open(struct whole_file *file, const char *path, char **why)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    char *real = there && S_ISREG(status.st_mode) ? realpath(path, NULL) : NULL;

    *file = (struct whole_file){.path = real != NULL ? real : copy_string(path)};
    if (real != NULL || !there) {
        file->temporary = format("%s.XXXXXX", file->path);
        file->to = open_temporary(file->temporary, there ? &status : NULL);
    } else {
        file->to = fopen(path, "w");
    }
    if (file->to != NULL)
        return true;
    fail(why, "cannot write '%s': %s", path, strerror(errno));
    free(file->path);
    free(file->temporary);
    return false;
}

bool whole_file_close(struct whole_file *file, char **why)
{
    bool good = !ferror(file->to);
    int reason = errno;

    if (fclose(file->to) != 0) {
        reason = errno;
        good = false;
    }
    if (good && file->temporary != NULL && rename(file->temporary, file->path) != 0) {
        reason = errno;
        good = false;
    }
    if (!good) {
        fail(why, "cannot write '%s': %s", file->path, strerror(reason));
        if (file->temporary != NULL)
            unlink(file->temporary);
    }
    free(file->path);
    free(file->temporary);
    return good;
}
