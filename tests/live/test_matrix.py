"""The table of mqdump(1) of what is certain: each line names a case of a live suite, and says what that case expects."""
import importlib
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import matrix  # noqa: E402  (the path above comes first)
import verdicts  # noqa: E402  (the path above comes first)

NOT_SEEN = "not seen"


def contents(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


def kinds():
    """The names of findings by their headings."""
    rows = re.findall(r'^FINDING\(\w+, "([^"]+)", "(\w+)"', contents("mqd", "dump", "verdict", "findings.def"), re.M)
    return dict(rows)


def certainty(findings, kind):
    """Of the first finding of this kind; of any, if the kind is None."""
    found = [finding.certainty for finding in findings if kind in (None, finding.kind)]
    return found[0] if found else NOT_SEEN


class Matrix(unittest.TestCase):
    def setUp(self):
        self.lines = matrix.lines()
        self.rows = [row for _, row in self.lines if row]

    def test_every_line_can_be_read(self):
        self.assertGreater(len(self.rows), 30)
        self.assertEqual([line for line, row in self.lines if row is None], [])

    def test_every_cell_is_what_its_case_expects(self):
        for row in self.rows:
            with self.subTest(row):
                suite = importlib.import_module(row.suite)
                case = next((case for case in suite.CASES if case.name == row.case), None)
                self.assertIsNotNone(case, f"{row.suite}.py has no such case")
                kind = None if row.heading == matrix.NO_FINDING else kinds()[row.heading]
                self.assertEqual(row.job, certainty(case.findings, kind))
                cores = case.findings if case.cores is None else case.cores
                self.assertEqual(row.core, cores if cores == verdicts.NOT_TRIED else certainty(cores, kind))

    def test_every_finding_of_a_suite_has_a_line(self):
        told = {row.heading for row in self.rows}
        names = kinds()
        for suite in sorted({row.suite for row in self.rows}):
            for case in importlib.import_module(suite).CASES:
                for finding in case.findings:
                    heading = next(heading for heading, name in names.items() if name == finding.kind)
                    self.assertIn(heading, told, f"{suite}.py: {case.name}")


if __name__ == "__main__":
    unittest.main()
