#!/usr/bin/env python3
"""Runs the live tests: real MPI jobs, and what mqdump says of them.

Each case starts a job of a program that parks in a known state, lists its queues with mqdump, compares every queue,
operation and field with what the program says it did, and lets the job go on to its end. Each case runs on Open MPI as
it is installed, and with its type information made available by a preloaded object.
"""

import argparse
import ctypes
import dataclasses
import filecmp
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import cases
import compare
import job
import pml_ucx
import schema
import script
import truths
from cases import Failure, Skip, expect

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SCRIPT_SOURCES = ("prog_script.c", "told.c", "truth.c")
MQDUMP_SECONDS = cases.PATIENCE
TABLE_COLUMNS = 80
LARGE_RECORD = 200 * 1000        # bytes; to check each line of a larger one takes long

FREE_LISTS = {
    "many-first": {"pml_ob1_free_list_num": "100", "pml_ob1_free_list_inc": "64"},
    "few": {"pml_ob1_free_list_num": "3", "pml_ob1_free_list_inc": "5"},
    "limited": {"pml_ob1_free_list_num": "5", "pml_ob1_free_list_inc": "7", "pml_ob1_free_list_max": "30"},
    "one-by-one": {"pml_ob1_free_list_num": "1", "pml_ob1_free_list_inc": "1"},
}
SHM, COPY, TCP, NODES = "shm", "copy", "tcp", "nodes"


@dataclasses.dataclass
class Case:
    name: str
    ranks: int
    arguments: list = dataclasses.field(default_factory=list)
    transport: str = SHM
    mca: dict = dataclasses.field(default_factory=dict)
    environment: dict = dataclasses.field(default_factory=dict)
    nodes: int = 1
    source: str = ""    # of truths.py, where the name does not say it
    since: int = 0      # the first release that has what the case needs
    before: int = 1000  # the first in which that ends the job by an error of Open MPI's own

    @property
    def what(self):
        return self.source or self.name.split("-", maxsplit=1)[0]

    @property
    def command(self):
        """The program's arguments: a script of truths.py."""
        return script.command(truths.BY_NAME[self.what](self.ranks, *self.arguments), self.ranks, True)


