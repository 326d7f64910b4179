/*
 * place.h - where processes are: in which calls of MPI their threads are, what they wait for in OpenMP and for mutexes,
 * and what they run.
 *
 * "MPI_Recv from solve.c:8 in thread 3 of 4; 3 threads: OpenMP barrier at solve.c:9"
 */
#ifndef MQD_DUMP_SHOW_SAY_PLACE_H
#define MQD_DUMP_SHOW_SAY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/listing.h"
#include "mqd/dump/show/say/thread_list.h"

enum place_kind { PLACE_MPI, PLACE_WAIT, PLACE_OTHER };

/* Threads that do the same. */
struct place_group {
    enum place_kind kind;
    char *text;                    /* without what is different from rank to rank: which threads, and who has what they
                                      wait for */
    char *holder;                  /* that has it; NULL: not known, or nobody */
    bool is_main;                  /* the main thread, which is in no team */
    bool in_team;                  /* they are of teams of OpenMP */
    struct thread_member *threads; /* at least one */
    size_t n, room;
};

/* Where a process is. What is told first comes first; idle threads are left out. */
struct rank_place {
    struct place_group *groups;
    size_t n, room;
    bool one_team;                 /* all that are of a team are of one: a number tells which thread it is */
    char *key;                     /* of processes with equal ones one text can tell */
};

/* Release all of them with place_clear. The second one is where nothing but a text is known, which it takes over. */
void place_find(struct rank_place *place, const struct listing *listing);
void place_take_text(struct rank_place *place, char *text);
void place_clear(struct rank_place *place);

/*
 * Where they are, for free(): places with equal keys. Numbers and names of threads are told where they are the same of
 * all, else how many there are: "3 threads", "3-5 threads".
 */
char *place_say(const struct rank_place *const *places, size_t n);

/* The same of one process. */
char *place_say_one(const struct listing *listing);

/* What its threads wait for and which ones do, for free(): what changes without a call of MPI. "" if they do not. */
char *place_say_waits(const struct rank_place *place);

#endif
