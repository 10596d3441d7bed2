"""The cost of AWS by service and by the duration of model calls: `python -m bench.aws_cost [--waiting SECONDS] …`.

The usage of each kind of event is counted in a run of the local system; the prices are in bench.aws_prices.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench import aws_prices as price
from bench.aws_events import FUNCTIONS, EventName, Usage, count
from bench.table import Table
from kodiai.core.metrics import UNITS
from local.lambdas.template import read_template
from local.machine import TEMPLATE

THOUSAND, MILLION = 1_000, 1_000_000
ONE_CORE_MB = 1_769
"""Memory with which a function has one core: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html."""

WAITS = (0, 15, 30, 60, 120, 240)
_WORKERS: Mapping[EventName, str] = {
    "full review": "review",
    "re-review": "review",
    "answer": "mention",
    "look": "review",
    "close": "review",
    "ignored": "ingest",
    "proposal": "proposals",
}
_GB = 1024**3
_FREE_STORAGE_MB = 512
_LOG_EVENT_BYTES = 26  # added to each line: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/
_VECTORS, _VECTOR_MONTHS = 100_000, 12  # that an index has, and for which a vector is kept
_VECTOR_BYTES = 4 * 1024 + 35 + 140  # with its key and the metadata by which a query may filter
_TEXT_BYTES = 400
_SMALLEST_PUT_BYTES = 128 * 1024
_TITAN_TOKENS = 180
_SETTINGS_SECONDS = 300  # for so long a process keeps the parameters
_SECRETS = {"ingest": 2, "review": 6, "mention": 6, "proposals": 0}  # are decrypted then


@dataclass(frozen=True)
class Mix:
    """The events of an average pull request, and the durations.

    `waiting` is how long a full review waits for the model, in seconds; a re-review waits half of that, an answer a
    quarter. `github` and `aws` are the seconds of one request. `cold` is the share of events that start a process.
    `platform_bytes` are Lambda's own log lines about an invocation. Idle queues are polled `polls` times a second.
    """

    pushes: float = 2.7
    answers: float = 0.5
    looks: float = 1.0
    ignored: float = 10.0
    proposals: float = 0.1
    waiting: float = 60.0
    github: float = 0.3
    aws: float = 0.01
    cold: float = 1.0
    platform_bytes: int = 900
    polls: float = 2 * 5 / 20
    stored_months: float = 400 / 30.4

    def times(self, event: EventName) -> float:
        """Return the number of events of a kind for one pull request."""
        times = {"re-review": self.pushes, "answer": self.answers, "look": self.looks, "ignored": self.ignored}
        return {**times, "proposal": self.proposals}.get(event, 1.0)

    def waits(self, event: EventName) -> float:
        """Seconds that an event waits for the model."""
        return self.waiting * {"full review": 1, "re-review": 0.5, "answer": 0.25}.get(event, 0)


RARELY_COLD = 0.01
"""The rule for a busy function: https://aws.amazon.com/blogs/compute/aws-lambda-standardizes-billing-for-init-phase/."""


@dataclass(frozen=True)
class Size:
    """The memory and storage of a function in the template, in MB."""

    memory: int
    storage: int = _FREE_STORAGE_MB

    @property
    def slower(self) -> float:
        """The seconds that the function needs for one second of a full core."""
        return max(1.0, ONE_CORE_MB / self.memory)

    def dollars(self, seconds: float) -> float:
        """The price of a number of seconds."""
        storage = (self.storage - _FREE_STORAGE_MB) / 1024 * price.LAMBDA_STORAGE_GB_SECOND
        return seconds * (self.memory / 1024 * price.LAMBDA_GB_SECOND + storage)


Sizes = Mapping[str, Size]


def template_sizes() -> dict[str, Size]:
    """The sizes of the functions in the template, by name ("review")."""
    found = {}
    for name, resource in read_template(TEMPLATE)["Resources"].items():
        if resource["Type"] == "AWS::Serverless::Function":
            given = resource["Properties"]
            storage = given.get("EphemeralStorage", {}).get("Size", _FREE_STORAGE_MB)
            found[name.removesuffix("Function").lower()] = Size(given["MemorySize"], storage)
    return found


