"""What stands on a page around its figures."""
