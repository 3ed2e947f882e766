"""The Scaling lab: its settings, and all that is drawn and computed for it."""
