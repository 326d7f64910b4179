/*
 * abi.h - the predefined handles: their names, and their numbers in the ABI that MPI 5.0 defines (libmpi_abi).
 */
#ifndef MQD_DLL_HANDLE_ABI_H
#define MQD_DLL_HANDLE_ABI_H

#include <stdint.h>

#include "include/mqd_extension.h"
#include "mqd/dll/debugger.h"

/* Values below are those of predefined handles, which are the same in C and as integers. */
enum { MQD_ABI_FIRST_OWN = 16385 };

struct mqd_abi_handle {
    uint32_t value;
    enum mqd_handle_kind kind;
    uint32_t fortran;        /* its INTEGER in Open MPI's Fortran */
    const char *name;
};

/* The predefined handle with a value, of a kind with that INTEGER, or of a kind with that name. NULL: there is none. */
const struct mqd_abi_handle *mqd_abi_handle(mqd_taddr value);
const struct mqd_abi_handle *mqd_abi_handle_at(enum mqd_handle_kind kind, long fortran);
const struct mqd_abi_handle *mqd_abi_handle_named(enum mqd_handle_kind kind, const char *name);

#endif
