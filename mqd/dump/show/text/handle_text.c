/*
 * handle_text.c - what handles stand for, and the state of windows, in words.
 */
#include "mqd/dump/show/text/handle_text.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/record/names.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/show/text/paragraph.h"

/* Longer lists are cut: of a datatype of a million blocks nobody reads more. */
enum { MAX_SHOWN = 16, INNER = 2 };

/* Values. */

/* What a number is called, in words, for free(). */
static char *say_number(const struct names *names, long number)
{
    const char *name = name_of(names, number);

    return say_name(name != NULL ? name : "of a kind that this mqdump does not know");
}

/* "CREATE RDWR", of MPI_MODE_CREATE and MPI_MODE_RDWR. */
static char *say_access_mode(long mode)
{
    static const char *const names[] = {"CREATE", "RDONLY", "WRONLY", "RDWR", "DELETE_ON_CLOSE", "UNIQUE_OPEN", "EXCL",
                                        "APPEND", "SEQUENTIAL"};
    char *text = copy_string("");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mode & 1L << i)
            append_text(&text, "%sMPI_MODE_%s", *text != '\0' ? " " : "", names[i]);
    return text;
}

static char *say_object(const struct handle_item *item, bool compared)
{
    if (*item->text != '\0')
        return printable(item->text, 0);
    return compared ? copy_string("0x") : format_text("0x%lx", item->address);
}

static char *say_value(const struct handle_item *item, const struct names *names, bool compared)
{
    if (names != NULL)
        return say_number(names, item->number);
    if (item->fact == MQD_FACT_access_mode)
        return say_access_mode(item->number);
    switch (item->form) {
    case MQD_FORM_address:
        return compared ? copy_string("0x") : format_text("0x%lx", item->address);
    case MQD_FORM_text:
        return printable(item->text, 0);
    case MQD_FORM_handle:
        return say_object(item, compared);
    default:
        return copy_string(NUMBER(item->number));
    }
}

/* Requests. */

static const char *const operations[] = {
    [MQD_OPERATION_recv] = "receive",         [MQD_OPERATION_probe] = "probe",
    [MQD_OPERATION_mprobe] = "matched probe", [MQD_OPERATION_send] = "send",
    [MQD_OPERATION_ssend] = "synchronous send", [MQD_OPERATION_bsend] = "buffered send",
    [MQD_OPERATION_rsend] = "ready send",
};
static const char *const requests[] = {
    [MQD_REQUEST_OF_unknown] = "operation of an unknown kind",
    [MQD_REQUEST_OF_message] = "send or receive",
    [MQD_REQUEST_OF_file] = "operation on a file",
    [MQD_REQUEST_OF_program] = "generalized request (it ends with the program's MPI_Grequest_complete)",
    [MQD_REQUEST_OF_window] = "operation on a window",
    [MQD_REQUEST_OF_collective] = "nonblocking collective operation",
    [MQD_REQUEST_OF_communicator] = "creation of a communicator",
    [MQD_REQUEST_OF_partitions] = "partitioned send or receive",
};

static const char *name_request(const struct handle *handle)
{
    long operation = handle_number(handle, MQD_FACT_operation, MQD_OPERATION_unknown);
    long kind = handle_number(handle, MQD_FACT_request_kind, MQD_REQUEST_OF_unknown);

    if (kind == MQD_REQUEST_OF_partitions && operation != MQD_OPERATION_unknown)
        return operation == MQD_OPERATION_recv ? "partitioned receive" : "partitioned send";
    if (operation > 0 && operation < (long)(sizeof operations / sizeof *operations))
        return operations[operation];
    return requests[kind > 0 && kind < (long)(sizeof requests / sizeof *requests) ? kind : MQD_REQUEST_OF_unknown];
}

/* " from rank 1, tag 7". Where the peer is not known the tag is not either. Of a window " at rank 1". */
static void append_envelope(char **text, const struct handle *handle)
{
    static const long absent = -2;
    long peer = handle_number(handle, MQD_FACT_peer, absent), operation = handle_number(handle, MQD_FACT_operation, 0);
    bool is_receive = operation == MQD_OPERATION_recv || operation == MQD_OPERATION_probe ||
                      operation == MQD_OPERATION_mprobe;
    size_t n;
    const struct handle_item *tag = handle_find(handle, MQD_FACT_tag, &n);

    if (peer >= 0 && handle_number(handle, MQD_FACT_request_kind, 0) == MQD_REQUEST_OF_window)
        append_text(text, " at rank %ld", peer);
    if (peer == absent || operation == MQD_OPERATION_unknown)
        return;
    if (is_receive && peer < 0)
        append_text(text, " from any source");
    else
        append_text(text, " %s rank %ld", is_receive ? "from" : "to", peer);
    if (tag != NULL)
        append_text(text, ", tag %s", NUMBER(tag->number));
    else if (is_receive)
        append_text(text, ", any tag");
}

