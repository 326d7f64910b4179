/*
 * resolve.c - which layout is in force.
 *
 * There are three sources: the class descriptors in the process (sizes only, but of this very build), the debugger's
 * types (everything, but perhaps of another build), and the tables (everything, of known builds). Each type is resolved
 * by itself, so that a type that is not known does not make others unknown.
 */
#include "layout/layout.h"

/* Arrays of char are names of MPI objects. --with-max-object-name does not make them shorter than this. */
enum { MIN_OBJECT_NAME = 64 };

static void clear(void *object, size_t size)
{
    unsigned char *bytes = object;

    while (size-- > 0)
        *bytes++ = 0;
}

static const struct mqd_field *table_field(const struct mqd_table *table, enum mqd_step_id step)
{
    enum mqd_type_id type = mqd_step_specs[step].type;
    const struct mqd_field *field;

    if (table == NULL || table->types[type] == NULL)
        return NULL;
    field = &table->types[type]->fields[step - mqd_type_specs[type].first_step];
    return field->present ? field : NULL;
}

static bool has_live_size(const struct mqd_evidence *evidence, unsigned type)
{
    return mqd_type_specs[type].size_rule == MQD_SIZE_exact && evidence->live[type].known &&
           evidence->live[type].size > 0;
}

/*
 * The first type whose size in the debug information differs from its class descriptor in the process, or MQD_N_TYPES.
 */
static enum mqd_type_id foreign_debug_information(const struct mqd_evidence *evidence)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (evidence->classes[type].readable && has_live_size(evidence, type) &&
            (uint64_t)evidence->live[type].size != evidence->classes[type].size)
            return (enum mqd_type_id)type;
    return MQD_N_TYPES;
}

static bool any_class_readable(const struct mqd_evidence *evidence)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (evidence->classes[type].readable)
            return true;
    return false;
}

static bool same_abi(const struct mqd_abi *a, const struct mqd_abi *b)
{
    return a->pointer_size == b->pointer_size && a->long_size == b->long_size && a->little_endian == b->little_endian;
}

/* Bytes of a table's type that hold all its members that are read. */
static uint32_t prefix_of(const struct mqd_table *table, enum mqd_type_id type)
{
    uint32_t prefix = 0;

    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_field *field = table_field(table, (enum mqd_step_id)step);

        if (field != NULL && field->offset + field->size > prefix)
            prefix = field->offset + field->size;
    }
    return prefix;
}

bool mqd_class_fits(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type)
{
    if (table->types[type] == NULL)
        return false;
    if (mqd_type_specs[type].size_rule == MQD_SIZE_at_least)
        return evidence->classes[type].size >= prefix_of(table, type);
    return evidence->classes[type].size == table->types[type]->size;
}

/* Does the table have the sizes that the class descriptors state? *n_confirmed counts those that tell layouts apart. */
static bool fits_classes(const struct mqd_table *table, const struct mqd_evidence *evidence, unsigned *n_confirmed)
{
    *n_confirmed = 0;
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        if (!evidence->classes[type].readable)
            continue;
        if (!mqd_class_fits(table, evidence, (enum mqd_type_id)type))
            return false;
        if (mqd_type_specs[type].size_rule == MQD_SIZE_exact)
            (*n_confirmed)++;
    }
    return true;
}

static bool live_sizes_agree(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type)
{
    return !has_live_size(evidence, type) || (uint64_t)evidence->live[type].size == table->types[type]->size;
}

static bool live_offsets_agree(const struct mqd_table *table, const struct mqd_evidence *evidence,
                               enum mqd_step_id step)
{
    const struct mqd_field *field = table_field(table, step);

    return evidence->live_offset[step] < 0 ||
           (field != NULL && field->offset == (uint32_t)evidence->live_offset[step]);
}

/* Does the debugger's knowledge of a type agree with the table in its size and all offsets? */
static bool live_agrees(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type)
{
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++)
        if (!live_offsets_agree(table, evidence, (enum mqd_step_id)step))
            return false;
    return live_sizes_agree(table, evidence, type);
}

