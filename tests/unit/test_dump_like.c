/*
 * test_dump_like.c - lines of records as differences to others: what is written is what is read.
 */
#include "unit_test.h"

#include "mqd/dump/record/format.h"
#include "mqd/dump/record/like.h"

/* Lines. */

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &error);

    if (value == NULL)
        fail_msg("%s: %s", error.text, text);
    return value;
}

/* Writes lines, and reads them again. Returns the text of the last one as it was written, for free(). */
static char *exchange(const char *const *lines, size_t n)
{
    struct likes writer = {0}, reader = {0};
    char *last = NULL;

    for (size_t i = 0; i < n; i++) {
        json_t *line = parse(lines[i]), *written = like_reduce(&writer, "rank", line), *read, *whole;

        free(last);
        last = json_dumps(written, JSON_COMPACT);
        read = parse(last);
        whole = like_expand(&reader, "rank", read, WHY);
        if (whole == NULL || !json_equal(whole, line))
            fail_msg("%s became %s (%s)", lines[i], last, why() != NULL ? why() : "read");
        json_decref(line);
        json_decref(written);
        json_decref(read);
        json_decref(whole);
    }
    likes_clear(&writer);
    likes_clear(&reader);
    return last;
}

#define EXCHANGE(...) exchange((const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *))

#define START "{\"line\":\"rank\",\"a\":\"aaaaaaaaaaaaaaaaaaaa\",\"b\":\"bbbbbbbbbbbbbbbbbbbb\",\"c\":{\"d\":1,\"e\":2},"

static void check_last(char *last, const char *expected)
{
    assert_string_equal(last, expected);
    free(last);
}

