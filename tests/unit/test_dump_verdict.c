/*
 * test_dump_verdict.c - concludes from the jobs of tests/unit/verdicts/, and compares the findings with the expected
 * ones.
 *
 * test_dump_verdict [--write DIR] [FILE...]: of these files instead. DIR gets each job as a record, and what was
 * concluded as JSON: tests/unit/verdict_records.py compares that with what mqdump says of the record.
 */
#include <dirent.h>

#include "unit_test.h"

#include "dump_findings.h"
#include "dump_job.h"
#include "dump_record.h"
#include "mqd/dump/show/json.h"
#include "verdict_case.h"

/* What was concluded. */

static bool is_sentence(const char *text)
{
    return text != NULL && strlen(text) > 10 && text[strlen(text) - 1] == '.';
}

static bool says(const struct explained *finding, const char *text)
{
    bool said = strstr(finding->sentence, text) != NULL;

    for (size_t i = 0; i < finding->n_details; i++)
        said |= strstr(finding->details[i], text) != NULL;
    return said;
}

static bool notes(const struct explanation *said, const char *text)
{
    bool noted = false;

    for (size_t i = 0; i < said->n_notes; i++)
        noted |= strstr(said->notes[i], text) != NULL;
    return noted;
}

/* "0 1", "a:1 b:0": whose operations it rests on. */
static bool has_evidence(const struct finding *finding, const char *expected)
{
    char *all = "";

    for (size_t i = 0; i < finding->n_evidence; i++) {
        const struct evidence *evidence = &finding->evidence[i];

        all = test_text("%s%s%s%s%ld", all, i > 0 ? " " : "", evidence->job, *evidence->job != '\0' ? ":" : "",
                        evidence->rank);
    }
    return strcmp(all, expected) == 0;
}

/* Comparing. */

static void print_found(const struct explanation *said)
{
    const struct verdict *verdict = &said->verdict;

    if (verdict->n == 0)
        fprintf(stderr, "  found: => %s\n", verdict->unclear ? "unknown" : "nothing");
    for (size_t i = 0; i < verdict->n; i++) {
        fprintf(stderr, "  found: %s\n    %s\n", say_finding(&verdict->findings[i]), said->findings[i].sentence);
        for (size_t k = 0; k < said->findings[i].n_details; k++)
            fprintf(stderr, "    %s\n", said->findings[i].details[k]);
    }
    for (size_t i = 0; i < said->n_notes; i++)
        fprintf(stderr, "  note:  %s\n", said->notes[i]);
}

/* The next finding is as the line says, or there is none where it says so. */
static bool check_next(const struct explanation *said, size_t *n, const char *line)
{
    const struct verdict *verdict = &said->verdict;

    if (strcmp(line, "=> nothing") == 0 || strcmp(line, "=> unknown") == 0)
        return verdict->n == 0 && verdict->unclear == (line[3] == 'u');
    if (*n >= verdict->n || !is_sentence(said->findings[*n].sentence))
        return false;
    for (size_t i = 0; i < said->findings[*n].n_details; i++)
        if (!is_sentence(said->findings[*n].details[i]))
            return false;
    return strcmp(say_finding(&verdict->findings[(*n)++]), line) == 0;
}

static const char *after(const char *line, const char *start)
{
    return strncmp(line, start, strlen(start)) == 0 ? line + strlen(start) : NULL;
}

static bool check_line(const struct verdict_case *this, const struct explanation *said, size_t *n,
                       const struct case_line *line)
{
    const struct finding *last = *n > 0 ? &said->verdict.findings[*n - 1] : NULL;
    const struct explained *sentences = *n > 0 ? &said->findings[*n - 1] : NULL;
    const char *text;

    if (after(line->text, "=>") != NULL)
        return check_next(said, n, line->text);
    if ((text = after(line->text, "note! ")) != NULL)
        return !notes(said, text);
    if ((text = after(line->text, "note ")) != NULL)
        return notes(said, text);
    if ((text = after(line->text, "notes ")) != NULL)
        return said->n_notes == strtoul(text, NULL, 10);
    if (last == NULL)
        return false;
    if ((text = after(line->text, "| ")) != NULL)
        return says(sentences, text);
    if ((text = after(line->text, "|! ")) != NULL)
        return !says(sentences, text);
    if ((text = after(line->text, "evidence ")) != NULL)
        return has_evidence(last, text);
    if ((text = after(line->text, "details ")) != NULL)
        return sentences->n_details == strtoul(text, NULL, 10);
    if ((text = after(line->text, "about ")) != NULL)
        return strcmp(last->has_communicator ? last->communicator_name : "nothing", text) == 0;
    if (strcmp(line->text, "takes time") == 0)
        return finding_rests_on_time(last);
    case_error(this, line->number, "'%s' is not understood", line->text);
}

