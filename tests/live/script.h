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
    bool in_thread, in_finalize;
    int n;
    int a[N_ARGUMENTS];
    char *name;
    unsigned flags; /* of told.c */
    void *out, *in; /* memory that stays until the end, since a request may use it */
};

struct step {
    const char *name;
    void (*run)(struct line *);
};

extern MPI_Comm communicators[N_SLOTS];
extern MPI_Request requests[N_SLOTS];
extern char attached[ATTACHED_BYTES];

#define COMM communicators[l->a[0]]
#define STEP(name) static __attribute__((noinline)) void step_##name(struct line *l)
#define NAMED(name) {#name, step_##name}

/* Those of told.c; the last one has no name. */
extern const struct step told_steps[];

/* Sets what a word among the arguments of such a step means; false: it is no such word. */
bool told_flag(struct line *l, const char *word);

/* Before the first step. */
void told_begin(void);

#endif
