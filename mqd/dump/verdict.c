/*
 * verdict.c - from what everybody waits for to findings.
 */
#include "mqd/dump/verdict.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/common.h"
#include "mqd/dump/ranges.h"
#include "mqd/dump/verdict_graph.h"
#include "mqd/dump/verdict_model.h"
#include "mqd/dump/verdict_say.h"

/* As many lines as one wants to read about one finding; as many findings of one kind. */
enum { MAX_DETAILS = 8, MAX_OF_KIND = 5, MAX_HOPS = 12, MAX_COMMUNICATORS = 8 };

/*
 * Each receive searches the unexpected messages of its sender from the front. Programs that work well leave few there:
 * a thousand of one sender, or the memory that they take, say that it runs ahead of its receiver.
 */
enum { FLOOD_MESSAGES = 1000 };
static const double flood_bytes = 64.0 * 1024 * 1024;

/* A growing set of world ranks. */
struct ranks {
    long *ranks;
    size_t n, room;
};

/* Misses of the same sort at the same place are one finding. */
struct sort {
    enum finding_kind kind;
    int class;
    const char *function, *place;
    long wanted, found;
    mqs_taddr_t communicator;
    size_t finding;
    struct ranks ranks, causes;
};
struct sorts {
    struct sort *sorts;
    size_t n, room;
};

/* One job on which findings are made. */
struct bench {
    struct verdict *verdict;
    const struct model *model;
    const char *job;
    const bool *live;
    const struct graph *graph;
    struct sorts sorts;            /* of what is missed */
    bool *told;                    /* of operations: a finding has named it as what was missed, or what missed it */
};

/* Findings. */

static struct finding *add_finding(struct bench *bench, enum finding_kind kind, bool certain)
{
    struct verdict *verdict = bench->verdict;
    struct finding *finding;

    verdict->findings = grow(verdict->findings, verdict->n, &verdict->room, sizeof *verdict->findings);
    finding = &verdict->findings[verdict->n++];
    *finding = (struct finding){.kind = kind, .certain = certain, .job = bench->job};
    return finding;
}

/* Takes over the text. */
static void add_detail(struct finding *finding, char *text)
{
    finding->details = grow(finding->details, finding->n_details, &finding->details_room, sizeof *finding->details);
    finding->details[finding->n_details++] = text;
}

static void add_note(struct verdict *verdict, char *text)
{
    verdict->notes = grow(verdict->notes, verdict->n_notes, &verdict->note_room, sizeof *verdict->notes);
    verdict->notes[verdict->n_notes++] = text;
}

static void add_evidence(const struct bench *bench, struct finding *finding, uint32_t i)
{
    const struct operation *operation = &bench->model->operations[i];
    const struct model_rank *rank = &bench->model->ranks[operation->rank];

    if (finding->n_evidence == MAX_EVIDENCE)
        return;
    finding->evidence = grow(finding->evidence, finding->n_evidence, &finding->evidence_room,
                             sizeof *finding->evidence);
    finding->evidence[finding->n_evidence++] =
        (struct evidence){.rank = rank->world, .pid = rank->witness->listing->pid,
                          .communicator = operation->communicator->unique_id, .class = operation->class,
                          .operation = *operation->said};
}

static void set_communicator(struct finding *finding, const struct communicator *communicator)
{
    finding->has_communicator = true;
    finding->communicator = communicator->unique_id;
    finding->communicator_name = copy_string(communicator->name);
}

static void add_rank(struct ranks *set, long rank)
{
    set->ranks = grow(set->ranks, set->n, &set->room, sizeof *set->ranks);
    set->ranks[set->n++] = rank;
}

static void set_ranks(struct finding *finding, struct ranks ranks)
{
    finding->ranks = ranks.ranks;
    finding->n_ranks = ranks_sort(ranks.ranks, ranks.n);
}

static void set_causes(struct finding *finding, struct ranks causes)
{
    finding->causes = causes.ranks;
    finding->n_causes = ranks_sort(causes.ranks, causes.n);
}

static char *join(char *first, const char *separator, char *second)
{
    char *text = format("%s%s%s", first, separator, second);

    free(first);
    free(second);
    return text;
}

static void capitalise(char *text)
{
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
}

static char *phrase(const long *ranks, size_t n, const char *one, const char *many)
{
    char *text = ranks_phrase(ranks, n, one, many);

    capitalise(text);
    return text;
}

static uint32_t owner_of(const struct model *model, const struct wait *wait)
{
    return model->conditions[wait->condition].owner;
}

/* "Rank 1 waits in MPI_Recv (ring.c:29) for ...", of a wait that is a rank's. */
static char *sentence_of_wait(const struct bench *bench, const struct wait *wait)
{
    const struct model *model = bench->model;
    char *text = say_wait(model->conditions[wait->condition].call,
                          wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL);
    char *sentence = format("Rank %ld %s.", model->ranks[owner_of(model, wait)].world, text);

    free(text);
    return sentence;
}

/* The wait as evidence and as a detail. */
static void add_wait(const struct bench *bench, struct finding *finding, const struct wait *wait)
{
    if (wait->operation != UINT32_MAX)
        add_evidence(bench, finding, wait->operation);
    if (finding->n_details < MAX_DETAILS)
        add_detail(finding, sentence_of_wait(bench, wait));
}

static void add_place_detail(const struct bench *bench, struct finding *finding, uint32_t rank)
{
    char *where = say_where(&bench->model->ranks[rank]);

    if (finding->n_details < MAX_DETAILS)
        add_detail(finding, format("Rank %ld %s.", bench->model->ranks[rank].world, where));
    free(where);
}

