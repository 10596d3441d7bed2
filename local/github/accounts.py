"""The App, the acting user, the repository, and what somebody may do in it."""

from local.github.answers import ApiResponse, api_error, not_found
from local.github.call import Call, cut, page
from local.github.credentials import covers
from local.github.hosted_repository import HostedRepository, timestamp
from local.github.views import view_app, view_installation, view_permission, view_private_user, view_repository

TOKEN_SECONDS = 3600
_OTHER_REPOSITORY = (
    "There is at least one repository that does not exist or is not accessible to the parent installation."
)


def get_app(call: Call) -> ApiResponse:
    """The App that the JWT is of."""
    return ApiResponse(body=view_app(call.repository))


def get_installation(call: Call) -> ApiResponse:
    """The App's installation on the repository."""
    return ApiResponse(body=view_installation(call.repository))


def get_installation_by_id(call: Call) -> ApiResponse:
    """The App's installation on the repository of this id, to which GitHub redirects from its earlier names."""
    if not call.repository.has_app or call.number("repository_id") != call.repository.id:
        raise not_found()
    return get_installation(call)


def create_token(call: Call) -> ApiResponse:
    """A token of the installation, for all its repositories or some, with all its permissions or fewer."""
    repository, installation = call.repository, call.repository.installation
    if call.number("installation_id") != installation.id or not installation.exists:
        raise not_found()
    names, ids = call.body.get("repositories", []), call.body.get("repository_ids", [])
    granted = repository.granted
    wanted = {"metadata": "read", **(call.body.get("permissions") or granted)}
    chosen = [each for each in _with_app(call) if each.name in names or each.id in ids]
    if len(chosen) < len({*names, *ids}):
        raise api_error(422, _OTHER_REPOSITORY)
    if not all(covers(granted.get(name), level) for name, level in wanted.items()):
        raise api_error(422, "The permissions requested are not granted to this installation.")
    only = frozenset(each.id for each in chosen) if chosen else None
    view = {
        "token": call.credentials.installation_token(installation.id, wanted, only),
        "expires_at": timestamp(repository.now() + TOKEN_SECONDS),
        "permissions": wanted,
        "repository_selection": "selected",
    }
    return ApiResponse(201, view | ({"repositories": [view_repository(each) for each in chosen]} if chosen else {}))


def _with_app(call: Call) -> list[HostedRepository]:
    """The one repository and the owner's, as far as the App is installed on them."""
    here = [call.repository, call.repository.owners]
    return [each for each in here if each is not None and each.has_app]


def list_installations(call: Call) -> ApiResponse:
    """The App's installations: the newest one, if it still exists."""
    there = [call.repository.installation] if call.repository.installation.exists else []
    return page(call, there, lambda repository, _: view_installation(repository))


def list_repositories_of_installation(call: Call) -> ApiResponse:
    """The repositories that the installation has."""
    there, links = cut(call, _with_app(call))
    views = [view_repository(each) for each in there]
    body = {"total_count": len(views), "repository_selection": "selected", "repositories": views}
    return ApiResponse(body=body, headers=links)


def list_repositories_of_user(call: Call) -> ApiResponse:
    """The repositories that somebody works in: the one, as far as they may read it."""
    there = [call.repository] if call.may_read else []
    return page(call, there, lambda repository, _: view_repository(repository))


def get_user(call: Call) -> ApiResponse:
    """Return the owner of the token."""
    return ApiResponse(body=view_private_user(call.repository, call.user))


def get_person(call: Call) -> ApiResponse:
    """Somebody, by their login, in capitals or not."""
    login, users = call.params["username"].lower(), call.repository.state.users.values()
    user = next((each for each in users if each.login.lower() == login), None)
    if user is None:
        raise not_found()
    return ApiResponse(body=view_private_user(call.repository, user))


def get_repository(call: Call) -> ApiResponse:
    """The repository."""
    return ApiResponse(body=view_repository(call.repository, full=True))


def get_permission(call: Call) -> ApiResponse:
    """The rights that somebody has here: none, read, write or admin, and the finer role's name."""
    if call.actor.kind == "user" and not call.user.may("write"):
        raise api_error(403, "Must have push access to view collaborator permission.")
    user = call.repository.state.users.get(call.params["username"])
    if user is None:
        raise not_found()
    return ApiResponse(body=view_permission(call.repository, user))
