"""The same numbers with less memory or fewer operations."""
