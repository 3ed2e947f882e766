"""The Cost lab."""
