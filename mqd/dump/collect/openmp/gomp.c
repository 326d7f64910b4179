/*
 * gomp.c - reads libgomp.
 *
 * libgomp keeps no state of a thread. A thread that waits does so in a futex of the structure that it waits for: its
 * address tells all. Threads that spin have that address in a register mostly.
 */
#include "mqd/dump/collect/openmp/gomp.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

/* What libgomp has for one thread (struct gomp_thread). */
struct member {
    uint64_t self;                 /* 0: it cannot be read */
    uint64_t team, task, pool;
    uint64_t number, level;
    bool is_idle;                  /* the team is one that it was in before */
};

struct gomp {
    struct runtime *runtime;
    struct openmp *openmp;
    struct member *members;        /* in the order of the threads */
    size_t task_size;
};

/* Threads. */

static size_t find_member(const struct gomp *gomp, uint64_t self)
{
    size_t i = 0;

    while (i < gomp->runtime->n_threads && (self == 0 || gomp->members[i].self != self))
        i++;
    return i;
}

static void read_member(struct gomp *gomp, size_t i)
{
    struct runtime *runtime = gomp->runtime;
    struct member *member = &gomp->members[i];
    uint64_t self = runtime->threads[i].pointer + runtime->entry;

    if (runtime->threads[i].pointer == 0 || !runtime_demand(runtime, self % sizeof self == 0))
        return;
    member->self = self;
    member->team = runtime_need(runtime, self, MQD_PATH_gomp_thread_team);
    member->task = runtime_need(runtime, self, MQD_PATH_gomp_thread_task);
    member->pool = runtime_need(runtime, self, MQD_PATH_gomp_thread_pool);
    member->number = runtime_need(runtime, self, MQD_PATH_gomp_thread_team_id);
    member->level = runtime_need(runtime, self, MQD_PATH_gomp_thread_level);
}

/* The team of the outermost region around; 0: there is none, or it cannot be read. */
static uint64_t outermost_team(const struct gomp *gomp, uint64_t team)
{
    uint64_t outer = 0;

    for (int i = 0; i < MAX_NESTING && team != 0; i++) {
        if (!runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_prev_team, &outer))
            return 0;
        if (outer == 0)
            return team;
        team = outer;
    }
    return 0;
}

/* The thread that has made a pool, and whether another one has its place in it. */
static uint64_t owner_of_pool(const struct gomp *gomp, uint64_t pool, uint64_t self, bool *is_in_it)
{
    uint64_t threads, used, first = 0, thread;

    *is_in_it = false;
    if (!runtime_get(gomp->runtime, pool, MQD_PATH_gomp_pool_threads, &threads) ||
        !runtime_get(gomp->runtime, pool, MQD_PATH_gomp_pool_used, &used))
        return 0;
    for (uint64_t i = 0; i < used && i < MAX_TEAM_SIZE && !*is_in_it; i++) {
        if (!runtime_read_word(gomp->runtime->memory, threads + i * sizeof thread, &thread))
            return first;
        first = i == 0 ? thread : first;
        *is_in_it = i > 0 && thread == self;
    }
    return first;
}

static bool is_at_dock(const struct gomp *gomp, size_t i)
{
    uint64_t dock = runtime_part(gomp->runtime, gomp->members[i].pool, MQD_PATH_gomp_pool_generation);

    return dock != 0 && gomp->runtime->threads[i].futex == dock;
}

/* Is a thread of a pool, whose first thread is `owner`, in the region that this one is in? */
static bool is_in_team_of(const struct gomp *gomp, const struct member *member, const struct member *owner)
{
    uint64_t team = outermost_team(gomp, owner->team), size;

    return team != 0 && team == outermost_team(gomp, member->team) &&
           runtime_get(gomp->runtime, member->team, MQD_PATH_gomp_team_nthreads, &size) && member->number < size;
}

/*
 * Between regions the threads of a pool wait at its dock, and keep the team that they were in. Those that a new region
 * has woken may not have left it yet: the first thread of the pool has set their team then.
 */
