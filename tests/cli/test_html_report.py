"""The HTML report of `kodiai review`: its content, and that nothing of a pull request acts in it."""

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli.html_report import write_report
from cli.results import ChangedFile, Result
from tests.cli.stories import MODEL, PUSHES, everywhere, files_of, known, push, reply, story
from tests.local.page.reader import Element, parsed
from tests.tables import each_row

OURS = frozenset(
    "a article aside b bdi blockquote body br code col colgroup dd del details div dl dt em figcaption figure footer h1"
    " h2 h3 h4 h5 h6 head header hr html input li main meta ol p pre s section small span strong style"
    " summary table tbody td th thead title tr ul".split()
)


def report(
    tmp_path: Path, result: dict[str, Any], diffs: Sequence[Sequence[dict[str, Any]]] = ()
) -> tuple[str, Element]:
    file = tmp_path / "report.html"
    write_report(Result(**result), file, [{one["path"]: ChangedFile(**one) for one in diff} for diff in diffs])
    html = file.read_text(encoding="utf-8")
    return html, parsed(html)


def comment(name: str, **more: Any) -> dict[str, Any]:
    """A comment with the marker of a finding."""
    body = f"**title {name}**\n\n<!-- kodiai:finding id=F-{name:0>12} -->"
    return {"path": f"{name}.py", "line": 1, "body": body, **more}


def test_the_report_stands_alone(tmp_path: Path) -> None:
    """It loads, runs and sends nothing; it has one style sheet, known by its hash; each link leads to one element.

    Links to places of a site, which may be gone, have no target.
    """
    text = "[a](/b) [c](http://127.0.0.1:4000/d)"
    first = push(text, {"path": "a.py", "body": text}, comment("1"), findings=[known("F-000000000001", "open")])
    said = reply(text=text, answer=text, review=push(text, comment("2")))

    html, page = report(tmp_path, story(first, said, *PUSHES[1:]))

    css = re.search(r"<style>(.*?)</style>", html, flags=re.S)
    assert css
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert policy in page.values("meta", "content")
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert not re.search(r"url\(|@import", css[1])
    links, names = page.values("a", "href"), page.values("", "id")
    assert {link[:1] for link in links} == {"#"}
    assert len(names) == len(set(names))
    assert {link[1:] for link in links} | set(page.values("", "aria-labelledby")) <= set(names)


def test_the_latest_push_comes_first_with_its_scope_and_its_figures(tmp_path: Path) -> None:
    _, page = report(tmp_path, story(*PUSHES))

    assert (page.texts("h1"), page.texts("p", "by")) == (["A title"], ["Reviewed by kodiai[bot] in 5 pushes"])
    assert [head.text for head in page.all("header", "push-head")][:4] == [
        "Push 5 incremental aaaaaaa onto bbbbbbb · requested",
        "Push 4 skipped aaaaaaa onto bbbbbbb · the pull request is a draft",
        "Push 3 unchanged aaaaaaa onto bbbbbbb · since abc1234",
        "Push 2 incremental aaaaaaa onto bbbbbbb · requested",
    ]
    assert (
        "1 new · 1 resolved · 1 still open · 1 dismissed · 1 thread resolved · incremental · 2/3 files read · 4/5 hunks"
        " reviewed · model: 2 calls, 1,500 tokens in (500 from cache), 80 out · GitHub: 8 calls (1 write) · 2.5 s"
    ) in page.texts("p", "dim")


@each_row(("mode", "statuses", "sentence"), [
    (None, [], "Nothing was posted: same diff."),
    ("unchanged", [], "Nothing was posted: no hunk has changed (same diff)."),
    ("incremental", [], "Nothing was posted: nothing new to report (same diff)."),
    ("incremental", ["open"],
     "Nothing was posted: nothing is new, and the open findings were reported before (same diff)."),
])  # fmt: skip
def test_a_push_without_a_review_has_the_reason(
    tmp_path: Path, mode: str | None, statuses: list[str], sentence: str
) -> None:
    silent = push(mode=mode, reason="same diff", review=None, findings=[known("a", status) for status in statuses])

    _, page = report(tmp_path, story(silent))

    assert page.texts("p", "quiet") == [sentence]


def test_the_review_is_rendered_as_on_github(tmp_path: Path) -> None:
    """The rules of Markdown are those of the pages; headings come below those of the report."""
    _, page = report(
        tmp_path, story(push("<details><summary>All</summary>\n\n# Verdict\n\n:tada: **Yes**\n\n</details>"))
    )

    (review,) = page.all("article", "review")
    assert (review.one("details").texts("h3"), review.one("details").texts("p")) == (["Verdict"], ["🎉 Yes"])
    assert "open" not in review.one("details").attributes


ADDED = {"path": "a.py", "patch": "@@ -0,0 +1,9 @@\n" + "\n".join(f"+{number}" for number in range(1, 10))}
CHANGED = {"path": "a.py", "patch": "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three"}


