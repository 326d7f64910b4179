/*
 * host_list.c - names of machines as people and batch systems write them: "n[001-128,130],login,@FILE".
 */
#include "mqd/dump/base/host_list.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/printable.h"
#include "mqd/dump/base/reason.h"
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"

/* Names. */

/* isalnum() would ask the locale, in which more are letters. */
#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* Elsewhere commands give a colon a meaning: pdsh takes what is before it for the way to reach the machine. */
static bool may_have_colons(const char *name)
{
    struct in6_addr address;

    return inet_pton(AF_INET6, name, &address) == 1;
}

bool host_name_is_valid(const char *name)
{
    size_t length = strspn(name, ALPHANUMERIC "._:-");

    if (strchr(name, ':') != NULL && !may_have_colons(name))
        return false;
    return strspn(name, ALPHANUMERIC) > 0 && name[length] == '\0' && length <= MAX_HOST_NAME;
}

/* Lists. */

/* Numbers in names have no more digits: they fit into 64 bits. */
enum { MAX_DIGITS = 18 };

/* A word of a list, and where it was read, for messages: "" or "FILE:LINE: ". */
struct word {
    const char *text, *where;
    char **why;
};

static const char too_many[] = "is too many hosts: 1048576 are the most";

/* One list. */

static bool refuse(const struct word *word, const char *what)
{
    OWNED char *where = printable(word->where, 0), *text = printable(word->text, 0);

    set_reason(word->why, "%s'%s' %s", where, text, what);
    return false;
}

size_t host_list_add(struct host_list *list, const char *name)
{
    uint32_t position;

    if (name_index_find(&list->index, name, &position))
        return position;
    list->names = grow_array(list->names, list->n, &list->room, sizeof *list->names);
    list->names[list->n] = copy_string(name);
    name_index_add(&list->index, list->names[list->n], (uint32_t)list->n);
    return list->n++;
}

bool host_list_find(const struct host_list *list, const char *name, size_t *position)
{
    uint32_t found;

    if (!name_index_find(&list->index, name, &found))
        return false;
    *position = found;
    return true;
}

void host_list_clear(struct host_list *list)
{
    name_index_clear(&list->index);
    for (size_t i = 0; i < list->n; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct host_list){0};
}

static bool add_name(struct host_list *list, const struct word *word, const char *name)
{
    if (!host_name_is_valid(name))
        return refuse(word, "is no name of a host: names have letters, digits, '.', '_', ':' and '-', and begin with a "
                            "letter or a digit");
    if (list->n >= MAX_LISTED_HOSTS)
        return refuse(word, too_many);
    host_list_add(list, name);
    return true;
}

/* Names with brackets. */

/* What stands for one pair of brackets: all numbers from the first to the last, with so many digits at least. */
struct range {
    uint64_t first, last;
    int n_digits;
};

enum { MAX_BRACKETS = 4 };

/* Reads "08-11" or "7". Returns what follows, NULL if it is none. */
static const char *read_range(struct range *range, const char *at)
{
    size_t length = strspn(at, "0123456789");

    if (length == 0 || length > MAX_DIGITS)
        return NULL;
    range->first = range->last = strtoull(at, NULL, 10);
    range->n_digits = (int)length;
    at += length;
    if (*at != '-')
        return at;
    length = strspn(++at, "0123456789");
    if (length == 0 || length > MAX_DIGITS)
        return NULL;
    range->last = strtoull(at, NULL, 10);
    return range->last >= range->first ? at + length : NULL;
}

/*
 * Part of a word: what stands before each pair of brackets, the text in it, and where of that text it is. The names are
 * counted like the kilometres of a car: the last pair goes first.
 */
struct pattern {
    struct bracket {
        const char *before, *inside, *at;
        size_t n_before;
        struct range range;
        uint64_t number;
    } brackets[MAX_BRACKETS];
    size_t n;
    const char *after;
};

static bool enter_range(struct bracket *bracket, const char *at)
{
    bracket->at = read_range(&bracket->range, at);
    bracket->number = bracket->range.first;
    return bracket->at != NULL && (*bracket->at == ',' || *bracket->at == ']');
}

