"""The changes of a push against the last reviewed head, and how they are shown next to earlier findings."""

from collections.abc import Sequence
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.changes.unified import patch_between
from kodiai.core.config.keys import Config
from kodiai.core.plan.plan import plan_review
from kodiai.core.plan.since import since_last_review
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.review.hear import hear
from tests.builders import PARSER, FilesTree, a_file, a_finding, a_known, a_scope
from tests.core.review_inputs import LAST_HEAD, SETTINGS, loaded, remembered
from tests.tables import each_row

PATH, UNPOSTED_HEAD = "src/a.py", "d" * 40
BASE = [f"line {number}" for number in range(1, 41)]


def edited(lines: Sequence[str], **edits: str) -> list[str]:
    """The lines with others at these numbers, such as n3."""
    return [edits.get(f"n{number}", line) for number, line in enumerate(lines, 1)]


def changed(lines: list[str], base: list[str] = BASE, **given: Any) -> ChangedFile:
    patch = patch_between(*("".join(f"{line}\n" for line in each) for each in (base, lines)))
    return a_file(PATH, patch=patch, blob=str(hash(tuple(lines))), **given)


THEN = edited(BASE, n3="three")
NOW = edited(THEN, n4="four")
MERGED = edited(NOW, n40="from the base branch")
MERGED_BASE = edited(BASE, n40="from the base branch")
NEW, OWN = ["-line 4", "+four"], ["-line 3", "-line 4", "+three", "+four"]
OF_BASE = ["-line 40", "+from the base branch"]
READ, MORE = remembered([changed(THEN)]), remembered([changed(NOW)])
LEFT = Snapshot.of([changed(THEN)], Config().key).read_as(a_scope([], [Skipped(PATH, "no room")]))
KEPT = UnpostedReview(UNPOSTED_HEAD, "run1", Snapshot.of([changed(THEN)], Config().key))


@each_row(
    ("file", "lines", "before", "heads", "given", "expected"),
    [
        (changed(NOW), NOW, READ, {LAST_HEAD: THEN}, {}, (NEW, False)),
        # What a merge of the base branch brought is no change, but for the file of an earlier finding.
        (changed(MERGED, MERGED_BASE), MERGED, READ, {LAST_HEAD: THEN}, {}, (NEW, False)),
        (changed(MERGED, MERGED_BASE), MERGED, READ, {LAST_HEAD: THEN}, {"whole": [PATH]}, ([*NEW, *OF_BASE], True)),
        # A review that was not posted is the last one; nobody was shown what nobody read.
        (changed(NOW), NOW, remembered([]), {UNPOSTED_HEAD: THEN, LAST_HEAD: BASE}, {"unposted": KEPT}, (NEW, False)),
        (changed(NOW), NOW, LEFT, {LAST_HEAD: THEN}, {"whole": [PATH]}, (OWN, False)),
        (changed(NOW), NOW, READ, {}, {"whole": [PATH]}, (OWN, False)),
        # A file that the pull request has added since was empty.
        (changed(["x"], [], status="added"), ["x"], remembered([]), {}, {}, (["+x"], False)),
        # An edit that was taken back meets no line of the pull request.
        (changed(THEN), THEN, MORE, {LAST_HEAD: edited(THEN, n30="x")}, {}, (["-line 3", "+three"], False)),
    ],
)
def test_a_push_is_shown_against_the_last_reviewed_head(
    file: ChangedFile, lines: list[str], before: Any, heads: Any, given: Any, expected: tuple[list[str], bool]
) -> None:
    """New and old lines can be told apart; what is not known is shown against the base branch."""
    run = loaded([file], before, unposted=given.get("unposted"))
    tree = FilesTree({PATH: "\n".join(lines) + "\n"})
    view = RepositoryView(tree, PARSER, lambda _, head: heads.get(head))

    [shown], differing = since_last_review(run, [file], view, given.get("whole", ()))

    lines_of = [line.marker + line.text for hunk in shown.hunks for line in hunk.lines if line.marker != " "]
    assert (lines_of, differing == {PATH}) == expected


def test_the_difference_of_a_file_is_shown_once_for_all_its_findings() -> None:
    """Among the changes if they show it in full, else in a list by file; a row of a finding has no copy of it."""
    other, then, now = "src/b.py", ["use(old)"], ["use(new)"]
    known = [
        a_known(a_finding(path=path, quote=quote, start_line=1, title=title), id=title, hunk=hunk)
        for path, quote, title, hunk in (
            *((PATH, "three", name, "gone") for name in ("F-1", "F-2")),
            *((other, "use(old)", name, None) for name in ("F-3", "F-4")),
        )
    ]
    gone = a_file(other, patch="@@ -1 +1 @@\n-use(base)\n+use(old)")
    run = loaded([changed(NOW)], remembered([changed(THEN), gone]), known)
    tree = FilesTree({PATH: "\n".join(NOW) + "\n", other: "\n".join(now) + "\n"})
    view = RepositoryView(tree, PARSER, lambda path, _: THEN if path == PATH else then)

    [batch] = plan_review(run, hear(run, None), view, SETTINGS).batches

    diffs, rows = batch.earlier
    assert diffs.text.startswith("# Files of these findings, as they changed since their last review\n")
    assert (diffs.text.count("+use(new)"), diffs.text.count("+four"), rows.text.count("+")) == (1, 0, 0)
    assert rows.text.count('"finding": ') == len(batch.rechecked) == 4
    assert sum(block.text.count("four") for block in batch.material.blocks) == 1
    assert batch.is_small
