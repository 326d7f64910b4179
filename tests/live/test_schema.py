"""The check of documents against mqdump's JSON Schema: what it must refuse, key by key."""
import copy
import json
import os
import re
import unittest

import schema

OPERATION = {"status": "pending", "desired_local_rank": 1, "desired_global_rank": 1, "tag_wild": False,
             "desired_tag": 0, "desired_length": 800, "system_buffer": False, "buffer": "0x55a52ee11480",
             "actual_local_rank": -1, "actual_global_rank": -1, "actual_tag": -1, "actual_length": 0,
             "call": "recv", "mode": None, "protocol": None, "progress": "posted", "persistent": False, "freed": False,
             "internal": True, "collective": True, "waits_for_receiver": False, "purpose": "MPI_Barrier",
             "request": "0x55c08044d500", "count": 100, "datatype": "MPI_DOUBLE", "arrived": 0, "error_class": 15,
             "sequence": None, "collective_number": 3, "send_request": "0x7ffcab953b50", "found_at": {"job": 7, "rank": 2}, "peer": {"job": 7, "rank": 1}, "extra_text": ["Recv"]}
# What there is of one that a debugging library without the extension tells.
PLAIN = {"status", "desired_local_rank", "desired_global_rank", "tag_wild", "desired_tag", "desired_length",
         "system_buffer", "buffer", "actual_local_rank", "actual_global_rank", "actual_tag", "actual_length",
         "extra_text"}
COMMUNICATOR = {"name": "MPI_COMM_WORLD", "unique_id": 0, "local_rank": 0, "size": 2, "group": [0, 1],
                "use": {"owner": "window", "object": "0x55a52ee11480", "name": "halo", "allow_overtaking": False,
                        "nonblocking_collectives": 3},
                "pending_sends": [], "pending_receives": [OPERATION], "unexpected_messages": None,
                "errors": {"unexpected_messages": "cannot be read"}}
FIELD = {"member": "c_my_rank", "kind": "i32", "source": "table", "offset": 228, "size": 4, "debugger_offset": None,
         "table_offset": 228}
LAYOUT = {"family": "4.1.0-4.1.8", "variant": ["release"], "source": None, "rejected": "ompi_group_t", "error": "no",
          "arch": "x86_64", "abi": "64-bit little-endian", "fitting": 0, "decided_by": None, "next_best": None,
          "version_in_family": None, "classes": {"all": 22, "read": 22, "agreeing": 21},
          "debugger_types": {"all": 34, "known": 0, "agreeing": 0},
          "probes": [{"name": "MPI_COMM_NULL", "result": "passed"}],
          "capabilities": [{"name": "receives", "on": False, "reason": "none"}],
          "types": [{"name": "ompi_communicator_t", "source": "table", "size": 352, "class_size": 352,
                     "debugger_size": None, "table_size": 352, "fields": [FIELD]}]}
LIBRARY = {"name": "UCX", "version": "1.18.1", "family": "1.18.0-1.18.1", "variant": ["assert"], "source": "table",
           "error": None, "found": None, "arch": "x86_64", "fitting": 2, "next_best": None, "version_in_family": True,
           "debugger_types": {"all": 9, "known": 0}}
PROCESS = {"pid": 3910, "rank": 0, "job": "1673461761", "user": 1000, "stopped": True, "core": None, "signal": None,
           "copy_of": None, "executable": "/bin/solver", "thread_level": "single", "openmpi": "4.1.4", "layout": LAYOUT,
           "libraries": [LIBRARY], "missing": {"pending_sends": {"text": "on a stack", "cause": "elsewhere"}},
           "communicators": [COMMUNICATOR],
           "threads": [{"thread": 3910, "main": True, "state": "mpi", "function": "MPI_Recv", "outer": None,
                        "through": None, "place": "ring.c:29", "chain": []}],
           "error": "something"}
EVIDENCE = {"job": None, "rank": 0, "pid": 3910, "communicator": 0, "queue": "pending_receives", "status": "pending",
            "desired_local_rank": 1, "desired_global_rank": 1, "tag_wild": False, "desired_tag": 0,
            "desired_length": 800, "request": "0x55c08044d500"}
FINDING = {"kind": "deadlock", "certainty": "certain", "sentence": "They wait.", "details": ["So it is."], "job": None,
           "ranks": [0, 1], "causes": [], "other_jobs": [{"job": "1673461762", "ranks": [0], "causes": []}],
           "communicator": {"unique_id": 0, "name": "MPI_COMM_WORLD"}, "operations": [EVIDENCE]}
SOURCE = {"file": "a.record", "host": "node7", "taken": "2024-05-31T17:08:59.123456Z", "mqdump": "0.1.0",
          "problem": None, "ranks": 2, "since": [{"job": None, "moved": [1], "same": [0]}]}
REPORT = {"format": 1, "mqdump": "0.1.0", "records": [SOURCE], "processes": [PROCESS], "findings": [FINDING], "notes": ["All wait."],
          "conclusion": "findings"}
LIST = {"format": 1, "mqdump": "0.1.0",
        "jobs": [{"job": "1673461761", "launcher": 3905, "size": 4, "user": "me", "started": 1795243137,
                  "ranks": [{"rank": 0, "pid": 3910, "executable": "/bin/solver"}]}]}


