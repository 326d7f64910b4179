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
    return {**known, "facts": facts, "text": ["Recv", "10", "MPI_INT"], "no_text": ["persistent"], "optional": False,
            **fields}


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


class Queues(unittest.TestCase):
    """compare_queue: each fault of one operation, of their order and of their number."""

    def differences(self, wanted, found):
        return compare.compare_queue(wanted, found, memories(11))

    def assert_right(self, wanted, found):
        self.assertEqual(self.differences(wanted, found), [])

    def assert_wrong(self, wanted, found, text):
        differences = "\n".join(self.differences(wanted, found))
        self.assertIn(text, differences)

    def test_a_fact_that_is_wrong_is_found(self):
        for fact, wrong in (("call", "send"), ("persistent", True), ("internal", True), ("request", "0xabd"),
                            ("count", 11), ("datatype", "MPI_CHAR")):
            self.assert_wrong([expected()], [operation(**{fact: wrong})], f"{fact} is {wrong!r}")
        self.assert_wrong([expected()], [operation(waits_for_receiver=True)], "waits_for_receiver is True")
        self.assert_wrong([expected()], [operation(progress="waited_for")], "progress is waited_for")
        self.assert_wrong([expected()], [operation(count="10")], "count is '10'")
        lacking = operation()
        del lacking["call"]
        self.assert_wrong([expected()], [lacking], "['call']")

    def test_equal_queue_is_right(self):
        self.assert_right([expected()], [operation()])
        self.assert_right([], [])

    def test_every_wrong_field_is_found(self):
        for field in compare.EXACT:
            wanted = expected(**{field: operation()[field]})
            other = "matched" if field == "status" else operation()[field] + 1
            self.assert_wrong([wanted], [operation(**{field: other})], field)

    def test_field_left_out_is_not_compared(self):
        self.assert_right([expected()], [operation(actual_local_rank=-1, actual_length=99)])

    def test_every_missing_field_is_found(self):
        for field in compare.OPERATION:
            found = operation()
            del found[field]
            self.assert_wrong([expected()], [found], field)

    def test_unknown_field_is_found(self):
        self.assert_wrong([expected()], [operation(extra=1)], "extra")

    def test_wrong_type_is_found(self):
        self.assert_wrong([expected()], [operation(desired_tag="7")], "desired_tag")
        self.assert_wrong([expected()], [operation(buffer=4096)], "buffer")
        self.assert_wrong([expected()], [operation(buffer="here")], "buffer")
        self.assert_wrong([expected()], ["Recv"], "Recv")

    def test_wrong_buffer_is_found(self):
        self.assert_wrong([expected()], [operation(buffer="0x1001")], "buffer")

    def test_buffer_in_range_is_right_and_outside_is_wrong(self):
        wanted = expected(buffer=["0x1000", "0x1fff"])
        self.assert_right([wanted], [operation(buffer="0x1fff")])
        self.assert_wrong([wanted], [operation(buffer="0x2000")], "buffer")
        self.assert_wrong([wanted], [operation(buffer="0xfff")], "buffer")

    def test_content_is_compared(self):
        wanted = expected(data=bytes(range(16)).hex())
        del wanted["buffer"]
        self.assert_right([wanted], [operation(buffer="0x5000")])
        self.assert_wrong([wanted], [operation(buffer="0x6000")], "at buffer")
        self.assert_wrong([wanted], [operation(buffer="0x7000")], "nothing readable")
        self.assert_wrong([wanted], [operation(buffer="0x0")], "nothing readable")

    def test_content_that_need_not_be_there(self):
        wanted = expected(data_if_any=bytes(range(16)).hex())
        del wanted["buffer"]
        self.assert_right([wanted], [operation(buffer="0x0")])
        self.assert_right([wanted], [operation(buffer="0x5000")])
        self.assert_wrong([wanted], [operation(buffer="0x6000")], "at buffer")

    def test_missing_words_are_found(self):
        self.assert_wrong([expected()], [operation(extra_text=["Send", "10 x MPI_INT"])], "'Recv'")
        self.assert_wrong([expected()], [operation(extra_text=["Recv", "10 x MPI_CHAR"])], "'MPI_INT'")
        self.assert_wrong([expected()], [operation(extra_text=["Recv", "100 x MPI_INT"])], "'10'")
        self.assert_wrong([expected()], [operation(extra_text=["Recv, persistent", "10 x MPI_INT"])], "persistent")

    def test_impossible_text_is_found(self):
        self.assert_wrong([expected()], [operation(extra_text=["Recv", "10 x MPI_INT", "a", "b", "c"])], "5 lines")
        self.assert_wrong([expected()], [operation(extra_text=["Recv 10 MPI_INT" + "x" * 64])], "line")
        self.assert_wrong([expected()], [operation(extra_text=["Recv", "10 x MPI_INT", ""])], "line")

    def test_missing_and_additional_operations_are_found(self):
        self.assert_wrong([expected()], [], "missing")
        self.assert_wrong([expected(), expected(desired_tag=8)], [operation()], "missing")
        self.assert_wrong([], [operation()], "not expected")
        self.assert_wrong([expected()], [operation(), operation()], "not expected")

    def test_wrong_order_is_found(self):
        wanted = [expected(desired_tag=1), expected(desired_tag=2)]
        self.assert_right(wanted, [operation(desired_tag=1), operation(desired_tag=2)])
        self.assert_wrong(wanted, [operation(desired_tag=2), operation(desired_tag=1)], "desired_tag")

    def test_optional_operation_may_be_missing_but_not_wrong(self):
        wanted = [expected(desired_tag=1), expected(desired_tag=2, optional=True), expected(desired_tag=3)]
        first, second, third = (operation(desired_tag=tag) for tag in (1, 2, 3))
        self.assert_right(wanted, [first, second, third])
        self.assert_right(wanted, [first, third])
        self.assert_right(wanted[:2], [first])
        self.assert_wrong(wanted, [first, operation(desired_tag=9), third], "desired_tag")
        self.assert_wrong(wanted, [second, first, third], "desired_tag")

    def test_queue_that_is_not_available_is_not_an_empty_one(self):
        self.assert_wrong([], None, "None")
        self.assert_wrong([expected()], None, "None")

    def test_queue_that_depends_on_timing_is_not_compared(self):
        self.assert_right(None, [operation()])

    def test_many_differences_are_cut(self):
        self.assertEqual(len(self.differences([expected()] * 100, [])), compare.MAX_REPORTED + 1)


