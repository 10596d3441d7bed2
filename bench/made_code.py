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
    """Yield `count` modules and their documents, as paths and texts.

    `versions` are the modules by number whose first `changed` functions read otherwise than in version 0.
    """
    modules = [Module(number) for number in range(count)]
    for module in modules:
        others = [modules[(module.number * 7 + step * step) % count] for step in (1, 2, 3)]
        version = (versions or {}).get(module.number, 0)
        texts = (_function(module, at, others, version if at < changed else 0) for at in range(_FUNCTIONS))
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


def _function(module: Module, at: int, others: Sequence[Module], version: int) -> str:
    other, (one, two, three) = others[at % len(others)], random.Random(f"{module.seed} {at}").sample(_NOUNS, 3)
    return _FUNCTION[module.path.rpartition(".")[2]].format(
        name=module.names[at],
        other=other.names,
        one=one,
        two=two,
        three=three,
        limit=10 + at + version,
        factor=at + 2,
        factor_now=at + 2 + version,
        version=version,
        more=f" + {version}" if version else "",
    )


_FUNCTION = {
    "py": '''\
def {name}({one}, {two}=None, *, limit={limit}):
    """Return the {three} of each {one}, up to the limit."""
    if {two} is None:
        {two} = {other[0]}({one})
    {three}s = {{}}
    for key, {three} in sorted({one}.items()):
        amount = Decimal({three}.get('amount', {version})) * {factor}
        if amount > limit{more}:
            logger.warning('over the limit of %s by {name}: %s', key, amount - limit)
            continue
        {three}s[key] = {other[1]}(amount, {two})
    return {three}s''',
    "ts": """\
export function {name}({one}: Map<string, number>, limit = {limit}): number[] {{
  const {three}s: number[] = [];
  for (const [key, {two}] of {one}) {{
    const amount = {two} * {factor_now};
    if (amount > limit) {{
      console.warn(`over the limit of ${{key}} by {name}: ${{amount - limit}}`);
      continue;
    }}
    {three}s.push({other[0]}(amount, {two}));
  }}
  return {three}s;
}}""",
    "go": """\
func {name}({one} map[string]int, limit int) ([]int, error) {{
\t{three}s := []int{{}}
\tfor key, {two} := range {one} {{
\t\tamount := {two} * {factor_now}
\t\tif amount > limit {{
\t\t\treturn nil, errors.New(fmt.Sprintf("over the limit of %s by {name}: %d", key, amount-limit))
\t\t}}
\t\t{three}s = append({three}s, {other[0]}(amount))
\t}}
\treturn {three}s, nil
}}""",
}


def _prose(module: Module) -> str:
    nouns = random.Random(f"{module.seed} 0").sample(_NOUNS, _FUNCTIONS)
    pairs = zip(nouns, module.names, strict=True)
    sentences = (f"`{name}` is what the {module.noun} needs before it is sent to the {noun}." for noun, name in pairs)
    return f"# The {module.noun}\n\n" + "\n\n".join(sentences) + "\n"
