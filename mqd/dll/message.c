/* message.c - refusals and limits in one sentence each. */
#include "mqd/dll/message.h"

#include <string.h>

#include "mqd/dll/describe.h"
#include "mqd/dll/evidence.h"
#include "mqd/dll/snapshot.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* Adds "UCX 1.13.1"; the version is what the process states. */
static void add_version(struct mqd_line *line, enum mqd_library library, const char *stated, size_t n_stated)
{
    char version[64];

    mqd_copy_text(version, sizeof version, stated, n_stated);
    mqd_make_harmless(version);
    mqd_add(line, mqd_library_titles[library]);
    mqd_add(line, " ");
    mqd_add(line, version[0] != '\0' ? version : "of unknown version");
}

static void add_openmpi(struct mqd_line *line, const struct mqd_process *process)
{
    add_version(line, MQD_LIBRARY_openmpi, process->evidence.version, sizeof process->evidence.version);
}

/* Adds the library that keeps the requests, if it is another one. */
static void add_second(struct mqd_line *line, const struct mqd_process *process)
{
    if (!process->second.in_use)
        return;
    mqd_add(line, " with ");
    add_version(line, process->second.library, process->second.version, sizeof process->second.version);
}

static void add_size(struct mqd_line *line, enum mqd_type_id type, uint64_t size)
{
    mqd_add(line, ", ");
    mqd_add(line, mqd_type_specs[type].name);
    mqd_add(line, " has ");
    mqd_add_number(line, size);
    mqd_add(line, " bytes");
}

static void add_table(struct mqd_line *line, const struct mqd_table *table)
{
    mqd_add(line, table->first);
    mqd_add(line, "-");
    mqd_add(line, table->last);
    mqd_add(line, " ");
    mqd_add(line, table->variant);
}

/* The first type whose size in the process is not the nearest table's, MQD_N_TYPES if there is none. */
static enum mqd_type_id first_contradiction(const struct mqd_process *process, const struct mqd_table *nearest)
{
    const struct mqd_evidence *evidence = &process->evidence;

    for (unsigned type = 0; nearest != NULL && type < MQD_N_TYPES; type++)
        if (evidence->classes[type].readable && nearest->types[type] != NULL &&
            !mqd_class_fits(nearest, evidence, (enum mqd_type_id)type))
            return (enum mqd_type_id)type;
    return MQD_N_TYPES;
}

/*
 * Adds the sizes by which builds are told apart: those that every layout needs, and the first one that contradicts the
 * nearest table.
 */
static void add_sizes(struct mqd_line *line, const struct mqd_process *process)
{
    static const enum mqd_type_id telling[] = {MQD_TYPE_ompi_communicator_t, MQD_TYPE_mca_pml_ob1_recv_request_t};
    const struct mqd_class_evidence *classes = process->evidence.classes;
    const struct mqd_table *nearest = mqd_nearest(mqd_tables, mqd_n_tables, &process->evidence);
    enum mqd_type_id other = first_contradiction(process, nearest);

    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (classes[telling[i]].readable && telling[i] != other)
            add_size(line, telling[i], classes[telling[i]].size);
    if (other == MQD_N_TYPES)
        return;
    add_size(line, other, classes[other].size);
    mqd_add(line, " and not ");
    mqd_add_number(line, nearest->types[other]->size);
    mqd_add(line, " as in the nearest table, ");
    add_table(line, nearest);
}

/* The first type for which the debugger's types are used against the table, MQD_N_TYPES if there is none. */
static enum mqd_type_id overruled_type(const struct mqd_layout *layout)
{
    for (unsigned type = 0; layout->table != NULL && type < MQD_N_TYPES; type++)
        if (layout->type_source[type] == MQD_SOURCE_live && layout->table->types[type] != NULL)
            return (enum mqd_type_id)type;
    return MQD_N_TYPES;
}

/* Adds ", which the debugger's type information contradicts in opal_list_t.opal_list_length", if it does. */
static void add_overruled(struct mqd_line *line, const struct mqd_process *process, const char *words)
{
    enum mqd_type_id type = overruled_type(&process->layout);

    if (type == MQD_N_TYPES)
        return;
    mqd_add(line, words);
    mqd_add(line, mqd_type_specs[type].name);
    for (unsigned step = mqd_type_specs[type].first_step; step < mqd_type_end(type); step++) {
        const struct mqd_field *field =
            &process->layout.table->types[type]->fields[step - mqd_type_specs[type].first_step];
        int32_t offset = process->evidence.live_offset[step];

        if (field->present != (offset >= 0) || (field->present && field->offset != (uint32_t)offset)) {
            mqd_add(line, ".");
            mqd_add(line, mqd_step_specs[step].member);
            return;
        }
    }
}

/* Adds the source of the layout that was refuted. */
static void add_layout(struct mqd_line *line, const struct mqd_process *process)
{
    const struct mqd_layout *layout = &process->layout;

    if (layout->contradicted != MQD_N_STEPS) {
        mqd_add(line, ", ");
        mqd_add(line, mqd_type_specs[mqd_step_specs[layout->contradicted].type].name);
        mqd_add(line, ".");
        mqd_add(line, mqd_step_specs[layout->contradicted].member);
    }
    if (layout->table != NULL) {
        mqd_add(line, ", table ");
        add_table(line, layout->table);
    }
    add_overruled(line, process, ", which the debugger's type information contradicts in ");
}

