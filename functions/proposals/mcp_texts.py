"""The texts that a coding agent reads: what became of a call, and what to do next, in at most 8 KB."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from api_models import ProposalWithEvents, ShownProposal
from api_problems import ApiError
from kodiai.core.diffs.diff import read_diff
from kodiai.core.diffs.file_diff import FileDiff
from kodiai.core.diffs.results import Problem
from kodiai.core.proposals.proposal import Actor
from kodiai.core.proposals.protocol import RefusalName
from kodiai.core.text.layout import counted
from kodiai.core.words.finding import once_fixed
from kodiai.core.words.verdict import LABELS
from kodiai.flows.proposals.findings import Reviewed, ShownFinding

MOST_BYTES = 8_000
"""The longest text, in bytes of UTF-8: clients cut longer ones, or write them to a file."""

INSTRUCTIONS = """\
Kodiai reviews pull requests and brokers proposals: changes that are reviewed before they are made.
To work through a review: list_open_findings, then get_finding for the evidence of one, then fix it and push.
To propose a change: submit_proposal; get_proposal until it is approved, rejected or sent back; submit_proposal with \
its proposal_id and the whole new diff if needed; apply_proposal once it is approved.
To review somebody else's: list_proposals, claim_proposal, get_proposal, give_verdict.
You act as the owner of the GitHub token. Nobody reviews their own proposal."""

WHAT_TO_DO: dict[RefusalName, str] = {
    "not_for_this_status": "Call get_proposal to see what became of it.",
    "claimed_by_another": "Wait until that claim ends, or choose another proposal with list_proposals.",
    "own_proposal": "Ask somebody else to claim it, or submit it with reviewed_by: kodiai.",
    "not_the_reviewer": "Only the one who has claimed it decides. Call get_proposal to see who that is.",
    "claim_lost": "Call get_proposal: it may have been revised. Your claim, if it holds, has its generation there.",
    "not_checked": "Call claim_proposal again with the same idempotency_key.",
    "notes_required": "Say in notes what has to change and why, or what you noticed.",
    "applied_by_another": "Call get_proposal to see what became of it.",
    "not_the_proposer": "Submit a proposal of your own with submit_proposal.",
}

_PAGE_BYTES = 7_500
_LONGEST_NOTES, _LONGEST_LINE, _LONGEST_CODE = 3_000, 300, 1_200
_MOST_PROBLEM_BYTES = 4_000
_MOST_CHANGES, _MOST_FILES, _MOST_EVENTS = 5, 15, 6
_WORDS_ABOUT_THE_REST = 150
_DIFF_LINE_BYTES = 1_000
_MOST_UNREAD = 10


def about(proposal: ShownProposal) -> str:
    """A proposal and where it stands, with what to do next."""
    target = f"#{proposal.pull_request}" if proposal.pull_request else f"@{(proposal.base or '')[:7]}"
    head = f"{proposal.id} for {proposal.repository}{target} is {proposal.status}, revision {proposal.revision}."
    return f"{head}\n{_next(proposal)}"


def about_whole(proposal: ProposalWithEvents, diff: str) -> str:
    """Everything about a proposal: what it is for, where it stands, its history, and its diff if there is room."""
    changes = [f"- {_cut(each.what)}\n  Why: {_cut(each.why)}" for each in proposal.changes]
    files = [f"- {each.operation} {_cut(each.path)} (+{each.added} -{each.removed})" for each in proposal.files]
    history = [
        f"- {each.at:%Y-%m-%d %H:%M:%S} UTC, {_name(each.by)}: {each.action} → {each.status}"
        + (f", {_cut(each.note)}" if each.note else "")
        for each in proposal.events
    ]
    facts = (
        f"{about(proposal)}\n\nProposed by {_name(proposal.proposer)}:\n{_indented(_cut(proposal.description, 1_000))}"
        f"\n\nChanges:\n{_some(changes, _MOST_CHANGES)}\n\nFiles:\n{_some(files, _MOST_FILES)}\n\n"
        f"History:\n{_some(history[-_MOST_EVENTS:], _MOST_EVENTS)}"
    )
    whole = f"{facts}\n\nDiff:\n{diff}"
    if len(whole.encode()) <= MOST_BYTES:
        return whole
    return (
        f"{_cut(facts, MOST_BYTES - 500)}\n\nThe diff has {len(diff.splitlines()):,} lines: read it with get_proposal,"
        " path and from_line, file by file."
    )


def diff_part(diff: str, path: str | None, from_line: int) -> str:
    """The lines of a diff, or of one file's, from a line on, as many as there is room for."""
    lines = diff.splitlines() if path is None else _diff_of(diff, path)
    where = f"The diff of {path}" if path is not None else "The diff"
    if not lines:
        return f"The proposal does not change {_cut(path or '')}. Its files are in get_proposal without path."
    if from_line > len(lines):
        return f"{where} has {len(lines):,} lines."
    room, shown = MOST_BYTES - 2 * _WORDS_ABOUT_THE_REST - len(where), list[str]()
    for line in lines[from_line - 1 :]:
        cut = _cut(line, _DIFF_LINE_BYTES)
        room -= len(cut.encode()) + 1
        if room < 0:
            break
        shown.append(cut)
    last = from_line + len(shown) - 1
    rest = f" Go on with from_line {last + 1}." if last < len(lines) else ""
    return f"{where}, lines {from_line:,} to {last:,} of {len(lines):,}.{rest}\n" + "\n".join(shown)


