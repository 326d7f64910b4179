/*
 * gather_hosts.c - has the ranks of jobs looked at on all of their machines, and puts together what was seen.
 *
 * Another machine may be in the hands of whose job it is. So of its record no more is taken than what it was asked for:
 * ranks of these jobs and this user, and it is the machine that it was asked as, whatever it calls itself.
 */
#include "mqd/dump/ask/gather_hosts.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/ask/argument.h"
#include "mqd/dump/ask/engine.h"
#include "mqd/dump/ask/host_messages.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/ask/nodes.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/child/process_owner.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/look/join.h"

/* Of one host more warnings are not shown. */
enum { MAX_WARNINGS = 64 };

/* Each takes a kilobyte, whatever a launcher says that it has started. */
enum { MAX_UNREAD = 1000 * 1000 };

struct gathering {
    const struct wish *wish;
    const struct selection *selection;
    const struct reach *reach;
    struct records *records;
    struct request request;
    struct node_answer *answers;
    struct host_messages messages;
    struct name_index known;       /* keys of the ranks that are in a record */
    char **keys;
    size_t n_keys, key_room;
    size_t n_unread;               /* ranks that somebody has told of and nobody has read */
};

/* Asking. */

/* The program itself, as it is called on all machines of a site. */
static char *own_path(char **why)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0) {
        set_reason(why, "where mqdump is cannot be found out (/proc/self/exe: %s): --remote-mqdump FILE says where it "
                   "is on the other machines", strerror(errno));
        return NULL;
    }
    path[length] = '\0';
    return copy_string(path);
}

static char *program_of(const struct reach *reach, char **why)
{
    char *program = reach->program != NULL ? copy_string(reach->program) : own_path(why);

    if (program == NULL || argument_is_program(program))
        return program;
    set_reason(why, "'%s' cannot be the name of mqdump on other machines, since a shell there would not take it as it "
               "is: --remote-mqdump FILE has letters, digits and '/', '.', '_', '-', '+', ',', ':', '@'", program);
    free(program);
    return NULL;
}

static void complete_request(struct gathering *gathering)
{
    const struct selection *selection = gathering->selection;
    struct request *request = &gathering->request;
    double seconds = limit_host_seconds(&gathering->wish->limits);

    *request = (struct request){.task = REQUEST_LOOK, .wish = *gathering->wish, .user = selection->user,
                                .seconds = seconds < MOST_REQUEST_SECONDS ? (long)seconds : MOST_REQUEST_SECONDS};
    for (size_t i = 0; i < selection->n_jobs && i < MAX_REQUEST_JOBS; i++)
        words_add(&request->jobs, copy_string(selection->jobs[i]));
    if (selection->family && selection->n_jobs > 0)
        words_add(&request->families, copy_string(selection->jobs[0]));
}

static void ask(struct gathering *gathering, const struct engine *engine, const char *program)
{
    const struct limit_choice *limits = &gathering->wish->limits;
    const struct nodes_wish asked = {.hosts = &gathering->selection->hosts, .request = &gathering->request,
                                     .engine = engine, .program = program, .fanout = gathering->reach->fanout,
                                     .seconds = limit_host_seconds(limits),
                                     .max_memory = limit_host_memory(limits),
                                     .pool = &gathering->records->pool};

    gathering->records->pool.max_memory = limit_all_memory(limits);
    gathering->records->n = asked.hosts->n;
    gathering->records->records = allocate_array(asked.hosts->n, sizeof *gathering->records->records);
    gathering->answers = allocate_array(asked.hosts->n, sizeof *gathering->answers);
    nodes_ask(&asked, gathering->records->records, gathering->answers, &gathering->messages);
}

/* Answers. */

/* A process that could not be read may not have told its job. */
static bool is_wanted(const struct gathering *gathering, const struct listing *listing)
{
    if (listing->core != NULL || (gathering->request.user >= 0 && listing->user != gathering->request.user))
        return false;
    if (listing->job == NULL)
        return listing->error != NULL && !listing->has_communicators;
    return request_has_job(&gathering->request, listing->job);
}

/* Its record has one look. What it tells of others it may have from anywhere. */
static void drop_others(struct gathering *gathering, struct node_answer *answer)
{
    struct record *record = answer->record;
    size_t n_left = 0, n_dropped;

    for (size_t i = 0; i < record->n; i++) {
        if (record->ranks[i]->witness.look == 0 && is_wanted(gathering, &record->ranks[i]->listing))
            record->ranks[n_left++] = record->ranks[i];
        else
            record_rank_free(record->ranks[i]);
    }
    n_dropped = record->n - n_left;
    record->n = n_left;
    if (n_dropped > 0 && answer->problem == NULL)
        answer->problem = format_text("has told of %zu process%s of jobs or users that it was not asked for, which %s "
                                      "left out", n_dropped, n_dropped == 1 ? "" : "es", n_dropped == 1 ? "is" : "are");
}