static bool is_idle(const struct gomp *gomp, size_t i)
{
    const struct member *member = &gomp->members[i];
    bool is_in_it, at_dock = is_at_dock(gomp, i);
    size_t owner;

    if (member->self == 0 || member->pool == 0)
        return false;
    owner = find_member(gomp, owner_of_pool(gomp, member->pool, member->self, &is_in_it));
    if (owner == gomp->runtime->n_threads)
        return at_dock;
    if (&gomp->members[owner] == member)
        return false;
    /* One that the next region has no place for ends when it has left the dock. */
    return is_in_it ? !is_in_team_of(gomp, member, &gomp->members[owner]) : at_dock;
}

/* Is the first thread of a team in it, or in a region inside that it has begun? */
static bool has_first_thread(const struct gomp *gomp, uint64_t team)
{
    for (size_t i = 0; i < gomp->runtime->n_threads; i++) {
        uint64_t inner = gomp->members[i].team, number = gomp->members[i].number;

        for (int k = 0; k < MAX_NESTING && inner != 0 && number == 0; k++) {
            if (inner == team)
                return true;
            if (!runtime_get(gomp->runtime, inner, MQD_PATH_gomp_team_prev_team_id, &number) ||
                !runtime_get(gomp->runtime, inner, MQD_PATH_gomp_team_prev_team, &inner))
                break;
        }
    }
    return false;
}

/* The team knows where each of its threads waits in ordered regions. */
static bool has_release(const struct gomp *gomp, const struct member *member)
{
    const struct runtime *runtime = gomp->runtime;
    uint64_t releases, release;
    uint64_t own = member->number == 0 ? runtime_part(runtime, member->team, MQD_PATH_gomp_team_master_release)
                                       : runtime_part(runtime, member->self, MQD_PATH_gomp_thread_release);

    return own != 0 && member->number < MAX_TEAM_SIZE &&
           runtime_get(runtime, member->team, MQD_PATH_gomp_team_ordered_release, &releases) &&
           runtime_read_word(runtime->memory, releases + member->number * sizeof release, &release) && release == own;
}

/*
 * A thread that will end keeps the team that it was in, which may be freed. It has returned from the program's code, or
 * from the runtime if the program has functions that are called when a thread ends. The first thread leaves a team
 * before the others end, and a pool is left when the thread that has made it ends. The team's memory may be the next
 * one's team, in which it has no place: threads of a region inside of another one end with it, and others that the next
 * region does not need.
 */
static bool has_left(const struct gomp *gomp, size_t i)
{
    const struct runtime_thread *thread = &gomp->runtime->threads[i];
    const struct member *member = &gomp->members[i];
    bool is_in_it;
    uint64_t owner;

    if (!(thread->without_program || thread->without_runtime) || (thread->futex != 0 && thread->is_innermost))
        return false;
    owner = owner_of_pool(gomp, member->pool, member->self, &is_in_it);
    return member->pool == 0 || (member->team != 0 && !has_first_thread(gomp, member->team)) ||
           find_member(gomp, owner) == gomp->runtime->n_threads ||
           (thread->in_runtime && !is_in_it && member->number > 0 && !has_release(gomp, member));
}

/* The first thread of a pool is the one that has made it. */
static void prove_pool(struct gomp *gomp, const struct member *member)
{
    struct runtime *runtime = gomp->runtime;
    uint64_t used = runtime_need(runtime, member->pool, MQD_PATH_gomp_pool_used);
    uint64_t threads = runtime_need(runtime, member->pool, MQD_PATH_gomp_pool_threads), first;

    if (!runtime_demand(runtime, used <= MAX_TEAM_SIZE && (used == 0 || threads != 0)) || used == 0)
        return;
    if (runtime_demand(runtime, runtime_read_word(runtime->memory, threads, &first)) && runtime->has_all_threads)
        runtime_demand(runtime, find_member(gomp, first) < runtime->n_threads);
}

