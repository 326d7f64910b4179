"""
What the project has of Open MPI 5.0.7 to 5.0.10 is forgotten, and made again release by release (make check-release).

Needs a clone of Open MPI's repository (MQD_OMPI_REPOSITORY), unpacked packages of headers (MQD_OMPI_HEADERS, the
directories that `mqdgen tables --headers` wants, separated by spaces) and the recipe's compilers. Takes minutes.
"""
import os
import re
import shutil
import tempfile
import unittest

import support
from mqdlib import recipe, table
from mqdlib.spec import read_spec

FIRST, LAST = "5.0.7", "5.0.10"
NEXT = "5.0.11"
RENUMBERED = ("ompi/mca/pml/ob1/pml_ob1_hdr.h", r"(HDR_TYPE_MATCH +\(MCA_BTL_TAG_PML \+ )1\)", r"\g<1>21)")
MOVED = ("ompi/group/group.h", r"(\n *int grp_proc_count;)", r"\n int grp_of_this_test;\1")
AT_HAND = r"not made: (\S+: no such compiler|no opal_config\.h).*"


class Forgotten(unittest.TestCase):
    def setUp(self):
        self.repository = self.needed("MQD_OMPI_REPOSITORY", "a clone of Open MPI's repository")
        self.headers = self.needed("MQD_OMPI_HEADERS", "directories with unpacked packages of headers").split()
        if not (shutil.which("git") and shutil.which(support.PAHOLE)):
            self.skip("git or pahole is missing")
        directory = tempfile.TemporaryDirectory(prefix="mqdgen-test-")
        self.addCleanup(directory.cleanup)
        self.top = directory.name
        shutil.copytree(os.path.join(support.ROOT, "layout"), os.path.join(self.top, "layout"))
        os.mkdir(os.path.join(self.top, "gen"))
        shutil.copy(os.path.join(support.ROOT, "gen", "tables.json"), os.path.join(self.top, "gen"))
        self.recipe = os.path.join(self.top, "gen", "tables.json")
        self.output = os.path.join(self.top, "layout", "tables", "openmpi")

    def skip(self, why):
        (self.fail if os.environ.get("MQD_TEST_ALL") else self.skipTest)(why)

    def needed(self, variable, what):
        if not os.environ.get(variable):
            self.skip(f"{variable} names nothing: {what} is needed")
        return os.environ[variable]

    def everything(self):
        """Every file below the copy with its contents."""
        return support.texts_below(self.top)

    def forget(self):
        """Removes the families that begin with these releases. Returns the releases, in order."""
        value, gone = recipe.load(self.recipe), []
        for family in list(value["families"]):
            if table.release_key(FIRST) <= table.release_key(family["first"]) <= table.release_key(LAST):
                value["families"].remove(family)
                shutil.rmtree(os.path.join(self.output, recipe.family_name(family)))
                gone += family["releases"]
        with open(self.recipe, "w", encoding="utf-8") as file:
            file.write(recipe.to_text(value))
        return sorted(set(gone), key=table.release_key)

    def add(self, release, repository=None):
        """Runs mqdgen tables --release; returns what it printed."""
        done = support.Scratch.mqdgen(
            "tables", "--spec", os.path.join(self.top, "layout", "openmpi.def"), "--recipe", self.recipe, "--pahole",
            support.PAHOLE, "--source-repo", repository or self.repository, "--headers", *self.headers,
            "-o", self.output, "--release", f"v{release}")
        print(done.stdout, end="", flush=True)
        missing = re.search(AT_HAND, done.stdout)
        if missing:
            self.skip(missing[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_what_was_forgotten_comes_back_byte_for_byte(self):
        before = self.everything()
        releases = self.forget()
        self.assertEqual((releases[0], releases[-1]), (FIRST, LAST))
        self.assertNotEqual(self.everything(), before)
        for release in releases:
            self.add(release)
        after = self.everything()
        self.assertEqual(sorted(after), sorted(before))
        self.assertEqual([name for name in before if after[name] != before[name]], [])
        self.assertIn("nothing to do", self.add(LAST))

    def git(self, *arguments, **options):
        done = support.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments],
                           cwd=os.path.join(self.top, "doctored"), **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def doctored(self):
        """A repository that has Open MPI's objects, and a release that nobody made: two headers are others."""
        os.mkdir(os.path.join(self.top, "doctored"))
        self.git("init", "-q", "--bare", ".")
        objects = support.run(["git", "-C", self.repository, "rev-parse", "--git-path", "objects"]).stdout.strip()
        with open(os.path.join(self.top, "doctored", "objects", "info", "alternates"), "w", encoding="utf-8") as file:
            file.write(os.path.abspath(os.path.join(self.repository, objects)) + "\n")
        last = support.run(["git", "-C", self.repository, "rev-parse", f"v{LAST}^{{commit}}"]).stdout.strip()
        self.git("tag", f"v{LAST}", last)
        environment = dict(os.environ, GIT_INDEX_FILE=os.path.join(self.top, "doctored", "index"))
        self.git("read-tree", last, env=environment)
        version = ("VERSION", r"(?m)^release=\d+$", f"release={NEXT.split('.')[-1]}")
        for path, pattern, new in (RENUMBERED, MOVED, version):
            text, n_changes = re.subn(pattern, new, self.git("show", f"{last}:{path}") + "\n")
            self.assertEqual(n_changes, 1, path)
            blob = self.git("hash-object", "-w", "--stdin", input=text)
            self.git("update-index", "--cacheinfo", f"100644,{blob},{path}", env=environment)
        tree = self.git("write-tree", env=environment)
        self.git("tag", f"v{NEXT}", self.git("commit-tree", "-m", "doctored", "-p", last, tree))
        return os.path.join(self.top, "doctored")

    def test_a_doctored_release_is_told_from_all_others(self):
        said = self.add(NEXT, self.doctored())
        self.assertIn(f"{NEXT}: a new family, {NEXT}-{NEXT}, on ", said)
        self.assertIn("look: ompi_group_t.grp_of_this_test: new member, int at 16 (x86_64-release.json)\n", said)
        self.assertIn("look: constant hdr_match (MCA_PML_OB1_HDR_TYPE_MATCH): was 65, is 85 (x86_64-release.json)\n",
                      said)
        self.assertIn("look: MCA_PML_OB1_HDR_TYPE_MATCH: was (MCA_BTL_TAG_PML + 1), is (MCA_BTL_TAG_PML + 21)\n", said)
        made, _ = table.load(os.path.join(self.output, f"{NEXT}-{NEXT}", "x86_64-release.json"),
                             spec_of(self.top))
        old, _ = table.load(os.path.join(self.output, f"{FIRST}-{LAST}", "x86_64-release.json"), spec_of(self.top))
        self.assertEqual(made["constants"]["hdr_match"], 85)
        counts = [one["types"]["ompi_group_t"]["fields"]["grp_proc_count"]["offset"] for one in (old, made)]
        self.assertEqual(counts[1] - counts[0], 4)


def spec_of(top):
    """The list of types of the copy, as table.load wants it."""
    return {"openmpi": read_spec(os.path.join(top, "layout", "openmpi.def"))}


if __name__ == "__main__":
    support.main()
