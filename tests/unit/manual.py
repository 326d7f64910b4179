"""README, manual pages, completions and schema name what exists, and nothing else.

If mandoc or groff is installed, the pages are also formatted. If a shell is installed, its completions are run.
"""
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(TOP, "tests", "gen"))

import support  # noqa: E402  (the path above comes first)

MQDGEN = [sys.executable, "-B", os.path.join(TOP, "gen", "mqdgen")]
MQDUMP = [os.path.join(os.getcwd(), "mqdump")]
PAGES = [os.path.join(TOP, name) for name in ("mqd/dump/mqdump.1", "gen/mqdgen.1", "mqd/ompi-mqd.7")]
OPTION = r"(?<![\w-])(--[a-z][a-z-]*|-[A-Za-z])(?![\w-])"
HAS_MQDUMP = os.path.exists(MQDUMP[0])
NO_MQDUMP = "no mqdump: elfutils or jansson was missing when configure ran"
# Options of programs that are not part of this project: pkg-config, mpirun, gdb, and Open MPI's configure.
OTHERS = {"--variable", "--mca", "--enable-heterogeneous", "--with-pml-ob1-matching", "--without-ft",
          "--with-devel-headers", "--configuration"}
AUTOMAKE = {"check", "distcheck", "install", "uninstall"}
TOP_FOLDERS = "include|layout|gen|mqd|tests"
HAS_PS, NO_PS = bool(shutil.which("ps")), "no ps (Debian: procps)"


def contents(*names):
    with open(os.path.join(TOP, *names), encoding="utf-8") as file:
        return file.read()


@functools.cache
def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def helped(*command):
    """Returns the options that a command's --help explains. Each of them begins a line."""
    heads = re.findall(r"^  (-.*)$", help_of(*command), re.M)
    # The text after two spaces is the explanation. Before it are options and their arguments.
    return {option for head in heads for option in re.findall(OPTION, head.split("  ")[0])}


def subcommands():
    return re.findall(r"^    (\w+) ", help_of(*MQDGEN), re.M)


def sections(page):
    """Returns the options that each section or subsection of a page explains, in the heads of its paragraphs."""
    found, title, lines = {}, "", page.replace("\\-", "-").split("\n")
    for line, following in zip(lines, lines[1:]):
        if line.startswith((".SH ", ".SS ")):
            title = line[4:]
        elif line in (".TP", ".TQ"):
            found.setdefault(title, set()).update(re.findall(OPTION, following))
    return found


def configurable():
    """Returns the options that configure has beyond Autoconf's own."""
    found = re.findall(r"AC_ARG_(WITH|ENABLE)\(\[([\w-]+)\]", contents("configure.ac"))
    libraries = re.findall(r"^MQD_SITE_LAYOUT\(\[(\w+)\]", contents("configure.ac"), re.MULTILINE)
    return {f"--{kind.lower()}-{name}" for kind, name in found} | {f"--with-{name}-layout" for name in libraries}


def sources(*patterns):
    """Returns the sources of what is installed, by pattern."""
    paths = [path for pattern in patterns for path in glob.glob(os.path.join(TOP, pattern), recursive=True)]
    return [contents(path) for path in sorted(paths)]


def variables():
    """Returns the environment variables that the sources read, and those that they set for a library."""
    c = "".join(sources("mqd/**/*.c", "layout/*.c"))
    python = "".join(sources("gen/mqdgen", "gen/mqdlib/*.py", "mqd/dll/install-openmpi"))
    return {*re.findall(r'\b(?:getenv|setenv)\("(\w+)"', c), *re.findall(r'"((?:PMIX|OMPI|DEBUGINFOD)_[A-Z_]+)"', c),
            *re.findall(r'environ(?:\.get\(|\[)"(\w+)"', python)}


