#!/usr/bin/env python3
"""Real jobs that hang, each for a known reason, and what mqdump says is wrong with them.

Each case starts a job of prog_script and asks mqdump until it says what is expected, whole: every finding, its certainty,
the ranks that are stuck and those that they wait for; and the same of the cores of all ranks. Jobs that do not hang are
caught at many random moments, and nothing may be found.
"""

import argparse
import contextlib
import dataclasses
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree

import cases
import core_files
import job
import pml_ucx
import run
import schema
import script
from cases import expect

SOURCE = os.path.join(run.HERE, run.SCRIPT_SOURCES[0])
CORE_TRIES = 3          # jobs whose cores are looked at
LOOKS = 50
LARGE_RANKS = 64
CERTAIN, POSSIBLE = "certain", "possible"
NOT_TRIED = "-"         # in place of findings: cores do not tell what the case is about, or are not looked at


@dataclasses.dataclass(frozen=True)
class Finding:
    kind: str
    ranks: tuple
    causes: tuple = ()
    certainty: str = CERTAIN
    says: str = ""          # in the sentence or the details, as a regular expression
    evidence: bool = True   # operations that show it
    others: tuple = ()      # of other jobs, ranks and causes


def ring(ranks):
    return Finding("deadlock", ranks)


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    findings: tuple
    ranks: int = 4
    calls: dict = dataclasses.field(default_factory=dict)     # of ranks: the MPI function, or None outside of MPI
    script: str = ""        # what they do, as script.py reads it
    level: str = ""         # of support for threads
    transport: str = run.SHM
    mca: dict = dataclasses.field(default_factory=dict)
    status: int = 0
    notes: str = ""
    cores: tuple = None     # findings, where cores show something else
    conclusion: str = ""    # "unknown" or "nothing", where there are no findings


ALL = (0, 1, 2, 3)

# What ranks do. Others use these too.
RING = "all: recv world prev 7; send world next 7"
SSEND = "all: ssend world pair 7; recv world pair 7"
RENDEZVOUS = "all: send world pair 7 200000; recv world pair 7 200000"       # too large to leave without a receiver
TAG = "0: send world 1 5; 1: recv world 0 6; all: barrier world"
# Rank 3 wants something that it is to get after the barrier only.
MISSING = "3: recv world 0 9; all: barrier world; 0: send world 3 9"
FLOOD = "0: 20000 times send world 1 3 1; 1: recv world 0 4; all: barrier world"
COMPUTING = "2: endless; all: barrier world"
CRASHED = "2: endless; 0,1,3: recv world 2 5"       # somebody kills it
STUMBLES = "2: stumble; 0,1,3: recv world 2 5"
HEALTHY = {"stencil": "all: stencil", "workers": "all: workers"}

