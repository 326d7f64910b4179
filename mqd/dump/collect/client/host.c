/*
 * host.c - the debugger's side of MQD.
 */
#include "mqd/dump/collect/client/host.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/target/elf/types.h"

/* 5.4.1: basic callbacks. */

static void print_debug_text(const char *text)
{
    notice_give("the DLL says: %s", text);
}

/* The interface's texts are not const. */
static char *error_string(int code)
{
    static char texts[][48] = {"no such symbol", "the process has no memory at that address", "the process has ended",
                               "a size that cannot be", "unknown error"};
    enum { N_KNOWN = HOST_BAD_SIZE - HOST_NO_SYMBOL + 1 };
    bool is_known = code >= HOST_NO_SYMBOL && code <= HOST_BAD_SIZE;

    return texts[is_known ? code - HOST_NO_SYMBOL : N_KNOWN];
}

static void put_image_info(mqs_image *image, mqs_image_info *info)
{
    image->info = info;
}

static mqs_image_info *get_image_info(mqs_image *image)
{
    return image->info;
}

static void put_process_info(mqs_process *process, mqs_process_info *info)
{
    process->info = info;
}

static mqs_process_info *get_process_info(mqs_process *process)
{
    return process->info;
}

const mqs_basic_callbacks host_basic_callbacks = {
    .mqs_malloc_fp = malloc,
    .mqs_free_fp = free,
    .mqs_dprints_fp = print_debug_text,
    .mqs_errorstring_fp = error_string,
    .mqs_put_image_info_fp = put_image_info,
    .mqs_get_image_info_fp = get_image_info,
    .mqs_put_process_info_fp = put_process_info,
    .mqs_get_process_info_fp = get_process_info,
};

/* 5.4.2: image callbacks. */

/*
 * Writes five ints, as MQD 1.0 defines. Open MPI's own DLL has room for seven. Of these it uses the size of int only;
 * it reads all seven sizes from the target.
 */
static void get_type_sizes(mqs_process *process, mqs_target_type_sizes *sizes)
{
    int word = process->is_64_bit ? 8 : 4;

    *sizes = (mqs_target_type_sizes){
        .short_size = 2, .int_size = 4, .long_size = word, .long_long_size = 8, .pointer_size = word};
}

static int find_symbol(mqs_image *image, char *name, mqs_taddr_t *address)
{
    uint64_t found;

    if (!modules_find_symbol(&image->modules, name, &found))
        return HOST_NO_SYMBOL;
    if (address != NULL)
        *address = (mqs_taddr_t)found;
    return mqs_ok;
}

/* In all languages that MPI libraries are written in, a function has the name of its symbol. */
static int find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *address)
{
    (void)language;
    return find_symbol(image, name, address);
}

static mqs_type *find_type(mqs_image *image, char *name, mqs_lang_code language)
{
    (void)language;
    return modules_find_type(&image->modules, name);
}

static int field_offset(mqs_type *type, char *member)
{
    return type != NULL ? type_member_offset(type, member) : -1;
}

static int size_of(mqs_type *type)
{
    return type != NULL ? type_size(type) : -1;
}

const mqs_image_callbacks host_image_callbacks = {
    .mqs_get_type_sizes_fp = get_type_sizes,
    .mqs_find_function_fp = find_function,
    .mqs_find_symbol_fp = find_symbol,
    .mqs_find_type_fp = find_type,
    .mqs_field_offset_fp = field_offset,
    .mqs_sizeof_fp = size_of,
};

/* 5.4.3: process callbacks. */

static int get_global_rank(mqs_process *process)
{
    return process->rank;
}

static mqs_image *get_image(mqs_process *process)
{
    return process->image;
}

static int fetch_data(mqs_process *process, mqs_taddr_t address, int size, void *buffer)
{
    if (size < 0)
        return HOST_BAD_SIZE;
    process->n_reads++;
    process->n_bytes += (uint64_t)size;
    switch (process_read(process->process, address, buffer, (size_t)size)) {
    case READ_OK:
        return mqs_ok;
    case READ_PROCESS_GONE:
        return HOST_PROCESS_GONE;
    default:
        return HOST_BAD_ADDRESS;
    }
}

static void target_to_host(mqs_process *process, const void *from, void *to, int size)
{
    const unsigned char *bytes = from;
    unsigned char *result = to;

    if (size < 0)
        return;
    if (!process->is_swapped) {
        memmove(to, from, (size_t)size);
        return;
    }
    for (int low = 0, high = size - 1; low <= high; low++, high--) {
        unsigned char byte = bytes[low];

        result[low] = bytes[high];
        result[high] = byte;
    }
}

const mqs_process_callbacks host_process_callbacks = {
    .mqs_get_global_rank_fp = get_global_rank,
    .mqs_get_image_fp = get_image,
    .mqs_fetch_data_fp = fetch_data,
    .mqs_target_to_host_fp = target_to_host,
};
