"""Read: have one reader read a batch of changes and report by its tools."""

import json
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.model.messages import Message, Text
from kodiai.core.plan.material import INSTRUCTIONS, listed_row, part_block, rows_block
from kodiai.core.plan.plan import Batch
from kodiai.core.plan.reviewers import RULES_ONLY
from kodiai.core.plan.snapshot import REVIEW_GUIDE
from kodiai.core.text.tokens import estimated_tokens
from kodiai.flows.model.conversation import LookUp, Reader, Transcript, report
from kodiai.flows.model.tool_tokens import Subject
from kodiai.prompts.load import load
from kodiai.prompts.pitfalls import pitfalls

# What others have looked up, as material of whoever reads or judges after them, in tokens.
_SHARED_TOKENS = 8_000
# Every line of a file stands behind its number.
_NEXT_RANGE = '\n\nFILE "'
_FILE = re.compile(r'FILE ("[^\n]*") lines ')
_MOST_NAMED = 10


@dataclass(frozen=True)
class ReviewerReport:
    """One reader's report about a batch, as its book has it, with its conversation."""

    book: ReportBook
    transcript: Transcript

    @property
    def failed(self) -> str:
        """The reason why the reader has not finished, "" if it has."""
        return self.transcript.failed


def read(reader: Reader, batch: Batch, book: ReportBook, before: Sequence[ReviewerReport]) -> ReviewerReport:
    """Have a reader read a batch after others, and report into its book. Raises OutOfTime and other failures."""
    opening = [Message("user", tuple(_blocks(batch, book, before)))]
    about = Subject(batch.material.blocks, batch.look_up_tokens)
    return ReviewerReport(book, report(reader, opening, book, batch.material.not_in_key, about))


def why_unread(readings: Sequence[ReviewerReport]) -> str:
    """Why a batch does not count as read in full, "" if it does."""
    if readings[0].failed and len({each.failed for each in readings}) == 1:
        return readings[0].failed
    missing = (f"no {each.book.reviewer} review: {each.failed}" for each in readings if each.failed)
    lost = (what for each in readings if not each.failed for what in each.book.lost)
    return "; ".join(dict.fromkeys([*missing, *lost]))


def shared_look_ups(looked_up: Iterable[LookUp], about: Sequence[Finding] | None = None) -> list[Text]:
    """The look-ups of others as a block of material, each text once, as far as there is room; the others are named.

    With `about`, only what shows the files of these findings, or files that their mechanisms name.
    """
    left, rows, left_out = _SHARED_TOKENS, [], []
    for row in dict.fromkeys(row for each in looked_up for row in _rows(each)):
        size = estimated_tokens(row)
        if about is not None and not any(_concerns(row, finding) for finding in about):
            continue
        if size > left:
            left_out.append(row.partition("\n")[0])
        else:
            rows.append(row)
            left -= size
    named = [f"Looked up too, and left out here: {'; '.join(left_out[:_MOST_NAMED])}"] if left_out else []
    return [Text("\n\n".join(["# Looked up by the readers before you", *rows, *named]))] if rows or named else []


def _concerns(row: str, finding: Finding) -> bool:
    """Whether a row shows a file of a finding, or is of a file that its mechanism names."""
    found = _FILE.match(row)
    name = posixpath.basename(json.loads(found[1])) if found else ""
    shows = any(json.dumps(path)[1:-1] in row for path in finding.paths)
    return shows or (bool(name) and name in finding.explanation)


def _rows(looked_up: LookUp) -> list[str]:
    """The ranges of files that a look-up showed, or all that another one showed, behind its input."""
    if looked_up.use.name == "read_files":
        return looked_up.text.replace(_NEXT_RANGE, f"\n{_NEXT_RANGE}").split("\n\n\n")
    return [f"{looked_up.use.name} {json.dumps(looked_up.use.input, ensure_ascii=False)}\n{looked_up.text}"]


def _blocks(batch: Batch, book: ReportBook, before: Sequence[ReviewerReport]) -> list[Text]:
    """The material and the pitfalls, the same for all; then what is for this reader; last its own part."""
    blocks, prompts = [*batch.material.blocks], [f"reviewers/{book.reviewer}"]
    only_rules = batch.reviewers == RULES_ONLY
    if not only_rules and (languages := [load(each).strip() for each in pitfalls(file.path for file in batch.files)]):
        blocks.append(Text("\n\n".join(languages), ends_prefix=True))
    if book.reviewer == batch.lead:
        prompts += [] if only_rules else ["sum_up"]
        if (asked := batch.team_rules) is not None:
            blocks += [rows_block("Rules of the team", asked.rows)] if asked.rows else []
            is_asked = {"check_rules": bool(asked.rules), "linked_issue": asked.criteria is not None}
            prompts += [name for name, is_part in is_asked.items() if is_part]
        if batch.earlier:
            blocks += batch.earlier
            prompts.append("look_back")
    blocks += shared_look_ups(each for other in before for each in other.transcript.looked_up)
    answered = {each.finding for other in before for each in other.book.answers if each.answer == "ADDRESSED"}
    answered.update(book.asked)
    listed = [row for known, row in batch.posted.items() if known not in answered]
    listed += [listed_row(each) for each in book.already]
    if listed:
        blocks.append(rows_block("Already reported", listed))
        prompts.append("already_reported")
    return [*blocks, part_block(book.reviewer, [*map(load, prompts), *wishes(batch)])]


def wishes(batch: Batch) -> list[str]:
    """The prompts about what the maintainers ask for, which belong to the part of everybody who reads the batch."""
    places = [
        *([f"`{REVIEW_GUIDE}` among the guidance of the base branch"] if batch.has_guide else []),
        *([f'what is listed under "{INSTRUCTIONS}"'] if batch.material.is_instructed else []),
    ]
    asked = [load("wishes", where=", and ".join(places))] if places else []
    return asked if batch.language is None else [*asked, load("language", language=batch.language)]
