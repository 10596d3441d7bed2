"""The two forms of the review: the first one, and the one after further pushes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.scope import Scope
from kodiai.core.changes.team_ruling import is_criterion
from kodiai.core.findings.finding import Finding, Kind, rank
from kodiai.core.findings.markers import review_marker
from kodiai.core.judge.delta import Delta
from kodiai.core.judge.judgement import KeptFinding, SuppressedFinding, is_shown
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.text import markdown
from kodiai.core.text.layout import BODY_LIMIT, bullets, counted, joined, short_text
from kodiai.core.words import finding as words
from kodiai.core.words.details import ReviewDetails, details_text
from kodiai.core.words.links import Links
from kodiai.core.words.verdict import headline, headline_again, unread_files, verdict_line, verdict_update

CI_IS_GREEN = "CI is green now."
_FIRST = "Kodiai Review Summary"
_AGAIN = "Kodiai Re-Review Summary"
_RULES = "Team Rules"
_MOST_OLDER = 2
_SUM_WORDS = 30
_REFUSED = "GitHub takes no comment on the lines of:"


@dataclass(frozen=True)
class ListedFinding:
    """An open finding as a body lists it. `href` is its thread, or else its lines at the head.

    `has_comment` is whether an inline comment of this or an earlier review has its text. `note` ends its line; `is_new`
    is whether a re-review marks it as new. `suggestion` is what its comment offers, None if nothing, or if that is an
    earlier comment.
    """

    finding: Finding
    href: str | None
    has_comment: bool
    note: str = ""
    is_new: bool = False
    suggestion: str | None = None

    @property
    def is_visible(self) -> bool:
        """Whether it is outside the folds: a rule fails, or it blocks and no comment on the page says why."""
        return self.finding.rule is not None or (self.finding.blocks and not self.has_comment)

    def text(self, *, explain: bool) -> str:
        """Its line, and its text where no comment has it."""
        explain = explain and not self.has_comment
        return f"{self.line}\n{self.explanation}".rstrip() if explain else self.line

    @property
    def explanation(self) -> str:
        """Its text, wherever that stands too."""
        return words.text(self.finding, self.suggestion)

    @property
    def line(self) -> str:
        """Its line, with a link and the note."""
        rule = self.finding.rule or ""
        criterion = f" -- `{rule}`" if is_criterion(rule) else ""  # by which people override it
        return f"{':new: ' if self.is_new else ''}{words.place(self.finding, self.href)}{criterion}{self.note}"


def with_refused_comments(body: str, refused: Sequence[KeptFinding], links: Links) -> str:
    """Put findings whose comments GitHub refused below the first line of a review's body.

    Where it would be longer than GitHub takes, the body stays as it is.
    """
    first, _, rest = body.partition("\n\n")
    texts = (replace(_listed_new(kept, links), has_comment=False).text(explain=True) for kept in refused)
    whole = joined(first, _REFUSED, *texts, rest)
    return whole if len(whole) <= BODY_LIMIT else body


def open_list(delta: Delta, links: Links) -> list[ListedFinding]:
    """Everything that is open, the most severe first."""
    return sorted([*_new_list(delta, links), *_old_list(delta, links)], key=lambda each: rank(each.finding))


def _new_list(delta: Delta, links: Links) -> list[ListedFinding]:
    return [_listed_new(kept, links) for kept in delta.new]


def _listed_new(kept: KeptFinding, links: Links) -> ListedFinding:
    return ListedFinding(kept.finding, links.lines(kept.finding), kept.inline, suggestion=kept.suggestion)


def _old_list(delta: Delta, links: Links) -> list[ListedFinding]:
    return [
        ListedFinding(_as_raised(each), _thread(each, links), each.known.comment_id is not None, _note(each))
        for each in delta.still_open
    ]


def _as_raised(update: FindingUpdate) -> Finding:
    """The finding as it is now; the problem of one that became more severe is the reason for that."""
    if update.transition != "raised" or not update.why:
        return update.finding
    return update.finding.model_copy(update={"problem": update.why})


def _note(update: FindingUpdate) -> str:
    partly = " -- partly fixed" if update.transition == "partly" else ""
    return f"{partly} -- the author disagrees" if update.author_disagrees else partly


def _thread(update: FindingUpdate, links: Links) -> str | None:
    comment_id = update.known.comment_id
    return links.comment(comment_id) if comment_id is not None else links.lines(update.finding)


def first_review(scope: Scope, delta: Delta, suppressed: Sequence[SuppressedFinding], details: ReviewDetails) -> str:
    """Compose the first-review form over everything that is open, its details, and the marker of run and head."""
    listed = open_list(delta, details.links)

    def summary(*, explain: bool) -> str:
        folded = [each for each in _shown(listed, details) if not each.is_visible]
        sections = [
            ("What Changed", _what_changed(scope, details)),
            ("Strengths", _strengths(details)),
            ("Observations", _listed(folded, "impact", explain=explain)),
            ("Older Problems", _older(listed, explain=explain)),
            ("Suggestions", _listed(folded, "preference", explain=explain)),
            (_RULES, bullets(details.team_rules)),
            ("Verdict", verdict_line(delta)),
        ]
        visible = (each.text(explain=explain) for each in listed if each.is_visible)
        return joined(*visible, _sections(_FIRST, sections))

    least = _sections(_FIRST, [("Verdict", verdict_line(delta))])
    first = joined(headline(delta).markdown, unread_files(delta.coverage))
    return _fitting(first, summary, least, details_text(scope, delta, suppressed, details), details)


def approval(delta: Delta, details: ReviewDetails) -> str:
    """Compose the short form of an approval that was withheld until CI was green."""
    marker = review_marker(details.run, details.head)
    return joined(headline(delta).markdown, unread_files(delta.coverage), CI_IS_GREEN, marker)


def re_review(
    scope: Scope, delta: Delta, suppressed: Sequence[SuppressedFinding], details: ReviewDetails, last_head: str
) -> str:
    """Compose the delta form: only what has changed since `last_head`, and the verdict over everything that is open."""
    since = (f"Re-review -- Changes since {last_head[:7]}", "")
    verdict = ("Verdict Update", verdict_update(delta))
    listed = [replace(each, is_new=True) for each in _new_list(delta, details.links)]

    def summary(*, explain: bool) -> str:
        folded = [each for each in _shown(listed, details) if not each.is_visible]
        sections = [
            since,
            ("What Changed", _what_changed(scope, details)),
            ("New Findings", _listed(folded, "impact", explain=explain)),
            ("Older Problems", _older(listed, explain=explain)),
            ("Suggestions", _listed(folded, "preference", explain=explain)),
            ("Resolved Findings", _resolved(delta.resolved, details.links)),
            ("Still Open", _still_open(delta.still_open, details.links)),
            (_RULES, bullets(details.team_rules)),
            verdict,
        ]
        visible = (each.text(explain=explain) for each in listed if each.is_visible)
        before = (each.text(explain=explain) for each in _old_list(delta, details.links) if each.is_visible)
        return joined(*visible, *before, _sections(_AGAIN, sections))

    least = _sections(_AGAIN, [since, verdict])
    first = joined(headline_again(delta).markdown, unread_files(delta.coverage))
    return _fitting(first, summary, least, details_text(scope, delta, suppressed, details), details)


def _shown(listed: Iterable[ListedFinding], details: ReviewDetails) -> list[ListedFinding]:
    """The findings that are listed: above the severity floor, or blocking. Older problems have their own section."""
    brought = (each for each in listed if not each.finding.is_older)
    return [each for each in brought if each.finding.blocks or is_shown(each.finding, details.floor)]


def _listed(listed: Iterable[ListedFinding], kind: Kind, *, explain: bool) -> str:
    return joined(*(each.text(explain=explain) for each in listed if each.finding.kind == kind))


def _older(listed: Iterable[ListedFinding], *, explain: bool) -> str:
    """The most severe problems that are older than the change; the others are only in the ledger."""
    older = [each for each in listed if each.finding.is_older]
    return joined(*(each.text(explain=explain) for each in older[:_MOST_OLDER]))


def _fitting(first: str, summary: Callable[..., str], least: str, all_details: str, details: ReviewDetails) -> str:
    """At most 65,536 characters: texts, then the details, then all but the verdict are left out, and it says so."""
    marker = review_marker(details.run, details.head)
    room = BODY_LIMIT - len(marker) - 2
    short = summary(explain=False)
    forms = (
        joined(first, summary(explain=True), all_details),
        joined(first, short, _cut("explanations"), all_details),
        joined(first, short, _cut("explanations and the details")),
    )
    smallest = joined(first, least, _cut("findings and the details"))
    body = next((form for form in forms if len(form) <= room), smallest)
    return f"{body}\n\n{marker}"


def _cut(what: str) -> str:
    return f"The {what} were left out: this review would have been longer than GitHub takes."


def _sections(summary: str, sections: Sequence[tuple[str, str]]) -> str:
    """Fold the sections; an empty one is left out, except the title of a re-review."""
    titled = [joined(f"## {title}", text) for title, text in sections if text or title.startswith("Re-review")]
    return markdown.folded(summary, joined(*titled))


def _what_changed(scope: Scope, details: ReviewDetails) -> str:
    """The summary of the pull request, in _SUM_WORDS words for all batches together."""
    batches = [text for text in details.what_changed if text.strip()]
    each = _SUM_WORDS // max(len(batches), 1)
    said = bullets(markdown.prose(short_text(text, max(each, 1))) for text in batches[:_SUM_WORDS])
    if said:
        return said
    if not scope.files:
        return f"{counted(len(scope.skipped), 'file')}, not read."
    return f"{counted(len(scope.files), 'file')}; the reviewer did not sum the change up."


def _strengths(details: ReviewDetails) -> str:
    return bullets(f":white_check_mark: {each}" for each in details.strengths[:1])


def _resolved(resolved: Sequence[FindingUpdate], links: Links) -> str:
    rows = (f":white_check_mark: {words.name(each.finding, _thread(each, links))} -- resolved" for each in resolved)
    return joined(*rows)


def _still_open(still_open: Sequence[FindingUpdate], links: Links) -> str:
    if not still_open:
        return ""
    rows = (f"- {words.name(each.finding, _thread(each, links))}{_note(each)}" for each in still_open)
    return joined(f"{len(still_open)} still open.", markdown.folded("Show", "\n".join(rows)))
