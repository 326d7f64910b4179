/*
 * model.c - a job's ranks and messages, sorted so that matching ones are found quickly.
 */
#include "mqd/dump/verdict/model.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"

/* Ranks. */

static int compare_id(const void *id, const void *rank)
{
    const long wanted = *(const long *)id, found = ((const struct model_rank *)rank)->id;

    return ORDER(wanted, found);
}

size_t model_find_rank(const struct model *model, long id)
{
    const struct model_rank *rank =
        search_array(&id, model->ranks, model->n_ranks, sizeof *model->ranks, compare_id);

    return rank != NULL ? (size_t)(rank - model->ranks) : SIZE_MAX;
}

const struct model_job *model_job_of(const struct model *model, long id)
{
    size_t job = 0;

    while (job + 1 < model->n_jobs && model->jobs[job + 1].base <= id)
        job++;
    return &model->jobs[job];
}

long model_world_rank(const struct model *model, long id)
{
    return id - model_job_of(model, id)->base;
}

static int compare_ids(const void *a, const void *b)
{
    mqs_taddr_t x = (*(const struct communicator *const *)a)->unique_id;
    mqs_taddr_t y = (*(const struct communicator *const *)b)->unique_id;

    return ORDER(x, y);
}

static int compare_unique_id(const void *id, const void *communicator)
{
    const mqs_taddr_t wanted = *(const mqs_taddr_t *)id;
    const mqs_taddr_t found = (*(const struct communicator *const *)communicator)->unique_id;

    return ORDER(wanted, found);
}

static const struct communicator *const *find_communicator(const struct model_rank *rank, mqs_taddr_t unique_id)
{
    return search_array(&unique_id, rank->communicators, rank->n_communicators, sizeof *rank->communicators,
                        compare_unique_id);
}

const struct communicator *model_find_communicator(const struct model *model, size_t rank, mqs_taddr_t unique_id)
{
    const struct communicator *const *found = find_communicator(&model->ranks[rank], unique_id);

    return found != NULL ? *found : NULL;
}

size_t model_communicator_place(const struct model *model, size_t rank, mqs_taddr_t unique_id)
{
    const struct model_rank *owner = &model->ranks[rank];
    const struct communicator *const *found = find_communicator(owner, unique_id);

    return found != NULL ? owner->first_communicator + (size_t)(found - owner->communicators) : SIZE_MAX;
}

/* The id of a process by the name that the debug DLL gives. */
static long id_of_name(const struct model *model, const struct mqd_process_name *name)
{
    for (size_t i = 0; i < model->n_jobs; i++)
        if (model->jobs[i].has_number && model->jobs[i].number == name->job)
            return name->rank >= 0 && name->rank < model->jobs[i].n_ids ? model->jobs[i].base + name->rank
                                                                       : PEER_UNKNOWN;
    return PEER_UNKNOWN;
}

long model_peer(const struct model *model, size_t rank, const struct communicator *communicator, long peer)
{
    if (peer < 0 || peer >= communicator_n_peers(communicator))
        return PEER_UNKNOWN;
    if (communicator->peers != NULL)
        return id_of_name(model, &communicator->peers[peer]);
    if (communicator_is_inter(communicator) || communicator->group == NULL || communicator->group[peer] < 0)
        return PEER_UNKNOWN;
    return model->jobs[model->ranks[rank].job].base + communicator->group[peer];
}

static bool has_same_peers(const struct communicator *a, const struct communicator *b)
{
    long n = communicator_n_peers(a);

    if (n != communicator_n_peers(b))
        return false;
    if (a->peers == NULL || b->peers == NULL)
        return a->peers == b->peers;
    for (long i = 0; i < n; i++)
        if (a->peers[i].job != b->peers[i].job || a->peers[i].rank != b->peers[i].rank)
            return false;
    return true;
}

/* Ranks of one record, and of one look, share what is the same. */
static bool has_same_group(const struct communicator *a, const struct communicator *b)
{
    return a->size == b->size && a->group != NULL && b->group != NULL &&
           (a->group == b->group || memcmp(a->group, b->group, (size_t)a->size * sizeof *a->group) == 0);
}

bool model_same_side(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                     const struct communicator *of_b)
{
    bool inter = communicator_is_inter(of_a);

    if (of_a->unique_id != of_b->unique_id || inter != communicator_is_inter(of_b) || !has_same_peers(of_a, of_b))
        return false;
    /* Members of other jobs are known by name only. `group` has ranks in the job's own MPI_COMM_WORLD. */
    return (model->ranks[a].job == model->ranks[b].job && has_same_group(of_a, of_b)) ||
           (!inter && of_a->peers != NULL);
}

