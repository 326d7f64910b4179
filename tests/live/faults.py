"""Makes wrong programs for prog_script: right ones with one fault, and what has to be found out about it.

Each fault is a function that takes a builder and adds the operation that goes wrong.
"""
import dataclasses
import random
import signal

import script
from generator import Builder, CART, COPY, WORLD
from script import LARGE_INTS

SEED = 1 << 21

# By names of findings in JSON.
NO_MESSAGE = ("receive_without_send", "process_finalized", "deadlock")
NO_RECEIVER = ("send_without_receive", "process_finalized", "deadlock")
NOT_TOGETHER = ("collective_incomplete", "process_finalized", "collectives_differ", "roots_differ",
                "collective_communicators_differ")
OTHER_COMMUNICATOR = ("collective_communicators_differ", "collectives_differ", "collective_incomplete")


@dataclasses.dataclass(frozen=True)
class Fault:
    """
    A fault, and what has to be found. The finding is one of `findings`, has one of the victims among the ranks that are
    stuck, if there are any, and names one of the guilty as a cause, or among those who wait for each other.
    """
    kind: str
    guilty: tuple
    findings: tuple
    victims: tuple = ()
    operation: int = -1
    says: str = ""          # in the sentence or the details, as a regular expression
    anywhere: bool = False  # guilty and victims need only be named, in whatever part
    beyond: tuple = ()      # findings that are as good once the guilty have come past the operation
    signal: int = 0         # sent to the guilty once nobody gets on
    resolves: bool = False  # nobody is stuck for ever: others wait for ranks that may still go on
    holders: tuple = ()     # `beyond` counts only if these are in MPI_Finalize: then nobody sees what they have


ANY_SEND = ("send", "ssend", "isend", "issend", "bsend")
LATE_SEND = ("ssend", "issend", "send_init", "isend")
ANY_RECEIVE = ("recv", "irecv", "recv_init", "probe", "mprobe")
TOGETHER = ("barrier", "allreduce", "allgather", "alltoall")    # nobody leaves before all have come


def one_message(builder, at_least=2):
    """A communicator, its part, two ranks of it, a tag that nothing else has, and a size."""
    number, part = builder.group(at_least)
    sender, receiver = builder.random.sample(part, 2)
    return number, part, sender, receiver, builder.unique_tag(), builder.count()


def end_message(builder, ranks):
    """Who has started something waits for it, now or later."""
    if builder.random.random() < 0.6:
        builder.finish(ranks)


def wrong_tag(builder):
    number, part, sender, receiver, tag, count = one_message(builder)
    builder.send(sender, part, number, receiver, tag, count, ANY_SEND)
    builder.receive(receiver, part, number, sender, tag + 1, count, ANY_RECEIVE)
    end_message(builder, (receiver,))
    return Fault("", (sender,), ("tag_mismatch",), (receiver,), anywhere=True)


def wrong_source(builder):
    number, part, sender, receiver, tag, count = one_message(builder, 3)
    other = builder.random.choice([rank for rank in part if rank not in (sender, receiver)])
    builder.send(sender, part, number, receiver, tag, count, ANY_SEND)
    builder.receive(receiver, part, number, other, tag, count, ANY_RECEIVE)
    end_message(builder, (receiver,))
    return Fault("", (sender, other), ("source_mismatch",), (receiver,))


def wrong_destination(builder):
    number, part, sender, receiver, tag, count = one_message(builder, 3)
    other = builder.random.choice([rank for rank in part if rank not in (sender, receiver)])
    builder.send(sender, part, number, other, tag, count, ANY_SEND)
    builder.receive(receiver, part, number, sender, tag, count, ANY_RECEIVE)
    end_message(builder, (receiver,))
    return Fault("", (sender,), ("destination_mismatch",), (receiver,), beyond=("process_finalized",),
                 holders=(other,))


def wrong_communicator(builder):
    _, part, sender, receiver, tag, count = one_message(builder)
    sender, receiver = builder.random.sample(builder.ranks, 2)
    part = tuple(builder.ranks)
    numbers = builder.random.sample((WORLD, COPY), 2)
    builder.send(sender, part, numbers[0], receiver, tag, count, ANY_SEND)
    builder.receive(receiver, part, numbers[1], sender, tag, count, ANY_RECEIVE)
    end_message(builder, (receiver,))
    return Fault("", (sender,), ("communicator_mismatch",), (receiver,), anywhere=True)


