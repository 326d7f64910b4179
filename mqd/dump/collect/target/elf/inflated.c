/*
 * inflated.c - symbols that a library keeps compressed.
 */
#include "mqd/dump/collect/target/elf/inflated.h"

#include <stdint.h>
#include <stdlib.h>

#include "config.h"
#if HAVE_LZMA
#include <lzma.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"

/* Those of the largest libraries have some MiB. The format itself may need as much as it is told. */
enum { MAX_INFLATED = 64 << 20, MAX_MEMORY = 64 << 20, FIRST_ROOM = 64 * 1024 };

static bool inflate(lzma_stream *stream, char **memory, size_t *n_bytes, char **why)
{
    lzma_ret answer = LZMA_OK;
    size_t room = FIRST_ROOM;

    *memory = allocate_array(room, 1);
    do {
        if (*n_bytes == room) {
            if (room >= MAX_INFLATED)
                return set_reason(why, "its section .gnu_debugdata inflates to more than %d MiB", MAX_INFLATED >> 20);
            *memory = grow_array(*memory, *n_bytes, &room, 1);
        }
        stream->next_out = (uint8_t *)*memory + *n_bytes;
        stream->avail_out = room - *n_bytes;
        answer = lzma_code(stream, LZMA_FINISH);
        *n_bytes = room - stream->avail_out;
    } while (answer == LZMA_OK);
    if (answer == LZMA_MEMLIMIT_ERROR)
        return set_reason(why, "its section .gnu_debugdata needs more than %d MiB to be inflated", MAX_MEMORY >> 20);
    return answer == LZMA_STREAM_END || set_reason(why, "its section .gnu_debugdata is broken");
}

char *inflate_xz(const void *compressed, size_t n, size_t *n_bytes, char **why)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    char *memory = NULL;
    bool good;

    *n_bytes = 0;
    stream.next_in = compressed;
    stream.avail_in = n;
    if (lzma_stream_decoder(&stream, MAX_MEMORY, 0) != LZMA_OK) {
        set_reason(why, "there is no memory for its section .gnu_debugdata");
        return NULL;
    }
    good = inflate(&stream, &memory, n_bytes, why);
    lzma_end(&stream);
    if (good)
        return memory;
    free(memory);
    return NULL;
}
#else
char *inflate_xz(const void *compressed, size_t n, size_t *n_bytes, char **why)
{
    (void)compressed, (void)n, (void)n_bytes, (void)why;
    return NULL;
}
#endif
