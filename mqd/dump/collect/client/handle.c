/*
 * handle.c - asks a debug DLL what handles stand for.
 */
#include "mqd/dump/collect/client/handle.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mqd/dump/base/memory.h"
#include "mqd/dump/base/name_list.h"
#include "mqd/dump/base/number.h"
#include "mqd/dump/collect/client/host.h"

/* The longest name that a DLL tells is cut to this, or at the beginning of a character of four bytes before it. */
enum { MAX_NAME = sizeof((struct mqd_handle_summary *)0)->name - 1, MAX_CUT = 3 };

/* Questions. */

struct question {
    enum { ASKS_VALUE, ASKS_NAME, ASKS_KIND, ASKS_ARRAY } form;
    int kind;                      /* enum mqd_handle_kind; MQD_HANDLE_unknown: of any */
    int language;
    uint64_t value;                /* the handle, or the address of the array */
    int64_t n;                     /* entries of the array */
    const char *name;              /* of `name_length` bytes */
    size_t name_length;
};

static const struct {
    const char *word;
    int kind;
} kinds[] = {
    {"comm", MQD_HANDLE_communicator}, {"type", MQD_HANDLE_datatype}, {"group", MQD_HANDLE_group},
    {"request", MQD_HANDLE_request},   {"win", MQD_HANDLE_window},    {"file", MQD_HANDLE_file},
    {"op", MQD_HANDLE_op},             {"errhandler", MQD_HANDLE_errhandler},
    {"info", MQD_HANDLE_info},         {"message", MQD_HANDLE_message}, {"session", MQD_HANDLE_session},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static int kind_of_word(const char *word)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(kinds[i].word, word) == 0)
            return kinds[i].kind;
    return MQD_HANDLE_unknown;
}

static const char *word_of_kind(int kind)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].word;
    return "unknown";
}

static bool read_address(const char **text, uint64_t *address)
{
    char *end;

    if (strncmp(*text, "0x", 2) != 0 || !isxdigit((unsigned char)(*text)[2]))
        return false;
    errno = 0;
    *address = strtoull(*text, &end, 16);
    *text = end;
    return errno == 0;
}

static bool refuse_value(const char *text, char **why)
{
    return set_reason(why,
                      "--handle: '%s' is no handle: an address in C is 0x55d0c0ffee, an INTEGER of Fortran 17 with its "
                      "kind, 17:comm, and a name MPI_COMM_WORLD or what the program has given", text);
}

/* "-1:comm" of a variable that was not set, which is no name. */
static bool read_negative(struct question *question, const char *text, const char *colon)
{
    const char *at = text + 1;
    int64_t number;

    if (*text != '-' || question->kind == MQD_HANDLE_unknown || !number_take(&at, INT_MAX, &number) || at != colon)
        return false;
    question->value = (uint64_t)-number;
    question->language = MQD_LANGUAGE_fortran;
    return true;
}

/* Decimal numbers that an INTEGER can have are Fortran's, or of MPI_Comm_toint; addresses are as 0x55d0c0ffee. */
static bool read_value(struct question *question, const char *text, char **why)
{
    const char *at = text, *colon = strrchr(text, ':');
    bool is_decimal = isdigit((unsigned char)*text) && strncmp(text, "0x", 2) != 0;
    int64_t number = 0;

    question->kind = colon != NULL ? kind_of_word(colon + 1) : MQD_HANDLE_unknown;
    if (read_negative(question, text, colon))
        return true;
    if (!isdigit((unsigned char)*text)) {
        question->form = ASKS_NAME;
        question->name = text;
        question->name_length = question->kind != MQD_HANDLE_unknown ? (size_t)(colon - text) : strlen(text);
        return question->name_length > 0 || refuse_value(text, why);
    }
    if (colon != NULL && question->kind == MQD_HANDLE_unknown)
        return set_reason(why,
                          "--handle: '%s' is no kind of handle: they are comm, type, group, request, win, file, op, "
                          "errhandler, info, message and session", colon + 1);
    if (!(is_decimal ? number_take(&at, INT64_MAX, &number) : read_address(&at, &question->value)) ||
        at != (colon != NULL ? colon : text + strlen(text)))
        return refuse_value(text, why);
    if (!is_decimal)
        return true;
    question->value = (uint64_t)number;
    question->language = number <= INT_MAX ? MQD_LANGUAGE_fortran : MQD_LANGUAGE_c;
    return question->language == MQD_LANGUAGE_c || question->kind != MQD_HANDLE_unknown || refuse_value(text, why);
}

