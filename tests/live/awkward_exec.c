/*
 * awkward_exec N PROGRAM [ARGUMENT...]: starts a program and leaves it stopped, as if by SIGSTOP, at its very first
 * instruction, or after N system calls, which are the dynamic linker's at first. Prints its process id; the rest is its
 * parent's to decide.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void start(char **command)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execvp(command[0], command);
    _exit(127);
}

/* A system call stops twice, before and after. */
static int run_calls(pid_t pid, int n)
{
    int status = 0;

    for (int i = 0; i < 2 * n; i++) {
        if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int status;
    pid_t pid;

    if (argc < 3)
        return 2;
    pid = fork();
    if (pid == 0)
        start(argv + 2);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || run_calls(pid, atoi(argv[1])))
        return 1;
    kill(pid, SIGSTOP);
    if (ptrace(PTRACE_DETACH, pid, NULL, NULL))
        return 1;
    printf("%ld\n", (long)pid);
    fflush(stdout);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
