/*
 * mpi_interface.h - the MPI Message Queue Dumping interface, version 1.0.
 *
 * A debugger loads a library (the debug DLL) that knows an MPI implementation; the two talk through the types and
 * functions below. The binary interface is the one of the MPI Forum document "MPI Message Queue Dumping Interface,
 * Version 1.0", as debuggers use it (compatibility level 2); paragraph numbers refer to that text. The debugger calls
 * the mqs_* functions at the end; the DLL calls back through the tables of function pointers before them.
 *
 * Functions return mqs_ok or another code unless they say otherwise. Codes from mqs_first_user_code on belong to
 * whoever returns them: mqs_dll_error_string explains the DLL's, mqs_errorstring_fp the debugger's.
 */
#ifndef MPI_INTERFACE_H
#define MPI_INTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define MQS_ENTRY __attribute__((visibility("default"))) extern
#else
#define MQS_ENTRY extern
#endif

/* 5.1: the version of this interface; a debugger refuses a DLL that answers another one. */
enum { MQS_INTERFACE_COMPATIBILITY = 2 };

/* 5.2: result codes. What iterators return when they have no more is mqs_end_of_list. */
enum { mqs_ok = 0, mqs_no_information, mqs_end_of_list, mqs_first_user_code = 100 };

/* 5.3: the language a name is to be looked up in. */
typedef enum { mqs_lang_c = 'c', mqs_lang_cplus = 'C', mqs_lang_f77 = 'f', mqs_lang_f90 = 'F' } mqs_lang_code;

/* 5.3: the three queues of a communicator. */
typedef enum { mqs_pending_sends, mqs_pending_receives, mqs_unexpected_messages } mqs_op_class;

/* 5.3: the state of an operation. */
enum mqs_status { mqs_st_pending, mqs_st_matched, mqs_st_complete };

/* 5.3: a rank that is no process of MPI_COMM_WORLD, or any process. */
enum { MQS_INVALID_PROCESS = -1 };

/* 5.3: wide enough for an address and for a word of any target; mqs_dll_taddr_width tells the debugger how wide. */
typedef unsigned long mqs_taddr_t;
typedef long mqs_tword_t;

/* 5.3: the debugger's own objects: the DLL passes them back and never looks inside. */
typedef struct mqs_image_ mqs_image;
typedef struct mqs_process_ mqs_process;
typedef struct mqs_type_ mqs_type;

/* 5.3: the DLL's own objects, which the debugger keeps for it: the debugger never looks inside. */
typedef struct _mqs_image_info mqs_image_info;
typedef struct _mqs_process_info mqs_process_info;

/*
 * 5.3: sizes of the target's types, in bytes. The document has the first five. Open MPI's edition of this header has
 * two more, so a debugger built with it writes seven: a DLL must leave room for seven, a debugger may write five only.
 */
typedef struct {
    int short_size;
    int int_size;
    int long_size;
    int long_long_size;
    int pointer_size;
} mqs_target_type_sizes;

/* 5.3: one communicator as the current process sees it. */
typedef struct {
    mqs_taddr_t unique_id;  /* tells communicators apart; not the handle */
    mqs_tword_t local_rank; /* of this process in it */
    mqs_tword_t size;       /* number of processes; of the local group for an intercommunicator */
    char name[64];          /* NUL-terminated; "" if it has none */
} mqs_communicator;

/*
 * 5.3: one operation. Ranks are relative to the communicator (local) or to MPI_COMM_WORLD (global), -1 is any process.
 * Lengths are in bytes. The document's 5.5.2 has the meaning of tag_wild inverted: desired_tag counts if it is 0.
 */
typedef struct {
    int status;                      /* enum mqs_status */
    mqs_tword_t desired_local_rank;  /* source asked for, or destination */
    mqs_tword_t desired_global_rank;
    int tag_wild;                    /* not 0: a receive with any tag */
    mqs_tword_t desired_tag;
    mqs_tword_t desired_length;      /* bytes of the buffer, or of the message to send */
    int system_buffer;               /* not 0: the data is in a buffer of the library's, not the user's */
    mqs_taddr_t buffer;              /* address of the data in the target */
    /* Meaningful for sends, and for others from mqs_st_matched on. */
    mqs_tword_t actual_local_rank;
    mqs_tword_t actual_global_rank;
    mqs_tword_t actual_tag;
    mqs_tword_t actual_length;
    /* Lines for the user, NUL-terminated, ended by an empty one if there are fewer than five. */
    char extra_text[5][64];
} mqs_pending_operation;

/* 5.4.1: memory and bookkeeping in the debugger. The DLL allocates with mqs_malloc_fp only, which may return NULL. */
typedef void *(*mqs_malloc_ft)(size_t);
typedef void (*mqs_free_ft)(void *);
typedef void (*mqs_dprints_ft)(const char *);
typedef char *(*mqs_errorstring_ft)(int);
typedef void (*mqs_put_image_info_ft)(mqs_image *, mqs_image_info *);
typedef mqs_image_info *(*mqs_get_image_info_ft)(mqs_image *);
typedef void (*mqs_put_process_info_ft)(mqs_process *, mqs_process_info *);
typedef mqs_process_info *(*mqs_get_process_info_ft)(mqs_process *);

