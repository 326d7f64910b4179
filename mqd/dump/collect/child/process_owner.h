/*
 * process_owner.h - whose rights suffice to look at a process or a core file.
 *
 * Who is looked at also says which files are opened, by the names that are in its memory. So these are opened with no
 * other rights than it has itself. Ids are the kernel's: names of users and groups are never asked for, since that may
 * ask servers.
 */
#ifndef MQD_DUMP_COLLECT_CHILD_PROCESS_OWNER_H
#define MQD_DUMP_COLLECT_CHILD_PROCESS_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* An owner of processes. An owner that is all zero is root without supplementary groups. */
struct owner {
    uid_t user;
    gid_t group;
    gid_t *groups;             /* supplementary ones, sorted, each once; owner_clear frees them; NULL if none */
    size_t n_groups;           /* at most MAX_OWNER_GROUPS */
};

/* A process may have 65,536, more than fit one argument of a command. What is left out is a right that is not used. */
enum { MAX_OWNER_GROUPS = 4096 };

/*
 * The owner of a process, from one reading of /proc/PID/status, which the kernel fills from one state of its ids.
 *
 * If its real, effective, saved and file-system ids are all equal, users and groups, then they are the owner's, and its
 * supplementary groups are too. Else it is a program with the set-user-ID or set-group-ID bit, or one with privileges
 * that is about to change its ids:
 * - The real user decides: this is who started the program, and who fed it with arguments and environment. The
 *   effective one is that of the program's file.
 * - Root decides only if all user ids are root's. If the real one is root's and another one is not, the process works
 *   for that other user at the moment (a daemon that has lowered its effective id): effective, saved and file-system id
 *   are asked in this order.
 * - The group is nobody's, and there are no supplementary groups. Programs like su and sudo set those of another user
 *   while the real id is still that of the user who started them, and set-group-ID programs may exchange real and
 *   effective group. That user can stop the program at just this moment, by SIGSTOP.
 *
 * Ids of user namespaces (containers) come as the caller's namespace has them. A container's root is the user, or the
 * subordinate id, that it is mapped to. In a namespace that does not map all ids, those that it does not map are all
 * shown as one (65534). Then nobody can tell who the owner is, which is a failure, and such a group is left out.
 *
 * What this cannot tell: of a program that has changed all its ids nobody knows by whom it was started; and threads can
 * have other ids than the main thread, whose ids are told, if a program with privileges does that by system calls of
 * its own.
 *
 * A process that root has started becomes another user's by setuid (login, cron, a batch system's daemon), under the
 * same pid and start time. So the owner has to be asked for again between reading names from the process and opening
 * files by them: what was read before belongs to that owner, or to who had more rights.
 *
 * On failure returns false, with the reason, a text about "it", in *why. *owner is untouched then.
 */
bool owner_of_process(struct owner *owner, pid_t pid, char **why);

/*
 * Does the process still belong to this owner, or to nobody any more? Else returns false, with the reason, a text about
 * "it", in *why.
 */
bool owner_owns(const struct owner *owner, pid_t pid, char **why);

/*
 * The owner of a core file: the user that the file belongs to, without any group, because in a directory with the
 * set-group-ID bit a user can make files of a group that he is not in. Of a file of the caller's own, the caller.
 *
 * The file is found, and not opened: it must be a regular one. A link as the last part of the path is followed if it
 * belongs to the caller or to the owner of the file: else somebody offers another one's file. Whoever may write to a
 * directory of the path can replace the file at any time: who opens it has to compare its owner by fstat with this one.
 *
 * On failure returns false, with the reason in *why and in errno, which is EPERM if there is something of that name
 * that is not to be read. *owner is untouched then.
 */
bool owner_of_file(struct owner *owner, const char *path, char **why);

/* The caller itself, by its real ids. */
void owner_of_caller(struct owner *owner);

/* Are user and group the same? Then one process can look at what both own, with the groups that owner_join leaves. */
bool owners_equal(const struct owner *a, const struct owner *b);

/* Takes the supplementary groups away that the other one does not have. */
void owner_join(struct owner *owner, const struct owner *other);

/* Frees the groups, and leaves an owner without any. */
void owner_clear(struct owner *owner);

#endif