static bool read_array(struct question *question, const char *text, char **why)
{
    static const char fortran[] = ":fortran";
    const char *at = text;

    question->form = ASKS_ARRAY;
    if (read_address(&at, &question->value) && *at++ == ',' && number_take(&at, INT64_MAX, &question->n) &&
        question->n >= 1 && question->n <= MAX_REQUEST_ENTRIES && (*at == '\0' || strcmp(at, fortran) == 0)) {
        question->language = *at == '\0' ? MQD_LANGUAGE_c : MQD_LANGUAGE_fortran;
        return true;
    }
    return set_reason(why,
                      "--requests is the address of an array of MPI_Request and the number of its entries, from 1 to "
                      "%d, as 0x7ffd1000,8 or, of INTEGERs of Fortran, 0x7ffd1000,8%s; not '%s'", MAX_REQUEST_ENTRIES,
                      fortran, text);
}

static bool read_question(struct question *question, const char *text, char **why)
{
    static const char handle[] = "--handle ", requests[] = "--requests ";
    static const struct {
        const char *text;
        int kind;
    } all[] = {{COMMUNICATORS_QUESTION, MQD_HANDLE_communicator}, {"--windows", MQD_HANDLE_window},
               {"--files", MQD_HANDLE_file}};

    *question = (struct question){.language = MQD_LANGUAGE_c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(text, all[i].text) == 0) {
            question->form = ASKS_KIND;
            question->kind = all[i].kind;
            return true;
        }
    if (name_begins_with(text, handle))
        return read_value(question, text + sizeof handle - 1, why);
    if (name_begins_with(text, requests))
        return read_array(question, text + sizeof requests - 1, why);
    return set_reason(why, "'%s' is no question", text);
}

bool handle_question_is_valid(const char *question, char **why)
{
    struct question read;

    return read_question(&read, question, why);
}

/* Answers. */

/* Facts that are no numbers. An attribute is what the program's call has made it. */
static const unsigned char forms[] = {
    [MQD_FACT_internal] = MQD_FORM_truth,          [MQD_FACT_revoked] = MQD_FORM_truth,
    [MQD_FACT_collectives_revoked] = MQD_FORM_truth, [MQD_FACT_freed] = MQD_FORM_truth,
    [MQD_FACT_reorder] = MQD_FORM_truth,           [MQD_FACT_periodic] = MQD_FORM_truth,
    [MQD_FACT_committed] = MQD_FORM_truth,         [MQD_FACT_datatype] = MQD_FORM_handle,
    [MQD_FACT_persistent] = MQD_FORM_truth,        [MQD_FACT_object] = MQD_FORM_handle,
    [MQD_FACT_context] = MQD_FORM_text,            [MQD_FACT_request] = MQD_FORM_handle,
    [MQD_FACT_function] = MQD_FORM_address,        [MQD_FACT_base] = MQD_FORM_address,
    [MQD_FACT_group] = MQD_FORM_handle,            [MQD_FACT_exposed] = MQD_FORM_truth,
    [MQD_FACT_locked_exclusively] = MQD_FORM_truth, [MQD_FACT_component] = MQD_FORM_text,
    [MQD_FACT_communicator] = MQD_FORM_handle,     [MQD_FACT_closed] = MQD_FORM_truth,
    [MQD_FACT_view_etype] = MQD_FORM_handle,       [MQD_FACT_view_filetype] = MQD_FORM_handle,
    [MQD_FACT_atomic] = MQD_FORM_truth,            [MQD_FACT_split_collective] = MQD_FORM_truth,
    [MQD_FACT_commutative] = MQD_FORM_truth,       [MQD_FACT_language_fortran] = MQD_FORM_truth,
    [MQD_FACT_key] = MQD_FORM_text,                [MQD_FACT_value] = MQD_FORM_text,
    [MQD_FACT_session] = MQD_FORM_handle,          [MQD_FACT_error_handler] = MQD_FORM_handle,
    [MQD_FACT_attribute] = MQD_FORM_unknown,
};

