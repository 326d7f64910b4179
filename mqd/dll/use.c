/* use.c - owner, name and assertions of a communicator. */
#include "mqd/dll/use.h"

#include <string.h>

#include "mqd/dll/internal.h"
#include "mqd/dll/nonblocking.h"
#include "mqd/dll/target.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* Copies the string at ta. One that is cut ends with a whole character. */
static void read_name(struct mqd_process *process, mqd_taddr ta, char *name)
{
    /* Room for a character that begins within the name and ends beyond it. */
    char found[MQD_NAME_BYTES + 4];

    if (ta != 0 && mqd_read_string(process, ta, found, sizeof found) == MQD_OK)
        mqd_copy_text(name, MQD_NAME_BYTES, found, sizeof found);
}

void mqd_object_name(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta, enum mqd_path_id path,
                     char *name)
{
    const struct mqd_place *place = &process->layout.paths[path];
    struct mqd_object object;
    mqd_taddr name_ta;

    if (place->size == 0 || mqd_read_object(process, type, ta, &object) != MQD_OK ||
        (uint64_t)place->offset + place->size > object.view.n_bytes)
        return;
    if (place->size > process->layout.abi.pointer_size)
        mqd_copy_text(name, MQD_NAME_BYTES, (const char *)object.view.bytes + place->offset, place->size);
    else if (mqd_read_pointer(process, ta + place->offset, &name_ta) == MQD_OK)
        read_name(process, name_ta, name);
}

/* 1: messages may overtake each other, 0: they may not, -1: not known. */
static int allows_overtaking(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    struct mqd_object object;
    uint64_t assertions;

    if (communicator->ta == 0 || !mqd_has_path(process, MQD_PATH_comm_assertions) ||
        !process->layout.constants[MQD_CONSTANT_comm_allow_overtaking].present ||
        mqd_read_object(process, MQD_TYPE_ompi_communicator_t, communicator->ta, &object) != MQD_OK)
        return -1;
    assertions = mqd_uint(&object.view, MQD_PATH_comm_assertions);
    if (object.view.rc != MQD_OK)
        return -1;
    return mqd_has_flag(process, MQD_CONSTANT_comm_allow_overtaking, assertions);
}

enum mqd_rc mqd_check_overtaking(struct mqd_process *process, const struct mqd_communicator *communicator)
{
    return allows_overtaking(process, communicator) == 1 ? MQD_RC_overtaking : MQD_OK;
}

void mqd_describe_use(struct mqd_process *process, struct mqd_communicator *communicator,
                      struct mqd_communicator_use *use)
{
    uint64_t n;

    memset(use, 0, sizeof *use);
    use->owner = (int)mqd_owner_of(process, communicator);
    use->object = (mqs_taddr_t)communicator->owner_ta;
    if (communicator->owner == MQD_OWNER_window)
        mqd_object_name(process, MQD_TYPE_ompi_win_t, use->object, MQD_PATH_win_name, use->name);
    if (communicator->owner == MQD_OWNER_file)
        mqd_object_name(process, MQD_TYPE_ompi_file_t, use->object, MQD_PATH_file_name, use->name);
    use->allow_overtaking = allows_overtaking(process, communicator);
    use->has_nonblocking = mqd_count_nonblocking(process, communicator, &n);
    if (use->has_nonblocking)
        use->n_nonblocking = (unsigned long)n;
}
