/*
 * own_debugger.h - the debugger's side of MQD in a program that is its own debugger: its memory is the target's. The
 * program includes a header of the interface before, ours or Open MPI's, and mpi.h.
 */
#ifndef OWN_DEBUGGER_H
#define OWN_DEBUGGER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void *infos[2];
static char keys[2];

static void put_image(mqs_image *image, mqs_image_info *info)
{
    (void)image;
    infos[0] = info;
}
static mqs_image_info *get_image(mqs_image *image)
{
    (void)image;
    return infos[0];
}
static void put_process(mqs_process *process, mqs_process_info *info)
{
    (void)process;
    infos[1] = info;
}
static mqs_process_info *get_process(mqs_process *process)
{
    (void)process;
    return infos[1];
}
static void print(const char *text)
{
    (void)text;
}
static char *error_text(int code)
{
    (void)code;
    return (char *)(uintptr_t) "not mapped";
}

static void type_sizes(mqs_process *process, mqs_target_type_sizes *sizes)
{
    (void)process;
    *sizes = (mqs_target_type_sizes){sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(void *)};
}
static int find_symbol(mqs_image *image, char *name, mqs_taddr_t *ta)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    (void)image;
    if (found == NULL)
        return mqs_first_user_code;
    if (ta != NULL)
        *ta = (mqs_taddr_t)(uintptr_t)found;
    return mqs_ok;
}
static int find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ta)
{
    (void)language;
    return find_symbol(image, name, ta);
}
static mqs_type *no_type(mqs_image *image, char *name, mqs_lang_code language)
{
    (void)image;
    (void)name;
    (void)language;
    return NULL;
}
static int no_offset(mqs_type *type, char *name)
{
    (void)type;
    (void)name;
    return -1;
}
static int no_size(mqs_type *type)
{
    (void)type;
    return -1;
}

static int global_rank(mqs_process *process)
{
    int rank;

    (void)process;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}
static mqs_image *image_of(mqs_process *process)
{
    (void)process;
    return (mqs_image *)(void *)&keys[0];
}
/* A word that is read as another value than it has; 0: none. */
static uintptr_t lie_ta;
static uint32_t lie;
static long n_reads;

static int read_memory(uintptr_t ta, int n, void *to)
{
    struct iovec local = {to, (size_t)n}, remote = {(void *)ta, (size_t)n};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == n;
}
static int fetch(mqs_process *process, mqs_taddr_t ta, int n, void *to)
{
    (void)process;
    n_reads++;
    if (!read_memory((uintptr_t)ta, n, to))
        return mqs_first_user_code;
    if (lie_ta != 0 && lie_ta >= ta && lie_ta + sizeof lie <= ta + (uintptr_t)n)
        memcpy((char *)to + (lie_ta - ta), &lie, sizeof lie);
    return mqs_ok;
}
static void to_host(mqs_process *process, const void *from, void *to, int n)
{
    (void)process;
    memcpy(to, from, (size_t)n);
}

static const mqs_basic_callbacks basic = {malloc,    free,      print,       error_text,
                                          put_image, get_image, put_process, get_process};
static const mqs_image_callbacks of_image = {type_sizes, find_function, find_symbol, no_type, no_offset, no_size};
static const mqs_process_callbacks of_process = {global_rank, image_of, fetch, to_host};

static mqs_process *const process = (mqs_process *)(void *)&keys[1];
static mqs_image *const image = (mqs_image *)(void *)&keys[0];

static void *open_dll(const char *path)
{
    void *dll = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (dll == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return dll;
}

static void *of_dll(void *dll, const char *name)
{
    void *found = dlsym(dll, name);

    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return found;
}

#define CALL(dll, name, type, ...) ((type)of_dll(dll, name))(__VA_ARGS__)

#endif
