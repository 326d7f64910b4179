/*
 * launchers.h - the launchers of MPI jobs: what they and their daemons are called, what commands say that start such
 * daemons, and which jobs are of one launcher.
 *
 * A command that starts a daemon is ssh, or what takes its place, with a host and the daemon's command after that, or
 * srun with a list of hosts. The daemon has parameters in its arguments, which a shell may have yet to read.
 *
 * Up to Open MPI 4.1 the namespace of a job is a number: its upper 16 bits are the launcher's, the lower ones count its
 * jobs, of which 0 is the launcher with its daemons. Later it is the launcher's name, "@" and such a count.
 */
#ifndef MQD_DUMP_COLLECT_JOB_LAUNCHERS_H
#define MQD_DUMP_COLLECT_JOB_LAUNCHERS_H

#include <stdbool.h>
#include <stddef.h>

/* Is that the name of a command by which people start MPI jobs? */
bool launcher_is_command(const char *name);

/* Is it that of what such a command starts on other machines? */
bool launcher_is_daemon(const char *name);

struct daemon_arguments {
    char *hosts;               /* one, or several as in host_list.h; NULL: none, it is the daemon itself, or unknown */
    char *name;                /* the namespace of the launcher and its daemons; NULL: they do not say */
    long n_daemons;            /* how many there are, with the launcher; 0: they do not say */
};

/*
 * Reads n bytes of NUL-terminated arguments, as in /proc/PID/cmdline; another NUL must follow. False if it is no such
 * command. Release with daemon_arguments_clear.
 */
bool daemon_arguments_read(struct daemon_arguments *arguments, const char *block, size_t n);
void daemon_arguments_clear(struct daemon_arguments *arguments);

/* May that be the namespace of a job? It has 1 to 255 bytes, and no control characters. */
bool job_name_is_valid(const char *name);

/* Has the launcher of one of these jobs started the other one too? */
bool job_family_is_one(const char *name, const char *other);

/* The namespace of the first job of the launcher that has started this one, for free(). NULL if names do not tell. */
char *job_family_first(const char *name);

#endif
