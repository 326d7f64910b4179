/* target.c - the only user of resolved offsets and of dbgr_fetch. */
#include "mqd/dll/target.h"

#include <endian.h>
#include <string.h>

#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* On every system an aligned block of this size is readable as a whole or not at all. */
#define PAGE_BYTES ((mqd_taddr)4096)

/* Nothing lies on the first page: who reads there follows a null pointer, and no debugger is to blame. */
static enum mqd_rc fail_to_read(struct mqd_process *process, mqd_taddr ta)
{
    if (process->unread == MQD_OK && ta >= PAGE_BYTES && process->debugger.failure != mqs_ok)
        process->unread = mqd_rc_of_debugger(process->debugger.failure);
    return MQD_RC_unreadable;
}

enum mqd_rc mqd_read_block(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer)
{
    unsigned char *out = buffer;

    if (ta > UINT64_MAX - n)
        return MQD_RC_unreadable;
    for (size_t piece; n > 0; n -= piece, ta += piece, out += piece) {
        piece = n < MQD_PIECE_BYTES ? n : MQD_PIECE_BYTES;
        if (dbgr_fetch(&process->debugger, ta, piece, out) != MQD_OK)
            return fail_to_read(process, ta);
    }
    return MQD_OK;
}

enum mqd_rc mqd_try_block(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer)
{
    enum mqd_rc unread = process->unread, rc = mqd_read_block(process, ta, n, buffer);

    process->unread = unread;
    return rc;
}

/*
 * Where a page has its place. Those of one piece of memory do not take each other's; the upper bits tell pieces apart
 * that begin at round addresses, as libraries do.
 */
static size_t place_of(mqd_taddr page_ta)
{
    mqd_taddr number = page_ta / PAGE_BYTES, place = 0;

    for (; number != 0; number /= MQD_N_PAGES)
        place ^= number;
    return (size_t)(place % MQD_N_PAGES);
}

static struct mqd_page *page_of(struct mqd_process *process, mqd_taddr page_ta)
{
    struct mqd_page *page = &process->pages[place_of(page_ta)];

    if (page->valid && page->ta == page_ta)
        return page;
    page->valid = false;
    if (page->bytes == NULL)
        page->bytes = dbgr_alloc(PAGE_BYTES);
    if (page->bytes == NULL || dbgr_fetch(&process->debugger, page_ta, PAGE_BYTES, page->bytes) != MQD_OK)
        return NULL;
    page->ta = page_ta;
    page->valid = true;
    return page;
}

enum mqd_rc mqd_read(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer)
{
    unsigned char *out = buffer;

    if (n == 0 || ta > UINT64_MAX - n)
        return MQD_RC_unreadable;
    while (n > 0) {
        mqd_taddr offset = ta % PAGE_BYTES;
        size_t piece = n < PAGE_BYTES - offset ? n : (size_t)(PAGE_BYTES - offset);
        struct mqd_page *page = page_of(process, ta - offset);

        if (page != NULL)
            memcpy(out, page->bytes + offset, piece);
        else if (dbgr_fetch(&process->debugger, ta, piece, out) != MQD_OK)
            return fail_to_read(process, ta);
        out += piece;
        ta += piece;
        n -= piece;
    }
    return MQD_OK;
}

void mqd_cache_drop(struct mqd_process *process)
{
    for (size_t i = 0; i < MQD_N_PAGES; i++)
        process->pages[i].valid = false;
}

void mqd_cache_release(struct mqd_process *process)
{
    for (size_t i = 0; i < MQD_N_PAGES; i++) {
        dbgr_release(process->pages[i].bytes);
        process->pages[i] = (struct mqd_page){.valid = false};
    }
}

uint64_t mqd_number(const struct mqd_process *process, const void *bytes, unsigned size)
{
    bool is_little = process->evidence.abi.little_endian;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;

    switch (size) {
    case 1:
        return *(const uint8_t *)bytes;
    case 2:
        memcpy(&u16, bytes, sizeof u16);
        return is_little ? le16toh(u16) : be16toh(u16);
    case 4:
        memcpy(&u32, bytes, sizeof u32);
        return is_little ? le32toh(u32) : be32toh(u32);
    default:
        memcpy(&u64, bytes, sizeof u64);
        return is_little ? le64toh(u64) : be64toh(u64);
    }
}

static int64_t sign_extend(uint64_t value, enum mqd_kind kind)
{
    switch (kind) {
    case MQD_KIND_i8:
        return (int8_t)value;
    case MQD_KIND_i16:
        return (int16_t)value;
    case MQD_KIND_i32:
    case MQD_KIND_enum:
        return (int32_t)value;
    default:
        return (int64_t)value;
    }
}

