"""The code below mqdump's main neither prints messages by itself nor changes the environment.

Warnings and notices go through base/warning.c. Only roles, select_job and show/report.c print other messages.
"""
import os
import re
import sys

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
BELOW = ("base", "collect", "record", "verdict", "show", "look", "ask")

# Patterns of code that writes to standard error or output, or changes the environment; and the files that may do so.
RULES = {
    r"\bstderr\b|\bSTDERR_FILENO\b": {
        "base/warning.c",      # the one place for warnings
        "collect/child/child.c",   # a line on a terminal, which is erased later
        "base/memory.c",       # the message that there is no memory left
        "collect/child/start.c",   # gives a program its own
        "collect/job/pmix.c", # silences a library
        "look/look_apart.c",       # gives a process its own
        "show/report.c",           # says what cannot be written
    },
    r"\b(?:perror|psignal|psiginfo|v?warnx?|v?errx?|error|error_at_line|v?syslog|v?dprintf)\s*\(": set(),
    r"\bwrite\s*\(\s*[12]\s*,": set(),
    r"\bstdout\b|\bSTDOUT_FILENO\b|(?<![\w>.])(?:v?printf|puts|putchar)\s*\(": {
        "base/terminal.c",     # tests whether it is a terminal
        "base/whole_file.c",   # writes a document there that is asked for as "-"
        "show/watch/screen.c", # has the screen of the terminal, which nothing else writes to meanwhile
        "collect/child/start.c",   # gives a program its own
        "collect/job/ask.c",       # answers in a process of its own
        "look/look_apart.c",       # gives a process its own
        "show/report.c",           # prints all of it
    },
    r"\b(?:setenv|putenv|clearenv|unsetenv)\s*\(": set(),       # only main may
}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def read_files():
    """Returns {path: C code} below mqd/dump. Comments and strings are removed; the numbers of lines stay the same."""
    found = {}
    for floor in BELOW:
        for directory, _, names in os.walk(os.path.join(SOURCE, "mqd/dump", floor)):
            for name in names:
                if name.endswith((".c", ".h", ".def")):
                    path = os.path.join(directory, name)
                    with open(path, encoding="utf-8") as file:
                        code = COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), file.read())
                    found[os.path.relpath(path, os.path.join(SOURCE, "mqd/dump"))] = code
    return found


def problems(files):
    """Yields a line for each place that breaks a rule, and for each exception that is not needed."""
    for rule, allowed in RULES.items():
        idle = set(allowed)
        for path, code in sorted(files.items()):
            for match in re.finditer(rule, code):
                idle.discard(path)
                if path not in allowed:
                    line = code.count("\n", 0, match.start()) + 1
                    yield f"mqd/dump/{path}:{line}: {match.group().strip('( ')} is not for this file"
        for path in sorted(idle):
            yield f"mqd/dump/{path} may break a rule and does not: take it out of RULES"


def check_the_check(files):
    """Breaks each rule once. Yields a line for each problem that the check does not find."""
    path = "collect/target/proc.c"
    for code, culprit in (('fprintf(stderr, "x");', "stderr"), ('perror("x");', "perror"), ('warnx("x");', "warnx"),
                          ('printf("x");', "printf"), ('fputs("x", stdout);', "stdout"),
                          ("write(STDERR_FILENO, text, n);", "STDERR_FILENO"),
                          ('dprintf(2, "x");', "dprintf"), ('setenv("A", "b", 1);', "setenv"),
                          ('unsetenv("A");', "unsetenv")):
        text = f"mqd/dump/{path}:1: {culprit} is not for this file"
        if text not in problems({**files, path: code + files[path]}):
            yield f"the check misses: {code}"
    if list(problems({**files, path: COMMENT_OR_STRING.sub("", '/* stderr */ "perror(" // stdout') + files[path]})):
        yield "the check takes comments and texts for code"


def main():
    """Prints all problems. Returns the exit status, 0 if there are none."""
    files = read_files()
    found = list(problems(files)) or list(check_the_check(files))
    for line in found:
        print(line)
    print(f"{len(files)} files: {'FAILED' if found else 'none writes what it is not told to'}")
    print(f"{not found:d} passed, {len(found)} failed, 0 skipped")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
