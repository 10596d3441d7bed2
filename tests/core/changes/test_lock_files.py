"""Lock files of six package managers, and what code tells of a change of them."""

import json
from collections.abc import Callable
from functools import partial

import pytest

from kodiai.core.changes.lock_files.alarm import Alarm
from kodiai.core.changes.lock_files.change import lock_file_change
from kodiai.core.changes.lock_files.comparison import MOST_ROWS
from kodiai.core.changes.lock_files.located import UnreadableLockFile
from kodiai.core.changes.lock_files.package import host_of
from kodiai.core.changes.lock_files.read import is_readable_lock_file, read_lock_file
from tests import lock_file_samples as samples
from tests.lock_file_samples import SAMPLES, A, B, npm
from tests.tables import each_row

HASH = "0123456789abcdef0123456789abcdef01234567"
OTHER_CHECKSUM = "has another checksum at the same version"
NO_REGISTRY = "no longer comes from a registry"
CRATES = "registry+https://github.com/rust-lang/crates.io-index"
NPM_FILE = "package-lock.json"
Edit = Callable[[str], str]


def replacing(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new, 1)


def alarms_about(kind: str, edit: Edit) -> tuple[Alarm, ...]:
    """The alarms about a sample that is edited; each quotes the line on which it is."""
    path, text = SAMPLES[kind]
    edited = edit(text)
    assert edited != text
    found = lock_file_change(path, text, edited).alarms
    assert all(alarm.quote in edited.split("\n")[alarm.line - 1] for alarm in found)
    return found


def rows(text: str) -> list[tuple[int | None, object]]:
    """The rows of a table: the line, and what is shown of the package."""
    cells = (row.split(" | ", 1) for row in text.split("\n"))
    return [(int(line) if line.strip() else None, json.loads(shown)) for line, shown in cells]


@each_row(
    "kind, sources, needs, required",
    [
        ("npm 1", 1, ["right"], None),
        ("npm 3", 1, ["right"], {"left"}),
        ("yarn classic", 1, ["right"], None),
        ("yarn berry", 0, ["right"], {"@of/left"}),
        ("pnpm 5", 0, ["right"], {"@of/left"}),
        ("pnpm 6", 0, ["right"], {"@of/left"}),
        ("pnpm 9", 0, ["right"], {"@of/left"}),
        ("poetry", 0, ["right"], None),
        ("uv", 3, [], {"left", "right"}),
        ("cargo", 0, ["right"], {"left"}),
        ("go", 0, [], None),
    ],
)
def test_packages_are_read_with_their_needs(
    kind: str, sources: int, needs: list[str], required: set[str] | None
) -> None:
    """And with what manifests require, where the kind of file says so; the alarms tell the lines."""
    read = read_lock_file(*SAMPLES[kind])
    left, right = (each for each in read.packages.values() if not each.is_local)

    assert (len(left.sources), sorted(left.needs), sorted(right.needs)) == (sources, needs, [])
    assert read.required == required


REGISTRY = "https://registry.npmjs.org"
BEFORE = npm({"a": {}, "b": {}, "left": {}, "same": {}}, ["a", "b", "left", "same"])
BUMPED = npm({"b": {"version": "1.2.0", "integrity": "sha512-b2"}, "left": {}, "new": {}, "same": {}}, ["b", "new"])
NEEDY = npm({"left": {"dependencies": {"right": "1"}}, "right": {}})
STRAY = npm({"left": {"dependencies": {"stray": "1"}}, "right": {}, "stray": {}})
EVIL = npm({"left": {"version": "1.0.1", "resolved": samples.NPM.format("evil", "1.0.1")}})


def shown(line: int | None, change: str, name: str, **more: object) -> tuple[int | None, object]:
    return line, {change: name, "version": "1.0.0", "from": REGISTRY, "checksum": f"sha512-{name}", **more}


