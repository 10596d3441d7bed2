"""Makes trees and diffs of them, many of which are stale or damaged, from a seed."""

import base64
import difflib
import io
import random
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from kodiai.core.diffs.binary_patch import object_id
from kodiai.core.diffs.tree import FILE, LINK, PROGRAM, TreeEntry

Tree = Mapping[str, TreeEntry]

_WORDS = (b"alpha", b"beta", b"gamma", b"}", b"", b"return x", b"    return x", b"\tpass", b"a\x0cb", b"a\rb", b"-- x")
_PATHS = ("a.py", "lib/b.py", "lib/deep/c.txt", "with space.txt", "tab\there.txt", 'quo"te.txt', "käse.txt", "x")
_PLACES = (*_PATHS, "new.py", "lib/new.py", "a.py/below", "lib", "fresh/folder/n.txt", "lnk", "lnk/n.txt", "lib/deep")
_BAD_PATHS = ("../out.py", "/abs.py", ".git/config", "lib/.GIT/x", "./a.py", "lib//b.py", "lib/../a.py", "git~1/x")


@dataclass(frozen=True)
class MadeDiff:
    """A tree and a diff that may apply to it; `kind` says how it was made."""

    kind: str
    tree: Tree
    diff: str


def made_diff(seed: int) -> MadeDiff:
    """Make the tree and the diff of a seed."""
    return _Maker(random.Random(seed)).make()