/* Tasks. */

static uint64_t implicit_task(const struct gomp *gomp, uint64_t team, uint64_t number)
{
    uint64_t first = runtime_constant(gomp->runtime, MQD_CONSTANT_gomp_implicit_task);

    return first != 0 && number < MAX_TEAM_SIZE ? team + first + number * gomp->task_size : 0;
}

/* Which thread's implicit task it is; -1: nobody's. */
static long implicit_owner(const struct gomp *gomp, uint64_t team, uint64_t size, uint64_t task)
{
    uint64_t first = implicit_task(gomp, team, 0), distance = task - first;

    if (first == 0 || gomp->task_size == 0 || task < first || distance % gomp->task_size != 0 ||
        distance / gomp->task_size >= size)
        return -1;
    return (long)(distance / gomp->task_size);
}

static bool is_kind(const struct gomp *gomp, uint64_t kind, enum mqd_constant_id wanted)
{
    return mqd_constant_is(gomp->runtime->layout, wanted, (int64_t)kind);
}

static bool is_explicit(const struct gomp *gomp, uint64_t kind)
{
    return is_kind(gomp, kind, MQD_CONSTANT_gomp_kind_undeferred) ||
           is_kind(gomp, kind, MQD_CONSTANT_gomp_kind_waiting) ||
           is_kind(gomp, kind, MQD_CONSTANT_gomp_kind_tied) || is_kind(gomp, kind, MQD_CONSTANT_gomp_kind_async) ||
           is_kind(gomp, kind, MQD_CONSTANT_gomp_kind_detached);
}

/* A task of a thread is its implicit one, or has been created by others up to an implicit one of the team. */
static bool is_task_of(const struct gomp *gomp, const struct member *member, uint64_t size)
{
    uint64_t task = member->task, kind;

    if (task == 0 || task == implicit_task(gomp, member->team, member->number))
        return task != 0;
    for (int i = 0; i < MAX_NESTING; i++) {
        if (implicit_owner(gomp, member->team, size, task) >= 0)
            return i > 0;
        if (!runtime_get(gomp->runtime, task, MQD_PATH_gomp_task_kind, &kind) || !is_explicit(gomp, kind) ||
            !runtime_get(gomp->runtime, task, MQD_PATH_gomp_task_parent, &task) || task == 0)
            return false;
    }
    return true;
}

/* The thread with a number in a team; 0: it is not there. */
static pid_t numbered(const struct gomp *gomp, uint64_t team, uint64_t number)
{
    for (size_t i = 0; i < gomp->runtime->n_threads; i++)
        if (!gomp->members[i].is_idle && gomp->members[i].team == team && gomp->members[i].number == number)
            return gomp->runtime->threads[i].id;
    return 0;
}

/* Who has created a task: the thread whose implicit task is its parent, or who executes that. */
static pid_t creator_of(const struct gomp *gomp, const struct member *of, uint64_t size, uint64_t parent)
{
    long number = implicit_owner(gomp, of->team, size, parent);

    for (size_t i = 0; i < gomp->runtime->n_threads; i++) {
        const struct member *member = &gomp->members[i];

        if (!member->is_idle && parent != 0 &&
            (member->task == parent || (number >= 0 && member->team == of->team && member->number == (uint64_t)number)))
            return gomp->runtime->threads[i].id;
    }
    return 0;
}

static void read_task(struct gomp *gomp, const struct member *member, struct openmp_thread *row, uint64_t size)
{
    uint64_t kind = 0, parent = 0;

    row->task = member->task;
    if (member->task == 0 || !runtime_get(gomp->runtime, member->task, MQD_PATH_gomp_task_kind, &kind))
        return;
    row->explicit_task = is_explicit(gomp, kind);
    if (row->explicit_task && runtime_get(gomp->runtime, member->task, MQD_PATH_gomp_task_parent, &parent)) {
        row->parent_task = parent;
        row->creator = creator_of(gomp, member, size, parent);
    }
}

/* Teams. */