/* Of a wait whose target is NODE_NEVER. */
static const struct model_rank *gone_rank(const struct model *model, const struct wait *wait)
{
    return &model->ranks[model_find_rank(model, wait->world)];
}

/* Those that have ended or left MPI, and are waited for. */

/* Is there more that keeps the node, and is the subject of another finding? */
static bool waits_for_others(const struct graph *graph, uint32_t node)
{
    return graph->leaves[graph->component[node]];
}

/* A wait for a rank that is gone, and the wait of a rank that comes to it: the same, or one for anybody. */
static void note_gone(struct bench *bench, struct finding *finding, const struct wait *gone, const struct wait *wait,
                      struct ranks *ranks, struct ranks *causes)
{
    add_rank(ranks, bench->model->ranks[owner_of(bench->model, wait)].world);
    add_rank(causes, gone->world);
    finding->certain &= !gone_rank(bench->model, gone)->inferred;
    add_wait(bench, finding, wait);
}

static void find_waits_for_gone(struct bench *bench, struct finding *finding, enum phase phase, struct ranks *ranks,
                                struct ranks *causes)
{
    const struct model *model = bench->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = owner_of(model, wait);

        if (wait->target != NODE_NEVER || bench->live[owner] || gone_rank(model, wait)->phase != phase)
            continue;
        if (owner < model->n_ranks) {
            note_gone(bench, finding, wait, wait, ranks, causes);
            continue;
        }
        /* Anybody was waited for. */
        for (size_t k = 0; k < model->n_waits && !waits_for_others(bench->graph, owner); k++)
            if (model->waits[k].target == (int64_t)owner)
                note_gone(bench, finding, wait, &model->waits[k], ranks, causes);
    }
}

static char *say_gone(const struct bench *bench, enum phase phase, const struct finding *finding)
{
    char *who = phrase(finding->ranks, finding->n_ranks, "waits", "wait");
    char *whom = ranks_phrase(finding->causes, finding->n_causes, "", "");
    size_t first = model_find_rank(bench->model, finding->causes[0]);
    const struct model_rank *cause = &bench->model->ranks[first];
    char *where, *text;

    if (phase == PHASE_ENDED)
        where = copy_string(finding->n_causes == 1 ? "which has ended" : "which have ended");
    else if (cause->past_finalize)
        where = copy_string(finding->n_causes == 1 ? "which has left MPI" : "which have left MPI");
    else
        where = copy_string(finding->n_causes == 1 ? "which is in MPI_Finalize" : "which are in MPI_Finalize");
    text = format("%s for %s, %s.", who, whom, where);
    free(who);
    free(whom);
    free(where);
    return text;
}

static void conclude_gone(struct bench *bench, enum phase phase)
{
    struct finding *finding = add_finding(bench, phase == PHASE_ENDED ? FINDING_ENDED : FINDING_FINALIZED, true);
    struct ranks ranks = {0}, causes = {0};

    find_waits_for_gone(bench, finding, phase, &ranks, &causes);
    if (ranks.n == 0) {
        free(finding->details);
        bench->verdict->n--;
        return;
    }
    set_ranks(finding, ranks);
    set_causes(finding, causes);
    finding->sentence = say_gone(bench, phase, finding);
    if (phase == PHASE_FINALIZED)
        add_detail(finding, copy_string("A rank in MPI_Finalize neither sends nor receives any more."));
}

/* The nearest miss of a receive or send that nobody answers. */

struct miss {
    enum finding_kind kind;
    uint32_t operation;            /* that was missed */
};

static bool is_user_message(const struct model *model, uint32_t i)
{
    return !model->operations[i].internal;
}

/* The first message of the program's that agrees in so many numbers and in no more. */
static uint32_t find_message(const struct bench *bench, const struct keys *keys, const int64_t *numbers, size_t n,
                             const int64_t *but)
{
    for (size_t i = keys_find(keys, numbers, n); keys_agree(keys, i, numbers, n); i++)
        if (is_user_message(bench->model, keys->keys[i].operation) &&
            (but == NULL || keys->keys[i].numbers[n] != *but))
            return keys->keys[i].operation;
    return UINT32_MAX;
}

static bool miss_of_receive(const struct bench *bench, const struct operation *receive, struct miss *miss)
{
    const struct model *model = bench->model;
    int64_t here = model->ranks[receive->rank].world, id = (int64_t)receive->communicator->unique_id;
    int64_t source = receive->peer, tag = receive->tag;

    miss->kind = FINDING_TAG;
    miss->operation = source == PEER_ANY
                          ? find_message(bench, &model->messages_by_tag, (int64_t[]){here, id}, 2, &tag)
                          : find_message(bench, &model->messages_by_source, (int64_t[]){here, id, source}, 3, &tag);
    if (miss->operation != UINT32_MAX)
        return true;
    miss->kind = FINDING_COMMUNICATOR;
    if (source != PEER_ANY && tag != TAG_ANY)
        miss->operation = find_message(bench, &model->messages_elsewhere, (int64_t[]){here, source, tag}, 3, &id);
    else if (source != PEER_ANY)
        miss->operation = find_message(bench, &model->messages_elsewhere, (int64_t[]){here, source}, 2, NULL);
    if (miss->operation != UINT32_MAX)
        return true;
    miss->kind = FINDING_SOURCE;
    if (source != PEER_ANY && tag != TAG_ANY)
        miss->operation = find_message(bench, &model->messages_by_tag, (int64_t[]){here, id, tag}, 3, &source);
    if (miss->operation != UINT32_MAX)
        return true;
    miss->kind = FINDING_DESTINATION;
    if (source != PEER_ANY && tag != TAG_ANY)
        miss->operation = find_message(bench, &model->messages_sent, (int64_t[]){source, id, tag}, 3, &here);
    return miss->operation != UINT32_MAX;
}

