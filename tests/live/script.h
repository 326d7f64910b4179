/*
 * script.h - what the steps of prog_script.c and of told.c share.
 */
#ifndef TESTS_LIVE_SCRIPT_H
#define TESTS_LIVE_SCRIPT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { N_ARGUMENTS = 64, N_SLOTS = 512, ATTACHED_BYTES = 16 << 20 };

struct line {
    void (*step)(struct line *);
    int times;
    bool in_thread, in_finalize, is_counting;
    int n;
    int a[N_ARGUMENTS];
    char *name;
    unsigned flags; /* of told.c */
    void *out, *in; /* memory that stays until the end, since a request may use it */
};

/* A step's name and its function. All of them are in one section of the program, which the linker knows by its name. */
struct step {
    const char *name;
    void (*run)(struct line *);
};

extern const struct step __start_steps[], __stop_steps[];

extern MPI_Comm communicators[N_SLOTS];
extern MPI_Request requests[N_SLOTS];
extern char attached[ATTACHED_BYTES];

#define COMM communicators[l->a[0]]
#define STEP(name)                                                                                              \
    static void step_##name(struct line *);                                                                     \
    static const struct step of_##name __attribute__((used, section("steps"))) = {#name, step_##name};          \
    static __attribute__((noinline)) void step_##name(struct line *l __attribute__((unused)))

/* Sets what a word among the arguments of such a step means; false: it is no such word. */
bool told_flag(struct line *l, const char *word);

/* Before the first step. */
void told_begin(void);

#endif
