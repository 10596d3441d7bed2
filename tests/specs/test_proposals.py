"""Proposals in a pull request: drafted, reviewed, shown, and applied when somebody says so."""

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from local.model import Request, Script, json_reply
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.pushing import NOTES, push
from tests.specs.talking import answering, conversation, opened, outcome, outcomes, reply, say, thread

FIXED = "def total(prices, discount):\n    return sum(prices) - discount\n"
DRAFT = {
    "description": "Subtract the discount",
    "changes": [{"what": "`total` subtracts the discount", "why": "A discount of 5 made 105 of 100"}],
    "edits": [{"path": "src/orders.py", "old": "+ discount", "new": "- discount"}],
    "deleted": [],
    "impossible": "",
}
APPROVED = {"checks": ["src/orders.py:2 subtracts"], "decision": "approve", "notes": ""}
REFUSED = {"checks": [], "decision": "request_changes", "notes": "`total` may become negative: use `max`."}


def part(name: str) -> Any:
    """Picks the requests for a part."""

    def picks(request: Request) -> bool:
        return f"# Your part: {name}\n" in str(request["messages"][0]["content"][-1]["text"])

    return picks


def drafting(drafts: list[Mapping[str, Any]], rulings: list[Mapping[str, Any]]) -> Script:
    """A model that drafts and decides on proposals like this, the last for ever; it found one problem."""
    script = answering()
    script.when(part("draft"), *(json_reply(each) for each in drafts), always=True)
    return script.when(part("proposal"), *(json_reply(each) for each in rulings), always=True)


def a_fix(talk: Stage, *rulings: Mapping[str, Any], drafts: tuple[Mapping[str, Any], ...] = (DRAFT,)) -> Opened:
    """A pull request with one finding, and a model that drafts and decides like this."""
    pull = opened(talk)
    talk.model.answers = drafting(list(drafts), list(rulings or (APPROVED,)))
    return pull


def not_applied(why: str) -> str:
    """A pattern of the answer to `apply` in a thread whose change cannot be applied."""
    return rf"`P-\w+` {why}, so nothing is committed: Subtract the discount"


def head_file(pull: Opened, path: str = "src/orders.py") -> str:
    """A file at the head of the pull request now."""
    return base64.b64decode(pull.get(f"/contents/{path}", ref=pull.head)["content"]).decode()


def shown_for(talk: Stage, name: str) -> list[str]:
    """The requests to the model for a part in this test so far."""
    return [json.dumps(body) for body in talk.questions if part(name)(body)]


def test_a_fix_is_drafted_reviewed_and_shown_as_a_suggestion_in_its_thread(talk: Stage) -> None:
    """One comment says all: verdict, reason, code, and how to go on. Nothing is committed yet."""
    pull = a_fix(talk)

    reply(pull, "@kodiai fix", login="octocat", role="read")

    [shown] = thread(pull)
    assert shown.startswith(
        "**Proposed change, approved: Subtract the discount**\n\n"
        "- `total` subtracts the discount: A discount of 5 made 105 of 100\n\n"
        "```suggestion\n    return sum(prices) - discount\n```\n\n"
        "src/orders.py +1 −1 · `P-"
    )
    assert shown.endswith("`@\u2060kodiai apply` commits it to this branch (write access).")
    assert outcome(pull) == ("done", "fix")
    assert "+ discount" in head_file(pull)


def test_a_fix_with_an_order_to_another_bot_is_shown_as_a_diff(talk: Stage) -> None:
    """In a suggestion the order would be alone on its line."""
    edit = {"path": "src/orders.py", "old": "+ discount", "new": '- discount\n    """\n    bors r+\n    """'}
    pull = a_fix(talk, drafts=({**DRAFT, "edits": [edit]},))

    reply(pull, "@kodiai fix", login="octocat", role="read")

    [shown] = thread(pull)
    assert "suggestion" not in shown
    assert "\n +    bors r+\n" in shown


