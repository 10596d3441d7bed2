"""The App, the acting user, the repository, and what somebody may do in it."""

from local.github.answers import Answer, not_found, refuse
from local.github.call import Call
from local.github.views import view_app, view_permission, view_private_user, view_repository


def get_app(call: Call) -> Answer:
    """The App that the JWT is of."""
    return Answer(body=view_app(call.world))


def get_user(call: Call) -> Answer:
    """Whose token it is."""
    return Answer(body=view_private_user(call.world, call.user))


def get_repository(call: Call) -> Answer:
    """The repository."""
    return Answer(body=view_repository(call.world, full=True))


def get_permission(call: Call) -> Answer:
    """What somebody may do here: none, read, write or admin, and the finer role's name."""
    if call.actor.kind == "user" and not call.user.may("write"):
        raise refuse(403, "Must have push access to view collaborator permission.")
    user = call.world.state.users.get(call.params["username"])
    if user is None:
        raise not_found()
    return Answer(body=view_permission(call.world, user))