static void add_rejected(struct mqd_line *line, const struct mqd_layout *layout)
{
    if (!layout->live_rejected)
        return;
    mqd_add(line, "; the debugger's type information is another build's, as ");
    mqd_add(line, mqd_type_specs[layout->live_rejected_by].name);
    mqd_add(line, " shows, and is not used");
}

char *mqd_refusal(struct mqd_process *process, enum mqd_rc rc)
{
    const struct mqd_layout *layout = &process->layout;
    struct mqd_line line = mqd_line_in(process->message, sizeof process->message);

    mqd_add(&line, "No message queues: ");
    mqd_add(&line, mqd_rc_text((int)rc));
    mqd_add(&line, " (");
    add_openmpi(&line, process);
    if (layout->table == NULL)
        add_sizes(&line, process);
    add_layout(&line, process);
    mqd_add(&line, ")");
    add_rejected(&line, layout);
    /* If the debugger's types are wrong another table does not help. */
    if (overruled_type(layout) == MQD_N_TYPES)
        mqd_add(&line, "; a table for this build is made with mqdgen extract --prefix PREFIX -o TABLE and used after "
                       "./configure --with-openmpi-layout=TABLE");
    return process->message;
}

/* Shall the debugger show this? What may still come is not shown. */
static bool is_limit(enum mqd_rc rc)
{
    return rc != MQD_OK && rc != MQD_RC_not_initialised && rc != MQD_RC_no_memory;
}

/* `requests` is no queue: the capabilities that need it are named. */
static enum mqd_rc limit_of(const struct mqd_process *process, unsigned can)
{
    enum mqd_rc rc = process->findings.limits[can];

    return can != MQD_CAN_requests && mqd_capability_specs[can].library == MQD_LIBRARY_openmpi && is_limit(rc) ? rc
                                                                                                           : MQD_OK;
}

/* The last capability that is off for this reason. The sentence names all of them at the first. */
static unsigned last_with(const struct mqd_process *process, enum mqd_rc rc)
{
    unsigned last = 0;

    for (unsigned can = 0; can < MQD_N_CAPABILITIES; can++)
        if (limit_of(process, can) == rc)
            last = can;
    return last;
}

static bool is_first_with(const struct mqd_process *process, unsigned can, enum mqd_rc rc)
{
    for (unsigned before = 0; before < can; before++)
        if (limit_of(process, before) == rc)
            return false;
    return true;
}

/* Adds ", since" and the reason, which may be a text of the debugger's. */
static void add_reason(struct mqd_line *line, enum mqd_rc rc)
{
    size_t first = line->n;

    mqd_add(line, ", since ");
    mqd_add(line, mqd_rc_text((int)rc));
    if (rc > MQD_RC_of_debugger && strcmp(dbgr_error_text((int)rc), mqd_rc_text((int)rc)) != 0) {
        mqd_add(line, ": ");
        mqd_add(line, dbgr_error_text((int)rc));
    }
    for (char *c = line->text + first; *c != '\0'; c++)
        if (*c == '%')
            *c = '?';
}

static void add_limit(struct mqd_line *line, const struct mqd_process *process, unsigned first, enum mqd_rc rc)
{
    unsigned last = last_with(process, rc);

    for (unsigned can = first; can <= last; can++) {
        if (limit_of(process, can) != rc)
            continue;
        if (can != first)
            mqd_add(line, can == last ? " and " : ", ");
        mqd_add(line, mqd_capability_text((enum mqd_capability)can));
    }
    mqd_add(line, " are not shown");
    add_reason(line, rc);
}

/* Whether the process has queues is not known, though its layout is. */
static bool is_unreadable(const struct mqd_process *process)
{
    return process->layout.verdict == MQD_VERDICT_resolved && mqd_rc_is_unreadable(process->snapshot.rc);
}

char *mqd_limits(struct mqd_process *process)
{
    struct mqd_line line = mqd_line_in(process->message, sizeof process->message);
    bool is_judged = !mqd_inside_init(process), any = false;

    add_openmpi(&line, process);
    add_second(&line, process);
    if (is_judged && is_unreadable(process)) {
        mqd_add(&line, ": no message queues can be shown");
        add_reason(&line, process->snapshot.rc);
        any = true;
    }
    for (unsigned can = 0; can < MQD_N_CAPABILITIES && is_judged; can++) {
        enum mqd_rc rc = limit_of(process, can);

        if (rc == MQD_OK || !is_first_with(process, can, rc))
            continue;
        mqd_add(&line, any ? "; " : ": ");
        add_limit(&line, process, can, rc);
        any = true;
    }
    if (any && process->second.in_use && process->second.found[0] != '\0') {
        mqd_add(&line, "; ");
        mqd_add(&line, process->second.found);
    }
    /* Either the table or the debugger is wrong, so the listing may be wrong. */
    if (overruled_type(&process->layout) != MQD_N_TYPES) {
        mqd_add(&line, any ? "; the table " : ": the table ");
        add_table(&line, process->layout.table);
        add_overruled(&line, process, " is not used where the debugger's type information contradicts it: ");
        any = true;
    }
    if (!any)
        return NULL;
    add_rejected(&line, &process->layout);
    return process->message;
}
