"""Reads and writes files."""
import os
import sys
import tempfile

from .errors import MqdError


def read_text(path):
    """Returns a file's text, which must be UTF-8."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise MqdError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise MqdError(f"{path}: byte {error.start} is not UTF-8 text") from error


def read_bytes(path, at_most=-1):
    """Returns a file's bytes, or the first so many."""
    try:
        with open(path, "rb") as file:
            return file.read(at_most)
    except OSError as error:
        raise MqdError(f"{path}: cannot read it: {error.strerror}") from error


def write_whole(path, text):
    """
    Makes `text` the contents of `path`, or leaves `path` as it was: the text goes to a temporary file beside it, which
    then takes its name. "-" is standard output.
    """
    if path == "-":
        sys.stdout.write(text)
        return
    if os.path.exists(path) and not os.path.isfile(path):
        raise MqdError(f"{path}: cannot write it: not a regular file")
    path = os.path.realpath(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".mqdgen-")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~current_umask())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise MqdError(f"{path}: cannot write it: {error.strerror}") from error
    finally:
        if temporary is not None and os.path.exists(temporary):
            os.unlink(temporary)


def current_umask():
    """The umask: mkstemp's files are private, but a table gets the mode of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
