"""The ruling book of one conversation with the judge: each ruling is checked against the code when it comes."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.findings.report import FINISH
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.enforce import JudgeContext, complaints
from kodiai.core.judge.ruling import CONFIRM, RESOLVE, RULE, Confirmation, Resolution, Ruling
from kodiai.core.model.tool import BadCall, Book, read_call
from kodiai.core.plan.candidate import Candidate

_RECORDED = "Recorded."
_ADVICE = "Rule on that, then finish."


@dataclass
class RulingBook(Book):
    """The rulings on these candidates, by number, and on the findings with the ids of `claimed`.

    A ruling that cannot be followed is refused, and asked for once more when the judge finishes; then it counts for as
    much as code can make of it.
    """

    advice = _ADVICE

    candidates: Sequence[Candidate]
    claimed: Collection[str]
    context: JudgeContext
    rulings: dict[int, Ruling] = field(default_factory=dict)
    resolutions: dict[str, Resolution] = field(default_factory=dict)
    _refused: set[int] = field(default_factory=set)

    def _calls(self) -> Mapping[str, Callable[[JsonObject], str]]:
        return {RULE: self._rule, RESOLVE: self._resolve, FINISH: self._finish}

    def _rule(self, given: JsonObject) -> str:
        ruling = read_call(Ruling, given)
        candidate = next((each for each in self.candidates if each.number == ruling.number), None)
        if candidate is None:
            raise BadCall(f"there is no candidate {ruling.number}")
        self.rulings[ruling.number] = ruling
        numbers = [each.number for each in self.candidates]
        if why := "; ".join(complaints(candidate, ruling, self.context, numbers)):
            self._refused.add(ruling.number)
            raise BadCall(f"The ruling on {ruling.number} cannot be followed: {why}.")
        self._refused.discard(ruling.number)
        return _RECORDED

    def _resolve(self, given: JsonObject) -> str:
        resolution = read_call(Resolution, given)
        if resolution.finding not in self.claimed:
            raise BadCall(f"{resolution.finding} is not said to be resolved")
        self.resolutions[resolution.finding] = resolution
        return _RECORDED

    def _missing(self) -> Iterator[str]:
        if unruled := [each.number for each in self.candidates if each.number not in self.rulings]:
            yield f"no ruling on {', '.join(map(str, unruled))}"
        if self._refused:
            yield f"no ruling that can be followed on {', '.join(map(str, sorted(self._refused)))}"
        if unresolved := [each for each in self.claimed if each not in self.resolutions]:
            yield f"no word on whether {', '.join(unresolved)} is resolved"


@dataclass
class SecondRulingBook(Book):
    """The second rulings on the candidates with these numbers; of two on one the one that does not agree counts."""

    advice = _ADVICE

    numbers: Collection[int]
    confirmations: dict[int, Confirmation] = field(default_factory=dict)

    def _calls(self) -> Mapping[str, Callable[[JsonObject], str]]:
        return {CONFIRM: self._confirm, FINISH: self._finish}

    def _confirm(self, given: JsonObject) -> str:
        second = read_call(Confirmation, given)
        if second.number not in self.numbers:
            raise BadCall(f"candidate {second.number} is not let go")
        known = self.confirmations.get(second.number)
        if known is None or known.confirmed:
            self.confirmations[second.number] = second
        return _RECORDED

    def _missing(self) -> Iterator[str]:
        if missing := [str(number) for number in self.numbers if number not in self.confirmations]:
            yield f"no word on {', '.join(missing)}"
