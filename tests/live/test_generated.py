"""The programs that generated.py makes, and what it takes for true of them, without MPI."""
import glob
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
import states
import truths
import verdicts
import watching
import windows
import wrappers

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
    """Of the steps of each rank as a text: NAME ARGUMENT...; a step's operation is its number."""
    program = script.Program(len(ranks))
    program.windows[9] = 0
    for rank, steps in enumerate(ranks):
        for number, step in enumerate(filter(None, map(str.strip, steps.split(";")))):
            name, *args = step.split()
            program.steps[rank].append(script.Step(name, tuple(map(int, args)), number))
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
                known |= {("told_" if kind == "TOLD" else "") + step
                          for kind, step in re.findall(r"^(STEP|SEND|START|TOLD)\((\w+)", file.read(), re.M)}
        used = {step.name for number in range(N_PROGRAMS)
                for program in (generator.right(number), faults.wrong(number)[0])
                for steps in program.steps for step in steps}
        for case in (*run.CASES, run.Case("cm", 4)):
            if case.what in truths.BY_NAME:
                used |= names(case.command[1])
        found = [(case.script, case.ranks)
                 for suite in (verdicts, points, collectives, windows) for case in suite.CASES]
        found += [(case.script, case.ranks) for case in verdicts.SPAWNED]
        found += [(states.RING.format(step), 4)
                  for step in (*(state.step for state in states.STATES), states.STUCK_STEPS)]
        found += [(text, 4) for text in wrappers.SCRIPTS.values()]
        found += [(text, 4) for text in (*(gone[0] for gone in verdicts.GONE.values()), *verdicts.HEALTHY.values(),
                                         verdicts.STUMBLES, awkward.FORK.format(""), watching.HANGS,
                                         collectives.healthy(), windows.right("shared"))]
        for text, n_ranks in found:
            used |= names(script.written(text, n_ranks))
        for path in glob.glob(os.path.join(HERE, "../bench/*.py")):
            with open(path, encoding="utf-8") as file:
                used |= known & set(re.findall(r"\b(?:all:|times) (\w+) ", file.read()))
        self.assertEqual(used, known)

    def test_no_line_has_more_than_the_program_reads(self):
        for number in range(N_PROGRAMS):
            for program in (generator.right(number), faults.wrong(number)[0]):
                for steps in program.steps:
                    self.assertLess(len(steps), 4096)
                    self.assertLessEqual(max(len(step.args) for step in steps), 16)
                    self.assertTrue(all(isinstance(arg, int) for step in steps for arg in step.args))


# How many integers are buffered, the steps of each rank, and for whom each rank waits then; None: it is at its end.
NOT = -1
FACING = ("send 0 1 5 10; recv 0 1 5 10", "send 0 0 5 10; recv 0 0 5 10")
NEIGHBOURS = "neighbor_alltoall 0 1 0"
SIMULATED = (
    (NOT, FACING, [{1}, {0}]), (10, FACING, [None, None]), (9, FACING, [{1}, {0}]),
    # Another tag or source does not match; any does.
    (10, ("recv 0 1 6 1", "send 0 0 5 1"), [{1}, None]), (10, ("recv 0 0 5 1", "send 0 0 5 1"), [set(), None]),
    (NOT, ("recv 0 -1 -1 1", "ssend 0 0 5 1"), [None, None]),
    # Messages match in order.
    (NOT, ("irecv 0 1 5 1 0; irecv 0 1 5 1 1; wait 1", "ssend 0 0 5 1"), [{1}, None]),
    # A collective operation waits for all, and for the same.
    (NOT, ("barrier 0", ""), [{1}, None]), (NOT, ("barrier 0", "allreduce 0 1 0"), [{1}, {0}]),
    (NOT, ("bcast 0 1 0", "bcast 0 1 1"), [{1}, {0}]),
    (NOT, ("ibarrier 0 0 0 3; wait 3", "ibarrier 0 0 0 3"), [None, None]),
    (NOT, (NEIGHBOURS, NEIGHBOURS, NEIGHBOURS, ""), [{3}, None, {3}, None]),
    # A lock waits for who has it, and an epoch for the other side.
    (NOT, ("win_lock 9 0; recv 0 1 1 1", "win_lock 9 0; send 0 0 1 1"), [{1}, {0}]),
    (NOT, ("win_post 9 1; win_wait 9", "win_start 9 0"), [{1}, None]),
    (NOT, ("win_post 9 1; win_wait 9", "win_start 9 0; win_complete 9"), [None, None]),
)


class Simulated(unittest.TestCase):
    """The simulation itself, on programs that are known."""

    def test_ranks_come_as_far_as_they_can(self):
        for buffered, ranks, expected in SIMULATED:
            with self.subTest(ranks, buffered=buffered):
                result = simulation.Simulation(program_of(*ranks), buffered)
                self.assertEqual([None if result.at_end(rank) else result.blockers(rank) for rank in range(len(ranks))],
                                 expected)

    def test_ranks_get_as_far_as_they_say(self):
        program = program_of("bcast 0 1 0; recv 0 1 1 1", "recv 0 0 2 1")
        self.assertEqual(simulation.Simulation(program).at, [0, 0])
        self.assertEqual(simulation.Simulation(program, progress=[1, 0]).at, [1, 0])


