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

static int compare_unique_id(const void *id, const void *place)
{
    const mqs_taddr_t wanted = *(const mqs_taddr_t *)id, found = ((const struct place *)place)->communicator->unique_id;

    return ORDER(wanted, found);
}

static int compare_ids(const void *a, const void *b)
{
    return compare_unique_id(&((const struct place *)a)->communicator->unique_id, b);
}

struct place *model_find_place(const struct model *model, size_t rank, mqs_taddr_t unique_id)
{
    return search_array(&unique_id, model->places + model->ranks[rank].first_place, model->ranks[rank].n_places,
                        sizeof *model->places, compare_unique_id);
}

const struct communicator *model_find_communicator(const struct model *model, size_t rank, mqs_taddr_t unique_id)
{
    const struct place *found = model_find_place(model, rank, unique_id);

    return found != NULL ? found->communicator : NULL;
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

/* Numbers of communicators: by what ranks that share one say of it. */

static int compare_names(const struct mqd_process_name *a, const struct mqd_process_name *b, long n)
{
    int order = 0;

    for (long i = 0; i < n && order == 0 && a != b; i++)
        order = ORDER(a[i].job, b[i].job) ?: ORDER(a[i].rank, b[i].rank);
    return order;
}

/* Ranks of one record, and of one look, share what is the same. */
static int compare_groups(const struct communicator *a, const struct communicator *b)
{
    if (a->size != b->size || a->group == NULL || b->group == NULL)
        return ORDER(a->size, b->size) ?: ORDER(a->group != NULL, b->group != NULL);
    return a->group == b->group ? 0 : memcmp(a->group, b->group, (size_t)a->size * sizeof *a->group);
}

/*
 * Members of other jobs are known by name only; `group` has ranks in the job's own MPI_COMM_WORLD. The two sides of an
 * intercommunicator have different groups.
 */
static int compare_members(const struct place *a, const struct place *b)
{
    const struct communicator *x = a->communicator, *y = b->communicator;
    bool inter = communicator_is_inter(x);
    long n = communicator_n_peers(x);
    int order = ORDER(x->unique_id, y->unique_id) ?: ORDER(inter, communicator_is_inter(y)) ?:
                ORDER(n, communicator_n_peers(y)) ?: ORDER(x->peers != NULL, y->peers != NULL) ?:
                (x->peers != NULL ? compare_names(x->peers, y->peers, n) : 0);

    if (order != 0 || (x->peers != NULL && !inter))
        return order;
    return ORDER(a->job, b->job) ?: compare_groups(x, y);
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = *(const struct place *const *)a, *y = *(const struct place *const *)b;

    return compare_members(x, y) ?: ORDER(x, y);
}

/* Is a rank of the one side a peer of the other? */
static bool are_sides_of_one(const struct model *model, const struct place *a, const struct place *b)
{
    for (long i = 0; i < communicator_n_peers(a->communicator); i++)
        if (model_peer(model, a->rank, a->communicator, i) == model->ranks[b->rank].id)
            return true;
    return false;
}

static void add_communicator(struct model *model, size_t first)
{
    uint32_t number = (uint32_t)model->n_communicators;
    struct model_communicator *added = &model->communicators[model->n_communicators++];
    const struct place *own = model->members[first];

    *added = (struct model_communicator){.first = first, .number = number, .anybody = NODE_LIVE};
    for (uint32_t i = number; i-- > 0 && added->number == number && communicator_is_inter(own->communicator);) {
        const struct place *other = model->members[model->communicators[i].first];

        if (other->communicator->unique_id != own->communicator->unique_id ||
            !communicator_is_inter(other->communicator))
            break;
        if (are_sides_of_one(model, other, own) || are_sides_of_one(model, own, other))
            added->number = model->communicators[i].number;
    }
}

/* One whose members are not known is not known to be the same as any other. */
static bool has_members(const struct communicator *communicator)
{
    return communicator->group != NULL || (communicator->peers != NULL && !communicator_is_inter(communicator));
}

static void number_communicators(struct model *model)
{
    size_t n = 0;

    model->members = allocate_array(model->n_places + 1, sizeof *model->members);
    model->communicators = allocate_array(model->n_places + 1, sizeof *model->communicators);
    for (size_t i = 0; i < model->n_places; i++)
        if (has_members(model->places[i].communicator))
            model->members[n++] = &model->places[i];
    SORT(model->members, n, compare_places);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_members(model->members[i - 1], model->members[i]) != 0)
            add_communicator(model, i);
        model->communicators[model->n_communicators - 1].n++;
        model->members[i]->number = (uint32_t)model->n_communicators - 1;
    }
}

static uint32_t number_of(const struct model *model, size_t rank, const struct communicator *communicator)
{
    uint32_t side = model_find_place(model, rank, communicator->unique_id)->number;

    return side != NO_NUMBER ? model->communicators[side].number : NO_NUMBER;
}