enum mqd_rc mqd_read_number(struct mqd_process *process, mqd_taddr ta, enum mqd_kind kind, int64_t *value)
{
    unsigned char bytes[8];
    uint32_t size = mqd_kind_size(kind, &process->evidence.abi);
    enum mqd_rc rc;

    if (size == 0)
        return MQD_RC_bad_argument;
    rc = mqd_read(process, ta, size, bytes);
    if (rc == MQD_OK)
        *value = sign_extend(mqd_number(process, bytes, size), kind);
    return rc;
}

enum mqd_rc mqd_read_pointer(struct mqd_process *process, mqd_taddr ta, mqd_taddr *value)
{
    int64_t number = 0;
    enum mqd_rc rc = mqd_read_number(process, ta, MQD_KIND_ptr, &number);

    if (rc == MQD_OK)
        *value = (mqd_taddr)number;
    return rc;
}

enum mqd_rc mqd_read_pointers(struct mqd_process *process, mqd_taddr ta, size_t n, struct mqd_pointers *pointers)
{
    size_t entry = process->layout.abi.pointer_size;
    unsigned char *bytes = dbgr_alloc(n * entry);
    mqd_taddr *read = dbgr_alloc(n * sizeof *read);
    enum mqd_rc rc = bytes != NULL && read != NULL ? mqd_read_block(process, ta, n * entry, bytes) : MQD_RC_no_memory;

    for (size_t i = 0; i < n && rc == MQD_OK; i++)
        read[i] = mqd_number(process, bytes + i * entry, (unsigned)entry);
    dbgr_release(bytes);
    if (rc != MQD_OK) {
        dbgr_release(read);
        return rc;
    }
    *pointers = (struct mqd_pointers){.ta = read, .n = n};
    return MQD_OK;
}

enum mqd_rc mqd_read_string(struct mqd_process *process, mqd_taddr ta, char *buffer, size_t n_room)
{
    enum mqd_rc unread = process->unread;
    size_t n = 0;

    /* Reads up to the end of each page: the string may end directly before unreadable memory. */
    while (n + 1 < n_room) {
        size_t to_page_end = (size_t)(PAGE_BYTES - (ta + n) % PAGE_BYTES);
        size_t piece = n_room - 1 - n < to_page_end ? n_room - 1 - n : to_page_end;
        char *nul;

        if (mqd_read(process, ta + n, piece, buffer + n) != MQD_OK) {
            /* Memory ends within the page: no system does this, but an image with holes may. */
            piece = 1;
            process->unread = unread;
            if (mqd_read(process, ta + n, piece, buffer + n) != MQD_OK)
                return MQD_RC_unreadable;
        }
        nul = memchr(buffer + n, '\0', piece);
        if (nul != NULL)
            return MQD_OK;
        n += piece;
    }
    buffer[n] = '\0';
    return MQD_OK;
}

/* The extent of one type. The extents of its inner types are known: these come before it in the lists. */
static size_t extent_of(const struct mqd_layout *layout, enum mqd_type_id type, const uint32_t *extents)
{
    size_t extent = 0;

    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_place *place = &layout->steps[step];
        enum mqd_type_id inner = mqd_inner_type(layout, (enum mqd_step_id)step);
        size_t size = place->size;

        if (place->source == MQD_SOURCE_absent)
            continue;
        if (inner != MQD_N_TYPES)
            size = extents[inner];
        if (place->offset + size > extent)
            extent = place->offset + size;
    }
    return extent;
}

void mqd_measure(struct mqd_process *process)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        size_t extent = extent_of(&process->layout, (enum mqd_type_id)type, process->extents);

        process->extents[type] = extent <= MQD_OBJECT_BYTES ? (uint32_t)extent : 0;
    }
}

enum mqd_rc mqd_read_object(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta,
                            struct mqd_object *object)
{
    size_t extent = process->extents[type];
    enum mqd_rc rc;

    object->view = (struct mqd_view){.process = process, .bytes = object->bytes, .n_bytes = extent, .ta = ta};
    if (extent == 0)
        rc = MQD_RC_contradiction;
    else
        rc = mqd_read(process, ta, extent, object->bytes);
    object->view.rc = rc;
    return rc;
}

static void fail(struct mqd_view *view, enum mqd_rc rc)
{
    if (view->rc == MQD_OK)
        view->rc = rc;
}

static bool covers(const struct mqd_view *view, const struct mqd_place *place, size_t size)
{
    return place->offset + (uint64_t)size <= view->n_bytes;
}

struct mqd_view mqd_inner(const struct mqd_view *view, enum mqd_path_id path)
{
    const struct mqd_place *place = &view->process->layout.paths[path];
    struct mqd_view inner = *view;