CASES = [
    Case("receives-2", 2),
    Case("receives-4", 4),
    Case("receives-8", 8),
    Case("receives-tcp", 4, transport=TCP),
    Case("receives-threads", 4, environment={"MQD_TRUTH_THREADS": "1"}),
    Case("receives-few", 3, mca=FREE_LISTS["few"]),
    Case("receives-many-first", 3, mca=FREE_LISTS["many-first"]),
    Case("receives-16", 16),
    Case("complete", 4),
    Case("complete-tcp", 4, transport=TCP),
    Case("rendezvous-copy", 3, transport=COPY),
    Case("rendezvous-tcp", 3, transport=TCP),
    Case("persistent", 2),
    Case("persistent-copy", 2, transport=COPY),
    Case("persistent-tcp", 2, transport=TCP),
    Case("sends-4", 4),
    Case("sends-8", 8),
    Case("sends-copy", 3, transport=COPY),
    Case("sends-tcp", 4, transport=TCP),
    Case("unexpected-4", 4),
    Case("unexpected-tcp", 4, transport=TCP),
    Case("unexpected-small-eager", 4, [], TCP, {"btl_tcp_eager_limit": "4096", "btl_tcp_rndv_eager_limit": "4096"}),
    Case("unexpected-rotated-4", 4, ["rotated"]),
    Case("unexpected-rotated-8", 8, ["rotated"], COPY),
    Case("unexpected-16", 16),
    Case("mixed", 2),
    Case("mixed-copy", 2, transport=COPY),
    Case("mixed-tcp", 2, transport=TCP),
    Case("recycled", 2, ["40"]),
    Case("recycled-tcp", 2, ["40"], TCP),
    Case("recycled-few", 2, ["24"], COPY, FREE_LISTS["few"]),
    Case("recycled-many-first", 2, ["60"], SHM, FREE_LISTS["many-first"]),
    Case("recycled-limited", 2, ["27"], SHM, FREE_LISTS["limited"]),
    Case("recycled-one-by-one", 2, ["20"], SHM, FREE_LISTS["one-by-one"]),
    Case("random-2", 2, ["1"]),
    Case("random-4", 4, ["2"], COPY),
    Case("random-8", 8, ["3"], mca=FREE_LISTS["few"]),
    Case("random-16", 16, ["4"], TCP),
    Case("random-nodes", 6, ["5"], NODES, nodes=3),
    Case("freed-3", 3),
    Case("freed-tcp", 2, transport=TCP),
    Case("freed-copy", 4, transport=COPY),
    Case("freed-kept", 3, ["kept"]),
    Case("arrival-4", 4),
    Case("refused", 4, source="communicators"),
    Case("threads-2", 2, environment={"MQD_TRUTH_THREADS": "1"}),
    Case("threads-tcp", 4, transport=TCP, environment={"MQD_TRUTH_THREADS": "1"}),
    Case("intercomm-4", 4),
    Case("intercomm-6", 6, transport=TCP),
    Case("spawn", 2, transport=TCP),
    Case("connect-4", 4, transport=TCP),
    *[Case(f"collective-{call}", 4, [call])
      for call in ("barrier", "bcast", "ibarrier", "persistent", "allreduce", "dup", "idup")],
    Case("collective-neighbor", 3, ["neighbor"]),
    Case("communicators", 4),
    Case("internal-windows", 4, ["windows"]),
    Case("internal-file", 4, ["file"]),
    Case("internal-collectives-nodes", 4, ["collectives"], NODES, nodes=2, since=5),
    Case("internal-partitioned", 2, ["partitioned"], since=5),
    Case("sessions-4", 4, since=5),
    Case("sessions-6-tcp", 6, transport=TCP, since=5),
    Case("communicators-nodes", 4, transport=NODES, nodes=2),
    Case("receives-nodes", 6, transport=NODES, nodes=3),
    Case("unexpected-nodes", 4, transport=NODES, nodes=2),
    Case("sends-nodes", 4, transport=NODES, nodes=4),
    Case("intercomm-nodes", 6, transport=NODES, nodes=2),
    Case("deadlock", 4),
    *[Case(f"blocked-{call}", 4, [call])
      for call in ("recv", "any", "wait", "waitall", "waitany", "waitsome", "ssend", "send", "sendrecv", "probe",
                   "probe-any", "mprobe")],
    Case("blocked-probe-threads", 3, ["probe"], environment={"MQD_TRUTH_THREADS": "1"}),
    Case("blocked-recv-threads", 3, ["recv"], environment={"MQD_TRUTH_THREADS": "1"}),
    Case("blocked-waitall-tcp", 3, ["waitall"], TCP),
    Case("blocked-ssend-copy", 3, ["ssend"], COPY),
    Case("blocked-send-tcp", 3, ["send"], TCP),
    Case("blocked-send-copy", 3, ["send"], COPY),
]

FEW = ("receives-2", "sends-4", "unexpected-4")


# PMLs that look at ob1's messages and let them pass. With v the job runs into errors since 5.0, with monitoring in 6.0.
INTERPOSED = {
    "monitoring": {"pml": "ob1,monitoring", "pml_monitoring_enable": "1"},
    "v": {"pml": "ob1,v", "vprotocol": "pessimist"},
}
CASES += [Case(f"{case}-{pml}", 4, mca=mca, before=5 if pml == "v" else 6)
          for case in ("receives", "sends", "unexpected") for pml, mca in INTERPOSED.items()]

class Ob1:
    """The PML ob1, of which the truth of the programs can all be seen. With `few` each program is run once."""

    name = "ob1"
    datatypes = True

    def __init__(self, few=False):
        self.few = few

    def has(self, case):
        if case.name == "refused":
            return False
        return not self.few or case is next(other for other in CASES if self.runs_same(case, other))

    @staticmethod
    def runs_same(case, other):
        return other.what == case.what and other.name != "refused"

    def adapted(self, case):
        return case

    def expected(self, truths):
        return truths

    def compare_libraries(self, process):
        return [f"libraries are {process['libraries']}"] if "libraries" in process else []


