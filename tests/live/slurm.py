#!/usr/bin/env python3
"""Jobs that Slurm runs on several nodes, and one report of all of their ranks, which Slurm's srun is asked for.

The cluster is made by slurm_cluster.py. Jobs are started as users do it: by srun, and by an mpirun inside of what
salloc or sbatch gives. Each case has a job hang for a known reason, or breaks a node or the front end, and asks for
what nodes.py asks of jobs that were started by ssh. The user has no ssh here: what srun does not do is not done.
"""

import argparse
import contextlib
import dataclasses
import os
import random
import shlex
import shutil
import signal
import subprocess

import cases
import job
import node_machines
import nodes
import run
import slurm_cluster
import verdicts
from node_machines import SHARED
from nodes import HANGING, N_NODES, N_RANKS

# What a user or a site may have set for other programs. Some change what srun writes, others have it fail.
NOT_BY_RECORDS = ("root asks", "variables of Slurm's")
HOSTILE = {"SLURM_LABELIO": "1", "SLURM_UNBUFFEREDIO": "1", "SLURM_STDOUTMODE": "/tmp/out", "SLURM_STDERRMODE": "none",
           "SLURM_DEBUG": "2", "SLURM_EXPORT_ENV": "NONE", "SLURM_GRES": "gpu:1", "SLURM_NTASKS": "4",
           "SLURM_MPI_TYPE": "pmix", "SLURM_THREADS_PER_CORE": "2", "SLURM_HET_SIZE": "2", "PMIX_NAMESPACE": "other"}


@dataclasses.dataclass(frozen=True)
class Way:
    """How a job is started: the command on login, what starts the ranks, and on which node that runs."""
    name: str
    command: tuple
    launcher: str
    front: str = "login"


BLOCKS = (f"--nodes={N_NODES}", f"--ntasks-per-node={N_RANKS // N_NODES}")
MPIRUN = ("mpirun", "--map-by", "node", "--oversubscribe")
WAYS = {
    "srun": Way("srun", ("srun", *BLOCKS, "--distribution=cyclic", "--mpi=pmix"), "srun"),
    "salloc": Way("salloc", ("salloc", *BLOCKS, *MPIRUN), "mpirun"),
    "sbatch": Way("sbatch", ("sbatch", "--wait", *BLOCKS, "--output=/dev/null"), "mpirun", "n01"),
}


