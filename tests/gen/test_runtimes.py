"""mqdgen and the runtimes of OpenMP: libgomp in C, libomp in C++, both configured by hand from their sources."""
import json
import os
import shutil
import unittest
from unittest import mock

import support
from mqdlib import cplusplus, handmade, recipe, table
from mqdlib.spec import read_specs

CXX = "g++"  # clang evaluates no bitfields
needs_gxx = unittest.skipUnless(shutil.which(CXX), "no g++")
x86_64_only = unittest.skipUnless(os.uname().machine == "x86_64", "this test is for x86_64")
LAYOUT = os.path.join(support.ROOT, "layout")

GOMP_SPEC = """\
MQD_LIBRARY(gomp, "libgomp")
MQD_HEADER("libgomp.h", always)
MQD_HEADER("mqd_gomp.h", always)
MQD_CAPABILITY(gomp_things, "things")
MQD_TYPE(gomp_team, tag, at_least, plain)
MQD_STEP(gomp_team, count, u32, always)
MQD_STEP(gomp_team, aligned, i32, always)
MQD_CONSTANT(gomp_implicit, MQD_GOMP_IMPLICIT_TASK, u32, always, gomp_things)
MQD_CONSTANT(gomp_wait, SEM_WAIT, i32, always, gomp_things)
"""
# Where the configuration has no aligned allocation, the work shares are not aligned.
GOMP_HEADER = """\
#include "config.h"
#include "gstdint.h"
#include "sem.h"
#include "gomp-constants.h"
#if defined HAVE_ALIGNED_ALLOC || defined HAVE_POSIX_MEMALIGN || defined HAVE_MEMALIGN
#define GOMP_USE_ALIGNED_WORK_SHARES 1
#define ALIGNED __attribute__((aligned(64)))
#else
#define ALIGNED
#endif
struct gomp_task { void *parent; };
struct gomp_team { uint32_t count; int aligned ALIGNED; struct gomp_task implicit_task[]; };
"""

