"""The programs that generated.py makes, and what it takes for true of them, without MPI."""
import dataclasses
import os
import re
import unittest

import awkward
import collectives
import faults
import generator
import judge
import points
import run
import script
import simulation
import truths
import verdicts
import watching
import windows

N_PROGRAMS = 500
N_KINDS = len(faults.FAULTS)
HERE = os.path.dirname(os.path.abspath(__file__))


def finding(kind, ranks, causes=(), certainty="certain", sentence="", details=()):
    return {"kind": kind, "certainty": certainty, "ranks": list(ranks), "causes": list(causes), "sentence": sentence,
            "details": list(details)}


def names(text):
    """Of the steps of a script."""
    return set(re.findall(rf"^\d+ {script.BEFORE}(\w+)", text, re.M))


def program_of(*ranks):
    """Of the steps of each rank, as (name, argument, ...); a step's operation is its number."""
    program = script.Program(len(ranks))
    for rank, steps in enumerate(ranks):
        program.steps[rank] = [script.Step(name, args, number) for number, (name, *args) in enumerate(steps)]
    return program


def truth_of(program, *, guilty=(0,), findings=("none",), **others):
    fault = faults.Fault("made", guilty, findings, **others)
    return judge.Truth(simulation.Simulation(program), fault)


class Programs(unittest.TestCase):
    def test_a_number_makes_the_same_program(self):
        for number in range(2 * N_KINDS):
            self.assertEqual(generator.right(number).text(), generator.right(number).text())
            first, second = faults.wrong(number), faults.wrong(number)
            self.assertEqual((first[0].text(), first[1]), (second[0].text(), second[1]))

    def test_numbers_make_different_programs(self):
        self.assertEqual(len({generator.right(number).text() for number in range(N_PROGRAMS)}), N_PROGRAMS)

    def test_right_programs_end_even_if_nothing_is_buffered(self):
        for number in range(N_PROGRAMS):
            for buffered in (-1, script.EAGER_INTS):
                result = simulation.Simulation(generator.right(number), buffered)
                self.assertFalse(result.is_stuck(), number)

    def test_right_programs_leave_nothing_to_their_next_round(self):
        for number in range(N_PROGRAMS):
            result = simulation.Simulation(generator.right(number), script.EAGER_INTS)
            self.assertEqual((result.sends, result.receives, result.holders), ([], [], {}), number)

    def test_wrong_programs_get_stuck_even_if_messages_are_buffered(self):
        for number in range(N_PROGRAMS):
            program, _ = faults.wrong(number)
            self.assertTrue(simulation.Simulation(program).is_stuck(), number)
            self.assertTrue(simulation.Simulation(program, script.EAGER_INTS).is_stuck(), number)

    def test_without_their_fault_wrong_programs_would_end(self):
        """Up to the operation with the fault nobody is stuck."""
        for number in range(N_PROGRAMS):
            program, fault = faults.wrong(number)
            for steps in program.steps:
                steps[:] = [step for step in steps if step.operation < fault.operation]
            result = simulation.Simulation(program)
            waiting = {request.step.operation for rank in range(program.n_ranks) for request in result.pending(rank)}
            self.assertEqual(waiting, set(), number)

    def test_the_programs_of_the_suite_have_each_fault(self):
        self.assertGreaterEqual(N_KINDS, 30)
        self.assertEqual({faults.wrong(number)[1].kind for number in range(N_KINDS)},
                         {make.__name__ for make in faults.FAULTS})

    def test_the_steps_are_those_of_the_program_that_executes_them(self):
        known = set()
        for name in ("prog_script.c", "told.c"):
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                known |= set(re.findall(r"NAMED\((\w+)\)", file.read()))
        used = {step.name for number in range(N_PROGRAMS)
                for program in (generator.right(number), faults.wrong(number)[0])
                for steps in program.steps for step in steps}
        for case in (*run.CASES, run.Case("cm", 4)):
            if case.what in truths.BY_NAME:
                used |= names(case.command[1])
        found = [(case.script, case.ranks) for suite in (verdicts, points, collectives, windows) for case in suite.CASES]
        found += [(case.script, case.ranks) for case in verdicts.SPAWNED]
        found += [(text, 4) for text in (*(gone[0] for gone in verdicts.GONE.values()), *verdicts.HEALTHY.values(),
                                         verdicts.STUMBLES, awkward.FORK.format(""), watching.HANGS, collectives.healthy(), windows.right("shared"))]
        for text, n_ranks in found:
            used |= names(script.written(text, n_ranks))
        self.assertEqual(used, known)

    def test_no_line_has_more_than_the_program_reads(self):
        for number in range(N_PROGRAMS):
            for program in (generator.right(number), faults.wrong(number)[0]):
                for steps in program.steps:
                    self.assertLess(len(steps), 4096)
                    self.assertLessEqual(max(len(step.args) for step in steps), 16)
                    self.assertTrue(all(isinstance(arg, int) for step in steps for arg in step.args))