/* A receive that the other side has posted, and that takes messages of another tag only. */
static bool miss_of_send(const struct bench *bench, const struct operation *send, struct miss *miss)
{
    const struct model *model = bench->model;
    const struct keys *keys = &model->receives;
    const int64_t here = model->ranks[send->rank].world, id = (int64_t)send->communicator->unique_id;
    const int64_t sources[2] = {here, PEER_ANY};

    miss->kind = FINDING_TAG;
    for (int s = 0; s < 2; s++) {
        const int64_t numbers[3] = {send->peer, id, sources[s]};

        for (size_t i = keys_find(keys, numbers, 3); keys_agree(keys, i, numbers, 3); i++) {
            const struct operation *receive = &model->operations[keys->keys[i].operation];

            miss->operation = keys->keys[i].operation;
            if (!receive->internal && receive->said->status == mqs_st_pending)
                return true;
        }
    }
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same_sort(const struct sort *a, const struct sort *b)
{
    return a->kind == b->kind && a->class == b->class && same_text(a->function, b->function) &&
           same_text(a->place, b->place) && a->wanted == b->wanted && a->found == b->found &&
           a->communicator == b->communicator;
}

static long miss_found(const struct bench *bench, const struct miss *miss)
{
    const struct operation *operation = &bench->model->operations[miss->operation];

    return miss->kind == FINDING_TAG ? operation->tag : miss->kind == FINDING_COMMUNICATOR
                                                            ? (long)operation->communicator->unique_id : 0;
}

static const char *say_difference(enum finding_kind kind)
{
    switch (kind) {
    case FINDING_TAG:
        return "the tags differ";
    case FINDING_COMMUNICATOR:
        return "the communicators differ";
    case FINDING_SOURCE:
        return "it comes from another rank";
    default:
        return "it goes to another rank";
    }
}

/* What was missed, seen from the one that waits. */
static char *say_miss(const struct bench *bench, const struct miss *miss)
{
    const struct operation *missed = &bench->model->operations[miss->operation];
    char *what = say_operation(missed), *text;
    long rank = bench->model->ranks[missed->rank].world;

    if (missed->class == mqs_unexpected_messages)
        text = format("%s has arrived at rank %ld and nobody has asked for it: %s.", what, rank,
                      say_difference(miss->kind));
    else if (missed->class == mqs_pending_sends)
        text = format("rank %ld sends %s: %s.", rank, what, say_difference(miss->kind));
    else
        text = format("rank %ld has a receive for %s: %s.", rank, what, say_difference(miss->kind));
    capitalise(text);
    free(what);
    return text;
}

static struct sort *find_sort(struct bench *bench, const struct sort *sought)
{
    struct sorts *sorts = &bench->sorts;

    for (size_t i = 0; i < sorts->n; i++)
        if (is_same_sort(&sorts->sorts[i], sought))
            return &sorts->sorts[i];
    sorts->sorts = grow(sorts->sorts, sorts->n, &sorts->room, sizeof *sorts->sorts);
    sorts->sorts[sorts->n] = *sought;
    sorts->sorts[sorts->n].finding = bench->verdict->n;
    add_finding(bench, sought->kind, true);
    return &sorts->sorts[sorts->n++];
}

/* A wait of the program's own, with what was missed or, with nothing missed, as a finding of that kind. */
static void note_unanswered(struct bench *bench, const struct wait *wait, const struct miss *miss)
{
    const struct operation *operation = &bench->model->operations[wait->operation];
    const struct call *call = bench->model->conditions[wait->condition].call;
    const struct model_rank *rank = &bench->model->ranks[operation->rank];
    struct sort sought = {.kind = miss->kind, .class = operation->class, .function = call->function,
                          .place = call->place, .wanted = operation->tag, .found = 0,
                          .communicator = operation->communicator->unique_id};
    struct finding *finding;
    struct sort *sort;

    if (miss->operation != UINT32_MAX)
        sought.found = miss_found(bench, miss);
    sort = find_sort(bench, &sought);
    finding = &bench->verdict->findings[sort->finding];
    finding->certain &= !rank->guessed;
    add_rank(&sort->ranks, rank->world);
    if (operation->peer >= 0)
        add_rank(&sort->causes, operation->peer);
    add_evidence(bench, finding, wait->operation);
    if (miss->operation != UINT32_MAX)
        add_evidence(bench, finding, miss->operation);
    if (finding->sentence != NULL)
        return;
    finding->sentence = sentence_of_wait(bench, wait);
    set_communicator(finding, operation->communicator);
    if (miss->operation != UINT32_MAX)
        add_detail(finding, say_miss(bench, miss));
}

static void finish_sorts(struct bench *bench)
{
    struct sorts *sorts = &bench->sorts;

    for (size_t i = 0; i < sorts->n; i++) {
        struct finding *finding = &bench->verdict->findings[sorts->sorts[i].finding];

        set_ranks(finding, sorts->sorts[i].ranks);
        set_causes(finding, sorts->sorts[i].causes);
        if (finding->n_ranks > 1) {
            char *all = phrase(finding->ranks, finding->n_ranks, "waits", "wait");

            add_detail(finding, format("%s at the same place in the same way.", all));
            free(all);
        }
    }
    free(sorts->sorts);
}

/* A group that waits for itself. */

struct group {
    uint32_t component;
    struct ranks ranks;            /* world ranks of its ranks */
    uint32_t *nodes;               /* their indices */
    size_t n_nodes, node_room;
    bool collective;               /* some wait in a collective operation */
    bool guessed;
};

static struct group find_group(const struct bench *bench, uint32_t component)
{
    struct group group = {.component = component};

    for (uint32_t i = 0; i < bench->model->n_ranks; i++) {
        const struct model_rank *rank = &bench->model->ranks[i];

        if (bench->graph->component[i] != component)
            continue;
        group.nodes = grow(group.nodes, group.n_nodes, &group.node_room, sizeof *group.nodes);
        group.nodes[group.n_nodes++] = i;
        add_rank(&group.ranks, rank->world);
        group.collective |= rank->kind == CALL_COLLECTIVE;
        group.guessed |= rank->guessed;
    }
    return group;
}

/* One operation that a rank of the group waits for within it. A pair that miss each other is told once. */
static void look_at_unanswered(struct bench *bench, const struct group *group, const struct wait *wait)
{
    const struct operation *operation = &bench->model->operations[wait->operation];
    bool is_send = operation->class == mqs_pending_sends;
    struct miss miss = {.operation = UINT32_MAX};

    if (is_send ? !miss_of_send(bench, operation, &miss) : !miss_of_receive(bench, operation, &miss)) {
        miss = (struct miss){is_send ? FINDING_NO_RECEIVE : FINDING_NO_SEND, UINT32_MAX};
        if (!group->collective)
            return;
    }
    if (miss.operation != UINT32_MAX && is_send && bench->told[miss.operation])
        return;
    bench->told[wait->operation] = true;
    note_unanswered(bench, wait, &miss);
}

/* The operations of the program's own: first the receives, then the sends. */
static void find_unanswered(struct bench *bench, const struct group *group, int class)
{
    const struct model *model = bench->model;

    for (size_t k = 0; k < group->n_nodes; k++) {
        uint32_t node = group->nodes[k];

        for (uint32_t i = bench->graph->first[node]; i < bench->graph->first[node + 1]; i++) {
            const struct wait *wait = &model->waits[bench->graph->edges[i].wait];
            uint32_t at = wait->operation;

            if (at != UINT32_MAX && !model->operations[at].internal && model->operations[at].class == class)
                look_at_unanswered(bench, group, wait);
        }
    }
}

/* Collectives. */

static const struct operation *collective_operation(const struct bench *bench, uint32_t rank)
{
    const struct graph *graph = bench->graph;

    if (bench->model->ranks[rank].kind != CALL_COLLECTIVE)
        return NULL;
    for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++) {
        uint32_t at = bench->model->waits[graph->edges[i].wait].operation;

        if (at != UINT32_MAX && bench->model->operations[at].internal)
            return &bench->model->operations[at];
    }
    return NULL;
}

