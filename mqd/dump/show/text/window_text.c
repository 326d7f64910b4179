/*
 * window_text.c - the state of a window in words.
 */
#include "mqd/dump/show/text/window_text.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/show/text/paragraph.h"

/* The ranks with a role, and of a lock in that state, as a phrase for free(); NULL: there are none. */
static char *say_ranks(const struct window *window, enum mqd_window_role role, int held)
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
    OWNED char *ranks = say_ranks(window, role, held);

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

static void print_state(FILE *to, const struct window *window, size_t indent)
{
    bool any = print_epochs(to, window, indent);

    any |= print_locks(to, window, indent);
    any |= print_own_lock(to, window, indent);
    if (!any)
        print_paragraph(to, indent, indent, "no lock, and no epoch that is known");
}

void window_text_print(FILE *to, const struct window *window, size_t indent, size_t inner_indent)
{
    struct paragraph paragraph = start_paragraph(to, indent);
    const char *component = window->description.component;

    paragraph.indent = inner_indent;
    put_name(&paragraph, window->name[0] != '\0' ? window->name : "Window without a name");
    put_format(&paragraph, " (window%s%s, id %lu), rank %ld of %s", *component != '\0' ? " of osc/" : "", component,
               window->unique_id, window->local_rank, NUMBER(window->size));
    end_paragraph(&paragraph);
    if (window->error == NULL)
        print_state(to, window, inner_indent);
    else
        print_format(to, inner_indent, inner_indent + 2, "its epochs and locks are not known: %s", window->error);
}
