"""Amazon DynamoDB on one machine."""

from local.aws.dynamodb.service import DynamoDb

__all__ = ["DynamoDb"]
