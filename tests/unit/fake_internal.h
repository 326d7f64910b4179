/*
 * fake_internal.h - Open MPI's objects for windows, files and partitioned communication, with the communicators that it
 * makes for them.
 */
#ifndef FAKE_INTERNAL_H
#define FAKE_INTERNAL_H

#include "fake_job.h"

/* Makes the tables of windows and files, with MPI_WIN_NULL and MPI_FILE_NULL in their first slots. */
void fake_internal_init(struct fake_job *job);

/*
 * A window in a slot of their table, over the group of `user`. The component's module is `before` words of zeros behind
 * what all modules begin with, then `comm`, then 0.
 */
struct fake_window {
    fake_ta ta, module;
    fake_ta comm_at;      /* where the module has its communicator */
    uint32_t slot;
};
struct fake_window fake_window_new(struct fake_job *job, uint32_t slot, const char *module_template,
                                   const struct fake_comm *user, size_t before, fake_ta comm);

/* The symbol of a component's template, with functions of its own. Several may be added. */
void fake_template_add(struct fake_job *job, const char *symbol);

/* MPI_Win_free: the slot is empty; memory keeps what it had, but for the module's communicator. */
void fake_window_free(struct fake_job *job, const struct fake_window *window);

/* A file in a slot of their table, opened on `user` by a component of that name, which keeps `comm`. */
struct fake_file {
    fake_ta ta, comm_at;
};
struct fake_file fake_file_new(struct fake_job *job, uint32_t slot, const char *component,
                               const struct fake_comm *user, fake_ta comm);

/*
 * The communicator's collective operations are done by a module of coll/han's, with these communicators for parts of
 * its processes: `low` and `up` in arrays, and `single` by itself. Only 6.0 has three in `low`; in others something
 * else lies behind the two.
 */
struct fake_han {
    fake_ta module, low_array;
};
struct fake_han fake_han_new(struct fake_job *job, const struct fake_comm *owner, const fake_ta low[3],
                             const fake_ta up[3], fake_ta single);

/* Since 5.0: init_world is -1 before the first request, 0 at it, then 1. */
fake_ta fake_partitioned(struct fake_job *job, int init_world, fake_ta comm, fake_ta setup);

/* What Open MPI says of its threads; before the first call there are no such symbols. */
void fake_threads_set(struct fake_job *job, int provided, int multiple, int uses_threads);

/* MPI_Win_set_name; the name that a file was opened by. */
void fake_window_set_name(struct fake_job *job, const struct fake_window *window, const char *name);
void fake_file_set_name(struct fake_job *job, const struct fake_file *file, const char *name);

/* The communicator's nonblocking collective operations are done by one module of coll/libnbc's. */
struct fake_coll {
    fake_ta module;
    fake_ta nonblocking_at; /* a function and a module for each */
};
struct fake_coll fake_libnbc_new(struct fake_job *job, const struct fake_comm *comm);

#endif
