/* datatype.c - what is told of datatypes: bounds, and with which call they were made. */
#include "mqd/dll/handle/object.h"

#include "mqd/dll/banned.h"

static const struct mqd_meaning combiners[] = {
    {MQD_CONSTANT_combiner_named, MQD_COMBINER_named},
    {MQD_CONSTANT_combiner_dup, MQD_COMBINER_dup},
    {MQD_CONSTANT_combiner_contiguous, MQD_COMBINER_contiguous},
    {MQD_CONSTANT_combiner_vector, MQD_COMBINER_vector},
    {MQD_CONSTANT_combiner_hvector, MQD_COMBINER_hvector},
    {MQD_CONSTANT_combiner_indexed, MQD_COMBINER_indexed},
    {MQD_CONSTANT_combiner_hindexed, MQD_COMBINER_hindexed},
    {MQD_CONSTANT_combiner_indexed_block, MQD_COMBINER_indexed_block},
    {MQD_CONSTANT_combiner_hindexed_block, MQD_COMBINER_hindexed_block},
    {MQD_CONSTANT_combiner_struct, MQD_COMBINER_struct},
    {MQD_CONSTANT_combiner_subarray, MQD_COMBINER_subarray},
    {MQD_CONSTANT_combiner_darray, MQD_COMBINER_darray},
    {MQD_CONSTANT_combiner_f90_real, MQD_COMBINER_f90_real},
    {MQD_CONSTANT_combiner_f90_complex, MQD_COMBINER_f90_complex},
    {MQD_CONSTANT_combiner_f90_integer, MQD_COMBINER_f90_integer},
    {MQD_CONSTANT_combiner_resized, MQD_COMBINER_resized},
};

static void tell_datatypes(struct mqd_process *process, mqd_taddr ta, int64_t n)
{
    mqd_taddr datatype_ta;
    long n_told = mqd_count_told(process, ta, n);

    for (long i = 0; i < n_told; i++) {
        enum mqd_rc rc = mqd_read_pointer(process, ta + (mqd_taddr)i * process->layout.abi.pointer_size, &datatype_ta);

        if (rc != MQD_OK) {
            mqd_fact_missing(process, rc);
            return;
        }
        mqd_fact_handle(process, MQD_FACT_datatype, i, MQD_HANDLE_datatype, datatype_ta);
    }
}

/* The arguments of the call. A predefined datatype has none. */
static void tell_arguments(struct mqd_process *process, mqd_taddr ta)
{
    bool wide = process->layout.abi.pointer_size == 8;
    struct mqd_object object;
    struct mqd_view *arguments = &object.view;

    if (mqd_read_object(process, MQD_TYPE_ompi_datatype_args_t, ta, &object) != MQD_OK) {
        mqd_fact_missing(process, mqd_has_path(process, MQD_PATH_arguments_combiner) ? object.view.rc
                                                                                    : MQD_RC_no_handle_layout);
        return;
    }
    mqd_fact_number(process, MQD_FACT_combiner, 0,
                    MQD_MEANING_OF(process, combiners, mqd_int(arguments, MQD_PATH_arguments_combiner)));
    mqd_fact_numbers(process, MQD_FACT_integer, MQD_FORM_number,
                     mqd_address_at(arguments, MQD_PATH_arguments_integers),
                     mqd_size_at(arguments, MQD_PATH_arguments_n_integers), MQD_KIND_i32);
    mqd_fact_numbers(process, MQD_FACT_count, MQD_FORM_number, mqd_address_at(arguments, MQD_PATH_arguments_counts),
                     mqd_size_at(arguments, MQD_PATH_arguments_n_counts), MQD_KIND_size);
    mqd_fact_numbers(process, MQD_FACT_address, MQD_FORM_number,
                     mqd_address_at(arguments, MQD_PATH_arguments_addresses),
                     mqd_size_at(arguments, MQD_PATH_arguments_n_addresses), wide ? MQD_KIND_i64 : MQD_KIND_i32);
    tell_datatypes(process, mqd_address_at(arguments, MQD_PATH_arguments_datatypes),
                   mqd_size_at(arguments, MQD_PATH_arguments_n_datatypes));
}

bool mqd_is_predefined_datatype(struct mqd_view *datatype)
{
    const struct mqd_process *process = datatype->process;

    if (mqd_has_flag(process, MQD_CONSTANT_datatype_predefined, mqd_uint(datatype, MQD_PATH_datatype_flags)))
        return datatype->rc == MQD_OK;
    return mqd_has_path(process, MQD_PATH_datatype_arguments) &&
           mqd_address_at(datatype, MQD_PATH_datatype_arguments) == 0 &&
           mqd_int(datatype, MQD_PATH_datatype_fortran_index) >= 0 && datatype->rc == MQD_OK;
}

void mqd_tell_datatype(struct mqd_process *process, struct mqd_view *datatype)
{
    int64_t lb = mqd_int(datatype, MQD_PATH_datatype_lb), ub = mqd_int(datatype, MQD_PATH_datatype_ub);
    int64_t true_lb = mqd_int(datatype, MQD_PATH_datatype_true_lb);
    int64_t true_ub = mqd_int(datatype, MQD_PATH_datatype_true_ub);
    uint64_t size = mqd_uint(datatype, MQD_PATH_datatype_size), flags = mqd_uint(datatype, MQD_PATH_datatype_flags);
    mqd_taddr arguments_ta = mqd_address_at(datatype, MQD_PATH_datatype_arguments);

    if (datatype->rc != MQD_OK) {
        mqd_fact_missing(process, datatype->rc);
        return;
    }
    mqd_fact_number(process, MQD_FACT_type_size, 0, (long long)size);
    mqd_fact_number(process, MQD_FACT_lower_bound, 0, lb);
    mqd_fact_number(process, MQD_FACT_extent, 0, (long long)((uint64_t)ub - (uint64_t)lb));
    mqd_fact_number(process, MQD_FACT_true_lower_bound, 0, true_lb);
    mqd_fact_number(process, MQD_FACT_true_extent, 0, (long long)((uint64_t)true_ub - (uint64_t)true_lb));
    mqd_fact_truth(process, MQD_FACT_committed, mqd_has_flag(process, MQD_CONSTANT_datatype_committed, flags));
    if (arguments_ta != 0)
        tell_arguments(process, arguments_ta);
    else if (mqd_is_predefined_datatype(datatype))
        mqd_fact_number(process, MQD_FACT_combiner, 0, MQD_COMBINER_named);
    mqd_tell_attributes(process, mqd_address_at(datatype, MQD_PATH_datatype_attributes));
}
