"""One push, arranged for the page: its words, its comments below their code, and where its findings stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from cli.report.diff import Diff, Stretch, place, stretches
from cli.report.result import Comment, DiffFile, Finding, Push
from kodiai.core.changes.hunk import Hunk
from kodiai.core.words.markers import finding_of
from local.rendering.highlight import highlight_hunk
from local.rendering.markdown import as_html


@dataclass(frozen=True)
class Told:
    """Where an inline comment tells of a finding: its push, from 0, and its name in the page's address."""

    push: int
    anchor: str


@dataclass(frozen=True)
class ShownFile:
    """A file with comments: its hunks that have some, and the comments that stand in none of them."""

    path: str
    file: DiffFile | None
    hunks: Sequence[tuple[Hunk, Sequence[Stretch]]]
    loose: Sequence[Comment]


@dataclass(frozen=True)
class PushPage:
    """One push; `index` counts from 0, `told_before` is what earlier pushes told.

    `name` is its section's in the page's address, where it is no push but a review that a reply has led to.
    """

    index: int
    push: Push
    diff: Diff
    told_before: Mapping[str, Told]
    name: str = ""

    @property
    def anchor(self) -> str:
        """The name of the push's section in the page's address."""
        return self.name or f"push-{self.index + 1}"

    @property
    def body(self) -> Markup:
        """The review's body, folded as it was posted."""
        return as_html(self.push.review.body if self.push.review else "", on_site=False)

    @cached_property
    def comments(self) -> Sequence[Comment]:
        """The inline comments, as they were posted."""
        return self.push.review.comments if self.push.review else ()

    def comment_anchor(self, comment: Comment) -> str:
        """The name of a comment in the page's address."""
        number = next(number for number, one in enumerate(self.comments, start=1) if one is comment)
        return f"{self.anchor}-comment-{number}"

    def comment_html(self, comment: Comment) -> Markup:
        """Render a comment; a suggestion in it is shown against the lines that it would replace."""
        original = [row.text for row in self.diff.commented(comment)]
        return as_html(comment.body, below=4, path=comment.path, original=original, on_site=False)

    @cached_property
    def told(self) -> Mapping[str, Told]:
        """Where the findings of this push have their comments, in this push or an earlier one."""
        here = {finding.key: self._comment_of(finding) for finding in self.push.findings}
        now = {key: Told(self.index, self.comment_anchor(comment)) for key, comment in here.items() if comment}
        return {**self.told_before, **now}

    def _comment_of(self, finding: Finding) -> Comment | None:
        """Find the comment that this push posted for a finding: by its marker, else, unmarked, by its place."""
        marked = {finding_of(one.body): one for one in self.comments}
        if finding.id in marked:
            return marked[finding.id]
        unmarked = [one for one in self.comments if finding_of(one.body) is None]
        at = [one for one in unmarked if one.path == finding.path and finding.line in one.lines]
        return min(at, key=lambda one: (finding.title not in one.body, len(one.lines)), default=None)

    @cached_property
    def files(self) -> list[ShownFile]:
        """The files with comments, in the order in which they were posted."""
        paths = dict.fromkeys(comment.path for comment in self.comments)
        return [self._file(path) for path in paths]

    def _file(self, path: str) -> ShownFile:
        left = [comment for comment in self.comments if comment.path == path]
        hunks = []
        for hunk in self.diff.hunks(path):
            rows, elsewhere = place(hunk, highlight_hunk(path, hunk), left)
            if len(elsewhere) < len(left):
                hunks.append((hunk, list(stretches(rows))))
            left = elsewhere
        return ShownFile(path, self.diff.file(path), hunks, left)
