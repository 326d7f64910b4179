/*
 * kmp.c - reads libomp.
 *
 * libomp counts arrivals at barriers for each thread, in a tree: inner threads wait for the outer ones, and arrive when
 * those have come. A thread that sleeps says for what; one that spins shows it by its stack only.
 */
#include "mqd/dump/collect/openmp/kmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"

/* What libomp has for one thread of the process (kmp_info_t). */
struct info {
    uint64_t self;                 /* 0: it is none of libomp's */
    uint64_t team, task;
    int64_t gtid, tid;
    bool is_between;               /* it goes from one team to another */
};

struct kmp {
    struct runtime *runtime;
    struct openmp *openmp;
    struct info *infos;            /* in the order of the process's threads */
    uint64_t threads, capacity;    /* libomp's array of all threads */
    size_t task_size, bar_size, team_bar_size;
};

/* Finding the threads. */

static int64_t as_number(uint64_t value)
{
    return (int64_t)value;
}

/* The array lies before that of the roots, in one piece, and so do the variables that lead to them. */
static uint64_t capacity_of(uint64_t threads, uint64_t roots)
{
    enum { MAX_CAPACITY = 1 << 16 };
    uint64_t n = (roots - threads) / sizeof roots;

    return threads != 0 && threads % sizeof threads == 0 && roots % sizeof roots == 0 && roots > threads &&
                   n <= MAX_CAPACITY ? n : 0;
}

/* Does it lead to an array that leads on? What only looks like addresses is sorted out once, for all layouts. */
static bool leads_on(struct runtime_memory *memory, uint64_t threads)
{
    uint64_t info, word;

    return runtime_read_word(memory, threads, &info) && runtime_read_word(memory, info, &word);
}

size_t kmp_find_variables(struct runtime_memory *memory, const struct runtime_image *image,
                          uint64_t variables[MAX_VARIABLES])
{
    enum { MAX_DATA = 16 << 20 };
    uint64_t start = (image->data + sizeof start - 1) & -(uint64_t)sizeof start, last = 0, word;
    size_t n = 0;

    for (uint64_t at = start; at < image->data_end && at - start < MAX_DATA; at += sizeof word) {
        if (!runtime_read_word(memory, at, &word))
            word = 0;
        /* Much of the library leads to the library itself. */
        if ((last < image->bias || last >= image->data_end) && capacity_of(last, word) != 0 && n < MAX_VARIABLES &&
            leads_on(memory, last))
            variables[n++] = at - sizeof word;
        last = word;
    }
    return n;
}

/* Is the first of these threads one of the process, and libomp's thread 0? */
static bool begins_with_thread(const struct runtime *runtime, uint64_t variable)
{
    uint64_t threads, info, gtid, pointer;

    return runtime_read_word(runtime->memory, variable, &threads) &&
           runtime_read_word(runtime->memory, threads, &info) &&
           runtime_get(runtime, info, MQD_PATH_kmp_thread_gtid, &gtid) && gtid == 0 &&
           runtime_get(runtime, info, MQD_PATH_kmp_thread_pthread, &pointer) &&
           runtime_find_thread(runtime, pointer) < runtime->n_threads;
}

/* The variable by the data; 0: there is none, or there are several. */
static uint64_t choose_variable(const struct runtime *runtime)
{
    uint64_t found = 0;

    for (size_t i = 0; i < runtime->n_variables; i++) {
        if (!begins_with_thread(runtime, runtime->variables[i]))
            continue;
        if (found != 0)
            return 0;
        found = runtime->variables[i];
    }
    return found;
}

/* False: there are no threads yet, or the code and the data do not agree. */
static bool find_threads(struct kmp *kmp)
{
    struct runtime *runtime = kmp->runtime;
    uint64_t variable = choose_variable(runtime), threads = 0, roots = 0;

    if (runtime->entry != 0 && runtime_read_word(runtime->memory, runtime->entry, &threads) && threads == 0)
        return false;
    if (!runtime_demand(runtime, variable != 0 && (runtime->entry == 0 || runtime->entry == variable) &&
                                 runtime_read_word(runtime->memory, variable, &kmp->threads) &&
                                 runtime_read_word(runtime->memory, variable + sizeof roots, &roots)))
        return false;
    kmp->capacity = capacity_of(kmp->threads, roots);
    return true;
}

