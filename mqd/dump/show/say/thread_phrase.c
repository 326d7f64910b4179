/*
 * thread_phrase.c - threads of a rank, and what they wait for. The words are those of the OpenMP standard.
 */
#include "mqd/dump/show/say/thread_phrase.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/show/say/thread_list.h"

/* More teams, or threads that are in none, are only counted. */
enum { MAX_GROUPS = 8 };

/* Who. */

/* "the parallel region at solve.c:9", "a parallel region". */
static char *say_region(const struct openmp *openmp, long team)
{
    const char *place = openmp->teams[team].place;

    return place != NULL ? format_text("the parallel region at %s", place) : copy_string("a parallel region");
}

/* A thread that is in no team. */
static char *say_outsider(const struct listing *listing, pid_t thread)
{
    RELEASED_BY(thread_index_clear) struct thread_index index = {0};

    thread_index_make(&index, listing);
    return say_one_thread(&index, thread, -1, true);
}

/* Of those of one team the numbers. */
static char *say_members(const struct openmp *openmp, long team, const size_t *positions, size_t n, bool with_region)
{
    OWNED long *numbers = allocate_array(n, sizeof *numbers);
    OWNED char *region = say_region(openmp, team), *who = NULL;
    bool has_all = true;

    for (size_t i = 0; i < n; i++) {
        numbers[i] = openmp->threads[positions[i]].number;
        has_all &= numbers[i] >= 0;
    }
    who = has_all ? say_thread_numbers(numbers, n, n == 1 && with_region ? openmp->teams[team].size : 0)
                  : copy_string("threads");
    return with_region ? format_text("%s of %s", who, region) : TAKEN(who);
}

/* ", ", and " and " before the last one. */
static void append_one(char **text, const char *one, bool is_last)
{
    if (**text == '\0')
        append_text(text, "%s", one);
    else
        append_text(text, "%s%s", is_last ? " and " : ", ", one);
}

/* Takes those of one team, or one that is in none, from the set. Returns what is said of them. */
static char *take_group(const struct threads *threads, size_t *left, size_t *n, bool with_region)
{
    const struct openmp_thread *rows = threads->openmp->threads;
    OWNED size_t *taken = allocate_array(*n, sizeof *taken);
    long team = rows[left[0]].team;
    size_t n_taken = 0, n_left = 0;

    for (size_t i = 0; i < *n; i++)
        if (rows[left[i]].team == team && (team >= 0 || i == 0))
            taken[n_taken++] = left[i];
        else
            left[n_left++] = left[i];
    *n = n_left;
    return team >= 0 ? say_members(threads->openmp, team, taken, n_taken, with_region)
                     : say_outsider(threads->listing, rows[taken[0]].thread);
}

char *say_threads(const struct threads *threads, const size_t *positions, size_t n, bool with_region)
{
    OWNED size_t *left = allocate_array(n + 1, sizeof *left);
    OWNED char *text = copy_string("");

    for (size_t i = 0; i < n; i++)
        left[i] = positions[i];
    for (int i = 0; i < MAX_GROUPS && n > 0; i++) {
        OWNED char *group = take_group(threads, left, &n, with_region);

        append_one(&text, group, n == 0);
    }
    if (n > 0)
        append_text(&text, " and %s other%s", NUMBER(n), n == 1 ? "" : "s");
    return TAKEN(text);
}

char *say_caller(const struct model_rank *rank, const struct call *call)
{
    size_t at = rank->threads != NULL ? threads_position(rank->threads, call->thread) : SIZE_MAX;

    if (at != SIZE_MAX && rank->threads->openmp->threads[at].team >= 0) {
        OWNED char *who = say_threads(rank->threads, &at, 1, true);

        return call->is_main ? format_text("%s, the main thread,", who) : TAKEN(who);
    }
    return call->is_main ? copy_string("the main thread") : say_outsider(rank->witness->listing, call->thread);
}

/* What for. */

/* " (solve.c:12)"; "" if the place is not known. */
static char *say_in_brackets(const struct openmp_thread *row)
{
    return row->place != NULL ? format_text(" (%s)", row->place) : copy_string("");
}

static char *say_barrier(const struct openmp_thread *row)
{
    if (row->state == OPENMP_wait_barrier_implicit_parallel)
        return copy_string("at the barrier at the end of the region");
    if (row->state == OPENMP_wait_barrier_implicit_workshare)
        return row->place != NULL ? format_text("at the barrier at the end of the construct at %s", row->place)
                                  : copy_string("at the barrier at the end of a construct");
    return row->place != NULL ? format_text("at the barrier at %s", row->place) : copy_string("at a barrier");
}

/* Of the construct that a thread waits to enter. */
char *say_critical(const struct openmp_thread *row)
{
    OWNED char *place = say_in_brackets(row);

    return row->object_name != NULL && *row->object_name != '\0'
               ? format_text("the critical region \"%.*s\"%s", MAX_OBJECT_TEXT, row->object_name, place)
               : format_text("a critical region%s", place);
}

