/* info.c - the list of the DLL's objects for images and processes. */
#include "mqd/dll/info.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "mqd/dll/banned.h"

/*
 * A spin lock: the process whose thread holds it, or 0. It is held for a walk along the list, which has a few hundred
 * items at most. After fork the child has no such thread, but a copy of the lock, which it takes over. The list is
 * whole at any moment: each change is one pointer.
 */
static _Atomic pid_t holder;
static struct mqd_info *infos;

static void enter(void)
{
    pid_t self = getpid(), seen = 0;

    while (!atomic_compare_exchange_weak_explicit(&holder, &seen, self, memory_order_acquire, memory_order_relaxed))
        if (seen == self)
            seen = 0;
}

static void leave(void)
{
    atomic_store_explicit(&holder, 0, memory_order_release);
}

/* The link of the list that points to the candidate, or its last link, which is NULL. */
static struct mqd_info **place_of(const void *candidate)
{
    struct mqd_info **place = &infos;

    while (*place != NULL && *place != candidate)
        place = &(*place)->next;
    return place;
}

void mqd_info_add(struct mqd_info *info, const void *owner, enum mqd_info_kind kind)
{
    info->owner = owner;
    info->kind = kind;
    enter();
    info->next = infos;
    atomic_thread_fence(memory_order_release);
    infos = info;
    leave();
}

bool mqd_info_remove(const void *candidate, enum mqd_info_kind kind)
{
    struct mqd_info **place;
    bool found;

    enter();
    place = place_of(candidate);
    found = *place != NULL && (*place)->kind == kind;
    if (found)
        *place = (*place)->next;
    leave();
    return found;
}

bool mqd_info_is(const void *candidate, enum mqd_info_kind kind)
{
    const struct mqd_info *info;
    bool is;

    enter();
    info = *place_of(candidate);
    is = info != NULL && info->kind == kind;
    leave();
    return is;
}

struct mqd_info *mqd_info_of(const void *owner, enum mqd_info_kind kind)
{
    struct mqd_info *info;

    enter();
    for (info = infos; info != NULL && (info->owner != owner || info->kind != kind); info = info->next)
        continue;
    leave();
    return info;
}