/*
 * The threads that have come to a barrier count down, at the end of the region with a counter of its own. Which one
 * they wait at shows by which has not its full number.
 */
static void read_barrier(struct gomp *gomp, struct openmp_team *team)
{
    struct runtime *runtime = gomp->runtime;
    uint64_t total = runtime_need(runtime, team->address, MQD_PATH_gomp_team_total);
    uint64_t awaited = runtime_need(runtime, team->address, MQD_PATH_gomp_team_awaited);
    uint64_t last = runtime_need(runtime, team->address, MQD_PATH_gomp_team_awaited_final);

    runtime_demand(runtime, total == (uint64_t)team->size);
    runtime_demand(runtime, awaited <= total);
    runtime_demand(runtime, last <= total);
    if (last < total && awaited == total)
        team->awaited = (long)last;
    else if (awaited < total)
        team->awaited = (long)awaited;
}

static size_t add_team(struct gomp *gomp, uint64_t address, uint64_t level)
{
    static const struct runtime_team_paths paths = {MQD_PATH_gomp_team_nthreads, MQD_PATH_gomp_team_cancelled};
    bool is_new;
    size_t at = runtime_find_team(gomp->runtime, gomp->openmp, address, &paths, &is_new);
    struct openmp_team *team = &gomp->openmp->teams[at];

    if (!is_new)
        return at;
    runtime_demand(gomp->runtime, address % sizeof address == 0);
    if (team->size > 0)
        read_barrier(gomp, team);
    team->level = (long)level;
    return at;
}

/* Adds a team and those around it. Its position. */
static size_t add_teams(struct gomp *gomp, uint64_t address, uint64_t level)
{
    struct runtime *runtime = gomp->runtime;
    size_t first = add_team(gomp, address, level), at = first;

    for (int i = 0; i < MAX_NESTING && gomp->openmp->teams[at].parent < 0 && level > 1; i++) {
        uint64_t outer = runtime_need(runtime, address, MQD_PATH_gomp_team_prev_team);
        uint64_t number = runtime_need(runtime, address, MQD_PATH_gomp_team_prev_team_id);
        size_t inner = at;

        if (!runtime_demand(runtime, outer != 0))
            return first;
        address = outer;
        at = add_team(gomp, address, --level);
        runtime_demand(runtime, number < (uint64_t)gomp->openmp->teams[at].size);
        gomp->openmp->teams[inner].parent = (long)at;
        gomp->openmp->teams[inner].parent_number = number <= MAX_TEAM_SIZE ? (long)number : -1;
    }
    return first;
}

/* States. */

/* Does the thread wait for this place, or does it spin with it in a register? */
static bool waits_at(const struct gomp *gomp, size_t i, uint64_t place)
{
    const struct runtime_thread *thread = &gomp->runtime->threads[i];

    if (place == 0 || !thread->is_innermost)
        return false;
    if (thread->futex != 0)
        return thread->futex == place;
    return runtime_has_value(thread->registers, thread->n_registers, place);
}

/* Have all come, and are there no tasks that they wait for? Those that sleep have been woken then, or soon are. */
static bool is_over(const struct gomp *gomp, uint64_t team)
{
    uint64_t tasks = runtime_constant(gomp->runtime, MQD_CONSTANT_gomp_bar_waiting_for_task);
    uint64_t total, awaited, last, generation;

    return runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_total, &total) &&
           runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_awaited, &awaited) &&
           runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_awaited_final, &last) &&
           runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_generation, &generation) && tasks != 0 &&
           (generation & tasks) == 0 && (awaited == 0 || last == 0 || (awaited == total && last == total));
}

/* Is there a number in the registers, whatever its lowest bits? */
static bool has_number(const struct runtime_thread *thread, uint64_t number, uint64_t step)
{
    for (size_t k = 0; k < thread->n_registers; k++)
        if (thread->registers[k] / step == number)
            return true;
    return false;
}

