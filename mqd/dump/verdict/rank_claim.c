/*
 * rank_claim.c - which process is which rank of which job, and which jobs have communicators in common.
 *
 * A process says itself which rank of which job it is. So the processes of each user are looked at on their own: nobody
 * can claim a rank of a job that is not his.
 */
#include "mqd/dump/verdict/rank_claim.h"

#include <limits.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/sort.h"

static int compare_claims(const void *a, const void *b)
{
    const struct rank_claim *x = a, *y = b;
    return ORDER(x->connected_jobs, y->connected_jobs) ?:
           strcmp(x->job, y->job) ?:
           ORDER(x->user, y->user) ?:
           ORDER(x->world, y->world);
}

/* Users. */

/* Of somebody whose job has that name; -1 if there is none, or more than one. */
static long user_by_name(const struct witness *witnesses, size_t n, const char *job)
{
    long user = -1;

    for (size_t i = 0; i < n && job != NULL; i++) {
        const struct listing *listing = witnesses[i].listing;

        if (listing->user < 0 || listing->job == NULL || strcmp(listing->job, job) != 0)
            continue;
        if (user >= 0 && user != listing->user)
            return -1;
        user = listing->user;
    }
    return user;
}

/* Not all records tell users. Where one does not, it is the only user, or the one whose job has the name. */
static long *find_users(const struct witness *witnesses, size_t n)
{
    long *users = allocate_array(n + 1, sizeof *users), only = -1;
    bool several = false;

    for (size_t i = 0; i < n; i++) {
        users[i] = witnesses[i].listing->user;
        several |= only >= 0 && users[i] >= 0 && users[i] != only;
        only = users[i] >= 0 ? users[i] : only;
    }
    for (size_t i = 0; i < n; i++)
        if (users[i] < 0)
            users[i] = several ? user_by_name(witnesses, n, witnesses[i].listing->job) : only;
    return users;
}

/* The next user after one, LONG_MAX if there is none. */
static long next_user(const long *users, size_t n, long after)
{
    long next = LONG_MAX;

    for (size_t i = 0; i < n; i++)
        if (users[i] > after && users[i] < next)
            next = users[i];
    return next;
}

/* The jobs of one user. */

/* What the processes say of their jobs. */
struct naming {
    const char *name;              /* of the only job; NULL: there are several; "": none has a name */
    const char *number;            /* Open MPI's of a job as a text, "" if that is not known */
    bool several_numbers;          /* Open MPI has given them numbers of several jobs */
};

static struct naming find_naming(const struct witness *const *witnesses, size_t n)
{
    struct naming naming = {.name = "", .number = ""};
    const struct listing *numbered = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = witnesses[i]->listing;

        if (listing->job != NULL && naming.name != NULL)
            naming.name = *naming.name == '\0' || strcmp(naming.name, listing->job) == 0 ? listing->job : NULL;
        if (*naming.number == '\0' && witnesses[i]->job_number != NULL)
            naming.number = witnesses[i]->job_number;
        naming.several_numbers |= listing->has_name && numbered != NULL && numbered->name.job != listing->name.job;
        numbered = listing->has_name ? listing : numbered;
    }
    return naming;
}

/*
 * The job of a process that its launcher has given no name: that of another process with the same number of Open MPI's,
 * or one that only the number tells from others. That is so for programs that were started without a launcher.
 */
static const char *job_by_number(const struct witness *const *witnesses, size_t n, const struct witness *witness)
{
    for (size_t i = 0; i < n; i++)
        if (witnesses[i]->listing->job != NULL && witnesses[i]->listing->has_name &&
            witnesses[i]->listing->name.job == witness->listing->name.job)
            return witnesses[i]->listing->job;
    return witness->job_number;
}

/* Adds to a job what one of its ranks shows. */
static void extend_job(struct model_job *job, const struct rank_claim *claim)
{
    const struct listing *listing = claim->witness->listing;

    job->n_ranks++;
    if (listing->has_name) {
        job->has_number = true;
        job->number = listing->name.job;
    }
    for (size_t i = 0; i < listing->n; i++)
        if (listing->communicators[i].unique_id == 0 && listing->communicators[i].size > job->world_size)
            job->world_size = listing->communicators[i].size;
    job->n_ids = claim->world >= job->n_ids ? claim->world + 1 : job->n_ids;
    job->n_ids = job->world_size > job->n_ids ? job->world_size : job->n_ids;
}

size_t jobs_of_claims(struct model_job *jobs, const struct rank_claim *claims, size_t n)
{
    size_t n_jobs = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(claims[i].job, claims[i - 1].job) != 0 || claims[i].user != claims[i - 1].user) {
            jobs[n_jobs] = (struct model_job){.name = claims[i].job, .user = claims[i].name_users ? claims[i].user : -1,
                                              .first_rank = i, .connected_jobs = n_jobs,
                                              .base = n_jobs > 0 ? jobs[n_jobs - 1].base + jobs[n_jobs - 1].n_ids : 0};
            n_jobs++;
        }
        extend_job(&jobs[n_jobs - 1], &claims[i]);
    }
    return n_jobs;
}

/*
 * A process that has ended does not tell its rank any more. If as many ranks are missing as processes have ended, these
 * processes were these ranks. `claims` are sorted, of one job, and have room for n_ended more. Returns the new number of
 * claims.
 */
