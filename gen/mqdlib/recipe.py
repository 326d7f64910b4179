"""
Makes all tables again: what a recipe (gen/tables.json) says, from Open MPI's repository and configured headers.

The recipe's keys:
  compilers    for each architecture its compiler, a command found in PATH
  configured   the headers that configure makes, as they are installed; those that a release lacks are left out
  beside       headers of other projects that Open MPI's include
  words        for each word of a variant the macros of opal_config.h that it changes, with their values
  families     in the order of releases; of each:
    first, last      its releases
    source, openmpi  the commit or tag that its tables are made from, and the release that this is
    configured       the release of the configured headers, one that is packaged for all the architectures
    tables           for each architecture the builds, and the words that are tried on each of them: alone, or those
                     together that are one string ("no-ft matching-arrays")
    releases, configurations   what `mqdgen tables --prove` compares: tags (with a v before them), configured headers
"""
import os
import shlex
import shutil
import tempfile

from . import configured, report, table
from .errors import MqdError, NotAtHand
from .extract import Sources, extract
from .files import read_text, write_whole
from .git import Repository
from .located import parse

# Parts of the repository that headers include each other from.
SOURCE_PATHS = ["VERSION", "ompi", "opal", "orte"]

RECIPE_KEYS = ("compilers", "configured", "beside", "words", "families")
FAMILY_KEYS = ("first", "last", "source", "openmpi", "configured", "tables", "releases",
               "configurations")


def load(path):
    """Returns a recipe. Only its outline is checked: what it names is checked where it is used."""
    recipe = parse(path, read_text(path))
    checker = table.Checker(path, recipe)
    checker.object("", recipe, RECIPE_KEYS)
    for number, family in enumerate(recipe["families"]):
        checker.object(f"families[{number}]", family, FAMILY_KEYS)
        for arch, wanted in family["tables"].items():
            checker.object(f"families[{number}].tables.{arch}", wanted, ("builds", "alone"))
            if arch not in recipe["compilers"]:
                checker.fail(f"families[{number}].tables.{arch}", "has no compiler in \"compilers\"")
            for word in " ".join(wanted["builds"] + wanted["alone"]).split():
                if word not in recipe["words"]:
                    checker.fail(f"families[{number}].tables.{arch}", f"the word {word} is not in \"words\"")
    return recipe


def family_name(family):
    """How a family's folder is called."""
    return f"{family['first']}-{family['last']}"


def table_name(arch, words):
    """How the file of a table is called."""
    return "-".join([arch] + words) + ".json"


def variants(wanted):
    """The variants of one architecture: each build plain first, so that the others can be compared with it."""
    for build in wanted["builds"]:
        yield [build]
        for words in wanted["alone"]:
            yield [build, *words.split()]


def layout_of(spec, made):
    """What can be told of a table in a process, for a comparison."""
    return dict(report.layout_rows(spec, made))


class Maker:
    """Everything that is at hand while tables are made."""

    def __init__(self, spec, recipe, repository, installed, pahole, directory):
        self.spec = spec
        self.recipe = recipe
        self.repository = Repository(repository)
        self.installed = configured.Installed(installed)
        self.pahole = pahole
        self.directory = directory
        self.trees = {}

    def tree(self, revision):
        """The directory that has the headers of a revision."""
        if revision not in self.trees:
            path = os.path.join(self.directory, f"source-{len(self.trees)}")
            self.repository.headers(revision, SOURCE_PATHS, path)
            self.trees[revision] = path
        return self.trees[revision]

    def configuration(self, arch, release):
        """The include directory of a configuration; NotAtHand if it, or a compiler for it, is not on this machine."""
        compiler = shlex.split(self.recipe["compilers"][arch])[0]
        if shutil.which(compiler) is None:
            raise NotAtHand(f"{compiler}: no such compiler: install it or name another one in the recipe")
        return self.installed.configuration(release, arch, self.recipe["configured"])

    def extract(self, family, arch, words, origin):
        """Returns the table of a family whose headers are those that `origin` names."""
        installed = self.configuration(arch, origin["configured"])
        edits = {name: value for word in words for name, value in self.recipe["words"][word].items()}
        head = {"first": family["first"], "last": family["last"], "openmpi": origin["openmpi"], "variant": words}
        if table.release_key(origin["openmpi"]) != table.release_key(origin["configured"]):
            head["configured"] = origin["configured"]
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            configured.copy(installed, self.recipe["configured"], edits, directory)
            beside = [self.installed.directory_of(header, installed) for header in self.recipe["beside"]]
            include_dirs = [directory] + [path for path in dict.fromkeys(beside) if path is not None]
            sources = Sources(self.recipe["compilers"][arch], self.pahole, include_dirs, [],
                              self.tree(origin["source"]), [])
            return extract(self.spec, sources, head)


