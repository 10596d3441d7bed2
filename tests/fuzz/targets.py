"""Fuzzing targets: each reader of foreign texts, with seeds, and the errors that it documents."""

import json
import lzma
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.changes.lock_files.change import lock_file_change
from kodiai.core.changes.lock_files.located import UnreadableLockFile
from kodiai.core.changes.patch import UnreadablePatch, parse_patch
from kodiai.core.config.read import read_config
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.diffs.apply_check import apply_diff, touched_paths
from kodiai.core.diffs.diff import affected_files
from kodiai.core.events.decide import decide
from kodiai.core.events.payloads import Malformed, read_event
from kodiai.core.events.signature import check_signature, sign
from kodiai.core.findings.embedded import embedded_findings
from kodiai.core.findings.locate import locate
from kodiai.core.findings.quote import readings
from kodiai.core.findings.report import FINISH, REPORT
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.findings.source import Source
from kodiai.core.judge.enforce import JudgeContext
from kodiai.core.judge.enforce import decide as decided
from kodiai.core.judge.ruling_book import RulingBook, SecondRulingBook
from kodiai.core.model.tool import BadCall
from kodiai.core.plan.candidate import Candidate
from kodiai.core.proposals.draft import UnusableDraft, content_of, read_draft
from kodiai.core.proposals.ruling import UnusableRuling, read_ruling
from kodiai.core.text import markdown
from kodiai.core.text.incoming import incoming
from kodiai.core.text.outgoing import CUT, Withheld, outgoing
from kodiai.core.text.posted import posted
from kodiai.core.text.secrets import masked, masked_for_model
from kodiai.flows.model.conversation import Book
from local.github.harmless import harm_in
from tests.builders import a_file, a_finding, reading
from tests.lock_file_samples import SAMPLES

_DATA = Path(__file__).parents[1] / "data" / "webhooks" / "examples.json.xz"
_EVENTS = ("pull_request", "issue_comment", "pull_request_review_comment", "check_run", "installation")
_HANDLES = frozenset({"kodiai"})
_SECRET = "fuzzing"

_DIFF = (
    "diff --git a/src/a.py b/src/a.py\nindex 0123456..789abcd 100644\n--- a/src/a.py\n+++ b/src/a.py\n"
    "@@ -1,3 +1,4 @@ def f\n a = 1\n-b = 2\n+b = 3\n+c = 4\n d = 5\n\\ No newline at end of file\n"
)
_NEW = "diff --git a/n.txt b/n.txt\nnew file mode 100644\nindex 0000000..e69de29\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+x\n"
_RENAME = (
    'diff --git "a/\\303\\251" b/e\nsimilarity index 90%\nrename from "\\303\\251"\nrename to e\nold mode 100644\n'
)
_BINARY = (
    "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 4\nLcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n"
)
_PROSE = (
    "# Title\n\nThe **sum** of `a` is _wrong_ in <b>f</b>, see [this](https://a.example/b?c=d) and @bob #12.\n\n"
    "```python\nreturn a + b\n```\n\n> quoted\n\n- one\n  1. two\n\n| a | b |\n|---|---|\n| c | d |\n\n<!-- hidden -->\n"
    "<details><summary>More</summary>\n\ntext\n\n</details>\n![x](https://a.example/x.png) &amp; \u202e \u200b 👩\u200d💻\n"
)
_MENTION = (
    "@kodiai full review, please\n\n> @kodiai pause\n\nI will not fix it: by design.\n\n@kodiai break glass it burns"
)
_CONFIG = (
    "review:\n  enabled: true\n  triggers: {onSynchronize: true}\n  skipPaths: ['docs/**']\n  maxComments: 7\n"
    "  severity: {minLevel: MAJOR}\nmention:\n  aliases: [ko]\n  allowedUsers: [ann]\nbudget:\n  perPullRequest: 2.5\n"
)
_FINDING = {
    "title": "Sum", "path": "src/a.py", "start_line": 2, "end_line": 2, "severity": "MAJOR", "category": "correctness",
    "kind": "impact", "quote": "b = 2", "mechanism": "It is wrong.", "number": 1, "depends_on": 1, "older": False,
    "cause": {"path": "src/a.py", "quote": "b = 2"}, "replacement": {"start_line": 2, "end_line": 2, "text": "b = 3"},
}  # fmt: skip
_ANSWER = {"finding": "F-1", "answer": "ADDRESSED", "path": "src/a.py", "quote": "b = 2", "why": "x", "severity": None}
_REPORT = json.dumps(
    [["report_finding", _FINDING], ["answer_earlier", _ANSWER], ["finish", {"what_changed": "x", "strengths": ["a"]}]]
)
_RULINGS = json.dumps(
    [["rule", {"number": 1, "fate": "keep", "quote": "b = 2", "severity": "MAJOR", "title": "t", "unwanted": "R-1"}],
     ["resolve", {"finding": "F-1", "resolved": True, "quote": "b = 2"}], ["finish", {}]]
)  # fmt: skip
_DRAFT = json.dumps(
    {"description": "Fix.", "changes": [{"what": "a", "why": "b"}], "deleted": [],
     "edits": [{"path": "src/a.py", "old": "b = 2", "new": "b = 3"}]}
)  # fmt: skip
_RULING = json.dumps({"decision": "request_changes", "notes": "Add a test.", "checks": []})
_FILE = b"a = 1\nb = 2\nd = 5\nTOKEN = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'\n"
_MARKED = (
    "**[MAJOR] Sum**\n\nIt is wrong.\n\n<!-- kodiai:findings\n" + json.dumps({"id": "F-0123456789ab"}) + "\n-->\n\n"
    "<!-- kodiai:review run=r1 head=0123456789012345678901234567890123456789 -->"
)


