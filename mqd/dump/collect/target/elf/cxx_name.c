/*
 * cxx_name.c - reads the names of the Itanium C++ ABI, which all compilers for Unix write.
 *
 * A C++ library's own function for this (__cxa_demangle) writes out what names repeat: a short name of a hostile file
 * may stand for one of any length. And it would bring the runtime of C++ into the confined process. Here only what
 * people say is made, in one way through the name: what is repeated (S0_, T_) is not looked up, since it stands in
 * types only.
 */
#include "mqd/dump/collect/target/elf/cxx_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mqd/dump/base/memory.h"

/* Longer names are cut where they are shown. Lists in lists of real names are about ten deep. */
enum { MAX_SYMBOL = 4096, MAX_SAID = 512, MAX_DEPTH = 64 };

/* What is read, and what is said of it. */
struct reader {
    const char *at;            /* NULL: it was not understood */
    char said[MAX_SAID];
    size_t length;
    const char *last;          /* the last part of the name, which constructors repeat; in the symbol */
    size_t last_length;
    unsigned depth;            /* of lists in lists */
};

static bool fail(struct reader *reader)
{
    reader->at = NULL;
    return false;
}

/* What does not fit is left away: it would be cut anyway. */
static void say_some(struct reader *reader, const char *text, size_t length)
{
    if (length > sizeof reader->said - 1 - reader->length)
        length = sizeof reader->said - 1 - reader->length;
    memcpy(reader->said + reader->length, text, length);
    reader->length += length;
    reader->said[reader->length] = '\0';
}

static void say(struct reader *reader, const char *text)
{
    say_some(reader, text, strlen(text));
}

static bool skip_text(struct reader *reader, const char *text)
{
    if (strncmp(reader->at, text, strlen(text)) != 0)
        return false;
    reader->at += strlen(text);
    return true;
}

/* "6Solver": a length and so many bytes. */
static bool read_source_name(struct reader *reader, const char **name, size_t *length)
{
    size_t n = 0;

    for (; isdigit((unsigned char)*reader->at); reader->at++) {
        n = 10 * n + (size_t)(*reader->at - '0');
        if (n > MAX_SYMBOL)
            return fail(reader);
    }
    if (n == 0 || strnlen(reader->at, n) < n)
        return fail(reader);
    *name = reader->at;
    *length = n;
    reader->at += n;
    return true;
}

/* "_", "12_": the number of one of several. */
static bool skip_number(struct reader *reader)
{
    while (isdigit((unsigned char)*reader->at) || isupper((unsigned char)*reader->at))
        reader->at++;
    return skip_text(reader, "_") || fail(reader);
}

/* Types that are not said. */

static bool skip_type(struct reader *reader);

/* The rest of a list, with its end. What a list of parameters or a nested name has reads like types. */
static bool skip_list(struct reader *reader)
{
    while (*reader->at != 'E')
        if (!skip_type(reader))
            return false;
    reader->at++;
    return true;
}

/* "Li5E": behind the type comes the value. The address of something with a name is one too. */
static bool skip_value(struct reader *reader)
{
    if (skip_text(reader, "_Z"))
        return skip_list(reader);
    if (!skip_type(reader))
        return false;
    while (isalnum((unsigned char)*reader->at) && *reader->at != 'E')
        reader->at++;
    return skip_text(reader, "E") || fail(reader);
}

/*
 * What the next letters are. Types go on behind some of these: `*whole` says if not. Of expressions, which templates
 * sometimes have for arguments, only the address of something with a name is understood.
 */
static bool skip_letters(struct reader *reader, bool *whole)
{
    char letter = *reader->at++, next = *reader->at;

    *whole = true;
    switch (letter) {
    case 'P': case 'R': case 'O': case 'K': case 'V': case 'G': case 'B': case 'r': case 'Y':
        *whole = false;
        return true;
    case 'M':
        *whole = false;
        return skip_type(reader);
    case 'N': case 'I': case 'J': case 'F':
        return skip_list(reader);
    case 'Z':
        *whole = false;
        return skip_list(reader);
    case 'L':
        return skip_value(reader);
    case 'X':
        return strncmp(reader->at, "adL_Z", 5) == 0 ? skip_text(reader, "ad") && skip_list(reader) : fail(reader);
    case 'S':
        *whole = next != 't';
        if (next == '\0' || strchr("tabsiod", next) == NULL)
            return skip_number(reader);
        reader->at++;
        return true;
    case 'T':
        return skip_number(reader);
    case 'C':
        *whole = isdigit((unsigned char)next);
        reader->at += *whole;
        return true;
    case 'D':
        *whole = next != 'p' && next != 'o';
        if (next == '\0' || strchr("pndeafhisuco012345", next) == NULL)
            return fail(reader);
        reader->at++;
        return true;
    case 'A':
        *whole = false;
        while (isdigit((unsigned char)*reader->at))
            reader->at++;
        return skip_text(reader, "_") || fail(reader);
    case 'U':
        if (skip_text(reader, "l"))
            return skip_list(reader) && skip_number(reader);
        *whole = skip_text(reader, "t");
        return !*whole || skip_number(reader);
    default:
        return islower((unsigned char)letter) || fail(reader);
    }
}

