/*
 * text_stream.h - a text that is printed into memory.
 */
#ifndef MQD_DUMP_BASE_TEXT_STREAM_H
#define MQD_DUMP_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

struct text_stream {
    FILE *to;              /* what is printed here is the text */
    char *text;            /* after text_stream_close, for free() */
    size_t size;           /* its bytes, without the NUL at its end */
};

/* If there is no memory these call out_of_memory. text_stream_close returns the text. */
void text_stream_open(struct text_stream *stream);
char *text_stream_close(struct text_stream *stream) __attribute__((returns_nonnull));

/* How many lines of a text are ended. */
size_t count_lines(const char *text);

#endif
