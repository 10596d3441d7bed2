"""Text embeddings in the shape of Amazon Titan Text Embeddings V2, computed from the words alone.

They know no meaning: texts are near when they share words, parts of words, or pairs of words in a row. The same
problem in other words is as far away as any other, so they say nothing about what a real model would recall.
"""

import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator

from starlette.responses import Response

from local.aws.protocol import AwsError, Json, json_response

MODEL = "amazon.titan-embed-text-v2:0"
DIMENSIONS = (256, 512, 1024)
_MOST_CHARACTERS = 50_000
_MOST_TOKENS = 8_192  # https://docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html
_CHARACTERS_A_TOKEN = 4.7  # AWS's own average for English; without spaces a character is one at least
_IN_COMMON = math.sqrt(0.8 / 0.3 - 1)
"""The part that all texts have in common, as with a real model: it brings a distance of 0.8 to 0.3.

Without it the usual threshold would keep nothing. With it, 0.3 keeps 59 % of the texts about the same problem, and 4 %
of those about another kind of problem: docs/decisions/0032.
"""

_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+|[^\W\d_]+")
_ENDING = re.compile(r"(?:ations?|ings?|ness|ment|ed|er|es|ly|s|e)$")
_SHORTEST_STEM = 3
_GRAM = 4
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")  # Thai, Lao, Japanese, Chinese
_GLYPHS = 2
# Words that say nothing about the subject; they would make every two texts a little alike.
_FILLERS = frozenset(
    "a an and are as at be been by can do for from has have if in into is it its may not of on or so "
    "that the their then there this to was when which will with would".split()
)


def embed(text: str, dimensions: int = 1024, normalize: bool = True) -> list[float]:
    """Return the embedding of a text; the same on every machine and in every process."""
    vector = [0.0] * (dimensions - 1)
    for feature, weight in _features(text):
        digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
        place = int.from_bytes(digest[:7], "big") % len(vector)
        vector[place] += weight if digest[7] & 1 else -weight
    length = math.hypot(*vector)
    if not length:  # punctuation alone: still a direction, for a zero vector cannot be compared
        vector[0] = length = 1.0
    vector.append(_IN_COMMON * length)
    length = math.hypot(*vector)
    return [value / length for value in vector] if normalize else vector


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Yield what a text is made of, with weights: stems, parts of stems, and stems in a row."""
    words = list(_words(text))
    stems = [_stem(word) for word in words if word not in _FILLERS] or words
    for stem, count in Counter(stems).items():
        weight = 1.0 + math.log(count)
        yield f"stem {stem}", weight
        grams = _grams(stem)
        for gram in grams:
            yield f"gram {gram}", 0.7 * weight / math.sqrt(len(grams))
    for pair in dict.fromkeys(itertools.pairwise(stems)):
        yield f"pair {pair[0]} {pair[1]}", 0.3


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, names taken apart; scripts without spaces come two characters at a time."""
    for word in _WORD.findall(text):
        if len(word) > _GLYPHS and _UNSPACED.search(word):
            yield from (word[at : at + _GLYPHS] for at in range(len(word) - _GLYPHS + 1))
        else:
            yield word.lower()


def _grams(stem: str) -> list[str]:
    framed = f"^{stem}$"
    return [framed[at : at + _GRAM] for at in range(max(1, len(framed) - _GRAM + 1))]


def _stem(word: str) -> str:
    short = _ENDING.sub("", word)
    return short if len(short) >= _SHORTEST_STEM else word


def titan(path: str, body: Json) -> Response:
    """Answer InvokeModel for the one embedding model that the memory uses. Raises AwsError.

    Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
    """
    if path != f"/model/{MODEL}/invoke":
        raise AwsError("ValidationException", "The provided model identifier is invalid.")
    text, dimensions = body.get("inputText"), body.get("dimensions", DIMENSIONS[-1])
    unknown = set(body) - {"inputText", "dimensions", "normalize"}
    if unknown:
        raise _malformed(f"extraneous key [{min(unknown)}] is not permitted")
    if not isinstance(text, str) or not text:
        raise _malformed("expected minLength: 1, actual: 0")
    if len(text) > _MOST_CHARACTERS:
        raise _malformed(f"expected maxLength: {_MOST_CHARACTERS}, actual: {len(text)}")
    if dimensions not in DIMENSIONS:
        raise _malformed(f"{dimensions} is not a valid enum value")
    tokens = max(1, round(len(text) / _CHARACTERS_A_TOKEN), len(_UNSPACED.findall(text)))
    if tokens > _MOST_TOKENS:
        count = f"Max input tokens: {_MOST_TOKENS}, request input token count: {tokens}"
        raise AwsError("ValidationException", f"400 Bad Request: Too many input tokens. {count}")
    vector = embed(text, dimensions, bool(body.get("normalize", True)))
    response = json_response(
        {"embedding": vector, "embeddingsByType": {"float": vector}, "inputTextTokenCount": tokens}
    )
    response.headers["X-Amzn-Bedrock-Input-Token-Count"] = str(tokens)
    return response


def _malformed(reason: str) -> AwsError:
    return AwsError(
        "ValidationException", f"Malformed input request: {reason}, please reformat your input and try again."
    )
