"""One run of ruff over texts, cut off from any configuration but this one."""

import functools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from shutil import which
from typing import Any

SYNTAX_ERROR, UNKNOWN_NAME = "invalid-syntax", "F821"
_PYTHON = "py314"
_NAMES_FROM_OUTSIDE = (
    "_ get_ipython get_config reveal_type "
    "apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode xrange"
).split()  # of notebooks, of type checkers, and of Python 2, for code that asks for the version first
_WHY = re.compile(r"## Why is this bad\?\n(.+?)(?:\n## |\n```|\Z)", re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)]*\))?")


@dataclass(frozen=True)
class Diagnostic:
    """A remark of ruff about a line (from 1) of a text.

    `fixed` is that line with a safe fix, None if there is none. `advice` is what ruff says about a fix, "" if nothing,
    and `name` the rule's name in its documentation, "" for a syntax error.
    """

    rule: str
    message: str
    line: int
    fixed: str | None
    advice: str = ""
    name: str = ""


class RuffFailed(RuntimeError):
    """Ruff could not be run; the text is its output."""


def diagnose(texts: Sequence[tuple[str, Sequence[str]]], rules: Collection[str]) -> list[list[Diagnostic]]:
    """Check Python texts, given as (path, lines), with these rules; what is found in each. Raises RuffFailed.

    Paths only tell stubs and packages from modules: the texts are checked under names of our own.
    """
    found: list[list[Diagnostic]] = [[] for _ in texts]
    with tempfile.TemporaryDirectory(prefix="kodiai-ruff-") as folder:
        names = [_write(Path(folder), number, path, lines) for number, (path, lines) in enumerate(texts)]
        entries = _check(folder, names, rules) if names else []
    for entry in entries:
        number = int(Path(entry["filename"]).parent.name)
        line = entry["location"]["row"]
        fixed = _fixed(texts[number][1][line - 1], line, entry["fix"]) if line <= len(texts[number][1]) else None
        message, *advice = entry["message"].rstrip(".").split(". ")
        advised = entry["fix"]["message"] if entry["fix"] else "".join(advice[-1:])
        name = (entry["url"] or "").rpartition("/")[2]
        found[number].append(Diagnostic(str(entry["code"]), message, line, fixed, advised or "", name))
    return found


@functools.cache
def reasons() -> Mapping[str, str]:
    """Why each of ruff's rules exists, in its own words, by the rule's code. Raises RuffFailed."""
    whys = {rule["code"]: _WHY.search(rule["explanation"] or "") for rule in _run("rule", "--all")}
    return {code: _LINK.sub(r"\1", " ".join(why[1].split())) for code, why in whys.items() if why}


def _write(folder: Path, number: int, path: str, lines: Sequence[str]) -> str:
    pure = PurePosixPath(path)
    stem = "__init__" if pure.stem == "__init__" else "module"
    target = folder / str(number) / f"{stem}{'.pyi' if pure.suffix == '.pyi' else '.py'}"
    target.parent.mkdir()
    target.write_bytes("\n".join(lines).encode("utf-8", "replace"))
    return f"{number}/{target.name}"


def _check(folder: str, names: Sequence[str], rules: Collection[str]) -> list[dict[str, Any]]:
    selected = ",".join(sorted(rule for rule in rules if rule != SYNTAX_ERROR))
    known = f"builtins={json.dumps(_NAMES_FROM_OUTSIDE)}"
    options = ["--isolated", "--no-cache", "--exit-zero", "--quiet", "--target-version", _PYTHON, "--config", known]
    return _run("check", *options, "--select", selected, "--", *names, folder=folder)


def _run(command: str, *options: str, folder: str | None = None) -> list[dict[str, Any]]:
    next_to_python = Path(sys.executable).with_name("ruff")
    ruff = str(next_to_python) if next_to_python.exists() else which("ruff")
    if ruff is None:
        raise RuffFailed("ruff is not installed")
    arguments = [ruff, command, "--output-format", "json", *options]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuffFailed(done.stderr.decode(errors="replace")[-500:])
    entries: list[dict[str, Any]] = json.loads(done.stdout)
    return entries


def _fixed(text: str, line: int, fix: Mapping[str, Any] | None) -> str | None:
    """A line with ruff's fix, None where it is not safe, reaches beyond the line, or removes it."""
    if fix is None or fix["applicability"] != "safe":
        return None
    text = text.removeprefix("\ufeff").removesuffix("\r")
    for edit in sorted(fix["edits"], key=lambda each: each["location"]["column"], reverse=True):
        start, end = edit["location"], edit["end_location"]
        if {start["row"], end["row"]} != {line} or "\n" in edit["content"]:
            return None
        text = text[: start["column"] - 1] + edit["content"] + text[end["column"] - 1 :]
    return text if text.strip() else None
