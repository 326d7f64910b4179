/*
 * list_process.c - lists one process in the process that valgrind counts the instructions of: mqdump's own reads are
 * those of a child that is confined, and does not start there. The arguments are the debug DLL and a pid.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mqd/dump/collect/target/elf/files.h"
#include "mqd/dump/look/observe.h"

static size_t n_operations(const struct listing *listing)
{
    size_t n = 0;

    for (size_t i = 0; i < listing->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            n += listing->communicators[i].queues[class].n;
    return n;
}

int main(int argc, char **argv)
{
    struct dll dll;
    struct files files = {0};
    struct rank rank = {0};
    const struct wish wish = {.layout = false};
    const struct wishes wishes = {.queues = true};
    struct view view = {.dll = &dll, .files = &files, .wish = &wish};
    char *why = NULL;

    if (argc != 3 || !dll_open(&dll, argv[1], &why)) {
        fprintf(stderr, "%s\n", why != NULL ? why : "usage: list_process DLL PID");
        return 1;
    }
    rank_take_up(&rank, (struct process_id){.pid = atoi(argv[2])}, NULL, true, &view);
    if (rank.seen.listing.error == NULL)
        listing_take(&rank.seen.listing, &dll, &rank.host, &wishes);
    printf("%zu\n", n_operations(&rank.seen.listing));
    listing_release(&dll, &rank.image, &rank.host);
    rank_release(&rank);
    files_close(&files);
    dll_close(&dll);
    return 0;
}
