"""The flows that must survive any death at any call; a new capability adds its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.faults import agents
from tests.faults.acts import (
    ask_again,
    ask_for_preview,
    commit_anew,
    push,
    push_on_github,
    rerun_again,
    tell_that_checks_completed,
)
from tests.faults.deaths import Death
from tests.faults.invariants import Expected
from tests.faults.reviewer import ARGUMENT, DECISION, HALF_MENDED, MENDED, MISQUOTED, NEW
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
    Without `first`, `begin` opens it. `again` is what happens to it once all is quiet: the same change is pushed once
    more, unless given.
    `ends` is how it ends up, `reviewed_later` whether its head is reviewed after `again`.
    `deaths` are tried at every call, `at` has others for some calls. `continued` is whether it takes more than
    one message, `may_resolve` whether GitHub lets the App resolve threads and tells it what people say. A push waits
    for `quiet_seconds`. `publish` is whether the deployment posts its reviews, `provider` where the model answers.
    """

    name: str
    begin: Callable[[Scene, Trial], object]
    deaths: Sequence[Death] = EVERY_DEATH
    ends: Expected = field(default_factory=Expected)
    at: Mapping[str, Sequence[Death]] = field(default_factory=dict)
    first: Callable[[Scene], int] | None = None
    again: Callable[[Scene, int], None] | None = None
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
        """What is tried at a call; `at` may say it of the n-th call alone."""
        return self.at.get(str(point), self.at.get(point.call, self.deaths))


def _first_review(scene: Scene, trial: Trial) -> None:
    scene.open(trial, _discount(scene))


_STOCK = b"def left(shelf):\n    return len(shelf)\n"


def _large(scene: Scene, trial: Trial) -> None:
    """A change so large that four reviewers read it, with a file whose change GitHub does not show."""
    scene.open(trial, {**_discount(scene), "src/table.py": _table(120), "src/stock.py": b"# \0\n" + _STOCK})


def _read_by_two(scene: Scene) -> dict[str, str]:
    return {**_discount(scene), "src/table.py": _table(20)}


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
    scene.reviewer.declined.add(len(scene.github.state.pulls) + 1)
    scene.open(trial, _read_by_two(scene))


def _half_reviewed(scene: Scene) -> int:
    """A first review that leaves files unread."""
    number = len(scene.github.state.pulls) + 1
    scene.reviewer.declined.add(number)
    return scene.open(None, _read_by_two(scene))


def _read_later(scene: Scene, trial: Trial) -> None:
    """The next event reads what was left unread, though nothing is new."""
    scene.reviewer.declined.remove(trial.number)
    commit_anew(scene, trial.number)


def _pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head: the message that comes again finds that one."""
    trial.meanwhile = lambda: push(scene, trial.number)
    scene.open(trial, _discount(scene))


def _committed_on_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head with the same changes: what was answered is of use to it.

    The model is shown one more commit, and its thinking came behind the others.
    """
    trial.meanwhile = lambda: push(scene, trial.number, {"src/orders.py": DISCOUNT})
    scene.open(trial, _discount(scene))


def _closed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes the pull request is closed: nothing may be left open on it."""
    trial.meanwhile = lambda: scene.github.close(trial.number)
    scene.open(trial, _discount(scene))


def _overtaken(scene: Scene, trial: Trial) -> None:
    """While the model reads there is a newer head: nothing is posted for the old one."""
    number = len(scene.github.state.pulls) + 1
    scene.reviewer.before[number] = lambda: push(scene, number)
    scene.open(trial, _discount(scene))


def _continued(scene: Scene, trial: Trial) -> None:
    """The model is so slow that the review has to go on as a fresh message."""
    scene.reviewer.slow.add(len(scene.github.state.pulls) + 1)
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


def _previewed(scene: Scene, trial: Trial) -> None:
    """An operator asks what a review would post; the first review comes later, as if nobody had."""
    ask_for_preview(scene, trial.number)


def _nothing_new(scene: Scene, trial: Trial) -> None:
    """A head that was reviewed is committed anew."""
    commit_anew(scene, trial.number)


def _re_review(scene: Scene, trial: Trial) -> None:
    """A push mends the finding that is inline, brings another one, and leaves the one that is off the diff."""
    mended = {"src/orders.py": f"def total(prices, discount):\n    {MENDED}\n"}
    push(scene, trial.number, {**mended, "src/tills.py": f"def paid(total):\n    {NEW['quote']}\n"})


def _re_review_pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head, about which there is nothing to say."""
    trial.meanwhile = lambda: push(scene, trial.number)
    _re_review(scene, trial)


