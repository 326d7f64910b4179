/*
 * graph.c - groups of nodes that wait for each other: strongly connected components, after Tarjan, without
 * recursion, since a chain of waits may be as long as the job is large.
 */
#include "mqd/dump/verdict/graph.h"


#include "mqd/dump/base/memory.h"

static bool is_edge(const struct model *model, const bool *left_out, const struct wait *wait)
{
    return wait->target >= 0 && !left_out[wait->target] && !left_out[model_owner(model, wait)];
}

static void collect_edges(struct graph *graph, const struct model *model, const bool *left_out)
{
    uint32_t *next = allocate_array(graph->n_nodes + 2, sizeof *next);
    size_t n = 0;

    for (size_t i = 0; i < model->n_waits; i++) {
        if (is_edge(model, left_out, &model->waits[i])) {
            next[model_owner(model, &model->waits[i]) + 2]++;
            n++;
        }
    }
    for (size_t i = 2; i < graph->n_nodes + 2; i++)
        next[i] += next[i - 1];
    graph->edges = allocate_array(n + 1, sizeof *graph->edges);
    for (size_t i = 0; i < model->n_waits; i++)
        if (is_edge(model, left_out, &model->waits[i]))
            graph->edges[next[model_owner(model, &model->waits[i]) + 1]++] =
                (struct edge){.to = (uint32_t)model->waits[i].target, .wait = (uint32_t)i};
    graph->first = next;
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
        to = graph->edges[search->next_edge[node]++].to;
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
    uint32_t *next = allocate_array(graph->n_components + 2, sizeof *next);

    graph->members = allocate_array(graph->n_nodes + 1, sizeof *graph->members);
    graph->place = allocate_array(graph->n_nodes + 1, sizeof *graph->place);
    for (size_t i = 0; i < graph->n_nodes; i++)
        if (graph->component[i] != UINT32_MAX)
            next[graph->component[i] + 2]++;
    for (size_t i = 2; i < graph->n_components + 2; i++)
        next[i] += next[i - 1];
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        if (graph->component[i] == UINT32_MAX)
            continue;
        graph->place[i] = next[graph->component[i] + 1]++;
        graph->members[graph->place[i]] = i;
    }
    graph->first_member = next;
}

static void mark_components(struct graph *graph, const struct model *model, const bool *left_out)
{
    graph->leaves = allocate_array(graph->n_components + 1, sizeof *graph->leaves);
    graph->never = allocate_array(graph->n_components + 1, sizeof *graph->never);
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
            if (graph->component[graph->edges[i].to] != graph->component[node])
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

    *graph = (struct graph){.n_nodes = model_n_nodes(model)};
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

/* A breadth-first search in one component, which holds all circles of its nodes. */
struct tour {
    const struct graph *graph;
    uint32_t component, start;
    uint32_t *came_by, *came_from; /* by the place of a node in the component: the edge, UINT32_MAX: not found; node */
    uint32_t *queue;
    size_t n_queue;
};

static uint32_t place_of(const struct tour *tour, uint32_t node)
{
    return tour->graph->place[node] - tour->graph->first_member[tour->component];
}

/* The edges by which the search came to a node, and one from there to the start. */
static uint32_t *way_back(const struct tour *tour, uint32_t from, uint32_t last_edge, size_t *n)
{
    size_t length = 1, at;
    uint32_t *edges;

    for (uint32_t node = from; node != tour->start; node = tour->came_from[place_of(tour, node)])
        length++;
    edges = allocate_array(length, sizeof *edges);
    edges[length - 1] = last_edge;
    at = length - 1;
    for (uint32_t node = from; node != tour->start; node = tour->came_from[place_of(tour, node)])
        edges[--at] = tour->came_by[place_of(tour, node)];
    *n = length;
    return edges;
}

/* Goes along the edges of a node. Returns the circle if one of them closes it. */
static uint32_t *go_on(struct tour *tour, uint32_t node, size_t *n)
{
    const struct graph *graph = tour->graph;

    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint32_t to = graph->edges[i].to;

        if (to == tour->start)
            return way_back(tour, node, i, n);
        if (graph->component[to] != tour->component || tour->came_by[place_of(tour, to)] != UINT32_MAX)
            continue;
        tour->came_by[place_of(tour, to)] = i;
        tour->came_from[place_of(tour, to)] = node;
        tour->queue[tour->n_queue++] = to;
    }
    return NULL;
}

uint32_t *graph_circle(const struct graph *graph, uint32_t start, size_t *n)
{
    struct tour tour = {.graph = graph, .component = graph->component[start], .start = start};
    uint32_t *edges = NULL;
    size_t size;

    if (tour.component == UINT32_MAX)
        return NULL;
    size = graph->first_member[tour.component + 1] - graph->first_member[tour.component];
    tour.came_by = allocate_array(size, sizeof *tour.came_by);
    tour.came_from = allocate_array(size, sizeof *tour.came_from);
    tour.queue = allocate_array(size, sizeof *tour.queue);
    for (size_t i = 0; i < size; i++)
        tour.came_by[i] = UINT32_MAX;
    tour.queue[tour.n_queue++] = start;
    for (size_t done = 0; done < tour.n_queue && edges == NULL; done++)
        edges = go_on(&tour, tour.queue[done], n);
    FREE_ALL(tour.came_by, tour.came_from, tour.queue);
    return edges;
}