/*
 * Has a thread come to the barrier that is not over, or is it still at the one before? It knows the number of its own:
 * who sleeps has told the kernel, and who spins has it in a register, and in another one the next, for which it waits.
 * Who leaves the barrier before has that one's number, and this one's. The lowest bits of a number are flags.
 */
static bool is_of_generation(const struct gomp *gomp, size_t i, uint64_t team)
{
    const struct runtime_thread *thread = &gomp->runtime->threads[i];
    uint64_t step = runtime_constant(gomp->runtime, MQD_CONSTANT_gomp_bar_increment), number;

    step = step != 0 ? step : 1;
    if (!runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_generation, &number))
        return false;
    number /= step;
    if (thread->futex != 0)
        return thread->futex_value / step == number;
    return has_number(thread, number, step) && has_number(thread, number + 1, step);
}

static bool is_at_barrier(const struct gomp *gomp, size_t i, struct openmp_thread *row)
{
    uint64_t team = gomp->members[i].team, total, last;

    if (!waits_at(gomp, i, runtime_part(gomp->runtime, team, MQD_PATH_gomp_team_generation)))
        return false;
    if (is_over(gomp, team) || !is_of_generation(gomp, i, team)) {
        row->state = OPENMP_overhead;
        return true;
    }
    row->object = team;
    row->state = OPENMP_wait_barrier;
    if (runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_awaited_final, &last) &&
        runtime_get(gomp->runtime, team, MQD_PATH_gomp_team_total, &total) && last < total)
        row->state = OPENMP_wait_barrier_implicit_parallel;
    return true;
}

static bool is_set(const struct gomp *gomp, uint64_t object, enum mqd_path_id path)
{
    uint64_t value;

    return runtime_get(gomp->runtime, object, path, &value) && value != 0;
}

/* Who ends the wait takes back what says that there is one, and then wakes the thread: that runs already. */
static bool is_at_task(const struct gomp *gomp, size_t i, struct openmp_thread *row)
{
    const struct runtime *runtime = gomp->runtime;
    uint64_t task = gomp->members[i].task, wait = 0, group = 0, children;

    runtime_get(runtime, task, MQD_PATH_gomp_task_taskwait, &wait);
    runtime_get(runtime, task, MQD_PATH_gomp_task_taskgroup, &group);
    if (waits_at(gomp, i, runtime_part(runtime, wait, MQD_PATH_gomp_taskwait_sem))) {
        bool still = is_set(gomp, wait, MQD_PATH_gomp_in_taskwait) || is_set(gomp, wait, MQD_PATH_gomp_in_depend_wait);

        row->state = still ? OPENMP_wait_taskwait : OPENMP_overhead;
        row->object = still ? task : 0;
        return true;
    }
    if (!waits_at(gomp, i, runtime_part(runtime, group, MQD_PATH_gomp_taskgroup_sem)))
        return false;
    row->state = OPENMP_overhead;
    if (!is_set(gomp, group, MQD_PATH_gomp_in_taskgroup_wait))
        return true;
    row->state = OPENMP_wait_taskgroup;
    row->object = group;
    if (runtime_get(runtime, group, MQD_PATH_gomp_taskgroup_children, &children) && children <= INT32_MAX)
        row->children = (long)children;
    return true;
}

static bool is_at_ordered(const struct gomp *gomp, size_t i, struct openmp_thread *row)
{
    const struct member *member = &gomp->members[i];
    uint64_t share, owner;

    if (!waits_at(gomp, i, runtime_part(gomp->runtime, member->self, MQD_PATH_gomp_thread_release)) &&
        !waits_at(gomp, i, runtime_part(gomp->runtime, member->team, MQD_PATH_gomp_team_master_release)))
        return false;
    row->state = OPENMP_wait_ordered;
    if (runtime_get(gomp->runtime, member->self, MQD_PATH_gomp_thread_work_share, &share) &&
        runtime_get(gomp->runtime, share, MQD_PATH_gomp_ordered_owner, &owner))
        row->holder = numbered(gomp, member->team, owner);
    return true;
}