class Simulated(unittest.TestCase):
    """The simulation itself, on programs that are known."""

    def stuck(self, program, buffered=-1):
        result = simulation.Simulation(program, buffered)
        return [result.blockers(rank) if not result.at_end(rank) else None for rank in range(program.n_ranks)]

    def test_sends_that_face_each_other_need_buffers(self):
        program = program_of([("send", 0, 1, 5, 10), ("recv", 0, 1, 5, 10)],
                             [("send", 0, 0, 5, 10), ("recv", 0, 0, 5, 10)])
        self.assertEqual(self.stuck(program), [{1}, {0}])
        self.assertEqual(self.stuck(program, 10), [None, None])
        self.assertEqual(self.stuck(program, 9), [{1}, {0}])

    def test_another_tag_or_source_does_not_match(self):
        for peer, tag in ((1, 6), (0, 5)):
            program = program_of([("recv", 0, peer, tag, 1)], [("send", 0, 0, 5, 1)])
            self.assertIsNotNone(self.stuck(program, 10)[0])

    def test_any_tag_and_any_source_match(self):
        program = program_of([("recv", 0, -1, -1, 1)], [("ssend", 0, 0, 5, 1)])
        self.assertEqual(self.stuck(program), [None, None])

    def test_messages_match_in_order(self):
        program = program_of([("irecv", 0, 1, 5, 1, 0), ("irecv", 0, 1, 5, 1, 1), ("wait", 1)],
                             [("ssend", 0, 0, 5, 1)])
        self.assertEqual(self.stuck(program), [{1}, None])

    def test_a_collective_waits_for_all_and_for_the_same(self):
        self.assertEqual(self.stuck(program_of([("barrier", 0)], [])), [{1}, None])
        self.assertEqual(self.stuck(program_of([("barrier", 0)], [("allreduce", 0, 1, 0)])), [{1}, {0}])
        self.assertEqual(self.stuck(program_of([("bcast", 0, 1, 0)], [("bcast", 0, 1, 1)])), [{1}, {0}])
        self.assertEqual(self.stuck(program_of([("ibarrier", 0, 0, 0, 3), ("wait", 3)], [("ibarrier", 0, 0, 0, 3)])),
                         [None, None])

    def test_neighbours_wait_for_neighbours_only(self):
        call = ("neighbor_alltoall", 0, 1, 0)
        self.assertEqual(self.stuck(program_of([call], [call], [call], [])), [{3}, None, {3}, None])

    def test_a_lock_waits_for_its_holder(self):
        program = program_of([("win_lock", 9, 0), ("recv", 0, 1, 1, 1)], [("win_lock", 9, 0), ("send", 0, 0, 1, 1)])
        program.windows[9] = 0
        self.assertEqual(self.stuck(program), [{1}, {0}])

    def test_an_epoch_waits_for_the_other_side(self):
        program = program_of([("win_post", 9, 1), ("win_wait", 9)], [("win_start", 9, 0)])
        program.windows[9] = 0
        self.assertEqual(self.stuck(program), [{1}, None])
        program.steps[1].append(script.Step("win_complete", (9,), 1))
        self.assertEqual(self.stuck(program), [None, None])

    def test_ranks_get_as_far_as_they_say(self):
        program = program_of([("bcast", 0, 1, 0), ("recv", 0, 1, 1, 1)], [("recv", 0, 0, 2, 1)])
        self.assertEqual(simulation.Simulation(program).at, [0, 0])
        self.assertEqual(simulation.Simulation(program, progress=[1, 0]).at, [1, 0])


