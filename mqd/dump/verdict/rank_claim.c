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

static void sort_claims(struct rank_claim *claims, size_t n)
{
    SORT(claims, n, compare_claims);
}

/* Users. */

/* Of somebody whose job has that name; -1 if there is none, or more than one. */
static long user_by_name(const struct witness *witnesses, size_t n, const char *job)
{
    long user = -1;

    for (size_t i = 0; i < n && job != NULL; i++) {
        if (witnesses[i].user < 0 || witnesses[i].job == NULL || strcmp(witnesses[i].job, job) != 0)
            continue;
        if (user >= 0 && user != witnesses[i].user)
            return -1;
        user = witnesses[i].user;
    }
    return user;
}

/* Not all records tell users. Where one does not, it is the only user, or the one whose job has the name. */
static long *find_users(const struct witness *witnesses, size_t n)
{
    long *users = allocate_array(n + 1, sizeof *users), only = -1;
    bool several = false;

    for (size_t i = 0; i < n; i++) {
        several |= only >= 0 && witnesses[i].user >= 0 && witnesses[i].user != only;
        if (witnesses[i].user >= 0)
            only = witnesses[i].user;
    }
    for (size_t i = 0; i < n; i++)
        users[i] = witnesses[i].user >= 0 ? witnesses[i].user
                   : several              ? user_by_name(witnesses, n, witnesses[i].job)
                                          : only;
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

/* The only job, NULL if there are several; "" if none has a name. */
static const char *only_job(const struct witness *const *witnesses, size_t n)
{
    const char *only = "";

    for (size_t i = 0; i < n; i++) {
        if (witnesses[i]->job == NULL)
            continue;
        if (*only != '\0' && strcmp(only, witnesses[i]->job) != 0)
            return NULL;
        only = witnesses[i]->job;
    }
    return only;
}

/* Open MPI's number of a job as its name, "" if that is not known. */
static const char *any_number(const struct witness *const *witnesses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (witnesses[i]->job_number != NULL)
            return witnesses[i]->job_number;
    return "";
}

/* Has Open MPI given the processes numbers of several jobs? */
static bool numbers_differ(const struct witness *const *witnesses, size_t n)
{
    const struct listing *first = NULL;

    for (size_t i = 0; i < n; i++) {
        if (!witnesses[i]->listing->has_name)
            continue;
        if (first != NULL && first->name.job != witnesses[i]->listing->name.job)
            return true;
        first = witnesses[i]->listing;
    }
    return false;
}

/*
 * The job of a process that its launcher has given no name: that of another process with the same number of Open MPI's,
 * or one that only the number tells from others. That is so for programs that were started without a launcher.
 */
static const char *job_by_number(const struct witness *const *witnesses, size_t n, const struct witness *witness)
{
    for (size_t i = 0; i < n; i++)
        if (witnesses[i]->job != NULL && witnesses[i]->listing->has_name &&
            witnesses[i]->listing->name.job == witness->listing->name.job)
            return witnesses[i]->job;
    return witness->job_number;
}

static long world_size(const struct rank_claim *claims, size_t n)
{
    long size = 0;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = claims[i].witness->listing;

        for (size_t k = 0; k < listing->n; k++)
            if (listing->communicators[k].unique_id == 0 && listing->communicators[k].size > size)
                size = listing->communicators[k].size;
    }
    return size;
}

/*
 * A process that has ended does not tell its rank any more. If as many ranks are missing as processes have ended, these
 * processes were these ranks. `claims` are sorted and have room for n_ended more. Returns the new number of claims.
 */
static size_t claim_for_ended(struct rank_claim *claims, size_t n, const struct witness *const *ended, size_t n_ended)
{
    long size = world_size(claims, n);
    size_t n_claims = n, at = 0;

    if (n_ended == 0 || (long)n >= size || size - (long)n != (long)n_ended)
        return n;
    for (long rank = 0; rank < size && n_claims < n + n_ended; rank++) {
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

    for (size_t i = 0; i < n;) {
        size_t last = i;

        while (last + 1 < n && compare_claims(&claims[i], &claims[last + 1]) == 0)
            last++;
        if (last == i)
            claims[n_left++] = claims[i];
        i = last + 1;
    }
    return n_left;
}

/* Connected jobs. */

/* A job among the claims, and the number that Open MPI gives it. */
struct known_job {
    long user;
    size_t first, end;             /* its claims */
    bool has_number;
    unsigned long number;
    size_t connected_jobs;                 /* the first job of those that are connected with it */
};

static size_t find_known_jobs(struct known_job *jobs, const struct rank_claim *claims, size_t n)
{
    size_t n_jobs = 0;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = claims[i].witness->listing;

        if (i == 0 || strcmp(claims[i].job, claims[i - 1].job) != 0 || claims[i].user != claims[i - 1].user) {
            jobs[n_jobs] = (struct known_job){.user = claims[i].user, .first = i, .connected_jobs = n_jobs};
            n_jobs++;
        }
        jobs[n_jobs - 1].end = i + 1;
        if (listing->has_name) {
            jobs[n_jobs - 1].has_number = true;
            jobs[n_jobs - 1].number = listing->name.job;
        }
    }
    return n_jobs;
}

