"""Several files and folders changed as one: all of them, or none."""
import os
import shutil
import tempfile

from .errors import MqdError
from .files import write_whole


class Replacement:
    """
    What shall be there instead of what is. Everything is written beside its place first; `commit` then only renames,
    and takes back what it has renamed if it cannot go on.
    """

    def __init__(self):
        self.wanted = []

    def file(self, path, text):
        """`path` shall have this text."""
        self.wanted.append((os.path.realpath(path), text))

    def folder(self, path, files):
        """`path` shall be a folder with these files, texts by name, and no others."""
        self.wanted.append((os.path.realpath(path), dict(files)))

    def remove(self, path):
        """`path` shall not be there."""
        self.wanted.append((os.path.realpath(path), None))

    def commit(self):
        """Does all of it. Raises MqdError with everything as it was."""
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
        except (OSError, MqdError) as error:
            take_back(done)
            raise MqdError(f"cannot replace what is there, all is as it was: {error}") from error
        finally:
            for directory in beside:
                shutil.rmtree(directory, ignore_errors=True)

    @staticmethod
    def stash(path, beside):
        """A name beside `path` to which it can be renamed."""
        beside.append(tempfile.mkdtemp(dir=os.path.dirname(path), prefix=".mqdgen-"))
        return os.path.join(beside[-1], "old")

    @staticmethod
    def prepare(path, content, beside):
        """Writes new content beside `path`; returns where."""
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
