#!/usr/bin/env python3
"""Feeds the comparer right documents and wrong ones: it must find every single fault, and none where there is none."""

import copy
import unittest

import compare

MEMORY = {0x5000: bytes(range(64)), 0x6000: b"\xff" * 64}


def memories(_pid):
    return lambda address, length: MEMORY.get(address, b"")[:length] or None


def operation(**fields):
    return {"status": "pending", "desired_local_rank": 1, "desired_global_rank": 3, "tag_wild": 0, "desired_tag": 7,
            "desired_length": 40, "system_buffer": 0, "buffer": "0x1000", "actual_local_rank": 1,
            "actual_global_rank": 3, "actual_tag": 7, "actual_length": 40,
            "call": "recv", "mode": None, "protocol": None, "progress": "posted", "persistent": False, "freed": False,
            "internal": False, "collective": False, "waits_for_receiver": False, "purpose": None, "request": "0xabc",
            "count": 10, "datatype": "MPI_INT", "arrived": 0, "error_class": None, "sequence": None,
            "collective_number": None, "peer": {"job": 1, "rank": 3}, "send_request": None, "found_at": None,
            "extra_text": ["Recv, request 0xabc", "10 x MPI_INT"], **fields}


def expected(**fields):
    known = {field: value for field, value in operation().items()
             if field != "extra_text" and field not in compare.FACTS and not field.startswith("actual")}
    facts = {fact: operation()[fact] for fact in ("call", "persistent", "internal", "request", "count", "datatype")}
    return {**known, "facts": facts, "optional": False, **fields}


def use(owner, **fields):
    return {"owner": owner, "object": None, "name": None, "nonblocking_collectives": 3, **fields}


def communicator(**fields):
    return {"name": "MPI_COMM_WORLD", "local_rank": 0, "size": 4, "group": [0, 1, 2, 3], "use": use("program"),
            "pending_sends": [], "pending_receives": [], "unexpected_messages": [], **fields}


def document_of(*communicators, **fields):
    return {"format": 1, "mqdump": "0.1.0",
            "processes": [{"pid": 11, "rank": 0, "communicators": list(communicators), **fields}]}


def truth_of(*communicators):
    return [{"pid": 11, "rank": 0, "park": "sleeps", "made": [],
             "communicators": [{"key": f"comm {number}", "internal": False, **one}
                               for number, one in enumerate(communicators)]}]


def placeless(**fields):
    """What is expected of an operation whose address is not known, but what lies there."""
    return {key: value for key, value in expected(**fields).items() if key != "buffer"}


def tagged(*tags, make=None):
    return [(make or operation)(desired_tag=tag) for tag in tags]


CONTENT = bytes(range(16)).hex()
# What is expected and what is listed, which is right.
RIGHT = (
    ([expected()], [operation()]), ([], []), (None, [operation()]),
    # A field that is not expected is not compared.
    ([expected()], [operation(actual_local_rank=-1, actual_length=99)]),
    ([expected(buffer=["0x1000", "0x1fff"])], [operation(buffer="0x1fff")]),
    ([placeless(data=CONTENT)], [operation(buffer="0x5000")]),
    ([placeless(data_if_any=CONTENT)], [operation(buffer="0x0")]),
    ([placeless(data_if_any=CONTENT)], [operation(buffer="0x5000")]),
    (tagged(1, 2, make=expected), tagged(1, 2)),
)
# The fields of one operation that are wrong, and what is said of that.
WRONG_FIELDS = (
    *(({fact: wrong}, f"{fact} is {wrong!r}") for fact, wrong in (
        ("call", "send"), ("persistent", True), ("internal", True), ("request", "0xabd"), ("count", 11),
        ("datatype", "MPI_CHAR"), ("waits_for_receiver", True), ("count", "10"))),
    ({"progress": "waited_for"}, "progress is waited_for"), ({"extra": 1}, "extra"),
    ({"desired_tag": "7"}, "desired_tag"), ({"buffer": 4096}, "buffer"), ({"buffer": "here"}, "buffer"),
    ({"buffer": "0x1001"}, "buffer"),
    *(({"extra_text": text}, said) for text, said in (
        (["Send", "10 x MPI_INT"], "'recv'"), (["Recv", "10 x MPI_CHAR"], "'MPI_INT'"),
        (["Recv", "100 x MPI_INT"], "'10'"), (["Recv, persistent", "10 x MPI_INT"], "persistent"),
        (["Recv", "10 x MPI_INT", "a", "b", "c"], "5 lines"),
        (["Recv 10 MPI_INT" + "x" * 64], "line"), (["Recv", "10 x MPI_INT", ""], "line"))),
)
# What is expected, what is listed and is wrong, and what is said of it.
WRONG = (
    *(([expected()], [operation(**fields)], text) for fields, text in WRONG_FIELDS), ([expected()], ["Recv"], "Recv"),
    *(([expected(buffer=["0x1000", "0x1fff"])], [operation(buffer=address)], "buffer")
      for address in ("0x2000", "0xfff")),
    *(([placeless(data=CONTENT)], [operation(buffer=address)], text) for address, text in (
        ("0x6000", "at buffer"), ("0x7000", "nothing readable"), ("0x0", "nothing readable"))),
    ([placeless(data_if_any=CONTENT)], [operation(buffer="0x6000")], "at buffer"),
    # What the text must say, and what it must not.
    *(([expected(facts={**expected()["facts"], **facts})],
       [operation(**facts, extra_text=[text, "10 x MPI_INT, 0xabc"])], said)
      for facts, text, said in (({"persistent": True}, "Recv", "says nothing of 'persistent'"),
                                ({"freed": True}, "Recv", "says nothing of 'handle freed'"),
                                ({"freed": False}, "Recv, handle freed", "speaks of 'handle freed'"),
                                ({"request": "0xdef"}, "Recv", "says nothing of '0xdef'"))),
    ([expected()], [], "missing"), ([expected(), expected(desired_tag=8)], [operation()], "missing"),
    ([], [operation()], "not expected"), ([expected()], [operation(), operation()], "not expected"),
    (tagged(1, 2, make=expected), tagged(2, 1), "desired_tag"),
    # A queue that is not available is not an empty one.
    ([], None, "None"), ([expected()], None, "None"),
)


