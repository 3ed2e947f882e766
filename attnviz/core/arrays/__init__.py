"""What every part of the library asks of arrays: shapes, spread, randomness."""
