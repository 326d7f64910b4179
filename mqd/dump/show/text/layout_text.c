/*
 * layout_text.c - layouts in force, for people.
 */
#include "mqd/dump/show/text/layout_text.h"

#include <stdbool.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/show/text/paragraph.h"

enum { LABEL_INDENT = 2, TEXT_INDENT = 14, ROW_INDENT = 4, FIELD_INDENT = 6 };

/* "UCX 1.18.1, layout 1.18.0-1.18.1 assert (table)" */
static char *say_layout(const char *name, const char *version, const char *family, const char *variant,
                        const char *source)
{
    return format_text("%s %s, layout%s%s%s%s (%s)", name, *version != '\0' ? version : "of unknown version",
                       *family != '\0' ? " " : "", family, *variant != '\0' ? " " : "", variant,
                       *source != '\0' ? source : "not known");
}

static char *say_library(const struct library *library)
{
    const struct mqd_library_summary *summary = &library->summary;

    return say_layout(summary->name, summary->version, summary->family, summary->variant, summary->source);
}

void layout_print_summary(FILE *to, const struct listing *listing)
{
    const struct mqd_layout_summary *layout = listing_layout(listing);
    OWNED char *all = say_layout("Open MPI", layout->openmpi, layout->family, layout->variant, layout->source);

    for (size_t i = 0; i < listing->n_libraries; i++) {
        OWNED char *library = say_library(&listing->libraries[i]);

        append_text(&all, "; %s", library);
    }
    print_paragraph(to, 0, 0, all);
    if (layout->rejected[0] != '\0')
        print_format(to, 0, 0, "Debug information of another build is not used, as %s shows", layout->rejected);
}

/* Prints a label and a text, which is then freed. */
static struct paragraph start_labelled(FILE *to, const char *label)
{
    struct paragraph paragraph = start_paragraph(to, LABEL_INDENT, TEXT_INDENT);

    /* The name of a library, which a record may make long, is a label too. */
    fprintf(to, "%-*s ", TEXT_INDENT - LABEL_INDENT - 1, label);
    paragraph.column = TEXT_INDENT;
    return paragraph;
}

static void print_labelled(FILE *to, const char *label, char *text)
{
    OWNED char *owned = text;
    struct paragraph paragraph = start_labelled(to, label);

    put_text(&paragraph, owned);
    end_paragraph(&paragraph);
}

/* Evidence. */

static char *describe_choice(const struct mqd_layout_summary *layout)
{
    if (layout->n_fitting == 1)
        return format_text("the only one that fits (by the %s)", layout->decided);
    if (strcmp(layout->decided, "first") == 0)
        return format_text("the first of %d that fit equally; nothing tells it from %s", layout->n_fitting,
                           layout->next_best);
    return format_text("one of %d that fit equally, chosen by the %s; the next best is %s", layout->n_fitting,
                       layout->decided, layout->next_best);
}

static char *describe_table(const struct mqd_layout_summary *layout)
{
    OWNED char *choice = describe_choice(layout);

    if (layout->family[0] == '\0')
        return layout->next_best[0] != '\0'
                   ? format_text("none fits; the nearest one, %s, has other sizes", layout->next_best)
                   : copy_string("none fits");
    return format_text("%s %s, %s: %s", layout->family, layout->variant, layout->arch, choice);
}

/* `who` states the version: "the process", or "it" of a library. */
static char *describe_version(const char *version, int in_family, const char *who)
{
    if (version[0] == '\0')
        return format_text("%s states none", who);
    if (in_family < 0)
        return format_text("%s, as %s states", version, who);
    return format_text("%s, as %s states, is %sof the table's family", version, who, in_family ? "" : "not ");
}

static char *describe_types(const struct mqd_layout_summary *layout)
{
    if (layout->n_types_known == 0)
        return format_text("knows none of %d types", layout->n_types);
    if (layout->rejected[0] != '\0')
        return format_text("knows %d of %d types, of another build as %s shows: none is used", layout->n_types_known,
                           layout->n_types, layout->rejected);
    return format_text("knows %d of %d types; %d %s like the table's", layout->n_types_known, layout->n_types,
                       layout->n_types_agreeing, layout->n_types_agreeing == 1 ? "is" : "are");
}

/* Are the class sizes compared with the nearest table, because no table was chosen? */
static bool has_nearest(const struct mqd_layout_summary *layout)
{
    return layout->family[0] == '\0' && layout->next_best[0] != '\0';
}

static char *describe_classes(const struct mqd_layout_summary *layout)
{
    return format_text("%d of %d class descriptors read; %d have the %stable's size", layout->n_classes_read,
                       layout->n_classes, layout->n_classes_agreeing, has_nearest(layout) ? "nearest " : "");
}

static void print_probes(FILE *to, const struct details *details)
{
    struct paragraph paragraph;

    if (details->n_probes == 0)
        return;
    paragraph = start_labelled(to, "Probes");
    for (size_t i = 0; i < details->n_probes; i++) {
        OWNED char *item = format_text("%s %s", details->probes[i].name, details->probes[i].result);

        put_item(&paragraph, item);
    }
    end_paragraph(&paragraph);
}

