#include "fake_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xa7, FREED = 0xdd, UNREAD = 0xee, GUARD = 0x5c };

/* The interface's memory callbacks have no argument that says whose they are. */
static struct fake_host *current;

static void violate(struct fake_host *host, const char *what, long number)
{
    if (host->violations++ == 0)
        snprintf(host->violation, sizeof host->violation, "%s (%ld)", what, number);
}

/* Memory: each block begins with its size and ends with a word that overruns destroy. */

struct block {
    uint64_t magic;
    size_t size;
};

#define BLOCK_MAGIC UINT64_C(0x6d71642d626c6f63)

static void put_trailer(struct block *block)
{
    memset((unsigned char *)(block + 1) + block->size, GUARD, sizeof(uint64_t));
}

static bool trailer_intact(const struct block *block)
{
    const unsigned char *trailer = (const unsigned char *)(block + 1) + block->size;

    for (size_t i = 0; i < sizeof(uint64_t); i++)
        if (trailer[i] != GUARD)
            return false;
    return true;
}

static void *host_malloc(size_t size)
{
    struct block *block;

    if (current->n_allocations++ == current->fail_allocation)
        return NULL;
    if (size == 0 || size > SIZE_MAX / 4) {
        violate(current, "allocation of an absurd size", (long)size);
        return NULL;
    }
    block = malloc(sizeof *block + size + sizeof(uint64_t));
    if (block == NULL)
        return NULL;
    *block = (struct block){ .magic = BLOCK_MAGIC, .size = size };
    memset(block + 1, FRESH, size);
    put_trailer(block);
    current->live_blocks++;
    return block + 1;
}

static void host_free(void *memory)
{
    struct block *block = memory;

    if (memory == NULL) {
        violate(current, "mqs_free_fp of NULL", 0);
        return;
    }
    block--;
    if (block->magic != BLOCK_MAGIC) {
        violate(current, "mqs_free_fp of what mqs_malloc_fp did not give", 0);
        return;
    }
    if (!trailer_intact(block))
        violate(current, "a block was overrun", (long)block->size);
    current->live_blocks--;
    memset(block, FREED, sizeof *block + block->size);
    free(block);
}

static void host_dprints(const char *text)
{
    current->n_printed += text != NULL;
}

enum { READ_ERROR = mqs_first_user_code + 1 };

char fake_read_error[] = "the debugger has lost 100% of its wire";

static char *host_errorstring(int code)
{
    static char other[] = "another error of the debugger's";

    return code == READ_ERROR ? fake_read_error : other;
}

static mqs_image *image_of(mqs_image *key)
{
    return key == &key->host->other_key ? &key->host->image : key;
}

static void host_put_image_info(mqs_image *image, mqs_image_info *info)
{
    image_of(image)->info = info;
    image_of(image)->is_set_up = true;
}

static mqs_image_info *host_get_image_info(mqs_image *image)
{
    image->host->n_early_gets += !image_of(image)->is_set_up;
    return image_of(image)->info;
}

static void host_put_process_info(mqs_process *process, mqs_process_info *info)
{
    process->info = info;
    process->is_set_up = true;
}

static mqs_process_info *host_get_process_info(mqs_process *process)
{
    process->host->n_early_gets += !process->is_set_up;
    return process->info;
}

/* Images. */

static void host_get_type_sizes(mqs_process *process, mqs_target_type_sizes *sizes)
{
    const struct fake_build *build = process->memory->build;
    int all[7] = { 2, 4, (int)build->long_size, 8, (int)build->pointer_size, 1, (int)build->pointer_size };

    memcpy(sizes, all, (size_t)process->host->n_type_sizes * sizeof all[0]);
}

static int host_find_function(mqs_image *image, char *name, mqs_lang_code language, mqs_taddr_t *ta)
{
    struct fake_host *host = image->host;
    bool ob1 = strncmp(name, "mca_pml_ob1_", 12) == 0;

    if (language != mqs_lang_c || (!ob1 && strcmp(name, "ompi_debugger_setup_dlls") != 0))
        return mqs_no_information;
    host->read_ob1 = host->read_ob1 || ob1;
    host->read_mpi = host->read_mpi || !ob1;
    if (ta != NULL)
        *ta = 0x7f3000001230;
    return mqs_ok;
}