/* A nestable lock leads into the task of its holder. Behind another lock lies anything, which leads elsewhere. */
static void read_lock(const struct gomp *gomp, struct openmp_thread *row)
{
    uint64_t owner, count;

    if (!runtime_get(gomp->runtime, row->object, MQD_PATH_gomp_nest_owner, &owner) || owner == 0 ||
        !runtime_get(gomp->runtime, row->object, MQD_PATH_gomp_nest_count, &count) || (int64_t)count <= 0)
        return;
    for (size_t i = 0; i < gomp->runtime->n_threads; i++)
        if (gomp->members[i].task != 0 && !gomp->members[i].is_idle &&
            owner - gomp->members[i].task < gomp->task_size) {
            row->state = OPENMP_wait_lock;
            row->holder = gomp->runtime->threads[i].id;
        }
}

/*
 * Does it wait at the barrier of another team? The thread that has begun a region inside of another one has left it
 * before it waits for the others to do so, and one that has been woken from a team may have been given the next one.
 * A team leads to where its first thread waits in ordered regions, which is in it.
 */
static bool is_at_other_team(const struct gomp *gomp, size_t i)
{
    const struct runtime *runtime = gomp->runtime;
    uint64_t own = gomp->members[i].team, place = runtime_part(runtime, own, MQD_PATH_gomp_team_generation);
    uint64_t team = runtime->threads[i].futex - (place - own), releases, first;

    return place != 0 && runtime_get(runtime, team, MQD_PATH_gomp_team_ordered_release, &releases) &&
           runtime_read_word(runtime->memory, releases, &first) &&
           first == runtime_part(runtime, team, MQD_PATH_gomp_team_master_release);
}

/* Is it still as it was when the thread went to sleep? Who releases a lock changes it, and then wakes the thread. */
static bool is_still_held(const struct gomp *gomp, const struct runtime_thread *thread)
{
    uint32_t value;

    return runtime_read(gomp->runtime->memory, thread->futex, &value, sizeof value) && value == thread->futex_value;
}

/* What else libgomp waits for is a lock: of the program, or one of its own for constructs without a name. */
static void find_state(const struct gomp *gomp, size_t i, struct openmp_thread *row)
{
    const struct runtime_thread *thread = &gomp->runtime->threads[i];
    const struct member *member = &gomp->members[i];

    if (is_at_barrier(gomp, i, row) || is_at_task(gomp, i, row) || is_at_ordered(gomp, i, row))
        return;
    if (thread->without_program && !thread->in_runtime)
        return; /* The stack could not be followed, or the thread ends. */
    if (thread->futex != 0 && thread->is_innermost && !is_at_dock(gomp, i) && !is_at_other_team(gomp, i) &&
        is_still_held(gomp, thread)) {
        row->state = OPENMP_wait_mutex;
        row->object = thread->futex;
        read_lock(gomp, row);
        return;
    }
    row->let_go = thread->futex != 0 && thread->is_innermost && !is_still_held(gomp, thread);
    row->state = thread->in_runtime ? OPENMP_overhead : member->team != 0 ? OPENMP_work_parallel : OPENMP_work_serial;
}

/* All. */

/*
 * A thread that begins a region, or ends one, changes its team and its task one after the other: it may be stopped with
 * the task of the enclosing region. It runs then, in the runtime.
 */
static bool is_between_tasks(const struct gomp *gomp, size_t i)
{
    const struct runtime_thread *thread = &gomp->runtime->threads[i];

    return gomp->members[i].number == 0 && thread->is_innermost && thread->futex == 0;
}

static void prove_member(struct gomp *gomp, size_t i, const struct openmp_team *team)
{
    struct runtime *runtime = gomp->runtime;
    const struct member *member = &gomp->members[i];

    runtime_demand(runtime, has_release(gomp, member));
    runtime_demand(runtime, runtime_need(runtime, member->self, MQD_PATH_gomp_thread_active_level) <= member->level);
    runtime_demand(runtime, member->number < (uint64_t)team->size);
    runtime_demand(runtime, member->level > 0 && member->level <= MAX_NESTING);
    runtime_demand(runtime, is_task_of(gomp, member, (uint64_t)team->size) || is_between_tasks(gomp, i));
}

