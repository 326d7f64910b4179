/*
 * Plays what a launcher of remote commands and mqdump on a node do together: play_record [OPTION...] TEMPLATE HOST
 * [WORD...] writes the record of the node HOST of a large job, in which all nodes are alike but for some ranks. What
 * else it is told to do, it does not. node_record.py makes templates, and describes them.
 *
 *   --nodes N               the job has so many nodes; the digits of HOST are the node's number, from 0
 *   --ranks N               each of them has so many ranks
 *   --root RANK             from which the tree of all ranks grows
 *   --special RANK:MODEL:PEER,...   ranks that do not do what model 0 does
 *   --lost N, --cut N       of each N nodes one is not reached, or its record ends early
 *   --slow N:SECONDS        of each N nodes one takes so long
 *   --delay MILLISECONDS    all others take up to so long
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of each so many nodes, the ones with these remainders. many_nodes.py knows them too. */
enum { LOST_NODE = 7, CUT_NODE = 13, SLOW_NODE = 3 };
enum { MAX_SPECIALS = 4096, MAX_MODELS = 16, MAX_PEERS = 16, SSH_FAILS = 255 };

/* What begins and ends what is replaced in a template, and what begins its sections. None is in a line of JSON. */
enum { BEGIN = '\001', END = '\002', SECTION = '\003' };

struct special {
    long rank, model, peer;
};

static struct {
    long nodes, ranks, root, lost, cut, slow, slow_seconds, delay;
    struct special specials[MAX_SPECIALS];
    size_t n_specials;
} job = {.nodes = 1, .ranks = 1};

static const char *host;
static long node;

/*
 * The sections: what comes first, each model of a rank, the same as differences to the rank before, and what comes last.
 */
static char *head, *models[MAX_MODELS], *again[MAX_MODELS], *foot;
static long n_models;

static char *output;
static size_t n_output, room;
static long n_lines;

static void fail(const char *what)
{
    fprintf(stderr, "play_record: %s\n", what);
    exit(1);
}

/* Output. */

static void put(const char *bytes, size_t n)
{
    if (room - n_output < n) {
        room = 2 * (room + n);
        output = realloc(output, room);
        if (output == NULL)
            fail("out of memory");
    }
    memcpy(output + n_output, bytes, n);
    n_output += n;
}

static void put_number(long number)
{
    char text[24];

    put(text, (size_t)snprintf(text, sizeof text, "%ld", number));
}

static void put_string(const char *text)
{
    put(text, strlen(text));
}

/* Ranks. */

static long n_all(void)
{
    return job.nodes * job.ranks;
}

static long moved(long rank, long places)
{
    long there = (rank + places) % n_all();

    return there < 0 ? there + n_all() : there;
}

static const struct special *special_of(long rank)
{
    static const struct special normal = {-1, 0, 0};

    for (size_t i = 0; i < job.n_specials; i++)
        if (job.specials[i].rank == rank)
            return &job.specials[i];
    return &normal;
}

/* In a binomial tree: from the root, the number of the rank without its highest bit. */
static long parent(long rank)
{
    long number = moved(rank, -job.root), bit = 1;

    while (2 * bit <= number)
        bit *= 2;
    return moved(job.root, number - (number > 0 ? bit : 0));
}

/* "r+1", "r-1": so many places further; "t": the parent; "p": the peer of a special rank. */
static long rank_named(const char *name, long rank)
{
    switch (*name) {
    case 'r':
        return moved(rank, strtol(name + 1, NULL, 10));
    case 't':
        return parent(rank);
    case 'p':
        return special_of(rank)->peer;
    default:
        fail("a template names no rank");
        return 0;
    }
}

/* Counts of messages by peer, which have to be in order. */

struct count {
    long peer, n_sent, n_arrived;
};

static int compare_counts(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    return (x->peer > y->peer) - (x->peer < y->peer);
}

