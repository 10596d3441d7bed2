"""`kodiai forget` as an operator runs it, over the local AWS with a table and vector indexes like the template's."""

from typing import Any

import pytest

from local.aws import LocalAws
from tests.aws_resources import create_indexes, create_table, vector_keys
from tests.cli.running import Done, run_command
from tests.edges.deployed_aws import nobody_there

BUCKET, INDEXES = "kodiai-dev-memory", ("titan-embed-text-v2-1024", "voyage-code-3-1024")
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
STAYS = (
    "Reviews and comments on GitHub stay. If the App is still installed, findings come back from them at the next "
    "review, and reviews that are under way write again.\n"
)


class Deployment:
    """The table and the vectors of a stage "dev", with two repositories."""

    def __init__(self, aws: LocalAws) -> None:
        self.url = aws.access_url
        self._aws = aws
        self._table = create_table(aws, "kodiai-dev-ledger")
        items: list[dict[str, Any]] = [*PULL, *REST, *OTHER]
        for item in items:
            self._table.put_item(Item=item)
        create_indexes(aws, BUCKET, *INDEXES)
        vectors = [{"key": item["key"], "data": {"float32": [1.0, 0.0]}} for item in items if "key" in item]
        for index in INDEXES:
            aws.client("s3vectors").put_vectors(vectorBucketName=BUCKET, indexName=index, vectors=vectors)

    def left(self) -> tuple[set[tuple[str, str]], list[set[str]]]:
        """The keys of the items, and those of the vectors in each index."""
        return keys(*self._table.scan()["Items"]), [vector_keys(self._aws, BUCKET, index) for index in INDEXES]

    def put_vectors(self, *keys: str, **metadata: Any) -> None:
        """Put vectors into the last index."""
        vectors = [{"key": key, "data": {"float32": [0.0, 1.0]}, "metadata": metadata} for key in keys]
        self._aws.client("s3vectors").put_vectors(vectorBucketName=BUCKET, indexName=INDEXES[-1], vectors=vectors)

    def put(self, item: dict[str, Any]) -> None:
        self._table.put_item(Item=item)

    def run(self, *arguments: str, answer: str | None = None) -> Done:
        return run_command("forget", *arguments, "--endpoint-url", self.url, answer=answer)


def keys(*items: dict[str, Any]) -> set[tuple[str, str]]:
    return {(item["pk"], item["sk"]) for item in items}


@pytest.fixture
def deployment(aws: LocalAws) -> Deployment:
    return Deployment(aws)


def test_a_repository_is_deleted_with_its_vectors_and_nothing_else(deployment: Deployment) -> None:
    """All its pull requests, its months, rules and memory, and its place in the owner's pool."""
    done = deployment.run("--repo", "acme/shop", "--yes")

    assert done == Done(0, f"Deleted 8 items and 2 vectors of acme/shop.\n{STAYS}", "")
    assert deployment.left() == (keys(*OTHER), [{"2/12/F-3"}] * 2)


def test_vectors_of_items_that_have_expired_are_deleted_too(deployment: Deployment) -> None:
    """Nothing in the table names them any more; those of other repositories stay."""
    deployment.put_vectors("1/3/F-1", "1/4/F-1", repository=1)
    deployment.put_vectors("2/3/F-1", repository=2)

    done = deployment.run("--repo", "acme/shop", "--yes")

    assert done == Done(0, f"Deleted 8 items and 4 vectors of acme/shop.\n{STAYS}", "")
    assert deployment.left()[1] == [{"2/12/F-3"}, {"2/12/F-3", "2/3/F-1"}]


def test_a_pull_request_is_deleted_with_what_is_remembered_of_it(deployment: Deployment) -> None:
    """The rest of the repository stays."""
    done = deployment.run("--repo", "acme/shop", "--pull-request", "12", "--yes")

    assert done == Done(0, f"Deleted 3 items and 1 vector of acme/shop#12.\n{STAYS}", "")
    assert deployment.left() == (keys(*REST, *OTHER), [{"1/1/F-1", "2/12/F-3"}] * 2)


@pytest.mark.parametrize("text", ["n\n", "\n", ""])
def test_nothing_is_deleted_without_a_yes(deployment: Deployment, text: str) -> None:
    """Also where nobody can answer."""
    done = deployment.run("--repo", "acme/shop", answer=text)

    assert done == Done(
        1,
        "Delete everything that the stage dev stores about acme/shop? [y/N] ",
        "kodiai: Nothing was deleted. --yes deletes without a question.\n",
    )
    assert keys(*PULL, *REST) <= deployment.left()[0]


def test_a_person_can_answer_yes(deployment: Deployment) -> None:
    """Then it is deleted."""
    done = deployment.run("--repo", "acme/shop", answer="y\n")

    assert (done.status, done.err) == (0, "")
    assert deployment.left()[0] == keys(*OTHER)


@pytest.mark.parametrize("given", [("--repo", "acme/shops"), ("--repo", "acme/shop", "--pull-request", "99")])
def test_what_is_not_stored_is_said(deployment: Deployment, given: tuple[str, ...]) -> None:
    """A name with a mistake must not look like a deletion."""
    done = deployment.run(*given, "--yes")

    unknown = (
        "acme/shops: check the spelling and the stage. After a rename, its new name counts from the next webhook on"
    )
    what = unknown if len(given) == 2 else "acme/shop#99"
    assert done == Done(1, "", f"kodiai: Nothing is stored about {what}.\n")


def test_one_of_several_repositories_of_a_name_is_chosen_by_its_id(deployment: Deployment) -> None:
    """One of them was deleted on GitHub or renamed, and another one took its name."""
    again = {"pk": "OWNER#100", "sk": "REPO#3", "repository": "acme/shop", "seen": 172_800}
    deployment.put(again)

    which = deployment.run("--repo", "acme/shop", "--yes")
    chosen = deployment.run("--repo", "acme/shop", "--repository-id", "1", "--yes")

    assert which == Done(
        1,
        "",
        "kodiai: 2 repositories had the name acme/shop: choose --repository-id 3 (last heard of on 1970-01-03) or "
        "--repository-id 1 (last heard of on 1970-01-02).\n",
    )
    assert chosen.status == 0
    assert deployment.left()[0] == keys(*OTHER, again)


def test_a_stage_that_does_not_exist_is_named(deployment: Deployment) -> None:
    """With the table that was looked for."""
    done = deployment.run("--repo", "acme/shop", "--yes", "--stage", "nope")

    assert done.status == 1
    assert "ResourceNotFoundException" in done.err
    assert f"(table kodiai-nope-ledger at http://{deployment.url.rpartition('@')[2]})" in done.err


def test_an_aws_that_cannot_be_reached_is_one_line() -> None:
    """No trace."""
    url = nobody_there()

    done = run_command("forget", "--repo", "acme/shop", "--yes", "--endpoint-url", url)

    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert url in done.err