# Rank 0 waits for 1, which waits for 2, which has ended its steps.
CHAIN = ("recv 0 1 5 1", "sleep 1; recv 0 2 5 1", "")
ENDED = {"guilty": (2,), "findings": ("process_finalized",)}
FOUND = finding("process_finalized", [1], [2])
CIRCLE = ("recv 0 1 5 1", "recv 0 0 5 1", "recv 0 0 5 1")
BARRIER = "sleep 1; barrier 0"
# Programs, faults and findings that are true: who is not there lacks, and who is in another operation differs.
TRUE = (
    ((BARRIER, BARRIER, "recv 0 1 5 1"), finding("collective_incomplete", [0, 1], [2])),
    (("barrier 0", "allreduce 0 1 0", ""), finding("collectives_differ", [0, 1])),
    (("barrier 0", "bcast 0 1 2", ""), finding("collectives_differ", [0, 1])),
    # A receive from any rank may name nobody, and who knows nothing accuses nobody.
    (CHAIN, finding("receive_without_send", [1])), (CHAIN, finding("waits_for_unknown", [0], [1])),
    (CIRCLE, finding("deadlock", [0, 1])), (CIRCLE, finding("receive_without_send", [0], [1])),
    # A part that is started is where a rank is, and who takes part where others have not makes other calls.
    (("allreduce 0 1 0; wait 3", "ibarrier 0 0 0 3; recv 0 0 5 1", ""), finding("collectives_differ", [0], [1])),
    (("barrier 0", "ibcast 0 1 1 3; wait 3; recv 0 0 5 1"), finding("collectives_differ", [0], [1])),
    # Ranks in a collective operation pass on the parts of others.
    (("barrier 0", "barrier 0", "recv 0 0 5 1"), finding("deadlock", [0, 1, 2])),
)
UNTRUE = (
    *((CHAIN, finding(*what)) for what in (
        ("process_finalized", [2], [1]), ("process_finalized", [0], []), ("process_ended", [1], [2]),
        ("collectives_differ", [0, 1], []), ("collective_incomplete", [0], [2]), ("deadlock", [0, 1], []),
        ("tag_mismatch", [0], [1]), ("truncated", [0], [1]), ("flood", [0], [1]), ("waits_for_busy", [0], [1]),
        ("a kind of its own", [0], [1]), ("receive_without_send", [2]), ("receive_without_send", [0], [1]))),
    *(((BARRIER, BARRIER, "recv 0 1 5 1"), finding("collective_incomplete", ranks, causes))
      for ranks, causes in (([0], [2, 1]), ([0], []), ([2], [0]), ([0, 2], [1]))),
    *((("barrier 0", other, ""), finding("collectives_differ", ranks))
      for other, ranks in (("barrier 0", [0, 1]), ("barrier 0", [0, 1, 2]), ("allreduce 0 1 0", [0, 1, 2]),
                           ("bcast 0 1 2", [0, 1, 2]))),
    # Nobody waits for a rank that has nothing to do with it.
    (("recv 0 1 5 1", "recv 0 0 5 1", ""), finding("process_finalized", [0, 1], [2])),
    (CIRCLE, finding("deadlock", [0, 1, 2])),
    *(((first, "ibarrier 0 0 0 3; recv 0 0 5 1", ""), finding("collectives_differ", *who)) for first, who in (
        ("allreduce 0 1 0; wait 3", ([0, 1],)), ("ibarrier 0 0 0 3; wait 3", ([0], [1])),
        ("ibarrier 0 0 0 3; wait 3", ([0, 1],)))),
    (("barrier 0", "recv 0 0 5 1"), finding("collectives_differ", [0], [1])),
)

POSSIBLE = "possible"


def busy(ranks, causes, *texts):
    return finding("waits_for_busy", ranks, causes, POSSIBLE, f"Rank {ranks[0]} waits for rank {causes[0]}.", texts)


def owed(guilty=(1,), **fault):
    return {"guilty": guilty, "findings": ("none",), **fault}


# What a rank that tests says of itself: it is enough to say what for. So it is of a guilty one to say what it owes.
TESTS = ("irecv 0 1 5 1 0; test 0", "barrier 0")
TESTS_FOR_ALL = ("ibarrier 0 0 0 3; test 3", "recv 0 0 5 1")
OWES = ("recv 0 1 5 1", "iprobe 0 0 6 1")
OWED = ("Rank 0 waits in MPI_Recv (prog.c:12) for a message from rank 1 with tag 5.",
        "1 of 2 ranks is in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing.",
        "Rank 0 waits in MPI_Win_start (prog.c:12) for rank 1 to call MPI_Win_post on a window.")
