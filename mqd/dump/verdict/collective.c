/*
 * collective.c - concludes why ranks in collective operations wait for each other.
 */
#include "mqd/dump/verdict/collective.h"

#include <stdint.h>
#include <stdlib.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/verdict/fold.h"
#include "mqd/dump/verdict/gathering.h"
#include "mqd/dump/verdict/say.h"
#include "mqd/dump/verdict/scene.h"
#include "mqd/dump/verdict/scope.h"

/* More of the messages that nobody takes are not readable. */
enum { MAX_UNTAKEN = 2 };

/* Details. */

static void add_place(const struct conclusion *conclusion, struct fold *fold, size_t rank)
{
    fold_add(fold, conclusion->model->ranks[rank].id, say_where(&conclusion->model->ranks[rank]));
}

/* Is a wait of the rank in a window, or for a message that it tests for? */
static bool is_aside(const struct model *model, uint32_t rank, const struct wait *wait)
{
    return wait->what != NULL || (model->ranks[rank].polls && wait->operation != UINT32_MAX &&
                                  !model->operations[wait->operation].collective);
}

/* What a rank waits for beside collective operations may be why the others wait. */
static void add_other_wait(const struct conclusion *conclusion, struct fold *fold, uint32_t rank)
{
    const struct graph *graph = conclusion->graph;

    for (uint32_t i = graph->first[rank]; i < graph->first[rank + 1]; i++) {
        const struct wait *wait = &conclusion->model->waits[graph->edges[i].wait];

        if (!is_aside(conclusion->model, rank, wait))
            continue;
        fold_wait(fold, conclusion, wait);
        return;
    }
}

/*
 * Where the ranks are: those that wait, and then those that are missing or wait for something else. Of a rank that does
 * both the wait is said.
 */
static void add_places(const struct conclusion *conclusion, const struct scene *scene, struct finding *finding)
{
    struct fold present = {0}, missing = {0};

    for (size_t i = 0; i < scene->n; i++) {
        const struct gathering *found = &conclusion->attendances->gatherings[scene->gatherings[i]];

        for (size_t k = 0; k < found->n; k++)
            add_place(conclusion, &present, conclusion->attendances->all[found->first + k].rank);
    }
    for (size_t i = 0; i < scene->group->n_nodes; i++)
        add_other_wait(conclusion, &missing, scene->group->nodes[i]);
    for (size_t i = 0; i < finding->n_causes; i++)
        add_place(conclusion, &missing, model_find_rank(conclusion->model, finding->causes[i]));
    fold_say(&present, conclusion, finding);
    fold_say(&missing, conclusion, finding);
}

static void add_untaken(const struct conclusion *conclusion, struct finding *finding, size_t gathering, bool all)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];
    int n = 0;

    for (size_t i = 0; i < found->n && n < MAX_UNTAKEN; i++) {
        uint32_t at = scene_untaken(conclusion, &conclusion->attendances->all[found->first + i], all);
        const struct operation *message;
        char *from, *to;

        if (at == UINT32_MAX)
            continue;
        message = &conclusion->model->operations[at];
        from = say_rank(conclusion->model, message->peer);
        to = say_rank(conclusion->model, conclusion->model->ranks[message->rank].id);
        finding_add_evidence(conclusion, finding, at);
        finding_add_detail(finding, format_text("A message of %s from %s has arrived at %s, which has not taken it: it "
                                                "has left this call out, or has made it with another root.",
                                                message->facts->purpose, from, to));
        free(from);
        free(to);
        n++;
    }
}

static const struct communicator *find_same(const struct conclusion *conclusion, size_t rank,
                                            const struct communicator *communicator)
{
    const struct communicator *found = model_find_communicator(conclusion->model, rank, communicator->unique_id);

    return found != NULL && found->use.has_nonblocking ? found : NULL;
}

