"""What the offline reviewer answers to people: what its rules say of a finding, and that it understands nothing."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kodiai.core.conversation.comment import Discussion
from kodiai.core.conversation.context import (
    ConversationMaterial,
    ThreadMaterial,
    conversation_context,
    thread_context,
)
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding, Status
from local.model import OfflineReviewer, is_answer, is_find
from local.model.answers import Reply, Request
from tests.builders import a_pull_request
from tests.local.model.conversation import READ_FILE, lines_of

WHO = "This is the offline reviewer: there is no model key, so no model has read what you said."
BAD = "import os\n\n\ndef add(item, items=[]):\n    return items\n"
DEFAULT = Finding(
    severity="MEDIUM",
    category="correctness",
    kind="impact",
    path="src/b.py",
    start_line=4,
    end_line=4,
    title="A mutable default argument",
    explanation="The default is made once, e.g. here. A second call sees it.",
    quote="def add(item, items=[]):",
)
WHY = "The default is made once, e.g. here."
STANDS = f"{WHO} By its rules, the code at `src/b.py:4` still reads so, and the finding stands. {WHY}"
ELSEWHERE = "The quoted code reads otherwise now, and the same rule still finds the problem at `src/b.py:4`"
GONE = f"{WHO} The code that the finding quotes no longer stands in `src/b.py` at the head."
UNREAD = f"{WHO} `src/b.py` could not be read as far as necessary, so it cannot say how the finding stands."
NOW = (4, 4)


def thread(
    at: tuple[int, int] | None = None,
    text: str | None = BAD,
    finding: Finding | None = DEFAULT,
    status: Status = "open",
) -> str:
    """A thread about a finding, as the system tells of it."""
    known = KnownFinding("F-1", finding, status, None) if finding else None
    material = ThreadMaterial(
        pull_request=a_pull_request(), title="T", finding=known, history=(), opening=None if known else "Hm.",
        discussion=Discussion(1, None, "src/b.py", 4, "@@ -0,0 +1,5 @@\n+def add(item, items=[]):", ()),
        lines=lines_of(text) if text is not None else None, at=at, turns=(),
    )  # fmt: skip
    return thread_context(material, 8000)


def question(material: str, *, tools: bool = True, messages: tuple[Any, ...] = ()) -> Request:
    said = json.dumps({"by": "ann", "said": "Why?"})
    texts = [material, f"# Your part: answer\n\nAnswer.\n\n# Said to you\n\n{said}"]
    first = {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
    offered = {"tools": [READ_FILE]} if tools else {}
    return {"messages": [first, *messages], "max_tokens": 4000, **offered}


def read(path: str, text: str | None, start: int = 1) -> dict[str, Any]:
    """What the read_file tool gives."""
    result = {"type": "tool_result", "tool_use_id": "t"}
    if text is None:
        return {**result, "content": f"there is no text file {path}", "is_error": True}
    lines = lines_of(text)
    end = min(start + 799, len(lines))
    rows = [f"{number:>6} | {lines[number - 1]}" for number in range(start, end + 1)]
    return {**result, "content": "\n".join([f"FILE {json.dumps(path)} lines {start}-{end} of {len(lines)}", *rows])}


def answered(material: str, files: Mapping[str, str], *, tools: bool = True) -> tuple[str, list[dict[str, Any]]]:
    """The answer, and the look-ups that it took."""
    calls: list[dict[str, Any]] = []
    messages: tuple[Any, ...] = ()
    while True:
        reply = OfflineReviewer().answer(question(material, tools=tools, messages=messages))
        assert isinstance(reply, Reply)
        if reply.stop_reason != "tool_use":
            return "".join(block["text"] for block in reply.content), calls
        [block] = reply.content
        calls.append(block["input"])
        asked = block["input"]
        shown = read(asked["path"], files.get(asked["path"]), asked.get("start_line", 1))
        messages = (
            *messages,
            {"role": "assistant", "content": [{**block, "id": "t"}]},
            {"role": "user", "content": [shown]},
        )


OTHER = BAD.replace("item, items", "thing, items")
MENDED = BAD.replace("items=[]", "items=()")


@pytest.mark.parametrize(
    ("material", "head", "answer"),
    [
        (thread(NOW), BAD, STANDS),
        (thread(NOW), f"\n\n{BAD}", STANDS.replace("b.py:4", "b.py:6")),
        (thread(), MENDED, f"{GONE}\n\nCONCEDED"),
        (thread(text=None), None, f"{GONE}\n\nCONCEDED"),
        (
            thread(),
            OTHER,
            f"{WHO} {ELSEWHERE}: the finding stands. {WHY}",
        ),
        (thread(status="fixed"), MENDED, f"{GONE}\n\nThe finding is no longer open: fixed."),
        (
            thread(NOW, status="wont_fix"),
            BAD,
            STANDS.replace(", and the finding stands", "") + "\n\nThe finding is no longer open: wont fix.",
        ),
        (thread(), "x = 1\n" * 900, UNREAD),
    ],
    ids=["stands", "moved", "mended", "no file", "written otherwise", "fixed before", "settled before", "long"],
)
def test_of_a_finding_it_says_what_its_file_shows(material: str, head: str | None, answer: str) -> None:
    """The file is read once. Only what is gone, by its rule too, is conceded, and only while it is open."""
    files = {} if head is None else {"src/b.py": head}

    said, calls = answered(material, files)

    assert said == answer
    assert calls == [{"path": "src/b.py"}]


def test_far_down_in_a_file_it_reads_around_the_finding() -> None:
    """One call gives 800 lines: those around the place are asked for."""
    text = "x = 1\n" * 2000 + BAD
    material = thread((2004, 2004), text)

    said, calls = answered(material, {"src/b.py": text})

    assert said == STANDS.replace(":4", ":2004")
    assert calls == [{"path": "src/b.py", "start_line": 1604, "end_line": 2403}]


@pytest.mark.parametrize(("at", "answer"), [(NOW, STANDS), (None, f"{GONE}\n\nCONCEDED")])
def test_without_tools_it_goes_by_what_it_is_told(at: tuple[int, int] | None, answer: str) -> None:
    """The material says where the code is now."""
    assert answered(thread(at), {}, tools=False) == (answer, [])


def test_of_a_leaked_secret_that_stands_nothing_is_conceded() -> None:
    """Its quote ends before the secret, and is no whole line."""
    token = "ghp" + "_" + "q7RkT2mZx9Lw4VbN8cYd5FgH1jKs6PaQ3eUi"
    finding = DEFAULT.model_copy(update={"title": "A GitHub token is in the code (`ghp_…`)", "quote": 'TOKEN = "ghp_'})

    said, _ = answered(thread(finding=finding), {"src/b.py": f'x = 1\nTOKEN = "{token}"\n'})

    assert "`src/b.py:2` still reads so" in said
    assert token not in said


def test_in_a_thread_without_a_finding_it_says_so() -> None:
    """It has nothing to look up."""
    assert answered(thread(finding=None), {"src/b.py": BAD}) == (
        f"{WHO} It knows of no finding of its own in this thread.",
        [],
    )


def conversation(*findings: Finding) -> str:
    known = tuple(KnownFinding(f"F-{at}", finding, "open", None) for at, finding in enumerate(findings))
    closed = KnownFinding("F-x", DEFAULT.model_copy(update={"title": "Closed"}), "fixed", None)
    return conversation_context(
        ConversationMaterial(
            pull_request=a_pull_request(),
            title="T",
            description="Severe.",
            known=(*known, closed),
            comments=(),
        )
    )


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "No finding is open."),
        (1, "1 finding is open: [MEDIUM] A mutable default argument (`src/b.py:4`)."),
        (7, "7 findings are open: " + "[MEDIUM] A mutable default argument (`src/b.py:4`); " * 5 + "and 2 more."),
    ],
)
def test_in_the_conversation_it_lists_the_open_findings(count: int, said: str) -> None:
    """The first five by name; what is closed is not listed."""
    assert answered(conversation(*[DEFAULT] * count), {}) == (f"{WHO} {said}", [])


def test_findings_that_were_left_out_of_the_material_are_counted() -> None:
    """The budget may have had no room for them."""
    said, _ = answered(conversation(*[DEFAULT] * 200), {})

    assert said.startswith(f"{WHO} 200 findings are open: ")
    assert said.endswith("; and 195 more.")


FOREIGN = [
    "# The thread",
    "# The thread\n\nnot JSON at all\n{broken\n[1]\n{}\n",
    '# The thread\n\n```json\n{"title": "T", "severity": "MAJOR", "path": "a.py"}\n```\n',
    '# The conversation\n\n{"title": null, "severity": 3, "path": ["a"], "lines": {}}\n',
    '# The thread\n\n{"title": "T", "quote": "x"}\n',
    '# The thread\n\n{"title": "T…", "severity": "MAJOR", "path": "src/a…", "lines": "3"}\n',
]


@pytest.mark.parametrize("material", FOREIGN)
def test_whatever_it_is_given_it_answers(material: str) -> None:
    """In one turn, and nothing is conceded: there is nothing in it to go by."""
    said, calls = answered(material, {})

    assert said.startswith(WHO)
    assert (calls, "CONCEDED" in said) == ([], False)


def test_a_talk_is_no_review_even_where_it_shows_changes() -> None:
    """What people quote in a thread is nothing to find problems in."""
    shown = f'# The thread\n\n### FILE "a.py" added\n@@ -0,0 +1,1 @@\n+     1 | {BAD}'

    assert is_answer(question(shown))
    assert not is_find(question(shown))
