"""`kodiai memory` as an operator runs it, over the local AWS with a table and vector indexes like the template's."""

import json
from dataclasses import asdict, replace

import pytest

from cli.memory import lines
from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.memory.rule import Rule
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from kodiai.wiring import SystemClock
from local.aws import LocalAws
from local.aws.failures import server_error
from tests.cli.deployed import INDEXES, Memory
from tests.cli.running import Done, run_command

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


class Deployment(Memory):
    """A stage "dev" that remembers a rule and two findings of a repository, and knows another one."""

    def __init__(self, aws: LocalAws) -> None:
        super().__init__(aws, "dev")
        for ref in (SHOP, SHOP.model_copy(update={"name": "acme/other", "id": 2})):
            self.put({"pk": "OWNER#100", "sk": f"REPO#{ref.id}", "repository": ref.name, "seen": 1_000})
        self.memory = DynamoRepositoryMemory(self.table, SHOP, SystemClock())
        self.memory.add_rule(RULE)
        self.memory.store(STORED)
        self.put_vectors(SHARED.key, LEAK.key)

    def run(self, *arguments: str, repository: str = "acme/shop") -> Done:
        return run_command("memory", "--repo", repository, *arguments, "--endpoint-url", self.url)


@pytest.fixture
def deployment(aws: LocalAws) -> Deployment:
    return Deployment(aws)


def test_rules_and_findings_are_listed(deployment: Deployment) -> None:
    """Counts first, then the rules, then the findings, the newest first; another repository has none of them."""
    assert deployment.run().out.splitlines() == [
        "acme/shop: 1 rule, 2 remembered findings (1 won't fix, 1 resolved)",
        "",
        "rule    date        by   at  sentence",
        "R-3fa1  2026-03-04  ann  #9  We keep the API as it is.",
        "",
        "finding      severity  outcome    accepted by  dismissed by  path      title",
        "12/F-3fa1c2  MAJOR     won't fix  ann          bob, eve      src/a.py  The list is shared between calls",
        "7/F-77       MAJOR     resolved   -            -             src/a.py  L",
    ]
    assert deployment.run(repository="acme/other") == Done(0, "acme/other: 0 rules, 0 remembered findings\n", "")


def test_rules_of_the_team_that_were_overridden_are_listed(deployment: Deployment) -> None:
    """In the words of `@kodiai memory`; a rule that is followed is no news."""
    fixed = replace(LEAK, rule="no-plus")
    overridden = replace(fixed, outcome="dismissed")
    failures = (fixed, replace(fixed, rule="has-notes"), overridden, overridden)
    deployment.memory.store([StoredMemory(replace(each, number=20 + at)) for at, each in enumerate(failures)])
    deployment.memory.store([StoredMemory(replace(overridden, number=30, rule="old"), is_forgotten=True)])

    lines = deployment.run().out.splitlines()

    at = lines.index("Rules of the team that were overridden:")
    assert lines[at - 1 : at + 3] == [
        "",
        lines[at],
        "- `no-plus`: overridden 2 times, followed 1 time -- overridden more often than followed",
        "",
    ]


def test_json_has_every_field(deployment: Deployment) -> None:
    """A forgotten finding is included; the outcomes do not count it."""
    deployment.memory.store([replace(STORED[1], is_forgotten=True)])

    done = deployment.run("--json")

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
    first, second = (deployment.run("forget", "R-3fa1") for _ in range(2))

    assert first == Done(0, "Removed the rule R-3fa1: We keep the API as it is.\n", "")
    assert second == Done(1, "", "kodiai: acme/shop has no rule and no remembered finding R-3fa1.\n")
    assert deployment.memory.rules() == ()


def test_a_finding_is_forgotten(deployment: Deployment) -> None:
    """Its vector goes from every index, its item stays and says so; the command may be repeated."""
    done = [deployment.run("forget", "12/F-3fa1c2") for _ in range(2)]

    listed = deployment.run().out
    assert done == [Done(0, "Forgot 12/F-3fa1c2: The list is shared between calls\n", "")] * 2
    assert deployment.vectors() == [{LEAK.key}, {LEAK.key}]
    assert deployment.memory.remembered(12) == (StoredMemory(SHARED, is_forgotten=True),)
    assert listed.splitlines()[0] == "acme/shop: 1 rule, 1 remembered finding (1 resolved), 1 forgotten"
    assert "12/F-3fa1c2" not in listed


@pytest.mark.parametrize("name", ["12/F-3fa1", "13/F-3fa1c2", "F-3fa1c2", "12", "R-9999"])
def test_a_name_of_nothing_forgets_nothing(deployment: Deployment, name: str) -> None:
    """Rules, items and vectors all stay."""
    done = deployment.run("forget", name)

    assert done == Done(1, "", f"kodiai: acme/shop has no rule and no remembered finding {name}.\n")
    assert (deployment.memory.rules(), set(deployment.memory.remembered())) == ((RULE,), set(STORED))
    assert deployment.vectors() == [{SHARED.key, LEAK.key}] * 2


def test_a_vector_that_cannot_be_deleted_is_not_forgotten(aws: LocalAws, deployment: Deployment) -> None:
    """It is marked before that, so that no review writes it again, and the command can be run again."""
    aws.fail_next("S3Vectors DeleteVectors", server_error(), times=3)

    done = deployment.run("forget", "12/F-3fa1c2")

    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("kodiai: The vectors cannot be deleted: S3 Vectors says InternalServerException: ")
    [marked] = deployment.memory.remembered(12)
    assert (marked.is_forgotten, marked.index) == (True, STORED[0].index)

    again = deployment.run("forget", "12/F-3fa1c2")

    assert (again.status, [each.index for each in deployment.memory.remembered(12)]) == (0, [None])


def test_a_line_is_as_long_as_the_terminal_is_wide() -> None:
    """Line ends in a text do not break it."""
    odd = replace(SHARED, title="One\n\x1b[31mtwo")

    wide = list(lines("acme/shop", [], [StoredMemory(odd)], 1_000))
    narrow = list(lines("acme/shop", [], [StoredMemory(odd)], 40))

    assert wide[-1].endswith("  src/a.py  One␊␛[31mtwo")
    assert narrow[-1] == "12/F-3fa1c2  MAJOR     won't fix  ann  …"
    assert max(map(len, narrow[2:])) <= 40
