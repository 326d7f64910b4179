/*
 * thread_detail.c - sentences about the threads of a rank that a finding is about.
 */
#include "mqd/dump/show/say/thread_detail.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/show/say/thread_phrase.h"

/* More sentences about the threads of a rank are not readable. */
enum { MAX_SENTENCES = 4 };

/* "Threads 0-2 wait for it at the barrier at solve.c:9." */
static char *say_waiters(const struct threads *threads, const struct text_group *group, bool with_region)
{
    OWNED char *who = say_capital(say_threads(threads, group->members, group->n, with_region));

    return format_text("%s wait%s%s.", who, group->n == 1 ? "s" : "", group->text);
}

/* Those that wait for the same are in one sentence. */
static void say_waiting_threads(const struct threads *threads, const size_t *positions, size_t n,
                                struct sentences *sentences)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = {0};

    for (size_t i = 0; i < n; i++)
        text_groups_add(&same, say_thread_wait(threads, positions[i]), positions[i]);
    for (size_t i = 0; i < same.n && i < MAX_SENTENCES; i++)
        sentences_add(sentences, say_waiters(threads, &same.groups[i], false));
}

void say_stuck_threads(const struct facts *facts, struct sentences *sentences)
{
    const struct threads *threads = facts->rank->threads;
    OWNED size_t *positions = allocate_array(facts->n_list + threads->openmp->n_threads, sizeof *positions);
    OWNED bool *told = allocate_array(threads->openmp->n_threads, sizeof *told);
    size_t n = 0;

    for (size_t i = 0; i < facts->n_list; i++) {
        if (facts->list[i].kind != FACT_THREAD)
            continue;
        told[facts->list[i].at] = true;
        positions[n++] = facts->list[i].at;
    }
    for (size_t i = 0; i < threads->openmp->n_threads; i++)
        if (!told[i] && thread_is_locked(threads, i))
            positions[n++] = i;
    say_waiting_threads(threads, positions, n, sentences);
}

/* Those that are in MPI. */

void say_callers(const struct facts *facts, struct sentences *sentences)
{
    OWNED char *rank = say_rank(&facts->part->model, facts->rank->id);

    for (size_t i = 0; i < facts->n_list; i++) {
        const struct call *call;
        OWNED char *who = NULL, *phrase = NULL, *place = NULL;

        if (facts->list[i].kind != FACT_CALL)
            continue;
        call = &facts->rank->witness->calls->calls[facts->list[i].at];
        who = say_capital(say_caller(facts->rank, call));
        phrase = call_phrase(call);
        place = say_place(call);
        sentences_add(sentences, format_text("%s in %s is in %s%s.", who, rank, phrase, place));
    }
}

/* Those for which others wait. */

/* Of more ranks nothing is said, nor of more threads that are in MPI. */
enum { MAX_RANKS = 64, MAX_CALLS = 64 };

/* The threads that wait for this one, and do so directly. For free(). */
static size_t *find_waiters(const struct threads *threads, size_t it, size_t *n)
{
    size_t *waiters = allocate_array(threads->openmp->n_threads + 1, sizeof *waiters);

    *n = 0;
    for (size_t i = 0; i < threads->openmp->n_threads; i++) {
        size_t n_awaited;
        OWNED size_t *awaited = thread_awaits(threads, i, &n_awaited);
        bool is_it = false;

        for (size_t k = 0; k < n_awaited && i != it; k++)
            is_it |= awaited[k] == it;
        if (is_it)
            waiters[(*n)++] = i;
    }
    return waiters;
}

/* " inside the critical region "update" (solve.c:8)", " in a task that thread 1 has created" */
static char *say_circumstances(const struct threads *threads, size_t it, const size_t *waiters, size_t n)
{
    const struct openmp_thread *row = &threads->openmp->threads[it];
    size_t creator = threads_position(threads, row->creator);
    char *text = copy_string("");

    for (size_t i = 0; i < n && *text == '\0'; i++) {
        OWNED char *critical = say_critical(&threads->openmp->threads[waiters[i]]);

        if (is_inside_critical(threads, waiters[i], it))
            append_text(&text, " inside %s", critical);
    }
    if (row->explicit_task)
        append_text(&text, " in a task");
    if (row->explicit_task && creator != SIZE_MAX && creator != it) {
        OWNED char *who = say_threads(threads, &creator, 1,
                                      threads->openmp->threads[creator].team != row->team);

        append_text(&text, " that %s has created", who);
    }
    return text;
}

