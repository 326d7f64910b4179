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
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/collect/target/elf/function_name.h"
#include "mqd/dump/collect/target/libraries.h"

/* Frames. */

/* What the stacks of one process are named by. */
struct naming {
    const struct stacks *stacks;
    const struct modules *modules;
    pid_t main_thread;
    struct place_cache *cache;
    struct owners owners;
};

/* Fortran's module mpi_f08 has functions of its own, whose profiling names lie elsewhere. */
static enum frame_kind kind_of_mpi(const struct frame *frame)
{
    const struct known_place *known = frame->known;

    if (!frame->is_executable ||
        is_static_mpi_function(known->file, known->function, known->address - known->offset))
        return FRAME_MPI;
    return strstr(known->function, "_f08") != NULL ? FRAME_BINDING : FRAME_WRAPPER;
}

static enum frame_kind kind_of(const struct frame *frame, const struct naming *naming)
{
    enum code_owner owner = naming->owners.of[frame->module - naming->modules->modules];
    const char *mpi = frame->known->mpi;

    if (mpi != NULL && owners_have_function(&naming->owners, naming->modules, mpi))
        return owner == OWNER_MPI ? kind_of_mpi(frame) : FRAME_WRAPPER;
    /* Which functions of an executable are a static Open MPI's cannot be told. */
    return owner == OWNER_PROGRAM ? FRAME_PROGRAM : FRAME_HELPER;
}

static struct frame frame_of(uint64_t address, const struct naming *naming)
{
    struct frame frame = {.module = modules_find(naming->modules, address)};

    if (frame.module != NULL) {
        frame.is_executable = frame.module == &naming->modules->modules[0];
        frame.known = place_cache_find(naming->cache, frame.module->file, address - frame.module->bias);
        frame.kind = kind_of(&frame, naming);
    } else if (address >= naming->stacks->vdso_start && address < naming->stacks->vdso_end) {
        frame.kind = FRAME_HELPER;
    }
    return frame;
}

