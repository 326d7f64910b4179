/*
 * near_miss.c - finds the message that comes nearest to one that does not come, for receives and sends that nobody
 * answers.
 */
#include "mqd/dump/verdict/near_miss.h"

#include <stdint.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/verdict/say.h"

struct near_miss {
    enum finding_kind kind;
    uint32_t operation;            /* the one that comes nearest */
};

static bool is_user_message(const struct model *model, uint32_t i)
{
    return !model->operations[i].internal;
}

/* The first message of the program that agrees in the first n_numbers numbers, and in no more. */
static uint32_t find_message(const struct conclusion *conclusion, const struct keys *keys, const int64_t *numbers,
                             size_t n, const int64_t *but)
{
    for (size_t i = keys_find(keys, numbers, n); keys_agree(keys, i, numbers, n); i++)
        if (is_user_message(conclusion->model, keys->keys[i].operation) &&
            (but == NULL || keys->keys[i].numbers[n] != *but))
            return keys->keys[i].operation;
    return UINT32_MAX;
}

static bool miss_of_receive(const struct conclusion *conclusion, const struct operation *receive,
                            struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    int64_t here = model->ranks[receive->rank].id, id = (int64_t)receive->communicator->unique_id;
    int64_t source = receive->peer, tag = receive->tag;

    miss->kind = FINDING_TAG;
    miss->operation =
        source == PEER_ANY
            ? find_message(conclusion, &model->messages_by_tag, (int64_t[]){here, id}, 2, &tag)
            : find_message(conclusion, &model->messages_by_source, (int64_t[]){here, id, source}, 3, &tag);
    if (miss->operation != UINT32_MAX || source == PEER_ANY)
        return miss->operation != UINT32_MAX;
    miss->kind = FINDING_COMMUNICATOR;
    miss->operation =
        tag == TAG_ANY
            ? find_message(conclusion, &model->messages_by_pair, (int64_t[]){here, source}, 2, NULL)
            : find_message(conclusion, &model->messages_by_pair, (int64_t[]){here, source, tag}, 3, &id);
    if (miss->operation != UINT32_MAX || tag == TAG_ANY)
        return miss->operation != UINT32_MAX;
    miss->kind = FINDING_SOURCE;
    miss->operation = find_message(conclusion, &model->messages_by_tag, (int64_t[]){here, id, tag}, 3, &source);
    if (miss->operation != UINT32_MAX)
        return true;
    miss->kind = FINDING_DESTINATION;
    miss->operation = find_message(conclusion, &model->messages_sent, (int64_t[]){source, id, tag}, 3, &here);
    return miss->operation != UINT32_MAX;
}

static bool is_posted_by_program(const struct operation *receive)
{
    return !receive->internal && receive->said->status == mqs_st_pending;
}

/* Finds a receive that the other side has posted for another tag. */
static bool miss_in_tag(const struct conclusion *conclusion, const struct operation *send, struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    const struct keys *keys = &model->receives;
    const int64_t here = model->ranks[send->rank].id, id = (int64_t)send->communicator->unique_id;
    const int64_t sources[2] = {here, PEER_ANY};

    miss->kind = FINDING_TAG;
    for (int s = 0; s < 2; s++) {
        const int64_t numbers[3] = {send->peer, id, sources[s]};

        for (size_t i = keys_find(keys, numbers, 3); keys_agree(keys, i, numbers, 3); i++) {
            miss->operation = keys->keys[i].operation;
            if (is_posted_by_program(&model->operations[miss->operation]))
                return true;
        }
    }
    return false;
}

/* Finds one that it has posted for this source and tag: on the same communicator it would be the one. */
static bool miss_in_communicator(const struct conclusion *conclusion, const struct operation *send,
                                 struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    const struct keys *keys = &model->receives;
    const int64_t here = model->ranks[send->rank].id;

    miss->kind = FINDING_COMMUNICATOR;
    for (size_t i = keys_find(keys, &(int64_t){send->peer}, 1); keys_agree(keys, i, &(int64_t){send->peer}, 1); i++) {
        const int64_t *numbers = keys->keys[i].numbers;

        miss->operation = keys->keys[i].operation;
        if (numbers[2] == here && numbers[3] == send->tag &&
            is_posted_by_program(&model->operations[miss->operation]))
            return true;
    }
    return false;
}

static bool miss_of_send(const struct conclusion *conclusion, const struct operation *send, struct near_miss *miss)
{
    return miss_in_tag(conclusion, send, miss) || miss_in_communicator(conclusion, send, miss);
}

/* Near misses of the same kind at the same place are one finding. */
struct near_miss_kind {
    enum finding_kind kind;
    int class;
    const struct call *call;
    long wanted, found;
    mqs_taddr_t communicator;
    size_t finding;
    struct rank_set ranks, causes;
    struct rank_set gone;          /* of these, which have ended or left MPI */
};

