/*
 * text.h - texts from the target, and for the user.
 */
#ifndef MQD_DLL_TEXT_H
#define MQD_DLL_TEXT_H

#include <stddef.h>

/*
 * Copies at most n_from bytes, up to a NUL, into n_room > 0 bytes, terminated; a text that does not fit is cut where a
 * UTF-8 character begins.
 */
void mqd_copy_text(char *to, size_t n_room, const char *from, size_t n_from);

/* snprintf for integers and strings, cut in the same way. */
void mqd_format(char *to, size_t n_room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Makes a text from the target fit for a printf format and a single line: anything but letters, digits and .+-_ is
   replaced by a question mark. */
void mqd_make_harmless(char *text);

#endif
