"""The one logger, for functions and edges.

Metrics and traces are left to what Lambda and SQS measure by themselves and to metric filters on the line "outcome".
"""

from aws_lambda_powertools import Logger

logger = Logger(service="kodiai")