KMP_SPEC = """\
MQD_LIBRARY(kmp, "libomp")
MQD_HEADER("kmp.h", always)
MQD_HEADER("mqd_kmp.h", always)
MQD_CAPABILITY(kmp_things, "things")
MQD_TYPE(inner_t, struct, exact, plain)
MQD_STEP(inner_t, go, u64, always)
MQD_TYPE(kmp_newer_t, struct, exact, plain)
MQD_STEP(kmp_newer_t, member, i32, optional)
MQD_TYPE(kmp_demo, tag, exact, plain)
MQD_NESTED(kmp_demo, gtid, "desc.ds.gtid", i32, always)
MQD_STEP(kmp_demo, count, i32, always)
MQD_STEP(kmp_demo, pointer, ptr, always)
MQD_STEP(kmp_demo, sleep_type, enum, always)
MQD_EMBED(kmp_demo, inner, inner_t, always)
MQD_STEP(kmp_demo, size, size, always)
MQD_STEP(kmp_demo, flag, bool, always)
MQD_STEP(kmp_demo, bits, bytes, always)
MQD_NESTED(kmp_demo, tid, "desc.ds.newer desc.ds.older", u16, always)
MQD_STEP(kmp_demo, newer, u32, optional)
MQD_TYPE(mqd_kmp_flag, struct, at_least, plain)
MQD_STEP(mqd_kmp_flag, loc, ptr, always)
MQD_CONSTANT(kmp_flag64, flag64, enum, always, kmp_things)
MQD_CONSTANT(kmp_explicit, MQD_KMP_TASK_EXPLICIT, u32, always, kmp_things)
MQD_CONSTANT(kmp_bump, "NEWER_BUMP OLDER_BUMP", u64, always, kmp_things)
MQD_CONSTANT(kmp_lacking, NO_SUCH_NUMBER, u32, optional, extra)
"""
KMP_HEADER = """\
#include "kmp_config.h"
#include "kmp_i18n_id.inc"
#include <atomic>
#include <cstddef>
#include <cstdint>
typedef uint64_t kmp_uint64;
typedef uint32_t kmp_uint32;
typedef int32_t kmp_int32;
static_assert(kmp_i18n_str_Error == 2 && kmp_i18n_msg_Fatal == 3 && sizeof(kmp_i18n_id_t) == 4, "messages");
typedef struct kmp_tasking_flags {
    unsigned tiedness : 1, final : 1, compiler : 14, tasktype : 1, library : 3, started : 1, executing : 1,
        complete : 1, reserved : 9;
} kmp_tasking_flags_t;
enum flag_type { flag32, flag64 };
typedef struct { volatile kmp_uint64 go; } inner_t;
struct kmp_demo {
    union { double align; struct { int gtid; uint16_t older; } ds; } desc;
#if USE_ITT_BUILD
    kmp_uint64 itt[3];
#endif
#if OMPT_SUPPORT
    void *ompt;
#endif
    std::atomic<kmp_int32> count;
    int *volatile pointer;
    const int &reference;
    enum flag_type sleep_type;
    inner_t inner[2];
    size_t size;
    bool flag;
    kmp_tasking_flags_t bits;
};
#define OLDER_BUMP 4
template <bool Sleepable = true> class kmp_flag_64 {
    volatile kmp_uint64 *loc;
public:
    kmp_flag_64(volatile kmp_uint64 *p) : loc(p) {}
    virtual ~kmp_flag_64() {}
};
"""
KMP_CONFIG = """\
#cmakedefine01 LIBOMP_USE_ITT_NOTIFY
#define USE_ITT_NOTIFY LIBOMP_USE_ITT_NOTIFY
#define USE_ITT_BUILD LIBOMP_USE_ITT_NOTIFY
#cmakedefine01 LIBOMP_OMPT_SUPPORT
#define OMPT_SUPPORT LIBOMP_OMPT_SUPPORT
#cmakedefine01 LIBOMP_USE_HIER_SCHED
#define KMP_USE_HIER_SCHED LIBOMP_USE_HIER_SCHED
#cmakedefine LIBOMP_UNKNOWN 1
#define KMP_VERSION_MAJOR @LIBOMP_VERSION_MAJOR@
"""
KMP_MESSAGES = """\
# A comment.
-*- META -*-
Language  "English"
-*- STRINGS-*-
Error     "Error"
-*- MESSAGES -*-
Fatal     "bad"
          "more of it"
"""
# Of the default build, by the rules of C: 4 + 2 bytes in 8, ITT's 24, OMPT's 8, then the members.
KMP_FIELDS = {"gtid": (0, 4, "i32"), "tid": (4, 2, "u16"), "count": (40, 4, "i32"), "pointer": (48, 8, "ptr"),
              "sleep_type": (64, 4, "enum"), "inner": (72, 16, "struct"), "size": (88, 8, "size"),
              "flag": (96, 1, "bool"), "bits": (100, 4, "bytes")}


