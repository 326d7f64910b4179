/*
 * openmp.c - finds the OpenMP runtimes of a process, and the layout that each has.
 *
 * A file's name proves nothing: libgomp.so.1 may be a link to libomp. Runtimes are told by what they export, and a
 * layout by the process: of all tables the one counts that nothing contradicts and most agrees with.
 */
#include "mqd/dump/collect/openmp/openmp.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/openmp/gomp.h"
#include "mqd/dump/collect/openmp/kmp.h"
#include "mqd/dump/collect/openmp/names.h"
#include "mqd/dump/collect/openmp/posix.h"
#include "mqd/dump/collect/openmp/runtime.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/elf/types.h"
#include "mqd/dump/collect/target/stack/library_calls.h"

/* A process that is read: what all its runtimes share. */
struct taking {
    struct openmp *openmp;
    const struct modules *modules;
    const struct stacks *stacks;
    struct runtime_memory memory;
    struct runtime_thread *threads;    /* as the runtime sees them that is being read */
    struct known *known;               /* of each thread, by the runtimes that were read */
};

struct known {
    bool in_runtime;                   /* in one of them */
    size_t depth;                      /* the innermost frame of the runtime whose row the thread has; SIZE_MAX: none */
};

/* A function that a runtime has from a release on. Vendors may have it earlier. */
struct milestone {
    const char *export;
    unsigned major;
};

/* A kind of runtime. */
struct brand {
    const char *name;
    const char *export;            /* that it has, and those above it in the list have not */
    enum mqd_library library;
    void (*read)(struct runtime *runtime, struct openmp *openmp);
    struct milestone milestones[8];/* the latest first; the last one has no function */
};

static const struct brand brands[] = {
    {"libomp", "__kmpc_fork_call", MQD_LIBRARY_kmp, kmp_read,
     {{"__kmpc_dispatch_deinit", 19}, {"__kmpc_task_get_depnode", 18}, {"__kmpc_for_collapsed_init", 17},
      {"__kmpc_fork_call_if", 16}, {"__kmpc_aligned_alloc", 14}, {NULL, 9}}},
    {"libgomp", "GOMP_parallel", MQD_LIBRARY_gomp, gomp_read,
     {{"GOMP_taskwait_depend_nowait", 13}, {"GOMP_scope_start", 12}, {"GOMP_alloc", 11},
      {"GOMP_taskgroup_reduction_register", 9}, {NULL, 8}}},
};

static const struct symbol *exported(const struct elf_file *file, const char *name)
{
    return symbols_find(&file->symbols, name, false);
}

/* The release that it is, of those that its functions tell apart. */
static unsigned major_of(const struct elf_file *file, const struct brand *brand)
{
    const struct milestone *milestone = brand->milestones;

    while (milestone->export != NULL && exported(file, milestone->export) == NULL)
        milestone++;
    return milestone->major;
}

static const struct brand *brand_of(const struct elf_file *file)
{
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (exported(file, brands[i].export) != NULL)
            return &brands[i];
    return NULL;
}

/* Memory and threads. */

static bool read_process(void *process, uint64_t address, void *buffer, size_t size)
{
    return process_read(process, address, buffer, size) == READ_OK;
}

/* Is the i-th frame the runtime's? */
static bool is_at(const struct taking *taking, const struct stack *stack, size_t i, const struct module *runtime)
{
    return modules_find(taking->modules, stack->addresses[i]) == runtime &&
           is_openmp_code(taking->modules, runtime, stack->addresses[i]);
}

/* Does nobody's own code lie there? A thread that ends is unwound by the compiler's library. */
static bool is_system(const struct module *module)
{
    static const char unwinder[] = "libgcc_s.";

    return module != NULL && (module_is_system(module) || strncmp(module->file->name, unwinder, strlen(unwinder)) == 0);
}

/*
 * Whose code is on the stack: what is in no file is the program's, but not where the stack cannot be followed to its
 * end, as that of a thread that makes another one: it goes astray. A thread that the runtime has let call the system's
 * libraries is in the runtime.
 */
static void note_stack(const struct taking *taking, const struct stack *stack, const struct module *runtime,
                       struct runtime_thread *thread)
{
    bool is_outside = false;

