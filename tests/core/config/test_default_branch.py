"""Which settings count where the base branch is not the default branch."""

from typing import Any

import yaml

from kodiai.core.config.keys import Config
from kodiai.core.config.read import KEYS, BranchFile, Path, read_config, read_settings
from tests.tables import each_row


def rule(name: str, level: str = "warning", paths: tuple[str, ...] = ("**",), text: str = "One.") -> dict[str, Any]:
    """A rule of the team, in a file or as it is read."""
    return {"id": name, "text": text, "paths": [*paths], "level": level}


STRICTER: dict[str, list[tuple[Any, Any, Any]]] = {
    "review.enabled": [(True, False, False)],
    "review.skipPaths": [(["docs/"], ["*.svg", "docs/"], ["docs/", "*.svg"])],
    "review.skipAuthors": [(["ann"], ["ben"], ["ann", "ben"])],
    "review.rules": [
        ([rule("b")], [rule("a")], [rule("a"), rule("b")]),
        ([rule("a", "note", ("x",))], [rule("a", "error", ("y",), "B.")], [rule("a", "error", ("x", "y"), "B.")]),
        ([rule("a", "error", ("x",))], [rule("a", "note", ("y",))], [rule("a", "error", ("x", "y"))]),
        ([rule("a")], None, [rule("a")]),
    ],
    "review.outsiders": [
        ("always", "request", "request"),
        ("request", "never", "never"),
        ("always", None, None),
        ("request", None, "request"),
    ],
    "review.labels.only": [(["Ready", "wip"], ["ready"], ["Ready"]), (["ready"], [], []), (None, ["ready"], ["ready"])],
    "review.labels.ignore": [([], ["wip"], ["wip"])],
    "review.baseBranches": [(["release/*"], ["*/1.0"], ["release/*"]), (["**"], ["main"], []), (None, [], [])],
    "knowledge.retrieval.enabled": [(True, False, False)],
    "knowledge.sharing.enabled": [(True, False, False)],
    "mention.enabled": [(True, False, False)],
    "mention.allowedUsers": [(["ann", "ben"], ["Ben"], ["ben"]), (None, [], [])],
    "mention.conversation.maxTurnsPerPr": [(50, 3, 3)],
    "proposals.enabled": [(True, False, False)],
    "proposals.denyPaths": [(["a"], ["b"], ["a", "b"])],
    "budget.perPullRequest": [(5, 0.5, 0.5), (None, 0, 0)],
    "budget.perRepositoryPerMonth": [(100, 50, 50)],
}
"""By key: a value of the base branch, one of the default branch, and the stricter one that counts."""


def file_with(path: Path, value: Any) -> bytes | None:
    """A settings file with one key, None without a value."""
    if value is None:
        return None
    for name in reversed(path):
        value = {name: value}
    return yaml.safe_dump(value).encode()


def settings(base: bytes | None, default: bytes | None, branch: str = "release/1.0") -> Config:
    return read_settings(BranchFile(branch, base), BranchFile("main", default))


def value_of(config: Config, path: Path) -> Any:
    values: Any = config.model_dump(mode="json", by_alias=True)
    for name in path:
        values = values[name]
    return values


def test_every_key_that_restricts_is_here() -> None:
    """A new one says how the stricter of two values is found, and is tested here."""
    assert STRICTER.keys() == {".".join(path) for path, key in KEYS.items() if key.restricts}


@each_row("name", STRICTER)
def test_the_stricter_value_counts(name: str) -> None:
    """Whichever branch has it; two same values are that value."""
    path = tuple(name.split("."))
    for base, default, expected in STRICTER[name]:
        one, other = file_with(path, base), file_with(path, default)

        assert value_of(settings(one, other), path) == expected
        assert settings(one, one) == read_config(one)


def test_a_branch_that_the_default_branch_does_not_name_is_not_reviewed() -> None:
    """Both have to allow it: a pattern of one cannot widen that of the other.

    Keys that restrict nothing are the base branch's: a release branch may have its own.
    """
    both = settings(b"review: {baseBranches: ['release/*']}", b"review: {baseBranches: [main, '*/1.0']}")
    neither = settings(b"review: {baseBranches: ['**']}", b"review: {baseBranches: [main]}", "old")
    base = b"review: {maxComments: 3, drafts: true}\nmention: {aliases: [bot]}"

    assert both.review.reviews_into("release/1.0")
    assert not neither.review.reviews_into("old")
    assert settings(base, b"review: {maxComments: 1, event: verdict}") == read_config(base)


def test_a_file_of_the_default_branch_that_cannot_be_followed_refuses_everything() -> None:
    """Its restrictions cannot be known. The branch is named, as code; the base branch's own refusal comes first."""
    refused = settings(None, b"review: {skipPaths: 7, maxComments: x}")
    unreadable = settings(None, b"{")
    both = settings(b"budget: 5", b"{")

    assert refused.refusal == (
        "`.kodiai.yml` on the default branch `main` cannot be followed, so nothing is done until it is fixed: "
        "`review.skipPaths` must be a list, not `7`."
    )
    assert (unreadable.refusal or "").startswith("`.kodiai.yml` on the default branch `main` cannot be followed")
    assert (both.refusal or "").startswith("`.kodiai.yml` on the base branch cannot be followed")


def test_only_what_counts_of_the_default_branch_is_a_problem() -> None:
    """A bad `enabled` of it is false, which is said with the branch; its other mistakes change nothing here."""
    config = settings(b"review: {drafts: many}", b"mention: {enabled: 7}\nreview: {maxComments: many}")

    assert not config.mention.enabled
    assert config.problems == (
        '.kodiai.yml: `review.drafts` must be true or false, not `"many"`; `false` is used.',
        ".kodiai.yml on `main`: `mention.enabled` must be true or false, not `7`; `false` is used.",
    )
