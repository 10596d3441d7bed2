"""Decisions that a comment makes about findings, where GitHub does not let us touch their threads."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from kodiai.core.config.keys import Config
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.conversation.parsed_comment import parse_comment
from kodiai.core.errors import Refused, Retry
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.findings.known import KnownFinding
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.review import PublishActions
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.pull_request_ports import Deadline
from tests.builders import PARSER, a_comment_payload, a_finding, a_mention, a_pull_request, a_thread
from tests.core.panel import Clock
from tests.core.review_inputs import SETTINGS

US = "kodiai[bot]"
KNOWN, OTHER = KnownFinding("F-0123456789ab", a_finding(), "open", "77"), "F-ba9876543210"


@dataclass
class Site:
    """GitHub, and the conversations of a pull request; every change of a thread ends in `trouble`."""

    trouble: Exception
    decided: list[PersonDecision] = field(default_factory=list)

    def update_threads(self, actions: PublishActions) -> Any:
        assert len(actions.thread_actions) == 1
        raise self.trouble

    def decide(self, finding_id: str, decision: PersonDecision) -> bool:
        assert finding_id in (KNOWN.id, OTHER)
        self.decided.append(decision)
        return True

    reopen = decide

    def is_first_to_post(self, _: str, key: str) -> bool:
        return key == "conversation-5"


def decisions(site: Any) -> Decisions:
    threads = tuple(
        a_thread(finding=finding, resolved_by=by, can_resolve=True) for finding, by in ((KNOWN.id, None), (OTHER, US))
    )
    context = MentionContext(
        mention=a_mention(a_comment_payload()),
        snapshot=PullRequestSnapshot(a_pull_request(), None, threads),
        config=Config(),
        settings=SETTINGS,
        bot_login=US,
        handles=frozenset(),
        parsed=parse_comment("Hm.", frozenset()),
        finding=None,
        history=(),
        thread=None,
        parser=PARSER,
        deadline=Deadline(DeliveryAttempt("us", 0, 60, 1, 5), Clock()),
    )
    return Decisions(context, Commenter("ann", "write", False, None), site, site)


def test_a_decision_counts_where_its_thread_may_not_be_touched() -> None:
    """The thread stays as it is; a GitHub that is busy is asked again by the queue."""
    refused, busy = Site(Refused("not permitted")), Site(Retry("busy"))
    closed = KnownFinding(OTHER, a_finding(), "fixed", "78", resolved_thread=True)

    assert decisions(refused).close([KNOWN], "conceded", "you are right") == (KNOWN.id,)
    assert decisions(refused).reopen(closed).lines[0].endswith(" The next review counts it again.")
    assert [decision.resolved_thread for decision in refused.decided] == [False, False]
    with pytest.raises(Retry):
        decisions(busy).close([KNOWN], "conceded", "you are right")
