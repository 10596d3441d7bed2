"""The prompts, one Markdown file each, and their strict loader."""
