/*
 * window_json.c - the windows of a process in JSON.
 */
#include "mqd/dump/show/window_json.h"

#include "mqd/dump/base/json_string.h"

static const char *const accesses[] = {[MQD_ACCESS_none] = "none",   [MQD_ACCESS_fence] = "fence",
                                       [MQD_ACCESS_start] = "start", [MQD_ACCESS_lock] = "lock",
                                       [MQD_ACCESS_lock_all] = "lock_all"};
static const char *const roles[] = {[MQD_ROLE_started] = "started",     [MQD_ROLE_posted] = "posted",
                                    [MQD_ROLE_exclusive] = "exclusive", [MQD_ROLE_shared] = "shared",
                                    [MQD_ROLE_unchecked] = "unchecked"};

static void print_name(FILE *to, const char *key, const char *const *names, size_t n, int number)
{
    fprintf(to, ",\"%s\":", key);
    if (number > 0 && (size_t)number < n && names[number] != NULL)
        json_print_string(to, names[number]);
    else
        fputs("null", to);
}
#define PRINT_NAME(to, key, names, number) print_name(to, key, names, sizeof(names) / sizeof *(names), number)

/* -1 stands for what is not known. */
static void print_number(FILE *to, const char *key, long number)
{
    fprintf(to, number >= 0 ? ",\"%s\":%ld" : ",\"%s\":null", key, number);
}

static void print_truth(FILE *to, const char *key, int truth)
{
    fprintf(to, ",\"%s\":%s", key, truth < 0 ? "null" : truth != 0 ? "true" : "false");
}

static void print_peers(FILE *to, const struct window *window)
{
    fputs(",\"peers\":[", to);
    for (size_t i = 0; i < window->n_peers; i++) {
        const struct mqd_window_peer *peer = &window->peers[i];

        fprintf(to, "%s{\"rank\":%d", i > 0 ? "," : "", peer->rank);
        PRINT_NAME(to, "role", roles, peer->role);
        print_truth(to, "held", peer->held);
        putc('}', to);
    }
    putc(']', to);
}

static void print_window(FILE *to, const struct window *window)
{
    const struct mqd_window_description *description = &window->description;

    fputs("{\"name\":", to);
    json_print_string(to, window->name);
    fprintf(to, ",\"unique_id\":%lu,\"address\":\"0x%lx\",\"local_rank\":%ld,\"size\":%ld,\"component\":",
            window->unique_id, description->object, window->local_rank, window->size);
    json_print_string_or_null(to, description->component);
    PRINT_NAME(to, "access", accesses, description->access);
    print_truth(to, "exposed", description->exposed);
    print_number(to, "posted", description->n_posted_to_it);
    print_number(to, "completed", description->n_completed);
    print_truth(to, "locked_exclusively", description->locked_exclusively);
    print_number(to, "shared_locks", description->n_shared);
    print_number(to, "waiting_locks", description->n_waiting);
    print_peers(to, window);
    if (window->error != NULL) {
        fputs(",\"error\":", to);
        json_print_string(to, window->error);
    }
    putc('}', to);
}

void window_json_print(FILE *to, const struct window *windows, size_t n)
{
    if (n > 0)
        fputs(",\"windows\":[", to);
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", to);
        print_window(to, &windows[i]);
    }
    fputs(n > 0 ? "]" : "", to);
}
