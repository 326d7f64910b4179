/*
 * thread_registers.c - the registers of a thread, by the numbers that an unwinder uses.
 *
 * A core may come from any 64-bit machine of this byte order. So this file uses no structure of this machine's headers,
 * only the numbers of machines.
 */
#include "mqd/dump/collect/target/stack/thread_registers.h"

#include <elf.h>
#include <string.h>

#include "mqd/dump/base/number.h"

enum { MAX_WORDS = 48, NO_WORD = 255 };

/* Where the kernel writes each register, in words (the elf_gregset_t of each machine). */
struct machine {
    unsigned number;                       /* an EM_ constant */
    unsigned word_size;                    /* bytes */
    unsigned n_words;                      /* that are read */
    unsigned n;
    unsigned char words[MAX_REGISTERS];    /* of the registers from 0 on */
    unsigned char pc, link;                /* NO_WORD: it has none */
    unsigned char pointer_word;            /* the thread pointer; NO_WORD: it is not among these registers */
    int link_register, stack_register;
    /*
     * If a thread is in a system call, this instruction is before its pc, one word has the number of the call, and
     * others its first four arguments, which for a futex are where it is, what is done, what it has as long as the
     * thread waits, and how long that may be.
     */
    unsigned char call_word, futex_word, operation_word, value_word, timeout_word; /* NO_WORD: that is not kept */
    unsigned char call_size, call[4];
    uint64_t futex;                        /* the system call */
};

/*
 * The pc is one of x86's numbered registers: how to unwind a stub that calls another library (.plt) depends on where in
 * it the thread is, and without that the stack seems to end there.
 */
static const struct machine machines[] = {
    {.number = EM_X86_64, .word_size = 8, .n_words = 22, .n = 17,
     .words = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16},
     .pc = 16, .link = NO_WORD, .pointer_word = 21, .link_register = -1, .stack_register = 7, .call_word = 15,
     .futex_word = 14, .operation_word = 13, .value_word = 12, .timeout_word = 7, .call_size = 2, .call = {0x0f, 0x05},
     .futex = 202},
    {.number = EM_AARCH64, .word_size = 8, .n_words = 33, .n = 32,
     .words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
               27, 28, 29, 30, 31},
     .pc = 32, .link = NO_WORD, .pointer_word = NO_WORD, .link_register = -1, .stack_register = 31, .call_word = 8,
     .futex_word = NO_WORD, .operation_word = 1, .timeout_word = 3, .call_size = 4, .call = {0x01, 0x00, 0x00, 0xd4},
     .futex = 98},
    {.number = EM_PPC64, .word_size = 8, .n_words = 37, .n = 32,
     .words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
               27, 28, 29, 30, 31},
     .pc = 32, .link = 36, .pointer_word = 13, .link_register = 65, .stack_register = 1, .call_word = NO_WORD},
    {.number = EM_S390, .word_size = 8, .n_words = 19, .n = 16,
     .words = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17},
     .pc = 1, .link = NO_WORD, .pointer_word = 18, .link_register = -1, .stack_register = 15, .call_word = NO_WORD},
    {.number = EM_RISCV, .word_size = 8, .n_words = 32, .n = 32,
     .words = {NO_WORD, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
               27, 28, 29, 30, 31},
     .pc = 0, .link = NO_WORD, .pointer_word = 4, .link_register = -1, .stack_register = 2, .call_word = NO_WORD},
    {.number = EM_386, .word_size = 4, .n_words = 17, .n = 9, .words = {6, 1, 2, 0, 15, 5, 3, 4, 12},
     .pc = 12, .link = NO_WORD, .pointer_word = NO_WORD, .link_register = -1, .stack_register = 4,
     .call_word = NO_WORD},
    {.number = EM_ARM, .word_size = 4, .n_words = 18, .n = 16,
     .words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .pc = 15, .link = NO_WORD, .pointer_word = NO_WORD, .link_register = -1, .stack_register = 13,
     .call_word = NO_WORD},
    {.number = EM_PPC, .word_size = 4, .n_words = 37, .n = 32,
     .words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
               27, 28, 29, 30, 31},
     .pc = 32, .link = 36, .pointer_word = NO_WORD, .link_register = 65, .stack_register = 1, .call_word = NO_WORD},
};