/* "receive from rank 1, tag 7, on MPI_COMM_WORLD, 10 x MPI_INT: waited for" */
static char *say_request(const struct handle *handle, bool compared)
{
    size_t n;
    const struct handle_item *on = handle_find(handle, MQD_FACT_object, &n),
                             *elements = handle_find(handle, MQD_FACT_elements, &n),
                             *type = handle_find(handle, MQD_FACT_datatype, &n),
                             *bytes = handle_find(handle, MQD_FACT_bytes, &n),
                             *number = handle_find(handle, MQD_FACT_collective_number, &n),
                             *progress = handle_find(handle, MQD_FACT_progress, &n);
    char *text = format_text("%s%s", handle_number(handle, MQD_FACT_persistent, 0) != 0 ? "persistent " : "",
                             name_request(handle));

    append_envelope(&text, handle);
    if (number != NULL)
        append_text(&text, ", number %s", NUMBER(number->number));
    if (on != NULL) {
        OWNED char *object = say_object(on, compared);
        bool has_more = number != NULL || handle_number(handle, MQD_FACT_operation, MQD_OPERATION_unknown) != 0;

        append_text(&text, "%s on %s", has_more ? "," : "", object);
    }
    if (elements != NULL && type != NULL) {
        OWNED char *datatype = say_object(type, compared);

        append_text(&text, ", %s x %s", NUMBER(elements->number), datatype);
    } else if (bytes != NULL) {
        append_text(&text, ", %s bytes", NUMBER(bytes->number));
    }
    if (progress != NULL && progress->number != MQD_PROGRESS_complete) {
        OWNED char *state = say_number(&progress_names, progress->number);

        append_text(&text, ": %s", state);
    }
    return text;
}

/* Objects. */

/* What the head of an object of this kind says, or a line of its own; of objects of any kind: MQD_HANDLE_unknown. */
static bool is_said(const struct handle *handle, int fact)
{
    static const struct {
        int kind, fact;
    } said[] = {
        {MQD_HANDLE_unknown, MQD_FACT_size}, {MQD_HANDLE_unknown, MQD_FACT_rank},
        {MQD_HANDLE_unknown, MQD_FACT_remote_size}, {MQD_HANDLE_unknown, MQD_FACT_unique_id},
        {MQD_HANDLE_unknown, MQD_FACT_topology}, {MQD_HANDLE_unknown, MQD_FACT_dimension},
        {MQD_HANDLE_unknown, MQD_FACT_periodic}, {MQD_HANDLE_unknown, MQD_FACT_coordinate},
        {MQD_HANDLE_unknown, MQD_FACT_request_state}, {MQD_HANDLE_unknown, MQD_FACT_key},
        {MQD_HANDLE_unknown, MQD_FACT_value}, {MQD_HANDLE_communicator, MQD_FACT_group},
        {MQD_HANDLE_request, MQD_FACT_request_kind}, {MQD_HANDLE_request, MQD_FACT_persistent},
        {MQD_HANDLE_request, MQD_FACT_object}, {MQD_HANDLE_request, MQD_FACT_operation},
        {MQD_HANDLE_request, MQD_FACT_progress}, {MQD_HANDLE_request, MQD_FACT_peer},
        {MQD_HANDLE_request, MQD_FACT_tag}, {MQD_HANDLE_request, MQD_FACT_bytes},
        {MQD_HANDLE_request, MQD_FACT_elements}, {MQD_HANDLE_request, MQD_FACT_datatype},
        {MQD_HANDLE_request, MQD_FACT_collective_number},
    };

    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i].fact == fact && (said[i].kind == MQD_HANDLE_unknown || said[i].kind == handle->summary.kind))
            return true;
    return false;
}

/* Is it true? If not, people expect nothing else: that a datatype is not committed is told. */
static bool is_worth_telling(const struct handle_item *item)
{
    return (item->form != MQD_FORM_truth && item->fact != MQD_FACT_access_mode) || item->number != 0 ||
           item->fact == MQD_FACT_committed || item->fact == MQD_FACT_commutative;
}

