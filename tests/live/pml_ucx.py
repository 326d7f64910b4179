"""The live tests with the PML ucx: how jobs are started, which cases there are, and what a listing can show of it.

What the programs state is true of any PML. UCX keeps less than ob1 of an operation, and some of it in another order:
`Ucx.expected` has these differences as rules, one function for each. A rule never widens what ob1 must show.
"""

import copy
import ctypes
import dataclasses
import glob
import os
import re

import job
from compare import value_of

MARKER = "version"      # the file of a UCX that ucx_targets.py has brought
NOWHERE = "/nonexistent"
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "layout", "tables", "ucx")
SUITES = ("bullseye", "trixie", "forky")     # of Debian, from the oldest to the newest

EVER = 1 << 62          # bytes: a message of so many is never sent by rendezvous


def upstream(version):
    """The release in the version of a package: 1.10.0 of 1.10.1~rc1+really.1.10.0-1."""
    return re.findall(r"\d+\.\d+\.\d+", version)[-1]


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def release_of(version):
    return numbers(version)[:2]


class Target:
    """One UCX, and what makes programs use it; without a directory, the one that is installed beside an Open MPI."""

    def __init__(self, directory=None, installation=job.HERE):
        self.directory = directory and os.path.abspath(directory)
        self.installation = installation

    @property
    def is_ready(self):
        return not self.directory or os.path.exists(os.path.join(self.directory, MARKER))

    @property
    def version(self):
        """As UCX writes it."""
        if self.directory:
            with open(os.path.join(self.directory, MARKER), encoding="utf-8") as file:
                return file.read().strip()
        package = self.installation.run("dpkg-query", "-W", "-f", "${Version}", "libucx0")
        if package:
            return upstream(package)
        function = ctypes.CDLL("libucp.so.0").ucp_get_version_string
        function.restype = ctypes.c_char_p
        return function().decode().split()[0]

    @property
    def is_release(self):
        """Built without assertions; Debian's packages have them."""
        return bool(self.directory) and os.path.basename(self.directory) not in SUITES

    @property
    def link_options(self):
        """
        For the program, which loads this UCX before Open MPI does: the path of a program is not that of a plugin. A UCX
        that was built with a newer C library than this system's gets it, with the loader that belongs to it.
        """
        if not self.directory:
            return []
        options = ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{self.directory}/ucx", "-Wl,--no-as-needed",
                   *sorted(glob.glob(f"{self.directory}/ucx/*.so.0")), "-Wl,--allow-shlib-undefined"]
        loaders = glob.glob(f"{self.directory}/libc/ld-linux*.so.*")
        if loaders and self.installation is job.HERE:
            options += [f"-Wl,-rpath,{self.directory}/libc", f"-Wl,--dynamic-linker={loaders[0]}"]
        return options

    @property
    def environment(self):
        """Modules of the UCX that is installed must not be loaded by another one."""
        return {"UCX_MODULE_DIR": NOWHERE} if self.directory else {}


@dataclasses.dataclass(frozen=True)
class Variant:
    """How UCX is told to send: over which transports, from how many bytes on by rendezvous, by which generation."""
    transports: str
    threshold: int = 1024
    generation: str = ""        # "y": the second, which UCX 1.16 and later use by default; "n": the first
    threads: bool = False
    few: bool = False           # only the cases whose programs do not wait for what UCX does at once here

    @property
    def environment(self):
        variables = {"UCX_TLS": self.transports, "UCX_WARN_UNUSED_ENV_VARS": "n", "UCX_LOG_LEVEL": "error",
                     "UCX_RNDV_THRESH": "inf" if self.threshold == EVER else str(self.threshold)}
        if self.generation:
            variables["UCX_PROTO_ENABLE"] = self.generation
        if self.threads:
            variables["MQD_TRUTH_THREADS"] = "1"
        return variables


SHM, TCP = "posix,sysv,self", "tcp,self"

VARIANTS = {
    "shm": Variant(SHM),
    "tcp": Variant(TCP),
    "shm-v1": Variant(SHM, generation="n"),
    "shm-v2": Variant(SHM, generation="y"),
    "tcp-v1": Variant(TCP, generation="n"),
    "tcp-v2": Variant(TCP, generation="y"),
    "shm-eager": Variant(SHM, EVER, few=True),
    "tcp-eager": Variant(TCP, EVER, few=True),
    "shm-eager-v1": Variant(SHM, EVER, "n", few=True),
    "shm-eager-v2": Variant(SHM, EVER, "y", few=True),
    "tcp-eager-v1": Variant(TCP, EVER, "n", few=True),
    "tcp-eager-v2": Variant(TCP, EVER, "y", few=True),
    "shm-threads": Variant(SHM, threads=True),
    "tcp-threads": Variant(TCP, threads=True),
}

