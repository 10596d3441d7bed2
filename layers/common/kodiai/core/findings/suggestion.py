"""Whether a replacement can be offered as a suggestion that the author applies with one click."""

from collections.abc import Sequence

from kodiai.core.findings.finding import Finding


def suggestion(finding: Finding, lines: Sequence[str]) -> str | None:
    """Return the replacement of exactly the finding's lines, None where there is none or it changes nothing.

    `lines` are the file's lines at the head. A replacement whose indentation differs from the code's is no fit:
    applied, it would break the file.
    """
    if finding.replacement is None or finding.end_line > len(lines):
        return None
    replaced = lines[finding.start_line - 1 : finding.end_line]
    offered = finding.replacement.removesuffix("\n").split("\n")
    if not _quotes_whole(finding.quote, replaced) or offered == [line.removesuffix("\r") for line in replaced]:
        return None
    if offered != [""] and _indent(offered[0]) != _indent(replaced[0]):
        return None
    return "\n".join(offered)


def _quotes_whole(quote: str, replaced: Sequence[str]) -> bool:
    """Whether the quote is all of the lines that would go: else code that nobody looked at would go with them."""
    return "".join(quote.split()) == "".join("".join(replaced).split())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
