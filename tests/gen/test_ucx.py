"""mqdgen and UCX: headers that are configured by hand, libraries with debug information, families, twins, releases."""
import json
import os
import shutil
import unittest
from unittest import mock

import support
from mqdlib import btf, handmade, recipe, table
from mqdlib.library import LIBRARIES
from mqdlib.spec import read_specs
from test_sites import Installation

CONFIGURE_AC = """\
define([ucx_ver_major], {})  # Major version. Usually does not change.
define([ucx_ver_minor], {})
define([ucx_ver_patch], {})
"""
VERSION_HEADER = """\
#ifndef UCP_VERSION_H_
#define UCP_VERSION_H_
#define UCP_API_MAJOR @MAJOR_VERSION@
#define UCP_API_MINOR @MINOR_VERSION@
#endif
"""
RECIPE = os.path.join(support.ROOT, "gen", "ucx.json")
FIND_WAY = btf.Btf.find_way
BUILDS = ["release", "assert", "debug-data", "assert debug-data"]
# As UCX has it: the text has no symbol of its own.
LIBUCP = '#include "config.h"\n#include <ucp/core/ucp_worker.h>\noperation_t operation; ucp_worker_t worker;\n' \
         'const char *ucp_get_version_string(void) { return "1.10.1"; }\n'

x86_64_only = unittest.skipUnless(os.uname().machine == "x86_64", "this test is for x86_64")


class Tree:
    """What writes the source tree of a small UCX below the scratch directory."""

    def source(self, release, header=support.DEMO_UCX_HEADER, top="ucx"):
        """Returns the directory of the tree of a release."""
        for name in ("src/ucp/core", "src/ucp/api"):
            os.makedirs(self.path(f"{top}/{name}"), exist_ok=True)
        self.write(f"{top}/configure.ac", CONFIGURE_AC.format(*release.split(".")))
        self.write(f"{top}/src/ucp/core/ucp_worker.h", header)
        self.write(f"{top}/src/ucp/api/ucp_version.h.in", VERSION_HEADER)
        return self.path(top)


