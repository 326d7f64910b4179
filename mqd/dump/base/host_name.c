/*
 * host_name.c - is a text the name of a machine, that may become an argument of a command?
 */
#include "mqd/dump/base/host_name.h"

#include <string.h>

/* isalnum() would ask the locale, in which more are letters. */
#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

bool host_name_is_valid(const char *name)
{
    size_t length = strspn(name, ALPHANUMERIC "._:-");

    return strspn(name, ALPHANUMERIC) > 0 && name[length] == '\0' && length <= MAX_HOST_NAME;
}
