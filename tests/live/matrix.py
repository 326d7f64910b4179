#!/usr/bin/env python3
"""README's table of what is certain: the case of each line, on running jobs and from cores.
"""

import dataclasses
import importlib
import os
import re

import cases
import run
import verdicts

ROW = re.compile(r"^    (?P<what>\S.{41}) (?P<heading>[A-Z-].{22}) (?P<job>certain |possible|not seen) +"
                 r"(?P<core>certain|possible|not seen|-) +(?P<suite>\w+): (?P<case>[\w-]+)$", re.M)


WITH_ALL = 4    # the release that has what each row needs


@dataclasses.dataclass(frozen=True)
class Row:
    """A line: what is wrong, the finding, how certain it is of a running job and of its cores, and the case."""
    what: str
    heading: str
    job: str
    core: str
    suite: str
    case: str


def lines():
    """The lines of the table, each with its row, or with None if it is none."""
    with open(os.path.join(run.TOP, "README"), encoding="utf-8") as file:
        section = file.read().split("\nHow certain it is\n")[1].split("\n\n\n")[0]
    found = [line for line in section.split("\n") if re.match(r" {4}\S", line)][1:]
    matches = [ROW.match(line) for line in found]
    return [(line, match and Row(**{name: text.strip() for name, text in match.groupdict().items()}))
            for line, match in zip(found, matches)]


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
