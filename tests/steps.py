"""Runs the steps of a test: what each needs, and which may run at the same time. tests/plan.py says which steps there are.

A step starts when the steps that it needs have succeeded and the machine has room for it. Its line is printed when it
ends. A failure is shown and counted. It prevents only the steps that need the failed one. Logs are in build/all.
"""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import count

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TOP, "tests", "live"))

import cases  # noqa: E402  (the path above comes first)
import job  # noqa: E402

LOGS = os.path.join(TOP, "build", "all")
TAIL = 12       # how many lines at the end of a log are shown after a failure
DIGEST = 40     # how many lines about failures anywhere in the log are shown before them
WATCHDOG = 7200 # seconds that no step ever needs
PATIENCE = 5    # seconds in which processes end that have to: before SIGKILL, and when a step is over
SKIPPED = 77    # the exit status of a test that cannot be run here

N_CORES = len(os.sched_getaffinity(0))
# Room is counted in fourths of a core. Live tests wait most of the time, and compilers and unit tests for the disk.
ROOM = 4 * N_CORES
LIVE, BUSY, ALL = 2, 3, ROOM


def name_of(pid):
    """The command of a process as the kernel has it; nothing if it has ended meanwhile."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return " ".join(file.read().split("\0")).strip()
    except OSError:
        return ""


class Step:
    """
    A shell command. `needs` names the steps that must have succeeded before; `after` names those that must have ended.
    Only one step of each `place` runs at a time. A step with `may_skip` is allowed to skip everything. If the step
    `tests`, it has failed if no test was executed; `results` is then the directory of its tests' logs, if these are not
    all in its own one. `sources` begin the names of the files that it is a proof of.
    """

    def __init__(self, name, command, room, needs=(), after=(), place=None, may_skip=False, tests=False, results=None,
                 sources=("",)):
        self.name = name
        self.command = command
        self.room = room
        self.needs = needs
        self.after = after
        self.place = place
        self.may_skip = may_skip
        self.tests = tests
        self.results = results
        self.sources = sources
        self.process = None
        self.begin = self.since = 0.0
        self.seconds = None
        self.counted = count.Counted()

    @property
    def log(self):
        return os.path.join(LOGS, f"{self.name}.log")

    def start(self):
        """Starts the command in a session of its own. So all processes that it leaves behind can be ended."""
        self.begin = time.monotonic()
        with open(self.log, "wb") as log:
            self.since = os.fstat(log.fileno()).st_mtime
            self.process = subprocess.Popen(["sh", "-euc", self.command], cwd=TOP, env=environment(), stdout=log,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)

    def poll(self):
        """Returns the exit status, None while it runs. Writes the elapsed and the processor time to a file."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - self.begin
        with open(os.path.join(LOGS, "times"), "a", encoding="utf-8") as file:
            file.write(f"{self.name}: {self.seconds:.0f} s, of the processors "
                       f"{usage.ru_utime + usage.ru_stime:.0f} s\n")
        return self.process.returncode

    def end(self):
        """Ends a running step and all processes of its session."""
        patience = time.monotonic() + PATIENCE
        for pid in job.session_of(self.process.pid):
            send(pid, signal.SIGTERM)
        while left := job.session_of(self.process.pid):
            for pid in left if time.monotonic() > patience else ():
                send(pid, signal.SIGKILL)
            time.sleep(0.05)
        self.process.wait()

    def judge(self, status):
        """Counts the tests. Returns why the step has failed, or None."""
        rest = cases.rest_of(lambda: job.session_of(self.process.pid), PATIENCE)
        left = [f"{pid} ({name_of(pid)})" for pid in rest]
        if left:
            self.end()
        if status == SKIPPED and self.may_skip:
            self.counted.skipped += 1
            status = 0
        elif self.tests:
            self.counted = count.of(self.results or self.log, self.since)
            if status == 0 and not self.counted.passed:
                return "no test was executed"
        if status != 0:
            return f"it ended with {status}"
        if self.counted.failed:
            return f"{self.counted.failed} tests failed"
        if self.counted.unexplained:
            return "skipped for reasons that are not in tests/skips.txt: " + "; ".join(self.counted.unexplained)
        if left:
            return f"it left {len(left)} processes behind: {', '.join(left)}"
        return None

    def report(self, status):
        """Prints the line of a step. Returns False if it failed."""
        problem = self.judge(status)
        if problem is None:
            print(f"ok      {self.name} ({self.seconds:.0f} s{self.counted.text()})", flush=True)
            return True
        self.counted.failed = max(1, self.counted.failed)
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        print(f"FAILED  {self.name} ({self.seconds:.0f} s): {problem}; {os.path.relpath(self.log, TOP)} has")
        for line in digest(lines) + ["..."] + lines[-TAIL:] + [f"repeat: tests/all {self.name}"]:
            print(f"        {line[:200]}", flush=True)
        return False


