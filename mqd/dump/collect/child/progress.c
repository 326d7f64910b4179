/*
 * progress.c - a line on standard error, if that is a terminal and it takes longer than a second.
 */
#include "mqd/dump/collect/child/progress.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"

static const double patience = 1, least_pause = 0.1;

static bool wanted;
static double start, shown;
static size_t n_shown;             /* columns of the line that is there */

void progress_start(void)
{
    wanted = isatty(STDERR_FILENO);
    start = seconds_now();
    shown = 0;
}

/* Writing to a terminal that is paused (Ctrl-S) would block mqdump while it holds processes. */
static bool takes_text(void)
{
    struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};

    return poll(&terminal, 1, 0) == 1 && (terminal.revents & POLLOUT) != 0;
}

static bool put(const char *text, size_t length)
{
    return takes_text() && write(STDERR_FILENO, text, length) == (ssize_t)length;
}

void progress_show(const char *what, size_t n, size_t of, const char *counted)
{
    char text[80], line[2 + sizeof text];
    double now = seconds_now();
    int length;

    if (!wanted || now < start + patience || now < shown + least_pause)
        return;
    snprintf(text, sizeof text, "mqdump: %s %zu of %zu %s", what, n, of, counted);
    length = snprintf(line, sizeof line, "\r%-*s", (int)n_shown, text);
    shown = now;
    if (put(line, (size_t)length))
        n_shown = (size_t)length - 1;
}

void progress_end(void)
{
    char blank[84];
    int length = snprintf(blank, sizeof blank, "\r%*s\r", (int)n_shown, "");

    if (n_shown > 0)
        put(blank, (size_t)length);
    n_shown = 0;
    wanted = false;
}