static const struct machine *find_machine(unsigned number)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].number == number)
            return &machines[i];
    return NULL;
}

static bool is_in_system_call(const struct machine *machine, const struct core *core, uint64_t pc, uint64_t call)
{
    unsigned char instruction[sizeof machine->call];

    return machine->call_word != NO_WORD && (int64_t)call >= 0 && pc >= machine->call_size &&
           core_read(core, pc - machine->call_size, instruction, machine->call_size) &&
           memcmp(instruction, machine->call, machine->call_size) == 0;
}

static void choose_words(struct thread_registers *registers, const struct machine *machine, const uint64_t *words)
{
    *registers = (struct thread_registers){.n = machine->n, .known = UINT32_MAX, .link = machine->link_register,
                                           .pc = words[machine->pc]};
    for (size_t i = 0; i < machine->n; i++)
        registers->values[i] = machine->words[i] != NO_WORD ? words[machine->words[i]] : 0;
    if (machine->link != NO_WORD)
        registers->link_value = words[machine->link];
    if (machine->pointer_word != NO_WORD)
        registers->thread_pointer = words[machine->pointer_word];
}

bool is_futex_wait(uint64_t operation)
{
    /* FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI, _LOCK_PI2; what is added tells of the kind of memory. */
    enum { WAITS = 1 << 0 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 13, N_OPERATIONS = 128 };
    uint64_t plain = operation % N_OPERATIONS;

    return plain < 32 && (WAITS >> plain & 1) != 0;
}

bool thread_registers_of_core(struct thread_registers *registers, const struct core *core,
                              const struct core_thread *thread)
{
    const struct machine *machine = find_machine(core->machine);
    uint64_t words[MAX_WORDS] = {0}, call;

    if (machine == NULL || machine->word_size != sizeof *words ||
        !core_read_registers(core, thread, words, machine->n_words))
        return false;
    choose_words(registers, machine, words);
    if (machine->pointer_word == NO_WORD)
        registers->thread_pointer = thread->pointer;
    call = machine->call_word != NO_WORD ? words[machine->call_word] : 0;
    if (is_in_system_call(machine, core, registers->pc, call)) {
        bool waits = call == machine->futex && is_futex_wait(words[machine->operation_word]);

        registers->in_futex = waits && words[machine->timeout_word] == 0;
        if (waits && machine->futex_word != NO_WORD) {
            registers->futex = words[machine->futex_word];
            registers->futex_value = (uint32_t)words[machine->value_word];
        }
    }
    return true;
}

bool thread_registers_of_live(struct thread_registers *registers, unsigned machine, const void *bytes, size_t n)
{
    const struct machine *found = find_machine(machine);
    uint64_t words[MAX_WORDS] = {0};

    if (found == NULL || n < found->n_words * found->word_size)
        return false;
    for (size_t i = 0; i < found->n_words; i++)
        words[i] = word_of((const char *)bytes + i * found->word_size, found->word_size);
    choose_words(registers, found, words);
    return true;
}

bool thread_registers_of_pointers(struct thread_registers *registers, unsigned machine, uint64_t stack_pointer,
                                  uint64_t pc)
{
    const struct machine *found = find_machine(machine);

    if (found == NULL)
        return false;
    *registers = (struct thread_registers){.n = found->n, .link = -1, .pc = pc};
    for (size_t i = 0; i < found->n; i++) {
        if ((int)i != found->stack_register && found->words[i] != found->pc)
            continue;
        registers->values[i] = (int)i == found->stack_register ? stack_pointer : pc;
        registers->known |= UINT32_C(1) << i;
    }
    return true;
}

int stack_pointer_number(unsigned machine)
{
    const struct machine *found = find_machine(machine);

    return found != NULL ? found->stack_register : -1;
}
