#!/usr/bin/env python3
"""mqdump on real processes that it cannot show, and in real trouble.

Every check looks at three things: what mqdump says, its exit status, and that the processes it was pointed at go on as
if nothing had happened. Checks that need a compiler, Open MPI or root say so and are skipped without them.
"""

import argparse
import contextlib
import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from unittest import mock

import cases
import job
import schema
from cases import Failure as Failed, Skip as Skipped, await_that as wait_until, expect
from job import status_of

OTHER_USER = 65533               # neither root nor anybody who has files
SYS_CLONE3 = 435                 # on all machines
CUT = 0.95                       # of the calls of one run: another run may make a few less
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

COUNTER = """
import os, signal, sys, threading, time
signal.signal(signal.SIGUSR1, lambda number, frame: open(sys.argv[1], "a").write("x"))
for i in range(3):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
open(sys.argv[1], "a").close()
while True:
    time.sleep(0.01)
"""

# Options, and what is said of them, beside where there is help.
WRONG_OPTIONS = (
    (("--job", "1", "2"), "either --job or the pids"), (("--list", "--job", "1"), "--list shows all jobs"),
    *(((*more, option), reason) for option in ("--list", "--no-stop", "--no-why", "--layout") for more, reason in (
        (("--svg", "picture"), "--html, --dot and --svg show why ranks wait"),
        (("--stacks",), "--stacks shows where ranks are"))),
    *((options, "only one thing can be written to standard output") for options in (
        ("--dot", "-", "--json", 1), ("--dot", "-", "--svg", "-", 1), ("--save", "-", "--json", 1))),
    (("--color=pink", 1), "--color is auto, always or never, not 'pink'"), (("--jason", 1), "jason"),
    (("--merge",), "--merge writes several records as one"),
    (("--handle", "17", 1), "'17' is no handle: an address in C is 0x55d0c0ffee, an INTEGER of Fortran 17 with"),
    (("--handle", "17:com", 1), "'com' is no kind of handle: they are comm, type, group"),
    (("--requests", "0x10,5000", 1), "the number of its entries, from 1 to 4096"),
    *((("--handle=a", option), "--handle, --requests, --communicators, --windows and --files take the place")
      for option in ("--layout", "--stacks")),
    (("--files", "--list"), "--list shows all jobs"), (("--windows", "--watch", 1), "--watch shows findings"),
    (("--communicators", "--merge", os.devnull), "--merge takes all that the records have"),
    ((*(f"--handle={i}:comm" for i in range(65)), 1), "no more than 64 handles are asked for at once"),
)


def tracer_of(pid):
    return int(status_of(pid).get("TracerPid", "0"))


def children_of(pid):
    return list(map(int, job.said_of(pid, f"task/{pid}/children").split()))


def reader_of(mqdump):
    """The process of mqdump's own that reads; -1: it is not there yet, or not any more."""
    return (children_of(mqdump.pid) + [-1])[0]


def holder_of(mqdump):
    """The process of mqdump's own that holds others; -1 as above."""
    return (children_of(reader_of(mqdump)) + [-1])[0]


def start_with_number(pid, *command):
    """Runs a command as a child that has this number, which nobody must have; start times differ by then."""
    time.sleep(0.05)
    number = ctypes.c_int(pid)
    # Of struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, its size.
    arguments = (ctypes.c_uint64 * 10)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(number), 1)
    child = ctypes.PyDLL(None, use_errno=True).syscall(SYS_CLONE3, arguments, ctypes.sizeof(arguments))
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    if child < 0:
        raise Skipped(f"the number of a process cannot be chosen: {os.strerror(ctypes.get_errno())}")
    wait_until(lambda: status_of(child).get("Name", "") == command[0][:15], "start of another process")
    return child


def thread_states(pid):
    return [status_of(f"{pid}/task/{thread}").get("State", "?")[0] for thread in os.listdir(f"/proc/{pid}/task")]


class Result:
    """What a run of mqdump answered."""

    def __init__(self, arguments, status, out, err):
        self.arguments, self.status, self.out, self.err = arguments, status, out, err

    def __str__(self):
        return f"mqdump {' '.join(self.arguments)}: status {self.status}\n  out: {self.out}\n  err: {self.err}"

    def says(self, status, *patterns):
        """Checks the exit status and that each pattern is in the messages."""
        expect(self.status == status, f"status {status} expected\n{self}")
        for pattern in patterns:
            expect(re.search(pattern, self.err), f"no '{pattern}' in the messages\n{self}")