CASES = [
    Case("ring", (ring(ALL),), calls={rank: "MPI_Recv" for rank in ALL}, script=RING),
    Case("ring-stopped", (Finding("process_stopped", (0, 1, 3), (2,), says="Rank 2 is stopped by a signal"),),
         cores=(ring(ALL),), script=RING),
    Case("ring-tcp", (ring(ALL),), transport=run.TCP, script=RING),
    Case("ssend", (ring((0, 1)), ring((2, 3))), calls={0: "MPI_Ssend"}, script=SSEND),
    Case("rendezvous", (ring((0, 1)), ring((2, 3))), calls={0: "MPI_Send"}, script=RENDEZVOUS),
    Case("rendezvous-tcp", (ring((0, 1)), ring((2, 3))), transport=run.TCP, script=RENDEZVOUS),
    Case("tag", (Finding("collective_incomplete", (0, 2, 3), (1,), says="rank 1 is missing"),
                 Finding("tag_mismatch", (1,), (0,), POSSIBLE, "with tag 5 .* has arrived at rank 1")),
         calls={0: "MPI_Barrier", 1: "MPI_Recv"}, script=TAG),
    # A copy of MPI_COMM_WORLD: what is sent on one is not received on the other.
    Case("communicator", (Finding("collective_incomplete", (0, 2, 3), (1,)),
                          Finding("communicator_mismatch", (1,), (0,), POSSIBLE, "on ours has arrived")),
         script="all: dup ours world; 0: send ours 1 5; 1: recv world 0 5; all: barrier world"),
    # Rank 3 sends to rank 1 of "others", which is rank 2, and means rank 1 of MPI_COMM_WORLD.
    Case("subrank", (Finding("collective_incomplete", (0, 2, 3), (1,)),
                     Finding("destination_mismatch", (1,), (3,), POSSIBLE,
                             r"rank 3 \(2 in others\).* has arrived at rank 2")),
         script="0: split first world 1; 1-3: split others world 0; 3: send others 1 5; 1: recv others 2 5; "
                "all: barrier world"),
    Case("missing", (Finding("receive_without_send", (3,), (0,)),
                     Finding("collective_incomplete", (0, 1, 2), (3,), says="rank 3 is missing")), script=MISSING),
    Case("largecount", (Finding("receive_without_send", (3,), (0,), says="waits in MPI_Recv_c "),
                        Finding("collective_incomplete", (0, 1, 2), (3,),
                                says="3 of 4 ranks are in MPI_Bcast_c on MPI_COMM_WORLD; rank 3 is missing")),
         calls={0: "MPI_Bcast_c", 3: "MPI_Recv_c"},
         script="3: recv_c world 0 7; all: bcast_c world 20 3; 0: send world 3 7"),
    Case("unreceived", (Finding("send_without_receive", (3,), (0,)),
                        Finding("collective_incomplete", (0, 1, 2), (3,))),
         script="3: ssend world 0 9; all: barrier world"),
    Case("collectives", (Finding("collectives_differ", ALL, says="Ranks 2,3 are in MPI_Allreduce"),),
         script="0,1: barrier world; 2,3: allreduce world 20"),
    Case("root", (Finding("collectives_differ", ALL, says="or took different ranks for the root"),),
         script="0,1: bcast world 200000 0; 2,3: bcast world 200000 3; all: barrier world"),
    Case("flood", (Finding("collective_incomplete", (0, 2, 3), (1,)),
                   Finding("flood", (1,), (0,), says=r"20,000 messages \(80,000 bytes\)"),
                   Finding("tag_mismatch", (1,), (0,), POSSIBLE)), script=FLOOD),
    # The error is returned, but nobody looks.
    Case("truncated", (Finding("truncated", (1,), (0,), says="room for 80 bytes.* has 160 bytes"),
                       Finding("receive_without_send", (1,), (0,)),
                       Finding("collective_incomplete", (0, 2, 3), (1,))),
         script="all: errors_return world; 1: irecv world 0 5 20 r; all: barrier world; 0: send world 1 5 40; "
                "1: recv world 0 6; all: barrier world"),
    Case("elements", (Finding("truncated", (1,), (0,), says=r"sent 10 x MPI_DOUBLE \(80 bytes\), room for 10 x MPI_FLOAT "),
                      Finding("truncated", (3,), (2,), says=r"sent 2 x vector of MPI_DOUBLE \(160 bytes\), "
                                                            r"room for 3 x contiguous of MPI_INT \(48 bytes\)"),
                      Finding("receive_without_send", (1,), (0,)),
                      Finding("collective_incomplete", (0, 2, 3), (1,))),
         script="all: errors_return world; type_vector _rows 5 2 4 double; type_contiguous _ints 4 int; "
                "1: told_irecv world 0 5 10 float r silent; 3: told_irecv world 2 5 3 _ints r silent; all: barrier world; "
                "0: told_issend world 1 5 10 double s silent; 2: told_issend world 3 5 2 _rows s silent; "
                "1: recv world 0 6; all: barrier world"),
    # Two rows of two: the second dimension is periodic.
    Case("neighbours", (Finding("deadlock", (0, 2), says=r"Rank 0 \(0,0\) waits .* a message from its neighbour \+x, "
                                                         r"rank 2 \(1,0\), with tag 7 on grid"),
                        Finding("deadlock", (1, 3), says=r"Rank 3 \(1,1\) waits .* its neighbour -x, rank 1 \(0,1\), ")),
         script="all: cart grid world 2 1 2; 0: recv grid 2 7; 2: recv grid 0 7; 1: ssend grid 3 7; 3: ssend grid 1 7"),
    Case("computing", (Finding("waits_for_busy", (0, 1, 3), (2,), POSSIBLE, "outside of MPI .step_endless",
                               False),), calls={2: None}, script=COMPUTING),
    Case("polling", (Finding("waits_for_busy", (1, 2, 3), (0,), POSSIBLE, "Rank 0 tests in MPI_Iprobe"),),
         script="0: ask_at_once; iprobe world 1 5 20; 1-3: recv world 0 5"),
    Case("crashed", (Finding("process_ended", (0, 1, 3), (2,), POSSIBLE),), status=1,
         cores=(Finding("waits_for_unknown", (0, 1, 3), (2,), POSSIBLE),), script=CRASHED),
    Case("finalized", (Finding("process_finalized", (1,), (0,), says="in MPI_Finalize"),),
         calls={0: "MPI_Finalize", 1: "MPI_Recv"}, status=1,
         cores=(Finding("process_finalized", (1,), (0,), POSSIBLE),), script="1: recv world 0 5"),
    Case("intercomm", (ring((0, 1)), ring((2, 3))),
         script="0,2: split half world 0; intercomm both half world 1; 1,3: split half world 1; "
                "intercomm both half world 0; 0,1: recv both 0 5; 2,3: recv both 1 5"),
    Case("waitall", (ring(ALL),), calls={0: "MPI_Waitall"},
         script="all: irecv world next 5 20 a; irecv world prev 5 20 b; waitall a b"),
    Case("any", (ring(ALL),), script="all: recv world any 5"),
    Case("probe", (Finding("deadlock", ALL, evidence=False),), calls={0: "MPI_Probe"}, script="all: probe world any 5"),
    Case("self", (ring((1,)),), notes="Ranks 0,2,3 wait for these", script="1: ssend world 1 5; all: barrier world"),
    # The main thread waits for another one, which waits for a message.
    Case("threads", (ring((0, 1)), ring((2, 3))), level="multiple", script="all: thread recv world pair 5; join"),
    # Thread 1 waits for a message that the main thread would send, if it were not busy.
    Case("one_thread_busy", (), level="multiple", script="all: thread recv world pair 5; endless"),
]

