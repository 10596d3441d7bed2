"""The acts of users on the pages: their rights, the changes, and refusals without any change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count

import httpx
import pytest

from local.github import LocalGitHub
from local.github.state import PullRequest
from local.page.actions import ACTIONS
from tests.git_repository import GitRepository
from tests.local.github.scene import Client
from tests.local.page.reader import Page, Reader
from tests.tables import each_row

ROLES = ("none", "read", "triage", "write", "maintain", "admin")
DONE = 303
_numbers = count(1)


@dataclass
class Scene:
    """A pull request of a reader, on which each act could be done by somebody."""

    github: LocalGitHub
    pull: PullRequest
    comment: int
    thread: int
    check: int

    def form(self, act: str) -> Mapping[str, str]:
        """A form that asks for it as it should be."""
        forms: dict[str, dict[str, object]] = {
            "comment": {"body": "Said."},
            "reply": {"comment": self.thread, "body": "Answered."},
            "comment-on-line": {"path": "a.py", "line": 1, "side": "LEFT", "body": "Begun."},
            "resolve": {"thread": self.thread, "resolved": 1},
            "react": {"kind": "issue comment", "subject": self.comment, "content": "heart"},
            "edit": {"comment": self.comment, "body": "Changed."},
            "delete": {"comment": self.thread},
            "describe": {"description": "Described."},
            "rerequest": {"check": self.check},
            "action": {"check": self.check, "identifier": "again"},
            "rules": {"checks": "Kodiai, build"},
            "report": {"commit": self.pull.head_sha, "name": "build", "result": "failure"},
        }
        return {name: str(value) for name, value in forms.get(act, {}).items()}

    def prepare(self, act: str) -> None:
        """Bring it into the state in which the act has a sense."""
        if act == "reopen":
            self.github.close(self.pull.number, login="ann")
        if act in ("merge", "enqueue"):
            self.github.ready(self.pull.number, login="ann")
            self.github.set_rules(self.pull.base_ref, [], has_queue=act == "enqueue")
        if act == "unlock":
            self.github.lock(self.pull.number)

    def send(self, reader: Reader, act: str, **changed: str) -> httpx.Response:
        return reader.send(f"/acme/widgets/pull/{self.pull.number}/{act}", **{**self.form(act), **changed})


@pytest.fixture
def make(github: LocalGitHub, repository: GitRepository, bot: Client) -> Callable[[], Scene]:
    """Makes scenes, for tables whose rows each need their own."""
    return lambda: make_scene(github, repository, bot)


@pytest.fixture
def scene(make: Callable[[], Scene]) -> Scene:
    return make()


@pytest.fixture(scope="module")
def still(github: LocalGitHub, repository: GitRepository, bot: Client) -> Scene:
    """The same for all tests after which everything is as it was."""
    return make_scene(github, repository, bot)


def make_scene(github: LocalGitHub, repository: GitRepository, bot: Client) -> Scene:
    author = f"author-{next(_numbers)}"
    base = repository.commit({"a.py": "x = 1\n"})
    head = repository.commit({"a.py": f"x = {next(_numbers)}\n"}, base)
    github.set_role("ann", "write")
    github.set_role(author, "read")
    number = github.open_pull_request(head, base, author=author, draft=True)
    button = {"label": "Again", "description": "Once more", "identifier": "again"}
    told = {"name": "Kodiai", "head_sha": head, "status": "in_progress", "actions": [button]}
    return Scene(
        github,
        github.state.pulls[number],
        comment=github.comment(number, "First.", login="ann"),
        thread=github.comment_on_line(number, "a.py", 1, "Why?", login="ann"),
        check=bot.post("/repos/acme/widgets/check-runs", told).json()["id"],
    )


def everything(github: LocalGitHub) -> str:
    """All that an act could change, and the number of webhooks about it."""
    state = github.state
    kept = (state.pulls, state.comments, state.issue_comments, state.resolutions, state.reactions, state.timeline)
    return repr([*kept, state.checks, state.rules, state.groups, len(github.deliveries)])


@dataclass(frozen=True)
class Rule:
    """The least role with which somebody who wrote nothing of it may do an act, and whether the author may anyway.

    `place` is the start of the anchor that the act leads to, `webhook` the event that it causes, None for none.
    """

    role: str
    place: str
    webhook: tuple[str, str] | None
    author_may: bool = False


RULES = {
    "comment": Rule("read", "issuecomment-", ("issue_comment", "created"), author_may=True),
    "reply": Rule("read", "discussion_r", ("pull_request_review", "submitted"), author_may=True),
    "comment-on-line": Rule("read", "discussion_r", ("pull_request_review", "submitted"), author_may=True),
    "react": Rule("read", "issuecomment-", None, author_may=True),
    "request-review": Rule("triage", "main", ("pull_request", "review_requested")),
    "close": Rule("triage", "main", ("pull_request", "closed"), author_may=True),
    "reopen": Rule("triage", "main", ("pull_request", "reopened")),
    "resolve": Rule("write", "thread-", None, author_may=True),
    "edit": Rule("write", "issuecomment-", ("issue_comment", "edited")),
    "delete": Rule("write", "main", ("pull_request_review_comment", "deleted")),
    "describe": Rule("write", "issue-", ("pull_request", "edited"), author_may=True),
    "rerequest": Rule("write", "check-", ("check_run", "rerequested")),
    "action": Rule("write", "check-", ("check_run", "requested_action")),
    "ready": Rule("write", "main", ("pull_request", "ready_for_review"), author_may=True),
    "merge": Rule("write", "merge", ("pull_request", "closed")),
    "enqueue": Rule("write", "merge", ("merge_group", "checks_requested")),
    "rerun-all": Rule("write", "heads", ("check_suite", "rerequested")),
    "lock": Rule("write", "say", ("pull_request", "locked")),
    "unlock": Rule("write", "say", ("pull_request", "unlocked")),
    "report": Rule("write", "merge", ("check_run", "completed")),
    "rules": Rule("admin", "merge", None),
}


def test_every_act_is_in_the_table() -> None:
    assert set(RULES) == set(ACTIONS)


@each_row(("act", "rule"), RULES.items())
def test_an_act_takes_a_role(make: Callable[[], Scene], read_as: Callable[..., Reader], act: str, rule: Rule) -> None:
    """The role below is refused without a change; then it is done, GitHub sends its event, and the page is back there.

    A user without a role does not see the pull request.
    """
    scene = make()
    scene.prepare(act)
    below, login = ROLES[ROLES.index(rule.role) - 1], f"{rule.role}-er"
    before, known = everything(scene.github), len(scene.github.deliveries)

    refused = scene.send(read_as(f"{below}-er", below), act)
    after = everything(scene.github)
    done = scene.send(read_as(login, rule.role), act)

    assert refused.status_code == (404 if below == "none" else 403)
    assert after == before
    assert done.status_code == DONE
    assert everything(scene.github) != before
    assert done.headers["location"].partition("#")[2].startswith(rule.place)
    sent = [(each.event, each.action) for each in scene.github.deliveries[known:]]
    assert (rule.webhook in sent) if rule.webhook else not sent


@each_row(("act", "rule"), RULES.items())
def test_the_author_may_do_some_of_it_by_right(make: Callable[[], Scene], reader: Reader, act: str, rule: Rule) -> None:
    scene = make()
    scene.prepare(act)

    assert scene.send(reader, act).status_code == (DONE if rule.author_may else 403)


@each_row(("act", "kind"), [(act, kind) for act in ("edit", "delete") for kind in ("comment", "thread")])
def test_everybody_may_change_what_they_wrote(scene: Scene, reader: Reader, act: str, kind: str) -> None:
    """The same person may not change the other's."""
    author = scene.pull.author
    own = {
        "comment": scene.github.comment(scene.pull.number, "Mine.", login=author),
        "thread": scene.github.reply(scene.thread, "Mine.", login=author),
    }[kind]

    assert scene.send(reader, act, comment=str(own)).status_code == DONE
    assert scene.send(reader, act, comment=str(getattr(scene, kind))).status_code == 403


