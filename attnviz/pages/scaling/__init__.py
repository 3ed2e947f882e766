"""Page: why scores are divided by √d_k."""
