"""Extraction with the real compiler and the real pahole, and with programs in pahole's place that misbehave."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys

import support
from support import fields
from mqdlib import debuginfo
from mqdlib.btf import Btf
from mqdlib.elf import ElfFile
from mqdlib.errors import MqdError
from mqdlib.files import read_bytes

LP64_BIG, LP64_ITEM = support.LP64_TYPES["big_t"][1], support.LP64_TYPES["item_t"][1]
ILP32_ITEM = {"super": (0, 8, "struct"), "next": (8, 4, "ptr"), "length": (12, 4, "size")}


@support.needs_pahole
class Extraction(support.Scratch):
    def assertLeavesNothing(self, done, *texts):
        """The extraction fails, and neither a table nor a temporary file is there."""
        self.assertFails(done, *texts)
        self.assertEqual([name for name in os.listdir(self.directory) if "json" in name or name.startswith(".")], [])

    def test_headers(self):
        table = self.extracted()
        self.assertEqual(support.sizes_and_fields(table), support.LP64_TYPES)
        self.assertEqual((table["family"], table["variant"], table["format"]),
                         ({"first": "4.1.0", "last": "4.1.8"}, ["release"], 1))
        origin = table["origin"]
        self.assertEqual((origin["openmpi"], origin["checked"], origin["macros"]), ("4.1.4", "offsetof", {}))
        self.assertNotIn("mqdgen-test-", self.read("table.json"))

    def test_same_input_gives_the_same_bytes(self):
        self.assertWorks(self.extract())
        first = self.read("table.json")
        support.ANSWERS.clear()
        self.assertWorks(self.extract())
        self.assertEqual(self.read("table.json"), first)
        for compiler in support.compilers():
            self.assertWorks(self.extract("--cc", compiler))
            self.assertEqual(self.read("table.json"), first, compiler)

    def test_other_abis(self):
        header = support.DEMO_HEADER.replace("#include <std", "//#include <std")
        for command, abi, item in (
                ("gcc -m32", {"arch": "i386", "endian": "little", "long": 4, "pointer": 4}, ILP32_ITEM),
                ("clang --target=powerpc64-linux-gnu -ffreestanding",
                 {"arch": "ppc64", "endian": "big", "long": 8, "pointer": 8}, LP64_ITEM),
                ("clang --target=aarch64-linux-gnu -ffreestanding",
                 {"arch": "aarch64", "endian": "little", "long": 8, "pointer": 8}, LP64_ITEM),
                ("mips64el-linux-gnuabi64-gcc",
                 {"arch": "mips64el", "endian": "little", "long": 8, "pointer": 8}, LP64_ITEM)):
            with self.subTest(command):
                # Without libc headers of that architecture the demo's few types are spelled out.
                self.write("demo.h", "typedef __SIZE_TYPE__ size_t;\ntypedef __UINT64_TYPE__ uint64_t;\n"
                           "typedef __UINT16_TYPE__ uint16_t;\ntypedef __INT32_TYPE__ int32_t;\n"
                           "#define bool _Bool\n" + header)
                probe = self.write("try.c", "int x;\n")
                if not shutil.which(command.split()[0]) or support.run(
                        command.split() + ["-c", "-o", self.path("try.o"), probe]).returncode:
                    self.skipTest(f"{command} does not work")
                self.assertWorks(self.extract("--cc", command))
                self.assertEqual(self.read_table()["abi"], abi)
                self.assertEqual(fields(self.read_table(), "item_t"), item)

    def test_constants_are_what_the_headers_say(self):
        self.assertEqual(self.extracted()["constants"], support.CONSTANTS)
        # Renumbered, moved to an enumeration, and new.
        self.change("demo.h", "enum state { idle, busy };", "enum state { idle, waiting, busy };")
        self.change("demo.h", "#define DEMO_WIRE_TYPE (64 + 1)", "enum { DEMO_WIRE_TYPE = 'a' };")
        self.change("demo.h", "((void *) 1L)", "((void *) -1L)\n#define DEMO_LEAST (-0x7fffffffffffffffLL - 1)")
        self.assertFails(self.extract(), "openmpi.def:29: constant none (DEMO_NONE): the headers of Open MPI 4.1.4 say "
                         "-1, which is no ptr")
        self.change("demo.h", "((void *) -1L)", "((void *) 0L)")
        self.assertEqual(self.extracted()["constants"],
                         {"state_busy": 2, "wire_type": 97, "none": 0, "least": -(1 << 63)})

    def test_a_constant_that_the_headers_lack_is_named_with_their_release(self):
        for old, new, name in (("busy };", "working };", "state_busy (busy)"),
                               ("#define DEMO_WIRE_TYPE", "#define OTHER_WIRE_TYPE", "wire_type (DEMO_WIRE_TYPE)"),
                               ("#define DEMO_NONE ((void *) 1L)", "extern int DEMO_NONE;", "none (DEMO_NONE)")):
            with self.subTest(name):
                self.write("demo.h", support.DEMO_HEADER.replace(old, new))
                self.assertLeavesNothing(self.extract(), f"constant {name}: the headers of Open MPI 4.1.4 lack it")

    def test_a_constant_that_does_not_fit_what_it_is_compared_with(self):
        self.change("demo.h", "(64 + 1)", "(256 + 1)")
        self.assertLeavesNothing(self.extract(), "openmpi.def:28: constant wire_type (DEMO_WIRE_TYPE): the headers of "
                                 "Open MPI 4.1.4 say 257, which is no u8")

    def test_a_changed_constant_is_a_difference(self):
        self.assertWorks(self.extract())
        old = self.path("old.json")
        shutil.copy(self.path("table.json"), old)
        self.change("demo.h", "enum state { idle, busy };", "enum state { idle, waiting, busy };")
        done = self.assertDiffers(self.mqdgen("check", "--spec", self.spec, "--pahole", support.PAHOLE, "--cc",
                                              support.CC, "-I", self.directory, old))
        self.assertEqual(done.stdout, f"{old}: differs\n- constant state_busy: 1\n+ constant state_busy: 2\n")
        self.assertWorks(self.extract())
        done = self.mqdgen("show", "--spec", self.spec, old, self.path("table.json"))
        self.assertEqual(done.stdout, "- constant state_busy: 1\n+ constant state_busy: 2\n")
        done = self.mqdgen("show", "--spec", self.spec, old)
        self.assertIn("\nconstants\n", done.stdout)
        self.assertIn("             65  wire_type\n", done.stdout)

    def test_debug_information_has_the_enumerators_that_are_used(self):
        source = self.write("lib.c", '#include "demo.h"\nbig_t big; item_t item; object_t object; either_t either;\n')
        self.assertEqual(support.run([*support.COMPILE, "-g", "-c", "-o", self.path("lib.o"), source]).returncode, 0)
        done = self.extract_files("--first", "4.1.0", "--last", "4.1.8", "--openmpi", "4.1.4", self.path("lib.o"))
        self.assertWorks(done)
        self.assertEqual(self.read_table()["constants"], {"state_busy": 1})
        # What it cannot tell is no difference to a table from headers; what it tells otherwise is one.
        self.assertWorks(self.extract())
        check = ["check", "--spec", self.spec, "--pahole", support.PAHOLE, self.path("table.json"), "--debug-info",
                 self.path("lib.o")]
        self.assertIn("same, by other means", self.mqdgen(*check).stdout)
        self.change("demo.h", "enum state { idle, busy };", "enum state { idle, waiting, busy = -1 };")
        self.assertEqual(support.run([*support.COMPILE, "-g", "-c", "-o", self.path("lib.o"), source]).returncode, 0)
        self.assertIn("- constant state_busy: 1\n+ constant state_busy: -1\n", self.mqdgen(*check).stdout)

    def test_missing_type(self):
        self.change("demo.h", "} object_t;", "} objekt_t;\n#define object_t objekt_t")
        self.change("demo.h", "typedef struct big big_t;", "")
        self.assertLeavesNothing(self.extract(), f"{self.spec}: big_t: the compiler refuses it", "openmpi.def:13:")

    def test_incomplete_type(self):
        self.change("demo.h", "typedef struct big big_t;", "typedef struct bigger big_t;")
        self.assertLeavesNothing(self.extract(), "big_t")

    def test_missing_field(self):
        for member, change in (("big_t.flag", ("bool flag;", "bool flog;")), ("big_t.name", ("char name[20];", ""))):
            with self.subTest(member):
                self.write("demo.h", support.DEMO_HEADER)
                self.change("demo.h", *change)
                self.assertLeavesNothing(self.extract(), f"the headers: {member}: there is no such member", self.spec)

    def test_missing_header(self):
        self.change("openmpi.def", '"demo.h"', '"nowhere.h"')
        self.assertLeavesNothing(self.extract(), "nowhere.h", "-I")

    def test_wrong_kinds(self):
        for old, new, message in (
                ("bool flag;", "char flag;", "big_t.flag: is of kind i8, the spec"),
                ("bool flag;", "bool flag : 1;", "big_t.flag: is a bitfield"),
                ("const uint16_t half;", "const int16_t half;", "big_t.half: is of kind i16, the spec"),
                ("const uint16_t half;", "const uint32_t half;", "big_t.half: is of kind u32, the spec"),
                ("const uint16_t half;", "float half;", "big_t.half: is float, which no kind"),
                ("const uint16_t half;", "uint16_t half[2];", "big_t.half: is an array of "),
                ("enum state state;", "int state;", "big_t.state: is of kind i32, the spec"),
                ("signed char tiny;", "unsigned char tiny;", "big_t.tiny: is of kind u8, the spec"),
                ("volatile size_t length;", "uint64_t length;", "item_t.length: is of kind u64, the spec"),
                ("volatile size_t length;", "void *length;", "item_t.length: is of kind ptr, the spec"),
                ("item_t items[3];", "item_t *items;", "big_t.items: is of kind ptr, the spec"),
                ("item_t items[3];", "object_t items[3];", "big_t.items: is a struct without a tag, not the item_t"),
                ("item_t super;\n    item_t items", "struct { item_t x; } super;\n    item_t items",
                 "big_t.super: is a struct without a tag, not the item_t"),
                ("char name[20];", "char name[0];", "big_t.name: is an array without elements"),
                ("typedef union {", "typedef struct {", "either_t: is not a union"),
                ("const uint16_t half;", "union { float f; } half;", "big_t.half: is of kind struct, the spec")):
            with self.subTest(new):
                self.write("demo.h", support.DEMO_HEADER.replace(old, new))
                self.assertLeavesNothing(self.extract(), f"the headers: {message}")

    def assert_name_becomes(self, declaration, expected):
        with self.subTest(declaration):
            self.write("demo.h", support.DEMO_HEADER)
            self.change("demo.h", "char name[20]", declaration)
            self.assertEqual(fields(self.extracted(), "big_t")["name"], expected)

    def test_a_varying_kind_is_what_the_types_say(self):
        for declaration, size, kind in (("char *name", 8, "ptr"), ("uint32_t name", 4, "u32"), ("long name", 8, "i64"),
                                        ("size_t name", 8, "size"), ("char name[4][5]", 20, "chars"),
                                        ("unsigned char name[20]", 20, "bytes"),
                                        ("struct { int a, b, c, d; } name", 16, "struct")):
            self.assert_name_becomes(declaration, (128, size, kind))

    def test_of_what_is_only_a_place_any_type_will_do(self):
        self.change("openmpi.def", "MQD_STEP(big_t, name, chars, varies)", "MQD_STEP(big_t, name, bytes, always)")
        for declaration, size in (("union { void *p; long n[3]; } name", 24), ("void *name[5]", 40), ("int name", 4),
                                  ("struct { char c; } name", 1), ("unsigned char name[20]", 20)):
            self.assert_name_becomes(declaration, (128, size, "bytes"))

    def test_a_struct_without_a_typedef_has_its_tag(self):
        self.change("openmpi.def", "MQD_TYPE(big_t,", "MQD_TYPE(list_item, tag, exact, plain)\n"
                    "MQD_STEP(list_item, length, size, always)\nMQD_TYPE(big_t,")
        self.assertEqual(fields(self.extracted(), "list_item"), {"length": (24, 8, "size")})
        self.change("openmpi.def", "MQD_TYPE(list_item, tag,", "MQD_TYPE(list_item, struct,")
        self.assertFails(self.extract(), "list_item: the compiler refuses it")

    def test_an_embedded_type_may_be_a_number_in_another_family(self):
        self.change("openmpi.def", "MQD_EMBED(big_t, either, either_t, always)",
                    "MQD_EMBED(big_t, either, either_t, varies)")
        self.assertEqual(fields(self.extracted(), "big_t")["either"], (168, 8, "struct"))
        self.change("demo.h", "either_t either;", "either_t other_either; uint32_t either;")
        self.assertEqual(fields(self.extracted(), "big_t")["either"], (176, 4, "u32"))
        self.change("demo.h", "uint32_t either;", "item_t either;")
        self.assertFails(self.extract(), "big_t.either: is a list_item, not the either_t")

    def test_an_optional_field_is_there_or_left_out(self):
        self.change("demo.h", "int bits : 3;", "int bits : 3; uint32_t newer;")
        self.assertEqual(fields(self.extracted(), "big_t")["newer"], (180, 4, "u32"))
        self.change("demo.h", "uint32_t newer;", "int32_t newer;")
        self.assertFails(self.extract(), "big_t.newer: is of kind i32, the spec")

    def list_new_type(self, rule=None):
        """The list has one more type, which the headers lack, and a header that they lack by this rule."""
        if rule:
            self.change("openmpi.def", 'MQD_HEADER("demo.h", always)',
                        f'MQD_HEADER("demo.h", always)\nMQD_HEADER("new.h", {rule})')
        self.change("openmpi.def", "MQD_TYPE(big_t,", "MQD_TYPE(new_t, struct, exact, plain)\n"
                    "MQD_STEP(new_t, x, i32, optional)\nMQD_TYPE(big_t,")
        self.assertNotIn("new_t", self.extracted()["types"])

    def assert_new_type(self):
        self.assertEqual(fields(self.extracted(), "new_t"), {"x": (4, 4, "i32")})

    def test_a_type_with_only_optional_fields_may_be_missing(self):
        self.list_new_type()
        self.change("demo.h", "typedef struct big big_t;",
                    "typedef struct big big_t;\ntypedef struct { int a, x; } new_t;")
        self.assert_new_type()

    def test_an_optional_header_may_be_missing_and_no_other(self):
        self.list_new_type("optional")
        self.write("new.h", "typedef struct { int a, x; } new_t;\n")
        self.assert_new_type()
        self.write("new.h", '#include "missing.h"\n')
        self.assertFails(self.extract(), "missing.h")
        self.change("openmpi.def", '"new.h", optional', '"lacking.h", always')
        self.assertFails(self.extract(), "lacking.h: the headers cannot be preprocessed")

    def test_a_foreign_header_may_lack_the_headers_that_it_includes(self):
        self.list_new_type("foreign")
        self.write("new.h", '#include "missing.h"\ntypedef struct { int a, x; } new_t;\n')
        self.assert_without_new_t(self.extract())
        self.write("missing.h", "")
        self.assert_new_type()
        self.write("missing.h", "#error not configured\n")
        self.assert_without_new_t(self.extract())

    def assert_without_new_t(self, done):
        self.assertEqual(done.returncode, 0)
        self.assertIn("note: without the types of new.h", done.stderr)
        self.assertNotIn("new_t", self.read_table()["types"])

    def test_atomic_members(self):
        self.change("demo.h", "const uint16_t half;", "_Atomic uint16_t half;")
        self.assertEqual(fields(self.extracted(), "big_t"), LP64_BIG)
        self.change("demo.h", "_Atomic uint16_t half;", "_Atomic int16_t half;")
        self.assertFails(self.extract(), "big_t.half: is of kind i16, the spec")
        self.change("demo.h", "_Atomic int16_t half;", "_Atomic uint32_t half;")
        self.assertFails(self.extract(), "big_t.half: is of kind u32, the spec")

    def test_fields_of_a_struct_that_overlap(self):
        self.change("demo.h", "float other;", "uint32_t other;")
        self.change("openmpi.def", "MQD_STEP(big_t, in_union, i32, always)", "MQD_STEP(big_t, in_union, i32, always)\n"
                    "MQD_STEP(big_t, other, u32, always)")
        self.assertLeavesNothing(self.extract(), "big_t.other: offset 160 lies in in_union, which ends at 164")

    def test_ambiguous_type(self):
        self.change("demo.h", "typedef struct big big_t;",
                    "typedef struct big big_t;\nstruct big_t { struct big big; };\nstruct big_t other;")
        self.assertLeavesNothing(self.extract(), "the headers: big_t")
        self.change("demo.h", "struct big_t { struct big big; };",
                    support.DEMO_HEADER[support.DEMO_HEADER.index("struct big {"):].split("typedef struct big big")[0]
                    .replace("struct big {", "struct big_t {").replace("bool flag;", "char more[16]; bool flag;"))
        self.assertLeavesNothing(self.extract(), "the headers: big_t: defined twice, and the definitions differ: size")

    def test_macros_that_change_layouts_are_recorded(self):
        self.write("demo.h", "#define OPAL_ENABLE_DEBUG 0\n#define OPAL_MAX_OBJECT_NAME (LENGTH)\n#define LENGTH 64\n"
                   + support.DEMO_HEADER)
        self.assertWorks(self.extract("-D", "OPAL_CUDA_SUPPORT=0"))
        self.assertEqual(self.read_table()["origin"]["macros"],
                         {"OPAL_CUDA_SUPPORT": 0, "OPAL_ENABLE_DEBUG": 0, "OPAL_MAX_OBJECT_NAME": "(64)"})

    def test_the_headers_must_be_what_the_options_say(self):
        for options, message in (
                (["-D", "OPAL_ENABLE_DEBUG=1"], "--variant release: has no word debug, but the headers have"),
                (["-D", "OPAL_ENABLE_DEBUG=0", "--variant", "debug"], "--variant release debug: has word debug, but"),
                (["-D", "OPAL_CUDA_SUPPORT=1"], "has no word cuda"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=1"], "has no word matching-default"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=2"], "has no word matching-arrays"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=3"], "has no word matching-fuzzy"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=5"], "has no word matching-fuzzy"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=6"], "has no word matching-vector"),
                (["-D", "MCA_PML_OB1_CUSTOM_MATCHING=0", "--variant", "matching-arrays"], "has word matching-arrays"),
                (["-D", "OPAL_HAVE_ATOMIC_CMPSET_128=0"], "has no word no-cas128"),
                (["-D", "OPAL_HAVE_ATOMIC_COMPARE_EXCHANGE_128=0"], "has no word no-cas128"),
                (["-D", "OPAL_HAVE_ATOMIC_COMPARE_EXCHANGE_128=1", "--variant", "no-cas128"], "has word no-cas128"),
                (["--configured", "new"], "--configured new: must be a release"),
                (["--configured", "4.1.5"], "--configured 4.1.5: the configured headers do not say their release"),
                (["--configured", "4.1.5", "-D", "OMPI_MAJOR_VERSION=4", "-D", "OMPI_MINOR_VERSION=1", "-D",
                  "OMPI_RELEASE_VERSION=6"], "--configured 4.1.5: but the configured headers are those of 4.1.6"),
                (["-D", "OMPI_MAJOR_VERSION=4", "-D", "OMPI_MINOR_VERSION=1", "-D", "OMPI_RELEASE_VERSION=5"],
                 "--openmpi 4.1.4: but the headers are those of 4.1.5"),
                (["-D", "SIZEOF_VOID_P=4"], "the headers are configured for SIZEOF_VOID_P 4"),
                (["-D", 'OPAL_ARCH="aarch64-unknown-linux-gnu"'], "the headers are configured for aarch64"),
                (["--last", "4.1.3"], "--openmpi 4.1.4: must lie between"),
                (["--first", "4.1"], "--first 4.1: must be a release"),
                (["--openmpi", "new"], "--openmpi new: must be a release"),
                (["--variant", "No FT"], "--variant No FT: must be a word"),
                (["-I", self.path("none")], "none: no such directory"),
                (["--cc", "no-such-compiler"], "no-such-compiler: cannot run the compiler"),
                (["--cc", " "], "no compiler is named")):
            with self.subTest(message):
                self.assertLeavesNothing(self.extract(*options), message)

    def test_configured_headers_of_another_release_are_recorded(self):
        release = ["-D", "OMPI_MAJOR_VERSION=4", "-D", "OMPI_MINOR_VERSION=1", "-D", "OMPI_RELEASE_VERSION=8"]
        self.assertWorks(self.extract(*release, "--configured", "4.1.8"))
        self.assertEqual(self.read_table()["origin"]["openmpi"], "4.1.4")
        self.assertEqual(self.read_table()["origin"]["macros"],
                         {"OMPI_MAJOR_VERSION": 4, "OMPI_MINOR_VERSION": 1, "OMPI_RELEASE_VERSION": 8})
        options = ["check", "--spec", self.spec, "-I", self.directory]
        self.assertWorks(self.mqdgen(*options, *release, self.path("table.json")), "table.json: same\n")
        release[-1] = "OMPI_RELEASE_VERSION=4"
        done = self.mqdgen(*options, *release, self.path("table.json"))
        self.assertIn("skipped: --configured 4.1.8: but the configured headers are those of 4.1.4", done.stdout)

    def test_a_source_tree_fills_in_missing_headers_and_must_be_of_the_release(self):
        os.mkdir(self.path("tree"))
        os.mkdir(self.path("installed"))
        os.rename(self.path("demo.h"), self.path("tree/demo.h"))
        self.write("installed/other.h", "")
        options = ["extract", "--spec", self.spec, *support.HEAD_OPTIONS, "-I", self.path("installed"), "-o",
                   self.path("table.json"), "--source", self.path("tree")]
        self.assertWorks(self.mqdgen(*options))
        self.write("tree/VERSION", "# comment\nmajor=4\nminor=1\nrelease=4\n")
        self.assertWorks(self.mqdgen(*options))
        self.write("tree/VERSION", "major=4\nminor=0\nrelease=7\n")
        self.assertFails(self.mqdgen(*options), "--openmpi 4.1.4: but the sources in", "are those of 4.0.7")
        after = [option if option != "4.1.4" else "4.1.4a1+abc" for option in options]
        self.assertWorks(self.mqdgen(*after))
        self.write("tree/VERSION", "major=4\nminor=2\nrelease=0\n")
        self.assertFails(self.mqdgen(*after), "--openmpi 4.1.4a1+abc: but the sources in", "are those of 4.2.0")
        self.write("tree/VERSION", "major=4\nminor=0\nrelease=7\n")
        self.write("tree/stdint.h", "#error the system's own headers come before those of the tree\n")
        os.unlink(self.path("tree/VERSION"))
        self.assertWorks(self.mqdgen(*options))
        self.write("installed/demo.h", "#error this one comes first\n")
        self.assertFails(self.mqdgen(*options), "this one comes first")

    def test_a_failure_leaves_the_old_table_as_it_was(self):
        self.write("table.json", "old")
        self.change("demo.h", "bool flag;", "")
        self.assertFails(self.extract(), "big_t.flag")
        self.assertEqual(self.read("table.json"), "old")

    def test_an_output_that_cannot_be_written(self):
        self.assertFails(self.extract("-o", self.path("none/table.json")), "cannot write it")
        self.assertFails(self.extract("-o", self.directory), "not a regular file")
        done = self.assertWorks(self.extract("-o", "-"))
        self.assertEqual(json.loads(done.stdout)["format"], 1)


@support.needs_pahole
class DebugInformation(support.Scratch):
    def build(self, name, text, *options):
        source = self.write(name + ".c", text)
        done = support.run(support.COMPILE + ["-g", "-c", "-o", self.path(name), source, *options])
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(name)

    def link(self, name, *objects):
        done = support.run(support.COMPILE + ["-shared", "-o", self.path(name)] + [self.path(o) for o in objects])
        self.assertEqual(done.returncode, 0, done.stderr)

    def from_files(self, *paths):
        return self.extract_files(*support.HEAD_OPTIONS, *paths)

    def test_several_files_together(self):
        one = self.build("one.o", '#include "demo.h"\nitem_t item;\n')
        two = self.build("two.o", '#include "demo.h"\nbig_t big; either_t either;\n')
        self.assertFails(self.from_files(one), "mqdgen: either_t, big_t: no debug information defines them",
                         "debug information that defines 2 of the 4 types")
        self.assertWorks(self.from_files(one, two))
        table = self.read_table()
        self.assertEqual(fields(table, "big_t"), LP64_BIG)
        self.assertEqual(table["abi"]["long"], 8)
        self.assertEqual(table["abi"], dict(ElfFile(one).abi, long=8))
        self.assertEqual((table["origin"]["checked"], table["origin"]["macros"]), ("none", {}))
        headers = self.read("table.json")
        self.assertEqual(self.extracted()["types"], json.loads(headers)["types"])

    def test_a_shared_library(self):
        self.build("one.o", '#include "demo.h"\nbig_t big; either_t either;\n', "-fPIC")
        self.link("all.so", "one.o")
        self.assertWorks(self.from_files(self.path("all.so")))

    def test_files_must_agree(self):
        one = self.build("one.o", '#include "demo.h"\nbig_t big; either_t either;\n')
        self.change("demo.h", "int bits : 3;", "int bits : 3; void *more;")
        two = self.build("two.o", '#include "demo.h"\nbig_t big;\n')
        self.assertFails(self.from_files(one, two), "two.o: big_t: differs from the one in", "one.o: size 184 and 192")

    def test_two_definitions_in_one_file(self):
        self.build("one.o", '#include "demo.h"\nbig_t big; either_t either;\n', "-fPIC")
        self.change("demo.h", "signed char tiny;", "signed char tiny0, tiny;")
        self.build("two.o", '#include "demo.h"\nbig_t big2;\n', "-fPIC")
        self.link("both.so", "one.o", "two.o")
        self.assertFails(self.from_files(self.path("both.so")), "both.so: big_t: defined twice, and the definitions "
                         "differ: tiny i8 at 156 size 1 and i8 at 157 size 1")

    def test_only_declared(self):
        self.write("less.h", support.DEMO_HEADER.split("enum state")[0])
        path = self.build("one.o", '#include "less.h"\nitem_t i; either_t e;\nstruct hidden;\n'
                          "typedef struct hidden big_t;\nbig_t *big;\n")
        self.assertFails(self.from_files(path), "big_t: no debug information defines it",
                         "defines 3 of the 4 types, and only declares big_t")

    def test_atomic_members_of_objects_that_are_not_linked(self):
        self.change("demo.h", "const uint16_t half;", "_Atomic uint16_t half;")
        for options in ([], ["-gdwarf-4"], ["-gdwarf-5"], ["-gz=zlib"], ["-gdwarf64"]):
            with self.subTest(options):
                path = self.build("one.o", '#include "demo.h"\nbig_t big; either_t either;\n', *options)
                self.assertWorks(self.from_files(path))
                self.assertEqual(fields(self.read_table(), "big_t"), LP64_BIG)

    def test_unusable_files(self):
        stripped = self.build("stripped.o", "int x;\n", "-g0")
        text = self.write("text.o", "not ELF, but longer than twenty bytes\n")
        self.assertFails(self.from_files(stripped), "stripped.o:\n    no debug information of its own")
        self.assertFails(self.from_files(text), "text.o: not an ELF file")
        self.write("almost.o", "\x7fELG\x02\x01" + "\0" * 12 + "\x3e\0")
        self.assertFails(self.from_files(self.path("almost.o")), "almost.o: not an ELF file")
        self.assertFails(self.from_files(self.path("none.o")), "none.o: cannot read it")

    def test_files_of_two_architectures(self):
        one = self.build("one.o", '#include "demo.h"\nbig_t big; either_t either;\n')
        source = self.write("two.c", "int x;\n")
        if not shutil.which("gcc") or support.run(
                ["gcc", "-m32", "-g", "-c", "-o", self.path("two.o"), source]).returncode:
            self.skipTest("gcc -m32 does not work")
        self.assertFails(self.from_files(one, self.path("two.o")), "two.o: is for another architecture than")


FAKE = """\
#!{python} -B
import subprocess, sys
out = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--btf_encode_detached=")]
if "--version" in sys.argv:
    print({version!r})
    sys.exit({version_status})
{body}
"""

# Runs the real pahole, then changes a number of the BTF: the name of what has it is the first word there.
PATCH = """\
import struct
subprocess.run([{pahole!r}] + sys.argv[1:], check=True)
data = bytearray(open(out[0], "rb").read())
_, _, _, header, _, _, str_off, _ = struct.unpack_from("=HBBIIIII", data)
name = data.index(b"\\0{name}\\0", header + str_off) + 1 - header - str_off
at = [at for at in range(header, header + str_off, 4) if struct.unpack_from("=I", data, at)[0] == name
      and ({size} == 0 or struct.unpack_from("=I", data, at + 8)[0] == {size})]