/* Tasks. */

static bool has_flag(const struct runtime *runtime, uint64_t task, enum mqd_constant_id flag)
{
    uint64_t address = runtime_part(runtime, task, MQD_PATH_kmp_task_flags);
    const struct mqd_constant *mask = &runtime->layout->constants[flag];
    uint32_t flags;

    return mask->present && runtime_read(runtime->memory, address, &flags, sizeof flags) &&
           (flags & (uint64_t)mask->value) != 0;
}

/* A task of a thread comes from an implicit one of its team, perhaps of another thread. */
static bool is_task_of(const struct kmp *kmp, uint64_t team, uint64_t size, uint64_t task)
{
    uint64_t first = 0, of = 0;

    if (!runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_implicit_tasks, &first) || first == 0 || kmp->task_size == 0)
        return false;
    for (int i = 0; i < MAX_NESTING && task != 0; i++) {
        if (task >= first && (task - first) % kmp->task_size == 0 && (task - first) / kmp->task_size < size)
            return true;
        if (!has_flag(kmp->runtime, task, MQD_CONSTANT_kmp_task_explicit) ||
            !runtime_get(kmp->runtime, task, MQD_PATH_kmp_task_team, &of) || of != team ||
            !runtime_get(kmp->runtime, task, MQD_PATH_kmp_task_parent, &task))
            return false;
    }
    return task != 0;
}

/* Which thread of the process it is; n_threads: none. */
static size_t find_info(const struct kmp *kmp, uint64_t self)
{
    size_t i = 0;

    while (i < kmp->runtime->n_threads && (self == 0 || kmp->infos[i].self != self))
        i++;
    return i;
}

static pid_t thread_of(const struct kmp *kmp, uint64_t self)
{
    size_t at = find_info(kmp, self);

    return at < kmp->runtime->n_threads ? kmp->runtime->threads[at].id : 0;
}

static void read_task(const struct kmp *kmp, const struct info *info, struct openmp_thread *row)
{
    struct runtime *runtime = kmp->runtime;
    uint64_t value;

    row->task = info->task;
    row->explicit_task = has_flag(runtime, info->task, MQD_CONSTANT_kmp_task_explicit);
    if (!row->explicit_task)
        return;
    runtime_demand(runtime, runtime_need(runtime, info->task + kmp->task_size, MQD_PATH_kmp_task_routine) != 0);
    runtime_get(runtime, info->task, MQD_PATH_kmp_task_parent, &row->parent_task);
    if (runtime_get(runtime, info->task, MQD_PATH_kmp_task_creator, &value))
        row->creator = thread_of(kmp, value);
}

/* Places. */

/* ";file;function;line;column;;"; NULL: not known. */
static char *read_place(const struct runtime *runtime, uint64_t ident)
{
    uint64_t source;
    char text[256], *field[4];
    size_t n = sizeof text - 1;

    if (!runtime_get(runtime, ident, MQD_PATH_kmp_ident_source, &source))
        return NULL;
    /* It may end where memory does. */
    while (n > 0 && !runtime_read(runtime->memory, source, text, n))
        n /= 2;
    text[n] = '\0';
    field[0] = text;
    for (size_t i = 1; i < 4; i++) {
        field[i] = strchr(field[i - 1], ';');
        if (field[i] == NULL)
            return NULL;
        *field[i]++ = '\0';
    }
    field[3][strspn(field[3], "0123456789")] = '\0';
    if (text[0] != '\0' || strcmp(field[1], "unknown") == 0 || *field[3] == '\0' || strcmp(field[3], "0") == 0)
        return NULL;
    return format_text("%s:%s", name_of_path(field[1]), field[3]);
}

static char *place_of(const struct runtime *runtime, uint64_t object, enum mqd_path_id path)
{
    uint64_t ident;

    return runtime_get(runtime, object, path, &ident) ? read_place(runtime, ident) : NULL;
}

/* Teams. */