class Queues(unittest.TestCase):
    """compare_queue: each fault of one operation, of their order and of their number."""

    def differences(self, wanted, found):
        return compare.compare_queue(wanted, found, memories(11))

    def test_what_is_right_is_right(self):
        for wanted, found in RIGHT:
            self.assertEqual(self.differences(wanted, found), [])

    def test_what_is_wrong_is_found(self):
        for wanted, found, text in WRONG:
            with self.subTest(wanted=wanted, found=found):
                self.assertIn(text, "\n".join(self.differences(wanted, found)))

    def test_every_wrong_or_missing_field_is_found(self):
        for field in compare.EXACT:
            other = "matched" if field == "status" else operation()[field] + 1
            self.assertIn(field, "\n".join(self.differences([expected(**{field: operation()[field]})],
                                                            [operation(**{field: other})])))
        for field in compare.OPERATION:
            found = {key: value for key, value in operation().items() if key != field}
            self.assertIn(field, "\n".join(self.differences([expected()], [found])))

    def test_optional_operation_may_be_missing_but_not_wrong(self):
        wanted = tagged(1, 2, 3, make=expected)
        wanted[1]["optional"] = True
        for n, tags, text in ((3, (1, 2, 3), ""), (3, (1, 3), ""), (2, (1,), ""), (3, (1, 9, 3), "desired_tag"),
                              (3, (2, 1, 3), "desired_tag")):
            differences = "\n".join(self.differences(wanted[:n], tagged(*tags)))
            self.assertEqual(bool(differences), bool(text))
            self.assertIn(text, differences)

    def test_many_differences_are_cut(self):
        self.assertEqual(len(self.differences([expected()] * 100, [])), compare.MAX_REPORTED + 1)


# A change of the first communicator, what is deleted of it being Ellipsis, and what is said of it.
WRONG_COMMUNICATORS = (
    *(({field: value}, text)
      for field, value in (("name", "else"), ("local_rank", 1), ("size", 3), ("group", [0, 1, 3, 2]))
      for text in ("communicator is missing", "communicator is not expected")),
    *(({queue: [operation()]}, queue) for queue in compare.QUEUES),
    *(({"use": wrong}, "its owner is") for wrong in (use("library"), use(None), None)),
    *(({"use": use("program", nonblocking_collectives=wrong)}, "nonblocking collectives, not 3")
      for wrong in (2, 4, None)),
    ({"errors": {"pending_sends": "no"}}, "errors"), ({"unique_id": 3}, "unique_id does not tell"),
)
# The same of the process.
WRONG_PROCESSES = (
    *(({"thread_level": wrong}, "thread_level") for wrong in ("multiple", None)), ({"error": "no"}, "error"),
    ({"rank": 1}, "rank"), ({"pid": 12}, "processes are"),
    *(({"communicators": wrong}, "communicators is") for wrong in (None, {}, ...)),
)


def change(part, fields):
    for name, value in fields.items():
        part[name] = value
        if value is ...:
            del part[name]


