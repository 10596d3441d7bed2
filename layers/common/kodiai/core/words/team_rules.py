"""The standing of the team's rules in words: those that do not stand among the findings."""

from collections.abc import Callable, Mapping, Sequence

from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.findings.known import KnownFinding
from kodiai.core.text import markdown
from kodiai.core.text.layout import counted, short_text

_REASON_WORDS = 20
_HEADINGS = {
    "pass": ("Pass", "Done"),
    "cannot_tell": ("Cannot tell", "Cannot tell whether done"),
    "not_applicable": ("Not applicable", "Not asked for now"),
}
"""By result, the words before rules and before what a linked issue asks for."""


def team_rules_lines(
    rulings: Sequence[TeamRuling], overridden: Mapping[str, KnownFinding], *, unchecked: int = 0
) -> list[str]:
    """A line of Markdown for each result, and for each rule that fails and that people have overridden, by its id.

    Other rules that fail are findings, and stand there. `unchecked` rules had no model to rule on them.
    """
    lines = [
        _override(each, overridden[each.rule]) for each in rulings if each.result == "fail" and each.rule in overridden
    ]
    for result, (of_rules, of_issues) in _HEADINGS.items():
        here = [each for each in rulings if each.result == result]
        shown: Callable[[TeamRuling], str] = _name if result == "pass" else _with_reason
        for heading, named in (
            (of_rules, [shown(each) for each in here if not each.is_criterion]),
            (of_issues, [shown(each) for each in here if each.is_criterion]),
        ):
            lines += [f"{heading}: {'; '.join(named)}"] if named else []
    return [*lines, *([f"{counted(unchecked, 'rule')} not checked: rules need a model"] if unchecked else [])]


def _name(ruling: TeamRuling) -> str:
    return (markdown.line(ruling.criterion) if ruling.is_criterion else "") or f"`{ruling.rule}`"


def _with_reason(ruling: TeamRuling) -> str:
    return f"{_name(ruling)} ({markdown.line(short_text(ruling.why, _REASON_WORDS).rstrip('.'))})"


def _override(ruling: TeamRuling, known: KnownFinding) -> str:
    by = markdown.line(known.settled_by or "") or "somebody"
    why = f": {markdown.line(short_text(known.reason, _REASON_WORDS))}" if known.reason else ""
    return f"Overridden by {by}: {_name(ruling)}{why}"