static size_t claim_for_ended(struct rank_claim *claims, size_t n, const struct witness *const *ended, size_t n_ended)
{
    struct model_job job;
    size_t n_claims = n, at = 0;

    jobs_of_claims(&job, claims, n);
    if (n_ended == 0 || (long)n >= job.world_size || job.world_size - (long)n != (long)n_ended)
        return n;
    for (long rank = 0; rank < job.world_size && n_claims < n + n_ended; rank++) {
        while (at < n && claims[at].world < rank)
            at++;
        if (at == n || claims[at].world != rank) {
            claims[n_claims] = (struct rank_claim){
                .witness = ended[n_claims - n], .world = rank, .job = claims[0].job, .user = claims[0].user,
                .inferred = true};
            n_claims++;
        }
    }
    return n_claims;
}

/* If two processes claim the same rank it is not known which one it is: both are dropped. Returns how many are left. */
static size_t drop_doubles(struct rank_claim *claims, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_claims(&claims[i], &claims[end]) == 0;)
            end++;
        if (end == i + 1)
            claims[n_left++] = claims[i];
    }
    return n_left;
}

/* Connected jobs. */

static void connect_jobs(struct model_job *jobs, size_t n, size_t a, size_t b)
{
    size_t from = a > b ? a : b, to = a > b ? b : a;

    for (size_t i = 0; i < n; i++)
        if (jobs[i].connected_jobs == from)
            jobs[i].connected_jobs = to;
}

static void join_by_peers(struct model_job *jobs, size_t n, size_t job, const struct communicator *communicator,
                          const struct rank_claim *claims)
{
    long n_peers = communicator->peers != NULL ? communicator_n_peers(communicator) : 0;

    for (long i = 0; i < n_peers; i++) {
        unsigned long number = communicator->peers[i].job;

        if (i > 0 && number == communicator->peers[i - 1].job)
            continue;
        for (size_t k = 0; k < n; k++)
            if (jobs[k].has_number && jobs[k].number == number &&
                claims[jobs[k].first_rank].user == claims[jobs[job].first_rank].user &&
                jobs[k].connected_jobs != jobs[job].connected_jobs)
                connect_jobs(jobs, n, jobs[job].connected_jobs, jobs[k].connected_jobs);
    }
}

/* `claims` are sorted by job. */
static void find_connected_jobs(struct rank_claim *claims, size_t n)
{
    OWNED struct model_job *jobs = allocate_array(n + 1, sizeof *jobs);
    size_t n_jobs = jobs_of_claims(jobs, claims, n);
    bool share = false;

    for (size_t i = 0, job = 0; i < n && n_jobs > 1; i++) {
        job += i == jobs[job].first_rank + jobs[job].n_ranks;
        share |= job > 0 && strcmp(jobs[job].name, jobs[job - 1].name) == 0;
        for (size_t k = 0; k < claims[i].witness->listing->n; k++)
            join_by_peers(jobs, n_jobs, job, &claims[i].witness->listing->communicators[k], claims);
    }
    for (size_t i = 0, job = 0; i < n; i++) {
        job += i == jobs[job].first_rank + jobs[job].n_ranks;
        claims[i].connected_jobs = jobs[job].connected_jobs;
        claims[i].name_users = share;
    }
    SORT(claims, n, compare_claims);
}

/* All of it. */

/* Adds claims of one user's processes at the end. Returns how many. */
static size_t take_of_user(struct rank_claim *claims, const struct witness *const *witnesses, size_t n, long user,
                           bool several_users)
{
    OWNED const struct witness **ended = allocate_array(n + 1, sizeof *ended);
    struct naming naming = find_naming(witnesses, n);
    bool several = naming.several_numbers;
    size_t n_claims = 0, n_ended = 0;

    if (naming.name != NULL && *naming.name == '\0' && !several && several_users)
        naming.name = naming.number;
    for (size_t i = 0; i < n; i++) {
        const struct witness *witness = witnesses[i];
        const char *job = witness->listing->job;

        if (job == NULL && several && witness->job_number != NULL)
            job = job_by_number(witnesses, n, witness);
        if (job == NULL)
            job = naming.name != NULL ? naming.name : "";
        if (witness->listing->rank >= 0)
            claims[n_claims++] = (struct rank_claim){
                .witness = witness, .world = witness->listing->rank, .job = job, .user = user};
        else if (witness->ended)
            ended[n_ended++] = witness;
    }
    SORT(claims, n_claims, compare_claims);
    n_claims = drop_doubles(claims, n_claims);
    if (naming.name != NULL && !several && n_claims > 0)
        n_claims = claim_for_ended(claims, n_claims, ended, n_ended);
    return n_claims;
}

struct rank_claim *rank_claims_take(const struct witness *witnesses, size_t n, size_t *n_taken)
{
    struct rank_claim *claims = allocate_array(n + 1, sizeof *claims);
    OWNED const struct witness **of_user = allocate_array(n + 1, sizeof *of_user);
    OWNED long *users = find_users(witnesses, n);
    long user = next_user(users, n, LONG_MIN);
    bool several_users = next_user(users, n, user) != LONG_MAX;
    size_t n_claims = 0;

    for (; user != LONG_MAX; user = next_user(users, n, user)) {
        size_t n_of_user = 0;

        for (size_t i = 0; i < n; i++)
            if (users[i] == user)
                of_user[n_of_user++] = &witnesses[i];
        n_claims += take_of_user(claims + n_claims, of_user, n_of_user, user, several_users);
    }
    SORT(claims, n_claims, compare_claims);
    find_connected_jobs(claims, n_claims);
    *n_taken = n_claims;
    return claims;
}

size_t rank_claims_end(const struct rank_claim *claims, size_t n, size_t first)
{
    size_t end = first + 1;

    while (end < n && claims[end].connected_jobs == claims[first].connected_jobs)
        end++;
    return end;
}
