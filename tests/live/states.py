#!/usr/bin/env python3
"""Real jobs in which all wait for a rank that does something else than MPI, or does not run, and what mqdump says.
"""

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import time

import cases
import job
import run
import schema
import script
import verdicts

CERTAIN, POSSIBLE = verdicts.CERTAIN, verdicts.POSSIBLE
WAITING, OTHER = (0, 1, 3), (2,)
ALL = verdicts.ALL


@dataclasses.dataclass(frozen=True)
class State:
    """What rank 2 does while others wait for it, what is said of it, and what the document has of it."""
    name: str
    step: str
    says: str
    kernel: dict
    percent: tuple = (0, 1000)      # of a processor, at least and at most


STATES = [
    State("computes", "endless", r"step_endless.*Rank 2 runs, and used \d+ % of a processor", {"state": "running"},
          (1, 1000)),
    State("sleeps", "asleep", r"Rank 2 sleeps in clock_nanosleep.* did not use the processor",
          {"state": "sleeping", "system_call": "clock_nanosleep"}, (0, 0)),
    State("reads", "read", r"Rank 2 waits in read on pipe:\[\d+\]", {"state": "sleeping", "system_call": "read"},
          (0, 0)),
    State("library", "call {library}", r"Rank 2 is in use_library of libstates\.so\. Rank 2 runs", {"state": "running"},
          (1, 1000)),
    State("barrier", "omp_barrier", r"sleeps in clock_nanosleep.* 3 threads of rank 2 wait in an? .*barrier .*\(lib", {},
          (0, 0)),
    State("lock", "omp_lock", r"3 threads of rank 2 wait (for an OpenMP lock|in .*or for a lock of OpenMP) \(lib", {},
          (0, 0)),
]


STOPPED = verdicts.Case("stopped", (verdicts.Finding("process_stopped", WAITING, OTHER, CERTAIN,
                                                     "Rank 2 is stopped by a signal, and goes on with SIGCONT"),),
                        cores=verdicts.NOT_TRIED)
STUCK = verdicts.Case("stuck", (verdicts.Finding(
    "process_stuck", WAITING, OTHER, POSSIBLE,
    r"Rank 2 has been in (vfork|clone).* for at least \d+\.\d s: .*uninterruptibly"),), calls={0: "MPI_Recv"},
                      cores=verdicts.NOT_TRIED, status=1)
CASES = [STOPPED, STUCK]


STUCK_STEPS = "await_file child; vfork"
# A ring in which rank 2 may do something else.
RING = "2: {}; all: recv world prev 7; send world next 7"


def await_state(pid, state):
    cases.await_that(lambda: job.state_of(pid) == state, f"process {pid} was in state {state}")


def check_kernel(document, rank, expected):
    found = next(process["kernel"] for process in document["processes"] if process["rank"] == rank)
    if any(found[name] != value for name, value in expected.items()):
        raise run.Failure(f"the kernel tells {found} of rank {rank}, not {expected}")
    return found


