/*
 * handle.h - what a debug DLL with the extension tells of objects of MPI, by their handles.
 *
 * A question is a text as the command line has it:
 *
 *   --handle VALUE[:KIND]          what a handle stands for: an address in C, an INTEGER of Fortran, or a name
 *   --communicators, --windows, --files   all of the process, without MPI_COMM_NULL and the like
 *   --requests ADDR,COUNT[:fortran]  the entries of an array of MPI_Request in C, or of INTEGERs of 4 bytes
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_HANDLE_H
#define MQD_DUMP_COLLECT_CLIENT_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/base/shared.h"
#include "mqd/dump/collect/client/dll.h"

#define COMMUNICATORS_QUESTION "--communicators"

/*
 * Of an array, and of an answer: a program that leaks handles has more, and nobody reads them. Of a handle: a DLL that
 * follows a broken list may never end, and ours tells about a thousand items of each list.
 */
enum { MAX_REQUEST_ENTRIES = 4096, MAX_HANDLES = 10000, MAX_HANDLE_ITEMS = 20 * 1000 };

/* As struct mqd_handle_item, in less memory. The text is never NULL. */
struct handle_item {
    int fact, form;
    long index, number;
    mqs_taddr_t address;
    const char *text;
};

struct handle {
    long position;                 /* in the array of --requests; -1: there is none */
    mqs_taddr_t value;             /* the handle, an address or an INTEGER */
    struct mqd_handle_summary summary;  /* zero if `error` says that no object is known */
    struct handle_item *items;
    size_t n, room;
    char *error;                   /* why nothing is told of it, or not all; NULL: all is */
    int reason;                    /* enum mqd_reason of the error */
};

/* What the DLL has said to one question. */
struct handle_answer {
    char *question;
    struct handle *handles;
    size_t n, room;
    struct texts *texts;           /* of the items */
    char *error;                   /* why some are missing, or all; NULL: none is */
    int reason;
};

/* Is it a question? False, with the reason in *why, if not: what is wrong with it, and what to write instead. */
bool handle_question_is_valid(const char *question, char **why);

/* Asks a valid question, after mqs_update_communicator_list at the same stop. */
struct handle_answer handle_answer_take(const char *question, const struct dll *dll, mqs_process *process);

/* Is it a fact in the form that mqd_extension.h says, or one that is not known here? */
bool handle_item_has_its_form(const struct handle_item *item);

/* Is everything there that was asked for? */
bool handle_answer_is_complete(const struct handle_answer *answer);

/* Removes the MPI library's own communicators from the answer to COMMUNICATORS_QUESTION. */
void handle_answer_hide_internal(struct handle_answer *answer);

/* The first item that tells a fact, of *n that follow each other; NULL: none does, and *n is 0. */
const struct handle_item *handle_find(const struct handle *handle, int fact, size_t *n);

/* The number, truth or address of that item; `absent` if there is none. */
long handle_number(const struct handle *handle, int fact, long absent);

void handle_answer_clear(struct handle_answer *answer);

#endif
