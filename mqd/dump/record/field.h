/*
 * field.h - members of structures as members of JSON objects: one table, by which they are written and read.
 */
#ifndef MQD_DUMP_RECORD_FIELD_H
#define MQD_DUMP_RECORD_FIELD_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mqd/dump/base/shared.h"
#include "mqd/dump/record/names.h"

enum field_kind {
    FIELD_TRUTH,           /* bool */
    FIELD_FLAG,            /* bool, as a number, of which others than 0 are true */
    FIELD_SIGNED,          /* int, long */
    FIELD_UNSIGNED,        /* size_t and other types without sign */
    FIELD_ADDRESS,         /* the same, as an address */
    FIELD_REAL,            /* double */
    FIELD_LETTER,          /* char */
    FIELD_CHARS,           /* an array of char, ended by NUL */
    FIELD_STRING,          /* char *, or const char *: for free() */
    FIELD_TEXT,            /* const char *: of shared.h, "" is nothing, and NULL is written as "" */
    FIELD_PART,            /* a structure, as an object */
    FIELD_LIST,            /* a pointer to an array for free(), as a list of objects */
    FIELD_ARRAY,           /* an array, as a list of so many objects */
    FIELD_CODED,           /* written and read as the row's codec does */
    FIELD_ELSEWHERE        /* written and read by a function of its own, or made from other members */
};

/* How --json prints a value. */
enum shown_as {
    SHOWN_NUMBER, SHOWN_TRUTH, SHOWN_NOT, SHOWN_NAME, SHOWN_ADDRESS,
    SHOWN_STRING,          /* an empty one too */
    SHOWN_TEXT,            /* null if it is empty or NULL */
    SHOWN_WORDS,           /* words of an array of char, between spaces, as a list */
    SHOWN_PART,            /* what its table shows, as an object */
    SHOWN_HERE,            /* the same at places of its own beside the other members; the row has none */
    SHOWN_LIST,            /* the same of each element, as a list */
    SHOWN_BY               /* by a function */
};

/*
 * What --json prints of a member, if anything: `at` is its place among the shown ones of its structure, from 1 on. What
 * is not known is null: what is below the least value, an enumerator without a name, and all if the member of the
 * structure that `condition` names is 0, or is not.
 */
struct shown {
    int at;
    const char *key;       /* "types.all" is the member "all" of an object "types", which has those that follow too */
    enum shown_as as;
    bool limited;          /* there is a least value: */
    int64_t least;
    const struct names *names;
    void (*print)(FILE *to, const void *of); /* the value; `of` is the structure */
    struct {
        size_t offset, size;   /* of a bool or an int; a size of 0: there is no condition */
        bool is_not;
    } condition;
    bool optional;         /* it is left out, and not null, if the record has not got it */
};

/* How members of a type of their own are written and read: `place` is that of the member. */
struct codec {
    json_t *(*write)(const void *place);   /* NULL: they are not */
    bool (*read)(const struct codec *codec, void *place, const json_t *value, char **why);
    bool (*is_valid)(const char *text);    /* of each text that they have; NULL: all are */
    const char *what;                      /* such a text is called, in messages */
    size_t most;                           /* of several: how many there may be */
};

/* One member. It is not written if it has the value `absent`, or no value. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, size;
    int64_t least, most;   /* of a number with sign. What is written is forced into this range */
    int64_t absent;        /* of a number with sign; all others: 0, false, nothing */
    size_t room;           /* of texts: how many bytes they may have, besides NUL */
    const struct field_table *table; /* of parts and of the elements of lists and arrays */
    bool always;           /* a part or a list is written even if there is nothing in it */
    size_t count;          /* of lists: where the structure has their length */
    const struct codec *codec;
    bool needed;           /* a record in which nothing is there is refused: see field_table.lack */
    const char *of;        /* what it is said to be a member of, in messages; NULL: of what the table describes */
    struct shown shown;
};

struct field_table {
    const char *name;      /* of what it describes, for messages: "operation" */
    const struct field *fields;
    size_t n;
    size_t size;           /* of the structure */
    const char *lack;      /* the message if a member that is needed is not there */
    bool is_whole;         /* absent members are written too, and each must be there */
    bool is_tuple;         /* the same, and it is an array of the values */
};

#define FIELD_KIND(value)                                                                                              \
    _Generic((value), bool: FIELD_TRUTH, int: FIELD_SIGNED, long: FIELD_SIGNED, unsigned: FIELD_UNSIGNED,              \
             unsigned short: FIELD_UNSIGNED, unsigned long: FIELD_UNSIGNED, unsigned long long: FIELD_UNSIGNED, double: FIELD_REAL,                    \
             char: FIELD_LETTER, char *: FIELD_STRING, const char *: FIELD_STRING)
#define FIELD_MEMBER(type, member) ((type *)0)->member

/*
 * Rows, in braces: a member of any type but an array; a number with sign and its range; an address; an array of char; a
 * text of shared.h; the rest. What a row has besides them follows: {FIELD(...), .part = ...}.
 */
