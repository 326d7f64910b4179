/*
 * sort.h - what sorting and searching need besides qsort and bsearch.
 */
#ifndef MQD_DUMP_BASE_SORT_H
#define MQD_DUMP_BASE_SORT_H

#include <stdint.h>
#include <stdlib.h>

/*
 * How two numbers are ordered: below 0, 0, or above 0. Each is evaluated twice. What is ordered by several things in
 * turn is compared by ORDER(a->x, b->x) ?: strcmp(a->name, b->name) ?: ORDER(a->y, b->y).
 */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* qsort and bsearch, which an empty array's NULL must not be given to. In C23 bsearch keeps the const of the array. */
static inline void sort_array(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
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

#define SORT(array, n, compare) sort_array((array), (n), sizeof *(array), (compare))

#endif
