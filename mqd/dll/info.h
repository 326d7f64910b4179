/*
 * info.h - which of the pointers that a debugger keeps for the DLL are valid.
 *
 * The debugger keeps one pointer of the DLL for each image and each process. The DLL asks for this pointer before it
 * has set one, to free what an earlier set-up has left. The answer may be wrong: padb keeps its image and its process
 * in memory that it never initialises, and a debugger may return the pointer to an object that was destroyed. So the
 * DLL keeps a list of its own objects. It dereferences a pointer from the debugger only if the pointer is in this list.
 * Images and processes share the list; any thread may use it.
 */
#ifndef MQD_DLL_INFO_H
#define MQD_DLL_INFO_H

#include <stdbool.h>

/* The first member of the DLL's object for an image or a process. */
struct mqd_info {
    struct mqd_info *next;
    const void *owner;       /* the debugger's image or process */
};

/* Adds `info`, the object of `owner`, to the list. It stays there until mqd_info_remove. */
void mqd_info_add(struct mqd_info *info, const void *owner);

/* Removes `candidate` from the list. Returns whether it was there. Does not dereference it. */
bool mqd_info_remove(const void *candidate);

/* Is `candidate` in the list, as the object of `owner`? Does not dereference it otherwise. */
bool mqd_info_belongs(const void *candidate, const void *owner);

#endif
