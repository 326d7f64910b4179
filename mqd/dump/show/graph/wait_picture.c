/*
 * wait_picture.c - the waits that verdicts are reached from, as a picture. What ranks test for is not in it.
 */
#include "mqd/dump/show/graph/wait_picture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/record/names.h"
#include "mqd/dump/show/graph/xml_text.h"
#include "mqd/dump/show/say/phrase.h"
#include "mqd/dump/verdict/graph.h"

/* A rank without a process that was read, and the position of its node among the picture's nodes. */
struct absent {
    long id;
    size_t node;                   /* SIZE_MAX: not there yet */
};

/* Jobs that have communicators in common, while they are drawn. */
struct drawing {
    struct picture *picture;
    const struct witness *witnesses;
    const struct analysis_part *part;
    const struct model *model;
    const struct graph *graph;
    size_t first;                  /* where the model's nodes begin among the picture's */
    size_t *circle_of;             /* of components: the number of their circle, 0: none */
    struct absent *absent;         /* that are waited for, by their ids */
    size_t n_absent;
    size_t other_job;              /* position; SIZE_MAX: not there yet */
};

/* Texts. */

static const char *where(const struct model_rank *rank)
{
    if (rank->phase == PHASE_ENDED)
        return rank->inferred ? "seems to have ended" : "has ended";
    if (rank->past_finalize)
        return "has left MPI";
    if (rank->halted)
        return rank->witness->activity != NULL && rank->witness->activity->state == 't' ? "held by a debugger"
                                                                                         : "stopped by a signal";
    if (rank->call == NULL || rank->call->state == CALL_UNKNOWN)
        return rank->phase == PHASE_FINALIZED ? "MPI_Finalize" : "not known";
    return rank->call->state == CALL_MPI ? call_shown(rank->call) : "outside of MPI";
}

static char *what_is_waited_for(const struct operation *operation, const struct call *call)
{
    static const char *const sends[] = {[MQD_OPERATION_send] = "Send", [MQD_OPERATION_ssend] = "Ssend",
                                        [MQD_OPERATION_bsend] = "Bsend", [MQD_OPERATION_rsend] = "Rsend"};
    const char *send = name_of(&(const struct names){sends, sizeof sends / sizeof *sends}, operation->said->kind);

    if (operation->collective)
        return copy_string(call != NULL && call_kind_of(call->function) == CALL_COLLECTIVE ? call_shown(call)
                                                                                           : "collective");
    if (operation->internal)
        return copy_string(operation->class != mqs_pending_sends ? "recv" : "send");
    if (operation->class != mqs_pending_sends)
        return operation->tag == TAG_ANY ? copy_string("recv any tag")
                                         : format_text("recv tag %s", NUMBER(operation->tag));
    return format_text("%s tag %s", send != NULL ? send : "send", NUMBER(operation->tag));
}

/* "recv tag 3 on solver", for free(). Sets how much of it is before " on". */
static char *label_of(const struct model *model, const struct wait *wait, size_t *n_what)
{
    const struct call *call = model->conditions[wait->condition].call;
    OWNED char *what = NULL, *name = NULL, *text = NULL, *clean = NULL;

    if (wait->operation == UINT32_MAX) {
        text = clean_text(call != NULL ? call_shown(call) : "");
        *n_what = strlen(text);
        return TAKEN(text);
    }
    what = what_is_waited_for(&model->operations[wait->operation], call);
    name = say_communicator(model->operations[wait->operation].communicator);
    text = format_text("%s on %s", what, name);
    clean = clean_text(what);
    *n_what = strlen(clean);
    return clean_text(text);
}

/* Nodes. */

static enum picture_state state_of(const struct drawing *drawing, size_t i)
{
    const struct model_rank *rank = &drawing->model->ranks[i];

    switch (rank->phase) {
    case PHASE_BLOCKED:
        return drawing->part->dies_at[i] > DOUBT_NONE ? PICTURE_WAITS : PICTURE_STUCK;
    case PHASE_BUSY:
        return PICTURE_BUSY;
    case PHASE_FINALIZED:
    case PHASE_ENDED:
        return PICTURE_GONE;
    case PHASE_UNKNOWN:
        break;
    }
    return rank->witness->listing->has_communicators ? PICTURE_UNKNOWN : PICTURE_NOT_READ;
}

/* `rank` is -1 for a node that is not one rank. */
static size_t add_node(struct drawing *drawing, enum picture_state state, const struct model_job *job, long rank,
                       char *who, const char *what)
{
    bool has_user = job->user >= 0 && *job->name != '\0';
    OWNED char *name = has_user ? format_text("%s of user %ld", job->name, job->user) : copy_string(job->name);

    APPEND(drawing->picture->nodes, drawing->picture->n_nodes, drawing->picture->node_room,
           (struct picture_node){.state = state, .job = clean_text(name), .who = who, .what = clean_text(what),
                                 .rank = rank, .n_ranks = rank >= 0});
    return drawing->picture->n_nodes - 1;
}

