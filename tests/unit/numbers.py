"""Each number in mqdump(1) and ompi-mqd(7) is the one of the code, or of a list of those that are no constants.

A claim is a phrase of a page with places for numbers, and where the code has them. What no claim and no phrase of the
list takes out of a page's text may have no digit. So a number that is written into a page has to be looked at. Examples
are not read: they show output of one day.
"""
import functools
import json
import os
import re
import shlex
import subprocess
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MQDUMP_PAGE, OVERVIEW = "mqd/dump/mqdump.1", "mqd/ompi-mqd.7"
FORGERY = "tests/unit/test_dll_forgery"
MIB, GIB = 1 << 20, 1 << 30


@functools.lru_cache
def path_of(name):
    """Returns where a file is. A name without a folder is that of a file of mqdump, in whichever folder."""
    if "/" in name or os.path.exists(os.path.join(TOP, name)):
        return os.path.join(TOP, name)
    [folder] = [folder for folder, _, names in os.walk(os.path.join(TOP, "mqd/dump")) if name in names]
    return os.path.join(folder, name)


def contents(name):
    with open(path_of(name), encoding="utf-8") as file:
        return file.read()


def plain(page):
    """Returns the text of a page: without macros, examples, fonts and the heads of its title and lists."""
    page = re.sub(r"^\.\\\".*\n", "", page, flags=re.M)
    page = re.sub(r"^\.EX\n.*?^\.EE\n", "", page, flags=re.M | re.S)
    lines = []
    for line in page.replace("\\-", "-").replace("\\ ", " ").split("\n"):
        macro, _, rest = line.partition(" ")
        line = re.sub(r"\\f.|\\&", "", re.sub(r"\\\((?:lq|rq|dq|aq)", '"', line if not macro.startswith(".") else rest))
        if macro in (".TH", ".IP", ".RS", ".TP", ".PD", ".ad", ".hy"):
            continue
        if macro.startswith("."):
            words = shlex.split(line.replace("'", "\\'"), posix=True) if line else []
            line = ("" if re.fullmatch(r"\.[BIR][BIR]", macro) else " ").join(words)
        lines.append(line)
    return " ".join(" ".join(lines).split())


def value(place):
    """Returns a constant of the code. A place is FILE:NAME: the file gives the name a value once."""
    path, name = place.split(":")
    code = re.sub(r"/\*.*?\*/", "", contents(path), flags=re.S)
    found = re.findall(rf'(?<!\w){re.escape(name)}(?: =|",) "?([^,;}}"]+)', code)
    if len(found) != 1:
        raise AssertionError(f"{path} has {len(found)} values of {name}, not 1")
    expression = re.sub(r"\(\w+\)|(?<=\d)U?L+", "", found[0])
    if not re.fullmatch(r"[\d.\s*<>-]+", expression):
        raise AssertionError(f"{path}: {name} is no number: {found[0]}")
    return eval(expression)     # pylint: disable=eval-used   (digits and operators only)


def numbers(version):
    return [int(part) for part in version.split(".")]


def series(version):
    return ".".join(version.split(".")[:2])


def families(library):
    return json.loads(contents(f"gen/{library}.json"))["families"]


def releases(library, *architectures):
    """Returns all releases that have tables for these architectures, in order."""
    return sorted({release for family in families(library) for release in family["releases"]
                   if set(architectures) <= set(family["tables"])}, key=numbers)


def first(*architectures):
    """Returns a function that finds the first release of Open MPI that has tables for these architectures."""
    return lambda: releases("tables", *architectures)[0]


def last(*architectures):
    return lambda: releases("tables", *architectures)[-1]


def unreleased(number):
    """Returns what of Open MPI has tables before its release, by its number from 0: a release, or a whole series."""
    return [family["first"].removesuffix(".0") for family in families("tables") if not family["releases"]][number]


def packaged():
    """Returns the newest series of Open MPI that is packaged: configured headers of it have been at hand."""
    return series(families("tables")[-1]["configured"])


def ucx_series():
    """Returns the first and the last series of UCX that has tables, and what is missing between them."""
    found = [numbers(release)[1] for release in releases("ucx")]
    gaps = sorted(set(range(found[0], found[-1])) - set(found))
    return f"1.{found[0]}", f"1.{found[-1]}", ", ".join(f"1.{n}" for n in gaps)


