/*
 * number.h - numbers as people read them.
 */
#ifndef MQD_DUMP_BASE_NUMBER_H
#define MQD_DUMP_BASE_NUMBER_H

/* Returns the number with a comma between thousands, "99,990", for free(). */
char *number_text(long number) __attribute__((returns_nonnull, warn_unused_result));

#endif
