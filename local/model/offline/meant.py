"""Where code that a rule objects to is most likely meant, so that nobody needs to hear of it."""

import builtins
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from kodiai.core.changes.kinds import is_test
from local.model.offline.changes import Change
from local.model.offline.ruff_run import PYTHON_2_NAMES, Diagnostic, named_in

_CLOCKS_AND_DICE = re.compile(r"(^|\.)(now|utcnow|today|time|monotonic|uuid[14]|random|randint|choice|token_\w+)$")
_EXPECTS_AN_ERROR = re.compile(r"\s*((async\s+)?with\b.*(raises|suppress|assertRaises|warns|warnings)|try\s*:)")
_HANDLES = re.compile(r"#|\braise\b|\bexc_info\b|\bformat_exc\b|\.exception\(")
_ONLY_READS = re.compile(r"\s*\w+(\.\w+)+\s*(#.*)?\r?")
_BUILT = re.compile(r"""\b[rR]?[fF][rR]?["']|["']\s*%|\.format\(|["']\s*\+|\+\s*["']""")
_DEFINES = re.compile(r"\b(?:def|class)\s+(\w+)")
_BY_ZERO = re.compile(r"/\s*0\b")
_PUT_AWAY = re.compile(r"(\.\w+\(|\+=|\]\s*=).*\blambda\b")
_PLAIN_IMPORT = re.compile(r"import \w+(, \w+)*\s*")
_IMPORT_IN_A_TEST = re.compile(r"(from [\w.]+ )?import \w+(, \w+)*\s*")
_IMPORTED_FOR_ITS_EFFECT = frozenset({"readline", "rlcompleter", "this", "antigravity"})
_SPACE_AT_A_JOINT = re.compile(r"""\s["']\s*[frbuFRBU]{0,2}["']|["']\s*[frbuFRBU]{0,2}["']\s""")


@dataclass(frozen=True)
class PythonFile:
    """A changed Python file whose head is known in full."""

    change: Change
    lines: Sequence[str]

    @cached_property
    def text(self) -> str:
        """The head's content; whether it ends in a newline does not matter here."""
        return "\n".join(self.lines)

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of all functions and classes, also of those whose code stands in a string."""
        return frozenset(_DEFINES.findall(self.text))


def is_meant(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """Whether what ruff objects to in general is no problem in this place."""
    exemption = _EXEMPTIONS.get(diagnostic.rule)
    return exemption is not None and exemption(file, diagnostic)


def first_line(file: PythonFile, diagnostic: Diagnostic) -> str:
    """The code of the line on which the diagnostic begins."""
    return file.lines[diagnostic.start_line - 1]


def depth_of(line: str) -> int:
    """How far a line is indented, in characters."""
    return len(line) - len(line.lstrip())


def _deeper(file: PythonFile, diagnostic: Diagnostic) -> list[str]:
    """The lines below the one on which the diagnostic begins, as long as they are indented further."""
    depth = depth_of(first_line(file, diagnostic))
    below = file.lines[diagnostic.start_line :]
    return list(takewhile(lambda line: not line.strip() or depth_of(line) > depth, below))


def _may_be_used(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """An import that somebody may want: all but a plain one of the standard library, whose name stands nowhere else.

    Others may import the name from here, importing may have an effect, or may be tried for what it raises. What a test
    imports from the standard library by name is for nobody else either.
    """
    line, name = first_line(file, diagnostic), named_in(diagnostic)[0]
    plain = _IMPORT_IN_A_TEST if is_test(file.change.path) else _PLAIN_IMPORT
    if file.change.path.endswith("__init__.py") or not plain.fullmatch(line) or name in _IMPORTED_FOR_ITS_EFFECT:
        return True
    bound = re.compile(rf"\b{re.escape(name.rpartition('.')[2])}\b")
    others = (text for number, text in enumerate(file.lines, 1) if number != diagnostic.start_line)
    return name.partition(".")[0] not in sys.stdlib_module_names or any(bound.search(text) for text in others)


def _no_second_definition(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """What is imported again, or decorated and so perhaps registered somewhere."""
    name = re.escape(named_in(diagnostic)[0])
    defines = re.compile(rf"\s*((async\s+)?def|class)\s+{name}\b")
    if defines.match(first_line(file, diagnostic)) is None:
        return True
    return any(defines.match(line) and above.lstrip().startswith(("@", ")")) for above, line in pairwise(file.lines))


def _named_by_a_statement(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return re.match(r"\s*(except|with|async with)\b", first_line(file, diagnostic)) is not None


def _no_clock(_: PythonFile, diagnostic: Diagnostic) -> bool:
    return not any(_CLOCKS_AND_DICE.search(name) for name in named_in(diagnostic)[:1])


def _to_fail(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """The line stands directly inside a `with raises(…)` or a `try`."""
    depth = depth_of(first_line(file, diagnostic))
    for line in reversed(file.lines[: diagnostic.start_line - 1]):
        if line.strip() and depth_of(line) < depth:
            return _EXPECTS_AN_ERROR.match(line) is not None
    return False


def _reexport(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """A name that modules may import from here: one of the module itself, or of Python, to have it in every version."""
    is_of_python = named_in(diagnostic)[0] in PYTHON_2_NAMES.union(dir(builtins))
    return is_of_python or depth_of(first_line(file, diagnostic)) == 0


def _defined_in_a_string(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """Code that is run by `exec` may define it."""
    return named_in(diagnostic)[0] in file.defined


def _not_kept_by_the_loop(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """Only a function that the loop puts away for later surely sees the last value."""
    return _PUT_AWAY.search(first_line(file, diagnostic)) is None


def _handled(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """The handler raises again or keeps the exception, a comment in it says why, or a linter was silenced."""
    is_explained = "#" in first_line(file, diagnostic)
    return is_explained or any(_HANDLES.search(line) for line in _deeper(file, diagnostic))


def _one_sentence(file: PythonFile, diagnostic: Diagnostic) -> bool:
    return _SPACE_AT_A_JOINT.search(file.text[diagnostic.start : diagnostic.end]) is not None


def _not_built_here(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """The command is a constant, or comes whole from somewhere else."""
    call = "\n".join([first_line(file, diagnostic), *_deeper(file, diagnostic)])
    return "seems safe" in diagnostic.message or _BUILT.search(call) is None


def _to_fail_or_read(file: PythonFile, diagnostic: Diagnostic) -> bool:
    """It is expected or made to raise, or it is an attribute, reading which may have an effect."""
    line = first_line(file, diagnostic)
    return _ONLY_READS.fullmatch(line) is not None or _BY_ZERO.search(line) is not None or _to_fail(file, diagnostic)


def _made_when_asked(file: PythonFile, _: Diagnostic) -> bool:
    return re.search(r"^def __getattr__\b", file.text, re.M) is not None


_EXEMPTIONS: Mapping[str, Callable[[PythonFile, Diagnostic], bool]] = {
    "B008": _no_clock,
    "B018": _to_fail_or_read,
    "B023": _not_kept_by_the_loop,
    "E722": _handled,
    "F401": _may_be_used,
    "F811": _no_second_definition,
    "F821": _defined_in_a_string,
    "F822": _made_when_asked,
    "F841": _named_by_a_statement,
    "ISC004": _one_sentence,
    "PLW0127": _reexport,
    "S602": _not_built_here,
    "S605": _not_built_here,
}
