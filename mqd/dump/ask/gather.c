/*
 * gather.c - has processes and cores looked at by collectors, and puts together what they have seen.
 *
 * A collector may be under the control of a process that it has read. So no more is taken from it than what it was
 * asked for: a process that it was not asked for is not shown.
 */
#include "mqd/dump/ask/gather.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/ask/division.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/progress.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/record/read.h"

/*
 * A process that keeps its reader from reading the others of its owner is left out, and they are read again: once in
 * any case, and as long as less than this part of the time that a reader may take has passed since the first one was
 * started.
 */
static const double time_for_tries = 0.5, time_for_tries_without_limit = 60;

/* What a record needs in memory when it is read, for each byte of its text, and what a collector needs to make it. */
static const uint64_t bytes_per_byte = 4;

/* Of one collector more warnings are not shown: it may have read something that makes no end of them. */
enum { MAX_WARNINGS = 64 };

/* What one collector is asked for and has answered. */
struct part {
    const struct owned *owned;
    struct request request;        /* of its processes or cores only */
    char *input;
    struct record_reader reader;
    struct record *record;
    struct child child;
    bool unreadable;               /* what it has written, as its record says */
    bool *given_up;                /* of its members: they are not asked for any more */
    int n_tries;
    double first_start;
};

struct gathering {
    const struct wish *wish;
    const struct targets *targets;
    struct records *records;
    struct division division;
    struct part *parts;            /* by the owners */
    char **problems;               /* of the targets; NULL: it was read */
    struct record_rank **ranks;    /* what was read of each */
    size_t n;                      /* targets */
};

/* Asking. */

static bool take(void *context, const char *bytes, size_t n)
{
    struct part *part = context;

    part->unreadable = !record_reader_take(&part->reader, bytes, n);
    return !part->unreadable;
}

static void choose_members(struct part *part, const struct targets *all)
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

static void prepare(struct gathering *gathering, struct part *part)
{
    const struct limit_choice *limits = &gathering->wish->limits;
    uint64_t memory;
    size_t n;

    choose_members(part, gathering->targets);
    n = count_members(part);
    memory = limits_of(limits, n, part->owned->is_other).memory;
    part->input = request_write(&part->request);
    part->child = (struct child){.arguments = collector_arguments, .input = part->input,
                                 .is_other = part->owned->is_other,
                                 .seconds = limit_seconds(limits, n),
                                 .max_bytes = (memory + bytes_per_byte - 1) / bytes_per_byte,
                                 .take = take,
                                 .context = part};
    part->unreadable = false;
    record_clear(part->record);
    record_reader_start(&part->reader, part->record, "");
    record_reader_share(&part->reader, &gathering->records->pool);
    if (part->n_tries++ == 0)
        part->first_start = seconds_now();
}

static void make_parts(struct gathering *gathering)
{
    size_t n = gathering->division.n;

    gathering->parts = allocate_array(n, sizeof *gathering->parts);
    gathering->records->n = n > 0 ? n : 1;
    gathering->records->records = allocate_array(gathering->records->n, sizeof *gathering->records->records);
    for (size_t i = 0; i < n; i++) {
        struct part *part = &gathering->parts[i];

        part->owned = &gathering->division.owned[i];
        part->record = &gathering->records->records[i];
        part->request = (struct request){.wish = *gathering->wish};
        part->request.thorough = gathering->targets->among_others || n > 1 || gathering->targets->n_missing > 0;
        part->request.owner = owner_text(&part->owned->owner);
        part->request.processes = allocate_array(part->owned->n, sizeof *part->request.processes);
        part->given_up = allocate_array(part->owned->n, sizeof *part->given_up);
    }
}

static void free_parts(struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->division.n; i++) {
        struct part *part = &gathering->parts[i];

        free(part->request.owner);
        free(part->request.processes);
        words_clear(&part->request.cores);
        free(part->given_up);
        free(part->input);
        child_clear(&part->child);
    }
    free(gathering->parts);
}

/* Answers. */

/* Does the rank of a record answer for this member? */
static bool is_of(const struct gathering *gathering, const struct record_rank *rank, size_t member)
{
    const struct targets *targets = gathering->targets;

    if (targets->cores.n > 0)
        return rank->listing.core != NULL && strcmp(rank->listing.core, targets->cores.words[member]) == 0;
    return rank->listing.core == NULL && rank->listing.pid == targets->processes[member].pid;
}

/* A collector answers in the order in which it was asked. */
static void take_ranks(struct gathering *gathering, const struct part *part)
{
    size_t at = 0;

    for (size_t i = 0; i < part->owned->n && at < part->record->n; i++) {
        size_t member = part->owned->members[i];

        if (!part->given_up[i] && is_of(gathering, part->record->ranks[at], member))
            gathering->ranks[member] = part->record->ranks[at++];
    }
}

