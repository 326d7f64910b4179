/*
 * json_memory.h - memory of jansson.
 */
#ifndef MQD_DUMP_RECORD_JSON_MEMORY_H
#define MQD_DUMP_RECORD_JSON_MEMORY_H

/* Ends the program with a message where jansson gets no memory: else it would only seem to have made a value. */
void json_memory_set(void);

#endif
