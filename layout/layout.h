/*
 * layout.h - what a layout is, and how one comes into force.
 *
 * Everything here is a pure function of its arguments: no callbacks, no memory, no state, no Open MPI headers.
 * The ids of libraries, types, steps and paths are generated from the lists: one for each library that is read. All ids
 * of a library are consecutive.
 */
#ifndef MQD_LAYOUT_H
#define MQD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the lists are: the debug DLL reads the libraries of lists.def, mqdump itself those of runtimes.def. */
#ifndef MQD_LISTS
#define MQD_LISTS "layout/lists.def"
#define MQD_LISTS_OF_DLL
#endif

/* How a number in memory is encoded. The widths of ptr and size come from the target's ABI. */
enum mqd_kind {
    MQD_KIND_none, /* nothing is known: never read */
    MQD_KIND_i8,
    MQD_KIND_i16,
    MQD_KIND_i32,
    MQD_KIND_i64,
    MQD_KIND_u8,
    MQD_KIND_u16,
    MQD_KIND_u32,
    MQD_KIND_u64,
    MQD_KIND_ptr,
    MQD_KIND_size,
    MQD_KIND_enum,
    MQD_KIND_bool,
    MQD_KIND_chars,
    MQD_KIND_bytes,
    MQD_KIND_struct,
    MQD_KIND__Bool = MQD_KIND_bool /* as MQD_FIELD hands `bool` on where that is a macro */
};

enum mqd_form { MQD_FORM_struct, MQD_FORM_union, MQD_FORM_tag };
enum mqd_size_rule { MQD_SIZE_exact, MQD_SIZE_at_least };
enum mqd_descriptor { MQD_DESCRIPTOR_plain, MQD_DESCRIPTOR_class };
enum mqd_rule { MQD_RULE_always, MQD_RULE_varies, MQD_RULE_optional, MQD_RULE_by_release };

/* Empty definitions of the macros of the lists. Whoever includes the lists redefines those that it needs. */
#define MQD_LIBRARY(library, title)
#define MQD_HEADER(path, rule)
#define MQD_TYPE(type, form, size, descriptor)
#define MQD_STEP(type, member, kind, rule)
#define MQD_EMBED(type, member, inner, rule)
#define MQD_NESTED(type, member, ways, kind, rule)
#define MQD_PATH(path, parent, type, member, need)
#define MQD_CONSTANT(name, expression, kind, rule, need)
#define MQD_CAPABILITY(name, text)

/* A step and its path. Whatever these two are redefined as, it follows. */
#define MQD_FIELD(type, member, kind, rule, path, need) \
    MQD_STEP(type, member, kind, rule) MQD_PATH(path, root, type, member, need)

/* mqd_library: MQD_LIBRARY_openmpi ... */
#undef MQD_LIBRARY
#define MQD_LIBRARY(library, title) MQD_LIBRARY_##library,
enum mqd_library {
#include MQD_LISTS
    MQD_N_LIBRARIES
};
#undef MQD_LIBRARY
#define MQD_LIBRARY(library, title)

/* mqd_type_id: MQD_TYPE_opal_object_t ... in the lists' order. */
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor) MQD_TYPE_##type,
enum mqd_type_id {
#include MQD_LISTS
    MQD_N_TYPES
};
#undef MQD_TYPE

/*
 * mqd_step_id: MQD_STEP_opal_object_t__obj_class ... in the lists' order; the steps of a type are consecutive, from
 * MQD_FIRST_type on. The second enumerator of each type takes back the number that the first one used up.
 */
#define MQD_TYPE(type, form, size, descriptor) MQD_FIRST_##type, MQD_REWIND_##type = MQD_FIRST_##type - 1,
#undef MQD_STEP
#undef MQD_EMBED
#undef MQD_NESTED
#define MQD_STEP(type, member, kind, rule) MQD_STEP_##type##__##member,
#define MQD_EMBED(type, member, inner, rule) MQD_STEP_##type##__##member,
#define MQD_NESTED(type, member, ways, kind, rule) MQD_STEP_##type##__##member,
enum mqd_step_id {
#include MQD_LISTS
    MQD_N_STEPS
};
#undef MQD_TYPE
#define MQD_TYPE(type, form, size, descriptor)
#undef MQD_STEP
#define MQD_STEP(type, member, kind, rule)
#undef MQD_EMBED
#define MQD_EMBED(type, member, inner, rule)
#undef MQD_NESTED
#define MQD_NESTED(type, member, ways, kind, rule)

