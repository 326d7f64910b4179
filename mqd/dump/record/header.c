/*
 * header.c - when and where a look was taken.
 */
#include "mqd/dump/record/header.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"

static void set_time(struct record_header *header)
{
    struct timespec now = {0};
    struct tm date = {0};
    char seconds[24];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(header->taken, sizeof header->taken, "%s.%06uZ", seconds,
             (unsigned)(now.tv_nsec / 1000) % 1000000u);
}

void record_header_set_here(struct record_header *header)
{
    char host[256] = "";

    header->mqdump = copy_string(PACKAGE_VERSION);
    if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0')
        header->host = copy_string(host);
    set_time(header);
}

void record_header_clear(struct record_header *header)
{
    free(header->mqdump);
    free(header->host);
    *header = (struct record_header){0};
}

static char *copy(const char *text)
{
    return text != NULL ? copy_string(text) : NULL;
}

struct record_look record_look_of(const struct record_header *header)
{
    struct record_look look = {.host = header->host, .mqdump = header->mqdump, .n_processes = header->n_processes,
                               .why = header->why, .internal = header->internal, .layout = header->layout,
                               .queues = header->queues, .stacks = header->stacks};

    memcpy(look.taken, header->taken, sizeof look.taken);
    return look;
}

struct record_look record_look_copy(const struct record_look *look)
{
    struct record_look own = *look;

    own.host = copy(look->host);
    own.mqdump = copy(look->mqdump);
    own.problem = copy(look->problem);
    return own;
}

void record_look_clear(struct record_look *look)
{
    free(look->host);
    free(look->mqdump);
    free(look->problem);
    *look = (struct record_look){0};
}

bool record_time_is_valid(const char *taken)
{
    static const char form[] = "0000-00-00T00:00:00.000000Z";

    if (strlen(taken) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i] != '\0'; i++)
        if (form[i] == '0' ? !isdigit((unsigned char)taken[i]) : taken[i] != form[i])
            return false;
    return true;
}
