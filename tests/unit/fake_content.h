/*
 * fake_content.h - a job that has every kind of operation, and its listing as text.
 */
#ifndef FAKE_CONTENT_H
#define FAKE_CONTENT_H

#include <stdio.h>

#include "fake_listing.h"

/* Names for addresses in a listing, since addresses differ between builds. */
enum { FAKE_MAX_NAMES = 32 };
struct fake_names {
    struct {
        fake_ta ta;
        char name[16];
    } items[FAKE_MAX_NAMES];
    size_t n;
};

/* Gives the n-th address of a kind its name, "recv1". Returns the address. */
fake_ta fake_name(struct fake_names *names, const char *kind, unsigned n, fake_ta ta);

/*
 * Adds to a job after MPI_Init communicators, an intercommunicator, receives and sends in every state and messages of
 * every kind. All numbers are different, so that every wrong offset shows. Each address in the listing gets a name.
 */
void fake_populate(struct fake_job *job, struct fake_names *names);

/* Returns a listing as text with names for addresses, for free(). Equal jobs of any build have equal texts. */
char *fake_text(const struct fake_listing *listing, const struct fake_names *names);

/* An address by its name, else as a number; a line of the DLL's, in which addresses are in hexadecimal. */
void fake_print_address(FILE *text, const struct fake_names *names, uint64_t ta);
void fake_print_line(FILE *text, const struct fake_names *names, const char *line);

#endif
