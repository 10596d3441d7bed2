"""Parsed comments: commands, what they mean for a finding, and whether they wait for an answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.command import Command, UnknownCommand
from kodiai.core.conversation.commands import COMMANDS as TABLE
from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.parsed_comment import ParsedComment, parse_comment
from kodiai.core.conversation.replies import MEANING_IN_WORDS, Meaning
from tests.tables import each_row

OURS = handles("kodiai[bot]", ["Review-Bear"])
US = ParsedComment(mentioned=True)
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
COMMANDS: list[tuple[str, list[str]]] = [
    *((f"@kodiai {name}", [name]) for name in TABLE),
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
NEAR_FORMS: list[tuple[str, str]] = [
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
PAUSE, REVIEW = Command("pause"), Command("review")
# Commands and questions, whatever else is in the comment.
ORDERS_AND_QUESTIONS = [
    *((text, replace(US, commands=tuple(map(Command, names))), ", ".join(names)) for text, names in COMMANDS),
    *((text, replace(US, commands=(command,)), command.name) for text, command in WITH_REST),
    *((text, replace(US, asks=True), "question") for text in ASKS),
]
WHOLE = [
    *((f"@kodiai {words}", replace(US, commands=(Command(name),)), name) for words, name in NEAR_FORMS),
    *((text, replace(US, meaning=meaning), MEANING_IN_WORDS[meaning]) for text, meaning in MEANINGS),
    *((f"@kodiai {word}", replace(US, unknown=(each,), says_more=True), f"unknown: {word}") for word, each in UNKNOWN),
    *((text, US, "thanks") for text in ("thanks @kodiai!", "@kodiai :)", "> you forgot the lock\n\n@kodiai 👍")),
    ("I'll merge it tomorrow.\n\nThanks @kodiai!", replace(US, says_more=True), "words"),
    ("Fixed.\n\n@kodiai review", replace(US, commands=(REVIEW,), meaning="done"), "review, done"),
    ("@kodiai pause\nWhy is it?", replace(US, commands=(PAUSE,), asks=True, says_more=True), "pause, question"),
    ("@kodiai explain it\n@kodiai pause", replace(US, commands=(PAUSE,), asks=True, says_more=True), "pause, question"),
    (
        "@kodiai ignore\n@kodiai pause",
        replace(US, commands=(PAUSE,), unknown=(UnknownCommand("ignore", "resolve"),), says_more=True),
        "pause, unknown: ignore",
    ),
    (
        "@kodiai propose a\n@kodiai propose b",
        replace(US, commands=(Command("propose", "a"), Command("propose", "b"))),
        "propose",
    ),
    ("@kodiai by design. Or is it?", replace(US, asks=True, says_more=True), "question"),
    ("won't fix", ParsedComment(mentioned=False, meaning="wont_fix"), "won't fix"),
    ("I disagree", ParsedComment(mentioned=False, says_more=True), "words"),
    ("review", ParsedComment(mentioned=False, says_more=True), "words"),
    ("Why is this a bug?", ParsedComment(mentioned=False, says_more=True), "words"),
    ("> @kodiai review\n\nDid it do that?", ParsedComment(mentioned=False, says_more=True), "words"),
    *((text, ParsedComment(mentioned=False), "nothing") for text in ("", "👍", "LGTM")),
]


@each_row(("text", "understood", "words"), ORDERS_AND_QUESTIONS)
def test_a_line_is_a_command_exactly_or_a_question(text: str, understood: ParsedComment, words: str) -> None:
    """A command in any case and spacing, with courtesy and emoji around it, with its rest as it was written.

    Several commands count in their order, each once. A mention below or above a text asks about it.
    """
    found = parse_comment(text, OURS)

    assert replace(found, says_more=False) == understood
    assert found.words == words


@each_row(("text", "understood", "words"), WHOLE)
def test_a_comment_is_understood_as_a_whole(text: str, understood: ParsedComment, words: str) -> None:
    """Requests for a review in people's words, whole replies, words that are close to a command, and courtesy.

    A comment that does not mention us commands and asks nothing.
    """
    assert parse_comment(text, OURS) == understood
    assert understood.words == words


@each_row("text", TO_BE_READ)
def test_a_reply_that_the_table_does_not_know_is_for_a_model_to_read(text: str) -> None:
    """In any language, whether or not it mentions us."""
    for reply in (text, text.replace("@kodiai", "")):
        found = parse_comment(reply, OURS)
        assert (found.says_more, found.meaning) == (True, None)


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
    """Nobody is answered who did not mention us, and a reply of the table is not read by a model."""
    found = parse_comment(text, OURS)

    assert {each.name for each in found.commands} <= set(TABLE)
    assert found.mentioned or not (found.commands or found.asks)
    assert not (found.meaning and found.says_more)
    assert found.words
