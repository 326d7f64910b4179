#!/usr/bin/env python3
"""Real jobs with windows that hang, or do not, and what mqdump says of their locks and epochs.

The windows are made in each way that Open MPI has a component for. Each job is looked at as verdicts.py does it, and so
are the cores of all ranks. Right programs are looked at many times while they take locks and open epochs in turn:
nothing certain may be found.
"""

import dataclasses
import os
import random

import core_files
import run
import verdicts
from verdicts import CERTAIN, POSSIBLE, Case, Finding
from cases import expect

LOOKS = 12

HELD = r"waits in MPI_Win_lock .* for a shared lock of the window heights at rank 1, where rank 0 has an exclusive one"
TAKEN = r"waits in MPI_Win_lock .* for an exclusive lock of the window heights at rank 1, where rank 0 has an exclusive"
PERHAPS = r"waits in MPI_Win_lock .* for a lock of the window heights; rank 0 has an exclusive one at rank 1"
POST = r"Rank 0 waits in MPI_Win_start .* for rank 1 to call MPI_Win_post on the window heights"
COMPLETE = r"Rank 1 waits in MPI_Win_wait .* for rank 0 to call MPI_Win_complete on the window heights"


# Without this osc/ucx wants a network that it knows.
ANY_DEVICE = {"opal_common_ucx_tls": "any", "opal_common_ucx_devices": "any"}

# How the window is made.
HOW = {"create": "win_create", "allocate": "win_allocate", "shared": "win_shared"}
SCRIPTS = {
    # Rank 0 keeps a lock and waits for a message of rank 1, which wants one.
    "lock": "0: win_lock heights 1; send world 1 1; recv world 1 1; win_unlock heights 1; "
            "1: recv world 0 1; win_lock_shared heights 1; send world 0 1; win_unlock heights 1",
    # Rank 0 keeps a lock and waits in a barrier for rank 1, which wants one.
    "barrier": "0: win_lock heights 1; send world 1 1; barrier world; win_unlock heights 1; "
               "1: recv world 0 1; win_lock_shared heights 1; win_unlock heights 1; barrier world",
    # Rank 0 starts an access to rank 1, which waits for a message of rank 0.
    "start": "0: win_start heights 1; send world 1 1; win_complete heights; "
             "1: recv world 0 1; win_post heights 0; win_wait heights",
    # Rank 1 waits for rank 0 to complete, which waits for a message of rank 1.
    "wait": "0: win_start heights 1; recv world 1 1; win_complete heights; "
            "1: win_post heights 0; win_wait heights; send world 0 1",
    # Nobody posts.
    "twice": "all: win_start heights pair; win_complete heights",
    # Rank 0 keeps a lock and computes.
    "busy": "0: win_lock heights 1; send world 1 1; endless; 1: recv world 0 1; win_lock heights 1; win_unlock heights 1",
    # Rank 0 writes to rank 1, which computes and is not in MPI any more, and gives its lock back.
    "unlock": "1: send world 0 1; endless; 0: recv world 1 1; sleep 1000; win_lock heights 1; win_put heights 1 32; "
              "win_unlock heights 1; recv world 1 1",
    "flush": "1: send world 0 1; endless; 0: recv world 1 1; sleep 1000; win_lock heights 1; win_put heights 1 32; "
             "win_flush heights 1; win_unlock heights 1; recv world 1 1",
    # Rank 0 starts and completes an access to rank 1, which waits for a message that comes after that.
    "complete": "0: win_start heights 1; win_complete heights; send world 1 1; "
                "1: recv world 0 1; win_post heights 0; win_wait heights",
}


def script_of(how, steps):
    return f"all: {HOW[how]} heights world; {steps}; all: win_free heights"


def component(name):
    """The settings that choose what a name asks for, if it does."""
    chosen = name.split("-")[2:]
    return {"osc": chosen[0], **(ANY_DEVICE if chosen[0] == "ucx" else {})} if chosen else {}