/* Have the ranks, some of which are in nonblocking operations, started different numbers of them? */
static bool are_counts_different(const struct conclusion *conclusion, const struct finding *finding, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];
    const struct communicator *first = NULL;
    bool nonblocking = false, differ = false;

    for (size_t i = 0; i < found->n; i++)
        nonblocking |= conclusion->attendances->all[found->first + i].function == NULL;
    for (size_t i = 0; i < finding->n_ranks && nonblocking; i++) {
        const struct communicator *same = find_same(
            conclusion, model_find_rank(conclusion->model, finding->ranks[i]), found->communicator);

        differ |= first != NULL && same != NULL && same->use.n_nonblocking != first->use.n_nonblocking;
        first = first != NULL ? first : same;
    }
    return differ;
}

/* Communicators that are made count too, since the ranks agree on a number for them in such an operation. */
static void add_counts(const struct conclusion *conclusion, struct finding *finding, size_t gathering)
{
    const struct communicator *communicator = conclusion->attendances->gatherings[gathering].communicator;
    struct fold fold = {0};

    if (!are_counts_different(conclusion, finding, gathering))
        return;
    for (size_t i = 0; i < finding->n_ranks; i++) {
        const struct communicator *same =
            find_same(conclusion, model_find_rank(conclusion->model, finding->ranks[i]), communicator);
        char *name;

        if (same == NULL)
            continue;
        name = say_communicator(same);
        fold_add(&fold, finding->ranks[i], format_text("has started %s nonblocking operation%s on %s",
                                                       NUMBER(same->use.n_nonblocking),
                                                       same->use.n_nonblocking == 1 ? "" : "s", name));
        free(name);
    }
    fold_say(&fold, conclusion, finding);
}

/* The finding. */

/* The ranks that are stuck in the scene's operations. */
static struct rank_set find_stuck(const struct conclusion *conclusion, const struct scene *scene,
                                  struct finding *finding)
{
    struct rank_set ranks = {0};

    for (size_t i = 0; i < scene->n; i++) {
        const struct gathering *found = &conclusion->attendances->gatherings[scene->gatherings[i]];

        for (size_t k = 0; k < found->n; k++) {
            const struct attendance *attendance = &conclusion->attendances->all[found->first + k];

            if (lives(conclusion, attendance->rank))
                continue;
            rank_set_add(&ranks, conclusion->model->ranks[attendance->rank].id);
            finding_add_evidence(conclusion, finding, attendance->operation);
        }
    }
    return ranks;
}

/* The ranks that are missing, and are in no collective operation themselves. */
static struct rank_set find_causes(const struct conclusion *conclusion, const struct scene *scene)
{
    struct rank_set causes = {0};

    for (size_t i = 0; i < scene->n; i++) {
        struct rank_set missing = gathering_missing(conclusion->attendances, conclusion->model, scene->gatherings[i]);

        for (size_t k = 0; k < missing.n; k++) {
            size_t rank = model_find_rank(conclusion->model, missing.ranks[k]);

            if (!attends_any(conclusion->attendances, (uint32_t)rank))
                rank_set_add(&causes, missing.ranks[k]);
        }
        free(missing.ranks);
    }
    for (size_t i = 0; i < scene->group->n_nodes && causes.n == 0; i++)
        if (!attends_any(conclusion->attendances, scene->group->nodes[i]))
            rank_set_add(&causes, conclusion->model->ranks[scene->group->nodes[i]].id);
    return causes;
}

/* " on MPI_COMM_WORLD", for free(); "" if the calls are on several communicators, or it is not known on which. */
static char *say_on(const struct conclusion *conclusion, const struct scene *scene, size_t gathering)
{
    char *name, *text;

    if (scene->n > 1 || gathering_scope(conclusion->attendances, conclusion->model, gathering) == SCOPE_UNKNOWN)
        return copy_string("");
    name = say_communicator(conclusion->attendances->gatherings[gathering].communicator);
    text = format_text(" on %s", name);
    free(name);
    return text;
}