typedef struct mqs_basic_callbacks {
    mqs_malloc_ft mqs_malloc_fp;
    mqs_free_ft mqs_free_fp;
    mqs_dprints_ft mqs_dprints_fp;         /* may be NULL in practice */
    mqs_errorstring_ft mqs_errorstring_fp; /* may be NULL in practice */
    mqs_put_image_info_ft mqs_put_image_info_fp;
    mqs_get_image_info_ft mqs_get_image_info_fp;
    mqs_put_process_info_ft mqs_put_process_info_fp;
    mqs_get_process_info_ft mqs_get_process_info_fp;
} mqs_basic_callbacks;

/*
 * 5.4.2: names and types of an image. Functions and symbols: mqs_ok and the address, or another code; the address
 * pointer of mqs_find_function_ft may be NULL. Types: NULL if there is none. A member that a type does not have has
 * offset -1. A lookup may make the debugger read more debug information (5.6.12), so a second one can succeed.
 */
typedef void (*mqs_get_type_sizes_ft)(mqs_process *, mqs_target_type_sizes *);
typedef int (*mqs_find_function_ft)(mqs_image *, char *, mqs_lang_code, mqs_taddr_t *);
typedef int (*mqs_find_symbol_ft)(mqs_image *, char *, mqs_taddr_t *);
typedef mqs_type *(*mqs_find_type_ft)(mqs_image *, char *, mqs_lang_code);
typedef int (*mqs_field_offset_ft)(mqs_type *, char *);
typedef int (*mqs_sizeof_ft)(mqs_type *);

typedef struct mqs_image_callbacks {
    mqs_get_type_sizes_ft mqs_get_type_sizes_fp;
    mqs_find_function_ft mqs_find_function_fp;
    mqs_find_symbol_ft mqs_find_symbol_fp;
    mqs_find_type_ft mqs_find_type_fp;
    mqs_field_offset_ft mqs_field_offset_fp;
    mqs_sizeof_ft mqs_sizeof_fp; /* may be NULL in practice */
} mqs_image_callbacks;

/*
 * 5.4.3: memory of a process. mqs_fetch_data_ft reads so many bytes, all of them or none, in the target's byte order;
 * mqs_target_to_host_ft brings one number of 1, 2, 4 or 8 bytes into the host's.
 */
typedef int (*mqs_get_global_rank_ft)(mqs_process *);
typedef mqs_image *(*mqs_get_image_ft)(mqs_process *);
typedef int (*mqs_fetch_data_ft)(mqs_process *, mqs_taddr_t, int, void *);
typedef void (*mqs_target_to_host_ft)(mqs_process *, const void *, void *, int);

typedef struct mqs_process_callbacks {
    mqs_get_global_rank_ft mqs_get_global_rank_fp;
    mqs_get_image_ft mqs_get_image_fp;
    mqs_fetch_data_ft mqs_fetch_data_fp;
    mqs_target_to_host_ft mqs_target_to_host_fp;
} mqs_process_callbacks;

/*
 * 5.5.1: the DLL as a whole. The debugger keeps every callback table, and every string stays the DLL's.
 * mqs_dll_taddr_width is the size of mqs_taddr_t in bytes. mqs_dll_error_string never returns NULL.
 */
MQS_ENTRY void mqs_setup_basic_callbacks(const mqs_basic_callbacks *callbacks);
MQS_ENTRY char *mqs_version_string(void);
MQS_ENTRY int mqs_version_compatibility(void);
MQS_ENTRY int mqs_dll_taddr_width(void);
MQS_ENTRY char *mqs_dll_error_string(int code);

/*
 * 5.5.2: an executable image. mqs_setup_image hangs the DLL's information on it. mqs_image_has_queues says whether its
 * processes may have queues; *message is for a printf with the image's name, NULL if there is nothing to say. The image
 * that mqs_get_image_fp returns for a process may be another key for the same image: what counts is the information
 * that hangs on it. mqs_destroy_image_info returns mqs_ok; in Open MPI's edition of this header it returns nothing.
 */
MQS_ENTRY int mqs_setup_image(mqs_image *image, const mqs_image_callbacks *callbacks);
MQS_ENTRY int mqs_image_has_queues(mqs_image *image, char **message);
MQS_ENTRY int mqs_destroy_image_info(mqs_image_info *info);

/* 5.5.3: a process of such an image, in the same manner. */
MQS_ENTRY int mqs_setup_process(mqs_process *process, const mqs_process_callbacks *callbacks);
MQS_ENTRY int mqs_process_has_queues(mqs_process *process, char **message);
MQS_ENTRY int mqs_destroy_process_info(mqs_process_info *info);

/*
 * 5.5.4: communicators. The debugger asks for an update whenever the process has run, then steps: set up, get and
 * next until mqs_end_of_list. mqs_get_comm_group writes as many ranks in MPI_COMM_WORLD as mqs_get_communicator said.
 */
MQS_ENTRY int mqs_update_communicator_list(mqs_process *process);
MQS_ENTRY int mqs_setup_communicator_iterator(mqs_process *process);
MQS_ENTRY int mqs_get_communicator(mqs_process *process, mqs_communicator *communicator);
MQS_ENTRY int mqs_get_comm_group(mqs_process *process, int *group);
MQS_ENTRY int mqs_next_communicator(mqs_process *process);

/* 5.5.5: operations of the current communicator; `op` is an mqs_op_class. */
MQS_ENTRY int mqs_setup_operation_iterator(mqs_process *process, int op);
MQS_ENTRY int mqs_next_operation(mqs_process *process, mqs_pending_operation *operation);

#ifdef __cplusplus
}
#endif

#endif
