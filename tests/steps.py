"""The steps of tests/all: what they do, what each needs, and which may run at the same time.

A step starts when the steps that it needs have succeeded and the machine has room for it. Its line is printed when it
ends. A failure is shown and counted. It prevents only the steps that need the failed one. Logs are in build/all.

With --minutes no step starts after that time, and a line names each that is left out: so a slow machine does less, and
the time that all takes has a bound.
"""
import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import count

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TOP, "tests", "live"))

import job  # noqa: E402  (the path above comes first)

LOGS = os.path.join(TOP, "build", "all")
TAIL = 12       # how many lines at the end of a log are shown after a failure
DIGEST = 24     # how many lines about failures anywhere in the log are shown before them
PATIENCE = 5    # seconds between SIGTERM and SIGKILL for a step that has to end
SKIPPED = 77    # the exit status of a test that cannot be run here

N_CORES = len(os.sched_getaffinity(0))
# Room is counted in fourths of a core. Live tests wait most of the time, and compilers and unit tests for the disk.
ROOM = 4 * N_CORES
LIVE, BUSY, ALL = 2, 3, ROOM

PYTHON = f"{shlex.quote(sys.executable)} -B"
GCC = os.path.join(LOGS, "gcc")
TESTED = f"--mqdump {shlex.quote(GCC)}/mqdump --dll {shlex.quote(GCC)}/.libs/libompi_dbg_msgq.so"
ROOTS = "build/releases"
UCX = "build/ucx"
# Suites about why jobs hang, but for that of states.py.
VERDICTS = ("verdicts", "points", "collectives", "windows", "wrappers")
MAY_LACK = ("bullseye", "forky")     # old suites leave the mirrors, and testing changes; trixie is always there


