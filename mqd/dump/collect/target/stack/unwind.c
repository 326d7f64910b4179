/*
 * unwind.c - takes the stacks of a process, stopped or in a core.
 *
 * elfutils has one session for each process, since libraries are at other addresses in each process. The sessions share
 * the ELF handles. mqdump tells elfutils which files are mapped; elfutils finds none by itself.
 */
#include "mqd/dump/collect/target/stack/unwind.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "config.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"

/* A broken stack may never end. Calls of MPI are rarely so deep in a recursion. */
enum { MAX_FRAMES = 256 };

/* The library that the kernel maps for every process has two to eight pages. */
enum { PAGE = 4096, MAX_VDSO = 16 * PAGE };

/* The process is stopped meanwhile. A frame takes some microseconds. */
static const double seconds_to_unwind = 0.5;

/* What elfutils works with while it unwinds one process. */
struct session {
    Dwfl *dwfl;
    struct process *process;
    const struct modules *modules;
    char *vdso;                        /* a copy of the library that the kernel maps; NULL: there is none */
    Elf *vdso_elf;
    int stack_pointer;                 /* the number of this register; -1: not known */
    struct thread_registers registers; /* of the thread that is being unwound */
    uint64_t signature;                /* as in its struct thread */
    struct stack *stack;               /* that is being taken */
    size_t word;                       /* bytes of an address */
    uint64_t page_start;               /* of the page that was read last; 1: none was */
    unsigned char page[PAGE];
};

/* Sessions. */

/* Returns how many bytes of it were copied. */
static size_t copy_vdso(struct session *session, uint64_t start)
{
    size_t n = 0;

    if (start == 0 || start > UINT64_MAX - MAX_VDSO)
        return 0;
    session->vdso = allocate_array(MAX_VDSO, 1);
    while (n < MAX_VDSO && process_read(session->process, start + n, session->vdso + n, PAGE) == READ_OK)
        n += PAGE;
    return n > 0 && memcmp(session->vdso, ELFMAG, SELFMAG) == 0 ? n : 0;
}

