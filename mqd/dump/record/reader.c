/*
 * reader.c - a record that is being read, for those who read its lines.
 */
#include "mqd/dump/record/reader.h"

#include <stdlib.h>

#include "mqd/dump/base/reason.h"
#include "mqd/dump/record/text.h"

bool record_reference_read(const json_t *object, const char *key, size_t n, size_t *number, char **why)
{
    const json_t *value = json_object_get(object, key);
    char *reason = NULL;
    uint64_t found;

    if (value != NULL && n > 0 && unsigned_read(value, n - 1, &found, &reason)) {
        *number = (size_t)found;
        return true;
    }
    set_reason(why, "\"%s\" names nothing that came before", key);
    free(reason);
    return false;
}
