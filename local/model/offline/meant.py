"""Where code that a rule objects to is most likely meant, so that nobody needs to hear of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from local.model.offline.changes import Change
from local.model.offline.kinds import is_test
from local.model.offline.ruff_run import Diagnostic

_IN_BACKTICKS = re.compile(r"`([^`]+)`")
_CLOCKS_AND_DICE = re.compile(r"(^|\.)(now|utcnow|today|time|monotonic|uuid[14]|random|randint|choice|token_\w+)$")
_OF_SECRETS = re.compile(r"secret|token|passw|nonce|salt|session|otp\b|api_?key|csrf", re.I)
_EXPECTS_AN_ERROR = re.compile(r"\s*((async\s+)?with\b.*(raises|suppress|assertRaises|warns|warnings)|try\s*:)")
_SILENCED = re.compile(r"#\s*(pylint:\s*disable|pragma: no cover|type: ignore)")
_SPACE_AT_A_JOINT = re.compile(r"""\s["']\s*[frbuFRBU]{0,2}["']|["']\s*[frbuFRBU]{0,2}["']\s""")


@dataclass(frozen=True)
class PythonFile:
    """A changed Python file whose head is known in full."""

    change: Change
    lines: Sequence[str]

    @property
    def text(self) -> str:
        """The head's content; whether it ends in a newline does not matter here."""
        return "\n".join(self.lines)


def is_meant(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """Whether what ruff objects to in general is no problem in this place."""
    exemption = _EXEMPTIONS.get(diagnostic.rule)
    return exemption is not None and exemption(file, diagnostic)


def named_in(diagnostic: Diagnostic) -> list[str]:
    """The pieces of code that ruff's message names in backticks."""
    return _IN_BACKTICKS.findall(diagnostic.message)


def first_line(file: PythonFile, diagnostic: Diagnostic) -> str:
    """The code of the line on which the diagnostic begins."""
    return file.lines[diagnostic.start_line - 1]


def depth_of(line: str) -> int:
    """How far a line is indented, in characters."""
    return len(line) - len(line.lstrip())


def _exported_or_tried(file: PythonFile, diagnostic: Diagnostic) -> bool:
    if file.change.path.endswith("__init__.py") or "find_spec" in diagnostic.message:
        return True
    name = named_in(diagnostic)[0].rpartition(".")[2]
    fixture = re.search(rf"def \w+\([^)]*\b{re.escape(name)}\b", file.text)
    return is_test(file.change.path) and fixture is not None


def _no_second_definition(file: PythonFile, diagnostic: Diagnostic) -> bool:
    name = re.escape(named_in(diagnostic)[0])
    defines = re.compile(rf"\s*((async\s+)?def|class)\s+{name}\b|\s*(from|import)\b")
    return defines.match(first_line(file, diagnostic)) is None


def _named_by_a_statement(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return re.match(r"\s*(except|with|async with)\b", first_line(file, diagnostic)) is not None


def _no_clock(_: PythonFile, diagnostic: Diagnostic) -> bool:
    return not any(_CLOCKS_AND_DICE.search(name) for name in named_in(diagnostic)[:1])


def _to_fail(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """The line stands directly inside a `with raises(…)` or a `try`."""
    depth = depth_of(first_line(file, diagnostic))
    for line in reversed(file.lines[: diagnostic.start_line - 1]):
        if line.strip() and depth_of(line) < depth:
            return _EXPECTS_AN_ERROR.match(line) is not None
    return False


def _reexport(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return depth_of(first_line(file, diagnostic)) == 0


def _explained(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """A comment in the handler says why, or a linter was silenced."""
    after = file.lines[diagnostic.start_line : max(diagnostic.end_line, diagnostic.start_line + 1)]
    return _SILENCED.search(first_line(file, diagnostic)) is not None or any("#" in line for line in after)


def _one_sentence(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return _SPACE_AT_A_JOINT.search(file.text[diagnostic.start : diagnostic.end]) is not None


def _no_secret(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return _OF_SECRETS.search(first_line(file, diagnostic)) is None


def _constant_command(_: PythonFile, diagnostic: Diagnostic) -> bool:
    return "seems safe" in diagnostic.message


_EXEMPTIONS: Mapping[str, Callable[[PythonFile, Diagnostic], bool]] = {
    "B008": _no_clock,
    "B018": _to_fail,
    "BLE001": _explained,
    "E722": _explained,
    "F401": _exported_or_tried,
    "F811": _no_second_definition,
    "F841": _named_by_a_statement,
    "ISC004": _one_sentence,
    "PLW0127": _reexport,
    "S110": _explained,
    "S112": _explained,
    "S311": _no_secret,
    "S602": _constant_command,
    "S605": _constant_command,
}