class _Maker:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def make(self) -> MadeDiff:
        tree = self.tree()
        parts = [self.part(tree) for _ in range(self.chance.choice((1, 1, 1, 1, 2, 3)))]
        diff = b"".join(parts)
        kinds = []
        for mutate in self.chance.choice(((), (), (self.stale,), (self.damage,), (self.damage, self.damage))):
            kinds.append(mutate.__name__)
            if mutate == self.stale:
                tree = self.stale(tree)
            else:
                diff = self.damage(diff)
        return MadeDiff("+".join(kinds) or "clean", tree, diff.decode("utf-8", "replace"))

    def tree(self) -> dict[str, TreeEntry]:
        tree = {}
        for path in self.chance.sample(_PATHS, self.chance.randint(2, 5)):
            mode = PROGRAM if self.chance.random() < 0.15 else FILE
            tree[path] = TreeEntry(mode, self.content())
        if self.chance.random() < 0.2:
            tree["lnk"] = TreeEntry(LINK, self.chance.choice((b"lib", b"a.py", b"nowhere")))
        return tree

    def content(self) -> bytes:
        if self.chance.random() < 0.08:
            return self.chance.choice((b"", b"\n", b"one", b"\xff\x00\xfe\n" * 3, b"\r\n"))
        words = self.chance.choice((_WORDS, _WORDS[:5], tuple(b"line %d" % n for n in range(40))))
        lines = [self.chance.choice(words) for _ in range(self.chance.choice((1, 3, 8, 20, 40)))]
        end = b"\r\n" if self.chance.random() < 0.15 else b"\n"
        content = end.join(lines) + end
        return content if self.chance.random() < 0.8 else content.rstrip(b"\r\n")

    def edited(self, content: bytes) -> bytes:
        lines = content.splitlines(keepends=True) if b"\r" not in content else content.split(b"\n")
        lines = [line if line.endswith(b"\n") else line + b"\n" for line in lines]
        for _ in range(self.chance.randint(1, 3)):
            at = self.chance.randint(0, len(lines))
            match self.chance.randint(0, 3):
                case 0:
                    lines[at:at] = [self.chance.choice(_WORDS) + b"\n" for _ in range(self.chance.randint(1, 3))]
                case 1:
                    del lines[at : at + self.chance.randint(1, 3)]
                case 2:
                    lines[at : at + 1] = [b"changed %d\n" % self.chance.randint(0, 99)]
                case _:
                    lines[at : at + 1] = [line.replace(b" ", b"  ") for line in lines[at : at + 1]]
        edited = b"".join(lines)
        return edited if self.chance.random() < 0.85 else edited.rstrip(b"\n")

    def part(self, tree: Tree) -> bytes:
        """Return the part of the diff about one file."""
        kind = self.chance.choice(
            ("modify",) * 8 + ("create",) * 3 + ("delete",) * 2 + ("rename",) * 2
            + ("copy", "mode", "binary", "plain", "plain", "link", "empty")
        )  # fmt: skip
        old = self.chance.choice([path for path in tree if tree[path].mode != LINK] or ["a.py"])
        entry = tree.get(old, TreeEntry(FILE))
        new = self.chance.choice(_BAD_PATHS) if self.chance.random() < 0.04 else self.chance.choice(_PLACES)
        make: Callable[[str, str, TreeEntry], bytes] = getattr(self, f"_{kind}")
        return make(old, new, entry)

    def hunks(self, before: bytes, after: bytes) -> bytes:
        context = self.chance.choice((3, 3, 3, 3, 1, 0, 5))
        if b"\0" in before + after and self.chance.random() < 0.5:
            return b""
        return _unified(before, after, context)

    def _modify(self, old: str, _: str, entry: TreeEntry) -> bytes:
        after = self.edited(entry.content)
        ids = self._index(entry.content, after, self.chance.choice((entry.mode, entry.mode, FILE, "")))
        body = self.hunks(entry.content, after)
        return _git(old, old, ids, body)

    def _plain(self, old: str, new: str, entry: TreeEntry) -> bytes:
        after = self.edited(entry.content)
        stamp = self.chance.choice(
            (b"", b"", b"\t2026-11-23 10:00:00.000000000 +0000", b" 2026-11-23", b"\t(revision 3)")
        )
        epoch = b"\t1970-01-01 01:00:00.000000000 +0100"
        before_name, after_name = self.chance.choice(
            ((f"a/{old}", f"b/{old}"), (f"a/{old}", f"b/{old}"), (old, old), (f"a/{old}.orig", f"b/{old}"))
        )
        match self.chance.randint(0, 5):
            case 0:
                first, second, body = b"/dev/null", f"b/{new}".encode() + stamp, self.hunks(b"", after)
            case 1:
                first, second, body = f"a/{old}".encode() + stamp, b"/dev/null", self.hunks(entry.content, b"")
            case 2:
                first, second, body = f"a/{new}".encode() + epoch, f"b/{new}".encode() + stamp, self.hunks(b"", after)
            case 3:
                first, second = f"a/{old}".encode() + stamp, f"b/{old}".encode() + epoch
                body = self.hunks(entry.content, b"")
            case _:
                first, second = before_name.encode() + stamp, after_name.encode() + stamp
                body = self.hunks(entry.content, after)
        return b"--- " + first + b"\n+++ " + second + b"\n" + body

    def _create(self, _: str, new: str, __: TreeEntry) -> bytes:
        after = self.chance.choice((b"", b"new\n", b"new", b"one\ntwo\n", b"\xc3\xa4\r\n"))
        mode = self.chance.choice((FILE, FILE, PROGRAM, "100600", "100664", "644"))
        header = f"new file mode {mode}\n".encode() + self._index(b"", after, "")
        return _git(new, new, header, self.hunks(b"", after), before="/dev/null")

    def _delete(self, old: str, _: str, entry: TreeEntry) -> bytes:
        header = f"deleted file mode {entry.mode}\n".encode() + self._index(entry.content, b"", "")
        kept = b"" if self.chance.random() < 0.8 else entry.content[: len(entry.content) // 2]
        return _git(old, old, header, self.hunks(entry.content, kept), after="/dev/null")

    def _rename(self, old: str, new: str, entry: TreeEntry, word: str = "rename") -> bytes:
        after = entry.content if self.chance.random() < 0.5 else self.edited(entry.content)
        names = (_quoted(old, ""), _quoted(new, ""))
        header = b"similarity index 90%%\n%s from %s\n%s to %s\n" % (word.encode(), names[0], word.encode(), names[1])
        if self.chance.random() < 0.2:
            header = b"old mode 100644\nnew mode 100755\n" + header
        return _git(old, new, header + self._index(entry.content, after, ""), self.hunks(entry.content, after))

    def _copy(self, old: str, new: str, entry: TreeEntry) -> bytes:
        return self._rename(old, new, entry, "copy")

    def _mode(self, old: str, _: str, entry: TreeEntry) -> bytes:
        modes = self.chance.choice(((entry.mode, PROGRAM), (PROGRAM, FILE), (FILE, LINK), (FILE, "100x"), (FILE, FILE)))
        header = f"old mode {modes[0]}\nnew mode {modes[1]}\n".encode()
        body = self.hunks(entry.content, self.edited(entry.content)) if self.chance.random() < 0.4 else b""
        return _git(old, old, header, body)

    def _link(self, _: str, new: str, __: TreeEntry) -> bytes:
        target = self.chance.choice((b"lib", b"a.py", b"../x"))
        if self.chance.random() < 0.4:
            header = b"deleted file mode 120000\n" + self._index(b"lib", b"", "")
            return _git("lnk", "lnk", header, _unified(b"lib", b"", 3), after="/dev/null")
        header = b"new file mode 120000\n" + self._index(b"", target, "")
        return _git(new, new, header, _unified(b"", target, 3), before="/dev/null")

    def _empty(self, old: str, new: str, _: TreeEntry) -> bytes:
        return self.chance.choice((
            f"diff --git a/{old} b/{old}\n".encode(),
            f"diff --git a/{old} b/{new}\n".encode(),
            b"Some words about it.\n\n",
            b"Binary files a/x and b/x differ\n",
            f"--- a/{old}\n+++ b/{old}\n".encode(),
            _git(old, old, b"index 1111111..2222222 100644\n", b""),
            b"@@ -1 +1 @@\n-a\n+b\n",
            b"-- \n2.39.5\n\n",
        ))  # fmt: skip

    def _binary(self, old: str, new: str, entry: TreeEntry) -> bytes:
        before = entry.content
        after = self.chance.choice((b"\0\1\2" * 30, before + b"\0more", b"", before[::-1]))
        body = self.chance.choice((
            _literal(after), _literal(after) + _literal(before), _delta(before, after), b"",
            _literal(after)[:-3] + b"\n",
        ))  # fmt: skip
        if not body:
            ids = self._index(before, after, FILE)
            return _git_header(old, old, ids) + b"Binary files a/x and b/x differ\n"
        if self.chance.random() < 0.3:
            header = b"new file mode 100644\n" + _full_index(b"", after, "")
            return _git_header(new, new, header) + b"GIT binary patch\n" + _literal(after)
        full = self.chance.random() < 0.85
        ids = _full_index(before, after, entry.mode) if full else b"index 1234567..7654321 100644\n"
        return _git_header(old, old, ids) + b"GIT binary patch\n" + body

    def _index(self, before: bytes, after: bytes, mode: str) -> bytes:
        return b"" if self.chance.random() < 0.15 else _full_index(before, after, mode)

    def stale(self, tree: Tree) -> dict[str, TreeEntry]:
        """The tree after somebody else's work."""
        changed = dict(tree)
        for path, entry in tree.items():
            if entry.mode == LINK or self.chance.random() < 0.4:
                continue
            lines = entry.content.splitlines(keepends=True) if b"\r" not in entry.content else [entry.content]
            match self.chance.randint(0, 7):
                case 0:
                    del changed[path]
                case 1:
                    changed[path] = TreeEntry(entry.mode, b"# first\n" * self.chance.randint(1, 30) + entry.content)
                case 2:
                    changed[path] = TreeEntry(entry.mode, entry.content + b"last\n")
                case 3:
                    changed[path] = TreeEntry(entry.mode, entry.content.replace(b"\n", b"\r\n"))
                case 4:
                    changed[path] = TreeEntry(entry.mode, entry.content.replace(b" ", b"\t"))
                case 5:
                    changed[path] = TreeEntry(PROGRAM, entry.content.rstrip(b"\n"))
                case 6:
                    changed[path] = TreeEntry(entry.mode, b"".join(lines * 2))
                case _:
                    changed[path] = TreeEntry(entry.mode, self.edited(entry.content))
        return changed

    def damage(self, diff: bytes) -> bytes:  # noqa: PLR0912 - a table of damages
        """A diff as people, programs and mailers damage it."""
        lines = diff.splitlines(keepends=True) if b"\r" not in diff and b"\x0c" not in diff else diff.split(b"\n")
        lines = [line if line.endswith(b"\n") else line + b"\n" for line in lines] or [b"\n"]
        at = self.chance.randrange(len(lines))
        headers = [number for number, line in enumerate(lines) if line.startswith(b"@@ -")]
        match self.chance.randint(0, 17):
            case 0:
                del lines[at]
            case 1:
                lines[at:at] = [lines[at]]
            case 2:
                lines[at:at] = [self.chance.choice((b"garbage\n", b"\n", b" \n", b"+x\n", b"-x\n", b"\\ No newline\n"))]
            case 3:
                return diff.replace(b"\n", b"\r\n")
            case 4:
                return diff.rstrip(b"\n")
            case 5:
                lines = [b"\n" if line == b" \n" else line for line in lines]
            case 6:
                return diff[: self.chance.randrange(len(diff) + 1)]
            case 7:
                return diff + diff
            case 8 if headers:
                number = self.chance.choice(headers)
                counts = [self.chance.randint(0, 30) for _ in range(2)]
                places = [self.chance.randint(0, 12) for _ in range(2)]
                lines[number] = b"@@ -%d,%d +%d,%d @@\n" % (places[0], counts[0], places[1], counts[1])
            case 9 if headers:
                number = self.chance.choice(headers)
                old, new = lines[number].split(b" ")[1:3]
                moved = self.chance.randint(0, 30)
                shifted = [
                    b"%s%d%s" % (side[:1], moved, side[side.find(b",") :] if b"," in side else b"")
                    for side in (old, new)
                ]
                lines[number] = b"@@ %s %s @@ def f():\n" % (shifted[0], shifted[1])
            case 10:
                lines[at] = lines[at][:1] + lines[at][1:].upper()
            case 11:
                lines = [line for line in lines if not line.startswith((b"index ", b"diff --git "))]
            case 12:
                lines = [line for line in lines if not line.startswith((b"--- ", b"+++ "))]
            case 13:
                lines = [line for line in lines if not line.startswith(b"\\")]
            case 14:
                lines = [line for line in lines if b" mode " not in line]
            case 15:
                other = self.chance.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 16:
                lines[at] = lines[at].rstrip(b"\n") + self.chance.choice((b" \n", b"\t\n", b"\r\n"))
            case _:
                return b"From: somebody\nSubject: it\n\nWords.\n---\n" + diff + b"-- \n2.39.5\n\n"
        return b"".join(lines)


def _git_header(old: str, new: str, header: bytes) -> bytes:
    return b"diff --git %s %s\n%s" % (_quoted(old, "a/"), _quoted(new, "b/"), header)


def _git(old: str, new: str, header: bytes, body: bytes, before: str = "", after: str = "") -> bytes:
    diff = _git_header(old, new, header)
    if not body:
        return diff
    sides = (before.encode() or _quoted(old, "a/"), after.encode() or _quoted(new, "b/"))
    marks = [side + b"\t" if b" " in side else side for side in sides]
    return diff + b"--- %s\n+++ %s\n%s" % (marks[0], marks[1], body)


def _quoted(path: str, prefix: str) -> bytes:
    """A path as git writes it in a diff."""
    raw = (prefix + path).encode()
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in raw):
        return raw
    names = {9: b"\\t", 34: b'\\"', 92: b"\\\\"}
    return b'"' + b"".join(
        names.get(byte) or (bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte) for byte in raw
    ) + b'"'  # fmt: skip


