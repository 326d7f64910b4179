/*
 * made_core.h - writes core files for tests, in memory, in the order of these functions.
 */
#ifndef TESTS_UNIT_MADE_CORE_H
#define TESTS_UNIT_MADE_CORE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct made_core {
    unsigned char *bytes;      /* for free() */
    size_t n, room, notes;     /* the notes start there */
    size_t n_parts;            /* so far */
};

/* A mapping of a file; `offset` is in units of NT_FILE. */
struct made_mapping {
    uint64_t start, end, offset;
    const char *path;
};

/* Starts a core of this class and byte order that has room for so many parts of memory. */
void made_core_begin(struct made_core *core, uint16_t machine, uint16_t room);

/* Adds bytes, zeros if `bytes` is NULL, or a note. Both return where they, or the content of the note, start. */
size_t made_core_put(struct made_core *core, const void *bytes, size_t n);
size_t made_core_note(struct made_core *core, const char *name, uint32_t type, const void *content, size_t n);

/* Notes of a thread, of the process, and of its files. */
void made_core_status(struct made_core *core, int32_t thread, int16_t signal, const void *registers, size_t n_bytes);
void made_core_process(struct made_core *core, int32_t pid);
void made_core_files(struct made_core *core, uint64_t unit, const struct made_mapping *mappings, size_t n);
void made_core_end_notes(struct made_core *core);

/* Adds a part of memory with p_filesz bytes of content. Returns where that starts. */
size_t made_core_part(struct made_core *core, Elf64_Phdr part, const void *content);

/* The program headers, of the notes first, until something is added. */
Elf64_Phdr *made_core_headers(const struct made_core *core);

/*
 * What the kernel puts at the start of a program's stack, which is at `address`: pointers to arguments and environment
 * from 0x100 on, the auxiliary vector, the strings, and the program's name at 0x3f0. But two variables have changed
 * places, one is elsewhere, and an argument looks like a variable.
 */
enum { MADE_STACK = 1024, MADE_NAME = 0x3f0 };
void made_stack(unsigned char memory[MADE_STACK], uint64_t address, const void *vector, size_t n_bytes);

#endif
