"""What the HTML report shows, and what can never get into it."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.html_report import write_report
from cli.results import ChangedFile, Result
from local.rendering.labels import scope_reason
from tests.local.page.reader import Element, parsed

EXAMPLE = json.loads((Path(__file__).parent / "example.json").read_text(encoding="utf-8"))
DIFFS = EXAMPLE["diffs"]
OURS = frozenset(
    "a article aside b bdi blockquote body br code col colgroup dd del details div dl dt em figcaption figure footer h1"
    " h2 h3 h4 h5 h6 head header hr html input li main meta meter nav ol p pre s section small span strong style"
    " summary table tbody td th thead title tr ul".split()
)


def report(
    tmp_path: Path, result: dict[str, Any], diffs: Sequence[Sequence[dict[str, Any]]] = ()
) -> tuple[str, Element]:
    file = tmp_path / "report.html"
    write_report(Result(**result), file, [{one["path"]: ChangedFile(**one) for one in diff} for diff in diffs])
    html = file.read_text(encoding="utf-8")
    return html, parsed(html)


def result_of(body: str, *comments: dict[str, Any], **more: Any) -> dict[str, Any]:
    review = {"event": "COMMENT", "body": body, "comments": list(comments)}
    push = {"head": "a" * 40, "base": "b" * 40, "mode": "full", "reason": "requested", "review": review, **more}
    return {"repository": "o/r", "pull_request": 7, "title": "A title", "reviewer": "kodiai[bot]", "pushes": [push]}


def body_of(tmp_path: Path, text: str) -> str:
    """The HTML of a review's summary."""
    html, _ = report(tmp_path, result_of(text))
    found = re.search(r'<div class="prose" dir="auto">(.*?)</div>\s*</article>', html, flags=re.S)
    assert found
    return found[1].strip()


def test_the_page_stands_alone(tmp_path: Path) -> None:
    """It loads nothing, runs nothing, sends nothing; only its one style sheet is obeyed, known by its hash."""
    html, page = report(tmp_path, EXAMPLE["result"], DIFFS)

    css = re.search(r"<style>(.*?)</style>", html, flags=re.S)
    assert css
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert policy in page.values("meta", "content")
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert {each.tag for each in page.walk()} - {"page"} <= OURS
    assert not re.search(r"url\(|@import", css[1])
    assert all(href.startswith("#") for href in page.values("a", "href"))
    assert not page.values("", "style") + page.values("", "src")


def test_every_push_is_headed_by_what_it_is(tmp_path: Path) -> None:
    """Heads, bases, modes and reasons, the latest first: that is what somebody wants to read."""
    _, page = report(tmp_path, EXAMPLE["result"], DIFFS)

    pushes = EXAMPLE["result"]["pushes"]
    assert page.texts("h1") == ["Refund orders, and export them for the accountants"]
    assert page.texts("h2") == ["Overview", "Push 3", "Push 2", "Push 1"]
    assert page.texts("p", "commits") == [
        f"{one['head'][:7]} onto {one['base'][:7]} {scope_reason(one['reason'])}" for one in reversed(pushes)
    ]


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    """Each address on the page is the name of exactly one element; names are given once."""
    _, page = report(tmp_path, EXAMPLE["result"], DIFFS)

    names = page.values("", "id")
    links = [href[1:] for href in page.values("a", "href")]
    labels = page.values("", "aria-labelledby")
    assert len(names) == len(set(names))
    assert set(links) | set(labels) <= set(names)
    # HistoryEntry the head; the pushes, twice; each finding's life: all have a comment.
    assert len(links) == 1 + 2 * 3 + 11


def test_a_skipped_push_says_why(tmp_path: Path) -> None:
    """Nothing was posted, with the reason, and no empty tables."""
    result = EXAMPLE["result"] | {"pushes": EXAMPLE["result"]["pushes"][2:]}

    _, page = report(tmp_path, result)

    assert page.texts("div", "quiet") == ["Nothing was posted The pull request is a draft."]
    assert page.texts("ul", "findings") == []


