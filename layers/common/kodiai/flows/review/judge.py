"""Judge: what was reported, held against the code at the head."""

from kodiai.core.findings.judge import Judgement, judge
from kodiai.flows.review.ask import Asked
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.look_up import text_lines
from kodiai.ports import Tree


def judge_reports(gathered: Gathered, asked: Asked, tree: Tree) -> Judgement:
    """Judge everything that was reported against the code at the head."""
    files = {file.path: file for file in gathered.files}
    config = gathered.config.review

    def takes_comment(path: str, start: int, end: int) -> bool:
        return path in files and files[path].takes_comment_on(start, end)

    return judge(
        [finding for report in asked.reports for finding in report.findings],
        read_lines=lambda path: text_lines(tree, path),
        takes_comment=takes_comment,
        floor=config.severity.min_level,
        max_comments=config.max_comments,
    )