TEST(differences_are_told)
{
    check_last(EXCHANGE(START "\"f\":[1,2,3]}", START "\"f\":[1,2,3]}"), "{\"line\":\"rank\",\"like\":1}");
    check_last(EXCHANGE(START "\"f\":1}", START "\"f\":2}"), "{\"line\":\"rank\",\"like\":1,\"f\":2}");
    check_last(EXCHANGE(START "\"f\":1}", START "\"g\":2}"), "{\"line\":\"rank\",\"like\":1,\"g\":2,\"f\":null}");
    check_last(EXCHANGE(START "\"f\":{\"g\":1,\"h\":2}}", START "\"f\":{\"g\":1,\"h\":3}}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":{\"h\":3}}");
    check_last(EXCHANGE(START "\"f\":{\"g\":{}}}", START "\"f\":{}}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":{\"g\":null}}");
    check_last(EXCHANGE(START "\"f\":[{\"g\":1,\"h\":\"0123456789\"},{}]}",
                        START "\"f\":[{\"g\":2,\"h\":\"0123456789\"},{}]}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":{\"0\":{\"g\":2}}}");
    check_last(EXCHANGE(START "\"f\":[\"0123456789\",\"x\"]}", START "\"f\":[\"0123456789\",\"y\"]}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":{\"1\":\"y\"}}");
    check_last(EXCHANGE(START "\"f\":[1,2]}", START "\"f\":[1,2,3]}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":[1,2,3]}");
    check_last(EXCHANGE(START "\"f\":[1]}", START "\"f\":7}"), "{\"line\":\"rank\",\"like\":1,\"f\":7}");
    check_last(EXCHANGE(START "\"f\":7}", START "\"f\":{\"g\":1}}"),
               "{\"line\":\"rank\",\"like\":1,\"f\":{\"g\":1}}");
}

/* What differences would say otherwise is written as it is. */
TEST(what_no_difference_can_tell_is_written_whole)
{
    check_last(EXCHANGE(START "\"f\":[1]}", START "\"f\":{\"0\":2}}"), START "\"f\":{\"0\":2}}");
    check_last(EXCHANGE(START "\"f\":1}", START "\"f\":null}"), START "\"f\":null}");
    free(EXCHANGE(START "\"f\":[{\"g\":1}]}", START "\"f\":[null]}"));
    free(EXCHANGE(START "\"f\":[[1,2]]}", START "\"f\":[[1,3]]}"));
    free(EXCHANGE(START "\"f\":[{}]}", START "\"f\":[true]}"));
    free(EXCHANGE(START "\"f\":[1]}", START "\"f\":[{\"g\":null}]}"));
    free(EXCHANGE(START "\"f\":{\"g\":{\"h\":[1]}}}", START "\"f\":{\"g\":{\"h\":{}}}}"));
}

TEST(the_most_similar_line_is_taken)
{
    char *last = EXCHANGE(START "\"f\":\"ffffffffffffffffffff\"}", "{\"line\":\"rank\",\"z\":1}",
                          START "\"f\":\"gggggggggggggggggggg\"}", "{\"line\":\"rank\",\"z\":2}",
                          START "\"f\":\"ffffffffffffffffffff\",\"h\":1}");

    check_last(last, "{\"line\":\"rank\",\"like\":4,\"h\":1}");
}

/* Values made at random. */

static unsigned next_random = 1;

static unsigned below(unsigned n)
{
    next_random = next_random * 1103515245 + 12345;
    return (next_random >> 16) % n;
}

static json_t *random_value(int depth)
{
    static const char names[][2] = {"a", "b", "c", "d", "e"};
    unsigned n = below(4);
    json_t *value;

    switch (below(depth > 0 ? 8 : 5)) {
    case 0:
        return json_integer(below(3));
    case 1:
        return json_real(below(3) / 8.0);
    case 2:
        return json_boolean(below(2));
    case 3:
        return json_string(below(2) ? "one" : "another, which is longer than the other one");
    case 4:
        return json_null();
    case 5:
        value = json_array();
        while (n-- > 0)
            json_array_append_new(value, random_value(depth - 1));
        return value;
    default:
        value = json_object();
        while (n-- > 0)
            json_object_set_new(value, names[below(5)], random_value(depth - 1));
        return value;
    }
}

/* Changes a part of a value. */
static void change(json_t *value, int depth)
{
    const char *name;
    json_t *part;
    void *next;
    size_t i;

    json_object_foreach_safe(value, next, name, part) {
        if (below(4) == 0)
            json_object_set_new(value, name, random_value(depth));
        else if (below(8) == 0)
            json_object_del(value, name);
        else
            change(part, depth - 1);
    }
    json_array_foreach(value, i, part) {
        if (below(4) == 0)
            json_array_set_new(value, i, random_value(depth));
        else
            change(part, depth - 1);
    }
}

TEST(whatever_is_written_is_read)
{
    struct likes writer = {0}, reader = {0};
    json_t *line = json_pack("{s:s}", "line", "window");
    size_t n_reduced = 0;

    for (int i = 0; i < 20000; i++) {
        json_t *next = json_deep_copy(line), *written, *read, *whole;
        char *text;

        json_decref(line);
        line = next;
        if (i % 50 == 0)
            json_object_set_new(line, "part", random_value(5));
        change(json_object_get(line, "part"), 3);
        written = like_reduce(&writer, "window", line);
        text = of_test(json_dumps(written, 0));
        read = parse(text);
        whole = like_expand(&reader, "window", read, NULL);
        if (whole == NULL || !json_equal(whole, line))
            fail_msg("line %d became something else: %s", i, text);
        n_reduced += json_object_get(written, "like") != NULL;
        json_decref(written);
        json_decref(read);
        json_decref(whole);
    }
    assert_in_range(n_reduced, 1000, 19000);
    assert_true(writer.whole == reader.whole && writer.written == reader.written);
    json_decref(line);
    likes_clear(&writer);
    likes_clear(&reader);
}

/* Limits. */

/* Whoever writes keeps to it: then lines are whole. */
TEST(a_writer_does_not_go_beyond_the_bound)
{
    struct likes writer = {0}, reader = {0};
    json_t *line = json_pack("{s:s,s:o}", "line", "operations", "operations", json_array());
    bool all_reduced = true;

    for (int i = 0; i < 2000; i++)
        json_array_append_new(json_object_get(line, "operations"), json_object());
    for (int i = 0; i < 3000; i++) {
        json_t *written = like_reduce(&writer, "operations", line), *whole;

        all_reduced = i == 0 || json_object_get(written, "like") != NULL;
        whole = like_expand(&reader, "operations", written, NULL);
        assert_true(whole != NULL && json_equal(whole, line));
        json_decref(written);
        json_decref(whole);
    }
    assert_false(all_reduced);
    json_decref(line);
    likes_clear(&writer);
    likes_clear(&reader);
}

/* They are not kept: nobody can refer to them. */
TEST(long_lines_are_like_none)
{
    struct likes writer = {0};
    json_t *line = json_pack("{s:s,s:o}", "line", "operations", "operations", json_array()), *written;

    for (int i = 0; i < MAX_LIKE_SIZE / 32; i++)
        json_array_append_new(json_object_get(line, "operations"), json_integer(i));
    for (int i = 0; i < 3; i++) {
        written = like_reduce(&writer, "operations", line);
        assert_ptr_equal(written, line);
        json_decref(written);
    }
    assert_int_equal(writer.kinds[4].n, 0);
    json_decref(line);
    likes_clear(&writer);
}
