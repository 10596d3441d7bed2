"""Webhooks: their signatures, their payloads, and the jobs that they lead to."""
