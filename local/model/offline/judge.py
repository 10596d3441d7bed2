"""The offline reviewer as the judge: its rules do not guess, so it keeps what they found and closes what they close."""

from collections.abc import Iterator, Mapping
from typing import Any

from local.model.limits import MOST_PROBLEM_WORDS, cut_text, cut_title
from local.model.offline import words
from local.model.offline.likeness import first_line
from local.model.offline.question import Judge

Entry = Mapping[str, Any]


def decided(judge: Judge) -> dict[str, Any]:
    """Give one ruling for each candidate, and one resolution for each finding that is said to be resolved.

    Every candidate is kept, but for one that several reviewers report in the same words: it is kept once.
    """
    resolutions = [_resolution(claim) for claim in judge.said_to_be_resolved]
    return {"rulings": list(_rulings(judge)), "resolutions": resolutions}


def _rulings(judge: Judge) -> Iterator[dict[str, Any]]:
    numbers = {_what_is_said(one): int(one["number"]) for one in judge.kept_already}
    for one in judge.candidates:
        first = numbers.setdefault(_what_is_said(one), one["number"])
        keep = kept(one, words.CONFIRMED)
        is_first = first == one["number"]
        yield keep if is_first else {**keep, "fate": "same-as", "same_as": first, "why": words.SAME_WORDS}


def _what_is_said(one: Entry) -> tuple[str, ...]:
    return one["path"], str(one["lines"]), one["title"]


def kept(candidate: Entry, why: str) -> dict[str, Any]:
    """Keep a candidate as it is, its words cut to their limits."""
    return {
        "number": candidate["number"],
        "fate": "keep",
        "same_as": None,
        "known": None,
        "different_from": None,
        "path": candidate["path"],
        "quote": first_line(candidate["quote"]),
        "why": why,
        "severity": candidate["severity"],
        "kind": candidate["kind"],
        "pre_existing": False,
        "title": cut_title(candidate["title"]),
        "problem": cut_text(candidate["mechanism"], MOST_PROBLEM_WORDS),
        "fix": "",
        "offer_replacement": candidate.get("replacement") is not None,
    }


def _resolution(claim: Entry) -> dict[str, Any]:
    """Agree: that a finding is resolved was decided by the rule that found it, over the whole file."""
    evidence = claim.get("evidence") or {"path": "", "quote": ""}
    path, quote = evidence["path"], evidence["quote"]
    why = words.NOT_THERE if quote else words.GONE
    return {"finding": claim["finding"], "resolved": True, "path": path, "quote": quote, "why": why}