static int host_find_symbol(mqs_image *image, char *name, mqs_taddr_t *ta)
{
    struct fake_host *host = image->host;
    struct fake_image *focus = image_of(image)->focus;
    fake_ta found = 0x404000;

    host->n_symbol_lookups++;
    if (host->ignore_queues == NULL || strcmp(name, host->ignore_queues) != 0)
        if (focus == NULL || !fake_image_find_symbol(focus, name, &found))
            return mqs_no_information;
    if (ta != NULL)
        *ta = found;
    return mqs_ok;
}

static mqs_type *host_find_type(mqs_image *image, char *name, mqs_lang_code language)
{
    struct fake_host *host = image->host;
    enum fake_type type = fake_type_named(name);
    bool read = !host->types.lazy || (strncmp(name, "mca_pml_ob1_", 12) == 0 ? host->read_ob1 : host->read_mpi);

    host->n_type_lookups++;
    if (language != mqs_lang_c || type == FAKE_N_TYPES || !read || host->types.known[type] == FAKE_UNKNOWN_TYPE)
        return NULL;
    host->handles[type] = (struct mqs_type_){ .host = host, .type = type, .generation = host->generation };
    return &host->handles[type];
}

static bool alive(mqs_type *type)
{
    if (type->generation == type->host->generation)
        return true;
    violate(type->host, "a type handle was used after it had expired", (long)type->type);
    return false;
}

static int host_field_offset(mqs_type *type, char *name)
{
    const struct fake_types *types = &type->host->types;
    enum fake_member member = fake_member_named(type->type, name);

    if (!alive(type) || types->known[type->type] != FAKE_KNOWN_TYPE || member == FAKE_N_MEMBERS)
        return -1;
    return types->offset[member];
}

static int host_sizeof(mqs_type *type)
{
    const struct fake_types *types = &type->host->types;

    if (!alive(type) || types->known[type->type] != FAKE_KNOWN_TYPE)
        return 0;
    return types->size[type->type];
}

/* Processes. */

static int host_get_global_rank(mqs_process *process)
{
    return process->global_rank;
}

static mqs_image *host_get_image(mqs_process *process)
{
    return process->image == &process->host->image && !process->host->has_one_key ? &process->host->other_key
                                                                                  : process->image;
}

static int host_fetch_data(mqs_process *process, mqs_taddr_t ta, int size, void *out)
{
    struct fake_host *host = process->host;
    long number = host->n_reads++;

    if (host->before_read != NULL)
        host->before_read(host, ta, (size_t)size);
    if (size <= 0 || size > FAKE_MAX_READ) {
        violate(host, "a read of so many bytes", size);
        return READ_ERROR;
    }
    if (number == host->fail_read || (host->fail_reads_from != FAKE_NEVER && number >= host->fail_reads_from)
        || !fake_image_read(process->memory, ta, (size_t)size, out)) {
        memset(out, UNREAD, (size_t)size);
        return READ_ERROR;
    }
    host->bytes_read += (size_t)size;
    return mqs_ok;
}

static void host_target_to_host(mqs_process *process, const void *in, void *out, int size)
{
    const unsigned char *from = in;
    unsigned char number[8];

    if (size != 1 && size != 2 && size != 4 && size != 8) {
        violate(process->host, "mqs_target_to_host_fp of so many bytes", size);
        return;
    }
    for (int i = 0; i < size; i++)
        number[i] = from[process->memory->build->little_endian ? i : size - 1 - i];
    memcpy(out, number, (size_t)size);
}

