"""Plotly figures as plain JSON: arrays and labels in, a specification out."""
