#include "fake_image.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("fake target: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

void fake_image_init(struct fake_image *image, const struct fake_build *build)
{
    memset(image, 0, sizeof *image);
    image->build = build;
}

void fake_image_deinit(struct fake_image *image)
{
    for (int i = 0; i < image->n_segments; i++) {
        free(image->segments[i].bytes);
        free(image->segments[i].written);
        free(image->segments[i].hidden);
    }
    memset(image, 0, sizeof *image);
}

int fake_image_map(struct fake_image *image, fake_ta base, unsigned char fill)
{
    struct fake_segment *segment = &image->segments[image->n_segments];

    if (image->n_segments == FAKE_MAX_SEGMENTS || base % FAKE_PAGE != 0)
        fake_die("cannot map another segment at %#" PRIx64, base);
    *segment = (struct fake_segment){ .base = base, .fill = fill, .mapped = true };
    return image->n_segments++;
}

void fake_image_set_mapped(struct fake_image *image, int segment, bool mapped)
{
    image->segments[segment].mapped = mapped;
}

static void *grown(void *old, size_t old_size, size_t size, unsigned char fill)
{
    unsigned char *bytes = realloc(old, size);

    if (bytes == NULL)
        fake_die("out of memory");
    memset(bytes + old_size, fill, size - old_size);
    return bytes;
}

static void make_room(struct fake_segment *segment, size_t size)
{
    size_t room = segment->room == 0 ? FAKE_PAGE : segment->room;

    while (room < size)
        room *= 2;
    if (room == segment->room)
        return;
    segment->bytes = grown(segment->bytes, segment->room, room, segment->fill);
    segment->written = grown(segment->written, segment->room / 4, room / 4, 0);
    segment->hidden = grown(segment->hidden, segment->room / FAKE_PAGE, room / FAKE_PAGE, 0);
    segment->room = room;
}

