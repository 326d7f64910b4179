#include "fake_expect.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "suite.h"

/* A peer of an operation. */
static void print_peer(FILE *text, mqs_tword_t local, mqs_tword_t global)
{
    fprintf(text, "peer %lld", (long long)local);
    if (global != local)
        fprintf(text, " (%lld)", (long long)global);
}

static bool got_another(const mqs_pending_operation *op)
{
    return op->actual_local_rank != op->desired_local_rank || op->actual_global_rank != op->desired_global_rank ||
           op->actual_tag != op->desired_tag || op->actual_length != op->desired_length;
}

static void print_operation(FILE *text, const mqs_pending_operation *op, bool is_receive)
{
    static const char *const states[] = { "pending", "matched", "complete" };

    fprintf(text, "%s: ", states[op->status]);
    print_peer(text, op->desired_local_rank, op->desired_global_rank);
    if (op->tag_wild)
        fputs(", any tag", text);
    else
        fprintf(text, ", tag %lld", (long long)op->desired_tag);
    fprintf(text, ", %lld bytes at ", (long long)op->desired_length);
    fake_print_address(text, &fake.names, op->buffer);
    fputs(op->system_buffer ? " (system)" : "", text);
    if (got_another(op) && !(is_receive && op->status == mqs_st_pending)) {
        fputs(", got ", text);
        print_peer(text, op->actual_local_rank, op->actual_global_rank);
        fprintf(text, ", tag %lld, %lld bytes", (long long)op->actual_tag, (long long)op->actual_length);
    }
    for (int line = 0; line < 5 && op->extra_text[line][0] != '\0'; line++) {
        fputs("; ", text);
        fake_print_line(text, &fake.names, op->extra_text[line]);
    }
    fputc('\n', text);
}

static void print_queue(FILE *text, const struct fake_queue *queue, mqs_op_class op_class)
{
    int error = queue->setup != mqs_ok ? queue->setup : queue->error;

    for (size_t i = 0; i < queue->n; i++)
        print_operation(text, &queue->operations[i], op_class == mqs_pending_receives);
    if (error != mqs_ok)
        fprintf(text, "error: %s\n", mqs_dll_error_string(error));
}

static void print_communicator(FILE *text, const struct fake_listed_comm *comm)
{
    fprintf(text, "%llu %s, rank %lld of %lld:", (unsigned long long)comm->communicator.unique_id,
            comm->communicator.name, (long long)comm->communicator.local_rank, (long long)comm->communicator.size);
    for (mqs_tword_t rank = 0; comm->group_rc == mqs_ok && rank < comm->communicator.size; rank++)
        fprintf(text, " %d", comm->group[rank]);
    if (comm->group_rc != mqs_ok)
        fprintf(text, " error: %s", mqs_dll_error_string(comm->group_rc));
    fputc('\n', text);
}

/* A text that grows. */
static char *bytes;
static size_t n_bytes;

static FILE *open_text(void)
{
    FILE *text = open_memstream(&bytes, &n_bytes);

    if (text == NULL)
        fake_die("out of memory");
    return text;
}

static char *close_text(FILE *text)
{
    if (fclose(text) != 0)
        fake_die("out of memory");
    return bytes;
}

char *fake_queue_text(mqs_taddr_t unique_id, mqs_op_class op_class)
{
    FILE *text = open_text();

    print_queue(text, fake_queue(&fake, unique_id, op_class), op_class);
    return close_text(text);
}

char *fake_communicators_text(void)
{
    FILE *text = open_text();

    for (size_t i = 0; i < fake.listing.n_comms; i++)
        print_communicator(text, &fake.listing.comms[i]);
    if (fake.listing.error != mqs_ok)
        fprintf(text, "error: %s\n", mqs_dll_error_string(fake.listing.error));
    return close_text(text);
}

void fake_look_well(void)
{
    int rc = fake_look(&fake);

    if (rc != mqs_ok)
        fail_msg("%s", mqs_dll_error_string(rc));
}

/* The first line that does not match, NULL if all do. Lines are as those of the pattern; they are taken apart. */
static const char *first_other_line(char *pattern, char *text)
{
    char *line, *wanted;

    while ((line = strsep(&text, "\n")) != NULL)
        if ((wanted = strsep(&pattern, "\n")) == NULL || fnmatch(wanted, line, FNM_NOESCAPE) != 0)
            return line;
    return pattern;
}

void fake_match(char *text, const char *pattern, const char *file, int line)
{
    char *lines = strdup(text), *wanted = strdup(pattern);
    bool matched;

    if (wanted == NULL || lines == NULL)
        fake_die("out of memory");
    matched = first_other_line(wanted, lines) == NULL;
    if (!matched)
        print_error("expected:\n%sgot:\n%s", pattern, text);
    free(wanted);
    free(lines);
    free(text);
    if (!matched)
        _fail(file, line);
}