/* What can be shown. */

/* What lacks something while it can be shown is slower to read, or it is not all there. */
static const char *say_hindrance(const struct details *details, size_t i)
{
    return i < details->n_limits && details->limits[i].hindrance == MQD_REASON_elsewhere ? "Partly" : "Slower";
}

/* Those with one reason in one paragraph. */
static void print_same_reason(FILE *to, const struct details *details, const struct text_group *same, const char *label)
{
    const struct mqd_capability_description *first = &details->capabilities[same->members[0]];
    OWNED char *names = copy_string(first->text);

    for (size_t i = 1; i < same->n; i++)
        append_text(&names, ", %s", details->capabilities[same->members[i]].text);
    print_labelled(to, label, format_text("%s: %s", names, first->reason));
}

static void print_capabilities(FILE *to, const struct details *details)
{
    RELEASED_BY(text_groups_clear) struct text_groups reasons = {0};
    const char *label = "Off";
    bool any_off = false;

    for (size_t i = 0; i < details->n_capabilities; i++) {
        const struct mqd_capability_description *capability = &details->capabilities[i];

        any_off |= !capability->on;
        if (capability->reason != NULL)
            text_groups_add(&reasons, format_text("%d %s", capability->on, capability->reason), i);
    }
    if (!any_off)
        print_labelled(to, "Off", copy_string("nothing"));
    for (size_t i = 0; i < reasons.n; i++) {
        size_t first = reasons.groups[i].members[0];
        bool on = details->capabilities[first].on;

        print_same_reason(to, details, &reasons.groups[i], on ? say_hindrance(details, first) : label);
        if (!on)
            label = "";
    }
}

/* What is known of another library that keeps the operations: the same in few lines. */

static char *describe_library_table(const struct library *library)
{
    const struct mqd_library_summary *summary = &library->summary;

    if (summary->family[0] == '\0')
        return format_text("none fits%s%s", summary->found[0] != '\0' ? "; " : "", summary->found);
    if (summary->n_fitting <= 1)
        return format_text("%s %s, %s: the only one that fits", summary->family, summary->variant, summary->arch);
    return format_text("%s %s, %s: one of %d that the process does not contradict%s%s; what they disagree about is not "
                       "used",
                       summary->family, summary->variant, summary->arch, summary->n_fitting,
                       summary->next_best[0] != '\0' ? ", as " : "", summary->next_best);
}

static void print_libraries(FILE *to, const struct listing *listing)
{
    for (size_t i = 0; i < listing->n_libraries; i++) {
        const struct library *library = &listing->libraries[i];
        const struct mqd_library_summary *summary = &library->summary;

        print_labelled(to, summary->name, describe_library_table(library));
        if (library->error != NULL)
            print_labelled(to, "  Refused", copy_string(library->error));
        print_labelled(to, "  Debugger", summary->n_types_known == 0
                                             ? format_text("knows none of %d types", summary->n_types)
                                             : format_text("knows %d of %d types", summary->n_types_known,
                                                           summary->n_types));
        print_labelled(to, "  Version", describe_version(summary->version, summary->version_in_family, "it"));
    }
}

static void print_evidence(FILE *to, const struct listing *listing)
{
    const struct mqd_layout_summary *layout = listing_layout(listing);

    layout_print_summary(to, listing);
    if (listing->error != NULL)
        print_error_line(to, LABEL_INDENT, "", listing->error);
    print_labelled(to, "Process", copy_string(layout->abi[0] != '\0' ? layout->abi : "not looked at"));
    print_labelled(to, "Table", describe_table(layout));
    print_labelled(to, "Classes", describe_classes(layout));
    print_labelled(to, "Debugger", describe_types(layout));
    print_labelled(to, "Version", describe_version(layout->openmpi, layout->version_in_family, "the process"));
    print_libraries(to, listing);
    print_probes(to, &listing->details);
    print_capabilities(to, &listing->details);
}

/* Tables. */

/* Room for any long, and for "-" if it is not known. */
typedef char number_text[24];

static const char *number(number_text text, long value)
{
    if (value < 0)
        return "-";
    snprintf(text, sizeof(number_text), "%ld", value);
    return text;
}

/* Columns for names of types and members. A longer name has a line of its own, so that the tables fit the terminal. */
enum { TYPE_WIDTH = 33, MEMBER_WIDTH = 20 };

static void print_type(FILE *to, const struct mqd_type_description *type, size_t width)
{
    number_text size, class, live, table;
    bool is_long = strlen(type->name) > width;

    if (is_long)
        print_line(to, "%*s%s", ROW_INDENT, "", type->name);
    print_line(to, "%*s%-*s  %5s  %-10s  %5s  %8s  %5s", ROW_INDENT, "", (int)width, is_long ? "" : type->name,
              number(size, type->size), type->source, number(class, type->class_size), number(live, type->live_size),
              number(table, type->table_size));
}

