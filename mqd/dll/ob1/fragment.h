/*
 * fragment.h - what ob1 keeps of a message that has arrived: the first, or only, part of it with its header.
 */
#ifndef MQD_DLL_OB1_FRAGMENT_H
#define MQD_DLL_OB1_FRAGMENT_H

#include "mqd/dll/operation.h"

/* mca_pml_ob1_recv_frag_t */
struct mqd_fragment {
    mqd_taddr ta, next_ta, prev_ta;
    mqd_taddr range_ta;      /* first of the fragments that directly follow it, if it is out of sequence */
    mqd_taddr data_ta;       /* of the wire message: header first */
    uint64_t n_data;
    uint64_t message_bytes;  /* rendezvous: of the whole message */
    uint64_t extended_id;    /* has_cid: the unique_id of its communicator */
    int32_t source, tag;
    uint16_t context, sequence;
    uint8_t type;
    bool has_cid;            /* came with the header that says which communicator it is for */
};


/*
 * Reads all of ob1's fragments at once into `fragments`, an empty vector of struct mqd_fragment. This only saves reads:
 * a fragment that is not in the vector is read alone when it is needed. Returns MQD_OK, also if ob1's list of fragments
 * cannot be read, or MQD_RC_no_memory.
 */
enum mqd_rc mqd_fragments_sweep(struct mqd_process *process, struct mqd_vector *fragments) MQD_CHECKED;

/* MQD_OK, or why fragments have to be read one at a time. */
enum mqd_rc mqd_can_sweep_fragments(struct mqd_process *process) MQD_CHECKED;

/* The fragment at ta. MQD_RC_bad_fragment if there is none. */
enum mqd_rc mqd_fragment_get(struct mqd_process *process, const struct mqd_vector *fragments, mqd_taddr ta,
                             struct mqd_fragment *fragment) MQD_CHECKED;

/* Fills status, progress, length and address of the data of the message that begins here; false if none does. */
bool mqd_fragment_fill(const struct mqd_process *process, const struct mqd_fragment *fragment,
                       struct mqd_operation *operation);

#endif