    thread->without_program = thread->without_runtime = true;
    thread->depth = SIZE_MAX;
    for (size_t i = 0; i < stack->n; i++) {
        const struct module *module = modules_find(taking->modules, stack->addresses[i]);
        bool is_openmp = is_openmp_code(taking->modules, module, stack->addresses[i]);

        if (is_openmp && module == runtime) {
            thread->depth = thread->without_runtime ? i : thread->depth;
            thread->without_runtime = false;
            thread->in_runtime |= !is_outside;
            thread->is_innermost |= i == 0;
        } else if (module != NULL && !is_system(module)) {
            is_outside = true;
        }
        thread->without_program &= is_openmp || is_system(module) || (module == NULL && !stack->ended);
    }
}

static void set_threads(struct taking *taking, const struct module *runtime)
{
    for (size_t i = 0; i < taking->stacks->n; i++) {
        const struct stack *stack = &taking->stacks->stacks[i];
        int pointer = stack_pointer_number(runtime->file->machine);

        taking->threads[i] = (struct runtime_thread){
            .id = stack->thread, .pointer = stack->registers.thread_pointer, .futex = stack->futex,
            .futex_value = stack->futex_value,
            .stack_pointer = pointer >= 0 ? stack->registers.values[pointer] : 0,
            .registers = stack->registers.values, .n_registers = stack->registers.n};
        note_stack(taking, stack, runtime, &taking->threads[i]);
    }
}

/* The function that the i-th frame has called. Frames are moved back into the call. */
static uint64_t called_by(struct taking *taking, const struct stack *stack, size_t i)
{
    return runtime_called(&taking->memory, taking->modules->modules[0].file->machine, stack->addresses[i] + 1);
}

/* The function of the runtime that the program has called. */
static uint64_t called_by_program(struct taking *taking, const struct stack *stack, const struct module *runtime)
{
    bool was_at = false;

    for (size_t i = 0; i < stack->n; i++) {
        bool is_now = is_at(taking, stack, i, runtime);

        if (was_at && !is_now)
            return called_by(taking, stack, i);
        was_at = is_now;
    }
    return 0;
}

/* The function of the system's libraries that others have called. */
static uint64_t called_of_system(struct taking *taking, const struct stack *stack)
{
    size_t i = 0;

    while (i < stack->n && is_system(modules_find(taking->modules, stack->addresses[i])))
        i++;
    return i > 0 && i < stack->n ? called_by(taking, stack, i) : 0;
}

/* Entries. */

/* The value of a variable of each thread in the program's full symbol table; UINT64_MAX: it has none. */
static uint64_t tls_symbol(const struct elf_file *file, const char *name)
{
    GElf_Shdr header;
    Elf_Scn *section = section_of_type(file->image.elf, SHT_SYMTAB, &header);
    Elf_Data *data = section != NULL ? WATCHED(elf_getdata(section, NULL)) : NULL;
    const char *names;
    GElf_Sym symbol;
    size_t n = 0;

    names = data != NULL ? section_names(file->image.elf, header.sh_link, &n) : NULL;
    for (int i = 1; names != NULL && gelf_getsym(data, i, &symbol) != NULL; i++)
        if (GELF_ST_TYPE(symbol.st_info) == STT_TLS && symbol.st_name < n && strcmp(names + symbol.st_name, name) == 0)
            return symbol.st_value;
    return UINT64_MAX;
}

static bool find_gomp(struct taking *taking, struct runtime *runtime, const struct module *module,
                      const struct runtime_image *image)
{
    bool is_program = module == taking->modules->modules;

    return is_program ? runtime_static_tls(image, tls_symbol(module->file, "gomp_tls_data"), &runtime->entry)
                      : runtime_find_tls(image, &taking->memory, &runtime->entry);
}

/* All of these functions name the variable first. Where they do not agree the code says nothing. */
static uint64_t kmp_threads_by_code(struct taking *taking, const struct module *module, unsigned machine)
{
    static const char *const functions[] = {"omp_get_level", "omp_get_active_level", "__kmp_get_reduce_method",
                                            "__kmpc_bound_num_threads", "omp_in_parallel"};
    uint64_t found = 0;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct symbol *symbol = exported(module->file, functions[i]);
        uint64_t variable = symbol != NULL ? runtime_variable_of(&taking->memory, machine, symbol->value + module->bias)
                                           : 0;

        if (variable == 0)
            continue;
        if (found != 0 && found != variable)
            return 0;
        found = variable;
    }
    return found;
}

static uint64_t find_kmp(struct taking *taking, const struct module *module, unsigned machine)
{
    const struct symbol *symbol = symbols_find(&module->file->symbols, "__kmp_threads", true);

    symbol = symbol != NULL ? symbol : exported(module->file, "__kmp_threads");
    return symbol != NULL ? symbol->value + module->bias : kmp_threads_by_code(taking, module, machine);
}

/* Layouts. */