assert len(at) == 1, at
number, = struct.unpack_from("=I", data, at[0] + {place})
struct.pack_into("=I", data, at[0] + {place}, number * {factor} + {more})
open(out[0], "wb").write(data)
"""


def patch(name, place, more, factor=1, size=0):
    return PATCH.format(pahole=support.PAHOLE, name=name, place=place, more=more, factor=factor, size=size)


def shift(bits):
    """The member "flag" lies later than the compiler has it."""
    return patch("flag", 8, bits)


# The size of struct big: eight bytes more; the type of the member "half": void, as of one that pahole does not know.
RESIZE, VOID = patch("big", 8, 8, size=184), patch("half", 4, 0, factor=0)

# What the releases of pahole do with types that BTF lacks, whatever the release that is installed does.
LACKING_TYPES = """\
types = subprocess.run(["readelf", "--debug-dump=info", sys.argv[-1]], stdout=subprocess.PIPE, check=True).stdout
if {refused!r} in types:
    print("btf_encoder__encode: btf__dedup failed!", file=sys.stderr)
    sys.exit("Failed to encode BTF: Invalid argument")
if {voided!r} in types:
    exec({void!r})
else:
    subprocess.run([{pahole!r}] + sys.argv[1:], check=True)
"""
COMPLEX_TYPE, ATOMIC_TYPE, NO_TYPE = b"(complex float)", b"DW_TAG_atomic_type", b"no such text"
KINDS_OF_PAHOLE = {
    "v1.22": {"refused": COMPLEX_TYPE, "voided": ATOMIC_TYPE},
    "v1.24": {"refused": COMPLEX_TYPE, "voided": ATOMIC_TYPE},
    "v1.30": {"refused": ATOMIC_TYPE, "voided": NO_TYPE},
}


def fake_pahole(scratch, body, version="v1.24", version_status=0):
    """Writes a program that takes the place of pahole; returns its path."""
    return scratch.write("fake-pahole", FAKE.format(python=sys.executable, version=version,
                                                    version_status=version_status, body=body), executable=True)


def kinds_of_pahole(scratch):
    """Yields, for each release that differs, its version and a program that behaves alike."""
    for version, types in KINDS_OF_PAHOLE.items():
        yield version, fake_pahole(scratch, LACKING_TYPES.format(pahole=support.PAHOLE, void=VOID, **types), version)


@support.needs_pahole
class FakePahole(support.Scratch):
    def extract_with(self, body, version="v1.24", version_status=0):
        done = self.extract("--pahole", fake_pahole(self, body, version, version_status))
        self.assertFalse(os.path.exists(self.path("table.json")) and done.returncode)
        return done

    def test_what_the_fake_does_is_noticed(self):
        self.assertWorks(self.extract_with(shift(0)))
        os.unlink(self.path("table.json"))
        no_types = 'import struct\nopen(out[0], "wb").write(struct.pack("=HBBIIIIIB", 0xEB9F, 1, 0, 24, 0, 0, 0, 1, 0))'
        for body, *messages in (
                (shift(8), f"{self.spec}: big_t.flag: the compiler contradicts pahole"),
                (RESIZE, f"{self.spec}: big_t: the compiler contradicts pahole"),
                (shift(4096), "big_t.flag"),
                (VOID, "the headers: big_t.half: pahole cannot tell its type; the spec", "says u16"),
                ("sys.exit(0)", "the headers: ", "succeeded but wrote nothing"),
                ('print("not today", file=sys.stderr)\nsys.exit(3)', "the headers: ",
                 "failed with status 3: not today"),
                (shift(0) + "\nsys.exit(1)", "failed with status 1"),
                ('open(out[0], "w").write("no BTF")', "the headers: pahole's BTF is damaged"),
                (no_types, "the headers: object_t, item_t, either_t, big_t: the compiler has defined them, but")):
            with self.subTest(messages):
                self.assertFails(self.extract_with(body), *messages)

    def test_atomic_members_with_every_pahole(self):
        self.need("readelf", "binutils")
        self.change("demo.h", "const uint16_t half;", "_Atomic uint16_t half;")
        for version, pahole in kinds_of_pahole(self):
            with self.subTest(version):
                self.assertWorks(self.extract("--pahole", pahole))
                table = self.read_table()
                self.assertEqual(fields(table, "big_t"), LP64_BIG)
                self.assertEqual(table["origin"]["pahole"], version[1:])

    def test_versions(self):
        good = shift(0)
        for version in ("v1.21", "v0.99", "1.9"):
            self.assertFails(self.extract_with(good, version=version), "is too old: install the package dwarves")
        for version in ("v1.22", "v1.30", "v2.0"):
            self.assertWorks(self.extract_with(good, version=version))
            os.unlink(self.path("table.json"))
        self.assertFails(self.extract_with(good, version="pahole"), "does not say its version")
        self.assertFails(self.extract_with(good, version_status=1), "does not say its version")

    def test_none_at_all(self):
        self.assertFails(self.extract("--pahole", self.path("none")), "cannot run it", "install the package dwarves")
        self.write("unrunnable", "x")
        self.assertFails(self.extract("--pahole", self.path("unrunnable")), "cannot run it")

    def test_an_older_output_file_is_removed_before_pahole_runs(self):
        old = self.path("old.btf")
        source = self.write("x.c", '#include "demo.h"\nbig_t big;\n')
        subprocess.run([*support.COMPILE, "-g", "-c", "-o", self.path("x.o"), source], check=True)
        subprocess.run([support.PAHOLE, f"--btf_encode_detached={old}", self.path("x.o")], check=True)
        Btf(read_bytes(old), "old")
        fake = fake_pahole(self, "")
        with self.assertRaisesRegex(MqdError, "succeeded but wrote nothing"):
            debuginfo.Pahole(fake).encode(self.path("x.o"), "x.o", old)
        self.assertFalse(os.path.exists(old))


class HalfWritten(support.Scratch):
    """A disk that fills up in the middle, as the limit on a file's size."""

    def test_the_old_file_stays_and_nothing_else_does(self):
        self.write("tables.c", "old")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = support.run([sys.executable, support.MQDGEN, "emit", "--spec", self.spec, "-o", self.path("tables.c")],
                           preexec_fn=limit)
        self.assertFails(done, "tables.c: cannot write it: File too large")
        self.assertEqual(self.read("tables.c"), "old")
        self.assertEqual(sorted(os.listdir(self.directory)), ["demo.h", "openmpi.def", "tables.c"])


if __name__ == "__main__":
    support.main()