/* "RANK,SENT,ARRIVED;..." */
static void put_counts(const char *text, long rank)
{
    struct count counts[MAX_PEERS];
    size_t n = 0;

    for (const char *at = text; *at != '\0' && n < MAX_PEERS; n++) {
        const char *comma = strchr(at, ',');
        char *end;

        if (comma == NULL)
            fail("a template counts wrongly");
        counts[n].peer = rank_named(at, rank);
        counts[n].n_sent = strtol(comma + 1, &end, 10);
        counts[n].n_arrived = strtol(end + 1, &end, 10);
        at = end + (*end == ';');
    }
    qsort(counts, n, sizeof *counts, compare_counts);
    put_string("[");
    for (size_t i = 0; i < n; i++) {
        char element[80];

        snprintf(element, sizeof element, "%s[%ld,%ld,%ld]", i > 0 ? "," : "", counts[i].peer, counts[i].n_sent,
                 counts[i].n_arrived);
        put_string(element);
    }
    put_string("]");
}

/* What is in each rank another one. */

/* Up to 4095, of no two neighbours the same. */
static unsigned long variation(long rank)
{
    return (unsigned long)(rank + 1) * 2654435761u >> 7 & 0xfff;
}

static void put_varied(const char *text, long rank)
{
    char varied[48];

    if (*text == 'x')
        snprintf(varied, sizeof varied, "0x%lx", strtoul(text + 1, NULL, 16) + (variation(rank) << 12));
    else if (*text == 'f')
        snprintf(varied, sizeof varied, "%.6f", strtod(text + 1, NULL) * (1 + (double)variation(rank) / 65536));
    else
        snprintf(varied, sizeof varied, "%ld", strtol(text + 1, NULL, 10) + (long)variation(rank));
    put_string(varied);
}

/* Templates. */

static void put_replaced(const char *name, long rank)
{
    switch (*name) {
    case 'h':
        put_string("\"");
        put_string(host);
        put_string("\"");
        break;
    case 'n':
        put_number(n_all());
        break;
    case 'c':
        put_number(job.ranks);
        break;
    case 'i':
        put_number(rank - node * job.ranks);
        break;
    case 's':
        put_number(1 + rank - node * job.ranks);
        break;
    case 'a':
        put_number(1000 + rank - node * job.ranks);
        break;
    case 'l':
        put_number(n_lines + 1);
        break;
    case 'q':
        put_counts(name + 1, rank);
        break;
    case 'x':
    case 'f':
    case 'd':
        put_varied(name, rank);
        break;
    default:
        put_number(rank_named(name, rank));
    }
}

static void put_section(const char *section, long rank)
{
    const char *begin;

    while ((begin = strchr(section, BEGIN)) != NULL) {
        const char *end = strchr(begin, END);
        char name[256];

        if (end == NULL || (size_t)(end - begin) >= sizeof name)
            fail("a template is cut");
        put(section, (size_t)(begin - section));
        memcpy(name, begin + 1, (size_t)(end - begin - 1));
        name[end - begin - 1] = '\0';
        put_replaced(name, rank);
        section = end + 1;
    }
    put_string(section);
}

static long count_lines(const char *section)
{
    long n = 0;

    for (; (section = strchr(section, '\n')) != NULL; section++)
        n++;
    return n;
}

static char *read_all(const char *path)
{
    FILE *from = fopen(path, "re");
    char *text;
    long size;

    if (from == NULL || fseek(from, 0, SEEK_END) != 0 || (size = ftell(from)) < 0)
        fail(path);
    rewind(from);
    text = calloc((size_t)size + 1, 1);
    if (text == NULL || fread(text, 1, (size_t)size, from) != (size_t)size)
        fail(path);
    fclose(from);
    return text;
}

/* Each section begins with a line of its own: SECTION and "head", "model" or "foot". It ends where the next begins. */
static void read_template(const char *path)
{
    char *section = strchr(read_all(path), SECTION);

    while (section != NULL) {
        char *text = strchr(++section, '\n'), *next = strchr(section, SECTION);

        if (text == NULL)
            fail("a template has a section that is none");
        text++;
        if (strncmp(section, "head", 4) == 0)
            head = text;
        else if (strncmp(section, "foot", 4) == 0)
            foot = text;
        else if (strncmp(section, "again", 5) == 0 && n_models > 0)
            again[n_models - 1] = text;
        else if (n_models < MAX_MODELS)
            models[n_models++] = text;
        if (next != NULL)
            *next = '\0';
        section = next;
    }
    if (head == NULL || foot == NULL || n_models == 0)
        fail("it is no template");
}

