/*
 * names.c - what symbols, source lines and stacks add to what a runtime knows.
 *
 * A runtime's structures tell for what a thread waits. Which construct that belongs to, and the state of threads that
 * spin, shows by the function of the runtime that the program has called. Stripped runtimes jump from their entries, so
 * that this function is often not on the stack: it is where the call before the return address leads.
 */
#include "mqd/dump/collect/openmp/names.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/libraries.h"
#include "mqd/dump/collect/target/stack/library_calls.h"
#include "mqd/dump/collect/target/stack/stack.h"

struct naming {
    struct openmp *openmp;
    const struct modules *modules;
    const struct stacks *stacks;
    struct place_cache *cache;
    struct owners owners;
};

/* Functions of runtimes that wait, by their beginnings; the first one counts. */
static const struct {
    const char *beginning;
    int state;                     /* enum openmp_state */
} entries[] = {
    {"GOMP_barrier", OPENMP_wait_barrier},
    {"__kmpc_barrier", OPENMP_wait_barrier},
    {"__kmpc_cancel_barrier", OPENMP_wait_barrier},
    {"GOMP_loop_end", OPENMP_wait_barrier_implicit_workshare},
    {"GOMP_sections_end", OPENMP_wait_barrier_implicit_workshare},
    {"GOMP_single_copy", OPENMP_wait_barrier_implicit_workshare},
    {"__kmpc_reduce", OPENMP_wait_barrier_implicit_workshare},
    {"GOMP_parallel", OPENMP_wait_barrier_implicit_parallel},
    {"GOMP_teams", OPENMP_wait_barrier_implicit_parallel},
    {"__kmpc_fork", OPENMP_wait_barrier_implicit_parallel},
    {"GOMP_taskwait", OPENMP_wait_taskwait},
    {"__kmpc_omp_taskwait", OPENMP_wait_taskwait},
    {"__kmpc_omp_wait_deps", OPENMP_wait_taskwait},
    {"GOMP_taskgroup_end", OPENMP_wait_taskgroup},
    {"__kmpc_end_taskgroup", OPENMP_wait_taskgroup},
    {"GOMP_critical", OPENMP_wait_critical},
    {"__kmpc_critical", OPENMP_wait_critical},
    {"GOMP_atomic", OPENMP_wait_atomic},
    {"__kmpc_atomic", OPENMP_wait_atomic},
    {"omp_set_lock", OPENMP_wait_lock},
    {"omp_set_nest_lock", OPENMP_wait_lock},
    {"__kmpc_set_lock", OPENMP_wait_lock},
    {"__kmpc_set_nest_lock", OPENMP_wait_lock},
    {"GOMP_ordered", OPENMP_wait_ordered},
    {"GOMP_doacross", OPENMP_wait_ordered},
    {"__kmpc_ordered", OPENMP_wait_ordered},
    {"__kmpc_doacross", OPENMP_wait_ordered},
};

static int state_of_entry(const char *function)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries && function != NULL; i++)
        if (name_begins_with(function, entries[i].beginning))
            return entries[i].state;
    return OPENMP_unknown;
}

/* What begins a region. */
static bool is_fork(const char *function)
{
    static const char *const beginnings[] = {"GOMP_parallel", "__kmpc_fork_call", "__kmpc_serialized_parallel"};

    return function != NULL && BEGINS_WITH_ANY(function, beginnings);
}

static bool is_libomp(const struct openmp *openmp, const struct openmp_thread *row)
{
    return strcmp(openmp->runtimes[row->runtime].name, "libomp") == 0;
}

/*
 * libgomp counts those that have come to a barrier, and lets all go together. A thread of the team that runs in the
 * runtime, or a task that one executes there, may be any of them: that this one has come is proved if there are no more
 * of those than have come. What libomp's threads have come to is read from memory.
 */
