#!/usr/bin/env python3
"""Jobs of which gdb holds ranks, what mqdump says of them, and the commands that gdb has for mqdump.

What is said is what is said of the same job without gdb. The ranks stay as gdb has them, and go on when it lets them.
"""

import contextlib
import dataclasses
import os
import re
import shutil
import subprocess

import cases
import job
import run
import schema
import verdicts
from cases import expect

ALL = verdicts.ALL
COMMANDS = os.path.join(run.TOP, "mqd", "dump", "gdb", "ompi-mqd.py")
RING = verdicts.Case("ring", (verdicts.ring(ALL),))
HELD = ((2,), (1, 2), ALL)
NAMES = ("ring", "ssend", "rendezvous", "tag", "collectives", "missing")
LOOKS, N_MOVED = 100, 2    # at most; so often the rank has to run while it is read
# Of the expression of each command, the words that mqdump is called with.
HANDLES = {"comm communicators[0]": "0x[0-9a-f]+:comm", "request requests[1]": "0x[0-9a-f]+:request",
           "type MPI_INT": "0x[0-9a-f]+:type", "win windows[2]": "0x[0-9a-f]+:win", "comm 0": "0:comm",
           "comm &ompi_mpi_comm_world": "0x[0-9a-f]+:comm"}
NAMED = {"comm 0": "MPI_COMM_WORLD", "type MPI_INT": "MPI_INT", "comm &ompi_mpi_comm_world": "MPI_COMM_WORLD"}
WRONG = {"mqd comm nobody": 'No symbol "nobody"', "mqd comm MPI_COMM_NONE": "MPI_COMM_NONE is neither",
         "mqd win 1.5": "1.5 is no handle, but of type double", "mqd type": "Usage: mqd type EXPRESSION"}


def gdb_command(installation, pid=None):
    """That of the root in which the ranks run, where this one has what is mounted; or this machine's."""
    if not (shutil.which("gdb") if installation is job.HERE else os.path.exists(installation.outside("/usr/bin/gdb"))):
        raise run.Skip("no gdb")
    enter = installation.enter
    if pid is not None and installation is not job.HERE:
        enter = ["nsenter", f"--target={pid}", "--mount", "--root", "--wd"]
    return [*enter, "gdb", "-q", "-nx", "-batch"]


def registers_of(pid):
    """Of each thread what the kernel tells of its registers, and how often it has run."""
    return {thread: (job.said_of(f"{pid}/task/{thread}", "syscall"),
                     re.findall(r"ctxt_switches:\t(\d+)", job.said_of(f"{pid}/task/{thread}", "status")))
            for thread in os.listdir(f"/proc/{pid}/task")}


@contextlib.contextmanager
def held(installation, pids, directory, *commands):
    """gdb for each process, which does these commands first. They end with the context, and let the processes go."""
    debuggers = {}
    with contextlib.ExitStack() as stack:
        for pid in pids:
            ready = os.path.join(directory, f"held-{pid}")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(ready)
            words = [word for command in (*(commands or (f"attach {pid}",)), f"shell touch {ready}", "shell cat")
                     for word in ("-ex", command.format(pid=pid))]
            with open(f"{ready}.log", "wb") as log:
                debugger = stack.enter_context(subprocess.Popen([*gdb_command(installation, pid), *words], stdout=log,
                                                                stderr=subprocess.STDOUT, stdin=subprocess.PIPE))
            debuggers[pid] = debugger
            stack.callback(debugger.stdin.close)
            cases.await_that(lambda ready=ready: os.path.exists(ready), f"gdb held process {pid}")
        yield {pid: debugger.pid for pid, debugger in debuggers.items()}


def told(document):
    return [{key: finding[key] for key in ("kind", "certainty", "ranks", "causes", "sentence")}
            for finding in document["findings"]]