static void make_record(void)
{
    long first = node * job.ranks, before = -1;

    put_section(head, first);
    n_lines = count_lines(head);
    for (long rank = first; rank < first + job.ranks; rank++) {
        long model = special_of(rank)->model;
        const char *section;

        if (model < 0 || model >= n_models)
            fail("a template has no such model");
        section = model == before && again[model] != NULL ? again[model] : models[model];
        put_section(section, rank);
        n_lines += count_lines(section);
        before = model;
    }
    put_section(foot, first);
}

static void write_all(size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t written = write(STDOUT_FILENO, output + done, n - done);

        if (written < 0 && errno != EINTR)
            exit(1);
        done += written > 0 ? (size_t)written : 0;
    }
}

/* Arguments. */

static void read_specials(const char *text)
{
    while (*text != '\0') {
        struct special *special = &job.specials[job.n_specials++];
        int n = 0;

        if (job.n_specials == MAX_SPECIALS ||
            sscanf(text, "%ld:%ld:%ld%n", &special->rank, &special->model, &special->peer, &n) != 3)
            fail("--special is RANK:MODEL:PEER,...");
        text += n;
        text += *text == ',';
    }
}

static void read_option(int option, const char *value)
{
    char *end = NULL;

    switch (option) {
    case 'n':
        job.nodes = strtol(value, NULL, 10);
        break;
    case 'r':
        job.ranks = strtol(value, NULL, 10);
        break;
    case 'o':
        job.root = strtol(value, NULL, 10);
        break;
    case 'p':
        read_specials(value);
        break;
    case 'l':
        job.lost = strtol(value, NULL, 10);
        break;
    case 'c':
        job.cut = strtol(value, NULL, 10);
        break;
    case 's':
        job.slow = strtol(value, &end, 10);
        job.slow_seconds = *end == ':' ? strtol(end + 1, NULL, 10) : 0;
        break;
    case 'd':
        job.delay = strtol(value, NULL, 10);
        break;
    default:
        exit(2);
    }
}

static void sleep_milliseconds(long n)
{
    nanosleep(&(struct timespec){.tv_sec = n / 1000, .tv_nsec = n % 1000 * 1000000}, NULL);
}

static bool is_chosen(long of_each, long remainder)
{
    return of_each > 0 && node % of_each == remainder % of_each;
}

/* Of different nodes it is different, and of one always the same. */
static long delay_of_node(void)
{
    return job.delay > 0 ? (node + 1) * 7919 % job.delay : 0;
}

static int play(void)
{
    if (is_chosen(job.lost, LOST_NODE)) {
        fprintf(stderr, "ssh: connect to host %s port 22: No route to host\n", host);
        return SSH_FAILS;
    }
    sleep_milliseconds(is_chosen(job.slow, SLOW_NODE) ? 1000 * job.slow_seconds : delay_of_node());
    make_record();
    if (is_chosen(job.cut, CUT_NODE)) {
        write_all(n_output / 2);
        fprintf(stderr, "Connection to %s closed by remote host.\n", host);
        return SSH_FAILS;
    }
    write_all(n_output);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"nodes", required_argument, NULL, 'n'},   {"ranks", required_argument, NULL, 'r'},
        {"root", required_argument, NULL, 'o'},    {"special", required_argument, NULL, 'p'},
        {"lost", required_argument, NULL, 'l'},    {"cut", required_argument, NULL, 'c'},
        {"slow", required_argument, NULL, 's'},    {"delay", required_argument, NULL, 'd'},
        {0}};
    int option;

    /* What follows HOST is for the node. */
    while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
        read_option(option, optarg);
    if (argc - optind < 2)
        fail("a template and a host are missing");
    read_template(argv[optind]);
    host = argv[optind + 1];
    node = strtol(host + strcspn(host, "0123456789"), NULL, 10);
    if (job.ranks <= 0 || node >= job.nodes)
        fail("there is no such node");
    return play();
}
