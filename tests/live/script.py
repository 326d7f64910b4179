"""Programs for prog_script: the steps of all ranks, and what the steps mean. prog_script.c executes them."""
import dataclasses
import re

ANY = -1            # source or tag; as Open MPI has it
NOBODY = -2         # MPI_PROC_NULL
EAGER_INTS = 200    # a message that leaves without a receiver
LARGE_INTS = 30000  # one that does not

SEND_MODES = ("send", "ssend", "bsend", "rsend", "isend", "issend", "ibsend", "irsend", "send_init", "ssend_init")
BUFFERED = ("bsend", "ibsend")
STANDARD = ("send", "isend", "send_init")
RECEIVE_MODES = ("recv", "irecv", "recv_init", "probe", "iprobe", "mprobe")
TESTS = ("test", "testall", "testsome")
POLLS = (*TESTS, "iprobe")
WAITS = ("wait", "waitall", "waitany", "waitsome", *TESTS)
LONG_WAITS = ("waitall", "waitany", "waitsome", "testall", "testsome")

# Of a communicator, a count and a root, and of a request.
ROOTED = ("bcast", "reduce", "gather", "scatter")
COLLECTIVES = ("barrier", "allreduce", "allgather", "alltoall", "scan", *ROOTED)
NONBLOCKING = ("ibarrier", "iallreduce", "iallgather", "ialltoall", "ibcast", "ireduce", "igather", "iscatter")
NEIGHBOURS = ("neighbor_allgather", "neighbor_alltoall")
INEIGHBOURS = ("ineighbor_alltoall",)
ON_COMMUNICATOR = (*COLLECTIVES, *NONBLOCKING, *NEIGHBOURS, *INEIGHBOURS, "slow_allreduce", "comm_free")
# Of a communicator, from the one that is the second argument.
MAKING = ("dup", "dup_slow", "split", "create", "cart")
ON_WINDOW = ("win_fence", "win_free")
MAKING_WINDOW = ("win_create", "win_allocate")
ON_FILE = ("file_view", "file_write", "file_close")

TIMED = ("sleep", "compute")
AT_END = -1     # in place of a request: MPI_Finalize has the part in hand
NEVER = ("endless", "asleep")   # return never

# What people write: RANKS: STEP; STEP; RANKS: STEP...  RANKS are "all", "2", "0-2" or "0,2".
MAKING_COMMUNICATOR = ("dup", "split", "cart", "spawn", "merge", "intercomm", "from_group", "connect_halves")
MAKING_TYPE = ("type_vector", "type_contiguous", "type_at", "type_absolute", "type_negative")
SLOTS = {"world": 0, "self": 511, **{name: 504 + i for i, name in enumerate(
    ("byte", "char", "int", "short", "float", "double", "long"))}}
INTS = 20           # in a message of which no size is told
BEFORE = r"(?:\d+ times |(?:thread|counting|late|child|parent|by_arrival|by_source) )*"
# Steps among whose arguments is a text, from this one on.
TEXTS = {"told_made": 0, "await_file": 0, "fork": 0, "call": 0, "accept": 2, "connect": 2, "told_internal": 1, "comm_name": 1, "told_comm": 1}
# What becomes of an operation in the truth (told.c).
STATES = ("complete", "matched", "found", "freed", "cancelled", "optional", "rendezvous", "silent")


def ranks_of(text, n_ranks):
    if text == "all":
        return range(n_ranks)
    ends = [part.partition("-") for part in text.split(",")]
    return [rank for first, _, last in ends for rank in range(int(first), int(last or first) + 1)]


def naming(name, slot, word, told):
    """The steps after one that makes something, by which it gets a name."""
    if name in MAKING_COMMUNICATOR and not word.startswith("__"):
        return [f"comm_name {slot} {word}"] * (word[0] != "_") + [f"told_comm {slot} {word}"] * told
    return [f"win_name {slot} {word}"] if name in (*MAKING_WINDOW, "win_shared") and word[0] != "_" else []


def written(text, n_ranks, told=False):
    """
    The lines of prog_script of a program as people write it. In it next, prev, pair, me, any and nobody are ranks. Any
    other name is a communicator's, a window's or a datatype's, which gets it as its name unless it begins with "_", a
    request's or a file's. A communicator is in the truth unless its name begins with "__". A name has "~" for a space.
    """
    slots, lines, ranks = dict(SLOTS), [], ()
    for step in filter(None, map(str.strip, text.split(";"))):
        head, found, rest = step.rpartition(":")
        if found:
            ranks, step = ranks_of(head.strip(), n_ranks), rest.strip()
            if not step:
                continue
        before, name, arguments = re.fullmatch(rf"({BEFORE})(\w+)(.*)", step).groups()
        arguments = list(filter(None, arguments.split(" ")))
        if name in (*SEND_MODES, *RECEIVE_MODES, "recv_c") and len(arguments) == 3:
            arguments.append(INTS)
        for rank in ranks:
            places = {"next": (rank + 1) % n_ranks, "prev": (rank - 1) % n_ranks, "pair": rank ^ 1, "me": rank, "any": ANY,
                      "nobody": NOBODY, **{word: word for word in STATES}}
            # What is said of communicators, and names of files.
            if name in TEXTS:
                places.update({word: word for word in arguments[TEXTS[name]:]})
            numbers = [places[word] if word in places else word if re.fullmatch(r"-?\d+", str(word)) else
                       slots.setdefault(word, len(slots)) for word in arguments]
            more = arguments[:1] if name in MAKING_TYPE and arguments[0][0] != "_" else []
            lines.append(" ".join(map(str, (rank, before + name, *numbers, *more))))
            lines += [f"{rank} {line}" for line in naming(name, *numbers[:1], *arguments[:1], told)] if arguments else []
    return "\n".join(lines)


