"""How grave a diagnostic of ruff is in the place where it stands."""

from kodiai.core.changes.kinds import is_test
from local.model.offline.meant import PythonFile, is_meant
from local.model.offline.ruff_run import UNKNOWN_NAME, Diagnostic, named_in
from local.model.offline.rules import RULES
from local.model.offline.rules.rule import Rule

_MEANT_IN_TESTS = frozenset({"B018", "E722", "F841", "PLR0124", "S113"})
_LONGEST_CODE_LETTERS = 2
_POSTPONED = Rule(
    "MEDIUM",
    "correctness",
    "impact",
    "`{0}` is not defined",
    "Nothing in this module defines or imports `{0}`. The annotation is not evaluated at run time, but type checkers "
    "reject it and `typing.get_type_hints` raises NameError.",
)
VARIANTS = (_POSTPONED,)
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
    names = named_in(diagnostic)
    if diagnostic.rule == UNKNOWN_NAME and (diagnostic.start_line, names[0]) in postponed:
        codes = is_test(file.change.path) or len(names[0]) <= _LONGEST_CODE_LETTERS
        return None if codes else _POSTPONED
    return rule
