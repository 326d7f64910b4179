/*
 * sentence.c - sentences about findings: the first one, notes, and those about many ranks.
 *
 * First sentences and notes are patterns. {word} is what say_word makes of the facts; [one|many]
 * depends on how many ranks it is said of (`who`), <one|many> on how many others it names (`whom`).
 */
#include "mqd/dump/show/say/sentence.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/collect/target/core.h"
#include "mqd/dump/record/names.h"
#include "mqd/dump/show/say/thread_phrase.h"

/* Sentences about many ranks. */

/* More details of one finding, sentences of one fold with one more for the rest, and functions are not readable. */
enum { MAX_DETAILS = 8, MAX_SENTENCES = 4, MAX_FUNCTIONS = 3 };

bool sentences_are_full(const struct sentences *sentences)
{
    return sentences->n == MAX_DETAILS;
}

void sentences_add(struct sentences *sentences, char *text)
{
    if (sentences_are_full(sentences))
        free(text);
    else
        APPEND(sentences->texts, sentences->n, sentences->room, text);
}

/* Collective operations. */

static char *say_function(const struct participant *participant)
{
    return participant->function != NULL ? copy_string(call_collective_shown(participant->call))
                                         : say_nonblocking(participant->number);
}

static size_t count_agreeing(const struct collective *collective, size_t kind)
{
    size_t n = 0;

    for (size_t i = 0; i < collective->n; i++)
        n += participants_agree(collective->kinds[kind], &collective->participants[i]);
    return n;
}

/* ", 2 in MPI_Bcast": those that are not in the first one's function. */
static char *say_other_functions(const struct collective *collective)
{
    char *text = copy_string("");

    for (size_t i = 1; i < collective->n_kinds && i < MAX_FUNCTIONS; i++) {
        OWNED char *function = say_function(collective->kinds[i]);

        append_text(&text, ", %s in %s", NUMBER(count_agreeing(collective, i)), function);
    }
    return text;
}

/* "3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD" */
static char *say_present(const struct analysis_part *part, const struct collective *collective)
{
    const struct communicator *communicator = collective->participants->communicator;
    long size = communicator->size + communicator->summary.remote_size;
    OWNED char *name = say_communicator(communicator), *function = say_function(collective->participants);
    OWNED char *others = say_other_functions(collective);
    size_t n_first = count_agreeing(collective, 0);

    return format_text("%s of %s ranks %s in %s%s%s on %s", NUMBER(n_first), NUMBER(size),
                       verb_form(VERB_IS, n_first), function, others,
                       collective_scope(&part->collectives, collective) != SCOPE_UNKNOWN ? "" : ", with messages",
                       name);
}

char *say_collective(const struct analysis_part *part, size_t collective)
{
    const struct collective *found = &part->collectives.operations[collective];
    OWNED char *present = say_present(part, found), *absent = NULL;
    RELEASED_BY(rank_set_clear) struct rank_set missing = collective_missing(&part->collectives, found);

    if (missing.n == 0)
        return format_text("%s.", present);
    absent = say_rank_set(&part->model, &missing, "is", "are");
    return format_text("%s; %s missing.", present, absent);
}

size_t collective_of_wait(const struct analysis_part *part, const struct wait *wait)
{
    const struct operation *operation =
        wait->operation != UINT32_MAX ? &part->model.operations[wait->operation] : NULL;

    return operation != NULL && operation->collective ? collective_of(&part->collectives, operation)
                                                      : SIZE_MAX;
}

/* Folds. */

void fold_add(struct fold *fold, long id, struct predicate predicate)
{
    size_t order = fold->n;

    APPEND(fold->lines, fold->n, fold->room, (struct folded){id, order, predicate});
}

static void add_collective(struct fold *fold, size_t collective)
{
    if (fold->n_collectives == MAX_SENTENCES)
        return;
    for (size_t i = 0; i < fold->n_collectives; i++)
        if (fold->collectives[i] == collective)
            return;
    APPEND(fold->collectives, fold->n_collectives, fold->collective_room, collective);
}

