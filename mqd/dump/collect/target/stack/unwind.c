/*
 * unwind.c - takes the stacks of a process, stopped or in a core.
 *
 * elfutils has one session for each process, since libraries are at other addresses in each process. The sessions share
 * the ELF handles. mqdump tells elfutils which files are mapped; elfutils finds none by itself.
 */
#include "mqd/dump/collect/target/stack/unwind.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "config.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/stack/thread_registers.h"

/* A broken stack may never end. Calls of MPI are rarely so deep in a recursion. */
enum { MAX_FRAMES = 256 };

/* The library that the kernel maps for every process has two to eight pages. */
enum { PAGE = 4096, MAX_VDSO = 16 * PAGE };

/* The process is stopped meanwhile. A frame takes some microseconds. */
static const double seconds_to_unwind = 0.5;

/* A file, or a copy of memory, and its addresses. */
struct image {
    struct elf_file *file;             /* NULL: memory */
    char *memory;
    size_t n_bytes;
    uint64_t start, end;
};

/* What elfutils works with while it unwinds one process. */
struct session {
    Dwfl *dwfl;
    struct process *process;
    struct image *images;
    size_t n;
    int stack_pointer;                 /* the number of this register; -1: not known */
    const struct modules *modules;
    struct thread_registers registers; /* of the thread that is being unwound */
    uint64_t signature;                /* as in its struct thread */
    size_t word;                       /* bytes of an address */
    uint64_t page_start;               /* of the page that was read last; 1: none was */
    unsigned char page[PAGE];
};

/* Images. */

static struct image image_of(const struct module *module)
{
    size_t n;
    const struct elf_load *loads = elf_file_loads(module->file, &n);
    struct image image = {.file = module->file, .start = (loads[0].address + module->bias) & -(uint64_t)PAGE};

    for (size_t i = 0; i < n; i++) {
        uint64_t end = loads[i].address + module->bias + loads[i].size;

        if (end > image.end)
            image.end = end;
    }
    image.end = (image.end + PAGE - 1) & -(uint64_t)PAGE;
    return image;
}

static uint64_t vdso_address(struct process *process, bool is_64_bit)
{
    size_t size, word = is_64_bit ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t type = 0, value = 0;
    const int one = 1;
    OWNED char *vector = NULL;

    if (process->core != NULL)
        return process->core->vdso;
    vector = proc_read(process->reader, "auxv", &size);
    /* A short word is the first or the second half of a long one. */
    for (size_t at = 0; vector != NULL && at + 2 * word <= size && type != AT_SYSINFO_EHDR; at += 2 * word) {
        size_t within = *(const char *)&one == 1 ? 0 : sizeof type - word;

        memcpy((char *)&type + within, vector + at, word);
        memcpy((char *)&value + within, vector + at + word, word);
    }
    return type == AT_SYSINFO_EHDR ? value : 0;
}

static bool copy_vdso(struct image *image, struct process *process, bool is_64_bit)
{
    uint64_t start = vdso_address(process, is_64_bit);

    if (start == 0 || start > UINT64_MAX - MAX_VDSO)
        return false;
    *image = (struct image){.memory = allocate_array(MAX_VDSO, 1), .start = start};
    while (image->n_bytes < MAX_VDSO &&
           process_read(process, start + image->n_bytes, image->memory + image->n_bytes, PAGE) == READ_OK)
        image->n_bytes += PAGE;
    image->end = start + image->n_bytes;
    if (image->n_bytes > 0 && memcmp(image->memory, ELFMAG, SELFMAG) == 0)
        return true;
    free(image->memory);
    return false;
}

static void find_images(struct session *session, const struct modules *modules)
{
    session->images = allocate_array(modules->n + 1, sizeof *session->images);
    for (size_t i = 0; i < modules->n; i++)
        session->images[session->n++] = image_of(&modules->modules[i]);
    if (copy_vdso(&session->images[session->n], session->process, elf_file_is_64_bit(modules->modules[0].file)))
        session->n++;
}

/* Sessions. */

static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
    const struct image *image = *user;

    (void)module, (void)name, (void)base, (void)file_name;
    memory_note();
    *elf = image->file != NULL ? elf_file_share(image->file) : elf_memory(image->memory, image->n_bytes);
    return -1;
}

