/* pending_communicator.c - ob1's list of messages without a communicator. */
#include "mqd/dll/ob1/pending_communicator.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/ob1/request.h"
#include "mqd/dll/text.h"
#include "mqd/dll/walk.h"
#include "mqd/dll/banned.h"

/* Begins a walk along ob1's list; it is at its end if there is no list. Other PMLs do not use the list. */
static enum mqd_rc begin(struct mqd_process *process, struct mqd_list *list)
{
    const struct mqd_place *place = &process->layout.paths[MQD_PATH_ob1_pending_communicators];
    mqd_taddr ob1_ta;
    enum mqd_rc rc;

    *list = (struct mqd_list){.next_ta = 0};
    if (place->source == MQD_SOURCE_absent || !mqd_symbol(process, "mca_pml_ob1", &ob1_ta))
        return MQD_OK;
    rc = mqd_list_begin_at(process, ob1_ta + place->offset, list);
    if (rc == MQD_OK && !mqd_list_at_end(list) && mqd_uses_ob1(process) != MQD_OK)
        list->next_ta = list->head_ta;
    return rc;
}

/*
 * Is the message for this communicator? The communicator may already be in its slot, but not be ready. A message with
 * an extended id has no slot number yet.
 */
static bool is_for(const struct mqd_fragment *fragment, const struct mqd_communicator *communicator)
{
    if (fragment->has_cid)
        return communicator->unique_id == fragment->extended_id;
    return (uint16_t)communicator->index == fragment->context && (communicator->ta != 0 || !communicator->extended);
}

static size_t home_of(struct mqd_process *process, const struct mqd_fragment *fragment)
{
    size_t i = 0;

    while (i < process->snapshot.communicators.n_items && !is_for(fragment, mqd_communicator_at(process, i)))
        i++;
    return i;
}

enum mqd_rc mqd_visit_pending_messages(struct mqd_process *process, const struct mqd_vector *fragments,
                                       enum mqd_rc (*visit)(const struct mqd_fragment *fragment, size_t communicator,
                                                            void *context),
                               void *context)
{
    struct mqd_list list;
    enum mqd_rc rc = begin(process, &list);

    while (rc == MQD_OK && !mqd_list_at_end(&list)) {
        struct mqd_fragment fragment;

        rc = mqd_fragment_get(process, fragments, list.next_ta, &fragment);
        if (rc == MQD_OK)
            rc = mqd_list_step(&list, fragment.next_ta, fragment.prev_ta);
        /* ob1 moves the address of the data behind that header when it moves the message to its communicator. */
        if (rc == MQD_OK && fragment.has_cid)
            fragment.data_ta += process->layout.type_size[MQD_TYPE_mca_pml_ob1_cid_hdr_t];
        if (rc == MQD_OK)
            rc = visit(&fragment, home_of(process, &fragment), context);
    }
    return rc;
}

static void name(struct mqd_communicator *communicator)
{
    struct mqd_line line = mqd_line_in(communicator->name, sizeof communicator->name);

    mqd_add(&line, "communicator ");
    if (!communicator->extended)
        mqd_add_number(&line, communicator->index);
    mqd_add(&line, communicator->extended ? "not made here yet" : ", not made here yet");
}

static enum mqd_rc append_home(const struct mqd_fragment *fragment, size_t home, void *context)
{
    struct mqd_process *process = context;
    struct mqd_communicator *communicator;

    if (home == process->snapshot.communicators.n_items) {
        communicator = mqd_vector_append(&process->snapshot.communicators);
        if (communicator == NULL)
            return MQD_RC_no_memory;
        communicator->extended = fragment->has_cid;
        communicator->index = fragment->context;
        communicator->unique_id = fragment->has_cid ? fragment->extended_id : fragment->context;
        communicator->my_rank = MQS_INVALID_PROCESS;
        communicator->hidden = true;
        name(communicator);
    }
    communicator = mqd_communicator_at(process, home);
    if (communicator->ta == 0 && fragment->tag >= 0)
        communicator->hidden = false;
    return MQD_OK;
}

enum mqd_rc mqd_find_pending_communicators(struct mqd_process *process)
{
    const struct mqd_vector none = {.item_size = sizeof(struct mqd_fragment)};

    return mqd_visit_pending_messages(process, &none, append_home, process) == MQD_RC_no_memory ? MQD_RC_no_memory
                                                                                                : MQD_OK;
}
