"""The team's rules in a review: which batch is asked about which of them, and about what the linked issues ask for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import EVERYWHERE, TeamRule
from kodiai.core.findings.known import DECIDED_BY_PEOPLE
from kodiai.core.json_object import JsonObject
from kodiai.core.plan.input import ReviewInput

_MOST_FILES = 20


@dataclass(frozen=True)
class AskedRules:
    """The rules with their files among the changed ones, by id, and the criteria of earlier reviews with their results.

    `criteria` is None if nobody asks about the linked issues.
    """

    files: Mapping[str, Sequence[str]]
    rules: tuple[TeamRule, ...]
    criteria: Mapping[str, TeamRuling] | None

    @property
    def rows(self) -> list[JsonObject]:
        """The rules and criteria as the reader is shown them."""
        return [
            *({"rule": rule.id, "text": rule.text, **self._files(rule)} for rule in self.rules),
            *(
                {"rule": name, "issue_asks_for": each.criterion, "last_result": each.result}
                for name, each in (self.criteria or {}).items()
            ),
        ]

    def _files(self, rule: TeamRule) -> JsonObject:
        """The files of a rule, unless it is for all."""
        files = [] if rule.paths == EVERYWHERE else self.files[rule.id]
        if not files:
            return {}
        more = {"and_more_files": len(files) - _MOST_FILES} if len(files) > _MOST_FILES else {}
        return {"files": files[:_MOST_FILES], **more}


def files_of(rule: TeamRule, review_input: ReviewInput) -> list[str]:
    """The changed files that a rule is for, without those that the settings skip."""
    skipped = review_input.config.review.skip_paths
    paths = {path: None for file in review_input.files for path in _paths(file) if not matches_any(path, skipped)}
    return [path for path in paths if rule.is_for(path)]


def _paths(file: ChangedFile) -> list[str]:
    return [file.path, *([file.previous_path] if file.previous_path and file.status == "renamed" else [])]


def asked_rules(
    review_input: ReviewInput, batches: Sequence[Sequence[ChangedFile]], *, offline: bool
) -> list[AskedRules | None]:
    """The rules that the first reader of each batch rules on, None where there are none.

    A rule is for the batches that have files of it. One that fails is asked about after each push, as the fix may be
    in any file; so is one that nobody has ruled on. The first batch is asked about the linked issues.
    """
    if offline or not batches:
        return [None] * len(batches)
    rules = {rule.id: (rule, files_of(rule, review_input)) for rule in review_input.config.review.rules}
    before = review_input.earlier_rulings
    by_batch = [[name for name, (rule, _) in rules.items() if _has_files(rule, files)] for files in batches]
    asked = {name for names in by_batch for name in names}
    by_batch[0] += [
        name for name, (_, files) in rules.items() if files and name not in asked and _is_due(name, review_input)
    ]
    criteria = {each.rule: each for each in before.values() if each.is_criterion}
    asks_for_issue = bool(review_input.on_github.issues) and review_input.config.review.linked_issue != "off"
    found = [
        AskedRules(
            {name: rules[name][1] for name in names},
            tuple(rules[name][0] for name in names),
            criteria if asks_for_issue and not at else None,
        )
        for at, names in enumerate(by_batch)
    ]
    return [each if each.rules or each.criteria is not None else None for each in found]


def files_with_rules(review_input: ReviewInput) -> list[ChangedFile]:
    """The changed files that some rule is for."""
    rules = review_input.config.review.rules
    return [file for file in review_input.files if any(_has_files(rule, [file]) for rule in rules)]


def _has_files(rule: TeamRule, files: Sequence[ChangedFile]) -> bool:
    return any(rule.is_for(path) for file in files for path in _paths(file))


def _is_due(name: str, review_input: ReviewInput) -> bool:
    """Whether a rule is asked about though none of its files is read: it is open, or nobody has ruled on it."""
    is_open = any(each.finding.rule == name and each.status == "open" for each in review_input.known)
    before = review_input.earlier_rulings.get(name)
    # The failure of a review that was not posted is no finding yet.
    return is_open or before is None or (before.result == "fail" and not is_overridden(name, review_input))


def is_overridden(name: str, review_input: ReviewInput) -> bool:
    """Whether people have decided that a rule or criterion need not hold for this pull request."""
    return any(each.finding.rule == name and each.status in DECIDED_BY_PEOPLE for each in review_input.known)
