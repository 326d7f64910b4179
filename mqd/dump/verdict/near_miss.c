/*
 * near_miss.c - finds the message that comes nearest to one that does not come, for receives and sends that nobody
 * answers.
 */
#include "mqd/dump/verdict/near_miss.h"

#include <stdint.h>

#include "mqd/dump/base/memory.h"

struct near_miss {
    enum finding_kind kind;
    uint32_t operation;            /* the one that comes nearest */
};

/* The first message of the program that agrees in the first n_numbers numbers, and in no more. */
static uint32_t find_message(const struct conclusion *conclusion, const struct keys *keys, const int64_t *numbers,
                             size_t n, const int64_t *but)
{
    for (size_t i = keys_find(keys, numbers, n); keys_agree(keys, i, numbers, n); i++)
        if (!conclusion->model->operations[keys->keys[i].operation].internal &&
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
    const struct {
        enum finding_kind kind;
        bool is_sought;
        const struct keys *keys;
        int64_t numbers[3];
        size_t n;
        const int64_t *but;
    } misses[] = {
        {FINDING_TAG, source == PEER_ANY, &model->messages_by_tag, {here, id}, 2, &tag},
        {FINDING_TAG, source != PEER_ANY, &model->messages_by_source, {here, id, source}, 3, &tag},
        {FINDING_COMMUNICATOR, source != PEER_ANY && tag == TAG_ANY, &model->messages_by_pair, {here, source}, 2, NULL},
        {FINDING_COMMUNICATOR, source != PEER_ANY && tag != TAG_ANY, &model->messages_by_pair, {here, source, tag}, 3,
         &id},
        {FINDING_SOURCE, source != PEER_ANY && tag != TAG_ANY, &model->messages_by_tag, {here, id, tag}, 3, &source},
        {FINDING_DESTINATION, source != PEER_ANY && tag != TAG_ANY, &model->messages_sent, {source, id, tag}, 3, &here},
    };

    miss->operation = UINT32_MAX;
    for (size_t i = 0; i < sizeof misses / sizeof *misses && miss->operation == UINT32_MAX; i++) {
        miss->kind = misses[i].kind;
        if (misses[i].is_sought)
            miss->operation =
                find_message(conclusion, misses[i].keys, misses[i].numbers, misses[i].n, misses[i].but);
    }
    return miss->operation != UINT32_MAX;
}

/*
 * Finds a receive that the program on the other side has posted for another tag; or for this source and tag: on the
 * same communicator it would be the one.
 */
static bool miss_of_send(const struct conclusion *conclusion, const struct operation *send, struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    const struct keys *keys = &model->receives;
    const int64_t here = model->ranks[send->rank].id, id = (int64_t)send->communicator->unique_id;
    const int64_t sought[][3] = {{send->peer, id, here}, {send->peer, id, PEER_ANY}, {send->peer}};
    enum { N = sizeof sought / sizeof *sought };

    for (size_t s = 0; s < N; s++) {
        size_t n = s < N - 1 ? 3 : 1;

        miss->kind = s < N - 1 ? FINDING_TAG : FINDING_COMMUNICATOR;
        for (size_t i = keys_find(keys, sought[s], n); keys_agree(keys, i, sought[s], n); i++) {
            const struct operation *receive = &model->operations[keys->keys[i].operation];

            miss->operation = keys->keys[i].operation;
            if (!receive->internal && receive->said->status == mqs_st_pending &&
                (n > 1 || (receive->peer == here && receive->tag == send->tag)))
                return true;
        }
    }
    return false;
}

/* What differs from the message that is waited for. */
static long what_differs(enum finding_kind kind, const struct operation *nearest)
{
    if (nearest == NULL || (kind != FINDING_TAG && kind != FINDING_COMMUNICATOR))
        return 0;
    return kind == FINDING_TAG ? nearest->tag : (long)nearest->communicator->unique_id;
}

/* Near misses of the same kind at the same place are one finding. */
static bool is_alike(const struct model *model, const struct finding *finding, enum finding_kind kind,
                     const struct wait *wait, const struct operation *nearest)
{
    const struct operation *sought = &model->operations[wait->operation], *has;
    const struct wait *before = finding->facts.wait;

    if (finding->facts.claim != CLAIM_UNANSWERED || finding->kind != kind)
        return false;
    has = &model->operations[before->operation];
    return has->class == sought->class && has->tag == sought->tag &&
           has->communicator->unique_id == sought->communicator->unique_id &&
           what_differs(kind, finding->facts.operation) == what_differs(kind, nearest) &&
           is_same_place(model->conditions[before->condition].call, model->conditions[wait->condition].call);
}

static struct finding *find_alike(const struct conclusion *conclusion, enum finding_kind kind, const struct wait *wait,
                                  const struct operation *nearest)
{
    for (size_t i = conclusion->first_finding; i < conclusion->verdict->n; i++)
        if (is_alike(conclusion->model, &conclusion->verdict->findings[i], kind, wait, nearest))
            return &conclusion->verdict->findings[i];
    return NULL;
}

/* Adds a wait of the program with the message that comes nearest; if there is none, as a finding of the given kind. */
static void add_unanswered(struct conclusion *conclusion, const struct wait *wait, const struct near_miss *miss,
                           bool certain)
{
    const struct operation *operation = &conclusion->model->operations[wait->operation];
    const struct operation *nearest =
        miss->operation != UINT32_MAX ? &conclusion->model->operations[miss->operation] : NULL;
    struct finding *alike = find_alike(conclusion, miss->kind, wait, nearest);
    struct finding first = finding_of(conclusion, CLAIM_UNANSWERED, true), *finding = alike != NULL ? alike : &first;

    finding->certain &= certain;
    rank_set_add(&finding->facts.who, conclusion->model->ranks[operation->rank].id);
    if (operation->peer >= 0)
        rank_set_add(&finding->facts.whom, operation->peer);
    finding_add_evidence(conclusion, finding, wait->operation);
    if (nearest != NULL)
        finding_add_evidence(conclusion, finding, miss->operation);
    if (alike != NULL)
        return;
    first.kind = miss->kind;
    first.facts.wait = wait;
    first.facts.operation = nearest;
    first.facts.communicator = operation->communicator;
    finding_keep(conclusion, &first);
}

/* Certainty. */

/* Is the message that comes nearest to a receive one that its sender waits for, and nothing else of its own comes? */
static bool is_face_to_face(const struct conclusion *conclusion, const struct operation *receive,
                            const struct near_miss *miss)
{
    const struct model *model = conclusion->model;
    const struct operation *message = &model->operations[miss->operation];
    const int64_t numbers[4] = {model->ranks[receive->rank].id, (int64_t)message->communicator->unique_id,
                                receive->peer, message->tag};
    const struct keys *keys = &model->messages_by_source;

    for (size_t i = keys_find(keys, numbers, 4); keys_agree(keys, i, numbers, 4) && receive->needed; i++)
        if (model->operations[keys->keys[i].operation].needed)
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
    add_unanswered(conclusion, wait, &miss, certain);
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
        add_unanswered(conclusion, wait, &miss, certain && is_reason);
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

void conclude_dependants(struct conclusion *conclusion)
{
    const struct model *model = conclusion->model;

    for (size_t i = 0; i < model->n_waits; i++) {
        const struct wait *wait = &model->waits[i];
        const struct operation *operation = model_operation(model, wait);
        struct near_miss miss;

        if (operation == NULL || operation->class != mqs_pending_receives || operation->internal ||
            !waits_for_stuck(conclusion, wait) || !miss_of_receive(conclusion, operation, &miss) ||
            miss.kind != FINDING_DESTINATION)
            continue;
        add_unanswered(conclusion, wait, &miss, false);
    }
}
