#!/usr/bin/env python3
"""mqdump when a call fails: each allocation, open, read, write, fork and pipe in turn, and in surroundings that lack
something. It ends with a message and a status, says nothing that is not so, and every rank goes on."""

import concurrent.futures
import contextlib
import dataclasses
import os
import pwd
import queue
import random
import re
import subprocess
import sys
import textwrap
import time

import core_files
import job
from mqdump_errors import Checks, Failed, expect, run_checks, status_of, thread_states, wait_until

# With --all every call fails in turn, which takes hours. Else the first ones do, and so many of the others. They are
# chosen from a seed, so that two runs fail the same calls: MQD_SEED=NUMBER for others, MQD_SEED=random for ones by chance.
FIRST, CHOSEN = 8, 8
SEED = "1"
N_WORKERS = 2
MAX_SHOWN = 40       # of what has gone wrong
MAX_TEXT = 1000      # of what one run has written
MAX_STARVED = 5      # runs of one kind in which a rank had no processor time

# Kinds of calls, as in fail_call.c; with "+" all calls from the n-th on fail.
KINDS = ("memory", "memory+", "map", "open", "open+", "read", "read+", "target", "receive", "write", "write+", "send",
         "fork", "pipe", "pipe+", "rights", "exec", "poll", "interrupt", "file", "stat", "trace")

# What changes from one run to the next, and is not part of what is shown.
CHANGING = ((re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d UTC)?"), "TIME"),
            (re.compile(r"\b(\d+-)?(\d+:)?\d+:\d\d\b"), "ELAPSED"),
            (re.compile(r" +"), " "))

STARVED = re.compile(r"no\s+processor\s+time\s+between\s+the\s+looks")

# A finding begins with its title. What is said of ranks that could not be looked at is no finding.
TITLE = re.compile(r"^  ([A-Z][^.:]*)[.:](?: |$)", re.MULTILINE)
HONEST = re.compile(r"Cannot tell why|Ranks? \S+ (is|are) not known well enough|Unknown rank \(possible\)|"
                    r"Ranks? \S+ could not be read again|The\s+record\s+\S+\s+is\s+not\s+complete")