def runtimes(library, end):
    """Returns a function that finds the "first" or the "last" release of an OpenMP runtime that has tables."""
    return lambda: series((min if end == "first" else max)((family[end] for family in families(library)),
                                                           key=numbers)).removesuffix(".0")


def in_series(release):
    """Returns a function that finds the series of a release."""
    return lambda: series(release())


def sequence_numbers():
    """Returns how many sequence numbers Open MPI has, by the kind of the one that it expects next."""
    bits = re.search(r"expected_sequence, u(\d+),", contents("layout/openmpi.def"))[1]
    return 1 << int(bits)


def screen():
    """Returns on how many lines a screen has that the findings fit, as a comment says beside their limit."""
    code = contents("verdict_text.c")
    return int(re.search(r"a screen of (\d+) lines\. \*/\nenum \{ MAX_LINES", code)[1])


def needed(pattern):
    """Returns a function that finds the version of something in configure.ac."""
    return lambda: re.search(pattern, contents("configure.ac"))[1]


def silent_members():
    """Returns how many members of Open MPI the unit test has in its list of what nothing contradicts."""
    rows = re.search(r"\} silent\[\] = \{\n(.*?)\n\};", contents(f"{FORGERY}.c"), re.S)[1]
    return len(re.findall(r"\{ MQD_STEP_(?!ucp_)", rows))


@functools.lru_cache
def tallies():
    """Returns the lines in which a unit test says what became of false offsets when there are no types, by build."""
    output = subprocess.run([os.path.abspath(FORGERY)], capture_output=True, text=True, check=True,
                            env={**os.environ, "MQD_TEST_WHOLE": "1"}).stdout
    return re.findall(r"^table falsified, no types: (\d+ right.*)$", output, re.M)


def falsified(which, *outcomes):
    """Returns a function that counts false offsets with these outcomes, of some of the builds."""
    return lambda: sum(int(re.search(rf"(\d+) {outcome}", line)[1])
                       for line in tallies()[which] for outcome in outcomes)


