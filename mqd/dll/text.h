/*
 * text.h - texts from the target, and for the user.
 */
#ifndef MQD_DLL_TEXT_H
#define MQD_DLL_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies at most n_from bytes, up to a NUL, into n_room > 0 bytes, and terminates them. A text that does not fit is
 * cut. A text that just fits may have been cut by Open MPI. The copy never ends with a part of a UTF-8 character.
 * Returns how many bytes come before the NUL.
 */
size_t mqd_copy_text(char *to, size_t n_room, const char *from, size_t n_from);

/* A text that is put together in n_room bytes. It is always terminated; what does not fit is cut as above. */
struct mqd_line {
    char *text;
    size_t n, n_room;
};
struct mqd_line mqd_line_in(char *text, size_t n_room);
void mqd_add(struct mqd_line *line, const char *text);
void mqd_add_number(struct mqd_line *line, uint64_t number);
void mqd_add_address(struct mqd_line *line, uint64_t address); /* hexadecimal, 0x in front */

/*
 * Makes a text from the target safe for a printf format and a single line: replaces everything but letters, digits and
 * .+-_ by question marks.
 */
void mqd_make_harmless(char *text);

#endif