static size_t add_team(struct kmp *kmp, uint64_t address)
{
    static const struct runtime_team_paths paths = {MQD_PATH_kmp_team_nproc, MQD_PATH_kmp_team_cancel_request};
    struct runtime *runtime = kmp->runtime;
    bool is_new;
    size_t at = runtime_find_team(runtime, kmp->openmp, address, &paths, &is_new);
    struct openmp_team *team = &kmp->openmp->teams[at];

    if (!is_new)
        return at;
    team->level = (long)as_number(runtime_need(runtime, address, MQD_PATH_kmp_team_level));
    runtime_demand(runtime, team->level > 0 && team->level <= MAX_NESTING);
    runtime_demand(runtime, runtime_need(runtime, address, MQD_PATH_kmp_team_active_level) <= (uint64_t)team->level);
    team->place = place_of(runtime, address, MQD_PATH_kmp_team_ident);
    return at;
}

static bool is_region(const struct kmp *kmp, uint64_t team)
{
    uint64_t level;

    return runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_level, &level) && level > 0;
}

static size_t add_teams(struct kmp *kmp, uint64_t address)
{
    struct runtime *runtime = kmp->runtime;
    size_t first = add_team(kmp, address), at = first;

    for (int i = 0; i < MAX_NESTING && kmp->openmp->teams[at].parent < 0; i++) {
        uint64_t outer = runtime_need(runtime, kmp->openmp->teams[at].address, MQD_PATH_kmp_team_parent);
        uint64_t number = runtime_need(runtime, kmp->openmp->teams[at].address, MQD_PATH_kmp_team_master_tid);
        size_t inner = at;

        if (!runtime_demand(runtime, outer != 0) || !is_region(kmp, outer))
            return first;
        at = add_team(kmp, outer);
        kmp->openmp->teams[inner].parent = (long)at;
        if (runtime_demand(runtime, number < (uint64_t)kmp->openmp->teams[at].size))
            kmp->openmp->teams[inner].parent_number = (long)number;
    }
    return first;
}

/* Barriers. */

/* The counter of one thread, or of the team, for a kind of barrier. The lowest bits are flags. */
static bool read_arrived(const struct kmp *kmp, uint64_t object, size_t size, uint64_t kind, enum mqd_path_id path,
                         uint64_t *arrived)
{
    uint64_t step = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_bump);

    if (object == 0 || step == 0 || !runtime_get(kmp->runtime, object + kind * size, path, arrived))
        return false;
    *arrived -= *arrived % step;
    return true;
}

/*
 * How many barriers a thread is ahead of its team: 1 from when it comes to one until all have come, else 0; -1: it
 * cannot be read. It may be in a region inside, with another team.
 */
static long barriers_ahead(const struct kmp *kmp, uint64_t self, uint64_t team, uint64_t kind)
{
    uint64_t own, all, step = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_bump);

    if (!read_arrived(kmp, self, kmp->bar_size, kind, MQD_PATH_kmp_thread_arrived, &own) ||
        !read_arrived(kmp, team, kmp->team_bar_size, kind, MQD_PATH_kmp_team_arrived, &all))
        return -1;
    return own == all ? 0 : own == all + step ? 1 : -1;
}

static bool has_arrived(const struct kmp *kmp, uint64_t self, uint64_t team, uint64_t kind)
{
    return barriers_ahead(kmp, self, team, kind) == 1;
}

/*
 * The same of a thread itself. The first one has no counter for its team: it has come when all others have. What it has
 * there is of the team in which it has begun the region.
 */
static bool has_arrived_itself(const struct kmp *kmp, const struct info *info, uint64_t kind)
{
    return info->tid != 0 && has_arrived(kmp, info->self, info->team, kind);
}

static int state_of_barrier(const struct kmp *kmp, uint64_t kind)
{
    if (kind == runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_forkjoin))
        return OPENMP_wait_barrier_implicit_parallel;
    if (kind == runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_reduction))
        return OPENMP_wait_barrier_implicit_workshare;
    return OPENMP_wait_barrier;
}

static uint64_t arrived_place(const struct kmp *kmp, uint64_t info, uint64_t kind)
{
    return runtime_part(kmp->runtime, info + kind * kmp->bar_size, MQD_PATH_kmp_thread_arrived);
}