void fold_wait(struct fold *fold, const struct wait *wait)
{
    const struct model *model = &fold->part->model;
    size_t collective = collective_of_wait(fold->part, wait);
    long id = model->ranks[model_owner(model, wait)].id;

    /* A rank may wait for a million messages at once, and only one of them is said. */
    if (collective != SIZE_MAX)
        add_collective(fold, collective);
    else if (fold->n == 0 || fold->lines[fold->n - 1].id != id)
        fold_add(fold, id, say_wait(model, wait));
}

void fold_places(struct fold *fold, const struct rank_set *ranks)
{
    for (size_t i = 0; i < ranks->n; i++) {
        size_t rank = model_find_rank(&fold->part->model, ranks->ranks[i]);

        if (rank != SIZE_MAX)
            fold_add(fold, ranks->ranks[i], say_where(&fold->part->model.ranks[rank]));
    }
}

static int compare_folded(const void *a, const void *b)
{
    const struct folded *x = a, *y = b;

    return ORDER(x->id, y->id) ?: ORDER(x->order, y->order);
}

/* What is said of all the remaining ranks, of the first of which this verb is said. */
static const char *say_similar(enum verb *verb)
{
    if (*verb == VERB_NOT_LOOKED_AT)
        return " for other reasons";
    if (*verb == VERB_IS)
        return " at a similar place";
    *verb = VERB_WAITS;
    return " in a similar way";
}

/* What was added first of each rank, by what is said; members are positions of lines. */
static struct text_groups find_same(struct fold *fold)
{
    struct text_groups same = {0};

    SORT(fold->lines, fold->n, compare_folded);
    for (size_t i = 0; i < fold->n; i++)
        if (i == 0 || fold->lines[i - 1].id != fold->lines[i].id)
            text_groups_add(&same, format_text("%d%s", (int)fold->lines[i].predicate.verb,
                                               fold->lines[i].predicate.rest), i);
    return same;
}

void fold_say(struct fold *fold, struct sentences *sentences)
{
    RELEASED_BY(text_groups_clear) struct text_groups same = find_same(fold);

    for (size_t i = 0; i < fold->n_collectives; i++)
        sentences_add(sentences, say_collective(fold->part, fold->collectives[i]));
    for (size_t i = 0; i < same.n && i <= MAX_SENTENCES; i++) {
        const struct predicate *said = &fold->lines[same.groups[i].members[0]].predicate;
        enum verb verb = said->verb;
        const char *rest = i < MAX_SENTENCES ? said->rest : say_similar(&verb);
        RELEASED_BY(rank_set_clear) struct rank_set ranks = {0};
        OWNED char *who = NULL;

        for (size_t k = i; k < (i < MAX_SENTENCES ? i + 1 : same.n); k++)
            for (size_t member = 0; member < same.groups[k].n; member++)
                rank_set_add(&ranks, fold->lines[same.groups[k].members[member]].id);
        rank_set_sort(&ranks);
        who = say_capital(say_rank_set(&fold->part->model, &ranks, verb_form(verb, 1), verb_form(verb, 2)));
        sentences_add(sentences, format_text("%s%s.", who, rest));
    }
    for (size_t i = 0; i < fold->n; i++)
        free(fold->lines[i].predicate.rest);
    FREE_ALL(fold->lines, fold->collectives);
}

/* First sentences, and notes. */

