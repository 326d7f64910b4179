#!/usr/bin/env python3
"""Real jobs that hang over single messages, while they test for some, or at the end of MPI, and what mqdump says.

Each case starts a job of prog_script and asks mqdump until it says what is expected, whole, as verdicts.py does; and
the same of the cores of all ranks.
"""

import dataclasses

import run
import verdicts
from verdicts import POSSIBLE, Case, Finding

NEAREST = "whether it was meant is not known"

# Of a rank that has left MPI a core does not tell how many messages it has sent.
CASES = [
    Case("tag_finalize", (Finding("tag_mismatch", (1,), (0,),
                                  says="with tag 0 .* has arrived at rank 1.* Rank 0 is in MPI_Finalize or past it"),),
         ranks=3, status=1, cores=(Finding("tag_mismatch", (1,), (0,), POSSIBLE),),
         script="0: send world 1 0; 1: recv world 0 1"),
    Case("any_finalize", (Finding("tag_mismatch", (1,), (), says="the tags differ"),), ranks=2, status=1,
         cores=(Finding("tag_mismatch", (1,), (), POSSIBLE),), script="0: send world 1 0; 1: recv world any 1"),
    Case("communicator_finalize", (Finding("communicator_mismatch", (1,), (0,), says="on ours has arrived at rank 1"),),
         ranks=2, status=1, cores=(Finding("communicator_mismatch", (1,), (0,), POSSIBLE),),
         script="all: dup ours world; 0: send ours 1 5; 1: recv world 0 5"),
    Case("source_finalize", (Finding("process_finalized", (1,), (0,)),
                             Finding("source_mismatch", (1,), (0,), POSSIBLE, NEAREST)), ranks=3, status=1,
         cores=(Finding("process_finalized", (1,), (0,), POSSIBLE),
                Finding("source_mismatch", (1,), (0,), POSSIBLE, NEAREST)),
         script="2: send world 1 5; 1: recv world 0 5"),
    Case("many_finalize", (Finding("process_finalized", (1, 2, 3), (0,),
                                   says="Ranks 1-3 wait in MPI_Waitall .* for a message from rank 0 with tag 5"),),
         status=1, cores=(Finding("process_finalized", (1, 2, 3), (0,), POSSIBLE),),
         script="1-3: irecv world 0 5 20 a; irecv world 0 6 20 b; waitall a b"),
    # Rank 1 would ask for the message next; that rank 0 waits for it too early is what is wrong.
    Case("next_tag", (Finding("deadlock", (0, 1)), Finding("tag_mismatch", (1,), (0,), POSSIBLE, NEAREST)), ranks=2,
         script="0: send world 1 2; recv world 1 3; send world 1 1; 1: recv world 0 1; recv world 0 2; send world 0 3"),
    Case("face_tag", (Finding("tag_mismatch", (1,), (0,)), Finding("deadlock", (0, 1))), ranks=2,
         script="0: ssend world 1 2; 1: recv world 0 1"),
    # The standard lets functions that are called in MPI_Finalize call MPI.
    Case("callback", (Finding("deadlock", (0, 1), says="Rank 0 waits in MPI_Recv in MPI_Finalize "),), ranks=2,
         script="0: late recv world 1 6; 1: recv world 0 5"),
    Case("test_loop", (Finding("tag_mismatch", (0,), (1,), POSSIBLE, "Rank 0 tests in MPI_Test .* with tag 7 .* tag 8"),
                       Finding("collective_incomplete", (1, 2, 3), (0,), POSSIBLE, "Rank 0 tests .* tag 7")),
         script="0: ask_at_once; 1: send world 0 8; 0: irecv world 1 7 20 r; test r; all: barrier world"),
    Case("all_test", (Finding("waits_for_busy", (0, 1, 2, 3), (), POSSIBLE, "Ranks 0-3 test again and again"),),
         script="all: ask_at_once; irecv world next 7 20 a; irecv world next 8 20 b; 0,2: testall a b; "
                "1,3: testsome a b"),
    Case("probe", (Finding("deadlock", (0, 1), says="waits in MPI_Probe .* from rank 0 with tag 7"),
                   Finding("tag_mismatch", (1,), (0,), POSSIBLE, "with tag 8")), ranks=2,
         script="0: send world 1 8; recv world 1 3; 1: probe world 0 7"),
    # A thread that has nothing to do with MPI.
    Case("helper", (Finding("deadlock", (0, 1)),), ranks=2, level="funneled",
         script="all: thread asleep; recv world prev 7"),
    Case("receivers", (Finding("deadlock", (0, 1)),), ranks=2, level="multiple",
         script="all: thread recv world pair 6; recv world pair 5"),
    Case("overtaking", (Finding("deadlock", (0, 1), (), POSSIBLE),), ranks=2,
         script="all: dup ours world; overtaking ours; recv ours prev 7"),
    # Every rank offers itself to a program that nobody starts.
    Case("accept", (), ranks=2, notes="Ranks 0,1 are in MPI_Comm_accept .*, which waits for another program",
         conclusion="unknown", script="all: accept self"),
]

# Open MPI 5 sets another bit than it asks for: there the messages are numbered all the same.
NUMBERS_ALL = "5"


def cases_for(installation):
    """What is expected of that release."""
    if installation.version.split(".", maxsplit=1)[0] != NUMBERS_ALL:
        return CASES
    return [dataclasses.replace(case, findings=(Finding("deadlock", (0, 1)),)) if case.name == "overtaking" else case
            for case in CASES]


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    jobs = verdicts.scripted(arguments, mqdump, builder, scratch)
    return [(case.name, lambda case=case: jobs.run_case(case)) for case in cases_for(mqdump.installation)]


test = run.suite("points", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