/* Which nodes of an AND/OR graph can still get on. A rank that waits for one that can get on can get on too. */

static void find_watchers(struct solver *solver)
{
    const struct and_or *graph = solver->graph;

    solver->first = allocate_array(graph->n_nodes + 2, sizeof *solver->first);
    solver->watchers = allocate_array(graph->n_waits + 1, sizeof *solver->watchers);
    for (size_t i = 0; i < graph->n_waits; i++)
        if (graph->waits[i].target >= 0)
            solver->first[graph->waits[i].target + 2]++;
    for (size_t i = 2; i < graph->n_nodes + 2; i++)
        solver->first[i] += solver->first[i - 1];
    for (size_t i = 0; i < graph->n_waits; i++)
        if (graph->waits[i].target >= 0)
            solver->watchers[solver->first[graph->waits[i].target + 1]++] = (uint32_t)i;
}

void solver_start(struct solver *solver, const struct and_or *graph, unsigned char n_levels)
{
    *solver = (struct solver){.graph = graph, .level = n_levels,
                              .dies_at = allocate_array(graph->n_nodes + 1, sizeof *solver->dies_at),
                              .n_left = allocate_array(graph->n_conditions + 1, sizeof *solver->n_left),
                              .living = allocate_array(graph->n_nodes + 1, sizeof *solver->living)};
    find_watchers(solver);
    for (size_t i = 0; i < graph->n_conditions; i++)
        solver->n_left[i] = graph->conditions[i].n_waits;
}

void solver_make_live(struct solver *solver, uint32_t node)
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
        solver_make_live(solver, condition->owner);
}

void solver_satisfy(struct solver *solver, const struct wait *wait)
{
    solver->n_left[wait->condition]--;
    check(solver, wait->condition);
}

/* Conditions that count only now may have been satisfied before. */
void solver_descend(struct solver *solver, unsigned char level)
{
    solver->level = level;
    for (size_t i = 0; i < solver->graph->n_conditions; i++)
        if (solver->graph->conditions[i].counts_below == level + 1 &&
            solver->n_left[i] < solver->graph->conditions[i].n_waits)
            check(solver, i);
}

void solver_run(struct solver *solver)
{
    for (; solver->n_done < solver->n_living; solver->n_done++) {
        uint32_t node = solver->living[solver->n_done];

        for (uint32_t i = solver->first[node]; i < solver->first[node + 1]; i++)
            solver_satisfy(solver, &solver->graph->waits[solver->watchers[i]]);
    }
}

unsigned char *solver_end(struct solver *solver)
{
    FREE_ALL(solver->n_left, solver->first, solver->watchers, solver->living);
    return solver->dies_at;
}

/* Ranks. */

static bool may_get_on(const struct model_rank *rank)
{
    return rank->phase == PHASE_BUSY || rank->phase == PHASE_UNKNOWN;
}

bool rank_is_stopped(const struct model_rank *rank)
{
    return may_get_on(rank) && rank->witness->stays_stopped;
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

/* May the rank do anything, whatever it waits for? */
static bool is_free(const struct model_rank *rank, unsigned char doubt)
{
    if (doubt >= inert_from(rank))
        return false;
    if (rank->phase == PHASE_BUSY)
        return doubt < (rank->polls ? DOUBT_POLLING : DOUBT_BUSY) || rank->witness->moved;
    return rank->phase == PHASE_UNKNOWN && doubt < DOUBT_ABSENT;
}

/* The level of doubt from which on it is not assumed that a wait is satisfied by what no node stands for. */
static unsigned char is_awaited_from(const struct model *model, const struct wait *wait)
{
    unsigned char inert = N_DOUBTS;
    size_t peer;

    if (wait->target != NODE_ABSENT)
        return wait->target == NODE_LIVE ? N_DOUBTS : DOUBT_NONE;
    peer = model_find_rank(model, wait->peer);
    if (peer != SIZE_MAX)
        inert = inert_from(&model->ranks[peer]);
    return inert < DOUBT_ABSENT ? inert : DOUBT_ABSENT;
}

static void satisfy_from_outside(struct solver *solver, const struct model *model)
{
    for (size_t i = 0; i < model->n_waits; i++)
        if (model->waits[i].target < 0 && is_awaited_from(model, &model->waits[i]) == solver->level + 1)
            solver_satisfy(solver, &model->waits[i]);
}

unsigned char *model_find_deaths(const struct model *model)
{
    const struct and_or graph = {.n_nodes = model_n_nodes(model), .conditions = model->conditions,
                                 .n_conditions = model->n_conditions, .waits = model->waits, .n_waits = model->n_waits};
    struct solver solver;

    solver_start(&solver, &graph, N_DOUBTS);
    for (unsigned char level = N_DOUBTS; level-- > 0;) {
        solver_descend(&solver, level);
        for (size_t i = 0; i < model->n_ranks; i++)
            if (is_free(&model->ranks[i], level))
                solver_make_live(&solver, (uint32_t)i);
        satisfy_from_outside(&solver, model);
        solver_run(&solver);
    }
    return solver_end(&solver);
}