static char *problem_of(const struct part *part)
{
    if (part->unreadable)
        return format_text("has written what nobody can read: %s", part->record->problem);
    if (part->record->complete)
        return copy_string("has said nothing of it");
    return copy_string(part->child.problem != NULL ? part->child.problem : part->record->problem);
}

/* Another process that kept the reader from reading this one is named. */
static void give_up(struct gathering *gathering, struct part *part, size_t i)
{
    size_t member = part->owned->members[i];
    const struct targets *targets = gathering->targets;
    pid_t culprit = targets->cores.n == 0 && !part->record->complete ? part->child.culprit : 0;
    char **text = &gathering->problems[member], *problem = problem_of(part);

    part->given_up[i] = true;
    if (*text == NULL && culprit != 0 && culprit != targets->processes[member].pid)
        *text = format_text("it was not read: mqdump's process that was to read it was at process %d, and %s",
                            (int)culprit, problem);
    else if (*text == NULL)
        *text = format_text("it could not be read: mqdump's process that read it %s", problem);
    free(problem);
}

static bool may_try_again(const struct part *part)
{
    double time = part->child.seconds > 0 ? part->child.seconds * time_for_tries : time_for_tries_without_limit;

    return part->n_tries < 2 || seconds_now() - part->first_start < time;
}

/* If one process is known to have caused it, only that one is given up. */
static bool give_up_culprit(struct gathering *gathering, struct part *part)
{
    pid_t culprit = part->child.culprit;

    if (culprit == 0 || !may_try_again(part) || count_members(part) < 2 || part->child.refused ||
        gathering->targets->cores.n > 0)
        return false;
    for (size_t i = 0; i < part->owned->n; i++) {
        if (part->given_up[i] || gathering->targets->processes[part->owned->members[i]].pid != culprit)
            continue;
        give_up(gathering, part, i);
        return true;
    }
    return false;
}

/*
 * Takes what a collector has answered. What became of it after a whole answer is no matter of its processes. Returns
 * whether it has to be asked again.
 */
static bool take_answer(struct gathering *gathering, struct part *part)
{
    bool again;

    record_reader_finish(&part->reader);
    again = !part->record->complete && give_up_culprit(gathering, part);
    if (part->record->complete && part->child.problem != NULL)
        notice_give("mqdump's process %s after it had answered", part->child.problem);
    if (!again)
        take_ranks(gathering, part);
    for (size_t i = 0; i < part->owned->n && !again; i++)
        if (!part->given_up[i] && gathering->ranks[part->owned->members[i]] == NULL)
            give_up(gathering, part, i);
    free(part->input);
    part->input = NULL;
    return again;
}

/* Asks all, and those again that one process has kept from answering. */
static void ask(struct gathering *gathering)
{
    size_t n = gathering->division.n;
    struct part **asked = allocate_array(n, sizeof *asked);
    struct child *children = allocate_array(n, sizeof *children);

    for (size_t i = 0; i < n; i++)
        asked[i] = &gathering->parts[i];
    while (n > 0) {
        size_t n_again = 0;

        for (size_t i = 0; i < n; i++) {
            prepare(gathering, asked[i]);
            children[i] = asked[i]->child;
        }
        children_run(children, n, &child_patience);
        for (size_t i = 0; i < n; i++) {
            struct part *part = asked[i];

            part->child = children[i];
            if (take_answer(gathering, part)) {
                child_clear(&part->child);
                asked[n_again++] = part;
            }
        }
        n = n_again;
    }
    free(asked);
    free(children);
}

/* Putting together. */

static struct record_rank *add_rank(struct record *record)
{
    record->ranks = grow_array(record->ranks, record->n, &record->room, sizeof *record->ranks);
    return record->ranks[record->n++] = allocate_array(1, sizeof *record->ranks[0]);
}

/* A process that could not be read is there with the reason. */
static struct record_rank *add_unread(struct gathering *gathering, struct record *record, size_t member)
{
    const struct targets *targets = gathering->targets;
    struct record_rank *rank = add_rank(record);

    rank->listing = (struct listing){.rank = -1, .error = copy_string(gathering->problems[member])};
    if (targets->cores.n > 0)
        rank->listing.core = copy_string(targets->cores.words[member]);
    else
        rank->listing.pid = targets->processes[member].pid;
    rank->witness = (struct witness){.listing = &rank->listing};
    return rank;
}

static struct record_rank *add_missing(struct record *record, const struct missing_rank *missing)
{
    struct record_rank *rank = add_rank(record);

    rank->missing = *missing;
    rank->missing.job = copy_string(missing->job);
    rank->missing.fate = copy_string(missing->fate);
    rank->listing = (struct listing){.pid = missing->pid, .rank = missing->rank, .signal = missing->signal,
                                     .job = missing->job[0] != '\0' ? copy_string(missing->job) : NULL,
                                     .error = format_text("it %s", missing->fate)};
    rank->witness = (struct witness){.listing = &rank->listing, .job = rank->listing.job,
                                     .missing = missing->unknown ? NULL : &rank->missing};
    return rank;
}

