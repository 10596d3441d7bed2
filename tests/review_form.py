"""The rules of what the bot posts, checked on the Markdown itself: each function lists what is wrong with a text."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST = 65_536
SECTIONS = ("What Changed", "Strengths", "Observations", "Suggestions", "Verdict")
GROUPS = ("Impact", "Preference")
VERDICTS = {
    "blocking": ":red_circle: **Address before merging** -- ",
    "minor": ":yellow_circle: **Ready to merge with minor items** -- ",
    "none": ":green_circle: **Ready to merge** -- ",
}
_SUMMARY = "<details><summary>Kodiai Review Summary</summary>"
_DETAILS = "<details><summary>Review Details</summary>"
_CLOSING = "</details>"
_REVIEW_MARKER = re.compile(r"<!-- kodiai:review run=[\w-]+ head=[0-9a-f]{40} -->")
_FINDING_MARKER = re.compile(r"<!-- kodiai:finding id=F-[0-9a-f]{12} -->")
_LEFT_OUT = re.compile(r"The [\w ]+ were left out: this review would have been longer than GitHub takes\.")
_FINDING = re.compile(r"\[(CRITICAL|MAJOR|MEDIUM|MINOR)\] \S.* \([0-9]+(-[0-9]+)?\): ?.*")
_MENTION = re.compile(r"(?<![A-Za-z0-9_])@[A-Za-z0-9]")
_ADDRESS = re.compile(r"(https?|ftp)://|(?<![A-Za-z0-9])www\.")


def parse(text: str) -> list[Token]:
    """Read Markdown with HTML, tables and struck-out text, as GitHub does; escapes stay apart from other text."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    reader.disable("text_join")
    return reader.parse(text)


def review_faults(body: str) -> list[str]:
    """What is wrong with a review's body of the first-review form."""
    tokens = parse(body)
    return [
        *_length_faults(body),
        *_marker_faults(tokens, _REVIEW_MARKER),
        *_reach_faults(tokens),
        *_fold_faults(tokens),
        *_section_faults(tokens),
        *_finding_faults(tokens),
        *(["a suggestion in a review's body"] if any(_is_suggestion(token) for token in tokens) else []),
    ]


def comment_faults(body: str) -> list[str]:
    """What is wrong with an inline comment."""
    tokens = parse(body)
    suggestions = [at for at, token in enumerate(tokens) if _is_suggestion(token)]
    return [
        *_length_faults(body),
        *_marker_faults(tokens, _FINDING_MARKER),
        *_reach_faults(tokens),
        *(["a tag"] if len(_html(tokens)) > 1 else []),
        *(["a heading"] if any(token.type == "heading_open" for token in tokens) else []),
        *(["a suggestion that is not the last block"] if suggestions not in ([], [len(tokens) - 2]) else []),
        *([] if re.match(r"\*\*\[(CRITICAL|MAJOR|MEDIUM|MINOR)\] ", body) else ["no severity at the beginning"]),
    ]


def _length_faults(body: str) -> list[str]:
    return [f"{len(body)} characters"] if len(body) > LONGEST else []


def _marker_faults(tokens: Sequence[Token], marker: re.Pattern[str]) -> list[str]:
    last = tokens[-1].content.strip() if tokens and tokens[-1].type == "html_block" else ""
    comments = sum(token.content.count("<!--") for token in _html(tokens))
    return ([] if marker.fullmatch(last) else ["no marker at the end"]) + (["a comment"] if comments > 1 else [])


def _html(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in _all(tokens) if token.type in ("html_block", "html_inline")]


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def _reach_faults(tokens: Sequence[Token]) -> list[str]:
    """What would lead away, load something, or call somebody."""
    types = {token.type for token in _all(tokens)}
    faults = [f"a {kind}" for kind in ("link", "table") if f"{kind}_open" in types]
    faults += ["an image"] if "image" in types else []
    for token in tokens:
        if token.type == "inline":
            text = "".join(child.content if child.type == "text" else "\0" for child in token.children or ())
            shown = "".join(child.content if child.type.startswith("text") else "\0" for child in token.children or ())
            faults += ["an address that becomes a link"] if _ADDRESS.search(text) else []
            faults += ["a mention"] if _MENTION.search(shown) else []
    return faults


