"""Starts MPI jobs of test programs, waits until they are parked, and lets them go on or ends them."""

import contextlib
import dataclasses
import functools
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import cases

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READY = "mqd-ready"      # of the files by which ranks say that they come to their case
SKIPPED = 77             # the exit status of a test that cannot be run here
POLL_SECONDS = 0.005
PATIENCE = cases.PATIENCE


@dataclasses.dataclass(frozen=True)
class Launch:
    """How jobs are started by the releases from a first one on: over given transports, on one node or on several."""
    since: int
    options: tuple
    always: dict
    transports: dict
    alone: tuple         # settings of the runtime for one node
    agent: str           # the option that names the command which starts the runtime on another node


LOOPBACK = {"btl_tcp_if_include": "lo"}
TCP = {"btl": "self,tcp", **LOOPBACK}

# The loopback interface, no launcher of other nodes where there are none, and no messages of Open MPI's beside the
# program's. From 5.0 on another runtime starts the jobs: it has options in place of settings, and would not take the
# loopback interface.
LAUNCHES = (
    Launch(3, (), {"pml": "ob1", "oob_tcp_if_include": "lo", "btl_base_warn_component_unused": "0",
                   "hwloc_base_binding_policy": "none", "mpi_yield_when_idle": "1"},
           {"shm": {"btl": "self,vader"},
            "copy": {"btl": "self,vader", "btl_vader_single_copy_mechanism": "none"},
            "tcp": TCP,
            "nodes": {"btl": "self,vader,tcp", **LOOPBACK}},
           ("--mca", "plm", "isolated"), "--mca plm_rsh_agent"),
    Launch(5, ("--bind-to", "none"),
           {"pml": "ob1", "btl_base_warn_component_unused": "0", "mpi_yield_when_idle": "1"},
           {"shm": {"btl": "self,sm"},
            "copy": {"btl": "self,sm", "smsc": "^accelerator,cma,knem,xpmem"},
            "tcp": TCP,
            "nodes": {"btl": "self,sm,tcp", **LOOPBACK}},
           (), "--prtemca plm_ssh_agent"),
)

# Another node is this one under another name: that is all by which Open MPI tells nodes apart. AGENT NODE COMMAND...
AGENT = """#!/bin/sh
node=$1
shift
exec unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$node" "$*"
"""


class JobError(cases.Failure):
    """The job itself went wrong; nothing was compared."""


class Unreachable(cases.Skip):
    """This machine cannot do it: 6.0.0rc2, for one, finds no way between two nodes on it. The text says why."""