/* Does it agree in all that the releases of the table's family have in common? */
static bool live_agrees_in_common(const struct mqd_table *table, const struct mqd_evidence *evidence,
                                  enum mqd_type_id type)
{
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++)
        if (mqd_step_specs[step].rule != MQD_RULE_by_release &&
            !live_offsets_agree(table, evidence, (enum mqd_step_id)step))
            return false;
    return live_sizes_agree(table, evidence, type);
}

/* Where no class descriptor can be read: does the table agree with all of the debugger's types? */
static bool fits_live(const struct mqd_table *table, const struct mqd_evidence *evidence, unsigned *n_confirmed)
{
    *n_confirmed = 0;
    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        if (!evidence->live[type].known || mqd_type_specs[type].library != table->library)
            continue;
        if (table->types[type] == NULL || !live_agrees_in_common(table, evidence, (enum mqd_type_id)type))
            return false;
        (*n_confirmed)++;
    }
    return true;
}

/* Reads up to three numbers of a dotted version; a text without any is not a version. */
static bool parse_version(const char *text, unsigned version[3])
{
    for (unsigned i = 0; i < 3; i++) {
        unsigned n_digits = 0;

        for (version[i] = 0; *text >= '0' && *text <= '9' && n_digits < 6; text++, n_digits++)
            version[i] = version[i] * 10 + (unsigned)(*text - '0');
        if (n_digits == 0)
            return i > 0;
        if (*text == '.')
            text++;
    }
    return true;
}

