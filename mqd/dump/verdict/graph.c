/*
 * graph.c - groups of nodes that wait for each other: strongly connected components, after Tarjan, without
 * recursion, since a chain of waits may be as long as the job is large.
 */
#include "mqd/dump/verdict/graph.h"

#include <stdlib.h>

#include "mqd/dump/base/memory.h"

static bool is_edge(const struct model *model, const bool *left_out, const struct wait *wait)
{
    return wait->target >= 0 && !left_out[wait->target] && !left_out[model_owner(model, wait)];
}

static void collect_edges(struct graph *graph, const struct model *model, const bool *left_out)
{
    OWNED uint32_t *owners = allocate_array(model->n_waits + 1, sizeof *owners);
    struct buckets waits;

    for (size_t i = 0; i < model->n_waits; i++)
        owners[i] = is_edge(model, left_out, &model->waits[i]) ? model_owner(model, &model->waits[i]) : UINT32_MAX;
    waits = buckets_make(owners, model->n_waits, graph->n_nodes);
    graph->first = waits.first;
    graph->edges = waits.members;
}

/* The state of the search. */
struct search {
    struct graph *graph;
    uint32_t *number, *low;        /* number 0: not found yet */
    uint32_t *next_edge;
    uint32_t *path, *open;         /* stacks: from the start to the current node; found, and in no component yet */
    size_t n_path, n_open;
    uint32_t n_found;
};

static void enter(struct search *search, uint32_t node)
{
    search->number[node] = search->low[node] = ++search->n_found;
    search->next_edge[node] = search->graph->first[node];
    search->path[search->n_path++] = node;
    search->open[search->n_open++] = node;
}

static void close_component(struct search *search, uint32_t root)
{
    uint32_t node;

    do {
        node = search->open[--search->n_open];
        search->graph->component[node] = (uint32_t)search->graph->n_components;
    } while (node != root);
    search->graph->n_components++;
}

static void lower(uint32_t *low, uint32_t value)
{
    if (value < *low)
        *low = value;
}

static void leave(struct search *search)
{
    uint32_t node = search->path[--search->n_path];

    if (search->low[node] == search->number[node])
        close_component(search, node);
    if (search->n_path > 0)
        lower(&search->low[search->path[search->n_path - 1]], search->low[node]);
}

static void search_from(struct search *search, uint32_t start)
{
    const struct graph *graph = search->graph;

    enter(search, start);
    while (search->n_path > 0) {
        uint32_t node = search->path[search->n_path - 1], to;

        if (search->next_edge[node] == graph->first[node + 1]) {
            leave(search);
            continue;
        }
        to = edge_to(graph, search->next_edge[node]++);
        if (search->number[to] == 0)
            enter(search, to);
        else if (graph->component[to] == UINT32_MAX)
            lower(&search->low[node], search->number[to]);
    }
}

static void find_components(struct graph *graph, const bool *left_out)
{
    size_t n = graph->n_nodes + 1;
    struct search search = {.graph = graph,
                            .number = allocate_array(n, sizeof(uint32_t)),
                            .low = allocate_array(n, sizeof(uint32_t)),
                            .next_edge = allocate_array(n, sizeof(uint32_t)),
                            .path = allocate_array(n, sizeof(uint32_t)),
                            .open = allocate_array(n, sizeof(uint32_t))};

    graph->component = allocate_array(n, sizeof *graph->component);
    for (size_t i = 0; i < graph->n_nodes; i++)
        graph->component[i] = UINT32_MAX;
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (!left_out[i] && search.number[i] == 0)
            search_from(&search, (uint32_t)i);
    FREE_ALL(search.number, search.low, search.next_edge, search.path, search.open);
}

static void list_members(struct graph *graph)
{
    const struct buckets nodes = buckets_make(graph->component, graph->n_nodes, graph->n_components);

    graph->members = nodes.members;
    graph->first_member = nodes.first;
    graph->place = allocate_array(graph->n_nodes + 1, sizeof *graph->place);
    for (uint32_t i = 0; i < graph->first_member[graph->n_components]; i++)
        graph->place[graph->members[i]] = i;
}

static void mark_components(struct graph *graph, const struct model *model, const bool *left_out)
{
    graph->leaves = allocate_array(graph->n_components + 1, sizeof *graph->leaves);
    graph->never = allocate_array(graph->n_components + 1, sizeof *graph->never);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
            if (graph->component[edge_to(graph, i)] != graph->component[node])
                graph->leaves[graph->component[node]] = true;
    for (size_t i = 0; i < model->n_waits; i++) {
        uint32_t owner = model_owner(model, &model->waits[i]);

        if (model->waits[i].target == NODE_NEVER && !left_out[owner])
            graph->never[graph->component[owner]] = true;
    }
}

