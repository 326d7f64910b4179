"""Makes the records of a large job's nodes, in which all are alike but for some ranks, from records of small jobs.

A template has what comes before the ranks of a node, and models of ranks. Of each model there are two: a whole one, and
one that has the differences to the same model of the rank before, as like.h says. In place of what differs from node to
node or from rank to rank there are names between two control characters:

  h n c       the host, the number of all ranks, and of the node's ranks
  a s         the rank's process, and the number of the group of it alone
  r+K r-K t p other ranks: so many places further, the parent in the tree of all ranks, the peer of a special rank
  qRANK,SENT,ARRIVED;...    counts of messages by rank
  xADDRESS fNUMBER dNUMBER  an address, a time and a count: near to this one, and in each rank another

What such a rank is to a model, it is to each rank that does what the model does.
"""
import json
import re

import make_record

BEGIN, END = "\1", "\2"
NAME = re.compile(f"{BEGIN}([^{END}]*){END}")
REPLACED = re.compile(r'"\\u0001([^x"][^"]*)\\u0002"')
ADDRESS = re.compile(r"0x([0-9a-f]{6,})")
OF_ALL_RANKS = ("n", "c", "h")
TIMES, COUNTS = ("at", "since", "share", "free_at", "used", "dll_seconds"), ("switches", "thread")


def named(name):
    return BEGIN + name + END


