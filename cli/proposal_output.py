"""Proposals as text: one with everything that is known of it and what to do next, or a table of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from cli.table import table_lines, terminal_width
from kodiai.core.proposals.proposal import Agent
from local.rendering.labels import counted, short_sha
from local.rendering.visible import visible, visible_line

Json = dict[str, Any]


def listed(repository: str, proposals: Sequence[Json]) -> Iterator[str]:
    """The proposals of a repository, in the given order."""
    yield f"{repository}: {counted(len(proposals), 'proposal')}"
    if proposals:
        yield ""
        columns = ("proposal", "status", "for", "files", "proposed by", "updated", "description")
        rows = [
            (
                each["id"],
                each["status"],
                _target(each),
                str(len(each["files"])),
                each["proposer"]["login"],
                _time(each["updated"]),
                each["description"].strip().partition("\n")[0],
            )
            for each in proposals
        ]
        yield from table_lines(columns, rows, terminal_width())


def shown(proposal: Json) -> Iterator[str]:
    """A proposal, its problems hunk by hunk, its history as far as it is given, and the next command."""
    subject = f"{proposal['repository']}{_target(proposal)}"
    yield f"{proposal['id']} is {proposal['status']}: {subject}, revision {proposal['revision']}"
    yield from _indented(proposal["description"], "  ")
    for change in proposal["changes"]:
        yield visible_line(f"  - {change['what']}: {change['why']}")
    for file in proposal["files"]:
        renamed = f"{file['previous_path']} → " if file.get("previous_path") else ""
        yield visible_line(f"  {file['operation']} {renamed}{file['path']} (+{file['added']}, -{file['removed']})")
    yield visible_line(
        f"  proposed by {_actor(proposal['proposer'])} at {_time(proposal['created'])},"
        f" reviewed by {proposal['reviewed_by']}"
    )
    if (claim := proposal["claim"]) is not None:
        until = _time(claim["until"])
        yield visible_line(f"  claimed by {_actor(claim['by'])}, generation {claim['generation']}, until {until}")
    if proposal["checked"] is not None:
        yield f"  applies to {short_sha(proposal['checked'])}"
    for problem in proposal["problems"]:
        yield from _problem(problem)
    if (verdict := proposal["verdict"]) is not None:
        yield visible_line(f"  {verdict['decision']} by {_actor(verdict['by'])} at {_time(verdict['at'])}")
        yield from _indented(verdict["notes"], "    ")
    if (commit := proposal["commit"]) is not None:
        yield visible_line(f"  commit {short_sha(commit['sha'])} on {commit['branch']}")
    if proposal.get("events"):
        yield "  history:"
    for event in proposal.get("events", ()):
        note = f": {event['note']}" if event["note"] else ""
        yield visible_line(f"    {_time(event['at'])} {event['action']} by {_actor(event['by'])}{note}")
    if (following := _next(proposal)) is not None:
        yield f"Next: {following}"


def _problem(problem: Json) -> Iterator[str]:
    """A problem: where it is, what was expected there and what was found."""
    place = [problem["path"]] if problem["path"] is not None else ["the diff"]
    place += [f"hunk {problem['hunk']}"] if problem["hunk"] is not None else []
    place += [f"line {problem['line']}"] if problem["line"] is not None else []
    yield visible_line(f"  {', '.join(place)}: {problem['message']}")
    yield from (visible_line(f"    expected: {line}") for line in problem["expected"])
    yield from (visible_line(f"    found:    {line}") for line in problem["found"])


def _next(proposal: Json) -> str | None:
    """The command that leads on."""
    name, claim = proposal["id"], proposal["claim"]
    match proposal["status"]:
        case "pending" if proposal["reviewed_by"] == "kodiai":
            return f"kodiai status {name} --wait"
        case "pending":
            return f"another person runs kodiai claim {name}"
        case "claimed" if claim is not None:
            return (
                f"kodiai status {name} --diff shows the diff;"
                f" kodiai verdict {name} approve --generation {claim['generation']}"
            )
        case "changes_requested" | "rejected":
            return f"kodiai propose --revise {name}"
        case "approved":
            return f"kodiai apply {name}"
    return None


def _target(proposal: Json) -> str:
    number = proposal["pull_request"]
    return f"#{number}" if number is not None else f"@{short_sha(proposal['base'])}"


def _actor(actor: Json) -> str:
    """A person, and all that the program which acts for them says of itself."""
    program = Agent.model_validate(actor.get("agent") or {}).words
    return f"{actor['login']} ({program})" if program else str(actor["login"])


def _time(text: str) -> str:
    """A time of the API, to the minute: "2026-11-23 15:20 UTC"."""
    return f"{text[:10]} {text[11:16]} UTC"


def _indented(text: str, by: str) -> Iterator[str]:
    return (f"{by}{line}".rstrip() for line in visible(text).strip().splitlines())
