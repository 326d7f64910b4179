/* ofi.c - receives in the MTL ofi. */
#include "mqd/dll/cm/ofi.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/banned.h"

/* A build has one endpoint for each framework that asked for one at configure time; there are five such frameworks. */
enum { MAX_ENDPOINTS = 16 };

/* Is it 1 bits from bit 0 on, at least one and at most n? */
static bool is_low_mask(uint64_t mask, unsigned n)
{
    return mask != 0 && (mask & (mask + 1)) == 0 && (n >= 64 || mask >> n == 0);
}

static unsigned n_bits_of(uint64_t low_mask)
{
    unsigned n = 0;

    while (n < 64 && (low_mask >> n & 1) != 0)
        n++;
    return n;
}

/* Is the component of the MTL ofi in force? Its name is the first member of the structure that the symbol leads to. */
static bool is_selected(struct mqd_process *process)
{
    struct mqd_object component;
    char name[MQD_TEXT_BYTES];
    mqd_taddr ta;

    if (!mqd_symbol(process, "ompi_mtl_base_selected_component", &ta) || mqd_read_pointer(process, ta, &ta) != MQD_OK ||
        mqd_read_object(process, MQD_TYPE_mca_base_component_t, ta, &component) != MQD_OK)
        return false;
    mqd_text(process, &component.view, MQD_PATH_component_name, name, sizeof name);
    return component.view.rc == MQD_OK && strcmp(name, "ofi") == 0;
}

/*
 * Releases of one family differ in the request and in the module of the MTL. The module states the size of the request.
 */
static bool has_request_of_layout(const struct mqd_process *process, const struct mqd_view *module)
{
    const uint32_t *sizes = process->layout.type_size;
    struct mqd_view base = mqd_inner(module, MQD_PATH_ofi_base);
    uint64_t bytes = mqd_uint(&base, MQD_PATH_mtl_request_bytes);

    return base.rc == MQD_OK &&
           bytes == (uint64_t)sizes[MQD_TYPE_ompi_mtl_ofi_request_t] - sizes[MQD_TYPE_mca_mtl_request_t];
}

/* Reads the masks of the bits. That they fit together proves that they are the masks. */
static bool read_masks(const struct mqd_process *process, struct mqd_view *module, struct mqd_ofi *ofi)
{
    const struct mqd_constant *gap = &process->layout.constants[MQD_CONSTANT_ofi_protocol_bits];
    uint64_t source_tag_mask = mqd_uint(module, MQD_PATH_ofi_source_tag_mask);
    int64_t n_tag = mqd_int(module, MQD_PATH_ofi_tag_bits), n_source = mqd_int(module, MQD_PATH_ofi_source_bits);
    unsigned n;

    ofi->tag_mask = mqd_uint(module, MQD_PATH_ofi_tag_mask);
    ofi->source_mask = mqd_uint(module, MQD_PATH_ofi_source_mask);
    if (module->rc != MQD_OK || !gap->present || gap->value < 0 || gap->value > 8 || !is_low_mask(ofi->tag_mask, 32))
        return false;
    n = n_bits_of(ofi->tag_mask);
    ofi->source_shift = n + (unsigned)gap->value;
    ofi->context_shift = ofi->source_shift;
    if (ofi->by_address)
        return true;
    if (!is_low_mask(ofi->source_mask, 31) || n_tag != (int64_t)n ||
        n_source != (int64_t)n_bits_of(ofi->source_mask) || source_tag_mask != ofi->source_mask << ofi->source_shift)
        return false;
    ofi->context_shift += n_bits_of(ofi->source_mask);
    return ofi->context_shift < 64;
}

void mqd_ofi_begin(struct mqd_process *process, struct mqd_ofi *ofi)
{
    struct mqd_object module;
    mqd_taddr ta;
    int64_t by_address, context_bits;

    *ofi = (struct mqd_ofi){.in_use = false};
    if (!is_selected(process) || !mqd_symbol(process, "ompi_mtl", &ta) ||
        mqd_read_pointer(process, ta, &ta) != MQD_OK ||
        mqd_read_object(process, MQD_TYPE_mca_mtl_ofi_module_t, ta, &module) != MQD_OK ||
        !has_request_of_layout(process, &module.view))
        return;
    by_address = mqd_int(&module.view, MQD_PATH_ofi_cq_data);
    ofi->any_address = mqd_uint(&module.view, MQD_PATH_ofi_any_addr);
    if (module.view.rc != MQD_OK || (by_address != 0 && by_address != 1))
        return;
    ofi->by_address = by_address != 0;
    ofi->in_use = read_masks(process, &module.view, ofi);
    /* The highest bits of an address tell a context of the process, where it has several. 4.0 has no such contexts. */
    context_bits = mqd_int(&module.view, MQD_PATH_ofi_context_bits);
    ofi->address_bits = UINT64_MAX;
    if (module.view.rc == MQD_OK && context_bits > 0 && context_bits < 64)
        ofi->address_bits >>= context_bits;
}

/* Has MPI_Irecv written this part of the request, and has no event concerned it since? */
static bool is_of_receive(struct mqd_view *mtl, const struct mqd_ofi_receive *receive)
{
    struct mqd_view super = mqd_inner(mtl, MQD_PATH_ofi_request);
    bool is_it = mqd_uint(&super, MQD_PATH_mtl_request) == receive->request_ta &&
                 mqd_is(mtl->process, MQD_CONSTANT_ofi_recv, mqd_int(mtl, MQD_PATH_ofi_type)) &&
                 mqd_uint(mtl, MQD_PATH_ofi_comm) == receive->comm_ta &&
                 mqd_uint(mtl, MQD_PATH_ofi_convertor) == receive->convertor_ta &&
                 mqd_uint(mtl, MQD_PATH_ofi_length) == receive->bytes && mqd_int(mtl, MQD_PATH_ofi_started) == 0;

    return is_it && super.rc == MQD_OK && mtl->rc == MQD_OK;
}