def dump(lines):
    """Lines, in which a name also stands for a number."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return REPLACED.sub(lambda found: named(found.group(1)), text).replace("\\u0001", BEGIN).replace("\\u0002", END)


def varied(value, key=""):
    """A line in which what differs between ranks that do the same differs from rank to rank."""
    if isinstance(value, dict):
        return {name: varied(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [varied(part, key) for part in value]
    if isinstance(value, str) and not value.startswith(BEGIN):
        return ADDRESS.sub(lambda found: named("x" + found.group(1)), value)
    if key in TIMES:
        return named(f"f{value:.6f}")
    return named(f"d{value}") if key in COUNTS else value


def differences(value):
    """What differs from rank to rank in a part of a line; None: nothing does."""
    if isinstance(value, dict):
        parts = {key: differences(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part is not None} or None
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        parts = {str(i): differences(part) for i, part in enumerate(value)}
        return {key: part for key, part in parts.items() if part is not None} or None
    text = json.dumps(value)
    names = re.findall(r"\\u0001(.)", text)
    return value if any(name not in OF_ALL_RANKS for name in names) else None


def reduced(lines):
    """The same lines, each as differences to the one that is as far before it as there are lines of its kind."""
    kinds = [line["line"] for line in lines]
    found = []
    for line in lines:
        if line["line"] == "group":
            found.append(line)
        else:
            found.append({"line": line["line"], "like": kinds.count(line["line"]), **(differences(line) or {})})
    return found


class Model:
    """What one rank of a small job does. Peers are those so many places further, or all the one that `peers` names."""

    def __init__(self, record, rank, peers=None):
        self.record, self.rank, self.peers = record, rank, peers


class Template:
    """All models are of jobs of the same size, and communicators are of all ranks or of one."""

    def __init__(self, models):
        self.head, self.sections = [], []
        self.numbers = {kind: {} for kind in ("layout", "place")}
        small = [make_record.read(model.record) for model in models]
        self.job = small[0][2][0][-1]["name"]["job"]
        self.put_header(small[0][0])
        for model, (_, definitions, processes) in zip(models, small):
            self.sections.append(self.model(model, definitions, processes))

    def put_header(self, header):
        self.head.append({**header, "host": named("h"), "processes": named("c")})
        self.head.append({"line": "group", "members": [[0, named("n")]], "number": 0})

    def reference(self, definitions, kind, number):
        """The number here of what another record has defined."""
        line = {key: value for key, value in definitions[kind][number].items() if key != "number"}
        key = json.dumps(line)
        if key not in self.numbers[kind]:
            self.numbers[kind][key] = len(self.numbers[kind])
            self.head.append({**line, "number": self.numbers[kind][key]})
        return self.numbers[kind][key]

    @staticmethod
    def peer(model, rank, n):
        if rank < 0:
            return rank
        if rank == model.rank:
            return named("r+0")
        return named(model.peers or f"r{make_record.distance(rank, model.rank, n):+d}")

    def communicator(self, line, model, members, n):
        changed = {**line, "group": 0 if len(members) == n else named("s")}
        if len(members) == n:
            changed.update(local_rank=named("r+0"), size=named("n"))
        counts = ";".join(f"{self.peer(model, peer, n)[1:-1]},{sent},{arrived}"
                          for peer, sent, arrived in line.get("traffic", []))
        return {**changed, "traffic": named("q" + counts)} if counts else changed

    def process(self, line, definitions):
        calls = line.get("calls")
        changed = {**line, "pid": named("a"), "rank": named("r+0"), "name": {"job": self.job, "rank": named("r+0")},
                   "job": str(self.job), "layout": self.reference(definitions, "layout", line["layout"])}
        if calls is not None:
            threads = [{**thread, "place": self.reference(definitions, "place", thread["place"])}
                       for thread in calls["threads"]]
            changed["calls"] = {**calls, "threads": threads}
        return changed

    def model(self, model, definitions, processes):
        lines, n = [{"line": "group", "members": [[named("r+0")]], "number": named("s")}], len(processes)
        for line in processes[model.rank]:
            if line["line"] == "communicator":
                members = make_record.members(definitions["group"][line["group"]])
                if len(members) not in (1, n):
                    raise ValueError("a communicator is neither of all ranks nor of one")
                line = self.communicator(line, model, members, n)
            elif line["line"] == "operations":
                line = make_record.with_ranks(line, lambda rank: self.peer(model, rank, n), job=self.job)
            elif line["line"] == "rank":
                line = self.process(line, definitions)
            lines.append(varied(line))
        return lines

    def texts(self):
        """What comes first, and of each model the whole one and the other one."""
        return dump(self.head), [(dump(section), dump(reduced(section))) for section in self.sections]


def variation(rank):
    """Up to 4095, of no two neighbours the same."""
    return (rank + 1) * 2654435761 >> 7 & 0xfff


class Job:
    """So many nodes of so many ranks. Of special ranks it is known which model they follow, and their peer."""

    def __init__(self, template, n_nodes, n_ranks, root, special):
        self.head, self.models = template.texts()
        self.n, self.n_ranks, self.root, self.special = n_nodes * n_ranks, n_ranks, root, special

    def rank_named(self, name, rank):
        if name[0] == "r":
            return (rank + int(name[1:])) % self.n
        if name == "p":
            return self.special.get(rank, (0, 0))[1]
        number = (rank - self.root) % self.n
        return (self.root + (make_record.parent(number) if number > 0 else 0)) % self.n

    def counts(self, text, rank):
        counts = [part.split(",") for part in text.split(";")]
        return sorted([self.rank_named(name, rank), int(sent), int(arrived)] for name, sent, arrived in counts)

    def value(self, name, rank, host):
        kind, rest, place = name[0], name[1:], rank % self.n_ranks
        if kind in "xfd":
            return {"x": lambda: hex(int(rest, 16) + (variation(rank) << 12)),
                    "f": lambda: f"{float(rest) * (1 + variation(rank) / 65536):.6f}",
                    "d": lambda: int(rest) + variation(rank)}[kind]()
        if kind == "q":
            return json.dumps(self.counts(rest, rank), separators=(",", ":"))
        values = {"h": f'"{host}"', "n": self.n, "c": self.n_ranks, "s": 1 + place, "a": 1000 + place}
        return values[kind] if kind in values else self.rank_named(name, rank)

    def record(self, node, host):
        text, before = "", None
        for rank in range(node * self.n_ranks, (node + 1) * self.n_ranks):
            model = self.special.get(rank, (0, 0))[0]
            section = self.models[model][model == before]
            text += NAME.sub(lambda found, rank=rank: str(self.value(found.group(1), rank, host)),
                             section if text else self.head + section)
            before = model
        return text + dump([{"line": "end", "ranks": self.n_ranks, "lines": text.count("\n") + 1}])