static const char *const claims[N_CLAIMS] = {
    [CLAIM_CRASHED] = "{who} [was|were] killed by {crash}.",
    [CLAIM_WAIT_FOR_ENDED] = "{who} [waits|wait] for {whom}, which <has|have> ended.",
    [CLAIM_WAIT_FOR_SEEMINGLY_ENDED] = "{who} [waits|wait] for {whom}, which <seems|seem> to have ended.",
    [CLAIM_WAIT_FOR_FINALIZED] = "{who} [waits|wait] for {whom}, which <is|are> in MPI_Finalize.",
    [CLAIM_WAIT_FOR_GONE] = "{who} [waits|wait] for {whom}, which <has|have> left MPI.",
    [CLAIM_ENDED_EARLY] = "{who} [has|have] ended, while others are still in MPI.",
    [CLAIM_SEEMINGLY_ENDED_EARLY] = "{who} [seems|seem] to have ended, while others are still in MPI.",
    [CLAIM_WAIT_FOR_STOPPED] = "{who} [waits|wait] for {whom}, which <is|are> stopped.",
    [CLAIM_STOPPED] = "{who} [is|are] stopped; nobody is known to wait for [it|them].",
    [CLAIM_WAIT_FOR_STUCK] = "{who} [waits|wait] for {whom}, which <does not come back from a system call|"
                             "do not come back from system calls>.",
    [CLAIM_STUCK] = "{who} [does not come back from a system call|do not come back from system calls]; nobody is known "
                    "to wait for [it|them].",
    [CLAIM_THREADS_LOCKED] = "{threads} in {who} {threads wait}.",
    [CLAIM_THREAD_ENDED] = "{ended threads} in {who} {threads have} ended.",
    [CLAIM_CALLED_AT_ONCE] = "{who} [has|have] {level}, and several threads[| of each] are in MPI at once: {may call}.",
    [CLAIM_CALLED_BY_OTHER] = "{who} [has|have] {level}, and a thread is in MPI that has not initialised it: {may call}.",
    [CLAIM_UNANSWERED] = "{wait}.",
    [CLAIM_TRUNCATED] = "{who}'s receive got {operation}, but the message has {length}: it does not fit.",
    [CLAIM_FLOOD] = "{n} messages ({bytes} bytes) from {sender}{on} have arrived at {who}, which has not asked for "
                    "them.",
    [CLAIM_ORDER] = "{who} waits in {call}{on}, before which {whom} <has|have> started a nonblocking collective "
                    "operation there that it has not started.",
    [CLAIM_PARTS_LOCKED] = "{parts} {nonblocking}{on} {parts wait} for each other: the ranks have called different "
                           "functions, or have given different roots or lengths.",
    [CLAIM_PARTS_LOCKED_OR_ENDED] = "{parts} {nonblocking}{on} {parts wait} for what another one has ended without, or "
                                    "has yet to start as a persistent operation. If it has ended the ranks have called "
                                    "different functions, or have given different roots or lengths.",
    [CLAIM_INCOMPLETE] = "{collective}",
    [CLAIM_COMMUNICATORS_DIFFER] = "{who} [waits|wait] for each other in collective operations on different "
                                   "communicators.",
    [CLAIM_WINDOWS_DIFFER] = "{who} [waits|wait] for each other in collective operations on different windows.",
    [CLAIM_ROOTS_OR_LENGTHS_DIFFER] = "{who} [waits|wait] for each other in {call}{on}: their roots or lengths differ.",
    [CLAIM_ROOTS_DIFFER] = "{who} [waits|wait] in collective operations{on}, and took different ranks for the root.",
    [CLAIM_CALLS_DIFFER] = "{who} [waits|wait] for each other in a collective operation{on}: they may be in different "
                           "calls of it.",
    [CLAIM_CALLS_OR_COMMUNICATORS_DIFFER] = "{who} [waits|wait] for each other in a collective operation: they may be "
                                            "in different calls of it, or on different communicators.",
    [CLAIM_NONBLOCKING_DIFFER] = "{who} [waits|wait] for each other in nonblocking collective operations{on}: these, "
                                 "or their roots, differ.",
    [CLAIM_FUNCTIONS_DIFFER] = "{who} [waits|wait] in different collective operations{on}.",
    [CLAIM_FUNCTIONS_OR_ROOTS_DIFFER] = "{who} [waits|wait] in different collective operations{on}, or took different "
                                        "ranks for the root.",
    [CLAIM_CIRCLE] = "{who} [waits for itself|wait for each other]: {hops}.",
    [CLAIM_WAIT_FOR_BUSY] = "{who} [waits|wait] for {whom}, which may be stuck or just take <its|their> time.",
    [CLAIM_WAIT_FOR_TESTING] = "{who} [waits|wait] for {whom}, which <tests|test> again and again for what does not "
                               "come.",
    [CLAIM_WAIT_FOR_POLLING] = "{who} [waits|wait] for {whom}, which may be stuck or just take <its|their> time.",
    [CLAIM_TESTING] = "{who} [tests|test] again and again for what does not come{only gone}.",
    [CLAIM_POLLING] = "{who} may be stuck or just take [its|their] time{only gone}.",
    [CLAIM_WAIT_FOR_UNKNOWN] = "{who} [waits|wait] for processes that are not known, as those of jobs that were not "
                               "given.",
    [CLAIM_WAIT_FOR_NOT_LOOKED_AT] = "{who} [waits|wait] for {whom}, which <has|have> not been looked at: whether "
                                     "[it|they] can get on is not known.",
    [CLAIM_WAIT_FOR_NOT_READ] = "{who} [waits|wait] for {whom}, of which nothing is known.",
};