def _unified(before: bytes, after: bytes, context: int) -> bytes:
    """The hunks between two contents."""
    old, new = (io.BytesIO(content).readlines() for content in (before, after))
    lines = islice(difflib.diff_bytes(difflib.unified_diff, old, new, n=context), 2, None)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _full_index(before: bytes, after: bytes, mode: str) -> bytes:
    ids = [object_id(side) if side else "0" * 40 for side in (before, after)]
    return f"index {ids[0]}..{ids[1]}{' ' if mode else ''}{mode}\n".encode()


def _literal(content: bytes) -> bytes:
    return b"literal %d\n%s\n" % (len(content), _base85(content))


def _delta(before: bytes, after: bytes) -> bytes:
    """A delta that copies what both begin with, and adds the rest."""
    common = 0
    while common < min(len(before), len(after), 0xFFFF) and before[common] == after[common]:
        common += 1
    delta = _size(len(before)) + _size(len(after))
    if common:
        delta += bytes([0x80 | 0x30]) + common.to_bytes(2, "little")
    for at in range(common, len(after), 100):
        piece = after[at : at + 100]
        delta += bytes([len(piece)]) + piece
    return b"delta %d\n%s\n" % (len(delta), _base85(delta))


def _size(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _base85(content: bytes) -> bytes:
    deflated = zlib.compress(content)
    lines = []
    for at in range(0, len(deflated), 52):
        piece = deflated[at : at + 52]
        length = len(piece)
        sign = bytes([ord("A") + length - 1 if length <= 26 else ord("a") + length - 27])
        lines.append(sign + base64.b85encode(piece, pad=True) + b"\n")
    return b"".join(lines)
