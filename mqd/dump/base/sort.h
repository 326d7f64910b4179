/*
 * sort.h - what sorting and searching need besides qsort and bsearch.
 */
#ifndef MQD_DUMP_BASE_SORT_H
#define MQD_DUMP_BASE_SORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * How two numbers are ordered: below 0, 0, or above 0. Each is evaluated twice. What is ordered by several things in
 * turn is compared by ORDER(a->x, b->x) ?: strcmp(a->name, b->name) ?: ORDER(a->y, b->y).
 */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* A function that compares two elements, *x and *y: COMPARATOR(compare_jobs, struct job, ORDER(x->user, y->user)). */
#define COMPARATOR(name, type, ...)                                                                                    \
    static int name(const void *name##_a, const void *name##_b)                                                        \
    {                                                                                                                  \
        const __typeof__(type) *x = name##_a, *y = name##_b;                                                           \
                                                                                                                       \
        return __VA_ARGS__;                                                                                            \
    }

/* Is something true of one of n elements? ANY(i, job->n, job->ranks[i].pid == pid). */
#define ANY(i, n, ...)                                                                                                 \
    __extension__({                                                                                                    \
        bool i##_found = false;                                                                                        \
        for (size_t i = 0; i < (n) && !i##_found; i++)                                                                 \
            i##_found = (__VA_ARGS__);                                                                                 \
        i##_found;                                                                                                     \
    })

/* How many of the first elements are in order. */
static inline size_t count_in_order(const void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    const char *element = array;
    size_t i = 1;

    for (; i < n && compare(element, element + size) <= 0; i++)
        element += size;
    return i;
}

/*
 * qsort and bsearch, which an empty array's NULL must not be given to. qsort compares, copies and allocates much also
 * where there is nothing to do, as with operations that were found in order. In C23 bsearch keeps the const of the array.
 */
static inline void sort_array(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1 && count_in_order(array, n, size, compare) < n)
        qsort(array, n, size, compare);
}
static inline void *search_array(const void *key, const void *array, size_t n, size_t size,
                                 int (*compare)(const void *, const void *))
{
    return n > 0 ? (void *)(uintptr_t)bsearch(key, array, n, size, compare) : NULL;
}

/* The position of the first element of a sorted array that is not below the key, n if all are; compare(key, element). */
static inline size_t search_first(const void *key, const void *array, size_t n, size_t size,
                                  int (*compare)(const void *, const void *))
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(key, (const char *)array + middle * size) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Things that begin with an address, as their first member, of type uint64_t. */
static inline uint64_t start_of(const void *thing)
{
    uint64_t start;

    memcpy(&start, thing, sizeof start);
    return start;
}
static inline int compare_starts(const void *a, const void *b)
{
    return ORDER(start_of(a), start_of(b));
}
static inline int is_above_start(const void *address, const void *thing)
{
    return start_of(thing) <= *(const uint64_t *)address;
}

/* How many of n things of `size` bytes, sorted by their addresses, have this address or a lower one. */
static inline size_t count_up_to(uint64_t address, const void *things, size_t n, size_t size)
{
    return search_first(&address, things, n, size, is_above_start);
}

#define SORT(array, n, compare) sort_array((array), (n), sizeof *(array), (compare))

#endif