def without_source(output, options):
    """What mqdump says, without the records that it is from."""
    if "--json" not in options:
        return re.sub(r"\A(Record (.+\n)+\n)", "", output)
    try:
        document = json.loads(output)
    except ValueError:
        return output
    document.pop("records", None)
    return document


def parsed(result):
    """The document that mqdump has written."""
    try:
        return schema.load(result.stdout)
    except ValueError as error:
        raise Failure(f"mqdump's output is no valid JSON document: {error}\n{result.stdout[:2000]}"
                      f"{result.stderr}") from error


class Mqdump:
    """The command under test, and the Open MPI whose processes it reads."""

    def __init__(self, path, dll, installation=job.HERE):
        self.path = path
        self.dll = dll
        self.installation = installation

    def run(self, pids, *options, dll=None, recorded=True):
        """What mqdump says of processes. Of a record of the same look it says the same."""
        dll = dll or self.dll
        command = [*options, *(["--dll", dll] if dll else []), *map(str, pids)]
        if not recorded or {"--list", "--save", "--stats"} & {*options}:
            return self.start(command)
        with tempfile.TemporaryDirectory(prefix="ompi-mqd-record-") as directory:
            record = os.path.join(directory, "record")
            result = self.start(["--save", record, *command])
            if result.returncode in (0, 1) and os.path.exists(record):
                self.check_record(record, options, result)
        return result

    def start(self, arguments):
        try:
            return subprocess.run([self.path, *arguments], capture_output=True, text=True, timeout=MQDUMP_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"mqdump did not end within {MQDUMP_SECONDS} s") from error

    def check_record(self, record, options, live):
        """But for where it is from, and for files that pictures are written to."""
        pictures = [options[i + 1] for i, option in enumerate(options[:-1]) if option in ("--svg", "--dot")]
        replaced = {path: f"{record}.picture" for path in pictures if path != "-"}
        later = self.start([replaced.get(option, option) for option in options if option != "--no-stop"] + [record])
        if without_source(later.stdout, options) != without_source(live.stdout, options):
            raise Failure(f"of a record mqdump says\n{later.stdout[:3000]}{later.stderr[:1000]}"
                          f"not\n{live.stdout[:3000]}")
        if later.returncode != live.returncode and not replaced:
            raise Failure(f"of a record mqdump ended with {later.returncode}, not {live.returncode}: {later.stderr}")
        for path, other in replaced.items():
            if os.path.exists(path) and not filecmp.cmp(path, other, shallow=False):
                raise Failure(f"of a record mqdump draws another picture than {path}")
        if os.path.getsize(record) < LARGE_RECORD:
            with open(record, encoding="utf-8") as file:
                schema.load_record(file.read())

    def document(self, pids, *options):
        result = self.run(pids, "--json", *options)
        if result.returncode != 0 or result.stderr:
            raise Failure(f"mqdump ended with {result.returncode}: {result.stderr.strip() or result.stdout.strip()}")
        return parsed(result)


@dataclasses.dataclass
class Setting:
    """How much of Open MPI's types the ranks can be asked for. If it is a side issue, it is tried on few cases."""
    name: str
    carrier: str
    sources: tuple
    aside: bool = False
    pml: object = Ob1()


def compare_settings(mqdump, setting, document, executable):
    """What the listing says it rests on."""
    version, executable = mqdump.installation.version, mqdump.installation.mapped(executable)
    differences = []
    for process in document["processes"]:
        layout = process.get("layout") or {}
        if layout.get("source") not in setting.sources:
            differences.append(f"layout.source is {layout.get('source')!r}, not one of {setting.sources}")
        if process.get("openmpi") != version:
            differences.append(f"openmpi is {process.get('openmpi')!r}, not {version!r}")
        differences += setting.pml.compare_libraries(process)
        if os.path.realpath(process.get("executable") or "") != os.path.realpath(executable):
            differences.append(f"executable is {process.get('executable')!r}, not {executable!r}")
    return {"document": sorted(set(differences))} if differences else {}


