"""Our answers in the conversation: help, settings, refusals, limits, confirmations."""

from collections.abc import Sequence

from kodiai.core.conversation.commands import COMMANDS
from kodiai.core.conversation.replies import MEANING_IN_WORDS, Meaning
from kodiai.core.findings.finding import BLOCKING, Finding
from kodiai.core.findings.known import status_in_words
from kodiai.core.text import markdown
from kodiai.core.text.layout import counted
from kodiai.core.text.rewritten import fenced

UNANSWERED = "I have no answer: the model declined. Ask in other words, or ask a person."
_UNDO = "Reply `reopen` to undo."
FAILED = "I could not answer this because something failed on our side. The error is logged."
NO_FINDING = "This thread is not about a finding of mine."
NOTHING_OPEN = "No finding is open on this pull request."
UNREADABLE = "Earlier findings cannot be read, so nothing can be resolved."
NOTHING_BLOCKS = "Nothing of mine blocks this pull request."
_OPENED = "The check lets this commit pass; it looks at the next push again."
GIVE_REASON = "Give a reason that others can see: `break glass <why>`."
OVERRIDE_REASON = "Give a reason that others can see: `override <id> <why>`."
OVERRIDE_WITHHELD = "This looks like a secret, so I do not store it as a reason."
MAY_NOT_REOPEN = "Only somebody who can dismiss this finding can reopen it."
OPEN_ALREADY = "This finding is already open."
REOPEN_WHERE = "Use `reopen` in the thread of a finding."
RESUMED = "Reviews resumed."
STILL_OPEN = "The finding stays open until somebody with write access agrees."
TOO_FAST = "The limit in one place is two answers a minute: ask again in a minute."


def help_text(handle: str) -> str:
    """The commands, and what else people can say."""
    rows = "\n".join(
        f"- `@\u2060{handle} {row.form}`: {row.help}{' (write access)' if row.right in ('decide', 'write') else ''}"
        for row in COMMANDS.values()
    )
    return (
        f"Ask me anything about this pull request, or use a command:\n\n{rows}\n\n"
        "In the thread of a finding, reply in your own words and language; a mention is not needed. Say that you will"
        " not fix it, or that it is by design, acknowledged, done or wrong, and why. I confirm in one line how I"
        " understood you. `reopen` undoes it."
    )


def config_text(settings: str, problems: Sequence[str]) -> str:
    """The settings that apply, in the form of the file, and what is wrong with the file."""
    wrong = "".join(f"- {problem}\n" for problem in problems)
    shown = markdown.folded("The settings that apply here, including defaults", fenced(settings, "yaml"))
    return f"{wrong}\n{shown}" if wrong else shown


def requires_write_access(command: str) -> str:
    """The answer to a command by somebody without write access."""
    return f"`{command}` requires write access to this repository."


def not_allowed(login: str) -> str:
    """The answer to somebody who is not in `mention.allowedUsers`."""
    return f"`mention.allowedUsers` in `.kodiai.yml` does not name {login}, so I may not answer."


def answers_authors_only(login: str) -> str:
    """The answer to somebody without write access whom the settings do not let start a review."""
    return (
        f"{login} has no write access to this repository. Without it I answer only the author of a pull request, once"
        " it is reviewed."
    )


def answers_no_outsiders(login: str) -> str:
    """The answer to somebody without write access where `review.outsiders` is `never`."""
    return f"`review.outsiders` in `.kodiai.yml` is `never`, and {login} has no write access, so I may not answer."


def cannot_read(login: str) -> str:
    """The answer to somebody who may not read the repository, as far as GitHub says."""
    return f"GitHub does not confirm that {login} may read this repository, so I may not answer."


def unknown_command(word: str, closest: str) -> str:
    """The answer to a word that looks like a command, with the closest command."""
    return f"I do not know `{word}`. Did you mean `{closest}`? `help` lists what I can do."


def review_paused(by: str) -> str:
    """The answer to a request for a review while reviews are paused, by somebody without write access."""
    return f"{person(by)} paused reviews. Until they resume, `review` requires write access to this repository."


def may_not_decide(finding: Finding) -> str:
    """The answer to somebody who may not decide about a finding."""
    if finding.rule is not None:
        why = f"Only somebody with write access can override a rule: `override {finding.rule} <why>`."
    elif finding.severity in BLOCKING:
        why = f"Only somebody with write access can dismiss this: it is {finding.severity}."
    else:
        why = "Only somebody with write access or the author of this pull request can dismiss this."
    return f"{why} It stays open."


