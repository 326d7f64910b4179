/*
 * target.h - reading a process by the layout in force.
 *
 * Objects are looked at through views: bytes of the target on the host, and where they came from. Numbers are taken out
 * by path. A view remembers the first thing that went wrong, so that a reader takes all it needs and asks once.
 */
#ifndef MQD_DLL_TARGET_H
#define MQD_DLL_TARGET_H

#include "mqd/dll/state.h"

/* The most that is asked for at once. */
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

/* n bytes straight from the target, in pieces; for large blocks. */
enum mqd_rc mqd_read_block(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* n bytes through the cache of pages; for whatever lies scattered. */
enum mqd_rc mqd_read(struct mqd_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* Forgets what is cached; the memory goes with mqd_cache_release. */
void mqd_cache_drop(struct mqd_process *process);
void mqd_cache_release(struct mqd_process *process);

/* A number of a kind that is no chars, struct or none; one pointer. *value is untouched on failure. */
enum mqd_rc mqd_read_number(struct mqd_process *process, mqd_taddr ta, enum mqd_kind kind, int64_t *value) MQD_CHECKED;
enum mqd_rc mqd_read_pointer(struct mqd_process *process, mqd_taddr ta, mqd_taddr *value) MQD_CHECKED;

/* n pointers, one after the other. */
struct mqd_pointers {
    mqd_taddr *ta; /* owned by whoever has read them: dbgr_release */
    size_t n;
};
enum mqd_rc mqd_read_pointers(struct mqd_process *process, mqd_taddr ta, size_t n,
                              struct mqd_pointers *pointers) MQD_CHECKED;

/* A NUL-terminated string of less than n_room bytes; longer ones are cut. Unreadable if memory ends before it does. */
enum mqd_rc mqd_read_string(struct mqd_process *process, mqd_taddr ta, char *buffer, size_t n_room) MQD_CHECKED;

/*
 * Works out how much of each type has to be read: to be called when the layout has changed. A type of which nothing is
 * known, or more than MQD_OBJECT_BYTES would be needed, cannot be read.
 */
void mqd_measure(struct mqd_process *process);

/* Reads as much of the object at ta as the layout needs. A failure is in object->view.rc too. */
enum mqd_rc mqd_read_object(struct mqd_process *process, enum mqd_type_id type, mqd_taddr ta,
                            struct mqd_object *object) MQD_CHECKED;

/* The object that lies at a path in another; shares the failure of the outer one so far, not later ones. */
struct mqd_view mqd_inner(const struct mqd_view *view, enum mqd_path_id path);

/* The number at a path: sign-extended, zero-extended, or an address. 0, and view->rc set, if it cannot be had. */
int64_t mqd_int(struct mqd_view *view, enum mqd_path_id path);
uint64_t mqd_uint(struct mqd_view *view, enum mqd_path_id path);

/*
 * The text of `chars` at a path, or that a pointer there leads to ("" if it is NULL), cut to less than n_room bytes, at
 * most MQD_TEXT_BYTES, at a character boundary (UTF-8), always terminated; "" and view->rc set if it cannot be had.
 */
#define MQD_TEXT_BYTES 64
void mqd_text(struct mqd_process *process, struct mqd_view *view, enum mqd_path_id path, char *text, size_t n_room);

/* Deepest chain of classes in Open MPI is 7; a vprotocol adds one. */
#define MQD_MAX_CLASS_DEPTH 16

/* A class descriptor. */
struct mqd_class {
    char name[64];       /* longer ones are cut */
    uint64_t size;       /* of its objects */
    mqd_taddr parent_ta; /* 0: derived from none */
};
enum mqd_rc mqd_read_class(struct mqd_process *process, mqd_taddr class_ta, struct mqd_class *descriptor) MQD_CHECKED;

/* Is the class descriptor at class_ta, or one that it derives from, called name? */
bool mqd_class_is(struct mqd_process *process, mqd_taddr class_ta, const char *name);

/* Is an object of that class, or of a derived one, at ta? */
bool mqd_object_is(struct mqd_process *process, mqd_taddr ta, const char *name);

#endif
