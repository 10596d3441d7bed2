"""The one logger, for functions and edges.

Metrics are what Lambda and SQS measure by themselves, and what metric filters take from the line "outcome".
"""

import logging

from aws_lambda_powertools import Logger

# Lambda sets the level of all loggers: at DEBUG the SDKs would log what they send and receive, secrets too, and at
# INFO httpx each address; that of a GitHub archive has a token in it.
logging.getLogger().setLevel(logging.WARNING)

logger = Logger(service="kodiai")