/* ", id 5, rank 2 of 4"; for an intercommunicator ", rank 0 of 2, 2 remote processes". */
static void put_size(struct paragraph *paragraph, const struct handle *handle, bool compared)
{
    long size = handle_number(handle, MQD_FACT_size, -1), rank = handle_number(handle, MQD_FACT_rank, -1);
    long remote = handle_number(handle, MQD_FACT_remote_size, -1), id = handle_number(handle, MQD_FACT_unique_id, -1);

    if (id >= 0)
        put_format(paragraph, ", id %ld", id);
    if (size >= 0 && rank >= 0 && !compared)
        put_format(paragraph, ", rank %ld of %s", rank, NUMBER(size));
    else if (size >= 0)
        put_format(paragraph, ", %s process%s", NUMBER(size), size == 1 ? "" : "es");
    if (remote >= 0)
        put_format(paragraph, ", %s remote process%s", NUMBER(remote), remote == 1 ? "" : "es");
}

/* "cart (communicator, ompi_communicator_t at 0x55d0, Fortran 3), id 5, rank 2 of 4" */
static void print_head(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    const struct mqd_handle_summary *summary = &handle->summary;
    struct paragraph paragraph = start_paragraph(to, indent, indent + INNER);
    OWNED char *kind = say_number(&handle_kind_names, summary->kind);

    if (summary->name[0] != '\0') {
        put_name(&paragraph, summary->name);
        paragraph.space = true;
        put_format(&paragraph, "(%s, ", kind);
    } else {
        put_format(&paragraph, "%s (", kind);
    }
    put_name(&paragraph, summary->class_name);
    if (!compared) {
        put_format(&paragraph, " at 0x%lx", summary->object);
        if (summary->fortran >= 0)
            put_format(&paragraph, ", Fortran %ld", summary->fortran);
    }
    put_text(&paragraph, ")");
    put_size(&paragraph, handle, compared);
    end_paragraph(&paragraph);
}

static void print_topology(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    struct arrangement arrangement = arrangement_of(handle);
    OWNED char *text = say_topology(&arrangement, handle_number(handle, MQD_FACT_size, -1),
                                    handle_number(handle, MQD_FACT_rank, -1), !compared);

    if (*text != '\0')
        print_format(to, indent, indent + INNER, "%s", text);
    free(arrangement.dimensions);
}

/* "not committed", "error handler MPI_ERRORS_RETURN", "integer 3 2 5", "attribute MPI_TAG_UB 2,147,483,647". */
static char *say_fact(const struct handle *handle, size_t first, size_t n, bool compared)
{
    const struct handle_item *items = &handle->items[first];
    const struct fact_form *form = fact_form_of(items->fact);
    char *text = say_name(form->name);

    if (items->form == MQD_FORM_truth) {
        OWNED char *name = text;

        return format_text("%s%s", items->number != 0 ? "" : "not ", name);
    }
    if (items->fact == MQD_FACT_attribute && *items->text != '\0')
        append_text(&text, " %s", items->text);
    else if (items->fact == MQD_FACT_attribute)
        append_text(&text, " %ld", items->index);
    for (size_t i = 0; i < n && i < MAX_SHOWN; i++) {
        OWNED char *value = say_value(&items[i], form->names, compared);

        append_text(&text, " %s", value);
    }
    /* Of long lists the DLL tells only the beginning. */
    if (n > MAX_SHOWN && handle->error != NULL)
        append_text(&text, " and more");
    else if (n > MAX_SHOWN)
        append_text(&text, " and %s more", NUMBER(n - MAX_SHOWN));
    return text;
}

/* Attributes are facts one by one. */
static size_t count_together(const struct handle *handle, size_t first)
{
    const struct handle_item *items = &handle->items[first];
    size_t n = 1;

    while (first + n < handle->n && items[n].fact == items->fact && items->fact != MQD_FACT_attribute)
        n++;
    return n;
}

static void print_facts(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    struct paragraph paragraph;
    bool any = false;

    for (size_t i = 0, n; i < handle->n; i += n) {
        OWNED char *fact = NULL;

        n = count_together(handle, i);
        if (is_said(handle, handle->items[i].fact) || !is_worth_telling(&handle->items[i]) ||
            fact_form_of(handle->items[i].fact) == NULL)
            continue;
        if (!any)
            paragraph = start_paragraph(to, indent, indent + INNER);
        fact = say_fact(handle, i, n, compared);
        put_item(&paragraph, fact);
        any = true;
    }
    if (any)
        end_paragraph(&paragraph);
}