def window_case(name, findings, **others):
    """
    A job of two ranks: what they do, how the window is made and, if it is asked for, the component: as in the name.
    Calls on windows are not counted: cores do not prove to be of one moment.
    """
    possible = tuple(dataclasses.replace(finding, certainty=POSSIBLE) for finding in findings)
    what, how = name.split("-")[:2]
    return Case(name, findings, ranks=2, cores=possible, script=script_of(how, SCRIPTS[what]), mca=component(name),
                **others)


def right(how):
    """Epochs and locks of all kinds in turn, with pauses, until the test has seen enough."""
    chance = random.Random(1)
    pause = lambda: f"sleep {chance.randrange(40)}"
    steps = ["all: mark"]
    for _ in range(8):
        post, start = "win_post heights pair; win_wait heights", "win_start heights pair"
        steps += [f"0: {pause()}; {post}; {pause()}; {start}; win_complete heights",
                  f"1: {pause()}; {start}; {pause()}; win_complete heights; {post}"]
        for rank in (0, 1):
            for i in range(5):
                target = chance.randrange(2)
                steps.append(f"{rank}: {('win_lock', 'win_lock_shared')[i % 2]} heights {target}; {pause()}; "
                             f"win_unlock heights {target}")
    return script_of(how, "; ".join([*steps, "all: again world"]))


def absent(function):
    """The rank to whose memory another has access is outside of MPI."""
    return busy(rf"Rank 0 waits in {function} .* for rank 1 to be in MPI, which calls on the window heights may need",
                (0,), (1,))


def unknown(function, component):
    """What is said of the rank whose wait cannot be told."""
    return rf"Rank \d is in {function} .*which waits for what is not known: osc/{component} keeps the epochs and locks"


def deadlock(says, certainty=CERTAIN, evidence=True):
    return (Finding("deadlock", (0, 1), (), certainty, says, evidence),)


def busy(says, ranks=(1,), causes=(0,)):
    return (Finding("waits_for_busy", ranks, causes, POSSIBLE, says, False),)


# Which lock a rank waits for, osc/rdma does not tell. That ranks have made no calls on windows, nothing shows.
CASES = [
    window_case("lock-shared", deadlock(HELD)),
    window_case("lock-create", deadlock(PERHAPS, POSSIBLE)),
    window_case("barrier-shared", deadlock(HELD)),
    window_case("barrier-create", deadlock(PERHAPS, POSSIBLE)),
    window_case("start-shared", deadlock(POST)),
    window_case("start-create", deadlock(POST)),
    window_case("start-allocate-rdma", deadlock(POST)),
    window_case("wait-shared", deadlock(COMPLETE)),
    window_case("wait-create", deadlock(COMPLETE)),
    window_case("wait-allocate-sm", deadlock(COMPLETE)),
    window_case("twice-create", deadlock(POST, POSSIBLE, False)),
    window_case("busy-shared", busy(TAKEN)),
    window_case("busy-create", busy(PERHAPS)),
    window_case("lock-create-ucx", busy("Rank 1 is in MPI_Win_lock", (0,), (1,)),
                notes=unknown("MPI_Win_lock", "ucx")),
    window_case("start-create-ucx", busy("Rank 0 is in MPI_Win_start"), notes=unknown("MPI_Win_start", "ucx")),
    window_case("unlock-create-ucx", absent("MPI_Win_lock")),
    window_case("complete-create-pt2pt", busy("Rank 0 is in MPI_Win_complete"),
                notes=unknown("MPI_Win_complete", "pt2pt")),
    window_case("unlock-create-pt2pt", absent("MPI_Win_unlock")),
    window_case("flush-create-pt2pt", absent("MPI_Win_flush")),
    window_case("unlock-create-rdma", absent("MPI_Win_unlock"), transport=run.TCP),
    window_case("flush-create-rdma", absent("MPI_Win_flush"), transport=run.TCP),
]
RIGHT = ("right-shared", "right-create", "right-create-pt2pt", "right-create-ucx")

