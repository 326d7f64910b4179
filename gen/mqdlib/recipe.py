"""
Makes all tables of a library again, as a recipe says: gen/tables.json for Open MPI, from its repository and configured
headers, and for the others gen/ucx.json, gen/gomp.json and gen/kmp.json, from their repositories alone. Only Open MPI's
recipe has the keys marked with (*).

The recipe's keys:
  compilers    for each architecture its compiler, a command found in PATH
  configured(*)  the headers that configure makes, by their installed names; a release may lack some
  beside(*)    headers of other projects that Open MPI's headers include; any release of them will do
  defined(*)   macros of opal_config.h that headers use, but that a configuration without some other project lacks;
               they get these values then. It may be left out
  words(*)     for each word of a variant the macros of opal_config.h that it changes, with their values
  families     in the order of releases; of each:
    first, last      its first and its last release
    source, openmpi  the commit or tag that its tables are made from, and the release of that commit; for another
                     library the key is its name.
                     Of a commit before a release: what it calls itself, + and the commit; or, if it still calls itself
                     by the release before, the next one in place of that
    configured(*)    the release of the configured headers, one that is packaged for all the architectures
    tables           for each architecture: `builds`, and `alone`, the words that are tried on each build one by one;
                     words in one string ("no-ft matching-arrays") are tried together
    releases         the releases that `mqdgen tables --prove` compares, by the library's tags (v4.1.4); none if the
                     family is not released yet
    configurations(*)  the releases of the configured headers that it compares
  watched      what `mqdgen tables --release` compares in Open MPI's sources, beside types; it may be left out:
    macros     for each header a regular expression; every change of a macro that matches is reported
    symbols    the symbols that the DLL looks up in a process
    sources    what the DLL's tests of a process rely on: a text for people, a file, and a regular expression that
               must match in this file
"""
import contextlib
import json
import os
import shlex
import shutil
import tempfile

from . import configured, debuginfo, handmade, probe, report, table, table_list
from .errors import MqdError, NotAtHand
from .extract import Sources, extract, include_dirs_of
from .files import read_text, write_whole
from .git import Repository
from .library import LIBRARIES
from .located import parse
from .shape import Shape

RECIPE_KEYS = ("compilers", "families")
RECIPE_KEYS_CONFIGURED = ("configured", "beside", "words")
OPTIONAL_KEYS = ("defined", "watched")
FAMILY_KEYS = ("first", "last", "source", "tables", "releases")
FAMILY_KEYS_CONFIGURED = ("configured", "configurations")
WATCHED_KEYS = ("macros", "symbols", "sources")
SOURCE_KEYS = ("text", "file", "pattern")
MAX_COLUMNS = 120


def load(path, library="openmpi"):
    """Returns a library's recipe. Checks only its outline: what it names is checked where it is used."""
    recipe, made = parse(path, read_text(path)), handmade.MADE.get(library)
    words = made.words if made else recipe.get("words", {})
    checker = table.Checker(path, recipe)
    checker.object("", recipe, RECIPE_KEYS + (() if made else RECIPE_KEYS_CONFIGURED), OPTIONAL_KEYS)
    if "watched" in recipe:
        checker.object("watched", recipe["watched"], WATCHED_KEYS)
        for number, source in enumerate(recipe["watched"]["sources"]):
            checker.object(f"watched.sources[{number}]", source, SOURCE_KEYS)
    for number, family in enumerate(recipe["families"]):
        checker.object(f"families[{number}]", family,
                       FAMILY_KEYS + (library,) + (() if made else FAMILY_KEYS_CONFIGURED))
        for arch, wanted in family["tables"].items():
            checker.object(f"families[{number}].tables.{arch}", wanted, ("builds", "alone"))
            if arch not in recipe["compilers"]:
                checker.fail(f"families[{number}].tables.{arch}", "has no compiler in \"compilers\"")
            for word in " ".join(wanted["builds"] + wanted["alone"]).split():
                if word not in words:
                    checker.fail(f"families[{number}].tables.{arch}", f"{word} is no word of a variant of "
                                 f"{LIBRARIES[library].title}" if made else f"the word {word} is not in \"words\"")
    return recipe


