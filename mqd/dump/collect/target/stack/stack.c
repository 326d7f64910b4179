/*
 * stack.c - where the threads of a process are.
 *
 * Symbols and source lines are looked up in the files only, which all processes share.
 */
#include "mqd/dump/collect/target/stack/stack.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/elf/function_name.h"
#include "mqd/dump/collect/target/owner.h"

/* Frames. */

enum frame_kind {
    FRAME_PROGRAM,             /* code of the program */
    FRAME_HELPER,              /* of a library that never calls MPI by itself, or Open MPI's */
    FRAME_MPI,                 /* a function of MPI, Open MPI's own */
    FRAME_BINDING,             /* of another language, which may as well be a wrapper's */
    FRAME_WRAPPER              /* a function with the name of one of MPI's */
};

/* One frame of a stack that is being named. */
struct frame {
    const struct module *module;       /* NULL: none has it */
    const struct known_place *known;   /* NULL too */
    enum frame_kind kind;
};

/* What the stacks of one process are named by. */
struct naming {
    const struct stacks *stacks;
    const struct modules *modules;
    struct owners owners;
    struct place_cache *cache;
};

static bool is_executable(const struct frame *frame, const struct naming *naming)
{
    return frame->module == &naming->modules->modules[0];
}

/* Fortran's module mpi_f08 has functions of its own, whose profiling names lie elsewhere. */
static bool is_of_module_f08(const char *symbol)
{
    return strstr(symbol, "_f08") != NULL;
}

static enum frame_kind kind_of_mpi(const struct frame *frame, const struct naming *naming)
{
    const struct elf_place *place = &frame->known->place;

    if (!is_executable(frame, naming) ||
        is_static_mpi_function(frame->module->file, place->function, frame->known->address - place->offset))
        return FRAME_MPI;
    return is_of_module_f08(place->function) ? FRAME_BINDING : FRAME_WRAPPER;
}

static enum frame_kind kind_of(const struct frame *frame, const struct naming *naming)
{
    enum owner owner = naming->owners.of[frame->module - naming->modules->modules];
    const char *mpi = frame->known->mpi;

    if (mpi != NULL && owners_have_function(&naming->owners, naming->modules, mpi))
        return owner == OWNER_MPI ? kind_of_mpi(frame, naming) : FRAME_WRAPPER;
    /* Which functions of an executable are a static Open MPI's cannot be told. */
    return owner == OWNER_PROGRAM ? FRAME_PROGRAM : FRAME_HELPER;
}

static struct frame frame_of(const struct stack *stack, size_t i, const struct naming *naming)
{
    uint64_t address = stack->addresses[i];
    struct frame frame = {.module = modules_find(naming->modules, address)};

    if (frame.module != NULL) {
        frame.known = place_cache_find(naming->cache, frame.module->file, address - frame.module->bias, false);
        frame.kind = kind_of(&frame, naming);
    } else if (address >= naming->stacks->vdso_start && address < naming->stacks->vdso_end) {
        frame.kind = FRAME_HELPER;
    }
    return frame;
}

/* Texts of places. */

/* Source is looked for where it may be the program's: Open MPI's and other libraries' have much of it. */
static const struct known_place *read_source(const struct frame *frame, const struct naming *naming)
{
    const struct known_place *known = frame->known;

    return place_cache_find(naming->cache, known->file, known->address, true);
}

/* The function of a frame for people, for free(), of functions in others the one that runs; NULL: not known. */
static char *say_function(const struct frame *frame, const struct naming *naming)
{
    const struct known_place *known = frame->known;

    if (known == NULL || known->place.function == NULL)
        return NULL;
    if (frame->kind != FRAME_PROGRAM && !is_executable(frame, naming))
        return function_said(known->place.function, false);
    known = read_source(frame, naming);
    return copy_string(known->n_inlined > 0 && known->inlined[0].said != NULL ? known->inlined[0].said : known->said);
}

/* The return address, which other tools show too: that of a frame lies in the call before it. */
static uint64_t shown_offset(uint64_t offset, size_t i)
{
    return offset + (i > 0 ? 1 : 0);
}

static bool has_source(const struct known_place *known)
{
    return known->place.source != NULL && known->place.line > 0;
}

