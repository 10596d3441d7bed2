"""The two forms of the review as the pull request's author reads it, composed from what was judged."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.changes.scope import Scope
from kodiai.core.findings.delta import Delta
from kodiai.core.findings.finding import Finding, Kind, rank
from kodiai.core.findings.judgement import SuppressedFinding, is_shown
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.findings.ruling import short_text
from kodiai.core.words import finding as words
from kodiai.core.words import markdown
from kodiai.core.words.details import ReviewDetails, details_text
from kodiai.core.words.links import Links
from kodiai.core.words.markers import review_marker
from kodiai.core.words.verdict import headline, headline_again, verdict_line, verdict_update

_FIRST = "Kodiai Review Summary"
_AGAIN = "Kodiai Re-Review Summary"
_MOST_ALONG = 2
_MOST_STRENGTHS = 2
_MOST_SUGGESTIONS = 2
_SUM_WORDS = 60
_SENTENCE_WORDS = 30
_REFUSED = "GitHub takes no comment on the lines of:"


@dataclass(frozen=True)
class Listed:
    """An open finding as a body lists it. `href` is its thread, or else its lines at the head.

    `has_comment` is whether an inline comment has its text, of this review or of an earlier one. `note` ends its line.
    """

    finding: Finding
    href: str | None
    has_comment: bool
    note: str = ""

    @property
    def is_visible(self) -> bool:
        """Whether it stands outside the folds: it blocks, and nothing else on the page says why."""
        return self.finding.blocks and not self.has_comment

    def told(self, *, explain: bool) -> str:
        """Its line, and its text where no comment has it; a MINOR one is a line alone."""
        explain = explain and not self.has_comment and self.finding.severity != "MINOR"
        return f"{self.line}\n{words.text(self.finding)}".rstrip() if explain else self.line

    @property
    def line(self) -> str:
        """Its line, linked, with what is to be known beyond its title."""
        return f"{words.place(self.finding, self.href)}{self.note}"


def refused(body: str, findings: Sequence[Finding], links: Links) -> str:
    """Put the texts of findings, whose comments GitHub refused, below the first line of a review's body.

    Where it would be longer than GitHub takes, the body stays as it is.
    """
    first, _, rest = body.partition("\n\n")
    told = (Listed(finding, links.lines(finding), has_comment=False).told(explain=True) for finding in findings)
    whole = words.joined(first, _REFUSED, *told, rest)
    return whole if len(whole) <= words.BODY_LIMIT else body


def open_list(delta: Delta, links: Links) -> list[Listed]:
    """Everything that is open, the most severe first."""
    return sorted([*_new_list(delta, links), *_old_list(delta, links)], key=lambda each: rank(each.finding))


def _new_list(delta: Delta, links: Links) -> list[Listed]:
    return [Listed(kept.finding, links.lines(kept.finding), kept.inline) for kept in delta.new]


def _old_list(delta: Delta, links: Links) -> list[Listed]:
    return [
        Listed(_as_raised(each), _thread(each, links), each.known.comment_id is not None, _note(each))
        for each in delta.still_open
    ]


def _as_raised(followed: FindingUpdate) -> Finding:
    """The finding as it stands now; of one that became more severe, why."""
    if followed.turn != "raised" or not followed.why:
        return followed.finding
    return followed.finding.model_copy(update={"problem": followed.why})


def _note(followed: FindingUpdate) -> str:
    return " -- the author disagrees" if followed.author_disagrees else ""


def _thread(followed: FindingUpdate, links: Links) -> str | None:
    comment_id = followed.known.comment_id
    return links.comment(comment_id) if comment_id is not None else links.lines(followed.finding)


def first_review(scope: Scope, delta: Delta, dropped: Sequence[SuppressedFinding], details: ReviewDetails) -> str:
    """Compose the first-review form over everything that is open, its details, and the marker of run and head."""
    listed = open_list(delta, details.links)

    def summary(*, explain: bool) -> str:
        folded = [each for each in _shown(listed, details) if not each.is_visible]
        sections = [
            ("What Changed", _what_changed(scope, details)),
            ("Strengths", _strengths(details)),
            ("Observations", _observations(folded, explain)),
            ("Found Along the Way", _along_the_way(listed, explain)),
            ("Suggestions", _suggestions(details)),
            ("Verdict", verdict_line(delta)),
        ]
        visible = (each.told(explain=explain) for each in listed if each.is_visible)
        return words.joined(*visible, _sections(_FIRST, sections))

    least = _sections(_FIRST, [("Verdict", verdict_line(delta))])
    return _fitting(headline(delta).markdown, summary, least, details_text(scope, delta, dropped, details), details)


def re_review(
    scope: Scope, delta: Delta, dropped: Sequence[SuppressedFinding], details: ReviewDetails, last_head: str
) -> str:
    """Compose the delta form: only what has changed since `last_head`, and the verdict over everything that is open."""
    since = (f"Re-review -- Changes since {last_head[:7]}", "")
    verdict = ("Verdict Update", verdict_update(delta))
    listed = _new_list(delta, details.links)

    def summary(*, explain: bool) -> str:
        folded = [each for each in _shown(listed, details) if not each.is_visible]
        sections = [
            since,
            ("What Changed", _what_changed(scope, details)),
            ("New Findings", words.joined(*(_as_new(each, explain=explain) for each in folded))),
            ("Found Along the Way", _along_the_way(listed, explain)),
            ("Resolved Findings", _resolved(delta.resolved, details.links)),
            ("Still Open", _still_open(delta.still_open, details.links)),
            verdict,
        ]
        visible = (_as_new(each, explain=explain) for each in listed if each.is_visible)
        before = (each.told(explain=explain) for each in _old_list(delta, details.links) if each.is_visible)
        return words.joined(*visible, *before, _sections(_AGAIN, sections))

    least = _sections(_AGAIN, [since, verdict])
    return _fitting(
        headline_again(delta).markdown, summary, least, details_text(scope, delta, dropped, details), details
    )


def _as_new(listed: Listed, *, explain: bool) -> str:
    return f":new: {listed.told(explain=explain)}"


def _shown(listed: Iterable[Listed], details: ReviewDetails) -> list[Listed]:
    """What is listed: as severe as the repository wants it, or blocking. Older problems have their own section."""
    brought = (each for each in listed if not each.finding.is_along)
    return [each for each in brought if each.finding.blocks or is_shown(each.finding, details.floor)]


def _along_the_way(listed: Iterable[Listed], explain: bool) -> str:
    """The most severe problems that were there before; the others are left to the ledger."""
    along = [each for each in listed if each.finding.is_along]
    return words.joined(*(each.told(explain=explain) for each in along[:_MOST_ALONG]))


def _fitting(first: str, summary: Callable[..., str], least: str, all_details: str, details: ReviewDetails) -> str:
    """At most 65,536 characters: texts, then the details, then all but the verdict give way, and it says so."""
    marker = review_marker(details.run, details.head)
    room = words.BODY_LIMIT - len(marker) - 2
    short = summary(explain=False)
    forms = (
        words.joined(first, summary(explain=True), all_details),
        words.joined(first, short, _cut("explanations"), all_details),
        words.joined(first, short, _cut("explanations and the details")),
    )
    smallest = words.joined(first, least, _cut("findings and the details"))
    body = next((form for form in forms if len(form) <= room), smallest)
    return f"{body}\n\n{marker}"


def _cut(what: str) -> str:
    return f"The {what} were left out: this review would have been longer than GitHub takes."


def _sections(summary: str, sections: Sequence[tuple[str, str]]) -> str:
    """Fold the sections; an empty one is left out, but for the title of a re-review."""
    titled = [words.joined(f"## {title}", text) for title, text in sections if text or title.startswith("Re-review")]
    return markdown.folded(summary, words.joined(*titled))


def _what_changed(scope: Scope, details: ReviewDetails) -> str:
    """What the pull request does, in _SUM_WORDS words for all batches together."""
    batches = [text for text in details.what_changed if text.strip()]
    each = _SUM_WORDS // max(len(batches), 1)
    said = words.bullets(markdown.prose(short_text(text, max(each, 1))) for text in batches[:_SUM_WORDS])
    if said:
        return said
    if not scope.files:
        return f"{words.counted(len(scope.skipped), 'file')}, not read."
    return f"{words.counted(len(scope.files), 'file')}; the reviewer did not sum the change up."


def _strengths(details: ReviewDetails) -> str:
    shown = details.strengths[:_MOST_STRENGTHS]
    return words.bullets(f":white_check_mark: {each}" for each in shown)


def _suggestions(details: ReviewDetails) -> str:
    rows = (markdown.line(short_text(text, _SENTENCE_WORDS)) for text in details.suggestions[:_MOST_SUGGESTIONS])
    return words.bullets(rows)


def _observations(listed: Sequence[Listed], explain: bool) -> str:
    def group(kind: Kind, title: str) -> str:
        rows = [each.told(explain=explain) for each in listed if each.finding.kind == kind]
        return words.joined(f"### {title}", *rows) if rows else ""

    return words.joined(group("impact", "Impact"), group("preference", "Preference"))


def _resolved(resolved: Sequence[FindingUpdate], links: Links) -> str:
    rows = (f":white_check_mark: {words.name(each.finding, _thread(each, links))} -- resolved" for each in resolved)
    return words.joined(*rows)


def _still_open(still_open: Sequence[FindingUpdate], links: Links) -> str:
    if not still_open:
        return ""
    rows = (f"- {words.name(each.finding, _thread(each, links))}{_note(each)}" for each in still_open)
    return words.joined(f"{len(still_open)} still open.", markdown.folded("Show", "\n".join(rows)))
