"""Verify: a second, strict look at the findings that would count, with the tools and over the same material."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kodiai.core.errors import OutOfTime, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.ground import ReadLines
from kodiai.core.findings.report import UnreadableReport
from kodiai.core.findings.sift import Candidate
from kodiai.core.findings.verification import Verdict, Verification, unproven, verification
from kodiai.flows.answers import OverBudget
from kodiai.flows.review.at_once import at_once
from kodiai.flows.review.conversation import Reader, converse
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.material import part_block
from kodiai.flows.review.read import Batch
from kodiai.ports import JsonObject
from kodiai.prompts.load import load

# Of more at once each gets less attention.
_MOST_TOGETHER = 8


class Verifier:
    """Has findings looked at again; `is_last_try` is whether nobody tries again should the model be busy."""

    def __init__(self, reader: Reader, extractor: Extractor, read_lines: ReadLines, *, is_last_try: bool) -> None:
        self._reader = reader
        self._extractor = extractor
        self._read_lines = read_lines
        self._is_last_try = is_last_try

    def verify(
        self, candidates: Sequence[Candidate], batches: Sequence[Batch], most: int
    ) -> Mapping[str, Verification]:
        """Say of each candidate, by its id, whether it is verified; what fails leaves it unverified, with the reason.

        Raises OutOfTime; Retry where the model is busy and there is another try.
        """
        groups = list(_groups(candidates, batches))
        done = at_once([partial(self._verified, batch, group) for batch, group in groups], most)
        return {name: found for each in done for name, found in each.items()}

    def _verified(self, batch: Batch, group: Sequence[Candidate]) -> dict[str, Verification]:
        numbered = dict(enumerate(group, 1))
        try:
            verdicts = self._verdicts(batch, numbered)
        except _NoVerdict as why:
            return {candidate.id: Verification("unverified", str(why)) for candidate in group}
        return {candidate.id: self._outcome(verdicts, number, numbered) for number, candidate in numbered.items()}

    def _outcome(self, verdicts: Mapping[int, Verdict], number: int, numbered: Mapping[int, Candidate]) -> Verification:
        if number not in verdicts:
            return Verification("unverified", "it gave no answer")
        verdict, twin = verdicts[number], numbered.get(verdicts[number].same_as or 0)
        outcome = verification(verdict, numbered[number].finding, self._read_lines)
        return replace(outcome, same_as=twin.id) if twin is not None else outcome

    def _verdicts(self, batch: Batch, numbered: Mapping[int, Candidate]) -> dict[int, Verdict]:
        """The verdicts by number; where one is missing or quotes what is not there it is asked for once more."""
        verdicts = self._ask(batch, numbered, "verify")
        poor = {
            number: candidate
            for number, candidate in numbered.items()
            if number not in verdicts or unproven(verdicts[number], candidate.finding, self._read_lines)
        }
        if not poor:
            return verdicts
        try:
            return {**verdicts, **self._ask(batch, poor, "verify", "verify_again")}
        except _NoVerdict:
            return verdicts

    def _ask(self, batch: Batch, numbered: Mapping[int, Candidate], *prompts: str) -> dict[int, Verdict]:
        blocks = [*batch.material.blocks, _findings_block(numbered), part_block("verification", map(load, prompts))]
        try:
            said = converse(self._reader, blocks, batch.material.passing)
            if said.stop_reason == "refusal" or not said.text.strip():
                raise _NoVerdict(f"the model gave no answer ({said.stop_reason})")
            verdicts = self._extractor.verdicts(said.text, numbered)
        except OverBudget as error:
            raise _NoVerdict("the budget is used up") from error
        except UnreadableReport as error:
            raise _NoVerdict(str(error)) from error
        except Retry as error:
            if isinstance(error, OutOfTime) or not self._is_last_try:
                raise
            raise _NoVerdict("the model was busy") from error
        return {verdict.number: verdict for verdict in verdicts if verdict.number in numbered}


class _NoVerdict(Exception):
    """There is no second opinion; the text is the reason."""


def _groups(candidates: Sequence[Candidate], batches: Sequence[Batch]) -> Iterator[tuple[Batch, Sequence[Candidate]]]:
    """Put each finding to the batch that shows its file, or to the riskiest one, and not too many together."""
    home = {file.path: at for at, batch in enumerate(batches) for file in batch.files}
    for at, batch in enumerate(batches):
        here = [candidate for candidate in candidates if home.get(candidate.finding.path, 0) == at]
        for start in range(0, len(here), _MOST_TOGETHER):
            yield batch, here[start : start + _MOST_TOGETHER]


def _findings_block(numbered: Mapping[int, Candidate]) -> JsonObject:
    rows = (_row(number, candidate.finding) for number, candidate in numbered.items())
    return {"type": "text", "text": "\n".join(["# Findings to verify", "", *rows])}


def _row(number: int, finding: Finding) -> str:
    told = {
        "number": number,
        "severity": finding.severity,
        "category": finding.category,
        "path": finding.path,
        "lines": finding.lines,
        "title": finding.title,
        "explanation": finding.explanation,
        "quote": finding.quote,
    }
    return json.dumps(told, ensure_ascii=False)