/* "exchange+0x5c", or "solver at 0x1234" if the function is not known. */
static char *say_address(const struct known_place *known, size_t i)
{
    if (known->said != NULL)
        return format_text("%s+0x%" PRIx64, known->said, shown_offset(known->place.offset, i));
    return format_text("%s at 0x%" PRIx64, elf_file_name(known->file), shown_offset(known->address, i));
}

static void name_place(struct call *call, const struct stack *stack, size_t i, const struct naming *naming)
{
    struct frame frame = frame_of(stack, i, naming);
    const struct known_place *known;

    if (frame.module == NULL)
        return;
    known = read_source(&frame, naming);
    call->has_source = has_source(known);
    call->place = call->has_source ? format_text("%s:%d", known->place.source, known->place.line)
                                   : say_address(known, i);
}

/* What all frames of a stack show together. Positions are the stack's n if there is no such frame. */
struct reading {
    size_t n_sound;            /* frames up to the first function that does not tell how to unwind it: the others may be
                                  no frames at all */
    size_t mpi;                /* the innermost frame in a function of MPI */
    size_t outer_mpi, top;     /* the outermost one, and the same with wrappers */
    size_t wrapper;            /* the outermost wrapper */
    size_t program, own;       /* the innermost frame of the executable, and of the program with its libraries */
    bool in_callback;          /* MPI has called the program, which runs */
    bool program_since;        /* a frame of the program, or a wrapper, is outside of the innermost frame of MPI */
    bool called_back;          /* and MPI has called it */
    bool is_helper;            /* no frame is the program's, and none is missing */
    bool maybe_mpi;            /* a frame that may be none is in a function of MPI */
    bool aborts;               /* abort() was called */
};

static void read_frame(struct reading *reading, const struct frame *frame, size_t i, size_t n)
{
    if (frame->kind == FRAME_PROGRAM && reading->own == n)
        reading->own = i;
    reading->program_since |= reading->mpi < n && (frame->kind == FRAME_PROGRAM || frame->kind == FRAME_WRAPPER);
    if (frame->kind == FRAME_MPI) {
        reading->called_back |= reading->program_since;
        reading->outer_mpi = reading->top = i;
        if (reading->mpi == n) {
            reading->mpi = i;
            reading->in_callback = reading->own < n || reading->wrapper < n;
            reading->wrapper = n;
        }
    }
    if (frame->kind == FRAME_WRAPPER)
        reading->wrapper = reading->top = i;
    if (frame->kind == FRAME_BINDING)
        reading->top = i;
}

/* The function of the executable that a frame is in. */
static const char *static_function(const struct frame *frame, const struct naming *naming)
{
    return frame->known != NULL && is_executable(frame, naming) ? frame->known->place.function : NULL;
}

static struct reading read_frames(const struct stack *stack, const struct naming *naming)
{
    size_t n = stack->n;
    struct reading reading = {.mpi = n, .outer_mpi = n, .top = n, .wrapper = n, .program = n, .own = n};
    bool is_static = naming->owners.of[0] == OWNER_MPI, sound = true;
    const char *callee = NULL;

    for (size_t i = 0; i < n; i++) {
        struct frame frame = frame_of(stack, i, naming);
        const struct known_place *known = frame.known;
        const char *function = is_static ? static_function(&frame, naming) : NULL;

        /* Modules do not tell the program's functions from those of a static Open MPI. */
        if (sound && reading.own == n && callee != NULL && function != NULL && is_static_callback(callee, function)) {
            reading.own = i - 1;
            reading.program_since |= reading.mpi < n;
        }
        if (sound)
            read_frame(&reading, &frame, i, n);
        else
            reading.maybe_mpi |= frame.kind == FRAME_MPI;
        reading.n_sound += sound;
        if (known != NULL && is_executable(&frame, naming) && reading.program == n)
            reading.program = i;
        reading.aborts |= known != NULL && known->place.function != NULL && strcmp(known->place.function, "abort") == 0;
        callee = function;
        sound = sound && (known != NULL ? known->can_unwind : frame.kind == FRAME_HELPER);
    }
    reading.is_helper = stack->ended && n > 0 && reading.n_sound == n && reading.own == n && reading.top == n &&
                        reading.program == n;
    return reading;
}