static const char *name_of_machine(unsigned machine)
{
    return machine == EM_X86_64    ? "x86_64"
           : machine == EM_AARCH64 ? "aarch64"
           : machine == EM_PPC64   ? "ppc64le"
           : machine == EM_S390    ? "s390x"
           : machine == EM_RISCV   ? "riscv64"
                                   : "";
}

/* A fit of a table: what it reads as. */
struct fit {
    const struct mqd_table *table;
    struct openmp facts;
    size_t n_held, n_broken;
    bool is_expected;              /* it is of the release that the exports tell of */
};

static void clear_teams(struct openmp_team *teams, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(teams[i].place);
    free(teams);
}

static void free_row(struct openmp_thread *row)
{
    FREE_ALL(row->name, row->object_name, row->place);
}

static void clear_threads(struct openmp_thread *threads, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free_row(&threads[i]);
    free(threads);
}

static void clear_fit(struct fit *fit)
{
    clear_teams(fit->facts.teams, fit->facts.n_teams);
    clear_threads(fit->facts.threads, fit->facts.n_threads);
    *fit = (struct fit){0};
}

static void add_row(struct openmp *openmp, pid_t thread)
{
    APPEND(openmp->threads, openmp->n_threads, openmp->thread_room,
           (struct openmp_thread){.thread = thread, .runtime = -1, .team = -1, .number = -1, .children = -1});
}

static struct fit try_table(struct runtime runtime, const struct brand *brand, const struct mqd_table *table,
                            const struct mqd_layout *layout)
{
    struct fit fit = {.table = table};

    for (size_t i = 0; i < runtime.n_threads; i++)
        add_row(&fit.facts, runtime.threads[i].id);
    runtime.layout = layout;
    brand->read(&runtime, &fit.facts);
    fit.n_held = runtime.n_held;
    fit.n_broken = runtime.n_broken;
    return fit;
}

/* The layouts of all tables of the runtimes: they are made once. */
struct known_layout {
    const struct mqd_table *table;
    struct mqd_layout layout;
};

static const struct mqd_layout *layout_of(const struct mqd_table *table)
{
    static struct known_layout **known;
    static size_t n, room;
    struct known_layout *made;

    for (size_t i = 0; i < n; i++)
        if (known[i]->table == table)
            return &known[i]->layout;
    made = allocate_array(1, sizeof *made);
    made->table = table;
    mqd_assume(table, &made->layout);
    APPEND(known, n, room, made);
    return &made->layout;
}

static bool is_better(const struct fit *fit, const struct fit *than)
{
    if (fit->n_broken > 0 || than->table == NULL)
        return fit->n_broken == 0;
    return fit->is_expected != than->is_expected ? fit->is_expected : fit->n_held > than->n_held;
}

/* What the runtime's own debug information says of a type. */
static bool ask_type(struct elf_file *file, enum mqd_type_id type, struct mqd_evidence *evidence)
{
    const char *declared = NULL, *ignored = NULL;
    mqs_type *found = elf_file_find_type(file, mqd_type_specs[type].name, false, &declared);
    bool known = false;

    if (found == NULL && declared != NULL)
        found = elf_file_find_type(file, declared, true, &ignored);
    for (unsigned step = mqd_type_specs[type].first_step; found != NULL && step < mqd_type_end(type); step++) {
        /* A member of a member is not asked for. */
        evidence->live_offset[step] =
            mqd_step_specs[step].ways == NULL ? type_member_offset(found, mqd_step_specs[step].member) : -1;
        known |= evidence->live_offset[step] >= 0;
    }
    evidence->live[type].known = known;
    evidence->live[type].size = known ? type_size(found) : 0;
    return known;
}

/* False: it has none, or not of these types. */
static bool ask_types(struct elf_file *file, enum mqd_library library, struct mqd_evidence *evidence)
{
    bool any = false;

    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == library)
            any |= ask_type(file, (enum mqd_type_id)type, evidence);
    return any;
}

/*
 * The best of all tables; without a table if each is contradicted. Of those that are not the release decides, then how
 * much agrees. Debug information, where the runtime has it, wins over each table.
 */
static struct fit find_fit(const struct runtime *runtime, const struct brand *brand, struct elf_file *file)
{
    const char *arch = name_of_machine(file->machine);
    unsigned major = major_of(file, brand);
    OWNED struct mqd_evidence *evidence = allocate_array(1, sizeof *evidence);
    OWNED struct mqd_layout *live = allocate_array(1, sizeof *live);
    bool has_types = ask_types(file, brand->library, evidence);
    const struct mqd_table *table = NULL;
    struct fit best = {0};

