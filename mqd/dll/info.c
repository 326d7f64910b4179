/* info.c - the list of the DLL's objects for images and processes. */
#include "mqd/dll/info.h"

#include <stdatomic.h>
#include <stddef.h>

#include "mqd/dll/banned.h"

/* A spin lock. It is held for a walk along the list, which has a few hundred items at most. */
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

/* The link of the list that points to the candidate, or its last link, which is NULL. */
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