def to_text(recipe):
    """
    Returns a recipe as text. Keys keep their order. A value stands on one line if it fits there and contains no
    objects. A long list of words fills several lines.
    """
    return render(recipe, "", 0) + "\n"


def render(value, indent, column):
    """Returns a value as text. It begins in `column` of a line that is indented by `indent`."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    text = flat(value)
    of_objects = any(isinstance(one, dict) for one in inner)
    if not inner or not of_objects and column + len(text) < MAX_COLUMNS:
        return text
    deeper = indent + "  "
    if isinstance(value, list) and not of_objects:
        return "[\n" + filled([flat(one) for one in value], deeper) + f"\n{indent}]"
    if isinstance(value, list):
        return "[\n" + ",\n".join(deeper + render(one, deeper, len(deeper)) for one in value) + f"\n{indent}]"
    keys = [f"{deeper}{json.dumps(key)}: " for key in value]
    return "{\n" + ",\n".join(key + render(one, deeper, len(key)) for key, one in zip(keys, inner)) + f"\n{indent}}}"


def flat(value):
    """Returns a value as text on one line."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)}: {flat(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flat, value)) + "]"
    return json.dumps(value)


def filled(words, indent):
    """Returns lines with as many words on each as fit. Each word but the last has a comma."""
    lines = [indent]
    for number, word in enumerate(words):
        word += "," if number + 1 < len(words) else ""
        if lines[-1] == indent:
            lines[-1] += word
        elif len(lines[-1]) + 1 + len(word) <= MAX_COLUMNS:
            lines[-1] += " " + word
        else:
            lines.append(indent + word)
    return "\n".join(lines)


def family_name(family):
    """Returns the name of a family's folder."""
    return f"{family['first']}-{family['last']}"


def table_name(arch, words):
    """Returns the name of a table's file."""
    return "-".join([arch] + words) + ".json"


def variants(wanted):
    """Yields the variants of one architecture. The plain build comes first: the others are compared with it."""
    for build in wanted["builds"]:
        yield build.split()
        for words in wanted["alone"]:
            yield [*build.split(), *words.split()]


def layout_of(spec, made):
    """Returns what a comparison of two tables uses: layout and constants, {what: text or number}."""
    return dict(report.layout_rows(spec, made))


def differing(spec, one, other):
    """
    Yields what differs in layout and constants between two releases. An optional constant that only one of them has is
    no difference: the other release lacks what the constant stands for.
    """
    may_lack = {f"constant {constant.name}" for constant in spec.constants.values() if constant.rule == "optional"}
    for what in sorted({*one, *other}):
        if one.get(what) != other.get(what) and not (what in may_lack and (what in one) != (what in other)):
            yield what


def same_layout(spec, one, other):
    """True if two releases have the same layout and the same constants."""
    return next(differing(spec, one, other), None) is None


