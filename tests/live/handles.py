#!/usr/bin/env python3
"""Compares what the DLL says of handles with what MPI's own functions say of them.

handles.c is a program that has handles of all kinds, and its own debugger: each rank loads the DLL that is tested.
"""
import os
import re

import job
import run
import verdicts

RANKS = 2
LEAST_FACTS = 300
# Without a network adapter osc/ucx of 4.1.0 takes windows and cannot make them.
SETTINGS = {"osc": "^ucx"}


def check_facts(mqdump, directory, command, least, mca=None):
    """Runs a program that is its own debugger: each rank says how many facts it has compared, `least` or more."""
    with job.Job(directory, command, RANKS, mca=mca, installation=mqdump.installation) as running:
        status = running.process.wait()
        output = running.output()
    counts = re.findall(r"^(\d+) facts$", output, re.M)
    if status != 0 or len(counts) != RANKS or any(int(count) < least for count in counts):
        raise run.Failure(f"it ended with {status}:\n{output}")


def check(mqdump, program, scratch, how):
    check_facts(mqdump, os.path.join(scratch, f"handles-{'-'.join(how)}"), [program, mqdump.dll, *how], LEAST_FACTS,
                SETTINGS)


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = os.path.join(scratch, "prog_handles")
    # -O0: MPI_UNWEIGHTED is an address from which nothing can be read, and gcc warns of that.
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "handles.c")], program, builder,
                        [f"-I{run.TOP}", "-O0"])
    return [("all kinds", lambda: check(mqdump, program, scratch, [])),
            ("lies", lambda: check(mqdump, program, scratch, ["hostile"]))]


test = run.suite("handles", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
