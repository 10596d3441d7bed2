"""Commands: what is ordered in so many words is done, by whom it may be, and acknowledged."""

from tests.specs.conftest import Stage
from tests.specs.pushing import NOTES, push
from tests.specs.scripts import a_finding
from tests.specs.talking import (
    asked,
    conversation,
    opened,
    outcome,
    outcomes,
    reactions,
    reply,
    say,
    statuses,
    thread,
)

NOT_TO_US = (
    "@claudette review",
    "Write to kodiai@acme.com or me@kodiai.dev to get a review",
    "Say `@kodiai review` to get one",
    "> @kodiai review\n\nNo, thanks.",
    "```\n@kodiai full review\n```",
    "See [@kodiai review](https://example.com/@kodiai)",
    "<!-- @kodiai review -->\nNothing to see, @bob.",
    "\\@kodiai review",
)


def test_help_lists_the_commands_under_our_own_handle(talk: Stage) -> None:
    """Acknowledged by a reaction; a call and nothing else asks for help too; the model is not asked."""
    pull = opened(talk)

    comment = say(pull, "@Kodiai help", role="read")
    say(pull, "Hey @kodiai!")

    assert outcome(pull) == ("done", "help")
    assert reactions(pull, comment) == ["eyes"]
    first, second = conversation(pull)
    assert first == second
    for command in ("review", "full review", "pause", "resume", "resolve", "reopen", "config", "help"):
        assert f"kodiai {command}`" in first
    assert asked(pull) == []


def test_config_shows_what_is_followed_and_what_is_wrong_with_the_file(talk: Stage) -> None:
    """Defaults included, in the words of the file."""
    pull = opened(talk, config="  verify: sometimes\n")

    say(pull, "@kodiai config", role="read")

    [told] = conversation(pull)
    assert told.startswith("- .kodiai.yml: ")
    assert "onSynchronize: true" in told
    assert "maxTurnsPerPr: 10" in told


def test_review_reviews_what_is_new_and_says_where_nothing_is(talk: Stage) -> None:
    """Whoever may read may ask for it."""
    config = "mention: {aliases: [robot]}\nreview: {triggers: {onSynchronize: false}}\n"
    pull = opened(talk)
    talk.github.set_base_file(pull.number, ".kodiai.yml", config.encode())
    push(pull, NOTES)
    before = pull.ledger.claim("me", 0).completed_head
    pull.ledger.release("me")

    say(pull, "@robot review", role="read")
    reviewed = pull.ledger.claim("me", 0).completed_head
    pull.ledger.release("me")
    say(pull, "@kodiai review", role="read")

    assert before != pull.head
    assert reviewed == pull.head
    assert [line["review"] for line in outcomes(pull)] == [True, True]
    assert conversation(pull) == [f"Reviewed at {pull.head[:7]}; nothing changed since. `full review` looks again."]


def test_a_review_is_asked_for_in_many_words(talk: Stage) -> None:
    """Politely, by two of our names, and again: one line says that nothing changed, and no model answers it."""
    pull = opened(talk)
    talk.github.set_base_file(pull.number, ".kodiai.yml", b"mention: {aliases: [robot]}\n")

    say(pull, "@kodiai could you please review this PR again?", role="read")
    say(pull, "@kodiai @robot re-review", role="read")

    assert [line["review"] for line in outcomes(pull)] == [True, True]
    assert conversation(pull) == [f"Reviewed at {pull.head[:7]}; nothing changed since. `full review` looks again."]
    assert asked(pull) == []


def test_a_command_that_there_is_not_gets_one_line_with_the_closest(talk: Stage) -> None:
    """In the conversation and in a thread, by whoever may be answered; no model is asked for an answer."""
    pull = opened(talk)

    say(pull, "@kodiai ignore", role="read")
    say(pull, "@kodiai undo\n@kodiai reveiw")
    reply(pull, "@kodiai ignore")

    ignore = "I do not know `ignore`. Did you mean `resolve`? `help` lists what I can do."
    both = [ignore.replace("ignore", "reveiw").replace("resolve", "review")]
    both.insert(0, ignore.replace("ignore", "undo").replace("resolve", "reopen"))
    assert conversation(pull) == [ignore, "\n\n".join(both)]
    assert thread(pull) == [ignore]
    assert [line["outcome"] for line in outcomes(pull)] == ["refused"] * 3
    assert (asked(pull), statuses(pull)) == ([], [("open", None)])


def test_what_is_no_command_may_still_decide(talk: Stage) -> None:
    """A model reads it in the thread of a finding, as any other reply."""
    said = "@kodiai absichtlich"
    pull = opened(talk, readings={said: "by_design"})

    reply(pull, said)

    assert thread(pull) == ["Dismissed as by design by @\u2060ann. Reply `reopen` to undo."]
    assert statuses(pull) == [("wont_fix", "ann")]


def test_who_may_not_write_gets_no_review_while_it_is_paused(talk: Stage) -> None:
    """They are told by whom; whoever may write gets one."""
    pull = opened(talk)
    say(pull, "@kodiai pause")
    push(pull, NOTES)

    say(pull, "@kodiai review", "mallory", "read")
    refused = outcome(pull)
    say(pull, "@kodiai review")

    assert refused == ("refused", "review")
    assert conversation(pull)[1:] == [
        "@\u2060ann paused reviews. Until they resume, `review` requires write access to this repository."
    ]
    assert [line["outcome"] for line in pull.outcomes[-2:]] == ["skipped", "completed"]