class Gomp(support.Scratch):
    """A small libgomp."""

    def setUp(self):
        super().setUp()
        self.gomp = self.write("gomp.def", GOMP_SPEC)
        for name in ("gcc", "libgomp/config/linux", "include"):
            os.makedirs(self.path(f"tree/{name}"))
        for name, text in (("gcc/BASE-VER", "12.2.1\n"), ("libgomp/libgomp.h", GOMP_HEADER),
                           ("libgomp/config/linux/sem.h", "#define SEM_WAIT (-__INT_MAX__ - 1)\n"),
                           ("include/gomp-constants.h", "")):
            self.write(f"tree/{name}", text)

    def from_tree(self, *arguments):
        return self.mqdgen("extract", "--spec", self.gomp, "--pahole", support.PAHOLE, "--cc", support.CC,
                           "--source", self.path("tree"), "-o", self.path("table.json"), *arguments)

    @support.needs_pahole
    @x86_64_only
    def test_an_unconfigured_tree_is_enough(self):
        self.assertWorks(self.from_tree())
        one = self.read_table()
        self.assertEqual((one["family"], one["variant"]), ({"first": "12.2.1", "last": "12.2.1"}, ["default"]))
        self.assertEqual((one["origin"]["gomp"], one["origin"]["checked"]), ("12.2.1", "offsetof"))
        self.assertEqual(one["origin"]["macros"]["GOMP_USE_ALIGNED_WORK_SHARES"], 1)
        self.assertEqual(support.fields(one, "gomp_team"), {"count": (0, 4, "u32"), "aligned": (64, 4, "i32")})
        self.assertEqual(one["constants"], {"gomp_implicit": 72, "gomp_wait": -(1 << 31)})

    @support.needs_pahole
    @x86_64_only
    def test_a_configured_build_counts_more(self):
        os.mkdir(self.path("build"))
        self.write("build/config.h", "#define LIBGOMP_USE_PTHREADS 1\n")
        self.write("build/gstdint.h", "#include <stdint.h>\n")
        self.assertWorks(self.from_tree("-I", self.path("build")))
        one = self.read_table()
        self.assertEqual(support.fields(one, "gomp_team")["aligned"], (4, 4, "i32"))
        self.assertEqual(one["constants"]["gomp_implicit"], 8)
        self.assertNotIn("GOMP_USE_ALIGNED_WORK_SHARES", one["origin"]["macros"])

    def test_words_and_releases_must_be_those_of_the_library(self):
        self.assertFails(self.from_tree("--variant", "debug"), "--variant debug: without a config.h of libgomp the "
                         "words can be default: name a configured build with -I")
        self.assertFails(self.from_tree("--gomp", "13.1.0"), "--gomp 13.1.0: but the sources in ")
        done = self.mqdgen("extract", "--spec", self.gomp, "--library", "gomp", "--prefix", self.directory, "-o", "-")
        self.assertFails(done, "--prefix: names an Open MPI or UCX: name the file of libgomp itself")


class KmpTree(support.Scratch):
    """What writes a small libomp."""

    def setUp(self):
        super().setUp()
        self.kmp = self.write("kmp.def", KMP_SPEC)

    def source(self, release="14.0.6", header=KMP_HEADER, top="llvm"):
        for name in ("llvm", "openmp/runtime/src/i18n", "openmp/runtime/src/include"):
            os.makedirs(self.path(f"{top}/{name}"), exist_ok=True)
        numbers = zip(("MAJOR", "MINOR", "PATCH"), release.split("."))
        for name, text in (
                ("llvm/CMakeLists.txt", "".join(f"  set(LLVM_VERSION_{word} {number})\n" for word, number in numbers)),
                ("openmp/runtime/src/kmp.h", header), ("openmp/runtime/src/kmp_config.h.cmake", KMP_CONFIG),
                ("openmp/runtime/src/i18n/en_US.txt", KMP_MESSAGES), ("openmp/runtime/src/include/omp.h.var", ""),
                ("openmp/runtime/src/include/omp-tools.h.var", "")):
            self.write(f"{top}/{name}", text)
        return self.path(top)


