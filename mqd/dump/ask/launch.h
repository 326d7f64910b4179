/*
 * launch.h - by which command a program is started on another machine.
 */
#ifndef MQD_DUMP_ASK_LAUNCH_H
#define MQD_DUMP_ASK_LAUNCH_H

#include <stdbool.h>

#include "mqd/dump/base/words.h"
#include "mqd/dump/collect/child/process_owner.h"

/* The words of a command, in which %h stands for the host and %% for a %. Zeroed: there is none. */
struct launch {
    struct words words;
    bool is_srun;
    bool hands_on_input;           /* what it starts gets its standard input */
    const struct owner *owner;     /* whom it becomes; NULL: it stays who starts it */
};

/* How the user wants other machines to be reached. */
struct reach {
    const char *command;           /* the user's own command, as in --launch; NULL: there is none */
    const char *origin;            /* where that is from, "--launch", for messages */
    const char *program;           /* mqdump there; NULL: the same file as here */
    size_t fanout;                 /* machines that are asked at the same time */
};

/* What a command is chosen by. */
struct launch_wish {
    const struct reach *reach;
    long slurm_job;                /* the Slurm job that has the hosts; 0: none */
    const struct owner *owner;     /* of that job, as long as the command lasts; NULL: who asks, or unknown */
    double seconds;                /* after which a host that does not answer is given up; 0: never */
};

/*
 * Chooses the user's own command; else srun, in a Slurm job and if there is an srun; else ssh. Slurm starts programs in
 * a job only for whose job it is, also if root asks: so srun becomes the owner. Returns false, with the reason in *why,
 * if the user's command is none that can be used, or there is no such program. Release with launch_clear in any case.
 */
bool launch_choose(struct launch *launch, const struct launch_wish *wish, char **why);

/* The program that is started, without folders. */
const char *launch_name(const struct launch *launch);

/* Which variables of the environment it gets, as in struct child. */
typedef bool launch_variables(const char *variable);
launch_variables *launch_keeps(const struct launch *launch);

/* Is the line, which it has said, about how it has ended, and not why? */
bool launch_line_is_end(const struct launch *launch, const char *line);

/* Adds the words for a host, whose name must be valid (host_list.h). */
void launch_command(const struct launch *launch, const char *host, struct words *command);

void launch_clear(struct launch *launch);

/*
 * What starts a program on another machine hands its command to a shell there: sh, csh, fish or another. So a word has
 * only characters that mean nothing to any of them, wherever they stand in it.
 */

/* Returns the text, for free(), with %XX in place of each byte that is no letter, digit or one of "._@:+,/-". */
char *argument_write(const char *text) __attribute__((returns_nonnull, warn_unused_result));

/* Returns the text that argument_write has made a word of, for free(). NULL if it is no such word, or has a NUL. */
char *argument_read(const char *word) __attribute__((warn_unused_result));

/* Can the text be the name of a program in a command for any shell? */
bool argument_is_program(const char *text);

#endif
