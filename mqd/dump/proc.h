/*
 * proc.h - what the kernel says of a process under /proc.
 */
#ifndef MQD_DUMP_PROC_H
#define MQD_DUMP_PROC_H

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
 * Reads a whole file into memory for free(), with a NUL behind it that *size does not count. NULL with errno set if it
 * cannot be read.
 */
char *proc_read_file(const char *path, size_t *size);

/* Fills *status from the text of /proc/PID/status. False if it is not such a text. */
bool proc_parse_status(const char *text, struct proc_status *status);

/* The same for a thread that exists; false if there is none of that number. */
bool proc_read_status(pid_t thread, struct proc_status *status);

/* Takes one line apart, without its newline, which is changed by that. False if it is not of that form. */
bool proc_parse_map_line(char *line, struct map_line *map);

/*
 * The value of the variable `name` in a block of n bytes of NUL-terminated NAME=VALUE strings as /proc/PID/environ has
 * it, if that value is a number from 0 on; else -1.
 */
int proc_environment_number(const char *block, size_t n, const char *name);

/* The rank that the process's launcher gave it in MPI_COMM_WORLD, -1 if nothing says so. */
int proc_launcher_rank(pid_t pid);

/* The name that the launcher gave the process's job (PMIx: namespace), for free(); NULL if nothing says so. */
char *proc_launcher_job(pid_t pid);

/* The path of the process's executable for free(), NULL if it has none or it is not ours to see. */
char *proc_executable(pid_t pid);

#endif
