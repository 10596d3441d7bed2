"""Routes for attachments."""

import zipfile
from pathlib import Path

from fastapi import APIRouter, HTTPException, UploadFile

from helpdesk.folder import BadName, clean, folder_of

MAX_BYTES = 5 * 1024 * 1024
MAX_MEMBERS = 50
MAX_UNPACKED_BYTES = 20 * 1024 * 1024


def routes(root: Path) -> APIRouter:
    router = APIRouter(prefix="/tickets/{ticket}/attachments")

    @router.get("")
    def names(ticket: int) -> list[str]:
        folder = folder_of(root, ticket)
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())

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

    @router.post("/archive", status_code=201)
    def add_archive(ticket: int, file: UploadFile) -> dict[str, list[str]]:
        """Unpack a zip file; folders in it are kept, so that log directories stay readable."""
        try:
            with zipfile.ZipFile(file.file) as archive:
                members = _members(archive)
                folder = folder_of(root, ticket)
                for member in members:
                    target = folder / member.filename
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with archive.open(member) as packed:
                        target.write_bytes(packed.read(member.file_size))
        except zipfile.BadZipFile as error:
            raise HTTPException(400, "this is no zip file") from error
        return {"names": [member.filename for member in members]}

    return router


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Give the files of an archive; nothing is unpacked of one that has too many or too large ones."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MAX_MEMBERS:
        raise HTTPException(413, f"at most {MAX_MEMBERS} files")
    if any(member.flag_bits & 0x1 for member in members):
        raise HTTPException(400, "encrypted archives cannot be read")
    # The header may lie, but no more than what it says is read of a member.
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise HTTPException(413, "at most 20 MB unpacked")
    return members
