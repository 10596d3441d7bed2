"""Code that lets somebody do what they should not."""

from local.model.offline.rules.rule import Rule, impact


def _hole(severity: str, title: str | None = None, mechanism: str | None = None) -> Rule:
    return impact(severity, "security", title, mechanism)


SECURITY: dict[str, Rule] = {
    "S201": _hole(
        "MAJOR",
        "Flask runs in debug mode",
        "Its debugger lets anybody who can cause an error run Python in the server's process.",
    ),
    "S301": _hole(
        "MEDIUM",
        "Unpickling can run code",
        "A pickle names functions to call while it is loaded: whoever can write the data runs code in this process.",
    ),
    "S304": _hole(
        "MAJOR", "A broken cipher", "What it encrypts can be read or altered with modest effort: use AES-GCM."
    ),
    "S305": _hole(
        "MEDIUM", "A weak cipher mode", "Equal blocks give equal ciphertext, which shows patterns of the content."
    ),
    "S306": _hole(
        "MEDIUM",
        "`mktemp` gives a name, not a file",
        "Between the name and the opening another process can create that path: use `mkstemp` or `NamedTemporaryFile`.",
    ),
    "S307": _hole(
        "MEDIUM",
        "`eval` runs text as code",
        "Whoever can influence the text runs any expression with the rights of this process; "
        "`ast.literal_eval` reads values only.",
    ),
    "S323": _hole(
        "MAJOR",
        "A TLS context that checks nothing",
        "Anybody on the way can pose as the server and read or change the traffic.",
    ),
    "S501": _hole(
        "MAJOR",
        "TLS certificates are not checked",
        "With `verify=False` anybody on the way can pose as the server and read or change the traffic.",
    ),
    "S502": _hole(
        "MAJOR", "An insecure TLS version", "The protocol has known attacks that reveal or alter the traffic."
    ),
    "S503": _hole(
        "MAJOR",
        "An insecure TLS version as default",
        "The protocol has known attacks that reveal or alter the traffic.",
    ),
    "S505": _hole("MAJOR", "A key that is too short", "A key of this size can be broken with affordable means."),
    "S506": _hole(
        "MAJOR",
        "YAML is loaded with an unsafe loader",
        "Tags such as `!!python/object/apply` in the document call any function: use `yaml.safe_load`.",
    ),
    "S507": _hole(
        "MAJOR", "SSH host keys are trusted blindly", "Anybody on the way can pose as the host and take what is typed."
    ),
    "S602": _hole(
        "MAJOR",
        "A shell command is built from values",
        "With `shell=True` a value such as `; rm -rf .` is run as a command: pass the arguments as a list.",
    ),
    "S605": _hole(
        "MAJOR",
        "A shell command is built from values",
        "The string goes to a shell, which runs a value such as `; rm -rf .` as a command: use "
        "`subprocess.run` with a list.",
    ),
    "S608": _hole(
        "MAJOR",
        "SQL is built from values",
        "A value with a quote in it changes the statement, so whoever controls it reads or changes "
        "any row: use parameters.",
    ),
    "S609": _hole(
        "MEDIUM",
        "A wildcard in a shell command",
        "A file that is named like an option, such as `--reference=x`, becomes an option.",
    ),
    "PLE2502": _hole(
        "MAJOR",
        "Invisible characters that change the direction of text",
        "The code that is shown is not the code that runs: a reader sees its parts in another order.",
    ),
    "PLE2515": _hole(
        "MINOR", "An invisible character in a string", "The text is not what it seems, and comparisons with it fail."
    ),
}
