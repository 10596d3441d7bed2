"""Whether a diff applies, as strict as `git apply --check`, and what it makes of the files."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.diffs.binary_patch import UnreadableBinary, apply_binary
from kodiai.core.diffs.diff import read_diff
from kodiai.core.diffs.file_diff import FileDiff, TextHunk
from kodiai.core.diffs.hunk_search import Image, LineBudget, TooMuchEffort, lines_of, occurrences, without_space
from kodiai.core.diffs.paths import parents_of, unsafe_path
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import FILE, FOLDER, LINK, PROGRAM, SUBMODULE, TreeEntry

NO_FILES = "The diff changes no file: it has to be a unified diff as `git diff` prints it."
MOST_PROBLEMS = 50
"""The most problems that are reported."""
MORE = f"There is more that does not apply: only the first {MOST_PROBLEMS} problems are listed."

_MOST_LINES = 12
_MOST_CHARACTERS = 200
_LINES_BEFORE = 3
# The explanation of one hunk that does not apply takes this number of passes over its file.
_SEARCHES = 4
_TYPE = 0o170000
_KINDS = {FOLDER: "a folder", LINK: "a symbolic link", SUBMODULE: "a submodule"}
_NO_FILE = TreeEntry("0")
_AGAIN = "Read the file at the head again, and make the diff again."
TOO_MUCH = f"The diff has too many hunks in long files that are not where their headers say. {_AGAIN}"
_MOST_EFFORT = 20_000_000


@dataclass(frozen=True)
class Applied:
    """The result of a diff: each changed path with its entry afterwards, None where it is removed.

    With `problems` nothing is changed.
    """

    changes: Mapping[str, TreeEntry | None]
    problems: tuple[Problem, ...] = ()


def touched_paths(diff: str) -> tuple[str, ...]:
    """Every path that a diff reads or writes, as far as it can be read, and as it may be in a repository."""
    names = [name for file in read_diff(diff) for name in (file.old_name, file.new_name) if name is not None]
    return tuple(dict.fromkeys(name for name in names if unsafe_path(name) is None))


def apply_diff(diff: str, entries: Mapping[str, TreeEntry]) -> Applied:
    """Apply a diff to what is at the paths that it touches, in memory: all of it or nothing.

    `entries` has everything that is at the paths and, where one of their folders is none, what is there instead.
    All problems are reported up to MOST_PROBLEMS; one more says that there are others.
    """
    files = read_diff(diff)
    if not files:
        return Applied({}, (Problem(message=NO_FILES),))
    checks = _Checks(files, entries)
    found = (problem for file in files for problem in (file.problems or checks.check(file)))
    try:
        problems = list(itertools.islice(found, MOST_PROBLEMS + 1))
    except TooMuchEffort:
        return Applied({}, (Problem(message=TOO_MUCH),))
    if problems:
        return Applied({}, _reported(problems))
    changes, problems = _written(checks.results, entries)
    return Applied({} if problems else changes, _reported(problems))


def _reported(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    more = (Problem(message=MORE),) if len(problems) > MOST_PROBLEMS else ()
    return (*problems[:MOST_PROBLEMS], *more)


@dataclass(frozen=True)
class _Result:
    """A file as a diff leaves it; the mode is git's, as a number."""

    file: FileDiff
    old_name: str | None
    is_new: bool
    mode: int
    content: bytes