# Cores with memory that processes share left out of them, and what is shown of the ranks all the same.
ANONYMOUS_PRIVATE = "0x11"
WITHOUT_SHARED = {
    "lock-shared": "has asked for an exclusive lock at rank 1",
    "wait-shared": "how many of them called MPI_Win_complete is not known",
    "wait-create": "access epoch (MPI_Win_start) to rank 1",
}
NOT_SHOWN = "who holds its own memory locked is not known: the memory that the processes share cannot be read"

# Open MPI 5 has no osc/pt2pt, and osc/rdma over TCP.
PT2PT_UNTIL = 4


def has(installation, name, transport=run.SHM):
    """Has that release the component over this transport?"""
    has_pt2pt = int(installation.version.split(".", maxsplit=1)[0]) <= PT2PT_UNTIL
    return has_pt2pt if name.endswith("pt2pt") else transport != run.TCP or not has_pt2pt


class Jobs(verdicts.Jobs):
    """Those with windows."""

    def run_without_shared(self, name, shown):
        """
        What the processes share is not in their cores (coredump_filter): what each has of its own is told, and the rest
        is not known.
        """
        case = next(case for case in CASES if case.name == name)
        with self.start(f"filtered_{name}", case.script, 2) as running:
            pids = running.await_ranks(self.program)
            self.await_document(case, pids)
            for pid in pids:
                with open(f"/proc/{pid}/coredump_filter", "w", encoding="ascii") as file:
                    file.write(ANONYMOUS_PRIVATE)
            document, paths = self.check_cores(case, running, pids)
            text = " ".join(self.mqdump.run(verdicts.cores(paths, *self.options_of_ended())).stdout.split())
            core_files.remove(paths)
        for process in document["processes"]:
            state = process["windows"][0]
            if any(state[field] is not None for field in ("locked_exclusively", "shared_locks", "completed")):
                raise run.Failure(f"the core has no shared memory, and mqdump tells of it: {state}")
        expect(text.count(NOT_SHOWN) == 2 and shown in text, f"'{shown}' and twice '{NOT_SHOWN}' are not in: {text}")

    def run_pending(self):
        """osc/rdma counts what is not complete under each lock: that tells for which rank MPI_Win_flush waits."""
        case = next(case for case in CASES if case.name == "flush-create-rdma")
        with self.start("pending", case.script, 2, mca=case.mca, transport=case.transport) as running:
            document = self.await_document(case, running.await_ranks(self.program))
            peers = [peer for process in document["processes"] for peer in process["windows"][0]["peers"]]
            expect(peers == [{"rank": 1, "role": "exclusive", "held": True, "pending": 1}], f"peers: {peers}")

    def run_right(self, name):
        """The job ends well after the looks: it has not stopped for another reason."""
        how = name.split("-")[1]
        with self.start(name, right(how), 2, mca=component(name)) as running:
            running.await_ranks(self.program)
            for _ in range(LOOKS):
                document = self.document(["--job", running.process.pid])
                certain = [finding for finding in document["findings"] if finding["certainty"] == CERTAIN]
                expect(not certain, f"found in a right program: {certain}")
            running.release()


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    jobs = Jobs(mqdump, run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder), scratch)
    found = [(case.name, lambda case=case: jobs.run_case(case)) for case in CASES
             if has(mqdump.installation, case.name, case.transport)]
    found += [(f"{name}, cores without shared memory",
               lambda name=name, shown=shown: jobs.run_without_shared(name, shown))
              for name, shown in WITHOUT_SHARED.items()]
    if has(mqdump.installation, "flush-create-rdma", run.TCP):
        found.append(("pending", jobs.run_pending))
    return found + [(name, lambda name=name: jobs.run_right(name)) for name in RIGHT if has(mqdump.installation, name)]


test = run.suite("windows", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
