/*
 * target.h - reading a process by the layout in force.
 *
 * Objects are read through views. A view has a copy of an object's bytes, and their address in the target. Functions
 * take numbers out of it by path. A view keeps the code of the first failure: a caller takes out all the numbers that
 * it needs, and tests the code once.
 */
#ifndef MQD_DLL_TARGET_H
#define MQD_DLL_TARGET_H

#include "mqd/dll/state.h"

/* The most that is asked for at once, except of UCX's messages (ucx/ahead.h). */
#define MQD_PIECE_BYTES ((size_t)64 * 1024)

/* Room for the part that is read of any single object; the largest is a debug build's mca_pml_ob1_t, below 3 KiB. */
#define MQD_OBJECT_BYTES 4096

struct mqd_view {
    const struct mqd_process *process;
    const unsigned char *bytes; /* of the object, in the target's order */
    size_t n_bytes;
    mqd_taddr ta;               /* where the object lies in the target */
    enum mqd_rc rc;             /* MQD_OK, or the first failure: then no number taken out counts */
};

struct mqd_object {
    struct mqd_view view;
    unsigned char bytes[MQD_OBJECT_BYTES];
};

/*
 * Reads n bytes from the target in pieces, without the cache; for large blocks. A failure of this and of the next
 * functions is noted in process->unread.
 */
enum mqd_rc mqd_read_block(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* The same where readable memory may end within the block: a failure is not noted. */
enum mqd_rc mqd_try_block(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* Reads n bytes through the cache of pages; for small objects at many addresses. */
enum mqd_rc mqd_read(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* _drop invalidates what is cached; _release gives the memory back. */
void mqd_cache_drop(struct mqd_process *process);
void mqd_cache_release(struct mqd_process *process);

/*
 * The number of `size` bytes (1, 2, 4, 8) in the target's byte order, zero-extended. The debugger's own conversion tells
 * that order, once: a call for each of millions of numbers would take as long as all the rest.
 */
uint64_t mqd_number(const struct mqd_process *process, const void *bytes, unsigned size);

/* Read one number, of any kind but chars, bytes, struct and none, or one pointer. *value is untouched on failure. */
enum mqd_rc mqd_read_number(struct mqd_process *process, mqd_taddr ta, enum mqd_kind kind, int64_t *value) MQD_CHECKED;
enum mqd_rc mqd_read_pointer(struct mqd_process *process, mqd_taddr ta, mqd_taddr *value) MQD_CHECKED;

/* Reads an array of n pointers. */
struct mqd_pointers {
    mqd_taddr *ta; /* owned by whoever has read them: dbgr_release */
    size_t n;
};
enum mqd_rc mqd_read_pointers(struct mqd_process *process, mqd_taddr ta, size_t n,
                              struct mqd_pointers *pointers) MQD_CHECKED;

/*
 * Reads a NUL-terminated string into n_room bytes; a longer one is cut. MQD_RC_unreadable if readable memory ends
 * before the string does.
 */
enum mqd_rc mqd_read_string(struct mqd_process *process, mqd_taddr ta, char *buffer, size_t n_room) MQD_CHECKED;

/*
 * Computes how much of each type has to be read. Call it when the layout has changed. A type cannot be read if none of
 * its members is known, or if more than MQD_OBJECT_BYTES would be needed.
 */
void mqd_measure(struct mqd_process *process);

/* Reads as much of the object at ta as the layout needs. A failure is in object->view.rc too. */
enum mqd_rc mqd_read_object(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta,
                            struct mqd_object *object) MQD_CHECKED;

/* A view of the object at a path in another. It starts with the failure code of the outer view. */
struct mqd_view mqd_inner(const struct mqd_view *view, enum mqd_path_id path);

/* The number at a path: _int sign-extends it, _uint zero-extends it. On failure they set view->rc and return 0. */
int64_t mqd_int(struct mqd_view *view, enum mqd_path_id path);
uint64_t mqd_uint(struct mqd_view *view, enum mqd_path_id path);

/*
 * Copies the text at a path: the chars there, or the string that a pointer there leads to ("" if it is NULL). The text
 * is cut to less than n_room bytes, at most MQD_TEXT_BYTES, at a character boundary (UTF-8). It is always terminated.
 * On failure the text is "" and view->rc is set.
 */
#define MQD_TEXT_BYTES 64
void mqd_text(struct mqd_process *process, struct mqd_view *view, enum mqd_path_id path, char *text, size_t n_room);

/* The deepest chain of classes in Open MPI has 7; a vprotocol adds one. */
#define MQD_MAX_CLASS_DEPTH 16

/* A class descriptor. */
struct mqd_class {
    char name[64];       /* longer ones are cut */
    uint64_t size;       /* of its objects */
    mqd_taddr parent_ta; /* 0: derived from none */
};
enum mqd_rc mqd_read_class(struct mqd_process *process, mqd_taddr class_ta, struct mqd_class *descriptor) MQD_CHECKED;

/* The same of the class of the object at ta. */
bool mqd_read_class_of(struct mqd_process *process, mqd_taddr ta, struct mqd_class *descriptor);

/* Is there an object of exactly that class and, by the layout, size? */
bool mqd_object_is_exactly(struct mqd_process *process, mqd_taddr ta, enum mqd_type_id type);

/* Is the class descriptor at class_ta, or one that it derives from, called name? */
bool mqd_class_is(struct mqd_process *process, mqd_taddr class_ta, const char *name);

/* Is an object of that class, or of a derived one, at ta? */
bool mqd_object_is(struct mqd_process *process, mqd_taddr ta, const char *name);

#endif
