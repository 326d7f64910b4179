/*
 * attack_files WHAT FILE [ARGUMENT...]: writes a file that is to harm who reads it; tests/live/attacks.py maps it.
 *
 *   linked LINK           a library whose debug information is said to be in LINK
 *   bare LINK             the same without a build-id
 *   debug                 what belongs to both
 *   sections NAME FLAGS CONTENT...   sections of this content, which is in files
 *   structure NAME        a structure that has itself as members
 *   split PATH            units whose types are in another file
 *   alternate PATH        names that are in another file
 *   claims                debug information that is said to be inflated to 8 GiB
 *   suffixes N            symbols of which each has the rest of the name of the one before
 *   parts N               the loaded part is listed so often
 */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/made_elf.h"

enum { NAMES_BEHIND = 1000 * 1000, N_ID = 20 };

static const unsigned char id[N_ID] = "the attacker's";

static char *content_of(const char *path, size_t *n)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    char *content = NULL;

    if (file != NULL && fstat(fileno(file), &info) == 0)
        content = malloc((size_t)info.st_size + 1);
    *n = content != NULL ? fread(content, 1, (size_t)info.st_size, file) : 0;
    if (content == NULL || fclose(file) != 0) {
        fprintf(stderr, "attack_files: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return content;
}

static void add_sections(struct made_elf *elf, char **arguments, int n)
{
    for (int i = 0; i + 2 < n; i += 3) {
        size_t size;
        char *content = content_of(arguments[i + 2], &size);

        made_elf_section(elf, arguments[i], SHT_PROGBITS, strtoul(arguments[i + 1], NULL, 0), content, size);
        free(content);
    }
}

static bool add(struct made_elf *elf, const char *what, char **arguments, int n)
{
    if (strcmp(what, "debug") == 0)
        made_elf_symbol(elf, "from_debug_file", 64);
    else if (strcmp(what, "claims") == 0)
        hostile_elf_inflating_section(elf);
    else if (strcmp(what, "sections") == 0)
        add_sections(elf, arguments, n);
    else if (n != 1)
        return false;
    else if (strcmp(what, "linked") == 0 || strcmp(what, "bare") == 0)
        made_elf_debug_link(elf, arguments[0]);
    else if (strcmp(what, "structure") == 0)
        hostile_elf_own_structure(elf, arguments[0]);
    else if (strcmp(what, "split") == 0)
        hostile_elf_split_unit(elf, arguments[0]);
    else if (strcmp(what, "alternate") == 0)
        hostile_elf_alternate_name(elf, arguments[0], N_ID);
    else if (strcmp(what, "suffixes") == 0)
        hostile_elf_suffix_symbols(elf, (uint32_t)atoi(arguments[0]), (uint32_t)atoi(arguments[0]) + NAMES_BEHIND);
    else if (strcmp(what, "parts") == 0)
        made_elf_parts(elf, (uint16_t)atoi(arguments[0]));
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct made_elf *elf = made_elf_begin();

    if (argc >= 3 && strcmp(argv[1], "bare") != 0)
        made_elf_build_id(elf, id, sizeof id);
    if (argc < 3 || !add(elf, argv[1], argv + 3, argc - 3)) {
        fputs("attack_files: see the start of its source\n", stderr);
        return 2;
    }
    made_elf_write(elf, argv[2]);
    return 0;
}
