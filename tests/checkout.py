"""A small real git repository with a work tree, as a person has it."""

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path


class Checkout:
    """A repository with a work tree, as a person has it."""

    def __init__(self, path: Path, branch: str = "main") -> None:
        self.path = path
        subprocess.run(["git", "init", "--quiet", f"--initial-branch={branch}", str(path)], check=True)

    def git(self, *arguments: str, check: bool = True) -> str:
        person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")
        command = ["git", "-C", str(self.path), *person, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=check).stdout

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes], message: str = "A change") -> None:
        self.write(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def everything(self) -> dict[str, str]:
        """A hash of each file in the folder, those of git itself too: index, refs and objects."""
        files = [path for path in self.path.rglob("*") if path.is_file() and not path.is_symlink()]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
