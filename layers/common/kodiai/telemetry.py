"""The one logger, for functions and edges.

Metrics are what Lambda and SQS measure by themselves, and what metric filters take from the line "outcome".
"""

import logging

from aws_lambda_powertools import Logger

# Lambda sets the level of everybody: at DEBUG the SDKs would write down what they send and are told, secrets too,
# and at INFO httpx each address, of which GitHub's archives have a token in theirs.
logging.getLogger().setLevel(logging.WARNING)

logger = Logger(service="kodiai")
