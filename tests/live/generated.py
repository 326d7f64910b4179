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
import concurrent.futures
import dataclasses
import json
import mmap
import multiprocessing
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


class NoHang(Exception):
    """The program ended: its fault was none on this Open MPI."""


@dataclasses.dataclass
class Outcome:
    """What became of one program."""
    label: str
    verdict: str                # right: none, certain, possible; wrong: certain, possible, missed, wrong; or an error
    texts: list = dataclasses.field(default_factory=list)
    fault: str = ""
    findings: dict = dataclasses.field(default_factory=dict)    # of right programs: how many by kind and certainty
    looks: int = 0
    why_lines: int = 0
    seconds: float = 0


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

    def __init__(self, mqdump, directory, scratch):
        self.mqdump = mqdump
        self.program = os.path.join(directory, "prog_script")
        self.wrapper = os.path.join(directory, "wrap_random.so")
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
        deadline = time.monotonic() + job.PATIENCE
        while not all(state.pids()):
            if running.process.poll() is not None or time.monotonic() > deadline:
                raise job.JobError(f"the job did not start: {running.output()}")
            time.sleep(job.POLL_SECONDS)
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
                raise NoHang(f"the job ended with {running.process.poll()}: {running.output()[-600:]}")
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
        label = f"wrong-{number}"
        outcome = Outcome(label, "no hang", fault=fault.kind)
        running, state = self.start(label, program)
        with running:
            try:
                self.await_rest(program, running, state)
            except NoHang as reason:
                outcome.texts.append(str(reason))
                return outcome
            pids = running.pids
            # Who asks for the ranks by their numbers knows that one has ended.
            asked = [f"--job={running.process.pid}"] if fault.signal == signal.SIGKILL else pids
            try:
                self.strike(running, fault, pids)
                outcome.verdict, outcome.texts = self.look_at_wrong(program, fault, state, asked)
                outcome.why_lines = self.why_lines(asked)
                for rank, pid in enumerate(pids):
                    if job.alive(pid) and (fault.signal == 0 or rank not in fault.guilty):
                        run.check_left_running([pid])
            finally:
                running.process.send_signal(signal.SIGCONT)
                for pid in pids:
                    if job.alive(pid):
                        os.kill(pid, signal.SIGCONT)
        return outcome

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
        label = f"right-{number}"
        outcome = Outcome(label, "none")
        moments = random.Random(number)
        environment = {"LD_PRELOAD": self.wrapper, "MQD_WRAP_SEED": str(number)} if (number + number // 10) % 2 else {}
        running, state = self.start(label, program, environment)
        kinds = collections.Counter()
        with running:
            self.await_start(running, state)
            for _ in range(LOOKS):
                time.sleep(moments.uniform(0, 0.8))
                start = time.monotonic()
                document = self.document(running.pids)
                seconds = time.monotonic() - start
                if running.process.poll() is not None:
                    raise job.JobError(f"the job ended with {running.process.poll()}: {running.output()[-600:]}")
                outcome.looks += 1
                findings = document.get("findings", [])
                kinds.update(f"{finding['certainty']} {finding['kind']}" for finding in findings)
                outcome.texts += [f"{judge.describe(finding)} (in {seconds:.1f} s)" for finding in findings]
                self.judge_right(outcome, findings)
            run.check_left_running(running.pids)
        outcome.findings = dict(kinds)
        return outcome

    @staticmethod
    def judge_right(outcome, findings):
        certainties = {finding["certainty"] for finding in findings}
        if judge.CERTAIN in certainties:
            outcome.verdict = judge.CERTAIN
        elif certainties and outcome.verdict == "none":
            outcome.verdict = "possible"

    def run_one(self, what, number):
        """One of either kind; never raises what belongs to the program."""
        start = time.monotonic()
        try:
            outcome = getattr(self, f"run_{what}")(number)
        except Exception as error:      # one program that breaks must not hide the others
            fault = faults.FAULTS[number % len(faults.FAULTS)].__name__ if what == "wrong" else ""
            outcome = Outcome(f"{what}-{number}", "error", [f"{type(error).__name__}: {error}"], fault)
        outcome.seconds = time.monotonic() - start
        return outcome


WORKER = {}


def prepare_worker(programs, lock, count):
    """Open MPI 4 cleans up a directory that all jobs of a user share: each worker has another."""
    job.mind_signals()
    with lock:
        count.value += 1
        number = count.value
    directory = os.path.join(programs.scratch, f"t{number}")
    os.makedirs(directory)
    os.environ["TMPDIR"] = directory
    WORKER["programs"] = programs


def work(what, number):
    return WORKER["programs"].run_one(what, number)


PASSED = {"wrong": ("certain", "possible"), "right": ("none", "possible")}
SKIPPED = ("no hang",)


def at_most(share, n, n_programs):
    """Of n looks or programs."""
    return (FEW_SHARE if n_programs < FEW else share) * n


class Report:
    """All outcomes, added up."""

    def __init__(self):
        self.counts = collections.Counter(passed=0, failed=0, skipped=0)
        self.faults = collections.defaultdict(collections.Counter)
        self.false = collections.Counter()
        self.looks = self.alarmed = 0
        self.longest = (0, "")

    def add(self, outcome):
        what = outcome.label.split("-", maxsplit=1)[0]
        result = ("skipped" if outcome.verdict in SKIPPED else "failed" if outcome.why_lines > WHY_LINES else
                  "passed" if outcome.verdict in PASSED[what] else
                  "missed" if outcome.verdict == "missed" else "failed")
        self.counts[result] += 1
        self.looks += outcome.looks
        self.false.update(outcome.findings)
        if what == "right":
            self.alarmed += bool(outcome.findings)
        else:
            self.faults[outcome.fault][outcome.verdict] += 1
        self.longest = max(self.longest, (outcome.why_lines, outcome.label))
        print(f"{result:8}{outcome.label}{f' {outcome.fault}' if outcome.fault else ''}: {outcome.verdict} "
              f"({outcome.seconds:.1f} s)", flush=True)
        if result in ("failed", "missed") or outcome.verdict not in ("certain", "none"):
            for text in filter(None, [*outcome.texts, self.repetition(what, outcome)]):
                print("\n".join(f"    {line}" for line in text.splitlines()), flush=True)

    @staticmethod
    def repetition(what, outcome):
        """How to repeat a program, and how busy the machine is."""
        return cases.circumstances(f"--{what}={outcome.label.split('-')[1]}")

    def close(self):
        """The exit status."""
        columns = ("certain", "possible", "missed", "wrong", "no hang", "error")
        if self.faults:
            print(f"{'fault':24}" + "".join(f"{column:>9}" for column in columns))
        for fault, verdicts in sorted(self.faults.items()):
            print(f"{fault:24}" + "".join(f"{verdicts[column]:9}" for column in columns))
        total = sum(self.faults.values(), collections.Counter())
        if total:
            print(f"{'all':24}" + "".join(f"{total[column]:9}" for column in columns))
            print(f"the longest Why has {self.longest[0]} lines ({self.longest[1]})")
        if self.looks:
            print(f"{self.looks} looks at right programs; programs with findings: {self.alarmed}; by kind: "
                  f"{json.dumps(self.false)}")
            possible = sum(n for kind, n in self.false.items() if kind.startswith("possible"))
            if possible > max(1, at_most(POSSIBLE_SHARE, self.looks, self.looks / LOOKS)):
                self.counts["failed"] += 1
                print(f"failed  {possible} possible findings of right programs are too many")
        if sum(total.values()) >= LEAST and total["certain"] < CERTAIN_SHARE * sum(total.values()):
            self.counts["failed"] += 1
            print(f"failed  only {total['certain']} of {sum(total.values())} wrong programs have a certain finding")
        # Those that may be missed have passed.
        missed = self.counts.pop("missed", 0)
        n_wrong = sum(total.values())
        self.counts["failed" if missed > at_most(MISSED_SHARE, n_wrong, n_wrong) else "passed"] += missed
        print(", ".join(f"{self.counts[result]} {result}" for result in ("passed", "failed", "skipped")))
        return 1 if self.counts["failed"] or not self.counts["passed"] else 0


def numbers(text):
    """Of the form N or FIRST-LAST."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def argument_parser(description, whole=True):
    """The options; not whole if it is to be a parent of another parser."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     add_help=whole)
    parser.add_argument("--mqdump", required=True, help="the command to test")
    parser.add_argument("--dll", help="the debug DLL that it is to load; its own by default")
    parser.add_argument("--wrong", type=numbers, help="numbers of wrong programs, as N or FIRST-LAST")
    parser.add_argument("--right", type=numbers, help="numbers of right programs")
    parser.add_argument("--fault", default="", help="only wrong programs whose fault's name contains this")
    parser.add_argument("--show", action="store_true", help="print the programs, and run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="how many programs run at the same time")
    parser.add_argument("--cc", default=os.environ.get("MPICC") or "mpicc", help="Open MPI's compiler ($MPICC)")
    parser.add_argument("--keep", action="store_true", help="keep the scratch directory")
    return parser


def chosen(arguments):
    """Which programs: pairs of kind and number."""
    if arguments.wrong is None and arguments.right is None:
        arguments.wrong = arguments.right = SUITE
    wrong = [number for number in arguments.wrong or ()
             if arguments.fault in faults.FAULTS[number % len(faults.FAULTS)].__name__]
    return [("wrong", number) for number in wrong] + [("right", number) for number in arguments.right or ()]


def show(what, number):
    program, fault = faults.wrong(number) if what == "wrong" else (generator.right(number), "")
    print(f"{what} {number}, {program.n_ranks} ranks {fault}")
    print(program.text(), end="")


def compile_all(arguments, scratch, builder):
    directory = os.path.join(scratch, "programs")
    os.makedirs(directory)
    job.compile_program(arguments.cc, [os.path.join(run.HERE, name) for name in run.SCRIPT_SOURCES],
                        os.path.join(directory, "prog_script"), builder)
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "wrap_random.c")],
                        os.path.join(directory, "wrap_random.so"), builder, ("-shared", "-fPIC"))
    return directory


def run_all(arguments, programs):
    report = Report()
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, context, prepare_worker,
                                                (programs, context.Lock(), context.Value("i", 0))) as pool:
        for future in [pool.submit(work, what, number) for what, number in chosen(arguments)]:
            report.add(future.result())
    return report.close()


def test(arguments, installation, builder):
    """Runs the programs on one installation, compiled on another; the exit status."""
    problem = job.mpirun_problem(installation)
    if problem:
        print(f"skipped: {problem}")
        return job.SKIPPED

    def work_in(scratch):
        for place in (installation, builder):
            place.show(scratch)
            place.show(run.TOP)
        mqdump = run.Mqdump(os.path.abspath(arguments.mqdump), arguments.dll and os.path.abspath(arguments.dll),
                            installation)
        return run_all(arguments, Programs(mqdump, compile_all(arguments, scratch, builder), scratch))

    return job.in_scratch("generated", arguments.keep, work_in)


def main():
    arguments = argument_parser(__doc__).parse_args()
    if arguments.show:
        for what, number in chosen(arguments):
            show(what, number)
        return 0
    return test(arguments, job.HERE, job.HERE)


if __name__ == "__main__":
    sys.exit(main())
