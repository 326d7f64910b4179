/* info.c - the list of all that hangs on the debugger's images and processes. */
#include "mqd/dll/info.h"

#include <stdatomic.h>
#include <stddef.h>

#include "mqd/dll/banned.h"

/* Held for a walk along the list, a few hundred items at most: nobody waits long enough to sleep. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct mqd_info *infos;

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        continue;
}

static void leave(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* Where the list has the candidate; where it ends if it has not. */
static struct mqd_info **place_of(const void *candidate)
{
    struct mqd_info **place = &infos;

    while (*place != NULL && *place != candidate)
        place = &(*place)->next;
    return place;
}

void mqd_info_add(struct mqd_info *info, const void *owner)
{
    info->owner = owner;
    enter();
    info->next = infos;
    infos = info;
    leave();
}

bool mqd_info_remove(const void *candidate)
{
    struct mqd_info **place;
    bool found;

    if (candidate == NULL)
        return false;
    enter();
    place = place_of(candidate);
    found = *place != NULL;
    if (found)
        *place = (*place)->next;
    leave();
    return found;
}

bool mqd_info_belongs(const void *candidate, const void *owner)
{
    struct mqd_info **place;
    bool found;

    if (candidate == NULL)
        return false;
    enter();
    place = place_of(candidate);
    found = *place != NULL && (*place)->owner == owner;
    leave();
    return found;
}
