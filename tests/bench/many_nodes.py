"""What it costs to have many nodes looked at, all at once, and to conclude and show what they answer.

mqdump starts a script for each node as it would start ssh: by --launch. It prints a record that is made up from those
of small jobs (node_record.py). Some nodes are slower than others, and on request some are not reached, break off in the
middle or answer too late. What is wrong with the job is planted on a few ranks of
different nodes: it must be found, and every node that has not answered must be named.

A wrong answer fails, and that ten times as many nodes take more than 15 times as long.
"""
import dataclasses
import os
import re
import time

import large_jobs
import node_record
import run

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 64                          # of a node
SIZES = (100, 1000, 10000)          # nodes
SMALL_SIZES = (20, 200)
DELAY_MS = 200
SLOW_SECONDS = 600
DEADLINE_SECONDS, DEADLINE_OF_FEW = 30, 10
LOST_NODE, CUT_NODE, SLOW_NODE = 7, 13, 3
SSH_FAILS = 255
OF_EACH = 100                       # one of so many nodes is lost, and one of them is cut
MOST_TIMES_LONGER = 15              # for ten times as many nodes
LEAST_SECONDS = 0.1                 # of the processor: what is less is mostly the start
MOST_KB_PER_RANK, MOST_KB = 7, 64 * 1024
BETWEEN = 1234                      # the rank that is missing


@dataclasses.dataclass(frozen=True)
class Shape:
    """What is wrong: the models of ranks, which ranks are special, and the sentence that must be there."""
    name: str
    models: object                  # of the small records' paths
    special: object                 # of the number of ranks: the models and the peers of those that are not as model 0
    says: object                    # of the number of ranks: a regular expression
    root: int = 0
    says_if_lost: str = ""          # the same if some nodes do not answer; the first one by default
    never_if_lost: str = ""         # what must not be there then


def ring_of(n):
    """Ranks of different nodes, each of which waits for the next one."""
    return [RANKS - 1, n - 1, 10 * RANKS, RANKS]


def planted(n):
    ranks = ring_of(n)
    return {rank: (1, ranks[(i + 1) % len(ranks)]) for i, rank in enumerate(ranks)}


# A rank, or several, may be named with their nodes.
ON = "( on [^ ]+)?"


SHAPES = (
    Shape("planted", lambda small: [node_record.Model(small("healthy"), 1), node_record.Model(small("ring"), 1, "p")],
          planted,
          lambda n: rf"Deadlock\. Ranks {','.join(map(str, sorted(ring_of(n))))}{ON} wait for each other: "
                    + " -> ".join(map(str, [*ring_of(n), RANKS - 1]))),
    Shape("barrier", lambda small: [node_record.Model(small("barrier"), 1, "t"),
                                    node_record.Model(small("barrier"), 0)],
          lambda n: {BETWEEN: (1, 0)},
          lambda n: rf" of {n:,} ranks are in MPI_Barrier on MPI_COMM_WORLD; rank {BETWEEN}{ON} is missing",
          BETWEEN),
    Shape("ring", lambda small: [node_record.Model(small("ring"), 1)], lambda n: {},
          lambda n: rf"Deadlock\. Ranks 0-{n - 1}{ON} wait for each other",
          says_if_lost=r"Unknown rank \(possible\)", never_if_lost="Deadlock"),
    Shape("flood", lambda small: [node_record.Model(small("healthy"), 1), node_record.Model(small("flood"), 0, "p"),
                                  node_record.Model(small("flood"), 1, "p")],
          lambda n: {BETWEEN: (1, 77), 77: (2, BETWEEN)},
          lambda n: rf"Flood of messages\. 1,200 messages \(19,200 bytes\) from rank 77{ON} on MPI_COMM_WORLD have "
                    rf"arrived at rank {BETWEEN}"),
    Shape("healthy", lambda small: [node_record.Model(small("healthy"), 1)], lambda n: {},
          lambda n: "Why Nothing suspicious", says_if_lost="Why Cannot tell why", never_if_lost="Nothing suspicious"),
)


@dataclasses.dataclass(frozen=True)
class Weather:
    """What nodes do apart from answering; `fanout` of them are asked at once."""
    name: str
    fanout: int
    faults: bool


WEATHERS = (Weather("calm", 64, False), Weather("faults", 256, True))


def host_name(node):
    return f"n{node:05d}"


