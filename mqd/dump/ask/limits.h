/*
 * limits.h - what a collector may spend, as users say it.
 */
#ifndef MQD_DUMP_LIMITS_H
#define MQD_DUMP_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/child/confine.h"
#include "mqd/dump/look/wish.h"

/*
 * Reads "memory=SIZE", "cpu=SECONDS", "time=SECONDS" or "host=SECONDS"; "none" is no limit. False, with the reason in
 * *why, if it is none of these.
 */
bool limit_read(struct limit_choice *choice, const char *text, char **why);

/*
 * What a collector of n processes or cores may spend, and the seconds after which it is given up; 0: no limit. A
 * question takes less than a look.
 */
struct limits limits_of(const struct limit_choice *choice, size_t n, bool is_other);
struct limits limits_of_question(const struct limit_choice *choice, size_t n, bool is_other);
double limit_seconds(const struct limit_choice *choice, size_t n);

/* The seconds after which another machine is given up, and the bytes that its answer may need here; 0: no limit. */
double limit_host_seconds(const struct limit_choice *choice);
uint64_t limit_host_memory(const struct limit_choice *choice);

/* The bytes that the answers of all machines may need: half of what this one has; 0: no limit, or that is not known. */
uint64_t limit_all_memory(const struct limit_choice *choice);

#endif