/*
 * Whose processes a collector was asked for; -1: there is no collector, or it is not known. A core file may be a copy
 * that belongs to another user than the others of its job.
 */
static long user_of(const struct gathering *gathering, size_t part)
{
    bool is_known = part < gathering->division.n && gathering->targets->cores.n == 0;

    return is_known ? (long)gathering->division.owned[part].owner.user : -1;
}

/* Whose process it is does not come from the collector. */
static void add_witness(struct records *records, struct record_rank *rank, size_t look, long user)
{
    rank->listing.user = rank->witness.user = user;
    records->witnesses[records->n_witnesses] = rank->witness;
    records->witnesses[records->n_witnesses].look = (int)look;
    records->witnesses[records->n_witnesses].host = records->looks[look]->host;
    records->listings[records->n_witnesses++] = &rank->listing;
}

/*
 * What has no owner, and ranks that are missing, go with the first record: there is always one. A missing rank is of a
 * job that the caller has chosen, and so are the processes.
 */
static void put_together(struct gathering *gathering)
{
    struct records *records = gathering->records;
    size_t n = gathering->n + gathering->targets->n_missing;
    size_t *looks = allocate_array(gathering->n, sizeof *looks);
    long *users = allocate_array(gathering->n, sizeof *users);

    for (size_t i = 0; i < gathering->n; i++)
        users[i] = -1;
    for (size_t i = 0; i < gathering->division.n; i++) {
        for (size_t k = 0; k < gathering->division.owned[i].n; k++) {
            looks[gathering->division.owned[i].members[k]] = i;
            users[gathering->division.owned[i].members[k]] = user_of(gathering, i);
        }
    }
    records->witnesses = allocate_array(n, sizeof *records->witnesses);
    records->listings = allocate_array(n, sizeof *records->listings);
    for (size_t i = 0; i < gathering->n; i++) {
        if (gathering->ranks[i] == NULL)
            gathering->ranks[i] = add_unread(gathering, &records->records[looks[i]], i);
        add_witness(records, gathering->ranks[i], looks[i], users[i]);
    }
    for (size_t i = 0; i < gathering->targets->n_missing; i++) {
        struct record_rank *rank = add_missing(&records->records[0], &gathering->targets->missing[i]);

        add_witness(records, rank, 0, gathering->targets->missing[i].user);
    }
    free(looks);
    free(users);
}

/*
 * Says of all looks when and where they were taken. That does not come from the collectors; what could not be read of
 * one is told of its processes.
 */
static void set_looks(struct records *records)
{
    struct record_header here = {0};

    record_header_set_here(&here);
    records->n_looks = records->n;
    records->looks = allocate_array(records->n, sizeof *records->looks);
    for (size_t i = 0; i < records->n; i++) {
        struct record *record = &records->records[i];
        struct record_look look = record_look_of(&record->header);

        look.host = here.host;
        look.mqdump = here.mqdump;
        memcpy(look.taken, here.taken, sizeof look.taken);
        record_clear_looks(record);
        record_add_look(record, &look);
        records->looks[i] = &record->looks[0];
    }
    record_header_clear(&here);
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
static bool all_refused(const struct gathering *gathering)
{
    bool said = false;

    for (size_t i = 0; i < gathering->division.n; i++) {
        if (!gathering->parts[i].child.refused)
            return false;
        said |= gathering->parts[i].child.n_message_bytes > 0;
    }
    if (gathering->division.n > 0 && !said)
        notice_give("mqdump's own process has read nothing, and what it says of that cannot be read");
    return gathering->division.n > 0;
}

bool gather(struct records *records, const struct wish *wish, const struct targets *targets)
{
    struct gathering gathering = {.wish = wish, .targets = targets, .records = records,
                                  .n = targets->n_processes + targets->cores.n};
    bool good;

    *records = (struct records){.now = true, .complete = true};
    gathering.problems = allocate_array(gathering.n, sizeof *gathering.problems);
    gathering.ranks = allocate_array(gathering.n, sizeof *gathering.ranks);
    if (targets->cores.n > 0)
        divide_cores(&gathering.division, targets->cores.words, gathering.n, gathering.problems);
    else
        divide_processes(&gathering.division, targets->processes, gathering.n, gathering.problems);
    make_parts(&gathering);
    progress_start();
    ask(&gathering);
    progress_end();
    give_warnings(records);
    good = !all_refused(&gathering);
    set_looks(records);
    put_together(&gathering);
    free_parts(&gathering);
    division_clear(&gathering.division);
    for (size_t i = 0; i < gathering.n; i++)
        free(gathering.problems[i]);
    free(gathering.problems);
    free(gathering.ranks);
    return good;
}
