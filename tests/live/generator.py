"""Makes right programs for prog_script at random by rule.

Operations follow each other in one order for all ranks, and each rank takes its part in them in that order: so a right
program ends even if no message is buffered. A number makes the same program everywhere and always.
"""
import random

import script
from script import ANY, EAGER_INTS, LARGE_INTS

N_SLOTS = 60
WORLD, COPY, PARTS, SOME, CART = range(5)     # communicators
SEED = 1 << 20


class Builder:
    """A program that grows by operations."""

    def __init__(self, randomness, n_ranks, naps):
        self.random = randomness
        self.program = script.Program(n_ranks)
        self.ranks = range(n_ranks)
        self.naps = naps            # how likely, and for how many milliseconds
        self.operation = 0
        self.tag = 100
        self.free = list(range(N_SLOTS))
        self.open = []              # of requests: rank, slot, persistent
        self.wild = True            # receives may take any tag of a rank
        self.n_objects = 10         # numbers of communicators, windows, files

    def begin(self):
        """A new operation; some rank may take its time before it."""
        self.operation += 1
        likely, low, high = self.naps
        if self.random.random() < likely:
            self.add(self.random.choice(self.ranks), self.random.choice(script.TIMED), self.random.randint(low, high))

    def add(self, rank, name, *args):
        self.program.steps[rank].append(script.Step(name, args, self.operation))

    def add_all(self, ranks, name, *args):
        for rank in ranks:
            self.add(rank, name, *args)

    def slot(self, rank, persistent=False):
        """A request for which the rank will wait."""
        if not self.free:
            self.finish()
        slot = self.free.pop(0)
        self.open.append((rank, slot, persistent))
        return slot

    def finish(self, ranks=None):
        """Ranks wait for all that they have started; all ranks by default."""
        self.operation += 1
        for rank in self.ranks if ranks is None else ranks:
            mine = [(slot, persistent) for who, slot, persistent in self.open if who == rank]
            self.open = [entry for entry in self.open if entry[0] != rank]
            while mine:
                some, mine = mine[:15], mine[15:]
                self.wait(rank, [slot for slot, _ in some])
                for slot, persistent in some:
                    if persistent:
                        self.add(rank, "free", slot)
                    self.free.append(slot)

    def wait(self, rank, slots):
        if len(slots) == 1 and self.random.random() < 0.6:
            self.add(rank, self.random.choice(("wait", "test")), *slots)
        else:
            self.add(rank, self.random.choice(script.LONG_WAITS), *slots)

    def unique_tag(self):
        self.tag += 2
        return self.tag

    def object(self):
        self.n_objects += 1
        return self.n_objects

    def make_communicators(self):
        """The same in each program."""
        program, n = self.program, self.program.n_ranks
        self.operation += 1
        colours = [self.random.randint(0, 1) for _ in self.ranks]
        some = tuple(sorted(self.random.sample(self.ranks, self.random.randint(2, n))))
        for rank in self.ranks:
            self.add(rank, "dup", COPY, WORLD)
            self.add(rank, "split", PARTS, WORLD, colours[rank])
            self.add(rank, "create", SOME, WORLD, *some)
            self.add(rank, "cart", CART, WORLD, n)
        everybody = tuple(self.ranks)
        parts = [tuple(rank for rank in self.ranks if colours[rank] == colour) for colour in (0, 1)]
        program.communicators.update({COPY: (everybody,), PARTS: tuple(filter(None, parts)), SOME: (some,),
                                      CART: (everybody,)})

    def free_communicators(self):
        self.operation += 1
        for rank in self.ranks:
            for number in (CART, SOME, PARTS, COPY):
                if self.program.members(number, rank):
                    self.add(rank, "comm_free", number)

    def group(self, at_least=2, numbers=(WORLD, WORLD, COPY, PARTS, SOME)):
        """A communicator, and the members of one of its parts."""
        choices = [(number, part) for number in numbers for part in self.program.communicators[number]
                   if len(part) >= at_least]
        return self.random.choice(choices)

    def count(self):
        return self.random.choice((1, 10, EAGER_INTS, LARGE_INTS))

    # Messages

    def send(self, rank, part, number, to, tag, count, modes=("send", "ssend", "isend", "issend", "send_init",
                                                                "ssend_init", "bsend", "ibsend")):
        mode = self.random.choice(modes)
        self._post(rank, mode, number, part.index(to), tag, count)

    def receive(self, rank, part, number, source, tag, count, modes=script.RECEIVE_MODES):
        mode = self.random.choice(modes)
        self._post(rank, mode, number, source if source == ANY else part.index(source), tag, count)

    def _post(self, rank, mode, *args):
        if mode[0] == "i" and mode != "iprobe" or mode.endswith("_init"):
            args = (*args, self.slot(rank, mode.endswith("_init")))
        self.add(rank, mode, *args)

    def message(self):
        """From one rank to another, in any mode."""
        self.begin()
        number, part = self.group()
        sender, receiver = self.random.sample(part, 2)
        tag, count = self.random.randint(0, 3), self.count()
        source, wanted = sender, tag
        wild = self.random.random()
        if wild < 0.15:
            tag = wanted = self.unique_tag()
            source = ANY
        elif wild < 0.3 and self.wild:
            wanted = ANY
        self.send(sender, part, number, receiver, tag, count)
        self.receive(receiver, part, number, source, wanted, count)

    def ready_message(self):
        self.begin()
        number, part = self.group()
        sender, receiver = self.random.sample(part, 2)
        count = self.count()
        self._post(receiver, "irecv", number, part.index(sender), 8, count)
        self._post(receiver, "send", number, part.index(sender), 9, 1)
        self._post(sender, "recv", number, part.index(receiver), 9, 1)
        self._post(sender, self.random.choice(("rsend", "irsend")), number, part.index(receiver), 8, count)

    def shift(self):
        """Everybody sends to the next one."""
        self.begin()
        number, part = self.group()
        tag, count, kind = self.random.randint(4, 6), self.count(), self.random.choice(("sendrecv", "irecv", "isend"))
        n = len(part)
        for here, rank in enumerate(part):
            right, left = part[(here + 1) % n], part[here - 1]
            if kind == "sendrecv":
                self.add(rank, "sendrecv", number, (here + 1) % n, tag, count, (here - 1) % n, tag, count)
            elif kind == "irecv":
                self.receive(rank, part, number, left, tag, count, ("irecv", "recv_init"))
                self.send(rank, part, number, right, tag, count, ("send", "ssend", "issend", "send_init"))
            else:
                self.send(rank, part, number, right, tag, count, ("isend", "issend", "ssend_init"))
                self.receive(rank, part, number, left, tag, count)
        if kind != "sendrecv" and self.random.random() < 0.5:
            self.finish(part)

    def fan_in(self):
        """One receives from all in the order in which they come, before anybody goes on."""
        self.begin()
        number, part = self.group()
        root, tag, count = self.random.choice(part), self.unique_tag(), self.count()
        for rank in part:
            if rank != root:
                self.send(rank, part, number, root, tag, count, ("send", "ssend", "isend"))
                self.receive(root, part, number, ANY, tag, count, ("recv", "probe", "mprobe", "iprobe"))
        self.finish(part)
        self.add_all(part, "barrier", number, 0, 0)

    # Collectives

    def collective(self, names=script.COLLECTIVES, group=None, root=None):
        """All of a part take part; which it is."""
        self.begin()
        number, part = group or self.group(1)
        name = self.random.choice(names)
        root = self.random.randrange(len(part)) if root is None else root
        count = self.random.choice((1, 10))
        self.add_all(part, name, number, count, root)
        return name, number, part, root

    def nonblocking(self):
        self.begin()
        number, part = self.group(1)
        name, root = self.random.choice(script.NONBLOCKING), self.random.randrange(len(part))
        for rank in part:
            self.add(rank, name, number, 4, root, self.slot(rank))
        if self.random.random() < 0.4:
            self.finish(part)

    def neighbours(self):
        self.begin()
        name = self.random.choice(script.NEIGHBOURS + script.INEIGHBOURS)
        for rank in self.ranks:
            self.add(rank, name, CART, 2, 0, *([self.slot(rank)] if name in script.INEIGHBOURS else []))

    def slow_operation(self):
        """A reduction whose operation takes its time."""
        self.begin()
        _, low, high = self.naps
        number, part = self.group()
        for rank in part:
            self.add(rank, "slow_allreduce", number, 2, self.random.randint(low, high) // 3)

    def slow_free(self):
        """A communicator that is freed by an attribute's function which takes its time."""
        self.begin()
        _, low, high = self.naps
        number, part = self.group()
        new = self.object()
        self.program.communicators[new] = (part,)
        for rank in part:
            self.add(rank, "dup_slow", new, number, self.random.randint(low, high) // 2)
        self.add_all(part, "comm_free", new)

    # Windows and files

    def window(self, group=None):
        """A new one: its number, its communicator, and its members."""
        number, part = group or self.group(2, (WORLD, COPY))
        window = self.object()
        self.program.windows[window] = number
        self.add_all(part, self.random.choice(script.MAKING_WINDOW), window, number)
        return window, number, part

    def window_epochs(self):
        self.begin()
        self.finish()
        window, _, part = self.window()
        kind = self.random.choice(("fence", "lock", "post"))
        if kind == "fence":
            for name, args in (("win_fence", ()), ("win_put", (0,)), ("win_fence", ())):
                self.add_all(part, name, window, *args)
        elif kind == "lock":
            target = self.random.randrange(len(part))
            for name in ("win_lock", "win_put", "win_unlock"):
                self.add_all(part, name, window, target)
        else:
            self.post_and_start(window, part, self.random.randrange(len(part)))
        self.begin()
        self.add_all(part, "win_free", window)

    def post_and_start(self, window, part, target, without=()):
        """One rank's memory for all others; some steps may be left out."""
        origins = [here for here in range(len(part)) if here != target]
        for here, rank in enumerate(part):
            steps = ([("win_post", origins), ("win_wait", ())] if here == target
                     else [("win_start", (target,)), ("win_put", (target,)), ("win_complete", ())])
            for name, args in steps:
                if (rank, name) not in without:
                    self.add(rank, name, window, *args)

    def file(self):
        self.begin()
        self.finish()
        number, part = self.group(1, (WORLD, COPY))
        file = self.object()
        self.program.files[file] = number
        self.add_all(part, "file_open", file, number)
        self.begin()
        for name in ("file_view", "file_write", "file_close"):
            self.add_all(part, name, file)

    def anything(self):
        """A right operation."""
        self.random.choices(
            (self.message, self.ready_message, self.shift, self.fan_in, self.collective, self.nonblocking,
             self.neighbours, self.slow_operation, self.slow_free, self.window_epochs, self.file),
            (30, 4, 10, 6, 22, 10, 4, 4, 3, 5, 3))[0]()
        if self.random.random() < 0.25:
            self.finish([self.random.choice(self.ranks)])


def right(number):
    """A program that gets on for ever, or whose last part runs in MPI_Finalize."""
    randomness = random.Random(SEED + number)
    in_finalize = number % 10 == 9
    builder = Builder(randomness, randomness.randint(2, 6), (0, 0, 0) if in_finalize else (0.35, 200, 2000))
    builder.make_communicators()
    for _ in range(2 if in_finalize else randomness.randint(6, 14)):
        builder.naps = (0, 1, 3) if in_finalize else builder.naps
        builder.anything()
    builder.finish()
    if in_finalize:
        barrier_in_finalize(builder)
    else:
        builder.free_communicators()
        builder.program.rounds = 1000
    return builder.program


def barrier_in_finalize(builder):
    """Some come to a barrier from MPI_Finalize, which calls their function; others from the program, after all looks."""
    builder.operation += 1
    late = builder.random.sample(builder.ranks, builder.random.randint(1, len(builder.ranks) - 1))
    for rank in builder.ranks:
        if rank in late:
            builder.add(rank, "await_release", builder.random.randint(400, 1000))
            builder.add(rank, "barrier", WORLD, 0, 0)
        else:
            builder.add(rank, "at_finalize", WORLD, builder.random.randint(0, 2000))