/* The thread of a team that has this counter, for which kind of barrier; 0: none has. */
static uint64_t find_counter(const struct kmp *kmp, uint64_t team, uint64_t place, uint64_t *kind)
{
    uint64_t n = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_n_bars), threads, size, member;

    if (!runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_threads, &threads) ||
        !runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_nproc, &size))
        return 0;
    for (uint64_t i = 0; i < size && i < MAX_TEAM_SIZE; i++) {
        if (!runtime_read_word(kmp->runtime->memory, threads + i * sizeof member, &member))
            return 0;
        for (*kind = 0; *kind < n; ++*kind)
            if (member != 0 && place == arrived_place(kmp, member, *kind))
                return member;
    }
    return 0;
}

/* Is it another thread's that has not come? An inner thread of the tree, and the first one, wait for others. */
static bool awaits_arrival(const struct kmp *kmp, const struct info *info, uint64_t place, struct openmp_thread *row)
{
    uint64_t kind, member = find_counter(kmp, info->team, place, &kind);

    if (member == 0 || member == info->self || has_arrived(kmp, member, info->team, kind))
        return false;
    row->state = state_of_barrier(kmp, kind);
    row->holder = thread_of(kmp, member);
    return true;
}

/* Who sleeps says until when. */
static bool sleeps_for_arrival(const struct kmp *kmp, const struct info *info, struct openmp_thread *row)
{
    struct runtime *runtime = kmp->runtime;
    uint64_t flag, place;

    return runtime_get(runtime, info->self, MQD_PATH_kmp_thread_sleep_loc, &flag) && flag != 0 &&
           runtime_demand(runtime, runtime_get(runtime, flag, MQD_PATH_kmp_flag_address, &place)) &&
           awaits_arrival(kmp, info, place, row);
}

enum { N_STACK_WORDS = 512, MAX_BARS = 8 };

/* The innermost words of a thread's stack, which may end soon. */
static size_t read_stack(const struct kmp *kmp, const struct runtime_thread *thread, uint64_t words[N_STACK_WORDS])
{
    size_t n = N_STACK_WORDS;

    while (n > 0 && !runtime_read(kmp->runtime->memory, thread->stack_pointer, words, n * sizeof *words))
        n /= 2;
    return n;
}

/* What the counters of a team's threads become when they come to a barrier of each kind. Returns how many kinds. */
static size_t next_arrivals(const struct kmp *kmp, uint64_t team, uint64_t next[MAX_BARS])
{
    uint64_t step = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_bump);
    uint64_t n = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_n_bars);
    size_t n_read = 0;

    while (n_read < n && n_read < MAX_BARS &&
           read_arrived(kmp, team, kmp->team_bar_size, n_read, MQD_PATH_kmp_team_arrived, &next[n_read]))
        next[n_read++] += step;
    return n_read;
}

/*
 * Who spins has on its stack the address of the counter, and behind it, directly or after another word, the value that
 * it waits for. That of an earlier barrier is less: what a thread leaves on its stack proves nothing.
 */
static bool spins_for_arrival(const struct kmp *kmp, const struct runtime_thread *thread, const struct info *info,
                              struct openmp_thread *row)
{
    uint64_t words[N_STACK_WORDS], next[MAX_BARS];
    size_t n_words = thread->in_runtime ? read_stack(kmp, thread, words) : 0;
    size_t n_next = n_words > 0 ? next_arrivals(kmp, info->team, next) : 0;

    for (size_t i = 1; i < n_words; i++)
        if (runtime_has_value(next, n_next, words[i]) && (awaits_arrival(kmp, info, words[i - 1], row) ||
                                                          (i > 1 && awaits_arrival(kmp, info, words[i - 2], row))))
            return true;
    return false;
}

