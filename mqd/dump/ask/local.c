/*
 * local.c - has processes and cores looked at by collectors, and puts together what they have seen.
 *
 * A collector may be under the control of a process that it has read. So no more is taken from it than what it was
 * asked for: a process that it was not asked for is not shown.
 */
#include "mqd/dump/ask/local.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/ask/division.h"
#include "mqd/dump/ask/engine.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/record/read.h"

/*
 * A process that keeps its reader from reading the others of its owner is left out, and they are read again: once in
 * any case, and as long as less than this part of the time that a reader may take has passed since the first one was
 * started.
 */
static const double time_for_tries = 0.5, time_for_tries_without_limit = 60;

/* What a record needs in memory when it is read, for each byte of its text, and what a collector needs to make it. */
static const uint64_t bytes_per_byte = 4;

/* What one collector is asked for and has answered. */
struct part {
    const struct owned *owned;
    struct request request;        /* of its processes or cores only */
    struct answer answer;
    bool *given_up;                /* of its members: they are not asked for any more */
    int n_tries;
    double first_start;
};

struct asking {
    const struct wish *wish;
    const struct selection *selection;
    struct records *records;
    struct division division;
    struct part *parts;            /* by the owners */
    char **problems;               /* of what is selected; NULL: it was read */
    struct record_rank **ranks;    /* what was read of each */
    size_t n;                      /* of the selected */
};

/* Asking. */

static void choose_members(struct part *part, const struct selection *all)
{
    part->request.n_processes = 0;
    words_clear(&part->request.cores);
    for (size_t i = 0; i < part->owned->n; i++) {
        size_t member = part->owned->members[i];

        if (part->given_up[i])
            continue;
        if (all->cores.n > 0)
            words_add(&part->request.cores, copy_string(all->cores.words[member]));
        else
            part->request.processes[part->request.n_processes++] = all->processes[member];
    }
}

static size_t count_members(const struct part *part)
{
    return part->request.n_processes + part->request.cores.n;
}

static void prepare(struct asking *asking, struct part *part)
{
    const struct limit_choice *limits = &asking->wish->limits;
    struct child *child = &part->answer.child;
    uint64_t memory;
    size_t n;

    choose_members(part, asking->selection);
    n = count_members(part);
    memory = limits_of(limits, n, part->owned->is_other).memory;
    answer_prepare(&part->answer, &part->request, &asking->records->pool);
    child->arguments = collector_arguments;
    child->input = part->answer.input;
    child->keeps = part->owned->is_other ? variable_is_harmless : NULL;
    child->seconds = limit_seconds(limits, n);
    child->max_bytes = (memory + bytes_per_byte - 1) / bytes_per_byte;
    if (part->n_tries++ == 0)
        part->first_start = seconds_now();
}

static void make_parts(struct asking *asking)
{
    const struct selection *selection = asking->selection;
    struct records *records = asking->records;
    size_t n = asking->division.n;

    asking->parts = allocate_array(n, sizeof *asking->parts);
    records->n = n > 0 ? n : 1;
    records->records = allocate_array(records->n, sizeof *records->records);
    for (size_t i = 0; i < n; i++) {
        const struct owned *owned = &asking->division.owned[i];

        asking->parts[i] = (struct part){
            .owned = owned, .answer.record = &records->records[i],
            .request = {.task = REQUEST_LOOK, .wish = *asking->wish, .has_owner = true, .owner = owned->owner,
                        .thorough = selection->among_others || n > 1 || selection->absent.n_missing > 0,
                        .processes = allocate_array(owned->n, sizeof *selection->processes)},
            .given_up = allocate_array(owned->n, sizeof(bool))};
    }
}

static void free_parts(struct asking *asking)
{
    for (size_t i = 0; i < asking->division.n; i++) {
        struct part *part = &asking->parts[i];

        FREE_ALL(part->request.processes, part->given_up);
        words_clear(&part->request.cores);
        answer_clear(&part->answer);
    }
    free(asking->parts);
}

/* Answers. */

/* Does the rank of a record answer for this member? */
static bool is_of(const struct asking *asking, const struct record_rank *rank, size_t member)
{
    const struct selection *selection = asking->selection;

    if (selection->cores.n > 0)
        return rank->listing.core != NULL && strcmp(rank->listing.core, selection->cores.words[member]) == 0;
    return rank->listing.core == NULL && rank->listing.pid == selection->processes[member].pid;
}

/* A collector answers in the order in which it was asked. */
static void take_ranks(struct asking *asking, const struct part *part)
{
    size_t at = 0;

    for (size_t i = 0; i < part->owned->n && at < part->answer.record->n; i++) {
        size_t member = part->owned->members[i];

        if (!part->given_up[i] && is_of(asking, part->answer.record->ranks[at], member))
            asking->ranks[member] = part->answer.record->ranks[at++];
    }
}

