"""Public list prices of AWS in us-east-1, in US dollars, without free tiers; November 2026."""

from dataclasses import dataclass

MONTH_SECONDS = 30.4 * 24 * 3600


@dataclass(frozen=True)
class Price:
    """US dollars per unit. `page` is where AWS publishes it; `is_remembered` means that it was not compared again."""

    dollars: float
    page: str
    is_remembered: bool = False


_LAMBDA = "https://aws.amazon.com/lambda/pricing/"
_DYNAMODB = "https://aws.amazon.com/dynamodb/pricing/on-demand/"
_CLOUDWATCH = "https://aws.amazon.com/cloudwatch/pricing/"
_S3 = "https://aws.amazon.com/s3/pricing/"

LAMBDA_GB_SECOND = Price(0.0000133334, _LAMBDA)
"""Arm, the first 7.5 billion GB-seconds of a month; the start of a process counts."""
LAMBDA_REQUEST = Price(0.20e-6, _LAMBDA)
LAMBDA_STORAGE_GB_SECOND = Price(0.0000000309, _LAMBDA, is_remembered=True)
"""The price of /tmp beyond 512 MB."""
HTTP_API_REQUEST = Price(1.00e-6, "https://aws.amazon.com/api-gateway/pricing/", is_remembered=True)
"""For each 512 KB, the first 300 million of a month."""
SQS_FIFO_REQUEST = Price(0.50e-6, "https://aws.amazon.com/sqs/pricing/")
"""For each 64 KB."""
DYNAMODB_WRITE = Price(0.625e-6, _DYNAMODB)
DYNAMODB_READ = Price(0.125e-6, _DYNAMODB)
DYNAMODB_GB_MONTH = Price(0.25, _DYNAMODB, is_remembered=True)
DYNAMODB_RECOVERY_GB_MONTH = Price(0.20, _DYNAMODB, is_remembered=True)
"""Point-in-time recovery."""
KMS_REQUEST = Price(0.03 / 10_000, "https://aws.amazon.com/kms/pricing/", is_remembered=True)
LOGS_GB = Price(0.50, _CLOUDWATCH, is_remembered=True)
LOGS_GB_MONTH = Price(0.03, _CLOUDWATCH, is_remembered=True)
ALARM_MONTH = Price(0.10, _CLOUDWATCH, is_remembered=True)
METRIC_MONTH = Price(0.30, _CLOUDWATCH, is_remembered=True)
"""The price of a custom metric that has a value in every hour; hours without one cost nothing."""
DASHBOARD_MONTH = Price(3.00, _CLOUDWATCH, is_remembered=True)
OUT_GB = Price(0.09, "https://aws.amazon.com/ec2/pricing/on-demand/", is_remembered=True)
"""From AWS to the internet, the first 10 TB of a month."""

VECTORS_GB_MONTH = Price(0.06, _S3)
VECTORS_GB_WRITTEN = Price(0.20, _S3)
"""At least 128 KB for each request."""
VECTORS_QUERY = Price(2.50e-6, _S3)
VECTORS_TB_COMPARED = Price(0.004, _S3)
"""The price of the first 100,000 vectors of an index."""
TITAN_TOKEN = Price(0.02e-6, "https://aws.amazon.com/bedrock/pricing/")