static void note_version(struct gathering *gathering, const struct node_answer *answer)
{
    const char *version = answer->record->header.mqdump;
    char *text;

    if (answer->record->header.taken[0] == '\0' || (version != NULL && strcmp(version, PACKAGE_VERSION) == 0))
        return;
    text = format_text("its mqdump has version %s, and this one " PACKAGE_VERSION,
                       version != NULL ? version : "that is unknown");
    host_messages_add(&gathering->messages, answer->host, text);
    free(text);
}

/* The only look of its record is that of the host as it was asked. */
static void set_look(const struct node_answer *answer)
{
    struct record *record = answer->record;
    struct record_look look = record_look_of(&record->header), copy;

    look.host = (char *)(uintptr_t)answer->host;
    look.problem = answer->problem;
    copy = record_look_copy(&look);
    record_clear_looks(record);
    if (copy.taken[0] != '\0' || copy.problem != NULL)
        record_add_look(record, &copy);
    record_look_clear(&copy);
    free(record->header.host);
    record->header.host = copy_string(answer->host);
}

static void take_warnings(struct gathering *gathering, const struct node_answer *answer)
{
    const struct record *record = answer->record;

    for (size_t i = 0; i < record->n_warnings && i < MAX_WARNINGS; i++) {
        char *text = format_text("warning: %s", record->warnings[i]);

        host_messages_add(&gathering->messages, answer->host, text);
        free(text);
    }
}

static void take_problem(struct gathering *gathering, const struct node_answer *answer)
{
    struct record *record = answer->record;

    if (answer->problem == NULL)
        return;
    host_messages_add(&gathering->messages, answer->host, answer->problem);
    gathering->records->complete = record->complete = false;
    free(record->problem);
    record->problem = copy_string(answer->problem);
}

static void take_answer(struct gathering *gathering, struct node_answer *answer)
{
    free(answer->record->name);
    answer->record->name = copy_string(answer->host);
    note_version(gathering, answer);
    take_warnings(gathering, answer);
    drop_others(gathering, answer);
    take_problem(gathering, answer);
    set_look(answer);
}

/* Ranks of which nothing has come. */

static char *key_of(const char *job, long rank)
{
    return format_text("%ld %s", rank, job);
}

/* Takes the key over. False: it is known. */
static bool note_key(struct gathering *gathering, char *key)
{
    if (!name_index_add(&gathering->known, key, 0)) {
        free(key);
        return false;
    }
    gathering->keys = grow_array(gathering->keys, gathering->n_keys, &gathering->key_room, sizeof *gathering->keys);
    gathering->keys[gathering->n_keys++] = key;
    return true;
}

static void note_known(struct gathering *gathering, const struct record *record)
{
    for (size_t i = 0; i < record->n; i++) {
        const struct listing *listing = &record->ranks[i]->listing;

        if (listing->job != NULL && listing->rank >= 0)
            note_key(gathering, key_of(listing->job, listing->rank));
    }
}

/* A rank that is said to be somewhere, which may be wrong, has not ended: it could not be looked at. */
static void add_unread(struct gathering *gathering, const struct node_answer *answer, const char *job,
                       const struct expected_rank *expected)
{
    struct record *record = answer->record;
    struct record_rank *rank = allocate_array(1, sizeof *rank);

    rank->listing = (struct listing){
        .rank = expected->rank, .pid = expected->pid, .user = gathering->selection->user, .job = copy_string(job),
        .error = answer->problem != NULL ? format_text("it is on %s, which %s", answer->host, answer->problem)
                                         : format_text("it is said to be on %s, whose mqdump tells nothing of it",
                                                       answer->host)};
    rank->witness = (struct witness){.listing = &rank->listing, .job = rank->listing.job, .user = rank->listing.user};
    record->ranks = grow_array(record->ranks, record->n, &record->room, sizeof *record->ranks);
    record->ranks[record->n++] = rank;
}

static void add_all_unread(struct gathering *gathering, size_t i)
{
    const struct job_host *host = &gathering->selection->hosts.hosts[i];

    for (size_t k = 0; k < host->n; k++) {
        const char *job = host->ranks[k].job < gathering->selection->n_jobs
                              ? gathering->selection->jobs[host->ranks[k].job] : NULL;

        if (job == NULL || !note_key(gathering, key_of(job, host->ranks[k].rank)))
            continue;
        if (gathering->n_unread++ < MAX_UNREAD)
            add_unread(gathering, &gathering->answers[i], job, &host->ranks[k]);
    }
}

