/*
 * engine.h - by which command a program is started on another machine.
 */
#ifndef MQD_DUMP_ASK_ENGINE_H
#define MQD_DUMP_ASK_ENGINE_H

#include <stdbool.h>

#include "mqd/dump/base/words.h"
#include "mqd/dump/collect/child/process_owner.h"

/* The words of a command, in which %h stands for the host and %% for a %. Zeroed: there is none. */
struct engine {
    struct words words;
    bool is_srun;
    bool hands_on_input;           /* what it starts gets its standard input */
    const struct owner *owner;     /* whom it becomes; NULL: it stays who starts it */
};

/* What an engine is chosen by. */
struct engine_wish {
    const char *launch;            /* the user's own command, as in --launch; NULL: there is none */
    const char *origin;            /* where that is from, "--launch", for messages */
    long slurm_job;                /* the Slurm job that has the hosts; 0: none */
    const struct owner *owner;     /* of that job, as long as the engine lasts; NULL: who asks, or unknown */
    double seconds;                /* after which a host that does not answer is given up; 0: never */
};

/*
 * Chooses the user's own command; else srun, in a Slurm job and if there is an srun; else ssh. Slurm starts programs in
 * a job only for whose job it is, also if root asks: so srun becomes the owner. Returns false, with the reason in *why,
 * if the user's command is none that can be used, or there is no such program. Release with engine_clear in any case.
 */
bool engine_choose(struct engine *engine, const struct engine_wish *wish, char **why);

/* The program that is started, without folders. */
const char *engine_name(const struct engine *engine);

/* Which variables of the environment it gets, as in struct child. */
typedef bool engine_variables(const char *variable);
engine_variables *engine_keeps(const struct engine *engine);

/* Is the line, which it has said, about how it has ended, and not why? */
bool engine_line_is_end(const struct engine *engine, const char *line);

/* Adds the words for a host, whose name must be valid (host_name.h). */
void engine_command(const struct engine *engine, const char *host, struct words *command);

void engine_clear(struct engine *engine);

#endif
