/*
 * gomp_types.c - debug information of libgomp, of some members only, as a build of it with -g has. Of another build
 * it is wrong.
 */
struct gomp_team {
#ifdef ANOTHER
    unsigned another;
#endif
    unsigned nthreads;
    char rest[1344 - 2 * sizeof(unsigned)];
#ifndef ANOTHER
    unsigned end;
#endif
};

unsigned team_size(const struct gomp_team *team);
unsigned team_size(const struct gomp_team *team)
{
    return team->nthreads;
}
