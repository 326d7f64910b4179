/*
 * made.c - asks a debug DLL how communicators and datatypes were made.
 */
#include "mqd/dump/collect/client/made.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* Sizes of two and more make up MAX_RANKS ranks of record/format.h in fewer dimensions. Of more none is told. */
enum { MAX_DIMENSIONS = 32 };

/* Has the DLL the items of an object, which is what the handle stands for? */
static bool describe(const struct dll *dll, mqs_process *process, int kind, mqs_taddr_t value, int language)
{
    struct mqd_handle_summary summary;

    return dll->extension->describe_handle(process, kind, value, language, &summary) == mqs_ok;
}

static bool item_at(const struct dll *dll, mqs_process *process, int i, struct mqd_handle_item *item)
{
    return i < MAX_HANDLE_ITEMS && dll->extension->describe_handle_item(process, i, item) == mqs_ok;
}

/* Communicators. */

/* An arrangement in the making: each dimension has three facts. */
struct told_arrangement {
    struct arrangement arrangement;
    struct dimension dimensions[MAX_DIMENSIONS];
    long n_sizes, n_periods, n_coordinates;
    bool is_cut;                   /* there are more */
};

static void take_dimension(struct told_arrangement *told, int fact, long index, long number)
{
    bool fits = index >= 0 && index < MAX_DIMENSIONS;
    struct dimension *dimension = &told->dimensions[fits ? index : 0];

    if (!fits) {
        told->is_cut |= fact == MQD_FACT_dimension;
    } else if (fact == MQD_FACT_dimension) {
        dimension->size = number;
        told->n_sizes++;
    } else if (fact == MQD_FACT_periodic) {
        dimension->periodic = number != 0;
        told->n_periods++;
    } else if (fact == MQD_FACT_coordinate) {
        dimension->coordinate = number;
        told->n_coordinates++;
    }
}

static void take_fact(struct told_arrangement *told, int fact, long index, long number)
{
    if (fact == MQD_FACT_topology)
        told->arrangement.topology = (int)number;
    else if (fact == MQD_FACT_revoked)
        told->arrangement.revoked = number != 0;
    else if (fact == MQD_FACT_freed)
        told->arrangement.freed = number != 0;
    else
        take_dimension(told, fact, index, number);
}

static struct arrangement finish(const struct told_arrangement *told)
{
    struct arrangement arrangement = told->arrangement;

    if (told->is_cut || told->n_sizes == 0 || told->n_sizes > MAX_DIMENSIONS || told->n_sizes != told->n_periods ||
        told->n_sizes != told->n_coordinates)
        return arrangement;
    arrangement.n_dimensions = (size_t)told->n_sizes;
    arrangement.dimensions = allocate_array(arrangement.n_dimensions, sizeof *arrangement.dimensions);
    memcpy(arrangement.dimensions, told->dimensions, arrangement.n_dimensions * sizeof *arrangement.dimensions);
    return arrangement;
}

void arrangement_take(struct arrangement *arrangement, const struct dll *dll, mqs_process *process)
{
    struct told_arrangement told = {0};
    struct mqd_handle_item item;

    if (!DLL_OFFERS(dll, describe_arrangement) || dll->extension->describe_arrangement(process) != mqs_ok)
        return;
    for (int i = 0; item_at(dll, process, i, &item); i++)
        take_fact(&told, item.fact, item.index, (long)item.number);
    *arrangement = finish(&told);
}

struct arrangement arrangement_of(const struct handle *handle)
{
    struct told_arrangement told = {0};

    for (size_t i = 0; i < handle->n; i++)
        take_fact(&told, handle->items[i].fact, handle->items[i].index, handle->items[i].number);
    return finish(&told);
}

bool arrangement_is_cartesian(const struct arrangement *arrangement, long size, long rank)
{
    long product = 1, place = 0;

    if (arrangement->topology != MQD_TOPOLOGY_cartesian || arrangement->n_dimensions == 0 ||
        arrangement->n_dimensions > MAX_DIMENSIONS)
        return false;
    for (size_t i = 0; i < arrangement->n_dimensions; i++) {
        const struct dimension *dimension = &arrangement->dimensions[i];

        if (dimension->size < 1 || dimension->size > size / product || dimension->coordinate < 0 ||
            dimension->coordinate >= dimension->size)
            return false;
        product *= dimension->size;
        place = place * dimension->size + dimension->coordinate;
    }
    return product == size && place == rank;
}

