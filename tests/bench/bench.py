#!/usr/bin/env python3
"""Measures what a listing costs, and checks that it is right.

Three jobs: many posted receives on many communicators, many unexpected messages, and a small job as people have it;
the first two with the PML ucx too. The first is also listed with Open MPI's own debugging library, on the same process,
if an object with the types that it needs can be preloaded. Reads and bytes are those of the target's memory; seconds are the debug DLL's and mqdump's.

Then it is measured how long ranks stand still while they are looked at, also compared with another mqdump, what it
costs to conclude and to show 1,000 and 10,000 ranks, or 100,000, from records that are made up, and to have 200 nodes,
or 10,000, asked for such records.

Exit status: 0; 1 if a listing is wrong or takes more reads or instructions than it may, if many ranks take more time or
memory than they may, or if a look at 64 ranks takes too long compared with the other mqdump; 77 if there is no Open
MPI. Other times fail nothing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
LIVE = os.path.join(TOP, "tests", "live")
sys.path.insert(0, LIVE)

import compare
import heartbeat
import job
import large_jobs
import many_nodes
import pml_ucx
import run
import script

N_COMMUNICATORS, N_AT_ONCE, N_ROUNDS, MAX_READS_POSTED = 25, 25, 16, 1000
N_RECEIVES = N_COMMUNICATORS * N_AT_ONCE * N_ROUNDS
MAX_INSTRUCTIONS = 5000
OPERATION_FUNCTIONS = ("mqs_setup_operation_iterator", "mqs_next_operation", "describe_operation", "describe_unknown",
                       "send_request_of", "collective_number_of", "waiter_of")     # of the interface and its extension
N_MESSAGES, MESSAGES_PER_READ = 20000, 40
SMALL_RANKS, SMALL_SECONDS = 4, 0.5
STOCK_TIMES_FASTER = 50
UCX_OPERATIONS_PER_READ, UCX_OPERATIONS_PER_SECOND = 30, 300000
N_LISTINGS = 5         # the fastest counts: the machine does other things too
STATS = "mqdump: stats: "


def stats_of(stderr):
    """What --stats says; the only lines on standard error that are no complaint."""
    lines = [line for line in stderr.splitlines() if line.startswith(STATS)]
    if len(lines) != 1:
        raise run.Failure(f"no statistics: {stderr.strip()}")
    return json.loads(lines[0][len(STATS):])


def figures(label, stats):
    print(f"  {label:24}{stats['target_reads']:>9} reads {stats['target_bytes']:>11} bytes "
          f"{stats['dll_seconds']:>9.3f} s in the DLL {stats['seconds']:>8.3f} s in all", flush=True)


def measure(mqdump, label, pids, dll=None):
    """Takes listings of the same state: exit status, document and costs of the fastest."""
    listings = []
    for _ in range(N_LISTINGS):
        result = mqdump.run(pids, "--json", "--stats", "--no-why", dll=dll)
        listings.append((stats_of(result.stderr), result))
    stats, result = min(listings, key=lambda listing: listing[0]["dll_seconds"])
    try:
        document = json.loads(result.stdout)
    except ValueError as error:
        raise run.Failure(f"{label}: no listing: {result.stderr.strip()}") from error
    figures(label, stats)
    return result.returncode, document, stats


def measure_right(mqdump, label, truths, pml=run.Ob1()):
    """Takes listings, of which the one that counts must be right in everything."""
    status, document, stats = measure(mqdump, label, [truth["pid"] for truth in truths])
    differences = compare.compare_document(pml.expected(truths), document, job.memory_of)
    if status != 0:
        differences["mqdump"] = [f"ended with {status}"]
    if differences:
        raise run.Failure("\n".join(f"{label}, {rank}: {difference}" for rank, found in differences.items()
                                    for difference in found))
    return stats


def require_reads(label, stats, most):
    if stats["target_reads"] > most:
        raise run.Failure(f"{label}: {stats['target_reads']} reads, more than {most}")


def compare_with_stock(mqdump, pid, ours):
    """Open MPI's own library on the same process. Its listing is not judged, but it must have listed all receives."""
    try:
        dll = run.stock_dll(job.HERE)
    except run.Skip as reason:
        print(f"  not compared with Open MPI's own library: {reason}")
        return
    _, document, stock = measure(mqdump, "Open MPI's own library", [pid], dll)
    n_listed = sum(len(communicator.get("pending_receives") or [])
                   for communicator in document["processes"][0].get("communicators") or [])
    if n_listed < N_RECEIVES:
        print(f"  no ratio: Open MPI's own library lists {n_listed} of {N_RECEIVES} receives")
        return
    print(f"  {stock['target_reads'] / ours['target_reads']:.0f} times fewer reads, "
          f"{stock['dll_seconds'] / ours['dll_seconds']:.0f} times faster (wanted: {STOCK_TIMES_FASTER})")