static bool is_same_kind_of_miss(const struct near_miss_kind *a, const struct near_miss_kind *b)
{
    return a->kind == b->kind && a->class == b->class && a->wanted == b->wanted && a->found == b->found &&
           a->communicator == b->communicator && is_same_place(a->call, b->call);
}

static long miss_found(const struct conclusion *conclusion, const struct near_miss *miss)
{
    const struct operation *operation = &conclusion->model->operations[miss->operation];

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

/* Describes the message that comes nearest, as the waiting rank sees it. */
static char *say_miss(const struct conclusion *conclusion, const struct near_miss *miss)
{
    const struct operation *missed = &conclusion->model->operations[miss->operation];
    OWNED char *what = say_operation(conclusion->model, missed);
    OWNED char *who = say_rank(conclusion->model, conclusion->model->ranks[missed->rank].id);

    if (missed->class == mqs_unexpected_messages)
        return format_text("%s has arrived at %s and nobody has asked for it: %s.", say_capital(what), who,
                           say_difference(miss->kind));
    if (missed->class == mqs_pending_sends)
        return format_text("%s sends %s: %s.", say_capital(who), what, say_difference(miss->kind));
    return format_text("%s has a receive for %s: %s.", say_capital(who), what, say_difference(miss->kind));
}

static struct near_miss_kind *find_kind_of_miss(struct conclusion *conclusion, const struct near_miss_kind *sought)
{
    for (size_t i = 0; i < conclusion->n_kinds; i++)
        if (is_same_kind_of_miss(&conclusion->kinds[i], sought))
            return &conclusion->kinds[i];
    APPEND(conclusion->kinds, conclusion->n_kinds, conclusion->kind_room, *sought);
    conclusion->kinds[conclusion->n_kinds - 1].finding = conclusion->verdict->n;
    finding_add(conclusion, sought->kind, true);
    return &conclusion->kinds[conclusion->n_kinds - 1];
}

static void note_gone(struct near_miss_kind *kind, const struct model *model, long id)
{
    size_t rank = model_find_rank(model, id);

    if (rank != SIZE_MAX && model->ranks[rank].phase == PHASE_FINALIZED)
        rank_set_add(&kind->gone, id);
}

/* Adds a wait of the program with the message that comes nearest; if there is none, as a finding of the given kind. */
static void note_unanswered(struct conclusion *conclusion, const struct wait *wait, const struct near_miss *miss,
                            bool certain)
{
    const struct operation *operation = &conclusion->model->operations[wait->operation];
    const struct call *call = conclusion->model->conditions[wait->condition].call;
    const struct model_rank *rank = &conclusion->model->ranks[operation->rank];
    struct near_miss_kind sought = {.kind = miss->kind,
                                    .class = operation->class,
                                    .call = call,
                                    .wanted = operation->tag,
                                    .communicator = operation->communicator->unique_id};
    struct finding *finding;
    struct near_miss_kind *kind;

    if (miss->operation != UINT32_MAX)
        sought.found = miss_found(conclusion, miss);
    kind = find_kind_of_miss(conclusion, &sought);
    finding = &conclusion->verdict->findings[kind->finding];
    finding->certain &= certain;
    rank_set_add(&kind->ranks, rank->id);
    note_gone(kind, conclusion->model, operation->peer);
    if (operation->peer >= 0)
        rank_set_add(&kind->causes, operation->peer);
    finding_add_evidence(conclusion, finding, wait->operation);
    if (miss->operation != UINT32_MAX)
        finding_add_evidence(conclusion, finding, miss->operation);
    if (finding->sentence != NULL)
        return;
    finding->sentence = say_rank_wait(conclusion, wait);
    finding_set_communicator(finding, operation->communicator);
    if (miss->operation != UINT32_MAX)
        finding_add_detail(finding, say_miss(conclusion, miss));
}

/* Certainty. */

/* The number of conditions of each rank. */
static size_t *count_conditions(const struct model *model)
{
    size_t *n = allocate_array(model_n_nodes(model) + 1, sizeof *n);

    for (size_t i = 0; i < model->n_conditions; i++)
        n[model->conditions[i].owner]++;
    return n;
}

/* Finds the operations without which their rank does not go on. */
static void find_needed(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;
    OWNED size_t *n_conditions = NULL;

    if (conclusion->needed != NULL)
        return;
    n_conditions = count_conditions(model);
    conclusion->needed = allocate_array(model->n_operations + 1, sizeof *conclusion->needed);
    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        const struct condition *condition = &model->conditions[wait->condition];

        if (wait->operation != UINT32_MAX && condition->owner < model->n_ranks &&
            n_conditions[condition->owner] == 1 && (condition->all || condition->n_waits == 1))
            conclusion->needed[wait->operation] = !model->ranks[condition->owner].guessed;
    }
}

