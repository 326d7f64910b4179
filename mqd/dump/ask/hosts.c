/*
 * hosts.c - has the ranks of jobs looked at on all of their machines, and puts together what was seen.
 *
 * Another machine may be in the hands of whose job it is. So of its record no more is taken than what it was asked for:
 * ranks of these jobs and this user, and it is the machine that it was asked as, whatever it calls itself.
 */
#include "mqd/dump/ask/hosts.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/ask/host.h"
#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/hash.h"
#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/host_phrase.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/shared.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/collect/child/process_owner.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/look/records.h"

/* Each takes a kilobyte, whatever a launcher says that it has started. */
enum { MAX_UNREAD = 1000 * 1000 };

/* Descriptors that each child takes here, and those that the rest needs. */
enum { DESCRIPTORS_EACH = 4, DESCRIPTORS_OF_OWN = 64 };

struct asking {
    const struct selection *selection;
    struct records *records;
    struct hosts_question question;
    struct host *hosts;            /* of each record */
    struct name_index known;       /* keys of the ranks that are in a record */
    struct texts *keys;
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
    OWNED char *program = reach->program != NULL ? copy_string(reach->program) : own_path(why);

    if (program == NULL || argument_is_program(program))
        return TAKEN(program);
    set_reason(why, "'%s' cannot be the name of mqdump on other machines, since a shell there would not take it as it "
               "is: --remote-mqdump FILE has letters, digits and '/', '.', '_', '-', '+', ',', ':', '@'", program);
    return NULL;
}

static void make_request(struct request *request, const struct wish *wish, const struct selection *selection)
{
    double seconds = limit_host_seconds(&wish->limits);

    *request = (struct request){.task = REQUEST_LOOK, .wish = *wish, .user = selection->user,
                                .seconds = seconds < MOST_REQUEST_SECONDS ? (long)seconds : MOST_REQUEST_SECONDS};
    for (size_t i = 0; i < selection->jobs.n && i < MAX_REQUEST_JOBS; i++)
        words_add(&request->jobs, copy_string(selection->jobs.words[i]));
    if (selection->family && selection->jobs.n > 0)
        words_add(&request->families, copy_string(selection->jobs.words[0]));
}

/* Descriptors that lack would be told as a failure of hosts. */
static size_t bounded_fanout(size_t fanout)
{
    struct rlimit files;
    size_t most;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
        files.rlim_cur / DESCRIPTORS_EACH > fanout + DESCRIPTORS_OF_OWN)
        return fanout;
    most = files.rlim_cur > DESCRIPTORS_OF_OWN ? (size_t)(files.rlim_cur - DESCRIPTORS_OF_OWN) / DESCRIPTORS_EACH : 1;
    return fanout < most ? fanout : most > 0 ? most : 1;
}

static void ask(struct asking *asking, size_t fanout)
{
    const struct patience patience = {.after_expiry = 1, .at_once = bounded_fanout(fanout), .counted = "hosts"};
    const struct job_hosts *hosts = &asking->selection->hosts;
    struct records *records = asking->records;
    OWNED struct answer **answers = allocate_array(hosts->n, sizeof *answers);

    records->pool.max_memory = limit_all_memory(&asking->question.request.wish.limits);
    records->n = hosts->n;
    records->records = allocate_array(hosts->n, sizeof *records->records);
    asking->hosts = allocate_array(hosts->n, sizeof *asking->hosts);
    for (size_t i = 0; i < hosts->n; i++) {
        asking->hosts[i] = (struct host){.job_host = &hosts->hosts[i], .question = &asking->question,
                                         .answer.record = &records->records[i]};
        host_prepare(&asking->hosts[i], &records->pool);
        answers[i] = &asking->hosts[i].answer;
    }
    answers_run(answers, hosts->n, &patience);
    for (size_t i = 0; i < hosts->n; i++)
        host_finish(&asking->hosts[i]);
}

/* Answers. */

/* A process that could not be read may not have told its job. */
static bool is_wanted(const struct asking *asking, const struct listing *listing)
{
    if (listing->core != NULL || (asking->question.request.user >= 0 && listing->user != asking->question.request.user))
        return false;
    if (listing->job == NULL)
        return listing->error != NULL && !listing->has_communicators;
    return request_has_job(&asking->question.request, listing->job);
}

