/*
 * explanation.h - a verdict in sentences.
 */
#ifndef MQD_DUMP_SHOW_SAY_EXPLANATION_H
#define MQD_DUMP_SHOW_SAY_EXPLANATION_H

#include "mqd/dump/verdict/analysis.h"
#include "mqd/dump/verdict/verdict.h"

/* A finding. Names of the target are in the texts as they are. */
struct explained {
    char *sentence;
    char **details;                    /* further sentences */
    size_t n_details;
};

/* Zeroed, it says that nothing was found. Facts and notes of the verdict are not to be read. */
struct explanation {
    struct verdict verdict;
    struct explained *findings;        /* of each finding of the verdict */
    char **notes;                      /* sentences about all findings: who else waits, of whom nothing is known */
    size_t n_notes, note_room;
};

/*
 * Concludes from an analysis, or from one of the witnesses that is not kept, and says it. The explanation, which is
 * released before if there was one, refers to the witnesses as a verdict does.
 */
void explanation_conclude(struct explanation *explanation, const struct analysis *analysis);
void explanation_reach(struct explanation *explanation, const struct witness *witnesses, size_t n);
void explanation_clear(struct explanation *explanation);

/* Takes the text over. */
void explanation_add_note(struct explanation *explanation, char *text);

/* The kind as a heading, "Wrong tag". */
const char *finding_heading(enum finding_kind kind);

/* The first words about it, "Deadlock, job 4711 of user 1000 (possible).", for free(); `name_job`: of several jobs. */
char *finding_title(const struct finding *finding, bool name_job);

#endif
