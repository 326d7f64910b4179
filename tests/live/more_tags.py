#!/usr/bin/env python3
"""Open MPI 5.0 with two more tags of collectives, as 5.0.11 has them: nothing may be numbered by the tags of the table.

tests/openmpi-more-tags builds it, with the sizes of the release in a root, whose mpirun starts the jobs. It says that
it is that release, or 5.0.11. There are tables of both. What each rank has started is what it says itself.
"""
import copy
import os
import subprocess

import collectives
import compare
import run
import verdicts
from cases import expect

NEXT = "5.0.11"
FIRST = -34         # the tag of a communicator's first nonblocking collective there; in earlier releases it is -33
CALLS = ("ibarrier", "persistent")
NUMBERED = ("igather_ibcast", "iallreduce_ibcast", "ibarrier_barrier", "roots_ibcast", "ineighbours")
OTHERS = ("roots_bcast", "communicators", "skipped", "neighbours")


def argument_parser(description, whole=True):
    parser = verdicts.argument_parser(description, whole)
    parser.add_argument("--prefix", required=True, help="where it is, or is to be installed")
    return parser


def case_of(call):
    return run.Case(f"collective-{call}", 4, [call])


def operations_of(process):
    return [operation for communicator in process["communicators"] for queue in compare.QUEUES
            for operation in communicator[queue] or []]


def check_unknown(process, truth):
    """
    Nothing of a rank is counted or numbered. Returns whether the tag of what it waits for is that of the last that it
    has started.
    """
    steps, = (communicator for communicator in truth["communicators"] if communicator["key"] == "steps")
    counts = [communicator["use"]["nonblocking_collectives"] for communicator in process["communicators"]]
    expect(set(counts) == {None}, f"nonblocking collectives are counted: {counts}")
    internal = [operation for operation in operations_of(process) if operation["internal"]]
    expect({operation["collective_number"] for operation in internal} <= {None}, f"there are numbers: {internal}")
    expect(not any((operation["purpose"] or "").startswith("non-blocking") for operation in internal), str(internal))
    return {FIRST - operation["desired_tag"] + 1 for operation in internal} == {steps["nonblocking"]}


class Tagged:
    """The jobs of one of the two."""

    def __init__(self, mqdump, program, scratch):
        self.mqdump, self.program, self.scratch = mqdump, program, scratch
        self.jobs = verdicts.Jobs(mqdump, program, scratch)

    def run_known(self, call):
        """The numbers are those of the table of the next release."""
        run.run_truthful(self.mqdump, case_of(call), run.Setting("no types", "", ("table",)), self.program,
                         os.path.join(self.scratch, call), {})

    def run_unknown(self, call):
        """Not one is known, and the reason is there for who asks."""
        case = case_of(call)
        directory = os.path.join(self.scratch, call)
        with run.start(self.mqdump, case, [self.program, *case.command], directory, {}) as running:
            told = running.await_truths()

            def is_like_told():
                document = self.mqdump.document(running.pids, "--internal")
                return all([check_unknown(process, truth)
                            for process, truth in zip(document["processes"], told) if truth["rank"] > 0])
            running.await_that(is_like_told, "the tags were those that the ranks tell of")
            layout = self.mqdump.run(running.pids, "--layout").stdout
            expect("collective tags failed" in layout and "collective tags passed" not in layout, layout)
            running.release()

    def run_hang(self, case, known):
        """What rests on numbers is certain only if they are known. Cores would need the libraries in this root."""
        if case.name in NUMBERED and not known:
            case = verdicts.without_certainty(case)
        with self.jobs.start(case.name, case.script, case.ranks) as running:
            self.jobs.await_document(case, running.await_ranks(self.program))

    def labelled(self, known):
        name = self.mqdump.installation.version
        calls = [(f"{call}, says {name}", lambda call=call: (self.run_known if known else self.run_unknown)(call))
                 for call in CALLS]
        return calls + [(f"{case.name}, says {name}", lambda case=case: self.run_hang(case, known))
                        for case in collectives.CASES if case.name in (*NUMBERED, *OTHERS)]


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled for both libraries."""
    prefix, installation = os.path.abspath(arguments.prefix), mqdump.installation
    subprocess.run([os.path.join(run.TOP, "tests", "openmpi-more-tags"), prefix, installation.source_tree, NEXT],
                   check=True)
    installation.show(prefix)
    found = []
    for version in (installation.version, NEXT):
        there = copy.copy(installation)
        there.version = version
        directory = os.path.join(scratch, version)
        os.mkdir(directory)
        program = run.compile_script(arguments.cc, os.path.join(directory, "prog_script"), builder,
                                     [f"-Wl,-rpath,{prefix}/{version}:{prefix}/lib"])
        found += Tagged(run.Mqdump(mqdump.path, mqdump.dll, there), program, directory).labelled(version == NEXT)
    return found


test = run.suite("more_tags", labelled)