/* Between quotes, which are told from those of the text itself. */
static void append_quoted(char **to, const char *text)
{
    append_text(to, "\"");
    for (; *text != '\0'; text++)
        append_text(to, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    append_text(to, "\"");
}

/* A line for each pair of an info object: "cb_nodes" = "4" */
static void print_pairs(FILE *to, const struct handle *handle, size_t indent)
{
    size_t n_keys, n_values;
    const struct handle_item *keys = handle_find(handle, MQD_FACT_key, &n_keys),
                             *values = handle_find(handle, MQD_FACT_value, &n_values);

    for (size_t i = 0; i < n_keys; i++) {
        struct paragraph paragraph = start_paragraph(to, indent, indent + INNER);
        OWNED char *text = copy_string("");

        append_quoted(&text, keys[i].text);
        append_text(&text, " = ");
        if (i < n_values)
            append_quoted(&text, values[i].text);
        else
            append_text(&text, "?");
        put_name(&paragraph, text);
        end_paragraph(&paragraph);
    }
}

static void print_error(FILE *to, const struct handle *handle, size_t indent)
{
    OWNED char *what = format_text("0x%lx:", handle->value);

    if (handle->summary.kind != MQD_HANDLE_unknown)
        print_error_line(to, indent + INNER, "", handle->error);
    else
        print_error_line(to, indent, what, handle->error);
}

/* Of what has ended there may be no more than that. */
static void print_state_of(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    long state = handle_number(handle, MQD_FACT_request_state, MQD_REQUEST_unknown);
    OWNED char *name = say_number(&request_state_names, state), *request = say_request(handle, compared);

    if (state == MQD_REQUEST_null)
        print_format(to, indent, indent, "MPI_REQUEST_NULL");
    else if (handle_number(handle, MQD_FACT_request_kind, MQD_REQUEST_OF_unknown) == MQD_REQUEST_OF_unknown &&
             handle_number(handle, MQD_FACT_operation, MQD_OPERATION_unknown) == MQD_OPERATION_unknown)
        print_format(to, indent, indent + INNER, "%s%s", name,
                     state == MQD_REQUEST_complete ? ": the request of all operations that ended as soon as they "
                                                     "began, as those with MPI_PROC_NULL" : "");
    else
        print_format(to, indent, indent + INNER, "%s: %s", name, request);
}

static void print_handle(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    if (handle->summary.kind != MQD_HANDLE_unknown) {
        print_head(to, handle, compared, indent);
        print_topology(to, handle, compared, indent + INNER);
        if (handle->summary.kind == MQD_HANDLE_request)
            print_state_of(to, handle, compared, indent + INNER);
        print_facts(to, handle, compared, indent + INNER);
        print_pairs(to, handle, indent + INNER);
    }
    if (handle->error != NULL)
        print_error(to, handle, indent);
}

/* Arrays of requests. */

static bool is_request(const struct handle *handle)
{
    return handle->error == NULL && handle->summary.kind == MQD_HANDLE_request;
}

static bool has_state(const struct handle *handle, enum mqd_request_state state)
{
    return is_request(handle) && handle_number(handle, MQD_FACT_request_state, MQD_REQUEST_unknown) == (long)state;
}

/* "2 are MPI_REQUEST_NULL: [0,5]" */
static void print_state(FILE *to, const struct handle_answer *answer, enum mqd_request_state state, const char *what,
                        size_t indent)
{
    OWNED long *positions = allocate_array(answer->n + 1, sizeof *positions);
    OWNED char *list = NULL;
    size_t n = 0;

    for (size_t i = 0; i < answer->n; i++)
        if (has_state(&answer->handles[i], state))
            positions[n++] = answer->handles[i].position;
    if (n == 0)
        return;
    list = ranks_list(positions, ranks_sort(positions, n), ",");
    print_format(to, indent, indent + INNER, "%s %s %s: [%s]", NUMBER(n), n == 1 ? "is" : "are", what, list);
}

static void print_active(FILE *to, const struct handle *handle, bool compared, size_t indent)
{
    OWNED char *request = say_request(handle, compared);

    print_format(to, indent, indent + INNER, "[%ld] %s", handle->position, request);
}

static void print_requests(FILE *to, const struct handle_answer *answer, bool compared, size_t indent)
{
    OWNED char *unknown = copy_string("");
    size_t n_active = 0, n_known = 0;

    for (size_t i = 0; i < answer->n; i++) {
        n_active += has_state(&answer->handles[i], MQD_REQUEST_active);
        n_known += is_request(&answer->handles[i]) && !has_state(&answer->handles[i], MQD_REQUEST_unknown);
    }
    if (n_known < answer->n)
        append_text(&unknown, ", and of %s it is not known", NUMBER(answer->n - n_known));
    print_format(to, indent, indent, "%s of %s request%s %s not complete%s%s", NUMBER(n_active), NUMBER(answer->n),
                 answer->n == 1 ? "" : "s", n_active == 1 || answer->n == 1 ? "is" : "are", unknown,
                 n_active > 0 ? ":" : "");
    for (size_t i = 0; i < answer->n; i++)
        if (has_state(&answer->handles[i], MQD_REQUEST_active))
            print_active(to, &answer->handles[i], compared, indent + INNER);
    print_state(to, answer, MQD_REQUEST_complete, "complete", indent);
    print_state(to, answer, MQD_REQUEST_inactive, "inactive", indent);
    print_state(to, answer, MQD_REQUEST_null, "MPI_REQUEST_NULL", indent);
    print_state(to, answer, MQD_REQUEST_invalid, "of operations that have ended: stale, or of other operations later",
                indent);
    print_state(to, answer, MQD_REQUEST_unknown, "in an unknown state", indent);
    for (size_t i = 0; i < answer->n; i++) {
        OWNED char *what = format_text("[%ld] 0x%lx:", answer->handles[i].position, answer->handles[i].value);

        if (!is_request(&answer->handles[i]))
            print_error_line(to, indent, what,
                             answer->handles[i].error != NULL ? answer->handles[i].error : "it is no request");
    }
}

/* Answers. */

void answer_objects_print(FILE *to, const struct handle_answer *answer, bool compared, size_t indent)
{
    bool is_array = answer->n > 0 && answer->handles[0].position >= 0;

    if (is_array)
        print_requests(to, answer, compared, indent);
    for (size_t i = 0; i < answer->n && !is_array; i++)
        print_handle(to, &answer->handles[i], compared, indent);
    if (answer->error != NULL)
        print_error_line(to, indent, "", answer->error);
    else if (answer->n == 0)
        print_paragraph(to, indent, indent, "none");
}

void answer_text_print(FILE *to, const char *question, const struct handle_answer *answer, bool compared,
                       size_t indent)
{
    print_format(to, indent, indent + INNER, "%s:%s", question, answer == NULL ? " not asked" : "");
    if (answer != NULL)
        answer_objects_print(to, answer, compared, indent + INNER);
}

/* Windows. */

/* The ranks with a role, and of a lock in that state, as a phrase for free(); NULL: there are none. */
static char *say_peers(const struct window *window, enum mqd_window_role role, int held)
{
    OWNED long *ranks = allocate_array(window->n_peers + 1, sizeof *ranks);
    size_t n = 0;

    for (size_t i = 0; i < window->n_peers; i++)
        if (window->peers[i].role == (int)role && window->peers[i].held == held)
            ranks[n++] = window->peers[i].rank;
    n = ranks_sort(ranks, n);
    return n > 0 ? ranks_phrase(ranks, n, "", "") : NULL;
}

/* Prints a line of the form "exclusive lock at rank 1: held". Returns whether there is one. */
static bool print_role(FILE *to, const struct window *window, size_t indent, enum mqd_window_role role, int held,
                       const char *form)
{
    OWNED char *ranks = say_peers(window, role, held);

    if (ranks == NULL)
        return false;
    print_format(to, indent, indent + 2, form, ranks);
    return true;
}

/* In ranks of the window. */
static bool print_locks(FILE *to, const struct window *window, size_t indent)
{
    static const struct {
        enum mqd_window_role role;
        int held;
        const char *form;
    } lines[] = {
        {MQD_ROLE_exclusive, 1, "holds an exclusive lock at %s"},
        {MQD_ROLE_exclusive, 0, "waits for an exclusive lock at %s"},
        {MQD_ROLE_exclusive, -1, "has asked for an exclusive lock at %s"},
        {MQD_ROLE_shared, 1, "holds a shared lock at %s"},
        {MQD_ROLE_shared, 0, "waits for a shared lock at %s"},
        {MQD_ROLE_shared, -1, "has asked for a shared lock at %s"},
        {MQD_ROLE_unchecked, -1, "lock at %s with MPI_MODE_NOCHECK"},
    };
    bool any = window->description.access == MQD_ACCESS_lock_all;

    if (any)
        print_paragraph(to, indent, indent, "has asked for a shared lock at all ranks (MPI_Win_lock_all)");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        any |= print_role(to, window, indent, lines[i].role, lines[i].held, lines[i].form);
    return any;
}

static bool print_epochs(FILE *to, const struct window *window, size_t indent)
{
    const struct mqd_window_description *description = &window->description;
    bool any = description->access == MQD_ACCESS_fence;

    if (any)
        print_paragraph(to, indent, indent, "access epoch since MPI_Win_fence");
    any |= print_role(to, window, indent, MQD_ROLE_started, -1, "access epoch (MPI_Win_start) to %s");
    if (print_role(to, window, indent, MQD_ROLE_posted, -1, "exposure epoch (MPI_Win_post) for %s")) {
        any = true;
        if (description->n_completed >= 0)
            print_format(to, indent + 2, indent + 4, "%s of them called MPI_Win_complete",
                         NUMBER(description->n_completed));
        else
            print_paragraph(to, indent + 2, indent + 4, "how many of them called MPI_Win_complete is not known");
    }
    return any;
}

/* Accesses that are not complete: of which a number is known. */
static bool print_pending(FILE *to, const struct window *window, size_t indent)
{
    long n = window->description.n_pending;
    bool any = n > 0;

    if (any)
        print_format(to, indent, indent + 2, "%s access%s of its own %s not complete", NUMBER(n), n == 1 ? "" : "es",
                     n == 1 ? "is" : "are");
    for (size_t i = 0; i < window->n_peers; i++) {
        n = window->peers[i].n_pending;
        if (n <= 0)
            continue;
        print_format(to, indent, indent + 2, "%s access%s to rank %s %s not complete", NUMBER(n), n == 1 ? "" : "es",
                     NUMBER(window->peers[i].rank), n == 1 ? "is" : "are");
        any = true;
    }
    return any;
}

/* The lock of the process's own memory. */
static bool print_own_lock(FILE *to, const struct window *window, size_t indent)
{
    const struct mqd_window_description *description = &window->description;

    if (description->locked_exclusively < 0)
        print_paragraph(to, indent, indent + 2,
                        "who holds its own memory locked is not known: the memory that the processes share cannot be "
                        "read (a core may lack it)");
    else if (description->locked_exclusively == 1)
        print_paragraph(to, indent, indent, "its own memory is locked exclusively");
    else if (description->n_shared > 0)
        print_format(to, indent, indent + 2, "its own memory has %s shared lock%s", NUMBER(description->n_shared),
                     description->n_shared == 1 ? "" : "s");
    if (description->n_waiting > 0)
        print_format(to, indent, indent + 2, "%s lock%s at its own memory wait%s", NUMBER(description->n_waiting),
                     description->n_waiting == 1 ? "" : "s", description->n_waiting == 1 ? "s" : "");
    return description->locked_exclusively != 0 || description->n_shared > 0 || description->n_waiting > 0;
}

static void print_window_state(FILE *to, const struct window *window, size_t indent)
{
    bool any = print_epochs(to, window, indent);

    any |= print_locks(to, window, indent);
    any |= print_pending(to, window, indent);
    any |= print_own_lock(to, window, indent);
    if (!any)
        print_paragraph(to, indent, indent, "no lock, and no epoch that is known");
}

void window_text_print(FILE *to, const struct window *window, size_t indent, size_t inner_indent)
{
    struct paragraph paragraph = start_paragraph(to, indent, inner_indent);
    const char *component = window->description.component;

    put_name(&paragraph, window->name[0] != '\0' ? window->name : "Window without a name");
    put_format(&paragraph, " (window%s%s, id %lu), rank %ld of %s", *component != '\0' ? " of osc/" : "", component,
               window->unique_id, window->local_rank, NUMBER(window->size));
    end_paragraph(&paragraph);
    if (window->error == NULL)
        print_window_state(to, window, inner_indent);
    else
        print_format(to, inner_indent, inner_indent + 2, "its epochs and locks are not known: %s", window->error);
}