class Readme(unittest.TestCase):
    def setUp(self):
        self.text = contents("README")

    def test_is_short(self):
        lines = self.text.split("\n")
        self.assertLessEqual(len(lines) - 1, 180)
        self.assertEqual([line for line in lines if len(line) > 120], [])

    def test_paths_exist(self):
        paths = set(re.findall(rf"(?<![\w./~-])(?:{TOP_FOLDERS})/(?:[\w./-]*\w/?)?", self.text))
        self.assertIn("mqd/dump/verdict/", paths)
        self.assertIn("tests/demo", paths)
        self.assertEqual({path for path in paths if not os.path.exists(os.path.join(TOP, path))}, set())

    def test_tree_has_all_folders_of_sources(self):
        tree = self.text.split("\nHacking\n")[1].split("\n\n")[1]
        folders, above = set(), ""
        for line in tree.split("\n"):
            name, text = line[:32].strip(), line[32:]
            if name:
                folders.add(name)
                above = name
            folders.update(above + below for below in re.findall(r"(?<![\w/])\w[\w/]*/(?= )", text))
        for path in folders:
            with self.subTest(path):
                self.assertTrue(os.path.isdir(os.path.join(TOP, path)))
        found = glob.glob(os.path.join(TOP, "mqd", "**", "*.c"), recursive=True)
        self.assertGreater(len(found), 50)
        self.assertLessEqual({os.path.relpath(os.path.dirname(path), TOP) + "/" for path in found}, folders)

    def test_options_exist(self):
        self.assertLessEqual({"--with-openmpi-layout", "--with-modulefiledir"}, configurable())
        known = OTHERS | configurable() | {"--prefix"}
        known |= helped(sys.executable, "-B", os.path.join(TOP, "tests", "steps.py"))
        known |= set().union(*(helped(*MQDGEN, name) for name in subcommands()))
        if HAS_MQDUMP:
            used = set(re.findall(r"mqdump (--[a-z-]+)", self.text))
            self.assertGreater(len(used), 3)
            self.assertLessEqual(used, helped(*MQDUMP))
            known |= helped(*MQDUMP)
            self.assertLessEqual(set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", self.text)), known)

    def test_targets_of_make_exist(self):
        makefile = contents("Makefile.am")
        rules = set(" ".join(re.findall(r"^([a-z][a-z -]*):(?!=)", makefile, re.M)).split())
        used = set(re.findall(r"\bmake ((?:un)?install[a-z-]*|check[a-z-]*|bench|dist[a-z]*)", self.text))
        self.assertLessEqual({"check-live", "install-openmpi", "uninstall-openmpi"}, used)
        self.assertLessEqual(used, rules | AUTOMAKE)


class Pages(unittest.TestCase):
    def test_variables_that_are_read_are_explained(self):
        explained = set()
        for path in PAGES:
            section = contents(path).split(".SH ENVIRONMENT\n")[1].split("\n.SH")[0]
            explained.update(re.findall(r"^\.TP\n\.BR? (\w+)$|^\.TQ\n\.BR? (\w+)$", section, re.M))
        explained = {name for names in explained for name in names if name}
        self.assertIn("OMPI_MQD_SHOW_INTERNAL", variables())
        self.assertLessEqual({"COLUMNS", "PMIX_RANK", "DEBUGINFOD_TIMEOUT", "PAHOLE"}, variables())
        self.assertEqual(variables() - explained, set())

    @unittest.skipUnless(HAS_MQDUMP, NO_MQDUMP)
    def test_mqdump_has_the_options_of_its_page(self):
        explained = set().union(*sections(contents("mqd/dump/mqdump.1")).values())
        self.assertEqual(explained, helped(*MQDUMP))
        self.assertIn("--core", explained)

    def test_mqdgen_has_the_options_of_its_page(self):
        found = sections(contents("gen/mqdgen.1"))
        self.assertGreater(len(subcommands()), 3)
        for name in subcommands():
            sources = found["Sources, of extract and check"] if name in ("extract", "check") else set()
            with self.subTest(name):
                self.assertEqual(found["All commands"] | sources | found[f"Options of {name}"],
                                 helped(*MQDGEN, name))
                self.assertIn(f"\n.SS mqdgen {name}\n", contents("gen/mqdgen.1"))
                self.assertIn(f"\n.B mqdgen {name}\n", contents("gen/mqdgen.1"))

    def test_what_the_text_mentions_exists(self):
        known = OTHERS | configurable()
        if HAS_MQDUMP:
            known |= helped(*MQDUMP)
        known |= set().union(*(helped(*MQDGEN, name) for name in subcommands()))
        for path in PAGES:
            if path.endswith("mqdgen.1") or HAS_MQDUMP:
                with self.subTest(path):
                    mentioned = re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", contents(path).replace("\\-", "-"))
                    self.assertLessEqual(set(mentioned), known)

    def test_exit_statuses_are_those_of_help(self):
        for path in PAGES[:2]:
            with self.subTest(path):
                statuses = contents(path).split(".SH EXIT STATUS\n")[1].split(".SH")[0]
                self.assertEqual(re.findall(r"^\.B (\d+)$", statuses, re.M), ["0", "1", "2"])

    def check_format(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"no {command[0]} (Debian: {command[0]})")
        for path in PAGES:
            with self.subTest(path):
                done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
                complaints = done.stderr + (done.stdout if command[0] == "mandoc" else "")
                self.assertEqual((done.returncode, complaints), (0, ""))

    def test_mandoc_has_nothing_to_say(self):
        self.check_format("mandoc", "-T", "lint", "-W", "all")

    def test_groff_has_nothing_to_say(self):
        self.check_format("groff", "-man", "-ww", "-Tutf8", "-rLL=80n")


def finding_kinds():
    """Returns the rows of findings.def: enumerator, heading, name, basis."""
    rows = re.findall(r"^FINDING\((.*)\)$", contents("mqd/dump/verdict/findings.def"), re.M)
    return [[part.strip('"') for part in row.split(", ")] for row in rows]


def kinds_of_schema(text):
    """Returns the kinds that the schema allows."""
    return json.loads(text)["$defs"]["finding"]["properties"]["kind"]["enum"]


def kinds_of_page(text):
    """Returns the kinds that the manual page lists."""
    return re.findall(r"^\.BR (\w+) [,;]$", text.split("\n.BR kind ,\none of\n")[1].split("\nits\n")[0], re.M)


def kinds_of_readme(text, known):
    """Returns each list of names in README that has more than one of the kinds."""
    lists = [re.findall(r"\w+", found) for found in re.findall(r"\b[a-z_]+(?:,\s+[a-z_]+)+\b", text)]
    return [names for names in lists if sum("_" in name and name in known for name in names) > 1]


class Findings(unittest.TestCase):
    def setUp(self):
        self.kinds = finding_kinds()
        self.names = [name for _, _, name, _ in self.kinds]

    def test_rows_are_whole_and_differ(self):
        self.assertEqual(contents("mqd/dump/verdict/findings.def").count("\nFINDING("), len(self.kinds))
        for row in self.kinds:
            with self.subTest(row[0]):
                self.assertRegex(",".join(row), r"^[A-Z_]+,[A-Z][a-z ]+,[a-z_]+,(ONE_RANK|MOMENT|TIME)$")
        for column in list(zip(*self.kinds))[:3]:
            self.assertEqual(len(set(column)), len(column))

    def check_list(self, listed, where):
        self.assertEqual(set(self.names) - set(listed), set(), f"{where} lacks these")
        self.assertEqual(set(listed) - set(self.names), set(), f"{where} has these too many")
        self.assertEqual(listed, self.names, f"the order in {where}")

    def test_schema_has_all_kinds(self):
        self.check_list(kinds_of_schema(contents("mqd/dump/mqdump.schema.json")), "mqdump.schema.json")

    def test_page_has_all_kinds(self):
        self.check_list(kinds_of_page(contents("mqd/dump/mqdump.1")), "mqdump.1")

    def test_a_list_in_readme_has_all_kinds(self):
        for names in kinds_of_readme(contents("README"), self.names):
            self.check_list(names, "README")

    def test_a_kind_more_or_less_shows(self):
        """Each list is read completely. Otherwise the comparisons would prove nothing."""
        schema, page = contents("mqd/dump/mqdump.schema.json"), contents("mqd/dump/mqdump.1")
        in_schema, in_page = kinds_of_schema(schema), kinds_of_page(page)
        for name in in_page:
            with self.subTest(name):
                self.assertEqual(kinds_of_schema(schema.replace(f'"{name}"', '"surprise"')),
                                 ["surprise" if other == name else other for other in in_schema])
                rest = [other for other in in_page if other != name]
                self.assertEqual(kinds_of_page(re.sub(rf"\.BR {name} [,;]\n", "", page, count=1)), rest)
                for changed in (rest, [*in_page, "surprise"]):
                    self.assertEqual(kinds_of_readme(f"Kinds: {', '.join(changed)}. Jobs.", in_page), [changed])
        with self.assertRaisesRegex(AssertionError, "it lacks these"):
            self.check_list(self.names[1:], "it")
        with self.assertRaisesRegex(AssertionError, "it has these too many"):
            self.check_list([*self.names, "surprise"], "it")


JOBS = """#!/bin/sh
[ "$*" = --list ] && cat <<END
JOB             LAUNCHER      RANKS     USER  STARTED           ELAPSED  PROGRAM
1255145473      mpirun 9780   0-3 of 4  me    2026-11-21 08:00  0:05     /home/me/solver
prterun-vm-1@1  prterun 77    0,1 of 2  me    2026-11-21 08:00  0:05     /home/me/solver
4711            -             ?         me    2026-11-21 08:00  0:05     /home/me/solver
END
"""


class Completion(unittest.TestCase):
    def setUp(self):
        self.commands = tempfile.mkdtemp(prefix="ompi-mqd-")
        self.addCleanup(shutil.rmtree, self.commands)
        with open(os.path.join(self.commands, "mqdump"), "w", encoding="utf-8") as file:
            file.write(JOBS)
        os.chmod(file.name, 0o755)
        # These names need quotes.
        self.directory = tempfile.mkdtemp(prefix="ompi-mqd-")
        self.addCleanup(shutil.rmtree, self.directory)
        os.mkdir(os.path.join(self.directory, "a directory"))
        for name in ("core 1", "core.2"):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8"):
                pass

    def environment(self):
        """The command that knows of three jobs comes first."""
        return {**os.environ, "PATH": f"{self.commands}:{os.environ['PATH']}"}

    def files(self):
        return set(os.listdir(self.directory))


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(Completion):
    FILES = {"mqdump": "mqd/dump/completion/mqdump", "mqdgen": "gen/completion/mqdgen"}

    def complete(self, *words):
        """Returns what bash offers for the last of the words."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1" "$1" "${@: -1}" "${@: -2:1}";'
                  'for reply in "${COMPREPLY[@]}"; do printf "%s\\n" "$reply"; done')
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", os.path.join(TOP, self.FILES[words[0]]), *words],
                              capture_output=True, text=True, check=False, cwd=self.directory, env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.splitlines())

    @unittest.skipUnless(HAS_MQDUMP, NO_MQDUMP)
    def test_options_of_mqdump(self):
        self.assertEqual(self.complete("mqdump", "-"), helped(*MQDUMP))
        self.assertEqual(self.complete("mqdump", "--json", "--no-"), {"--no-stop", "--no-why"})

    def test_options_of_mqdgen(self):
        self.assertEqual(self.complete("mqdgen", ""), set(subcommands()) | {"-h", "--help"})
        for name in subcommands():
            with self.subTest(name):
                self.assertEqual(self.complete("mqdgen", name, "-"), helped(*MQDGEN, name))

    def test_files_and_directories(self):
        for option in ("--core", "--exe", "--dll"):
            with self.subTest(option):
                self.assertEqual(self.complete("mqdump", option, ""), self.files())
                self.assertEqual(self.complete("mqdump", option, "=", "core."), {"core.2"})
                self.assertEqual(self.complete("mqdump", option, "="), self.files())
        self.assertEqual(self.complete("mqdump", "--sysroot", ""), {"a directory"})
        self.assertEqual(self.complete("mqdump", "--core", "core.2", "--json", "core"), {"core 1", "core.2"})
        self.assertEqual(self.complete("mqdgen", "extract", "--prefix", ""), {"a directory"})
        self.assertEqual(self.complete("mqdgen", "check", ""), self.files())
        self.assertEqual(self.complete("mqdgen", "extract", "--variant", "no-f"), {"no-ft"})

    @unittest.skipUnless(HAS_PS, NO_PS)
    def test_processes_of_the_user(self):
        own = str(os.getpid())
        self.assertEqual(self.complete("mqdump", own), {own})
        self.assertIn(own, self.complete("mqdump", "--json", ""))
        self.assertNotIn(own, self.complete("mqdump", "--dll", ""))


    def test_jobs(self):
        self.assertEqual(self.complete("mqdump", "--job", ""), {"1255145473", "9780", "prterun-vm-1@1", "77", "4711"})
        self.assertEqual(self.complete("mqdump", "--job", "=", "12"), {"1255145473"})
        self.assertEqual(self.complete("mqdump", "--job", "prte"), {"prterun-vm-1@1"})


class Zsh(Completion):
    # Starts a zsh on a terminal, types a line and two tabs, and prints what it shows then.
    DRIVER = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=(${(s.:.)FUNCTIONS} $fpath); autoload -Uz compinit; compinit -u -D'
zpty -w shell 'COLUMNS=500 LINES=500 LISTMAX=100000; print READY-$((1 + 1))'
zpty -r -m shell line '*READY-2*'
zpty -w -n shell "$LINE"$'\t\t'
sleep $SECONDS_TO_WAIT
zpty -w -n shell $'\x15print END-$((1 + 1))\n'
zpty -r -m shell line '*END-2*'
print -r -- $line
"""

    def complete(self, line, *expected):
        """Types a line and tabs. All expected texts must be shown."""
        functions = ":".join(os.path.join(TOP, name, "completion") for name in ("mqd/dump", "gen"))
        shown = "nothing, each time"
        for seconds in ("0.2", "1", "5", "5", "5", "5"):    # zsh shows nothing while there is more to read
            try:
                done = subprocess.run(["zsh", "-f", "-c", self.DRIVER], capture_output=True, check=False, timeout=30,
                                      cwd=self.directory, env={**self.environment(), "FUNCTIONS": functions,
                                                               "LINE": line, "TERM": "dumb",
                                                               "SECONDS_TO_WAIT": seconds})
            except subprocess.TimeoutExpired:
                continue    # the terminals of two zsh can wait for each other on a busy machine
            shown = done.stdout.decode(errors="replace")
            if all(re.search(r"(?<![\w-])" + re.escape(text) + r"(?![\w-])", shown) for text in expected):
                return
        self.fail(f"{line}: expected {expected}, shown {shown}")

    def known(self, name):
        """Returns the options that a completion file specifies."""
        text = re.sub(r"\[[^]]*\]", "", contents(name).replace("\\\n", ""))
        return set(re.findall(OPTION, re.sub(r"_command_names -e|local -a|ps -u .* -o", "", text)))

    def test_options_are_the_commands_own(self):
        if HAS_MQDUMP:
            self.assertEqual(self.known("mqd/dump/completion/_mqdump"), helped(*MQDUMP))
        text = contents("gen/completion/_mqdgen")
        for name in subcommands():
            self.assertIn(f"{name}:", text)
            self.assertIn(f"\n{name})\n", text)
        self.assertEqual(self.known("gen/completion/_mqdgen"),
                         set().union(*(helped(*MQDGEN, name) for name in subcommands())))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh (Debian: zsh)")
    def test_zsh_completes(self):
        if HAS_MQDUMP:
            self.complete("mqdump --", *helped(*MQDUMP))
        self.complete("mqdump --core ", "core\\ 1", "core.2", "a\\ directory/")
        self.complete("mqdump --core core.2 ", "core.2")
        if HAS_PS:
            self.complete(f"mqdump {str(os.getpid())[:-1]}", str(os.getpid()))
        self.complete("mqdump --job ", "1255145473", "9780", "prterun-vm-1@1", "77", "4711")
        self.complete("mqdgen ", *subcommands())
        for name in subcommands():
            with self.subTest(name):
                self.complete(f"mqdgen {name} --",
                              *(option for option in helped(*MQDGEN, name) if option.startswith("--")))


if __name__ == "__main__":
    support.main()
