#!/usr/bin/env python3
"""Asks mqdump what handles of a program stand for, and compares it with what the program says of itself.

questions.c is the program, and prog_handles.f90 one in Fortran. It is asked live, of cores and, as run.py does of all
that it runs, of records. The first may be of the ABI of MPI 5.0.
"""
import contextlib
import os
import re
import struct
import subprocess

import core_files
import job
import run
import verdicts
from cases import Skip, expect

RANKS = 4
PT_LOAD = 1
FIRST_OWN = 16385   # Open MPI adds it to its own numbers of what is not predefined
# Some predefined handles of the ABI of MPI 5.0, of each kind that has names.
ABI_WORLD = "0x101"
ABI = ((257, "communicator", "comm", "MPI_COMM_WORLD"), (258, "communicator", "comm", "MPI_COMM_SELF"),
       (256, "communicator", "comm", "MPI_COMM_NULL"), (33, "op", "op", "MPI_SUM"), (40, "op", "op", "MPI_BAND"),
       (521, "datatype", "type", "MPI_INT"), (532, "datatype", "type", "MPI_DOUBLE"),
       (579, "datatype", "type", "MPI_CHAR"), (323, "errhandler", "errhandler", "MPI_ERRORS_RETURN"))
WORLD = list(range(RANKS))
# Handles that stand for nothing: no program gives them names, and Open MPI has others for some.
NULLS = {"COMM": "communicator", "DATATYPE": "datatype", "GROUP": "group", "REQUEST": "request", "WIN": "window",
         "FILE": "file", "OP": "op", "ERRHANDLER": "errhandler", "INFO": "info", "MESSAGE": "message"}
NO_OBJECT = "no MPI object lies there: it was freed, or there never was one"
# The array of requests: what is complete, and what is said of the others in words.
REQUESTS = ["null", "active", "inactive", "complete", "active", "null"]
SAYS = [r"--requests 0x[0-9a-f]+,8:\n    2 of 8 requests are not complete, and of 2 it is not known:",
        r"\n      \[1\] receive from rank 1, tag 7, on MPI_COMM_WORLD, 10 x MPI_INT: ",
        r"\n      \[4\] receive from any source, any tag, on grid, 2 x MPI_INT: ",
        r"\n    1 is complete: \[3\]\n    1 is inactive: \[2\]\n    2 are MPI_REQUEST_NULL: \[0,5\]",
        r"\n    \[6\] 0x[0-9a-f]+: error: no MPI object lies there",
        r"\n    \[7\] 0x[0-9a-f]+: error: it is of kind comm, not request"]


def objects(answer):
    """The handles of an answer, by their names."""
    return {handle["name"]: handle for handle in answer["handles"]}


def check(what, found, expected):
    """Compares the members that are expected."""
    wrong = {key: (found.get(key), value) for key, value in expected.items() if found.get(key) != value}
    expect(not wrong, f"{what}: found and expected are {wrong}")


class Asked:
    """The ranks of a job, or what keeps them, and what the program says of each."""

    def __init__(self, mqdump, truths, targets, recorded=True):
        self.mqdump, self.truths, self.targets, self.recorded = mqdump, truths, targets, recorded

    def first(self):
        """The first rank alone."""
        return Asked(self.mqdump, self.truths[:1], self.targets[:1], self.recorded)

    def run(self, *questions, status=0):
        result = self.mqdump.run(self.targets, *questions, recorded=self.recorded)
        expect(result.returncode == status, f"{questions}: status {result.returncode}, not {status}: {result.stderr}")
        return result.stdout

    def answers(self, *questions, status=0, rank=0):
        """Of a rank, to each question."""
        document = run.parsed(self.mqdump.run(self.targets, "--json", *questions))
        process, = (process for process in document["processes"] if process["rank"] == rank)
        complete = all("error" not in answer and all("error" not in handle for handle in answer["handles"])
                       for process in document["processes"] for answer in process["answers"])
        expect(complete == (status == 0), f"{questions}: is it complete? {process['answers']}")
        return process["answers"]

    def handle(self, question, rank=0, **expected):
        """The only handle of an answer."""
        (answer,) = self.answers("--handle", question, rank=rank)
        check(question, answer, {"question": f"--handle {question}"})
        (handle,) = answer["handles"]
        check(question, handle, expected)
        return handle["facts"]