/* Memory proves it, or nothing is said: a thread in the runtime's function may not have come, or have been let go. */
static bool is_at_barrier(const struct kmp *kmp, size_t i, struct openmp_thread *row)
{
    const struct info *info = &kmp->infos[i];
    uint64_t n = runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_n_bars), kind = 0;

    while (kind < n && !has_arrived_itself(kmp, info, kind))
        kind++;
    if (kind < n)
        row->state = state_of_barrier(kmp, kind);
    else if (!sleeps_for_arrival(kmp, info, row) && !spins_for_arrival(kmp, &kmp->runtime->threads[i], info, row))
        return false;
    row->object = info->team;
    row->place = place_of(kmp->runtime, info->self, MQD_PATH_kmp_thread_ident);
    return true;
}

/*
 * A thread of the pool has nothing to do. Others keep the team of the last region when its first thread has left the
 * barrier at the end: it has no function then, or it is the one that its root keeps while no region is active. No
 * thread that the program has called waits for a region.
 */
static bool is_idle(const struct kmp *kmp, size_t i)
{
    struct runtime *runtime = kmp->runtime;
    const struct info *info = &kmp->infos[i];
    uint64_t in_pool = 0, forkjoin, function, root, hot, active;

    runtime_get(runtime, info->self, MQD_PATH_kmp_thread_in_pool, &in_pool);
    forkjoin = runtime_constant(runtime, MQD_CONSTANT_kmp_bar_forkjoin);
    /* The first thread of a team takes it from those that it gives back before it puts them into the pool. */
    if (info->team == 0)
        return in_pool != 0 || (runtime->threads[i].without_program && runtime->threads[i].in_runtime);
    if (in_pool != 0 || info->tid == 0 || !runtime->threads[i].without_program ||
        barriers_ahead(kmp, info->self, info->team, forkjoin) != 0)
        return in_pool != 0;
    if (runtime_get(runtime, info->team, MQD_PATH_kmp_team_function, &function) && function == 0)
        return true;
    return runtime_get(runtime, info->self, MQD_PATH_kmp_thread_root, &root) &&
           runtime_get(runtime, root, MQD_PATH_kmp_root_hot_team, &hot) && hot == info->team &&
           runtime_get(runtime, root, MQD_PATH_kmp_root_active, &active) && active == 0;
}

/* Locks. */

static bool read_info_at(const struct kmp *kmp, uint64_t gtid, uint64_t *info)
{
    return runtime_read_word(kmp->runtime->memory, kmp->threads + gtid * sizeof *info, info);
}

static bool is_in_queue(const struct kmp *kmp, const struct info *info, uint64_t lock)
{
    uint64_t at, next, info_at, last;

    if (!runtime_get(kmp->runtime, lock, MQD_PATH_kmp_lock_head, &at) ||
        !runtime_get(kmp->runtime, lock, MQD_PATH_kmp_lock_tail, &last))
        return false;
    for (size_t i = 0; i <= kmp->runtime->n_threads && at > 0 && at <= kmp->capacity; i++) {
        if (at == (uint64_t)info->gtid + 1)
            return true;
        if (at == last || !read_info_at(kmp, at - 1, &info_at) ||
            !runtime_get(kmp->runtime, info_at, MQD_PATH_kmp_thread_next_waiting, &next))
            return false;
        at = next;
    }
    return false;
}

/* A queuing lock leads to itself. */
static bool is_its_lock(const struct kmp *kmp, const struct info *info, uint64_t word)
{
    uint64_t self;

    return word != 0 && word % sizeof word == 0 && runtime_get(kmp->runtime, word, MQD_PATH_kmp_lock_self, &self) &&
           self == word && is_in_queue(kmp, info, word);
}

/* The address of a lock is kept where only the waiting thread has it. */
static uint64_t find_lock(const struct kmp *kmp, const struct runtime_thread *thread, const struct info *info)
{
    enum { N_WORDS = 150 };
    uint64_t word;

    for (size_t i = 0; i < thread->n_registers; i++)
        if (is_its_lock(kmp, info, thread->registers[i]))
            return thread->registers[i];
    for (size_t i = 0; i < N_WORDS && thread->stack_pointer != 0; i++)
        if (runtime_read_word(kmp->runtime->memory, thread->stack_pointer + i * sizeof word, &word) &&
            is_its_lock(kmp, info, word))
            return word;
    return 0;
}

/*
 * Locks of the kind "futex" are slept at, in the kernel. Their words are odd, unlike those of the mutexes that libomp
 * has for itself; for all else it sleeps in conditions, and says so.
 */
