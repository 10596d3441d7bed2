"""Routes for attachments."""

from pathlib import Path

from fastapi import APIRouter, HTTPException, UploadFile

from helpdesk.folder import BadName, clean, folder_of

MAX_BYTES = 5 * 1024 * 1024


def routes(root: Path) -> APIRouter:
    router = APIRouter(prefix="/tickets/{ticket}/attachments")

    @router.get("")
    def names(ticket: int) -> list[str]:
        return sorted(path.name for path in folder_of(root, ticket).iterdir())

    @router.post("", status_code=201)
    def add(ticket: int, file: UploadFile) -> dict[str, str]:
        try:
            name = clean(file.filename or "")
        except BadName as error:
            raise HTTPException(400, "this file needs another name") from error
        content = file.file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise HTTPException(413, "at most 5 MB")
        (folder_of(root, ticket) / name).write_bytes(content)
        return {"name": name}

    return router
