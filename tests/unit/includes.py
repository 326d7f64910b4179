"""Includes have one direction: a folder includes only folders below it, there is no circle of files, and no crowd."""
import os
import re
import sys

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))

# What reads processes, cores and files, from the lowest to the highest.
TARGET = ["mqd/dump/collect/target/elf", "mqd/dump/collect/target", "mqd/dump/collect/target/stack"]

# The folders from the lowest to the highest. A folder may include itself and the folders that its row names.
FLOORS = {
    "include": [],
    "layout": [],
    "mqd/dll": ["include", "layout"],
    "mqd/dump/base": ["include"],
    "mqd/dump/collect/target/elf": ["include", "mqd/dump/base"],
    "mqd/dump/collect/target": ["include", "mqd/dump/base", TARGET[0]],
    "mqd/dump/collect/target/stack": ["include", "mqd/dump/base", *TARGET[:2]],
    "mqd/dump/collect/child": ["include", "mqd/dump/base", *TARGET],
    "mqd/dump/collect/hold": ["include", "mqd/dump/base", *TARGET],
    "mqd/dump/collect/job": ["include", "mqd/dump/base", *TARGET, "mqd/dump/collect/child"],
    "mqd/dump/collect/client": ["include", "mqd/dump/base", *TARGET],
    "mqd/dump/collect/openmp": ["include", "layout", "mqd/dump/base", *TARGET],
    "mqd/dump/record": ["include", "mqd/dump/base", *TARGET, "mqd/dump/collect/job", "mqd/dump/collect/client",
                        "mqd/dump/collect/openmp"],
    "mqd/dump/verdict": ["include", "mqd/dump/base", *TARGET, "mqd/dump/collect/job", "mqd/dump/collect/client",
                         "mqd/dump/collect/openmp", "mqd/dump/record"],
}
UNDER_SHOW = [*FLOORS["mqd/dump/verdict"], "mqd/dump/verdict"]
FLOORS["mqd/dump/show/say"] = UNDER_SHOW
OVER_SAY = [*UNDER_SHOW, "mqd/dump/show/say"]
FLOORS.update({
    "mqd/dump/show/text": OVER_SAY,
    "mqd/dump/show/graph": OVER_SAY,
    "mqd/dump/show/page": [*OVER_SAY, "mqd/dump/show/text", "mqd/dump/show/graph"],
    "mqd/dump/show/watch": [*OVER_SAY, "mqd/dump/show/text"],
})
# What is above them all in mqd/dump, from the lowest to the highest: each includes all below it.
for folder in ("show", "look", "ask", "choose", "role"):
    FLOORS[f"mqd/dump/{folder}"] = ["include", *(known for known in FLOORS if known.startswith("mqd/dump/"))]
FLOORS["mqd/dump"] = FLOORS["mqd/dump/role"] + ["mqd/dump/role"]

# A folder of the DLL has the code of one PML, that of windows, or that of handles, which tells of windows too. It
# includes the shared part. Only the file that chooses the PML, or serves the interface, includes it.
WINDOWS, HANDLES = "mqd/dll/osc", "mqd/dll/handle"
BELOW = sorted(entry.path[len(SOURCE) + 1:] for entry in os.scandir(os.path.join(SOURCE, "mqd/dll")) if entry.is_dir())
FLOORS.update({folder: ["include", "layout", "mqd/dll"] for folder in BELOW})
FLOORS[HANDLES].append(WINDOWS)
DOORS = {"mqd/dll/pml.c": [folder for folder in BELOW if folder not in (WINDOWS, HANDLES)],
         "mqd/dll/entry.c": [WINDOWS, HANDLES]}

# Files without a header of their own: include/ declares their functions, or nobody calls them, or they share a header.
NO_HEADER = {"mqd/dll/entry.c", "mqd/dump/main.c", "layout/geometry.c", "layout/resolve.c", "layout/spec.c",
             "mqd/dump/record/read_communicator.c", "mqd/dump/record/read_rank.c",
             *(f"mqd/dump/verdict/{name}.c" for name in ("ended", "group", "inert", "note", "queue", "rank_threads")),
             *(f"{HANDLES}/{name}.c" for name in ("attribute", "communicator", "datatype", "request"))}

# How many .c files a folder has that has no folders, and which ones lie above all folders of mqdump.
MOST_SOURCES = 25
TOP, LOOSE = "mqd/dump", {"main.c", "options.c"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

# Headers in the build tree, not in the source tree.
GENERATED = {"config.h"}


def read_includes(source):
    """Returns {path: paths of the files that it includes} for all files of the folders, relative to the top."""
    found = {}
    for floor in FLOORS:
        folder = os.path.join(source, floor)
        for name in sorted(os.listdir(folder)):
            if name.endswith((".c", ".h", ".def")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found[f"{floor}/{name}"] = [path for path in INCLUDE.findall(file.read()) if path not in GENERATED]
    return found


def component(path):
    """Returns a path without suffix: x.c and x.h are one component."""
    return os.path.splitext(path)[0]


def wrong_floors(includes):
    """Yields a line for each include of a file that does not exist, or whose folder must not be included."""
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
    """Yields a line for each circle of components that include each other."""
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


def too_many(includes):
    """Yields a line for each folder with more .c files than one looks through."""
    sources = {}
    for path in includes:
        if path.endswith(".c"):
            sources.setdefault(os.path.dirname(path), set()).add(os.path.basename(path))
    for folder, names in sorted(sources.items()):
        if len(names) > MOST_SOURCES and not any(other.startswith(f"{folder}/") for other in sources):
            yield f"{folder} has {len(names)} .c files and no folders"
    for name in sorted(sources.get(TOP, set()) - LOOSE):
        yield f"{TOP}/{name} belongs into a folder"


def problems(includes):
    """Returns a line for each problem."""
    return [*wrong_floors(includes), *circles(includes), *without_header(includes), *too_many(includes)]


def check_the_check(includes):
    """Breaks each rule once. Yields a line for each problem that the check does not find."""
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
    crowd = {f"mqd/dump/base/crowd{i}.c": [] for i in range(MOST_SOURCES + 1)}
    for more, text in ((crowd, "has 26 .c files and no folders"), ({"mqd/dump/lonely.c": []}, "belongs into a folder")):
        if not any(text in line for line in too_many(more)):
            yield f"the check misses: {text}"


def main():
    """Prints all problems. Returns the exit status, 0 if there are none."""
    includes = read_includes(SOURCE)
    found = problems(includes) or list(check_the_check(includes))
    for line in found:
        print(line)
    print(f"{len(includes)} files: {'FAILED' if found else 'includes run one way'}")
    print(f"{not found:d} passed, {len(found)} failed, 0 skipped")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
