/*
 * thread_list.c - threads of ranks as people write them, and what they do in the words of the OpenMP standard.
 */
#include "mqd/dump/show/say/thread_list.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"

/* Longer lists of numbers are cut, and more or longer names are not told. */
enum { MAX_NUMBERS_TEXT = 40, MAX_NAMES_TEXT = 60, MAX_NAMES = 3 };

/* The kernel has so much of a thread's name; a record may have more. */
enum { MAX_COMM = 15 };

/* States. */

static const struct {
    const char *does, *waits;
} states[] = {
    [OPENMP_unknown] = {"not known", NULL},
    [OPENMP_work_serial] = {"outside of any region", NULL},
    [OPENMP_work_parallel] = {"in the region", NULL},
    [OPENMP_overhead] = {"in the runtime", NULL},
    [OPENMP_idle] = {"idle", NULL},
    [OPENMP_wait_barrier] = {"at a barrier", "OpenMP barrier"},
    [OPENMP_wait_barrier_explicit] = {"at an explicit barrier", "OpenMP barrier"},
    [OPENMP_wait_barrier_implicit_workshare] = {"at the implicit barrier of a worksharing construct",
                                                "implicit OpenMP barrier"},
    [OPENMP_wait_barrier_implicit_parallel] = {"at the implicit barrier at the end of the region",
                                               "OpenMP barrier at the end of the region"},
    [OPENMP_wait_taskwait] = {"in taskwait", "OpenMP taskwait"},
    [OPENMP_wait_taskgroup] = {"at the end of a taskgroup", "end of an OpenMP taskgroup"},
    [OPENMP_wait_mutex] = {"waiting for a mutex", "mutex"},
    [OPENMP_wait_lock] = {"waiting for a lock", "OpenMP lock"},
    [OPENMP_wait_critical] = {"waiting to enter a critical region", "OpenMP critical region"},
    [OPENMP_wait_atomic] = {"waiting to enter an atomic region", "OpenMP atomic region"},
    [OPENMP_wait_ordered] = {"waiting to enter an ordered region", "OpenMP ordered region"},
    [OPENMP_ended] = {"ended", NULL},
    [OPENMP_wait_condition] = {"waiting for a condition", "condition"},
};

static size_t state_row(int state)
{
    return state >= 0 && (size_t)state < sizeof states / sizeof *states ? (size_t)state : OPENMP_unknown;
}

const char *openmp_state_does(int state)
{
    return states[state_row(state)].does;
}

const char *openmp_row_waits(const struct openmp_thread *row)
{
    bool is_helper = row->state == OPENMP_wait_condition && row->place == NULL && row->object_name == NULL;

    return !is_helper ? states[state_row(row->state)].waits : NULL;
}

/* By their ids. */

static int compare_rows(const void *a, const void *b)
{
    const struct openmp_thread *x = *(const struct openmp_thread *const *)a;
    const struct openmp_thread *y = *(const struct openmp_thread *const *)b;

    return ORDER(x->thread, y->thread) ?: ORDER(x, y);
}

static int compare_id(const void *key, const void *element)
{
    return ORDER(*(const pid_t *)key, (*(const struct openmp_thread *const *)element)->thread);
}

void thread_index_make(struct thread_index *index, const struct listing *listing)
{
    const struct openmp *openmp = listing->openmp;
    const struct openmp_thread *main_thread;

    *index = (struct thread_index){.openmp = openmp, .main_thread = listing->pid};
    if (openmp == NULL)
        return;
    index->rows = allocate_array(openmp->n_threads + 1, sizeof *index->rows);
    for (size_t i = 0; i < openmp->n_threads; i++)
        if (openmp->threads[i].thread != 0)
            index->rows[index->n++] = &openmp->threads[i];
    SORT(index->rows, index->n, compare_rows);
    index->program = listing->executable != NULL ? name_of_path(listing->executable) : NULL;
    main_thread = thread_index_find(index, listing->pid);
    index->main_name = main_thread != NULL ? main_thread->name : NULL;
}

void thread_index_clear(struct thread_index *index)
{
    free(index->rows);
    *index = (struct thread_index){0};
}

struct thread_index *thread_indexes_make(const struct listing *const *listings, size_t n)
{
    struct thread_index *indexes = allocate_array(n, sizeof *indexes);

    for (size_t i = 0; i < n; i++)
        thread_index_make(&indexes[i], listings[i]);
    return indexes;
}

void thread_indexes_free(struct thread_index *indexes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        thread_index_clear(&indexes[i]);
    free(indexes);
}

const struct openmp_thread *thread_index_find(const struct thread_index *index, pid_t thread)
{
    size_t at = search_first(&thread, index->rows, index->n, sizeof *index->rows, compare_id);

    return at < index->n && index->rows[at]->thread == thread ? index->rows[at] : NULL;
}

/* A thread begins with the name of the one that has started it, and that with the program's. */
static const char *given_name(const struct thread_index *index, const struct openmp_thread *row)
{
    if (row->name == NULL || *row->name == '\0' ||
        (index->main_name != NULL && strcmp(row->name, index->main_name) == 0) ||
        (index->program != NULL && strncmp(row->name, index->program, MAX_COMM) == 0))
        return NULL;
    return row->name;
}

/* Threads of a pool have the same name. */
static bool has_namesake(const struct thread_index *index, const struct openmp_thread *row)
{
    return ANY(i, index->n, index->rows[i] != row && index->rows[i]->name != NULL &&
                                strcmp(index->rows[i]->name, row->name) == 0);
}