def objects(value, name=""):
    """Every object in a document, with the name of the member that it is, or is in the list of."""
    if isinstance(value, dict):
        yield name, value
        for key, part in value.items():
            yield from objects(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from objects(part, name)


class Documents(unittest.TestCase):
    def refuses(self, document, text):
        with self.assertRaisesRegex(schema.Invalid, text):
            schema.load(json.dumps(document))

    def test_documents_are_valid(self):
        for document in (REPORT, LIST):
            self.assertEqual(schema.load(json.dumps(document)), document)

    def test_a_member_that_nothing_documents_is_refused(self):
        for document in (REPORT, LIST):
            for number, (name, _) in enumerate(objects(document)):
                with self.subTest(name):
                    changed = copy.deepcopy(document)
                    list(objects(changed))[number][1]["surprise"] = 1
                    self.refuses(changed, "'surprise' was unexpected")

    def test_a_member_that_is_missing_is_refused(self):
        optional = set()
        for document in (REPORT, LIST):
            for number, (name, part) in enumerate(objects(document)):
                for key in part:
                    changed = copy.deepcopy(document)
                    del list(objects(changed))[number][1][key]
                    if (name, key) in (("processes", "threads"), ("processes", "error"), ("communicators", "errors"),
                                       ("", "records"), ("layout", "rejected"), ("processes", "libraries"), ("processes", "missing")):
                        optional.add(key)
                        schema.load(json.dumps(changed))
                        continue
                    with self.subTest(name=name, key=key):
                        self.refuses(changed, "is a required property|does not have enough properties|should be non-empty")
        self.assertEqual(len(optional), 7)
        plain = {key: value for key, value in OPERATION.items() if key in PLAIN}
        schema.load(json.dumps(REPORT).replace(json.dumps(OPERATION), json.dumps(plain)))
        schema.load(json.dumps({key: REPORT[key] for key in ("format", "mqdump", "processes")}))

    def test_a_member_of_a_wrong_type_is_refused(self):
        for document in (REPORT, LIST):
            for number, (name, part) in enumerate(objects(document)):
                for key in part:
                    with self.subTest(name=name, key=key):
                        changed = copy.deepcopy(document)
                        list(objects(changed))[number][1][key] = 0.5
                        self.refuses(changed, rf"{key}: (0\.5 is not|\d was expected)")

    def test_a_member_that_is_there_twice_is_refused(self):
        with self.assertRaisesRegex(schema.Invalid, "members of one name"):
            schema.load('{"format": 1, "format": 1, "mqdump": "0.1.0", "jobs": []}')

    def test_no_json_is_a_value_error(self):
        with self.assertRaises(ValueError):
            schema.load('{"format": 1')


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
    {"line": "rank", "layout": 0, "look": 1, "activity": {"at": 0.5},
     "calls": {"libraries": {}, "threads": [{"place": 0}], "stacks": [{"stack": 0, "thread": 7}]}},
    {"line": "warning", "text": "a"},
    {"line": "end", "ranks": 1, "lines": 14, "reads": 7, "bytes": "0x20000000000001"},
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

    def test_what_nothing_documents_is_refused(self):
        for number, line in enumerate(RECORD):
            with self.subTest(line["line"]):
                self.refuses([*RECORD[:number], {**line, "surprise": 1}], "'surprise' was unexpected")
        self.refuses([{"line": "surprise"}], "surprise: there are no such lines")

    def test_wrong_values_are_refused(self):
        for number, line in enumerate(RECORD):
            for key in line:
                with self.subTest(line=line["line"], key=key):
                    self.refuses([*RECORD[:number], {**line, key: None}], "None is not|there are no|None was expected|null|was expected")

    def test_its_members_are_those_of_the_tables(self):
        """What fields.c names is in the schema, and what the schema names besides is known here."""
        with open(os.path.join(schema.FOLDER, "record/fields.c"), encoding="utf-8") as file:
            tables = re.findall(r"^static const struct field (\w+)_rows\[\] = {\n(.*?)^};", file.read(), re.M | re.S)
        parts = schema.installed(schema.RECORD).definitions
        joined = {"listing": "rank", "witness": "rank", "facts": "operation", "extra": "operation",
                  "statistics": "end"}
        found = {}
        for name, rows in tables:
            keys = found.setdefault(joined.get(name, name), set())
            keys.update(re.findall(r'^    (?:FIELD|NUMBER|ADDRESS|CHARS)\([\w ]+, "(\w+)"', rows, re.M))
        self.assertGreater(len(found), 20)
        for name, keys in found.items():
            with self.subTest(name):
                named = set(parts[name]["properties"])
                self.assertEqual(keys - named, set())
                self.assertLessEqual(named - keys, {
                    "line", "number", "record", "format", "problem", "summary", "libraries", "gaps", "details", "group", "peers",
                    "use", "traffic", "queues", "extra_text", "peer", "found_at", "unknown", "description", "layout",
                    "look", "name", "missing", "calls", "activity", "threads", "place", "call_name", "ranks", "lines",
                    "chain", "stacks", "stack"})


class Schemas(unittest.TestCase):
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
