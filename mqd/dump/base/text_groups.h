/*
 * text_groups.h - equal texts and who has them: of many ranks, machines or processes the same is said once.
 */
#ifndef MQD_DUMP_BASE_TEXT_GROUPS_H
#define MQD_DUMP_BASE_TEXT_GROUPS_H

#include <stddef.h>

#include "mqd/dump/base/hash.h"

struct text_group {
    char *text;
    size_t *members;       /* numbers of the caller's, in the order in which they were added; at least one */
    size_t n, room;
};

/* Zeroed, there are none. They are in the order of their first members until the caller sorts them. */
struct text_groups {
    struct text_group *groups;
    size_t n, room;
    struct name_index index;       /* of the texts: they may be of any origin */
};

/* Takes the text over. Not to be called when the groups have been sorted. */
void text_groups_add(struct text_groups *groups, char *text, size_t member);
void text_groups_sort_by_text(struct text_groups *groups);
void text_groups_clear(struct text_groups *groups);

#endif