@each_row(("where", "diff", "title", "rows"), [
    ({"line": 8}, ADDED, "a.py:8", ["5+5", "6+6", "7+7", "8+8"]),
    ({"line": 7, "start_line": 2}, ADDED, "a.py:2-7", ["2+2", "3+3", "4+4", "5+5", "6+6", "7+7"]),
    ({"line": 2}, CHANGED, "a.py:2", ["11 one", "2-two", "2+zwei"]),
    ({"line": 2, "side": "LEFT"}, CHANGED, "a.py:2 (old side)", ["11 one", "2-two"]),
    ({"line": 9}, CHANGED, "a.py:9", []),
    ({"line": None}, CHANGED, "a.py", []),
    ({"line": 1}, {"path": "a.py", "patch": None, "status": "added"}, "a.py:1", []),
    ({"line": 1}, {"path": "a.py", "patch": "no patch at all"}, "a.py:1", []),
    ({"line": 1}, {"path": "b.py"}, "a.py:1", []),
])  # fmt: skip
def test_a_comment_is_below_the_end_of_its_hunk(
    tmp_path: Path, where: dict[str, Any], diff: dict[str, Any], title: str, rows: list[str]
) -> None:
    """Four lines of it, or all that it is about; only the place where the diff has no such line."""
    _, page = report(tmp_path, story(push("x", {"path": "a.py", "body": "Why **this**?", **where})), [[diff]])

    shown = page.one(id="push-1-comment-1")
    assert (shown.texts("h3"), shown.texts("tr", "line")) == ([title], rows)
    assert shown.one("div", "comment").text == "Why this?"


def test_a_suggestion_is_a_diff_of_the_lines_that_it_replaces(tmp_path: Path) -> None:
    suggestion = {"path": "a.py", "line": 2, "body": "```suggestion\nzwo\n```"}

    _, page = report(tmp_path, story(push("x", suggestion)), [[CHANGED]])

    assert page.texts("figure", "suggestion") == ["Suggested change-zwei+zwo"]


def test_each_finding_has_its_changes_push_by_push(tmp_path: Path) -> None:
    html, page = report(tmp_path, story(*PUSHES))

    assert page.one("table", "lives").texts("tr") == [
        "1 2 3 4 5 Finding",
        "● ✓ ● CRITICAL title a a.py",
        "● – MAJOR title b b.py",
        "● ○ ✓ MAJOR title c c.py",
        "● ○ MAJOR title d d.py",
    ]
    steps = re.findall(r'<td class="step (\w+)">', html)
    assert steps[:10] == ["new", "resolved", "new", "unknown", "unknown", "new", "dismissed", *["unknown"] * 3]
    assert page.one("details", "overview").texts("p") == ["● new ○ still open ✓ resolved – dismissed"]


def test_a_finding_leads_to_the_latest_comment_with_its_marker(tmp_path: Path) -> None:
    """A comment of another finding at its line is not its own."""
    mine, other, silent = (known(f"F-{name:0>12}", "open", title=f"t{name}") for name in "123")
    pushes = [push("x", comment("1"), comment("2"), findings=[mine, other, silent]), push("x", comment("1"))]

    _, page = report(tmp_path, story(*pushes))

    links = {link.text: link["href"] for link in page.one("table", "lives").one("tbody").all("a")}
    assert links == {"t1": "#push-2-comment-1", "t2": "#push-1-comment-2"}


def test_a_reply_is_below_its_push_with_the_review_that_it_requested(tmp_path: Path) -> None:
    said = reply(text="Won't fix: <b>by design</b>", model=MODEL, review=push("Again.", comment("1")))
    before = push("x", findings=[known("F-1", "open"), known("F-2", "open")])

    html, page = report(tmp_path, story(before, said, push("y")))

    assert page.one(id="reply-1").text == (
        "aann write on comment 1, src/orders.py:12 Won't fix: by design "
        "Understood as: won't fix done 1 finding dismissed. 👀 👍 "
        "Noted: won't fix. "
        "F-1 dismissed (won't fix) by ann "
        "model: 2 calls, 1,500 tokens in (500 from cache), 80 out · 500 ms"
    )
    places = [html.index(f'id="{name}"') for name in ("push-2", "push-1", "reply-1", "reply-1-comment-1")]
    assert places == sorted(places)


@each_row(("result", "by"), [
    ({"pushes": [{"head": "a" * 40, "model": None, "github": None}]}, "in 1 push"),
    (story(), "Reviewed by kodiai[bot] in 0 pushes"),
])  # fmt: skip
def test_a_result_with_little_in_it_is_a_report_too(tmp_path: Path, result: dict[str, Any], by: str) -> None:
    """Earlier versions wrote fewer fields."""
    _, page = report(tmp_path, result)

    assert page.one("p", "by").text.endswith(by)


SCRIPT = "</style></title></code></details>--><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}&lt;"


def test_nothing_in_a_pull_request_can_put_html_into_the_report(tmp_path: Path) -> None:
    """Every text is shown character by character."""
    html, page = report(tmp_path, everywhere(SCRIPT), [files_of(SCRIPT)] * 2)

    assert {each.tag for each in page.walk()} - {"page"} <= OURS
    names = {name for each in page.walk() for name in each.attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"style", "src", "srcset"}
    assert all(href.startswith("#") for href in page.values("a", "href"))
    assert html.count("<script") == 0
    assert page.texts("h1") == [SCRIPT]
    assert page.text.replace(" ", "").count("<script>alert(1)</script>") > 25


def test_characters_that_act_are_shown(tmp_path: Path) -> None:
    """A turn of direction in a path or in code cannot make it read as another one; lone surrogates are no error."""
    trojan = "a\u202eb\udcff\x00.py"

    html, page = report(tmp_path, everywhere(trojan), [files_of(trojan)] * 2)

    assert not re.search("[\x00\u202e\udcff]", html)
    assert page.texts("h1") == ["a⟨U+202E⟩b�␀.py"]
    assert page.texts("tr", "line")[0] == "1+a⟨U+202E⟩b�␀.py"
