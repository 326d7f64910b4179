/*
 * names.h - adds to what a runtime knows what symbols, source lines and the functions on the stacks tell.
 */
#ifndef MQD_DUMP_COLLECT_OPENMP_NAMES_H
#define MQD_DUMP_COLLECT_OPENMP_NAMES_H

#include "mqd/dump/collect/openmp/facts.h"
#include "mqd/dump/collect/target/modules.h"
#include "mqd/dump/collect/target/process.h"
#include "mqd/dump/collect/target/stack/known_place.h"
#include "mqd/dump/collect/target/stack/unwind.h"

/*
 * Is the code at an address, which lies in this module, an OpenMP runtime's? Of a static one only the symbols tell it
 * from the program's. NULL: it is no file's code.
 */
bool is_openmp_code(const struct modules *modules, const struct module *module, uint64_t address);

/* The process may run again, or have ended. */
void openmp_name(struct openmp *openmp, const struct process *process, const struct modules *modules,
                 const struct stacks *stacks, struct place_cache *cache);

#endif
