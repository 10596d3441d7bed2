"""Faults of posted texts: a review's body in either form, an inline comment, a reply."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from markdown_it.token import Token

from tests.review_form.forms import AGAIN, FIRST
from tests.review_form.reading import (
    CLOSING,
    GRAVE,
    OPENING,
    OUR_LINK,
    Block,
    blocks,
    everything,
    html,
    is_optional,
    is_suggestion,
    parse,
    severity,
)
from tests.review_form.review import HEADLINE, UNREAD, Review, in_sight, red_faults

_FORMS = {form.summary: form for form in (FIRST, AGAIN)}
_REVIEW = re.compile(r"<!-- kodiai:review run=[\w-]+ head=[0-9a-f]{40} -->")
_LISTED = re.compile(r"<!-- kodiai:findings\n(?:\{(?:(?!--)[^\n<>])+\}\n)+-->\n\n(?=<!-- kodiai:review [^\n]+-->\Z)")
_FINDING = re.compile(
    r"<!-- kodiai:finding id=F-[0-9a-f]{12}"
    r" severity=[A-Z]+ category=[a-z]+ kind=(?:impact|preference)(?: pre_existing=true)?(?: rule=[a-z0-9-]+)? -->"
)
_REPLY = re.compile(
    r"<!-- kodiai:reply run=[\w-]+ finding=F-[0-9a-f]{12}"
    r"(?: said=(?:fixed|partly|open|conceded|disputed|raised|settled|reopened|kept))? -->"
    r"|<!-- kodiai:answer to=[A-Za-z0-9-]+ -->"
)
_MOST_WORDS = 50
_MOST_FOLDED_WORDS = 60
_GREEN = "CI is green now."
_LONGEST = 65_536
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]")
_ADDRESS = re.compile(r"(https?|ftp)://|(?<![A-Za-z0-9])www\.")
_TEXTS = frozenset({"inline", "fence", "code_block", "hr"})
_TITLE = r"\*\*\[(?P<severity>CRITICAL|MAJOR|MEDIUM|MINOR)\] .*\*\*"


def review_faults(body: str) -> list[str]:
    """The faults of a review's body, in the form that its summary line names.

    Before its marker it may list findings, hidden: one on each line, and nothing of them ends the comment.
    """
    tokens = parse(_LISTED.sub("", body))
    placed = blocks(tokens)
    faults = [*_text_faults(body, tokens, _REVIEW)]
    faults += ["a suggestion in a review's body"] if any(map(is_suggestion, tokens)) else []
    summary = next((found for line in body.split("\n") if (found := OPENING.fullmatch(line))), None)
    form = _FORMS.get(summary[1]) if summary else None
    return [*faults, *(Review(form, placed).faults() if form else _approval_faults(placed))]


def _approval_faults(placed: Sequence[Block]) -> list[str]:
    """The short form: a verdict that lets merge, the files that were not read, and why it is given now."""
    first, *others = [*in_sight(placed), ""]
    said = HEADLINE.fullmatch(first)
    if said is None or [text for text in others if text and not UNREAD.fullmatch(text)] != [_GREEN]:
        return ["none of the three forms"]
    return red_faults(said) + ([] if "Ready to merge" in said["label"] else [f"{said['label']} is approved"])


def comment_faults(body: str) -> list[str]:
    """The faults of an inline comment."""
    tokens = parse(body)
    paragraphs = [token.content for token in tokens if token.type == "inline" and token.level == 1]
    told = severity(paragraphs[0], _TITLE) if paragraphs and body.startswith(paragraphs[0]) else None
    placed = blocks(tokens)
    words = _words(each for each in placed if not each.folds) - len(paragraphs[0].split() if paragraphs else ())
    folded = _words(each for each in placed if each.folds)
    below = next(islice((each for each in placed if each.is_text), 1, None), None)
    optional = below is not None and below.is_paragraph and is_optional(below.token.content)
    return [
        *_text_faults(body, tokens, _FINDING),
        *_comment_fold_faults(placed),
        *_heading_faults(tokens),
        *_suggestion_faults(placed),
        *([f"{words} words below the title"] if words > _MOST_WORDS else []),
        *([f"{folded} words in the fold"] if folded > _MOST_FOLDED_WORDS else []),
        *([] if told else ["no severity and title at the beginning"]),
        *(["a severe preference"] if told in GRAVE and optional else []),
    ]


def reply_faults(body: str) -> list[str]:
    """The faults of a reply in a thread, or of an answer to somebody."""
    tokens = parse(body)
    return [
        *_text_faults(body, tokens, _REPLY),
        *(["a tag"] if len(html(tokens)) > 1 else []),
        *_heading_faults(tokens),
        *(["a suggestion in a reply"] if any(is_suggestion(token) for token in tokens) else []),
        *([] if tokens and tokens[0].type == "paragraph_open" else ["no words at the beginning"]),
    ]


def _comment_fold_faults(placed: Sequence[Block]) -> list[str]:
    """The steps of a problem, where there are any, in a closed fold."""
    tags = html([block.token for block in placed])[:-1]
    strange = [tag.content.strip() for tag in tags if OPENING.fullmatch(tag.content.strip()) is None]
    faults = [f"a tag: {tag}" for tag in strange if tag != CLOSING]
    opened = [found[1] for tag in tags if (found := OPENING.fullmatch(tag.content.strip()))]
    return faults + ([] if opened in ([], ["How it happens"]) else [f"folds {opened}"])


def _suggestion_faults(placed: Sequence[Block]) -> Iterator[str]:
    """One suggestion at most, outside the fold; what goes wrong comes before it, and the words of the fix after it."""
    found = [at for at, block in enumerate(placed) if is_suggestion(block.token)]
    seen = [at for at, block in enumerate(placed) if not block.folds and block.token.type in _TEXTS]
    texts = [at for at in seen if at not in found]
    if len(found) > 1:
        yield f"{len(found)} suggestions"
    if any(placed[at].folds for at in found):
        yield "a suggestion in a fold"
    if found and len(texts) > 1 and found[0] < texts[1]:
        yield "a suggestion before the problem"


def _words(placed: Iterable[Block]) -> int:
    return sum(len(each.token.content.split()) for each in placed if each.token.type == "inline")


def _heading_faults(tokens: Sequence[Token]) -> list[str]:
    return ["a heading"] if any(token.type == "heading_open" for token in tokens) else []


def _text_faults(body: str, tokens: Sequence[Token], marker: re.Pattern[str]) -> Iterator[str]:
    """The faults of any text of ours: too long, without its marker or with another, reaching beyond itself."""
    if len(body) > _LONGEST:
        yield f"{len(body)} characters"
    if not marker.fullmatch(tokens[-1].content.strip() if tokens and tokens[-1].type == "html_block" else ""):
        yield "no marker at the end"
    if sum(token.content.count("<!--") for token in html(tokens)) > 1:
        yield "a comment"
    yield from reach_faults(tokens)


def reach_faults(tokens: Sequence[Token]) -> Iterator[str]:
    """Parts that would lead away, load something, or call somebody."""
    types = {token.type for token in everything(tokens)}
    links = [str(token.attrs["href"]) for token in everything(tokens) if token.type == "link_open"]
    yield from (f"a link to {href}" for href in links if not OUR_LINK.fullmatch(href))
    yield from (f"{what}" for what, type_ in (("a table", "table_open"), ("an image", "image")) if type_ in types)
    for token in tokens:
        if token.type == "inline":
            text = "".join(child.content if child.type == "text" else "\0" for child in token.children or ())
            shown = "".join(child.content if child.type.startswith("text") else "\0" for child in token.children or ())
            yield from ["an address that becomes a link"] * bool(_ADDRESS.search(text))
            yield from ["a mention"] * bool(_MENTION.search(shown))