struct thread_member thread_member_of(const struct thread_index *index, const struct openmp_thread *row, size_t rank)
{
    struct thread_member member = {.rank = rank, .team = -1, .number = -1};

    if (row == NULL)
        return member;
    if (row->team >= 0 && row->number >= 0 && index->openmp->teams[row->team].size > 1) {
        member.team = row->team;
        member.number = row->number;
        member.size = index->openmp->teams[row->team].size;
    }
    member.name = given_name(index, row);
    return member;
}

/* Several threads. */

static int compare_names(const char *a, const char *b)
{
    return a != NULL && b != NULL ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_members(const void *a, const void *b)
{
    const struct thread_member *x = a, *y = b;

    return ORDER(x->rank, y->rank) ?: ORDER(x->number, y->number) ?: compare_names(x->name, y->name);
}

/* How many sorted members the first rank has, if all ranks have the same ones; else 0. */
static size_t count_of_each(const struct thread_member *members, size_t n)
{
    size_t each = 1;

    while (each < n && members[each].rank == members[0].rank)
        each++;
    for (size_t i = 0; i < n; i++) {
        const struct thread_member *first = &members[i - i % each], *same = &members[i % each];
        bool is_another_rank = i < each || i % each > 0 || members[i].rank != members[i - 1].rank;

        if (!is_another_rank || members[i].rank != first->rank || members[i].team != first->team ||
            members[i].number != same->number || members[i].size != same->size)
            return 0;
    }
    return n % each == 0 ? each : 0;
}

char *say_thread_numbers(long *numbers, size_t n, long size)
{
    OWNED char *list = NULL, *shown = NULL;

    n = ranks_sort(numbers, n);
    list = ranks_list(numbers, n, ",");
    shown = ranks_shorten(list, MAX_NUMBERS_TEXT);
    return size > 0 ? format_text("thread%s %s of %s", n == 1 ? "" : "s", shown, NUMBER(size))
                    : format_text("thread%s %s", n == 1 ? "" : "s", shown);
}

static char *say_numbers(const struct thread_member *members, size_t n, bool with_size)
{
    OWNED long *numbers = allocate_array(n, sizeof *numbers);

    for (size_t i = 0; i < n; i++)
        numbers[i] = members[i].number;
    return say_thread_numbers(numbers, n, with_size ? members->size : 0);
}

/* Names that differ by a number are folded as those of machines are, which have no other bytes. */
static char *fold_names(const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!host_name_is_valid(names[i]))
            return NULL;
    return host_list_fold(names, n);
}

/* "thread "writer"", "4 threads "writer"", "threads "io-[0-3]"", "threads "reader", "writer"". */
static char *say_names(const struct thread_member *members, size_t n)
{
    OWNED const char **names = allocate_array(n, sizeof *names);
    OWNED char *folded = NULL, *list = copy_string("");
    size_t n_names = 0;

    for (size_t i = 0; i < n; i++) {
        if (members[i].name == NULL)
            return NULL;
        if (n_names == 0 || strcmp(names[n_names - 1], members[i].name) != 0)
            names[n_names++] = members[i].name;
    }
    if (n_names == 1)
        return n == 1 ? format_text("thread \"%.*s\"", MAX_COMM, names[0])
                      : format_text("%s threads \"%.*s\"", NUMBER(n), MAX_COMM, names[0]);
    folded = n_names == n ? fold_names(names, n_names) : NULL;
    if (folded != NULL && strlen(folded) <= MAX_NAMES_TEXT && strchr(folded, ',') == NULL)
        return format_text("threads \"%s\"", folded);
    for (size_t i = 0; i < n_names; i++)
        append_text(&list, "%s\"%.*s\"", i > 0 ? ", " : "", MAX_COMM, names[i]);
    return n_names == n && n_names <= MAX_NAMES ? format_text("threads %s", list) : NULL;
}

char *say_thread_list(const struct thread_member *members, size_t n, bool with_size)
{
    OWNED struct thread_member *sorted = allocate_array(n, sizeof *sorted);
    size_t each;

    memcpy(sorted, members, n * sizeof *sorted);
    SORT(sorted, n, compare_members);
    each = n > 0 ? count_of_each(sorted, n) : 0;
    if (each == 0)
        return NULL;
    if (sorted[0].size > 0)
        return say_numbers(sorted, each, with_size);
    for (size_t i = each; i < n; i++)
        if (compare_names(sorted[i].name, sorted[i % each].name) != 0)
            return NULL;
    return say_names(sorted, each);
}

char *say_one_thread(const struct thread_index *index, pid_t thread, long team, bool with_id)
{
    const struct openmp_thread *row = thread_index_find(index, thread);
    const char *name = row != NULL ? given_name(index, row) : NULL;

    if (row != NULL && team >= 0 && row->team == team && row->number >= 0)
        return format_text("thread %ld", row->number);
    if (thread == index->main_thread)
        return copy_string("the main thread");
    if (name != NULL && with_id && has_namesake(index, row))
        return format_text("thread %d \"%.*s\"", (int)thread, MAX_COMM, name);
    if (name != NULL)
        return format_text("thread \"%.*s\"", MAX_COMM, name);
    return with_id ? format_text("thread %d", (int)thread) : copy_string("another thread");
}
