"""The flows that must survive any death at any call; a new capability adds its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tests.faults import agents
from tests.faults.acts import (
    ask_again,
    ask_for_preview,
    commit_anew,
    push,
    push_later,
    push_on_github,
    push_same,
    reply,
    rerun_again,
    tell_that_checks_completed,
)
from tests.faults.deaths import Death
from tests.faults.invariants import Expected
from tests.faults.reviewer import ARGUMENT, DECISION, HALF_MENDED, MENDED, MISQUOTED, NEW, PARTLY, RULES, TRIED
from tests.faults.scene import BASE_FILES, CONFIG, DISCOUNT, Scene
from tests.faults.seen import look
from tests.faults.trial import Point, Trial

EVERY_DEATH = (
    Death.KILLED_BEFORE,
    Death.KILLED_AFTER,
    Death.ANSWER_LOST,
    Death.ANSWERS_LOST,
    Death.ERRORS,
    Death.LIMITED,
    Death.OUT_OF_TIME,
)
# Killed before a call is killed after the one before it; the first flow tries the other deaths at the same calls.
ONE_KILL_ONE_LOSS = (Death.KILLED_AFTER, Death.ANSWERS_LOST)


@dataclass(frozen=True)
class Flow:
    """One thing that the system does.

    `begin` starts it for one trial; `first` opens its pull request, which is reviewed before that, without a fault.
    Without `first`, `begin` opens it. `meanwhile` happens as soon as the fault strikes. `again` is what happens to it
    once all is quiet: the same change is pushed once more, unless given.
    `ends` is how it ends up, `reviewed_later` whether its head is reviewed after `again`.
    `deaths` are tried at every call, `at` has others for some calls. `continued` is whether it takes more than
    one message, `may_resolve` whether GitHub lets the App resolve threads and tells it what people say. A push waits
    for `quiet_seconds`. `publish` is whether the deployment posts its reviews, `provider` where the model answers.
    """

    name: str
    begin: Callable[[Scene, Trial], object]
    deaths: Sequence[Death] = ONE_KILL_ONE_LOSS
    ends: Expected = field(default_factory=Expected)
    at: Mapping[str, Sequence[Death]] = field(default_factory=dict)
    first: Callable[[Scene], int] | None = None
    again: Callable[[Scene, int], object] | None = None
    meanwhile: Callable[[Scene, int], object] | None = None
    reviewed_later: bool = True
    continued: bool = False
    may_resolve: bool = False
    quiet_seconds: int = 0
    publish: Literal["post", "dry-run"] = "post"
    provider: Literal["anthropic", "bedrock"] = "anthropic"

    @property
    def scene(self) -> tuple[bool, int, str, str]:
        """Flows of the same scene can be tried in one."""
        return self.may_resolve, self.quiet_seconds, self.publish, self.provider

    def deaths_at(self, point: Point) -> Sequence[Death]:
        """The deaths that are tried at a call; `at` may have those of the n-th call alone."""
        return self.at.get(str(point), self.at.get(point.call, self.deaths))


_OVERRIDE = "@kodiai override no-plus this is a surcharge"


def _first_review(scene: Scene, trial: Trial) -> None:
    scene.open(trial, _discount(scene))


def _guided(scene: Scene, trial: Trial) -> None:
    """A first review with guidance of a folder, which imports more of it."""
    guidance = {"src/AGENTS.md": "See @../docs/style.md.\n", "docs/style.md": "Names are nouns.\n"}
    scene.open(trial, _discount(scene), scene.commit(guidance))


def _review_requested(scene: Scene, trial: Trial) -> None:
    scene.github.request_review(trial.number)


def _into_queue(scene: Scene, trial: Trial) -> None:
    scene.github.enqueue(trial.number)


def on_number(act: Callable[[Scene, int], object]) -> Callable[[Scene, Trial], object]:
    """Begin with an act on the trial's pull request."""
    return lambda scene, trial: act(scene, trial.number)