bool model_same_communicator(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                             const struct communicator *of_b)
{
    if (model_same_side(model, a, of_a, b, of_b))
        return true;
    if (!communicator_is_inter(of_a) || !communicator_is_inter(of_b) || of_a->unique_id != of_b->unique_id)
        return false;
    for (long i = 0; i < communicator_n_peers(of_a); i++)
        if (model_peer(model, a, of_a, i) == model->ranks[b].id)
            return true;
    return false;
}

static void order_communicators(struct model_rank *rank, size_t first)
{
    const struct listing *listing = rank->witness->listing;

    rank->n_communicators = listing->n;
    rank->first_communicator = first;
    rank->communicators = allocate_array(listing->n, sizeof *rank->communicators);
    for (size_t i = 0; i < listing->n; i++)
        rank->communicators[i] = &listing->communicators[i];
    SORT(rank->communicators, rank->n_communicators, compare_ids);
}

/* Operations. */

/* For peers of the same job the DLL reports the rank in MPI_COMM_WORLD; others are known by name. */
static long peer_of(const struct model *model, uint32_t rank, const struct communicator *communicator, int class,
                    const struct queued *said, const struct mqd_unknown_description *unknown)
{
    bool arrived = class == mqs_pending_receives && said->status != mqs_st_pending;
    mqs_tword_t local = arrived ? said->actual_local_rank : said->desired_local_rank;
    mqs_tword_t world = arrived ? said->actual_global_rank : said->desired_global_rank;

    if (unknown->peer && !arrived)
        return PEER_UNKNOWN;
    if (local < 0)
        return class == mqs_pending_receives && !arrived ? PEER_ANY : PEER_UNKNOWN;
    return world >= 0 ? model->jobs[model->ranks[rank].job].base + world
                      : model_peer(model, rank, communicator, local);
}

static long tag_of(int class, const struct queued *said)
{
    if (class == mqs_pending_receives && said->status != mqs_st_pending)
        return said->actual_tag;
    return class == mqs_pending_receives && said->tag_wild ? TAG_ANY : said->desired_tag;
}

static enum purpose purpose_of(const struct queued *said)
{
    static const char *const from_root[] = {"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"};

    if (name_begins_with(said->purpose, "non-blocking"))
        return PURPOSE_NONBLOCKING;
    if (strcmp(said->purpose, "MPI_Barrier") == 0)
        return PURPOSE_BARRIER;
    if (IS_ONE_OF(said->purpose, from_root))
        return PURPOSE_FROM_ROOT;
    return name_begins_with(said->purpose, "MPI_") ? PURPOSE_CALL : PURPOSE_UNKNOWN;
}

static struct operation operation_from(const struct model *model, uint32_t rank,
                                       const struct communicator *communicator, int class, size_t i)
{
    const struct queue *queue = &communicator->queues[class];
    const struct queued *said = &queue->operations[i];
    struct operation operation = {.rank = rank, .class = class, .communicator = communicator, .said = said};

    operation.peer = peer_of(model, rank, communicator, class, said, &operation.said->unknown);
    operation.tag = tag_of(class, said);
    operation.collective = said->collective != 0;
    operation.internal = said->internal != 0;
    operation.purpose = purpose_of(said);
    operation.nonblocking = operation.collective && operation.purpose == PURPOSE_NONBLOCKING;
    operation.waited = said->progress == MQD_PROGRESS_waited_for;
    operation.persistent = said->persistent != 0;
    operation.freed = said->freed != 0;
    operation.needs_receiver = said->needs_receiver != 0;
    operation.travels = class == mqs_pending_sends &&
                        (said->status == mqs_st_pending || said->progress == MQD_PROGRESS_in_transit);
    operation.truncated = class == mqs_pending_receives && said->status != mqs_st_pending &&
                          !operation.said->unknown.length && said->actual_length > said->desired_length;
    operation.probe = said->kind == MQD_OPERATION_probe || said->kind == MQD_OPERATION_mprobe;
    operation.vague = said->status == mqs_st_pending && (operation.said->unknown.peer || operation.said->unknown.tag);
    return operation;
}