POLLS = ("recv 0 1 5 1", "endless")
POLLING = {"guilty": (1,), "findings": ("waits_for_busy",), "resolves": True}
# Programs, faults, findings, and the verdict on them.
JUDGED = (
    (CHAIN, ENDED, [FOUND], "certain"), (CHAIN, ENDED, [finding("process_finalized", [1], [2], POSSIBLE)], POSSIBLE),
    (CHAIN, ENDED, [], "missed"), (CHAIN, ENDED, [finding("receive_without_send", [0], [1])], "wrong"),
    # What is only possible is no wrong claim.
    (CHAIN, ENDED, [finding("deadlock", [0, 1], [], POSSIBLE)], "missed"),
    # Nothing is certain while a rank may go on.
    (POLLS, POLLING, [finding("receive_without_send", [0], [1])], "wrong"),
    (POLLS, POLLING, [finding("waits_for_busy", [0], [1], POSSIBLE)], POSSIBLE),
    *((TESTS, owed(victims=(0,)), [busy([1], [0], text)], verdict) for text, verdict in (
        ("Rank 0 tests in MPI_Test (prog.c:12) for a message from rank 1 with tag 5.", POSSIBLE),
        ("Rank 0 is outside of MPI (called from step_test+0x26), with a request for somebody to receive its message of "
         "30,000 bytes to rank 1 with tag 5.", POSSIBLE),
        ("Rank 0 is outside of MPI (prog.c:12).", "missed"),
        ("Rank 0 tests in MPI_Test for a message from rank 10.", "missed"))),
    *((TESTS_FOR_ALL, owed(), [busy([1], [0], f"1 of 2 ranks is in a nonblocking collective operation; rank {rank} is "
                                              "missing.")], verdict)
      for rank, verdict in ((1, POSSIBLE), (0, "missed"))),
    (("recv 0 1 5 1", "recv 0 0 5 1"), owed(), [busy([1], [0], "in MPI_Barrier; rank 1 is missing.")], "missed"),
    *((OWES, owed(victims=victims, says=says), [busy([0], [1], text)], POSSIBLE if i == right else "missed")
      for victims, says, right in (((0,), "", 0), ((), "", 1), ((0,), "to call MPI_Win_post", 2))
      for i, text in enumerate(OWED)),
    (("recv 0 1 5 1", "recv 0 0 6 1"), owed(victims=(0,)), [busy([0], [1], *OWED)], "missed"),
    # The nearest message stands for one that does not come.
    *((CHAIN, {**ENDED, "findings": (kind,)}, [finding("tag_mismatch", [1], [2], certainty)], verdict)
      for kind, certainty, verdict in (("receive_without_send", POSSIBLE, POSSIBLE),
                                       ("receive_without_send", "certain", "wrong"),
                                       ("send_without_receive", POSSIBLE, "missed"))),
    # What a finalized rank has is not to be found.
    *((CHAIN, {"guilty": (2,), "findings": ("destination_mismatch",), "operation": 7, "beyond": ("process_finalized",),
               "holders": holders}, [FOUND], verdict)
      for holders, verdict in (((), "certain"), ((2,), "certain"), ((0,), "missed"))),
    # The victims have to be among the stuck, and what the finding has to say is looked for.
    (CHAIN, {**ENDED, "victims": (0,)}, [FOUND], "missed"),
    *((CHAIN, {**ENDED, "says": "in a window"}, [{**FOUND, "sentence": sentence, "details": details}], verdict)
      for sentence, details, verdict in (("", (), "missed"), ("in a window", (), "certain"),
                                         ("", ("first", "is in a window."), "certain"))),
    # Who is to be named anywhere may be stuck.
    (CHAIN, {**ENDED, "guilty": (1,), "victims": (2,)}, [FOUND], "missed"),
    (CHAIN, {**ENDED, "guilty": (1,), "victims": (2,), "anywhere": True}, [FOUND], "certain"),
    # More findings count once the guilty are beyond.
    (CHAIN, {**ENDED, "findings": ("deadlock",), "operation": 0, "beyond": ("process_finalized",)}, [FOUND], "certain"),
)


class Judged(unittest.TestCase):
    def test_what_is_true_is_not_refuted(self):
        for rows, refuted in ((TRUE, False), (UNTRUE, True)):
            for ranks, found in rows:
                with self.subTest(ranks, finding=found):
                    truth = truth_of(program_of(*ranks), guilty=(2,) if len(ranks) > 2 else (0,))
                    self.assertEqual(truth.refutation(found) is not None, refuted)
                    if refuted:
                        self.assertEqual(judge.judge(truth, [found])[0], "wrong")

    def test_verdicts(self):
        for ranks, fault, found, verdict in JUDGED:
            with self.subTest(ranks, fault=fault, findings=found):
                self.assertEqual(judge.judge(truth_of(program_of(*ranks), **fault), found)[0], verdict)


if __name__ == "__main__":
    unittest.main()
