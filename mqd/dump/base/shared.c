/*
 * shared.c - arrays with several users. What is counted lies before the array.
 */
#include "mqd/dump/base/shared.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"

union head {
    size_t n_users;
    max_align_t aligned;
};

void *shared_allocate(size_t n, size_t size)
{
    union head *head;

    if (size != 0 && n > (SIZE_MAX - sizeof *head) / size)
        out_of_memory();
    head = allocate_array(1, sizeof *head + n * size);
    head->n_users = 1;
    return head + 1;
}

void *shared_resize(void *array, size_t n, size_t size)
{
    union head *head = array != NULL ? (union head *)array - 1 : NULL;

    if (size != 0 && n > (SIZE_MAX - sizeof *head) / size)
        out_of_memory();
    head = realloc(head, sizeof *head + n * size);
    if (head == NULL)
        out_of_memory();
    head->n_users = 1;
    return head + 1;
}

bool shared_has_others(const void *array)
{
    return array != NULL && ((const union head *)array)[-1].n_users > 1;
}

void *shared_use(void *array)
{
    if (array != NULL)
        ((union head *)array)[-1].n_users++;
    return array;
}

void shared_release(void *array)
{
    if (array != NULL && --((union head *)array)[-1].n_users == 0)
        free((union head *)array - 1);
}
