"""Tables: arrays and labels in, a pandas frame out."""
