/*
 * stack_text.c - the stacks of all ranks as a prefix tree, and for people; and what threads do in OpenMP.
 *
 * Stacks are sorted by their frames: those with a common beginning then follow each other, and a branch is a part of
 * that list.
 *
 * Frames that follow each other without a branch stand below each other, in one column: only where ranks part the lines
 * begin further to the right. So deep stacks fit a terminal.
 */
#include "mqd/dump/show/text/stack_text.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/collect/target/stack/stack.h"
#include "mqd/dump/show/text/openmp_text.h"
#include "mqd/dump/show/text/paragraph.h"

/* The tree. */

/* The frame at a depth, from the outermost one on. */
static const char *frame_at(const struct rank_stack *at, size_t depth)
{
    return at->stack->frames[at->stack->n - 1 - depth];
}

const char *stack_branch_frame(const struct stack_branch *branch, size_t depth)
{
    return frame_at(branch->stacks, depth);
}

/* Frames of one record have the same text only if they are the same pointer, mostly. */
static int compare_frames(const struct rank_stack *a, const struct rank_stack *b, size_t depth)
{
    const char *x = frame_at(a, depth), *y = frame_at(b, depth);

    return x == y ? 0 : strcmp(x, y);
}

static int compare_stacks(const void *a, const void *b)
{
    const struct rank_stack *x = a, *y = b;
    int order = 0;

    for (size_t i = 0; i < x->stack->n && i < y->stack->n && order == 0; i++)
        order = compare_frames(x, y, i);
    return order ?: ORDER(x->stack->n, y->stack->n);
}

static int compare_numbers(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return ORDER(x, y);
}

static void find_ranks(struct stack_branch *branch)
{
    size_t *ranks = allocate_array(branch->n_threads, sizeof *ranks), n = 0;

    for (size_t i = 0; i < branch->n_threads; i++)
        ranks[i] = branch->stacks[i].rank;
    SORT(ranks, branch->n_threads, compare_numbers);
    for (size_t i = 0; i < branch->n_threads; i++)
        if (i == 0 || ranks[i] != ranks[n - 1])
            ranks[n++] = ranks[i];
    branch->ranks = ranks;
    branch->n_ranks = n;
}

/* Do all go on to one frame? Of stacks that are sorted those between the first and the last one do what these do. */
static bool goes_on(const struct stack_branch *branch)
{
    const struct rank_stack *first = branch->stacks, *last = first + branch->n_threads - 1;

    return first->stack->n > branch->end && compare_frames(first, last, branch->end) == 0;
}

/* The branch of those from the first stack on, of at most n, that have the same frame at its depth. */
static struct stack_branch make_branch(const struct rank_stack *stacks, size_t n, size_t depth, size_t level)
{
    struct stack_branch branch = {.level = level, .first = depth, .end = depth + 1, .stacks = stacks};

    while (branch.n_threads < n && compare_frames(stacks, stacks + branch.n_threads, depth) == 0)
        branch.is_main |= stacks[branch.n_threads++].stack->is_main;
    while (goes_on(&branch))
        branch.end++;
    find_ranks(&branch);
    return branch;
}

static int compare_branches(const void *a, const void *b)
{
    const struct stack_branch *x = a, *y = b;

    return y->is_main - x->is_main ?: ORDER(y->n_ranks, x->n_ranks) ?: ORDER(x->ranks[0], y->ranks[0]) ?:
           ORDER(x->stacks, y->stacks);
}

static bool is_in_mpi(const struct stack_branch *branch)
{
    static const char *const beginnings[] = {"MPI_", "PMPI_", "MPIX_", "PMPIX_"};

    for (size_t i = 0; i < branch->end; i++)
        if (BEGINS_WITH_ANY(stack_branch_frame(branch, i), beginnings))
            return true;
    return false;
}

/*
 * At most a quarter of the ranks, while one other branch has more than half of them. Where in MPI ranks look for
 * messages just now is chance.
 */
static void find_odd_ones(struct stack_branch *branches, size_t n, const struct stack_branch *parent)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = branches[i].n_ranks > most ? branches[i].n_ranks : most;
    for (size_t i = 0; i < n && most > parent->n_ranks / 2 && !is_in_mpi(parent); i++)
        branches[i].odd = branches[i].n_ranks <= parent->n_ranks / 4;
}

