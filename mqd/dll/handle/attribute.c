/* attribute.c - the attributes of communicators, datatypes and windows. */
#include "mqd/dll/handle/object.h"

#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* A hash table of a million elements has room for more attributes than MPI has keys for. */
#define MAX_CAPACITY (1 << 20)

struct attribute {
    uint64_t key;
    int64_t value;
    enum mqd_fact_form form;
};

/* MPI's own keys, by Open MPI's numbers. What a window tells by them is a fact of its own. */
static const struct {
    enum mqd_constant_id number;
    const char *name;
    enum mqd_handle_fact fact;
} keys[] = {
    {MQD_CONSTANT_key_tag_ub, "MPI_TAG_UB", MQD_FACT_attribute},
    {MQD_CONSTANT_key_host, "MPI_HOST", MQD_FACT_attribute},
    {MQD_CONSTANT_key_io, "MPI_IO", MQD_FACT_attribute},
    {MQD_CONSTANT_key_wtime_is_global, "MPI_WTIME_IS_GLOBAL", MQD_FACT_attribute},
    {MQD_CONSTANT_key_appnum, "MPI_APPNUM", MQD_FACT_attribute},
    {MQD_CONSTANT_key_lastusedcode, "MPI_LASTUSEDCODE", MQD_FACT_attribute},
    {MQD_CONSTANT_key_universe_size, "MPI_UNIVERSE_SIZE", MQD_FACT_attribute},
    {MQD_CONSTANT_key_ft, "MPI_FT", MQD_FACT_attribute},
    {MQD_CONSTANT_key_win_base, "MPI_WIN_BASE", MQD_FACT_base},
    {MQD_CONSTANT_key_win_size, "MPI_WIN_SIZE", MQD_FACT_window_size},
    {MQD_CONSTANT_key_win_disp_unit, "MPI_WIN_DISP_UNIT", MQD_FACT_displacement_unit},
    {MQD_CONSTANT_key_win_create_flavor, "MPI_WIN_CREATE_FLAVOR", MQD_FACT_flavor},
    {MQD_CONSTANT_key_win_model, "MPI_WIN_MODEL", MQD_FACT_memory_model},
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

/* Where the members of an attribute lie. The value is as wide as the type that it was set from. */
struct members {
    mqd_taddr key_ta, set_from_ta, value_ta;
    mqd_taddr int_ta, integer_ta; /* the value if it was set from an int, or from an INTEGER of Fortran */
};

/*
 * Before 4.1.4 an attribute is an attribute_value_t. After its key it has the value, a pointer; pointers to this value
 * as an int, an INTEGER and an MPI_Aint; and what it was set from. Releases of one family differ, so no table has it:
 * the three pointers, which lead into the value beside them, prove its layout.
 */
static enum mqd_rc locate_by_pointers(struct mqd_process *process, mqd_taddr ta, struct members *members)
{
    mqd_taddr pointer = process->layout.abi.pointer_size;
    mqd_taddr key_ta = ta + process->layout.type_size[MQD_TYPE_opal_object_t];
    mqd_taddr value_ta = key_ta + pointer, last = pointer - sizeof(int32_t), int_ta, integer_ta, aint_ta;
    enum mqd_rc rc = mqd_read_pointer(process, value_ta + pointer, &int_ta);

    if (rc == MQD_OK)
        rc = mqd_read_pointer(process, value_ta + 2 * pointer, &integer_ta);
    if (rc == MQD_OK)
        rc = mqd_read_pointer(process, value_ta + 3 * pointer, &aint_ta);
    if (rc != MQD_OK)
        return rc;
    if (int_ta - value_ta > last || integer_ta - value_ta > last || aint_ta != value_ta)
        return MQD_RC_bad_handle;
    *members = (struct members){key_ta, value_ta + 4 * pointer, value_ta, int_ta, integer_ta};
    return MQD_OK;
}

/* Since 4.1.4 it is an attribute_key_value_t, whose value is a union. */
static enum mqd_rc locate_from_table(struct mqd_process *process, mqd_taddr ta, struct members *members)
{
    const struct mqd_place *paths = process->layout.paths;
    mqd_taddr value_ta = ta + paths[MQD_PATH_attribute_value].offset;

    for (unsigned path = MQD_PATH_attribute_key; path <= MQD_PATH_attribute_set_from; path++)
        if (!mqd_has_path(process, (enum mqd_path_id)path))
            return mqd_rc_unknown((enum mqd_path_id)path);
    if (!mqd_object_is(process, ta, "attribute_key_value_t"))
        return MQD_RC_bad_handle;
    *members = (struct members){ta + paths[MQD_PATH_attribute_key].offset,
                                ta + paths[MQD_PATH_attribute_set_from].offset, value_ta, value_ta, value_ta};
    return MQD_OK;
}

static enum mqd_rc read_attribute(struct mqd_process *process, mqd_taddr ta, struct attribute *attribute)
{
    struct members members;
    enum mqd_rc rc = mqd_object_is(process, ta, "attribute_value_t") ? locate_by_pointers(process, ta, &members)
                                                                     : locate_from_table(process, ta, &members);
    enum mqd_kind kind = MQD_KIND_ptr;
    int64_t key, set_from;

    if (rc == MQD_OK)
        rc = mqd_read_number(process, members.key_ta, MQD_KIND_i32, &key);
    if (rc == MQD_OK)
        rc = mqd_read_number(process, members.set_from_ta, MQD_KIND_enum, &set_from);
    if (rc != MQD_OK)
        return rc;
    if (mqd_is(process, MQD_CONSTANT_attribute_int, set_from)) {
        kind = MQD_KIND_i32;
        members.value_ta = members.int_ta;
    } else if (mqd_is(process, MQD_CONSTANT_attribute_fortran_integer, set_from)) {
        kind = MQD_KIND_i32;
        members.value_ta = members.integer_ta;
    } else if (mqd_is(process, MQD_CONSTANT_attribute_aint, set_from)) {
        kind = process->layout.abi.pointer_size == 4 ? MQD_KIND_i32 : MQD_KIND_i64;
    }
    attribute->key = (uint64_t)key;
    attribute->form = kind == MQD_KIND_ptr ? MQD_FORM_address : MQD_FORM_number;
    return mqd_read_number(process, members.value_ta, kind, &attribute->value);
}

/* Reads the attributes of a hash table, sorted by key. */
static enum mqd_rc read_table(struct mqd_process *process, mqd_taddr ta, struct mqd_vector *attributes)
{
    struct mqd_object table, element;
    mqd_taddr elements_ta, size = process->layout.type_size[MQD_TYPE_opal_hash_element_t];
    uint64_t capacity;

    if (size == 0)
        return MQD_RC_no_handle_layout;
    if (!mqd_object_is(process, ta, "opal_hash_table_t") ||
        mqd_read_object(process, MQD_TYPE_opal_hash_table_t, ta, &table) != MQD_OK)
        return MQD_RC_bad_handle;
    elements_ta = mqd_uint(&table.view, MQD_PATH_hash_elements);
    capacity = mqd_uint(&table.view, MQD_PATH_hash_capacity);
    if (table.view.rc != MQD_OK || capacity > MAX_CAPACITY ||
        mqd_uint(&table.view, MQD_PATH_hash_n) > capacity)
        return MQD_RC_bad_handle;
    for (uint64_t i = 0; i < capacity; i++) {
        struct attribute found, *attribute;
        enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_hash_element_t, elements_ta + i * size, &element);

        if (rc != MQD_OK)
            return rc;
        if (mqd_int(&element.view, MQD_PATH_hash_element_valid) == 0)
            continue;
        rc = read_attribute(process, mqd_uint(&element.view, MQD_PATH_hash_element_value), &found);
        if (rc != MQD_OK)
            return rc;
        if (attributes->n_items == MQD_MAX_HANDLE_LIST)
            return MQD_RC_long_list;
        attribute = mqd_vector_append(attributes);
        if (attribute == NULL)
            return MQD_RC_no_memory;
        *attribute = found;
    }
    return MQD_OK;
}

