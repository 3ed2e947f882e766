"""What somebody computed, beside what should have come out."""