/* mqd_path_id: MQD_PATH_recv_tag ...; MQD_PATH_root is the object itself. */
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need) MQD_PATH_##path,
enum mqd_path_id {
    MQD_PATH_root,
#include MQD_LISTS
    MQD_N_PATHS
};
#undef MQD_PATH
#define MQD_PATH(path, parent, type, member, need)

/* mqd_capability: MQD_CAN_receives ...; `part` and `extra` are no capabilities: no capability needs such a path. */
#undef MQD_CAPABILITY
#define MQD_CAPABILITY(name, text) MQD_CAN_##name,
enum mqd_capability {
#include MQD_LISTS
    MQD_N_CAPABILITIES,
    MQD_CAN_part,
    MQD_CAN_extra
};
#undef MQD_CAPABILITY
#define MQD_CAPABILITY(name, text)

/* mqd_constant_id: MQD_CONSTANT_any_tag ... */
#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need) MQD_CONSTANT_##name,
enum mqd_constant_id {
#include MQD_LISTS
    MQD_N_CONSTANTS
};
#undef MQD_CONSTANT
#define MQD_CONSTANT(name, expression, kind, rule, need)

/* The lists as data, indexed by the ids above (layout/spec.c). */
struct mqd_type_spec {
    const char *name;            /* as a debugger is asked for it */
    const char *class_symbol;    /* its class descriptor, NULL if it has none */
    enum mqd_form form;
    enum mqd_size_rule size_rule;
    uint16_t first_step;         /* its steps end where mqd_type_end says */
    enum mqd_library library;
};
struct mqd_step_spec {
    const char *member;
    const char *ways;            /* nested: the ways to it through members, separated by one space; else NULL */
    enum mqd_type_id type;
    enum mqd_kind kind;          /* for rule `varies` only an example */
    enum mqd_type_id inner;      /* kind struct: which type; else MQD_N_TYPES. A varying step need not be one */
    enum mqd_rule rule;
};
struct mqd_path_spec {
    const char *name;            /* "TYPE.MEMBER" of its last step */
    enum mqd_path_id parent;
    enum mqd_step_id step;
    enum mqd_capability need;
    enum mqd_library library;
};
struct mqd_constant_spec {
    const char *name;
    const char *expression;      /* what its library calls it */
    enum mqd_capability need;
    enum mqd_library library;
};
struct mqd_capability_spec {
    const char *name, *text;
    enum mqd_library library;
};
extern const char *const mqd_library_titles[MQD_N_LIBRARIES]; /* "Open MPI" */
extern const struct mqd_type_spec mqd_type_specs[MQD_N_TYPES];
extern const struct mqd_step_spec mqd_step_specs[MQD_N_STEPS];
extern const struct mqd_path_spec mqd_path_specs[MQD_N_PATHS];
extern const struct mqd_constant_spec mqd_constant_specs[MQD_N_CONSTANTS];
extern const struct mqd_capability_spec mqd_capability_specs[MQD_N_CAPABILITIES];

/* One past the last step of a type. */
uint16_t mqd_type_end(enum mqd_type_id type);

/* The part of a target's ABI that a table is made for. Sizes in bytes. */
struct mqd_abi {
    uint8_t pointer_size;
    uint8_t long_size;
    bool little_endian;
};

/* One step in a table. Absent steps have present == false and are never zero by accident. */
struct mqd_field {
    bool present;
    uint8_t kind;                /* enum mqd_kind */
    uint32_t offset;             /* bytes from the start of its type */
    uint32_t size;               /* bytes, arrays whole */
};

/* One type in a table: fields[i] is the step MQD_FIRST_type + i. Equal types are shared between tables. */
struct mqd_table_type {
    uint32_t size;
    const struct mqd_field *fields;
};

/* One constant, in a table or in force. Absent ones have present == false, and equal nothing. */
struct mqd_constant {
    bool present;
    int64_t value;
};

/* One extracted layout of one library: one family of releases, one ABI, one variant. Generated by `mqdgen emit`. */
struct mqd_table {
    enum mqd_library library;
    const char *first, *last;    /* releases of the family, "4.1.0" "4.1.8" */
    const char *variant;         /* words joined by one space: "release" */
    const char *arch;            /* "x86_64" */
    bool site;                   /* given to configure: made of the library that is used where this is built */
    struct mqd_abi abi;
    const struct mqd_table_type *types[MQD_N_TYPES]; /* NULL: this family does not have the type */
    const struct mqd_constant *constants;            /* MQD_N_CONSTANTS; NULL: none is known */
};

/* All tables of Open MPI, and of each other library. A program has those of the libraries in its lists. */
extern const struct mqd_table *const mqd_tables[], *const mqd_ucx_tables[], *const mqd_gomp_tables[],
    *const mqd_kmp_tables[];
