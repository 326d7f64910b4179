/*
 * screen.c - the whole screen of a terminal.
 */
#include "mqd/dump/show/watch/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/text_stream.h"

/* Where the size is not known. */
enum { DEFAULT_COLUMNS = 80, DEFAULT_LINES = 24 };

/*
 * Lines do not go on in the next one: what is too long is cut. The page is erased before the screen is given back: on a
 * terminal that has no second screen it would stay, with the shell's next line in it.
 */
static const char take[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J",
                  give[] = "\033[0m\033[H\033[2J\033[?7h\033[?25h\033[?1049l",
                  home[] = "\033[H", blank_line[] = "\033[0m\033[K";

static struct {
    bool taken, has_settings, minds_end;
    struct termios before;
    pid_t owner;                   /* a child of this program does not give back what it has not taken */
} screen;

bool screen_is_there(void)
{
    const char *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

static bool write_all(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t length = write(STDOUT_FILENO, text, n);

        if (length < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        else if (length < 0 && errno != EINTR)
            return false;
        if (length > 0) {
            text += length;
            n -= (size_t)length;
        }
    }
    return true;
}

/* Whoever does so in the background is stopped by SIGTTOU, unless that is blocked. */
static void set_settings(const struct termios *settings)
{
    while (tcsetattr(STDOUT_FILENO, TCSANOW, settings) != 0 && errno == EINTR)
        continue;
}

/*
 * The signal does not stop a group that has no shell any more: nobody will bring that to the foreground, and it ends.
 */
static void await_foreground(void)
{
    enum { TRIES = 50 };
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    pid_t group;

    for (int i = 0; (group = tcgetpgrp(STDOUT_FILENO)) > 0 && group != getpgrp(); i++) {
        if (raise(SIGTTOU) != 0)
            return;
        if (i == TRIES)
            exit(EXIT_FAILURE);
        nanosleep(&pause, NULL);
    }
}

/* Ctrl-S would keep the program from ending. Signals of keys stay. */
static void set_up(void)
{
    struct termios own = screen.before;

    own.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    own.c_iflag &= ~(tcflag_t)IXON;
    own.c_cc[VMIN] = 1;
    own.c_cc[VTIME] = 0;
    set_settings(&own);
}

void screen_enter(void)
{
    struct sigaction now;

    if (sigaction(SIGTTOU, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        await_foreground();
    if (!screen.taken)
        screen.has_settings = tcgetattr(STDOUT_FILENO, &screen.before) == 0;
    screen.owner = getpid();
    if (!screen.minds_end)
        screen.minds_end = atexit(screen_leave) == 0;
    screen.taken = true;
    if (screen.has_settings)
        set_up();
    write_all(take, sizeof take - 1);
}

/* What was typed was meant for this program. */
void screen_leave(void)
{
    sigset_t stop, before;

    if (!screen.taken || screen.owner != getpid())
        return;
    screen.taken = false;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stop, &before);
    write_all(give, sizeof give - 1);
    if (screen.has_settings) {
        tcflush(STDOUT_FILENO, TCIFLUSH);
        set_settings(&screen.before);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void screen_size(size_t *n_columns, size_t *n_lines)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    *n_columns = size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
    *n_lines = size.ws_row > 0 ? size.ws_row : DEFAULT_LINES;
}

/*
 * In one piece, so that no half of a page is seen. A line is erased before it is written: after one that is as long as
 * the screen the last character would be.
 */
bool screen_show(const char *const *lines, size_t n)
{
    size_t n_columns, n_lines;
    struct text_stream stream;
    OWNED char *text = NULL;

    screen_size(&n_columns, &n_lines);
    text_stream_open(&stream);
    fputs(home, stream.to);
    for (size_t i = 0; i < n_lines; i++)
        fprintf(stream.to, "%s%s%s", i > 0 ? "\r\n" : "", blank_line, i < n ? lines[i] : "");
    text = text_stream_close(&stream);
    return write_all(text, stream.size);
}

int screen_input(void)
{
    return screen.taken && isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
}

/* Some keys send sequences: F2 may be ESC O Q, which is not Q. Returns how many bytes the first one takes. */
static size_t sequence_length(const char *bytes, size_t n)
{
    size_t length = 2;

    if (n < 3 || bytes[0] != '\033' || (bytes[1] != '[' && bytes[1] != 'O'))
        return 1;
    while (length < n - 1 && bytes[length] >= 0x20 && bytes[length] < 0x40)
        length++;
    return length + 1;
}

static enum screen_key key_of(char first)
{
    return first == 'q' || first == 'Q' || first == '\004' ? KEY_QUIT : first == ' ' ? KEY_LOOK : KEY_OTHER;
}

size_t screen_read_keys(enum screen_key *keys, size_t room)
{
    char bytes[64];
    ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
    size_t n = 0;

    if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) {
        keys[0] = KEY_CLOSED;
        return 1;
    }
    for (size_t at = 0; length > 0 && at < (size_t)length && n < room;
         at += sequence_length(bytes + at, (size_t)length - at))
        keys[n++] = key_of(bytes[at]);
    return n;
}
