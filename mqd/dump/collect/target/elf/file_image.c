/*
 * file_image.c - the content of a file, in private memory, as far as it is needed.
 */
#include "mqd/dump/collect/target/elf/file_image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/file_seal.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/plain_file.h"
#include "mqd/dump/base/reason.h"

/* The largest debug files of real programs have some GiB: web browsers, libraries for graphics processors. */
static const uint64_t max_file = (uint64_t)16 << 30;

/* Of all files together. A program with many large libraries loads some hundreds of MiB of symbols. */
static const uint64_t max_loaded = (uint64_t)4 << 30;

/* What is loaded at once: many small libraries fit. A multiple of the size of a page on every machine. */
enum { CHUNK = 64 * 1024 };

struct file_image {
    char *root, *path, *direct;
    struct file_source source; /* these */
    int descriptor;            /* -1: it is closed */
    struct stat info;
    unsigned char *memory;
    size_t size;               /* of the file */
    size_t room;               /* of the memory: a multiple of CHUNK */
    bool *loaded;              /* of each chunk */
};

static uint64_t n_loaded;      /* bytes of all files */

/* Opening again. */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_unchanged(const struct file_image *image, int descriptor)
{
    struct stat info;

    return fstat(descriptor, &info) == 0 && is_same(&info, &image->info);
}

/* Any path is good that leads to the same file. */
static bool try_path(struct file_image *image, const char *root, const char *path, char **why)
{
    int descriptor = path != NULL ? plain_file_open(root, path, why) : -1;

    if (descriptor >= 0 && is_unchanged(image, descriptor)) {
        image->descriptor = descriptor;
        return true;
    }
    if (descriptor >= 0)
        close(descriptor);
    return false;
}

static bool open_again(struct file_image *image, char **why)
{
    OWNED char *problem = NULL;

    if (image->descriptor >= 0)
        return true;
    if (file_seal_refuses(why))
        return false;
    if (!try_path(image, NULL, image->direct, &problem) && !try_path(image, image->root, image->path, &problem) &&
        !try_path(image, NULL, image->path, &problem))
        set_reason(why, "it was changed or replaced while it was read%s%s", problem != NULL ? ": " : "",
                   problem != NULL ? problem : "");
    return image->descriptor >= 0;
}

void file_image_rest(struct file_image *image)
{
    if (image->descriptor >= 0)
        close(image->descriptor);
    image->descriptor = -1;
}

/* Reading. */

static bool read_all(const struct file_image *image, size_t offset, size_t size, char **why)
{
    if (plain_file_read(image->descriptor, offset, image->memory + offset, size) == size)
        return true;
    return errno == 0 ? set_reason(why, "it became shorter while it was read")
                      : set_reason(why, "it cannot be read: %s", strerror(errno));
}

/* Memory counts for the limits of the system when it becomes writable. */
static bool make_writable(const struct file_image *image, size_t start, size_t end, char **why)
{
    if (n_loaded + (end - start) > max_loaded)
        return set_reason(why, "the program files have more content to be read than %" PRIu64 " GiB", max_loaded >> 30);
    if (mprotect(image->memory + start, end - start, PROT_READ | PROT_WRITE) != 0)
        return set_reason(why, "there is no memory for it: %s", strerror(errno));
    return true;
}

/* The chunks from `first` up to, but without, `end`. */
static bool load_chunks(struct file_image *image, size_t first, size_t end, char **why)
{
    size_t start = first * CHUNK, stop = end * CHUNK, there = stop < image->size ? stop : image->size;

    if (!open_again(image, why) || !make_writable(image, start, stop, why) ||
        !read_all(image, start, there - start, why))
        return false;
    if (!is_unchanged(image, image->descriptor))
        return set_reason(why, "it was changed while it was read");
    memset(image->loaded + first, true, end - first);
    n_loaded += stop - start;
    return true;
}

bool file_image_load(struct file_image *image, uint64_t offset, uint64_t size, char **why)
{
    size_t chunk, end;

    if (offset >= image->size || size == 0)
        return true;
    if (size > image->size - offset)
        size = image->size - offset;
    end = (size_t)((offset + size + CHUNK - 1) / CHUNK);
    for (chunk = (size_t)(offset / CHUNK); chunk < end;) {
        size_t stop = chunk;

        while (stop < end && !image->loaded[stop])
            stop++;
        if (stop > chunk && !load_chunks(image, chunk, stop, why))
            return false;
        chunk = stop > chunk ? stop : chunk + 1;
    }
    return true;
}

/* Opening. */

static char *copy_or_null(const char *text)
{
    return text != NULL ? copy_string(text) : NULL;
}

static bool reserve(struct file_image *image, char **why)
{
    if (image->info.st_size < 0 || (uint64_t)image->info.st_size > max_file)
        return set_reason(why, "it has %" PRId64 " bytes: more than any program (%" PRIu64 " GiB)",
                          (int64_t)image->info.st_size, max_file >> 30);
    image->size = (size_t)image->info.st_size;
    image->room = (image->size / CHUNK + 1) * CHUNK;
    image->memory = mmap(NULL, image->room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (image->memory == MAP_FAILED) {
        image->memory = NULL;
        return set_reason(why, "there is no memory for it: %s", strerror(errno));
    }
    image->loaded = allocate_array(image->room / CHUNK, sizeof *image->loaded);
    return true;
}

struct file_image *file_image_open(int descriptor, const struct file_source *source, char **why)
{
    struct file_image *image = allocate_array(1, sizeof *image);

    *image = (struct file_image){.root = copy_or_null(source->root), .path = copy_or_null(source->path),
                                 .direct = copy_or_null(source->direct), .descriptor = descriptor};
    image->source = (struct file_source){image->root, image->path, image->direct};
    if (fstat(descriptor, &image->info) != 0)
        set_reason(why, "it cannot be read: %s", strerror(errno));
    else if (reserve(image, why))
        return image;
    file_image_close(image);
    return NULL;
}

void file_image_close(struct file_image *image)
{
    if (image == NULL)
        return;
    for (size_t i = 0; image->loaded != NULL && i < image->room / CHUNK; i++)
        n_loaded -= image->loaded[i] ? CHUNK : 0;
    if (image->memory != NULL)
        munmap(image->memory, image->room);
    file_image_rest(image);
    FREE_ALL(image->loaded, image->root, image->path, image->direct, image);
}

unsigned char *file_image_memory(const struct file_image *image)
{
    return image->memory;
}

size_t file_image_size(const struct file_image *image)
{
    return image->size;
}

const struct file_source *file_image_source(const struct file_image *image)
{
    return &image->source;
}