def posted():
    """Rank 0 has posted receives, to one communicator and the next. Rank 1 sends the messages after the listing."""
    names = ["world", *(f"c{i}" for i in range(1, N_COMMUNICATORS))]
    return "; ".join(["all:", *(f"dup {name} world" for name in names[1:]),
                      "0:", *(f"counting {N_AT_ONCE} times told_irecv {name} 1 {N_AT_ONCE * i} 8 byte r"
                              for i in range(N_ROUNDS) for name in names),
                      "all: rest",
                      "1:", *(f"counting {N_AT_ONCE * N_ROUNDS} times give {name} 0 0 8" for name in names)])


def command(programs, text, n_ranks):
    return [os.path.join(programs, "prog_script"), *script.command(text, n_ranks, True)]


def require_instructions(mqdump, lister, pid):
    """Counts the instructions of the debug DLL: other than seconds they are the same each time."""
    if not lister or not shutil.which("valgrind"):
        print("  instructions are not counted: no valgrind, or no --lister")
        return
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           *(f"--toggle-collect={name}" for name in OPERATION_FUNCTIONS), lister, mqdump.dll, str(pid)],
                          capture_output=True, text=True, check=True)
    each = int(re.search(r"Collected : (\d+)", done.stderr)[1]) // int(done.stdout)
    print(f"  {each} instructions of the DLL for each operation", flush=True)
    if each > MAX_INSTRUCTIONS:
        raise run.Failure(f"more than {MAX_INSTRUCTIONS} instructions for each operation")


def bench_posted(mqdump, programs, scratch, carrier, lister):
    print(f"{N_RECEIVES} posted receives on {N_COMMUNICATORS} communicators")
    program = command(programs, posted(), 2)
    for types, environment in (("no types", {}), ("all types", {"LD_PRELOAD": carrier})):
        if types == "all types" and not carrier:
            print("  not compared with Open MPI's own library: no object with types")
            continue
        with job.Job(os.path.join(scratch, f"posted.{types}"), program, 2, environment=environment) as running:
            truths = running.await_truths()[:1]
            ours = measure_right(mqdump, types, truths)
            require_reads(types, ours, MAX_READS_POSTED)
            if environment:
                compare_with_stock(mqdump, truths[0]["pid"], ours)
            else:
                require_instructions(mqdump, lister, truths[0]["pid"])
            running.release()


