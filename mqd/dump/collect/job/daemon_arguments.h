/*
 * daemon_arguments.h - what the arguments of a command say that starts daemons of Open MPI's launcher, or of a daemon.
 *
 * The command is ssh, or what takes its place, with a host and the daemon's command after that, or srun with a list of
 * hosts. The daemon is orted (up to 4.1) or prted, with parameters in its arguments, which a shell may have yet to
 * read.
 */
#ifndef MQD_DUMP_COLLECT_JOB_DAEMON_ARGUMENTS_H
#define MQD_DUMP_COLLECT_JOB_DAEMON_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