bool handle_item_has_its_form(const struct handle_item *item)
{
    if (item->fact <= MQD_FACT_unknown || item->fact > MQD_FACT_attribute)
        return true;
    if (item->fact == MQD_FACT_attribute)
        return item->form >= MQD_FORM_number && item->form <= MQD_FORM_address;
    return item->form == (forms[item->fact] != MQD_FORM_unknown ? forms[item->fact] : MQD_FORM_number);
}

struct asking {
    struct handle_answer *answer;
    const struct dll *dll;
    mqs_process *process;
};

/* Returns the DLL's last code. */
static int take_items(struct handle *handle, const struct asking *asking)
{
    struct mqd_handle_item said;
    struct handle_item item;

    for (int i = 0; i < MAX_HANDLE_ITEMS; i++) {
        int code = asking->dll->extension->describe_handle_item(asking->process, i, &said);
        if (code != mqs_ok)
            return code;
        /* It is told as an address, and everywhere else it is a number. */
        if (said.fact == MQD_FACT_unique_id && said.form == MQD_FORM_address) {
            said.form = MQD_FORM_number;
            said.number = (long)said.address;
            said.address = 0;
        }
        item = (struct handle_item){.fact = said.fact, .form = said.form, .index = said.index,
                                    .number = (long)said.number, .address = said.address,
                                    .text = texts_add(&asking->answer->texts, said.text,
                                                      strnlen(said.text, sizeof said.text))};
        if (handle_item_has_its_form(&item))
            APPEND(handle->items, handle->n, handle->room, item);
        else
            set_reason(&handle->error, "the debugging library tells fact %d in form %d, which it cannot have",
                       item.fact, item.form);
    }
    set_reason(&handle->error, "the debugging library tells more than %d facts: the rest is not shown",
               MAX_HANDLE_ITEMS);
    return mqs_end_of_list;
}

/*
 * Returns the DLL's code. An object in C says itself what it is, also if it is not of the kind that it is taken for.
 * The DLL knows programs of MPI's ABI: their integers are those of MPI_Comm_toint, not INTEGERs of Open MPI's Fortran.
 */
static int ask(const struct asking *asking, const struct question *question, mqs_taddr_t value,
               struct mqd_handle_summary *summary)
{
    int kind = question->language == MQD_LANGUAGE_c ? MQD_HANDLE_unknown : question->kind;
    int code = mqs_no_information;

    if (question->language != MQD_LANGUAGE_c)
        code = asking->dll->extension->describe_handle(asking->process, kind, value, MQD_LANGUAGE_abi, summary);
    if (code != mqs_ok)
        code = asking->dll->extension->describe_handle(asking->process, kind, value, question->language, summary);
    return code;
}

static bool lacks(const struct asking *asking, uint64_t address)
{
    const struct core *core = asking->process->process->core;

    return core != NULL && core_lacks(core, address);
}

/*
 * In a core the object may be missing, or its class, to which its first or, in debug builds, second word leads. The
 * place of an INTEGER's object the DLL tells.
 */
static bool is_not_in_core(const struct asking *asking, const struct question *question, mqs_taddr_t value)
{
    const long wanted = (long)value;
    long fortran = wanted;
    int size = asking->process->is_64_bit ? 8 : 4;

    if (question->language == MQD_LANGUAGE_fortran &&
        (asking->dll->extension->next_handle(asking->process, question->kind, &fortran, &value) != mqs_ok ||
         fortran != wanted))
        return false;
    if (lacks(asking, value))
        return true;
    for (int i = 0; i < 2; i++) {
        uint64_t class = 0;

        if (process_read_word(asking->process->process, value + (mqs_taddr_t)(i * size), (size_t)size, &class) &&
            lacks(asking, class))
            return true;
    }
    return false;
}