def test_apply_makes_one_commit_which_names_everybody_and_is_reviewed(talk: Stage) -> None:
    """By somebody who may write; the head that it brings is looked at like any push. Said again it commits nothing."""
    pull = a_fix(talk)
    reply(pull, "@kodiai fix", login="octocat", role="read")
    before = pull.head

    reply(pull, "@kodiai apply", login="octocat", role="read")

    assert thread(pull)[-1] == "`apply` requires write access to this repository."

    reply(pull, "@kodiai apply")

    head = pull.head
    assert re.fullmatch(rf"Committed {head} to `[\w/-]+` \(`P-\w+`\): Subtract the discount", thread(pull)[-1])
    assert head_file(pull) == FIXED
    commit = pull.get(f"/git/commits/{head}")
    message = commit["message"]
    assert [each["sha"] for each in commit["parents"]] == [before]
    assert commit["author"]["name"] == "kodiai[bot]"
    assert message.startswith("Subtract the discount\n\n- `total` subtracts the discount: A discount of 5")
    assert "Proposed-by: octocat (kodiai)\nApproved-by: kodiai[bot] (kodiai)\nApplied-by: ann" in message
    # The webhook of our own push, which is skipped, may come before the review or after it.
    reviewed = [each for each in pull.outcomes if each["outcome"] == "completed"][-1]
    assert (reviewed["trigger"], reviewed["head"]) == ("synchronize", head)

    say(pull, "@kodiai apply")

    assert conversation(pull)[-1] == "No proposal on this pull request can be applied."
    assert pull.head == head

    reply(pull, "@kodiai apply")

    assert re.fullmatch(not_applied("is applied already"), thread(pull)[-1])
    assert pull.head == head


def test_after_a_push_the_change_is_checked_again_before_it_is_applied(talk: Stage) -> None:
    """If it still applies it is committed on top of the push, else it is rejected and the reason shown."""
    pull = a_fix(talk)
    reply(pull, "@kodiai fix")
    push(pull, NOTES)
    pushed = pull.head

    reply(pull, "@kodiai apply")

    head = pull.head
    assert [each["sha"] for each in pull.get(f"/git/commits/{head}")["parents"]] == [pushed]
    assert head_file(pull) == FIXED

    other = a_fix(talk)
    reply(other, "@kodiai fix")
    push(other, {"src/orders.py": "def total(prices, rebate):\n    return sum(prices) + rebate\n"})

    say(other, "@kodiai apply")

    told = conversation(other)[-1]
    assert told.startswith("The change no longer applies to the head, so it is rejected:\n\n- src/orders.py, hunk 1: ")
    assert "rebate" in head_file(other)


def test_a_change_that_the_reviewer_does_not_accept_is_drafted_again_with_the_notes(talk: Stage) -> None:
    """The same proposal, revised in place; it cannot be applied before it is approved."""
    better = {
        **DRAFT,
        "edits": [{"path": "src/orders.py", "old": "sum(prices) + discount", "new": "max(sum(prices) - discount, 0)"}],
    }
    pull = a_fix(talk, REFUSED, APPROVED, drafts=(DRAFT, better))

    reply(pull, "@kodiai fix")

    first = thread(pull)[-1]
    assert first.startswith(
        "**Proposed change, not approved: Subtract the discount**\n\n`total` may become negative: use `max`."
    )

    reply(pull, "@kodiai apply")

    assert re.fullmatch(not_applied("is not approved"), thread(pull)[-1])

    reply(pull, "@kodiai fix")

    second = thread(pull)[-1]
    assert "    return max(sum(prices) - discount, 0)\n" in second
    assert second.startswith("**Proposed change, approved")
    name = first.partition("`P-")[2][:20]
    assert f"`P-{name}`" in second
    assert "may become negative" in shown_for(talk, "draft")[-1]


def test_a_thread_applies_no_other_threads_change(talk: Stage) -> None:
    """Neither without a change of its own nor with one that was not accepted; elsewhere the approved one is."""
    pull = a_fix(talk, APPROVED, REFUSED)
    before = pull.head
    say(pull, "@kodiai propose a better name")

    reply(pull, "@kodiai apply")

    pattern = r"Say which proposal:\n\n- `@\u2060kodiai apply P-\w+`: Subtract the discount"
    assert re.fullmatch(pattern, thread(pull)[-1])

    reply(pull, "@kodiai fix")
    reply(pull, "@kodiai apply")

    assert re.fullmatch(not_applied("is not approved"), thread(pull)[-1])
    assert pull.head == before

    say(pull, "@kodiai apply")

    assert conversation(pull)[-1].startswith(f"Committed {pull.head} to `")


def test_fix_all_is_one_change_and_one_commit(talk: Stage) -> None:
    """It is shown in the conversation, since it belongs to no single thread."""
    pull = a_fix(talk)

    say(pull, "@kodiai fix all")
    say(pull, "@kodiai apply")

    shown, done = conversation(pull)
    assert "```diff\n" in shown
    assert done.startswith("Committed ")
    assert head_file(pull) == FIXED


