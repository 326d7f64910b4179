#!/usr/bin/env python3
"""Real jobs that hang in collective operations, and what mqdump says: who is in which one, who is missing, what differs.

Each case starts a job of prog_script and asks mqdump until it says what is expected, whole, as verdicts.py does; and
the same of the cores of all ranks. A job that does not hang is caught at many random moments, and nothing may be found.
"""

import run
import verdicts
from verdicts import ALL, POSSIBLE, Case, Finding

BARRIER = r"3 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 1 is missing"


def differ(says):
    return (Finding("collectives_differ", ALL, says=says),)


def roots(says):
    return (Finding("roots_differ", ALL, says=says),)


def communicators(says, certainty=verdicts.CERTAIN):
    return (Finding("collective_communicators_differ", ALL, certainty=certainty, says=says),)


def missing(says, ranks=(0, 1, 2), guilty=3, silent=0):
    """A rank that waits for what nobody sends, and those who wait for it in a collective operation."""
    return (Finding("receive_without_send", (guilty,), (silent,)),
            Finding("collective_incomplete", ranks, (guilty,), says=f"{says}; rank {guilty} is missing.*"
                    f"Rank {guilty} is in MPI_Recv"))


def elsewhere(name, function, place, step, before=""):
    """Rank 3 waits for what nobody sends in place of this step. Steps before it are done by all."""
    return Case(name, missing(rf"3 of 4 ranks are in {function} on {place}"),
                script=f"all: {before}; 3: recv world 0 9; all: {step}; barrier world")


def no_root(name, function):
    """The root, which finds another program for all, waits for what nobody sends."""
    return Case(name, missing(rf"3 of 4 ranks are in {function} on MPI_COMM_WORLD", (1, 2, 3), 0, 1),
                script=f"0: recv world 1 9; all: {name.removeprefix('comm_')} world")


def healthy():
    """Ranks that come and go, in all kinds of collectives, with pauses."""
    steps = ["all: dup other world; win_create halo world; mark"]
    for i in range(12):
        pauses = [f"{rank}: sleep {(rank * 7 + i * 13) % 11}" for rank in range(4)]
        steps += [f"all: bcast world 1000 {i % 4}", *pauses,
                  f"all: iallreduce other 100 0 r; barrier world; wait r; gather other 1 {i % 4}",
                  *(pauses if i % 3 == 0 else ()),
                  f"all: ibcast world 20000 {(i + 1) % 4} r; wait r; win_fence halo; reduce world 100 0"]
    return "; ".join([*steps, "again world"])


NEIGHBOUR_MISSING = (Finding("receive_without_send", (1,), (2,)),
                     Finding("collective_incomplete", (0, 2, 3), (1,), says="; rank 1 is missing"))
OURS = "all: dup ours world"
HALO = "win_create halo world"
SHARED = "file_open shared world"

