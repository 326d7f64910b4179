/*
 * like.h - lines of a record as differences to earlier lines of their kind: ranks of a job have most in common.
 *
 * {"line": "rank", "like": 2, ...} is the last but one line of its kind with these differences: a member that is null is
 * not there; of one that is an object in both, the differences follow; any other is in place of the earlier one. An
 * object in place of a list has differences of some of its elements, by their positions: {"0": {...}}.
 */
#ifndef MQD_DUMP_RECORD_LIKE_H
#define MQD_DUMP_RECORD_LIKE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* So many lines of each kind may be referred to, and there are so many kinds. */
enum { MAX_LIKE = 16, N_LIKE_KINDS = 7 };

struct likes_of_kind {
    json_t *lines[MAX_LIKE];       /* whole ones; the one of number i is at i modulo MAX_LIKE */
    size_t n;                      /* that have come */
    size_t distance;               /* to the one that the last line was like; 0: to none */
};

/* The lines that were written or read. A zeroed one has none. */
struct likes {
    struct likes_of_kind kinds[N_LIKE_KINDS];
    uint64_t whole, written;       /* sizes of lines that are like others: with and without what they have from them */
};

/* Returns a line, or its differences to one that was written before, for json_decref. Both are known from then on. */
json_t *like_reduce(struct likes *likes, const char *kind, json_t *line);

/*
 * Returns a whole line, for json_decref; NULL, with the reason in *why, if it is like none. What short lines may stand
 * for is bounded: all together for not much more than MAX_UNSAID and MAX_SHARE times what they say.
 */
json_t *like_expand(struct likes *likes, const char *kind, json_t *line, char **why);

void likes_clear(struct likes *likes);

#endif
