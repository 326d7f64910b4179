"""The reader of openmpi.def: it accepts the grammar that the head of the file states, and nothing else."""

import glob
import os
import re

import support
from mqdlib.errors import MqdError
from mqdlib.spec import read_spec, read_specs

GROUND = """\
MQD_LIBRARY(openmpi, "Open MPI")
MQD_CAPABILITY(things, "things")
MQD_TYPE(a_t, struct, exact, class)
MQD_STEP(a_t, x, i32, always)
MQD_TYPE(b_t, struct, exact, plain)
MQD_EMBED(b_t, a, a_t, always)
MQD_PATH(b_a, root, b_t, a, part)
"""

# What is appended to GROUND (whose last line is 7), the line of the error, and its text.
ERRORS = [
    ("int x;", 8, "neither a comment nor one of"),
    (" MQD_TYPE(c_t, struct, exact, class)", 8, "neither a comment nor one of"),
    ("MQD_OTHER(c_t)", 8, "neither a comment nor one of"),
    ("// comment", 8, "neither a comment nor one of"),
    ("#define X", 8, "neither a comment nor one of"),
    ("MQD_TYPE(c_t, struct, exact)", 8, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t,struct,exact,class)", 8, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t, struct, exact, class);", 8, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c_t, struct, exact, class) /* why */", 8, "not the form of MQD_TYPE"),
    ("MQD_TYPE(c t, struct, exact, class)", 8, "not the form of MQD_TYPE"),
    ("MQD_STEP(b_t, y, i32)", 8, "not the form of MQD_STEP"),
    ("MQD_HEADER(demo.h, always)", 8, "not the form of MQD_HEADER"),
    ('MQD_HEADER("demo.h")', 8, "not the form of MQD_HEADER"),
    ('MQD_HEADER("/abs.h", always)', 8, "not the form of MQD_HEADER"),
    ('MQD_HEADER("a/../x.h", always)', 8, "must not climb"),
    ('MQD_HEADER("x.h", varies)', 8, "rule varies: must be always, optional or foreign"),
    ('MQD_HEADER("x.h", always)\nMQD_HEADER("x.h", optional)', 9, "header x.h is already in line 8"),
    ('MQD_CAPABILITY(other, "a \\" quote")', 8, "not the form of MQD_CAPABILITY"),
    ('MQD_CAPABILITY(other, "100 %s")', 8, "not the form of MQD_CAPABILITY"),
    ('MQD_CAPABILITY(things, "again")', 8, "capability things is there twice"),
    ('MQD_CAPABILITY(part, "part")', 8, "capability part: the word has a meaning"),
    ('MQD_CAPABILITY(extra, "extra")', 8, "capability extra: the word has a meaning"),
    ("MQD_TYPE(a_t, struct, exact, class)", 8, "type a_t is already in line 3"),
    ("MQD_TYPE(c_t, class, exact, class)", 8, "form class: must be struct, union or tag"),
    ("MQD_TYPE(c_t, struct, about, class)", 8, "size rule about: must be exact or at_least"),
    ("MQD_TYPE(c_t, struct, exact, other)", 8, "descriptor other: must be class or plain"),
    ("MQD_STEP(b_t, y, i32, always)", 8, "does not follow its MQD_TYPE(b_t, ...) directly"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(a_t, y, i32, always)", 9, "does not follow its MQD_TYPE(a_t, ...)"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, int, always)", 9, "kind int: must be i8, i16"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, struct, always)", 9, "kind struct: must be i8, i16"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, i8, never)", 9, "rule never: must be always"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_STEP(c_t, y, i8, always)\nMQD_EMBED(c_t, y, a_t, always)", 10,
     "step c_t.y is already in line 9"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_EMBED(c_t, d, d_t, always)\nMQD_TYPE(d_t, struct, exact, class)", 9,
     "c_t.d: type d_t must come before"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_EMBED(c_t, c, c_t, always)", 9, "c_t.c: type c_t must come before"),
    ("MQD_TYPE(e, struct, exact, class)\nMQD_STEP(e, f__g, i8, always)\nMQD_TYPE(e__f, struct, exact, class)\n"
     "MQD_STEP(e__f, g, i8, always)", 11, "the same identifier, e__f__g, as e.f__g"),
    ("MQD_PATH(b_a, root, b_t, a, part)", 8, "path b_a is already in line 7"),
    ("MQD_TYPE(c_t, struct, exact, class)\nMQD_FIELD(c_t, y, i8, always, b_a, part)", 9, "path b_a is already in line 7"),
    ("MQD_FIELD(b_t, y, i32, always, y, part)", 8, "does not follow its MQD_TYPE(b_t, ...) directly"),
    ("MQD_PATH(root, root, b_t, a, part)", 8, "path root is the object itself"),
    ("MQD_PATH(p, q, a_t, x, things)\nMQD_PATH(q, root, b_t, a, part)", 8, "its parent q does not come before it"),
    ("MQD_PATH(p, root, c_t, x, things)", 8, "there is no step c_t.x"),
    ("MQD_PATH(p, root, a_t, y, things)", 8, "there is no step a_t.y"),
    ("MQD_PATH(p, b_a, b_t, a, things)", 8, "cannot follow b_a: b_t.a embeds a_t"),
    ("MQD_PATH(p, b_a, a_t, x, things)\nMQD_PATH(q, p, a_t, x, things)", 9, "cannot follow p: a_t.x is a i32, not an"),
    ("MQD_PATH(p, b_a, a_t, x, nothing)\n\n", 8, "path p: there is no capability nothing"),
    ("MQD_CONSTANT(one, ONE, i32, always)", 8, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, 1, i32, always, things)", 8, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE + 1, i32, always, things)", 8, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE, i32, always, things);", 8, "not the form of MQD_CONSTANT"),
    ("MQD_CONSTANT(one, ONE, chars, always, things)", 8, "kind chars: must be i8, i16"),
    ("MQD_CONSTANT(one, ONE, struct, always, things)", 8, "kind struct: must be i8, i16"),
    ("MQD_CONSTANT(one, ONE, i32, varies, things)", 8, "rule varies: must be always or optional"),
    ("MQD_CONSTANT(one, ONE, i32, always, part)", 8, "constant one: need part: must be a capability or extra"),
    ("MQD_CONSTANT(one, ONE, i32, optional, things)", 8, "constant one: need things: must be a capability or extra"),
    ("MQD_CONSTANT(one, ONE, i32, always, nothing)\n\n", 8, "constant one: there is no capability nothing"),
    ("MQD_CONSTANT(one, ONE, i32, always, extra)\nMQD_CONSTANT(one, TWO, i32, always, extra)", 9,
     "constant one is already in line 8"),
    ("MQD_CONSTANT(one, ONE, i32, always, extra)\nMQD_STEP(b_t, y, i8, always)", 9, "does not follow its MQD_TYPE(b_t"),
    ('MQD_LIBRARY(ucx, "UCX")', 8, "a list is of one library, which its first row names"),
    ("MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, d.e, i8, always)", 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "", i8, always)', 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.", i8, always)', 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d[1]", i8, always)', 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.e  f", i8, always)', 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.e f d.e", i8, always)', 9, "one way is there twice"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.e", struct, always)', 9, "kind struct: must be i8"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.e", i8, never)', 9, "rule never: must be always"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_STEP(c_t, y, i8, always)\nMQD_NESTED(c_t, y, "d.e", i8, always)', 10,
     "step c_t.y is already in line 9"),
    ('MQD_NESTED(b_t, y, "d.e", i8, always)', 8, "does not follow its MQD_TYPE(b_t"),
    ('MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, y, "d.e", bytes, always)\nMQD_PATH(p, root, c_t, y, part)\n'
     "MQD_PATH(q, p, a_t, x, things)", 11, "cannot follow p: c_t.y is a bytes, not an MQD_EMBED"),
    ('MQD_CONSTANT(one, "ONE", i32, always, things)', 8, "not the form of MQD_CONSTANT"),
    ('MQD_CONSTANT(one, "ONE TWO ", i32, always, things)', 8, "not the form of MQD_CONSTANT"),
    ('MQD_CONSTANT(one, "ONE 2", i32, always, things)', 8, "not the form of MQD_CONSTANT"),
    ('MQD_CONSTANT(one, "ONE TWO ONE", i32, always, things)', 8, "constant one: one name is there twice"),
    ('MQD_TYPE(c_t, struct, exact, class)\nMQD_NESTED(c_t, y, "y[1]", i8, always)', 9, "not the form of MQD_NESTED"),
    ('MQD_TYPE(c_t, struct, exact, class)\nMQD_NESTED(c_t, y, "[0]", i8, always)', 9, "not the form of MQD_NESTED"),
    ("/* never\nends", 8, "this comment never ends"),
    ("/* a */ MQD_PATH(p, b_a, a_t, x, things)", 8, "something follows a comment"),
    ("/*\n */ x", 9, "something follows a comment"),
    ("/* a */ /* b */", 8, "something follows a comment"),
]
# Which sources read what a list has.
READERS = {"openmpi": "mqd/dll/**/*.[ch]", "ucx": "mqd/dll/**/*.[ch]",
           "gomp": "mqd/dump/collect/openmp/**/*.[ch]", "kmp": "mqd/dump/collect/openmp/**/*.[ch]"}