def said(body: str, login: str = "octocat") -> Callable[[Scene, Trial], object]:
    """Begin with a reply in the thread of the finding that is inline."""
    return lambda scene, trial: reply(scene, trial.number, body, login)


def commented(body: str) -> Callable[[Scene, Trial], object]:
    """Begin with a comment in the conversation, in which {number} is the pull request's."""
    return lambda scene, trial: scene.github.comment(trial.number, body.format(number=trial.number))


_STOCK = b"def left(shelf):\n    return len(shelf)\n"


def _large(scene: Scene, trial: Trial) -> None:
    """A change so large that four reviewers read it, with a file whose change GitHub does not show."""
    scene.open(trial, {**_discount(scene), "src/table.py": _table(120), "src/stock.py": b"# \0\n" + _STOCK})


def _read_by_two(scene: Scene) -> dict[str, str]:
    return {**_discount(scene), "src/table.py": _table(110)}


def _table(rows: int) -> str:
    return "".join(f"row_{number} = {number}\n" for number in range(rows))


def _discount(scene: Scene) -> dict[str, str]:
    """A change, and a file that makes this pull request's head one of its own."""
    return {"src/orders.py": DISCOUNT, "notes.txt": f"{len(scene.github.state.pulls)}\n"}


def _misquoted(scene: Scene, trial: Trial) -> None:
    """The judge quotes a line that does not stand, and is asked once more; another finding goes by a second ruling."""
    fees = f"def charged(fee):\n    {MISQUOTED['quote']}\n"
    scene.open(trial, {**_discount(scene), "src/fees.py": fees})


def _left_unread(scene: Scene, trial: Trial) -> None:
    """One of two reviewers declines, at this event and at every later one: the files are not read."""
    scene.reviewer.declined.add(scene.github.state.new_number())
    scene.open(trial, _read_by_two(scene))


def _half_reviewed(scene: Scene) -> int:
    """A first review that leaves files unread."""
    number = scene.github.state.new_number()
    scene.reviewer.declined.add(number)
    return scene.open(None, _read_by_two(scene))


def _read_later(scene: Scene, trial: Trial) -> None:
    """The next event reads what was left unread, though nothing is new."""
    scene.reviewer.declined.remove(trial.number)
    commit_anew(scene, trial.number)


def _overtaken(scene: Scene, trial: Trial) -> None:
    """While the model reads there is a newer head: nothing is posted for the old one."""
    number = scene.github.state.new_number()
    scene.reviewer.before[number] = lambda: push(scene, number)
    scene.open(trial, _discount(scene))


def _continued(scene: Scene, trial: Trial) -> None:
    """The model is so slow that the review has to go on as a fresh message."""
    scene.reviewer.slow.add(scene.github.state.new_number())
    scene.open(trial, _discount(scene))


def _reviewed(scene: Scene) -> int:
    """The first review, which nothing disturbs."""
    return scene.open(None, _discount(scene))


def _unnoticed(scene: Scene) -> int:
    """A pull request of which no webhook came: the webhooks of the others arrive first."""
    assert scene.github.settle()
    url, scene.github.webhook_url = scene.github.webhook_url, None
    number = scene.open(None, _discount(scene))
    assert scene.github.settle()
    scene.github.webhook_url = url
    return number


def _unnoticed_where_we_serve(scene: Scene) -> int:
    """The same in a repository in which a review was done: only there do we take requests."""
    _reviewed(scene)
    scene.settle()
    return _unnoticed(scene)


def _re_review(scene: Scene, trial: Trial) -> None:
    """A push fixes the finding that is inline, brings another one, and leaves the one that is off the diff."""
    push(scene, trial.number, _orders_and_tills(MENDED, NEW["quote"]))


def _reviewed_twice_inline(scene: Scene) -> int:
    """The first review, with two findings that are inline."""
    return scene.open(None, {**_discount(scene), "src/tills.py": _orders_and_tills("", NEW["quote"])["src/tills.py"]})