@needs_gxx
@x86_64_only
class Kmp(KmpTree):
    def from_tree(self, *arguments, header=KMP_HEADER):
        return self.mqdgen("extract", "--spec", self.kmp, "--pahole", "no-such-program", "--cc", CXX,
                           "--source", self.source(header=header), "-o", self.path("table.json"), *arguments)

    def test_the_compiler_states_what_pahole_cannot_read(self):
        self.assertWorks(self.from_tree())
        one = self.read_table()
        self.assertEqual((one["family"]["first"], one["variant"]), ("14.0.6", ["default"]))
        self.assertEqual(sorted(one["origin"]), ["checked", "kmp", "macros", "spec"])
        self.assertEqual(one["origin"]["macros"], {"KMP_USE_HIER_SCHED": 0, "OMPT_SUPPORT": 1, "USE_ITT_NOTIFY": 1})
        self.assertEqual(support.fields(one, "kmp_demo"), KMP_FIELDS)
        self.assertEqual({name: facts["size"] for name, facts in one["types"].items()},
                         {"inner_t": 8, "kmp_demo": 104, "mqd_kmp_flag": 16})
        self.assertEqual(support.fields(one, "mqd_kmp_flag"), {"loc": (8, 8, "ptr")})
        self.assertEqual(one["types"]["kmp_demo"]["fields"]["tid"]["path"], "desc.ds.older")
        self.assertEqual(one["constants"], {"kmp_flag64": 1, "kmp_explicit": 1 << 16, "kmp_bump": 4})
        # Twice the same, and readable again.
        self.assertWorks(self.mqdgen("check", "--spec", self.kmp, "--cc", CXX, "--source", self.path("llvm"),
                                     self.path("table.json")), "table.json: same\n")
        self.assertEqual(self.mqdgen("show", "--spec", self.kmp, self.path("table.json")).stdout.splitlines()[0],
                         "libomp 14.0.6 to 14.0.6, x86_64, default")

    def test_words_of_the_variant_are_what_cmake_would_say(self):
        for words, count in ((["no-itt"], 16), (["no-ompt"], 32), (["no-itt", "no-ompt"], 8)):
            self.assertWorks(self.from_tree(*[option for word in words for option in ("--variant", word)]))
            one = self.read_table()
            self.assertEqual((one["variant"], support.fields(one, "kmp_demo")["count"]), (words, (count, 4, "i32")))
        self.assertFails(self.from_tree("--variant", "debug-data"), "without a kmp_config.h of libomp the words can be "
                         "default, no-itt, no-ompt")
        os.mkdir(self.path("build"))
        for name in ("kmp_i18n_id.inc", "omp.h", "omp-tools.h"):
            self.write(f"build/{name}", "enum kmp_i18n_id { a, b, kmp_i18n_str_Error, kmp_i18n_msg_Fatal };\n"
                       "typedef enum kmp_i18n_id kmp_i18n_id_t;\n" if name.endswith(".inc") else "")
        self.write("build/kmp_config.h", "#define USE_ITT_BUILD 0\n#define USE_ITT_NOTIFY 0\n#define OMPT_SUPPORT 1\n")
        self.assertWorks(self.from_tree("-I", self.path("build")))
        self.assertEqual(self.read_table()["variant"], ["no-itt"])
        self.assertFails(self.from_tree("-I", self.path("build"), "--variant", "default"),
                         "--variant default: has word default, but the headers have USE_ITT_NOTIFY 0")

    def test_what_a_newer_release_has_counts_first(self):
        self.assertWorks(self.from_tree(header=KMP_HEADER.replace("uint16_t older;", "uint16_t older, newer;")
                                        .replace("bool flag;", "bool flag; kmp_uint32 newer;")
                                        .replace("#define OLDER_BUMP 4", "#define OLDER_BUMP 4\n#define NEWER_BUMP 8\n"
                                                 "typedef struct { int member; } kmp_newer_t;")))
        one = self.read_table()
        self.assertEqual(one["types"]["kmp_demo"]["fields"]["tid"],
                         {"offset": 6, "size": 2, "kind": "u16", "path": "desc.ds.newer"})
        self.assertEqual(support.fields(one, "kmp_demo")["newer"], (100, 4, "u32"))
        self.assertEqual(support.fields(one, "kmp_newer_t"), {"member": (0, 4, "i32")})
        self.assertEqual(one["constants"]["kmp_bump"], 8)

    def row(self, start):
        """The number of the only row that begins so."""
        number, = (number for number, row in enumerate(KMP_SPEC.split("\n"), 1) if row.startswith(start))
        return number

    def test_what_every_release_has_must_be_there(self):
        for old, new, start, name in (
                ("int *volatile pointer;", "", "MQD_STEP(kmp_demo, pointer", "kmp_demo.pointer"),
                ("uint16_t older;", "", "MQD_NESTED(kmp_demo, tid", "kmp_demo.tid"),
                ("flag64 };", "};", "MQD_CONSTANT(kmp_flag64", "constant kmp_flag64 (flag64)")):
            done = self.from_tree(header=KMP_HEADER.replace(old, new, 1))
            self.assertFails(done, f"{name}: ", f"kmp.def:{self.row(start)}:")

    def test_another_kind_is_an_error(self):
        for old, new, name, kind in (
                ("std::atomic<kmp_int32> count;", "std::atomic<kmp_uint32> count;", "count", "u32"),
                ("int *volatile pointer;", "long pointer;", "pointer", "i64"),
                ("enum flag_type sleep_type;", "int sleep_type;", "sleep_type", "i32"),
                ("size_t size;", "unsigned size;", "size", "u32"), ("bool flag;", "char flag;", "flag", "i8"),
                ("inner_t inner[2];", "kmp_uint64 inner[2];", "inner", "no"),
                ("std::atomic<kmp_int32> count;", "double count;", "count", "no")):
            line = self.row(f"MQD_{'EMBED' if name == 'inner' else 'STEP'}(kmp_demo, {name},")
            self.assertFails(self.from_tree(header=KMP_HEADER.replace(old, new)),
                             f"kmp_demo.{name}: is of {kind} kind, the spec ({self.kmp}:{line}) says ")

    def test_the_compiler_has_the_last_word(self):
        state = cplusplus.Compiler.state

        def wrong(compiler, abi):
            types, constants = state(compiler, abi)
            spoil(types, constants)
            return types, constants
        for spoil, what in (
                (lambda types, _: types["kmp_demo"]["fields"]["pointer"].update(offset=56), "kmp_demo.pointer"),
                (lambda types, _: types["kmp_demo"]["fields"]["count"].update(kind="u32"), "kmp_demo.count"),
                (lambda types, _: types["inner_t"].update(size=16), "inner_t"),
                (lambda _, constants: constants.update(kmp_explicit=4),
                 "constant kmp_explicit (MQD_KMP_TASK_EXPLICIT)")):
            with mock.patch.object(cplusplus.Compiler, "state", wrong):
                self.assertFails(self.from_tree(), f"{what}: the compiler contradicts" if "constant" not in what else
                                 what)

    def test_debug_information_in_cplusplus_is_refused_with_the_way_out(self):
        self.write("one.c", "int one;\n")
        self.write("libomp.so", "")
        self.assertFails(self.mqdgen("extract", "--spec", self.kmp, self.path("libomp.so"), "-o", "-"),
                         "the debug information of libomp is of C++, which pahole does not read: name its source tree")


