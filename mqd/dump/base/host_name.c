/*
 * host_name.c - is a text the name of a machine, that may become an argument of a command?
 */
#include "mqd/dump/base/host_name.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

/* isalnum() would ask the locale, in which more are letters. */
#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Elsewhere commands give a colon a meaning: pdsh takes what is before it for the way to reach the machine. */
static bool may_have_colons(const char *name)
{
    struct in6_addr address;

    return inet_pton(AF_INET6, name, &address) == 1;
}

bool host_name_is_valid(const char *name)
{
    size_t length = strspn(name, ALPHANUMERIC "._:-");

    if (strchr(name, ':') != NULL && !may_have_colons(name))
        return false;
    return strspn(name, ALPHANUMERIC) > 0 && name[length] == '\0' && length <= MAX_HOST_NAME;
}