extern const size_t mqd_n_tables, mqd_n_ucx_tables, mqd_n_gomp_tables, mqd_n_kmp_tables;

/* All types that are read are much smaller: a larger number is not a valid offset or size. */
#define MQD_MAX_TYPE_BYTES 65536

/* What is known of one process. Zero bytes mean: nothing known. */
struct mqd_class_evidence {
    bool readable;               /* the descriptor was found and its name is right */
    uint64_t size;               /* its cls_sizeof */
};
struct mqd_live_type {
    bool known;                  /* the debugger has it and at least one needed member was found */
    int64_t size;                /* mqs_sizeof's answer; <= 0: unknown */
};
struct mqd_evidence {
    struct mqd_abi abi;
    struct mqd_class_evidence classes[MQD_N_TYPES];
    struct mqd_live_type live[MQD_N_TYPES];
    int32_t live_offset[MQD_N_STEPS]; /* mqs_field_offset's answer; meaningful where its type is known; -1: unknown */
    char version[64];            /* ompi_version_string, "" if unknown; breaks ties, nothing else */
    const char *arch;            /* most likely the target's, as tables name it; breaks ties, NULL if unknown */
    const struct mqd_table *matching; /* a table with the process's kind of custom matching; NULL if unknown */
};

enum mqd_source {
    MQD_SOURCE_absent,
    MQD_SOURCE_table,            /* from the table, which the class descriptors confirm */
    MQD_SOURCE_live,             /* the debugger's, where there is no table or it says otherwise */
    MQD_SOURCE_both              /* table and debugger agree */
};

struct mqd_place {
    uint8_t source;              /* enum mqd_source: the weakest of its steps */
    uint8_t kind;                /* enum mqd_kind; none: absent */
    uint32_t offset;
    uint32_t size;               /* bytes; 0 if only the start is known */
};

/* Why the resolution ended as it did. */
enum mqd_verdict {
    MQD_VERDICT_no_evidence,     /* not enough is known yet; a later attempt may succeed */
    MQD_VERDICT_resolved,        /* communicators can be read; see can[] for the rest */
    MQD_VERDICT_no_table,        /* class descriptors fit no table, and the debugger's types do not suffice */
    MQD_VERDICT_no_family,       /* the debugger's types suffice, but for kinds that no family of releases states */
    MQD_VERDICT_contradiction    /* a layout was found, but it is impossible: see contradicted */
};

/* What made the choice among the tables. Where several fitted equally it is the last criterion that was needed. */
enum mqd_decision {
    MQD_DECISION_none,           /* no table was chosen */
    MQD_DECISION_classes,        /* only one has the sizes that the class descriptors state */
    MQD_DECISION_live,           /* without class descriptors: only one has all that the debugger says */
    MQD_DECISION_matching,       /* several fit; this one has the process's queues of custom matching */
    MQD_DECISION_site,           /* several fit; this one is the site's own */
    MQD_DECISION_version,        /* several fit; the stated version is of this one's family */
    MQD_DECISION_arch,           /* several fit; this one is for the likely architecture */
    MQD_DECISION_first           /* several fit and nothing tells them apart: the first counts */
};

/*
 * A layout in force, or why there is none. Offsets are into objects of the types that the lists name. The first members
 * are about Open MPI's layout; another library's is made by mqd_assume_live and mqd_keep_agreed, and then added.
 */
struct mqd_layout {
    enum mqd_verdict verdict;
    const struct mqd_table *table;               /* the candidate that was chosen; NULL: none */
    unsigned n_fitting;                          /* candidates that fitted as well as that one, which counts too */
    const struct mqd_table *rival;               /* of the others that fitted as well the best; NULL: there is none */
    enum mqd_decision decision;
    struct mqd_abi abi;
    bool live_rejected;                          /* the debugger's types are another build's and were not used */
    enum mqd_type_id live_rejected_by;           /* the type that gave it away; else MQD_N_TYPES */
    enum mqd_step_id contradicted;               /* verdict contradiction: the step that cannot be; else MQD_N_STEPS */
    uint32_t type_size[MQD_N_TYPES];             /* bytes; 0: unknown */
    uint8_t type_source[MQD_N_TYPES];            /* enum mqd_source */
    struct mqd_place steps[MQD_N_STEPS];
    struct mqd_place paths[MQD_N_PATHS];
    struct mqd_constant constants[MQD_N_CONSTANTS]; /* the table's; else the stated release's, or what all agree on */
    bool can[MQD_N_CAPABILITIES];
    enum mqd_path_id lacks[MQD_N_CAPABILITIES];  /* where can[] is false: the first place missing, root: none is */
    enum mqd_constant_id lacks_constant[MQD_N_CAPABILITIES]; /* then the first constant; else MQD_N_CONSTANTS */
};

