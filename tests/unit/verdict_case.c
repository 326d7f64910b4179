/* verdict_case.c - reads texts of jobs, and makes the jobs. */
#include "verdict_case.h"

#include <errno.h>

#include "mqd/dump/base/shared.h"
#include "unit_test.h"

#include "dump_job.h"
#include "mqd/dump/collect/target/system_call.h"
#include "mqd/dump/record/fields.h"
#include "mqd/dump/record/text.h"

/* Lines. */

void case_error(const struct verdict_case *this, size_t number, const char *format, ...)
{
    va_list list;

    fprintf(stderr, "%s:%zu: ", this->path, number);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The place of a word in a list, or -1. */
static int place_in(const char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] != NULL && strcmp(list[i], word) == 0)
            return (int)i;
    return -1;
}
#define IS_ONE_OF(word, ...) \
    (place_in((const char *const[]){__VA_ARGS__}, N_OF(((const char *[]){__VA_ARGS__})), word) >= 0)

/* What a line is about: "0-2", "communicator ours", "ranks". */
static size_t subject_length(const char *text)
{
    return strcspn(text, begins(text, "ranks ") ? " " : ":");
}

static bool are_of_one_subject(const char *a, const char *b)
{
    return subject_length(a) == subject_length(b) && strncmp(a, b, subject_length(a)) == 0;
}

static void add_line(struct case_lines *to, struct case_line line)
{
    to->lines = grow_array(to->lines, to->n, &to->room, sizeof *to->lines);
    to->lines[to->n++] = line;
}

/* Adds those about the subject of a text. */
static size_t add_lines_about(struct case_lines *to, const struct case_lines *from, const char *text)
{
    size_t n = to->n;

    for (size_t i = 0; i < from->n; i++)
        if (are_of_one_subject(from->lines[i].text, text))
            add_line(to, from->lines[i]);
    return to->n - n;
}

static bool has_line_about(const struct case_lines *lines, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (are_of_one_subject(lines->lines[i].text, text))
            return true;
    return false;
}

/* A variant has the lines of its case. Those about what it says something else of are in their places. */
static void complete_variant(struct case_lines *variant, const struct case_lines *base)
{
    struct case_lines own = *variant;

    *variant = (struct case_lines){0};
    for (size_t i = 0; i < base->n; i++)
        if (!has_line_about(&own, own.n, base->lines[i].text))
            add_line(variant, base->lines[i]);
        else if (!has_line_about(base, i, base->lines[i].text))
            add_lines_about(variant, &own, base->lines[i].text);
    for (size_t i = 0; i < own.n; i++)
        if (!has_line_about(base, base->n, own.lines[i].text))
            add_line(variant, own.lines[i]);
    free(own.lines);
}

static void finish_case(struct verdict_cases *all, struct verdict_case *this, size_t *base)
{
    if (this->name == NULL)
        return;
    if (this->expected.n == 0)
        case_error(this, this->number, "it expects nothing: '=> nothing' says so");
    if (begins(this->name, "but "))
        complete_variant(&this->job, &all->cases[*base].job);
    else
        *base = all->n;
    all->cases = grow_array(all->cases, all->n, &all->room, sizeof *all->cases);
    all->cases[all->n++] = *this;
    *this = (struct verdict_case){.path = this->path};
}

static bool is_expected(const char *text)
{
    static const char *const starts[] = {"=>", "|", "note", "evidence ", "details ", "about ", "takes time"};

    for (size_t i = 0; i < N_OF(starts); i++)
        if (begins(text, starts[i]))
            return true;
    return false;
}

static void take_line(struct verdict_cases *all, struct verdict_case *this, struct case_line line, size_t *base)
{
    if (begins(line.text, "case ") || begins(line.text, "but ")) {
        finish_case(all, this, base);
        if (*line.text == 'b' && *base == SIZE_MAX)
            case_error(this, line.number, "a variant of no case");
        this->name = line.text;
        this->number = line.number;
    } else if (this->name == NULL) {
        case_error(this, line.number, "a line of no case");
    } else if (is_expected(line.text)) {
        add_line(&this->expected, line);
    } else if (this->expected.n > 0) {
        case_error(this, line.number, "it comes after what is expected, or '%s' is not known", line.text);
    } else {
        add_line(&this->job, line);
    }
}

/* The next line that says something; NULL: there is none. */
static char *next_line(char **rest, size_t *number)
{
    char *text;

    while ((text = strsep(rest, "\n")) != NULL) {
        ++*number;
        text += strspn(text, " ");
        if (*text != '\0' && *text != '#')
            return text;
    }
    return NULL;
}

void verdict_cases_read(struct verdict_cases *all, const char *path)
{
    struct verdict_case this = {.path = path};
    FILE *from = fopen(path, "r");
    size_t base = SIZE_MAX, room = 0, number = 0;
    char *text = NULL, *line;

    if (from == NULL)
        case_error(&this, 0, "%s", strerror(errno));
    if (getdelim(&text, &room, '\0', from) < 0)
        *(text = copy_string("")) = '\0';
    fclose(from);
    all->texts = grow_array(all->texts, all->n_texts + 1, &all->text_room, sizeof *all->texts);
    all->texts[all->n_texts++] = text;
    for (char *rest = text; (line = next_line(&rest, &number)) != NULL;)
        take_line(all, &this, (struct case_line){line, number}, &base);
    finish_case(all, &this, &base);
}

