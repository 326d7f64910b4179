/*
 * main.c - mqdump: the message queues of running MPI processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mqd/dump/ask/request.h"
#include "mqd/dump/base/clock.h"
#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/terminal.h"
#include "mqd/dump/base/warning.h"
#include "mqd/dump/base/watch.h"
#include "mqd/dump/collect/child/child.h"
#include "mqd/dump/options.h"
#include "mqd/dump/role/collector.h"
#include "mqd/dump/role/node.h"
#include "mqd/dump/role/watch_job.h"

/*
 * A server that does not answer would keep mqdump for minutes at each file: elfutils waits 90 seconds, three times.
 * What the user has set counts. The environment is how elfutils is told.
 */
static void limit_server_time(void)
{
    setenv("DEBUGINFOD_TIMEOUT", "5", 0);
    setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
}

/*
 * What is opened next would take the place of a standard stream that is closed, and have what is written there. Nothing
 * can be written to standard output, or read from standard input, all the same.
 */
static void keep_standard_streams(void)
{
    static const int modes[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};

    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[i]) != i) {
            fprintf(stderr, "mqdump: /dev/null does not open in place of standard stream %d, which is closed: %s\n", i,
                    strerror(errno));
            exit(EXIT_NOT_ALL_SHOWN);
        }
}

/* A process that another mqdump has started. */
static void set_up_child(void)
{
    /* Started as /proc/self/exe, it would be called "exe". */
    prctl(PR_SET_NAME, "mqdump");
    memory_set_exit_status(CHILD_WITHOUT_MEMORY);
    warnings_keep();
    watch_use(watch_map(CHILD_WATCH));
}

int main(int argc, char **argv)
{
    bool is_node = argc > 1 && strcmp(argv[1], NODE_OPTION) == 0;
    bool is_collector = argc > 1 && strcmp(argv[1], COLLECT_OPTION) == 0;
    struct options options = {0};
    double start = seconds_now();
    bool complete;

    memory_begin();
    keep_standard_streams();
    setlocale(LC_CTYPE, "");
    limit_server_time();
    if (is_node || is_collector) {
        set_up_child();
        return is_node ? node_main(argc, argv) : collector_main(MQD_DLL_PATH);
    }
    options_read(&options, argc, argv);
    terminal_look(options.colour);
    complete = options.watch > 0 ? watch_job(&options) : front_report(&options, start);
    warnings_clear();
    options_clear(&options);
    return complete ? EXIT_ALL_SHOWN : EXIT_NOT_ALL_SHOWN;
}
