/*
 * shared.c - memory with several users. What is counted lies before an array.
 */
#include "mqd/dump/base/shared.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

union head {
    size_t n_users;
    max_align_t aligned;
};

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

void *shared_allocate(size_t n, size_t size)
{
    return memset(shared_resize(NULL, n, size), 0, n * size);
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

/* Texts. */

/* Each piece is larger than the one before, since most queues are short, and a few have a million operations. */
enum { FIRST_PIECE = 256, LARGEST_PIECE = 64 * 1024 };

struct piece {
    struct piece *before;
    size_t used, size;
    char bytes[];
};

struct texts {
    size_t n_users, size;
    struct piece *last;
};

static struct piece *add_piece(struct texts *texts, size_t least)
{
    size_t size = texts->last == NULL ? FIRST_PIECE : 2 * texts->last->size;
    struct piece *piece;

    size = size > LARGEST_PIECE ? LARGEST_PIECE : size;
    size = size < least ? least : size;
    piece = allocate_array(1, sizeof *piece + size);
    piece->before = texts->last;
    piece->size = size;
    texts->size += size;
    texts->last = piece;
    return piece;
}

const char *texts_add(struct texts **texts, const char *text, size_t n)
{
    struct piece *piece;
    char *kept;

    if (*texts == NULL) {
        *texts = allocate_array(1, sizeof **texts);
        (*texts)->n_users = 1;
    }
    piece = (*texts)->last;
    if (piece == NULL || piece->size - piece->used <= n)
        piece = add_piece(*texts, n + 1);
    kept = piece->bytes + piece->used;
    memcpy(kept, text, n);
    kept[n] = '\0';
    piece->used += n + 1;
    return kept;
}

size_t texts_size(const struct texts *texts)
{
    return texts != NULL ? texts->size : 0;
}

struct texts *texts_use(struct texts *texts)
{
    if (texts != NULL)
        texts->n_users++;
    return texts;
}

void texts_release(struct texts *texts)
{
    if (texts == NULL || --texts->n_users > 0)
        return;
    for (struct piece *piece = texts->last, *before; piece != NULL; piece = before) {
        before = piece->before;
        free(piece);
    }
    free(texts);
}
