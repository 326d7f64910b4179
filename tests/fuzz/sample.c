/*
 * sample.c - a small library, of which the inputs of fuzz_elf and fuzz_core are made: types and functions of all kinds.
 * fuzz_core calls it, and takes its stack when it calls back.
 */
#include <stdint.h>

struct node {
    struct node *next;
    union {
        uint64_t word;
        struct {
            int16_t low, high;
        };
        double real;
    };
    unsigned flags : 3, state : 5;
    char name[16];
    enum kind { FIRST, SECOND = 7 } kind;
};
typedef struct node list_t;
typedef struct opal_object_t {
    void *obj_class;
    volatile int32_t obj_reference_count;
} opal_object_t;
struct ompi_request_t {
    opal_object_t super;
    const list_t *list[4];
    int (*complete)(struct ompi_request_t *);
    struct unknown *unknown;
};
typedef struct unknown unknown_t;

struct ompi_request_t sample_request;
unknown_t *sample_unknown;
int ompi_mpi_communicators[64];
static volatile int after;

void sample_call(void (*callback)(void *), void *argument);
int PMPI_Recv(void (*callback)(void *), void *argument);
int MPI_Recv(void (*callback)(void *), void *argument) __attribute__((alias("PMPI_Recv")));

__attribute__((noinline)) static int wait_for_all(void (*callback)(void *), void *argument)
{
    callback(argument);
    return ++after;
}

__attribute__((noinline)) int PMPI_Recv(void (*callback)(void *), void *argument)
{
    int n = wait_for_all(callback, argument);

    return n + ++after;
}

__attribute__((noinline)) static int exchange(int depth, void (*callback)(void *), void *argument)
{
    volatile char buffer[64] = {(char)depth};
    int n = depth > 0 ? exchange(depth - 1, callback, argument) : PMPI_Recv(callback, argument);

    return n + buffer[0] + ++after;
}

void sample_call(void (*callback)(void *), void *argument)
{
    exchange(3, callback, argument);
    after++;
}
