/*
 * file_seal.c - whether files that processes name may be opened and read now.
 */
#include "mqd/dump/base/file_seal.h"

#include "mqd/dump/base/reason.h"

static bool is_sealed;
static size_t n_refused;

void file_seal_set(bool sealed)
{
    is_sealed = sealed;
}

bool file_seal_refuses(char **why)
{
    if (!is_sealed)
        return false;
    n_refused++;
    set_reason(why, "it is not opened while processes are held");
    return true;
}

size_t file_seal_n_refused(void)
{
    return n_refused;
}
