/*
 * fold.c - sentences about many ranks: those of which the same is to be said are in one sentence.
 */
#include "mqd/dump/verdict/fold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/verdict/gathering.h"
#include "mqd/dump/verdict/say.h"

/* With one more for the remaining ranks. A finding has room for some other details beside them. */
enum { MAX_SENTENCES = 4 };

void fold_add(struct fold *fold, long id, char *text)
{
    fold->lines = grow_array(fold->lines, fold->n, &fold->room, sizeof *fold->lines);
    fold->lines[fold->n] = (struct folded){id, fold->n, text};
    fold->n++;
}

static void add_gathering(struct fold *fold, size_t gathering)
{
    if (fold->n_gatherings == MAX_SENTENCES)
        return;
    for (size_t i = 0; i < fold->n_gatherings; i++)
        if (fold->gatherings[i] == gathering)
            return;
    fold->gatherings =
        grow_array(fold->gatherings, fold->n_gatherings, &fold->gathering_room, sizeof *fold->gatherings);
    fold->gatherings[fold->n_gatherings++] = gathering;
}

void fold_wait(struct fold *fold, const struct conclusion *conclusion, const struct wait *wait)
{
    const struct model *model = conclusion->model;
    const struct operation *operation = wait->operation != UINT32_MAX ? &model->operations[wait->operation] : NULL;
    size_t gathering = operation != NULL && operation->collective
                           ? gathering_of(conclusion->attendances, model, operation)
                           : SIZE_MAX;

    if (gathering != SIZE_MAX)
        add_gathering(fold, gathering);
    else
        fold_add(fold, model->ranks[model_owner(model, wait)].id, say_wait(model, wait));
}

static int compare_folded(const void *a, const void *b)
{
    const struct folded *x = a, *y = b;

    return x->id != y->id ? ORDER(x->id, y->id) : ORDER(x->order, y->order);
}

/* Keeps what was added first of each rank, in the order of the ranks. */
static void keep_first(struct fold *fold)
{
    size_t n = 0;

    sort_array(fold->lines, fold->n, sizeof *fold->lines, compare_folded);
    for (size_t i = 0; i < fold->n; i++) {
        if (n > 0 && fold->lines[n - 1].id == fold->lines[i].id)
            free(fold->lines[i].text);
        else
            fold->lines[n++] = fold->lines[i];
    }
    fold->n = n;
}

/* The plural of a verb. */
static char *many(const char *verb)
{
    if (strcmp(verb, "is") == 0)
        return copy_string("are");
    return strcmp(verb, "has") == 0 ? copy_string("have") : format_text("%.*s", (int)strlen(verb) - 1, verb);
}

/* "Ranks 1,2 wait in MPI_Recv ..." of "waits in MPI_Recv ...". The first word is a verb. */
static void say_together(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks,
                         const char *text)
{
    size_t length = strcspn(text, " ");
    char *one = format_text("%.*s", (int)length, text), *several = many(one);
    char *who = say_ranks(conclusion, ranks->ranks, ranks->n, one, several);

    finding_add_detail(finding, format_text("%s%s.", who, text + length));
    free(one);
    free(several);
    free(who);
}

/* Takes all ranks with the text of the first one that is left, or all that are left. */
static struct rank_set take(struct fold *fold, size_t first, bool all)
{
    struct rank_set ranks = {0};
    char *text = fold->lines[first].text;

    for (size_t i = first; i < fold->n; i++) {
        struct folded *line = &fold->lines[i];

        if (line->text == NULL || (!all && strcmp(line->text, text) != 0))
            continue;
        rank_set_add(&ranks, line->id);
        if (i > first)
            free(line->text);
        line->text = NULL;
    }
    return ranks;
}

static const char *similar(const char *text)
{
    if (name_begins_with(text, "has not been looked at"))
        return "has not been looked at for other reasons";
    return name_begins_with(text, "is ") ? "is at a similar place" : "waits in a similar way";
}

void fold_say(struct fold *fold, const struct conclusion *conclusion, struct finding *finding)
{
    size_t n_said = 0;

    keep_first(fold);
    for (size_t i = 0; i < fold->n_gatherings; i++)
        finding_add_detail(finding, say_gathering_missing(conclusion->attendances, conclusion->model,
                                                          fold->gatherings[i]));
    for (size_t i = 0; i < fold->n; i++) {
        char *text = fold->lines[i].text;
        struct rank_set ranks;

        if (text == NULL)
            continue;
        ranks = take(fold, i, n_said == MAX_SENTENCES);
        say_together(conclusion, finding, &ranks, n_said++ < MAX_SENTENCES ? text : similar(text));
        free(ranks.ranks);
        free(text);
    }
    free(fold->lines);
    free(fold->gatherings);
}

void fold_say_places(const struct conclusion *conclusion, struct finding *finding, const struct rank_set *ranks)
{
    const struct model *model = conclusion->model;
    struct fold fold = {0};

    for (size_t i = 0; i < ranks->n; i++)
        fold_add(&fold, ranks->ranks[i], say_where(&model->ranks[model_find_rank(model, ranks->ranks[i])]));
    fold_say(&fold, conclusion, finding);
}
