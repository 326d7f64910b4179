/*
 * division.c - which collectors are needed: one for each owner of what is to be read.
 */
#include "mqd/dump/ask/division.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"

/* Takes over the owner. */
static struct owned *part_of(struct division *division, struct owner *owner)
{
    struct owned *part;

    for (size_t i = 0; i < division->n; i++) {
        part = &division->owned[i];
        if (!owners_equal(&part->owner, owner))
            continue;
        owner_join(&part->owner, owner);
        owner_clear(owner);
        return part;
    }
    APPEND(division->owned, division->n, division->room,
           (struct owned){.owner = *owner, .is_other = owner->user != getuid()});
    return &division->owned[division->n - 1];
}

static struct owned *part_of_caller(struct division *division)
{
    struct owner caller = {0};

    owner_of_caller(&caller);
    return part_of(division, &caller);
}

static void add_member(struct owned *part, size_t i)
{
    APPEND(part->members, part->n, part->room, i);
}

/*
 * Of a process that is not there, what is opened in vain says why. If there is one of that number now, it may be
 * anybody's.
 */
static char *why_not_there(struct process_id id)
{
    struct process process;
    char *why = NULL;

    if (process_open(&process, id, true, &why)) {
        process_close(&process);
        why = copy_string("it was not there yet when its owner was asked for");
    }
    return why;
}

/* The start time is read before the owner and compared by the collector: it is the owner of that process. */
static char *divide_process(struct division *division, struct process_id *id, size_t i)
{
    struct owner owner = {0};
    OWNED char *why = NULL;

    if (id->start == 0)
        id->start = proc_read_start_time(id->pid);
    if (id->start == 0)
        return why_not_there(*id);
    if (geteuid() != 0) {
        add_member(part_of_caller(division), i);
        return NULL;
    }
    if (!owner_of_process(&owner, id->pid, &why))
        return proc_read_start_time(id->pid) == id->start ? TAKEN(why) : why_not_there(*id);
    add_member(part_of(division, &owner), i);
    return NULL;
}

void divide_processes(struct division *division, struct process_id *processes, size_t n, char **problems)
{
    *division = (struct division){0};
    for (size_t i = 0; i < n; i++) {
        OWNED char *problem = divide_process(division, &processes[i], i);

        if (problems != NULL)
            problems[i] = TAKEN(problem);
    }
}

/* A file that cannot be found is opened in vain by the caller's collector, which says why. */
static char *divide_core(struct division *division, const char *core, size_t i)
{
    struct owner owner = {0};
    bool good = false, refused = false;
    OWNED char *why = NULL;

    if (geteuid() == 0) {
        good = owner_of_file(&owner, core, &why);
        refused = !good && errno == EPERM;
    }
    if (refused)
        return TAKEN(why);
    add_member(good ? part_of(division, &owner) : part_of_caller(division), i);
    return NULL;
}

void divide_cores(struct division *division, char *const *cores, size_t n, char **problems)
{
    *division = (struct division){0};
    for (size_t i = 0; i < n; i++)
        problems[i] = divide_core(division, cores[i], i);
}

void division_clear(struct division *division)
{
    for (size_t i = 0; i < division->n; i++) {
        owner_clear(&division->owned[i].owner);
        free(division->owned[i].members);
    }
    free(division->owned);
    *division = (struct division){0};
}