def missing_send(builder):
    number, part, sender, receiver, tag, count = one_message(builder)
    builder.receive(receiver, part, number, sender, tag, count, ANY_RECEIVE)
    end_message(builder, (receiver,))
    return Fault("", (sender,), NO_MESSAGE, (receiver,))


def missing_receive(builder):
    number, part, sender, receiver, tag, _ = one_message(builder)
    builder.send(sender, part, number, receiver, tag, LARGE_INTS, LATE_SEND)
    end_message(builder, (sender,))
    return Fault("", (receiver,), NO_RECEIVER, (sender,))


def unmatched_request(builder):
    """One of several requests is never matched; it is polled for, or waited for together with others."""
    number, part, sender, receiver, tag, count = one_message(builder)
    builder.finish((receiver,))
    slots = [builder.slot(receiver) for _ in range(3)]
    builder.open = builder.open[:-3]
    for slot in slots[:2]:
        builder.add(receiver, "irecv", number, part.index(sender), 7, count, slot)
        builder.send(sender, part, number, receiver, 7, count, ("isend",))
    builder.add(receiver, "irecv", number, part.index(sender), tag, count, slots[2])
    builder.add(receiver, builder.random.choice(script.LONG_WAITS), *builder.random.sample(slots, 3))
    builder.finish((sender,))
    return Fault("", (sender,), NO_MESSAGE, (receiver,))


def receive_ring(builder):
    number, part = builder.group()
    ring = builder.random.sample(part, builder.random.randint(2, len(part)))
    tag = builder.unique_tag()
    for here, rank in enumerate(ring):
        builder.receive(rank, part, number, ring[here - 1], tag, 1, ("recv", "probe", "mprobe"))
        builder.send(rank, part, number, ring[(here + 1) % len(ring)], tag, 1, ("send",))
    return Fault("", tuple(ring), ("deadlock",), tuple(ring))


def send_ring(builder):
    number, part = builder.group()
    ring = builder.random.sample(part, builder.random.randint(2, len(part)))
    tag = builder.unique_tag()
    for here, rank in enumerate(ring):
        builder.send(rank, part, number, ring[(here + 1) % len(ring)], tag, LARGE_INTS, ("send", "ssend"))
        builder.receive(rank, part, number, ring[here - 1], tag, LARGE_INTS, ("recv",))
    return Fault("", tuple(ring), ("deadlock",), tuple(ring))


def guilty_of(builder, name, part, root):
    """A rank without which others do not leave the operation."""
    if name.endswith(("bcast", "scatter")):
        return part[root]
    if name.endswith(("reduce", "gather")) and "all" not in name:
        return builder.random.choice([rank for rank in part if rank != part[root]])
    if name == "scan":
        return builder.random.choice(part[:-1])
    return builder.random.choice(part)


def skipped_collective(builder):
    number, part = builder.group()
    name, root = builder.random.choice(script.COLLECTIVES), builder.random.randrange(len(part))
    guilty = guilty_of(builder, name, part, root)
    builder.add_all([rank for rank in part if rank != guilty], name, number, 4, root)
    return Fault("", (guilty,), NOT_TOGETHER)


def skipped_nonblocking(builder):
    number, part = builder.group()
    name, root = builder.random.choice(script.NONBLOCKING), builder.random.randrange(len(part))
    guilty = guilty_of(builder, name, part, root)
    builder.finish(part)
    for rank in part:
        if rank != guilty:
            builder.add(rank, name, number, 4, root, builder.slot(rank))
    builder.finish(part)
    return Fault("", (guilty,), NOT_TOGETHER)


def skipped_neighbours(builder):
    guilty = builder.random.choice(builder.ranks)
    name = builder.random.choice(script.NEIGHBOURS + script.INEIGHBOURS)
    builder.finish()
    for rank in builder.ranks:
        if rank != guilty:
            builder.add(rank, name, CART, 2, 0, *([builder.slot(rank)] if name in script.INEIGHBOURS else []))
    builder.finish()
    return Fault("", (guilty,), NOT_TOGETHER)


def swapped_collectives(builder):
    number, part = builder.group()
    guilty = builder.random.choice(part)
    names = builder.random.sample(TOGETHER, 2)
    for rank in part:
        for name in reversed(names) if rank == guilty else names:
            builder.add(rank, name, number, 4, 0)
    return Fault("", (guilty,), ("collectives_differ",))


def swapped_communicators(builder):
    part = tuple(builder.ranks)
    guilty = builder.random.choice(part)
    order = builder.random.sample((WORLD, COPY), 2)
    name = builder.random.choice(TOGETHER)
    for rank in part:
        for number in reversed(order) if rank == guilty else order:
            builder.add(rank, name, number, 4, 0)
    return Fault("", (guilty,), (*OTHER_COMMUNICATOR, "deadlock"))