# These rest on operations, calls and processes, and on no count of messages, which UCX does not keep.
UNCOUNTED = ("ring", "ssend", "missing", "collectives", "root", "computing", "intercomm", "waitall", "any", "self",
             *(f"{name}, {LOOKS} times" for name in HEALTHY))
# Of these, what is only possible there: a rank that has sent its part of a collective operation has no request for it.
UNPROVED = ("root",)
CORE_LOOKS = 4

# A job of two ranks and one that it has started, which do not get on together. In the communicator of both the parents
# are the lower ranks, and wait for the children's barrier.
SPAWNED = [
    Case("spawn", tuple(Finding("deadlock", (rank,), others=(((rank,), ()),),
                                says=rf"rank {rank} of job (\S+) -> rank {rank} of job \S+ -> rank {rank} of job \1")
                        for rank in (0, 1)), script="all: spawn other; recv other me 5"),
    Case("merged", (Finding("receive_without_send", (0, 1), others=(((), (0,)),)),
                    Finding("collective_incomplete", (0, 1), others=(((), (0, 1)),),
                            says="2 of 4 ranks are in MPI_Barrier on both; ranks 0,1 of job .* are missing")),
         script="all: spawn other; merge both other; child recv both 0 5; barrier both"),
]

# Cases where a rank is not there any more when mqdump looks for those of the job. What is known of it depends on
# whether the launcher has a table of its ranks: with it, and without it.
TABLE_UNTIL = 4
WITHOUT_TABLE = "Rank 2 has probably ended: it was started on this machine"
GONE = {
    "killed": (CRASHED, (0, 1, 3), (2,), r"Rank 2 \(process \d+\) has ended: killed by signal 9"),
    # It does not come back from a library that ends programs.
    "exited": ("2: exit; 0,1,3: recv world 2 5", (0, 1, 3), (2,), r"Rank 2 \(process \d+\) has ended: there is no such process"),
    # The same, and nobody waits for it as yet.
    "early": ("2: exit; 0,1,3: endless", (2,), (), r"while others are still in MPI.*Rank 2 \(process \d+\) has ended"),
}
# So that the launcher does not end the others when one has failed.
LENIENT = {4: ["--mca", "orte_abort_on_non_zero_status", "0"], 5: ["--runtime-options", "error-nonzero-status=0"]}


class Different(cases.Failure):
    """Not what is expected, yet."""


def check_finding(expected, found):
    for name, value in (("kind", expected.kind), ("certainty", expected.certainty), ("ranks", list(expected.ranks)),
                        ("causes", list(expected.causes))):
        if found[name] != value:
            raise Different(f"{name} is {found[name]}, not {value}: {found['sentence']}")
    others = tuple((tuple(other["ranks"]), tuple(other["causes"])) for other in found["other_jobs"])
    if others != expected.others or found["job"] in [other["job"] for other in found["other_jobs"]]:
        raise Different(f"other jobs are {found['other_jobs']}, not {expected.others}: {found['sentence']}")
    text = " ".join([found["sentence"], *found["details"]])
    if not re.search(expected.says, text):
        raise Different(f"'{expected.says}' is not in: {text}")
    if expected.evidence and not found["operations"]:
        raise Different(f"no operation as evidence: {found['sentence']}")


def check_calls(case, document):
    for process in document["processes"]:
        expected = case.calls.get(process["rank"], "")
        if expected == "":
            continue
        found = [thread["function"] for thread in process.get("threads", [])
                 if (thread["state"] == "mpi") == (expected is not None)]
        if expected is None and not found or expected is not None and expected not in found:
            raise Different(f"rank {process['rank']} is not in {expected}: {process.get('threads')}")


def check_document(case, document):
    found = document.get("findings", [])     # not there while no rank has come through MPI_Init
    if len(found) != len(case.findings):
        raise Different(f"{len(found)} findings, not {len(case.findings)}: "
                        f"{[[one['kind'], one['sentence']] for one in found]}")
    for expected, one in zip(case.findings, found):
        check_finding(expected, one)
    check_calls(case, document)
    if case.conclusion not in ("", document["conclusion"]):
        raise Different(f"the conclusion is '{document['conclusion']}', not '{case.conclusion}'")
    if not re.search(case.notes, " ".join(document["notes"])):
        raise Different(f"'{case.notes}' is not in the notes {document['notes']}")


def read_terminal(command, columns, **variables):
    """What a command shows on a terminal of so many columns: its standard output, and its standard error."""
    pairs = [pty.openpty(), pty.openpty()]
    for _, end in pairs:
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pairs[0][1], stderr=pairs[1][1],
                          env={**environment, "TERM": "xterm", **variables}) as process:
        texts = {pair[0]: b"" for pair in pairs}
        for _, end in pairs:
            os.close(end)
        left = set(texts)
        while left:
            for ready in select.select(list(left), [], [], run.MQDUMP_SECONDS)[0]:
                try:
                    part = os.read(ready, 65536)
                except OSError:
                    part = b""
                texts[ready] += part
                if not part:
                    left.remove(ready)
        process.wait()
    for pair in pairs:
        os.close(pair[0])
    return [texts[pair[0]].decode().replace("\r\n", "\n") for pair in pairs]


