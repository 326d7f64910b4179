"""A build with a site's tables: what configure takes, what make makes again, and mqdgen as it is installed."""
import os
import re
import shutil
import time
import unittest

import support
from mqdlib import table
from test_commands import TABLE_41

UCX_TABLE = os.path.join(support.UCX_TABLES, "1.18.0-1.18.1", "x86_64-assert.json")
CONFIGURE = os.path.join(support.ROOT, "configure")


@unittest.skipUnless(os.path.exists(CONFIGURE), "there is no configure: autoreconf -fi makes it")
@unittest.skipUnless(shutil.which("make"), "no make")
@support.needs_cc
class SiteBuild(support.Scratch):
    def setUp(self):
        super().setUp()
        # What an outer make and its tests have set is not for the inner one.
        keep = {name: value for name, value in os.environ.items()
                if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR", "CC", "PAHOLE", "srcdir")}
        self.environment = dict(keep, LC_ALL="C")
        self.value = self.read_table(TABLE_41)
        self.value["family"] = {"first": "4.1.4", "last": "4.1.4"}
        self.value["variant"] = ["site"]
        self.build = self.path("build")
        os.mkdir(self.build)

    def site_table(self, name, **changes):
        return self.write(name, table.to_text(dict(self.value, **changes)))

    def run_here(self, *command):
        return support.run(list(command), cwd=self.build, env=self.environment)

    def configure(self, *options):
        """What the compiler can do, the build in whose directory the test runs has found out; but for its options."""
        if os.path.exists("config.log") and not os.path.exists(self.path("config.cache")):
            known = re.findall(r"^(?:ac|am|lt)_cv_(?!env_)\w+=.*$", support.text_of("config.log"), re.MULTILINE)
            self.write("config.cache", "\n".join(known) + "\n")
        return self.run_here(CONFIGURE, f"--prefix={self.path('installed')}", "--cache-file=../config.cache", *options)

    def make(self, *arguments):
        """Of the project's tables one is enough here."""
        return self.run_here("make", f"TABLES={os.path.relpath(TABLE_41, support.ROOT)}", *arguments)

    def assertMade(self, *arguments):
        done = self.make(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_what_is_no_table_is_refused_by_name(self):
        not_open_mpi = self.site_table("ucx.json", origin=dict(
            {key: value for key, value in self.value["origin"].items() if key != "openmpi"}, ucx="1.18.1"))
        for value, message in ((not_open_mpi, f"{not_open_mpi}: is no table of Open MPI"),
                               ("", "name one or more tables"), ("yes", "name one or more tables"),
                               ("none.json", f"{self.build}/none.json: there is no such file"),
                               (self.directory, f"{self.directory}: there is no such file"),
                               ("$HOME.json", "$HOME.json: make cannot do with such a name"),
                               ("a:b.json", "a:b.json: make cannot do with such a name")):
            with self.subTest(value):
                done = self.configure(f"--with-openmpi-layout={value}")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("configure: error: --with-openmpi-layout: ", done.stderr)
                self.assertIn(message, done.stderr)

    def test_from_the_table_to_the_installed_mqdgen(self):
        one = self.site_table("one.json")
        two = self.site_table("two.json", variant=["site", "two"])
        ucx = self.write("ucx.json", table.to_text(dict(self.read_table(UCX_TABLE), variant=["site"])))
        done = self.configure(f"--with-openmpi-layout=../one.json,{two}", f"--with-ucx-layout={ucx}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"your tables  {self.build}/../one.json {two} {ucx}\n", done.stdout)
        self.assertMade("layout/tables.c")
        made = self.read("build/layout/tables.c")
        self.assertEqual(made.count(".site = true"), 3)
        last = made[made.rindex("static const struct mqd_table table_"):]
        self.assertIn(".library = MQD_LIBRARY_ucx", last)
        self.assertIn(".site = true", last)
        self.assertIn('.variant = "site two"', made)
        self.a_change_makes_it_again(one, made)
        self.other_tables_make_it_again(one)
        self.installed_it_works_from_anywhere()

    def a_change_makes_it_again(self, one, made):
        self.assertIn("up to date", self.assertMade("layout/tables.c"))
        later = time.time() + 600  # later than whatever is made meanwhile, also on a busy machine
        self.site_table("one.json", variant=["changed"])
        os.utime(one, (later, later))
        self.assertMade("layout/tables.c")
        self.assertIn('.variant = "changed"', self.read("build/layout/tables.c"))
        fields_of_comm = self.value["types"]["ompi_communicator_t"]["fields"]
        fields_of_comm["c_my_rank"]["offset"] += 1
        self.site_table("one.json")
        os.utime(one, (later + 5, later + 5))
        done = self.make("layout/tables.c")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"mqdgen: .*/one\.json:\d+: ompi_communicator_t\.c_my_rank: ")
        self.assertIn('.variant = "changed"', self.read("build/layout/tables.c"))
        fields_of_comm["c_my_rank"]["offset"] -= 1
        self.site_table("one.json")
        os.utime(one, (later + 10, later + 10))
        self.assertMade("layout/tables.c")
        self.assertEqual(self.read("build/layout/tables.c"), made)

    def other_tables_make_it_again(self, one):
        """Also if they are older than what was made."""
        os.utime(one, (1, 1))
        past = time.time() - 100
        for name in ("Makefile", "layout/tables.c"):
            os.utime(os.path.join(self.build, name), (past, past))
        done = self.configure(f"--with-openmpi-layout={one}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertMade("layout/tables.c")
        self.assertEqual(self.read("build/layout/tables.c").count(".site = true"), 1)

    def installed_it_works_from_anywhere(self):
        targets = "install-binSCRIPTS", "install-nobase_dist_pkgdataDATA"
        staged = self.path("staged")
        self.assertMade(*targets, f"DESTDIR={staged}")
        self.assertFalse(os.path.exists(self.path("installed")))
        self.assertTrue(os.path.exists(f"{staged}{self.path('installed')}/bin/mqdgen"))
        self.assertMade(*targets)
        link = self.path("link")
        os.symlink(self.path("installed/bin/mqdgen"), link)
        expected = support.run([support.MQDGEN, "show", TABLE_41])
        self.assertEqual(expected.returncode, 0)
        for program in (self.path("installed/bin/mqdgen"), link):
            done = support.run([program, "show", TABLE_41], cwd="/")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, ""))
        done = support.run([link, "emit", "-o", "-", TABLE_41], cwd="/")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertMade("uninstall-binSCRIPTS", "uninstall-nobase_dist_pkgdataDATA")
        self.assertEqual([names for _, _, names in os.walk(self.path("installed")) if names], [])


if __name__ == "__main__":
    support.main()
