"""Starts MPI jobs of test programs, waits until they are parked, and lets them go on or ends them."""

import json
import os
import shutil
import signal
import subprocess
import time

POLL_SECONDS = 0.005
PARK_SECONDS = 60
END_SECONDS = 30

SHARED_MEMORY = {"btl": "self,vader"}
SHARED_MEMORY_COPY = {"btl": "self,vader", "btl_vader_single_copy_mechanism": "none"}
TCP = {"btl": "self,tcp", "btl_tcp_if_include": "lo"}

# One node, the loopback interface, and no launcher of other nodes.
ALWAYS = {"pml": "ob1", "plm": "isolated", "oob_tcp_if_include": "lo", "btl_base_warn_component_unused": "0",
          "hwloc_base_binding_policy": "none", "mpi_yield_when_idle": "1"}


class JobError(Exception):
    """The job itself went wrong; nothing was compared."""


def mpirun_problem():
    """Why there can be no jobs, or None."""
    if not shutil.which("mpirun"):
        return "mpirun is missing (Debian: openmpi-bin)"
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" not in version:
        return "mpirun is not Open MPI's"
    return None


def openmpi_version():
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    return version.split("\n", maxsplit=1)[0].split()[-1]


def compile_program(compiler, sources, output):
    # -O1: fast enough, and what users debug; warnings are the build's business.
    subprocess.run([compiler, "-std=c11", "-O1", *sources, "-o", output], check=True)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def stopped_or_traced(pid):
    """How a process that should run was left behind, or None."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    if fields["State"].split()[0] in "Tt":
        return "is stopped"
    if fields["TracerPid"].strip() != "0":
        return f"is still traced by {fields['TracerPid'].strip()}"
    return None


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


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


class Job:
    """A running job; as a context it is ended, whatever happened."""

    def __init__(self, directory, command, n_ranks, mca=None, environment=None):
        self.directory = directory
        self.n_ranks = n_ranks
        self.pids = []
        os.makedirs(directory)
        arguments = ["mpirun", "--oversubscribe", "-np", str(n_ranks), "-x", "MQD_TRUTH_DIR"]
        if os.geteuid() == 0:
            arguments.append("--allow-run-as-root")
        for name, value in {**ALWAYS, **(mca or SHARED_MEMORY)}.items():
            arguments += ["--mca", name, value]
        for name, value in (environment or {}).items():
            arguments += ["-x", f"{name}={value}"]
        self.output_path = os.path.join(directory, "output")
        with open(self.output_path, "wb") as output:
            self.process = subprocess.Popen(arguments + command, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT, env={**os.environ, "MQD_TRUTH_DIR": directory})

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.end()

    def output(self):
        with open(self.output_path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()

    def _await(self, condition, what):
        deadline = time.monotonic() + PARK_SECONDS
        while not condition():
            if self.process.poll() is not None:
                raise JobError(f"the job ended with {self.process.returncode} before {what}: {self.output()}")
            if time.monotonic() > deadline:
                raise JobError(f"{PARK_SECONDS} s went by before {what}: {self.output()}")
            time.sleep(POLL_SECONDS)

    def await_truths(self):
        """What all ranks say of themselves, by rank, as soon as all have said it."""
        paths = [os.path.join(self.directory, f"{rank}.json") for rank in range(self.n_ranks)]
        self._await(lambda: all(os.path.exists(path) for path in paths), "all ranks were parked")
        truths = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                truths.append(json.load(file))
        self.pids = [truth["pid"] for truth in truths]
        return truths

    def await_ranks(self, executable):
        """The pids of the ranks of a program that says nothing of itself, by rank."""
        ranks = {}

        def all_run():
            for pid in children(self.process.pid):
                try:
                    with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as file:
                        variables = dict(entry.split("=", 1) for entry in file.read().split("\0") if "=" in entry)
                    if os.path.samefile(f"/proc/{pid}/exe", executable):
                        ranks[int(variables["OMPI_COMM_WORLD_RANK"])] = pid
                except (OSError, KeyError):
                    continue
            return len(ranks) == self.n_ranks
        self._await(all_run, "all ranks ran")
        self.pids = [ranks[rank] for rank in range(self.n_ranks)]
        return self.pids

    def release(self):
        """Lets the ranks complete what they began. Why that went wrong, or None."""
        with open(os.path.join(self.directory, "go"), "wb"):
            pass
        try:
            status = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return f"the job did not end within {END_SECONDS} s: {self.output()}"
        if status != 0:
            return f"the job ended with status {status}: {self.output()}"
        return None

    def end(self):
        """Ends what still runs: mpirun first, which ends its ranks, and a rank only if it outlives that."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for pid in self.pids:
            if alive(pid) and self._is_ours(pid):
                os.kill(pid, signal.SIGKILL)

    def _is_ours(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return f"MQD_TRUTH_DIR={self.directory}".encode() in file.read().split(b"\0")
        except OSError:
            return False
