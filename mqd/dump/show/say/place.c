/*
 * place.c - where processes are.
 */
#include "mqd/dump/show/say/place.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/stack/stack.h"

/* No more groups are told of a process, besides the first one. */
enum { MAX_OTHERS = 6 };

/* What one thread does. */

/* "MPI_Recv from main.c:3", "MPI_File_write_at_all, from H5Dwrite in libhdf5_openmpi, from save_state main.c:214". */
static char *say_mpi(const struct call *call, const char *place)
{
    char *text = call_phrase(call);

    if (call->n_chain == 0)
        append_text(&text, call->has_source ? " from %s" : " called from %s", place);
    for (size_t i = 0; i < call->n_chain; i++)
        append_text(&text, ", from %s", call->chain[i]);
    return text;
}

/* Ranks that compute are rarely at the same instruction, but often in the same function: only the function is named. */
static char *say_call(const struct call *call)
{
    const char *place = call->place != NULL ? call->place : "unknown";

    switch (call->state) {
    case CALL_MPI:
        return say_mpi(call, place);
    case CALL_OUTSIDE:
        if (call->wrapper != NULL)
            return format_text("in %s, in its %s", call->wrapper, call->function);
        return format_text("outside of MPI, in %s", call->function != NULL ? call->function : place);
    case CALL_UNKNOWN:
        break;
    }
    return copy_string("unknown: its stack cannot be told");
}

/* What is wrong with many machines is said once. */
static char *say_unknown(const struct listing *listing)
{
    if (listing->error == NULL)
        return copy_string("unknown: its stack cannot be told");
    return listing->host != NULL ? host_reason(listing->error, listing->host, false) : copy_string(listing->error);
}

/* The end of a region has no place of its own: threads of the runtime come to it. */
static char *say_wait(const struct openmp *openmp, const struct openmp_thread *row)
{
    bool at_end = row->state == OPENMP_wait_barrier_implicit_parallel;
    const char *region = at_end && row->team >= 0 ? openmp->teams[row->team].place : NULL;
    const char *place = at_end ? region : row->place;
    char *text = copy_string(openmp_row_waits(row));

    if (row->object_name != NULL)
        append_text(&text, " \"%.*s\"", MAX_OBJECT_TEXT, row->object_name);
    if (place != NULL)
        append_text(&text, at_end ? " of %s" : " at %s", place);
    return text;
}

/* A thread of a region that neither runs nor waits in OpenMP. */
static char *say_region(const struct openmp_thread *row)
{
    const char *where = row->state == OPENMP_overhead ? "in the OpenMP runtime" : "in the parallel region";

    return row->place != NULL ? format_text("%s, at %s", where, row->place) : copy_string(where);
}

/* All threads of a process. */

struct item {
    enum place_kind kind;
    char *text, *holder;
    struct thread_member member;
    bool is_main;
};

struct finding {
    const struct listing *listing;
    struct thread_index index;
    struct item *items;
    size_t n, room;
    bool has_main;
};

static void add(struct finding *finding, const struct openmp_thread *row, enum place_kind kind, char *text,
                bool is_main)
{
    struct item item = {.kind = kind, .text = text, .member = thread_member_of(&finding->index, row, 0)};

    item.is_main = is_main && item.member.size == 0;
    if (kind == PLACE_WAIT && row->holder != 0 && !openmp_is_barrier(row->state))
        item.holder = say_one_thread(&finding->index, row->holder, row->team, true);
    finding->has_main |= is_main;
    APPEND(finding->items, finding->n, finding->room, item);
}

/* What the runtime knows of a thread that waits is more than its stack tells. */
static void add_call(struct finding *finding, const struct call *call, const struct openmp_thread *row)
{
    if (row != NULL && row->state == OPENMP_idle && !call->is_main)
        return;
    if (call->state != CALL_MPI && row != NULL && openmp_row_waits(row) != NULL)
        add(finding, row, PLACE_WAIT, say_wait(finding->index.openmp, row), call->is_main);
    else
        add(finding, row, call->state == CALL_MPI ? PLACE_MPI : PLACE_OTHER, say_call(call), call->is_main);
}