static bool read_pattern(struct pattern *pattern, const char *word)
{
    *pattern = (struct pattern){.after = word};
    for (const char *open = strchr(word, '['); open != NULL; open = strchr(pattern->after, '[')) {
        struct bracket *bracket = &pattern->brackets[pattern->n];
        const char *close = strchr(open, ']');

        if (close == NULL || pattern->n == MAX_BRACKETS)
            return false;
        *bracket = (struct bracket){.before = pattern->after, .n_before = (size_t)(open - pattern->after),
                                    .inside = open + 1};
        if (!enter_range(bracket, bracket->inside))
            return false;
        pattern->after = close + 1;
        pattern->n++;
    }
    return true;
}

/* Goes on to the next number. 1: there is one; 0: it begins again at the first; -1: the text is wrong. */
static int advance(struct bracket *bracket)
{
    if (bracket->number < bracket->range.last) {
        bracket->number++;
        return 1;
    }
    if (*bracket->at == ',')
        return enter_range(bracket, bracket->at + 1) ? 1 : -1;
    (void)enter_range(bracket, bracket->inside);
    return 0;
}

/* Longer names than any host's are cut, and refused for their length by whoever takes them. */
static void write_name(const struct pattern *pattern, char *name, size_t room)
{
    size_t used = 0;

    for (size_t i = 0; i <= pattern->n && used < room; i++) {
        const struct bracket *bracket = i < pattern->n ? &pattern->brackets[i] : NULL;
        int length = bracket == NULL ? snprintf(name + used, room - used, "%s", pattern->after)
                   : snprintf(name + used, room - used, "%.*s%0*llu", (int)bracket->n_before, bracket->before,
                              bracket->range.n_digits, (unsigned long long)bracket->number);

        used += (size_t)length;
    }
}

static bool add_pattern(struct host_list *list, const struct word *word)
{
    static const char wrong[] = "is no list of hosts: brackets have numbers and ranges, as in n[01-16,20]";
    char name[MAX_HOST_NAME + 2] = "";
    struct pattern pattern;

    if (strlen(word->text) > INT32_MAX || !read_pattern(&pattern, word->text))
        return refuse(word, wrong);
    /* Names that a word has several times are not in the list so often. */
    for (size_t n = 0; n < MAX_LISTED_HOSTS; n++) {
        size_t i = pattern.n;
        int more = 0;

        write_name(&pattern, name, sizeof name);
        if (!add_name(list, word, name))
            return false;
        while (i > 0 && more == 0)
            more = advance(&pattern.brackets[--i]);
        if (more <= 0)
            return more == 0 || refuse(word, wrong);
    }
    return refuse(word, too_many);
}

/* Files. */

/* A word of a file is no longer than this; what follows it on the line may be. */
enum { MAX_FILE_LINE = 4096 };

static bool add_line(struct host_list *list, char *line, const char *where, char **why)
{
    char *word = line + strspn(line, " \t\r\n");

    word[strcspn(word, " \t\r\n#")] = '\0';
    return *word == '\0' || add_pattern(list, &(struct word){word, where, why});
}

static bool add_lines(struct host_list *list, FILE *from, const char *path, char **why)
{
    char line[MAX_FILE_LINE];
    bool good = true, begins = true;

    for (size_t number = 1; good && fgets(line, sizeof line, from) != NULL;) {
        bool ends = strchr(line, '\n') != NULL;
        OWNED char *where = format_text("%s:%zu: ", path, number);

        good = !begins || add_line(list, line, where, why);
        begins = ends;
        number += ends;
    }
    return good;
}

static bool add_file(struct host_list *list, const char *path, char **why)
{
    FILE *from = fopen(path, "re");
    OWNED char *name = printable(path, 0);
    bool good = false;

    if (from == NULL)
        set_reason(why, "the list of hosts %s cannot be read: %s", name, strerror(errno));
    else if (add_lines(list, from, path, why))
        good = ferror(from) ? set_reason(why, "the list of hosts %s cannot be read", name)
                            : list->n > 0 || set_reason(why, "the list of hosts %s has no host", name);
    if (from != NULL)
        fclose(from);
    return good;
}

/* Texts. */

/* The length of the next word: a comma in brackets does not end it. */
static size_t word_length(const char *at)
{
    bool inside = false;
    size_t length = 0;

    for (; at[length] != '\0'; length++) {
        if (!inside && strchr(", \t\r\n", at[length]) != NULL)
            break;
        inside = at[length] == '[' || (inside && at[length] != ']');
    }
    return length;
}