class Broken(AssertionError):
    """A reader gave something that it must not give."""


@dataclass(frozen=True)
class Target:
    """A reader, its seeds, and the errors that it may raise."""

    name: str
    run: Callable[[str], object]
    seeds: tuple[str, ...]
    errors: tuple[type[Exception], ...] = ()


def _webhook(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    check_signature(body, text[:80], (_SECRET,))
    if check_signature(body, f"sha256={sign(body, _SECRET).hex()}", (_SECRET,)) is not None:
        raise Broken("a right signature is refused")
    for name in _EVENTS:
        event = read_event(name, body)
        if not isinstance(event, Malformed):
            decide(event, "guid-1")


def _diff(text: str) -> None:
    affected_files(text)
    if touched_paths(text):
        apply_diff(text, {})


def _outgoing(text: str) -> None:
    cleaned = outgoing(text, _HANDLES, (text[:200],))
    if not cleaned.endswith(CUT) and outgoing(cleaned, _HANDLES, (text[:200],)) != cleaned:
        raise Broken("an answer that is cleaned twice is another")
    answer = posted(cleaned)
    if harm := list(harm_in({"body": answer})):
        raise Broken(f"{harm}")


def _prose(text: str) -> None:
    written = markdown.prose(text)
    markdown.as_meant(written)
    markdown.path(text)
    once = posted(written)
    again = (markdown.prose(written), markdown.line(markdown.line(text)), posted(once))
    if again != (written, markdown.line(text), once):
        raise Broken("a text that is cleaned twice is another")
    if harm := list(harm_in({"body": once})):
        raise Broken(f"{harm}")


def _secrets(text: str) -> None:
    if masked_for_model(text).count("\n") != text.count("\n"):
        raise Broken("lines are lost")
    masked(text)


def _draft(text: str) -> None:
    content_of(read_draft(text), lambda path: _FILE if path == "src/a.py" else None)


def _report(text: str) -> None:
    """Each report is recorded, is refused but kept, or is lost in words; to finish takes two calls at most."""
    book = ReportBook("behavior", _source(), ChangedLines(_source().files), asked=("F-1",))
    names = _called(book, text)
    if REPORT in names and not (book.findings or [*book.lost]):
        raise Broken("a report is gone")


def _rulings(text: str) -> None:
    """Whatever is ruled, there is a decision on each candidate."""
    source = _source()
    context = JudgeContext(partial(locate, source=source), source.read_lines.is_code)
    found = a_finding(path="src/a.py", start_line=2, end_line=2, quote="b = 2")
    book = RulingBook([Candidate(number, "behavior", found) for number in (1, 2)], ("F-1",), context)
    _called(book, text)
    if len(decided(book.candidates, book.rulings, context)) != len(book.candidates):
        raise Broken("a candidate is gone")


def _source() -> Source:
    patch = "@@ -1,3 +1,3 @@\n a = 1\n-b = 1\n+b = 2\n d = 5"
    return Source(reading({"src/a.py": ["a = 1", "b = 2", "d = 5"]}), (a_file("src/a.py", patch=patch),), ("src/a.py",))


def _called(book: Book, text: str) -> list[str]:
    """Make calls of a book, a JSON array of names and inputs, and finish; give the names. Raises BadCall for no JSON."""
    try:
        calls = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadCall from error
    made = [each for each in calls if _is_call(each)] if isinstance(calls, list) else []
    for name, given in (*made, (FINISH, {}), (FINISH, {})):
        with suppress(BadCall):
            book.take(name, given)
    if not book.is_finished:
        raise Broken("nothing ends it")
    return [name for name, _ in made]


def _is_call(each: object) -> bool:
    match each:
        case [str(), dict()]:
            return True
    return False


def _lock_file(text: str) -> None:
    """Any file that can be read has its quotes on its lines, and a row in the table for each change."""
    text = text.encode("utf-8", "replace").decode()
    lines = text.split("\n")
    for path, sample in SAMPLES.values():
        with suppress(UnreadableLockFile):
            change = lock_file_change(path, sample, text)
            if any(alarm.quote not in lines[alarm.line - 1] for alarm in change.alarms):
                raise Broken("a quote stands elsewhere")
            if any(" | " not in row for row in change.shown.splitlines()):
                raise Broken("a row that is none")


def _webhooks() -> tuple[str, ...]:
    examples = json.loads(lzma.decompress(_DATA.read_bytes()))
    every = (json.dumps(each) for name in _EVENTS for each in examples[name])
    return tuple(text for text in every if len(text) < 20_000)[:30]


def targets() -> tuple[Target, ...]:
    """Everything that is fuzzed."""
    texts = (_PROSE, _MENTION, _MARKED)
    return (
        Target("webhook", _webhook, (*_webhooks(), '{"action": "created", "comment": {"body": "@kodiai review"}}')),
        Target("patch", parse_patch, (_DIFF.partition("+++ b/src/a.py\n")[2],), (UnreadablePatch,)),
        Target("diff", _diff, (_DIFF, _NEW, _RENAME, _BINARY, _DIFF + _NEW + _RENAME)),
        Target("mention", lambda text: parse_comment(text, _HANDLES), texts),
        Target("incoming", incoming, texts),
        Target("outgoing", _outgoing, texts, (Withheld,)),
        Target("prose", _prose, texts),
        Target("secrets", _secrets, (*texts, _FILE.decode(), "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n")),
        Target("config", lambda text: read_config(text.encode("utf-8", "replace")), (_CONFIG,)),
        Target("report", _report, (_REPORT,), (BadCall,)),
        Target("rulings", _rulings, (_RULINGS,), (BadCall,)),
        Target(
            "second ruling",
            lambda text: _called(SecondRulingBook((1, 2)), text),
            ('[["confirm", {"number": 1, "confirmed": true}]]',),
            (BadCall,),
        ),
        Target("ruling", read_ruling, (_RULING,), (UnusableRuling,)),
        Target("draft", _draft, (_DRAFT,), (UnusableDraft,)),
        Target("quote", lambda text: list(readings(text)), ("+ 12 | b = 3\n[...]\n`c`", "```py\nb = 3\n```")),
        Target("lock file", _lock_file, tuple(text for _, text in SAMPLES.values())),
        Target("embedded", embedded_findings, (_MARKED,)),
    )
