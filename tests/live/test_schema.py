"""The check of documents against mqdump's JSON Schema: what it must refuse, key by key."""
import json
import os
import re
import unittest

import schema

# What need not be there, by the objects that the schema of documents defines.
DESCRIBED = {"call", "mode", "protocol", "progress", "persistent", "freed", "internal", "collective",
             "waits_for_receiver", "purpose", "request", "count", "datatype", "arrived", "error_class", "sequence", "collective_number",
             "send_request", "found_at", "peer"}
QUEUES = {"pending_sends", "pending_receives", "unexpected_messages"}
OPTIONAL = {
    "report": {"hosts", "records", "findings", "notes", "conclusion"}, "change": {"user"}, "finding": {"user"},
    "process": {"answers", "cause", "error", "host", "kernel", "libraries", "missing", "openmp", "stacks", "threads",
                "windows"},
    "process.missing": QUEUES, "communicator.errors": {"group", *QUEUES}, "communicator.causes": {"group", *QUEUES},
    "communicator": {"causes", "dimensions", "errors", "freed", "revoked", "topology"},
    "operation": DESCRIBED | {"made_by", "made_of"}, "library": {"cause"}, "capability": {"cause"},
    "window": {"error"}, "answer": {"cause", "error"}, "handle": {"cause", "error", "position"},
    "layout": {"rejected"}, "layout_in_detail": {"cause", "rejected"},
}
# Of these either all are there or none; of others one is, at least.
TOGETHER = [{"findings", "notes", "conclusion"}, DESCRIBED]
SOME = {"process.missing", "communicator.errors", "communicator.causes"}
# Numbers that are no integers, and what has keys that are no names: what a difference is, and columns.
NUMBERS = {"dll_seconds", "share", "at", "since", "free_at", "used", "switches"}
FREE = {"like", "operations.columns", "handle.columns"}


def parts(name):
    """The schemas of all objects in a schema, by their names; those in them have the names of their members, too."""
    def below(name, part):
        if "properties" in part or part.get("type") == "object":
            yield name, part
        for member, inner in part.get("properties", {}).items():
            yield from below(f"{name}.{member}", inner)
        yield from below(name, part["items"]) if "items" in part else ()
    return {inner: part for kind, whole in schema.installed(name).definitions.items() for inner, part in below(kind, whole)}


def facts():
    """What the DLL may tell of handles."""
    with open(os.path.join(schema.FOLDER, "../../include/mqd_extension.h"), encoding="utf-8") as file:
        return set(re.findall(r"^    MQD_FACT_(\w+)", file.read(), re.M)) - {"unknown"}


class Documents(unittest.TestCase):
    def test_nothing_is_there_that_is_not_documented(self):
        for name in (schema.DOCUMENT, schema.RECORD):
            free = {part for part, keywords in parts(name).items() if keywords.get("additionalProperties") is not False}
            self.assertEqual(free, FREE if name == schema.RECORD else set())

    def test_what_may_be_missing(self):
        found = parts(schema.DOCUMENT)
        optional = {name: set(part["properties"]) - set(part.get("required", ())) for name, part in found.items()}
        self.assertEqual(optional.pop("facts"), facts())
        self.assertEqual({name: keys for name, keys in optional.items() if keys}, OPTIONAL)
        self.assertEqual({name for name, part in found.items() if part.get("minProperties") == 1}, SOME)
        for keys in TOGETHER:
            name, = (name for name, some in OPTIONAL.items() if keys <= some)
            needs = {key: set(others) for key, others in found[name]["dependentRequired"].items()}
            reached = {next(iter(sorted(needs)))}
            while more := set().union(*(needs.get(key, ()) for key in reached)) - reached:
                reached |= more
            self.assertEqual(reached, keys)
            self.assertTrue(all(needs[key] & set(needs) for key in needs))

    def test_each_member_has_a_type(self):
        """None but numbers may be 0.5."""
        for name in (schema.DOCUMENT, schema.RECORD):
            definitions = schema.installed(name).definitions
            loose = {key for key, validator in schema.installed(name).parts.items() if validator.is_valid(0.5)}
            loose |= {key for part in parts(name).values() for key, keywords in part.get("properties", {}).items()
                     if schema.Validator({**keywords, "$defs": definitions}).is_valid(0.5)}
            self.assertLessEqual(loose, NUMBERS)

    def test_each_fact_of_a_handle_has_a_name(self):
        with open(os.path.join(schema.FOLDER, "record/fields.c"), encoding="utf-8") as file:
            named = re.findall(r"\b(?:ONE|NUMBERED|LISTED)\((\w+)", file.read())
        self.assertEqual(sorted(set(named) - {"fact"}), sorted(facts()))

    def test_what_is_refused(self):
        for text, reason in (('{"format": 1, "format": 1, "mqdump": "0.1.0", "jobs": []}', "members of one name"),
                             ('{"format": 1, "mqdump": "0.1.0", "jobs": [], "other": 1}', "'other' was unexpected"),
                             ('{"format": 1, "mqdump": "0.1.0", "jobs": [{}]}', "'job' is a required property"),
                             ('{"format": 1', "")):
            with self.assertRaisesRegex(ValueError, reason):
                schema.load(text)
        self.assertEqual(schema.load('{"format": 1, "mqdump": "0.1.0", "jobs": []}')["jobs"], [])


