"""What is true of a program of script.py that has come to rest, and whether findings of mqdump say it.

What a rank has done is known from itself; what it waits for follows from that and from the program. A certain finding
that is not true of it is a wrong claim, whatever the fault. Names of kinds are those of JSON.
"""
import re

import script

CERTAIN = "certain"
# Of a message that does not come it is as good to name the one that comes nearest, as such.
NEAREST = ("tag_mismatch", "source_mismatch", "communicator_mismatch")
# They accuse nobody.
NEUTRAL = ("waits_for_unknown",)
# All that are concerned are among the stuck ones; other kinds name those who are to blame as causes.
TOGETHER = ("deadlock", "collectives_differ", "roots_differ", "collective_communicators_differ")


class Truth:
    """A program at rest: the simulation of how far its ranks have come, the fault, and who has ended."""

    def __init__(self, simulation, fault, ended=()):
        self.simulation = simulation
        self.fault = fault
        self.ended = set(ended)
        self.ranks = range(simulation.program.n_ranks)
        self.waits = {rank: self._blockers(rank) for rank in self.ranks}

    def _blockers(self, rank):
        """None of a rank that will do nothing any more, whatever others do."""
        return set() if rank in self.ended or self.finalizing(rank) else self.simulation.blockers(rank)

    def reaches(self, start, end):
        """A rank waits for another, directly or by way of others."""
        seen, left = set(), [start]
        while left:
            new = self.waits[left.pop()] - seen
            seen |= new
            left += new
        return end in seen

    def finalizing(self, rank):
        return self.simulation.at_end(rank)

    def collectives(self, rank):
        """The parts in collective operations for which a rank waits."""
        return [request for request in self.simulation.pending(rank)
                if isinstance(request.what, script.Collective)]

    def parts(self, rank):
        """The same, and those that it has started and that are not done, whatever it waits for."""
        started = [request for request in self.simulation.slots[rank].values()
                   if isinstance(request.what, script.Collective) and not request.done]
        return self.collectives(rank) + started

    def tests(self, rank):
        """A rank that only tests for what does not come. Nobody can know that it does nothing else."""
        steps, at = self.simulation.program.steps[rank], self.simulation.at[rank]
        return at < len(steps) and steps[at].name in script.POLLS

    def tells_what_is_tested_for(self, finding):
        """It names a victim that tests, and says that it is for a message of, or to, one who is guilty."""
        text = " ".join([finding["sentence"], *finding["details"]])
        same, doing = r"(?:(?!\. ).)*", r"(tests? in MPI_|outside of MPI)"
        named = [rank for rank in finding["ranks"] + finding["causes"] if self.tests(rank)]
        if not self.fault.victims:      # it tests for a collective operation
            return finding["kind"] == "waits_for_busy" and any(
                guilty in self.waits[rank] and self.collectives(rank) and f"; rank {guilty} is missing" in text
                for rank in named for guilty in self.fault.guilty)
        return finding["kind"] in ("waits_for_busy", "collective_incomplete") and any(
            rank in self.fault.victims and re.search(rf"{doing}{same} (from|to) rank {guilty}\b", text)
            for rank in named for guilty in self.fault.guilty)

    def tells_what_one_that_tests_owes(self, finding):
        """It names ranks that wait for a guilty one that tests, victims if there are any, and says what for."""
        fault, text = self.fault, " ".join(finding["details"])
        owed = r"waits? in MPI_(?:(?!\. ).)* (from|to) rank {0}\b" if fault.victims else "; rank {0} is missing"
        return (finding["kind"] == "waits_for_busy"
                and not (fault.victims and set(finding["ranks"]).isdisjoint(fault.victims))
                and any(rank in finding["causes"] and self.tests(rank) and
                        re.search(fault.says or owed.format(rank), text) for rank in fault.guilty))

    def names(self, finding):
        """It is the one to be found."""
        fault = self.fault
        if self.tells_what_is_tested_for(finding) or self.tells_what_one_that_tests_owes(finding):
            return True
        findings = fault.findings
        if (fault.beyond and any(fault.operation not in self.here(rank) for rank in fault.guilty)
                and all(map(self.finalizing, fault.holders))):
            findings += fault.beyond
        ranks, causes = set(finding["ranks"]), set(finding["causes"])
        if finding["certainty"] != CERTAIN and "receive_without_send" in findings and not fault.says:
            findings += NEAREST
        if fault.anywhere:
            ranks = causes = ranks | causes
        elif finding["kind"] in TOGETHER:
            causes = causes | ranks
        return (finding["kind"] in findings and not causes.isdisjoint(fault.guilty)
                and not (fault.victims and ranks.isdisjoint(fault.victims))
                and re.search(fault.says, " ".join([finding["sentence"], *finding["details"]])) is not None)

    def here(self, rank):
        """The operations for which a rank waits."""
        return {request.step.operation for request in self.simulation.pending(rank)}

    def refutation(self, finding):
        """Why a certain finding is wrong, or None."""
        if finding["kind"] in NEUTRAL:
            return None
        if self.fault.resolves and not self.names(finding):
            return f"ranks {self.fault.guilty} may still go on"
        check = getattr(self, f"refute_{finding['kind']}", None)
        if check is None:
            return None if self.names(finding) else "this is not the fault"
        return check(set(finding["ranks"]), set(finding["causes"]))

    def refute_process_ended(self, _, causes):
        wrong = causes - self.ended
        return f"ranks {wrong} have not ended" if wrong or not self.ended else None

    def refute_process_finalized(self, ranks, causes):
        wrong = {rank for rank in causes if not self.finalizing(rank)} | set(filter(self.finalizing, ranks))
        wrong |= {rank for rank in ranks if not any(self.reaches(rank, cause) for cause in causes)}
        return f"it is not true of the ranks {wrong}" if wrong or not causes else None

    def _refute_difference(self, ranks, causes, what):
        """There are collectives for which `what` gives different values."""
        if any(not self.collectives(rank) for rank in ranks):
            return f"not all of the ranks {ranks} are in collectives"
        values = {what(part) for rank in ranks | causes for part in self.parts(rank)}
        return f"all are in {values}" if len(values) < 2 else None

    def left_out(self, ranks, causes):
        """Has a cause taken part in an operation where one of the ranks has not, and is in another one there?"""
        return any(channel == part.what.channel and (channel, operation) not in self.simulation.joined[rank]
                   for rank in ranks for part in self.collectives(rank)
                   for cause in causes for channel, operation in self.simulation.joined[cause])

    def refute_collectives_differ(self, ranks, causes):
        if all(map(self.collectives, ranks)) and self.left_out(ranks, causes):
            return None
        return self._refute_difference(ranks, causes, lambda part: (part.what.name, part.what.root, part.what.channel,
                                                                    part.step.operation))

    def refute_roots_differ(self, ranks, causes):
        return self._refute_difference(ranks, causes, lambda part: part.what.root)

    def refute_collective_communicators_differ(self, ranks, causes):
        return self._refute_difference(ranks, causes, lambda part: part.what.channel)

    def refute_collective_incomplete(self, ranks, causes):
        if any(not self.collectives(rank) for rank in ranks):
            return f"not all of the ranks {ranks} are in collectives"
        wanted = {(part.what.channel, part.step.operation) for rank in ranks for part in self.collectives(rank)}
        missing = {rank for rank in self.ranks if not wanted <= self.simulation.joined[rank]}
        wrong = causes - missing - set(self.fault.guilty)
        return f"ranks {wrong} are not missing" if wrong or not causes else None

    def _refute_lonely(self, ranks, causes):
        """
        The other side is not there, and does not merely wait for somebody else. Of a receive from any rank nobody is
        named.
        """
        for rank in ranks:
            if not (self.waits[rank] & causes if causes else self.waits[rank]):
                return f"rank {rank} waits for {self.waits[rank]}"
        wrong = {cause for cause in causes if not self.finalizing(cause) and cause not in self.fault.guilty
                 and not any(self.reaches(cause, rank) for rank in ranks)}
        return f"ranks {wrong} wait for others themselves" if wrong else None

    refute_receive_without_send = _refute_lonely
    refute_send_without_receive = _refute_lonely

    def together(self, rank):
        """The ranks with which it is in a collective operation: some pass on the parts of others."""
        mine = {(part.what.channel, part.step.operation) for part in self.collectives(rank)}
        return {other for other in self.ranks for part in self.collectives(other)
                if (part.what.channel, part.step.operation) in mine}

    def refute_deadlock(self, ranks, _):
        wrong = {rank for rank in ranks if not any(self.reaches(rank, end) for end in self.together(rank) | {rank})}
        return f"ranks {wrong} are in no circle" if wrong else None


def judge(truth, findings):
    """What is to be found was named "certain" or "possible", or "missed", or something else was "wrong": and why."""
    for finding in findings:
        reason = truth.refutation(finding) if finding["certainty"] == CERTAIN else None
        if reason:
            return "wrong", f"{reason}: {describe(finding)}"
    right = [finding["certainty"] for finding in findings if truth.names(finding)]
    if right:
        return (CERTAIN if CERTAIN in right else "possible"), ""
    return "missed", "; ".join(map(describe, findings)) or "nothing is found"


def describe(finding):
    return (f"{finding['certainty']} {finding['kind']} of {finding['ranks']}, causes {finding['causes']}: "
            f"{finding['sentence']}")
