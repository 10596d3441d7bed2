"""What is wrong with what is posted: a review's body in either form, an inline comment, a reply."""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from tests.review_form import again, first
from tests.review_form.reading import GRAVE, OPENING, blocks, html, is_suggestion, parse, severity
from tests.review_form.shared import suggestion_faults, text_faults

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
_TITLE = r"\*\*\[(?P<severity>CRITICAL|MAJOR|MEDIUM|MINOR)\] .*\*\*"


def review_faults(body: str) -> list[str]:
    """What is wrong with a review's body, in the form that its summary line names.

    Before its marker it may list findings, hidden: one on each line, and nothing of them ends the comment.
    """
    tokens = parse(_LISTED.sub("", body))
    faults = [*text_faults(body, tokens, _REVIEW), *suggestion_faults(tokens)]
    summary = OPENING.fullmatch(body.partition("\n")[0])
    form = _FORMS.get(summary[1]) if summary else None
    return [*faults, *(form(blocks(tokens)) if form else ["neither of the two forms"])]


def comment_faults(body: str) -> list[str]:
    """What is wrong with an inline comment."""
    tokens = parse(body)
    paragraphs = [token.content for token in tokens if token.type == "inline" and token.level == 1]
    told = severity(paragraphs[0], _TITLE) if paragraphs and body.startswith(paragraphs[0]) else None
    suggestions = [at for at, token in enumerate(tokens) if is_suggestion(token)]
    optional = len(paragraphs) > 1 and paragraphs[1].startswith("Optional:")
    return [
        *text_faults(body, tokens, _FINDING),
        *_block_faults(tokens),
        *(["a suggestion that is not the last block"] if suggestions not in ([], [len(tokens) - 2]) else []),
        *([] if told else ["no severity and title at the beginning"]),
        *(["a grave preference"] if told in GRAVE and optional else []),
    ]


def reply_faults(body: str) -> list[str]:
    """What is wrong with what is said in a thread, or in answer to somebody."""
    tokens = parse(body)
    return [
        *text_faults(body, tokens, _REPLY),
        *_block_faults(tokens),
        *(["a suggestion in a reply"] if any(is_suggestion(token) for token in tokens) else []),
        *([] if tokens and tokens[0].type == "paragraph_open" else ["no words at the beginning"]),
    ]


def _block_faults(tokens: Sequence[Token]) -> list[str]:
    """Neither folds nor headings, and no tag but the marker."""
    faults = ["a tag"] if len(html(tokens)) > 1 else []
    return faults + (["a heading"] if any(token.type == "heading_open" for token in tokens) else [])
