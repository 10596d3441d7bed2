"""Guidance: read what the base branch says of how to work on the changed files, next to what its root says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kodiai.core.changes.generated import base_paths
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.text import decoded
from kodiai.core.errors import Refused
from kodiai.core.github.pull_request import Guidance
from kodiai.core.plan.guidance_files import glob_problem, imports, ranks
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.snapshot import ROOT_GUIDANCE
from kodiai.core.repository.tree import Tree
from kodiai.flows.pull_request_ports import PullRequestPorts

_MOST_FILES = 40
_MOST_BYTES = 100_000
_MOST_NAMED = 3


def with_guidance(review_input: ReviewInput, tree: Tree, ports: PullRequestPorts) -> ReviewInput:
    """The input with the guidance of the changed files' folders, of instructions and settings, and what it imports.

    One request reads all of it, and another one what that imports in turn, where there is any. `tree` has the files of
    the head. Raises OutOfTime.
    """
    config, on_github = review_input.config.review, review_input.on_github
    changed = [file.path for file in review_input.new_files]
    there = base_paths(tree.paths(), review_input.files)
    ranked = ranks(there, changed, config.guidance)
    wanted = [path for path in sorted(ranked, key=lambda path: (ranked[path], path)) if path not in ROOT_GUIDANCE]
    found, unseen = {each.path: each for each in on_github.guidance}, dict[str, str]()
    importers = [*found.values()]
    for _ in range(2):
        wanted += (path for file in importers for path in imports(file, there))
        new = [path for path in dict.fromkeys(wanted) if path not in found and path not in unseen]
        new = [path for path in new if not matches_any(path, config.skip_paths)]
        read = _read(review_input.pull_request.base, new, ports, unseen)
        found |= read
        wanted, importers = [], [file for path, file in read.items() if path in ranked]
    problems = [*review_input.problems, *(f"not seen: guidance: {each}" for each in _in_words(unseen))]
    on_github = replace(on_github, guidance=tuple(found.values()))
    return replace(review_input, on_github=on_github, problems=problems)


def _read(commit: str, paths: Sequence[str], ports: PullRequestPorts, unseen: dict[str, str]) -> dict[str, Guidance]:
    """The first of these files at a commit, by path; `unseen` gets the reasons why others are not seen."""
    unseen.update(dict.fromkeys(paths[_MOST_FILES:], f"over {_MOST_FILES} files"))
    if not paths:
        return {}
    names = {f"{commit}:{path}": path for path in paths[:_MOST_FILES]}
    ports.deadline.need(ports.settings.limits.publish_seconds)
    try:
        contents = ports.github.contents(names)
    except Refused as refused:
        unseen.update(dict.fromkeys(names.values(), str(refused)))
        return {}
    found = {}
    for name, path in names.items():
        content = contents[name]
        text = decoded(content) if content is not None and len(content) <= _MOST_BYTES else None
        if text is not None:
            found[path] = Guidance(path, text.text)
        why = glob_problem(found[path]) if path in found else _why(content)
        if why is not None:
            unseen[path] = why
    return found


def _why(content: bytes | None) -> str:
    if content is None:
        return "the base branch has it no more, or GitHub does not show it"
    return f"over {_MOST_BYTES // 1_000} KB" if len(content) > _MOST_BYTES else "it is no text"


def _in_words(unseen: Mapping[str, str]) -> Iterator[str]:
    """Each reason once, with the first files that it is about."""
    for why in dict.fromkeys(unseen.values()):
        paths = [path for path, each in unseen.items() if each == why]
        more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
        yield f"{', '.join(paths[:_MOST_NAMED])}{more}: {why}"
