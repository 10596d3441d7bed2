"""The files that are read in a run, and the earlier findings that are rechecked."""

from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.keys import Config, ReviewConfig
from kodiai.core.events.job import Trigger
from kodiai.core.findings.finding import Cause
from kodiai.core.findings.known import KnownFinding
from kodiai.core.plan.plan import ReviewPlan
from kodiai.flows.review.hear import hear
from tests.builders import a_file, a_finding, a_known, a_reply, a_scope, a_thread, added
from tests.core.review_inputs import Site, a_reading, file, key, loaded, planned, remembered
from tests.tables import each_row

ONE = "@@ -10,3 +10,3 @@ def f():\n a\n-b\n+B\n c"
OTHER = "@@ -10,3 +10,3 @@ def f():\n a\n-b\n+BB\n c"
TWO = "@@ -30 +30,2 @@\n x\n+y"


def told(name: str, path: str, hunk: str | None, **given: Any) -> KnownFinding:
    """A finding on the code of a hunk, under the name that the test knows it by."""
    of_known = {field: given.pop(field) for field in ("status", "heard") if field in given}
    return a_known(a_finding(path=path, **given), id=name, hunk=key(hunk) if hunk else None, **of_known)


def chosen(
    now: list[ChangedFile],
    before: Snapshot | None,
    *known: KnownFinding,
    trigger: Trigger = "synchronize",
    **given: Any,
) -> ReviewPlan:
    return planned(loaded(now, before, known, trigger=trigger, **given))


def names(choice: ReviewPlan) -> list[str]:
    return [known.id for known in choice.rechecked]


OLD = [file("a.py", ONE)]
SETTINGS_OF_BEFORE = Config(review=ReviewConfig(skip_paths=("docs",)))


@each_row(
    ("now", "before", "trigger", "is_first", "mode", "reason"),
    [
        (OLD, None, "opened", True, "full", "no-prior-review"),
        (OLD, None, "synchronize", False, "full", "snapshot-missing"),
        (OLD, remembered(OLD, config=SETTINGS_OF_BEFORE), "synchronize", False, "full", "config-changed"),
        (OLD, remembered(OLD, config=SETTINGS_OF_BEFORE), "full_review", False, "full", "requested"),
        (OLD, remembered(OLD), "full_review", False, "full", "requested"),
        (OLD, None, "full_review", True, "full", "requested"),
        ([file("a.py", ONE, TWO)], remembered(OLD), "synchronize", False, "incremental", "since-0123456"),
        ([file("a.py", ONE, TWO)], remembered(OLD), "review_requested", False, "incremental", "since-0123456"),
        (OLD, remembered(OLD), "synchronize", False, "unchanged", "since-0123456"),
        (OLD, remembered(OLD, [file("a.py", OTHER)]), "rerequested", False, "unchanged", "since-0123456"),
        ([], remembered(OLD), "synchronize", False, "unchanged", "since-0123456"),
    ],
)
def test_the_mode_follows_from_what_is_new_and_from_what_is_known(
    now: list[ChangedFile], before: Snapshot | None, trigger: Trigger, is_first: bool, mode: str, reason: str
) -> None:
    """Only a run that read everything, or everything since one that did, makes the next one incremental."""
    choice = chosen(now, before, trigger=trigger, is_first=is_first)

    assert (choice.scope.mode, choice.scope.reason) == (mode, reason)
    assert (choice.scope.files == ()) is (mode == "unchanged")


def test_only_new_hunks_are_read_and_where_none_is_nothing_is() -> None:
    """An unchanged pull request counts as reviewed in whole, what a revert brought back too."""
    now = [file("a.py", ONE, TWO), file("same.py", ONE)]
    before = remembered([file("a.py", OTHER), file("same.py", ONE)])

    some = chosen(now, before).scope
    none = chosen(now, remembered(now, [file("a.py", OTHER), file("same.py", ONE)])).scope

    assert [(each.path, len(each.hunks)) for each in some.files] == [("a.py", 2)]
    assert (some.as_reviewed, some.total_files, some.total_hunks) == (1, 2, 3)
    assert (none.batches, none.as_reviewed, none.total_files, none.total_hunks) == ((), 2, 2, 3)


NOW = [
    file("edited.py", OTHER, TWO),
    file("new.py", OTHER, TWO, status="renamed", previous_path="old.py"),
    file("same.py", ONE),
    file("image.png", blob="2"),
]
BEFORE = remembered(
    [
        file("edited.py", ONE, TWO),
        file("old.py", ONE, TWO, status="renamed", previous_path="older.py"),
        file("same.py", ONE),
        file("gone.py", ONE),
        file("image.png", blob="1"),
    ]
)
FIXED = a_reply("Fixed.")
WONT = a_reply("won't fix")
ARGUMENT = a_reply("It is never empty.", "otto")