static bool is_member(const struct communicator *communicator, long world)
{
    if (is_intercommunicator(communicator))
        return true;
    for (mqs_tword_t i = 0; communicator->group != NULL && i < communicator->size; i++)
        if (communicator->group[i] == world)
            return true;
    return false;
}

static bool is_on(const struct operation *operation, const struct communicator *communicator)
{
    const struct communicator *theirs = operation != NULL ? operation->communicator : NULL;

    if (theirs == NULL || theirs->unique_id != communicator->unique_id)
        return false;
    return is_intercommunicator(communicator) ||
           (theirs->size == communicator->size && theirs->group != NULL && communicator->group != NULL &&
            memcmp(theirs->group, communicator->group, (size_t)theirs->size * sizeof *theirs->group) == 0);
}

static bool is_at_same_place(const struct call *a, const struct call *b)
{
    return strcmp(a->function, b->function) == 0 && same_text(a->place, b->place);
}

/* Those of a group that are at the same place in a collective operation on the communicator as its i-th. */
static struct ranks find_companions(const struct bench *bench, const struct group *group,
                                    const struct communicator *communicator, size_t i, bool *told)
{
    const struct call *call = bench->model->ranks[group->nodes[i]].call;
    struct ranks ranks = {0};

    for (size_t k = i; k < group->n_nodes; k++) {
        const struct model_rank *rank = &bench->model->ranks[group->nodes[k]];

        if (told[k] || !is_at_same_place(rank->call, call) ||
            !is_on(collective_operation(bench, group->nodes[k]), communicator))
            continue;
        told[k] = true;
        add_rank(&ranks, rank->world);
    }
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    return ranks;
}

/* "Ranks 0-2 are in MPI_Barrier (step+0x10).": one sentence for each place. Returns whether the functions differ. */
static bool add_function_details(const struct bench *bench, const struct group *group,
                                 const struct communicator *communicator, struct finding *finding)
{
    bool *told = allocate(group->n_nodes + 1, sizeof *told), differ = false;
    const char *first = NULL;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct model_rank *rank = &bench->model->ranks[group->nodes[i]];
        struct ranks ranks;
        char *who, *where;

        if (told[i] || !is_on(collective_operation(bench, group->nodes[i]), communicator))
            continue;
        ranks = find_companions(bench, group, communicator, i, told);
        who = phrase(ranks.ranks, ranks.n, "is", "are");
        where = say_where(rank);
        if (finding->n_details < MAX_DETAILS)
            add_detail(finding, format("%s%s.", who, where + strcspn(where, " ")));
        differ |= first != NULL && strcmp(first, rank->call->function) != 0;
        first = rank->call->function;
        free(who);
        free(where);
        free(ranks.ranks);
    }
    free(told);
    return differ;
}

static void add_missing_details(const struct bench *bench, const struct group *group,
                                const struct communicator *communicator, struct finding *finding,
                                struct ranks *missing)
{
    for (size_t i = 0; i < group->n_nodes; i++) {
        uint32_t node = group->nodes[i];
        uint32_t edge = bench->graph->first[node];

        if (is_on(collective_operation(bench, node), communicator) ||
            !is_member(communicator, bench->model->ranks[node].world))
            continue;
        add_rank(missing, bench->model->ranks[node].world);
        add_wait(bench, finding, &bench->model->waits[bench->graph->edges[edge].wait]);
    }
}

