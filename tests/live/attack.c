/*
 * attack WAY [ARGUMENT...]: a rank that harms who looks at it without limits; tests/live/attacks.py says what comes of
 * it. It says "ready" when it has done what it is told, and waits.
 *
 *   map FILE...         maps files as libraries
 *   again N FILE        maps a file N times
 *   restore FILE        maps a file, and shortens and restores it all the time
 *   cover WHAT FILE     has a file in place of its "environment", or of what it knows of its "communicators"
 *   stops FILE...       maps the next of the files whenever it was stopped
 *   exec N              has N threads, of which one calls exec of this program again and again
 *   claim               calls nothing of MPI
 *   finished            has called MPI_Finalize
 *   other               is an Open MPI as nobody has it
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

enum { MAX_FILES = 100 };          /* that are open at a time */

extern char **environ;

static void give_up(const char *what)
{
    fprintf(stderr, "attack: %s: %s\n", what, strerror(errno));
    _exit(2);
}

static void say_ready(void)
{
    static const char ready[] = "ready\n";

    if (write(STDOUT_FILENO, ready, sizeof ready - 1) != (ssize_t)sizeof ready - 1)
        _exit(1);
}

/* The first page of a file, as a library has it. */
static void map_open(int file)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (file < 0 || mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
        give_up("map");
    close(file);
}

static void map_file(const char *path)
{
    map_open(open(path, O_RDONLY | O_CLOEXEC));
}

static void restore_for_ever(const char *path)
{
    struct stat info;

    map_file(path);
    if (stat(path, &info) != 0)
        give_up(path);
    say_ready();
    while (truncate(path, 5000) == 0 && truncate(path, info.st_size) == 0)
        rest(50);
    give_up(path);
}

/* Puts the first page of a file in the place of another page, of which nothing may be used from now on. */
static void cover(const char *what, const char *path)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const void *found = strcmp(what, "environment") == 0 ? environ[0] : dlsym(RTLD_DEFAULT, "ompi_mpi_communicators");

    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (found == NULL || file < 0 ||
        mmap((void *)((uintptr_t)found / page * page), page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
        give_up(what);
    say_ready();
    wait_for_ever(NULL);
}

/* Whoever traces it makes the call return. The files are opened before: their server may be dead by then. */
static void map_when_stopped(char **paths, int n)
{
    int events = epoll_create1(EPOLL_CLOEXEC), files[MAX_FILES];
    struct epoll_event event;

    for (int i = 0; i < n && i < MAX_FILES; i++)
        files[i] = open(paths[i], O_RDONLY | O_CLOEXEC);
    say_ready();
    for (int i = 0; i < n && i < MAX_FILES;)
        if (epoll_wait(events, &event, 1, -1) < 0 && errno == EINTR)
            map_open(files[i++]);
    wait_for_ever(NULL);
}

static void *exec_again(void *arguments)
{
    rest(2000 + getpid() % 7 * 1000);
    execv("/proc/self/exe", arguments);
    return NULL;
}

/* What this program has become by exec is silent. */
static void exec_for_ever(int n_threads, char **arguments)
{
    for (int i = 1; i < n_threads; i++)
        start(wait_for_ever, NULL);
    if (getenv("MQD_READY") == NULL)
        say_ready();
    setenv("MQD_READY", "", 1);
    start(exec_again, arguments);
    wait_for_ever(NULL);
}

/* What Open MPI keeps of a class, the same in all releases. */
struct class {
    const char *name;
    struct class *parent;
    void (*construct)(void), (*destruct)(void);
    int initialized, depth;
    void *constructors, *destructors;
    size_t size;
};

/* Its groups are said to be larger than any. */
static void become_another_build(void)
{
    struct class *group = dlsym(RTLD_DEFAULT, "ompi_group_t_class");

    if (group != NULL && strcmp(group->name, "ompi_group_t") == 0)
        group->size = 4321;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    if (strcmp(way, "exec") == 0 && argc == 3)
        exec_for_ever(atoi(argv[2]), argv);
    if (strcmp(way, "claim") != 0)
        MPI_Init(&argc, &argv);
    if (strcmp(way, "other") == 0)
        become_another_build();
    if (strcmp(way, "finished") == 0)
        MPI_Finalize();
    if (strcmp(way, "restore") == 0 && argc == 3)
        restore_for_ever(argv[2]);
    if (strcmp(way, "cover") == 0 && argc == 4)
        cover(argv[2], argv[3]);
    if (strcmp(way, "stops") == 0)
        map_when_stopped(argv + 2, argc - 2);
    if (strcmp(way, "again") == 0 && argc == 4)
        for (int i = 0; i < atoi(argv[2]); i++)
            map_file(argv[3]);
    if (strcmp(way, "map") == 0)
        for (int i = 2; i < argc; i++)
            map_file(argv[i]);
    say_ready();
    wait_for_ever(NULL);
}
