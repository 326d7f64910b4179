/*
 * fork_origin.c - whether a process is a copy of another.
 */
#include "mqd/dump/collect/job/fork_origin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/collect/target/active_library.h"

enum { N_RANDOM_BYTES = 16 };

/* Returns the address of the random bytes that the kernel gives each program at its start; 0 if it is not known. */
static uint64_t random_address(pid_t pid, size_t word)
{
    size_t size;
    OWNED char *bytes = proc_read(pid, "auxv", &size);

    for (size_t at = 0; bytes != NULL && at + 2 * word <= size; at += 2 * word) {
        uint64_t key = 0, value = 0;

        if (word == sizeof(uint32_t)) {
            key = ((const uint32_t *)(const void *)bytes)[at / word];
            value = ((const uint32_t *)(const void *)bytes)[at / word + 1];
        } else {
            key = ((const uint64_t *)(const void *)bytes)[at / word];
            value = ((const uint64_t *)(const void *)bytes)[at / word + 1];
        }
        if (key == AT_RANDOM && value != 0)
            return value;
    }
    return 0;
}

static bool run_the_same_program(struct process *a, struct process *b, size_t word)
{
    uint64_t address = random_address(a->reader, word);
    unsigned char of_a[N_RANDOM_BYTES], of_b[N_RANDOM_BYTES];

    return address != 0 && random_address(b->reader, word) == address &&
           process_read(a, address, of_a, sizeof of_a) == READ_OK &&
           process_read(b, address, of_b, sizeof of_b) == READ_OK && memcmp(of_a, of_b, sizeof of_a) == 0;
}

pid_t fork_origin_find(const struct modules *modules, struct process *process)
{
    size_t word = elf_file_is_64_bit(modules->modules[0].file) ? sizeof(uint64_t) : sizeof(uint32_t);
    RELEASED_BY(process_close) struct process parent = {.memory = -1};
    struct proc_status status;

    if (!proc_read_status(process->reader, &status) || status.parent <= 0)
        return 0;
    parent.pid = parent.reader = status.parent;
    return run_the_same_program(process, &parent, word) && active_library_was_initialised(modules, &parent)
               ? status.parent : 0;
}
