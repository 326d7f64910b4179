"""
Adds one release (mqdgen tables --release). Either a known family covers it then, or it begins a new family.

A new family's tables are made from its first release. They stay so: a family that grows changes only its range, in the
recipe and in its tables. If a release differs from a family on some architectures only, the family grows on the others,
and those on which it differs begin a new family.
"""
import copy
import os
import re

from . import recipe as recipes
from . import report, shape, table, table_list, watch
from .errors import MqdError, NotAtHand
from .replace import Replacement
from .shape import Shape

NUMBER = r"(\d+\.\d+\.\d+)"


def number_in(tag, library):
    """Returns the release that a tag of a library is of; None if it is no tag of a release."""
    before, after = map(re.escape, library.tag.split("{}"))
    match = re.fullmatch(before + NUMBER + after, tag, re.ASCII)
    return match and match[1]


def number_of(tag, library):
    """Returns the release of a tag of a library. It must be the tag of a release."""
    number = number_in(tag, library)
    if number is None:
        raise MqdError(f"--release {tag}: is not the tag of a release, like {library.tag.format('5.0.8')}: layouts may "
                       f"still change before one, and what others tag is not {library.title}'s")
    return number


def key(release):
    return table.release_key(release)


def place_of(families, number):
    """
    Returns three lists: the families that cover a release, the last ones before it, and the first ones after it. A list
    may have several families, for different architectures.
    """
    covering = [family for family in families if key(family["first"]) <= key(number) <= key(family["last"])]
    lasts = [family["last"] for family in families if key(family["last"]) < key(number)]
    firsts = [family["first"] for family in families if key(family["first"]) > key(number)]
    return (covering, [family for family in families if lasts and family["last"] == max(lasts, key=key)],
            [family for family in families if firsts and family["first"] == min(firsts, key=key)])


def names_of(family, arches):
    """Returns the names that a family's tables for some architectures can have."""
    return {recipes.table_name(arch, words) for arch in arches for words in recipes.variants(family["tables"][arch])}


def only(family, arches, **changes):
    """Returns a copy of a family's entry in the recipe, for some of its architectures and with some changes."""
    return dict(copy.deepcopy(dict(family)), tables={arch: copy.deepcopy(wanted) for arch, wanted in
                                                     family["tables"].items() if arch in arches}, **changes)


class Attempt:
    """
    All tables of one release, made in the same way as those of a family. `tables` maps each architecture to
    {name: table}. `shapes` maps each name to the Shape of its types, also for variants that have no table of their own.
    `failures` maps the name of a table or of an architecture to the reason why it could not be made. If headers or a
    compiler are missing for one architecture, no table is made.
    """

    def __init__(self, maker, family, origin):
        self.family, self.configured = family, origin.get("configured")
        self.tables, self.shapes, self.failures = {}, {}, {}
        for arch in family["tables"]:
            try:
                maker.configuration(arch, self.configured)
            except NotAtHand as error:
                self.failures[arch] = str(error)
        for arch, wanted in family["tables"].items() if not self.failures else ():
            self.tables[arch] = {}
            for words in recipes.variants(wanted):
                self.make(maker, arch, words, origin, wanted)

    def make(self, maker, arch, words, origin, wanted):
        name = recipes.table_name(arch, words)
        try:
            new = maker.extract(self.family, arch, words, origin,
                                lambda btf: self.shapes.update({name: Shape(maker.spec, btf)}))
        except MqdError as error:
            self.failures[name] = str(error)
            return
        recipes.add(maker.spec, self.tables[arch], name, new, wanted)

    def all(self):
        """Returns {name: table} for all architectures."""
        return {name: one for made in self.tables.values() for name, one in made.items()}


def on_disk(spec, output, family):
    """Returns a family's present tables, {name: table}. They must be in the form in which this mqdgen writes them."""
    folder, found = os.path.join(output, recipes.family_name(family)), {}
    again = f"make it again with mqdgen tables --family {recipes.family_name(family)}"
    if not os.path.isdir(folder):
        raise MqdError(f"{folder}: the recipe has this family, but there are no tables of it: {again}")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        one, text = table.load(path, spec)
        if one["origin"]["spec"] != spec.digest or text != table.to_text(one):
            raise MqdError(f"{path}: was made by another mqdgen or for another {spec.path}: {again}")
        found[name] = one
    return found


