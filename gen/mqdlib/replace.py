"""Changes several files and folders together: either all of them or none."""
import os
import shutil
import tempfile

from .errors import MqdError
from .files import write_whole


class Replacement:
    """
    Collects changes of files and folders. `commit` writes all new contents beside their places first. Then it only
    renames; if a renaming fails, it undoes those before.
    """

    def __init__(self):
        self.wanted = []

    def file(self, path, text):
        """Adds a change: the file `path` gets this text."""
        self.wanted.append((os.path.realpath(path), text))

    def folder(self, path, files):
        """Adds a change: `path` becomes a folder with exactly these files, {name: text}."""
        self.wanted.append((os.path.realpath(path), dict(files)))

    def remove(self, path):
        """Adds a change: `path` is removed."""
        self.wanted.append((os.path.realpath(path), None))

    def commit(self):
        """Makes all changes. Raises MqdError if that fails; everything is then as it was before."""
        done, beside = [], []
        try:
            prepared = [(path, self.prepare(path, content, beside)) for path, content in self.wanted]
            for path, new in prepared:
                old = self.stash(path, beside) if os.path.lexists(path) else None
                done.append((path, old))
                if old is not None:
                    os.rename(path, old)
                if new is not None:
                    os.rename(new, path)
        except BaseException as error:
            take_back(done)
            clean_up(beside)
            if isinstance(error, (OSError, MqdError)):
                raise MqdError(f"cannot replace what is there, all is as it was: {error}") from error
            raise
        clean_up(beside)

    @staticmethod
    def stash(path, beside):
        """Returns a name beside `path` to which the old content can be renamed."""
        beside.append(tempfile.mkdtemp(dir=os.path.dirname(path), prefix=".mqdgen-"))
        return os.path.join(beside[-1], "old")

    @staticmethod
    def prepare(path, content, beside):
        """Writes new content beside `path`. Returns its name, or None if there is no new content."""
        if content is None:
            return None
        beside.append(tempfile.mkdtemp(dir=os.path.dirname(path), prefix=".mqdgen-"))
        new = os.path.join(beside[-1], "new")
        if isinstance(content, str):
            write_whole(new, content)
        else:
            os.mkdir(new)
            for name, text in content.items():
                write_whole(os.path.join(new, name), text)
        return new


def clean_up(beside):
    """Removes what was written beside, and what was replaced: once all is done, or all is taken back."""
    for directory in beside:
        shutil.rmtree(directory, ignore_errors=True)


def take_back(done):
    """Undoes renames, the last one first."""
    for path, old in reversed(done):
        if old is None:
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)
        elif os.path.lexists(old):
            if os.path.isdir(path):
                shutil.rmtree(path)
            os.rename(old, path)
