/*
 * select_wish.h - which job the user asks for.
 */
#ifndef MQD_DUMP_SELECT_WISH_H
#define MQD_DUMP_SELECT_WISH_H

#include "mqd/dump/ask/limits.h"
#include "mqd/dump/base/host_list.h"

struct select_wish {
    const char *job;                  /* the pid of a launcher or rank, or a namespace; NULL: the only job */
    const struct host_list *hosts;    /* where its ranks are said to be (--hosts); NULL: that is to be found out */
    struct limit_choice limits;       /* of collectors that are asked */
};

#endif
