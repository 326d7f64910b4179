/* search.c - finds the parts of a worker of unknown layout. */
#include "mqd/dll/ucx/search.h"

#include <string.h>

#include "mqd/dll/evidence.h"
#include "mqd/dll/text.h"
#include "mqd/dll/banned.h"

/* All members that are searched for lie in these bytes of the worker, in all releases with room to spare. */
enum { SEARCHED_BYTES = 8192 };

/* So many heads of each hash table are looked at. Most of them are empty in nearly all processes. */
enum { HEADS_TESTED = 64 };

/* The pool's data have the address of its operations among their first words. */
enum { DATA_WORDS = 24 };

/* What is searched, and by what. */
struct search {
    struct mqd_process *process;
    mqd_taddr worker_ta;
    unsigned char bytes[SEARCHED_BYTES];
    uint64_t word;                 /* bytes of a pointer */
    const struct mqd_layout *layout; /* of the newest table: the inside of tag matching is the same in all releases */
};

/* Where a part was found: bytes from the start of the worker, and how many places looked like it. */
struct place {
    uint64_t offset;
    unsigned n;
};

static mqd_taddr word_at(const struct search *search, uint64_t offset)
{
    return mqd_number(search->process, search->bytes + offset, (unsigned)search->word);
}

static bool is_context(const struct search *search, uint64_t offset, mqd_taddr context_ta)
{
    return word_at(search, offset) == context_ta;
}

/* Is the second word of a pool here, which leads to data with these operations? */
static bool is_pool(const struct search *search, uint64_t offset, mqd_taddr operations_ta)
{
    mqd_taddr data_ta, value_ta;

    if (offset + 2 * search->word > SEARCHED_BYTES)
        return false;
    data_ta = word_at(search, offset + search->word);
    for (unsigned i = 0; data_ta != 0 && data_ta % search->word == 0 && i < DATA_WORDS; i++) {
        if (mqd_read_pointer(search->process, data_ta + i * search->word, &value_ta) != MQD_OK)
            return false;
        if (value_ta == operations_ta)
            return true;
    }
    return false;
}

/* How many of the first heads of a hash table are empty: a word of an empty one, at `link`, is its own address. */
static unsigned n_empty(const struct search *search, mqd_taddr table_ta, uint64_t size, uint64_t link)
{
    unsigned n = 0;

    for (unsigned i = 0; table_ta != 0 && table_ta % search->word == 0 && i < HEADS_TESTED; i++) {
        mqd_taddr head_ta = table_ta + i * size, value_ta;

        if (mqd_read_pointer(search->process, head_ta + link, &value_ta) != MQD_OK)
            return 0;
        n += value_ta == head_ta;
    }
    return n;
}

static uint64_t offset_of(const struct search *search, enum mqd_step_id step)
{
    return search->layout->steps[step].offset;
}

/* Is tag matching here: two hash tables, most of whose heads are empty, and a list that leads back to itself? */
static bool is_matching(const struct search *search, uint64_t offset, mqd_taddr unused)
{
    const struct mqd_layout *layout = search->layout;
    uint64_t all = offset + offset_of(search, MQD_STEP_ucp_tag_match_t__unexpected_all);
    uint64_t expected = offset + offset_of(search, MQD_STEP_ucp_tag_match_t__expected_hash);
    uint64_t unexpected = offset + offset_of(search, MQD_STEP_ucp_tag_match_t__unexpected_hash);
    uint64_t next = all + offset_of(search, MQD_STEP_ucs_list_link_t__next);
    mqd_taddr back_ta;

    (void)unused;
    if (offset + layout->type_size[MQD_TYPE_ucp_tag_match_t] > SEARCHED_BYTES || word_at(search, next) == 0 ||
        mqd_read_pointer(search->process, word_at(search, next) + offset_of(search, MQD_STEP_ucs_list_link_t__prev),
                         &back_ta) != MQD_OK ||
        back_ta != search->worker_ta + all)
        return false;
    return n_empty(search, word_at(search, expected), layout->type_size[MQD_TYPE_ucp_request_queue_t],
                   offset_of(search, MQD_STEP_ucs_queue_head_t__ptail)) > HEADS_TESTED / 2 &&
           n_empty(search, word_at(search, unexpected), layout->type_size[MQD_TYPE_ucs_list_link_t],
                   offset_of(search, MQD_STEP_ucs_list_link_t__next)) > HEADS_TESTED / 2;
}

static struct place find(const struct search *search,
                         bool (*is_there)(const struct search *search, uint64_t offset, mqd_taddr ta), mqd_taddr ta)
{
    struct place place = {0};

    for (uint64_t offset = 0; offset < SEARCHED_BYTES; offset += search->word)
        if (is_there(search, offset, ta)) {
            if (place.n++ == 0)
                place.offset = offset;
        }
    return place;
}

/* Adds "its context at 112" if there is exactly one such place. */
static void add_place(struct mqd_line *line, const char *what, struct place place)
{
    if (place.n != 1)
        return;
    mqd_add(line, line->n > 0 ? ", " : "its worker has ");
    mqd_add(line, what);
    mqd_add(line, " at ");
    mqd_add_number(line, place.offset);
}

/* Is the stated release later than those of all tables? */
static bool is_newer(const char *version)
{
    bool any = false;

    for (size_t i = 0; i < mqd_n_ucx_tables; i++)
        any |= mqd_family_is_not_before(mqd_ucx_tables[i], version);
    return !any && version[0] != '\0';
}

static void describe(struct search *search, const struct mqd_ucx *ucx, struct mqd_line *line)
{
    mqd_taddr operations_ta;

    add_place(line, "its context", find(search, is_context, ucx->context_ta));
    if (mqd_symbol(search->process, "ucp_request_mpool_ops", &operations_ta))
        add_place(line, "its requests", find(search, is_pool, operations_ta));
    add_place(line, "tag matching", find(search, is_matching, 0));
    if (line->n > 0)
        mqd_add(line, is_newer(search->process->second.version) ? ", and is newer than any table"
                                                                : ", unlike in any table");
}

void mqd_ucx_search(struct mqd_process *process, const struct mqd_ucx *ucx, char *text, size_t n_room)
{
    struct search *search = dbgr_alloc(sizeof *search);
    struct mqd_layout *layout = dbgr_alloc(sizeof *layout);
    struct mqd_line line = mqd_line_in(text, n_room);
    const struct mqd_table *table = NULL;

    for (size_t i = 0; i < mqd_n_ucx_tables; i++)
        if (mqd_ucx_tables[i]->abi.pointer_size == process->evidence.abi.pointer_size)
            table = mqd_ucx_tables[i];
    if (search != NULL && layout != NULL && table != NULL) {
        mqd_assume(table, layout);
        *search = (struct search){.process = process,
                                  .worker_ta = ucx->worker_ta,
                                  .word = process->evidence.abi.pointer_size,
                                  .layout = layout};
        if (mqd_read(process, ucx->worker_ta, SEARCHED_BYTES, search->bytes) == MQD_OK)
            describe(search, ucx, &line);
    }
    dbgr_release(search);
    dbgr_release(layout);
}