/* Its record has one look. What it tells of others it may have from anywhere. */
static void drop_others(struct asking *asking, struct host *host)
{
    struct record *record = host->answer.record;
    size_t n_left = 0, n_dropped;

    for (size_t i = 0; i < record->n; i++) {
        if (record->ranks[i]->witness.look == 0 && is_wanted(asking, &record->ranks[i]->listing))
            record->ranks[n_left++] = record->ranks[i];
        else
            record_rank_free(record->ranks[i]);
    }
    n_dropped = record->n - n_left;
    record->n = n_left;
    if (n_dropped > 0 && host->problem == NULL)
        host->problem = format_text("has told of %zu process%s of jobs or users that it was not asked for, which %s "
                                      "left out", n_dropped, n_dropped == 1 ? "" : "es", n_dropped == 1 ? "is" : "are");
}

static void note_version(struct asking *asking, const struct host *host)
{
    const struct record_look *look = record_first_look(host->answer.record);
    const char *version = look->mqdump;
    OWNED char *text = NULL;

    if (look->taken[0] == '\0' || (version != NULL && strcmp(version, PACKAGE_VERSION) == 0))
        return;
    text = format_text("its mqdump has version %s, and this one " PACKAGE_VERSION,
                       version != NULL ? version : "that is unknown");
    host_messages_add(&asking->question.messages, host->job_host, text);
}

/* The only look of its record is that of the host as it was asked. */
static void set_look(const struct host *host)
{
    struct record *record = host->answer.record;
    struct record_look look = *record_first_look(record), copy;

    look.host = (char *)(uintptr_t)host->job_host->name;
    look.problem = host->problem;
    copy = record_look_copy(&look);
    record_clear_looks(record);
    if (copy.taken[0] != '\0' || copy.problem != NULL)
        record_add_look(record, &copy);
    record_look_clear(&copy);
}

static void take_warnings(struct asking *asking, const struct host *host)
{
    const struct record *record = host->answer.record;

    for (size_t i = 0; i < record->n_warnings && i < MAX_WARNINGS; i++) {
        OWNED char *text = format_text("warning: %s", record->warnings[i]);

        host_messages_add(&asking->question.messages, host->job_host, text);
    }
}

static void take_problem(struct asking *asking, const struct host *host)
{
    struct record *record = host->answer.record;

    if (host->problem == NULL)
        return;
    host_messages_add(&asking->question.messages, host->job_host, host->problem);
    asking->records->complete = record->complete = false;
    free(record->problem);
    record->problem = copy_string(host->problem);
}

static void take_answer(struct asking *asking, struct host *host)
{
    free(host->answer.record->name);
    host->answer.record->name = copy_string(host->job_host->name);
    note_version(asking, host);
    take_warnings(asking, host);
    drop_others(asking, host);
    take_problem(asking, host);
    set_look(host);
}

/* Ranks of which nothing has come. */

/* False: the rank is known. */
static bool note_rank(struct asking *asking, const char *job, long rank)
{
    OWNED char *key = format_text("%ld %s", rank, job);
    uint32_t position;

    return !name_index_find(&asking->known, key, &position) &&
           name_index_add(&asking->known, texts_add(&asking->keys, key, strlen(key)), 0);
}

static void note_known(struct asking *asking, const struct record *record)
{
    for (size_t i = 0; i < record->n; i++) {
        const struct listing *listing = &record->ranks[i]->listing;

        if (listing->job != NULL && listing->rank >= 0)
            note_rank(asking, listing->job, listing->rank);
    }
}

/* A rank that is said to be somewhere, which may be wrong, has not ended: it could not be looked at. */
static void add_unread(struct asking *asking, const struct host *host, const char *job,
                       const struct expected_rank *expected)
{
    const char *name = host->job_host->name;
    char *error = host->problem != NULL ? host_error(name, host->problem)
                                        : format_text("it is said to be on %s, whose mqdump tells nothing of it", name);

    record_add_unread(host->answer.record, &(struct listing){.rank = expected->rank, .pid = expected->pid,
                                                             .user = asking->selection->user,
                                                             .job = copy_string(job), .error = error});
}

