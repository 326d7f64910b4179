#!/usr/bin/env python3
"""Real jobs that hang over single messages, while they test for some, or at the end of MPI, and what mqdump says.

Each case starts a job of prog_points and asks mqdump until it says what is expected, whole, as verdicts.py does; and
the same of the cores of all ranks.

Exit status: 0 if all cases passed, 1 if one failed, 77 if there is no Open MPI to test with.
"""

import dataclasses
import os
import sys

import job
import run
import verdicts
from verdicts import POSSIBLE, Case, Finding

NEAREST = "whether it was meant is not known"

# Of a rank that has left MPI a core does not tell how many messages it has sent.
CASES = [
    Case("tag_finalize", (Finding("tag_mismatch", (1,), (0,),
                                  says="with tag 0 .* has arrived at rank 1.* Rank 0 is in MPI_Finalize or past it"),),
         ranks=3, status=1, cores=(Finding("tag_mismatch", (1,), (0,), POSSIBLE),)),
    Case("any_finalize", (Finding("tag_mismatch", (1,), (), says="the tags differ"),), ranks=2, status=1,
         cores=(Finding("tag_mismatch", (1,), (), POSSIBLE),)),
    Case("communicator_finalize", (Finding("communicator_mismatch", (1,), (0,), says="on ours has arrived at rank 1"),),
         ranks=2, status=1, cores=(Finding("communicator_mismatch", (1,), (0,), POSSIBLE),)),
    Case("source_finalize", (Finding("process_finalized", (1,), (0,)),
                             Finding("source_mismatch", (1,), (0,), POSSIBLE, NEAREST)), ranks=3, status=1,
         cores=(Finding("process_finalized", (1,), (0,), POSSIBLE),
                Finding("source_mismatch", (1,), (0,), POSSIBLE, NEAREST))),
    Case("many_finalize", (Finding("process_finalized", (1, 2, 3), (0,),
                                   says="Ranks 1-3 wait in MPI_Waitall .* for a message from rank 0 with tag 5"),),
         status=1, cores=(Finding("process_finalized", (1, 2, 3), (0,), POSSIBLE),)),
    Case("next_tag", (Finding("deadlock", (0, 1)), Finding("tag_mismatch", (1,), (0,), POSSIBLE, NEAREST)), ranks=2),
    Case("face_tag", (Finding("tag_mismatch", (1,), (0,)), Finding("deadlock", (0, 1))), ranks=2),
    Case("callback", (Finding("deadlock", (0, 1), says="Rank 0 waits in MPI_Recv in MPI_Finalize "),), ranks=2),
    Case("test_loop", (Finding("tag_mismatch", (0,), (1,), POSSIBLE, "Rank 0 tests in MPI_Test .* with tag 7 .* tag 8"),
                       Finding("collective_incomplete", (1, 2, 3), (0,), POSSIBLE, "Rank 0 tests .* tag 7"))),
    Case("all_test", (Finding("waits_for_busy", (0, 1, 2, 3), (), POSSIBLE, "Ranks 0-3 test again and again"),)),
    Case("probe", (Finding("deadlock", (0, 1), says="waits in MPI_Probe .* from rank 0 with tag 7"),
                   Finding("tag_mismatch", (1,), (0,), POSSIBLE, "with tag 8")), ranks=2),
    Case("helper", (Finding("deadlock", (0, 1)),), ranks=2),
    Case("receivers", (Finding("deadlock", (0, 1)),), ranks=2),
    Case("overtaking", (Finding("deadlock", (0, 1), (), POSSIBLE),), ranks=2),
    Case("accept", (), ranks=2, notes="Ranks 0,1 are in MPI_Comm_accept .*, which waits for another program",
         conclusion="unknown"),
]

# Open MPI 5 sets another bit than it asks for: there the messages are numbered all the same.
NUMBERS_ALL_SINCE = 5


def cases_for(installation):
    """What is expected of that release."""
    if int(installation.version.split(".", maxsplit=1)[0]) < NUMBERS_ALL_SINCE:
        return CASES
    return [dataclasses.replace(case, findings=(Finding("deadlock", (0, 1)),)) if case.name == "overtaking" else case
            for case in CASES]


argument_parser = verdicts.argument_parser


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = os.path.join(scratch, "prog_points")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "prog_points.c")], program, builder, ("-pthread",))
    jobs = verdicts.Jobs(mqdump, program, scratch)
    return [(case.name, lambda case=case: jobs.run_case(case)) for case in cases_for(mqdump.installation)]


test = run.suite("points", labelled)

if __name__ == "__main__":
    sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
