/*
 * hash.h - texts by their content: an index of names, a dictionary, and equal texts with who has them.
 */
#ifndef MQD_DUMP_BASE_HASH_H
#define MQD_DUMP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_slot {
    const char *name;      /* NULL: free */
    uint32_t position;
    uint32_t hash;         /* a part of the name's, which tells most other names from it */
};
struct name_index {
    struct name_slot *slots;
    size_t n_slots, n_used;
    bool any_length;       /* names of each length are in it: the caller has checked that they are no parts of others */
};

/* Longer names are in no other index. They are as long as paths can be; the names of symbols are shorter. */
enum { MAX_INDEXED_NAME = 4096 };

/*
 * Adds a name, unless the index has it already: the first position of a name stays. Returns whether it was added. The
 * index keeps the pointer, not a copy. A zeroed index is empty. The time is that of reading the names, also if somebody
 * has chosen them for it to be long.
 */
bool name_index_add(struct name_index *index, const char *name, uint32_t position);
bool name_index_find(const struct name_index *index, const char *name, uint32_t *position);
void name_index_clear(struct name_index *index);

/* What was written once and is referred to by number. A zeroed one is empty. */
struct dictionary {
    char **texts;
    size_t n, room;
    struct name_index index;
};

/* Returns the number of a text, which is taken over. *is_new, unless that is NULL: it was not there, and is now. */
size_t dictionary_number(struct dictionary *dictionary, char *text, bool *is_new);
bool dictionary_find(const struct dictionary *dictionary, const char *text, uint32_t *number);
void dictionary_clear(struct dictionary *dictionary);

/* Equal texts and who has them: of many ranks, machines or processes the same is said once. */
struct text_group {
    const char *text;
    size_t *members;       /* numbers of the caller's, in the order in which they were added; at least one */
    size_t n, room;
};

/* Zeroed, there are none. They are in the order of their first members until the caller sorts them. */
struct text_groups {
    struct text_group *groups;
    size_t n, room;
    struct dictionary texts;
};

/* Takes the text over. Not to be called when the groups have been sorted. */
void text_groups_add(struct text_groups *groups, char *text, size_t member);
void text_groups_sort_by_text(struct text_groups *groups);
void text_groups_clear(struct text_groups *groups);

#endif