FAILURE = re.compile(r"failed\b|FAILED\b|FAIL:|ERROR:|\[ +(FAILED|ERROR) +\]|make.*\*\*\*|.*\berror: ")


def digest(lines):
    """Returns the lines of a log that tell of a failure, each with the indented ones that explain it."""
    found, explains = [], False
    for line in lines:
        explains = FAILURE.match(line) is not None or (explains and line.startswith("    "))
        if explains:
            found.append(line)
    return found[:DIGEST]


def send(pid, number):
    """Sends a signal to a process that may have ended already, or be another user's: sudo's."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def environment():
    """
    Returns the environment of a step. MQD_TEST_ALL makes it an error if Open MPI, its launcher or its sources are
    missing. Other variables name what earlier steps have prepared.
    """
    variables = dict(os.environ, MQD_TEST_ALL="1", MQD_TEST_LOGS=os.path.join(LOGS, "dist"))
    for name, path, sign in (("MQD_OMPI_SOURCE", "source/openmpi", "ompi"), ("MQD_MODULES", "modules", "unpacked"),
                             ("MQD_SSHD", "sshd", "unpacked")):
        if os.path.exists(os.path.join(TOP, "build", path, sign)):
            variables[name] = os.path.join(TOP, "build", path)
    return variables


class Run:
    """
    The state of all steps: which wait, which run, which have succeeded (good) or failed (bad). At the time `until`, by
    the monotonic clock, what is not done is given up, and is none of these.
    """

    def __init__(self, steps, until=None):
        self.steps = list(steps)
        self.waiting = steps
        self.running = []
        self.good, self.bad = set(), set()
        self.until = until
        self.signal = None

    def can_start(self, step):
        return (self.good.issuperset(step.needs) and (self.good | self.bad).issuperset(step.after) and
                step.room <= ROOM - sum(other.room for other in self.running) and
                (step.place is None or step.place not in [other.place for other in self.running]))

    def start_what_can(self):
        for step in list(self.waiting):
            if self.bad.intersection(step.needs):
                lacking = ", ".join(sorted(self.bad.intersection(step.needs)))
                print(f"FAILED  {step.name}: without {lacking}", flush=True)
                step.counted.failed = 1
                self.waiting.remove(step)
                self.bad.add(step.name)
            elif self.can_start(step):
                self.waiting.remove(step)
                self.running.append(step)
                step.start()

    def end_what_has(self):
        for step in list(self.running):
            status = step.poll()
            if status is not None:
                self.running.remove(step)
                (self.good if step.report(status) else self.bad).add(step.name)

    def interrupt(self, number, _frame):
        """Records a signal. `work` acts on it when no step is being started."""
        self.signal = number

    def is_over(self):
        return self.until is not None and time.monotonic() > self.until

    def work(self):
        """Runs all steps, or until a signal or the end of the time. Returns the number of failed steps."""
        try:
            while (self.waiting or self.running) and self.signal is None:
                for step in self.running:
                    if time.monotonic() - step.begin > WATCHDOG:
                        send(step.process.pid, signal.SIGKILL)
                if self.is_over():
                    print("the time is over, unfinished: " +
                          ", ".join(step.name for step in [*self.running, *self.waiting]), flush=True)
                    break
                self.start_what_can()
                time.sleep(0.05)
                self.end_what_has()
        finally:
            for step in self.running:
                step.end()
        return len(self.bad)

    def counted(self):
        """Returns how many tests of all steps passed, failed and were skipped."""
        return sum((step.counted for step in self.steps), count.Counted())


def prepare_logs():
    """Makes an empty directory for logs. An interrupted distcheck leaves directories without write permission."""
    if os.path.exists(LOGS):
        subprocess.run(["chmod", "-R", "u+w", LOGS], check=True)
        shutil.rmtree(LOGS)
    os.makedirs(LOGS)


def mind_signals(run):
    """A signal ends the steps that run."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, run.interrupt)
