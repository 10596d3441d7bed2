"""What comments want of us: commands, what they say about a finding, and whether they wait for an answer."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.command import Command, CommandName, UnknownCommand
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.conversation.replies import Meaning
from tests.tables import each_row

OURS = handles("kodiai[bot]", ["Review-Bear"])
TRACE = "\n".join(f'  File "/srv/app_{line}.py", line {line}, in run  # @kodiai review?' for line in range(60))

ASKED_FOR = (
    "review this",
    "review again",
    "re-review",
    "Re-review, please!",
    "please review this PR",
    "could you please review?",
    "review, please?",
    "Can you rerun your review?",
    "do another review",
    "give me a fresh review of my latest changes",
    "review the latest changes",
    "review my last push again please",
    "take another look",
    "could you take a second look at this PR?",
    "please go ahead and review",
)
ASKED_FOR_IN_FULL = (
    "full re-review please",
    "review everything again",
    "review the whole pull request",
    "do a full review please?",
    "review this PR again from scratch",
)
COMMANDS: list[tuple[str, list[CommandName]]] = [
    *((f"@kodiai {name}", [name]) for name in get_args(CommandName)),
    ("@kodiai", ["help"]),
    ("Hi @kodiai!", ["help"]),
    ("@kodiai\n\n@kodiai", ["help"]),
    ("@KodiAI[bot] REVIEW!", ["review"]),
    ("Hey @kodiai, review please", ["review"]),
    ("please @kodiai review, thanks!", ["review"]),
    ("Hey @kodiai,\r\nplease review.\r\n", ["review"]),
    ("@kodiai Full \t Review...", ["full review"]),
    ("@kodiai break  glass!", ["break glass"]),
    ("@kodiai pause\r\n@kodiai review", ["pause", "review"]),
    ("@kodiai review\n@kodiai resolve\n@kodiai review", ["review", "resolve"]),
    ("1. @kodiai resume\n2. @kodiai full review", ["resume", "full review"]),
    ("@kodiai review 🙏🏽", ["review"]),
    ("👩‍💻 @kodiai review 👩‍💻", ["review"]),
    ("@kodiai review :rocket: :)", ["review"]),
    ("> Why was it paused?\n\n@kodiai resume", ["resume"]),
    ("@ann what do you think?\n\n@kodiai review", ["review"]),
    ("@kodiai @review-bear review", ["review"]),
    ("@review-bear, @kodiai: pause", ["pause"]),
    ("could you @kodiai review", ["review"]),
]
NEAR_FORMS: list[tuple[str, CommandName]] = [
    *((words, "review") for words in ASKED_FOR),
    *((words, "full review") for words in ASKED_FOR_IN_FULL),
]
WITH_REST = [
    ("@kodiai propose rename `Foo` to `Bar`", Command("propose", "rename `Foo` to `Bar`")),
    ("Hey @kodiai, please propose: a Test.", Command("propose", "a Test.")),
    ("@kodiai propose\na test", Command("propose")),
    ("@kodiai PROPOSE what @ann and @kodiai said 🙂", Command("propose", "what @ann and kodiai said 🙂")),
    ("@kodiai break glass: Prod is down!", Command("break glass", "Prod is down!")),
    ("@kodiai Break Glass the 1.2 release has to go out", Command("break glass", "the 1.2 release has to go out")),
]
MEANINGS: list[tuple[str, Meaning]] = [
    ("@kodiai won't fix", "wont_fix"),
    ("@kodiai won't fix, by design", "by_design"),
    ("Thanks @kodiai! By design.", "by_design"),
    ("@kodiai Good catch. Fixed.", "done"),
    ("Fixed.\n\n@kodiai", "done"),
    ("This is a false positive.\n\n@kodiai", "false_positive"),
]
TO_BE_READ = [
    "@kodiai won't fix: the callers rely on it.",
    "@kodiai this is intentional because the token is checked in the gateway",
    "@kodiai tracked in #12",
    "@kodiai fixed. Please look at the parser too.",
    "@kodiai won't fix. Why did you flag it?",
    "By design.\n\n@kodiai explain the rule",
    "Is that so? @kodiai won't fix",
    "@kodiai I disagree, it is checked above",
    "@kodiai's finding is wrong",
    "@kodiai das ist Absicht",
    "@kodiai 仕様です",
]
UNKNOWN = [
    ("ignore", UnknownCommand("ignore", "resolve")),
    ("ignore this", UnknownCommand("ignore this", "resolve")),
    ("undo", UnknownCommand("undo", "reopen")),
    ("reveiw", UnknownCommand("reveiw", "review")),
    ("reviewer", UnknownCommand("reviewer", "review")),
    ("re view", UnknownCommand("re view", "review")),
    ("stop", UnknownCommand("stop", "pause")),
]
ASKS = [
    "@kodiai frobnicate",
    "@kodiai?",
    "@kodiai review?",
    "@kodiai review? 🙂",
    "@kodiai break glass?",
    "propose what @kodiai said",
    "break glass, @kodiai, the house is on fire",
    "@kodiai proposed a fix",
    "@kodiai review and pause",
    "@kodiai review: the parser",
    "@kodiai reviеw",
    "@kodiai `review`",
    "@kodiai ~~review~~ pause",
    "@kodiai <code>full</code> review",
    "@kodiai @ann review",
    "- [ ] @kodiai review",
    "Hey @kodiai,\nexplain this",
    "The lock is taken above.\n\n@kodiai",
    "> won't fix\n\n@kodiai",
    f"@kodiai\n```\n{TRACE}\n```",
    "@kodiai\n\n![what I see](shot.png)",
    '@kodiai <img src="shot.png">',
    "thanks @kodiai! What about the tests?",
    "Does it hold now?\n\nthanks @kodiai!",
    "@kodiai thinks this is by design",
    "@kodiai can you review whether the cache is safe?",
    "@kodiai did you review this?",
    *TO_BE_READ,
    "مرحبا @kodiai هل يمكنك الشرح؟",
    "请@kodiai看看",
]
COURTESY = [
    "thanks @kodiai!",
    "Thank you so much, @kodiai 🎉",
    "@kodiai :+1:",
    "@kodiai :)",
    "@kodiai Good bot!",
    "Great catch @kodiai, thanks for the review.",
    "> you forgot the lock\n\n@kodiai 👍",
    "I'll merge it tomorrow.\n\nThanks @kodiai!",
]
NOT_TO_US = [
    "",
    "review",
    "LGTM",
    "Why is this a bug?",
    "> @kodiai review\n\nDid it do that?",
    "`@kodiai review`",
    "Yes.\n\nOn Mon, 3 Feb 2025, Ann <a@example.com> wrote:\n> @kodiai review",
]


@each_row(("text", "names"), COMMANDS)
def test_a_line_that_is_a_command_is_done_as_it_is_said(text: str, names: list[CommandName]) -> None:
    """In any case and spacing, with courtesy and emoji around it; several in their order, each once."""
    found = parse_comment(text, OURS)

    assert replace(found, says_more=False) == ParsedComment(mentioned=True, commands=tuple(map(Command, names)))
    assert found.words == ", ".join(names)


@each_row(("words", "name"), NEAR_FORMS)
def test_a_review_is_asked_for_as_people_do(words: str, name: CommandName) -> None:
    """Polite, again, of this or of everything; none of it is a question that a model answers."""
    assert parse_comment(f"@kodiai {words}", OURS) == ParsedComment(mentioned=True, commands=(Command(name),))
    assert parse_comment(words, OURS).commands == ()


@each_row(("text", "command"), WITH_REST)
def test_what_is_to_be_proposed_and_why_the_glass_is_broken_stays_as_it_was_written(
    text: str, command: Command
) -> None:
    """It is the rest of the line."""
    found = parse_comment(text, OURS)

    assert found == ParsedComment(mentioned=True, commands=(command,), says_more=found.says_more)


@each_row(("text", "says"), MEANINGS)
def test_what_settles_a_finding_by_itself_needs_no_answer(text: str, says: Meaning) -> None:
    """A whole reply of the table, with or without courtesy."""
    assert parse_comment(text, OURS) == ParsedComment(mentioned=True, meaning=says)


@each_row("text", ASKS)
def test_what_is_not_exactly_a_command_is_left_to_an_answer(text: str) -> None:
    """A question above all, and a call beneath or above what it is about."""
    found = parse_comment(text, OURS)

    assert found == ParsedComment(mentioned=True, asks=True, says_more=found.says_more)
    assert found.words == "question"


@each_row("text", TO_BE_READ)
def test_what_the_table_does_not_know_is_for_a_model_to_read(text: str) -> None:
    """In any language, whether or not we are called for it."""
    for said in (text, text.replace("@kodiai", "")):
        assert parse_comment(said, OURS).says_more
        assert parse_comment(said, OURS).meaning is None


@each_row(("words", "unknown"), UNKNOWN)
def test_a_word_that_is_no_command_is_named_with_the_closest_one(words: str, unknown: UnknownCommand) -> None:
    """It is no question, and no model is asked; what is close to no command is for the model."""
    assert parse_comment(f"@kodiai {words}", OURS) == ParsedComment(mentioned=True, unknown=(unknown,), says_more=True)
    assert parse_comment(f"@kodiai {words}", OURS).words == f"unknown: {unknown.word}"


@each_row("text", COURTESY)
def test_courtesy_wants_nothing(text: str) -> None:
    """Nobody waits for an answer to thanks."""
    found = parse_comment(text, OURS)

    assert found == ParsedComment(mentioned=True, says_more="tomorrow" in text)
    assert found.words == ("words" if "tomorrow" in text else "thanks")


@each_row("text", NOT_TO_US)
def test_what_is_not_said_to_us_wants_nothing(text: str) -> None:
    """However much it asks or commands."""
    found = parse_comment(text, OURS)

    assert found == ParsedComment(mentioned=False, says_more=found.says_more)


@each_row(
    ("text", "understood", "words"),
    [
        ("won't fix", ParsedComment(mentioned=False, meaning="wont_fix"), "won't fix"),
        ("I disagree", ParsedComment(mentioned=False, says_more=True), "words"),
        ("👍", ParsedComment(mentioned=False), "nothing"),
        (
            "Fixed.\n\n@kodiai review",
            ParsedComment(mentioned=True, commands=(Command("review"),), meaning="done"),
            "review, done",
        ),
        (
            "@kodiai resume\nWhy was it paused?",
            ParsedComment(mentioned=True, commands=(Command("resume"),), asks=True, says_more=True),
            "resume, question",
        ),
        (
            "@kodiai explain the lock\n@kodiai pause",
            ParsedComment(mentioned=True, commands=(Command("pause"),), asks=True, says_more=True),
            "pause, question",
        ),
        (
            "@kodiai ignore\n@kodiai pause",
            ParsedComment(
                mentioned=True,
                commands=(Command("pause"),),
                unknown=(UnknownCommand("ignore", "resolve"),),
                says_more=True,
            ),
            "pause, unknown: ignore",
        ),
        (
            "@kodiai propose a\n@kodiai propose b",
            ParsedComment(mentioned=True, commands=(Command("propose", "a"), Command("propose", "b"))),
            "propose",
        ),
        (
            "@kodiai by design. Or is it?",
            ParsedComment(mentioned=True, asks=True, says_more=True),
            "question",
        ),
    ],
)
def test_all_that_a_comment_says_is_understood_at_once(text: str, understood: ParsedComment, words: str) -> None:
    """Commands, what it says about the finding, and a question."""
    assert parse_comment(text, OURS) == understood
    assert understood.words == words


@pytest.mark.parametrize(
    ("text", "reopens"), [("Reopen.", True), ("@kodiai re-open, please", True), ("@kodiai reopen", True), ("no", False)]
)
def test_a_decision_is_taken_back_by_a_word_or_by_a_command(text: str, reopens: bool) -> None:
    """One and the same."""
    assert parse_comment(text, OURS).reopens is reopens


SHOWN = ["> {}", "`{}`", "```\n{}\n```", "~~{}~~", "ops{}", "so\n\n    {}"]
SAID = ["@kodiai review", "@kodiai pause", "@kodiai break glass: now", "@kodiai", "@kodiai why?", "@kodiai won't fix"]


@given(st.text(max_size=60) | st.lists(st.sampled_from([*SAID, *SHOWN, "\n", "? ", "hey ", "**", "…"])).map("".join))
def test_any_comment_can_be_understood(text: str) -> None:
    """Nobody is answered who did not call us, and what the table knows nobody has to read."""
    found = parse_comment(text, OURS)

    assert {each.name for each in found.commands} <= set(get_args(CommandName))
    assert found.mentioned or not (found.commands or found.asks)
    assert not (found.meaning and found.says_more)
    assert found.words
