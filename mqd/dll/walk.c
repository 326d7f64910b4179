/* walk.c - lists and free lists. */
#include "mqd/dll/walk.h"

#include "mqd/dll/banned.h"

enum mqd_rc mqd_array_read(struct mqd_process *process, mqd_taddr ta, size_t n_max, struct mqd_array *array)
{
    struct mqd_object object;
    int64_t n;
    mqd_taddr slots_ta;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_pointer_array_t, ta, &object);

    if (rc != MQD_OK)
        return rc;
    n = mqd_int(&object.view, MQD_PATH_array_size);
    slots_ta = mqd_uint(&object.view, MQD_PATH_array_addr);
    if (object.view.rc != MQD_OK)
        return object.view.rc;
    if (n <= 0 || (uint64_t)n > n_max || slots_ta == 0 || !mqd_object_is(process, ta, "opal_pointer_array_t"))
        return MQD_RC_bad_array;
    *array = (struct mqd_array){.slots_ta = slots_ta, .n = (size_t)n};
    return MQD_OK;
}

enum mqd_rc mqd_array_at(struct mqd_process *process, const struct mqd_array *array, size_t i, mqd_taddr *ta)
{
    return mqd_read_pointer(process, array->slots_ta + i * process->layout.abi.pointer_size, ta);
}

bool mqd_circle_closes(struct mqd_circle *circle, mqd_taddr ta)
{
    if (ta == circle->kept_ta)
        return true;
    if (circle->n_since++ == circle->n_until) {
        circle->kept_ta = ta;
        circle->n_since = 0;
        circle->n_until = circle->n_until > 0 ? 2 * circle->n_until : 1;
    }
    return false;
}

/*
 * Open MPI's elements are smaller than 2 KiB, or 8 KiB if a transport's descriptors follow a request. Alignments are a
 * cache line or a page. Larger numbers are refused.
 */
#define MAX_ELEMENT_BYTES (MQD_PIECE_BYTES / 4)
#define MAX_ALIGNMENT 4096
#define MAX_CHUNK_HEADER_BYTES 4096

/* 2^26 requests of 744 bytes take 50 GB: a larger number is refused. */
#define MAX_ELEMENTS ((uint64_t)1 << 26)

enum mqd_rc mqd_list_begin(const struct mqd_view *list_view, struct mqd_list *list)
{
    struct mqd_view view = *list_view, sentinel = mqd_inner(&view, MQD_PATH_list_sentinel);

    list->head_ta = sentinel.ta;
    list->previous_ta = sentinel.ta;
    list->next_ta = mqd_uint(&sentinel, MQD_PATH_item_next);
    list->length = mqd_uint(&view, MQD_PATH_list_length);
    list->n_steps = 0;
    if (sentinel.rc != MQD_OK)
        return sentinel.rc;
    return view.rc;
}

enum mqd_rc mqd_list_begin_at(struct mqd_process *process, mqd_taddr ta, struct mqd_list *list)
{
    struct mqd_object object;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_list_t, ta, &object);

    return rc == MQD_OK ? mqd_list_begin(&object.view, list) : rc;
}

bool mqd_list_at_end(const struct mqd_list *list)
{
    return list->next_ta == list->head_ta;
}

enum mqd_rc mqd_list_step(struct mqd_list *list, mqd_taddr element_next_ta, mqd_taddr element_prev_ta)
{
    if (element_prev_ta != list->previous_ta || element_next_ta == 0 || ++list->n_steps > MAX_ELEMENTS)
        return MQD_RC_bad_list;
    list->previous_ta = list->next_ta;
    list->next_ta = element_next_ta;
    return MQD_OK;
}

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static bool is_empty(const struct mqd_view *list_view)
{
    struct mqd_list list;

    /* A list that was never constructed is all zero. */
    return mqd_list_begin(list_view, &list) == MQD_OK && (list.next_ta == 0 || mqd_list_at_end(&list));
}

enum mqd_rc mqd_free_list_read(struct mqd_process *process, mqd_taddr ta, struct mqd_free_list *list)
{
    struct mqd_view *view = &list->object.view;
    enum mqd_rc rc = mqd_read_object(process, MQD_TYPE_opal_free_list_t, ta, &list->object);

