#!/usr/bin/env python3
"""Real jobs with the PML cm and the MTL ofi, and what mqdump lists of them.

Requests are compared with what the programs say they did, each by its address: nothing may be missing, nothing may be
wrong, and what is said to be not known must be what the PML and the MTL do not have. The order within a queue is not
known with this PML. Nothing may be found to be wrong with these jobs.
"""

import dataclasses
import os
import re
import sys

import compare
import job
import run
import schema

# How the MTL tells messages apart: by address and tag; by tag and source in the bits, two ways.
BY_ADDRESS, TAG_1, TAG_2 = "auto", "ofi_tag_1", "ofi_tag_2"
QUEUES = ("pending_sends", "pending_receives")

# Libfabric's provider where there is no fabric. Since 5.0 Open MPI does not take it by itself.
NO_FABRIC = "tcp"
ELSEWHERE = "this process uses the PML cm, which leaves messages that have arrived with the network's library"


@dataclasses.dataclass(frozen=True)
class Case:
    program: str
    ranks: int
    tags: str

    @property
    def name(self):
        return f"{self.program}-{self.ranks}, {self.tags}"


CASES = [Case(program, ranks, tags) for tags in (BY_ADDRESS, TAG_1, TAG_2)
         for program, ranks in (("cm", 2), ("cm", 4), ("receives", 2), ("receives", 4))]


def not_known(operation):
    """What the text says is not known: {"source": "0 or any", "tag": None}."""
    for line in operation["extra_text"]:
        if line.startswith("not known: "):
            parts = [part.rstrip(")").split(" (") for part in line.removeprefix("not known: ").split(", ")]
            return {part[0]: part[1] if len(part) > 1 else None for part in parts}
    return {}


def knows_mtl(version):
    """Is the layout of the MTL's requests known? The tables have that of the last releases of a series."""
    release = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    return release >= (4, 1, 2) or release[:2] == (4, 0) and release >= (4, 0, 7)


def may_be_unknown(queue, expected, tags):
    """What cm and the MTL do not have of a request. `tags` None: the MTL's part cannot be read."""
    if expected["facts"]["persistent"]:
        return {}
    if queue == "pending_sends":
        return {"destination": None}
    if expected["status"] != "pending" or tags is None:
        return {"source": None, "tag": None}
    unknown = {}
    if tags != BY_ADDRESS and expected["desired_local_rank"] in (0, -1):
        unknown["source"] = "0 or any"
    if expected["tag_wild"] or expected["desired_tag"] == 0:
        unknown["tag"] = "0 or any"
    return unknown


def compare_known(queue, expected, operation, memory, tags):
    """The differences of one operation."""
    unknown = not_known(operation)
    if unknown != may_be_unknown(queue, expected, tags):
        return [f"not known is {unknown}, not {may_be_unknown(queue, expected, tags)}: {expected}"]
    expected = dict(expected)
    if "source" in unknown or "destination" in unknown:
        expected.update(desired_local_rank=None, desired_global_rank=None)
    if "destination" in unknown:
        expected.update(actual_local_rank=-1, actual_global_rank=-1)
    if "tag" in unknown:
        expected.update(desired_tag=None, tag_wild=False)
    return compare.compare_operation(expected, operation, memory)


def compare_queue(queue, expected, operations, memory, tags):
    listed = {operation["request"]: operation for operation in operations}
    differences = []
    for wanted in expected:
        operation = listed.pop(wanted["facts"]["request"], None)
        if operation is None:
            differences.append(f"is missing: {wanted}")
        else:
            differences += compare_known(queue, wanted, operation, memory, tags)
    return differences + [f"is more than there is: {compare.describe(operation)}" for operation in listed.values()]


def compare_process(truth, process, tags):
    differences = []
    pairs, unpaired = compare.pair_communicators(truth, process)
    for expected, communicator in pairs:
        for queue in QUEUES:
            differences += [f"{expected['key']}, {queue}: {difference}" for difference in compare_queue(
                queue, expected[queue] or [], communicator[queue] or [], job.memory_of(truth["pid"]), tags)]
        said = communicator.get("errors", {}).get("unexpected_messages", "")
        if ELSEWHERE not in said:
            differences.append(f"{expected['key']}: of unexpected messages it says {said!r}")
    return unpaired + differences


def list_job(mqdump, pids):
    """The document. Unexpected messages are always missing: the status says so."""
    result = mqdump.run(pids, "--json")
    if result.returncode != 1:
        raise run.Failure(f"mqdump ended with {result.returncode}: {result.stderr.strip()}")
    return schema.load(result.stdout)


def run_case(mqdump, case, executable, scratch):
    directory = os.path.join(scratch, case.name.replace(", ", "."))
    mca = {"pml": "cm", "mtl": "ofi", "mtl_ofi_tag_mode": case.tags}
    if int(mqdump.installation.version.split(".", maxsplit=1)[0]) >= 5:
        mca["mtl_ofi_provider_include"] = NO_FABRIC
    program = run.Case(case.program, case.ranks)
    with job.Job(directory, [executable, *program.command], case.ranks, "shm", mca, {},
                 mqdump.installation) as running:
        try:
            truths = running.await_truths()
        except job.JobError as error:
            raise run.Skip(f"no job with the PML cm here: {str(error)[:200]}") from error
        document = list_job(mqdump, [truth["pid"] for truth in truths])
        tags = case.tags if knows_mtl(mqdump.installation.version) else None
        differences = {f"rank {truth['rank']}": compare_process(truth, process, tags)
                       for truth, process in zip(truths, document["processes"])}
        differences = {rank: found for rank, found in differences.items() if found}
        run.check_left_running(running.pids)
        if document["findings"]:
            differences["findings"] = [finding["sentence"] for finding in document["findings"]]
        if differences:
            raise run.Failure(run.report(directory, document, differences))
        running.release()


argument_parser = run.argument_parser


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with programs compiled on another installation."""
    executable = run.compile_script(arguments.cc, os.path.join(scratch, "prog_script"), builder)
    return [(case.name, lambda case=case: run_case(mqdump, case, executable, scratch)) for case in CASES]


test = run.suite("cm", labelled)

if __name__ == "__main__":
    try:
        sys.exit(test(argument_parser(__doc__).parse_args(), job.HERE, job.HERE))
    except run.Failure as error:
        sys.exit(f"cm.py: {error}")
