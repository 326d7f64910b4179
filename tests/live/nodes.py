#!/usr/bin/env python3
"""Jobs over several nodes, and one report of all of their ranks.

The nodes are made by node_machines.py, and the launcher of Open MPI reaches them by ssh, as it does by default. Each
case has a job hang for a known reason, or breaks a node, a daemon or a rank of it, and asks for what verdicts.py asks
of jobs on one machine: every finding, its certainty and its ranks; and the host of each rank.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import datetime
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import cases
import job
import node_machines
import run
import script
import verdicts
from node_machines import SHARED
from verdicts import Case, Different, Finding, POSSIBLE, ring
from cases import expect

N_NODES = 4
N_RANKS = 8                # rank by rank on the next node
LOOKS = 25                 # on each Open MPI
KILLS = 8                  # of the front end
SHIFTS = {"login": 0, "n01": -420, "n02": 300, "n03": 7, "n04": 3900}      # seconds that a node's clock is wrong
ATTEMPTS = 3
HOST_SECONDS = 8           # the deadline of a host that does not answer
# Every machine is a node, so the way to other nodes is the default.
SETTINGS = {"pml": "ob1", "mpi_yield_when_idle": "1", "btl_base_warn_component_unused": "0"}

ALL = tuple(range(N_RANKS))


def all_but(*ranks):
    return tuple(rank for rank in ALL if rank not in ranks)


SCRIPTS = {"ring": verdicts.RING, "ssend": verdicts.SSEND, "missing": verdicts.MISSING, "tag": verdicts.TAG,
           "flood": verdicts.FLOOD, **verdicts.HEALTHY}
HANGING = {
    "ring": Case("ring", (ring(ALL),), N_RANKS),
    "ssend": Case("ssend", tuple(ring((rank, rank + 1)) for rank in range(0, N_RANKS, 2)), N_RANKS),
    "missing": Case("missing", (Finding("receive_without_send", (3,), (0,)),
                                Finding("collective_incomplete", all_but(3), (3,), says="rank 3")), N_RANKS),
    "tag": Case("tag", (Finding("collective_incomplete", all_but(1), (1,), says="rank 1"),
                        Finding("tag_mismatch", (1,), (0,), POSSIBLE, "with tag 5 .* has arrived at rank 1")), N_RANKS),
    "flood": Case("flood", (Finding("collective_incomplete", all_but(1), (1,)),
                            Finding("flood", (1,), (0,), says=r"20,000 messages \(80,000 bytes\)"),
                            Finding("tag_mismatch", (1,), (0,), POSSIBLE)), N_RANKS),
}


def command_of(program, case):
    return [program, *script.command(SCRIPTS[case], N_RANKS)]


class Place(job.Installation):
    """The Open MPI of the nodes, as it is on one of them."""

    def __init__(self, node):
        self.node = node

    @property
    def enter(self):
        return self.node.enter


class NodeJob(job.Job):
    """A job over all nodes, whose mpirun runs on one of them, or on the login node."""

    RANK = "OMPI_COMM_WORLD_RANK"      # the environment variable

    def __init__(self, directory, program, case, machines, front):
        self.directory, self.machines, self.front, self.program = directory, machines, front, program
        self.n_ranks, self.n_nodes, self.pids = N_RANKS, N_NODES, []
        os.makedirs(directory)
        place = Place(front)
        hosts = ",".join(f"{node.name}:{N_RANKS // N_NODES}" for node in machines.nodes)
        command = [*front.enter, "mpirun", "--allow-run-as-root", "--oversubscribe", *place.launch.options, "-np",
                   str(N_RANKS), "--map-by", "node", "--host", hosts]
        for name, value in SETTINGS.items():
            command += ["--mca", name, value]
        self.output_path = os.path.join(directory, "output")
        with open(self.output_path, "wb") as output:
            self.process = subprocess.Popen([*command, *command_of(program, case)], stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=subprocess.STDOUT)
        self.launcher = None

    def await_ranks(self, executable=None):
        def all_run():
            self.pids = self.find_ranks()
            return len(self.pids) == N_RANKS
        self.await_that(all_run, "all ranks ran")
        self.launcher = self.find_launcher()
        return self.pids

    def find_launcher(self):
        return node_machines.process_of(node_machines.children(self.process.pid)[0])

    def find_ranks(self):
        """As they are seen from outside of the nodes."""
        found = {}
        for node in self.machines.nodes:
            for process in node.processes():
                with contextlib.suppress(OSError, KeyError):
                    if os.path.samefile(f"/proc/{process.pid}/exe", self.program):
                        found[int(process.environment[self.RANK])] = process.pid
        return [found[rank] for rank in sorted(found)]

    def await_that(self, condition, what):
        """Asks less often: it takes longer."""
        super().await_that(lambda: condition() or time.sleep(0.1), what)

    def end(self):
        for node in self.machines.nodes:
            node.set_link(True)
        if self.launcher is not None and job.alive(self.launcher.pid):
            # nsenter stops when its child does.
            self.process.send_signal(signal.SIGCONT)
            os.kill(self.launcher.pid, signal.SIGCONT)
            os.kill(self.launcher.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        for node in self.machines.all:
            node.clear()
        self.process.wait()


class Suite:
    """The cases on one Open MPI."""

    def __init__(self, arguments, machines, program, scratch):
        self.machines, self.program, self.scratch = machines, program, scratch
        self.mqdump, self.dll = os.path.abspath(arguments.mqdump), arguments.dll and os.path.abspath(arguments.dll)
        self.by_records, self.front = arguments.by == "records", arguments.front
        self.shared = contextlib.ExitStack()
        self.jobs = {}
        self.n_jobs = 0
        self.remote = self.mqdump

    # Jobs.

    def start(self, case, front=None):
        self.n_jobs += 1
        running = NodeJob(os.path.join(self.scratch, f"job{self.n_jobs}"), self.program, case, self.machines,
                          self.machines[front or self.front])
        return running

    def lasting(self, case):
        """A job for several cases; how it hangs by itself is seen before anything is done to it."""
        if case not in self.jobs or self.jobs[case].process.poll() is not None:
            self.end_all()
            with cases.lasting():
                running = self.shared.enter_context(self.start(case))
            running.await_ranks()
            self.await_document(HANGING[case], running)
            self.jobs[case] = running
        return self.jobs[case]

    def end_all(self):
        self.shared.close()
        self.jobs.clear()

    # Looks.

    @property
    def dll_options(self):
        return ["--dll", self.dll] if self.dll else []

    def on(self, node, *command, seconds=cases.PATIENCE):
        return subprocess.run([*node.enter, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=seconds, check=False)

    def there(self, running, name):
        """The node from which a command is started on another one, and what stands before it."""
        return running.front, "ssh", "-o", "ConnectTimeout=5", name

    def saved(self, running):
        """The records of all nodes, each written there by an mqdump that has been started from elsewhere."""
        directory = os.path.join(running.directory, "records")
        shutil.rmtree(directory, ignore_errors=True)
        os.mkdir(directory)
        os.chmod(directory, 0o777)
        files = {node.name: os.path.join(directory, node.name) for node in self.machines.nodes}

        def save(name):
            return self.on(*self.there(running, name), self.remote, *self.dll_options, "--local", "--save", files[name])
        with concurrent.futures.ThreadPoolExecutor(N_NODES) as pool:
            results = list(pool.map(save, files))
        return [path for path in files.values() if os.path.exists(path)], "".join(one.stderr for one in results)

    def look(self, running, *options):
        """The front end's whole report: a process's result."""
        if self.by_records:
            files, messages = self.saved(running)
            if not files:
                raise Different(f"no node has written a record: {messages}")
            result = self.on(running.front, self.mqdump, "--json", *files)
            result.stderr += messages
            return result
        remote = [] if self.remote == self.mqdump else ["--remote-mqdump", self.remote]
        return self.on(running.front, self.mqdump, *self.dll_options, "--json", "--job", str(running.launcher.inner),
                       *remote, *options)

    def document(self, running, *options, status=0):
        result = self.look(running, *options)
        return verdicts.document_of(result, status, "there is no job of Open MPI|neither a rank")

    def await_document(self, case, running, *options):
        def look():
            document = self.document(running, *options, status=case.status)
            verdicts.check_document(case, document)
            self.check_hosts(document)
            return document
        return verdicts.await_expected(look)

    def check_hosts(self, document):
        """Each rank is said to be where it is."""
        if self.by_records:
            return
        for process in document["processes"]:
            expected = self.host_of(process["rank"])
            if process["host"] != expected:
                raise run.Failure(f"rank {process['rank']} is said to be on {process['host']}, not {expected}")

    def host_of(self, rank):
        return self.machines.nodes[rank % N_NODES].name

    # Cases.

    def run_hanging(self, name, front=None):
        with self.start(name, front) as running:
            running.await_ranks()
            self.await_document(HANGING[name], running)
            run.check_left_running(running.pids)

    def run_lasting(self, name):
        running = self.lasting(name)
        verdicts.check_document(HANGING[name], self.document(running))
        run.check_left_running(running.pids)

    def run_stopped(self):
        running = self.lasting("ring")
        case = Case("stopped", (Finding("process_stopped", all_but(2), (2,), says="Rank 2.* is stopped by a signal"),))
        os.kill(running.pids[2], signal.SIGSTOP)
        try:
            self.await_document(case, running)
        finally:
            os.kill(running.pids[2], signal.SIGCONT)

    def run_healthy(self, shifted, looks, moments):
        self.remote = self.shifting() if shifted else self.mqdump
        load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        try:
            with self.start("stencil") as running:
                running.await_ranks()
                document = self.await_document(Case("stencil", (), N_RANKS), running)
                for look in range(looks):
                    time.sleep(moments.uniform(0, 0.1))
                    document = self.whole_document(running)
                    expect(not document["findings"], f"look {look}: {json.dumps(document['findings'], indent=1)}")
                run.check_left_running(running.pids)
                self.check_clocks(document, shifted)
        finally:
            self.remote = self.mqdump
            for process in load:
                process.kill()
                process.wait()

    @staticmethod
    def check_clocks(document, shifted):
        """The wrong times are those that the report has: else nothing was tried."""
        times = [datetime.datetime.fromisoformat(one["taken"]) for one in document.get("hosts") or document["records"]]
        apart = (max(times) - min(times)).total_seconds()
        if (apart > 3000) != shifted:
            raise run.Failure(f"the looks seem to be {apart} s apart")

    def whole_document(self, running):
        """Where much else runs, a rank may not get a processor in time to stop."""
        for attempt in range(ATTEMPTS):
            try:
                return self.document(running)
            except Different:
                if attempt == ATTEMPTS - 1:
                    raise
        return None

    def shifting(self):
        """An mqdump for which each node has another time of day."""
        library, wrapper = os.path.join(self.scratch, "shift.so"), os.path.join(self.scratch, "mqdump")
        if not os.path.exists(wrapper):
            subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-O1",
                            os.path.join(run.HERE, "jump_clock.c"), "-o", library], check=True)
            cases = "\n".join(f"{name}) shift={seconds};;" for name, seconds in SHIFTS.items())
            with open(wrapper, "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\ncase $(uname -n) in\n{cases}\nesac\n"
                           f'MQD_CLOCK_SHIFT=$shift LD_PRELOAD={library} exec {self.mqdump} "$@"\n')
            os.chmod(wrapper, 0o755)
        return wrapper

    def expect_unreachable(self, running):
        """The ranks of n03 are not known, nor those that wait for them; of the others all is."""
        case = Case("unreachable", (ring((0, 1)), ring((4, 5)),
                                    Finding("waits_for_unknown", (3, 7), (2, 6), POSSIBLE)), N_RANKS, status=1)
        if self.by_records:
            case = dataclasses.replace(case, status=0)
        start = time.monotonic()
        document = self.await_document(case, running, "--limit", f"host={HOST_SECONDS}")
        print(f"    {time.monotonic() - start:.1f} s", document.get("hosts"), document["notes"])
        return document

    def run_broken(self, how):
        """Nothing gets to n03, or its sshd does not answer, or it is switched off; then it is as it was."""
        running, node = self.lasting("ssend"), self.machines["n03"]
        server = node.sshd().pid
        broken, whole = {
            "link": (lambda: node.set_link(False), lambda: node.set_link(True)),
            "sshd": (lambda: os.kill(server, signal.SIGSTOP), lambda: os.kill(server, signal.SIGCONT)),
            "power": (node.kill, lambda: self.machines.revive(node)),
        }[how]
        broken()
        try:
            self.expect_unreachable(running)
        finally:
            whole()
            if how == "power":
                self.end_all()
        if how != "power":
            verdicts.check_document(HANGING["ssend"], self.document(running))

    def run_daemon_dies(self):
        """
        Its ranks end with it; mpirun, which would end the others, does not get to hear of it. From release 5 on it is
        not known then that there was a daemon there, since the mpirun that is stopped cannot be asked.
        """
        running = self.lasting("ring")
        os.kill(running.launcher.pid, signal.SIGSTOP)
        daemon = next(process for process in self.machines["n03"].processes()
                      if os.path.basename(process.arguments[0]) in ("orted", "prted"))
        os.kill(daemon.pid, signal.SIGKILL)
        finding = Finding("process_ended", (3, 7), (2, 6), POSSIBLE, says="ranks 2,6 on n03, which have ended")
        unknown = self.by_records or int(Place(running.front).version.split(".", maxsplit=1)[0]) >= 5
        if unknown:
            finding = Finding("waits_for_unknown", all_but(2, 6), (2, 6), POSSIBLE)
        try:
            self.await_document(Case("daemon", (finding,), N_RANKS, status=0 if unknown else 1), running)
        finally:
            self.end_all()

    def collectors(self):
        """All mqdumps, on all nodes."""
        return [(node.name, process) for node in self.machines.all for process in node.processes()
                if any("--collect" in argument for argument in process.arguments)]

    def run_front_killed(self, moments):
        if self.by_records:
            raise run.Skip("there is no front end")
        running = self.lasting("ring")
        self.kill_front_ends(running, [*running.front.enter, self.mqdump, *self.dll_options, "--job",
                                       str(running.launcher.inner)], moments, self.collectors)

    def kill_front_ends(self, running, command, moments, *left):
        """Nothing of what the functions in `left` return is left when a front end was killed at a random moment."""
        start = time.monotonic()
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=cases.PATIENCE, check=False)
        seconds = time.monotonic() - start
        seen = 0
        for kill in range(KILLS):
            number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[kill % 4]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as starter:
                time.sleep(moments.uniform(0.1, seconds))
                seen += bool(self.collectors())
                for child in node_machines.children(starter.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, number)
            for find in left:
                cases.await_that(lambda find=find: not find(), lambda find=find: f"nothing was left: {find()}")
            verdicts.await_running(running.pids, number.name)
        expect(seen, "the front end was never killed while there were collectors")
        verdicts.check_document(HANGING["ring"], self.document(running))


def labelled(suite, name, seed):
    """The cases and their names."""
    moments = random.Random(seed)
    found = [
        ("ring", lambda: suite.run_lasting("ring")),
        ("ring, a rank is stopped", suite.run_stopped),
        (f"ring, front end is killed, seed {seed}", lambda: suite.run_front_killed(moments)),
        ("ring, daemon dies", suite.run_daemon_dies),
        ("pairs", lambda: suite.run_lasting("ssend")),
        ("pairs, a node without network", lambda: suite.run_broken("link")),
        ("pairs, a node whose sshd hangs", lambda: suite.run_broken("sshd")),
        ("pairs, a node dies", lambda: suite.run_broken("power")),
        ("missing", lambda: suite.run_hanging("missing")),
        ("tag, mpirun on n01", lambda: suite.run_hanging("tag", "n01")),
        ("flood", lambda: suite.run_hanging("flood")),
        (f"healthy, {LOOKS} times, clocks are wrong, seed {seed}",
         lambda: suite.run_healthy(True, LOOKS, moments)),
    ]
    return [(f"{name}, {label}", function) for label, function in found]


def test(arguments, root, program, scratch, counts):
    """All cases on the Open MPI of a root. Adds up what became of them."""
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    shown = [node_machines.TOP, os.path.dirname(os.path.abspath(arguments.mqdump)),
             *([os.path.dirname(os.path.abspath(arguments.dll))] if arguments.dll else [])]
    with node_machines.Machines(N_NODES, root, shown) as machines:
        version = Place(machines.login).version
        if not version:
            raise node_machines.Missing(f"{root} has no Open MPI")
        directory = os.path.join(scratch, version)
        os.mkdir(directory)
        suite = Suite(arguments, machines, program, directory)
        try:
            for outcome in cases.run_all(cases.chosen(labelled(suite, version, seed), arguments), 1, directory):
                outcome.show()
                counts[outcome.result] += 1
        finally:
            suite.end_all()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", action="append", default=[], help="an unpacked release; may be repeated")
    cases.add_options(parser, 1)
    parser.add_argument("--by", choices=("records", "job"), default="job",
                        help="records: mqdump --save on each node; job: mqdump --job for all of them")
    parser.add_argument("--front", default="login", help="the node of mpirun and of the front end; login by default")
    arguments = parser.parse_args()
    node_machines.enter_world()
    scratch = os.path.join(SHARED, "nodes")
    os.mkdir(scratch)
    program = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"))
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for root in ("/", *arguments.root):
        try:
            test(arguments, root, program, scratch, counts)
        except node_machines.Missing as reason:
            print(f"skipped {root}: {reason}")
            counts["skipped"] += 1
    return cases.close(counts)


if __name__ == "__main__":
    node_machines.end_by(main)