class States:
    """The jobs of prog_script."""

    def __init__(self, mqdump, program, scratch, library=""):
        self.library = library
        self.jobs = verdicts.Jobs(mqdump, program, scratch)
        self.mqdump = mqdump

    def run_libomp(self, compiler):
        """clang's OpenMP has names for what it does, which that of gcc often has not."""
        try:
            program = os.path.join(self.jobs.scratch, "prog_script_libomp")
            run.compile_script(compiler, program, Clang(), OPENMP)
        except subprocess.CalledProcessError as error:
            raise run.Skip(f"clang does not compile OpenMP (Debian: libomp-dev): {error}") from error
        states = States(self.mqdump, program, self.jobs.scratch)
        for case, says in (("barrier", r"3 threads of rank 2 wait in an OpenMP barrier \(libomp\)"),
                           ("lock", r"3 threads of rank 2 wait for an OpenMP lock \(libomp\)")):
            finding = verdicts.Finding("waits_for_busy", WAITING, OTHER, POSSIBLE, says)
            with states.parked(f"libomp-{case}", f"omp_{case}") as (_, pids):
                self.jobs.await_document(verdicts.Case(case, (finding,)), pids)

    @contextlib.contextmanager
    def parked(self, name, step=""):
        """A job whose ranks wait for rank 2, and in which that does a step before it waits too."""
        with self.jobs.start(name, RING.format(step), 4) as running:
            pids = list(running.await_ranks(self.jobs.program))
            expected = verdicts.Finding("waits_for_busy", WAITING, OTHER, POSSIBLE) if step else verdicts.ring(ALL)
            self.jobs.await_document(verdicts.Case(name, (expected,)), pids)
            yield running, pids

    def run_state(self, state):
        finding = verdicts.Finding("waits_for_busy", WAITING, OTHER, POSSIBLE, state.says)
        with self.parked(state.name, state.step.format(library=self.library)) as (_, pids):
            document = self.jobs.await_document(verdicts.Case(state.name, (finding,), calls={2: None}), pids)
            percent = check_kernel(document, 2, state.kernel)["processor_percent"]
            if not state.percent[0] <= percent <= state.percent[1]:
                raise run.Failure(f"rank 2 used {percent} % of a processor, not {state.percent}")

    def run_stopped(self):
        alone = verdicts.Finding("process_stopped", ALL, (), POSSIBLE, "nobody is known to wait", False)
        with self.parked("stopped") as (_, pids):
            try:
                os.kill(pids[2], signal.SIGSTOP)
                await_state(pids[2], "T")
                document = self.jobs.document(pids)
                verdicts.check_document(STOPPED, document)
                check_kernel(document, 2, {"state": "stopped"})
                if "Stopped rank. Ranks 0,1,3 wait" not in " ".join(self.mqdump.run(pids).stdout.split()):
                    raise run.Failure("the text does not say so")
                for pid in pids:
                    os.kill(pid, signal.SIGSTOP)
                    await_state(pid, "T")
                verdicts.check_document(verdicts.Case("all stopped", (alone,)), self.jobs.document(pids))
            finally:
                for pid in pids:
                    os.kill(pid, signal.SIGCONT)
            self.jobs.await_document(verdicts.Case("went on", (verdicts.ring(ALL),)), pids)

    def run_debugger(self):
        """A rank that gdb holds is read there."""
        if not shutil.which("gdb"):
            raise run.Skip("no gdb")
        with self.parked("debugger") as (_, pids):
            command = ["gdb", "--batch", "-nx", "-p", str(pids[2]), "-ex", "shell exec sleep 60"]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as debugger:
                try:
                    await_state(pids[2], "t")
                    case = verdicts.Case("debugger", (verdicts.ring(ALL),),
                                         notes=rf"Rank 2 is held by gdb \(process {debugger.pid}\)")
                    document = self.jobs.await_document(case, pids)
                    check_kernel(document, 2, {"state": "traced", "tracer": debugger.pid})
                finally:
                    for child in job.children(debugger.pid):
                        os.kill(child, signal.SIGKILL)
                    debugger.kill()

    def run_stuck(self):
        """A rank that waits for its child of vfork cannot be stopped or read; the verdict on the others stands."""
        with self.parked("stuck", STUCK_STEPS) as (running, pids):
            with open(os.path.join(running.directory, "child"), "wb"):
                pass
            await_state(pids[2], "D")
            document = self.jobs.await_document(STUCK, pids)
            kernel = check_kernel(document, 2, {"state": "uninterruptible", "processor_percent": 0})
            if kernel["stuck_ms"] < 1000 or kernel["system_call"] not in ("vfork", "clone"):
                raise run.Failure(f"the kernel tells {kernel}")

    def run_container(self):
        """mpirun is process 1 where it runs; mqdump finds the job there, and outside under other numbers."""
        if os.geteuid() != 0:
            raise run.Skip("only root can make a container")
        directory = os.path.join(self.jobs.scratch, "container")
        inside = Container()
        command = [self.jobs.program, *script.command(verdicts.RING, 4)]
        with job.Job(directory, command, 4, installation=inside) as running:
            launcher = inside.launcher(running)
            case = verdicts.Case("container", (verdicts.ring(ALL),))
            self.jobs.await_document(case, [f"--job={launcher}"])
            enter = ["nsenter", "-t", str(launcher), "-p", "-m"]
            options = ["--dll", self.mqdump.dll] if self.mqdump.dll else []
            listed = subprocess.run([*enter, self.mqdump.path, "--list", "--json"], capture_output=True, check=True)
            found = [one["launcher"] for one in schema.load(listed.stdout.decode())["jobs"]]
            shown = subprocess.run([*enter, self.mqdump.path, *options, "--json", "--job=1"], capture_output=True,
                                   check=False)
            if found != [1] or shown.returncode != 0:
                raise run.Failure(f"the launchers are {found}; {shown.stderr.decode()}")
            verdicts.check_document(case, schema.load(shown.stdout.decode()))

    def run_singletons(self):
        """Each is rank 0 of a job without a name, and waits for the other."""
        finding = verdicts.Finding("deadlock", (0,), others=(((0,), ()),),
                                   says=r"rank 0 of job (\d+) -> rank 0 of job \d+ -> rank 0 of job \1")
        with Singletons(self.jobs.scratch, self.jobs.program) as pids:
            self.jobs.await_document(verdicts.Case("singletons", (finding,)), pids)
            for pid in pids:
                if any(found["certainty"] == CERTAIN for found in self.jobs.document([pid])["findings"]):
                    raise run.Failure("something is certain of one job alone")