def other_root(builder):
    number, part = builder.group()
    name = builder.random.choice(("gather", "reduce"))
    root, guilty = builder.random.sample(range(len(part)), 2)
    other = builder.random.choice([here for here in range(len(part)) if here != root])
    for here, rank in enumerate(part):
        builder.add(rank, name, number, 4, other if here == guilty else root)
    return Fault("", (part[guilty],), ("roots_differ", "collectives_differ"), beyond=NOT_TOGETHER)


def other_communicator(builder):
    part = tuple(builder.ranks)
    guilty = builder.random.choice(part)
    numbers = builder.random.sample((WORLD, COPY), 2)
    name = builder.random.choice(TOGETHER)
    for rank in part:
        builder.add(rank, name, numbers[rank == guilty], 4, 0)
    return Fault("", (guilty,), OTHER_COMMUNICATOR)


def different_collective(builder):
    number, part = builder.group()
    guilty = builder.random.choice(part)
    names = builder.random.sample(TOGETHER, 2)
    for rank in part:
        builder.add(rank, names[rank == guilty], number, 4, 0)
    return Fault("", (guilty,), ("collectives_differ",))


def different_nonblocking(builder):
    """The guilty rank waits for the root to send, and the root for it."""
    number, part = builder.group()
    root, guilty = builder.random.sample(range(len(part)), 2)
    name = builder.random.choice(("igather", "ireduce"))
    builder.finish(part)
    for here, rank in enumerate(part):
        builder.add(rank, "ibcast" if here == guilty else name, number, 4, root, builder.slot(rank))
    builder.finish(part)
    return Fault("", (part[guilty],), ("collectives_differ",), beyond=NOT_TOGETHER)


def early_finalize(builder):
    guilty = builder.random.choice(builder.ranks)
    builder.finish((guilty,))
    builder.add(guilty, "finalize")
    group = WORLD, tuple(builder.ranks)
    builder.collective(TOGETHER, group)
    return Fault("", (guilty,), ("process_finalized", "collective_incomplete"))


def stays_away(builder, name):
    guilty = builder.random.choice(builder.ranks)
    builder.finish((guilty,))
    builder.add(guilty, name)
    others = [rank for rank in builder.ranks if rank != guilty]
    if builder.random.random() < 0.5:
        waiting = builder.random.choice(others)
        builder.receive(waiting, tuple(builder.ranks), WORLD, guilty, 5, 1, ("recv", "probe"))
        builder.add(guilty, "send", WORLD, waiting, 5, 1)
    builder.collective(TOGETHER, (WORLD, tuple(builder.ranks)))
    return guilty


def killed(builder):
    return Fault("", (stays_away(builder, "asleep"),), ("process_ended",), signal=signal.SIGKILL)


def endless(builder):
    return Fault("", (stays_away(builder, "endless"),), ("waits_for_busy",), resolves=True)


def stopped(builder):
    guilty = stays_away(builder, builder.random.choice(("asleep", "endless")))
    return Fault("", (guilty,), ("process_stopped",), signal=signal.SIGSTOP, resolves=True)


def truncated(builder):
    """The error is returned, and nobody looks; then a message is missing."""
    number, part, sender, receiver, tag, _ = one_message(builder)
    builder.finish()
    builder.add_all(part, "errors_return", number)
    slot = builder.slot(receiver)
    builder.add(receiver, "irecv", number, part.index(sender), tag, 5, slot)
    builder.add_all(part, "barrier", number, 0, 0)
    builder.add(sender, "send", number, part.index(receiver), tag, 10)
    builder.add(receiver, "recv", number, part.index(sender), tag + 1, 5)
    builder.collective(TOGETHER, (number, part))
    return Fault("", (sender,), ("truncated",), (receiver,))


def lock_held(builder):
    """One locks and does not unlock; another wants the lock, and the first one a message from it."""
    builder.finish()
    window, number, part = builder.window()
    holder, waiting = builder.random.sample(part, 2)
    target = builder.random.randrange(len(part))
    builder.add(holder, "win_lock", window, target)
    builder.add(holder, "win_put", window, target)
    builder.add_all(part, "barrier", number, 0, 0)
    for name in ("win_lock", "win_put", "win_unlock"):
        builder.add(waiting, name, window, target)
    builder.add(holder, "recv", number, part.index(waiting), 5, 1)
    builder.add(waiting, "send", number, part.index(holder), 5, 1)
    builder.add(holder, "win_unlock", window, target)
    builder.add_all(part, "win_free", window)
    return in_window((holder,), (waiting,), "a lock")