def command(text, n_ranks, told=False):
    """The arguments of prog_script."""
    return ["-t" if told else "-c", written(text, n_ranks, told)]


@dataclasses.dataclass(frozen=True)
class Step:
    """What one rank does. Steps with the same operation belong together."""
    name: str
    args: tuple
    operation: int


@dataclasses.dataclass(frozen=True)
class Message:
    """One end of a message, ranks being those of MPI_COMM_WORLD."""
    channel: tuple      # the communicator and its members
    rank: int
    peer: int
    tag: int
    count: int
    mode: str
    slot: int           # of the request; None if the step blocks

    def fits(self, sent):
        """A receive's view of a send."""
        return (self.channel == sent.channel and self.peer in (ANY, sent.rank) and self.rank == sent.peer
                and self.tag in (ANY, sent.tag))


@dataclasses.dataclass(frozen=True)
class Collective:
    """A rank's part in a collective operation."""
    channel: tuple
    name: str
    root: int
    slot: int
    partners: tuple     # the ranks without whose part this rank does not get on


class Program:
    """The steps of each rank, and the communicators, windows and files of which they speak by number."""

    def __init__(self, n_ranks):
        self.n_ranks = n_ranks
        self.steps = [[] for _ in range(n_ranks)]
        self.communicators = {0: (tuple(range(n_ranks)),)}      # by number: their parts, which share no rank
        self.windows = {}                                       # by number: the communicator's
        self.files = {}
        self.rounds = 1

    def text(self):
        """As prog_script reads it."""
        lines = [f"repeat {self.rounds}"]
        lines += [" ".join(map(str, (rank, step.name, *step.args)))
                  for rank, steps in enumerate(self.steps) for step in steps]
        return "\n".join(lines) + "\n"

    def members(self, communicator, rank):
        """Of the part in which a rank is, in the order of their ranks there; none if it is in no part."""
        for part in self.communicators[communicator]:
            if rank in part:
                return part
        return ()

    def sent(self, rank, step):
        """The message that a step sends, or None."""
        if step.name == "sendrecv":
            communicator, peer, tag, count = step.args[:4]
            return self._message(rank, communicator, peer, tag, count, "send", None)
        if step.name not in SEND_MODES:
            return None
        return self._message(rank, *step.args[:4], step.name, step.args[4] if len(step.args) > 4 else None)

    def received(self, rank, step):
        """The message that a step receives, or None."""
        if step.name == "sendrecv":
            return self._message(rank, step.args[0], *step.args[4:7], "recv", None)
        if step.name not in RECEIVE_MODES:
            return None
        return self._message(rank, *step.args[:4], step.name, step.args[4] if len(step.args) > 4 else None)

    def _message(self, rank, communicator, peer, tag, count, mode, slot):
        members = self.members(communicator, rank)
        return Message((communicator, members), rank, ANY if peer == ANY else members[peer], tag, count, mode, slot)

    def collective(self, rank, step):
        """The part of a step in a collective operation, or None."""
        if step.name in ON_COMMUNICATOR:
            communicator, _, root, slot = (*step.args, *[None] * (4 - len(step.args)))[:4]
        elif step.name in MAKING or step.name in MAKING_WINDOW or step.name == "file_open":
            communicator, root, slot = step.args[1], None, None
        elif step.name in ON_WINDOW:
            communicator, root, slot = self.windows[step.args[0]], None, None
        elif step.name in ON_FILE:
            communicator, root, slot = self.files[step.args[0]], None, None
        elif step.name == "at_finalize":    # the last step
            part = self.collective(rank, Step("barrier", (step.args[0],), step.operation))
            return dataclasses.replace(part, slot=AT_END)
        else:
            return None
        members = self.members(communicator, rank)
        owner = step.name.split("_", maxsplit=1)[0] if step.name in ON_WINDOW + ON_FILE else "communicator"
        number = step.args[0] if owner != "communicator" else communicator
        others = tuple(other for other in members if other != rank)
        if step.name in NEIGHBOURS + INEIGHBOURS:
            here = members.index(rank)
            others = tuple({members[here - 1], members[(here + 1) % len(members)]} - {rank})
        rooted = step.name in ROOTED or step.name[1:] in ROOTED
        return Collective((owner, number, members), step.name, root if rooted else None,
                          slot if step.name in NONBLOCKING + INEIGHBOURS else None, others)