static void conclude_collective(struct bench *bench, const struct group *group,
                                const struct communicator *communicator)
{
    struct finding *finding = add_finding(bench, FINDING_COLLECTIVE_MISSING, true);
    struct ranks inside = {0}, missing = {0};
    bool differ = add_function_details(bench, group, communicator, finding);
    char *name = say_communicator(communicator), *who, *others;

    add_missing_details(bench, group, communicator, finding, &missing);
    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct operation *operation = collective_operation(bench, group->nodes[i]);

        if (!is_on(operation, communicator))
            continue;
        add_rank(&inside, bench->model->ranks[group->nodes[i]].world);
        add_evidence(bench, finding, (uint32_t)(operation - bench->model->operations));
    }
    set_ranks(finding, inside);
    set_causes(finding, missing);
    set_communicator(finding, communicator);
    who = phrase(finding->ranks, finding->n_ranks, "waits", "wait");
    others = ranks_phrase(finding->causes, finding->n_causes, "is", "are");
    if (differ) {
        finding->kind = FINDING_COLLECTIVES_DIFFER;
        finding->sentence = format("%s in different collective operations on %s.", who, name);
    } else if (finding->n_causes > 0) {
        finding->sentence = format("%s in a collective operation on %s, where %s missing.", who, name, others);
    } else {
        finding->kind = FINDING_DEADLOCK;
        finding->certain = false;
        finding->sentence = format("%s for each other in a collective operation on %s: they may be in different "
                                   "calls of it.", who, name);
    }
    free(name);
    free(who);
    free(others);
}

static void conclude_collectives(struct bench *bench, const struct group *group)
{
    const struct communicator **told = allocate(group->n_nodes + 1, sizeof *told);
    size_t n_told = 0;

    for (size_t i = 0; i < group->n_nodes; i++) {
        const struct operation *operation = collective_operation(bench, group->nodes[i]);
        bool known = operation == NULL;

        for (size_t k = 0; k < n_told && !known; k++)
            known = is_on(operation, told[k]);
        if (known || n_told == MAX_COMMUNICATORS)
            continue;
        told[n_told++] = operation->communicator;
        conclude_collective(bench, group, operation->communicator);
    }
    free(told);
}

/* Circles. */

/* "0 -> 3 -> 0"; where anybody is waited for, the way leads through "anybody". */
static char *say_circle(const struct bench *bench, const uint32_t *edges, size_t n, uint32_t start)
{
    const struct model *model = bench->model;
    char *text = format("%ld", model->ranks[start].world);

    for (size_t i = 0; i < n; i++) {
        uint32_t to = bench->graph->edges[edges[i]].to;
        bool shown = i < MAX_HOPS || i + 1 == n;

        if (to >= model->n_ranks && shown)
            text = join(text, " -> ", copy_string("anybody"));
        else if (shown)
            text = join(text, i > MAX_HOPS ? " -> ... -> " : " -> ", format("%ld", model->ranks[to].world));
    }
    return text;
}

static void add_circle_waits(const struct bench *bench, struct finding *finding, const uint32_t *edges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &bench->model->waits[bench->graph->edges[edges[i]].wait];
        uint32_t owner = owner_of(bench->model, wait);

        if (owner >= bench->model->n_ranks)
            continue;
        add_wait(bench, finding, wait);
        if (!finding->has_communicator && wait->operation != UINT32_MAX)
            set_communicator(finding, bench->model->operations[wait->operation].communicator);
    }
}

static void conclude_circle(struct bench *bench, struct group *group)
{
    uint32_t start = group->nodes[0], *edges;
    struct finding *finding;
    char *who, *circle;
    size_t n;

    edges = graph_circle(bench->graph, start, &n);
    if (edges == NULL)
        return;
    finding = add_finding(bench, FINDING_DEADLOCK, !group->guessed);
    set_ranks(finding, group->ranks);
    group->ranks = (struct ranks){0};
    add_circle_waits(bench, finding, edges, n);
    circle = say_circle(bench, edges, n, start);
    who = phrase(finding->ranks, finding->n_ranks, "waits for itself", "wait for each other");
    finding->sentence = format("%s: %s.", who, circle);
    free(who);
    free(circle);
    free(edges);
}

static void conclude_group(struct bench *bench, uint32_t component)
{
    struct group group = find_group(bench, component);

    if (group.n_nodes > 0) {
        find_unanswered(bench, &group, mqs_pending_receives);
        find_unanswered(bench, &group, mqs_pending_sends);
        if (group.collective)
            conclude_collectives(bench, &group);
        else
            conclude_circle(bench, &group);
    }
    free(group.ranks.ranks);
    free(group.nodes);
}

/* Ranks that take their time, and those of which nothing is known. */

struct dependants {
    struct ranks ranks, causes;
};

/* Who stops if these do not get on, and for whom of them he waits. */
static struct dependants find_dependants(const struct bench *bench, const bool *before, const bool *after,
                                         bool absent, struct finding *finding)
{
    const struct model *model = bench->model;
    struct dependants found = {.ranks = {0}};

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_BLOCKED && before[i] && !after[i])
            add_rank(&found.ranks, model->ranks[i].world);
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        uint32_t owner = owner_of(model, wait);
        bool is_cause = absent ? wait->target == NODE_ABSENT
                               : wait->target >= 0 && wait->target < (int64_t)model->n_ranks &&
                                     model->ranks[wait->target].phase == PHASE_BUSY;

        if (!is_cause || !before[owner] || after[owner])
            continue;
        if (wait->world >= 0)
            add_rank(&found.causes, wait->world);
        if (owner < model->n_ranks)
            add_wait(bench, finding, wait);
    }
    return found;
}

