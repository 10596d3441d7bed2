"""Stored data belongs to a repository and not to its name, which may change, and may be given again."""

import json
from collections.abc import Iterator

import pytest

from kodiai.core.words.proposals import not_here
from local.model import OFFLINE_MODEL
from tests.specs.conftest import EVERYTHING, Opened, Stage, a_stage
from tests.specs.pushing import push
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import conversation, opened, reply, say
from tests.specs.test_proposals import APPROVED, DRAFT, drafting

RULE = "Do not report missing tests of discounts."


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system of its own: its repository is deleted, or gets another name."""
    price = {"input": 1, "output": 1, "cache_read": 1, "cache_write": 1}
    parameters = {"embeddings/model": "titan-embed-text-v2", "models/prices": json.dumps({OFFLINE_MODEL: price})}
    with a_stage(tmp_path_factory.mktemp("ids"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage
        assert stage.github.violations == []


def partitions(stage: Stage, repository: int) -> set[str]:
    """The keys of the partitions that have this repository's id."""
    return {item["pk"] for item in stage.items() if str(repository) in item["pk"].split("#")}


def reviewed(stage: Stage) -> Opened:
    """A pull request with a finding, a rule, a remembered finding and a proposal."""
    pull = opened(stage, a_finding())
    say(pull, f"@kodiai remember {RULE}")
    stage.model.answers = drafting([DRAFT], [APPROVED])
    reply(pull, "@kodiai fix", login="octocat", role="read")
    return pull


def test_a_name_that_is_given_again_begins_with_nothing(alone: Stage) -> None:
    """Neither findings nor memory nor rules nor proposals nor what was spent, though the number is the same too."""
    first = reviewed(alone)
    before = alone.github.repository.ref
    spent = first.ledger.spending()
    kept = alone.items()

    alone.github.replace_repository()
    with alone.sent_to(None):
        alone.github.open_pull_request(alone.commit({"first.txt": "1\n"}), "main")  # the next has the same number again
    now = alone.github.repository.ref
    known_before = partitions(alone, now.id), alone.machine.proposals().serves(now.id)
    second = opened(alone, a_finding())

    assert (now.name, second.number) == (before.name, first.number)
    assert now.id != before.id
    assert known_before == (set(), False)
    assert [finding.status for finding in second.ledger.findings()] == ["open"]
    assert len(second.reviews) == 1
    assert alone.outcome()["mode"] == "full"
    [proposal] = alone.machine.proposals().of_repository(before.id)
    token = alone.github.token_for("ann", "admin")
    seen = alone.http.get(
        f"{alone.machine.system.api_url}/proposals/{proposal.id}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    )
    assert (proposal.repository, seen.status_code) == (now.name, 404)
    assert alone.machine.memory(before).rules()
    assert alone.machine.memory(now).rules() == ()
    assert alone.machine.proposals().of_repository(now.id) == ()
    say(second, f"@kodiai apply {proposal.id}")
    assert conversation(second)[-1] == not_here(proposal.id)
    assert 0 < second.ledger.spending().repository_month_usd < spent.repository_month_usd
    assert [item for item in kept if item not in alone.items() and not item["pk"].startswith("OWNER#")] == []


def test_a_repository_that_is_renamed_keeps_everything(alone: Stage) -> None:
    """An old check can be run again, the next push knows finding and rule, and the approved proposal is applied."""
    pull = reviewed(alone)
    before, check = alone.github.repository.ref, int(pull.check["id"])

    alone.github.rename_repository("gizmos")
    alone.github.rerequest_check(check)
    alone.settle()
    assert (alone.outcome()["trigger"], alone.outcome()["outcome"]) == ("rerequested", "skipped")
    alone.model.answers = says(a_report())
    push(pull, {"src/other.py": "other = 1\n"})
    say(pull, "@kodiai memory")
    remembered = conversation(pull)[-1]
    say(pull, "@kodiai apply")

    assert alone.github.repository.ref == before.model_copy(update={"name": "acme/gizmos"})
    assert [finding.status for finding in pull.ledger.findings()] == ["open"]
    assert RULE in remembered
    assert [each.status for each in alone.machine.proposals().of_repository(before.id)] == ["applied"]
    names = {item["repository"] for item in alone.items() if item["pk"].startswith("OWNER#") and "seen" in item}
    assert names == {"acme/gizmos"}