static void append_waiters(char **text, const struct threads *threads, size_t it, const size_t *waiters, size_t n)
{
    const struct openmp_thread *rows = threads->openmp->threads;
    RELEASED_BY(text_groups_clear) struct text_groups same = {0};

    for (size_t i = 0; i < n; i++)
        text_groups_add(&same, say_wait_for_it(threads, waiters[i], it), waiters[i]);
    for (size_t i = 0; i < same.n && i < MAX_SENTENCES; i++) {
        const struct text_group *group = &same.groups[i];
        OWNED char *sentence = say_waiters(threads, group, rows[group->members[0]].team != rows[it].team);

        append_text(text, " %s", sentence);
    }
}

/*
 * How long the part is that says who it is, and the text: ranks in which it is the same come behind that part. NULL: there
 * is nothing to say.
 */
static char *say_thread_in_mpi(const struct model_rank *rank, const struct call *call)
{
    const struct threads *threads = rank->threads;
    size_t it = threads_position(threads, call->thread), n = 0;
    OWNED size_t *waiters = it != SIZE_MAX ? find_waiters(threads, it, &n) : NULL;
    long team = it != SIZE_MAX ? threads->openmp->threads[it].team : -1;
    OWNED char *who = NULL, *circumstances = NULL, *text = NULL;

    if (n == 0 && (team < 0 || threads->openmp->teams[team].size < 2))
        return NULL;
    who = say_capital(say_threads(threads, &it, 1, true));
    circumstances = say_circumstances(threads, it, waiters, n);
    text = format_text("%zu %s has called %s%s.", strlen(who), who, call_shown(call), circumstances);
    append_waiters(&text, threads, it, waiters, n);
    return TAKEN(text);
}

static void add_threads_in_mpi(const struct model_rank *rank, struct text_groups *same)
{
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; rank->threads != NULL && calls != NULL && i < calls->n && i < MAX_CALLS; i++) {
        char *text = calls->calls[i].state == CALL_MPI ? say_thread_in_mpi(rank, &calls->calls[i]) : NULL;

        if (text != NULL)
            text_groups_add(same, text, (size_t)rank->id);
    }
}

/* Adds a rank to those that were told of. False: it is there, or there are too many. */
static bool add_told(struct told_ranks *told, const struct model_rank *rank)
{
    if (told->n == MAX_RANKS || ANY(i, told->n, told->ranks[i] == rank))
        return false;
    APPEND(told->ranks, told->n, told->room, rank);
    return true;
}

void say_threads_in_mpi(const struct facts *facts, struct told_ranks *told, struct sentences *sentences)
{
    const struct model *model = &facts->part->model;
    const struct rank_set *const sets[] = {&facts->who, &facts->whom};
    RELEASED_BY(text_groups_clear) struct text_groups same = {0};

    for (size_t set = 0; set < 2; set++)
        for (size_t i = 0; i < sets[set]->n; i++) {
            size_t at = model_find_rank(model, sets[set]->ranks[i]);

            if (at != SIZE_MAX && model->ranks[at].threads != NULL && add_told(told, &model->ranks[at]))
                add_threads_in_mpi(&model->ranks[at], &same);
        }
    for (size_t i = 0; i < same.n && i < MAX_SENTENCES; i++) {
        RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};
        char *text;
        size_t length = strtoul(same.groups[i].text, &text, 10);
        OWNED char *who = NULL;

        for (size_t k = 0; k < same.groups[i].n; k++)
            rank_set_add(&ranks, (long)same.groups[i].members[k]);
        rank_set_sort(&ranks);
        who = say_rank_set(model, &ranks, "", "");
        sentences_add(sentences, format_text("%.*s in %s%s", (int)length, text + 1, who, text + 1 + length));
    }
}
