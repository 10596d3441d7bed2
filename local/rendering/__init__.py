"""Text and code that we did not write, rendered for people: cleaned, coloured, and with nothing in it that acts."""
