/*
 * symbols.c - the symbols that a file defines.
 */
#include "mqd/dump/collect/target/elf/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/elf/elf_image.h"

/* Reading. */

/* Thread-local symbols have no address; absolute ones are mostly version names. */
static bool is_place(const GElf_Sym *symbol)
{
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_NOTYPE:
    case STT_OBJECT:
    case STT_FUNC:
    case STT_COMMON:
    case STT_GNU_IFUNC:
        return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
    default:
        return false;
    }
}

/* An end that is no address is below all of them. */
static uint64_t end_of_section(Elf *elf, size_t number)
{
    GElf_Shdr header;

    return gelf_getshdr(elf_getscn(elf, number), &header) != NULL ? header.sh_addr + header.sh_size : 0;
}

/* The first symbol of a name stays. */
static void add(struct symbols *symbols, Elf *elf, const char *name, const GElf_Sym *symbol)
{
    unsigned char binding = GELF_ST_BIND(symbol->st_info);

    name_index_add(binding == STB_LOCAL ? &symbols->local_names : &symbols->names, name, (uint32_t)symbols->n);
    APPEND(symbols->symbols, symbols->n, symbols->room,
           (struct symbol){.name = name, .value = symbol->st_value, .size = symbol->st_size, .binding = binding,
                           .section_end = symbol->st_size == 0 ? end_of_section(elf, symbol->st_shndx) : 0});
}

bool symbols_add(struct symbols *symbols, Elf *elf, uint32_t type)
{
    GElf_Shdr header;
    const char *names;
    Elf_Data *data;
    GElf_Sym symbol;
    size_t n;

    data = WATCHED(elf_getdata(section_of_type(elf, type, &header), NULL));
    names = data != NULL ? section_names(elf, header.sh_link, &n) : NULL;
    for (int i = 1; names != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = symbol.st_name < n ? names + symbol.st_name : "";

        if (*name != '\0' && is_place(&symbol))
            add(symbols, elf, name, &symbol);
    }
    return names != NULL;
}

void symbols_clear(struct symbols *symbols)
{
    name_index_clear(&symbols->names);
    name_index_clear(&symbols->local_names);
    FREE_ALL(symbols->symbols, symbols->by_address);
    *symbols = (struct symbols){0};
}

/* By name. */

const struct symbol *symbols_find(const struct symbols *symbols, const char *name, bool local)
{
    uint32_t position;

    if (!name_index_find(local ? &symbols->local_names : &symbols->names, name, &position))
        return NULL;
    return &symbols->symbols[position];
}

/* By address. */

/* Of one value a global symbol comes last, then the smallest, then the first. */
static int compare_places(const void *a, const void *b)
{
    const struct symbol *x = ((const struct symbol_place *)a)->symbol, *y = ((const struct symbol_place *)b)->symbol;

    return ORDER(x->value, y->value) ?: ORDER(x->binding == STB_GLOBAL, y->binding == STB_GLOBAL) ?:
           ORDER(y->size, x->size) ?: ORDER(y, x);
}

static uint64_t end_of(const struct symbol *symbol)
{
    return symbol->size < UINT64_MAX - symbol->value ? symbol->value + symbol->size : UINT64_MAX;
}

static void sort(struct symbols *symbols)
{
    uint64_t highest = 0;

    symbols->by_address = allocate_array(symbols->n, sizeof *symbols->by_address);
    for (size_t i = 0; i < symbols->n; i++)
        symbols->by_address[i] = (struct symbol_place){symbols->symbols[i].value, 0, &symbols->symbols[i]};
    SORT(symbols->by_address, symbols->n, compare_places);
    for (size_t i = 0; i < symbols->n; i++) {
        uint64_t end = end_of(symbols->by_address[i].symbol);

        highest = end > highest ? end : highest;
        symbols->by_address[i].highest_end = highest;
    }
}

/* The nearest one before an address that reaches it, and a local one only if no other does. */
static const struct symbol *find_sized(const struct symbols *symbols, size_t n, uint64_t address)
{
    const struct symbol *local = NULL;

    for (size_t i = n; i > 0 && symbols->by_address[i - 1].highest_end > address; i--) {
        const struct symbol *symbol = symbols->by_address[i - 1].symbol;

        if (end_of(symbol) <= address)
            continue;
        if (symbol->binding != STB_LOCAL)
            return symbol;
        local = local != NULL ? local : symbol;
    }
    return local;
}

/*
 * Code in assembly has labels without sizes. The last one of the section counts if no symbol with a size ends behind
 * it.
 */
static const struct symbol *find_label(const struct symbols *symbols, size_t n, uint64_t address)
{
    const struct symbol *label = symbols->by_address[n - 1].symbol;
    uint64_t highest_end = symbols->by_address[n - 1].highest_end;

    return label->size == 0 && label->value >= highest_end && address < label->section_end ? label : NULL;
}

const struct symbol *symbols_at(struct symbols *symbols, uint64_t address)
{
    const struct symbol *found;
    size_t n;

    if (symbols->n == 0)
        return NULL;
    if (symbols->by_address == NULL)
        sort(symbols);
    n = count_up_to(address, symbols->by_address, symbols->n, sizeof *symbols->by_address);
    found = find_sized(symbols, n, address);
    return found != NULL || n == 0 ? found : find_label(symbols, n, address);
}
