/* callbacks.c - finds Open MPI's callbacks. */
#include "mqd/dll/ucx/callbacks.h"

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

/*
 * Since UCX 1.9 Open MPI uses those with nbx. The first N_SENDS are for sends, of these the first N_BUFFERED for buffered
 * ones, and those up to N_NONBLOCKING for nonblocking ones; the others are for receives. Open MPI 3.1 has no callback for
 * blocking sends: they have that of nonblocking ones, and do not write the communicator.
 */
static const char *const names[] = {
    "mca_pml_ucx_bsend_completion",     "mca_pml_ucx_bsend_nbx_completion", "mca_pml_ucx_send_completion",
    "mca_pml_ucx_send_nbx_completion",  "mca_pml_ucx_psend_completion",     "mca_pml_ucx_send_completion_empty",
    "mca_pml_ucx_recv_completion",      "mca_pml_ucx_recv_nbx_completion",  "mca_pml_ucx_precv_completion",
};
enum { N_BUFFERED = 2, N_NONBLOCKING = 4, BLOCKING = 5, N_SENDS = 6 };

_Static_assert(sizeof names / sizeof names[0] == MQD_N_UCX_CALLBACKS, "there is room for each address");

void mqd_ucx_find_callbacks(struct mqd_process *process, struct mqd_ucx *ucx)
{
    for (size_t i = 0; i < MQD_N_UCX_CALLBACKS; i++)
        if (!mqd_symbol(process, names[i], &ucx->callbacks_ta[i]))
            ucx->callbacks_ta[i] = 0;
}

static bool is_among(const struct mqd_ucx *ucx, mqd_taddr callback_ta, size_t first, size_t end)
{
    for (size_t i = first; i < end && callback_ta != 0; i++)
        if (ucx->callbacks_ta[i] == callback_ta)
            return true;
    return false;
}

bool mqd_ucx_is_send_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta)
{
    return is_among(ucx, callback_ta, 0, N_SENDS);
}

bool mqd_ucx_is_buffered_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta)
{
    return is_among(ucx, callback_ta, 0, N_BUFFERED);
}

bool mqd_ucx_is_nonblocking_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta)
{
    return ucx->callbacks_ta[BLOCKING] != 0 && is_among(ucx, callback_ta, N_BUFFERED, N_NONBLOCKING);
}

bool mqd_ucx_is_receive_callback(const struct mqd_ucx *ucx, mqd_taddr callback_ta)
{
    return is_among(ucx, callback_ta, N_SENDS, MQD_N_UCX_CALLBACKS);
}

bool mqd_ucx_has_send_callbacks(const struct mqd_ucx *ucx)
{
    for (size_t i = 0; i < N_SENDS; i++)
        if (ucx->callbacks_ta[i] != 0)
            return true;
    return false;
}
