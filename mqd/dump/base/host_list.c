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
#include "mqd/dump/base/sort.h"
#include "mqd/dump/base/text_stream.h"

/* Names. */

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
    size_t n;                      /* names that it has had so far, each as often as it has it */
};

static const char too_many[] = "is too many hosts: 1048576 are the most";

/* One list. */

static bool refuse(const struct word *word, const char *what)
{
    OWNED char *where = printable(word->where, 0), *text = printable(word->text, 0);

    set_reason(word->why, "%s'%s' %s", where, text, what);
    return false;
}

/* Names that a word has several times are not in the list so often, but take time. */
static bool add_name(struct dictionary *hosts, struct word *word, const char *name)
{
    if (!host_name_is_valid(name))
        return refuse(word, "is no name of a host: names have letters, digits, '.', '_', ':' and '-', and begin with a "
                            "letter or a digit");
    if (hosts->n >= MAX_LISTED_HOSTS || word->n++ >= MAX_LISTED_HOSTS)
        return refuse(word, too_many);
    dictionary_number(hosts, copy_string(name), NULL);
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
 * Adds all names of a text in which the first pair of brackets stands for each of its numbers in turn: the last pair
 * goes first, as the kilometres of a car are counted.
 */
static bool add_names(struct dictionary *hosts, struct word *word, const char *text, int n_brackets)
{
    static const char wrong[] = "is no list of hosts: brackets have numbers and ranges, as in n[01-16,20]";
    const char *open = strchr(text, '['), *at = open, *close;

    if (open == NULL)
        return add_name(hosts, word, text);
    close = strchr(open, ']');
    if (close == NULL || n_brackets == MAX_BRACKETS)
        return refuse(word, wrong);
    while (at != close) {
        struct range range;

        at = read_range(&range, at + 1);
        if (at == NULL || (*at != ',' && at != close))
            return refuse(word, wrong);
        for (uint64_t number = range.first; number <= range.last; number++) {
            OWNED char *name = format_text("%.*s%0*llu%s", (int)(open - text), text, range.n_digits,
                                           (unsigned long long)number, close + 1);

            if (!add_names(hosts, word, name, n_brackets + 1))
                return false;
        }
    }
    return true;
}

static bool add_word(struct dictionary *hosts, const char *text, const char *where, char **why)
{
    return add_names(hosts, &(struct word){text, where, why, 0}, text, 0);
}

/* Files. */

/* A word of a file is no longer than this; what follows it on the line may be. */
enum { MAX_FILE_LINE = 4096 };

static bool add_line(struct dictionary *hosts, char *line, const char *where, char **why)
{
    char *word = line + strspn(line, " \t\r\n");

    word[strcspn(word, " \t\r\n#")] = '\0';
    return *word == '\0' || add_word(hosts, word, where, why);
}

static bool add_lines(struct dictionary *hosts, FILE *from, const char *path, char **why)
{
    char line[MAX_FILE_LINE];
    bool good = true, begins = true;

    for (size_t number = 1; good && fgets(line, sizeof line, from) != NULL;) {
        bool ends = strchr(line, '\n') != NULL;
        OWNED char *where = format_text("%s:%zu: ", path, number);

        good = !begins || add_line(hosts, line, where, why);
        begins = ends;
        number += ends;
    }
    return good;
}

static bool add_file(struct dictionary *hosts, const char *path, char **why)
{
    FILE *from = fopen(path, "re");
    OWNED char *name = printable(path, 0);
    bool good = false;

    if (from == NULL)
        set_reason(why, "the list of hosts %s cannot be read: %s", name, strerror(errno));
    else if (add_lines(hosts, from, path, why))
        good = ferror(from) ? set_reason(why, "the list of hosts %s cannot be read", name)
                            : hosts->n > 0 || set_reason(why, "the list of hosts %s has no host", name);
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

bool host_list_read(struct dictionary *hosts, const char *text, bool with_files, char **why)
{
    const char *at = text + strspn(text, ", \t\r\n");
    bool good = *at != '\0' || set_reason(why, "the list of hosts is empty");

    while (good && *at != '\0') {
        size_t length = word_length(at);
        OWNED char *word = format_text("%.*s", length < INT32_MAX ? (int)length : INT32_MAX, at);

        good = with_files && *word == '@' ? add_file(hosts, word + 1, why)
                                          : add_word(hosts, word, "", why);
        at += length;
        at += strspn(at, ", \t\r\n");
    }
    return good;
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
