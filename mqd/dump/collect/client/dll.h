/*
 * dll.h - a debug DLL that is loaded, and what it offers.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_DLL_H
#define MQD_DUMP_COLLECT_CLIENT_DLL_H

#include <stdbool.h>
#include <stddef.h>

#include "include/mpi_interface.h"
#include "include/mqd_extension.h"

/* The functions that a debug DLL must have, without "mqs_". */
#define DLL_ENTRIES(ENTRY)                                                                                            \
    ENTRY(setup_basic_callbacks) ENTRY(version_string) ENTRY(version_compatibility) ENTRY(dll_taddr_width)            \
    ENTRY(dll_error_string) ENTRY(setup_image) ENTRY(image_has_queues) ENTRY(destroy_image_info)                      \
    ENTRY(setup_process) ENTRY(process_has_queues) ENTRY(destroy_process_info) ENTRY(update_communicator_list)        \
    ENTRY(setup_communicator_iterator) ENTRY(get_communicator) ENTRY(get_comm_group) ENTRY(next_communicator)         \
    ENTRY(setup_operation_iterator) ENTRY(next_operation)

struct dll {
    void *handle;
#define DLL_MEMBER(name) __typeof__(mqs_##name) *name;
    DLL_ENTRIES(DLL_MEMBER)
#undef DLL_MEMBER
    const struct mqd_extension_v1 *extension; /* beyond MQD; NULL where the DLL does not offer it */
};

/* Has the DLL this function of the extension? The older a DLL the shorter is its table. Up to describe_limit all have. */
#define DLL_OFFERS(dll, function)                                                                                     \
    ((dll)->extension != NULL &&                                                                                      \
     (dll)->extension->size >= offsetof(struct mqd_extension_v1, function) + sizeof (dll)->extension->function &&     \
     (dll)->extension->function != NULL)

/*
 * Loads a debug DLL and checks that it has the same interface. A name without a slash is a file in the current
 * directory. Returns false, with the reason in *why, if this fails, or if others than root and the caller may have put
 * the file there.
 */
bool dll_open(struct dll *dll, const char *file, char **why);
void dll_close(struct dll *dll);

/* The DLL's text for one of its codes, for free(). */
char *dll_explain(const struct dll *dll, int code);

/*
 * Keeps the first of its codes that tells of a failure: *error is the DLL's text for it, for free(), *reason what the
 * extension says of it. dll_note sets the reason alone, before another text is set.
 */
void dll_fail(const struct dll *dll, int code, char **error, int *reason);
void dll_note(const struct dll *dll, int code, const char *error, int *reason);

/*
 * Expands a DLL's message, which is a format for printf: replaces the first %s by the image's name, and %% by %. Does
 * nothing else of printf. The result is for free().
 */
char *dll_expand_message(const char *message, const char *image_name);

#endif
