/*
 * watch_job.c - looks at running ranks again and again, and shows what has changed.
 *
 * The ranks are looked at by a process of its own each time (look_apart.h). So this one has nothing to do but to wait:
 * for keys and signals, for the end of a look and for the time of the next one. That counts from the end of a look:
 * ranks that take long to be read have the interval for themselves.
 */
#include "mqd/dump/role/watch_job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/text_stream.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/whole_file.h"
#include "mqd/dump/collect/target/proc.h"
#include "mqd/dump/look/look_apart.h"
#include "mqd/dump/show/text/sources.h"
#include "mqd/dump/show/watch/history.h"
#include "mqd/dump/show/watch/screen.h"
#include "mqd/dump/show/watch/watch_text.h"

/* Of what a look has said so many lines are on the screen. */
enum { MAX_MESSAGES = 3 };

/* So many looks one after the other have to find none of the ranks that were on other machines. */
enum { MAX_MISSES = 3 };

struct watch {
    struct options options;        /* of the next look */
    bool on_screen, is_over;       /* the last one ends it */
    bool has_failed, nothing;      /* it cannot be written, or there was nothing to watch */
    struct look_apart look;
    struct records records;        /* of the latest look that has shown something */
    struct history history;
    int n_misses;                  /* looks since then */
    char *job;                     /* the namespace of all ranks; NULL: there are several, or it has none */
    char *name;                    /* the same, since which only this job is looked for; NULL: what the user says is */
    char *title;                   /* what is watched */
    double began;                  /* when the look began that is being taken, or was last */
    char began_time[16], time[16]; /* the same for people, and of the latest look that has shown something */
    double next;                   /* when the next one is due */
    char *messages;                /* of the latest look */
    char *page;                    /* the latest page for this size of the screen; NULL: it has to be made */
    int signals;
    sigset_t before;               /* signals that were blocked */
    int number;                    /* the signal that ends it; 0: none */
};

/* Signals. */

