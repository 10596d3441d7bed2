"""The review of a pull request as one HTML page, and what the terminal's printout shares with it."""
