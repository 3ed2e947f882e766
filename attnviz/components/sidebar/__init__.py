"""The example's controls."""