/* Of what is certainly on the stack. */
static uint64_t mark_of(const struct stack *stack, size_t first, size_t end)
{
    uint64_t mark = 14695981039346656037u;

    for (size_t i = first; i < end; i++)
        mark = (mark ^ stack->addresses[i]) * 1099511628211u;
    return mark;
}

static char *name_wrapper(const struct stack *stack, const struct reading *reading, const struct naming *naming)
{
    if (reading->wrapper == stack->n)
        return NULL;
    return copy_string(elf_file_name(frame_of(stack, reading->wrapper, naming).module->file));
}

/* Chains: the borders from the library that has called MPI to the program. */

/*
 * "save_state main.c:214", of what lies at a place: `level` 0 is the innermost function, n_inlined the one whose code
 * it is. Each of the others is where it calls the one before.
 */
static char *say_level(const struct known_place *known, size_t level)
{
    const char *said = level < known->n_inlined ? known->inlined[level].said : known->said;
    const char *source = level > 0 ? known->inlined[level - 1].source : known->place.source;
    int line = level > 0 ? known->inlined[level - 1].line : known->place.line;

    if (source == NULL || line == 0)
        return copy_string(said != NULL ? said : "?");
    return format_text("%s%s%s:%d", said != NULL ? said : "", said != NULL ? " " : "", source, line);
}

/* "save_state main.c:214", "save_state+0x5c". */
static char *say_in_source(const struct known_place *known, size_t i)
{
    return has_source(known) ? say_level(known, 0) : say_address(known, i);
}

static bool is_exported(const struct known_place *known)
{
    struct elf_symbol symbol;

    return known->place.function != NULL && elf_file_find_symbol(known->file, known->place.function, false, &symbol);
}

/* "H5Dwrite in libhdf5": the function that its caller knows. Python's modules are not called by such names. */
static char *say_library(const struct stack *stack, size_t first, size_t last, const struct naming *naming)
{
    const struct known_place *known = frame_of(stack, first, naming).known;
    struct elf_file *file = known->file;
    bool is_python;
    OWNED char *name = file_said(elf_file_path(file), &is_python), *function = NULL;

    for (size_t i = last + 1; i-- > first && function == NULL && !is_python;) {
        struct frame frame = frame_of(stack, i, naming);

        if (is_exported(frame.known))
            function = say_function(&frame, naming);
    }
    return function == NULL || strchr(name, ' ') != NULL ? TAKEN(name) : format_text("%s in %s", function, name);
}

/* C that Cython has made of a module of Python: nobody has written it. */
static bool is_of_cython(const struct known_place *known)
{
    const char *function = known->place.function;

    return function != NULL && (strncmp(function, "__pyx_", 6) == 0 || strncmp(function, "__Pyx_", 6) == 0);
}

/* Of a library with source it is said where it has called, of another one who in it was called. */
static char *say_border(const struct stack *stack, size_t first, size_t last, const struct naming *naming)
{
    struct frame frame = frame_of(stack, first, naming);
    const struct known_place *known = read_source(&frame, naming);
    bool is_python;
    OWNED char *name = file_said(elf_file_path(known->file), &is_python);

    if (is_python || is_of_cython(known))
        return TAKEN(name);
    if (has_source(known) || is_executable(&frame, naming))
        return say_in_source(known, first);
    return say_library(stack, first, last, naming);
}

/* A frame that lies in no file may be anything. */
static size_t end_of_module(const struct stack *stack, size_t first, size_t n, const struct naming *naming)
{
    const struct module *module = frame_of(stack, first, naming).module;
    size_t end = first + 1;

    while (end < n && frame_of(stack, end, naming).module == module)
        end++;
    return end;
}

/* "h5py's h5d" and "h5py's _proxy" are of one package. */
static bool is_same_package(const char *a, const char *b)
{
    const char *end = strstr(a, "'s ");

    return end != NULL && strncmp(a, b, (size_t)(end - a) + strlen("'s ")) == 0;
}

/* Of modules of one package that of which the caller knows is told. What is too far out is left away. */
static void add_border(struct call *call, char *text)
{
    char **last = call->n_chain > 0 ? &call->chain[call->n_chain - 1] : NULL;

    if (last != NULL && (strcmp(*last, text) == 0 || is_same_package(*last, text))) {
        free(*last);
        *last = text;
    } else if (call->n_chain < MAX_CHAIN) {
        call->chain[call->n_chain++] = text;
    } else {
        free(text);
    }
}