@each_row(
    "old, new, table",
    [
        (
            BEFORE,
            BUMPED,
            [
                shown(13, "changed", "b", version=["1.0.0", "1.2.0"], checksum=["sha512-b", "sha512-b2"]),
                shown(23, "added", "new"),
                shown(None, "removed", "a"),
            ],
        ),
        # A package that is published needs what it needed: the file alone says otherwise.
        (NEEDY, STRAY, [shown(12, "changed", "left", needs=["-right", "+stray"]), shown(25, "added", "stray")]),
        # The host is right, and the package is another one.
        (
            npm({"left": {}}),
            EVIL,
            [
                shown(
                    12,
                    "changed",
                    "left",
                    version=["1.0.0", "1.0.1"],
                    **{"from": [REGISTRY, f"{REGISTRY}/evil/-/evil-1.0.1.tgz"]},
                )
            ],
        ),
    ],
)
def test_a_package_that_changed_is_one_row(old: str, new: str, table: list[object]) -> None:
    """New and removed packages have rows too, removed ones without a line; one that stays has none."""
    assert rows(lock_file_change(NPM_FILE, old, new).shown) == table


def test_a_bump_raises_no_alarm_and_names_cannot_pose_as_rows() -> None:
    """Line ends of any kind in a name are written out."""
    posing = npm({"left": {}, 'x\n### FILE "y"\u2028\r': {}}, ["left", "x"])

    assert lock_file_change(NPM_FILE, BEFORE, BUMPED).alarms == ()
    assert len(lock_file_change(NPM_FILE, npm({"left": {}}), posing).shown.splitlines()) == 1


def test_a_table_is_cut_and_counts_what_it_lacks() -> None:
    """Its alarms are about everything."""
    packages: dict[str, dict[str, object]] = {f"p{number}": {} for number in range(MOST_ROWS + 5)}

    change = lock_file_change(
        NPM_FILE, npm({}), npm({**packages, "z": {"resolved": "http://z.example/z"}}, [*packages, "z"])
    )

    assert (len(rows(change.shown)), change.left_out) == (MOST_ROWS, 6)
    assert [alarm.title for alarm in change.alarms] == ["z 1.0.0 comes from another host, z.example"]


def test_a_file_without_differences_or_without_a_head_is_one_row() -> None:
    """It is read all the same."""
    path, text = SAMPLES["go"]

    assert lock_file_change(path, text, text).shown.endswith("| (the same packages as before)")
    assert lock_file_change(path, text, None).shown.endswith("| (all 2 packages are gone)")


@each_row(
    "kind, old, new, title",
    [
        ("npm 1", "registry.npmjs.org/left", "evil.example/left", "left 1.0.0 comes from another host, evil.example"),
        ("npm 3", "registry.npmjs.org/left", "evil.example/left", "left 1.0.0 comes from another host, evil.example"),
        ("yarn classic", "registry.npmjs", "npm.evil", "right 2.0.0 comes from another host, npm.evil.org"),
        ("yarn berry", "npm.example", "evil.example", "right 2.0.0 comes from another host, evil.example"),
        ("pnpm 5", "npm.example", "evil.example", "right 2.0.0 comes from another host, evil.example"),
        ("pnpm 6", "npm.example", "evil.example", "right 2.0.0 comes from another host, evil.example"),
        ("pnpm 9", "npm.example", "evil.example", "right 2.0.0 comes from another host, evil.example"),
        ("poetry", "git.example", "evil.example", "right 2.0.0 comes from another host, evil.example"),
        ("uv", "files.pythonhosted.org", "evil.example", "left 1.0.0 comes from another host, evil.example"),
        ("uv", "pypi.org", "evil.example", "left 1.0.0 comes from another host, evil.example"),
        ("cargo", "github.com/rust-lang", "evil.example", "left 1.0.0 comes from another host, evil.example"),
        ("npm 1", "sha512-one", "sha512-two", f"left 1.0.0 {OTHER_CHECKSUM}"),
        ("npm 3", "sha512-left", "sha512-x sha512-left", f"left 1.0.0 {OTHER_CHECKSUM}"),
        ("yarn classic", f"#{HASH[:3]}", "#fff", f"@of/left 1.0.0 {OTHER_CHECKSUM}"),
        ("yarn classic", "sha512-one", "sha512-1", f"@of/left 1.0.0 {OTHER_CHECKSUM}"),
        ("yarn berry", "10c0/one", "10c0/1", f"@of/left 1.0.0 {OTHER_CHECKSUM}"),
        ("pnpm 5", "sha512-two", "sha512-2", f"right 2.0.0 {OTHER_CHECKSUM}"),
        ("pnpm 6", "sha512-two", "sha512-2", f"right 2.0.0 {OTHER_CHECKSUM}"),
        ("pnpm 9", "sha512-two", "sha512-2", f"right 2.0.0 {OTHER_CHECKSUM}"),
        ("poetry", f"sha256:{B}", f"sha256:{B[1:]}c", f"left 1.0.0 {OTHER_CHECKSUM}"),
        ("uv", f"sha256:{A}", f"sha256:{A[1:]}c", f"left 1.0.0 {OTHER_CHECKSUM}"),
        ("cargo", A, f"{A[1:]}c", f"left 1.0.0 {OTHER_CHECKSUM}"),
        ("go", f"h1:{A}", f"h1:{A[1:]}c", f"example.org/left v1.0.0 {OTHER_CHECKSUM}"),
        ("npm 3", "sha512-left", "sha1-left", "left 1.0.0 has a weaker checksum"),
        ("pnpm 9", "integrity: sha512-two, ", "", "right 2.0.0 has no checksum any more"),
        ("cargo", f'checksum = "{A}"\n', "", "left 1.0.0 has no checksum any more"),
        ("npm 3", "https://registry.npmjs.org/left", "http://registry.npmjs.org/l", "left 1.0.0 comes over plain HTTP"),
        ("npm 3", samples.NPM.format("left", "1.0.0"), "file:left.tgz", f"left 1.0.0 {NO_REGISTRY}"),
        ("npm 1", samples.NPM.format("left", "1.0.0"), "github:a/b", f"left 1.0.0 {NO_REGISTRY}"),
        ("pnpm 9", "{integrity: sha512-one}", "{directory: x, integrity: sha512-one}", f"@of/left 1.0.0 {NO_REGISTRY}"),
        ("uv", 'registry = "https://pypi.org/simple"', 'path = "left"', f"left 1.0.0 {NO_REGISTRY}"),
        ("cargo", f'source = "{CRATES}"\n', "", f"left 1.0.0 {NO_REGISTRY}"),
    ],
)  # fmt: skip
def test_a_tampered_entry_raises_one_alarm(kind: str, old: str, new: str, title: str) -> None:
    """On its line, with both values."""
    found = alarms_about(kind, replacing(old, new))

    assert [(alarm.title, alarm.severity) for alarm in found] == [(title, "MAJOR")]