@dataclasses.dataclass
class Picture:
    """Ranks, and whether they were read; who waits for whom, and whether in a circle; and for what."""
    ranks: dict
    waits: dict
    labels: set


WHOLE_RING = Picture({"0": True, "1": True, "2": True, "3": True},
                     {("0", "3"): True, ("1", "0"): True, ("2", "1"): True, ("3", "2"): True},
                     {"recv tag 7 on MPI_COMM_WORLD"})
PART_OF_RING = Picture({"0": False, "1": True, "2": True, "3": False}, {("1", "0"): False, ("2", "1"): False},
                       WHOLE_RING.labels)


def read_svg(text):
    space = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.fromstring(text.encode())
    picture = Picture({}, {}, set())
    for group in root.findall(f"{space}g"):
        who = group.find(f"{space}title").text.split(":")[0].split(" ")[-1]
        picture.ranks[who] = "absent" not in group.get("class").split()
    for edge in root.findall(f"{space}path"):
        pair, label = edge.find(f"{space}title").text.split(": ", maxsplit=1)
        picture.waits[tuple(pair.split(" -> "))] = "circle" in edge.get("class").split()
        picture.labels.add(label)
    return picture


def read_dot(text):
    nodes = re.findall(r'^ *(n\d+) \[label="([-,\d]+)\\n([^"]*)"(.*)\];$', text, re.MULTILINE)
    names = {node: who for node, who, _, _ in nodes}
    picture = Picture({who: "dashed" not in rest for _, who, _, rest in nodes}, {}, set())
    for start, end, label, rest in re.findall(r'^ *(n\d+) -> (n\d+) \[label="([^"]*)"(.*)\];$', text, re.MULTILINE):
        picture.waits[names[start], names[end]] = "penwidth=3" in rest
        picture.labels.add(label)
    return picture


def cores(paths, *options):
    """The arguments that name core files."""
    return [*options, "--core", *paths]


