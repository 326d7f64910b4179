/*
 * function_name.c - functions and files as people name them.
 */
#include "mqd/dump/collect/target/elf/function_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/elf/cxx_name.h"

/* More of a symbol is not looked at. */
enum { MAX_LOOKED_AT = 4096 };

/* Functions. */

/* GNU's compiler names a procedure "__halo_MOD_exchange", and one of a submodule "__halo.details_MOD_exchange". */
static const char gnu_module[] = "_MOD_";

/* What compilers add to the names of copies and parts of functions begins with a dot. */
static size_t length_without_suffix(const char *symbol)
{
    size_t all = strnlen(symbol, MAX_LOOKED_AT), length = 0;
    const char *module = strncmp(symbol, "__", 2) == 0 ? memmem(symbol, all, gnu_module, strlen(gnu_module)) : NULL;

    if (module != NULL)
        length = (size_t)(module - symbol);
    while (length < all && symbol[length] != '.')
        length++;
    return length > 0 ? length : all;
}

/* A submodule is named without the module that it belongs to. */
static char *join(const char *module, size_t n_module, const char *name, size_t n_name)
{
    const char *dot = memrchr(module, '.', n_module);
    size_t n_around = dot != NULL ? (size_t)(dot + 1 - module) : 0;

    return format_text("%.*s::%.*s", (int)(n_module - n_around), module + n_around, (int)n_name, name);
}

/* "__halo_MOD_exchange" of GNU's compiler, "halo_mp_exchange_" of Intel's; NULL: it is in no module. */
static char *from_module(const char *symbol, size_t length, bool is_fortran)
{
    static const char intel[] = "_mp_";
    const char *mark;

    if (strncmp(symbol, "__", 2) == 0 &&
        (mark = memmem(symbol, length, gnu_module, strlen(gnu_module))) != NULL && mark > symbol + 2)
        return join(symbol + 2, (size_t)(mark - symbol - 2), mark + strlen(gnu_module),
                    length - (size_t)(mark - symbol) - strlen(gnu_module));
    if (!is_fortran || length == 0 || symbol[length - 1] != '_')
        return NULL;
    mark = memmem(symbol, length - 1, intel, strlen(intel));
    if (mark == NULL || mark == symbol)
        return NULL;
    return join(symbol, (size_t)(mark - symbol), mark + strlen(intel),
                length - (size_t)(mark - symbol) - strlen(intel) - 1);
}

/* Fortran does not tell capitals from small letters: compilers write small ones. */
static bool has_capital(const char *text, size_t length)
{
    return ANY(i, length, isupper((unsigned char)text[i]));
}

/* The symbol of a procedure ends in "_", or in "__" if its name has one. */
static size_t length_in_fortran(const char *symbol, size_t length)
{
    size_t name = length;

    while (name > 0 && length - name < 2 && symbol[name - 1] == '_')
        name--;
    return name > 0 && !has_capital(symbol, length) ? name : length;
}

/*
 * Debug information names functions as the compiler would print them: "__invoke_r<void, main()::<lambda()>&>". Of
 * templates without symbols no arguments are told.
 */
static char *without_arguments(const char *name)
{
    const char *arguments = strncmp(name, "operator", strlen("operator")) != 0 ? strchr(name, '<') : NULL;

    if (arguments == NULL || arguments == name)
        return copy_string(name);
    return format_text("%.*s<...>", (int)(arguments - name), name);
}

static char *shorten(char *name)
{
    size_t length = strlen(name);

    /* A character in UTF-8 goes as a whole. */
    if (length > MAX_SAID_NAME) {
        length = MAX_SAID_NAME - strlen("...");
        while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
            length--;
        strcpy(name + length, "...");
    }
    return name;
}

char *function_said(const char *symbol, bool is_fortran)
{
    size_t length = length_without_suffix(symbol);
    OWNED char *plain = format_text("%.*s", length < MAX_LOOKED_AT ? (int)length : MAX_LOOKED_AT, symbol);
    char *said;

    if (is_fortran && strcmp(plain, "MAIN__") == 0)
        said = copy_string("the main program");
    else if ((said = cxx_name(plain)) == NULL && (said = from_module(plain, strlen(plain), is_fortran)) == NULL)
        said = is_fortran ? format_text("%.*s", (int)length_in_fortran(plain, strlen(plain)), plain)
                          : without_arguments(plain);
    return shorten(said);
}

char *procedure_said(const char *module, const char *name)
{
    size_t n_name = strnlen(name, MAX_LOOKED_AT);

    return shorten(module != NULL ? join(module, strnlen(module, MAX_LOOKED_AT), name, n_name)
                                  : format_text("%.*s", (int)n_name, name));
}

/* Files. */

/* Headers of C++ need not have an ending. */
bool is_header(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".cu", ".f", ".F", ".f90", ".F90"};
    const char *ending = strrchr(name_of_path(path), '.');

    return strstr(path, "/include/") != NULL && (ending == NULL || !IS_ONE_OF(ending, endings));
}

/* "MPI.cpython-311-x86_64-linux-gnu.so", "_native.abi3.so". */
static bool is_python_module(const char *name)
{
    const char *kind = strchr(name, '.');

    return kind != NULL && kind > name &&
           (strncmp(kind, ".cpython-", strlen(".cpython-")) == 0 || strcmp(kind, ".abi3.so") == 0);
}

/* The folder of a module, or that of its package in one of these. *length: 0 if it lies in one of them itself. */
static const char *package_of(const char *path, const char *name, size_t *length)
{
    static const char *const above[] = {"/site-packages/", "/dist-packages/", "/lib-dynload/"};
    const char *start = name, *end = name > path ? name - 1 : path;

    for (size_t i = 0; i < sizeof above / sizeof *above; i++) {
        const char *found = strstr(path, above[i]);

        if (found == NULL)
            continue;
        found += strlen(above[i]);
        *length = found < name ? strcspn(found, "/") : 0;
        return found;
    }
    while (start > path && (start == name || start[-1] != '/'))
        start--;
    *length = (size_t)(end - start);
    return start;
}

/* "mpi4py's MPI". A package is named as programs import it: what is in it may lie deeper. */
static char *python_module(const char *path, const char *name)
{
    size_t n_package;
    const char *package = package_of(path, name, &n_package);
    int length = (int)strcspn(name, ".");

    if (n_package == 0)
        return format_text("%.*s of Python", length, name);
    return format_text("%.*s's %.*s", (int)n_package, package, length, name);
}

/* "python3.11", "libpython3.11.so.1.0", "pypy3". */
static bool is_interpreter(const char *name)
{
    static const char *const names[] = {"python", "libpython", "pypy", "libpypy"};
    const char *rest = name;

    for (size_t i = 0; rest == name && i < sizeof names / sizeof *names; i++)
        rest = without_beginning(name, names[i]);
    if (rest == name)
        return false;
    rest += strspn(rest, "0123456789.-cdm");
    return *rest == '\0' || name_begins_with(rest, "so");
}

char *file_said(const char *path, bool *is_python)
{
    const char *name = name_of_path(path), *end;

    *is_python = is_interpreter(name);
    if (*is_python)
        return copy_string("Python");
    if (is_python_module(name))
        return shorten(python_module(path, name));
    end = strstr(name, ".so");
    if (end != NULL && end[3] != '\0' && end[3] != '.')
        end = NULL;
    return shorten(end != NULL && end > name ? format_text("%.*s", (int)(end - name), name) : copy_string(name));
}
