"""When each long step passed last: tests/proofs has its name, the commit, and how many seconds it took.

The file belongs to the tree, so that who tests a later commit knows how old each proof is. A step that passes is noted if
no file differs from the commit.
"""
import dataclasses
import hashlib
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATH = os.path.join(TOP, "tests", "proofs")


@dataclasses.dataclass
class Proof:
    """A line of the file."""
    commit: str
    seconds: int


def git(*arguments):
    """Returns what git prints; None if it fails."""
    try:
        done = subprocess.run(["git", "-C", TOP, *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def read(path=None):
    """Returns the proofs by the names of steps."""
    try:
        with open(path or PATH, encoding="utf-8") as file:
            rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    except FileNotFoundError:
        return {}
    return {name: Proof(commit, int(seconds)) for name, commit, seconds in rows}


def write(found, path=None):
    with open(path or PATH, "w", encoding="utf-8") as file:
        file.write("# Step, the commit at which it passed last, and how many seconds it took: written by the tests.\n")
        file.writelines(f"{name} {proof.commit} {proof.seconds}\n" for name, proof in sorted(found.items()))


def note(passed, quick=None):
    """Notes the steps that passed, and how long tests/quick took, if the tree is that of a commit."""
    commit = git("rev-parse", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!tests/proofs")
    if commit is None or changed != "":
        print("tests/proofs is not written: the tree differs from its commit")
        return
    found = read()
    found.update({step.name: Proof(commit, max(1, round(step.seconds))) for step in passed if step.seconds is not None})
    if quick is not None:
        found["quick"] = Proof(commit, max(1, round(quick)))
    write(found)


def age(proof):
    """Returns how many commits old a proof is; None if its commit is not known here."""
    count = proof and git("rev-list", "--count", f"{proof.commit}..HEAD")
    return int(count) if count else None


def changed_since(proof):
    """Returns the files that differ from those of the proof's commit."""
    return (git("diff", "--name-only", proof.commit, "HEAD") or "").split("\n")


def in_turn(steps, known):
    """
    Returns the names of steps in the order in which they should run: first those whose sources have changed, then those
    that have not run for longest. Among equals the commit decides, so that each comes first at some commit.
    """
    head = git("rev-parse", "HEAD") or ""

    def key(step):
        proof = known.get(step.name)
        commits = age(proof)
        changed = commits is None or any(path.startswith(tuple(step.sources)) for path in changed_since(proof) if path)
        return (not changed, -commits if commits is not None else float("-inf"),
                hashlib.sha256(f"{head} {step.name}".encode()).hexdigest())
    return [step.name for step in sorted(steps, key=key)]


def show(steps, now):
    """Prints how old the proof of each long step is."""
    known = read()
    print("proofs of long steps, by age in commits:")
    for step in steps:
        commits = None if step.name in now else age(known.get(step.name))
        print(f"    {step.name:18}" + ("now" if step.name in now else "never" if commits is None else f"{commits}"))