def _nothing_to_say(scene: Scene, trial: Trial) -> None:
    """A push of which no finding comes leaves both findings open: the check run lists them."""
    push(scene, trial.number)


def _pushed_twice(scene: Scene, trial: Trial) -> None:
    """The first of two pushes waits, and gives way to the second."""
    push(scene, trial.number)
    push(scene, trial.number, {"later.txt": f"{trial.number}\n"})


def _not_mended(scene: Scene, trial: Trial) -> None:
    """A push is said to mend the finding that is inline, and the judge says that it does not: it stays open."""
    push(scene, trial.number, {"src/orders.py": f"def total(prices, discount):\n    {HALF_MENDED}\n"})


def _lost(scene: Scene, trial: Trial) -> None:
    """The ledger has lost everything: at the next push the findings are restored from our marks, and not told again."""
    scene.lose(trial.number)
    push(scene, trial.number)


def _taken_back(scene: Scene, trial: Trial) -> None:
    """A push takes the change back that the inline finding is about: its thread is resolved, and nobody is asked."""
    push(scene, trial.number, {"src/orders.py": BASE_FILES["src/orders.py"]})


def _taken_back_pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head, which has to be read."""
    trial.meanwhile = lambda: push(scene, trial.number)
    _taken_back(scene, trial)


def _argued(scene: Scene, trial: Trial) -> None:
    """A person disagrees with the finding that is inline: at the next push it is answered, once and for all."""
    ours = scene.github.bot_login
    [comment] = scene.github.state.comments_of(trial.number, ours)
    scene.github.reply(comment.id, ARGUMENT)
    push(scene, trial.number)


def _argued_pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head, at which the argument is an old one."""
    trial.meanwhile = lambda: push(scene, trial.number, {"later.txt": f"{trial.number}\n"})
    _argued(scene, trial)


def _answered(scene: Scene, trial: Trial) -> None:
    """A person asks for a review of what is reviewed."""
    scene.github.request_review(trial.number)


def _refused(scene: Scene, trial: Trial) -> None:
    """The repository's settings restrict, and cannot be read: a person has to mend them first."""
    base = scene.commit({".kodiai.yml": "review:\n  skipPaths: 7\n"})
    scene.open(trial, _discount(scene), base)


def _drafted(scene: Scene) -> int:
    """A draft, which is not reviewed."""
    return scene.open(None, _discount(scene), draft=True)


def _locked(scene: Scene, trial: Trial) -> None:
    """The conversation is locked before the first review: the check run has the findings, once."""
    scene.github.lock(trial.number)
    scene.github.ready(trial.number)


def _locked_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes the conversation is locked: a review that stands counts, another one is refused."""
    trial.meanwhile = lambda: scene.github.lock(trial.number)
    _first_review(scene, trial)


def _unlocked_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes it is unlocked: the review may be posted after the check run told everything."""
    trial.meanwhile = lambda: scene.github.unlock(trial.number)
    _locked(scene, trial)


def _waits(scene: Scene, trial: Trial) -> None:
    """The author has no write access: the head shows, once, that its review waits for a request."""
    _open_as_stranger(scene, trial)


def _waiting_in_fork(scene: Scene) -> int:
    """The same from a fork, whose pull request GitHub does not name where all checks are run again."""
    return _open_as_stranger(scene, None, from_fork=True)


def _all_run_again(scene: Scene, trial: Trial) -> None:
    """A person with write access has all checks run again: the review is requested."""
    trial.head = scene.github.state.pulls[trial.number].head_sha
    scene.github.rerun_checks(trial.head)


def _waiting(scene: Scene) -> int:
    """Such a pull request, which waits."""
    return _open_as_stranger(scene, None)


