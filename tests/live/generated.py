#!/usr/bin/env python3
"""Programs made at random by rule, right and wrong ones, and what mqdump says of them.

    generated.py --mqdump FILE [--dll FILE]                the 60 programs of the suite
    generated.py --mqdump FILE --wrong 0-499 --right 0-499 others; the number makes the program

A wrong program has one fault. mqdump has to name it, and nothing that it says for certain may be untrue of the program.
At most 2 % of the faults may be missed.
A right one takes its time in the program, in functions that MPI calls and in a library between both, and is looked at
three times: nothing may be found. At most 1 % of the looks may find something possible.
Of the suite, which is small and runs while the machine does other things, it is 15 % of either; what is certain has to
be true all the same.
"""

import argparse
import collections
import dataclasses
import json
import mmap
import os
import random
import re
import signal
import struct
import sys
import time

import cases
import faults
import generator
import job
import judge
import run
import script
import simulation

LOOKS = 3
TRIES = 4               # at a wrong program: a rank may just be about to enter its last call
WHY_LINES = 40
POSSIBLE_SHARE = 0.01
MISSED_SHARE = 0.02
CERTAIN_SHARE, LEAST = 0.4, 10  # of so many wrong programs or more: for fewer it says nothing
FEW, FEW_SHARE = 100, 0.15      # programs, and either share of so few
RECORD = struct.Struct("iiii")      # struct state of prog_script.c
N_RECORDS = 64
SUITE = range(30)       # of both kinds
NO_HANG = "the program ended: its fault was none on this Open MPI"


@dataclasses.dataclass
class Seen:
    """What mqdump said of one program."""
    verdict: str                # of right programs: none, possible; of wrong ones: certain, possible, missed
    texts: list = dataclasses.field(default_factory=list)
    findings: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # of right programs, by kind
    looks: int = 0
    why_lines: int = 0


class State:
    """Where the ranks are, as they say themselves."""

    def __init__(self, path, n_ranks):
        with open(path, "wb") as file:
            file.write(bytes(RECORD.size * N_RECORDS))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.n_ranks = n_ranks

    def records(self):
        return [RECORD.unpack_from(self.memory, rank * RECORD.size) for rank in range(self.n_ranks)]

    def pids(self):
        return [record[0] for record in self.records()]

    def steps(self):
        return [record[1] for record in self.records()]


