/*
 * text_groups.c - equal texts and who has them.
 */
#include "mqd/dump/base/text_groups.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

void text_groups_add(struct text_groups *groups, char *text, size_t member)
{
    struct text_group *group;
    uint32_t at = (uint32_t)groups->n;

    groups->index.any_length = true;
    if (name_index_add(&groups->index, text, at))
        APPEND(groups->groups, groups->n, groups->room, (struct text_group){.text = text});
    else if (name_index_find(&groups->index, text, &at))
        free(text);
    group = &groups->groups[at];
    APPEND(group->members, group->n, group->room, member);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct text_group *)a)->text, ((const struct text_group *)b)->text);
}

void text_groups_sort_by_text(struct text_groups *groups)
{
    SORT(groups->groups, groups->n, compare_texts);
}

void text_groups_clear(struct text_groups *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        FREE_ALL(groups->groups[i].text, groups->groups[i].members);
    }
    free(groups->groups);
    name_index_clear(&groups->index);
    *groups = (struct text_groups){0};
}
