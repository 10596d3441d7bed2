"""Public list prices of AWS in us-east-1, in US dollars, without free tiers; November 2026.

Those of the first group were compared with the pages again, those of the second are remembered.
"""

MONTH_SECONDS = 30.4 * 24 * 3600

# https://aws.amazon.com/lambda/pricing/: Arm, the first 7.5 billion GB-seconds; the start of a process counts.
LAMBDA_GB_SECOND = 0.0000133334
LAMBDA_REQUEST = 0.20e-6
# https://aws.amazon.com/sqs/pricing/, for each 64 KB
SQS_FIFO_REQUEST = 0.50e-6
# https://aws.amazon.com/dynamodb/pricing/on-demand/
DYNAMODB_WRITE = 0.625e-6
DYNAMODB_READ = 0.125e-6
# https://aws.amazon.com/s3/pricing/: at least 128 KB are written; compared are the first 100,000 vectors of an index.
VECTORS_GB_MONTH = 0.06
VECTORS_GB_WRITTEN = 0.20
VECTORS_QUERY = 2.50e-6
VECTORS_TB_COMPARED = 0.004
# https://aws.amazon.com/bedrock/pricing/
TITAN_TOKEN = 0.02e-6

# https://aws.amazon.com/lambda/pricing/: /tmp beyond 512 MB
LAMBDA_STORAGE_GB_SECOND = 0.0000000309
# https://aws.amazon.com/api-gateway/pricing/, for each 512 KB, the first 300 million of a month
HTTP_API_REQUEST = 1.00e-6
# https://aws.amazon.com/dynamodb/pricing/on-demand/, with point-in-time recovery
DYNAMODB_GB_MONTH = 0.25 + 0.20
# https://aws.amazon.com/kms/pricing/
KMS_REQUEST = 0.03 / 10_000
# https://aws.amazon.com/cloudwatch/pricing/: ingestion and storage for a month; a metric with a value in every hour
LOGS_GB = 0.50 + 0.03
ALARM_MONTH = 0.10
METRIC_MONTH = 0.30
DASHBOARD_MONTH = 3.00
# https://aws.amazon.com/ec2/pricing/on-demand/: from AWS to the internet, the first 10 TB of a month
OUT_GB = 0.09