@pytest.mark.parametrize(
    ("mode", "statuses", "sentence"),
    [
        ("unchanged", [], "No hunk has changed (same diff)."),
        ("incremental", [], "Nothing new to report (same diff)."),
        ("incremental", ["open"], "Nothing is new, and the open findings were reported before (same diff)."),
    ],
)
def test_a_push_without_a_review_says_which_kind_of_nothing_it_was(
    tmp_path: Path, mode: str, statuses: list[str], sentence: str
) -> None:
    """Not asked, nothing found and nothing new are told apart."""
    findings = [{"id": "F-1", "path": "a.py", "title": "t", "status": status} for status in statuses]

    _, page = report(tmp_path, result_of("", mode=mode, reason="same diff", review=None, findings=findings))

    assert page.texts("div", "quiet") == [f"Nothing was posted {sentence}"]


def test_the_summary_is_rendered_as_on_github(tmp_path: Path) -> None:
    """Details, headings below the push's own, emoji, severities, tasks, line breaks, tables."""
    text = (
        "<details><summary>Kodiai Review Summary</summary>\n\n## Verdict\n\n:red_circle: **No** -- why\n\n"
        "[MAJOR] a.py (3): title\nBecause.\n\n- [x] done\n\n| a | b |\n|--|-:|\n| 1 | 2 |\n\n"
        "</details>\n\n<!-- run=1 -->"
    )

    assert body_of(tmp_path, text).replace("\n", "") == (
        "<details><summary>Kodiai Review Summary</summary>"
        "<h4>Verdict</h4><p>🔴 <strong>No</strong> -- why</p>"
        '<p><span class="severity major">MAJOR</span> a.py (3): title<br>Because.</p>'
        '<ul class="contains-task-list">'
        '<li class="task"><input type="checkbox" disabled="" checked="" aria-label="done">done</li></ul>'
        '<table><thead><tr><th>a</th><th align="right">b</th></tr></thead>'
        '<tbody><tr><td>1</td><td align="right">2</td></tr></tbody></table></details>'
    )


def rows(page: Element, kind: str) -> list[str]:
    return page.texts("tr", kind)


def test_a_comment_stands_below_its_line_with_the_hunk_around_it(tmp_path: Path) -> None:
    """Both sides are numbered, changes are marked, and the commented lines are pointed at."""
    diff = [{"path": "a.py", "status": "modified", "patch": "@@ -3,3 +3,3 @@ def f():\n x = 1\n-y = 2\n+y = 3\n z = 4"}]
    comment = {"path": "a.py", "line": 4, "start_line": 3, "body": "Why **3**?"}

    html, page = report(tmp_path, result_of("x", comment), [diff])

    assert rows(page, "line") == ["33 x = 1", "4-y = 2", "4+y = 3", "55 z = 4"]
    assert rows(page, "hit") == ["33 x = 1", "4+y = 3"]
    assert rows(page, "hunk") == ["@@ -3,3 +3,3 @@ def f():"]
    assert page.texts("article", "comment") == ["kkodiai[bot] a.py:3-4 Why 3?"]
    assert html.index("<td>+</td>") < html.index("Why <strong>") < html.index("<td>5</td>")


def test_lines_far_from_any_comment_are_folded(tmp_path: Path) -> None:
    """Six lines on each side stay; the rest opens on a click; nothing is lost."""
    patch = "@@ -0,0 +1,40 @@\n" + "\n".join(f"+line {number}" for number in range(1, 41))
    comment = {"path": "a.txt", "line": 20, "body": "?"}

    _, page = report(tmp_path, result_of("x", comment), [[{"path": "a.txt", "patch": patch}]])

    assert [re.findall(r"line (\d+)", fold) for fold in page.texts("details", "fold")] == [
        [str(number) for number in range(1, 14)],
        [str(number) for number in range(27, 41)],
    ]
    assert page.texts("summary") == ["13 more lines", "14 more lines"]
    assert len(rows(page, "line")) == 40


