"""Where matrices come from: drawn, written down, made of tokens."""
