"""mqdgen tables: from a git repository and installed headers to the folders of tables; and the project's own recipe."""
import json
import os
import re
import shutil
import unittest

import support
from mqdlib import recipe, table, table_list

VERSION = "major={}\nminor={}\nrelease={}\n"
OPAL_CONFIG = """\
#define OMPI_MAJOR_VERSION 4
#define OMPI_MINOR_VERSION 1
#define OMPI_RELEASE_VERSION {release}
#define OPAL_ARCH "{arch}-pc-linux-gnu"
#define OPAL_ENABLE_DEBUG 0
/* #undef OPAL_CUDA_SUPPORT */
/* #undef DEMO_PLACE */
#define OPAL_CUDA_SUPPORT_NOT_THIS 5
"""
# A debug build has larger objects; with CUDA nothing that is needed moves.
CONFIGURED_HEADER = support.DEMO_HEADER.replace("#include <stdbool.h>", """\
#include "opal_config.h"
#include "mpi.h"
#if OPAL_CUDA_SUPPORT_NOT_THIS != 5
#error a macro was changed that should not have been
#endif
#include <stdbool.h>""").replace(
    "int references; } object_t;", "int references;\n#if OPAL_ENABLE_DEBUG\nlong magic;\n#endif\n} object_t;")

RECIPE = os.path.join(support.ROOT, "gen", "tables.json")
UCX_RECIPE = os.path.join(support.ROOT, "gen", "ucx.json")

needs_git = unittest.skipUnless(shutil.which("git"), "no git")


class Repository(support.Scratch):
    """What makes a small repository of Open MPI, and configured headers beside it."""

    def commit(self, release, header, tag=None):
        os.makedirs(self.path("ompi/include"), exist_ok=True)
        os.makedirs(self.path("opal"), exist_ok=True)
        self.write("VERSION", VERSION.format(*release.split(".")))
        self.write("ompi/include/demo.h", header)
        self.write("opal/demo.c", "not a header")
        self.git("add", "VERSION", "ompi", "opal")
        self.git("commit", "-q", "--allow-empty", "-m", release)
        self.git("tag", tag or "v" + release)

    def install(self, name, release, mpi="#include <hwloc/deep.h>\n", arch="x86_64"):
        os.makedirs(self.path(f"installed/{name}/include/openmpi"), exist_ok=True)
        os.makedirs(self.path(f"installed/{name}/include/hwloc"), exist_ok=True)
        self.write(f"installed/{name}/include/hwloc/deep.h", "")
        self.write(f"installed/{name}/include/mpi.h", mpi)
        self.write(f"installed/{name}/include/openmpi/opal_config.h", OPAL_CONFIG.format(release=release, arch=arch))

    @staticmethod
    def family(first, last, source):
        return {"first": first, "last": last, "source": "v" + source, "openmpi": source, "configured": "4.1.4",
                "tables": {"x86_64": {"builds": ["release", "debug"], "alone": ["cuda"]}},
                "releases": [source], "configurations": []}


