/*
 * activity_json.c - what a process does in the kernel, for programs.
 */
#include "mqd/dump/show/activity_json.h"

#include "mqd/dump/base/json_string.h"

static const char *state_name(char state)
{
    switch (state) {
    case 'R':
        return "running";
    case 'S':
        return "sleeping";
    case 'D':
        return "uninterruptible";
    case 'T':
        return "stopped";
    case 't':
        return "traced";
    case 'Z':
    case 'X':
        return "ended";
    default:
        return "other";
    }
}

void activity_json(FILE *to, const struct activity *activity)
{
    char buffer[CALL_NAME_SIZE];

    fprintf(to, ",\"kernel\":{\"thread\":%d,\"state\":\"%s\"", (int)activity->thread, state_name(activity->state));
    json_print_text(to, "system_call", activity_call_name(activity, buffer));
    json_print_text(to, "wait_channel", activity->channel);
    json_print_text(to, "file", activity->file);
    fputs(",\"tracer\":", to);
    if (activity->tracer > 0)
        fprintf(to, "%d", (int)activity->tracer);
    else
        fputs("null", to);
    if (activity->state == 'D')
        fprintf(to, ",\"stuck_ms\":%.0f", activity_stuck_seconds(activity) * 1e3);
    else
        fputs(",\"stuck_ms\":null", to);
    if (activity->has_share)
        fprintf(to, ",\"processor_percent\":%.0f}", activity->share * 100);
    else
        fputs(",\"processor_percent\":null}", to);
}
