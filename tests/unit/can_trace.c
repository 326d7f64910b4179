#include "can_trace.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mqd/dump/collect/target/proc.h"

bool can_trace(void)
{
    int status = -1;
    pid_t child;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    child = fork();
    if (child == 0)
        _exit(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0 ? 0 : 77);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    fprintf(stderr, "skipped because: a process cannot be held\n");
    return false;
}

char state_of(pid_t thread)
{
    struct proc_status status;

    return proc_read_status(thread, &status) ? status.state : '?';
}

pid_t tracer_of(pid_t thread)
{
    struct proc_status status;

    return proc_read_status(thread, &status) ? status.tracer : 0;
}
