"""The work of the pure parts of a review grows in proportion to their input."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bench.large import LargeFile, large_file
from kodiai.core.changes.changed_file import ChangedFile, ChangedLines
from kodiai.core.changes.contents import Entry, with_contents
from kodiai.core.changes.lock_files.change import lock_file_change
from kodiai.core.changes.long_lines import cuts
from kodiai.core.changes.notebook import with_cells
from kodiai.core.changes.patch import parse_patch
from kodiai.core.changes.scope import Unread, choose_scope
from kodiai.core.changes.snapshot import Snapshot, difference
from kodiai.core.code.statements import changed_code
from kodiai.core.conversation.stance import Stance
from kodiai.core.diffs.apply_check import apply_diff
from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.findings.embedded import embedded_findings, with_embedded_findings
from kodiai.core.findings.evidence import changes_since
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import locate
from kodiai.core.findings.markers import review_marker
from kodiai.core.findings.report import Reported
from kodiai.core.findings.source import Source
from kodiai.core.github.comment import Opening
from kodiai.core.judge.candidates import Reports, check, prior_findings
from kodiai.core.judge.delta import delta
from kodiai.core.plan.plan import ReviewPlan, plan_review
from kodiai.core.plan.restored import restored
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.repository.facts import Facts
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.reconcile import reconcile
from kodiai.core.review.run import Run
from kodiai.core.review.thread_actions import thread_actions
from kodiai.core.words.review import re_review
from tests.builders import (
    HEAD,
    PARSER,
    RUN,
    FilesTree,
    a_finding,
    a_judgement,
    a_known,
    a_scope,
    a_thread,
    added,
    kept,
    reading,
    some_details,
)
from tests.core.review_inputs import SETTINGS, loaded, remembered
from tests.lock_file_samples import npm

_SIZE, _TIMES = 32, 4
_MOST = 4.2  # times the work

Work = Callable[[], object]


def findings_in(file: LargeFile, **given: Any) -> list[Finding]:
    """A finding on the first new line of each hunk."""
    lines = [next(line for line in hunk.lines if line.marker == "+") for hunk in file.changed.hunks]
    titles = (f"The total of row {number} is read before it is set" for number in range(len(lines)))
    return [
        a_finding(**{"path": file.changed.path, "start_line": line.new, "quote": line.text, "title": title, **given})
        for line, title in zip(lines, titles, strict=True)
    ]


def known_in(file: LargeFile, **given: Any) -> list[KnownFinding]:
    """Each of these findings as an earlier review told it."""
    return [a_known(each, id=f"F-{at:012x}", comment_id=str(at), **given) for at, each in enumerate(findings_in(file))]


def source_of(file: LargeFile) -> Source:
    return Source(reading({file.changed.path: file.now}), (file.changed,), (file.changed.path,))


def fresh(file: LargeFile) -> ChangedFile:
    """The changed file, in which nothing is parsed yet."""
    return replace(file.changed)


def plan_of(now: LargeFile, before: LargeFile, known: Sequence[KnownFinding]) -> ReviewPlan:
    threads = [a_thread(finding=each.id, comment_id=each.comment_id) for each in known]
    read = loaded([now.changed], remembered([before.changed]), known, threads)
    return ReviewPlan(read, {each.id: Stance() for each in known}, a_scope([]), rechecked=tuple(known))


# Each prepares the work for an input of a size.


def parsing(size: int) -> Work:
    patch = large_file(size, alike=True).changed.patch or ""
    return lambda: parse_patch(patch)


def comparing_snapshots(size: int) -> Work:
    now, then = (fresh(large_file(count, alike=True)) for count in (size, size - 1))

    def work() -> object:
        before, after = (Snapshot.of([file], "settings") for file in (then, now))
        return difference(after, before), after.after(before)

    return work


def rebuilding_a_patch(size: int) -> Work:
    made = large_file(20 * size)
    contents = {name: "\n".join(lines).encode() for name, lines in (("1", made.then), ("2", made.now))}
    old, new = (Entry("100644", name, len(content)) for name, content in contents.items())
    file = replace(made.changed, patch=None, blob="2")
    return lambda: with_contents(file, old, new, lambda entry: contents[entry.oid]).hunks


def cutting_a_long_line(size: int) -> Work:
    """With a change in every hundredth statement."""
    now, then = (
        ";".join(f"x{at:06}={at % 100:02}{'' if at % 100 else sign}" for at in range(200 * size)) for sign in "ab"
    )
    return lambda: cuts([("-", then), ("+", now)])


def reading_a_notebook(size: int) -> Work:
    book = json.dumps(
        {"cells": [{"cell_type": "code", "source": ["a\n"] * 20, "outputs": ["b"] * 20}] * size}, indent=1
    )
    file = added("a.ipynb", *book.split("\n"))
    return lambda: with_cells(replace(file), None, book)


def comparing_lock_files(size: int) -> Work:
    """All versions are one package's, each from a host of its own."""
    files = [
        npm(
            {
                f"{at}/node_modules/a": {"version": str(at), "resolved": f"{side}{at}.example/a.tgz"}
                for at in range(size)
            }
        )
        for side in ("https://old", "http://new")
    ]
    return lambda: lock_file_change("package-lock.json", *files)


def scoping(size: int) -> Work:
    file = fresh(large_file(size))
    changed = {file.path: range(0, size, 2)}
    return lambda: choose_scope([file], Unread("full", "requested", changed), batch_tokens=60_000, read_files=1)


