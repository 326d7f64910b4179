/* The library that programs use by wrap_code.h. */
#define _POSIX_C_SOURCE 200809L
#include "wrap_code.h"

#include <pthread.h>
#include <stdbool.h>

#include "ready.h"

static int destination, message_tag;
static pthread_t sender;
static bool has_sender;

static void send_slowly(void)
{
    await_release();
    MPI_Send(&message_tag, 1, MPI_INT, destination, message_tag, MPI_COMM_WORLD);
}

static int meet(MPI_Comm communicator, int key, void *value, void *unused)
{
    int rc = MPI_Barrier(MPI_COMM_WORLD);

    (void)communicator, (void)key, (void)value, (void)unused;
    return rc;
}

static int send(MPI_Comm communicator, int key, void *value, void *unused)
{
    (void)communicator, (void)key, (void)value, (void)unused;
    send_slowly();
    return MPI_SUCCESS;
}

/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF. */
static void do_at_the_end(MPI_Comm_delete_attr_function *function)
{
    int key;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

void wrap_meet_at_the_end(void)
{
    do_at_the_end(meet);
}

void wrap_send_at_the_end(int to, int tag)
{
    destination = to;
    message_tag = tag;
    do_at_the_end(send);
}

static void *send_later(void *unused)
{
    send_slowly();
    return unused;
}

void wrap_send_later(int to, int tag)
{
    destination = to;
    message_tag = tag;
    has_sender = pthread_create(&sender, NULL, send_later, NULL) == 0;
}

void wrap_await_sender(void)
{
    if (has_sender)
        pthread_join(sender, NULL);
}