    while ((table = mqd_next_runtime_table(brand->library, arch, table)) != NULL) {
        struct fit fit;

        evidence->abi = table->abi;
        if (has_types)
            mqd_assume_live(table, evidence, live);
        fit = try_table(*runtime, brand, table, has_types ? live : layout_of(table));
        fit.is_expected = mqd_family_has_major(table, major);
        if (!is_better(&fit, &best)) {
            clear_fit(&fit);
            continue;
        }
        clear_fit(&best);
        best = fit;
    }
    return best;
}

/* Facts. */

/*
 * Does a row tell more of a thread than that of another runtime? That of the innermost region does, which the stack
 * shows. A thread that one runtime keeps in its pool may work for another.
 */
static bool is_nearer(const struct openmp_thread *row, size_t depth, const struct openmp_thread *than, size_t its_depth)
{
    if (than->runtime < 0 || row->state == OPENMP_idle || than->state == OPENMP_idle)
        return than->runtime < 0 || row->state != OPENMP_idle;
    return depth != its_depth ? depth < its_depth : row->team >= 0 && than->team < 0;
}

/* The outermost region inside of which a thread is as the one that has begun it; -1: none. */
static long begun_team(const struct openmp *openmp, const struct openmp_thread *row)
{
    long team = row->team, number = row->number;

    for (int i = 0; i < MAX_NESTING && team >= 0 && number == 0; i++) {
        if (openmp->teams[team].parent < 0)
            return team;
        number = openmp->teams[team].parent_number;
        team = openmp->teams[team].parent;
    }
    return -1;
}

/* A thread is in regions of two runtimes: it has begun the inner one in the outer one. */
static void connect_regions(struct openmp *openmp, const struct openmp_thread *inner, const struct openmp_thread *outer)
{
    long team = outer->team >= 0 ? begun_team(openmp, inner) : -1;

    if (team < 0 || openmp->teams[team].runtime == outer->runtime)
        return;
    openmp->teams[team].parent = outer->team;
    openmp->teams[team].parent_number = outer->number;
}

static void add_thread(struct taking *taking, size_t i, struct openmp_thread row)
{
    struct openmp_thread *known = &taking->openmp->threads[i], before = *known;
    size_t depth = taking->threads[i].depth, *its_depth = &taking->known[i].depth;
    bool nearer = row.runtime >= 0 && is_nearer(&row, depth, &before, *its_depth);

    if (row.runtime >= 0 && before.runtime >= 0)
        connect_regions(taking->openmp, nearer ? &row : &before, nearer ? &before : &row);
    free_row(nearer ? &before : &row);
    if (!nearer)
        return;
    *known = row;
    *its_depth = depth;
}

static void add_teams(struct openmp *openmp, const struct openmp *found, long runtime)
{
    long n = (long)openmp->n_teams;

    for (size_t i = 0; i < found->n_teams; i++) {
        struct openmp_team team = found->teams[i];

        team.runtime = runtime;
        team.parent += team.parent >= 0 ? n : 0;
        APPEND(openmp->teams, openmp->n_teams, openmp->team_room, team);
    }
}

/* Takes over what a runtime knows. */
static void add_facts(struct taking *taking, struct fit *fit, long runtime)
{
    struct openmp *openmp = taking->openmp;
    long n_teams = (long)openmp->n_teams;

    add_teams(openmp, &fit->facts, runtime);
    for (size_t i = 0; i < fit->facts.n_threads; i++) {
        struct openmp_thread row = fit->facts.threads[i];

        row.team += row.team >= 0 ? n_teams : 0;
        row.runtime = row.runtime >= 0 || row.state == OPENMP_ended ? runtime : -1;
        if (row.state == OPENMP_ended)
            APPEND(openmp->threads, openmp->n_threads, openmp->thread_room, row);
        else
            add_thread(taking, i, row);
    }
    FREE_ALL(fit->facts.teams, fit->facts.threads);
}

static bool has_pointers(const struct taking *taking)
{
    for (size_t i = 0; i < taking->stacks->n; i++)
        if (taking->threads[i].pointer != 0)
            return true;
    return false;
}

static void read_by_tables(struct taking *taking, const struct runtime *runtime, const struct module *module,
                           const struct brand *brand, size_t at)
{
    struct openmp_runtime *said = &taking->openmp->runtimes[at];
    struct fit fit = find_fit(runtime, brand, module->file);

    if (fit.table == NULL) {
        said->problem = format_text("no known layout of %s fits what is in its memory", brand->name);
        return;
    }
    if (fit.n_held > 0)
        said->layout = format_text("%s-%s", fit.table->first, fit.table->last);
    add_facts(taking, &fit, (long)at);
}

