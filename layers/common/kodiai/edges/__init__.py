"""One file per outside system, the only one that imports its SDK."""