# A record with each kind of line.
RECORD = [
    {"line": "header", "record": "ompi-mqd", "format": 3, "mqdump": "0.1.0", "taken": "2024-05-31T17:08:59.123456Z"},
    {"line": "look", "host": "n02", "problem": "no route"},
    {"line": "group", "members": [[0, 4], [9]], "number": 0},
    {"line": "peers", "members": [[7, 0, 4], ["0xffffffffffffffff", 0, 1]], "number": 0},
    {"line": "layout", "number": 0, "summary": {"openmpi": {"bytes": "ff"}}, "libraries": [], "gaps": [{}, {}, {}]},
    {"line": "place", "number": 0, "state": 2, "function": "MPI_Recv", "chain": ["main ring.c:29"]},
    {"line": "frame", "number": 0, "text": "main ring.c:29"},
    {"line": "stack", "number": 0, "frames": [0]},
    {"line": "communicator", "size": 5, "group": 0, "queues": [{"available": True}, {}, {}]},
    {"line": "operations", "queue": 0, "described": True, "operations": [{"buffer": "0x7f", "count": 5}]},
    {"line": "window", "group": 0, "size": 5, "peers": [{"rank": 1}]},
    {"line": "answer", "question": "--handle 3:comm"},
    {"line": "handle", "value": "0x3", "summary": {"kind": 1}, "items": [{"fact": 1, "form": 1, "number": 4}]},
    {"line": "rank", "layout": 0, "look": 1, "activity": {"at": 0.5},
     "calls": {"libraries": {}, "threads": [{"place": 0}], "stacks": [{"stack": 0, "thread": 7}]}},
    {"line": "warning", "text": "a"},
    {"line": "end", "ranks": 1, "lines": 16, "reads": 7, "bytes": "0x20000000000001"},
]


