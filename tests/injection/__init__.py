"""Pull requests that give orders to the model, and a model that obeys: what code alone prevents."""
