/*
 * A part of a program that stops at stages of its life that are over in no time otherwise: before main, before MPI_Init,
 * each time that MPI_Init opens a plugin, and after MPI_Finalize.
 *
 * A stage whose name contains a word of $MQD_HOLD (words are separated by colons; an empty one is in all names) begins
 * with a file $MQD_TRUTH_DIR/hold.RANK.N that says "PID NAME", N counting from 0; the rank goes on when there is a file
 * of that name with ".go".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static bool is_wanted(const char *stage)
{
    const char *word = getenv("MQD_HOLD");

    while (word) {
        size_t length = strcspn(word, ":");
        char text[256];

        snprintf(text, sizeof text, "%.*s", (int)length, word);
        if (strstr(stage, text))
            return true;
        word = word[length] ? word + length + 1 : NULL;
    }
    return false;
}

static void announce(const char *path, const char *stage)
{
    char unfinished[MAX_PATH];
    FILE *file;

    snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
    file = fopen(unfinished, "w");
    if (!file)
        _exit(2);
    fprintf(file, "%ld %s", (long)getpid(), stage);
    if (fclose(file) || rename(unfinished, path))
        _exit(2);
}

static void hold(const char *stage)
{
    static int n;
    const char *directory = getenv("MQD_TRUTH_DIR"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[MAX_PATH - 16], go[MAX_PATH];

    if (!directory || !is_wanted(stage))
        return;
    snprintf(path, sizeof path, "%s/hold.%s.%d", directory, rank ? rank : "0", n++);
    snprintf(go, sizeof go, "%s.go", path);
    announce(path, stage);
    while (access(go, F_OK)) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (access(directory, F_OK))
            _exit(2);
    }
}

__attribute__((constructor)) static void before_main(void)
{
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    hold("constructor");
}

/* Found before the C library's, by Open MPI too. */
void *dlopen(const char *path, int flags)
{
    static void *(*original)(const char *, int);
    char stage[MAX_PATH];

    if (!original) {
        void *address = dlsym(RTLD_NEXT, "dlopen");

        memcpy(&original, &address, sizeof original);
    }
    snprintf(stage, sizeof stage, "dlopen %s", path ? path : "");
    hold(stage);
    return original(path, flags);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    hold("main");
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Finalize(void)
{
    int rc = PMPI_Finalize();

    hold("finalized");
    return rc;
}