    if (place->source == MQD_SOURCE_absent || place->offset > view->n_bytes) {
        fail(&inner, mqd_rc_unknown(path));
        return inner;
    }
    inner.bytes += place->offset;
    inner.n_bytes -= place->offset;
    inner.ta += place->offset;
    return inner;
}

int64_t mqd_int(struct mqd_view *view, enum mqd_path_id path)
{
    const struct mqd_place *place = &view->process->layout.paths[path];
    enum mqd_kind kind = (enum mqd_kind)place->kind;
    uint32_t size = mqd_kind_size(kind, &view->process->layout.abi);

    /* What is absent has no kind, and so no size. */
    if (size == 0 || !covers(view, place, size)) {
        fail(view, mqd_rc_unknown(path));
        return 0;
    }
    if (view->rc != MQD_OK)
        return 0;
    return sign_extend(mqd_number(view->process, view->bytes + place->offset, size), kind);
}

uint64_t mqd_uint(struct mqd_view *view, enum mqd_path_id path)
{
    return (uint64_t)mqd_int(view, path);
}

static void pointed_text(struct mqd_process *process, struct mqd_view *view, enum mqd_path_id path, char *text,
                         size_t n_room)
{
    /* Room for a character that begins within the text and ends beyond it. */
    char found[MQD_TEXT_BYTES + 4];
    mqd_taddr ta = mqd_uint(view, path);

    if (view->rc != MQD_OK || ta == 0)
        return;
    if (mqd_read_string(process, ta, found, sizeof found) == MQD_OK)
        mqd_copy_text(text, n_room, found, sizeof found);
    else
        fail(view, MQD_RC_unreadable);
}

void mqd_text(struct mqd_process *process, struct mqd_view *view, enum mqd_path_id path, char *text, size_t n_room)
{
    const struct mqd_place *place = &view->process->layout.paths[path];

    text[0] = '\0';
    if (place->kind == MQD_KIND_ptr) {
        pointed_text(process, view, path, text, n_room);
        return;
    }
    if (place->kind != MQD_KIND_chars || !covers(view, place, place->size)) {
        fail(view, mqd_rc_unknown(path));
        return;
    }
    if (view->rc == MQD_OK)
        mqd_copy_text(text, n_room, (const char *)view->bytes + place->offset, place->size);
}

enum mqd_rc mqd_read_class(struct mqd_process *process, mqd_taddr class_ta, struct mqd_class *descriptor)
{
    struct mqd_object object;
    mqd_taddr name_ta;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_class_t, class_ta, &object);

    if (rc != MQD_OK)
        return rc;
    name_ta = mqd_uint(&object.view, MQD_PATH_class_name);
    descriptor->size = mqd_uint(&object.view, MQD_PATH_class_sizeof);
    descriptor->parent_ta = mqd_uint(&object.view, MQD_PATH_class_parent);
    if (object.view.rc != MQD_OK)
        return object.view.rc;
    return mqd_read_string(process, name_ta, descriptor->name, sizeof descriptor->name);
}

bool mqd_read_class_of(struct mqd_process *process, mqd_taddr ta, struct mqd_class *descriptor)
{
    struct mqd_object object;

    return mqd_read_object(process, MQD_TYPE_opal_object_t, ta, &object) == MQD_OK &&
           mqd_read_class(process, mqd_uint(&object.view, MQD_PATH_object_class), descriptor) == MQD_OK;
}

bool mqd_object_is_exactly(struct mqd_process *process, mqd_taddr ta, enum mqd_type_id type)
{
    struct mqd_class descriptor;

    return mqd_read_class_of(process, ta, &descriptor) && strcmp(descriptor.name, mqd_type_specs[type].name) == 0 &&
           descriptor.size == process->layout.type_size[type];
}

bool mqd_class_is(struct mqd_process *process, mqd_taddr class_ta, const char *name)
{
    struct mqd_class descriptor;

    for (unsigned depth = 0; depth < MQD_MAX_CLASS_DEPTH && class_ta != 0; depth++, class_ta = descriptor.parent_ta) {
        if (mqd_read_class(process, class_ta, &descriptor) != MQD_OK)
            return false;
        if (strcmp(descriptor.name, name) == 0)
            return true;
    }
    return false;
}

bool mqd_object_is(struct mqd_process *process, mqd_taddr ta, const char *name)
{
    struct mqd_object object;
    mqd_taddr class_ta;

    if (mqd_read_object(process, MQD_TYPE_opal_object_t, ta, &object) != MQD_OK)
        return false;
    class_ta = mqd_uint(&object.view, MQD_PATH_object_class);
    return object.view.rc == MQD_OK && mqd_class_is(process, class_ta, name);
}
