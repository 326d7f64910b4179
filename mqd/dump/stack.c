/*
 * stack.c - where the threads of a process are.
 *
 * elfutils unwinds each process in a session of its own, since libraries lie at other addresses in each, but over the
 * ELF handles that all processes share; symbols and source lines are looked up in those alone.
 */
#include "mqd/dump/stack.h"

#include <ctype.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>

#include "mqd/dump/common.h"

/* Deeper recursion is rare in what surrounds a call of MPI, and a broken stack may never end. */
enum { MAX_FRAMES = 256 };

/* The process stands still meanwhile. A frame takes some microseconds. */
static const double seconds_to_unwind = 0.5;

/* Taking stacks. */

static const struct module *module_at(const struct modules *modules, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < modules->n; i++) {
        size_t n;
        const struct elf_load *loads = elf_file_loads(modules->modules[i].file, &n);
        uint64_t first = loads[0].address + modules->modules[i].bias;

        if (first >= start && first < end)
            return &modules->modules[i];
    }
    return NULL;
}

/* What the kernel maps for every process, elfutils knows how to read. */
static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
    const struct module *known = *user;

    if (known == NULL)
        return strncmp(name, "[vdso", 5) == 0 ? dwfl_linux_proc_find_elf(module, user, name, base, file_name, elf) : -1;
    *elf = elf_file_share(known->file);
    return -1;
}

static int find_no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                              const char *file_name, const char *link, GElf_Word checksum, char **debug_file_name)
{
    (void)module, (void)user, (void)name, (void)base;
    (void)file_name, (void)link, (void)checksum, (void)debug_file_name;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_no_debug_file};

static int introduce_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start, void *context)
{
    Dwarf_Addr end;

    (void)name;
    dwfl_module_info(module, NULL, NULL, &end, NULL, NULL, NULL, NULL);
    *user = (void *)(uintptr_t)module_at(context, start, end);
    return DWARF_CB_OK;
}

static Dwfl *attach(const struct process *process, const struct modules *modules)
{
    Dwfl *session = dwfl_begin(&callbacks);

    if (session == NULL)
        return NULL;
    if (dwfl_linux_proc_report(session, process->reader) == 0 && dwfl_report_end(session, NULL, NULL) == 0 &&
        dwfl_getmodules(session, introduce_module, (void *)(uintptr_t)modules, 0) == 0 &&
        dwfl_linux_proc_attach(session, process->reader, true) == 0)
        return session;
    dwfl_end(session);
    return NULL;
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct stack *stack = context;
    bool is_activation;
    Dwarf_Addr address;

    if (stack->n == MAX_FRAMES || !dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    stack->addresses = grow(stack->addresses, stack->n, &stack->room, sizeof *stack->addresses);
    stack->addresses[stack->n++] = is_activation ? address : address - 1;
    return DWARF_CB_OK;
}

/* The number of the call that a thread was stopped in, -1 if it was in none. */
static long system_call(pid_t process, pid_t thread)
{
    char path[64], *text;
    long number = -1;
    size_t size;

    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)process, (int)thread);
    text = proc_read_file(path, &size);
    if (text != NULL && isdigit((unsigned char)*text))
        number = strtol(text, NULL, 10);
    free(text);
    return number;
}

static void take_stack(struct stacks *stacks, Dwfl *session, const struct process *process, pid_t thread)
{
    long number = system_call(process->pid, thread);
    struct stack *stack;

    stacks->stacks = grow(stacks->stacks, stacks->n, &stacks->room, sizeof *stacks->stacks);
    stack = &stacks->stacks[stacks->n++];
    *stack = (struct stack){.thread = thread, .in_futex = number == SYS_futex};
    /* A thread that only lets others run first is running. */
    stack->in_system = number >= 0 && number != SYS_sched_yield;
    stack->ended = dwfl_getthread_frames(session, thread, take_frame, stack) == 0;
}

