/* What programs have in shared libraries: what MPI_Finalize shall do first, and a thread that sends. */
#ifndef WRAP_CODE_H
#define WRAP_CODE_H

#include <mpi.h>

/* Inside of MPI_Finalize: a barrier, or some seconds and a message. */
void wrap_meet_at_the_end(void);
void wrap_send_at_the_end(int to, int tag);

/* Starts a thread that sends an integer, some seconds later; waits for it if there is one. */
void wrap_send_later(int to, int tag);
void wrap_await_sender(void);

#endif