def make_family(maker, family, output, arches):
    """
    Writes the tables of one family, or of it those for some architectures. Returns whether all could be made, and the
    family's folder has no others.
    """
    folder = os.path.join(output, family_name(family))
    os.makedirs(folder, exist_ok=True)
    complete, known = True, set()
    for arch, wanted in family["tables"].items():
        if arches and arch not in arches:
            known.update(table_name(arch, words) for words in variants(wanted))
            continue
        try:
            maker.configuration(arch, family["configured"])
        except NotAtHand as error:
            print(f"{os.path.join(folder, arch)}: not made: {error}")
            known.update(table_name(arch, words) for words in variants(wanted))
            complete = False
            continue
        known.update(make_arch(maker, family, arch, folder))
    for name in sorted(set(os.listdir(folder)) - known):
        print(f"{os.path.join(folder, name)}: not of the recipe: remove it")
        complete = False
    return complete


def make_arch(maker, family, arch, folder):
    """Writes the tables of one architecture and yields their names. A variant with the types of an earlier has none."""
    made = {}
    for words in variants(family["tables"][arch]):
        name = table_name(arch, words)
        new = maker.extract(family, arch, words, family)
        twin = next((other for other, old in made.items() if old["types"] == new["types"]), None)
        if twin is not None:
            print(f"{os.path.join(folder, name)}: no table of its own: has the types of {twin}")
            continue
        made[name] = new
        print(f"{os.path.join(folder, name)}: {write(os.path.join(folder, name), table.to_text(new))}", flush=True)
        yield name


def write(path, text):
    """Writes a table if it is not the same already; returns what was done."""
    if os.path.exists(path):
        if read_text(path) == text:
            return "same"
        write_whole(path, text)
        return "changed"
    write_whole(path, text)
    return "new"


def witnesses(family):
    """What must have the same layout as the family's tables: (release, source, configuration)."""
    for release in family["releases"]:
        yield {"openmpi": release, "source": f"v{release}", "configured": family["configured"]}
    for release in family["configurations"]:
        yield {"openmpi": family["openmpi"], "source": family["source"], "configured": release}


def prove_family(maker, family, before):
    """
    All releases of the family, and the one that its tables are of under other configurations, have one layout, and the
    family before it another one: for each build of its first architecture. `before` has that family's name and
    layouts, and is changed to this one's. Returns whether all is so.
    """
    arch, wanted = next(iter(family["tables"].items()))
    name, layouts, proved = family_name(family), {}, True
    for build in wanted["builds"]:
        ours = maker.extract(family, arch, [build], family)
        layouts[build] = layout_of(maker.spec, ours)
        if build in before.get("layouts", ()):
            other = layouts[build] != before["layouts"][build]
            print(f"{name} {arch} {build}: {'differs from' if other else 'REFUTED: has the layout of'} "
                  f"{before['name']}")
            proved = proved and other
        for witness in witnesses(family):
            theirs = maker.extract(family, arch, [build], witness)
            same = layout_of(maker.spec, theirs) == layouts[build]
            print(f"{name} {arch} {build}: {witness['source']} configured as {witness['configured']}: "
                  f"{'same layout' if same else 'REFUTED: differs:'}", flush=True)
            if not same:
                print("\n".join(report.differences(dict(ours, origin={}), dict(theirs, origin={}))))
            proved = proved and same
    before.update(name=name, layouts=layouts)
    return proved


def make(maker, output, only, arches, prove):
    """
    Makes, or with `prove` proves, the families of the recipe, or those named; tables for all architectures, or for
    those named. Returns whether all went well.
    """
    families = maker.recipe["families"]
    unknown = set(only).difference(map(family_name, families))
    if unknown:
        raise MqdError(f"--family {sorted(unknown)[0]}: the recipe has none of this name, but "
                       f"{', '.join(map(family_name, families))}")
    unknown = set(arches).difference(maker.recipe["compilers"])
    if unknown:
        raise MqdError(f"--arch {sorted(unknown)[0]}: the recipe has none of this name, but "
                       f"{', '.join(sorted(maker.recipe['compilers']))}")
    good, before = True, {}
    if not prove and not only:
        for name in sorted(set(os.listdir(output)).difference(map(family_name, families))):
            print(f"{os.path.join(output, name)}: not of the recipe: remove it")
            good = False
    for family in families:
        if only and family_name(family) not in only:
            continue
        if prove:
            good = prove_family(maker, family, before) and good
        else:
            good = make_family(maker, family, output, arches) and good
    return good
