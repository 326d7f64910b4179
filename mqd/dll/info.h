/*
 * info.h - which of the pointers that a debugger keeps for the DLL are valid.
 *
 * The debugger keeps one pointer of the DLL for each image and each process. It may return a wrong one: padb keeps its
 * image and its process in memory that it never initialises, and a debugger may return the pointer to an object that
 * was destroyed. So the DLL keeps a list of its own objects, and dereferences a pointer from the debugger only if it is
 * in this list. What an earlier set-up has left is found there too: before it has put a pointer the DLL asks for none.
 * Images and processes share the list; any thread may use it, also in the child of a fork.
 */
#ifndef MQD_DLL_INFO_H
#define MQD_DLL_INFO_H

#include <stdbool.h>

enum mqd_info_kind { MQD_INFO_image, MQD_INFO_process };

/* The first member of the DLL's object for an image or a process. */
struct mqd_info {
    struct mqd_info *next;
    const void *owner;       /* the debugger's image or process that it was set up for */
    enum mqd_info_kind kind;
};

/* Adds `info`, the object of `owner`, to the list. It stays there until mqd_info_remove. */
void mqd_info_add(struct mqd_info *info, const void *owner, enum mqd_info_kind kind);

/* Removes `candidate` from the list, if it is an object of that kind there. Returns whether it was. Does not dereference
   it otherwise. */
bool mqd_info_remove(const void *candidate, enum mqd_info_kind kind);

/* Is `candidate` in the list, as an object of that kind? Does not dereference it otherwise. */
bool mqd_info_is(const void *candidate, enum mqd_info_kind kind);

/* The object of that kind that was last added for `owner`; NULL if there is none. */
struct mqd_info *mqd_info_of(const void *owner, enum mqd_info_kind kind);

#endif