/* Is the message that comes nearest to a receive one that its sender waits for, and nothing else of its own comes? */
static bool is_face_to_face(struct conclusion *conclusion, const struct operation *receive,
                            const struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    const struct operation *message = &model->operations[miss->operation];
    const int64_t numbers[4] = {model->ranks[receive->rank].id, (int64_t)message->communicator->unique_id,
                                receive->peer, message->tag};

    find_needed(conclusion);
    if (!conclusion->needed[receive - model->operations])
        return false;
    for (size_t i = keys_find(&model->messages_by_source, numbers, 4);
         keys_agree(&model->messages_by_source, i, numbers, 4); i++)
        if (conclusion->needed[model->messages_by_source.keys[i].operation])
            return true;
    return false;
}

static bool may_be_proved(const struct near_miss *miss)
{
    return miss->kind == FINDING_TAG || miss->kind == FINDING_COMMUNICATOR;
}

/*
 * A receive and a send that nearly match are reported once: receives are examined before sends.
 */
void near_misses_find(struct conclusion *conclusion, const struct wait *wait, bool collective, bool certain)
{
    const struct operation *operation = &conclusion->model->operations[wait->operation];
    bool is_send = operation->class == mqs_pending_sends;
    struct near_miss miss = {.operation = UINT32_MAX};

    if (is_send ? !miss_of_send(conclusion, operation, &miss) : !miss_of_receive(conclusion, operation, &miss)) {
        miss = (struct near_miss){is_send ? FINDING_NO_RECEIVE : FINDING_NO_SEND, UINT32_MAX};
        if (!collective)
            return;
    }
    if (miss.operation != UINT32_MAX && is_send && conclusion->told[miss.operation])
        return;
    conclusion->told[wait->operation] = true;
    if (miss.operation != UINT32_MAX)
        certain = certain && !is_send && may_be_proved(&miss) && is_face_to_face(conclusion, operation, &miss);
    note_unanswered(conclusion, wait, &miss, certain);
}

bool near_miss_of_gone(struct conclusion *conclusion, const struct wait *wait, bool certain, bool all_left)
{
    const struct operation *operation = &conclusion->model->operations[wait->operation];
    struct near_miss miss = {.operation = UINT32_MAX};
    bool is_reason;

    if (operation->class != mqs_pending_receives || operation->internal ||
        !miss_of_receive(conclusion, operation, &miss))
        return false;
    is_reason = all_left && may_be_proved(&miss);
    if (!conclusion->told[wait->operation])
        note_unanswered(conclusion, wait, &miss, certain && is_reason);
    conclusion->told[wait->operation] = true;
    return is_reason;
}

/* Does a rank wait for a rank of another group that is stuck? */
static bool waits_for_stuck(const struct conclusion *conclusion, const struct wait *wait)
{
    const struct graph *graph = conclusion->graph;
    uint32_t owner = model_owner(conclusion->model, wait), component = graph->component[owner];

    return owner < conclusion->model->n_ranks && component != UINT32_MAX && graph->leaves[component] &&
           !graph->never[component] && wait->target >= 0 && !lives(conclusion, (size_t)wait->target);
}

void near_misses_of_dependants(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        const struct operation *operation =
            wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
        struct near_miss miss = {.operation = UINT32_MAX};

        if (operation == NULL || operation->class != mqs_pending_receives || operation->internal ||
            !waits_for_stuck(conclusion, wait) || !miss_of_receive(conclusion, operation, &miss) ||
            miss.kind != FINDING_DESTINATION)
            continue;
        note_unanswered(conclusion, wait, &miss, false);
    }
}

static void say_gone(const struct conclusion *conclusion, struct finding *finding, struct rank_set *gone)
{
    OWNED char *who = NULL;

    if (gone->n == 0)
        return;
    gone->n = ranks_sort(gone->ranks, gone->n);
    who = say_ranks(conclusion, gone->ranks, gone->n, "is in MPI_Finalize or past it, and sends nothing more",
                    "are in MPI_Finalize or past it, and send nothing more");
    finding_add_detail(finding, format_text("%s.", who));
    rank_set_clear(gone);
}

void near_misses_finish(struct conclusion *conclusion)
{
    for (size_t i = 0; i < conclusion->n_kinds; i++) {
        struct near_miss_kind *kind = &conclusion->kinds[i];
        struct finding *finding = &conclusion->verdict->findings[kind->finding];

        finding_set_ranks(finding, kind->ranks);
        finding_set_causes(finding, kind->causes);
        if (finding->n_ranks > 1) {
            OWNED char *all = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");

            finding_add_detail(finding, format_text("%s at the same place in the same way.", all));
        }
        say_gone(conclusion, finding, &kind->gone);
        if (!finding->certain && kind->kind != FINDING_NO_SEND && kind->kind != FINDING_NO_RECEIVE)
            finding_add_detail(finding, copy_string("This comes nearest; whether it was meant is not known."));
    }
    FREE_ALL(conclusion->kinds, conclusion->needed);
}
