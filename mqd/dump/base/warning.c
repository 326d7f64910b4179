/*
 * warning.c - writes warnings and notices to standard error.
 */
#include "mqd/dump/base/warning.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"

static struct {
    char **texts;
    size_t n, room;
} given;

static bool kept;

void warnings_keep(void)
{
    kept = true;
}

static void say(const char *before, const char *text)
{
    OWNED char *line = printable(text, 0);

    fprintf(stderr, "mqdump: %s%s\n", before, line);
}

static bool was_given(const char *text)
{
    for (size_t i = 0; i < given.n; i++)
        if (strcmp(given.texts[i], text) == 0)
            return true;
    return false;
}

void warning_give(const char *fmt, ...)
{
    va_list list;
    char *text;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    if (was_given(text)) {
        free(text);
        return;
    }
    APPEND(given.texts, given.n, given.room, text);
    if (!kept)
        say("warning: ", text);
}

void notice_give(const char *fmt, ...)
{
    va_list list;
    OWNED char *text = NULL;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    say("", text);
}

void message_pass(const char *text)
{
    OWNED char *line = printable(text, 0);

    fprintf(stderr, "%s\n", line);
}

const char *warning_given(size_t i)
{
    return i < given.n ? given.texts[i] : NULL;
}

void warnings_clear(void)
{
    for (size_t i = 0; i < given.n; i++)
        free(given.texts[i]);
    free(given.texts);
    memset(&given, 0, sizeof given);
}