static char *problem_of(const struct part *part)
{
    if (part->answer.unreadable)
        return format_text("has written what nobody can read: %s", part->answer.record->problem);
    if (part->answer.record->complete)
        return copy_string("has said nothing of it");
    return copy_string(part->answer.child.problem != NULL ? part->answer.child.problem : part->answer.record->problem);
}

/* Another process that kept the reader from reading this one is named. */
static void give_up(struct asking *asking, struct part *part, size_t i)
{
    size_t member = part->owned->members[i];
    const struct selection *selection = asking->selection;
    pid_t culprit = selection->cores.n == 0 && !part->answer.record->complete ? part->answer.child.culprit : 0;
    char **text = &asking->problems[member];
    OWNED char *problem = problem_of(part);

    part->given_up[i] = true;
    if (*text == NULL && culprit != 0 && culprit != selection->processes[member].pid)
        *text = format_text("it was not read: mqdump's process that was to read it was at process %d, and %s",
                            (int)culprit, problem);
    else if (*text == NULL)
        *text = format_text("it could not be read: mqdump's process that read it %s", problem);
}

static bool may_try_again(const struct part *part)
{
    double seconds = part->answer.child.seconds;
    double time = seconds > 0 ? seconds * time_for_tries : time_for_tries_without_limit;

    return part->n_tries < 2 || seconds_now() - part->first_start < time;
}

/* If one process is known to have caused it, only that one is given up. */
static bool give_up_culprit(struct asking *asking, struct part *part)
{
    pid_t culprit = part->answer.child.culprit;

    if (culprit == 0 || !may_try_again(part) || count_members(part) < 2 || part->answer.child.refused ||
        asking->selection->cores.n > 0)
        return false;
    for (size_t i = 0; i < part->owned->n; i++) {
        if (part->given_up[i] || asking->selection->processes[part->owned->members[i]].pid != culprit)
            continue;
        give_up(asking, part, i);
        return true;
    }
    return false;
}

/*
 * Takes what a collector has answered. What became of it after a whole answer is no matter of its processes. Returns
 * whether it has to be asked again.
 */
static bool take_answer(struct asking *asking, struct part *part)
{
    bool again;

    record_reader_finish(&part->answer.reader);
    again = !part->answer.record->complete && give_up_culprit(asking, part);
    if (part->answer.record->complete && part->answer.child.problem != NULL)
        notice_give("mqdump's process %s after it had answered", part->answer.child.problem);
    if (!again)
        take_ranks(asking, part);
    for (size_t i = 0; i < part->owned->n && !again; i++)
        if (!part->given_up[i] && asking->ranks[part->owned->members[i]] == NULL)
            give_up(asking, part, i);
    return again;
}

/* Asks all, and those again that one process has kept from answering. */
static void ask(struct asking *asking)
{
    size_t n = asking->division.n;
    OWNED struct part **asked = allocate_array(n, sizeof *asked);
    OWNED struct answer **answers = allocate_array(n, sizeof *answers);

    for (size_t i = 0; i < n; i++)
        asked[i] = &asking->parts[i];
    while (n > 0) {
        size_t n_again = 0;

        for (size_t i = 0; i < n; i++) {
            prepare(asking, asked[i]);
            answers[i] = &asked[i]->answer;
        }
        answers_run(answers, n, &child_patience);
        for (size_t i = 0; i < n; i++) {
            if (!take_answer(asking, asked[i]))
                continue;
            answer_clear(&asked[i]->answer);
            asked[n_again++] = asked[i];
        }
        n = n_again;
    }
}

/* Putting together. */

/* A process that could not be read is there with the reason. */
static struct record_rank *add_unread(struct asking *asking, struct record *record, size_t member)
{
    const struct selection *selection = asking->selection;
    struct listing listing = {.rank = -1, .error = copy_string(asking->problems[member])};

    if (selection->cores.n > 0)
        listing.core = copy_string(selection->cores.words[member]);
    else
        listing.pid = selection->processes[member].pid;
    return record_add_unread(record, &listing);
}

static struct record_rank *add_missing(struct record *record, const struct missing_rank *missing)
{
    struct record_rank *rank = record_add_unread(record, &(struct listing){
        .pid = missing->pid, .rank = missing->rank, .signal = missing->signal,
        .job = missing->job[0] != '\0' ? copy_string(missing->job) : NULL,
        .error = format_text("it %s", missing->fate)});

    rank->missing = *missing;
    rank->missing.job = copy_string(missing->job);
    rank->missing.fate = copy_string(missing->fate);
    rank->witness.missing = missing->unknown ? NULL : &rank->missing;
    return rank;
}