static int find_no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                              const char *file_name, const char *link, GElf_Word checksum, char **debug_file_name)
{
    (void)module, (void)user, (void)name, (void)base;
    (void)file_name, (void)link, (void)checksum, (void)debug_file_name;
    memory_note();
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_elf, .find_debuginfo = find_no_debug_file};

static bool report(struct session *session)
{
    dwfl_report_begin(session->dwfl);
    for (size_t i = 0; i < session->n; i++) {
        struct image *image = &session->images[i];
        Dwfl_Module *module;
        void **user;

        if (image->end <= image->start)
            continue;
        module = dwfl_report_module(session->dwfl, image->file != NULL ? elf_file_name(image->file) : "[vdso]",
                                    image->start, image->end);
        if (module == NULL)
            return false;
        dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
        *user = image;
    }
    return dwfl_report_end(session->dwfl, NULL, NULL) == 0;
}

/* elfutils asks for one thread only. */
static bool find_thread(Dwfl *dwfl, pid_t id, void *context, void **thread)
{
    (void)dwfl, (void)id;
    *thread = context;
    return true;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
    (void)dwfl, (void)context, (void)thread;
    return 0;
}

/* A return address may be signed in the bits that no address needs. elfutils wants it plain. */
static uint64_t without_signature(const struct session *session, uint64_t word)
{
    uint64_t plain = word & ~session->signature;

    return plain != word && modules_find(session->modules, plain) != NULL ? plain : word;
}

/* Words of a stack lie close together: a page is read at once. */
static bool read_through_page(struct session *session, uint64_t address, void *word)
{
    uint64_t start = address & -(uint64_t)PAGE;

    if (address - start > PAGE - session->word)
        return false;
    if (start != session->page_start) {
        session->page_start = 1;
        if (process_read(session->process, start, session->page, PAGE) != READ_OK)
            return false;
        session->page_start = start;
    }
    memcpy(word, session->page + (address - start), session->word);
    return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
    struct session *session = context;
    uint64_t whole;
    uint32_t half;
    void *found = session->word == sizeof whole ? (void *)&whole : (void *)&half;

    (void)dwfl;
    memory_note();
    if (!read_through_page(session, address, found) &&
        process_read(session->process, address, found, session->word) != READ_OK)
        return false;
    *word = session->word == sizeof whole ? without_signature(session, whole) : half;
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct session *session = context;
    const struct thread_registers *registers = &session->registers;
    Dwarf_Word values[MAX_REGISTERS];

    for (unsigned i = 0; i < registers->n; i++)
        values[i] = without_signature(session, registers->values[i]);
    if (!dwfl_thread_state_registers(thread, 0, registers->n, values))
        return false;
    values[0] = registers->link_value;
    if (registers->link >= 0 && !dwfl_thread_state_registers(thread, registers->link, 1, values))
        return false;
    dwfl_thread_state_register_pc(thread, registers->pc);
    return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread, .get_thread = find_thread, .memory_read = read_word,
    .set_initial_registers = set_registers
};

static bool attach(struct session *session)
{
    if (session->process->core == NULL && proc_has_ended(session->process->reader))
        return false;
    return dwfl_attach_state(session->dwfl, NULL, session->process->pid, &thread_callbacks, session);
}

static void end_session(struct session *session)
{
    dwfl_end(session->dwfl);
    for (size_t i = 0; i < session->n; i++)
        free(session->images[i].memory);
    free(session->images);
}

static bool start_session(struct session *session, struct process *process, const struct modules *modules)
{
    bool good;

    *session = (struct session){
        .process = process, .modules = modules, .page_start = 1,
        .word = elf_file_is_64_bit(modules->modules[0].file) ? sizeof(uint64_t) : sizeof(uint32_t),
        .stack_pointer = stack_pointer_number(elf_file_machine(modules->modules[0].file))};
    session->dwfl = dwfl_begin(&callbacks);
    if (session->dwfl == NULL)
        out_of_memory();
    find_images(session, modules);
    memory_watch();
    good = report(session) && attach(session);
    memory_check();
    if (good)
        return true;
    end_session(session);
    return false;
}

/* Stacks. */

/* The stack that is being taken. */
struct taking {
    struct stack *stack;
    int stack_pointer;
};