#define ROW(type, key_, kind_, member) .key = key_, .kind = kind_, FIELD_PLACE(type, member)
#define FIELD_PLACE(type, member) .offset = offsetof(type, member), .size = sizeof FIELD_MEMBER(type, member)
#define FIELD(type, key, member)                                                                                       \
    ROW(type, key, FIELD_KIND(FIELD_MEMBER(type, member)), member),                                                    \
        .least = sizeof FIELD_MEMBER(type, member) == sizeof(int) ? INT_MIN : INT64_MIN,                               \
        .most = sizeof FIELD_MEMBER(type, member) == sizeof(int) ? INT_MAX : INT64_MAX
#define NUMBER(type, key, member, ... /* least, most, absent */)                                                       \
    ROW(type, key, FIELD_KIND(FIELD_MEMBER(type, member)), member), FIELD_RANGE(__VA_ARGS__)
#define FIELD_RANGE(least_, most_, absent_) .least = least_, .most = most_, .absent = absent_
#define FLAG(type, key, member) ROW(type, key, FIELD_FLAG, member), FIELD_RANGE(INT_MIN, INT_MAX, 0)
#define ADDRESS(type, key, member) ROW(type, key, FIELD_ADDRESS, member)
#define CHARS(type, key, member)                                                                                       \
    ROW(type, key, FIELD_CHARS, member), .room = sizeof FIELD_MEMBER(type, member) - 1
#define TEXT(type, key, member, room_) ROW(type, key, FIELD_TEXT, member), .room = room_
#define PART(type, key, member, table_) ROW(type, key, FIELD_PART, member), .table = &table_##_fields
#define LIST(type, key, member, n_member, table_)                                                                      \
    ROW(type, key, FIELD_LIST, member), .table = &table_##_fields, .count = offsetof(type, n_member)
#define ARRAY(type, key, member, table_) ROW(type, key, FIELD_ARRAY, member), .table = &table_##_fields
#define CODED(type, key, member, codec_) ROW(type, key, FIELD_CODED, member), .codec = &(codec_)
#define ELSEWHERE(type, member) ROW(type, NULL, FIELD_ELSEWHERE, member)

/* What --json prints of a row: {FIELD(...), JSON(3, "size", AS(NUMBER), LEAST(0))}. */
#define JSON(at_, key_, ... /* how */) .shown = {.at = at_, .key = key_, __VA_ARGS__}
#define LEAST(least_) .limited = true, .least = least_
#define NAMED(names_) .as = SHOWN_NAME, .names = &names_##_names
#define AS(as_) .as = SHOWN_##as_
#define HERE .shown = {.as = SHOWN_HERE}
#define BY(print_) .as = SHOWN_BY, .print = print_
#define UNLESS(type, member)                                                                                           \
    .condition = {.offset = offsetof(type, member), .size = sizeof FIELD_MEMBER(type, member), .is_not = true}
#define IF(type, member) .condition = {.offset = offsetof(type, member), .size = sizeof FIELD_MEMBER(type, member)}
#define OPTIONAL .optional = true

/* A structure as an object, or a tuple; its members, which are added to one; an array of structures as a list. */
json_t *fields_object(const struct field_table *table, const void *from);
void fields_write(json_t *object, const struct field_table *table, const void *from);
json_t *fields_list(const struct field_table *table, const void *array, size_t n);

/*
 * Reads what the object, or NULL, has into a structure that is zeroed or filled before; the other members that the table
 * names get the value that stands for absent ones. Texts of FIELD_TEXT are added to *texts, if there are any. False, with
 * the reason in *why, if a value is wrong; the strings that were read before are in *to then.
 */
bool fields_read(const json_t *object, const struct field_table *table, void *to, struct texts **texts, char **why);

/* How many elements a list of the structure has. */
size_t field_count(const struct field *field, const void *of);

/* Says what is wrong with a row's member. False. */
bool field_refuse(const struct field *field, const struct field_table *table, const char *reason, char **why);

/*
 * One value at its place. field_write writes absent ones too; field_read reads into a place that is zeroed; field_clear
 * puts the value that stands for absent ones.
 */
json_t *field_write(const struct field *field, const char *place);
bool field_is_absent(const struct field *field, const char *place);
bool field_read(const struct field *field, const json_t *value, char *place, struct texts **texts, char **why);
void field_clear(const struct field *field, char *place);

/* A truth, or a number; one without sign may be beyond INT64_MAX. */
int64_t field_integer(const struct field *field, const char *place);

/*
 * A number or a truth as a number without sign: larger ones have larger ones. field_put_number returns false, and puts
 * nothing, if the number is none that the member may have.
 */
uint64_t field_number(const struct field *field, const char *place);
bool field_put_number(const struct field *field, char *place, uint64_t number);

/* The text at a place of FIELD_CHARS, FIELD_TEXT or FIELD_STRING; NULL: there is none. */
const char *field_text(const struct field *field, const char *place);

/* Frees strings and lists. */
void fields_free(const struct field_table *table, void *of);

#endif
