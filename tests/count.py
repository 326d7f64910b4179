"""Counts the tests in logs: those of CMocka, of Python's unittest, and of what ends with "N passed, N failed, N skipped"."""
import dataclasses
import os
import re

import skips

# CMocka 2 puts the name of the group before the number.
CMOCKA = re.compile(r"^\[  (PASSED|SKIPPED|FAILED) +\] (?:\w+: )?(\d+) test\(s\)", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n\n(OK|FAILED)(?: \((.*)\))?$", re.M)
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
# Those of skip_because(), for a test of CMocka, and those of unittest.
BECAUSE = re.compile(r"^skipped because: (.*)$", re.M)
REASONS = (BECAUSE, re.compile(r"\.\.\. skipped ['\"](.*)['\"]$", re.M))


@dataclasses.dataclass
class Counted:
    """How many tests passed, failed and were skipped, and the skips for which tests/skips.txt has no reason."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    unexplained: tuple = ()

    def __add__(self, other):
        return Counted(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped,
                       self.unexplained + other.unexplained)

    def text(self):
        """For the line of a step; nothing if it has no tests."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f", {self.passed} passed{skipped}" if self.passed or self.skipped else ""

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def count(text):
    """Returns what a log says."""
    found = Counted()
    for kind, number in CMOCKA.findall(text):
        setattr(found, kind.lower(), getattr(found, kind.lower()) + int(number))
    silent = found.skipped > len(BECAUSE.findall(text))
    for ran, _, details in UNITTEST.findall(text):
        numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", details or "")}
        bad = numbers.get("failures", 0) + numbers.get("errors", 0)
        skipped = numbers.get("skipped", 0)
        found += Counted(int(ran) - bad - skipped, bad, skipped)
    for numbers in CLOSING.findall(text):
        found += Counted(*map(int, numbers))
    reasons = [reason for pattern in REASONS for reason in pattern.findall(text)] + ["none is told"] * silent
    found.unexplained = tuple(dict.fromkeys(reason for reason in reasons if not skips.listed(reason)))
    return found


def of(path, since=0):
    """Returns what a log says, or all logs below a directory that have changed since a time."""
    names = [path] if path.endswith(".log") else [
        os.path.join(directory, name) for directory, _, found in os.walk(path) for name in found
        if name.endswith(".log") and os.path.getmtime(os.path.join(directory, name)) >= since]
    total = Counted()
    for name in names:
        with open(name, encoding="utf-8", errors="replace") as file:
            total += count(file.read())
    return total