class Fixture(unittest.TestCase):
    """A truth and a document that are equal."""

    def setUp(self):
        self.world = communicator()
        self.half = communicator(name=None, size=2, group=[0, 2])
        self.truths = truth_of(self.world, self.half)
        self.truths[0]["thread_level"] = "single"
        self.truths[0]["communicators"][0]["nonblocking"] = 3
        self.document = document_of({"unique_id": 0, **self.world}, {"unique_id": 3, **self.half, "name": "?"},
                                    thread_level="single")

    def differences(self):
        found = compare.compare_document(self.truths, self.document, memories)
        return "\n".join(difference for differences in found.values() for difference in differences)

    def first(self):
        return self.document["processes"][0]["communicators"][0]


class Documents(Fixture):
    """compare_document: processes and communicators."""

    def test_equal_document_is_right_in_any_order(self):
        self.assertEqual(self.differences(), "")
        self.document["processes"][0]["communicators"].reverse()
        self.assertEqual(self.differences(), "")

    def test_what_is_wrong_is_found(self):
        for wrong, part in ((WRONG_COMMUNICATORS, self.first), (WRONG_PROCESSES, lambda: self.document["processes"][0]),
                            ([({"format": 2}, "format")], lambda: self.document)):
            for fields, text in wrong:
                with self.subTest(fields):
                    self.setUp()
                    change(part(), fields)
                    self.assertIn(text, self.differences())

    def test_missing_and_additional_communicators_are_found(self):
        more = {"unique_id": 9, **communicator(name="more")}
        del self.document["processes"][0]["communicators"][1]
        self.assertIn("communicator is missing", self.differences())
        self.document["processes"][0]["communicators"].append(more)
        self.assertIn("not expected", self.differences())

    def test_named_communicators_choose_before_unnamed_ones(self):
        self.truths = truth_of(communicator(name=None), communicator(name="dup"))
        self.document = document_of({"unique_id": 1, **communicator(name="dup")},
                                    {"unique_id": 2, **communicator(name="")})
        self.assertEqual(self.differences(), "")

    def test_unique_id_must_be_the_same_on_all_members(self):
        other = copy.deepcopy(self.truths[0])
        other.update(pid=12, rank=1)
        self.truths.append(other)
        process = copy.deepcopy(self.document["processes"][0])
        process.update(pid=12, rank=1)
        self.document["processes"].append(process)
        self.assertEqual(self.differences(), "")
        process["communicators"][0]["unique_id"] = 5
        self.assertIn("different unique_id", self.differences())


class Internal(Fixture):
    """compare_internal: what is Open MPI's own."""

    def check(self, text=""):
        """Either nothing is wrong, or this."""
        found = "\n".join(compare.compare_internal(self.truths[0], self.document["processes"][0]))
        self.assertEqual(bool(found), bool(text), found)
        self.assertIn(text, found)

    def test_internal_operations_are_looked_for_where_they_must_be(self):
        self.check()
        self.truths[0]["communicators"][0]["internal"] = "MPI_Barrier"
        for receives, text in (([], "no operation"), ([operation(desired_tag=-1, tag_wild=1)], "no operation"),
                               ([operation(desired_tag=-16)], "no operation"),
                               ([operation(desired_tag=-16, extra_text=["Recv", "MPI_Barrier, tag -16"])], "")):
            self.first()["pending_receives"] = receives
            self.check(text)

    def test_wrong_number_of_a_nonblocking_collective_is_found(self):
        pending = operation(desired_tag=-30, purpose="non-blocking collective or more")
        self.first()["pending_receives"] = [pending, operation()]
        self.truths[0]["communicators"][0]["nonblocking"] = 4
        for number, text in ((4, ""), (3, "not 4"), (5, "not 4"), (None, "not 4")):
            pending["collective_number"] = number
            self.check(text)

    def test_communicators_of_open_mpis_own_are_counted_and_named(self):
        made = {"purpose": "a window", "count": 1, "operations": False}
        self.truths[0]["made"] = [made]
        own = dict(self.first(), name="dup (for a window)", pending_receives=[], use=use("window", object="0x1000"))
        self.check("0 communicators are (for a window), not 1")
        self.document["processes"][0]["communicators"].append(own)
        self.check()
        made["operations"] = True
        for receives, text in (([], "no operation"), ([operation()], "only says"),
                               ([operation(extra_text=["Recv", "for a window"])], "")):
            own["pending_receives"] = receives
            self.check(text)
        for wrong in (use("window"), use("file", object="0x1000"), use("program"), use(None)):
            own["use"] = wrong
            self.check("its owner is")


if __name__ == "__main__":
    unittest.main()
