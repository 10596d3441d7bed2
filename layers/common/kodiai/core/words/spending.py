"""The sentence for a limit on spending that is reached."""

from kodiai.core.config.spending import Spending, SpendingLimit


def used_up(limit: SpendingLimit) -> str:
    """The reason, inside of a sentence, why the model was not asked."""
    whose = "budget" if limit.name.startswith("budget.") else "deployment's cap"
    return f"the {whose} `{limit.name}` is used up"


def refused(limit: SpendingLimit, spending: Spending) -> str:
    """The sentence where nothing begins; what other repositories of the owner cost is not for everybody to read."""
    said = used_up(limit)
    sentence = f"{said[0].upper()}{said[1:]}"
    if limit.counts == "owner_month_usd":
        return f"{sentence}."
    return f"{sentence}: ${limit.usd - limit.left(spending):.2f} of ${limit.usd:.2f} were spent."
