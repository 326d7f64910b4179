#!/usr/bin/env python3
"""Real jobs with windows that hang, or do not, and what mqdump says of their locks and epochs.

The windows are made in each way that Open MPI has a component for. Each job is looked at as verdicts.py does it, and so
are the cores of all ranks. Right programs are looked at many times while they take locks and open epochs in turn:
nothing certain may be found.

Exit status: 0 if all cases passed, 1 if one failed, 77 if there is no Open MPI to test with.
"""

import dataclasses
import os
import sys

import core_files
import job
import run
import verdicts
from verdicts import CERTAIN, POSSIBLE, Case, Finding

LOOKS = 12

HELD = r"waits in MPI_Win_lock .* for a shared lock of the window heights at rank 1, where rank 0 has an exclusive one"
TAKEN = r"waits in MPI_Win_lock .* for an exclusive lock of the window heights at rank 1, where rank 0 has an exclusive"
PERHAPS = r"waits in MPI_Win_lock .* for a lock of the window heights; rank 0 has an exclusive one at rank 1"
POST = r"Rank 0 waits in MPI_Win_start .* for rank 1 to call MPI_Win_post on the window heights"
COMPLETE = r"Rank 1 waits in MPI_Win_wait .* for rank 0 to call MPI_Win_complete on the window heights"


def window_case(name, findings, **others):
    """
    A job of two ranks: what they do, how the window is made and, if it is asked for, the component: as in the name.
    Calls on windows are not counted: cores do not prove to be of one moment.
    """
    possible = tuple(dataclasses.replace(finding, certainty=POSSIBLE) for finding in findings)
    return Case(name, findings, ranks=2, cores=possible, **others)


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
RIGHT = ("shared", "create", "create-pt2pt", "create-ucx")

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
# Without this osc/ucx wants a network that it knows.
ANY_DEVICE = {"opal_common_ucx_tls": "any", "opal_common_ucx_devices": "any"}


def has(installation, name, transport=run.SHM):
    """Has that release the component over this transport?"""
    has_pt2pt = int(installation.version.split(".", maxsplit=1)[0]) <= PT2PT_UNTIL
    return has_pt2pt if name.endswith("pt2pt") else transport != run.TCP or not has_pt2pt


class Jobs(verdicts.Jobs):
    """Those of prog_window."""

    def start(self, name, program_case, ranks, transport=run.SHM, threads=False, options=()):
        _, how, *components = name.split("-")
        settings = {"osc": components[0], **(ANY_DEVICE if components[0] == "ucx" else {})} if components else {}
        return job.Job(os.path.join(self.scratch, name), [self.program, program_case, how], ranks, transport, settings,
                       installation=self.mqdump.installation)

    def run_without_shared(self, name, shown):
        """
        What the processes share is not in their cores (coredump_filter): what each has of its own is told, and the rest
        is not known.
        """
        case = next(case for case in CASES if case.name == name)
        with self.start(f"filtered_{name}", case.program_case, 2) as running:
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
        if text.count(NOT_SHOWN) != 2 or shown not in text:
            raise run.Failure(f"'{shown}' and twice '{NOT_SHOWN}' are not in: {text}")

    def run_right(self, how):
        """The job ends well after the looks: it has not stopped for another reason."""
        with self.start(f"right-{how}", "right", 2) as running:
            running.await_ranks(self.program)
            for _ in range(LOOKS):
                document = self.document(["--job", running.process.pid])
                certain = [finding for finding in document["findings"] if finding["certainty"] == CERTAIN]
                if certain:
                    raise run.Failure(f"found in a right program: {certain}")
            if error := running.release():
                raise run.Failure(error)


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = os.path.join(scratch, "prog_window")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "prog_window.c")], program, builder)
    jobs = Jobs(mqdump, program, scratch)
    found = [(case.name, lambda case=case: jobs.run_case(case)) for case in CASES
             if has(mqdump.installation, case.name, case.transport)]
    found += [(f"{name}, cores without shared memory",
               lambda name=name, shown=shown: jobs.run_without_shared(name, shown))
              for name, shown in WITHOUT_SHARED.items()]
    return found + [(f"right-{how}", lambda how=how: jobs.run_right(how)) for how in RIGHT
                    if has(mqdump.installation, how)]


test = run.suite("windows", labelled)
argument_parser = verdicts.argument_parser

if __name__ == "__main__":
    sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