# A rank that waits for another one's call on a window may be in a circle, or hold up the others.
def in_window(guilty, victims, says):
    return Fault("", guilty, ("deadlock", "process_finalized", "collective_incomplete", "receive_without_send",
                              "send_without_receive"), victims, says=f"waits? in MPI_Win_.*{says}", anywhere=True)


def epoch_without(builder, name):
    """A rank leaves out a part of what opens and closes epochs."""
    builder.finish()
    window, _, part = builder.window()
    target, origin = builder.random.sample(range(len(part)), 2)
    guilty, victim = (part[target], part[origin]) if name == "win_post" else (part[origin], part[target])
    left_out = {"win_post": ("win_post", "win_wait"), "win_start": ("win_start", "win_put", "win_complete"),
                "win_complete": ("win_complete",)}[name]
    builder.post_and_start(window, part, target, [(guilty, step) for step in left_out])
    # Others than the victim may wait for the target's memory, too.
    victims = [rank for rank in part if rank != guilty] if name == "win_post" else [victim]
    return in_window((guilty,), tuple(victims), {"win_start": "MPI_Win_complete"}.get(name, f"MPI_W{name[1:]}"))


def missing_start(builder):
    return epoch_without(builder, "win_start")


def missing_post(builder):
    return epoch_without(builder, "win_post")


def missing_complete(builder):
    return epoch_without(builder, "win_complete")


def skipped_fence(builder):
    builder.finish()
    window, _, part = builder.window()
    guilty = builder.random.choice(part)
    for name, args in (("win_fence", ()), ("win_put", (0,)), ("win_fence", ())):
        builder.add_all(part if name == "win_put" else [rank for rank in part if rank != guilty], name, window, *args)
        if name == "win_put":
            builder.program.steps[guilty].pop()
    return Fault("", (guilty,), NOT_TOGETHER)


def skipped_window(builder):
    """One does not take part in the creation of a window, or does not free it."""
    builder.finish()
    if builder.random.random() < 0.5:
        window, _, part = builder.window()
        guilty = builder.random.choice(part)
        builder.add_all([rank for rank in part if rank != guilty], "win_free", window)
    else:
        number = builder.random.choice((WORLD, COPY))
        window, guilty = builder.object(), builder.random.choice(builder.ranks)
        builder.program.windows[window] = number
        builder.add_all([rank for rank in builder.ranks if rank != guilty],
                        builder.random.choice(script.MAKING_WINDOW), window, number)
    return Fault("", (guilty,), NOT_TOGETHER)


def skipped_file(builder):
    """One leaves out a collective operation on a file."""
    builder.finish()
    number, part = builder.group(2, (WORLD, COPY))
    guilty = builder.random.choice(part)
    skipped = builder.random.choice(("file_open", "file_close"))
    file = builder.object()
    builder.program.files[file] = number
    others = [rank for rank in part if rank != guilty]
    builder.add_all(others if skipped == "file_open" else part, "file_open", file, number)
    if skipped == "file_close":
        builder.add_all(part, "file_write", file)
        builder.add_all(others, "file_close", file)
    return Fault("", (guilty,), NOT_TOGETHER)


FAULTS = (wrong_tag, wrong_source, wrong_destination, wrong_communicator, missing_send, missing_receive,
          unmatched_request, receive_ring, send_ring, skipped_collective, skipped_nonblocking, skipped_neighbours,
          swapped_collectives, swapped_communicators, other_root, other_communicator, different_collective,
          different_nonblocking, early_finalize, killed, endless, stopped, truncated, lock_held, missing_start,
          missing_post, missing_complete, skipped_fence, skipped_window, skipped_file)


def wrong(number):
    """A program with one fault among right operations, and the fault."""
    make = FAULTS[number % len(FAULTS)]
    randomness = random.Random(SEED + number)
    builder = Builder(randomness, randomness.randint(3 if make in (wrong_source, wrong_destination) else 2, 6),
                      (0.2, 1, 50))
    builder.make_communicators()
    for _ in range(randomness.randint(0, 6)):
        builder.anything()
    builder.begin()
    operation = builder.operation
    fault = dataclasses.replace(make(builder), kind=make.__name__, operation=operation)
    builder.wild = False    # such a receive would take a message that is too many
    for _ in range(randomness.randint(0, 6)):
        builder.anything()
    builder.finish()
    return builder.program, fault
