"""What a setting chooses among: masks, positions, scores."""