static bool is_in_header(const struct known_place *known, size_t level)
{
    return level > 0 ? known->inlined[level - 1].in_header : known->place.in_header;
}

/* A library that consists of headers has its code in the program's file: who has called it is behind a border too. */
static void add_user_of_header(struct call *call, const struct stack *stack, size_t first, size_t end,
                               const struct naming *naming)
{
    for (size_t i = first; i < end; i++) {
        struct frame frame = frame_of(stack, i, naming);
        const struct known_place *known = read_source(&frame, naming);

        if (!has_source(known) || (i == first && !is_in_header(known, 0)))
            return;
        for (size_t level = 0; level <= known->n_inlined; level++)
            if (!is_in_header(known, level)) {
                add_border(call, say_level(known, level));
                return;
            }
    }
}

/* The interpreter comes and goes between its modules: what they do for each other says nothing. */
static bool is_behind_python(const struct call *call)
{
    return call->n_chain > 0 && strcmp(call->chain[call->n_chain - 1], "Python") == 0;
}

/*
 * Helpers on the way, such as libffi's caller of functions, say nothing. A library may have called the program, which
 * has called it: so there are borders outside of the program's innermost frame too.
 */
static void name_borders(struct call *call, const struct stack *stack, const struct reading *reading,
                         const struct naming *naming)
{
    size_t n = reading->n_sound, first = reading->top + 1, end;
    const struct module *last = NULL;

    for (; first < n; first = end) {
        struct frame frame = frame_of(stack, first, naming);
        bool is_program = frame.module != NULL && is_executable(&frame, naming);

        if (frame.module == NULL)
            return;
        end = end_of_module(stack, first, n, naming);
        if (frame.module == last || (!is_program && (frame.kind != FRAME_PROGRAM || is_behind_python(call))))
            continue;
        add_border(call, say_border(stack, first, end - 1, naming));
        add_user_of_header(call, stack, first, end, naming);
        last = frame.module;
    }
}

/* If the program alone has called, its place tells all. */
static void name_chain(struct call *call, const struct stack *stack, const struct reading *reading,
                       const struct naming *naming)
{
    struct frame frame;

    name_borders(call, stack, reading, naming);
    if (call->n_chain != 1)
        return;
    frame = frame_of(stack, reading->top + 1, naming);
    if (!is_executable(&frame, naming))
        return;
    free(call->chain[0]);
    call->n_chain = 0;
}

/* The program's call, of MPI or of a wrapper. */
static void name_caller(struct call *call, const struct stack *stack, const struct reading *reading,
                        const struct naming *naming)
{
    if (reading->top + 1 < reading->n_sound)
        name_place(call, stack, reading->top + 1, naming);
}

static void describe_mpi(struct call *call, const struct stack *stack, const struct reading *reading,
                         const struct naming *naming)
{
    const struct known_place *inner = frame_of(stack, reading->mpi, naming).known;
    const struct known_place *outer = frame_of(stack, reading->outer_mpi, naming).known;
    const struct known_place *top = frame_of(stack, reading->top, naming).known;

    call->state = CALL_MPI;
    call->function = copy_string(inner->mpi);
    if (strcmp(outer->mpi, inner->mpi) != 0)
        call->outer = copy_string(outer->mpi);
    if (strcmp(top->mpi, inner->mpi) == 0 && strcmp(top->spelling, top->mpi) != 0)
        call->spelling = copy_string(top->spelling);
    call->called_back = reading->called_back;
    call->wrapper = name_wrapper(stack, reading, naming);
    call->runs = reading->in_callback;
    call->mark = mark_of(stack, reading->mpi, reading->n_sound);
    name_caller(call, stack, reading, naming);
    name_chain(call, stack, reading, naming);
}

static void describe_wrapper(struct call *call, const struct stack *stack, const struct reading *reading,
                             const struct naming *naming)
{
    call->state = CALL_OUTSIDE;
    call->function = copy_string(frame_of(stack, reading->wrapper, naming).known->mpi);
    call->wrapper = name_wrapper(stack, reading, naming);
    name_caller(call, stack, reading, naming);
}

