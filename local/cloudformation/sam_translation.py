"""A program that translates a SAM template as CloudFormation does, run by the interpreter that has the translator.

It reads {"template", "parameters"} as JSON and writes {"template"} or {"error"}. Its interpreter is the one of the SAM
CLI's own environment (scripts/build.py), because the SAM CLI brings the translator of AWS with it.
"""

import json
import sys

from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator


def main() -> None:
    """Translate the template on standard input."""
    given = json.load(sys.stdin)
    template = given["template"]
    try:
        translated = Translator({}, Parser()).translate(template, parameter_values=given["parameters"])
    except Exception as error:  # any error is a fault of the template
        causes = getattr(error, "causes", None) or [error]
        answer = {"error": " ".join(getattr(cause, "message", None) or repr(cause) for cause in causes)}
    else:
        answer = {"template": translated}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
