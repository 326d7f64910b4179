/* ahead.c - reads ahead in lists whose elements lie near one another. */
#include "mqd/dll/ucx/ahead.h"

#include <string.h>

#include "mqd/dll/banned.h"

#define PAGE_BYTES ((size_t)4096)

static bool has(const struct mqd_block *block, mqd_taddr ta, size_t n)
{
    return block->n > 0 && ta >= block->ta && ta + n <= block->ta + block->n;
}

/* The block that was read before the newest is kept too: a list may go to and fro across the end of a block. */
static const struct mqd_block *find(const struct mqd_ahead *ahead, mqd_taddr ta, size_t n)
{
    if (has(&ahead->blocks[0], ta, n))
        return &ahead->blocks[0];
    return has(&ahead->blocks[1], ta, n) ? &ahead->blocks[1] : NULL;
}

/* A fetch near the last one is larger than that; one that is far away begins anew. */
static size_t next_window(const struct mqd_ahead *ahead, mqd_taddr ta)
{
    mqd_taddr last_ta = ahead->blocks[0].ta;

    if (ahead->window == 0 || (ta > last_ta ? ta - last_ta : last_ta - ta) > 2 * MQD_AHEAD_BYTES)
        return 2 * PAGE_BYTES;
    return ahead->window < MQD_AHEAD_BYTES ? 2 * ahead->window : MQD_AHEAD_BYTES;
}

/* Fetches the window that the bytes lie in; around them, if they lie across the end of one. */
static enum mqd_rc fetch(struct mqd_process *process, struct mqd_ahead *ahead, mqd_taddr ta, size_t n)
{
    size_t window = next_window(ahead, ta);
    struct mqd_block block = ahead->blocks[1];
    mqd_taddr start = ta - ta % window;

    if (ta + n > start + window)
        start += window / 2;
    if (block.bytes == NULL)
        block.bytes = dbgr_alloc(MQD_AHEAD_BYTES);
    if (block.bytes == NULL)
        return MQD_RC_no_memory;
    ahead->blocks[1] = ahead->blocks[0];
    ahead->blocks[0] = (struct mqd_block){.ta = start, .bytes = block.bytes};
    if (dbgr_fetch(&process->debugger, start, window, block.bytes) != MQD_OK) {
        ahead->window = PAGE_BYTES;
        return MQD_RC_unreadable;
    }
    ahead->blocks[0].n = ahead->window = window;
    return MQD_OK;
}

enum mqd_rc mqd_ahead_read(struct mqd_process *process, struct mqd_ahead *ahead, mqd_taddr ta, size_t n,
                           void *buffer)
{
    const struct mqd_block *block;
    enum mqd_rc rc;

    if (n == 0 || n > PAGE_BYTES || ta > UINT64_MAX - 2 * MQD_AHEAD_BYTES)
        return MQD_RC_unreadable;
    block = find(ahead, ta, n);
    if (block == NULL) {
        rc = fetch(process, ahead, ta, n);
        /* Readable memory may end within the window. */
        if (rc != MQD_OK)
            return rc == MQD_RC_unreadable ? mqd_read(process, ta, n, buffer) : rc;
        block = &ahead->blocks[0];
    }
    memcpy(buffer, block->bytes + (ta - block->ta), n);
    return MQD_OK;
}

void mqd_ahead_release(struct mqd_ahead *ahead)
{
    for (size_t i = 0; i < sizeof ahead->blocks / sizeof ahead->blocks[0]; i++)
        dbgr_release(ahead->blocks[i].bytes);
    *ahead = (struct mqd_ahead){.window = 0};
}
