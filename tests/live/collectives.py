#!/usr/bin/env python3
"""Real jobs that hang in collective operations, and what mqdump says: who is in which one, who is missing, what differs.

Each case starts a job of prog_collectives and asks mqdump until it says what is expected, whole, as verdicts.py does; and
the same of the cores of all ranks. A job that does not hang is caught at many random moments, and nothing may be found.

Exit status: 0 if all cases passed, 1 if one failed, 77 if there is no Open MPI to test with.
"""

import os
import random
import sys

import job
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


def of(function, place):
    return rf"3 of 4 ranks are in {function} on {place}"


CASES = [
    Case("igather_ibcast", differ("1 of 4 ranks is in .*nonblocking .*, 3 in MPI_Barrier on MPI_COMM_WORLD")),
    Case("iallreduce_ibcast", differ("3 of 4 ranks are in .*nonblocking .*, 1 in MPI_Barrier on MPI_COMM_WORLD")),
    Case("ibarrier_barrier", differ("3 of 4 ranks are in MPI_Barrier, 1 in .*nonblocking .* on MPI_COMM_WORLD")),
    Case("roots_ibcast", differ("these, or their roots, differ")),
    Case("roots_bcast", roots("in MPI_Bcast on MPI_COMM_WORLD: their roots or lengths differ.*0 -> 1 -> 2 -> 3 -> 0")),
    Case("roots_gather", differ("3 of 4 ranks are in MPI_Gather, 1 in MPI_Barrier.*|took different ranks for the root")),
    Case("communicators", communicators(rf"{BARRIER}.*1 of 4 ranks is in MPI_Barrier on ours; ranks 0,2,3 are missing")),
    Case("two_communicators", communicators("2 of 4 ranks are in MPI_Alltoall on MPI_COMM_WORLD; ranks 2,3 are missing.*"
                                            "2 of 4 ranks are in MPI_Barrier on ours; ranks 0,1 are missing")),
    # A rank that has started more on MPI_COMM_WORLD may have another communicator with the number of "ours" by then.
    Case("icommunicators", communicators("on MPI_COMM_WORLD.* on ours"),
         cores=communicators("on MPI_COMM_WORLD.* on ours", POSSIBLE)),
    Case("fence", missing(of("MPI_Win_fence", "window halo"))),
    Case("fence_shared", missing(of("MPI_Win_fence", "window halo"))),
    Case("win_create", missing(of("MPI_Win_create", "MPI_COMM_WORLD"))),
    Case("win_allocate", missing(of("MPI_Win_allocate", "MPI_COMM_WORLD"))),
    Case("win_free", missing(of("MPI_Win_free", "window halo"))),
    Case("file_open", missing(of("MPI_File_open", "MPI_COMM_WORLD"))),
    Case("file_view", missing(of("MPI_File_set_view", "file .*shared"))),
    Case("file_write", missing(of("MPI_File_write_at_all", "file .*shared"))),
    Case("file_close", missing(of("MPI_File_close", "file .*shared"))),
    Case("comm_disconnect", missing(of("MPI_Comm_disconnect", "ours"))),
    Case("comm_spawn", missing(of("MPI_Comm_spawn", "MPI_COMM_WORLD"), (1, 2, 3), 0, 1)),
    Case("comm_connect", missing(of("MPI_Comm_connect", "MPI_COMM_WORLD"), (1, 2, 3), 0, 1)),
    Case("comm_accept", missing(of("MPI_Comm_accept", "MPI_COMM_WORLD"), (1, 2, 3), 0, 1)),
    Case("skipped", differ("1 of 4 ranks is in MPI_Bcast, 3 in MPI_Barrier.*A message of MPI_Bcast from rank 0 has "
                           "arrived at rank 3, which has not taken it")),
    Case("neighbours", (Finding("receive_without_send", (1,), (2,)),
                        Finding("collective_incomplete", (0, 2, 3), (1,), says="; rank 1 is missing"))),
    Case("ineighbours", (Finding("receive_without_send", (1,), (2,)),
                         Finding("collective_incomplete", (0, 2, 3), (1,), says="; rank 1 is missing"))),
    Case("counted", (Finding("receive_without_send", (7,), (0,)),
                     Finding("collective_incomplete", (*range(7), *range(8, 16)), (7,),
                             says="15 of 16 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 7 is missing")), ranks=16),
    Case("counted_busy", (Finding("waits_for_busy", (0, 1, 2, 4, 5, 6, 7), (3,), POSSIBLE,
                                  "7 of 8 ranks are in MPI_Barrier on MPI_COMM_WORLD; rank 3 is missing"),), ranks=8),
    Case("one_cause", missing("2 of 4 ranks are in MPI_Barrier on MPI_COMM_WORLD; ranks 2,3 are missing.*"
                              "1 of 2 ranks is in MPI_Alltoall on half")),
    Case("finalize", (Finding("process_finalized", (3,), (0,),
                              says="1 of 4 ranks is in MPI_Barrier on MPI_COMM_WORLD; ranks 0-2 are missing"),),
         status=1, cores=(Finding("process_finalized", (3,), (0,), POSSIBLE),)),
]

argument_parser = verdicts.argument_parser


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = os.path.join(scratch, "prog_collectives")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "prog_collectives.c")], program, builder)
    jobs = verdicts.Jobs(mqdump, program, scratch)
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 30)
    return [*((case.name, lambda case=case: jobs.run_case(case)) for case in CASES),
            (f"healthy, {verdicts.LOOKS} times, seed {seed}",
             lambda: jobs.run_healthy("healthy", random.Random(seed)))]


test = run.suite("collectives", labelled)

if __name__ == "__main__":
    sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
