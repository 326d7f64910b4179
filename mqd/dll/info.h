/*
 * info.h - which of the pointers that a debugger keeps for us are ours.
 *
 * A debugger is asked for what was hung on an image or a process before anything was, to free what an earlier set-up
 * left; and what was destroyed may still hang there. padb keeps its image and its process in memory that it never
 * initialises. So a pointer from a debugger is believed only where it may not be one of ours, by comparing it with all
 * that are: it is not followed. This is the one list that images and processes share; any thread may use it.
 */
#ifndef MQD_DLL_INFO_H
#define MQD_DLL_INFO_H

#include <stdbool.h>

/* The first member of what is hung on an image or a process. */
struct mqd_info {
    struct mqd_info *next;
    const void *owner;       /* the debugger's image or process */
};

/* From here on, until mqd_info_remove, `info` is what belongs to `owner`. */
void mqd_info_add(struct mqd_info *info, const void *owner);

/* Was `candidate` one of ours? It is none any more. */
bool mqd_info_remove(const void *candidate);

/* Is `candidate` ours, and what belongs to `owner`? */
bool mqd_info_belongs(const void *candidate, const void *owner);

#endif