    if (rc != MQD_OK)
        return rc;
    list->class_ta = mqd_uint(view, MQD_PATH_free_list_class);
    list->element_size = mqd_uint(view, MQD_PATH_free_list_element_size);
    list->alignment = mqd_uint(view, MQD_PATH_free_list_alignment);
    list->n_elements = mqd_uint(view, MQD_PATH_free_list_allocated);
    list->increment = mqd_uint(view, MQD_PATH_free_list_increment);
    list->maximum = mqd_uint(view, MQD_PATH_free_list_max);
    list->chunks = mqd_inner(view, MQD_PATH_free_list_chunks);
    if (list->chunks.rc != MQD_OK)
        return list->chunks.rc;
    /* -1, in either width, and 0 both mean no maximum. */
    if (list->maximum >= UINT32_MAX)
        list->maximum = 0;
    if (list->n_elements == 0)
        return is_empty(&list->chunks) ? MQD_OK : MQD_RC_bad_free_list;
    if (list->element_size == 0 || list->element_size > MAX_ELEMENT_BYTES || list->alignment == 0 ||
        list->alignment > MAX_ALIGNMENT || (list->alignment & (list->alignment - 1)) != 0 ||
        list->n_elements > MAX_ELEMENTS || process->layout.type_size[MQD_TYPE_opal_free_list_item_t] == 0 ||
        process->layout.type_size[MQD_TYPE_opal_free_list_item_t] > MAX_CHUNK_HEADER_BYTES ||
        !mqd_object_is(process, ta, "opal_free_list_t"))
        return MQD_RC_bad_free_list;
    list->stride = round_up(list->element_size, list->alignment);
    return MQD_OK;
}

/* A sweep in progress. */
struct sweep {
    struct mqd_process *process;
    const struct mqd_free_list *list;
    enum mqd_rc (*visit)(struct mqd_view *element, void *context);
    void *context;
    unsigned char *piece;    /* MQD_PIECE_BYTES */
    uint64_t n_visited;
    enum mqd_rc visit_rc;    /* the visitor's failure */
};

/* Is there an element at ta: an object whose first word is the class of this list's elements? */
static bool is_element(struct sweep *sweep, mqd_taddr ta)
{
    struct mqd_object object;

    return mqd_read_object(sweep->process, MQD_TYPE_opal_object_t, ta, &object) == MQD_OK &&
           mqd_uint(&object.view, MQD_PATH_object_class) == sweep->list->class_ta && object.view.rc == MQD_OK;
}

/* Calls the visitor with the element at `bytes`; false if there is none, or if the visitor failed. */
static bool visit_element(struct sweep *sweep, const unsigned char *bytes, mqd_taddr ta)
{
    struct mqd_view element = {.process = sweep->process,
                               .bytes = bytes,
                               .n_bytes = (size_t)sweep->list->element_size,
                               .ta = ta,
                               .rc = MQD_OK};

    if (mqd_uint(&element, MQD_PATH_object_class) != sweep->list->class_ta || element.rc != MQD_OK)
        return false;
    sweep->n_visited++;
    sweep->visit_rc = sweep->visit(&element, sweep->context);
    return sweep->visit_rc == MQD_OK;
}

/* Visits n elements from ta on. Reads as many at once as fit into a piece. */
static void visit_run(struct sweep *sweep, mqd_taddr ta, uint64_t n)
{
    uint64_t stride = sweep->list->stride, n_per_piece = MQD_PIECE_BYTES / stride;

    while (n > 0) {
        uint64_t n_now = n < n_per_piece ? n : n_per_piece;
        size_t n_bytes = (size_t)((n_now - 1) * stride + sweep->list->element_size);

        if (mqd_read_block(sweep->process, ta, n_bytes, sweep->piece) != MQD_OK)
            return;
        for (uint64_t i = 0; i < n_now; i++)
            if (!visit_element(sweep, sweep->piece + i * stride, ta + i * stride))
                return;
        ta += n_now * stride;
        n -= n_now;
    }
}

/* Visits at most n elements from ta on, as long as there are elements: for a chunk of unknown extent. */
static void visit_while_there(struct sweep *sweep, mqd_taddr ta, uint64_t n)
{
    for (; n > 0 && is_element(sweep, ta); n--, ta += sweep->list->stride)
        if (mqd_read(sweep->process, ta, (size_t)sweep->list->element_size, sweep->piece) != MQD_OK ||
            !visit_element(sweep, sweep->piece, ta))
            return;
}

/*
 * Visits the elements of the chunk at ta. There should be n of them (0: unknown), and there are at most n_most. The
 * first piece has also the chunk's links in the list of chunks: a chunk that fits into a piece costs one read.
 */
