"""The tab of changed files, and the diffs in it."""

from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from local.page.changed_files import anchor_of
from local.page.threads import hunk_end
from tests.git_repository import EXECUTABLE, GitRepository
from tests.local.page.reader import Element, Page, Reader
from tests.tables import each_row

PULL = "/acme/widgets/pull/{}"
OLD = "".join(f"line {n}\n" for n in range(1, 41))
NEW = OLD.replace("line 5\n", "line five\n").replace("line 30\n", "line 30\nadded\n")


def files(reader: Reader, number: int, query: str = "") -> Page:
    page = reader.read(f"{PULL.format(number)}/files{query}")
    assert page.status == 200
    return page


def rows(box: Element) -> list[list[str]]:
    """The cells of a diff's lines and headers."""
    lines = [row for row in box.all("tr") if row.attributes.get("class", "").split()[:1] in (["line"], ["hunk"])]
    return [[cell.text for cell in row.all("td")] for row in lines]


@pytest.fixture
def number(open_pull: Callable[..., int]) -> int:
    return open_pull({"src/a.py": OLD, "gone.py": "a\n"}, {"src/a.py": NEW, "gone.py": None, "new.py": "x = 1"})


def test_each_file_is_shown_with_its_lines_on_both_sides(reader: Reader, number: int) -> None:
    """Highlighted in the language of its path; where two lines are alike, what changed within them is marked."""
    page = files(reader, number)

    assert page.one("p", "sum").text == "3 files changed, +3 −2"
    assert rows(page.by_id(anchor_of("src/a.py")))[:6] == [
        ["@@ -2,7 +2,7 @@ line 1"],
        ["2", "2", "", "line 2"],
        ["3", "3", "", "line 3"],
        ["4", "4", "", "line 4"],
        ["5", "", "-", "line 5"],
        ["", "5", "+", "line five"],
    ]
    assert rows(page.by_id(anchor_of("gone.py"))) == [["@@ -1,1 +0,0 @@"], ["1", "", "-", "a"]]
    assert rows(page.by_id(anchor_of("new.py")))[1:] == [["", "1", "+", "x = 1No newline at end of file"]]
    assert page.by_id(anchor_of("new.py")).one("span", "nu").text == "1"
    marked = [row for row in page.by_id(anchor_of("src/a.py")).all("tr", "line") if row.all("b")]
    assert [(row["class"], row.texts("b")) for row in marked] == [("line del", ["5"]), ("line add", ["five"])]
    assert page.by_id("files-wide").texts("p", "folder") == ["src/"]
    links = [link["href"] for link in page.by_id("files-wide").all("a")]
    assert links == [f"#{anchor_of(path)}" for path in ("gone.py", "new.py", "src/a.py")]


def test_a_hunk_that_ends_at_its_comment_is_read() -> None:
    """Its header counts lines that are not there."""
    piece = "@@ -10,7 +10,9 @@ def f():\n 0\n a\n-b\n+c"

    assert [(row.marker, row.old, row.new, row.html) for row in hunk_end("a.txt", piece, 3)] == [
        (" ", 11, 11, "a"),
        ("-", 12, None, "b"),
        ("+", None, 12, "c"),
    ]


def test_side_by_side_pairs_removed_and_added_lines(reader: Reader, open_pull: Callable[..., int]) -> None:
    number = open_pull({"a.txt": "one\ntwo\nthree\n"}, {"a.txt": "one\nTWO\nand\nthree\n"})

    page = files(reader, number, "?diff=split")

    assert rows(page.by_id(anchor_of("a.txt"))) == [
        ["@@ -1,3 +1,4 @@"],
        ["1", "", "one", "1", "", "one"],
        ["2", "-", "two", "2", "+", "TWO"],
        ["", "", "", "3", "+", "and"],
        ["3", "", "three", "4", "", "three"],
    ]


def test_a_file_without_changed_lines_has_a_note(
    reader: Reader, github: LocalGitHub, repository: GitRepository
) -> None:
    base = repository.commit({"run.sh": "#!\n", "old.txt": OLD, "moved.txt": "a\nb\nc\n" * 9, "big.txt": "1\n"})
    after = {"run.sh": "#!\n", "old.txt": None, "kept.txt": OLD, "logo.png": b"\x89PNG\0\1", "empty": ""}
    more = {"moved.txt": None, "here/moved.txt": "a\nb\nc\n" * 9 + "d\n", "big.txt": "a line\n" * 90_000}
    head = repository.commit({**after, **more, "link": "run.sh"}, base, modes={"run.sh": EXECUTABLE, "link": "120000"})
    page = files(reader, github.open_pull_request(head, base))

    quiet = ("run.sh", "kept.txt", "logo.png", "empty")
    told = {path: page.by_id(anchor_of(path)).texts("p", "note") for path in quiet}
    moved = page.by_id(anchor_of("here/moved.txt"))

    assert told == {
        "run.sh": ["File mode changed from regular file to executable file."],
        "kept.txt": ["File renamed without changes."],
        "logo.png": ["Binary file not shown."],
        "empty": ["Empty file."],
    }
    assert page.by_id(anchor_of("link")).texts("p", "note") == ["This is a symbolic link."]
    assert page.by_id(anchor_of("big.txt")).texts("p", "note") == ["This diff is too large to be shown: 720,020 bytes."]
    assert moved.one("h3").text == "moved.txt →renamed to here/moved.txt"
    assert len(moved.all("tr", "add")) == 1