def test_the_author_reopens_only_what_they_closed(scene: Scene, reader: Reader) -> None:
    scene.send(reader, "close")
    own = scene.send(reader, "reopen")
    scene.github.close(scene.pull.number, login="ann")

    assert (own.status_code, scene.send(reader, "reopen").status_code) == (DONE, 403)


def test_the_fields_of_a_form_arrive(scene: Scene, read_as: Callable[..., Reader]) -> None:
    """Line ends are those of GitHub; a reply to a reply goes into its thread."""
    will, github = read_as("will", "write"), scene.github
    answer = github.reply(scene.thread, "Because.", login="ann")

    scene.send(will, "comment", body="One\r\ntwo")
    scene.send(will, "reply", comment=str(answer))
    scene.send(will, "comment-on-line")
    scene.send(will, "edit")
    scene.send(will, "edit", comment=str(scene.thread))
    scene.send(will, "describe")
    scene.send(will, "resolve")

    *_, replied, began = github.state.comments.values()
    assert [each.body for each in github.state.issue_comments_of(scene.pull.number)] == ["Changed.", "One\ntwo"]
    assert (replied.author, replied.body, replied.in_reply_to) == ("will", "Answered.", scene.thread)
    assert (began.body, began.place.path, began.place.side) == ("Begun.", "a.py", "LEFT")
    assert (github.state.comments[scene.thread].body, scene.pull.body) == ("Changed.", "Described.")
    assert github.state.resolutions[scene.thread].by == "will"
    scene.send(will, "resolve", resolved="0")
    for comment in (scene.comment, scene.thread):
        scene.send(will, "delete", comment=str(comment))
    assert scene.thread not in github.state.resolutions.keys() | github.state.comments.keys()
    assert scene.comment not in github.state.issue_comments


