"""Amazon SQS, FIFO queues above all, on one machine."""
