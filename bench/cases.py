"""A small pull request with every kind of push: commits, a merge of the base, a rebase, a force-push, a revert."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.made_code import made_files, one_line_more

_GAP = 8
_FUNCTIONS = 6
_CLEAN = "def {name}(prices):\n    total = 0\n    for price in prices:\n        total += price\n    return total\n"
_FLOAT = _CLEAN.replace("total = 0", "total = 0.0  # {name}")
_DEFECT = "def {name}(prices):\n    try:\n        return sum(prices)\n    except:\n        return '{name}'\n"
_OTHER = "def {name}(prices, seen=[]):\n    seen.append(len(prices))\n    return seen\n"


class Work:
    """A work tree in which commits are made, whatever the person's own git is set to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--template=", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        """Run git there and return what it prints."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        person = {f"GIT_{role}_{what}": "ann" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}
        done = subprocess.run(
            ["git", "-C", str(self._folder), *arguments],
            env=kept | person | quiet,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self, message: str, files: Mapping[str, str]) -> str:
        """Write files, commit everything, and return the commit's id."""
        for path, content in files.items():
            file = self._folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.head

    @property
    def head(self) -> str:
        """The id of the commit that is checked out."""
        return self.git("rev-parse", "HEAD")


def merged_pushes(clone: Path, merge: str) -> list[dict[str, Any]]:
    """The pushes of a branch that was merged: one for each of its own commits."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(clone), *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    base = git("merge-base", f"{merge}^1", f"{merge}^2")
    heads = git("rev-list", "--reverse", "--first-parent", f"{base}..{merge}^2").split()
    return [{"kind": "push", "after": head, "base_tip": base} for head in heads]


def shop(**instead: str) -> str:
    """A module of ten functions that are far apart; some may have another text."""
    names = [f"sum_{number}" for number in range(10)]
    gap = "\n" * _GAP
    return "".join(instead.get(name, _CLEAN).format(name=name) + f"\n# {name} ends here{gap}" for name in names)


def one_hunk_push(folder: Path, files: int = 24) -> list[dict[str, Any]]:
    """A made pull request of so many files, and a push that changes one hunk, in a new folder."""
    work = Work(folder)
    count = files * 2
    base = work.commit("Base", dict(made_files(count)))
    opened = dict(made_files(count, dict.fromkeys(range(files), 1), _FUNCTIONS))
    path = next(path for path in opened if path.endswith(".py"))
    heads = [work.commit("Change", opened), work.commit("Log it", {path: one_line_more(opened[path])})]
    return [
        {"kind": "push", "after": heads[0], "base_tip": base},
        {"kind": "push", "after": heads[1], "base_tip": base, "expected_changed_hunks": {path: 1}},
    ]


def make_cases(folder: Path) -> list[dict[str, Any]]:
    """Make the repository in a new folder; return its pushes as recorded ones are written down."""
    work = Work(folder)
    base = work.commit("A shop", {"shop.py": shop(), "stock.py": shop(), "README.md": "A shop.\n"})
    pushes: list[dict[str, Any]] = []

    def push(kind: str, base_tip: str, expected: Mapping[str, int] | None) -> None:
        changed = {} if expected is None else {"expected_changed_hunks": expected}
        pushes.append({"kind": kind, "after": work.head, "base_tip": base_tip, **changed})

    work.git("checkout", "--quiet", "-b", "change")
    first = {"sum_1": _OTHER, "sum_3": _DEFECT, "sum_5": _DEFECT, "sum_7": _CLEAN + "# more\n"}
    work.commit("Write sums down", {"shop.py": shop(**first), "vendor/sums.py": shop()})
    push("push", base, None)
    second = first | {"sum_1": _FLOAT}
    work.commit("Mend one", {"shop.py": shop(**second)})
    push("push", base, {"shop.py": 1})
    work.commit("More files", {"stock.py": shop(sum_2=_OTHER), "poetry.lock": "[[package]]\n", "vendor/sums.py": "x\n"})
    push("push", base, {"stock.py": 1, "poetry.lock": 1, "vendor/sums.py": 1})
    work.git("checkout", "--quiet", "main")
    moved = work.commit("Move on", {"README.md": "A shop.\n\nIt sells.\n", "shop.py": "import math\n\n" + shop()})
    work.git("checkout", "--quiet", "change")
    work.git("merge", "--quiet", "--no-ff", "--message", "Merge main", "main")
    push("merge_of_base", moved, {})
    work.git("reset", "--quiet", "--soft", moved)
    work.git("commit", "--quiet", "--message", "All in one")
    push("rebase", moved, {})
    third = second | {"sum_5": _FLOAT, "sum_9": _DEFECT}
    forced = "import math\n\n" + shop(**third)
    work.git("reset", "--quiet", "--hard", moved)
    work.commit("Again, otherwise", {"shop.py": forced, "stock.py": shop(sum_2=_OTHER), "vendor/sums.py": "x\n"})
    push("force_push", moved, {"shop.py": 2})
    work.commit("Try more", {"stock.py": shop(sum_2=_OTHER, sum_8=_DEFECT)})
    push("push", moved, {"stock.py": 1})
    work.git("revert", "--no-edit", "HEAD")
    push("revert", moved, {})
    return pushes
