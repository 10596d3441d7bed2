"""What GitHub tells us: is it GitHub, what happened, what follows from it."""