def _open_as_stranger(scene: Scene, trial: Trial | None, **more: bool) -> int:
    scene.github.set_role("stranger", "read")
    base = scene.commit({".kodiai.yml": "review:\n  outsiders: request\n"})
    return scene.open(trial, _discount(scene), base, author="stranger", **more)


def _red(scene: Scene) -> int:
    """A review of a head on which a required check has failed: it does not approve."""
    number = len(scene.github.state.pulls) + 1
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


def _into_queue(scene: Scene, trial: Trial) -> None:
    """The queue asks for its checks: they say what the review has said."""
    scene.github.enqueue(trial.number)


def _reviewed_in_queue(scene: Scene, trial: Trial) -> None:
    """A review that ends in the queue: the queue's commit says what it says."""
    scene.github.comment(trial.number, "@kodiai full review")


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


def _nothing_more(_: Scene, __: int) -> None:
    """Another head would not pass."""


def _glass_broken(scene: Scene, trial: Trial) -> None:
    """A person lets the head pass."""
    scene.github.comment(trial.number, "@kodiai break glass production is down")


def _asked(scene: Scene, trial: Trial) -> None:
    """A person argues, and the model gives in: the finding is settled with its thread, and the thread is told."""
    _reply(scene, trial.number, f"@kodiai {ARGUMENT}")


