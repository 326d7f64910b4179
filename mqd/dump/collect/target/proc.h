/*
 * proc.h - reads the files under /proc that describe a process.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_PROC_H
#define MQD_DUMP_COLLECT_TARGET_PROC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The parts of /proc/PID/status that matter here. */
struct proc_status {
    char name[64];     /* of the command; the kernel cuts it */
    char state;        /* 'R', 'S', 'D', 'T' stopped, 't' traced, 'Z' zombie, 'X' dead */
    pid_t process;     /* the process that this thread belongs to */
    pid_t parent;
    pid_t tracer;      /* 0: nobody traces it */
    uid_t user;        /* effective */
    uint64_t threads;  /* how many the process has, zombies too */
    uint64_t switches; /* how often another thread got its processor, given up or taken away; 0: not known */
};

/* One line of /proc/PID/maps. */
struct map_line {
    uint64_t start, end;         /* addresses */
    uint64_t offset;             /* in the file, bytes */
    uint64_t device, inode;      /* of the file; inode 0: no file */
    bool executable;
    bool deleted;                /* the kernel says that the file's name is gone */
    const char *path;            /* without " (deleted)"; "" if there is none; points into the line */
};

/*
 * Reads a file, at most `limit` bytes of it, into memory for free(), and adds a NUL that *size does not count. Its path
 * is given as to printf(). Returns NULL, with errno set and *size untouched, if the file cannot be read.
 */
char *proc_read_block(size_t limit, size_t *size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same of a whole text: proc_read("/proc/%d/maps", pid). */
#define proc_read(...) proc_read_block(SIZE_MAX, &(size_t){0}, __VA_ARGS__)

/* Why it could not: its process has ended, it is another user's, or files or memory are short. */
static inline bool is_of_end(int error)
{
    return error == ENOENT || error == ESRCH;
}
static inline bool is_of_rights(int error)
{
    return error == EACCES || error == EPERM;
}
static inline bool is_of_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Fills *status from the text of /proc/PID/status. False, with errno set, if it is not such a text. */
bool proc_parse_status(const char *text, struct proc_status *status);

/* The value of a line "Key:\tvalue" of such a text, up to the end of the text. NULL if it has no such line. */
const char *proc_status_value(const char *text, const char *key);

/* Reads the status of a thread. False, and errno set, if there is no such thread or its status cannot be read. */
bool proc_read_status(pid_t thread, struct proc_status *status);

/* Is there such a thread, if only as a zombie? errno stays as it was. */
bool proc_exists(pid_t thread);

/*
 * Is there no such thread, or nothing of it but its status, which somebody has to collect? A thread of which that
 * cannot be found out has not ended.
 */
bool proc_has_ended(pid_t thread);

/* The ids of a process's threads, for free(), and how many in *n. NULL, with the reason in errno: they cannot be listed. */
pid_t *proc_list_threads(pid_t pid, size_t *n);

/*
 * The first thread of a process that `is_it`, of `most` at most; 0: none is. -1, with the reason in errno, if they
 * cannot be listed.
 */
pid_t proc_find_thread(pid_t pid, bool (*is_it)(pid_t pid, pid_t thread), size_t most);

/*
 * Removes the " (deleted)" that the kernel adds to the path of a file that has no name any more. False if the path does
 * not end so.
 */
bool proc_strip_deleted(char *path);

/* Parses one line without its newline, and changes it. False if the line is not of this form. */
bool proc_parse_map_line(char *line, struct map_line *map);

/*
 * The value of one entry of an auxiliary vector of n bytes, /proc/PID/auxv, with numbers of `word` bytes, 4 or 8; 0: it
 * has none.
 */
uint64_t proc_auxiliary_value(const void *vector, size_t n, size_t word, uint64_t type);

/* The same of a process; 0 also if it cannot be read. */
uint64_t proc_read_auxiliary(pid_t pid, size_t word, uint64_t type);

/*
 * Returns the value of the variable `name` in a block of n bytes of NUL-terminated NAME=VALUE strings, as in
 * /proc/PID/environ; another NUL must follow the block. Returns NULL if there is no such variable.
 */
const char *proc_environment_value(const char *block, size_t n, const char *name);

/* Reads "environ" or "cmdline" of /proc/PID, whose path is given, as proc_read_block. */
char *proc_read_strings(const char *directory, const char *name, size_t *size);

/* What the environment of a process says about its launch. */
struct proc_launch {
    int rank;          /* in MPI_COMM_WORLD; -1: nothing says so */
    int size;          /* of MPI_COMM_WORLD; -1: nothing says so */
    int local_size;    /* how many of its ranks were started on the same machine; -1: nothing says so */
    char job[256];     /* its namespace in PMIx, which allows 255 bytes; "": nothing says so */
};
struct proc_launch proc_parse_launch(const char *block, size_t n);

/* What is known where no environment can be had: nothing. */
struct proc_launch proc_no_launch(void);

/* The same from /proc/PID, whose path is given. False, and errno set, if its environment cannot be read. */
bool proc_read_launch(const char *directory, struct proc_launch *launch);

/* Of the text of /proc/PID/stat, what matters here and may be cut. */
struct proc_stat {
    char state;        /* as in struct proc_status; '\0': cut */
    uint64_t start;    /* of the process, in clock ticks since the machine started; 0: cut */
    int exit_status;   /* of a zombie, as waitpid reports it, 0 for those who may not trace it; -1: cut */
};

/* Reads that from /proc/PID, whose path is given. False, with errno set, if it cannot be read; all is as cut then. */
bool proc_read_stat(const char *directory, struct proc_stat *stat);

/* The start of a process; 0 if there is none of that number. */
uint64_t proc_read_start_time(pid_t pid);

/*
 * The path of the executable of /proc/PID, whose path is given, for free(). NULL if it has none, or if the caller may
 * not see it.
 */
char *proc_executable(const char *directory);

#endif
