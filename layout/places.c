/* places.c - where everything is, once a table is chosen or assumed. */
#include "layout/places.h"

/* Arrays of char are names of MPI objects. --with-max-object-name does not make them shorter than this. */
enum { MIN_OBJECT_NAME = 64 };

void mqd_clear(void *object, size_t size)
{
    unsigned char *bytes = object;

    while (size-- > 0)
        *bytes++ = 0;
}

const struct mqd_field *mqd_table_field(const struct mqd_table *table, enum mqd_step_id step)
{
    enum mqd_type_id type = mqd_step_specs[step].type;
    const struct mqd_field *field;

    if (table == NULL || table->types[type] == NULL)
        return NULL;
    field = &table->types[type]->fields[step - mqd_type_specs[type].first_step];
    return field->present ? field : NULL;
}

bool mqd_has_live_size(const struct mqd_evidence *evidence, unsigned type)
{
    return mqd_type_specs[type].size_rule == MQD_SIZE_exact && evidence->live[type].known &&
           evidence->live[type].size > 0;
}

bool mqd_same_abi(const struct mqd_abi *a, const struct mqd_abi *b)
{
    return a->pointer_size == b->pointer_size && a->long_size == b->long_size && a->little_endian == b->little_endian;
}

static bool live_sizes_agree(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type)
{
    return !mqd_has_live_size(evidence, type) || (uint64_t)evidence->live[type].size == table->types[type]->size;
}

static bool live_offsets_agree(const struct mqd_table *table, const struct mqd_evidence *evidence,
                               enum mqd_step_id step)
{
    const struct mqd_field *field = mqd_table_field(table, step);

    return evidence->live_offset[step] < 0 ||
           (field != NULL && field->offset == (uint32_t)evidence->live_offset[step]);
}

bool mqd_live_agrees(const struct mqd_table *table, const struct mqd_evidence *evidence, enum mqd_type_id type)
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

bool mqd_fits_live(const struct mqd_table *table, const struct mqd_evidence *evidence, unsigned *n_confirmed)
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

bool mqd_parse_version(const char *text, unsigned version[3])
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

    return mqd_parse_version(text, version) && mqd_parse_version(table->first, first) &&
           mqd_parse_version(table->last, last) && compare_versions(version, first) >= 0 &&
           compare_versions(version, last) <= 0;
}

bool mqd_family_is_not_before(const struct mqd_table *table, const char *text)
{
    unsigned version[3], last[3];

    return mqd_parse_version(text, version) && mqd_parse_version(table->last, last) &&
           compare_versions(version, last) <= 0;
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
    const struct mqd_field *field = mqd_table_field(kinds, step);
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
        const struct mqd_field *field = mqd_table_field(table, (enum mqd_step_id)step);
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

void mqd_resolve_type(const struct mqd_table *kinds, const struct mqd_evidence *evidence, const bool *confirmed,
                         bool use_live, enum mqd_type_id type, struct mqd_layout *layout)
{
    const struct mqd_table *table = layout->table;
    bool has_table = table != NULL && table->types[type] != NULL;
    bool live_knows = use_live && evidence->live[type].known;

    if (has_table && (confirmed[type] || live_knows) && (!live_knows || mqd_live_agrees(table, evidence, type)) &&
        embedded_sizes_hold(table, layout, type))
        resolve_type_table(table, evidence, live_knows, type, layout);
    else if (live_knows)
        resolve_type_live(evidence, kinds, type, layout);
}

static uint8_t weaker(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

void mqd_add_up_paths(struct mqd_layout *layout)
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
void mqd_settle_constants(const struct mqd_table *const *tables, size_t n_tables,
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

void mqd_decide_capabilities(struct mqd_layout *layout)
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

void mqd_begin_layout(const struct mqd_evidence *evidence, enum mqd_type_id live_rejected_by, struct mqd_layout *layout)
{
    mqd_clear(layout, sizeof *layout);
    layout->abi = evidence->abi;
    layout->live_rejected_by = live_rejected_by;
    layout->live_rejected = live_rejected_by != MQD_N_TYPES;
}

void mqd_assume(const struct mqd_table *table, struct mqd_layout *layout)
{
    struct mqd_evidence nothing;

    mqd_clear(&nothing, sizeof nothing);
    nothing.abi = table->abi;
    mqd_begin_layout(&nothing, MQD_N_TYPES, layout);
    layout->table = table;
    layout->contradicted = MQD_N_STEPS;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (table->types[type] != NULL)
            resolve_type_table(table, &nothing, false, (enum mqd_type_id)type, layout);
    mqd_settle_constants(&table, 1, &nothing, layout);
    mqd_add_up_paths(layout);
    mqd_decide_capabilities(layout);
}

bool mqd_agrees_live(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    unsigned n_confirmed;

    return mqd_fits_live(table, evidence, &n_confirmed);
}

/* Nothing but the debugger's types can refute a type of such a library, so each type of the table counts as confirmed. */
void mqd_assume_live(const struct mqd_table *table, const struct mqd_evidence *evidence, struct mqd_layout *layout)
{
    bool confirmed[MQD_N_TYPES];

    mqd_begin_layout(evidence, MQD_N_TYPES, layout);
    layout->table = table;
    layout->n_fitting = 1;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        confirmed[type] = true;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == table->library)
            mqd_resolve_type(table, evidence, confirmed, true, (enum mqd_type_id)type, layout);
    mqd_settle_constants(&table, 1, evidence, layout);
    mqd_add_up_paths(layout);
    mqd_decide_capabilities(layout);
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
    mqd_add_up_paths(layout);
    mqd_decide_capabilities(layout);
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
