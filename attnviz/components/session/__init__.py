"""What one reader's visit keeps: address, state, share."""
