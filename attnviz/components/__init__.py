"""Pieces of Shiny used by two or more pages."""
