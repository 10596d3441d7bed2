"""What is wrong with what is posted: a review's body in either form, an inline comment, a reply."""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from tests.review_form import again, first
from tests.review_form.reading import (
    CLOSING,
    GRAVE,
    OPENING,
    Block,
    blocks,
    html,
    is_suggestion,
    parse,
    severity,
)
from tests.review_form.shared import HEADLINE, UNREAD, beside, red_faults, suggestion_faults, text_faults

_FORMS = {first.SUMMARY: first.first_review_faults, again.SUMMARY: again.re_review_faults}
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
_TEXTS = frozenset({"inline", "fence", "code_block"})
_TITLE = r"\*\*\[(?P<severity>CRITICAL|MAJOR|MEDIUM|MINOR)\] .*\*\*"


def review_faults(body: str) -> list[str]:
    """What is wrong with a review's body, in the form that its summary line names.

    Before its marker it may list findings, hidden: one on each line, and nothing of them ends the comment.
    """
    tokens = parse(_LISTED.sub("", body))
    faults = [*text_faults(body, tokens, _REVIEW), *suggestion_faults(tokens)]
    summary = next((found for line in body.split("\n") if (found := OPENING.fullmatch(line))), None)
    form = _FORMS.get(summary[1]) if summary else None
    return [*faults, *(form or _approval_faults)(blocks(tokens))]


def _approval_faults(placed: Sequence[Block]) -> list[str]:
    """The short form: a verdict that lets merge, the files that were not read, and why it is given now."""
    first, *others = [*beside(placed), ""]
    said = HEADLINE.fullmatch(first)
    if said is None or [text for text in others if text and not UNREAD.fullmatch(text)] != [_GREEN]:
        return ["none of the three forms"]
    return red_faults(said) + ([] if "Ready to merge" in said["label"] else [f"{said['label']} is approved"])


def comment_faults(body: str) -> list[str]:
    """What is wrong with an inline comment."""
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
        *text_faults(body, tokens, _FINDING),
        *_comment_fold_faults(placed),
        *_heading_faults(tokens),
        *([f"{words} words below the title"] if words > _MOST_WORDS else []),
        *(["a suggestion that is not the last block outside the folds"] if suggestions not in ([], [last]) else []),
        *([] if told else ["no severity and title at the beginning"]),
        *(["a severe preference"] if told in GRAVE and optional else []),
    ]


def reply_faults(body: str) -> list[str]:
    """What is wrong with what is said in a thread, or in answer to somebody."""
    tokens = parse(body)
    return [
        *text_faults(body, tokens, _REPLY),
        *(["a tag"] if len(html(tokens)) > 1 else []),
        *_heading_faults(tokens),
        *(["a suggestion in a reply"] if any(is_suggestion(token) for token in tokens) else []),
        *([] if tokens and tokens[0].type == "paragraph_open" else ["no words at the beginning"]),
    ]


def _comment_fold_faults(placed: Sequence[Block]) -> list[str]:
    """What happens step by step, where that is more, then the plain text for an agent, each in a closed fold."""
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
