/*
 * walk.h - Open MPI's containers: classed lists, free lists, and chains without a way back.
 */
#ifndef MQD_DLL_WALK_H
#define MQD_DLL_WALK_H

#include "mqd/dll/target.h"

/*
 * An opal_list_t, element by element, at the address `next_ta`:
 *     for (rc = mqd_list_begin(...); rc == MQD_OK && !mqd_list_at_end(&list); rc = mqd_list_step(&list, next, prev))
 * The caller reads each element's links and passes them. Every element must point back to the one before it. This also
 * ends every walk: an element that is reached a second time does not point back to the one before it.
 */
struct mqd_list {
    mqd_taddr head_ta;     /* the sentinel */
    mqd_taddr previous_ta;
    mqd_taddr next_ta;
    uint64_t length;       /* as the list states it; may be one off if the process was stopped during a change */
    uint64_t n_steps;
};

/* The opal_list_t is in `list_view`, or at ta. An empty list is at its end at once. */
enum mqd_rc mqd_list_begin(const struct mqd_view *list_view, struct mqd_list *list) MQD_CHECKED;
enum mqd_rc mqd_list_begin_at(struct mqd_process *process, mqd_taddr ta, struct mqd_list *list) MQD_CHECKED;
bool mqd_list_at_end(const struct mqd_list *list);

/* Goes on from the element at next_ta, which has these links. MQD_RC_bad_list if it does not point back. */
enum mqd_rc mqd_list_step(struct mqd_list *list, mqd_taddr element_next_ta, mqd_taddr element_prev_ta) MQD_CHECKED;

/* An opal_pointer_array_t: n pointers in a row. */
struct mqd_array {
    mqd_taddr slots_ta;
    size_t n;
};

/* Reads the array at ta. MQD_RC_bad_array: there is none, or it has none or more than n_max elements. */
enum mqd_rc mqd_array_read(struct mqd_process *process, mqd_taddr ta, size_t n_max, struct mqd_array *array)
    MQD_CHECKED;

/* Its i-th pointer. */
enum mqd_rc mqd_array_at(struct mqd_process *process, const struct mqd_array *array, size_t i,
                         mqd_taddr *ta) MQD_CHECKED;

/*
 * Finds out whether a chain of pointers leads back to itself, where nothing points back (Brent): each address is compared
 * with one that is kept, which is replaced after twice as many steps each time. A chain that is a circle is noticed after
 * at most three times as many steps as it has different addresses. Zeroed at the beginning.
 */
struct mqd_circle {
    mqd_taddr kept_ta;
    uint64_t n_since, n_until;
};

/* Takes the next address of the chain, which is not 0. Returns true if it is the kept one: the chain is a circle. */
bool mqd_circle_closes(struct mqd_circle *circle, mqd_taddr ta);

/* What an opal_free_list_t says of its elements. */
struct mqd_free_list {
    mqd_taddr class_ta;    /* the class of all elements */
    uint64_t element_size; /* bytes that belong to one */
    uint64_t stride;       /* bytes from one to the next */
    uint64_t alignment;
    uint64_t n_elements;
    uint64_t increment;    /* elements in a chunk; the first one and, at the maximum, the last one may differ */
    uint64_t maximum;      /* 0: none */
    struct mqd_view chunks; /* opal_list_t */
    struct mqd_object object;
};

/* Reads and checks the free list at ta. MQD_RC_bad_free_list if its sizes are impossible. */
enum mqd_rc mqd_free_list_read(struct mqd_process *process, mqd_taddr ta, struct mqd_free_list *list) MQD_CHECKED;

/*
 * Visits every element of a free list, also the free ones, chunk by chunk. The view that `visit` gets is valid during
 * the call. A failure of `visit` ends the sweep and is returned. If something is wrong with the list, all elements that
 * can be read are visited first; then the code is returned.
 */
enum mqd_rc mqd_free_list_sweep(struct mqd_process *process, const struct mqd_free_list *list,
                                enum mqd_rc (*visit)(struct mqd_view *element, void *context), void *context)
    MQD_CHECKED;

#endif
