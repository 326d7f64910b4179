/*
 * made.h - how communicators and datatypes were made, as a debug DLL with the extension tells it of their handles.
 */
#ifndef MQD_DUMP_COLLECT_CLIENT_MADE_H
#define MQD_DUMP_COLLECT_CLIENT_MADE_H

#include <stdbool.h>
#include <stddef.h>

#include "mqd/dump/collect/client/dll.h"
#include "mqd/dump/collect/client/handle.h"
#include "mqd/dump/collect/client/queue.h"

/* A dimension of a Cartesian topology. */
struct dimension {
    long size;
    bool periodic;
    long coordinate;               /* of the process itself */
};

/* How the processes of a communicator are arranged. Zero: nothing is told of it. */
struct arrangement {
    int topology;                  /* enum mqd_topology; MQD_TOPOLOGY_none also if it is not known */
    bool revoked, freed;           /* by the program; operations may still use a communicator that is freed */
    struct dimension *dimensions;  /* of a Cartesian topology; none if they are not known */
    size_t n_dimensions;
};

/*
 * Asks a DLL for the communicator that its iterator is at. *arrangement, which is zeroed before, stays so if the DLL
 * does not tell.
 */
void arrangement_take(struct arrangement *arrangement, const struct dll *dll, mqs_process *process);

/* What is told of a communicator's handle; free(arrangement.dimensions). */
struct arrangement arrangement_of(const struct handle *handle);

/*
 * Is it Cartesian for sure? The dimensions make up the size, and the own coordinates the own rank, both as the
 * communicator has them: ranks are numbered in row-major order (MPI-4.1, 8.2). What follows needs this.
 */
bool arrangement_is_cartesian(const struct arrangement *arrangement, long size, long rank);

/* The coordinate of a rank in a dimension, as MPI_Cart_coords tells it. */
long arrangement_coordinate(const struct arrangement *arrangement, size_t dimension, long rank);

/* Where a neighbour is. */
struct direction {
    size_t dimension;
    int step;                      /* 1, -1; 0: both, in a periodic dimension of two */
};

/* False if the rank is no neighbour of the process in just one dimension. */
bool arrangement_direction(const struct arrangement *arrangement, long rank, struct direction *direction);

/*
 * The datatypes without a name of operations that were asked for, which is done once for each; begins zeroed. A program
 * may have a hundred thousand operations: of so many sends, and of so many receives, the datatypes are asked for.
 */
enum { MAX_ASKED_DATATYPES = 64 };
struct made_datatypes {
    struct made_datatype {
        mqs_taddr_t object;
        int combiner;              /* as in struct queued, and the name */
        char base[sizeof((struct mqd_operation_description *)0)->datatype];
    } all[2 * MAX_ASKED_DATATYPES];
    size_t n, n_asked[N_QUEUES];
};

/*
 * Tells an operation of a queue of that class how its datatype was made, if it has no name and the operation may be one
 * end of a message that did not fit: a send, or a receive of too long a message. The text is *datatypes'.
 */
void made_datatype_take(struct made_datatypes *datatypes, int class, struct queued *operation, const struct dll *dll,
                        mqs_process *process);

#endif
