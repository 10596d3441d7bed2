"""The pages of an App on GitHub, for its owner."""

import pytest

from cli.registered_app import AppFacts


@pytest.mark.parametrize(
    ("page", "kind", "permissions"),
    [
        (
            "https://github.com/apps/kodiai-acme",
            "Organization",
            "https://github.com/organizations/acme/settings/apps/kodiai-acme/permissions",
        ),
        ("https://github.com/apps/kodiai-acme", "User", "https://github.com/settings/apps/kodiai-acme/permissions"),
        (
            "https://git.acme.com/github-apps/kodiai-acme",
            "Organization",
            "https://git.acme.com/organizations/acme/settings/apps/kodiai-acme/permissions",
        ),
    ],
)
def test_the_pages_of_the_owner_follow_from_the_apps_own(page: str, kind: str, permissions: str) -> None:
    """An organization's App is set up below the organization, on GitHub's servers too."""
    owner = {"login": "acme", "type": kind}
    facts = AppFacts.read(
        {"id": 1, "slug": "kodiai-acme", "html_url": page, "owner": owner, "permissions": {}, "events": []}
    )

    assert facts.permissions_page == permissions
    assert facts.installation_page == f"{page}/installations/new"