class SpecReader(support.Scratch):
    def test_everything_outside_the_grammar_is_an_error_with_its_line(self):
        for text, line, message in ERRORS:
            with self.subTest(text):
                path = self.write("bad.def", GROUND + text + "\n")
                with self.assertRaises(MqdError) as caught:
                    read_spec(path)
                self.assertTrue(str(caught.exception).startswith(f"{path}:{line}: "), caught.exception)
                self.assertIn(message, str(caught.exception))

    def test_what_the_grammar_allows_is_read_in_order(self):
        path = self.write("good.def", "/* One\n * comment. */\n\n" + GROUND + "/* Another. */\n"
                          'MQD_HEADER("a/b.h", always)\nMQD_HEADER("c.h", optional)\n'
                          'MQD_PATH(x, b_a, a_t, x, things)\nMQD_CONSTANT(one, A_ONE, u8, always, things)\n'
                          'MQD_CONSTANT(two, A_TWO, enum, optional, extra)\n')
        spec = read_spec(path)
        self.assertEqual(spec.headers, {"a/b.h": 12, "c.h": 13})
        self.assertEqual(spec.optional_headers, {"c.h"})
        self.assertEqual(list(spec.types), ["a_t", "b_t"])
        self.assertEqual(list(spec.paths), ["root", "b_a", "x"])
        self.assertEqual([(s.name, s.kind, s.inner, s.rule, s.line) for s in spec.steps()],
                         [("a_t.x", "i32", None, "always", 7), ("b_t.a", "struct", "a_t", "always", 9)])
        self.assertEqual([(c.name, c.expressions, c.kind, c.rule, c.need, c.line) for c in spec.constants.values()],
                         [("one", ("A_ONE",), "u8", "always", "things", 15),
                          ("two", ("A_TWO",), "enum", "optional", "extra", 16)])
        self.assertEqual(spec.capabilities, {"things": "things"})

    def test_a_field_is_a_step_and_a_path(self):
        def meaning(rows):
            spec = read_spec(self.write("field.def", GROUND + "MQD_TYPE(c_t, struct, exact, plain)\n" + rows))
            return spec.digest, [(path.name, path.parent, path.step and path.step.name, path.need)
                                 for path in spec.paths.values()]
        two = "MQD_STEP(c_t, y, i8, always)\nMQD_STEP(c_t, z, u16, optional)\nMQD_PATH(p, root, c_t, y, things)\n"
        one = "MQD_FIELD(c_t, y, i8, always, p, things)\nMQD_STEP(c_t, z, u16, optional)\n"
        self.assertEqual(meaning(two), meaning(one))

    def test_the_first_row_names_the_library(self):
        rest = GROUND.split("\n", 1)[1]
        for text, line, message in (
                (rest, 1, "MQD_CAPABILITY: the first row must be MQD_LIBRARY"),
                ("/* Only a comment. */\n", 2, "there is no MQD_LIBRARY, which must be the first row"),
                ('MQD_LIBRARY(mpich, "MPICH")\n' + rest, 1, "library mpich: must be openmpi, ucx, gomp or kmp"),
                ('MQD_LIBRARY(ucx, "Unified")\n' + rest, 1, "library ucx: its title is UCX"),
                ("MQD_LIBRARY(ucx)\n" + rest, 1, "not the form of MQD_LIBRARY")):
            with self.subTest(text):
                path = self.write("bad.def", text)
                with self.assertRaises(MqdError) as caught:
                    read_spec(path)
                self.assertEqual(str(caught.exception).split(f"{path}:{line}: ")[0], "", caught.exception)
                self.assertIn(message, str(caught.exception))
        self.assertEqual(read_spec(self.write("ucx.def", 'MQD_LIBRARY(ucx, "UCX")\n' + rest)).title, "UCX")

    def test_ways_to_nested_members_and_names_of_constants(self):
        spec = read_spec(self.write("nested.def", GROUND + 'MQD_HEADER("a/b.inl", always)\n'
                                    "MQD_TYPE(c_t, struct, exact, plain)\nMQD_STEP(c_t, y, i8, always)\n"
                                    'MQD_NESTED(c_t, z, "d.e f", u64, optional)\n'
                                    'MQD_CONSTANT(one, "NEW OLDER OLD", u8, always, things)\n'))
        steps = spec.types["c_t"].steps
        self.assertEqual({name: (step.nested, step.ways, step.kind, step.rule) for name, step in steps.items()},
                         {"y": (False, ("y",), "i8", "always"), "z": (True, ("d.e", "f"), "u64", "optional")})
        self.assertEqual(spec.constants["one"].expressions, ("NEW", "OLDER", "OLD"))
        self.assertEqual(spec.constants["one"].title, "constant one (NEW or OLDER or OLD)")
        self.assertEqual(list(spec.headers), ["a/b.inl"])

    def test_nested_steps_may_overlap_where_their_ways_part_before_the_last_member(self):
        def may(*ways):
            rows = "".join(f'MQD_NESTED(c_t, s{i}, "{way}", u64, always)\n' for i, way in enumerate(ways))
            spec = read_spec(self.write("two.def", GROUND + "MQD_TYPE(c_t, struct, exact, plain)\n" + rows))
            one, two = spec.types["c_t"].steps.values()
            self.assertEqual(one.may_overlap(two), two.may_overlap(one))
            return one.may_overlap(two)
        self.assertTrue(may("send.tag", "recv.tag"))
        self.assertTrue(may("iter.one.buffer", "iter.other.count"))
        self.assertTrue(may("send.tag", "recv.deep.tag"))
        self.assertFalse(may("send.tag", "send.length"))
        self.assertFalse(may("send.tag", "send.tag.value"))
        self.assertFalse(may("tag", "send.tag"))
        self.assertFalse(may("one", "two"))
        self.assertTrue(may("tag send.tag", "recv.tag"))
        spec = read_spec(self.write("plain.def", GROUND + "MQD_TYPE(c_t, struct, exact, plain)\n"
                                    'MQD_STEP(c_t, y, i8, always)\nMQD_NESTED(c_t, z, "d.e", u64, always)\n'))
        self.assertFalse(spec.types["c_t"].steps["y"].may_overlap(spec.types["c_t"].steps["z"]))

    def test_no_identifier_is_in_two_lists(self):
        first = self.write("first.def", GROUND)
        ucx = 'MQD_LIBRARY(ucx, "UCX")\n'
        self.assertEqual(list(read_specs([first, self.write("u.def", ucx)])), ["openmpi", "ucx"])
        for row, name in (("MQD_TYPE(a_t, struct, exact, plain)", "a_t"), ('MQD_CAPABILITY(things, "x")', "things"),
                          ("MQD_TYPE(c_t, struct, exact, plain)\nMQD_STEP(c_t, y, i8, always)\n"
                           "MQD_PATH(b_a, root, c_t, y, extra)", "b_a")):
            second = self.write("second.def", ucx + row + "\n")
            with self.assertRaises(MqdError) as caught:
                read_specs([first, second])
            self.assertEqual(str(caught.exception), f"{second}: {name} is also in {first}: choose another name")
        with self.assertRaisesRegex(MqdError, "is a list of Open MPI, as .*first.def is"):
            read_specs([first, first])
        self.assertEqual(list(read_specs(support.SPECS)), ["openmpi", "ucx"])

    def test_digest_depends_on_types_steps_and_constants_only(self):
        def digest(text):
            return read_spec(self.write("digest.def", text)).digest
        base = digest(GROUND)
        self.assertRegex(base, r"^[0-9a-f]{16}$")
        self.assertEqual(digest("/* More. */\n\n" + GROUND + 'MQD_HEADER("a.h", optional)\n'), base)
        self.assertEqual(digest(GROUND + "MQD_PATH(x, b_a, a_t, x, things)\n"), base)
        self.assertEqual(digest(GROUND.replace('"things"', '"other things"')), base)
        for old, new in (("x, i32, always", "x, u32, always"), ("x, i32, always", "x, i32, varies"),
                         ("b_t, struct, exact", "b_t, struct, at_least"), ("a_t, x", "a_t, y"),
                         ("b_t, struct", "b_t, union")):
            self.assertNotEqual(digest(GROUND.replace(old, new)), base, new)
        nested = GROUND + 'MQD_TYPE(c_t, struct, exact, plain)\nMQD_NESTED(c_t, z, "d.e f", u64, always)\n'
        self.assertNotEqual(digest(nested), digest(nested.replace("d.e f", "d.e")))
        self.assertNotEqual(digest(nested), digest(nested.replace('NESTED(c_t, z, "d.e f"', "STEP(c_t, z")))
        one = "MQD_CONSTANT(one, ONE, u8, always, extra)\n"
        self.assertNotEqual(digest(GROUND + one), base)
        self.assertEqual(digest(GROUND + one.replace("extra", "things")), digest(GROUND + one))
        for old, new in (("one", "two"), ("ONE", "TWO"), ("u8", "u16"), ("always", "optional")):
            self.assertNotEqual(digest(GROUND + one.replace(old, new)), digest(GROUND + one), new)

    def test_a_file_that_is_not_there_or_not_text(self):
        for path, message in ((self.path("none.def"), "cannot read it"), (self.path("binary.def"), "is not UTF-8")):
            self.write_bytes("binary.def", b"MQD_TYPE\xff")
            with self.assertRaisesRegex(MqdError, message):
                read_spec(path)

    def test_the_projects_own_spec_is_accepted(self):
        spec = read_spec(support.SPEC)
        self.assertIn("ompi_communicator_t", spec.types)
        self.assertTrue(all(path.step for name, path in spec.paths.items() if name != "root"))

    def test_each_place_and_constant_is_read(self):
        """By the C sources, or it leads to a place that is. A list whose reader is still to come has no folder of it."""
        for name, spec in read_specs(support.SPECS + support.RUNTIME_SPECS).items():
            words = set()
            for pattern in (READERS[name], "layout/*.c"):
                for path in glob.glob(os.path.join(support.ROOT, pattern), recursive=True):
                    words.update(re.findall(r"\w+", support.text_of(path)))
            if not os.path.isdir(os.path.join(support.ROOT, READERS[name].split("/*")[0])):
                continue
            parents = {path.parent for path in spec.paths.values()}
            places = {name for name in spec.paths if f"MQD_PATH_{name}" not in words}
            constants = {name for name in spec.constants if f"MQD_CONSTANT_{name}" not in words}
            self.assertEqual((places - parents, constants), (set(), set()))

    def test_the_command_names_file_and_line(self):
        path = self.write("bad.def", GROUND + "int x;\n")
        done = self.mqdgen("emit", "--spec", path, "-o", self.path("tables.c"))
        self.assertFails(done, f"mqdgen: {path}:8: neither a comment")


if __name__ == "__main__":
    support.main()