void stacks_take(struct stacks *stacks, const struct process *process, const struct modules *modules)
{
    Dwfl *session = attach(process, modules);
    double end = seconds_now() + seconds_to_unwind;

    stacks_clear(stacks);
    stacks->complete = session != NULL;
    for (size_t i = 0; i < process->n_threads && session != NULL; i++) {
        if (seconds_now() > end)
            stacks->complete = false;
        else if (process->threads[i].stopped)
            take_stack(stacks, session, process, process->threads[i].id);
        else if (!process->threads[i].gone)
            stacks->complete = false;
    }
    if (session != NULL)
        dwfl_end(session);
}

void stacks_clear(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->n; i++)
        free(stacks->stacks[i].addresses);
    free(stacks->stacks);
    *stacks = (struct stacks){0};
}

/* Places. */

struct known_place {
    struct elf_file *file;     /* NULL: free */
    uint64_t address;
    bool with_source;
    struct elf_place place;
    char *mpi;                 /* the name of the MPI function that it is in, NULL if it is in none */
};

static size_t slot_of(const struct place_cache *cache, const struct elf_file *file, uint64_t address)
{
    return (size_t)(((uint64_t)(uintptr_t)file / 64 + address) * 0x9e3779b97f4a7c15u >> 20) % cache->n_room;
}

static struct known_place *find_slot(struct place_cache *cache, const struct elf_file *file, uint64_t address)
{
    size_t slot = slot_of(cache, file, address);

    while (cache->places[slot].file != NULL &&
           (cache->places[slot].file != file || cache->places[slot].address != address))
        slot = (slot + 1) % cache->n_room;
    return &cache->places[slot];
}

static void make_room(struct place_cache *cache)
{
    struct place_cache old = *cache;

    if (cache->n_room > 0 && cache->n < cache->n_room / 2)
        return;
    cache->n_room = cache->n_room > 0 ? 2 * cache->n_room : 1024;
    cache->places = allocate(cache->n_room, sizeof *cache->places);
    for (size_t i = 0; i < old.n_room; i++)
        if (old.places[i].file != NULL)
            *find_slot(cache, old.places[i].file, old.places[i].address) = old.places[i];
    free(old.places);
}

static const struct known_place *look_up(struct place_cache *cache, struct elf_file *file, uint64_t address,
                                         bool with_source)
{
    struct known_place *known;

    make_room(cache);
    known = find_slot(cache, file, address);
    if (known->file == NULL) {
        *known = (struct known_place){.file = file, .address = address, .with_source = with_source};
        elf_file_find_place(file, address, with_source, &known->place);
        known->mpi = known->place.function != NULL ? mpi_function_name(known->place.function) : NULL;
        cache->n++;
    } else if (with_source && !known->with_source) {
        known->with_source = true;
        elf_file_find_place(file, address, true, &known->place);
    }
    return known;
}

void place_cache_clear(struct place_cache *cache)
{
    for (size_t i = 0; i < cache->n_room; i++)
        free(cache->places[i].mpi);
    free(cache->places);
    *cache = (struct place_cache){0};
}

/* Names. */

/* "pmpi_recv_" and, as Open MPI has it under all of its names, "ompi_recv_f": with the first letter left away. */
static bool is_fortran_name(const char *symbol, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
            return false;
    if (strncmp(name, "mpi_", 4) != 0 || length <= strlen("mpi_"))
        return false;
    return symbol[0] == 'o' ? length > 6 && strcmp(name + length - 2, "_f") == 0 : name[length - 1] == '_';
}

/* Fortran's: "mpi_recv_", "mpi_recv__", the modules' "mpi_recv_f08_", and Open MPI's "mpi_recv_f". */
static char *from_fortran(const char *name)
{
    size_t length = strlen(name);
    char *result;

    while (length > 0 && name[length - 1] == '_')
        length--;
    if (length > 2 && strncmp(name + length - 2, "_f", 2) == 0)
        length -= 2;
    if (length > 4 && strncmp(name + length - 4, "_f08", 4) == 0)
        length -= 4;
    if (length <= strlen("mpi_"))
        return NULL;
    result = format("MPI_%.*s", (int)(length - strlen("mpi_")), name + strlen("mpi_"));
    result[strlen("MPI_")] = (char)toupper((unsigned char)result[strlen("MPI_")]);
    return result;
}

