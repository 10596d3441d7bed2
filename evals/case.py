"""Reads cases from their folders: the definition, the repository before, and the files after each push."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from evals.case_files import CaseDefinition, Forbidden, Lines, Place, Push, Recording
from evals.errors import CommandFailed, validation_messages

CASES = Path(__file__).parent / "cases"
_SIGNS_OF_USE = "__pycache__"
_LEAST_LIKE = 0.5
_Model = TypeVar("_Model", bound=BaseModel)

Files = Mapping[str, bytes]
"""Contents by path, below the repository's root."""


class UnreadableCase(CommandFailed):
    """A case is invalid; the text names the file and the key."""


@dataclass(frozen=True)
class Case:
    """A case. `slug` is "language/name"; `states` are all files before and after each push, empty if it has a clone.

    `recording` is None if the case has no recorded.yaml.
    """

    slug: str
    folder: Path
    definition: CaseDefinition
    states: tuple[Files, ...]
    recording: Recording | None

    @property
    def pushes(self) -> tuple[Push, ...]:
        """Its pushes, in order."""
        return self.definition.pushes

    def lines_of(self, path: str, push: int) -> list[str]:
        """A file's lines after a push, counted from 0; none if the file is missing or the case has a clone."""
        content = self.states[push + 1].get(path, b"") if self.states else b""
        return content.decode("utf-8", "replace").splitlines()

    def locate(self, path: str, lines: Lines, push: int, to: int) -> tuple[str, Lines]:
        """Find where lines of push `push` are after push `to`, also if the file was renamed."""
        for at in range(push, to):
            renamed = self._path_after(path, at + 1)
            lines = _moved(lines, self.lines_of(path, at), self.lines_of(renamed, at + 1))
            path = renamed
        return path, lines

    def _path_after(self, path: str, push: int) -> str:
        """The path of a file after a push; if it is gone, that of the most similar new file."""
        if not self.states or path in self.states[push + 1]:
            return path
        before = self.lines_of(path, push - 1)
        new = sorted(self.states[push + 1].keys() - self.states[push].keys())
        likeness = {one: difflib.SequenceMatcher(None, before, self.lines_of(one, push)).ratio() for one in new}
        best = max(new, key=lambda one: likeness[one], default=path)
        return best if likeness.get(best, 0.0) >= _LEAST_LIKE else path


def _moved(lines: Lines, before: list[str], after: list[str]) -> Lines:
    """Follow a range of lines: each end follows its line, or the line that replaced it."""
    first, last = lines
    for tag, old, old_end, new, new_end in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if old < lines[0] <= old_end:
            first = new + lines[0] - old if tag == "equal" else new + 1
        if old < lines[1] <= old_end:
            last = new + lines[1] - old if tag == "equal" else new_end
    first = max(first, 1)
    return first, max(first, last)


def read_cases(root: Path = CASES, pattern: str = "*") -> list[Case]:
    """Read the cases whose "language/name" fits the pattern, in order of that. Raises UnreadableCase."""
    found = [(f"{sheet.parent.parent.name}/{sheet.parent.name}", sheet.parent) for sheet in root.glob("*/*/case.yaml")]
    return [read_case(slug, folder) for slug, folder in sorted(found) if fnmatch(slug, pattern)]


def require_unique_titles(cases: Iterable[Case]) -> None:
    """Check that no two cases have the same title. Raises UnreadableCase."""
    titles: dict[str, str] = {}
    for case in cases:
        if case.definition.title in titles:
            raise UnreadableCase(f"{case.slug}: title: {titles[case.definition.title]} has the same one")
        titles[case.definition.title] = case.slug


def read_case(slug: str, folder: Path) -> Case:
    """Read one case. Raises UnreadableCase."""
    definition = _read(folder / "case.yaml", CaseDefinition)
    if definition.language != slug.partition("/")[0]:
        raise UnreadableCase(f"{folder / 'case.yaml'}: language: {definition.language} in the folder of another one")
    recorded = folder / "recorded.yaml"
    recording = _read(recorded, Recording) if recorded.exists() else None
    case = Case(slug, folder, definition, () if definition.clone else _states(folder, definition.pushes), recording)
    wrong = [
        *(f"{folder / 'case.yaml'}: {one}" for one in _misplaced(case)),
        *(f"{recorded}: {one}" for one in _mislabelled(case)),
    ]
    if wrong:
        raise UnreadableCase("\n".join(wrong))
    return case


def _read(path: Path, form: type[_Model]) -> _Model:
    try:
        return form.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UnreadableCase(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnreadableCase(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise UnreadableCase("\n".join(f"{path}: {one}" for one in validation_messages(error))) from error


def _states(folder: Path, pushes: Iterable[Push]) -> tuple[Files, ...]:
    """All files before the pull request and after each push."""
    states = [_files(folder / "base")]
    for number, push in enumerate(pushes, 1):
        gone = [path for path in push.delete if path not in states[-1]]
        if gone:
            raise UnreadableCase(f"{folder / 'case.yaml'}: pushes.{number - 1}.delete: no such file: {gone[0]}")
        left = {path: content for path, content in states[-1].items() if path not in push.delete}
        after = left | _files(folder / f"push-{number}")
        if after == states[-1]:
            raise UnreadableCase(f"{folder / f'push-{number}'}: the push changes nothing")
        states.append(after)
    return tuple(states)


def _files(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and _SIGNS_OF_USE not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _misplaced(case: Case) -> Iterator[str]:
    """Places in the definition that do not exist."""
    if not case.states:
        return
    for number, push in enumerate(case.pushes):
        for name, places in _places(push):
            for at, place in enumerate(places):
                key = f"pushes.{number}.{name}.{at}"
                if place.path is not None and place.path not in case.states[number + 1]:
                    yield f"{key}.path: no such file after the push: {place.path}"
                elif place.path and place.lines and place.lines[1] > len(case.lines_of(place.path, number)):
                    yield f"{key}.lines: {place.path} has {len(case.lines_of(place.path, number))} lines"
                elif place.path is None and isinstance(place, Forbidden) and place.lines:
                    yield f"{key}.lines: there is no path"


def _places(push: Push) -> Iterator[tuple[str, Sequence[Place]]]:
    yield from (("expected", push.expected), ("accepted", push.accepted), ("forbidden", push.forbidden))
    yield "also", [place for one in (*push.expected, *push.accepted) for place in one.also]


def _mislabelled(case: Case) -> Iterator[str]:
    """Names in the recording that the definition does not have."""
    pushes = case.recording.pushes if case.recording else ()
    if len(pushes) > len(case.pushes):
        yield f"pushes: {len(pushes)} of {len(case.pushes)}"
    known: set[str] = set()
    for number, (push, recording) in enumerate(zip(case.pushes, pushes, strict=False)):
        for at, earlier in enumerate(recording.earlier):
            if earlier.id not in known:
                yield f"pushes.{number}.earlier.{at}.id: no earlier push expects {earlier.id}"
        known |= {one.id for one in push.expected}
        kept = [finding for findings in recording.reports.values() for finding in findings if finding.is_kept]
        names = {name for finding in kept for name in (finding.title, finding.expects)}
        for reviewer, findings in recording.reports.items():
            for at, finding in enumerate(findings):
                key = f"pushes.{number}.reports.{reviewer}.{at}"
                if finding.expects is not None and finding.expects not in known:
                    yield f"{key}.expects: nothing expects {finding.expects}"
                if finding.same_as is not None and finding.same_as not in names:
                    yield f"{key}.same_as: no finding of the push that is kept is {finding.same_as}"