CASES = [
    Case("igather_ibcast", differ("1 of 4 ranks is in .*nonblocking .*, 3 in MPI_Barrier on MPI_COMM_WORLD"),
         script="0: igather world 1 0 r; 1-3: ibcast world 1 1 r; all: wait r; barrier world"),
    Case("iallreduce_ibcast", differ("3 of 4 ranks are in .*nonblocking .*, 1 in MPI_Barrier on MPI_COMM_WORLD"),
         script="0,2: iallreduce world 100000 0 r; 1,3: ibcast world 100000 0 r; all: wait r; barrier world"),
    Case("ibarrier_barrier", differ("3 of 4 ranks are in MPI_Barrier, 1 in .*nonblocking .* on MPI_COMM_WORLD"),
         script="1: ibarrier world 0 0 r; wait r; 0,2,3: barrier world"),
    # Each rank takes another one for the root, or two do: themselves.
    Case("roots_ibcast", differ("these, or their roots, differ"), script="all: ibcast world 100000 next r; wait r"),
    Case("roots_bcast", roots("in MPI_Bcast on MPI_COMM_WORLD: their roots or lengths differ.*0 -> 1 -> 2 -> 3 -> 0"),
         script="all: bcast world 100000 next"),
    Case("roots_gather", differ("3 of 4 ranks are in MPI_Gather, 1 in MPI_Barrier.*|took different ranks for the root"),
         script="3: gather world 1 3; 0-2: gather world 1 0; all: barrier world"),
    Case("communicators", communicators(rf"{BARRIER}.*1 of 4 ranks is in MPI_Barrier on ours; ranks 0,2,3 are missing"),
         script=f"{OURS}; 1: barrier ours; 0,2,3: barrier world"),
    Case("two_communicators", communicators("2 of 4 ranks are in MPI_Alltoall on MPI_COMM_WORLD; ranks 2,3 are missing.*"
                                            "2 of 4 ranks are in MPI_Barrier on ours; ranks 0,1 are missing"),
         script=f"{OURS}; 0,1: alltoall world 1; 2,3: barrier ours"),
    # A rank that has started more on MPI_COMM_WORLD may have another communicator with the number of "ours" by then.
    Case("icommunicators", communicators("on MPI_COMM_WORLD.* on ours"),
         cores=communicators("on MPI_COMM_WORLD.* on ours", POSSIBLE),
         script=f"{OURS}; 1: ibarrier ours 0 0 r; 0,2,3: ibarrier world 0 0 r; all: wait r"),
    elsewhere("fence", "MPI_Win_fence", "window halo", "win_fence halo", f"{HALO}; win_fence halo"),
    elsewhere("fence_shared", "MPI_Win_fence", "window halo", "win_fence halo", "win_allocate halo world; win_fence halo"),
    elsewhere("win_create", "MPI_Win_create", "MPI_COMM_WORLD", HALO),
    elsewhere("win_allocate", "MPI_Win_allocate", "MPI_COMM_WORLD", "win_allocate halo world"),
    elsewhere("win_free", "MPI_Win_free", "window halo", "win_free halo", HALO),
    elsewhere("file_open", "MPI_File_open", "MPI_COMM_WORLD", SHARED),
    elsewhere("file_view", "MPI_File_set_view", r"file .*file\d", "file_view shared", SHARED),
    elsewhere("file_write", "MPI_File_write_at_all", r"file .*file\d", "file_write shared", SHARED),
    elsewhere("file_close", "MPI_File_close", r"file .*file\d", "file_close shared", SHARED),
    elsewhere("comm_disconnect", "MPI_Comm_disconnect", "ours", "comm_disconnect ours", "dup ours world"),
    no_root("comm_spawn", "MPI_Comm_spawn"),
    no_root("comm_connect", "MPI_Comm_connect"),
    no_root("comm_accept", "MPI_Comm_accept"),
    # Rank 3 skips a broadcast, whose root has gone on.
    Case("skipped", differ("1 of 4 ranks is in MPI_Bcast, 3 in MPI_Barrier.*A message of MPI_Bcast from rank 0 has "
                           "arrived at rank 3, which has not taken it"),
         script="0-2: bcast world 100000 0; all: barrier world"),
    # Neighbours in a line: those of rank 1 miss it, and the others go on.
    Case("neighbours", NEIGHBOUR_MISSING, script="all: cart line world 4 1; 1: recv world 2 9; "
                                                 "all: neighbor_allgather line 1; barrier line"),
    Case("ineighbours", NEIGHBOUR_MISSING, script="all: cart line world 4 1; 1: recv world 2 9; "
                                                  "all: ineighbor_allgather line 1 0 r; wait r; barrier line"),
    Case("counted", (Finding("receive_without_send", (7,), (0,)),
                     Finding("collective_incomplete", (*range(7), *range(8, 16)), (7,),
                             says="15 of 16 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 7 is missing")), ranks=16,
         script="7: recv world 0 9; all: barrier world"),
    Case("counted_busy", (Finding("waits_for_busy", (0, 1, 2, 4, 5, 6, 7), (3,), POSSIBLE,
                                  "7 of 8 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 3 is missing"),), ranks=8,
         script="3: asleep; all: barrier world"),
    Case("one_cause", missing("2 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; ranks 2,3 are missing.*"
                              "1 of 2 ranks is in MPI_Alltoall on half"),
         script="0,1: split half world 0; 2,3: split half world 1; 3: recv world 0 9; all: alltoall half 1; "
                "barrier world"),
    Case("finalize", (Finding("process_finalized", (3,), (0,),
                              says="1 of 4 ranks is in MPI_Barrier on MPI_COMM_WORLD; ranks 0-2 are missing"),),
         status=1, cores=(Finding("process_finalized", (3,), (0,), POSSIBLE),), script="3: barrier world"),
    Case("finalize_busy",
         (Finding("waits_for_busy", (0, 1, 2), (3,), POSSIBLE, "Ranks 0-2 are in MPI_Finalize", False),), status=1,
         script="3: asleep"),
]


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    jobs = verdicts.scripted(arguments, mqdump, builder, scratch)
    seed, moments = verdicts.moments(arguments)
    return [*((case.name, lambda case=case: jobs.run_case(case)) for case in CASES),
            (f"healthy, {verdicts.LOOKS} times, seed {seed}",
             lambda: jobs.run_healthy("healthy", healthy(), moments))]


test = run.suite("collectives", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
