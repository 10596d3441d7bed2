"""A made repository: modules that import and call each other, in three languages, with prose and data.

It is always the same.
"""

import random
from collections.abc import Iterator, Mapping, Sequence

_NOUNS = (
    "account address balance basket batch branch budget buffer carrier catalog category channel charge client code "
    "column contract country coupon credit currency customer delivery deposit discount document draft entry event "
    "export feature field filter folder group handler header history image index invoice item job journal label "
    "ledger line link list location manager margin market member message meter model module notice number offer "
    "option order owner page parcel partner payment period person plan policy position price process product "
    "profile project quote rate reader receipt record refund region report request result review role route row "
    "rule sale sample schedule section session setting shipment signal slot source stage state status step stock store "
    "stream supplier table target task tax team template term ticket token total trade transfer unit user value vendor "
    "version visit voucher warehouse weight window worker zone"
).split()
_VERBS = "add apply build check close collect compute convert count create find fetch format load merge open".split()
_VERBS += "parse prepare read reduce refresh register remove render reserve resolve round save send sort split".split()
_VERBS += "store sum track update validate write".split()
_FUNCTIONS = 12


class Module:
    """One module by its number; what it defines is known to the modules that use it."""

    def __init__(self, number: int) -> None:
        chosen = random.Random(number)
        self.number = number
        self.noun = chosen.choice(_NOUNS)
        self.names = [f"{verb}_{self.noun}_{chosen.choice(_NOUNS)}" for verb in chosen.sample(_VERBS, _FUNCTIONS)]
        self.seed = chosen.random()

    @property
    def path(self) -> str:
        """Its path: seven of ten are Python, two TypeScript, one is Go."""
        kind = self.number % 10
        suffix = "py" if kind < 7 else "ts" if kind < 9 else "go"
        return f"src/area_{self.number // 40:02}/{self.noun}_{self.number}.{suffix}"


def made_files(count: int, versions: Mapping[int, int] | None = None, changed: int = 0) -> Iterator[tuple[str, str]]:
    """So many files with their texts.

    `versions` are the modules by number whose first `changed` functions read otherwise than in version 0.
    """
    modules = [Module(number) for number in range(count)]
    for module in modules:
        others = [modules[(module.number * 7 + step * step) % count] for step in (1, 2, 3)]
        version = (versions or {}).get(module.number, 0)
        texts = [
            _WRITERS[module.path.rpartition(".")[2]](module, at, others, version if at < changed else 0)
            for at in range(_FUNCTIONS)
        ]
        yield module.path, "\n\n".join([*_beginning(module, others), *texts]) + "\n"
        if module.number % 12 == 0:
            yield f"docs/{module.noun}_{module.number}.md", _prose(module)
            yield f"config/{module.noun}_{module.number}.yaml", "".join(f"{name}: true\n" for name in module.names)


def one_line_more(text: str) -> str:
    """A Python module of `made_files` whose last function begins with another line."""
    before, _, last = text.rpartition('"""\n')
    return f'{before}"""\n    logger.debug("begins")\n{last}'


def _beginning(module: Module, others: Sequence[Module]) -> Iterator[str]:
    if module.path.endswith(".py"):
        yield f'"""Everything about the {module.noun}."""\n\nimport logging\nfrom decimal import Decimal'
        yield "\n".join(f"from {each.noun}_{each.number} import {each.names[0]}, {each.names[1]}" for each in others)
        yield "logger = logging.getLogger(__name__)"
    elif module.path.endswith(".ts"):
        yield "\n".join(
            f'import {{ {each.names[0]}, {each.names[1]} }} from "../{each.noun}_{each.number}";' for each in others
        )
    else:
        yield f'package {module.noun}\n\nimport (\n\t"errors"\n\t"fmt"\n)'


def _python(module: Module, at: int, others: Sequence[Module], version: int) -> str:
    name, other = module.names[at], others[at % len(others)]
    nouns = _some_nouns(module, at, 3)
    lines = [
        f"def {name}({nouns[0]}, {nouns[1]}=None, *, limit={10 + at + version}):",
        f'    """Return the {nouns[2]} of each {nouns[0]}, at most so many as the limit says."""',
        f"    if {nouns[1]} is None:",
        f"        {nouns[1]} = {other.names[0]}({nouns[0]})",
        f"    {nouns[2]}s = {{}}",
        f"    for key, {nouns[2]} in sorted({nouns[0]}.items()):",
        f"        amount = Decimal({nouns[2]}.get('amount', {version})) * {at + 2}",
        f"        if amount > limit{f' + {version}' if version else ''}:",
        f"            logger.warning('over the limit of %s by {name}: %s', key, amount - limit)",
        "            continue",
        f"        {nouns[2]}s[key] = {other.names[1]}(amount, {nouns[1]})",
        f"    return {nouns[2]}s",
    ]
    return "\n".join(lines)


def _typescript(module: Module, at: int, others: Sequence[Module], version: int) -> str:
    name, other = module.names[at], others[at % len(others)]
    nouns = _some_nouns(module, at, 3)
    lines = [
        f"export function {name}({nouns[0]}: Map<string, number>, limit = {10 + at + version}): number[] {{",
        f"  const {nouns[2]}s: number[] = [];",
        f"  for (const [key, {nouns[1]}] of {nouns[0]}) {{",
        f"    const amount = {nouns[1]} * {at + 2 + version};",
        "    if (amount > limit) {",
        f"      console.warn(`over the limit of ${{key}} by {name}: ${{amount - limit}}`);",
        "      continue;",
        "    }",
        f"    {nouns[2]}s.push({other.names[0]}(amount, {nouns[1]}));",
        "  }",
        f"  return {nouns[2]}s;",
        "}",
    ]
    return "\n".join(lines)


def _go(module: Module, at: int, others: Sequence[Module], version: int) -> str:
    name, other = module.names[at], others[at % len(others)]
    nouns = _some_nouns(module, at, 3)
    lines = [
        f"func {name}({nouns[0]} map[string]int, limit int) ([]int, error) {{",
        f"\t{nouns[2]}s := []int{{}}",
        f"\tfor key, {nouns[1]} := range {nouns[0]} {{",
        f"\t\tamount := {nouns[1]} * {at + 2 + version}",
        "\t\tif amount > limit {",
        f'\t\t\treturn nil, errors.New(fmt.Sprintf("over the limit of %s by {name}: %d", key, amount-limit))',
        "\t\t}",
        f"\t\t{nouns[2]}s = append({nouns[2]}s, {other.names[0]}(amount))",
        "\t}",
        f"\treturn {nouns[2]}s, nil",
        "}",
    ]
    return "\n".join(lines)


_WRITERS = {"py": _python, "ts": _typescript, "go": _go}


def _prose(module: Module) -> str:
    sentences = (f"`{name}` is what the {module.noun} needs before it is sent to the {at}." for at, name in
                 zip(_some_nouns(module, 0, _FUNCTIONS), module.names, strict=True))  # fmt: skip
    return f"# The {module.noun}\n\n" + "\n\n".join(sentences) + "\n"


def _some_nouns(module: Module, at: int, count: int) -> list[str]:
    return random.Random(f"{module.seed} {at}").sample(_NOUNS, count)
