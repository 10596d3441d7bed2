"""A repository on which the App is no longer installed leaves nothing behind, and takes nothing else with it."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.aws_resources import vector_keys
from tests.specs.conftest import Stage
from tests.specs.moods import DISCOUNT, until
from tests.specs.scripts import a_finding, a_report, says

INDEX = "titan-embed-text-v2-1024"
WAIT, WAITS = 600, 5
DEDUPLICATION = 301
"""The time in which SQS drops a repeat of a message, and a second more."""
STRANGERS: list[dict[str, Any]] = [
    {"pk": "PR#8#1", "sk": "STATE"},
    {"pk": "REPO#9", "sk": "REMEMBERED#00000001#F-1", "key": "9/1/F-1"},
    {"pk": "OWNER#900", "sk": "SHARES#9"},
    {"pk": "OWNER#900", "sk": "REPO#9", "repository": "octo/hello", "seen": 1},
]
"""Items about other owners' repositories."""
SISTER: dict[str, Any] = {"pk": "PR#7#1", "sk": "STATE"}
"""An item about another repository of the same owner."""


@pytest.fixture
def reviewed(memory: Stage) -> Iterator[Stage]:
    """A system with a review, and with what other repositories have."""
    memory.model.answers = says(a_report(a_finding()))
    owner = f"OWNER#{memory.github.repository.ref.owner_id}"
    entry = {"pk": owner, "sk": "REPO#7", "repository": "acme/gadgets", "seen": 1}
    for item in (*STRANGERS, SISTER, entry):
        memory.table.put_item(Item=item)
    bucket = memory.machine.system.environment["KODIAI_VECTOR_BUCKET"]
    expired = memory.github.repository.ref.id  # nothing in the table names its vector
    vectors_there = [
        {"key": f"{id_}/1/F-1", "data": {"float32": [1.0] * 1024}, "metadata": {"repository": id_}}
        for id_ in (9, expired)
    ]
    memory.machine.aws.client("s3vectors").put_vectors(vectorBucketName=bucket, indexName=INDEX, vectors=vectors_there)
    memory.open(DISCOUNT)
    assert {"PR", "REPO", "OWNER"} <= {pk.partition("#")[0] for pk, _ in own(memory)}
    assert len(vectors(memory)) > 1
    yield memory
    if not memory.github.repository.has_app:
        memory.github.install()
    memory.settle()


def keys(stage: Stage, *, counters: bool = False) -> set[tuple[str, str]]:
    """The keys of everything in the table but what the owner has spent, or of these counters, which stay."""
    owner = f"OWNER#{stage.github.repository.ref.owner_id}"
    every = [(item["pk"], item["sk"]) for item in stage.items()]
    return {(pk, sk) for pk, sk in every if (pk == owner and sk.startswith(("DAY#", "MONTH#"))) is counters}


def own(stage: Stage) -> set[tuple[str, str]]:
    """The keys of everything about the repository."""
    others = {(item["pk"], item["sk"]) for item in (*STRANGERS, SISTER)}
    return {key for key in keys(stage) - others if key[1] != "REPO#7"}


def vectors(stage: Stage) -> set[str]:
    """The keys of all vectors in the index."""
    return vector_keys(stage.machine.aws, stage.machine.system.environment["KODIAI_VECTOR_BUCKET"], INDEX)


def deletions(stage: Stage, *, waiting: bool = False) -> list[Mapping[str, Any]]:
    """Outcomes of attempts to delete, oldest first; or those of second looks that were put back until their time."""
    lines = [line for line in stage.outcomes if "owner" in line and line["reason"] != "the second look waits"]
    return [line for line in lines if (line["outcome"] == "waiting") is waiting]


def test_an_uninstalled_app_leaves_nothing_of_the_owner(reviewed: Stage) -> None:
    """Neither items nor vectors, at once and for good; other owners lose nothing. Caps go on counting."""
    since, counters = len(deletions(reviewed)), keys(reviewed, counters=True)
    waited = len(deletions(reviewed, waiting=True))

    reviewed.github.uninstall()
    reviewed.settle()

    assert keys(reviewed) == {(item["pk"], item["sk"]) for item in STRANGERS}
    assert vectors(reviewed) == {"9/1/F-1"}
    assert keys(reviewed, counters=True) == counters != set()
    first, second = deletions(reviewed)[since:]
    waits = deletions(reviewed, waiting=True)
    waiting = waits[-1]
    assert len(waits) - waited == WAITS
    assert (first["outcome"], first["reason"]) == ("completed", "the first look")
    assert (first["deleted_repositories"], first["installed_repositories"]) == (2, 0)
    assert first["deleted_items"] > 5
    assert first["deleted_vectors"] >= 1
    assert (waiting["outcome"], waiting["attempt"]) == ("waiting", 0)
    assert WAIT - 10 < waiting["after_seconds"] <= WAIT
    assert (second["outcome"], second["deleted_items"]) == ("completed", 2)  # the entries of both


def test_a_removed_repository_leaves_nothing_and_the_owners_others_stay(reviewed: Stage) -> None:
    """Only the named repository is looked at."""
    reviewed.github.remove_repository()
    reviewed.settle()

    assert own(reviewed) == set()
    assert (SISTER["pk"], SISTER["sk"]) in keys(reviewed)
    assert vectors(reviewed) == {"9/1/F-1"}
    assert deletions(reviewed)[-1]["named_repositories"] == 1


def test_items_that_a_review_writes_after_the_deletion_are_deleted_by_the_second_look(reviewed: Stage) -> None:
    """A review that is under way when the App is uninstalled knows nothing of it."""
    since = len(deletions(reviewed, waiting=True))
    reviewed.github.uninstall()
    until(lambda: len(deletions(reviewed, waiting=True)) > since)
    reviewed.table.put_item(Item={"pk": f"PR#{reviewed.github.repository.id}#1", "sk": "STATE"})

    reviewed.settle()

    assert own(reviewed) == set()
    assert (deletions(reviewed)[-1]["reason"], deletions(reviewed)[-1]["deleted_items"]) == ("the second look", 3)


def test_a_webhook_that_is_redelivered_after_the_app_was_installed_again_deletes_nothing(reviewed: Stage) -> None:
    """GitHub says that the App is there."""
    reviewed.github.uninstall()
    reviewed.settle()
    [*_, uninstalled] = [each for each in reviewed.github.deliveries if each.event == "installation"]
    reviewed.github.install()
    reviewed.machine.aws.clock.advance(DEDUPLICATION)
    opened = reviewed.open({"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n\n"})
    before, vectors_before = own(reviewed), vectors(reviewed)

    reviewed.github.redeliver(uninstalled.guid)
    reviewed.settle()

    assert len(opened.ledger.findings()) == 1
    assert (own(reviewed), vectors(reviewed)) == (before, vectors_before)
    kept = deletions(reviewed)[-1]
    assert (kept["reason"], kept["deleted_items"], kept["installed_repositories"]) == ("the second look", 0, 1)


def test_a_question_that_github_does_not_answer_deletes_nothing_yet(reviewed: Stage) -> None:
    """The message comes again, and deletes then."""
    since = len(deletions(reviewed))
    reviewed.github.fail_next("GET /repositories/{repository_id}/installation", 502, times=3)

    reviewed.github.uninstall()
    reviewed.settle()

    failed, first, *_ = deletions(reviewed)[since:]
    assert (failed["outcome"], first["outcome"], first["attempt"]) == ("retry", "completed", 2)
    assert own(reviewed) == set()
