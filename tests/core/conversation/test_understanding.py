"""What comments want of us: commands, what they say about a finding, and whether they wait for an answer."""

import random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.meaning import Meaning, meaning
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.understanding import Command, CommandName, Understood, understand

OURS = handles("kodiai[bot]", ["Review-Bear"])
TRACE = "\n".join(f'  File "/srv/app_{line}.py", line {line}, in run  # @kodiai review?' for line in range(60))

COMMANDS: list[tuple[str, list[CommandName]]] = [
    ("@kodiai", ["help"]),
    ("@kodiai.", ["help"]),
    ("Hi @kodiai!", ["help"]),
    ("(@kodiai)", ["help"]),
    ("@kodiai\n\n@kodiai", ["help"]),
    ("@kodiai help", ["help"]),
    ("@kodiai review", ["review"]),
    ("@KodiAI[bot] REVIEW!", ["review"]),
    ("@review-bear review", ["review"]),
    ("Hey @kodiai, review please", ["review"]),
    ("please @kodiai review, thanks!", ["review"]),
    ("ok @kodiai: pls review.", ["review"]),
    ("review @kodiai", ["review"]),
    ("Review, @kodiai.", ["review"]),
    ("@kodiai - review", ["review"]),
    ("@kodiai:review", ["review"]),
    ("@kodiai\nreview", ["review"]),
    ("Hey @kodiai,\r\nplease review.\r\n", ["review"]),
    ("@kodiai full review", ["full review"]),
    ("@kodiai Full \t Review...", ["full review"]),
    ("@kodiai pause", ["pause"]),
    ("@kodiai resume", ["resume"]),
    ("@kodiai resolve", ["resolve"]),
    ("@kodiai config", ["config"]),
    ("@kodiai fix", ["fix"]),
    ("@kodiai apply", ["apply"]),
    ("@kodiai propose", ["propose"]),
    ("@kodiai break  glass!", ["break glass"]),
    ("@kodiai pause\r\n@kodiai review", ["pause", "review"]),
    ("@kodiai review\n@kodiai resolve\n@kodiai review", ["review", "resolve"]),
    ("1. @kodiai resume\n2. @kodiai full review", ["resume", "full review"]),
    ("- @kodiai review", ["review"]),
    ("### @kodiai review", ["review"]),
    ("**@kodiai** review", ["review"]),
    ("**@kodiai review**", ["review"]),
    ("@kodiai _review_", ["review"]),
    ("<b>@kodiai</b> review", ["review"]),
    ("@kodiai review <!-- soon -->", ["review"]),
    ("🚀 @kodiai review 🚀", ["review"]),
    ("@kodiai review 🙏🏽", ["review"]),
    ("❤️ @kodiai review ❤️", ["review"]),
    ("👩‍💻 @kodiai review 👩‍💻", ["review"]),
    ("@kodiai review :rocket: :)", ["review"]),
    ("\u2067@kodiai\u2069 review\u200f", ["review"]),
    ("@kodiai review\n\n> @kodiai pause", ["review"]),
    ("> Why was it paused?\n\n@kodiai resume", ["resume"]),
    (f"@kodiai review\n\n```\n{TRACE}\n```", ["review"]),
    ("@ann what do you think?\n\n@kodiai review", ["review"]),
    ("The parser is faster now.\n\n@kodiai review", ["review"]),
    ("@kodiai review\n\n-- \nAnn, are you here?", ["review"]),
    ("word " * 3_190 + "\n\n@kodiai review", ["review"]),
]
WITH_REST = [
    ("@kodiai propose rename `Foo` to `Bar`", Command("propose", "rename `Foo` to `Bar`")),
    ("Hey @kodiai, please propose: a Test.", Command("propose", "a Test.")),
    ("@kodiai propose\na test", Command("propose")),
    ("@kodiai PROPOSE what @ann and @kodiai said 🙂", Command("propose", "what @ann and kodiai said 🙂")),
    ("@kodiai propose İstanbul", Command("propose", "İstanbul")),
    ("@kodiai break glass: Prod is down!", Command("break glass", "Prod is down!")),
    ("@kodiai Break Glass the 1.2 release has to go out", Command("break glass", "the 1.2 release has to go out")),
]
MEANINGS: list[tuple[str, Meaning, bool]] = [
    ("@kodiai won't fix", "wont_fix", False),
    ("@kodiai won't fix, by design", "wont_fix", False),
    ("@kodiai won't fix: the callers rely on it.", "wont_fix", False),
    ("Thanks @kodiai! By design.", "by_design", False),
    ("By design, @kodiai 👍", "by_design", False),
    ("@kodiai this is intentional because the token is checked in the gateway", "by_design", False),
    ("@kodiai tracked in #12", "acknowledged", False),
    ("@kodiai fixed in abc1234", "done", False),
    ("@kodiai Good catch. Fixed.", "done", False),
    ("Fixed.\n\n@kodiai", "done", False),
    ("Fixed.\n\nthanks @kodiai", "done", False),
    ("@kodiai fixed. Please look at the parser too.", "done", True),
    ("@kodiai won't fix. Why did you flag it?", "wont_fix", True),
    ("By design.\n\n@kodiai explain the rule", "by_design", True),
    ("Is that so? @kodiai won't fix", "wont_fix", True),
    ("@kodiai I disagree, it is checked above", "disagrees", True),
    ("@kodiai's finding is wrong", "disagrees", True),
    ("This is a false positive.\n\n@kodiai", "disagrees", True),
    ("False positive. Thanks @kodiai", "disagrees", True),
    ("I disagree.\n\nthanks @kodiai", "disagrees", False),
]
ASKS = [
    "@kodiai?",
    "@kodiai update?",
    "@kodiai review?",
    "@kodiai review ?!",
    "@kodiai review؟",
    "@kodiai review? 🙂",
    "@kodiai review, please?",
    "@kodiai full review？",
    "@kodiai propose a fix?",
    "@kodiai break glass?",
    "@kodiai break glass? thanks!",
    "propose what @kodiai said",
    "break glass, @kodiai, the house is on fire",
    "@kodiai proposed a fix",
    "@kodiai review and pause",
    "@kodiai review: the parser",
    "@kodiai can you review this",
    "could you @kodiai review",
    "@kodiai reviewer",
    "@kodiai re view",
    "@kodiai re\u200bview",
    "@kodiai reviеw",
    "@kodiai do a full review please?",
    "@kodiai `review`",
    "@kodiai ~~review~~ pause",
    "@kodiai <code>full</code> review",
    "@kodiai @ann review",
    "| @kodiai | review |",
    '"@kodiai review"',
    "- [ ] @kodiai review",
    "- [x] @kodiai review",
    "@kodiai why is this a bug?",
    "Hey @kodiai,\nexplain this",
    "@kodiai\n\nWhy is this a bug?",
    "The lock is taken above.\n\n@kodiai",
    "> won't fix\n\n@kodiai",
    f"@kodiai\n```\n{TRACE}\n```",
    "@kodiai\n\n![what I see](shot.png)",
    '@kodiai <img src="shot.png">',
    "cc @kodiai",
    "@kodiai yes",
    "@kodiai no",
    "@kodiai thanks, and the tests",
    "thanks @kodiai! What about the tests?",
    "Does it hold now?\n\nthanks @kodiai!",
    "@kodiai is wrong here",
    "@kodiai thinks this is by design",
    "مرحبا @kodiai هل يمكنك الشرح؟",
    "请@kodiai看看",
]
COURTESY = [
    "thanks @kodiai!",
    "Thank you so much, @kodiai 🎉",
    "@kodiai 👍",
    "@kodiai :+1:",
    "@kodiai +1",
    "@kodiai :)",
    "@kodiai ok",
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
    "@ann review",
    "@claudette review",
    "@kodiai-dev review",
    "@kodiai/team review",
    "ops@kodiai.dev",
    "＠kodiai review",
    "@kod\u200biai review",
    "> @kodiai review\n\nDid it do that?",
    "`@kodiai review`",
    f"```\n{TRACE}\n```",
    "[@kodiai](https://example.com) review",
    "<!-- @kodiai review -->",
    "~~@kodiai review~~",
    "Thanks\n\n-- \n@kodiai fan",
    "Yes.\n\nOn Mon, 3 Feb 2025, Ann <a@example.com> wrote:\n> @kodiai review",
]


