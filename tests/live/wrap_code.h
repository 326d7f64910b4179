/* What programs have in shared libraries: what MPI_Finalize shall do first, and a thread that sends. */
#ifndef WRAP_CODE_H
#define WRAP_CODE_H

#include <mpi.h>

/* Inside of MPI_Finalize: a barrier, or a message when the test has seen enough. */
void wrap_meet_at_the_end(void);
void wrap_send_at_the_end(int to, int tag);

/* Starts a thread that sends an integer when the test has seen enough; waits for it if there is one. */
void wrap_send_later(int to, int tag);
void wrap_await_sender(void);

#endif