static void describe_outside(struct call *call, const struct stack *stack, const struct reading *reading,
                             const struct naming *naming)
{
    size_t at = reading->program < stack->n ? reading->program : reading->own < stack->n ? reading->own : 0;
    struct frame frame = frame_of(stack, at, naming);

    call->state = CALL_OUTSIDE;
    call->function = say_function(&frame, naming);
    name_place(call, stack, at, naming);
}

static struct call describe(const struct stack *stack, const struct reading *reading, const struct naming *naming)
{
    struct call call = {
        .thread = stack->thread, .runs = !stack->in_futex, .stack_low = stack->low, .stack_high = stack->high};

    if (reading->mpi < stack->n)
        describe_mpi(&call, stack, reading, naming);
    else if (reading->wrapper < stack->n)
        describe_wrapper(&call, stack, reading, naming);
    else if (stack->n > 0 && !reading->maybe_mpi && (stack->ended || reading->program < stack->n))
        describe_outside(&call, stack, reading, naming);
    else
        call.runs = true;
    return call;
}

/* Where a signal hit the thread; handlers may run on top of that. What is below abort() is not of interest. */
static char *name_fault(const struct stack *stack, bool aborts, const struct naming *naming)
{
    struct frame frame = {.module = NULL};

    if (aborts)
        return copy_string("abort");
    if (stack->n > 0)
        frame = frame_of(stack, stack->interrupted, naming);
    return say_function(&frame, naming);
}

/*
 * Which threads count besides the main thread: those that are in MPI, and all others that may call it later without
 * being woken by another thread. Only helpers' threads do not. A thread of a library that knows nothing of MPI may call
 * the program, as Python's do.
 */
static bool counts(const struct call *call, const struct reading *reading)
{
    return call->is_main || call->crashed || call->state == CALL_MPI || (call->runs && !reading->is_helper);
}

static void clear_call(struct call *call)
{
    FREE_ALL(call->function, call->spelling, call->outer, call->wrapper, call->place, call->fault);
    for (size_t i = 0; i < call->n_chain; i++)
        free(call->chain[i]);
}

static void name_call(struct calls *calls, const struct stack *stack, pid_t main_thread, const struct naming *naming)
{
    struct reading reading = read_frames(stack, naming);
    struct call call = describe(stack, &reading, naming);

    call.is_main = stack->thread == main_thread;
    call.crashed = stack->error_signal != 0 && (stack->error_signal != SIGABRT || reading.aborts);
    call.fault = call.crashed ? name_fault(stack, reading.aborts, naming) : NULL;
    if (counts(&call, &reading))
        APPEND(calls->calls, calls->n, calls->room, call);
    else
        clear_call(&call);
}

/* Whole stacks. */

/* An interpreter is at another place of its loop with each thing that it does: it is named like a library. */
static bool is_own_code(const struct frame *frame, const struct naming *naming)
{
    bool is_python;

    if (frame->kind != FRAME_PROGRAM && !is_executable(frame, naming))
        return false;
    free(file_said(elf_file_path(frame->known->file), &is_python));
    return !is_python;
}

/* Of Open MPI and other libraries the function is enough: lines of loops that wait would tell equal ranks apart. */
static char *say_frame(const struct frame *frame, const struct known_place *known, bool is_program, size_t i,
                       const struct naming *naming)
{
    const char *file = elf_file_name(frame->known->file);
    OWNED char *function = NULL;

    if (is_program && (has_source(known) || (known->said != NULL && is_executable(frame, naming))))
        return say_in_source(known, i);
    function = say_function(frame, naming);
    return function != NULL ? format_text("%s in %s", function, file)
                            : format_text("0x%" PRIx64 " in %s", shown_offset(known->address, i), file);
}

/* The compiler may have put functions into others: they are called all the same. */
static void say_frames(struct known_place *known, const struct frame *frame, size_t i, const struct naming *naming)
{
    bool is_program = is_own_code(frame, naming);
    size_t n_inlined = is_program && has_source(known) ? known->n_inlined : 0;

    known->frames = allocate_array(n_inlined + 1, sizeof *known->frames);
    known->frames[known->n_frames++] = say_frame(frame, known, is_program, i, naming);
    while (known->n_frames <= n_inlined) {
        known->frames[known->n_frames] = say_level(known, known->n_frames);
        known->n_frames++;
    }
}