@each_row(
    ("case", "known", "replies", "is_asked"),
    [
        ("its hunk is not what it was", told("F", "edited.py", ONE), [], True),
        ("its hunk is as it was, in a file that changed", told("F", "edited.py", TWO), [], False),
        ("it is outside any hunk, in a file that changed", told("F", "edited.py", None), [], True),
        ("it is outside any hunk, in a file without hunks that changed", told("F", "image.png", None), [], True),
        ("it is outside any hunk, in a file as it was", told("F", "same.py", None), [], False),
        ("it is outside any hunk, in a file that was never changed", told("F", "base.py", None), [], False),
        ("its hunk is as it was", told("F", "same.py", ONE), [], False),
        ("its file is gone", told("F", "gone.py", ONE), [], True),
        ("its file is gone, and it stood outside any hunk", told("F", "gone.py", None), [], True),
        ("its file was renamed, and its hunk is not what it was", told("F", "old.py", ONE), [], True),
        ("its file was renamed, and its hunk is as it was", told("F", "old.py", TWO), [], False),
        ("its hunk went in an earlier run, without an answer", told("F", "same.py", OTHER), [], True),
        ("somebody claims that it is done", told("F", "same.py", ONE), [FIXED], True),
        ("the author argues", told("F", "same.py", ONE), [ARGUMENT], True),
        ("somebody asks something", told("F", "same.py", ONE), [a_reply("Why?")], False),
        ("a claim was heard", told("F", "same.py", ONE, heard=FIXED.id), [FIXED], False),
        ("a person has settled it", told("F", "edited.py", ONE), [WONT], False),
        ("a claim, and a person who has settled it", told("F", "same.py", ONE), [FIXED, WONT], False),
        ("it was closed before", told("F", "edited.py", ONE, status="fixed"), [FIXED], False),
        ("it was settled before", told("F", "edited.py", ONE, status="wont_fix"), [], False),
    ],
)
def test_a_finding_is_rechecked_where_its_code_changed_or_people_claim_something(
    case: str, known: KnownFinding, replies: list[Any], is_asked: bool
) -> None:
    """Nobody is asked about code that is as it was."""
    threads = [a_thread(*replies, finding="F")]

    choice = chosen(NOW, BEFORE, known, threads=threads, readings=[a_reading(ARGUMENT, "disagrees")])

    assert names(choice) == (["F"] if is_asked else []), case


def test_findings_are_rechecked_under_the_path_of_today_the_most_severe_first() -> None:
    """By severity, impact before preference, then by place, as they are told."""
    known = [
        told("minor", "gone.py", ONE, severity="MINOR"),
        told("moved", "old.py", ONE, start_line=40),
        told("preference", "edited.py", ONE, kind="preference", severity="MEDIUM"),
        told("medium", "edited.py", ONE, severity="MEDIUM"),
        told("critical", "gone.py", ONE, severity="CRITICAL"),
        told("first", "edited.py", ONE),
        told("later", "edited.py", ONE, start_line=80),
    ]

    choice = chosen(NOW, BEFORE, *known)

    assert names(choice) == ["critical", "first", "later", "moved", "medium", "preference", "minor"]
    assert choice.rechecked[3] == replace(known[1], finding=a_finding(path="new.py", start_line=40))


def test_thirty_are_rechecked_and_the_others_are_counted() -> None:
    """The most severe ones; the rest stay open."""
    severe = [told(f"severe {number}", "edited.py", ONE, start_line=number) for number in range(1, 21)]
    minor = [told(f"minor {number}", "edited.py", ONE, start_line=number, severity="MINOR") for number in range(1, 21)]

    choice = chosen(NOW, BEFORE, *minor, *severe)

    assert names(choice) == [*(each.id for each in severe), *(each.id for each in minor[:10])]
    assert choice.not_rechecked == 10
    assert chosen(NOW, BEFORE, *severe).not_rechecked == 0


def test_findings_are_rechecked_by_the_same_rule_when_everything_is_read_again() -> None:
    """A full review, and one that has no snapshot: then the hunks of today say which code is as it was."""
    known = [told("touched", "edited.py", ONE), told("same", "same.py", ONE), told("claimed", "same.py", ONE)]
    threads = [a_thread(FIXED, finding="claimed")]

    for before, trigger in ((BEFORE, "full_review"), (None, "synchronize")):
        choice = planned(loaded(NOW, before, known, threads, trigger=trigger))

        assert sorted(names(choice)) == ["claimed", "touched"]


def test_nobody_is_rechecked_where_nothing_is_new() -> None:
    """A finding whose change was taken back needs no model, and a claim waits for the next one."""
    known = [told("taken back", "a.py", TWO), told("claimed", "a.py", ONE)]
    threads = [a_thread(FIXED, finding="claimed")]

    choice = chosen([file("a.py", ONE)], remembered([file("a.py", ONE, TWO)]), *known, threads=threads)

    assert (choice.scope.mode, choice.rechecked, choice.not_rechecked) == ("unchanged", (), 0)


