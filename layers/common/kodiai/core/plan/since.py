"""Since: the changes of a push, as a diff against the files as they were at the last review."""

from collections.abc import Collection, Sequence

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import parse_patch
from kodiai.core.changes.unified import patch_between
from kodiai.core.plan.earlier import lines_then
from kodiai.core.plan.input import ReviewInput
from kodiai.core.repository.view import RepositoryView


def since_last_review(
    review_input: ReviewInput, files: Sequence[ChangedFile], view: RepositoryView, whole: Collection[str]
) -> tuple[tuple[ChangedFile, ...], frozenset[str]]:
    """The files with their hunks against the last reviewed head in place of those against the base branch.

    New lines that the base branch brought are left out: only hunks count that meet one of the pull request's new ones,
    but for the files in `whole`. A file keeps its own hunks if it was not read before, or if nobody knows how it was.
    The second are the paths of those whose whole difference is shown.
    """
    shown = [_since(review_input, file, view, is_whole=file.path in whole) for file in files]
    differ = (new.path for new, file in zip(shown, files, strict=True) if new is not file)
    return tuple(shown), frozenset(path for path in differ if path in whole)


def _since(review_input: ReviewInput, file: ChangedFile, view: RepositoryView, *, is_whole: bool) -> ChangedFile:
    head = review_input.last_read_head
    is_plain = file.patch is not None and file.shown is None and file.left_out is None
    was_read = file.path in review_input.since.changed and file.path not in review_input.snapshot.left_out
    now = view.lines(file.path) if head is not None and is_plain and was_read else None
    then = lines_then(review_input, file.path, head, view) if now is not None and head is not None else None
    if now is None or then is None:
        return file
    patch = patch_between(*("".join(f"{line}\n" for line in lines) for lines in (then, now)))
    new = [hunk.new_lines for hunk in file.hunks]
    hunks = parse_patch(patch) if patch else ()
    meeting = [hunk for hunk in hunks if is_whole or any(_meets(hunk.new_lines, lines) for lines in new)]
    return file.with_hunks(meeting) if meeting else file


def _meets(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop
