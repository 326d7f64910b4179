/*
 * plain_file.c - opens files whose names come from elsewhere.
 */
#include "mqd/dump/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "mqd/dump/common.h"

static int look_up_below(int root, const char *path)
{
#ifdef SYS_openat2
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long place = syscall(SYS_openat2, root, path, &how, sizeof how);

    if (place >= 0 || (errno != ENOSYS && errno != EPERM))
        return (int)place;
#endif
    return openat(root, path + strspn(path, "/"), O_PATH | O_CLOEXEC);
}

/* Where the path leads, without anything being opened. */
static int look_up(const char *root, const char *path)
{
    int directory, place, error;

    if (root == NULL)
        return open(path, O_PATH | O_CLOEXEC);
    directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -1;
    place = look_up_below(directory, path);
    error = errno;
    close(directory);
    errno = error;
    return place;
}

int plain_file_open(const char *root, const char *path, char **why)
{
    int place = look_up(root, path), file = -1;
    struct stat info;
    char link[64];

    if (place < 0) {
        fail(why, "%s", strerror(errno));
        return -1;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    if (fstat(place, &info) != 0 || !S_ISREG(info.st_mode))
        fail(why, "it is no regular file");
    else if ((file = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0)
        fail(why, "%s", strerror(errno));
    close(place);
    return file;
}