static bool sleeps_at_lock(const struct kmp *kmp, size_t i)
{
    const struct runtime_thread *thread = &kmp->runtime->threads[i];
    uint64_t flag;

    return thread->futex != 0 && thread->in_runtime && thread->futex_value % 2 == 1 &&
           runtime_get(kmp->runtime, kmp->infos[i].self, MQD_PATH_kmp_thread_sleep_loc, &flag) && flag == 0;
}

static bool is_at_lock(const struct kmp *kmp, size_t i, struct openmp_thread *row)
{
    const struct info *info = &kmp->infos[i];
    struct runtime *runtime = kmp->runtime;
    uint64_t spins, owner = 0, flags = 0, holder;

    if (sleeps_at_lock(kmp, i)) {
        row->state = OPENMP_wait_mutex;
        row->object = runtime->threads[i].futex;
        return true;
    }
    if (!runtime_get(runtime, info->self, MQD_PATH_kmp_thread_spin_here, &spins) || spins == 0)
        return false;
    row->state = OPENMP_wait_mutex;
    row->object = find_lock(kmp, &runtime->threads[i], info);
    if (row->object == 0)
        return true;
    runtime_get(runtime, row->object, MQD_PATH_kmp_lock_flags, &flags);
    row->state = (flags & runtime_constant(runtime, MQD_CONSTANT_kmp_lock_critical)) != 0 ? OPENMP_wait_critical
                                                                                          : OPENMP_wait_lock;
    if (runtime_get(runtime, row->object, MQD_PATH_kmp_lock_owner, &owner) && owner > 0 && owner <= kmp->capacity &&
        read_info_at(kmp, owner - 1, &holder))
        row->holder = thread_of(kmp, holder);
    return true;
}

/* States. */

static bool is_at_taskwait(const struct kmp *kmp, const struct info *info, struct openmp_thread *row)
{
    struct runtime *runtime = kmp->runtime;
    uint64_t waits, children;

    if (!runtime_get(runtime, info->task, MQD_PATH_kmp_taskwait_thread, &waits) || as_number(waits) <= 0)
        return false;
    row->state = OPENMP_wait_taskwait;
    row->object = info->task;
    row->place = place_of(runtime, info->task, MQD_PATH_kmp_taskwait_ident);
    if (runtime_get(runtime, info->task, MQD_PATH_kmp_task_children, &children) && as_number(children) >= 0)
        row->children = (long)children;
    return true;
}

static void find_state(const struct kmp *kmp, size_t i, struct openmp_thread *row)
{
    const struct info *info = &kmp->infos[i];

    if (is_at_lock(kmp, i, row) || is_at_taskwait(kmp, info, row) ||
        (!row->explicit_task && is_at_barrier(kmp, i, row)))
        return;
    row->state = kmp->runtime->threads[i].in_runtime ? OPENMP_overhead
                 : row->team >= 0                    ? OPENMP_work_parallel
                                                     : OPENMP_work_serial;
}

/* All. */

/* The thread that has a number in a team; 0: none, or it cannot be read. */
static uint64_t member_of(const struct kmp *kmp, uint64_t team, uint64_t number)
{
    uint64_t threads, size, member;

    return runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_threads, &threads) && threads != 0 &&
                   runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_nproc, &size) && number < size &&
                   size <= MAX_TEAM_SIZE &&
                   runtime_read_word(kmp->runtime->memory, threads + number * sizeof member, &member) ? member : 0;
}

/* Does all that a thread has agree with its being in this team? */
static bool has_number(const struct kmp *kmp, const struct info *info, uint64_t team)
{
    return info->tid >= 0 && member_of(kmp, team, (uint64_t)info->tid) == info->self;
}

static bool has_task(const struct kmp *kmp, const struct info *info, uint64_t team)
{
    uint64_t size;

    return runtime_get(kmp->runtime, team, MQD_PATH_kmp_team_nproc, &size) && is_task_of(kmp, team, size, info->task);
}

