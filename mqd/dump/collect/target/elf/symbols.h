/*
 * symbols.h - the symbols that a file defines: by name, and by address.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_SYMBOLS_H
#define MQD_DUMP_COLLECT_TARGET_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/base/hash.h"

struct symbol {
    const char *name;          /* lives as long as the ELF handle that it was read from */
    uint64_t value, size;      /* as linked; size 0: not known */
    uint64_t section_end;      /* of a symbol without a size */
    unsigned char binding;     /* STB_LOCAL and so on */
};

struct symbol_place {
    uint64_t value;            /* as the symbol's */
    uint64_t highest_end;      /* of the symbols up to it */
    const struct symbol *symbol;
};

/* Zeroed, there are none. */
struct symbols {
    struct symbol *symbols;
    size_t n, room;
    struct name_index names;   /* to positions in `symbols` */
    struct name_index local_names;
    struct symbol_place *by_address;   /* sorted by value, the best of one value last; NULL: nobody has asked */
};

/*
 * Adds the symbols of the first section of that type (SHT_SYMTAB, SHT_DYNSYM). Returns false if it has none. All tables
 * must be added before symbols are searched.
 */
bool symbols_add(struct symbols *symbols, Elf *elf, uint32_t type);
void symbols_clear(struct symbols *symbols);

/* A local symbol, or one that is not, of that name; the first one. NULL if there is none. */
const struct symbol *symbols_find(const struct symbols *symbols, const char *name, bool local);

/*
 * The symbol at an address: the nearest before it whose size reaches it, rather none that is local; else a label
 * without a size that follows all that end before. NULL if there is none.
 */
const struct symbol *symbols_at(struct symbols *symbols, uint64_t address);

#endif
