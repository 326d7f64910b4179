/*
 * debug_server.h - debug information from the servers that the user has named (debuginfod).
 */
#ifndef MQD_DUMP_COLLECT_TARGET_DEBUG_SERVER_H
#define MQD_DUMP_COLLECT_TARGET_DEBUG_SERVER_H

#include <stddef.h>

/*
 * Asks the servers of DEBUGINFOD_URLS for the debug information with that build-id, of the file at `path`. Returns an
 * open file, -1 if there is none. After a slow answer the servers are not asked again.
 */
int debug_server_ask(const void *build_id, size_t n, const char *path);

#endif