def _diff_of(diff: str, path: str) -> list[str]:
    """The lines of a diff that are about a file, by its name before or after."""
    return [line for file in read_diff(diff) if path in (file.old_name, file.new_name) for line in _lines_of(file)]


def _lines_of(file: FileDiff) -> Iterator[str]:
    yield f"--- {file.old_name or '/dev/null'}"
    yield f"+++ {file.new_name or '/dev/null'}"
    if file.is_binary:
        yield "(It is a binary file.)"
    for hunk in file.hunks:
        yield f"@@ -{hunk.old_start},{len(hunk.old)} +{hunk.new_start},{len(hunk.new)} @@"
        yield from (f"{line.marker}{line.content.decode('utf-8', 'replace').rstrip(chr(10))}" for line in hunk.lines)


def about_all(proposals: Sequence[ShownProposal], page: int) -> str:
    """A page of a list of proposals, each on one line."""
    if not proposals:
        return "There are no such proposals."

    def line(each: ShownProposal) -> str:
        title = _cut(each.description.strip().partition("\n")[0], 100)
        return f"- {each.id} {each.status}, by {_name(each.proposer)}, reviewed by {each.reviewed_by}: {title}"

    return f"{counted(len(proposals), 'proposal')}, newest first" + _paged(map(line, proposals), page)


def about_findings(reviewed: Reviewed, page: int) -> str:
    """The state of a pull request's reviews, and a page of its open findings, most severe first.

    Those of an older head, which may be fixed by now, are only named.
    """
    state, findings = _review_state(reviewed), reviewed.findings
    if not findings:
        return state if reviewed.state.head is None else f"{state}\nNothing is open."
    if reviewed.state.head != reviewed.head:
        first = f"{state}\n{counted(len(findings), 'finding')} of the head before, open until then"
        return first + _paged(map(_named, findings), page)
    first = f"{state}\n{counted(len(findings), 'open finding')}, most severe first"
    return first + _paged((f"\n{_finding(each)}" for each in findings), page)


def about_request(reviewed: Reviewed) -> str:
    """The answer to a request for a review."""
    if reviewed.state.head == reviewed.head and not reviewed.state.unread:
        return f"There is nothing to review.\n{_review_state(reviewed)}"
    return f"Requested. Call list_open_findings in a minute or two.\n{_review_state(reviewed)}"