/* A tag has the sign of its highest bit. */
static int32_t tag_of(const struct mqd_ofi *ofi, uint64_t bits)
{
    uint64_t tag = bits & ofi->tag_mask, sign = ofi->tag_mask / 2 + 1;

    return (int32_t)((int64_t)(tag ^ sign) - (int64_t)sign);
}

bool mqd_ofi_read_receive(const struct mqd_ofi *ofi, const struct mqd_view *mtl, const struct mqd_ofi_receive *receive,
                          struct mqd_operation *operation, uint64_t *address)
{
    struct mqd_view view = *mtl;
    uint64_t bits = mqd_uint(&view, MQD_PATH_ofi_match_bits), peer = mqd_uint(&view, MQD_PATH_ofi_remote_addr), source;

    if (!ofi->in_use || !is_of_receive(&view, receive) || bits >> ofi->context_shift != receive->context)
        return false;
    operation->tag_or_any = tag_of(ofi, bits) == 0;
    operation->unknown.tag = operation->tag_or_any;
    operation->tag = operation->tag_or_any ? MQD_ANY : tag_of(ofi, bits);
    if (ofi->by_address) {
        operation->unknown.peer = peer != ofi->any_address;
        *address = peer;
        return operation->unknown.peer;
    }
    source = bits >> ofi->source_shift & ofi->source_mask;
    operation->peer_or_any = source == 0;
    operation->unknown.peer = operation->peer_or_any;
    operation->peer = operation->peer_or_any ? MQD_ANY : (int32_t)source;
    return false;
}

struct mqd_ofi_peer {
    uint64_t address;
    int32_t rank;
};

/* Reads the address that an endpoint of the MTL has; false if there is no such endpoint at ta. */
static bool read_endpoint(struct mqd_process *process, mqd_taddr ta, uint64_t *address)
{
    struct mqd_object endpoint;

    if (ta == 0 || !mqd_object_is(process, ta, "mca_mtl_ofi_endpoint_t") ||
        mqd_read_object(process, MQD_TYPE_mca_mtl_ofi_endpoint_t, ta, &endpoint) != MQD_OK)
        return false;
    *address = mqd_uint(&endpoint.view, MQD_PATH_ofi_peer_addr);
    return endpoint.view.rc == MQD_OK;
}

/*
 * Finds the address of a process among its endpoints. Which of them is the MTL's depends on the build. *slot is the one
 * that was found last.
 */
static bool find_address(struct mqd_process *process, mqd_taddr proc_ta, unsigned *slot, uint64_t *address)
{
    const struct mqd_place *endpoints = &process->layout.paths[MQD_PATH_proc_endpoints];
    const struct mqd_class_evidence *proc = &process->evidence.classes[MQD_TYPE_ompi_proc_t];
    uint64_t entry = process->layout.abi.pointer_size, n;

    if (endpoints->source == MQD_SOURCE_absent || !proc->readable || proc->size <= endpoints->offset)
        return false;
    n = (proc->size - endpoints->offset) / entry;
    for (unsigned i = 0; i < n && i < MAX_ENDPOINTS; i++) {
        unsigned at = i == 0 ? *slot : i <= *slot ? i - 1 : i;
        mqd_taddr ta;

        if (at < n && mqd_read_pointer(process, proc_ta + endpoints->offset + at * entry, &ta) == MQD_OK &&
            read_endpoint(process, ta, address)) {
            *slot = at;
            return true;
        }
    }
    return false;
}

/* Two processes never have the same address: which of them a receive is for is then not known. */
static void drop_equal(struct mqd_vector *peers)
{
    for (size_t i = 1; i < peers->n_items; i++) {
        struct mqd_ofi_peer *peer = mqd_vector_at(peers, i), *before = mqd_vector_at(peers, i - 1);

        if (peer->address == before->address)
            peer->rank = before->rank = -1;
    }
}

enum mqd_rc mqd_ofi_find_peers(struct mqd_process *process, struct mqd_communicator *communicator,
                               struct mqd_ofi_peers *peers)
{
    unsigned slot = 0;
    enum mqd_rc rc = mqd_read_group(process, communicator, true);

    peers->peers = (struct mqd_vector){.item_size = sizeof(struct mqd_ofi_peer)};
    for (int32_t rank = 0; rc == MQD_OK && rank < communicator->n_remote; rank++) {
        mqd_taddr proc_ta = mqd_peer_proc(process, communicator, rank);
        struct mqd_ofi_peer found = {.rank = rank}, *peer;

        if (proc_ta == 0 || !find_address(process, proc_ta, &slot, &found.address))
            continue;
        peer = mqd_vector_append(&peers->peers);
        if (peer == NULL)
            rc = MQD_RC_no_memory;
        else
            *peer = found;
    }
    if (rc == MQD_RC_no_memory || mqd_vector_sort_by_key(&peers->peers) != MQD_OK)
        return MQD_RC_no_memory;
    drop_equal(&peers->peers);
    return MQD_OK;
}

int32_t mqd_ofi_rank_of(const struct mqd_ofi *ofi, const struct mqd_ofi_peers *peers, uint64_t address)
{
    const struct mqd_ofi_peer *peer = mqd_vector_find(&peers->peers, address & ofi->address_bits);

    return peer != NULL ? peer->rank : -1;
}

void mqd_ofi_release_peers(struct mqd_ofi_peers *peers)
{
    mqd_vector_release(&peers->peers);
}
