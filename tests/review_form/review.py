"""The rules of a review's body: its folds, its sections and their findings, and a verdict that agrees with them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import dropwhile, pairwise, takewhile

from tests.review_form.forms import OLDER, RED, RESOLVED, STILL_OPEN, SUGGESTIONS, TEAM_RULES, TITLE, Form, Listed
from tests.review_form.reading import (
    CLOSING,
    GRAVE,
    NAMED,
    OF_A_RULE,
    OPENING,
    SEEN,
    Block,
    html,
    is_optional,
    severity,
)

DETAILS = "Review Details"
HEADLINE = re.compile(
    rf"(?P<label>:\w+: \*\*(?:[A-Z][\w :]+|{RED})\*\*)"
    rf"(?P<counts>(?: · (?:not blocking: )?[\w, ()]+)+)(?: · (?P<red>{RED}))?"
)
UNREAD = re.compile(r"Not (?:read|visible on GitHub): .+\.")
_TITLE = re.compile(r"Re-review -- Changes since [0-9a-f]{7}")
_BELOW = re.compile(r"^Not listed: [1-9][0-9]* below the severity floor [A-Z]+$", re.MULTILINE)
_LEFT_OUT = re.compile(r"The (?P<what>[\w ]+) were left out: this review would have been longer than GitHub takes\.")
_LETS_MERGE = re.compile(r"\bready\b|resolved|Nothing blocking", re.IGNORECASE)
_OLDER = re.compile(r" · ((?:[1-9][0-9]* older (?:CRITICAL|MAJOR), )+)not from this change(?= · |\Z)")
_COUNT = re.compile(r"([0-9]+) (new|resolved|dismissed|still open|critical|major|medium|minor)\b")
_REFUSED = "GitHub takes no comment on the lines of:"
_VISIBLE = rf"(?::new: )?{SEEN}"
_RULE_VISIBLE = re.compile(rf"(?::new: )?{OF_A_RULE}")
_STANDING = re.compile(
    r"(?P<what>Pass|Done|Cannot tell(?: whether done)?|Not applicable|Not asked for now): \S.*"
    r"|Overridden by \S.*: \S.*|[1-9][0-9]* rules? not checked: rules need a model"
)
_MOST_OLDER = 2
_IN_A_LIST = 3  # the level of the words of an entry that stands in no other list
_SETTLED = "Dismissed:"


def in_sight(placed: Sequence[Block]) -> list[str]:
    """The texts outside of all folds."""
    return [block.token.content for block in placed if not block.folds and block.token.type in {"inline", "fence"}]


def red_faults(said: re.Match[str]) -> list[str]:
    """A required check that failed stands in the place of a verdict that lets merge, and each failed one once."""
    red, label = said["red"] or "", said["label"]
    faults = [f"{label} over {red}"] if _LETS_MERGE.search(label) and red and "not required)" not in red else []
    return faults + ([f"{label} and {red}"] if re.search(RED, label) and (red or "not required)" in label) else [])


class Review:
    """A review's body in one of the forms."""

    def __init__(self, form: Form, placed: Sequence[Block]) -> None:
        self._form = form
        self._placed = [replace(each, section=self._named(each.section)) for each in placed]
        self._in_sight = in_sight(placed)
        self._titles = [self._named(title) for title in self._headings("h2")]
        notices = [found["what"] for text in self._in_sight if (found := _LEFT_OUT.fullmatch(text))]
        self._lacks_findings, self._lacks_details = (
            any(what in notice for notice in notices) for what in ("findings", "details")
        )
        details = (each.token.content for each in placed if each.folds == (DETAILS,) and each.is_text)
        self._has_more = any(map(_BELOW.search, details))

    def faults(self) -> Iterator[str]:
        """All faults, with their places."""
        yield from self._fold_faults()
        yield from self._heading_faults()
        yield from self._section_faults()
        yield from self._line_faults()
        yield from self._older_faults()
        yield from self._still_open_faults()
        yield from self._team_rules_faults()
        yield from self._verdict_faults()

    def _named(self, title: str) -> str:
        return TITLE if self._form.is_delta and _TITLE.fullmatch(title) else title

    def _headings(self, tag: str) -> list[str]:
        pairs = pairwise(self._placed)
        return [
            after.token.content
            for before, after in pairs
            if (before.token.type, before.token.tag) == ("heading_open", tag)
        ]

    def _texts(self, section: str) -> list[Block]:
        return [each for each in self._placed if each.section == section and each.is_text]

    def _severities(self, section: str, form: str = "") -> list[str]:
        form = form or self._form.sections.get(section, "")
        return [found for each in self._texts(section) if (found := severity(each.first_line, form))]

    @cached_property
    def _new(self) -> list[str]:
        """The severities of what the change brings: problems, in the folds and outside, and suggestions."""
        return [*self._severities(self._form.new), *self._visible, *self._severities(SUGGESTIONS)]

    @cached_property
    def _visible(self) -> list[str]:
        """The severities of findings that stand outside of the folds alone: not those whose comments were refused."""
        lines = [text.partition("\n")[0] for text in self._in_sight if _REFUSED not in self._in_sight]
        form = f":new: {SEEN}" if self._form.is_delta else SEEN
        return [found for line in lines if (found := severity(line, form))]

    def _fold_faults(self) -> Iterator[str]:
        """The summary, perhaps the details, both closed, outside of them only notices; "Still Open" has one within."""
        tags = html([block.token for block in self._placed])[:-1]
        strange = [tag.content.strip() for tag in tags if not _is_fold(tag.content.strip())]
        if strange or any(tag.level for tag in tags):
            yield f"a tag: {strange[0]}" if strange else "a fold that stands in another block"
            return
        opened = [
            each for each in self._placed if each.token.type == "html_block" and CLOSING not in each.token.content
        ]
        opened = opened[:-1]
        outer = [block.folds[0] for block in opened if len(block.folds) == 1]
        if outer not in ([self._form.summary], [self._form.summary, DETAILS]):
            yield f"folds {outer}"
        if len(tags) != 2 * len(opened) or self._placed[-1].folds:
            yield "a fold is left open or closed twice"
        for each in opened:
            if len(each.folds) > 1 and (each.section != STILL_OPEN or len(each.folds) > 2):
                yield f"a fold in “{each.section}”"
        yield from (f"outside the folds: {text}" for text in self._strange())

    def _strange(self) -> Iterator[str]:
        """Texts outside of the folds but the first line, unread files, blockers, rules that fail, and notices."""
        first_fold = next((at for at, block in enumerate(self._placed) if block.folds), len(self._placed))
        before = in_sight(self._placed[:first_fold])
        if before and HEADLINE.fullmatch(before[0]):
            before = [*dropwhile(UNREAD.fullmatch, before[1:])]
            if before and before[0] == _REFUSED:
                before = []
            elif before and _is_seen(before[0].partition("\n")[0]):
                lines = ((text, text.partition("\n")[0]) for text in before)
                before = [text for text, line in lines if severity(line, _VISIBLE) and not _is_seen(line)]
        yield from before
        yield from (text for text in in_sight(self._placed[first_fold:]) if not _LEFT_OUT.fullmatch(text))

    def _heading_faults(self) -> Iterator[str]:
        """Sections are those of the form, each once, in their order, none empty, and nothing stands outside of them."""
        levels = {block.token.tag for block in self._placed if block.token.type == "heading_open"}
        yield from (f"a heading {tag}" for tag in sorted(levels - {"h2"}))
        order = [*self._form.sections]
        known = [title for title in self._titles if title in order]
        yield from (f"“{title}” is no section of this form" for title in self._titles if title not in order)
        yield from (f"“{title}” stands twice" for title, times in Counter(known).items() if times > 1)
        if known != sorted(known, key=order.index):
            yield f"the order {known}"
        yield from (f"“{title}” is empty" for title in self._empty() if title != TITLE)
        for each in self._placed:
            if each.is_text and each.folds and each.folds[0] != DETAILS and each.section in ("", TITLE):
                yield f"words {'below the title' if each.section else 'before the first section'}"

    def _empty(self) -> Iterator[str]:
        """Headings that the next one or the end of the fold follows at once."""
        for before, after in pairwise(self._placed):
            if before.token.type == "heading_close" and after.token.type in {"heading_open", "html_block"}:
                yield before.section

    def _section_faults(self) -> Iterator[str]:
        """The sections of every review are there, and so is a reason to post it."""
        needed = [title for title in self._form.always if not (self._lacks_findings and title == "What Changed")]
        yield from (f"“{title}” is missing" for title in needed if title not in self._titles)
        if self._lacks_findings and set(self._titles) - set(needed):
            yield "findings, though it says that they were left out"
        told = {self._form.new, OLDER, SUGGESTIONS, RESOLVED, STILL_OPEN} & set(self._titles)
        if self._form.is_delta and not (told or self._lacks_findings or self._visible or self._is_about_reading):
            yield "nothing new, nothing resolved, nothing open"

    @property
    def _is_about_reading(self) -> bool:
        verdict = next((each.token.content for each in self._texts(self._form.always[-1])), "")
        return re.match(r":\w+: \*\*(?:Not fully reviewed|Nothing |Ready to merge|CI is red)", verdict) is not None

    def _line_faults(self) -> Iterator[str]:
        """Findings stand where they belong, in the form of their section; sections begin with one."""
        begun: set[str] = set()
        for block in (each for each in self._placed if each.folds == (self._form.summary,) and each.is_text):
            form = self._form.sections.get(block.section)
            line = block.token.content if block.section == RESOLVED else block.first_line
            told = severity(line, form) if form and block.is_paragraph else None
            alike = block.looks_like_findings[1 if told else 0 :]
            yield from (f"a finding in “{block.section}”: {line}" for line in alike)
            if not form:
                continue
            if not told and (block.section not in begun or block.section == RESOLVED):
                yield f"“{block.section}” has no finding here: {block.token.content}"
            begun.add(block.section)
            if told and block.section in (self._form.new, OLDER, SUGGESTIONS):
                yield from _preference_faults(block, told)

    def _older_faults(self) -> Iterator[str]:
        """The section of older problems has at most two findings, all of them severe."""
        found = self._severities(OLDER)
        if len(found) > _MOST_OLDER:
            yield f"{len(found)} findings in “{OLDER}”"
        yield from (f"a {each} finding in “{OLDER}”" for each in found if each not in GRAVE)

    def _still_open_faults(self) -> Iterator[str]:
        """A count, and one fold with a list of as many entries, without line numbers."""
        section = [each for each in self._placed if each.section == STILL_OPEN]
        if not section:
            return
        said = [each for each in self._texts(STILL_OPEN) if len(each.folds) <= 1]
        within = [each for each in section if len(each.folds) > 1]
        lists = [each.token.type for each in within if (each.token.level, each.token.nesting) == (0, 1)]
        if sum(each.token.type == "html_block" for each in within) != 2 or lists != ["bullet_list_open"]:
            yield "not one list in one fold"
        entries = [each.token for each in within if each.is_text]
        for each in entries:
            if each.level != _IN_A_LIST or not severity(each.content, NAMED):
                yield f"not an entry: {each.content}"
        if (line := _one_line(said)) is None:
            yield f"not one line in “{STILL_OPEN}”"
        elif line != f"{len(entries)} still open.":
            yield f"{len(entries)} entries, and it says “{line}”"

    def _team_rules_faults(self) -> Iterator[str]:
        """One list of the rules that do not fail: each result at most once, and each override."""
        results = [(each.token, _STANDING.fullmatch(each.token.content)) for each in self._texts(TEAM_RULES)]
        section = [each.token for each in self._placed if each.section == TEAM_RULES]
        lists = sum(each.type == "bullet_list_open" and each.level == 0 for each in section)
        if results and lists != 1:
            yield f"{lists} lists in “{TEAM_RULES}”"
        for token, found in results:
            if found is None or token.level != _IN_A_LIST:
                yield f"not the standing of rules: {token.content}"
        told = Counter(found["what"] for _, found in results if found is not None and found["what"])
        yield from (f"“{what}” stands twice" for what, times in told.items() if times > 1)

    def _verdict_faults(self) -> Iterator[str]:
        """The verdict is one of the form's, and agrees with what is listed, as does the first line of the review."""
        section = self._form.always[-1]
        said = _one_line(self._texts(section))
        if said is None:
            yield f"not one line in “{section}”"
            return
        listed, label = self._listed, re.sub(rf"; {RED}\Z", "", said) if self._form.is_delta else said
        for verdict in self._form.verdicts:
            if found := re.fullmatch(verdict.line, label):
                numbers = (int(found.groupdict().get(name) or 0) for name in ("number", "before"))
                if not (verdict.counts and self._lacks_findings) and not verdict.agrees(listed, *numbers):
                    yield f"the verdict “{said}” on {listed}"
                break
        else:
            yield f"the verdict “{said}” is none"
        headline = HEADLINE.fullmatch(next(iter(self._in_sight), ""))
        if headline is None:
            yield "no verdict on the first line"
            return
        if not said.startswith(f"{headline['label']} -- "):
            yield f"the first line says “{headline['label']}”"
        told = Counter[str]()
        for number, what in _COUNT.findall(headline["counts"]):
            told[what] += int(number)
        counts = self._counts(headline["label"])
        yield from (f"{told[what]} {what} on the first line" for what in counts if told[what] != counts[what])
        yield from red_faults(headline)
        yield from self._older_count_faults(headline["counts"])

    def _older_count_faults(self, counts: str) -> Iterator[str]:
        """The first line counts the older problems by severity, and the most severe ones of them are listed."""
        told = [
            each
            for group in _OLDER.findall(counts)
            for number, each in re.findall(r"([0-9]+) older (\w+)", group)
            for _ in range(int(number))
        ]
        listed = self._severities(OLDER)
        if told[:_MOST_OLDER] != listed and not self._lacks_findings:
            yield f"the older problems {told} on the first line, {listed} in “{OLDER}”"

    def _counts(self, label: str) -> dict[str, int]:
        """The counts of the first line, as far as they are listed."""
        if self._lacks_findings:
            return {}
        if not self._form.is_delta:
            names = () if self._has_more else ("CRITICAL", "MAJOR", "MEDIUM", "MINOR")
            return {name.lower(): self._new.count(name) for name in names}
        if "Ready to merge" in label:
            return {}
        counts = {"resolved": len(self._texts(RESOLVED)), "still open": max(len(self._texts(STILL_OPEN)) - 1, 0)}
        return {**counts, "new": self._listed.new} if self._listed.new_is_whole else counts

    @cached_property
    def _listed(self) -> Listed:
        return Listed(
            new=len(self._new),
            some=bool(self._new or self._severities(OLDER) or self._has_more),
            new_is_whole=not self._has_more,
            new_blockers=_grave(self._new),
            open_blockers=_grave(self._severities(STILL_OPEN, NAMED)),
            gone_blockers=_grave([*self._severities(RESOLVED), *self._settled()]),
            gone_is_whole=not self._lacks_details,
        )

    def _settled(self) -> list[str]:
        """The severities of what people settled, as the details list them."""
        texts = [each for each in self._placed if each.folds == (DETAILS,) and each.is_text]
        after = dropwhile(lambda each: not (each.is_paragraph and each.token.content == _SETTLED), texts)
        entries = takewhile(lambda each: not each.is_paragraph, [*after][1:])
        return [found for each in entries if (found := severity(each.token.content, NAMED))]


def _is_seen(line: str) -> bool:
    """Whether a finding's line stands outside of the folds: it blocks, or a rule fails."""
    return severity(line, _VISIBLE) in GRAVE or _RULE_VISIBLE.fullmatch(line) is not None


def _is_fold(tag: str) -> bool:
    return tag == CLOSING or OPENING.fullmatch(tag) is not None


def _one_line(texts: Sequence[Block]) -> str | None:
    """The one line that these texts are, if they are."""
    one = len(texts) == 1 and texts[0].is_paragraph and "\n" not in texts[0].token.content
    return texts[0].token.content if one else None


def _preference_faults(block: Block, told: str) -> Iterator[str]:
    """An optional finding is a suggestion and is not severe, and a suggestion is optional."""
    _, newline, explanation = block.token.content.partition("\n")
    is_suggestion = block.section == SUGGESTIONS
    if told in GRAVE and is_suggestion:
        yield "a severe suggestion"
    if newline and is_suggestion != is_optional(explanation):
        yield "a suggestion that is not optional" if is_suggestion else f"a suggestion in “{block.section}”"


def _grave(severities: Sequence[str]) -> int:
    return sum(each in GRAVE for each in severities)
