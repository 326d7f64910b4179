/*
 * proc.h - reads the files under /proc that describe a process.
 */
#ifndef MQD_DUMP_COLLECT_TARGET_PROC_H
#define MQD_DUMP_COLLECT_TARGET_PROC_H

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
 * Reads a whole file into memory for free(), and adds a NUL that *size does not count. Returns NULL, with errno set, if
 * the file cannot be read.
 */
char *proc_read_file(const char *path, size_t *size);

/* The same of a file in a process's directory: "maps", "status". */
char *proc_read(pid_t pid, const char *name, size_t *size);

/* The same, but at most `limit` bytes of it. */
char *proc_read_start(const char *path, size_t limit, size_t *size);

/* Fills *status from the text of /proc/PID/status. False if it is not such a text. */
bool proc_parse_status(const char *text, struct proc_status *status);

/* Reads the status of a thread. False, and errno set, if there is no such thread or its status cannot be read. */
bool proc_read_status(pid_t thread, struct proc_status *status);

/* Is there such a thread, if only as a zombie? errno stays as it was. */
bool proc_exists(pid_t thread);

/*
 * Is there no such thread, or nothing of it but its status, which somebody has to collect? A thread of which that
 * cannot be found out has not ended.
 */
bool proc_has_ended(pid_t thread);

/*
 * Removes the " (deleted)" that the kernel adds to the path of a file that has no name any more. False if the path does
 * not end so.
 */
bool proc_strip_deleted(char *path);

/* Parses one line without its newline, and changes it. False if the line is not of this form. */
bool proc_parse_map_line(char *line, struct map_line *map);

/*
 * Returns the value of the variable `name` in a block of n bytes of NUL-terminated NAME=VALUE strings, as in
 * /proc/PID/environ; another NUL must follow the block. Returns NULL if there is no such variable.
 */
const char *proc_environment_value(const char *block, size_t n, const char *name);

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

/* The state of the thread of this text of /proc/PID/stat, as in struct proc_status; '\0' if it is cut. */
char proc_parse_state(const char *text);

/* When the process of this text of /proc/PID/stat started, in clock ticks since the machine did; 0 if it is cut. */
uint64_t proc_parse_start_time(const char *text);

/* The same of a process; 0 if there is none of that number. */
uint64_t proc_read_start_time(pid_t pid);

/*
 * How the zombie of this text of /proc/PID/stat ended, as waitpid reports it; -1 if the text is cut. The kernel shows 0
 * to those who may not trace the process.
 */
int proc_parse_exit_status(const char *text);

/* The path of the process's executable for free(). NULL if it has none, or if the caller may not see it. */
char *proc_executable(pid_t pid);

/* The same from the path of its /proc/PID. */
char *proc_executable_of(const char *directory);

#endif
