#!/usr/bin/env python3
"""Threads of OpenMP: what mqdump reads of them is compared with what each thread says of itself before it hangs.

Programs of gcc and of clang, with debug information and stripped, hang in each way that there is: live and as cores,
with waits that sleep and waits that spin, on libgomp and on libomp, with libgomp in the program, and gcc's code on
libomp. One has both, and one has none of them. Others do not hang, and are looked at many times: what is said of their
threads must be possible. On another release they are what that release's own compilers make.
"""

import contextlib
import dataclasses
import functools
import os
import re
import subprocess

import core_files
import job
import run
import verdicts
from cases import await_that, expect

HYBRID, MIXED, POSIX, RUNNING, TYPES = (os.path.join(run.HERE, f"{name}.c")
                                        for name in ("hybrid", "mixed", "posix", "running", "gomp_types"))
KINDS = ("barrier", "implicit", "lock", "nest_lock", "critical", "critical_named", "taskwait", "taskgroup", "depend",
         "nested", "single", "ordered", "sections", "idle", "loop", "pthreads", "ends", "cancel", "mutex",
         "message", "posix")
# How many threads say something, if not 4.
N_THREADS = {"nested": 6, "pthreads": 5, "idle": 4, "posix": 3}
# How many lines they write before nothing changes any more.
N_LINES = {"critical": 4, "critical_named": 4, "single": 5, "taskwait": 6, "taskgroup": 6, "depend": 6, "ordered": 5,
           "sections": 5, "loop": 5, "idle": 5}
ON_LIBOMP = ("-L{libomp}", "-Wl,-rpath,{libomp}", "-lomp")
BARRIERS = ("wait_barrier", "wait_barrier_explicit", "wait_barrier_implicit_workshare",
            "wait_barrier_implicit_parallel")
# Where libomp says how many are awaited too.
COUNTED = ("barrier", "implicit", "single", "sections", "loop", "message")
# What "Where" says that threads wait for, of those kinds whose threads are of one team.
WORDS = {"wait_barrier_explicit": "OpenMP barrier", "wait_barrier_implicit_workshare": "(implicit )?OpenMP barrier",
         "wait_barrier_implicit_parallel": "OpenMP barrier( at the end of the region)?", "wait_lock": "OpenMP lock",
         "wait_critical": "OpenMP critical region", "wait_taskwait": "OpenMP taskwait",
         "wait_taskgroup": "end of an OpenMP taskgroup", "wait_ordered": "OpenMP ordered region",
         "wait_mutex": "mutex", "ended": "ended"}
SEVERAL_TEAMS = ("nested", "pthreads", "posix")
# What it says in other words.
WHOLE_LINES = {
    "message": r"rank 0: MPI_Recv (called )?from [^;]+ in thread 3 of 4; 3 threads: OpenMP barrier( at [^;,]+)?",
    "posix": r'rank 0: outside of MPI, in [^;]+; threads "io-\[0-1\]": mutex( "shared")? at [^;,]+, held by thread "writer";'
             r' thread "writer": outside of MPI, in [^;]+',
    "idle": r"rank 0: outside of MPI, in [^;]+"}
NOT_UNDERSTOOD = "no known layout of libgomp fits what is in its memory"
# Of programs that do not hang.
MOVING = ("loops", "nested", "tasks")
N_LOOKS = 12


@dataclasses.dataclass(frozen=True)
class Form:
    """A program: its compiler, what it is linked with, and whether it is stripped."""
    name: str
    compiler: str
    runtime: str
    options: tuple = ("-g",)
    link: tuple = ("-fopenmp",)     # where {libomp} is, is known to Programs
    stripped: bool = False
    environment: tuple = ()


FORMS = (
    Form("gcc", "gcc", "libgomp"),
    Form("gcc stripped", "gcc", "libgomp", options=(), stripped=True),
    Form("gcc active", "gcc", "libgomp", environment=(("OMP_WAIT_POLICY", "active"),)),
    Form("gcc passive", "gcc", "libgomp", environment=(("OMP_WAIT_POLICY", "passive"),)),
    Form("gcc static", "gcc", "libgomp", link=("-l:libgomp.a",)),
    Form("clang", "clang", "libomp"),
    Form("clang stripped", "clang", "libomp", options=(), stripped=True),
    Form("clang active", "clang", "libomp", environment=(("OMP_WAIT_POLICY", "active"),)),
    Form("clang passive", "clang", "libomp", environment=(("OMP_WAIT_POLICY", "passive"),)),
    Form("gcc on libomp", "gcc", "libomp", link=ON_LIBOMP),
)