def planning(size: int) -> Work:
    """A file of text, so that nothing is outlined."""
    now, then = (large_file(size, "notes.txt", suffix=suffix) for suffix in (" # new", ""))
    view = RepositoryView(FilesTree({"notes.txt": "\n".join(now.now)}), PARSER)
    read = loaded([fresh(now)], remembered([then.changed]))
    return lambda: plan_review(read, {}, view, SETTINGS)


def locating(size: int) -> Work:
    file = large_file(size)
    source, found = source_of(file), findings_in(file)
    return lambda: [locate(each.quote, each.path, each.start_line, source) for each in found]


def locating_what_is_nowhere(size: int) -> Work:
    file = large_file(size)
    source = source_of(file)
    return lambda: [locate(f"nothing_{at}()", file.changed.path, None, source) for at in range(size)]


def checking_candidates(size: int) -> Work:
    file = large_file(size)
    source, view = source_of(file), RepositoryView(FilesTree({file.changed.path: "\n".join(file.now)}), PARSER)
    plan = plan_of(file, file, [replace(each, hunk=None) for each in known_in(file)])
    candidates = [Reported("generalist", each) for each in findings_in(file, title="Another problem")]
    change = ChangedLines([file.changed])
    return lambda: check(candidates, prior_findings(plan, {}, source), change, source, NoFacts(view, change))


class NoFacts(Facts):
    """No facts: they are about the repository."""

    def notes(self, findings: Sequence[Finding]) -> list[tuple[str, ...]]:
        return [()] * len(findings)


def reconciling(size: int) -> Work:
    file, before = large_file(size), large_file(size - 1, suffix="  # then")
    hunks = [hunk.key for hunk in file.changed.hunks]
    known = [replace(each, hunk=hunk) for each, hunk in zip(known_in(file), hunks, strict=True)]
    plan, lines = plan_of(file, before, known), reading({file.changed.path: file.now})
    return lambda: reconcile(plan, Reports(), a_judgement(), lines, offline=False)


def restoring(size: int) -> Work:
    file = large_file(size)
    known = known_in(file)
    opening = Opening("**[MAJOR] x**", file.changed.path, (1, 1), (1, 1), "")
    threads = [a_thread(finding=each.id, comment_id=each.comment_id, opening=opening) for each in known]
    return lambda: restored(threads, {each.id: each.finding for each in known}, [file.changed])


def comparing_files(size: int) -> Work:
    """In shorter files each change looks through all lines, which takes little time."""
    file = large_file(20 * size)
    return lambda: changes_since(file.then, file.now)


def comparing_code(size: int) -> Work:
    then = [line for at in range(size) for line in (f"def f_{at}(x):", f"    return ('a', x, {at})", "", "")]
    now = [line.replace("('a', x,", "(\n        'a',\n        x,").split("\n") for line in then]
    return lambda: changed_code("a.py", [row for rows in now for row in rows], then)


def telling(size: int) -> Work:
    """The delta, and the body of a re-review."""
    file = large_file(size)
    updates = [FindingUpdate(each, each) for each in known_in(file)]
    new = [replace(kept(each), id=f"N-{at}") for at, each in enumerate(findings_in(file, title="Another problem"))]
    return lambda: re_review(a_scope([]), delta(new, updates), (), some_details(), HEAD)


def answering_threads(size: int) -> Work:
    known = known_in(large_file(size))
    threads = {each.id: a_thread(finding=each.id) for each in known}
    updates = [FindingUpdate(each, each, transition="resolved") for each in known]
    run = Run(RUN, HEAD, "b" * 40, "running", 0.0)
    return lambda: thread_actions(updates, threads, run)


def embedding_findings(size: int) -> Work:
    body = f"A review.\n\n{review_marker(RUN, HEAD)}"
    named = [(each.id, each.finding) for each in known_in(large_file(size))]
    return lambda: embedded_findings(with_embedded_findings(body, named))


def applying(size: int) -> Work:
    file = large_file(size)
    diff = f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{file.changed.patch}\n"
    tree = {"a.py": TreeEntry(FILE, "".join(f"{line}\n" for line in file.then).encode())}
    return lambda: apply_diff(diff, tree)


PARTS = [
    parsing,
    rebuilding_a_patch,
    cutting_a_long_line,
    reading_a_notebook,
    comparing_lock_files,
    comparing_snapshots,
    scoping,
    planning,
    locating,
    locating_what_is_nowhere,
    checking_candidates,
    reconciling,
    restoring,
    comparing_files,
    comparing_code,
    telling,
    answering_threads,
    embedding_findings,
    applying,
]


def steps(work: Work) -> int:
    """The number of calls, lines and rounds of loops of Python; the work inside a call in C is not seen."""
    count = 0

    def counted(*_: object) -> Any:
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("prepare", PARTS, ids=lambda prepare: prepare.__name__)
def test_four_times_the_input_takes_four_times_the_work(prepare: Callable[[int], Work]) -> None:
    """A comparison of all pairs would take sixteen times; work is counted, so that no clock matters."""
    prepare(1)()  # what is loaded once

    few, many = (steps(prepare(size)) for size in (_SIZE, _TIMES * _SIZE))

    assert few > _SIZE, "there is work"
    assert many < _MOST * few
