/*
 * operation_parts.c - the structures that tell of an operation.
 */
#include "mqd/dump/record/operation_parts.h"

#include <string.h>

#include "mqd/dump/record/fields.h"

enum { N_OF_MQD = 2 };             /* come first: all that MQD 1.0 knows */

size_t operation_parts(const struct queue *queue, size_t first, size_t n, bool described,
                       struct operation_part parts[MAX_OPERATION_PARTS])
{
    mqs_pending_operation *operations = queue->operations + first;
    struct mqd_operation_description none, *facts = described ? queue->facts + first : &none;
    struct extra no_extra, *extras = described ? queue->extras + first : &no_extra;
    const struct operation_part all[] = {
        {NULL, &operation_fields, {(char *)operations, sizeof *operations, n}},
        {"extra_text", &extra_text_fields, {(char *)operations, sizeof *operations, n}},
        {NULL, &facts_fields, {(char *)facts, sizeof *facts, n}},
        {"peer", &process_name_fields, {(char *)&facts->peer, sizeof *facts, n}},
        {NULL, &extra_fields, {(char *)extras, sizeof *extras, n}},
        {"found_at", &process_name_fields, {(char *)&extras->found_at, sizeof *extras, n}},
        {"unknown", &unknown_fields, {(char *)&extras->unknown, sizeof *extras, n}},
    };
    _Static_assert(sizeof all / sizeof *all == MAX_OPERATION_PARTS, "all parts");

    memcpy(parts, all, sizeof all);
    return described ? MAX_OPERATION_PARTS : N_OF_MQD;
}
