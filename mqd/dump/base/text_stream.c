/*
 * text_stream.c - a text that is printed into memory.
 */
#include "mqd/dump/base/text_stream.h"

#include <string.h>

#include "mqd/dump/base/memory.h"

void text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){0};
    stream->to = open_memstream(&stream->text, &stream->size);
    if (stream->to == NULL)
        out_of_memory();
}

/* fclose() does not tell if there is no memory for the end of the text. */
char *text_stream_close(struct text_stream *stream)
{
    if (fclose(stream->to) != 0 || stream->text == NULL)
        out_of_memory();
    return stream->text;
}

size_t count_lines(const char *text)
{
    size_t n = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}
