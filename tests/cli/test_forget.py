"""`kodiai forget` as an operator runs it, over the local AWS with a table and vector indexes like the template's."""

from typing import Any

import pytest

from local.aws import LocalAws
from tests.cli.deployed import Memory
from tests.cli.running import Done, run_command

PULL: list[dict[str, Any]] = [
    {"pk": "PR#1#12", "sk": "STATE"},
    {"pk": "PR#1#12", "sk": "FINDING#F-3"},
    {"pk": "REPO#1", "sk": "REMEMBERED#00000012#F-3", "key": "1/12/F-3"},
]
REST: list[dict[str, Any]] = [
    {"pk": "PR#1#1", "sk": "STATE"},
    {"pk": "REPO#1", "sk": "MONTH#2026-11"},
    {"pk": "REPO#1", "sk": "REMEMBERED#00000001#F-1", "key": "1/1/F-1"},
    {"pk": "OWNER#100", "sk": "SHARES#1"},
    {"pk": "OWNER#100", "sk": "REPO#1", "repository": "acme/shop", "seen": 86_400},
]
OTHER: list[dict[str, Any]] = [
    {"pk": "PR#2#12", "sk": "STATE"},
    {"pk": "REPO#2", "sk": "REMEMBERED#00000012#F-3", "key": "2/12/F-3"},
    {"pk": "OWNER#100", "sk": "REPO#2", "repository": "acme/shop2", "seen": 86_400},
]
AGAIN = {"pk": "OWNER#100", "sk": "REPO#1234567890", "repository": "acme/shop", "seen": 172_800}
HINT = "check the spelling and the stage. After a rename, the new name works from the next webhook on."
STAYS = (
    "Reviews and comments on GitHub stay. If the App is still installed, findings come back from them at the next "
    "review, and running reviews write again.\n"
)


@pytest.fixture
def memory(aws: LocalAws) -> Memory:
    """Two repositories of a stage "dev"."""
    made, items = Memory(aws, "dev"), [*PULL, *REST, *OTHER]
    made.put(*items)
    made.put_vectors(*(item["key"] for item in items if "key" in item))
    return made


def forget(memory: Memory, *arguments: str, answer: str | None = None) -> Done:
    return run_command("forget", "--repo", *arguments, "--endpoint-url", memory.url, answer=answer)


def keys(*items: dict[str, Any]) -> set[tuple[str, str]]:
    return {(item["pk"], item["sk"]) for item in items}


def test_a_repository_is_deleted_with_its_vectors_and_nothing_else(memory: Memory) -> None:
    """All its pull requests, months, rules and memory, its place in the pool, and vectors of items that expired."""
    memory.put_vectors("1/3/F-1", "1/4/F-1", repository=1)
    memory.put_vectors("2/3/F-1", repository=2)

    done = forget(memory, "acme/shop", "--yes")

    assert done == Done(0, f"Deleted 8 items and 6 vectors of acme/shop.\n{STAYS}", "")
    assert keys(*memory.items()) == keys(*OTHER)
    assert memory.vectors() == [{"2/12/F-3", "2/3/F-1"}] * 2


def test_a_pull_request_is_deleted_with_its_part_of_the_memory(memory: Memory) -> None:
    """The rest of the repository stays."""
    done = forget(memory, "acme/shop", "--pull-request", "12", "--yes")

    assert done == Done(0, f"Deleted 3 items and 1 vector of acme/shop#12.\n{STAYS}", "")
    assert keys(*memory.items()) == keys(*REST, *OTHER)
    assert memory.vectors() == [{"1/1/F-1", "2/12/F-3"}] * 2


@pytest.mark.parametrize(("answer", "deletes"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_a_deletion_needs_a_yes(memory: Memory, answer: str, deletes: bool) -> None:
    """A command without a terminal gets no yes."""
    done = forget(memory, "acme/shop", answer=answer)

    error = "" if deletes else "kodiai: Nothing was deleted. --yes deletes without a question.\n"
    assert (done.status, done.err) == (int(not deletes), error)
    assert done.out.startswith("Delete everything that the stage dev stores about acme/shop? [y/N] ")
    assert (keys(*PULL, *REST) <= keys(*memory.items())) is not deletes


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("acme/shops", f"acme/shops: {HINT}"),
        ("acme/shop --pull-request 99", "acme/shop#99."),
    ],
)
def test_a_name_without_data_is_an_error(memory: Memory, given: str, message: str) -> None:
    """A name with a mistake must not look like a deletion."""
    assert forget(memory, *given.split(), "--yes") == Done(1, "", f"kodiai: Nothing is stored about {message}\n")


def test_one_of_several_repositories_of_a_name_is_chosen_by_its_id(memory: Memory) -> None:
    """One of them was deleted on GitHub or renamed, and another one took its name."""
    memory.put(AGAIN)

    unclear = forget(memory, "acme/shop", "--yes")
    chosen = forget(memory, "acme/shop", "--repository-id", "1234567890", "--yes")

    choices = "1234567890 (last seen on 1970-01-03) or --repository-id 1 (last seen on 1970-01-02)"
    assert unclear == Done(1, "", f"kodiai: 2 repositories had the name acme/shop: choose --repository-id {choices}.\n")
    assert chosen.status == 0
    assert keys(*memory.items()) == keys(*PULL, *REST, *OTHER)
