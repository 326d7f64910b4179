/*
 * debugger.h - the debugger's side of the interface: one function for each callback.
 *
 * Nothing else in the DLL calls through the callback tables. Some debuggers leave callbacks NULL: these functions test
 * that before the call. They also check what a callback returns.
 */
#ifndef MQD_DLL_DEBUGGER_H
#define MQD_DLL_DEBUGGER_H

#include <stddef.h>
#include <stdint.h>

#include "mqd/dll/codes.h"

/* An address in the target; its variables end in _ta. */
typedef uint64_t mqd_taddr;

/* A process or image together with the debugger's functions for it. */
struct dbgr_process {
    mqs_process *process;
    const mqs_process_callbacks *callbacks;
    int failure;                     /* the debugger's code for the last read that it refused */
};
struct dbgr_image {
    mqs_image *image;
    const mqs_image_callbacks *callbacks;
};

/* The target's basic types as the debugger states them, bytes. */
struct dbgr_sizes {
    int pointer_size;
    int long_size;
};

/* The debugger's memory and bookkeeping; the table stays the debugger's. */
void dbgr_use(const mqs_basic_callbacks *callbacks);
bool dbgr_ready(void);

/* Returns `size` bytes with undefined content, or NULL. Release them with dbgr_release, which accepts NULL too. */
void *dbgr_alloc(size_t size);
void dbgr_release(void *memory);

/* The text of any code: the debugger's, if the code is its own and it has a text, else the DLL's. Never NULL. */
const char *dbgr_error_text(int code);

void dbgr_put_image_info(mqs_image *image, void *info);
void *dbgr_get_image_info(mqs_image *image);
void dbgr_put_process_info(mqs_process *process, void *info);
void *dbgr_get_process_info(mqs_process *process);

/* True if the image has the symbol; its address goes to *ta, which may be NULL and is untouched otherwise. */
bool dbgr_find_symbol(const struct dbgr_image *image, const char *name, mqd_taddr *ta);

/* Looks a function up, so that a debugger that reads debug information lazily reads it now (MQD 1.0, 5.6.12). */
void dbgr_touch_function(const struct dbgr_image *image, const char *name);

/* A type handle, valid for the current call only; NULL if the debugger has none of that name. */
mqs_type *dbgr_find_type(const struct dbgr_image *image, const char *name, mqs_lang_code language);

/* The member's offset in bytes, -1 if there is none. */
int32_t dbgr_field_offset(const struct dbgr_image *image, mqs_type *type, const char *member);

/* The type's size in bytes, 0 if the debugger cannot tell. */
int64_t dbgr_sizeof(const struct dbgr_image *image, mqs_type *type);

/* The image that the process runs, with NULL callbacks if the image is not set up. */
mqs_image *dbgr_image_of(const struct dbgr_process *process);
struct dbgr_sizes dbgr_type_sizes(const struct dbgr_image *image, const struct dbgr_process *process);

/*
 * Reads n bytes (1 to INT_MAX). On MQD_RC_unreadable the content of the buffer is undefined; process->failure has the
 * debugger's code, if it was asked.
 */
enum mqd_rc dbgr_fetch(struct dbgr_process *process, mqd_taddr ta, size_t n, void *buffer) MQD_CHECKED;

/* Finds the target's byte order: the debugger converts two known bytes to a number. */
bool dbgr_is_little_endian(const struct dbgr_process *process);

#endif
