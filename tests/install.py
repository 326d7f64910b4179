"""What make install puts in place, for pkg-config and environment modules, and our DLL beside an Open MPI's own.

No Open MPI is needed, and none is touched: small libraries with the variable stand for one, in a scratch directory.
MQD_MODULES names a directory with module systems that tests/unpack has made; without it the machine's are
looked for.
"""
import glob
import os
import re
import runpy
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TOP, "tests", "gen"))

import support  # noqa: E402  (the path above comes first)
from support import contents  # noqa: E402

SCRIPT = os.path.join(TOP, "mqd", "dll", "install-openmpi")
DLL = os.path.abspath(os.environ.get("MQD_DLL", ".libs/libompi_dbg_msgq.so"))
CC = support.COMPILE
NAME = "libompi_dbg_msgq.so"
STOCK = b"Open MPI's own"

ACTS = ("open", "os.link", "os.rename", "os.remove", "os.chmod", "os.utime", "shutil.copyfile")
KILLED = 99


def write(path, data=STOCK):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def make_library(source, output, text, compiler=CC):
    os.makedirs(os.path.dirname(output), exist_ok=True)
    write(source, text.encode())
    subprocess.run([*compiler, "-shared", "-fPIC", "-nostdlib", source, "-o", output], check=True)
    return output


def run_script(arguments, killed_at, directory):
    """Runs the script as a program of its own would be, and ends this process."""
    acts, status = 0, 1

    def act(event, named):
        nonlocal acts
        if event in ACTS and any(isinstance(one, str) and one.startswith(directory) for one in named):
            acts += 1
            if acts == killed_at:
                os._exit(KILLED)
    try:
        sys.addaudithook(act)
        sys.argv, sys.stdout, sys.stderr = arguments, open(1, "w", closefd=False), open(2, "w", closefd=False)
        runpy.run_path(SCRIPT, run_name="__main__")
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Scratch(unittest.TestCase):
    def setUp(self):
        # A name that has to be quoted wherever it is used.
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="ompi mqd "))
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def run_command(self, *command, **options):
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


