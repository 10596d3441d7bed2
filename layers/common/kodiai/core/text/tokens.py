"""Estimates of how many tokens a text takes, before a model counts them."""

_BYTES_PER_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """Estimate a text's tokens, rather too many than too few: a third of its UTF-8 bytes, rounded up.

    It is an estimate and no tokenizer: the API's answer has what a request really took.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)


def first_tokens(text: str, tokens: int) -> str:
    """The beginning of a text that is estimated at no more than this number of tokens."""
    return text.encode("utf-8", "surrogatepass")[: tokens * _BYTES_PER_TOKEN].decode("utf-8", "ignore")