static int compare_versions(const unsigned a[3], const unsigned b[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

bool mqd_family_has_version(const struct mqd_table *table, const char *text)
{
    unsigned version[3], first[3], last[3];

    return parse_version(text, version) && parse_version(table->first, first) && parse_version(table->last, last) &&
           compare_versions(version, first) >= 0 && compare_versions(version, last) <= 0;
}

bool mqd_family_is_not_before(const struct mqd_table *table, const char *text)
{
    unsigned version[3], last[3];

    return parse_version(text, version) && parse_version(table->last, last) && compare_versions(version, last) <= 0;
}

static bool same_arch(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    const char *a = table->arch, *b = evidence->arch;

    if (b == NULL)
        return false;
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

static bool same_type(const struct mqd_table *a, const struct mqd_table *b, enum mqd_type_id type)
{
    if (a->types[type] == NULL || b->types[type] == NULL || a->types[type]->size != b->types[type]->size)
        return false;
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_field *of_a = table_field(a, (enum mqd_step_id)step);
        const struct mqd_field *of_b = table_field(b, (enum mqd_step_id)step);

        if ((of_a == NULL) != (of_b == NULL) ||
            (of_a != NULL && (of_a->offset != of_b->offset || of_a->size != of_b->size)))
            return false;
    }
    return true;
}

bool mqd_same_matching(const struct mqd_table *a, const struct mqd_table *b)
{
    return same_type(a, b, MQD_TYPE_custom_match_prq_node) && same_type(a, b, MQD_TYPE_custom_match_umq_node);
}

/* Has the table the process's kind of custom matching, by the debugger's types or else by the content of the queues? */
static bool has_matching(const struct mqd_table *table, const struct mqd_evidence *evidence, bool use_live)
{
    static const enum mqd_type_id nodes[] = {MQD_TYPE_custom_match_prq_node, MQD_TYPE_custom_match_umq_node};

    if (!use_live || !evidence->live[nodes[0]].known || !evidence->live[nodes[1]].known)
        return evidence->matching != NULL && mqd_same_matching(table, evidence->matching);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (table->types[nodes[i]] == NULL || !live_agrees(table, evidence, nodes[i]))
            return false;
    return true;
}

/*
 * The criteria among tables that fit equally, the strongest first: the table has the kind of queues of this process; it
 * is the site's own; the stated version is of its family; it is for the likely architecture.
 */
enum { PREFERRED_BY_ARCH = 1, PREFERRED_BY_VERSION = 2, PREFERRED_BY_SITE = 4, PREFERRED_BY_MATCHING = 8 };

static unsigned preference(const struct mqd_table *table, const struct mqd_evidence *evidence, bool use_live)
{
    return (has_matching(table, evidence, use_live) ? PREFERRED_BY_MATCHING : 0u) +
           (table->site ? PREFERRED_BY_SITE : 0u) +
           (mqd_family_has_version(table, evidence->version) ? PREFERRED_BY_VERSION : 0u) +
           (same_arch(table, evidence) ? PREFERRED_BY_ARCH : 0u);
}

/* The criterion by which a table is preferred to the next best one that fits as well. */
static enum mqd_decision tie_breaker(unsigned chosen, unsigned next_best)
{
    if (((chosen ^ next_best) & PREFERRED_BY_MATCHING) != 0)
        return MQD_DECISION_matching;
    if (((chosen ^ next_best) & PREFERRED_BY_SITE) != 0)
        return MQD_DECISION_site;
    if (((chosen ^ next_best) & PREFERRED_BY_VERSION) != 0)
        return MQD_DECISION_version;
    return ((chosen ^ next_best) & PREFERRED_BY_ARCH) != 0 ? MQD_DECISION_arch : MQD_DECISION_first;
}

/* Does the table fit the class descriptors of the process or, if there are none, all of the debugger's types? */
static bool fits(const struct mqd_table *table, const struct mqd_evidence *evidence, bool use_live, bool *by_classes)
{
    unsigned n_confirmed;

    if (!same_abi(&table->abi, &evidence->abi) || !fits_classes(table, evidence, &n_confirmed))
        return false;
    *by_classes = n_confirmed > 0;
    return *by_classes || (use_live && fits_live(table, evidence, &n_confirmed) && n_confirmed > 0);
}

/* The table whose sizes the process confirms; of several the preferred one, else the first. */
static void choose_table(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_evidence *evidence,
                         bool use_live, struct mqd_layout *layout)
{
    unsigned best = 0, second_best = 0;

    for (size_t i = 0; i < n_tables; i++) {
        unsigned preferred = preference(tables[i], evidence, use_live);
        bool by_classes;

        if (!fits(tables[i], evidence, use_live, &by_classes))
            continue;
        if (layout->n_fitting++ == 0) {
            layout->table = tables[i];
            layout->decision = by_classes ? MQD_DECISION_classes : MQD_DECISION_live;
            best = preferred;
        } else if (preferred > best) {
            layout->rival = layout->table;
            second_best = best;
            layout->table = tables[i];
            best = preferred;
        } else if (layout->rival == NULL || preferred > second_best) {
            layout->rival = tables[i];
            second_best = preferred;
        }
    }
    if (layout->rival != NULL)
        layout->decision = tie_breaker(best, second_best);
}

static unsigned n_contradictions(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    unsigned n = 0;

    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (evidence->classes[type].readable && !mqd_class_fits(table, evidence, (enum mqd_type_id)type))
            n++;
    return n;
}

const struct mqd_table *mqd_nearest(const struct mqd_table *const *tables, size_t n_tables,
                                    const struct mqd_evidence *evidence)
{
    const struct mqd_table *nearest = NULL;
    unsigned least = 0;

    for (size_t i = 0; i < n_tables && any_class_readable(evidence); i++) {
        unsigned n = n_contradictions(tables[i], evidence);

        if (!same_abi(&tables[i]->abi, &evidence->abi))
            continue;
        if (nearest == NULL || n < least ||
            (n == least && preference(tables[i], evidence, false) > preference(nearest, evidence, false))) {
            nearest = tables[i];
            least = n;
        }
    }
    return nearest;
}

/* Does the family have exactly the members that the debugger finds in the types it knows? */
static bool same_members(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (evidence->live[mqd_step_specs[step].type].known && mqd_step_specs[step].rule == MQD_RULE_optional &&
            mqd_step_specs[step].ways == NULL && mqd_type_specs[mqd_step_specs[step].type].library == table->library &&
            (table_field(table, (enum mqd_step_id)step) != NULL) != (evidence->live_offset[step] >= 0))
            return false;
    return true;
}

/*
 * The debugger can state offsets, but not kinds. If no table fits, the kinds that differ between families are those of
 * the family that has the stated version and the same members.
 */
static const struct mqd_table *choose_kinds(const struct mqd_table *const *tables, size_t n_tables,
                                            const struct mqd_evidence *evidence)
{
    for (size_t i = 0; i < n_tables; i++)
        if (same_abi(&tables[i]->abi, &evidence->abi) && mqd_family_has_version(tables[i], evidence->version) &&
            same_members(tables[i], evidence))
            return tables[i];
    return NULL;
}

/*
 * Which types of the chosen table are confirmed by the process: types whose class descriptor has the table's size;
 * types without a descriptor that are embedded in no other, which probes test; and types without a descriptor that are
 * embedded in a confirmed type.
 */
static void confirm_types(const struct mqd_table *table, const struct mqd_evidence *evidence, bool *confirmed)
{
    bool embedded[MQD_N_TYPES];

    clear(embedded, sizeof embedded);
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (mqd_step_specs[step].inner != MQD_N_TYPES)
            embedded[mqd_step_specs[step].inner] = true;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        confirmed[type] = table->types[type] != NULL &&
                          (evidence->classes[type].readable ||
                           (mqd_type_specs[type].class_symbol == NULL && !embedded[type]));
    for (unsigned step = MQD_N_STEPS; step-- > 0;) {
        enum mqd_type_id inner = mqd_step_specs[step].inner, outer = mqd_step_specs[step].type;

        if (inner != MQD_N_TYPES && mqd_type_specs[inner].class_symbol == NULL && confirmed[outer] &&
            table->types[inner] != NULL)
            confirmed[inner] = true;
    }
}

static void place_from_table(const struct mqd_field *field, enum mqd_source source, struct mqd_place *place)
{
    place->source = (uint8_t)source;
    place->kind = field->kind;
    place->offset = field->offset;
    place->size = field->size;
}

/* Uses the debugger's offset, with the kind that the list states; if the kind varies, with the family's. */
static void place_live(const struct mqd_evidence *evidence, const struct mqd_table *kinds, enum mqd_step_id step,
                       struct mqd_place *place)
{
    const struct mqd_field *field = table_field(kinds, step);
    enum mqd_kind kind = mqd_step_specs[step].kind;

    if (evidence->live_offset[step] < 0 || evidence->live_offset[step] > MQD_MAX_TYPE_BYTES)
        return;
    if (mqd_step_specs[step].rule == MQD_RULE_varies) {
        if (field == NULL)
            return;
        kind = (enum mqd_kind)field->kind;
    }
    place->source = MQD_SOURCE_live;
    place->kind = (uint8_t)kind;
    place->offset = (uint32_t)evidence->live_offset[step];
    place->size = kind == MQD_KIND_chars ? MIN_OBJECT_NAME : mqd_kind_size(kind, &evidence->abi);
}

static void resolve_type_live(const struct mqd_evidence *evidence, const struct mqd_table *kinds, enum mqd_type_id type,
                              struct mqd_layout *layout)
{
    layout->type_source[type] = MQD_SOURCE_live;
    if (evidence->classes[type].readable)
        layout->type_size[type] = (uint32_t)evidence->classes[type].size;
    else if (evidence->live[type].size > 0 && evidence->live[type].size <= MQD_MAX_TYPE_BYTES)
        layout->type_size[type] = (uint32_t)evidence->live[type].size;
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++)
        place_live(evidence, kinds, (enum mqd_step_id)step, &layout->steps[step]);
}

static void resolve_type_table(const struct mqd_table *table, const struct mqd_evidence *evidence, bool live_knows,
                               enum mqd_type_id type, struct mqd_layout *layout)
{
    layout->type_source[type] = live_knows ? MQD_SOURCE_both : MQD_SOURCE_table;
    layout->type_size[type] = table->types[type]->size;
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_field *field = table_field(table, (enum mqd_step_id)step);
        bool both = live_knows && evidence->live_offset[step] >= 0;

        if (field != NULL)
            place_from_table(field, both ? MQD_SOURCE_both : MQD_SOURCE_table, &layout->steps[step]);
    }
}

