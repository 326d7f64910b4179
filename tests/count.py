"""Adds up what the test programs say of themselves: CMocka, Python's unittest, and closing lines of our own.

Usage: count.py N-FAILED-STEPS DIRECTORY. Reads all logs below the directory; prints one closing line; exit status 1 if
anything failed or nothing was run.
"""
import os
import re
import sys

CMOCKA = re.compile(r"^\[  (PASSED|SKIPPED|FAILED) +\] (\d+) test\(s\)", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n\n(OK|FAILED)(?: \((.*)\))?$", re.M)
CLOSING = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
COUNTED_STEPS = ("failing.log", "fuzz.log", "live.log", "verdicts.log", "page.log", "generated.log", "release", "ucx")


def count(text):
    passed = failed = skipped = 0
    for kind, number in CMOCKA.findall(text):
        passed += int(number) if kind == "PASSED" else 0
        skipped += int(number) if kind == "SKIPPED" else 0
        failed += int(number) if kind == "FAILED" else 0
    for ran, _, details in UNITTEST.findall(text):
        numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", details or "")}
        bad = numbers.get("failures", 0) + numbers.get("errors", 0)
        failed += bad
        skipped += numbers.get("skipped", 0)
        passed += int(ran) - bad - numbers.get("skipped", 0)
    for numbers in CLOSING.findall(text):
        passed, failed, skipped = (a + int(b) for a, b in zip((passed, failed, skipped), numbers))
    return passed, failed, skipped


def logs(directory):
    for path, _, names in os.walk(directory):
        for name in names:
            # The logs of single steps repeat what the logs of their tests say, but for the live tests.
            if name.endswith(".log") and (path != directory or name.split("-")[0] in COUNTED_STEPS):
                yield os.path.join(path, name)


def total(directory):
    """(passed, failed, skipped) of all logs below the directory."""
    totals = (0, 0, 0)
    for name in logs(directory):
        with open(name, encoding="utf-8", errors="replace") as file:
            totals = tuple(a + b for a, b in zip(totals, count(file.read())))
    return totals


def main(failed_steps, directory):
    """Prints the closing line; the exit status."""
    passed, failed, skipped = total(directory)
    if failed_steps > failed:
        failed = failed_steps
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or failed_steps or not passed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