@dataclasses.dataclass(frozen=True)
class Truth:
    """What a thread has said of itself."""
    thread: int
    number: int
    size: int
    level: int
    state: str
    object: int
    line: int


def read_truths(path):
    """The last words of each thread."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file]
    found = {}
    for words in lines:
        found[int(words[0])] = Truth(*map(int, words[:4]), words[4], int(words[5]), int(words[6]))
    return list(found.values()), len(lines)


def where_of(text):
    """What is said of where the only rank is, in one line."""
    section = re.search(r"^Where\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    expect(section, f"no Where: {text}")
    return " ".join(section.group(1).split())


def compare_where(form, kind, truths, where):
    """Does the line say of each thread for what it waits?"""
    if kind in WHOLE_LINES:
        expect(re.fullmatch(WHOLE_LINES[kind], where), f"{kind} is at: {where}")
    groups = {}
    for truth in truths:
        if truth.state in WORDS and kind not in SEVERAL_TEAMS:
            groups.setdefault(truth.state, []).append(truth)
    for state, threads in groups.items():
        numbers = sorted(truth.number for truth in threads)
        is_range = len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1
        listed = f"{numbers[0]}-{numbers[-1]}" if is_range else ",".join(map(str, numbers))
        has_place = "-g" in form.options and state == "wait_barrier_explicit"
        place = rf" at hybrid\.c:{threads[0].line}\b" if has_place else ""
        expect(re.search(rf"\b(threads? {listed}( of 4)?|{len(numbers)} threads): {WORDS[state]}{place}", where),
               f"{numbers} are in {state}: {where}")


def is_state(told, read):
    """Is the state read right? Which barrier it is may not be known, nor in a stripped runtime which kind of lock."""
    return told == read or (told in BARRIERS and read == "wait_barrier")


class Comparison:
    """One document's threads against what they say."""

    def __init__(self, form, kind, truths, process):
        self.form, self.kind, self.truths = form, kind, truths
        expect("openmp" in process, f"no runtime: {process}")
        self.openmp = process["openmp"]
        self.rows = {row["thread"]: row for row in self.openmp["threads"] if row["thread"] is not None}

    def compare(self):
        runtimes = self.openmp["runtimes"]
        expect([one["name"] for one in runtimes] == [self.form.runtime] and runtimes[0]["problem"] is None,
               f"runtimes: {runtimes}")
        for truth in self.truths:
            self.compare_thread(truth)
        self.compare_teams()

    def compare_thread(self, truth):
        row = self.rows.get(truth.thread)
        if truth.state == "ended":
            ended = [one for one in self.openmp["threads"] if one["thread"] is None]
            expect([one["number"] for one in ended] == [truth.number] and ended[0]["state"] == "ended" and row is None,
                   f"{truth} has ended: {ended}")
            return
        expect(row is not None, f"no row of {truth}")
        text = f"{truth} is read as {row}"
        if truth.size == 0:
            states = (truth.state,) if truth.state == "wait_mutex" else (None, "work_serial")
            expect(row["team"] is None and row["state"] in states, text)
            self.compare_wait(truth, row, text)
            return
        expect(is_state(truth.state, row["state"]), text)
        if truth.state in ("idle", "work_serial"):
            expect(row["team"] is None, text)
            return
        team = self.openmp["teams"][row["team"]]
        expect((row["number"], team["size"], team["level"]) == (truth.number, truth.size, truth.level),
               f"{text}, {team}")
        self.compare_wait(truth, row, text)

    def compare_wait(self, truth, row, text):
        if truth.object and (self.form.runtime == "libgomp" or truth.state == "wait_mutex"):
            expect(row["object"] is not None and int(row["object"], 16) == truth.object, text)
        tells_holder = ("nest_lock", "mutex", "posix", *(("ordered",) if self.form.runtime == "libgomp" else ()))
        if self.kind in tells_holder and truth.state.startswith("wait_"):
            holder = [one.thread for one in self.truths if one.state in ("work_parallel", "work_serial")]
            expect([row["holder"]] == holder, f"not held by {holder}: {text}")
        if self.kind == "critical_named" and truth.state == "wait_critical" and self.form.runtime == "libgomp" and \
           not self.form.stripped:
            expect(row["object_name"] == "update", text)
        elsewhere = ("wait_taskgroup", "wait_ordered", "wait_barrier_implicit")
        if "-g" in self.form.options and truth.state.startswith("wait_") and not truth.state.startswith(elsewhere):
            expect(row["place"] == f"hybrid.c:{truth.line}", text)

    def compare_teams(self):
        teams = self.openmp["teams"]
        for team in teams:
            expect(team["runtime"] == 0 and (team["parent"] is None) == (team["level"] == 1), f"a team: {team}")
            if "-g" in self.form.options:
                expect(team["place"] is not None and re.fullmatch(r"hybrid\.c:\d+", team["place"]), f"a team: {team}")
        if self.kind == "nested":
            expect(sorted(team["parent_number"] for team in teams if team["level"] == 2) == [0, 1], f"teams: {teams}")
        if self.kind in COUNTED:
            waiting = sum(truth.state in BARRIERS for truth in self.truths)
            expect([team["awaited"] for team in teams] == [4 - waiting], f"{waiting} wait: {teams}")
        if self.kind == "cancel" and self.form.environment:
            expect([team["cancelled"] for team in teams] == [True], f"teams: {teams}")


