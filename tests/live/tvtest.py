#!/usr/bin/env python3
"""MPICH's own test of a debugger's side of MQD (src/mpi/debugger/tvtest.c) lists an Open MPI job through our DLL.

Each rank is its own debugger: it has callbacks that know no types and no sizes of types, calls the DLL, and counts what
that finds. The source is of Debian's package of MPICH, fetched into a directory, and only compiled there.

Exit status: 0 if all is listed, 1 if not, 77 if there is no Open MPI, or no source of MPICH to be had.
"""
import argparse
import glob
import os
import re
import subprocess
import sys

import cases
import job
import releases
import run
import ucx_targets

TVTEST = "src/mpi/debugger/tvtest.c"
RANKS = (1, 2, 4)
OURS = "Version string: ompi-mqd"
LATE = "Error: expected to find 3 queue entries but only saw 2\n"


def fetch(directory):
    """Returns the path of tvtest.c, after fetching MPICH's source package where it is not there yet."""
    path = os.path.join(directory, TVTEST)
    if os.path.exists(path):
        return path
    mirror = releases.mirror()     # none where this is no Debian
    ucx_targets.Apt(directory, ucx_targets.own_suite(), mirror).get("source", "--download-only", "mpich")
    archive = glob.glob(os.path.join(directory, "mpich_*.orig.tar.*"))[0]
    subprocess.run(["tar", "-xf", archive, "-C", directory, "--strip-components=1", "--wildcards", f"*/{TVTEST}"],
                   check=True)
    return path


def compile_tvtest(compiler, source, dll, output):
    """The test includes mpi_interface.h as it is installed, and is linked with the DLL that is tested."""
    subprocess.run([compiler, "-w", "-g", f"-I{run.TOP}", f"-I{run.TOP}/include", source,
                    os.path.join(run.HERE, "tvtest_symbols.c"), dll, f"-Wl,-rpath,{os.path.dirname(dll)}", "-ldl",
                    "-o", output], check=True)


def looks_of(output):
    """Returns the operations that a rank lists in its three looks: (queue, communicator, tag, rank, length)."""
    looks, at = [], None
    for line in output.split("\n"):
        if line.startswith(("Should see pending", "After a few")):
            looks.append([])
        elif head := re.match(r"(Pending receives|Unexpected messages|Pending sends) for communicator (.*)", line):
            at = head.groups()
        elif operation := re.match(r"tag = (-?\d+), rank = (-?\d+), length = (-?\d+)", line):
            looks[-1].append((*at, *map(int, operation.groups())))
    return looks


def check_rank(output, sender):
    """
    A rank with this neighbour has posted two receives. A send that is over at once has no request, and its message is
    unexpected when the receiver has looked for messages: MPICH's test finds too few operations before.
    """
    first, second = (("Pending receives", "Dup of comm world", tag, sender, length) for tag, length in
                     ((17, 4), (19, 40)))
    arrived = ("Unexpected messages", "MPI_COMM_WORLD", 18, sender, 4)
    complaints = re.findall(r"^(?:Error|Failed|Unexpected|Unknown) .*", output.replace(LATE, ""), re.M)
    complaints = [line for line in complaints if not line.startswith("Unexpected messages for")]
    looks = looks_of(output)
    if complaints or OURS not in output or looks not in ([[arrived, first, second], [second], [second]],
                                                         [[first, second], [second], [second]]):
        raise run.Failure(f"{looks} is listed, with {complaints}:\n{output}")
    if (arrived in looks[0]) == (LATE in output):
        raise run.Failure(f"it is said to be missing, and is listed, or neither:\n{output}")
    return arrived in looks[0]


def run_job(program, n_ranks, scratch):
    """Each rank's output has a file of its own."""
    directory = os.path.join(scratch, f"job-{n_ranks}")
    command = ["sh", "-c", f'exec "{program}" >"{directory}/of-$OMPI_COMM_WORLD_RANK" 2>&1']
    with job.Job(directory, command, n_ranks) as running:
        problem = running.release()
    if problem:
        raise run.Failure(problem)
    arrived = []
    for rank in range(n_ranks):
        with open(os.path.join(directory, f"of-{rank}"), encoding="utf-8") as file:
            arrived.append(check_rank(file.read(), (rank + 1) % n_ranks))
    if n_ranks == 1 and not arrived[0]:
        raise run.Failure("a rank's message to itself is not listed")


def work(arguments, scratch):
    """Returns the exit status."""
    try:
        source = fetch(os.path.abspath(arguments.directory))
    except releases.Missing as reason:
        print(f"skipped: {reason}")
        return job.SKIPPED
    program = os.path.join(scratch, "tvtest")
    compile_tvtest(arguments.cc, source, os.path.abspath(arguments.dll), program)
    return cases.run([(f"{n} ranks", lambda n=n: run_job(program, n, scratch)) for n in RANKS], arguments, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="gets MPICH's source")
    parser.add_argument("--dll", required=True, help="the debug DLL to test")
    parser.add_argument("--cc", default=os.environ.get("MPICC") or "mpicc", help="Open MPI's compiler ($MPICC)")
    parser.add_argument("--keep", action="store_true", help="keep the scratch directory")
    cases.add_options(parser)
    arguments = parser.parse_args()
    if problem := job.mpirun_problem():
        print(f"skipped: {problem}")
        return job.SKIPPED
    job.mind_signals()
    return job.in_scratch("tvtest", arguments.keep, lambda scratch: work(arguments, scratch))


if __name__ == "__main__":
    sys.exit(main())
