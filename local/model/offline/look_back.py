"""Looking back: what has become of earlier findings, from the code as it is now and by the rules that found them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from local.model.offline import words
from local.model.offline.changes import Change
from local.model.offline.earlier import Earlier, Outcome
from local.model.offline.evidence import evidence
from local.model.offline.head import Head, head_of
from local.model.offline.likeness import first_line, likely, likeness, most_alike, squeezed
from local.model.offline.problem import Problem, Spot
from local.model.offline.reading import FileRead
from local.model.offline.sight import Sight
from local.model.offline.titles import Kind, kind_at

_LEAST_LIKENESS = 0.55
_LEAST_LIKENESS_OF_NAMED = 0.3


@dataclass(frozen=True)
class Case:
    """One earlier finding, what kind of problem it tells of, and its file."""

    earlier: Earlier
    kind: Kind
    head: Head

    @property
    def alike_anywhere(self) -> list[Problem]:
        """The problems of the kind in the whole file."""
        return [problem for _, problem in self.head.problems.get(self.kind.rule, [])]


@dataclass
class Standing:
    """The earlier findings whose problem stands, each with where; no place stands for two of them."""

    found: dict[str, Problem] = field(default_factory=dict)
    taken: set[Spot] = field(default_factory=set)

    def take(self, case: Case, problem: Problem) -> None:
        """Keep that the problem of the case is this one."""
        self.found[case.earlier.finding] = problem
        self.taken.add(problem.spot)


def look_back(
    earlier: Sequence[Earlier],
    changes: Sequence[Change],
    read: Mapping[str, FileRead],
    sight: Sight,
    problems: Sequence[Problem],
) -> tuple[list[Outcome], set[Spot]]:
    """Answer for each earlier finding; give also where those that still stand do, so that none is told twice.

    `problems` are those on the changed lines; raises RuffFailed.
    """
    shown = {change.path: change for change in changes}
    homes = [(each, each.home(changes)) for each in earlier]
    paths = {path for _, path in homes if path is not None}
    heads = {path: head_of(path, read.get(path), shown.get(path), sight, problems) for path in paths}
    cases = {
        each.finding: Case(each, kind, heads[path])
        for each, path in homes
        if path is not None and (kind := kind_at(each.title, path))
    }
    standing = Standing()
    _at_the_same_code(list(cases.values()), standing)
    _at_code_like_it(list(cases.values()), standing)
    parts = {case.earlier.finding: part for case in cases.values() if (part := _elsewhere(case, standing))}
    outcomes = []
    for each, path in homes:
        if path is None and kind_at(each.title, each.path):
            outcomes.append(Outcome(each.finding, "ADDRESSED", each.path, "", words.GONE))
        elif each.finding not in cases:
            outcomes.append(Outcome(each.finding, "CANNOT_TELL", path or each.path, "", words.NO_RULE))
        else:
            outcomes.append(_outcome(cases[each.finding], standing, parts.get(each.finding)))
    return outcomes, standing.taken


def _outcome(case: Case, standing: Standing, part: Problem | None) -> Outcome:
    finding, path = case.earlier.finding, case.head.path
    if there := standing.found.get(finding):
        return Outcome(finding, "NOT_ADDRESSED", path, there.quote, words.stands(there.start_line))
    if part:
        return Outcome(finding, "PARTIAL", path, part.quote, words.stands_elsewhere(part.start_line))
    if not case.head.whole:
        return Outcome(finding, "CANNOT_TELL", path, "", words.NOT_READ)
    if case.kind.is_of_python and not case.head.parses:
        return Outcome(finding, "CANNOT_TELL", path, "", words.NOT_PARSED)
    bad = {each.start_line for each in case.alike_anywhere}
    quote = evidence(case.earlier, case.kind.names, case.head, bad)
    if quote is None:
        return Outcome(finding, "CANNOT_TELL", path, "", words.NOTHING_LEFT)
    return Outcome(finding, "ADDRESSED", path, quote, words.NOT_THERE)


def _at_the_same_code(cases: Sequence[Case], standing: Standing) -> None:
    """Find those whose quoted code stands somewhere with the very problem, nearest to where it is said to stand."""
    for case in cases:
        at = case.earlier.line
        found = _on_a_line_of_python(case) if case.kind.is_of_python else _in_any_text(case)
        free = [problem for problem in found if problem.spot not in standing.taken]
        if free:
            standing.take(case, min(free, key=lambda each: abs(each.start_line - (at or each.start_line))))


def _in_any_text(case: Case) -> Iterator[Problem]:
    for problem in case.alike_anywhere:
        if squeezed(problem.quote) == squeezed(case.earlier.quote):
            yield problem


def _on_a_line_of_python(case: Case) -> Iterator[Problem]:
    """Look at the quoted lines as if they alone were new: then what was told of them once is told of them again.

    A quote that was cut before a secret is no whole line: of it only the question says where it stands.
    """
    places = case.head.places(case.earlier.quote)
    begins = {place.start for place in places} | ({case.earlier.line} if case.earlier.line else set())
    for kind, problem in case.head.problems_on(begins.union(*places)).get(case.kind.rule, []):
        if problem.start_line in begins and kind.names == case.kind.names:
            yield problem


def _at_code_like_it(cases: Sequence[Case], standing: Standing) -> None:
    """Find those whose code was edited and still has the problem; the most alike are paired first."""
    pairs = []
    for case in cases:
        if case.earlier.finding not in standing.found:
            pairs += [(score, case, problem) for score, problem in _alike(case)]
    for _, case, problem in sorted(pairs, key=lambda pair: -pair[0]):
        if case.earlier.finding not in standing.found and problem.spot not in standing.taken:
            standing.take(case, problem)


def _alike(case: Case) -> Iterator[tuple[float, Problem]]:
    """Problems of the kind on lines that are new, with how alike the code is.

    Code that has become something else is not taken for what stands beside it:
    a new line without the problem must not be more like the finding's.
    """
    quote, found = case.earlier.quote, case.head.new_problems.get(case.kind.rule, [])
    # Of Python that reads the very same it was judged before whether it is this problem, by the names.
    other = [each for each in found if not case.kind.is_of_python or squeezed(each[1].quote) != squeezed(quote)]
    rival = _rival(case, {number for _, each in found for number in range(each.start_line, each.end_line + 1)})
    named = [problem for kind, problem in other if kind.names and kind.names == case.kind.names]
    rest = [problem for kind, problem in other if not kind.names or kind.names != case.kind.names]
    for problem in named:
        if (score := _score(quote, problem)) >= _LEAST_LIKENESS_OF_NAMED:
            yield score, problem
    for at in likely(quote, {at: problem.quote for at, problem in enumerate(rest)}):
        if (score := _score(quote, rest[at])) >= max(_LEAST_LIKENESS, rival):
            yield score, rest[at]


def _score(quote: str, problem: Problem) -> float:
    return max(likeness(quote, problem.quote), likeness(first_line(quote), first_line(problem.quote)))


def _rival(case: Case, bad: set[int]) -> float:
    """How like the finding's code the likeliest of the new lines without the problem is."""
    head = case.head
    sound = {number: head.lines[number] for number in head.fresh if number in head.sayable and number not in bad}
    return most_alike(first_line(case.earlier.quote), sound)[0]


def _elsewhere(case: Case, standing: Standing) -> Problem | None:
    """For a finding that spoke for more places: take those that are left, and give the first.

    What it spoke for was not quoted, so any of the kind counts, as many as it spoke for.
    """
    if not case.earlier.others:
        return None
    free = [each for each in case.alike_anywhere if each.spot not in standing.taken]
    rest = sorted(free, key=lambda each: each.start_line)[: case.earlier.others]
    standing.taken.update(each.spot for each in rest)
    return rest[0] if rest else None