@support.needs_pahole
@x86_64_only
class Headers(Tree, support.Scratch):
    def setUp(self):
        super().setUp()
        self.tree = self.source("1.10.1")
        self.ucx = self.write("ucx.def", support.DEMO_UCX_SPEC)

    def from_tree(self, *arguments):
        return self.mqdgen("extract", "--spec", self.spec, "--spec", self.ucx, "--pahole", support.PAHOLE, "--cc",
                           support.CC, "--source", self.tree, "-o", self.path("table.json"), *arguments)

    def test_an_unconfigured_tree_is_enough(self):
        self.assertWorks(self.from_tree())
        one = self.read_table()
        self.assertEqual(support.sizes_and_fields(self.read_table()), support.UCX_TYPES)
        self.assertEqual(one["constants"], support.UCX_CONSTANTS)
        self.assertEqual((one["family"], one["variant"]), ({"first": "1.10.1", "last": "1.10.1"}, ["release"]))
        self.assertEqual(sorted(one["origin"]), ["checked", "macros", "pahole", "spec", "ucx"])
        self.assertEqual((one["origin"]["ucx"], one["origin"]["checked"]), ("1.10.1", "offsetof"))
        self.assertEqual(one["origin"]["macros"], {"ENABLE_DEBUG_DATA": 0, "ENABLE_MT": 0, "ENABLE_PARAMS_CHECK": 0})
        self.assertEqual(one["types"]["operation_t"]["fields"]["send_tag"]["path"], "send.proto.tag")
        self.assertNotIn("path", one["types"]["operation_t"]["fields"]["send_length"])
        self.assertFalse(os.path.exists(self.path("ucx/config.h")))
        self.assertEqual(self.mqdgen("show", "--spec", self.ucx, self.path("table.json")).stdout.splitlines()[0],
                         "UCX 1.10.1 to 1.10.1, x86_64, release")

    def test_words_of_the_variant_are_what_config_h_would_say(self):
        for words, size, tag in ((["assert"], 40, 32), (["debug-data"], 32, 24), (["assert", "debug-data"], 40, 32)):
            self.assertWorks(self.from_tree(*[option for word in words for option in ("--variant", word)]))
            one = self.read_table()
            self.assertEqual((one["variant"], one["types"]["operation_t"]["size"]), (words, size))
            self.assertEqual(support.fields(one, "operation_t")["send_tag"], (tag, 8, "u64"))
        self.assertEqual(self.read_table()["origin"]["macros"]["ENABLE_ASSERT"], 1)
        self.assertFails(self.from_tree("--variant", "cuda"), "--variant cuda: without a config.h of UCX the words can "
                         "be release, assert, debug-data")

    def test_a_configured_tree_says_its_variant(self):
        self.write("ucx/config.h", "#define ENABLE_ASSERT 1\n#define ENABLE_DEBUG_DATA 0\n#define ENABLE_STATS 1\n")
        self.write("ucx/src/ucp/api/ucp_version.h", "")
        self.assertWorks(self.from_tree())
        self.assertEqual(self.read_table()["variant"], ["assert"])
        self.assertEqual(self.read_table()["types"]["ucp_worker_t"]["size"], 40)
        self.assertFails(self.from_tree("--variant", "release"),
                         "--variant release: has word release, but the headers have ENABLE_ASSERT 1")
        # A build elsewhere counts more than the tree.
        os.mkdir(self.path("build"))
        self.write("build/config.h", "#define ENABLE_DEBUG_DATA 1\n")
        self.assertWorks(self.from_tree("-I", self.path("build")))
        self.assertEqual(self.read_table()["variant"], ["debug-data"])
        self.assertFails(self.from_tree("-I", self.path("build"), "--variant", "assert"),
                         "has word assert, but the headers have ENABLE_ASSERT not defined")

    def test_the_headers_of_the_tree_count_more_than_those_of_the_system(self):
        os.makedirs(self.path("system/ucp/core"))
        self.write("system/ucp/core/ucp_worker.h", "#error of another release\n")
        self.assertWorks(self.from_tree("--cc", f"{support.CC} -isystem {self.path('system')}"))

    def test_of_several_ways_and_names_the_first_one_counts(self):
        self.source("1.10.1", support.DEMO_UCX_HEADER
                    .replace("uint64_t tag; } proto;", "struct { uint64_t value, more; } tag; } proto;")
                    .replace("UCP_FLAG_OLDER = 1 << 5", "UCP_FLAG_OLDER = 1 << 5, UCP_FLAG_NEWER = 1 << 6")
                    .replace("link_t link;\n", "link_t link; uint32_t newer;\n"))
        self.assertWorks(self.from_tree())
        one = self.read_table()
        self.assertEqual(one["types"]["operation_t"]["fields"]["send_tag"],
                         {"offset": 24, "size": 8, "kind": "u64", "path": "send.proto.tag.value"})
        self.assertEqual(support.fields(one, "operation_t")["recv_newer"], (24, 4, "u32"))
        self.assertEqual(one["constants"], {"wire_kind": 64})

    def test_what_no_way_and_no_name_reaches_is_an_error_with_its_row(self):
        self.source("1.10.1", support.DEMO_UCX_HEADER.replace("uint64_t tag;", "uint64_t other_tag;"))
        self.assertFails(self.from_tree(), "operation_t.send_tag: there is no such member")
        self.source("1.10.1", support.DEMO_UCX_HEADER.replace("UCP_FLAG_OLDER", "UCP_FLAG_ANCIENT"))
        rows = support.DEMO_UCX_SPEC.split("\n")
        line, = (number for number, row in enumerate(rows, 1) if row.startswith("MQD_CONSTANT(wire_kind"))
        self.assertFails(self.from_tree(), f"ucx.def:{line}:", "constant wire_kind (UCP_FLAG_NEWER or UCP_FLAG_OLDER): "
                         "the headers of UCX 1.10.1 lack it")

    def test_another_kind_is_an_error(self):
        for old, new, kind in (("UCP_ERROR = -9", "UCP_ERROR = 9", "u8"),
                               ("__attribute__((packed)) status_t", "status_t", "enum")):
            self.source("1.10.1", support.DEMO_UCX_HEADER.replace(old, new))
            self.assertFails(self.from_tree(), f"operation_t.status: is of kind {kind}, the spec")

    def test_the_compiler_has_the_last_word_on_nested_members(self):
        """Types that are wrong about one member: the way to it is in the proof."""
        def wrong(btf, type_, way):
            found = FIND_WAY(btf, type_, way)
            return (found[0], found[1] + 64) if found and way == "config.mask" else found
        self.source("1.10.1", support.DEMO_UCX_HEADER.replace("#if ENABLE_STATS", "#if 1"))
        with mock.patch.object(btf.Btf, "find_way", wrong):
            done = self.from_tree()
        self.assertFails(done, "ucp_worker_t.mask: the compiler contradicts pahole")
        self.assertWorks(self.from_tree())

    def test_release_and_library_must_be_those_of_the_tree(self):
        self.assertFails(self.from_tree("--ucx", "1.11.0"), "--ucx 1.11.0: but the sources in ")
        done = self.from_tree("--openmpi", "4.1.4")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "mqdgen: extract: the options say Open MPI, and UCX\n"))
        done = self.from_tree("--library", "openmpi")
        self.assertEqual(done.returncode, 2)
        self.assertWorks(self.from_tree("--library", "ucx", "--ucx", "1.10.1"))
        done = self.mqdgen("extract", "--spec", self.spec, "--source", self.tree, "-o", self.path("x.json"))
        self.assertFails(done, "UCX: name the list of its types with --spec")

    def test_check(self):
        self.assertWorks(self.from_tree("--variant", "assert"))
        path = self.path("table.json")
        made = self.read("table.json")

        def check(*arguments):
            return self.mqdgen("check", "--spec", self.spec, "--spec", self.ucx, "--pahole", support.PAHOLE, "--cc",
                               support.CC, *arguments, path)
        done = check("--source", self.tree)
        self.assertEqual((done.returncode, done.stdout), (0, f"{path}: same\n"))
        self.write("table.json", table.to_text(dict(self.read_table(), twins=[["debug-data"]])))
        self.assertEqual(check("--source", self.tree).stdout, f"{path}: same\n")
        self.write("table.json", made)
        self.source("1.10.1", support.DEMO_UCX_HEADER.replace("size_t length;", "size_t more, length;"))
        done = check("--source", self.tree)
        self.assertEqual(done.returncode, 1)
        self.assertIn("+ operation_t.send_length: size at 16 size 8\n", done.stdout)
        done = check("-I", self.directory)
        self.assertEqual(done.returncode, 1, "Open MPI's header cannot be what this is compared with")
        os.makedirs(self.path("ompi/communicator"))
        self.write("ompi/communicator/communicator.h", "")
        done = check("--source", self.directory)
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"{path}: skipped: is of UCX, what is named is Open MPI\n"))