class Judged(unittest.TestCase):
    """A program of three ranks: 0 waits for 1, which waits for 2, which has ended its steps."""

    def setUp(self):
        self.program = program_of([("recv", 0, 1, 5, 1)], [("sleep", 1), ("recv", 0, 2, 5, 1)], [])
        self.truth = truth_of(self.program, guilty=(2,), findings=("process_finalized",))

    def test_the_right_finding_is_the_right_one(self):
        self.assertEqual(judge.judge(self.truth, [finding("process_finalized", [1], [2])]), ("certain", ""))
        self.assertEqual(judge.judge(self.truth, [finding("process_finalized", [1], [2], "possible")])[0], "possible")
        self.assertEqual(judge.judge(self.truth, [])[0], "missed")

    def test_a_victim_is_no_cause(self):
        self.assertEqual(judge.judge(self.truth, [finding("receive_without_send", [0], [1])])[0], "wrong")

    def test_what_is_only_possible_is_no_wrong_claim(self):
        self.assertEqual(judge.judge(self.truth, [finding("deadlock", [0, 1], [], "possible")])[0], "missed")

    def test_each_kind_is_refuted_where_it_is_not_true(self):
        for kind, ranks, causes in (("process_finalized", [2], [1]), ("process_finalized", [0], []),
                                    ("process_ended", [1], [2]), ("collectives_differ", [0, 1], []),
                                    ("collective_incomplete", [0], [2]), ("deadlock", [0, 1], []),
                                    ("tag_mismatch", [0], [1]), ("truncated", [0], [1]), ("flood", [0], [1]),
                                    ("waits_for_busy", [0], [1]), ("a kind of its own", [0], [1])):
            self.assertEqual(judge.judge(self.truth, [finding(kind, ranks, causes)])[0], "wrong", kind)

    def test_a_collective_lacks_those_who_have_not_come_to_it(self):
        barrier = [("sleep", 1), ("barrier", 0)]
        truth = truth_of(program_of(barrier, barrier, [("recv", 0, 1, 5, 1)]))
        self.assertIsNone(truth.refutation(finding("collective_incomplete", [0, 1], [2])))
        for ranks, causes in (([0], [2, 1]), ([0], []), ([2], [0]), ([0, 2], [1])):
            truth.fault = dataclasses.replace(truth.fault, guilty=(2,))
            self.assertIsNotNone(truth.refutation(finding("collective_incomplete", ranks, causes)), (ranks, causes))

    def test_different_collectives_are_different(self):
        for other, differ in ((("barrier", 0), False), (("allreduce", 0, 1, 0), True), (("bcast", 0, 1, 2), True)):
            truth = truth_of(program_of([("barrier", 0)], [other], []))
            self.assertEqual(truth.refutation(finding("collectives_differ", [0, 1])) is None, differ, other)
            self.assertIsNotNone(truth.refutation(finding("collectives_differ", [0, 1, 2])))

    def test_nobody_waits_for_a_rank_that_has_nothing_to_do_with_it(self):
        truth = truth_of(program_of([("recv", 0, 1, 5, 1)], [("recv", 0, 0, 5, 1)], []))
        self.assertIsNotNone(truth.refutation(finding("process_finalized", [0, 1], [2])))

    def test_a_receive_from_any_rank_may_name_nobody(self):
        self.assertIsNone(self.truth.refutation(finding("receive_without_send", [1])))
        self.assertIsNotNone(self.truth.refutation(finding("receive_without_send", [2])))

    def test_who_knows_nothing_accuses_nobody(self):
        self.assertIsNone(self.truth.refutation(finding("waits_for_unknown", [0], [1])))

    def test_a_circle_is_a_deadlock(self):
        truth = truth_of(program_of([("recv", 0, 1, 5, 1)], [("recv", 0, 0, 5, 1)], [("recv", 0, 0, 5, 1)]))
        self.assertIsNone(truth.refutation(finding("deadlock", [0, 1])))
        self.assertIsNotNone(truth.refutation(finding("deadlock", [0, 1, 2])))
        self.assertIsNone(truth.refutation(finding("receive_without_send", [0], [1])))

    def test_nothing_is_certain_while_a_rank_may_go_on(self):
        program = program_of([("recv", 0, 1, 5, 1)], [("endless",)])
        truth = truth_of(program, guilty=(1,), findings=("waits_for_busy",), resolves=True)
        self.assertEqual(judge.judge(truth, [finding("receive_without_send", [0], [1])])[0], "wrong")
        self.assertEqual(judge.judge(truth, [finding("waits_for_busy", [0], [1], "possible")])[0], "possible")

    def test_of_a_rank_that_tests_it_is_enough_to_say_what_for(self):
        program = program_of([("irecv", 0, 1, 5, 1, 0), ("test", 0)], [("barrier", 0)])
        truth = truth_of(program, guilty=(1,), findings=("none",), victims=(0,))
        for text, verdict in (("Rank 0 tests in MPI_Test (prog.c:12) for a message from rank 1 with tag 5.", "possible"),
                              ("Rank 0 is outside of MPI (called from step_test+0x26), with a request for somebody to "
                               "receive its message of 30,000 bytes to rank 1 with tag 5.", "possible"),
                              ("Rank 0 is outside of MPI (prog.c:12).", "missed"),
                              ("Rank 0 tests in MPI_Test for a message from rank 10.", "missed")):
            found = finding("waits_for_busy", [1], [0], "possible", "Rank 1 waits for rank 0.", [text])
            self.assertEqual(judge.judge(truth, [found])[0], verdict, text)

    def test_of_a_rank_that_tests_for_a_collective_it_is_enough_to_say_who_is_missing(self):
        program = program_of([("ibarrier", 0, 0, 0, 3), ("test", 3)], [("recv", 0, 0, 5, 1)])
        truth = truth_of(program, guilty=(1,))
        for text, verdict in (("1 of 2 ranks is in a nonblocking collective operation; rank 1 is missing.", "possible"),
                              ("1 of 2 ranks is in a nonblocking collective operation; rank 0 is missing.", "missed")):
            found = finding("waits_for_busy", [1], [0], "possible", "Rank 1 waits for rank 0.", [text])
            self.assertEqual(judge.judge(truth, [found])[0], verdict, text)
        truth = truth_of(program_of([("recv", 0, 1, 5, 1)], [("recv", 0, 0, 5, 1)]), guilty=(1,))
        found = finding("waits_for_busy", [1], [0], "possible", details=["in MPI_Barrier; rank 1 is missing."])
        self.assertEqual(judge.judge(truth, [found])[0], "missed")

    def test_of_a_guilty_rank_that_tests_it_is_enough_to_say_what_it_owes(self):
        program = program_of([("recv", 0, 1, 5, 1)], [("iprobe", 0, 0, 6, 1)])
        texts = ("Rank 0 waits in MPI_Recv (prog.c:12) for a message from rank 1 with tag 5.",
                 "1 of 2 ranks is in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing.",
                 "Rank 0 waits in MPI_Win_start (prog.c:12) for rank 1 to call MPI_Win_post on a window.")
        for victims, says, right in (((0,), "", 0), ((), "", 1), ((0,), "to call MPI_Win_post", 2)):
            truth = truth_of(program, guilty=(1,), findings=("none",), victims=victims, says=says)
            for i, text in enumerate(texts):
                found = finding("waits_for_busy", [0], [1], "possible", "Rank 0 waits for rank 1.", [text])
                self.assertEqual(judge.judge(truth, [found])[0], "possible" if i == right else "missed", text)
        truth = truth_of(program_of([("recv", 0, 1, 5, 1)], [("recv", 0, 0, 6, 1)]), guilty=(1,), victims=(0,))
        found = finding("waits_for_busy", [0], [1], "possible", "Rank 0 waits for rank 1.", texts)
        self.assertEqual(judge.judge(truth, [found])[0], "missed")

    def test_the_nearest_message_stands_for_one_that_does_not_come(self):
        self.truth.fault = dataclasses.replace(self.truth.fault, findings=("receive_without_send",))
        for certainty, verdict in (("possible", "possible"), ("certain", "wrong")):
            self.assertEqual(judge.judge(self.truth, [finding("tag_mismatch", [1], [2], certainty)])[0], verdict)
        self.truth.fault = dataclasses.replace(self.truth.fault, findings=("send_without_receive",))
        self.assertEqual(judge.judge(self.truth, [finding("tag_mismatch", [1], [2], "possible")])[0], "missed")

    def test_a_part_that_is_started_is_where_a_rank_is(self):
        other = [("ibarrier", 0, 0, 0, 3), ("recv", 0, 0, 5, 1)]
        for first, differ in ((("allreduce", 0, 1, 0), True), (("ibarrier", 0, 0, 0, 3), False)):
            truth = truth_of(program_of([first, ("wait", 3)], other, []))
            self.assertEqual(truth.refutation(finding("collectives_differ", [0], [1])) is None, differ)
            self.assertIsNotNone(truth.refutation(finding("collectives_differ", [0, 1])))

    def test_who_takes_part_where_others_have_not_makes_other_calls(self):
        program = program_of([("barrier", 0)], [("ibcast", 0, 1, 1, 3), ("wait", 3), ("recv", 0, 0, 5, 1)])
        self.assertIsNone(truth_of(program).refutation(finding("collectives_differ", [0], [1])))
        program = program_of([("barrier", 0)], [("recv", 0, 0, 5, 1)])
        self.assertIsNotNone(truth_of(program).refutation(finding("collectives_differ", [0], [1])))

    def test_ranks_in_a_collective_pass_on_the_parts_of_others(self):
        barrier = [("barrier", 0)]
        truth = truth_of(program_of(barrier, barrier, [("recv", 0, 0, 5, 1)]))
        self.assertIsNone(truth.refutation(finding("deadlock", [0, 1, 2])))

    def test_what_a_finalized_rank_has_is_not_to_be_found(self):
        for holders, verdict in (((), "certain"), ((2,), "certain"), ((0,), "missed")):
            self.truth.fault = dataclasses.replace(self.truth.fault, findings=("destination_mismatch",), operation=7,
                                                   beyond=("process_finalized",), holders=holders)
            self.assertEqual(judge.judge(self.truth, [finding("process_finalized", [1], [2])])[0], verdict)

    def test_the_victims_have_to_be_among_the_stuck(self):
        self.truth.fault = dataclasses.replace(self.truth.fault, victims=(0,))
        self.assertEqual(judge.judge(self.truth, [finding("process_finalized", [1], [2])])[0], "missed")

    def test_what_the_finding_has_to_say_is_looked_for(self):
        self.truth.fault = dataclasses.replace(self.truth.fault, says="in a window")
        for sentence, details, verdict in (("", (), "missed"), ("in a window", (), "certain"),
                                           ("", ("first", "is in a window."), "certain")):
            found = finding("process_finalized", [1], [2], sentence=sentence, details=details)
            self.assertEqual(judge.judge(self.truth, [found])[0], verdict)

    def test_who_is_to_be_named_anywhere_may_be_stuck(self):
        self.truth.fault = dataclasses.replace(self.truth.fault, guilty=(1,), victims=(2,))
        found = [finding("process_finalized", [1], [2])]
        self.assertEqual(judge.judge(self.truth, found)[0], "missed")
        self.truth.fault = dataclasses.replace(self.truth.fault, anywhere=True)
        self.assertEqual(judge.judge(self.truth, found)[0], "certain")

    def test_more_findings_count_once_the_guilty_are_beyond(self):
        self.truth.fault = faults.Fault("made", (2,), ("collectives_differ",), operation=0,
                                           beyond=("process_finalized",))
        self.assertEqual(judge.judge(self.truth, [finding("process_finalized", [1], [2])])[0], "certain")


if __name__ == "__main__":
    unittest.main()
