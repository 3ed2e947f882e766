"""Page: Layer Normalization, position by position."""