void fake_host_init(struct fake_host *host, struct fake_image *memory)
{
    memset(host, 0, sizeof *host);
    host->basic = (mqs_basic_callbacks){
        host_malloc, host_free, host_dprints, host_errorstring, host_put_image_info, host_get_image_info,
        host_put_process_info, host_get_process_info,
    };
    host->image_callbacks = (mqs_image_callbacks){
        host_get_type_sizes, host_find_function, host_find_symbol, host_find_type, host_field_offset, host_sizeof,
    };
    host->process_callbacks = (mqs_process_callbacks){
        host_get_global_rank, host_get_image, host_fetch_data, host_target_to_host,
    };
    host->n_type_sizes = 7;
    host->fail_read = host->fail_reads_from = host->fail_allocation = FAKE_NEVER;
    host->image = host->other_key = (struct mqs_image_){ .host = host, .focus = memory };
    fake_process_init(host, &host->process, memory);
    fake_types_none(host);
    fake_host_use(host);
}

void fake_host_use(struct fake_host *host)
{
    current = host;
    mqs_setup_basic_callbacks(&host->basic);
}

void fake_host_forget(struct fake_host *host)
{
    if (host->process.info != NULL && mqs_destroy_process_info(host->process.info) != mqs_ok)
        violate(host, "mqs_destroy_process_info failed", 0);
    if (host->image.info != NULL && mqs_destroy_image_info(host->image.info) != mqs_ok)
        violate(host, "mqs_destroy_image_info failed", 0);
    host->process.info = NULL;
    host->image.info = NULL;
}

long fake_host_deinit(struct fake_host *host)
{
    fake_host_use(host);
    fake_host_forget(host);
    if (host->live_blocks != 0)
        violate(host, "blocks were not freed", host->live_blocks);
    if (host->violations > 0)
        fprintf(stderr, "fake debugger: %ld violations, the first: %s\n", host->violations, host->violation);
    return host->violations;
}

void fake_host_lack_callbacks(struct fake_host *host)
{
    host->basic.mqs_dprints_fp = NULL;
    host->basic.mqs_errorstring_fp = NULL;
    host->image_callbacks.mqs_sizeof_fp = NULL;
}

void fake_host_expire_types(struct fake_host *host)
{
    host->generation++;
}

void fake_types_all(struct fake_host *host, const struct fake_build *build)
{
    fake_host_expire_types(host);
    host->types.build = build;
    for (int type = 0; type < FAKE_N_TYPES; type++) {
        host->types.known[type] = build->types[type].size > 0 ? FAKE_KNOWN_TYPE : FAKE_UNKNOWN_TYPE;
        host->types.size[type] = (int)build->types[type].size;
    }
    for (int member = 0; member < FAKE_N_MEMBERS; member++)
        host->types.offset[member] = (int)build->members[member].offset;
}

void fake_types_none(struct fake_host *host)
{
    fake_types_all(host, host->process.memory->build);
    for (int type = 0; type < FAKE_N_TYPES; type++)
        host->types.known[type] = FAKE_UNKNOWN_TYPE;
}

void fake_types_set(struct fake_host *host, enum fake_type type, enum fake_knowledge known)
{
    fake_host_expire_types(host);
    host->types.known[type] = known;
}

void fake_process_init(struct fake_host *host, mqs_process *process, struct fake_image *memory)
{
    *process = (struct mqs_process_){ .host = host, .memory = memory, .image = &host->image, .global_rank = -1 };
}

void fake_host_focus(struct fake_host *host, mqs_process *process)
{
    host->image.focus = process->memory;
    fake_host_expire_types(host);
}

/* Outputs. */

void fake_out_init(struct fake_out *out)
{
    memset(out, GUARD, sizeof *out);
}

/* Was none of these bytes, if there are any, written? */
static bool is_guard(const unsigned char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == GUARD && memcmp(bytes, bytes + 1, n - 1) == 0);
}

bool fake_out_within(const struct fake_out *out, size_t written)
{
    const unsigned char *bytes = (const unsigned char *)out;
    size_t start = offsetof(struct fake_out, out);

    return is_guard(bytes, start) && is_guard(bytes + start + written, sizeof *out - start - written);
}

bool fake_out_intact(const struct fake_out *out)
{
    return fake_out_within(out, 0);
}
