"""The one logger, for functions and edges, and the metrics in the line "outcome".

CloudWatch takes them from the line itself: nothing is sent. All else is measured by Lambda, SQS and API Gateway.
"""

import logging
import os
import time
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools import Logger

from kodiai.core.metrics import UNITS

# Lambda sets the level of all loggers: at DEBUG the SDKs would log what they send and receive, secrets too, and at
# INFO httpx each address; that of a GitHub archive has a token in it.
logging.getLogger().setLevel(logging.WARNING)

logger = Logger(service="kodiai")


def measured(line: Mapping[str, Any], metrics: Mapping[str, float]) -> dict[str, Any]:
    """A line with metrics, by name, in the embedded metric format, without dimensions; as it is if there are none.

    Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    if not metrics:
        return dict(line)
    directive = {
        "Namespace": os.environ.get("KODIAI_METRICS", "Kodiai"),
        "Dimensions": [[]],
        "Metrics": [{"Name": name, "Unit": UNITS[name]} for name in metrics],
    }
    # First, since Logs Insights finds the first 200 fields of a line.
    return {**metrics, **line, "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [directive]}}