static void print_types(FILE *to, const struct listing *listing)
{
    const struct details *details = &listing->details;
    size_t width = strlen("type");

    for (size_t i = 0; i < details->n_types; i++) {
        size_t length = strlen(details->types[i].name);

        if (length > width && length <= TYPE_WIDTH)
            width = length;
    }
    terminal_style(to, STYLE_HEADING);
    fprintf(to, "  Sizes in bytes: in force; by the class descriptor, the debugger, the %stable\n",
            has_nearest(listing_layout(listing)) ? "nearest " : "");
    terminal_style(to, STYLE_PLAIN);
    fprintf(to, "%*s%-*s  %5s  %-10s  %5s  %8s  %5s\n", ROW_INDENT, "", (int)width, "type", "size", "source", "class",
            "debugger", "table");
    for (size_t i = 0; i < details->n_types; i++)
        print_type(to, &details->types[i], width);
}

static void print_field(FILE *to, const struct mqd_field_description *field)
{
    bool differ = field->live_offset >= 0 && field->table_offset >= 0 && field->live_offset != field->table_offset;
    bool is_long = strlen(field->member) > MEMBER_WIDTH;
    number_text offset, size, live, table;

    if (differ)
        terminal_style(to, STYLE_DOUBT);
    if (is_long)
        print_line(to, "%*s%s", FIELD_INDENT, "", field->member);
    print_line(to, "%*s%-*s  %6s  %5s  %-6s  %-10s  %8s  %5s%s", FIELD_INDENT, "", MEMBER_WIDTH,
              is_long ? "" : field->member, number(offset, field->offset), number(size, field->size), field->kind,
              field->source, number(live, field->live_offset), number(table, field->table_offset),
              differ ? " !" : "");
    if (differ)
        terminal_style(to, STYLE_PLAIN);
}

static void print_fields(FILE *to, const struct details *details)
{
    const char *type = "";

    terminal_style(to, STYLE_HEADING);
    fprintf(to, "  Offsets in bytes: in force; by the debugger, the table (!: they differ)\n");
    terminal_style(to, STYLE_PLAIN);
    fprintf(to, "%*s%-*s  %6s  %5s  %-6s  %-10s  %8s  %5s\n", FIELD_INDENT, "", MEMBER_WIDTH, "field", "offset", "size",
            "kind", "source", "debugger", "table");
    for (size_t i = 0; i < details->n_fields; i++) {
        const struct mqd_field_description *field = &details->fields[i];

        if (strcmp(field->type, type) != 0)
            print_line(to, "%*s%s", ROW_INDENT, "", field->type);
        type = field->type;
        print_field(to, field);
    }
}

/* Processes with the same layout. */

/* Ranks in ascending order. */
static void put_ranks(struct paragraph *paragraph, const struct listing *const *group, size_t n)
{
    OWNED long *ranks = allocate_array(n, sizeof *ranks);
    OWNED const char **names = allocate_array(n, sizeof *names);
    OWNED char *hosts = NULL, *folded = NULL;

    for (size_t i = 0; i < n; i++) {
        ranks[i] = group[i]->rank;
        names[i] = group[i]->host;
    }
    hosts = host_phrase(names, n);
    folded = ranks_list(ranks, n, ", ");
    put_format(paragraph, "Rank%s %s%s, process%s ", n > 1 ? "s" : "", folded, hosts, n > 1 ? "es" : "");
}

static void print_header(FILE *to, const struct listing *const *group, size_t n)
{
    struct paragraph paragraph = start_paragraph(to, 0, 0);

    if (group[0]->rank >= 0)
        put_ranks(&paragraph, group, n);
    else
        put_text(&paragraph, n > 1 ? "Processes " : "Process ");
    paragraph.indent = LABEL_INDENT;
    for (size_t i = 0; i < n; i++)
        put_format(&paragraph, "%d%s", (int)group[i]->pid, i + 1 < n ? ", " : ": ");
    put_name(&paragraph, group[0]->executable != NULL ? group[0]->executable : "executable unknown");
    end_paragraph(&paragraph);
}

static void print_details(FILE *to, const struct listing *listing)
{
    print_evidence(to, listing);
    print_types(to, listing);
    print_fields(to, &listing->details);
}

/* All that is printed of a process, and what tells groups apart besides: the program, and whether ranks are known. */
static char *text_of(const struct listing *listing)
{
    struct text_stream stream;

    text_stream_open(&stream);
    print_details(stream.to, listing);
    fprintf(stream.to, "%d %s", listing->rank >= 0, listing->executable != NULL ? listing->executable : "");
    return text_stream_close(&stream);
}

void layout_print(FILE *to, const struct listing *const *listings, size_t n)
{
    RELEASED_BY(text_groups_clear) struct text_groups groups = {0};
    OWNED const struct listing **group = allocate_array(n + 1, sizeof *group);

    for (size_t i = 0; i < n; i++)
        if (listings[i]->has_details)
            text_groups_add(&groups, text_of(listings[i]), i);
    for (size_t i = 0; i < groups.n; i++) {
        const struct text_group *same = &groups.groups[i];

        for (size_t k = 0; k < same->n; k++)
            group[k] = listings[same->members[k]];
        fputs(i == 0 ? "" : "\n", to);
        print_header(to, group, same->n);
        print_details(to, group[0]);
    }
}
