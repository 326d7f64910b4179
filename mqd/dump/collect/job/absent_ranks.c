/*
 * absent_ranks.c - what is known of the ranks of a job that were not found on this machine.
 */
#include "mqd/dump/collect/job/absent_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/ranges.h"

/* A process may have any values in its environment: of a job with more ranks only those are named that are known. */
enum { MAX_RANKS = 1 << 22 };

enum { MAX_HOSTS = 8 };            /* named in a note; a longer list would not be read */

/* Where each rank of a job is. */
enum place { HERE, MISSING, ENDED, ELSEWHERE, NAMED, UNKNOWN };

struct rank_place {
    enum place place;
    uint32_t host;                 /* of ELSEWHERE: its position */
    pid_t pid;                     /* as the launcher says; 0: unknown */
};

struct places {
    struct rank_place *ranks;
    size_t n;
    const struct job *job;
    const struct job_hosts *hosts;
    uint32_t number;
};

static size_t count_ranks(const struct places *places)
{
    size_t n = places->job->size > 0 && places->job->size <= MAX_RANKS ? (size_t)places->job->size : 0;

    for (size_t i = 0; i < places->hosts->n; i++) {
        const struct job_host *host = &places->hosts->hosts[i];

        for (size_t j = 0; j < host->n; j++)
            if (host->ranks[j].job == places->number && host->ranks[j].rank < MAX_RANKS &&
                (size_t)host->ranks[j].rank >= n)
                n = (size_t)host->ranks[j].rank + 1;
    }
    return n;
}

static void place_as_told(struct places *places)
{
    for (size_t i = 0; i < places->hosts->n; i++) {
        const struct job_host *host = &places->hosts->hosts[i];

        for (size_t j = 0; j < host->n; j++) {
            size_t rank = (size_t)host->ranks[j].rank;

            if (host->ranks[j].job == places->number && rank < places->n)
                places->ranks[rank] = (struct rank_place){.place = host->is_here ? MISSING : ELSEWHERE,
                                                          .host = (uint32_t)i, .pid = host->ranks[j].pid};
        }
    }
}

static void place_all(struct places *places)
{
    const struct job *job = places->job;
    bool all_here = job->size > 0 && job->local_size >= job->size;

    places->n = count_ranks(places);
    places->ranks = allocate_array(places->n, sizeof *places->ranks);
    for (size_t i = 0; i < places->n; i++)
        places->ranks[i].place = all_here ? MISSING : UNKNOWN;
    if (places->number != NO_JOB_NUMBER)
        place_as_told(places);
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank >= 0 && (size_t)job->ranks[i].rank < places->n)
            places->ranks[job->ranks[i].rank].place = HERE;
}

/*
 * Notes all ranks in one place. For ELSEWHERE these are all ranks on the machine of the first such rank, which are
 * NAMED afterwards. False: there is none.
 */
static bool note_ranks(struct absent_ranks *absent, struct places *places, enum place place, const char *what)
{
    OWNED long *ranks = allocate_array(places->n, sizeof *ranks);
    OWNED char *ranges = NULL;
    const char *host = "";
    uint32_t number = 0;
    size_t n = 0;

    for (size_t i = 0; i < places->n; i++) {
        struct rank_place *rank = &places->ranks[i];

        if (rank->place != place || (place == ELSEWHERE && n > 0 && rank->host != number))
            continue;
        if (place == ELSEWHERE) {
            number = rank->host;
            host = places->hosts->hosts[number].name;
            rank->place = NAMED;
        }
        ranks[n++] = (long)i;
    }
    ranges = ranks_list(ranks, n, ",");
    if (n > 0)
        APPEND(absent->notes, absent->n_notes, absent->note_room,
               format_text("job %s: rank%s %s %s%s", places->job->name, n == 1 ? "" : "s", ranges, what, host));
    return n > 0;
}

/* Adds a rank. Has it certainly ended? */
static bool add_missing(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job, long rank,
                        pid_t pid, pid_t launcher)
{
    APPEND(absent->missing, absent->n_missing, absent->missing_room,
           missing_rank_find(jobs, job, rank, pid, launcher));
    return absent->missing[absent->n_missing - 1].certain;
}

static void search_missing(struct absent_ranks *absent, const struct jobs *jobs, struct places *places, pid_t launcher)
{
    for (size_t i = 0; i < places->n && absent->n_missing < MAX_MISSING_RANKS; i++)
        if (places->ranks[i].place == MISSING &&
            add_missing(absent, jobs, places->job, (long)i, places->ranks[i].pid, launcher))
            places->ranks[i].place = ENDED;
}

/* Ranks on more hosts than can be named. */
static void forget_rest(struct places *places)
{
    for (size_t i = 0; i < places->n; i++)
        if (places->ranks[i].place == ELSEWHERE)
            places->ranks[i].place = UNKNOWN;
}

void absent_ranks_find(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                       const struct job_hosts *hosts, uint32_t number, pid_t launcher)
{
    struct places places = {.job = job, .hosts = hosts, .number = number};
    int n_hosts = 0;

    place_all(&places);
    search_missing(absent, jobs, &places, launcher);
    note_ranks(absent, &places, ENDED, "not found: ended");
    note_ranks(absent, &places, MISSING, "not found: ended, or without Open MPI (as yet)");
    while (n_hosts < MAX_HOSTS && note_ranks(absent, &places, ELSEWHERE, "not on this machine, but on "))
        n_hosts++;
    forget_rest(&places);
    note_ranks(absent, &places, UNKNOWN, "not found: on other machines, ended, or without Open MPI (as yet)");
    free(places.ranks);
}

static bool has_rank(const struct job *job, long rank)
{
    for (size_t i = 0; i < job->n; i++)
        if (job->ranks[i].rank == rank)
            return true;
    return false;
}

void absent_ranks_expect(struct absent_ranks *absent, const struct jobs *jobs, const struct job *job,
                         const struct expected_rank *ranks, size_t n, pid_t launcher)
{
    for (size_t i = 0; i < n && absent->n_missing < MAX_MISSING_RANKS; i++)
        if (!has_rank(job, ranks[i].rank))
            add_missing(absent, jobs, job, ranks[i].rank, ranks[i].pid, launcher);
}

void absent_ranks_clear(struct absent_ranks *absent)
{
    for (size_t i = 0; i < absent->n_missing; i++)
        missing_rank_clear(&absent->missing[i]);
    for (size_t i = 0; i < absent->n_notes; i++)
        free(absent->notes[i]);
    FREE_ALL(absent->missing, absent->notes);
    *absent = (struct absent_ranks){0};
}