@support.needs_pahole
@x86_64_only
class DebugInfo(Tree, Installation):
    """A libucp that was built with -g."""

    def setUp(self):
        super().setUp()
        self.source("1.10.1")
        self.ucx = self.write("ucx.def", support.DEMO_UCX_SPEC)
        os.mkdir(self.path("made"))
        handmade.write(LIBRARIES["ucx"], self.path("ucx"), ["1", "10", "1"], ["release"], self.path("made"))

    def libucp(self, path="prefix/lib/libucp.so.0.0.0", text=LIBUCP):
        made = self.library(path, text, "-I", self.path("made"), "-I", self.path("ucx/src"))
        os.symlink(os.path.basename(made), os.path.join(os.path.dirname(made), "libucp.so.0"))
        return made

    def from_files(self, *arguments):
        return self.mqdgen("extract", "--spec", self.spec, "--spec", self.ucx, "--pahole", support.PAHOLE, "-o",
                           self.path("table.json"), *arguments)

    def assertUcx(self, done):
        self.assertWorks(done)
        one = self.read_table()
        self.assertEqual(support.sizes_and_fields(self.read_table()), support.UCX_TYPES)
        self.assertEqual((one["origin"]["ucx"], one["origin"]["checked"], one["variant"]), ("1.10.1", "none", ["site"]))
        self.assertEqual(one["types"]["operation_t"]["fields"]["send_tag"]["path"], "send.proto.tag")

    def test_a_library_and_its_prefix(self):
        made = self.libucp()
        self.assertUcx(self.from_files(made))
        self.assertUcx(self.from_files("--library", "ucx", "--prefix", self.path("prefix")))
        self.assertWorks(self.from_files(made, "--variant", "assert", "--first", "1.10.0"))
        self.assertEqual((self.read_table()["family"]["first"], self.read_table()["variant"]), ("1.10.0", ["assert"]))
        self.assertFails(self.from_files(made, "--ucx", "1.11.0"), "--ucx 1.11.0: but the files are those of 1.10.1")

    def test_a_separate_debug_file_is_found(self):
        made = self.libucp()
        self.split(made, self.by_build_id(made, "prefix/lib/debug"))
        self.assertUcx(self.from_files("--library", "ucx", "--prefix", self.path("prefix")))
        shutil.rmtree(self.path("prefix/lib/debug"))
        self.assertFails(self.from_files(made), "link_t, operation_t, ucp_worker_t: no debug information defines them",
                         "name its libucp")

    def test_where_a_prefix_has_none_or_several(self):
        os.makedirs(self.path("prefix/lib"))
        self.assertFails(self.from_files("--library", "ucx", "--prefix", self.path("prefix")),
                         "no libucp.so of UCX in ")
        self.libucp()
        self.libucp("prefix/lib64/libucp.so.0.0.0", LIBUCP + "int another;\n")
        self.assertFails(self.from_files("--library", "ucx", "--prefix", self.path("prefix")), "has several, ")

    def test_a_version_that_is_not_stated_clearly_must_be_given(self):
        made = self.libucp(text=LIBUCP + 'const char *other(void) { return "1.9.0"; }\n')
        self.assertFails(self.from_files(made), "nothing here says which release of UCX this is: give it with --ucx")
        self.assertWorks(self.from_files(made, "--ucx", "1.10.1"))

    def test_fits_says_that_it_is_not_for_ucx(self):
        made = self.libucp()
        done = self.mqdgen("fits", "--tables", support.TABLES, made)
        self.assertFails(done, f"{made}: only tables of Open MPI can be compared with files: no library of UCX states "
                         "the sizes of its types")
        done = self.mqdgen("fits", "--tables", support.UCX_TABLES, made)
        self.assertFails(done, "only tables of Open MPI can be compared with files")