static void read_thread(struct gomp *gomp, size_t i)
{
    const struct member *member = &gomp->members[i];
    struct openmp_thread *row = &gomp->openmp->threads[i];
    size_t team;

    if (member->self == 0 || (member->team == 0 && member->task == 0 && member->pool == 0) ||
        (!member->is_idle && has_left(gomp, i)))
        return;
    row->runtime = 0;
    if (member->pool != 0)
        prove_pool(gomp, member);
    if (member->is_idle) {
        row->state = OPENMP_idle;
        return;
    }
    if (member->team == 0) {
        runtime_demand(gomp->runtime, member->level == 0 && member->number == 0);
        find_state(gomp, i, row);
        return;
    }
    team = add_teams(gomp, member->team, member->level);
    prove_member(gomp, i, &gomp->openmp->teams[team]);
    row->team = (long)team;
    row->number = member->number < MAX_TEAM_SIZE ? (long)member->number : -1;
    read_task(gomp, member, row, (uint64_t)gomp->openmp->teams[team].size);
    find_state(gomp, i, row);
}

/*
 * Has the team begun, so that all its threads were there? A region that is not inside of another one begins when all
 * have come to the dock; the others begin with a barrier.
 */
static bool has_begun(const struct gomp *gomp, size_t at)
{
    for (size_t i = 0; i < gomp->runtime->n_threads; i++) {
        int state = gomp->openmp->threads[i].state;

        if (gomp->openmp->threads[i].team == (long)at && state != OPENMP_overhead && state != OPENMP_unknown &&
            (gomp->openmp->teams[at].level == 1 || state > OPENMP_wait_barrier_implicit_parallel ||
             state < OPENMP_wait_barrier))
            return true;
    }
    return false;
}

/* Numbers are there once. A thread that is in a region inside has its number in the enclosing one still. */
static void read_numbers(struct gomp *gomp, size_t at)
{
    struct runtime *runtime = gomp->runtime;
    struct openmp *openmp = gomp->openmp;
    size_t size = (size_t)openmp->teams[at].size;
    OWNED bool *has = allocate_array(size + 1, sizeof *has);

    for (size_t i = 0; i < runtime->n_threads; i++) {
        const struct openmp_thread *row = &openmp->threads[i];

        if (row->team != (long)at || row->number < 0 || (size_t)row->number >= size)
            continue;
        runtime_demand(runtime, !has[row->number]);
        has[row->number] = true;
    }
    for (size_t i = 0; i < openmp->n_teams; i++)
        if (openmp->teams[i].parent == (long)at && (size_t)openmp->teams[i].parent_number < size)
            has[openmp->teams[i].parent_number] = true;
    if (runtime->has_all_threads && size <= MAX_TEAM_SIZE && has_begun(gomp, at))
        openmp_add_ended(openmp, at, has, size);
}

void gomp_read(struct runtime *runtime, struct openmp *openmp)
{
    struct gomp gomp = {.runtime = runtime, .openmp = openmp,
                        .members = allocate_array(runtime->n_threads + 1, sizeof *gomp.members),
                        .task_size = runtime->layout->type_size[MQD_TYPE_gomp_task]};

    for (size_t i = 0; i < runtime->n_threads; i++)
        read_member(&gomp, i);
    for (size_t i = 0; i < runtime->n_threads; i++)
        gomp.members[i].is_idle = is_idle(&gomp, i);
    for (size_t i = 0; i < runtime->n_threads && runtime->n_broken == 0; i++)
        read_thread(&gomp, i);
    for (size_t i = 0; i < openmp->n_teams && runtime->n_broken == 0; i++)
        read_numbers(&gomp, i);
    free(gomp.members);
}
