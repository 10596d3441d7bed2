"""What holds for everything that is posted, and for both forms of a review."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, pairwise

from markdown_it.token import Token

from tests.review_form.reading import (
    CLOSING,
    GRAVE,
    OPENING,
    OUR_LINK,
    PLACED,
    Block,
    everything,
    html,
    is_suggestion,
    severity,
)

LONGEST = 65_536
DETAILS = "Review Details"
ALONG = "Found Along the Way"
_BELOW = re.compile(r"^Not listed: [1-9][0-9]* below the severity floor [A-Z]+$", re.MULTILINE)
_LEFT_OUT = re.compile(r"The [\w ]+ were left out: this review would have been longer than GitHub takes\.")
RED = r"CI is red \([^\n]+\)"
HEADLINE = re.compile(
    rf"(?P<label>:\w+: \*\*(?:[A-Z][\w :]+|{RED})\*\*)(?P<counts>(?: · [\w, ]+)+)(?: · (?P<red>{RED}))?"
)
_LETS_MERGE = re.compile(r"\bready\b|resolved|Nothing blocking", re.IGNORECASE)
_COUNT = re.compile(r"([0-9]+) (new|resolved|dismissed|still open|critical|major|medium|minor)\b")
UNREAD = re.compile(r"Not (?:read|visible on GitHub): .+\.")
_REFUSED = "GitHub takes no comment on the lines of:"
VISIBLE = rf"(?::new: )?{PLACED}"
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]")
_ADDRESS = re.compile(r"(https?|ftp)://|(?<![A-Za-z0-9])www\.")


def text_faults(body: str, tokens: Sequence[Token], marker: re.Pattern[str]) -> list[str]:
    """What is wrong with any text of ours: too long, without its marker or with another, reaching beyond itself."""
    return [
        *([f"{len(body)} characters"] if len(body) > LONGEST else []),
        *_marker_faults(tokens, marker),
        *reach_faults(tokens),
    ]


def _marker_faults(tokens: Sequence[Token], marker: re.Pattern[str]) -> list[str]:
    last = tokens[-1].content.strip() if tokens and tokens[-1].type == "html_block" else ""
    comments = sum(token.content.count("<!--") for token in html(tokens))
    return ([] if marker.fullmatch(last) else ["no marker at the end"]) + (["a comment"] if comments > 1 else [])


def reach_faults(tokens: Sequence[Token]) -> list[str]:
    """What would lead away, load something, or call somebody."""
    types = {token.type for token in everything(tokens)}
    links = [str(token.attrs["href"]) for token in everything(tokens) if token.type == "link_open"]
    faults = [f"a link to {href}" for href in links if not OUR_LINK.fullmatch(href)]
    faults += ["a table"] if "table_open" in types else []
    faults += ["an image"] if "image" in types else []
    for token in tokens:
        if token.type == "inline":
            text = "".join(child.content if child.type == "text" else "\0" for child in token.children or ())
            shown = "".join(child.content if child.type.startswith("text") else "\0" for child in token.children or ())
            faults += ["an address that becomes a link"] if _ADDRESS.search(text) else []
            faults += ["a mention"] if _MENTION.search(shown) else []
    return faults


def fold_faults(placed: Sequence[Block], summary: str, nested_in: str | None = None) -> list[str]:
    """The summary, perhaps the details, both closed, nothing beside them but notices; a fold within in one section."""
    tags = html([block.token for block in placed])[:-1]
    strange = [tag.content.strip() for tag in tags if not _is_fold(tag)]
    if strange:
        return [f"a tag: {strange[0]}"]
    if any(tag.level for tag in tags):
        return ["a fold that stands in another block"]
    opened = [block for block in placed if block.token.type == "html_block" and CLOSING not in block.token.content][:-1]
    outer = [block.folds[0] for block in opened if len(block.folds) == 1]
    faults = [] if outer in ([summary], [summary, DETAILS]) else [f"folds {outer}"]
    faults += ["a fold is left open or closed twice"] if len(tags) != 2 * len(opened) or placed[-1].folds else []
    inner = [block for block in opened if len(block.folds) > 1]
    faults += [f"a fold in “{each.section}”" for each in inner if each.section != nested_in or len(each.folds) > 2]
    return faults + [f"outside the folds: {text}" for text in _strange(placed)]


def _strange(placed: Sequence[Block]) -> Iterator[str]:
    """Texts outside of the folds that are no first line, no files that were not read, no blocker and no notice."""
    first_fold = next((at for at, block in enumerate(placed) if block.folds), len(placed))
    before = list(beside(placed[:first_fold]))
    if before and HEADLINE.fullmatch(before[0]):
        before = [*dropwhile(UNREAD.fullmatch, before[1:])]
        if before and before[0] == _REFUSED:
            before = []
        elif before and severity(before[0].partition("\n")[0], VISIBLE) in GRAVE:
            before = [text for text in before if severity(text.partition("\n")[0], VISIBLE) not in {*GRAVE, None}]
    yield from before
    yield from (text for text in beside(placed[first_fold:]) if not _LEFT_OUT.fullmatch(text))


def visible(placed: Sequence[Block], form: str = PLACED) -> list[str]:
    """The severities of the findings that stand outside of the folds alone: not those whose comments were refused."""
    texts = list(beside(placed))
    if _REFUSED in texts:
        return []
    return [found for text in texts if (found := severity(text.partition("\n")[0], form))]


def first_line_faults(placed: Sequence[Block], verdict: str, counts: Mapping[str, int]) -> list[str]:
    """The first line has the label of the verdict, and no other counts than what is listed, where that is known."""
    said = HEADLINE.fullmatch(next(beside(placed), ""))
    if said is None:
        return ["no verdict on the first line"]
    faults = [] if verdict.startswith(f"{said['label']} -- ") else [f"the first line says “{said['label']}”"]
    told = Counter[str]()
    for number, what in _COUNT.findall(said["counts"]):
        told[what] += int(number)
    faults += [f"{told[what]} {what} on the first line" for what in counts if told[what] != counts[what]]
    return faults + red_faults(said)


def red_faults(said: re.Match[str]) -> list[str]:
    """A required check that failed stands in the place of a verdict that lets merge, and each failed one once."""
    red, label = said["red"] or "", said["label"]
    faults = [f"{label} over {red}"] if _LETS_MERGE.search(label) and red and "not required)" not in red else []
    return faults + ([f"{label} and {red}"] if re.search(RED, label) and (red or "not required)" in label) else [])


def _is_fold(tag: Token) -> bool:
    return tag.content.strip() == CLOSING or OPENING.fullmatch(tag.content.strip()) is not None


def beside(placed: Sequence[Block]) -> Iterator[str]:
    """What is said outside of all folds."""
    return (block.token.content for block in placed if not block.folds and block.token.type in {"inline", "fence"})


def left_out(placed: Sequence[Block], what: str) -> bool:
    """Whether the review says that these had to be left out."""
    notices = [text for text in beside(placed) if _LEFT_OUT.fullmatch(text)]
    return any(what in notice.split(" were ")[0] for notice in notices)


def heading_faults(placed: Sequence[Block], titles: Sequence[str], order: Sequence[str]) -> list[str]:
    """Sections are those of the form, each once, in their order, none empty, and nothing stands outside of them."""
    known = [title for title in titles if title in order]
    faults = [f"“{title}” is no section of this form" for title in titles if title not in order]
    faults += [f"“{title}” stands twice" for title, times in Counter(known).items() if times > 1]
    faults += [] if known == sorted(known, key=order.index) else [f"the order {known}"]
    faults += [f"“{title}” is empty" for title in _empty(placed)]
    stray = [block for block in placed if block.folds and block.folds[0] != DETAILS and not block.section]
    return faults + ["words before the first section" for block in stray if block.is_text]


def _empty(placed: Sequence[Block]) -> Iterator[str]:
    """Headings that the next one, of the same or a higher level, or the end of the fold follows at once."""
    for before, after in pairwise(placed):
        if before.token.type == "heading_close":
            deeper = after.token.type == "heading_open" and after.token.tag > before.token.tag
            if after.token.type in {"heading_open", "html_block"} and not deeper:
                yield before.group or before.section


def headings(placed: Sequence[Block], tag: str) -> list[str]:
    """The headings of one level."""
    return [after.token.content for before, after in pairwise(placed) if _opens(before.token, tag)]


def level_faults(placed: Sequence[Block], *tags: str) -> list[str]:
    """No headings of other levels than these."""
    others = {block.token.tag for block in placed if block.token.type == "heading_open"} - set(tags)
    return [f"a heading {tag}" for tag in sorted(others)]


def _opens(token: Token, tag: str) -> bool:
    return token.type == "heading_open" and token.tag == tag


def one_line(placed: Sequence[Block], section: str, faults: list[str]) -> str | None:
    """The one line that a section consists of; where it is none, a fault is noted."""
    texts = [block for block in placed if block.section == section and block.is_text]
    if len(texts) == 1 and texts[0].is_paragraph and "\n" not in texts[0].token.content:
        return texts[0].token.content
    faults.append(f"not one line in “{section}”: {[block.token.content for block in texts]}")
    return None


def along_the_way(placed: Sequence[Block]) -> list[str | None]:
    """The severities of the problems of before, None for a paragraph that begins no finding."""
    texts = [each for each in placed if each.section == ALONG and each.is_text]
    return [severity(each.token.content.partition("\n")[0], PLACED) if each.is_paragraph else None for each in texts]


def along_faults(placed: Sequence[Block]) -> list[str]:
    """The section of problems of before begins with a finding, and has at most two, all of them severe."""
    told = along_the_way(placed)
    found = [each for each in told if each]
    return [
        *([f"“{ALONG}” does not begin with a finding"] if told and not told[0] else []),
        *([f"{len(found)} findings in “{ALONG}”"] if len(found) > 2 else []),
        *(f"a {each} finding in “{ALONG}”" for each in found if each not in GRAVE),
    ]


def is_cut_to_the_floor(placed: Sequence[Block]) -> bool:
    """Whether the details say that findings count which are not listed."""
    return any(each.folds == (DETAILS,) and _BELOW.search(each.token.content) for each in placed if each.is_text)


def suggestion_faults(tokens: Sequence[Token]) -> list[str]:
    """Nothing in a review's body is offered for one click."""
    return ["a suggestion in a review's body"] if any(is_suggestion(token) for token in tokens) else []