class Maker:
    """What is needed to make tables: spec, recipe, repository, configured headers, pahole and a directory for files."""

    def __init__(self, spec, recipe, repository, installed, pahole, directory):
        self.spec = spec
        self.recipe = recipe
        self.repository = Repository(repository)
        self.installed = configured.Installed(installed) if self.needs_configuration else None
        self.pahole = pahole
        self.directory = directory
        self.trees = {}

    @property
    def needs_configuration(self):
        """True if the tables are made with configured headers that are found below --headers."""
        return "configured" in self.recipe

    def has_configuration(self, release, arch):
        """True if there are configured headers of a release for an architecture."""
        return self.needs_configuration and (release, arch) in self.installed.configurations

    def tree(self, revision):
        """Returns a directory with the headers of a revision."""
        if revision not in self.trees:
            path = os.path.join(self.directory, f"source-{len(self.trees)}")
            self.repository.headers(revision, [*self.spec.library.source_paths, *self.spec.c_files()], path)
            self.trees[revision] = path
        return self.trees[revision]

    def configuration(self, arch, release):
        """
        Returns the include directory of a configuration, None where headers are made by hand. Raises NotAtHand if it,
        or its compiler, is missing.
        """
        compiler = shlex.split(self.recipe["compilers"][arch])[0]
        if shutil.which(compiler) is None:
            raise NotAtHand(f"{compiler}: no such compiler: install it or name another one in the recipe")
        if not self.needs_configuration:
            return None
        return self.installed.configuration(release, arch, self.recipe["configured"])

    @contextlib.contextmanager
    def sources(self, arch, words, origin):
        """Provides the Sources that `origin` names, configured for an architecture and a variant."""
        installed = self.configuration(arch, origin.get("configured"))
        if installed is None:
            yield Sources(self.recipe["compilers"][arch], self.pahole, source=self.tree(origin["source"]))
            return
        edits = {name: value for word in words for name, value in self.recipe["words"][word].items()}
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            configured.copy(installed, self.recipe["configured"], edits, self.recipe.get("defined", {}), directory)
            beside = [self.installed.directory_of(header, installed) for header in self.recipe["beside"]]
            include_dirs = [directory] + [path for path in dict.fromkeys(beside) if path is not None]
            yield Sources(self.recipe["compilers"][arch], self.pahole, include_dirs, [],
                          self.tree(origin["source"]), [])

    def extract(self, family, arch, words, origin, look=None):
        """
        Returns a table of a family, made from the headers that `origin` names. Calls `look` with the types that the
        table is made from, unless the compiler has stated them.
        """
        release = origin[self.spec.library.name]
        head = {"first": family["first"], "last": family["last"], "release": release, "variant": words,
                "configured": None}
        if self.needs_configuration and table.release_key(release) != table.release_key(origin["configured"]):
            head["configured"] = origin["configured"]
        with self.sources(arch, words, origin) as sources:
            made = extract(self.spec, sources, head)
            if sources.left_out:
                raise MqdError(f"{', '.join(sources.left_out)}: cannot be included: unpack the headers of UCX and "
                               "libfabric below --headers too (Debian's libucx-dev and libfabric-dev)")
            if look is not None and sources.btf is not None:
                look(sources.btf)
            return made

    def shape(self, arch, words, origin):
        """Returns the Shape of the types that `extract` would read. Makes no table."""
        with self.sources(arch, words, origin) as sources, \
                tempfile.TemporaryDirectory(dir=self.directory) as directory:
            include_dirs = include_dirs_of(self.spec.library, sources, words, None, directory)
            compiler = probe.Compiler(self.spec, sources.cc, include_dirs, [], sources.source, directory)
            return Shape(self.spec, debuginfo.Pahole(self.pahole).btf(compiler.probe_object()[0], "the headers"))


def make_family(maker, family, output, arches):
    """
    Writes the tables of one family; with `arches` only those for these architectures. Returns True if all could be made
    and the family's folder has no other files.
    """
    folder = os.path.join(output, family_name(family))
    os.makedirs(folder, exist_ok=True)
    complete, known = True, set()
    for arch, wanted in family["tables"].items():
        if arches and arch not in arches:
            known.update(table_name(arch, words) for words in variants(wanted))
            continue
        try:
            maker.configuration(arch, family.get("configured"))
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
    """Writes the tables of one architecture and yields their names."""
    made = {}
    for words in variants(family["tables"][arch]):
        name, new = table_name(arch, words), maker.extract(family, arch, words, family)
        twin = add(maker.spec, made, name, new, family["tables"][arch])
        if twin is not None:
            print(f"{os.path.join(folder, name)}: no table of its own: has the types of {twin}")
    for name, new in made.items():
        print(f"{os.path.join(folder, name)}: {write(os.path.join(folder, name), table.to_text(new))}", flush=True)
        yield name


