"""See every number in attention and Layer Normalization."""

__version__ = "0.1.0"