static void add_all_unread(struct asking *asking, size_t i)
{
    const struct job_host *host = &asking->selection->hosts.hosts[i];

    for (size_t k = 0; k < host->n; k++) {
        const char *job = host->ranks[k].job < asking->selection->jobs.n
                              ? asking->selection->jobs.words[host->ranks[k].job] : NULL;

        if (job == NULL || !note_rank(asking, job, host->ranks[k].rank))
            continue;
        if (asking->n_unread++ < MAX_UNREAD)
            add_unread(asking, &asking->hosts[i], job, &host->ranks[k]);
    }
}

/* What is known is asked only if something was expected. */
static void add_missing(struct asking *asking)
{
    const struct job_hosts *hosts = &asking->selection->hosts;
    size_t n_expected = 0;

    for (size_t i = 0; i < hosts->n; i++)
        n_expected += hosts->hosts[i].n;
    if (n_expected == 0)
        return;
    for (size_t i = 0; i < asking->records->n; i++)
        note_known(asking, &asking->records->records[i]);
    for (size_t i = 0; i < asking->records->n; i++)
        add_all_unread(asking, i);
    texts_release(TAKEN(asking->keys));
    name_index_clear(&asking->known);
    if (asking->n_unread <= MAX_UNREAD)
        return;
    asking->records->complete = false;
    notice_give("a launcher tells of %zu ranks that were not read: the first %d of them are shown", asking->n_unread,
                MAX_UNREAD);
}

static void take_answers(struct asking *asking)
{
    size_t n = asking->records->n;

    for (size_t i = 0; i < n; i++)
        take_answer(asking, &asking->hosts[i]);
    add_missing(asking);
    host_messages_give(&asking->question.messages);
    records_join(asking->records);
}

/* If all hosts have answered, and have nothing, the job has ended, or its name is another one. */
static void explain_nothing(const struct asking *asking)
{
    const struct selection *selection = asking->selection;
    OWNED const char **hosts = allocate_array(selection->hosts.n, sizeof *hosts);
    OWNED char *folded = NULL;

    for (size_t i = 0; i < selection->hosts.n; i++)
        hosts[i] = selection->hosts.hosts[i].name;
    folded = host_list_fold(hosts, selection->hosts.n);
    notice_give("job %s has no ranks on %s", selection->jobs.n > 0 ? selection->jobs.words[0] : "", folded);
}

static void release(struct asking *asking)
{
    for (size_t i = 0; i < asking->records->n; i++)
        free(asking->hosts[i].problem);
    FREE_ALL(asking->hosts, asking->question.program);
    text_groups_clear(&asking->question.messages.said);
    words_clear(&asking->question.request.jobs);
    words_clear(&asking->question.request.families);
    launch_clear(&asking->question.launch);
}

/* Whose the jobs are, with the groups of a process of theirs. False: unknown. */
static bool find_owner(struct owner *owner, const struct selection *selection)
{
    OWNED char *why = NULL;
    bool found = selection->principal.pid != 0 && owner_of_process(owner, selection->principal.pid, &why);

    return found && (long)owner->user == selection->user &&
           proc_read_start_time(selection->principal.pid) == selection->principal.start;
}

/* For whom srun cannot be started as the user whose job it is, it is not started: the number of the job is that user's. */
static long slurm_job_of(const struct selection *selection, bool has_owner)
{
    return geteuid() != 0 || has_owner || selection->user <= 0 ? selection->hosts.slurm_job : 0;
}

bool ask_hosts(struct records *records, const struct wish *wish, const struct selection *selection,
               const struct reach *reach)
{
    struct owner owner = {0};
    bool has_owner = find_owner(&owner, selection);
    const struct launch_wish launch_wish = {.reach = reach, .slurm_job = slurm_job_of(selection, has_owner),
                                            .owner = has_owner ? &owner : NULL,
                                            .seconds = limit_host_seconds(&wish->limits)};
    struct asking asking = {.selection = selection, .records = records,
                            .question.messages.hosts = &selection->hosts};
    OWNED char *why = NULL;
    bool good;

    *records = (struct records){.now = true, .complete = true};
    asking.question.program = program_of(reach, &why);
    good = asking.question.program != NULL && launch_choose(&asking.question.launch, &launch_wish, &why);
    if (good) {
        make_request(&asking.question.request, wish, selection);
        ask(&asking, reach->fanout);
        take_answers(&asking);
        good = records->n_witnesses > 0 || !records->complete;
        if (!good)
            explain_nothing(&asking);
    } else {
        notice_give("%s", why);
    }
    release(&asking);
    owner_clear(&owner);
    return good;
}
