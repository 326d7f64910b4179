#!/usr/bin/env python3
"""The table of mqdump(1) of what is certain: the case of each line, on running jobs and from cores.
"""

import dataclasses
import importlib
import os
import re

import cases
import run
import verdicts

# A comment of the page names the case.
ROW = re.compile(r"  (?P<job>certain|possible|not seen) +(?P<core>certain|possible|not seen|\\-) +"
                 r"(?P<what>\S.*)\\\" (?P<suite>\w+): (?P<case>[\w-]+)")
NO_FINDING = "No finding"
WITH_ALL = 4    # the release that has what each row needs


@dataclasses.dataclass(frozen=True)
class Row:
    """A line: the finding above it, how certain it is of a running job and of its cores, what is wrong, and the case."""
    heading: str
    job: str
    core: str
    what: str
    suite: str
    case: str


def lines():
    """The lines of the table below headings, each with its row, or with None if it is none."""
    with open(os.path.join(run.TOP, "mqd/dump/mqdump.1"), encoding="utf-8") as file:
        section = file.read().split("\n.SS How certain it is\n")[1].split("\n.EX\n")[1].split("\n.EE\n")[0]
    found, heading = [], None
    for line in section.split("\n"):
        if not line.startswith(" "):
            heading = line
        else:
            match = ROW.fullmatch(line)
            found.append((line, match and Row(heading, **{name: text.replace("\\-", "-")
                                                          for name, text in match.groupdict().items()})))
    return found


def labelled(arguments, mqdump, builder, scratch):
    """The cases that the lines name, of all suites."""
    rows = [row for _, row in lines()]
    found = []

    def is_missing():
        version = mqdump.installation.version
        if int(version.split(".", maxsplit=1)[0]) == WITH_ALL:
            raise run.Failure("its suite has no such case")
        raise cases.Skip(f"Open MPI {version} has not what this needs, or it does not work there")
    for name in sorted({row.suite for row in rows}):
        directory = os.path.join(scratch, name)
        os.mkdir(directory)
        named = {row.case for row in rows if row.suite == name}
        found += [(f"{name}: {label}", function) for label, function in
                  importlib.import_module(name).labelled(arguments, mqdump, builder, directory) if label in named]
    labels = {label for label, _ in found}
    return found + [(label, is_missing) for label in (f"{row.suite}: {row.case}" for row in rows) if label not in labels]


test = run.suite("matrix", labelled)

if __name__ == "__main__":
    verdicts.main(test, __doc__)