/*
 * Chooses, for each type of Open MPI, between the tables and the debugger's answers, and fills *layout; the places of
 * other libraries are absent. `tables` are the candidates in order of preference, all of Open MPI; none may be NULL. The candidates are the tables whose exact sizes are those of all
 * class descriptors that were read. Where the debugger knows a type, its answer wins over the table.
 */
void mqd_resolve(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_evidence *evidence,
                 struct mqd_layout *layout);

/* Is the table for this ABI, and does no class descriptor that is known so far contradict it? */
bool mqd_may_fit(const struct mqd_table *table, const struct mqd_evidence *evidence);

/* Does the size of the table's type agree with the class descriptor, by the size rule of openmpi.def? */
bool mqd_class_fits(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type);

/*
 * Do two tables have the same layout of the nodes of both queues of custom matching? No class descriptor tells them
 * apart. False if one of the tables has no such queues.
 */
bool mqd_same_matching(const struct mqd_table *a, const struct mqd_table *b);

/* Is there such a constant in this layout, and is it this number? */
static inline bool mqd_constant_is(const struct mqd_layout *layout, enum mqd_constant_id constant, int64_t value)
{
    return layout->constants[constant].present && layout->constants[constant].value == value;
}

/* Is there such a flag in this layout, and is it set? */
bool mqd_flag_is_set(const struct mqd_layout *layout, enum mqd_constant_id flag, uint64_t flags);

/* Is this version, as Open MPI states it, of the table's family? */
bool mqd_family_has_version(const struct mqd_table *table, const char *version);

/* Does the table's family end with this version, or with a later one? False if the text states no version. */
bool mqd_family_is_not_before(const struct mqd_table *table, const char *version);

/*
 * Where no table fits: the table for this ABI that the fewest class descriptors contradict; of several, the first one.
 * NULL if there is no table for this ABI, or if no descriptor was read.
 */
const struct mqd_table *mqd_nearest(const struct mqd_table *const *tables, size_t n_tables,
                                    const struct mqd_evidence *evidence);

/*
 * The layout of another library than Open MPI: nothing in a process states its sizes, so that several tables may remain
 * candidates. _live makes the layout of one table with the debugger's types: where these differ, they win. _agrees_live
 * says that no type differs. _keep_agreed takes out of a layout what another one of the same library does not say too;
 * n_fitting then counts both, and rival is the other's table. _add copies the places of one library into a layout.
 */
void mqd_assume_live(const struct mqd_table *table, const struct mqd_evidence *evidence, struct mqd_layout *layout);
bool mqd_agrees_live(const struct mqd_table *table, const struct mqd_evidence *evidence);
void mqd_keep_agreed(struct mqd_layout *layout, const struct mqd_layout *other);
void mqd_add_library(struct mqd_layout *layout, const struct mqd_layout *other, enum mqd_library library);

/*
 * Makes the layout of one table without any evidence. It is used to find evidence. What is found by it needs a proof of
 * its own: a class descriptor, for example, has the name of its class.
 */
void mqd_assume(const struct mqd_table *table, struct mqd_layout *layout);

/*
 * Is this layout possible? Every present step must lie inside its type, be aligned as its kind needs, and overlap no
 * other step unless the type is a union; an embedded type must lie wholly inside. Returns the first step for which this
 * is not true, or MQD_N_STEPS.
 */
enum mqd_step_id mqd_geometry_check(const struct mqd_layout *layout);

/* The type that a step embeds in this layout, MQD_N_TYPES if it is a number or absent. */
enum mqd_type_id mqd_inner_type(const struct mqd_layout *layout, enum mqd_step_id step);

/* Bytes of one value of a kind; 0 for chars, bytes, struct and none, whose size only a table knows. */
static inline uint32_t mqd_kind_size(enum mqd_kind kind, const struct mqd_abi *abi)
{
    switch (kind) {
    case MQD_KIND_i8:
    case MQD_KIND_u8:
    case MQD_KIND_bool:
        return 1;
    case MQD_KIND_i16:
    case MQD_KIND_u16:
        return 2;
    case MQD_KIND_i32:
    case MQD_KIND_u32:
    case MQD_KIND_enum:
        return 4;
    case MQD_KIND_i64:
    case MQD_KIND_u64:
        return 8;
    case MQD_KIND_ptr:
    case MQD_KIND_size:
        return abi->pointer_size;
    case MQD_KIND_none:
    case MQD_KIND_chars:
    case MQD_KIND_bytes:
    case MQD_KIND_struct:
        break;
    }
    return 0;
}

#endif