/* What all frames of a stack show together. Positions are n if there is no such frame. */
struct reading {
    const struct stack *stack;
    struct frame *frames;      /* the innermost first */
    size_t n;
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

static void read_frame(struct reading *reading, size_t i)
{
    const struct frame *frame = &reading->frames[i];
    const size_t n = reading->n;

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

/* Modules do not tell the program's functions from those of a static Open MPI: which function calls the other does. */
static bool is_called_back(const struct frame *frame)
{
    const struct frame *callee = frame - 1;

    return callee->is_executable && frame->is_executable && callee->known->function != NULL &&
           frame->known->function != NULL && is_static_callback(callee->known->function, frame->known->function);
}

static void read_frames(struct reading *reading, bool is_static)
{
    bool sound = true;

    for (size_t i = 0; i < reading->n; i++) {
        const struct frame *frame = &reading->frames[i];
        const struct known_place *known = frame->known;

        if (sound && is_static && reading->own == reading->n && i > 0 && is_called_back(frame)) {
            reading->own = i - 1;
            reading->program_since |= reading->mpi < reading->n;
        }
        if (sound)
            read_frame(reading, i);
        else
            reading->maybe_mpi |= frame->kind == FRAME_MPI;
        reading->n_sound += sound;
        if (frame->is_executable && reading->program == reading->n)
            reading->program = i;
        reading->aborts |= known != NULL && known->function != NULL && strcmp(known->function, "abort") == 0;
        sound = sound && (known != NULL ? known->can_unwind : frame->kind == FRAME_HELPER);
    }
}

static struct reading read_stack(const struct stack *stack, const struct naming *naming)
{
    size_t n = stack->n;
    struct reading reading = {.stack = stack, .frames = allocate_array(n, sizeof *reading.frames), .n = n, .mpi = n,
                              .outer_mpi = n, .top = n, .wrapper = n, .program = n, .own = n};

    for (size_t i = 0; i < n; i++)
        reading.frames[i] = frame_of(stack->addresses[i], naming);
    read_frames(&reading, naming->owners.of[0] == OWNER_MPI);
    reading.is_helper = stack->ended && n > 0 && reading.n_sound == n && reading.own == n && reading.top == n &&
                        reading.program == n;
    return reading;
}

/* Texts of places. */

/* The function of a frame for people, for free(), of functions in others the one that runs; NULL: not known. */
static char *say_function(const struct frame *frame)
{
    struct known_place *known = frame->known;

    if (known == NULL || known->function == NULL)
        return NULL;
    /* Source is looked for where it may be the program's: Open MPI's and other libraries' have much of it. */
    if (frame->kind != FRAME_PROGRAM && !frame->is_executable)
        return function_said(known->function, false);
    known_place_read_source(known);
    return copy_string(known->levels[0].said ?: known->said);
}

/* The return address, which other tools show too: that of a frame lies in the call before it. */
static uint64_t shown_offset(uint64_t offset, size_t i)
{
    return offset + (i > 0 ? 1 : 0);
}

/* Once it was asked for. */
static bool has_source(const struct known_place *known)
{
    return known->n_levels > 0 && known->levels[0].source != NULL && known->levels[0].line > 0;
}

/* "exchange+0x5c", or "solver at 0x1234" if the function is not known. */
static char *say_address(const struct known_place *known, size_t i)
{
    if (known->said != NULL)
        return format_text("%s+0x%" PRIx64, known->said, shown_offset(known->offset, i));
    return format_text("%s at 0x%" PRIx64, known->file->name, shown_offset(known->address, i));
}

char *place_said(struct known_place *known, size_t i)
{
    known_place_read_source(known);
    return has_source(known) ? format_text("%s:%d", known->levels[0].source, known->levels[0].line)
                             : say_address(known, i);
}

static void name_place(struct call *call, const struct reading *reading, size_t i)
{
    struct known_place *known = reading->frames[i].known;

    if (known == NULL)
        return;
    call->place = place_said(known, i);
    call->has_source = has_source(known);
}

/* Of what is certainly on the stack. */
static uint64_t mark_of(const struct reading *reading)
{
    uint64_t mark = 14695981039346656037u;

    for (size_t i = reading->mpi; i < reading->n_sound; i++)
        mark = (mark ^ reading->stack->addresses[i]) * 1099511628211u;
    return mark;
}

static char *name_wrapper(const struct reading *reading)
{
    return reading->wrapper < reading->n ? copy_string(reading->frames[reading->wrapper].known->file->name) : NULL;
}

/* Chains: the borders from the library that has called MPI to the program. */

/* "save_state main.c:214". */
static char *say_level(const struct place_level *level)
{
    const char *said = level->said;

    if (level->source == NULL || level->line == 0)
        return copy_string(said != NULL ? said : "?");
    return format_text("%s%s%s:%d", said != NULL ? said : "", said != NULL ? " " : "", level->source, level->line);
}

/* "save_state main.c:214", "save_state+0x5c". */
static char *say_in_source(const struct known_place *known, size_t i)
{
    return has_source(known) ? say_level(&known->levels[0]) : say_address(known, i);
}

static bool is_exported(const struct known_place *known)
{
    return known->function != NULL && symbols_find(&known->file->symbols, known->function, false) != NULL;
}

/* "H5Dwrite in libhdf5": the function that its caller knows. Python's modules are not called by such names. */
static char *say_library(const struct reading *reading, size_t first, size_t last)
{
    bool is_python;
    OWNED char *name = file_said(reading->frames[first].known->file->path, &is_python), *function = NULL;

    for (size_t i = last + 1; i-- > first && function == NULL;)
        if (is_exported(reading->frames[i].known))
            function = say_function(&reading->frames[i]);
    return function == NULL || strchr(name, ' ') != NULL ? TAKEN(name) : format_text("%s in %s", function, name);
}

/* C that Cython has made of a module of Python: nobody has written it. */
static bool is_of_cython(const struct known_place *known)
{
    static const char *const beginnings[] = {"__pyx_", "__Pyx_"};

    return known->function != NULL && BEGINS_WITH_ANY(known->function, beginnings);
}

/* Of a library with source it is said where it has called, of another one who in it was called. */
static char *say_border(const struct reading *reading, size_t first, size_t last)
{
    const struct frame *frame = &reading->frames[first];
    bool is_python;
    OWNED char *name = file_said(frame->known->file->path, &is_python);

    known_place_read_source(frame->known);
    if (is_python || is_of_cython(frame->known))
        return TAKEN(name);
    if (has_source(frame->known) || frame->is_executable)
        return say_in_source(frame->known, first);
    return say_library(reading, first, last);
}

/* A frame that lies in no file may be anything. */
static size_t end_of_module(const struct reading *reading, size_t first)
{
    size_t end = first + 1;

    while (end < reading->n_sound && reading->frames[end].module == reading->frames[first].module)
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

/* A library that consists of headers has its code in the program's file: who has called it is behind a border too. */
static void add_user_of_header(struct call *call, const struct reading *reading, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct known_place *known = reading->frames[i].known;

        known_place_read_source(known);
        if (!has_source(known) || (i == first && !known->levels[0].in_header))
            return;
        for (size_t level = 0; level < known->n_levels; level++)
            if (!known->levels[level].in_header) {
                add_border(call, say_level(&known->levels[level]));
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
static void name_borders(struct call *call, const struct reading *reading)
{
    const struct module *last = NULL;
    size_t end;

    for (size_t first = reading->top + 1; first < reading->n_sound; first = end) {
        const struct frame *frame = &reading->frames[first];

        if (frame->module == NULL)
            return;
        end = end_of_module(reading, first);
        if (frame->module == last ||
            (!frame->is_executable && (frame->kind != FRAME_PROGRAM || is_behind_python(call))))
            continue;
        add_border(call, say_border(reading, first, end - 1));
        add_user_of_header(call, reading, first, end);
        last = frame->module;
    }
}

/* If the program alone has called, its place tells all. */
static void name_chain(struct call *call, const struct reading *reading)
{
    name_borders(call, reading);
    if (call->n_chain != 1 || !reading->frames[reading->top + 1].is_executable)
        return;
    free(call->chain[0]);
    call->n_chain = 0;
}

/* The program's call, of MPI or of a wrapper. */
static void name_caller(struct call *call, const struct reading *reading)
{
    if (reading->top + 1 < reading->n_sound)
        name_place(call, reading, reading->top + 1);
}

/*
 * Does it just hand on a message that has come? ob1 counts the message before it takes the receive from its queue: who
 * is stopped there, or has left a core, seems to wait for it.
 */
static bool hands_on(const struct reading *reading)
{
    for (size_t i = 0; i < reading->mpi; i++) {
        const struct known_place *known = reading->frames[i].known;

        if (known != NULL && known->function != NULL &&
            name_begins_with(known->function, "mca_pml_ob1_recv_frag_callback_"))
            return true;
    }
    return false;
}

static void describe_mpi(struct call *call, const struct reading *reading)
{
    const struct known_place *inner = reading->frames[reading->mpi].known;
    const struct known_place *outer = reading->frames[reading->outer_mpi].known;
    const struct known_place *top = reading->frames[reading->top].known;

    call->state = CALL_MPI;
    call->function = copy_string(inner->mpi);
    if (strcmp(outer->mpi, inner->mpi) != 0)
        call->outer = copy_string(outer->mpi);
    if (strcmp(top->mpi, inner->mpi) == 0 && strcmp(top->spelling, top->mpi) != 0)
        call->spelling = copy_string(top->spelling);
    call->called_back = reading->called_back;
    call->wrapper = name_wrapper(reading);
    call->runs = reading->in_callback || hands_on(reading);
    call->mark = mark_of(reading);
    name_caller(call, reading);
    name_chain(call, reading);
}

static void describe_wrapper(struct call *call, const struct reading *reading)
{
    call->state = CALL_OUTSIDE;
    call->function = copy_string(reading->frames[reading->wrapper].known->mpi);
    call->wrapper = name_wrapper(reading);
    name_caller(call, reading);
}

static void describe_outside(struct call *call, const struct reading *reading)
{
    size_t n = reading->n, at = reading->program < n ? reading->program : reading->own < n ? reading->own : 0;

    call->state = CALL_OUTSIDE;
    call->function = say_function(&reading->frames[at]);
    name_place(call, reading, at);
}

static struct call describe(const struct reading *reading)
{
    const struct stack *stack = reading->stack;
    struct call call = {
        .thread = stack->thread, .runs = !stack->in_futex, .stack_low = stack->low, .stack_high = stack->high};

    if (reading->mpi < reading->n)
        describe_mpi(&call, reading);
    else if (reading->wrapper < reading->n)
        describe_wrapper(&call, reading);
    else if (reading->n > 0 && !reading->maybe_mpi && (stack->ended || reading->program < reading->n))
        describe_outside(&call, reading);
    else
        call.runs = true;
    return call;
}

/* Where a signal hit the thread; handlers may run on top of that. What is below abort() is not of interest. */
static char *name_fault(const struct reading *reading)
{
    if (reading->aborts)
        return copy_string("abort");
    return reading->n > 0 ? say_function(&reading->frames[reading->stack->interrupted]) : NULL;
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

/* Whole stacks. */

/* An interpreter is at another place of its loop with each thing that it does: it is named like a library. */
static bool is_own_code(const struct frame *frame)
{
    bool is_python;

    if (frame->kind != FRAME_PROGRAM && !frame->is_executable)
        return false;
    free(file_said(frame->known->file->path, &is_python));
    return !is_python;
}

/* Of Open MPI and other libraries the function is enough: lines of loops that wait would tell equal ranks apart. */
static char *say_frame(const struct frame *frame, bool is_own, size_t i)
{
    const struct known_place *known = frame->known;
    OWNED char *function = NULL;

    if (is_own && (has_source(known) || (known->said != NULL && frame->is_executable)))
        return say_in_source(known, i);
    function = say_function(frame);
    return function != NULL ? format_text("%s in %s", function, known->file->name)
                            : format_text("0x%" PRIx64 " in %s", shown_offset(known->address, i), known->file->name);
}

/* The compiler may have put functions into others: they are called all the same. */
static void say_frames(const struct frame *frame, size_t i)
{
    struct known_place *known = frame->known;
    bool is_own = is_own_code(frame);
    size_t n;

    if (is_own)
        known_place_read_source(known);
    n = is_own && has_source(known) ? known->n_levels : 1;
    known->frames = allocate_array(n, sizeof *known->frames);
    known->frames[known->n_frames++] = say_frame(frame, is_own, i);
    for (; known->n_frames < n; known->n_frames++)
        known->frames[known->n_frames] = say_level(&known->levels[known->n_frames]);
}

/* The texts of a frame, *n of them, the innermost first. They live as long as the cache. */
static const char *const *frame_texts(const struct frame *frame, size_t i, size_t *n)
{
    static const char *const kernel[] = {"the kernel's [vdso]"}, *const nowhere[] = {"code of no file"};

    *n = 1;
    if (frame->module == NULL)
        return frame->kind == FRAME_HELPER ? kernel : nowhere;
    if (frame->known->frames == NULL)
        say_frames(frame, i);
    *n = frame->known->n_frames;
    return (const char *const *)frame->known->frames;
}

/*
 * The frames that are certain: behind a function that does not tell how to unwind it there may be none. The texts
 * follow the pointers to them, in one piece of memory.
 */
static void name_frames(struct named_stack *named, const struct reading *reading)
{
    size_t n_bytes = 0, n_texts = 0, n_of_frame;
    char *text;

    for (size_t i = 0; i < reading->n_sound; i++) {
        const char *const *texts = frame_texts(&reading->frames[i], i, &n_of_frame);

        for (size_t k = 0; k < n_of_frame; k++)
            n_bytes += strlen(texts[k]) + 1;
        n_texts += n_of_frame;
    }
    named->frames = allocate_array(1, n_texts * sizeof *named->frames + n_bytes + 1);
    text = (char *)(named->frames + n_texts);
    for (size_t i = 0; i < reading->n_sound; i++) {
        const char *const *texts = frame_texts(&reading->frames[i], i, &n_of_frame);

        for (size_t k = 0; k < n_of_frame && named->n < MAX_NAMED_FRAMES; k++) {
            named->frames[named->n++] = text;
            text = stpcpy(text, texts[k]) + 1;
        }
    }
    named->ended = reading->stack->ended && reading->n_sound == reading->n && named->n == n_texts;
}

/* All of it. */

static void name_stack(struct calls *calls, const struct stack *stack, const struct naming *naming, bool whole)
{
    struct reading reading = read_stack(stack, naming);
    struct call call = describe(&reading);

    call.is_main = stack->thread == naming->main_thread;
    call.crashed = stack->error_signal != 0 && (stack->error_signal != SIGABRT || reading.aborts);
    call.fault = call.crashed ? name_fault(&reading) : NULL;
    library_calls_add(&calls->libraries, stack, reading.frames, call.is_main);
    if (whole) {
        struct named_stack *named = &calls->stacks[calls->n_stacks++];

        *named = (struct named_stack){.thread = stack->thread, .is_main = call.is_main};
        name_frames(named, &reading);
    }
    if (counts(&call, &reading))
        APPEND(calls->calls, calls->n, calls->room, call);
    else
        clear_call(&call);
    free(reading.frames);
}

void calls_name(struct calls *calls, const struct stacks *stacks, const struct modules *modules, pid_t main_thread,
                struct place_cache *cache, bool whole)
{
    struct naming naming = {.stacks = stacks, .modules = modules, .main_thread = main_thread, .cache = cache};

    calls_clear(calls);
    calls->complete = stacks->complete;
    calls->initialiser = stacks->initialiser;
    calls->has_stacks = whole;
    calls->stacks = whole ? allocate_array(stacks->n, sizeof *calls->stacks) : NULL;
    owners_find(&naming.owners, modules);
    for (size_t i = 0; i < stacks->n; i++)
        name_stack(calls, &stacks->stacks[i], &naming, whole);
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