class Alongside(Scratch):
    """One prefix, with a library that names a path in it, and a stock file there."""

    @classmethod
    def setUpClass(cls):
        """Of ours only what it is known by counts here. The whole one is installed by `make install-openmpi`."""
        directory = tempfile.TemporaryDirectory(prefix="ompi mqd ")
        cls.addClassCleanup(directory.cleanup)
        cls.ours = os.path.join(directory.name, NAME)
        make_library(os.path.join(directory.name, "ours.c"), cls.ours, "int ompi_mqd_extension = 1;")

    def setUp(self):
        super().setUp()
        self.prefix = self.path("prefix")
        self.components = os.path.join(self.prefix, "lib", "openmpi")
        self.target = os.path.join(self.components, NAME)
        self.kept = self.target + ".openmpi"
        self.library(self.prefix, self.target)
        write(self.target)
        os.chmod(self.target, 0o640)
        os.utime(self.target, (1e9, 1e9))

    def library(self, prefix, named, name="lib/libmpi.so.40", declare='char MPIR_dll_name[] = "{}";'):
        return make_library(self.path("library.c"), os.path.join(prefix, name), declare.format(named))

    def call(self, command, *options, prefix=None, dll=None, killed_at=None):
        """Runs the script in a child of this process. There it ends, as if killed, at its Nth act on the components."""
        arguments = [SCRIPT, command, "--prefix", prefix or self.prefix, "--dll", dll or self.ours, *options]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                run_script(arguments, killed_at, self.components)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            for file in (out, err):
                file.seek(0)
            return subprocess.CompletedProcess(arguments, status, out.read(), err.read())

    def works(self, command, *options, **arguments):
        done = self.call(command, *options, **arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refuses(self, text, command="install", *options, **arguments):
        before = self.listing()
        done = self.call(command, *options, **arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(self.listing(), before)

    def listing(self):
        return {os.path.join(where, name): os.readlink(os.path.join(where, name))
                if os.path.islink(os.path.join(where, name)) else contents(os.path.join(where, name))
                for where, _, names in os.walk(self.directory) for name in names}

    def assert_ours(self, stock=STOCK):
        self.assertEqual(contents(self.target), contents(self.ours))
        self.assertFalse(os.path.islink(self.target))
        self.assertEqual(stat.S_IMODE(os.stat(self.target).st_mode), 0o644)
        if stock is None:
            self.assertEqual(os.listdir(self.components), [NAME])
        else:
            self.assertEqual(contents(self.kept), stock)
            self.assertFalse(os.path.islink(self.kept))
            self.assertEqual(sorted(os.listdir(self.components)), [NAME, NAME + ".openmpi"])

    def assert_stock(self, stock=STOCK):
        self.assertEqual(contents(self.target), stock)
        self.assertEqual(os.listdir(self.components), [NAME])

    def test_the_stock_file_is_kept_and_comes_back_as_it_was(self):
        self.assertIn(self.kept, self.works("install"))
        self.assert_ours()
        self.works("uninstall")
        self.assert_stock()
        found = os.stat(self.target)
        self.assertEqual((stat.S_IMODE(found.st_mode), found.st_mtime), (0o640, 1e9))

    def test_twice_is_as_once(self):
        self.works("install")
        self.works("install")
        self.assert_ours()
        self.works("uninstall")
        self.assertIn("nothing to do", self.works("uninstall"))
        self.assert_stock()

    def test_another_version_of_ours_is_replaced_and_not_kept(self):
        other = self.library(self.directory, 1, "other.so", "int ompi_mqd_extension = {};")
        os.chmod(other, 0o700)
        self.works("install", dll=other)
        self.assertEqual(contents(self.target), contents(other))
        self.assertEqual(stat.S_IMODE(os.stat(self.target).st_mode), 0o644)
        self.works("install")
        self.assert_ours()
        self.works("uninstall", dll=other)
        self.assert_stock()

    def test_without_a_stock_file_none_is_brought_back(self):
        os.unlink(self.target)
        self.assertNotIn("openmpi;", self.works("install"))
        self.assert_ours(stock=None)
        self.works("uninstall")
        self.assertEqual(os.listdir(self.components), [])
        self.works("uninstall")

    def test_a_newer_stock_file_that_replaced_ours_stays(self):
        self.works("install")
        write(self.path("new"), b"newer")
        os.replace(self.path("new"), self.target)
        self.assertIn("stays", self.works("uninstall"))
        self.assert_stock(b"newer")

    def test_a_newer_stock_file_that_replaced_ours_is_kept_by_the_next_install(self):
        self.works("install")
        write(self.path("new"), b"newer")
        os.replace(self.path("new"), self.target)
        self.works("install")
        self.assert_ours(b"newer")
        self.works("uninstall")
        self.assert_stock(b"newer")

    def test_ours_that_somebody_removed_is_no_obstacle(self):
        self.works("install")
        os.unlink(self.target)
        self.works("uninstall")
        self.assert_stock()

    def test_a_link_becomes_a_copy_and_what_it_leads_to_stays(self):
        write(self.path("elsewhere", NAME), b"stock elsewhere")
        os.unlink(self.target)
        os.symlink("../../../elsewhere/" + NAME, self.target)
        self.works("install")
        self.assert_ours(b"stock elsewhere")
        self.assertEqual(contents(self.path("elsewhere", NAME)), b"stock elsewhere")
        self.works("uninstall")
        self.assert_stock(b"stock elsewhere")

    def test_a_link_to_ours_becomes_a_copy_and_is_not_kept(self):
        os.unlink(self.target)
        os.symlink(self.ours, self.target)
        self.works("install")
        self.assert_ours(stock=None)

    def test_a_link_to_nowhere_is_replaced_and_not_kept(self):
        os.unlink(self.target)
        os.symlink("nowhere", self.target)
        self.assertIn("nothing to do", self.works("uninstall"))
        self.works("install")
        self.assert_ours(stock=None)

    def test_killed_anywhere_it_leaves_one_of_both_and_the_next_run_mends_it(self):
        for command in ("install", "uninstall"):
            number, status = 0, KILLED
            while status == KILLED:
                number += 1
                self.works("uninstall")
                if command == "uninstall":
                    self.works("install")
                status = self.call(command, killed_at=number).returncode
                with self.subTest(command=command, number=number):
                    self.assertIn(contents(self.target), (STOCK, contents(self.ours)))
                    for name in os.listdir(self.components):
                        self.assertIn(NAME, name)
                        self.assertFalse(os.path.islink(os.path.join(self.components, name)))
                    again = {path: data for path, data in self.listing().items() if path.startswith(self.components)}
                    self.works("uninstall")
                    self.assert_stock()
                    for path, data in again.items():
                        write(path, data)
                    self.works("install")
                    self.assert_ours()
            self.assertEqual(status, 0)
            self.assertGreater(number, 3, "the script was never stopped")

    def test_two_prefixes_do_not_disturb_each_other(self):
        other = self.path("other")
        self.library(other, os.path.join(other, "lib", "openmpi", NAME))
        theirs = write(os.path.join(other, "lib", "openmpi", NAME), b"theirs")
        self.works("install")
        self.assertEqual(contents(theirs), b"theirs")
        self.works("install", prefix=other)
        self.works("uninstall")
        self.assert_stock()
        self.assertEqual(contents(theirs), contents(self.ours))
        self.works("uninstall", prefix=other)
        self.assertEqual(contents(theirs), b"theirs")

    def test_prefix_and_path_may_differ_by_links(self):
        os.symlink("prefix", self.path("link"))
        self.works("install", prefix=self.path("link"))
        self.assert_ours()
        self.library(self.prefix, self.path("link", "lib", "openmpi", NAME))
        self.assertIn(self.target, self.works("uninstall"))
        self.assert_stock()

    def test_libraries_are_found_where_systems_have_them(self):
        for name in ("lib64/libmpi.so.40.30.4", "lib/x86_64-linux-gnu/libopen_mpi.so.40", "lib/libmpi.so"):
            shutil.rmtree(self.prefix)
            os.makedirs(self.components)
            self.library(self.prefix, self.target, name)
            if "open" in name:      # as in 6.0, where the other library is there and has no such variable
                self.library(self.prefix, 0, name.replace("open_", ""), "int other = {};")
            with self.subTest(name):
                self.assertEqual(self.works("where"), self.target + "\n")

    def test_destdir_with_an_open_mpi_of_its_own(self):
        named = os.path.join("/usr/local/its", "lib", "openmpi", NAME)
        self.library(self.path("root", "usr/local/its"), named)
        stock = write(self.path("root") + named)
        self.works("install", "--destdir", self.path("root"), prefix="/usr/local/its")
        self.assertEqual((contents(stock), contents(stock + ".openmpi")), (contents(self.ours), STOCK))
        self.works("uninstall", "--destdir", self.path("root") + "/", prefix="/usr/local/its")
        self.assertEqual(contents(stock), STOCK)

    def test_destdir_that_a_package_is_made_of(self):
        staged = self.path("stage") + self.target
        write(self.path("stage") + self.prefix + "/lib/ompi-mqd/" + NAME, contents(self.ours))
        for _ in range(2):
            self.works("install", "--destdir", self.path("stage"))
            self.assertEqual(contents(staged), contents(self.ours))
            self.assertEqual(os.listdir(os.path.dirname(staged)), [NAME])
        self.assert_stock()
        self.works("uninstall", "--destdir", self.path("stage"))
        self.assertFalse(os.path.exists(staged))
        self.assert_stock()

    def test_a_link_out_of_destdir_is_not_followed(self):
        root = self.path("root")
        self.library(root + "/opt/its", f"/opt/its/openmpi/{NAME}")
        os.symlink(self.components, root + "/opt/its/openmpi")
        self.refuses("leads out of", "install", "--destdir", root, prefix="/opt/its")
        os.unlink(root + "/opt/its/lib/libmpi.so.40")
        os.symlink(self.prefix + "/lib/libmpi.so.40", root + "/opt/its/lib/libmpi.so.40")
        self.refuses("/opt/its is no directory", "install", "--destdir", root, prefix="/opt/its")

    def test_what_is_no_open_mpi_is_named(self):
        self.refuses("is no directory", prefix=self.path("nothing"))
        self.refuses("is no absolute path", prefix="prefix")
        self.refuses("neither libmpi.so nor", prefix=self.components)
        library = self.prefix + "/lib/libmpi.so.40"
        self.library(self.prefix, 0, declare="int other = {};")
        self.refuses(f"{library} has no variable MPIR_dll_name")
        self.library(self.prefix, 0, declare="char MPIR_dll_name[100];")
        self.refuses(f"{library} has no initial value for the variable MPIR_dll_name")
        self.library(self.prefix, self.path("libtvmpich.so"))
        self.refuses("it is not Open MPI's")
        for data in (b"INPUT(libmpi.so.40.30.4)", contents(self.ours)[:6]):
            write(library, data)
            self.refuses(f"{library}: not an ELF file")
        for size in (40, 64, 1000):
            write(library, contents(self.ours)[:size])
            self.refuses(f"{library}: the ELF file is damaged: ")
        os.unlink(library)
        write(self.prefix + "/lib/libmpi.a", b"!<arch>\n")
        self.refuses("is a static library")

    def test_a_path_that_nobody_should_write_to_is_refused(self):
        self.library(self.prefix, "openmpi/" + NAME)
        self.refuses("is no absolute path", "install", "--outside")
        self.library(self.prefix, self.path("moved", NAME))
        self.refuses("OPENMPI_OUTSIDE=yes")
        self.refuses("is no directory", "install", "--outside")
        os.mkdir(self.path("moved"))
        self.works("install", "--outside")
        self.assertEqual(contents(self.path("moved", NAME)), contents(self.ours))
        self.assert_stock()
        self.library(self.prefix, self.prefix + "2/" + NAME)
        self.refuses("OPENMPI_OUTSIDE=yes")

    def test_two_paths_in_one_prefix_are_no_choice(self):
        self.library(self.prefix, self.path("prefix", "lib64", NAME), "lib64/libmpi.so.40")
        self.refuses("several Open MPIs")

    def test_only_ours_is_installed(self):
        self.refuses("is not the debug DLL of ompi-mqd", dll=self.target)
        self.refuses("is not the debug DLL of ompi-mqd", dll=self.path("nothing"))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "not root, or no setpriv (Debian: util-linux)")
    def test_others_directories_are_not_written_to(self):
        os.chmod(self.directory, 0o755)
        library = shutil.copy(self.ours, self.path(NAME))     # where everybody can read it
        script = self.path("mqd", "dll", "install-openmpi")
        os.makedirs(os.path.dirname(script))
        shutil.copy(SCRIPT, script)
        shutil.copytree(os.path.join(TOP, "gen", "mqdlib"), self.path("gen", "mqdlib"))
        os.chmod(self.target, 0o644)
        before = self.listing()
        done = self.run_command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-B",
                                script, "install", "--prefix", self.prefix, "--dll", library)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"{self.components} cannot be written to", done.stderr)
        self.assertEqual(self.listing(), before)

    def test_any_architectures_library_is_read(self):
        for compiler in ("aarch64-linux-gnu-gcc", "i686-linux-gnu-gcc", "s390x-linux-gnu-gcc"):
            with self.subTest(compiler):
                if not shutil.which(compiler):
                    self.skipTest(f"no {compiler}")
                make_library(self.path("library.c"), self.prefix + "/lib/libmpi.so.40",
                             f'char MPIR_dll_name[] = "{self.target}";', [compiler])
                self.assertEqual(self.works("where"), self.target + "\n")


