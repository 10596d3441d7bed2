"""The memory in words: in Review Details, as reasons of the judge, and in answers to commands."""

from collections import Counter
from collections.abc import Iterable, Sequence

from kodiai.core.findings.known import status_in_words
from kodiai.core.memory.precedents import in_words
from kodiai.core.memory.recall import Recollection
from kodiai.core.memory.remembered import RememberedFinding, RuleOutcomes, StoredMemory, rule_outcomes
from kodiai.core.memory.rule import LONGEST_RULE, MOST_RULES, Rule
from kodiai.core.text import markdown
from kodiai.core.text.layout import counted
from kodiai.core.text.rewritten import fenced

_MOST_LISTED = 20
_PASTE = "Add it to `.kodiai.yml`:\n\n"

REMEMBER_WHAT = "Say what I should remember: `remember <sentence>`."
FORGET_WHAT = "Say what I should forget: `forget <id>`. `memory` lists the ids."
RULE_TOO_LONG = f"A rule has at most {LONGEST_RULE} characters: say it more briefly."
RULE_WITHHELD = "This looks like a secret, so I do not store it."
TOO_MANY_RULES = f"There are {MOST_RULES} rules already, the most for one repository: `forget` one first."
NOT_NOW = "The memory is not available now: try again later."


def memory_lines(recollection: Recollection, problem: str | None) -> list[str]:
    """The lines of Review Details about the memory, none if there is nothing to say."""
    parts = []
    if recollection.recalled:
        sources = ", ".join(map(markdown.path, recollection.repositories))
        how = " by their words alone (offline)" if recollection.is_offline else ""
        parts.append(f"{counted(len(recollection.recalled), 'similar finding')} recalled{how} from {sources}")
    if recollection.rules:
        parts.append(counted(len(recollection.rules), "rule"))
    used = [f"- Memory: {', '.join(parts)}"] if parts else []
    return [*used, *([f"- Memory unavailable: {markdown.line(problem)}"] if problem is not None else [])]


def remembered_rule(rule: Rule, offered: str) -> str:
    """The answer to `remember`; `offered` is the same sentence as a rule of the settings."""
    said = f"Remembered as `{rule.id}`. The next reviews of this repository follow it; `forget {rule.id}` removes it."
    return f"{said}\n\n{markdown.folded('As a rule that each review checks', _PASTE + fenced(offered, 'yaml'))}"


def known_rule(rule: Rule) -> str:
    """The answer to `remember` with a sentence that is a rule already."""
    return f"That is already `{rule.id}`."


def forgotten(name: str) -> str:
    """The answer to `forget`."""
    return f"Forgot `{name}`."


def not_remembered(name: str) -> str:
    """The answer to `forget` with an id that nothing has."""
    return f"I remember nothing under {markdown.path(name)}. `memory` lists the ids."


def memory_text(rules: Sequence[Rule], stored: Sequence[StoredMemory]) -> str:
    """The answer to `memory`: the rules, how many findings led to what, and the dismissed ones, which may suppress."""
    parts = ["I remember no rules of this repository. `remember <sentence>` adds one."]
    if rules:
        parts = ["\n".join(["Rules of this repository:", "", *map(_rule_line, rules)])]
    findings = [each.remembered for each in stored if not each.is_forgotten]
    if findings:
        outcomes = Counter(status_in_words(each.outcome) for each in findings)
        listed = ", ".join(f"{times} {outcome}" for outcome, times in outcomes.most_common())
        parts.append(f"Remembered findings: {listed}.")
    if overridden := overridden_rules(findings):
        parts.append("\n".join(["Rules of the team that were overridden:", "", *overridden]))
    dismissed = [each for each in findings if each.dismissed_by and each.rule is None]
    if dismissed:
        rows = [_dismissed_line(each) for each in dismissed[:_MOST_LISTED]]
        more = [f"- and {len(dismissed) - _MOST_LISTED} more"] if len(dismissed) > _MOST_LISTED else []
        lead = "Findings like these may be suppressed; `forget <id>` prevents that:"
        parts.append(markdown.folded("Dismissed findings", "\n".join([lead, "", *rows, *more])))
    return "\n\n".join(parts)


def overridden_rules(findings: Iterable[RememberedFinding]) -> list[str]:
    """A line of Markdown for each rule of the team that was overridden."""
    outcomes = rule_outcomes((each.rule, each.outcome) for each in findings if each.rule is not None)
    return [f"- `{each.rule}`: {_rule_outcomes(each)}" for each in outcomes if each.overridden]


def _rule_outcomes(outcomes: RuleOutcomes) -> str:
    """The outcomes of a rule's failures in words, with a note if it is overridden more often than followed."""
    said = f"overridden {counted(outcomes.overridden, 'time')}, followed {counted(outcomes.followed, 'time')}"
    return f"{said} -- overridden more often than followed" if outcomes.is_ignored else said


def _rule_line(rule: Rule) -> str:
    return f"- `{rule.id}` ({markdown.line(rule.by)}): {markdown.line(rule.text)}"


def _dismissed_line(each: RememberedFinding) -> str:
    by = markdown.line(in_words(each.dismissed_by))
    return f"- `{each.name}` [{each.severity}] {markdown.line(each.title)} -- by {by}"
