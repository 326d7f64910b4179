/*
 * name_hosts.h - says of ranks on which machine they are, where that tells anything.
 */
#ifndef MQD_DUMP_NAME_HOSTS_H
#define MQD_DUMP_NAME_HOSTS_H

#include "mqd/dump/look/records.h"

/*
 * Sets `host` of all listings to that of their witnesses if there are ranks, or looks, of several machines; else to
 * NULL: a report about one machine does not name it. The names stay the records'.
 */
void name_hosts(struct records *records);

#endif