@each_row("kind", ["issue", "issue comment", "review comment", "review"])
def test_a_reaction_is_there_once_and_the_same_again_takes_it_back(scene: Scene, reader: Reader, kind: str) -> None:
    review = scene.github.review(scene.pull.number, "COMMENT", "Well.", login="ann")
    subjects = {"issue": scene.pull.number, "issue comment": scene.comment, "review comment": scene.thread}
    subject = subjects.get(kind, review)

    def reacted() -> list[tuple[str, str]]:
        assert scene.send(reader, "react", kind=kind, subject=str(subject)).status_code == DONE
        found = scene.github.state.reactions.values()
        return [(each.author, each.content) for each in found if (each.kind, each.subject) == (kind, subject)]

    assert [reacted(), reacted(), reacted()] == [[(scene.pull.author, "heart")], [], [(scene.pull.author, "heart")]]


@each_row(("acts", "words"), [
    (["reopen"], "Only a closed pull request that was not merged can be reopened."),
    (["ready", "ready"], "The pull request is not a draft."),
    (["close", "close"], "The pull request is already closed."),
    (["reopen", "merge", "reopen"], "Only a closed pull request that was not merged can be reopened."),
])  # fmt: skip
def test_an_act_without_sense_is_refused(
    scene: Scene, read_as: Callable[..., Reader], acts: list[str], words: str
) -> None:
    will = read_as("will", "write")

    *_, last = [scene.send(will, act) for act in acts]

    assert last.status_code == 422
    assert words in Page(last).by_id("refusal").text


@each_row(("act", "changed", "words"), [
    ("comment", {"body": " \n"}, "Body cannot be blank"),
    ("comment", {"body": "x" * 65_537}, "Body is too long (maximum is 65536 characters)"),
    ("reply", {"body": ""}, "Body can't be blank"),
    ("edit", {"body": ""}, "Body cannot be blank"),
    ("describe", {"description": "x" * 65_537}, "Body is too long (maximum is 65536 characters)"),
    ("reply", {"comment": "first"}, "The field 'comment' is not a number."),
    ("reply", {"comment": "-1"}, "The field 'comment' is not a number."),
    ("reply", {"comment": "1" * 5_000}, "The field 'comment' is not a number."),
    ("reply", {"comment": "٣"}, "The field 'comment' is not a number."),
    ("comment-on-line", {"line": "99"}, "must be part of the diff"),
    ("comment-on-line", {"path": "../a.py"}, "must be part of the diff"),
    ("comment-on-line", {"side": "MIDDLE"}, "must be part of the diff"),
    ("resolve", {"resolved": "yes"}, "The field 'resolved' must be one of: 0, 1."),
    ("react", {"kind": "user"}, "The field 'kind' must be one of: issue, issue comment, review comment, review."),
    ("react", {"content": "<b>"}, "The field 'content' must be one of: +1, -1, laugh, "),
    ("action", {"identifier": "other"}, "The field 'identifier' must be one of: again."),
    ("report", {"result": "red"}, "The field 'result' must be one of: success, failure, in_progress, "),
    ("report", {"commit": "0" * 40}, "The field 'commit' must be one of: "),
    ("report", {"name": " "}, "A check needs a name."),
    ("report", {"annotation": "a.py: no line"}, "An annotation is written as path:line: message."),
])  # fmt: skip
def test_an_odd_field_is_refused_with_a_sentence(
    still: Scene, read_as: Callable[..., Reader], act: str, changed: dict[str, str], words: str
) -> None:
    will = read_as("will", "write")
    before = everything(still.github)

    answer = still.send(will, act, **changed)

    assert answer.status_code == 422
    assert words in Page(answer).by_id("refusal").text
    assert everything(still.github) == before