def _partly_fixed(scene: Scene, trial: Trial) -> None:
    """A push fixes a part of one of them, and tries in vain to fix the other: both threads say so, once."""
    push(scene, trial.number, _orders_and_tills(PARTLY, TRIED))


def _orders_and_tills(total: str, paid: str) -> dict[str, str]:
    return {
        "src/orders.py": f"def total(prices, discount):\n    {total}\n",
        "src/tills.py": f"def paid(total):\n    {paid}\n",
    }


def _pushed_twice(scene: Scene, trial: Trial) -> None:
    """The first of two pushes waits, and gives way to the second."""
    push(scene, trial.number)
    push(scene, trial.number, {"later.txt": f"{trial.number}\n"})


def _not_fixed(scene: Scene, trial: Trial) -> None:
    """A push is said to fix the finding that is inline, and the judge says that it does not: it stays open."""
    push(scene, trial.number, {"src/orders.py": f"def total(prices, discount):\n    {HALF_MENDED}\n"})


def _lost(scene: Scene, trial: Trial) -> None:
    """The ledger has lost everything: at the next push the findings are restored from our marks, and not told again."""
    scene.lose(trial.number)
    push(scene, trial.number)


def _taken_back(scene: Scene, trial: Trial) -> None:
    """A push takes the change back that the inline finding is about: its thread is resolved, and nobody is asked."""
    push(scene, trial.number, {"src/orders.py": BASE_FILES["src/orders.py"]})


def _argued(scene: Scene, trial: Trial) -> None:
    """A person disagrees with the finding that is inline: at the next push it is answered, once and for all."""
    reply(scene, trial.number, ARGUMENT)
    push(scene, trial.number)


def _refused(scene: Scene, trial: Trial) -> None:
    """The repository's settings restrict, and cannot be read: a person has to fix them first."""
    base = scene.commit({".kodiai.yml": "review:\n  skipPaths: 7\n"})
    scene.open(trial, _discount(scene), base)


def _drafted(scene: Scene) -> int:
    """A draft, which is not reviewed."""
    return scene.open(None, _discount(scene), draft=True)


def _locked(scene: Scene, trial: Trial) -> None:
    """The conversation is locked before the first review: the check run has the findings, once."""
    scene.github.lock(trial.number)
    scene.github.ready(trial.number)


def _all_run_again(scene: Scene, trial: Trial) -> None:
    """A person with write access has all checks run again: the review is requested."""
    trial.head = scene.github.state.pulls[trial.number].head_sha
    scene.github.rerun_checks(trial.head)


def _waiting(scene: Scene, trial: Trial | None = None, **more: bool) -> int:
    """A pull request whose author has no write access: its head shows, once, that its review waits for a request."""
    scene.github.set_role("stranger", "read")
    base = scene.commit({".kodiai.yml": "review:\n  outsiders: request\n"})
    return scene.open(trial, _discount(scene), base, author="stranger", **more)


def _red(scene: Scene) -> int:
    """A review of a head on which a required check has failed: it does not approve."""
    number = scene.github.state.new_number()
    branch, settings = f"checked-{number}", {".kodiai.yml": f"{CONFIG}  event: verdict\n"}
    base = scene.repository.commit(settings, scene.base, branch=branch)
    head = scene.commit({"src/none.py": f"n = {number}\n"}, base)
    scene.github.require_check(branch, "build")
    scene.github.report_check(head, "build", "failure")
    return scene.github.open_pull_request(head, branch)


def _green_at_last(scene: Scene, trial: Trial) -> None:
    """The check passes when it runs again: the head is approved, once."""
    scene.github.report_check(scene.github.state.pulls[trial.number].head_sha, "build", "success")
    tell_that_checks_completed(scene, trial.number)


