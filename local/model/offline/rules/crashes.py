"""Code that raises, or is not even parsed, whenever it is reached."""

from local.model.offline.rules.rule import Rule, impact

_SYNTAX = "Python refuses to compile the module, so every import of it fails before a line has run."
_FORMAT = "The values do not fit the placeholders, so this expression raises as soon as it is reached"


def _crash(title: str | None = None, mechanism: str | None = None) -> Rule:
    return impact("MAJOR", "correctness", title, mechanism)


def _syntax(title: str) -> Rule:
    return impact("CRITICAL", "correctness", title, _SYNTAX)


CRASHES: dict[str, Rule] = {
    "invalid-syntax": impact("CRITICAL", "correctness", None, _SYNTAX),
    "F404": _syntax("A `__future__` import below other code"),
    "F407": _syntax("`{0}` is not a future feature"),
    "F621": _syntax("Too many names in a starred assignment"),
    "F622": _syntax("Two starred names in one assignment"),
    "F701": _syntax("`break` outside a loop"),
    "F702": _syntax("`continue` outside a loop"),
    "F704": _syntax("`{0}` outside a function"),
    "F706": _syntax("`return` outside a function"),
    "F707": _syntax("A bare `except` before other handlers"),
    "PLE0115": _syntax("`{0}` is declared both nonlocal and global"),
    "PLE0117": _syntax("`nonlocal {0}` has nothing to bind to"),
    "PLE0118": _syntax("`{0}` is used before its `global` statement"),
    "PLE1132": _crash(
        "The argument `{0}` is given twice", "The call raises TypeError: a keyword argument may be given once."
    ),
    "PLE1142": _syntax("`await` outside an async function"),
    "PLE1700": _syntax("`yield from` in an async function"),
    "F821": _crash(
        "`{0}` is not defined",
        "Nothing in this module defines or imports `{0}`, so the line raises NameError the first time that it runs.",
    ),
    "F822": _crash(
        "`__all__` names `{0}`, which does not exist",
        "`from module import *` looks up every name of `__all__` and raises AttributeError for `{0}`.",
    ),
    "F823": _crash(
        "`{0}` is read before it is assigned",
        "The assignment further down makes `{0}` local to the whole function, so this read raises UnboundLocalError.",
    ),
    "F501": _crash("An invalid % format string", f"{_FORMAT}."),
    "F502": _crash("A % format with names is given a sequence", f"{_FORMAT}: TypeError, format requires a mapping."),
    "F503": _crash("A % format by position is given a mapping", f"{_FORMAT} with TypeError."),
    "F505": _crash("A % format lacks the value for `{1}`", f"{_FORMAT} with KeyError."),
    "F506": _crash("A % format mixes names and positions", f"{_FORMAT} with TypeError."),
    "F507": _crash("The number of % values does not match the placeholders", f"{_FORMAT} with TypeError."),
    "F508": _crash("A `*` width in a % format needs a tuple", f"{_FORMAT} with TypeError."),
    "F509": _crash("A % format has an unknown character", f"{_FORMAT} with ValueError."),
    "F521": _crash("An invalid `.format` string", f"{_FORMAT} with ValueError."),
    "F524": _crash("`.format` lacks a value for a placeholder", f"{_FORMAT} with KeyError or IndexError."),
    "F525": _crash("`.format` mixes `{{}}` and numbered placeholders", f"{_FORMAT} with ValueError."),
    "F901": impact(
        "MEDIUM",
        "correctness",
        "`raise NotImplemented` is not an exception",
        "`NotImplemented` is a value, so Python raises TypeError instead, and a caller that expects "
        "NotImplementedError "
        "does not catch it.",
    ),
    "B016": _crash("A literal is raised", "Only exceptions can be raised: this line raises TypeError instead."),
    "B030": _crash(
        "An `except` clause holds something that is no exception class",
        "Matching an exception against it raises TypeError, which replaces the error that was to be handled.",
    ),
    "PLE0100": _crash(
        "`__init__` is a generator", "Creating the object raises TypeError: `__init__` must return None."
    ),
    "PLE0101": _crash(
        "`__init__` returns a value", "Creating the object raises TypeError: `__init__` must return None."
    ),
    "PLE0237": _crash("`{0}` is not in `__slots__`", "Assigning an attribute that has no slot raises AttributeError."),
    "PLE0241": _crash("The base `{0}` is listed twice", "The class statement raises TypeError: duplicate base class."),
    "PLE0302": _crash(
        "`{0}` takes the wrong number of parameters",
        "Python itself calls this method with a fixed number of arguments; with this signature each "
        "call raises TypeError.",
    ),
    "PLE0303": _crash(
        "`__len__` returns no length", "`len()` raises TypeError unless it gets an integer of 0 or more."
    ),
    "PLE0304": _crash("`__bool__` returns no bool", "Testing the object's truth raises TypeError."),
    "PLE0305": _crash("`__index__` returns no integer", "Using the object as an index raises TypeError."),
    "PLE0307": _crash("`__str__` returns no string", "`str()` and f-strings raise TypeError on this object."),
    "PLE0308": _crash("`__bytes__` returns no bytes", "`bytes()` raises TypeError on this object."),
    "PLE0309": _crash("`__hash__` returns no integer", "Putting the object into a set or dict raises TypeError."),
    "PLE0604": _crash("`__all__` holds something that is no string", "`from module import *` raises TypeError."),
    "PLE0605": _crash(
        "`__all__` is no list or tuple", "`from module import *` raises TypeError or exports single letters."
    ),
    "PLE0643": _crash(
        "The index is out of range", "The sequence is known to be shorter: this lookup raises IndexError."
    ),
    "PLE1205": _crash(
        "More logging arguments than placeholders",
        "The handler fails to format the record and prints a traceback to stderr: the log line is lost.",
    ),
    "PLE1206": _crash(
        "Fewer logging arguments than placeholders",
        "The handler fails to format the record and prints a traceback to stderr: the log line is lost.",
    ),
    "PLE1300": _crash("A format string has an unknown character", f"{_FORMAT} with ValueError."),
    "PLE1307": _crash("A % value is of the wrong type for its placeholder", f"{_FORMAT} with TypeError."),
    "PLE1507": _crash("`os.getenv` is asked for something that is no string", "The call raises TypeError."),
    "PLE1519": _crash(
        "`@singledispatch` on a method",
        "It dispatches on the first argument, which is `self`: the registered overloads are never chosen.",
    ),
    "PLE1520": _crash(
        "`@singledispatchmethod` on a plain function", "It is a descriptor for classes: calling it fails."
    ),
    "PLW0245": _crash(
        "`super` is not called", "`super.x` looks up `x` on the type `super` itself and raises AttributeError."
    ),
    "PLW1501": _crash("`{0}` is no mode of `open`", "The call raises ValueError before the file is opened."),
    "RUF008": _crash(
        "A mutable default in a dataclass",
        "For a list, dict or set the class statement itself raises ValueError: use `field(default_factory=…)`.",
    ),
    "RUF016": _crash("The index has the wrong type", "Indexing with a value of this type raises TypeError."),
}