def check_communicators(asked):
    for rank, truth in enumerate(asked.truths):
        answer, = asked.answers("--communicators", rank=rank)
        found = objects(answer)
        expect({"MPI_COMM_WORLD", "MPI_COMM_SELF", "grid"} <= set(found) and "MPI_COMM_NULL" not in found, str(found))
        check("world", found["MPI_COMM_WORLD"], {"kind": "communicator", "object": truth["world"], "predefined": True})
        check("world", found["MPI_COMM_WORLD"]["facts"], {"size": RANKS, "rank": rank})
        grid = found["grid"]
        check("grid", grid, {"object": truth["grid"], "fortran": truth["grid_fortran"], "predefined": False,
                             "class": "ompi_communicator_t"})
        check("grid", grid["facts"],
              {"size": RANKS, "rank": rank, "topology": "cartesian", "dimension": [2, 2], "periodic": [True, False],
               "coordinate": truth["coordinates"]})
        expect(grid["facts"]["error_handler"]["name"] == "MPI_ERRORS_RETURN", str(grid))
        attribute = {"key": truth["key"], "name": None, "value": truth["attribute"]}
        expect(attribute in grid["facts"]["attribute"], str(grid))


def check_fold(asked):
    """Of equal answers one is printed: each has a rank and coordinates of its own."""
    text = asked.run("--communicators")
    words = " ".join(text.split())
    expect(re.search(r" grid \(communicator, ompi_communicator_t at 0x[0-9a-f]+, Fortran \d+\), id \d+, rank 0 of 4 "
                     r"Cartesian 2 x 2, periodic in x, this rank at \(0,0\) ", words) and
           re.search(r" Ranks 1-3, .*: the same as rank 0, each with its own rank, coordinates and addresses$", words),
           text)
    text = asked.run("--communicators", "--queues=all")
    for x, y in (0, 0), (0, 1), (1, 0), (1, 1):
        expect(f"this rank at ({x},{y})" in text, text)


def check_objects(asked):
    first, world = asked.truths[0], {"kind": "communicator", "name": "MPI_COMM_WORLD"}
    alone = asked.first()
    for question in (first["world"], f"{first['world']}:comm", "0:comm", "MPI_COMM_WORLD", "MPI_COMM_WORLD:comm"):
        alone.handle(question, object=first["world"], **world)
    alone.handle(f"{first['grid_fortran']}:comm", object=first["grid"], name="grid")
    column = alone.handle(first["column"], kind="datatype", name="column", predefined=False)
    check("column", column, {"type_size": 24, "extent": 48, "combiner": "vector", "integer": [3, 2, 5],
                             "committed": True})
    expect(column["datatype"][0]["name"] == "MPI_FLOAT", str(column))
    check("double", alone.handle("MPI_DOUBLE", kind="datatype", predefined=True), {"type_size": 8, "combiner": "named"})
    check("op", alone.handle(first["op"], kind="op"), {"commutative": False, "function": first["add"]})
    request = alone.handle(f"{first['request']}:request", kind="request")
    check("request", request, {"request_state": "active", "request_kind": "message", "operation": "recv", "peer": 1,
                               "tag": 7, "elements": 10, "persistent": False})
    expect(request["object"] == {"address": first["world"], "name": "MPI_COMM_WORLD"}, str(request))


def check_nulls(asked):
    first, alone = asked.truths[0], asked.first()
    for word, kind in NULLS.items():
        alone.handle(f"MPI_{word}_NULL", name=f"MPI_{word}_NULL", kind=kind, predefined=True)
    alone.handle(first["no_message"], name="MPI_MESSAGE_NULL", kind="message", predefined=True)
    alone.handle("0:message", name="MPI_MESSAGE_NULL", kind="message", predefined=True)


def check_info(asked):
    """Keys and values are between quotes, and what is in them cannot be taken for more of them, or for lines."""
    first, alone = asked.truths[0], asked.first()
    check("info", alone.handle(first["info"], kind="info"), {"key": ["a key", "another"],
                                                             "value": ["two\nlines", 'x" = "y\\']})
    text = alone.run("--handle", first["info"])
    expect(r'''
      "a key" = "two\x0alines"
      "another" = "x\" = \"y\\"
''' in text, text)


