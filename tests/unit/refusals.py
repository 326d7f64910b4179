"""Each message with which mqd/dump/record refuses a record is in test_dump_record_refusals.c, and each range of a number."""
import collections
import glob
import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEXT = r'"((?:[^"\\\n]|\\.)*)"'
REFUSALS = (r"set_reason\((.*?)\);", r"TABLE\((.*?)\);", r"(?:why|problem) = (?:format_text|copy_string)\((.*?)\);")
OTHERS = {"sequence": "no number of JSON is beyond its range", "peer": "the first of a tuple, which has no keys"}


def read(path):
    """The C text with each literal, of whatever parts, as one."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'" PRI[a-z]64 "', "d", file.read())
    return re.sub(r'"\s*\n\s*"', "", re.sub(r'" PRI[a-z]64', 'd"', text))


def pattern_of(literal):
    """What messages have that a format makes."""
    return ".*".join(re.escape(part) for part in re.split(r"%[.\d]*[zl]?[dusxf]", literal))


class Refusals(unittest.TestCase):
    def test_each_has_a_row(self):
        rows = re.findall(TEXT, read(os.path.join(TOP, "tests/unit/test_dump_record_refusals.c")))
        paths = {row.rpartition(".")[2] for row in rows}
        needed, n_found = collections.Counter(), 0
        for path in glob.glob(os.path.join(TOP, "mqd/dump/record/*.c")):
            text = read(path)
            for call in (call for refusal in REFUSALS for call in re.findall(refusal, text, re.DOTALL)):
                for literal in re.findall(TEXT, call):
                    n_found += 1
                    pattern = pattern_of(literal)
                    needed[pattern] += 1
                    # A message of several places has as many rows.
                    self.assertGreaterEqual(sum(bool(re.search(pattern, row)) for row in rows), needed[pattern],
                                            f"{path}: {literal}")
            for key in re.findall(r'    {NUMBER\([^"]*"(\w+)"', text):
                self.assertIn(key, {*paths, *OTHERS}, path)
        self.assertGreater(n_found, 60)


if __name__ == "__main__":
    unittest.main()
