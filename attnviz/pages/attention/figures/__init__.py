"""The figures of the Attention page."""
