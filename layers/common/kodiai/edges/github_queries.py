"""The GraphQL queries about one pull request, and which of their parts are dispensable.

Reference: https://docs.github.com/en/graphql/reference
"""

import json
from collections.abc import Collection, Sequence

from kodiai.core.config.read import OWNER_REPOSITORY
from kodiai.core.plan.snapshot import LINKED_ISSUES, ROOT_GUIDANCE

_AUTHOR = "author { __typename login }"
# A reaction's own user may be a bot in place of the user that the schema promises; reactors are what they are.
_REACTIONS = "reactionGroups { content reactors(first: 20) { nodes { ... on User { login } } } }"
_THREADS = f"""
pageInfo {{ hasNextPage endCursor }}
nodes {{
  id isResolved viewerCanResolve
  path line startLine originalLine originalStartLine
  resolvedBy {{ __typename login }}
  root: comments(first: 1) {{ nodes {{ databaseId body diffHunk {_AUTHOR} {_REACTIONS} }} }}
  said: comments(last: 30) {{ nodes {{ databaseId body {_AUTHOR} }} }}
}}
"""
_NAMES = "entries { name }"
_FILE = "{ mode object { ... on Blob { text isTruncated } } }"
GUIDANCE_PARTS = {f"guidance{at}": path for at, path in enumerate(ROOT_GUIDANCE)}
MOST_CHECKS = 100
# A check run has up to 50 annotations for each request that wrote it.
_CHECKS = f"""
contexts(first: {MOST_CHECKS}) {{
  pageInfo {{ hasNextPage }}
  nodes {{
    __typename
    ... on CheckRun {{
      id databaseId name status conclusion externalId title isRequired(pullRequestNumber: $number)
      annotations(first: 20) {{
        nodes {{ path location {{ start {{ line }} end {{ line }} }} title message }}
      }}
    }}
    ... on StatusContext {{ context state isRequired(pullRequestNumber: $number) }}
  }}
}}
"""
OWNER = "ownerDefaults"
FOLDER = "githubFolder"
ISSUES, COMMITS, TEMPLATES = "closingIssuesReferences", "commits", "pullRequestTemplates"
HEAD, CHECKS, PULL_REQUESTS = "headCommit", "statusCheckRollup", "associatedPullRequests"
# The parts that a review can do without, by their keys in the answer, in the words that a person reads.
DISPENSABLE = {
    ISSUES: LINKED_ISSUES,
    COMMITS: "commit messages",
    TEMPLATES: "pull request templates",
    **GUIDANCE_PARTS,
    HEAD: "checks of the head",
    CHECKS: "checks of the head",
    PULL_REQUESTS: "other pull requests of the head",
}
MORE_THREADS = f"""
query Threads($owner: String!, $name: String!, $number: Int!, $after: String!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{ reviewThreads(first: 100, after: $after) {{ {_THREADS} }} }}
  }}
}}
"""
# The comments on the pull request itself, not those in its threads.
CONVERSATION = f"""
query Conversation($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      comments(last: 100) {{ nodes {{ databaseId body createdAt lastEditedAt {_AUTHOR} }} }}
      reviews(last: 50) {{ nodes {{ databaseId body createdAt submittedAt lastEditedAt state {_AUTHOR} }} }}
    }}
  }}
}}
"""


def entries_query(paths: Sequence[str]) -> str:
    """The query of what a commit has at some paths: `f0`, `f1` and so on, null where there is nothing."""
    files = " ".join(
        f"f{at}: file(path: {json.dumps(path, ensure_ascii=False)}) {{ mode oid size }}"
        for at, path in enumerate(paths)
    )
    return f"""
query Entries($owner: String!, $name: String!, $commit: GitObjectID!) {{
  repository(owner: $owner, name: $name) {{ object(oid: $commit) {{ ... on Commit {{ {files} }} }} }}
}}
"""


def snapshot_query(left_out: Collection[str], *, with_owner: bool) -> str:
    """The query of the snapshot, without some of the dispensable parts.

    `with_owner` is whether the owner's settings are read. A repository that once had their name does not count.
    """
    parts = {
        ISSUES: f"{ISSUES}(first: 3) {{ nodes {{ number title body repository {{ nameWithOwner }} }} }}",
        COMMITS: f"{COMMITS}(last: 20) {{ nodes {{ commit {{ message }} }} }}",
        TEMPLATES: f"{TEMPLATES} {{ body }}",
        CHECKS: f"{CHECKS} {{ {_CHECKS} }}",
        PULL_REQUESTS: f"{PULL_REQUESTS}(first: 20) {{ nodes {{ number state headRefOid }} }}",
        **{part: f'{part}: file(path: "{path}") {_FILE}' for part, path in GUIDANCE_PARTS.items()},
    }
    owner = f"""
  {OWNER}: repository(owner: $owner, name: "{OWNER_REPOSITORY}", followRenames: false) {{
    defaultBranchRef {{ target {{ ... on Commit {{ file(path: $path) {_FILE} }} }} }}
  }}"""
    asked = {part: "" if part in left_out else text for part, text in parts.items()}
    of_head = "" if HEAD in left_out else f"{asked[CHECKS]} {asked[PULL_REQUESTS]}".strip()
    return f"""
query Snapshot($owner: String!, $name: String!, $number: Int!, $path: String!) {{
  viewer {{ login }}{owner if with_owner else ""}
  repository(owner: $owner, name: $name) {{
    id databaseId isPrivate viewerPermission
    defaultBranchRef {{ name target {{ ... on Commit {{ file(path: $path) {_FILE} }} }} }}
    {asked[TEMPLATES]}
    pullRequest(number: $number) {{
      url title body lastEditedAt state isDraft locked headRefOid baseRefOid baseRefName {_AUTHOR}
      labels(first: 100) {{ nodes {{ name }} }}
      {asked[COMMITS]}
      {asked[ISSUES]}
      {f"{HEAD}: commits(last: 1) {{ nodes {{ commit {{ {of_head} }} }} }}" if of_head else ""}
      baseRef {{ target {{ ... on Commit {{
        file(path: $path) {_FILE}
        tree {{ {_NAMES} }}
        {FOLDER}: file(path: "{OWNER_REPOSITORY}") {{ object {{ ... on Tree {{ {_NAMES} }} }} }}
        {" ".join(asked[part] for part in GUIDANCE_PARTS)}
      }} }} }}
      reviewThreads(first: 100) {{ {_THREADS} }}
      reviews(last: 100) {{ nodes {{ id state body submittedAt isMinimized {_AUTHOR} }} }}
    }}
  }}
}}
"""