static const char *const notes[N_NOTES] = {
    [NOTE_NO_RANKS] = "It is not known which ranks these processes are.",
    [NOTE_WAITING] = "{who} [waits|wait] for these, directly or through others.",
    [NOTE_ENDED] = "{who} had ended when [it was|they were] looked at, and others were in MPI when these were: whether "
                   "they are still there is not known.",
    [NOTE_UNKNOWN] = "{who} [is|are] not known well enough to say what [it waits|they wait] for.",
    [NOTE_STARVED] = "{who} had no processor time between the looks, and may go on with some.",
    [NOTE_NOT_GIVEN] = "{missing} of {world size} ranks of MPI_COMM_WORLD{of job} were not given: what they do is not "
                       "known.",
    [NOTE_LOOKS_UNCOUNTED] = "The ranks were not looked at together, and how many messages were exchanged is not known "
                             "of all of them and not between jobs: some may have been on their way.",
    [NOTE_CORES_UNCOUNTED] = "How many messages were exchanged is not known of all ranks and not between jobs: some "
                             "may have been on their way.",
    [NOTE_WINDOWS_UNCOUNTED] = "Calls on windows are not counted: ranks may have made some between the looks.",
    [NOTE_LIBRARY_UNCOUNTED] = "Messages are not counted by the library that has them: some may have been on their "
                               "way.",
    [NOTE_LOOKS_DIFFER] = "{who} has received more messages of {whom} than that had sent: the looks are of different "
                          "moments.",
    [NOTE_CORES_DIFFER] = "{who} has received more messages of {whom} than that had sent: the cores are of different "
                          "moments.",
};

/* Words. */

/* " on MPI_COMM_WORLD"; "" if the operations are on several communicators, or it is not known on which. */
static char *say_on(const struct facts *facts)
{
    OWNED char *name = facts->communicator != NULL ? say_communicator(facts->communicator) : NULL;

    return name != NULL ? format_text(" on %s", name) : copy_string("");
}

/* "SIGSEGV in memcpy, called from exchange (halo.c:30)" */
static char *say_crash(const struct facts *facts)
{
    OWNED char *where = say_fault(facts->rank->call);

    return format_text("%s%s", core_error_name(facts->rank->witness->listing->signal), where);
}

static char *say_the_wait(const struct facts *facts)
{
    const struct model *model = &facts->part->model;
    OWNED char *who = say_waiting_rank(model, facts->wait);

    return say_predicate(who, say_wait(model, facts->wait));
}

static char *say_length(const struct facts *facts)
{
    long length = facts->operation->said->actual_length;

    return format_text("%s byte%s", NUMBER(length), length == 1 ? "" : "s");
}

static char *say_parts(const struct facts *facts)
{
    RELEASED_BY(rank_set_clear) struct rank_set all = {0};
    OWNED char *who = NULL;

    rank_set_add_all(&all, &facts->who);
    rank_set_add_all(&all, &facts->whom);
    rank_set_sort(&all);
    who = say_rank_set(&facts->part->model, &all, "", "");
    return format_text("the part%s of %s in", all.n == 1 ? "" : "s", who);
}

