"""
Writes the headers of UCX that its configure would make, so that a table takes a source tree and no configured build.

Only these macros of config.h reach the headers that define UCX's types; those that change what is read are words of a
variant. configure defines ENABLE_ASSERT and ENABLE_STATS only where they are on, and the others always.
"""
import os

from .errors import MqdError
from .files import read_text

# What configure defines in every build. NVALGRIND: without valgrind's headers.
ALWAYS = {"NVALGRIND": 1, "UCS_MAX_LOG_LEVEL": "UCS_LOG_LEVEL_DEBUG", "ENABLE_DEBUG_DATA": 0, "ENABLE_MT": 0,
          "ENABLE_PARAMS_CHECK": 0}
# The macros that a word of a variant changes. The second group changes no layout: mqdgen tables --prove proves that.
WORDS = {"release": {}, "assert": {"ENABLE_ASSERT": 1}, "debug-data": {"ENABLE_DEBUG_DATA": 1}}
NEUTRAL = {"mt": {"ENABLE_MT": 1}, "params-check": {"ENABLE_PARAMS_CHECK": 1}, "profiling": {"HAVE_PROFILING": 1},
           "stats": {"ENABLE_STATS": 1}}
# Headers in which configure only fills in the version.
TEMPLATES = ("ucp/api/ucp_version.h", "uct/api/version.h")


def write(source, numbers, words, directory):
    """Writes config.h for a variant, and the headers that state the release, into a directory that -I names."""
    macros = dict(ALWAYS)
    for word in words:
        if word not in WORDS and word not in NEUTRAL:
            raise MqdError(f"--variant {word}: without a config.h of UCX the words can be {', '.join(WORDS)}: name a "
                           "configured build with -I")
        macros.update(WORDS.get(word, NEUTRAL.get(word)))
    with open(os.path.join(directory, "config.h"), "w", encoding="utf-8") as file:
        file.writelines(f"#define {name} {value}\n" for name, value in sorted(macros.items()))
    for template in TEMPLATES:
        path = os.path.join(source, "src", template + ".in")
        if os.path.exists(path):
            text = read_text(path)
            for name, number in zip(("MAJOR", "MINOR", "PATCH"), numbers):
                text = text.replace(f"@{name}_VERSION@", number)
            os.makedirs(os.path.dirname(os.path.join(directory, template)), exist_ok=True)
            with open(os.path.join(directory, template), "w", encoding="utf-8") as file:
                file.write(text.replace("@SCM_VERSION@", "none"))