class Programs:
    """The programs, compiled as they are needed."""

    SOURCE = HYBRID

    def __init__(self, mqdump, builder, arguments, scratch):
        self.mqdump, self.builder, self.arguments, self.scratch = mqdump, builder, arguments, scratch

    @functools.cached_property
    def libomp(self):
        """The directory of libomp, beside that of clang's own files."""
        return os.path.dirname(os.path.dirname(self.builder.run("clang", "-print-resource-dir").strip()))

    def linked(self, options):
        return [option.format(libomp=self.libomp) if "{" in option else option for option in options]

    def compile(self, compiler, source, options, output):
        command = ["env", f"OMPI_CC={compiler}", self.arguments.cc, "-O1", *options, "-c", source, "-o", output]
        subprocess.run([*self.builder.enter, *command], check=True)
        return output

    def make(self, name, compiler, objects, link, stripped=False):
        """Links what `objects` compiles. The first program stays, if several workers make it: a job may run it."""
        program = os.path.join(self.scratch, name)
        if os.path.exists(program):
            return program
        new = f"{program}.{os.getpid()}"
        command = ["env", f"OMPI_CC={compiler}", self.arguments.cc, *objects(new), *self.linked(link), "-pthread", "-o", new]
        subprocess.run([*self.builder.enter, *command], check=True)
        if stripped:
            subprocess.run([*self.builder.enter, "strip", new], check=True)
        with contextlib.suppress(FileExistsError):
            os.link(new, program)
        os.remove(new)
        return program

    def need(self, *compilers):
        for tool in compilers:
            if not self.builder.run(tool, "--version"):
                raise run.Skip(f"no {tool} (Debian: {tool})")
        if "clang" in compilers and not os.path.exists(self.builder.outside(f"{self.libomp}/libomp.so")):
            raise run.Skip("no libomp (Debian: libomp-dev)")

    def build(self, form, source=None):
        """The program's path."""
        source = source or self.SOURCE
        self.need(form.compiler, *(("clang",) if form.runtime == "libomp" else ()))
        name = os.path.splitext(os.path.basename(source))[0]
        return self.make(f"{name}-{form.name.replace(' ', '-')}", form.compiler,
                         lambda new: [self.compile(form.compiler, source, (*form.options, "-fopenmp"), f"{new}.o")],
                         form.link, form.stripped)

    def build_mixed(self):
        self.need("gcc", "clang")
        options = ("-g", "-fopenmp")
        return self.make("mixed", "gcc", lambda new: [
            self.compile("gcc", MIXED, options, f"{new}.outer.o"),
            self.compile("clang", MIXED, (*options, "-DINNER"), f"{new}.inner.o")],
            ("-lgomp", "{libomp}/libomp.so", "-Wl,-rpath,{libomp}", "-ldl"))

    def build_typed(self, options):
        """With debug information of libgomp, which is in the program."""
        self.need("gcc")
        return self.make(f"typed{''.join(options)}", "gcc", lambda new: [
            self.compile("gcc", HYBRID, ("-g", "-fopenmp"), f"{new}.o"),
            self.compile("gcc", TYPES, ("-g", *options), f"{new}.types.o")], ("-fopenmp", "-l:libgomp.a"))

    def build_posix(self):
        return self.make("posix", "gcc", lambda new: [self.compile("gcc", POSIX, ("-g",), f"{new}.o")], ())

    def cores_of(self, running, pids, program):
        """The arguments by which cores are looked at. A program that is shown in another root lies here as itself."""
        options = [] if self.mqdump.installation is job.HERE else ["--exe", program]
        return verdicts.cores(core_files.take(pids, os.path.join(running.directory, "cores")), *options)

    def run_kind(self, form, kind):
        program = self.build(form)
        directory = os.path.join(self.scratch, f"{form.name}-{kind}".replace(" ", "-"))
        told = os.path.join(self.scratch, f"{form.name}-{kind}.told".replace(" ", "-"))
        environment = {"OMP_CANCELLATION": "true", **dict(form.environment)}
        with self.started(directory, [program, kind, told], environment) as (running, pids):
            n_lines = N_LINES.get(kind, N_THREADS.get(kind, 4))
            await_that(lambda: os.path.exists(told) and read_truths(told)[1] >= n_lines, f"{n_lines} lines of {kind}")
            self.await_right(form, kind, told, pids)
            if not form.environment:
                self.compare(form, kind, told, self.mqdump.document(self.cores_of(running, pids, program), "--stacks"))

    @contextlib.contextmanager
    def started(self, directory, command, environment=None):
        with job.Job(directory, command, 1, run.SHM, None, environment or {}, self.mqdump.installation) as running:
            yield running, running.await_ranks(command[0])

    def run_told(self, name, program, n_lines, compare):
        """A program that says all about its threads, live and as a core."""
        told = os.path.join(self.scratch, f"{name}.told")
        with self.started(os.path.join(self.scratch, f"{name}-job"), [program, told]) as (running, pids):
            await_that(lambda: os.path.exists(told) and read_truths(told)[1] >= n_lines, f"{n_lines} lines of {name}")
            await_asleep(pids)
            compare(read_truths(told)[0], self.mqdump.document(pids, "--stacks")["processes"][0], True)
            document = self.mqdump.document(self.cores_of(running, pids, program), "--stacks")
            compare(read_truths(told)[0], document["processes"][0], False)

    def run_mixed(self):
        self.run_told("mixed", self.build_mixed(), 4, compare_mixed)

    def run_posix(self):
        self.run_told("posix", self.build_posix(), 8, compare_posix)

    def run_typed(self, name, options, problem):
        """What debug information says of a type wins over the table: no table fits then if it is another build's."""
        program = self.build_typed(options)
        told = os.path.join(self.scratch, f"{name}.told".replace(" ", "-"))
        with self.started(os.path.join(self.scratch, name.replace(" ", "-")), [program, "barrier", told]) as (_, pids):
            await_that(lambda: os.path.exists(told) and read_truths(told)[1] >= 4, f"4 lines of {name}")
            runtimes = self.mqdump.document(pids, "--stacks")["processes"][0]["openmp"]["runtimes"]
            expect([one["problem"] for one in runtimes] == [problem], f"{runtimes}")

    def run_moving(self, form, kind):
        program = self.build(form, RUNNING)
        directory = os.path.join(self.scratch, f"{form.name}-{kind}-moves".replace(" ", "-"))
        ready = f"{directory}.ready"
        with self.started(directory, [program, kind, ready], dict(form.environment)) as (_, pids):
            await_that(lambda: os.path.exists(ready), f"{kind} runs")
            for _ in range(N_LOOKS):
                check_possible(form, self.mqdump.document(pids, "--stacks")["processes"][0])

    @staticmethod
    def compare(form, kind, told, document):
        truths, _ = read_truths(told)
        Comparison(form, kind, truths, document["processes"][0]).compare()

    def await_right(self, form, kind, told, pids):
        """A thread that has said what it will do may not have come to it yet: the last look decides."""
        for last in (False, False, True):
            try:
                self.compare(form, kind, told, self.mqdump.document(pids, "--stacks"))
                compare_where(form, kind, read_truths(told)[0], where_of(self.mqdump.run(pids).stdout))
                return
            except run.Failure:
                if last:
                    raise


