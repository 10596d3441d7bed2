"""Memory: what findings led to is recalled, teaches, can be seen and undone, and never stands in the way."""

from typing import Any

import pytest

from kodiai.core.config.read import read_config
from local.aws.failures import AwsFailure, server_error, slow, throttled
from local.model import is_find, is_judge
from tests.aws_resources import vector_keys
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import ON_PUSH, push
from tests.specs.scripts import a_finding, a_report, rules, says, texts
from tests.specs.talking import conversation, opened, outcome, outcomes, reply, say

INDEX = "titan-embed-text-v2-1024"
RECALL_ALL = "knowledge: {retrieval: {distanceThreshold: 1.5}}\n"


def about(words: str, at: int = 1, **more: Any) -> Any:
    """A finding about a subject of its own, so that no other test's is near; `at` is its line in src/NAME.py."""
    name = words.split(maxsplit=1)[0].lower()
    return a_finding(
        path=f"src/{name}.py",
        start_line=at,
        end_line=at,
        quote=f"{name}_{at} = {at}",
        title=words,
        explanation=f"{words}, every time.",
        **{"severity": "MEDIUM", **more},
    )


def opened_with(stage: Stage, *findings: Any, config: str = "") -> Opened:
    """A reviewed pull request with findings about one subject."""
    files = {one["path"]: "".join(f"{one['path'][4:-3]}_{n} = {n}\n" for n in range(1, 9)) for one in findings}
    return opened(stage, *findings, config=config, files=files)


def remembered(pull: Opened) -> dict[str, tuple[str, list[str], list[str]]]:
    """The index's entries of a pull request by title: outcome, people who accepted, people who dismissed."""
    store = pull.stage.machine.memory(pull.stage.github.repository.ref)
    return {
        each.remembered.title: (
            each.remembered.outcome,
            list(each.remembered.accepted_by),
            list(each.remembered.dismissed_by),
        )
        for each in store.remembered(pull.number)
        if each.index is not None
    }


def vectors(stage: Stage) -> set[str]:
    """The keys of the vectors in the index."""
    return vector_keys(stage.machine.aws, stage.machine.system.environment["KODIAI_VECTOR_BUCKET"], INDEX)


def test_posted_findings_are_recalled_with_their_outcomes(memory: Stage) -> None:
    """Reviewers and judge see it before the next review; the details say so, and the log has the distances."""
    first = opened_with(memory, about("Tariffs are rounded twice"), config=RECALL_ALL)
    push(first, {"src/tariffs.py": "tariffs_1 = 2\n"})
    since = memory.asked

    second = opened_with(memory, about("Tariffs of old customers vanish"), config=RECALL_ALL)

    asked = [texts(each) for each in memory.questions[since:] if is_find(each) or is_judge(each)]
    assert all("# What similar findings led to" in each for each in asked)
    assert all("Tariffs are rounded twice" in each for each in asked)
    assert f"recalled by their words alone (offline) from {memory.github.full_name}" in second.reviews[0]["body"]
    facts = second.outcomes[-1]["memory"]
    assert (facts["unavailable"], facts["written"], facts["recalled"] > 0) == (None, 1, True)
    assert len(facts["distances"]) >= facts["recalled"]


@pytest.mark.parametrize(("subject", "is_there"), [("Ferries", True), ("Barges", False)])
def test_an_expired_finding_is_not_recalled_and_its_vector_is_deleted(
    memory: Stage, subject: str, is_there: bool
) -> None:
    """Vectors have no expiry: their items have, also while DynamoDB has not deleted them yet. The rest is recalled."""
    first = opened_with(memory, about(f"{subject} leave twice"), config=RECALL_ALL)
    kept = opened_with(memory, about(f"{subject} sink"), config=RECALL_ALL)
    [expired] = memory.machine.memory(memory.github.repository.ref).remembered(first.number)
    sort = f"REMEMBERED#{first.number:08}#{expired.remembered.finding}"
    key = {"pk": f"REPO#{memory.github.repository.ref.id}", "sk": sort}
    item = memory.table.get_item(Key=key)["Item"]
    memory.table.delete_item(Key=key)
    if is_there:
        memory.table.put_item(Item={**item, "expires_at": 1})
    since = memory.asked

    second = opened_with(memory, about(f"{subject} of old customers leave"), config=RECALL_ALL)

    asked = [texts(each) for each in memory.questions[since:] if is_find(each)]
    assert any(f"{subject} sink" in each for each in asked)
    assert [each for each in asked if f"{subject} leave twice" in each] == []
    [stays] = memory.machine.memory(memory.github.repository.ref).remembered(kept.number)
    assert expired.remembered.key not in vectors(memory)
    assert stays.remembered.key in vectors(memory)
    assert second.outcomes[-1]["memory"]["unavailable"] is None


