"""Whether a replacement can be offered as a suggestion that the author applies with one click."""

from collections.abc import Sequence

from kodiai.core.changes.hunk import squeezed
from kodiai.core.findings.finding import Finding


def suggestion(finding: Finding, lines: Sequence[str]) -> str | None:
    """Return what takes the place of exactly the finding's lines, None where there is none or it changes nothing.

    `lines` are the file's lines at the head. Each line of the answer ends with a newline; an empty text takes the
    lines away. A replacement whose indentation differs from the code's is no fit: applied, it would break the file.
    Carriage returns at the ends of lines are left aside on both sides, as Markdown cannot carry them.
    """
    if finding.replacement is None or finding.end_line > len(lines):
        return None
    replaced = [line.removesuffix("\r") for line in lines[finding.start_line - 1 : finding.end_line]]
    offered = _lines(finding.replacement)
    if not _quotes_whole(finding.quote, replaced) or offered == replaced:
        return None
    if offered and _indent(offered[0]) != _indent(replaced[0]):
        return None
    return "".join(f"{line}\n" for line in offered)


def _lines(text: str) -> list[str]:
    text = text.replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _quotes_whole(quote: str, replaced: Sequence[str]) -> bool:
    """Whether the quote is all of the lines that would go: else code that nobody looked at would go with them."""
    return squeezed(quote) == squeezed("".join(replaced))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
