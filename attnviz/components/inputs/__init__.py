"""Controls, and what is said beside them."""