def _mergeable(scene: Scene) -> int:
    """A reviewed pull request whose base has a merge queue; CI passes for its head, and for no commit of the queue."""
    branch = f"line-{len(scene.github.state.pulls)}"
    base = scene.repository.commit({"branch.txt": branch}, scene.base, branch=branch)
    head = scene.commit(_discount(scene), base)
    scene.github.require_check(branch, "Kodiai", "build")
    scene.github.use_merge_queue(branch)
    scene.github.report_check(head, "build", "success")
    return scene.github.open_pull_request(head, branch)


def _queued(scene: Scene) -> int:
    """The same, in the queue."""
    number = _mergeable(scene)
    scene.settle()
    scene.github.enqueue(number)
    return number


def _shared_head(scene: Scene, trial: Trial) -> None:
    """Another pull request has the head of one that was reviewed: both check runs say the worst of both."""
    first = _reviewed(scene)
    scene.settle()
    scene.watch(trial, first + 1)
    base = scene.commit({"other.txt": f"{first}\n"})
    assert scene.github.open_pull_request(scene.github.state.pulls[first].head_sha, base) == trial.number


def _gated(scene: Scene) -> int:
    """A first review with a blocker, where that closes the gate."""
    base = scene.commit({".kodiai.yml": f"{CONFIG}  check:\n    failOn: MAJOR\n"})
    return scene.open(None, _discount(scene), base)


def _ruled(scene: Scene, trial: Trial | None = None) -> int:
    """A first review with rules of the team and a linked issue, of which some fail: no code of theirs is a finding."""
    base = scene.commit({".kodiai.yml": f"{CONFIG}{RULES}"})
    issue = scene.github.open_issue("Discounts", "The total takes a discount. An invoice shows it.")
    return scene.open(trial, _discount(scene), base, body=f"Closes #{issue}")


def _overridden(scene: Scene) -> int:
    """The same, and a person overrides the rule that closes the gate."""
    number = _ruled(scene)
    scene.settle()
    scene.github.comment(number, _OVERRIDE)
    return number


def _rule_followed(scene: Scene, trial: Trial) -> None:
    """A push follows one of the rules that fail, and the others still fail."""
    push(scene, trial.number, {"src/orders.py": f"def total(prices, discount):\n    {MENDED}\n"})


def _reviewed_of_stranger(scene: Scene) -> int:
    """The first review of a pull request whose author may only read."""
    scene.github.set_role("stranger", "read")
    return scene.open(None, _discount(scene), author="stranger")


def _settled_unheard(scene: Scene, trial: Trial) -> None:
    """A person has decided in words that only the model understands, and the next review reads it: nothing told us."""
    reply(scene, trial.number, DECISION)
    push(scene, trial.number)


def _reviewed_and_said(body: str) -> Callable[[Scene], int]:
    """A review, and what a person says in the thread of the finding that is inline."""

    def first(scene: Scene) -> int:
        number = _reviewed(scene)
        scene.settle()
        reply(scene, number, body)
        return number

    return first


def _forgotten(scene: Scene, trial: Trial) -> None:
    """A person has the finding that is inline forgotten: its vector is deleted, and not written again."""
    [finding] = look(scene, trial.number).finding_of.values()
    scene.github.comment(trial.number, f"@kodiai forget {trial.number}/{finding}")


def _submitted_for_anyone(scene: Scene) -> int:
    """A review, and a fix that an agent proposes."""
    number = _reviewed(scene)
    scene.settle()
    agents.submit(scene, number, "anyone")
    return number


def _closed(scene: Scene, trial: Trial) -> None:
    """A person found the finding that is inline useful, and the pull request ends: no other event remembers that."""
    [comment] = scene.github.state.comments_of(trial.number, scene.github.bot_login)
    scene.github.react("review comment", comment.id, "+1", login="octocat")
    scene.github.close(trial.number)