class Steps:
    """
    A run of mqdump that waits before system calls of its processes, by fail_call.c: `mqdump` is its process id, and
    `caller` that of the process of mqdump's whose call waits, None if there is none.
    """

    def __init__(self, process, watching, report):
        self.process, self.watching, self.report = process, watching, report
        self.mqdump = self.caller = None
        self._await_call()

    def _await_call(self):
        line = b""
        while not line.endswith(b"\n") and (piece := self.watching.recv(64)):
            line += piece
        self.mqdump, self.caller = map(int, line.split()) if line else (self.mqdump, None)

    def go_on(self, until=None):
        """Makes the call and all that follow, or those before one at which the condition is true."""
        while self.caller is not None and not (until and until()):
            self.watching.send(b"n" if until else b"g")
            if until:
                self._await_call()
            else:
                self.caller = None
        return self.caller is not None

    def own_processes(self):
        """The processes of a mqdump's own: itself, its collectors, and their holders."""
        collectors = children_of(self.mqdump)
        return [self.mqdump], collectors, [holder for collector in collectors for holder in children_of(collector)]


class Checks:
    """All checks; each method whose name starts with check_ is one."""

    thorough = False        # more of what is done again and again
    mpicc = "mpicc"

    def __init__(self, mqdump, dll, directory):
        self.mqdump, self.dll, self.directory = mqdump, dll, directory
        self.paths = {}     # of what was compiled, by name

    def labelled(self):
        return cases.methods(self, "check_")

    def end(self):
        """Ends what lasts longer than one check."""

    # What the checks need.

    def path(self, name):
        return os.path.join(self.directory, name)

    @property
    def gate(self):
        """The file for which the library for tests waits where it waits. It is away when mqdump starts."""
        return self.path("gate")

    def start(self, *arguments, dll=None, fake=None, environment=None, before=(), **more):
        environment = {**os.environ, **(environment or {})}
        environment.pop("MQD_FAKE_DLL", None)
        if fake is not None:
            dll = self.fake()
            environment.update(MQD_FAKE_DLL=fake, MQD_FAKE_GATE=self.gate)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.gate)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environment, **more}
        library = () if dll is False else ("--dll", dll or self.dll)
        return subprocess.Popen([*before, self.mqdump, *library, *map(str, arguments)], **options)

    def open_gate(self):
        with open(self.gate, "wb"):
            pass

    def finish(self, process, arguments=()):
        try:
            out, err = process.communicate(timeout=cases.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed(f"mqdump did not end within {cases.PATIENCE} s") from None
        decode = lambda data: (data or b"").decode("utf-8", "replace")
        return Result(list(map(str, arguments)), process.returncode, decode(out), decode(err))

    def run(self, *arguments, **more):
        return self.finish(self.start(*arguments, **more), arguments)

    @contextlib.contextmanager
    def steps(self, kind, first, *arguments, environment=None, pass_fds=(), **more):
        """
        A run that waits before the first-th call of a kind, which all processes of mqdump make together. Afterwards it
        goes on.
        """
        watching, other = socket.socketpair()
        with watching, other:
            process = self.start(*arguments, before=self.fail_call(kind, first), pass_fds=[*pass_fds, other.fileno()],
                                 environment={**(environment or {}), "MQD_TEST_WATCHER": str(other.fileno())}, **more)
            try:
                other.close()
                yield Steps(process, watching, self.path("report"))
            finally:
                watching.close()
                process.wait()

    def fail_call(self, kind, first):
        return [self.helper("fail_call"), kind, str(first), self.directory, self.helper("fail_memory")]

    def finish_steps(self, steps):
        """What the run has answered. No process of it is left."""
        steps.go_on()
        result = self.finish(steps.process)
        result.status, n_left = self.reported()[1:]
        expect(n_left == 0, f"{n_left} processes of mqdump are left\n{result}")
        return result

    def reported(self):
        """Of the last run: the number of calls, the status, and the number of processes that were left."""
        with open(self.path("report"), encoding="ascii") as file:
            n_calls, status, n_left = file.read().split()
        expect(status != "hung", "mqdump did not end")
        return int(n_calls), int(status), int(n_left)

    def moments(self, n, kind, *arguments, **more):
        """So many calls of a run that is not disturbed, spread over all that it makes."""
        self.finish(self.start(*arguments, before=self.fail_call(kind, 0), **more))
        n_calls = self.reported()[0]
        expect(n_calls > n, f"there are only {n_calls} calls")
        return [1 + int(i * CUT * n_calls / n) for i in range(n)]

    def built(self, name, *arguments):
        """The path of a program or library, which is compiled on first use."""
        if name not in self.paths:
            compiler = os.environ.get("CC", "cc").split()
            if shutil.which(compiler[0]) is None:
                raise Skipped("no C compiler")
            subprocess.run([*compiler, *arguments, "-o", self.path(name)], check=True)
            self.paths[name] = self.path(name)
        return self.paths[name]

    def helper(self, name):
        """The program fail_call, or a library to be preloaded."""
        source = os.path.join(HERE, f"{name}.c")
        if name == "fail_call":
            return self.built(name, "-std=c11", "-O1", source)
        return self.built(f"{name}.so", "-std=c11", "-O1", "-fPIC", "-shared", source)

    def fake(self):
        """The library for tests."""
        return self.built("fake.so", "-D_GNU_SOURCE", "-fPIC", "-shared", "-I", ROOT,
                          os.path.join(ROOT, "tests", "unit", "test_dump_fake_dll.c"))

    def awkward(self, *arguments):
        """The command of a program that is awkward to hold."""
        return [self.built("holding", os.path.join(HERE, "holding.c"), "-lpthread"), *map(str, arguments)]

    def mpi_program(self, name):
        """The path of an MPI program of this directory, which is compiled on first use."""
        self.require_mpi()
        if name not in self.paths:
            job.compile_program(self.mpicc, [os.path.join(HERE, f"{name}.c")], self.path(name))
            self.paths[name] = self.path(name)
        return self.paths[name]

    @contextlib.contextmanager
    def victim(self):
        """A process with five threads that is to be killed."""
        with cases.ending(subprocess.Popen(self.awkward("threads", 4), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)) as process:
            wait_until(lambda: len(thread_states(process.pid)) == 5, "start of the victim")
            yield process

    @contextlib.contextmanager
    def target(self, *command, environment=None):
        """A process to point mqdump at: it must be alive and untraced when the check is over."""
        with cases.ending(subprocess.Popen(command or ["sleep", "1000"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL,
                                           env={**os.environ, **(environment or {})})) as process:
            program = os.path.basename(command[0] if command else "sleep")
            wait_until(lambda: status_of(process.pid).get("Name", "")[:6] == program[:6], "start of the target")
            yield process
            expect(process.poll() is None, "the target died")
            self.goes_on(process.pid)

    @contextlib.contextmanager
    def counter(self):
        """A process with four threads that writes a character for each SIGUSR1."""
        file = self.path("signals")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)
        with self.target(sys.executable, "-c", COUNTER, file) as process:
            wait_until(lambda: os.path.exists(file), "start of the counting process")
            process.file = file
            yield process

    @contextlib.contextmanager
    def mpi(self, phase, *options):
        """
        One rank that waits before MPI_Init, between MPI_Init and MPI_Finalize (there also as the rank of an unknown,
        other build), or finished, after it.
        """
        way = {"before": "claim", "between": "map"}.get(phase, phase)
        launcher = subprocess.Popen([*self.mpi_command(), *options, "-n", "1", self.mpi_program("attack"), way],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            expect(launcher.stdout.readline() == b"ready\n", "start of the MPI program: it has ended")
            rank = children_of(launcher.pid)[0]
            yield launcher.pid, rank
            self.goes_on(rank)
        finally:
            launcher.terminate()
            try:
                launcher.wait(timeout=20)
            except subprocess.TimeoutExpired:
                launcher.kill()
                launcher.wait()

    def require_mpi(self):
        if problem := job.mpirun_problem() or (not shutil.which(self.mpicc) and f"no {self.mpicc}"):
            raise Skipped(problem)

    @staticmethod
    def mpi_command():
        """What stands before the options of a job."""
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [job.HERE.mpirun, *root, "--oversubscribe"]

    @staticmethod
    def goes_on(pid):
        wait_until(lambda: tracer_of(pid) == 0, f"end of tracing of process {pid}")
        wait_until(lambda: not set(thread_states(pid)) & set("tTZX"), f"process {pid} goes on")

    def held(self, mqdump, pid):
        wait_until(lambda: tracer_of(pid) == holder_of(mqdump) and set(thread_states(pid)) == {"t"},
                   "all threads stopped")

    # The command line.

    def check_options_that_cannot_be(self):
        for arguments, reason in WRONG_OPTIONS:
            self.run(*arguments).says(2, reason, "--help")

    def check_pid_that_is_no_number(self):
        for word in ("./program", "12a", "-1", "0", "99999999999999999999", ""):
            self.run("--", word).says(2, re.escape(f"'{word}' is no pid"))

    def check_records_that_are_none(self):
        header = ('{"line":"header","record":"ompi-mqd","format":%d,"mqdump":"9.1",'
                  '"taken":"2024-05-31T17:08:59.123456Z","queues":true}\n')
        for name, text, problem in (("empty", "", "line 1: it is no record"),
                                    ("text", "hello\n", "line 1: it is no record"),
                                    ("newer", header % 4, r"line 1: its format is 4, of mqdump 9\.1"),
                                    ("cut", header % 1, "line 2: the end is missing")):
            path = os.path.join(self.directory, f"record {name}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.run(path).says(1, f"record {name}: {problem}")
        self.run(self.directory).says(1, "cannot be read: Is a directory")
        self.run("--merge", path).says(1, f"record {name}: {problem}")
        for more, reason in (((path, 1), "either records or processes"),
                             ((path, "--save", "other"), "--save writes what is seen of processes"),
                             *((("--merge", *some), "--merge|either records") for some in (
                                 ("--json", path), (1, path), ("--job", "1", path), ("--core", path)))):
            self.run(*more).says(2, reason, "--help")

    def check_help_and_version(self):
        for option, text in (("--help", "Usage: mqdump"), ("--version", "mqdump ")):
            result = self.run(option)
            expect(result.status == 0 and text in result.out and not result.err, f"{option}\n{result}")

    def check_help_and_version_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            raise Skipped("no /dev/full")
        for option in ("--help", "--version"):
            with open("/dev/full", "wb") as full:
                self.run(option, stdout=full).says(1, "cannot write: ")
            self.finish(subprocess.Popen(["sh", "-c", 'exec "$0" "$1" >&-', self.mqdump, option],
                                         stderr=subprocess.PIPE), [option]).says(1, "cannot write: ")

    # The process.

    def check_pid_that_does_not_exist(self):
        process = subprocess.Popen(["true"])
        process.wait()
        self.run(process.pid).says(1, f"process {process.pid}: there is no such process")

    def check_thread_id(self):
        with self.counter() as target:
            thread = next(int(t) for t in os.listdir(f"/proc/{target.pid}/task") if int(t) != target.pid)
            self.run(thread).says(1, f"process {thread}: it is a thread of process {target.pid} ")

    def check_zombie(self):
        with subprocess.Popen(["true"]) as process:
            wait_until(lambda: status_of(process.pid).get("State", "")[:1] == "Z", "end of the process")
            self.run(process.pid).says(1, f"process {process.pid}: .*has ended", f"parent {os.getpid()}")

    def check_itself(self):
        result = self.finish(subprocess.Popen(["sh", "-c", 'exec "$0" --dll "$1" $$', self.mqdump, self.dll],
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        result.says(1, "it is mqdump itself")

    def check_other_mqdump(self):
        """What it holds is waited for, since it lets go soon."""
        with self.target() as target:
            other = self.start(target.pid, fake="late")
            self.held(other, target.pid)
            waiting = self.start(target.pid, fake="words")
            wait_until(lambda: holder_of(waiting) != -1, "a second holder")
            self.open_gate()
            for mqdump in (other, waiting):
                result = self.finish(mqdump)
                expect("MPI_COMM_WORLD" in result.out and "traced" not in result.err, f"both look\n{result}")

    def check_process_of_another_user(self):
        if os.geteuid() != 0:
            raise Skipped("only root can be another user")
        nobody = 65534
        os.chmod(self.directory, 0o755)
        # The directories above mqdump may be root's alone.
        with self.target() as target, mock.patch.object(self, "mqdump", shutil.copy(self.mqdump, self.path("mqdump"))):
            result = self.run(target.pid, fake="", user=nobody, extra_groups=[])
            result.says(1, f"process {target.pid}: it belongs to the user root: run mqdump as that user or as root")

    def check_no_mpi_program(self):
        with self.target() as target:
            self.run(target.pid).says(1, f"process {target.pid}: .*/sleep", "pids of ranks")

    def check_refusal_with_a_text(self):
        with self.target() as target:
            result = self.run(target.pid, fake="image_text")
            result.says(1, r"100% sure that /\S*/sleep has none %s")

    def check_kernel_thread(self):
        if "kthreadd" not in status_of(2).get("Name", ""):
            raise Skipped("no kernel threads in sight")
        self.run(2).says(1, "process 2: ")

    def check_before_init(self):
        with self.mpi("before") as (_, rank):
            self.run(rank).says(1, f"process {rank}: .*not initiali[sz]ed")

    def check_after_finalize(self):
        with self.mpi("finished") as (_, rank):
            self.run(rank).says(1, f"process {rank}: .*finali[sz]ed")

    # What a listing rests on.

    def check_layout(self):
        with self.mpi("between") as (_, rank):
            result = self.run("--layout", rank)
            expect(result.status == 0 and not result.err, f"all is well\n{result}")
            for pattern in (rf"^Rank 0, process {rank}: .*/attack$", r"^Open MPI \d+\.\d.*, layout \d.*\(",
                            r"^  Table +\d", r"^  Classes +\d+ of", r"^  Probes +MPI_COMM_NULL passed;",
                            r"^  Off +nothing$", r"^    ompi_communicator_t +\d+  ", r"^      c_my_rank +\d+ +4  i32 "):
                expect(re.search(pattern, result.out, re.MULTILINE), f"no '{pattern}'\n{result}")
            for line in result.out.splitlines():
                expect(len(line) <= 80, f"{len(line)} columns: {line}")
            expect("MPI_COMM_WORLD (id" not in result.out, f"no queues\n{result}")

    def check_layout_as_json(self):
        with self.mpi("between") as (_, rank):
            plain, full = (schema.load(self.run("--json", *options, rank).out)["processes"][0]
                           for options in ((), ("--layout",)))
        expect(set(plain["layout"]) <= {"family", "variant", "source", "rejected"}, f"few keys: {plain['layout']}")
        expect(plain["layout"].items() <= full["layout"].items(), f"a superset: {full['layout']}")
        expect(plain["communicators"] == full["communicators"], "the same queues")
        types = {t["name"]: t for t in full["layout"]["types"]}
        fields = {f["member"]: f for f in types["ompi_communicator_t"]["fields"]}
        expect(fields["c_my_rank"]["kind"] == "i32" and fields["c_my_rank"]["size"] == 4, f"c_my_rank: {fields}")
        expect(types["ompi_group_t"]["class_size"] == types["ompi_group_t"]["size"], f"sizes: {types['ompi_group_t']}")
        expect(all(c["on"] for c in full["layout"]["capabilities"]), f"all on: {full['layout']['capabilities']}")
        expect({p["result"] for p in full["layout"]["probes"]} == {"passed"}, f"passed: {full['layout']['probes']}")

    def check_layout_before_init(self):
        with self.mpi("before") as (_, rank):
            result = self.run("--layout", rank)
            expect(result.status == 0 and not result.err, f"the layout is known already\n{result}")
            for pattern in (r"^  Table +\d", r"^  Probes +MPI_COMM_NULL not reached;", r"^  Off +communicators, .*",
                            r"MPI is not\s+initialised yet", r"^    ompi_communicator_t +\d+  "):
                expect(re.search(pattern, result.out, re.MULTILINE), f"no '{pattern}'\n{result}")

    def check_layout_without_extension(self):
        with self.target() as target:
            for options in (["--layout"], ["--layout", "--json"]):
                self.run(*options, target.pid, fake="words").says(1, "--layout needs .* of ompi-mqd")

    def check_build_that_no_table_fits(self):
        with self.mpi("other") as (_, rank):
            refusal = (rf"process {rank}: No message queues: no layout table fits .*\(Open MPI \d+\.\d.*, "
                       r"ompi_communicator_t has \d+ bytes, .*ompi_group_t has 4321 bytes and not \d+ as in the "
                       r"nearest table, \d.*; .*mqdgen extract --prefix PREFIX -o TABLE .*"
                       r"\./configure --with-openmpi-layout=TABLE$")
            result = self.run(rank)
            result.says(1, refusal)
            expect(result.out == "", f"nothing is shown\n{result}")
            result = self.run("--json", "--layout", rank)
            result.says(1, refusal)
            process = schema.load(result.out)["processes"][0]
            expect(f"process {rank}: {process['error']}" in result.err, f"one text for both\n{result}")
            expect(process["layout"]["source"] is None and process["layout"]["classes"]["agreeing"] + 1 ==
                   process["layout"]["classes"]["read"], f"what was found: {process['layout']}")
            result = self.run("--layout", rank)
            result.says(1, refusal)
            for pattern in (r"^Open MPI \d.*, layout \(not known\)$", r"^  Table +none fits; the nearest one, ",
                            r"^    ompi_group_t +-  absent +4321 +- +\d+$"):
                expect(re.search(pattern, result.out, re.MULTILINE), f"no '{pattern}'\n{result}")

    def check_another_pml(self):
        try:
            with self.mpi("between", "--mca", "pml", "cm", "--mca", "mtl", "ofi") as (_, rank):
                result = self.run("--json", rank)
                limits = (r"Open MPI \d.*: unexpected messages are not shown, since this process uses the PML cm, which "
                          r"leaves messages that have arrived with the network's library: run with --mca pml ob1")
                result.says(1, f"process {rank}: {limits}")
                process = schema.load(result.out)["processes"][0]
                expect(re.match(limits, process["error"]), f"the same in the document\n{result}")
                expect(process["communicators"][0]["size"] == 1, f"communicators are shown\n{result}")
                result = self.run("--layout", rank)
                expect(result.status == 0, f"the layout is known\n{result}")
                expect(re.search(r"^  Off +unexpected messages: this\s+process\s+uses\s+the\s+PML\s+cm,", result.out,
                                 re.MULTILINE), f"what is off\n{result}")
        except Failed as failure:
            if str(failure).startswith("start of the MPI program"):
                raise Skipped("no PML but ob1 starts here") from None
            raise

    def check_launcher(self):
        with self.mpi("between") as (launcher, _):
            self.run(launcher).says(1, f"process {launcher}: .*pids of ranks")

    def check_same_pid_twice(self):
        with self.target() as target:
            result = self.run("--json", target.pid, target.pid, fake="words")
            expect([p["pid"] for p in schema.load(result.out)["processes"]] == [target.pid], f"one process\n{result}")

    def check_one_bad_pid_among_good_ones(self):
        with self.target() as first, self.target() as second:
            result = self.run("--json", first.pid, 999999999, second.pid, fake="words")
            result.says(1, "process 999999999: there is no such process")
            processes = schema.load(result.out)["processes"]
            lists = [p["communicators"] for p in processes]
            expect([p["pid"] for p in processes] == [first.pid, 999999999, second.pid], f"all three\n{result}")
            expect(lists[0] and lists[0] == lists[2] and lists[1] is None, f"the good ones are shown\n{result}")
            expect("error" in processes[1] and "error" not in processes[0], f"the error is where it happened\n{result}")

    def check_order_of_ranks(self):
        """Tables are in the order of ranks, JSON in that of the command line."""
        with self.target(environment={"OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "1"}) as one, \
             self.target(environment={"OMPI_COMM_WORLD_RANK": "0", "PMIX_RANK": "0"}) as zero:
            for pids in ((one.pid, zero.pid), (zero.pid, one.pid)):
                result = self.run(*pids, fake="words")
                headers = re.findall(r"^Rank (\d+), process (\d+):", result.out, re.MULTILINE)
                expect(headers == [("0", str(zero.pid)), ("1", str(one.pid))], f"rank 0 first\n{result}")
                result = self.run("--json", *pids, fake="words")
                expect([p["pid"] for p in schema.load(result.out)["processes"]] == list(pids), f"as asked\n{result}")

    def check_process_whose_main_thread_has_ended(self):
        program, *arguments = self.awkward("threads", 3, "main ends")
        with cases.ending(subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                           env={**os.environ, "PMIX_RANK": "5"})) as target:
            wait_until(lambda: status_of(target.pid).get("State", "")[:1] == "Z", "end of the main thread")
            result = self.run(target.pid, fake="words")
            expect(f"Rank 5, process {target.pid}: {program}" in result.out, f"shown all the same\n{result}")
            wait_until(lambda: sorted(thread_states(target.pid)) == list("SSSZ"), "threads that go on")

    def check_program_that_was_deleted(self):
        program = self.path("sleep copy")
        shutil.copy(shutil.which("sleep"), program)
        with self.target(program, "1000") as target:
            os.unlink(program)
            result = self.run(target.pid, fake="words")
            expect("MPI_COMM_WORLD" in result.out and program in result.out, f"shown all the same\n{result}")

    # The library.

    def check_library_that_does_not_exist(self):
        self.run(1, dll="/nonexistent/library.so").says(1, "cannot load the debugging library: /nonexistent/library.so")

    def check_file_that_is_no_library(self):
        self.run(1, dll=os.path.abspath(__file__)).says(1, "cannot load the debugging library: .*mqdump_errors.py")

    def check_library_that_is_no_regular_file(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        for path in (fifo, self.directory, "/dev/null"):
            self.run(1, dll=path).says(1, re.escape(f"{path} is no regular file"))

    def check_library_that_others_can_change(self):
        """A copy, made untrustworthy in one way at a time; the same copy is loaded where nothing speaks against it."""
        directory = self.path("trust")
        inner = os.path.join(directory, "inner")
        library = os.path.join(inner, "library.so")
        os.makedirs(inner)
        shutil.copy(self.dll, library)
        self.run(os.getpid(), dll=library).says(1, "the debugging library finds no message queues")
        # In a directory like /tmp each may have his own directory; the library's own must not be like it.
        for path, mode, good in ((library, 0o666, False), (inner, 0o777, False), (inner, 0o1777, False),
                                 (directory, 0o777, False), (directory, 0o1777, True)):
            before = os.stat(path).st_mode & 0o7777
            os.chmod(path, mode)
            text = "finds no message queues" if good else f"everybody can write to {re.escape(path)} "
            self.run(os.getpid(), dll=library).says(1, text)
            os.chmod(path, before)
        link = os.path.join(self.directory, "link.so")
        os.symlink(library, link)
        os.chmod(library, 0o777)
        self.run(os.getpid(), dll=link).says(1, f"everybody can write to {re.escape(library)} ")

    def check_library_of_another_user(self):
        if os.geteuid() != 0:
            raise Skipped("only root can give files to others")
        directory = self.path("theirs")
        library = os.path.join(directory, "library.so")
        os.makedirs(directory)
        shutil.copy(self.dll, library)
        for path in (library, directory):
            os.chown(path, OTHER_USER, -1)
            self.run(os.getpid(), dll=library).says(1, f"{re.escape(path)} belongs to the user {OTHER_USER}")
            os.chown(path, 0, -1)
        self.run(os.getpid(), dll=library).says(1, "finds no message queues")

    def check_library_without_entry_points(self):
        with open("/proc/self/maps", encoding="utf-8") as maps:
            library = next((line.split()[-1] for line in maps if re.search(r"/libc[.-]", line)), None)
        if library is None:
            raise Skipped("the C library was not found")
        self.run(1, dll=library).says(1, re.escape(library), "does not define mqs_setup_basic.*mqs_next_operation")

    def check_library_of_another_version(self):
        self.run(1, fake="version").says(1, "version 1 of the debugging interface, mqdump has version 2")

    def check_library_of_another_width(self):
        self.run(1, fake="width").says(1, "addresses of 4 bytes")

    def check_library_in_the_current_directory(self):
        with self.target() as target:
            directory, name = os.path.split(self.fake())
            result = self.run(target.pid, dll=name, cwd=directory)
            expect("MPI_COMM_WORLD" in result.out, f"found there\n{result}")
            self.run(target.pid, dll=name, cwd="/").says(1, "cannot load the debugging library")

    def check_internal_without_extension(self):
        with self.target() as target:
            self.run("--internal", target.pid, fake="words").says(1, "--internal needs .* of ompi-mqd")

    def check_library_that_is_not_ready(self):
        with self.target() as target:
            self.run(target.pid, fake="unready").says(1, f"process {target.pid}: MPI is not initialised yet")

    def check_errors_inside_a_listing(self):
        with self.target() as target:
            result = self.run("--json", target.pid, fake="broken")
            result.says(1, "not everything could be shown")
            world = schema.load(result.out)["processes"][0]["communicators"][0]
            expect(world["group"] is None and world["pending_sends"] == [] and world["unexpected_messages"] is None and
                   len(world["pending_receives"]) == 1, f"what is known\n{result}")
            expect(set(world["errors"]) == {"group", "pending_receives", "unexpected_messages"}, f"errors\n{result}")

    def check_server_of_debug_information_that_does_not_answer(self):
        """It is asked once, and not again for the same file or for others."""
        first, second = self.path("mca_sleep"), self.path("mca_tail")
        shutil.copy(shutil.which("sleep"), first)
        shutil.copy(shutil.which("tail"), second)
        with socket.socket() as server, self.target(first, "1000") as one, \
             self.target(second, "-f", "/dev/null") as two:
            server.bind(("127.0.0.1", 0))
            server.listen(64)
            server.setblocking(False)
            environment = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}",
                           "DEBUGINFOD_CACHE_PATH": self.path("cache")}
            result = self.run(one.pid, two.pid, fake="words", environment=environment)
            n_asked = 0
            with contextlib.suppress(BlockingIOError):
                while True:
                    server.accept()[0].close()
                    n_asked += 1
            if n_asked == 0:
                raise Skipped("elfutils does not ask servers here")
            expect(result.out.count("MPI_COMM_WORLD") == 2, f"both are shown\n{result}")
            expect(result.err.count("not asked again") == 1 and "127.0.0.1" in result.err, f"one warning\n{result}")
            expect(n_asked == 1, f"it was asked {n_asked} times\n{result}")

    # Trouble while a process is held.

    def check_target_that_dies(self):
        with self.target() as survivor, self.victim() as victim:
            mqdump = self.start("--json", victim.pid, survivor.pid, fake="watch")
            line = mqdump.stderr.readline()
            expect(b"the DLL says: watching" in line, f"the victim is read, not {line}")
            victim.kill()
            wait_until(lambda: set(thread_states(victim.pid)) == {"Z"}, "death of the victim")
            self.open_gate()
            result = self.finish(mqdump)
            result.says(1, f"process {victim.pid}: it died while it was read")
            lists = {p["pid"]: p["communicators"] for p in schema.load(result.out)["processes"]}
            expect(lists[survivor.pid] and lists[victim.pid] is None, f"the survivor is shown\n{result}")

    def check_number_that_is_given_to_another_process(self):
        """What was chosen has ended, and whoever has its number now is neither stopped nor shown."""
        with self.target() as survivor, self.victim() as victim:
            mqdump = self.start("--json", victim.pid, survivor.pid, fake="early")
            line = mqdump.stderr.readline()
            expect(b"the DLL says: examining" in line, f"the DLL is asked before anything is stopped, not {line}")
            victim.kill()
            victim.wait()
            other = start_with_number(victim.pid, "sleep", "1000")
            try:
                self.open_gate()
                result = self.finish(mqdump)
                self.goes_on(other)
            finally:
                os.kill(other, signal.SIGKILL)
                os.waitpid(other, 0)
            result.says(1, rf"process {other}: it has ended: "
                           r"its process id was given to another process \(sleep\) since")
            found = {process["pid"]: process for process in schema.load(result.out)["processes"]}
            expect(found[survivor.pid]["communicators"] and found[other]["communicators"] is None,
                   f"the survivor alone is shown\n{result}")
            expect("sleep" not in (found[other]["executable"] or ""), f"nothing of the other is shown\n{result}")

    def check_target_that_dies_at_any_moment(self):
        """At any moment: what is said is that, and the other process is shown and goes on."""
        with self.target() as survivor:
            with self.victim() as victim:
                moments = self.moments(40 if self.thorough else 8, "trace", "--json", victim.pid, survivor.pid,
                                       fake="words")
            for moment in moments:
                with self.victim() as victim, \
                     self.steps("trace", moment, "--json", victim.pid, survivor.pid, fake="words") as steps:
                    victim.kill()
                    result = self.finish_steps(steps)
                processes = {p["pid"]: p for p in schema.load(result.out)["processes"]}
                expect(processes[survivor.pid]["communicators"], f"the survivor is shown\n{result}")
                end = "it died while|it has ended|it .* has ended|it runs no program: .* or it is just ending|$"
                expect(re.match(end, processes[victim.pid].get("error", "")), f"the victim's end is named\n{result}")
                self.goes_on(survivor.pid)

    def check_signals_that_arrive_meanwhile(self):
        with self.counter() as target:
            mqdump = self.start(target.pid, fake="late")
            self.held(mqdump, target.pid)
            target.send_signal(signal.SIGUSR1)
            self.open_gate()
            self.finish(mqdump)
            wait_until(lambda: os.path.getsize(target.file) == 1, "arrival of the signal")

    def check_signals_that_arrive_while_stopping(self):
        """Signals at any moment: none is lost, however often mqdump comes and goes."""
        with self.counter() as target:
            moments = self.moments(40 if self.thorough else 10, "trace", target.pid, fake="words")
            for n, moment in enumerate(moments, 1):
                with self.steps("trace", moment, target.pid, fake="words") as steps:
                    target.send_signal(signal.SIGUSR1)
                    result = self.finish_steps(steps)
                expect("MPI_COMM_WORLD" in result.out, f"it is shown\n{result}")
                wait_until(lambda n=n: os.path.getsize(target.file) == n, f"arrival of signal {n}")

    def check_target_that_is_stopped(self):
        with self.counter() as target:
            target.send_signal(signal.SIGSTOP)
            wait_until(lambda: set(thread_states(target.pid)) == {"T"}, "stop of the target")
            # No process of mqdump is left when this returns.
            result = self.finish(self.start(target.pid, fake="words", before=self.fail_call("trace", 0)))
            expect("MPI_COMM_WORLD" in result.out, f"can be read\n{result}")
            expect(set(thread_states(target.pid)) == {"T"}, "the target stays stopped")
            target.send_signal(signal.SIGCONT)

    def check_mqdump_that_is_ended_while_it_reads(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL):
            with self.counter() as target:
                mqdump = self.start(target.pid, fake="late", restore_signals=True)
                self.held(mqdump, target.pid)
                target.send_signal(signal.SIGUSR1)
                mqdump.send_signal(number)
                result = self.finish(mqdump)
                expect(result.status == -number, f"ended by {number.name}\n{result}")
                self.goes_on(target.pid)
                wait_until(lambda: os.path.getsize(target.file) == 1, "arrival of the signal")

    def check_mqdump_that_is_killed_at_any_moment(self):
        with self.counter() as target:
            for n, moment in enumerate(self.moments(40 if self.thorough else 10, "any", target.pid, fake="words")):
                number = (signal.SIGKILL, signal.SIGINT)[n % 2]
                with self.steps("any", moment, target.pid, fake="words") as steps:
                    os.kill(steps.mqdump, number)
                    result = self.finish_steps(steps)
                expect(result.status == -number, f"ended by {number.name}\n{result}")
                self.goes_on(target.pid)
            target.send_signal(signal.SIGUSR1)
            wait_until(lambda: os.path.getsize(target.file) == 1, "arrival of the signal")

    def check_terminal_stop(self):
        with self.target() as target:
            # In a group whose leader has no parent in its session, the signal would stop nothing.
            mqdump = self.start(target.pid, fake="late", preexec_fn=os.setpgrp)
            self.held(mqdump, target.pid)
            mqdump.send_signal(signal.SIGTSTP)
            wait_until(lambda: set(thread_states(mqdump.pid)) == {"T"}, "stop of mqdump")
            self.open_gate()
            try:
                self.goes_on(target.pid)
            finally:
                mqdump.send_signal(signal.SIGCONT)
                result = self.finish(mqdump)
            expect("MPI_COMM_WORLD" in result.out, f"shown in the end\n{result}")

    def check_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            raise Skipped("no /dev/full")
        with self.target() as target, open("/dev/full", "wb") as full:
            self.run(target.pid, fake="words", stdout=full).says(1, "cannot write: ")

    def check_reader_that_goes_away(self):
        with self.target() as target:
            reader, writer = os.pipe()
            os.close(reader)
            try:
                result = self.run(target.pid, fake="words", stdout=writer, restore_signals=True)
            finally:
                os.close(writer)
            expect(result.status == -signal.SIGPIPE, f"ended by SIGPIPE\n{result}")


def run_checks(kind, what, flags=()):
    """
    Runs the checks that are methods of a class, those of its parents excepted. Flags are options of the suite and
    attributes of the class. Returns the exit status.
    """
    parser = argparse.ArgumentParser(description=what.splitlines()[0])
    cases.add_options(parser, 1, own_dll=False)
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    job.mind_signals()

    def work(directory):
        checks = kind(os.path.abspath(options.mqdump), os.path.abspath(options.dll), directory)
        checks.mpicc = options.cc
        for flag in flags:
            setattr(checks, flag, getattr(options, flag))
        try:
            return cases.run(checks.labelled(), options, directory)
        finally:
            checks.end()

    return job.in_scratch("errors", options.keep, work)


if __name__ == "__main__":
    sys.exit(run_checks(Checks, __doc__, ("thorough",)))
