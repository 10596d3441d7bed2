"""What the stand-in serves: the one list that pruning, routing and checking share."""

_REPO = "/repos/{owner}/{repo}"
_PULL = _REPO + "/pulls/{pull_number}"
_REVIEW = _PULL + "/reviews/{review_id}"
_COMMENT = _REPO + "/pulls/comments/{comment_id}"
_ISSUE = _REPO + "/issues/{issue_number}"
_ISSUE_COMMENT = _REPO + "/issues/comments/{comment_id}"
_CHECK = _REPO + "/check-runs"

OPERATIONS = (
    "GET /app",
    "GET /app/hook/deliveries",
    "POST /app/hook/deliveries/{delivery_id}/attempts",
    "POST /app/installations/{installation_id}/access_tokens",
    "GET /rate_limit",
    "GET /user",
    f"GET {_REPO}",
    f"GET {_REPO}/installation",
    f"GET {_REPO}/collaborators/{{username}}/permission",
    f"GET {_REPO}/pulls",
    f"GET {_PULL}",
    f"GET {_PULL}/files",
    f"GET {_PULL}/commits",
    f"GET {_PULL}/reviews",
    f"POST {_PULL}/reviews",
    f"GET {_REVIEW}",
    f"PUT {_REVIEW}",
    f"DELETE {_REVIEW}",
    f"GET {_REVIEW}/comments",
    f"PUT {_REVIEW}/dismissals",
    f"POST {_REVIEW}/events",
    f"GET {_PULL}/comments",
    f"POST {_PULL}/comments",
    f"POST {_PULL}/comments/{{comment_id}}/replies",
    f"GET {_COMMENT}",
    f"PATCH {_COMMENT}",
    f"DELETE {_COMMENT}",
    f"GET {_COMMENT}/reactions",
    f"POST {_COMMENT}/reactions",
    f"GET {_ISSUE}/comments",
    f"POST {_ISSUE}/comments",
    f"GET {_ISSUE}/reactions",
    f"POST {_ISSUE}/reactions",
    f"GET {_ISSUE_COMMENT}",
    f"PATCH {_ISSUE_COMMENT}",
    f"DELETE {_ISSUE_COMMENT}",
    f"GET {_ISSUE_COMMENT}/reactions",
    f"POST {_ISSUE_COMMENT}/reactions",
    f"POST {_CHECK}",
    f"GET {_CHECK}/{{check_run_id}}",
    f"PATCH {_CHECK}/{{check_run_id}}",
    f"GET {_CHECK}/{{check_run_id}}/annotations",
    f"GET {_REPO}/commits/{{ref}}/check-runs",
    f"GET {_REPO}/commits/{{ref}}",
    f"GET {_REPO}/commits/{{commit_sha}}/pulls",
    f"GET {_REPO}/compare/{{basehead}}",
    f"GET {_REPO}/contents/{{path}}",
    f"GET {_REPO}/git/trees/{{tree_sha}}",
    f"GET {_REPO}/git/blobs/{{file_sha}}",
    f"GET {_REPO}/tarball/{{ref}}",
)
"""Method and path template, in GitHub's own spelling."""

WEBHOOKS = (
    "check-run-requested-action",
    "check-run-rerequested",
    "issue-comment-created",
    "pull-request-closed",
    "pull-request-opened",
    "pull-request-ready-for-review",
    "pull-request-reopened",
    "pull-request-review-comment-created",
    "pull-request-review-dismissed",
    "pull-request-review-requested",
    "pull-request-review-submitted",
    "pull-request-synchronize",
)
"""GitHub's names of the payloads that are sent: the event and the action, with hyphens."""

_PAGE = ("nodes", "pageInfo", "totalCount")
_MUTATION_RESULT = ("clientMutationId",)
_COMMENT_FIELDS = (
    "author", "authorAssociation", "body", "createdAt", "createdViaEmail", "databaseId", "editor", "fullDatabaseId",
    "id", "includesCreatedEdit", "isMinimized", "lastEditedAt", "minimizedReason", "publishedAt", "updatedAt", "url",
    "viewerDidAuthor",
)  # fmt: skip

