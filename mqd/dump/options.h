/*
 * options.h - the command line of mqdump.
 */
#ifndef MQD_DUMP_OPTIONS_H
#define MQD_DUMP_OPTIONS_H

#include "mqd/dump/role/front.h"

/*
 * Reads the command line. Ends the program, with a message, if it is wrong, and after --help and --version. Release
 * the options with options_clear.
 */
void options_read(struct options *options, int argc, char **argv);
void options_clear(struct options *options);

#endif