class InGdb:
    """The cases; each method whose name starts with run_ is one."""

    def __init__(self, mqdump, program, scratch):
        self.mqdump = mqdump
        self.jobs = verdicts.Jobs(mqdump, program, scratch)
        self.program = program
        self.scratch = scratch
        for path in (mqdump.path, mqdump.dll, COMMANDS):
            mqdump.installation.show(os.path.dirname(os.path.abspath(path)))

    def document(self, pids, status=0):
        return verdicts.document_of(self.mqdump.run(pids, "--json"), status)

    def check_same(self, name, ranks, before, pids, directory):
        """The verdict with these ranks in gdb, and the ranks."""
        chosen = [pids[rank] for rank in ranks]
        with held(self.mqdump.installation, chosen, directory) as debuggers:
            registers = [registers_of(pid) for pid in chosen]
            document = self.document(pids)
            expect(told(document) == told(before), f"{name}, {ranks} held: {told(document)}, not {told(before)}")
            for rank, pid in zip(ranks, chosen):
                kernel = next(one["kernel"] for one in document["processes"] if one["rank"] == rank)
                expect((kernel["state"], kernel["tracer"]) == ("traced", debuggers[pid]), f"the kernel tells {kernel}")
                expect(f"Rank {rank} is held by gdb (process {debuggers[pid]})." in document["notes"],
                       document["notes"])
            expect(len(document["notes"]) == len(before["notes"]) + len(ranks), f"{document['notes']}")
            expect(registers == [registers_of(pid) for pid in chosen], f"{name}, {ranks}: they are not as gdb had them")
        cases.await_that(lambda: not any(map(job.stopped_or_traced, pids)), "gdb let them go")

    def run_same(self, name):
        case = next(case for case in verdicts.CASES if case.name == name)
        with self.jobs.start(f"same-{name}", case.script, case.ranks, case.transport, case.level) as running:
            pids = list(running.await_ranks(self.program))
            before = self.jobs.await_document(case, pids)
            for ranks in HELD:
                self.check_same(name, ranks, before, pids, running.directory)

    def run_busy(self):
        """A rank that computes is held: that is why others wait, unless all are."""
        busy = verdicts.Finding("waits_for_busy", (0, 1, 3), (2,), verdicts.POSSIBLE, "outside of MPI, in step_endless",
                                False)
        stopped = dataclasses.replace(busy, kind="process_stopped", certainty=verdicts.CERTAIN)
        with self.jobs.start("busy", verdicts.COMPUTING, 4) as running:
            pids = list(running.await_ranks(self.program))
            self.jobs.await_document(verdicts.Case("busy", (busy,)), pids)
            for ranks, finding in (((2,), stopped), (ALL, busy)):
                with held(self.mqdump.installation, [pids[rank] for rank in ranks], running.directory):
                    verdicts.check_document(verdicts.Case("held", (finding,), notes="Rank 2 is held by gdb"),
                                            self.document(pids))

    def run_goes_on(self):
        """From gdb's prompt; what it lets go on comes to the job's end."""
        said = os.path.join(self.scratch, "said")
        with self.jobs.start("goes-on", "0: await_file go; all: barrier world", 4) as running:
            pids = running.await_ranks(self.program)
            look = f"shell {self.mqdump.path} --dll {self.mqdump.dll} --job {running.process.pid} >{said} 2>&1"
            with held(self.mqdump.installation, pids[2:3], running.directory, "attach {pid}", look):
                with open(said, encoding="utf-8") as file:
                    text = file.read()
                expect(re.search(r"Rank 2 is held by gdb \(process \d+\)", text) and "MPI_Barrier from" in text, text)
            running.release()

    def run_thread_runs(self):
        """In gdb's mode non-stop threads run that gdb traces."""
        with self.jobs.parked("runs", verdicts.RING, RING) as (running, pids):
            with held(self.mqdump.installation, pids[2:3], running.directory, "set non-stop on", "attach {pid}",
                      "continue &"):
                result = self.mqdump.run(pids)
                expect(result.returncode == 1 and re.search(
                    rf"process {pids[2]}: it is being traced by process \d+ \(gdb\), and its thread \d+ runs: stop all",
                    result.stderr), f"{result.stdout}{result.stderr}")
                expect("Deadlock" not in result.stdout, result.stdout)

    def run_steps(self):
        """gdb goes on step by step: of each look the rank is shown whole, or not at all, and it says why."""
        runs, moved = "(gdb), and its thread ", "(gdb), which traces it, let it run while it was read"
        n_moved = 0
        with self.jobs.start("steps", verdicts.HEALTHY["stencil"], 4) as running:
            pids = running.await_ranks(self.program)
            commands, ready = (os.path.join(running.directory, name) for name in ("steps", "stepping"))
            with open(commands, "w", encoding="utf-8") as file:
                file.write(f"shell touch {ready}\nwhile 1\nstepi\nend\n")
            command = [*gdb_command(self.mqdump.installation, pids[2]), "-p", str(pids[2]), "-x", commands]
            with cases.ending(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL)):
                cases.await_that(lambda: os.path.exists(ready), "gdb stepped")
                for _ in range(LOOKS):
                    if n_moved == N_MOVED:
                        break
                    result = self.mqdump.run(pids, "--json")
                    document = schema.load(result.stdout)
                    rank = next(one for one in document["processes"] if one["rank"] == 2)
                    n_moved += moved in rank.get("error", "")
                    expect("error" not in rank or runs in rank["error"] or moved in rank["error"], f"{rank}")
                    certain = [finding for finding in document["findings"] if finding["certainty"] == verdicts.CERTAIN
                               and (finding["kind"], finding["causes"]) != ("process_stopped", [2])]
                    expect(not certain, f"of a job that gets on: {certain}")
        expect(n_moved == N_MOVED, f"gdb let it go on in {n_moved} of {LOOKS} looks only")

    # gdb's commands.

    def wrapper(self, directory):
        """A directory with a mqdump that says how it was called, and has the DLL of the test."""
        path = os.path.join(directory, "bin", "mqdump")
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "called: mqdump $*"\nexec {self.mqdump.path} --dll {self.mqdump.dll} "$@"\n')
        os.chmod(path, 0o755)
        return os.path.dirname(path)

    def gdb(self, pid, *arguments, path=None):
        """What gdb says to arguments. It runs where a process does, which it may have nothing to do with."""
        environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]}
        result = subprocess.run([*gdb_command(self.mqdump.installation, pid), *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                encoding="utf-8", errors="replace", env=environment, check=False,
                                timeout=cases.PATIENCE)
        return result.stdout

    def core_of(self, pid, directory):
        """Made by gdb, which names files as the process does."""
        path = os.path.join(directory, f"core.{pid}")
        self.gdb(pid, "-p", str(pid), "-ex", f"gcore {path}")
        return path

    def check_commands(self, where, target, pid, path):
        """Each command, on a process or a core."""
        commands = ["mqd why", "mqd queues", *(f"mqd {words}" for words in HANDLES), *WRONG, "complete mqd ",
                    "complete mqd comm communic", "help mqd", "help mqd win"]
        words = [word for command in commands for word in ("-ex", f"echo \\n@ {command}\\n", "-ex", command)]
        said = self.gdb(pid, self.program, *target, "-x", COMMANDS, *words, path=path)
        parts = dict(part.split("\n", 1) for part in said.split("\n@ ")[1:])
        why, queues = parts["mqd why"], parts["mqd queues"]
        expect(f"called: mqdump {where['why']}" in why and where["says"] in why, why)
        expect(f"called: mqdump --no-why {where['target']}" in queues and "Receives" in queues, queues)
        expect("\nWhy" not in queues, queues)
        for command, handle in HANDLES.items():
            one, called = parts[f"mqd {command}"], f"called: mqdump --handle {handle} {re.escape(where['target'])}\n"
            expect(re.search(called, one), f"{command}: {one}")
            expect(f"{NAMED.get(command, '')} (" in one, f"{command}: {one}")
        for command, problem in WRONG.items():
            expect(problem in parts[command] and "called" not in parts[command], f"{command}: {parts[command]}")
            expect("Python Exception" not in parts[command], parts[command])
        names = ("why", "queues", "comm", "request", "type", "win")
        expect(all(f"mqd {name}" in parts["complete mqd "] for name in names), parts["complete mqd "])
        expect("mqd comm communicators" in parts["complete mqd comm communic"], parts["complete mqd comm communic"])
        expect("mqd why -- Say why" in parts["help mqd"] and "Usage: mqd win" in parts["help mqd win"], said)

    def run_commands(self):
        with self.jobs.parked("commands", verdicts.RING, RING) as (running, pids):
            path = self.wrapper(running.directory)
            pid, core = pids[1], self.core_of(pids[1], running.directory)
            self.check_commands({"why": f"--job {pid}\n", "target": str(pid), "says": "Deadlock"}, ["-p", str(pid)],
                                pid, path)
            self.check_commands({"why": f"--core {core}\n", "target": f"--core {core}", "says": "3 of 4 ranks"},
                                ["-c", core], pid, path)
            others = [word for other in pids if other != pid
                      for word in ("--core", self.core_of(other, running.directory))]
            said = self.gdb(pid, self.program, "-c", core, "-x", COMMANDS, "-ex",
                            f"mqd why {' '.join(others)}", path=path)
            expect("Deadlock" in said, said)

    def run_without(self):
        """Without a program, and without mqdump."""
        said = self.gdb(None, self.program, "-x", COMMANDS, "-ex", "mqd why", "-ex", "mqd comm 0")
        expect(said.count("The program is not being run: run it, attach to it, or open a core.") == 2, said)
        with self.jobs.parked("without", verdicts.RING, RING) as (_, pids):
            said = self.gdb(pids[0], "-p", str(pids[0]), "-ex", "python import os; os.environ['PATH'] = '/nowhere'",
                            "-x", COMMANDS, "-ex", "mqd queues")
            expect("mqdump is not there: neither as /" in said and "nor in PATH" in said, said)

    def run_auto_load(self):
        """As ompi-mqd(7) has it: a link with the name of the program's libmpi."""
        with self.jobs.parked("load", verdicts.RING, RING) as (running, pids):
            mapped = [line.split()[-1] for line in job.said_of(pids[0], "maps").splitlines()
                      if re.search(r"/libmpi(_abi\w*)?\.so", line)]
            directory = os.path.join(running.directory, "auto-load")
            link = f"{directory}/{mapped[0].removeprefix(self.mqdump.installation.outside(''))}-gdb.py"
            os.makedirs(os.path.dirname(link))
            os.symlink(COMMANDS, link)
            said = self.gdb(pids[0], "-iex", f"set auto-load safe-path {directory}", "-iex",
                            f"set auto-load scripts-directory {directory}", "-p", str(pids[0]), "-ex", "mqd queues",
                            path=self.wrapper(running.directory))
            expect(f"called: mqdump --no-why {pids[0]}" in said and "Receives" in said, said)


def labelled(arguments, mqdump, builder, scratch):
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder, ("-g",))
    suite = InGdb(mqdump, program, scratch)
    return [*((f"same, {name}", lambda name=name: suite.run_same(name)) for name in NAMES),
            *((label, function) for label, function in cases.methods(suite, "run_") if label != "same")]


test = run.suite("in_gdb", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