/* A thread of whose calls nothing is told: it is not in MPI, and runs only if another thread wakes it. */
static void add_row(struct finding *finding, const struct openmp_thread *row)
{
    bool is_main = row->thread == finding->listing->pid && row->thread != 0;

    if (openmp_row_waits(row) != NULL)
        add(finding, row, PLACE_WAIT, say_wait(finding->index.openmp, row), is_main);
    else if (row->state == OPENMP_ended)
        add(finding, row, PLACE_OTHER, copy_string("ended"), false);
    else if (row->team >= 0 && row->number >= 0 && row->state != OPENMP_idle)
        add(finding, row, PLACE_OTHER, say_region(row), is_main);
}

static void find_items(struct finding *finding)
{
    const struct calls *calls = finding->listing->calls;
    const struct openmp *openmp = finding->listing->openmp;
    OWNED bool *told = allocate_array((openmp != NULL ? openmp->n_threads : 0) + 1, sizeof *told);

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const struct openmp_thread *row = thread_index_find(&finding->index, calls->calls[i].thread);

        add_call(finding, &calls->calls[i], row);
        if (row != NULL)
            told[row - openmp->threads] = true;
    }
    for (size_t i = 0; openmp != NULL && i < openmp->n_threads; i++)
        if (!told[i])
            add_row(finding, &openmp->threads[i]);
    if (!finding->has_main)
        add(finding, NULL, PLACE_OTHER, say_unknown(finding->listing), true);
}

/* Groups. */

/* Threads that do the same for one thread, and the main thread, which is told first, for itself. */
static char *key_of_item(const struct item *item)
{
    return format_text("%d%d%d%s\001%s", (int)item->kind, item->is_main, item->member.size > 0, item->text,
                       item->holder != NULL ? item->holder : "");
}

static void add_thread(struct place_group *group, struct thread_member member)
{
    member.name = member.name != NULL ? copy_string(member.name) : NULL;
    APPEND(group->threads, group->n, group->room, member);
}

static void make_groups(struct rank_place *place, struct finding *finding)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = {0};

    for (size_t i = 0; i < finding->n; i++)
        text_groups_add(&same, key_of_item(&finding->items[i]), i);
    for (size_t i = 0; i < same.n; i++) {
        struct item *first = &finding->items[same.groups[i].members[0]];
        struct place_group group = {.kind = first->kind, .text = TAKEN(first->text), .holder = TAKEN(first->holder),
                                    .is_main = first->is_main, .in_team = first->member.size > 0};

        for (size_t k = 0; k < same.groups[i].n; k++)
            add_thread(&group, finding->items[same.groups[i].members[k]].member);
        APPEND(place->groups, place->n, place->room, group);
    }
}

static bool has_main_thread(const struct finding *finding, const struct place_group *group)
{
    const struct openmp_thread *row = thread_index_find(&finding->index, finding->listing->pid);
    const struct thread_member main_thread = thread_member_of(&finding->index, row, 0);

    for (size_t i = 0; i < group->n && !group->is_main; i++)
        if (group->in_team && group->threads[i].team == main_thread.team &&
            group->threads[i].number == main_thread.number)
            return true;
    return group->is_main;
}

static int compare_groups(const void *a, const void *b)
{
    const struct place_group *x = a, *y = b;

    return ORDER(x->kind, y->kind) ?: strcmp(x->text, y->text) ?: ORDER(y->in_team, x->in_team) ?:
           strcmp(x->holder != NULL ? x->holder : "", y->holder != NULL ? y->holder : "");
}

/*
 * The main thread is told first. If it works in a region, where it is no other than the rest of the team, those come
 * first that are in MPI.
 */