@needs_gxx
@x86_64_only
@unittest.skipUnless(shutil.which("git"), "git is missing")
class Tables(KmpTree):
    """A small repository of LLVM."""

    REPOSITORY = "llvm"

    def setUp(self):
        super().setUp()
        self.once(self.begin)
        self.family = {"first": "14.0.0", "last": "14.0.6", "source": "llvmorg-14.0.6", "kmp": "14.0.6",
                       "tables": {"x86_64": {"builds": ["default", "no-itt"], "alone": []}}, "releases": ["14.0.6"]}

    def begin(self):
        os.mkdir(self.path("llvm"))
        self.git("init", "-q", "--template=", ".")
        self.commit("14.0.6", KMP_HEADER)
        os.mkdir(self.path("out"))

    def commit(self, release, header):
        self.source(release, header)
        self.git("add", ".")
        self.git("commit", "-q", "-m", release)
        self.git("tag", "llvmorg-" + release)

    def tables(self, *options):
        return self.mqdgen("tables", "--spec", self.kmp, "--library", "kmp", "--recipe", self.path("recipe.json"),
                           "--source-repo", self.path("llvm"), "-o", self.path("out"), *options)

    def test_releases_have_the_tags_of_their_project(self):
        self.write("recipe.json", recipe.to_text({"compilers": {"x86_64": CXX}, "families": [self.family]}))
        self.assertWorks(self.tables())
        self.assertEqual(sorted(support.texts_below(self.path("out"))),
                         [f"14.0.0-14.0.6/x86_64-{word}.json" for word in ("default", "no-itt")])
        self.commit("15.0.1", KMP_HEADER + "// nothing new\n")
        self.commit("15.0.2", KMP_HEADER.replace("bool flag;", "long moved; bool flag;"))
        self.assertFails(self.tables("--release", "v15.0.1"), "like llvmorg-5.0.8", "libomp's")
        self.assertFails(self.tables("--release", "llvmorg-15.0.2"),
                         "--release llvmorg-15.0.2: llvmorg-15.0.1 comes before it")
        self.assertWorks(self.tables("--release", "llvmorg-15.0.1"),
                         "15.0.1: has the types of 14.0.0-14.0.6 on x86_64 (2 tables), which is 14.0.0-15.0.1 now\n",
                         "look: libomp: other members than those of the list were not compared: pahole reads no C++\n")
        self.assertWorks(self.tables("--release", "llvmorg-15.0.2"), "15.0.2: a new family, 15.0.2-15.0.2, on x86_64")
        self.assertEqual(json.loads(self.read("recipe.json"))["families"][1]["source"], "llvmorg-15.0.2")

    def test_options_that_change_no_layout_are_proved(self):
        self.write("recipe.json", recipe.to_text({"compilers": {"x86_64": CXX}, "families": [self.family]}))
        done = self.assertWorks(self.tables("--prove"))
        self.assertIn("14.0.0-14.0.6 x86_64 no-itt: llvmorg-14.0.6 with hier-sched: same layout\n", done.stdout)
        self.assertEqual(done.stdout.count(": same layout\n"), 2 * (1 + len(handmade.MADE["kmp"].neutral)))
        self.assertEqual(support.texts_below(self.path("out")), {})


