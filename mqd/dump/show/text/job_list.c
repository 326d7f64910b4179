/*
 * job_list.c - the jobs of this machine, for people and for programs.
 */
#include "mqd/dump/show/text/job_list.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/base/ranges.h"
#include "mqd/dump/base/terminal.h"

enum { FORMAT = 1, N_COLUMNS = 7 };

/* A job's start in seconds before now. */
static double age_of(const struct job *job)
{
    struct timespec now;

    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)job->start / (double)sysconf(_SC_CLK_TCK);
}

static time_t start_of(const struct job *job)
{
    return (time_t)((double)time(NULL) - age_of(job));
}

static char *format_start(const struct job *job)
{
    time_t start = start_of(job);
    struct tm local;
    char text[32];

    if (localtime_r(&start, &local) == NULL || strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local) == 0)
        return copy_string("?");
    return copy_string(text);
}

/* The format of ps: [[days-]hours:]minutes:seconds. */
static char *format_age(const struct job *job)
{
    double age = age_of(job);
    long seconds = age > 0 ? (long)age : 0;
    long days = seconds / 86400, hours = seconds / 3600 % 24, minutes = seconds / 60 % 60;

    seconds %= 60;
    if (days > 0)
        return format_text("%ld-%02ld:%02ld:%02ld", days, hours, minutes, seconds);
    return hours > 0 ? format_text("%ld:%02ld:%02ld", hours, minutes, seconds)
                     : format_text("%ld:%02ld", minutes, seconds);
}

static char *format_ranks(const struct job *job)
{
    OWNED long *ranks = allocate_array(job->n, sizeof *ranks);
    OWNED char *ranges = NULL;

    for (size_t i = 0; i < job->n; i++)
        ranks[i] = job->ranks[i].rank;
    ranges = job->n > 0 && ranks[0] >= 0 ? ranks_list(ranks, job->n, ",") : copy_string("?");
    return job->size > 0 ? format_text("%s of %s", ranges, NUMBER(job->size)) : copy_string(ranges);
}

static char *format_user(uid_t user)
{
    const struct passwd *entry = getpwuid(user);

    return entry != NULL ? copy_string(entry->pw_name) : format_text("%lu", (unsigned long)user);
}

/* The programs of a job whose ranks run several. That of a rank whose program is not known is none of the others. */
static char *format_programs(const struct job *job)
{
    const char *first = NULL;
    bool others = false;

    for (size_t i = 0; i < job->n; i++) {
        const char *program = job->ranks[i].executable;

        if (first == NULL)
            first = program;
        else
            others |= program != NULL && strcmp(program, first) != 0;
    }
    return format_text("%s%s", first != NULL ? first : "?", others ? " and others" : "");
}

static char *format_launcher(const struct jobs *jobs, const struct job *job)
{
    pid_t launcher = job_launcher(job);
    const struct job_process *process = jobs_process(jobs, launcher);

    return process != NULL ? format_text("%s %d", process->name, (int)launcher) : copy_string("-");
}

char *job_list_word(const struct job *job)
{
    return job->name[0] != '\0' ? copy_string(job->name) : format_text("%d", job->n > 0 ? (int)job->ranks[0].pid : 0);
}

struct line {
    char *cells[N_COLUMNS];
};

static struct line line_of(const struct jobs *jobs, const struct job *job)
{
    struct line line = {{job_list_word(job), format_launcher(jobs, job), format_ranks(job), format_user(job->user),
                         format_start(job), format_age(job), format_programs(job)}};

    for (int i = 0; i < N_COLUMNS; i++) {
        char *text = printable(line.cells[i], 0);

        free(line.cells[i]);
        line.cells[i] = text;
    }
    return line;
}

/* The width of the last column is not limited. */
static void print_cells(FILE *to, char *const *cells, const size_t *widths)
{
    for (int i = 0; i < N_COLUMNS - 1; i++)
        fprintf(to, "%s%*s", cells[i], (int)(widths[i] - columns_of(cells[i]) + 2), "");
    fprintf(to, "%s\n", cells[N_COLUMNS - 1]);
}

void job_list_text(FILE *to, const struct jobs *jobs)
{
    static char *const titles[N_COLUMNS] = {"JOB", "LAUNCHER", "RANKS", "USER", "STARTED", "ELAPSED", "PROGRAM"};
    OWNED struct line *lines = allocate_array(jobs->n, sizeof *lines);
    size_t widths[N_COLUMNS];

    for (int k = 0; k < N_COLUMNS; k++)
        widths[k] = strlen(titles[k]);
    for (size_t i = 0; i < jobs->n; i++) {
        lines[i] = line_of(jobs, &jobs->jobs[i]);
        for (int k = 0; k < N_COLUMNS; k++)
            if (widths[k] < columns_of(lines[i].cells[k]))
                widths[k] = columns_of(lines[i].cells[k]);
    }
    if (jobs->n > 0) {
        terminal_style(to, STYLE_HEADING);
        print_cells(to, titles, widths);
        terminal_style(to, STYLE_PLAIN);
    }
    for (size_t i = 0; i < jobs->n; i++) {
        print_cells(to, lines[i].cells, widths);
        for (int k = 0; k < N_COLUMNS; k++)
            free(lines[i].cells[k]);
    }
}

/* JSON. */

static void print_number_or_null(FILE *to, const char *key, long value, long least)
{
    if (value >= least)
        fprintf(to, "\"%s\":%ld", key, value);
    else
        fprintf(to, "\"%s\":null", key);
}

static void print_ranks(FILE *to, const struct job *job)
{
    fputs(",\"ranks\":[", to);
    for (size_t i = 0; i < job->n; i++) {
        fputs(i > 0 ? ",{" : "{", to);
        print_number_or_null(to, "rank", job->ranks[i].rank, 0);
        fprintf(to, ",\"pid\":%d", (int)job->ranks[i].pid);
        json_print_text(to, "executable", job->ranks[i].executable);
        putc('}', to);
    }
    putc(']', to);
}

static void print_job(FILE *to, const struct job *job)
{
    OWNED char *user = format_user(job->user);

    fputs("{\"job\":", to);
    json_print_string_or_null(to, job->name);
    putc(',', to);
    print_number_or_null(to, "launcher", job_launcher(job), 1);
    putc(',', to);
    print_number_or_null(to, "size", job->size, 0);
    json_print_text(to, "user", user);
    fprintf(to, ",\"started\":%lld", (long long)start_of(job));
    print_ranks(to, job);
    putc('}', to);
}

void job_list_json(FILE *to, const struct jobs *jobs)
{
    fprintf(to, "{\"format\":%d,\"mqdump\":", FORMAT);
    json_print_string(to, PACKAGE_VERSION);
    fputs(",\"jobs\":[", to);
    for (size_t i = 0; i < jobs->n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_job(to, &jobs->jobs[i]);
    }
    fputs("]}\n", to);
}