/* Functions that do nothing but call one of the library's may leave it their place on the stack. */
static const char *behind_jump(const char *symbol)
{
    return strcmp(symbol, "ompi_mpi_finalize") == 0 ? "MPI_Finalize"
           : strcmp(symbol, "ompi_mpi_init") == 0   ? "MPI_Init"
                                                    : NULL;
}

char *mpi_function_name(const char *symbol)
{
    const char *name = symbol + (symbol[0] == 'P' ? 1 : 0);

    if (behind_jump(symbol) != NULL)
        return copy_string(behind_jump(symbol));
    if (strncmp(name, "MPI_", 4) == 0 && isupper((unsigned char)name[4]) && islower((unsigned char)name[5]))
        return copy_string(name);
    name = symbol + (symbol[0] == 'p' || symbol[0] == 'o' ? 1 : 0);
    return is_fortran_name(symbol, name) ? from_fortran(name) : NULL;
}

/* The module that has an address: of all that begin before it, the last. */
static const struct module *find_module(const struct modules *modules, uint64_t address)
{
    const struct module *found = NULL;
    uint64_t best = 0;

    for (size_t i = 0; i < modules->n; i++) {
        size_t n;
        const struct elf_load *loads = elf_file_loads(modules->modules[i].file, &n);
        uint64_t first = loads[0].address + modules->modules[i].bias;

        if (first <= address && (found == NULL || first > best)) {
            found = &modules->modules[i];
            best = first;
        }
    }
    return found;
}

/* One frame of a stack that is being named. */
struct frame {
    const struct module *module;       /* NULL: none has it */
    const struct known_place *known;
};

static struct frame frame_of(const struct stack *stack, size_t i, const struct modules *modules,
                             struct place_cache *cache)
{
    struct frame frame = {.module = find_module(modules, stack->addresses[i])};

    if (frame.module != NULL)
        frame.known = look_up(cache, frame.module->file, stack->addresses[i] - frame.module->bias, false);
    return frame;
}

static bool is_executable(const struct frame *frame, const struct modules *modules)
{
    return frame->module == &modules->modules[0];
}

/* Names of templates can fill a screen. */
enum { MAX_NAME = 60 };

static char *shorten(const char *name)
{
    return strlen(name) <= MAX_NAME ? copy_string(name) : format("%.*s...", MAX_NAME - 3, name);
}

static void name_place(struct call *call, const struct stack *stack, size_t i, const struct modules *modules,
                       struct place_cache *cache)
{
    struct frame frame = frame_of(stack, i, modules, cache);
    const struct elf_place *place;
    uint64_t address;

    if (frame.module == NULL)
        return;
    address = stack->addresses[i] - frame.module->bias;
    place = &look_up(cache, frame.module->file, address, true)->place;
    call->has_source = place->source != NULL && place->line > 0;
    /* Where the call returns to, as other tools show it. */
    if (call->has_source)
        call->place = format("%s:%d", place->source, place->line);
    else if (place->function != NULL) {
        char *name = shorten(place->function);

        call->place = format("%s+0x%" PRIx64, name, place->offset + (i > 0 ? 1 : 0));
        free(name);
    } else
        call->place = format("%s at 0x%" PRIx64, elf_file_name(frame.module->file), address + (i > 0 ? 1 : 0));
}

static uint64_t mark_of(const struct stack *stack, size_t first)
{
    uint64_t mark = 14695981039346656037u;

    for (size_t i = first; i < stack->n; i++)
        mark = (mark ^ stack->addresses[i]) * 1099511628211u;
    return mark;
}

/* Threads of these idle or help, unless the program's own code has them call: nothing that others wait for. */
static bool is_helper_module(const struct module *module)
{
    static const char *const parts[] = {
        "libc.", "libpthread", "ld-", "libmpi", "libopen-", "libopen_", "mca_", "libpmix", "libprrte", "libevent",
        "libhwloc", "libuc", "libfabric", "libpsm", "libgomp", "libomp", "libiomp", "libtbb", "libopenblas",
    };
    const char *name = elf_file_name(module->file);

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(name, parts[i], strlen(parts[i])) == 0)
            return true;
    return false;
}