def add(spec, made, name, new, wanted):
    """
    Adds a table to those of one architecture that are made, {name: table}. A variant with the layout and constants of
    an earlier one has no table of its own. If it is a build of its own, and not one with a word more, the other's table
    names it as a twin. Returns the name of the earlier one, or None.
    """
    rows = layout_of(spec, new)
    twin = next((other for other, old in made.items() if layout_of(spec, old) == rows), None)
    if twin is None:
        made[name] = new
    elif " ".join(new["variant"]) in wanted["builds"]:
        made[twin].setdefault("twins", []).append(new["variant"])
    return twin


def write(path, text):
    """Writes a table if its file is missing or differs. Returns "same", "changed" or "new"."""
    if os.path.exists(path):
        if read_text(path) == text:
            return "same"
        write_whole(path, text)
        return "changed"
    write_whole(path, text)
    return "new"


def witnesses(library, recipe, family, arch):
    """
    Yields what must have the same layout as the family's tables: each an origin with release, source, configuration
    and, as `words`, those that the variant has beside those of the build. Configured headers of another release are
    compared on the recipe's first architecture only, because packages for other architectures may be of another
    variant. What the configure of another library can be told beside the words of variants is compared one by one on
    the first architecture, and all together on the others.
    """
    for release in family["releases"]:
        yield dict(family, source=library.tag.format(release), words=[], **{library.name: release})
    first = next(iter(recipe["families"][0]["tables"]))
    for release in family.get("configurations", ()) if arch == first else ():
        yield dict(family, configured=release, words=[])
    if library.name in handmade.MADE:
        words = handmade.MADE[library.name].neutral
        neutral = [[word] for word in words] if arch == first else [list(words)]
        yield from (dict(family, words=words) for words in neutral)


def prove_family(maker, family, before):
    """
    Proves the bounds of one family, for each build of each architecture. All its releases, and the release of its
    tables with other configured headers, must have the same layout and constants. The family before it must differ.
    `before` maps an architecture to the name and the layouts of the last family that has it; it is changed to this
    family's. Returns True if everything was proved.
    """
    proved = True
    for arch, wanted in family["tables"].items():
        try:
            maker.configuration(arch, family.get("configured"))
        except NotAtHand as error:
            print(f"{family_name(family)} {arch}: not proved: {error}")
            proved = False
            continue
        former, layouts = before.get(arch, (None, {})), {}
        for build in wanted["builds"]:
            proved = prove_build(maker, family, arch, build, former, layouts) and proved
        before[arch] = family_name(family), layouts
    return proved


def prove_build(maker, family, arch, build, former, layouts):
    """Does the same for one build of one architecture, and adds its layout to `layouts`."""
    name, proved = family_name(family), True
    ours = maker.extract(family, arch, build.split(), family)
    layouts[build] = layout_of(maker.spec, ours)
    if build in former[1]:
        other = not same_layout(maker.spec, layouts[build], former[1][build])
        print(f"{name} {arch} {build}: {'differs from' if other else 'REFUTED: has the layout of'} {former[0]}")
        proved = other
    for witness in witnesses(maker.spec.library, maker.recipe, family, arch):
        what = f"{name} {arch} {build}: {witness['source']}"
        what += f" configured as {witness['configured']}" if "configured" in witness else ""
        what += f" with {', '.join(witness['words'])}" if witness["words"] else ""
        try:
            theirs = maker.extract(family, arch, build.split() + witness["words"], witness)
        except NotAtHand as error:
            print(f"{what}: not proved: {error}")
            proved = False
            continue
        same = same_layout(maker.spec, layout_of(maker.spec, theirs), layouts[build])
        print(f"{what}: {'same layout' if same else 'REFUTED: differs:'}", flush=True)
        if not same:
            print("\n".join(report.differences(dict(ours, origin={}), dict(theirs, origin={}))))
        proved = proved and same
    return proved


def make(maker, output, only, arches, prove):
    """
    Makes the tables of the families or, with `prove`, proves the families' bounds. `only` and `arches` limit this to
    some families and architectures; if they are empty, all are meant. Returns True if all went well.
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
    if not prove:
        tell_list(table_list.update(maker.spec.path, output))
    return good


def tell_list(updated):
    """Prints whether the list of tables was changed."""
    if updated is not None and updated[1] != "same":
        print(": ".join(updated))