static char *say_differing(const struct conclusion *conclusion, const struct finding *finding,
                           const struct scene *scene, size_t gathering)
{
    const struct gathering *found = &conclusion->attendances->gatherings[gathering];
    const struct attendance *first = &conclusion->attendances->all[found->first];
    bool agrees = gathering_agrees(conclusion->attendances, gathering);
    char *who = say_ranks(conclusion, finding->ranks, finding->n_ranks, "waits", "wait");
    char *on = say_on(conclusion, scene, gathering), *text;

    if (finding->kind == FINDING_COLLECTIVE_COMMUNICATORS)
        text = format_text("%s for each other in collective operations on different communicators.", who);
    else if (scene->n > 1 && !scene->elsewhere && scene_count_windows(conclusion, scene) == scene->n)
        text = format_text("%s for each other in collective operations on different windows.", who);
    else if (finding->kind == FINDING_ROOTS_DIFFER && agrees)
        text = format_text("%s for each other in %s%s: their roots or lengths differ.", who,
                           call_collective_shown(first->call), on);
    else if (finding->kind == FINDING_ROOTS_DIFFER)
        text = format_text("%s in collective operations%s, and took different ranks for the root.", who, on);
    else if (finding->kind == FINDING_DEADLOCK)
        text = format_text("%s for each other in a collective operation%s: they may be in different calls of it%s.",
                           who, on, *on == '\0' ? ", or on different communicators" : "");
    else if (first->function == NULL && agrees && scene->n == 1)
        text = format_text("%s for each other in nonblocking collective operations%s: these, or their roots, differ.",
                           who, on);
    else
        text = format_text("%s in different collective operations%s%s.", who, on,
                           scene_has_rooted(conclusion, gathering) ? ", or took different ranks for the root" : "");
    free(who);
    free(on);
    return text;
}

static void add_circle(const struct conclusion *conclusion, struct finding *finding, const struct group *group)
{
    char *circle = say_circle_of(conclusion, group->nodes[0]);

    if (circle != NULL)
        finding_add_detail(finding, format_text("Who waits for whom: %s.", circle));
    free(circle);
}

/* Are the calls that the finding is about on the gathering's communicator? */
static bool is_place_known(const struct conclusion *conclusion, const struct scene *scene, enum finding_kind kind,
                           size_t gathering)
{
    bool is_one = scene->n == 1 || kind == FINDING_COLLECTIVE_MISSING || kind == FINDING_COLLECTIVE_COMMUNICATORS;

    return is_one && gathering_scope(conclusion->attendances, conclusion->model, gathering) != SCOPE_UNKNOWN;
}

static void conclude_scene(struct conclusion *conclusion, const struct scene *scene)
{
    size_t gathering;
    enum finding_kind kind = scene_kind(conclusion, scene, &gathering);
    struct finding *finding =
        finding_add(conclusion, kind, scene->group->certain && kind != FINDING_DEADLOCK);

    finding_set_ranks(finding, find_stuck(conclusion, scene, finding));
    if (is_place_known(conclusion, scene, kind, gathering))
        finding_set_communicator(finding, conclusion->attendances->gatherings[gathering].communicator);
    if (kind == FINDING_COLLECTIVE_MISSING) {
        finding_set_causes(finding, find_causes(conclusion, scene));
        finding->sentence = say_gathering_missing(conclusion->attendances, conclusion->model, gathering);
    } else {
        finding->sentence = say_differing(conclusion, finding, scene, gathering);
    }
    for (size_t i = 0; i < scene->n; i++)
        if (scene->gatherings[i] != gathering || kind != FINDING_COLLECTIVE_MISSING)
            finding_add_detail(finding, say_gathering_missing(conclusion->attendances, conclusion->model,
                                                              scene->gatherings[i]));
    add_untaken(conclusion, finding, gathering, scene_is_complete(scene));
    add_counts(conclusion, finding, gathering);
    if (kind == FINDING_ROOTS_DIFFER || kind == FINDING_DEADLOCK)
        add_circle(conclusion, finding, scene->group);
    add_places(conclusion, scene, finding);
}

bool conclude_collectives(struct conclusion *conclusion, const struct group *group)
{
    struct scene scene = scene_find(conclusion, group);

    if (scene.n > 0)
        conclude_scene(conclusion, &scene);
    return scene.any;
}
