"""Code that runs and does something else than it says."""

from local.model.offline.rules.rule import Rule, impact, preference


def _wrong(severity: str, title: str | None = None, mechanism: str | None = None) -> Rule:
    return impact(severity, "correctness", title, mechanism)


CORRECTNESS: dict[str, Rule] = {
    "F402": _wrong(
        "MEDIUM", "The loop variable hides the import `{0}`", "After the loop `{0}` is the last item, not the module."
    ),
    "F601": _wrong(
        "MEDIUM",
        "The key `{0}` stands twice in a dict",
        "The later entry silently replaces the earlier one, whose value is lost.",
    ),
    "F602": _wrong(
        "MEDIUM",
        "The key `{0}` stands twice in a dict",
        "The later entry silently replaces the earlier one, whose value is lost.",
    ),
    "F631": _wrong(
        "MAJOR",
        "An assert on a tuple always passes",
        "A tuple that is not empty is true, so this assertion can never fail.",
    ),
    "F632": _wrong(
        "MEDIUM",
        "A literal is compared with `is`",
        "`is` asks for the same object; whether equal strings or numbers are one object depends on "
        "the interpreter, "
        "so the test can be false for equal values.",
    ),
    "F634": _wrong(
        "MAJOR", "A condition on a tuple is always true", "A tuple that is not empty is true: the branch always runs."
    ),
    "F811": _wrong(
        "MEDIUM",
        "`{0}` is defined again",
        "The second definition replaces the first, which was never used: calls and tests that were "
        "meant for it "
        "never reach it.",
    ),
    "F504": preference("MINOR", "correctness", "A % format has values that nothing uses"),
    "F522": preference("MINOR", "correctness", "`.format` has named values that nothing uses"),
    "F523": _wrong("MEDIUM", "`.format` has values that no placeholder takes", "The value never appears in the text."),
    "F841": preference(
        "MINOR",
        "correctness",
        "`{0}` is assigned and never used",
        "The value is computed and thrown away; either a use of it was forgotten or the name can go.",
    ),
    "B002": _wrong("MAJOR", "`++` does nothing in Python", "It is two signs in a row: the variable keeps its value."),
    "B003": _wrong(
        "MEDIUM",
        "`os.environ` is replaced, not changed",
        "The process environment stays as it was, so child processes still get the old variables.",
    ),
    "B005": _wrong(
        "MEDIUM",
        "`strip` takes a set of characters, not a word",
        "Every character of the argument is stripped in any order, so more is cut off than the given text: "
        "use `removeprefix` or `removesuffix`.",
    ),
    "PLE1310": _wrong(
        "MEDIUM",
        "`strip` takes a set of characters, not a word",
        "Every character of the argument is stripped in any order, so more is cut off than the given text: "
        "use `removeprefix` or `removesuffix`.",
    ),
    "B006": _wrong(
        "MEDIUM",
        "A mutable default argument",
        "The default is made once, when the function is defined: whatever one call puts into it is "
        "still there "
        "in the next call that leaves the argument out.",
    ),
    "B008": _wrong(
        "MEDIUM",
        "`{0}` is called once, for the default argument",
        "The call runs when the function is defined, so every later call that leaves the argument "
        "out gets that same old value.",
    ),
    "B015": _wrong(
        "MEDIUM",
        "A comparison whose result is thrown away",
        "Nothing tests the result: probably `assert` or `=` was meant.",
    ),
    "B018": _wrong(
        "MEDIUM",
        "An expression that does nothing",
        "Its value is thrown away: probably a call or an assignment was meant.",
    ),
    "B023": _wrong(
        "MEDIUM",
        "A function made in a loop uses the loop variable `{0}`",
        "The variable is looked up when the function is called: called after the loop, every one of "
        "them sees the last value.",
    ),
    "B025": _wrong(
        "MEDIUM", "`{0}` is handled twice", "Only the first handler of an exception runs, the second is dead code."
    ),
    "B029": _wrong(
        "MEDIUM", "`except ()` catches nothing", "An empty tuple matches no exception: the handler never runs."
    ),
    "B031": _wrong(
        "MAJOR",
        "A group of `groupby` is used twice",
        "A group is an iterator that is spent after the first pass: the second use sees nothing.",
    ),
    "B032": _wrong(
        "MEDIUM", "An annotation where an assignment was meant", "`:` only annotates the target: nothing is assigned."
    ),
    "B033": preference("MINOR", "correctness", "The item `{0}` stands twice in a set"),
    "B034": _wrong(
        "MEDIUM",
        "`{0}` with positional `{1}` or flags",
        "The third position is the number of replacements or splits, so flags that are passed there "
        "limit it and do not act as flags.",
    ),
    "B035": _wrong(
        "MAJOR",
        "A dict comprehension with a constant key",
        "Each round writes the same key: the dict ends up with the last item only.",
    ),
    "B039": _wrong(
        "MEDIUM",
        "A mutable default in a ContextVar",
        "All contexts share the one object, so a change in one shows in every other.",
    ),
    "ISC004": _wrong(
        "MEDIUM",
        "Two strings in a collection without a comma between",
        "Adjacent strings are joined into one, so the collection has one item fewer than it seems.",
    ),
    "PLR0124": _wrong(
        "MEDIUM",
        "A value is compared with itself",
        "The result is always the same: one side was probably meant to differ.",
    ),
    "PLW0127": _wrong(
        "MEDIUM", "`{0}` is assigned to itself", "The statement changes nothing: probably another name was meant."
    ),
    "PLW0128": _wrong("MEDIUM", "`{0}` is assigned twice in one statement", "Only the last of the values stays."),
    "PLW0133": _wrong(
        "MAJOR", "An exception is made and not raised", "Without `raise` the error is thrown away and the code goes on."
    ),
    "PLW0177": _wrong(
        "MAJOR", "A comparison with NaN", "NaN is unequal to everything, itself included: use `math.isnan`."
    ),
    "PLW0406": _wrong("MEDIUM", "The module imports itself"),
    "PLW0711": _wrong(
        "MAJOR",
        "`except A or B` catches only one of them",
        "The expression is evaluated first and leaves one class: the other exception passes through. Use a tuple.",
    ),
    "PLW1507": _wrong(
        "MEDIUM",
        "A shallow copy of `os.environ`",
        "The copy is still tied to the process: changing it changes the real environment.",
    ),
    "RUF018": _wrong(
        "MEDIUM",
        "An assignment inside an assert",
        "Under `python -O` asserts are removed and the name is never assigned: later uses raise NameError.",
    ),
    "RUF024": _wrong(
        "MEDIUM",
        "One mutable value for every key",
        "`dict.fromkeys` gives all keys the same object: changing one changes all.",
    ),
    "RUF026": _wrong(
        "MAJOR",
        "`default_factory` given by name",
        "`defaultdict` takes it by position only: the name becomes an ordinary key and missing keys raise KeyError.",
    ),
    "RUF034": _wrong("MEDIUM", "Both branches of a conditional are the same", "The condition decides nothing."),
    "SIM220": _wrong(
        "MEDIUM", "A condition that is always false", "`{0}` and its opposite cannot both hold: the branch is dead."
    ),
    "SIM221": _wrong("MEDIUM", "A condition that is always true", "One of a value and its opposite always holds."),
    "SIM222": _wrong(
        "MEDIUM", "A condition that is always true", "`or` with a true constant makes the rest of the test void."
    ),
    "SIM223": _wrong(
        "MEDIUM", "A condition that is always false", "`and` with a false constant makes the rest of the test void."
    ),
    "W605": preference(
        "MINOR",
        "correctness",
        "An invalid escape sequence in a string",
        "Python keeps the backslash for now, warns about it, and is to refuse it later: use a raw "
        "string or two backslashes.",
    ),
}