static void add_operations(struct model *model, uint32_t rank, const struct communicator *communicator, int class)
{
    const struct queue *queue = &communicator->queues[class];

    for (size_t i = 0; i < queue->n && model->n_operations < UINT32_MAX; i++) {
        APPEND(model->operations, model->n_operations, model->operation_room,
               operation_from(model, rank, communicator, class, i));
        model->ranks[rank].has_vague[class] |=
            model->operations[model->n_operations - 1].vague && !model->operations[model->n_operations - 1].probe;
        model->has_vague[class] |= model->ranks[rank].has_vague[class];
    }
}

/* Chooses the call of a thread that waits or polls, else the main thread's. */
static void choose_call(struct model_rank *rank)
{
    const struct calls *calls = rank->witness->calls;

    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const struct call *call = &calls->calls[i];

        if (call->crashed) {
            rank->call = call;
            return;
        }
        if (rank->call == NULL || (call->state == CALL_MPI && rank->call->state != CALL_MPI))
            rank->call = call;
    }
}

static bool is_finalize(const char *function)
{
    return function != NULL && call_kind_of(function) == CALL_FINALIZE;
}

/* The thread in MPI_Finalize. It may be in another MPI function there, which a function of the program has called. */
static const struct call *find_finalize(const struct witness *witness)
{
    for (size_t i = 0; witness->calls != NULL && i < witness->calls->n; i++) {
        const struct call *call = &witness->calls->calls[i];

        if (call->state == CALL_MPI && (is_finalize(call->function) || is_finalize(call->outer)))
            return call;
    }
    return NULL;
}

/* Where only one thread may be in MPI at a time, one that waits there keeps all others from calling MPI. */
static bool has_only_caller(const struct witness *witness)
{
    size_t n = 0;

    for (size_t i = 0; i < witness->calls->n; i++)
        n += witness->calls->calls[i].state == CALL_MPI && !witness->calls->calls[i].runs;
    return witness->listing->one_caller && n == 1;
}

static enum phase phase_of_threads(const struct witness *witness)
{
    bool any = false, none_runs = true;

    if (has_only_caller(witness))
        return PHASE_BLOCKED;
    for (size_t i = 0; i < witness->calls->n; i++) {
        const struct call *call = &witness->calls->calls[i];

        if (call->state == CALL_UNKNOWN)
            return PHASE_UNKNOWN;
        any |= call->state == CALL_MPI;
        none_runs &= !call->runs;
    }
    return any && none_runs ? PHASE_BLOCKED : PHASE_BUSY;
}

/* The phase as far as it does not depend on other ranks: what a rank waits for is found later. */
static enum phase first_phase(struct model_rank *rank)
{
    const struct witness *witness = rank->witness;
    const struct call *finalize = find_finalize(witness);

    if (witness->ended || witness->crashed || witness->missing != NULL)
        return PHASE_ENDED;
    rank->past_finalize = witness->listing->reason == MQD_REASON_finalized && finalize == NULL;
    /* MPI_Finalize first deletes the attributes of MPI_COMM_SELF: the program's functions for that may still send. */
    if (finalize != NULL && finalize->runs)
        return PHASE_BUSY;
    if (rank->past_finalize || (finalize != NULL && is_finalize(finalize->function)))
        return PHASE_FINALIZED;
    if (witness->calls == NULL || !witness->calls->complete || !witness->listing->has_communicators)
        return rank->call != NULL && rank->call->state != CALL_UNKNOWN && witness->calls->complete ? PHASE_BUSY
                                                                                                    : PHASE_UNKNOWN;
    return witness->moved || witness->stopped ? PHASE_BUSY : phase_of_threads(witness);
}

static void add_rank(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct listing *listing = rank->witness->listing;

    order_communicators(rank, index > 0 ? rank[-1].first_communicator + rank[-1].n_communicators : 0);
    rank->first_operation = model->n_operations;
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        for (int class = 0; class < N_QUEUES; class++)
            add_operations(model, index, communicator, class);
    }
    rank->n_operations = model->n_operations - rank->first_operation;
    choose_call(rank);
    rank->phase = first_phase(rank);
}

/* Keys. */

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    for (size_t i = 0; i < 4; i++)
        if (x->numbers[i] != y->numbers[i])
            return ORDER(x->numbers[i], y->numbers[i]);
    return ORDER(x->operation, y->operation);
}

static void add_key(struct keys *keys, uint32_t operation, int64_t a, int64_t b, int64_t c, int64_t d)
{
    APPEND(keys->keys, keys->n, keys->room, (struct key){.numbers = {a, b, c, d}, .operation = operation});
}

static void sort_keys(struct keys *keys)
{
    SORT(keys->keys, keys->n, compare_keys);
}