static bool has_come(const struct openmp *openmp, const struct openmp_thread *row)
{
    const struct openmp_team *team = row->team >= 0 ? &openmp->teams[row->team] : NULL;
    long n = 0;

    if (team == NULL || is_libomp(openmp, row))
        return false;
    for (size_t i = 0; i < openmp->n_threads; i++) {
        const struct openmp_thread *one = &openmp->threads[i];

        n += one->team == row->team && (openmp_is_barrier(one->state) || one->state == OPENMP_overhead ||
                                        one->state == OPENMP_unknown || one->explicit_task);
    }
    return team->awaited > 0 && n <= team->size - team->awaited;
}

/*
 * The memory says that it waits, and roughly for what: the function says it in detail. A thread that runs in a function
 * that waits is taken to wait there, but at a barrier only if it must have come. In libomp one member serves for
 * taskwait and taskgroup.
 */
static void refine(const struct openmp *openmp, struct openmp_thread *row, int entry)
{
    bool is_detail = row->state == OPENMP_overhead || (row->state == OPENMP_wait_mutex && openmp_is_lock(entry)) ||
                     (row->state == OPENMP_wait_taskwait && entry == OPENMP_wait_taskgroup) ||
                     (row->state == OPENMP_wait_barrier && openmp_is_barrier(entry));

    if (entry == OPENMP_unknown || row->let_go ||
        (row->state == OPENMP_overhead && openmp_is_barrier(entry) && !has_come(openmp, row)))
        return;
    if (is_detail)
        row->state = entry;
    else if (row->state == OPENMP_wait_barrier_implicit_parallel && entry == OPENMP_wait_barrier)
        row->state = entry;
}

/* Frames. */

static const struct module *module_at(const struct naming *naming, const struct stack *stack, size_t i)
{
    return modules_find(naming->modules, stack->addresses[i]);
}

static bool is_runtime(const struct module *module)
{
    return symbols_find(&module->file->symbols, "GOMP_parallel", false) != NULL;
}

static const char *function_at(const struct modules *modules, uint64_t address, bool exactly)
{
    const struct module *module = modules_find(modules, address);
    uint64_t offset;
    const char *name = module != NULL ? elf_file_find_function(module->file, address - module->bias, &offset) : NULL;

    return name != NULL && (!exactly || offset == 0) ? name : NULL;
}

bool is_openmp_code(const struct modules *modules, const struct module *module, uint64_t address)
{
    static const char *const own[] = {"GOMP_", "gomp_", "omp_", "__kmp"};
    const char *function;

    if (module == NULL || !is_runtime(module))
        return false;
    if (module != modules->modules)
        return true;
    function = function_at(modules, address, false);
    return function != NULL && BEGINS_WITH_ANY(function, own);
}

/* Is the frame one of the system's libraries or of a runtime? */
static bool is_helper(const struct naming *naming, const struct stack *stack, size_t i)
{
    const struct module *module = module_at(naming, stack, i);

    return module == NULL || module_is_system(module) || is_openmp_code(naming->modules, module, stack->addresses[i]);
}

/* The place of a frame: its source line, else its function and a distance; NULL: not known. */
static char *place_of_frame(const struct naming *naming, const struct stack *stack, size_t i)
{
    const struct module *module = module_at(naming, stack, i);

    if (module == NULL)
        return NULL;
    return place_said(place_cache_find(naming->cache, module->file, stack->addresses[i] - module->bias), i);
}

/* The innermost frame of the program; n: there is none. MPI's own and those of the system are none. */
static size_t program_frame(const struct naming *naming, const struct stack *stack, size_t first)
{
    size_t i = first;

    while (i < stack->n) {
        const struct module *module = module_at(naming, stack, i);

        if (module != NULL && !is_helper(naming, stack, i) &&
            naming->owners.of[module - naming->modules->modules] == OWNER_PROGRAM)
            break;
        i++;
    }
    return i;
}

