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

enum field_kind {
    FIELD_TRUTH,           /* bool */
    FIELD_SIGNED,          /* int, long */
    FIELD_UNSIGNED,        /* size_t and other types without sign */
    FIELD_ADDRESS,         /* the same, as an address */
    FIELD_REAL,            /* double */
    FIELD_LETTER,          /* char */
    FIELD_CHARS,           /* an array of char, ended by NUL */
    FIELD_LINE,            /* the same, but without NUL if it is full */
    FIELD_STRING,          /* char *, or const char *: for free() */
    FIELD_ELSEWHERE        /* written and read by a function of its own, or made from other members */
};

/* One member. It is not written if it has the value `absent`, or no value. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset, size;
    int64_t least, most;   /* of a number with sign. What is written is forced into this range */
    int64_t absent;        /* of a number with sign; all others: 0, false, nothing */
};

struct field_table {
    const char *name;      /* of what it describes, for messages: "operation" */
    const struct field *fields;
    size_t n;
    size_t size;           /* of the structure */
};

#define FIELD_KIND(value)                                                                                              \
    _Generic((value), bool: FIELD_TRUTH, int: FIELD_SIGNED, long: FIELD_SIGNED, unsigned: FIELD_UNSIGNED,              \
             unsigned long: FIELD_UNSIGNED, unsigned long long: FIELD_UNSIGNED, double: FIELD_REAL,                    \
             char: FIELD_LETTER, char *: FIELD_STRING, const char *: FIELD_STRING)
#define FIELD_MEMBER(type, member) ((type *)0)->member
#define FIELD_PLACE(type, member) offsetof(type, member), sizeof FIELD_MEMBER(type, member)

/* Rows: a member of any type but an array; a number with sign and its range; an address; an array of char; the rest. */
#define FIELD(type, key, member)                                                                                       \
    {key, FIELD_KIND(FIELD_MEMBER(type, member)), FIELD_PLACE(type, member),                                           \
     sizeof FIELD_MEMBER(type, member) == sizeof(int) ? INT_MIN : INT64_MIN,                                           \
     sizeof FIELD_MEMBER(type, member) == sizeof(int) ? INT_MAX : INT64_MAX, 0}
#define NUMBER(type, key, member, ... /* least, most, absent */)                                                       \
    {key, FIELD_KIND(FIELD_MEMBER(type, member)), FIELD_PLACE(type, member), __VA_ARGS__}
#define ADDRESS(type, key, member) {key, FIELD_ADDRESS, FIELD_PLACE(type, member), 0, 0, 0}
#define CHARS(type, key, member) {key, FIELD_CHARS, FIELD_PLACE(type, member), 0, 0, 0}
#define ELSEWHERE(type, member) {NULL, FIELD_ELSEWHERE, FIELD_PLACE(type, member), 0, 0, 0}

/* Adds the members of the structure to the object. */
void fields_write(json_t *object, const struct field_table *table, const void *from);

/*
 * Reads what the object has into a structure that is zeroed or filled before; the other members that the table names
 * get the value that stands for absent ones. False, with the reason in *why, if a value is wrong; the strings that were
 * read before are in *to then.
 */
bool fields_read(const json_t *object, const struct field_table *table, void *to, char **why);

/*
 * One member at its place, for column.h. field_write writes absent values too; field_read reads into a place that is
 * zeroed; field_clear puts the value that stands for absent ones.
 */
json_t *field_write(const struct field *field, const char *place);
bool field_is_absent(const struct field *field, const char *place);
bool field_read(const struct field *field, const json_t *value, char *place, char **why);
void field_clear(const struct field *field, char *place);

/*
 * A number or a truth as a number without sign: larger ones have larger ones. field_put_number returns false, and puts
 * nothing, if the number is none that the member may have.
 */
uint64_t field_number(const struct field *field, const char *place);
bool field_put_number(const struct field *field, char *place, uint64_t number);

/* Of an array of char: how many it may have, besides NUL. */
size_t field_room(const struct field *field);

/* Frees the strings. */
void fields_free(const struct field_table *table, void *of);

#endif