def differences_of(mqdump, setting, truths, executable):
    document = mqdump.document([truth["pid"] for truth in truths])
    differences = compare.compare_document(setting.pml.expected(truths), document, job.memory_of)
    return document, differences or compare_settings(mqdump, setting, document, executable)


def list_until_settled(mqdump, setting, truths, executable):
    """Only a rank that blocks or progresses may come into its state after it has said so: it gets some time for it."""
    deadline = time.monotonic() + job.PATIENCE
    may_settle = any(truth["park"] != "sleeps" for truth in truths)
    while True:
        document, differences = differences_of(mqdump, setting, truths, executable)
        if not differences or not may_settle or time.monotonic() > deadline:
            return document, differences
        time.sleep(job.POLL_SECONDS)


def check_internal(mqdump, truths):
    if not any(truth["made"] or any(communicator["internal"] for communicator in truth["communicators"])
               for truth in truths):
        return {}
    document = mqdump.document([truth["pid"] for truth in truths], "--internal")
    differences = {f"rank {truth['rank']}, --internal": compare.compare_internal(truth, process)
                   for truth, process in zip(truths, document["processes"])}
    return {rank: found for rank, found in differences.items() if found}


def check_left_running(pids):
    for pid in pids:
        problem = job.stopped_or_traced(pid)
        expect(not problem, f"process {pid} {problem} after the listing")