static enum mqd_rc visit_chunk(struct sweep *sweep, mqd_taddr ta, uint64_t n, uint64_t n_most, mqd_taddr *next_ta,
                               mqd_taddr *prev_ta)
{
    const struct mqd_free_list *list = sweep->list;
    uint64_t header = sweep->process->layout.type_size[MQD_TYPE_opal_free_list_item_t];
    mqd_taddr first_ta = round_up(ta + header, list->alignment);
    uint64_t lead = first_ta - ta, n_now = (MQD_PIECE_BYTES - lead) / list->stride;
    struct mqd_object item;
    enum mqd_rc rc;

    if (n_now > n)
        n_now = n;
    if (n_now > 0 &&
        mqd_try_block(sweep->process, ta, (size_t)(lead + (n_now - 1) * list->stride + list->element_size),
                       sweep->piece) == MQD_OK) {
        struct mqd_view links = {sweep->process, sweep->piece, (size_t)header, ta, MQD_OK};

        *next_ta = mqd_uint(&links, MQD_PATH_item_next);
        *prev_ta = mqd_uint(&links, MQD_PATH_item_prev);
        for (uint64_t i = 0; i < n_now; i++)
            if (!visit_element(sweep, sweep->piece + lead + i * list->stride, first_ta + i * list->stride))
                return links.rc;
        visit_run(sweep, first_ta + n_now * list->stride, n - n_now);
        return links.rc;
    }
    rc = mqd_read_object(sweep->process, MQD_TYPE_opal_list_item_t, ta, &item);
    if (rc != MQD_OK)
        return rc;
    *next_ta = mqd_uint(&item.view, MQD_PATH_item_next);
    *prev_ta = mqd_uint(&item.view, MQD_PATH_item_prev);
    visit_while_there(sweep, first_ta, n_most);
    return item.view.rc;
}

/*
 * The number of elements in the first chunk, 0 if it is not known. Open MPI does not store how many elements a chunk
 * has. All chunks but the first have the increment; the last may have been cut to the list's maximum, or be under
 * construction. So the first has the rest, unless the last is such a chunk. If one more element follows in the first
 * chunk, its number is not known either.
 */
static uint64_t first_chunk_elements(struct sweep *sweep, mqd_taddr first_chunk_ta, uint64_t n_chunks)
{
    const struct mqd_free_list *list = sweep->list;
    uint64_t header = sweep->process->layout.type_size[MQD_TYPE_opal_free_list_item_t], n;
    enum mqd_rc unread = sweep->process->unread;
    bool is_more;

    if (n_chunks == 1)
        return list->n_elements;
    if (n_chunks == 0 || list->increment == 0 || (list->maximum > 0 && list->n_elements >= list->maximum) ||
        n_chunks - 1 > list->n_elements / list->increment)
        return 0;
    n = list->n_elements - (n_chunks - 1) * list->increment;
    /* Readable memory may end there. */
    is_more = is_element(sweep, round_up(first_chunk_ta + header, list->alignment) + n * list->stride);
    sweep->process->unread = unread;
    return is_more ? 0 : n;
}

static enum mqd_rc sweep_chunks(struct sweep *sweep)
{
    const struct mqd_free_list *list = sweep->list;
    struct mqd_list chunks;
    uint64_t n;
    enum mqd_rc rc = mqd_list_begin(&list->chunks, &chunks);

    if (rc != MQD_OK)
        return rc;
    n = mqd_list_at_end(&chunks) ? 0 : first_chunk_elements(sweep, chunks.next_ta, chunks.length);
    while (!mqd_list_at_end(&chunks) && sweep->n_visited < list->n_elements) {
        uint64_t n_left = list->n_elements - sweep->n_visited;
        mqd_taddr next_ta = 0, prev_ta = 0;

        rc = visit_chunk(sweep, chunks.next_ta, n < n_left ? n : n_left, n_left, &next_ta, &prev_ta);
        if (sweep->visit_rc != MQD_OK)
            return sweep->visit_rc;
        if (rc == MQD_OK)
            rc = mqd_list_step(&chunks, next_ta, prev_ta);
        if (rc != MQD_OK)
            return rc;
        n = list->increment;
    }
    return sweep->n_visited == list->n_elements ? MQD_OK : MQD_RC_free_list_sum;
}

enum mqd_rc mqd_free_list_sweep(struct mqd_process *process, const struct mqd_free_list *list,
                                enum mqd_rc (*visit)(struct mqd_view *element, void *context), void *context)
{
    struct sweep sweep = {.process = process, .list = list, .visit = visit, .context = context, .visit_rc = MQD_OK};
    enum mqd_rc rc;

    if (list->n_elements == 0)
        return MQD_OK;
    sweep.piece = dbgr_alloc(MQD_PIECE_BYTES);
    if (sweep.piece == NULL)
        return MQD_RC_no_memory;
    rc = sweep_chunks(&sweep);
    dbgr_release(sweep.piece);
    return rc;
}
