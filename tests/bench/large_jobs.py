"""What it costs to conclude and to show jobs of many ranks, from records that are made up from those of small jobs.

The small jobs hang, or do not, in ways that many ranks can.
"""
import dataclasses
import os
import re
import subprocess
import time

import generated
import make_record
import run

SMALL = 4                           # ranks of the real jobs
SIZES = (1000, 10000)
LARGER = 100000
MOST_TIMES_LONGER = 15              # for ten times as many ranks
MOST_SECONDS, MOST_KB = 10, 1 << 20 # of the processor, and of memory, for 10,000 ranks
N_RUNS = 3                          # the fastest counts
SETTLE_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Shape:
    name: str
    steps: object                   # of a rank and the number of ranks: lines of prog_script
    says: object                    # of a number of ranks: the sentence that must be there
    first: bool = False             # as for make_record
    tree: bool = False


@dataclasses.dataclass(frozen=True)
class Program:
    """What all ranks of a shape do, as generated.Programs starts it."""
    shape: Shape
    n_ranks: int

    def text(self):
        return "".join(f"{rank} {step}\n" for rank in range(self.n_ranks)
                       for step in self.shape.steps(rank, self.n_ranks))


def receive(source):
    return f"recv 0 {source} 7 16"


def flood_steps(rank, _):
    """The last message, which rank 0 receives, shows that the others are there."""
    steps = {0: ["probe 0 1 8 4"], 1: [*1200 * ["send 0 0 7 4"], "send 0 0 8 4"]}
    return [*steps.get(rank, []), "asleep"]


def flood(n_ranks, n):
    """A program that tells its truth: so many short messages that rank 0 has not asked for, evenly from all others."""
    each = n // (n_ranks - 1)
    return "; ".join([f"1-{n_ranks - 1}: counting {each} times give world 0 0 16",
                      "0:", *(f"await_message world {rank} {each - 1}" for rank in range(1, n_ranks)),
                      *(f"counting {each} times arrived_before world {rank} 0 16" for rank in range(1, n_ranks)),
                      "all: rest", "0:", *(f"counting {each} times take world {rank} 0 16" for rank in range(1, n_ranks))])


SHAPES = (
    Shape("ring", lambda rank, n: [receive((rank - 1) % n)],
          lambda n: f"Deadlock. Ranks 0-{n - 1} wait for each other: 0 -> {n - 1} -> "),
    Shape("pairs", lambda rank, n: [receive(rank ^ 1)],
          lambda n: "Deadlock. Ranks 0,1 wait for each other: 0 -> 1 -> 0." if n == SMALL else
          f"Deadlock. The same {n // 2 - 4:,} times more, with ranks 8-{n - 1}."),
    Shape("chain", lambda rank, n: [receive(rank - 1) if rank > 0 else "asleep"],
          lambda n: f"Busy rank (possible). Ranks 1-{n - 1} wait for rank 0,", first=True),
    Shape("missing", lambda rank, n: ["bcast 0 16 0" if rank > 0 else receive(n - 1)],
          lambda n: f"{n - 1:,} of {n:,} ranks are in MPI_Bcast on MPI_COMM_WORLD; rank 0 is missing.", tree=True),
    Shape("halves", lambda rank, n: [f"split 1 0 {rank // 2}", receive(rank - 1) if rank % 2 > 0 else "barrier 1"],
          lambda n: "Incomplete collective. 1 of 2 ranks is in MPI_Barrier on "
          if n == SMALL else "Receive without send. Rank 1 waits in MPI_Recv ("),
    Shape("anybody", lambda rank, n: [receive(-1)],
          lambda n: f"Deadlock. Ranks 0-{n - 1} wait for each other: 0 -> anybody -> 0."),
    Shape("healthy", lambda rank, n: [f"irecv 0 {(rank - 1) % n} 7 16 0", f"issend 0 {(rank + 1) % n} 8 0 1", "asleep"],
          lambda n: "Why Nothing suspicious."),
)
SMALL_SHAPES = {shape.name: shape for shape in (
    *SHAPES,
    Shape("barrier", lambda rank, n: ["barrier 0" if rank > 0 else "asleep"],
          lambda n: f"{n - 1:,} of {n:,} ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 0 is missing."),
    Shape("flood", flood_steps,
          lambda n: "Flood of messages. 1,200 messages (19,200 bytes) from rank 1 on MPI_COMM_WORLD"),
)}