def report(directory, document, differences):
    path = os.path.join(directory, "mqdump.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    lines = [f"{rank}: {difference}" for rank, found in differences.items() for difference in found]
    return "\n".join(lines + [f"see {path} and the truth beside it"])


def start(mqdump, case, command, directory, environment):
    return job.Job(directory, command, case.ranks, case.transport, case.mca, environment, mqdump.installation,
                   case.nodes)


def forget_counts(truths, version):
    """Before 4.1 the number of nonblocking collectives is where it cannot be read."""
    if tuple(map(int, version.split(".")[:2])) < (4, 1):
        for communicator in (communicator for truth in truths for communicator in truth["communicators"]):
            if "nonblocking" in communicator:
                communicator["nonblocking"] = None


def run_truthful(mqdump, case, setting, executable, directory, environment):
    if not case.since <= int(mqdump.installation.version.split(".", maxsplit=1)[0]) < case.before:
        raise Skip(f"Open MPI {mqdump.installation.version} has not what this needs, or it does not work there")
    with start(mqdump, case, [executable, *case.command], directory, environment) as running:
        truths = running.await_truths()
        forget_counts(truths, mqdump.installation.version)
        document, differences = list_until_settled(mqdump, setting, truths, executable)
        differences = differences or check_internal(mqdump, truths)
        check_left_running(running.pids)
        if differences:
            raise Failure(report(directory, document, differences))
        running.release()


NO_TABLE = "no layout table fits this build of UCX: a table is made with mqdgen extract"


def run_refused(mqdump, case, setting, executable, directory, environment):
    """
    With a UCX of which there is no layout, communicators are all there; each queue says what to do, and the listing
    what was found of UCX all the same.
    """
    with start(mqdump, case, [executable, *case.command], directory, environment) as running:
        truths = running.await_truths()
        result = mqdump.run(running.pids, "--json")
        check_left_running(running.pids)
        running.release()
    document = schema.load(result.stdout)
    differences = [] if result.returncode == 1 else [f"mqdump ended with {result.returncode}, not 1"]
    for process in document["processes"]:
        process.pop("error", None)
        library = process["libraries"][0]
        if library["version"] != setting.pml.target.version or not library["found"] or NO_TABLE not in library["error"]:
            differences.append(f"the library is {library}")
        for communicator in process.get("communicators") or []:
            errors = communicator.pop("errors", {})
            differences += [f"{communicator['name']}: {queue} says {errors.get(queue)!r}" for queue in compare.QUEUES
                            if NO_TABLE not in errors.get(queue, "")]
    for truth in truths:
        for communicator in truth["communicators"]:
            communicator.update({queue: None for queue in compare.QUEUES})
    found = compare.compare_document(truths, document, job.memory_of)
    if differences or found:
        raise Failure("\n".join(differences[:8]) + report(directory, document, found))


def check_table(mqdump, setting, pids):
    """What a person sees: every rank, in lines that fit a terminal."""
    result = mqdump.run(pids)
    expect(result.returncode == 0, f"mqdump ended with {result.returncode}: {result.stderr.strip()}")
    for line in result.stdout.splitlines():
        expect(len(line) <= TABLE_COLUMNS, f"a line of the table has {len(line)} columns: {line}")
    for text in ("MPI_COMM_WORLD", *(["MPI_DOUBLE"] if setting.pml.datatypes else []), *map(str, pids)):
        expect(text in result.stdout, f"the table does not have {text}:\n{result.stdout}")


def check_layout(mqdump, setting, pids):
    """What all ranks rest on is the same, and told once."""
    result = mqdump.run(pids, "--layout")
    if result.returncode != 0 or result.stderr:
        raise Failure(f"mqdump --layout ended with {result.returncode}: {result.stderr.strip()}")
    header = f"Ranks 0-{len(pids) - 1}, processes {', '.join(map(str, pids))}:"
    # How many layouts of a second library fit depends on what a rank has.
    if setting.pml.name == "ob1" and (not " ".join(result.stdout.split()).startswith(header) or
                                      result.stdout.count("\nOpen MPI ") != 1):
        raise Failure(f"mqdump --layout does not show all ranks at once, after \"{header}\":\n{result.stdout[:2000]}")
    for process in mqdump.document(pids, "--layout")["processes"]:
        fields = [field for entry in process["layout"]["types"] for field in entry["fields"]
                  if field["source"] != "absent"]
        # No debugger is asked for a member of a member, and the carrier lacks some types of the PMLs ucx and cm.
        known = [field for field in fields if field["debugger_offset"] is not None] or fields
        sources = {field["source"] for field in known}
        if len(setting.sources) == 1 and (sources != set(setting.sources) or 2 * len(known) < len(fields)):
            raise Failure(f"{len(known)} of {len(fields)} fields are known from {sorted(sources)}, not "
                          f"{setting.sources}")


def run_deadlock(mqdump, case, setting, executable, directory, environment):
    """A job that hangs for real: it is listed while it hangs, and ended by force."""
    with start(mqdump, case, [executable, *case.command], directory, environment) as running:
        truths = running.await_truths()
        document, differences = list_until_settled(mqdump, setting, truths, executable)
        check_left_running(running.pids)
        if differences:
            raise Failure(report(directory, document, differences))
        check_table(mqdump, setting, running.pids)
        check_layout(mqdump, setting, running.pids)
        check_left_running(running.pids)
        expect(all(job.alive(pid) for pid in running.pids), "a rank is gone after the listing")


def stock_dll(installation):
    """Open MPI's own debugging library, where its build put it."""
    directory = installation.run("ompi_info", "--path", "pkglibdir", "--parsable").strip().rsplit(":", 1)[-1]
    path = installation.outside(os.path.join(directory, "libompi_dbg_msgq.so"))
    if not directory or not os.path.exists(path):
        raise Skip("Open MPI's own debugging library is not installed")
    return path


def require_loadable(dll):
    """A library of a newer system may need a newer C library than this one has."""
    try:
        ctypes.CDLL(dll)
    except OSError as error:
        raise Skip(f"this machine cannot load Open MPI's own debugging library: {error}") from error


def run_stock(mqdump, setting, executable, directory, environment):
    """Open MPI's own library refuses without types and lists with them; so it is the types that make the difference."""
    dll = stock_dll(mqdump.installation)
    require_loadable(dll)
    case = Case("receives-2", 2)
    with start(mqdump, case, [executable, *case.command], directory, environment) as running:
        pids = [truth["pid"] for truth in running.await_truths()]
        result = mqdump.run(pids, "--json", dll=dll)
        check_left_running(pids)
        running.release()
    if setting.carrier:
        document = schema.load(result.stdout)
        n_receives = sum(len(communicator["pending_receives"] or []) for process in document["processes"]
                         for communicator in process.get("communicators") or [])
        expect(n_receives, f"with types {dll} lists nothing: {result.stderr.strip() or result.stdout[:2000]}")
    elif result.returncode != 1:
        raise Failure(f"without types mqdump --dll {dll} ended with {result.returncode}, not 1: {result.stdout[:2000]}")


RUNS = {"deadlock": run_deadlock, "refused": run_refused}


class Truthful:
    """All cases in all settings."""

    def __init__(self, mqdump, program, settings, scratch):
        self.mqdump = mqdump
        self.program = program
        self.settings = settings
        self.scratch = scratch

    def run_case(self, case, setting):
        case = setting.pml.adapted(case)
        executable = self.program
        environment = dict(case.environment)
        if setting.carrier:
            environment["LD_PRELOAD"] = setting.carrier
        directory = os.path.join(self.scratch, f"{case.name}.{setting.name}".replace(" ", "-"))
        run = RUNS.get(case.name.split("-", maxsplit=1)[0], run_truthful)
        run(self.mqdump, case, setting, executable, directory, environment)

    def run_stock(self, setting):
        environment = {"LD_PRELOAD": setting.carrier} if setting.carrier else {}
        run_stock(self.mqdump, setting, self.program,
                  os.path.join(self.scratch, f"stock.{setting.name}"), environment)

    def labelled(self):
        found = [(f"{case.name}, {setting.name}",
                  lambda case=case, setting=setting: self.run_case(case, setting))
                 for case in CASES for setting in self.settings
                 if setting.pml.has(case) and (not setting.aside or case.name in FEW)]
        return found + [(f"stock, {setting.name}", lambda setting=setting: self.run_stock(setting))
                        for setting in self.settings if not setting.aside and setting.pml.name == "ob1"]


def compile_script(compiler, output, builder=job.HERE, options=()):
    """Compiles prog_script. Returns its path."""
    job.compile_program(compiler, [os.path.join(HERE, name) for name in SCRIPT_SOURCES], output, builder, options)
    return output


def compile_carrier(compiler, output, installation=job.HERE, whole=True, flags=()):
    """An object with types, all of them if it is to be whole; None if Open MPI's internal headers are not there."""
    command = installation.header_compiler(compiler)
    why = "Open MPI's own headers are not at hand"
    if command:
        command = [*command, "-std=gnu11", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{TOP}",
                   os.path.join(HERE, "carrier.c"), "-o", output, *flags]
        if whole:
            command += [f"-I{installation.source_tree}", "-DMQD_CARRIER_OB1"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            return output
        why = next((line for line in result.stderr.splitlines() if "error" in line), "the compiler failed")
    print(f"no carrier of {'all' if whole else 'base'} types: {why}")
    return None


def carriers(arguments, scratch, installation):
    """The object with all types, and those with the types of other builds."""
    right, wrong = arguments.carrier, list(arguments.wrong_carrier)
    if not right and installation.source_tree:
        right = compile_carrier(arguments.cc, os.path.join(scratch, "carrier.so"), installation)
        wrong.append(compile_carrier(arguments.cc, os.path.join(scratch, "carrier_debug.so"), installation,
                                     flags=["-DMQD_CARRIER_DEBUG"]))
        if not right or not all(wrong):
            raise Failure(f"{installation.source_tree}: no object with Open MPI's types could be compiled from it")
    if installation is not job.HERE and job.HERE.source_tree:
        other = compile_carrier(arguments.cc, os.path.join(scratch, f"carrier_{job.HERE.version}.so"))
        # All releases of 4.1 have the same layout.
        if other and job.HERE.version.split(".")[:2] == installation.version.split(".")[:2]:
            right = right or other
        elif other:
            wrong.append(other)
    return right, wrong


def choose_settings(arguments, scratch, installation):
    settings = [Setting("no types", "", ("table",), pml=Ob1(arguments.few))]
    right, wrong = carriers(arguments, scratch, installation)
    if right:
        settings.append(Setting("all types", os.path.abspath(right), ("table+live",), pml=Ob1(arguments.few)))
    else:
        print("cases with all types are left out: there is neither an object that has them nor Open MPI's source")
    base = compile_carrier(arguments.cc, os.path.join(scratch, "carrier_base.so"), installation, whole=False)
    if base:
        settings.append(Setting("base types", base, ("table+live", "mixed"), True))
    for path in wrong:
        settings.append(Setting(f"types of {os.path.basename(path)}", os.path.abspath(path), ("table",), True))
    for setting in settings:
        installation.show(os.path.dirname(setting.carrier) or scratch)
    return settings


def settings_of_ucx(arguments, target):
    unknown = [name for name in arguments.variant if name not in pml_ucx.VARIANTS]
    expect(not unknown, f"no variant {', '.join(unknown)}; there are {', '.join(pml_ucx.VARIANTS)}")
    # Release builds of ours have debug information.
    sources = ("table", "table+live") if target.is_release else ("table",)
    return [Setting(f"UCX {target.version} {name}", "", sources,
                    pml=pml_ucx.Ucx(pml_ucx.VARIANTS[name], target, arguments.few))
            for name in arguments.variant or pml_ucx.VARIANTS]


def add_pml_options(parser):
    """Those of another PML than ob1."""
    parser.add_argument("--pml", choices=("ob1", "ucx"), default="ob1", help="which PML the jobs use")
    parser.add_argument("--ucx", help="directory of a UCX that ucx_targets.py has brought; else the installed one")
    parser.add_argument("--few", action="store_true", help="only some of the cases; with ob1 one of each program")
    parser.add_argument("--variant", action="append", default=[],
                        help=f"with ucx: how it sends; all by default: {', '.join(pml_ucx.VARIANTS)}")


def argument_parser(description, whole=True):
    """The options; not whole if it is to be a parent of another parser."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     add_help=whole)
    parser.add_argument("--carrier", help="object with all types; compiled with Open MPI's source by default")
    parser.add_argument("--wrong-carrier", action="append", default=[],
                        help="object with the types of another build, which must not be used")
    cases.add_options(parser)
    add_pml_options(parser)
    return parser


def test_suite(name, arguments, installation, builder, work):
    """
    Tests mqdump on one installation, with programs compiled on another; the exit status, which is that of
    work(mqdump, scratch).
    """
    problem = job.mpirun_problem(installation)
    if problem:
        print(f"skipped: {problem}")
        return job.SKIPPED
    job.mind_signals()

    def prepared(scratch):
        for place in (installation, builder):
            place.show(scratch)
            place.show(TOP)
        mqdump = Mqdump(os.path.abspath(arguments.mqdump), arguments.dll and os.path.abspath(arguments.dll),
                        installation)
        return work(mqdump, scratch)

    try:
        return job.in_scratch(name, arguments.keep, prepared)
    except subprocess.CalledProcessError as error:
        print(f"failed: {error}")
        return 1


def suite(name, labelled):
    """The function that runs all cases of a suite, which labelled(arguments, mqdump, builder, scratch) returns."""
    def test(arguments, installation, builder):
        return test_suite(name, arguments, installation, builder, lambda mqdump, scratch: cases.run(
            labelled(arguments, mqdump, builder, scratch), arguments, scratch))
    return test


def test(arguments, installation, builder):
    """Runs the cases on one installation, with programs compiled on another; the exit status."""
    target = pml_ucx.Target(arguments.ucx, installation)
    if not target.is_ready:
        print(f"skipped: {arguments.ucx} is not there: ucx_targets.py brings it")
        return job.SKIPPED

    def work(mqdump, scratch):
        program = compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder, target.link_options)
        settings = (choose_settings(arguments, scratch, installation) if arguments.pml == "ob1"
                    else settings_of_ucx(arguments, target))
        return cases.run(Truthful(mqdump, program, settings, scratch).labelled(), arguments, scratch)

    return test_suite("live", arguments, installation, builder, work)


if __name__ == "__main__":
    try:
        sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
    except Failure as error:
        sys.exit(f"run.py: {error}")
