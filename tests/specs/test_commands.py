"""Commands: each is carried out for people who may give it, and acknowledged."""

from kodiai.core.conversation.commands import COMMANDS
from tests.review_form.reading import unlinked
from tests.specs.conftest import Stage
from tests.specs.pushing import EDITED, NOTES, push
from tests.specs.scripts import a_finding
from tests.specs.talking import (
    age_runs,
    asked,
    conversation,
    forget,
    held_back,
    opened,
    outcome,
    outcomes,
    reactions,
    reply,
    say,
    statuses,
    thread,
)


def test_commands_are_acknowledged_and_answered_at_once_without_a_model(talk: Stage) -> None:
    """By everybody who may read; several in one comment in their order, in one answer; in the body of a review too."""
    pull = opened(talk, config="  verify: sometimes\n")

    comment = say(pull, "@Kodiai help", role="read")

    assert outcome(pull) == ("done", "help")
    assert reactions(pull, comment) == ["eyes"]
    [listed] = conversation(pull)
    assert [row.form for row in COMMANDS.values() if f"kodiai {row.form}`" not in listed] == []

    say(pull, "@kodiai pause\n@kodiai config\n\nThat is all.\n\n- @kodiai resume\n")

    assert outcome(pull) == ("done", "pause, config, resume")
    [told] = conversation(pull)[1:]
    assert told.index("Reviews paused by ann") < told.index("onSynchronize") < told.index("Reviews resumed.")

    talk.github.set_role("bob", "read")
    review = talk.github.review(pull.number, "COMMENT", "Looks good.\n\n@kodiai config", login="bob")
    talk.settle()

    assert outcome(pull) == ("done", "config")
    found = talk.github.state.reactions.values()
    assert [(each.subject, each.content) for each in found if each.kind == "review"] == [(review, "eyes")]
    [told] = conversation(pull)[2:]
    assert told.startswith("- .kodiai.yml: ")
    assert "onSynchronize: true" in told
    assert "maxTurnsPerPr: 10" in told
    assert asked(pull) == []


def test_a_comment_that_asks_us_for_nothing_starts_nothing(talk: Stage) -> None:
    """No run and no question to the model; thanks get a reaction, what is not said to us not even that."""
    pull = opened(talk)
    reviews = len(pull.outcomes)

    quoted = say(pull, "> @kodiai full review\n\nNo, thanks.")
    thanks = say(pull, "Thanks @kodiai!")

    assert outcome(pull) == ("read", "thanks")
    assert (reactions(pull, quoted), reactions(pull, thanks)) == ([], ["eyes"])
    assert (conversation(pull), asked(pull)) == ([], [])
    assert len(pull.outcomes) == reviews


def test_review_reviews_what_is_new_and_says_where_nothing_is(talk: Stage) -> None:
    """Everybody who may read may ask for it, in many words, by any of our names; no model answers it."""
    config = "mention: {aliases: [robot]}\nreview: {triggers: {onSynchronize: false}}\n"
    pull = opened(talk)
    talk.github.set_base_file(pull.number, ".kodiai.yml", config.encode())
    push(pull, NOTES)
    before = pull.ledger.claim("me", 0).completed_head
    pull.ledger.release("me")

    say(pull, "@robot could you please review this PR again?", role="read")
    reviewed = pull.ledger.claim("me", 0).completed_head
    pull.ledger.release("me")
    say(pull, "@kodiai @robot re-review", role="read")

    assert before != pull.head
    assert reviewed == pull.head
    assert [line["review"] for line in outcomes(pull)] == [True, True]
    assert conversation(pull) == [f"Reviewed at {pull.head[:7]}; nothing changed since. `full review` looks again."]
    assert asked(pull) == []


def test_words_that_are_no_commands_get_a_line_each(talk: Stage) -> None:
    """With the closest command; for everybody who may be answered; no model is asked."""
    pull = opened(talk)

    say(pull, "@kodiai undo\n@kodiai reveiw")
    reply(pull, "@kodiai ignore", "bob", "read")
    refused = [line["outcome"] for line in outcomes(pull)]

    ignore = "I do not know `ignore`. Did you mean `resolve`? `help` lists what I can do."
    undo = ignore.replace("ignore", "undo").replace("resolve", "reopen")
    reveiw = ignore.replace("ignore", "reveiw").replace("resolve", "review")
    assert conversation(pull) == [f"{undo}\n\n{reveiw}"]
    assert thread(pull) == [ignore]
    assert refused == ["refused"] * 2
    assert (asked(pull), statuses(pull)) == ([], [("open", None)])


