"""Makes the record of a job of many ranks from a real one of few, by renaming.

Rank i of the large job does what rank i mod n of the small one does: what that does with the rank k places further or
before, in MPI_COMM_WORLD or a communicator of the same members, this one does with the rank k places further or before
here. The smaller k counts: the last rank is one before the first.

With `first` rank 0 alone does what rank 0 of the small job does, and the others what those after it do. With `tree`,
too, and what another rank does with its parent in a binomial tree, as Open MPI's, this one does with its own parent.
"""
import json

import whole_lines

DEFINED = ("group", "peers", "layout", "place", "frame", "stack")


def read(path):
    """The definitions by kind, and the lines of each process, the last of which is its own."""
    definitions, processes, lines = {kind: [] for kind in DEFINED}, [], []
    with open(path, encoding="utf-8") as file:
        header, *rest = whole_lines.whole_lines(json.loads(line) for line in file)
    for line in rest:
        if line["line"] in DEFINED:
            definitions[line["line"]].append(line)
        elif line["line"] not in ("warning", "end"):
            lines.append(line)
        if line["line"] == "rank":
            processes.append(lines)
            lines = []
    return header, definitions, processes


def members(group):
    return [first + i * (step[0] if step else 1) for first, count, *step in
            ((run[0], run[1] if len(run) > 1 else 1, *run[2:]) for run in group["members"]) for i in range(count)]


def parent(rank):
    """In a binomial tree: the rank without its highest bit."""
    return rank - (1 << (rank.bit_length() - 1))


def distance(rank, model, n):
    """From a rank of n, in a circle, to another. Of two that are opposite each other each is where the other one is."""
    places = (rank - model) % n
    return places - n if 2 * places > n or (2 * places == n and model >= rank) else places


def with_ranks(line, move, local=True, **name):
    """The same line of operations with other ranks. Local ones move only if the communicator is of all ranks."""
    changed = json.loads(json.dumps(line))
    for operation in changed["operations"]:
        for place in ("local", "global") if local else ("global",):
            for key in (f"desired_{place}_rank", f"actual_{place}_rank"):
                operation[key] = move(operation.get(key, 0))
        for key in ("peer", "found_at"):
            if key in operation:
                operation[key].update(name, rank=move(operation[key].get("rank", 0)))
    return changed


class Large:
    """The large job, line by line."""

    def __init__(self, output, path, n_ranks, first=False, tree=False):
        self.output = output
        self.first = first or tree
        self.tree = tree
        self.header, self.definitions, self.processes = read(path)
        self.n_ranks = n_ranks
        self.groups = {}
        self.n_lines = 0

    def put(self, line):
        self.output.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.n_lines += 1

    def model_of(self, new):
        n = len(self.processes)
        return new % n if new == 0 or not self.first else 1 + (new - 1) % (n - 1)

    def moved(self, rank, model, new):
        """A rank of the small job, as seen from the model, in the large one."""
        if self.tree and model > 0 and rank == parent(model):
            return parent(new)
        return rank if rank < 0 else (new + distance(rank, model, len(self.processes))) % self.n_ranks

    def group(self, number, model, new):
        """The number and the size of the group that this one becomes."""
        found = members(self.definitions["group"][number])
        whole = len(found) == len(self.processes)
        runs = [[0, self.n_ranks]] if whole else [[self.moved(rank, model, new)] for rank in found]
        key = json.dumps(runs)
        if key not in self.groups:
            self.groups[key] = len(self.groups)
            self.put({"line": "group", "members": runs, "number": self.groups[key]})
        return self.groups[key], self.n_ranks if whole else len(found), whole

    def communicator(self, line, model, new):
        changed = dict(line)
        changed["group"], changed["size"], whole = self.group(line["group"], model, new)
        if whole:
            changed["local_rank"] = new
        changed["traffic"] = sorted([self.moved(peer, model, new), sent, arrived]
                                    for peer, sent, arrived in line.get("traffic", []))
        return changed, whole

    def process(self, new):
        model = self.model_of(new)
        whole = False
        for line in self.processes[model]:
            if line["line"] == "communicator":
                line, whole = self.communicator(line, model, new)
            elif line["line"] == "operations":
                line = with_ranks(line, lambda rank: self.moved(rank, model, new), whole)
            elif line["line"] == "rank":
                line = {**line, "rank": new, "pid": 100 + new, "name": {**line["name"], "rank": new}}
            self.put(line)

    def write(self):
        self.put({**self.header, "processes": self.n_ranks})
        for kind in ("layout", "place", "frame", "stack"):
            for line in self.definitions[kind]:
                self.put(line)
        for new in range(self.n_ranks):
            self.process(new)
        self.put({"line": "end", "ranks": self.n_ranks, "lines": self.n_lines + 1})
