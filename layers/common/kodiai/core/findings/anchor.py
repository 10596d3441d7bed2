"""The anchor of a finding: the lines of the diff on which its comment is posted."""

from collections.abc import Mapping
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.findings.enforce import LocateQuote
from kodiai.core.findings.finding import Finding


@dataclass(frozen=True)
class Anchor:
    """Lines that GitHub takes a comment on, 1-based, both included, on the new side."""

    path: str
    start_line: int
    end_line: int

    def is_at(self, finding: Finding) -> bool:
        """Whether these are the very lines of a finding."""
        return (self.path, self.start_line, self.end_line) == (finding.path, finding.start_line, finding.end_line)

    def overlaps(self, finding: Finding) -> bool:
        """Whether these lines hold one of the finding's."""
        return self.path == finding.path and self.start_line <= finding.end_line and finding.start_line <= self.end_line


def anchor(finding: Finding, files: Mapping[str, ChangedFile], locate_quote: LocateQuote) -> Anchor | None:
    """Anchor a finding at its own lines, as far as one hunk holds them, else at its cause; None where neither is shown.

    `files` are those of the pull request, by path.
    """
    own = _within_hunk(files, finding.path, finding.start_line, finding.end_line)
    if own is not None or finding.cause is None:
        return own
    cause = locate_quote(finding.cause.quote, finding.cause.path, None)
    return _within_hunk(files, cause.path, cause.start_line, cause.end_line) if cause else None


def _within_hunk(files: Mapping[str, ChangedFile], path: str, start: int, end: int) -> Anchor | None:
    file = files.get(path)
    hunk = file.hunk_at(start, end) if file else None
    if hunk is None:
        return None
    lines = hunk.new_lines
    return Anchor(path, max(start, lines.start), min(end, lines.stop - 1))