def test_github_is_asked_once_about_each_person_and_only_for_open_findings() -> None:
    """However many threads they answered."""
    known = [told("F1", "same.py", ONE), told("F2", "same.py", ONE), told("F3", "same.py", ONE, status="fixed")]
    site = Site(NOW, {"ann"})
    eve, joe = a_reply("won't fix", "eve"), a_reply("won't fix", "joe")
    threads = [a_thread(WONT, eve, finding="F1"), a_thread(eve, finding="F2"), a_thread(joe, finding="F3")]

    found = hear(loaded(NOW, BEFORE, known, threads, site=site), None)

    assert site.asked == ["eve", "ann"]
    assert {name: stance.settles for name, stance in found.items()} == {"F1": "wont_fix", "F2": None, "F3": None}


def left_out(*paths: str, of: list[ChangedFile]) -> Snapshot:
    """The snapshot after a run that had no room for some of the files."""
    read = [each for each in of if each.path not in paths]
    return Snapshot.of(of, Config().key).read_as(a_scope(read, [Skipped(path, "no room") for path in paths]))


THREE = [file("a.py", ONE), file("b.py", ONE, TWO), file("login.py", ONE)]


LEFT = left_out("b.py", of=THREE)
PUSHED = [file("a.py", ONE), file("b.py", ONE, TWO), file("login.py", OTHER)]
LEFT_BEFORE = left_out("b.py", of=[file("a.py", ONE), file("b.py", ONE), file("login.py", ONE)])
ALL_AGAIN = [[("b.py", 2), ("c.py", 1)], [("login.py", 1), ("a.py", 1)]]


@each_row(
    ("now", "before", "trigger", "mode", "batches"),
    [
        (THREE, LEFT, "synchronize", "incremental", [[("b.py", 2)]]),
        (THREE, LEFT, "review_requested", "incremental", [[("b.py", 2)]]),
        (PUSHED, LEFT_BEFORE, "synchronize", "incremental", [[("b.py", 2)], [("login.py", 1)]]),
        ([*THREE, file("c.py", OTHER)], LEFT, "full_review", "full", ALL_AGAIN),
    ],
)
def test_files_that_no_run_has_read_are_read_whole_and_first(
    now: list[ChangedFile], before: Snapshot, trigger: Trigger, mode: str, batches: list[list[tuple[str, int]]]
) -> None:
    """Even if nothing is new, or only a part of them; in a full review the new ones come with them."""
    scope = chosen(now, before, trigger=trigger).scope

    assert scope.mode == mode
    assert [[(each.path, len(each.hunks)) for each in batch] for batch in scope.batches] == batches


def test_a_file_that_github_does_not_show_begins_no_run_and_stays_unread() -> None:
    """Another try would see as little."""
    hidden = file("huge.py", additions=90_000)
    unread = Skipped("huge.py", "GitHub does not give its content", is_lasting=True)
    seen = Snapshot.of([THREE[0], replace(hidden, skipped=unread)], Config().key)

    scope = chosen([THREE[0], hidden], seen.read_as(a_scope([THREE[0]], [unread]))).scope

    assert (scope.mode, scope.batches, scope.unread) == ("unchanged", (), (unread,))


@pytest.mark.parametrize(
    ("attributes", "touched", "reads"),
    [("", False, True), ("vendor/** linguist-vendored\n", False, False), ("vendor/** linguist-vendored\n", True, True)],
)
def test_whether_a_new_file_is_vendored_is_told_from_the_files_at_the_head(
    attributes: str, touched: bool, reads: bool
) -> None:
    """`.gitattributes` counts unless the pull request itself changes it."""
    now = [added("vendor/a.py", "x = 1"), *([a_file(".gitattributes")] if touched else [])]
    tree = {"vendor/a.py": "x = 1\n", ".gitattributes": attributes}

    choice = planned(loaded(now, is_first=True), tree)

    assert ("vendor/a.py" in [each.path for each in choice.scope.files]) is reads


@each_row(
    ("quote", "cause", "is_asked"),
    [
        ("return parse_order(text)", None, True),
        ("return total", Cause(path="b.py", quote="value = parse_order(line)"), True),
        ("return total", None, False),
        ("return len(text)", None, False),
        ("parse(text)", None, False),
    ],
)
def test_a_finding_is_rechecked_where_a_new_hunk_mentions_its_names(
    quote: str, cause: Cause | None, is_asked: bool
) -> None:
    """The fix may be in another file; a name that the language gives, or a part of a name, is no mention."""
    mentions = "@@ -1,2 +1,2 @@\n def other():\n-    parse_order(1)\n+    parse_order(len(2))"
    before, now = [file("a.py", ONE)], [file("a.py", ONE), file("b.py", mentions)]
    known = told("elsewhere", "a.py", ONE, quote=quote, cause=cause)

    choice = chosen(now, remembered(before), known)

    assert names(choice) == (["elsewhere"] if is_asked else [])
