/*
 * launch.c - by which command a program is started on another machine.
 */
#include "mqd/dump/ask/launch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mqd/dump/base/host_list.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/collect/child/child.h"

/* A host that is there answers ssh within this time. */
static const double most_seconds_to_connect = 10;

/* Programs. */

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Searches as execvp does. */
static bool is_there(const char *name)
{
    const char *at = getenv("PATH");
    bool found = false;

    if (strchr(name, '/') != NULL)
        return is_program(name);
    if (at == NULL)
        at = "/bin:/usr/bin";
    while (!found) {
        size_t length = strcspn(at, ":");
        OWNED char *path = format_text("%.*s%s%s", (int)length, at, length > 0 ? "/" : "./", name);

        found = is_program(path);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    return found;
}

/* The user's own command. */

/* Are all %s of a word those that have a meaning? Sets *has_host if one of them is the host. */
static bool is_template(const char *word, bool *has_host)
{
    for (const char *at = strchr(word, '%'); at != NULL; at = strchr(at + 2, '%')) {
        if (at[1] != 'h' && at[1] != '%')
            return false;
        *has_host |= at[1] == 'h';
    }
    return true;
}

static bool refuse(const struct launch_wish *wish, char **why, const char *problem)
{
    OWNED char *launch = printable(wish->reach->command, 0);

    set_reason(why, "%s '%s': %s", wish->reach->origin, launch, problem);
    return false;
}

static bool check_templates(const struct launch *launch, const struct launch_wish *wish, char **why)
{
    bool has_host = false;

    for (size_t i = 0; i < launch->words.n; i++)
        if (!is_template(launch->words.words[i], &has_host))
            return refuse(wish, why, "a % is followed by h, for the host, or by another %");
    return has_host || refuse(wish, why, "it has no %h, which stands for the host");
}

static bool choose_own(struct launch *launch, const struct launch_wish *wish, char **why)
{
    OWNED char *problem = NULL;
    bool good = words_split(&launch->words, wish->reach->command, &problem) || refuse(wish, why, problem);

    if (!good)
        return false;
    if (launch->words.n == 0)
        return refuse(wish, why, "it is empty");
    if (strchr(launch->words.words[0], '%') != NULL)
        return refuse(wish, why, "the first word is the name of a program, which cannot have a %");
    if (!check_templates(launch, wish, why))
        return false;
    return is_there(launch->words.words[0]) || refuse(wish, why, "there is no such program");
}

/* Known ones. */

static void add_all(struct words *words, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words_add(words, copy_string(texts[i]));
}

/*
 * One task on the host, beside the job's own on the same processors. It is no part of an MPI job, and whatever the
 * variables of the caller's own Slurm job say, it is one. The caller's directory may be on no other machine.
 */
static void choose_srun(struct launch *launch, const struct launch_wish *wish)
{
    static const char *const texts[] = {"--overlap", "--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--nodelist=%h",
                                        "--cpus-per-task=1", "--gres=none", "--kill-on-bad-exit=0", "--mpi=none",
                                        "--chdir=/", "--quiet"};

    launch->is_srun = launch->hands_on_input = true;
    if (wish->owner != NULL && geteuid() == 0 && wish->owner->user != 0)
        launch->owner = wish->owner;
    words_add(&launch->words, copy_string("srun"));
    words_add(&launch->words, format_text("--jobid=%ld", wish->slurm_job));
    add_all(&launch->words, texts, sizeof texts / sizeof *texts);
}

/*
 * It does not ask, and gives the host nothing of the user's: no agent, no display, no ports, no tickets. What
 * sshd greets with is no message. No connection is kept for later, but one that is there is used.
 */
static void choose_ssh(struct launch *launch, double seconds)
{
    static const char *const texts[] = {"ssh", "-T", "-a", "-k", "-x", "-o", "BatchMode=yes", "-o",
                                        "ClearAllForwardings=yes", "-o", "ControlMaster=no", "-o", "LogLevel=ERROR",
                                        "-o"};
    double most = seconds > 0 && seconds < 2 * most_seconds_to_connect ? seconds / 2 : most_seconds_to_connect;

    launch->hands_on_input = true;
    add_all(&launch->words, texts, sizeof texts / sizeof *texts);
    words_add(&launch->words, format_text("ConnectTimeout=%d", most > 1 ? (int)most : 1));
    words_add(&launch->words, copy_string("%h"));
}

bool launch_choose(struct launch *launch, const struct launch_wish *wish, char **why)
{
    *launch = (struct launch){0};
    if (wish->reach->command != NULL)
        return choose_own(launch, wish, why);
    if (wish->slurm_job != 0 && is_there("srun"))
        choose_srun(launch, wish);
    else
        choose_ssh(launch, wish->seconds);
    return is_there(launch->words.words[0]) ||
           set_reason(why, "the ranks are on other machines, and there is no %s: --launch says by which other command "
                      "mqdump can be started there", launch->words.words[0]);
}

const char *launch_name(const struct launch *launch)
{
    return name_of_path(launch->words.words[0]);
}

/*
 * srun takes options from variables, those of the job or step in which mqdump runs among them, and hands all variables
 * on. One that puts numbers before lines, or writes to a file, would take the record away.
 */
static bool is_for_srun(const char *variable)
{
    static const char *const kept[] = {"SLURM_CONF=", "SLURM_CLUSTERS=", "SLURM_WORKING_CLUSTER="};
    static const char *const others[] = {"SLURM_", "SRUN_", "PMIX_", "OMPI_"};

    return BEGINS_WITH_ANY(variable, kept) || !BEGINS_WITH_ANY(variable, others);
}

/* The owner of the job, and of all that srun becomes, can read what it gets. */
static bool is_for_srun_of_other(const char *variable)
{
    static const char *const kept[] = {"PATH=", "SLURM_CONF=", "SLURM_CLUSTERS=", "SLURM_WORKING_CLUSTER="};

    return BEGINS_WITH_ANY(variable, kept) || variable_is_harmless(variable);
}

launch_variables *launch_keeps(const struct launch *launch)
{
    if (launch->owner != NULL)
        return is_for_srun_of_other;
    return launch->is_srun ? is_for_srun : NULL;
}

/* srun may say before why it has failed that a task has ended, and afterwards that the launch has failed. */
bool launch_line_is_end(const struct launch *launch, const char *line)
{
    static const char name[] = "srun: error: ";

    return launch->is_srun && strncmp(line, name, strlen(name)) == 0 &&
           (strstr(line, ": task 0: ") != NULL || strstr(line, "Application launch failed") != NULL);
}

/* Commands for hosts. */

static char *fill_in(const char *word, const char *host)
{
    char *text = allocate_array(strlen(word) * (strlen(host) + 1) + 1, 1), *to = text;

    for (; *word != '\0'; word++) {
        if (*word == '%' && *++word == 'h')
            to = stpcpy(to, host);
        else
            *to++ = *word;
    }
    return text;
}

void launch_command(const struct launch *launch, const char *host, struct words *command)
{
    for (size_t i = 0; i < launch->words.n; i++)
        words_add(command, fill_in(launch->words.words[i], host));
}

void launch_clear(struct launch *launch)
{
    words_clear(&launch->words);
}

/* Words that no shell changes. */

static const char plain[] = ALPHANUMERIC "._@:+,/-";
static const char digits[] = "0123456789ABCDEF";

char *argument_write(const char *text)
{
    char *word = allocate_array(3 * strlen(text) + 1, 1), *to = word;

    for (; *text != '\0'; text++) {
        if (strchr(plain, *text) != NULL) {
            *to++ = *text;
            continue;
        }
        *to++ = '%';
        *to++ = digits[(unsigned char)*text >> 4];
        *to++ = digits[(unsigned char)*text & 15];
    }
    return word;
}

static int digit(char character)
{
    const char *at = character != '\0' ? strchr(digits, character) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

char *argument_read(const char *word)
{
    OWNED char *text = allocate_array(strlen(word) + 1, 1);
    char *to = text;

    for (; *word != '\0'; word++) {
        int high = 0, low = 0;

        if (strchr(plain, *word) != NULL) {
            *to++ = *word;
            continue;
        }
        if (*word == '%' && (high = digit(word[1])) >= 0 && (low = digit(word[2])) >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            word += 2;
            continue;
        }
        return NULL;
    }
    return TAKEN(text);
}

/* With "=" it would set a variable, and with "-" or "@" in front it would be an option or a command of a shell. */
bool argument_is_program(const char *text)
{
    return strspn(text, ALPHANUMERIC "./_") > 0 && text[strspn(text, plain)] == '\0';
}