# Of the cases of run.py: those that differ by their transports or by ob1's parameters are one case here. Open MPI's
# tags of neighborhood collectives do not fit into UCX's 24 bits, so that a receive of any tag takes their messages:
# that case cannot end. Nor can it if a communicator is freed while there are operations: UCX's do not hold it.
CASES = (
    "receives-2", "receives-4", "receives-8", "receives-16", "complete", "rendezvous-copy", "persistent", "sends-4",
    "sends-8", "unexpected-4", "unexpected-16", "unexpected-rotated-4", "unexpected-rotated-8", "mixed", "recycled",
    "random-2", "random-4", "random-8", "random-16", "random-nodes", "threads-2", "threads-tcp", "intercomm-4",
    "intercomm-6", "spawn", "connect-4", "collective-barrier", "collective-bcast", "collective-ibarrier",
    "collective-persistent", "collective-allreduce", "collective-dup", "collective-idup", "communicators",
    "internal-windows", "internal-file", "internal-partitioned", "sessions-4", "communicators-nodes", "receives-nodes",
    "unexpected-nodes", "sends-nodes", "intercomm-nodes", "deadlock", "blocked-recv", "blocked-any", "blocked-wait",
    "blocked-waitall", "blocked-waitany", "blocked-waitsome", "blocked-ssend", "blocked-send", "blocked-sendrecv",
    "blocked-probe", "blocked-probe-any", "blocked-mprobe", "blocked-probe-threads",
    "blocked-recv-threads", "freed-kept", "arrival-4",
)

# Without rendezvous these do not come into the state that they state: what they wait for in vain leaves at once.
NEED_RENDEZVOUS = ("rendezvous", "blocked-send", "blocked-sendrecv", "threads", "internal-partitioned", "recycled")

FEW = ("receives-4", "complete", "persistent", "sends-4", "unexpected-4", "arrival-4", "mixed", "random-4",
       "intercomm-4", "collective-barrier", "blocked-send", "deadlock")


@dataclasses.dataclass(frozen=True)
class Ucx:
    """The PML in a setting. A UCX of which there is no layout is not listed, but refused."""
    variant: Variant
    target: Target
    few: bool = False

    name = "ucx"
    datatypes = False           # are not known of each operation

    @property
    def is_known(self):
        """Is there a layout for this release?"""
        release = numbers(self.target.version)
        return any(numbers(first) <= release <= numbers(last) for first, last in
                   (family.split("-") for family in os.listdir(TABLES)))

    def has(self, case):
        if not self.is_known:
            return case.name == "refused"
        needs = any(case.name.startswith(name) for name in NEED_RENDEZVOUS)
        return case.name in (FEW if self.few else CASES) and not (needs and self.variant.few)

    def adapted(self, case):
        """The case as it is started here."""
        environment = {**case.environment, **self.variant.environment, **self.target.environment,
                       "MQD_TRUTH_PML": "ucx"}
        if case.nodes > 1:
            environment["UCX_TLS"] = TCP
        # There it depends on their order of arrival what a receive from any source takes.
        arguments = [*case.arguments, *(["named"] if case.what == "random" else [])]
        return dataclasses.replace(case, arguments=arguments, environment=environment, mca={
            **case.mca, "pml": "ucx", "pml_ucx_tls": "any", "pml_ucx_devices": "any"})

    def expected(self, truths):
        """What a listing shows if this is true."""
        truths = copy.deepcopy(truths)
        for truth in truths:
            for communicator in truth["communicators"]:
                communicator["order_by"] = {"pending_sends": by_envelope, "pending_receives": by_place}
                if not communicator.get("order_known"):
                    communicator["order_by"]["unexpected_messages"] = by_source
                for queue, rule in (("pending_sends", self.expected_send), ("pending_receives", expected_receive),
                                    ("unexpected_messages", self.expected_message)):
                    if communicator[queue] is not None:
                        communicator[queue] = [part for operation in communicator[queue] if not is_probe(operation)
                                               for part in parts_of(operation)]
                        communicator[queue] = [rule(operation) for operation in communicator[queue]]
        return truths

    def compare_libraries(self, process):
        """The listing rests on a layout of this UCX, and of this kind of build where that makes a difference."""
        found = process.get("libraries") or [{}]
        differences = [f"libraries[0].{field} is {found[0].get(field)!r}, not {value!r}"
                       for field, value in (("name", "UCX"), ("version", self.target.version), ("error", None),
                                            ("version_in_family", True)) if found[0].get(field, "") != value]
        kind = "release" if self.target.is_release else "assert"
        if release_of(self.target.version) >= (1, 11) and kind not in (found[0].get("variant") or []):
            differences.append(f"the layout is that of a build {found[0].get('variant')}, not {kind}")
        return differences

    def is_eager(self, operation):
        return operation["desired_length"] < self.variant.threshold

    @property
    def is_free(self):
        """Before it became the default, the second generation does not send all by rendezvous that it is told to."""
        return not self.first_generation and release_of(self.target.version) < (1, 16)

    @property
    def first_generation(self):
        by_default = release_of(self.target.version) < (1, 16)
        return self.variant.generation == "n" or (not self.variant.generation and by_default)

    def expected_send(self, operation):
        what_is_counted(operation)
        calls(operation)
        # The sender keeps nothing of the match; the second generation writes it where the tag was.
        if operation["status"] == "matched" and self.first_generation:
            operation["status"] = "pending"
        elif operation["status"] == "matched":
            operation["status"] = ["matched", "pending"]
            operation["desired_tag"] = [operation["desired_tag"], None]
            operation["actual_tag"] = [operation["actual_tag"], -1]
        answered = isinstance(operation["status"], list)
        call = operation["facts"]["call"]
        if call not in ("ssend", "bsend") and (self.is_eager(operation) or self.is_free):
            may_have_left(operation)
            operation["status"] += ["matched"] if answered else []
        if self.is_eager(operation) and call == "bsend":
            operation["optional"] = True
        packed = operation.get("contiguous") is False or operation["desired_length"] == 0
        if packed and self.has_no_place:
            operation["unknown_buffer"] = True
        return operation

    @property
    def has_no_place(self):
        """Before UCX 1.14 the second generation does not keep the user's buffer of data that have to be packed."""
        return not self.first_generation and release_of(self.target.version) < (1, 14)

    def expected_message(self, operation):
        """Which messages wait at the sender is a matter of their size alone; synchronous ones come at once too."""
        eager = self.is_eager(operation)
        protocol = "eager" if eager else "rendezvous"
        operation["facts"]["protocol"] = protocol
        operation["status"] = "complete" if eager else "pending"
        if eager and "data_if_any" in operation:
            operation["data"] = operation.pop("data_if_any")
        if not eager and "data" in operation:
            operation["data_if_any"] = operation.pop("data")
        if not eager and self.is_free:
            operation["facts"]["protocol"] = ["rendezvous", "eager"]
            operation["status"] = ["pending", "complete"]
        # Of more than one fragment; whether all of them have come is not always counted.
        if eager and operation["desired_length"] > 1024:
            operation["status"] = ["pending", "complete"]
        return operation


