/*
 * holding WAY [ARGUMENT...]: a process that is awkward to hold; tests/live/holding.py says what comes of it.
 *
 *   exec N      has N threads, of which one calls exec of this program again and again
 *   threads N   has N more threads; if anything follows, its first one ends
 *   storm       has threads that make others and end, all the time
 *   end         has two threads, and ends with its standard input
 *   page        has a page, page_that_never_comes, for which the kernel asks a server that does not answer
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

enum { PAGE = 65536 };             /* the largest that any machine has */

char page_that_never_comes[PAGE] __attribute__((aligned(PAGE)));

static void *exec_again(void *arguments)
{
    rest(100 + getpid() % 7 * 300);
    execv("/proc/self/exe", arguments);
    return NULL;
}

static void *make_another(void *unused)
{
    rest(500);
    start(make_another, unused);
    return NULL;
}

static void *end(void *unused)
{
    while (getchar() != EOF)
        continue;
    exit(0);
    return unused;
}

static int lose_page(void)
{
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register range = {.range = {(unsigned long)page_that_never_comes, PAGE},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};

    return faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &range) != 0;
}

/* What this program has become by exec is silent. */
static void say_ready(void)
{
    if (getenv("MQD_READY") == NULL) {
        puts("ready");
        fflush(stdout);
    }
    setenv("MQD_READY", "", 1);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "exec") == 0) {
        for (int i = 1; i < atoi(argv[2]); i++)
            start(wait_for_ever, NULL);
        say_ready();
        start(exec_again, argv);
    } else if (argc >= 3 && strcmp(argv[1], "threads") == 0) {
        for (int i = 0; i < atoi(argv[2]); i++)
            start(wait_for_ever, NULL);
        if (argc > 3)
            pthread_exit(NULL);
    } else if (argc == 2 && strcmp(argv[1], "storm") == 0) {
        for (int i = 0; i < 8; i++)
            start(make_another, NULL);
    } else if (argc == 2 && strcmp(argv[1], "end") == 0) {
        start(wait_for_ever, NULL);
        start(end, NULL);
    } else if (argc == 2 && strcmp(argv[1], "page") == 0) {
        if (lose_page())
            return 77;
    }
    say_ready();
    wait_for_ever(NULL);
}