def test_thousands_of_far_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    """A page about a huge file stays small."""
    patch = "@@ -0,0 +1,9000 @@\n" + "\n".join(f"+line {number}" for number in range(1, 9001))
    comment = {"path": "a.txt", "line": 1, "body": "?"}

    html, page = report(tmp_path, result_of("x", comment), [[{"path": "a.txt", "patch": patch}]])

    assert page.texts("details", "fold") == ["8,993 more lines too many lines to be shown here"]
    assert len(html) < 40_000


def test_a_suggestion_is_a_diff_of_the_lines_that_it_replaces(tmp_path: Path) -> None:
    """Gone and come, in the file's colours; a suggestion of nothing only takes away."""
    diff = [{"path": "a.py", "patch": "@@ -1 +1,3 @@\n a\n+b = 1\n+c = 2"}]
    comments = [
        {"path": "a.py", "line": 3, "start_line": 2, "body": "```suggestion\nb = 2\n```"},
        {"path": "a.py", "line": 2, "body": "```suggestion\n```"},
    ]

    html, page = report(tmp_path, result_of("x", *comments), [diff])

    assert page.texts("figure", "suggestion") == ["Suggested change-b = 1", "Suggested change-b = 1-c = 2+b = 2"]
    assert '<div class="row add"><span class="mark">+</span><code>b = <span class="nu">2</span></code></div>' in html


@pytest.mark.parametrize(
    "diff",
    [
        [],
        [{"path": "a.py", "patch": None, "status": "added"}],
        [{"path": "a.py", "patch": "no patch at all"}],
        [{"path": "a.py", "patch": "@@ -1 +1 @@\n-a\n+b"}],
    ],
)
def test_a_comment_whose_line_is_not_in_the_diff_is_shown_all_the_same(
    tmp_path: Path, diff: list[dict[str, Any]]
) -> None:
    """No diff, no patch, an unreadable one, another line: the comment stands with its place."""
    comments: list[dict[str, Any]] = [
        {"path": "a.py", "line": 9, "body": "Here."},
        {"path": "a.py", "line": None, "body": "All of it."},
    ]

    _, page = report(tmp_path, result_of("x", *comments), [diff])

    assert page.texts("article", "comment") == ["kkodiai[bot] a.py:9 Here.", "kkodiai[bot] a.py All of it."]


def test_a_comment_on_removed_lines_stands_below_those(tmp_path: Path) -> None:
    """Side LEFT counts the old file's lines, and says so."""
    diff = [{"path": "a.txt", "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+zwei"}]
    comment = {"path": "a.txt", "line": 2, "side": "LEFT", "body": "Why?"}

    html, page = report(tmp_path, result_of("x", comment), [diff])

    assert rows(page, "hit") == ["2-two"]
    assert page.texts("span", "place") == ["a.txt:2 (old side)"]
    assert html.index("<code>two") < html.index("Why?") < html.index("<code>zwei")


def test_of_two_comments_at_one_line_a_finding_leads_to_the_one_with_its_title(tmp_path: Path) -> None:
    """Unmarked comments are told apart by what they say; a finding without any is no link."""
    comments = [{"path": "a.py", "line": 2, "body": "**Other**"}, {"path": "a.py", "line": 2, "body": "**Mine**"}]
    findings = [
        {"status": "open", "severity": "MAJOR", "category": "tests", "path": "a.py", "line": 2, "title": "Mine"},
        {"status": "open", "severity": "MINOR", "category": "style", "path": "b.py", "line": 3, "title": "`x`"},
    ]

    html, _ = report(tmp_path, result_of("x", *comments, findings=findings))

    assert '<a href="#push-1-comment-2">Mine</a>' in html
    assert '<bdi class="title"><code>x</code></bdi>' in html


def known(name: str, status: str, **more: Any) -> dict[str, Any]:
    """A finding called "F-000000000001" and so on, with a title like "T1"."""
    there = {"severity": "MAJOR", "category": "tests", "path": f"{name}.py", "line": 1, "title": f"T{name}"}
    return {"id": f"F-{name:0>12}", "status": status, **there, **more}


