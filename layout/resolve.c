/*
 * resolve.c - which layout is in force.
 *
 * There are three sources: the class descriptors in the process (sizes only, but of this very build), the debugger's
 * types (everything, but perhaps of another build), and the tables (everything, of known builds). Each type is resolved
 * by itself, so that a type that is not known does not make others unknown.
 */
#include "layout/places.h"

/*
 * The first type whose size in the debug information differs from its class descriptor in the process, or MQD_N_TYPES.
 */
static enum mqd_type_id foreign_debug_information(const struct mqd_evidence *evidence)
{
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (evidence->classes[type].readable && mqd_has_live_size(evidence, type) &&
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

/* Bytes of a table's type that hold all its members that are read. */
static uint32_t prefix_of(const struct mqd_table *table, enum mqd_type_id type)
{
    uint32_t prefix = 0;

    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_field *field = mqd_table_field(table, (enum mqd_step_id)step);

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
        const struct mqd_field *of_a = mqd_table_field(a, (enum mqd_step_id)step);
        const struct mqd_field *of_b = mqd_table_field(b, (enum mqd_step_id)step);

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
        if (table->types[nodes[i]] == NULL || !mqd_live_agrees(table, evidence, nodes[i]))
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

    if (!mqd_same_abi(&table->abi, &evidence->abi) || !fits_classes(table, evidence, &n_confirmed))
        return false;
    *by_classes = n_confirmed > 0;
    return *by_classes || (use_live && mqd_fits_live(table, evidence, &n_confirmed) && n_confirmed > 0);
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

        if (!mqd_same_abi(&tables[i]->abi, &evidence->abi))
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
            (mqd_table_field(table, (enum mqd_step_id)step) != NULL) != (evidence->live_offset[step] >= 0))
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
        if (mqd_same_abi(&tables[i]->abi, &evidence->abi) && mqd_family_has_version(tables[i], evidence->version) &&
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

    mqd_clear(embedded, sizeof embedded);
    for (unsigned step = 0; step < MQD_N_STEPS; step++)
        if (mqd_step_specs[step].inner != MQD_N_TYPES)
            embedded[mqd_step_specs[step].inner] = true;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        confirmed[type] = table->types[type] != NULL &&
                          (evidence->classes[type].readable ||
                           (mqd_type_specs[type].class_symbol == NULL && !embedded[type]));
    for (unsigned step = MQD_N_STEPS; step-- > 0;) {
        enum mqd_type_id inner = mqd_step_specs[step].inner, outer = mqd_step_specs[step].type;

        if (inner != MQD_N_TYPES && mqd_type_specs[inner].class_symbol == NULL && confirmed[outer])
            confirmed[inner] = true;
    }
}

static bool any_for_abi(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_abi *abi)
{
    for (size_t i = 0; i < n_tables; i++)
        if (mqd_same_abi(&tables[i]->abi, abi))
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

    mqd_clear(confirmed, sizeof confirmed);
    choose_table(tables, n_tables, evidence, use_live, layout);
    kinds = layout->table != NULL ? layout->table : choose_kinds(tables, n_tables, evidence);
    if (layout->table != NULL)
        confirm_types(layout->table, evidence, confirmed);
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == MQD_LIBRARY_openmpi)
            mqd_resolve_type(kinds, evidence, confirmed, use_live, (enum mqd_type_id)type, layout);
    mqd_settle_constants(tables, n_tables, evidence, layout);
    mqd_add_up_paths(layout);
    mqd_decide_capabilities(layout);
    layout->contradicted = mqd_geometry_check(layout);
    if (layout->contradicted != MQD_N_STEPS)
        layout->verdict = MQD_VERDICT_contradiction;
    else if (layout->can[MQD_CAN_communicators])
        layout->verdict = MQD_VERDICT_resolved;
    else
        layout->verdict = failure(layout, evidence, any_for_abi(tables, n_tables, &evidence->abi));
}

void mqd_resolve(const struct mqd_table *const *tables, size_t n_tables, const struct mqd_evidence *evidence,
                 struct mqd_layout *layout)
{
    mqd_begin_layout(evidence, foreign_debug_information(evidence), layout);
    settle(tables, n_tables, evidence, layout);
    /* The layout is impossible, but the process confirms a table: then the debugger's types are wrong. */
    if (layout->verdict == MQD_VERDICT_contradiction && layout->table != NULL && !layout->live_rejected &&
        any_class_readable(evidence)) {
        mqd_begin_layout(evidence, mqd_step_specs[layout->contradicted].type, layout);
        settle(tables, n_tables, evidence, layout);
    }
}

bool mqd_may_fit(const struct mqd_table *table, const struct mqd_evidence *evidence)
{
    unsigned n_confirmed;

    return mqd_same_abi(&table->abi, &evidence->abi) && fits_classes(table, evidence, &n_confirmed);
}