class Step:
    """
    A shell command. `needs` names the steps that must have succeeded before; `after` names those that must have ended.
    Only one step of each `place` runs at a time. A step with `may_skip` is allowed to skip everything.
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
        """Starts the command in a session of its own. So all processes that it leaves behind can be ended."""
        self.begin = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["sh", "-euc", self.command], cwd=TOP, env=environment(), stdout=log,
                                            stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)

    def poll(self):
        """Returns the exit status, None while it runs. Writes the elapsed and the processor time to a file."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        with open(os.path.join(LOGS, "times"), "a", encoding="utf-8") as file:
            file.write(f"{self.name}: {time.monotonic() - self.begin:.0f} s, of the processors "
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

    def report(self, status):
        """Prints the line of a step. Returns False if it failed."""
        if status == SKIPPED and self.may_skip:
            with open(self.log, "a", encoding="utf-8") as log:
                log.write("0 passed, 0 failed, 1 skipped\n")
            status = 0
        if status == 0:
            print(f"ok      {self.name} ({time.monotonic() - self.begin:.0f} s)", flush=True)
            return True
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = log.read().splitlines()
        print(f"FAILED  {self.name}: {os.path.relpath(self.log, TOP)} has")
        for line in digest(lines) + ["..."] + lines[-TAIL:]:
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
    """Sends a signal to a process that may have ended already."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def build(name, options=""):
    """Returns a command that builds in a directory of its own. Warnings are errors."""
    return (f"mkdir build/all/{name}\ncd build/all/{name}\n../../../configure --enable-werror {options}\n"
            f"make -j{N_CORES}")


def check_live(scripts):
    return f"make -C build/all/gcc check-live WHICH_LIVE='{scripts}'"


def in_own_directory(command):
    """Returns a command whose jobs do not share the directory of all jobs of a user, which Open MPI 4 cleans up."""
    return ("TMPDIR=$(mktemp -d /tmp/ompi-mqd-XXXXXX)\nexport TMPDIR\nstatus=0\n"
            f"{command} || status=$?\nrm -rf \"$TMPDIR\"\nexit $status")


def release(suite, options="", ucx_options=()):
    """
    Returns a command that runs the live tests with the Open MPI of another release of Debian. mqdump and the DLL are
    those of this machine's build.
    """
    what = f"--root {ROOTS}/{suite} {TESTED}"
    return (f"{PYTHON} tests/live/releases.py run {what} {options}\n{PYTHON} tests/live/alongside.py {what}\n"
            f"{PYTHON} tests/live/job_finding.py {what}" + "".join(
                f"\n{PYTHON} tests/live/releases.py run {what} --pml ucx --few {more} || test $? = {SKIPPED}"
                for more in ucx_options))


def release_verdicts(suite):
    """Returns a command that runs all suites about why jobs hang with the Open MPI of another release of Debian."""
    lines = [f"{PYTHON} tests/live/releases.py {name} --root {ROOTS}/{suite} {TESTED} || status=1"
             for name in (*VERDICTS, "states", "generated")]
    return "\n".join(["status=0", *lines, "exit $status"])


def ucx(*runs):
    """
    Returns a command that runs the live tests with the PML ucx. A run is a UCX, the installed one if it is "", variants
    of how it sends, and whether only few cases are run. Open MPI 4 cleans up a directory that all jobs of a user share,
    unless they have one of their own.
    """
    lines = ["TMPDIR=$(mktemp -d /tmp/ompi-mqd-ucx-XXXXXX)", "export TMPDIR", "status=0"]
    for target, variants, few in runs:
        options = [f"--variant {variant}" for variant in variants] + (["--few"] if few else [])
        if target:
            options.append(f"--ucx {UCX}/{target}")
        lines.append(f"{PYTHON} tests/live/run.py --pml ucx {' '.join(options)} {TESTED} || "
                     f"test $? = {SKIPPED} || status=1")
    return "\n".join([*lines, "test $status != 0 || rm -rf \"$TMPDIR\"", "exit $status"])


def prepare(suite):
    command = f"{PYTHON} tests/live/releases.py prepare {ROOTS} {suite}"
    return f"{command} || test $? = {SKIPPED}" if suite in MAY_LACK else command


def release_step(suite, after):
    """
    The live tests with another release. The layout of bullseye's 4.1.0 is that of the release here, so one case of each
    program will do. In bullseye UCX does not start where there is no network adapter. Open MPI 6.0 runs with its own
    UCX, which is as new, and with one of which there is a layout.
    """
    options, ucx_options = {"bullseye": ("--few", ()), "trixie": ("--source build/source/trixie", ("--variant shm",)),
                            "forky": ("", ("--variant shm", f"--variant tcp --ucx {UCX}/trixie"))}[suite]
    return Step(f"release-{suite}", release(suite, options, ucx_options), LIVE, ("gcc", f"prepare-{suite}"), after,
                may_skip=suite in MAY_LACK)


def all_steps():
    """Returns the steps. If several can start, they start in this order: those that must not be left out come first."""
    steps = [
        Step("packages", "tests/packages", ALL),
        Step("autoreconf", "autoreconf -fi", BUSY, ("packages",)),
        Step("openmpi-source", "tests/openmpi-source build/source", LIVE, ("packages",)),
        Step("module-systems", "tests/unpack build/modules environment-modules lmod", LIVE, ("packages",)),
        # If it was installed, it would open a port of this machine.
        Step("sshd", "tests/unpack build/sshd openssh-server libwrap0", LIVE, ("packages",)),
        Step("gcc", build("gcc"), BUSY, ("autoreconf",)),
    ]
    ready = {"needs": ("gcc",), "after": ("openmpi-source", "module-systems", "sshd")}
    is_root = os.geteuid() == 0
    if is_root:
        # The test programs for all these suites are compiled in the oldest one. So its root is prepared first.
        steps += [Step(f"prepare-{suite}", prepare(suite), LIVE, ("packages",), after, place="unpack")
                  for suite, after in (("bullseye", ()), ("trixie", ("gcc",)), ("forky", ("gcc",)))]
        ready["after"] += ("prepare-bullseye",)
    else:
        print("skipped other releases: only root can unpack and enter them", flush=True)
    # Open MPI 4 cleans up a directory that all jobs of a user share. So only one of the steps of "here" runs at a time.
    steps += [
        # The make check inside distcheck is the only one of tests/all.
        Step("distcheck", f"make -C build/all/gcc -j{N_CORES} distcheck VERBOSE=1", BUSY, **ready),
        Step("page", in_own_directory(check_live("page.py")), LIVE, **ready),
        Step("verdicts", check_live("verdicts.py points.py chains.py"), LIVE, place="here", **ready),
        Step("watching", in_own_directory(check_live("watching.py")), LIVE, **ready),
        Step("live", check_live("run.py mqdump_errors.py"), LIVE, place="here", **ready),
        Step("ucx", ucx(("", ("shm",), False)), LIVE, place="ucx", **ready),
    ]
    if is_root:
        steps.append(release_step("trixie", ready["after"]))
    steps += [
        Step("collectives", check_live("collectives.py windows.py wrappers.py"), BUSY, place="here", **ready),
        Step("failing", in_own_directory(check_live("failing.py surroundings.py reach.py")), LIVE, **ready),
        Step("attacks", check_live("holding.py attacks.py job_finding.py states.py awkward.py cm.py"), LIVE,
             place="here", **ready),
    ]
    if is_root:
        roots = " ".join(f"--root {ROOTS}/{suite}" for suite in ("trixie", "bullseye", "forky"))
        steps += [
            Step("nodes", f"{PYTHON} tests/live/nodes.py --root {ROOTS}/trixie {TESTED}", LIVE,
                 ("gcc", "prepare-trixie"), ready["after"], place="nodes", may_skip=True),
            Step("slurm", f"{PYTHON} tests/live/slurm.py {TESTED}", LIVE, place="slurm", may_skip=True, **ready),
            Step("release-verdicts", release_verdicts("trixie"), BUSY, ("gcc", "prepare-trixie"), ready["after"]),
            Step("release-awkward", f"{PYTHON} tests/live/awkward.py {roots} {TESTED}", LIVE,
                 ("gcc", "prepare-trixie"), ("prepare-bullseye", "prepare-forky")),
            Step("release-here", f"{PYTHON} tests/live/alongside.py {TESTED}", LIVE, place="here", **ready),
        ]
    # More libraries of UCX are fetched only if there is time for what tests them.
    steps.append(Step("ucx-targets", f"{PYTHON} tests/live/ucx_targets.py {UCX} bullseye trixie forky release || "
                                     f"test $? = {SKIPPED}", BUSY, ("packages",), (*ready["after"], "live")))
    if is_root:
        steps += [release_step(suite, (*ready["after"], "ucx-targets")) for suite in MAY_LACK]
    sanitizers = "CFLAGS='-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'"
    steps += [
        Step("ucx-variants", ucx(("", ("tcp-v2", "tcp-eager", "shm-threads"), True)), LIVE, place="ucx", **ready),
        Step("ucx-others", ucx(("bullseye", ("shm",), True), ("trixie", ("tcp", "shm-v1"), True),
                               ("forky", ("shm",), True), ("release", ("tcp",), True)),
             LIVE, ("gcc",), (*ready["after"], "ucx-targets"), place="ucx"),
        Step("generated", check_live("generated.py"), BUSY, **ready),
        Step("clang", build("clang", "CC=clang"), BUSY, ("autoreconf",), ("gcc",)),
        Step("sanitizers", build("sanitizers", sanitizers), BUSY, ("autoreconf",), ("gcc",)),
        Step("check-sanitizers", "make -C build/all/sanitizers check-unit VERBOSE=1", BUSY, ("sanitizers",)),
        # Both make libraries for tests in the same directory.
        Step("fuzz", "make -C build/all/sanitizers fuzz", BUSY, ("sanitizers",), ("check-sanitizers",)),
        Step("check-clang", "make -C build/all/clang check-unit VERBOSE=1", BUSY, ("clang",)),
        Step("valgrind", f"make -C build/all/gcc -j{N_CORES} check-valgrind VERBOSE=1", BUSY, **ready),
    ]
    if os.environ.get("MQD_OMPI_REPOSITORY") and os.environ.get("MQD_OMPI_HEADERS"):
        steps.append(Step("release-tables", "make -C build/all/gcc check-release", BUSY, **ready))
    else:
        print("skipped check-release: MQD_OMPI_REPOSITORY and MQD_OMPI_HEADERS name nothing", flush=True)
    # The benchmark measures times, so it runs alone.
    steps.append(Step("bench", "make -C build/all/gcc bench", ALL, needs=("gcc",), after=[step.name for step in steps]))
    return steps


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
    The state of all steps: which wait, which run, which have succeeded (good) or failed (bad), and which were left out.
    """

    def __init__(self, steps, minutes=None):
        self.waiting = steps
        self.running = []
        self.good, self.bad, self.left_out = set(), set(), set()
        self.signal = None
        self.last_start = time.monotonic() + 60 * minutes if minutes is not None else None

    def leave_out(self):
        """Leaves out all that wait, if it is too late for them."""
        if self.last_start is None or time.monotonic() < self.last_start:
            return
        for step in self.waiting:
            print(f"left out {step.name}: the time is over", flush=True)
            self.left_out.add(step.name)
        self.waiting.clear()

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
        """Records a signal. `work` acts on it when no step is being started."""
        self.signal = number

    def work(self):
        """Runs all steps, or until a signal. Returns the number of failures."""
        try:
            while (self.waiting or self.running) and self.signal is None:
                self.start_what_can()
                self.leave_out()
                time.sleep(0.1)
                self.end_what_has()
        finally:
            for step in self.running:
                step.end()
        return len(self.bad)


def prepare_logs():
    """Makes an empty directory for logs. An interrupted distcheck leaves directories without write permission."""
    if os.path.exists(LOGS):
        subprocess.run(["chmod", "-R", "u+w", LOGS], check=True)
        shutil.rmtree(LOGS)
    os.makedirs(LOGS)


def main():
    """Runs all steps. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="tests/all", description="Passes all tests.")
    parser.add_argument("--minutes", type=float, help="start no step after so many minutes")
    minutes = parser.parse_args().minutes
    prepare_logs()
    run = Run(all_steps(), minutes)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, run.interrupt)
    n_failed = run.work()
    return 128 + run.signal if run.signal else count.main(n_failed, LOGS)


if __name__ == "__main__":
    sys.exit(main())