GRAPHQL_FIELDS: dict[str, tuple[str, ...]] = {
    "Query": ("node", "rateLimit", "repository", "viewer"),
    "Mutation": (
        "addPullRequestReviewThreadReply",
        "dismissPullRequestReview",
        "minimizeComment",
        "resolveReviewThread",
        "unminimizeComment",
        "unresolveReviewThread",
        "updateCheckRun",
    ),
    "Actor": ("login", "url"),
    "Node": ("id",),
    "Minimizable": ("isMinimized", "minimizedReason"),
    "Bot": ("databaseId",),
    "User": ("databaseId",),
    "PageInfo": ("endCursor", "hasNextPage", "hasPreviousPage", "startCursor"),
    "RateLimit": ("cost", "limit", "remaining", "resetAt", "used"),
    "Repository": (
        "databaseId", "isPrivate", "name", "nameWithOwner", "object", "owner", "pullRequest", "pullRequestTemplates",
    ),
    "RepositoryOwner": ("id", "login"),
    "PullRequest": (
        "author", "baseRef", "baseRefName", "baseRefOid", "body", "changedFiles", "closed", "closingIssuesReferences",
        "comments", "commits", "createdAt", "databaseId", "fullDatabaseId", "headRefName", "headRefOid", "isDraft",
        "merged", "number", "reviewThreads", "reviews", "state", "title", "updatedAt", "url",
    ),
    "PullRequestReview": (*_COMMENT_FIELDS, "comments", "state", "submittedAt"),
    "PullRequestReviewComment": (
        *_COMMENT_FIELDS, "diffHunk", "line", "originalLine", "outdated", "path", "pullRequestReview", "replyTo",
        "startLine", "state",
    ),
    "PullRequestReviewThread": (
        "comments", "diffSide", "isCollapsed", "isOutdated", "isResolved", "line", "originalLine", "originalStartLine",
        "path", "pullRequest", "resolvedBy", "startDiffSide", "startLine", "subjectType", "viewerCanReply",
        "viewerCanResolve", "viewerCanUnresolve",
    ),
    "IssueComment": _COMMENT_FIELDS,
    "Issue": ("author", "body", "closed", "createdAt", "databaseId", "number", "repository", "state", "title", "url"),
    "PullRequestCommit": ("commit",),
    "PullRequestTemplate": ("body", "filename"),
    "Ref": ("name", "prefix", "target"),
    "GitObject": ("id", "oid"),
    "Commit": ("file", "message"),
    "Tree": (),
    "TreeEntry": ("mode", "name", "object", "oid", "path", "size", "type"),
    "Blob": ("byteSize", "isBinary", "isTruncated", "text"),
    "CheckRun": (
        "annotations", "completedAt", "conclusion", "databaseId", "detailsUrl", "externalId", "name", "permalink",
        "repository", "startedAt", "status", "summary", "text", "title", "url",
    ),
    "CheckAnnotation": ("annotationLevel", "blobUrl", "location", "message", "path", "rawDetails", "title"),
    "CheckAnnotationSpan": ("end", "start"),
    "CheckAnnotationPosition": ("column", "line"),
    "CheckAnnotationConnection": _PAGE,
    "IssueCommentConnection": _PAGE,
    "IssueConnection": _PAGE,
    "PullRequestCommitConnection": _PAGE,
    "PullRequestReviewConnection": _PAGE,
    "PullRequestReviewCommentConnection": _PAGE,
    "PullRequestReviewThreadConnection": _PAGE,
    "AddPullRequestReviewThreadReplyPayload": (*_MUTATION_RESULT, "comment"),
    "DismissPullRequestReviewPayload": (*_MUTATION_RESULT, "pullRequestReview"),
    "MinimizeCommentPayload": (*_MUTATION_RESULT, "minimizedComment"),
    "UnminimizeCommentPayload": (*_MUTATION_RESULT, "unminimizedComment"),
    "ResolveReviewThreadPayload": (*_MUTATION_RESULT, "thread"),
    "UnresolveReviewThreadPayload": (*_MUTATION_RESULT, "thread"),
    "UpdateCheckRunPayload": (*_MUTATION_RESULT, "checkRun"),
}  # fmt: skip
"""The GraphQL types and, beyond those of their interfaces, the fields that are answered."""