def _review_state(reviewed: Reviewed) -> str:
    """The reviewed head against the head now, the verdict, what was not read, and what to wait for."""
    state, name = reviewed.state, f"{reviewed.repository}#{reviewed.number}"
    if state.head is None:
        done = [f"Kodiai has not reviewed {name} yet."]
    else:
        label = LABELS.get(state.verdict) if state.verdict is not None else None
        verdict = f": {label[1]}" if label is not None else ""
        fixed = f"; {counted(state.resolved, 'finding')} resolved" if state.resolved else ""
        done = [f"{name} was reviewed at {state.head[:7]}, {_time(state.at)}{verdict}{fixed}."]
        unread = [_cut(path, 100) for path in state.unread[:_MOST_UNREAD]]
        more = len(state.unread) - len(unread)
        done += [f"Not read: {', '.join([*unread, *([f'{more} more'] if more else [])])}."] if unread else []
    if state.running is not None:
        since = _time(state.since)
        done.append(f"A review of {state.running[:7]} has been running since {since}: most take one to three minutes.")
    elif state.head != reviewed.head:
        now = f"The head is {reviewed.head[:7]}"
        done.append(f"{now}, and no review of it has begun: wait two minutes after a push, then call request_review.")
    else:
        done.append("That is the head.")
    return "\n".join(done)


def _paged(rows: Iterable[str], page: int) -> str:
    """The rows of a page below the end of their heading; a page has as many as there is room for."""
    pages: list[list[str]] = [[]]
    room = _PAGE_BYTES
    for row in rows:
        size = len(row.encode()) + 1
        if size > room and pages[-1]:
            pages.append([])
            room = _PAGE_BYTES
        pages[-1].append(row)
        room -= size
    if page > len(pages):
        return f": there is no page {page:,}, the last one is {len(pages):,}."
    end = "" if len(pages) == 1 else f", page {page} of {len(pages)}"
    return f"{end}:\n" + "\n".join(pages[page - 1])


def about_finding(found: ShownFinding) -> str:
    """A finding with its evidence and history."""
    known, finding = found.known, found.known.finding
    parts = [f"{_finding(found)}\nStatus: {known.status}" + (f" by {known.settled_by}" if known.settled_by else "")]
    parts.append(f"How it happens: {_cut(finding.explanation, _LONGEST_CODE)}")
    parts.append(f"Code:\n{_indented(_cut(finding.quote, _LONGEST_CODE))}")
    if finding.replacement is not None:
        first, last = finding.replaced_lines
        code = _indented(_cut(finding.replacement, _LONGEST_CODE))
        parts.append(f"Suggested replacement of lines {first} to {last}:\n{code}")
    if finding.cause is not None:
        code = f"\n{_indented(_cut(finding.cause.quote))}" if finding.cause.quote else " the file was moved"
        parts.append(f"Caused by the change in {_cut(finding.cause.path)}:{code}")
    if found.history:
        entries = (
            f"- {_time(each.at)} at {each.head[:7]}: {each.status}, {_cut(each.why, 200)}"
            for each in found.history[-_MOST_EVENTS:]
        )
        parts.append("History:\n" + "\n".join(entries))
    return "\n\n".join(parts)


def about_error(error: ApiError) -> str:
    """The fault of a call, and what to do about it."""
    problem = error.problem
    if problem.errors is not None:
        members = "\n".join(
            f"- {(each.pointer or '#').removeprefix('#').strip('/').replace('/', '.') or 'arguments'}: {each.detail}"
            for each in problem.errors
        )
        return _cut(f"The arguments are not as they should be:\n{members}", MOST_BYTES - 10)
    return f"{problem.detail} {WHAT_TO_DO[problem.name]}" if problem.name is not None else problem.detail


def problem_list(problems: Sequence[Problem]) -> str:
    """Why a diff does not apply, for each file and hunk, with the lines that were expected and found."""
    room, shown = _MOST_PROBLEM_BYTES, list[str]()
    for each in problems:
        text = _cut(_problem(each), _LONGEST_CODE)
        room -= len(text.encode())
        if room < 0 and shown:
            break
        shown.append(text)
    more = len(problems) - len(shown)
    return "\n".join([*shown, *([f"- and {counted(more, 'more problem')}"] if more else [])])


