"""The script of the Scaling lab."""