def parts_of(operation):
    """
    A persistent buffered send is complete as soon as it has its copy, and what is sent of that is an operation of its
    own, which has no handle.
    """
    facts = operation["facts"]
    if facts.get("call") != "bsend" or not facts.get("persistent"):
        return [operation]
    started = {**operation, "status": "complete", "system_buffer": 0}
    del started["buffer"]
    copied = {**operation, "facts": {**facts, "persistent": False}}
    del copied["facts"]["request"]
    return [copied, copy.deepcopy(started)]


def by_envelope(operation):
    """UCX does not number sends."""
    fields = [value_of(operation, field) for field in ("desired_local_rank", "desired_tag", "desired_length")]
    return [*fields, value_of(operation, "status") == "complete", int(value_of(operation, "buffer") or "0", 16)]


def by_place(operation):
    """
    A receive gets its number when it is posted, and keeps it. One that has found its message there was never posted; a
    persistent one that is complete has given back the request that has the number.
    """
    status = value_of(operation, "status")
    found = operation.get("found") or operation.get("desired_length", 0) is None
    has_number = status == "pending" or status == "complete" and not found and not value_of(operation, "persistent")
    return [has_number, 0 if has_number else int(value_of(operation, "request") or "0", 16)]


def by_source(operation):
    return value_of(operation, "desired_local_rank")


def is_probe(operation):
    """UCX has no object for a blocked probe."""
    return operation["facts"].get("call") in ("probe", "mprobe")


def what_is_counted(operation):
    """The datatype is known where UCX asks Open MPI to pack the data; otherwise it only has bytes."""
    facts = operation["facts"]
    if operation.get("contiguous") is False:
        return
    for name in ("count", "datatype"):
        if facts.get(name) is not None:
            facts[name] = [facts[name], None]


def calls(operation):
    """A ready send is a standard one for UCX."""
    facts = operation["facts"]
    if facts["call"] == "rsend":
        facts["call"] = ["rsend", "send"]


def may_have_left(operation):
    """UCX has no request for what it sends at once; if it has one, that is complete unless there was no room."""
    operation["optional"] = True
    operation["status"] = ["pending", "complete"]


def expected_receive(operation):
    what_is_counted(operation)
    # Of a receive that found its message there, UCX writes down nothing but what the message was.
    if operation.get("found"):
        for field in ("desired_local_rank", "desired_global_rank", "desired_tag", "desired_length"):
            operation[field] = [operation[field], None] if field in operation else None
        operation["unknown_buffer"] = True
        operation["tag_wild"] = [operation["tag_wild"], 0]
    return operation