class Jobs:
    """The jobs of prog_script, or of another program, on one installation."""

    def __init__(self, mqdump, program, scratch, pml=run.Ob1()):
        self.mqdump = mqdump
        self.program = program
        self.pml = pml
        self.scratch = scratch

    def start(self, name, what, ranks, transport=run.SHM, level="", options=(), mca=None):
        """What the program does is a script, or its arguments."""
        environment = {"MQD_THREADS": level} if level else {}
        how = self.pml.adapted(run.Case(name, ranks, transport=transport, environment=environment, mca=mca or {}))
        arguments = script.command(what, ranks) if isinstance(what, str) else what
        return job.Job(os.path.join(self.scratch, name), [*options, self.program, *arguments], ranks, transport,
                       how.mca, how.environment, self.mqdump.installation)

    @contextlib.contextmanager
    def parked(self, name, what, case, ranks=4):
        """A job, and its ranks as soon as a document is as the case tells."""
        with self.start(name, what, ranks) as running:
            pids = running.await_ranks(self.program)
            self.await_document(case, pids)
            yield running, pids

    def document(self, pids, status=0, recorded=True):
        return document_of(self.mqdump.run(pids, "--json", recorded=recorded), status)

    def await_document(self, case, pids, case_of=None, recorded=False):
        """Returns a document that is as a case tells; case_of: as that one of which the function says so."""
        def look():
            document = self.document(pids, case.status, recorded)
            check_document(case_of(document) if case_of else case, document)
            return document
        return await_expected(look)

    @property
    def core_options(self):
        """A program that is shown in another root lies here as itself."""
        return ["--exe", self.program] if self.mqdump.installation is not job.HERE else []

    def check_cores(self, case, running, pids):
        """Ends the ranks that are left, and looks at their cores. Returns what mqdump says of them, and their paths."""
        left = [pid for pid in pids if job.alive(pid)]
        expected = case if case.cores is None else dataclasses.replace(case, findings=case.cores, notes="")
        if self.pml.name != "ob1":
            # No count of messages shows that none was on its way.
            expected = dataclasses.replace(expected, findings=tuple(
                dataclasses.replace(finding, certainty=POSSIBLE) for finding in expected.findings))
        # A process that has left MPI has nothing to be listed; one that has no core is not asked for.
        expected = dataclasses.replace(expected, status=case.status if len(left) == len(pids) else 0)
        paths = core_files.end(running, left)
        try:
            document = self.document(cores(paths, *self.options_of_ended()), expected.status)
            check_document(expected, document)
        except Different as difference:
            raise Different(f"of cores: {difference}") from difference
        return document, paths

    def run_case(self, case):
        """A rank that does more than wait may be elsewhere in its core: then another job is tried."""
        for n_left in reversed(range(CORE_TRIES)):
            try:
                self.run_once(case)
                return
            except Different:
                if not n_left:
                    raise
                shutil.rmtree(os.path.join(self.scratch, case.name))

    def run_once(self, case):
        with self.start(case.name, case.script, case.ranks, case.transport, case.level, mca=case.mca) as running:
            pids = list(running.await_ranks(self.program))
            if case.name == "crashed":
                self.kill_rank(running, pids[2])
            if case.name == "ring-stopped":
                self.await_document(Case("ring", (ring(ALL),)), pids)
                os.kill(pids[2], signal.SIGSTOP)
            self.await_document(case, pids)
            # What was found for certain is found again; what rests on time, once a rank got its share of it.
            if any(finding.certainty == POSSIBLE for finding in case.findings):
                self.await_document(case, pids, recorded=True)
            else:
                check_document(case, self.document(pids, case.status))
            if case.name not in ("crashed", "ring-stopped"):
                run.check_left_running(pids)
            core_files.remove(self.check_cores(case, running, pids)[1])

    def kill_rank(self, running, pid):
        """As when the launcher has not heard of it: it would end the others."""
        waiting = [other for other in running.pids if other != pid]
        cases.await_that(lambda: all(
            process.get("threads", [{}])[0].get("function") == "MPI_Recv"
            for process in schema.load(self.mqdump.run(waiting, "--json").stdout)["processes"]), "ranks wait for rank 2")
        running.process.send_signal(signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)
        while job.alive(pid):
            time.sleep(job.POLL_SECONDS)

    def run_spawned(self, case):
        """Both jobs are looked at together if their launcher is named; of one alone nothing certain is said."""
        with self.start(case.name, case.script, 2, run.TCP) as running:
            asked = [f"--job={running.process.pid}"]
            document = self.await_document(case, asked)
            names = {process["job"] for process in document["processes"]}
            if len(names) != 2 or len(document["processes"]) != 4:
                raise run.Failure(f"not two jobs of two ranks: {document['processes']}")
            text = self.mqdump.run(asked).stdout
            for name in names:
                if f"ranks 0,1 of job {name}: MPI_" not in text or f"\nRank 1 of job {name}, process " not in text:
                    raise run.Failure(f"the text does not tell the jobs apart: {text}")
            for name in names:
                alone = self.document([f"--job={name}"])["findings"]
                if any(finding["certainty"] == CERTAIN for finding in alone):
                    raise run.Failure(f"of one job alone: {json.dumps(alone, indent=1)}")

    def run_gone(self, name):
        """
        A rank that mqdump does not find: the launcher's table, or the number of its ranks here, tells of it. Up to
        Open MPI 4.1 anybody can read the table. Later it has to be asked for it by PMIx, and may not answer.
        """
        release = int(self.mqdump.installation.version.split(".", maxsplit=1)[0])
        what, ranks, causes, says = GONE[name]
        with_table = Case(name, (Finding("process_ended", ranks, causes, CERTAIN, says, bool(causes)),), status=1)
        without = Case(name, (Finding("process_ended", ranks, causes, POSSIBLE, WITHOUT_TABLE, bool(causes)),), status=1)

        def rank_2(document):
            return next((process for process in document["processes"] if process["rank"] == 2), {"pid": None})

        def case_of(document):
            return with_table if release <= TABLE_UNTIL or rank_2(document)["pid"] is not None else without

        options = () if name == "killed" else LENIENT[max(since for since in LENIENT if since <= max(release, 4))]
        with self.start(f"gone-{name}", what, 4, options=options) as running:
            asked = [f"--job={running.process.pid}"]
            if name == "killed":
                self.kill_rank(running, running.await_ranks(self.program)[2])
            try:
                gone = rank_2(self.await_document(with_table, asked, case_of))
                if "ended" not in gone["error"] or (
                        gone["signal"] != (9 if release <= TABLE_UNTIL and name == "killed" else None)):
                    raise run.Failure(f"rank 2 is shown as {gone}")
                text = self.mqdump.run(asked)
                if "rank 2: it has" not in text.stdout or "rank 2 not found: ended" not in text.stderr:
                    raise run.Failure(f"the text does not tell of rank 2: {text.stdout}{text.stderr}")
            finally:
                running.process.send_signal(signal.SIGCONT)

    def run_healthy(self, name, what, random_moments):
        with self.parked(name, what, Case(name, ())) as (_, pids):
            for look in range(LOOKS):
                time.sleep(random_moments.uniform(0, 0.1))
                document = self.document(pids)
                expect(not document["findings"], f"look {look}: {json.dumps(document['findings'], indent=1)}")
                if not all(any(thread["state"] != "unknown" for thread in process["threads"])
                           for process in document["processes"]):
                    raise run.Failure(f"look {look}: a stack is not known: "
                                      f"{[process['threads'] for process in document['processes']]}")
            run.check_left_running(pids)

    def run_healthy_cores(self, name, random_moments):
        """Taken together and one after another: that a rank computes is all that may be said of it."""
        with self.parked(f"{name}-cores", HEALTHY[name], Case(name, ())) as (running, pids):
            for look in range(CORE_LOOKS):
                time.sleep(random_moments.uniform(0, 0.1))
                paths = core_files.take(pids, os.path.join(running.directory, "cores"), look % 4 != 3)
                document = self.document(cores(paths, *self.core_options))
                if any(finding["kind"] != "waits_for_busy" or finding["certainty"] != POSSIBLE
                       for finding in document["findings"]):
                    raise run.Failure(f"look {look}: {json.dumps(document['findings'], indent=1)}")

    def options_of_ended(self):
        """For cores of ranks that core_files.end has ended."""
        return self.kernel_options() if core_files.kernel_keeps() else self.core_options

    def kernel_options(self):
        """The kernel names files as the program saw them; outside of its root they are elsewhere."""
        root = self.mqdump.installation.outside("")
        return ["--sysroot", root, *self.core_options] if root else []

    def run_killed(self, name, number):
        """Cores that somebody made by killing all ranks show why these hang, not how they ended."""
        core_files.require_kernel()
        case = Case("ring", (ring(ALL),), calls={rank: "MPI_Recv" for rank in ALL})
        with self.parked(name, RING, case) as (running, pids):
            paths = core_files.end(running, pids, number)
        check_document(case, self.document(cores(paths, *self.kernel_options())))
        core_files.remove(paths)

    def run_segfault(self):
        """A rank that crashed is what is wrong, wherever the others wait for it; and all that one core tells."""
        core_files.require_kernel()
        crash = Finding("process_crashed", (2,), (), says="by SIGSEGV in step_stumble", evidence=False)
        waits = Finding("process_ended", (0, 1, 3), (2,))
        before = Case("segfault", (Finding("waits_for_busy", (0, 1, 3), (2,), POSSIBLE, "stumble", False),))
        with self.parked("segfault", STUMBLES, before) as (running, pids):
            others = [pid for rank, pid in enumerate(pids) if rank != 2]
            # The signal is one that the program answers by a crash.
            paths = core_files.end(running, pids[2:3], signal.SIGUSR1, lambda: core_files.take(
                others, os.path.join(running.directory, "cores")))
        check_document(Case("one", (crash,), notes="3 of 4 ranks"), self.document(cores(paths[:1], *self.kernel_options())))
        if self.mqdump.installation is job.HERE:
            check_document(Case("all", (crash, waits)), self.document(cores(paths)))
        core_files.remove(paths)

    def run_part(self):
        """Of ranks that were not given, nothing is said but that they are waited for."""
        case = Case("part", (Finding("waits_for_unknown", (1, 2), (0,), POSSIBLE),),
                    notes="2 of 4 ranks of MPI_COMM_WORLD were not given")
        with self.start("part", RING, 4) as running:
            pids = running.await_ranks(self.program)
            self.await_document(case, pids[1:3])

    def save(self, pids, name):
        """A record of these ranks."""
        path = os.path.join(self.scratch, name)
        result = self.mqdump.run(pids, "--save", path)
        expect(result.returncode == 0, f"mqdump --save: {result.stderr}")
        return path

    def document_of_records(self, *paths):
        return schema.load(self.mqdump.start(["--json", *paths]).stdout)

    def run_records(self):
        """Ranks whose records come from different looks, the same ranks twice, and a record that was cut."""
        case = Case("ring", (ring(ALL),), calls={rank: "MPI_Recv" for rank in ALL})
        with self.parked("records", RING, case) as (_, pids):
            parts = [self.save(pids[:1], "first"), self.save(pids[1:], "others")]
            twice = [self.save(pids, "before"), self.save(pids, "after")]
        check_document(case, self.document_of_records(*reversed(parts)))
        document = self.document_of_records(*twice)
        check_document(case, document)
        since = [record["since"] for record in document["records"]]
        if [(change["moved"], change["same"]) for change in since[0]] != [([], [0, 1, 2, 3])] or since[1]:
            raise run.Failure(f"ranks that do not move: {since}")
        if "Since then ranks 0-3 have not moved." not in " ".join(self.mqdump.start(twice).stdout.split()):
            raise run.Failure("the text does not say who has moved")
        with open(twice[0], "rb+") as file:
            file.truncate(os.path.getsize(twice[0]) - 1)
        cut = self.mqdump.start([twice[0]])
        if cut.returncode != 1 or "the end is missing; 4 of 4 processes are there" not in cut.stderr:
            raise run.Failure(f"a record that was cut: {cut.stdout}{cut.stderr}")

    def run_moving_records(self):
        """Ranks that get on have moved; and nothing is wrong, whichever of their looks are put together."""
        with self.parked("moving", HEALTHY["stencil"], Case("stencil", ())) as (_, pids):
            before, after = self.save(pids, "moving-before"), self.save(pids, "moving-after")
            parts = [self.save([pid], f"moving-{rank}") for rank, pid in enumerate(pids)]
        moved = self.document_of_records(before, after)["records"][0]["since"][0]["moved"]
        expect(moved, "no rank of a job that gets on has moved")
        certain = [finding for finding in self.document_of_records(*parts)["findings"]
                   if finding["certainty"] == CERTAIN]
        expect(not certain, f"of looks at different times: {json.dumps(certain, indent=1)}")

    def check_pictures(self, pids, expected):
        """In files, which are there whole, and on standard output."""
        for option, read in (("--svg", read_svg), ("--dot", read_dot)):
            path = os.path.join(self.scratch, f"picture{option}")
            result = self.mqdump.run(pids, option, path)
            to_output = self.mqdump.run(pids, option, "-")
            if result.returncode != 0 or not result.stdout.startswith("Why\n"):
                raise run.Failure(f"no report beside the picture: {result.stdout}{result.stderr}")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if read(text) != expected or read(to_output.stdout) != expected:
                raise run.Failure(f"{option} shows {read(text)} and {read(to_output.stdout)}, not {expected}")

    def run_picture(self):
        """Who waits for whom, of all ranks and of some."""
        missing = os.path.join(self.scratch, "none", "picture.svg")
        with self.parked("picture", RING, Case("ring", (ring(ALL),))) as (running, pids):
            self.check_pictures(pids, WHOLE_RING)
            self.check_pictures(pids[1:3], PART_OF_RING)
            paths = core_files.take(pids, os.path.join(running.directory, "cores"))
            self.check_pictures(cores(paths, *self.core_options), WHOLE_RING)
            failing = self.mqdump.run(pids, "--svg", missing)
        if failing.returncode != 1 or f"cannot write '{missing}'" not in failing.stderr:
            raise run.Failure(f"a picture without a directory: {failing.returncode} {failing.stderr}")
        left = sorted(name for name in os.listdir(self.scratch) if name.startswith("picture-"))
        expect(left == ["picture--dot", "picture--svg"], f"beside the pictures there are {left}")

    def run_terminal(self):
        """Colours and width are the terminal's; what takes long says so, and nothing of that is left."""
        case = next(case for case in CASES if case.name == "computing")
        with self.parked("terminal", COMPUTING, case) as (_, pids):
            command = [self.mqdump.path, *(["--dll", self.mqdump.dll] if self.mqdump.dll else []), *map(str, pids)]
            deadline = time.monotonic() + job.PATIENCE
            text, progress = read_terminal(command, 60)
            while "Busy rank" not in text and time.monotonic() < deadline:
                text, progress = read_terminal(command, 60)
            without = [read_terminal(command, 60, NO_COLOR="1")[0], read_terminal(command, 60, TERM="dumb")[0],
                       read_terminal([*command, "--color=never"], 60)[0], self.mqdump.run(pids).stdout]
            asked = self.mqdump.run(pids, "--color=always").stdout
            jobs = self.mqdump.run([], "--list", "--color=always").stdout
            layout = self.mqdump.run(pids, "--layout", "--color=always").stdout
            if not jobs.startswith("\033[1mJOB ") or "\033[1m  Sizes in bytes" not in layout:
                raise run.Failure(f"no colours: {jobs!r} {layout!r}")
        if "\033[33mBusy" not in text or "\033[1mWhy\033[0m" not in text or "\033[1mWhy\033[0m" not in asked:
            raise run.Failure(f"no colours: {text!r} {asked!r}")
        expect(not any("\033" in one for one in without), f"colours: {without!r}")
        longest = max(len(re.sub("\033\\[[0-9;]*m", "", line)) for line in text.splitlines())
        expect(50 <= longest <= 60, f"{longest} columns on a terminal of 60:\n{text}")
        if not re.fullmatch(r"(\rmqdump: (prepared|read) \d of 4 ranks *)+\r +\r", progress):
            raise run.Failure(f"the progress is {progress!r}")

    def run_large(self):
        """Many ranks, in one screen."""
        case = Case("large", (ring(tuple(range(LARGE_RANKS))),))
        with self.parked("large", RING, case, LARGE_RANKS) as (_, pids):
            result = self.mqdump.run(pids, recorded=False)
            lines = result.stdout.splitlines()
            if f"Ranks 0-{LARGE_RANKS - 1} wait for each other" not in " ".join(result.stdout.split()):
                raise run.Failure(f"no deadlock in the text:\n{result.stdout[:3000]}")
            if len(lines) > 40 or any(len(line) > run.TABLE_COLUMNS for line in lines):
                raise run.Failure(f"more than one screen:\n{result.stdout}")

    def run_source(self, builder, compiler):
        """With debug information the place is a line of the source."""
        program = run.compile_script(compiler, os.path.join(self.scratch, "prog_script_debug"), builder, ("-g",))
        with open(SOURCE, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if text.startswith("SEND(ssend"))
        finding = Finding("deadlock", (0, 1), says=rf"MPI_Ssend \(prog_script.c:{line}\)")
        jobs = Jobs(self.mqdump, program, self.scratch)
        with jobs.parked("source", SSEND, Case("source", (finding,)), 2):
            pass
    def run_fortran(self, builder, compiler):
        """A call through mpif.h is the function that C has, at the program's line."""
        if not builder.run(compiler, "--version"):
            raise run.Skip(f"no {compiler} that works (Debian: gfortran)")
        program = os.path.join(self.scratch, "prog_hang_fortran")
        source = os.path.join(run.HERE, "prog_hang.f90")
        subprocess.run([*builder.enter, compiler, "-O1", "-g", source, "-o", program], check=True)
        with open(source, encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "call MPI_Recv" in text)
        finding = Finding("deadlock", (0, 1), says=rf"MPI_Recv \(prog_hang.f90:{line}\)")
        directory = os.path.join(self.scratch, "fortran")
        with job.Job(directory, [program], 2, installation=self.mqdump.installation) as running:
            self.await_document(Case("fortran", (finding,), calls={0: "MPI_Recv"}), running.await_ranks(program))