static void note_extent(struct taking *taking, Dwfl_Frame *frame)
{
#if HAVE_DWFL_FRAME_REG
    Dwarf_Word value;

    if (taking->stack_pointer < 0 || dwfl_frame_reg(frame, (unsigned)taking->stack_pointer, &value) != 0)
        return;
    if (taking->stack->low == 0)
        taking->stack->low = value;
    if (value > taking->stack->high)
        taking->stack->high = value;
#else
    (void)taking, (void)frame;
#endif
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct taking *taking = context;
    struct stack *stack = taking->stack;
    bool is_activation;
    Dwarf_Addr address;

    if (stack->n == MAX_FRAMES || !dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    if (is_activation)
        stack->interrupted = stack->n;
    APPEND(stack->addresses, stack->n, stack->room, is_activation ? address : address - 1);
    note_extent(taking, frame);
    return DWARF_CB_OK;
}

static void unwind(struct stack *stack, const struct session *session)
{
    struct taking taking = {stack, session->stack_pointer};

    memory_watch();
    stack->ended = dwfl_getthread_frames(session->dwfl, stack->thread, take_frame, &taking) == 0;
    memory_check();
}

static struct stack *add_stack(struct stacks *stacks, pid_t thread)
{
    APPEND(stacks->stacks, stacks->n, stacks->room, (struct stack){.thread = thread});
    return &stacks->stacks[stacks->n - 1];
}

/*
 * What a thread was stopped in. A wait for another thread that ends after some time too is one that the thread ends by
 * itself.
 */
static void read_system_call(struct stack *stack, pid_t process)
{
    OWNED char *path = format_text("/proc/%d/task/%d/syscall", (int)process, (int)stack->thread);
    unsigned long long timeout;
    long number = -1;
    size_t size;
    OWNED char *text = proc_read_file(path, &size);
    int n = text != NULL ? sscanf(text, "%ld %*x %*x %*x %llx", &number, &timeout) : 0;

    stack->in_futex = n == 2 && number == SYS_futex && timeout == 0;
    /* A thread in sched_yield does not wait: it lets others run first. */
    stack->in_system = n > 0 && number >= 0 && number != SYS_sched_yield;
}

static void take_stack(struct stacks *stacks, struct session *session, const struct thread *thread)
{
    struct stack *stack = add_stack(stacks, thread->id);
    const struct process *process = session->process;

    read_system_call(stack, process->pid);
    session->signature = thread->signature;
    if (thread_registers_of_live(&session->registers, elf_file_machine(session->modules->modules[0].file),
                                 process->registers + thread->registers, thread->n_register_bytes))
        unwind(stack, session);
}

static void take_live(struct stacks *stacks, struct session *session, double end)
{
    const struct process *process = session->process;

    for (size_t i = 0; i < process->n_threads; i++) {
        if (seconds_now() > end)
            stacks->complete = false;
        else if (process->threads[i].stopped)
            take_stack(stacks, session, &process->threads[i]);
        else if (!process->threads[i].gone)
            stacks->complete = false;
    }
}

static void take_core_stack(struct stacks *stacks, struct session *session, const struct core_thread *thread)
{
    struct stack *stack = add_stack(stacks, thread->id);

    if (!thread_registers_of_core(&session->registers, session->process->core, thread))
        return;
    stack->in_futex = session->registers.in_futex;
    stack->in_system = session->registers.in_system;
    unwind(stack, session);
}

static void take_core(struct stacks *stacks, struct session *session, double end)
{
    const struct core *core = session->process->core;

    for (size_t i = 0; i < core->n_threads; i++) {
        if (seconds_now() > end)
            stacks->complete = false;
        else
            take_core_stack(stacks, session, &core->threads[i]);
    }
    if (stacks->n > 0)
        stacks->stacks[0].error_signal = core_error_signal(core);
}

static void note_vdso(struct stacks *stacks, const struct session *session)
{
    for (size_t i = 0; i < session->n; i++)
        if (session->images[i].file == NULL) {
            stacks->vdso_start = session->images[i].start;
            stacks->vdso_end = session->images[i].end;
        }
}

void stacks_take(struct stacks *stacks, struct process *process, const struct modules *modules)
{
    double end = seconds_now() + seconds_to_unwind;
    struct session session;

    stacks_clear(stacks);
    stacks->complete = start_session(&session, process, modules);
    if (!stacks->complete)
        return;
    stacks->complete = !modules->incomplete;
    note_vdso(stacks, &session);
    (process->core != NULL ? take_core : take_live)(stacks, &session, end);
    end_session(&session);
}

void stacks_clear(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->n; i++)
        free(stacks->stacks[i].addresses);
    free(stacks->stacks);
    *stacks = (struct stacks){0};
}
