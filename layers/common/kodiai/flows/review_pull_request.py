"""Review a pull request: admit → examine → publish → remember."""

from kodiai.core.events.job import Job
from kodiai.core.outcome import Outcome
from kodiai.flows.memory import open_memory
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.review.admit import admit, turn_away
from kodiai.flows.review.examine import examine
from kodiai.flows.review.publish import publish
from kodiai.flows.review.remember import remember
from kodiai.flows.review.session import ReviewSession


def review_pull_request(job: Job, ports: PullRequestPorts) -> Outcome:
    """Look at the pull request as it is now, and review it if there is anything to review.

    A review that runs out of time continues as a fresh message.
    Raises Retry or Broken with the lease given back, so that a redelivery continues where this one stopped.
    """
    with ReviewSession(job, ports) as session:
        turn_away(job, session, ports)
        admission = admit(job, session, ports)
        memory, pending = open_memory(ports, admission.config), session.run.staged
        if pending is None:
            pending = examine(session, admission, memory, ports)
        published = publish(session, pending, admission.on_github, ports.github, ports.conversation)
        remember(session, pending, published, admission.on_github, memory, ports)
    return session.outcome
