/*
 * core.h - a core file: a process and the part of its memory that was written.
 *
 * The kernel does not write memory that it has taken from a file and that is unchanged, above all program code. This
 * memory is read from these files, if they are still the same files.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_CORE_H
#define MQD_DUMP_COLLECT_TARGET_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/proc.h"

/* A range of memory whose content is in the core file. */
struct core_segment {
    uint64_t address, size;        /* in memory */
    uint64_t offset, n_bytes;      /* in the core file; n_bytes is at most `size`, often 0 */
    bool executable;
};

/* A range of memory that was mapped from a file. */
struct core_mapping {
    uint64_t start, end;           /* in memory */
    uint64_t offset;               /* in the file */
    char *path;
    bool deleted;                  /* the file's name was gone already when the core was written */
    size_t number;                 /* the same for all mappings of one file */
    struct elf_file *file;         /* from which memory is read that the core lacks; NULL: none */
};

/* A thread, and where its registers are in the core file. */
struct core_thread {
    pid_t id;
    uint64_t registers, n_bytes;
    uint64_t pointer;              /* its thread pointer, of machines that keep it apart from those; 0: not known */
};

/* Where a signal comes from: an error of the program or its own raise(), or another process. */
enum core_sender { SENDER_UNKNOWN, SENDER_ITSELF, SENDER_OTHER };

struct core {
    char *path;
    int descriptor;
    unsigned machine;              /* an EM_ constant of <elf.h> */
    struct core_segment *segments; /* by address */
    size_t n_segments;
    struct core_mapping *mappings; /* by address */
    size_t n_mappings;
    pid_t pid;                     /* 0: unknown */
    int signal;                    /* that ended the process; 0: none did, or unknown */
    enum core_sender sender;       /* of that signal */
    struct core_thread *threads;   /* the one that the signal hit first */
    size_t n_threads, thread_room;
    uint64_t vdso;                 /* the address of the library that the kernel maps; 0: none, or unknown */
    const char *executable;        /* path, one of the mappings'; NULL: unknown */
    struct proc_launch launch;
};

/* What identifies a build of a program or library; *n is at most 64. */
struct core_build_id {
    unsigned char bytes[64];
    size_t n;
};

/* A core file that was opened, perhaps with rights that whoever reads it has no more. */
struct core_source {
    const char *path;              /* for messages */
    int descriptor;                /* -1: it could not be opened */
    char *problem;                 /* why not */
};

/* Opens a file. The path must outlive the source. Release it with core_source_close. */
void core_source_open(struct core_source *source, const char *path);

/* Closes the file, and sets the problem for whoever wants to read it then: a string for free(), which it takes over. */
void core_source_refuse(struct core_source *source, char *problem);
void core_source_close(struct core_source *source);

/*
 * Reads a core file of a 64-bit program of this machine's byte order, through a descriptor of its own. NULL, with the
 * reason in *why, if it is none, or could not be opened.
 */
struct core *core_open(const struct core_source *source, char **why);
void core_close(struct core *core);

/* Reads memory, all of it or none. False if a part is neither in the core nor in a file that was found. */
bool core_read(const struct core *core, uint64_t address, void *buffer, size_t size);

/* Had the process memory there that neither the core nor a file has? */
bool core_lacks(const struct core *core, uint64_t address);

/* Reads memory from the core alone. */
bool core_read_dumped(const struct core *core, uint64_t address, void *buffer, size_t size);

/*
 * Reads the first n words of a thread's registers, as the kernel of the core's machine writes them. False if the thread
 * has fewer, or if they cannot be read.
 */
bool core_read_registers(const struct core *core, const struct core_thread *thread, uint64_t *words, size_t n);

/* Was this range executable? True if the core does not tell: some leave out ranges without content. */
bool core_is_executable(const struct core *core, uint64_t address);

/* The build-id of the program file that is mapped from its start at `start`. False if the core has none. */
bool core_build_id_at(const struct core *core, uint64_t start, struct core_build_id *id);

/* The name of a signal that errors of programs and limits cause, "SIGSEGV"; NULL: it is none of these. */
const char *core_error_name(int signal);

/*
 * Returns the signal that ended the process if an error of the process may be the cause, else 0: users kill a job that
 * hangs to get its cores. Open MPI catches some signals and raises them again itself. So a SIGABRT that a process has
 * raised may be its own or one that somebody has sent: only the stack shows which.
 */
int core_error_signal(const struct core *core);

/* The mapping at an address, NULL if there is none. */
const struct core_mapping *core_find_mapping(const struct core *core, uint64_t address);

/* From now on memory of the mapping that starts at `start` is read from this file, where the core does not have it. */
void core_use_file(struct core *core, uint64_t start, struct elf_file *file);

#endif