# Each page's claims: (a phrase of the page, where the code has its numbers, in order). A place is a place of `value`,
# that with the unit in which the page counts, or a function.
CLAIMS = {
    MQDUMP_PAGE: (
        ("on communicators of up to {:,} processes; Open MPI counts modulo {:,}.", "rank.c:MAX_COUNTED",
         sequence_numbers),
        ("(PML ob1, and communicators of up to {:,} processes)", "rank.c:MAX_COUNTED"),
        ("floods: {:,} messages or {:.0f} MiB of one sender", "mqd/dump/verdict/queue.c:FLOOD_MESSAGES",
         ("mqd/dump/verdict/queue.c:flood_bytes", MIB)),
        ("as fit a screen of {} lines", screen),
        ("looks again {} s later, or when every rank has had a processor, after {} s at most",
         "observe.c:first_pause", "observe.c:longest_first_pause"),
        ("again after at most {} operations", "queue_run.h:MAX_PERIOD"),
        ("machines at the same time. The default is {}.", "options.c:FANOUT_OF_OWN"),
        ("are {} less than what MPI has told it", "mqd/dll/handle/abi.h:MQD_ABI_FIRST_OWN"),
        ("the number of its entries, at most {:,}.", "mqd/dump/collect/client/handle.h:MAX_REQUEST_ENTRIES"),
        ("The picture has {} boxes at most", "picture_layout.c:MAX_DRAWN"),
        ("of a queue it has {:,} rows, of all {:,}.", "page_tables.c:MAX_OF_QUEUE",
         "page_tables.c:MAX_ROWS"),
        ("are so many seconds, {} at least; the default is {}.", "options.c:least_watch",
         "options.c:watch_of_own"),
        ("they are {:.0f}G and {:.0f}M more for each process, {} seconds and {} more, {} seconds and {} more.",
         ("limits.c:memory_at_least", GIB), ("limits.c:memory_each", MIB),
         "limits.c:cpu_at_least", "limits.c:cpu_each", "limits.c:time_at_least",
         "limits.c:time_each"),
        ("for all that it does; without it that is {} seconds.", "limits.c:host_seconds"),
        ("and the exit status is {}.", "front.h:EXIT_NOT_ALL_SHOWN"),
        ("Its member format is {}; it changes when", "json.c:FORMAT"),
        ("the evidence, {} at most.", "finding.h:MAX_EVIDENCE"),
        ("valid UTF-8, of at most {:.0f} MiB, and says", ("format.h:MAX_LINE", MIB)),
        ("The first line. format is {}.", "format.h:RECORD_FORMAT"),
        ("larger than 2^{} are such strings too",
         lambda: value("text.c:largest_integer").bit_length() - 1),
        ("EXIT STATUS {} Everything", "front.h:EXIT_ALL_SHOWN"),
        ("by q. {} Something was not shown", "front.h:EXIT_NOT_ALL_SHOWN"),
        ("says what. {} The command line is wrong", "front.h:EXIT_USAGE"),
        ("The width of the text, {} to {} columns.", "terminal.c:LEAST_COLUMNS",
         "terminal.c:MOST_COLUMNS"),
        ("or {0} columns. The tables of --layout always have {0} columns.",
         "terminal.c:DEFAULT_COLUMNS"),
        ("mqdump waits {} seconds and does not try again.", "main.c:DEBUGINFOD_TIMEOUT"),
        ("look-up that took {} seconds or more", "debug_file.c:slow"),
        ("held for {} seconds and one more for each", "hold.c:seconds_to_read"),
        ("not come back within {} more seconds", "child.c:.after_expiry"),
        ("or that waits in the kernel for {}, is left",
         lambda: {30: "half a minute"}[value("child.c:.to_run")]),
        ("Of one file up to {:.0f} GiB of symbols and tables to unwind is read, and up to {:.0f} GiB of debug",
         ("elf_image.c:MAX_BASICS", GIB), ("elf_image.c:max_debug", GIB)),
        ("of all files together {:.0f} GiB.", ("elf_image.c:max_loaded", GIB)),
        ("more than {:.0f} GiB, with more than {} loadable parts",
         ("elf_image.c:max_file", GIB), "elf_file.c:MAX_LOADS"),
        ("what one answers {:.0f} GiB", ("limits.c:host_memory", GIB)),
    ),
    OVERVIEW: (
        ("works on Open MPI {} to {}", in_series(first()), packaged),
        ("has those of Open MPI {} to {}, and of {}, {} and {} as far as they are public", first(),
         last(), *(lambda i=i: unreleased(i) for i in range(3))),
        ("for 32-bit x86, 32-bit Arm and mips64el up to {};", in_series(last("i386", "arm", "mips64el"))),
        ("and for riscv64 from {} on.", in_series(first("riscv64"))),
        ("libgomp of GCC {} to {}, also", runtimes("gomp", "first"), runtimes("gomp", "last")),
        ("libomp of LLVM {} to {}, built", runtimes("kmp", "first"), runtimes("kmp", "last")),
        ("Codes from {} on are the DLL's, and", "include/mpi_interface.h:mqs_first_user_code"),
        ("the code is its own plus {}, and", "mqd/dll/codes.h:MQD_RC_of_debugger"),
        ("are in {} members whose value", silent_members),
        ("of UCX {} to {}, except {}, which", *(lambda i=i: ucx_series()[i] for i in range(3))),
    ),
    "README": (
        ("has tables of Open MPI {} to {}, and of {}, {} and {} as far as they are public", first(), last(),
         *(lambda i=i: unreleased(i) for i in range(3))),
        ("ucx (UCX {} to {}, except {})", *(lambda i=i: ucx_series()[i] for i in range(3))),
        ("jansson {} or later for mqdump", needed(r"jansson is missing, or older than ([\d.]+)")),
        ("libseccomp {} or later for what", needed(r"Since libseccomp ([\d.]+):")),
        ("pahole {} or later to make tables", needed(r"pahole ([\d.]+) or later")),
    ),
}

# These run a unit test that was built with CMocka. The first of its builds is 4.1 for x86-64; the last two are of UCX.
RIGHT, TOLD, SILENT = "right", "refused or told", "wrong and silent"
FIRST, OF_UCX = slice(1), slice(-2, None)
MEASURED = (
    ("of the {:,} false offsets of 4.1 for x86-64, {:,} make no difference to the listing, {:,} are noticed ({:,} of "
     "them because members would overlap, exceed their type or be misaligned), and {} are not noticed.",
     falsified(FIRST, RIGHT, TOLD, SILENT), falsified(FIRST, RIGHT), falsified(FIRST, TOLD),
     falsified(FIRST, "as impossible"), falsified(FIRST, SILENT)),
    ("Of {:,} false offsets of two such tables that change a listing, {:,} are noticed.",
     falsified(OF_UCX, TOLD, SILENT), falsified(OF_UCX, TOLD)),
)