fake_ta fake_image_alloc(struct fake_image *image, int number, size_t size, size_t alignment)
{
    struct fake_segment *segment = &image->segments[number];
    size_t start = (segment->used + alignment - 1) / alignment * alignment;

    make_room(segment, start + size);
    segment->used = start + size;
    segment->size = (segment->used + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
    return segment->base + start;
}

fake_ta fake_image_alloc_pages(struct fake_image *image, int segment, size_t size)
{
    return fake_image_alloc(image, segment, (size + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE, FAKE_PAGE);
}

/* The segment that ta lies in, NULL if there is none. */
static struct fake_segment *segment_at(const struct fake_image *image, fake_ta ta)
{
    for (int i = 0; i < image->n_segments; i++) {
        const struct fake_segment *segment = &image->segments[i];

        if (ta >= segment->base && ta - segment->base < segment->size)
            return (struct fake_segment *)segment;
    }
    return NULL;
}

/* The bytes at ta, of which `size` must lie in one segment. */
static unsigned char *bytes_at(const struct fake_image *image, fake_ta ta, size_t size)
{
    struct fake_segment *segment = segment_at(image, ta);

    if (segment == NULL || segment->size - (ta - segment->base) < size)
        fake_die("nothing of %zu bytes at %#" PRIx64, size, ta);
    return segment->bytes + (ta - segment->base);
}

static void mark_written(struct fake_image *image, fake_ta ta, size_t size, enum fake_member member)
{
    struct fake_segment *segment = segment_at(image, ta);
    size_t start = ta - segment->base;

    for (size_t word = start / 8; word * 8 < start + size; word++)
        segment->written[word] = (uint16_t)(member + 1);
}

void fake_image_set_hidden(struct fake_image *image, fake_ta ta, size_t size, bool hidden)
{
    struct fake_segment *segment = segment_at(image, ta);

    (void)bytes_at(image, ta, size);
    for (size_t page = (ta - segment->base) / FAKE_PAGE; page * FAKE_PAGE < ta - segment->base + size; page++)
        segment->hidden[page] = hidden;
}

bool fake_image_read(const struct fake_image *image, fake_ta ta, size_t size, void *out)
{
    unsigned char *to = out;

    while (size > 0) {
        const struct fake_segment *segment = segment_at(image, ta);
        size_t start, part;

        if (segment == NULL || !segment->mapped || segment->hidden[(ta - segment->base) / FAKE_PAGE])
            return false;
        start = ta - segment->base;
        part = FAKE_PAGE - start % FAKE_PAGE;
        if (part > size)
            part = size;
        memcpy(to, segment->bytes + start, part);
        to += part;
        ta += part;
        size -= part;
    }
    return true;
}

static void note_put(struct fake_image *image, fake_ta ta, size_t size, enum fake_member member)
{
    mark_written(image, ta, size, member);
    if (image->after_put != NULL)
        image->after_put(image->context);
}

static void put(struct fake_image *image, fake_ta ta, size_t size, uint64_t value, enum fake_member member)
{
    unsigned char *to = bytes_at(image, ta, size);

    for (size_t i = 0; i < size; i++)
        to[image->build->little_endian ? i : size - 1 - i] = (unsigned char)(value >> (8 * i) & 0xff);
    note_put(image, ta, size, member);
}

void fake_image_put(struct fake_image *image, fake_ta ta, size_t size, uint64_t value)
{
    put(image, ta, size, value, FAKE_N_MEMBERS);
}

uint64_t fake_image_get(const struct fake_image *image, fake_ta ta, size_t size)
{
    const unsigned char *from = bytes_at(image, ta, size);
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++)
        value = value << 8 | from[image->build->little_endian ? size - 1 - i : i];
    return value;
}

void fake_image_put_pointer(struct fake_image *image, fake_ta ta, fake_ta value)
{
    fake_image_put(image, ta, image->build->pointer_size, value);
}

void fake_image_put_bytes(struct fake_image *image, fake_ta ta, const void *bytes, size_t size)
{
    memcpy(bytes_at(image, ta, size), bytes, size);
    note_put(image, ta, size, FAKE_N_MEMBERS);
}

void fake_image_get_bytes(const struct fake_image *image, fake_ta ta, void *bytes, size_t size)
{
    memcpy(bytes, bytes_at(image, ta, size), size);
}

/* Zeros that nobody cares about are not marked: what counts is put there by name. */
void fake_image_zero(struct fake_image *image, fake_ta ta, size_t size)
{
    memset(bytes_at(image, ta, size), 0, size);
}

fake_ta fake_image_put_string(struct fake_image *image, int segment, const char *text)
{
    fake_ta ta = fake_image_alloc(image, segment, strlen(text) + 1, 8);

    fake_image_put_bytes(image, ta, text, strlen(text) + 1);
    return ta;
}

/* The library that has the type, Open MPI if none has it. */
static const struct fake_build *build_of(const struct fake_image *image, enum fake_type type)
{
    return image->ucx != NULL && image->ucx->types[type].size > 0 ? image->ucx : image->build;
}

size_t fake_image_size_of(const struct fake_image *image, enum fake_type type)
{
    return build_of(image, type)->types[type].size;
}

static const struct fake_member_info *info_of(const struct fake_image *image, enum fake_member member)
{
    return &build_of(image, image->build->members[member].type)->members[member];
}

bool fake_image_has(const struct fake_image *image, enum fake_member member)
{
    return info_of(image, member)->offset != FAKE_ABSENT;
}

/* A member that the build has. */
static const struct fake_member_info *member_of(const struct fake_image *image, enum fake_member member)
{
    const struct fake_member_info *info = info_of(image, member);

    if (info->offset == FAKE_ABSENT)
        fake_die("%s has no %s", build_of(image, info->type)->name, info->name);
    return info;
}

fake_ta fake_image_at(const struct fake_image *image, fake_ta object, enum fake_member member)
{
    return object + member_of(image, member)->offset;
}

void fake_image_put_member(struct fake_image *image, fake_ta object, enum fake_member member, uint64_t value)
{
    const struct fake_member_info *info = member_of(image, member);

    if (info->size > sizeof value)
        fake_die("%s is not a number", info->name);
    if (image->renumber != NULL)
        value = image->renumber(member, value, false);
    put(image, object + info->offset, info->size, value, member);
}

uint64_t fake_image_get_member(const struct fake_image *image, fake_ta object, enum fake_member member)
{
    const struct fake_member_info *info = member_of(image, member);
    uint64_t value;

    if (info->size > sizeof value)
        fake_die("%s is not a number", info->name);
    value = fake_image_get(image, object + info->offset, info->size);
    return image->renumber != NULL ? image->renumber(member, value, true) : value;
}

void fake_image_add_symbol(struct fake_image *image, const char *name, int segment, fake_ta ta)
{
    if (image->n_symbols == FAKE_MAX_SYMBOLS)
        fake_die("no room for symbol %s", name);
    image->symbols[image->n_symbols++] = (struct fake_symbol){ .name = name, .segment = segment, .ta = ta };
}

static const struct fake_symbol *symbol_named(const struct fake_image *image, const char *name)
{
    for (int i = 0; i < image->n_symbols; i++)
        if (strcmp(image->symbols[i].name, name) == 0)
            return &image->symbols[i];
    return NULL;
}

void fake_image_set_symbol_hidden(struct fake_image *image, const char *name, bool hidden)
{
    const struct fake_symbol *symbol = symbol_named(image, name);

    if (symbol == NULL)
        fake_die("no symbol %s", name);
    image->symbols[symbol - image->symbols].hidden = hidden;
}

bool fake_image_find_symbol(const struct fake_image *image, const char *name, fake_ta *ta)
{
    const struct fake_symbol *symbol = symbol_named(image, name);

    if (symbol == NULL || symbol->hidden || !image->segments[symbol->segment].mapped)
        return false;
    *ta = symbol->ta;
    return true;
}

/* The first written word of one segment at or after ta, 0 if there is none. */
static fake_ta next_written_of(const struct fake_segment *segment, fake_ta ta)
{
    size_t start = ta > segment->base ? ta - segment->base : 0;

    for (size_t word = (start + 7) / 8; word < segment->size / 8; word++)
        if (segment->written[word])
            return segment->base + word * 8;
    return 0;
}

fake_ta fake_image_next_written(const struct fake_image *image, fake_ta ta)
{
    fake_ta next = 0;

    for (int i = 0; i < image->n_segments; i++) {
        fake_ta found = next_written_of(&image->segments[i], ta);

        if (found != 0 && (next == 0 || found < next))
            next = found;
    }
    return next;
}

enum fake_member fake_image_written_as(const struct fake_image *image, fake_ta ta)
{
    const struct fake_segment *segment = segment_at(image, ta);

    return (enum fake_member)(segment->written[(ta - segment->base) / 8] - 1);
}
