"""The one logger, for functions and edges.

Metrics are what Lambda and SQS measure by themselves, and what metric filters take from the line "outcome".
"""

from aws_lambda_powertools import Logger

logger = Logger(service="kodiai")