@needs_git
@support.needs_pahole
@unittest.skipUnless(os.uname().machine == "x86_64", "the recipe of this test is for x86_64")
class Tables(Repository):
    def setUp(self):
        super().setUp()
        self.once(self.begin)
        self.recipe = {
            "compilers": {"x86_64": support.CC, "aarch64": "no-such-compiler"},
            "configured": ["mpi.h", "mpi-new.h", "openmpi/opal_config.h"],
            "beside": ["hwloc/deep.h", "nowhere.h"],
            "words": {"release": {}, "debug": {"OPAL_ENABLE_DEBUG": 1}, "cuda": {"OPAL_CUDA_SUPPORT": 1},
                      "odd": {"OPAL_NO_SUCH_MACRO": 1}},
            "families": [self.family("4.1.0", "4.1.8", "4.1.4"), self.family("5.0.0", "5.0.3", "5.0.0")],
        }

    def begin(self):
        self.git("init", "-q", "--template=", ".")
        self.commit("4.1.4", CONFIGURED_HEADER)
        self.commit("4.1.5", CONFIGURED_HEADER + "/* nothing new */\n")
        self.commit("5.0.0", CONFIGURED_HEADER.replace("bool flag;", "char more[16]; bool flag;"))
        self.install("a", 4)
        os.mkdir(self.path("out"))

    def tables(self, *options):
        self.write("recipe.json", json.dumps(self.recipe))
        return self.mqdgen("tables", "--spec", self.spec, "--recipe", self.path("recipe.json"), "--source-repo",
                           self.directory, "--headers", self.path("installed"), "--pahole", support.PAHOLE, "-o",
                           self.path("out"), *options)

    def made(self):
        """Every file that was made, with its text."""
        return support.texts_below(self.path("out"))

    def test_makes_every_table_that_has_a_layout_of_its_own_and_the_same_bytes_again(self):
        done = self.assertWorks(self.tables())
        made = self.made()
        self.assertEqual(sorted(made), [f"{family}/x86_64-{build}.json" for family in ("4.1.0-4.1.8", "5.0.0-5.0.3")
                                        for build in ("debug", "release")])
        self.assertEqual(done.stdout.count(": new\n"), 4)
        self.assertIn("x86_64-release-cuda.json: no table of its own: has the types of x86_64-release.json\n",
                      done.stdout)
        one, debug, five = (json.loads(made[name]) for name in (
            "4.1.0-4.1.8/x86_64-release.json", "4.1.0-4.1.8/x86_64-debug.json", "5.0.0-5.0.3/x86_64-release.json"))
        self.assertEqual(support.sizes_and_fields(one), support.LP64_TYPES)
        self.assertEqual((one["origin"]["openmpi"], one["origin"]["macros"]), ("4.1.4", {"OPAL_ENABLE_DEBUG": 0}))
        self.assertEqual((debug["types"]["object_t"]["size"], debug["origin"]["macros"]),
                         (24, {"OPAL_ENABLE_DEBUG": 1}))
        self.assertEqual(support.fields(five, "big_t")["flag"], (168, 1, "bool"))
        self.assertEqual(five["origin"]["macros"], {
            "OMPI_MAJOR_VERSION": 4, "OMPI_MINOR_VERSION": 1, "OMPI_RELEASE_VERSION": 4, "OPAL_ENABLE_DEBUG": 0})
        again = self.tables()
        self.assertWorks(again)
        self.assertEqual(again.stdout.count(": same\n"), 4)
        self.assertEqual(self.made(), made)

    def test_a_table_that_was_tampered_with_is_made_again(self):
        self.assertWorks(self.tables("--family", "4.1.0-4.1.8"))
        made = self.made()
        self.change("out/4.1.0-4.1.8/x86_64-release.json", '"openmpi": "4.1.4"', '"openmpi": "4.1.3"')
        self.assertWorks(self.tables("--family", "4.1.0-4.1.8"), "4.1.0-4.1.8/x86_64-release.json: changed\n")
        self.assertEqual(self.made(), made)

    def test_a_file_that_the_recipe_does_not_make_is_named_and_left(self):
        os.mkdir(self.path("out/5.0.0-5.0.3"))
        self.write("out/5.0.0-5.0.3/x86_64-release-cuda.json", "old")
        self.assertDiffers(self.tables("--family", "5.0.0-5.0.3"),
                           "x86_64-release-cuda.json: not of the recipe: remove it\n")
        self.assertEqual(self.read("out/5.0.0-5.0.3/x86_64-release-cuda.json"), "old")
        os.unlink(self.path("out/5.0.0-5.0.3/x86_64-release-cuda.json"))
        os.mkdir(self.path("out/4.2.0-4.2.9"))
        self.assertDiffers(self.tables(), "out/4.2.0-4.2.9: not of the recipe: remove it\n")

    def test_headers_that_are_not_at_hand_do_not_stop_the_others(self):
        tables = self.recipe["families"][0]["tables"]
        self.recipe["families"][0]["tables"] = {"aarch64": {"builds": ["release"], "alone": []}, **tables}
        os.mkdir(self.path("out/4.1.0-4.1.8"))
        self.write("out/4.1.0-4.1.8/aarch64-release.json", "old")
        done = self.assertDiffers(self.tables(), "4.1.0-4.1.8/aarch64: not made: no-such-compiler: no such compiler")
        self.assertNotIn("remove it", done.stdout)
        self.assertEqual(done.stdout.count(": new\n"), 4)
        self.assertEqual(self.read("out/4.1.0-4.1.8/aarch64-release.json"), "old")
        self.recipe["compilers"]["aarch64"] = support.CC
        done = self.assertDiffers(self.tables(),
                                  "4.1.0-4.1.8/aarch64: not made: no opal_config.h of Open MPI 4.1.4 for aarch64 below "
                                  f"{self.path('installed')}")
        self.assertEqual(done.stdout.count(": same\n"), 4)

    def test_the_other_architectures_are_left_alone(self):
        """Neither what they lack nor what is there of them is of interest."""
        for family in self.recipe["families"]:
            family["tables"]["aarch64"] = {"builds": ["release"], "alone": []}
        os.mkdir(self.path("out/4.1.0-4.1.8"))
        self.write("out/4.1.0-4.1.8/aarch64-release.json", "old")
        done = self.assertWorks(self.tables("--arch", "x86_64"))
        self.assertEqual((done.stdout.count(": new\n"), done.stdout.count("aarch64")), (4, 0))
        self.assertEqual(self.read("out/4.1.0-4.1.8/aarch64-release.json"), "old")
        self.assertFails(self.tables("--arch", "vax"),
                         "--arch vax: the recipe has none of this name, but aarch64, x86_64")

    def test_two_configurations_for_one_release_must_be_the_same(self):
        self.install("b", 4)
        self.assertWorks(self.tables())
        self.install("b", 4, mpi="")
        self.assertFails(self.tables(), "installed/a/include and ", "both are Open MPI 4.1.4 for x86_64, and mpi.h "
                         "differs: name only one")

    def test_headers_beside_are_taken_from_the_closest_place(self):
        os.makedirs(self.path("installed/0/include/hwloc"))
        self.write("installed/0/include/hwloc/deep.h", "#error that of another installation\n")
        self.assertWorks(self.tables())
        os.unlink(self.path("installed/a/include/hwloc/deep.h"))
        self.assertFails(self.tables(), "that of another installation")

    def test_a_macro_that_the_configuration_does_not_know_cannot_be_changed(self):
        self.recipe["families"][0]["tables"]["x86_64"]["alone"] = ["odd"]
        self.assertFails(self.tables(), "openmpi/opal_config.h: OPAL_NO_SUCH_MACRO: is neither defined nor undefined")

    def test_a_macro_that_a_configuration_lacks_gets_its_value(self):
        self.commit("4.1.4", CONFIGURED_HEADER + "extern int demo_place[DEMO_PLACE];\n", "v4.1.4-place")
        self.recipe["families"] = [dict(self.recipe["families"][0], source="v4.1.4-place")]
        self.assertFails(self.tables(), "DEMO_PLACE")
        self.recipe["defined"] = {"DEMO_PLACE": 3}
        self.assertWorks(self.tables())
        self.change("installed/a/include/openmpi/opal_config.h", "/* #undef DEMO_PLACE */", "#define DEMO_PLACE (-1)")
        self.assertFails(self.tables(), "demo_place")

    def test_no_table_is_made_without_the_headers_of_another_project(self):
        self.change("openmpi.def", 'MQD_HEADER("demo.h", always)',
                    'MQD_HEADER("demo.h", always)\nMQD_HEADER("far.h", foreign)')
        self.write("ompi/include/far.h", "#include <far/deep.h>\n")
        self.commit("4.1.4", CONFIGURED_HEADER, "v4.1.4-far")
        self.recipe["families"] = [dict(self.recipe["families"][0], source="v4.1.4-far")]
        self.assertFails(self.tables(), "far.h: cannot be included: unpack")
        self.assertEqual(self.made(), {})
        os.makedirs(self.path("installed/b/far"))
        self.write("installed/b/far/deep.h", "")
        self.recipe["beside"].append("far/deep.h")
        self.assertWorks(self.tables())

    def test_words_of_one_string_go_together(self):
        self.recipe["families"][0]["tables"]["x86_64"] = {"builds": ["release"], "alone": ["cuda debug"]}
        self.assertFails(self.tables(), "--variant release cuda debug: has word release")
        self.recipe["families"][0]["tables"]["x86_64"]["alone"] = ["cuda fast"]
        self.assertFails(self.tables(), "the word fast is not in")

    def test_what_the_repository_lacks(self):
        self.recipe["families"][0]["source"] = "v4.1.9"
        self.assertFails(self.tables(), f"{self.directory}: v4.1.9: git cannot list it")
        self.recipe["families"][0].update(source="v5.0.0")
        self.assertFails(self.tables(), "--openmpi 4.1.4: but the sources in", "are those of 5.0.0")
        self.git("rm", "-q", "-r", "VERSION", "ompi", "opal")
        self.git("commit", "-q", "-m", "nothing", "--allow-empty")
        self.recipe["families"][0].update(source="HEAD")
        self.assertFails(self.tables(), "HEAD: has no headers below VERSION, ompi, opal, orte")
        shutil.rmtree(self.path(".git"))
        self.assertFails(self.tables(), "git cannot list it")

    def test_options(self):
        self.assertFails(self.tables("--family", "4.1.4"), "--family 4.1.4: the recipe has none of this name, but "
                         "4.1.0-4.1.8, 5.0.0-5.0.3")
        self.assertFails(self.tables("-o", self.path("none")), "must be the directory")
        self.assertFails(self.tables("--headers", self.path("none")), "none: no such directory")

    def test_a_recipe_that_is_wrong(self):
        families = self.recipe["families"]
        for change, message in (
                (lambda: self.recipe.update(more=1), 'recipe.json:1: the key "more" is unknown'),
                (lambda: families[0].pop("source"), 'families[0]: the key "source" is missing'),
                (lambda: families[0].update(source="v4.1.4", tables={"vax": {"builds": [], "alone": []}}),
                 'families[0].tables.vax: has no compiler'),
                (lambda: families[0].update(tables={"x86_64": {"builds": ["fast"], "alone": []}}),
                 "families[0].tables.x86_64: the word fast is not")):
            with self.subTest(message):
                change()
                self.assertFails(self.tables(), message)
                self.recipe.pop("more", None)
        self.assertEqual(self.made(), {})

    def test_proves_that_releases_and_configurations_have_one_layout(self):
        self.install("b", 5)
        self.recipe["families"][0].update(releases=["4.1.4", "4.1.5"], configurations=["4.1.5"])
        self.assertWorks(self.tables("--prove"), "4.1.0-4.1.8 x86_64 debug: v4.1.5 configured as 4.1.4: same layout\n",
                         "4.1.0-4.1.8 x86_64 release: v4.1.4 configured as 4.1.5: same layout\n",
                         "5.0.0-5.0.3 x86_64 release: differs from 4.1.0-4.1.8\n")
        self.assertEqual(self.made(), {})

    def test_refutes_a_release_whose_constants_differ(self):
        self.commit("4.1.6", CONFIGURED_HEADER.replace("{ idle, busy }", "{ idle, waiting, busy }"))
        self.commit("4.1.7", CONFIGURED_HEADER + "#define DEMO_LEAST 7\n")
        self.recipe["families"] = self.recipe["families"][:1]
        self.recipe["families"][0]["releases"] = ["4.1.4", "4.1.6", "4.1.7"]
        done = self.tables("--prove")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("x86_64 release: v4.1.6 configured as 4.1.4: REFUTED: differs:\n"
                      "- constant state_busy: 1\n+ constant state_busy: 2\n", done.stdout)
        # What only one of them has means nothing to the other.
        self.assertIn("x86_64 release: v4.1.7 configured as 4.1.4: same layout\n", done.stdout)

    def test_a_release_may_differ_in_a_member_that_is_by_release(self):
        self.commit("4.1.6", CONFIGURED_HEADER.replace("either_t either;", "either_t either; uint32_t newer;"))
        self.recipe["families"] = self.recipe["families"][:1]
        self.recipe["families"][0]["releases"] = ["4.1.4", "4.1.6"]
        self.assertDiffers(self.tables("--prove"), "x86_64 release: v4.1.6 configured as 4.1.4: REFUTED: differs:\n")
        self.change("openmpi.def", "MQD_STEP(big_t, newer, u32, optional)", "MQD_STEP(big_t, newer, u32, by_release)")
        self.assertWorks(self.tables("--prove"))

    def test_refutes_a_release_that_differs_and_a_family_that_does_not(self):
        self.recipe["families"][0]["releases"] = ["4.1.4", "5.0.0"]
        self.recipe["families"][0]["last"] = "5.0.0"
        self.recipe["families"][1].update(first="4.1.5", last="4.1.5", source="v4.1.5", openmpi="4.1.5",
                                          releases=["4.1.5"])
        self.assertDiffers(self.tables("--prove"), "x86_64 release: v5.0.0 configured as 4.1.4: REFUTED: differs:\n"
                           "- big_t: size 184\n+ big_t: size 200\n",
                           "4.1.5-4.1.5 x86_64 release: REFUTED: has the layout of 4.1.0-5.0.0\n")