static void drop_finding(struct bench *bench, struct finding *finding, struct dependants *found)
{
    for (size_t i = 0; i < finding->n_details; i++)
        free(finding->details[i]);
    free(finding->details);
    free(finding->evidence);
    free(found->ranks.ranks);
    free(found->causes.ranks);
    bench->verdict->n--;
}

static void conclude_dependants(struct bench *bench, const bool *before, const bool *after, bool absent)
{
    struct finding *finding = add_finding(bench, absent ? FINDING_NOT_READ : FINDING_BUSY, false);
    struct dependants found = find_dependants(bench, before, after, absent, finding);
    char *who, *whom;

    if (found.ranks.n == 0 || (found.causes.n == 0 && !absent)) {
        drop_finding(bench, finding, &found);
        return;
    }
    set_ranks(finding, found.ranks);
    set_causes(finding, found.causes);
    who = phrase(finding->ranks, finding->n_ranks, "waits", "wait");
    whom = ranks_phrase(finding->causes, finding->n_causes, "", "");
    if (absent && finding->n_causes == 0)
        finding->sentence = format("%s for processes of other jobs, which are not looked at together.", who);
    else if (absent)
        finding->sentence = format("%s for %s, of which nothing is known.", who, whom);
    else
        finding->sentence = format("%s for %s, which may be stuck or just take %s time.", who, whom,
                                   finding->n_causes == 1 ? "its" : "their");
    for (size_t i = 0; i < finding->n_causes && !absent; i++) {
        size_t rank = model_find_rank(bench->model, finding->causes[i]);

        if (rank != SIZE_MAX)
            add_place_detail(bench, finding, (uint32_t)rank);
    }
    free(who);
    free(whom);
}

/* What shows in the queues of one rank. */

static void conclude_truncated(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->model->n_operations; i++) {
        const struct operation *operation = &bench->model->operations[i];
        struct ranks ranks = {0}, causes = {0};
        struct finding *finding;
        char *what;

        if (!operation->truncated || operation->internal)
            continue;
        finding = add_finding(bench, FINDING_TRUNCATED, true);
        what = say_operation(operation);
        add_rank(&ranks, bench->model->ranks[operation->rank].world);
        if (operation->peer >= 0)
            add_rank(&causes, operation->peer);
        set_ranks(finding, ranks);
        set_causes(finding, causes);
        set_communicator(finding, operation->communicator);
        add_evidence(bench, finding, i);
        finding->sentence = format("Rank %ld's receive got %s, but the message has %ld bytes: it does not fit.",
                                   finding->ranks[0], what, operation->said->actual_length);
        free(what);
    }
}

/* The unexpected messages that one rank has of another, on one communicator. */
struct pile {
    uint32_t rank;
    const struct communicator *communicator;
    long source;
    size_t n;
    double bytes;
    uint32_t example;
};

static void conclude_pile(struct bench *bench, const struct pile *pile)
{
    struct ranks ranks = {0}, causes = {0};
    struct finding *finding;
    char *name;

    if (pile->n < FLOOD_MESSAGES && pile->bytes < flood_bytes)
        return;
    finding = add_finding(bench, FINDING_FLOOD, true);
    name = say_communicator(pile->communicator);
    add_rank(&ranks, bench->model->ranks[pile->rank].world);
    if (pile->source >= 0)
        add_rank(&causes, pile->source);
    set_ranks(finding, ranks);
    set_causes(finding, causes);
    set_communicator(finding, pile->communicator);
    add_evidence(bench, finding, pile->example);
    finding->sentence = format("%zu messages (%.0f bytes) from rank %ld on %s have arrived at rank %ld, which has not "
                               "asked for them.", pile->n, pile->bytes, pile->source, name, finding->ranks[0]);
    add_place_detail(bench, finding, pile->rank);
    free(name);
}

/* The messages of one sender follow each other in the queue, but for those that are out of sequence. */
static void conclude_floods(struct bench *bench)
{
    struct pile pile = {0};

    for (uint32_t i = 0; i < bench->model->n_operations; i++) {
        const struct operation *operation = &bench->model->operations[i];
        bool eager = operation->said->status == mqs_st_complete;

        if (operation->class != mqs_unexpected_messages || operation->internal)
            continue;
        if (pile.n == 0 || pile.rank != operation->rank || pile.communicator != operation->communicator ||
            pile.source != operation->peer) {
            if (pile.n > 0)
                conclude_pile(bench, &pile);
            pile = (struct pile){.rank = operation->rank, .communicator = operation->communicator,
                                 .source = operation->peer, .example = i};
        }
        pile.n++;
        pile.bytes += eager ? (double)operation->said->desired_length : 0;
    }
    if (pile.n > 0)
        conclude_pile(bench, &pile);
}

/* The whole. */

static void note_waiting(struct bench *bench)
{
    const struct graph *graph = bench->graph;
    struct ranks ranks = {0};
    char *who;

    for (uint32_t i = 0; i < bench->model->n_ranks; i++)
        if (graph->component[i] != UINT32_MAX && graph->leaves[graph->component[i]] &&
            !graph->never[graph->component[i]])
            add_rank(&ranks, bench->model->ranks[i].world);
    if (ranks.n == 0)
        return;
    ranks.n = ranks_sort(ranks.ranks, ranks.n);
    who = phrase(ranks.ranks, ranks.n, "waits", "wait");
    add_note(bench->verdict, format("%s for these, directly or through others.", who));
    free(who);
    free(ranks.ranks);
}