def test_a_full_review_reads_everything_anew(talk: Stage) -> None:
    """Though the head was reviewed; a delivery that comes again asks for nothing more."""
    pull = opened(talk)

    say(pull, "@kodiai full review")
    delivery = next(each for each in reversed(talk.github.deliveries) if each.event == "issue_comment")
    talk.machine.aws.clock.advance(600)
    talk.github.redeliver(delivery.guid)
    talk.settle()

    assert [line["mode"] for line in pull.outcomes if line["outcome"] == "completed"] == ["full", "full"]
    assert outcome(pull)[0] == "skipped"


def test_nothing_is_reviewed_while_it_is_paused_unless_somebody_asks(talk: Stage) -> None:
    """Resuming reviews what was pushed meanwhile."""
    pull = opened(talk)

    say(pull, "@kodiai pause")
    push(pull, NOTES)
    paused = pull.outcomes[-1]
    say(pull, "@kodiai resume")
    resumed = pull.outcomes[-1]

    assert (paused["outcome"], paused["reason"]) == ("skipped", "paused by ann")
    assert resumed["outcome"] == "completed"
    assert conversation(pull) == [
        "Reviews paused by ann. `resume` starts them again.",
        "Reviews resumed.",
    ]


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
    """Who did it and why stands on the pull request and in GitHub's record; the findings stay open."""
    pull = opened(talk, config="  event: verdict\n")

    say(pull, "@kodiai break glass")
    silent = [review["state"] for review in pull.reviews]
    say(pull, "@kodiai break glass Production is down")

    assert silent == ["CHANGES_REQUESTED"]
    assert [review["state"] for review in pull.reviews] == ["DISMISSED"]
    assert conversation(pull) == [
        "Give a reason that others can see: `break glass <why>`.",
        "**Glass broken by ann**: Production is down\n\nI no longer request changes. The findings stay open.",
    ]
    assert statuses(pull) == [("open", None)]


def test_what_cannot_be_done_yet_says_so(talk: Stage) -> None:
    """With the reason, each in one line."""
    pull = opened(talk)

    reply(pull, "@kodiai propose a better name\n@kodiai fix\n@kodiai apply")

    [told] = thread(pull)
    assert told.split("\n\n") == [
        f"`{name}` is not available yet: this version cannot propose changes, it only reviews them."
        for name in ("propose", "fix", "apply")
    ]


def test_who_may_not_write_is_refused_in_one_line(talk: Stage) -> None:
    """For each command that takes it; nothing is done."""
    commands = ("full review", "pause", "resume", "resolve", "apply", "break glass")
    pull = opened(talk)
    reviews = len(pull.outcomes)

    say(pull, "\n".join(f"@kodiai {command}" for command in commands), "mallory", "triage")

    [told] = conversation(pull)
    assert told.split("\n\n") == [f"`{command}` requires write access to this repository." for command in commands]
    assert outcome(pull)[0] == "refused"
    assert statuses(pull) == [("open", None)]
    assert len(pull.outcomes) == reviews
    state = pull.ledger.claim("me", 0)
    pull.ledger.release("me")
    assert state.paused_by is None


def test_several_commands_in_one_comment_are_done_in_their_order(talk: Stage) -> None:
    """And answered at once, in one comment."""
    pull = opened(talk)

    say(pull, "@kodiai pause\n@kodiai config\n\nThat is all.\n\n- @kodiai resume\n")

    assert outcome(pull) == ("done", "pause, config, resume")
    [told] = conversation(pull)
    assert told.index("Reviews paused by ann") < told.index("onSynchronize") < told.index("Reviews resumed.")


def test_who_may_not_be_answered_is_told_why_once(talk: Stage) -> None:
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


def test_what_is_not_said_to_us_starts_nothing(talk: Stage) -> None:
    """No run, no reaction, no question to the model."""
    pull = opened(talk)
    reviews = len(pull.outcomes)

    comments = [talk.github.comment(pull.number, body, login="ann") for body in NOT_TO_US]
    talk.settle()

    assert [reactions(pull, comment) for comment in comments] == [[]] * len(NOT_TO_US)
    assert (conversation(pull), asked(pull)) == ([], [])
    assert len(pull.outcomes) == reviews


def test_thanks_are_no_question(talk: Stage) -> None:
    """A reaction, and that is it."""
    pull = opened(talk)

    comment = say(pull, "Thanks @kodiai!")

    assert outcome(pull) == ("read", "thanks")
    assert (reactions(pull, comment), conversation(pull), asked(pull)) == (["eyes"], [], [])


def test_a_review_that_calls_us_is_answered_in_the_conversation(talk: Stage) -> None:
    """Its body can be reacted to as well; its comments are read by themselves."""
    pull = opened(talk)
    talk.github.set_role("ann", "write")

    review = talk.github.review(pull.number, "COMMENT", "Looks good.\n\n@kodiai config", login="ann")
    talk.settle()

    assert outcome(pull) == ("done", "config")
    assert len(conversation(pull)) == 1
    found = talk.github.state.reactions.values()
    assert [(each.subject, each.content) for each in found if each.kind == "review"] == [(review, "eyes")]
