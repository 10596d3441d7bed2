"""The commands, one row each: what people may write, what it does and who may give it."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.events.job import Trigger

CommandRight = Literal["read", "author", "decide", "write"]
"""The right that a command requires.

`author` is write access or authorship of the pull request, `decide` permission to decide about the thread's finding.
"""


@dataclass(frozen=True)
class CommandRow:
    """A command, which may be several words.

    `help` says what it does. `takes` names the text behind it, "" if the command is the whole line. `synonyms` are
    words that are no commands, for which it is suggested, with a space between them. `drafts` is whether a model
    drafts a change. `trigger` is the trigger of the review that it begins. `refuses_once` is whether somebody who may
    not give it learns that only once.
    """

    name: str
    help: str
    right: CommandRight = "read"
    takes: str = ""
    synonyms: str = ""
    drafts: bool = False
    trigger: Trigger | None = None
    refuses_once: bool = False

    @property
    def form(self) -> str:
        """The command as it is written: "propose <what>"."""
        return f"{self.name} <{self.takes}>" if self.takes else self.name


_ROWS = (
    CommandRow(
        "review",
        "review what changed since the last review",
        trigger="rerequested",
        synonyms="rerun retry recheck recommence check scan analyze run",
    ),
    CommandRow("full review", "review everything again", "write", trigger="full_review"),
    CommandRow("pause", "stop reviews until `resume`", "write", synonyms="stop disable mute"),
    CommandRow(
        "resume", "start reviews again", "write", trigger="synchronize", synonyms="start continue enable unpause"
    ),
    CommandRow(
        "resolve",
        "dismiss the finding of this thread; in the conversation, every open finding",
        "write",
        synonyms="ignore dismiss close skip wontfix",
    ),
    CommandRow("reopen", "open the finding of this thread again", "decide", synonyms="unresolve undo restore"),
    CommandRow(
        "fix",
        "draft a fix for the finding of this thread, have it reviewed, and show it",
        "author",
        drafts=True,
        synonyms="autofix suggest",
    ),
    CommandRow("fix all", "the same for every open finding, as one change", "author", drafts=True),
    CommandRow("propose", "the same for any change", "author", "what", drafts=True),
    CommandRow("apply", "commit the approved change to this branch", "write", synonyms="commit accept"),
    CommandRow("break glass", "let a commit pass in an emergency", "write", "why", synonyms="bypass force"),
    CommandRow(
        "override",
        "let a rule fail for this pull request",
        "write",
        "id> <why",
        synonyms="waive except exempt",
        refuses_once=True,
    ),
    CommandRow("enforce", "undo that", "write", "id", refuses_once=True),
    CommandRow("remember", "store a rule for this repository, which reviews follow", "write", "sentence"),
    CommandRow("memory", "list the rules, and what findings led to"),
    CommandRow("forget", "remove a rule, or a finding from the memory", "write", "id"),
    CommandRow("config", "show the settings that apply here", synonyms="settings configuration"),
    CommandRow("help", "show this list", synonyms="commands usage"),
)

COMMANDS = {row.name: row for row in _ROWS}
"""Every command by its name, in the order of the help."""