/* Of each rank: does it wait, or does another rank wait for it, in another way than in a collective operation? */
static bool *find_apart(const struct model *model)
{
    bool *apart = allocate_array(model->n_ranks + 1, sizeof *apart);

    for (size_t i = 0; i < model->n_blocking_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = model->conditions[wait->condition].owner;

        if (owner >= model->n_ranks ||
            (wait->operation != UINT32_MAX && model->operations[wait->operation].collective))
            continue;
        apart[owner] = true;
        if (wait->target >= 0 && wait->target < (int64_t)model->n_ranks)
            apart[wait->target] = true;
    }
    return apart;
}

/* The only participant of a rank; NULL: it has none or several. */
static const struct participant *only_participation(const struct collectives *collectives, size_t rank)
{
    const struct participant *only = NULL;

    for (uint32_t i = collectives->of_ranks.first[rank]; i < collectives->of_ranks.first[rank + 1]; i++) {
        const struct participant *participant = &collectives->all[collectives->of_ranks.members[i]];

        if (participant->polled)
            continue;
        if (only != NULL)
            return NULL;
        only = participant;
    }
    return only;
}

/* Ranks in a blocking collective call, and in nothing else, are in a meeting. */
static void number_meetings(struct drawing *drawing)
{
    const struct collectives *collectives = &drawing->part->collectives;
    OWNED bool *apart = find_apart(drawing->model);

    for (size_t i = 0; i < drawing->model->n_ranks; i++) {
        const struct participant *participant = only_participation(collectives, i);

        if (participant != NULL && participant->function != NULL && !apart[i])
            drawing->picture->nodes[drawing->first + i].meeting =
                drawing->picture->n_meetings + participant->collective + 1;
    }
    drawing->picture->n_meetings += collectives->n_operations;
}

static void draw_nodes(struct drawing *drawing)
{
    const struct model *model = drawing->model;

    for (size_t i = 0; i < model->n_blocking_nodes; i++) {
        uint32_t component = drawing->graph->component[i];
        size_t at;

        if (i < model->n_ranks) {
            const struct model_rank *rank = &model->ranks[i];

            at = add_node(drawing, state_of(drawing, i), &model->jobs[rank->job], model_world_rank(model, rank->id),
                          copy_string(""), where(rank));
            drawing->picture->nodes[at].host = rank->witness->listing->host;
            drawing->picture->nodes[at].witnesses = allocate_array(1, sizeof(size_t));
            drawing->picture->nodes[at].witnesses[0] = (size_t)(rank->witness - drawing->witnesses);
            drawing->picture->nodes[at].n_witnesses = 1;
        } else {
            const struct virtual_node *node = &model->virtuals[i - model->n_ranks];
            long rank = model_world_rank(model, model->ranks[node->rank].id);
            OWNED char *name = say_communicator(node->communicator);

            at = add_node(drawing, PICTURE_ANYBODY, &model->jobs[model->ranks[node->rank].job], -1,
                          node->is_part ? format_text("part of rank %ld", rank) : copy_string("any rank"), name);
        }
        drawing->picture->nodes[at].circle = component != UINT32_MAX ? drawing->circle_of[component] : 0;
    }
}

static int compare_absent(const void *a, const void *b)
{
    const struct absent *x = a, *y = b;

    return ORDER(x->id, y->id);
}

/* Is it a wait for a rank whose process was not read? */
static bool is_for_absent(const struct model *model, const struct wait *wait)
{
    return wait->target < 0 && wait->target != NODE_LIVE && wait->peer >= 0 &&
           model_find_rank(model, wait->peer) == SIZE_MAX;
}

static void find_absent(struct drawing *drawing)
{
    const struct model *model = drawing->model;
    size_t room = 0, n = 0;

    for (size_t i = 0; i < model->n_blocking_waits; i++)
        if (is_for_absent(model, &model->waits[i])) {
            APPEND(drawing->absent, drawing->n_absent, room, (struct absent){model->waits[i].peer, SIZE_MAX});
        }
    SORT(drawing->absent, drawing->n_absent, compare_absent);
    for (size_t i = 0; i < drawing->n_absent; i++)
        if (i == 0 || drawing->absent[i].id != drawing->absent[n - 1].id)
            drawing->absent[n++] = drawing->absent[i];
    drawing->n_absent = n;
}

/* NULL: it was read, or nobody waits for it. */
static struct absent *absent_rank(const struct drawing *drawing, long id)
{
    return search_array(&(struct absent){.id = id}, drawing->absent, drawing->n_absent, sizeof *drawing->absent,
                        compare_absent);
}

