/*
 * fail_call.h - what the program that lets calls of a command fail shares with the library that lets allocations fail.
 */
#ifndef TESTS_LIVE_FAIL_CALL_H
#define TESTS_LIVE_FAIL_CALL_H

#include <stdatomic.h>
#include <stdbool.h>

/* The environment variable that names the file in which a struct fail_page is. */
#define FAIL_PAGE "MQD_TEST_FAIL"

enum { TAKEN = -1 };

/* Calls are counted together over all processes of the command. */
struct fail_page {
    atomic_bool started;       /* the command's own code runs: nothing before is counted */
    atomic_ulong n_calls;      /* of the kind, so far */
    unsigned long first;       /* the call that fails, from 1 */
    bool on;                   /* all that follow fail, too */
    bool memory;               /* allocations are meant */
    bool trace;                /* the library writes to standard error where an allocation fails */
    atomic_int listener;       /* the child's descriptor that tells of calls; 0: none yet, TAKEN afterwards */
};

/* Counts a call, and says whether it is to fail. */
static inline bool fail_next(struct fail_page *page)
{
    unsigned long n;

    if (!atomic_load(&page->started))
        return false;
    n = atomic_fetch_add(&page->n_calls, 1) + 1;
    return n == page->first || (page->on && n > page->first);
}

#endif