/* "_0", "__12_": which of several local types of a name it is. */
static bool skip_discriminator(struct reader *reader)
{
    if (skip_text(reader, "__"))
        return skip_number(reader);
    if (skip_text(reader, "_"))
        reader->at += isdigit((unsigned char)*reader->at) != 0;
    return true;
}

static bool skip_type(struct reader *reader)
{
    const char *name;
    size_t length;
    bool whole = false, good = reader->depth < MAX_DEPTH;

    reader->depth++;
    while (good && (!whole || *reader->at == 'I')) {
        if (isdigit((unsigned char)*reader->at)) {
            good = read_source_name(reader, &name, &length);
            whole = true;
        } else {
            good = *reader->at != '\0' && skip_letters(reader, &whole);
        }
    }
    reader->depth--;
    return good ? skip_discriminator(reader) : fail(reader);
}

/* Arguments of templates. */

static const char *builtin_type(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } types[] = {
        {'v', "void"}, {'b', "bool"}, {'c', "char"}, {'a', "signed char"}, {'h', "unsigned char"}, {'s', "short"},
        {'t', "unsigned short"}, {'i', "int"}, {'j', "unsigned"}, {'l', "long"}, {'m', "unsigned long"},
        {'x', "long long"}, {'y', "unsigned long long"}, {'f', "float"}, {'d', "double"}, {'e', "long double"},
        {'w', "wchar_t"}, {'n', "__int128"}, {'g', "__float128"},
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].letter == letter)
            return types[i].name;
    return NULL;
}

/* "Li5E", "Lin5E", "Lb1E". */
static bool say_value(struct reader *reader, const char *argument)
{
    size_t length = (size_t)(reader->at - argument) - strlen("LiE");
    const char *digits = argument + 2;

    if (builtin_type(argument[1]) == NULL || length < 1)
        return false;
    if (argument[1] == 'b') {
        say(reader, *digits == '0' ? "false" : "true");
        return true;
    }
    if (*digits == 'n')
        say(reader, "-");
    say_some(reader, digits + (*digits == 'n'), length - (*digits == 'n'));
    return true;
}

/* A class, "3Foo" or "N3lib3FooE", without arguments of its own. */
static bool say_class(struct reader *reader, const char *argument)
{
    const char *end = reader->at, *name;
    size_t length, before = reader->length;
    bool nested = *argument == 'N', good = true;

    reader->at = argument + nested;
    do {
        good = isdigit((unsigned char)*reader->at) && read_source_name(reader, &name, &length);
        if (good && reader->length > before)
            say(reader, "::");
        if (good)
            say_some(reader, name, length);
    } while (good && nested && *reader->at != 'E');
    good = good && reader->at + nested == end;
    reader->at = end;
    if (good)
        return true;
    reader->length = before;
    reader->said[before] = '\0';
    return false;
}

static bool say_simple(struct reader *reader, const char *argument)
{
    if (reader->at == argument + 1 && builtin_type(*argument) != NULL) {
        say(reader, builtin_type(*argument));
        return true;
    }
    return *argument == 'L' ? say_value(reader, argument) : say_class(reader, argument);
}

/* "IdLi3EE" is "<double, 3>". Nobody writes the allocators of the standard library's templates. */
static bool read_arguments(struct reader *reader)
{
    bool any = false, others = false;

    say(reader, "<");
    while (*reader->at != 'E') {
        const char *argument = reader->at;

        if (!skip_type(reader))
            return false;
        if (others || strncmp(argument, "Sa", 2) == 0)
            continue;
        say(reader, any ? ", " : "");
        any = true;
        others = !say_simple(reader, argument);
        say(reader, others ? "..." : "");
    }
    reader->at++;
    say(reader, ">");
    return true;
}

/* Names. */

static bool read_operator(struct reader *reader)
{
    static const char codes[][12] = {
        "nw new", "na new[]", "dl delete", "da delete[]", "aw co_await", "ps+", "ng-", "ad&", "de*", "co~", "pl+",
        "mi-",
        "ml*", "dv/", "rm%", "an&", "or|", "eo^", "aS=", "pL+=", "mI-=", "mL*=", "dV/=", "rM%=", "aN&=", "oR|=", "eO^=",
        "ls<<", "rs>>", "lS<<=", "rS>>=", "eq==", "ne!=", "lt<", "gt>", "le<=", "ge>=", "ss<=>", "nt!", "aa&&", "oo||",
        "pp++", "mm--", "cm,", "pm->*", "pt->", "cl()", "ix[]",
    };
    const char *type;

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (strncmp(reader->at, codes[i], 2) != 0)
            continue;
        reader->at += 2;
        say(reader, "operator");
        say(reader, codes[i] + 2);
        if (codes[i][strlen(codes[i]) - 1] == '<' && *reader->at == 'I')
            say(reader, " ");
        return true;
    }
    if (!skip_text(reader, "cv"))
        return fail(reader);
    say(reader, "operator ");
    type = reader->at;
    if (!skip_type(reader))
        return false;
    if (!say_simple(reader, type))
        say(reader, "...");
    return true;
}