def test_a_finding_dismissed_by_three_people_on_two_pull_requests_is_not_posted_again(memory: Stage) -> None:
    """A critical one is; what is suppressed is listed with who dismissed what, and `forget` undoes it."""
    words = "Ledgers lack a docstring"
    first = opened_with(memory, about(words, 1), about(words, 5))
    for comment, login in zip(first.comments, ("ann", "bob"), strict=True):
        reply(first, "won't fix", login, to=comment["id"])
    second = opened_with(memory, about(words))
    before = second.outcomes[-1]["memory"]["suppressed"]
    memory.github.set_role("cid", "write")
    memory.github.react("review comment", second.comments[0]["id"], "-1", login="cid")
    memory.github.close(second.number, merged=True)
    memory.settle()

    since = memory.asked
    third = opened_with(memory, about(words))
    judging = memory.questions[since:]
    fourth = opened_with(memory, about(words, severity="CRITICAL"))

    assert (before, third.outcomes[-1]["memory"]["suppressed"], third.comments) == (0, 1, [])
    [judged] = filter(is_judge, judging)
    assert texts(judged).count('"reason": "won\'t fix"') == 4  # as recalled, and next to the candidate
    ids = [f"{first.number}/{known.id}" for known in first.ledger.findings()]
    [body] = [review["body"] for review in third.reviews]
    assert "unwanted: dismissed before by" in body
    assert all(login in body for login in ("ann", "bob", "cid"))
    assert [name in body for name in ids] == [True, True]
    assert [known.finding.severity for known in fourth.ledger.findings()] == ["CRITICAL"]

    say(third, f"@kodiai forget {ids[0]}")
    fifth = opened_with(memory, about(words))

    assert conversation(third) == [f"Forgot `{ids[0]}`."]
    assert (fifth.outcomes[-1]["memory"]["suppressed"], len(fifth.comments)) == (0, 1)


def test_outcomes_follow_what_people_say_and_what_the_code_shows(memory: Stage) -> None:
    """At once for a reply and a fix, and for thumbs with the next event."""
    words = "Parcels weigh nothing"
    pull = opened_with(memory, about(words), about("Parcels lose their label", 5))
    fresh = remembered(pull)
    reply(pull, "won't fix", "ann", to=pull.comments[0]["id"])
    decided = remembered(pull)
    memory.github.set_role("eve", "read")
    memory.github.set_role("bob", "write")
    for login in ("eve", "bob"):
        memory.github.react("review comment", pull.comments[1]["id"], "+1", login=login)
    push(pull, {"src/other.py": "x = 1\n"})

    assert fresh == {words: ("open", [], []), "Parcels lose their label": ("open", [], [])}
    assert decided[words] == ("wont_fix", [], ["ann"])
    assert remembered(pull)["Parcels lose their label"] == ("open", ["bob"], [])


