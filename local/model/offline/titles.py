"""Which of its own rules the offline reviewer recognises in a finding's title."""

import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from local.model.offline.conflicts import CONFLICT
from local.model.offline.kinds import is_python
from local.model.offline.leaks import NAMES
from local.model.offline.problem import Problem
from local.model.offline.python_problems import SAME_CONCERN, SYNTAX
from local.model.offline.rules import RULES
from local.model.offline.weigh import VARIANTS


@dataclass(frozen=True)
class Kind:
    """What a title says, up to its names: two titles of one `rule` tell of the same kind of problem.

    `names` are the pieces of code that it names (of a syntax error what the parser said).
    """

    rule: str
    names: tuple[str, ...] = ()

    @property
    def is_of_python(self) -> bool:
        """Whether ruff finds it, in Python files that parse; else a pattern does, in any text."""
        return self.rule not in {_LEAK, _CONFLICT}


_LEAK, _CONFLICT, _UNPARSED = "leak", "conflict", "syntax"
_LEAK_TITLE = re.compile(rf"An? (?:{'|'.join(map(re.escape, NAMES))}) is in the code(?: \(`.*…`\))?", re.DOTALL)


def _rows() -> Iterator[tuple[str, str]]:
    """Every title template with the rule that it belongs to; those of one concern are one."""
    concerns = {code: " ".join(group) for group in SAME_CONCERN for code in group}
    for code, rule in RULES.items():
        if rule.title:
            yield rule.title, concerns.get(code, rule.title)
    yield from ((rule.title, rule.title) for rule in VARIANTS if rule.title)


def _pattern(template: str) -> re.Pattern[str]:
    parts = string.Formatter().parse(template)
    written = (re.escape(literal) + ("(.+)" if field is not None else "") for literal, field, _, _ in parts)
    return re.compile("".join(written), re.DOTALL)


_LITERAL = {template: rule for template, rule in _rows() if "{" not in template}
_TEMPLATES = tuple((_pattern(template), rule) for template, rule in _rows() if "{" in template)


def kind_of(title: str) -> Kind | None:
    """Recognise a title, None where no rule of the offline reviewer says that."""
    if title.startswith(SYNTAX):
        return Kind(_UNPARSED, (title.removeprefix(SYNTAX),))
    if title == CONFLICT:
        return Kind(_CONFLICT)
    if title in _LITERAL:
        return Kind(_LITERAL[title])
    if _LEAK_TITLE.fullmatch(title):
        return Kind(_LEAK)
    for pattern, rule in _TEMPLATES:
        if match := pattern.fullmatch(title):
            return Kind(rule, match.groups())
    return None


def kind_at(title: str, path: str) -> Kind | None:
    """Recognise a title as what a rule can say of this file."""
    kind = kind_of(title)
    return kind if kind and (is_python(path) or not kind.is_of_python) else None


def by_rule(problems: Iterable[Problem]) -> dict[str, list[tuple[Kind, Problem]]]:
    """Sort problems by the rule of their kind; what is not recognised is left out."""
    found: dict[str, list[tuple[Kind, Problem]]] = {}
    for problem in problems:
        if kind := kind_of(problem.title):
            found.setdefault(kind.rule, []).append((kind, problem))
    return found