bool model_same_communicator(const struct model *model, size_t a, const struct communicator *of_a, size_t b,
                             const struct communicator *of_b)
{
    uint32_t number = number_of(model, a, of_a);

    return number != NO_NUMBER && number == number_of(model, b, of_b);
}

/* Operations. */

/* For peers of the same job the DLL reports the rank in MPI_COMM_WORLD; others are known by name. */
static long peer_of(const struct model *model, uint32_t rank, const struct communicator *communicator, int class,
                    const struct queued *said)
{
    bool arrived = class == mqs_pending_receives && said->status != mqs_st_pending;
    mqs_tword_t local = arrived ? said->actual_local_rank : said->desired_local_rank;
    mqs_tword_t world = arrived ? said->actual_global_rank : said->desired_global_rank;

    if (said->unknown.peer && !arrived)
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
                                       const struct communicator *communicator, int class, const struct queued *said)
{
    return (struct operation){
        .rank = rank,
        .class = class,
        .communicator = communicator,
        .said = said,
        .peer = peer_of(model, rank, communicator, class, said),
        .tag = tag_of(class, said),
        .collective = said->collective,
        .internal = said->internal,
        .purpose = purpose_of(said),
        .truncated = operation_is_truncated(class, said),
        .probe = said->kind == MQD_OPERATION_probe || said->kind == MQD_OPERATION_mprobe,
        .vague = said->status == mqs_st_pending && (said->unknown.peer || said->unknown.tag),
    };
}

static void add_operations(struct model *model, uint32_t rank, const struct communicator *communicator, int class)
{
    const struct queue *queue = &communicator->queues[class];

    for (size_t i = 0; i < queue->n && model->n_operations < UINT32_MAX; i++) {
        struct operation added = operation_from(model, rank, communicator, class, &queue->operations[i]);

        APPEND(model->operations, model->n_operations, model->operation_room, added);
        model->ranks[rank].has_vague[class] |= added.vague && !added.probe;
        model->has_vague[class] |= model->ranks[rank].has_vague[class];
    }
}

static void add_rank(struct model *model, uint32_t index)
{
    struct model_rank *rank = &model->ranks[index];
    const struct listing *listing = rank->witness->listing;

    rank->first_place = model->n_places;
    rank->n_places = listing->n;
    rank->first_operation = model->n_operations;
    for (size_t i = 0; i < listing->n; i++) {
        model->places[model->n_places++] = (struct place){
            .communicator = &listing->communicators[i], .rank = index, .number = NO_NUMBER, .job = rank->job};
        for (int class = 0; class < N_QUEUES; class++)
            add_operations(model, index, &listing->communicators[i], class);
    }
    SORT(model->places + rank->first_place, rank->n_places, compare_ids);
    rank->n_operations = model->n_operations - rank->first_operation;
}

/* Keys. */

static void add_key(struct keys *keys, uint32_t operation, int64_t a, int64_t b, int64_t c, int64_t d)
{
    APPEND(keys->keys, keys->n, keys->room, (struct key){.numbers = {a, b, c, d}, .operation = operation});
}

bool keys_agree(const struct keys *keys, size_t i, const int64_t *numbers, size_t n_numbers)
{
    return i < keys->n && memcmp(keys->keys[i].numbers, numbers, n_numbers * sizeof *numbers) == 0;
}

/* The first numbers of a key. */
struct beginning {
    const int64_t *numbers;
    size_t n;
};

static int compare_beginning(const void *beginning, const void *key)
{
    const struct beginning *wanted = beginning;
    int order = 0;

    for (size_t k = 0; k < wanted->n && order == 0; k++)
        order = ORDER(wanted->numbers[k], ((const struct key *)key)->numbers[k]);
    return order;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return compare_beginning(&(struct beginning){x->numbers, 4}, y) ?: ORDER(x->operation, y->operation);
}

size_t keys_find(const struct keys *keys, const int64_t *numbers, size_t n_numbers)
{
    const struct beginning beginning = {numbers, n_numbers};
    size_t first = search_first(&beginning, keys->keys, keys->n, sizeof *keys->keys, compare_beginning);

    return keys_agree(keys, first, numbers, n_numbers) ? first : keys->n;
}

/*
 * A rendezvous that has arrived is in two queues, as its send and as a message. Both have equal keys. Other messages of
 * sends may not have arrived.
 */
static void index_message(struct model *model, uint32_t i)
{
    const struct operation *operation = &model->operations[i];
    const struct queued *said = operation->said;
    bool is_send = operation->class == mqs_pending_sends;
    long here = model->ranks[operation->rank].id;
    long source = is_send ? here : operation->peer, destination = is_send ? operation->peer : here;
    int64_t id = (int64_t)operation->communicator->unique_id;

    if (operation->peer < 0 ||
        (is_send && said->status != mqs_st_pending && said->progress != MQD_PROGRESS_in_transit))
        return;
    add_key(&model->messages_by_source, i, destination, id, source, operation->tag);
    add_key(&model->messages_by_tag, i, destination, id, operation->tag, source);
    add_key(&model->messages_by_pair, i, destination, source, operation->tag, id);
    add_key(&model->messages_sent, i, source, id, operation->tag, destination);
}

