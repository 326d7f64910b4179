"""How long ranks stand still while they are looked at, and how long that takes, as ranks see it themselves."""
import json
import mmap
import os
import statistics
import struct
import time

import job
import run
import script

N_LOOKS = 9
SLEEP_US = {8: 200, 64: 1000}       # two processors are enough for so many beats
N_FEW = 3                           # receives of all ranks but the first
RECORD = struct.Struct("=8Q")       # struct beats of prog_script.c
BEAT_SECONDS = 30
MOST_TIMES_LONGER = 1.3             # from the beginning to the end, than what is compared with
COMPARED_RANKS = 64


class Beats:
    """The records of all ranks of a job that beats."""

    def __init__(self, directory, n_ranks):
        self.n_ranks = n_ranks
        with open(os.path.join(directory, "beats"), "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), (n_ranks + 1) * RECORD.size)
        self.round = 0

    def record(self, rank):
        """Round, beats, the longest time between two, all long ones together, pid."""
        return RECORD.unpack_from(self.memory, (rank + 1) * RECORD.size)[:5]

    def await_that(self, condition):
        deadline = time.monotonic() + BEAT_SECONDS
        while not all(condition(self.record(rank), rank) for rank in range(self.n_ranks)):
            if time.monotonic() > deadline:
                raise run.Failure(f"not all ranks go on within {BEAT_SECONDS} s")
            time.sleep(0.002)

    def begin(self):
        self.round += 1
        struct.pack_into("=Q", self.memory, 0, self.round)
        self.await_that(lambda record, _: record[0] == self.round and record[1] > 0)

    def end(self):
        """The longest standstill of any rank, and the longest sum of one rank's, in ms. All ranks have gone on."""
        counts = [self.record(rank)[1] for rank in range(self.n_ranks)]
        self.await_that(lambda record, rank: record[1] > counts[rank])
        records = [self.record(rank) for rank in range(self.n_ranks)]
        return max(record[2] for record in records) / 1e6, max(record[3] for record in records) / 1e6


def check(label, result, pids, n_receives):
    """All ranks and all of their operations must be listed."""
    if result.returncode != 0:
        raise run.Failure(f"{label}: mqdump ended with {result.returncode}: {result.stderr.strip()}")
    found = {process["pid"]: sum(len(communicator["pending_receives"] or [])
                                 for communicator in process["communicators"] or [])
             for process in json.loads(result.stdout)["processes"]}
    expected = {pid: n_receives if rank == 0 else N_FEW for rank, pid in enumerate(pids)}
    if found != expected:
        raise run.Failure(f"{label}: {found} receives are listed, not {expected}")


class Looks:
    """What was measured with one mqdump, or without one."""

    def __init__(self, label, mqdump=None):
        self.label = label
        self.mqdump = mqdump
        self.longest, self.all, self.seconds = [], [], []

    def look(self, beats, pids, n_receives, pause):
        beats.begin()
        start = time.monotonic()
        if self.mqdump is None:
            time.sleep(pause)
        else:
            result = self.mqdump.run(pids, "--json", "--stats")
        self.seconds.append(time.monotonic() - start)
        longest, together = beats.end()
        self.longest.append(longest)
        self.all.append(together)
        if self.mqdump is not None:
            check(self.label, result, pids, n_receives)

    def print(self):
        each = " ".join(f"{longest:.1f}" for longest in self.longest)
        print(f"    {self.label:10} {each} ms; median {statistics.median(self.longest):.1f}, longest "
              f"{max(self.longest):.1f}; all together {statistics.median(self.all):.1f} ms; look "
              f"{statistics.median(self.seconds):.2f} s", flush=True)


def ratio(one, other):
    return statistics.median(one) / statistics.median(other)


def bench_job(mqdump, against, program, n_ranks, n_receives, directory):
    print(f"  {n_ranks} ranks, {n_receives} receives of one of them; load {os.getloadavg()[0]:.1f}")
    ours, idle = Looks("mqdump", mqdump), Looks("no look")
    other = Looks("against", against) if against else None
    text = (f"0: counting {n_receives} times irecv world next 0 2 r; "
            f"1-{n_ranks - 1}: counting {N_FEW} times irecv world next 0 2 r; all: beat {SLEEP_US[n_ranks]}")
    with job.Job(directory, [program, *script.command(text, n_ranks)], n_ranks) as running:
        path = os.path.join(directory, "beats")
        size = (n_ranks + 1) * RECORD.size
        running.await_that(lambda: os.path.exists(path) and os.path.getsize(path) == size, "all ranks beat")
        beats = Beats(directory, n_ranks)
        beats.begin()
        running.pids = [beats.record(rank)[4] for rank in range(n_ranks)]
        for looks in [ours, *([other] if other else []), idle] * N_LOOKS:
            looks.look(beats, running.pids, n_receives, ours.seconds[0] if ours.seconds else 0)
    for looks in [idle, ours, *([other] if other else [])]:
        looks.print()
    if other is None:
        return
    longer = ratio(ours.seconds, other.seconds)
    print(f"    than the other: {ratio(ours.longest, other.longest):.2f} times the standstill, "
          f"{ratio(ours.all, other.all):.2f} times all of it, {longer:.2f} times the seconds")
    if n_ranks == COMPARED_RANKS and longer > MOST_TIMES_LONGER:
        raise run.Failure(f"a look at {n_ranks} ranks takes {longer:.2f} times as long (wanted: {MOST_TIMES_LONGER})")


def bench(mqdump, against, program, scratch):
    print("how long ranks stand still, at most, in each look")
    for n_ranks, n_receives in ((8, N_FEW), (8, 10000), (64, N_FEW)):
        bench_job(mqdump, against, program, n_ranks, n_receives,
                  os.path.join(scratch, f"heartbeat.{n_ranks}.{n_receives}"))