class Programs:
    """Runs programs on one installation."""

    def __init__(self, mqdump, program, scratch, wrapper=""):
        self.mqdump, self.program, self.wrapper = mqdump, program, wrapper
        self.scratch = scratch

    def start(self, label, program, environment=None):
        directory = os.path.join(self.scratch, label)
        os.makedirs(directory)
        with open(os.path.join(directory, "script"), "w", encoding="ascii") as file:
            file.write(program.text())
        state = State(os.path.join(directory, "state"), program.n_ranks)
        running = job.Job(os.path.join(directory, "job"), [self.program, directory], program.n_ranks,
                          environment=environment, installation=self.mqdump.installation)
        return running, state

    def await_start(self, running, state):
        running.await_that(lambda: all(state.pids()), "all ranks ran")
        # Pids of ranks in a root of their own are the same outside.
        running.pids = state.pids()

    def await_rest(self, program, running, state):
        """Until no rank can take another step."""
        self.await_start(running, state)
        deadline = time.monotonic() + job.PATIENCE
        while True:
            steps = state.steps()
            if running.process.poll():
                raise job.JobError(f"the job ended with {running.process.poll()}: {running.output()[-600:]}")
            if running.process.poll() is not None or any(record[3] for record in state.records()):
                raise cases.Skip(NO_HANG)
            reachable = simulation.Simulation(program, script.EAGER_INTS, steps).at
            # After "finalize" nothing of a rank's is executed.
            if all(at == step or step > 0 and steps_of_rank[step - 1].name == "finalize"
                   for at, step, steps_of_rank in zip(reachable, steps, program.steps)):
                return
            if time.monotonic() > deadline:
                raise job.JobError(f"the job does not come to rest: the ranks are at {steps}, and can be at {reachable}")
            time.sleep(0.02)

    def document(self, pids):
        return run.parsed(self.mqdump.run(pids, "--json"))

    def why_lines(self, pids):
        """How many lines the conclusions take in the text."""
        text = self.mqdump.run(pids).stdout
        match = re.search(r"^Why\n(.*?)(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
        return len(match.group(1).strip("\n").splitlines()) if match else 0

    def look_at_wrong(self, program, fault, state, asked):
        """The verdict, its text, and what the program does."""
        for _ in range(TRIES):
            steps = state.steps()
            document = self.document(asked)
            if state.steps() != steps:
                continue
            simulated = simulation.Simulation(program, script.EAGER_INTS, steps)
            ended = fault.guilty if fault.signal == signal.SIGKILL else ()
            truth = judge.Truth(simulated, fault, ended)
            verdict, text = judge.judge(truth, document.get("findings", []))
            if verdict == judge.CERTAIN:
                return verdict, []
        where = [f"rank {rank} waits for {sorted(truth.waits[rank])}: "
                 f"{'MPI_Finalize' if truth.finalizing(rank) else program.steps[rank][step]}"
                 for rank, step in enumerate(steps)]
        return verdict, [text, str(fault), *where]

    def run_wrong(self, number):
        program, fault = faults.wrong(number)
        running, state = self.start(f"wrong-{number}", program)
        with running:
            self.await_rest(program, running, state)
            pids = running.pids
            # Who asks for the ranks by their numbers knows that one has ended.
            asked = [f"--job={running.process.pid}"] if fault.signal == signal.SIGKILL else pids
            try:
                self.strike(running, fault, pids)
                seen = Seen(*self.look_at_wrong(program, fault, state, asked))
                seen.why_lines = self.why_lines(asked)
                for rank, pid in enumerate(pids):
                    if job.alive(pid) and (fault.signal == 0 or rank not in fault.guilty):
                        run.check_left_running([pid])
            finally:
                running.process.send_signal(signal.SIGCONT)
                for pid in pids:
                    if job.alive(pid):
                        os.kill(pid, signal.SIGCONT)
        cases.expect(seen.verdict != "wrong" and seen.why_lines <= WHY_LINES,
                     "\n".join([f"{seen.verdict}, in {seen.why_lines} lines", *seen.texts]))
        return seen

    @staticmethod
    def strike(running, fault, pids):
        """The guilty ranks get a signal. The launcher, which would end the others, does not hear of it."""
        if not fault.signal:
            return
        running.process.send_signal(signal.SIGSTOP)
        for rank in fault.guilty:
            os.kill(pids[rank], fault.signal)
            while job.alive(pids[rank]) and not job.is_stopped(pids[rank]):
                time.sleep(job.POLL_SECONDS)

    def run_right(self, number):
        program = generator.right(number)
        seen = Seen("none")
        moments = random.Random(number)
        environment = {"LD_PRELOAD": self.wrapper, "MQD_WRAP_SEED": str(number)} if (number + number // 10) % 2 else {}
        running, state = self.start(f"right-{number}", program, environment)
        with running:
            self.await_start(running, state)
            for _ in range(LOOKS):
                time.sleep(moments.uniform(0, 0.8))
                findings = self.document(running.pids).get("findings", [])
                if running.process.poll() is not None:
                    raise job.JobError(f"the job ended with {running.process.poll()}: {running.output()[-600:]}")
                seen.looks += 1
                seen.findings.update(f"{finding['certainty']} {finding['kind']}" for finding in findings)
                seen.texts += map(judge.describe, findings)
                cases.expect(judge.CERTAIN not in {finding["certainty"] for finding in findings}, "\n".join(seen.texts))
            run.check_left_running(running.pids)
        seen.verdict = "possible" if seen.findings else "none"
        return seen


def at_most(share, n, n_programs):
    """Of n looks or programs."""
    return (FEW_SHARE if n_programs < FEW else share) * n


class Report:
    """All outcomes, added up."""

    def __init__(self):
        self.counts = collections.Counter(passed=0, failed=0, skipped=0)
        self.faults = collections.defaultdict(collections.Counter)
        self.found = collections.Counter()
        self.looks = self.alarmed = 0
        self.longest = (0, "")

    def add(self, outcome):
        kind, fault = outcome.label.split(" ")[0], outcome.label.partition(" ")[2]
        seen = outcome.value or Seen(outcome.result)
        self.counts[outcome.result] += 1
        self.looks += seen.looks
        self.found += seen.findings
        self.longest = max(self.longest, (seen.why_lines, outcome.label))
        if kind.startswith("right"):
            self.alarmed += bool(seen.findings)
        else:
            self.faults[fault][seen.verdict] += 1
        if outcome.value and seen.verdict not in (judge.CERTAIN, "none"):
            outcome.text = "\n".join([seen.verdict, *seen.texts])
        outcome.show()

    def expect_few(self, condition, text):
        if not condition:
            self.counts["failed"] += 1
            print(f"failed  {text}")

    def close(self):
        """The exit status."""
        columns = (judge.CERTAIN, "possible", "missed", "failed", "skipped")
        total = sum(self.faults.values(), collections.Counter())
        if total:
            print(f"{'fault':24}" + "".join(f"{column:>9}" for column in columns))
            for fault, verdicts in [*sorted(self.faults.items()), ("all", total)]:
                print(f"{fault:24}" + "".join(f"{verdicts[column]:9}" for column in columns))
            print(f"the longest Why has {self.longest[0]} lines ({self.longest[1]})")
        if self.looks:
            print(f"{self.looks} looks at right programs; programs with findings: {self.alarmed}; by kind: "
                  f"{json.dumps(self.found)}")
        n_wrong, n_possible = sum(total.values()), sum(self.found.values())
        self.expect_few(n_possible <= max(1, at_most(POSSIBLE_SHARE, self.looks, self.looks / LOOKS)),
                        f"{n_possible} possible findings of right programs are too many")
        self.expect_few(n_wrong < LEAST or total[judge.CERTAIN] >= CERTAIN_SHARE * n_wrong,
                        f"only {total[judge.CERTAIN]} of {n_wrong} wrong programs have a certain finding")
        self.expect_few(total["missed"] <= at_most(MISSED_SHARE, n_wrong, n_wrong),
                        f"{total['missed']} of {n_wrong} faults were missed")
        return cases.close(self.counts)


def numbers(text):
    """Of the form N or FIRST-LAST."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def argument_parser(description, whole=True):
    """The options; not whole if it is to be a parent of another parser."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     add_help=whole)
    cases.add_options(parser, 2)
    parser.add_argument("--wrong", type=numbers, help="numbers of wrong programs, as N or FIRST-LAST")
    parser.add_argument("--right", type=numbers, help="numbers of right programs")
    parser.add_argument("--fault", default="", help="only wrong programs whose fault's name contains this")
    parser.add_argument("--show", action="store_true", help="print the programs, and run nothing")
    return parser


def chosen(arguments):
    """Which programs: the numbers of wrong and of right ones."""
    if arguments.wrong is None and arguments.right is None:
        arguments.wrong = arguments.right = SUITE
    return [number for number in arguments.wrong or () if arguments.fault in fault_of(number)], arguments.right or ()


def fault_of(number):
    return faults.FAULTS[number % len(faults.FAULTS)].__name__


def show(what, number):
    program, fault = faults.wrong(number) if what == "wrong" else (generator.right(number), "")
    print(f"{what} {number}, {program.n_ranks} ranks {fault}")
    print(program.text(), end="")


def run_all(arguments, mqdump, builder, scratch):
    wrapper = os.path.join(scratch, "wrap_random.so")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "wrap_random.c")], wrapper, builder, ("-shared", "-fPIC"))
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder)
    programs = Programs(mqdump, program, scratch, wrapper)
    wrong, right = chosen(arguments)
    labelled = [(f"wrong-{number} {fault_of(number)}", lambda number=number: programs.run_wrong(number))
                for number in wrong]
    labelled += [(f"right-{number}", lambda number=number: programs.run_right(number)) for number in right]
    report = Report()
    for outcome in cases.run_all(cases.chosen(labelled, arguments), arguments.jobs, scratch):
        report.add(outcome)
    return report.close()


def test(arguments, installation, builder):
    """Runs the programs on one installation, compiled on another; the exit status."""
    return run.test_suite("generated", arguments, installation, builder,
                          lambda mqdump, scratch: run_all(arguments, mqdump, builder, scratch))


def main():
    arguments = argument_parser(__doc__).parse_args()
    if arguments.show:
        for what, numbers_of in zip(("wrong", "right"), chosen(arguments)):
            for number in numbers_of:
                show(what, number)
        return 0
    return test(arguments, job.HERE, job.HERE)


if __name__ == "__main__":
    sys.exit(main())