/* The node of a rank that others wait for and whose process was not read. */
static size_t draw_absent(struct drawing *drawing, long id)
{
    const struct model *model = drawing->model;
    struct absent *absent = absent_rank(drawing, id);

    if (absent->node == SIZE_MAX)
        absent->node = add_node(drawing, PICTURE_NOT_READ, model_job_of(model, id), model_world_rank(model, id),
                                copy_string(""), "not read");
    return absent->node;
}

static size_t other_job(struct drawing *drawing)
{
    if (drawing->other_job == SIZE_MAX)
        drawing->other_job = add_node(drawing, PICTURE_NOT_READ, drawing->model->jobs, -1, copy_string("another job"),
                                      "not read");
    return drawing->other_job;
}

/* Draws one node for all ranks of a job that were not read and for which nobody waits. */
static void draw_rest(struct drawing *drawing, const struct model_job *job)
{
    size_t n = 0, room = 0;
    OWNED long *ranks = NULL;

    if (job->world_size <= (long)job->n_ranks)
        return;
    for (long rank = 0; rank < job->world_size; rank++) {
        if (model_find_rank(drawing->model, job->base + rank) != SIZE_MAX ||
            absent_rank(drawing, job->base + rank) != NULL)
            continue;
        APPEND(ranks, n, room, rank);
    }
    if (n > 0) {
        size_t at = add_node(drawing, PICTURE_NOT_READ, job, -1, ranks_list(ranks, n, ","), "not read");

        drawing->picture->nodes[at].n_ranks = n;
    }
}

/* Edges. */

/* The node that is waited for; SIZE_MAX if the wait will end by itself. */
static size_t node_waited_for(struct drawing *drawing, const struct wait *wait)
{
    size_t index;

    if (wait->target == NODE_LIVE)
        return SIZE_MAX;
    if (wait->target >= 0)
        return drawing->first + (size_t)wait->target;
    if (wait->peer < 0)
        return other_job(drawing);
    index = model_find_rank(drawing->model, wait->peer);
    return index != SIZE_MAX ? drawing->first + index : draw_absent(drawing, wait->peer);
}

static void draw_waits(struct drawing *drawing)
{
    const uint32_t *component = drawing->graph->component;

    for (size_t i = 0; i < drawing->model->n_blocking_waits; i++) {
        const struct wait *wait = &drawing->model->waits[i];
        const struct condition *condition = &drawing->model->conditions[wait->condition];
        size_t to = node_waited_for(drawing, wait), n_what;
        struct picture_edge edge;

        if (to == SIZE_MAX)
            continue;
        edge = (struct picture_edge){.from = drawing->first + condition->owner, .to = to,
                                     .label = label_of(drawing->model, wait, &n_what),
                                     .one_is_enough = !condition->all && condition->n_waits > 1};
        edge.n_what = n_what;
        edge.in_circle = wait->target >= 0 && component[condition->owner] != UINT32_MAX &&
                         component[condition->owner] == component[wait->target];
        APPEND(drawing->picture->edges, drawing->picture->n_edges, drawing->picture->edge_room, edge);
    }
}

/* Numbers the circles: groups of nodes that wait for each other, and nodes that wait for themselves. */
static void number_circles(struct drawing *drawing)
{
    const struct graph *graph = drawing->graph;

    for (uint32_t node = 0; node < drawing->model->n_blocking_nodes; node++) {
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t component = graph->component[node];

            if (graph->component[edge_to(graph, i)] == component && drawing->circle_of[component] == 0)
                drawing->circle_of[component] = ++drawing->picture->n_circles;
        }
    }
}

static void draw_part(struct picture *picture, const struct witness *witnesses, const struct analysis_part *part)
{
    struct drawing drawing = {
        .picture = picture, .witnesses = witnesses, .part = part, .model = &part->model, .graph = &part->graph,
        .first = picture->n_nodes, .other_job = SIZE_MAX,
        .circle_of = allocate_array(part->graph.n_components + 1, sizeof *drawing.circle_of)};

    find_absent(&drawing);
    number_circles(&drawing);
    draw_nodes(&drawing);
    number_meetings(&drawing);
    draw_waits(&drawing);
    for (size_t i = 0; i < part->model.n_jobs; i++)
        draw_rest(&drawing, &part->model.jobs[i]);
    FREE_ALL(drawing.circle_of, drawing.absent);
}

void picture_draw(struct picture *picture, const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->n; i++)
        draw_part(picture, analysis->witnesses, &analysis->parts[i]);
    picture_say_waits(picture, analysis->n_witnesses);
    picture_fold(picture);
}