bool keys_agree(const struct keys *keys, size_t i, const int64_t *numbers, size_t n_numbers)
{
    if (i >= keys->n)
        return false;
    for (size_t k = 0; k < n_numbers; k++)
        if (keys->keys[i].numbers[k] != numbers[k])
            return false;
    return true;
}

static bool key_before(const struct key *key, const int64_t *numbers, size_t n_numbers)
{
    for (size_t k = 0; k < n_numbers; k++)
        if (key->numbers[k] != numbers[k])
            return key->numbers[k] < numbers[k];
    return false;
}

size_t keys_find(const struct keys *keys, const int64_t *numbers, size_t n_numbers)
{
    size_t low = 0, high = keys->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (key_before(&keys->keys[middle], numbers, n_numbers))
            low = middle + 1;
        else
            high = middle;
    }
    return keys_agree(keys, low, numbers, n_numbers) ? low : keys->n;
}

/* A rendezvous that has arrived is in two queues, as its send and as a message. Both have equal keys. */
static void index_message(struct model *model, uint32_t i)
{
    const struct operation *operation = &model->operations[i];
    bool is_send = operation->class == mqs_pending_sends;
    long here = model->ranks[operation->rank].id;
    long source = is_send ? here : operation->peer, destination = is_send ? operation->peer : here;
    int64_t id = (int64_t)operation->communicator->unique_id;

    if (operation->peer < 0 || (is_send && !operation->travels))
        return;
    add_key(&model->messages_by_source, i, destination, id, source, operation->tag);
    add_key(&model->messages_by_tag, i, destination, id, operation->tag, source);
    add_key(&model->messages_by_pair, i, destination, source, operation->tag, id);
    add_key(&model->messages_sent, i, source, id, operation->tag, destination);
}

static void index_operations(struct model *model)
{
    for (uint32_t i = 0; i < model->n_operations; i++) {
        const struct operation *operation = &model->operations[i];

        if (operation->nonblocking)
            add_key(&model->parts, i, (int64_t)operation->communicator->unique_id, operation->tag, operation->rank, 0);
        if (operation->class != mqs_pending_receives)
            index_message(model, i);
        else if (operation->said->status != mqs_st_complete && !operation->probe)
            add_key(&model->receives, i, model->ranks[operation->rank].id,
                    (int64_t)operation->communicator->unique_id, operation->peer, operation->tag);
    }
    sort_keys(&model->messages_by_source);
    sort_keys(&model->messages_by_tag);
    sort_keys(&model->messages_by_pair);
    sort_keys(&model->messages_sent);
    sort_keys(&model->receives);
    sort_keys(&model->parts);
}

/* Waits. */

uint32_t model_add_condition(struct model *model, uint32_t owner, bool all, const struct call *call)
{
    APPEND(model->conditions, model->n_conditions, model->condition_room,
           (struct condition){.owner = owner, .all = all, .call = call, .counts_below = N_DOUBTS});
    return (uint32_t)model->n_conditions - 1;
}

void model_add_wait(struct model *model, uint32_t condition, int64_t target, uint32_t operation, long peer)
{
    APPEND(model->waits, model->n_waits, model->wait_room,
           (struct wait){.condition = condition, .target = target, .operation = operation, .peer = peer});
    model->conditions[condition].n_waits++;
}

/* The whole. */

/* Adds to a job what one of its ranks shows. */
static void extend_job(struct model_job *job, const struct rank_claim *claim)
{
    const struct listing *listing = claim->witness->listing;

    if (claim->world >= job->n_ids)
        job->n_ids = claim->world + 1;
    if (listing->has_name) {
        job->has_number = true;
        job->number = listing->name.job;
    }
    for (size_t i = 0; i < listing->n; i++) {
        const struct communicator *communicator = &listing->communicators[i];

        if (communicator->unique_id == 0 && communicator->size > job->world_size)
            job->world_size = communicator->size;
    }
    if (job->world_size > job->n_ids)
        job->n_ids = job->world_size;
}

static void find_jobs(struct model *model, const struct rank_claim *claims, size_t n)
{
    model->jobs = allocate_array(n + 1, sizeof *model->jobs);
    for (size_t i = 0; i < n; i++) {
        struct model_job *job;

        if (i == 0 || strcmp(claims[i].job, claims[i - 1].job) != 0)
            model->jobs[model->n_jobs++] = (struct model_job){
                .name = claims[i].job, .user = claims[i].name_users ? claims[i].user : -1, .first_rank = i};
        job = &model->jobs[model->n_jobs - 1];
        job->n_ranks++;
        extend_job(job, &claims[i]);
    }
    for (size_t i = 1; i < model->n_jobs; i++)
        model->jobs[i].base = model->jobs[i - 1].base + model->jobs[i - 1].n_ids;
}

