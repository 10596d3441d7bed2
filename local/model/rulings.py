"""The rulings of a judge that agrees: it keeps every candidate, and accepts every claimed resolution."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kodiai.core.judge.ruling import PROBLEM_WORDS
from kodiai.core.text.layout import short_text, short_title
from local.model.answers import Request
from local.model.model_request import ModelRequest

Json = dict[str, Any]


def approve_all(request: Request, why: str = "I looked.") -> Json:
    """Rule on every candidate of a request to the judge, and on each claimed resolution.

    Every candidate is kept, but for one that several reviewers report in the same words, which is kept once, and for
    one that people dismissed before, which is unwanted. Of what a first ruling lets go it confirms that alone, and says
    nothing of the rest.
    """
    asked = ModelRequest(request)
    resolutions = [_resolution(claim) for claim in asked.claimed_resolutions]
    answer = {"rulings": list(_rulings(asked, why)), "resolutions": resolutions}
    unwanted = [row for row in asked.let_go if row["ruled"]["fate"] == "unwanted"]
    return {**answer, "confirmations": confirmations(unwanted, agrees=True)} if asked.let_go else answer


def confirmations(rows: Iterable[Json], *, agrees: bool) -> list[Json]:
    """Rule a second time on candidates that the first ruling lets go."""
    return [{"number": row["number"], "confirmed": agrees, "why": "I looked again."} for row in rows]


def _rulings(asked: ModelRequest, why: str) -> Iterator[Json]:
    numbers = {_identity(one): int(one["number"]) for one in asked.kept_already}
    for one in asked.candidates:
        first = numbers.setdefault(_identity(one), one["number"])
        keep = a_ruling(one, why=why)
        if first != one["number"]:
            yield {**keep, "fate": "same-as", "same_as": first}
        elif one.get("dismissed_before"):
            yield {**keep, "fate": "unwanted", "unwanted": [each["id"] for each in one["dismissed_before"]]}
        else:
            yield keep


def _identity(one: Mapping[str, Any]) -> tuple[str, ...]:
    return one["path"], str(one["lines"]), one["title"]


def a_ruling(candidate: Mapping[str, Any], **ruling: Any) -> Json:
    """Keep a candidate as it is, its texts cut to their limits; `ruling` has the fields in which that is not so."""
    return {
        "number": candidate["number"],
        "fate": "keep",
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": candidate["path"],
        "quote": next((line for line in candidate["quote"].split("\n") if line.strip()), ""),
        "why": "",
        "severity": candidate["severity"],
        "kind": candidate["kind"],
        "pre_existing": False,
        "title": short_title(candidate["title"]),
        "problem": short_text(candidate["mechanism"], PROBLEM_WORDS),
        "fix": "",
        "offer_replacement": candidate.get("replacement") is not None,
        **ruling,
    }


def _resolution(claim: Mapping[str, Any]) -> Json:
    evidence = claim.get("evidence") or {"path": "", "quote": ""}
    return {"finding": claim["finding"], "resolved": True, "why": claim["why"], **evidence}
