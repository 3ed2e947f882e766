"""What attention costs, in closed forms."""
