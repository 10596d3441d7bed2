"""The acting user, the repository's own facts, and what somebody may do in it."""

from local.github.answers import Answer, not_found, refuse
from local.github.call import Call
from local.github.views import view_permission, view_private_user, view_repository


def get_user(call: Call) -> Answer:
    """Who the token speaks for."""
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


def get_rate_limit(call: Call) -> Answer:
    """What is left of the hour; asking costs nothing."""
    core, graphql = call.rates("core"), call.rates("graphql")
    search = {"limit": 30, "used": 0, "remaining": 30, "reset": core["reset"]}
    return Answer(body={"resources": {"core": core, "graphql": graphql, "search": search}, "rate": core})
