/*
 * verdict_seat.c - which process speaks for which rank of which job, and which jobs have communicators in common.
 */
#include "mqd/dump/verdict_model.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/common.h"

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    int order = (x->family > y->family) - (x->family < y->family);

    if (order == 0)
        order = strcmp(x->job, y->job);
    return order != 0 ? order : (x->world > y->world) - (x->world < y->world);
}

static void sort_seats(struct seat *seats, size_t n)
{
    if (n > 1)
        qsort(seats, n, sizeof *seats, compare_seats);
}

/* The only job, NULL if there are several; "" if none has a name. */
static const char *only_job(const struct witness *witnesses, size_t n)
{
    const char *only = "";

    for (size_t i = 0; i < n; i++) {
        if (witnesses[i].job == NULL)
            continue;
        if (*only != '\0' && strcmp(only, witnesses[i].job) != 0)
            return NULL;
        only = witnesses[i].job;
    }
    return only;
}

static long world_size(const struct seat *seats, size_t n)
{
    long size = 0;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = seats[i].witness->listing;

        for (size_t k = 0; k < listing->n; k++)
            if (listing->communicators[k].unique_id == 0 && listing->communicators[k].size > size)
                size = listing->communicators[k].size;
    }
    return size;
}

/*
 * What has ended does not tell its rank any more. If as many ranks are missing as have ended, it was these. `seats` are
 * in order and have room for n_ended more; returns how many there are then.
 */
static size_t seat_ended(struct seat *seats, size_t n, const struct witness *const *ended, size_t n_ended)
{
    long size = world_size(seats, n);
    size_t n_seats = n, at = 0;

    if (n_ended == 0 || (long)n >= size || size - (long)n != (long)n_ended)
        return n;
    for (long rank = 0; rank < size && n_seats < n + n_ended; rank++) {
        while (at < n && seats[at].world < rank)
            at++;
        if (at == n || seats[at].world != rank) {
            seats[n_seats] = (struct seat){
                .witness = ended[n_seats - n], .world = rank, .job = seats[0].job, .inferred = true};
            n_seats++;
        }
    }
    return n_seats;
}

/* Of two that claim the same rank it is not known who it is: neither speaks. Returns how many are left. */
static size_t drop_doubles(struct seat *seats, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n;) {
        size_t last = i;

        while (last + 1 < n && compare_seats(&seats[i], &seats[last + 1]) == 0)
            last++;
        if (last == i)
            seats[n_left++] = seats[i];
        i = last + 1;
    }
    return n_left;
}

/* Families. */

/* A job among the seats, and the number that Open MPI gives it. */
struct known_job {
    size_t first, end;             /* its seats */
    bool has_number;
    unsigned long number;
    size_t family;                 /* the first job of those that are connected with it */
};

static size_t find_known_jobs(struct known_job *jobs, const struct seat *seats, size_t n)
{
    size_t n_jobs = 0;

    for (size_t i = 0; i < n; i++) {
        const struct listing *listing = seats[i].witness->listing;

        if (i == 0 || strcmp(seats[i].job, seats[i - 1].job) != 0) {
            jobs[n_jobs] = (struct known_job){.first = i, .family = n_jobs};
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

static void join_families(struct known_job *jobs, size_t n, size_t a, size_t b)
{
    size_t from = jobs[a].family > jobs[b].family ? jobs[a].family : jobs[b].family;
    size_t to = jobs[a].family < jobs[b].family ? jobs[a].family : jobs[b].family;

    for (size_t i = 0; i < n; i++)
        if (jobs[i].family == from)
            jobs[i].family = to;
}

static void join_by_peers(struct known_job *jobs, size_t n, size_t job, const struct communicator *communicator)
{
    long n_peers = communicator->peers != NULL ? communicator_n_peers(communicator) : 0;

    for (long i = 0; i < n_peers; i++) {
        unsigned long number = communicator->peers[i].job;

        if (i > 0 && number == communicator->peers[i - 1].job)
            continue;
        for (size_t k = 0; k < n; k++)
            if (jobs[k].has_number && jobs[k].number == number && jobs[k].family != jobs[job].family)
                join_families(jobs, n, job, k);
    }
}

/* `seats` are in the order of their jobs. */
static void find_families(struct seat *seats, size_t n)
{
    struct known_job *jobs = allocate(n + 1, sizeof *jobs);
    size_t n_jobs = find_known_jobs(jobs, seats, n);

    for (size_t job = 0; job < n_jobs && n_jobs > 1; job++) {
        for (size_t i = jobs[job].first; i < jobs[job].end; i++) {
            const struct listing *listing = seats[i].witness->listing;

            for (size_t k = 0; k < listing->n; k++)
                join_by_peers(jobs, n_jobs, job, &listing->communicators[k]);
        }
    }
    for (size_t job = 0; job < n_jobs; job++)
        for (size_t i = jobs[job].first; i < jobs[job].end; i++)
            seats[i].family = jobs[job].family;
    free(jobs);
    sort_seats(seats, n);
}

/* All of it. */

struct seat *seats_take(const struct witness *witnesses, size_t n, size_t *n_taken)
{
    struct seat *seats = allocate(n + 1, sizeof *seats);
    const struct witness **ended = allocate(n + 1, sizeof *ended);
    const char *only = only_job(witnesses, n);
    size_t n_seats = 0, n_ended = 0;

    for (size_t i = 0; i < n; i++) {
        const char *job = witnesses[i].job != NULL ? witnesses[i].job : only != NULL ? only : "";

        if (witnesses[i].listing->rank >= 0)
            seats[n_seats++] =
                (struct seat){.witness = &witnesses[i], .world = witnesses[i].listing->rank, .job = job};
        else if (witnesses[i].ended)
            ended[n_ended++] = &witnesses[i];
    }
    sort_seats(seats, n_seats);
    n_seats = drop_doubles(seats, n_seats);
    if (only != NULL && n_seats > 0)
        n_seats = seat_ended(seats, n_seats, ended, n_ended);
    find_families(seats, n_seats);
    *n_taken = n_seats;
    free(ended);
    return seats;
}

size_t seats_end(const struct seat *seats, size_t n, size_t first)
{
    size_t end = first + 1;

    while (end < n && seats[end].family == seats[first].family)
        end++;
    return end;
}
