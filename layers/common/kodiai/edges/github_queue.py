"""The merge queue of a branch.

Reference: https://docs.github.com/en/graphql/reference/objects#mergequeue
"""

from collections.abc import Sequence

from kodiai.edges.github_errors import NOT_PERMITTED, translate_errors
from kodiai.edges.github_snapshot import PullRequestReader

_MOST_ENTRIES = 100


class MergeQueueReader(PullRequestReader):
    """Reads the merge queue."""

    def merge_group(self, base: str, commit: str, numbers: Sequence[int]) -> dict[int, str]:
        """Read the entries that are dropped or merged with this commit.

        The commit has the changes of those ahead of it too. Each of them has a commit of its own, by which it is
        dropped. But in a queue that merges an entry which failed together with one that passed, only the last commit
        counts. Without the permission for merge queues they are those with these numbers, which the branch names.
        """
        named = "".join(f" p{number}: pullRequest(number: {number}) {{ number headRefOid }}" for number in numbers)
        document = f"""
query MergeGroup($owner: String!, $name: String!, $base: String!) {{
  repository(owner: $owner, name: $name) {{{named}
    mergeQueue(branch: $base) {{
      configuration {{ mergingStrategy }}
      entries(first: {_MOST_ENTRIES}) {{
        nodes {{ baseCommit {{ oid }} headCommit {{ oid }} pullRequest {{ number headRefOid }} }}
      }}
    }}
  }}
}}
"""
        place = {"owner": self._names["owner"], "name": self._names["repo"], "base": base}
        answer = self._graphql("MergeGroup", document, place, changes=False)
        others = [each for each in answer["errors"] if not _hides_queue(each)]
        if others:
            raise translate_errors(others)
        repository = answer["data"]["repository"]
        queue = repository.get("mergeQueue") or {}
        entries = {
            each["headCommit"]["oid"]: each
            for each in (queue.get("entries") or {}).get("nodes") or ()
            if each and each["headCommit"]
        }
        held = [repository[f"p{number}"] for number in numbers]
        seen: set[str] = set()
        is_one_for_all = (queue.get("configuration") or {}).get("mergingStrategy") == "HEADGREEN"
        while is_one_for_all and commit in entries and commit not in seen:
            seen.add(commit)
            held.append(entries[commit]["pullRequest"])
            commit = (entries[commit]["baseCommit"] or {"oid": ""})["oid"]
        return {each["number"]: each["headRefOid"] for each in held if each}


def _hides_queue(error: dict[str, object]) -> bool:
    path = error.get("path")
    return isinstance(path, list) and "mergeQueue" in path and error.get("type") in NOT_PERMITTED
