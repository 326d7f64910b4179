/* describe.c - describes the layout, its evidence, and what can be shown. */
#include "mqd/dll/describe.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

static const char *const source_names[] = {
    [MQD_SOURCE_absent] = "absent",
    [MQD_SOURCE_table] = "table",
    [MQD_SOURCE_live] = "live",
    [MQD_SOURCE_both] = "table+live",
};

static const char *const kind_names[] = {
    [MQD_KIND_none] = "none", [MQD_KIND_i8] = "i8", [MQD_KIND_i16] = "i16", [MQD_KIND_i32] = "i32",
    [MQD_KIND_i64] = "i64", [MQD_KIND_u8] = "u8", [MQD_KIND_u16] = "u16", [MQD_KIND_u32] = "u32",
    [MQD_KIND_u64] = "u64", [MQD_KIND_ptr] = "ptr", [MQD_KIND_size] = "size", [MQD_KIND_enum] = "enum",
    [MQD_KIND_bool] = "bool", [MQD_KIND_chars] = "chars", [MQD_KIND_bytes] = "bytes", [MQD_KIND_struct] = "struct",
};

static const char *const decision_names[] = {
    [MQD_DECISION_none] = "", [MQD_DECISION_classes] = "class sizes", [MQD_DECISION_live] = "debugger's types",
    [MQD_DECISION_matching] = "matching queues", [MQD_DECISION_site] = "preference for site tables",
    [MQD_DECISION_version] = "version string", [MQD_DECISION_arch] = "architecture", [MQD_DECISION_first] = "first",
};

static const char *const probe_names[MQD_N_PROBES] = {
    [MQD_PROBE_comm_null] = "MPI_COMM_NULL",
    [MQD_PROBE_comm_world] = "MPI_COMM_WORLD",
    [MQD_PROBE_own_entry] = "own entry in group",
    [MQD_PROBE_request_null] = "MPI_REQUEST_NULL",
    [MQD_PROBE_tags] = "collective tags",
};

static const char *const finding_names[] = {
    [MQD_FINDING_not_reached] = "not reached",
    [MQD_FINDING_passed] = "passed",
    [MQD_FINDING_failed] = "failed",
    [MQD_FINDING_not_possible] = "not possible",
};

const char *mqd_capability_text(enum mqd_capability can)
{
    return mqd_capability_specs[can].text;
}

/* Returns the chosen table. If none was chosen, returns the nearest one; NULL if there is none either. */
static const struct mqd_table *chosen_or_nearest(const struct mqd_process *process)
{
    if (process->layout.table != NULL)
        return process->layout.table;
    return mqd_nearest(mqd_tables, mqd_n_tables, &process->evidence);
}

static void add_family(struct mqd_line *line, const struct mqd_table *table)
{
    mqd_add(line, table->first);
    mqd_add(line, "-");
    mqd_add(line, table->last);
}

static void write_text(char *text, size_t n_room, const char *from)
{
    struct mqd_line line = mqd_line_in(text, n_room);

    mqd_add(&line, from);
}

static void write_family(char *text, size_t n_room, const struct mqd_table *table)
{
    struct mqd_line line = mqd_line_in(text, n_room);

    add_family(&line, table);
}

/* Writes family, variant and architecture of a table; "" for NULL. */
static void write_table(char *text, size_t n_room, const struct mqd_table *table)
{
    struct mqd_line line = mqd_line_in(text, n_room);

    if (table == NULL)
        return;
    add_family(&line, table);
    mqd_add(&line, " ");
    mqd_add(&line, table->variant);
    mqd_add(&line, " ");
    mqd_add(&line, table->arch);
}

static void describe_abi(const struct mqd_abi *abi, struct mqd_layout_summary *summary)
{
    struct mqd_line line = mqd_line_in(summary->abi, sizeof summary->abi);

    if (abi->pointer_size == 0)
        return;
    mqd_add_number(&line, 8 * (uint64_t)abi->pointer_size);
    mqd_add(&line, abi->little_endian ? "-bit little-endian" : "-bit big-endian");
}

static void count_evidence(const struct mqd_process *process, const struct mqd_table *table,
                           struct mqd_layout_summary *summary)
{
    const struct mqd_evidence *evidence = &process->evidence;

    for (unsigned type = 0; type < MQD_N_TYPES; type++) {
        bool read = evidence->classes[type].readable;

        if (mqd_type_specs[type].library != MQD_LIBRARY_openmpi)
            continue;
        summary->n_types++;
        summary->n_classes += mqd_type_specs[type].class_symbol != NULL;
        summary->n_classes_read += read;
        summary->n_classes_agreeing += read && table != NULL && mqd_class_fits(table, evidence, (enum mqd_type_id)type);
        summary->n_types_known += evidence->live[type].known;
        summary->n_types_agreeing += process->layout.type_source[type] == MQD_SOURCE_both;
    }
}

static int verdict_of(const struct mqd_process *process)
{
    enum mqd_rc rc = process->snapshot.rc;

    if (!process->snapshot.taken)
        return MQD_RC_no_evidence;
    return process->layout.verdict != MQD_VERDICT_resolved || mqd_is_contradiction(rc) ? (int)rc : mqs_ok;
}