def argument_parser(description, whole=True):
    """The options; not whole if it is to be a parent of another parser."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     add_help=whole)
    cases.add_options(parser)
    parser.add_argument("--fc", default=os.environ.get("MPIFC") or "mpif90", help="the same for Fortran ($MPIFC)")
    parser.add_argument("--pml", choices=("ob1", "ucx"), default="ob1", help="which PML the jobs use")
    return parser


def main(test_suite, description):
    """Runs a suite on this machine's own Open MPI."""
    sys.exit(test_suite(argument_parser(description).parse_args(), job.HERE, job.HERE))


def await_expected(look):
    """What a function returns as soon as it does not raise that something is different."""
    deadline = time.monotonic() + job.PATIENCE
    while True:
        try:
            return look()
        except Different as difference:
            if time.monotonic() > deadline:
                raise run.Failure(str(difference)) from difference
        time.sleep(0.1)


def document_of(result, status, too_early="neither a rank of an MPI job"):
    """Of a result of mqdump with this status. Without output its messages say that it was too early."""
    if not result.stdout and re.search(too_early, result.stderr):
        raise Different("the job has no ranks yet")
    document = run.parsed(result)
    if result.returncode != status:
        raise Different(f"mqdump ended with {result.returncode}: {result.stderr.strip()}")
    return document


