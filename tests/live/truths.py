"""Programs of prog_script that say what they do, by name: functions of the number of ranks, and of arguments. See told.c."""
import dataclasses
import itertools
import random

UNDEFINED = -32766      # of Open MPI
LARGE = 200000          # bytes that do not leave before their receiver comes


def lines(*parts):
    return "; ".join(filter(None, parts))


def receives(n_ranks):
    """
    Receives that wait for messages: every kind of source and tag, several datatypes and communicators, posted in turn to
    one communicator and the next. All are cancelled, and each communicator still works.
    """
    what = ("5 int", "1 _three", "2 particle", "3 _apart", "0 byte", "1000 double")
    comms = ("world", "self", "_named", "_unnamed", "reversed", "_every~other")
    parts = []
    for rank in range(n_ranks):
        # The own rank, and how many there are. Every other rank has no sixth communicator.
        places = ((rank, n_ranks), (0, 1), (rank, n_ranks), (rank, n_ranks), (n_ranks - 1 - rank, n_ranks),
                  (rank // 2, (n_ranks + 1) // 2))
        own = dict(zip(comms, places[:6 - rank % 2]))
        posted = {f"r{i}": (comm, "any" if kind & 1 else (own[comm][0] - 1) % own[comm][1],
                            "any" if kind & 2 else 10 + i, what[i % 6])
                  for i, (_, kind, comm) in enumerate(itertools.product(range(2), range(4), comms)) if comm in own}
        parts.append(lines(
            f"{rank}: dup _named world; comm_name _named halo~\"50%\"~\\~exchange; dup _unnamed world",
            f"split reversed world 0 {n_ranks - rank}; split _every~other world {UNDEFINED if rank % 2 else 0}",
            "type_contiguous _three 3 double; type_contiguous particle 7 float; type_vector _apart 4 2 5 short",
            *(f"told_irecv {' '.join(map(str, how))} {request}" for request, how in posted.items()), "rest",
            *(f"told_cancel {request}" for request in posted), "told_finish", *(f"checked_allreduce {comm}" for comm in own),
            *(f"comm_free {comm}" for comm in (*own,)[2:]), "type_free _three; type_free particle; type_free _apart"))
    return lines(*parts)


# Tag and bytes of messages to one rank.
TINY, EMPTY, SHORT, LONG, PROBED, LAST, LONG_BYTES = 1, 2, 3, 4, 5, 6, 100000
TO_ONE = ((TINY, 40), (EMPTY, 0), (TINY, 41), (SHORT, 600), (LONG, LONG_BYTES), (PROBED, 80), (LONG, LONG_BYTES),
          (TINY, 42), (EMPTY, 0), (LAST, 8))


def unexpected(n_ranks, rotated=""):
    """
    Messages that have arrived and that nobody has asked for: short, empty, long and too long to come without being asked
    for, from all ranks on several communicators. Rotated, a few were received from any source, which with ob1 changes the
    rank that such a receive looks at first; and one was taken out of the queue by a matched probe.
    """
    last = n_ranks - 1
    comms = {"world": lambda rank: rank, "results": lambda rank: rank, "_reversed": lambda rank: last - rank}
    sent, taken, arrived, left = [], [], [], []

    def send(rank, comm, i):
        tag, n_bytes = TO_ONE[i]
        how = f"told_isend {{}} byte {comm}{i}" if n_bytes == LONG_BYTES else "give {}"
        sent.append(f"{rank}: " + how.format(f"{comm} {comms[comm](0)} {tag} {n_bytes}"))
    for comm, rank_on in comms.items():
        # The first messages of the first two ranks, which arrive before others.
        for source in (1, 2) if rotated else ():
            send(rank_on(source), comm, 0)
            sent.append(f"0: await_message {comm} {source} {TINY}; all: barrier sync")
            taken.append(f"take {comm} any {TINY} 40 {source}")
        if rotated:
            taken.append(f"match {comm} {3 % n_ranks} {PROBED} {comm}probed")
            left.append(f"take_matched {comm} {3 % n_ranks} {PROBED} 80 {comm}probed")
        for source, (i, (tag, n_bytes)) in itertools.product(
                [(rank + (3 if rotated else 1)) % n_ranks for rank in range(n_ranks)], enumerate(TO_ONE)):
            if not rotated or (source, tag) != (3 % n_ranks, PROBED) and (i or source not in (1, 2)):
                arrived.append(f"arrived {comm} {source} {tag} {n_bytes} {'rendezvous' if n_bytes == LONG_BYTES else ''}")
                left.append(f"take {comm} {source} {tag} {n_bytes}")
    for i, comm, rank in itertools.product(range(len(TO_ONE)), comms, range(n_ranks)):
        if i or not rotated or comms[comm](rank) not in (1, 2):
            send(rank, comm, i)
    return lines("all: dup results world; dup sync world",
                 *(f"{rank}: split _reversed world 0 {n_ranks - rank}" for rank in range(n_ranks)), *sent, "0: " + lines(*(f"await_message {comm} {rank} {LAST}" for comm in comms for rank in range(n_ranks)),
                                      *taken, *arrived),
                 "all: rest", "0: " + lines(*left), "all: told_finish; comm_free results; comm_free sync; comm_free _reversed")


@dataclasses.dataclass
class Sent:
    """A message of random_; ranks are those of MPI_COMM_WORLD."""
    number: int
    comm: str
    sender: int
    receiver: int
    tag: int
    n_bytes: int
    synchronous: bool
    received: bool = False

    @property
    def waits(self):
        """It does not leave before its receiver has come."""
        return self.synchronous or self.n_bytes == LONG_BYTES


def random_(n_ranks, seed, named=""):
    """
    A random but repeatable program. In each round all ranks send messages to each other on several communicators, and
    receive some of those that have arrived; between that they post receives that nothing matches, and cancel some. Where
    it is not known what a receive from any source takes, sources are named.
    """
    chance, half = random.Random(int(seed)), n_ranks // 2
    comms = ("world", "reversed", "duplicate", "halves")
    steps, messages, posted, found_last = [], [], [], {}

    def rank_on(comm, rank):
        """What a process is called: on the last one by those of the other half."""
        return {"reversed": n_ranks - 1 - rank, "halves": rank % half}.get(comm, rank)

    def n_sources(comm):
        return half if comm == "halves" else n_ranks

    def post():
        comm, how = chance.choice(comms), chance.choice(("irecv", "cancelled", "recv_init"))
        source = "any" if chance.random() < 1 / 3 else chance.randrange(n_sources(comm))
        request = f"p{len(posted)}"
        receive = f"{comm} {source} {500 + len(posted)} 8 byte {request}"
        steps.append({"irecv": f"all: told_irecv {receive}",
                      "recv_init": f"all: told_recv_init {receive}; told_start {request}",
                      "cancelled": f"all: told_irecv {receive} silent cancelled; told_wait {request}"}[how])
        posted.append("" if how == "cancelled" else request)

    def send():
        comm, sender, receiver = chance.choice(comms), chance.randrange(n_ranks), chance.randrange(n_ranks)
        if comm == "halves":
            receiver = receiver % half + (half if sender < half else 0)
        messages.append(Sent(len(messages), comm, sender, receiver, chance.randrange(4),
                             chance.choice((0, 8, 200, 600, LONG_BYTES)), chance.random() < 1 / 4))
        steps.append(messages[-1])

    def find(comm, receiver, source, tag):
        """What a receive finds, in turn from the source after the last one that one from any source found."""
        last = found_last.get((comm, receiver), 0)
        for here in [(last + 1 + i) % n_sources(comm) for i in range(n_sources(comm))] if source == "any" else [source]:
            for message in messages:
                if (message.comm, message.receiver, rank_on(comm, message.sender)) == (comm, receiver, here) and (
                        not message.received and tag in ("any", message.tag)):
                    if source == "any":
                        found_last[comm, receiver] = here
                    return message
        return None

    def receive():
        comm, receiver, tag = chance.choice(comms), chance.randrange(n_ranks), chance.choice((0, 1, 2, 3, "any", "any"))
        source = "any" if chance.random() < 1 / 2 and not named else chance.randrange(n_sources(comm))
        message = find(comm, receiver, source, tag)
        if message:
            message.received = True
            own, n_bytes = f"{rank_on(comm, message.sender)} {message.tag}", message.n_bytes
            steps.append(f"{receiver}: " + chance.choice((
                f"take {comm} {source} {tag} {n_bytes} {own}",
                f"match {comm} {source} {tag} one; take_matched {comm} {own} {n_bytes} one")))
            steps.extend([f"{message.sender}: told_wait s{message.number}"] if message.waits else ())
    for _ in range(6):
        for step, n in ((post, 4), (send, 60)):
            for _ in range(n):
                step()
        steps.append("all: " + lines(*(f"settle {comm}" for comm in comms)))
        for _ in range(36):
            receive()
        # What comes next is not for receives of this round. A barrier may itself receive from any source.
        steps.append("all: barrier rounds")
    left = [message for message in messages if not message.received]

    def text(step):
        if not isinstance(step, Sent):
            return step
        envelope = f"{step.comm} {rank_on(step.comm, step.receiver)} {step.tag} {step.n_bytes}"
        kind = "issend" if step.synchronous else "isend"
        return f"{step.sender}: " + (f"told_{kind} {envelope} byte s{step.number} {'silent' if step.received else ''}"
                                     if step.waits else f"give {envelope}")

    def in_turn(message):
        """Unexpected messages are listed from the source on that is looked at first."""
        first = found_last.get((message.comm, message.receiver), 0) + 1
        return (rank_on(message.comm, message.sender) - first) % n_sources(message.comm)

    def envelope(message):
        return f"{message.comm} {rank_on(message.comm, message.sender)} {message.tag} {message.n_bytes}"
    return lines(
        *(f"{rank}: split reversed world 0 {n_ranks - rank}; dup rounds world; dup duplicate world; split __part world "
          f"{rank < half:d}; intercomm halves __part world {half if rank < half else 0}; comm_free __part"
          for rank in range(n_ranks)), *map(text, steps),
        *(f"{message.receiver}: arrived {envelope(message)} {'rendezvous' if message.waits else ''}"
          for message in sorted(left, key=in_turn)),
        "all: rest", *(f"{message.receiver}: take {envelope(message)}" for message in left),
        "all: " + lines(*(f"told_cancel {request}" for request in filter(None, posted)), "told_finish",
                        *(f"comm_free {comm}" for comm in (*comms[1:], "rounds"))))


def blocked(n_ranks, call):
    """Ranks that hang in a blocking call. Rank 0 alone sleeps, and releases the others."""
    posted = lines(*(f"told_irecv world 0 {tag} 8 byte r{tag}" for tag in (50, 51, 52)), "announce 0")
    probing = "told_irecv world 0 50 8 byte r50; announce 1; {}; told_irecv world 0 51 8 byte r51 silent; told_finish"
    block = {
        "recv": "announce 1; told_recv world 0 40 8 byte",
        "any": "announce 1; told_recv world any any 8 byte",
        "wait": f"{posted}; wait r52; wait r51; wait r50",
        **{name: f"{posted}; {name} r50 r51 r52" for name in ("waitall", "waitany", "waitsome")},
        # Behind a receive that is posted, and for a message that only the probe matches.
        "probe": probing.format("told_probe world 0 52 8 byte"),
        "probe-any": probing.format("told_probe world any any 8 byte"),
        "mprobe": probing.format("told_mprobe world any 52 8 byte"),
        "ssend": "announce 1; told_ssend world 0 40 8 char",
        "send": "announce 1; told_send world 0 40 300000 char",
        "sendrecv": "announce 1; told_sendrecv world 0 40 300000 char 8",
    }[call]
    sent = {"ssend": 8, "send": 300000, "sendrecv": 300000}.get(call)
    arrived, release = [], []
    for rank in range(1, n_ranks):
        if sent:
            arrived.append(f"arrived world {rank} 40 {sent} rendezvous")
            release.append(f"take world {rank} 40 {sent}")
        if call in ("recv", "any", "sendrecv"):
            release.append(f"give world {rank} 40 8")
        elif not sent:
            release += [f"give world {rank} {tag} 8" for tag in (52, 51, 50)]
    return lines(f"1-{n_ranks - 1}: {block}", "0: " + lines(*arrived, "rest", *release))


def threads(n_ranks):
    """Threads that all block at once, each on a communicator of its own, so that it does not matter who came first."""
    comms = [f"thread~{i}" for i in range(6)]
    calls = ("told_recv {} 0 7 32 byte", "told_recv {} any any 32 byte", "told_probe {} 0 7 32 byte",
             "told_mprobe {} 0 7 32 byte", "told_irecv_wait {} 0 7 32 byte", "told_ssend {} 0 7 300000 byte")
    release = [f"take {comm} {rank} 7 300000" if "send" in call else f"give {comm} {rank} 7 32"
               for rank in range(1, n_ranks) for comm, call in zip(comms, calls)]
    return lines("all: " + lines(*(f"dup {comm} world" for comm in comms)),
                 "0: " + lines(*(f"told_unknown {comm}" for comm in comms), "rest", *release),
                 f"1-{n_ranks - 1}: announce 6", *(f"thread {call.format(comm)}" for comm, call in zip(comms, calls)),
                 "join", "all: " + lines(*(f"comm_free {comm}" for comm in comms)))


def deadlock(n_ranks):
    """What prog_deadlock.c does: the tags of the first message around a ring differ."""
    return lines("0: announce 1; told_ssend world 1 0 100 double", "1: arrived world 0 0 800 rendezvous",
                 f"1-{n_ranks - 1}: announce 1; told_recv world prev 1 100 double")


def freed(_, kept=""):
    """
    Objects that the program has freed while operations are pending: a communicator with operations, handles of requests,
    a datatype of operations of no elements. Kept, the communicator is freed in the end: not every PML holds it as long
    as there are operations. The receive of no elements keeps its datatype alive, the send does not.
    """
    return lines("all: dup freed~one world", "told_irecv freed~one prev 5 16 byte asked",
                 "told_irecv freed~one prev 6 16 byte other freed", "type_vector pairs 3 2 4 int",
                 "told_irecv freed~one prev 7 0 pairs nothing", "told_issend freed~one next 8 0 pairs unasked",
                 "type_free pairs", f"told_isend freed~one next 9 {LARGE} byte last freed",
                 "await_message freed~one prev 8", "await_message freed~one prev 9",
                 # Whoever sleeps does not send: a message may wait for its connection.
                 "barrier world", "arrived freed~one prev 8 0 rendezvous", f"arrived freed~one prev 9 {LARGE} rendezvous",
                 # The requests keep the object: with another copy of the handle Open MPI still takes it.
                 "park_only", "" if kept else "comm_free_copy freed~one", "wait_only", "give freed~one next 5 16",
                 "give freed~one next 6 16", "give freed~one next 7 0", "take freed~one prev 8 0",
                 f"take freed~one prev 9 {LARGE}", "told_finish", "comm_free freed~one" if kept else "")


def rendezvous(_):
    """
    Long messages that are matched, with most of the data still to come: both sides know of each other and neither can go
    on. Rank 1 has the receiver's answer; rank 2 has not looked for it yet: it sleeps since before there was one.
    """
    n_bytes = 24 << 20
    return lines("all: dup long world",
                 # Connections are made at first use; from here on a message leaves at once.
                 *(f"sendrecv world {rank} 7 1 {rank} 7 1" for rank in range(3)),
                 f"1: told_isend long 0 5 {n_bytes} char s matched; take world 0 6 1; rest_progressing; told_finish",
                 f"2: told_isend long 0 5 {n_bytes} char s; take world 0 8 1; rest; told_finish",
                 # Both messages have arrived before their receives are posted, so these are matched at once.
                 "0: await_message long 1 5; await_message long 2 5; give world 2 8 1; await_parked 2",
                 f"told_irecv long 1 5 {n_bytes + 1000} char a 1 5 {n_bytes} matched",
                 f"told_irecv long any any {n_bytes + 1000} char b 2 5 {n_bytes} matched",
                 "give world 1 6 1; rest; told_finish", "all: comm_free long")


def arrival(_):
    """
    Messages that have arrived in an order that is known, although they are from several ranks: each is sent when rank 0,
    which receives none of them, has seen the one before. Sources, communicators and sizes change at different steps.
    """
    turns = [((2, 1, 2, 3, 0, 1, 3)[turn % 7], ("world", "by~turns")[turn % 2], turn,
              100000 if turn % 5 == 2 else 100 + turn) for turn in range(12)]
    sent, arrived = [], {}
    for source, comm, turn, n_bytes in turns:
        is_long = n_bytes == 100000
        if source:
            sent.append(f"0: give world {source} 99 4; {source}: take world 0 99 4")
        sent.append(f"{source}: told_isend {comm} 0 {turn} {n_bytes} byte s{turn} {'' if is_long else 'complete optional'}; "
                    f"0: await_message {comm} {source} {turn}")
        arrived[turn] = f"arrived {comm} {source} {turn} {n_bytes} {'rendezvous' if is_long else ''}"
    # As they have arrived; or one source after the other, the receiver itself being the last.
    by_source = sorted(turns, key=lambda turn: (turn[0] - 1) % 4)
    return lines("all: dup by~turns world; told_order_known world; told_order_known by~turns", *sent,
                 "0: " + lines(*(f"by_arrival {line}" for line in arrived.values()),
                               *(f"by_source {arrived[turn]}" for _, _, turn, _ in by_source)),
                 "all: rest", "0: " + lines(*(f"take {comm} {source} {turn} {n}" for source, comm, turn, n in turns)),
                 "all: told_finish; comm_free by~turns")


# Every character that could disturb a listing.
ODD = 'tab\there,~%s~%n~"quoted"~\\~gr\u00fc\u00dfe~\x01'
LONGEST = 63        # bytes of a name


def communicators(n_ranks):
    """
    Communicators of all kinds and many of them: predefined ones renamed, names of every length, topologies, freed ones
    whose places were taken by others.
    """
    # Characters of two bytes: the last one ends with the name, or is cut in two by Open MPI.
    names = {"long": "x" * LONGEST, "whole": "x" + "\u00e9" * (LONGEST // 2), "cut": "\u00e9" * (LONGEST // 2) + "\udcc3"}
    parts, many = [], range(70)
    for rank in range(n_ranks):
        def make(i, what, rank=rank):
            return lines(f"split __{i} world {rank % (i % 3 + 1)}", f"comm_name __{i} {what}~{i}" if i % 4 else "")
        parts.append(lines(
            f"{rank}: comm_name world everybody; comm_name self me; cart ring world {n_ranks}; grid _grid world; row _row _grid",
            "graph _graph world; neighbours _neighbours _graph prev next", f"create _ends world {n_ranks - 1} 0",
            *(f"comm_name _{name} {name}; told_comm _{name} {name}" for name in ("grid", "graph", "neighbours")),
            f"comm_name _row row; told_comm _row row~{rank // (n_ranks // 2)}",
            "comm_name _ends first~and~last; told_comm _ends ends" if rank in (0, n_ranks - 1) else "",
            f"dup __odd self; comm_name __odd {ODD}; told_comm __odd odd~{rank}", *(f"dup _{key} world; comm_name _{key} {name}" for key, name in names.items()),
            *(make(i, "first") for i in many), *(f"comm_free __{i}" for i in range(20, 30)),
            *(make(i, "second") for i in range(20, 30)),
            *(f"told_comm __{i} many~{i}.{rank % (i % 3 + 1)}" for i in many),
            "told_irecv __69 0 4 2 char r; rest; told_cancel r; told_finish", *(f"comm_free __{i}" for i in many), "comm_free ring; comm_free __odd; comm_free _row; comm_free _grid"))
    return lines(*parts)


def complete(_):
    """
    Receives that are complete, but that nobody has waited for: shorter messages than buffers, empty ones, one that was too
    long, one cancelled; and between them some that are still pending.
    """
    # What is asked of the message with the tag that is its number: source and tag; its sender, its size, and the room.
    messages = [(1, 0, 1, 40, 400), ("any", 1, 1, 300, 300), (2, "any", 2, 0, 400), (1, 3, 1, 0, 0), (2, 4, 2, 399, 400),
                (2, 5, 2, 200, 80), (3, 6, 3, 1, 400), ("any", "any", 3, 77, 400)]
    posted = [f"told_irecv world {asked} {asked_tag} {room} byte m{tag} {source} {tag} {sent} complete"
              for tag, (asked, asked_tag, source, sent, room) in enumerate(messages)]
    sends = [f"{source}: give world 0 {tag} {sent}" for tag, (_, _, source, sent, _) in enumerate(messages)]
    return lines("all: errors_return world", "0: " + lines(
        *posted[:4], "told_irecv world 2 70 400 byte pending", *posted[4:6],
        "told_irecv world 1 71 400 byte gone complete cancelled", posted[6], *(f"give world {r} 99 4" for r in (1, 2, 3))),
                 "1-3: take world 0 99 4", *sends,
                 # By a receive of everything, which is posted when all others have their message.
                 "0: told_await m0 m1 m2 m3 m4 m5 m6; await_message world 3 7", f"{posted[7]} found", "told_await m7",
                 "all: rest", "2: give world 0 70 400", "0: told_finish")


def persistent(_):
    """Persistent requests in all their states, and requests whose handles were freed. Rank 1 is the other side of each."""
    held = [(9, 24), (11, LARGE), (8, LARGE), (12, LARGE)]
    return lines(
        "0: " + lines(*(f"told_recv_init world 1 {tag} 24 char r{tag}" for tag in (1, 2, 3, 4, 5)), "give world 1 13 1",
                      "told_once r4; told_once r5; told_start r5; told_start r2; told_start r3 1 3 24 complete",
                      "told_await r3; told_irecv world 1 6 24 char r6 freed",
                      *(f"told_{how} world 1 {tag} {n} char s{tag}" for how, tag, n in (
                          ("send_init", 7, LARGE), ("send_init", 8, LARGE), ("ssend_init", 9, 24), ("send_init", 10, 24),
                          ("send_init", 11, LARGE))),
                      "told_once s10; told_once s11; told_start s9; told_start s11; told_start s8",
                      f"told_isend world 1 12 {LARGE} char s12 freed; give world 1 14 24; rest",
                      # The freed receive is complete when a later message from the same rank is.
                      "told_wait r5 r2 r3 s8 s9 s11; take world 1 14 24; told_check r6; told_finish"),
        "1: take world 0 13 1; give world 0 4 24; give world 0 5 24; give world 0 3 24; take world 0 10 24",
        f"take world 0 11 {LARGE}", *(f"arrived world 0 {tag} {n} rendezvous" for tag, n in held), "arrived world 0 14 24",
        "rest; give world 0 5 24; give world 0 2 24; give world 0 6 24",
        *(f"take world 0 {tag} {n}" for tag, n in held), "take world 0 14 24; give world 0 14 24")


def mixed(_):
    """
    Datatypes and requests that programs seldom use: absolute addresses, negative lower bounds, no data at all, more bytes
    than 32 bits count; ready and persistent requests between others. Rank 0 has asked for the messages and does not come
    back to MPI; rank 1 sends them, and some for which there is no receive.
    """
    return lines(
        "all: dup mixed world; type_absolute at~an~address 50000; type_negative before~its~address",
        f"type_contiguous nothing 0 int; type_contiguous 16~GiB {(1 << 31) - 1} double",
        "0: told_recv_init mixed 1 14 50000 int r14; told_start r14; told_irecv mixed 1 10 1 at~an~address r10",
        "told_recv_init mixed any 15 50000 int r15; told_start r15; told_irecv mixed any 11 5 before~its~address r11",
        # A persistent receive that is cancelled is complete, and not inactive.
        "told_recv_init mixed any 99 8 char r99; told_start r99 complete cancelled; told_irecv mixed 1 12 5 nothing r12",
        "told_irecv mixed nobody 3 8 char none silent; told_irecv mixed 0 32 5 16~GiB huge",
        "told_irecv mixed 1 13 50000 int r13; give world 1 1 4; rest; told_cancel huge; told_finish",
        f"take mixed 1 30 {LARGE}; take mixed 1 31 {LARGE}",
        "1: take world 0 1 4; told_irsend mixed 0 13 50000 int s13; told_rsend_init mixed 0 14 50000 int s14",
        f"told_start s14; told_bsend_init mixed 0 30 {LARGE} byte s30; told_start s30",
        "told_isend mixed 0 10 1 at~an~address s10; told_issend mixed 0 11 5 before~its~address s11",
        f"told_ssend_init mixed 0 31 {LARGE} byte s31; told_start s31; told_issend mixed 0 12 5 nothing s12",
        "told_rsend_init mixed 0 15 50000 int s15; told_start s15; rest; told_finish", "all: comm_free mixed")


def sends(n_ranks):
    """
    Sends in all modes that nobody has received yet, to several destinations in turn. Rank 0 sends; the others let the
    messages arrive and receive them only when they are told to go on.
    """
    comms, others = ("world", "sends"), range(1, n_ranks)
    pairs = "every~other~pair"
    # Some that wait, some that are complete before anybody waits for them, and others that wait: kind, tag, count, type.
    first = (("isend", 1, LARGE // 4, "int"), ("issend", 2, 5, "double"), ("issend", 3, 0, "double"),
             ("ibsend", 4, LARGE, "byte"), ("bsend", 5, LARGE, "byte"))
    eager = (("irsend", 6, 24, "char", " complete optional"), ("isend", 7, 1000, "char", " complete"),
             ("isend", 8, 4, "char", " complete optional"))
    last = (("isend", 9, 1, pairs), *[("isend", 10, LARGE // 8, "long")] * 3)
    arrived = ((1, LARGE, True), (2, 40, True), (3, 0, True), (4, LARGE, True), (5, LARGE, True), (7, 1000, False),
               (8, 4, False), (9, LARGE // 2, True), *[(10, LARGE, True)] * 3, (11, 8, False))
    sent = []

    def send(comm, to, kind, tag, count, datatype, state=""):
        sent.append(f"told_{kind} {comm} {to} {tag} {count} {datatype} s{len(sent)}{state}")
    for to in reversed(others):
        for comm in comms:
            for message in first:
                send(comm, to, *message)
    for comm in comms:
        for to in others:
            for message in eager:
                send(comm, to, *message)
    for to in reversed(others):
        for comm in comms:
            for message in last:
                send(comm, to, *message)
            sent.append(f"give {comm} {to} 11 8")
    return lines(f"all: dup sends world; type_vector {pairs} 12500 2 4 int",
                 f"1-{n_ranks - 1}: " + lines(*(f"told_irecv {comm} 0 6 24 char r{comm} 0 6 24 complete" for comm in comms),
                                              "give world 0 12 4"),
                 "0: " + lines(*(f"take world {rank} 12 4" for rank in others), *sent, "rest", "told_finish"),
                 f"1-{n_ranks - 1}: told_await rworld rsends; await_message world 0 11; await_message sends 0 11",
                 *(f"arrived {comm} 0 {tag} {n} {'rendezvous' if waits else ''}" for comm in comms
                   for tag, n, waits in arrived),
                 "rest; told_finish", *(f"take {comm} 0 {tag} {n}" for comm in comms for tag, n, _ in arrived),
                 "all: comm_free sends")


def recycled(_, n_pending):
    """
    Requests whose memory has been used many times, completed out of order, so that their places in memory say nothing
    about the order in which they were posted. The argument is how many are pending in the end.
    """
    in_flight, pending = range(24), range(int(n_pending))
    later = [i for i in reversed(pending) if i % 3 == 1]
    at_once = [i for i in pending if i % 3 != 1]

    def post(i, silent=""):
        return (f"told_irecv world {'pair' if i % 5 else 'any'} {100 + i} 64 byte r{i}{silent}; "
                f"told_isend world pair {500 + i} 100000 byte s{i}{silent}")
    return lines(
        # Both ranks send what the other waits for, in another order than it was asked for.
        "all: mark", *(f"told_irecv world pair {i} 64 byte x{i} silent" for i in in_flight),
        *(f"give world pair {i * 7 % 24} 64" for i in in_flight), f"told_wait {' '.join(f'x{i}' for i in in_flight[::-1])}",
        "loop 40",
        # All, of which every third is completed from the end on and posted again.
        *(post(i, " silent" if i in later else "") for i in pending),
        *(f"give world pair {100 + i} 64; told_wait r{i}; take world pair {500 + i} 100000; told_wait s{i}" for i in later),
        *(post(i) for i in later), *(f"await_message world pair {500 + i}" for i in pending),
        *(f"arrived world pair {500 + i} 100000 rendezvous" for i in (*at_once, *later)), "rest",
        *(f"give world pair {100 + i} 64; take world pair {500 + i} 100000" for i in pending), "told_finish")


# What one rank does not reach: the call, what Open MPI's own messages are said to be for, and how many nonblocking
# collective operations it starts on its communicator; None: that is Open MPI's business.
COLLECTIVES = {
    "barrier": ("barrier steps", "MPI_Barrier", 0),
    "bcast": ("bcast steps 1 0", "MPI_Bcast", 0),
    "ibarrier": ("ibarrier steps 0 0 r; wait r", "non-blocking~collective", 1),
    "persistent": ("persistent_barrier steps", "non-blocking~collective", 1),
    "allreduce": ("checked_allreduce steps", "MPI_Allreduce", 0),
    # On a ring everybody is a neighbour of everybody if there are three.
    "neighbor": ("neighbor_allgather steps 1", "neighborhood~collective", 0),
    # The new communicator is not there before all have agreed on it, nor is it listed.
    "dup": ("dup _copy steps; comm_free _copy", "communicator~creation", None),
    "idup": ("idup copy steps; comm_free copy", "communicator~creation", None),
}


def collective(n_ranks, call):
    """
    A collective that one rank does not reach. Open MPI's own messages are no operations of the user's, but explain why
    the others hang; what the user has posted himself is there all the same.
    """
    step, text, n_started = COLLECTIVES[call]
    return lines(f"all: cart steps world {n_ranks}", *["ibarrier steps 0 0 r; wait r"] * 3,
                 "told_irecv steps any any 4 char m", "0: told_nonblocking steps 3; rest", f"1-{n_ranks - 1}: " + lines(
                     "" if n_started is None else f"told_nonblocking steps {3 + n_started}", f"told_internal steps {text}",
                     "announce 0"),
                 f"all: {step}; give steps next 12 4; told_finish; comm_free steps")


def connect(n_ranks):
    """
    Two halves of a job that find each other by a port: an intercommunicator that MPI_Comm_connect and MPI_Comm_accept
    made, and one merged of it, whose ranks begin with the second half.
    """
    half = n_ranks // 2
    return lines(*(f"{ranks}: split {name} world {upper}; connect_halves by~a~port {name} {upper}; "
                   f"merge both~halves by~a~port {1 - upper}"
                   for upper, (ranks, name) in enumerate(((f"0-{half - 1}", "lower"), (f"{half}-{n_ranks - 1}", "upper")))),
                 f"all: told_irecv by~a~port {half - 1} 9 16 byte a; told_irecv both~halves 0 9 16 byte b; rest",
                 "told_cancel a b; told_finish; comm_free both~halves; comm_disconnect by~a~port")


def spawn(n_ranks):
    """
    A second job, started by the first: its process has a rank in communicators that both share, and none in the first
    job's MPI_COMM_WORLD. Only the first job is listed.
    """
    other, both, ranks = "to~the~other~job", "both~jobs", range(n_ranks)
    return lines(f"all: spawn {other} 1; merge {both} {other}", *(f"child give {both} {rank} 6 16" for rank in ranks),
                 f"parent told_irecv {both} {n_ranks} 5 16 byte a; parent told_irecv {other} 0 5 16 byte b",
                 f"parent arrived {both} {n_ranks} 6 16; parent rest; child wait_only",
                 *(f"child give {both} {rank} 5 16; child give {other} {rank} 5 16" for rank in ranks),
                 f"parent told_finish; parent take {both} {n_ranks} 6 16; comm_free {both}; comm_free {other}")


def intercomm(n_ranks):
    """
    Operations between two groups: the communicator's size, rank and group are the own group's, every peer is a rank in
    the other one.
    """
    half, inter, parts = n_ranks // 2, "between~the~halves", []
    for rank in range(n_ranks):
        name, leader, other = ("lower", half, half - 1 - rank) if rank < half else ("upper", 0, n_ranks - 1 - rank)
        parts.append(lines(
            f"{rank}: split {name} world {rank < half:d}; intercomm {inter} {name} world {leader}",
            f"told_irecv {inter} {other} 10 16 byte a; told_irecv {inter} any 10 16 byte b; give {inter} {other} 11 16",
            f"told_isend {inter} {other} 12 150000 byte l; give {inter} {other} 13 16; arrived {inter} {other} 11 16",
            f"arrived {inter} {other} 12 150000 rendezvous; arrived {inter} {other} 13 16; rest",
            *[f"give {inter} {other} 10 16"] * 2, f"take {inter} {other} 11 16; take {inter} {other} 12 150000",
            f"take {inter} {other} 13 16; told_finish; comm_free {inter}; comm_free {name}"))
    return lines(*parts)


def internal(_, what):
    """
    Communicators that Open MPI makes for itself, beside a user's. Those are duplicates of the same parent without names,
    made before and after, and where those of a freed window were.
    """
    then = {
        "windows": lines("errors_return world; win_create _given world; win_allocate _own world; win_dynamic _none world",
                         "win_shared _shared world; win_free _given; dup _1 world; win_free _shared; dup _2 world",
                         "win_shared _shared world; win_create _given world; told_windows; rest; barrier world",
                         "win_free _given; win_free _own; win_free _none; win_free _shared"),
        "file": lines("file_open f world; file_close f; dup _1 world; file_open f world; dup _2 world",
                      "told_made a~file 1; rest; barrier world; file_close f"),
        # On several nodes coll/han, in use since 5.0, has four communicators for each one on which there was a collective
        # operation, and two more for some operations.
        "collectives": "allreduce world 1; bcast _0 1 0; dup _1 world; barrier _0; dup _2 world; "
                       "told_made collectives -1; rest; barrier world",
        # Rank 1 waits for all partitions, of which rank 0 does not make the last ready; whoever makes MPI progress.
        "partitioned": "partitioned p pair 12 4 25000; dup _1 world; dup _2 world; "
                       "0: told_made partitioned~communication 2 0; partitions_ready p 0 1 2; rest_progressing; "
                       "partitions_ready p 3; 1: told_made partitioned~communication 2 1; announce 0; all: wait p; free p",
    }[what]
    return f"all: dup _0 world; {then}; comm_free _0; comm_free _1; comm_free _2"


def sessions(n_ranks):
    """
    Communicators made from a group of a session (5.0 and later), which have no parent: each process has its own number
    for them, what is the same on all is an id that Open MPI gets elsewhere. And what comes of them: a duplicate and parts.
    """
    parts, everybody = [], list(range(n_ranks))
    for rank in everybody:
        name = ("even~part", "odd~part")[rank % 2]
        groups = {"from~a~group": everybody, "its~duplicate": everybody, name: everybody[rank % 2::2][::-1]}
        parts.append(lines(
            # The ranks have different numbers of communicators already, so that the slots differ.
            f"{rank}: " + lines(*["dup _own self"] * rank, "from_group from~a~group", "dup its~duplicate from~a~group",
                                f"split {name} from~a~group {rank % 2} {-rank}")))
        sides = [(comm, group[group.index(rank) - 1], group[(group.index(rank) + 1) % len(group)])
                 for comm, group in groups.items()]
        sides = [(comm, *(groups[comm].index(other) for other in others)) for comm, *others in sides]
        for i, (comm, _, right) in enumerate(sides):
            parts.append(f"told_irecv {comm} any 5 24 byte a{i}; give {comm} {right} 6 24; "
                         f"told_isend {comm} {right} 7 {LARGE} byte l{i}")
        parts += [f"arrived {comm} {left} 6 24; arrived {comm} {left} 7 {LARGE} rendezvous" for comm, left, _ in sides]
        parts += ["rest", *(f"give {comm} {right} 5 24; take {comm} any 6 24 {left}; take {comm} any 7 {LARGE} {left}"
                            for comm, left, right in sides),
                  "told_finish", *(f"comm_free {comm}" for comm, _, _ in sides), "session_finalize"]
    return lines(*parts)


def cm(n_ranks):
    """
    Operations of every kind of request that the PML cm has: thin and heavy ones, sends and receives, pending, complete
    and cancelled. Synchronous sends that nobody receives stay pending on one communicator, receives on a second one. On
    a third one messages arrive. One type begins some bytes behind the buffer, one has gaps.
    """
    receives = ("0 21 5 int", f"{n_ranks - 1} 22 2 behind", "any 23 3 apart", "1 any 0 byte", "any any 7 char", "1 0 1 int",
                "0 0 1 int")
    sent = (("11 5 int", 20), ("12 2 behind", 48), ("13 3 apart", 48), ("14 0 byte", 0), ("0 7 char", 7))
    return lines("all: type_at behind 6 40; type_vector apart 4 2 5 short; dup sending world",
                 *(f"{rank}: split receiving world 0 {n_ranks - rank}" for rank in range(n_ranks)),
                 "all: dup arriving world", *(f"told_irecv receiving {how} r{i}" for i, how in enumerate(receives)),
                 "told_recv_init receiving 1 24 9 double r7; told_start r7",
                 "told_recv_init receiving any any 9 double r8; told_start r8",
                 # A receive that has its message, and one that was cancelled; both are not waited for yet.
                 "told_irecv arriving prev 31 10 int ended prev 31 24 complete; give arriving next 31 24; told_await ended",
                 "told_irecv arriving prev 32 10 int gone complete cancelled; told_await gone; barrier world",
                 *(f"told_issend sending next {how} s{i}" for i, (how, _) in enumerate(sent)),
                 "told_ssend_init sending next 15 20 double s5; told_start s5",
                 "told_isend sending next 16 8 int s6 complete; rest; told_cancel r0 r1 r2 r3 r4 r5 r6 r7 r8",
                 *(f"take sending prev {how.split()[0]} {n}" for how, n in (*sent, ("15", 160), ("16", 32))),
                 "told_finish; comm_free sending; comm_free receiving; comm_free arriving")


PROGRAMS = (arrival, blocked, cm, collective, communicators, complete, connect, deadlock, freed, intercomm, internal, mixed,
            persistent, random_, receives, recycled, rendezvous, sends, sessions, spawn, threads, unexpected)
BY_NAME = {program.__name__.rstrip("_"): program for program in PROGRAMS}
