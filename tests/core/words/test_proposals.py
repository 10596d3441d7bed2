"""The texts about proposals, as people read them."""

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.proposals.proposal import (
    OFFLINE_CHECKS,
    Actor,
    Agent,
    Content,
    IntendedChange,
    Intent,
    Origin,
    Proposal,
    ProposedCommit,
    Status,
)
from kodiai.core.words import proposals as words
from tests.proposal_builders import PROPOSAL as ID
from tests.proposal_builders import a_proposal, a_verdict
from tests.tables import each_row

DIFF = """diff --git a/src/orders.py b/src/orders.py
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices, discount):
-    return sum(prices) + discount
+    return sum(prices) - discount
"""


def a_fix(status: Status = "approved", notes: str = "", **more: object) -> Proposal:
    """A fix of one finding, drafted in its thread, with the verdict of ours."""
    change = IntendedChange(what="`total` subtracts", why="A discount of 5 made 105 of 100")
    intent = Intent(description="Subtract the discount\n\nIt was added.", changes=(change,))
    given: dict[str, object] = {
        "number": 7,
        "status": status,
        "proposer": Actor(login="ann", agent=Agent(agent_type="kodiai")),
        "files": (AffectedFile(path="src/orders.py", operation="modify", added=1, removed=1),),
        "origin": Origin(key="thread-1-0", thread=1, at=1.0, findings=("F-0123456789ab",)),
        "verdict": a_verdict("kodiai[bot]", 1, "approve" if status == "approved" else "request_changes", notes),
        **more,
    }
    return a_proposal(Content(intent=intent, diff=DIFF), **given)


def shown(proposal: Proposal, diff: str = DIFF, suggestion: str | None = None) -> str:
    return words.proposal_comment(proposal, diff, suggestion, "The budget is used up.", "kodiai")


def test_an_approved_fix_that_fits_its_thread_is_a_suggestion() -> None:
    """The verdict comes first, then the code, then how to apply it."""
    text = shown(a_fix(), suggestion="    return sum(prices) - discount\n")

    assert text == (
        "**Proposed change, approved: Subtract the discount**\n\n"
        "- `total` subtracts: A discount of 5 made 105 of 100\n\n"
        "```suggestion\n    return sum(prices) - discount\n```\n\n"
        f"src/orders.py +1 −1 · `{ID}`\n\n"
        "`@\u2060kodiai apply` commits it to this branch (write access)."
    )


def test_an_approved_change_that_does_not_fit_is_a_diff() -> None:
    """A long one is folded."""
    short = shown(a_fix(notes="Existing carts keep the old sum."))

    reason = "- `total` subtracts: A discount of 5 made 105 of 100"
    assert f"Existing carts keep the old sum.\n\n{reason}\n\n```diff\n{DIFF}" in short
    assert "<details><summary>The diff</summary>" in shown(a_fix(), DIFF + "+x\n" * 50)


def test_a_change_that_only_checks_looked_at_is_not_called_approved() -> None:
    """Without a model nobody has judged it: the headline, the notes and the commit say so."""
    verdict = a_verdict("kodiai[bot]", 1, "approve", "Nobody has judged this.")
    verdict = verdict.model_copy(update={"by": Actor(login="kodiai[bot]", agent=OFFLINE_CHECKS)})
    unjudged = a_fix(verdict=verdict)

    text = shown(unjudged)

    assert text.startswith("**Proposed change, not judged: Subtract the discount**\n\nNobody has judged this.\n\n")
    assert text.endswith("`@\u2060kodiai apply` commits it to this branch (write access).")
    assert "Approved-by: kodiai[bot] (offline checks)\n" in words.commit_message(unjudged, Actor(login="bob"))