/* The handle of a module's file is its user's pointer. */
static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file_name, Elf **elf)
{
    (void)module, (void)name, (void)base, (void)file_name;
    memory_note();
    *elf = elf_begin(-1, ELF_C_READ, *user);
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

static bool report(struct session *session, const char *name, Elf *elf, uint64_t start, uint64_t end)
{
    Dwfl_Module *module;
    void **user;

    if (end <= start)
        return true;
    module = dwfl_report_module(session->dwfl, name, start, end);
    if (module == NULL)
        return false;
    dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
    *user = elf;
    return true;
}

static bool report_module(struct session *session, const struct module *module)
{
    const struct elf_file *file = module->file;
    uint64_t end = 0;

    for (size_t i = 0; i < file->n_loads; i++) {
        uint64_t end_of_load = file->loads[i].address + module->bias + file->loads[i].size;

        end = end_of_load > end ? end_of_load : end;
    }
    return report(session, file->name, file->image.elf, (file->loads[0].address + module->bias) & -(uint64_t)PAGE,
                  (end + PAGE - 1) & -(uint64_t)PAGE);
}

static bool report_all(struct session *session, struct stacks *stacks)
{
    const struct modules *modules = session->modules;
    bool good = true;

    dwfl_report_begin(session->dwfl);
    for (size_t i = 0; i < modules->n && good; i++)
        good = report_module(session, &modules->modules[i]);
    if (good && session->vdso_elf != NULL)
        good = report(session, "[vdso]", session->vdso_elf, stacks->vdso_start, stacks->vdso_end);
    return good && dwfl_report_end(session->dwfl, NULL, NULL) == 0;
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
    uint64_t found;

    (void)dwfl;
    memory_note();
    if (!read_through_page(session, address, &found) &&
        process_read(session->process, address, &found, session->word) != READ_OK)
        return false;
    found = word_of(&found, session->word);
    *word = session->word == sizeof found ? without_signature(session, found) : found;
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
    const struct session *session = context;
    const struct thread_registers *registers = &session->registers;
    Dwarf_Word value;

    for (unsigned i = 0; i < registers->n; i++) {
        value = without_signature(session, registers->values[i]);
        if ((registers->known >> i & 1) != 0 && !dwfl_thread_state_registers(thread, (int)i, 1, &value))
            return false;
    }
    value = registers->link_value;
    if (registers->link >= 0 && !dwfl_thread_state_registers(thread, registers->link, 1, &value))
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
    elf_end(session->vdso_elf);
    free(session->vdso);
}

static void find_vdso(struct session *session, struct stacks *stacks)
{
    const struct process *process = session->process;
    uint64_t start = process->core != NULL ? process->core->vdso
                                           : proc_read_auxiliary(process->reader, session->word, AT_SYSINFO_EHDR);
    size_t n = copy_vdso(session, start);

    if (n == 0)
        return;
    stacks->vdso_start = start;
    stacks->vdso_end = start + n;
    session->vdso_elf = WATCHED(elf_memory(session->vdso, n));
}

static bool start_session(struct session *session, struct stacks *stacks)
{
    bool good;

    session->dwfl = dwfl_begin(&callbacks);
    if (session->dwfl == NULL)
        out_of_memory();
    find_vdso(session, stacks);
    good = WATCHED(report_all(session, stacks) && attach(session));
    if (!good)
        end_session(session);
    return good;
}

/* Stacks. */

static void note_extent(struct session *session, Dwfl_Frame *frame)
{
#if HAVE_DWFL_FRAME_REG
    struct stack *stack = session->stack;
    Dwarf_Word value;

    if (session->stack_pointer < 0 || dwfl_frame_reg(frame, (unsigned)session->stack_pointer, &value) != 0)
        return;
    if (stack->low == 0)
        stack->low = value;
    if (value > stack->high)
        stack->high = value;
#else
    (void)session, (void)frame;
#endif
}

static int take_frame(Dwfl_Frame *frame, void *context)
{
    struct session *session = context;
    struct stack *stack = session->stack;
    bool is_activation;
    Dwarf_Addr address;

    if (stack->n == MAX_FRAMES || !dwfl_frame_pc(frame, &address, &is_activation))
        return DWARF_CB_ABORT;
    if (is_activation)
        stack->interrupted = stack->n;
    APPEND(stack->addresses, stack->n, stack->room, is_activation ? address : address - 1);
    note_extent(session, frame);
    return DWARF_CB_OK;
}

/* Does the unwind information say that nobody has called what is there? */
static bool is_outermost(struct session *session, uint64_t address)
{
    Dwarf_Addr bias;
    Dwfl_Module *module = dwfl_addrmodule(session->dwfl, address);
    Dwarf_CFI *cfi = module != NULL ? dwfl_module_eh_cfi(module, &bias) : NULL;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op memory[3], *ops = NULL;
    bool undefined = false;
    size_t n = 1;

    if (cfi == NULL || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0)
        return false;
    if (dwarf_frame_register(frame, dwarf_frame_info(frame, NULL, NULL, NULL), memory, &ops, &n) == 0)
        undefined = n == 0 && ops == memory;
    free(frame);
    return undefined;
}

/* Where a register is missing elfutils ends as if there was no caller. */
static void unwind(struct session *session)
{
    struct stack *stack = session->stack;

    stack->ended = WATCHED(dwfl_getthread_frames(session->dwfl, stack->thread, take_frame, session)) == 0;
    if (session->registers.known != UINT32_MAX)
        stack->ended = stack->ended && stack->n > 0 &&
                       WATCHED(is_outermost(session, stack->addresses[stack->n - 1]));
}

static struct stack *add_stack(struct stacks *stacks, struct session *session, pid_t thread)
{
    APPEND(stacks->stacks, stacks->n, stacks->room, (struct stack){.thread = thread});
    session->stack = &stacks->stacks[stacks->n - 1];
    return session->stack;
}

/*
 * What a thread was stopped in. A wait for another thread that ends after some time too is one that the thread ends by
 * itself. The kernel writes "running", or the number of the call and its six arguments, or -1; and then the stack pointer
 * and the pc, as registers as far as those are known.
 */
static bool read_system_call(struct session *session, pid_t process)
{
    struct stack *stack = session->stack;
    OWNED char *text = proc_read("/proc/%d/task/%d/syscall", (int)process, (int)stack->thread);
    uint64_t words[8] = {0};
    bool waits;
    long number = -1;
    int n = text == NULL ? 0 : sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
                                      " %" SCNx64 " %" SCNx64, &number, &words[0], &words[1], &words[2], &words[3],
                                      &words[4], &words[5], &words[6], &words[7]);

    waits = n > 4 && number == SYS_futex && is_futex_wait(words[1]);
    stack->in_futex = waits && words[3] == 0;
    stack->futex = waits ? words[0] : 0;
    stack->futex_value = stack->futex != 0 ? (uint32_t)words[2] : 0;
    return n >= 3 && thread_registers_of_pointers(&session->registers, session->modules->modules[0].file->machine,
                                                  words[n - 3], words[n - 2]);
}

static void take_stack(struct stacks *stacks, struct session *session, const struct thread *thread)
{
    const struct process *process = session->process;
    bool has_pointers;

    add_stack(stacks, session, thread->id);
    has_pointers = read_system_call(session, process->pid);
    session->signature = thread->signature;
    if (!thread_registers_of_live(&session->registers, session->modules->modules[0].file->machine,
                                  process->registers + thread->registers, thread->n_register_bytes) &&
        (!has_pointers || process->debugger == 0))
        return;
    if (session->registers.thread_pointer == 0)
        session->registers.thread_pointer = thread->pointer;
    session->stack->registers = session->registers;
    unwind(session);
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
    struct stack *stack = add_stack(stacks, session, thread->id);

    if (!thread_registers_of_core(&session->registers, session->process->core, thread))
        return;
    stack->in_futex = session->registers.in_futex;
    stack->futex = session->registers.futex;
    stack->futex_value = session->registers.futex_value;
    stack->registers = session->registers;
    unwind(session);
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

void stacks_take(struct stacks *stacks, struct process *process, const struct modules *modules)
{
    double end = seconds_now() + seconds_to_unwind;
    const struct elf_file *executable = modules->modules[0].file;
    struct session session = {
        .process = process, .modules = modules, .page_start = 1,
        .word = executable->is_64_bit ? sizeof(uint64_t) : sizeof(uint32_t),
        .stack_pointer = stack_pointer_number(executable->machine)};

    stacks_clear(stacks);
    if (!start_session(&session, stacks))
        return;
    stacks->complete = !modules->incomplete;
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
