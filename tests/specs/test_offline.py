"""Without a model only checks run: they report what they find, and come to no verdict."""

from local.model import OfflineReviewer
from tests.specs.conftest import Stage
from tests.specs.talking import conversation, reply, say, statuses, thread

CONFIG = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
CLEAN = {"src/orders.py": "def total(prices):\n    return sum(prices, start=0)\n"}
NO_VERDICT = "Offline checks only: no verdict"


def test_checks_without_a_model_come_to_no_verdict(quiet: Stage) -> None:
    """A clean change is neither approved nor called ready, whatever the repository lets a verdict do.

    Nor is it after a push that changes nothing: every line was checked before, which is not that anybody has reviewed
    it. A blocker gets its comment on its line and does not request changes: only a reviewer may ask for them.
    """
    quiet.model.answers = OfflineReviewer()
    opened = quiet.open(CLEAN, config=CONFIG)

    [review] = opened.reviews
    assert review["state"] == "COMMENTED"
    assert review["body"].startswith(f":white_circle: **{NO_VERDICT}** · nothing found in 1 file\n")
    assert "Ready to merge" not in review["body"]
    assert "- Model: none (offline checks)\n" in review["body"]
    check = opened.check
    assert check["conclusion"] == "neutral"
    assert check["output"]["title"].startswith(NO_VERDICT)

    opened.push(quiet.repository.commit(CLEAN, quiet.base, message="the same lines"))

    check = opened.check
    assert check["conclusion"] == "neutral"
    assert check["output"]["title"].startswith(NO_VERDICT)
    assert len(opened.reviews) == 1

    opened.push(quiet.commit({"src/a.py": "def total():\n    return vat\n"}, opened.head))

    assert [comment["line"] for comment in opened.comments] == [2]
    assert [review["state"] for review in opened.reviews] == ["COMMENTED"] * 2
    assert opened.check["output"]["title"] == f"{NO_VERDICT} · 1 major"


def test_a_reply_that_only_a_model_understands_is_answered_without_one(quiet: Stage) -> None:
    """One line says so and lists what is understood; the finding stays open, and courtesy needs no answer."""
    quiet.model.answers = OfflineReviewer()
    opened = quiet.open({"src/a.py": "def total():\n    return vat\n"}, config=CONFIG)

    reply(opened, "won't fix, the input is ours")
    reply(opened, "thank you!")

    assert thread(opened) == [
        (
            "There is no model key, so nobody has read this reply. Without a model I understand the commands (`help`"
            " lists them) and replies that are nothing but `won't fix`, `by design`, `acknowledged`, `false positive`,"
            " `done` or `reopen`."
        )
    ]
    assert [status for status, _ in statuses(opened)] == ["open"]


def test_fix_all_without_a_model_says_what_it_leaves_and_that_nobody_judged_it(quiet: Stage) -> None:
    """It fixes what has a replacement, and names the rest; the change can be applied, and is not called approved."""
    quiet.model.answers = OfflineReviewer()
    opened = quiet.open({"src/a.py": "X = f'x'\n\n\ndef total():\n    return X is 'a' or vat\n"}, config=CONFIG)

    say(opened, "@kodiai fix all")

    [shown] = conversation(opened)
    assert shown.startswith("**Proposed change, not judged: Fix 1 of 2 findings**\n\nThere is no model key")
    assert "\n\nNot fixed, for lack of a replacement:\n\n- src/a.py: Undefined name `vat`\n" in shown

    say(opened, "@kodiai apply")

    assert conversation(opened)[-1].endswith(": Fix 1 of 2 findings")


def test_rules_of_the_team_need_a_model(quiet: Stage) -> None:
    """Without one it is said that they were not checked, and none of them passes or fails."""
    quiet.model.answers = OfflineReviewer()
    rules = "  rules: [{id: no-print, text: Nothing prints., level: error}, {id: is-short, text: It is short.}]\n"

    opened = quiet.open(CLEAN, config=f"{CONFIG}{rules}  check: {{failOn: rules}}\n")

    line = "- 2 rules not checked: rules need a model"
    [review] = opened.reviews
    assert f"## Team Rules\n\n{line}\n\n## Verdict" in review["body"]
    assert line in opened.check["output"]["summary"]
    assert opened.check["conclusion"] == "action_required"