@pytest.mark.parametrize(("text", "names"), COMMANDS)
def test_a_line_that_is_a_command_is_done_as_it_is_said(text: str, names: list[CommandName]) -> None:
    """In any case and spacing, with courtesy and emoji around it; several in their order, each once."""
    assert understand(text, OURS) == Understood(mentioned=True, commands=tuple(map(Command, names)))
    assert understand(text, OURS).words == ", ".join(names)


@pytest.mark.parametrize(("text", "command"), WITH_REST)
def test_what_is_to_be_proposed_and_why_the_glass_is_broken_stays_as_it_was_written(
    text: str, command: Command
) -> None:
    """It is the rest of the line."""
    assert understand(text, OURS) == Understood(mentioned=True, commands=(command,))


@pytest.mark.parametrize(("text", "says", "asks"), MEANINGS)
def test_what_settles_a_finding_needs_no_answer_unless_more_is_said(text: str, says: Meaning, asks: bool) -> None:
    """A disagreement that is said to us does, and so does each sentence that settles nothing."""
    assert understand(text, OURS) == Understood(mentioned=True, meaning=says, asks=asks)


@pytest.mark.parametrize("text", ASKS)
def test_what_is_not_exactly_a_command_is_left_to_an_answer(text: str) -> None:
    """A question above all, and a call beneath or above what it is about."""
    assert understand(text, OURS) == Understood(mentioned=True, asks=True)
    assert understand(text, OURS).words == "question"