/* The member offsets of a table are right only if all embedded types have the sizes that the table states. */
static bool embedded_sizes_hold(const struct mqd_table *table, const struct mqd_layout *layout, enum mqd_type_id type)
{
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        enum mqd_type_id inner = mqd_step_specs[step].inner;

        if (inner != MQD_N_TYPES && table->types[inner] != NULL && layout->type_source[inner] != MQD_SOURCE_absent &&
            layout->type_size[inner] != table->types[inner]->size)
            return false;
    }
    return true;
}

static void resolve_type(const struct mqd_table *kinds, const struct mqd_evidence *evidence, const bool *confirmed,
                         bool use_live, enum mqd_type_id type, struct mqd_layout *layout)
{
    const struct mqd_table *table = layout->table;
    bool has_table = table != NULL && table->types[type] != NULL;
    bool live_knows = use_live && evidence->live[type].known;

    if (has_table && (confirmed[type] || live_knows) && (!live_knows || live_agrees(table, evidence, type)) &&
        embedded_sizes_hold(table, layout, type))
        resolve_type_table(table, evidence, live_knows, type, layout);
    else if (live_knows)
        resolve_type_live(evidence, kinds, type, layout);
}

static uint8_t weaker(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static void add_up_paths(struct mqd_layout *layout)
{
    layout->paths[MQD_PATH_root] = (struct mqd_place){.source = MQD_SOURCE_both, .kind = MQD_KIND_struct};
    for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++) {
        const struct mqd_path_spec *spec = &mqd_path_specs[path];
        const struct mqd_place *parent = &layout->paths[spec->parent], *step = &layout->steps[spec->step];

        if (parent->source == MQD_SOURCE_absent || step->source == MQD_SOURCE_absent)
            continue;
        layout->paths[path] = *step;
        layout->paths[path].source = weaker(parent->source, step->source);
        layout->paths[path].offset += parent->offset;
    }
}