static void read_runtime(struct taking *taking, const struct module *module, const struct brand *brand, size_t at)
{
    struct runtime_image image;
    struct openmp_runtime *said = &taking->openmp->runtimes[at];
    uint64_t variables[MAX_VARIABLES];
    struct runtime runtime = {.memory = &taking->memory, .threads = taking->threads, .n_threads = taking->stacks->n,
                              .has_all_threads = taking->stacks->complete, .variables = variables};
    uint64_t start = module->file->loads[0].address - module->file->loads[0].offset + module->bias;

    set_threads(taking, module);
    if (!has_pointers(taking)) {
        said->problem = copy_string("the thread pointers of its threads are not known");
        return;
    }
    if (!runtime_image_read(&image, &taking->memory, start, module->bias) ||
        (brand->library == MQD_LIBRARY_gomp && !find_gomp(taking, &runtime, module, &image))) {
        said->problem = copy_string("where it keeps what it knows of threads was not found");
        return;
    }
    if (brand->library == MQD_LIBRARY_kmp) {
        runtime.entry = find_kmp(taking, module, image.machine);
        runtime.n_variables = kmp_find_variables(&taking->memory, &image, variables);
    }
    read_by_tables(taking, &runtime, module, brand, at);
    for (size_t i = 0; i < taking->stacks->n; i++)
        if (taking->threads[i].in_runtime) {
            taking->known[i].in_runtime = true;
            taking->openmp->threads[i].called = called_by_program(taking, &taking->stacks->stacks[i], module);
        }
}

static void add_runtime(struct openmp *openmp, const struct module *module, const struct brand *brand)
{
    openmp->runtimes = reallocarray(openmp->runtimes, openmp->n_runtimes + 1, sizeof *openmp->runtimes);
    if (openmp->runtimes == NULL)
        out_of_memory();
    openmp->runtimes[openmp->n_runtimes++] = (struct openmp_runtime){
        .file = copy_string(module->file->name), .name = copy_string(brand->name)};
}

/* Of those that are in no runtime, which waits in the C library too. */
static void find_sleeps(struct taking *taking)
{
    const struct elf_file *executable = taking->modules->modules[0].file;
    int stack_pointer = stack_pointer_number(executable->machine);

    for (size_t i = 0; i < taking->stacks->n && executable->is_64_bit; i++) {
        struct openmp_sleep *sleep = &taking->openmp->threads[i].sleep;

        if (taking->known[i].in_runtime)
            continue;
        posix_find(sleep, &taking->memory, taking->stacks, i, stack_pointer);
        if (sleep->is_known)
            sleep->called = called_of_system(taking, &taking->stacks->stacks[i]);
    }
}

static bool has_runtime(const struct modules *modules)
{
    return ANY(i, modules->n, brand_of(modules->modules[i].file) != NULL);
}

void openmp_take(struct openmp *openmp, struct process *process, const struct modules *modules,
                 const struct stacks *stacks)
{
    struct taking taking = {.openmp = openmp, .modules = modules, .stacks = stacks,
                            .memory = {.read = read_process, .context = process}};

    openmp_clear(openmp);
    if (stacks->n < 2 && !has_runtime(modules))
        return;
    taking.threads = allocate_array(stacks->n + 1, sizeof *taking.threads);
    taking.known = allocate_array(stacks->n + 1, sizeof *taking.known);
    for (size_t i = 0; i < stacks->n; i++)
        add_row(openmp, stacks->stacks[i].thread);
    for (size_t i = 0; i < modules->n; i++) {
        const struct brand *brand = brand_of(modules->modules[i].file);

        if (brand == NULL)
            continue;
        add_runtime(openmp, &modules->modules[i], brand);
        read_runtime(&taking, &modules->modules[i], brand, openmp->n_runtimes - 1);
    }
    find_sleeps(&taking);
    FREE_ALL(taking.threads, taking.known);
    runtime_memory_clear(&taking.memory);
}

void openmp_clear(struct openmp *openmp)
{
    for (size_t i = 0; i < openmp->n_runtimes; i++)
        FREE_ALL(openmp->runtimes[i].file, openmp->runtimes[i].name, openmp->runtimes[i].layout,
                 openmp->runtimes[i].problem);
    free(openmp->runtimes);
    clear_teams(openmp->teams, openmp->n_teams);
    clear_threads(openmp->threads, openmp->n_threads);
    *openmp = (struct openmp){0};
}