def findings(text):
    """The titles of all findings of a report, whether certain or possible."""
    why = re.search(r"^Why\n(.*?)(^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    titles = TITLE.findall(why.group(1) if why else "")
    return {title.removesuffix(" (possible)") for title in titles if not HONEST.match(title)}


def plain(text):
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return text


def less_named(line):
    """
    A line of --list without the names of user and program. The number of the user, and "?", stand in their place where a
    call for a name fails.
    """
    cells = re.split(r"  +", line.strip())
    expect(len(cells) == 7, f"not a line of --list: {line}")
    *cells, user, start, age, program = cells
    expect(user in (pwd.getpwuid(os.geteuid()).pw_name, str(os.geteuid())), f"wrong user: {line}")
    expect(program == "?" or os.path.basename(program) == "prog_deadlock", f"wrong program: {line}")
    return "  ".join((*cells, start, age))


@dataclasses.dataclass
class End:
    """How a run came to its end: what fail_call says of it, and what it has written."""
    n_calls: int
    status: str
    n_left: int
    out: str
    err: str


class Place:
    """A job of two ranks that wait for each other, and a directory: what one run at a time can have."""

    def __init__(self, checks, number):
        self.checks = checks
        self.directory = checks.path(f"place{number}")
        self.job = job.Job(self.directory, [checks.mpi_program("prog_deadlock")], 2)
        try:
            self.pids = self.job.await_ranks(checks.mpi_program("prog_deadlock"))
            wait_until(self.is_deadlocked, "deadlock")
        except BaseException:
            self.job.end()
            raise
        self.saved = os.path.join(self.directory, "saved")
        os.mkdir(self.saved)
        self.record = os.path.join(self.directory, "record")

    def is_deadlocked(self):
        return "Deadlock" in self.checks.run(*self.pids).out

    def check_ranks(self):
        for pid in self.pids:
            states = thread_states(pid)
            expect(not set(states) & set("tTZX") and status_of(pid).get("TracerPid") == "0",
                   f"rank {pid} was left behind: {states}, tracer {status_of(pid).get('TracerPid')}")


@dataclasses.dataclass
class Use:
    """A way of using mqdump."""
    name: str
    arguments: object                # of a place: the arguments
    saves: bool = False

    def run(self, place, kind="memory", n=0, start=()):
        """
        Runs it so that the n-th call of the kind fails; 0: none does. `start` is a command that starts mqdump. Where the
        machine leaves a rank no processor time this is said, and nothing else can be compared: then it is run again.
        """
        for _ in range(MAX_STARVED):
            end = self.run_once(place, kind, n, start)
            if not STARVED.search(end.out):
                break
        return end

    def run_once(self, place, kind, n, start):
        checks = place.checks
        for name in os.listdir(place.saved):
            os.unlink(os.path.join(place.saved, name))
        command = [checks.helper("fail_call"), kind, str(n), place.directory, checks.helper("fail_memory"),
                   *start, checks.mqdump, "--dll", checks.dll, *map(str, self.arguments(place))]
        result = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
        out, err = result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace")
        expect(result.returncode == 0, f"fail_call ended with {result.returncode}: {err}")
        with open(os.path.join(place.directory, "report"), encoding="ascii") as file:
            report = file.read().split()
        return End(int(report[0]), report[1], int(report[2]), out, err)


PIDS = Use("processes", lambda place: place.pids)
JOB = Use("job", lambda place: ["--job", place.job.process.pid])
LIST = Use("list", lambda place: ["--list"])
SAVE = Use("save", lambda place: ["--save", os.path.join(place.saved, "record"), *place.pids], saves=True)
RECORD = Use("record", lambda place: [place.record])
CORES = Use("cores", lambda place: ["--core", *place.cores])


class Judge:
    """Compares disturbed runs of one use at one place with an undisturbed one."""

    def __init__(self, use, place):
        self.use, self.place = use, place
        self.true = self.undisturbed()
        if use.saves:
            self.saved = self.conclusion()

    def undisturbed(self):
        end = self.use.run(self.place)
        expect(end.status == "0" and not end.n_left, f"undisturbed: {end}")
        return end

    def conclusion(self):
        """Of the record that was saved."""
        result = self.place.checks.run(os.path.join(self.place.saved, "record"))
        expect(result.status == 0 and "Deadlock" in result.out, f"the record that was saved\n{result}")
        return plain(result.out)

    def problem(self, kind, end):
        """What is wrong with a disturbed run; None if nothing is."""
        try:
            self.place.check_ranks()
            self.check(kind, end)
            return None
        except Failed as error:
            return str(error)

    def expect_good(self, kind, end, check, what):
        """Fails if a run has a problem, or if `check` finds one."""
        try:
            self.place.check_ranks()
            self.check(kind, end)
            check()
        except Failed as error:
            raise Failed(f"{what}: {error}\n{end}") from None

    def check(self, kind, end):
        expect(end.status != "hung", "it does not end")
        if kind == "pipe ended" or "error while loading shared libraries" in end.err:
            return
        expect(end.status in ("0", "1", "2"), f"it ended with {end.status}")
        expect(end.n_left == 0, f"{end.n_left} of its processes are left")
        if kind == "interrupt":
            expect(end.status == "0", "a call that was interrupted made it fail")
        if end.status == "0":
            # Without a file of the program a place has no name: then it is said which file that is. Without the C
            # library's file there is no stack, and with that no conclusion: this is said too.
            told = "mqdump: " in end.err or re.search(r"cannot\s+be\s+told", end.out)
            expect(self.same(end) or (told and (findings(end.out) == findings(self.true.out) or
                                                "Cannot tell why" in end.out)),
                   "the status is 0, and the report differs")
        elif kind != "write+":
            expect("mqdump: " in end.err, "no message")
        if "Nothing suspicious" in end.out:
            expect("Nothing suspicious" in self.true.out, "nothing suspicious where there is something")
        wrong = findings(end.out) - findings(self.true.out)
        expect(not wrong, f"a finding that is none: {wrong}")
        if self.use.saves:
            self.check_saved(end)

    def same(self, end):
        return self.shown(end) == self.shown(self.true)

    def shown(self, end):
        """What is shown of this job: others come and go."""
        if self.use is not LIST:
            return plain(end.out)
        own = f"mpirun {self.place.job.process.pid} "
        return "\n".join(plain(less_named(line)) for line in end.out.splitlines() if own in line)

    def check_saved(self, end):
        names = os.listdir(self.place.saved)
        expect(set(names) <= {"record"}, f"files are left: {names}")
        if end.status == "0":
            expect(names and (self.conclusion() == self.saved or not self.same(end)),
                   "the record is not what it should be")
        elif names:
            # What could be seen, and as a whole.
            result = self.place.checks.run(os.path.join(self.place.saved, "record"))
            expect("Nothing suspicious" not in result.out and "the end is missing" not in result.err, f"{result}")


def chosen(n_calls, chance, every):
    """Which calls fail."""
    if every or n_calls <= FIRST + CHOSEN:
        return range(1, n_calls + 1)
    return [*range(1, FIRST + 1), *sorted(chance.sample(range(FIRST + 1, n_calls + 1), CHOSEN))]


class Failing(Checks):
    """All checks; each method whose name starts with check_ is one."""

    all = False         # fail every call, not only some

    @contextlib.contextmanager
    def places(self):
        """A queue of places, with cores and records."""
        self.require_mpi()
        with contextlib.ExitStack() as stack:
            free = queue.Queue()
            for number in range(N_WORKERS):
                place = Place(self, f"{number}-{time.monotonic_ns()}")
                stack.callback(place.job.end)
                place.cores = core_files.take(place.pids, os.path.join(place.directory, "cores"))
                result = self.run("--save", place.record, *place.pids)
                expect(result.status == 0, f"{result}")
                free.put(place)
            yield free

    def sweep(self, use, kinds=KINDS):
        word = os.environ.get("MQD_SEED", SEED)
        seed = random.randrange(1 << 32) if word == "random" else int(word)
        chance = random.Random(seed)
        with self.places() as free:
            judges = {}
            for _ in range(N_WORKERS):
                place = free.get()
                judges[place] = Judge(use, place)
                free.put(place)
            first = next(iter(judges))
            runs = []
            for kind in kinds:
                n_calls = use.run(first, kind.rstrip("+")).n_calls
                runs += [(kind, n) for n in chosen(n_calls, chance, self.all)]
            with concurrent.futures.ThreadPoolExecutor(N_WORKERS) as pool:
                problems = [problem for problem in pool.map(lambda run: self.one(use, free, judges, *run), runs)
                            if problem]
        print(f"    {len(runs)} runs" + ("" if self.all else f", seed {seed}"), flush=True)
        expect(not problems, f"{len(problems)} of {len(runs)} runs, seed {seed}:\n" + "\n".join(problems[:MAX_SHOWN]))

    @staticmethod
    def one(use, free, judges, kind, n):
        """One run: what is wrong with it, or None."""
        place = free.get()
        try:
            end = use.run(place, kind, n)
            problem = judges[place].problem(kind, end)
            return problem and textwrap.indent(f"{kind} {n}: {problem}\nstatus {end.status}, {end.err.strip()[-600:]}\n"
                                               f"{end.out[:MAX_TEXT]}", "    ")
        except Failed as error:
            return f"    {kind} {n}: {error}"
        finally:
            free.put(place)

    def check_calls_of_a_look_at_processes(self):
        self.sweep(PIDS)

    def check_calls_of_a_look_at_a_job(self):
        self.sweep(JOB)

    def check_calls_of_a_look_at_cores(self):
        self.sweep(CORES)

    def check_calls_of_saving(self):
        self.sweep(SAVE)

    def check_calls_of_showing_a_record(self):
        self.sweep(RECORD)

    def check_calls_of_listing(self):
        self.sweep(LIST)


if __name__ == "__main__":
    sys.exit(run_checks(Failing, __doc__, ("all",)))