/* The first path, among an absent path and its parents, that is not known; the parents before it are. */
static enum mqd_path_id where_it_breaks(const struct mqd_layout *layout, enum mqd_path_id path)
{
    while (layout->paths[mqd_path_specs[path].parent].source == MQD_SOURCE_absent)
        path = mqd_path_specs[path].parent;
    return path;
}

/* What tables that have the constant agree on. */
static struct mqd_constant agreed(const struct mqd_table *const *tables, size_t n_tables, unsigned constant)
{
    struct mqd_constant found = {.present = false, .value = 0};

    for (size_t i = 0; i < n_tables; i++) {
        const struct mqd_constant *here = tables[i]->constants != NULL ? &tables[i]->constants[constant] : NULL;

        if (here == NULL || !here->present)
            continue;
        if (found.present && found.value != here->value)
            return (struct mqd_constant){.present = false, .value = 0};
        found = *here;
    }
    return found;
}

/* The first table of the stated version's family that has constants. These are the same for every ABI. */
static const struct mqd_table *table_of_version(const struct mqd_table *const *tables, size_t n_tables,
                                                const struct mqd_evidence *evidence)
{
    for (size_t i = 0; i < n_tables; i++)
        if (tables[i]->constants != NULL && mqd_family_has_version(tables[i], evidence->version))
            return tables[i];
    return NULL;
}

/*
 * Nothing in a process states its constants. They are those of the table in force. Where none is, nothing but the
 * stated version can tell the release; without it a constant is known only where all releases agree.
 */
static void settle_constants(const struct mqd_table *const *tables, size_t n_tables,
                             const struct mqd_evidence *evidence, struct mqd_layout *layout)
{
    const struct mqd_table *table = layout->table;

    if (table == NULL)
        table = table_of_version(tables, n_tables, evidence);
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS; constant++) {
        if (table == NULL)
            layout->constants[constant] = agreed(tables, n_tables, constant);
        else if (table->constants != NULL)
            layout->constants[constant] = table->constants[constant];
    }
}

bool mqd_flag_is_set(const struct mqd_layout *layout, enum mqd_constant_id flag, uint64_t flags)
{
    return layout->constants[flag].present && (flags & (uint64_t)layout->constants[flag].value) != 0;
}