static bool read_text(struct host_list *list, const char *text, bool with_files, char **why)
{
    const char *at = text + strspn(text, ", \t\r\n");
    bool good = *at != '\0' || set_reason(why, "the list of hosts is empty");

    while (good && *at != '\0') {
        size_t length = word_length(at);
        OWNED char *word = format_text("%.*s", length < INT32_MAX ? (int)length : INT32_MAX, at);

        good = with_files && *word == '@' ? add_file(list, word + 1, why)
                                          : add_pattern(list, &(struct word){word, "", why});
        at += length;
        at += strspn(at, ", \t\r\n");
    }
    return good;
}

bool host_list_read(struct host_list *list, const char *text, char **why)
{
    return read_text(list, text, true, why);
}

bool host_list_read_names(struct host_list *list, const char *text, char **why)
{
    return read_text(list, text, false, why);
}

/* Folding. */

/* A name around the number that differs in its neighbours; without such a number all is before it. */
struct part {
    const char *name, *after;
    size_t n_before, n_digits;
    uint64_t number;
};

/* The last number of the first label of a name ("n01.site2": 01), or of all of an address. */
static struct part take_apart(const char *name)
{
    size_t end = strcspn(name, ".");
    struct part part;

    if (strspn(name, "0123456789") == end)
        end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    part = (struct part){.name = name, .after = name + end, .n_before = end};
    while (part.n_before > 0 && part.n_digits < MAX_DIGITS && isdigit((unsigned char)name[part.n_before - 1])) {
        part.n_before--;
        part.n_digits++;
    }
    if (part.n_digits == 0)
        part = (struct part){.name = name, .after = "", .n_before = strlen(name)};
    else
        part.number = strtoull(name + part.n_before, NULL, 10);
    return part;
}

static int compare_around(const struct part *a, const struct part *b)
{
    size_t shorter = a->n_before < b->n_before ? a->n_before : b->n_before;

    return memcmp(a->name, b->name, shorter) ?: ORDER(a->n_before, b->n_before) ?:
           (a->n_digits > 0) - (b->n_digits > 0) ?: strcmp(a->after, b->after);
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = compare_around(x, y);

    if (order != 0)
        return order;
    return x->number != y->number ? ORDER(x->number, y->number)
                                  : ORDER(x->n_digits, y->n_digits);
}

static int count_digits(uint64_t number)
{
    int n = 1;

    for (; number > 9; number /= 10)
        n++;
    return n;
}

/* Is `next` what a range that begins with `first` has after `last`? */
static bool follows(const struct part *first, const struct part *last, const struct part *next)
{
    int least = (int)first->n_digits, own = count_digits(next->number);

    return next->number == last->number + 1 && (int)next->n_digits == (own > least ? own : least);
}

static void write_numbers(FILE *to, const struct part *parts, size_t n)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && follows(&parts[i], &parts[last], &parts[last + 1]); last++)
            continue;
        fprintf(to, "%s%.*s", i > 0 ? "," : "", (int)parts[i].n_digits, parts[i].name + parts[i].n_before);
        if (last > i)
            fprintf(to, "-%.*s", (int)parts[last].n_digits, parts[last].name + parts[last].n_before);
    }
}

static size_t remove_duplicates(struct part *parts, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; i++)
        if (n_left == 0 || strcmp(parts[n_left - 1].name, parts[i].name) != 0)
            parts[n_left++] = parts[i];
    return n_left;
}

static void write_folded(FILE *to, const struct part *parts, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && compare_around(&parts[i], &parts[end]) == 0; end++)
            continue;
        fprintf(to, "%s%.*s", i > 0 ? "," : "", (int)parts[i].n_before, parts[i].name);
        fputs(end - i > 1 ? "[" : "", to);
        write_numbers(to, parts + i, end - i);
        fprintf(to, "%s%s", end - i > 1 ? "]" : "", parts[i].after);
    }
}

char *host_list_fold(const char *const *names, size_t n)
{
    OWNED struct part *parts = allocate_array(n, sizeof *parts);
    struct text_stream stream;

    for (size_t i = 0; i < n; i++)
        parts[i] = take_apart(names[i]);
    SORT(parts, n, compare_parts);
    text_stream_open(&stream);
    write_folded(stream.to, parts, remove_duplicates(parts, n));
    return text_stream_close(&stream);
}