def first_difference(spec, old, new):
    """Returns a text about the first difference in layout or constants between two sets of tables, or None."""
    for name in sorted(set(old) | set(new)):
        if name not in new or name not in old:
            return f"{name}: {'has the layout of another variant' if name in old else 'has a layout of its own'} now"
        rows = [recipes.layout_of(spec, one) for one in (old[name], new[name])]
        for what in recipes.differing(spec, *rows):
            return f"{name}: {what}: was {side(what, rows[0])}, is {side(what, rows[1])}"
        if old[name].get("twins") != new[name].get("twins"):
            return f"{name}: other variants have its layout now"
    return None


def side(what, rows):
    """Returns what one of two tables has, for a message."""
    value = rows.get(what, "absent")
    return f"{value} bytes" if isinstance(value, int) and not what.startswith("constant ") else value


class Candidate:
    """A family that a release may belong to: its present tables, and the release's tables made in the same way."""

    def __init__(self, maker, output, family, tag, number):
        self.family = family
        self.name = recipes.family_name(family)
        self.known = on_disk(maker.spec, output, family)
        self.attempt, self.differences = None, {}
        # First with the configured headers of the family, so that only the sources differ; then with the release's
        # own, if there are some for all architectures. UCX has none.
        own = all(maker.has_configuration(number, arch) for arch in family["tables"])
        for configured in dict.fromkeys([family.get("configured")] + ([number] if own else [])):
            origin = {"source": tag, maker.spec.library.name: number, "configured": configured}
            attempt = Attempt(maker, dict(family, first=number, last=number), origin)
            if attempt.failures and self.attempt is not None:
                continue
            self.attempt = attempt
            self.differences = {arch: self.difference(maker.spec, arch) for arch in attempt.tables}
            if not attempt.failures and not any(self.differences.values()):
                break

    def difference(self, spec, arch):
        """Returns a text about the first difference on one architecture, or None."""
        return first_difference(spec, self.known_of([arch]), self.attempt.tables[arch])

    def known_of(self, arches):
        """Returns the family's present tables for some architectures, {name: table}."""
        names = names_of(self.family, arches)
        return {name: one for name, one in self.known.items() if name in names}

    def arches(self, same):
        """Returns the architectures on which the release has the family's layout or, with `same` False, another."""
        return [arch for arch in self.family["tables"] if (self.differences.get(arch) is None) == same]


def with_constants_of(release, table_):
    """
    A family's table with the optional constants that only a new release has: of these numbers the older releases make
    no use, and the new one does.
    """
    if "constants" not in table_:
        return table_
    return dict(table_, constants={**release.get("constants", {}), **table_["constants"]})