def check_windows_and_files(asked):
    for rank in WORLD:
        windows, files = asked.answers("--windows", "--files", rank=rank)
        check("heights", objects(windows)["heights"]["facts"],
              {"window_size": 512, "displacement_unit": 8, "flavor": "allocate"})
        file, = files["handles"]
        expect(file["name"].endswith(f"/file.{rank}"), str(file))
        check("file", file["facts"], {"access_mode": 9})
        expect(file["facts"]["communicator"]["name"] == "MPI_COMM_SELF", str(file))


def check_requests(asked):
    first = asked.truths[0]
    alone = asked.first()
    text = alone.run("--requests", f"{first['requests']},8", status=1)
    for pattern in SAYS:
        expect(re.search(pattern, text), f"no '{pattern}' in\n{text}")
    answer, = alone.answers("--requests", f"{first['requests']},8", status=1)
    expect([handle["position"] for handle in answer["handles"]] == list(range(8)), str(answer))
    states = [handle["facts"].get("request_state") for handle in answer["handles"]]
    expect(states == [*REQUESTS, None, None], str(states))
    expect(answer["handles"][6]["error"] == NO_OBJECT, str(answer["handles"][6]))
    answer, = alone.answers("--requests", f"{first['integers']},8:fortran", status=1)
    states = [handle["facts"].get("request_state") for handle in answer["handles"]]
    expect(states == [*REQUESTS, None, None], str(answer))
    answer, = alone.answers("--requests", f"{first['requests']},6")
    expect("error" not in answer, str(answer))
    answer, = alone.answers("--requests", "0x10,3", status=1)
    expect(not answer["handles"] and "entry 0 cannot be read" in answer["error"], str(answer))


def check_nothing(asked):
    """What was freed is no object, and what is none is not said to be one."""
    first = asked.truths[0]
    alone = asked.first()
    for value, reason in ((f"{first['gone']}:comm", NO_OBJECT), ("0x10", NO_OBJECT), (first["attribute"], NO_OBJECT),
                          ("999999:comm", NO_OBJECT), (f"{first['world']}:win", "it is of kind comm, not win")):
        text = alone.run("--handle", value, status=1)
        expect(f"error: {reason}" in " ".join(text.split()), text)
    text = alone.run("--handle", "no such name", status=1)
    expect("error: nothing with the name 'no such name' is found" in text, text)


def check_abi(asked):
    """
    In a program of the ABI of MPI 5.0 predefined handles are numbers, which are no addresses, and integers are those of
    MPI_Comm_toint. What the program says of such is changed to what it is for Open MPI.
    """
    for value, kind, word, name in ABI:
        for question in (hex(value), f"{value}:{word}"):
            asked.first().handle(question, kind=kind, name=name, predefined=True)
    for value in ("0x103", "0x4001", "259:comm", "16000:comm", "999999:comm"):
        text = asked.first().run("--handle", value, status=1)
        expect(f"error: {NO_OBJECT}" in " ".join(text.split()), text)
    for rank, truth in enumerate(asked.truths):
        expect(truth["world"] == ABI_WORLD and truth["grid_fortran"] > FIRST_OWN, str(truth))
        answer, = asked.answers("--handle", truth["world"], rank=rank)
        truth["world"] = answer["handles"][0]["object"]
        for own in ("grid_fortran", "key"):
            truth[own] -= FIRST_OWN


def check_all(asked):
    if asked.truths[0]["world"] == ABI_WORLD:
        check_abi(asked)
    for one in (check_communicators, check_fold, check_objects, check_nulls, check_info, check_windows_and_files,
                check_requests, check_nothing):
        one(asked)


@contextlib.contextmanager
def started(mqdump, program, scratch, name):
    """The job, when its ranks have said what they are."""
    with job.Job(os.path.join(scratch, name), [program], RANKS, installation=mqdump.installation) as running:
        yield running, running.await_truths()


def live(mqdump, program, scratch):
    with started(mqdump, program, scratch, "live") as (running, truths):
        check_all(Asked(mqdump, truths, running.pids))
        run.check_left_running(running.pids)


