"""The look-up tools as the model is offered them."""

from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import Tool
from kodiai.core.repository.file_range import MOST_LINES

MOST_RANGES = 40
HITS_A_PAGE = 60
PATHS_A_PAGE = 500
MOST_BODIES = 5

_PAGE = {"type": "integer", "description": "The page, from 1. Default 1."}
_PATH = {"type": "string", "description": "A path from the repository's root."}
_BELOW = {"type": "string", "description": "Only files below this folder, or this file."}


def _object(properties: JsonObject, *required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


_RANGE = _object(
    {
        "path": _PATH,
        "start_line": {"type": "integer", "description": "The first line, from 1. Default 1."},
        "end_line": {"type": "integer", "description": "The last line, included. Default: as many as fit."},
    },
    "path",
)

LOOK_UPS: tuple[Tool, ...] = (
    Tool(
        "read_files",
        f"Read files, or ranges of their lines, at the head of the pull request. They share {MOST_LINES} lines a call.",
        _object({"files": {"type": "array", "items": _RANGE, "minItems": 1, "maxItems": MOST_RANGES}}, "files"),
    ),
    Tool(
        "find",
        "Find a text, or a pattern, in the lines of the files at the head. Give exactly one of both. Upper and lower "
        f"case differ. Each line is shown with the definition that it is in, {HITS_A_PAGE} lines a page.",
        _object(
            {
                "text": {"type": "string", "description": "A plain text on one line."},
                "pattern": {"type": "string", "description": "A regular expression of RE2, matched line by line."},
                "whole_words": {"type": "boolean", "description": "Only where no word goes on at its ends."},
                "path": _BELOW,
                "page": _PAGE,
            }
        ),
    ),
    Tool(
        "list_files",
        "List the repository's files at the head.",
        _object({"path": {"type": "string", "description": "Only those below this folder."}, "page": _PAGE}),
    ),
    Tool(
        "find_definition",
        "Find the definitions of a name by the grammars of the files, with their code: of a function, a type, a macro, "
        f"or else of a constant. Where they are over {MOST_BODIES}, only their places.",
        _object(
            {
                "name": {"type": "string", "description": "The name alone, without its class or module."},
                "path": {
                    "type": "string",
                    "description": "The file that uses it: only files of its language count, those it imports first.",
                },
            },
            "name",
        ),
    ),
    Tool(
        "find_uses",
        "Find the lines that use or define a name, by the grammars: not in comments and strings. Of a file that no "
        "grammar reads, they are those with the word.",
        _object(
            {
                "name": {"type": "string", "description": "The name alone, without its class or module."},
                "path": {
                    "type": "string",
                    "description": "The file that defines it: only files of its language count, the nearest first.",
                },
                "page": _PAGE,
            },
            "name",
        ),
    ),
)