int mqd_describe_layout(const struct mqd_process *process, struct mqd_layout_summary *summary)
{
    const struct mqd_layout *layout = &process->layout;
    const struct mqd_table *table = chosen_or_nearest(process);
    struct mqd_line line;

    memset(summary, 0, sizeof *summary);
    mqd_copy_text(summary->openmpi, sizeof summary->openmpi, process->evidence.version,
                  sizeof process->evidence.version);
    describe_abi(&process->evidence.abi, summary);
    count_evidence(process, table, summary);
    summary->n_fitting = (int)layout->n_fitting;
    summary->version_in_family = -1;
    if (layout->live_rejected) {
        line = mqd_line_in(summary->rejected, sizeof summary->rejected);
        mqd_add(&line, mqd_type_specs[layout->live_rejected_by].name);
    }
    if (layout->table != NULL) {
        write_family(summary->family, sizeof summary->family, layout->table);
        write_text(summary->variant, sizeof summary->variant, layout->table->variant);
        write_text(summary->arch, sizeof summary->arch, layout->table->arch);
        if (summary->openmpi[0] != '\0')
            summary->version_in_family = mqd_family_has_version(layout->table, summary->openmpi);
        line = mqd_line_in(summary->decided, sizeof summary->decided);
        mqd_add(&line, decision_names[layout->decision]);
    }
    write_table(summary->next_best, sizeof summary->next_best, layout->table != NULL ? layout->rival : table);
    if (layout->verdict == MQD_VERDICT_resolved) {
        line = mqd_line_in(summary->source, sizeof summary->source);
        mqd_add(&line, mqd_layout_source(layout, MQD_LIBRARY_openmpi));
    }
    return verdict_of(process);
}

int mqd_describe_library(const struct mqd_process *process, int index, struct mqd_library_summary *summary)
{
    const struct mqd_second *second = &process->second;
    const struct mqd_table *table = second->layout.table;

    if (index != 0 || !second->in_use)
        return mqs_end_of_list;
    memset(summary, 0, sizeof *summary);
    write_text(summary->name, sizeof summary->name, mqd_library_titles[second->library]);
    mqd_copy_text(summary->version, sizeof summary->version, second->version, sizeof second->version);
    mqd_copy_text(summary->found, sizeof summary->found, second->found, sizeof second->found);
    summary->version_in_family = -1;
    for (unsigned type = 0; type < MQD_N_TYPES; type++)
        if (mqd_type_specs[type].library == second->library) {
            summary->n_types++;
            summary->n_types_known += process->evidence.live[type].known;
        }
    if (second->rc != MQD_OK)
        return (int)second->rc;
    write_family(summary->family, sizeof summary->family, table);
    write_text(summary->variant, sizeof summary->variant, table->variant);
    write_text(summary->arch, sizeof summary->arch, table->arch);
    write_text(summary->source, sizeof summary->source, mqd_layout_source(&second->layout, second->library));
    write_table(summary->next_best, sizeof summary->next_best, second->layout.rival);
    summary->n_fitting = (int)second->layout.n_fitting;
    if (second->version[0] != '\0')
        summary->version_in_family = mqd_family_has_version(table, second->version);
    return mqs_ok;
}

/* Is the library's layout a part of what this listing rests on? */
static bool is_described(const struct mqd_process *process, enum mqd_library library)
{
    return library == MQD_LIBRARY_openmpi || (process->second.in_use && library == process->second.library);
}

/* The chosen or nearest table of the type's library, NULL if there is none. */
static const struct mqd_table *table_for(const struct mqd_process *process, enum mqd_type_id type)
{
    return mqd_type_specs[type].library == MQD_LIBRARY_openmpi ? chosen_or_nearest(process)
                                                               : process->second.layout.table;
}

static long size_or_unknown(uint64_t size)
{
    return size > 0 && size <= MQD_MAX_TYPE_BYTES ? (long)size : -1;
}

int mqd_describe_type(const struct mqd_process *process, int index, struct mqd_type_description *out)
{
    const struct mqd_evidence *evidence = &process->evidence;
    const struct mqd_table *table;

    if (index < 0 || index >= MQD_N_TYPES || !is_described(process, mqd_type_specs[index].library))
        return mqs_end_of_list;
    table = table_for(process, (enum mqd_type_id)index);
    *out = (struct mqd_type_description){
        .name = mqd_type_specs[index].name,
        .source = source_names[process->layout.type_source[index]],
        .size = size_or_unknown(process->layout.type_size[index]),
        .class_size = size_or_unknown(evidence->classes[index].size),
        .live_size = evidence->live[index].size > 0 ? size_or_unknown((uint64_t)evidence->live[index].size) : -1,
        .table_size = table != NULL && table->types[index] != NULL ? (long)table->types[index]->size : -1,
    };
    return mqs_ok;
}

static long live_offset(const struct mqd_evidence *evidence, unsigned step)
{
    if (!evidence->live[mqd_step_specs[step].type].known || evidence->live_offset[step] < 0)
        return -1;
    return evidence->live_offset[step];
}