/* Is one of the innermost frames, of the system, in this function? */
static bool is_in_function(const struct naming *naming, const struct stack *stack, const char *part)
{
    for (size_t i = 0; i < stack->n; i++) {
        const struct module *module = module_at(naming, stack, i);
        const char *function = function_at(naming->modules, stack->addresses[i], false);

        if (function != NULL && strstr(function, part) != NULL)
            return true;
        if (module != NULL && !module_is_system(module))
            return false;
    }
    return false;
}

/* Objects. */

static const struct module *module_with(const struct naming *naming, uint64_t address)
{
    for (size_t i = 0; i < naming->modules->n; i++) {
        const struct module *module = &naming->modules->modules[i];

        for (size_t k = 0; k < module->file->n_loads; k++)
            if (address - module->bias - module->file->loads[k].address < module->file->loads[k].size)
                return module;
    }
    return NULL;
}

static void end_before(char *text, const char *suffix)
{
    size_t n = strlen(text), n_suffix = strlen(suffix);

    if (n > n_suffix && strcmp(text + n - n_suffix, suffix) == 0)
        text[n - n_suffix] = '\0';
}

/* The variable that a lock is, or lies in. Those of the C library and of runtimes say nothing. */
static void name_object(const struct naming *naming, struct openmp_thread *row)
{
    /* clang's variables of that name end with this. */
    static const char critical[] = ".gomp_critical_user_", suffix[] = ".var";
    const struct module *module = module_with(naming, row->object);
    const struct symbol *symbol;
    uint64_t distance;

    if (module == NULL || (is_runtime(module) && module != naming->modules->modules) || module_is_system(module))
        return;
    symbol = symbols_at(&module->file->symbols, row->object - module->bias);
    if (symbol == NULL)
        return;
    distance = row->object - module->bias - symbol->value;
    if (name_begins_with(symbol->name, critical)) {
        row->state = OPENMP_wait_critical;
        row->object_name = copy_string(symbol->name + strlen(critical));
        end_before(row->object_name, suffix);
    } else if (distance == 0) {
        row->object_name = copy_string(symbol->name);
    } else {
        row->object_name = format_text("%s+%lu", symbol->name, (unsigned long)distance);
    }
}

/* Functions of the C library are on the stack mostly, but may have jumped to others that have no name. */
static bool sleeps_in(const struct naming *naming, const struct stack *stack, const struct openmp_sleep *sleep,
                      const char *part)
{
    const char *called = sleep->called != 0 ? function_at(naming->modules, sleep->called, true) : NULL;

    return (called != NULL && strstr(called, part) != NULL) || is_in_function(naming, stack, part);
}

/*
 * What a thread sleeps at is a mutex, or a condition, if the function that waits is one for that. One for conditions
 * takes the mutex again at its end. Waits that end after some time are none: the thread gets on by itself.
 */
static void name_sleep(const struct naming *naming, const struct stack *stack, struct openmp_thread *row)
{
    const struct openmp_sleep *sleep = &row->sleep;
    bool is_outside = row->runtime < 0 || row->state == OPENMP_work_parallel || row->state == OPENMP_work_serial;
    bool at_condition, at_mutex;

    if (!sleep->is_known || !is_outside)
        return;
    at_condition = sleeps_in(naming, stack, sleep, "cond_wait");
    at_mutex = sleep->mutex != 0 && (at_condition ? sleep->condition == 0
                                                  : sleeps_in(naming, stack, sleep, "mutex_lock"));
    if (!at_mutex && !at_condition)
        return;
    row->state = at_mutex ? OPENMP_wait_mutex : OPENMP_wait_condition;
    row->object = at_mutex ? sleep->mutex : sleep->condition;
    row->holder = at_mutex ? sleep->holder : 0;
}

/* Regions. */

/*
 * The thread that has begun a region has the call on its stack. Of regions inside of each other the innermost is the
 * team's, and the next one that of the enclosing team, as long as the same thread has begun them.
 */
