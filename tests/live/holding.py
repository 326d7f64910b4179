#!/usr/bin/env python3
"""Processes that mqdump holds go on, whatever becomes of them and of mqdump.

mqdump has processes of its own: collectors, which read, and their holders, which hold others. Each of them is killed,
stopped and kept waiting, with processes of many threads that call exec, make threads and end meanwhile. While they are
held no file is opened that has anything to do with them.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import cases
import run
import script
import verdicts
from mqdump_errors import (Checks, Failed, OTHER_USER, Skipped, children_of, expect, holder_of, reader_of,
                           run_checks, status_of, thread_states, tracer_of, wait_until)

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
WHOM = ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2))     # mqdump, its collectors, their holders
EACH = len(SIGNALS) * len(WHOM)
PR_SET_NAME, PTRACE_SEIZE = 15, 0x4206


class Holding(Checks):
    """All checks; each method whose name starts with check_ is one."""

    @contextlib.contextmanager
    def awkward_target(self, *arguments, lasts=True):
        """Such a process. It must not be held when the check is over; unless it lasts, it may have ended."""
        with cases.ending(subprocess.Popen(self.awkward(*arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=subprocess.DEVNULL)) as process:
            if process.stdout.readline() != b"ready\n":
                raise Skipped(f"no such process here: {process.wait()}")
            yield process
            if lasts:
                self.goes_on(process.pid)
            else:
                wait_until(lambda: process.poll() is not None, "end of a process")

    @contextlib.contextmanager
    def crowd(self):
        """Processes of 32 threads, of two users if possible, some stopped before: [(process, was it stopped)]."""
        other = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []} if os.geteuid() == 0 else {}
        command = self.awkward("threads", 31)
        os.chmod(self.directory, 0o755)
        with contextlib.ExitStack() as stack:
            found = []
            for n in range(8):
                process = stack.enter_context(
                    subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     **(other if n % 2 else {})))
                stack.callback(process.kill)
                found.append((process, n in (2, 5)))
            for process, stopped in found:
                wait_until(lambda process=process: len(thread_states(process.pid)) == 32, "start of the threads")
                if stopped:
                    process.send_signal(signal.SIGSTOP)
                    wait_until(lambda process=process: set(thread_states(process.pid)) == {"T"}, "stop")
            yield found

    @staticmethod
    def is_as_before(process, stopped):
        return tracer_of(process.pid) == 0 and set(thread_states(process.pid)) == ({"T"} if stopped else {"S"})

    def end_at_a_moment(self, n, kind, moment, pids, meanwhile=None, fake=None):
        """
        Starts mqdump, and ends one or several of its processes by a signal before a call, after `meanwhile`. Returns
        whether somebody was held then.
        """
        with self.steps(kind, moment, *pids, fake=fake) as steps:
            if meanwhile:
                meanwhile()
            held = any(map(tracer_of, pids))
            own = steps.own_processes()
            for whom in WHOM[n // len(SIGNALS) % len(WHOM)]:
                for pid in own[whom]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, SIGNALS[n % len(SIGNALS)])
            self.finish_steps(steps)
        return held

    def check_killed_at_any_moment(self):
        """mqdump, its collectors, its holders, or several, by each signal that ends a process."""
        n_held, n_rounds = 0, EACH * (10 if self.thorough else 1)
        with self.crowd() as crowd, self.awkward_target("storm") as storm, self.awkward_target("exec", 8) as execs:
            pids = [process.pid for process, _ in crowd] + [storm.pid, execs.pid]
            moments = {kind: self.moments(n_rounds, kind, *pids, fake="words") for kind in ("any", "trace")}
            for n in range(n_rounds):
                kind = ("any", "trace")[n // len(SIGNALS) % 2]
                # One ends meanwhile, by itself or by a signal.
                with self.awkward_target("end", lasts=False) as ending:
                    end = lambda ending=ending, n=n: ending.kill() if n % 3 == 0 else ending.stdin.close()
                    try:
                        n_held += self.end_at_a_moment(n, kind, moments[kind][n], [*pids, ending.pid], end, "words")
                        for process, stopped in crowd:
                            wait_until(lambda process=process, stopped=stopped: self.is_as_before(process, stopped),
                                       f"process {process.pid} is as before")
                        for pid in (storm.pid, execs.pid):
                            self.goes_on(pid)
                    except Failed as error:
                        raise Failed(f"round {n}: {error}") from None
        print(f"  held in {n_held} of {n_rounds} rounds")
        expect(n_held > n_rounds // 4, f"held in {n_held} of {n_rounds} rounds only")

    def check_ended_at_any_moment_of_several_looks(self):
        n_held, n_rounds = 0, 40 if self.thorough else 8
        with self.job(4) as ranks:
            for n, moment in enumerate(self.moments(n_rounds, "trace", *ranks)):
                # Each signal, and all kinds of processes, meet calls of all looks.
                n_held += self.end_at_a_moment(n * 5, "trace", moment, ranks)
                for pid in ranks:
                    self.goes_on(pid)
            expect("Deadlock. Ranks 0-3" in self.run(*ranks).out, "the ranks wait as before")
        print(f"  held in {n_held} of {n_rounds} rounds")
        expect(n_held > n_rounds // 4, f"held in {n_held} of {n_rounds} rounds only")

    def check_threads_that_call_exec(self):
        """To attach waits for exec, which waits for a thread that was attached to: each look comes to an end."""
        with self.awkward_target("exec", 12) as target:
            for n in range(80 if self.thorough else 10):
                result = self.run(target.pid, fake="words")
                # What it had mapped a moment ago may be gone.
                expect("MPI_COMM_WORLD" in result.out or
                       re.search("it has ended|it runs no program|none of its program files", result.err),
                       f"look {n}\n{result}")
                self.goes_on(target.pid)

    def check_storm_of_threads(self):
        with self.awkward_target("storm") as target:
            for n in range(10 if self.thorough else 4):
                result = self.run(target.pid, fake="words")
                expect("MPI_COMM_WORLD" in result.out, f"look {n}\n{result}")
                self.goes_on(target.pid)

    def check_page_that_never_comes(self):
        """The reader waits for it in the kernel: all processes go on, and mqdump says why it has nothing."""
        with self.target() as other, self.awkward_target("page") as target:
            mqdump = self.start(other.pid, target.pid, fake="page")
            self.held(mqdump, other.pid)
            for pid in (other.pid, target.pid):
                wait_until(lambda pid=pid: tracer_of(pid) == 0, f"end of tracing of process {pid}")
            result = self.finish(mqdump)
            result.says(1, f"process {target.pid}: .* that read it took too long: what it read was let go before")

    def check_reader_and_holder_that_are_stopped_or_killed(self):
        """What a reader has read when it goes on is of no one moment. The process goes on before the library may."""
        holder = "mqdump's own process that holds others has ended, or did not answer"
        for whom, number, goes_on, reason in (
                (reader_of, signal.SIGSTOP, True, "it took too long to read the processes, which were let go before"),
                (reader_of, signal.SIGKILL, True, ".* that read it was ended by signal 9"),
                (holder_of, signal.SIGSTOP, False, holder), (holder_of, signal.SIGKILL, True, holder)):
            with self.target() as target:
                mqdump = self.start(target.pid, fake="late")
                self.held(mqdump, target.pid)
                pid = whom(mqdump)
                os.kill(pid, number)
                if goes_on:
                    self.goes_on(target.pid)
                self.open_gate()
                if whom is reader_of and number == signal.SIGSTOP:
                    os.kill(pid, signal.SIGCONT)
                result = self.finish(mqdump)
                result.says(1, f"process {target.pid}: {reason}")
                expect("MPI_COMM_WORLD" not in result.out, f"nothing of it is shown\n{result}")

    # Files.

    def late_library(self):
        """A library and the place of its debug information, which it has no more of by itself."""
        source, debug = self.path("late.c"), self.path("libmca_late.debug")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int late = 1;\n")
        self.paths.pop("libmca_late.so", None)      # that of another check is stripped
        library = self.built("libmca_late.so", "-shared", "-fPIC", "-g", "-Wl,--build-id=sha1", source)
        try:
            subprocess.run(["objcopy", "--only-keep-debug", library, debug], check=True)
            subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", library], check=True)
        except FileNotFoundError:
            raise Skipped("no objcopy") from None
        return library, debug

    @property
    def mark(self):
        return self.path("mark")

    @contextlib.contextmanager
    def job(self, n=2, late=None):
        """
        Ranks of a program with debug information that wait for each other. Late is what the first does, and leaves a
        mark, when it notices that it was stopped, as latecomer.c has it.
        """
        self.require_mpi()
        program = run.compile_script(self.mpicc, self.path("prog_script"), options=("-g",))
        options = ["--mca", "mpi_yield_when_idle", "1"]
        if late:
            options += ["-x", f"LD_PRELOAD={self.helper('latecomer')}", "-x", f"MQD_LATE={late}", "-x",
                        f"MQD_MARK={self.mark}"]
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.mark)
        command = [*self.mpi_command(), *options, "-n", str(n), program, *script.command(verdicts.RING, n)]
        with cases.ending(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)) as mpirun:
            ranks = lambda: [pid for pid in children_of(mpirun.pid)
                             if status_of(pid).get("Name") == os.path.basename(program)[:15]]
            # They must not be stopped yet.
            report = lambda: self.run(*ranks(), "--no-stop", "--queues=all").out
            waiting = lambda: len(ranks()) == n and report().count("posted, ")
            wait_until(lambda: waiting() == n, "deadlock of the job")
            yield ranks()

    def traced(self, ranks, *options):
        """The lines of strace, without the processes' numbers and times, while mqdump finds out why ranks wait."""
        if shutil.which("strace") is None:
            raise Skipped("no strace")
        trace = self.path("trace")
        command = ["strace", "-f", "-s", "4096", "-o", trace, *options, "--", self.mqdump, "--dll", self.dll]
        result = self.finish(subprocess.Popen([*command, *map(str, ranks)], stdout=subprocess.PIPE,
                                              stderr=subprocess.PIPE), ranks)
        with open(trace, encoding="utf-8", errors="replace") as file:
            lines = [line.split(maxsplit=1)[1] for line in file]
        expect("Deadlock. Ranks 0" in result.out, f"nothing was found\n{result}\n{''.join(lines[-5:])}")
        return lines

    def check_no_file_is_looked_up_while_ranks_are_held(self):
        """From the first PTRACE_SEIZE of a look to its last PTRACE_DETACH, but for what the kernel tells in /proc."""
        library, debug = self.late_library()
        for late in (None, library):
            with self.job(late=late) as ranks:
                lines = self.traced(ranks, "-e", "trace=%file,ptrace,connect")
            held, since, n_looks, n_libraries = False, [], 0, 0
            for line in lines:
                file = re.search(r'^(?!exec)\w+\(.*?"([^"]*)"', line)
                if line.startswith("ptrace(PTRACE_SEIZE"):
                    n_looks += not held
                    held, since = True, since if held else []
                elif line.startswith("ptrace(PTRACE_DETACH"):
                    held = False
                    expect(not since, f"{late}: while ranks were held\n{''.join(since)}")
                elif file and not re.match("/proc/|$", file[1]) or line.startswith("connect("):
                    since.append(line)
                    n_libraries += os.path.basename(debug) in line
            expect(n_looks > 1, f"{late}: {n_looks} looks")
            expect(not late or n_libraries > 0, "no library was looked up between two looks")

    def check_rank_that_cannot_be_held_again(self):
        """Another tracer holds it after the first look: what was found then is not refuted, but not known any more."""
        with self.job(late="traced") as ranks:
            result = self.run(*ranks)
            result.says(1, "not everything could be shown")
            expect("it could not be read again: it is being traced by process" in result.out, str(result))
            expect("Rank 0 is not known well enough" in result.out and "Nothing" not in result.out, str(result))

    def check_three_mqdump_at_once(self):
        """Started at the same moment on one job: each waits for the others, and all find the same."""
        with self.job(4) as ranks:
            for n in range(50 if self.thorough else 5):
                results = [self.finish(started, ranks) for started in [self.start(*ranks) for _ in range(3)]]
                reasons = {result.out.partition("\nRank 0, process")[0] for result in results}
                expect(len(reasons) == 1 and "Deadlock. Ranks 0-3" in results[0].out,
                       f"round {n}\n" + "\n".join(map(str, results)))
            for pid in ranks:
                self.goes_on(pid)

    @contextlib.contextmanager
    def false_mqdump(self, pid):
        """A process that has the name of mqdump, traces another one, and never lets go."""
        code = (f"import ctypes, time; libc = ctypes.CDLL(None); libc.prctl({PR_SET_NAME}, b'mqdump', 0, 0, 0); "
                f"print(libc.ptrace({PTRACE_SEIZE}, {pid}, 0, 0), flush=True); time.sleep(300)")
        with cases.ending(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)) as process:
            if process.stdout.readline() != "0\n":
                raise Skipped("no process can be traced here")
            yield process.pid

    def check_process_that_only_has_the_name_of_mqdump(self):
        """All looks together wait for it no longer than for another mqdump, and it is said who holds the rank."""
        with self.job(4) as ranks, self.false_mqdump(ranks[1]) as holder:
            start = time.monotonic()
            result = self.run(*ranks)
            seconds = time.monotonic() - start
            expect(f"it is being traced by process {holder} (mqdump), which has not let go of it"
                   in " ".join(result.out.split()), str(result))
            expect(19 < seconds < 19 + cases.PATIENCE, f"{seconds:.1f} seconds, {result}")
        print(f"  {seconds:.1f} seconds")

    def check_library_with_a_pipe_in_place_of_its_debug_information(self):
        """It is mapped between two looks. Who opened the pipe would wait for ever."""
        library, debug = self.late_library()
        os.unlink(debug)
        os.mkfifo(debug)
        with self.job(late=library) as ranks:
            result = self.run(*ranks)
            expect("Deadlock. Ranks 0" in result.out, f"nothing found\n{result}")
            for pid in ranks:
                self.goes_on(pid)
            expect(os.path.exists(self.mark), "the library was mapped")


if __name__ == "__main__":
    sys.exit(run_checks(Holding, __doc__, ("thorough",)))
