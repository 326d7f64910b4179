/*
 * node.h - looks at the ranks of some jobs on this machine, for an mqdump on another one.
 */
#ifndef MQD_DUMP_NODE_H
#define MQD_DUMP_NODE_H

/*
 * The program that mqdump is with NODE_OPTION: ask/request.h has what it is asked for. It writes a record to standard output and
 * what else there is to say to standard error. It never uses a terminal, and ends when nobody reads what it writes any
 * more. Returns its exit status: 0 if the record was written, CHILD_REFUSES if it has said why there is none.
 */
int node_main(int argc, char *const *argv);

#endif