def missing_nodes(n_nodes):
    """Those that do not answer, by why."""
    slow_of = max(n_nodes // 4, 1)
    return {"lost": [node for node in range(n_nodes) if node % OF_EACH == LOST_NODE],
            "cut": [node for node in range(n_nodes) if node % OF_EACH == CUT_NODE],
            "slow": [node for node in range(n_nodes) if node % slow_of == SLOW_NODE % slow_of]}


def expand_hosts(text):
    """All hosts that a text names, ranges in brackets included."""
    found = set(re.findall(r"\bn\d{5}\b", text))
    for word in re.findall(r"\bn(\d*)\[([\d,-]+)\](?!\w)", text):
        for part in word[1].split(","):
            first, _, last = part.partition("-")
            found |= {f"n{word[0]}{number:0{len(first)}d}" for number in range(int(first), int(last or first) + 1)}
    return found


class Bench:
    def __init__(self, mqdump, programs, scratch, deadline):
        self.mqdump, self.programs, self.deadline = mqdump, programs, deadline
        self.directory = os.path.join(scratch, "nodes")
        os.makedirs(self.directory)
        self.small = {}

    def small_record(self, name):
        if name not in self.small:
            self.small[name] = large_jobs.save_small(self.mqdump, self.programs, large_jobs.SMALL_SHAPES[name],
                                                     self.directory)
        return self.small[name]

    def write_nodes(self, shape, weather, n_nodes):
        """A script for each node plays what the launcher of remote commands and mqdump there do together."""
        template = node_record.Template(shape.models(self.small_record))
        nodes = node_record.Job(template, n_nodes, RANKS, shape.root, shape.special(n_nodes * RANKS))
        missing = missing_nodes(n_nodes) if weather.faults else {"lost": [], "cut": [], "slow": []}
        for node in range(n_nodes):
            host, ending = host_name(node), "exit 0"
            record = nodes.record(node, host)
            if node in missing["cut"]:
                record, ending = record[:len(record) // 2], f"echo closed by remote host >&2; exit {SSH_FAILS}"
            script = f'sleep {(node + 1) * 7919 % DELAY_MS / 1000}\ntail -n +4 "$0"\n{ending}\n{record}'
            if node in missing["lost"]:
                script = f"echo ssh: connect to host {host} port 22: No route to host >&2; exit {SSH_FAILS}\n"
            elif node in missing["slow"]:
                script = f"exec sleep {SLOW_SECONDS}\n"
            with open(os.path.join(self.directory, host), "w", encoding="ascii") as file:
                file.write(script)
        return str(template.job)

    def command(self, shape, weather, n_nodes):
        return [self.mqdump.path, "--job", self.write_nodes(shape, weather, n_nodes), "--hosts",
                f"n[00000-{n_nodes - 1:05d}]", "--launch", f"sh {self.directory}/%h", "--fanout", str(weather.fanout),
                "--limit", f"host={self.deadline}"]

    def check(self, shape, weather, n_nodes, status, text):
        folded = re.sub(r"\s+", " ", text)
        says = (weather.faults and shape.says_if_lost) or shape.says(n_nodes * RANKS)
        never = weather.faults and shape.never_if_lost
        if not re.search(says, folded) or (never and re.search(never, folded)):
            raise run.Failure(f"{shape.name}, {n_nodes} nodes: mqdump does not say \"{says}\""
                              f"{' without ' + never if never else ''}, but ({status})\n{text[:2000]}")
        if not weather.faults:
            return
        named = expand_hosts(re.sub(r"\s+", "", text)) | expand_hosts(text)
        for why, nodes in missing_nodes(n_nodes).items():
            lacking = [host_name(node) for node in nodes if host_name(node) not in named]
            if lacking:
                raise run.Failure(f"{shape.name}, {n_nodes} nodes: {len(lacking)} that were {why} are not named: "
                                  f"{', '.join(lacking[:5])}\n{text[:2000]}")

    def measure(self, shape, weather, n_nodes):
        output, command = os.path.join(self.directory, "output"), self.command(shape, weather, n_nodes)
        start = time.monotonic()
        status, seconds, kilobytes = large_jobs.cost(command, output)
        wall = time.monotonic() - start
        print(f"  {shape.name:8} {weather.name:7} {n_nodes:>6} nodes {seconds:>7.2f} s of the processor "
              f"{wall:>7.2f} s {kilobytes / 1024:>6.0f} MiB {kilobytes / n_nodes / RANKS:>5.1f} KiB/rank", flush=True)
        with open(output, encoding="utf-8") as file:
            self.check(shape, weather, n_nodes, status, file.read())
        if kilobytes > MOST_KB + MOST_KB_PER_RANK * n_nodes * RANKS:
            raise run.Failure(f"{shape.name}, {n_nodes} nodes: more than {MOST_KB_PER_RANK} KiB for each rank")
        return seconds

    def run(self, shapes, weathers, sizes):
        for shape in shapes:
            for weather in weathers:
                before = None
                for n_nodes in sizes:
                    seconds = self.measure(shape, weather, n_nodes)
                    if before is not None and seconds > MOST_TIMES_LONGER * max(before, LEAST_SECONDS):
                        raise run.Failure(f"{shape.name}, {n_nodes} nodes: {seconds / before:.1f} times as long as of "
                                          "a tenth")
                    before = seconds


def bench(mqdump, programs, scratch, larger):
    print(f"many nodes of {RANKS} ranks, from made-up records: seconds of the processor, all seconds, and memory")
    Bench(mqdump, programs, scratch, DEADLINE_SECONDS if larger else DEADLINE_OF_FEW).run(
        SHAPES, WEATHERS, SIZES if larger else SMALL_SIZES)