static void note_unknown(struct bench *bench)
{
    const struct model *model = bench->model;
    struct ranks ranks = {0};
    char *who;

    for (uint32_t i = 0; i < model->n_ranks; i++)
        if (model->ranks[i].phase == PHASE_UNKNOWN)
            add_rank(&ranks, model->ranks[i].world);
    if (ranks.n > 0) {
        ranks.n = ranks_sort(ranks.ranks, ranks.n);
        who = phrase(ranks.ranks, ranks.n, "is", "are");
        add_note(bench->verdict, format("%s not known well enough to say what %s.", who,
                                        ranks.n == 1 ? "it waits for" : "they wait for"));
        free(who);
    }
    free(ranks.ranks);
    if (model->world_size > (long)model->n_ranks)
        add_note(bench->verdict, format("%ld of %ld ranks of MPI_COMM_WORLD were not given: what they do is not known.",
                                        model->world_size - (long)model->n_ranks, model->world_size));
}

static void conclude(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->graph->n_components; i++)
        if (!bench->graph->leaves[i] && !bench->graph->never[i])
            conclude_group(bench, i);
    finish_sorts(bench);
    conclude_gone(bench, PHASE_ENDED);
    conclude_gone(bench, PHASE_FINALIZED);
    conclude_truncated(bench);
    conclude_floods(bench);
}

static void reach_for_job(struct verdict *verdict, const struct seat *seats, size_t n)
{
    struct model model;
    struct graph graph;
    bool *live, *with_busy_stuck, *with_absent_stuck;
    struct bench bench = {.verdict = verdict, .model = &model, .job = seats[0].job, .graph = &graph};

    model_build(&model, seats, n);
    model_find_waits(&model);
    live = model_who_lives(&model, true, true);
    with_busy_stuck = model_who_lives(&model, false, true);
    with_absent_stuck = model_who_lives(&model, false, false);
    bench.live = live;
    bench.told = allocate(model.n_operations + 1, sizeof *bench.told);
    graph_build(&graph, &model, live);
    conclude(&bench);
    conclude_dependants(&bench, live, with_busy_stuck, false);
    conclude_dependants(&bench, with_busy_stuck, with_absent_stuck, true);
    note_waiting(&bench);
    note_unknown(&bench);
    graph_clear(&graph);
    free(bench.told);
    free(live);
    free(with_busy_stuck);
    free(with_absent_stuck);
    model_clear(&model);
}

/* Seats. */

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    int order = strcmp(x->job, y->job);

    return order != 0 ? order : (x->world > y->world) - (x->world < y->world);
}

/* The only job, NULL if there are several; "" if none has a name. */
static const char *only_job(const struct witness *witnesses, size_t n)
{
    const char *only = "";

    for (size_t i = 0; i < n; i++) {
        if (witnesses[i].job == NULL)
            continue;
        if (*only != '\0' && strcmp(only, witnesses[i].job) != 0)
            return NULL;
        only = witnesses[i].job;
    }
    return only;
}

static long world_size(const struct seat *seats, size_t n)
{
    long size = 0;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = seats[i].witness->listing;

        for (size_t k = 0; k < listing->n; k++)
            if (listing->communicators[k].unique_id == 0 && listing->communicators[k].size > size)
                size = listing->communicators[k].size;
    }
    return size;
}

/*
 * What has ended does not tell its rank any more. If as many ranks are missing as have ended, it was these. `seats` are
 * in order and have room for n_ended more; returns how many there are then.
 */
static size_t seat_ended(struct seat *seats, size_t n, const struct witness *const *ended, size_t n_ended)
{
    long size = world_size(seats, n);
    size_t n_seats = n, at = 0;

    if (n_ended == 0 || (long)n >= size || size - (long)n != (long)n_ended)
        return n;
    for (long rank = 0; rank < size && n_seats < n + n_ended; rank++) {
        while (at < n && seats[at].world < rank)
            at++;
        if (at == n || seats[at].world != rank) {
            seats[n_seats] = (struct seat){ended[n_seats - n], rank, seats[0].job, true};
            n_seats++;
        }
    }
    return n_seats;
}

/* Of two that claim the same rank it is not known who it is: neither speaks. Returns how many are left. */
static size_t drop_doubles(struct seat *seats, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n;) {
        size_t last = i;

        while (last + 1 < n && compare_seats(&seats[i], &seats[last + 1]) == 0)
            last++;
        if (last == i)
            seats[n_left++] = seats[i];
        i = last + 1;
    }
    return n_left;
}

/* Many of one kind, from as many groups of ranks, are one after the first ones. */

static void append_ranks(long **ranks, size_t *n, const long *more, size_t n_more)
{
    long *all = allocate(*n + n_more + 1, sizeof *all);

    if (*n > 0)
        memcpy(all, *ranks, *n * sizeof *all);
    if (n_more > 0)
        memcpy(all + *n, more, n_more * sizeof *all);
    free(*ranks);
    *ranks = all;
    *n += n_more;
}

static void free_finding(struct finding *finding)
{
    for (size_t i = 0; i < finding->n_details; i++)
        free(finding->details[i]);
    free(finding->details);
    free(finding->ranks);
    free(finding->causes);
    free(finding->communicator_name);
    free(finding->evidence);
    free(finding->sentence);
}

/* Several findings as one, in the place of the first of them, which keeps its evidence. */
static void merge_findings(struct finding *findings, size_t n)
{
    struct finding *first = &findings[0];
    char *who;

    for (size_t i = 1; i < n; i++) {
        append_ranks(&first->ranks, &first->n_ranks, findings[i].ranks, findings[i].n_ranks);
        append_ranks(&first->causes, &first->n_causes, findings[i].causes, findings[i].n_causes);
        free_finding(&findings[i]);
    }
    first->n_ranks = ranks_sort(first->ranks, first->n_ranks);
    first->n_causes = ranks_sort(first->causes, first->n_causes);
    for (size_t i = 0; i < first->n_details; i++)
        free(first->details[i]);
    first->n_details = 0;
    first->has_communicator = false;
    who = ranks_phrase(first->ranks, first->n_ranks, "", "");
    free(first->sentence);
    first->sentence = format("The same %zu times more, with %s.", n, who);
    free(who);
}