void verdict_cases_clear(struct verdict_cases *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->cases[i].job.lines);
        free(all->cases[i].expected.lines);
    }
    for (size_t i = 0; i < all->n_texts; i++)
        free(all->texts[i]);
    free(all->texts);
    free(all->cases);
    *all = (struct verdict_cases){0};
}

/* Words. */

enum { MAX_WORDS = 64, MAX_PROCESSES = 4096 };

static struct {
    const struct verdict_case *this;
    size_t number;                 /* of the line */
    char *words[MAX_WORDS];        /* of a clause; NULL ends them */
    size_t at;
    size_t first_of_job[8];        /* the first process of each job */
    size_t n_jobs;
    mqs_taddr_t next_id;
    bool apart;
    bool *left_out;
} now;

#define ERROR(...) case_error(now.this, now.number, __VA_ARGS__)

/* Takes the clause that ends with ";" apart. Quotes may be around what has spaces. Returns what is behind it. */
static char *split_clause(char *text)
{
    size_t n = 0;
    bool quoted = false;

    now.at = 0;
    for (; *text != '\0' && *text != ';'; n++) {
        char *to = text;

        if (*text == ' ') {
            n--;
            text++;
            continue;
        }
        if (n + 1 >= MAX_WORDS)
            ERROR("too many words");
        now.words[n] = text;
        for (; *text != '\0' && (quoted || (*text != ' ' && *text != ';')); text++)
            if (*text == '"')
                quoted = !quoted;
            else
                *to++ = *text;
        if (*text == ';') {
            *to = '\0';
            now.words[n + 1] = NULL;
            return text + 1;
        }
        if (*text == ' ')
            text++;
        *to = '\0';
    }
    now.words[n] = NULL;
    return *text == ';' ? text + 1 : text;
}

static const char *peek(void)
{
    return now.words[now.at];
}

static const char *take(const char *what)
{
    if (peek() == NULL)
        ERROR("%s is missing", what);
    return now.words[now.at++];
}

static bool take_word(const char *word)
{
    bool is_there = peek() != NULL && strcmp(peek(), word) == 0;

    now.at += is_there;
    return is_there;
}

static bool next_is(const char *word)
{
    return peek() != NULL && strcmp(peek(), word) == 0;
}

static bool read_number(const char *text, long *number)
{
    char *end;

    *number = strtol(text, &end, 0);
    return end != text && *end == '\0';
}

static long take_number(const char *what)
{
    const char *word = take(what);
    long number;

    if (!read_number(word, &number))
        ERROR("'%s' is no number", word);
    return number;
}