def test_both_values_are_explained() -> None:
    """People see what to compare."""
    [checksum] = alarms_about("npm 1", replacing("sha512-one", "sha512-two"))
    [host] = alarms_about("npm 1", replacing("registry.npmjs.org/left", "evil.example/left"))

    assert (checksum.line, checksum.quote) == (9, '"integrity": "sha512-two",')
    assert checksum.explanation.startswith("The sha512 checksum was one, and is two.")
    assert (host.line, host.quote) == (8, '"resolved": "https://evil.example/left/-/left-1.0.0.tgz",')
    assert host.explanation == (
        "It comes from https://evil.example/left/-/left-1.0.0.tgz."
        " Before, it came from https://registry.npmjs.org/left/-/left-1.0.0.tgz."
        " The known hosts are registry.npmjs.org, registry.yarnpkg.com."
    )


WHEEL = f"""    {{ url = "https://files.pythonhosted.org/packages/left-1.0.0-cp314.whl", hash = "sha256:{A}" }},"""
PNPM_ENTRY = "\n  stray@1.0.0:\n    resolution: {integrity: sha512-x}\n"
BERRY_ENTRY = '\n"stray@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "stray@npm:1.0.0"\n'
TOML_ENTRY = '\n[[package]]\nname = "stray"\nversion = "1.0.0"\nsource = {}\n'


@each_row(
    "kind, edit",
    [
        ("npm 3", lambda _text: npm({"left": {"dependencies": {"right": "1"}}, "right": {}, "stray": {}})),
        ("yarn berry", lambda text: text + BERRY_ENTRY),
        ("pnpm 9", replacing("\nsnapshots:", f"{PNPM_ENTRY}\nsnapshots:")),
        ("uv", lambda text: text + TOML_ENTRY.format('{ registry = "https://pypi.org/simple" }')),
        ("cargo", lambda text: text + TOML_ENTRY.format('"registry+https://github.com/rust-lang/crates.io-index"')),
    ],
)
def test_a_package_that_nothing_requires_raises_an_alarm(kind: str, edit: Edit) -> None:
    """Only where the file says what manifests require; one that is there already is nothing new."""
    [alarm] = alarms_about(kind, edit)
    path, text = SAMPLES[kind]

    assert (alarm.title, alarm.severity) == ("stray 1.0.0 is only in the lock file", "MEDIUM")
    assert lock_file_change(path, edit(text), edit(text) + "\n").alarms == ()