/* Ranks that neither wait nor test for anything, as those that have ended, are not nodes of the graph. */
static bool *find_left_out(const struct model *model, const unsigned char *dies_at, enum doubt doubt, size_t n_nodes)
{
    bool *left_out = allocate_array(n_nodes + 1, sizeof *left_out);

    for (size_t i = 0; i < n_nodes; i++)
        left_out[i] = dies_at[i] > doubt ||
                      (i < model->n_ranks && model->ranks[i].phase != PHASE_BLOCKED && !model->ranks[i].polls);
    return left_out;
}

void graph_build(struct graph *graph, const struct model *model, const unsigned char *dies_at, enum doubt doubt)
{
    OWNED bool *left_out = NULL;

    *graph = (struct graph){.model = model, .n_nodes = model_n_nodes(model)};
    left_out = find_left_out(model, dies_at, doubt, graph->n_nodes);
    collect_edges(graph, model, left_out);
    find_components(graph, left_out);
    list_members(graph);
    mark_components(graph, model, left_out);
}

void graph_clear(struct graph *graph)
{
    FREE_ALL(graph->first, graph->edges, graph->component, graph->members, graph->first_member, graph->place,
             graph->leaves, graph->never);
    *graph = (struct graph){0};
}

/* Where a node is in its component. */
static uint32_t place_of(const struct graph *graph, uint32_t node)
{
    return graph->place[node] - graph->first_member[graph->component[node]];
}

static uint32_t owner_of(const struct graph *graph, uint32_t wait)
{
    return model_owner(graph->model, &graph->model->waits[wait]);
}

/* A breadth-first search in one component, which holds all circles of its nodes. Returns the wait that closes one. */
static uint32_t search_circle(const struct graph *graph, uint32_t start, uint32_t *came_by, uint32_t *queue)
{
    size_t n_queue = 0;

    queue[n_queue++] = start;
    for (size_t done = 0; done < n_queue; done++) {
        for (uint32_t i = graph->first[queue[done]]; i < graph->first[queue[done] + 1]; i++) {
            uint32_t to = edge_to(graph, i);

            if (to == start)
                return graph->edges[i];
            if (graph->component[to] != graph->component[start] || came_by[place_of(graph, to)] != UINT32_MAX)
                continue;
            came_by[place_of(graph, to)] = graph->edges[i];
            queue[n_queue++] = to;
        }
    }
    return UINT32_MAX;
}

uint32_t *graph_circle(const struct graph *graph, uint32_t start, size_t *n)
{
    uint32_t component = graph->component[start], last, *waits;
    size_t size = component != UINT32_MAX ? graph->first_member[component + 1] - graph->first_member[component] : 0;
    OWNED uint32_t *came_by = allocate_array(size + 1, sizeof *came_by);
    OWNED uint32_t *queue = allocate_array(size + 1, sizeof *queue);

    for (size_t i = 0; i < size; i++)
        came_by[i] = UINT32_MAX;
    last = size > 0 ? search_circle(graph, start, came_by, queue) : UINT32_MAX;
    if (last == UINT32_MAX)
        return NULL;
    *n = 1;
    for (uint32_t wait = last; owner_of(graph, wait) != start; ++*n)
        wait = came_by[place_of(graph, owner_of(graph, wait))];
    waits = allocate_array(*n, sizeof *waits);
    waits[*n - 1] = last;
    for (size_t i = *n - 1; i-- > 0;)
        waits[i] = came_by[place_of(graph, owner_of(graph, waits[i + 1]))];
    return waits;
}

/* Which nodes of an AND/OR graph can still get on. A rank that waits for one that can get on can get on too. */

struct solver {
    const struct and_or *graph;
    unsigned char level;
    unsigned char *dies_at;
    size_t *n_left;                /* per condition: waits that are not satisfied */
    struct buckets watchers;       /* the waits for each node */
    uint32_t *living;              /* nodes */
    size_t n_living, n_done;       /* of these n_done have satisfied who waits for them */
};

static struct buckets find_watchers(const struct and_or *graph)
{
    OWNED uint32_t *targets = allocate_array(graph->n_waits + 1, sizeof *targets);

    for (size_t i = 0; i < graph->n_waits; i++)
        targets[i] = graph->waits[i].target >= 0 ? (uint32_t)graph->waits[i].target : UINT32_MAX;
    return buckets_make(targets, graph->n_waits, graph->n_nodes);
}

static void make_live(struct solver *solver, uint32_t node)
{
    if (solver->dies_at[node] > 0)
        return;
    solver->dies_at[node] = (unsigned char)(solver->level + 1);
    solver->living[solver->n_living++] = node;
}

