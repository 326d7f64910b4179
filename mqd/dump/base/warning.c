/*
 * warning.c - writes warnings and notices to standard error.
 */
#include "mqd/dump/base/warning.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/words.h"

static struct words given;
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

void warning_give(const char *fmt, ...)
{
    va_list list;
    char *text;

    va_start(list, fmt);
    text = format_list(fmt, list);
    va_end(list);
    if (is_one_of(text, (const char *const *)given.words, given.n)) {
        free(text);
        return;
    }
    words_add(&given, text);
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
    return i < given.n ? given.words[i] : NULL;
}

void warnings_clear(void)
{
    words_clear(&given);
}