# Digits that are no constants of ours: names, pages, ranks and tags of examples, releases that a fact is of.
NO_CONSTANTS = (
    r"\b[\w-]+\(\d\)", r"\bMQD\)? 1\.0", r"\bx86-64\b", r"\baarch64\b", r"\bppc64le\b", r"\bs390x\b", r"\briscv64\b",
    r"--job (4711|prterun-a-1@1)(?!\w)", r"w\[0-3\]", r"/srv/node7\b",
    r"\b64-bit\b", r"\bUTF-8\b", r"\bob1\b", r"\bpt2pt\b", r"\blibiomp5\b", r"\bH5Dwrite\b", r"\blibhdf5_openmpi\b",
    r"\blibopen_mpi\.so\.40\b", r"\bUCX_RC_MLX5_TM_ENABLE\b", r'"[^"]*"', r"\./123\b", r"n\[01-16,20\]",
    r"ranks (0-511,514|1,3,\.\.\.,999|3,17,29 and 409 others)", r"\(from 6\.0 on,", r"\b[Uu]p to (Open MPI )?4\.1\b",
    r"\(5\.0( and later,|\))", r"\(seconds since 1970\)", r"number, from 1 on, of", r"absent are 0, false or nothing",
    r"which are -1\.", r"kernel\.yama\.ptrace_scope is (not )?0\b", r"it is 1 in the", r"only tag 0 cannot",
    r"\b0x55d0c0ffee\b", r"\b17:comm\b", r"is 0x101 or 257:comm\b", r"\bMPI_Type_c2f\b", r"its address, 0x\.\.\.,",
    r"source 0 not from", r"\bMPI 5\.0's ABI\b", r"only 6\.0 connects", r"headers of 16 bytes instead of 14",
    r"shown 2 bytes too long", r"With Open MPI 5\.0 and later they", r"with 4\.1 on one machine",
    r"the number is 0 then",
)


def said(phrase, places):
    """Returns a phrase with the numbers of the code."""
    return phrase.format(*(place() if callable(place) else value(place) if isinstance(place, str) else
                           value(place[0]) / place[1] for place in places))


def pattern_of(phrase):
    """Returns the pattern of a phrase, whatever its numbers are."""
    return "".join(re.escape(part) if i % 2 == 0 else r"[\d.,]*\d" for i, part in
                   enumerate(re.split(r"(\{[^}]*\})", phrase)))


class Numbers(unittest.TestCase):
    def check(self, page, claims):
        text = plain(contents(page)) if page != "README" else " ".join(contents(page).split())
        for phrase, *places in claims:
            with self.subTest(page, phrase=phrase):
                self.assertTrue(said(phrase, places) in text, f"{page} does not say: {said(phrase, places)}")

    def test_pages_have_the_numbers_of_the_code(self):
        for page, claims in CLAIMS.items():
            self.check(page, claims)

    def test_overview_has_the_counts_of_the_unit_tests(self):
        if not os.path.exists(FORGERY):
            self.skipTest(f"{FORGERY} was not built (Debian: libcmocka-dev)")
        self.check(OVERVIEW, MEASURED)

    def test_no_number_is_left_over(self):
        for page, claims in ((MQDUMP_PAGE, CLAIMS[MQDUMP_PAGE]), (OVERVIEW, CLAIMS[OVERVIEW] + MEASURED)):
            text = plain(contents(page))
            self.assertGreater(len(text), 10000)
            for phrase, *_ in claims:
                text = re.sub(pattern_of(phrase), "", text)
            for pattern in NO_CONSTANTS:
                text = re.sub(pattern, "", text)
            with self.subTest(page):
                self.assertEqual(re.findall(r"(?:\S+ ){0,3}\S*\d\S*(?: \S+){0,3}", text), [])

    def test_what_is_no_constant_is_in_a_page(self):
        text = " ".join(plain(contents(page)) for page in (MQDUMP_PAGE, OVERVIEW))
        for pattern in NO_CONSTANTS:
            with self.subTest(pattern):
                self.assertRegex(text, pattern)


if __name__ == "__main__":
    unittest.main()