class OwnRecipe(unittest.TestCase):
    """Tables and recipe are of one mind; whether the tables are right only making them again can tell."""

    def test_every_table_is_one_that_the_recipe_makes(self):
        own = recipe.load(RECIPE)
        known = {}
        for family in own["families"]:
            for arch, wanted in family["tables"].items():
                for words in recipe.variants(wanted):
                    name = recipe.table_name(arch, words)
                    known[os.path.join(support.TABLES, recipe.family_name(family), name)] = family, words
        for path in support.own_tables():
            self.assertIn(path, known)
            family, words = known[path]
            one = json.loads(support.text_of(path))
            self.assertEqual((one["variant"], one["origin"]["openmpi"], one["origin"]["checked"]),
                             (words, family["openmpi"], "offsetof"), path)
        plain = {path for path, (_, words) in known.items() if len(words) == 1}
        self.assertEqual(plain.difference(support.own_tables()), set())

    def test_the_dll_knows_each_architecture_by_the_name_of_its_tables(self):
        """Of tables that fit equally the DLL prefers those that are named for the processor it is built for."""
        lines = support.text_of(os.path.join(support.ROOT, "mqd", "dll", "evidence.c"))
        lines = lines[lines.index("#if defined __x86_64__"):lines.index("#endif")] + "#endif\n"
        tried = 0
        for arch, command in recipe.load(RECIPE)["compilers"].items():
            if shutil.which(command.split()[0]):
                done = support.run(command.split() + ["-E", "-dM", "-"], input=lines)
                self.assertIn(f'#define LIKELY_ARCH "{arch}"\n', done.stdout)
                tried += 1
        if tried == 0:
            self.skipTest("none of the recipe's compilers is here")

    def test_every_release_of_a_family_lies_in_it_and_families_of_an_architecture_do_not_overlap(self):
        last, names = {}, []
        for family in recipe.load(RECIPE)["families"]:
            first, end = table.release_key(family["first"]), table.release_key(family["last"])
            for arch in family["tables"]:
                self.assertLess(last.get(arch, (0, 0, 0)), first)
                last[arch] = end
            for release in family["releases"]:
                self.assertTrue(first <= table.release_key(release) <= end, release)
            names.append(recipe.family_name(family))
        self.assertEqual(len(names), len(set(names)))

    def test_the_recipe_is_spelled_as_mqdgen_writes_it(self):
        for path, library in ((RECIPE, "openmpi"), (UCX_RECIPE, "ucx")):
            self.assertEqual(recipe.to_text(recipe.load(path, library)), support.text_of(path))

    def test_the_list_of_tables_is_that_of_the_folders(self):
        path = os.path.join(support.ROOT, "layout", "tables.am")
        self.assertEqual(table_list.place(support.SPEC, support.TABLES), os.path.realpath(path))
        self.assertEqual(table_list.to_text(os.path.realpath(path)), support.text_of(path))
        self.assertTrue(support.own_tables())

    def test_symbols_that_are_watched_are_those_that_the_dll_asks_for(self):
        files = support.texts_below(os.path.join(support.ROOT, "mqd", "dll"))
        text = "".join(files[name] for name in files if name.endswith((".c", ".h", ".def")))
        asked = re.findall(r'(?:mqd_symbol|dbgr_find_symbol|dbgr_touch_function|visit_handles)\([^;"]*"(\w+)"', text)
        self.assertGreater(len(set(asked)), 10)
        watched = recipe.load(RECIPE)["watched"]["symbols"] + recipe.load(UCX_RECIPE, "ucx")["watched"]["symbols"]
        self.assertEqual([name for name in set(asked) if re.sub("_class$", "", name) not in watched], [])
        self.assertEqual([name for name in watched if f'"{name}' not in text], [])


if __name__ == "__main__":
    support.main()