@unittest.skipUnless(shutil.which("git"), "no git")
@support.needs_pahole
@x86_64_only
class Tables(Tree, support.Scratch):
    """A small repository of UCX: assertions and debug data change the layout from 1.11 on."""

    REPOSITORY = "ucx"

    OLD = support.DEMO_UCX_HEADER.replace("#ifdef ENABLE_ASSERT", "#if 0").replace("#if ENABLE_DEBUG_DATA", "#if 0")
    NEW = support.DEMO_UCX_HEADER.replace("link_t link;\n#if", "link_t link; void *wider[3];\n#if")

    def setUp(self):
        super().setUp()
        self.ucx = self.write("ucx.def", support.DEMO_UCX_SPEC)
        self.once(self.begin)
        self.recipe = {"compilers": {"x86_64": support.CC, "aarch64": "no-such-compiler"},
                       "families": [self.family("1.10.0", "1.10.1"), self.family("1.11.0", "1.11.0")]}

    def begin(self):
        os.mkdir(self.path("ucx"))
        self.git("init", "-q", "--template=", ".")
        for release, header in (("1.10.0", self.OLD), ("1.10.1", self.OLD + "/* nothing new */\n"),
                                ("1.11.0", self.NEW)):
            self.commit(release, header)
        os.mkdir(self.path("out"))

    def commit(self, release, header):
        self.source(release, header)
        self.git("add", ".")
        self.git("commit", "-q", "-m", release)
        self.git("tag", "v" + release)

    @staticmethod
    def family(first, last, builds=("release", "debug-data")):
        return {"first": first, "last": last, "source": "v" + last, "ucx": last,
                "tables": {"x86_64": {"builds": list(builds), "alone": []}}, "releases": sorted({first, last})}

    def tables(self, *options):
        self.write("recipe.json", recipe.to_text(self.recipe))
        return self.again(*options)

    def again(self, *options):
        return self.mqdgen("tables", "--spec", self.spec, "--spec", self.ucx, "--library", "ucx", "--recipe",
                           self.path("recipe.json"), "--source-repo", self.path("ucx"), "--pahole", support.PAHOLE,
                           "-o", self.path("out"), *options)

    def made(self):
        return {name: json.loads(text) for name, text in support.texts_below(self.path("out")).items()}

    def test_builds_with_one_layout_have_one_table_that_names_them_all(self):
        self.recipe["families"] = [self.family("1.10.0", "1.10.1", BUILDS), self.family("1.11.0", "1.11.0", BUILDS)]
        self.assertWorks(self.tables())
        made = self.made()
        self.assertEqual(sorted(made), ["1.10.0-1.10.1/x86_64-release.json"] + [
            f"1.11.0-1.11.0/x86_64-{name}.json" for name in ("assert-debug-data", "assert", "debug-data", "release")])
        old = made["1.10.0-1.10.1/x86_64-release.json"]
        self.assertEqual((old["variant"], old["twins"]),
                         (["release"], [["assert"], ["debug-data"], ["assert", "debug-data"]]))
        self.assertNotIn("twins", made["1.11.0-1.11.0/x86_64-release.json"])
        self.assertEqual(made["1.11.0-1.11.0/x86_64-assert-debug-data.json"]["variant"], ["assert", "debug-data"])
        self.assertEqual(self.again().stdout.count(": same\n"), 5)
        done = self.mqdgen("emit", "--spec", self.spec, "--spec", self.ucx, "-o", "-",
                           *[self.path(f"out/{name}") for name in made])
        self.assertIn('.variant = "release/assert/debug-data/assert+debug-data"', done.stdout)
        self.assertIn('.variant = "assert debug-data"', done.stdout)
        for twins, message in (([], "twins: must be a list of variants"),
                               ("assert", "twins: must be a list of variants"),
                               ([[]], "twins: must be a list of words"), ([["Assert"]], "twins: must be a word")):
            path = self.write("wrong.json", table.to_text(dict(old, twins=twins)))
            self.assertFails(self.mqdgen("show", "--spec", self.ucx, path), message)

    def test_bounds_are_proved(self):
        done = self.assertWorks(self.tables("--prove"))
        lines = done.stdout.splitlines()
        for line in ("1.10.0-1.10.1 x86_64 release: v1.10.0: same layout",
                     "1.10.0-1.10.1 x86_64 debug-data: v1.10.1: same layout",
                     "1.10.0-1.10.1 x86_64 release: v1.10.1 with stats: same layout",
                     "1.10.0-1.10.1 x86_64 debug-data: v1.10.1 with mt: same layout",
                     "1.11.0-1.11.0 x86_64 debug-data: differs from 1.10.0-1.10.1"):
            self.assertIn(line, lines)
        self.assertEqual(self.made(), {})
        self.recipe["families"] = [self.family("1.10.0", "1.11.0", ["release"])]
        self.assertDiffers(self.tables("--prove"), "1.10.0-1.11.0 x86_64 release: v1.10.0: REFUTED: differs:\n")

    def test_an_option_that_moves_something_is_told(self):
        """Statistics that lie in front of what is read."""
        moved = self.OLD.replace("    struct { uint64_t mask; } config;\n#if ENABLE_STATS\n    void *stats;\n#endif\n",
                                 "#if ENABLE_STATS\n    void *stats;\n#endif\n    struct { uint64_t mask; } config;\n")
        self.assertNotEqual(moved, self.OLD)
        self.commit("1.9.0", moved)
        self.recipe["families"] = [self.family("1.9.0", "1.9.0", ["release"])]
        self.assertDiffers(self.tables("--prove"), "1.9.0-1.9.0 x86_64 release: v1.9.0 with stats: REFUTED: differs:\n",
                           "+ ucp_worker_t.mask: u64 at 32 size 8\n",
                           "1.9.0-1.9.0 x86_64 release: v1.9.0 with profiling: same layout\n")

    def test_a_release_grows_its_family_or_begins_one(self):
        self.assertWorks(self.tables())
        self.commit("1.11.1", self.NEW + "/* again nothing new */\n")
        self.commit("1.12.0", self.NEW.replace("uint32_t kind;", "uint32_t kind; uint64_t later;"))
        done = self.again("--release", "v1.12.0")
        self.assertFails(done, "--release v1.12.0: v1.11.1 comes before it and after 1.11.0")
        self.assertWorks(self.again("--release", "v1.11.1"),
                         "1.11.1: has the types of 1.11.0-1.11.0 on x86_64 (2 tables), which is 1.11.0-1.11.1 now\n")
        self.assertWorks(self.again("--release", "v1.12.0"), "1.12.0: a new family, 1.12.0-1.12.0, on x86_64 (")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["1.10.0-1.10.1", "1.11.0-1.11.1", "1.12.0-1.12.0"])
        families = self.read_table("recipe.json")["families"]
        self.assertEqual([(one["first"], one["last"], one["ucx"], one["releases"]) for one in families],
                         [("1.10.0", "1.10.1", "1.10.1", ["1.10.0", "1.10.1"]),
                          ("1.11.0", "1.11.1", "1.11.0", ["1.11.0", "1.11.1"]),
                          ("1.12.0", "1.12.0", "1.12.0", ["1.12.0"])])
        self.assertEqual(self.again().stdout.count(": same\n"), len(self.made()))
        self.assertFails(self.again("--release", "v1.13.0-rc1"), "is not the tag of a release", "UCX's")
        self.assertFails(self.again("--release", "v1.13.0"), "there is no tag v1.13.0: fetch UCX's tags")

    def test_a_release_whose_builds_are_no_longer_one_begins_a_family(self):
        self.recipe["families"] = [self.family("1.10.0", "1.10.0", ["release", "assert"])]
        self.assertWorks(self.tables())
        self.git("tag", "-d", "v1.10.1")
        count = "\n            size_t count;"
        self.commit("1.10.1", self.OLD.replace(f"#if 0{count}", f"#ifdef ENABLE_ASSERT{count}"))
        self.assertWorks(self.again("--release", "v1.10.1"),
                         "1.10.1: differs from 1.10.0-1.10.0: x86_64-assert.json: has a layout of its own now\n")

    def test_what_is_watched_is_compared(self):
        self.recipe["families"] = [self.family("1.10.0", "1.10.1", ["release"])]
        self.recipe["watched"] = {
            "macros": {"src/ucp/core/ucp_worker.h": "UCP_\\w+_H_|UCP_NUMBER"}, "symbols": ["ucp_worker_t", "nothing"],
            "sources": [{"text": "an operation has a status", "file": "src/ucp/core/ucp_worker.h",
                         "pattern": "status_t status;"}]}
        self.git("tag", "-d", "v1.11.0")
        self.assertWorks(self.tables())
        self.commit("1.11.0", self.OLD.replace("status_t status;", "status_t status, more;")
                    .replace("ucp_worker_t;", "ucp_worker_s;\ntypedef ucp_worker_s ucp_worker_t;")
                    .replace("#include <stddef.h>", "#include <stddef.h>\n#define UCP_NUMBER 3"))
        self.assertWorks(self.again("--release", "v1.11.0"), "look: UCP_NUMBER: new, is 3\n",
                         "look: operation_t.more: new member, status_t at 1",
                         "look: src/ucp/core/ucp_worker.h: no longer shows that an operation has a status\n")

    def test_what_the_command_line_and_the_recipe_must_have(self):
        done = self.tables("--headers", self.directory)
        self.assertEqual((done.returncode, done.stderr), (2, "mqdgen: tables: UCX needs no --headers\n"))
        done = self.mqdgen("tables", "--spec", self.spec, "--source-repo", self.path("ucx"), "-o", self.path("out"))
        self.assertEqual((done.returncode, done.stderr), (2, "mqdgen: tables: Open MPI needs --headers\n"))
        self.recipe["families"][0]["tables"]["x86_64"]["builds"] = ["debug"]
        self.assertFails(self.tables(), "debug is no word of a variant of UCX")
        self.recipe["families"][0]["configured"] = "1.10.0"
        self.assertFails(self.tables(), 'the key "configured" is unknown')