long arrangement_coordinate(const struct arrangement *arrangement, size_t dimension, long rank)
{
    for (size_t i = arrangement->n_dimensions; --i > dimension;)
        rank /= arrangement->dimensions[i].size;
    return rank % arrangement->dimensions[dimension].size;
}

/* The step from a coordinate to the one at that distance; 2: they are no neighbours. */
static int step_of(const struct dimension *dimension, long distance)
{
    if (dimension->periodic && dimension->size == 2)
        return 0;
    if (distance == 1 || distance == -1)
        return (int)distance;
    if (dimension->periodic && labs(distance) == dimension->size - 1)
        return distance < 0 ? 1 : -1;
    return 2;
}

bool arrangement_direction(const struct arrangement *arrangement, long rank, struct direction *direction)
{
    size_t n = 0;

    for (size_t i = 0; i < arrangement->n_dimensions; i++) {
        const struct dimension *dimension = &arrangement->dimensions[i];
        long distance = arrangement_coordinate(arrangement, i, rank) - dimension->coordinate;

        if (distance == 0)
            continue;
        *direction = (struct direction){i, step_of(dimension, distance)};
        if (n++ > 0 || direction->step == 2)
            return false;
    }
    return n == 1;
}

/* Datatypes. */

/* The address of the datatype of a request's elements, if it has no name; else 0. */
static mqs_taddr_t unnamed_datatype_of(mqs_taddr_t request, const struct dll *dll, mqs_process *process)
{
    struct mqd_handle_item item;

    if (!describe(dll, process, MQD_HANDLE_request, request, MQD_LANGUAGE_c))
        return 0;
    for (int i = 0; item_at(dll, process, i, &item); i++)
        if (item.fact == MQD_FACT_datatype)
            return *item.text == '\0' ? item.address : 0;
    return 0;
}

/* What the datatype is made of has one name only if all of it has that name. */
static void take_base(struct made_datatype *made, const struct mqd_handle_item *item)
{
    if (item->index == 0)
        memcpy(made->base, item->text, strnlen(item->text, sizeof made->base - 1));
    else if (strncmp(made->base, item->text, sizeof made->base - 1) != 0)
        made->base[0] = '\0';
}

static struct made_datatype make_of(mqs_taddr_t object, const struct dll *dll, mqs_process *process)
{
    struct made_datatype made = {.object = object};
    struct mqd_handle_item item;

    if (!describe(dll, process, MQD_HANDLE_datatype, object, MQD_LANGUAGE_c))
        return made;
    for (int i = 0; item_at(dll, process, i, &item); i++)
        if (item.fact == MQD_FACT_combiner)
            made.combiner = (int)item.number;
        else if (item.fact == MQD_FACT_datatype)
            take_base(&made, &item);
    return made;
}

static const struct made_datatype *find_made(struct made_datatypes *datatypes, mqs_taddr_t object,
                                             const struct dll *dll, mqs_process *process)
{
    for (size_t i = 0; i < datatypes->n; i++)
        if (datatypes->all[i].object == object)
            return &datatypes->all[i];
    datatypes->all[datatypes->n] = make_of(object, dll, process);
    return &datatypes->all[datatypes->n++];
}

void made_datatype_take(struct made_datatypes *datatypes, int class, struct queued *operation, const struct dll *dll,
                        mqs_process *process)
{
    bool may_not_fit = class == mqs_pending_sends || operation_is_truncated(class, operation);
    bool has_unnamed = operation->has_count && *operation->datatype == '\0' && !operation->internal;
    const struct made_datatype *made;
    mqs_taddr_t object;

    if (!may_not_fit || !has_unnamed || operation->request == 0 || !DLL_OFFERS(dll, describe_handle_item) ||
        datatypes->n_asked[class]++ >= MAX_ASKED_DATATYPES)
        return;
    object = unnamed_datatype_of(operation->request, dll, process);
    if (object == 0)
        return;
    made = find_made(datatypes, object, dll, process);
    operation->combiner = made->combiner;
    operation->base = made->base;
}
