#!/usr/bin/env python3
"""Clients of the interface that others have written list Open MPI jobs through our DLL.

tvtest is MPICH's own test of a debugger's side of MQD (src/mpi/debugger/tvtest.c). Each rank is its own debugger: it has
callbacks that know no types and no sizes of types, calls the DLL, and counts what that finds. The source is of Debian's
package of MPICH. padb is a parallel debugger: a script in Perl that asks gdb, and the program minfo, which loads the DLL.
It is cloned from MQD_PADB_REPOSITORY, by default from where its author keeps it. Both are fetched into a directory, and
only used there.
"""
import argparse
import glob
import os
import re
import shutil
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

REPOSITORY = os.environ.get("MQD_PADB_REPOSITORY") or "https://github.com/ashleypittman/padb"
# Since Perl 5.26 a brace at the beginning of an expression has to be escaped.
OLD_BRACE, BRACE = r"m{\A{(.*)}\z}", r"m{\A\{(.*)\}\z}"

# What padb prints of the ranks of prog_deadlock.
WORLD = r"comm\d: name: 'MPI_COMM_WORLD'\ncomm\d: rank: '{rank}'\ncomm\d: size: '4'\n"
RECEIVE = (r"Operation 1 \(pending_receive\) status 0 \(pending\)\nmsg\d: Rank local {peer} global {peer}\n"
           r"msg\d: Size desired 800\nmsg\d: tag_wild 0\nmsg\d: Tag desired 1\n(.*\n)*?"
           r"msg\d: '100 x MPI_DOUBLE'\nmsg\d: 'posted, waiting for a message'\n")
UNEXPECTED = (r"Operation 2 \(unexpected_message\) status 0 \(pending\)\nmsg\d: Rank local 0 global 0\n"
              r"msg\d: Size desired 800\nmsg\d: tag_wild 0\nmsg\d: Tag desired 0\n(.*\n)*?"
              r"msg\d: 'rendezvous, waiting for a receive'\n")
SEND = (r"Operation 0 \(pending_send\) status 0 \(pending\)\nmsg\d: Rank local 1 global 1\n"
        r"msg\d: Actual local 1 global 1\nmsg\d: Size desired 800 actual 800\nmsg\d: tag_wild 0\n"
        r"msg\d: Tag desired 0 actual 0\n(.*\n)*?msg\d: 'rendezvous, waiting for the receiver'\n")
LISTED = {0: (SEND,), 1: (RECEIVE.replace("{peer}", "0"), UNEXPECTED)}


def fetch_tvtest(directory):
    """Returns the path of tvtest.c, after fetching MPICH's source package where it is not there yet."""
    path = os.path.join(directory, TVTEST)
    if os.path.exists(path):
        return path
    try:
        mirror = releases.mirror()
    except releases.Missing as reason:
        raise run.Skip(f"no source of MPICH: {reason}") from reason
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


def run_tvtest(arguments, n_ranks, scratch):
    """Each rank's output has a file of its own."""
    program = os.path.join(scratch, f"tvtest-{n_ranks}")
    compile_tvtest(arguments.cc, fetch_tvtest(os.path.join(arguments.directory, "mpich")), arguments.dll, program)
    directory = os.path.join(scratch, f"tvtest-job-{n_ranks}")
    command = ["sh", "-c", f'exec "{program}" >"{directory}/of-$OMPI_COMM_WORLD_RANK" 2>&1']
    with job.Job(directory, command, n_ranks) as running:
        running.release()
    arrived = []
    for rank in range(n_ranks):
        with open(os.path.join(directory, f"of-{rank}"), encoding="utf-8") as file:
            arrived.append(check_rank(file.read(), (rank + 1) % n_ranks))
    if n_ranks == 1 and not arrived[0]:
        raise run.Failure("a rank's message to itself is not listed")


def fetch_padb(directory):
    """Returns the paths of padb and minfo, after cloning and compiling what is not there yet."""
    script, program = os.path.join(directory, "padb"), os.path.join(directory, "minfo")
    if os.path.exists(program):
        return script, program
    shutil.rmtree(directory, ignore_errors=True)
    result = subprocess.run(["git", "clone", "--quiet", "--depth=1", REPOSITORY, directory], capture_output=True,
                            text=True, check=False, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
    if result.returncode != 0:
        raise run.Skip(f"padb cannot be cloned: {result.stderr.strip()}")
    with open(os.path.join(directory, "src", "padb"), encoding="utf-8") as source, \
         open(script, "w", encoding="utf-8") as copy:
        copy.write(source.read().replace(OLD_BRACE, BRACE))
    os.chmod(script, 0o755)
    subprocess.run(["gcc", "-w", os.path.join(directory, "src", "minfo.c"), "-rdynamic", "-ldl", "-o", program],
                   check=True)
    return script, program


def list_queues(arguments, pid):
    """What padb prints of the queues of a process of this machine."""
    script, program = fetch_padb(os.path.join(arguments.directory, "padb"))
    result = subprocess.run(["perl", script, "-Ormgr=local", "--mpi-queue", str(pid), f"-Ominfo={program}",
                             f"-Ompi-dll={arguments.dll}"], capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, check=False)
    return result.stdout + result.stderr


def run_padb(arguments, scratch):
    if not shutil.which("gdb"):
        raise run.Skip("no gdb")
    program = os.path.join(scratch, "prog_deadlock")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "prog_deadlock.c")], program)
    with job.Job(os.path.join(scratch, "deadlock"), [program], 4) as running:
        pids = running.await_ranks(program)
        for rank, patterns in LISTED.items():
            expected = [WORLD.replace("{rank}", str(rank)), *patterns]
            output = ""

            def listed():
                nonlocal output
                output = list_queues(arguments, pids[rank])
                return all(re.search(pattern, output) for pattern in expected)
            try:
                running.await_that(listed, f"padb listed rank {rank}")
            except job.JobError as error:
                raise run.Failure(f"{error}\n{output}") from error


def work(arguments, scratch):
    """Returns the exit status."""
    return cases.run([*((f"tvtest, {n} ranks", lambda n=n: run_tvtest(arguments, n, scratch)) for n in RANKS),
                      ("padb", lambda: run_padb(arguments, scratch))], arguments, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=os.path.abspath, help="gets the sources")
    cases.add_options(parser, 1, own_dll=False, command=False)
    arguments = parser.parse_args()
    arguments.dll = os.path.abspath(arguments.dll)
    if problem := job.mpirun_problem():
        print(f"skipped: {problem}")
        return job.SKIPPED
    job.mind_signals()
    return job.in_scratch("clients", arguments.keep, lambda scratch: work(arguments, scratch))


if __name__ == "__main__":
    sys.exit(main())