def test_nothing_is_reviewed_while_it_is_paused_unless_somebody_with_write_access_asks(talk: Stage) -> None:
    """Others learn who paused it; resuming reviews what was pushed meanwhile."""
    pull = opened(talk)

    say(pull, "@kodiai pause")
    push(pull, NOTES)
    paused = pull.outcomes[-1]
    say(pull, "@kodiai review", "mallory", "read")
    refused, reviews = outcome(pull), len(pull.outcomes)

    assert (paused["outcome"], paused["reason"]) == ("skipped", "paused by ann")
    assert (refused, pull.outcomes[-1]) == (("refused", "review"), paused)

    say(pull, "@kodiai review")
    push(pull, EDITED)
    say(pull, "@kodiai resume")

    assert [line["outcome"] for line in pull.outcomes[reviews:]] == ["completed", "skipped", "completed"]
    assert conversation(pull) == [
        "Reviews paused by ann. `resume` starts them again.",
        "@\u2060ann paused reviews. Until they resume, `review` requires write access to this repository.",
        "Reviews resumed.",
    ]


def test_a_full_review_reads_everything_again(talk: Stage) -> None:
    """The model is asked though it has answered the same question, and what is known is not told twice.

    The command delivered again is one look, also where nobody knows that it was carried out.
    """
    pull = opened(talk)
    questions = talk.asked

    say(pull, "@kodiai full review")
    forget(pull, "SAID#")
    delivery = next(each for each in reversed(talk.github.deliveries) if each.event == "issue_comment")
    talk.machine.aws.clock.advance(600)
    talk.github.redeliver(delivery.guid)
    talk.settle()

    [_, again] = [line for line in pull.outcomes if line["outcome"] == "completed"]
    assert (again["mode"], again["reason"]) == ("full", "requested")
    assert pull.outcomes[-1]["outcome"] == "skipped"
    assert talk.asked == questions + 1
    assert len(pull.comments) == 1
    body = unlinked(pull.reviews[1]["body"])
    assert body.startswith(
        ":red_circle: **Address before merging** · 1 major\n\n<details><summary>Kodiai Review Summary</summary>"
    )
    assert "[MAJOR] src/orders.py (2): The discount is added\n" in body


def test_full_reviews_of_one_head_are_one_until_there_is_a_reason(talk: Stage) -> None:
    """Thirty at once are one, and one more gets a line; another base, an hour, or a push is a reason."""
    pull = opened(talk)

    def reviewed() -> int:
        return sum(line["outcome"] == "completed" for line in pull.outcomes)

    with held_back(talk):
        for _ in range(30):
            talk.github.comment(pull.number, "@kodiai full review", login="ann")
        talk.github.set_role("ann", "write")
    at_once = reviewed()
    say(pull, "@kodiai full review")
    say(pull, "@kodiai full review")

    assert (at_once, reviewed()) == (2, 2)
    [line] = conversation(pull)
    assert line.startswith(f"Reviewed at {pull.head[:7]}, with the settings and the base of now.")

    talk.github.set_base_file(pull.number, "README.md", b"# Gadgets\n")
    say(pull, "@kodiai full review")
    moved = reviewed()
    say(pull, "@kodiai full review")
    assert (moved, reviewed()) == (3, 3)

    age_runs(pull, 3_600)
    say(pull, "@kodiai full review")
    assert reviewed() == 4
    assert len(conversation(pull)) == 2


def test_resolve_settles_the_finding_of_its_thread_and_in_the_conversation_all(talk: Stage) -> None:
    """With their threads, and no later review opens them again."""
    other = a_finding(
        title="The prices are not checked", start_line=1, end_line=1, quote="def total(prices, discount):"
    )
    pull = opened(talk, a_finding(), other)

    reply(pull, "@kodiai resolve")
    first = statuses(pull)
    say(pull, "@kodiai resolve")
    push(pull, NOTES)

    assert sorted(first, key=str) == [("dismissed", "ann"), ("open", None)]
    assert statuses(pull) == [("dismissed", "ann")] * 2
    assert conversation(pull) == ["1 finding dismissed."]
    assert all(known.resolved_thread for known in pull.ledger.findings())


