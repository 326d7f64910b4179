/*
 * holder.h - the process that holds others while a reader reads them.
 *
 * Who reads memory may be kept waiting for ever, for example by a page of a file on a server that does not answer, and
 * cannot even be killed then. The holder reads nothing, so that the processes go on whatever becomes of the reader:
 * when it asks for that, when its time is over, and when it ends. If the holder ends, the kernel lets them go.
 *
 * The two are one program and talk through a pair of sockets, so that structures are sent as they are. The reader asks
 * to hold processes, reads them, and asks to let them go. Each request has an answer.
 */
#ifndef MQD_DUMP_COLLECT_HOLD_HOLDER_H
#define MQD_DUMP_COLLECT_HOLD_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mqd/dump/collect/hold/held.h"
#include "mqd/dump/collect/target/process.h"

enum hold_what { HOLD_PROCESSES, HOLD_LET_GO };

/* If processes are to be held, n pids follow. */
struct hold_request {
    enum hold_what what;
    uint32_t n;
    double seconds;            /* after which they are let go in any case */
    double for_another;        /* seconds that another mqdump is waited for at most */
};

/*
 * Of each process, in the order of the request, when all are held or have turned out not to be. Its n_threads threads
 * follow, as struct thread, and then their registers.
 */
struct hold_answer {
    enum held_state state;
    pid_t culprit;             /* as in struct held */
    int error;
    bool dead;
    size_t n_threads, n_register_bytes;
};

/* The answer when all were let go. */
struct hold_end {
    bool expired;              /* they had been let go before, because the time was over */
};

/*
 * Serves the reader at the other end of the socket until that is closed. To be called in a process of its own, which
 * should have nothing else open. It holds these n processes and no others; any if `only` is NULL. A process that was
 * read may control the reader: a request for another process ends it.
 */
void holder_serve(int socket, const struct process_id *only, size_t n);

/*
 * Receives all bytes, or sends them if `sends`. Whenever that has to wait, `await` does so, until the socket has one of
 * these events of poll(); it returns false if it is of no use any more. So does this function, then and if the socket
 * is closed.
 */
bool hold_transfer(int socket, void *bytes, size_t n, bool sends, bool (*await)(void *context, short events),
                   void *context);

#endif
