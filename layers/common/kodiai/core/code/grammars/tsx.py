"""TypeScript with markup in it: a grammar of its own, since `<T>` cannot be a cast there."""

from dataclasses import replace

from kodiai.core.code.grammars import typescript

GRAMMAR = replace(typescript.GRAMMAR, symbol="language_tsx")
