"""Tables of installed builds: prefixes, separate debug files, debuginfod, dwz. The libraries are real, only small."""
import functools
import http.server
import os
import shutil
import tempfile
import threading
from unittest import mock

import support
from mqdlib import dwarf, probe
from mqdlib.elf import ElfFile
from mqdlib.errors import MqdError
from mqdlib.spec import read_spec
from test_commands import TABLE_41, installed_headers
from test_extract import kinds_of_pahole

# What each file of the installation knows of the demo's types, as Open MPI's own do.
PAL = '#include "demo.h"\nitem_t item; int pal;\n'
LIBMPI = ('#include "demo.h"\nextern int pal; either_t either; int *needs(void) { return &pal; }\n'
          '__attribute__((visibility("default"))) const char ompi_version_string[] = "VERSION";\n')
OB1 = '#include "demo.h"\nbig_t big;\n'

OPAL_CONFIG = ("#define OPAL_ENABLE_DEBUG 1\n#define OPAL_CUDA_SUPPORT 1\n/* #undef OPAL_ENABLE_FT_MPI */\n"
               "#define OMPI_MAJOR_VERSION 4\n#define OMPI_MINOR_VERSION 1\n#define OMPI_RELEASE_VERSION 4\n")


def no_debuginfod():
    """The environment of a machine on which no debuginfod server is named."""
    return {name: value for name, value in os.environ.items() if name != "DEBUGINFOD_URLS"}


