/*
 * scene.h - the collective operations in which a group of ranks is stuck, and what they prove.
 */
#ifndef MQD_DUMP_VERDICT_SCENE_H
#define MQD_DUMP_VERDICT_SCENE_H

#include "mqd/dump/verdict/circle.h"

/* More communicators are not readable. */
enum { MAX_GATHERINGS = 4 };

/* The collective operations of a group of ranks. */
struct scene {
    const struct group *group;
    size_t gatherings[MAX_GATHERINGS];     /* that no finding is about yet; those with the most ranks first */
    size_t n;
    bool any;                              /* there are some, told or not */
    bool elsewhere;                        /* a rank of the group is in none of them */
};

/* Finds the scene of a group, and marks its gatherings as told. */
struct scene scene_find(struct conclusion *conclusion, const struct group *group);

/* Returns the kind of what is wrong, and puts into *gathering where. The scene must have a gathering. */
enum finding_kind scene_kind(const struct conclusion *conclusion, const struct scene *scene, size_t *gathering);

/* Are all ranks of the group in collective operations on one communicator? */
bool scene_is_complete(const struct scene *scene);

/* How many of its gatherings are known to be on windows? */
size_t scene_count_windows(const struct conclusion *conclusion, const struct scene *scene);

/* Is some rank there in a function with a root? */
bool scene_has_rooted(const struct conclusion *conclusion, size_t gathering);

/*
 * Returns a message from a root that a rank has not taken, while it is stuck in another function that ranks leave
 * together. Where all ranks are in collective operations, it may also wait in the same function for another rank's
 * message; else this could be one of the next call. UINT32_MAX: there is none.
 */
uint32_t scene_untaken(const struct conclusion *conclusion, const struct attendance *attendance, bool all);

#endif