class OwnRecipes(unittest.TestCase):
    """The project's tables of the runtimes and their recipes are of one mind."""

    def test_every_build_has_a_table_or_a_twin(self):
        specs = read_specs(support.RUNTIME_SPECS)
        for name in specs:
            top, tables = os.path.join(LAYOUT, "tables", name), set()
            for family in recipe.load(os.path.join(support.ROOT, "gen", f"{name}.json"), name)["families"]:
                folder = os.path.join(top, recipe.family_name(family))
                self.assertEqual(list(family["tables"]), ["x86_64", "aarch64", "ppc64le"])
                found = {arch: [] for arch in family["tables"]}
                for path in support.own_tables(folder):
                    one, _ = table.load(path, specs)
                    found[one["abi"]["arch"]] += [one["variant"]] + one.get("twins", [])
                    self.assertEqual((one["origin"][name], one["origin"]["checked"]), (family[name], "offsetof"))
                    self.assertEqual(one["origin"]["spec"], specs[name].digest, path)
                    tables.add(path)
                for arch, wanted in family["tables"].items():
                    self.assertEqual(sorted(found[arch]), sorted(build.split() for build in wanted["builds"]), folder)
            self.assertEqual(tables, set(support.own_tables(top)))

    def test_families_are_in_order_and_have_their_releases(self):
        for name in ("gomp", "kmp"):
            last = (0, 0, 0)
            for family in recipe.load(os.path.join(support.ROOT, "gen", f"{name}.json"), name)["families"]:
                numbers = [family["first"], *family["releases"], family["last"]]
                self.assertEqual(numbers, sorted(numbers, key=table.release_key))
                self.assertLess(last, table.release_key(family["first"]))
                self.assertIn(family[name], family["releases"])
                last = table.release_key(family["last"])


if __name__ == "__main__":
    support.main()