static void decide_capabilities(struct mqd_layout *layout)
{
    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++) {
        layout->can[can] = true;
        layout->lacks[can] = MQD_PATH_root;
        layout->lacks_constant[can] = MQD_N_CONSTANTS;
    }
    for (unsigned path = MQD_PATH_root + 1; path < MQD_N_PATHS; path++) {
        enum mqd_capability need = mqd_path_specs[path].need;

        if (need < MQD_N_CAPABILITIES && layout->can[need] && layout->paths[path].source == MQD_SOURCE_absent) {
            layout->can[need] = false;
            layout->lacks[need] = where_it_breaks(layout, (enum mqd_path_id)path);
        }
    }
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS; constant++) {
        enum mqd_capability need = mqd_constant_specs[constant].need;

        if (need < MQD_N_CAPABILITIES && layout->can[need] && !layout->constants[constant].present) {
            layout->can[need] = false;
            layout->lacks_constant[need] = (enum mqd_constant_id)constant;
        }
    }
}

static bool any_for_abi(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_abi *abi)
{
    for (size_t i = 0; i < n_tables; i++)
        if (same_abi(&tables[i]->abi, abi))
            return true;
    return false;
}

/*
 * Why communicators cannot be read. Two reasons are final: class descriptors that fit no table, and an ABI that no
 * table is for. In all other cases more may be known later: more descriptors may be found, and more types may be read.
 */
static enum mqd_verdict failure(const struct mqd_layout *layout, const struct mqd_evidence *evidence, bool has_tables)
{
    enum mqd_step_id missing = mqd_path_specs[layout->lacks[MQD_CAN_communicators]].step;

    /* All places are known, but not what the numbers there mean. */
    if (missing == MQD_N_STEPS)
        return MQD_VERDICT_no_family;
    if (!has_tables && !any_class_readable(evidence))
        return MQD_VERDICT_no_table;
    if (layout->table != NULL || !any_class_readable(evidence))
        return MQD_VERDICT_no_evidence;
    if (!layout->live_rejected && mqd_step_specs[missing].rule == MQD_RULE_varies &&
        evidence->live[mqd_step_specs[missing].type].known && evidence->live_offset[missing] >= 0)
        return MQD_VERDICT_no_family;
    return MQD_VERDICT_no_table;
}

/* Resolves once, with or without the debugger's types. */
static void settle(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_evidence *evidence,
                   struct mqd_layout *layout)
{
    bool confirmed[MQD_N_TYPES], use_live = !layout->live_rejected;
    const struct mqd_table *kinds;

    clear(confirmed, sizeof confirmed);
    choose_table(tables, n_tables, evidence, use_live, layout);
    kinds = layout->table != NULL ? layout->table : choose_kinds(tables, n_tables, evidence);
    if (layout->table != NULL)
        confirm_types(layout->table, evidence, confirmed);
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == MQD_LIBRARY_openmpi)
            resolve_type(kinds, evidence, confirmed, use_live, (enum mqd_type_id)type, layout);
    settle_constants(tables, n_tables, evidence, layout);
    add_up_paths(layout);
    decide_capabilities(layout);
    layout->contradicted = mqd_geometry_check(layout);
    if (layout->contradicted != MQD_N_STEPS)
        layout->verdict = MQD_VERDICT_contradiction;
    else if (layout->can[MQD_CAN_communicators])
        layout->verdict = MQD_VERDICT_resolved;
    else
        layout->verdict = failure(layout, evidence, any_for_abi(tables, n_tables, &evidence->abi));
}

static void begin(const struct mqd_evidence *evidence, enum mqd_type_id live_rejected_by, struct mqd_layout *layout)
{
    clear(layout, sizeof *layout);
    layout->abi = evidence->abi;
    layout->live_rejected_by = live_rejected_by;
    layout->live_rejected = live_rejected_by != MQD_N_TYPES;
}

