"""`kodiai memory` as an operator runs it, over the local AWS with a table and vector indexes like the template's."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from cli.memory import lines
from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.memory.rule import Rule
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from kodiai.wiring import SystemClock
from local.aws import LocalAws
from local.aws.failures import server_error
from tests.aws_resources import create_indexes, create_table, vector_keys
from tests.cli.running import Done, run_command
from tests.edges.deployed_aws import nobody_there

BUCKET, INDEXES = "kodiai-dev-memory", ("titan-embed-text-v2-1024", "voyage-code-3-1024")
SHOP = RepositoryRef(name="acme/shop", id=1, owner_id=100)
RULE = Rule("R-3fa1", "We keep the API as it is.", by="ann", number=9, at=1_772_582_400)
SHARED = RememberedFinding(
    repository_id=1,
    repository="acme/shop",
    number=12,
    finding="F-3fa1c2",
    severity="MAJOR",
    category="correctness",
    path="src/a.py",
    title="The list is shared between calls",
    problem="Every call adds to one list.",
    outcome="wont_fix",
    accepted_by=("ann",),
    dismissed_by=("bob", "eve"),
    at=2_000,
)
LEAK = replace(SHARED, number=7, finding="F-77", outcome="fixed", accepted_by=(), dismissed_by=(), title="L", at=1_000)
STORED = (StoredMemory(SHARED, INDEXES[0]), StoredMemory(LEAK))


def a_memory(aws: LocalAws, stage: str) -> DynamoRepositoryMemory:
    """The memory of a repository in a new table of this stage, which knows another one too."""
    table = create_table(aws, f"kodiai-{stage}-ledger")
    for ref in (SHOP, SHOP.model_copy(update={"name": "acme/other", "id": 2})):
        table.put_item(Item={"pk": "OWNER#100", "sk": f"REPO#{ref.id}", "repository": ref.name, "seen": 1_000})
    return DynamoRepositoryMemory(table, SHOP, SystemClock())


class Deployment:
    """The table and the vectors of a stage "dev"."""

    def __init__(self, aws: LocalAws) -> None:
        self.url = aws.access_url
        self._aws = aws
        create_indexes(aws, BUCKET, *INDEXES)
        self.memory = a_memory(aws, "dev")

    def remember(self, *stored: StoredMemory) -> None:
        """Store findings, and vectors of them in every index."""
        self.memory.store(stored)
        vectors = [{"key": each.remembered.key, "data": {"float32": [1.0, 0.0]}} for each in stored]
        for index in INDEXES:
            self._aws.client("s3vectors").put_vectors(vectorBucketName=BUCKET, indexName=index, vectors=vectors)

    def keys(self) -> list[set[str]]:
        """The keys in each index."""
        return [vector_keys(self._aws, BUCKET, index) for index in INDEXES]

    def run(self, *arguments: str) -> Done:
        return run_command("memory", *arguments, "--endpoint-url", self.url)


@pytest.fixture
def deployment(aws: LocalAws) -> Deployment:
    return Deployment(aws)


def test_a_repository_of_which_nothing_is_remembered(deployment: Deployment) -> None:
    """One line says so; what is remembered of others is not shown."""
    deployment.remember(*STORED)

    done = deployment.run("--repo", "acme/other")

    assert done == Done(0, "acme/other: 0 rules, 0 remembered findings\n", "")


def test_rules_and_findings_are_listed(deployment: Deployment) -> None:
    """Counts first, then the rules, then the findings, the newest first."""
    deployment.memory.add_rule(RULE)
    deployment.remember(*STORED)

    done = deployment.run("--repo", "acme/shop")

    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "acme/shop: 1 rule, 2 remembered findings (1 won't fix, 1 resolved)",
        "",
        "rule    said on     by   at  sentence",
        "R-3fa1  2026-03-04  ann  #9  We keep the API as it is.",
        "",
        "finding      severity  outcome    accepted by  dismissed by  path      title",
        "12/F-3fa1c2  MAJOR     won't fix  ann          bob, eve      src/a.py  The list is shared between calls",
        "7/F-77       MAJOR     resolved   -            -             src/a.py  L",
    ]


def test_json_has_every_field(deployment: Deployment) -> None:
    """Also of what was forgotten, which the outcomes do not count."""
    deployment.memory.add_rule(RULE)
    deployment.remember(STORED[0], replace(STORED[1], is_forgotten=True))

    done = deployment.run("--repo", "acme/shop", "--json")

    logins = {"accepted_by": ["ann"], "dismissed_by": ["bob", "eve"]}
    first = {"name": "12/F-3fa1c2", **asdict(SHARED), **logins, "index": INDEXES[0], "forgotten": False}
    second = {"name": "7/F-77", **asdict(LEAK), "accepted_by": [], "dismissed_by": []}
    assert json.loads(done.out) == {
        "rules": [asdict(RULE)],
        "outcomes": {"wont_fix": 1},
        "findings": [first, {**second, "index": None, "forgotten": True}],
    }


def test_a_rule_is_removed(deployment: Deployment) -> None:
    """A second time there is none."""
    deployment.memory.add_rule(RULE)

    first, second = (deployment.run("forget", "R-3fa1", "--repo", "acme/shop") for _ in range(2))

    assert first == Done(0, "Removed the rule R-3fa1: We keep the API as it is.\n", "")
    assert second == Done(1, "", "kodiai: acme/shop has no rule and no remembered finding R-3fa1.\n")
    assert deployment.memory.rules() == ()


def test_a_finding_is_forgotten(deployment: Deployment) -> None:
    """Its vector goes from every index, its item stays and says so; the command may be repeated."""
    deployment.remember(*STORED)

    done = [deployment.run("--repo", "acme/shop", "forget", "12/F-3fa1c2") for _ in range(2)]
    listed = deployment.run("--repo", "acme/shop")

    assert done == [Done(0, "Forgot 12/F-3fa1c2: The list is shared between calls\n", "")] * 2
    assert deployment.keys() == [{LEAK.key}, {LEAK.key}]
    assert deployment.memory.remembered(12) == (StoredMemory(SHARED, is_forgotten=True),)
    assert listed.out.splitlines()[0] == "acme/shop: 0 rules, 1 remembered finding (1 resolved), 1 forgotten"
    assert "12/F-3fa1c2" not in listed.out


@pytest.mark.parametrize("name", ["12/F-3fa1", "13/F-3fa1c2", "F-3fa1c2", "12", "R-9999"])
def test_a_name_that_nothing_has_forgets_nothing(deployment: Deployment, name: str) -> None:
    """One line says so, with the status 1."""
    deployment.memory.add_rule(RULE)
    deployment.remember(*STORED)

    done = deployment.run("forget", name, "--repo", "acme/shop")

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"kodiai: acme/shop has no rule and no remembered finding {name}.")
    assert (deployment.memory.rules(), set(deployment.memory.remembered())) == ((RULE,), set(STORED))
    assert deployment.keys() == [{SHARED.key, LEAK.key}] * 2


def test_a_vector_that_cannot_be_deleted_is_not_said_to_be_forgotten(aws: LocalAws, deployment: Deployment) -> None:
    """It is marked before that, so that no review writes it again, and the command can be run again."""
    deployment.remember(*STORED)
    aws.fail_next("S3Vectors DeleteVectors", server_error(), times=3)

    done = deployment.run("forget", "12/F-3fa1c2", "--repo", "acme/shop")

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("kodiai: The vectors cannot be deleted: S3 Vectors says InternalServerException: ")
    [marked] = deployment.memory.remembered(12)
    assert (marked.is_forgotten, marked.index) == (True, STORED[0].index)

    again = deployment.run("forget", "12/F-3fa1c2", "--repo", "acme/shop")

    assert (again.status, [each.index for each in deployment.memory.remembered(12)]) == (0, [None])


def test_without_a_vector_bucket_there_is_nothing_to_delete(aws: LocalAws) -> None:
    """An operator may have deleted it."""
    memory = a_memory(aws, "bare")
    memory.store(STORED)

    done = run_command(
        "memory", "forget", "12/F-3fa1c2", "--repo", "acme/shop", "--stage", "bare", "--endpoint-url", aws.access_url
    )

    assert (done.status, done.err) == (0, "")
    assert {each.is_forgotten for each in memory.remembered(12)} == {True}


def test_a_stage_that_is_not_there_is_said_in_one_line(deployment: Deployment) -> None:
    """With the name of the table that was looked for."""
    done = deployment.run("--repo", "acme/shop", "--stage", "prod")

    assert (done.status, done.out) == (1, "")
    [line] = done.err.splitlines()
    assert line.startswith("kodiai: The table cannot be used: DynamoDB says ResourceNotFoundException: ")
    assert line.endswith(f"(table kodiai-prod-ledger at http://{deployment.url.rpartition('@')[2]})")


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, "kodiai: AWS cannot be used: You must specify a region: set AWS_REGION or AWS_PROFILE."),
        (
            {"AWS_REGION": "eu-west-1"},
            "kodiai: The table cannot be used: Unable to locate credentials (table kodiai-prod-ledger in eu-west-1)",
        ),
    ],
)
def test_an_aws_that_cannot_be_used_is_said_in_one_line(env: dict[str, Any], said: str) -> None:
    """With what is missing."""
    assert run_command("memory", "--repo", "acme/shop", **env) == Done(1, "", f"{said}\n")


def test_an_endpoint_that_cannot_be_reached_is_said_in_one_line() -> None:
    """With its address."""
    url = nobody_there()

    done = run_command("memory", "--repo", "acme/shop", "--endpoint-url", url)

    place = f"(table kodiai-dev-ledger at {url})"
    assert done == Done(1, "", f"kodiai: The table cannot be used: EndpointConnectionError. {place}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "kodiai memory: the following arguments are required: --repo"),
        (["forget", "R-1"], "kodiai memory forget: the following arguments are required: --repo"),
        (["forget", "--repo", "a/b"], "kodiai memory forget: the following arguments are required: ID"),
        (["--repo", "shop"], "kodiai memory: argument --repo: 'shop' is not OWNER/NAME, such as acme/shop"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], said: str) -> None:
    """Before AWS is asked anything; the exit status is 2."""
    command = said.partition(":")[0]

    assert run_command("memory", *arguments) == Done(2, "", f"{said} (see {command} --help)\n")


def test_a_line_is_as_long_as_the_terminal_is_wide() -> None:
    """And one line, whatever a text has."""
    odd = replace(SHARED, title="One\n\x1b[31mtwo")

    wide = list(lines("acme/shop", [], [StoredMemory(odd)], 1_000))
    narrow = list(lines("acme/shop", [], [StoredMemory(odd)], 40))

    assert wide[-1].endswith("  src/a.py  One␊␛[31mtwo")
    assert narrow[-1] == "12/F-3fa1c2  MAJOR     won't fix  ann  …"
    assert max(map(len, narrow[2:])) <= 40