def pushed(head: str, mode: str | None, *findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A push; the findings in `told` have a comment in its review, without which nothing was posted."""
    told = more.pop("told", None)
    comments = [
        {"path": f"{name}.py", "line": 1, "body": f"**T{name}**\n\n<!-- kodiai:finding id=F-{name:0>12} -->"}
        for name in told or ""
    ]
    review = None if told is None else {"body": "x", "comments": comments}
    asked = {"hunks_total": 9, "files_total": 4, "findings": findings, "review": review}
    return {"head": head * 40, "mode": mode, "reason": "why", **asked, **more}


STORY = {
    "pushes": [
        pushed(
            "a",
            "full",
            *(known(name, "open") for name in "12345"),
            known("6", "open", severity="MINOR"),
            told="1234",
            delta={"new": 6},
            hunks_asked=9,
            files_read=4,
            model={"calls": 2, "input_tokens": 1000, "cache_read_tokens": 200, "cache_write_tokens": 30},
        ),
        pushed(
            "b",
            "incremental",
            known("1", "fixed"),
            known("2", "fixed"),
            known("3", "wont_fix", settled_by="ann"),
            known("4", "conceded", settled_by="bob"),
            known("5", "dismissed"),
            known("6", "open"),
            known("7", "open"),
            told="7",
            delta={"new": 1, "resolved": 3, "still_open": 1, "settled": 2},
            threads_resolved=["F-000000000001", "F-000000000004"],
            hunks_asked=2,
            files_read=1,
        ),
        pushed(
            "c",
            "unchanged",
            known("1", "open"),
            *(known(name, "fixed") for name in "27"),
            known("6", "open"),
            delta={"resolved": 1, "still_open": 2},
        ),
        pushed("d", None),
    ]
}


def test_the_overview_has_a_row_for_each_push_and_a_life_for_each_finding(tmp_path: Path) -> None:
    """How the pull request developed is seen without reading any review; all input tokens count."""
    html, page = report(tmp_path, STORY)

    assert page.texts("tr") == [
        "Push Head Scope Hunks reviewed Tokens in New ● Resolved ✓ Still open ○ Dismissed –",
        "1 aaaaaaa full 9/9 1,230 6",
        "2 bbbbbbb incremental 2/9 1 3 1 2",
        "3 ccccccc unchanged 0/9 1 2",
        "4 ddddddd skipped",
        "1 2 3 4 Finding",
        "● ✓ ● MAJOR T1 1.py",
        "● ✓ MAJOR T2 2.py",
        "● – MAJOR T3 3.py",
        "● – MAJOR T4 4.py",
        "● – MAJOR T5 5.py",
        "● ○ ○ MAJOR T6 6.py",
        "● ✓ MAJOR T7 7.py",
    ]
    steps = re.findall(r'<td class="step (\w+)">', html)
    assert steps[:8] == ["new", "resolved", "new", "unknown", "new", "resolved", "closed", "unknown"]
    assert page.texts("p", "legend") == ["● new ○ still open ✓ resolved – dismissed"]


def test_each_push_says_what_it_came_to_and_what_was_asked(tmp_path: Path) -> None:
    """What is not zero is a badge; a skipped push has none."""
    _, page = report(tmp_path, STORY)

    assert page.texts("p", "came") == [
        "1 resolved 2 still open 0 of 9 hunks reviewed, 0 of 4 files read",
        "1 new 3 resolved 1 still open 2 dismissed 2 threads resolved 2 of 9 hunks reviewed, 1 of 4 files read",
        "6 new 9 of 9 hunks reviewed, 4 of 4 files read",
    ]


def test_a_finding_never_leads_to_another_ones_comment(tmp_path: Path) -> None:
    """A marked comment belongs to the finding that it names, whatever else is at its line."""
    comment = {"path": "a.py", "line": 2, "body": "**Mine**\n\n<!-- kodiai:finding id=F-00000000000a -->"}
    mine = {"id": "F-00000000000a", "path": "a.py", "line": 5, "title": "Mine, moved"}
    other = {"id": "F-00000000000b", "path": "a.py", "line": 2, "title": "Mine"}

    html, _ = report(tmp_path, result_of("x", comment, findings=[mine, other]))

    assert set(re.findall(r'<a href="#push-1-comment-1">(.*?)</a>', html)) == {"Mine, moved"}


def test_the_figures_are_all_there(tmp_path: Path) -> None:
    """Files, hunks, model, cache, GitHub, time; routes; what was not read and why."""
    result = EXAMPLE["result"] | {"pushes": EXAMPLE["result"]["pushes"][:1]}

    _, page = report(tmp_path, result, DIFFS)

    assert dict(zip(page.texts("dt"), [text for text in page.texts("dd") if text], strict=True)) == {
        "Files read": "8 of 10",
        "Hunks reviewed": "11 of 13",
        "Model calls": "5",
        "Tokens in": "69,176",
        "Tokens out": "3,911",
        "Cache read": "18,204",
        "Cache write": "9,102",
        "Characters sent": "148,213",
        "GitHub calls": "8 3 writes",
        "Time": "38.2 s 2.3 s CPU",
    }
    assert page.texts("ul", "paths")[0] == "web/vendor/chart.min.js vendoredpoetry.lock lock file"
    assert "GET /repos/{owner}/{repo}/pulls/{pull_number}1" in page.texts("tr")


SCRIPT = "</style></title></code></details>--><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}&lt;"


def test_nothing_in_a_pull_request_can_put_html_into_the_page(tmp_path: Path) -> None:
    """Whatever text is hostile, the page has our elements only, and shows the text."""
    comment = {
        "path": SCRIPT,
        "line": 1,
        "body": f"{SCRIPT}\n\n```{SCRIPT}\n{SCRIPT}\n```\n\n```suggestion\n{SCRIPT}\n```",
    }
    finding = dict.fromkeys(("id", "status", "severity", "category", "path", "title"), SCRIPT)
    body = f"<details><summary>{SCRIPT}</summary>\n\n# {SCRIPT}\n\n[a]({SCRIPT}) `{SCRIPT}`\n\n- {SCRIPT}\n\n{SCRIPT}"
    result = result_of(
        body, comment, findings=[finding, finding | {"line": 1}], skipped=[{"path": SCRIPT, "reason": SCRIPT}]
    )
    result["pushes"][0] |= {"mode": SCRIPT, "reason": SCRIPT, "head": SCRIPT, "base": SCRIPT, "changed_files": [SCRIPT]}
    result["pushes"][0] |= {"github": {"calls": 1, "by_route": {SCRIPT: 1}}, "threads_resolved": [SCRIPT]}
    result["pushes"].append(result["pushes"][0] | {"review": None})
    result |= {"title": SCRIPT, "repository": SCRIPT, "reviewer": SCRIPT}
    diff = [{"path": SCRIPT, "previous_path": SCRIPT, "status": SCRIPT, "patch": f"@@ -0,0 +1 @@ {SCRIPT}\n+{SCRIPT}"}]

    html, page = report(tmp_path, result, [diff])

    assert {each.tag for each in page.walk()} - {"page"} <= OURS
    names = {name for each in page.walk() for name in each.attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"style", "src", "srcset"}
    assert all(href.startswith("#") for href in page.values("a", "href"))
    assert html.count("<script") == 0
    assert page.texts("h1") == [SCRIPT]
    assert page.text.replace(" ", "").count("<script>alert(1)</script>") > 25


def test_acting_characters_are_shown_wherever_they_come_from(tmp_path: Path) -> None:
    """A turn of direction in a path or in code cannot make it read as another one; lone surrogates are no error."""
    trojan = "a\u202eb\udcff\x00.py"
    diff = [{"path": trojan, "patch": f"@@ -0,0 +1 @@\n+{trojan}\r"}]
    result = result_of("x", {"path": trojan, "line": 1, "body": trojan}, findings=[{"path": trojan, "title": trojan}])
    result["title"] = trojan

    html, page = report(tmp_path, result, [diff])

    assert not re.search("[\x00\u202e\udcff]", html)
    assert page.texts("h1") == ["a⟨U+202E⟩b�␀.py"]
    assert rows(page, "line") == ["1+a⟨U+202E⟩b�␀.py"]


def test_a_result_without_fields_that_come_later_is_enough(tmp_path: Path) -> None:
    """Only the head of a push is needed; what is missing counts as nothing."""
    _, page = report(tmp_path, {"pushes": [{"head": "a" * 40, "model": None, "github": None}]})

    assert page.texts("h2") == ["Overview", "Push 1"]


def test_no_push_at_all_is_a_page_too(tmp_path: Path) -> None:
    """The page says that there were none."""
    _, page = report(tmp_path, {"repository": "o/r", "pull_request": 7, "title": "t", "reviewer": "k", "pushes": []})

    assert page.texts("p", "by") == ["Reviewed by k in 0 pushes"]


def with_reply(after: int, **more: Any) -> dict[str, Any]:
    """The example with a reply after one of its pushes, from 0, to that push's first comment as it is printed."""
    pushes = EXAMPLE["result"]["pushes"]
    settled = {**pushes[after]["findings"][0], "status": "wont_fix", "settled_by": "ann"}
    reply = {
        "kind": "reply",
        "by": "ann",
        "role": "write",
        "to": {"comment": 1, "path": "a.py", "line": 3, "finding": settled["id"]},
        "text": "Won't fix: <b>by design</b>",
        "understood": "won't fix",
        "outcome": "done",
        "reason": "1 finding dismissed.",
        "answer": "Noted: `a.py` **stays**.",
        "reactions": ["eyes", "+1"],
        "model": {"calls": 1, "input_tokens": 1200, "output_tokens": 80},
        "findings": [settled, *pushes[after]["findings"][1:]],
        "review": None,
        "seconds": 2.0,
        **more,
    }
    events = [{"kind": "push", **push} for push in pushes]
    return {**EXAMPLE["result"], "events": [*events[: after + 1], reply, *events[after + 1 :]]}


def test_a_reply_stands_between_the_pushes(tmp_path: Path) -> None:
    """Who said what to which comment, what was understood and answered, and what changed of the findings."""
    _, page = report(tmp_path, with_reply(0), DIFFS)

    assert page.texts("h2") == ["Overview", "Push 3", "Push 2", "Push 1", "Replies after push 1"]
    finding = EXAMPLE["result"]["pushes"][0]["findings"][0]["id"]
    [shown] = page.texts("article", "reply")
    assert shown == (
        "aann write on comment 1, a.py:3 Won't fix: by design "
        "Understood as: won't fix done 1 finding dismissed. 👀 👍 "
        "kClaude replied Noted: a.py stays. "
        f"{finding} dismissed (won't fix) by ann "
        "1 model call, 1,200 tokens in, 80 out · 2 s"
    )


def test_a_reply_leads_to_the_comment_that_it_answers(tmp_path: Path) -> None:
    """Comments are counted as they are printed: file by file, each from its top."""
    comments = [{"path": path, "line": line, "body": f"{path} {line}"} for path, line in [("a", 9), ("b", 1), ("a", 2)]]
    result = result_of("x", *comments)
    reply = {"kind": "reply", "by": "ann", "to": {"comment": 2, "path": "a", "line": 9}, "text": "Hm."}
    result["events"] = [{"kind": "push", **result["pushes"][0]}, reply]

    html, page = report(tmp_path, result)

    assert '<a href="#push-1-comment-1">comment 2, a:9</a>' in html
    assert "a 9" in page.texts("article", "comment")[0]


def test_the_review_that_a_reply_leads_to_stands_below_it(tmp_path: Path) -> None:
    """With its comments; every name on the page is given once, and every link leads somewhere."""
    asked = {
        "head": "a" * 40,
        "mode": "full",
        "review": {"body": "Again.", "comments": [{"path": "a.py", "body": "?"}]},
    }

    html, page = report(tmp_path, with_reply(1, review=asked), DIFFS)

    names = page.values("", "id")
    assert len(names) == len(set(names))
    assert {href[1:] for href in page.values("a", "href")} <= set(names)
    assert html.index('id="reply-1"') < html.index('id="reply-1-review"') < html.index('id="reply-1-comment-1"')
    assert html.index('id="reply-1-comment-1"') < html.index('id="push-1"')