def may_not_resolve(login: str, finding: Finding) -> str:
    """The note, posted once, in a thread that was resolved by somebody who may not dismiss its finding."""
    return f"{person(login)} resolved this thread. {may_not_decide(finding)}"


def dismissed(meaning: Meaning | None, by: str) -> str:
    """The answer to a reply or a command (`meaning` None) that closes a finding: its meaning, and how to undo it."""
    if meaning == "done":
        return f"Marked as done by {person(by)}: the code of this finding is gone. {_UNDO}"
    return f"Dismissed{f' as {MEANING_IN_WORDS[meaning]}' if meaning else ''} by {person(by)}. {_UNDO}"


def dismissed_after_argument(by: str) -> str:
    """The line below an answer that takes a finding back."""
    return f"Dismissed after the argument of {person(by)}. {_UNDO}"


def reopened(by: str) -> str:
    """The answer to a reply or a command that reopens a finding."""
    return f"Reopened by {person(by)}. The next review counts it again."


def person(login: str) -> str:
    """Name somebody without mentioning them."""
    return markdown.line(f"@{login}")


def code_still_there(head: str) -> str:
    """The answer to "done" where the code is as it was."""
    return f"The code of this finding is still there at the head, {head[:7]}."


def already_closed(status: str) -> str:
    """The answer to a decision about a finding that is closed already."""
    return f"This finding is already closed: {status_in_words(status)}."


def paused(by: str) -> str:
    """The answer to `pause`."""
    return f"Reviews paused by {by}. `resume` starts them again."


def all_dismissed(count: int) -> str:
    """The answer where all open findings are dismissed at once."""
    return f"{counted(count, 'finding')} dismissed."


def glass_broken(by: str, why: str, *, dismissed: bool, opened: bool) -> str:
    """The answer, for everybody to see, to `break glass`, if it `dismissed` a review, and if the head may pass now."""
    done = [*(["I no longer request changes."] if dismissed else []), *([_OPENED] if opened else [])]
    return f"**Glass broken by {by}**: {markdown.line(why)}\n\n{' '.join(done)} The findings stay open."


def overridden(rule: str, by: str, why: str) -> str:
    """The answer, for everybody to see, to `override`."""
    return (
        f"`{rule}` overridden for this pull request by {person(by)}: {markdown.line(why)}. `enforce {rule}` undoes it."
    )


def overridden_before(rule: str, by: str) -> str:
    """The answer to `override` of a rule that is overridden already."""
    return f"`{rule}` is already overridden, by {person(by)}."


def no_failing_rule(rule: str, failing: Sequence[str]) -> str:
    """The answer to `override` of something that does not fail, with the rules that do."""
    named = ", ".join(f"`{each}`" for each in failing)
    which = f"These fail: {named}." if failing else "No rule fails here."
    return f"{markdown.path(rule)} does not fail on this pull request. {which}" if rule else f"Name a rule. {which}"


def enforced(rule: str) -> str:
    """The answer to `enforce`."""
    return f"`{rule}` counts again."


def not_overridden(rule: str) -> str:
    """The answer to `enforce` of something that is not overridden."""
    return f"{markdown.path(rule)} is not overridden here." if rule else "Name a rule: `enforce <id>`."


def too_many_turns(limit: int) -> str:
    """The note, posted once, at the limit of answers on a pull request."""
    return (
        f"I stop answering here: the limit for one pull request is {limit} (`mention.conversation.maxTurnsPerPr`)."
        " Commands of people with write access still work."
    )


def too_many_readings(limit: int) -> str:
    """The note, posted once, at the limit of replies that a model reads for an author without write access."""
    return (
        f"From somebody without write access I read {limit} replies in own words here"
        " (`mention.conversation.maxTurnsPerPr`). The next review reads the latest ones after them."
        " Replies such as `won't fix` still count at once."
    )


def too_many_lines(limit: int) -> str:
    """The note, posted once a day, at the limit of answers to one person's commands."""
    return f"One person gets {limit} answers to commands here in a day. Further ones are carried out without an answer."


def over_budget(key: str) -> str:
    """The note where a limit on spending leaves no room; `key` is its setting."""
    return f"`{key}` leaves no room for another answer. Commands still work."


def withheld(reason: str) -> str:
    """The note in place of an answer that must not be posted."""
    return f"I withheld my answer: {reason}"