static void connect_jobs(struct known_job *jobs, size_t n, size_t a, size_t b)
{
    size_t from = jobs[a].connected_jobs > jobs[b].connected_jobs ? jobs[a].connected_jobs : jobs[b].connected_jobs;
    size_t to = jobs[a].connected_jobs < jobs[b].connected_jobs ? jobs[a].connected_jobs : jobs[b].connected_jobs;

    for (size_t i = 0; i < n; i++)
        if (jobs[i].connected_jobs == from)
            jobs[i].connected_jobs = to;
}

static void join_by_peers(struct known_job *jobs, size_t n, size_t job, const struct communicator *communicator)
{
    long n_peers = communicator->peers != NULL ? communicator_n_peers(communicator) : 0;

    for (long i = 0; i < n_peers; i++) {
        unsigned long number = communicator->peers[i].job;

        if (i > 0 && number == communicator->peers[i - 1].job)
            continue;
        for (size_t k = 0; k < n; k++)
            if (jobs[k].has_number && jobs[k].number == number && jobs[k].user == jobs[job].user &&
                jobs[k].connected_jobs != jobs[job].connected_jobs)
                connect_jobs(jobs, n, job, k);
    }
}

/* `claims` are sorted by job. */
static void find_connected_jobs(struct rank_claim *claims, size_t n)
{
    OWNED struct known_job *jobs = allocate_array(n + 1, sizeof *jobs);
    size_t n_jobs = find_known_jobs(jobs, claims, n);
    bool share = false;

    for (size_t job = 0; job < n_jobs && n_jobs > 1; job++) {
        for (size_t i = jobs[job].first; i < jobs[job].end; i++) {
            const struct listing *listing = claims[i].witness->listing;

            for (size_t k = 0; k < listing->n; k++)
                join_by_peers(jobs, n_jobs, job, &listing->communicators[k]);
        }
    }
    for (size_t job = 1; job < n_jobs; job++)
        share |= strcmp(claims[jobs[job].first].job, claims[jobs[job - 1].first].job) == 0;
    for (size_t job = 0; job < n_jobs; job++) {
        for (size_t i = jobs[job].first; i < jobs[job].end; i++) {
            claims[i].connected_jobs = jobs[job].connected_jobs;
            claims[i].name_users = share;
        }
    }
    sort_claims(claims, n);
}

/* All of it. */

/* Adds claims of one user's processes at the end. Returns how many. */
static size_t take_of_user(struct rank_claim *claims, const struct witness *const *witnesses, size_t n, long user,
                           bool several_users)
{
    OWNED const struct witness **ended = allocate_array(n + 1, sizeof *ended);
    const char *only = only_job(witnesses, n);
    bool several = numbers_differ(witnesses, n);
    size_t n_claims = 0, n_ended = 0;

    if (only != NULL && *only == '\0' && !several && several_users)
        only = any_number(witnesses, n);
    for (size_t i = 0; i < n; i++) {
        const char *job = witnesses[i]->job;

        if (job == NULL && several && witnesses[i]->job_number != NULL)
            job = job_by_number(witnesses, n, witnesses[i]);
        if (job == NULL)
            job = only != NULL ? only : "";
        if (witnesses[i]->listing->rank >= 0)
            claims[n_claims++] = (struct rank_claim){
                .witness = witnesses[i], .world = witnesses[i]->listing->rank, .job = job, .user = user};
        else if (witnesses[i]->ended)
            ended[n_ended++] = witnesses[i];
    }
    sort_claims(claims, n_claims);
    n_claims = drop_doubles(claims, n_claims);
    if (only != NULL && !several && n_claims > 0)
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
    sort_claims(claims, n_claims);
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
