/*
 * scope.h - what the communicator of a collective call's messages is to the call.
 */
#ifndef MQD_DUMP_VERDICT_SCOPE_H
#define MQD_DUMP_VERDICT_SCOPE_H

#include "mqd/dump/verdict/attendance.h"

/* The most that is known. */
enum scope {
    SCOPE_UNKNOWN,         /* the call may be on another one: the library makes communicators for windows and files */
    SCOPE_FILE,            /* it is the call's file's, which may use others too */
    SCOPE_CALL             /* the call is on it, or on its window */
};

/* What is known of all ranks of a gathering. */
enum scope gathering_scope(const struct attendances *attendances, const struct model *model, size_t gathering);

#endif