static void forget_known(struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->n_keys; i++)
        free(gathering->keys[i]);
    free(gathering->keys);
    gathering->keys = NULL;
    gathering->n_keys = gathering->key_room = 0;
    name_index_clear(&gathering->known);
}

/* What is known is asked only if something was expected. */
static void add_missing(struct gathering *gathering)
{
    const struct job_hosts *hosts = &gathering->selection->hosts;
    size_t n_expected = 0;

    for (size_t i = 0; i < hosts->n; i++)
        n_expected += hosts->hosts[i].n;
    for (size_t i = 0; n_expected > 0 && i < gathering->records->n; i++)
        note_known(gathering, &gathering->records->records[i]);
    for (size_t i = 0; n_expected > 0 && i < gathering->records->n; i++)
        add_all_unread(gathering, i);
    forget_known(gathering);
    if (gathering->n_unread <= MAX_UNREAD)
        return;
    gathering->records->complete = false;
    notice_give("a launcher tells of %zu ranks that were not read: the first %d of them are shown", gathering->n_unread,
                MAX_UNREAD);
}

static void take_answers(struct gathering *gathering)
{
    size_t n = gathering->records->n;

    for (size_t i = 0; i < n; i++)
        take_answer(gathering, &gathering->answers[i]);
    add_missing(gathering);
    host_messages_give(&gathering->messages);
    records_join(gathering->records);
}

/* If all hosts have answered, and have nothing, the job has ended, or its name is another one. */
static void explain_nothing(const struct gathering *gathering)
{
    const struct selection *selection = gathering->selection;
    const char **hosts = allocate_array(selection->hosts.n, sizeof *hosts);
    char *folded;

    for (size_t i = 0; i < selection->hosts.n; i++)
        hosts[i] = selection->hosts.hosts[i].name;
    folded = host_list_fold(hosts, selection->hosts.n);
    notice_give("job %s has no ranks on %s", selection->n_jobs > 0 ? selection->jobs[0] : "", folded);
    free(folded);
    free(hosts);
}

static void release(struct gathering *gathering)
{
    for (size_t i = 0; i < gathering->records->n; i++)
        free(gathering->answers[i].problem);
    free(gathering->answers);
    host_messages_clear(&gathering->messages);
    words_clear(&gathering->request.jobs);
    words_clear(&gathering->request.families);
}

/* Whose the jobs are, with the groups of a process of theirs. False: unknown. */
static bool find_owner(struct owner *owner, const struct selection *selection)
{
    char *why = NULL;
    bool found = selection->principal.pid != 0 && owner_of_process(owner, selection->principal.pid, &why);

    free(why);
    return found && (long)owner->user == selection->user &&
           proc_read_start_time(selection->principal.pid) == selection->principal.start;
}

/* For whom srun cannot be started as the user whose job it is, it is not started: the number of the job is that user's. */
static long slurm_job_of(const struct selection *selection, bool has_owner)
{
    return geteuid() != 0 || has_owner || selection->user <= 0 ? selection->hosts.slurm_job : 0;
}

bool gather_hosts(struct records *records, const struct wish *wish, const struct selection *selection,
                  const struct reach *reach)
{
    struct owner owner = {0};
    bool has_owner = find_owner(&owner, selection);
    const struct engine_wish engine_wish = {.launch = reach->launch, .origin = reach->launch_origin,
                                            .slurm_job = slurm_job_of(selection, has_owner),
                                            .owner = has_owner ? &owner : NULL,
                                            .seconds = limit_host_seconds(&wish->limits)};
    struct gathering gathering = {.wish = wish, .selection = selection, .reach = reach, .records = records};
    struct engine engine = {0};
    char *why = NULL, *program = program_of(reach, &why);
    bool good = program != NULL && engine_choose(&engine, &engine_wish, &why);

    *records = (struct records){.now = true, .complete = true};
    if (good) {
        complete_request(&gathering);
        ask(&gathering, &engine, program);
        take_answers(&gathering);
        good = records->n_witnesses > 0 || !records->complete;
        if (!good)
            explain_nothing(&gathering);
        release(&gathering);
    } else {
        notice_give("%s", why);
    }
    engine_clear(&engine);
    owner_clear(&owner);
    free(program);
    free(why);
    return good;
}
