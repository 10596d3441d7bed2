"""Which settings count where the owner has settings for all repositories."""

import pytest
import yaml

from kodiai.core.config.keys import Config
from kodiai.core.config.read import KEYS, BranchFile, OwnerFile, Path, read_config, read_settings
from tests.core.config.test_default_branch import STRICTER, file_with, value_of
from tests.core.config.test_documentation import OF_KEYS
from tests.tables import each_row

DEFAULTS = Config()


def settings(base: bytes | None, owner: bytes | None, default: bytes | None = None, branch: str = "main") -> Config:
    """The settings for a branch; a base that is not the default branch has a `default` file."""
    other = None if default is None else BranchFile("main", default)
    return read_settings(BranchFile(branch, base), other, OwnerFile("acme/.github", owner))


@pytest.mark.parametrize("owner", [None, b"", b"review: {}"])
def test_an_owner_without_settings_changes_nothing(owner: bytes | None) -> None:
    """A repository's own file is followed as it is."""
    own = b"review: {maxComments: 3, skipPaths: [docs/]}\nknowledge: {sharing: {enabled: true}}"

    assert settings(own, owner) == read_config(own)
    assert settings(None, owner) == DEFAULTS


def test_the_owners_values_are_the_defaults_key_by_key() -> None:
    """Also where they allow more than the program's own defaults; a repository overrides what restricts nothing."""
    owner = b"""
    review: {maxComments: 3, event: verdict, severity: {minLevel: MAJOR}, language: de}
    knowledge: {sharing: {enabled: true}}
    mention: {conversation: {maxTurnsPerPr: 50}}
    """

    without, own = settings(None, owner), settings(b"review: {maxComments: 20, severity: {minLevel: MINOR}}", owner)

    assert without == read_config(owner)
    assert (own.review.max_comments, own.review.severity.min_level) == (20, "MINOR")
    assert (own.review.event, own.review.language) == ("verdict", "de")
    assert own.knowledge.sharing.enabled
    assert own.mention.conversation.max_turns_per_pr == 50


@each_row("name", STRICTER)
def test_the_stricter_value_of_a_key_that_restricts_counts(name: str) -> None:
    """A repository may restrict more than its owner, and never less; the owner's value counts alone without its own."""
    path = tuple(name.split("."))
    for one, other, expected in STRICTER[name]:
        if one is None or other is None:
            continue
        stricter = settings(file_with(path, one), file_with(path, other), branch="release/1.0")

        assert value_of(stricter, path) == expected
        assert value_of(settings(None, file_with(path, one)), path) == one


@pytest.mark.parametrize(("own", "owner"), [("false", "true"), ("true", "false"), ("false", "false"), ("true", "7")])
def test_either_may_turn_something_off(own: str, owner: str) -> None:
    """It is on only where both say so: a repository cannot turn on what its owner tried to turn off."""
    own_file, owner_file = (f"mention: {{enabled: {each}}}".encode() for each in (own, owner))

    config = settings(own_file, owner_file)

    said = ".kodiai.yml of `acme/.github`: `mention.enabled` must be true or false, not `7`; `false` is used."
    assert not config.mention.enabled
    assert config.problems == ((said,) if owner == "7" else ())


def test_another_branch_does_not_get_around_the_owner() -> None:
    """The owner's value is that of a branch which has no own one, on the base and on the default branch."""
    owner = b"review: {skipPaths: [secrets/]}\nbudget: {perPullRequest: 1}\nknowledge: {sharing: {enabled: true}}"

    config = settings(b"budget: {perPullRequest: 9}", owner, b"review: {skipPaths: [docs/]}", "release/1.0")

    assert (set(config.review.skip_paths), config.budget.per_pull_request) == ({"secrets/", "docs/"}, 1)
    assert config.knowledge.sharing.enabled


def test_mistakes_name_the_owners_file() -> None:
    """A value that restricts nothing falls back; a repository's own mistake falls back to the owner's value."""
    config = settings(b"review: {maxComments: many}", b"review: {maxComments: 3, drafts: some, langage: de}")

    assert (config.review.max_comments, config.refusal) == (3, None)
    assert config.problems == (
        '.kodiai.yml: `review.maxComments` must be a whole number, not `"many"`; `3` is used.',
        '.kodiai.yml of `acme/.github`: `review.drafts` must be true or false, not `"some"`; `false` is used.',
        (
            ".kodiai.yml of `acme/.github`: `review.langage` is not a known key and is ignored; perhaps"
            " `review.language` is meant."
        ),
    )


@pytest.mark.parametrize(
    ("owner", "why"),
    [
        (b"review: {skipPaths: 7}", "`review.skipPaths` must be a list, not `7`"),
        (b"{", "it is not YAML (line 1)"),
        (b"budget: {daily: 5}", "`budget.daily` is not a known key, and may be meant to restrict"),
    ],
)
def test_an_owners_file_that_cannot_be_followed_refuses_everything(owner: bytes, why: str) -> None:
    """Its restrictions cannot be known."""
    assert settings(b"review: {drafts: true}", owner).refusal == (
        f"`.kodiai.yml` of `acme/.github` cannot be followed, so nothing is done until it is fixed: {why}."
    )


@each_row("path", KEYS)
def test_every_key_can_be_the_owners(path: Path) -> None:
    """A value of the owner is followed where the repository has none, whatever key it is of."""
    content = file_with(path, yaml.safe_load(OF_KEYS[".".join(path)][3].strip("`")))

    assert settings(None, content) == read_config(content) != DEFAULTS
