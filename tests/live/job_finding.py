#!/usr/bin/env python3
"""mqdump on jobs that it has to find, and on core files.

The jobs say themselves which processes their ranks are. Core files are compared with what mqdump showed of the same
processes while they were alive.
"""

import argparse
import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import cases
import core_files
import job
import releases
import run
import schema
import script
from cases import Failure as Failed, Skip as Skipped, await_that as wait_until, expect

HERE = os.path.dirname(os.path.abspath(__file__))
OTHER_USER = 65533                # who has no processes
PARKED = "all: told_irecv world any me 16 int r; told_issend world me 77 16 int s; rest"
SPAWNS = f"all: spawn other 1; merge _both other; child wait_only; parent {PARKED[5:].replace('; ', '; parent ')}"


class OtherUser(job.Installation):
    """This machine's own Open MPI, for another user, who sees no jobs but his own."""
    enter = ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "env", "HOME=/tmp"]


class Result:
    def __init__(self, arguments, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.text = (f"mqdump {' '.join(arguments)}: status {self.status}\n  out: {self.out[:3000]}\n"
                     f"  err: {self.err[:3000]}")

    def expect(self, status, err="^$", out=""):
        """Checks the exit status and that patterns are in the messages and the output; returns self."""
        expect(self.status == status, f"status {status} expected\n{self.text}")
        expect(re.search(err, self.err), f"no '{err}' in the messages\n{self.text}")
        expect(re.search(out, self.out), f"no '{out}' in the output\n{self.text}")
        return self

    def document(self):
        try:
            return schema.load(self.out)
        except ValueError as error:
            raise Failed(f"no JSON document of mqdump's schema: {error}\n{self.text}") from None


def change_host(launcher, rank, letter):
    """Gives the host of a rank, in the table of a launcher, another first letter."""
    library = re.compile(r"(\w+)-\w+ r\S+ 0+ \S+ \S+ +(/.*/libopen-rte\.so\S*)")
    with open(f"/proc/{launcher}/maps", encoding="utf-8") as file:
        base, path = next(found.groups() for found in map(library.match, file) if found)
    symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", path], capture_output=True, text=True, check=True)
    value = re.search(r"(\w+) +\d+ OBJECT .* MPIR_proctable\n", symbols.stdout).group(1)
    with open(f"/proc/{launcher}/mem", "r+b", buffering=0) as memory:
        word = lambda address: int.from_bytes(os.pread(memory.fileno(), 8, address), sys.byteorder)
        os.pwrite(memory.fileno(), letter, word(word(int(base, 16) + int(value, 16)) + 24 * rank))


class Checks:
    """All checks; each method whose name starts with check_ is one."""

    def __init__(self, mqdump, dll, installation, program, scratch):
        self.mqdump, self.dll, self.installation = mqdump, dll, installation
        self.program, self.scratch = program, scratch
        self.n_jobs = 0

    # What the checks need.

    def run(self, *arguments, enter=(), environment=None):
        arguments = [str(argument) for argument in arguments]
        dll = [] if "--list" in arguments else ["--dll", self.dll]
        process = subprocess.run([*enter, self.mqdump, *dll, *arguments], stdin=subprocess.DEVNULL, text=True,
                                 capture_output=True, timeout=cases.PATIENCE, check=False, errors="replace",
                                 env={**os.environ, **(environment or {})})
        return Result(arguments, process)

    @contextlib.contextmanager
    def job(self, n, what=PARKED, before=(), after=(), total=None, installation=None, transport="copy"):
        """A job whose ranks have said who they are; and what stands before their program, and behind its arguments."""
        self.n_jobs += 1
        directory = os.path.join(self.scratch, f"job{self.n_jobs}")
        installation = installation or self.installation
        mask = os.umask(0)      # the ranks write there, whoever they are
        try:
            running = job.Job(directory, [*before, *self.command(what, total or n), *after], n, transport=transport,
                              installation=installation)
        finally:
            os.umask(mask)
        with running:
            running.n_ranks = total or n
            running.await_truths()
            yield running

    def command(self, what, n, program=None):
        return [program or self.program, *script.command(what, n, True)]

    def spawned(self, running):
        """The process that the ranks have started, all of which have talked to it."""
        pids = [pid for pid in job.descendants(running.process.pid) if pid not in running.pids and
                os.path.samefile(f"/proc/{pid}/exe", self.program)]
        expect(len(pids) == 1, f"one process that was started by ranks: {pids}")
        return pids[0]

    def jobs(self, **more):
        return self.run("--list", "--json", **more).expect(0).document()["jobs"]

    def job_of(self, running):
        """What --list says of a job: exactly one with its launcher."""
        found = [entry for entry in self.jobs() if entry["launcher"] == running.process.pid]
        expect(len(found) == 1, f"one job of launcher {running.process.pid}: {found}")
        return found[0]

    def expect_ranks(self, running, listed=None):
        """Both ways to ask name exactly the ranks."""
        listed = listed or self.job_of(running)
        expect([(entry["rank"], entry["pid"]) for entry in listed["ranks"]] == list(enumerate(running.pids)),
               f"ranks {running.pids}: {listed}")
        document = self.run("--json", "--job", running.process.pid).expect(0).document()
        expect([(entry["rank"], entry["pid"]) for entry in document["processes"]] == list(enumerate(running.pids)),
               f"ranks {running.pids}: {document}")
        expect({entry["job"] for entry in document["processes"]} == {listed["job"]}, f"one job: {document}")

    # Jobs.

    def check_two_jobs(self):
        with self.job(3) as one, self.job(2) as other:
            for running, n in ((one, 3), (other, 2)):
                listed = self.job_of(running)
                expect(listed["size"] == n, f"{n} ranks: {listed}")
                expect(abs(listed["started"] - time.time()) < 120, f"started just now: {listed}")
                expect(all(rank["executable"].endswith(self.program) for rank in listed["ranks"]), listed)
                self.expect_ranks(running, listed)
                whole = self.run("--job", running.process.pid, "--json").expect(0).document()["processes"]
                for word in (listed["job"], running.pids[0], running.pids[-1]):
                    again = self.run("--job", word, "--json").expect(0).document()["processes"]
                    expect([entry["pid"] for entry in again] == [entry["pid"] for entry in whole], f"--job {word}")
                ranks = "0-2" if n == 3 else "0,1"
                line = (rf"(?m)^{re.escape(listed['job'])} +\S+ {running.process.pid} +{ranks} of {n} .*"
                        rf"{re.escape(self.program)}$")
                self.run("--list").expect(0, out=line)
                self.run().expect(1, r"there are \d+ jobs: .* mqdump --job", line)

    def check_launcher_that_has_none(self):
        with self.job(1) as running:
            shell = os.getpid()
            text = rf"process {shell} .* is neither a rank .*\n.*--job {running.process.pid}"
            self.run("--job", shell).expect(1, text)
        for word in ("4194304999", "no such job", "", "-1", "0"):
            self.run(f"--job={word}").expect(1, "no job")

    def check_wrappers(self):
        for wrapper in (["bash", "-c", '"$0" "$@"; true'], ["bash", "-c", 'time "$0" "$@"; true'],
                        ["env", "A=b", "sh", "-c", """sh -c '"$0" "$@"; true' "$0" "$@"; true"""]):
            with self.job(2, before=wrapper) as running:
                self.expect_ranks(running)

    def check_rank_that_forks(self):
        with self.job(2, f"all: fork; {PARKED}") as running:
            self.expect_ranks(running)

    def check_several_programs(self):
        second = self.program + ".second"
        shutil.copy(self.program, second)
        try:
            with self.job(1, after=[":", "-np", "2", *self.command(PARKED, 3, second)], total=3) as running:
                self.expect_ranks(running)
                names = [rank["executable"] for rank in self.job_of(running)["ranks"]]
                expect([name.endswith(".second") for name in names] == [False, True, True], names)
                self.run("--list").expect(0, out=f"{re.escape(self.program)} and others\n")
        except job.JobError as error:
            if f"ended with -{int(signal.SIGSEGV)}" not in str(error):
                raise
            raise Skipped("this mpirun crashes when it is to start two programs") from error

    def check_job_that_starts_another(self):
        with self.job(2, SPAWNS, transport="tcp") as running:
            spawned = self.spawned(running)
            jobs = [entry for entry in self.jobs() if entry["launcher"] == running.process.pid]
            expect([[rank["pid"] for rank in entry["ranks"]] for entry in jobs] == [running.pids, [spawned]],
                   f"two jobs: {jobs}")
            result = self.run("--job", running.process.pid, "--json").expect(0)
            expect([entry["pid"] for entry in result.document()["processes"]] == [*running.pids, spawned], result.text)
            result = self.run("--job", spawned, "--json").expect(0)
            expect([entry["pid"] for entry in result.document()["processes"]] == [spawned], result.text)

    def check_single_process(self):
        directory = os.path.join(self.scratch, "single")
        os.mkdir(directory)
        with cases.ending(subprocess.Popen(
                [*self.installation.enter, *self.command(PARKED, 1)], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                env={**os.environ, "MQD_TRUTH_DIR": directory, "OMPI_MCA_plm": "isolated"})) as process:
            end = time.monotonic() + 30
            while not os.path.exists(os.path.join(directory, "0.json")):
                if process.poll() is not None or time.monotonic() > end:
                    raise Skipped("this Open MPI starts no program without mpirun")
                time.sleep(0.02)
            found = [entry for entry in self.jobs() if [rank["pid"] for rank in entry["ranks"]] == [process.pid]]
            expect(len(found) == 1 and found[0]["job"] is None, f"a job of its own: {found}")
            self.run("--job", process.pid).expect(0, out=f"process {process.pid}:")

    def check_ranks_that_are_not_there(self):
        """One has died, its shell has not. Then mpirun's table is changed to say that it runs elsewhere."""
        with self.job(3, before=["bash", "-c", '"$0" "$@"; sleep 1000']) as running:
            os.kill(running.pids[1], signal.SIGKILL)
            wait_until(lambda: not job.alive(running.pids[1]), "a rank has died")
            listed = self.job_of(running)
            expect(listed["size"] == 3 and [rank["rank"] for rank in listed["ranks"]] == [0, 2], listed)
            self.run("--list").expect(0, out=f" {running.process.pid} +0,2 of 3 ")
            result = self.run("--job", running.process.pid)
            result.expect(1, "rank 1 not found: ended, or without Open MPI",
                          r"rank 1: it has probably ended: process \d+\n? *\((bash|sleep)\)")
            if int(self.installation.version.split(".", maxsplit=1)[0]) >= 5:
                return
            change_host(running.process.pid, 1, b"X")
            self.run("--local", "--job", running.process.pid).expect(0, "rank 1 not on this machine, but on X", "Rank 2")
            self.run("--launch", "false %h", "--job", running.process.pid).expect(
                1, "X.*: did not answer: false has ended with status 1",
                r"Host X.* \(rank 1\): did not answer(.|\n)*Rank 0 on (.|\n)*Rank 2 on ")

    @staticmethod
    def skip(text):
        raise Skipped(text)

    def check_only_job_of_a_user(self):
        if os.geteuid() != 0 or self.installation is not job.HERE:
            raise Skipped("only root, with this machine's own Open MPI, can be another user")
        user = OtherUser()
        if not user.run(self.mqdump, "--version") or not user.run("ls", self.program):
            raise Skipped("another user cannot run mqdump here")
        self.run(enter=user.enter).expect(1, "you have no job of Open MPI on this machine.*\n.*give their pids")
        self.run("--list", enter=user.enter).expect(1, "you have no job of Open MPI")
        other = os.path.join(self.scratch, "libmpi_abi.so.1")
        shutil.copy(glob.glob("/usr/lib/*/libutil.so.1")[0], other)
        with cases.ending(subprocess.Popen([*user.enter, f"LD_PRELOAD={other}", "sleep", "60"])):
            wait_until(lambda: "\nmqdump: 1 process runs with MPICH or another MPI library" in
                       self.run(enter=user.enter).err, "the other library was found")
        expect(self.run("--list", "--json", enter=user.enter).document()["jobs"] == [], "none")
        with self.job(2, installation=user) as own, self.job(1) as roots:
            result = self.run("--json", enter=user.enter).expect(0)
            expect([entry["pid"] for entry in result.document()["processes"]] == own.pids, result.text)
            self.run(enter=user.enter).expect(0, out="Rank 0, process(.|\n)*Rank 1, process")
            self.run("--job", roots.process.pid, enter=user.enter).expect(1, "is neither a rank")
            expect([entry["launcher"] for entry in self.jobs(enter=user.enter)] == [own.process.pid], "own jobs only")
            listed = self.job_of(own)
            expect(listed["user"] == str(OTHER_USER), listed)
            self.expect_ranks(own, listed)
        # One that has started another is one with it.
        with self.job(2, SPAWNS, transport="tcp", installation=user) as own:
            result = self.run("--json", enter=user.enter).expect(0)
            expect([entry["rank"] for entry in result.document()["processes"]] == [0, 1, 0], result.text)

    @contextlib.contextmanager
    def impostor(self, name):
        """A process of another user that says it is rank 0 of that job, and has Open MPI loaded."""
        with cases.ending(subprocess.Popen([*OtherUser.enter, f"PMIX_NAMESPACE={name}", "PMIX_RANK=0",
                                            "LD_PRELOAD=libmpi.so.40", "sleep", "1000"],
                                           stderr=subprocess.DEVNULL)) as process:
            wait_until(lambda: "libopen-pal" in job.said_of(process.pid, "maps") and
                       job.said_of(process.pid, "comm") == "sleep\n", "a process with libmpi.so.40")
            yield process

    def check_name_of_somebody_elses_job(self):
        if os.geteuid() != 0 or self.installation is not job.HERE:
            raise Skipped("only root, with this machine's own Open MPI, can be another user")
        with self.job(2) as running:
            name = self.job_of(running)["job"]
            with self.impostor(name) as process:
                self.run("--job", name).expect(1, rf"--job {running.process.pid}\n(.|\n)*user with the id {OTHER_USER} "
                                                  r"(.|\n)*jobs of several users have that name")
                result = self.run("--json", "--job", running.process.pid).expect(0)
                expect([entry["pid"] for entry in result.document()["processes"]] == running.pids, result.text)
                others = [entry for entry in self.jobs() if entry["user"] == str(OTHER_USER)]
                expect([rank["pid"] for rank in others[0]["ranks"]] == [process.pid], others)

    def check_sixteen_ranks(self):
        with self.job(16) as running:
            self.expect_ranks(running)

    # Without stopping.

    def check_process_that_is_held(self):
        with self.job(1) as running:
            pid = running.pids[0]
            shown = self.run("--json", "--no-why", pid).expect(0).document()["processes"][0]
            expect(shown["stopped"], shown)
            with self.held_by_gdb(pid):
                self.run(pid).expect(0, out=r"Rank 0 is held by gdb \(process \d+\)")
                there = self.run("--json", "--no-why", pid).expect(0).document()["processes"][0]
                expect(there == shown, f"{there}\n{shown}")
                result = self.run("--json", "--no-stop", pid).expect(0).document()["processes"][0]
                expect(result == {**shown, "stopped": False}, f"{result}\n{shown}")
                self.run("--no-stop", pid).expect(0, out="not stopped: what is shown may contradict itself")
                self.run("--no-stop", "--job", running.process.pid).expect(0, out="Rank 0")

    @contextlib.contextmanager
    def held_by_gdb(self, pid):
        gdb = shutil.which("gdb") or self.skip("no gdb")
        ready = os.path.join(self.scratch, "gdb-ready")
        holder = subprocess.Popen([gdb, "-q", "-batch", "-p", str(pid), "-ex", f"shell touch {ready}", "-ex",
                                   "shell cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: os.path.exists(ready) or holder.poll() is not None, "gdb holds the process")
            expect(holder.poll() is None, "gdb holds the process")
            yield
        finally:
            holder.stdin.close()
            holder.wait()

    # Cores.

    def cores_of(self, running):
        """Made while the ranks go on, by rank."""
        return core_files.take(running.pids, os.path.join(running.directory, "cores"))

    def shown(self, *arguments, enter=()):
        result = self.run("--json", "--no-why", *arguments, enter=enter).expect(0)
        return {entry["rank"]: entry for entry in result.document()["processes"]}

    @property
    def program_options(self):
        """A program that lies in a directory of this machine, and is shown in another root, is not to be seen there."""
        return ["--exe", self.program] if self.installation is not job.HERE else []

    @staticmethod
    def expect_same(cores, live, paths, number=None):
        expect(len(cores) == len(live) == len(paths), f"{len(live)} ranks: {sorted(cores)}")
        for rank, expected in live.items():
            # Whose process it was is not known: the file may be a copy.
            expected = {**expected, "core": paths[rank], "signal": number, "user": None}
            differences = [key for key in expected if cores[rank].get(key) != expected[key]]
            expect(not differences, f"rank {rank} differs in {differences}: {cores[rank]} is not {expected}")

    def check_cores_of_gcore(self):
        with self.job(3) as running:
            live = self.shown(*running.pids)
            # One is enough of those that take gcore seconds.
            paths = [core_files.gcore(running.pids[0], os.path.join(running.directory, "gcore")),
                     *self.cores_of(running)[1:]]
        options = self.program_options
        self.expect_same(self.shown(*options, "--core", *paths), live, paths)
        self.expect_same(self.shown("--core", paths[2], "--core", paths[0], paths[1], *options), live, paths)
        self.run(*options, "--core", *paths).expect(0, out=r"Rank 0, (.|\n)*Core file .*(.|\n)*Rank 2, ")

    def check_cores_of_the_kernel(self):
        core_files.require_kernel()
        with self.job(2) as running:
            live = self.shown(*running.pids)
            paths = core_files.end(running, running.pids, signal.SIGABRT)
        # The kernel names files as the program saw them; outside of its root they are elsewhere.
        root = self.installation.outside("")
        options = ["--sysroot", root, *self.program_options] if root else []
        for rank in live:
            live[rank]["executable"] = self.program if root else live[rank]["executable"]
        self.expect_same(self.shown(*options, "--core", *paths), live, paths, int(signal.SIGABRT))
        self.run(*options, "--core", *paths).expect(0, out=rf"Core file .*ended by signal {int(signal.SIGABRT)}\s")

    def check_files_of_a_core(self):
        with self.job(1) as running:
            live = self.shown(*running.pids)
            with open(f"/proc/{running.pids[0]}/maps", encoding="utf-8") as file:
                mapped = {line.split(maxsplit=5)[5].strip() for line in file if len(line.split(maxsplit=5)) == 6}
            paths = self.cores_of(running)
        copies = os.path.join(self.scratch, "copies")
        for path in (path for path in mapped if path.startswith("/") and os.path.isfile(path) and
                     not path.startswith("/dev/")):
            os.makedirs(copies + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, copies + path)
        self.expect_same(self.shown(*self.program_options, "--sysroot", copies, "--core", *paths), live, paths)
        self.expect_same(self.shown("--exe", "/bin/sh", "--exe", self.program, "--core", *paths), live, paths)
        self.run("--sysroot", "/nonexistent", "--core", *paths).expect(
            1, "/nonexistent/.*/lib(open_)?mpi.* cannot be used: No such file")
        text = "/bin/sh cannot be used: it is another build"
        self.run("--exe", "/bin/sh", "--core", *paths).expect(0, text, "Rank 0")
        # Another build of the library: one byte of its build-id is enough.
        libraries = [path for path in mapped if re.search(r"/lib(open_)?mpi\.so", path)]
        library = max(libraries, key=lambda path: "open_mpi" in path)     # from 6.0 on all that is read is there
        listed = subprocess.run(["readelf", "-n", copies + library], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: ([0-9a-f]+)", listed).group(1)
        with open(copies + library, "r+b") as file:
            content = file.read()
            file.seek(content.index(bytes.fromhex(build_id)))
            file.write(bytes([int(build_id[:2], 16) ^ 1]))
        self.run("--sysroot", copies, "--core", *paths).expect(
            1, f"{re.escape(copies + library)} cannot be used: it is another build .* needed is {build_id}")
        # A file with the debug information of a program has its build-id, but nothing of its content.
        objcopy = shutil.which("objcopy") or self.skip("no objcopy")
        debug = os.path.join(self.scratch, "only.debug")
        subprocess.run([objcopy, "--only-keep-debug", self.program, debug], check=True)
        self.run("--exe", debug, "--core", *paths).expect(0, "only.debug cannot be used: it has the debug information")

    def check_cores_that_are_none(self):
        core = os.path.join(self.scratch, "core")
        with cases.ending(subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)) as process:
            # What it copies shows that it has its libraries.
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.read(1)
            core_files.write(process.pid, core)
        self.run("--core", core).expect(1, f"core {re.escape(core)}: .*no message queues in .*/cat")
        os.truncate(core, 100000)
        self.run("--core", core).expect(1, f"core {re.escape(core)}: it is cut off: it has 100000 bytes")
        for path, text in ((self.mqdump, "no core file"), (__file__, "no core file"), ("/nonexistent", "No such file"),
                           (self.scratch, "no regular file"), ("/dev/null", "no regular file")):
            result = self.run("--json", "--core", path).expect(1, f"core {re.escape(path)}: .*{text}")
            entry = result.document()["processes"][0]
            expect(entry["pid"] is None and text in entry["error"], result.text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", help="another release, unpacked by releases.py")
    cases.add_options(parser, 1, own_dll=False)
    arguments = parser.parse_args()
    installation, builder = releases.named(arguments.root)

    def work(mqdump, scratch):
        program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder)
        checks = Checks(mqdump.path, mqdump.dll, installation, program, scratch)
        return cases.run(cases.methods(checks, "check_"), arguments, scratch)

    return run.test_suite("jobs", arguments, installation, builder, work)


if __name__ == "__main__":
    sys.exit(main())