class _Checks:
    """The files of a diff in their order, each checked against the tree and what was made before."""

    def __init__(self, files: Sequence[FileDiff], entries: Mapping[str, TreeEntry]) -> None:
        self._entries = entries
        self._effort = LineBudget(_MOST_EFFORT)
        self._made: dict[str, _Result] = {}
        self._gone: set[str] = set()
        self._going = {file.old_name for file in files if file.removes_old_name}
        self._removed_links = {
            file.old_name
            for file in files
            if _is_type(file.old_mode, LINK) and (file.is_rename or file.is_deleted is not False)
        }
        self._made_links = {file.new_name for file in files if _is_type(file.new_mode, LINK)}
        self.results: list[_Result] = []

    def check(self, file: FileDiff) -> Iterator[Problem]:
        """Check one file, and keep what it becomes if there is no problem."""
        unsafe = next((name for name in (file.old_name, file.new_name) if name and unsafe_path(name)), None)
        if unsafe is not None:
            yield Problem(message=f"The path may not be written: {unsafe_path(unsafe)}.", path=unsafe)
            return
        old_name, is_new = file.old_name, file.is_new is True
        if old_name is not None and file.is_new is None and self._is_missing(old_name):
            old_name, is_new = None, True
        before = self._before(old_name, file) if old_name is not None else _NO_FILE
        problem = before if isinstance(before, Problem) else self._name_problem(file, before, old_name, is_new=is_new)
        if problem is not None:
            yield problem
            return
        assert isinstance(before, TreeEntry)  # noqa: S101 - it is no problem
        mode = _new_mode(file, before, is_new=is_new)
        content = _content(file, before, self._effort, creates=old_name is None)
        if not isinstance(content, bytes):
            yield from content
            return
        if file.is_deleted and content:
            yield Problem(message=f"The diff deletes the file, but removes only a part of it. {_AGAIN}", path=file.name)
            return
        self._keep(_Result(file, old_name, is_new, mode, content))

    def _keep(self, result: _Result) -> None:
        self.results.append(result)
        new_name, old_name = result.file.new_name, result.old_name
        if new_name is not None:
            self._made[new_name] = result
            self._gone.discard(new_name)
            self._going.discard(new_name)
        if old_name is not None and result.file.removes_old_name:
            self._made.pop(old_name, None)
            self._gone.add(old_name)
            self._going.discard(old_name)

    def _is_missing(self, name: str) -> bool:
        """Whether a file that may be new is not there."""
        return name not in self._made and name not in self._entries and self._obstacle(name) in (None, LINK)

    def _before(self, name: str, file: FileDiff) -> TreeEntry | Problem:
        """The entry before the change."""
        moves = file.is_rename or file.is_copy
        if not moves and name in self._gone:
            return Problem(message="An earlier part of the diff deletes or renames this file.", path=name)
        if not moves and name in self._made:
            made = self._made[name]
            return TreeEntry(f"{made.mode:o}", made.content)
        if self._obstacle(name) == LINK:
            return Problem(message="The path is beyond a symbolic link.", path=name)
        entry = self._entries.get(name)
        if entry is None:
            return Problem(message=_missing(name), path=name)
        return entry

    def _name_problem(self, file: FileDiff, before: TreeEntry, old_name: str | None, *, is_new: bool) -> Problem | None:
        """Why a file cannot be changed or made, whatever its content."""
        old_mode = int(before.mode, 8)
        expected = file.old_mode or old_mode
        if before.mode == FOLDER or (before.mode == SUBMODULE and not file.is_deleted):
            return Problem(message=f"There is {_KINDS[before.mode]} at this path, not a file.", path=old_name)
        if old_name is not None and _type(expected) != _type(old_mode):
            return Problem(
                message=f"The file has another type than the diff says: {before.mode}, not {expected:o}.", path=old_name
            )
        new_name = file.new_name
        if new_name is None:
            return None
        new_mode = _new_mode(file, before, is_new=is_new)
        if _is_type(new_mode, SUBMODULE) or (
            _is_type(new_mode, LINK) and new_name.rpartition("/")[2].lower() == ".gitmodules"
        ):
            return Problem(message="The diff makes a submodule.", path=new_name)
        if (is_new or file.is_rename or file.is_copy) and self._is_taken(new_name):
            return Problem(message=f"There is a file at this path already. {_AGAIN}", path=new_name)
        if old_name is not None and _type(expected) != _type(new_mode):
            return Problem(message=f"The diff changes the type of the file: {expected:o}, {new_mode:o}.", path=new_name)
        if file.is_deleted is False or is_new:
            return self._link_problem(new_name)
        return None

    def _is_taken(self, name: str) -> bool:
        entry = self._entries.get(name)
        return entry is not None and entry.mode != FOLDER and name not in self._gone and name not in self._going

    def _obstacle(self, name: str) -> str | None:
        """The mode of what is in the place of one of the path's folders, None if they are folders or missing."""
        found = (self._entries[parent].mode for parent in parents_of(name) if parent in self._entries)
        return next((mode for mode in found if mode != FOLDER), None)

    def _link_problem(self, name: str) -> Problem | None:
        for parent in parents_of(name):
            entry = self._entries.get(parent)
            is_link = entry is not None and entry.mode == LINK and parent not in self._removed_links
            if parent in self._made_links or is_link:
                return Problem(message="The path is beyond a symbolic link.", path=name)
        return None


def _missing(name: str) -> str:
    if name == "dev/null":
        return "A new file needs the line `new file mode 100644` after `diff --git`."
    return "There is no such file. Check the path; it is relative to the root of the repository."


def _type(mode: int) -> int:
    return mode & _TYPE


def _is_type(mode: int, kind: str) -> bool:
    return _type(mode) == int(kind, 8)


def _new_mode(file: FileDiff, before: TreeEntry, *, is_new: bool) -> int:
    """The mode afterwards: what the diff says, else as it was."""
    if file.new_mode or file.new_name is None:
        return file.new_mode
    if is_new:
        return int(FILE, 8)
    # A header of git may name the old mode only: on a rename or a copy the file is as it was, too.
    return int(before.mode, 8)