/* "0-2,5", "a0,b0-1": processes, in the order in which they are named. */
static size_t read_processes(const char *text, size_t *processes)
{
    size_t n = 0;

    while (*text != '\0') {
        size_t first_of_job = *text >= 'a' && *text < 'a' + (int)now.n_jobs ? now.first_of_job[*text++ - 'a'] : 0;
        char *end;
        size_t first = strtoul(text, &end, 10), last = first;

        if (end != text && *end == '-')
            last = strtoul(text = end + 1, &end, 10);
        if (end == text || (*end != ',' && *end != '\0') || last + first_of_job >= job.n_ranks || last < first)
            ERROR("'%s' is not understood as ranks", text);
        for (size_t i = first; i <= last && n < MAX_PROCESSES; i++)
            processes[n++] = first_of_job + i;
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* Members of structures, by the names that a record has for them. */

struct target {
    const struct field_table *table;
    void *of;
};

static json_t *json_of(const struct field *field, const char *value)
{
    long number = 1;

    if (field->kind == FIELD_STRING || field->kind == FIELD_CHARS || field->kind == FIELD_TEXT ||
        field->kind == FIELD_LETTER)
        return text_write(value, strlen(value));
    if (field->kind == FIELD_REAL)
        return json_real(strtod(value, NULL));
    if (*value != '\0' && !read_number(value, &number) && strcmp(field->key, "call") == 0)
        number = system_call_number(value);
    else if (*value != '\0' && !read_number(value, &number))
        ERROR("%s=%s is no number", field->key, value);
    return field->kind == FIELD_TRUTH ? json_boolean(number != 0) : json_integer(number);
}

/* As it is read of a record. */
static void set_field(void *of, const struct field *field, const char *value)
{
    const struct field_table alone = {.name = "it", .fields = field, .n = 1, .lack = "it is nothing"};
    json_t *object = json_pack("{s:o}", field->key, json_of(field, value));
    char *why = NULL;

    fields_free(&alone, of);
    if (!fields_read(object, &alone, of, &job.texts, &why))
        ERROR("%s", why);
    json_decref(object);
}

/* "tag", or "unknown.tag" of a part. */
static bool set_member(const struct target *target, const char *word)
{
    for (size_t i = 0; i < target->table->n; i++) {
        const struct field *field = &target->table->fields[i];
        size_t length = field->key != NULL ? strlen(field->key) : 0;

        if (length == 0 || strncmp(word, field->key, length) != 0)
            continue;
        if (field->kind == FIELD_PART && word[length] == '.')
            return set_member(&(struct target){field->table, (char *)target->of + field->offset}, word + length + 1);
        if (field->kind != FIELD_PART && (word[length] == '\0' || word[length] == '=')) {
            set_field(target->of, field, word[length] == '=' ? &word[length + 1] : "");
            return true;
        }
    }
    return false;
}

/* What people say for them. */
static const struct {
    const char *word;
    const struct field_table *table;
    const char *says;
} phrases[] = {
    {"marked", &operation_fields, "progress=2"},
    {"numberless", &operation_fields, "sequence=-1"},
    {"eager", &operation_fields, "needs_receiver=0"},
    {"in-transit", &operation_fields, "progress=13"},
    {"rendezvous", &operation_fields, "status=0"},
    {"unknown-peer", &operation_fields, "unknown.peer"},
    {"unknown-tag", &operation_fields, "unknown.tag"},
    {"unknown-length", &operation_fields, "unknown.length"},
    {"uncounted", &communicator_fields, "has_traffic=0"},
    {"counted", &communicator_fields, "has_traffic"},
    {"overtaking", &use_fields, "allow_overtaking"},
    {"for-window", &use_fields, "owner=2"},
    {"for-file", &use_fields, "owner=3"},
    {"for-library", &use_fields, "owner=4"},
    {"unknown", &queue_fields, "available=0"},
    {"not-there-yet", &listing_fields, "reason=7"},
    {"finalized", &listing_fields, "reason=8"},
};

static bool set_phrase(const struct target *target, const char *word)
{
    for (size_t i = 0; i < N_OF(phrases); i++)
        if (strcmp(phrases[i].word, word) == 0 && phrases[i].table == target->table)
            return set_member(target, phrases[i].says);
    return false;
}

static void take_member(const struct target *targets, size_t n)
{
    const char *word = take("a member");

    for (size_t i = 0; i < n; i++)
        if (set_phrase(&targets[i], word))
            return;
    for (size_t i = 0; i < n; i++)
        if (set_member(&targets[i], word))
            return;
    ERROR("'%s' is not known here", word);
}

/* Sets what the rest of the clause says. */
static void take_members(const struct target *targets, size_t n)
{
    while (peek() != NULL)
        take_member(targets, n);
}
#define TARGETS(...)                                                                                                   \
    (const struct target[]){__VA_ARGS__}, N_OF(((const struct target[]){__VA_ARGS__}))
#define SET(...) take_members(TARGETS(__VA_ARGS__))

/* Communicators. */

static struct communicator *find_communicator(size_t rank, const char *name)
{
    struct listing *listing = &job.listings[rank];

    if (strcmp(name, "world") == 0)
        return job_communicator_of(rank, WORLD);
    for (size_t i = 0; i < listing->n; i++)
        if (strcmp(listing->communicators[i].name, name) == 0)
            return &listing->communicators[i];
    ERROR("process %zu has no communicator '%s'", rank, name);
}

static struct communicator *take_communicator(size_t rank)
{
    return take_word("on") ? find_communicator(rank, take("a communicator")) : job_communicator_of(rank, WORLD);
}

/* Members of its own job by their ranks there, the others as -1. */
static void add_side(const char *name, size_t rank, const size_t *members, size_t n, const size_t *remote,
                     size_t n_remote)
{
    int *group = allocate_array(n, sizeof *group);
    struct communicator *communicator;
    bool mixed = false;

    for (size_t i = 0; i < n; i++) {
        bool own = job.listings[members[i]].name.job == job.listings[rank].name.job;

        group[i] = own ? (int)job.listings[members[i]].rank : -1;
        mixed |= !own;
    }
    communicator = job_add_communicator(rank, now.next_id, name, group, (int)n);
    for (size_t i = 0; i < n; i++)
        if (members[i] == rank)
            communicator->local_rank = (long)i;
    communicator->has_traffic = now.apart;
    if (mixed || n_remote > 0)
        job_set_peers(rank, now.next_id, n_remote > 0, n_remote > 0 ? remote : members, n_remote > 0 ? n_remote : n);
    free(group);
}

/* cartesian SIZE [periodic] SIZE [periodic]...: the last coordinate of ranks runs first. */
static void arrange(struct communicator *communicator)
{
    struct arrangement *arrangement = &communicator->arrangement;
    struct dimension *dimensions = arrangement->dimensions = allocate_array(MAX_WORDS, sizeof *dimensions);
    long size;

    arrangement->topology = MQD_TOPOLOGY_cartesian;
    for (; peek() != NULL && read_number(peek(), &size); now.at++, arrangement->n_dimensions++) {
        dimensions[arrangement->n_dimensions] = (struct dimension){.size = size};
        if (now.words[now.at + 1] != NULL && strcmp(now.words[now.at + 1], "periodic") == 0)
            dimensions[arrangement->n_dimensions].periodic = ++now.at > 0;
    }
    for (long i = 0; i < communicator->local_rank; i++) {
        size_t k = arrangement->n_dimensions;

        while (k-- > 0 && ++dimensions[k].coordinate == dimensions[k].size)
            dimensions[k].coordinate = 0;
    }
}

/* communicator NAME: [of RANKS [/ RANKS]] [at RANKS] ... */
static void make_communicator(const char *name)
{
    size_t members[MAX_PROCESSES], remote[MAX_PROCESSES], at[MAX_PROCESSES], n = 0, n_remote = 0, n_at = 0;
    size_t words = 0;

    if (take_word("of"))
        words = n = read_processes(take("members"), members);
    if (take_word("/"))
        n_remote = read_processes(take("members"), remote);
    if (take_word("at"))
        n_at = read_processes(take("ranks"), at);
    for (size_t i = 0; i < job.n_ranks && words == 0; i++)
        members[n++] = i;
    if (n_at == 0) {
        memcpy(at, members, n * sizeof *at);
        memcpy(at + n, remote, n_remote * sizeof *at);
        n_at = n + n_remote;
    }
    words = now.at;
    for (size_t i = 0; i < n_at; i++) {
        struct communicator *communicator;
        size_t k = 0;

        while (k < n_remote && remote[k] != at[i])
            k++;
        if (k < n_remote)
            add_side(name, at[i], remote, n_remote, members, n);
        else
            add_side(name, at[i], members, n, remote, n_remote);
        communicator = find_communicator(at[i], name);
        now.at = words;
        if (take_word("called"))
            snprintf(communicator->use.name, sizeof communicator->use.name, "%s", take("a name"));
        if (take_word("cartesian"))
            arrange(communicator);
        SET({&communicator_fields, communicator}, {&summary_fields, &communicator->summary},
            {&use_fields, &communicator->use}, {&arrangement_fields, &communicator->arrangement});
    }
    now.next_id++;
}

/* Operations. */

/* Tags of Open MPI's for its own messages. */
static long tag_of_collective(const char *function)
{
    static const struct {
        const char *function;
        long tag;
    } tags[] = {{"MPI_Allgather", -10}, {"MPI_Allreduce", -12}, {"MPI_Alltoall", -13}, {"MPI_Bcast", -17},
                {"MPI_Reduce", -21}, {"MPI_Win_fence", -28}, {"MPI_Neighbor_allgather", -17}};

    for (size_t i = 0; i < N_OF(tags); i++)
        if (strcmp(tags[i].function, function) == 0)
            return tags[i].tag;
    return -16;
}

enum { TAG_NONBLOCKING = -27 };

static bool is_collective(const char *function)
{
    static const char *const others[] = {"Recv", "recv", "Send", "send", "Wait", "Test", "robe"};

    for (size_t i = 0; i < N_OF(others); i++)
        if (strstr(function, others[i]) != NULL && strstr(function, "Win") == NULL)
            return false;
    return true;
}

/* "prev", "next" and "pair" are ranks of a job whose processes all have a line in common. */
static long take_peer(size_t rank)
{
    const char *word = take("a rank");
    size_t n = job.n_ranks;
    long number = 0;

    const long peers[] = {ANY, (long)((rank + n - 1) % n), (long)((rank + 1) % n), (long)(rank ^ 1)};
    int place = place_in((const char *const[]){"any", "prev", "next", "pair"}, 4, word);

    if (place < 0 && !read_number(word, &number))
        ERROR("'%s' is no rank", word);
    return place >= 0 ? peers[place] : number;
}

static struct queued *add_operation(size_t rank, mqs_taddr_t id, const char *kind, long peer, long tag)
{
    struct queued *operation;

    if (strcmp(kind, "message") == 0)
        return job_message(rank, id, peer, tag);
    if (!IS_ONE_OF(kind, "receive", "probe", "part"))
        return job_send(rank, id, kind, peer, tag);
    operation = job_receive(rank, id, peer, tag);
    if (*kind == 'p' && kind[1] == 'r')
        operation->kind = MQD_OPERATION_probe;
    return operation;
}

/* What was matched is what was asked for. */
static void match(struct queued *operation, int status)
{
    operation->status = status;
    operation->actual_local_rank = operation->desired_local_rank;
    operation->actual_global_rank = operation->desired_global_rank;
    operation->actual_tag = operation->desired_tag;
    operation->actual_length = operation->desired_length;
}

/* Members in any order, among them words for several at once. Is the message at its receiver? */
static bool take_operation_members(struct queued *operation, struct call *call, size_t thread)
{
    while (peek() != NULL && !next_is("at-receiver"))
        if (take_word("complete")) {
            match(operation, mqs_st_complete);
        } else if (take_word("matched")) {
            match(operation, mqs_st_matched);
        } else if (take_word("on-stack")) {
            call->stack_low = 0x1000 + 0x1000 * thread;
            call->stack_high = call->stack_low + 0x100;
            operation->waiter = call->stack_low + 0x80;
        } else {
            take_member(TARGETS({&operation_fields, operation}, {&call_fields, call}, {&place_fields, call}));
        }
    return take_word("at-receiver");
}

/* KIND from|to R [of FUNCTION] [tag T] [on C] [times N] ...: `call` waits for it. */
static void make_operation(size_t rank, const char *kind, const char *function, struct call *call, size_t thread)
{
    bool is_part = strcmp(kind, "part") == 0;
    const struct communicator *communicator;
    long peer, tag = 0, n_times = 1, part = is_part && peek() != NULL && *peek() != 'f' ? take_number("a part") : 0;
    struct queued *operation;
    const char *purpose = is_part ? "non-blocking collective" : "";
    size_t at;

    if (!take_word("from") && !take_word("to"))
        ERROR("'from RANK' or 'to RANK' is missing");
    peer = take_peer(rank);
    if (function != NULL && is_collective(function))
        purpose = function;
    if (take_word("of"))
        purpose = take("a function");
    tag = is_part ? TAG_NONBLOCKING - part : *purpose != '\0' ? tag_of_collective(purpose) : 0;
    if (take_word("tag"))
        tag = take_word("any") ? ANY : take_number("a tag");
    communicator = take_communicator(rank);
    if (take_word("times"))
        n_times = take_number("how often");
    at = now.at;
    for (long i = 0; i < n_times; i++) {
        now.at = at;
        operation = add_operation(rank, communicator->unique_id, kind, peer, tag);
        operation->purpose = job_text(purpose);
        if (take_operation_members(operation, call, thread))
            job_message_of(operation, rank);
    }
}

static void make_listed(size_t rank)
{
    make_operation(rank, now.words[0], NULL, &job.calls[rank].calls[0], 0);
}

/* Processes. */

static const char *kind_of_wait(const char *function, bool sends)
{
    if (sends)
        return function != NULL && strstr(function, "Ssend") != NULL ? "Ssend" : "Send";
    return function != NULL && strstr(function, "Probe") != NULL ? "probe" : "receive";
}

/* [outside|asleep|unknown] [FUNCTION] [at PLACE] [what it waits for] ...: where a thread is. */
static void make_call(size_t rank)
{
    size_t thread = strcmp(now.words[0], "thread") == 0 ? job.calls[rank].n : 0;
    struct call *call = &job.calls[rank].calls[thread];
    bool outside = take_word("outside"), asleep = !outside && take_word("asleep");
    bool unknown = !outside && !asleep && take_word("unknown");
    const char *function = peek() != NULL && begins(peek(), "MPI") ? take("a function") : NULL;
    const char *place = take_word("at") ? take("a place") : function != NULL ? "main+0x20" : "work+0x10";

    if (function == NULL && !outside && !asleep && !unknown)
        ERROR("where the thread is is missing");
    job_set_call(rank, thread, function != NULL ? function : "work", place);
    if (strcmp(place, "-") == 0) {
        free(call->place);
        call->place = NULL;
    }
    if (outside || asleep || unknown) {
        call->state = unknown ? CALL_UNKNOWN : CALL_OUTSIDE;
        call->runs = outside;
        call->mark = 0;
    }
    if (next_is("from") || next_is("to")) {
        make_operation(rank, kind_of_wait(function, *peek() == 't'), function, call, thread);
    } else {
        SET({&call_fields, call}, {&place_fields, call});
    }
}

static struct traffic *traffic_of(struct communicator *communicator, long peer)
{
    size_t at = 0;

    while (at < communicator->n_traffic && communicator->traffic[at].peer < peer)
        at++;
    if (at < communicator->n_traffic && communicator->traffic[at].peer == peer)
        return &communicator->traffic[at];
    communicator->traffic = grow_array(communicator->traffic, communicator->n_traffic, &communicator->traffic_room,
                                       sizeof *communicator->traffic);
    memmove(&communicator->traffic[at + 1], &communicator->traffic[at],
            (communicator->n_traffic++ - at) * sizeof *communicator->traffic);
    communicator->traffic[at] = (struct traffic){.peer = peer};
    return &communicator->traffic[at];
}

/* sent N to R [on C], arrived N from R [on C]: messages. */
static void make_traffic(size_t rank)
{
    bool sent = strcmp(now.words[0], "sent") == 0;
    uint16_t n = (uint16_t)take_number("how many");
    long peer;

    if (!take_word(sent ? "to" : "from"))
        ERROR("'%s' is missing", sent ? "to" : "from");
    peer = take_peer(rank);
    if (sent)
        traffic_of(take_communicator(rank), peer)->n_sent = n;
    else
        traffic_of(take_communicator(rank), peer)->n_arrived = n;
}

/* window NAME [ROLE R [held|waits] [pending N]]... [stranger R]... [unread WHY] ...: members of its description. */
static void make_window(size_t rank)
{
    static const char *const roles[] = {[MQD_ROLE_started] = "started", [MQD_ROLE_posted] = "posted",
                                        [MQD_ROLE_exclusive] = "exclusive", [MQD_ROLE_shared] = "shared",
                                        [MQD_ROLE_unchecked] = "unchecked"};
    struct listing *listing = &job.listings[rank];
    struct window *window;

    listing->windows =
        grow_array(listing->windows, listing->n_windows, &listing->window_room, sizeof *listing->windows);
    window = &listing->windows[listing->n_windows++];
    *window = (struct window){.unique_id = 9, .local_rank = (mqs_tword_t)rank, .size = (mqs_tword_t)job.n_ranks};
    snprintf(window->name, sizeof window->name, "%s", take("a name"));
    window->group = shared_allocate(job.n_ranks, sizeof *window->group);
    for (size_t i = 0; i < job.n_ranks; i++)
        window->group[i] = (int)i;
    for (int role; peek() != NULL && (role = place_in(roles, N_OF(roles), peek())) >= 0;) {
        now.at++;
        window->peers = grow_array(window->peers, window->n_peers, &window->peer_room, sizeof *window->peers);
        window->peers[window->n_peers] = (struct mqd_window_peer){.rank = (int)take_peer(rank), .role = role};
        window->peers[window->n_peers].held = take_word("held") ? 1 : take_word("waits") ? 0 : -1;
        window->peers[window->n_peers++].n_pending = take_word("pending") ? take_number("accesses") : -1;
        if (role == MQD_ROLE_started)
            window->description.access = MQD_ACCESS_start;
        window->description.exposed |= role == MQD_ROLE_posted;
    }
    while (take_word("stranger"))
        window->group[take_peer(rank)] = -1;
    if (take_word("unread")) {
        window->error = copy_string(take("a reason"));
        window->description = (struct mqd_window_description){.exposed = -1};
    }
    SET({&window_fields, window}, {&window_description_fields, &window->description});
}

/* killed SIGNAL [in FUNCTION] */
static void make_crash(size_t rank)
{
    struct call *call = &job.calls[rank].calls[0];

    job.witnesses[rank].crashed = true;
    job.listings[rank].signal = (int)take_number("a signal");
    call->crashed = true;
    if (take_word("in"))
        call->fault = copy_string(take("a function"));
}

/* gone FATE ...: it was not found where it was started. */
static void make_missing(size_t rank)
{
    struct missing_rank *missing = of_test(allocate_array(1, sizeof *missing));

    *missing = (struct missing_rank){.rank = job.listings[rank].rank, .fate = copy_string(take("a fate")),
                                     .job = copy_string("")};
    job.witnesses[rank].missing = missing;
    SET({&missing_rank_fields, missing});
    of_test((char *)missing->fate);
    of_test((char *)missing->job);
    job_forget(rank);
    job.witnesses[rank].calls = NULL;
}

/* Which look it is of is told by its machine. */
static void put_on_host(size_t rank, const char *host)
{
    int look = 0;

    job.witnesses[rank].host = NULL;
    for (size_t i = 0; i < job.n_ranks; i++) {
        const char *other = job.witnesses[i].host;

        if (other != NULL && strcmp(other, host) == 0) {
            look = job.witnesses[i].look;
            break;
        }
        if (other != NULL && job.witnesses[i].look >= look)
            look = job.witnesses[i].look + 1;
    }
    job.witnesses[rank].host = test_text("%s", host);
    job.witnesses[rank].look = look;
}

static void take_host(size_t rank)
{
    put_on_host(rank, take("a machine"));
}

/* A queue of a communicator, or the communicator. */
static void set_communicator(size_t rank)
{
    static const char *const names[N_QUEUES] = {[mqs_pending_sends] = "sends", [mqs_pending_receives] = "receives",
                                                [mqs_unexpected_messages] = "messages"};
    struct communicator *communicator = find_communicator(rank, take("a communicator"));

    for (int class = 0; class < N_QUEUES; class++)
        if (take_word(names[class])) {
            SET({&queue_fields, &communicator->queues[class]});
            return;
        }
    if (take_word("member")) {
        size_t member = (size_t)take_number("a member");

        communicator->group[member] = (int)take_number("a rank");
    }
    if (take_word("coordinate")) {
        size_t dimension = (size_t)take_number("a dimension");

        communicator->arrangement.dimensions[dimension].coordinate = take_number("a coordinate");
    }
    SET({&communicator_fields, communicator}, {&summary_fields, &communicator->summary},
        {&use_fields, &communicator->use}, {&arrangement_fields, &communicator->arrangement});
}

static void set_process(size_t rank)
{
    struct witness *witness = &job.witnesses[rank];
    struct calls *calls = &job.calls[rank];

    while (peek() != NULL)
        if (take_word("unread"))
            job_forget(rank);
        else if (take_word("no-stack"))
            witness->calls = NULL;
        else if (take_word("not-given"))
            now.left_out[rank] = true;
        else if (take_word("run"))
            job.listings[rank].name.job = (unsigned long)take_number("a number");
        else
            take_member(TARGETS({&witness_fields, witness}, {&listing_fields, &job.listings[rank]},
                                {&calls_fields, calls}, {&library_calls_fields, &calls->libraries}));
}

static void make_activity(size_t rank)
{
    struct activity *activity = of_test(allocate_array(1, sizeof *activity));

    *activity = (struct activity){.thread = job.listings[rank].pid, .state = 'R', .call = NO_SYSTEM_CALL};
    job.witnesses[rank].activity = activity;
    SET({&activity_fields, activity});
}

/* Threads of OpenMP: the first runtime is libgomp, and there are as many teams and threads as clauses. */

static struct openmp *openmp_of(size_t rank)
{
    struct openmp *openmp = (struct openmp *)job.witnesses[rank].openmp;

    if (openmp != NULL)
        return openmp;
    openmp = of_test(allocate_array(1, sizeof *openmp));
    openmp->runtimes = of_test(allocate_array(1, sizeof *openmp->runtimes));
    openmp->teams = of_test(allocate_array(MAX_WORDS, sizeof *openmp->teams));
    openmp->threads = of_test(allocate_array(MAX_WORDS, sizeof *openmp->threads));
    openmp->runtimes[0] = (struct openmp_runtime){.file = test_text("libgomp.so.1"), .name = test_text("libgomp"),
                                                  .layout = test_text("13.1.0-16.1.0")};
    openmp->n_runtimes = 1;
    job.witnesses[rank].openmp = openmp;
    return openmp;
}

/* team SIZE MEMBER... */
static void make_team(size_t rank)
{
    struct openmp *openmp = openmp_of(rank);
    struct openmp_team *team = &openmp->teams[openmp->n_teams++];

    *team = (struct openmp_team){.address = 0x100 * openmp->n_teams, .size = take_number("a size"), .level = 1,
                                 .parent = -1, .parent_number = -1, .awaited = -1};
    SET({&openmp_team_fields, team});
    of_test(team->place);
}

/* "0" is the main thread, as in what is said of calls; "ended": there is none any more. */
static pid_t take_thread(size_t rank)
{
    return take_word("ended") ? 0 : job.listings[rank].pid + (pid_t)(1000 * take_number("a thread"));
}

/* omp THREAD STATE [NUMBER] [held-by THREAD] MEMBER...: of the last team if it has a number. */
static void make_openmp_thread(size_t rank)
{
    struct openmp *openmp = openmp_of(rank);
    struct openmp_thread *row = &openmp->threads[openmp->n_threads++];
    long number = -1;

    *row = (struct openmp_thread){.thread = take_thread(rank), .children = -1};
    row->state = row->thread == 0      ? OPENMP_ended
                 : take_word("unknown") ? OPENMP_unknown
                                        : place_in(openmp_state_names.all, openmp_state_names.n, take("a state"));
    if (row->state < 0)
        ERROR("'%s' is no state", now.words[now.at - 1]);
    now.at += peek() != NULL && read_number(peek(), &number);
    row->number = number;
    row->runtime = row->state == OPENMP_unknown ? -1 : 0;
    row->team = number >= 0 ? (long)openmp->n_teams - 1 : -1;
    if (take_word("held-by"))
        row->holder = take_thread(rank);
    SET({&openmp_thread_fields, row});
    of_test(row->place);
    of_test(row->object_name);
    of_test(row->name);
}

static bool is_place(const char *word)
{
    return begins(word, "MPI") || IS_ONE_OF(word, "outside", "asleep", "unknown");
}

/* Clauses by their first word. */
static const struct {
    const char *word;
    void (*make)(size_t rank);
} clauses[] = {
    {"thread", make_call}, {"sent", make_traffic}, {"arrived", make_traffic}, {"window", make_window},
    {"killed", make_crash}, {"gone", make_missing}, {"host", take_host}, {"activity", make_activity},
    {"on", set_communicator}, {"receive", make_listed}, {"probe", make_listed}, {"message", make_listed},
    {"part", make_listed}, {"Send", make_listed}, {"Ssend", make_listed}, {"Bsend", make_listed},
    {"Rsend", make_listed}, {"team", make_team}, {"omp", make_openmp_thread},
};

static void make_clause(size_t rank)
{
    void (*make)(size_t rank) = set_process;

    if (peek() == NULL)
        ERROR("an empty clause");
    if (is_place(peek()))
        make = make_call;
    for (size_t i = 0; i < N_OF(clauses) && make == set_process; i++)
        if (take_word(clauses[i].word))
            make = clauses[i].make;
    make(rank);
    if (peek() != NULL)
        ERROR("'%s' is not known here", peek());
}

/* ranks N[+N...] [ucx] [cores] [apart] [counted]: "2+2" are two jobs, a and b. */
static void make_ranks(void)
{
    const char *sizes = take("how many ranks");
    size_t n = 0;

    now.n_jobs = 0;
    for (char *end; *sizes != '\0'; sizes = *end == '+' ? end + 1 : end) {
        now.first_of_job[now.n_jobs++] = n;
        n += strtoul(sizes, &end, 10);
        if (end == sizes || n == 0 || n > MAX_PROCESSES || now.n_jobs == 8 || (*end != '+' && *end != '\0'))
            ERROR("'%s' is no number of ranks", sizes);
    }
    job_start(n);
    if (now.n_jobs > 1)
        job_split(now.first_of_job[1]);
    now.left_out = of_test(allocate_array(n, sizeof *now.left_out));
    for (size_t i = 0; i < n; i++)
        job.listings[i].user = -1;
    while (peek() != NULL) {
        bool ucx = take_word("ucx"), cores = take_word("cores"), counted = take_word("counted");

        if (ucx)
            job_use_ucx();
        else if (!cores && !counted && !(now.apart = take_word("apart")))
            ERROR("'%s' is not known here", peek());
        for (size_t i = 0; i < n; i++) {
            job.witnesses[i].once |= cores;
            job_communicator_of(i, WORLD)->has_traffic |= counted || cores || now.apart;
            if (now.apart)
                put_on_host(i, test_text("n%02zu", i % 100));
        }
    }
}

/* A line that says where ranks are is instead of what earlier ones say of their calls and operations. */
static void start_again(size_t rank)
{
    struct listing *listing = &job.listings[rank];
    struct calls *calls = &job.calls[rank];

    for (size_t i = 0; i < listing->n; i++)
        for (int class = 0; class < N_QUEUES; class++)
            listing->communicators[i].queues[class].n = 0;
    while (listing->n_windows > 0)
        window_free(&listing->windows[--listing->n_windows]);
    job.witnesses[rank].openmp = NULL;
    calls_clear(calls);
    *calls = (struct calls){.calls = allocate_array(4, sizeof *calls->calls), .n = 1, .complete = true};
}

static void make_process(size_t rank, const char *clauses_of_it)
{
    char *at = split_clause(test_text("%s", clauses_of_it));

    if (peek() != NULL && is_place(peek()))
        start_again(rank);
    for (;; at = split_clause(at)) {
        make_clause(rank);
        if (*at == '\0')
            return;
    }
}

static void make_line(char *text)
{
    size_t n, processes[MAX_PROCESSES];
    char *subject = text, *rest = text + subject_length(text);

    if (begins(text, "ranks ")) {
        split_clause(rest);
        make_ranks();
        return;
    }
    if (*rest != ':' || job.n_ranks == 0 || text[strlen(text) - 1] == ';')
        ERROR("'%s' is not understood", text);
    *rest++ = '\0';
    if (begins(subject, "communicator ")) {
        split_clause(rest);
        subject += strlen("communicator ");
        if (*subject == '"')
            *strrchr(++subject, '"') = '\0';
        make_communicator(subject);
        return;
    }
    n = read_processes(subject, processes);
    for (size_t i = 0; i < n; i++)
        make_process(processes[i], rest);
}

/* Machines are named if there are several, as name_hosts does it. */
static bool has_several_hosts(void)
{
    for (size_t i = 1; i < job.n_ranks; i++)
        if (job.witnesses[i].look != job.witnesses[0].look)
            return true;
    return false;
}

/* Those that begin like this, or the others. */
static void make_lines(const struct verdict_case *this, const char *start)
{
    for (size_t i = 0; i < this->job.n; i++) {
        const char *text = this->job.lines[i].text;

        now.number = this->job.lines[i].number;
        if (start != NULL ? begins(text, start) : !begins(text, "ranks ") && !begins(text, "communicator "))
            make_line(test_text("%s", text));
    }
}

const struct witness *verdict_case_make(const struct verdict_case *this, size_t *n)
{
    struct witness *given;

    memset(&now, 0, sizeof now);
    now.this = this;
    now.next_id = 5;
    make_lines(this, "ranks ");
    make_lines(this, "communicator ");
    make_lines(this, NULL);
    given = of_test(allocate_array(job.n_ranks, sizeof *given));
    *n = 0;
    for (size_t i = 0; i < job.n_ranks; i++) {
        struct listing *listing = &job.listings[i];
        struct witness *witness = &job.witnesses[i];

        if (listing->job != NULL && *listing->job == '\0') {
            free(listing->job);
            listing->job = NULL;
        }
        of_test((char *)listing->core);
        witness->job_number = listing->has_name ? test_text("%lu", listing->name.job) : NULL;
        listing->host = has_several_hosts() ? witness->host : NULL;
        listing->calls = witness->calls;
        listing->activity = witness->activity;
        listing->openmp = witness->openmp;
        for (size_t k = 0; k < listing->n; k++)
            listing->communicators[k].has_use = true;
        if (!now.left_out[i])
            given[(*n)++] = *witness;
    }
    return given;
}

void job_make(const char *lines)
{
    struct verdict_case this = {.path = lines};
    char *rest = test_text("%s", lines), *line;
    size_t number = 0;

    while ((line = next_line(&rest, &number)) != NULL)
        add_line(&this.job, (struct case_line){line, number});
    verdict_case_make(&this, &number);
    free(this.job.lines);
}
