#!/usr/bin/env python3
"""Real jobs with windows that hang, or do not, and what mqdump says of their locks and epochs.

The windows are made in each way that Open MPI has a component for. Right programs are looked at many times while they
take locks and open epochs in turn: nothing certain may be found.

Exit status: 0 if all cases passed, 1 if one failed, 77 if there is no Open MPI to test with.
"""

import dataclasses
import os
import re
import sys
import time

import job
import run
import schema
import verdicts

SETTLE_SECONDS = 20
LOOKS = 12
RIGHT_SECONDS = 15
CERTAIN, POSSIBLE = "certain", "possible"
SM, RDMA = "sm", "rdma"


@dataclasses.dataclass(frozen=True)
class Case:
    program_case: str
    how: str                  # the window is made
    kind: str                 # of the only finding
    certainty: str
    says: str                 # in its details, as a regular expression
    component: str = None     # of Open MPI that is asked for; else its own choice

    cores = verdicts.NOT_TRIED

    @property
    def name(self):
        return "-".join(filter(None, (self.program_case, self.how, self.component)))

    @property
    def findings(self):
        return (verdicts.Finding(self.kind, (), (), self.certainty),)


HELD = r"waits in MPI_Win_lock .* for a shared lock of the window heights at rank 1, where rank 0 has an exclusive one"
TAKEN = r"waits in MPI_Win_lock .* for an exclusive lock of the window heights at rank 1, where rank 0 has an exclusive"
PERHAPS = r"waits in MPI_Win_lock .* for a lock of the window heights; rank 0 has an exclusive one at rank 1"
POST = r"Rank 0 waits in MPI_Win_start .* for rank 1 to call MPI_Win_post on the window heights"
COMPLETE = r"Rank 1 waits in MPI_Win_wait .* for rank 0 to call MPI_Win_complete on the window heights"

# Which lock a rank waits for, osc/rdma does not tell. That ranks have made no calls on windows, nothing shows.
CASES = [
    Case("lock", "shared", "deadlock", CERTAIN, HELD),
    Case("lock", "create", "deadlock", POSSIBLE, PERHAPS),
    Case("start", "shared", "deadlock", CERTAIN, POST),
    Case("start", "create", "deadlock", CERTAIN, POST),
    Case("start", "allocate", "deadlock", CERTAIN, POST, RDMA),
    Case("wait", "shared", "deadlock", CERTAIN, COMPLETE),
    Case("wait", "create", "deadlock", CERTAIN, COMPLETE),
    Case("wait", "allocate", "deadlock", CERTAIN, COMPLETE, SM),
    Case("twice", "create", "deadlock", POSSIBLE, POST),
    Case("busy", "shared", "waits_for_busy", POSSIBLE, TAKEN),
    Case("busy", "create", "waits_for_busy", POSSIBLE, PERHAPS),
]
RIGHT = ("shared", "create")


class Different(Exception):
    """Not as expected, perhaps not yet."""


class Jobs:
    def __init__(self, mqdump, program, scratch):
        self.mqdump, self.program, self.scratch = mqdump, program, scratch

    def start(self, name, *arguments, component=None):
        return job.Job(os.path.join(self.scratch, name), [self.program, *arguments], 2,
                       mca={"osc": component} if component else {}, installation=self.mqdump.installation)

    def document(self, running):
        result = self.mqdump.run(["--job", running.process.pid], "--json")
        if result.returncode != 0:
            raise Different(result.stderr.strip())
        try:
            return schema.load(result.stdout)
        except ValueError as error:
            raise run.Failure(f"no valid JSON document: {error}\n{result.stdout[:2000]}") from error

    def check(self, case, running):
        findings = self.document(running)["findings"]
        if [(finding["kind"], finding["certainty"]) for finding in findings] != [(case.kind, case.certainty)]:
            raise Different(f"found: {findings}")
        said = "\n".join(findings[0]["details"])
        if not re.search(case.says, said):
            raise Different(f"does not say {case.says}: {said}")

    def run_case(self, case):
        with self.start(case.name, case.program_case, case.how, component=case.component) as running:
            deadline = time.monotonic() + SETTLE_SECONDS
            while True:
                try:
                    return self.check(case, running)
                except Different as difference:
                    if time.monotonic() > deadline:
                        raise run.Failure(f"{difference}\n{running.output()}") from difference
                time.sleep(0.1)

    def run_right(self, how):
        """The job ends well after the looks: it has not stopped for another reason."""
        n_looks = 0
        with self.start(f"right-{how}", "right", how, str(RIGHT_SECONDS)) as running:
            deadline = time.monotonic() + RIGHT_SECONDS
            while n_looks < LOOKS and time.monotonic() < deadline:
                try:
                    document = self.document(running)
                except Different:
                    continue
                n_looks += 1
                certain = [finding for finding in document["findings"] if finding["certainty"] == CERTAIN]
                if certain:
                    raise run.Failure(f"found in a right program: {certain}")
            if running.process.wait(timeout=2 * RIGHT_SECONDS) != 0:
                raise run.Failure(f"the job failed: {running.output()}")
        if n_looks == 0:
            raise run.Failure("not looked at")


def test(arguments, installation, builder):
    """Runs the cases on one installation, with programs compiled on another; the exit status."""
    def work(mqdump, scratch):
        programs = os.path.abspath(arguments.programs or run.compile_programs(
            arguments.cc, os.path.join(scratch, "programs"), builder))
        installation.show(programs)
        jobs = Jobs(mqdump, os.path.join(programs, "prog_window"), scratch)
        labelled = [(case.name, lambda case=case: jobs.run_case(case)) for case in CASES]
        labelled += [(f"right-{how}", lambda how=how: jobs.run_right(how)) for how in RIGHT]
        return run.Suite(mqdump, None, [], scratch).run_labelled(labelled, arguments.only)

    return run.test_suite("windows", arguments, installation, builder, work)


argument_parser = run.argument_parser

if __name__ == "__main__":
    try:
        sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
    except run.Failure as error:
        sys.exit(f"windows.py: {error}")
