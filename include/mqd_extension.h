/*
 * mqd_extension.h - what the debug DLL of ompi-mqd offers beyond MQD 1.0.
 *
 * A debugger that has loaded the DLL looks for the symbol `ompi_mqd_extension` and asks it for a version. Tables only
 * grow: a field is used if the table's size says that it is there. All strings are the DLL's.
 */
#ifndef MQD_EXTENSION_H
#define MQD_EXTENSION_H

#include "mpi_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MQD_EXTENSION_VERSION = 1 };

/* What the listing of a process rests on. Strings are NUL-terminated; a string that is not known is "". */
struct mqd_layout_summary {
    char openmpi[64];        /* the version that the process states, "4.1.4" */
    char family[32];         /* releases that the chosen table is for, "4.1.0-4.1.8"; "" if no table was chosen */
    char variant[64];        /* the table's variant, words joined by a space, "release" */
    char source[16];         /* "table+live", "live", "table" or "mixed"; "" while nothing is resolved */
    char rejected[64];       /* the type by which the debugger's types were found to be another build's, and were not
                                used; "" if they were, or if there are none */
};

/* What MQD 1.0 does not tell of a communicator. */
struct mqd_communicator_summary {
    int internal;            /* not 0: Open MPI's own, listed on request only */
    long remote_size;        /* processes in the remote group of an intercommunicator; 0: it is none */
    /*
     * How many receives (probes included) and sends the process has started on it, modulo 2^32. Two looks that find the
     * same numbers have the same operations before them, where addresses of requests may be in use again.
     */
    int has_activity;        /* not 0: they are known */
    unsigned long n_receives, n_sends;
};

struct mqd_extension_v1 {
    size_t size;             /* of this table in bytes */
    const char *version;     /* of the DLL, "0.1.0" */

    /*
     * Fills *summary for a process that mqs_setup_process has seen. mqs_ok, or a code: the reason why no layout is in
     * force yet; *summary is filled all the same, as far as known.
     */
    int (*describe_layout)(mqs_process *process, struct mqd_layout_summary *summary);

    /*
     * Whether operations of Open MPI's own (collectives, communicator creation: negative tags) and its hidden
     * communicators are listed: not 0 lists them. Takes effect at the next mqs_update_communicator_list.
     */
    int (*show_internal)(mqs_process *process, int show);

    /* Of the communicator that mqs_get_communicator tells: mqs_ok, or a code, and *summary is untouched. */
    int (*describe_communicator)(mqs_process *process, struct mqd_communicator_summary *summary);
};

/* The table of that version, NULL if this DLL does not have it. It lives as long as the DLL is loaded. */
MQS_ENTRY const struct mqd_extension_v1 *ompi_mqd_extension(int version);

#ifdef __cplusplus
}
#endif

#endif