/* More hops of a circle are not readable. */
enum { MAX_HOPS = 12 };

static char *say_hop(const struct model *model, uint32_t node)
{
    if (node >= model->n_ranks)
        return copy_string("anybody");
    return model->n_jobs == 1 ? format_text("%ld", model->ranks[node].id) : say_rank(model, model->ranks[node].id);
}

/* A wait for any rank leads through "anybody". */
char *say_hops(const struct facts *facts)
{
    const struct model *model = &facts->part->model;
    char *text = copy_string("");
    size_t n = 0, n_hops = 0;

    for (size_t i = 0; i < facts->n_list; i++)
        n_hops += facts->list[i].kind == FACT_HOP;
    for (size_t i = 0; i < facts->n_list; i++) {
        OWNED char *hop = NULL;

        if (facts->list[i].kind != FACT_HOP || (++n > MAX_HOPS + 1 && n < n_hops))
            continue;
        hop = say_hop(model, facts->list[i].at);
        append_text(&text, "%s%s%s", n > 1 ? " -> " : "",
                    n > MAX_HOPS + 2 && facts->list[i].at < model->n_ranks ? "... -> " : "", hop);
    }
    return text;
}

/* ": only rank 1 could complete its requests, which is in MPI_Finalize or past it"; "" if nobody is gone. */
static char *say_only_gone(const struct facts *facts)
{
    const struct model *model = &facts->part->model;
    bool finalized = true, one = facts->whom.n == 1;
    OWNED char *whom = say_rank_set(model, &facts->whom, "", "");

    for (size_t i = 0; i < facts->whom.n; i++)
        finalized &= model->ranks[model_find_rank(model, facts->whom.ranks[i])].phase == PHASE_FINALIZED;
    if (facts->whom.n == 0)
        return copy_string("");
    return format_text(": only %s could complete %s requests, which %s %s", whom, facts->who.n == 1 ? "its" : "their",
                       verb_form(finalized ? VERB_IS : VERB_HAS, one ? 1 : 2),
                       finalized ? "in MPI_Finalize or past it" : "ended or left MPI");
}

static char *say_of_the_job(const struct facts *facts)
{
    OWNED char *name = say_job(facts->job);

    return facts->part->model.n_jobs > 1 || facts->job->user >= 0 ? format_text(" of %s", name) : copy_string("");
}

size_t *threads_of(const struct facts *facts, enum fact_kind kind, size_t *n)
{
    size_t *positions = allocate_array(facts->n_list + 1, sizeof *positions);

    *n = 0;
    for (size_t i = 0; i < facts->n_list; i++)
        if (facts->list[i].kind == kind)
            positions[(*n)++] = facts->list[i].at;
    return positions;
}

static char *say_threads_of(const struct facts *facts)
{
    size_t n;
    OWNED size_t *positions = threads_of(facts, FACT_THREAD, &n);

    return say_threads(facts->rank->threads, positions, n, true);
}

static char *say_ended_threads(const struct facts *facts)
{
    size_t n;
    OWNED size_t *positions = threads_of(facts, FACT_ENDED_THREAD, &n);

    return say_threads(facts->rank->threads, positions, n, true);
}

static size_t count_threads(const struct facts *facts, enum fact_kind kind)
{
    size_t n;

    free(threads_of(facts, kind, &n));
    return n;
}

static char *say_threads_wait(const struct facts *facts)
{
    return copy_string(count_threads(facts, FACT_THREAD) == 1 ? "waits for itself" : "wait for each other");
}

static char *say_threads_have(const struct facts *facts)
{
    return copy_string(verb_form(VERB_HAS, count_threads(facts, FACT_ENDED_THREAD)));
}

/* "MPI_THREAD_FUNNELED" */
static char *say_level(const struct facts *facts)
{
    OWNED char *name = copy_string(name_of(&thread_level_names, facts->rank->witness->listing->thread_level));

    for (char *letter = name; *letter != '\0'; letter++)
        *letter = (char)toupper((unsigned char)*letter);
    return format_text("MPI_THREAD_%s", name);
}