def await_running(pids, what):
    """None is stopped or traced any more, and each gets on, once the kernel has let go of them."""
    cases.await_that(lambda: not any(map(job.stopped_or_traced, pids)), lambda: (
        f"{what}: {[(pid, job.stopped_or_traced(pid)) for pid in pids]}"))
    before = {pid: job.processor_ticks(pid) for pid in pids}
    cases.await_that(lambda: all(job.processor_ticks(pid) != before[pid] for pid in pids), f"{what}: all ranks got on")


def without_certainty(case):
    """The case where what is found is possible only."""
    return dataclasses.replace(case, findings=tuple(dataclasses.replace(finding, certainty=POSSIBLE)
                                                    for finding in case.findings))


def without_counts(case):
    """The case where messages are not counted."""
    return without_certainty(case) if case.name in UNPROVED else case


def all_cases(arguments, jobs, builder):
    seed, random_moments = moments(arguments)
    found = [(case.name, lambda case=case: jobs.run_case(case))
             for case in (CASES if arguments.pml == "ob1" else map(without_counts, CASES))]
    found += [(f"{name}, {LOOKS} times, seed {seed}", lambda name=name, what=what: jobs.run_healthy(name, what, random_moments))
              for name, what in HEALTHY.items()]
    found += [(f"spawned, {case.name}", lambda case=case: jobs.run_spawned(case)) for case in SPAWNED]
    found += [(f"gone, {name}", lambda name=name: jobs.run_gone(name)) for name in GONE]
    found += [(f"{name}, cores, seed {seed}", lambda name=name: jobs.run_healthy_cores(name, random_moments))
                 for name in HEALTHY]
    found += [("killed by SIGABRT", lambda: jobs.run_killed("abort", signal.SIGABRT)),
                 ("killed by SIGQUIT", lambda: jobs.run_killed("quit", signal.SIGQUIT)),
                 ("segfault", jobs.run_segfault)]
    found += [("records", jobs.run_records), ("moving records", jobs.run_moving_records)]
    found += [("part", jobs.run_part), ("picture", jobs.run_picture), ("terminal", jobs.run_terminal),
                 ("large", cases.Alone(jobs.run_large)),
                 ("source", lambda: jobs.run_source(builder, arguments.cc))]
    # Other releases' roots have no gfortran.
    if builder is job.HERE:
        found.append(("fortran", lambda: jobs.run_fortran(builder, arguments.fc)))
    if arguments.pml == "ucx":
        found = [(label, function) for label, function in found if label.split(", seed")[0] in UNCOUNTED]
    return found


def moments(arguments):
    """The seed of random moments, and what makes them."""
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    return seed, random.Random(seed)


def scripted(arguments, mqdump, builder, scratch, pml=run.Ob1()):
    """The jobs of prog_script, which is compiled on another installation."""
    return Jobs(mqdump, run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder), scratch, pml)


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    pml = (run.Ob1() if arguments.pml == "ob1"
           else pml_ucx.Ucx(pml_ucx.VARIANTS["shm"], pml_ucx.Target(None, mqdump.installation)))
    return all_cases(arguments, scripted(arguments, mqdump, builder, scratch, pml), builder)


test = run.suite("verdicts", labelled)

if __name__ == "__main__":
    main(test, __doc__)
