"""What reviews and mentions share: asking a model, within the money and the time there is."""
