"""Comments of people in a pull request: mentions, commands, replies, and the context of an answer."""
