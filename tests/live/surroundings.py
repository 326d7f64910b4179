#!/usr/bin/env python3
"""mqdump where something is missing that programs take for granted.

It is started with descriptors closed, outputs that are full, few descriptors, little memory, no /proc, a clock that
jumps, signals blocked or ignored, and so on. It shows what it always shows, or says why not, and every rank goes on.
"""

import itertools
import os
import stat
import sys
import time

from failing import CORES, Failing, JOB, Judge, LIST, PIDS, RECORD, SAVE
from mqdump_errors import OTHER_USER, Skipped, expect, run_checks

USES = (PIDS, JOB, SAVE, CORES, RECORD, LIST)

# What is done in the process that becomes mqdump: these lines are run by Python, with the command as sys.argv[1:].
PRELUDE = "import os, resource, signal, sys; command = sys.argv[1:]\n"
EXEC = "\nos.execv(command[0], command)"

CLOSED = "for number in {}: os.close(number)"
LIMIT = "resource.setrlimit(resource.RLIMIT_{0}, ({1}, {1}))"


def before(lines):
    """A command that runs these lines and becomes what follows it."""
    return [sys.executable, "-S", "-c", PRELUDE + lines + EXEC]


class Surroundings(Failing):
    """All checks; each method whose name starts with check_ is one."""

    def in_each(self, starts, check, uses=USES, kind="surroundings"):
        """
        Runs mqdump behind each command that starts it, in each use; `check` judges how it ended. The kind is as that of
        a call that fails.
        """
        with self.places() as free:
            place = free.get()
            for use in uses:
                judge = Judge(use, place)
                for start in starts:
                    begin = time.monotonic()
                    end = use.run(place, start=start)
                    judge.expect_good(kind, end, lambda: check(judge, end),
                                      f"{use.name}, {start[-1]}, {time.monotonic() - begin:.1f} s")

    @staticmethod
    def same(judge, end):
        """Nothing is missing."""
        expect(end.status == "0" and judge.same(end), "it is not as always")

    @staticmethod
    def told(_judge, _end):
        """What is missing is told; Judge has looked at that."""

    @staticmethod
    def unwritten(_judge, end):
        expect(end.status == "1", "nothing can be written, and the status is another")

    def check_closed_descriptors(self):
        sets = [list(some) for n in (1, 2, 3) for some in itertools.combinations(range(3), n)]
        for closed, check, kind in ((lambda numbers: 1 not in numbers, self.same, "surroundings"),
                                    (lambda numbers: 1 in numbers and 2 not in numbers, self.unwritten, "surroundings"),
                                    (lambda numbers: 1 in numbers and 2 in numbers, self.unwritten, "write+")):
            self.in_each([before(CLOSED.format(numbers)) for numbers in sets if closed(numbers)], check, kind=kind)

    def check_full_outputs(self):
        if not os.path.exists("/dev/full"):
            raise Skipped("no /dev/full")
        full = "full = os.open('/dev/full', os.O_WRONLY)\nfor number in {}: os.dup2(full, number)\nos.close(full)"
        self.in_each([before(full.format([2]))], self.same)
        self.in_each([before(full.format([1]))], self.unwritten)
        self.in_each([before(full.format([1, 2]))], self.unwritten, kind="write+")

    def check_reader_that_has_gone(self):
        """Of standard output or of the messages: mqdump ends by SIGPIPE, or with a status where that is ignored."""
        gone = "ends = os.pipe()\nos.dup2(ends[1], {})\nos.closerange(3, 10)\nsignal.signal(signal.SIGPIPE, signal.{})"
        self.in_each([before(gone.format(1, "SIG_DFL"))], lambda judge, end: expect(end.status == "-13", "it goes on"),
                     kind="pipe ended")
        self.in_each([before(gone.format(1, "SIG_IGN"))], self.unwritten)
        self.in_each([before(gone.format(2, name)) for name in ("SIG_DFL", "SIG_IGN")], self.same)

    def check_few_descriptors(self):
        self.in_each([before(LIMIT.format("NOFILE", n)) for n in (64, 32, 16, 12, 10, 8, 6, 5, 4, 3)], self.told)

    def check_little_memory(self):
        self.in_each([before(LIMIT.format("AS", n << 20)) for n in (16, 24, 32, 48, 64, 96, 128, 192, 256, 512)],
                     self.told)

    def check_small_stack(self):
        self.in_each([before(LIMIT.format("STACK", n << 10)) for n in (512, 1024)], self.same)

    def check_files_that_may_not_grow(self):
        """Standard output is a pipe. A record is a file."""
        start = before("signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + LIMIT.format("FSIZE", 1000))
        self.in_each([start], self.told, [SAVE])
        self.in_each([start], self.same, [RECORD, CORES, PIDS])

    def check_no_more_processes(self):
        """Of another user than root, for whom the limit does not hold."""
        if os.geteuid() != 0:
            raise Skipped("only root can become another user")
        os.chmod(self.directory, 0o755)
        start = before(f"os.setgroups([])\nos.setgid({OTHER_USER})\nos.setuid({OTHER_USER})\n" +
                       LIMIT.format("NPROC", 0))
        self.in_each([start], self.told, [CORES, RECORD, LIST])

    def check_no_proc(self):
        if os.geteuid() != 0:
            raise Skipped("only root can hide /proc")
        start = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs /proc && exec "$@"', "sh"]
        self.in_each([start], self.told)
        self.in_each([start], self.same, [RECORD])

    def check_clock_that_jumps(self):
        """Deadlines are not of the time of day: nothing is given up, and what waits for hours is ended by fail_call."""
        library = self.helper("jump_clock")
        def check(judge, end):
            if judge.use is not LIST:
                self.same(judge, end)
            expect(end.status == "0", "it fails")

        self.in_each([["env", f"LD_PRELOAD={library}"]], check)

    def check_signals_that_are_inherited(self):
        self.in_each([before("signal.signal(signal.SIGCHLD, signal.SIG_IGN)"),
                      before("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))"),
                      before("for number in (1, 2, 3, 10, 12, 13, 14, 15, 17, 20, 21, 22): "
                             "signal.signal(number, signal.SIG_IGN)"),
                      before("signal.setitimer(signal.ITIMER_REAL, 3600)\n"
                             "signal.signal(signal.SIGALRM, signal.SIG_IGN)")],
                     self.same)

    def check_directory_that_was_removed(self):
        self.in_each([before("name = '{0}'\nos.makedirs(name)\nos.chdir(name)\nos.rmdir(name)"
                             .format(self.path("removed")))], self.same)

    def check_environment(self):
        """None at all; no HOME; and values that are none."""
        self.in_each([["env", "-i"], ["env", "-u", "HOME"], ["env", "-u", "PATH"],
                      ["env", "LC_ALL=nowhere", "TZ=/../..", "TERM=", "COLUMNS=-1", "HOME=/nowhere"]], self.same)

    def check_no_name(self):
        """The command has no name, or an empty one."""
        self.in_each([["bash", "-c", 'exec -a "" "$0" "$@"']], self.same)

    def check_mask_of_files(self):
        """What a mask forbids, nobody may do to a new file. An existing one stays as it is."""
        with self.places() as free:
            place = free.get()
            judge = Judge(SAVE, place)
            record = os.path.join(place.saved, "record")
            for mask, mode in ((0o777, 0), (0o077, 0o600), (0o022, 0o600 if os.geteuid() == 0 else 0o644)):
                end = SAVE.run(place, start=before(f"os.umask({mask})"))
                judge.expect_good("umask", end, lambda end=end: self.same(judge, end), f"umask {mask:o}")
                found = stat.S_IMODE(os.stat(record).st_mode)
                expect(found == mode, f"umask {mask:o}: mode {found:o}, not {mode:o}")


if __name__ == "__main__":
    sys.exit(run_checks(Surroundings, __doc__))