/* The texts of a frame, *n of them, the innermost first. They live as long as the cache. */
static const char *const *frame_texts(const struct stack *stack, size_t i, const struct naming *naming, size_t *n)
{
    static const char *const kernel[] = {"the kernel's [vdso]"}, *const nowhere[] = {"code of no file"};
    struct frame frame = frame_of(stack, i, naming);
    struct known_place *known;

    *n = 1;
    if (frame.module == NULL)
        return frame.kind == FRAME_HELPER ? kernel : nowhere;
    known = place_cache_find(naming->cache, frame.known->file, frame.known->address, is_own_code(&frame, naming));
    if (known->frames == NULL)
        say_frames(known, &frame, i, naming);
    *n = known->n_frames;
    return (const char *const *)known->frames;
}

/*
 * The frames that are certain: behind a function that does not tell how to unwind it there may be none. The texts
 * follow the pointers to them, in one piece of memory.
 */
static void name_frames(struct named_stack *named, const struct stack *stack, const struct naming *naming)
{
    size_t n_bytes = 0, n_texts = 0, n = read_frames(stack, naming).n_sound, n_of_frame;
    char *text;

    for (size_t i = 0; i < n; i++) {
        const char *const *texts = frame_texts(stack, i, naming, &n_of_frame);

        for (size_t k = 0; k < n_of_frame; k++)
            n_bytes += strlen(texts[k]) + 1;
        n_texts += n_of_frame;
    }
    named->frames = allocate_array(1, n_texts * sizeof *named->frames + n_bytes + 1);
    text = (char *)(named->frames + n_texts);
    for (size_t i = 0; i < n; i++) {
        const char *const *texts = frame_texts(stack, i, naming, &n_of_frame);

        for (size_t k = 0; k < n_of_frame && named->n < MAX_NAMED_FRAMES; k++) {
            named->frames[named->n++] = text;
            text = stpcpy(text, texts[k]) + 1;
        }
    }
    named->ended = stack->ended && n == stack->n && named->n == n_texts;
}

void calls_name_stacks(struct calls *calls, const struct stacks *stacks, const struct modules *modules,
                       pid_t main_thread, struct place_cache *cache)
{
    struct naming naming = {.stacks = stacks, .modules = modules, .cache = cache};

    owners_find(&naming.owners, modules);
    calls->has_stacks = true;
    calls->stacks = allocate_array(stacks->n, sizeof *calls->stacks);
    calls->n_stacks = stacks->n;
    for (size_t i = 0; i < stacks->n; i++) {
        const struct stack *stack = &stacks->stacks[i];

        calls->stacks[i] = (struct named_stack){.thread = stack->thread, .is_main = stack->thread == main_thread};
        name_frames(&calls->stacks[i], stack, &naming);
    }
    owners_clear(&naming.owners);
}

/* Calls. */

void calls_name(struct calls *calls, const struct stacks *stacks, const struct modules *modules, pid_t main_thread,
                struct place_cache *cache)
{
    struct naming naming = {.stacks = stacks, .modules = modules, .cache = cache};

    calls_clear(calls);
    calls->complete = stacks->complete;
    owners_find(&naming.owners, modules);
    for (size_t i = 0; i < stacks->n; i++) {
        library_calls_add(&calls->libraries, &stacks->stacks[i], stacks->stacks[i].thread == main_thread, modules);
        name_call(calls, &stacks->stacks[i], main_thread, &naming);
    }
    owners_clear(&naming.owners);
}

void calls_clear(struct calls *calls)
{
    for (size_t i = 0; i < calls->n; i++)
        clear_call(&calls->calls[i]);
    for (size_t i = 0; i < calls->n_stacks; i++)
        free(calls->stacks[i].frames);
    FREE_ALL(calls->stacks, calls->calls);
    *calls = (struct calls){0};
}

const char *call_shown(const struct call *call)
{
    return call->spelling != NULL ? call->spelling : call->function;
}

char *call_phrase(const struct call *call)
{
    bool nested = call->outer != NULL, wrapped = call->wrapper != NULL;

    return format_text("%s%s%s%s%s", call_shown(call), nested ? " in " : "", nested ? call->outer : "",
                       wrapped ? " through " : "", wrapped ? call->wrapper : "");
}
