/*
 * screen.h - the whole screen of a terminal, while a program shows something there that changes; and its keys.
 *
 * It is the terminal's second screen: what was there before is there again afterwards. The terminal is on standard
 * output. Nothing here handles signals.
 */
#ifndef MQD_DUMP_SHOW_WATCH_SCREEN_H
#define MQD_DUMP_SHOW_WATCH_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum screen_key {
    KEY_OTHER, KEY_QUIT, KEY_LOOK,
    KEY_CLOSED             /* there is no terminal any more */
};

/* Is standard output a terminal that can do this? */
bool screen_is_there(void);

/*
 * Takes the screen, with a blank page; or sets it up again if somebody else has had it meanwhile. A program in the
 * background is stopped until it is in the foreground. exit() gives it back too.
 */
void screen_enter(void);

/* Gives it back as it was. Does nothing if it is not taken. */
void screen_leave(void);

void screen_size(size_t *n_columns, size_t *n_lines);

/* Shows printable lines, which may have styles, from the top. What does not fit is cut. False: it cannot be written. */
bool screen_show(const char *const *lines, size_t n);

/* Where keys come from, to wait for; -1: there are none. */
int screen_input(void);

/* Reads keys that were pressed. Returns how many, at most `room`. */
size_t screen_read_keys(enum screen_key *keys, size_t room);

#endif
