"""A draft: the edits by which a model makes a change, and the diff that they make of the files."""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.diffs.write_diff import diff_of
from kodiai.core.model.json_answer import UnreadableAnswer, read_object
from kodiai.core.proposals.proposal import Content, IntendedChange, Intent
from kodiai.core.text.secrets import has_mask_of, place_behind_masks

_MOST_EDITS = 200


class Edit(BaseModel):
    """One edit: `old`, which is in the file exactly once, becomes `new`. Without `old` the file is new."""

    model_config = ConfigDict(frozen=True)

    path: Annotated[str, Field(min_length=1, max_length=1_000)]
    old: str
    new: str


class Draft(BaseModel):
    """A change as a model writes it. `deleted` are files that go; `impossible` is why there is none."""

    model_config = ConfigDict(frozen=True)

    description: Annotated[str, Field(max_length=10_000)] = ""
    changes: Annotated[tuple[IntendedChange, ...], Field(max_length=50)] = ()
    edits: Annotated[tuple[Edit, ...], Field(max_length=_MOST_EDITS)] = ()
    deleted: Annotated[tuple[str, ...], Field(max_length=_MOST_EDITS)] = ()
    impossible: str = ""


class UnusableDraft(ValueError):
    """The draft makes no change of the files as they are; each of the `complaints` is a sentence for the model."""

    def __init__(self, complaints: Iterable[str]) -> None:
        self.complaints = tuple(complaints)
        super().__init__(" ".join(self.complaints))


def read_draft(text: str) -> Draft:
    """Read a model's answer, which may have words around the object. Raises UnusableDraft."""
    try:
        draft = Draft.model_validate(read_object(text, "edits"))
    except UnreadableAnswer as error:
        raise UnusableDraft([f"The answer cannot be read: {error}."]) from error
    except ValidationError as error:
        where = sorted({".".join(map(str, each["loc"])) for each in error.errors()})
        raise UnusableDraft([f"The answer is not as described: {', '.join(where)}."]) from error
    if draft.impossible.strip():
        return draft
    missing = [name for name in ("description", "changes") if not getattr(draft, name)]
    if missing:
        raise UnusableDraft([f"The answer lacks {' and '.join(missing)}."])
    return draft


def content_of(draft: Draft, read: Callable[[str], bytes | None]) -> Content:
    """The content of a proposal that makes a draft's edits; `read` gives a file's bytes, None if there is none.

    Raises UnusableDraft with everything that is wrong.
    """
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes | None] = {}
    complaints = []
    for edit in draft.edits:
        before.setdefault(edit.path, read(edit.path))
        try:
            after[edit.path] = _edited(edit, after.get(edit.path, before[edit.path]))
        except ValueError as error:
            complaints.append(f"{edit.path}: {error}")
    for path in draft.deleted:
        before.setdefault(path, read(path))
        after[path] = None
        if before[path] is None:
            complaints.append(f"{path}: there is no such file to delete.")
    if not complaints and before == after:
        complaints.append("The edits change nothing.")
    if complaints:
        raise UnusableDraft(complaints)
    try:
        diff = diff_of(_entries(before), _entries(after))
    except ValueError as error:
        raise UnusableDraft([str(error)]) from error
    return Content(intent=Intent(description=draft.description, changes=draft.changes), diff=diff)


def _edited(edit: Edit, content: bytes | None) -> bytes:
    """The file after an edit. Raises ValueError with a sentence."""
    if not edit.old:
        if content is not None:
            raise ValueError("the file exists, so `old` has to be text of it.")
        return edit.new.encode()
    if content is None:
        raise ValueError("there is no such file. Leave `old` empty to create it.")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise ValueError("the file is not UTF-8 text.") from error
    ends = "\r\n" if "\r\n" in text and "\n" not in text.replace("\r\n", "") else "\n"
    old, new = (each.replace("\r\n", "\n").replace("\n", ends) for each in (edit.old, edit.new))
    found = text.count(old)
    place = None if found else place_behind_masks(text, old)
    # The model was shown masked secrets: its edit may take one out, and never write a mask.
    would_be_new = place is not None or (found and not has_mask_of(text, old))
    if would_be_new and has_mask_of(text, new):
        raise ValueError("`new` holds a secret that you are shown masked. Leave its line out of the edit.")
    if place is not None:
        start, end = place
        return f"{text[:start]}{new}{text[end:]}".encode()
    if found != 1:
        shown = edit.old.strip().partition("\n")[0][:80]
        many = "is not in the file" if not found else f"is in the file {found} times: give more lines around it"
        raise ValueError(f"the `old` that begins with `{shown}` {many}. Copy it exactly, with its indentation.")
    return text.replace(old, new).encode()


def _entries(files: Mapping[str, bytes | None]) -> Mapping[str, TreeEntry | None]:
    return {path: None if content is None else TreeEntry(FILE, content) for path, content in files.items()}
