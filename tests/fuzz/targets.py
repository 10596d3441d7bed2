"""Fuzzing targets: each reader of foreign texts, with seeds, and the errors that it documents."""

import json
import lzma
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
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
from kodiai.core.findings.quote import readings
from kodiai.core.findings.report import FINISH, REPORT
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.findings.source import Source
from kodiai.core.judge.enforce import JudgeContext
from kodiai.core.judge.ruling_book import RulingBook, SecondRulingBook
from kodiai.core.model.json_answer import UnreadableAnswer, read_object
from kodiai.core.model.tool import BadCall
from kodiai.core.plan.candidate import Candidate
from kodiai.core.proposals.draft import UnusableDraft, content_of, read_draft
from kodiai.core.proposals.ruling import UnusableRuling, read_ruling
from kodiai.core.text import markdown
from kodiai.core.text.incoming import incoming
from kodiai.core.text.outgoing import CUT, Withheld, outgoing
from kodiai.core.text.posted import posted
from kodiai.core.text.secrets import masked, masked_for_model
from local.github.harmless import harm_in
from tests.builders import a_finding, reading
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
    "severity": "MAJOR", "category": "correctness", "kind": "impact", "path": "src/a.py", "start_line": 2,
    "end_line": 2, "title": "Sum", "mechanism": "It is wrong.", "quote": "b = 2",
    "replacement": {"start_line": 2, "end_line": 2, "text": "b = 3"}, "cause": {"path": "src/a.py", "quote": "a = 1"},
}  # fmt: skip
_EARLIER = "F-0123456789ab"
_CALLS = json.dumps(
    {"calls": [
        ["report_finding", _FINDING], ["report_finding", {"number": 1, "quote": "c", "title": "Sum"}],
        ["answer_earlier", {"finding": _EARLIER, "answer": "ADDRESSED", "quote": "b", "path": "a", "why": "x"}],
        ["rule", {"number": 1, "fate": "keep", "severity": "MAJOR", "title": "t", "problem": "p", "unwanted": "R-1"}],
        ["resolve", {"finding": _EARLIER, "resolved": True}], ["confirm", {"number": 1, "confirmed": True}],
        ["finish", {"what_changed": "x", "strengths": ["a.py:1 is good"]}],
    ]}
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


def _calls(text: str) -> None:
    """Any calls are taken or refused, by readers and by the judge; no report is gone, and two calls finish."""
    source = Source(reading({"src/a.py": _FILE.decode().splitlines()}), (), ("src/a.py",))
    candidate = Candidate(1, "generalist", a_finding(path="src/a.py", start_line=2, quote="b = 2"))
    context = JudgeContext(source)
    report = ReportBook("generalist", source, ChangedLines(()), [_EARLIER])
    books = report, RulingBook([candidate], [_EARLIER], context), SecondRulingBook([1])
    names = set[str]()
    for call in [*read_object(text, "calls")["calls"], [FINISH, {}], [FINISH, {}]]:
        match call:
            case [str(name), dict(given)]:
                names.add(name)
                for book in books:
                    with suppress(BadCall):
                        book.take(name, given)
    if any(each.finding.start_line < 1 for each in report.findings):
        raise Broken("a finding stands nowhere")
    if REPORT in names and not (report.findings or [*report.lost]):
        raise Broken("a report is gone")
    if not all(book.is_finished for book in books):
        raise Broken("nothing ends it")


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
        Target("calls", _calls, (_CALLS, f"So:\n{_CALLS}\nThat is all."), (UnreadableAnswer,)),
        Target("ruling", read_ruling, (_RULING,), (UnusableRuling,)),
        Target("draft", _draft, (_DRAFT,), (UnusableDraft,)),
        Target("quote", lambda text: list(readings(text)), ("+ 12 | b = 3\n[...]\n`c`", "```py\nb = 3\n```")),
        Target("lock file", _lock_file, tuple(text for _, text in SAMPLES.values())),
        Target("embedded", embedded_findings, (_MARKED,)),
    )
