"""Findings: read what the reviews of a pull request found, as somebody with access to its repository."""

from dataclasses import dataclass

from kodiai.core.findings.finding import rank
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.words import proposals as words
from kodiai.core.words.links import Links
from kodiai.flows.proposals.access import access_to
from kodiai.flows.proposals.not_found import NotFound
from kodiai.flows.proposals.ports import ApiPorts


@dataclass(frozen=True)
class ShownFinding:
    """A finding with its history, oldest entry first, and the address of its thread, None if it has none."""

    known: KnownFinding
    comment_url: str | None
    history: tuple[HistoryEntry, ...] = ()


def open_findings(repository: str, number: int, ports: ApiPorts) -> tuple[ShownFinding, ...]:
    """Read the open findings of a pull request, most severe first. Raises NotFound and UnreadableFindings."""
    canonical = access_to(repository, ports.proposals, writes=False).caller.ref
    known = ports.open_findings(canonical, number).findings()
    still_open = sorted((each for each in known if each.status == "open"), key=lambda each: rank(each.finding))
    return tuple(ShownFinding(each, _comment_url(each, canonical.name, number, ports)) for each in still_open)


def finding(repository: str, number: int, finding_id: str, ports: ApiPorts) -> ShownFinding:
    """Read one finding of a pull request, open or not. Raises NotFound and UnreadableFindings."""
    canonical = access_to(repository, ports.proposals, writes=False).caller.ref
    reader = ports.open_findings(canonical, number)
    for each in reader.findings():
        if each.id == finding_id:
            return ShownFinding(each, _comment_url(each, canonical.name, number, ports), reader.history(each.id))
    raise NotFound(words.no_such_finding(finding_id, f"{canonical.name}#{number}"))


def _comment_url(known: KnownFinding, repository: str, number: int, ports: ApiPorts) -> str | None:
    if known.comment_id is None:
        return None
    return Links(f"{ports.web_address}/{repository}/pull/{number}", head="").comment(known.comment_id)
