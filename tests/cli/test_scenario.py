"""The steps that the options of `kodiai review` name are checked before any of them is played."""

import argparse
from collections.abc import Callable

import pytest

from cli.scenario import Push, React, Reply, Speaker, Step, order_error, push, react, reply, speaker


@pytest.mark.parametrize(
    ("read", "text", "step"),
    [
        (push, "HEAD", Push("HEAD")),
        (push, "abc,main", Push("abc", "main")),
        (speaker, "ann", Speaker("ann", "write")),
        (speaker, "ann-lee:read", Speaker("ann-lee", "read")),
        (speaker, "Ann2:maintain", Speaker("Ann2", "maintain")),
        (reply, "1:done", Reply(1, "done")),
        (reply, "0:@kodiai why: 1?", Reply(0, "@kodiai why: 1?")),
        (reply, "12:two\nlines", Reply(12, "two\nlines")),
        (react, "1:+1", React(1, "+1")),
        (react, "12:-1", React(12, "-1")),
        (reply, r"1:two\nlines, \\n is none, nor \d", Reply(1, "two\nlines, \\n is none, nor \\d")),
    ],
)
def test_an_option_is_one_step(read: Callable[[str], Step], text: str, step: Step) -> None:
    """A text may have colons and new lines; the role of a speaker is write, unless another one is named."""
    assert read(text) == step


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (speaker, ":write", "'' is not a login"),
        (speaker, "an n", "'an n' is not a login"),
        (speaker, "ann:boss", "'boss' is not a role: use one of read, triage, write, maintain, admin"),
        (speaker, "ann:none", "'none' is not a role: use one of read, triage, write, maintain, admin"),
        (reply, "done", "'done' is not N:TEXT, where N is a comment's number, or 0"),
        (reply, "-1:done", "'-1:done' is not N:TEXT, where N is a comment's number, or 0"),
        (reply, "1: ", "'1: ' has no text"),
        (react, "0:+1", "'0:+1' is not N:+1 or N:-1, where N is a comment's number"),
        (react, "1:heart", "'1:heart' is not N:+1 or N:-1, where N is a comment's number"),
    ],
)
def test_an_invalid_option_is_reported(read: Callable[[str], Step], text: str, said: str) -> None:
    """The person sees what was given and what it should have been."""
    with pytest.raises(argparse.ArgumentTypeError) as error:
        read(text)

    assert str(error.value) == said


PUSHED, ANN, REPLIED, REACTED = Push("HEAD"), Speaker("ann"), Reply(1, "done"), React(1, "+1")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([PUSHED], None),
        ([PUSHED, ANN, REPLIED, PUSHED], None),
        ([ANN, PUSHED, REPLIED], None),
        ([REPLIED, PUSHED], "--reply: nothing has been pushed yet; --push comes first"),
        ([ANN, REPLIED], "--reply: nothing has been pushed yet; --push comes first"),
        ([ANN, REACTED, REPLIED], "--react: nothing has been pushed yet; --push comes first"),
        ([ANN], "--as: there is no --reply and no --react"),
    ],
)
def test_there_is_nothing_to_reply_to_before_the_first_push(steps: list[Step], said: str | None) -> None:
    """A speaker may be named at any time."""
    assert order_error(steps) == said