def test_a_broken_glass_lifts_our_request_for_changes_for_all_to_see(talk: Stage) -> None:
    """The person and the reason stand on the pull request and in GitHub's record; the findings stay open.

    Without write access it is refused in one line, as each command that takes it is, and nothing is done.
    """
    commands = [name for name, row in COMMANDS.items() if row.right == "write"]
    pull = opened(talk, config="  event: verdict\n")
    reviews = len(pull.outcomes)

    orders = [f"@kodiai {name} now" if COMMANDS[name].takes else f"@kodiai {name}" for name in commands]
    say(pull, "\n".join(orders), "mallory", "triage")

    [refusals] = conversation(pull)
    assert refusals.split("\n\n") == [f"`{command}` requires write access to this repository." for command in commands]
    assert outcome(pull)[0] == "refused"
    assert (len(pull.outcomes), statuses(pull)) == (reviews, [("open", None)])
    state = pull.ledger.claim("me", 0)
    pull.ledger.release("me")
    assert state.paused_by is None

    say(pull, "@kodiai break glass")
    silent = [review["state"] for review in pull.reviews]
    say(pull, "@kodiai break glass Production is down")

    assert silent == ["CHANGES_REQUESTED"]
    assert [review["state"] for review in pull.reviews] == ["DISMISSED"]
    assert conversation(pull)[1:] == [
        "Give a reason that others can see: `break glass <why>`.",
        "**Glass broken by ann**: Production is down\n\nI no longer request changes. The findings stay open.",
    ]
    assert statuses(pull) == [("open", None)]


def test_a_program_that_answers_each_of_our_comments_comes_to_an_end(talk: Stage) -> None:
    """Though it may write and GitHub does not call it a bot: commands go on, our answers to one person do not.

    Other people are answered, and so is everybody on the next day.
    """
    pull = opened(talk)
    rounds = 0
    while rounds < 25 and len(conversation(pull)) == rounds:
        say(pull, f"@kodiai {('help', 'pause', 'fix')[rounds % 3]}", "echo")
        rounds += 1

    assert rounds == 14
    [*_, last] = conversation(pull)
    assert (
        last == "One person gets 10 answers to commands here in a day. Further ones are carried out without an answer."
    )

    say(pull, "@kodiai resolve", "echo")
    say(pull, "@kodiai resolve")
    forget(pull, "TOLD#")  # as if it was another day
    say(pull, "@kodiai help", "echo")

    assert statuses(pull) == [("dismissed", "echo")]
    dismissed, nothing, listed = conversation(pull)[13:]
    assert (dismissed, nothing) == ("1 finding dismissed.", "No finding is open on this pull request.")
    assert "kodiai review`" in listed


def test_a_program_without_write_access_comes_to_an_end_too(talk: Stage) -> None:
    """Also where no command is given, and where the author of the pull request says in a thread what is not so."""
    pull = opened(talk, config="mention: {conversation: {maxTurnsPerPr: 3}}\n")
    for _ in range(6):
        forget(pull, "THREAD#")
        reply(pull, "@kodiai fixed", "octocat", "read")

    gone = f"The code of this finding is still there at the head, {pull.head[:7]}."
    assert thread(pull)[:3] == [gone] * 3
    assert len(thread(pull)) == 4


def test_a_person_who_may_not_be_answered_learns_why_once(talk: Stage) -> None:
    """The second time a reaction has to do."""
    pull = opened(talk)
    talk.github.set_base_file(pull.number, ".kodiai.yml", b"mention: {allowedUsers: [bob]}\n")

    say(pull, "@kodiai help", role="admin")
    second = say(pull, "@kodiai help", role="admin")

    assert conversation(pull) == ["`mention.allowedUsers` in `.kodiai.yml` does not name ann, so I may not answer."]
    assert set(reactions(pull, second)) == {"eyes", "confused"}
    assert outcome(pull)[0] == "refused"


def test_a_repository_that_turns_mentions_off_is_left_in_peace(talk: Stage) -> None:
    """Not even a reaction; what is said in threads is read by the next review."""
    pull = opened(talk, config="mention:\n  enabled: false\n")

    comment = say(pull, "@kodiai help")
    reply(pull, "won't fix")
    before = statuses(pull)
    push(pull, NOTES)

    assert (reactions(pull, comment), conversation(pull)) == ([], [])
    assert before == [("open", None)]
    assert statuses(pull) == [("wont_fix", "ann")]