class Installation:
    """An Open MPI to test with: this machine's own. Others say how their commands and files are reached."""

    enter = []      # what stands before a command that is to run there
    mpirun = os.environ.get("MPIRUN") or "mpirun"

    libraries = []  # what programs are linked with beside what the compiler adds

    def show(self, directory):
        """Makes a directory of this machine visible there, under the same name."""

    def compiler(self, compiler):
        """The command of this compiler, which is Open MPI's."""
        return [compiler]

    @property
    def source_tree(self):
        """Open MPI's source, for the headers that no package has; None if it is not at hand."""
        return os.environ.get("MQD_OMPI_SOURCE")

    def header_compiler(self, compiler):
        """The command that compiles here what includes Open MPI's own headers; None if they are not at hand."""
        return [compiler, *(f"-I{path}" for path in glob.glob("/usr/lib/*/pmix*/include"))]

    def outside(self, path):
        """What a file there is called here."""
        return path

    def mapped(self, path):
        """What the kernel calls a file there in what it tells a debugger of a process."""
        return path

    def run(self, *command):
        """What a command there prints; nothing if it fails or is missing."""
        try:
            result = subprocess.run([*self.enter, *command], capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return result.stdout if result.returncode == 0 else ""

    @property
    def identity(self):
        """What a program that was compiled there depends on."""
        return self.version, os.path.realpath(shutil.which(self.mpirun) or ""), os.environ.get("OMPI_CC")

    @functools.cached_property
    def version(self):
        """As Open MPI writes it; empty if there is none."""
        first = self.run(self.mpirun, "--version").split("\n", maxsplit=1)[0]
        return first.split()[-1] if "Open MPI" in first else ""

    @property
    def launch(self):
        return [launch for launch in LAUNCHES if launch.since <= int(self.version.split(".", maxsplit=1)[0])][-1]


HERE = Installation()


def mind_signals():
    """What nohup or a shell without job control has this process ignore, mqdump and ranks would ignore too."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def in_scratch(name, keep, work):
    """
    The exit status that work returns, which is given a directory of its own. That is kept on request, and where
    something has failed.
    """
    scratch = os.path.realpath(tempfile.mkdtemp(prefix=f"ompi-mqd-{name}-"))
    os.chmod(scratch, 0o755)
    status = 1
    try:
        status = work(scratch)
    finally:
        if keep or status not in (0, SKIPPED):
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch)
    return status


def mpirun_problem(installation=HERE):
    """Why there can be no jobs, or None."""
    if not installation.version:
        return f"{installation.mpirun} is missing, or not Open MPI's (Debian: openmpi-bin)"
    return None


def cached_program(command, sources, installation):
    """
    Where a program is kept that is compiled from these sources so, and with the headers beside them; None if it depends
    on other files.
    """
    if not all(source.endswith(".c") for source in sources) or any("rpath" in word for word in command):
        return None
    digest = hashlib.sha256(repr((command, installation.identity)).encode())
    for path in (*sources, *sorted(glob.glob(os.path.join(TOP, "tests", "live", "*.h")))):
        with open(path, "rb") as file:
            digest.update(file.read())
    return os.path.join(TOP, "build", "programs", digest.hexdigest())


def compile_program(compiler, sources, output, installation=HERE, options=()):
    """Compiles a program or library, or takes what was once compiled for the same installation."""
    # -O1: fast enough, and what users debug; warnings are the build's business.
    command = [*installation.compiler(compiler), "-std=c11", "-O1", *options, *sources, *installation.libraries, "-ldl",
               "-pthread"]
    cached = cached_program(command, sources, installation)
    new = f"{output}.{os.getpid()}"
    if cached and os.path.exists(cached):
        shutil.copy(cached, new)
    else:
        subprocess.run([*installation.enter, *command, "-o", new], check=True)
    if cached and not os.path.exists(cached):
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        shutil.copy(new, f"{cached}.{os.getpid()}")
        os.replace(f"{cached}.{os.getpid()}", cached)
    os.replace(new, output)


def said_of(pid, name):
    """What a file of a process says; nothing if there is no such process."""
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def status_of(pid):
    """The lines of /proc/PID/status; none if there is no such process."""
    return dict(line.split(":\t", 1) for line in said_of(pid, "status").splitlines() if ":\t" in line)


def environment_of(pid):
    return dict(entry.split("=", 1) for entry in said_of(pid, "environ").split("\0") if "=" in entry)


def words_of(pid):
    """The command line; nothing if there is no such process."""
    return said_of(pid, "cmdline").split("\0")[:-1]


def stat_of(pid):
    """What the kernel tells of a process behind its name, from its state on."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()


def state_of(pid):
    """A letter, "" if there is no such process."""
    try:
        return stat_of(pid)[0]
    except OSError:
        return ""


def alive(pid):
    return state_of(pid) not in ("", "Z", "X")


def stopped_or_traced(pid):
    """How a process that should run was left behind, or None."""
    fields = status_of(pid)
    if fields["State"][0] in "Tt":
        return "is stopped"
    return f"is still traced by {fields['TracerPid']}" if fields["TracerPid"] != "0" else None


def is_stopped(pid):
    return stat_of(pid)[0] == "T"


def parent(pid):
    return int(stat_of(pid)[1])


def children(pid):
    """The children of all threads: any of them may have started some."""
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
            found += [int(child) for child in file.read().split()]
    return found


def session_of(leader):
    """Returns the running processes of a session."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, _, _, session = stat_of(name)[:4]
            if int(session) == leader and state not in "ZX":
                found.append(int(name))
        except (OSError, IndexError, ValueError):
            continue
    return found


def descendants(pid):
    """The children, and theirs."""
    found = children(pid)
    for child in list(found):
        try:
            found += children(child)
        except OSError:
            continue
    return found


def memory_of(pid):
    """A function that reads a process's memory: bytes, or None if they are not all readable."""
    def read(address, length):
        try:
            with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
                found = os.pread(file.fileno(), length, address)
        except (OSError, OverflowError):
            return None
        return found if len(found) == length else None
    return read


def processor_ticks(pid):
    """The processor time that a process has used."""
    return sum(map(int, stat_of(pid)[11:13]))


class Job:
    """A running job; as a context it is ended, whatever happened."""

    def __init__(self, directory, command, n_ranks, transport="shm", mca=None, environment=None, installation=HERE,
                 n_nodes=1):
        self.directory = directory
        self.n_ranks = n_ranks
        self.n_nodes = n_nodes
        self.pids = []
        os.makedirs(directory)
        launch = installation.launch
        arguments = [*installation.enter, installation.mpirun, "--oversubscribe", "-np", str(n_ranks),
                     "-wdir", directory, "-x", "MQD_TRUTH_DIR", *launch.options, *self._nodes(launch)]
        if os.geteuid() == 0:
            arguments.append("--allow-run-as-root")
        for name, value in {**launch.always, **launch.transports[transport], **(mca or {})}.items():
            arguments += ["--mca", name, value]
        for name, value in (environment or {}).items():
            arguments += ["-x", f"{name}={value}"]
        self.output_path = os.path.join(directory, "output")
        with open(self.output_path, "wb") as output:
            # Where another user must not be, mpirun crashes.
            self.process = subprocess.Popen(arguments + command, stdin=subprocess.DEVNULL, stdout=output, cwd=directory,
                                            stderr=subprocess.STDOUT, env={**os.environ, "MQD_TRUTH_DIR": directory})

    def _nodes(self, launch):
        """The options for so many nodes, ranks being put on them block by block."""
        if self.n_nodes == 1:
            return launch.alone
        if os.geteuid() != 0:
            raise Unreachable("only root can give this machine another name")
        agent = os.path.join(self.directory, "agent")
        with open(agent, "w", encoding="utf-8") as file:
            file.write(AGENT)
        os.chmod(agent, 0o755)
        slots = -(-self.n_ranks // self.n_nodes)
        return [*launch.agent.split(), agent, "--host", ",".join(f"node{i}:{slots}" for i in range(self.n_nodes))]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.end()

    def output(self):
        with open(self.output_path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()

    def await_that(self, condition, what):
        """Waits for a condition while the job runs; what it is completes the sentence "before ..."."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if self.process.poll() is not None:
                if self.n_nodes > 1 and "unable to reach each other" in self.output():
                    raise Unreachable("Open MPI finds no way between two nodes that are one machine")
                raise JobError(f"the job ended with {self.process.returncode} before {what}: {self.output()}")
            if time.monotonic() > deadline:
                raise JobError(f"{PATIENCE} s went by before {what}: {self.output()}")
            time.sleep(POLL_SECONDS)

    def await_truths(self):
        """What all ranks say of themselves, by rank, as soon as all have said it."""
        paths = [os.path.join(self.directory, f"{rank}.json") for rank in range(self.n_ranks)]
        self.await_that(lambda: all(os.path.exists(path) for path in paths), "all ranks were parked")
        truths = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                truths.append(json.load(file))
        self.pids = [truth["pid"] for truth in truths]
        if len({os.stat(f"/proc/{pid}/ns/uts").st_ino for pid in self.pids[:self.n_ranks]}) != self.n_nodes:
            raise JobError(f"the ranks are not on {self.n_nodes} nodes")
        return truths

    def await_ranks(self, executable):
        """
        The pids of the ranks of a program that says no more of itself than when it comes to its case, as prog_script.c
        has it, by rank. A child that such a program has just made is not meant: it comes after its parent among the
        descendants.
        """
        ranks = {}
        with open(executable, "rb") as file:
            say_ready = READY.encode() in file.read()

        def all_run():
            if say_ready and len(glob.glob(f"{self.directory}/{READY}.*")) < self.n_ranks:
                return False
            for pid in descendants(self.process.pid):
                with contextlib.suppress(OSError, KeyError):
                    if os.path.samefile(f"/proc/{pid}/exe", executable):
                        ranks.setdefault(int(environment_of(pid)["OMPI_COMM_WORLD_RANK"]), pid)
            return len(ranks) == self.n_ranks
        self.await_that(all_run, "all ranks ran")
        self.pids = [ranks[rank] for rank in range(self.n_ranks)]
        return self.pids

    def release(self):
        """Lets the ranks complete what they began."""
        with open(os.path.join(self.directory, "go"), "wb"):
            pass
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise JobError(f"the job did not end within {PATIENCE} s: {self.output()}") from None
        if status != 0:
            raise JobError(f"the job ended with status {status}: {self.output()}")

    def end(self):
        """Ends what still runs: mpirun first, which ends its ranks, and a rank only if it outlives that."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.send_signal(signal.SIGCONT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pid in self.pids:
            if alive(pid) and environment_of(pid).get("MQD_TRUTH_DIR") == self.directory:
                os.kill(pid, signal.SIGKILL)
