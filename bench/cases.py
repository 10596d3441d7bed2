"""A small pull request with every kind of push: commits, a merge of the base, a rebase, a force-push, a revert."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bench.made_code import made_files, one_line_more

_GAP = 8
_FUNCTIONS = 6
_CLEAN = "def {name}(prices):\n    total = 0\n    for price in prices:\n        total += price\n    return total\n"
_FLOAT = _CLEAN.replace("total = 0", "total = 0.0  # {name}")
_DEFECT = "def {name}(prices):\n    try:\n        return sum(prices)\n    except:\n        return '{name}'\n"
_OTHER = "def {name}(prices, seen=[]):\n    seen.append(len(prices))\n    return seen\n"


class Push(NamedTuple):
    """The ids of a push's head and of its base at that time."""

    head: str
    base: str


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


def shop(**instead: str) -> str:
    """A module of ten functions that are far apart; some may have another text."""
    names = [f"sum_{number}" for number in range(10)]
    gap = "\n" * _GAP
    return "".join(instead.get(name, _CLEAN).format(name=name) + f"\n# {name} ends here{gap}" for name in names)


def one_hunk_push(folder: Path, files: int = 24) -> list[Push]:
    """A made pull request of `files` files, and a push that changes one hunk, in a new folder."""
    work = Work(folder)
    count = files * 2
    base = work.commit("Base", dict(made_files(count)))
    opened = dict(made_files(count, dict.fromkeys(range(files), 1), _FUNCTIONS))
    path = next(path for path in opened if path.endswith(".py"))
    heads = [work.commit("Change", opened), work.commit("Log it", {path: one_line_more(opened[path])})]
    return [Push(head, base) for head in heads]


def make_cases(folder: Path) -> list[Push]:
    """Make the repository in a new folder; return its pushes."""
    work = Work(folder)
    base = work.commit("A shop", {"shop.py": shop(), "stock.py": shop(), "README.md": "A shop.\n"})
    work.git("checkout", "--quiet", "-b", "change")
    first = {"sum_1": _OTHER, "sum_3": _DEFECT, "sum_5": _DEFECT, "sum_7": _CLEAN + "# more\n"}
    second = first | {"sum_1": _FLOAT}
    third = second | {"sum_5": _FLOAT, "sum_9": _DEFECT}
    more = {"stock.py": shop(sum_2=_OTHER), "vendor/sums.py": "x\n"}
    heads = [
        work.commit("Write sums down", {"shop.py": shop(**first), "vendor/sums.py": shop()}),
        work.commit("Fix one", {"shop.py": shop(**second)}),
        work.commit("More files", {**more, "poetry.lock": "[[package]]\n"}),
    ]
    pushes = [Push(head, base) for head in heads]
    work.git("checkout", "--quiet", "main")
    moved = work.commit("Move on", {"README.md": "A shop.\n\nIt sells.\n", "shop.py": "import math\n\n" + shop()})
    work.git("checkout", "--quiet", "change")
    work.git("merge", "--quiet", "--no-ff", "--message", "Merge main", "main")
    pushes.append(Push(work.head, moved))
    work.git("reset", "--quiet", "--soft", moved)
    work.git("commit", "--quiet", "--message", "All in one")
    pushes.append(Push(work.head, moved))
    work.git("reset", "--quiet", "--hard", moved)
    forced = {"shop.py": "import math\n\n" + shop(**third), **more}
    pushes.append(Push(work.commit("Again, otherwise", forced), moved))
    pushes.append(Push(work.commit("Try more", {"stock.py": shop(sum_2=_OTHER, sum_8=_DEFECT)}), moved))
    work.git("revert", "--no-edit", "HEAD")
    pushes.append(Push(work.head, moved))
    return pushes