static void sort_groups(struct rank_place *place, const struct finding *finding)
{
    size_t first = 0;
    struct place_group lead;

    SORT(place->groups, place->n, compare_groups);
    while (first + 1 < place->n && !has_main_thread(finding, &place->groups[first]))
        first++;
    if (place->groups[first].in_team && place->groups[0].kind == PLACE_MPI)
        first = 0;
    lead = place->groups[first];
    memmove(&place->groups[1], &place->groups[0], first * sizeof lead);
    place->groups[0] = lead;
}

/* What there is no room for: only how many threads that are is told. */
static void bound_groups(struct rank_place *place)
{
    struct place_group *last;

    if (place->n <= MAX_OTHERS + 1)
        return;
    last = &place->groups[MAX_OTHERS];
    for (size_t i = MAX_OTHERS + 1; i < place->n; i++) {
        struct place_group *group = &place->groups[i];

        for (size_t k = 0; k < group->n; k++)
            APPEND(last->threads, last->n, last->room, group->threads[k]);
        last->in_team &= group->in_team;
        FREE_ALL(group->text, group->holder, group->threads);
    }
    FREE_ALL(last->text, last->holder);
    last->kind = PLACE_OTHER;
    last->text = copy_string("elsewhere");
    last->holder = NULL;
    place->n = MAX_OTHERS + 1;
}

static void look_for_teams(struct rank_place *place)
{
    long team = -1;

    place->one_team = true;
    for (size_t i = 0; i < place->n; i++)
        for (size_t k = 0; k < place->groups[i].n; k++) {
            const struct thread_member *thread = &place->groups[i].threads[k];

            place->one_team &= thread->size == 0 || team < 0 || thread->team == team;
            team = thread->size > 0 ? thread->team : team;
        }
}

static void make_key(struct rank_place *place)
{
    place->key = copy_string(place->one_team ? "" : "several");
    for (size_t i = 0; i < place->n; i++) {
        const struct place_group *group = &place->groups[i];

        append_text(&place->key, "\001%d%d%d%d %ld %s", (int)group->kind, group->is_main, group->in_team,
                    group->holder != NULL, place->one_team || i == 0 ? group->threads[0].size : 0,
                    group->text);
    }
}

void place_find(struct rank_place *place, const struct listing *listing)
{
    struct finding finding = {.listing = listing};

    *place = (struct rank_place){0};
    thread_index_make(&finding.index, listing);
    find_items(&finding);
    make_groups(place, &finding);
    sort_groups(place, &finding);
    look_for_teams(place);
    bound_groups(place);
    make_key(place);
    for (size_t i = 0; i < finding.n; i++)
        FREE_ALL(finding.items[i].text, finding.items[i].holder);
    free(finding.items);
    thread_index_clear(&finding.index);
}

char *place_say_one(const struct listing *listing)
{
    RELEASED_BY(place_clear) struct rank_place place = {0};
    const struct rank_place *places = &place;

    place_find(&place, listing);
    return place_say(&places, 1);
}

void place_take_text(struct rank_place *place, char *text)
{
    struct place_group group = {.kind = PLACE_OTHER, .text = text, .is_main = true};

    *place = (struct rank_place){0};
    add_thread(&group, (struct thread_member){.team = -1, .number = -1});
    APPEND(place->groups, place->n, place->room, group);
    look_for_teams(place);
    make_key(place);
}

static void clear_group(struct place_group *group)
{
    for (size_t i = 0; i < group->n; i++)
        free((char *)(uintptr_t)group->threads[i].name);
    FREE_ALL(group->text, group->holder, group->threads);
}

void place_clear(struct rank_place *place)
{
    for (size_t i = 0; i < place->n; i++)
        clear_group(&place->groups[i]);
    FREE_ALL(place->groups, place->key);
    *place = (struct rank_place){0};
}

/* As text, of several processes. */

struct saying {
    const struct rank_place *const *places;
    size_t n;
};

