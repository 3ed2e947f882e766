"""Text and bytes that leave the app."""