class Release:
    """One release, and its place in the recipe."""

    def __init__(self, maker, recipe_path, output, tag):
        self.maker = maker
        self.recipe_path = recipe_path
        self.output = output
        self.tag = tag
        self.library = maker.spec.library
        self.number = number_of(tag, self.library)
        self.families = maker.recipe["families"]
        self.covering, self.before, self.after = place_of(self.families, self.number)
        # The families that the release may belong to. A new family is made like them.
        self.like = self.covering or self.before or self.after
        self.lines, self.told = [], set()
        # For each folder that changes, the tables that it shall have: {folder: {name: table}}.
        self.folders = {}

    def known(self):
        """Returns the family that has this release already, or None."""
        return next((family for family in self.covering if self.number in family["releases"]), None)

    def check_order(self):
        """Raises MqdError if the tag does not exist, or if an unknown release lies between it and the known ones."""
        if not self.like:
            raise MqdError("the recipe has no family that a new one could be made like")
        tags = set(self.maker.repository.tags())
        if self.tag not in tags:
            raise MqdError(f"{self.maker.repository.path}: there is no tag {self.tag}: fetch {self.library.title}'s "
                           "tags")
        if self.covering or not self.before:
            return
        last = self.before[0]["last"]
        numbers = filter(None, (number_in(tag, self.library) for tag in tags))
        between = sorted((one for one in numbers if key(last) < key(one) < key(self.number)), key=key)
        if between:
            raise MqdError(f"--release {self.tag}: {', '.join(map(self.library.tag.format, between))} "
                           f"come{'s' if len(between) == 1 else ''} before it and after {last}, the last that is "
                           f"known: begin with {self.library.tag.format(between[0])}")

    def look(self, what, how, once=None):
        """Adds a line that a person has to look at. Of lines with the same `once` only the first is added."""
        line = f"look: {what}: {how}"
        if line not in self.lines and once not in self.told:
            self.lines.append(line)
        if once is not None:
            self.told.add(once)

    def add(self):
        """Adds the release to the recipe and the tables. Returns True if all went well."""
        self.check_order()
        candidates = [Candidate(self.maker, self.output, family, self.tag, self.number) for family in self.like]
        for candidate in candidates:
            self.compare_types(candidate)
        self.compare_sources()
        failures = {name: why for candidate in candidates for name, why in candidate.attempt.failures.items()}
        if failures:
            return self.refuse(failures)
        if self.like is self.after:
            added, failures = self.begin(candidates, {id(one): list(one.family["tables"]) for one in candidates})
        else:
            added, failures = self.join(candidates)
        if failures:
            return self.refuse(failures)
        print("\n".join(added))
        self.replace()
        return True

    def refuse(self, failures):
        """Names every table that could not be made. Changes nothing and returns False."""
        told = {}
        for name, why in failures.items():
            print(f"{name}: not made: {f'as {told[why]}' if why in told else why}")
            told.setdefault(why, name)
        self.tell()
        print(f"{self.number}: not added, nothing was changed")
        return False

    def join(self, candidates):
        """
        Lets the families grow on the architectures on which they have the release's layout. The other architectures
        begin a new family. Returns (lines about it, failures).
        """
        lines, new = [], {}
        for candidate in candidates:
            if self.covering and any(candidate.differences.values()):
                self.check_replaceable(candidate)
                new[id(candidate)] = list(candidate.family["tables"])
            else:
                new[id(candidate)] = candidate.arches(same=False)
            for arch in new[id(candidate)]:
                if candidate.differences[arch] is not None:
                    lines.append(f"{self.number}: differs from {candidate.name}: {candidate.differences[arch]}")
            grown = [arch for arch in candidate.family["tables"] if arch not in new[id(candidate)]]
            if grown:
                lines.append(self.grow(candidate, grown))
        if not any(new.values()):
            return lines, {}
        more, failures = self.begin(candidates, new)
        return lines + more, failures

    def check_replaceable(self, candidate):
        """
        Checks that a release may replace the family that covers it and differs from it. This is allowed only if the
        family has no releases yet.
        """
        if candidate.family["releases"] or candidate.family["first"] != candidate.family["last"]:
            difference = next(filter(None, candidate.differences.values()))
            raise MqdError(f"--release {self.tag}: {candidate.name} covers it, but differs: {difference}: split this "
                           "family in the recipe, and make both again")

    def grow(self, candidate, arches):
        """Extends the family to this release, on these architectures. Returns a line about it."""
        family = candidate.family
        grown = only(family, arches, last=max(family["last"], self.number, key=key),
                     releases=sorted(family["releases"] + [self.number], key=key))
        at = self.families.index(family)
        left = [arch for arch in family["tables"] if arch not in arches]
        self.families[at:at + 1] = ([only(family, left)] if left else []) + [grown]
        known = candidate.known_of(arches)
        name = recipes.family_name(grown)
        release = candidate.attempt.all()
        tables = {file: dict(with_constants_of(release.get(file, one), one),
                             family=dict(one["family"], last=grown["last"])) for file, one in known.items()}
        self.folders[candidate.name] = candidate.known_of(left)
        self.folders[name] = {**self.folders.get(name, {}), **tables}
        return (f"{self.number}: has the types of {candidate.name} on {', '.join(arches)} ({counted(known)})" +
                (f", which is {name} now" if name != candidate.name else ""))

    def begin(self, candidates, arches):
        """
        Begins a family with this release. `arches` maps the id of each candidate to the architectures that the new
        family takes over from it. Returns (lines about it, failures).
        """
        chosen = [(one, arch) for one in candidates for arch in arches[id(one)]]
        like, configured = chosen[0][0].family, chosen[0][0].attempt.configured
        family = dict(copy.deepcopy(dict(like)), first=self.number, last=self.number, source=self.tag,
                      releases=[self.number],
                      tables={arch: copy.deepcopy(one.family["tables"][arch]) for one, arch in chosen})
        family[self.library.name] = self.number
        if "configured" in family:
            family["configured"] = configured
        made = {name: table_ for one, arch in chosen if one.attempt.configured == configured
                for name, table_ in one.attempt.tables[arch].items()}
        more = {arch: family["tables"][arch] for one, arch in chosen if one.attempt.configured != configured}
        more.update(self.newly_packaged(configured))
        family["tables"].update(more)
        rest = Attempt(self.maker, dict(family, tables=more), family)
        made.update(rest.all())
        for one in candidates:
            if self.covering and arches[id(one)]:
                self.families.remove(one.family)
                self.folders[one.name] = {}
        self.families.append(family)
        self.families.sort(key=lambda one: (key(one["first"]), key(one["last"])))
        self.compare_families(made)
        name = recipes.family_name(family)
        self.folders[name] = made
        return ([f"{self.number}: a new family, {name}, on {', '.join(family['tables'])} ({counted(made)})"],
                rest.failures)

    def newly_packaged(self, configured):
        """
        Returns what to make for architectures that the families before do not have, if there are configured headers of
        this release: {architecture: the entry of the last family that has it}.
        """
        present = {arch for family in self.like for arch in family["tables"]}
        found = {}
        for arch in sorted(set(self.maker.recipe["compilers"]) - present):
            known = [family["tables"][arch] for family in self.families if arch in family["tables"]]
            if known and configured == self.number and self.maker.has_configuration(self.number, arch):
                found[arch] = copy.deepcopy(known[-1])
        return found

    def tell(self):
        for line in self.lines:
            print(line)

    def earlier(self, family):
        """Returns the tag of the release before this one; if there is none, the revision of the family's tables."""
        releases = [release for one in self.families for release in one["releases"] if key(release) < key(self.number)]
        return self.library.tag.format(max(releases, key=key)) if releases else family["source"]

    def compare_types(self, candidate):
        """
        Compares all members, enums and macros with those of the release before. A change that many tables have is
        reported for one of them.
        """
        family, attempt = candidate.family, candidate.attempt
        if self.library.language == "c++":
            self.look(self.library.title, "other members than those of the list were not compared: pahole reads no C++")
        origin = {"source": self.earlier(family), self.library.name: self.number,
                  "configured": family.get("configured")}
        for arch, wanted in family["tables"].items():
            for words in recipes.variants(wanted):
                name = recipes.table_name(arch, words)
                if name not in attempt.shapes:
                    continue
                try:
                    old = self.maker.shape(arch, words, origin)
                except MqdError as error:
                    self.look(name, f"its members were not compared with those of {origin['source']}: "
                              f"{str(error).splitlines()[0]}", origin["source"])
                    continue
                for what, how in shape.changes(old, attempt.shapes[name]):
                    self.look(what, f"{how} ({name})", what)
        for name, one in attempt.all().items():
            if name in candidate.known:
                macros = [{macro: value for macro, value in side["origin"]["macros"].items()
                           if macro not in self.library.version_macros} for side in (candidate.known[name], one)]
                for macro, how in shape.values(*macros):
                    self.look(macro, f"{how} ({name})", macro)
                constants = [side.get("constants", {}) for side in (candidate.known[name], one)]
                for constant, how in shape.values(*constants):
                    title = self.maker.spec.constants[constant].title
                    self.look(title, f"{how} ({name})", title)

    def compare_sources(self):
        """Compares what is in no table: the sources, as `watched` of the recipe says."""
        if "watched" in self.maker.recipe:
            for what, how in watch.changes(self.maker.spec, self.maker.recipe["watched"], self.maker.repository,
                                           self.earlier(self.like[0]), self.tag):
                self.look(what, how)

    def compare_families(self, made):
        """
        Reports for each new table the tables of other families that cannot be told from it in a process without debug
        information.
        """
        spec, alike = self.maker.spec, {}
        for family in self.families:
            name = recipes.family_name(family)
            if family["first"] == self.number:
                continue
            others = self.folders[name] if name in self.folders else on_disk(spec, self.output, family)
            for file, new in made.items():
                for other, old in others.items():
                    how = report.likeness(spec, old, new)
                    if how is not None:
                        alike.setdefault((file, how), []).append(f"{name}/{other}")
        for (file, how), others in alike.items():
            self.look(file, f"{how} {others[0]}" + (f" and {len(others) - 1} more" if len(others) > 1 else ""))

    def replace(self):
        """Replaces all files at once, then prints what a person has to look at."""
        change, paths = Replacement(), {name: os.path.join(self.output, name) for name in self.folders}
        for name, made in self.folders.items():
            if made:
                change.folder(paths[name], {file: table.to_text(one) for file, one in made.items()})
            else:
                change.remove(paths[name])
        change.file(self.recipe_path, recipes.to_text(self.maker.recipe))
        listed = table_list.place(self.maker.spec.path, self.output)
        if listed is not None:
            change.file(listed, table_list.to_text(listed, paths.values(), [
                os.path.join(paths[name], file) for name, made in self.folders.items() for file in made]))
        change.commit()
        self.tell()


def counted(some):
    """Returns a text that says how many tables there are."""
    return f"{len(some)} table{'' if len(some) == 1 else 's'}"


def add(maker, recipe_path, output, tag):
    """Adds a release to the recipe and the tables. Returns True if all went well."""
    release = Release(maker, recipe_path, output, tag)
    known = release.known()
    if known is not None:
        print(f"{release.number}: is known, of the family {recipes.family_name(known)}: nothing to do")
        return True
    return release.add()