static struct handle describe(const struct asking *asking, const struct question *question, uint64_t value,
                              long position)
{
    struct handle handle = {.position = position, .value = (mqs_taddr_t)value};
    struct mqd_handle_summary *summary = &handle.summary;
    int code = ask(asking, question, handle.value, summary);

    if (code == mqs_ok) {
        summary->class_name[sizeof summary->class_name - 1] = summary->name[sizeof summary->name - 1] = '\0';
        code = take_items(&handle, asking);
    } else {
        *summary = (struct mqd_handle_summary){.fortran = -1};
    }
    if (code == mqs_no_information && is_not_in_core(asking, question, handle.value))
        set_reason(&handle.error,
                   "whether an MPI object lies there is not known: the core file has not the memory that the process "
                   "had there; write cores with all memory (/proc/PID/coredump_filter 0x7f, gdb's gcore)");
    else if (code == mqs_no_information)
        set_reason(&handle.error, "no MPI object lies there: it was freed, or there never was one%s",
                   question->form == ASKS_VALUE && question->language == MQD_LANGUAGE_c
                       ? "; the value of a variable is asked for, not its address" : "");
    else if (code != mqs_end_of_list)
        dll_fail(asking->dll, code, &handle.error, &handle.reason);
    if (summary->kind != MQD_HANDLE_unknown && question->kind != MQD_HANDLE_unknown && summary->kind != question->kind)
        set_reason(&handle.error, "it is of kind %s, not %s", word_of_kind(summary->kind),
                   word_of_kind(question->kind));
    return handle;
}

static void add(const struct asking *asking, struct handle handle)
{
    APPEND(asking->answer->handles, asking->answer->n, asking->answer->room, handle);
}

/* Every process has them, and nobody looks for them. */
static bool is_null(const struct mqd_handle_summary *summary)
{
    return summary->predefined &&
           (summary->kind != MQD_HANDLE_communicator || strcmp(summary->name, "MPI_COMM_NULL") == 0);
}

static bool has_name(const struct mqd_handle_summary *summary, const struct question *question)
{
    size_t length = strlen(summary->name);

    return strncmp(summary->name, question->name, length) == 0 &&
           (length == question->name_length || (length < question->name_length && length >= MAX_NAME - MAX_CUT));
}

static void clear_handle(struct handle *handle)
{
    FREE_ALL(handle->items, handle->error);
    *handle = (struct handle){0};
}

/* All of a kind; those with the name, if one is asked for. */
static void take_kind(const struct asking *asking, const struct question *question, int kind)
{
    struct handle_answer *answer = asking->answer;
    struct question here = *question;
    mqs_taddr_t value;
    long fortran = 0;
    int code;

    here.kind = kind;
    /* To look for a name takes much less time than to describe all that there is. */
    if (question->name != NULL && question->name_length < MAX_NAME - MAX_CUT) {
        OWNED char *name = format_text("%.*s", (int)question->name_length, question->name);

        if (asking->dll->extension->find_handle(asking->process, kind, name, &value) != mqs_ok)
            return;
    }
    for (; (code = asking->dll->extension->next_handle(asking->process, kind, &fortran, &value)) == mqs_ok; fortran++) {
        struct handle handle = describe(asking, &here, value, -1);

        if (question->name != NULL ? !has_name(&handle.summary, question) : is_null(&handle.summary)) {
            clear_handle(&handle);
        } else if (answer->n == MAX_HANDLES) {
            clear_handle(&handle);
            set_reason(&answer->error, "there are more than %s: the rest is not shown", NUMBER(MAX_HANDLES));
            return;
        } else {
            add(asking, handle);
        }
    }
    if (code != mqs_end_of_list && question->name == NULL)
        dll_fail(asking->dll, code, &answer->error, &answer->reason);
}

/* Requests of a program and the like have no names, and Open MPI before 5.0 no sessions: what fails finds nothing. */
static void take_name(const struct asking *asking, const struct question *question)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (question->kind == MQD_HANDLE_unknown || question->kind == kinds[i].kind)
            take_kind(asking, question, kinds[i].kind);
    if (asking->answer->n == 0)
        set_reason(&asking->answer->error,
                   "nothing with the name '%.*s' is found: give the handle's value (datatypes of the program are found "
                   "by name only if it has called MPI_Type_c2f; groups, requests, infos and messages have no names but "
                   "MPI's own)",
                   (int)question->name_length, question->name);
}