static bool has_first_of(const struct kmp *kmp, const struct info *info, uint64_t team)
{
    uint64_t first;

    return runtime_get(kmp->runtime, info->self, MQD_PATH_kmp_thread_team_master, &first) && first != 0 &&
           member_of(kmp, team, 0) == first;
}

/* Is each of them that of the team, of which the thread is the first, or that of the other one? */
static bool is_of_both(const struct kmp *kmp, const struct info *info, uint64_t other)
{
    return other != 0 && (has_number(kmp, info, info->team) || has_number(kmp, info, other)) &&
           (has_task(kmp, info, info->team) || has_task(kmp, info, other)) &&
           (has_first_of(kmp, info, info->team) || has_first_of(kmp, info, other));
}

/*
 * A thread that begins a region, or ends one that it has begun, changes its number, its task, its team and the first
 * thread of that one after the other: it may be stopped with some of the inner team, in which it is the first, and some
 * of the enclosing one. The inner team forgets that one before the thread leaves it, but its task knows it. This is no
 * contradiction, but only of a thread that is in the runtime.
 */
static bool is_between_teams(const struct kmp *kmp, size_t i)
{
    const struct info *info = &kmp->infos[i];
    uint64_t parent = 0, of_task = 0, first = 0;

    if (!kmp->runtime->threads[i].in_runtime)
        return false;
    runtime_get(kmp->runtime, info->self, MQD_PATH_kmp_thread_team_master, &first);
    runtime_get(kmp->runtime, info->team, MQD_PATH_kmp_team_parent, &parent);
    runtime_get(kmp->runtime, info->task, MQD_PATH_kmp_task_team, &of_task);
    if (member_of(kmp, info->team, 0) != info->self)
        return first == info->self && has_number(kmp, info, info->team) && has_task(kmp, info, info->team);
    return is_of_both(kmp, info, parent) || is_of_both(kmp, info, of_task);
}

/*
 * A thread that waits for a region is given to a team by the one that begins it, which sets the members of that one
 * after the other too.
 */
static bool is_being_given(const struct kmp *kmp, size_t i)
{
    const struct runtime_thread *thread = &kmp->runtime->threads[i];
    const struct info *info = &kmp->infos[i];

    return thread->in_runtime && thread->without_program &&
           !has_arrived(kmp, info->self, info->team, runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_forkjoin));
}

static void prove_thread(struct kmp *kmp, size_t i)
{
    const struct info *info = &kmp->infos[i];
    struct runtime *runtime = kmp->runtime;
    uint64_t root = runtime_need(runtime, info->self, MQD_PATH_kmp_thread_root);
    bool is_member = has_number(kmp, info, info->team), is_task = has_task(kmp, info, info->team);
    bool is_led = has_first_of(kmp, info, info->team);

    kmp->infos[i].is_between =
        !(is_member && is_task && is_led) && (is_between_teams(kmp, i) || is_being_given(kmp, i));
    runtime_demand(runtime, is_member || kmp->infos[i].is_between);
    runtime_demand(runtime, is_task || kmp->infos[i].is_between);
    runtime_demand(runtime, is_led || kmp->infos[i].is_between);
    runtime_demand(runtime, runtime_need(runtime, root, MQD_PATH_kmp_root_hot_team) != 0);
    runtime_demand(runtime, runtime_need(runtime, root, MQD_PATH_kmp_root_team) != 0);
    runtime_need(runtime, info->self, MQD_PATH_kmp_thread_sleep_loc);
}

static void read_thread(struct kmp *kmp, size_t i)
{
    struct info *info = &kmp->infos[i];
    struct openmp_thread *row = &kmp->openmp->threads[i];

    row->runtime = 0;
    if (is_idle(kmp, i)) {
        row->state = OPENMP_idle;
        return;
    }
    if (!runtime_demand(kmp->runtime, info->team != 0))
        return;
    prove_thread(kmp, i);
    if (info->is_between) {
        row->state = OPENMP_overhead;
        return;
    }
    if (is_region(kmp, info->team)) {
        row->team = (long)add_teams(kmp, info->team);
        row->number = (long)info->tid;
        read_task(kmp, info, row);
    }
    find_state(kmp, i, row);
}