class SlurmJob(nodes.NodeJob):
    """A job of the user's over all nodes."""

    RANK = "PMIX_RANK"

    def __init__(self, directory, program, case, cluster, way):
        self.cluster, self.way, self.program, self.directory = cluster, way, program, directory
        self.machines, self.front = cluster.machines, cluster.machines[way.front]
        self.n_ranks, self.n_nodes, self.pids, self.launcher = N_RANKS, N_NODES, [], None
        self.name = os.path.basename(directory)
        os.mkdir(directory)
        os.chmod(directory, 0o777)
        settings = [f"OMPI_MCA_{name}={value}" for name, value in nodes.SETTINGS.items()]
        self.output_path = os.path.join(directory, "output")
        with open(self.output_path, "wb") as output:
            self.process = subprocess.Popen(
                [*cluster.enter_as_user(cluster.login), "env", *settings, "--chdir=/tmp", *self._command(case)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def _command(self, case):
        first, *rest = self.way.command
        named = [first, f"--job-name={self.name}", *rest]
        if first != "sbatch":
            return [*named, *nodes.command_of(self.program, case)]
        script = os.path.join(self.directory, "script")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nexec {shlex.join((*MPIRUN, *nodes.command_of(self.program, case)))}\n")
        return [*named, script]

    def find_launcher(self):
        """Of the two processes of srun the first one has started the other."""
        return min(filter(self.is_launcher, self.front.processes()), key=lambda process: process.inner)

    def is_launcher(self, process):
        """An srun may also be one of a look that was ended."""
        name, *arguments = process.arguments
        return os.path.basename(name) == self.way.launcher and (self.way.launcher != "srun" or
                                                                f"--job-name={self.name}" in arguments)

    def slurm_job(self):
        return self.cluster.control("squeue", "--noheader", f"--name={self.name}", "--format=%i").strip()

    def steps(self):
        """Those of the job: its own, and those by which it is looked at."""
        lines = self.cluster.control("squeue", "--noheader", "--steps", f"--jobs={self.slurm_job()}", "--format=%i")
        return sorted(lines.split())

    def end(self):
        self.cluster.control("scancel", f"--name={self.name}")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(job.PATIENCE)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.cluster.await_nodes("idle")


class Suite(nodes.Suite):
    """The cases."""

    def __init__(self, arguments, cluster, program, scratch):
        super().__init__(arguments, cluster.machines, program, scratch)
        self.cluster = cluster
        self.way = WAYS["srun"]
        self.as_root = False
        self.variables = {}

    def start(self, case, front=None):
        self.n_jobs += 1
        return SlurmJob(os.path.join(self.scratch, f"job{self.n_jobs}"), self.program, case, self.cluster,
                        WAYS[front] if front else self.way)

    def on(self, node, *command, seconds=cases.PATIENCE):
        enter = node.enter if self.as_root else self.cluster.enter_as_user(node)
        variables = [f"{name}={value}" for name, value in self.variables.items()]
        return subprocess.run([*enter, "env", *variables, *command], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, check=False)

    def there(self, running, name):
        return (self.machines.login, "srun", f"--jobid={running.slurm_job()}", "--overlap", "--nodes=1", "--ntasks=1",
                "--ntasks-per-node=1", f"--nodelist={name}", "--chdir=/tmp")

    # Cases.

    def run_way(self, case, way):
        self.end_all()
        with self.start(case, way) as running:
            running.await_ranks()
            self.await_document(HANGING[case], running)
            run.check_left_running(running.pids)

    def run_with(self, name, value):
        """A look with another setting."""
        before = getattr(self, name)
        setattr(self, name, value)
        try:
            self.run_lasting("ring")
        finally:
            setattr(self, name, before)

    def run_drained(self):
        """It takes no more jobs, but this one has it still."""
        running = self.lasting("ring")
        self.cluster.control("scontrol", "update", "nodename=n03", "state=drain", "reason=test")
        try:
            verdicts.check_document(HANGING["ring"], self.document(running))
        finally:
            self.cluster.control("scontrol", "update", "nodename=n03", "state=resume")

    def run_slurmd_dies(self):
        """srun says so after some time."""
        running = self.lasting("ssend")
        node = self.machines["n03"]
        os.kill(self.cluster.slurmd(node).pid, signal.SIGKILL)
        try:
            self.expect_unreachable(running)
        finally:
            self.cluster.start_slurmd(node)
            self.cluster.await_nodes("mixed")
        verdicts.check_document(HANGING["ssend"], self.document(running))

    def looks(self):
        """All processes by which the job is looked at, on all machines."""
        return [(node.name, process.arguments) for node in self.machines.all for process in node.processes()
                if any(os.path.basename(argument) == "mqdump" for argument in process.arguments)]

    def run_front_killed(self, moments):
        running = self.lasting("ring")
        before = running.steps()
        command = [*self.cluster.enter_as_user(running.front), self.mqdump, *self.dll_options, "--job",
                   str(running.launcher.inner)]
        self.kill_front_ends(running, command, moments, self.looks,
                             lambda: [step for step in running.steps() if step not in before])


def labelled(suite, seed):
    """The cases and their names. Those with the same job stand together."""
    found = [
        ("ring, srun", lambda: suite.run_lasting("ring")),
        ("ring, root asks", lambda: suite.run_with("as_root", True)),
        ("ring, variables of Slurm's", lambda: suite.run_with("variables", HOSTILE)),
        ("ring, a rank is stopped", suite.run_stopped),
        ("ring, a node is drained", suite.run_drained),
        (f"ring, front end is killed, seed {seed}", lambda: suite.run_front_killed(random.Random(seed))),
        ("pairs, a slurmd dies", suite.run_slurmd_dies),
        ("missing, sbatch", lambda: suite.run_way("missing", "sbatch")),
        ("tag, salloc", lambda: suite.run_way("tag", "salloc")),
    ]
    if suite.by_records:
        found = [case for case in found if not case[0].endswith(NOT_BY_RECORDS) and "killed" not in case[0]]
    return found


def copy_for_all(path, directory):
    """A file that the user can read, too."""
    copied = shutil.copy(path, directory)
    os.chmod(copied, 0o755)
    return copied


def test(arguments, machines):
    """All cases. Returns the exit status."""
    scratch = os.path.join(SHARED, "slurm")
    os.mkdir(scratch)
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"))
    arguments.mqdump = copy_for_all(arguments.mqdump, scratch)
    arguments.dll = arguments.dll and copy_for_all(arguments.dll, scratch)
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    cluster = slurm_cluster.Cluster(machines)
    cluster.start()
    suite = Suite(arguments, cluster, program, scratch)
    try:
        return cases.run(labelled(suite, seed), arguments, scratch)
    finally:
        suite.end_all()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases.add_options(parser, 1)
    parser.add_argument("--by", choices=("records", "job"), default="job",
                        help="records: mqdump --save on each node; job: mqdump --job for all of them")
    parser.set_defaults(front="login")
    arguments = parser.parse_args()
    problem = job.mpirun_problem()
    if problem:
        raise node_machines.Missing(problem)
    node_machines.enter_world()
    with node_machines.Machines(N_NODES) as machines:
        return test(arguments, machines)


if __name__ == "__main__":
    node_machines.end_by(main)