class Documents(unittest.TestCase):
    """compare_document: processes and communicators."""

    def setUp(self):
        self.world = communicator()
        self.half = communicator(name=None, size=2, group=[0, 2])
        self.truths = truth_of(self.world, self.half)
        self.document = document_of({"unique_id": 0, **self.world}, {"unique_id": 3, **self.half, "name": "?"})

    def differences(self):
        found = compare.compare_document(self.truths, self.document, memories)
        return "\n".join(difference for differences in found.values() for difference in differences)

    def first(self):
        return self.document["processes"][0]["communicators"][0]

    def test_equal_document_is_right(self):
        self.assertEqual(self.differences(), "")

    def test_order_of_communicators_is_free(self):
        self.document["processes"][0]["communicators"].reverse()
        self.assertEqual(self.differences(), "")

    def test_faults_of_a_communicator_are_found(self):
        for field, value in (("name", "else"), ("local_rank", 1), ("size", 3), ("group", [0, 1, 3, 2])):
            self.setUp()
            self.first()[field] = value
            self.assertIn("communicator is missing", self.differences(), field)
            self.assertIn("communicator is not expected", self.differences(), field)

    def test_missing_communicator_is_found(self):
        del self.document["processes"][0]["communicators"][1]
        self.assertIn("communicator is missing", self.differences())

    def test_additional_communicator_is_found(self):
        self.document["processes"][0]["communicators"].append({"unique_id": 9, **communicator(name="more")})
        self.assertIn("not expected", self.differences())

    def test_named_communicators_choose_before_unnamed_ones(self):
        self.truths = truth_of(communicator(name=None), communicator(name="dup"))
        self.document = document_of({"unique_id": 1, **communicator(name="dup")},
                                    {"unique_id": 2, **communicator(name="")})
        self.assertEqual(self.differences(), "")

    def test_fault_in_a_queue_is_found_in_each_queue(self):
        for queue in compare.QUEUES:
            self.setUp()
            self.first()[queue] = [operation()]
            self.assertIn(queue, self.differences())

    def test_wrong_use_of_a_communicator_is_found(self):
        for wrong in (use("library"), use(None), None):
            self.first()["use"] = wrong
            self.assertIn("its owner is", self.differences())
        self.setUp()
        self.truths[0]["communicators"][0]["nonblocking"] = 3
        self.assertEqual(self.differences(), "")
        for wrong in (2, 4, None):
            self.first()["use"]["nonblocking_collectives"] = wrong
            self.assertIn("nonblocking collectives, not 3", self.differences())

    def test_wrong_thread_level_is_found(self):
        self.truths[0]["thread_level"] = self.document["processes"][0]["thread_level"] = "single"
        self.assertEqual(self.differences(), "")
        for wrong in ("multiple", None):
            self.document["processes"][0]["thread_level"] = wrong
            self.assertIn("thread_level", self.differences())

    def test_errors_are_found(self):
        self.first()["errors"] = {"pending_sends": "no"}
        self.assertIn("errors", self.differences())
        self.setUp()
        self.document["processes"][0]["error"] = "no"
        self.assertIn("error", self.differences())

    def test_missing_communicator_list_is_found(self):
        for communicators in (None, {}):
            self.document["processes"][0]["communicators"] = communicators
            self.assertIn("communicators is", self.differences())
        del self.document["processes"][0]["communicators"]
        self.assertIn("communicators is", self.differences())

    def test_wrong_process_is_found(self):
        self.document["processes"][0]["rank"] = 1
        self.assertIn("rank", self.differences())
        self.document["processes"][0]["pid"] = 12
        self.assertIn("processes are", self.differences())

    def test_other_format_is_found(self):
        self.document["format"] = 2
        self.assertIn("format", self.differences())

    def test_unique_id_must_tell_communicators_apart(self):
        self.document["processes"][0]["communicators"][1]["unique_id"] = 0
        self.assertIn("unique_id", self.differences())

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

    def test_internal_operations_are_looked_for_where_they_must_be(self):
        truth, process = self.truths[0], self.document["processes"][0]
        self.assertEqual(compare.compare_internal(truth, process), [])
        truth["communicators"][0]["internal"] = "MPI_Barrier"
        self.assertIn("no operation", "\n".join(compare.compare_internal(truth, process)))
        self.first()["pending_receives"] = [operation(desired_tag=-1, tag_wild=1)]
        self.assertIn("no operation", "\n".join(compare.compare_internal(truth, process)))
        self.first()["pending_receives"] = [operation(desired_tag=-16)]
        self.assertIn("no operation", "\n".join(compare.compare_internal(truth, process)))
        self.first()["pending_receives"] = [operation(desired_tag=-16, extra_text=["Recv", "MPI_Barrier, tag -16"])]
        self.assertEqual(compare.compare_internal(truth, process), [])

    def test_wrong_number_of_a_nonblocking_collective_is_found(self):
        truth, process = self.truths[0], self.document["processes"][0]
        pending = operation(desired_tag=-30, purpose="non-blocking collective or more", collective_number=4)
        self.first()["pending_receives"] = [pending, operation()]
        truth["communicators"][0]["nonblocking"] = 4
        self.assertEqual(compare.compare_internal(truth, process), [])
        for wrong in (3, 5, None):
            pending["collective_number"] = wrong
            self.assertIn("not 4", "\n".join(compare.compare_internal(truth, process)))

    def test_communicators_of_open_mpis_own_are_counted_and_named(self):
        truth, process = self.truths[0], self.document["processes"][0]
        truth["made"] = [{"purpose": "a window", "count": 1, "operations": False}]
        own = dict(self.first(), name="dup (for a window)", pending_receives=[], use=use("window", object="0x1000"))
        self.assertIn("0 communicators are (for a window), not 1", "\n".join(compare.compare_internal(truth, process)))
        process["communicators"].append(own)
        self.assertEqual(compare.compare_internal(truth, process), [])
        truth["made"][0]["operations"] = True
        self.assertIn("no operation", "\n".join(compare.compare_internal(truth, process)))
        own["pending_receives"] = [operation()]
        self.assertIn("only says", "\n".join(compare.compare_internal(truth, process)))
        own["pending_receives"] = [operation(extra_text=["Recv", "for a window"])]
        self.assertEqual(compare.compare_internal(truth, process), [])
        for wrong in (use("window"), use("file", object="0x1000"), use("program"), use(None)):
            own["use"] = wrong
            self.assertIn("its owner is", "\n".join(compare.compare_internal(truth, process)))


if __name__ == "__main__":
    unittest.main()
