/*
 * facts.h - what is found out about the object that a handle stands for, item by item.
 */
#ifndef MQD_DLL_HANDLE_FACTS_H
#define MQD_DLL_HANDLE_FACTS_H

#include "mqd/dll/snapshot.h"

/* Items of one list that are told: members, neighbours, integers of a datatype, attributes. */
enum { MQD_MAX_HANDLE_LIST = 1024 };

/* Appends an item to process->snapshot.handle, zeroed but for these. NULL if there is no memory, which is noted. */
struct mqd_handle_item *mqd_fact_append(struct mqd_process *process, enum mqd_handle_fact fact,
                                        enum mqd_fact_form form, long index);

/* The same with a value. */
void mqd_fact_number(struct mqd_process *process, enum mqd_handle_fact fact, long index, long long number);
void mqd_fact_truth(struct mqd_process *process, enum mqd_handle_fact fact, bool truth);
void mqd_fact_address(struct mqd_process *process, enum mqd_handle_fact fact, mqd_taddr ta);
void mqd_fact_text(struct mqd_process *process, enum mqd_handle_fact fact, long index, const char *text);

/* An object that a handle stands for: its address, and its name if it has one. Nothing if ta is 0. */
void mqd_fact_handle(struct mqd_process *process, enum mqd_handle_fact fact, long index, enum mqd_handle_kind kind,
                     mqd_taddr ta);

/* Do objects of that kind have names? */
bool mqd_has_names(enum mqd_handle_kind kind);

/* Writes the name of the object of that kind at ta; "" if it has none, or if it cannot be read. */
void mqd_handle_name(struct mqd_process *process, enum mqd_handle_kind kind, mqd_taddr ta, char *name, size_t n_room);

/* The number at a path of a view, a truth where it is a bool; nothing where the layout in force does not have it. */
void mqd_fact_at(struct mqd_process *process, enum mqd_handle_fact fact, struct mqd_view *view, enum mqd_path_id path);

/* How many of an array of n elements at ta are told: the first ones at most. Notes why the others are not. */
long mqd_count_told(struct mqd_process *process, mqd_taddr ta, int64_t n);

/* The array of n numbers of a kind at ta. If it has more than MQD_MAX_HANDLE_LIST the first ones are told. */
void mqd_fact_numbers(struct mqd_process *process, enum mqd_handle_fact fact, enum mqd_fact_form form, mqd_taddr ta,
                      int64_t n, enum mqd_kind kind);

/*
 * The address that a member holds, also one whose kind is only known as bytes, such as a union of pointers; 0 if the
 * layout in force does not have it. _size_at is the same for a number of 4 or 8 bytes, by the size that the member has.
 */
mqd_taddr mqd_address_at(struct mqd_view *view, enum mqd_path_id path);
int64_t mqd_size_at(struct mqd_view *view, enum mqd_path_id path);

/* What a number in the process means: that of the row whose constant has this value, 0 if none has. */
struct mqd_meaning {
    enum mqd_constant_id constant;
    int meaning;
};
int mqd_meaning_of(const struct mqd_process *process, const struct mqd_meaning *rows, size_t n_rows, int64_t number);
#define MQD_MEANING_OF(process, rows, number) \
    mqd_meaning_of((process), (rows), sizeof(rows) / sizeof((rows)[0]), (number))

/* Notes why something is not told; the first reason stays. */
void mqd_fact_missing(struct mqd_process *process, enum mqd_rc rc);

#endif
