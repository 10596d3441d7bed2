"""People, the repository and the App in the shapes of GitHub's REST API."""

import base64
from typing import Any
from urllib.parse import quote

from local.github.hosted_repository import AppFacts, HostedRepository, timestamp
from local.github.state import Label, Reaction, Role, User

Json = dict[str, Any]
_REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
_USER_LINKS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}
_USER_COUNTS = (
    "collaborators",
    "disk_usage",
    "followers",
    "following",
    "owned_private_repos",
    "private_gists",
    "public_gists",
    "public_repos",
    "total_private_repos",
)
_PERMISSIONS: dict[Role, str] = {"triage": "read", "maintain": "write"}
_REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


def node_id(kind: str, number: int) -> str:
    """A global id: the kind's prefix and the number, so that one can be read back from it."""
    return f"{kind}_{base64.urlsafe_b64encode(number.to_bytes(8, 'big')).decode().rstrip('=')}"


def read_node_id(text: str) -> tuple[str, int] | None:
    """The kind and number of a global id, None where it is not one of ours."""
    kind, _, number = text.partition("_")
    try:
        return kind, int.from_bytes(base64.urlsafe_b64decode(number + "=" * (-len(number) % 4)), "big")
    except ValueError:
        return None


def view_user(repository: HostedRepository, user: User) -> Json:
    """A simple user."""
    api = f"{repository.url}/users/{quote(user.login)}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id("BOT" if user.type == "Bot" else "U", user.id),
        "avatar_url": f"{repository.url}/avatars/{user.id}",
        "gravatar_id": "",
        "url": api,
        "html_url": f"{repository.url}/{quote(user.login)}",
        **{name: api + tail for name, tail in _USER_LINKS.items()},
        "type": user.type,
        "site_admin": False,
        "user_view_type": "public",
    }


def view_login(repository: HostedRepository, login: str) -> Json:
    """A simple user, by login."""
    return view_user(repository, repository.user(login))


def view_label(repository: HostedRepository, label: Label) -> Json:
    """A label, in the color that GitHub gives one by itself."""
    return {
        "id": label.id,
        "node_id": node_id("LA", label.id),
        "url": f"{repository.api}/labels/{quote(label.name)}",
        "name": label.name,
        "description": None,
        "color": "ededed",
        "default": False,
    }


def view_private_user(repository: HostedRepository, user: User) -> Json:
    """A person as they see themselves."""
    facts = dict.fromkeys(("bio", "company", "email", "hireable", "location", "name", "twitter_username"))
    counts = dict.fromkeys(_USER_COUNTS, 0)
    times = dict.fromkeys(("created_at", "updated_at"), timestamp(repository.started))
    return view_user(repository, user) | facts | counts | times | {"blog": "", "two_factor_authentication": True}


def view_permission(repository: HostedRepository, user: User) -> Json:
    """The rights that somebody has here: the four old words, and the role by its own name."""
    plain = _PERMISSIONS.get(user.role, user.role)
    held = {
        "admin": user.may("admin"),
        "maintain": user.may("maintain"),
        "push": user.may("write"),
        "triage": user.may("triage"),
        "pull": user.may("read"),
    }
    who = view_user(repository, user) | {"permissions": held, "role_name": user.role}
    return {"permission": plain, "user": who, "role_name": user.role}