class Container(job.Installation):
    """This machine, with process numbers of its own."""

    enter = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]

    def launcher(self, running):
        """The number of its process 1 outside."""
        running.await_that(lambda: job.children(running.process.pid), "mpirun was there")
        return job.children(running.process.pid)[0]


class Singletons:
    """Two programs without mpirun, which find each other by a port; as a context their process ids."""

    def __init__(self, scratch, program):
        self.directory = os.path.join(scratch, "singletons")
        self.program = program
        self.processes = []

    def _start(self, *command, **variables):
        launch = job.HERE.launch
        settings = {f"OMPI_MCA_{name}": value for name, value in {**launch.always, **launch.transports["tcp"]}.items()}
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        with open(os.path.join(self.directory, "output"), "ab") as output:
            self.processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                                   stderr=subprocess.STDOUT,
                                                   env={**os.environ, **settings, **allowed, **variables}))

    def __enter__(self):
        os.makedirs(self.directory)
        server = shutil.which("ompi-server")
        if not server:
            raise run.Skip("no ompi-server, by which programs without mpirun find each other")
        uri, port = (os.path.join(self.directory, name) for name in ("uri", "port"))
        self._start(server, "--no-daemonize", "-r", uri)
        deadline = time.monotonic() + job.PATIENCE
        while not os.path.exists(uri) or not os.path.getsize(uri):
            if time.monotonic() > deadline:
                raise run.Skip("ompi-server does not start")
            time.sleep(job.POLL_SECONDS)
        for step in ("accept", "connect"):
            self._start(self.program, *script.command(f"all: {step} self 1 {port}; recv 1 0 7", 1),
                        OMPI_MCA_pmix_server_uri=f"file:{uri}")
        return [process.pid for process in self.processes[1:]]

    def __exit__(self, *exception):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


class Clang(job.Installation):
    """This machine, where Open MPI's compiler uses clang."""

    enter = ["env", "OMPI_CC=clang"]
    @property
    def identity(self):
        return (*super().identity, "clang")


OPENMP = ("-fopenmp",)


def compile_library(compiler, output, builder):
    """Compiles a library that computes for ever. Returns its path."""
    source = f"{output}.c"
    with open(source, "w", encoding="ascii") as file:
        file.write("void use_library(void)\n{\n    for (volatile double x = 0;; x = x + 1)\n        continue;\n}\n")
    job.compile_program(compiler, [source], output, builder, ("-fPIC", "-shared"))
    return output


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder, OPENMP)
    library = compile_library(arguments.cc, os.path.join(scratch, "libstates.so"), builder)
    states = States(mqdump, program, scratch, library)
    found = [(state.name, lambda state=state: states.run_state(state)) for state in STATES]
    found += [("stopped", states.run_stopped), ("debugger", states.run_debugger), ("stuck", states.run_stuck)]
    # These need commands of this machine.
    if mqdump.installation is job.HERE:
        found += [("container", states.run_container), ("singletons", states.run_singletons)]
        if shutil.which("clang"):
            found += [("libomp", lambda: states.run_libomp(arguments.cc))]
    return found


test = run.suite("states", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