def test_a_large_file_and_a_generated_one_wait_until_they_are_asked_for(
    reader: Reader, open_pull: Callable[..., int]
) -> None:
    """The link shows one more file, those that were asked for before stay shown."""
    number = open_pull({"a.md": "a\n"}, {"a.md": "b\n", "long.py": "x = 1\n" * 401, "go.sum": "x\n"})
    page = files(reader, number)
    long, lock = page.by_id(anchor_of("long.py")), page.by_id(anchor_of("go.sum"))

    first = files(reader, number, long.one("a", "button")["href"].partition("#")[0])
    both = files(reader, number, first.by_id(anchor_of("go.sum")).one("a", "button")["href"].partition("#")[0])
    everything = files(reader, number, page.by_id("unloaded").one("a")["href"])

    assert long.one("p", "note").text == "This diff is large: 401 lines changed. Load diff of long.py"
    assert lock.one("p", "note").text == "This is a lock file. Load diff of go.sum"
    counted = [
        [len(p.by_id(anchor_of(path)).all("tr", "add")) for path in ("a.md", "long.py", "go.sum")]
        for p in (page, first, both, everything)
    ]
    assert counted == [[1, 0, 0], [1, 401, 0], [1, 401, 1], [1, 401, 1]]


def test_the_longer_diffs_of_a_large_change_wait(reader: Reader, open_pull: Callable[..., int]) -> None:
    """All are listed with their counts, and the page stays small."""
    after = {f"src/{n:03}.py": f"value = {n} * {n} + 1\n" * (10 + 2 * n) for n in range(93)}
    number = open_pull({"a.md": "a\n"}, after)

    page = files(reader, number)

    boxes = [page.by_id(anchor_of(path)) for path in after]
    shown = [bool(box.all("table")) for box in boxes]
    assert shown == sorted(shown, reverse=True)
    assert 40 < sum(shown) < 93
    assert boxes[-1].one("p", "note").text.startswith("This is one of the longer diffs of a large change.")
    assert boxes[-1].one("span", "counts").text == "+194 −0"
    assert len(page.by_id("files-wide").all("li")) == 93
    assert page.size < 2_000_000


def test_threads_stand_below_their_lines(
    reader: Reader, github: LocalGitHub, open_pull: Callable[..., int], repository: GitRepository
) -> None:
    """A thread may be on either side, or at a context line by its old number; a file not loaded has it at its foot.

    A thread whose line is gone is only counted.
    """
    long = "x = 1\n" * 401
    number = open_pull({"src/a.py": OLD}, {"src/a.py": NEW, "long.py": long})
    gone = github.comment_on_line(number, "src/a.py", 31, "And this?")
    head = github.state.pulls[number].head_sha
    github.push(number, repository.commit({"src/a.py": NEW.replace("added\n", "gone\n"), "long.py": long}, head))
    added = github.comment_on_line(number, "src/a.py", 5, "New?")
    removed = github.comment_on_line(number, "src/a.py", 5, "Old?", side="LEFT")
    context = github.comment_on_line(number, "src/a.py", 33, "There?", side="LEFT")
    unloaded = github.comment_on_line(number, "long.py", 7, "Why?")

    page, split = files(reader, number), files(reader, number, "?diff=split")

    assert above(page, added)["class"] == "line add"
    assert above(page, removed)["class"] == "line del"
    assert above(page, context).texts("td") == ["33", "34", "", "line 33"]
    assert above(split, context).texts("td") == ["33", "", "line 33", "34", "", "line 33"]
    assert page.by_id("files-wide").texts("span", "threads") == ["💬11 thread", "💬33 threads"]
    waiting = page.by_id(anchor_of("long.py")).one(id=f"thread-{unloaded}")
    assert waiting.texts("tr", "line") == ["4+x = 1", "5+x = 1", "6+x = 1", "7+x = 1"]
    assert f"thread-{gone}" not in page.ids
    note = page.by_id(anchor_of("src/a.py")).one("p", "note").text
    assert note == "1 outdated thread on this file, shown in the conversation"


def above(page: Page, thread: int) -> Element:
    """The row above a thread."""
    table = next(table for table in page.all("tbody") if table.all(id=f"thread-{thread}"))
    found = [each for each in table.children if isinstance(each, Element)]
    return next(found[n - 1] for n, row in enumerate(found) if row.all(id=f"thread-{thread}"))


def test_a_line_number_leads_to_a_form_that_begins_a_thread(reader: Reader, github: LocalGitHub, number: int) -> None:
    row = files(reader, number).by_id(f"{anchor_of('src/a.py')}R5")

    page = files(reader, number, row.one("a")["href"].partition("#")[0])
    form = page.by_id("new")
    fields = {field["name"]: field["value"] for field in form.all("input")}
    answer = reader.send(form["action"], **fields, body="What is this?")

    (comment,) = [each for each in github.state.comments.values() if each.number == number]
    assert (comment.place.path, comment.place.side, comment.place.line, comment.body) == (
        "src/a.py",
        "RIGHT",
        5,
        "What is this?",
    )
    assert answer.headers["location"] == f"{PULL.format(number)}/files#discussion_r{comment.id}"


@each_row("query", ["?path=src/a.py&line=999&side=RIGHT", "?path=no&line=5", "?path=src/a.py&line=x"])
def test_a_line_that_is_not_there_brings_no_form(reader: Reader, number: int, query: str) -> None:
    assert "new" not in files(reader, number, query).ids


def test_files_beyond_the_first_300_are_counted(reader: Reader, open_pull: Callable[..., int]) -> None:
    """A link loads all of them."""
    number = open_pull({"a.md": "a\n"}, {f"{n:03}.txt": f"{n}\n" for n in range(310)})

    page = files(reader, number)
    everything = files(reader, number, page.by_id("unloaded").one("a")["href"])

    assert page.one("p", "sum").text == "310 files changed, +310 −0"
    assert page.by_id("unloaded").text == "10 of 310 diffs are not loaded. Load all diffs"
    assert [len(each.all("details", "file")) for each in (page, everything)] == [300, 310]