READ_TEXTS = "GitHub query Texts"
UPDATE_THREADS = "GitHub mutation UpdateThreads"
POST_REVIEW = "GitHub POST pulls/{id}/reviews"
KEEP_ANSWER = "DynamoDB TransactWriteItems ANSWER STATE DAY MONTH"
STORE_FINDINGS = "DynamoDB TransactWriteItems COMMENT FINDING"
_ANSWER = "GitHub POST issues/{id}/comments"
_DEPENDS = Expected(reviewed=False, reviews=None)
_TOLD = Expected(reviews=2, replies=1, fixed=1)
_RESOLVED = Expected(reviews=2, fixed=1)
_ARGUED = Expected(replies=1)
_PARTLY_FIXED = Expected(replies=2)
_BACK = Expected(fixed=1)
_CONCEDED = Expected(replies=1, settled=1, reactions=1)
_DECIDED = Expected(replies=1, settled=1)
_READ_LATER = Expected(reviews=2, replies=1, settled=1)
_REOPENED = Expected(replies=2, reactions=1)
_ORDERED = Expected(reviews=2, answers=1, reactions=1)
_AGAIN = Expected(reviews=2, reactions=1)
_GLASS_BROKEN = Expected(answers=1, reactions=1, opened=True)
_RULES_FAIL = Expected(concludes="failure")
_ONE_FOLLOWED = Expected(reviews=2, replies=2, fixed=2, concludes="neutral")
_OVERRIDDEN = Expected(answers=1, reactions=1, settled=1, concludes="neutral")
_ENFORCED = Expected(answers=2, reactions=2, concludes="failure")
_RULE_GIVEN = Expected(answers=1, reactions=1, rules=1)
_FORGOTTEN = Expected(answers=1, reactions=1, forgotten=1)
_FIXED = Expected(replies=1, reactions=1, proposals=("approved",))
_APPLIED = Expected(reviews=2, replies=2, reactions=2, fixed=1, proposals=("applied",), commits=1)
_EVERY_DEATH_THERE = dict.fromkeys((UPDATE_THREADS, _ANSWER), EVERY_DEATH)
# Where something stands on GitHub that the ledger does not know yet.
_UNREMEMBERED = dict.fromkeys((POST_REVIEW, UPDATE_THREADS, STORE_FINDINGS), ONE_KILL_ONE_LOSS)
_ONE_KILL: Mapping[str, Any] = {
    "deaths": (Death.KILLED_AFTER,),
    "at": {**_UNREMEMBERED, _ANSWER: ONE_KILL_ONE_LOSS},
}

_KEPT = Expected(reviewed=False, reviews=0, kept=True)
_SUBMITTED = Expected(proposals=("approved",))
_APPLIED_OVER_HTTP = Expected(reviews=2, fixed=1, proposals=("applied",), commits=1)
_AT_THE_COMMIT = dict.fromkeys(
    ("GitHub POST git/trees", "GitHub POST git/commits", "GitHub PATCH git/refs/heads/{branch}"), ONE_KILL_ONE_LOSS
)

# Whether a message is put back that comes later depends on the machine.
_PUT_BACK = "SQS ChangeMessageVisibility"
_WAITING = {_PUT_BACK: EVERY_DEATH, **{f"{_PUT_BACK} ({nth})": () for nth in range(2, 10)}}


def _spoken(name: str, begin: Callable[[Scene, Trial], object], ends: Expected, **more: Any) -> Flow:
    """A flow of what people say where GitHub tells us of it; after a review unless another `first` is given."""
    return Flow(name, begin, ends=ends, **{"first": _reviewed, "may_resolve": True, **more})


