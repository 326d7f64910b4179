/*
 * dll.h - a debug DLL that is loaded, and what it offers.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_DLL_H
#define MQD_DUMP_COLLECT_CLIENT_DLL_H

#include <stdbool.h>
#include <stddef.h>

#include "include/mpi_interface.h"
#include "include/mqd_extension.h"

struct dll {
    void *handle;
    void (*setup_basic_callbacks)(const mqs_basic_callbacks *);
    char *(*version_string)(void);
    int (*version_compatibility)(void);
    int (*taddr_width)(void);
    char *(*error_string)(int);
    int (*setup_image)(mqs_image *, const mqs_image_callbacks *);
    int (*image_has_queues)(mqs_image *, char **);
    void (*destroy_image_info)(mqs_image_info *);
    int (*setup_process)(mqs_process *, const mqs_process_callbacks *);
    int (*process_has_queues)(mqs_process *, char **);
    void (*destroy_process_info)(mqs_process_info *);
    int (*update_communicator_list)(mqs_process *);
    int (*setup_communicator_iterator)(mqs_process *);
    int (*get_communicator)(mqs_process *, mqs_communicator *);
    int (*get_comm_group)(mqs_process *, int *);
    int (*next_communicator)(mqs_process *);
    int (*setup_operation_iterator)(mqs_process *, int);
    int (*next_operation)(mqs_process *, mqs_pending_operation *);

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
 * Expands a DLL's message, which is a format for printf: replaces the first %s by the image's name, and %% by %. Does
 * nothing else of printf. The result is for free().
 */
char *dll_expand_message(const char *message, const char *image_name);

#endif