def forget_memory(path, address):
    """Makes the part of a core with that address one that was not written."""
    with open(path, "r+b") as core:
        start, = struct.unpack_from("<Q", core.read(64), 32)
        core.seek(start)
        while True:
            header = core.read(56)
            low, size = struct.unpack_from("<Q", header, 16)[0], struct.unpack_from("<Q", header, 40)[0]
            if struct.unpack_from("<I", header)[0] == PT_LOAD and low <= address < low + size:
                break
        core.seek(-56 + 32, os.SEEK_CUR)
        core.write(bytes(8))


def check_memory_that_is_not_there(mqdump, truths, path):
    """What lies there is not known: nobody says that it was freed."""
    asked = Asked(mqdump, truths[:1], [f"--core={path}"])
    windows, = asked.answers("--windows")
    base = objects(windows)["heights"]["facts"]["base"]
    expect(NO_OBJECT in " ".join(asked.run("--handle", base, status=1).split()), "there is an object")
    forget_memory(path, int(base, 16))
    text = " ".join(asked.run("--handle", base, status=1).split())
    expect("whether an MPI object lies there is not known: the core file has not the memory" in text, text)
    text = " ".join(asked.run("--requests", f"{base},1", status=1).split())
    expect("entry 0 cannot be read: the core file has not the memory that the process had at 0x" in text, text)


def cores(mqdump, program, scratch):
    with started(mqdump, program, scratch, "cores") as (running, truths):
        paths = core_files.take(running.pids, os.path.join(scratch, "cores", "files"))
        check_all(Asked(mqdump, truths, [f"--core={path}" for path in paths]))
        check_memory_that_is_not_there(mqdump, truths, paths[0])


def records(mqdump, program, scratch):
    """A record answers what was asked when it was taken, and no other question. It is shown without that as well."""
    with started(mqdump, program, scratch, "records") as (running, truths):
        record = os.path.join(scratch, "records", "record")
        saved = mqdump.run(running.pids, "--save", record, "--communicators", "--handle", "grid")
        expect(saved.returncode == 0, saved.stderr)
        check_fold(Asked(mqdump, truths, [record], recorded=False))
        for questions, reason in ((["--windows"], "asked about handles"), (["--handle", "grid:comm"], "handles")):
            refused = mqdump.start([*questions, record])
            expect(refused.returncode == 1 and reason in refused.stderr, refused.stderr)
        plain = mqdump.start([record])
        expect("Where" in plain.stdout and "--communicators" not in plain.stdout, plain.stdout)


def fortran(mqdump, scratch, compiler):
    """An INTEGER is the handle that the program has."""
    if not job.HERE.run(compiler, "--version"):
        raise Skip(f"no {compiler} that works (Debian: gfortran)")
    program = os.path.join(scratch, "prog_handles")
    subprocess.run([compiler, "-O1", "-g", os.path.join(run.HERE, "prog_handles.f90"), "-o", program], check=True)
    with job.Job(os.path.join(scratch, "fortran"), [program], 2, installation=mqdump.installation) as running:
        truths = running.await_truths()
        asked = Asked(mqdump, truths, running.pids)
        for rank, truth in enumerate(truths):
            twin = {"name": "twin", "kind": "communicator", "fortran": truth["twin"], "predefined": False}
            facts = asked.handle(f"{truth['twin']}:comm", rank, **twin)
            check("twin", facts, {"size": 2, "rank": rank})
            facts = asked.handle(f"{truth['column']}:type", rank, kind="datatype", fortran=truth["column"])
            check("column", facts, {"type_size": 24, "combiner": "vector", "integer": [3, 2, 5], "committed": True})
            facts = asked.handle(f"{truth['request']}:request", rank, kind="request", fortran=truth["request"])
            check("request", facts, {"request_state": "active", "operation": "recv", "peer": rank, "tag": 9})
            expect(facts["object"]["name"] == "twin", str(facts))


def labelled(arguments, mqdump, builder, scratch):
    """The cases, with the program compiled on another installation."""
    program = os.path.join(scratch, "prog_questions")
    job.compile_program(arguments.cc, [os.path.join(run.HERE, "questions.c")], program, builder)
    found = [(case.__name__, lambda case=case: case(mqdump, program, scratch)) for case in (live, cores, records)]
    # Other releases' roots have no gfortran.
    if builder is job.HERE:
        found.append(("fortran", lambda: fortran(mqdump, scratch, arguments.fc)))
    return found


test = run.suite("questions", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
