/*
 * fake_content.h - a job that has something of everything, and its listing as text.
 */
#ifndef FAKE_CONTENT_H
#define FAKE_CONTENT_H

#include "fake_listing.h"

/* What addresses in a listing stand for: they differ between builds. */
enum { FAKE_MAX_NAMES = 32 };
struct fake_names {
    struct {
        fake_ta ta;
        char name[16];
    } items[FAKE_MAX_NAMES];
    size_t n;
};

/*
 * Gives a job that is only initialised communicators, an intercommunicator, receives and sends in every state and
 * messages of every kind, with numbers that are all different, so that a wrong offset anywhere shows. What is an
 * address in the listing gets a name.
 */
void fake_populate(struct fake_job *job, struct fake_names *names);

/* A listing as text with names for addresses: the same for every build if the job is. To be freed. */
char *fake_text(const struct fake_listing *listing, const struct fake_names *names);

#endif