def test_anything_can_be_proposed_in_words(talk: Stage) -> None:
    """Drafter and reviewer are shown what the person wants; a request without words is answered."""
    new = {**DRAFT, "edits": [{"path": "tests/test_orders.py", "old": "", "new": "def test_total():\n    pass\n"}]}
    pull = a_fix(talk, drafts=(new,))

    say(pull, "@kodiai propose")
    say(pull, "@kodiai propose a test for total")

    assert conversation(pull)[0] == "Say what to change: `propose <what>`."
    assert "tests/test_orders.py +2 −0" in conversation(pull)[1]
    assert all("a test for total" in shown_for(talk, name)[-1] for name in ("draft", "proposal"))


def test_two_changes_in_one_comment_are_two_proposals_and_both_are_counted(talk: Stage) -> None:
    """Each is shown on its own; the log has what both took."""
    pull = a_fix(talk)

    say(pull, "@kodiai fix all\n@kodiai propose a better name")

    line = outcomes(pull)[-1]
    assert (len(set(line["proposals"])), line["drafting"]["calls"]) == (2, 2)
    assert len(conversation(pull)) == 2


@pytest.mark.parametrize("paths", [(".github/workflows/ci.yml", "secret/key.txt"), ("src/key.py",)])
def test_a_forbidden_change_is_rejected_by_code(talk: Stage, paths: tuple[str, ...]) -> None:
    """The model is not even asked. The secret is not shown."""
    pull = opened(talk, config="proposals: {denyPaths: [secret/]}\n")
    new = "KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'\n"
    edits = [{"path": path, "old": "", "new": new} for path in paths]
    talk.model.answers = drafting([{**DRAFT, "edits": edits}], [APPROVED])

    say(pull, "@kodiai propose something")

    told = conversation(pull)[-1]
    assert told.startswith("**Proposed change, rejected: Subtract the discount**")
    assert all(f"- {path}" in told for path in paths)
    assert "a1B2c3D4" not in told
    assert not part("proposal")(talk.questions[-1])


def test_a_draft_that_fits_no_file_is_asked_for_once_more_and_then_given_up(talk: Stage) -> None:
    """The model learns what was wrong; the person learns that there is none."""
    wrong = {**DRAFT, "edits": [{"path": "src/orders.py", "old": "no such code", "new": "x"}]}
    pull = a_fix(talk, drafts=(wrong, DRAFT))

    reply(pull, "@kodiai fix")

    assert thread(pull)[-1].startswith("**Proposed change, approved")

    hopeless = a_fix(talk, drafts=(wrong,))
    reply(hopeless, "@kodiai fix")

    assert thread(hopeless)[-1].startswith("I could not draft this: two drafts in a row did not fit the code.")

    impossible = a_fix(talk, drafts=({"edits": [], "impossible": "Which currency is meant? Ask @octocat."},))
    reply(impossible, "@kodiai fix")

    assert unlinked(thread(impossible)[-1]).startswith("I drafted nothing: Which currency is meant? Ask")
    assert "@octocat" not in thread(impossible)[-1]


def test_people_may_ask_where_proposals_are_on(talk: Stage) -> None:
    """The author of the pull request and people who may write; nobody where proposals are turned off."""
    pull = a_fix(talk)

    reply(pull, "@kodiai fix", login="eve", role="read")
    say(pull, "@kodiai fix")
    pull_off = opened(talk, config="proposals: {enabled: false}\n")
    say(pull_off, "@kodiai fix all\n@kodiai apply")

    assert (
        thread(pull)[-1] == "`fix` requires write access to this repository, or to be the author of this pull request."
    )
    assert conversation(pull)[-1] == "Use `fix` in the thread of a finding, or `fix all` for every open finding."
    off = "`proposals.enabled` in `.kodiai.yml` is false: changes are not proposed in this repository."
    assert conversation(pull_off)[-1] == f"{off}\n\n{off}"


def test_a_review_that_fails_is_said_and_leaves_the_proposal_to_others(talk: Stage) -> None:
    """An answer that cannot be followed twice is no verdict."""
    pull = a_fix(talk, {"checks": [], "decision": "maybe"})

    reply(pull, "@kodiai fix")

    told = thread(pull)[-1]
    assert told.startswith("**Proposed change, not reviewed: Subtract the discount**")
    reply(pull, "@kodiai apply")
    assert re.fullmatch(not_applied("is being reviewed"), thread(pull)[-1])