static void index_operations(struct model *model)
{
    struct keys *const all[] = {&model->messages_by_source, &model->messages_by_tag, &model->messages_by_pair,
                                &model->messages_sent, &model->receives, &model->parts};

    for (uint32_t i = 0; i < model->n_operations; i++) {
        struct operation *operation = &model->operations[i];

        operation->number = i > 0 && operation->communicator == operation[-1].communicator
                                ? operation[-1].number
                                : number_of(model, operation->rank, operation->communicator);
        if (operation->purpose == PURPOSE_NONBLOCKING)
            add_key(&model->parts, i, (int64_t)operation->communicator->unique_id, operation->tag, operation->rank, 0);
        if (operation->class != mqs_pending_receives)
            index_message(model, i);
        else if (operation->said->status != mqs_st_complete && !operation->probe)
            add_key(&model->receives, i, model->ranks[operation->rank].id,
                    (int64_t)operation->communicator->unique_id, operation->peer, operation->tag);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SORT(all[i]->keys, all[i]->n, compare_keys);
}

/* Waits. */

uint32_t model_add_condition(struct model *model, uint32_t owner, bool all, const struct call *call)
{
    APPEND(model->conditions, model->n_conditions, model->condition_room,
           (struct condition){.owner = owner, .all = all, .call = call, .counts_below = N_DOUBTS});
    if (owner < model->n_ranks)
        model->ranks[owner].n_conditions++;
    return (uint32_t)model->n_conditions - 1;
}

void model_add_wait(struct model *model, uint32_t condition, int64_t target, uint32_t operation, long peer)
{
    APPEND(model->waits, model->n_waits, model->wait_room,
           (struct wait){.condition = condition, .target = target, .operation = operation, .peer = peer});
    model->conditions[condition].n_waits++;
}

void waiting_call_clear(struct waiting_call *waiting)
{
    FREE_ALL(waiting->operations, waiting->in_windows);
}

/* The whole. */

/* Whoever has all ranks in a debugger wants to know what they would do: that they are held is no cause then. */
static bool are_all_held(const struct rank_claim *claims, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!witness_is_held(claims[i].witness))
            return false;
    return true;
}

static struct model_rank rank_from(const struct rank_claim *claim)
{
    const struct witness *witness = claim->witness;
    bool held = witness_is_held(witness);

    return (struct model_rank){.witness = witness, .world = claim->world, .once = witness->once || held,
                               .halted = witness->stopped && !held,
                               .inferred = claim->inferred ||
                                           (witness->missing != NULL && !witness->missing->certain)};
}

void model_build(struct model *model, const struct rank_claim *claims, size_t n)
{
    bool all_held = are_all_held(claims, n);
    size_t n_places = 0;

    *model = (struct model){.n_ranks = n, .ranks = allocate_array(n, sizeof *model->ranks),
                            .jobs = allocate_array(n + 1, sizeof *model->jobs)};
    model->n_jobs = jobs_of_claims(model->jobs, claims, n);
    for (size_t i = 0, job = 0; i < n; i++) {
        const struct witness *witness = claims[i].witness;

        job += i == model->jobs[job].first_rank + model->jobs[job].n_ranks;
        model->ranks[i] = rank_from(&claims[i]);
        model->ranks[i].job = job;
        model->ranks[i].id = model->jobs[job].base + claims[i].world;
        model->ranks[i].kept = witness->stays_stopped && !all_held;
        model->has_once |= model->ranks[i].once;
        model->several_looks |= witness->look != claims[0].witness->look;
        model->n_looks = witness->look >= model->n_looks ? witness->look + 1 : model->n_looks;
        model->has_hosts |= witness->listing->host != NULL;
        n_places += witness->listing->n;
    }
    model->places = allocate_array(n_places + 1, sizeof *model->places);
    for (size_t i = 0; i < n; i++)
        add_rank(model, (uint32_t)i);
    number_communicators(model);
    index_operations(model);
}

void model_clear(struct model *model)
{
    for (size_t i = 0; i < model->n_waiting; i++)
        waiting_call_clear(&model->waiting[i]);
    FREE_ALL(model->jobs, model->ranks, model->places, model->members, model->communicators, model->operations,
             model->messages_by_source.keys, model->messages_by_tag.keys, model->messages_by_pair.keys,
             model->messages_sent.keys, model->receives.keys, model->parts.keys, model->virtuals, model->waiting,
             model->waits, model->conditions);
}
