/*
 * walk.h - Open MPI's containers: classed lists and free lists.
 */
#ifndef MQD_DLL_WALK_H
#define MQD_DLL_WALK_H

#include "mqd/dll/target.h"

/*
 * An opal_list_t, element by element, at the address `next_ta`:
 *     for (rc = mqd_list_begin(...); rc == MQD_OK && !mqd_list_at_end(&list); rc = mqd_list_step(&list, next, prev))
 * The caller brings each element's links, from wherever it has them. Every element must point back to the one before
 * it: that also ends each walk, since no element can be reached a second time that way.
 */
struct mqd_list {
    mqd_taddr head_ta;     /* the sentinel */
    mqd_taddr previous_ta;
    mqd_taddr next_ta;
    uint64_t length;       /* as the list states it; may be one off in a process stopped in between */
    uint64_t n_steps;
};

/* `list_view` is an opal_list_t, or there is one at ta; an empty list is at its end at once. */
enum mqd_rc mqd_list_begin(const struct mqd_view *list_view, struct mqd_list *list) MQD_CHECKED;
enum mqd_rc mqd_list_begin_at(struct mqd_process *process, mqd_taddr ta, struct mqd_list *list) MQD_CHECKED;
bool mqd_list_at_end(const struct mqd_list *list);

/* On from the element at next_ta, which has these links. MQD_RC_bad_list if it does not point back. */
enum mqd_rc mqd_list_step(struct mqd_list *list, mqd_taddr element_next_ta, mqd_taddr element_prev_ta) MQD_CHECKED;

/* What an opal_free_list_t says of its elements. */
struct mqd_free_list {
    mqd_taddr class_ta;    /* the class of all elements */
    uint64_t element_size; /* bytes that belong to one */
    uint64_t stride;       /* bytes from one to the next */
    uint64_t alignment;
    uint64_t n_elements;
    uint64_t increment;    /* elements in a chunk, but for the first and, at the maximum, the last */
    uint64_t maximum;      /* 0: none */
    struct mqd_view chunks; /* opal_list_t */
    struct mqd_object object;
};

/* Reads and checks the free list at ta. MQD_RC_bad_free_list if its sizes cannot be. */
enum mqd_rc mqd_free_list_read(struct mqd_process *process, mqd_taddr ta, struct mqd_free_list *list) MQD_CHECKED;

/*
 * Visits every element of a free list, free ones too, chunk by chunk. The view that `visit` gets is valid during the
 * call. MQD_OK; the first failure of `visit`, which ends the sweep; or what was wrong with the list, told after all
 * elements that could be read have been visited.
 */
enum mqd_rc mqd_free_list_sweep(struct mqd_process *process, const struct mqd_free_list *list,
                                enum mqd_rc (*visit)(struct mqd_view *element, void *context), void *context)
    MQD_CHECKED;

#endif
