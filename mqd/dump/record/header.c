/*
 * header.c - when and where a look was taken.
 */
#include "mqd/dump/record/header.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/memory.h"

static void set_time(struct record_look *look)
{
    struct timespec now = {0};
    struct tm date = {0};
    char seconds[24];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(look->taken, sizeof look->taken, "%s.%06uZ", seconds,
             (unsigned)(now.tv_nsec / 1000) % 1000000u);
}

void record_look_set_here(struct record_look *look)
{
    char host[256] = "";

    look->mqdump = copy_string(PACKAGE_VERSION);
    if (gethostname(host, sizeof host - 1) == 0 && host[0] != '\0')
        look->host = copy_string(host);
    set_time(look);
}

static char *copy(const char *text)
{
    return text != NULL ? copy_string(text) : NULL;
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
    FREE_ALL(look->host, look->mqdump, look->problem);
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
