"""What the options of `kodiai review` say is played, before anything of it is played."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.acts import Act, Push, Reply, Speaker, complaint, push, reply, speaker
from cli.main import main


@pytest.mark.parametrize(
    ("read", "text", "act"),
    [
        (push, "HEAD", Push("HEAD")),
        (push, "abc,main", Push("abc", "main")),
        (speaker, "ann", Speaker("ann", "write")),
        (speaker, "ann-lee:read", Speaker("ann-lee", "read")),
        (speaker, "Ann2:maintain", Speaker("Ann2", "maintain")),
        (reply, "1:done", Reply(1, "done")),
        (reply, "0:@kodiai why: 1?", Reply(0, "@kodiai why: 1?")),
        (reply, "12:two\nlines", Reply(12, "two\nlines")),
        (reply, r"1:two\nlines, \\n is none, nor \d", Reply(1, "two\nlines, \\n is none, nor \\d")),
    ],
)
def test_an_option_is_one_act(read: Callable[[str], Act], text: str, act: Act) -> None:
    """Colons and new lines may stand in what is said; who speaks may write, unless another role is named."""
    assert read(text) == act


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (speaker, ":write", "'' is not a login"),
        (speaker, "an n", "'an n' is not a login"),
        (speaker, "ann:boss", "'boss' is none of the roles read, triage, write, maintain, admin"),
        (speaker, "ann:none", "'none' is none of the roles read, triage, write, maintain, admin"),
        (reply, "done", "'done' is not N:TEXT, N being a comment's number, or 0"),
        (reply, "-1:done", "'-1:done' is not N:TEXT, N being a comment's number, or 0"),
        (reply, "1: ", "'1: ' says nothing"),
    ],
)
def test_what_cannot_be_read_is_said(read: Callable[[str], Act], text: str, said: str) -> None:
    """The person sees what was given and what it should have been."""
    with pytest.raises(argparse.ArgumentTypeError) as error:
        read(text)

    assert str(error.value) == said


PUSHED, ANN, SAID = Push("HEAD"), Speaker("ann"), Reply(1, "done")


@pytest.mark.parametrize(
    ("acts", "said"),
    [
        ([PUSHED], None),
        ([PUSHED, ANN, SAID, PUSHED], None),
        ([ANN, PUSHED, SAID], None),
        ([SAID, PUSHED], "--reply: nothing has been pushed yet; --push comes first"),
        ([ANN, SAID], "--reply: nothing has been pushed yet; --push comes first"),
        ([ANN], "--as: nobody says anything"),
    ],
)
def test_there_is_nothing_to_reply_to_before_the_first_push(acts: list[Act], said: str | None) -> None:
    """Who speaks may be said at any time."""
    assert complaint(acts) == said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sample", "--reply", "1:x"], "--push, --as and --reply go with --repo"),
        (["--pr", "a/b#1", "--as", "ann"], "--push, --as and --reply go with --repo"),
        (["--repo", ".", "--reply", "1:x"], "--reply: nothing has been pushed yet; --push comes first"),
        (
            ["--repo", ".", "--push", "HEAD", "--reply", "x"],
            "argument --reply: 'x' is not N:TEXT, N being a comment's number, or 0",
        ),
    ],
)
def test_arguments_that_cannot_be_played_start_nothing(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status is that of wrong arguments, and one line says what is wrong."""
    with pytest.raises(SystemExit) as end:
        main(["review", *arguments])

    assert end.value.code == 2
    assert capsys.readouterr().err == f"kodiai review: {said} (see kodiai review --help)\n"


def test_the_order_of_the_options_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A push after the reply comes too late for it, whatever the options are called."""
    (tmp_path / "r").mkdir()

    with pytest.raises(SystemExit):
        main(["review", "--repo", str(tmp_path / "r"), "--as", "ann", "--reply", "1:x", "--push", "HEAD"])

    assert "nothing has been pushed yet" in capsys.readouterr().err
