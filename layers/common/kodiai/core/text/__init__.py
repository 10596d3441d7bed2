"""Text: it is cleaned, measured and cut here, whatever it is about."""