def _fold_faults(tokens: Sequence[Token]) -> list[str]:
    """The summary, perhaps the details, both closed, nothing folded within, nothing but notices beside."""
    folds = [token.content.strip() for token in _html(tokens)][:-1]
    if folds not in ([_SUMMARY, _CLOSING], [_SUMMARY, _CLOSING, _DETAILS, _CLOSING]):
        return [f"folds {folds}"]
    if any(token.level for token in _html(tokens)):
        return ["a fold that stands in another block"]
    return [f"outside the folds: {text}" for text in _beside(tokens) if not _LEFT_OUT.fullmatch(text)]


def _beside(tokens: Sequence[Token]) -> Iterator[str]:
    depth = 0
    for token in tokens:
        if token.type == "html_block":
            depth += token.content.count("<details>") - token.content.count(_CLOSING)
        elif depth == 0 and token.type in {"inline", "fence"}:
            yield token.content


def _section_faults(tokens: Sequence[Token]) -> list[str]:
    headings = [(token.tag, tokens[at + 1].content) for at, token in enumerate(tokens) if token.type == "heading_open"]
    sections = [title for tag, title in headings if tag == "h2"]
    groups = [title for tag, title in headings if tag == "h3"]
    faults = []
    if sections != [title for title in SECTIONS if title in sections] or {tag for tag, _ in headings} - {"h2", "h3"}:
        faults.append(f"sections {headings}")
    if "Verdict" not in sections or ("What Changed" not in sections and not _findings_left_out(tokens)):
        faults.append(f"a section is missing from {sections}")
    if groups != [title for title in GROUPS if title in groups] or bool(groups) != ("Observations" in sections):
        faults.append(f"groups {groups} in {sections}")
    faults += [f"“{title}” is empty" for title in _empty(tokens)]
    return faults


def _findings_left_out(tokens: Sequence[Token]) -> bool:
    return any(text.startswith("The findings") and _LEFT_OUT.fullmatch(text) for text in _beside(tokens))


def _empty(tokens: Sequence[Token]) -> Iterator[str]:
    """Headings that the next one, of the same or a higher level, or the end of the fold follows at once."""
    closed = [at for at, token in enumerate(tokens) if token.type == "heading_close"]
    for at in closed:
        following = tokens[at + 1]
        deeper = following.type == "heading_open" and following.tag > tokens[at].tag
        if following.type in ("heading_open", "html_block") and not deeper:
            yield tokens[at - 1].content


def _paragraphs(tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Every top-level paragraph of the summary with its section and group."""
    section = group = ""
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            section, group = (token.content, "") if before.tag == "h2" else (section, token.content)
        elif before.type == "html_block":
            section = group = ""
        elif before.type == "paragraph_open" and before.level == 0:
            yield section, group, token.content


def _finding_faults(tokens: Sequence[Token]) -> list[str]:
    """Findings stand in the observations only, each in its form, and the verdict says what they come to."""
    faults = []
    result = "none"
    for section, group, text in _paragraphs(tokens):
        title, _, explanation = text.partition("\n")
        severity = re.match(r"\[([A-Z]+)\] ", title)
        if severity is None:
            continue
        faults += [] if section == "Observations" and group else [f"a finding in “{section}”: {title}"]
        faults += [] if _FINDING.fullmatch(title) else [f"not a finding's form: {title}"]
        if group == "Preference":
            faults += ["a grave preference"] if severity[1] in ("CRITICAL", "MAJOR") else []
            faults += [] if not explanation or explanation.startswith("Optional:") else ["a preference not optional"]
        elif severity[1] in ("CRITICAL", "MAJOR"):
            result = "blocking"
        result = "minor" if result == "none" else result
    return faults + _verdict_faults(tokens, result)


def _verdict_faults(tokens: Sequence[Token], result: str) -> list[str]:
    verdicts = [text for section, _, text in _paragraphs(tokens) if section == "Verdict"]
    if len(verdicts) != 1 or "\n" in verdicts[0]:
        return [f"verdicts {verdicts}"]
    allowed = list(VERDICTS.values()) if _findings_left_out(tokens) else [VERDICTS[result]]
    if not any(verdicts[0].startswith(label) and verdicts[0] != label for label in allowed):
        return [f"the verdict “{verdicts[0]}” on {result} findings"]
    return []


def _is_suggestion(token: Token) -> bool:
    return token.type == "fence" and token.info.split()[:1] == ["suggestion"]
