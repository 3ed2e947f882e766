"""What attention sees of order, and how positions become numbers."""
