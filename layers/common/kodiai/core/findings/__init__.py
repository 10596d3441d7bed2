"""Findings: located in the code, judged, followed over reviews, and summed up in a verdict."""
