#!/usr/bin/env python3
"""Processes that mqdump holds go on, whatever becomes of them and of mqdump.

mqdump has three processes: one that users know, one that reads, and one that holds others. Each of them is killed,
stopped and kept waiting, with processes of many threads that call exec, make threads and end meanwhile.
"""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time

from mqdump_errors import (Checks, Failed, HERE, Skipped, expect, holder_of, reader_of, run_checks, status_of,
                           thread_states, tracer_of, wait_until)

ROUNDS = int(os.environ.get("MQD_ROUNDS", "40"))
LIMIT = 11          # seconds for which one process is held at most
GRACE = 5           # seconds that the reader then has to come back


class Holding(Checks):
    """All checks; each method whose name starts with check_ is one."""

    program = None

    def awkward(self, *arguments):
        """The command of a program that is awkward to hold."""
        if self.program is None:
            program = self.path("holding")
            self.compile("-o", program, os.path.join(HERE, "holding.c"), "-lpthread", "-ldl")
            self.program = program
        return [self.program, *map(str, arguments)]

    @contextlib.contextmanager
    def awkward_target(self, *arguments):
        """Such a process. It may have ended when the check is over, but must not be held."""
        with subprocess.Popen(self.awkward(*arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                line = process.stdout.readline()
                if line != b"ready\n":
                    raise Skipped(f"no such process here: {process.wait()}")
                yield process
                self.goes_on(process.pid)
            finally:
                process.kill()

    @contextlib.contextmanager
    def crowd(self):
        """Processes with many threads, one of which was stopped before: [(process, was it stopped)]."""
        with contextlib.ExitStack() as stack:
            found = []
            for n in range(4):
                process = stack.enter_context(
                    subprocess.Popen([self.threads(), "31"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                stack.callback(process.kill)
                found.append((process, n == 1))
            for process, stopped in found:
                wait_until(lambda process=process: len(thread_states(process.pid)) == 32, "start of the threads")
                if stopped:
                    process.send_signal(signal.SIGSTOP)
                    wait_until(lambda process=process: set(thread_states(process.pid)) == {"T"}, "stop")
            yield found

    @staticmethod
    def is_as_before(process, stopped):
        return tracer_of(process.pid) == 0 and set(thread_states(process.pid)) == ({"T"} if stopped else {"S"})

    def check_killed_at_any_moment(self):
        """mqdump, its reader, its holder, or all of them."""
        moments, seed = 0, random.randrange(1 << 32)
        chance = random.Random(seed)
        with self.crowd() as crowd, self.awkward_target("storm") as storm, self.awkward_target("exec", 8) as execs:
            pids = [process.pid for process, _ in crowd] + [storm.pid, execs.pid]
            start = time.monotonic()
            self.run(*pids, fake="words")
            seconds = time.monotonic() - start
            for n in range(ROUNDS):
                # Ended meanwhile, in every other round.
                with self.victim() as victim:
                    mqdump = self.start(*pids, victim.pid, fake="words")
                    if n % 3:
                        time.sleep(chance.uniform(0, seconds))
                    else:
                        wait_until(lambda mqdump=mqdump: any(map(tracer_of, pids)) or mqdump.poll() is not None, "hold")
                    moments += any(map(tracer_of, pids))
                    if n % 2:
                        victim.kill()
                    whom = (mqdump.pid, reader_of(mqdump), holder_of(mqdump))
                    for pid in ([whom[n % 4]] if n % 4 < 3 else chance.sample(whom, 3)):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL) if pid > 0 else None
                    try:
                        self.finish(mqdump)
                        for process, stopped in crowd:
                            wait_until(lambda process=process, stopped=stopped: self.is_as_before(process, stopped),
                                       f"process {process.pid} is as before")
                        for pid in (storm.pid, execs.pid):
                            wait_until(lambda pid=pid: tracer_of(pid) == 0, f"end of tracing of {pid}")
                    except Failed as error:
                        raise Failed(f"round {n}, seed {seed}: {error}") from None
        expect(moments > 0, f"held in {moments} of {ROUNDS} rounds only")

    def check_threads_that_call_exec(self):
        """To attach waits for exec, which waits for a thread that was attached to: each look comes to an end."""
        with self.awkward_target("exec", 12) as target:
            for n in range(ROUNDS * 2):
                start = time.monotonic()
                result = self.run(target.pid, fake="words")
                seconds = time.monotonic() - start
                expect(seconds < 3, f"look {n}: {seconds:.1f} seconds\n{result}")
                expect("MPI_COMM_WORLD" in result.out or re.search("it has ended|it runs no program", result.err),
                       f"look {n}\n{result}")
                self.goes_on(target.pid)

    def check_storm_of_threads(self):
        with self.awkward_target("storm") as target:
            for n in range(ROUNDS // 4):
                result = self.run(target.pid, fake="words")
                expect("MPI_COMM_WORLD" in result.out, f"look {n}\n{result}")
                self.goes_on(target.pid)

    def check_page_that_never_comes(self):
        """The reader waits for it in the kernel: all processes go on, and mqdump says why it has nothing."""
        with self.target() as other, self.awkward_target("page") as target:
            start = time.monotonic()
            mqdump = self.start(other.pid, target.pid, fake="page")
            self.held(mqdump, other.pid)
            wait_until(lambda: tracer_of(other.pid) == 0 and tracer_of(target.pid) == 0, "end of tracing", LIMIT + 3)
            result = self.finish(mqdump)
            seconds = time.monotonic() - start
            result.says(1, f"process {target.pid}: reading it took too long: it was let go before it was read")
            expect(seconds < LIMIT + GRACE + 4, f"{seconds:.1f} seconds\n{result}")

    def check_reader_that_is_stopped(self):
        """What it has read when it goes on is of no one moment."""
        with self.target() as target:
            mqdump = self.start(target.pid, fake="slow")
            self.held(mqdump, target.pid)
            reader = reader_of(mqdump)
            os.kill(reader, signal.SIGSTOP)
            wait_until(lambda: tracer_of(target.pid) == 0, "end of tracing", LIMIT + 3)
            os.kill(reader, signal.SIGCONT)
            result = self.finish(mqdump)
            result.says(1, f"process {target.pid}: it took too long to read the processes, which were let go before")
            expect("MPI_COMM_WORLD" not in result.out, f"nothing of it is shown\n{result}")

    def check_holder_that_is_stopped(self):
        with self.target() as target:
            mqdump = self.start(target.pid, fake="slow")
            self.held(mqdump, target.pid)
            os.kill(holder_of(mqdump), signal.SIGSTOP)
            result = self.finish(mqdump)
            result.says(1, f"process {target.pid}: mqdump's own process that holds others has ended, or did not answer")
            expect("MPI_COMM_WORLD" not in result.out, f"nothing of it is shown\n{result}")

    def check_holder_that_is_killed(self):
        with self.target() as target:
            mqdump = self.start(target.pid, fake="slow")
            self.held(mqdump, target.pid)
            os.kill(holder_of(mqdump), signal.SIGKILL)
            self.goes_on(target.pid)
            result = self.finish(mqdump)
            result.says(1, f"process {target.pid}: mqdump's own process that holds others has ended, or did not answer")
            expect("MPI_COMM_WORLD" not in result.out, f"nothing of it is shown\n{result}")

    def check_reader_that_is_killed(self):
        with self.target() as target:
            mqdump = self.start(target.pid, fake="slow")
            self.held(mqdump, target.pid)
            os.kill(reader_of(mqdump), signal.SIGKILL)
            self.goes_on(target.pid)
            self.finish(mqdump).says(1, f"was ended by signal 9 .* while it read process {target.pid}")

    def check_library_mapped_at_the_last_moment(self):
        """No file is opened while a process is held: this one has its debug information in a pipe."""
        library, source = self.path("libmca_late.so"), self.path("late.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int late = 1;\n")
        self.compile("-shared", "-fPIC", "-g", "-Wl,--build-id=none", "-o", library, source)
        debug = self.path("libmca_late.debug")
        try:
            subprocess.run(["objcopy", "--only-keep-debug", library, debug], check=True)
            subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", library], check=True)
        except FileNotFoundError:
            raise Skipped("no objcopy") from None
        os.unlink(debug)
        os.mkfifo(debug)
        with subprocess.Popen(self.awkward("map", library), stdout=subprocess.PIPE) as target:
            wait_until(lambda: status_of(target.pid).get("State", "").startswith("S"), "start of the target")
            mqdump = self.start(target.pid, fake="image_slow")
            try:
                expect(b"examining" in mqdump.stderr.readline(), "the DLL is asked before anything is stopped")
                target.send_signal(signal.SIGUSR1)
                expect(target.stdout.readline() == b"ready\n", "the library was mapped")
                wait_until(lambda: tracer_of(target.pid) != 0 or mqdump.poll() is not None, "the first hold")
                self.goes_on(target.pid)
            finally:
                mqdump.kill()
                mqdump.communicate()
                target.kill()


if __name__ == "__main__":
    sys.exit(run_checks(Holding, __doc__))