static bool is_ignored(int number)
{
    struct sigaction now;

    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void block_signals(struct watch *watch)
{
    static const int all[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
    sigset_t own;

    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&own);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!is_ignored(all[i]))
            sigaddset(&own, all[i]);
    sigprocmask(SIG_BLOCK, &own, &watch->before);
    watch->signals = signalfd(-1, &own, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Does to this program what the signal does to those that do not mind it. */
static void raise_default(int number)
{
    sigset_t one, now;

    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, &now);
    sigprocmask(SIG_SETMASK, &now, NULL);
}

static void forget_page(struct watch *watch)
{
    free(TAKEN(watch->page));
}

static void fit_screen(struct watch *watch)
{
    size_t n_columns, n_lines;

    if (!watch->on_screen)
        return;
    screen_size(&n_columns, &n_lines);
    terminal_set_columns(n_columns);
    forget_page(watch);
}

static void set_up_screen(struct watch *watch)
{
    if (watch->on_screen)
        screen_enter();
    fit_screen(watch);
}

/* Stopped in the shell, with its screen; a look that has begun goes on to its end: ranks are in it. */
static void stop(struct watch *watch)
{
    screen_leave();
    raise_default(SIGTSTP);
    set_up_screen(watch);
}

static void take_signals(struct watch *watch)
{
    struct signalfd_siginfo info;

    while (read(watch->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGCHLD:
            break;
        case SIGTSTP:
            stop(watch);
            break;
        case SIGCONT:
            set_up_screen(watch);
            break;
        case SIGWINCH:
            fit_screen(watch);
            break;
        default:
            watch->number = (int)info.ssi_signo;
        }
    }
}

/* What is watched. */

/* The first namespace of the ranks, and whether there are others; NULL: there is none. */
static const char *first_job(const struct records *records, bool *others)
{
    const char *job = NULL;

    *others = false;
    for (size_t i = 0; i < records->n_witnesses; i++) {
        const char *other = records->listings[i]->job;

        if (job == NULL)
            job = other;
        *others |= other != NULL && strcmp(job, other) != 0;
    }
    return job;
}

static bool has_job(const struct records *records, const char *job)
{
    return ANY(i, records->n_witnesses, records->listings[i]->job != NULL &&
               strcmp(records->listings[i]->job, job) == 0);
}

/* Without --job another job may be the only one after this one. */
static bool is_of_others(const struct watch *watch, const struct records *records)
{
    bool any_job = false;

    if (watch->options.targets.n_processes > 0 || watch->history.n_looks == 0)
        return false;
    for (size_t i = 0; i < watch->records.n_witnesses; i++) {
        const char *job = watch->records.listings[i]->job;

        any_job |= job != NULL;
        if (job != NULL && has_job(records, job))
            return false;
    }
    return any_job;
}

/* Is a process there: of one that was named by its pid the same one, not another that has got its number? */
static bool is_there(const struct watch *watch, pid_t pid)
{
    for (size_t i = 0; i < watch->options.targets.n_processes; i++)
        if (watch->options.targets.processes[i].pid == pid && watch->options.targets.processes[i].start != 0)
            return proc_read_start_time(pid) == watch->options.targets.processes[i].start;
    return kill(pid, 0) == 0 || errno != ESRCH;
}

/* Looks for days may meet other processes of these numbers. */
static void note_starts(struct watch *watch)
{
    for (size_t i = 0; i < watch->options.targets.n_processes; i++)
        if (watch->options.targets.processes[i].start == 0)
            watch->options.targets.processes[i].start = proc_read_start_time(watch->options.targets.processes[i].pid);
}

/* Of processes that were named by their pids each is in the look, as what could not be read if it has ended. */
static void note_ends(const struct watch *watch, struct records *records)
{
    for (size_t i = 0; i < records->n_witnesses && watch->options.targets.n_processes > 0; i++) {
        struct witness *witness = &records->witnesses[i];

        if (!witness->listing->has_communicators && !is_there(watch, witness->listing->pid))
            witness->ended = true;
    }
}

/* A job may be about to start; of what was named by pids, and is no rank, one look tells why. */
static bool is_worth_watching(const struct watch *watch)
{
    for (size_t i = 0; i < watch->records.n_witnesses; i++)
        if (watch->options.targets.n_processes == 0 || watch->records.listings[i]->has_communicators)
            return !history_is_over(&watch->history);
    return false;
}

static void name_job(struct watch *watch)
{
    bool others;
    const char *job = first_job(&watch->records, &others);

    FREE_ALL(watch->job, watch->title);
    watch->job = job != NULL && !others ? copy_string(job) : NULL;
    watch->title = watch->job != NULL ? format_text("job %s", job)
                                      : copy_string(job != NULL ? "several jobs" : "processes");
}

/* Looks. */

static void say(struct watch *watch, char *text)
{
    bool is_new = !watch->on_screen && (watch->messages == NULL || strcmp(text, watch->messages) != 0);

    for (const char *rest = text; is_new && *rest != '\0';) {
        OWNED char *line = take_line(&rest);

        message_pass(line);
    }
    free(watch->messages);
    watch->messages = text;
}

/* Of the beginning: what a look shows may be older than its end by as long as this program was stopped. */
static void note_time(struct watch *watch)
{
    time_t now = time(NULL);
    struct tm local;

    watch->began = seconds_now();
    if (localtime_r(&now, &local) == NULL ||
        strftime(watch->began_time, sizeof watch->began_time, "%H:%M:%S", &local) == 0)
        watch->began_time[0] = '\0';
}

/* Its report is a record. */
static bool take_one_look(const void *context)
{
    struct options options = *(const struct options *)context;

    options.show.save = "-";
    return front_report(&options, seconds_now());
}

static void start_look(struct watch *watch)
{
    OWNED char *why = NULL;

    note_time(watch);
    look_clear(&watch->look);
    if (!look_start(&watch->look, take_one_look, &watch->options, &watch->before, &why)) {
        say(watch, format_text("mqdump: %s", why));
        watch->next = seconds_now() + watch->options.watch;
    }
}

/* Nothing was ever seen: the user is told what one look tells. */
static void fail(struct watch *watch)
{
    screen_leave();
    watch->on_screen = false;
    look_pass_text(&watch->look);
    watch->is_over = watch->has_failed = watch->nothing = true;
}

/*
 * Nothing was seen that was there. The rank that was named may have ended before the others, and other jobs may have
 * begun: the job has a name. Without that it has ended.
 */
static bool try_name(struct watch *watch)
{
    if (watch->job == NULL || watch->name != NULL || watch->options.targets.n_processes > 0)
        return false;
    watch->options.choice.job = watch->name = copy_string(watch->job);
    return true;
}

/*
 * May ranks that were seen run? That a look has failed does not mean that they have ended. Of those of other machines
 * that is taken for granted after some looks that have found none.
 */
static bool may_run(const struct watch *watch)
{
    RELEASED_BY(record_look_clear) struct record_look here = {0};
    bool may = false;

    record_look_set_here(&here);
    for (size_t i = 0; i < watch->records.n_witnesses && !may; i++) {
        const struct witness *witness = &watch->records.witnesses[i];

        if (witness->ended || (witness->missing != NULL && witness->missing->certain))
            continue;
        if (witness->host != NULL && here.host != NULL && strcmp(witness->host, here.host) == 0)
            may = is_there(watch, witness->listing->pid);
        else
            may = watch->n_misses < MAX_MISSES;
    }
    return may;
}

/* Could machines not be looked at? Then that nothing was found shows nothing. Of no job at all there is no record. */
static bool has_problem(const struct records *records)
{
    if (!records->complete)
        return false;
    return ANY(i, records->n_looks, records->looks[i]->problem != NULL);
}

/* Returns whether what the look has said is of use: not that there is no such job any more, which is told otherwise. */
static bool take_nothing(struct watch *watch, bool problem)
{
    watch->n_misses += !problem;
    if (watch->history.n_looks == 0) {
        fail(watch);
    } else if (!problem && try_name(watch)) {
        watch->next = 0;
    } else if (!problem && !may_run(watch)) {
        history_end(&watch->history, seconds_now());
        watch->is_over = true;
    } else {
        return true;
    }
    return watch->has_failed;
}

static void take_records(struct watch *watch, struct records *records)
{
    RELEASED_BY(explanation_clear) struct explanation explanation = {0};
    double now = seconds_now();

    records_name_hosts(records);
    note_ends(watch, records);
    explanation_reach(&explanation, records->witnesses, records->n_witnesses);
    sources_doubt(records->sources, records->n_looks, records->witnesses, records->n_witnesses, &explanation);
    history_add(&watch->history, records->witnesses, records->n_witnesses, records->complete && !has_problem(records),
                &explanation, watch->began, now);
    memcpy(watch->time, watch->began_time, sizeof watch->time);
    records_clear(&watch->records);
    watch->records = *records;
    watch->n_misses = 0;
    name_job(watch);
    watch->is_over = history_is_over(&watch->history);
    if (watch->history.n_looks == 1 && !is_worth_watching(watch))
        fail(watch);
    else if (!watch->on_screen)
        watch_print_changes(stdout, &watch->history, watch->time);
}

static void take_look(struct watch *watch)
{
    struct records records;
    bool says = true;

    watch->next = seconds_now() + watch->options.watch;
    look_read(&watch->look, &records);
    if (records.n_witnesses == 0 || is_of_others(watch, &records)) {
        bool problem = watch->look.broken || has_problem(&records);

        records_clear(&records);
        says = take_nothing(watch, problem);
    } else {
        take_records(watch, &records);
        says = !watch->is_over || watch->has_failed;
    }
    if (says)
        say(watch, copy_string(watch->look.said != NULL ? watch->look.said : ""));
    look_clear(&watch->look);
    forget_page(watch);
}

/* The screen. */

static void print_messages(FILE *to, const struct watch *watch)
{
    const char *rest = watch->messages;

    for (int i = 0; rest != NULL && *rest != '\0' && i < MAX_MESSAGES; i++) {
        OWNED char *line = take_line(&rest), *text = printable(line, terminal_columns());

        fprintf(to, "%s\n", text);
    }
}

static size_t count_messages(const struct watch *watch)
{
    size_t n = watch->messages != NULL ? count_lines(watch->messages) : 0;

    return n < MAX_MESSAGES ? n : MAX_MESSAGES;
}

/* All lines but the last one, which is not of the page, can be used. */
static void make_page(struct watch *watch, size_t n_lines)
{
    struct watch_page page = {.job = watch->title, .time = watch->time, .interval = watch->options.watch};
    size_t n_messages = count_messages(watch);
    struct text_stream stream;

    forget_page(watch);
    text_stream_open(&stream);
    page.n_lines = n_lines > n_messages + 1 ? n_lines - n_messages - 1 : 1;
    print_messages(stream.to, watch);
    if (watch->history.n_looks > 0)
        watch_print_page(stream.to, &watch->history, &page);
    else
        fputs("The first look is being taken.\n", stream.to);
    watch->page = text_stream_close(&stream);
}

/* Returns the lines of the page, which is divided into them. */
static const char **divide_page(char *text, size_t *n)
{
    const char **lines;

    *n = count_lines(text);
    lines = allocate_array(*n + 1, sizeof *lines);
    for (size_t i = 0; i < *n; i++)
        lines[i] = strsep(&text, "\n");
    return lines;
}

static char *foot_text(const struct watch *watch, size_t n, size_t n_lines)
{
    const char *state = watch->look.pid != 0 ? "looking ..." : "waiting";
    const char *keys = screen_input() >= 0 ? "q: quit  space: look now" : "Ctrl-C: quit";

    return n <= n_lines ? format_text("%s  (%s)", keys, state)
                        : format_text("%s  lines 1-%zu of %zu  (%s)", keys, n_lines, n, state);
}

/* The first lines are the most important ones. */
static void draw(struct watch *watch)
{
    size_t n_columns, n_lines, n;
    OWNED const char **lines = NULL, **shown = NULL;
    OWNED char *text = NULL, *foot = NULL;

    screen_size(&n_columns, &n_lines);
    if (watch->page == NULL)
        make_page(watch, n_lines);
    text = copy_string(watch->page);
    lines = divide_page(text, &n);
    n_lines = n_lines > 1 ? n_lines - 1 : 1;
    foot = foot_text(watch, n, n_lines);
    shown = allocate_array(n_lines + 1, sizeof *shown);
    for (size_t i = 0; i < n_lines; i++)
        shown[i] = i < n ? lines[i] : "";
    shown[n_lines] = foot;
    if (!screen_show(shown, n_lines + 1))
        watch->is_over = true;
}

static bool take_keys(struct watch *watch)
{
    enum screen_key keys[64];
    size_t n = screen_read_keys(keys, sizeof keys / sizeof *keys);

    for (size_t i = 0; i < n; i++) {
        if (keys[i] == KEY_QUIT || keys[i] == KEY_CLOSED)
            return false;
        if (keys[i] == KEY_LOOK)
            watch->next = 0;
    }
    return true;
}

/* The loop. */

static int milliseconds_to_next(const struct watch *watch)
{
    double seconds = watch->next - seconds_now();

    if (watch->look.pid != 0)
        return -1;
    return seconds <= 0 ? 0 : (int)(seconds * 1000) + 1;
}

/* Waits until there is something to do. Returns false if the user wants no more, or nobody reads what is written. */
static bool await(struct watch *watch)
{
    enum { SIGNALS, MESSAGES, KEYS, READER, N_WAITS };
    struct pollfd wait[N_WAITS] = {
        [SIGNALS] = {.fd = watch->signals, .events = POLLIN},
        [MESSAGES] = {.fd = watch->look.messages, .events = POLLIN},
        [KEYS] = {.fd = watch->on_screen ? screen_input() : -1, .events = POLLIN},
        [READER] = {.fd = STDOUT_FILENO}};

    if (poll(wait, N_WAITS, milliseconds_to_next(watch)) < 0)
        return errno == EINTR;
    if (wait[MESSAGES].revents != 0)
        look_listen(&watch->look);
    if ((wait[READER].revents & (POLLERR | POLLHUP)) != 0)
        return false;
    if (wait[SIGNALS].revents != 0)
        take_signals(watch);
    return wait[KEYS].revents == 0 || take_keys(watch);
}

static bool flush(struct watch *watch)
{
    bool good = flush_output();

    watch->has_failed |= !good;
    return good;
}

static void run(struct watch *watch)
{
    bool wanted = true;

    while (wanted && !watch->is_over && watch->number == 0) {
        if (watch->look.pid == 0 && seconds_now() >= watch->next)
            start_look(watch);
        if (watch->on_screen)
            draw(watch);
        else
            wanted = flush(watch);
        wanted = wanted && await(watch);
        if (wanted && watch->look.pid != 0 && look_has_ended(&watch->look))
            take_look(watch);
    }
}

static void finish(struct watch *watch)
{
    screen_leave();
    look_clear(&watch->look);
    if (watch->number != 0)
        raise_default(watch->number);
    terminal_look(watch->options.colour);
    if (watch->is_over && !watch->has_failed && history_is_over(&watch->history))
        watch_print_end(stdout, &watch->history);
    if (!watch->has_failed)
        flush(watch);
    close(watch->signals);
    sigprocmask(SIG_SETMASK, &watch->before, NULL);
    history_clear(&watch->history);
    records_clear(&watch->records);
    forget_page(watch);
    FREE_ALL(watch->job, watch->name, watch->title, watch->messages);
}

bool watch_job(const struct options *options)
{
    struct watch watch = {.options = *options, .on_screen = screen_is_there(), .look = NO_LOOK};

    note_starts(&watch);
    block_signals(&watch);
    set_up_screen(&watch);
    run(&watch);
    finish(&watch);
    if (watch.nothing && options->after_watch != NULL)
        notice_give("%s was taken for the pid of a rank; if it means seconds: --watch=%s", options->after_watch,
                    options->after_watch);
    return !watch.has_failed;
}