class Records(unittest.TestCase):
    def load(self, lines):
        return schema.load_record("".join(json.dumps(line) + "\n" for line in lines))

    def refuses(self, lines, text):
        with self.assertRaisesRegex(schema.Invalid, text):
            self.load(lines)

    def test_each_kind_of_line_is_valid(self):
        self.assertEqual(self.load(RECORD), RECORD)
        self.assertEqual(schema.kinds(), [line["line"] for line in RECORD] + ["like"])

    def test_lines_that_are_like_others_are_completed(self):
        operations = RECORD[9]
        like = {"line": "operations", "like": 1, "described": False, "operations": {"0": {"count": 6, "buffer": None}}}
        lines = [*RECORD[:10], like, *RECORD[10:-1], {"line": "rank", "like": 1, "pid": 7, "calls": None}]
        self.assertEqual(operations["line"], "operations")
        whole = self.load(lines)
        self.assertEqual(whole[10], {"line": "operations", "queue": 0, "described": False, "operations": [{"count": 6}]})
        self.assertEqual(whole[-1], {"line": "rank", "look": 1, "layout": 0, "activity": {"at": 0.5}, "pid": 7})
        self.refuses([*RECORD[:10], {**like, "surprise": 1}], "'surprise' was unexpected")
        self.refuses([*RECORD[:10], {**like, "like": 0}], "0 is less than the minimum of 1")

    def test_columns_are_operations(self):
        columns = {"buffer": [["0xff", 2, 1], ["0x7f", 1]], "desired_tag": [[7, 1], [5, 2, -3]],
                   "extra_text": {"1": [["at 0x20", 3, -16]], "2": [["b", 3]]}, "peer": {"rank": [[1, 3]]}}
        line = {"line": "operations", "queue": 0, "described": True}
        found = self.load([*RECORD[:9], {**line, "n": 3, "columns": columns}])[-1]
        self.assertEqual(found, {**line, "operations": [
            {"buffer": buffer, "desired_tag": tag, "extra_text": [text, "b"], "peer": {"rank": 1}}
            for buffer, tag, text in (("0xff", 7, "at 0x20"), ("0x100", 5, "at 0x10"), ("0x7f", 2, "at 0x0"))]})
        for wrong in ({"n": 4, "columns": columns}, {"n": 3}, {"columns": columns},
                      {"n": 1, "columns": {"no": [[1, 1]]}}):
            with self.assertRaises((ValueError, KeyError)):
                self.load([*RECORD[:9], {**line, **wrong}])

    def test_other_lines_are_refused(self):
        self.refuses([{"line": "surprise"}], "surprise: there are no such lines")

    def test_its_members_are_those_of_the_tables(self):
        """What fields.c names is in the schema, and what the schema names besides is known here."""
        with open(os.path.join(schema.FOLDER, "record/fields.c"), encoding="utf-8") as file:
            text = file.read()
        tables = re.findall(r"^static const struct field (\w+)_rows\[\] = {\n(.*?)^};", text, re.M | re.S)
        tuples = re.findall(r"^TABLE\((\w+),.*\.is_tuple = true", text, re.M)
        parts = schema.installed(schema.RECORD).definitions
        # Of tables, and of the objects in them that have rows of their own there.
        joined = {"listing": "rank", "witness": "rank", "statistics": "end", "facts": "operation", "extra": "operation",
                  "handle_answer": "answer",
                  "peer": "process_name", "found_at": "process_name"}
        found = {}
        for name, rows in tables:
            for key, inner in re.findall(r'^    \{(?:FIELD|FLAG|NUMBER|ADDRESS|CHARS|TEXT|PART|LIST)\([\w ]+, "(\w+)"'
                                         r'(?:.*\.part = &(\w+))?', rows, re.M):
                found.setdefault(joined.get(inner or name, inner or name), set()).add(key)
        self.assertGreater(len(found), 20)
        # A tuple has no keys.
        for name, keys in ((name, keys) for name, keys in found.items() if name not in tuples):
            with self.subTest(name):
                named = set(parts[name]["properties"])
                self.assertEqual(keys - named, set())
                self.assertLessEqual(named - keys, {
                    "line", "number", "record", "format", "problem", "summary", "libraries", "gaps", "details", "group", "peers",
                    "use", "traffic", "queues", "extra_text", "peer", "found_at", "unknown", "description", "layout",
                    "look", "name", "missing", "openmp", "calls", "activity", "threads", "place", "call_name", "ranks", "lines",
                    "chain", "stacks", "stack", "n", "columns", "items"})


class Schemas(unittest.TestCase):
    def test_of_a_long_array_some_items_are_checked(self):
        numbers = schema.Schema({"type": "array", "items": {"type": "integer"}})
        numbers.check([0] * 1000)
        for wrong in (0, 99, 300, 999):
            with self.subTest(wrong), self.assertRaises(schema.Invalid):
                numbers.check([*[0] * wrong, "0", *[0] * (999 - wrong)])

    def test_what_the_library_takes_for_valid_is_not(self):
        for keywords, valid, invalid in (({"type": "integer"}, [0, -1], [True, 0.5, 1.0, "0", None]),
                                         ({"const": 1}, [1], [True, "1"]), ({"enum": ["a", 1]}, ["a", 1], [True, "b"]),
                                         ({"pattern": "^0x[0-9a-f]+$"}, ["0x1f", 1], ["0x", "0X1", "0x1\n", " 0x1"])):
            for value in valid:
                schema.Schema(keywords).check(value)
            for value in invalid:
                with self.subTest(schema=keywords, invalid=value), self.assertRaises(schema.Invalid):
                    schema.Schema(keywords).check(value)

    def test_what_is_not_understood_is_refused(self):
        for keywords in ({"maximun": 1}, {"items": {"formats": "date"}}, {"anyOf": [{"typ": "string"}]},
                         {"properties": {"a": {"oneOff": []}}}, {"type": "real"}, {"additionalProperties": 1},
                         {"$defs": {}, "$ref": "#/$defs/nothing"}, {"$defs": {"a": {"nott": {}}}}):
            with self.subTest(keywords), self.assertRaises(ValueError):
                schema.Schema(keywords)


if __name__ == "__main__":
    unittest.main()