/* A lock, or where only one thread may be. */
static char *say_lock(const struct openmp_thread *row)
{
    bool is_mutex = row->state == OPENMP_wait_mutex && (row->runtime < 0 || row->holder != 0);
    const char *what = is_mutex ? "mutex" : "lock";
    OWNED char *place = say_in_brackets(row), *critical = NULL;

    if (row->state == OPENMP_wait_critical) {
        critical = say_critical(row);
        return format_text("to enter %s", critical);
    }
    if (row->state == OPENMP_wait_atomic)
        return format_text("to enter an atomic region%s", place);
    if (row->object_name == NULL || *row->object_name == '\0')
        return format_text("for a %s%s", what, place);
    return format_text("for the %s \"%.*s\"%s", what, MAX_OBJECT_TEXT, row->object_name, place);
}

static char *say_tasks(const struct openmp_thread *row, const char *whom, size_t n)
{
    OWNED char *place = say_in_brackets(row);

    return format_text(" %s%s, for a task: %s execute%s one", row->state == OPENMP_wait_taskgroup
                                                                  ? "at the end of a taskgroup" : "in taskwait",
                       place, whom, n == 1 ? "s" : "");
}

/* Without the thread itself: one in a task waits for other tasks of its team. */
static size_t leave_out(size_t *positions, size_t n, size_t i)
{
    size_t n_left = 0;

    for (size_t k = 0; k < n; k++)
        if (positions[k] != i)
            positions[n_left++] = positions[k];
    return n_left;
}

/* Is any of another team than the thread? Else numbers are enough. */
static bool is_any_elsewhere(const struct threads *threads, const size_t *positions, size_t n, size_t i)
{
    const struct openmp_thread *rows = threads->openmp->threads;

    return ANY(k, n, rows[positions[k]].team != rows[i].team);
}

/* "which" thread 1 "holds"; can "hold". */
static const char *const *say_having(const struct openmp_thread *row)
{
    static const char *const lock[] = {"which", "hold", "holds"}, *const region[] = {"in which", "be", "is"};

    return row->state == OPENMP_wait_critical || row->state == OPENMP_wait_atomic ? region : lock;
}

static char *say_lock_wait(const struct threads *threads, size_t i, const char *whom, size_t n)
{
    const struct meeting *lock = thread_meeting(threads, i);
    const char *const *with = say_having(&threads->openmp->threads[i]);
    OWNED char *what = say_lock(&threads->openmp->threads[i]);

    if (n == 0)
        return format_text(" %s, %s none of the others can %s", what, with[0], with[1]);
    if (lock->holder != 0)
        return format_text(" %s, %s %s %s", what, with[0], whom, with[2]);
    return format_text(" %s, %s %s %s can %s", what, with[0], n == 1 ? "only" : "one of", whom, with[1]);
}

char *say_thread_wait(const struct threads *threads, size_t i)
{
    const struct openmp_thread *row = &threads->openmp->threads[i];
    const struct meeting *meeting = thread_meeting(threads, i);
    size_t n;
    OWNED size_t *awaited = thread_awaits(threads, i, &n);
    OWNED char *whom = NULL, *what = NULL;

    n = meeting != NULL && meeting->holder == 0 ? leave_out(awaited, n, i) : n;
    whom = say_threads(threads, awaited, n, is_any_elsewhere(threads, awaited, n, i));
    if (meeting == NULL) {
        what = say_in_brackets(row);
        return format_text(" for its turn in an ordered region%s, which %s has", what, whom);
    }
    switch (meeting->kind) {
    case MEETING_BARRIER:
        what = say_barrier(row);
        return format_text(" for %s %s", whom, what);
    case MEETING_TASKS:
        return say_tasks(row, whom, n);
    case MEETING_LOCK:
        break;
    }
    return say_lock_wait(threads, i, whom, n);
}

bool is_inside_critical(const struct threads *threads, size_t i, size_t it)
{
    size_t n;
    OWNED size_t *awaited = thread_awaits(threads, i, &n);

    return threads->openmp->threads[i].state == OPENMP_wait_critical && n == 1 && awaited[0] == it;
}

/* Of a lock whose holder is not known it may be one of several. */
static char *say_lock_of_it(const struct threads *threads, size_t i, size_t it)
{
    const struct meeting *lock = thread_meeting(threads, i);
    size_t n;
    const char *const *with = say_having(&threads->openmp->threads[i]);
    OWNED char *what = say_lock(&threads->openmp->threads[i]);

    free(thread_awaits(threads, i, &n));
    if (is_inside_critical(threads, i, it))
        return copy_string(" to enter it");
    if (lock->holder != 0)
        return format_text(" %s, %s it %s", what, with[0], with[2]);
    return format_text(" %s, %s it %s %s", what, with[0], n == 1 ? "alone can" : "may", with[1]);
}

char *say_wait_for_it(const struct threads *threads, size_t i, size_t it)
{
    const struct openmp_thread *row = &threads->openmp->threads[i], *other = &threads->openmp->threads[it];
    const struct meeting *meeting = thread_meeting(threads, i);
    OWNED char *place = say_in_brackets(row), *barrier = say_barrier(row);
    bool is_its_task = other->explicit_task && row->task != 0 && other->parent_task == row->task;

    if (meeting == NULL)
        return format_text(" for its turn in an ordered region%s after it", place);
    if (meeting->kind == MEETING_LOCK)
        return say_lock_of_it(threads, i, it);
    if (meeting->kind == MEETING_BARRIER)
        return format_text(" for it %s", barrier);
    return format_text(" for %s %s%s", is_its_task ? "that task" : "a task, as it executes one,",
                       row->state == OPENMP_wait_taskgroup ? "at the end of a taskgroup" : "in taskwait", place);
}
