/*
 * fake_image.h - the memory of a fake target process: a sparse address space, and numbers written into it in the byte
 * order and with the pointers of a build of Open MPI.
 *
 * Memory is mapped in segments. Like a heap, a segment grows by pages when objects are allocated in it. Memory outside
 * of segments cannot be read. Wrong calls of a test (no such segment, an address outside) end the test program.
 */
#ifndef FAKE_IMAGE_H
#define FAKE_IMAGE_H

#include "fake_build.h"

typedef uint64_t fake_ta; /* an address in the target */

enum { FAKE_PAGE = 4096, FAKE_MAX_SEGMENTS = 8, FAKE_MAX_SYMBOLS = 96 };

struct fake_segment {
    fake_ta base;
    size_t used;              /* bytes given out */
    size_t size;              /* bytes that can be read: whole pages */
    size_t room;              /* bytes that are there */
    unsigned char *bytes;
    uint16_t *written;        /* per 8-byte word: 0, or one more than the member that a test put there */
    unsigned char *hidden;    /* per page: cannot be read */
    unsigned char fill;       /* what fresh memory holds */
    bool mapped;
};

struct fake_symbol {
    const char *name;
    fake_ta ta;
    int segment;
    bool hidden;
};

struct fake_image {
    const struct fake_build *build;   /* of Open MPI */
    const struct fake_build *ucx;     /* NULL: it is not in the process */
    struct fake_segment segments[FAKE_MAX_SEGMENTS];
    int n_segments;
    struct fake_symbol symbols[FAKE_MAX_SYMBOLS];
    int n_symbols;
    void (*after_put)(void *context); /* called when anything has been written; may be NULL */
    /* From what members mean elsewhere to what they hold in this image, and back; NULL: there is no difference. */
    uint64_t (*renumber)(enum fake_member member, uint64_t value, bool back);
    void *context;
};

void fake_image_init(struct fake_image *image, const struct fake_build *build);
void fake_image_deinit(struct fake_image *image);

/* A new, empty segment whose fresh memory holds `fill`. `base` is a multiple of FAKE_PAGE. Returns its number. */
int fake_image_map(struct fake_image *image, fake_ta base, unsigned char fill);

/* Unmaps a segment with its symbols, or maps it again: for a plugin that is not loaded. */
void fake_image_set_mapped(struct fake_image *image, int segment, bool mapped);

/* Allocates an object at the end of a segment. */
fake_ta fake_image_alloc(struct fake_image *image, int segment, size_t size, size_t alignment);

/* Allocates whole pages, which can be hidden without hiding anything else. */
fake_ta fake_image_alloc_pages(struct fake_image *image, int segment, size_t size);

/* Makes every page that [ta, ta+size) touches unreadable, or readable again. */
void fake_image_set_hidden(struct fake_image *image, fake_ta ta, size_t size, bool hidden);

/* Reads all bytes or none, as a debugger does. The functions below also reach unmapped and hidden memory. */
bool fake_image_read(const struct fake_image *image, fake_ta ta, size_t size, void *out);

/* Write or read a number of 1, 2, 4 or 8 bytes in the target's byte order; too large values are cut. */
void fake_image_put(struct fake_image *image, fake_ta ta, size_t size, uint64_t value);
uint64_t fake_image_get(const struct fake_image *image, fake_ta ta, size_t size);

void fake_image_put_pointer(struct fake_image *image, fake_ta ta, fake_ta value);
void fake_image_put_bytes(struct fake_image *image, fake_ta ta, const void *bytes, size_t size);
void fake_image_get_bytes(const struct fake_image *image, fake_ta ta, void *bytes, size_t size);
void fake_image_zero(struct fake_image *image, fake_ta ta, size_t size);

/* Puts a NUL-terminated copy of a text into a segment. */
fake_ta fake_image_put_string(struct fake_image *image, int segment, const char *text);

/* A member of an object, of Open MPI or of UCX, which the build must have; the macros take the names of the lists. */
bool fake_image_has(const struct fake_image *image, enum fake_member member);
fake_ta fake_image_at(const struct fake_image *image, fake_ta object, enum fake_member member);
void fake_image_put_member(struct fake_image *image, fake_ta object, enum fake_member member, uint64_t value);
uint64_t fake_image_get_member(const struct fake_image *image, fake_ta object, enum fake_member member);

#define FAKE_PUT(image, object, type, member, value) \
    fake_image_put_member(image, object, FAKE_MEMBER_##type##__##member, (uint64_t)(value))
#define FAKE_GET(image, object, type, member) fake_image_get_member(image, object, FAKE_MEMBER_##type##__##member)
#define FAKE_AT(image, object, type, member) fake_image_at(image, object, FAKE_MEMBER_##type##__##member)
#define FAKE_HAS(image, type, member) fake_image_has(image, FAKE_MEMBER_##type##__##member)

/* The size of a type, 0 if the process does not have it. */
size_t fake_image_size_of(const struct fake_image *image, enum fake_type type);
#define FAKE_SIZE(image, type) fake_image_size_of(image, FAKE_TYPE_##type)

/* Symbols of a segment; one that is hidden, or whose segment is not mapped, is not found. Names are not copied. */
void fake_image_add_symbol(struct fake_image *image, const char *name, int segment, fake_ta ta);
void fake_image_set_symbol_hidden(struct fake_image *image, const char *name, bool hidden);
bool fake_image_find_symbol(const struct fake_image *image, const char *name, fake_ta *ta);

/* The first 8-byte word at or after ta that a test put something into, 0 if there is none. */
fake_ta fake_image_next_written(const struct fake_image *image, fake_ta ta);

/* The member that was last put into a written word, FAKE_N_MEMBERS if it was something else. */
enum fake_member fake_image_written_as(const struct fake_image *image, fake_ta ta);

/* Prints a message and ends the test program: a mistake in a test, not in what it tests. */
_Noreturn void fake_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