class OwnRecipe(unittest.TestCase):
    """The project's tables of UCX and their recipe are of one mind."""

    def test_every_build_has_a_table_or_a_twin(self):
        own, tables = recipe.load(RECIPE, "ucx"), set()
        specs = read_specs(support.SPECS)
        for family in own["families"]:
            folder = os.path.join(support.UCX_TABLES, recipe.family_name(family))
            for arch, wanted in family["tables"].items():
                self.assertEqual(wanted, {"builds": BUILDS, "alone": []})
                found = []
                for path in support.own_tables(folder):
                    one, _ = table.load(path, specs)
                    if one["abi"]["arch"] == arch:
                        found += [one["variant"]] + one.get("twins", [])
                        self.assertEqual((one["origin"]["ucx"], one["origin"]["checked"]), (family["ucx"], "offsetof"))
                        tables.add(path)
                self.assertEqual(sorted(found), sorted(build.split() for build in BUILDS), f"{folder} {arch}")
        self.assertEqual(tables, set(support.own_tables(support.UCX_TABLES)))

    def test_no_release_is_in_two_families_and_1_8_in_none(self):
        releases = [release for family in recipe.load(RECIPE, "ucx")["families"] for release in family["releases"]]
        self.assertEqual(releases, sorted(set(releases), key=table.release_key))
        self.assertEqual((releases[0], [one for one in releases if one.startswith("1.8.")]), ("1.6.0", []))


