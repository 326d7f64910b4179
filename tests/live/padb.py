#!/usr/bin/env python3
"""padb, a parallel debugger of others, lists an Open MPI job through our DLL.

Its source is cloned into a directory from MQD_PADB_REPOSITORY, by default where its author keeps it, and only used
there: a script in Perl that asks gdb, and the program minfo, which loads the DLL.

Exit status: 0 if all is listed, 1 if not, 77 if there is no Open MPI, or no padb to be had.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

import cases
import job
import run

REPOSITORY = os.environ.get("MQD_PADB_REPOSITORY") or "https://github.com/ashleypittman/padb"
# Since Perl 5.26 a brace at the beginning of an expression has to be escaped.
OLD_BRACE, BRACE = r"m{\A{(.*)}\z}", r"m{\A\{(.*)\}\z}"

# What padb prints of the ranks of prog_deadlock, as it writes it. Of a communicator it tells the ranks that are known.
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


def fetch(directory):
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
    script, program = fetch(os.path.abspath(arguments.directory))
    result = subprocess.run(["perl", script, "-Ormgr=local", "--mpi-queue", str(pid), f"-Ominfo={program}",
                             f"-Ompi-dll={os.path.abspath(arguments.dll)}"], capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, check=False)
    return result.stdout + result.stderr


def run_deadlock(arguments, scratch):
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="gets padb's source")
    parser.add_argument("--dll", required=True, help="the debug DLL to test")
    parser.add_argument("--cc", default=os.environ.get("MPICC") or "mpicc", help="Open MPI's compiler ($MPICC)")
    parser.add_argument("--keep", action="store_true", help="keep the scratch directory")
    cases.add_options(parser)
    arguments = parser.parse_args()
    if problem := job.mpirun_problem() or (not shutil.which("gdb") and "no gdb"):
        print(f"skipped: {problem}")
        return job.SKIPPED
    job.mind_signals()
    return job.in_scratch("padb", arguments.keep, lambda scratch: cases.run(
        [("deadlock", lambda: run_deadlock(arguments, scratch))], arguments, scratch))


if __name__ == "__main__":
    sys.exit(main())