CIRCLE = {"x": {"dependencies": {"y": "1"}}, "y": {"dependencies": {"x": "1"}}}
CORP = {name: {"resolved": f"https://npm.corp.example/{name}.tgz"} for name in ("a", "b", "c", "d")}
NEW = npm({**CORP, "e": {}, "f": {"resolved": "https://evil.example/f.tgz"}}, [*CORP, "e", "f"])


@each_row(
    "old, new, titles",
    [
        (npm({"left": {}}), npm({"left": {}, "x" * 99: {}}), [f"{'x' * 40}… is only in the lock file"]),
        (npm({"left": {}}), npm({"left": {}, **CIRCLE}), [f"{name} 1.0.0 is only in the lock file" for name in CIRCLE]),
        (NEEDY, STRAY, []),  # what a required package needs is required too
        (None, NEW, ["f 1.0.0 comes from another host, evil.example"]),
    ],
)
def test_alarms_are_about_what_nobody_requires_or_knows(old: str | None, new: str, titles: list[str]) -> None:
    """A long name is cut, a circle is required by nobody, a new file may use public registries and the host of most."""
    assert [alarm.title for alarm in lock_file_change(NPM_FILE, old, new).alarms] == titles


def test_many_alarms_alike_are_one() -> None:
    """A file that moves to another registry does not lead to a thousand comments; its title stays when more follow."""
    names = [f"p{number:02}" for number in range(20)]
    at = partial(str.format, "https://npm.corp.example/{0}.tgz")

    def moved(most: int) -> str:
        return npm({name: {"resolved": at(name)} if name in names[:most] else {} for name in names}, names)

    before = npm({name: {} for name in names}, names)
    [few] = lock_file_change(NPM_FILE, before, moved(6)).alarms
    [all_of_them] = lock_file_change(NPM_FILE, before, moved(20)).alarms

    assert few.title == all_of_them.title == "Many packages come from another host, npm.corp.example"
    assert few.explanation.endswith("So it is with p01 1.0.0, p02 1.0.0, p03 1.0.0, p04 1.0.0, p05 1.0.0.")
    assert all_of_them.explanation.endswith("p10 1.0.0, 9 more.")


def test_many_hosts_are_one_alarm() -> None:
    """A host for each package does not lead to an alarm for each."""
    names = [f"p{number}" for number in range(9)]
    before, now = (
        npm({name: {"resolved": f"https://{at}{name}.example/{name}.tgz"} for name in names}, names) for at in ("", "x")
    )

    [alarm] = lock_file_change(NPM_FILE, before, now).alarms

    assert alarm.title == "Many packages come from other hosts"
    assert alarm.explanation.startswith("p0 1.0.0: It comes from https://xp0.example/p0.tgz.")


@each_row(
    "kind, edit",
    [
        ("yarn classic", replacing("registry.npmjs.org", "registry.yarnpkg.com")),
        ("npm 3", lambda text: text.replace("registry.npmjs.org/left", "registry.yarnpkg.com/left")),
        ("npm 1", replacing("sha512-one", "sha512-one sha1-also")),
        ("pnpm 9", lambda text: samples.PNPM_ENVIRONMENT + text),
        ("yarn berry", lambda text: text.replace("10c0/one", "11/x").replace("10c0/two", "11/y")),
        ("uv", replacing("wheels = [", f"wheels = [\n{WHEEL}")),
        ("cargo", lambda text: text.replace(CRATES, "sparse+https://index.crates.io/")),
        ("cargo", replacing("branch=main#0123", "branch=main#4567")),
        ("go", lambda text: text + f"example.org/left v1.1.0 h1:{B}=\n"),
    ],
)  # fmt: skip
def test_usual_work_of_package_managers_raises_no_alarm(kind: str, edit: Edit) -> None:
    """Another name of the same registry, more wheels, other algorithms, a branch that has moved, its own version."""
    assert alarms_about(kind, edit) == ()