def _next(proposal: ShownProposal) -> str:
    claim, verdict, commit = proposal.claim, proposal.verdict, proposal.commit
    match proposal.status:
        case "pending" if proposal.reviewed_by == "kodiai":
            return "Kodiai reviews it. Call get_proposal in a minute or two to see the verdict."
        case "pending":
            return "Somebody else with write access has to claim it with claim_proposal."
        case "claimed" if claim is not None:
            checked = f"The diff applies to {proposal.checked}." if proposal.checked else "The diff is not checked yet."
            noted = f"\n{_verdict(proposal)}" if verdict is not None else ""
            return (
                f"{_name(claim.by)} reviews it: claim generation {claim.generation},"
                f" until {claim.until:%Y-%m-%d %H:%M:%S} UTC. {checked}"
                f" The reviewer reads it with get_proposal and decides with give_verdict,"
                f" generation {claim.generation}.{noted}"
            )
        case "rejected":
            return (
                "It was rejected, since the diff does not apply or may not. Make the diff again from the files as they"
                " are now, and call submit_proposal with this proposal_id and all of it:\n"
                f"{problem_list(proposal.problems)}"
            )
        case "changes_requested":
            return (
                f"{_verdict(proposal)}\nThe proposer calls submit_proposal with this proposal_id and the whole new"
                " diff; the same reviewer then goes on."
            )
        case "approved":
            return f"{_verdict(proposal)}\nCall apply_proposal to make the commit."
        case "applied" if commit is not None:
            return f"It is commit {commit.sha} on the branch {commit.branch}. Fetch the branch."
    return "It is closed for good: submit a new proposal if it is still wanted."


def _verdict(proposal: ShownProposal) -> str:
    verdict = proposal.verdict
    if verdict is None:
        return ""
    notes = f":\n{_indented(_cut(verdict.notes, _LONGEST_NOTES))}" if verdict.notes else "."
    return f"{_name(verdict.by)} said {verdict.decision}{notes}"


def _finding(found: ShownFinding) -> str:
    known, finding = found.known, found.known.finding
    notes = [
        *(["blocks the pull request"] if finding.blocks else []),
        *(["not from this change"] if finding.pre_existing else []),
        *(["optional"] if finding.kind == "preference" else []),
        f"{_cut(finding.path)}:{finding.lines}",
    ]
    first = f"{once_fixed(finding.once_fixed)} " if finding.once_fixed else ""
    code = "get_finding shows the new code." if finding.replacement is not None else ""
    rows = {
        "Problem": f"{first}{finding.problem_text}",
        "Fix": " ".join(filter(None, (finding.fix, code))),
        "Not checked": finding.caveat,
        "Thread": found.comment_url or "none",
    }
    return "\n".join(
        (
            f"{known.id}: {_cut(finding.title)}",
            f"{finding.severity} {finding.category}, {', '.join(notes)}",
            *(f"{name}: {_cut(text)}" for name, text in rows.items() if text),
        )
    )


def _named(found: ShownFinding) -> str:
    finding = found.known.finding
    return f"- {found.known.id}: {_cut(finding.title)} ({_cut(finding.path)}:{finding.lines})"


def _problem(problem: Problem) -> str:
    place = problem.path or "the diff"
    place += f", hunk {problem.hunk}" if problem.hunk is not None else ""
    place += f", line {problem.line}" if problem.line is not None else ""
    parts = [f"- {place}: {problem.message}"]
    for name, lines in (("expected", problem.expected), ("found", problem.found)):
        if lines:
            parts.append(f"  {name}:\n" + "\n".join(f"    |{line}" for line in lines))
    return "\n".join(parts)


def _name(actor: Actor) -> str:
    """A person, and the program that acts for them, with all that it says of itself."""
    program = _cut(actor.agent.words) if actor.agent is not None else ""
    return f"{actor.login} ({program})" if program else actor.login


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _some(lines: Sequence[str], most: int) -> str:
    more = [f"- and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])


def _cut(text: str, most: int = _LONGEST_LINE) -> str:
    """A text of at most that many bytes."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[: most - 3].decode("utf-8", "ignore") + "…"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
