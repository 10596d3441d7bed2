"""How grave a diagnostic of ruff is in the place where it stands."""

import re

from local.model.offline.kinds import is_test
from local.model.offline.meant import PythonFile, first_line, is_meant, named_in
from local.model.offline.ruff_run import Diagnostic
from local.model.offline.rules import RULES
from local.model.offline.rules.rule import Rule, preference

_MEANT_IN_TESTS = frozenset({"B018", "B904", "BLE001", "PLR0124", "S110", "S113", "SIM115"})
_LONGEST_CODE_LETTERS = 2
_ONLY_READS = re.compile(r"\s*\w+(\.\w+)+\s*(#.*)?\r?")
_POSTPONED = Rule(
    "MEDIUM",
    "correctness",
    "impact",
    "`{0}` is not defined",
    "Nothing in this module defines or imports `{0}`. The annotation is not evaluated at run time, but type checkers "
    "reject it and `typing.get_type_hints` raises NameError.",
)
_IMPORTED_AGAIN = preference("MINOR", "style", "`{0}` is imported again", "One of the two imports can go.")
_ONLY_READ = preference(
    "MINOR",
    "correctness",
    "An attribute is read and not used",
    "Its value is thrown away: unless reading it has an effect, a call or an assignment was meant.",
)
VARIANTS = (_POSTPONED, _IMPORTED_AGAIN, _ONLY_READ)
"""What a rule of ruff becomes in certain places."""


def weighed(file: PythonFile, diagnostic: Diagnostic, postponed: frozenset[tuple[int, str]]) -> Rule | None:
    """The rule as it weighs here, or None where nobody needs to hear of it.

    `postponed` has the (line, name) of the names in annotations that are never evaluated.
    """
    rule, path = RULES.get(diagnostic.rule), file.change.path
    if rule is None or is_meant(file, diagnostic):
        return None
    if path.endswith(".pyi") and not diagnostic.rule.startswith(("F82", "PLE")):
        return None
    if is_test(path) and (rule.category == "security" or diagnostic.rule in _MEANT_IN_TESTS):
        return None
    return _in_place(file, diagnostic, rule, postponed)


def _in_place(
    file: PythonFile, diagnostic: Diagnostic, rule: Rule, postponed: frozenset[tuple[int, str]]
) -> Rule | None:
    line, names = first_line(file, diagnostic), named_in(diagnostic)
    if diagnostic.rule == "F821" and (diagnostic.start_line, names[0]) in postponed:
        codes = is_test(file.change.path) or len(names[0]) <= _LONGEST_CODE_LETTERS
        return None if codes else _POSTPONED
    if diagnostic.rule == "F811" and re.match(r"\s*(from|import)\b", line):
        return _IMPORTED_AGAIN
    if diagnostic.rule == "B018" and _ONLY_READS.fullmatch(line):
        return _ONLY_READ
    return rule