static char *say_may_call(const struct facts *facts)
{
    return copy_string(facts->rank->witness->listing->thread_level == LEVEL_SERIALIZED
                           ? "only one thread at a time may call it"
                           : "only the thread that has initialised MPI may call it");
}

/* What a word of a pattern stands for. */
static char *say_word(const struct facts *facts, const char *word)
{
    static const struct {
        const char *word;
        char *(*say)(const struct facts *facts);
    } phrases[] = {{"on", say_on}, {"crash", say_crash}, {"wait", say_the_wait}, {"length", say_length},
                   {"parts", say_parts}, {"hops", say_hops}, {"only gone", say_only_gone}, {"of job", say_of_the_job},
                   {"threads", say_threads_of}, {"ended threads", say_ended_threads},
                   {"threads wait", say_threads_wait}, {"threads have", say_threads_have},
                   {"level", say_level}, {"may call", say_may_call}};
    const struct model *model = &facts->part->model;

    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strcmp(word, phrases[i].word) == 0)
            return phrases[i].say(facts);
    if (strcmp(word, "sender") == 0 && facts->whom.n == 0)
        return copy_string("a rank of another job");
    if (strcmp(word, "whom") == 0 || strcmp(word, "sender") == 0)
        return say_rank_set(model, &facts->whom, "", "");
    if (strcmp(word, "operation") == 0)
        return say_operation(model, facts->operation);
    if (strcmp(word, "n") == 0)
        return copy_string(NUMBER(facts->n));
    if (strcmp(word, "bytes") == 0)
        return copy_string(SUM(facts->bytes));
    if (strcmp(word, "call") == 0)
        return copy_string(call_collective_shown(facts->participant->call));
    if (strcmp(word, "parts wait") == 0)
        return copy_string(verb_form(VERB_WAITS, facts->who.n + facts->whom.n));
    if (strcmp(word, "nonblocking") == 0)
        return say_nonblocking(facts->operation->said->collective_number);
    if (strcmp(word, "collective") == 0)
        return say_collective(facts->part, facts->collective);
    if (strcmp(word, "missing") == 0)
        return copy_string(NUMBER(facts->job->world_size - (long)facts->job->n_ranks));
    return strcmp(word, "world size") == 0 ? copy_string(NUMBER(facts->job->world_size))
                                           : say_rank_set(model, &facts->who, "", "");
}

/* The whole. */

static void put_word(FILE *to, const char *name, size_t length, const struct facts *facts)
{
    OWNED char *word = format_text("%.*s", (int)length, name), *text = say_word(facts, word);

    fputs(text, to);
}

/* "one|many" */
static void put_form(FILE *to, const char *forms, size_t length, size_t n)
{
    size_t one = strcspn(forms, "|");

    fwrite(n == 1 ? forms : forms + one + 1, 1, n == 1 ? one : length - one - 1, to);
}

static char *say(const char *pattern, const struct facts *facts)
{
    static const char begins[] = "{[<", ends[] = "}]>";
    struct text_stream stream;

    text_stream_open(&stream);
    while (*pattern != '\0') {
        const char *begin = strchr(begins, *pattern);
        size_t length = begin != NULL ? (size_t)(strchr(pattern, ends[begin - begins]) - pattern) - 1 : 0;

        if (begin == NULL)
            putc(*pattern, stream.to);
        else if (*begin == '{')
            put_word(stream.to, pattern + 1, length, facts);
        else
            put_form(stream.to, pattern + 1, length, *begin == '[' ? facts->who.n : facts->whom.n);
        pattern += begin != NULL ? length + 2 : 1;
    }
    return say_capital(text_stream_close(&stream));
}

char *say_claim(const struct facts *facts)
{
    return say(claims[facts->claim], facts);
}

char *say_note(const struct note *note)
{
    return notes[note->kind] != NULL ? say(notes[note->kind], &note->facts) : NULL;
}