def durations(event: EventName, usage: Usage, mix: Mix, sizes: Sizes) -> dict[str, float]:
    """Seconds for which each function is billed for one event."""
    counted = usage.warm[event]
    found = {}
    for name in FUNCTIONS.values():
        if not (invocations := counted.invocations.get(name)):
            continue
        cpu = counted.cpu.get(name, 0.0) + mix.cold * usage.cold_cpu(name)
        if name == _WORKERS[event]:
            waits = mix.waits(event) + mix.github * counted.github_calls
            waits += mix.aws * counted.requests["calls"]
        else:
            waits = mix.aws * invocations
        found[name] = cpu * sizes[name].slower + waits
    return found


def event_costs(event: EventName, usage: Usage, mix: Mix, sizes: Sizes) -> dict[str, float]:
    """US dollars of one event for each service."""
    counted = usage.warm[event]
    requests, invocations = counted.requests, counted.invocations
    seconds = durations(event, usage, mix, sizes)
    consumed = invocations.get("review", 0) + invocations.get("mention", 0)
    decrypted = sum(
        _SECRETS[name] * invocations[name] * max(mix.cold, min(1.0, each / invocations[name] / _SETTINGS_SECONDS))
        for name, each in seconds.items()
    )
    every = sum(invocations.values())
    logged = counted.log_bytes + _LOG_EVENT_BYTES * counted.log_lines + mix.platform_bytes * every
    queries, embedded = requests.get("S3Vectors QueryVectors", 0), requests.get("Bedrock InvokeModel", 0)
    puts = requests.get("S3Vectors PutVectors", 0)
    return {
        "Lambda time": sum(sizes[name].dollars(each) for name, each in seconds.items()),
        "Lambda requests": every * price.LAMBDA_REQUEST,
        "API Gateway": counted.webhooks * price.HTTP_API_REQUEST,
        # Lambda receives and deletes each message.
        "SQS": (requests.get("SQS", 0) + 2 * consumed) * price.SQS_FIFO_REQUEST,
        "DynamoDB writes": requests.get("DynamoDB writes", 0) * price.DYNAMODB_WRITE,
        "DynamoDB reads": requests.get("DynamoDB reads", 0) * price.DYNAMODB_READ,
        "DynamoDB storage": counted.stored_bytes / _GB * mix.stored_months * price.DYNAMODB_GB_MONTH,
        "S3 Vectors": vectors_cost(queries, max(0, embedded - queries), puts),
        "Bedrock Titan": embedded * _TITAN_TOKENS * price.TITAN_TOKEN,
        "CloudWatch Logs": logged / _GB * price.LOGS_GB,
        "KMS (parameters)": decrypted * price.KMS_REQUEST,
        "traffic to the model": counted.model_bytes / _GB * price.OUT_GB,
    }


def vectors_cost(queries: float, findings: float, puts: float) -> float:
    """US dollars of S3 Vectors: a query is billed for all vectors of the index, a put for at least 128 KB."""
    stored = findings * (_VECTOR_BYTES + _TEXT_BYTES) / _GB
    written = puts * max(_SMALLEST_PUT_BYTES, findings * (_VECTOR_BYTES + _TEXT_BYTES)) / _GB
    compared = queries * _VECTORS * _VECTOR_BYTES / 1024**4
    return (
        queries * price.VECTORS_QUERY
        + compared * price.VECTORS_TB_COMPARED
        + written * price.VECTORS_GB_WRITTEN
        + stored * _VECTOR_MONTHS * price.VECTORS_GB_MONTH
    )


def pull_request_costs(usage: Usage, mix: Mix, sizes: Sizes) -> dict[str, float]:
    """US dollars of one pull request with everything that happens to it, for each service."""
    together: defaultdict[str, float] = defaultdict(float)
    for event in usage.warm:
        for service, dollars in event_costs(event, usage, mix, sizes).items():
            together[service] += mix.times(event) * dollars
    return dict(together)


def month_costs(mix: Mix) -> dict[str, float]:
    """US dollars of a month, whatever happens in it; the metrics' are their most."""
    kinds = Counter(resource["Type"] for resource in read_template(TEMPLATE)["Resources"].values())
    return {
        "alarms": kinds["AWS::CloudWatch::Alarm"] * price.ALARM_MONTH,
        "dashboard": kinds["AWS::CloudWatch::Dashboard"] * price.DASHBOARD_MONTH,
        "metrics": (len(UNITS) + kinds["AWS::Logs::MetricFilter"]) * price.METRIC_MONTH,
        "polling": mix.polls * price.MONTH_SECONDS * price.SQS_FIFO_REQUEST,
    }


