"""The kept candidates that the judge sees: all of a small review, the near ones of a large one."""

from kodiai.core.findings.finding import Cause
from kodiai.core.judge.candidates import kept_near
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from tests.builders import a_finding


def a_candidate(number: int, path: str, cause: str | None = None) -> Candidate:
    caused = Cause(path=cause, quote="x") if cause else None
    return Candidate(number, "behavior", a_finding(path=path, cause=caused))


def shown(kept: list[Candidate], *group: Candidate) -> list[int]:
    decisions = [JudgeDecision(each, "kept", "keep", each.finding) for each in kept]
    return [each.candidate.number for each in kept_near(decisions, group)]


def test_forty_are_shown_whatever_file_they_are_in() -> None:
    """A reviewer who reports little is judged as before."""
    forty = [a_candidate(number, f"src/part_{number}.py") for number in range(1, 41)]

    assert shown(forty, a_candidate(50, "src/other.py")) == [*range(1, 41)]


def test_candidates_in_the_files_of_the_group_and_of_causes_come_first_and_then_the_latest() -> None:
    """One change fixes two problems only if they share a file, their own or that of a cause.

    Of more in one file the latest are of groups that the same batch shows.
    """
    many = [a_candidate(number, f"src/part_{number}.py") for number in range(3, 301)]
    kept = [a_candidate(1, "src/app.py"), a_candidate(2, "src/caller.py", "src/limits.py"), *many]
    alike = [*(a_candidate(number, "src/app.py") for number in range(1, 101)), a_candidate(101, "src/b.py")]

    assert shown(kept, a_candidate(500, "src/app.py")) == [1, *range(262, 301)]
    assert shown(kept, a_candidate(500, "src/x.py", "src/limits.py")) == [2, *range(262, 301)]
    assert shown(kept, a_candidate(500, "src/x.py"), a_candidate(501, "src/part_290.py")) == [*range(261, 301)]
    assert shown(alike, a_candidate(500, "src/app.py")) == [*range(61, 101)]