static long table_offset(const struct mqd_table *table, unsigned step)
{
    enum mqd_type_id type = mqd_step_specs[step].type;
    const struct mqd_field *field;

    if (table == NULL || table->types[type] == NULL)
        return -1;
    field = &table->types[type]->fields[step - mqd_type_specs[type].first_step];
    return field->present ? (long)field->offset : -1;
}

static enum mqd_type_id type_of(int step)
{
    return mqd_step_specs[step].type;
}

/* The chosen table of the type's library, NULL if none was chosen. */
static const struct mqd_table *chosen_for(const struct mqd_process *process, enum mqd_type_id type)
{
    return mqd_type_specs[type].library == MQD_LIBRARY_openmpi ? process->layout.table : process->second.layout.table;
}

int mqd_describe_field(const struct mqd_process *process, int index, struct mqd_field_description *out)
{
    const struct mqd_place *place;
    bool absent;

    if (index < 0 || index >= MQD_N_STEPS || !is_described(process, mqd_type_specs[type_of(index)].library))
        return mqs_end_of_list;
    place = &process->layout.steps[index];
    absent = place->source == MQD_SOURCE_absent;
    *out = (struct mqd_field_description){
        .type = mqd_type_specs[type_of(index)].name,
        .member = mqd_step_specs[index].member,
        .kind = kind_names[place->kind],
        .source = source_names[place->source],
        .offset = absent ? -1 : (long)place->offset,
        .size = absent || place->size == 0 ? -1 : (long)place->size,
        .live_offset = live_offset(&process->evidence, (unsigned)index),
        .table_offset = table_offset(chosen_for(process, type_of(index)), (unsigned)index),
    };
    return mqs_ok;
}

int mqd_describe_probe(const struct mqd_process *process, int index, struct mqd_probe_description *out)
{
    const struct mqd_second *second = &process->second;

    if (index >= MQD_N_PROBES && second->in_use && (size_t)(index - MQD_N_PROBES) < second->n_probes) {
        out->name = second->probe_names[index - MQD_N_PROBES];
        out->result = finding_names[second->probes[index - MQD_N_PROBES]];
        return mqs_ok;
    }
    if (index < 0 || index >= MQD_N_PROBES)
        return mqs_end_of_list;
    *out = (struct mqd_probe_description){.name = probe_names[index],
                                          .result = finding_names[process->findings.probes[index]]};
    return mqs_ok;
}

/* Capabilities of another library are the reasons for those of Open MPI, and are not listed. */
static bool is_capability(int index)
{
    return index >= 0 && index < MQD_N_CAPABILITIES && mqd_capability_specs[index].library == MQD_LIBRARY_openmpi;
}

/* Returns MQD_OK if a capability is on, else the reason why it is off. */
static enum mqd_rc limit_of(const struct mqd_process *process, int index)
{
    if (!process->snapshot.taken)
        return MQD_RC_no_evidence;
    return process->snapshot.rc != MQD_OK ? process->snapshot.rc : process->findings.limits[index];
}

/* Returns what is missing while a capability is on; MQD_OK if nothing is missing. */
static enum mqd_rc hindrance_of(const struct mqd_process *process, int index)
{
    return process->findings.hindrances[index];
}

int mqd_describe_capability(const struct mqd_process *process, int index, struct mqd_capability_description *out)
{
    enum mqd_rc rc, hindrance;

    if (!is_capability(index))
        return mqs_end_of_list;
    rc = limit_of(process, index);
    hindrance = hindrance_of(process, index);
    *out = (struct mqd_capability_description){.name = mqd_capability_specs[index].name, .text = mqd_capability_specs[index].text,
                                               .on = rc == MQD_OK};
    if (rc != MQD_OK || hindrance != MQD_OK)
        out->reason = dbgr_error_text((int)(rc != MQD_OK ? rc : hindrance));
    return mqs_ok;
}

int mqd_describe_limit(const struct mqd_process *process, int index, struct mqd_limit_description *out)
{
    static const enum mqd_shown shown[MQD_N_CAPABILITIES] = {
        [MQD_CAN_communicators] = MQD_SHOWN_communicators, [MQD_CAN_names] = MQD_SHOWN_names,
        [MQD_CAN_groups] = MQD_SHOWN_groups,               [MQD_CAN_requests] = MQD_SHOWN_requests,
        [MQD_CAN_receives] = MQD_SHOWN_receives,           [MQD_CAN_sends] = MQD_SHOWN_sends,
        [MQD_CAN_datatypes] = MQD_SHOWN_datatypes,         [MQD_CAN_unexpected] = MQD_SHOWN_unexpected,
    };
    enum mqd_rc rc;

    if (!is_capability(index))
        return mqs_end_of_list;
    rc = limit_of(process, index);
    *out = (struct mqd_limit_description){
        .shown = (int)shown[index],
        .reason = (int)mqd_rc_reason((int)rc),
        .hindrance = (int)mqd_rc_reason((int)(rc == MQD_OK ? hindrance_of(process, index) : MQD_OK)),
    };
    return mqs_ok;
}