/* Constructors and destructors have the name of their class. */
static bool read_structor(struct reader *reader)
{
    const char *tilde = *reader->at == 'D' ? "~" : "";

    if (reader->last == NULL || !isdigit((unsigned char)reader->at[1]))
        return fail(reader);
    reader->at += 2;
    say(reader, tilde);
    say_some(reader, reader->last, reader->last_length);
    return true;
}

static bool read_plain_name(struct reader *reader)
{
    static const char nameless[] = "_GLOBAL__N_";

    if (!read_source_name(reader, &reader->last, &reader->last_length))
        return false;
    if (strncmp(reader->last, nameless, strlen(nameless)) == 0)
        say(reader, "(anonymous namespace)");
    else
        say_some(reader, reader->last, reader->last_length);
    return true;
}

static bool read_unqualified(struct reader *reader)
{
    if (*reader->at == 'L')
        reader->at++;
    if (isdigit((unsigned char)*reader->at))
        return read_plain_name(reader);
    if (*reader->at == 'C' || (*reader->at == 'D' && reader->at[1] != 'C'))
        return read_structor(reader);
    if (skip_text(reader, "Ul")) {
        say(reader, "{lambda}");
        return skip_list(reader) && skip_number(reader);
    }
    if (skip_text(reader, "Ut")) {
        say(reader, "{unnamed}");
        return skip_number(reader);
    }
    return read_operator(reader);
}

/* "B5cxx11": what was built for which version of the ABI is not said. */
static bool skip_tags(struct reader *reader)
{
    const char *tag;
    size_t length;

    while (skip_text(reader, "B"))
        if (!read_source_name(reader, &tag, &length))
            return false;
    return true;
}

/* "St" and so on: classes of the standard library. `*found`: it is one. */
static bool read_standard(struct reader *reader, bool *found)
{
    static const char *const classes[][3] = {
        {"Sa", "std::allocator", "allocator"},   {"Sb", "std::basic_string", "basic_string"},
        {"Ss", "std::string", "string"},         {"Si", "std::istream", "istream"},
        {"So", "std::ostream", "ostream"},       {"Sd", "std::iostream", "iostream"},
    };

    *found = *reader->at == 'S';
    for (size_t i = 0; *found && i < sizeof classes / sizeof *classes; i++) {
        if (!skip_text(reader, classes[i][0]))
            continue;
        say(reader, classes[i][1]);
        reader->last = classes[i][2];
        reader->last_length = strlen(classes[i][2]);
        return true;
    }
    if (!*found)
        return true;
    say(reader, "std");
    return skip_text(reader, "St") || fail(reader);
}

/* A part of a qualified name, with the arguments of its template. */
static bool read_part(struct reader *reader)
{
    return read_unqualified(reader) && skip_tags(reader) && (!skip_text(reader, "I") || read_arguments(reader));
}

/* "N" parts "E". */
static bool read_nested(struct reader *reader)
{
    bool found;

    while (*reader->at != '\0' && strchr("rVKRO", *reader->at) != NULL)
        reader->at++;
    if (!read_standard(reader, &found) || (found && skip_text(reader, "I") && !read_arguments(reader)))
        return false;
    for (bool first = !found; *reader->at != 'E'; first = false) {
        say(reader, first ? "" : "::");
        if (!read_part(reader))
            return false;
    }
    reader->at++;
    return true;
}

static bool read_name(struct reader *reader)
{
    if (skip_text(reader, "N"))
        return read_nested(reader);
    if (skip_text(reader, "St"))
        say(reader, "std::");
    return read_part(reader);
}

/* "Z" function "E" name: something in a function, as lambdas are. */
static bool read_encoding(struct reader *reader)
{
    size_t n_around = 0;

    while (skip_text(reader, "Z"))
        n_around++;
    if (!read_name(reader))
        return false;
    for (; n_around > 0; n_around--) {
        say(reader, "::");
        if (!skip_list(reader) || !read_name(reader))
            return false;
    }
    return true;
}

/* "Thn16_", "Tv0_n24_": what a virtual call enters, to go on to the function. */
static bool skip_thunk(struct reader *reader)
{
    bool is_virtual = skip_text(reader, "Tv");

    if (!is_virtual && !skip_text(reader, "Th"))
        return *reader->at != 'T' && *reader->at != 'G';
    for (int i = 0; i <= is_virtual; i++) {
        skip_text(reader, "n");
        if (!skip_number(reader))
            return false;
    }
    return true;
}

char *cxx_name(const char *symbol)
{
    struct reader reader = {.at = symbol};

    if (strnlen(symbol, MAX_SYMBOL + 1) > MAX_SYMBOL || !skip_text(&reader, "_Z") || !skip_thunk(&reader) ||
        !read_encoding(&reader) || reader.length == 0)
        return NULL;
    return copy_string(reader.said);
}