static void name_regions(const struct naming *naming, const struct stack *stack, const struct openmp_thread *row)
{
    struct openmp *openmp = naming->openmp;
    bool has_called = row->called != 0 && is_fork(function_at(naming->modules, row->called, true));
    long team = row->team, number = row->number;
    size_t at = 0;

    while (team >= 0 && number == 0) {
        while (!has_called && at < stack->n && !is_fork(function_at(naming->modules, stack->addresses[at], false)))
            at++;
        while (at < stack->n && is_helper(naming, stack, at))
            at++;
        if (at == stack->n)
            return;
        if (openmp->teams[team].place == NULL)
            openmp->teams[team].place = place_of_frame(naming, stack, at);
        has_called = false;
        number = openmp->teams[team].parent_number;
        team = openmp->teams[team].parent;
    }
}

/* All. */

/*
 * A thread that waits at a barrier and was called by no program is at the end of its region. One that has come through
 * the entry of another barrier is at that one: compilers leave no frame of a function that ends with a call.
 */
static void name_state(const struct naming *naming, const struct stack *stack, struct openmp_thread *row)
{
    const char *called = row->called != 0 ? function_at(naming->modules, row->called, true) : NULL;
    int entry = is_fork(called) ? OPENMP_unknown : state_of_entry(called);

    for (size_t i = 0; entry == OPENMP_unknown && i < stack->n && is_helper(naming, stack, i); i++)
        entry = state_of_entry(function_at(naming->modules, stack->addresses[i], false));
    if (entry == OPENMP_unknown)
        entry = state_of_entry(called);
    refine(naming->openmp, row, entry);
    if (entry == OPENMP_unknown && stack->ended && program_frame(naming, stack, 0) == stack->n && row->number > 0 &&
        (row->state == OPENMP_wait_barrier ||
         (row->state == OPENMP_overhead && has_come(naming->openmp, row))))
        row->state = OPENMP_wait_barrier_implicit_parallel;
}

/*
 * Is the innermost frame of the program's of what has begun the region, though the thread waits inside of it? The
 * region's own frame is not there then.
 */
static bool is_before_region(const struct naming *naming, const struct stack *stack, const struct openmp_thread *row)
{
    bool has_begun = row->called != 0 && is_fork(function_at(naming->modules, row->called, true));

    for (size_t i = 0; !has_begun && i < stack->n && is_helper(naming, stack, i); i++)
        has_begun = is_fork(function_at(naming->modules, stack->addresses[i], false));
    return has_begun && row->state != OPENMP_wait_barrier_implicit_parallel && row->state != OPENMP_overhead;
}

static void name_thread(const struct naming *naming, const struct stack *stack, struct openmp_thread *row)
{
    size_t frame = program_frame(naming, stack, 0);

    name_sleep(naming, stack, row);
    if (row->runtime >= 0 && row->state != OPENMP_idle)
        name_state(naming, stack, row);
    if (row->object != 0 && (openmp_is_lock(row->state) || row->state == OPENMP_wait_condition))
        name_object(naming, row);
    if (row->place == NULL && frame < stack->n && row->state != OPENMP_idle &&
        !is_before_region(naming, stack, row))
        row->place = place_of_frame(naming, stack, frame);
    name_regions(naming, stack, row);
}

/* The name that the program, or the system, has given a thread. Cores have none. */
static char *read_name(const struct process *process, pid_t thread)
{
    char *text = process->core == NULL ? proc_read("/proc/%d/task/%d/comm", (int)process->pid, (int)thread) : NULL;

    if (text != NULL)
        text[strcspn(text, "\n")] = '\0';
    return text;
}

void openmp_name(struct openmp *openmp, const struct process *process, const struct modules *modules,
                 const struct stacks *stacks, struct place_cache *cache)
{
    struct naming naming = {.openmp = openmp, .modules = modules, .stacks = stacks, .cache = cache};

    if (openmp->n_threads == 0)
        return;
    owners_find(&naming.owners, modules);
    for (size_t i = 0; i < stacks->n; i++) {
        openmp->threads[i].name = read_name(process, stacks->stacks[i].thread);
        name_thread(&naming, &stacks->stacks[i], &openmp->threads[i]);
    }
    owners_clear(&naming.owners);
}