def bench_flood(mqdump, programs, scratch):
    print(f"{N_MESSAGES} unexpected messages")
    for ranks in (2, 4):
        directory = os.path.join(scratch, f"flood.{ranks}")
        label = f"from {ranks - 1} rank{'s' if ranks > 2 else ''}"
        with job.Job(directory, command(programs, large_jobs.flood(ranks, N_MESSAGES), ranks), ranks) as running:
            stats = measure_right(mqdump, label, running.await_truths()[:1])
            print(f"  {N_MESSAGES / stats['target_reads']:.0f} messages per read")
            require_reads(label, stats, N_MESSAGES // MESSAGES_PER_READ)
            running.release()


def bench_ucx(mqdump, programs, scratch):
    pml = pml_ucx.Ucx(pml_ucx.VARIANTS["shm"], pml_ucx.Target())
    how = pml.adapted(run.Case("bench", 2))
    for name, n, text in (("posted", N_RECEIVES, posted()),
                          ("flood", N_MESSAGES, large_jobs.flood(2, N_MESSAGES))):
        print(f"{n} {'posted receives' if name == 'posted' else 'unexpected messages'} with the PML ucx")
        with job.Job(os.path.join(scratch, f"ucx.{name}"), command(programs, text, 2), 2, mca=how.mca,
                     environment=how.environment) as running:
            stats = measure_right(mqdump, f"UCX {pml.target.version}", running.await_truths()[:1], pml)
            print(f"  {n / stats['target_reads']:.0f} per read (wanted: {UCX_OPERATIONS_PER_READ}), "
                  f"{n / stats['dll_seconds']:.0f} per second (wanted: {UCX_OPERATIONS_PER_SECOND})")
            require_reads(name, stats, n // UCX_OPERATIONS_PER_READ)
            running.release()


def bench_small(mqdump, programs, scratch):
    print(f"{SMALL_RANKS} ranks with a handful of operations (wanted: {SMALL_SECONDS} s in all)")
    case = run.Case("intercomm", SMALL_RANKS)
    with job.Job(os.path.join(scratch, "small"), [os.path.join(programs, "prog_script"), *case.command],
                 SMALL_RANKS) as running:
        truths = running.await_truths()
        measure_right(mqdump, f"{SMALL_RANKS} ranks", truths)
        running.release()


def compile_programs(compiler, directory):
    os.makedirs(directory)
    job.compile_program(compiler, [os.path.join(LIVE, name) for name in run.SCRIPT_SOURCES],
                        os.path.join(directory, "prog_script"))
    return directory


BENCHES = ("posted", "flood", "ucx", "small", "heartbeat", "large", "nodes")


def other_mqdump(arguments):
    if not arguments.against:
        return None
    return run.Mqdump(os.path.abspath(arguments.against),
                      arguments.against_dll and os.path.abspath(arguments.against_dll))


def benches(arguments, mqdump, programs, carrier, scratch):
    """All measurements that are wanted, in their order."""
    found = {
        "posted": lambda: bench_posted(mqdump, programs, scratch, carrier, arguments.lister),
        "flood": lambda: bench_flood(mqdump, programs, scratch),
        "ucx": lambda: bench_ucx(mqdump, programs, scratch),
        "small": lambda: bench_small(mqdump, programs, scratch),
        "heartbeat": lambda: heartbeat.bench(mqdump, other_mqdump(arguments), os.path.join(programs, "prog_script"),
                                             scratch),
        "large": lambda: large_jobs.bench(mqdump, programs, scratch, arguments.larger),
        "nodes": lambda: many_nodes.bench(mqdump, programs, scratch, arguments.larger),
    }
    return [found[name] for name in BENCHES if name in (arguments.only or BENCHES)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mqdump", required=True, help="the command to measure")
    parser.add_argument("--dll", help="the debug DLL that it is to load; its own by default")
    parser.add_argument("--carrier", help="object with all types; compiled with $MQD_OMPI_SOURCE by default")
    parser.add_argument("--lister", help="program that lists a process, to count its instructions")
    parser.add_argument("--against", metavar="MQDUMP", help="another mqdump, to compare how long ranks stand still")
    parser.add_argument("--against-dll", metavar="DLL", help="the debug DLL that it is to load; its own by default")
    parser.add_argument("--larger", action="store_true", help="100,000 ranks too, and 10,000 nodes")
    parser.add_argument("--only", choices=BENCHES, action="append", help="one of the measurements")
    parser.add_argument("--cc", default=os.environ.get("MPICC") or "mpicc", help="Open MPI's compiler")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    problem = job.mpirun_problem()
    if problem:
        print(f"skipped: {problem}")
        return job.SKIPPED
    scratch = tempfile.mkdtemp(prefix="ompi-mqd-bench-")
    try:
        mqdump = run.Mqdump(os.path.abspath(arguments.mqdump), arguments.dll and os.path.abspath(arguments.dll))
        programs = compile_programs(arguments.cc, os.path.join(scratch, "programs"))
        carrier = arguments.carrier and os.path.abspath(arguments.carrier)
        if not carrier and job.HERE.source_tree:
            carrier = run.compile_carrier(arguments.cc, os.path.join(scratch, "carrier.so"))
        failed = 0
        for bench in benches(arguments, mqdump, programs, carrier, scratch):
            try:
                bench()
            except (run.Failure, job.JobError) as reason:
                print(f"  FAILED: {reason}")
                failed = 1
        return failed
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