/* Adds a branch and all into which it parts. As deep as stacks are, which have some hundred frames at most. */
static void add_branch(struct stack_tree *tree, struct stack_branch branch)
{
    OWNED struct stack_branch *parts = NULL;
    size_t n = 0, room = 0, at = 0;

    APPEND(tree->branches, tree->n, tree->room, branch);
    while (at < branch.n_threads && branch.stacks[at].stack->n == branch.end)
        at++;
    while (at < branch.n_threads) {
        APPEND(parts, n, room, make_branch(branch.stacks + at, branch.n_threads - at, branch.end, branch.level + 1));
        at += parts[n - 1].n_threads;
    }
    SORT(parts, n, compare_branches);
    find_odd_ones(parts, n, &branch);
    for (size_t i = 0; i < n; i++)
        add_branch(tree, parts[i]);
}

/* A stack without frames could not be read: nothing is known of where it is. */
void stack_tree_build_of(struct stack_tree *tree, const struct rank_stack *stacks, size_t n)
{
    struct stack_branch root = {0};

    *tree = (struct stack_tree){.stacks = allocate_array(n + 1, sizeof *tree->stacks)};
    for (size_t i = 0; i < n; i++)
        if (stacks[i].stack->n > 0)
            tree->stacks[root.n_threads++] = stacks[i];
    SORT(tree->stacks, root.n_threads, compare_stacks);
    root.stacks = tree->stacks;
    find_ranks(&root);
    add_branch(tree, root);
}

void stack_tree_build(struct stack_tree *tree, const struct listing *const *listings, size_t n)
{
    OWNED struct rank_stack *stacks = NULL;
    size_t n_stacks = 0, room = 0;

    for (size_t i = 0; i < n; i++) {
        const struct calls *calls = listings[i]->calls;

        for (size_t k = 0; calls != NULL && k < calls->n_stacks; k++) {
            APPEND(stacks, n_stacks, room, (struct rank_stack){&calls->stacks[k], i});
        }
    }
    stack_tree_build_of(tree, stacks, n_stacks);
}

void stack_tree_clear(struct stack_tree *tree)
{
    for (size_t i = 0; i < tree->n; i++)
        free(tree->branches[i].ranks);
    FREE_ALL(tree->branches, tree->stacks);
    *tree = (struct stack_tree){0};
}

/* As text. */

/* Deeper branches begin no further to the right: what is said needs room. */
enum { INDENT = 2, MAX_INDENT = 40 };

struct printing {
    FILE *to;
    const struct listing *const *listings;
    const struct thread_index *indexes;    /* of the listings */
    bool jobs;                     /* there are several: each is named */
};

/* Who. */

static bool is_same_job(const struct listing *a, const struct listing *b)
{
    if (a->job == NULL || b->job == NULL)
        return a->job == b->job;
    return strcmp(a->job, b->job) == 0 && a->user == b->user;
}

/* Adds ranks of one job, from one position among a branch's ranks on. Returns the first that is none of them. */
static size_t add_ranks_of_job(char **text, const struct printing *printing, const size_t *members, size_t n,
                               size_t first)
{
    const struct listing *listing = printing->listings[members[first]];
    OWNED long *ranks = allocate_array(n - first, sizeof *ranks);
    OWNED char *phrase = NULL;
    size_t end = first;

    for (; end < n && printing->listings[members[end]]->rank >= 0 &&
           is_same_job(printing->listings[members[end]], listing); end++)
        ranks[end - first] = printing->listings[members[end]]->rank;
    phrase = ranks_phrase(ranks, ranks_sort(ranks, end - first), "", "");
    append_text(text, "%s%s%s", phrase, printing->jobs && listing->job != NULL ? " of job " : "",
                printing->jobs && listing->job != NULL ? listing->job : "");
    return end;
}

/* "ranks 0-3,7", "process 4711". Listings are in the order of their jobs and ranks. */
static char *say_who(const struct printing *printing, const size_t *members, size_t n)
{
    char *text = copy_string("");

    for (size_t i = 0; i < n;) {
        const struct listing *listing = printing->listings[members[i]];

        append_text(&text, "%s", i > 0 ? ", " : "");
        if (listing->rank >= 0)
            i = add_ranks_of_job(&text, printing, members, n, i);
        else
            append_text(&text, "process %d", (int)printing->listings[members[i++]]->pid);
    }
    return text;
}

char *stack_branch_say_threads(const struct stack_branch *branch, const struct thread_index *indexes)
{
    OWNED struct thread_member *members = allocate_array(branch->n_threads, sizeof *members);
    char *text;

    for (size_t i = 0; i < branch->n_threads; i++) {
        const struct rank_stack *at = &branch->stacks[i];
        const struct thread_index *index = &indexes[at->rank];

        members[i] = thread_member_of(index, thread_index_find(index, at->stack->thread), at->rank);
    }
    text = say_thread_list(members, branch->n_threads, true);
    if (text == NULL && branch->n_threads != branch->n_ranks)
        text = format_text("%s threads", NUMBER(branch->n_threads));
    return text;
}

