"""The numbers: attention, masks, norms and their checks, in NumPy alone."""
