"""Executes a program of script.py without MPI: how far its ranks come, and for whom they wait then."""
import collections
import dataclasses

import script


@dataclasses.dataclass(eq=False)
class Request:
    """What a rank has started. It is done as soon as it is matched or, if it can be so, waits for nobody."""
    rank: int
    step: script.Step
    what: object        # a Message, a Collective, or the name of another step
    blockers: object    # a function that returns the ranks that are waited for
    matched: bool = False
    by_others: bool = False

    @property
    def done(self):
        return self.matched or self.by_others and not self.blockers()


class Simulation:
    """
    Messages of at most `buffered` integers leave without a receiver, and rank r passes its first progress[r] steps even
    if nothing here lets it: how far a real program has come is known from itself.
    """

    def __init__(self, program, buffered=-1, progress=None):
        self.program = program
        self.buffered = buffered
        self.progress = progress or [0] * program.n_ranks
        self.at = [0] * program.n_ranks
        self.waiting = [None] * program.n_ranks     # for these requests, once the step is entered
        self.joined = [set() for _ in range(program.n_ranks)]   # of collectives: channels and operations
        self.slots = [{} for _ in range(program.n_ranks)]
        self.sends, self.receives = [], []          # not matched
        self.calls = collections.defaultdict(list)  # of collectives: by channel and number, the requests
        self.numbers = collections.Counter()
        self.holders = {}                           # of locks
        self.exposed, self.completed = collections.Counter(), collections.Counter()
        self.epochs = {}
        self.moved = False      # since all ranks had their turn
        self._run()

    def at_end(self, rank):
        """In MPI_Finalize."""
        return self.at[rank] >= len(self.program.steps[rank])

    def is_stuck(self):
        return not all(map(self.at_end, range(self.program.n_ranks)))

    def pending(self, rank):
        """The requests for which a rank waits."""
        return [request for request in self.waiting[rank] or [] if not request.done]

    def blockers(self, rank):
        """The ranks for which a rank waits."""
        if self.at_end(rank):
            return {other for other in range(self.program.n_ranks) if not self.at_end(other)}
        return set().union(*(request.blockers() for request in self.pending(rank))) - {rank}

    def _run(self):
        self.moved = True
        while self.moved:
            self.moved = False
            for rank in range(self.program.n_ranks):
                while not self.at_end(rank) and self._advance(rank):
                    self.moved = True

    def _advance(self, rank):
        """Whether the rank is through with its step."""
        step = self.program.steps[rank][self.at[rank]]
        if self.waiting[rank] is None:
            self.moved = True
            self.waiting[rank] = self._enter(rank, step)
        self._grant_locks()
        if self.pending(rank) and self.progress[rank] <= self.at[rank]:
            return False
        self.waiting[rank] = None
        self.at[rank] = len(self.program.steps[rank]) if step.name == "finalize" else self.at[rank] + 1
        return True

    def _enter(self, rank, step):
        """The requests for which the step waits."""
        if step.name in script.WAITS:
            return [self.slots[rank][slot] for slot in step.args if slot in self.slots[rank]]
        if step.name in script.NEVER:
            return [Request(rank, step, step.name, set)]
        if step.name.startswith("win_") and step.name not in script.ON_WINDOW + script.MAKING_WINDOW:
            return self._enter_window(rank, step)
        started = []
        if self.program.received(rank, step):
            started.append(self._receive(rank, step))
        if self.program.sent(rank, step):
            started.append(self._send(rank, step))
        if self.program.collective(rank, step):
            started.append(self._collect(rank, step))
        blocking = []
        for request in started:
            if request.what.slot is None:
                blocking.append(request)
            else:
                self.slots[rank][request.what.slot] = request
        return blocking

    def _send(self, rank, step):
        sent = self.program.sent(rank, step)
        request = Request(rank, step, sent, lambda: {sent.peer})
        request.matched = sent.mode in script.BUFFERED or sent.mode in script.STANDARD and sent.count <= self.buffered
        for receive in self.receives:
            if receive.what.fits(sent):
                self.receives.remove(receive)
                receive.matched = request.matched = True
                return request
        self.sends.append(request)
        return request

    def _receive(self, rank, step):
        received = self.program.received(rank, step)
        senders = set(received.channel[1] if received.peer == script.ANY else [received.peer])
        request = Request(rank, step, received, lambda: senders)
        for send in self.sends:
            if received.fits(send.what):
                self.sends.remove(send)
                send.matched = request.matched = True
                return request
        self.receives.append(request)
        return request

    def _collect(self, rank, step):
        """Parts with the same number on a channel are taken together; they complete only if they agree."""
        part = self.program.collective(rank, step)
        self.joined[rank].add((part.channel, step.operation))
        number = self.numbers[part.channel, rank]
        self.numbers[part.channel, rank] += 1
        calls = self.calls[part.channel, number]

        def absent():
            return {other for other in part.partners
                    if not any(call.rank == other and (call.what.name, call.what.root) == (part.name, part.root)
                               for call in calls)}
        calls.append(Request(rank, step, part, absent, by_others=True))
        return calls[-1]

    def _enter_window(self, rank, step):
        window = step.args[0]
        members = self.program.members(self.program.windows[window], rank)
        peers = [members[other] for other in step.args[1:]]
        if step.name == "win_lock":
            return [Request(rank, step, step.name, lambda: {self.holders[window, peers[0]].rank})]
        if step.name == "win_unlock":
            self.holders.pop((window, peers[0]), None)
        elif step.name == "win_post":
            self.epochs[window, rank, "exposure"] = peers
            self.exposed.update((window, rank, peer) for peer in peers)
        elif step.name == "win_start":
            self.epochs[window, rank, "access"] = peers
            return [Request(rank, step, step.name,
                            lambda: {peer for peer in peers if not self.exposed[window, peer, rank]}, by_others=True)]
        elif step.name == "win_complete":
            self.completed.update((window, peer, rank) for peer in self.epochs[window, rank, "access"])
        elif step.name == "win_wait":
            peers = self.epochs[window, rank, "exposure"]
            return [Request(rank, step, step.name,
                            lambda: {peer for peer in peers if not self.completed[window, rank, peer]},
                            by_others=True)]
        return []

    def _grant_locks(self):
        for waiting in self.waiting:
            for request in waiting or []:
                if request.what == "win_lock" and not request.done:
                    members = self.program.members(self.program.windows[request.step.args[0]], request.rank)
                    target = request.step.args[0], members[request.step.args[1]]
                    request.matched = self.holders.setdefault(target, request) is request