static bool are_of_several_looks(const struct rank_claim *claims, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (claims[i].witness->look != claims[0].witness->look)
            return true;
    return false;
}

void model_build(struct model *model, const struct rank_claim *claims, size_t n)
{
    *model = (struct model){.n_ranks = n, .several_looks = are_of_several_looks(claims, n)};
    model->ranks = allocate_array(n, sizeof *model->ranks);
    find_jobs(model, claims, n);
    for (size_t i = 0, job = 0; i < n; i++) {
        job += i == model->jobs[job].first_rank + model->jobs[job].n_ranks;
        model->ranks[i] = (struct model_rank){.witness = claims[i].witness,
                                              .once = claims[i].witness->once,
                                              .job = job,
                                              .id = model->jobs[job].base + claims[i].world,
                                              .inferred = claims[i].inferred || (claims[i].witness->missing != NULL &&
                                                                                 !claims[i].witness->missing->certain)};
    }
    for (size_t i = 0; i < n; i++) {
        model->has_hosts |= claims[i].witness->listing->host != NULL;
        add_rank(model, (uint32_t)i);
    }
    index_operations(model);
}

void model_clear(struct model *model)
{
    for (size_t i = 0; i < model->n_ranks; i++)
        free(model->ranks[i].communicators);
    for (size_t i = 0; i < model->n_waits; i++)
        free(model->waits[i].in_window);
    FREE_ALL(model->jobs, model->ranks, model->coming, model->consistent, model->operations,
             model->messages_by_source.keys, model->messages_by_tag.keys, model->messages_by_pair.keys,
             model->messages_sent.keys, model->receives.keys, model->parts.keys, model->virtuals, model->waits,
             model->conditions);
    communicator_index_clear(&model->anybody);
}

/*
 * Communicators by what ranks that share one say of it. Open MPI's number is not enough: all
 * that one MPI_Comm_split makes have the same.
 */

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/*
 * The two sides of an intercommunicator have different groups, and of members of several jobs groups are not compared:
 * of these the number alone counts.
 */
static uint32_t hash_of(const struct communicator *communicator)
{
    uint64_t hash = mix(0, communicator->unique_id);

    if (!communicator_is_inter(communicator) && communicator->peers == NULL && communicator->group != NULL &&
        communicator->size > 0) {
        hash = mix(hash, (uint64_t)communicator->size);
        hash = mix(hash, (uint64_t)communicator->group[0]);
    }
    return (uint32_t)hash;
}

static void put(struct communicator_index *index, size_t slot)
{
    uint32_t *head = &index->heads[index->slots[slot].hash & (index->n_heads - 1)];

    index->slots[slot].next = *head;
    *head = (uint32_t)slot + 1;
}

static void widen(struct communicator_index *index)
{
    index->n_heads = index->n_heads > 0 ? 2 * index->n_heads : 16;
    free(index->heads);
    index->heads = allocate_array(index->n_heads, sizeof *index->heads);
    for (size_t i = 0; i < index->n; i++)
        put(index, i);
}

void communicator_index_add(struct communicator_index *index, const struct communicator *communicator,
                            uint32_t position)
{
    if (index->n == index->n_heads)
        widen(index);
    APPEND(index->slots, index->n, index->room,
           (struct communicator_slot){.hash = hash_of(communicator), .position = position});
    put(index, index->n - 1);
}

void communicator_index_clear(struct communicator_index *index)
{
    FREE_ALL(index->slots, index->heads);
    *index = (struct communicator_index){0};
}

static const struct communicator_slot *find(const struct communicator_index *index, uint32_t slot, uint32_t hash)
{
    while (slot != 0 && index->slots[slot - 1].hash != hash)
        slot = index->slots[slot - 1].next;
    return slot != 0 ? &index->slots[slot - 1] : NULL;
}

const struct communicator_slot *communicator_index_first(const struct communicator_index *index,
                                                         const struct communicator *communicator)
{
    uint32_t hash = hash_of(communicator);

    return index->n_heads > 0 ? find(index, index->heads[hash & (index->n_heads - 1)], hash) : NULL;
}

const struct communicator_slot *communicator_index_next(const struct communicator_index *index,
                                                        const struct communicator_slot *slot)
{
    return find(index, slot->next, slot->hash);
}