@dataclass(frozen=True)
class ServiceCost:
    """US dollars of a service: for 1,000 events of each kind, for 1,000 pull requests, and for a million a month."""

    service: str
    thousand: Mapping[str, float | None]
    thousand_pull_requests: float
    share: str
    million_a_month: float


@dataclass(frozen=True)
class WaitingCost:
    """US dollars if a full review waits so long for the model; the share is that of waiting for the model."""

    waiting_seconds: float
    lambda_for_1000: float
    aws_for_1000: float
    of_it_waiting: str
    million_a_month: float


def service_costs(usage: Usage, mix: Mix, sizes: Sizes) -> list[ServiceCost]:
    """A row for each service, for what each month costs by itself, and for all together."""
    by_event = {event: event_costs(event, usage, mix, sizes) for event in usage.warm}
    few = pull_request_costs(usage, mix, sizes)
    many = pull_request_costs(usage, replace(mix, cold=RARELY_COLD), sizes)
    monthly = month_costs(mix)
    all_few = THOUSAND * sum(few.values()) + sum(monthly.values())
    all_many = MILLION * sum(many.values()) + sum(monthly.values())
    totals: dict[str, float | None] = {event: THOUSAND * sum(each.values()) for event, each in by_event.items()}
    rows: list[tuple[str, Mapping[str, float | None], float, float]] = [
        (
            service,
            {event: THOUSAND * each[service] for event, each in by_event.items()},
            THOUSAND * dollars,
            MILLION * many[service],
        )
        for service, dollars in few.items()
    ]
    rows += [(f"{name}, each month", dict.fromkeys(usage.warm), cost, cost) for name, cost in monthly.items()]
    rows.append(("together", totals, all_few, all_many))
    return [ServiceCost(name, events, some, f"{some / all_few:.0%}", million) for name, events, some, million in rows]


def waiting_costs(usage: Usage, mix: Mix, sizes: Sizes, waits: Sequence[float] = WAITS) -> list[WaitingCost]:
    """A row for each time that a full review may wait."""
    none = sum(pull_request_costs(usage, replace(mix, waiting=0), sizes).values())
    found = []
    for waiting in waits:
        waits_so = replace(mix, waiting=waiting)
        few = pull_request_costs(usage, waits_so, sizes)
        many = pull_request_costs(usage, replace(waits_so, cold=RARELY_COLD), sizes)
        each = sum(few.values())
        found.append(
            WaitingCost(
                waiting_seconds=waiting,
                lambda_for_1000=THOUSAND * few["Lambda time"],
                aws_for_1000=THOUSAND * each,
                of_it_waiting=f"{(each - none) / each:.0%}",
                million_a_month=MILLION * sum(many.values()) + sum(month_costs(mix).values()),
            )
        )
    return found


def tables(usage: Usage, mix: Mix, sizes: Sizes) -> list[Table]:
    """The figures as tables."""
    notes = f"""\
A pull request: a full review, {mix.pushes:g} pushes that are reviewed again, {mix.answers:g} answers, {mix.looks:g} \
look at an event that needs nothing, its end,
{mix.ignored:g} ignored webhooks and {mix.proposals:g} proposals. The model takes {mix.waiting:g} s for a full review, \
half of that for a re-review, a quarter for an answer;
a request to GitHub takes {mix.github:g} s, one to AWS {mix.aws:g} s. Every event starts a process, but \
{RARELY_COLD:.0%} at a million a month."""
    return [
        Table.of("AWS: US dollars for 1,000 of each", service_costs(usage, mix, sizes), notes.split("\n")),
        Table.of("AWS by the model's time: US dollars for pull requests", waiting_costs(usage, mix, sizes)),
    ]


def measured(_quick: bool) -> list[Table]:
    """The cost of AWS by service and by the model's time; there is nothing smaller."""
    return tables(count(), Mix(), template_sizes())


def main() -> None:
    """Count, calculate and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.aws_cost", description=__doc__.partition("\n")[0])
    for name in ("pushes", "answers", "looks", "ignored", "proposals", "waiting", "github", "aws", "cold"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Mix, name))
    mix = Mix(**vars(parser.parse_args()))
    for table in tables(count(), mix, template_sizes()):
        print("\n".join([*table.lines, ""]))


if __name__ == "__main__":
    main()
