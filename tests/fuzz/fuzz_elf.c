/*
 * fuzz_elf.c - program, library and debug files of all kinds are read: symbols, types, source lines, unwinding tables.
 *
 * The files that the others are made of are the sample, compiled in several ways (FUZZ_SAMPLES).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/elf_file.h"
#include "mqd/dump/collect/target/elf/types.h"
#include "tests/fuzz/fuzz.h"

static char *program_path, *debug_path;
static struct input stripped;          /* the sample without symbols and types, which are in a file of their own */

/* What is asked for. */

static const char *const type_names[] = {
    "list_t", "node", "struct node", "opal_object_t", "ompi_request_t", "struct ompi_request_t", "kind", "unknown_t",
    "int", "long int", "char", "uint64_t", "missing"};
static const char *const member_names[] = {
    "next", "word", "low", "high", "real", "flags", "name", "kind", "obj_class", "super", "list", "complete",
    "missing"};
static const char *const symbol_names[] = {
    "PMPI_Recv", "MPI_Recv", "sample_request", "ompi_mpi_communicators", "exchange", "after", "missing"};

/* What was found, so that a sample of which nothing is found is noticed. */
static unsigned n_types_found, n_lines_found;

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void use_types(struct elf_file *file)
{
    for (size_t i = 0; i < N_OF(type_names); i++) {
        const char *declared = NULL;
        mqs_type *type = elf_file_find_type(file, type_names[i], i % 2 != 0, &declared);

        if (declared != NULL)
            (void)elf_file_find_type(file, declared, true, &declared);
        if (type == NULL)
            continue;
        n_types_found++;
        if (type_size(type) < -1)
            fuzz_fail("type %s has %d bytes", type_names[i], type_size(type));
        for (size_t k = 0; k < N_OF(member_names); k++)
            if (type_member_offset(type, member_names[k]) < -1)
                fuzz_fail("member %s is at %d", member_names[k], type_member_offset(type, member_names[k]));
    }
}

static void use_place(struct elf_file *file, uint64_t address)
{
    struct source_place source;
    uint64_t offset;
    const char *function = elf_file_find_function(file, address, &offset);

    elf_file_find_source(file, address, &source);
    n_lines_found += function != NULL && source.path != NULL && source.line > 0;
    /* Names are strings: valgrind and the sanitizers see whether they are there. */
    if ((function != NULL && strlen(function) == SIZE_MAX) || (source.path != NULL && strlen(source.path) == SIZE_MAX))
        fuzz_fail("the source file at %#lx is %s", (unsigned long)address, source.path);
    for (size_t i = 0; i < source.n_inlined; i++)
        if ((source.inlined[i].function != NULL && strlen(source.inlined[i].function) == SIZE_MAX) ||
            (source.inlined[i].source != NULL && strlen(source.inlined[i].source) == SIZE_MAX))
            fuzz_fail("a function at %#lx has no end", (unsigned long)address);
    (void)elf_file_can_unwind(file, address);
}

static void use_symbols(struct elf_file *file)
{
    for (size_t i = 0; i < N_OF(symbol_names); i++)
        for (int local = 0; local < 2; local++) {
            const struct symbol *symbol = symbols_find(&file->symbols, symbol_names[i], local != 0);

            if (symbol != NULL)
                use_place(file, symbol->value + 4);
        }
}

static void use_parts(struct elf_file *file)
{
    unsigned char bytes[64];

    for (size_t i = 0; i < file->n_loads && i < 64; i++) {
        const struct elf_load *load = &file->loads[i];

        (void)elf_file_read(file, load->offset, bytes, sizeof bytes);
        use_place(file, load->address);
        use_place(file, load->address + load->size / 2);
        use_place(file, load->address + load->size - 1);
    }
    for (size_t i = 0; i < file->n_needed; i++)
        if (strlen(file->needed[i]) == SIZE_MAX)
            abort();
    if (strlen(file->needed_as) == SIZE_MAX)
        abort();
    if (file->image.build_id != NULL)
        free(build_id_text(file->image.build_id, file->image.n_build_id));
    (void)elf_file_has_name(file, "_Recv");
    (void)elf_file_has_string(file, "sample.c");
    (void)elf_file_read(file, UINT64_MAX - 8, bytes, sizeof bytes);
}

static void use(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    char *why = NULL;
    struct elf_file *file = elf_file_open(descriptor, &(struct file_source){.path = path}, true, &why);

    if (file != NULL) {
        use_symbols(file);
        use_parts(file);
        use_types(file);
        use_place(file, 0);
        use_place(file, UINT64_MAX);
    }
    elf_file_close(file);
    free(why);
    warnings_clear();
}

/* As a program; or as the separate debug information of one that is as it should be. */
static void run(const unsigned char *bytes, size_t n)
{
    bool separate = n > 0 && bytes[n / 2] % 4 == 0 && stripped.n > 0;

    (void)unlink(debug_path);
    fuzz_write(program_path, separate ? stripped.bytes : bytes, separate ? stripped.n : n);
    if (separate)
        fuzz_write(debug_path, bytes, n);
    use(program_path);
}

/* A fuzzer that finds nothing in what is right tests nothing. */
static void check_sample(const struct input *first)
{
    static const unsigned n_types = 6, n_lines = 4;

    fuzz_write(program_path, first->bytes, first->n);
    use(program_path);
    if (n_types_found < n_types || n_lines_found < n_lines)
        fuzz_fail("of the first sample only %u types and %u source lines are found", n_types_found, n_lines_found);
}

static void begin(void)
{
    const char *list = getenv("FUZZ_SAMPLES");
    char *names = copy_string(list != NULL ? list : ""), *rest = NULL, *folder;

    unsetenv("DEBUGINFOD_URLS");
    program_path = format_text("%s/libsample.so", fuzz_directory());
    folder = format_text("%s/.debug", fuzz_directory());
    debug_path = format_text("%s/sample.debug", folder);
    if (mkdir(folder, 0700) != 0)
        fuzz_fail("%s cannot be made", folder);
    free(folder);
    for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        struct input sample = fuzz_read(name);

        if (name == names)
            check_sample(&sample);
        fuzz_add(sample.bytes, sample.n);
        if (strstr(name, "stripped") != NULL)
            stripped = sample;
        else
            free(sample.bytes);
    }
    free(names);
}

int main(int argc, char **argv)
{
    const struct harness harness = {.name = "elf", .begin = begin, .mutate = mutate_elf, .run = run};

    return fuzz_main(&harness, argc, argv);
}
