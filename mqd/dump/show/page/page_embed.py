"""Turns the script and the style of a page into C: page_embed.py SCRIPT STYLE > RESULT.

The hashes are what the page's policy names: it allows these contents and no other.
"""
import base64
import hashlib
import sys


def literal(text):
    """A text as C string literals, one for each line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return "\n".join(f'    "{line}\\n"' for line in escaped.rstrip("\n").split("\n"))


def embed(name, path):
    with open(path, encoding="ascii") as file:
        text = file.read().rstrip("\n") + "\n"
    if "</" in text or "<!--" in text:
        sys.exit(f"{path}: has what ends a script or begins a comment of a page: write it in another way")
    digest = base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
    return f'const char page_{name}[] =\n{literal(text)};\nconst char page_{name}_hash[] = "sha256-{digest}";\n'


def main():
    script, style = sys.argv[1:]
    print('/* Made by page_embed.py. */\n#include "mqd/dump/show/page/page_assets.h"\n')
    print(embed("script", script))
    print(embed("style", style), end="")


if __name__ == "__main__":
    main()