def await_asleep(pids):
    """All of their threads wait for something: they do what they have said."""
    def asleep():
        return all(job.state_of(thread) == "S" for pid in pids for thread in os.listdir(f"/proc/{pid}/task"))
    await_that(asleep, f"all threads of {pids} sleep")


def compare_mixed(truths, process, _):
    openmp = process["openmp"]
    expect([(one["name"], one["problem"]) for one in openmp["runtimes"]] in
           ([("libgomp", None), ("libomp", None)], [("libomp", None), ("libgomp", None)]), f"{openmp['runtimes']}")
    rows = {row["thread"]: row for row in openmp["threads"]}
    for truth in truths:
        row = rows[truth.thread]
        team = openmp["teams"][row["team"]]
        name = openmp["runtimes"][team["runtime"]]["name"]
        expect(is_state(truth.state, row["state"]) and
               (row["number"], team["size"], team["level"]) == (truth.number, truth.size, truth.level) and
               row["runtime"] == team["runtime"] and name == ("libgomp" if truth.size == 2 else "libomp") and
               team["awaited"] == 1, f"{truth} is read as {row}, {team}")
        outer = [position for position, one in enumerate(openmp["teams"]) if one["size"] == 2]
        expect([team["parent"], team["parent_number"]] == ([None, None] if truth.size == 2 else [*outer, 1]),
               f"{openmp['teams']}")


