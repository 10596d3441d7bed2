"""Answer a merge group: show on a commit of a merge queue what the reviews of its pull requests say."""

from kodiai.core.events.job import MergeGroupJob
from kodiai.core.gate.standing import Mirror
from kodiai.core.outcome import Outcome
from kodiai.flows.gate import Gate
from kodiai.flows.pull_request_ports import PullRequestPorts


def answer_merge_group(job: MergeGroupJob, ports: PullRequestPorts) -> Outcome:
    """Make the check run of the commit, or forget a commit that is gone. Nothing is asked of a model.

    A review that ends later brings the check run up to date.
    """
    github, gates = ports.github, ports.gates
    if ports.settings.github.dry_run:
        return Outcome("skipped", "this deployment only shows what it would post")
    if job.trigger == "destroyed":
        known = gates.members([job.number])[job.number].mirrors
        for mirror in (each for each in known if each.commit == job.head):
            for number in sorted(mirror.heads, key=lambda each: each == job.number):  # this one tells the others
                gates.forget(number, [mirror])
        return Outcome("done", "the merge group is gone")
    on_github = github.snapshot(briefly=True)
    fail_on = on_github.settings().review.check.fail_on
    heads = github.merge_group(job.base, job.head, job.numbers)
    gate = Gate(on_github.pull_request, fail_on, None, github, gates)
    check = gate.show_merge_group(Mirror(job.head, heads))
    facts = {"head": job.head, "pull_requests": sorted(heads), "conclusion": check.conclusion}
    return Outcome("done", check.title, facts)