/* Some wait of it is satisfied. */
static void check(struct solver *solver, size_t i)
{
    const struct condition *condition = &solver->graph->conditions[i];

    if (solver->level < condition->counts_below && (!condition->all || solver->n_left[i] == 0))
        make_live(solver, condition->owner);
}

static void satisfy(struct solver *solver, const struct wait *wait)
{
    solver->n_left[wait->condition]--;
    check(solver, wait->condition);
}

/* What lives from this level on, and all that follows. Conditions that count only now may have been met before. */
static void descend(struct solver *solver, unsigned char level)
{
    const struct and_or *graph = solver->graph;

    solver->level = level;
    for (size_t i = 0; i < graph->n_conditions; i++)
        if (graph->conditions[i].counts_below == level + 1 && solver->n_left[i] < graph->conditions[i].n_waits)
            check(solver, i);
    for (uint32_t i = 0; i < graph->n_nodes; i++)
        if (graph->lives_below(graph->of, i) > level)
            make_live(solver, i);
    for (size_t i = 0; i < graph->n_waits; i++)
        if (graph->waits[i].target < 0 && graph->met_below(graph->of, &graph->waits[i]) == level + 1)
            satisfy(solver, &graph->waits[i]);
    for (; solver->n_done < solver->n_living; solver->n_done++) {
        uint32_t node = solver->living[solver->n_done];

        for (uint32_t i = solver->watchers.first[node]; i < solver->watchers.first[node + 1]; i++)
            satisfy(solver, &graph->waits[solver->watchers.members[i]]);
    }
}

unsigned char *and_or_solve(const struct and_or *graph, unsigned char n_levels)
{
    struct solver solver = {.graph = graph, .watchers = find_watchers(graph),
                            .dies_at = allocate_array(graph->n_nodes + 1, sizeof *solver.dies_at),
                            .n_left = allocate_array(graph->n_conditions + 1, sizeof *solver.n_left),
                            .living = allocate_array(graph->n_nodes + 1, sizeof *solver.living)};

    for (size_t i = 0; i < graph->n_conditions; i++)
        solver.n_left[i] = graph->conditions[i].n_waits;
    while (n_levels-- > 0)
        descend(&solver, n_levels);
    FREE_ALL(solver.n_left, solver.living);
    buckets_clear(&solver.watchers);
    return solver.dies_at;
}

/* Ranks. */

static bool may_get_on(const struct model_rank *rank)
{
    return rank->phase == PHASE_BUSY || rank->phase == PHASE_UNKNOWN;
}

bool rank_is_stopped(const struct model_rank *rank)
{
    return may_get_on(rank) && rank->kept;
}

bool rank_is_stuck(const struct model_rank *rank)
{
    return may_get_on(rank) && rank->witness->stuck;
}

/* The level of doubt from which on a rank that could get on is inert, whatever it is busy with. */
static unsigned char inert_from(const struct model_rank *rank)
{
    if (rank_is_stopped(rank))
        return DOUBT_STOPPED;
    return rank_is_stuck(rank) ? DOUBT_STUCK : N_DOUBTS;
}

/* The level of doubt below which a rank may do anything, whatever it waits for. */
static unsigned char is_free_below(const void *of, uint32_t node)
{
    const struct model *model = of;
    const struct model_rank *rank = node < model->n_ranks ? &model->ranks[node] : NULL;
    unsigned char inert, busy = DOUBT_ABSENT;

    if (rank == NULL || !may_get_on(rank))
        return DOUBT_NONE;
    inert = inert_from(rank);
    if (rank->phase == PHASE_BUSY)
        busy = rank->witness->moved ? N_DOUBTS : rank->polls ? DOUBT_POLLING : DOUBT_BUSY;
    return inert < busy ? inert : busy;
}

/* The level of doubt from which on it is not assumed that a wait is satisfied by what no node stands for. */
static unsigned char is_awaited_from(const void *of, const struct wait *wait)
{
    const struct model *model = of;
    unsigned char inert = N_DOUBTS;
    size_t peer;

    if (wait->target != NODE_ABSENT)
        return wait->target == NODE_LIVE ? N_DOUBTS : DOUBT_NONE;
    peer = model_find_rank(model, wait->peer);
    if (peer != SIZE_MAX)
        inert = inert_from(&model->ranks[peer]);
    return inert < DOUBT_ABSENT ? inert : DOUBT_ABSENT;
}

unsigned char *model_find_deaths(const struct model *model)
{
    const struct and_or graph = {model_n_nodes(model), model->conditions, model->n_conditions, model->waits,
                                 model->n_waits, model, is_free_below, is_awaited_from};

    return and_or_solve(&graph, N_DOUBTS);
}