def _content(file: FileDiff, before: TreeEntry, effort: LineBudget, *, creates: bool) -> bytes | list[Problem]:
    """The content of a file after its hunks or its binary patch, or the reason for which they do not apply."""
    if before.mode == SUBMODULE:
        return b""
    if file.is_binary:
        try:
            return apply_binary(before.content, file.old_id, file.new_id, file.binary, creates=creates)
        except UnreadableBinary as error:
            return [Problem(message=f"The binary patch does not apply: {error}.", path=file.name)]
    image = Image(before.content, effort)
    failed = [hunk for hunk in file.hunks if not image.apply(hunk)][: MOST_PROBLEMS + 1]
    if not failed:
        return image.content
    lines = lines_of(before.content)
    effort.spend(len(lines) * (1 + _SEARCHES * len(failed)))
    spaceless = without_space(lines)
    path = file.old_name or file.new_name
    return [_hunk_problem(hunk, lines, path, _why(hunk, image, lines, spaceless)) for hunk in failed]


def _hunk_problem(hunk: TextHunk, lines: list[bytes], path: str | None, why: str) -> Problem:
    """A hunk that does not apply, with the lines of the file as they are where its header says."""
    old = hunk.old
    start = max(hunk.old_start - 1, 0)
    there = lines[start : start + max(len(old), 1)]
    same = next((index for index, pair in enumerate(zip(old, there, strict=False)) if pair[0] != pair[1]), len(there))
    skipped = max(same - _LINES_BEFORE, 0) if same < max(len(old), len(there)) else 0
    return Problem(
        message=why,
        path=path,
        hunk=hunk.number,
        line=start + skipped + 1,
        expected=_shown(old[skipped:]),
        found=_shown(there[skipped:]),
    )


def _why(hunk: TextHunk, image: Image, lines: list[bytes], spaceless: list[bytes]) -> str:
    """Why a hunk does not apply, by the lines that the file had before, also without white space."""
    old = hunk.old
    if not old:
        return "The hunk has no context, so that its place is not certain: add the lines around it."
    places = occurrences(lines, old)
    if places and not image.has(old):
        return "The hunk changes lines that an earlier hunk has changed: make one hunk of the two."
    if places:
        where = "at the beginning of the file" if hunk.old_start <= 1 else "at the end of the file"
        if hunk.old_start <= 1 and hunk.ends_with_change:
            where = "as the whole file"
        return (
            f"The lines that this hunk expects are {_at_lines(places)}, but it applies only {where}:"
            " correct its line numbers, and have three lines of context before and after each change."
        )
    if len(hunk.new) > 1 and occurrences(lines, hunk.new):
        return f"The file already has the lines that this hunk makes. {_AGAIN}"
    spaced = occurrences(spaceless, without_space(old))
    if spaced:
        return f"The lines are {_at_lines(spaced)} with other white space or line ends. {_AGAIN}"
    return f"The lines that this hunk expects are not in the file. {_AGAIN}"


def _at_lines(places: Sequence[int]) -> str:
    """The place of lines for people: their numbers in the file."""
    if len(places) == 1:
        return f"at line {places[0] + 1}"
    shown = ", ".join(str(at + 1) for at in places[:_LINES_BEFORE])
    return f"in {len(places)} places (lines {shown}{', …' if len(places) > _LINES_BEFORE else ''})"


def _shown(lines: Sequence[bytes]) -> tuple[str, ...]:
    """Lines as a problem shows them, without their newlines; some are cut."""
    texts = [line.removesuffix(b"\n").decode("utf-8", "replace") for line in lines[:_MOST_LINES]]
    return tuple(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…" for text in texts)


def _written(
    results: Sequence[_Result], entries: Mapping[str, TreeEntry]
) -> tuple[dict[str, TreeEntry | None], list[Problem]]:
    """Remove and then write the files in their order, as git does; what changes, and what cannot be written."""
    changes: dict[str, TreeEntry | None] = {}
    for result in results:
        if result.old_name is not None and not result.file.is_copy:
            changes[result.old_name] = None
    there = {**entries, **changes}
    problems = []
    for result in results:
        name = result.file.new_name
        if name is None or result.file.is_deleted:
            continue
        mode = LINK if _is_type(result.mode, LINK) else PROGRAM if result.mode & 0o100 else FILE
        written = TreeEntry(mode, result.content)
        problem = _write_problem(name, written, there)
        if problem is not None:
            problems.append(Problem(message=problem, path=name))
        there |= dict.fromkeys(parents_of(name), TreeEntry(FOLDER))
        changes[name] = there[name] = written
    return {path: entry for path, entry in changes.items() if entry != entries.get(path)}, problems


def _write_problem(name: str, written: TreeEntry, there: Mapping[str, TreeEntry | None]) -> str | None:
    """Why a file cannot be written among what is there by then."""
    if written.mode == LINK and (not written.content or b"\0" in written.content):
        return "A symbolic link has to lead somewhere."
    for parent in parents_of(name):
        above = there.get(parent)
        if above is not None and above.mode != FOLDER:
            return f"{parent} is no folder."
    present = there.get(name)
    if present is not None and present.mode in (FOLDER, SUBMODULE):
        return "There is a folder at this path: remove it in a change of its own first."
    return None