/* "ranks 0-3, 8 threads:", "rank 3 (odd):", "ranks 0-3, threads 1-7 of 8:". */
static void print_who(const struct printing *printing, const struct stack_branch *branch, size_t indent)
{
    OWNED char *who = say_who(printing, branch->ranks, branch->n_ranks);
    OWNED char *threads = stack_branch_say_threads(branch, printing->indexes);
    const char *odd = branch->odd ? " (odd)" : "";

    if (branch->odd)
        terminal_style(printing->to, STYLE_DOUBT);
    print_format(printing->to, indent, indent + 2 * INDENT, "%s%s%s%s:", who, threads != NULL ? ", " : "",
                 threads != NULL ? threads : "", odd);
    if (branch->odd)
        terminal_style(printing->to, STYLE_PLAIN);
}

/* Threads whose stacks do not show where they are, or only their inner part. */
char *stacks_say_doubt(const struct listing *const *listings, size_t n)
{
    size_t n_unknown = 0, n_cut = 0;
    OWNED char *unknown = NULL, *cut = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct calls *calls = listings[i]->calls;

        for (size_t k = 0; calls != NULL && k < calls->n_stacks; k++) {
            n_unknown += calls->stacks[k].n == 0;
            n_cut += calls->stacks[k].n > 0 && !calls->stacks[k].ended;
        }
    }
    if (n_unknown == 0 && n_cut == 0)
        return NULL;
    cut = format_text("Not to the end: the stack%s of %s thread%s.", n_cut == 1 ? "" : "s", NUMBER(n_cut),
                      n_cut == 1 ? "" : "s");
    unknown = format_text("Not known at all: the stack%s of %s thread%s.", n_unknown == 1 ? "" : "s", NUMBER(n_unknown),
                          n_unknown == 1 ? "" : "s");
    return format_text("%s%s%s", n_cut > 0 ? cut : "", n_cut > 0 && n_unknown > 0 ? " " : "",
                       n_unknown > 0 ? unknown : "");
}

static void print_branch(const struct printing *printing, const struct stack_branch *branch)
{
    size_t indent = branch->level * INDENT < MAX_INDENT ? branch->level * INDENT : MAX_INDENT;

    print_who(printing, branch, indent);
    for (size_t i = branch->first; i < branch->end; i++)
        print_paragraph(printing->to, indent + INDENT, indent + 3 * INDENT, stack_branch_frame(branch, i));
}

/* Threads. */

static void print_openmp_lines(FILE *to, char *text)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t level = 1 + strspn(line, " ");

        print_paragraph(to, level * INDENT, (level + 2) * INDENT, line + level - 1);
    }
}

/* Ranks whose threads do the same are told once, without the ids of threads. */
static void print_openmp(const struct printing *printing, size_t n)
{
    RELEASED_BY(text_groups_clear) struct text_groups groups = openmp_group(printing->indexes, n);

    if (groups.n == 0)
        return;
    putc('\n', printing->to);
    print_styled(printing->to, STYLE_HEADING, "Threads");
    for (size_t i = 0; i < groups.n; i++) {
        const struct text_group *group = &groups.groups[i];
        OWNED char *who = say_who(printing, group->members, group->n);
        OWNED char *lines = openmp_group_lines(printing->indexes, group);

        print_format(printing->to, INDENT, 3 * INDENT, "%s:", who);
        print_openmp_lines(printing->to, lines);
    }
}

void stacks_print(FILE *to, const struct listing *const *listings, size_t n)
{
    RELEASED_BY(stack_tree_clear) struct stack_tree tree = {0};
    struct thread_index *indexes = thread_indexes_make(listings, n);
    const struct printing printing = {
        .to = to, .listings = listings, .indexes = indexes, .jobs = listings_have_several_jobs(listings, n)};
    OWNED char *doubt = stacks_say_doubt(listings, n);

    stack_tree_build(&tree, listings, n);
    putc('\n', to);
    print_styled(to, STYLE_HEADING, "Stacks");
    if (tree.n == 1)
        print_paragraph(to, 2, 4, "No stack is known.");
    for (size_t i = 1; i < tree.n; i++)
        print_branch(&printing, &tree.branches[i]);
    if (doubt != NULL)
        print_paragraph(to, 2, 4, doubt);
    print_openmp(&printing, n);
    thread_indexes_free(indexes, n);
}
