"""CloudFormation on one machine: what `sam deploy` creates, updates and deletes in the local AWS."""