static void read_info(struct kmp *kmp, uint64_t gtid, uint64_t self)
{
    struct runtime *runtime = kmp->runtime;
    size_t at;

    if (!runtime_demand(runtime, runtime_need(runtime, self, MQD_PATH_kmp_thread_gtid) == gtid))
        return;
    at = runtime_find_thread(runtime, runtime_need(runtime, self, MQD_PATH_kmp_thread_pthread));
    if (at == runtime->n_threads)
        return;
    kmp->infos[at] = (struct info){.self = self, .gtid = (int64_t)gtid};
    kmp->infos[at].tid = as_number(runtime_need(runtime, self, MQD_PATH_kmp_thread_tid));
    kmp->infos[at].team = runtime_need(runtime, self, MQD_PATH_kmp_thread_team);
    kmp->infos[at].task = runtime_need(runtime, self, MQD_PATH_kmp_thread_task);
}

static void read_infos(struct kmp *kmp)
{
    uint64_t self;

    for (uint64_t i = 0; i < kmp->capacity && kmp->runtime->n_broken == 0; i++) {
        if (!runtime_demand(kmp->runtime, read_info_at(kmp, i, &self)))
            return;
        if (self != 0)
            read_info(kmp, i, self);
    }
}

/* A thread that has come to a barrier may execute tasks there. */
static bool has_come(const struct kmp *kmp, size_t i)
{
    const struct openmp_thread *row = &kmp->openmp->threads[i];
    const struct info *info = &kmp->infos[i];

    if (row->explicit_task)
        return has_arrived_itself(kmp, info, runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_plain)) ||
               has_arrived_itself(kmp, info, runtime_constant(kmp->runtime, MQD_CONSTANT_kmp_bar_forkjoin));
    return openmp_is_barrier(row->state);
}

/* Is it one that was a thread of the process, and is none any more? One that is being made has no handle yet. */
static bool has_ended(const struct kmp *kmp, uint64_t member)
{
    uint64_t pointer;

    return runtime_get(kmp->runtime, member, MQD_PATH_kmp_thread_pthread, &pointer) && pointer != 0 &&
           runtime_find_thread(kmp->runtime, pointer) == kmp->runtime->n_threads;
}

/* Which members are threads of the process, and how many of them have come to a barrier. */
static void read_members(struct kmp *kmp, size_t at)
{
    struct openmp *openmp = kmp->openmp;
    const struct openmp_team team = openmp->teams[at];
    uint64_t threads = 0, member;
    OWNED bool *has = allocate_array((size_t)team.size + 1, sizeof *has);
    long n_come = 0;

    runtime_get(kmp->runtime, team.address, MQD_PATH_kmp_team_threads, &threads);
    for (size_t i = 0; i < (size_t)team.size; i++)
        has[i] = !runtime_read_word(kmp->runtime->memory, threads + i * sizeof member, &member) ||
                 !has_ended(kmp, member);
    for (size_t i = 0; i < kmp->runtime->n_threads; i++)
        n_come += openmp->threads[i].team == (long)at && has_come(kmp, i);
    if (n_come > 0)
        openmp->teams[at].awaited = team.size - n_come;
    if (kmp->runtime->has_all_threads)
        openmp_add_ended(openmp, at, has, (size_t)team.size);
}

void kmp_read(struct runtime *runtime, struct openmp *openmp)
{
    struct kmp kmp = {.runtime = runtime, .openmp = openmp,
                      .infos = allocate_array(runtime->n_threads + 1, sizeof *kmp.infos),
                      .task_size = runtime->layout->type_size[MQD_TYPE_kmp_taskdata],
                      .bar_size = runtime->layout->type_size[MQD_TYPE_kmp_balign_t],
                      .team_bar_size = runtime->layout->type_size[MQD_TYPE_kmp_balign_team_t]};

    if (find_threads(&kmp))
        read_infos(&kmp);
    for (size_t i = 0; i < runtime->n_threads && runtime->n_broken == 0; i++)
        if (kmp.infos[i].self != 0)
            read_thread(&kmp, i);
    for (size_t i = 0; i < openmp->n_teams && runtime->n_broken == 0; i++)
        read_members(&kmp, i);
    free(kmp.infos);
}
