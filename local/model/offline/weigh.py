"""What ruff cannot know: how grave its diagnostic is in this place, and where the code is most likely meant."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from local.model.offline.changes import Change
from local.model.offline.kinds import is_test
from local.model.offline.ruff_run import Diagnostic
from local.model.offline.rules import RULES
from local.model.offline.rules.rule import Rule

_IN_BACKTICKS = re.compile(r"`([^`]+)`")
_CLOCKS_AND_DICE = re.compile(r"(^|\.)(now|utcnow|today|time|monotonic|uuid[14]|random|randint|choice|token_\w+)$")
_OF_SECRETS = re.compile(r"secret|token|passw|nonce|salt|session|otp\b|api_?key|csrf", re.I)
_EXPECTS_AN_ERROR = re.compile(r"\s*((async\s+)?with\b.*(raises|suppress|assertRaises|warns|warnings)|try\s*:)")
_MEANT_IN_TESTS = frozenset({"PLR0124", "B018", "S110", "BLE001", "SIM115", "B904", "S113"})
_ON_PURPOSE = re.compile(r"#\s*(pylint:\s*disable|pragma: no cover|type: ignore)")
_SPACE_AT_A_JOINT = re.compile(r"""\s["']\s*[frbuFRBU]{0,2}["']|["']\s*[frbuFRBU]{0,2}["']\s""")
_LONGEST_CODE_LETTERS = 2
_ONLY_READS = re.compile(r"\s*\w+(\.\w+)+\s*(#.*)?\r?")
_LAZY = (
    "Nothing in this module defines or imports `{0}`. The annotation is not evaluated at run time, but type checkers "
    "reject it and `typing.get_type_hints` raises NameError."
)


@dataclass(frozen=True)
class PythonFile:
    """A changed Python file whose head is known in full."""

    change: Change
    lines: Sequence[str]

    @property
    def text(self) -> str:
        """The head's content; whether it ends in a newline does not matter here."""
        return "\n".join(self.lines)


def named_in(diagnostic: Diagnostic) -> list[str]:
    """The pieces of code that ruff's message names in backticks."""
    return _IN_BACKTICKS.findall(diagnostic.message)


def weighed(file: PythonFile, diagnostic: Diagnostic, lazy: frozenset[tuple[int, str]]) -> Rule | None:
    """The rule as it weighs here, or None where the code is most likely meant."""
    rule, path = RULES.get(diagnostic.rule), file.change.path
    line = file.lines[diagnostic.start_line - 1]
    names = named_in(diagnostic)
    if rule is None:
        return None
    if path.endswith(".pyi") and not diagnostic.rule.startswith(("F82", "PLE")):
        return None
    if is_test(path) and (rule.category == "security" or diagnostic.rule in _MEANT_IN_TESTS):
        return None
    if not _holds(file, diagnostic, line, names):
        return None
    if diagnostic.rule == "F821" and (diagnostic.start_line, names[0]) in lazy:
        if is_test(path) or len(names[0]) <= _LONGEST_CODE_LETTERS:
            return None
        return Rule("MEDIUM", rule.category, rule.kind, rule.title, _LAZY)
    if diagnostic.rule == "F811" and re.match(r"\s*(from|import)\b", line):
        return Rule("MINOR", rule.category, "preference", "`{0}` is imported again", "One of the two imports can go.")
    if diagnostic.rule == "B018" and _ONLY_READS.fullmatch(line):
        return Rule("MINOR", rule.category, "preference", "An attribute is read and not used", rule.mechanism)
    return rule


def _holds(file: PythonFile, diagnostic: Diagnostic, line: str, names: Sequence[str]) -> bool:
    """Whether what ruff says in general is a problem in this place."""
    match diagnostic.rule:
        case "F401":
            if file.change.path.endswith("__init__.py") or "find_spec" in diagnostic.message:
                return False
            return not (is_test(file.change.path) and _is_parameter(file.text, names[0].rpartition(".")[2]))
        case "F811":
            return (
                re.match(rf"\s*((async\s+)?def|class)\s+{re.escape(names[0])}\b|\s*(from|import)\b", line) is not None
            )
        case "F841":
            return re.match(r"\s*(except|with|async with)\b", line) is None
        case "B008":
            return bool(names) and _CLOCKS_AND_DICE.search(names[0]) is not None
        case "B018":
            return not _expects_an_error(file.lines, diagnostic.start_line)
        case "PLW0127":
            return depth_of(line) > 0
        case "BLE001" | "E722":
            return _ON_PURPOSE.search(line) is None and "#" not in "".join(file.lines[diagnostic.start_line :][:1])
        case "S110" | "S112":
            return "#" not in file.text[diagnostic.start : diagnostic.end]
        case "ISC004":
            return _SPACE_AT_A_JOINT.search(file.text[diagnostic.start : diagnostic.end]) is None
        case "S311":
            return _OF_SECRETS.search(line) is not None
        case "S602" | "S605":
            return "seems safe" not in diagnostic.message
        case _:
            return True


def _is_parameter(text: str, name: str) -> bool:
    """Whether a function takes the name, as tests do with imported fixtures."""
    return re.search(rf"def \w+\([^)]*\b{re.escape(name)}\b", text) is not None


def _expects_an_error(lines: Sequence[str], number: int) -> bool:
    """Whether the line stands directly inside a `with raises(…)` or a `try`."""
    depth = depth_of(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() and depth_of(line) < depth:
            return _EXPECTS_AN_ERROR.match(line) is not None
    return False


def depth_of(line: str) -> int:
    """How far a line is indented, in characters."""
    return len(line) - len(line.lstrip())
