"""Which skips are allowed where everything that the tests need is there."""

import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "skips.txt")


def listed(reason):
    """Says whether skips.txt has this reason."""
    with open(PATH, encoding="utf-8") as file:
        patterns = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return any(re.fullmatch(pattern, " ".join(reason.split())) for pattern in patterns)


if __name__ == "__main__":
    sys.exit(0 if listed(sys.argv[1]) else 1)