static bool check(const struct verdict_case *this, const struct explanation *said)
{
    size_t n = 0;

    for (size_t i = 0; i < this->expected.n; i++)
        if (!check_line(this, said, &n, &this->expected.lines[i])) {
            fprintf(stderr, "%s:%zu: %s: expected:\n  %s\n", this->path, this->expected.lines[i].number, this->name,
                    this->expected.lines[i].text);
            print_found(said);
            return false;
        }
    if (n == said->verdict.n)
        return true;
    fprintf(stderr, "%s:%zu: %s: there is more than expected:\n", this->path, this->number, this->name);
    print_found(said);
    return false;
}

/* Writing. */

static FILE *open_result(const char *directory, const struct verdict_case *this, const char *suffix)
{
    const char *base = strrchr(this->path, '/') != NULL ? strrchr(this->path, '/') + 1 : this->path;
    char *path = test_text("%s/%.*s-%zu.%s", directory, (int)strcspn(base, "."), base, this->number, suffix);
    FILE *to = fopen(path, "w");

    if (to == NULL)
        case_error(this, this->number, "%s cannot be written", path);
    return to;
}

static void write_all(const char *directory, const struct verdict_case *this, const struct explanation *said,
                      const struct witness *witnesses, size_t n)
{
    FILE *to = open_result(directory, this, "json");

    fprintf(to, "{\"case\":\"%s:%zu\"", this->path, this->number);
    json_print_findings(to, said);
    fputs("}\n", to);
    fclose(to);
    to = open_result(directory, this, "record");
    record_put_job(to, witnesses, n);
    fclose(to);
}

/* All cases. */

static int is_case_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot != NULL && strcmp(dot, ".txt") == 0;
}

static void read_directory(struct verdict_cases *all, char **paths)
{
    const char *source = getenv("srcdir") != NULL ? getenv("srcdir") : ".";
    char *directory = test_text("%s/tests/unit/verdicts", source);
    struct dirent **entries;
    int n = scandir(directory, &entries, is_case_file, alphasort);

    for (int i = 0; i < n; i++) {
        paths[i] = format_text("%s/%s", directory, entries[i]->d_name);
        verdict_cases_read(all, paths[i]);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static bool run(const struct verdict_case *this, const char *directory)
{
    struct explanation said = {0};
    size_t n;
    const struct witness *witnesses = verdict_case_make(this, &n);
    bool good;

    explanation_reach(&said, witnesses, n);
    good = check(this, &said);
    if (directory != NULL && n > 0)
        write_all(directory, this, &said, witnesses, n);
    explanation_clear(&said);
    job_end();
    unit_test_end(NULL, 0, false);
    return good;
}

int main(int argc, char **argv)
{
    enum { MAX_FILES = 256 };
    char *paths[MAX_FILES] = {NULL}, *directory = NULL;
    struct verdict_cases all = {0};
    size_t n_failed = 0;
    int at = 1;

    if (argc > 2 && strcmp(argv[1], "--write") == 0) {
        directory = argv[2];
        at = 3;
    }
    if (at == argc)
        read_directory(&all, paths);
    for (; at < argc; at++)
        verdict_cases_read(&all, argv[at]);
    for (size_t i = 0; i < all.n; i++)
        n_failed += !run(&all.cases[i], directory);
    printf("%zu passed, %zu failed, 0 skipped\n", all.n - n_failed, n_failed);
    n_failed += all.n == 0;
    verdict_cases_clear(&all);
    for (size_t i = 0; i < MAX_FILES; i++)
        free(paths[i]);
    return n_failed > 0;
}