def test_rules_are_stored_followed_listed_and_removed(memory: Stage) -> None:
    """By people with write access; the judge sees them, and code checks what they may suppress."""
    words = "Invoices have no test"
    pull = opened_with(memory, about("Invoices are sent twice"))
    rule = "Do not report missing tests of invoices."

    say(pull, f"@kodiai remember {rule}", "mallory", "read")
    refused = outcome(pull)
    say(pull, f"@kodiai remember {rule}")
    say(pull, f"@kodiai remember {rule}")
    say(pull, "@kodiai memory", "mallory", "read")
    name = conversation(pull)[1].split("`")[1]
    since = memory.asked
    memory.model.answers = says(
        a_report(about(words), about("Invoices leak keys", 5, category="security")),
        rules(words, fate="unwanted", unwanted=name),
        rules("Invoices leak keys", fate="unwanted", unwanted=name),
    )
    files = {"src/invoices.py": "".join(f"invoices_{n} = {n}\n" for n in range(1, 9))}
    other = memory.open(files, config=ON_PUSH)

    assert refused == ("refused", "remember")
    told, offered = conversation(pull)[1].split("\n\n", 1)
    assert [conversation(pull)[0], told, conversation(pull)[2]] == [
        "`remember` requires write access to this repository.",
        f"Remembered as `{name}`. The next reviews of this repository follow it; `forget {name}` removes it.",
        f"That is already `{name}`.",
    ]
    pasted = read_config(offered.split("```yaml\n")[1].partition("```")[0].encode())
    assert ([each.text for each in pasted.review.rules], pasted.problems) == ([rule], ())
    assert f"- `{name}` (ann): {rule}" in conversation(pull)[3]
    assert all(rule in texts(each) for each in memory.questions[since:] if is_find(each) or is_judge(each))
    assert [known.finding.title for known in other.ledger.findings()] == ["Invoices leak keys"]
    [body] = [review["body"] for review in other.reviews]
    assert f"unwanted: {name} of ann: {rule}" in body
    assert "1 rule" in body

    say(pull, f"@kodiai forget {name}")
    say(pull, f"@kodiai forget {name}")

    assert conversation(pull)[4:] == [
        f"Forgot `{name}`.",
        f"I remember nothing under {name}. `memory` lists the ids.",
    ]


@pytest.mark.parametrize(
    ("subject", "operation", "failure", "problem"),
    [
        (
            "Beacons",
            "S3Vectors QueryVectors",
            throttled("TooManyRequestsException"),
            "The index of the memory cannot be used: S3 Vectors says TooManyRequestsException",
        ),
        (
            "Anchors",
            "Bedrock InvokeModel",
            server_error(),
            "The text cannot be embedded: Bedrock says InternalServerException",
        ),
        ("Lanterns", "Bedrock InvokeModel", slow(8), "The text cannot be embedded: ReadTimeoutError"),
    ],
)
def test_without_the_memory_the_review_is_posted_and_says_so(
    memory: Stage, subject: str, operation: str, failure: AwsFailure, problem: str
) -> None:
    """The next event of the pull request writes the rest."""
    words = f"{subject} never stop"
    memory.machine.aws.fail_next(operation, failure)

    pull = opened_with(memory, about(words))
    lost, facts = remembered(pull), pull.outcomes[-1]["memory"]
    push(pull, {"src/other.py": "y = 1\n"})

    [body] = [review["body"] for review in pull.reviews]
    assert f"- Memory unavailable: {problem}\n" in body
    assert (facts["unavailable"], facts["written"], lost) == (problem, 0, {})
    assert remembered(pull) == {words: ("open", [], [])}


def test_the_end_of_a_pull_request_is_remembered_also_if_the_memory_fails_then(memory: Stage) -> None:
    """No other event would come: that job is tried again."""
    words = "Harbors close early"
    pull = opened_with(memory, about(words))
    memory.machine.aws.fail_next("S3Vectors PutVectors", throttled("TooManyRequestsException"))

    memory.github.close(pull.number, merged=True)
    memory.settle()

    [stored] = memory.machine.memory(memory.github.repository.ref).remembered(pull.number)
    assert [line["outcome"] for line in pull.outcomes[-2:]] == ["retry", "skipped"]
    assert (stored.remembered.is_merged, stored.index) == (True, INDEX)


@pytest.mark.parametrize(("subject", "times"), [("Moorings", 1), ("Cranes", 5)])
def test_a_finding_is_forgotten_also_if_the_index_fails_then(memory: Stage, subject: str, times: int) -> None:
    """The command is tried again; if that does not help it is said, and no review writes the finding meanwhile."""
    pull = opened_with(memory, about(f"{subject} break", severity="CRITICAL"))
    [known] = pull.ledger.findings()
    name = f"{pull.number}/{known.id}"
    memory.machine.aws.fail_next("S3Vectors DeleteVectors", throttled("TooManyRequestsException"), times=times)

    say(pull, f"@kodiai forget {name}")

    [stored] = memory.machine.memory(memory.github.repository.ref).remembered(pull.number)
    assert stored.is_forgotten
    if times == 1:
        assert [line["outcome"] for line in outcomes(pull)] == ["retry", "done"]
        assert (conversation(pull), remembered(pull)) == ([f"Forgot `{name}`."], {})
    else:
        assert [line["outcome"] for line in outcomes(pull)] == [*["retry"] * 4, "refused"]
        assert conversation(pull) == ["The memory is not available now: try again later."]
        assert stored.index == INDEX