@pytest.mark.parametrize("text", COURTESY)
def test_courtesy_wants_nothing(text: str) -> None:
    """Nobody waits for an answer to thanks."""
    assert understand(text, OURS) == Understood(mentioned=True)
    assert understand(text, OURS).words == "thanks"


@pytest.mark.parametrize("text", NOT_TO_US)
def test_what_is_not_said_to_us_wants_nothing(text: str) -> None:
    """However much it asks or commands."""
    assert understand(text, OURS) == Understood(mentioned=False)
    assert understand(text, OURS).words == "nothing"


@pytest.mark.parametrize(
    ("text", "understood", "words"),
    [
        ("won't fix", Understood(mentioned=False, meaning="wont_fix"), "won't fix"),
        ("I disagree", Understood(mentioned=False, meaning="disagrees"), "disagrees"),
        (
            "Fixed.\n\n@kodiai review",
            Understood(mentioned=True, commands=(Command("review"),), meaning="done"),
            "review, done",
        ),
        (
            "@kodiai resume\nWhy was it paused?",
            Understood(mentioned=True, commands=(Command("resume"),), asks=True),
            "resume, question",
        ),
        (
            "@kodiai explain the lock\n@kodiai pause",
            Understood(mentioned=True, commands=(Command("pause"),), asks=True),
            "pause, question",
        ),
        (
            "@kodiai propose a\n@kodiai propose b",
            Understood(mentioned=True, commands=(Command("propose", "a"), Command("propose", "b"))),
            "propose",
        ),
        ("@kodiai false positive!", Understood(mentioned=True, meaning="disagrees", asks=True), "disagrees"),
        (
            "@kodiai by design. Or is it?",
            Understood(mentioned=True, meaning="by_design", asks=True),
            "by design, question",
        ),
    ],
)
def test_all_that_a_comment_says_is_understood_at_once(text: str, understood: Understood, words: str) -> None:
    """Commands, what it says about the finding, and a question."""
    assert understand(text, OURS) == understood
    assert understood.words == words


SHOWN = [
    "> {}",
    "> so\n{}",
    "`{}`",
    "```\n{}\n```",
    "<!-- {} -->",
    "~~{}~~",
    "[{}](https://example.com)",
    "ops{}",
    "@octo/{}",
    "\\{}",
    "so\n\n    {}",
]
SAID = ["@kodiai review", "@kodiai pause", "@kodiai break glass: now", "@kodiai", "@kodiai why?", "@kodiai won't fix"]


def test_what_is_only_shown_changes_nothing_about_what_is_said() -> None:
    """Put around, above or below a comment in any order, as in a reply that quotes."""
    dice = random.Random(11)
    for _ in range(300):
        shown = [dice.choice(SHOWN).format(dice.choice(SAID)) for _ in range(dice.randint(1, 5))]
        command = dice.choice(["review", "full review", "pause", "resume", "config"])
        at = dice.randint(0, len(shown))

        assert not understand("\n\n".join(shown), OURS).mentioned, shown
        said = understand("\n\n".join([*shown[:at], f"@kodiai {command}", *shown[at:]]), OURS)
        assert [each.name for each in said.commands] == [command], shown


@given(st.text(max_size=60) | st.lists(st.sampled_from([*SAID, *SHOWN, "\n", "? ", "hey ", "**", "…"])).map("".join))
def test_any_comment_can_be_understood(text: str) -> None:
    """Nobody is answered who did not call us, and what is said of a finding is what the next review will read."""
    found = understand(text, OURS)

    assert {each.name for each in found.commands} <= set(get_args(CommandName))
    assert found.mentioned or not (found.commands or found.asks)
    assert found.meaning == meaning(text, OURS)
    assert found.words
