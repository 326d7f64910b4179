#!/usr/bin/env python3
"""Jobs that hang because of threads, and what mqdump says of them: which threads wait for each other, have ended, or are
in MPI where they may not be, and who waits for a thread that is in MPI.

Programs of gcc and of clang, with debug information and stripped, on libgomp and libomp, with waits that sleep and waits
that spin: live and as cores. Programs that do not hang are caught at many moments, and nothing certain may be found.
"""

import dataclasses
import json
import os
import random
import time

import job
import openmp
import run
import verdicts
from cases import expect
from verdicts import CERTAIN, POSSIBLE, Case, Finding

FORMS = [form for form in openmp.FORMS if form.name != "gcc static"]
LOOKS = 50

# "solve.c:9"; of a stripped program "solver at 0x1234".
PLACE = r"\S+( at 0x[0-9a-f]+)?"
REGION = rf"(the|a) parallel region( at {PLACE})?"
# libomp keeps neither the name of a lock nor of a critical construct.
LOCK = r"(the lock \"\w+\"|a lock)( \([^)]+\))?"
CRITICAL = r"(the critical region \"update\"|a critical region)( \([^)]+\))?"
BARRIER = rf"at (the|a) barrier( at {PLACE})?"
MISSING = r"1 of 2 ranks is in MPI_Barrier on MPI_COMM_WORLD; rank 0 is missing"

BLOCKED = Finding("collective_incomplete", (1,), (0,))
CASES = [
    Case("barrier", (Finding("deadlock", (0, 1), says=rf"Thread 3 of 4 of {REGION} in rank 0 has called MPI_Recv\. "
                                                      rf"Threads 0-2 wait for it {BARRIER}\."),)),
    Case("locks", (Finding("threads_deadlock", (0,), (), POSSIBLE,
                           rf"Threads 0,1 of {REGION} in rank 0 wait for each other\. Thread 0 waits for {LOCK}, "
                           rf"which only thread 1 can hold\. Thread 1 waits for {LOCK}, which only thread 0 can hold\. "
                           rf"{MISSING}"),)),
    Case("nest_locks", (Finding("threads_deadlock", (0,), (), CERTAIN,
                                rf"Threads 0,1 of {REGION} in rank 0 wait for each other\. Thread 0 waits for "
                                rf"{LOCK}, which thread 1 holds\. Thread 1 waits for {LOCK}, which thread 0 holds\. "
                                rf"{MISSING}"),)),
    Case("critical", (Finding("receive_without_send", (0,), (1,),
                              says=rf"Thread 2 of 4 of {REGION} in rank 0 has called MPI_Recv inside {CRITICAL}\. "
                                   r"Threads 0,1,3 wait to enter it\."), BLOCKED)),
    Case("task", (Finding("receive_without_send", (0,), (1,),
                          says=rf"Thread \d of 4 of {REGION} in rank 0 has called MPI_Recv in a task that thread 1 "
                               r"has created\..* Thread 1 waits for that task in taskwait"), BLOCKED)),
    Case("wrong", (Finding("wrong_thread", (0, 1), (), CERTAIN,
                           rf"Ranks 0,1 have MPI_THREAD_FUNNELED, .*: only the thread that has initialised MPI may call "
                           rf"it\. Thread 0 of 4 of {REGION}, the main thread, in rank 0 is in MPI_Recv .*\. Thread 1 "
                           rf"of 4 of {REGION} in rank 0 is in MPI_Recv ", False), Finding("deadlock", (0, 1)))),
    Case("at_once", (Finding("wrong_thread", (0, 1), (), CERTAIN, r"have MPI_THREAD_SERIALIZED, .* at a time may call it",
                             False), Finding("deadlock", (0, 1)))),
    # The thread that has initialised MPI may call it.
    Case("elsewhere", (Finding("deadlock", (0, 1)),)),
    Case("ends", (Finding("thread_ended", (0,), (), CERTAIN,
                          rf"Thread 2 of 4 of {REGION} in rank 0 has ended\. Threads 0,1,3 wait for thread 2 "
                          rf"{BARRIER}\. {MISSING}"),)),
    Case("mutexes", (Finding("threads_deadlock", (0,), (), CERTAIN,
                             r"wait for each other\. Thread \d+ .*waits for (the|a) mutex .*, which thread \d+ .*holds\."),)),
]

# A thread that spins in libgomp has the address of the lock in a register: who holds it is not read.
SPINNING = {("gcc active", "nest_locks"): "locks"}


def case_of(form, case):
    """What is expected of a form of the program."""
    expected = SPINNING.get((form.name, case.name), case.name)
    return next(dataclasses.replace(one, name=case.name) for one in CASES if one.name == expected)


class Programs(openmp.Programs):
    """The programs that hang because of threads."""

    SOURCE = os.path.join(run.HERE, "stuck_threads.c")

    def start(self, form, name):
        directory = os.path.join(self.scratch, f"{form.name}-{name}".replace(" ", "-"))
        return job.Job(directory, [self.build(form), name], 2, run.SHM, None, dict(form.environment),
                       self.mqdump.installation)

    def document(self, pids):
        return verdicts.document_of(self.mqdump.run(pids, "--json"), 0)

    def run_case(self, form, case):
        program = self.build(form)
        case = case_of(form, case)
        with self.start(form, case.name) as running:
            pids = running.await_ranks(program)

            def look():
                verdicts.check_document(case, self.document(pids))

            verdicts.await_expected(look)
            # What was found is found again.
            look()
            if not form.environment:
                verdicts.check_document(case, self.document(self.cores_of(running, pids, program)))

    def run_healthy(self, form):
        program = self.build(form)
        moments = random.Random(form.name)
        n_possible = 0
        with self.start(form, "healthy") as running:
            pids = running.await_ranks(program)
            verdicts.await_expected(lambda: self.document(pids))
            for look in range(LOOKS):
                time.sleep(moments.uniform(0, 0.05))
                found = self.document(pids)["findings"]
                expect(all(one["certainty"] == POSSIBLE for one in found), f"look {look}: {json.dumps(found, indent=1)}")
                n_possible += any("thread" in one["kind"] for one in found)
            expect(n_possible <= LOOKS // 50, f"{n_possible} of {LOOKS} looks find threads that may be stuck")


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with what they need compiled on another installation."""
    programs = Programs(mqdump, builder, arguments, scratch)
    return [*((f"{form.name}, {case.name}", lambda form=form, case=case: programs.run_case(form, case))
              for form in FORMS for case in CASES),
            *((f"{form.name}, healthy", lambda form=form: programs.run_healthy(form)) for form in FORMS)]


test = run.suite("stuck_threads", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
