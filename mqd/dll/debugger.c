/* debugger.c - the only user of the callback tables. */
#include "mqd/dll/debugger.h"

#include <limits.h>
#include <string.h>

#include "mqd/dll/banned.h"

/* The interface has one table for all images and processes (5.5.1). */
static const mqs_basic_callbacks *basic;

void dbgr_use(const mqs_basic_callbacks *callbacks)
{
    basic = callbacks;
}

bool dbgr_ready(void)
{
    return basic != NULL;
}

void *dbgr_alloc(size_t size)
{
    return basic->mqs_malloc_fp(size > 0 ? size : 1);
}

void dbgr_release(void *memory)
{
    if (memory != NULL)
        basic->mqs_free_fp(memory);
}

const char *dbgr_error_text(int code)
{
    const char *text = NULL;

    if (code > MQD_RC_of_debugger && basic != NULL && basic->mqs_errorstring_fp != NULL)
        text = basic->mqs_errorstring_fp(code - MQD_RC_of_debugger);
    return text != NULL && text[0] != '\0' ? text : mqd_rc_text(code);
}

void dbgr_put_image_info(mqs_image *image, void *info)
{
    basic->mqs_put_image_info_fp(image, info);
}

void *dbgr_get_image_info(mqs_image *image)
{
    return basic->mqs_get_image_info_fp(image);
}

void dbgr_put_process_info(mqs_process *process, void *info)
{
    basic->mqs_put_process_info_fp(process, info);
}

void *dbgr_get_process_info(mqs_process *process)
{
    return basic->mqs_get_process_info_fp(process);
}

bool dbgr_find_symbol(const struct dbgr_image *image, const char *name, mqd_taddr *ta)
{
    mqs_taddr_t found = 0;

    if (image->callbacks->mqs_find_symbol_fp(image->image, (char *)name, &found) != mqs_ok)
        return false;
    if (ta != NULL)
        *ta = found;
    return true;
}

void dbgr_touch_function(const struct dbgr_image *image, const char *name)
{
    mqs_taddr_t ignored;

    if (image->callbacks->mqs_find_function_fp != NULL)
        (void)image->callbacks->mqs_find_function_fp(image->image, (char *)name, mqs_lang_c, &ignored);
}

mqs_type *dbgr_find_type(const struct dbgr_image *image, const char *name, mqs_lang_code language)
{
    if (image->callbacks->mqs_find_type_fp == NULL || image->callbacks->mqs_field_offset_fp == NULL)
        return NULL;
    return image->callbacks->mqs_find_type_fp(image->image, (char *)name, language);
}

int32_t dbgr_field_offset(const struct dbgr_image *image, mqs_type *type, const char *member)
{
    int offset = image->callbacks->mqs_field_offset_fp(type, (char *)member);

    return offset >= 0 ? offset : -1;
}

int64_t dbgr_sizeof(const struct dbgr_image *image, mqs_type *type)
{
    int size;

    if (image->callbacks->mqs_sizeof_fp == NULL)
        return 0;
    size = image->callbacks->mqs_sizeof_fp(type);
    return size > 0 ? size : 0;
}

mqs_image *dbgr_image_of(const struct dbgr_process *process)
{
    return process->callbacks->mqs_get_image_fp(process->process);
}

struct dbgr_sizes dbgr_type_sizes(const struct dbgr_image *image, const struct dbgr_process *process)
{
    /* Debuggers that are built with Open MPI's edition of the interface write two ints more than MQD 1.0 defines. */
    struct {
        mqs_target_type_sizes sizes;
        int of_open_mpi[2];
    } target;

    memset(&target, 0, sizeof target);
    image->callbacks->mqs_get_type_sizes_fp(process->process, &target.sizes);
    return (struct dbgr_sizes){.pointer_size = target.sizes.pointer_size, .long_size = target.sizes.long_size};
}

enum mqd_rc dbgr_fetch(struct dbgr_process *process, mqd_taddr ta, size_t n, void *buffer)
{
    int code;

    process->failure = mqs_ok;
    if (n == 0 || n > INT_MAX || ta > UINT64_MAX - n)
        return MQD_RC_unreadable;
    code = process->callbacks->mqs_fetch_data_fp(process->process, (mqs_taddr_t)ta, (int)n, buffer);
    if (code == mqs_ok)
        return MQD_OK;
    process->failure = code;
    return MQD_RC_unreadable;
}

bool dbgr_is_little_endian(const struct dbgr_process *process)
{
    static const unsigned char one[2] = {1, 0};
    uint16_t number = 0;

    process->callbacks->mqs_target_to_host_fp(process->process, one, &number, sizeof number);
    return number == 1;
}