READ_BY_FOUR = Flow("read by four", _large)
LOCKED = Flow(
    "locked",
    _locked,  # the conversation, before the first review: the check run has the findings, once
    ends=Expected(reviews=0),
    at={UPDATE_THREADS: EVERY_DEATH},
    first=_drafted,
)
ARGUED = Flow("argued", _argued, (), _ARGUED, _EVERY_DEATH_THERE, _reviewed)
RESOLVED = Flow("resolved", _re_review, (), _RESOLVED, _EVERY_DEATH_THERE, _reviewed, may_resolve=True)
PARTLY_FIXED = Flow("partly fixed", _partly_fixed, (), _PARTLY_FIXED, _EVERY_DEATH_THERE, _reviewed_twice_inline)
TAKEN_BACK = Flow("taken back", _taken_back, (), _BACK, _EVERY_DEATH_THERE, _reviewed, may_resolve=True)
ASKED = Flow(
    "asked",
    said(f"@kodiai {ARGUMENT}"),  # the model gives in: the finding is settled, with a reply in its thread
    ends=_CONCEDED,
    at=_EVERY_DEATH_THERE,
    first=_reviewed,
    may_resolve=True,
)
APPLIED = Flow(
    "applied",
    said("@kodiai apply"),  # there is one commit, which is reviewed
    ends=_APPLIED,
    first=_reviewed_and_said("@kodiai fix"),
    again=push_on_github,
    may_resolve=True,
)
KEPT = Flow("kept", _first_review, ends=_KEPT, reviewed_later=False, publish="dry-run")
FLOWS = (
    Flow("first review", _first_review, EVERY_DEATH),
    Flow("guided by a folder", _guided, at={READ_TEXTS: EVERY_DEATH}),
    READ_BY_FOUR,
    Flow("asked once more", _misquoted),
    Flow("left unread", _left_unread, ends=Expected(declines=True)),
    Flow("read later", _read_later, ends=Expected(reviews=2, declines=True), first=_half_reviewed),
    Flow("first review, pushed meanwhile", _first_review, meanwhile=push),
    Flow("first review, committed on meanwhile", _first_review, meanwhile=push_same),
    Flow(
        "first review, closed meanwhile",  # nothing may be left open on it
        _first_review,
        ends=_DEPENDS,
        meanwhile=lambda scene, number: scene.github.close(number),
    ),
    Flow("overtaken by a push", _overtaken),
    Flow("nothing new", on_number(commit_anew), first=_reviewed),
    Flow("refused", _refused, ends=Expected(reviewed=False, reviews=0), reviewed_later=False),
    LOCKED,
    Flow(
        "locked meanwhile",  # a review that stands counts, another one is refused
        _first_review,
        (),
        Expected(reviews=None),
        _UNREMEMBERED,
        meanwhile=lambda scene, number: scene.github.lock(number),
    ),
    replace(
        LOCKED,
        name="unlocked meanwhile",  # the review may be posted after the check run told everything
        deaths=(),
        ends=Expected(reviews=None),
        at=_UNREMEMBERED,
        meanwhile=lambda scene, number: scene.github.unlock(number),
    ),
    Flow("waits", _waiting, ends=Expected(reviewed=False, reviews=0), reviewed_later=False),
    Flow("waited", _review_requested, first=_waiting, again=ask_again),
    Flow(
        "all run again",  # GitHub does not name the pull request of a fork where all checks are run again
        _all_run_again,
        first=lambda scene: _waiting(scene, from_fork=True),
        again=rerun_again,
    ),
    Flow("into the queue", _into_queue, first=_mergeable),
    Flow("shared head", _shared_head),
    Flow("green at last", _green_at_last, ends=Expected(reviews=2), first=_red),
    Flow("continued", _continued, continued=True),
    Flow("re-review", _re_review, ends=_TOLD, at=_EVERY_DEATH_THERE, first=_reviewed),
    Flow("re-review, pushed meanwhile", _re_review, ends=_TOLD, first=_reviewed, meanwhile=push),
    Flow("re-review, nothing to say", on_number(push), first=_reviewed),  # the check run lists what is open
    Flow(
        "pushed twice",
        _pushed_twice,
        (),
        at={**_WAITING, **dict.fromkeys(("SQS SendMessage", UPDATE_THREADS), ONE_KILL_ONE_LOSS)},
        first=_reviewed,
        quiet_seconds=5,
    ),
    Flow("re-review, not fixed", _not_fixed, first=_reviewed),
    Flow("restored", _lost, first=_reviewed),
    ARGUED,
    replace(ARGUED, name="argued, pushed meanwhile", at=_UNREMEMBERED, meanwhile=push_later),
    Flow(
        "answered",
        _review_requested,
        ends=Expected(answers=1),
        at=_EVERY_DEATH_THERE,
        first=_reviewed,
        again=ask_again,
    ),
    RESOLVED,
    replace(RESOLVED, name="resolved, pushed meanwhile", at=_UNREMEMBERED, meanwhile=push),
    PARTLY_FIXED,
    replace(PARTLY_FIXED, name="partly fixed, pushed meanwhile", at=_UNREMEMBERED, meanwhile=push),
    TAKEN_BACK,
    replace(TAKEN_BACK, name="taken back, pushed meanwhile", at=_UNREMEMBERED, meanwhile=push),
    ASKED,
    replace(ASKED, name="asked, pushed meanwhile", at={}, meanwhile=push),
    _spoken("decided", said("Won't fix, by design."), _DECIDED),
    _spoken("decided in words", said(DECISION), _DECIDED),
    _spoken(
        "decided by author",  # it is not theirs to decide, and a model reads only some of their replies
        said(DECISION, login="stranger"),
        Expected(replies=1),
        first=_reviewed_of_stranger,
    ),
    Flow("decided unheard", _settled_unheard, (), _READ_LATER, _UNREMEMBERED, _reviewed),
    _spoken("reopened", said("reopen"), _REOPENED, first=_reviewed_and_said("@kodiai resolve")),
    _spoken(
        "ordered",
        commented("@kodiai pause\n@kodiai full review\n@kodiai resume\n@kodiai config"),
        _ORDERED,
    ),
    _spoken(
        "reviewed in the queue",  # the queue's commit says what the review says
        commented("@kodiai full review"),
        _AGAIN,
        first=_queued,
    ),
    _spoken(
        "glass broken",
        commented("@kodiai break glass production is down"),
        _GLASS_BROKEN,
        first=_gated,
        again=lambda *_: None,  # another head would not pass
    ),
    Flow("rules fail", _ruled, ends=_RULES_FAIL, **_ONE_KILL),
    Flow("one rule followed", _rule_followed, ends=_ONE_FOLLOWED, first=_ruled, **_ONE_KILL),
    _spoken("rule overridden", commented(_OVERRIDE), _OVERRIDDEN, first=_ruled, **_ONE_KILL),
    _spoken("rule enforced", commented("@kodiai enforce no-plus"), _ENFORCED, first=_overridden, **_ONE_KILL),
    _spoken(
        "rule given",
        commented("@kodiai remember Ask nobody about {number}.\n@kodiai memory"),
        _RULE_GIVEN,
    ),
    _spoken("forgotten", _forgotten, _FORGOTTEN),
    _spoken("fix asked", said("@kodiai fix"), _FIXED),
    APPLIED,
    replace(APPLIED, name="applied, pushed meanwhile", deaths=(), at=_AT_THE_COMMIT, meanwhile=push_on_github),
    _spoken("submitted", on_number(agents.submit), _SUBMITTED),
    _spoken(
        "reviewed by another",  # who claims and approves it, and its author applies it: all over HTTP
        on_number(agents.review_and_apply),
        _APPLIED_OVER_HTTP,
        first=_submitted_for_anyone,
        again=push_on_github,
    ),
    Flow("without a memory, on Bedrock", _first_review, provider="bedrock"),
    Flow("previewed", on_number(ask_for_preview), ends=_KEPT, first=_unnoticed),
    Flow("requested over MCP", on_number(agents.request_review), first=_unnoticed_where_we_serve),
    KEPT,
    replace(KEPT, name="kept, pushed meanwhile", meanwhile=push),
    replace(KEPT, name="kept, once more", begin=_re_review, first=_reviewed),
    Flow("closed", _closed, ends=Expected(accepted=1), first=_reviewed),
)