def says(shape, n, text):
    return shape.says(n) in re.sub(r"\s+", " ", text)


def save_small(mqdump, programs, shape, directory, n=SMALL):
    """The record of a small job, as soon as all of its ranks are where they stay; prog_script is in `programs`."""
    record = os.path.join(directory, f"{shape.name}.record")
    starter = generated.Programs(mqdump, os.path.join(programs, "prog_script"), directory)
    running, state = starter.start(shape.name, Program(shape, n))
    with running:
        starter.await_start(running, state)
        deadline = time.monotonic() + SETTLE_SECONDS
        result = mqdump.run(running.pids, "--save", record)
        while not says(shape, n, result.stdout):
            if time.monotonic() > deadline:
                raise run.Failure(f"{shape.name}: mqdump does not say \"{shape.says(n)}\", but\n"
                                  f"{result.stdout[:2000]}{result.stderr}")
            result = mqdump.run(running.pids, "--save", record)
    return record


def peak_of(pid):
    """KB of memory that a process has had at most; 0 if it has ended."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("VmHWM:")), 0)


def cost(command, output):
    """
    Status, seconds of the processor without its children's, and KB of memory, of one run. What wait4 tells of memory
    counts that of the caller, from before the program was executed.
    """
    peak = 0
    with open(output, "wb") as file, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                                      stderr=subprocess.STDOUT) as process:
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            peak = max(peak, peak_of(process.pid))
            time.sleep(0.01)
        with open(f"/proc/{process.pid}/schedstat", encoding="utf-8") as stat:
            nanoseconds = int(stat.read().split()[0])
    return process.returncode, nanoseconds / 1e9, peak


def measure(mqdump, record, shape, n, directory, options=()):
    output = os.path.join(directory, "output")
    costs = [cost([mqdump.path, *options, record], output) for _ in range(N_RUNS)]
    status, seconds, kilobytes = min(costs, key=lambda found: found[1])
    how = " ".join(options) or "text"
    print(f"  {shape.name:8} {n:>7} ranks {how:8} {seconds:>7.2f} s {kilobytes / 1024:>6.0f} MiB", flush=True)
    if status != 0:
        raise run.Failure(f"{shape.name}, {n} ranks: mqdump ended with {status}")
    if n == SIZES[-1] and (seconds > MOST_SECONDS or kilobytes > MOST_KB):
        raise run.Failure(f"{shape.name}, {n} ranks: more than {MOST_SECONDS} s or {MOST_KB >> 10} MiB")
    if not options:
        with open(output, encoding="utf-8") as file:
            text = file.read()
        if not says(shape, n, text):
            raise run.Failure(f"{shape.name}, {n} ranks: mqdump does not say \"{shape.says(n)}\", but\n{text[:2000]}")
    return seconds


def bench_shape(mqdump, programs, shape, sizes, directory):
    small = save_small(mqdump, programs, shape, directory)
    before = None
    for n in sizes:
        record = os.path.join(directory, "large")
        with open(record, "w", encoding="utf-8") as output:
            make_record.Large(output, small, n, shape.first, shape.tree).write()
        seconds = measure(mqdump, record, shape, n, directory)
        if n == SIZES[-1]:
            measure(mqdump, record, shape, n, directory, ("--svg", "-"))
            measure(mqdump, record, shape, n, directory, ("--json",))
        if before is not None:
            print(f"    {seconds / before:.1f} times as long as of a tenth (at most: {MOST_TIMES_LONGER})")
            if seconds > MOST_TIMES_LONGER * before:
                raise run.Failure(f"{shape.name}, {n} ranks: {seconds / before:.1f} times as long as of a tenth")
        before = seconds


def bench(mqdump, programs, scratch, larger):
    sizes = (*SIZES, LARGER) if larger else SIZES
    print("large jobs from made-up records: seconds of the processor and memory")
    directory = os.path.join(scratch, "large")
    os.makedirs(directory)
    for shape in SHAPES:
        bench_shape(mqdump, programs, shape, sizes, directory)
