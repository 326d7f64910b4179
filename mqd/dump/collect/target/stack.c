/*
 * stack.c - where the threads of a process are.
 *
 * Symbols and source lines are looked up in the files only, which all processes share.
 */
#include "mqd/dump/collect/target/stack.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mqd/dump/base/memory.h"

/* Places. */

struct known_place {
    struct elf_file *file;     /* NULL: free */
    uint64_t address;
    bool with_source;
    struct elf_place place;
    char *mpi;                 /* the name of the MPI function that it is in, NULL if it is in none */
    char *written;             /* the same as the program writes it */
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
    cache->places = allocate_array(cache->n_room, sizeof *cache->places);
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
        if (known->place.function != NULL) {
            known->mpi = mpi_function_name(known->place.function);
            known->written = mpi_written_name(known->place.function);
        }
        cache->n++;
    } else if (with_source && !known->with_source) {
        known->with_source = true;
        elf_file_find_place(file, address, true, &known->place);
    }
    return known;
}

void place_cache_clear(struct place_cache *cache)
{
    for (size_t i = 0; i < cache->n_room; i++) {
        free(cache->places[i].mpi);
        free(cache->places[i].written);
    }
    free(cache->places);
    *cache = (struct place_cache){0};
}

/* Names. */

/* Is it "pmpi_recv_", or Open MPI's "ompi_recv_f", when the first letter is left out? */
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

/* Returns the length of a name without this suffix; its whole length if it does not have the suffix. */
static size_t length_without(const char *name, size_t length, const char *end)
{
    size_t n = strlen(end);

    return length > n && strncmp(name + length - n, end, n) == 0 ? length - n : length;
}

/* The functions of MPI 4 for large counts do the same as those with the same name without the suffix. */
static size_t length_without_count(const char *name, size_t length)
{
    size_t rest = length_without(name, length, "_c");

    return rest > strlen("MPI_") ? rest : length;
}

/*
 * Fortran's: "mpi_recv_", "mpi_recv__", the modules' "mpi_recv_f08_", which ends in "ts_" where descriptors of arrays
 * are passed, and Open MPI's "mpi_recv_f".
 */
static char *from_fortran(const char *name)
{
    static const char *const ends[] = {"_f", "_f08", "_f08ts", "_fts"};
    size_t length = strlen(name);
    char *result;

    while (length > 0 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        length = length_without(name, length, ends[i]);
    length = length_without_count(name, length);
    if (length <= strlen("mpi_"))
        return NULL;
    result = format_text("MPI_%.*s", (int)(length - strlen("mpi_")), name + strlen("mpi_"));
    result[strlen("MPI_")] = (char)toupper((unsigned char)result[strlen("MPI_")]);
    return result;
}

/* A function that only calls one of the library's may jump to it, and is then not on the stack itself. */
static const char *behind_jump(const char *symbol)
{
    return strcmp(symbol, "ompi_mpi_finalize") == 0 ? "MPI_Finalize"
           : strcmp(symbol, "ompi_mpi_init") == 0   ? "MPI_Init"
                                                    : NULL;
}

char *mpi_written_name(const char *symbol)
{
    const char *name = symbol + (symbol[0] == 'P' ? 1 : 0);

    if (behind_jump(symbol) != NULL)
        return copy_string(behind_jump(symbol));
    if (strncmp(name, "MPI_", 4) == 0 && isupper((unsigned char)name[4]) && islower((unsigned char)name[5]))
        return copy_string(name);
    name = symbol + (symbol[0] == 'p' || symbol[0] == 'o' ? 1 : 0);
    return is_fortran_name(symbol, name) ? from_fortran(name) : NULL;
}

char *mpi_function_name(const char *symbol)
{
    char *name = mpi_written_name(symbol);

    if (name != NULL)
        name[length_without_count(name, strlen(name))] = '\0';
    return name;
}

/* The module of an address: the last one that begins before it. */
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

/* Names of C++ templates may be longer than a screen. */
enum { MAX_NAME = 60 };

static char *shorten(const char *name)
{
    return strlen(name) <= MAX_NAME ? copy_string(name) : format_text("%.*s...", MAX_NAME - 3, name);
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
    /* The return address, which other tools show too. */
    if (call->has_source)
        call->place = format_text("%s:%d", place->source, place->line);
    else if (place->function != NULL) {
        char *name = shorten(place->function);

        call->place = format_text("%s+0x%" PRIx64, name, place->offset + (i > 0 ? 1 : 0));
        free(name);
    } else
        call->place = format_text("%s at 0x%" PRIx64, elf_file_name(frame.module->file), address + (i > 0 ? 1 : 0));
}

static uint64_t mark_of(const struct stack *stack, size_t first)
{
    uint64_t mark = 14695981039346656037u;

    for (size_t i = first; i < stack->n; i++)
        mark = (mark ^ stack->addresses[i]) * 1099511628211u;
    return mark;
}

/* Threads of these libraries are helpers or idle, unless they run code of the program. No rank waits for them. */
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

/* What all frames of a stack show together. */
struct reading {
    size_t mpi, program;       /* the outermost frame in MPI, the innermost of the executable; n: none */
    bool own_code;             /* some frame is neither a helper's nor the system's */
    bool in_callback;          /* MPI has called the program, which runs */
    bool aborts;               /* abort() was called */
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
        reading.aborts |= frame.known->place.function != NULL && strcmp(frame.known->place.function, "abort") == 0;
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
        const struct known_place *known = frame_of(stack, reading->mpi, modules, cache).known;

        call.state = CALL_MPI;
        call.function = copy_string(known->mpi);
        call.written = strcmp(known->written, known->mpi) != 0 ? copy_string(known->written) : NULL;
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

/* Where a signal hit the thread; handlers may run on top of that. What is below abort() is not of interest. */
static char *name_fault(const struct stack *stack, bool aborts, const struct modules *modules,
                        struct place_cache *cache)
{
    struct frame frame = {.module = NULL};

    if (aborts)
        return copy_string("abort");
    if (stack->n > 0)
        frame = frame_of(stack, stack->interrupted, modules, cache);
    return frame.module != NULL && frame.known->place.function != NULL ? shorten(frame.known->place.function) : NULL;
}

/*
 * Which threads count besides the main thread: those that are in MPI, and those that could call it later. These are
 * threads that run code of the program, and all threads that run: a library's thread that sleeps has nothing to do.
 */
static bool counts(const struct call *call, const struct stack *stack, const struct reading *reading)
{
    if (call->is_main || call->crashed || call->state == CALL_MPI)
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

        library_calls_add(&calls->libraries, stack, stack->thread == main_thread, modules);
        call.is_main = stack->thread == main_thread;
        call.crashed = stack->error_signal != 0 && (stack->error_signal != SIGABRT || reading.aborts);
        call.fault = call.crashed ? name_fault(stack, reading.aborts, modules, cache) : NULL;
        if (!counts(&call, stack, &reading)) {
            free(call.function);
            free(call.written);
            free(call.place);
            continue;
        }
        calls->calls = grow_array(calls->calls, calls->n, &calls->room, sizeof *calls->calls);
        calls->calls[calls->n++] = call;
    }
}

void calls_clear(struct calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        free(calls->calls[i].function);
        free(calls->calls[i].written);
        free(calls->calls[i].outer);
        free(calls->calls[i].through);
        free(calls->calls[i].place);
        free(calls->calls[i].fault);
    }
    free(calls->calls);
    *calls = (struct calls){0};
}

const char *call_shown(const struct call *call)
{
    return call->written != NULL ? call->written : call->function;
}
