"""Faults of posted texts: a review's body in either form, an inline comment, a reply."""

import re
from collections.abc import Iterator, Sequence

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
    r" severity=[A-Z]+ category=[a-z]+ kind=(?:impact|preference)(?: pre_existing=true)? -->"
)
_REPLY = re.compile(
    r"<!-- kodiai:reply run=[\w-]+ finding=F-[0-9a-f]{12}(?: said=(?:fixed|conceded|disputed|raised))? -->"
    r"|<!-- kodiai:answer to=[A-Za-z0-9-]+ -->"
)
_MOST_WORDS = 65
_GREEN = "CI is green now."
_LONGEST = 65_536
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]")
_ADDRESS = re.compile(r"(https?|ftp)://|(?<![A-Za-z0-9])www\.")
_TEXTS = frozenset({"inline", "fence", "code_block"})
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
    last = max((at for at, block in enumerate(placed) if not block.folds and block.token.type in _TEXTS), default=-1)
    suggestions = [at for at, token in enumerate(tokens) if is_suggestion(token)]
    texts = [each.token.content for each in placed if not each.folds and each.token.type == "inline"]
    words = sum(len(text.split()) for text in texts[1:])
    optional = len(paragraphs) > 1 and paragraphs[1].startswith("Optional:")
    return [
        *_text_faults(body, tokens, _FINDING),
        *_comment_fold_faults(placed),
        *_heading_faults(tokens),
        *([f"{words} words below the title"] if words > _MOST_WORDS else []),
        *(["a suggestion that is not the last block outside the folds"] if suggestions not in ([], [last]) else []),
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
    """The steps of a problem, where there are any, then the plain text for an agent, each in a closed fold."""
    tags = html([block.token for block in placed])[:-1]
    strange = [tag.content.strip() for tag in tags if OPENING.fullmatch(tag.content.strip()) is None]
    faults = [f"a tag: {tag}" for tag in strange if tag != CLOSING]
    opened = [found[1] for tag in tags if (found := OPENING.fullmatch(tag.content.strip()))]
    faults += [] if opened in (["For an AI agent"], ["How it happens", "For an AI agent"]) else [f"folds {opened}"]
    texts = [block.token for block in placed if block.folds == ("For an AI agent",) and block.is_text]
    plain = [token.type for token in texts] == ["fence"] and texts[0].info == "text"
    return faults + ([] if plain else ["an agent is not given plain text"])


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