def _asked_pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head, and a review of it beside the answer."""
    trial.meanwhile = lambda: push(scene, trial.number)
    _asked(scene, trial)


def _settled(scene: Scene, trial: Trial) -> None:
    """A person decides about a finding, without a word to us; the thread is told how that was understood."""
    _reply(scene, trial.number, "Won't fix, by design.")


def _settled_in_words(scene: Scene, trial: Trial) -> None:
    """A person decides in words that only the model understands."""
    _reply(scene, trial.number, DECISION)


def _reviewed_of_stranger(scene: Scene) -> int:
    """The first review of a pull request whose author may only read."""
    scene.github.set_role("stranger", "read")
    return scene.open(None, _discount(scene), author="stranger")


def _settled_by_author(scene: Scene, trial: Trial) -> None:
    """Its author, of whom a model reads only so many replies, decides in such words what is not theirs to decide."""
    _reply(scene, trial.number, DECISION, login="stranger")


def _settled_unheard(scene: Scene, trial: Trial) -> None:
    """A person has decided in such words, nothing told us, and the next review reads it."""
    _reply(scene, trial.number, DECISION)
    push(scene, trial.number)


def _reviewed_and_said(scene: Scene, body: str) -> int:
    """A review, and what a person says in the thread of the finding that is inline."""
    number = _reviewed(scene)
    scene.settle()
    _reply(scene, number, body)
    return number


def _resolved_by_command(scene: Scene) -> int:
    """A review, and a person who resolves the finding that is inline, with its thread."""
    return _reviewed_and_said(scene, "@kodiai resolve")


def _reopened(scene: Scene, trial: Trial) -> None:
    """A person takes it back: the thread is opened again, and told so."""
    _reply(scene, trial.number, "reopen")


def _ordered(scene: Scene, trial: Trial) -> None:
    """A person gives several commands at once."""
    scene.github.comment(trial.number, "@kodiai pause\n@kodiai full review\n@kodiai resume\n@kodiai config")


def _rule_given(scene: Scene, trial: Trial) -> None:
    """A person gives the repository a rule, and asks what is remembered."""
    scene.github.comment(trial.number, f"@kodiai remember Ask nobody about {trial.number}.\n@kodiai memory")


def _forgotten(scene: Scene, trial: Trial) -> None:
    """A person has the finding that is inline forgotten: its vector is deleted, and not written again."""
    [finding] = look(scene, trial.number).finding_of.values()
    scene.github.comment(trial.number, f"@kodiai forget {trial.number}/{finding}")


def _fix_asked(scene: Scene, trial: Trial) -> None:
    """A person has a fix drafted: it is proposed and reviewed once, and shown in the thread."""
    _reply(scene, trial.number, "@kodiai fix")


def _fixed(scene: Scene) -> int:
    """A review, and an approved fix of the finding that is inline."""
    return _reviewed_and_said(scene, "@kodiai fix")


def _applied(scene: Scene, trial: Trial) -> None:
    """A person has it applied: there is one commit, which is reviewed."""
    _reply(scene, trial.number, "@kodiai apply")


def _applied_pushed_meanwhile(scene: Scene, trial: Trial) -> None:
    """As soon as the fault strikes there is a newer head, to which the fix applies too."""
    trial.meanwhile = lambda: push_on_github(scene, trial.number)
    _applied(scene, trial)


def _submitted(scene: Scene, trial: Trial) -> None:
    """An agent proposes a fix over HTTP: it is stored once, and reviewed once."""
    agents.submit(scene, trial.number)


def _submitted_for_anyone(scene: Scene) -> int:
    """A review, and a fix that an agent proposes."""
    number = _reviewed(scene)
    scene.settle()
    agents.submit(scene, number, "anyone")
    return number


def _reviewed_by_another(scene: Scene, trial: Trial) -> None:
    """Another agent claims and approves it, and its author applies it: all over HTTP."""
    agents.review_and_apply(scene, trial.number)


def _closed(scene: Scene, trial: Trial) -> None:
    """A person found the finding that is inline useful, and the pull request ends: no other event remembers that."""
    [comment] = scene.github.state.comments_of(trial.number, scene.github.bot_login)
    scene.github.react("review comment", comment.id, "+1", login="octocat")
    scene.github.close(trial.number)


def _reply(scene: Scene, number: int, body: str, login: str = "octocat") -> None:
    [comment] = [
        each for each in scene.github.state.comments_of(number, scene.github.bot_login) if not each.in_reply_to
    ]
    scene.github.reply(comment.id, body, login=login)


UPDATE_THREADS = "GitHub mutation UpdateThreads"
POST_REVIEW = "GitHub POST pulls/{id}/reviews"
KEEP_ANSWER = "DynamoDB TransactWriteItems ANSWER STATE DAY MONTH"
STORE_FINDINGS = "DynamoDB TransactWriteItems FINDING"
_ANSWER = "GitHub POST issues/{id}/comments"
_DEPENDS = Expected(reviewed=False, reviews=None)
_TOLD = Expected(reviews=2, replies=1, fixed=1)
_RESOLVED = Expected(reviews=2, fixed=1)
_ARGUED = Expected(replies=1)
_BACK = Expected(fixed=1)
_CONCEDED = Expected(replies=1, settled=1, reactions=1)
_DECIDED = Expected(replies=1, settled=1)
_READ_LATER = Expected(reviews=2, replies=1, settled=1)
_REOPENED = Expected(replies=2, reactions=1)
_ORDERED = Expected(reviews=2, answers=1, reactions=1)
_AGAIN = Expected(reviews=2, reactions=1)
_GLASS_BROKEN = Expected(answers=1, reactions=1, opened=True)
_RULE_GIVEN = Expected(answers=1, reactions=1, rules=1)
_FORGOTTEN = Expected(answers=1, reactions=1, forgotten=1)
_FIXED = Expected(replies=1, reactions=1, proposals=("approved",))
_APPLIED = Expected(reviews=2, replies=2, reactions=2, fixed=1, proposals=("applied",), commits=1)
_EVERY_DEATH_THERE = dict.fromkeys((UPDATE_THREADS, _ANSWER), EVERY_DEATH)
# Where something stands on GitHub that the ledger does not know yet.
_UNREMEMBERED = dict.fromkeys((POST_REVIEW, UPDATE_THREADS, STORE_FINDINGS), ONE_KILL_ONE_LOSS)

_KEPT = Expected(reviewed=False, reviews=0, kept=True)
_SUBMITTED = Expected(proposals=("approved",))
_APPLIED_OVER_HTTP = Expected(reviews=2, fixed=1, proposals=("applied",), commits=1)
_AT_THE_COMMIT = dict.fromkeys(
    ("GitHub POST git/trees", "GitHub POST git/commits", "GitHub PATCH git/refs/heads/{branch}"), ONE_KILL_ONE_LOSS
)

# Whether a message is put back that comes later depends on the machine.
_PUT_BACK = "SQS ChangeMessageVisibility"
_WAITING = {_PUT_BACK: EVERY_DEATH, **{f"{_PUT_BACK} ({nth})": () for nth in range(2, 10)}}

READ_BY_FOUR = Flow("read by four", _large, ONE_KILL_ONE_LOSS)
FLOWS = (
    Flow("first review", _first_review),
    READ_BY_FOUR,
    Flow("asked once more", _misquoted, ONE_KILL_ONE_LOSS),
    Flow("left unread", _left_unread, ONE_KILL_ONE_LOSS, Expected(declines=True)),
    Flow("read later", _read_later, ONE_KILL_ONE_LOSS, Expected(reviews=2, declines=True), first=_half_reviewed),
    Flow("first review, pushed meanwhile", _pushed_meanwhile, ONE_KILL_ONE_LOSS),
    Flow("first review, committed on meanwhile", _committed_on_meanwhile, ONE_KILL_ONE_LOSS),
    Flow("first review, closed meanwhile", _closed_meanwhile, ONE_KILL_ONE_LOSS, _DEPENDS),
    Flow("overtaken by a push", _overtaken, ONE_KILL_ONE_LOSS),
    Flow("nothing new", _nothing_new, ONE_KILL_ONE_LOSS, first=_reviewed),
    Flow("refused", _refused, ONE_KILL_ONE_LOSS, Expected(reviewed=False, reviews=0), reviewed_later=False),
    Flow("locked", _locked, ONE_KILL_ONE_LOSS, Expected(reviews=0), {UPDATE_THREADS: EVERY_DEATH}, _drafted),
    Flow("locked meanwhile", _locked_meanwhile, (), Expected(reviews=None), _UNREMEMBERED),
    Flow("unlocked meanwhile", _unlocked_meanwhile, (), Expected(reviews=None), _UNREMEMBERED, _drafted),
    Flow("waits", _waits, ONE_KILL_ONE_LOSS, Expected(reviewed=False, reviews=0), reviewed_later=False),
    Flow("waited", _answered, ONE_KILL_ONE_LOSS, first=_waiting, again=ask_again),
    Flow("all run again", _all_run_again, ONE_KILL_ONE_LOSS, first=_waiting_in_fork, again=rerun_again),
    Flow("into the queue", _into_queue, ONE_KILL_ONE_LOSS, first=_mergeable),
    Flow("shared head", _shared_head, ONE_KILL_ONE_LOSS),
    Flow("green at last", _green_at_last, ONE_KILL_ONE_LOSS, Expected(reviews=2), first=_red),
    Flow("continued", _continued, ONE_KILL_ONE_LOSS, continued=True),
    Flow("re-review", _re_review, ONE_KILL_ONE_LOSS, _TOLD, _EVERY_DEATH_THERE, _reviewed),
    Flow("re-review, pushed meanwhile", _re_review_pushed_meanwhile, ONE_KILL_ONE_LOSS, _TOLD, first=_reviewed),
    Flow("re-review, nothing to say", _nothing_to_say, ONE_KILL_ONE_LOSS, first=_reviewed),
    Flow(
        "pushed twice",
        _pushed_twice,
        (),
        at={**_WAITING, **dict.fromkeys(("SQS SendMessage", UPDATE_THREADS), ONE_KILL_ONE_LOSS)},
        first=_reviewed,
        quiet_seconds=5,
    ),
    Flow("re-review, not mended", _not_mended, ONE_KILL_ONE_LOSS, first=_reviewed),
    Flow("restored", _lost, ONE_KILL_ONE_LOSS, first=_reviewed),
    Flow("argued", _argued, (), _ARGUED, _EVERY_DEATH_THERE, _reviewed),
    Flow("argued, pushed meanwhile", _argued_pushed_meanwhile, (), _ARGUED, _UNREMEMBERED, _reviewed),
    Flow("answered", _answered, ONE_KILL_ONE_LOSS, Expected(answers=1), _EVERY_DEATH_THERE, _reviewed, ask_again),
    Flow("resolved", _re_review, (), _RESOLVED, _EVERY_DEATH_THERE, _reviewed, may_resolve=True),
    Flow(
        "resolved, pushed meanwhile",
        _re_review_pushed_meanwhile,
        (),
        _RESOLVED,
        _UNREMEMBERED,
        _reviewed,
        may_resolve=True,
    ),
    Flow("taken back", _taken_back, (), _BACK, _EVERY_DEATH_THERE, _reviewed, may_resolve=True),
    Flow(
        "taken back, pushed meanwhile",
        _taken_back_pushed_meanwhile,
        (),
        _BACK,
        _UNREMEMBERED,
        _reviewed,
        may_resolve=True,
    ),
    Flow("asked", _asked, ONE_KILL_ONE_LOSS, _CONCEDED, _EVERY_DEATH_THERE, _reviewed, may_resolve=True),
    Flow(
        "asked, pushed meanwhile",
        _asked_pushed_meanwhile,
        ONE_KILL_ONE_LOSS,
        _CONCEDED,
        first=_reviewed,
        may_resolve=True,
    ),
    Flow("decided", _settled, ONE_KILL_ONE_LOSS, _DECIDED, first=_reviewed, may_resolve=True),
    Flow("decided in words", _settled_in_words, ONE_KILL_ONE_LOSS, _DECIDED, first=_reviewed, may_resolve=True),
    Flow(
        "decided by author",
        _settled_by_author,
        ONE_KILL_ONE_LOSS,
        Expected(replies=1),
        first=_reviewed_of_stranger,
        may_resolve=True,
    ),
    Flow("decided unheard", _settled_unheard, (), _READ_LATER, _UNREMEMBERED, _reviewed),
    Flow("reopened", _reopened, ONE_KILL_ONE_LOSS, _REOPENED, first=_resolved_by_command, may_resolve=True),
    Flow("ordered", _ordered, ONE_KILL_ONE_LOSS, _ORDERED, first=_reviewed, may_resolve=True),
    Flow("reviewed in the queue", _reviewed_in_queue, ONE_KILL_ONE_LOSS, _AGAIN, first=_queued, may_resolve=True),
    Flow("glass broken", _glass_broken, ONE_KILL_ONE_LOSS, _GLASS_BROKEN, {}, _gated, _nothing_more, may_resolve=True),
    Flow("rule given", _rule_given, ONE_KILL_ONE_LOSS, _RULE_GIVEN, first=_reviewed, may_resolve=True),
    Flow("forgotten", _forgotten, ONE_KILL_ONE_LOSS, _FORGOTTEN, first=_reviewed, may_resolve=True),
    Flow("fix asked", _fix_asked, ONE_KILL_ONE_LOSS, _FIXED, first=_reviewed, may_resolve=True),
    Flow("applied", _applied, ONE_KILL_ONE_LOSS, _APPLIED, first=_fixed, again=push_on_github, may_resolve=True),
    Flow(
        "applied, pushed meanwhile",
        _applied_pushed_meanwhile,
        (),
        _APPLIED,
        _AT_THE_COMMIT,
        _fixed,
        again=push_on_github,
        may_resolve=True,
    ),
    Flow("submitted", _submitted, ONE_KILL_ONE_LOSS, _SUBMITTED, first=_reviewed, may_resolve=True),
    Flow(
        "reviewed by another",
        _reviewed_by_another,
        ONE_KILL_ONE_LOSS,
        _APPLIED_OVER_HTTP,
        first=_submitted_for_anyone,
        again=push_on_github,
        may_resolve=True,
    ),
    Flow("without a memory, on Bedrock", _first_review, ONE_KILL_ONE_LOSS, provider="bedrock"),
    Flow("previewed", _previewed, ONE_KILL_ONE_LOSS, _KEPT, first=_unnoticed),
    Flow("kept", _first_review, ONE_KILL_ONE_LOSS, _KEPT, reviewed_later=False, publish="dry-run"),
    Flow(
        "kept, pushed meanwhile",
        _pushed_meanwhile,
        ONE_KILL_ONE_LOSS,
        _KEPT,
        reviewed_later=False,
        publish="dry-run",
    ),
    Flow(
        "kept, once more",
        _re_review,
        ONE_KILL_ONE_LOSS,
        _KEPT,
        first=_reviewed,
        reviewed_later=False,
        publish="dry-run",
    ),
    Flow("closed", _closed, ONE_KILL_ONE_LOSS, Expected(accepted=1), first=_reviewed),
)
