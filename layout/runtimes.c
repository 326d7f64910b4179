/* runtimes.c - the tables of the runtimes of OpenMP. */
#include "layout/runtimes.h"

#include <string.h>

#include "layout/places.h"

static const struct {
    const struct mqd_table *const *tables;
    const size_t *n_tables;
} of_library[MQD_N_LIBRARIES] = {
    [MQD_LIBRARY_gomp] = {mqd_gomp_tables, &mqd_n_gomp_tables},
    [MQD_LIBRARY_kmp] = {mqd_kmp_tables, &mqd_n_kmp_tables},
};

const struct mqd_table *mqd_next_runtime_table(enum mqd_library library, const char *arch,
                                               const struct mqd_table *previous)
{
    const struct mqd_table *const *tables = of_library[library].tables;
    size_t i = 0, n = *of_library[library].n_tables;

    if (previous != NULL) {
        while (i < n && tables[i] != previous)
            i++;
        i++;
    }
    while (i < n && strcmp(tables[i]->arch, arch) != 0)
        i++;
    return i < n ? tables[i] : NULL;
}

bool mqd_family_has_major(const struct mqd_table *table, unsigned major)
{
    unsigned first[3], last[3];

    return mqd_parse_version(table->first, first) && mqd_parse_version(table->last, last) && first[0] <= major &&
           major <= last[0];
}
