"""The Transformer layers on screen: settings, numbers, and where each comes from."""