/*
 * Whose processes a collector was asked for; -1: there is no collector, or it is not known. A core file may be a copy
 * that belongs to another user than the others of its job.
 */
static long user_of(const struct asking *asking, size_t part)
{
    bool is_known = part < asking->division.n && asking->selection->cores.n == 0;

    return is_known ? (long)asking->division.owned[part].owner.user : -1;
}

/* Whose process it is does not come from the collector. */
static void add_witness(struct records *records, struct record_rank *rank, size_t look, long user)
{
    rank->listing.user = user;
    records_add_witness(records, &rank->witness, look);
}

/*
 * What has no owner, and ranks that are missing, go with the first record: there is always one. A missing rank is of a
 * job that the caller has chosen, and so are the processes.
 */
static void put_together(struct asking *asking)
{
    const struct absent_ranks *absent = &asking->selection->absent;
    struct records *records = asking->records;
    size_t n = asking->n + absent->n_missing, none = asking->division.n;
    OWNED size_t *parts = allocate_array(asking->n, sizeof *parts);

    for (size_t i = 0; i < asking->n; i++)
        parts[i] = none;
    for (size_t i = 0; i < asking->division.n; i++)
        for (size_t k = 0; k < asking->division.owned[i].n; k++)
            parts[asking->division.owned[i].members[k]] = i;
    records->witnesses = allocate_array(n, sizeof *records->witnesses);
    records->listings = allocate_array(n, sizeof *records->listings);
    for (size_t i = 0; i < asking->n; i++) {
        size_t look = parts[i] != none ? parts[i] : 0;

        if (asking->ranks[i] == NULL)
            asking->ranks[i] = add_unread(asking, &records->records[look], i);
        add_witness(records, asking->ranks[i], look, user_of(asking, parts[i]));
    }
    for (size_t i = 0; i < absent->n_missing; i++)
        add_witness(records, add_missing(&records->records[0], &absent->missing[i]), 0, absent->missing[i].user);
}

/*
 * Says of all looks when and where they were taken. That does not come from the collectors; what could not be read of
 * one is told of its processes.
 */
static void set_looks(struct records *records)
{
    RELEASED_BY(record_look_clear) struct record_look here = {0};

    record_look_set_here(&here);
    records->n_looks = records->n;
    records->looks = allocate_array(records->n, sizeof *records->looks);
    for (size_t i = 0; i < records->n; i++) {
        struct record *record = &records->records[i];
        const struct record_look *first = record_first_look(record);

        here.n_processes = first->n_processes;
        here.has = first->has;
        record_clear_looks(record);
        record_add_look(record, &here);
        records->looks[i] = &record->looks[0];
    }
}

static void give_warnings(const struct records *records)
{
    for (size_t i = 0; i < records->n; i++) {
        const struct record *record = &records->records[i];

        for (size_t k = 0; k < record->n_warnings && k < MAX_WARNINGS; k++)
            warning_give("%s", record->warnings[k]);
        if (record->n_warnings > MAX_WARNINGS)
            notice_give("%zu more warnings are not shown", record->n_warnings - MAX_WARNINGS);
    }
}

/* Has each collector refused to do anything? Each has said why, unless that could not be read. */
static bool all_refused(const struct asking *asking)
{
    bool said = false;

    for (size_t i = 0; i < asking->division.n; i++) {
        if (!asking->parts[i].answer.child.refused)
            return false;
        said |= asking->parts[i].answer.child.n_message_bytes > 0;
    }
    if (asking->division.n > 0 && !said)
        notice_give("mqdump's own process has read nothing, and what it says of that cannot be read");
    return asking->division.n > 0;
}

bool ask_local(struct records *records, const struct wish *wish, const struct selection *selection)
{
    struct asking asking = {.wish = wish, .selection = selection, .records = records,
                                  .n = selection->n_processes + selection->cores.n};
    bool good;

    *records = (struct records){.now = true, .complete = true};
    asking.problems = allocate_array(asking.n, sizeof *asking.problems);
    asking.ranks = allocate_array(asking.n, sizeof *asking.ranks);
    if (selection->cores.n > 0)
        divide_cores(&asking.division, selection->cores.words, asking.n, asking.problems);
    else
        divide_processes(&asking.division, selection->processes, asking.n, asking.problems);
    make_parts(&asking);
    ask(&asking);
    give_warnings(records);
    good = !all_refused(&asking);
    set_looks(records);
    put_together(&asking);
    free_parts(&asking);
    division_clear(&asking.division);
    for (size_t i = 0; i < asking.n; i++)
        free(asking.problems[i]);
    FREE_ALL(asking.problems, asking.ranks);
    return good;
}