/* What a communicator has from the one that it duplicates is the address of the int that MPI keeps. */
static void follow(struct mqd_process *process, struct attribute *attribute)
{
    int64_t value;

    if (attribute->form == MQD_FORM_address &&
        mqd_read_number(process, (mqd_taddr)attribute->value, MQD_KIND_i32, &value) == MQD_OK) {
        attribute->value = value;
        attribute->form = MQD_FORM_number;
    }
}

static void tell(struct mqd_process *process, struct attribute *attribute)
{
    enum mqd_handle_fact fact = MQD_FACT_attribute;
    long index = (long)attribute->key;
    struct mqd_handle_item *item;
    size_t key = 0;

    while (key < N_KEYS && !mqd_is(process, keys[key].number, (int64_t)attribute->key))
        key++;
    if (key < N_KEYS)
        fact = keys[key].fact;
    if (fact != MQD_FACT_attribute && (attribute->form == MQD_FORM_address) != (fact == MQD_FACT_base)) {
        mqd_fact_missing(process, MQD_RC_bad_handle);
        return;
    }
    if (fact != MQD_FACT_attribute)
        index = 0;
    else if (key < N_KEYS)
        follow(process, attribute);
    item = mqd_fact_append(process, fact, attribute->form, index);
    if (item == NULL)
        return;
    item->number = attribute->form == MQD_FORM_number ? attribute->value : 0;
    item->address = attribute->form == MQD_FORM_address ? (mqs_taddr_t)attribute->value : 0;
    if (key < N_KEYS)
        mqd_copy_text(item->text, sizeof item->text, keys[key].name, sizeof item->text);
}

void mqd_tell_attributes(struct mqd_process *process, mqd_taddr ta)
{
    struct mqd_vector attributes = {.item_size = sizeof(struct attribute)};
    enum mqd_rc rc = ta != 0 ? read_table(process, ta, &attributes) : MQD_OK, sorted;

    if (rc != MQD_OK)
        mqd_fact_missing(process, rc);
    sorted = mqd_vector_sort_by_key(&attributes);
    if (sorted != MQD_OK)
        mqd_fact_missing(process, sorted);
    for (size_t i = 0; i < attributes.n_items; i++)
        tell(process, mqd_vector_at(&attributes, i));
    mqd_vector_release(&attributes);
}