def view_repository(repository: HostedRepository, owner: str | None = None, *, full: bool = False) -> Json:
    """The repository, or the fork of it that belongs to `owner`."""
    full_name = f"{owner or repository.owner}/{repository.name}"
    api, html = f"{repository.url}/repos/{full_name}", f"{repository.url}/{full_name}"
    issues = sum(issue.state == "open" for issue in repository.state.issues.values())
    issues += sum(pull.state == "open" for pull in repository.state.pulls.values())
    counts = dict.fromkeys(("forks", "forks_count", "size", "stargazers_count", "watchers", "watchers_count"), 0)
    features = dict.fromkeys(("has_issues", "has_projects", "has_wiki"), True)
    own = {"network_count": 0, "subscribers_count": 0} if full else {}
    return {
        "id": repository.id + (owner is not None),
        "node_id": node_id("R", repository.id + (owner is not None)),
        "name": repository.name,
        "full_name": full_name,
        "owner": view_login(repository, owner or repository.owner),
        "private": repository.is_private,
        "visibility": "private" if repository.is_private else "public",
        "html_url": html,
        "description": None,
        "fork": owner is not None,
        "url": api,
        **{name: api + tail for name, tail in _REPOSITORY_LINKS.items()},
        "clone_url": f"{html}.git",
        "git_url": f"{html}.git",
        "ssh_url": f"git@localhost:{full_name}.git",
        "svn_url": html,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": repository.default_branch,
        "archived": False,
        "disabled": False,
        "has_pages": False,
        "has_discussions": False,
        "is_template": False,
        "allow_forking": True,
        "web_commit_signoff_required": False,
        "topics": [],
        "open_issues": issues,
        "open_issues_count": issues,
        **counts,
        **features,
        **own,
        "pushed_at": timestamp(repository.started),
        "created_at": timestamp(repository.started),
        "updated_at": timestamp(repository.started),
    }


def view_app(repository: HostedRepository, slug: str | None = None) -> Json:
    """Our App, or another one by its slug."""
    app = repository.app_named(slug)
    html = f"{repository.url}/{'github-apps' if repository.is_server else 'apps'}/{app.slug}"
    return {
        "id": app.id,
        "client_id": app.client_id,
        "slug": app.slug,
        "node_id": node_id("A", app.id),
        "owner": view_login(repository, repository.owner),
        "name": app.slug,
        "description": "",
        "external_url": html,
        "html_url": html,
        "created_at": timestamp(repository.started),
        "updated_at": timestamp(repository.started),
        "permissions": app.permissions,
        "events": app.events,
    }


def view_hook(app: AppFacts) -> Json:
    """Return the App's webhook configuration, the secret hidden."""
    secret = {"secret": "********"} if app.hook_secret else {}
    return {"url": app.hook_url or "", "content_type": app.hook_content_type, "insecure_ssl": "0", **secret}


def view_installation(repository: HostedRepository) -> Json:
    """The App's newest installation."""
    number = repository.installation.id
    owner = view_login(repository, repository.owner)
    place = f"organizations/{repository.owner}/settings" if owner["type"] == "Organization" else "settings"
    created = repository.installation.created_at or repository.started
    times = dict.fromkeys(("created_at", "updated_at"), timestamp(created))
    return {
        "id": number,
        "account": owner,
        "app_id": repository.app.id,
        "app_slug": repository.app.slug,
        "client_id": repository.app.client_id,
        "target_id": owner["id"],
        "target_type": owner["type"],
        "repository_selection": "selected",
        "permissions": repository.granted,
        "events": repository.app.events,
        "access_tokens_url": f"{repository.url}/app/installations/{number}/access_tokens",
        "repositories_url": f"{repository.url}/installation/repositories",
        "html_url": f"{repository.url}/{place}/installations/{number}",
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": None,
        **times,
    }


def view_reaction(repository: HostedRepository, reaction: Reaction) -> Json:
    """One reaction."""
    return {
        "id": reaction.id,
        "node_id": node_id("REA", reaction.id),
        "user": view_login(repository, reaction.author),
        "content": reaction.content,
        "created_at": timestamp(reaction.at),
    }


def view_rollup(url: str, reactions: list[Reaction]) -> Json:
    """The number of reactions of each kind that a thing got."""
    counts = {content: sum(r.content == content for r in reactions) for content in _REACTIONS}
    return {"url": f"{url}/reactions", "total_count": len(reactions), **counts}


def association(repository: HostedRepository, login: str) -> str:
    """The word by which GitHub introduces an author in this repository."""
    user = repository.user(login)
    if login == repository.owner:
        return "OWNER"
    return "COLLABORATOR" if user.type == "User" and user.may("triage") else "NONE"
