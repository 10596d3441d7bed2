"""The offline reviewer: reviews without a model, by ruff and by patterns, over the same API and with the same tools."""

import json
from collections.abc import Sequence
from typing import Any

from local.model.answers import Answer, Request, failure, json_reply, text, tools
from local.model.model_request import ModelRequest
from local.model.offline import words
from local.model.offline.checks import check, is_python, unchecked_languages
from local.model.offline.look_back import EarlierFinding, recheck
from local.model.offline.problem import merge_similar
from local.model.offline.reading import next_reads
from local.model.offline.ruff import RuffFailed
from local.model.read_files import read_files
from local.model.report import a_report, finding_call, reporting, ruling
from local.model.rulings import approve_all
from local.model.tokens import parts_of, tokens_in

MOST_TURNS = 20
_ROOM_FOR_THE_REST_TOKENS = 1500
_DECIDES_NOTHING = {"words": "", "doubt": "none", "decision": "none"}


class OfflineReviewer:
    """Answers the questions of a review by checks: what the change breaks, and what became of earlier findings.

    As the judge it keeps what it is shown: every candidate was found by a check of its own. It drafts what a finding
    has a replacement for, and approves a proposal with a note that nobody has judged it. Of what people say it
    understands nothing, and says so. Of several reviewers of the same changes only the one who sums up finds anything.
    It keeps nothing between requests: all that it knows of a conversation is in the conversation.
    """

    def answer(self, request: Request) -> Answer:
        """Answer one request by what it asks; checks do not think."""
        return _answer(ModelRequest(request)).after_thinking(0)


def _answer(asked: ModelRequest) -> Answer:
    match asked.kind:
        case "find":
            return _find(asked) if asked.sums_up else reporting()
        case "judge":
            return ruling(approve_all(asked.body, words.CONFIRMED))
        case "read":
            return json_reply(_DECIDES_NOTHING)
        case "answer":
            return text(words.ANSWER)
        case "draft":
            return json_reply(_draft(asked))
        case "proposal":
            return json_reply({"checks": [words.NOT_JUDGED], "decision": "approve", "notes": words.NOT_JUDGED})
        case "other":
            return text(words.CANNOT)


def _find(asked: ModelRequest) -> Answer:
    """Read on while there is something to read, then report."""
    earlier = [EarlierFinding.read(row, asked.changes, asked.diffs_since) for row in asked.earlier]
    if asked.may_read and asked.turns_taken < MOST_TURNS:
        python = [change.path for change in asked.changes if change.is_text_at_head and is_python(change.path)]
        back = [each.path for each in earlier if each.check and not each.is_gone]
        tokens = sum(part.tokens for part in parts_of(asked.body))
        if calls := next_reads(list(dict.fromkeys([*python, *back])), read_files(asked.body), tokens):
            return tools(*calls)
    try:
        return reporting(_report(asked, earlier))
    except RuffFailed as error:
        return failure(500, f"the offline reviewer cannot work: {error}")


def _report(asked: ModelRequest, earlier: Sequence[EarlierFinding]) -> dict[str, Any]:
    """Check the changed files, and look back; problems of earlier findings are not reported again."""
    checked = check(asked.changes, read_files(asked.body))
    back = recheck(earlier, checked)
    new = merge_similar(problem for file in checked.values() for problem in file.new if problem not in back.taken)
    if asked.is_follow_up and not earlier and not new:
        return {}
    room = asked.body["max_tokens"] - _ROOM_FOR_THE_REST_TOKENS
    answers = _fitting(sorted(back.answers, key=lambda each: str(each["answer"]) == "CANNOT_TELL"), room // 2)
    findings = _fitting([problem.as_finding() for problem in new], room - sum(map(_weight, answers)))
    what_changed = words.what_changed(
        asked.changes,
        unchecked=unchecked_languages(asked.changes, checked),
        unread=sorted(path for path, file in checked.items() if is_python(path) and not file.is_whole),
        left_out=len(new) - len(findings),
        unanswered=len(back.answers) - len(answers),
    )
    return a_report(what_changed, findings, answers)


def _fitting(entries: Sequence[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    """The first entries, as many as there is room for, in tokens."""
    kept: list[dict[str, Any]] = []
    for entry in entries:
        room -= _weight(entry)
        if room < 0:
            break
        kept.append(entry)
    return kept


def _weight(entry: dict[str, Any]) -> int:
    """The length of the call that reports an entry."""
    return tokens_in(json.dumps(finding_call(entry))) + 10


def _draft(asked: ModelRequest) -> dict[str, Any]:
    """Put each finding's replacement in place of the code that it quotes."""
    rows = [row for row in asked.to_change if row.get("quote") and row.get("replacement") is not None]
    left = [row for row in asked.to_change if row not in rows]
    if not rows:
        return {"edits": [], "impossible": words.NO_REPLACEMENT}
    edits = [{"path": row["path"], "old": row["quote"], "new": str(row["replacement"]).strip("\n")} for row in rows]
    changes = [{"what": row["title"], "why": row.get("problem") or row["title"]} for row in rows]
    return {
        "description": words.fixes(len(rows), left),
        "changes": changes,
        "edits": edits,
        "deleted": [],
        "impossible": "",
    }
