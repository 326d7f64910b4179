"""Includes run one way: floors know only what is below them, and no two files know each other."""
import os
import re
import sys

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))

# From the ground up. A folder may include itself, and those that stand before it and that its row names.
FLOORS = {
    "include": [],
    "layout": [],
    "mqd/dll": ["include", "layout"],
    "mqd/dump/base": ["include"],
    "mqd/dump/collect/target": ["include", "mqd/dump/base"],
    "mqd/dump/collect/job": ["include", "mqd/dump/base", "mqd/dump/collect/target"],
    "mqd/dump/collect/client": ["include", "mqd/dump/base", "mqd/dump/collect/target"],
    "mqd/dump/verdict": ["include", "mqd/dump/base", "mqd/dump/collect/target", "mqd/dump/collect/job",
                         "mqd/dump/collect/client"],
    "mqd/dump/show": ["include", "mqd/dump/base", "mqd/dump/collect/target", "mqd/dump/collect/job",
                      "mqd/dump/collect/client", "mqd/dump/verdict"],
    "mqd/dump": ["include", "mqd/dump/base", "mqd/dump/collect/target", "mqd/dump/collect/job",
                 "mqd/dump/collect/client", "mqd/dump/verdict", "mqd/dump/show"],
}

# A folder of the DLL is a PML. It knows what all share, and only the file that chooses among them knows it.
PMLS = sorted(entry.path[len(SOURCE) + 1:] for entry in os.scandir(os.path.join(SOURCE, "mqd/dll")) if entry.is_dir())
FLOORS.update({folder: ["include", "layout", "mqd/dll"] for folder in PMLS})
DOORS = {"mqd/dll/pml.c": PMLS}

# Their functions are declared by include/ or called by nobody, or by one header for several.
NO_HEADER = {"mqd/dll/entry.c", "mqd/dump/main.c", "layout/geometry.c", "layout/resolve.c", "layout/spec.c"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# What stands in the build tree, not in this one.
GENERATED = {"config.h"}


def read_includes(source):
    """Returns for each file below the floors the files that it includes, as paths from the top."""
    found = {}
    for floor in FLOORS:
        folder = os.path.join(source, floor)
        for name in sorted(os.listdir(folder)):
            if name.endswith((".c", ".h", ".def")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found[f"{floor}/{name}"] = [path for path in INCLUDE.findall(file.read()) if path not in GENERATED]
    return found


def component(path):
    """x.c and x.h are one."""
    return os.path.splitext(path)[0]


def wrong_floors(includes):
    """Yields a line for each include that leads upwards, sideways, or nowhere."""
    for path, included in sorted(includes.items()):
        floor = os.path.dirname(path)
        allowed = [floor] + FLOORS[floor] + DOORS.get(path, [])
        for other in included:
            if other == "mpi_interface.h" and floor == "include":
                continue
            if other not in includes:
                yield f"{path} includes {other}, which is not there"
            elif os.path.dirname(other) not in allowed:
                yield f"{path} includes {other}: {floor} must not know {os.path.dirname(other)}"


def circles(includes):
    """Yields a line for each group of files that lead back to themselves."""
    edges = {}
    for path, included in includes.items():
        edges.setdefault(component(path), set()).update(component(other) for other in included if other in includes)
    for start in sorted(edges):
        way, seen = [(start, [start])], set()
        while way:
            at, path = way.pop()
            for following in sorted(edges.get(at, ())):
                if following == start and at != start and start == min(path):
                    yield "circle: " + " -> ".join(path + [start])
                elif following not in seen and following != start:
                    seen.add(following)
                    way.append((following, path + [following]))


def without_header(includes):
    """Yields a line for each x.c that has no x.h of its own, or does not include it first."""
    for path, included in sorted(includes.items()):
        own = component(path) + ".h"
        if not path.endswith(".c") or path in NO_HEADER:
            continue
        if own not in includes:
            yield f"{path} has no header of its own"
        elif not included or included[0] != own:
            yield f"{path} does not include {own} first"


def problems(includes):
    """All that is wrong."""
    return [*wrong_floors(includes), *circles(includes), *without_header(includes)]


def check_the_check(includes):
    """Each rule finds what breaks it; otherwise the check proves nothing."""
    low, high = "mqd/dump/base/ranges.h", "mqd/dump/verdict/model.h"
    broken = [
        (low, high, f"{low} includes {high}: mqd/dump/base must not know mqd/dump/verdict"),
        ("mqd/dump/verdict/call.h", high, "circle: mqd/dump/verdict/call -> mqd/dump/verdict/model -> "
                                          "mqd/dump/verdict/call"),
        ("mqd/dll/tag.c", "mqd/dll/ob1/match.h", "mqd/dll/tag.c includes mqd/dll/ob1/match.h: mqd/dll must not know "
                                                 "mqd/dll/ob1"),
        (high, "mqd/dll/tag.h", f"{high} includes mqd/dll/tag.h: mqd/dump/verdict must not know mqd/dll"),
    ]
    for path, other, text in broken:
        if text not in problems(dict(includes, **{path: includes[path] + [other]})):
            yield f"the check misses: {text}"
    if "mqd/dump/verdict/lonely.c has no header of its own" not in problems(
            dict(includes, **{"mqd/dump/verdict/lonely.c": []})):
        yield "the check misses a file without a header"


def main():
    """Prints what is wrong; exit status 0 if nothing is."""
    includes = read_includes(SOURCE)
    found = problems(includes) or list(check_the_check(includes))
    for line in found:
        print(line)
    print(f"{len(includes)} files: {'FAILED' if found else 'includes run one way'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