def compare_posix(truths, process, is_live):
    openmp = process["openmp"]
    expect(openmp["runtimes"] == [] and openmp["teams"] == [], f"{openmp}")
    rows = {row["thread"]: row for row in openmp["threads"]}
    names = {truth.object: rows[truth.thread]["object_name"] for truth in truths if truth.object}
    holders = {names[truth.object]: rows[truth.thread]["holder"] for truth in truths if truth.object}
    for truth in truths:
        row, text = rows[truth.thread], f"{truth} is read as {rows[truth.thread]}"
        expect(row["state"] == (None if truth.state == "none" else truth.state), text)
        expect(int(row["object"] or "0", 16) == truth.object and row["team"] is None, text)
        expect(truth.state == "none" or row["place"] == f"posix.c:{truth.line}", text)
    expect(sorted(names.values()) == ["again", "cells", "faces", "inherits", "ready", "robust"], f"{names}")
    waits = {names[truth.object]: truth.thread for truth in truths if truth.object}
    main = [truth.thread for truth in truths if truth.thread == process["pid"]]
    expect(holders == {"again": waits["again"], "cells": waits["faces"], "faces": waits["cells"], "ready": None,
                       "inherits": main[0], "robust": main[0]}, f"{holders} hold")
    expect(not is_live or rows[waits["cells"]]["name"] == "halo", f"{rows[waits['cells']]}")


def check_possible(form, process):
    """No thread is said to wait that may not, of a program that does not hang."""
    openmp = process["openmp"]
    expect([(one["name"], one["problem"]) for one in openmp["runtimes"]] == [(form.runtime, None)],
           f"{openmp['runtimes']}")
    for position, team in enumerate(openmp["teams"]):
        members = [row for row in openmp["threads"] if row["team"] == position]
        waiting = [row for row in members if row["state"] in BARRIERS]
        text = f"{team}, {members}"
        expect(len(members) <= team["size"] and len({row["number"] for row in members}) == len(members), text)
        expect(len(waiting) < team["size"], f"all wait: {text}")
        expect(team["awaited"] is None or len(waiting) <= team["size"] - team["awaited"],
               f"more wait than have come: {text}")
        expect(not any(row["state"] == "ended" for row in members), text)


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with what they need compiled on another installation."""
    programs = Programs(mqdump, builder, arguments, scratch)
    # These are of the libgomp of one release.
    typed = [("types", lambda: programs.run_typed("types", (), None)),
             ("types of another build", lambda: programs.run_typed("other types", ("-DANOTHER",), NOT_UNDERSTOOD))]
    return [*((f"{form.name}, {kind}", lambda form=form, kind=kind: programs.run_kind(form, kind))
              for form in FORMS for kind in KINDS),
            *((f"{form.name}, moving {kind}", lambda form=form, kind=kind: programs.run_moving(form, kind))
              for form in FORMS if not form.stripped for kind in MOVING),
            *(typed if builder is job.HERE else []),
            ("two runtimes", programs.run_mixed), ("no runtime", programs.run_posix)]


test = run.suite("openmp", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
