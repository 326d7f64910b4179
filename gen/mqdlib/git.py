"""Headers out of a git repository, at any commit, without a work tree."""
import os
import subprocess

from .errors import MqdError

# The names of headers end so, also of those that configure only fills in.
HEADERS = (".h", ".inl", ".h.in")


class Repository:
    """A clone of a library's repository, bare or not."""

    def __init__(self, path):
        self.path = path

    def run(self, arguments, given=b""):
        """Runs git; returns its exit status, output and last complaint."""
        try:
            done = subprocess.run(["git", "-C", self.path] + arguments, input=given, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
        except OSError as error:
            raise MqdError(f"git: cannot run it: {error.strerror}: install git") from error
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return done.returncode, done.stdout, said[-1] if said else "no reason given"

    def tags(self):
        """The names of all tags."""
        status, out, said = self.run(["tag", "--list"])
        if status != 0:
            raise MqdError(f"{self.path}: git cannot list its tags: {said}")
        return out.decode("utf-8", "replace").split()

    def text(self, revision, path):
        """The text of one file at a revision, None if there is none."""
        status, out, _ = self.run(["show", f"{revision}:{path}"])
        return out.decode("utf-8", "replace") if status == 0 else None

    def grep(self, revision, options, paths):
        """What `git grep` prints, "" if it finds nothing; without file names and line numbers."""
        status, out, said = self.run(["grep", "-h", "-I", "--no-line-number", "--no-color", *options, revision, "--",
                                      *paths])
        if status not in (0, 1):
            raise MqdError(f"{self.path}: {revision}: git cannot search it: {said}")
        return out.decode("utf-8", "replace")

    def headers(self, revision, paths, directory):
        """
        Writes the headers below `paths`, and the paths that are files, as they are at a revision, into a directory.
        Paths that the revision does not have are left out, but not all of them.
        """
        status, listing, said = self.run(["ls-tree", "-r", "-z", "--full-tree", revision, "--"] + paths)
        if status != 0:
            raise MqdError(f"{self.path}: {revision}: git cannot list it: {said}: fetch its branches and tags")
        names = {}
        for row in listing.decode("utf-8", "surrogateescape").split("\0"):
            head, _, name = row.partition("\t")
            if head.startswith("100") and (name.endswith(HEADERS) or name in paths):
                names[name] = head.split()[2]
        if not names:
            raise MqdError(f"{self.path}: {revision}: has no headers below {', '.join(paths)}: is it the right "
                           "library's?")
        self.write(names, directory)

    def write(self, names, directory):
        """`names` maps each path to its object."""
        wanted = "".join(f"{name}\n" for name in names.values()).encode()
        status, objects, said = self.run(["cat-file", "--batch"], wanted)
        if status != 0:
            raise MqdError(f"{self.path}: git cannot read objects: {said}")
        at = 0
        for name in names:
            end = objects.index(b"\n", at)
            head = objects[at:end].split()
            if len(head) != 3 or head[1] != b"blob":
                raise MqdError(f"{self.path}: {name}: git does not have its contents: fetch without a filter")
            start, at = end + 1, end + 2 + int(head[2])
            path = os.path.join(directory, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(objects[start:at - 1])
