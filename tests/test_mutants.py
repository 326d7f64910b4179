"""Which mutants are made of a sample, which of them are chosen, and how they are counted."""
import argparse
import contextlib
import io
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mutants  # noqa: E402  (the path above comes first)
import mutations  # noqa: E402

SAMPLE = r"""
#if 1 < 2 /* not a mutant */
enum kind { KIND = 3 };
static const int table[2] = {4, 5};
/* a < b, f(x, y) */
static bool within(const struct list *list, size_t n)
{
    char text[20], quote = '"';
    struct point point = {.x = 6, .y = n < 7};
    size_t i = 0;

    if (!list->bad && (n == 0 ||
        list->n > n))
        note(list, "a && b");
    switch (n) {
    case 8:
        free(text);
    }
    return f((int)n) ? -1 : strcmp(text, "") != 0x10;
}
"""


def made(text=SAMPLE, operator=None):
    """Returns (the line, what is there instead) of each mutant of an operator."""
    return [(mutant.line, mutant.text) for mutant in mutations.mutants_of("dir/a.c", text)
            if operator in (None, mutant.operator)]


class Made(unittest.TestCase):
    def test_comparisons(self):
        self.assertEqual(made(operator="comparison"), [(9, ">="), (12, "!="), (13, "<="), (19, "==")])
        self.assertEqual(made(operator="boundary"), [(9, "<="), (13, ">=")])

    def test_operands(self):
        found = [(mutant.line, mutant.last, SAMPLE[mutant.start:mutant.end], mutant.text)
                 for mutant in mutations.mutants_of("dir/a.c", SAMPLE) if mutant.operator == "operand"]
        self.assertEqual(found, [(12, 12, "!list->bad", "1"), (12, 13, "(n == 0 ||\n        list->n > n)", "1"),
                                 (12, 12, "n == 0", "0"), (13, 13, "list->n > n", "0")])

    def test_operands_of_a_chain_are_dropped_once(self):
        text = "int f(int a)\n{\n    return a && g(b, c) && !d[e] ? 1 : 2;\n}\n"
        self.assertEqual(made(text, "operand"), [(3, "1")] * 3)

    def test_constants(self):
        self.assertEqual(made(operator="constant"), [(12, "1"), (19, "0"), (19, "15"), (19, "17")])

    def test_calls(self):
        self.assertEqual(made(operator="call"), [(14, '/* note(list, "a && b") */')])
        self.assertEqual(made(operator="arguments"), [(14, '"a && b", list')])

    def test_changed_line_names_the_mutant(self):
        self.assertIn("dir/a.c: operand: if (!list->bad && 1)",
                      [mutants.line_of(mutant) for mutant in mutations.mutants_of("dir/a.c", SAMPLE)])


def mutant(path, line=1, operator="boundary"):
    return mutations.Mutant(path, line, line, operator, line, line + 1, "x", "x")


def chosen(all_mutants, only=None, count=None, seed=1):
    return mutants.chosen(all_mutants, argparse.Namespace(only=only, count=count, seed=seed))


class Counted(unittest.TestCase):
    def report(self, *results):
        """Returns the exit status and the lines."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = mutants.report(results)
        return status, out.getvalue().splitlines()

    def test_score_of_each_folder(self):
        target, dll = mutant("mqd/dump/collect/target/a.c"), mutant("mqd/dll/osc/a.c")
        status, lines = self.report(*[(target, "test_x")] * 9, (target, None), *[(dll, "test_x")] * 19, (dll, None),
                                    (dll, "same"), (dll, "invalid"))
        self.assertEqual((status, lines), (0, [
            "dll: 95.0 % of 20 noticed (1 survived, 1 change nothing, 1 are no C)",
            "target: 90.0 % of 10 noticed (1 survived, 0 change nothing, 0 are no C)"]))

    def test_too_few_noticed(self):
        for path, n in (("layout/a.c", 18), ("mqd/dump/collect/target/a.c", 8)):
            status, lines = self.report(*[(mutant(path), "test_x")] * n, (mutant(path), None))
            self.assertEqual((status, lines[0][-9:]), (1, ": too few"))

    def test_chosen_by_place(self):
        every = [mutant("layout/a.c", line) for line in (1, 2)] + [mutant("layout/ab.c"), mutant("mqd/dll/a.c")]
        self.assertEqual(chosen(every, ["layout/a.c"]), every[:2])
        self.assertEqual(chosen(every, ["layout/a.c:2", "mqd/dll"]), [every[1], every[3]])

    def test_chosen_by_seed_as_many_of_each_folder(self):
        every = [mutant(f"{folder}/a.c", line) for folder in ("layout", "mqd/dll") for line in range(50)]
        first = chosen(every, count=20)
        self.assertEqual(len([one for one in first if one.path == "layout/a.c"]), 10)
        self.assertEqual((len(first), chosen(every, count=20)), (20, first))
        self.assertNotEqual(chosen(every, count=20, seed=2), first)

    def test_equivalents(self):
        text = "# why\n\na.c: call: x\n    never\n    read\n\nb.c: operand: y\n    z\n"
        self.assertEqual(mutants.read_equivalents(text),
                         {"a.c: call: x": "never\n    read", "b.c: operand: y": "z"})


if __name__ == "__main__":
    unittest.main()
