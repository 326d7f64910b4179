/*
 * text_stream.h - a text that is printed into memory.
 */
#ifndef MQD_DUMP_BASE_TEXT_STREAM_H
#define MQD_DUMP_BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

struct text_stream {
    FILE *to;              /* what is printed here is the text */
    char *text;            /* after text_stream_close, for free() */
    size_t size;           /* its bytes, without the NUL at its end */
};

/* If there is no memory these call out_of_memory. */
static inline void text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){0};
    stream->to = open_memstream(&stream->text, &stream->size);
    if (stream->to == NULL)
        out_of_memory();
}

/* Returns the text. fclose() does not tell if there is no memory for its end. */
static inline char *text_stream_close(struct text_stream *stream)
{
    if (fclose(stream->to) != 0 || stream->text == NULL)
        out_of_memory();
    return stream->text;
}

/* What is printed to `text_to`, as a text for free(): TEXT_OF(stacks_print(text_to, listings, n)). */
#define TEXT_OF(...)                                                                                                   \
    __extension__({                                                                                                    \
        struct text_stream text_printed;                                                                               \
        text_stream_open(&text_printed);                                                                               \
        FILE *text_to = text_printed.to;                                                                               \
        __VA_ARGS__;                                                                                                   \
        text_stream_close(&text_printed);                                                                              \
    })

/* The next line of a text without its end, for free(); moves behind it. NULL: there is none. */
static inline char *take_line(const char **text)
{
    size_t length = strcspn(*text, "\n");
    char *line = **text != '\0' ? format_text("%.*s", (int)length, *text) : NULL;

    *text += length + ((*text)[length] != '\0');
    return line;
}

/* How many lines of a text are ended. */
static inline size_t count_lines(const char *text)
{
    size_t n = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        n++;
    return n;
}

#endif