static bool is_of_same_kind(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->certain == b->certain && strcmp(a->job, b->job) == 0;
}

/* The findings are in order. */
static void merge_many(struct verdict *verdict)
{
    size_t n_left = 0;

    for (size_t i = 0; i < verdict->n;) {
        size_t end = i + 1, n_kept;

        while (end < verdict->n && is_of_same_kind(&verdict->findings[i], &verdict->findings[end]))
            end++;
        n_kept = end - i > MAX_OF_KIND ? MAX_OF_KIND : end - i;
        if (n_kept < end - i)
            merge_findings(&verdict->findings[i + n_kept - 1], end - i - n_kept + 1);
        for (size_t k = 0; k < n_kept; k++)
            verdict->findings[n_left++] = verdict->findings[i + k];
        i = end;
    }
    verdict->n = n_left;
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->certain != y->certain)
        return x->certain ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (strcmp(x->job, y->job) != 0)
        return strcmp(x->job, y->job);
    if (x->n_ranks == 0 || y->n_ranks == 0)
        return 0;
    return (x->ranks[0] > y->ranks[0]) - (x->ranks[0] < y->ranks[0]);
}

/* Seats of those whose rank is known, in order, and the ended ones whose rank is not. Returns how many seats there are. */
static size_t take_seats(struct seat *seats, const struct witness **ended, const struct witness *witnesses, size_t n)
{
    const char *only = only_job(witnesses, n);
    size_t n_seats = 0, n_ended = 0;

    for (size_t i = 0; i < n; i++) {
        const char *job = witnesses[i].job != NULL ? witnesses[i].job : only != NULL ? only : "";

        if (witnesses[i].listing->rank >= 0)
            seats[n_seats++] = (struct seat){&witnesses[i], witnesses[i].listing->rank, job, false};
        else if (witnesses[i].ended)
            ended[n_ended++] = &witnesses[i];
    }
    if (n_seats > 1)
        qsort(seats, n_seats, sizeof *seats, compare_seats);
    n_seats = drop_doubles(seats, n_seats);
    if (only != NULL && n_seats > 0)
        n_seats = seat_ended(seats, n_seats, ended, n_ended);
    return n_seats;
}

void verdict_reach(struct verdict *verdict, const struct witness *witnesses, size_t n)
{
    struct seat *seats = allocate(n + 1, sizeof *seats);
    const struct witness **ended = allocate(n + 1, sizeof *ended);
    size_t n_seats, end;

    verdict_clear(verdict);
    n_seats = take_seats(seats, ended, witnesses, n);
    for (size_t i = 0; i < n_seats; i = end) {
        for (end = i + 1; end < n_seats && strcmp(seats[i].job, seats[end].job) == 0; end++)
            continue;
        reach_for_job(verdict, &seats[i], end - i);
    }
    if (verdict->n > 1)
        qsort(verdict->findings, verdict->n, sizeof *verdict->findings, compare_findings);
    merge_many(verdict);
    free(seats);
    free(ended);
}

void verdict_clear(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n; i++)
        free_finding(&verdict->findings[i]);
    for (size_t i = 0; i < verdict->n_notes; i++)
        free(verdict->notes[i]);
    free(verdict->findings);
    free(verdict->notes);
    *verdict = (struct verdict){0};
}

bool finding_rests_on_time(const struct finding *finding)
{
    return finding->kind == FINDING_BUSY || finding->kind == FINDING_NOT_READ;
}

const char *finding_heading(enum finding_kind kind)
{
    static const char *const headings[N_FINDING_KINDS] = {
        [FINDING_ENDED] = "Ended process", [FINDING_FINALIZED] = "Finalized process", [FINDING_TAG] = "Wrong tag",
        [FINDING_COMMUNICATOR] = "Wrong communicator", [FINDING_SOURCE] = "Wrong source",
        [FINDING_DESTINATION] = "Wrong destination", [FINDING_TRUNCATED] = "Message too long",
        [FINDING_COLLECTIVES_DIFFER] = "Different collectives", [FINDING_NO_SEND] = "Receive without send",
        [FINDING_NO_RECEIVE] = "Send without receive", [FINDING_COLLECTIVE_MISSING] = "Incomplete collective",
        [FINDING_DEADLOCK] = "Deadlock", [FINDING_BUSY] = "Busy rank", [FINDING_NOT_READ] = "Unknown rank",
        [FINDING_FLOOD] = "Flood of messages",
    };

    return headings[kind];
}

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[N_FINDING_KINDS] = {
        [FINDING_ENDED] = "process_ended", [FINDING_FINALIZED] = "process_finalized", [FINDING_TAG] = "tag_mismatch",
        [FINDING_COMMUNICATOR] = "communicator_mismatch", [FINDING_SOURCE] = "source_mismatch",
        [FINDING_DESTINATION] = "destination_mismatch", [FINDING_TRUNCATED] = "truncated",
        [FINDING_COLLECTIVES_DIFFER] = "collectives_differ", [FINDING_NO_SEND] = "receive_without_send",
        [FINDING_NO_RECEIVE] = "send_without_receive", [FINDING_COLLECTIVE_MISSING] = "collective_incomplete",
        [FINDING_DEADLOCK] = "deadlock", [FINDING_BUSY] = "waits_for_busy", [FINDING_NOT_READ] = "waits_for_unknown",
        [FINDING_FLOOD] = "flood",
    };

    return names[kind];
}
