/*
 * thread_detail.c - sentences about the threads of a rank that a finding is about.
 */
#include "mqd/dump/show/say/thread_detail.h"

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/show/say/thread_phrase.h"

/* More sentences about the threads of a rank are not readable. */
enum { MAX_SENTENCES = 4 };

/* Those that wait for the same are in one sentence. */
static void say_waiting_threads(const struct threads *threads, const uint32_t *positions, size_t n,
                                struct sentences *sentences)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = {0};

    for (size_t i = 0; i < n; i++)
        text_groups_add(&same, say_thread_wait(threads, positions[i]), positions[i]);
    for (size_t i = 0; i < same.n && i < MAX_SENTENCES; i++) {
        const struct text_group *group = &same.groups[i];
        OWNED uint32_t *members = allocate_array(group->n, sizeof *members);
        OWNED char *who = NULL;

        for (size_t k = 0; k < group->n; k++)
            members[k] = (uint32_t)group->members[k];
        who = say_capital(say_threads(threads, members, group->n, false));
        sentences_add(sentences, format_text("%s wait%s%s.", who, group->n == 1 ? "s" : "", group->text));
    }
}

void say_stuck_threads(const struct facts *facts, struct sentences *sentences)
{
    const struct threads *threads = facts->rank->threads;
    OWNED uint32_t *positions = allocate_array(facts->n_list + threads->openmp->n_threads, sizeof *positions);
    OWNED bool *told = allocate_array(threads->openmp->n_threads, sizeof *told);
    size_t n = 0;

    for (size_t i = 0; i < facts->n_list; i++) {
        if (facts->list[i].kind != FACT_THREAD)
            continue;
        told[facts->list[i].at] = true;
        positions[n++] = facts->list[i].at;
    }
    for (uint32_t i = 0; i < threads->openmp->n_threads; i++)
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
