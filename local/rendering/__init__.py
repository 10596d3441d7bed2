"""Text, code and diffs by others, rendered for people: sanitized, highlighted, and unable to act."""