def test_a_draft_for_several_findings_says_which_it_does_not_fix() -> None:
    """The lines below its subject, which the draft of one finding has no need of, are part of the comment."""
    several = Origin(key="fix-all-0", thread=None, at=1.0, findings=("F-0123456789ab", "F-0123456789ac"))
    intent = a_fix().intent.model_copy(update={"description": "Fix 1 of 2\n\nNot fixed:\n\n- src/tax.py: a wish"})

    text = shown(a_fix(intent=intent, origin=several))

    assert text.startswith(
        "**Proposed change, approved: Fix 1 of 2**\n\nNot fixed:\n\n- src/tax.py: a wish\n\n- `total`"
    )
    assert "It was added." not in shown(a_fix())


def test_a_rejected_change_shows_what_was_expected_and_what_is_there() -> None:
    """File by file and hunk by hunk."""
    problem = Problem(
        message="The lines that this hunk expects are not there.",
        path="src/orders.py",
        hunk=1,
        line=2,
        expected=("return a",),
        found=("return b",),
    )
    text = shown(a_fix("rejected", problems=(problem,) * 7), DIFF)

    assert (
        "- src/orders.py, hunk 1: The lines that this hunk expects are not there.\n\n"
        "  ```diff\n  - return a\n  + return b\n  ```\n"
    ) in text
    assert "- 2 more problems." in text


def test_the_words_of_a_proposal_do_nothing_on_the_page() -> None:
    """It mentions nobody, links to nothing and closes no fence, no matter who wrote it."""
    intent = Intent(
        description="Ping @octo/team [x](http://evil.example) <img src=x>",
        changes=(IntendedChange(what="@ann", why="```"),),
    )
    text = shown(a_fix(intent=intent), "+```\n+@bob\n")

    assert "@octo/team" not in text
    assert "[x\\](http:" in text
    assert "<img" not in text
    assert "````diff\n+```\n+@bob\n````" in text


def test_a_secret_in_a_diff_is_not_repeated() -> None:
    """A suggestion with one becomes a diff, in which it is masked."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"

    text = shown(a_fix(), f"-token = '{secret}'\n", f"token = '{secret}'\n")

    assert secret not in text
    assert "```diff\n-token = 'ghp_…'\n```" in text


@each_row(
    ("status", "first", "last"),
    [
        ("changes_requested", "not approved: Subtract the discount**\n\nNegative sums are possible.\n\n<details>",
         "`@\u2060kodiai fix` drafts it again with this in view."),
        ("pending", "not reviewed: Subtract the discount**\n\nThe budget is used up.\n", f"`{ID}`"),
        ("applied", "applied: Subtract the discount**", f"`{ID}`"),
        ("closed", "closed: Subtract the discount**", f"`{ID}`"),
    ],
)  # fmt: skip
def test_every_other_state_has_its_words_and_says_how_to_go_on(status: Status, first: str, last: str) -> None:
    """A change that nobody reviewed is never shown as if somebody had. The diff is folded."""
    text = shown(a_fix(status, "Negative sums are possible."))

    assert text.startswith(f"**Proposed change, {first}")
    assert text.endswith(last)


def test_the_commit_names_proposer_approver_and_who_applies_it_and_notifies_nobody() -> None:
    """GitHub mentions people whom a commit names with an @."""
    intent = Intent(
        description="Subtract the discount, as @ann asked in a sentence that is much too long for a subject\n\nMore.",
        changes=(IntendedChange(what="`total`\nsubtracts", why="a discount\x00 of 5"),),
    )

    message = words.commit_message(a_fix(intent=intent), Actor(login="bob", agent=Agent(agent_type="codex")))

    assert message == (
        "Subtract the discount, as @\u2060ann asked in a sentence that is much too…\n\n"
        "- `total` subtracts: a discount of 5\n\n"
        f"Proposal: {ID}\nProposed-by: ann (kodiai)\nApproved-by: kodiai[bot]\nApplied-by: bob (codex)\n"
    )


def test_the_answer_to_apply_names_the_commit() -> None:
    """GitHub links a whole commit id by itself."""
    commit = ProposedCommit(sha="a" * 40, parent="b" * 40, branch="topic", by=Actor(login="ann"))

    assert words.committed(a_fix("applied", commit=commit)) == (
        f"Committed {'a' * 40} to `topic` (`{ID}`): Subtract the discount"
    )