/* Who they are, if that is the same of all. With several teams a number does not tell it. */
static char *say_who(const struct saying *saying, size_t i, bool with_size)
{
    OWNED struct thread_member *members = NULL;
    size_t n = 0, room = 0;

    for (size_t k = 0; k < saying->n; k++)
        for (size_t m = 0; m < saying->places[k]->groups[i].n; m++) {
            struct thread_member member = saying->places[k]->groups[i].threads[m];

            member.rank = k;
            APPEND(members, n, room, member);
        }
    return say_thread_list(members, n, with_size);
}

/* Are they the rest of the first group's team, so that numbers would tell nothing? */
static bool is_rest_of_team(const struct rank_place *place, size_t i)
{
    const struct place_group *lead = &place->groups[0], *group = &place->groups[i];

    return lead->in_team && group->in_team && group->n > 1 &&
           lead->n + group->n == (size_t)group->threads[0].size;
}

/* "another thread", "3 threads", "3-5 threads"; of the first group "a thread". */
static char *say_how_many(const struct saying *saying, size_t i)
{
    size_t least = saying->places[0]->groups[i].n, most = least;

    for (size_t k = 1; k < saying->n; k++) {
        size_t n = saying->places[k]->groups[i].n;

        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (most == 1)
        return copy_string(i > 0 ? "another thread" : "a thread");
    return least == most ? format_text("%s threads", NUMBER(most))
                         : format_text("%s-%s threads", NUMBER(least), NUMBER(most));
}

static char *say_subject(const struct saying *saying, size_t i)
{
    const struct rank_place *place = saying->places[0];
    const struct place_group *group = &place->groups[i];
    char *who = NULL;

    if (group->in_team ? place->one_team && !is_rest_of_team(place, i) : true)
        who = say_who(saying, i, i == 0 || !place->groups[0].in_team);
    return who != NULL ? who : say_how_many(saying, i);
}

static char *say_what(const struct saying *saying, size_t i)
{
    const struct place_group *group = &saying->places[0]->groups[i];
    bool is_same = true;

    if (group->holder == NULL)
        return copy_string(group->text);
    for (size_t k = 1; k < saying->n; k++)
        is_same &= strcmp(saying->places[k]->groups[i].holder, group->holder) == 0;
    return format_text("%s%s held by %s", group->text, strstr(group->text, " at ") != NULL ? "," : "",
                       is_same ? group->holder : "another thread");
}

/* "MPI_Recv from solve.c:8 in thread 3 of 4", "threads 0-2 of 4: OpenMP barrier at solve.c:9". */
static char *say_lead(const struct saying *saying)
{
    const struct place_group *lead = &saying->places[0]->groups[0];
    OWNED char *what = say_what(saying, 0), *who = NULL;

    if (lead->is_main)
        return TAKEN(what);
    who = lead->in_team ? say_who(saying, 0, true) : NULL;
    if (who == NULL) {
        OWNED char *some = say_how_many(saying, 0);

        who = lead->in_team ? format_text("%s of %s", some, NUMBER(lead->threads[0].size)) : TAKEN(some);
    }
    return lead->kind == PLACE_MPI ? format_text("%s in %s", what, who) : format_text("%s: %s", who, what);
}

char *place_say(const struct rank_place *const *places, size_t n)
{
    const struct saying saying = {places, n};
    char *text = say_lead(&saying);

    for (size_t i = 1; i < places[0]->n; i++) {
        OWNED char *who = say_subject(&saying, i), *what = say_what(&saying, i);

        append_text(&text, "; %s: %s", who, what);
    }
    return text;
}

char *place_say_waits(const struct rank_place *place)
{
    const struct saying saying = {&place, 1};
    char *text = copy_string("");

    for (size_t i = 0; i < place->n; i++) {
        OWNED char *who = NULL, *what = NULL;

        if (place->groups[i].kind != PLACE_WAIT)
            continue;
        who = say_who(&saying, i, true);
        who = who != NULL ? who : say_how_many(&saying, i);
        what = say_what(&saying, i);
        append_text(&text, "%s: %s; ", who, what);
    }
    return text;
}
