"""The steps of tests/all: which there are, what each needs, and which may run side by side.

A step runs as soon as what it needs has ended well and the machine has room for it; its line comes when it ends. A
failure is shown, counted, and keeps only those from running that need it. Logs are in build/all.
"""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time

import count

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(TOP, "build", "all")
TAIL = 40       # lines of a log that are shown of a failure
PATIENCE = 5    # seconds that a step has to end when it is told to
SKIPPED = 77    # the exit status of a test that cannot be run here

N_CORES = len(os.sched_getaffinity(0))
# Room is counted in sixths of two cores. Live tests wait for most of their time, compilers never.
ROOM = 3 * N_CORES
LIVE, BUSY, ALL = 2, 3, ROOM

PYTHON = f"{shlex.quote(sys.executable)} -B"
GCC = os.path.join(LOGS, "gcc")
TESTED = f"--mqdump {shlex.quote(GCC)}/mqdump --dll {shlex.quote(GCC)}/.libs/libompi_dbg_msgq.so"
ROOTS = "build/releases"
MAY_LACK = ("bullseye", "forky")     # suites leave mirrors, or change; trixie is always to be had


class Step:
    """
    A command of the shell, and the names of the steps before it: those that must have ended well, and those that only
    must have ended. `place`: of the steps with the same one runs at a time. `may_skip`: it may have to skip everything.
    """

    def __init__(self, name, command, room, needs=(), after=(), place=None, may_skip=False):
        self.name = name
        self.command = command
        self.room = room
        self.needs = needs
        self.after = after
        self.place = place
        self.may_skip = may_skip
        self.log = os.path.join(LOGS, f"{name}.log")
        self.process = None
        self.begin = 0.0

    def start(self):
        """In a session of its own: what it leaves behind can be ended with it."""
        self.begin = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["sh", "-euc", self.command], cwd=TOP, env=environment(), stdout=log,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)

    def poll(self):
        """Its exit status, None while it runs. Beside the logs it is noted how long it took, and of the processors."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        with open(os.path.join(LOGS, "times"), "a", encoding="utf-8") as file:
            file.write(f"{self.name}: {time.monotonic() - self.begin:.0f} s, of the processors "
                       f"{usage.ru_utime + usage.ru_stime:.0f} s\n")
        return self.process.returncode

    def end(self):
        """Ends it before its time, with all that it has started and that is still in its session."""
        patience = time.monotonic() + PATIENCE
        for pid in session_of(self.process.pid):
            send(pid, signal.SIGTERM)
        while left := session_of(self.process.pid):
            for pid in left if time.monotonic() > patience else ():
                send(pid, signal.SIGKILL)
            time.sleep(0.05)
        self.process.wait()

    def report(self, status):
        """Its line; True unless it failed."""
        if status == SKIPPED and self.may_skip:
            with open(self.log, "a", encoding="utf-8") as log:
                log.write("0 passed, 0 failed, 1 skipped\n")
            status = 0
        if status == 0:
            print(f"ok      {self.name} ({time.monotonic() - self.begin:.0f} s)", flush=True)
            return True
        with open(self.log, encoding="utf-8", errors="replace") as log:
            tail = "".join(f"        {line.rstrip()}\n" for line in log.readlines()[-TAIL:])
        print(f"FAILED  {self.name}: {os.path.relpath(self.log, TOP)} ends with\n{tail}", end="", flush=True)
        return False


def send(pid, number):
    """A signal, to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def session_of(leader):
    """The processes of a session that live."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                state, _, _, session = file.read().rsplit(")", 1)[1].split()[:4]
            if int(session) == leader and state not in "ZX":
                found.append(int(name))
        except (OSError, IndexError, ValueError):
            continue
    return found


def build(name, options=""):
    """A build of its own, warnings being errors."""
    return (f"mkdir build/all/{name}\ncd build/all/{name}\n../../../configure --enable-werror {options}\n"
            f"make -j{N_CORES}")


def check_live(scripts):
    return f"make -C build/all/gcc check-live WHICH_LIVE='{scripts}'"


def release(suite, source=""):
    """The same programs on another Open MPI, as a release of Debian has it, with the same mqdump and DLL outside."""
    what = f"--root {ROOTS}/{suite} {TESTED}"
    return (f"{PYTHON} tests/live/releases.py run {what} {source}\n{PYTHON} tests/live/alongside.py {what}\n"
            f"{PYTHON} tests/live/job_finding.py {what}")


def prepare(suite):
    command = f"{PYTHON} tests/live/releases.py prepare {ROOTS} {suite}"
    return f"{command} || test $? = {SKIPPED}" if suite in MAY_LACK else command


def all_steps():
    """In the order in which they are begun where there is a choice: long ones first."""
    steps = [
        Step("packages", "tests/packages", ALL),
        Step("autoreconf", "autoreconf -fi", BUSY, ("packages",)),
        Step("openmpi-source", "tests/openmpi-source build/source", LIVE, ("packages",)),
        Step("module-systems", "tests/module-systems build/modules", LIVE, ("packages",)),
        Step("gcc", build("gcc"), BUSY, ("autoreconf",)),
    ]
    ready = {"needs": ("gcc",), "after": ("openmpi-source", "module-systems")}
    if os.geteuid() == 0:
        # Programs for all of these are compiled in the oldest: that is there before any runs.
        steps += [Step(f"prepare-{suite}", prepare(suite), LIVE, ("packages",), place="unpack")
                  for suite in ("bullseye", "trixie", "forky")]
        ready["after"] += ("prepare-bullseye",)
        for suite, source in (("forky", ""), ("bullseye", ""), ("trixie", "--source build/source/trixie")):
            steps.append(Step(f"release-{suite}", release(suite, source), LIVE, ("gcc", f"prepare-{suite}"),
                              ready["after"], may_skip=suite in MAY_LACK))
    # Open MPI 4 sweeps the directory that all of a user's jobs share: one at a time.
    steps += [
        Step("live", check_live("run.py awkward.py mqdump_errors.py job_finding.py"), LIVE, place="here", **ready),
        # Its make check is that of tests/all.
        Step("distcheck", f"make -C build/all/gcc -j{N_CORES} distcheck VERBOSE=1", BUSY, **ready),
        Step("verdicts", check_live("verdicts.py"), BUSY, place="here", **ready),
    ]
    if os.geteuid() == 0:
        roots = " ".join(f"--root {ROOTS}/{suite}" for suite in ("trixie", "bullseye", "forky"))
        steps += [
            Step("release-verdicts", f"{PYTHON} tests/live/releases.py verdicts --root {ROOTS}/trixie {TESTED}", BUSY,
                 ("gcc", "prepare-trixie"), ready["after"]),
            Step("release-awkward", f"{PYTHON} tests/live/awkward.py {roots} {TESTED}", LIVE, ("gcc", "prepare-trixie"),
                 ("prepare-bullseye", "prepare-forky")),
            Step("release-here", f"{PYTHON} tests/live/alongside.py {TESTED}", LIVE, place="here", **ready),
        ]
    else:
        print("skipped other releases: only root can unpack and enter them", flush=True)
    sanitizers = "CFLAGS='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'"
    steps += [
        Step("valgrind", f"make -C build/all/gcc -j{N_CORES} check-valgrind", BUSY, **ready),
        Step("sanitizers", build("sanitizers", sanitizers), BUSY, ("autoreconf",), ("gcc",)),
        Step("check-sanitizers", "make -C build/all/sanitizers check-unit VERBOSE=1", BUSY, ("sanitizers",)),
        Step("clang", build("clang", "CC=clang"), BUSY, ("autoreconf",), ("gcc",)),
        Step("check-clang", "make -C build/all/clang check-unit VERBOSE=1", BUSY, ("clang",)),
    ]
    if os.environ.get("MQD_OMPI_REPOSITORY") and os.environ.get("MQD_OMPI_HEADERS"):
        steps.append(Step("release-tables", "make -C build/all/gcc check-release", BUSY, **ready))
    else:
        print("skipped check-release: MQD_OMPI_REPOSITORY and MQD_OMPI_HEADERS name nothing", flush=True)
    # It measures: alone.
    steps.append(Step("bench", "make -C build/all/gcc bench", ALL, needs=("gcc",), after=[step.name for step in steps]))
    return steps


def environment():
    """Nothing may be skipped for want of Open MPI, its launcher or its sources; and what is at hand by now."""
    variables = dict(os.environ, MQD_TEST_ALL="1", MQD_TEST_LOGS=os.path.join(LOGS, "dist"))
    for name, path, sign in (("MQD_OMPI_SOURCE", "source/openmpi", "ompi"), ("MQD_MODULES", "modules", "unpacked")):
        if os.path.exists(os.path.join(TOP, "build", path, sign)):
            variables[name] = os.path.join(TOP, "build", path)
    return variables


class Run:
    """Which steps wait, run, have ended well or failed."""

    def __init__(self, steps):
        self.waiting = steps
        self.running = []
        self.good, self.bad = set(), set()
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
        """Handles a signal: between two steps, of which none is half begun then."""
        self.signal = number

    def work(self):
        """Runs all, or until a signal; the number of failures."""
        try:
            while (self.waiting or self.running) and self.signal is None:
                self.start_what_can()
                time.sleep(0.1)
                self.end_what_has()
        finally:
            for step in self.running:
                step.end()
        return len(self.bad)


def prepare_logs():
    """An empty directory. An interrupted distcheck leaves directories that nobody may write to."""
    if os.path.exists(LOGS):
        subprocess.run(["chmod", "-R", "u+w", LOGS], check=True)
        shutil.rmtree(LOGS)
    os.makedirs(LOGS)


def main():
    """The exit status."""
    prepare_logs()
    run = Run(all_steps())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, run.interrupt)
    n_failed = run.work()
    return 128 + run.signal if run.signal else count.main(n_failed, LOGS)


if __name__ == "__main__":
    sys.exit(main())