/* What the frames of a stack say together. */
struct reading {
    size_t mpi, program;       /* the outermost frame in MPI, the innermost of the executable; n: none */
    bool own_code;             /* some frame is neither a helper's nor the system's */
    bool in_callback;          /* MPI has called the program, which runs */
};

static struct reading read_frames(const struct stack *stack, const struct modules *modules, struct place_cache *cache)
{
    struct reading reading = {.mpi = stack->n, .program = stack->n};
    bool mpi_in_executable = false;

    for (size_t i = 0; i < stack->n; i++) {
        struct frame frame = frame_of(stack, i, modules, cache);

        if (frame.module == NULL)
            continue;
        if (frame.known->mpi != NULL) {
            reading.mpi = i;
            mpi_in_executable = is_executable(&frame, modules);
        }
        if (is_executable(&frame, modules) && reading.program == stack->n)
            reading.program = i;
        reading.own_code |= is_executable(&frame, modules) || !is_helper_module(frame.module);
    }
    reading.in_callback = reading.mpi < stack->n && reading.program < reading.mpi && !mpi_in_executable;
    return reading;
}

static void describe_outside(struct call *call, const struct stack *stack, const struct reading *reading,
                             const struct modules *modules, struct place_cache *cache)
{
    size_t at = reading->program < stack->n ? reading->program : 0;
    struct frame frame = frame_of(stack, at, modules, cache);

    call->state = CALL_OUTSIDE;
    if (frame.known != NULL && frame.known->place.function != NULL)
        call->function = shorten(frame.known->place.function);
    name_place(call, stack, at, modules, cache);
}

static struct call describe(const struct stack *stack, const struct reading *reading, const struct modules *modules,
                            struct place_cache *cache)
{
    struct call call = {.thread = stack->thread};

    if (reading->mpi < stack->n) {
        call.state = CALL_MPI;
        call.function = copy_string(frame_of(stack, reading->mpi, modules, cache).known->mpi);
        call.runs = reading->in_callback;
        call.mark = mark_of(stack, reading->mpi);
        if (reading->mpi + 1 < stack->n)
            name_place(&call, stack, reading->mpi + 1, modules, cache);
    } else if (stack->n > 0 && (stack->ended || reading->program < stack->n)) {
        describe_outside(&call, stack, reading, modules, cache);
        call.runs = !stack->in_futex;
    } else {
        call.runs = true;
    }
    return call;
}

/*
 * Of the other threads those count that call MPI, and those that could get on to do so: the program's own, and others
 * while they run, since a library's thread that sleeps has nothing to do.
 */
static bool counts(const struct call *call, const struct stack *stack, const struct reading *reading)
{
    if (call->is_main || call->state == CALL_MPI)
        return true;
    if (!call->runs)
        return false;
    return reading->program < stack->n || ((reading->own_code || stack->n == 0) && !stack->in_system);
}

void calls_name(struct calls *calls, const struct stacks *stacks, const struct modules *modules, pid_t main_thread,
                struct place_cache *cache)
{
    calls_clear(calls);
    calls->complete = stacks->complete;
    for (size_t i = 0; i < stacks->n; i++) {
        const struct stack *stack = &stacks->stacks[i];
        struct reading reading = read_frames(stack, modules, cache);
        struct call call = describe(stack, &reading, modules, cache);

        call.is_main = stack->thread == main_thread;
        if (!counts(&call, stack, &reading)) {
            free(call.function);
            free(call.place);
            continue;
        }
        calls->calls = grow(calls->calls, calls->n, &calls->room, sizeof *calls->calls);
        calls->calls[calls->n++] = call;
    }
}

void calls_clear(struct calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        free(calls->calls[i].function);
        free(calls->calls[i].place);
    }
    free(calls->calls);
    *calls = (struct calls){0};
}