void mqd_resolve(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_evidence *evidence,
                 struct mqd_layout *layout)
{
    begin(evidence, foreign_debug_information(evidence), layout);
    settle(tables, n_tables, evidence, layout);
    /* The layout is impossible, but the process confirms a table: then the debugger's types are wrong. */
    if (layout->verdict == MQD_VERDICT_contradiction && layout->table != NULL && !layout->live_rejected &&
        any_class_readable(evidence)) {
        begin(evidence, mqd_step_specs[layout->contradicted].type, layout);
        settle(tables, n_tables, evidence, layout);
    }
}

bool mqd_may_fit(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    unsigned n_confirmed;

    return same_abi(&table->abi, &evidence->abi) && fits_classes(table, evidence, &n_confirmed);
}

void mqd_assume(const struct mqd_table *table, struct mqd_layout *layout)
{
    struct mqd_evidence nothing;

    clear(&nothing, sizeof nothing);
    nothing.abi = table->abi;
    begin(&nothing, MQD_N_TYPES, layout);
    layout->table = table;
    layout->contradicted = MQD_N_STEPS;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (table->types[type] != NULL)
            resolve_type_table(table, &nothing, false, (enum mqd_type_id)type, layout);
    settle_constants(&table, 1, &nothing, layout);
    add_up_paths(layout);
    decide_capabilities(layout);
}

bool mqd_agrees_live(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    unsigned n_confirmed;

    return fits_live(table, evidence, &n_confirmed);
}

/* Nothing but the debugger's types can refute a type of such a library, so each type of the table counts as confirmed. */
void mqd_assume_live(const struct mqd_table *table, const struct mqd_evidence *evidence, struct mqd_layout *layout)
{
    bool confirmed[MQD_N_TYPES];

    begin(evidence, MQD_N_TYPES, layout);
    layout->table = table;
    layout->n_fitting = 1;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        confirmed[type] = true;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == table->library)
            resolve_type(table, evidence, confirmed, true, (enum mqd_type_id)type, layout);
    settle_constants(&table, 1, evidence, layout);
    add_up_paths(layout);
    decide_capabilities(layout);
    layout->contradicted = mqd_geometry_check(layout);
    layout->verdict = layout->contradicted == MQD_N_STEPS ? MQD_VERDICT_resolved : MQD_VERDICT_contradiction;
}

static bool same_place(const struct mqd_place *a, const struct mqd_place *b)
{
    return a->source != MQD_SOURCE_absent && b->source != MQD_SOURCE_absent && a->kind == b->kind &&
           a->offset == b->offset && a->size == b->size;
}

void mqd_keep_agreed(struct mqd_layout *layout, const struct mqd_layout *other)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (layout->type_size[type] != other->type_size[type])
            layout->type_size[type] = 0;
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (!same_place(&layout->steps[step], &other->steps[step]))
            layout->steps[step] = (struct mqd_place){.source = MQD_SOURCE_absent};
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS; constant++)
        if (!other->constants[constant].present ||
            !mqd_constant_is(layout, (enum mqd_constant_id)constant, other->constants[constant].value))
            layout->constants[constant] = (struct mqd_constant){.present = false};
    for (unsigned path = 0; path < MQD_N_PATHS; path++)
        layout->paths[path] = (struct mqd_place){.source = MQD_SOURCE_absent};
    layout->n_fitting++;
    layout->rival = other->table;
    add_up_paths(layout);
    decide_capabilities(layout);
}

void mqd_add_library(struct mqd_layout *layout, const struct mqd_layout *other, enum mqd_library library)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == library) {
            layout->type_size[type] = other->type_size[type];
            layout->type_source[type] = other->type_source[type];
        }
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (mqd_type_specs[mqd_step_specs[step].type].library == library)
            layout->steps[step] = other->steps[step];
    for (unsigned path = 0; path < MQD_N_PATHS; path++)
        if (mqd_path_specs[path].library == library)
            layout->paths[path] = other->paths[path];
    for (unsigned constant = 0; constant < MQD_N_CONSTANTS; constant++)
        if (mqd_constant_specs[constant].library == library)
            layout->constants[constant] = other->constants[constant];
    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        if (mqd_capability_specs[can].library == library) {
            layout->can[can] = other->can[can];
            layout->lacks[can] = other->lacks[can];
            layout->lacks_constant[can] = other->lacks_constant[can];
        }
}