@each_row("act", RULES)
def test_a_field_that_is_not_there_is_named(still: Scene, read_as: Callable[..., Reader], act: str) -> None:
    ada, form = read_as("ada", "admin"), still.form(act)
    optional = {"side"}
    for name in form.keys() - optional:
        rest = {other: value for other, value in form.items() if other != name}

        answer = ada.send(f"/acme/widgets/pull/{still.pull.number}/{act}", **rest)

        assert answer.status_code == 422
        assert Page(answer).by_id("refusal").text == f"The form has no field '{name}'."


@each_row(("act", "changed"), [
    ("reply", {"comment": "7"}),
    ("resolve", {"thread": "7"}),
    ("edit", {"comment": "7"}),
    ("delete", {"comment": "7"}),
    ("react", {"subject": "7"}),
    ("react", {"kind": "issue", "subject": "999999"}),
    ("react", {"kind": "review comment", "subject": "7"}),
    ("react", {"kind": "review", "subject": "7"}),
    ("rerequest", {"check": "7"}),
    ("action", {"check": "7"}),
])  # fmt: skip
def test_a_missing_object_is_not_found(
    still: Scene, read_as: Callable[..., Reader], act: str, changed: dict[str, str]
) -> None:
    assert still.send(read_as("will", "write"), act, **changed).status_code == 404


@each_row("act", ["reply", "resolve", "react", "edit", "delete"])
def test_a_comment_of_another_pull_request_is_not_found(
    still: Scene, read_as: Callable[..., Reader], open_pull: Callable[..., int], act: str
) -> None:
    other = replace(still, pull=still.github.state.pulls[open_pull({"a.py": "x\n"}, {"a.py": "y\n"})])

    assert other.send(read_as("will", "write"), act).status_code == 404


def test_a_pending_review_is_there_only_for_who_writes_it(scene: Scene, read_as: Callable[..., Reader]) -> None:
    author = Client(scene.github, scene.github.token_for("paula", "write"))
    told = {"comments": [{"path": "a.py", "line": 1, "body": "A thought."}]}
    author.post(f"/repos/acme/widgets/pulls/{scene.pull.number}/reviews", told)
    author.close()
    thought = next(str(each.id) for each in scene.github.state.comments.values() if each.author == "paula")
    forms = {"reply": "comment", "resolve": "thread", "edit": "comment"}

    others = [scene.send(read_as("ada", "admin"), act, **{name: thought}) for act, name in forms.items()]
    own = scene.send(read_as("paula", "write"), "edit", comment=thought)

    assert [answer.status_code for answer in others] == [404] * 3
    assert own.status_code == DONE


@each_row(("back", "to"), [
    ("/acme/widgets/pull/{}/files?diff=split", "/acme/widgets/pull/{}/files?diff=split"),
    ("/acme/widgets/pull/{}", "/acme/widgets/pull/{}"),
    ("/acme/widgets/pull/{}/files#other", "/acme/widgets/pull/{}"),
    ("/acme/widgets/pull/{}.example.org", "/acme/widgets/pull/{}"),
    ("https://example.org/", "/acme/widgets/pull/{}"),
    ("@example.org", "/acme/widgets/pull/{}"),
])  # fmt: skip
def test_an_act_leads_back_to_where_its_form_was(scene: Scene, reader: Reader, back: str, to: str) -> None:
    number = scene.pull.number

    answer = scene.send(reader, "resolve", back=back.format(number))

    assert answer.headers["location"] == f"{to.format(number)}#thread-{scene.thread}"
