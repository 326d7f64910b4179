/*
 * openmp_text.c - what the threads of a process do in OpenMP, in the words of its standard.
 */
#include "mqd/dump/show/text/openmp_text.h"

#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/text_stream.h"

/* What is told of a process. */
struct telling {
    const struct thread_index *index;
    bool with_ids;
};

/* Names of the target may have anything in them: each stays in its line. */
static char *one_line(char *text)
{
    for (char *at = text; (at = strchr(at, '\n')) != NULL;)
        *at = ' ';
    return text;
}

/* NULL: no thread. */
static char *say_other(const struct telling *telling, const struct openmp_thread *row, pid_t thread)
{
    return thread != 0 ? say_one_thread(telling->index, thread, row->team, telling->with_ids) : NULL;
}

/* "waiting for a lock (faces), which thread 2 has: solve.c:9" */
static char *say_state(const struct telling *telling, const struct openmp_thread *row)
{
    OWNED char *creator = say_other(telling, row, row->creator), *holder = say_other(telling, row, row->holder);
    bool is_barrier = openmp_is_barrier(row->state);
    char *text = copy_string(openmp_state_does(row->state));

    if (row->object_name != NULL)
        append_text(&text, " (%.*s)", MAX_OBJECT_TEXT, row->object_name);
    if (row->explicit_task)
        append_text(&text, creator != NULL ? ", executing a task of %s" : ", executing a task", creator);
    if (holder != NULL)
        append_text(&text, is_barrier ? ", until %s comes" : ", which %s has", holder);
    if (row->place != NULL)
        append_text(&text, ": %s", row->place);
    return one_line(text);
}

/* Those of one team that do the same are one line. */
static void print_members(FILE *to, const struct telling *telling, long team)
{
    const struct openmp *openmp = telling->index->openmp;
    RELEASED_BY(text_groups_clear) struct text_groups groups = {0};

    for (size_t i = 0; i < openmp->n_threads; i++)
        if (openmp->threads[i].team == team && openmp->threads[i].number >= 0)
            text_groups_add(&groups, say_state(telling, &openmp->threads[i]), i);
    for (size_t i = 0; i < groups.n; i++) {
        const struct text_group *group = &groups.groups[i];
        OWNED long *numbers = allocate_array(group->n, sizeof *numbers);
        OWNED char *list = NULL;

        for (size_t k = 0; k < group->n; k++)
            numbers[k] = openmp->threads[group->members[k]].number;
        list = ranks_list(numbers, ranks_sort(numbers, group->n), ",");
        fprintf(to, "%s %s %s\n", group->n > 1 ? "  threads" : "  thread", list, group->text);
    }
}

/* "team of 4 threads, region at solve.c:7, begun by thread 1 of that at solve.c:3; 1 has not come to the barrier" */
static char *say_team(const struct openmp *openmp, const struct openmp_team *team)
{
    const char *place = team->place;
    char *text = format_text("team of %ld thread%s", team->size, team->size == 1 ? "" : "s");

    append_text(&text, place != NULL ? ", region at %s" : ", in a region", place);
    if (team->parent >= 0) {
        place = openmp->teams[team->parent].place;
        append_text(&text, ", begun by thread %ld of %s%s", team->parent_number,
                    place != NULL ? "that at " : "another one", place != NULL ? place : "");
    }
    append_text(&text, "%s", team->cancelled ? ", cancelled" : "");
    if (team->awaited > 0)
        append_text(&text, "; %ld %s not come to the barrier", team->awaited, team->awaited == 1 ? "has" : "have");
    return one_line(text);
}

/* What is not understood, as a text for free(). */
static char *say_problem(const struct openmp_runtime *runtime)
{
    return one_line(format_text("%s (%s) is not understood: %s", runtime->name, runtime->file, runtime->problem));
}

/* What threads outside of regions wait for. */
static void print_waiting(FILE *to, const struct telling *telling)
{
    const struct openmp *openmp = telling->index->openmp;
    RELEASED_BY(text_groups_clear) struct text_groups groups = {0};

    for (size_t i = 0; i < openmp->n_threads; i++)
        if (openmp->threads[i].team < 0 && openmp_row_waits(&openmp->threads[i]) != NULL)
            text_groups_add(&groups, say_state(telling, &openmp->threads[i]), i);
    for (size_t i = 0; i < groups.n; i++) {
        const struct text_group *group = &groups.groups[i];
        OWNED struct thread_member *members = allocate_array(group->n, sizeof *members);
        OWNED char *who = NULL, *named = NULL;

        for (size_t k = 0; k < group->n; k++)
            members[k] = thread_member_of(telling->index, &openmp->threads[group->members[k]], 0);
        named = say_thread_list(members, group->n, true);
        who = named != NULL ? one_line(TAKEN(named)) : group->n > 1 ? format_text("%s threads", NUMBER(group->n))
                                                                    : copy_string("a thread");
        fprintf(to, " %s %s\n", who, group->text);
    }
}

/* How many threads have nothing to do, what those outside of regions wait for, and what is not understood. */
static void print_others(FILE *to, const struct telling *telling)
{
    const struct openmp *openmp = telling->index->openmp;
    size_t n_idle = 0;

    for (size_t i = 0; i < openmp->n_runtimes; i++) {
        OWNED char *problem = openmp->runtimes[i].problem != NULL ? say_problem(&openmp->runtimes[i]) : NULL;

        if (problem != NULL)
            fprintf(to, " %s\n", problem);
    }
    print_waiting(to, telling);
    for (size_t i = 0; i < openmp->n_threads; i++)
        n_idle += openmp->threads[i].state == OPENMP_idle;
    if (n_idle > 0)
        fprintf(to, " %s idle thread%s\n", NUMBER(n_idle), n_idle == 1 ? "" : "s");
}

/* The lines of openmp_text.h; "" if nothing is known. Processes whose threads do the same have equal ones without ids. */
static char *say_lines(const struct thread_index *index, bool with_ids)
{
    const struct telling telling = {index, with_ids};
    const struct openmp *openmp = index->openmp;
    struct text_stream stream;

    text_stream_open(&stream);
    for (size_t i = 0; openmp != NULL && i < openmp->n_teams; i++) {
        OWNED char *team = say_team(openmp, &openmp->teams[i]);

        fprintf(stream.to, " %s\n", team);
        print_members(stream.to, &telling, (long)i);
    }
    if (openmp != NULL)
        print_others(stream.to, &telling);
    return text_stream_close(&stream);
}

char *openmp_group_lines(const struct thread_index *indexes, const struct text_group *group)
{
    return group->n == 1 ? say_lines(&indexes[group->members[0]], true) : copy_string(group->text);
}

struct text_groups openmp_group(const struct thread_index *indexes, size_t n)
{
    struct text_groups groups = {0};

    for (size_t i = 0; i < n; i++) {
        OWNED char *lines = say_lines(&indexes[i], false);

        if (*lines != '\0')
            text_groups_add(&groups, TAKEN(lines), i);
    }
    return groups;
}
