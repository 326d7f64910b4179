/* fake_place.h - what the templates of builds use: names, types that not every build has, and where members lie. */
#ifndef FAKE_PLACE_H
#define FAKE_PLACE_H

#include "fake_build.h"

#define FAKE_PASTE(one, other) FAKE_PASTE_EXPANDED(one, other)
#define FAKE_PASTE_EXPANDED(one, other) one##other

typedef char fake_text[64], fake_key[37];

/* A type without bytes, which moves no other member. */
struct fake_absent {
};
#define FAKE_EITHER(condition, type, other) __typeof__(*__builtin_choose_expr(condition, (type *)0, (other *)0))
#define FAKE_IF(condition, type) FAKE_EITHER(condition, type, struct fake_absent)

/* A structure of this build, with its members as C declares them. */
#define FAKE_STRUCT(type, ...) typedef struct { __VA_ARGS__ } FAKE_NAME(type);

/* Offset and size of a member, as the compiler says. */
#define FAKE_BYTES(type, member) sizeof(((FAKE_NAME(type) *)0)->member)
#define FAKE_PLACE(type, member) \
    FAKE_BYTES(type, member) > 0 ? offsetof(FAKE_NAME(type), member) : FAKE_ABSENT, FAKE_BYTES(type, member)

enum { FAKE_HAS_plain, FAKE_HAS_class };

#endif