@each_row(
    "source, host",
    [
        ("https://Registry.npmjs.org/x", "registry.npmjs.org"),
        ("https://registry.npmjs.org:443/x", "registry.npmjs.org"),
        ("https://registry.npmjs.org:8443/x", "registry.npmjs.org:8443"),
        ("https://registry.npmjs.org@evil.example/x", "evil.example"),
        ("https://user:secret@evil.example/x", "evil.example"),
        ("https://evil.example\\@registry.npmjs.org/x", "evil.example"),
        ("https:/evil.example/x", "evil.example"),
        ("https:evil.example/x", "evil.example"),
        ("https:\\\\evil.example/x", "evil.example"),
        ("https://evil.example?registry.npmjs.org/", "evil.example"),
        ("HTTPS://evil.example#registry.npmjs.org/", "evil.example"),
        ("https://registry.npmjs.org./x", "registry.npmjs.org."),
        ("git+ssh://git@github.com/a/b.git#0123", "github.com"),
        ("git@github.com:a/b.git", "github.com"),
        ("registry+https://crates.example/index", "crates.example"),
        ("sparse+https://crates.example/index/", "crates.example"),
        ("git://git.example/a", "git.example"),
        ("file:../a", None),
        ("file:///a", None),
        ("github:a/b", None),
        ("packages/a", None),
        ("", None),
    ],
)
def test_the_host_is_the_one_that_a_client_asks(source: str, host: str | None) -> None:
    """Names before an "@", backslashes and missing slashes do not hide it."""
    assert host_of(source) == host


@each_row(
    "path, text",
    [
        (NPM_FILE, '{"lockfileVersion": 4, "packages": {}}'),
        (NPM_FILE, '{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1", "version": "2"}}}'),
        (NPM_FILE, '{"lockfileVersion": 3, "packages": []}'),
        (NPM_FILE, '{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": 1}}}'),
        (NPM_FILE, "[" * 100_000),
        (NPM_FILE, '{"a":' * 50_000),
        (NPM_FILE, '"\\"' * 100_000),
        (NPM_FILE, '{"lockfileVersion": 3, "packages": {"node_modules/\\ud800": {"version": "1"}}}'),
        (NPM_FILE, ""),
        ("yarn.lock", "a@1:\n"),
        ("yarn.lock", 'a@1:\n  version "1"\n  version "2"\n'),
        ("yarn.lock", '<<<<<<< HEAD\na@1:\n  version "1"\n'),
        ("yarn.lock", '"' + '\\"' * 100_000),
        ("yarn.lock", "__metadata:\n  version: 8\n\na: &a\n  version: 1\nb: *a\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\npackages:\n  a@1: {}\n  a@1: {}\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\npackages:\n  <<: {a@1: {}}\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\npackages: !!map {}\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\r \npackages: {}\n"),
        ("pnpm-lock.yaml", "lockfileVersion: '12.0'\n"),
        ("pnpm-lock.yaml", "[" * 100_000),
        ("pnpm-lock.yaml", "{a: " * 100_000),
        ("poetry.lock", '[metadata]\nlock-version = "3.0"\n'),
        ("uv.lock", "version = 2\n"),
        ("uv.lock", '[[package]]\nversion = "1"\n'),
        ("uv.lock", '[[package]]\nname = "a"\nwheels = 1\n'),
        ("Cargo.lock", "version = 5\n"),
        ("Cargo.lock", 'package = [{name = "a", version = "1"}]\n'),
        ("Cargo.lock", '[[package]]\nname = "a"\nversion = "1"\n[[ package ]]\nname = "b"\nversion = "1"\n'),
        ("Cargo.lock", '[[package]]\nname = "a"\nversion = """\n[[package]]\nname = "b"\nversion = "1"\n'),
        ("Cargo.lock", f"a{'.a' * 500_000} = 1\n"),
        ("Cargo.lock", "a = {a" + ".'.'" * 100_000 + " = 1}\n"),
        ("Cargo.lock", f"a = {'[' * 100_000}\n"),
        ("Cargo.lock", '"""' * 100_001),
        ("go.sum", "example.org/a v1.0.0\n"),
        ("go.sum", "<<<<<<< HEAD x y\n"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_understood_in_full_is_an_error(path: str, text: str) -> None:
    """Hostile files are refused at once."""
    with pytest.raises(UnreadableLockFile):
        read_lock_file(path, text)


def test_other_lock_files_are_not_readable() -> None:
    """Nobody has read them: they are named."""
    assert not any(map(is_readable_lock_file, ["Gemfile.lock", "composer.lock", "bun.lock", "yarn.lock.md"]))
    assert is_readable_lock_file("a/b/Cargo.lock")
