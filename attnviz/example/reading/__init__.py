"""Numbers that a person typed, pasted or uploaded."""