def module_commands():
    """What runs each module system: {name: command}."""
    root = os.environ.get("MQD_MODULES")
    where = os.path.join(root, "root", "usr") if root else "/usr"
    patterns = {"Environment Modules": ["lib/*/modulecmd.tcl", "share/[Mm]odules/libexec/modulecmd.tcl"],
                "Lmod": ["share/lmod/lmod/libexec/lmod"]}
    return {name: [path for pattern in below for path in glob.glob(os.path.join(glob.escape(where), pattern))][:1]
            for name, below in patterns.items()}


@unittest.skipUnless(os.path.exists("Makefile") and os.path.exists("config.status"), "not in a build directory")
class Installed(Scratch):
    """What make install leaves. It is installed below DESTDIR, so that all the paths in it are those of configure."""

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="ompi-mqd-")
        cls.addClassCleanup(shutil.rmtree, cls.root)
        done = cls.make("install", f"DESTDIR={cls.root}")
        if done.returncode != 0:
            raise AssertionError(f"make install: {done.stdout}{done.stderr}")
        with open("Makefile", encoding="utf-8") as file:
            values = dict(re.findall(r"^(\w+) = (.*)$", file.read(), re.M))
        cls.version = values["VERSION"]
        cls.directories = {}
        for name in ("bindir", "datadir", "includedir", "libdir", "mandir", "modulefiledir"):
            value = values[name]
            while "${" in value:
                value = re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], value)
            cls.directories[name] = value

    @classmethod
    def make(cls, *arguments):
        # As from a shell: not a part of the make that runs the tests.
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        return subprocess.run(["make", "-s", *arguments], capture_output=True, text=True, check=False, env=environment)

    def below_root(self, path):
        self.assertTrue(os.path.isabs(path), path)
        return self.root + path

    def is_the_dll(self, path):
        self.assertEqual(path, os.path.join(self.directories["libdir"], "ompi-mqd", NAME))
        names = self.run_command("nm", "-D", "--defined-only", self.below_root(path)).stdout
        self.assertIn(" ompi_mqd_extension\n", names)

    def test_uninstall_leaves_nothing(self):
        stage = tempfile.mkdtemp(prefix="ompi-mqd-")    # libtool does not quote it
        self.addCleanup(shutil.rmtree, stage)
        shutil.copytree(self.root, stage, symlinks=True, dirs_exist_ok=True)
        self.assertTrue([names for _, _, names in os.walk(stage) if names])
        self.assertEqual(self.make("uninstall", f"DESTDIR={stage}").returncode, 0)
        self.assertEqual([names for _, _, names in os.walk(stage) if names], [])

    def test_both_dlls_are_installed_and_nothing_else_beside_them(self):
        directory = self.below_root(os.path.join(self.directories["libdir"], "ompi-mqd"))
        self.assertEqual(sorted(os.listdir(directory)), ["libompi_dbg_mpihandles.so", NAME])

    def test_each_command_has_a_page_and_completions(self):
        commands = os.listdir(self.below_root(self.directories["bindir"]))
        self.assertIn("mqdgen", commands)
        pages, data = self.directories["mandir"], self.directories["datadir"]
        for directory, pattern in ((f"{pages}/man1", "{}.1"), (f"{data}/bash-completion/completions", "{}"),
                                   (f"{data}/zsh/site-functions", "_{}")):
            with self.subTest(directory):
                self.assertEqual(sorted(os.listdir(self.below_root(directory))),
                                 sorted(pattern.format(command) for command in commands))
        self.assertEqual(os.listdir(self.below_root(f"{pages}/man7")), ["ompi-mqd.7"])
        if "mqdump" in commands:
            schema = self.below_root(f"{data}/ompi-mqd/mqdump.schema.json")
            self.assertEqual(contents(schema), contents(os.path.join(TOP, "mqd", "dump", "mqdump.schema.json")))

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config (Debian: pkg-config)")
    def test_pkg_config_knows_the_dll_and_the_headers(self):
        directory = self.below_root(os.path.join(self.directories["libdir"], "pkgconfig"))

        def ask(*options):
            done = self.run_command("pkg-config", *options, "ompi-mqd",
                                    env={**os.environ, "PKG_CONFIG_PATH": directory})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout.strip()
        self.is_the_dll(ask("--variable=queue_dll"))
        self.assertEqual(ask("--modversion"), self.version)
        self.assertEqual(ask("--libs"), "")
        included = ask("--cflags")
        self.assertEqual(included[:2], "-I")
        source = write(self.path("user.c"), b'#include "mpi_interface.h"\n#include "mqd_extension.h"\n')
        subprocess.run([*CC, "-fsyntax-only", "-I" + self.below_root(included[2:]), source], check=True)

    def module(self, system, *arguments, **environment):
        """What a module command says, and the environment after it."""
        command = module_commands()[system]
        if not command:
            self.skipTest(f"no {system} (Debian: tests/unpack)")
        modules = self.below_root(self.directories["modulefiledir"])
        # Where the module's own directory is in the path anyhow, nothing shows that it was put there and taken out.
        path = ":".join(entry for entry in os.environ["PATH"].split(":") if entry != self.directories["bindir"])
        start = {"PATH": path, "HOME": self.directory, "MODULEPATH": modules, **environment}
        done = self.run_command(*command, "bash", *arguments, env=start)
        self.assertEqual(done.returncode, 0, done.stderr)
        shell = self.run_command("bash", "-c", done.stdout + "\nenv -0", env=start)
        after = dict(line.split("=", 1) for line in shell.stdout.split("\0") if "=" in line)
        return done.stderr, after

    def check_module(self, system):
        name = f"ompi-mqd/{self.version}"
        said, loaded = self.module(system, "load", "ompi-mqd")
        self.assertEqual(said, "")
        self.is_the_dll(loaded["ALLINEA_QUEUE_DLL"])
        commands = loaded["OMPI_MQD_GDB"]
        self.assertEqual(commands, os.path.join(self.directories["datadir"], "ompi-mqd", "gdb", "ompi-mqd.py"))
        self.assertEqual(os.path.exists(self.below_root(commands)),
                         os.path.exists(self.below_root(os.path.join(self.directories["bindir"], "mqdump"))))
        self.assertEqual(loaded["PATH"].split(":")[0], self.directories["bindir"])
        # What is empty stands for the system's directories.
        self.assertEqual([loaded["MANPATH"].split(":")[0], *filter(None, loaded["MANPATH"].split(":")[1:])],
                         [self.directories["mandir"]])
        self.assertTrue(loaded["MANPATH"].endswith(":"))
        self.assertEqual(loaded["LOADEDMODULES"], name)
        _, unloaded = self.module(system, "unload", "ompi-mqd", **loaded)
        self.assertNotIn("ALLINEA_QUEUE_DLL", unloaded)
        self.assertNotIn("OMPI_MQD_GDB", unloaded)
        self.assertNotIn(self.directories["bindir"], unloaded["PATH"].split(":"))
        self.assertEqual(unloaded.get("MANPATH", "").strip(":"), "")
        self.assertIn("mqdump PID", self.module(system, "help", name)[0])
        self.assertIn("message queues of Open MPI programs", self.module(system, "whatis", name)[0])

    def test_environment_modules(self):
        self.check_module("Environment Modules")

    def test_lmod(self):
        self.check_module("Lmod")

    def test_make_install_openmpi_and_uninstall_openmpi(self):
        prefix = self.path("prefix")
        target = write(os.path.join(prefix, "lib", "openmpi", NAME))
        make_library(self.path("library.c"), prefix + "/lib/libmpi.so.40", f'char MPIR_dll_name[] = "{target}";')
        self.assertNotEqual(self.make("install-openmpi", "OPENMPI_PREFIX=").returncode, 0)
        done = self.make("install-openmpi", f"OPENMPI_PREFIX={prefix}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((contents(target), contents(target + ".openmpi")), (contents(DLL), STOCK))
        done = self.make("uninstall-openmpi", f"OPENMPI_PREFIX={prefix}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(contents(target), STOCK)
        self.assertEqual(os.listdir(os.path.dirname(target)), [NAME])


if __name__ == "__main__":
    support.main()