static void take_array(const struct asking *asking, const struct question *question)
{
    int size = asking->process->is_64_bit && question->language == MQD_LANGUAGE_c ? 8 : 4;
    struct question entry = *question;

    entry.kind = MQD_HANDLE_request;
    for (int64_t i = 0; i < question->n; i++) {
        uint64_t at = question->value + (uint64_t)i * (uint64_t)size, value = 0;
        char bytes[sizeof value];
        int code = host_process_callbacks.mqs_fetch_data_fp(asking->process, (mqs_taddr_t)at, size, bytes);

        if (code != mqs_ok) {
            set_reason(&asking->answer->error,
                       "entry %" PRId64 " cannot be read: %s at 0x%" PRIx64 "; give the address of the array itself", i,
                       lacks(asking, at) ? "the core file has not the memory that the process had"
                                         : "the process has no memory", at);
            return;
        }
        if (size == (int)sizeof(uint32_t)) {
            uint32_t word;

            host_process_callbacks.mqs_target_to_host_fp(asking->process, bytes, &word, size);
            value = word;
        } else {
            host_process_callbacks.mqs_target_to_host_fp(asking->process, bytes, &value, size);
        }
        add(asking, describe(asking, &entry, value, (long)i));
    }
}

struct handle_answer handle_answer_take(const char *text, const struct dll *dll, mqs_process *process)
{
    struct handle_answer answer = {.question = copy_string(text)};
    const struct asking asking = {&answer, dll, process};
    struct question question;

    if (!DLL_OFFERS(dll, next_handle)) {
        set_reason(&answer.error, "this debugging library tells nothing of handles: ompi-mqd's own does");
        return answer;
    }
    if (!read_question(&question, text, &answer.error))
        return answer;
    switch (question.form) {
    case ASKS_VALUE:
        add(&asking, describe(&asking, &question, question.value, -1));
        break;
    case ASKS_NAME:
        take_name(&asking, &question);
        break;
    case ASKS_KIND:
        take_kind(&asking, &question, question.kind);
        break;
    case ASKS_ARRAY:
        take_array(&asking, &question);
        break;
    }
    return answer;
}

bool handle_answer_is_complete(const struct handle_answer *answer)
{
    for (size_t i = 0; i < answer->n; i++)
        if (answer->handles[i].error != NULL)
            return false;
    return answer->error == NULL;
}

void handle_answer_hide_internal(struct handle_answer *answer)
{
    size_t n = 0;

    if (strcmp(answer->question, COMMUNICATORS_QUESTION) != 0)
        return;
    for (size_t i = 0; i < answer->n; i++) {
        if (handle_number(&answer->handles[i], MQD_FACT_internal, 0) != 0)
            clear_handle(&answer->handles[i]);
        else
            answer->handles[n++] = answer->handles[i];
    }
    answer->n = n;
}

const struct handle_item *handle_find(const struct handle *handle, int fact, size_t *n)
{
    const struct handle_item *first = NULL;

    *n = 0;
    for (size_t i = 0; i < handle->n && (first == NULL || handle->items[i].fact == fact); i++)
        if (handle->items[i].fact == fact) {
            first = first != NULL ? first : &handle->items[i];
            ++*n;
        }
    return first;
}

long handle_number(const struct handle *handle, int fact, long absent)
{
    size_t n;
    const struct handle_item *item = handle_find(handle, fact, &n);

    if (item == NULL)
        return absent;
    return item->form == MQD_FORM_address || item->form == MQD_FORM_handle ? (long)item->address : item->number;
}

void handle_answer_clear(struct handle_answer *answer)
{
    for (size_t i = 0; i < answer->n; i++)
        clear_handle(&answer->handles[i]);
    texts_release(answer->texts);
    FREE_ALL(answer->question, answer->handles, answer->error);
    *answer = (struct handle_answer){0};
}