@support.needs_pahole
@x86_64_only
class RealUcx(support.Scratch):
    """With UCX's own sources: a clone of its repository, in MQD_UCX_REPOSITORY."""

    TAG = "v1.18.1"
    FOLDER = "1.18.0-1.18.1"

    def setUp(self):
        super().setUp()
        self.repository = os.environ.get("MQD_UCX_REPOSITORY")
        if not self.repository:
            self.skipTest("MQD_UCX_REPOSITORY names no clone of UCX's repository")

    def tree(self):
        """The source tree of the tag."""
        os.mkdir(self.path("tree"))
        archive = self.path("tree.tar")
        for command in (["git", "-C", self.repository, "archive", "-o", archive, self.TAG],
                        ["tar", "xf", archive, "-C", self.path("tree")]):
            done = support.run(command)
            self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("tree")

    def test_one_family_is_made_again_byte_for_byte(self):
        out = self.path("out")
        os.mkdir(out)
        self.assertWorks(self.mqdgen("tables", "--library", "ucx", "--source-repo", self.repository, "--family",
                                     self.FOLDER, "--arch", "x86_64", "--pahole", support.PAHOLE, "-o", out))
        made = support.texts_below(os.path.join(out, self.FOLDER))
        self.assertEqual(len(made), 4)
        ours = support.texts_below(os.path.join(support.UCX_TABLES, self.FOLDER))
        self.assertEqual(made, {name: ours[name] for name in made})

    def test_the_last_release_is_forgotten_and_comes_back_byte_for_byte(self):
        own = recipe.load(RECIPE, "ucx")
        last = own["families"].pop()
        for command in own["compilers"].values():
            self.need(command.split()[0], "gcc-*-linux-gnu")
        os.mkdir(self.path("layout"))
        for path in support.SPECS:
            shutil.copy(path, self.path("layout"))
        out = self.path("layout/tables/ucx")
        shutil.copytree(support.UCX_TABLES, out)
        shutil.rmtree(os.path.join(out, recipe.family_name(last)))
        self.write("ucx.json", recipe.to_text(own))
        self.assertEqual(last["releases"], [last["first"]])
        self.assertWorks(self.mqdgen("tables", "--spec", self.path("layout/ucx.def"), "--library", "ucx", "--recipe",
                                     self.path("ucx.json"), "--source-repo", self.repository, "--pahole",
                                     support.PAHOLE, "-o", out, "--release", f"v{last['first']}"))
        self.assertEqual(self.read("ucx.json"), support.text_of(RECIPE))
        self.assertEqual(support.texts_below(out), support.texts_below(support.UCX_TABLES))

    def test_a_libucp_with_debug_information_has_the_table_of_its_build(self):
        """Some of its sources are compiled, with -g and assertions, and linked as far as they can be."""
        tree = self.tree()
        os.mkdir(self.path("made"))
        handmade.write(LIBRARIES["ucx"], tree, self.TAG[1:].split("."), ["assert"], self.path("made"))
        more = ('#define PACKAGE_VERSION "1.18"\n#define UCX_MODULE_SUBDIR "ucx"\n#define UCX_CONFIG_DIR "/etc/ucx"\n'
                "#define _GNU_SOURCE 1\n#define HAVE_CONFIG_H 1\n")
        with open(self.path("made/config.h"), "a", encoding="utf-8") as file:
            file.write(more)
        sources = ["src/ucp/tag/tag_recv.c", "src/ucp/tag/eager_rcv.c", "src/ucp/tag/tag_match.c",
                   "src/ucp/tag/tag_send.c", "src/ucp/core/ucp_request.c", "src/ucp/dt/dt_generic.c",
                   "src/ucp/rndv/rndv.c", "src/ucs/datastruct/mpool.c"]
        version = self.write("version.c", f'const char *ucp_get_version_string(void) {{ return "{self.TAG[1:]}"; }}\n')
        library = self.path("libucp.so.0")
        done = support.run(support.COMPILE + [
            "-g", "-O1", "-w", "-fPIC", "-shared", "-DHAVE_CONFIG_H", "-I", self.path("made"), "-I",
            os.path.join(tree, "src"), "-o", library, version] + [os.path.join(tree, name) for name in sources])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertWorks(self.mqdgen("extract", library, "--variant", "assert", "--first", "1.18.0", "--pahole",
                                     support.PAHOLE, "-o", self.path("table.json")))
        expected = self.read_table(os.path.join(support.UCX_TABLES, self.FOLDER, "x86_64-assert.json"))
        made = self.read_table()
        self.assertEqual((made["origin"]["ucx"], made["origin"]["checked"]), (self.TAG[1:], "none"))
        self.assertEqual(made["types"], expected["types"])
        for name, value in made.get("constants", {}).items():
            self.assertEqual(value, expected["constants"][name], name)
        self.assertWorks(self.mqdgen("check", os.path.join(support.UCX_TABLES, self.FOLDER, "x86_64-assert.json"),
                                     "--pahole", support.PAHOLE, "--debug-info", library), "same, by other means")


if __name__ == "__main__":
    support.main()