class Installation(support.Scratch):
    """An Open MPI in prefix/, built with -g; nothing asks a server unless a test says so."""

    def setUp(self):
        super().setUp()
        for program in ("objcopy", "strip"):
            self.need(program, "binutils")
        environment = mock.patch.dict(os.environ, no_debuginfod(), clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def run_all(self, *commands):
        for command in commands:
            done = support.run(command)
            self.assertEqual(done.returncode, 0, done.stderr)

    def library(self, path, text, *options):
        """A shared library with debug information and a build-id."""
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        source = self.write("source.c", text)
        self.run_all(support.COMPILE + ["-g", "-fPIC", "-shared", "-Wl,--build-id", "-I", self.directory, "-o",
                                           self.path(path), source, *options])
        return self.path(path)

    def install(self, libdir="prefix/lib", version="4.1.4", plugins="openmpi", options=()):
        """Returns the three files."""
        pal = self.library(f"{libdir}/libopen-pal.so.40", PAL, "-Wl,-soname,libopen-pal.so.40", *options)
        mpi = self.library(f"{libdir}/libmpi.so.40.30.4", LIBMPI.replace("VERSION", version),
                           "-Wl,-soname,libmpi.so.40", pal, *options)
        ob1 = self.library(f"{libdir}/{plugins}/mca_pml_ob1.so", OB1, *options)
        for name in ("libmpi.so.40", "libmpi.so"):
            os.symlink("libmpi.so.40.30.4", os.path.join(os.path.dirname(mpi), name))
        return mpi, pal, ob1

    def split(self, path, debug_file, link=None):
        """Moves a library's debug information into a file of its own."""
        debug_file = self.path(debug_file)
        os.makedirs(os.path.dirname(debug_file), exist_ok=True)
        self.run_all(["objcopy", "--only-keep-debug", path, debug_file], ["strip", "--strip-debug", path])
        if link:
            self.run_all(["objcopy", f"--add-gnu-debuglink={debug_file}", path])
        self.assertFalse(ElfFile(path).has_debug_info)
        return debug_file

    @staticmethod
    def by_build_id(path, top):
        build_id = ElfFile(path).build_id
        return f"{top}/.build-id/{build_id[:2]}/{build_id[2:]}.debug"

    def from_prefix(self, *arguments):
        return self.extract_files("--prefix", self.path("prefix"), *arguments)

    def assertDemo(self, done, release="4.1.4", variant=("site",)):
        """The table is the demo's, for this one release."""
        self.assertWorks(done)
        table = self.read_table()
        self.assertEqual(support.sizes_and_fields(table), support.LP64_TYPES)
        numbers = release.split("rc")[0]
        self.assertEqual(table["family"], {"first": numbers, "last": numbers})
        self.assertEqual((table["origin"]["openmpi"], tuple(table["variant"])), (release, variant))
        self.assertNotIn("mqdgen-test-", self.read("table.json"))


@support.needs_pahole
class APrefix(Installation):
    def test_all_is_found_in_the_usual_places(self):
        for libdir, plugins in (("prefix/lib", "openmpi"), ("prefix/lib64", "openmpi"),
                                ("prefix/lib64/openmpi/lib", "openmpi"), ("prefix/lib/x86_64-linux-gnu", "openmpi"),
                                ("prefix/lib/x86_64-linux-gnu", "openmpi/lib/openmpi3")):
            with self.subTest(libdir):
                shutil.rmtree(self.path("prefix"), ignore_errors=True)
                self.install(libdir, plugins=plugins)
                self.assertDemo(self.from_prefix())

    def test_a_release_without_plugins_and_with_libopen_mpi(self):
        all_of_it = PAL + OB1.replace('#include "demo.h"\n', "") + LIBMPI.replace('#include "demo.h"\n', "")
        inner = self.library("prefix/lib/libopen_mpi.so.40", all_of_it.replace("extern int pal;", "").replace(
            "VERSION", "6.0.0rc2"), "-Wl,-soname,libopen_mpi.so.40")
        self.library("prefix/lib/libmpi.so.40", "extern int *needs(void); int *more(void) { return needs(); }\n", inner)
        self.assertDemo(self.from_prefix(), "6.0.0rc2")

    def test_files_named_by_hand(self):
        files = self.install()
        self.assertDemo(self.extract_files(*files))
        self.assertFails(self.extract_files(*files, "--openmpi", "4.1.5"),
                         "--openmpi 4.1.5: but the files are those of 4.1.4")
        self.assertFails(self.extract_files(*files, "--first", "4.1.5"), "--openmpi 4.1.4: must lie between")
        self.assertFails(self.extract_files(*files, "-I", self.directory), "not both")
        self.assertFails(self.extract_files(*files, "-D", "X"), "not both")
        self.assertFails(self.extract_files(*files, "--prefix", self.path("prefix")), "not both")
        self.assertFails(self.extract_files(*files[1:], self.library("more.so", '#include "demo.h"\neither_t e;\n')),
                         "nothing here says which release", "--openmpi")
        self.assertWorks(self.extract_files(*files, "--first", "4.1.0", "--last", "4.1.8", "--variant", "release"))
        self.assertEqual(self.read_table()["family"], {"first": "4.1.0", "last": "4.1.8"})

    def test_the_installed_configuration_names_the_variant(self):
        self.install()
        os.makedirs(self.path("prefix/include/openmpi"))
        self.write("prefix/include/mpi.h", "")
        self.write("prefix/include/openmpi/opal_config.h", OPAL_CONFIG)
        self.assertDemo(self.from_prefix(), variant=("debug", "cuda"))
        self.assertFails(self.from_prefix("--variant", "release"), "has no word debug")
        self.change("prefix/include/openmpi/opal_config.h", "RELEASE_VERSION 4", "RELEASE_VERSION 40")
        self.assertDemo(self.from_prefix())

    def test_the_release_comes_from_mpi_h_where_no_library_says_it(self):
        self.install(version="unstable")
        self.assertFails(self.from_prefix(), "nothing here says which release", "--openmpi")
        os.mkdir(self.path("prefix/include"))
        self.write("prefix/include/mpi.h", OPAL_CONFIG)
        self.assertDemo(self.from_prefix())

    def test_what_is_no_open_mpi_is_not_taken(self):
        self.assertFails(self.from_prefix(), "prefix: no such directory")
        self.library("prefix/lib/libmpi.so.12", "int MPICH;\n")
        self.write("prefix/lib/libmpi.so", "INPUT(libmpi.so.12)\n")
        self.assertFails(self.from_prefix(), "no libmpi.so of Open MPI in lib, lib64")
        os.unlink(self.path("prefix/lib/libmpi.so"))
        self.install()
        self.assertDemo(self.from_prefix())

    def test_two_of_them_must_be_told_apart_by_hand(self):
        self.install()
        self.install("prefix/lib64")
        self.assertFails(self.from_prefix(), "has several", "lib/libmpi.so.40,", "lib64/libmpi.so.40",
                         "name the files of one")

    def test_an_older_file_beside_the_linked_one_is_none(self):
        self.install()
        self.library("prefix/lib/libmpi.so.40.20.1", "typedef struct { int x; } big_t; big_t big;\n",
                     self.path("prefix/lib/libopen-pal.so.40"))
        self.assertDemo(self.from_prefix())

    def test_a_link_that_leads_out_of_a_future_root_is_not_followed(self):
        self.install()
        os.unlink(self.path("prefix/lib/libmpi.so"))
        os.symlink(self.library("elsewhere/libmpi.so", LIBMPI, self.path("prefix/lib/libopen-pal.so.40")),
                   self.path("prefix/lib/libmpi.so"))
        self.assertDemo(self.from_prefix())

    def test_a_plugin_of_another_build_does_not_agree(self):
        _, _, ob1 = self.install()
        self.change("demo.h", "struct list_item *next;", "struct list_item *next, *more;")
        self.library(os.path.relpath(ob1, self.directory), OB1)
        self.assertFails(self.from_prefix(), "mca_pml_ob1.so: item_t: differs from the one in",
                         "give files of one build")

    def test_checking_it_again(self):
        self.install()
        self.assertDemo(self.from_prefix())
        check = ["check", "--spec", self.spec, "--pahole", support.PAHOLE, self.path("table.json")]
        done = self.assertWorks(self.mqdgen(*check, "--prefix", self.path("prefix")))
        self.assertEqual(done.stdout, f"{self.path('table.json')}: same\n")
        self.change("table.json", '"size": 184', '"size": 192')
        self.assertWorks(self.mqdgen(*check, "--prefix", self.path("prefix")), "same, by other means")
        self.change("table.json", '"offset": 156', '"offset": 157')
        done = self.mqdgen(*check, "--prefix", self.path("prefix"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("- big_t.tiny: i8 at 157 size 1\n+ big_t.tiny: i8 at 156 size 1\n", done.stdout)
        shutil.rmtree(self.path("prefix"))
        self.install(version="4.1.5")
        self.assertWorks(self.mqdgen(*check, "--prefix", self.path("prefix")),
                         "skipped: --openmpi 4.1.4: but the files are those of 4.1.5")


@support.needs_pahole
class SeparateFiles(Installation):
    def test_by_build_id_below_the_prefix_or_a_named_directory(self):
        for top, options in (("prefix/lib/debug", []), ("debug", ["--debug-directory", self.path("debug")])):
            with self.subTest(top):
                shutil.rmtree(self.path("prefix"), ignore_errors=True)
                for path in self.install():
                    self.split(path, self.by_build_id(path, top))
                if options:
                    self.assertFails(self.from_prefix(), "no separate file by its build-id")
                self.assertDemo(self.from_prefix(*options))

    def test_by_debug_link(self):
        for place in ("{here}/{name}", "{here}/.debug/{name}", self.path("debug") + "{here}/{name}"):
            with self.subTest(place):
                shutil.rmtree(self.path("prefix"), ignore_errors=True)
                for path in self.install():
                    here, name = os.path.split(os.path.realpath(path))
                    self.split(path, place.format(here=here, name=name + ".debug"), link=True)
                os.makedirs(self.path("debug"), exist_ok=True)
                self.assertDemo(self.from_prefix("--debug-directory", self.path("debug")))

    def test_debug_files_named_by_hand(self):
        files = [self.split(path, f"debug{number}") for number, path in enumerate(self.install())]
        self.assertDemo(self.extract_files(*files, "--openmpi", "4.1.4"))

    def test_one_of_another_build_is_not_used(self):
        _, _, ob1 = self.install()
        debug_file = self.split(ob1, self.by_build_id(ob1, "prefix/lib/debug"))
        self.assertDemo(self.from_prefix())
        shutil.copy(self.library("other.so", OB1, "-Wl,--build-id=0x9876543210"), debug_file)
        self.assertFails(self.from_prefix(), f"{debug_file}: of another build, 9876543210")

    def test_a_link_with_another_checksum_is_not_followed(self):
        _, _, ob1 = self.install(options=["-Wl,--build-id=none"])
        debug_file = self.split(ob1, "prefix/lib/openmpi/ob1.debug", link=True)
        self.assertDemo(self.from_prefix())
        with open(debug_file, "ab") as file:
            file.write(b"more")
        self.assertFails(self.from_prefix(), f"{debug_file}: of another build, by its checksum")

    def test_what_each_file_had_is_said(self):
        mpi, pal, ob1 = self.install()
        self.split(ob1, "away/ob1.debug")
        self.split(mpi, self.by_build_id(mpi, "prefix/lib/debug"))
        done = self.from_prefix()
        self.assertFails(done, "mqdgen: big_t: no debug information defines it\n",
                         f"{self.path('prefix/lib/libmpi.so.40')} (build-id {ElfFile(mpi).build_id}):\n"
                         "    no debug information of its own\n    debug information that defines 1 of the 4 types\n",
                         f"  {pal} (build-id ", "defines 2 of the 4 types",
                         f"  {ob1} (build-id {ElfFile(ob1).build_id}):\n    no debug information of its own\n",
                         f"neither beside it nor below {self.path('prefix/lib/debug')}, /usr/lib/debug\n",
                         "DEBUGINFOD_URLS names no server", "-g in CFLAGS")
        self.assertNotIn("dwz", done.stderr)
        self.assertNotIn("beside these", done.stderr)
        os.unlink(ob1)
        self.assertFails(self.from_prefix(), "  no mca_pml_ob1.so beside these, which releases before 5.0 have\n")
        self.assertFalse(os.path.exists(self.path("table.json")))

    def test_a_default_build_has_debug_information_of_a_few_sources_only(self):
        _, _, ob1 = self.install()
        with_g = self.path("with-g.o")
        self.run_all(support.COMPILE + ["-g", "-fPIC", "-c", "-I", self.directory, "-o", with_g,
                                           self.write("debugger.c", '#include "demo.h"\nitem_t seen;\n')])
        self.library(os.path.relpath(ob1, self.directory), OB1, "-g0", with_g)
        self.assertFails(self.from_prefix(), "big_t: no debug information defines it",
                         "mca_pml_ob1.so", "debug information that defines 2 of the 4 types")


@support.needs_pahole
class WhatPaholeCannotRead(Installation):
    COMPLEX = "_Complex double c; _Complex long double d; _Complex float f;\n"

    def test_complex_numbers_and_atomic_members(self):
        self.change("demo.h", "const uint16_t half;", "_Atomic uint16_t half;")
        self.change("demo.h", "struct list_item *next;", "struct list_item *_Atomic next;")
        for options in ([], ["-gdwarf-4"], ["-gdwarf-5"], ["-gz=zlib"], ["-gdwarf64"]):
            with self.subTest(options):
                shutil.rmtree(self.path("prefix"), ignore_errors=True)
                self.install(options=options)
                self.library("prefix/lib/libmpi.so.40.30.4", LIBMPI.replace("VERSION", "4.1.4") + self.COMPLEX,
                             self.path("prefix/lib/libopen-pal.so.40"), *options)
                self.assertDemo(self.from_prefix())

    def test_complex_numbers_and_atomic_members_with_every_pahole(self):
        self.change("demo.h", "const uint16_t half;", "_Atomic uint16_t half;")
        self.install()
        self.library("prefix/lib/libmpi.so.40.30.4", LIBMPI.replace("VERSION", "4.1.4") + self.COMPLEX,
                     self.path("prefix/lib/libopen-pal.so.40"))
        for version, pahole in kinds_of_pahole(self):
            with self.subTest(version):
                self.assertDemo(self.from_prefix("--pahole", pahole))

    def test_a_copy_is_made_only_where_it_is_needed(self):
        plain = self.library("plain.so", OB1)
        self.assertEqual(dwarf.copy_for_pahole(ElfFile(plain), self.path("copy")), plain)
        with_complex = self.library("complex.so", OB1 + self.COMPLEX)
        self.assertEqual(dwarf.copy_for_pahole(ElfFile(with_complex), self.path("copy")), self.path("copy"))

    def dwz(self, *files, options=()):
        self.need("dwz", "dwz")
        self.run_all(["dwz", *options, *files])

    MANY = '#include "demo.h"\n' + "".join(
        f"struct s{n} {{ item_t a; either_t b[{n + 1}]; struct s{n} *next; }} v{n};\n" for n in range(40))

    def bloated(self):
        """
        The installation, with so much in common that dwz finds something to share. In DWARF 4: dwz 0.15 does not know
        all that clang writes by default.
        """
        parts = []
        for part in "ab":
            source = self.write(f"{part}.c", self.MANY.replace(" v", f" {part}v"))
            parts.append(self.path(f"{part}.o"))
            self.run_all(support.COMPILE + ["-gdwarf-4", "-fPIC", "-c", "-I", self.directory, "-o", parts[-1],
                                               source])
        return self.install(options=parts + ["-gdwarf-4"])

    def test_dwz_alone(self):
        files = self.bloated()
        self.assertDemo(self.from_prefix())
        for path in files:
            self.dwz(path)
            self.assertTrue(dwarf.uses_dwz(ElfFile(path)))
        self.assertFalse(ElfFile(path).has(".gnu_debugaltlink"))
        self.assertFails(self.from_prefix(), "    compressed by dwz\n", "pahole cannot read what dwz has compressed",
                         "--source with the source tree")
        self.assertFails(self.extract_files(*files), "    compressed by dwz\n")

    def test_dwz_with_a_common_file(self):
        files = self.bloated()
        debug_files = [self.split(path, self.by_build_id(path, "prefix/lib/debug")) for path in files]
        self.assertDemo(self.from_prefix())
        self.dwz(*debug_files, options=["-m", self.path("prefix/lib/debug/common.debug")])
        self.assertTrue(ElfFile(debug_files[0]).has(".gnu_debugaltlink"))
        self.assertFails(self.from_prefix(), f"    {debug_files[0]}: compressed by dwz\n",
                         "pahole cannot read what dwz has compressed")
        before = self.path("before")
        os.mkdir(before)
        shutil.rmtree(self.path("prefix"))
        for path in self.bloated():
            self.split(path, self.by_build_id(path, "before"))
        self.assertDemo(self.from_prefix("--debug-directory", before))

    def test_references_to_a_common_file_are_enough_to_tell(self):
        """Where nothing is there twice within a file, dwz -m leaves no partial units in it."""
        files = [self.library(name, self.MANY, "-gdwarf-4") for name in ("one.so", "two.so")]
        self.dwz(*files, options=["-m", self.path("common.debug")])
        elf = ElfFile(files[0])
        tags = {one.tag for one in dwarf.all_abbreviations(dwarf.section_of(elf, ".debug_abbrev"))}
        self.assertNotIn(dwarf.TAG_PARTIAL_UNIT, tags)
        self.assertTrue(dwarf.uses_dwz(elf))

    def test_a_stripped_file_can_tell_that_its_debug_file_was(self):
        files = self.bloated()
        self.dwz(*files, options=["-m", self.path("common.debug")])
        self.run_all(["strip", "--strip-debug", "--keep-section=.gnu_debugaltlink", files[0]])
        self.assertFails(self.from_prefix(),
                         "no debug information of its own; its debug file has been compressed by dwz")

    def test_damaged_files_are_errors(self):
        good = self.library("good.so", OB1 + self.COMPLEX)
        lengths = [0, 1, 10, 19, 20, 40, 60, 63, 64] + [section.offset for section in ElfFile(good).sections.values()]
        outcomes = set()
        for what, data in support.damaged(support.contents(good), lengths, self.interesting(good)):
            bad = self.write_bytes("bad.so", data)
            try:
                elf = ElfFile(bad)
                list(elf.needed()), elf.build_id, elf.debug_link, elf.initial_string("big"), dwarf.uses_dwz(elf)
                dwarf.copy_for_pahole(elf, self.path("copy"))
                outcomes.add("survived")
            except MqdError as error:
                self.assertIn("bad.so: ", str(error), what)
                outcomes.add("refused")
        self.assertEqual(outcomes, {"survived", "refused"})

    @staticmethod
    def interesting(path):
        """The bytes of the ELF header, the section headers, and of what is read as numbers."""
        elf = ElfFile(path)
        yield from range(4, 64)
        for name in (".debug_info", ".debug_abbrev", ".note.gnu.build-id", ".dynamic", ".dynsym"):
            section = elf.sections[name]
            yield from range(section.header, section.header + 64, 3)
            yield from range(section.offset, section.offset + min(section.size, 200))


class Handler(http.server.SimpleHTTPRequestHandler):
    """Gives what debuginfod gives under the same names."""

    def log_message(self, *_):
        pass


@support.needs_pahole
class FromDebuginfod(Installation):
    """A server on the loopback interface, for files that lie nowhere else."""

    def setUp(self):
        super().setUp()
        self.need("debuginfod-find", "debuginfod")
        self.files = self.install()
        for path in self.files:
            self.split(path, f"served/buildid/{ElfFile(path).build_id}/debuginfo")
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=self.path("served")))
        threading.Thread(target=self.server.serve_forever).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def client(self, url, cache):
        """A client that has nothing in its cache, not even that there was nothing."""
        shutil.rmtree(self.path(cache), ignore_errors=True)
        os.environ.update(DEBUGINFOD_URLS=url, DEBUGINFOD_CACHE_PATH=self.path(cache), DEBUGINFOD_TIMEOUT="10",
                          HOME=self.directory, no_proxy="127.0.0.1", NO_PROXY="127.0.0.1")

    def test_the_types_come_from_the_server(self):
        self.assertFails(self.from_prefix(), "DEBUGINFOD_URLS names no server")
        self.client(self.url, "cache")
        self.assertDemo(self.from_prefix())
        self.assertTrue(os.listdir(self.path("cache")))
        self.server.shutdown()
        self.server.server_close()
        self.client(self.url, "other-cache")
        self.assertFails(self.from_prefix(), "debuginfod has none: ", "no debug information")

    def test_a_server_that_has_nothing(self):
        shutil.rmtree(self.path("served"))
        self.client(self.url, "cache")
        self.assertFails(self.from_prefix(), "debuginfod has none: ")

    def test_without_its_client_the_package_is_named(self):
        self.client("http://127.0.0.1:1", "cache")
        with mock.patch("mqdlib.separate.DEBUGINFOD_FIND", self.path("debuginfod-find")):
            self.assertFails(self.from_prefix(), "debuginfod-find: cannot run it", "install the package debuginfod")

    def test_a_file_without_build_id_cannot_be_asked_for(self):
        shutil.rmtree(self.path("prefix"))
        for path in self.install(options=["-Wl,--build-id=none"]):
            self.split(path, "away/x.debug")
        self.client("http://127.0.0.1:1", "cache")
        self.assertFails(self.from_prefix(), "no build-id, by which a debuginfod server could be asked")


@support.needs_pahole
class RealTypes(Installation):
    def test_open_mpis_own_types_through_a_separate_debug_file(self):
        source, installed = os.environ.get("MQD_OMPI_SOURCE"), installed_headers()
        if not source or not installed:
            self.skipTest("MQD_OMPI_SOURCE names no source tree of Open MPI 4.1.4, or its headers are not installed")
        expected = self.read_table(TABLE_41)
        with tempfile.TemporaryDirectory() as directory:
            compiler = probe.Compiler(read_spec(support.SPEC), f"{support.CC} -fPIC", installed, [], source, directory)
            if compiler.headers_seen()[1].get("OMPI_MINOR_VERSION") != "1":
                self.skipTest("the installed headers are not those of 4.1")
            types, _ = compiler.probe_object()
            mpi = self.library("prefix/lib/libmpi.so.40", LIBMPI.replace('#include "demo.h"\n', "").replace(
                "either_t either;", "int pal;").replace("VERSION", "4.1.4"), types)
        self.split(mpi, self.by_build_id(mpi, "prefix/lib/debug"))
        self.assertWorks(self.mqdgen("extract", "--pahole", support.PAHOLE, "--prefix", self.path("prefix"), "-o",
                                     self.path("table.json")))
        self.assertEqual(self.read_table()["types"], expected["types"])


if __name__ == "__main__":
    support.main()
