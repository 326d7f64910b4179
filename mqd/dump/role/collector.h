/*
 * collector.h - reads the processes of one owner, or core files, for mqdump's front end.
 */
#ifndef MQD_DUMP_COLLECTOR_H
#define MQD_DUMP_COLLECTOR_H

/*
 * The program that mqdump is with COLLECT_OPTION: see ask/request.h for its input and its output, and collect/child/start.h for its
 * exit status, which it returns. `library` is the debugging library that is used if none is asked for.
 */
int collector_main(const char *library);

#endif
